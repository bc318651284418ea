"""Constructs that are not understood, in other words, or left out where a private function does not need them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from dp_lsp import intents
from dp_lsp.builtins import TABLE, remedies, replaceable
from dp_lsp.builtins.remedies import clamped, datasets, is_price
from dp_lsp.core.types import Base, Kind
from dp_lsp.frontends.julia.rewriting.places import LINES, NAME, arguments_of, closing, indentation, mentions, new_name
from dp_lsp.intents import Rendering, edit_of
from dp_lsp.problem import Edit, Fix, Placeholder
from dp_lsp.text import Span

_NAME = r"[^\W\d]\w*"
_SEEDED = re.compile(r"^[ \t]*(?:Random\.)?seed!\([^\n]*\)[ \t]*\n", re.MULTILINE)
_TRIED = re.compile(
    rf"^(?P<indent>[ \t]*)try[ \t]*\n(?P<body>{LINES})(?P=indent)(?:catch|finally)\b{LINES}(?P=indent)end[ \t]*$",
    re.MULTILINE,
)
_TRIED_VALUE = re.compile(
    rf"^(?P<indent>[ \t]*)(?P<given>return[ \t]+|{_NAME}[ \t]*=[ \t]*)try[ \t]*\n[ \t]*(?P<value>[^\n]+)\n"
    rf"(?P=indent)(?:catch|finally)\b{LINES}(?P=indent)end[ \t]*$",
    re.MULTILINE,
)
_ENTRY_BY_ENTRY = re.compile(
    rf"^(?P<indent>[ \t]*)(?P<name>{_NAME})[ \t]*\.(?P<sign>[-+*/^]?)=[ \t]*(?P<value>[^\n#]+?)[ \t]*$", re.MULTILINE
)
_TRIMMED = re.compile(rf"sort\((?P<of>{_NAME})\)\[[^][\n]*:[^][\n]*\]")
_KEPT = re.compile(
    rf"^(?P<indent>[ \t]*)(?P<name>{_NAME})[ \t]*=[ \t]*(?:{_NAME}(?:\{{[^\n{{}}]*\}})?)?\[\][ \t]*\n"
    rf"(?P=indent)for[ \t]+(?P<each>{_NAME})[ \t]+(?:in|=|∈)[ \t]+(?P<over>{_NAME})[ \t]*\n"
    r"(?:[ \t]*if[ \t]+(?P<condition>[^\n]+)\n)?[ \t]*push!\((?P=name),[ \t]*(?P<made>[^\n]+)\)[ \t]*\n"
    r"(?(condition)[ \t]*end[ \t]*\n)(?P=indent)end\b",
    re.MULTILINE,
)
_FOUND = re.compile(
    rf"^(?P<indent>[ \t]*)(?P<name>{_NAME})[ \t]*=[ \t]*false[ \t]*\n"
    rf"(?P=indent)for[ \t]+(?P<each>{_NAME})[ \t]+(?:in|=|∈)[ \t]+(?P<over>{_NAME})[ \t]*\n"
    r"[ \t]*if[ \t]+(?P<condition>[^\n]+)\n[ \t]*(?P=name)[ \t]*=[ \t]*true[ \t]*\n(?:[ \t]*break[ \t]*\n)?"
    r"[ \t]*end[ \t]*\n(?P=indent)end\b",
    re.MULTILINE,
)
_LARGEST = tuple(
    re.compile(
        rf"^(?P<indent>[ \t]*)(?P<name>{_NAME})[ \t]*=[ \t]*{start}\b[^\n]*\n"
        rf"(?P=indent)for[ \t]+(?P<each>{_NAME})[ \t]+(?:in|=|∈)[ \t]+(?P<over>{_NAME})[ \t]*\n[ \t]*(?:"
        rf"(?P=name)[ \t]*=[ \t]*{inner}\((?:(?P=name),[ \t]*(?P=each)|(?P=each),[ \t]*(?P=name))\)[ \t]*\n"
        rf"|if[ \t]+(?P=each)[ \t]*{sign}=?[ \t]*(?P=name)[ \t]*\n[ \t]*(?P=name)[ \t]*=[ \t]*(?P=each)[ \t]*\n"
        r"[ \t]*end[ \t]*\n)(?P=indent)end\b",
        re.MULTILINE,
    )
    for start, inner, sign in (("-Inf", "max", ">"), ("Inf", "min", "<"))
)
"""The largest of records by hand, from below all of them on; the smallest."""
_W = r"(?:(?P=row)|(?P=each))"
_CLIPPED_ROWS = re.compile(
    rf"^(?P<indent>[ \t]*)for[ \t]+(?:(?P<at>{_NAME})[ \t]+(?:in|=|∈)[ \t]+1:size\((?P<rows>{_NAME}),[ \t]*1\)[ \t]*\n"
    rf"[ \t]*(?P<row>{_NAME})[ \t]*=[ \t]*(?P=rows)\[(?P=at),[ \t]*:\]"
    rf"|(?P<each>{_NAME})[ \t]+(?:in|=|∈)[ \t]+eachrow\((?P<table>{_NAME})\))[ \t]*\n"
    rf"[ \t]*(?P<norm>{_NAME})[ \t]*=[ \t]*(?:norm\({_W}\)|sqrt\(sum\((?:{_W}[ \t]*\.\^[ \t]*2|abs2,[ \t]*{_W})\)\))"
    rf"[ \t]*\n(?:[ \t]*if[ \t]+(?P=norm)[ \t]*>=?[ \t]*(?P<most>[\w.]+)[ \t]*\n"
    rf"[ \t]*{_W}[ \t]*(?:=[ \t]*{_W}[ \t]*\.?\*|\.?\*=)[ \t]*\(?(?P=most)[ \t]*/[ \t]*(?P=norm)\)?[ \t]*\n[ \t]*end"
    rf"|[ \t]*{_W}[ \t]*=[ \t]*{_W}[ \t]*(?:\.?\*[ \t]*min\(1(?:\.0)?,[ \t]*(?P<top>[\w.]+)[ \t]*/[ \t]*(?P=norm)\)"
    rf"|\.?/[ \t]*max\(1(?:\.0)?,[ \t]*(?P=norm)[ \t]*/[ \t]*(?P<limit>[\w.]+)\)))[ \t]*\n"
    rf"[ \t]*(?P<total>{_NAME})[ \t]*(?:\.?\+=|=[ \t]*(?P=total)[ \t]*\.?\+)[ \t]*{_W}[ \t]*\n(?P=indent)end\b",
    re.MULTILINE,
)
"""A loop that adds up rows, each scaled to a largest Euclidean norm if it has a larger one."""
_FITTED = re.compile(
    rf"(?P<name>{_NAME})(?P<given>[ \t]*=[ \t]*)fit\(Histogram,[ \t]*(?P<of>[^\n,]+),[ \t]*(?P<edges>[^\n]+)\)[ \t]*$",
    re.MULTILINE,
)
_TWO_SIDED = re.compile(
    r"(?P<of>[\w.]+(?:\([^()\n]*\))?)[ \t]*\+[ \t]*rand\(Geometric\((?P<share>[^()\n]+(?:\([^()\n]*\))?)\)\)"
    r"[ \t]*-[ \t]*rand\(Geometric\((?P=share)\)\)"
)
_NUMBER = r"-?[\w.]+"
_BETWEEN = tuple(
    re.compile(
        rf"(?P<x>{_NAME}) {one} (?P<{first}>{_NUMBER}) \? (?P={first}) : (?P<open>\()?(?P=x) {other} "
        rf"(?P<{second}>{_NUMBER}) \? (?P={second}) : (?P=x)(?(open)\))"
    )
    for one, first, other, second in (("<=?", "low", ">=?", "high"), (">=?", "high", "<=?", "low"))
)
"""A number that is put between two others by hand."""
_ENTRY_IN_TURN = re.compile(
    rf"^(?P<indent>[ \t]*)for[ \t]+(?P<at>{_NAME})[ \t]+(?:in|=|∈)[ \t]+"
    rf"(?:1:length\((?P<name>{_NAME})\)|eachindex\((?P<other>{_NAME})\))[ \t]*\n"
    r"[ \t]*(?P<of>[^\W\d]\w*)\[(?P=at)\][ \t]*=(?!=)[ \t]*(?P<made>[^\n]+)\n(?P=indent)end\b",
    re.MULTILINE,
)
"""A vector whose entries are changed in turn."""
_ADDED = re.compile(
    rf"(?<![\w.])(?:reduce|foldl|foldr)\(\+,[ \t]*(?P<of>{_NAME})(?:[,;][ \t]*init[ \t]*=[ \t]*0(?:\.0)?)?[ \t]*\)"
)
_FROM_THE_TOP = re.compile(rf"(?P<name>{_NAME})[ \t]*=[ \t]*sort\((?P<of>[^\n,;]+)[,;][ \t]*rev[ \t]*=[ \t]*true\)")
_COLUMNS = re.compile(rf"\bfor[ \t]+(?P<name>{_NAME})[ \t]+(?:in|=|∈)[ \t]+eachcol\((?P<of>{_NAME})\)")
_EACH = re.compile(
    rf"^(?P<indent>[ \t]*)foreach\((?P<name>{_NAME})[ \t]*->[ \t]*(?P<done>[^\n]+),[ \t]*(?P<over>{_NAME})\)[ \t]*$",
    re.MULTILINE,
)
_COMPARED = re.compile(r"(?<![\w.)])(?P<sign>==|!=|<=|>=|<|>|in)\(")
_DOTTED = re.compile(r"(?<=[ \t)\]])\.(?=[-+*/^][ \t(])")
_KEYED = re.compile(rf"(?<=[(,\s]):(?P<key>{_NAME})(?=[ \t]*=>)")
_OVER_VALUES = re.compile(
    rf"\bfor[ \t]+(?P<each>{_NAME})[ \t]+(?:in|=|∈)[ \t]+(?P<over>(?:sort\()?unique\((?:[^()\n]|\([^()\n]*\))*\)\)?)"
)
_UNFILLED = re.compile(
    r"(?<![\w.])(?:(?P<two>Matrix)|Vector|Array)\{(?:Float64|Int|Int64|Real)(?:,[ \t]*1)?\}\(undef,[ \t]*"
    r"(?P<size>(?:[^()\n,]|\([^()\n]*\))+)(?(two),[ \t]*(?P<more>(?:[^()\n,]|\([^()\n]*\))+))\)"
)
_ONE_OF = re.compile(
    rf"(?<!\bfor )(?<![\w.\]])(?P<what>{_NAME}|-?\d+(?:\.\d+)?)[ \t]+(?:in|∈)[ \t]+(?P<of>{_NAME})(?![\w.(\[])"
)
_UNBOUNDED = re.compile(rf"^(?P<indent>[ \t]*)(?P<name>{_NAME})[ \t]*=[ \t]*(?P<sign>-?)Inf[ \t]*$", re.MULTILINE)
_NOTHING = re.compile(r"(?<!\w)return[ \t]+(?:nothing|missing|NaN|Inf)\b")
_SET = re.compile(r"(?<![\w.])Set\((?=[^)\n])")
_SET_OF_ALL = re.compile(
    rf"^(?P<indent>[ \t]*)(?P<name>{_NAME})[ \t]*=[ \t]*Set(?:\{{\w+\}})?\(\)[ \t]*\n"
    rf"(?P=indent)for[ \t]+(?P<each>{_NAME})[ \t]+in[ \t]+(?P<over>{_NAME})[ \t]*\n"
    rf"[ \t]*push!\((?P=name),[ \t]*(?P=each)\)[ \t]*\n(?P=indent)end\b",
    re.MULTILINE,
)
_TEXT = re.compile(
    r'(?<!["\w])"[^"\n$\\]*"(?!")|(?<![\w\')\]}.])\'[^\'\n\\]\'|(?<=[\s(\[,])(?<!\?[ ]):[^\W\d]\w*(?![\w(:])'
)
_BEFORE_VALUE = re.compile(r"(?:[=!]=|\breturn|\?|\s:|\n)\Z")
_LISTED = re.compile(r'(?:(?<![\w\])])\[|\()(?:[ \t]*(?:"[^"\n]*"|\'[^\'\n]\')[ \t]*,)*\Z')
_OF_TEXTS = re.compile(
    rf"(?<=[(,;\s])(?P<name>{_NAME})::(?:Abstract)?Vector\{{(?:<:)?(?:(?:Abstract)?String|Symbol|Char)\}}"
)
_NONE = r"(?:Missing|Nothing)"
_IF_KNOWN = re.compile(
    r"^(?P<indent>[ \t]*)if[ \t]+(?:!ismissing\(\w+\)|\w+[ \t]*!==[ \t]*(?:missing|nothing))[ \t]*\n"
    r"(?P<body>(?:(?P=indent)[ \t]+[^\n]*\n)+)(?P=indent)end\b",
    re.MULTILINE,
)
_MAYBE = re.compile(
    rf"(?<=[(,;\s])(?P<name>{_NAME})::(?:Abstract)?Vector\{{(?:<:)?"
    rf"Union\{{(?:{_NONE},\s*(?P<one>\w+)|(?P<other>\w+),\s*{_NONE})\}}\}}"
)
_BASES = {"Int": Base.INTEGER, "Int64": Base.INTEGER, "Integer": Base.INTEGER}


def write_otherwise(code: Rendering, intent: intents.Otherwise, text: str) -> Iterator[Fix]:
    """Within a function."""
    start, end = intent.function
    for found in _SEEDED.finditer(text, start, min(end + 1, len(text))):
        yield Fix(
            "leave it out: whoever knows the seed knows the noise",
            (Edit(Span(*found.span()), ""),),
            sure=False,
            declares=True,
        )
    for found in _TRIED.finditer(text, start, end):
        body = re.sub(r"^(?:    |\t)", "", found["body"], flags=re.MULTILINE).rstrip("\n")
        title = "leave out `try`: a failure that is caught is seen as well"
        yield _reworded(title, Edit(Span(*found.span()), body))
    for found in _TRIED_VALUE.finditer(text, start, end):
        made = f"{found['indent']}{found['given']}{found['value']}"
        yield _reworded("leave out `try`: a failure that is caught is seen as well", Edit(Span(*found.span()), made))
    yield from _noise_where_it_is_added(code, text, intent.function)
    yield from _anew(code, text, intent.function)
    yield from _columns(text, intent.function)
    yield from _by_a_name(text, intent.function)
    yield from _of_each(text, intent.function)
    yield from _by_hand(text, intent.function)
    for found in _EACH.finditer(text, start, end):
        indent, header = found["indent"], f"for {found['name']} in {found['over']}"
        loop = f"{indent}{header}\n{indent}    {found['done']}\n{indent}end"
        yield _reworded(f"write a loop: `{header}`", Edit(Span(*found.span()), loop))
    keyed = [Edit(Span(*found.span()), f'"{found["key"]}"') for found in _KEYED.finditer(text, start, end)]
    if keyed:
        yield _reworded("write the keys as texts", *keyed)
    yield from _functions(text, intent.function)
    for found in _NOTHING.finditer(text, start, end):
        yield Fix(
            "return a number there, too: `return 0.0`",
            (Edit(Span(*found.span()), "return 0.0"),),
            sure=False,
            declares=True,
        )
    for found in _UNFILLED.finditer(text, start, end):
        made = f"zeros({found['size']}{', ' + found['more'] if found['more'] else ''})"
        yield _reworded(f"begin with zeros: `{made}`", Edit(Span(*found.span()), made))
    for found in _ONE_OF.finditer(text, start, end):
        one = new_name("x", {found["what"], found["of"]})
        made = f"(count({one} -> {one} == {found['what']}, {found['of']}) > 0)"
        yield _reworded(f"count them: `{made}`", Edit(Span(*found.span()), made))
    for found in _UNBOUNDED.finditer(text, start, end):
        line = f"{found['name']} = {found['sign']}1e9"
        yield _reworded(f"begin with a number: `{line}`", Edit(Span(found.end("indent"), found.end()), line))
    for found in _OVER_VALUES.finditer(text, start, end):
        header = f"for {found['each']} in "
        choice = (Placeholder("values", "1:5", len(header)),)
        title = f"write out which values there are, as which of them there are tells of people: `{header}1:5`"
        yield _reworded(title, Edit(Span(found.start(), found.end()), f"{header}1:5", choice))
    yield from _sets(text, intent.function)
    yield from _texts(code, text, intent.function)


def _noise_where_it_is_added(code: Rendering, text: str, function: Span) -> Iterator[Fix]:
    """A function that makes Laplace noise of uniform numbers, and that is given no data, is left out: a mechanism adds
    the noise where it is called. Noise of scale b is that for s and ε where s / ε is b.

    Source: the distribution of noise by the inverse of its cumulative distribution has a logarithm in it."""
    header = _DRAWING.match(text, *function)
    whole = text[function.start : function.end]
    if header is None or "log(" not in whole or not re.search(r"(?<![\w.])rand\(\)", whole):
        return
    params = [each.partition("::")[0].partition("=")[0].strip() for each in header["params"].split(",")]
    added = re.compile(rf"{_HIDDEN}[ \t]*\+[ \t]*(?<![\w.]){re.escape(header['name'])}\((?P<given>{_GIVEN})\)")
    edits = [Edit(Span(function.start, min(function.end + 1, len(text))), "")]
    for found in added.finditer(text):
        given = [text[slice(*each)] for each in arguments_of(text, found.start("given"))]
        if len(given) == 1:
            top, _, bottom = (part.strip() for part in given[0].rpartition("/"))
            given = [top, bottom] if top and re.fullmatch(r"\w+|\(.*\)", bottom) else [given[0], "1"]
        if len(given) != 2 or len(params) > 2 or (len(params) == 2 and not is_price(params[1])):
            return
        made = code.expression(remedies.laplace(given[0], given[1], found["hidden"].strip()))
        edits.append(edit_of(Span(found.start("hidden"), found.end()), made))
    uses = re.findall(rf"(?<![\w.]){re.escape(header['name'])}\(", text)
    if len(edits) == len(uses) > 1:
        yield _reworded(f"let a mechanism add the noise: `{edits[1].text}`", *sorted(edits))


_GIVEN = r"(?:[^()\n]|\([^()\n]*\))*"
_HIDDEN = (
    r"(?:(?<=[=(,\[])|(?<=\breturn)|^)[ \t]*"
    rf"(?P<hidden>(?:[^\n=(),\[\]?:<>&|!;]|\({_GIVEN}\)|\[[^\]\n]*\])+?)"
)
_DRAWING = re.compile(rf"(?:function[ \t]+)?(?P<name>{_NAME})\((?P<params>[^()\n]*)\)[ \t]*(?:=(?!=)|\n)")


def _reworded(title: str, *edits: Edit) -> Fix:
    """The same in other words: what that shows to be wrong was wrong before."""
    return Fix(title, edits, sure=False, declares=True)


def _anew(code: Rendering, text: str, function: Span) -> Iterator[Fix]:
    """What is changed entry by entry is made anew; and of records in order, without some at both ends, all are kept
    within bounds."""
    edits = []
    for found in _ENTRY_BY_ENTRY.finditer(text, *function):
        name, sign, value = found["name"], found["sign"], found["value"]
        value = value if re.fullmatch(r"[\w.]+(?:\([^()]*\))?", value) else f"({value})"
        made = f"{name} = {name} .{sign} {value}" if sign else f"{name} = {found['value']}"
        edits.append(Edit(Span(*found.span()), found["indent"] + made))
    if edits:
        yield _reworded(f"make it anew: `{edits[0].text.strip()}`", *edits)
    for found in _ENTRY_IN_TURN.finditer(text, *function):
        name, used = found["name"] or found["other"], {*NAME.findall(found["made"])}
        one = new_name("x", used)
        made = re.sub(rf"(?<![\w.]){re.escape(name)}\[{found['at']}\]", one, found["made"].strip())
        if found["of"] == name and not mentions(name, made) and not mentions(found["at"], made):
            line = f"{name} = [{made} for {one} in {name}]"
            yield _reworded(f"make it anew: `{line}`", Edit(Span(*found.span()), found["indent"] + line))
    for found in _TRIMMED.finditer(text, *function):
        edit = edit_of(Span(*found.span()), code.expression(clamped(found["of"])))
        title = f"limit every record instead of leaving out those at both ends: `{edit.text}`"
        yield Fix(title, (edit,), sure=False, declares=True)


def _of_each(text: str, function: Span) -> Iterator[Fix]:
    """Loops that keep some records, or what is made of them, and that look for one."""
    for found in _KEPT.finditer(text, *function):
        each, over, made, condition = found["each"], found["over"], found["made"].strip(), found["condition"]
        if mentions(found["name"], made, condition or ""):
            continue  # what was kept decides what is kept
        if made == each and condition:
            whole = f"filter({each} -> {condition.strip()}, {over})"
        else:
            whole = f"[{made} for {each} in {over}{f' if {condition.strip()}' if condition else ''}]"
        line = f"{found['name']} = {whole}"
        yield _reworded(f"write `{line}`", Edit(Span(*found.span()), found["indent"] + line))
    for found in _FOUND.finditer(text, *function):
        if mentions(found["name"], found["condition"]):
            continue
        counted = f"count({found['each']} -> {found['condition'].strip()}, {found['over']})"
        line = f"{found['name']} = {counted} > 0"
        yield _reworded(f"count them: `{line}`", Edit(Span(*found.span()), found["indent"] + line))


def _by_hand(text: str, function: Span) -> Iterator[Fix]:
    """The largest of records, and geometric noise on both sides."""
    for pattern, made in zip(_LARGEST, ("maximum", "minimum"), strict=True):
        for found in pattern.finditer(text, *function):
            line = f"{found['name']} = {made}({found['over']})"
            yield _reworded(f"write `{line}`", Edit(Span(*found.span()), found["indent"] + line))
    for found in _CLIPPED_ROWS.finditer(text, *function):
        most = found["most"] or found["top"] or found["limit"]
        line = f"{found['total']} = sum(clip(L2, {most}, {found['rows'] or found['table']}); dims=1)"
        yield _reworded(f"write `{line}`", Edit(Span(*found.span()), found["indent"] + line))
    for found in _FITTED.finditer(text, *function):
        made = f"histogram({found['of']}, {found['edges']})"
        weights = re.compile(rf"(?<![\w.]){found['name']}\.weights(?!\w)").finditer(text, *function)
        edits = [Edit(Span(found.end("given"), found.end()), made)]
        edits += [Edit(Span(*each.span()), found["name"]) for each in weights]
        yield _reworded(f"write `{made}`", *edits)
    for found in _TWO_SIDED.finditer(text, *function):
        epsilon = re.compile(r"(?<!\w)(?:eps\w*|ε\w*)").search(text, *function)
        if epsilon is not None:
            made = f"geometric_mechanism(1, {epsilon[0]}, {found['of']})"
            yield _reworded(f"let a mechanism add the noise: `{made}`", Edit(Span(*found.span()), made))


def _by_a_name(text: str, function: Span) -> Iterator[Fix]:
    """What has a name of its own: to put between two numbers, to add up, and the order from the smallest on."""
    for pattern in _BETWEEN:
        for found in pattern.finditer(text, *function):
            made = f"clamp({found['x']}, {found['low']}, {found['high']})"
            yield _reworded(f"write `{made}`", Edit(Span(*found.span()), made))
    added = [Edit(Span(*found.span()), f"sum({found['of']})") for found in _ADDED.finditer(text, *function)]
    if added:
        yield _reworded(f"write `{added[0].text}`", *added)
    for found in _FROM_THE_TOP.finditer(text, *function):
        edits = [Edit(Span(*found.span()), f"{found['name']} = sort({found['of']})")]
        entry = rf"(?<![\w.]){found['name']}\[(?P<place>\d+)\]"
        for each in re.compile(entry).finditer(text, found.end(), function.end):
            behind = int(each["place"]) - 1
            edits.append(Edit(Span(*each.span()), f"{found['name']}[end{f' - {behind}' if behind else ''}]"))
        yield _reworded("count from the end of the order: " + f"`{edits[-1].text}`", *edits)


def _columns(text: str, function: Span) -> Iterator[Fix]:
    """Columns of a matrix by their numbers."""
    known = set(NAME.findall(text, *function))
    for found in _COLUMNS.finditer(text, *function):
        place = next(each for each in ("j", "column", "column_number") if each not in known)
        of_column = re.compile(rf"(?<![\w.]){re.escape(found['name'])}(?!\w)")
        header = f"for {place} in 1:size({found['of']}, 2)"
        edits = [Edit(Span(*found.span()), header)]
        for each in of_column.finditer(text, *function):
            if not found.start() <= each.start() < found.end():
                edits.append(Edit(Span(*each.span()), f"{found['of']}[:, {place}]"))
        yield _reworded(f"go over the columns by their numbers: `{header}`", *sorted(edits))


def _sets(text: str, function: Span) -> Iterator[Fix]:
    """Sets of records, which hold each value once."""
    collected = [(found, found["over"]) for found in _SET_OF_ALL.finditer(text, *function)]
    given = [(found, text[found.end() : closing(text, found.end())]) for found in _SET.finditer(text, *function)]
    for found, over in collected:
        made = f"{found['indent']}{found['name']} = unique({over})"
        yield Fix(
            f"keep each value once: `unique({over})`", (Edit(Span(*found.span()), made),), sure=False, declares=True
        )
    if given:
        edits = (Edit(Span(*found.span()), "unique(") for found, _ in given)
        yield _reworded(f"keep each value once: `unique({given[0][1]})`", *edits)


def _texts(code: Rendering, text: str, function: Span) -> Iterator[Fix]:
    """Texts that are compared, listed or returned are whole numbers, and so are those that are passed."""
    places = [found for found in _TEXT.finditer(text, *function) if _is_a_value(text, found, function)]
    numbers = {written: str(at) for at, written in enumerate(dict.fromkeys(found[0] for found in places), 1)}
    edits = [Edit(Span(*found.span()), numbers[found[0]]) for found in places]
    what = "write a number for each text: " + ", ".join(f"{number} for `{each}`" for each, number in numbers.items())
    params = [*_OF_TEXTS.finditer(text, function.start, text.find("\n", function.start))]
    if not params and edits:
        yield _reworded(what, *edits)
    for made in datasets(Kind.VECTOR, Base.INTEGER) if params else ():
        declared = [Edit(Span(*found.span()), f"{found['name']}::{code.annotation(made)}") for found in params]
        title = what if edits else "pass a whole number for each text"
        title += f", and pass such numbers: `{declared[0].text}`"
        yield _reworded(title, *sorted((*edits, *declared)))


def _is_a_value(text: str, found: re.Match[str], function: Span) -> bool:
    """Whether a text is compared, listed, or the value of a branch or of the function: no key, and no message."""
    before, after = text[function.start : found.start()].rstrip(" \t"), text[found.end() :].lstrip(" \t")
    if after.startswith("=>") or (after.startswith("]") and not _LISTED.search(before)):
        return False
    return _BEFORE_VALUE.search(before) is not None or after.startswith(("==", "!=")) or bool(_LISTED.search(before))


def _functions(text: str, function: Span) -> Iterator[Fix]:
    """Functions that compare with a value, such as ``==(k)``."""
    for found in _only_called().finditer(text, *function):
        made = f"x -> {found['name']}(x)"
        yield _reworded(f"give a function that calls it: `{made}`", Edit(Span(*found.span("name")), made))
    edits = []
    for found in _COMPARED.finditer(text, *function):
        close = closing(text, found.end())
        value = text[found.end() : close]
        if value.strip() and "," not in value:
            edits.append(Edit(Span(found.start(), close + 1), f"x -> x {found['sign']} {value}"))
    if edits:
        yield _reworded(f"write the comparison as a function: `{edits[0].text}`", *edits)


@cache
def _only_called() -> re.Pattern[str]:
    """A name that is given to a function, and that a program may give another meaning."""
    names = "|".join(name for name in TABLE if name.isidentifier() and replaceable(name) is not None)
    return re.compile(rf"(?<![\w.])(?:sum|mean|map|count|maximum|minimum)\([ \t]*(?P<name>{names})(?=[ \t]*,)")


def leave_out_dots(code: Rendering, intent: intents.WithoutDots, text: str) -> Iterator[Fix]:
    edits = [Edit(Span(*found.span()), "") for found in _DOTTED.finditer(text, *intent.span)]
    if edits:
        yield Fix("leave out the dot: these are two numbers", tuple(edits), sure=False)


def pass_known(code: Rendering, intent: intents.PassKnown, text: str) -> Iterator[Fix]:
    """Values that are all there, where some might be missing."""
    header = closing(text, intent.name.end + 1)
    for found in _MAYBE.finditer(text, intent.name.end, header):
        name, span = found["name"], Span(*found.span())
        given = rf"skipmissing\(\s*{re.escape(name)}\s*\)"
        filled = rf"coalesce\.\(\s*{re.escape(name)}\s*,[^()\n]*\)"
        skipped = re.compile(rf"collect\(\s*{given}\s*\)|{given}|{filled}|filter\(\s*!ismissing\s*,\s*{name}\s*\)")
        edits = [Edit(Span(*each.span()), name) for each in skipped.finditer(text, *intent.function)]
        edits += [
            Edit(Span(*each.span()), re.sub(r"^(?:    |\t)", "", each["body"], flags=re.MULTILINE).rstrip("\n"))
            for each in _IF_KNOWN.finditer(text, *intent.function)
        ]
        for made in datasets(Kind.VECTOR, _BASES.get(found["one"] or found["other"], Base.REAL)):
            declared = f"{name}::{code.annotation(made)}"
            title = f"leave missing values out before the call: `{declared}`"
            yield Fix(title, (Edit(span, declared), *edits), sure=False, declares=True)


_WHILE = rf"^(?P<indent>[ \t]*)while\b[^\n]*\n(?P<body>{LINES})(?P=indent)end[ \t]*$"
_LEFT = re.compile(
    r"^(?P<indent>[ \t]*)(?:if\b[^\n]*\n[ \t]*break[ \t]*\n(?P=indent)end[ \t]*\n|[^\n]*&&[ \t]*break[ \t]*\n)",
    re.MULTILINE,
)
_RELEASES = re.compile(r"\b(?P<name>[^\W\d]\w*)[ \t]*=(?!=)[^\n]*?_mechanism\(")


def release_once(code: Rendering, intent: intents.Once, text: str) -> Iterator[Fix]:
    """What a loop releases until it is near what is private."""
    for found in re.compile(_WHILE, re.MULTILINE).finditer(text, *intent.function):
        again = {each["name"] for each in _RELEASES.finditer(found["body"])}
        before = {each["name"] for each in _RELEASES.finditer(text, intent.function.start, found.start())}
        if not Span(*found.span()).covers(intent.place.start) or not again:
            continue
        title = "release once: to draw again until the noise is small shows what it hides"
        if again <= before:
            yield Fix(title, (Edit(Span(found.start(), found.end() + 1), ""),), sure=False)
        depth = len(indentation(text, found.end("indent")))
        body = _LEFT.sub("", found["body"]).rstrip("\n")
        body = re.sub(rf"^[ \t]{{{depth}}}(?:    |\t)", " " * depth, body, flags=re.MULTILINE)
        yield Fix(title, (Edit(Span(*found.span()), body),), sure=False)
