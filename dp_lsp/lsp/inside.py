"""What the client says of notebooks, and asks about their cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from lsprotocol import types

from dp_lsp.lsp.notebooks import PYTHON, CellExtent, Extents, Notebook, changed
from dp_lsp.lsp.positions import apply
from dp_lsp.lsp.requests import Handlers
from dp_lsp.lsp.session import Server

_ASKED = frozenset(
    {
        *(types.TEXT_DOCUMENT_HOVER, types.TEXT_DOCUMENT_CODE_LENS),
        *(types.TEXT_DOCUMENT_INLAY_HINT, types.TEXT_DOCUMENT_DIAGNOSTIC, types.TEXT_DOCUMENT_CODE_ACTION),
    }
)


def in_cells(method: str, handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that also answers about cells."""
    if method not in _ASKED:
        return handler

    if iscoroutinefunction(handler):

        @wraps(handler)
        async def awaited(ls: Server, params: Any) -> Any:
            found = _asked(ls, params)
            return await handler(ls, params) if found is None else _answered(await handler(ls, found[0]), *found[1:])

        return awaited

    @wraps(handler)
    def answered(ls: Server, params: Any) -> Any:
        found = _asked(ls, params)
        return handler(ls, params) if found is None else _answered(handler(ls, found[0]), *found[1:])

    return answered


def _asked(ls: Server, params: Any) -> tuple[Any, Extents, CellExtent] | None:
    """What is asked of the document of a cell; None if it is not asked of a cell."""
    uri = params.text_document.uri
    where = ls.notebooks.containing(uri)
    document = None if where is None else ls.documents.get(where[0])
    extents = None if document is None else ls.notebooks.extents(document)
    if extents is None or uri not in extents.by_uri:
        return None
    extent = extents.by_uri[uri]
    places: dict[str, Any] = {}
    if hasattr(params, "position"):
        places["position"] = extent.into(params.position)
    if hasattr(params, "range"):
        places["range"] = extent.range_into(params.range)
    if isinstance(params, types.CodeActionParams):
        shown = [changed(each, range=extent.range_into(each.range)) for each in params.context.diagnostics]
        places["context"] = changed(params.context, diagnostics=shown)
    return changed(params, text_document=types.TextDocumentIdentifier(extents.uri), **places), extents, extent


def _answered(answer: Any, extents: Extents, extent: CellExtent) -> Any:
    match answer:
        case list():
            return [moved for each in answer if (moved := _moved(each, extents, extent)) is not None]
        case types.RelatedFullDocumentDiagnosticReport():
            return changed(answer, items=_answered(list(answer.items), extents, extent))
        case types.Hover(range=types.Range() as place):
            return changed(answer, range=extent.range(place))
    return answer


def _moved(answer: Any, extents: Extents, extent: CellExtent) -> Any:
    """What is said of a place of the document, as it is said of that in the cell; None if that is in another one."""
    match answer:
        case types.Diagnostic():
            return extents.diagnostic(answer, extent)
        case types.CodeAction():
            return extents.action(answer, extent)
        case types.InlayHint():
            at = extent.position(answer.position)
            return None if at is None else changed(answer, position=at)
    place = extent.range(answer.range)
    return None if place is None else changed(answer, range=place)


def did_open(ls: Server, params: types.DidOpenNotebookDocumentParams) -> None:
    item = params.notebook_document
    ls.close_notebook(item.uri)
    notebook = Notebook(item.cells, params.cell_text_documents)
    ls.notebooks.open(item.uri, notebook)
    document = ls.documents.open(item.uri, PYTHON, item.version, notebook.text())
    assert document is not None, "Python is checked"
    ls.begin(document)


def did_change(ls: Server, params: types.DidChangeNotebookDocumentParams) -> None:
    uri, version = params.notebook_document.uri, params.notebook_document.version
    notebook, document = ls.notebooks.get(uri), ls.documents.get(uri)
    if notebook is None or document is None:
        return
    if params.change.cells is not None:
        notebook.change(params.change.cells, ls.client.encoding)
        ls.forget_cells(params.change.cells)
    whole = types.TextDocumentContentChangeWholeDocument(notebook.text())
    source, edits = apply(document.source, [whole], ls.client.encoding)
    document.edit(version, source, edits)
    ls.documents.edited(document)
    ls.checker.edited(document)
    ls.send_status(document, *document.others)


def did_close(ls: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    ls.close_notebook(params.notebook_document.uri)


TABLE = Handlers(
    {
        types.NOTEBOOK_DOCUMENT_DID_OPEN: did_open,
        types.NOTEBOOK_DOCUMENT_DID_CHANGE: did_change,
        types.NOTEBOOK_DOCUMENT_DID_CLOSE: did_close,
    }
)
