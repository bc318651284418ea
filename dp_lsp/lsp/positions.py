"""Lines and columns as a client counts them. No other module of the server knows them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from lsprotocol.types import (
    ClientCapabilities,
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
)

from dp_lsp.problem import Edit
from dp_lsp.text import Source, Span

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)")
_KNOWN = {kind.value: kind for kind in PositionEncodingKind}


def encoding_of(client: ClientCapabilities) -> PositionEncodingKind:
    """The first encoding of the client's list that is known; UTF-16 if it states none."""
    offered = (client.general and client.general.position_encodings) or ()
    known = (_KNOWN[kind] for kind in offered if kind in _KNOWN)
    return next(known, PositionEncodingKind.Utf16)


class Positions:
    """Translates between the offsets of one text and a client's positions."""

    def __init__(self, source: Source, encoding: PositionEncodingKind) -> None:
        self._source = source
        self._encoding = encoding
        self._is_plain = encoding is PositionEncodingKind.Utf32 or source.text.isascii()

    def position(self, offset: int) -> Position:
        """The client's name for an offset; one outside the text is clamped to it."""
        text = self._source.text
        offset = max(0, min(offset, len(text)))
        line, start = self._source.line_at(offset)
        return Position(line - 1, offset - start if self._is_plain else width(text[start:offset], self._encoding))

    def range(self, span: Span) -> Range:
        """The client's name for a range of offsets."""
        return Range(self.position(span.start), self.position(span.end))

    def on_one_line(self, span: Span) -> Span:
        """What of a range of offsets stands on its first line."""
        _, end = self._source.line_span(self._source.place(span.start).line)
        return Span(span.start, max(span.start, min(span.end, end)))

    def offset(self, position: Position) -> int:
        """The offset of a client's position; what lies outside its line, or inside a character, is clamped."""
        number = position.line + 1
        if number > self._source.line_count:
            return len(self._source.text)
        start, end = self._source.line_span(number)
        return start + _characters(self._source.text[start:end], position.character, self._encoding)

    def span(self, range_: Range) -> Span:
        """The offsets of a client's range; a range that ends before it starts is empty."""
        start = self.offset(range_.start)
        return Span(start, max(start, self.offset(range_.end)))


def width(text: str, encoding: PositionEncodingKind) -> int:
    """How many units of an encoding a text has. A lone surrogate, which JSON can hold, counts as it would."""
    if encoding is PositionEncodingKind.Utf32 or text.isascii():
        return len(text)
    if encoding is PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(line: str, units: int, encoding: PositionEncodingKind) -> int:
    """How many whole characters of a line lie in its first ``units`` units."""
    if encoding is PositionEncodingKind.Utf32 or line.isascii():
        return min(units, len(line))
    ends = list(accumulate(width(character, encoding) for character in line))
    return bisect_right(ends, units)


def apply(
    source: Source, changes: Iterable[TextDocumentContentChangeEvent], encoding: PositionEncodingKind
) -> tuple[Source, list[Edit]]:
    """The text after a batch of changes, and the changes as edits: each in a text that has the earlier ones."""
    if isinstance(changes, Sequence) and len(changes) == 1 and isinstance(changes[0], TextDocumentContentChangePartial):
        return _apply_one(source, changes[0], encoding)
    text = _Lines(source.text)
    edits = []
    for change in changes:
        if isinstance(change, TextDocumentContentChangePartial):
            edits.append(text.replace(change.range, change.text, encoding))
        else:
            edits.append(_smallest(0, text.joined(), change.text))
            text = _Lines(change.text)
    return Source(text.joined()), edits


def _apply_one(
    source: Source, change: TextDocumentContentChangePartial, encoding: PositionEncodingKind
) -> tuple[Source, list[Edit]]:
    """The same for what nearly every key makes, with the lines that are known already."""
    start, end = Positions(source, encoding).span(change.range)
    text = f"{source.text[:start]}{change.text}{source.text[end:]}"
    return Source(text), [_smallest(start, source.text[start:end], change.text)]


def _smallest(start: int, old: str, new: str) -> Edit:
    """The edit of ``old``, which stands at ``start``, to ``new``: some clients send more than has changed."""
    most = min(len(old), len(new))
    head = bisect_left(range(most), True, key=lambda n: not old.startswith(new[: n + 1]))
    most -= head
    tail = bisect_left(range(most), True, key=lambda n: not old.endswith(new[len(new) - n - 1 :]))
    return Edit(Span(start + head, start + len(old) - tail), new[head : len(new) - tail])


class _Lines:
    """A text as a list of lines with their breaks, so that a change costs as much as the lines it touches.

    Rebuilding the text for each of 200 cursors would take 200 times as long. Offsets are counted from the last
    change, since changes come in order in practice, ascending or descending.
    """

    def __init__(self, text: str) -> None:
        self._lines = _split(text)
        self._line = 0  # a line of which we know ...
        self._start = 0  # ... the offset it starts at

    def joined(self) -> str:
        return "".join(self._lines)

    def replace(self, range_: Range, text: str, encoding: PositionEncodingKind) -> Edit:
        """Change the text, and return the change in offsets of what was there before."""
        first, start = self._locate(range_.start, encoding)
        last, end = self._locate(range_.end, encoding)
        if (last, end) < (first, start):
            last, end = first, start
        offset = self._offset(first) + start
        removed = "".join([*self._lines[first:last], self._lines[last][:end]])[start:]
        if first and self._lines[first - 1].endswith("\r"):  # a new \n would join it
            first -= 1
            start += len(self._lines[first])
        head = "".join(self._lines[first : first + 2])[:start] if start else ""
        fresh = _split(head + text + self._lines[last][end:])
        is_last = last == len(self._lines) - 1
        self._lines[first : last + 1] = fresh if is_last else fresh[:-1]
        self._line, self._start = first, offset - start
        return _smallest(offset, removed, text)

    def _locate(self, position: Position, encoding: PositionEncodingKind) -> tuple[int, int]:
        """The line of a position, and the characters before it there."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line].rstrip("\r\n")
        return position.line, _characters(line, position.character, encoding)

    def _offset(self, line: int) -> int:
        """Where a line starts."""
        if line < self._line:
            return self._start - sum(map(len, self._lines[line : self._line]))
        return self._start + sum(map(len, self._lines[self._line : line]))


def _split(text: str) -> list[str]:
    """The lines with their breaks; the last one has none, and may be empty."""
    lines = _LINE.findall(text)
    return [*lines, text[sum(map(len, lines)) :]]
