"""Repairs of declarations: what a parameter is, who is protected, what is returned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dp_lsp import intents
from dp_lsp.builtins.remedies import is_price
from dp_lsp.core.annotation import Annotation, ContainerOf, DatasetOf
from dp_lsp.core.types import Base, DatasetMetric
from dp_lsp.frontends.julia.rewriting.places import NAME, closing, parameters_of
from dp_lsp.intents import Rendering
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_STATIC = "Static"
_SEVERAL = re.compile(r"\b(?:Abstract|Metric)?(?:Vector|Matrix|Array)\b")
_ONE = re.compile(r"Real|Integer|Number|U?Int\d*|Float\d*|Bool|Bounded\(.*")
_ENDS = re.compile(r"\s*(?:[,;)]|->)")
_RESULT = re.compile(r"\)\s*::\s*([^\s=]+)")
_NEIGHBOURS = {
    DatasetMetric.CHANGE_ONE: "one record that is replaced",
    DatasetMetric.SYMMETRIC: "one record that is added or removed",
    DatasetMetric.HAMMING: "one record that is replaced, each in its place",
}
_WHERE = re.compile(r"\s+where\s+\{?\s*([^\W\d]\w*)\s*(?:<:\s*\w+)?\s*\}?")
_ORDERED = {metric.value: metric.ordering.value for metric in DatasetMetric if metric.ordering is not metric}
_PARENTHESES = ("MetricVector", "MetricMatrix", "MetricGradient", "Bounded", "RowNorm", "AtLeast", "Size",
    "Contributes", "Static", "Priv")  # fmt: skip
_BRACES = re.compile(rf"\b({'|'.join(_PARENTHESES)})[{{\[]")
_RELATION_FIRST = re.compile(r"(?<=\()(\w+),\s*([^,()]+(?:\([^()]*\))?)(?=\))")


def declare_public(code: Rendering, intent: intents.DeclarePublic, text: str) -> Iterator[Fix]:
    """The parameters are looked for by their names where these are declared. Nobody means to publish the records of
    people, so none is offered for datasets. Several numbers may be those of people, too, as may be a number that is
    not beside them."""
    edits, beside, several = list[Edit](), False, False
    for span in sorted(parameters_of(text, intent.function) if intent.parameters is None else intent.parameters):
        declared, equals, default = text[slice(*span)].partition("=")
        name, _, annotation = (part.strip() for part in declared.partition("::"))
        if not _ENDS.match(text, span.end) or annotation.startswith(_STATIC):
            continue  # public, or named like the parameter of a function without a name
        if name not in intent.names:
            beside |= not is_price(name) and not _ONE.fullmatch(annotation)
        elif not any(metric.value in annotation for metric in DatasetMetric):
            blank = declared[len(declared.rstrip()) :]
            edits.append(Edit(span, f"{name}::{_STATIC}({annotation}){blank}{equals}{default}"))
            several |= _SEVERAL.search(annotation) is not None
    if edits and len(edits) == len(intent.names):
        them = "it" if len(edits) == 1 else "them"
        declared = ", ".join(f"`{edit.text}`" for edit in edits)
        exposes = several or not (beside or all(map(is_price, intent.names)))
        yield Fix(f"declare {them} public: {declared}", tuple(edits), sure=False, exposes=exposes)


def add_parameter(code: Rendering, intent: intents.AddParameter, text: str) -> Iterator[Fix]:
    start = intent.function.end
    if text[start : start + 1] == "(":
        end = closing(text, start + 1)
        declared = f"{intent.name}::{code.public}"
        separator = ", " if text[start + 1 : end].strip() else ""
        edits = (Edit(Span(end, end), separator + declared),)
        yield Fix(f"make it a parameter: `{declared}`", edits, sure=False, declares=True)


_LAMBDA = re.compile(r"(?:const +)?(?P<name>[^\W\d]\w*) *= *(?P<parameters>\((?:[^()\n]|\([^()\n]*\))*\)) *-> *")


_TYPED = re.compile(r"\)\s*(?P<type>::\s*(?!Priv\b)[^\W\d]\w*(?:\{[^(){}]*\})?)$")


def declare_private(code: Rendering, intent: intents.DeclarePrivate, text: str) -> Iterator[Fix]:
    start, end = intent.header
    lambda_ = _LAMBDA.match(text, text.rfind("\n", 0, start) + 1)
    if lambda_ is not None and lambda_.end() == end and text[lambda_.end() :].lstrip(" ")[:5] != "begin":
        named = f"{lambda_['name']}{lambda_['parameters']} {code.returns_private} = "
        yield Fix(f"define it with its name: `{named}…`", (Edit(Span(*lambda_.span()), named),))
        return
    header = text[start:end].rstrip().removesuffix("=").rstrip()
    end = start + len(header)
    declared = code.returns_private
    typed = _TYPED.search(header)
    if typed is not None:
        edit = Edit(Span(start + typed.start("type"), end), declared)
        yield Fix(f"declare it with `{declared}`, instead of the type of what it returns", (edit,))
    elif header.endswith(")"):
        yield Fix(f"declare it with `{declared}`", (Edit(Span(end, end), f" {declared}"),))


def declare_least(code: Rendering, intent: intents.DeclareLeast, text: str) -> Iterator[Fix]:
    end = intent.parameter.end - 1
    if text[end : end + 1] == ")":
        declared = code.at_least(str(intent.records))
        yield Fix(f"declare `{declared}`", (Edit(Span(end, end), f", {declared}"),), sure=False)


def declare_records(code: Rendering, intent: intents.DeclareRecords, text: str) -> Iterator[Fix]:
    name = text[slice(*intent.parameter)].partition("::")[0].strip()
    for type_ in intent.types if NAME.fullmatch(name) else ():
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


def _type_parameter(text: str, parameter: Span) -> Iterator[Edit]:
    """A type parameter that only the annotation of one parameter had."""
    found = _WHERE.search(text, parameter.end, text.find("\n", parameter.end))
    written = text[slice(*parameter)].partition("::")[2]
    if found is not None and re.findall(rf"\b{found[1]}\b", written) and len(re.findall(rf"\b{found[1]}\b", text)) == 2:
        yield Edit(Span(*found.span()), "")


def protect_records(code: Rendering, intent: intents.ProtectRecords, text: str) -> Iterator[Fix]:
    for span in parameters_of(text, intent.function):
        if re.match(r"[^:]+::\s*(?:Vector|AbstractVector)\b", text[slice(*span)]):
            for fix in declare_records(code, intents.DeclareRecords(span, intent.types), text):
                yield fix._replace(declares=False)


def declare_ordered(code: Rendering, intent: intents.DeclareOrdered, text: str) -> Iterator[Fix]:
    written = text[slice(*intent.parameter)]
    for found in re.finditer(r"\w+", written):
        if found[0] in _ORDERED and written.startswith(("Metric", "Vector", "Matrix"), written.find("::") + 2):
            start = intent.parameter.start
            span, ordered = Span(start + found.start(), start + found.end()), _ORDERED[found[0]]
            yield Fix(f"declare `{ordered}`: the order of the records counts", (Edit(span, ordered),), sure=False)


def annotate(code: Rendering, intent: intents.Annotate, text: str) -> Iterator[Fix]:
    for span in parameters_of(text, intent.function):
        name = text[slice(*span)]
        for type_ in map(code.annotation, intent.types) if NAME.fullmatch(name) else ():
            place = Span(span.end, span.end)
            yield Fix(f"annotate it: `{name}::{type_}`", (Edit(place, f"::{type_}"),), sure=False)


def declare_result(code: Rendering, intent: intents.DeclareResult, text: str) -> Iterator[Fix]:
    found = _RESULT.match(text, closing(text, intent.function.end + 1))
    for type_ in map(code.annotation, intent.types if found else ()):
        assert found
        yield Fix(f"declare what it returns: `{type_}`", (Edit(Span(*found.span(1)), type_),), sure=False)


def put_in_parentheses(code: Rendering, intent: intents.InParentheses, text: str) -> Iterator[Fix]:
    start, end = intent.span
    written = text[start:end]
    while (found := _BRACES.search(written)) is not None:
        close = closing(written, found.end())
        written = f"{written[: found.end() - 1]}({written[found.end() : close]}){written[close + 1 :]}"
    turned = _RELATION_FIRST.sub(r"\2, \1", written)
    if written == text[start:end] and turned != written:
        yield Fix(f"write `{turned}`", (Edit(intent.span, turned),))
    if written != text[start:end]:
        yield Fix(f"write `{written}`, with parentheses", (Edit(intent.span, written),))
    yield from _records_within(intent.span, written, text)


def _records_within(element: Span, bounded: str, text: str) -> Iterator[Fix]:
    """Records of numbers that are bounded, where they are written as the elements of a vector."""
    found = _BOUNDED.fullmatch(bounded)
    box = re.search(r"(?:Abstract)?Vector\{(?:<:)?\s*$", text[: element.start])
    if found is None or box is None or text[element.end : element.end + 1] != "}":
        return
    number = "Integer" if found["number"].startswith(("Int", "UInt")) else "Real"
    for relation in (DatasetMetric.CHANGE_ONE, DatasetMetric.SYMMETRIC):
        declared = f"MetricVector(Bounded({number}, {found['limits']}), {relation.value})"
        edits = (Edit(Span(box.start(), element.end + 1), declared),)
        yield Fix(f"protect {_NEIGHBOURS[relation]}: `{declared}`", edits, sure=False, declares=True)


_BOUNDED = re.compile(r"Bounded\((?P<number>\w+),\s*(?P<limits>[^(){}]*)\)")
