"""Tables, structures and dates as parameters: the columns, fields and numbers in them that are used.

Two vectors that hold numbers of the same people become two columns of one table: what is made of both numbers of a
person is private for that person only where the two stand in one record.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from dp_lsp import intents
from dp_lsp.builtins.remedies import datasets
from dp_lsp.core.annotation import Truth
from dp_lsp.core.types import Base, Kind
from dp_lsp.frontends.julia.rewriting.places import (
    NAME,
    arguments_of,
    closing,
    indentation,
    new_name,
    opening,
    parameters_of,
)
from dp_lsp.intents import Rendering
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_NAME = r"[^\W\d]\w*"
_SEVERAL = re.compile(
    r"(?:Abstract)?(?:Vector|Array)(?:\{\s*(?:<:\s*)?\w+\s*(?:,\s*1\s*)?\})?|MetricVector\(\w+, \w+\)|"
)
_ON_THE_RIGHT = re.compile(
    r"(?<![=<>!+\-*/.])=(?![=>])[ \t]*(?P<made>[^=\n\[\]{}\"',?:]*\.?[-+*/^<>][^=\n\[\]{}\"',?:]*?)[ \t]*$",
    re.MULTILINE,
)
_GIVEN = re.compile(r"(?<![\w.])(?:sum|mean|count)\((?P<made>(?:[^\n\[\]{}\"',?:()]|\((?:[^\n()]|\([^\n()]*\))*\))*)\)")
_BY_PLACE = re.compile(r"(?<![\w.])(?!abs|sqrt|log|exp|min|max|round|float)[^\W\d]\w*\(|\[")
"""A call in what is made entry by entry that is not done for each entry."""
_LOOP = re.compile(
    rf"^(?P<indent>[ \t]*)for[ \t]+(?:(?P<place>{_NAME})[ \t]+in[ \t]+(?:1:length|eachindex)\([^\n()]*\)"
    rf"|\((?P<names>[^\n()]*)\)[ \t]+in[ \t]+zip\((?P<vectors>[^\n()]*)\))[ \t]*\n"
    rf"(?:[ \t]*if[ \t]+(?P<condition>[^\n]+)\n)?[ \t]*(?P<total>{_NAME})[ \t]*(?:\+=|=[ \t]*(?P=total)[ \t]*\+)"
    r"[ \t]*(?P<added>[^\n]+)\n(?(condition)[ \t]*end[ \t]*\n)(?P=indent)end\b",
    re.MULTILINE,
)
_TABLE = "people"
_ROW = "r"
_LOWEST, _HIGHEST = 0, 100
_RANGE = _HIGHEST - _LOWEST


class _Pairs:
    """How the numbers of some vectors, each with its column, are used in pairs."""

    def __init__(self, columns: Sequence[str], table: str, truths: Collection[str]) -> None:
        self.columns = columns
        self.table = table
        self.truths = truths
        self.one = "|".join(map(re.escape, columns))

    def column(self, name: str) -> int:
        return 1 + self.columns.index(name)

    def deviations(self, text: str, inside: Span) -> Iterator[tuple[Span, str, str]]:
        """Sums of products of deviations from the mean, as people write them, and which two columns they are of."""
        names = {found[1]: found[2] for found in re.finditer(rf"({_NAME})[ \t]*=[ \t]*mean\(({self.one})\)", text)}
        means = "|".join([rf"mean\((?:{self.one})\)", *map(re.escape, names)])
        apart = rf"\(\s*({self.one})\s*\.-\s*(?:{means})\s*\)"
        for found in re.compile(rf"(?<![\w.])sum\({apart}\s*\.\*\s*{apart}\)").finditer(text, *inside):
            yield Span(*found.span()), found[1], found[2]
        for found in re.compile(rf"(?<![\w.])sum\({apart}\s*\.\^\s*2\)").finditer(text, *inside):
            yield Span(*found.span()), found[1], found[1]

    def covariances(self, text: str, inside: Span) -> Iterator[tuple[Span, str, str]]:
        for found in re.compile(rf"(?<![\w.])cov\(\s*({self.one})\s*,\s*({self.one})\s*\)").finditer(text, *inside):
            yield Span(*found.span()), found[1], found[2]

    def entry(self, name: str) -> str:
        """A number of a row, or whether it is the one that stands for true."""
        entry = f"{_ROW}[{self.column(name)}]"
        return f"({entry} == 1)" if name in self.truths else entry

    def of_row(self, written: str) -> str:
        """What is written of all entries, or of those at one place, as it is said of a row."""
        plain = re.sub(r"\.(?=[-+*/^<>=!&|])|(?<=\w)\.(?=\()", "", written)
        plain = re.sub(r"(?<![&|])([&|])(?![&|])", r"\1\1", plain)
        return re.sub(rf"(?<![\w.])({self.one})(?:\[\w+\])?(?!\w)", lambda found: self.entry(found[1]), plain)

    def operations(self, text: str, inside: Span) -> Iterator[tuple[Span, str]]:
        """What is made of several numbers of a person: all that is on the right of `=`, or all that one function is
        given."""
        for found in (*_ON_THE_RIGHT.finditer(text, *inside), *_GIVEN.finditer(text, *inside)):
            if len(self.used(found["made"])) > 1 and not _BY_PLACE.search(found["made"]):
                yield Span(*found.span("made")), f"map_rows({_ROW} -> {self.of_row(found['made'])}, {self.table})"

    def used(self, *written: str) -> set[str]:
        """The vectors of which something is made."""
        return {found[1] for part in written for found in re.finditer(rf"(?<![\w.])({self.one})(?!\w)", part)}

    def loops(self, text: str, inside: Span) -> Iterator[tuple[Span, str]]:
        """What loops over all places count or add up."""
        for found in _LOOP.finditer(text, *inside):
            names = (
                {}
                if found["place"]
                else dict(zip(re.findall(_NAME, found["names"]), re.findall(_NAME, found["vectors"]), strict=False))
            )  # a loop over pairs gives each number a name
            written = [_renamed(found[part] or "", names) for part in ("condition", "added")]
            if len(self.used(*written)) < 2:
                continue
            condition, body = (self.of_row(part) for part in written)
            if body == "1" and condition:
                made = f"count_rows({_ROW} -> {condition}, {self.table})"
            else:
                value = f"({condition}) ? {body} : 0.0" if condition else body
                made = f"sum(map_rows({_ROW} -> {value}, {self.table}))"
            yield Span(*found.span()), f"{found['indent']}{found['total']} += {made}"

    def masks(self, text: str, inside: Span) -> bool:
        """Whether some numbers are picked by the others beside them."""
        picked = re.compile(rf"(?<![\w.])({self.one})\[[^][\n]*?(?<!\w)({self.one})(?:[ \t]*\.[=<>!]|\])")
        return any(found[1] != found[2] for found in picked.finditer(text, *inside))


def make_one_table(code: Rendering, intent: intents.OneTable, text: str) -> Iterator[Fix]:
    params = {text[slice(*span)].partition("::")[0].strip(): span for span in parameters_of(text, intent.name)}
    start = text.find("\n", closing(text, intent.name.end + 1)) + 1
    body = Span(start, text.rfind("\n", start, intent.function.end) + 1)
    several = [name for name, span in params.items() if _is_several(text[slice(*span)], text[slice(*body)])]
    columns = [name for name in several if re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text[slice(*body)])]
    if len(columns) < 2 or not intent.function.start < start <= body.end:
        return
    table = new_name(_TABLE, {*NAME.findall(text[intent.function.start : intent.function.end])})
    truths = {name for name in columns if re.search(r"\bBool\b", text[slice(*params[name])])}
    pairs = _Pairs(columns, table, truths)
    edits = [Edit(span, f"cross_deviations({table}, {pairs.column(a)}, {pairs.column(b)})")
        for span, a, b in pairs.deviations(text, body)]  # fmt: skip
    edits += [Edit(span, f"covariance({table}, {pairs.column(a)}, {pairs.column(b)})")
        for span, a, b in pairs.covariances(text, body)]  # fmt: skip
    bounded = bool(edits)
    for span, made in (*pairs.loops(text, body), *pairs.operations(text, body)):
        if not any(each.span.start < span.end and span.start < each.span.end for each in edits):
            edits.append(Edit(span, made))
    correlated = [*_correlation(text, body, pairs)]
    counts = any(
        found["condition"]
        for found in _LOOP.finditer(text, *body)
        if Span(*found.span()) in (each.span for each in edits)
    )
    paired = bounded or counts or bool(correlated) or pairs.masks(text, body)
    if not paired and (intent.only or not edits):
        return
    edits += correlated
    first = len(text[start:]) - len(text[start:].lstrip(" \t\n"))
    indent = indentation(text, start + first)
    lines = [f"{table} = clamp.({table}, {_LOWEST}, {_HIGHEST})"] if bounded or correlated else []
    spared = [each.span for each in edits]
    for name in columns:
        used = (each.start() for each in re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)").finditer(text, *body))
        if any(not any(span.start <= at < span.end for span in spared) for at in used):
            lines.append(f"{name} = {table}[:, {pairs.column(name)}]" + (" .== 1" if name in truths else ""))
    edits += [Edit(Span(start, start), "".join(f"{indent}{line}\n" for line in lines))] if lines else []
    within = f", with each number clamped between {_LOWEST} and {_HIGHEST}" if bounded or correlated else ""
    within += ", and the noise on its three sums, each for a third of the ε" if correlated else ""
    for type_ in datasets(Kind.MATRIX, Base.REAL):
        declared = f"{table}::{code.annotation(type_)}"
        whole = [*edits, *_parameters(text, [params[name] for name in columns], declared)]
        what = ", ".join(f"`{name}`" for name in columns)
        whose = "both are" if len(columns) == 2 else "all are"
        title = f"pass one table with the columns {what}, as {whose} of one person: `{declared}`{within}"
        yield Fix(title, tuple(sorted(whole)), sure=False, declares=True)


def _renamed(written: str, names: Mapping[str, str]) -> str:
    return re.sub(_NAME, lambda found: names.get(found[0], found[0]), written)


def _is_several(declared: str, body: str) -> bool:
    """Whether a parameter is a vector, by what it is declared to be or by how it is used."""
    name, _, type_ = (part.strip() for part in declared.partition("::"))
    if not NAME.fullmatch(name) or "=" in declared or not _SEVERAL.fullmatch(type_):
        return False
    used = rf"(?<![\w.])(?:(?:mean|sum|length|std|var|cor|cov)\((?:\w+, *)?{name}\b|{name}\[)"
    return bool(type_) or re.search(used, body) is not None


def _parameters(text: str, spans: Sequence[Span], declared: str) -> Iterator[Edit]:
    """The table instead of the first of some parameters, and nothing instead of the others."""
    yield Edit(spans[0], declared)
    for span in spans[1:]:
        before = text[: span.start].rstrip()
        yield Edit(Span(len(before) - before.endswith(","), span.end), "")


def _correlation(text: str, body: Span, pairs: _Pairs) -> Iterator[Edit]:
    """A correlation is made of three releases: its numerator, and the two numbers below it."""
    cor = re.compile(rf"(?<![\w.])cor\(\s*({pairs.one})\s*,\s*({pairs.one})\s*\)")
    for found in cor.finditer(text, *body):
        line = Span(text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end()) + 1)
        alone = not text[found.end() : line.end].strip()
        named = re.fullmatch(rf"[ \t]*({_NAME})[ \t]*=[ \t]*", text[line.start : found.start()]) if alone else None
        hidden = re.escape(named[1] if named else found[0])
        released = _released(hidden, text, body)
        if released is None:
            return
        call, epsilon = released
        columns = [pairs.column(found[at]) for at in (1, 2)]
        share = f"laplacian_mechanism({_RANGE**2}, {epsilon} / 3, cross_deviations({pairs.table}, {{}}, {{}}))"
        both, one, other = (
            share.format(*each) for each in (columns, (columns[0], columns[0]), (columns[1], columns[1]))
        )
        yield Edit(call, f"clamp({both} / sqrt(max({one} * {other}, 1)), -1, 1)")
        if named:
            yield Edit(line, "")


def _released(hidden: str, text: str, body: Span) -> tuple[Span, str] | None:
    """Where something gets Laplace noise, by a mechanism or by a draw that is added, and with which ε."""
    epsilon = r"(?P<epsilon>[^(),\n]+(?:\([^()\n]*\))?)"
    mechanism = rf"laplacian_mechanism\([^(),\n]+(?:\([^()\n]*\))?,\s*{epsilon},\s*{hidden}\s*\)"
    call = re.compile(mechanism).search(text, *body)
    if call is not None:
        return Span(*call.span()), call["epsilon"]
    drawn = re.compile(rf"{hidden}\s*\+\s*rand\(\s*Laplace\(").search(text, *body)
    if drawn is None:
        return None
    end = closing(text, closing(text, drawn.end()) + 1)
    named = re.compile(r"(?<!\w)(?:eps\w*|ε\w*)").search(text, drawn.end(), end)
    return None if named is None else (Span(drawn.start(), end + 1), named[0])


_VECTOR = re.compile(rf"(?:Abstract)?(?:Vector|Array)\{{\s*(?:<:\s*)?(?P<element>{_NAME})\s*(?:,\s*1\s*)?\}}")
_OF_SEVERAL = re.compile(
    r"(?:Abstract)?Vector\{\s*(?:<:\s*)?(?:(?:Abstract)?Vector(?:\{[^{}]*\})?|(?:Abstract)?String)\s*\}"
)
"""Vectors of vectors, or of texts."""
_OF_TUPLES = re.compile(r"(?:Abstract)?Vector\{\s*(?:<:\s*)?(?:Tuple|NTuple)\{[^{}]*\}\s*\}")
_ASKED = frozenset(("occursin", "startswith", "endswith", "contains"))
"""Functions that say something of a text that is true or false."""
_ELEMENTS: Mapping[str, Base | Truth] = {
    "Bool": Truth(),
    **dict.fromkeys(("Int", "Int64", "Int32", "UInt", "Integer"), Base.INTEGER),
}
"""The types of numbers that fields have; all others hold real ones."""
_PART = re.compile(rf"(?:{_NAME}\.)?(year|month|day|dayofweek|dayofyear|week|hour|minute)(\.?)\(")
_DAY = re.compile(r"(?<![\w.])Date\(\s*(\d{4})\s*,\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)")
_READ = re.compile(
    rf"^[ \t]*(?P<name>{_NAME})[ \t]*=[ \t]*(?:DataFrame\([ \t]*)?(?:CSV\.(?:read|File)|readtable|load)\([^\n]*\n",
    re.MULTILINE,
)
_ROWS = {"count": "count_rows", "filter": "filter_rows", "map": "map_rows"}


class _Declared(NamedTuple):
    """A parameter: its name, what it is declared to be, and where that stands."""

    name: str
    type: str
    span: Span


class _Part(NamedTuple):
    """A place where a column or field is used, and which one."""

    span: Span
    column: str


def pass_columns(code: Rendering, intent: intents.PassColumns, text: str) -> Iterator[Fix]:
    """A table, a vector of structures or of dates that is a parameter."""
    function = Span(intent.function.start, intent.function.end)
    for span in parameters_of(text, intent.name):
        name, _, type_ = text[slice(*span)].partition("::")
        if span.covers(intent.annotation.start) and NAME.fullmatch(name):
            param = _Declared(name, type_.strip(), span)
            element = _VECTOR.fullmatch(param.type)
            fields = None if element is None else _fields(text, element["element"])
            if fields is not None:
                yield from _of_structures(code, param, fields, text, function)
            elif element is not None and element["element"] == "Date":
                yield from _of_dates(code, param, text, function)
            elif _OF_TUPLES.fullmatch(param.type):
                yield from _of_tuples(code, param, text, function)
            elif _OF_SEVERAL.fullmatch(param.type):
                yield from _of_several(code, param, text, function)
            elif fields_of := _declared_fields(text, param.type):
                yield from _of_data(code, param, fields_of, text, function)
            elif not param.type and (used := _fields_used(param.name, text, function)):
                yield from _of_structures(code, param, used, text, function)
            elif element is None:
                yield from _of_table(code, param.name, (param.span,), text, function)


def pass_table(code: Rendering, intent: intents.PassTable, text: str) -> Iterator[Fix]:
    """A table that a private function reads itself."""
    open_ = intent.name.end
    if text[open_ : open_ + 1] != "(":
        return
    for found in _READ.finditer(text, *intent.function):
        line = Span(*found.span())
        yield from _of_table(code, found["name"], (Span(open_ + 1, open_ + 1), line), text, intent.function)


# Tables


def _of_table(code: Rendering, name: str, written: Sequence[Span], text: str, function: Span) -> Iterator[Fix]:
    """What is declared takes the first of the places that are ``written``; what stands at the others is left out."""
    inside = range(max(each.end for each in written), function.end)
    names = [*dict.fromkeys((name, *_selections(name, text, inside)))]
    parts = [part for each in names for part in _columns(each, text, inside)]
    columns = list(dict.fromkeys(each.column for each in parts))
    others = [size for each in names for size in _sizes(each, text, inside)]
    if not columns or _is_used(name, text, inside, [*(each.span for each in parts), *others, *_picked(name, text)]):
        return
    if len(names) > 1:
        yield from _of_selections(code, names, written, parts, text, function)
        return
    if len(columns) == 1:
        copies, used = _copies(name, columns[0], text, inside)
        known = {*NAME.findall(text[function.start : function.end])} - ({columns[0]} if copies else set())
        known -= {columns[0]} if _only_as_column(columns[0], text, inside, parts) else set()
        column = new_name(columns[0], known)
        edits = [Edit(each.span, column) for each in parts if each not in used]
        kind, title = Kind.VECTOR, f"pass the column `{columns[0]}`"
    else:
        column, copies, used = name, [], []
        edits = [Edit(each.span, f"{name}[:, {columns.index(each.column) + 1}]") for each in parts]
        kind, title = Kind.MATRIX, f"pass a matrix with the columns {_listed(columns)}"
    edits += [Edit(each, f"length({column})") for each in others]
    edits += [Edit(each, "") for each in (*copies, *written[1:])]
    separator = ", " if text[written[0].start - 1] == "(" and written[0].start == written[0].end else ""
    separator = "" if text[written[0].end] == ")" and written[0].start == written[0].end else separator
    for type_ in datasets(kind, Base.REAL):
        declared = f"{column}::{code.annotation(type_)}"
        made = (Edit(written[0], declared + separator), *edits)
        yield Fix(f"{title}: `{declared}`", made, sure=False, declares=True)


_SELECTED = r"^[ \t]*(?P<name>[^\W\d]\w*)[ \t]*=[ \t]*(?P<of>{0})\[(?P<mask>[^\n]+),[ \t]*:[ \t]*\][ \t]*$"


_FILTERED = (
    r"^[ \t]*(?P<name>[^\W\d]\w*)[ \t]*=[ \t]*(?P<call>filter)\([ \t]*(?P<row>[^\W\d]\w*)[ \t]*->[^\n]+,"
    r"[ \t]*(?P<of>{0})\)[ \t]*$"
)


def _selections(name: str, text: str, inside: range) -> Iterator[str]:
    """Tables that have some of the rows of a table, as in `old = t[t.age .> 65, :]`, and what a row is called where
    that says which: `filter(row -> row.age > 65, t)`."""
    for pattern in (_SELECTED, _FILTERED):
        for found in re.compile(pattern.format(re.escape(name)), re.MULTILINE).finditer(text, *_ends(inside)):
            if found["name"] != name:
                yield found["name"]
                yield from {found["row"]} - {found["name"]} if pattern is _FILTERED else ()


def _ends(inside: range) -> tuple[int, int]:
    return inside.start, inside.stop


def _picked(name: str, text: str) -> Iterator[Span]:
    """Where a table stands of which some rows are picked."""
    for pattern in (_SELECTED, _FILTERED):
        for found in re.compile(pattern.format(re.escape(name)), re.MULTILINE).finditer(text):
            yield Span(*found.span("of"))


def _of_selections(
    code: Rendering, names: Sequence[str], written: Sequence[Span], parts: Sequence[_Part], text: str, function: Span
) -> Iterator[Fix]:
    """The matrix of which some rows are picked: a text that a column is compared with is a whole number there."""
    columns = list(dict.fromkeys(each.column for each in parts))
    filtered = [*re.compile(_FILTERED.format(re.escape(names[0])), re.MULTILINE).finditer(text, *function)]
    rows = {found["row"] for found in filtered}
    edits = [Edit(Span(*found.span("call")), "filter_rows") for found in filtered]
    for each in parts:
        of = next(name for name in names if re.match(rf"{re.escape(name)}(?!\w)", text[each.span.start :]))
        place = f"{'' if of in rows else ':, '}{columns.index(each.column) + 1}"
        edits.append(Edit(each.span, f"{of}[{place}]"))
    for name in {*names} - rows:
        edits += [Edit(size, f"size({name}, 1)") for size in _sizes(name, text, range(*function))]
    edits += [Edit(each, "") for each in written[1:]]
    places = [found for found in _COMPARED_TEXT.finditer(text, *function)]
    numbers = {found["text"]: str(at) for at, found in enumerate(places, 1)}
    edits += [Edit(Span(*found.span("text")), numbers[found["text"]]) for found in places]
    said = "".join(f", with {number} for `{each}`" for each, number in numbers.items())
    for type_ in datasets(Kind.MATRIX, Base.REAL):
        declared = f"{names[0]}::{code.annotation(type_)}"
        made = tuple(sorted((Edit(written[0], declared), *edits)))
        title = f"pass a matrix with the column{'s' * (len(columns) > 1)} {_listed(columns)}{said}: `{declared}`"
        yield Fix(title, made, sure=False, declares=True)


_COMPARED_TEXT = re.compile(r'\.?[=!]=[ \t]*(?P<text>"[^"\n$\\]*")')


def _columns(name: str, text: str, inside: range) -> Iterator[_Part]:
    """Where columns of a table are used: as `t.column`, `t[:, :column]`, `t[!, "column"]`, or `t."column"`."""
    column = rf"(?:\.(?P<field>{_NAME})(?!\w*[.(])|\[[ \t]*[:!][ \t]*,[ \t]*[:\"](?P<key>{_NAME})\"?[ \t]*\])"
    for found in re.finditer(rf"(?<![\w.]){re.escape(name)}{column}", text[: inside.stop]):
        if found.start() >= inside.start:
            yield _Part(Span(*found.span()), found["field"] or found["key"])


def _sizes(name: str, text: str, inside: range) -> list[Span]:
    """Where it is said how many rows a table has."""
    sizes = rf"(?<![\w.])(?:nrow\({name}\)|size\({name}[ \t]*,[ \t]*1\)|size\({name}\)\[1\]|length\({name}\))"
    return [Span(*each.span()) for each in re.finditer(sizes, text[: inside.stop]) if each.start() >= inside.start]


def _copies(name: str, column: str, text: str, inside: range) -> tuple[list[Span], list[_Part]]:
    """The lines that only give a column its own name again."""
    parts = [*_columns(name, text, inside)]
    line = re.compile(rf"^[ \t]*{column}[ \t]*=[ \t]*{re.escape(name)}\S*[ \t]*\n", re.MULTILINE)
    found = [Span(*each.span()) for each in line.finditer(text, inside.start, inside.stop)]
    lines = [each for each in found if sum(each.covers(part.span.start) for part in parts) == 1]
    lines = [each for each in lines if any(_fills(text, each, part.span) for part in parts)]
    return lines, [part for part in parts if any(each.covers(part.span.start) for each in lines)]


def _fills(text: str, line: Span, part: Span) -> bool:
    """Whether a line ends with a part of it."""
    return line.start <= part.start and not text[part.end : line.end].strip()


def _only_as_column(column: str, text: str, inside: range, parts: Sequence[_Part]) -> bool:
    """Whether a name stands for nothing but the column."""
    places = (each.start() for each in re.finditer(rf"(?<!\w){column}(?!\w)", text[: inside.stop]))
    return all(any(part.span.covers(at) for part in parts) for at in places if at >= inside.start)


def _is_used(name: str, text: str, inside: range, but: Iterable[Span]) -> bool:
    """Whether a name is used at any other place."""
    known = [*but]
    places = (each.start() for each in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", text[: inside.stop]))
    return any(not any(each.covers(at) for each in known) for at in places if at >= inside.start)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(f"`{each}`" for each in columns)


# Structures


def _fields(text: str, structure: str) -> Mapping[str, Base | Truth] | None:
    """The fields of a structure that a text declares, by the kinds of numbers that they hold."""
    found = re.search(rf"^[ \t]*(?:mutable[ \t]+)?struct[ \t]+{structure}[ \t]*\n(?P<fields>.*?)^[ \t]*end\b", text,
        re.MULTILINE | re.DOTALL)  # fmt: skip
    if found is None:
        return None
    fields = re.findall(rf"({_NAME})[ \t]*(?:::[ \t]*(\w+))?[ \t]*[\n;]", found["fields"])
    return {name: _ELEMENTS.get(type_, Base.REAL) for name, type_ in fields}


def _declared_fields(text: str, structure: str) -> Mapping[str, str]:
    """The fields of a structure with what they are declared to be, if one of them holds several numbers."""
    if not NAME.fullmatch(structure):
        return {}
    found = re.search(
        rf"^(?:mutable[ \t]+)?struct[ \t]+{structure}[ \t]*\n(?P<fields>.*?)^end\b", text, re.MULTILINE | re.DOTALL
    )
    fields = (
        dict(re.findall(rf"^[ \t]*({_NAME})[ \t]*::[ \t]*(\S+)[ \t]*$", found["fields"], re.MULTILINE)) if found else {}
    )
    return fields if any(map(_VECTOR.fullmatch, fields.values())) else {}


def _of_data(code: Rendering, param: _Declared, fields: Mapping[str, str], text: str, function: Span) -> Iterator[Fix]:
    """Data and public numbers that are kept together in a structure are parameters of their own."""
    inside = (param.span.end, function.end)
    uses = [
        *re.compile(rf"(?<![\w.]){re.escape(param.name)}(?!\w)(?:\.(?P<field>{_NAME})(?!\w*\())?").finditer(
            text, *inside
        )
    ]
    used = dict.fromkeys(each["field"] for each in uses)
    if not used or not used.keys() <= fields.keys():
        return
    known = {*re.findall(rf"(?<![\w.]){_NAME}", text[slice(*function)])} - {param.name}
    names = {field: new_name(field, known) for field in used if field is not None}
    edits = [Edit(Span(*each.span()), names[each["field"]]) for each in uses]
    for metric in range(len(datasets(Kind.VECTOR, Base.REAL))):
        declared = ", ".join(_parameter(code, names[field], fields[field], metric) for field in names)
        title = f"pass what is in `{param.name}` by itself: `{declared}`"
        yield Fix(title, (Edit(param.span, declared), *edits), sure=False, declares=True)


def _parameter(code: Rendering, name: str, declared: str, metric: int) -> str:
    """Records under one of the relations, or a public number."""
    vector = _VECTOR.fullmatch(declared)
    if vector is None:
        return f"{name}::Static({declared if declared in _ELEMENTS else ''})"
    base = _ELEMENTS.get(vector["element"], Base.REAL)
    return f"{name}::{code.annotation(datasets(Kind.VECTOR, base)[metric])}"


def _fields_used(name: str, text: str, function: Span) -> Mapping[str, Base | Truth]:
    """The fields that are used of each record of what is gone over; one that is a condition by itself is true or
    false."""
    found = dict[str, Base | Truth]()
    over = rf"\bfor[ \t]+(?P<each>{_NAME})[ \t]+(?:in|=|∈)[ \t]+{re.escape(name)}(?![\w.(\[])"
    for loop in re.compile(over).finditer(text, *function):
        field = re.compile(
            rf"(?P<before>if[ \t]+|&&[ \t]*|\|\|[ \t]*|!)?(?<![\w.]){loop['each']}\.(?P<field>{_NAME})(?!\w)"
            r"(?P<after>[ \t]*(?:\n|&&|\|\||\)))?"
        )
        for used in field.finditer(text, *function):
            truth = used["before"] and used["after"]
            found.setdefault(used["field"], Truth() if truth else Base.REAL)
    return found


def _of_structures(
    code: Rendering, param: _Declared, fields: Mapping[str, Base | Truth], text: str, function: Span
) -> Iterator[Fix]:
    """One field is the record; of several a row is made of each record."""
    dotted = re.compile(rf"(?<![\w.])(?P<of>{_NAME})\.(?P<field>{'|'.join(map(re.escape, fields))})(?!\w)")
    found = [each for each in dotted.finditer(text, param.span.end, function.end) if each["of"] != param.name]
    used = list(dict.fromkeys(each["field"] for each in found))
    edits: list[Edit]
    if len(used) == 1:
        edits = [Edit(Span(*each.span()), each["of"]) for each in found]
        types, title = datasets(Kind.VECTOR, fields[used[0]]), f"pass the `{used[0]}` of each record"
    elif used:
        edits = []
        for each in found:
            entry = f"{each['of']}[{used.index(each['field']) + 1}]"
            entry = f"({entry} == 1)" if fields[each["field"]] == Truth() else entry
            edits.append(Edit(Span(*each.span()), entry))
        edits = sorted((*edits, *_of_rows(param.name, text, Span(param.span.end, function.end))))
        types, title = datasets(Kind.MATRIX, Base.REAL), f"pass a matrix with the columns {_listed(used)}"
    else:
        return
    for type_ in types:
        declared = f"{param.name}::{code.annotation(type_)}"
        yield Fix(f"{title}: `{declared}`", (Edit(param.span, declared), *edits), sure=False, declares=True)


def _of_rows(name: str, text: str, function: Span) -> Iterator[Edit]:
    """What is done for each record, or for each of those that are kept, is done for each row."""
    kept = re.compile(rf"^[ \t]*(?P<name>{_NAME})[ \t]*=[ \t]*filter\([^\n]*,[ \t]*{re.escape(name)}\)", re.MULTILINE)
    names = [name, *(found["name"] for found in kept.finditer(text, *function))]
    over = rf"\bfor[ \t]+{_NAME}[ \t]+(?:in|=|∈)[ \t]+(?P<over>{'|'.join(map(re.escape, names))})(?![\w.(\[])"
    for found in re.compile(over).finditer(text, *function):
        yield Edit(Span(*found.span("over")), f"eachrow({found['over']})")
        open_ = opening(text, found.start())
        close = closing(text, open_ + 1)
        if open_ >= 0 and text[open_] == "(" and len(arguments_of(text, open_ + 1)) == 1:
            yield Edit(Span(open_ + 1, open_ + 1), "[")  # without any record a generator fails
            yield Edit(Span(close, close), "]")
    for found in re.compile(rf"(?<![\w.])length\((?P<of>{'|'.join(map(re.escape, names))})\)").finditer(
        text, *function
    ):
        yield Edit(Span(*found.span()), f"size({found['of']}, 1)")
    for each in names:
        yield from _called_by_row(each, text, function)


def _called_by_row(name: str, text: str, function: Span) -> Iterator[Edit]:
    for found in re.finditer(rf"(?<![\w.])(?P<call>{'|'.join(_ROWS)})\({_NAME}[ \t]*->", text[: function.end]):
        close = closing(text, found.end("call") + 1)
        if found.start() >= function.start and re.search(rf",\s*{re.escape(name)}\s*$", text[found.end() : close]):
            yield Edit(Span(*found.span("call")), _ROWS[found["call"]])


# Vectors of vectors, or of texts


def _of_several(code: Rendering, param: _Declared, text: str, function: Span) -> Iterator[Fix]:
    """The one number that is made of each of them."""
    inside, name = (param.span.end, function.end), re.escape(param.name)
    whole = re.compile(rf"(?<![\w.])(?:map\((?P<mapped>{_NAME}),[ \t]*{name}\)|(?P<dotted>{_NAME})\.\({name}\))")
    edits, made = list[Edit](), set[str]()
    for found in whole.finditer(text, *inside):
        edits.append(Edit(Span(*found.span()), param.name))
        made.add(found["mapped"] or found["dotted"])
    each = rf"\bfor[ \t]+(?P<loop>{_NAME})[ \t]+(?:in|=|∈)[ \t]+{name}(?!\w)"
    each += rf"|(?P<given>{_NAME})[ \t]*->[^\n]*,[ \t]*{name}\)"
    for binding in re.compile(each).finditer(text, *inside):
        record = binding["loop"] or binding["given"]
        for use in re.compile(rf"(?<![\w.]){record}(?!\w)").finditer(text, *inside):
            if use.start() == binding.start("loop") or use.start() == binding.start("given"):
                continue
            call = re.compile(rf"(?P<made>{_NAME})\((?P<before>[^()\n]*)\Z").search(text, function.start, use.start())
            asked = call is not None and call["made"] in _ASKED
            alone = call is not None and not call["before"] and text[use.end() : use.end() + 1] == ")"
            made.add(call["made"] if call is not None and (asked or alone) else "")
            start = use.start() if call is None else call.start()
            edits.append(Edit(Span(start, closing(text, use.end()) + 1), record))
    if len(made) != 1 or "" in made:
        return
    (what,) = made
    element = Truth() if what in _ASKED else Base.INTEGER if what == "length" else Base.REAL
    for type_ in datasets(Kind.VECTOR, element):
        declared = f"{param.name}::{code.annotation(type_)}"
        title = f"pass whether `{what}` holds of each" if what in _ASKED else f"pass the `{what}` of each"
        changed = tuple(sorted((Edit(param.span, declared), *edits, *_unread(text, function, edits))))
        yield Fix(f"{title}: `{declared}`", changed, sure=False, declares=True)


def _unread(text: str, function: Span, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Leave out parameters that are texts, and that nothing else reads than what is written otherwise."""
    header = re.compile(rf"{_NAME}(?=\()").search(text, *function)
    for span in parameters_of(text, Span(*header.span())) if header is not None else ():
        name, _, type_ = text[slice(*span)].partition("::")
        uses = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)").finditer(text, span.end, function.end)
        if type_.strip() in ("String", "AbstractString") and all(
            any(edit.span.covers(use.start()) for edit in edits) for use in uses
        ):
            before = text[: span.start].rstrip()
            yield Edit(Span(len(before) - before.endswith(","), span.end), "")


def _of_tuples(code: Rendering, param: _Declared, text: str, function: Span) -> Iterator[Fix]:
    """The rows of a matrix, where a loop takes each tuple apart."""
    over = rf"\bfor[ \t]+\((?P<names>[^()\n]*)\)[ \t]+(?:in|=|∈)[ \t]+(?P<over>{re.escape(param.name)})(?![\w.(\[])"
    found = [*re.compile(over).finditer(text, param.span.end, function.end)]
    names = [name.strip() for name in found[0]["names"].split(",")] if len(found) == 1 else []
    row = new_name("r", {*NAME.findall(text[function.start : function.end])})
    edits = [Edit(Span(loop.start("names") - 1, loop.end()), f"{row} in eachrow({param.name})") for loop in found]
    for place, name in enumerate(names, 1):
        uses = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)").finditer(text, found[0].end(), function.end)
        edits += [Edit(Span(*use.span()), f"{row}[{place}]") for use in uses]
    for type_ in datasets(Kind.MATRIX, Base.REAL) if names else ():
        declared = f"{param.name}::{code.annotation(type_)}"
        title = f"pass a matrix with a row for each of `{param.name}`: `{declared}`"
        yield Fix(title, tuple(sorted((Edit(param.span, declared), *edits))), sure=False, declares=True)


# Dates


def _of_dates(code: Rendering, param: _Declared, text: str, function: Span) -> Iterator[Fix]:
    """Whole numbers instead of dates: the parts of them that are used, or days in the order of the calendar."""
    inside = range(param.span.end, function.end)
    parts = [each for each in _PART.finditer(text[: function.end]) if each.start() >= inside.start]
    days = [each for each in _DAY.finditer(text[: function.end]) if each.start() >= inside.start]
    used = {each[1] for each in parts}
    if len(used) == 1 and not days:
        edits = []
        for each in parts:
            close = closing(text, each.end())
            edits += [Edit(Span(each.start(), each.end()), ""), Edit(Span(close, close + 1), "")]
        title = f"pass the {next(iter(used))} of each as a whole number"
    elif days and not parts:
        numbers = ((each, int(each[1]) * 10000 + int(each[2]) * 100 + int(each[3])) for each in days)
        edits = [Edit(Span(*each.span()), str(number)) for each, number in numbers]
        title = "pass each day as a whole number, as 20240131"
    else:
        return
    for type_ in datasets(Kind.VECTOR, Base.INTEGER):
        declared = f"{param.name}::{code.annotation(type_)}"
        yield Fix(f"{title}: `{declared}`", (Edit(param.span, declared), *edits), sure=False, declares=True)
