"""Two vectors that hold numbers of the same people become two columns of one table: what is made of both numbers of a
person is private for that person only where the two stand in one record."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from dp_lsp import intents
from dp_lsp.builtins.remedies import datasets
from dp_lsp.core.types import Base, Kind
from dp_lsp.frontends.julia.rewriting.places import NAME, closing, indentation, new_name, parameters_of
from dp_lsp.intents import Rendering
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
