"""What a name in an open document stands for, and everywhere else it stands, in all files of its project.

A place in an open document is given in its present text, and only if that still says there what was analysed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dp_lsp.analysis.names import RESERVED_ROLES, NameRole, Spot, SymbolTable, decode, decode_spots
from dp_lsp.analysis.records import MAIN, FunctionReport, Modules, Placed, State, share
from dp_lsp.analysis.workspace import Document
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span


class NameUse(NamedTuple):
    """A place of a name in an open document."""

    document: Document
    span: Span
    role: NameRole


class Away(NamedTuple):
    """A place of a name in a file that is not open."""

    file: str
    spot: Spot


class NameTarget(NamedTuple):
    """What a name at a place stands for. ``chunk`` and ``symbol`` say which variable of the document it is;
    ``scope`` is where a local variable is known, in the analysed text, and None for a top-level name."""

    name: str
    document: Document
    chunk: Placed
    symbol: int
    scope: Span | None
    here: NameUse

    @property
    def is_reserved(self) -> bool:
        """Whether the name belongs to the language."""
        return self.here.role in RESERVED_ROLES

    @property
    def modules(self) -> Modules | None:
        """The modules in which a top-level name means the same; None, which is all, for one of the language."""
        return None if self.is_reserved else self.chunk.record.modules


def target_at(document: Document, offset: int) -> NameTarget | None:
    """What the name at an offset of the present text stands for."""
    if document.analysis is None:
        return None
    analysed = document.analysed_offset(offset)
    for chunk in reversed(list(document.analysis.chunks_at(analysed))):
        table = decode(chunk.record.names.value)
        found = table.at(analysed - chunk.start)
        span = present(document, found.span.moved(chunk.start)) if found else None
        if found and span and span.covers(offset) and found.role is not NameRole.FIELD:
            name, scope = table.symbols[found.symbol]
            known = scope.moved(chunk.start) if scope else None
            return NameTarget(name, document, chunk, found.symbol, known, NameUse(document, span, found.role))
    return None


def present(document: Document, span: Span) -> Span | None:
    """Where a name of the analysed text stands now; None if it was edited."""
    assert document.analysis
    now = document.present_span(span)
    old, text = document.analysis.source.text, document.source.text
    if now is None or text[now.start : now.end] != old[span.start : span.end]:
        return None
    before, after = text[max(0, now.start - 1) : now.start], text[now.end : now.end + 1]
    goes_on = document.language.syntax.goes_on
    grown = (goes_on(after) and after != old[span.end : span.end + 1]) or (
        goes_on(before) and before != old[max(0, span.start - 1) : span.start]
    )
    return None if grown else now


def uses(target: NameTarget) -> Iterator[NameUse]:
    """All places of what a name stands for, those of its document first."""
    if target.scope is not None:
        yield from _in_chunk(target.document, target.chunk, decode(target.chunk.record.names.value), target.symbol)
    else:
        for each in (target.document, *target.document.others):
            yield from uses_in(each, target.name, target.modules)


def uses_in(document: Document, name: str, modules: Modules | None) -> Iterator[NameUse]:
    """All places of a top-level name of some modules in one document."""
    return (use for use in every_use_in(document, name, modules) if use.role is not NameRole.FIELD)


def every_use_in(document: Document, name: str, modules: Modules | None) -> Iterator[NameUse]:
    """The same, and the places behind a dot, where it may be something else."""
    for chunk in document.analysis.chunks if document.analysis else ():
        if not share(chunk.record.modules, modules):
            continue
        table = decode(chunk.record.names.value)
        number = table.number(name)
        if number is not None:
            yield from _in_chunk(document, chunk, table, number)


def _in_chunk(document: Document, chunk: Placed, table: SymbolTable, symbol: int) -> Iterator[NameUse]:
    for span, _, role in table.of(symbol):
        now = present(document, span.moved(chunk.start))
        if now:
            yield NameUse(document, now, role)


def tables(document: Document) -> Iterator[tuple[int, SymbolTable]]:
    """The names of each chunk, and where that begins in the analysed text."""
    for start, _, record in document.analysis.chunks if document.analysis else ():
        yield start, decode(record.names.value)


def modules_at(document: Document, offset: int) -> Modules:
    """The modules that what stands at an offset of the present text is a part of."""
    return document.analysis.modules_at(document.analysed_offset(offset)) if document.analysis else (MAIN,)


def functions(document: Document, wanted: Callable[[str], bool], modules: Modules) -> Iterator[FunctionReport]:
    """What is known of the functions of some modules with such names, at their places in the analysed text. Cheaper
    than all of them, if few are wanted."""
    stale = document.stale if document.analysis else frozenset()
    for index, (start, _, record) in enumerate(document.analysis.chunks if document.analysis else ()):
        for function in record.verdict.functions if share(record.modules, modules) else ():
            if wanted(function.name):
                moved = function.moved(start)
                yield moved._replace(state=State.STALE) if index in stale else moved


def closed_files(document: Document) -> dict[str, bytes]:
    """The names in the files of a document's projects that are not open."""
    opened = {each.file for each in (document, *document.others)}
    found = {name: file.spots for project in document.projects for name, (file, _) in project.closed.items()}
    return {name: spots for name, spots in found.items() if name not in opened}


def away_of(document: Document, name: str, modules: Modules | None) -> Iterator[Away]:
    """All places of a top-level name of some modules in files that are not open."""
    for file, spots in closed_files(document).items():
        for each in decode_spots(spots):
            if each.name == name and each.role is not NameRole.FIELD and share(each.modules, modules):
                yield Away(file, each)
