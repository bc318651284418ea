"""Notebooks in an editor: each is one document, whose text is that of its cells, and its cells are asked about.

What is asked of a place in a cell is asked of the document, at the place where the cell is in that, and the answer is
brought back. The client has no other document of a notebook than its cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from itertools import chain
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
        """As the how manieth a cell was run. Of one that was not run since the notebook was opened, some clients say
        that only where the file says it."""
        if cell.execution_summary is not None:
            return cell.execution_summary.execution_order
        saved = cell.metadata.get("execution_count") if isinstance(cell.metadata, dict) else None
        return saved if isinstance(saved, int) else None


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

    def extents(self, document: Document) -> Extents | None:
        """Where the cells of an open notebook are in its document; None of a document that is none."""
        notebook = self._open.get(document.uri)
        return None if notebook is None else Extents(notebook, document)


class Extents:
    """Where the cells of a notebook are in its document, by their URIs, in their order."""

    def __init__(self, notebook: Notebook, document: Document) -> None:
        self.uri = document.uri
        found = {cell.number: CellExtent(document.source, cell) for cell in cells.cells(document.source)}
        self.by_uri = {cell.document: found[n] for n, cell in enumerate(notebook.cells, 1) if n in found}

    def location(self, place: types.Range) -> types.Location | None:
        """A range of the document in the cell where it begins; None if it begins in no cell."""
        for uri, extent in self.by_uri.items():
            if (inside := extent.range(place)) is not None:
                return types.Location(uri, inside)
        return None

    def diagnostics(self, found: Iterable[types.Diagnostic]) -> Iterator[tuple[str, list[types.Diagnostic]]]:
        """Diagnostics of the document, cell by cell, at their places there."""
        listed = list(found)
        for uri, extent in self.by_uri.items():
            yield uri, [moved for each in listed if (moved := self.diagnostic(each, extent)) is not None]

    def diagnostic(self, found: types.Diagnostic, extent: CellExtent) -> types.Diagnostic | None:
        """A diagnostic of the document at its place in a cell; None if it is in another one."""
        place = extent.range(found.range)
        if place is None:
            return None
        related = [self._related(each) for each in found.related_information or ()]
        return changed(found, range=place, related_information=related or None)

    def _related(self, found: types.DiagnosticRelatedInformation) -> types.DiagnosticRelatedInformation:
        place = self.location(found.location.range) if found.location.uri == self.uri else None
        return found if place is None else changed(found, location=place)

    def action(self, found: types.CodeAction, extent: CellExtent) -> types.CodeAction:
        """An action on the document as one on its cells, asked for in one of them."""
        about = (self.diagnostic(each, extent) for each in found.diagnostics or ())
        return changed(
            found,
            diagnostics=[each for each in about if each is not None] or None,
            edit=None if found.edit is None else self._edit(found.edit),
            command=None if found.command is None else self._command(found.command),
        )

    def _command(self, command: types.Command) -> types.Command:
        """A command about a place of the document as one about that in its cell."""
        match command.arguments:
            case [self.uri, {"line": int(line), "character": int(character)}]:
                at = types.Position(line, character)
                place = self.location(types.Range(at, at))
                if place is not None:
                    start = place.range.start
                    arguments = [place.uri, {"line": start.line, "character": start.character}]
                    return changed(command, arguments=arguments)
        return command

    def _edit(self, edit: types.WorkspaceEdit) -> types.WorkspaceEdit:
        if edit.changes is not None:
            parts = (self._cut(uri, edits) for uri, edits in edit.changes.items())
            return types.WorkspaceEdit(dict(chain.from_iterable(parts)))
        made: list[Any] = []
        for each in edit.document_changes or ():
            if isinstance(each, types.TextDocumentEdit) and each.text_document.uri == self.uri:
                made += (
                    types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri), edits)
                    for uri, edits in self._cut(self.uri, each.edits)
                )
            else:
                made.append(each)
        return types.WorkspaceEdit(document_changes=made)

    def _cut(self, uri: str, edits: Iterable[Any]) -> Iterator[tuple[str, list[Any]]]:
        """Edits of a document; of this one, cell by cell."""
        if uri != self.uri:
            yield uri, list(edits)
            return
        listed: dict[str, list[Any]] = {}
        for each in edits:
            place = self.location(each.range)
            assert place is not None, "an edit is of what somebody wrote"
            listed.setdefault(place.uri, []).append(changed(each, range=place.range))
        yield from listed.items()


class CellExtent:
    """Where a cell is in a document, as the protocol counts lines."""

    def __init__(self, source: Source, cell: cells.Cell) -> None:
        self.first = cell.lines
        self.last = source.place(cell.span.end).line - 1

    def into(self, position: types.Position) -> types.Position:
        """A place of the cell in the document."""
        return types.Position(min(position.line + self.first, self.last), position.character)

    def range_into(self, range_: types.Range) -> types.Range:
        """A range of the cell in the document."""
        return types.Range(self.into(range_.start), self.into(range_.end))

    def position(self, position: types.Position) -> types.Position | None:
        """A place of the document in the cell; None if it is in another one."""
        return self._out(position) if self.first <= position.line <= self.last else None

    def range(self, range_: types.Range) -> types.Range | None:
        """A range of the document, as far as it is in the cell; None if it begins in another one."""
        start = self.position(range_.start)
        return None if start is None else types.Range(start, self._out(range_.end))

    def _out(self, position: types.Position) -> types.Position:
        return types.Position(min(position.line, self.last) - self.first, position.character)
