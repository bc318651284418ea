"""The call that is being typed: what it takes, how far each argument may move or what it costs, and which is next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.analysis.rows import ParameterReport
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.hover import KINDS, verdict, whom
from dp_lsp.features.markdown import code, prose
from dp_lsp.features.outline import WORDS
from dp_lsp.features.places import functions, modules_at
from dp_lsp.language import Argument, Bracket, Builtins, Cursor, Language, Syntax
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.builtins.define import Form, Parameter


class DescribedParameter(NamedTuple):
    """A parameter: the range of the label where it stands, its name, and what is known of it, as Markdown."""

    span: Span
    name: str
    documentation: str


class Signature(NamedTuple):
    """One way to call something. ``active`` is the number of the argument that is being typed."""

    label: str
    documentation: str
    arguments: tuple[DescribedParameter, ...]
    active: int | None


class Signatures(NamedTuple):
    """The ways to make the call around a cursor, and the number of the one that fits what was typed."""

    all: tuple[Signature, ...]
    active: int


def signatures(document: Document, offset: int) -> Signatures | None:
    """The innermost call around an offset of the present text that is known."""
    here = cursor(document, offset)
    for bracket in reversed(here.brackets if not here.quiet or here.word else ()):
        if bracket.call and bracket.callee and not bracket.header:
            found = (*_own(document, offset, bracket), *_builtin(document.language, bracket))
            if found:
                return Signatures(found, _fitting(found))
    return None


def _fitting(found: tuple[Signature, ...]) -> int:
    return next((i for i, each in enumerate(found) if each.active is not None), 0)


# Functions of the project


def _own(document: Document, offset: int, bracket: Bracket) -> Iterator[Signature]:
    modules = modules_at(document, offset)
    for each in (document, *document.others):
        for function in functions(each, lambda name: name == bracket.callee, modules):
            now = each.present_span(function.name_span)
            if now:
                syntax = each.language.syntax
                yield _of_function(syntax, function, syntax.arguments(each.source.text, now), bracket)


def _of_function(syntax: Syntax, function: FunctionReport, written: list[Argument], bracket: Bracket) -> Signature:
    known = {parameter.name: parameter for parameter in function.parameters}
    said = [_of_parameter(function, known.get(param.name)) for param in written]
    state = WORDS[State.STALE] if function.state is State.STALE else verdict(function)
    lines = [f"{KINDS[function.kind]} · {state}"]
    if function.state not in (State.PROVED, State.STALE) and function.reason:
        lines.append(prose(function.reason))
    if function.state is not State.STALE:
        lines += whom(function)
    label, places = syntax.signature(function.name, written)
    return _signature(label, places, written, said, "\n\n".join(lines), bracket)


def _of_parameter(function: FunctionReport, known: ParameterReport | None) -> str:
    if known is None or function.state in (State.STALE, State.UNKNOWN):
        return ""
    if known.static:
        return "public"
    shown = prose(known.shown)
    failed = " (as far as it was checked)" if function.state is State.FAILED else ""
    if function.kind == "sensitivity":
        return f"sensitivity **{shown}**{failed}"
    return f"{shown}{failed}" if function.kind == "privacy" else ""


def _signature(
    label: str, places: list[Span], params: list[Argument], said: list[str], documentation: str, bracket: Bracket
) -> Signature:
    """A label with its arguments, and what is said of each."""
    made = tuple(
        DescribedParameter(place, each.name, about) for place, each, about in zip(places, params, said, strict=True)
    )
    return Signature(label, documentation, made, _active(params, bracket))


def _active(params: list[Argument], bracket: Bracket) -> int | None:
    """The argument that is being typed: by its name, else by its place. Beyond the last there is none."""
    for index, param in enumerate(params):
        if bracket.keyword and param.by_name and param.name == bracket.keyword:
            return index
        if bracket.named and not bracket.keyword and param.by_name:
            return index
    placed = sum(not param.by_name for param in params)
    return bracket.commas if bracket.commas < placed and not bracket.named and not bracket.keyword else None


# Builtins


def _builtin(language: Language, bracket: Bracket) -> Iterator[Signature]:
    found = language.builtins.find(bracket.callee)
    if found is None:
        return
    from dp_lsp.builtins import TABLE  # few sessions ask, and it takes a while to load

    row, doc = TABLE[found[0]], prose(TABLE[found[0]].told(language.rendering))
    groups: dict[tuple[str, ...], list[Form]] = {}
    for form in row.forms:
        groups.setdefault(tuple(param.name for param in form.params), []).append(form)
    said = f"changes `{row.mutates}` in place · {doc}" if found[1] else doc
    for forms in groups.values():
        params = forms[0].params
        written = [
            Argument(f"{each.name} = …" if each.keyword else each.name, each.name, each.keyword) for each in params
        ]
        about = [_of_argument(forms, index) for index in range(len(params))]
        label, places = language.syntax.signature(bracket.callee, written)
        signature = _signature(label, places, written, about, said, bracket)
        if signature.active is None and forms[0].variadic and not bracket.named:
            signature = signature._replace(active=max(0, len(params) - 1))
        yield signature


def _of_argument(forms: list[Form], index: int) -> str:
    """What an argument must be, and what the row says about how far it moves the result."""
    from dp_lsp.builtins.define import Each
    from dp_lsp.core.notation import DISPLAY, Printer

    name = forms[0].params[index].name
    words = dict.fromkeys(form.params[index].pattern.words for form in forms)
    said = [" or ".join(words)]
    factors = {form.factors for form in forms}
    noise = next((form.noise for form in forms if form.noise is not None), None)
    if noise is not None and noise.declares == name:
        said.append(f"how far {code(noise.hidden)} may move")
    elif noise is not None and noise.hidden == name:
        norm = f", measured in {noise.norm.value}" if noise.norm else ""
        said.append(f"what the noise hides{norm}")
    elif len(factors) == 1 and isinstance(each := factors.pop(), Each):
        factor = prose(Printer(DISPLAY).sens(each.factor))
        said.append(
            "moves the result as far as it moves" if factor == "1" else f"moves the result {factor} times as far"
        )
    if any(name in form.noise.exposed for form in forms if form.noise) or any(
        name in form.runs.exposed for form in forms if form.runs
    ):
        said.append("not protected")
    return " · ".join(said)


def takes_norm(bracket: Bracket, builtins: Builtins) -> bool:
    """Whether a norm is written where the next argument of a builtin stands."""
    from dp_lsp.builtins.patterns import GivenNorm

    return any(isinstance(param.pattern, GivenNorm) for param in _parameters(bracket, builtins))


def takes_type(bracket: Bracket, builtins: Builtins) -> bool:
    """Whether a type is written there."""
    from dp_lsp.builtins.patterns import GivenType

    return any(isinstance(param.pattern, GivenType) for param in _parameters(bracket, builtins))


def _parameters(bracket: Bracket, builtins: Builtins) -> Iterator[Parameter]:
    """What the argument of a builtin at a cursor may be."""
    from dp_lsp.builtins import TABLE

    found = builtins.find(bracket.callee) if bracket.call else None
    for form in TABLE[found[0]].forms if found else ():
        if bracket.commas < len(form.params) and not bracket.named:
            yield form.params[bracket.commas]


_FARTHEST = 50_000  # characters that are looked through; a longer function is read from its middle


def cursor(document: Document, offset: int) -> Cursor:
    """What surrounds an offset of the present text."""
    text = document.source.text
    offset = max(0, min(offset, len(text)))
    return document.language.syntax.cursor(text, _begin(document, offset), offset)


def _begin(document: Document, offset: int) -> int:
    """Where nothing is open, before an offset of the present text."""
    text = document.source.text
    far = max(0, text.rfind("\n", 0, max(0, offset - _FARTHEST)) + 1)
    if document.analysis is None:
        return far
    before = document.analysis.before(document.analysed_offset(offset))
    if before is None:
        return far
    now = document.present_start(before.start)
    return max(far, now) if now <= offset else far
