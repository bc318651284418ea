"""Text and places in it.

A place is a code-point offset everywhere in this package. Lines and columns exist only where a person or a
protocol needs them, and are computed here.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from dp_lsp.named import NamedTuple

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Span(NamedTuple):
    """A half-open range of code-point offsets, ``start`` included and ``end`` not."""

    start: int
    end: int

    def moved(self, by: int) -> Span:
        """The same range in a text that has ``by`` more code points before it."""
        return Span(self.start + by, self.end + by)

    def covers(self, offset: int) -> bool:
        """Whether a cursor at ``offset`` touches this range (both ends count)."""
        return self.start <= offset <= self.end


class Place(NamedTuple):
    """A line and a column, both counted from 1; a column counts code points."""

    line: int
    column: int


def _line_ends(text: str) -> Iterable[int]:
    """The offset after each line break. Texts are read again after each key, so it is done in the fastest way."""
    if "\r" in text:
        return (match.end() for match in _LINE_BREAK.finditer(text))
    return accumulate([len(line) + 1 for line in text.split("\n")[:-1]])


class Source:
    """A text with its line table. Only ``\\n``, ``\\r\\n`` and ``\\r`` end a line, as in the protocol."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = array("Q", (0, *_line_ends(text)))

    @property
    def line_count(self) -> int:
        return len(self._starts)

    def place(self, offset: int) -> Place:
        """The line and column of an offset; offsets outside the text are clamped to it."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset)
        return Place(line, offset - self._starts[line - 1] + 1)

    def line_at(self, offset: int) -> tuple[int, int]:
        """The line of an offset that lies in the text, counted from 1, and the offset at which it starts."""
        line = bisect_right(self._starts, offset)
        return line, self._starts[line - 1]

    def offset(self, place: Place) -> int:
        """The offset of a line and column; places outside the text are clamped to it."""
        if place.line < 1:
            return 0
        if place.line > len(self._starts):
            return len(self.text)
        start, end = self.line_span(place.line)
        return max(start, min(start + place.column - 1, end))

    def line_span(self, line: int) -> Span:
        """The range of a line, counted from 1, without its line break."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def line(self, line: int) -> str:
        """The text of a line, counted from 1, without its line break."""
        start, end = self.line_span(line)
        return self.text[start:end]
