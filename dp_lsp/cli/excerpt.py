"""A piece of source text with places underlined, as compilers show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dp_lsp.cli.style import Paint, cell, printable
from dp_lsp.text import Source, Span

_BEFORE = 16  # columns kept in front of the first mark of a line that is cut
_CUT = "…"


class Mark(NamedTuple):
    """A place to underline, with what to say about it. ``sign`` is what the line is drawn with."""

    span: Span
    label: str
    sign: str
    role: str


class _Stroke(NamedTuple):
    """A mark on one line, in columns from 0, the end excluded."""

    start: int
    end: int
    label: str
    sign: str
    role: str


def excerpt(
    source: Source, marks: Sequence[Mark], paint: Paint, columns: int, gutter: int = 0
) -> tuple[int, list[str]]:
    """The lines that the marks touch with underlines below them, and how wide their line numbers are: at least
    ``gutter``."""
    lines: dict[int, list[Mark]] = {}
    for mark in marks:
        for line in _lines(source, mark.span):
            lines.setdefault(line, []).append(mark)
    gutter = max(gutter, len(str(max(lines))))
    rule = paint("│", "rule")
    blank = f"{' ' * gutter} {rule}"
    out: list[str] = []
    for number in _with_gaps(sorted(lines)):
        if number is None:
            out.append(paint(_CUT.rjust(gutter), "rule"))
            continue
        text, strokes = _laid_out(source, number, lines.get(number, []), columns - gutter - 3)
        out.append(f"{paint(str(number).rjust(gutter), 'rule')} {rule} {text}".rstrip())
        out += [f"{blank} {row}" for row in _underlines(strokes, paint)]
    return gutter, out


def _lines(source: Source, span: Span) -> Iterable[int]:
    """The lines to show of a place: all of a short one, the first and last of a long one."""
    first = source.place(span.start).line
    last = _last_line(source, span)
    return range(first, last + 1) if last - first < 3 else (first, last)


def _last_line(source: Source, span: Span) -> int:
    return source.place(max(span.start, span.end - 1)).line


def _with_gaps(numbers: list[int]) -> Iterator[int | None]:
    """Line numbers with None for a gap; a single line between two is shown instead."""
    for before, number in zip([number - 1 for number in numbers[:1]] + numbers, numbers, strict=False):
        if number - before == 2:
            yield number - 1
        elif number - before > 2:
            yield None
        yield number


def _laid_out(source: Source, number: int, marks: Iterable[Mark], columns: int) -> tuple[str, list[_Stroke]]:
    """A line as it is printed, cut to ``columns`` around its marks, and its strokes."""
    start, end = source.line_span(number)
    cells, at = _cells(source.text[start:end])
    strokes = []
    for mark in marks:
        comes_in = mark.span.start < start
        low = len(cells) - len(source.text[start:end].lstrip()) if comes_in else mark.span.start - start
        high = min(mark.span.end - start, len(cells))
        if high <= low and comes_in:
            continue
        first = at[min(low, len(cells))]
        label = printable(mark.label) if _last_line(source, mark.span) == number else ""
        strokes.append(_Stroke(first, max(at[high], first + 1), label, mark.sign, mark.role))
    if at[-1] <= columns:
        return "".join(cells), strokes
    return _cut(cells, at, strokes, columns)


def _cells(text: str) -> tuple[list[str], list[int]]:
    """What is printed for each character, and the column each starts in, that of the end included."""
    cells, at, column = [], [], 0
    for character in text:
        shown, size = cell(character, column)
        cells.append(shown)
        at.append(column)
        column += size
    return cells, [*at, column]


def _cut(cells: list[str], at: list[int], strokes: list[_Stroke], columns: int) -> tuple[str, list[_Stroke]]:
    room = columns - 2 * len(_CUT)
    first = strokes[0].start if strokes else 0  # the first given is what the excerpt is about
    fits = not strokes or strokes[0].end <= room
    low = 0 if fits else max(0, min(first - _BEFORE, at[-1] - room))
    inside = [i for i, start in enumerate(at[:-1]) if low <= start and at[i + 1] <= low + room]
    before, after = _CUT if inside[0] else "", _CUT if inside[-1] + 1 < len(cells) else ""
    shift, end = at[inside[0]] - len(before), at[inside[-1] + 1]

    def moved(column: int) -> int:
        return min(max(column, shift), end) - shift

    moved_strokes = [
        stroke._replace(start=moved(stroke.start), end=max(moved(stroke.end), moved(stroke.start) + 1))
        for stroke in strokes
    ]
    return before + "".join(cells[i] for i in inside) + after, moved_strokes


def _underlines(strokes: Sequence[_Stroke], paint: Paint) -> Iterator[str]:
    """The rows below a line. Strokes that overlap are drawn below each other, the first given highest."""
    layers: list[list[_Stroke]] = []
    for stroke in strokes:
        for layer in layers:
            if all(stroke.end < other.start or other.end < stroke.start for other in layer):
                layer.append(stroke)
                break
        else:
            layers.append([stroke])
    for layer in layers:
        yield from _rows(sorted(layer), paint)


def _rows(strokes: list[_Stroke], paint: Paint) -> Iterator[str]:
    """One row of strokes; the last one's label stands beside it, the others hang below."""
    for i, stroke in enumerate(strokes):  # what is said of several places is said once, at the last
        if any(stroke.label == later.label for later in strokes[i + 1 :]):
            strokes[i] = stroke._replace(label="")
    drawn = [(s.start, s.sign * (s.end - s.start), s.role) for s in strokes]
    last = strokes[-1]
    yield _row([*drawn, (last.end + 1, last.label, last.role)], paint)
    hanging = [(s.start, "│", s.role, s.label) for s in strokes[:-1] if s.label]
    if hanging:
        yield _row([piece[:3] for piece in hanging], paint)
    while hanging:
        start, _, role, label = hanging.pop()
        yield _row([*(piece[:3] for piece in hanging), (start, label, role)], paint)


def _row(pieces: Iterable[tuple[int, str, str]], paint: Paint) -> str:
    """Texts at their columns. Only the last one may have characters that are not one column wide."""
    out, column = "", 0
    for start, text, role in pieces:
        if text:
            out += " " * (start - column) + paint(text, role)
            column = start + len(text)
    return out
