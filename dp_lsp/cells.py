"""The cells of a notebook as one text, and where a place of that is in a cell.

The text of a notebook is that of its cells of code, each below a line that says which cell it is. That line is a
comment, so who reads the text as a program need know nothing of cells; who shows a place asks here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from dp_lsp.named import NamedTuple
from dp_lsp.text import Source, Span

_OPENS = "# ⟦cell "
_LATE = r"(?P<late>\[\d+\] below (?P<above>\d+) \[\d+\])"
MARK = re.compile(rf"^# ⟦cell (?P<number>\d+) (?P<id>[\w-]*)(?: {_LATE})?⟧$", re.MULTILINE)
"""The line above a cell. It says ``late`` where the cell was run before one that stands ``above`` it, with the times of
both."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class CodeCell(NamedTuple):
    """A cell of code: the how manieth of all cells it is, from 1, what it is called, its text, and as the how manieth
    it was ``run``, if it was."""

    number: int
    id: str
    text: str
    run: int | None = None


class Cell(NamedTuple):
    """A cell of a joined text: its ``span`` there, and the number of lines before it."""

    number: int
    id: str
    span: Span
    lines: int


class CellPlace(NamedTuple):
    """A line and a column, from 1, in a cell if the text has cells."""

    cell: Cell | None
    line: int
    column: int

    @property
    def in_cell(self) -> str:
        """What stands before the line."""
        return "" if self.cell is None else f"cell {self.cell.number}:"

    @property
    def words(self) -> str:
        """The line, in words."""
        return f"line {self.line}" if self.cell is None else f"cell {self.cell.number}, line {self.line}"

    def __str__(self) -> str:
        return f"{self.in_cell}{self.line}:{self.column}"


def joined(cells: Iterable[CodeCell]) -> str:
    """The text of a notebook."""
    parts: list[str] = []
    latest: CodeCell | None = None
    for each in cells:
        late = ""
        if each.run is not None:
            if latest is not None and latest.run is not None and each.run < latest.run:
                late = f" [{each.run}] below {latest.number} [{latest.run}]"
            else:
                latest = each
        name = each.id if _ID.fullmatch(each.id) else ""
        parts.append(f"{_OPENS}{each.number} {name}{late}⟧\n{each.text.replace(_OPENS, '# [cell ')}\n")
    return "".join(parts)


def is_joined(text: str) -> bool:
    """Whether a text is one of cells."""
    return text.startswith(_OPENS)


def split(text: str) -> Iterator[tuple[re.Match[str], Span]]:
    """The lines that stand above cells, each with the extent of its cell."""
    found = list(MARK.finditer(text))
    for mark, following in zip(found, [*found[1:], None], strict=True):
        end = len(text) - text.endswith("\n") if following is None else following.start() - 1
        start = min(mark.end() + 1, len(text))
        yield mark, Span(start, max(start, end))


@lru_cache(8)
def _cells(source: Source) -> tuple[Cell, ...]:
    return tuple(
        Cell(int(mark["number"]), mark["id"], span, source.place(mark.start()).line)
        for mark, span in split(source.text)
    )


def cells(source: Source) -> tuple[Cell, ...]:
    """The cells of a text; none of one that has none."""
    return _cells(source) if is_joined(source.text) else ()


def cell_at(source: Source, offset: int) -> Cell | None:
    """The cell of an offset; the line above a cell is a part of it."""
    found = [each for each in cells(source) if source.line_span(each.lines).start <= offset]
    return found[-1] if found else None


def place(source: Source, offset: int) -> CellPlace:
    """Where an offset is, for a person."""
    line, column = source.place(offset)
    cell = cell_at(source, offset)
    if cell is None:
        return CellPlace(None, line, column)
    return CellPlace(cell, line - cell.lines, column) if line > cell.lines else CellPlace(cell, 1, 1)


def places(source: Source, span: Span) -> tuple[CellPlace, CellPlace]:
    """Where a range begins and ends, as far as it is in one cell."""
    start = place(source, span.start)
    end = span.end if start.cell is None else max(span.start, min(span.end, start.cell.span.end))
    return start, place(source, end)
