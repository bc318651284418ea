"""How a file is made up: its functions as symbols, with what is known of each in a few words; what can be folded up,
and what is selected step by step around a place."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.analysis.names import Fold, decode
from dp_lsp.analysis.records import Analysis, FunctionReport, State
from dp_lsp.analysis.workspace import Document
from dp_lsp.language import Syntax
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_LONGEST = 120  # characters of a summary; hover has the whole
WORDS = {
    State.PROVED: "proved",
    State.ASSUMED: "assumed",
    State.FAILED: "failed",
    State.UNKNOWN: "unknown",
    State.STALE: "checking",
}


class FunctionSymbol(NamedTuple):
    """A function: its name, its state with the bounds, the whole of it, and its name's place."""

    name: str
    detail: str
    span: Span
    name_span: Span


def summary(function: FunctionReport, first: bool = False) -> str:
    """The bounds of a function in a few words ("x: ε 0.1  δ 0.2"), without its state, which says if they hold. Of two
    bounds of a parameter, of which a reader may take either, the ``first`` may be enough."""
    if function.state is State.STALE:
        return ""
    if function.kind == "blackbox":
        return "black box"
    names: dict[str, list[str]] = {}
    for parameter in function.parameters:
        shown = parameter.first if first else parameter.shown
        if not parameter.static and shown:
            names.setdefault(shown, []).append(parameter.name)
    bounds = " · ".join(f"{', '.join(group)}: {shown}" for shown, group in names.items())
    text = bounds or function.reason
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def described(function: FunctionReport) -> str:
    """The state of a function, and its bounds in a few words."""
    return " · ".join(filter(None, [WORDS[function.state], summary(function)]))


def outline(known: Analysis | Document) -> tuple[FunctionSymbol, ...]:
    """The functions of a file, in order."""
    return tuple(
        FunctionSymbol(function.name, described(function), function.span, function.name_span)
        for function in known.functions
    )


def folds(document: Document) -> list[Fold]:
    """What can be folded up, in the present text."""
    if document.analysis is None:
        return []
    moved = ((document.present_span(fold.span), fold.comment) for fold in _folds(document.analysis))
    return [Fold(span, comment) for span, comment in moved if span]


def _folds(analysis: Analysis) -> Iterator[Fold]:
    text, syntax = analysis.source.text, analysis.language.syntax
    modules: list[int] = []
    end = 0
    for start, length, record in analysis.chunks:
        yield from _between(syntax, text, Span(end, start))
        end = start + length
        table = decode(record.names.value)
        yield from (Fold(fold.span.moved(start), fold.comment) for fold in table.folds)
        mark = None if table.symbols else syntax.module_mark(text, start)
        if mark:
            modules.append(start)
        elif modules and mark is False:
            yield Fold(Span(modules.pop(), end), False)
    yield from _between(syntax, text, Span(end, len(text)))


def _between(syntax: Syntax, text: str, gap: Span) -> Iterator[Fold]:
    """Comments that belong to no chunk."""
    inside = text[gap.start : gap.end]
    if syntax.comment in inside:
        yield from (Fold(span.moved(gap.start), True) for span in syntax.loose_comments(inside))


def selections(document: Document, offset: int) -> list[Span]:
    """The ranges around an offset of the present text, each inside the next; the whole text is the last."""
    found = []
    around = Span(offset, offset)
    for span in (*_around(document, offset), Span(0, len(document.source.text))):
        if span != around and span.start <= around.start and around.end <= span.end:
            found.append(span)
            around = span
    return found or [around]


def _around(document: Document, offset: int) -> Iterator[Span]:
    if document.analysis is None:
        return
    analysed = document.analysed_offset(offset)
    for start, length, record in document.analysis.chunks_at(analysed):
        for span in (*decode(record.names.value).around(analysed - start), Span(0, length)):
            now = document.present_span(span.moved(start))
            if now and now.covers(offset):
                yield now
