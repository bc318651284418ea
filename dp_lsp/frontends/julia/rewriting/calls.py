"""Repairs of calls and of what they are given: noise, sums, tuples, arguments with names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dp_lsp import intents
from dp_lsp.builtins.remedies import SPENDING, short
from dp_lsp.frontends.julia.rewriting.places import NAME, NUMBER, arguments_of, closing
from dp_lsp.intents import Rendering
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_SPENDING = re.compile(rf"(?<![\w.])({'|'.join(SPENDING)})\(")
_CLASSICAL = re.compile(rf"\bgaussian_mechanism\((?P<r>[^,()\n]+),\s*(?P<eps>{NUMBER})\s*,\s*(?P<delta>{NUMBER})\s*,")


def add_rows(code: Rendering, intent: intents.AddRows, text: str) -> Iterator[Fix]:
    for found in re.finditer(r"(?<![\w.])sum\(", text[: intent.function.end]):
        close = closing(text, found.end())
        if found.start() >= intent.function.start and "dims" not in text[found.end() : close]:
            title = f"add the rows to each other: `{text[found.start() : close]}; dims=1)`"
            yield Fix(title, (Edit(Span(close, close), "; dims=1"),), sure=False)


def do_for_each(code: Rendering, intent: intents.ForEach, text: str) -> Iterator[Fix]:
    start, end = intent.callee
    name = text[start:end]
    if NAME.fullmatch(name) and text.startswith("(", end):
        yield Fix(f"write `{name}.(…)`, which does it for each entry", (Edit(Span(end, end), "."),), sure=False)


def put_in_brackets(code: Rendering, intent: intents.InBrackets, text: str) -> Iterator[Fix]:
    start, end = intent.span
    if text[start:end].startswith("("):
        start, end = start + 1, end - 1
    made = f"[{text[start:end]}]"
    yield Fix(f"write `{made}`", (Edit(Span(start, end), made),), sure=False)


def spend(code: Rendering, intent: intents.Spend, text: str) -> Iterator[Fix]:
    edits = []
    for found in _SPENDING.finditer(text[: intent.function.end], intent.function.start):
        arguments = arguments_of(text, found.end())
        if SPENDING[found[1]] < len(arguments):
            span = arguments[SPENDING[found[1]]]
            edits.append(Edit(span, _times(text[slice(*span)], intent.factor)))
    if edits:
        amounts = ", ".join(dict.fromkeys(edit.text for edit in edits))
        what = "calibrate the noise to the budget" if len(edits) == 1 else "split the budget over the releases"
        yield Fix(f"{what}: ε {amounts}", tuple(edits), sure=False)


def _times(written: str, factor: Fraction) -> str:
    """What is written, so many times, or less: with few digits."""
    if re.fullmatch(NUMBER, written):
        return short(Fraction(written.rstrip(".")) * factor)
    bare = written if NAME.fullmatch(written) else f"({written})"
    return f"{bare} / {factor.denominator}" if factor.numerator == 1 else f"{short(factor)} * {bare}"


def give_by_position(code: Rendering, intent: intents.ByPosition, text: str) -> Iterator[Fix]:
    edits = []
    for found in _SPENDING.finditer(text[: intent.function.end], intent.function.start):
        for span in arguments_of(text, found.end()):
            named = re.match(r"[^\W\d]\w*\s*=(?!=)\s*", text[slice(*span)])
            if named is not None:
                edits.append(Edit(Span(span.start, span.start + named.end()), ""))
    if edits:
        yield Fix("give the arguments in their order, without names", tuple(edits), sure=False)


def write_as_tuple(code: Rendering, intent: intents.AsTuple, text: str) -> Iterator[Fix]:
    """A dictionary, or a tuple whose items have names."""
    for found in re.finditer(r"(?<![\w.])Dict\(|\(;", text[: intent.function.end]):
        close = closing(text, found.end())
        items = [text[slice(*span)] for span in arguments_of(text, found.end())]
        parts = [re.split(r"=>|=(?!=)", item, maxsplit=1)[-1].strip() for item in items]
        if any(" for " in part for part in parts):
            continue
        if found.start() >= intent.function.start and all(parts) and close < intent.function.end:
            made = f"({', '.join(parts)}{',' * (len(parts) == 1)})"
            yield Fix(
                f"give the values as a tuple: `{made}`", (Edit(Span(found.start(), close + 1), made),), sure=False
            )


_PIPED = re.compile(
    r"^[ \t]*(?:return[ \t]+|[^\W\d]\w*[ \t]*[-+*/]?=(?!=)[ \t]*)?"
    r"(?P<value>[^\n#]*[^\n#.]\|>[^\n#]*?)[ \t]*$",
    re.MULTILINE,
)
_NAMELESS = re.compile(r"\(?[ \t]*(?P<param>[^\W\d]\w*)[ \t]*->[ \t]*(?P<body>.+)")
_ONE_VALUE = re.compile(r"[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?")


def write_as_call(code: Rendering, intent: intents.AsCall, text: str) -> Iterator[Fix]:
    edits = []
    for found in _PIPED.finditer(text, *intent.function):
        made = _called(found["value"])
        if made:
            edits.append(Edit(Span(*found.span("value")), made))
    if edits:
        yield Fix(f"write `{edits[0].text}`", tuple(edits), sure=False, declares=True)


def _called(piped: str) -> str:
    """The calls that a row of pipes is; empty if one does not go through a function that is written as one, or would
    write a value twice that is no name."""
    ends = [at for at in range(len(piped)) if piped.startswith("|>", at) and not _is_inside(piped[:at])]
    value, *functions = (piped[a:b].strip() for a, b in zip([0, *(at + 2 for at in ends)], [*ends, None], strict=True))
    for function in functions:
        nameless = _NAMELESS.fullmatch(function)
        if nameless is not None:
            body = nameless["body"].removesuffix(")") if function.startswith("(") else nameless["body"]
            param = re.compile(rf"(?<![\w.]){nameless['param']}(?!\w)")
            if len(param.findall(body)) != 1 and not NAME.fullmatch(value):
                return ""
            written = value if _ONE_VALUE.fullmatch(value) else f"({value})"
            value = param.sub(lambda _, written=written: written, body)
        elif _ONE_VALUE.fullmatch(function) and "(" not in function:
            value = f"{function}({value})"
        else:
            return ""
    return value


def _is_inside(before: str) -> bool:
    """Whether a bracket is open behind a piece of text."""
    return sum(before.count(each) for each in "([{") > sum(before.count(each) for each in ")]}")


_QUALIFIED = re.compile(r"(?:[^\W\d]\w*\.)+(?P<name>[^\W\d]\w*)")
_QUOTED = re.compile(rf'"[ ]*(?P<number>{NUMBER})[ ]*"')


def call_unqualified(code: Rendering, intent: intents.Unqualified, text: str) -> Iterator[Fix]:
    """As people do who know a library of another language, such as `np.sum(v)`."""
    found = _QUALIFIED.match(text, intent.span.start)
    if found is not None and found["name"] in intent.known and text.startswith("(", found.end()):
        edit = Edit(Span(found.start(), found.start("name")), "")
        yield Fix(f"write `{found['name']}(…)`, which needs no module", (edit,), sure=False)


def write_number(code: Rendering, intent: intents.AsNumber, text: str) -> Iterator[Fix]:
    found = _QUOTED.fullmatch(text, *intent.span)
    if found is not None:
        yield Fix(f"write the number: `{found['number']}`", (Edit(intent.span, found["number"]),))


class _Classical(NamedTuple):
    """Gaussian noise by the classical formula: ε and δ as they are written, and where the call stands, but for what is
    hidden."""

    start: int
    end: int
    distance: str
    epsilon: str
    delta: str

    def by_deviation(self, sigma: str) -> str:
        """The same with this many times the distance as its deviation."""
        return f"gaussian_noise({self.distance}, {sigma},"


def _classical_noise(text: str, epsilon: int) -> _Classical | None:
    """The classical noise whose ε stands at a place of a text, where its numbers are written out."""
    for found in _CLASSICAL.finditer(text):
        if found.start("eps") == epsilon:
            return _Classical(*found.span(), found["r"].strip(), found["eps"], found["delta"])
    return None


def make_enough_noise(code: Rendering, intent: intents.EnoughNoise, text: str) -> Iterator[Fix]:
    found = _classical_noise(text, intent.epsilon)
    sigma = None if found is None else intent.least(Fraction(found.epsilon), Fraction(found.delta))
    if found is not None and sigma is not None:
        enough = f"enough for ε {found.epsilon} at δ {found.delta}"
        title = f"write `{found.by_deviation(sigma)} …)`, whose noise is {enough}"
        yield Fix(title, (Edit(Span(found.start, found.end), found.by_deviation(sigma)),), sure=False)
