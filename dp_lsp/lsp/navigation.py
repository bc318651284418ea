"""Handlers that go from one place of a program to others, and that rename what stands there.

Handlers for all files of the workspace: what is wrong with them, in one answer or in parts, and which paths of an
`include` are others when files get other names.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dp_lsp import frontends
from dp_lsp.analysis.records import Modules
from dp_lsp.analysis.workspace import Document, document_key, file_path
from dp_lsp.features import navigation
from dp_lsp.features.navigation import Away, NameUse, RenameRefused, Renaming, renamable, rename
from dp_lsp.lsp import convert
from dp_lsp.lsp.checking import Outdated
from dp_lsp.lsp.convert import edited, line_range, uri_of
from dp_lsp.lsp.positions import Positions
from dp_lsp.lsp.requests import CONTENT_MODIFIED, Handlers
from dp_lsp.lsp.session import Server
from dp_lsp.text import Span

_Report = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport


class _Pull:
    """One request for the problems of all files. It is answered once there is something that the client does not know
    and all files were looked at; with a token for parts, each part is told as soon as it is known. To a client that
    knows nothing, that there is no problem in any file is news, too."""

    def __init__(self, ls: Server, params: types.WorkspaceDiagnosticParams) -> None:
        self._ls = ls
        self._token = params.partial_result_token
        self._uris = {document_key(each.uri): each.uri for each in params.previous_result_ids}
        self._results = {document_key(each.uri): each.value for each in params.previous_result_ids}
        self._told: set[str] = set()

    async def answer(self) -> types.WorkspaceDiagnosticReport:
        around = self._ls.around
        while True:
            complete = around.complete
            items = list(self._news(complete)) if complete or self._token is not None else []
            if complete and not self._told and not self._results:
                items = list(self._news(complete, clean=True))
            if self._token is not None and items:
                self._ls.progress(types.ProgressParams(self._token, types.WorkspaceDiagnosticReport(items)))
                items = []
            if complete and self._told:
                return types.WorkspaceDiagnosticReport([*items, *self._rest()] if self._token is None else items)
            await around.wait()

    def _news(self, complete: bool, clean: bool = False) -> Iterator[_Report]:
        """What the client does not know, of ``clean`` files too."""
        present = set()
        for uri, result, known in self._ls.around.known():
            key = document_key(uri)
            present.add(key)
            if self._results.get(key) == result:
                continue
            if isinstance(known, Document):
                items, version = convert.diagnostics(known, self._ls.client), known.version
            else:
                items, version = self._ls.around.diagnostics(uri, known), None
            if items or clean or key in self._results:
                self._results[key], self._uris[key] = result, uri
                self._told.add(key)
                yield types.WorkspaceFullDocumentDiagnosticReport(uri, items, version, result_id=result)
        notebooks = self._ls.notebooks
        awaited = {each.key for each in self._ls.documents if notebooks.get(each.uri) is None}
        for key in self._results.keys() - present - awaited if complete else ():
            del self._results[key]
            self._told.add(key)
            yield types.WorkspaceFullDocumentDiagnosticReport(self._uris[key], [])

    def _rest(self) -> Iterator[_Report]:
        """What is as the client knows it."""
        for key in self._results.keys() - self._told:
            yield types.WorkspaceUnchangedDocumentDiagnosticReport(self._uris[key], self._results[key])


async def workspace_diagnostic(ls: Server, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    ls.around.ask()
    shown = asyncio.get_running_loop().create_task(_show_progress(ls, params.work_done_token))
    try:
        return await _Pull(ls, params).answer()
    finally:
        shown.cancel()


async def _show_progress(ls: Server, token: types.ProgressToken | None) -> None:
    """Tell how the look at all files goes on, until it has ended."""
    if token is None:
        return

    def told(value: object) -> None:
        ls.progress(types.ProgressParams(token, value))

    told(types.WorkDoneProgressBegin("dp-lsp", message="checking all files", percentage=0))
    try:
        while not ls.around.complete:
            await ls.around.wait()
            done = ls.around.total - ls.around.left
            percentage = 100 * done // max(1, ls.around.total)
            told(
                types.WorkDoneProgressReport(message=f"{done:,} of {ls.around.total:,} projects", percentage=percentage)
            )
    finally:
        told(types.WorkDoneProgressEnd())


async def will_rename_files(ls: Server, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    named = ((file_path(document_key(each.old_uri)), file_path(document_key(each.new_uri))) for each in params.files)
    moves = tuple((old, new) for old, new in named if old and new)
    try:
        edits = await ls.checker.moved(moves)
    except Outdated:
        raise JsonRpcException("a document has changed", CONTENT_MODIFIED) from None
    opened = {document.file: document for document in ls.documents}
    listed: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        place = convert.stretch_range(edit.where, ls.client)
        listed.setdefault(edit.file, []).append(types.TextEdit(place, edit.path))
    if not listed:
        return None
    return convert.edited(ls.client, [(opened.get(file), ls.around.uri(file), each) for file, each in listed.items()])


def did_rename_files(ls: Server, _: types.RenameFilesParams) -> None:
    ls.look()


_PROGRAMS = (
    *(
        types.FileOperationFilter(
            types.FileOperationPattern(f"**/*{suffix}", types.FileOperationPatternKind.File), scheme="file"
        )
        for suffix in frontends.suffixes()
    ),
    types.FileOperationFilter(types.FileOperationPattern("**", types.FileOperationPatternKind.Folder), scheme="file"),
)
_RENAMED = types.FileOperationRegistrationOptions(_PROGRAMS)

EVERYWHERE = Handlers(
    {
        types.WORKSPACE_DIAGNOSTIC: workspace_diagnostic,
        types.WORKSPACE_WILL_RENAME_FILES: will_rename_files,
        types.WORKSPACE_DID_RENAME_FILES: did_rename_files,
    },
    {types.WORKSPACE_WILL_RENAME_FILES: _RENAMED, types.WORKSPACE_DID_RENAME_FILES: _RENAMED},
)


_REQUEST_FAILED = -32803
_KINDS = {
    "function": types.SymbolKind.Function,
    "mechanism": types.SymbolKind.Operator,
    "file": types.SymbolKind.File,
}


def _pointed(ls: Server, params: Any) -> tuple[Document, int] | None:
    """The open document and the offset that a request is about."""
    document = ls.documents.get(params.text_document.uri)
    return (document, _positions(ls, document).offset(params.position)) if document else None


def _positions(ls: Server, document: Document) -> Positions:
    return Positions(document.source, ls.client.encoding)


def _location(ls: Server, place: NameUse | Away) -> types.Location:
    if isinstance(place, NameUse):
        return types.Location(place.document.uri, _positions(ls, place.document).range(place.span))
    return types.Location(uri_of(place.file), _away_range(ls, place))


def _away_range(ls: Server, place: Away) -> types.Range:
    return line_range(place.spot.line, place.spot.before, place.spot.written, ls.client)


def definition(ls: Server, params: types.DefinitionParams) -> list[types.Location] | None:
    pointed = _pointed(ls, params)
    found = navigation.definitions(*pointed) if pointed else []
    return [_location(ls, place) for place in found] or None


def references(ls: Server, params: types.ReferenceParams) -> list[types.Location] | None:
    pointed = _pointed(ls, params)
    found = navigation.references(*pointed, params.context.include_declaration) if pointed else []
    return [_location(ls, place) for place in found] or None


def document_highlight(ls: Server, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
    pointed = _pointed(ls, params)
    if pointed is None:
        return None
    positions = _positions(ls, pointed[0])
    kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
    found = navigation.highlights(*pointed)
    return [types.DocumentHighlight(positions.range(each.span), kinds[each.writes]) for each in found] or None


def workspace_symbol(ls: Server, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    return [
        types.SymbolInformation(
            location=_location(ls, place),
            name=name,
            kind=types.SymbolKind.Function,
            container_name=" · ".join(filter(None, [Path(file).name, detail])),
        )
        for name, detail, file, place in navigation.workspace_symbols(ls.documents, params.query, ls.around.reports)
    ]


# Renaming waits for the checks of all that may be edited: a place in an old text must not be.


async def _settled(ls: Server, document: Document) -> None:
    revision = document.revision
    try:
        await ls.checker.current(document)
        for other in document.others:
            await ls.checker.current(other)
        if document.revision != revision:
            raise Outdated
    except Outdated:
        raise JsonRpcException("the document has changed", CONTENT_MODIFIED) from None


@contextmanager
def _refusals() -> Iterator[None]:
    """What is refused is told as an error of the request."""
    try:
        yield
    except RenameRefused as refused:
        raise JsonRpcException(str(refused), _REQUEST_FAILED) from None


async def prepare_rename(ls: Server, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    pointed = _pointed(ls, params)
    if pointed is None:
        return None
    document, offset = pointed
    await _settled(ls, document)
    with _refusals():
        use = renamable(document, offset)
    if use is None:
        return None
    name = document.source.text[use.span.start : use.span.end]
    return types.PrepareRenamePlaceholder(_positions(ls, document).range(use.span), name)


async def rename_symbol(ls: Server, params: types.RenameParams) -> types.WorkspaceEdit | None:
    pointed = _pointed(ls, params)
    if pointed is None:
        return None
    document, offset = pointed
    await _settled(ls, document)
    with _refusals():
        found = rename(document, offset, params.new_name)
    return _workspace_edit(ls, found)


def _workspace_edit(ls: Server, found: Iterable[Renaming]) -> types.WorkspaceEdit:
    edits = [
        (each.document, [types.TextEdit(_positions(ls, each.document).range(e.span), e.text) for e in each.edits])
        for each in found
    ]
    return edited(ls.client, [(document, document.uri, listed) for document, listed in edits])


# How the text is nested


def folding_range(ls: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    found: dict[int, types.FoldingRange] = {}
    for span, comment in navigation.folds(document):
        first, last = document.source.place(span.start).line, document.source.place(span.end).line
        if not comment and _closes(document.source.line(last)):
            last -= 1  # what closes it stays in sight
        known = found.get(first)
        if first < last and (known is None or known.end_line < last - 1):
            kind = types.FoldingRangeKind.Comment if comment else types.FoldingRangeKind.Region
            found[first] = types.FoldingRange(first - 1, last - 1, kind=kind)
    return list(found.values())


def _closes(line: str) -> bool:
    return line.lstrip().startswith(("end", "else", ")", "]", "}"))


def selection_range(ls: Server, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    positions = _positions(ls, document)
    return [_nested(positions, navigation.selections(document, positions.offset(p))) for p in params.positions]


def _nested(positions: Positions, spans: list[Span]) -> types.SelectionRange:
    found: types.SelectionRange | None = None
    for span in reversed(spans):
        found = types.SelectionRange(positions.range(span), found)
    assert found
    return found


# Who calls whom


def prepare_call_hierarchy(
    ls: Server, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    pointed = _pointed(ls, params)
    found = navigation.prepare(*pointed) if pointed else []
    return [_item(ls, item) for item in found] or None


def incoming_calls(
    ls: Server, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    document = _item_document(ls, params.item)
    if document is None or params.item.kind == types.SymbolKind.File:
        return None
    return [
        types.CallHierarchyIncomingCall(_item(ls, call.item), list(_call_places(ls, call)))
        for call in navigation.incoming(document, params.item.name, _item_modules(params.item))
    ]


def outgoing_calls(
    ls: Server, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    document = ls.documents.get(params.item.uri)
    if document is None or params.item.kind != types.SymbolKind.Function:
        return None
    positions = _positions(ls, document)
    found = navigation.outgoing(document, params.item.name, positions.span(params.item.range))
    return [
        types.CallHierarchyOutgoingCall(_item(ls, call.item), [positions.range(place) for place in call.places])
        for call in found
    ]


def _item_document(ls: Server, item: types.CallHierarchyItem) -> Document | None:
    """An open document of the project that an item belongs to."""
    near: Any = item.data
    uri = near[0] if isinstance(near, list) and near else None
    return ls.documents.get(item.uri) or (ls.documents.get(uri) if isinstance(uri, str) else None)


def _item_modules(item: types.CallHierarchyItem) -> Modules | None:
    """The modules in which an item is known by its name."""
    near: Any = item.data
    return tuple(map(str, near[1:])) or None if isinstance(near, list) else None


def _call_places(ls: Server, call: navigation.CallEdge) -> Iterator[types.Range]:
    positions = _positions(ls, call.item.document)
    yield from (positions.range(place) for place in call.places)
    yield from (_away_range(ls, away) for away in call.away)


def _item(ls: Server, item: navigation.Item) -> types.CallHierarchyItem:
    if item.away:
        place = _away_range(ls, item.away)
        whole, named, uri = place, place, uri_of(item.away.file)
    else:
        positions = _positions(ls, item.document)
        whole, named, uri = positions.range(item.span), positions.range(item.name_span), item.document.uri
    return types.CallHierarchyItem(
        name=item.name,
        kind=_KINDS[item.kind],
        uri=uri,
        range=whole,
        selection_range=named,
        detail=item.detail,
        data=[item.document.uri, *(item.modules or ())],
    )


TABLE = Handlers(
    {
        types.TEXT_DOCUMENT_DEFINITION: definition,
        types.TEXT_DOCUMENT_REFERENCES: references,
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: document_highlight,
        types.WORKSPACE_SYMBOL: workspace_symbol,
        types.TEXT_DOCUMENT_PREPARE_RENAME: prepare_rename,
        types.TEXT_DOCUMENT_RENAME: rename_symbol,
        types.TEXT_DOCUMENT_FOLDING_RANGE: folding_range,
        types.TEXT_DOCUMENT_SELECTION_RANGE: selection_range,
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: prepare_call_hierarchy,
        types.CALL_HIERARCHY_INCOMING_CALLS: incoming_calls,
        types.CALL_HIERARCHY_OUTGOING_CALLS: outgoing_calls,
    }
)
