"""Results as the protocol has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lsprotocol import types

from dp_lsp.analysis.closed import PlacedProblem, Stretch
from dp_lsp.analysis.loading import Faulty
from dp_lsp.analysis.records import State
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.hover import Hover
from dp_lsp.features.navigation import FunctionSymbol, outline, summary
from dp_lsp.lsp.client import Client
from dp_lsp.lsp.positions import Positions, width
from dp_lsp.problem import Problem, Severity, There
from dp_lsp.text import Source, Span

SOURCE = "dp-lsp"

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}


def diagnostics(document: Document, client: Client) -> list[types.Diagnostic]:
    """The problems of a document, at their places in its present text."""
    positions = Positions(document.source, client.encoding)
    others = {other.file: other for other in document.others}
    return [diagnostic(problem, document.uri, positions, client, others) for problem in document.problems]


def diagnostic(
    problem: Problem,
    uri: str,
    positions: Positions,
    client: Client,
    others: Mapping[str, Document] = MappingProxyType({}),
) -> types.Diagnostic:
    """A problem of a document, at its place there; of one of several lines, such as a loop, the first is marked.
    ``others`` are the open documents that it may point to."""
    places = [types.Location(uri, positions.range(each.span)) for each in (problem.related if client.related else ())]
    return _diagnostic(problem, positions.range(positions.on_one_line(problem.span)), places, client, others)


def placed_diagnostic(
    placed: PlacedProblem, uri: str, client: Client, others: Mapping[str, Document]
) -> types.Diagnostic:
    """A problem of a file that is not open."""
    here = stretch_range(placed.where, client)
    return _diagnostic(placed.problem, here, [types.Location(uri, here)] * len(placed.problem.related), client, others)


def stretch_range(where: Stretch, client: Client) -> types.Range:
    """The range of a text that is not at hand."""
    corners = (types.Position(each.line - 1, width(each.before, client.encoding)) for each in where)
    return types.Range(*corners)


def edited(client: Client, edits: Iterable[tuple[Document | None, str, list[types.TextEdit]]]) -> types.WorkspaceEdit:
    """Edits of files, each given with the document, if it is open, and its URI."""
    listed = list(edits)
    if not client.versioned_edits:
        return types.WorkspaceEdit({uri: each for _, uri, each in listed})
    versions = ((uri, document.version if document else None, each) for document, uri, each in listed)
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, version), each)
            for uri, version, each in versions
        ]
    )


def _diagnostic(
    problem: Problem,
    range_: types.Range,
    places: Sequence[types.Location],
    client: Client,
    others: Mapping[str, Document],
) -> types.Diagnostic:
    """A problem at a range. What helps to understand it stands at these places, unless it says where."""
    related = [
        types.DiagnosticRelatedInformation(
            _elsewhere(each.where, others.get(each.where.file), client) if isinstance(each.where, There) else place,
            each.message,
        )
        for each, place in (zip(problem.related, places, strict=True) if client.related else ())
    ]
    return types.Diagnostic(
        range=range_,
        message=problem.message,
        severity=_SEVERITIES[problem.severity],
        code=problem.code,
        code_description=types.CodeDescription(problem.url),
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if problem.unnecessary and client.tags else None,
        related_information=related or None,
    )


def _elsewhere(there: There, document: Document | None, client: Client) -> types.Location:
    """A place in another file: in its present text, if it is open."""
    if document is None:
        return types.Location(uri_of(there.file), line_range(there.line, there.before, there.written, client))
    now = document.present_span(there.span) or Span(*[document.present_start(there.span.start)] * 2)
    return types.Location(document.uri, Positions(document.source, client.encoding).range(now))


def uri_of(file: str) -> str:
    """The URI of a file that is not open."""
    return Path(file).as_uri() if Path(file).is_absolute() else file


def line_range(line: int, before: str, written: str, client: Client) -> types.Range:
    """The range of something on a line, counted from 1, behind what stands before it there."""
    start = width(before, client.encoding)
    end = start + width(written, client.encoding)
    return types.Range(types.Position(line - 1, start), types.Position(line - 1, end))


def faults(faulty: Faulty, uri: str, client: Client) -> list[types.Diagnostic]:
    """What is wrong with a file that is not checked itself, at its places in the text that was read."""
    positions = Positions(Source(faulty.text), client.encoding)
    return [diagnostic(problem, uri, positions, client) for problem in faulty.problems]


def hover(found: Hover, span: Span, document: Document, client: Client) -> types.Hover:
    """A hover text about a range of the document's present text."""
    kind = types.MarkupKind.Markdown if client.markdown else types.MarkupKind.PlainText
    contents = types.MarkupContent(kind, found.markdown)
    return types.Hover(contents, Positions(document.source, client.encoding).range(span))


def symbols(document: Document, client: Client) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """The functions of a document, in the form that the client takes."""
    positions = Positions(document.source, client.encoding)
    found = outline(document)
    if client.nested_symbols:
        return [_symbol(symbol, positions) for symbol in found]
    return [
        types.SymbolInformation(
            types.Location(document.uri, positions.range(symbol.span)),
            symbol.name,
            types.SymbolKind.Function,
        )
        for symbol in found
    ]


def _symbol(symbol: FunctionSymbol, positions: Positions) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name or "?",  # an empty name is an error to some clients
        kind=types.SymbolKind.Function,
        range=positions.range(symbol.span),
        selection_range=positions.range(symbol.name_span),
        detail=symbol.detail,
    )


def file_status(document: Document, client: Client) -> dict[str, Any]:
    """The parameters of ``dp/fileStatus``. ``counts`` counts functions by state, those that are unknown only
    by what a person accepted, and problems by severity; ``asked`` is false for a file of which nothing is said."""
    positions = Positions(document.source, client.encoding)
    functions = document.functions
    states = Counter(function.state for function in functions)
    severities = Counter(problem.severity for problem in document.problems)
    counts = {state.value: states[state] for state in State}
    accepted = sum(function.accepted and function.state is State.UNKNOWN for function in functions)
    counts |= {"accepted": accepted, "errors": severities[Severity.ERROR], "warnings": severities[Severity.WARNING]}
    return {
        "uri": document.uri,
        "version": document.version,
        "status": document.state.value,
        "asked": document.analysis is None or document.analysis.is_asked,
        "counts": counts,
        "functions": [
            {
                "name": function.name,
                "range": _plain(positions.range(function.span)),
                "status": function.state.value,
                "summary": summary(function),
            }
            for function in functions
        ],
    }


def _plain(range_: types.Range) -> dict[str, dict[str, int]]:
    places = {"start": range_.start, "end": range_.end}
    return {name: {"line": p.line, "character": p.character} for name, p in places.items()}
