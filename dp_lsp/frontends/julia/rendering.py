"""Julia as it is written: in messages, and in repairs. Repairs are made of the text, as a person would make them; and
where it can be said in a few words, it is said what to write instead of a construct that is not part of the language,
such as `map` instead of a generator."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import chain, count, islice
from typing import Any, NamedTuple, assert_never

from dp_lsp import intents
from dp_lsp.builtins.places import INDEX
from dp_lsp.builtins.remedies import COPY, SPENDING
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import (
    AFunction,
    AModel,
    Annotation,
    Anything,
    ContainerOf,
    DatasetOf,
    Limit,
    NumberOf,
    Truth,
    TupleOf,
)
from dp_lsp.core.evaluate import is_closed, upper
from dp_lsp.core.notation import SYMPY, Printer, decimal
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Base, DatasetMetric, Kind, Label
from dp_lsp.intents import Intent, Rendering, edit_of
from dp_lsp.problem import Edit, Fix
from dp_lsp.surface import BROADCAST_INTO, MACRO_CALL, SEEDING
from dp_lsp.text import Span

_DIGITS = 5
_WRITTEN = Printer(SYMPY._replace(magnitude=("abs(", ")"), ceiling=("ceil(", ")"), maximum="max"))

_STATIC = "Static"
_METRIC = {Kind.VECTOR: "MetricVector", Kind.MATRIX: "MetricMatrix", Kind.GRADIENT: "MetricGradient"}

_TIGHT = (":", "^")
"""Operators without spaces around them."""
_MOST = 3
_NAME = re.compile(r"[^\W\d]\w*")
_CONSTANT = re.compile(r"^(?:const[ \t]+)?([^\W\d]\w*)[ \t]*=[ \t]*-?[0-9][0-9_.e-]*[ \t]*(?:#.*)?$", re.MULTILINE)
_BRACKET = re.compile(r"[][(){}]")
_NUMBER = r"[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]{1,2})?"
_RENAMING = re.compile(r"^[ \t]*([^\W\d]\w*)[ \t]*=[ \t]*([^\W\d]\w*)[ \t]*$", re.MULTILINE)
_INNER = re.compile(r"function[ \t]+([^\W\d]\w*!?)\(")
_RESULT = re.compile(r"\)\s*::\s*([^\s=]+)")
_PARAMETER = re.compile(r"[(,;]\s*([^\W\d]\w*(?:::(?:[^][(){},;=]|[\[({][^][(){}]*[\])}])+)?)\s*(?=[,;)])")
_BARE = re.compile(r"(?<=[(,])\s*([^\W\d]\w*)\s*(?=[,)])")
_LOOKALIKES = {
    **dict.fromkeys("“”„‟", '"'), **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""), "\u2013": "-", "\u2014": "-",
    "（": "(", "）": ")", "，": ",", "；": ";", "：": ":", "＝": "=", "＋": "+", "＊": "*",
}  # fmt: skip
"""Characters that a word processor or another keyboard writes, and the ones that are meant."""


class JuliaRendering(Rendering):
    """What rules speak of, as Julia writes it. The ids of builtins are their names in Julia."""

    language = "Julia"
    private = "Priv()"
    public = "Static()"
    returns_private = ":: Priv()"

    def __getitem__(self, builtin: str) -> str:
        return builtin

    def call(self, builtin: str, *arguments: str) -> str:
        if builtin.rstrip("!").isidentifier():
            return f"{builtin}({', '.join(arguments)})"
        if builtin == INDEX:
            return f"{arguments[0]}[{', '.join(arguments[1:])}]"
        sign = builtin if builtin in _TIGHT else f" {builtin} "
        return sign.join(arguments) if len(arguments) > 1 else f"{builtin}{arguments[0]}"

    def function(self, parameters: Sequence[str], result: str) -> str:
        return f"{parameters[0]} -> {result}" if len(parameters) == 1 else f"({', '.join(parameters)}) -> {result}"

    def annotation(self, type_: Annotation) -> str:
        match type_:
            case NumberOf(base, _, bounds):
                return base.value if bounds is None else f"Bounded({base.value}, {_limits(bounds)})"
            case Truth():
                return "Bool"
            case Anything():
                return "Any"
            case AModel():
                return "DMModel"
            case AFunction(privacy):
                return "PrivacyFunction" if privacy else "Function"
            case TupleOf(label=Label(of=of)):
                return of
            case TupleOf(items):
                return f"Tuple{{{', '.join(map(self.annotation, items))}}}"
            case ContainerOf():
                return _container(type_)
            case DatasetOf():
                return _dataset(type_)
        assert_never(type_)

    def at_least(self, records: str) -> str:
        return f"AtLeast({records})"

    def formula(self, value: Sens | Poly) -> str:
        if isinstance(value, Sens) and value.number is None and is_closed(value):
            return decimal(upper(value, {}), _DIGITS)
        return _WRITTEN.quantity(value)

    def constants(self, text: str) -> Sequence[str]:
        return [found[1] for found in _CONSTANT.finditer(text)]

    def instead(self, what: str, text: str) -> str:
        return _instead_of(what, text)

    def fixes(self, intent: Intent, text: str) -> Iterable[Fix]:
        found = _FIXES.get(type(intent))
        return found(self, intent, text) if found is not None else super().fixes(intent, text)


# Annotations


def _container(type_: ContainerOf) -> str:
    element = "Bool" if isinstance(type_.element, Truth) else type_.element.value if type_.element else ""
    name = type_.kind.value
    if type_.norm is not None:
        return f"{_METRIC[type_.kind]}({element}, {type_.norm.value})"
    return f"{name}{{<:{element}}}" if element else name


def _dataset(type_: DatasetOf) -> str:
    records = type_.records
    element = "Bool" if isinstance(records.element, Truth) else records.element.value if records.element else ""
    parts = [element if type_.bounds is None else f"Bounded({element}, {_limits(type_.bounds)})"]
    if type_.metric is not None:
        parts.append(type_.metric.value)
    if type_.radius is not None:
        parts.append(f"RowNorm({type_.radius[0].value}, {_limits(type_.radius[1:])})")
    public = {"AtLeast": type_.least, "Contributes": type_.each, "Size": type_.size}
    parts += [f"{name}({_limits((limit,))})" for name, limit in public.items() if limit is not None]
    return f"{_METRIC[records.kind]}({', '.join(parts)})"


def _limits(limits: Iterable[Limit]) -> str:
    return ", ".join(
        each if isinstance(each, str) else f"{each.numerator / Decimal(each.denominator):f}" for each in limits
    )


# Repairs


def _before(code: Rendering, intent: intents.Before, text: str) -> Iterator[Fix]:
    """On a line of its own, unless something stands before it on the same one."""
    at, name = intent.at, text[slice(*intent.name)]
    line = text[max(text.rfind(mark, 0, at) for mark in "\r\n") + 1 : at]
    call = intent.call._replace(builtin=f"{intent.call.builtin}!") if intent.in_place else intent.call
    statement = code.passed(name, (call,))
    statement = statement if intent.in_place else f"{name} = {statement}"
    separator = "; " if line.strip() else f"\n{line}"
    shown, edit = edit_of(Span(at, at), statement).text, edit_of(Span(at, at), statement + separator)
    yield Fix(intent.title.format(code=shown), (edit,), sure=not edit.placeholders)


def _public(code: Rendering, intent: intents.DeclarePublic, text: str) -> Iterator[Fix]:
    """The parameters are looked for by their names where these are declared. Nobody means to publish the records of
    people, so none is offered for datasets."""
    edits = []
    for span in sorted(_parameters(text, intent.function) if intent.parameters is None else intent.parameters):
        declared, equals, default = text[slice(*span)].partition("=")
        name, _, annotation = (part.strip() for part in declared.partition("::"))
        if any(metric.value in annotation for metric in DatasetMetric):
            continue
        if name in intent.names and not annotation.startswith(_STATIC):
            edits.append(Edit(span, f"{name}::{_STATIC}({annotation}){equals}{default}"))
    if edits and len(edits) == len(intent.names):
        them = "it" if len(edits) == 1 else "them"
        declared = ", ".join(f"`{edit.text}`" for edit in edits)
        yield Fix(f"declare {them} public: {declared}", tuple(edits), sure=False)


def _parameters(text: str, function: Span) -> list[Span]:
    end = _closing(text, function.end + 1)
    return [Span(*found.span(1)) for found in _PARAMETER.finditer(text, function.end, end + 1)]


def _add_parameter(code: Rendering, intent: intents.AddParameter, text: str) -> Iterator[Fix]:
    start = intent.function.end
    if text[start : start + 1] == "(":
        end = _closing(text, start + 1)
        declared = f"{intent.name}::{code.public}"
        separator = ", " if text[start + 1 : end].strip() else ""
        edits = (Edit(Span(end, end), separator + declared),)
        yield Fix(f"make it a parameter: `{declared}`", edits, sure=False, declares=True)


def _private(code: Rendering, intent: intents.DeclarePrivate, text: str) -> Iterator[Fix]:
    header = text[slice(*intent.header)].rstrip().removesuffix("=").rstrip()
    end = intent.header.start + len(header)
    if header.endswith(")"):
        declared = code.returns_private
        yield Fix(f"declare it with `{declared}`", (Edit(Span(end, end), f" {declared}"),))


def _least(code: Rendering, intent: intents.DeclareLeast, text: str) -> Iterator[Fix]:
    end = intent.parameter.end - 1
    if text[end : end + 1] == ")":
        declared = code.at_least(str(intent.records))
        yield Fix(f"declare `{declared}`", (Edit(Span(end, end), f", {declared}"),), sure=False)


_NEIGHBOURS = {
    DatasetMetric.CHANGE_ONE: "one record that is replaced",
    DatasetMetric.SYMMETRIC: "one record that is added or removed",
    DatasetMetric.HAMMING: "one record that is replaced, each in its place",
}


def _records(code: Rendering, intent: intents.DeclareRecords, text: str) -> Iterator[Fix]:
    name = text[slice(*intent.parameter)].partition("::")[0].strip()
    for type_ in intent.types if _NAME.fullmatch(name) else ():
        declared = f"{name}::{code.annotation(type_)}"
        edits = (Edit(intent.parameter, declared), *_type_parameter(text, intent.parameter))
        yield Fix(f"protect {_whom(type_)}: `{declared}`", edits, sure=False, declares=True)


def _whom(type_: Annotation) -> str:
    if isinstance(type_, DatasetOf) and type_.metric is not None:
        return _NEIGHBOURS[type_.metric]
    return (
        "what is untrusted"
        if isinstance(type_, ContainerOf) and type_.element is Base.DATA
        else "a change by at most 1"
    )


_WHERE = re.compile(r"\s+where\s+\{?\s*([^\W\d]\w*)\s*(?:<:\s*\w+)?\s*\}?")


def _type_parameter(text: str, parameter: Span) -> Iterator[Edit]:
    """A type parameter that only the annotation of one parameter had."""
    found = _WHERE.search(text, parameter.end, text.find("\n", parameter.end))
    written = text[slice(*parameter)].partition("::")[2]
    if found is not None and re.findall(rf"\b{found[1]}\b", written) and len(re.findall(rf"\b{found[1]}\b", text)) == 2:
        yield Edit(Span(*found.span()), "")


def _protect(code: Rendering, intent: intents.ProtectRecords, text: str) -> Iterator[Fix]:
    for span in _parameters(text, intent.function):
        if re.match(r"[^:]+::\s*(?:Vector|AbstractVector)\b", text[slice(*span)]):
            for fix in _records(code, intents.DeclareRecords(span, intent.types), text):
                yield fix._replace(declares=False)


_ORDERED = {metric.value: metric.ordering.value for metric in DatasetMetric if metric.ordering is not metric}


def _ordered(code: Rendering, intent: intents.DeclareOrdered, text: str) -> Iterator[Fix]:
    written = text[slice(*intent.parameter)]
    for found in re.finditer(r"\w+", written):
        if found[0] in _ORDERED and written.startswith(("Metric", "Vector", "Matrix"), written.find("::") + 2):
            start = intent.parameter.start
            span, ordered = Span(start + found.start(), start + found.end()), _ORDERED[found[0]]
            yield Fix(f"declare `{ordered}`: the order of the records counts", (Edit(span, ordered),), sure=False)


def _leave_out(code: Rendering, intent: intents.LeaveOut, text: str) -> Iterator[Fix]:
    start = max(text.rfind(mark, 0, intent.span.start) for mark in "\r\n") + 1
    end = text.find("\n", intent.span.end) + 1
    if end and not text[start : intent.span.start].strip() and not text[intent.span.end : end].strip():
        yield Fix(intent.title, (Edit(Span(start, end), ""),), sure=False)


_ADDING = re.compile(
    r"for\s+(?P<name>[^\W\d]\w*)\s*(?:\bin\b|=|∈)\s*(?P<over>[^\n]+?)\s*[\n;]\s*"
    r"(?P<total>[^\W\d]\w*)\s*(?:\+=|=\s*(?P=total)\s*\+)\s*(?P<added>[^\n]+?)\s*[\n;]\s*end"
)
_POSITIONS = re.compile(r"(?:1:length|eachindex)\((?P<records>[^\W\d]\w*)\)")
_RECORD = "x"


def _add_up(code: Rendering, intent: intents.AddUp, text: str) -> Iterator[Fix]:
    """For each record, or by their positions."""
    found = _ADDING.fullmatch(text[slice(*intent.loop)])
    if found is None:
        return
    name, records, added = found["name"], found["over"], found["added"]
    by_position = _POSITIONS.fullmatch(records)
    if by_position is not None:
        records = by_position["records"]
        added = added.replace(f"{records}[{name}]", _RECORD)
        name = _RECORD
    summed = f"sum({records})" if added == name else f"sum(map({name} -> {added}, {records}))"
    whole = f"{found['total']} += {summed}"
    yield Fix(f"add the records up: `{whole}`", (Edit(intent.loop, whole),), sure=False)


_PAIR = r"\(\s*(?P<{}>[^\W\d]\w*)\s*{}\s*(?P<{}>[^\W\d]\w*)\s*\)"
_PRODUCTS = re.compile(f"sum{_PAIR.format('one', '[.][*]', 'other')}|dot{_PAIR.format('first', ',', 'second')}")


def _add_products(code: Rendering, intent: intents.AddProducts, text: str) -> Iterator[Fix]:
    """Before the line that their sum is written in."""
    found = _PRODUCTS.fullmatch(text[slice(*intent.span)])
    one, other = (found["one"] or found["first"], found["other"] or found["second"]) if found is not None else ("", "")
    if one == other:
        return
    known = set(_NAME.findall(text))
    total, each, beside = (_new(name, known) for name in ("products", f"{one}_i", f"{other}_i"))
    start = text.rfind("\n", 0, intent.span.start) + 1
    indent = _indentation(text, start + len(text[start:]) - len(text[start:].lstrip(" \t")))
    header = f"for ({each}, {beside}) in zip({one}, {other})"
    lines = (f"{total} = 0.0", header, f"    {total} += {each} * {beside}", "end")
    loop = "".join(f"{indent}{line}\n" for line in lines)
    title = f"add the products up record by record, where the order of both counts: `{header}`"
    yield Fix(title, (Edit(Span(start, start), loop), Edit(intent.span, total)), sure=False)


def _new(name: str, known: Collection[str]) -> str:
    """A name that a text does not have yet."""
    return next(each for each in chain((name,), (f"{name}_{at}" for at in count(2))) if each not in known)


_KEEPING = re.compile(
    r"for\s+(?P<name>[^\W\d]\w*)\s*(?:\bin\b|=|∈)\s*(?P<over>[^\W\d]\w*)\s*[\n;]\s*"
    r"if\s+(?:(?P=name)\s*(?P<sign>[<>])=?\s*(?P<kept>[^\W\d]\w*)|(?P<other>[^\W\d]\w*)\s*(?P<turned>[<>])=?\s*(?P=name))"
    r"\s*[\n;]\s*(?P<set>[^\W\d]\w*)\s*=\s*(?P=name)\s*[\n;]\s*end\s*[\n;]\s*end"
)


def _take_largest(code: Rendering, intent: intents.TakeLargest, text: str) -> Iterator[Fix]:
    """The largest of the records and of what it was before, or the smallest."""
    found = _KEEPING.fullmatch(text[slice(*intent.loop)])
    if found is not None and found["set"] == (found["kept"] or found["other"]):
        largest = found["sign"] == ">" or found["turned"] == "<"
        outer, inner = ("max", "maximum") if largest else ("min", "minimum")
        made = f"{found['set']} = {outer}({found['set']}, {inner}({found['over']}))"
        yield Fix(f"take the {'largest' if largest else 'smallest'}: `{made}`", (Edit(intent.loop, made),), sure=False)


def _bracket(code: Rendering, intent: intents.InBrackets, text: str) -> Iterator[Fix]:
    start, end = intent.span
    if text[start:end].startswith("("):
        start, end = start + 1, end - 1
    made = f"[{text[start:end]}]"
    yield Fix(f"write `{made}`", (Edit(Span(start, end), made),), sure=False)


def _for_each(code: Rendering, intent: intents.ForEach, text: str) -> Iterator[Fix]:
    start, end = intent.callee
    name = text[start:end]
    if _NAME.fullmatch(name) and text.startswith("(", end):
        yield Fix(f"write `{name}.(…)`, which does it for each entry", (Edit(Span(end, end), "."),), sure=False)


def _add_rows(code: Rendering, intent: intents.AddRows, text: str) -> Iterator[Fix]:
    for found in re.finditer(r"(?<![\w.])sum\(", text[: intent.function.end]):
        close = _closing(text, found.end())
        if found.start() >= intent.function.start and "dims" not in text[found.end() : close]:
            title = f"add the rows to each other: `{text[found.start() : close]}; dims=1)`"
            yield Fix(title, (Edit(Span(close, close), "; dims=1"),), sure=False)


_SPENDING = re.compile(rf"(?<![\w.])({'|'.join(SPENDING)})\(")


def _spend(code: Rendering, intent: intents.Spend, text: str) -> Iterator[Fix]:
    edits = []
    for found in _SPENDING.finditer(text[: intent.function.end], intent.function.start):
        arguments = _arguments(text, found.end())
        if SPENDING[found[1]] < len(arguments):
            span = arguments[SPENDING[found[1]]]
            edits.append(Edit(span, _times(text[slice(*span)], intent.factor)))
    if edits:
        amounts = ", ".join(dict.fromkeys(edit.text for edit in edits))
        what = "calibrate the noise to the budget" if len(edits) == 1 else "split the budget over the releases"
        yield Fix(f"{what}: ε {amounts}", tuple(edits), sure=False)


def _arguments(text: str, start: int) -> list[Span]:
    """Where the arguments of a call stand whose bracket is open at a place."""
    end, found = _closing(text, start), list[Span]()
    depth, begin = 0, start
    for at in range(start, end + 1):
        depth += (text[at] in "([{") - (text[at] in ")]}") if at < end else 0
        if at == end or (text[at] in ",;" and not depth):
            written = text[begin:at]
            lead = len(written) - len(written.lstrip())
            found.append(Span(begin + lead, begin + len(written.rstrip())))
            begin = at + 1
    return found


def _times(written: str, factor: Fraction) -> str:
    """What is written, so many times, or less: with few digits."""
    if re.fullmatch(_NUMBER, written):
        return _short(Fraction(written.rstrip(".")) * factor)
    bare = written if _NAME.fullmatch(written) else f"({written})"
    return f"{bare} / {factor.denominator}" if factor.numerator == 1 else f"{_short(factor)} * {bare}"


def _short(amount: Fraction) -> str:
    """A number with three digits that count, rounded down."""
    if amount <= 0:
        return "0"
    unit = Fraction(1)
    while amount / unit >= 1000:
        unit *= 10
    while amount / unit < 100:
        unit /= 10
    rounded = amount // unit * unit
    return f"{rounded.numerator / Decimal(rounded.denominator):f}"


_PARENTHESES = ("MetricVector", "MetricMatrix", "MetricGradient", "Bounded", "RowNorm", "AtLeast", "Size",
    "Contributes", "Static", "Priv")  # fmt: skip
_BRACES = re.compile(rf"\b({'|'.join(_PARENTHESES)})[{{\[]")
_RELATION_FIRST = re.compile(r"(?<=\()(\w+),\s*([^,()]+(?:\([^()]*\))?)(?=\))")


def _in_parentheses(code: Rendering, intent: intents.InParentheses, text: str) -> Iterator[Fix]:
    start, end = intent.span
    written = text[start:end]
    while (found := _BRACES.search(written)) is not None:
        close = _closing(written, found.end())
        written = f"{written[: found.end() - 1]}({written[found.end() : close]}){written[close + 1 :]}"
    turned = _RELATION_FIRST.sub(r"\2, \1", written)
    if written == text[start:end] and turned != written:
        yield Fix(f"write `{turned}`", (Edit(intent.span, turned),))
    if written != text[start:end]:
        yield Fix(f"write `{written}`, with parentheses", (Edit(intent.span, written),))


_WHILE = re.compile(
    r"(?P<start>(?P<name>[^\W\d]\w*)[ \t]*=[ \t]*(?P<first>[0-9]+)[ \t]*\n)(?P<between>(?:.*\n)*?)"
    r"(?P<indent>[ \t]*)while[ \t]+(?P=name)[ \t]*(?P<sign><=|≤|<)[ \t]*(?P<last>\w+)[ \t]*\n(?P<body>(?:.*\n)*?)"
    r"[ \t]*(?P=name)[ \t]*(?:\+=[ \t]*1|=[ \t]*(?P=name)[ \t]*\+[ \t]*1)[ \t]*\n(?P=indent)end\b"
)


def _by_rounds(code: Rendering, intent: intents.ByRounds, text: str) -> Iterator[Fix]:
    """A loop that counts up to a number, from a number that is given before."""
    for found in _WHILE.finditer(text, *intent.function):
        first = int(found["first"])
        last = found["last"]
        if found["sign"] == "<":
            last = str(int(last) - 1) if last.isdigit() else f"{last} - 1"
        header = f"for {found['name']} in {first}:{last}"
        whole = f"{found['between']}{found['indent']}{header}\n{found['body']}{found['indent']}end"
        whole = whole.lstrip(" \t")
        yield Fix(f"write `{header}`", (Edit(Span(*found.span()), whole),), sure=False)


def _by_position(code: Rendering, intent: intents.ByPosition, text: str) -> Iterator[Fix]:
    edits = []
    for found in _SPENDING.finditer(text[: intent.function.end], intent.function.start):
        for span in _arguments(text, found.end()):
            named = re.match(r"[^\W\d]\w*\s*=(?!=)\s*", text[slice(*span)])
            if named is not None:
                edits.append(Edit(Span(span.start, span.start + named.end()), ""))
    if edits:
        yield Fix("give the arguments in their order, without names", tuple(edits), sure=False)


def _as_tuple(code: Rendering, intent: intents.AsTuple, text: str) -> Iterator[Fix]:
    """A dictionary, or a tuple whose items have names."""
    for found in re.finditer(r"(?<![\w.])Dict\(|\(;", text[: intent.function.end]):
        close = _closing(text, found.end())
        items = [text[slice(*span)] for span in _arguments(text, found.end())]
        parts = [re.split(r"=>|=(?!=)", item, maxsplit=1)[-1].strip() for item in items]
        if found.start() >= intent.function.start and all(parts) and close < intent.function.end:
            made = f"({', '.join(parts)}{',' * (len(parts) == 1)})"
            yield Fix(
                f"give the values as a tuple: `{made}`", (Edit(Span(found.start(), close + 1), made),), sure=False
            )


_GIVEN = re.compile(r"(?<![\w.)\]|>] )(?P<what>[^\W\d]\w*)[ \t]*\|>[ \t]*(?P<to>[^\W\d]\w*)(?![\w.(])(?![ \t]*\|>)")


def _as_call(code: Rendering, intent: intents.AsCall, text: str) -> Iterator[Fix]:
    for found in _GIVEN.finditer(text, *intent.function):
        made = f"{found['to']}({found['what']})"
        yield Fix(f"write `{made}`", (Edit(Span(*found.span()), made),), sure=False)


_COMPARING = re.compile(r"(?<![^\n])[ \t]*([^\W\d]\w*)[ \t]*(==)[^\n]*")


def _give_name(code: Rendering, intent: intents.GiveName, text: str) -> Iterator[Fix]:
    found = _COMPARING.match(text, text.rfind("\n", 0, intent.name.start) + 1)
    if found is not None and Span(*found.span(1)) == intent.name:
        yield Fix(f"write `{found[1]} = …`, which gives it that name", (Edit(Span(*found.span(2)), "="),), sure=False)


def _annotate(code: Rendering, intent: intents.Annotate, text: str) -> Iterator[Fix]:
    end = text.find(")", intent.function.end) + 1
    for bare in _BARE.finditer(text, intent.function.end, end):
        for type_ in map(code.annotation, intent.types):
            place = Span(bare.end(1), bare.end(1))
            yield Fix(f"annotate it: `{bare[1]}::{type_}`", (Edit(place, f"::{type_}"),), sure=False)


def _result(code: Rendering, intent: intents.DeclareResult, text: str) -> Iterator[Fix]:
    found = _RESULT.match(text, _closing(text, intent.function.end + 1))
    for type_ in map(code.annotation, intent.types if found else ()):
        assert found
        yield Fix(f"declare what it returns: `{type_}`", (Edit(Span(*found.span(1)), type_),), sure=False)


def _by_map(code: Rendering, intent: intents.ByMap, text: str) -> Iterator[Fix]:
    """Comprehensions in other words, here and in the rest of the function."""
    ways = list(islice(by_map(text[slice(*intent.span)]), _MOST))
    if not ways:
        return
    others = ((span, next(by_map(text[slice(*span)]), "")) for span in intent.others)
    edits = tuple(Edit(span, way) for span, way in others if way)
    for way in ways:
        yield Fix(f"write `{way}`", (Edit(intent.span, way), *edits))


def _return(code: Rendering, intent: intents.ReturnNothing, text: str) -> Iterator[Fix]:
    start, end = intent.span
    if _NAME.fullmatch(text, start, end):
        yield Fix("write `return`", (Edit(intent.span, "return"),))
    else:
        yield Fix("add `return`", (Edit(Span(end, end), f"\n{_indentation(text, start)}return"),))


def _copy_renamed(code: Rendering, intent: intents.CopyRenamed, text: str) -> Iterator[Fix]:
    for found in _RENAMING.finditer(text, *intent.span):
        yield from code.fixes(intents.Through(f"give `{found[1]}` a copy", Span(*found.span(2)), (COPY,)), text)


def _as_parameter(code: Rendering, intent: intents.AsParameter, text: str) -> Iterator[Fix]:
    """It is given in each call."""
    start, end = intent.around
    name = text[slice(*intent.name)]
    headers = list(_INNER.finditer(text, start, intent.name.start))
    if not headers:
        return
    edits = []
    for call in re.finditer(rf"(?<![\w.]){re.escape(headers[-1][1])}\(", text[:end]):
        if call.start() >= start:
            close = _closing(text, call.end())
            comma = ", " if text[call.end() : close].strip() else ""
            edits.append(Edit(Span(close, close), f"{comma}{name}"))
    yield Fix(f"make `{name}` a parameter of `{headers[-1][1]}`", tuple(edits), sure=False)


def _lookalikes(code: Rendering, intent: intents.Lookalikes, text: str) -> Iterator[Fix]:
    start, end = intent.line
    edits = tuple(
        Edit(Span(start + at, start + at + 1), _LOOKALIKES[each])
        for at, each in enumerate(text[start:end])
        if each in _LOOKALIKES
    )
    if edits:
        instead = "".join(dict.fromkeys(edit.text for edit in edits))
        yield Fix(f"write `{instead}`" if instead else "take it out", edits)


def _close(code: Rendering, intent: intents.CloseBlock, text: str) -> Iterator[Fix]:
    """In the column of what is closed."""
    place = Span(intent.end, intent.end)
    yield Fix("add `end`", (Edit(place, f"\n{_indentation(text, intent.opener)}end"),), sure=False)


def _import(code: Rendering, intent: intents.ImportNamed, text: str) -> Iterator[Fix]:
    start = intent.span.start
    if text.startswith("using", start):
        yield Fix("write `import`, which brings no other names", (Edit(Span(start, start + 5), "import"),), sure=False)


def _enough_noise(code: Rendering, intent: intents.EnoughNoise, text: str) -> Iterator[Fix]:
    found = _classical_noise(text, intent.epsilon)
    sigma = None if found is None else intent.least(Fraction(found.epsilon), Fraction(found.delta))
    if found is not None and sigma is not None:
        enough = f"enough for ε {found.epsilon} at δ {found.delta}"
        title = f"write `{found.by_deviation(sigma)} …)`, whose noise is {enough}"
        yield Fix(title, (Edit(Span(found.start, found.end), found.by_deviation(sigma)),), sure=False)


def _indentation(text: str, start: int) -> str:
    line = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    return line[: len(line) - len(line.lstrip())]


def _closing(text: str, start: int) -> int:
    """Where the bracket is closed that is open at a place; the end of the text if it is not."""
    depth = 1
    for found in _BRACKET.finditer(text, start):
        depth += 1 if found[0] in "([{" else -1
        if not depth:
            return found.start()
    return len(text)


_FIXES: dict[type[Intent], Callable[[Rendering, Any, str], Iterator[Fix]]] = {
    intents.Before: _before,
    intents.DeclarePublic: _public,
    intents.AddParameter: _add_parameter,
    intents.DeclarePrivate: _private,
    intents.DeclareLeast: _least,
    intents.DeclareRecords: _records,
    intents.ProtectRecords: _protect,
    intents.Annotate: _annotate,
    intents.DeclareResult: _result,
    intents.DeclareOrdered: _ordered,
    intents.LeaveOut: _leave_out,
    intents.AddUp: _add_up,
    intents.AddProducts: _add_products,
    intents.TakeLargest: _take_largest,
    intents.AddRows: _add_rows,
    intents.InBrackets: _bracket,
    intents.ForEach: _for_each,
    intents.Spend: _spend,
    intents.InParentheses: _in_parentheses,
    intents.ByRounds: _by_rounds,
    intents.AsTuple: _as_tuple,
    intents.AsCall: _as_call,
    intents.GiveName: _give_name,
    intents.ByPosition: _by_position,
    intents.ByMap: _by_map,
    intents.ReturnNothing: _return,
    intents.CopyRenamed: _copy_renamed,
    intents.AsParameter: _as_parameter,
    intents.Lookalikes: _lookalikes,
    intents.CloseBlock: _close,
    intents.ImportNamed: _import,
    intents.EnoughNoise: _enough_noise,
}


BY_MAP = "`map(x -> …, v)`"
"""What to write instead, in a message."""
_BY_MAP = f"; write {BY_MAP}"

_INSTEAD = {
    SEEDING: "; leave it out: whoever knows the seed knows the noise",
    "a broadcast": _BY_MAP,
    BROADCAST_INTO: "; write `v = …`, which makes a new vector",
    "the keyword argument `init` of `sum`": "; write `init = 0.0`, and add any other number to the sum",
    "a generator": _BY_MAP,
    "a named tuple": "; write a tuple",
    "a keyword argument of a function that changes another one": "; give arguments in their order",
    "a default value other than a number": "; write a number, or give every argument",
    "a default value": "; write a second method, or give every argument",
    "a `local` declaration": "; leave out `local`: a name that is assigned in a function is its own",
    "a `let` block": "; give the names their values in lines of their own",
    "a type annotation": "; annotate parameters, and functions with what they return",
    "`end` as an index of something without a name": "; give it a name in a line of its own",
    "a keyword parameter": "; write it among the others, without a name in the call",
    MACRO_CALL: "; leave it out, or write what it stands for",
    "a type annotation of a variable": "; leave it out: only parameters and results have one",
    "a function with a `where` clause": "; write the type where it is used, as in `x::Real`",
    "a string with interpolation": "; texts are understood as documentation, and to print names: `$n`",
    "a comprehension": "; write one over one range or vector",
    "a loop over something other than a range such as `1:n`": "; go over a range, or over a vector that has a name",
    "a loop over several variables": "; go over the positions, as in `for i in eachindex(v)`",
    "`break`": "; let at most one branch go on to the lines below it",
    "`continue`": "; let at most one branch go on to the lines below it",
    "a failure that shows values": '; write the text out, as in `error("n is too small")`',
    "changing a part of a value": "; make a new value",
}


_ASSERTED = "; write `@assert` on a line of its own, above what it is about"
_LONGEST = 60


def _instead_of(what: str, text: str) -> str:
    """What a message says after naming the construct that is written as ``text``; empty where nothing short is sure."""
    hint = _ASSERTED if what == MACRO_CALL and text.startswith("@assert") else _INSTEAD.get(what, "")
    ways = list(islice(by_map(text), 2)) if hint == _BY_MAP and len(text) <= _LONGEST else []
    return f"; write `{ways[0]}`" if len(ways) == 1 and "\n" not in text else hint


_CLASSICAL = re.compile(rf"\bgaussian_mechanism\((?P<r>[^,()\n]+),\s*(?P<eps>{_NUMBER})\s*,\s*(?P<delta>{_NUMBER})\s*,")
_EACH = re.compile(
    r"\[?\s*(?P<made>.+?)\s+for\s+(?P<name>[^\W\d]\w*)\s*(?:\bin\b|=|∈)\s*(?P<values>.+?)(?:\s+if\s+(?P<kept>.+?))?\s*\]?",
    re.DOTALL,
)
_ROWS = re.compile(r"eachrow\((?P<matrix>.+)\)", re.DOTALL)


def by_map(text: str) -> Iterator[str]:
    """How a piece of text may be said by `map`: a comprehension or a generator over one range or container."""
    each = _EACH.fullmatch(text)
    if each is not None:
        yield _comprehension(each)


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


def _comprehension(found: re.Match[str]) -> str:
    name, values = found["name"], found["values"]
    rows = _ROWS.fullmatch(values)
    if rows is not None:
        values = rows["matrix"]
    if found["kept"]:
        values = f"filter({name} -> {found['kept']}, {values})"
    return f"{'map' if rows is None else 'map_rows'}({name} -> {found['made']}, {values})"
