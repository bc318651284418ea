"""Cutting a text into its top-level items, by one pass over strings, comments, brackets and outermost lines.

The grammar of Python is not needed for it: an item begins in the first column, outside of strings and brackets, with
anything but a word that goes on with the item before. A bracket that is still open is given up at a line that can only
begin an item, so what is half typed spoils only itself.

The headers of definitions, as they are written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from dp_lsp import cells
from dp_lsp.language import Argument
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Chunk
from dp_lsp.text import Span


def arguments(text: str, name: Span) -> list[Argument]:
    """The parameters of a definition whose name stands at a place; none where the header cannot be read."""
    depth = 0
    for position in range(name.end, len(text)):
        depth += text[position] in "([{"
        depth -= text[position] in ")]}"
        if depth == 0 and text[position] == ")":
            break
    else:
        return []
    try:
        tree = ast.parse(f"def f{text[name.end : position + 1]}: pass")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    (found,) = tree.body
    assert isinstance(found, ast.FunctionDef), "that is what is parsed"
    return [Argument(ast.unparse(each), each.arg) for each in found.args.args]


_PREFIX = r"(?:\b[rRbBuUfF]{1,2})?"
_TOKEN = re.compile(
    rf"(?P<long>{_PREFIX}(?:\"\"\"|'''))"
    rf"|(?P<text>{_PREFIX}(?:\"(?:\\(?:\r\n|.)|[^\"\\\r\n])*\"?|'(?:\\(?:\r\n|.)|[^'\\\r\n])*'?))"
    r"|(?P<comment>\#[^\r\n]*)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])"
    r"|(?P<joined>\\(?:\r\n|\r|\n))"
    r"|(?P<line>\r\n|\r|\n)",
    re.DOTALL,
)
_LONG_END = {mark: re.compile(rf"(?:\\.|[^\\])*?{mark}", re.DOTALL) for mark in ('"""', "'''")}
_BEGINS = re.compile(r"(?:def|class|import|from|async[ \t]+def)\b|@")
_PARTS = re.compile(rf"^(?:{_BEGINS.pattern})", re.MULTILINE)
_REMEMBERED = 1 << 12
"""How many parts of texts are remembered."""
_GOES_ON = re.compile(r"(?:else|elif|except|finally)\b|[)\]}]")
_BLANK = re.compile(r"[ \t\f]*")
_READS = re.compile(r"^[ \t]*[^\W\d]\w*[ \t]*:[^\n=]*\bAnnotated[ \t]*\[", re.MULTILINE)
_DEFINES = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*(?:@|def\b|class\b|async\b)")
_FUNCTION = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*(?:@[^\n]*\n|def\b)")
_SPEAKS = re.compile(r"#[ \t]*dp:")


class Piece(NamedTuple):
    """A string, a comment, or the end of a logical line, and where it stands; ``closed`` says so of a string."""

    kind: str
    start: int
    end: int
    closed: bool = True


def pieces(text: str) -> Iterator[Piece]:
    """The strings, comments, brackets and line ends of a text, in order."""
    position = 0
    while found := _TOKEN.search(text, position):
        kind = str(found.lastgroup)
        start, position = found.span()
        closed = True
        if kind == "long":
            end = _LONG_END[found[0][-3:]].match(text, position)
            closed, position = end is not None, end.end() if end else len(text)
        elif kind == "text":
            quote = found[0].lstrip("rRbBuUfF")[0]
            closed = len(found[0].lstrip("rRbBuUfF")) > 1 and found[0].endswith(quote)
        yield Piece(kind, start, position, closed)


def comments(text: str) -> list[Span]:
    """Where the comments of a text stand."""
    return [Span(piece.start, piece.end) for piece in pieces(text) if piece.kind == "comment"]


class _Line(NamedTuple):
    """A line that begins outside of strings and brackets: what stands in its first column."""

    start: int
    kind: str


def chunks(text: str, found: tuple[Chunk, ...], named: Iterable[str]) -> tuple[Chunk, ...]:
    """The chunks of a file with these items, and names of annotations. Comments right above an item belong to it. A
    file whose body reads data is one: what is known of that depends on all of it."""
    if not any(reads_data(each.text, named) for each in found):
        return found
    start, last = 0 if cells.is_joined(text) else found[0].start, found[-1]
    return (Chunk(start, text[start : last.start + len(last.text)]),)


def reads_data(item: str, named: Iterable[str]) -> bool:
    """Whether an item may say of a value that it is data, by a name of an annotation, too: in a statement, of a
    function as well, which is what an annotation of a parameter is not."""
    patterns = (_READS, *map(_says, named))
    if not any(each.search(item) for each in patterns):
        return False
    return _DEFINES.match(item) is None or (_FUNCTION.match(item) is not None and _in_statement(item, patterns))


@lru_cache(_REMEMBERED)
def _in_statement(item: str, patterns: tuple[re.Pattern[str], ...]) -> bool:
    """Whether a line that one of these finds goes on with no bracket, as the parameters of a function do."""
    found = {each.start() for pattern in patterns for each in pattern.finditer(item)}
    return not found.isdisjoint(line_starts(item))


@lru_cache
def _says(name: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*[^\W\d]\w*[ \t]*:[^\n=]*\b{name}\b", re.MULTILINE)


def items(text: str, look: Callable[[], None] = lambda: None) -> tuple[Chunk, ...]:
    """The top-level items of a file, each by itself. Those of a notebook are the items of its cells, none of which
    ends in another one; a cell that is not Python is one, and so is the line above a cell that was run too early."""
    if not cells.is_joined(text):
        return _items(text, look)
    found: list[Chunk] = []
    for mark, (start, end) in cells.split(text):
        if mark["late"]:
            found.append(Chunk(mark.start(), f"{mark[0]}\n"))
        inner = text[start:end]
        made = (Chunk(0, inner.rstrip()),) if inner.lstrip().startswith("%%") else _items(inner, look)
        found += (Chunk(start + each.start, each.text) for each in made)
    return tuple(found)


def line_starts(text: str) -> Iterator[int]:
    """Where the lines begin that do not go on with a string, a bracket or the line before."""
    return (line.start for line in _lines(text))


def _items(text: str, look: Callable[[], None]) -> tuple[Chunk, ...]:
    found: list[Chunk] = []
    begun: int | None = None
    above: int | None = None
    lines = [*_lines(text), _Line(len(text), "item")]
    last = 0
    for line, following in zip(lines, [*lines[1:], lines[-1]], strict=True):
        if line.kind in ("item", "blank") and above is not None and (line.kind == "blank" or line.start == len(text)):
            if _SPEAKS.search(text, above, line.start):
                _end(found, text, begun, last, look)
                begun, last = above, line.start
                _end(found, text, begun, last, look)
                begun = None
            above = None
        if line.kind == "item":
            _end(found, text, begun, last, look)
            begun, above, last = line.start if above is None else above, None, following.start
        elif line.kind == "inside":
            above, last = None, following.start
        elif line.kind == "comment" and above is None:
            above = line.start
    return tuple(found)


def _end(found: list[Chunk], text: str, start: int | None, end: int, look: Callable[[], None]) -> None:
    if start is not None and start < len(text):
        look()
        found.append(Chunk(start, text[start:end].rstrip()))


def _lines(text: str) -> Iterator[_Line]:
    """The outermost lines of a text. It is read in parts that begin where only an item can: after an edit those that
    are as they were are known."""
    start, decorated = 1 if text.startswith("\ufeff") else 0, False
    ends = [*(found.start() for found in _PARTS.finditer(text, start + 1)), len(text)]
    begun, closed = start, 0
    for end in ends:
        if end < closed:
            continue
        part = _part(text[begun:end], decorated)
        if not part.is_whole and end < len(text):
            closed = end if part.opened is None else _closed(text, begun + part.opened)
            continue
        for line in part.lines:
            yield _Line(begun + line.start, line.kind)
        begun, decorated = end, part.decorated


class _Part(NamedTuple):
    """The outermost lines of a part of a text. One that ``is_whole`` ends with a line that is not gone on with; it may
    end with a line that ``decorated`` what follows. In another one a long string may be ``opened`` that goes on."""

    lines: tuple[_Line, ...]
    is_whole: bool
    decorated: bool
    opened: int | None


def _closed(text: str, opened: int) -> int:
    """Where a long string ends."""
    mark = _TOKEN.match(text, opened)
    assert mark is not None, "it begins with its mark"
    found = _LONG_END[mark[0][-3:]].match(text, mark.end())
    return len(text) if found is None else found.end()


@lru_cache(_REMEMBERED)
def _part(text: str, decorated: bool) -> _Part:
    """A part that begins an outermost line, behind one that ``decorated`` it or not."""
    lines: list[_Line] = []
    depth, start, waiting = 0, 0, True
    last = Piece("line", 0, 0)
    for piece in (*pieces(text), Piece("", len(text), len(text))):
        if waiting and start < len(text):
            kind = _kind(text, start)
            if kind == "item":
                kind, decorated = "inside" if decorated else "item", text[start] == "@"
            lines.append(_Line(start, kind))
        waiting = False
        if piece.kind == "open":
            depth += 1
        elif piece.kind == "close":
            depth = max(0, depth - 1)
        elif piece.kind == "line":
            start = piece.end
            if depth and _BEGINS.match(text, start):
                depth, decorated = 0, False
            waiting = depth == 0
        last = piece if piece.kind else last
    opened = last.start if last.kind == "long" and not last.closed else None
    return _Part(tuple(lines), last.kind == "line" and last.end == len(text), decorated and not depth, opened)


def _kind(text: str, start: int) -> str:
    if _GOES_ON.match(text, start) or (text[start] in " \t\f" and _rest(text, start)):
        return "inside"
    if text[start] == "#":
        return "comment"
    return "item" if _rest(text, start) else "blank"


def _rest(text: str, start: int) -> bool:
    """Whether anything but blanks stands on a line from a place on."""
    found = _BLANK.match(text, start)
    return found is not None and found.end() < len(text) and text[found.end()] not in "\r\n"
