"""Notebooks in an editor: each is one document, whose text is that of its cells, and its cells are asked about.

What is asked of a place in a cell is asked of the document, at the place where the cell is in that, and the answer is
brought back. The client has no other document of a notebook than its cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, TypeVar

from lsprotocol import types

from dp_lsp import cells, frontends
from dp_lsp.analysis.workspace import Document
from dp_lsp.lsp.positions import apply
from dp_lsp.text import Source

_T = TypeVar("_T")
PYTHON = "python"
SYNCHRONISED = types.NotebookDocumentSyncOptions(
    [types.NotebookDocumentFilterWithNotebook(types.NotebookDocumentFilterNotebookType("jupyter-notebook"))]
)


def changed(value: _T, **fields: Any) -> _T:
    """A copy of what the protocol has, with some other fields."""
    made = copy(value)
    for name, field in fields.items():
        setattr(made, name, field)
    return made


class Notebook:
    """A notebook as the client has it: its cells in their order, and the text and the language of each by its URI."""

    def __init__(self, listed: Iterable[types.NotebookCell], items: Iterable[types.TextDocumentItem]) -> None:
        self.cells = list(listed)
        self.texts: dict[str, str] = {}
        self._languages: dict[str, str] = {}
        self._open(items)

    def text(self) -> str:
        """The text of the program."""
        syntax = frontends.of("", PYTHON).syntax
        return cells.joined(
            cells.CodeCell(number, "", syntax.cell(self.texts.get(cell.document, "")), self._run(cell))
            for number, cell in enumerate(self.cells, 1)
            if cell.kind is types.NotebookCellKind.Code and self._languages.get(cell.document) == PYTHON
        )

    def change(self, changes: types.NotebookDocumentCellChanges, encoding: types.PositionEncodingKind) -> None:
        """The client has changed its cells."""
        if changes.structure is not None:
            array = changes.structure.array
            self.cells[array.start : array.start + array.delete_count] = array.cells or ()
            self._open(changes.structure.did_open or ())
            for closed in changes.structure.did_close or ():
                self.texts.pop(closed.uri, None)
        fresh = {cell.document: cell for cell in changes.data or ()}
        self.cells = [fresh.get(cell.document, cell) for cell in self.cells]
        for each in changes.text_content or ():
            known = self.texts.get(each.document.uri, "")
            self.texts[each.document.uri] = apply(Source(known), each.changes, encoding)[0].text

    def _open(self, items: Iterable[types.TextDocumentItem]) -> None:
        for item in items:
            self.texts[item.uri] = item.text
            self._languages[item.uri] = item.language_id

    @staticmethod
    def _run(cell: types.NotebookCell) -> int | None:
        return None if cell.execution_summary is None else cell.execution_summary.execution_order


class Notebooks:
    """The notebooks that are open, by their URIs."""

    def __init__(self) -> None:
        self._open: dict[str, Notebook] = {}

    def open(self, uri: str, notebook: Notebook) -> None:
        """A notebook was opened."""
        self._open[uri] = notebook

    def get(self, uri: str) -> Notebook | None:
        """The notebook that is called so."""
        return self._open.get(uri)

    def close(self, uri: str) -> Notebook | None:
        """Forget a notebook."""
        return self._open.pop(uri, None)

    def containing(self, uri: str) -> tuple[str, int] | None:
        """The notebook that a cell with this URI is in, and the how manieth it is, from 1."""
        for name, notebook in self._open.items():
            for number, cell in enumerate(notebook.cells, 1):
                if cell.document == uri:
                    return name, number
        return None

    def by_cell(
        self, document: Document, found: Iterable[types.Diagnostic]
    ) -> Iterator[tuple[str, list[types.Diagnostic]]]:
        """The diagnostics of a document cell by cell, at their places there."""
        notebook, listed = self._open[document.uri], list(found)
        extents = {cell.number: CellExtent(document.source, cell) for cell in cells.cells(document.source)}
        for number, cell in enumerate(notebook.cells, 1):
            if number in extents:
                yield cell.document, [moved for each in listed if (moved := extents[number].out(each)) is not None]


class CellExtent:
    """Where a cell is in a document, as the protocol counts lines."""

    def __init__(self, source: Source, cell: cells.Cell) -> None:
        self.first = cell.lines
        self.last = source.place(cell.span.end).line - 1

    def into(self, position: types.Position) -> types.Position:
        """A place of the cell in the document."""
        return types.Position(min(position.line + self.first, self.last), position.character)

    def out(self, answer: Any) -> Any:
        """What is said of a place, as it is in the cell; None if it is in another one."""
        at = answer.position if isinstance(answer, types.InlayHint) else answer.range.start
        if not self.first <= at.line <= self.last:
            return None
        if isinstance(answer, types.InlayHint):
            return changed(answer, position=self._out(at))
        places = types.Range(self._out(answer.range.start), self._out(answer.range.end))
        if isinstance(answer, types.Diagnostic):  # what is related has places of the document, which the client has not
            return changed(answer, range=places, related_information=None)
        return changed(answer, range=places)

    def _out(self, position: types.Position) -> types.Position:
        return types.Position(min(position.line, self.last) - self.first, position.character)
