"""What the client says of notebooks, and asks about their cells."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from lsprotocol import types

from dp_lsp import cells
from dp_lsp.lsp.notebooks import PYTHON, CellExtent, Notebook, changed
from dp_lsp.lsp.positions import apply
from dp_lsp.lsp.requests import Handlers
from dp_lsp.lsp.session import Server

_ASKED = frozenset(
    {
        *(types.TEXT_DOCUMENT_HOVER, types.TEXT_DOCUMENT_CODE_LENS),
        *(types.TEXT_DOCUMENT_INLAY_HINT, types.TEXT_DOCUMENT_DIAGNOSTIC),
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
            return await handler(ls, params) if found is None else _answered(await handler(ls, found[0]), found[1])

        return awaited

    @wraps(handler)
    def answered(ls: Server, params: Any) -> Any:
        found = _asked(ls, params)
        return handler(ls, params) if found is None else _answered(handler(ls, found[0]), found[1])

    return answered


def _asked(ls: Server, params: Any) -> tuple[Any, CellExtent] | None:
    """What is asked of the document of a cell; None if it is not asked of a cell."""
    where = ls.notebooks.containing(params.text_document.uri)
    document = None if where is None else ls.documents.get(where[0])
    if where is None or document is None:
        return None
    cell = next((each for each in cells.cells(document.source) if each.number == where[1]), None)
    if cell is None:
        return None
    extent = CellExtent(document.source, cell)
    places: dict[str, Any] = {}
    if hasattr(params, "position"):
        places["position"] = extent.into(params.position)
    if hasattr(params, "range"):
        places["range"] = types.Range(extent.into(params.range.start), extent.into(params.range.end))
    return changed(params, text_document=types.TextDocumentIdentifier(document.uri), **places), extent


def _answered(answer: Any, extent: CellExtent) -> Any:
    match answer:
        case list():
            return [moved for each in answer if (moved := extent.out(each)) is not None]
        case types.RelatedFullDocumentDiagnosticReport():
            found = (extent.out(each) for each in answer.items)
            return changed(answer, items=[each for each in found if each is not None])
        case types.Hover(range=types.Range()):
            return extent.out(answer)
    return answer


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
