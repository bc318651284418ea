"""Handlers for all files of the workspace: what is wrong with them, in one answer or in parts, and which paths of an
`include` are others when files get other names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dp_lsp import frontends
from dp_lsp.analysis.workspace import Document, document_key, file_path
from dp_lsp.lsp import convert
from dp_lsp.lsp.checking import Outdated
from dp_lsp.lsp.requests import CONTENT_MODIFIED, Handlers
from dp_lsp.lsp.session import Server

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

TABLE = Handlers(
    {
        types.WORKSPACE_DIAGNOSTIC: workspace_diagnostic,
        types.WORKSPACE_WILL_RENAME_FILES: will_rename_files,
        types.WORKSPACE_DID_RENAME_FILES: did_rename_files,
    },
    {types.WORKSPACE_WILL_RENAME_FILES: _RENAMED, types.WORKSPACE_DID_RENAME_FILES: _RENAMED},
)
