"""A Julia file cut into its top-level pieces, fast enough to be done again after every key.

Lines that begin at the outermost indentation are where a piece may begin. A lexer's look at what lies between
two of them says what is open at its end; pieces are joined until strings, comments, brackets and blocks are
closed. What is never closed stays alone, so that a half-typed function does not swallow the ones after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import pairwise

from dp_lsp.frontends.julia import lexer
from dp_lsp.frontends.julia.lexer import REMARK, Lexer, ahead, cut, forget_pieces
from dp_lsp.frontends.julia.tokens import BINARY, BLANKS, is_string
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Chunk

_HEADER = re.compile(
    r"^[ \t]*(?:(?:function|macro)[ \t]+[^\s(]+[({.]|(?:mutable[ \t]+)?struct[ \t]+[A-Z]"
    r"|(?:using|import|module)[ \t]+[A-Z.]|end[ \t]*$)",
    re.MULTILINE,
)
"""What a line of prose hardly looks like."""
_MODULE = re.compile(r"(?:bare)?module[ \t]+[^\s;#(]+[ \t]*;?(?:[ \t]*#(?!=)[^\n]*)?")
_COMMENT_LINE = re.compile(r"[ \t]*#(?!=)")
_CODE_LINE = re.compile(r"^([ \t]*)[^\s#]", re.MULTILINE)
_BLANKS = re.compile(rf"[{BLANKS}\n]*")
_OPENING = re.compile(rf"[{BLANKS};]*#=")
_BETWEEN = re.compile(rf"(?:[{BLANKS};\n]|#(?!=)[^\n]*)*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_REMEMBERED = 1 << 15
_FAR = 20_000
"""How many characters behind the end of a string decide whether it is one."""


@cache
def _boundary(indentation: str) -> re.Pattern[str]:
    """Finds a line that may begin a piece: not deeper than this, and neither a closer nor a comment."""
    return re.compile(rf"^[ \t]{{0,{indentation}}}(?=[^\s#)\]}}])(?!(?:end|else|elseif|catch|finally)\b)", re.MULTILINE)


_STATEMENT = _boundary("")


class _Look(NamedTuple):
    """What a lexer says about a piece. ``first`` is the type of its first token after a docstring.

    ``end`` is where its last token ends, ``rests`` are the line ends at which nothing is open, ``surplus`` the
    places of each ``end`` that closes nothing, ``breaks`` the ends of statements that are inside of nothing.
    ``unfinished`` is ``(`` in brackets, ``:(`` in quoted ones and ``+`` after an operator.
    """

    first: str
    start: int
    end: int
    unclosed: tuple[str, int] | None
    unfinished: str
    opened: int
    surplus: tuple[int, ...]
    breaks: tuple[int, ...]
    gave_up: bool


@lru_cache(maxsize=_REMEMBERED)
def _look(text: str) -> _Look:
    lexer = cut(text)
    told = (token for token in lexer.tokens if token.type != "NL")
    code = next(told, None)
    if code is not None and is_string(code):
        code = next(told, None)
    return _Look(
        first=code.type if code else "",
        start=code.start if code else len(text),
        end=next((token.end for token in reversed(lexer.tokens) if token.type != "NL"), 0),
        unclosed=lexer.unclosed,
        unfinished=_unfinished(lexer),
        opened=sum(frame.block for frame in lexer.frames),
        surplus=tuple(lexer.surplus),
        breaks=tuple(lexer.breaks),
        gave_up=lexer.gave_up is not None,
    )


def _unfinished(lexer: Lexer) -> str:
    if lexer.frame.bracket:
        return ":(" if lexer.frame.quoted else "("
    return "+" if lexer.last.type in BINARY else ""


class _Piece(NamedTuple):
    """``code_end`` is where the last token ends; a ``mark`` is the first or the last line of a module."""

    start: int
    end: int
    code_end: int
    look: _Look
    mark: bool = False


def chunks(text: str, look: Callable[[], None] = lambda: None) -> tuple[Chunk, ...]:
    """The top-level pieces of a file, in order; blank lines and loose comments belong to none, but a loose comment that
    speaks to the checker is one. ``look`` is called before each, and may raise to stop."""
    forget_pieces()
    flat = text.replace("\r\n", " \n")  # the same offsets with one kind of line break
    pieces = _with_last_lines(flat, list(_Cutter(flat).pieces(look)))
    places = list(_joined(text, pieces))
    if REMARK.search(text):
        places += _loose(text, places)
        places.sort()
    return tuple(Chunk(start, text[start:end]) for start, end in places)


def _loose(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The comments outside of all pieces that speak to the checker."""
    ends = [0, *(end for _, end in places)]
    starts = [*(start for start, _ in places), len(text)]
    gaps = [(end, start) for end, start in zip(ends, starts, strict=True) if REMARK.search(text, end, start)]
    return [(end + span.start, end + span.end) for end, start in gaps for span in Lexer(text[end:start]).run().remarks]


class _Cutter:
    """Cuts a text where strings, comments and brackets allow; blocks may still be open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.hopeless: dict[str, int] = {}
        """For each mark a place from which no end was found; for ``(`` and ``+`` up to which none was."""
        self._indent(0)

    def _indent(self, position: int) -> None:
        """The next line of code says how far the outermost lines are indented."""
        code = _CODE_LINE.search(self.text, position)
        self.indentation = len(code[1]) if code else 0
        self.boundary = _boundary(str(self.indentation))

    def pieces(self, go_on: Callable[[], None]) -> Iterator[_Piece]:
        position = 1 if self.text.startswith("\ufeff") else 0
        inside = 0  # the blocks that are open, that of the module included
        while (position := self._skip_blanks(position)) < len(self.text):
            go_on()
            before = self.text[self.text.rfind("\n", 0, position) + 1 : position]
            if not before.strip() and len(before) != self.indentation:
                self._indent(position)
            for piece in self._statements(self._piece(position)):
                start, position = piece.start, piece.end
                header = None
                if piece.look.first in ("MODULE", "BAREMODULE") and inside <= 0:
                    header = _MODULE.match(self.text, start + piece.look.start)
                if header:
                    position = header.end()
                    inside = 1
                    self._indent(position)
                    yield _Piece(start, position, position, piece.look, mark=True)
                    break
                inside += piece.look.opened - len(piece.look.surplus)
                if piece.look.end:
                    yield piece

    def _statements(self, piece: _Piece) -> Iterator[_Piece]:
        """The statements of a piece in which all is closed, each a piece."""
        look = piece.look
        if not look.breaks or look.opened or look.unclosed or look.unfinished or look.gave_up:
            yield piece
            return
        start = piece.start
        for end in look.breaks:
            begin = self._begin(piece.start + end)
            if begin >= piece.code_end:
                break
            part = _look(self.text[start:begin])
            if part.first and not self._is_about_line(begin):
                yield _Piece(start, begin, start + part.end, part)
                start = begin
        yield piece if start == piece.start else piece._replace(start=start, look=_look(self.text[start : piece.end]))

    def _begin(self, position: int) -> int:
        """Where the statement behind a break begins, with the comments directly above it."""
        found = _BETWEEN.match(self.text, position)
        begin = found.end() if found else position
        line = self.text.rfind("\n", 0, begin) + 1
        return self._with_comments(line, position) if line > position else begin

    def _is_about_line(self, begin: int) -> bool:
        """Whether a statement begins inside a line that a comment is about which speaks to the checker."""
        line = self.text.rfind("\n", 0, begin) + 1
        inside = bool(self.text[line:begin].strip()) and not _COMMENT_LINE.match(self.text, begin)
        return inside and REMARK.search(self.text, begin, lexer.line_end(self.text, begin)) is not None

    def _skip_blanks(self, position: int) -> int:
        found = _BLANKS.match(self.text, position)
        return found.end() if found else position

    def _piece(self, start: int) -> _Piece:
        end = self._next(start, _STATEMENT)
        look = self._look(start, end)
        if not look.first or look.opened or look.surplus or look.unclosed or look.unfinished or look.gave_up:
            end = self._next(start)
            look = self._look(start, end)
        while end < len(self.text) and (longer := self._longer(start, end, look)) > end:
            end = longer
            look = self._look(start, end)
        return _Piece(start, end, start + look.end, look)

    def _look(self, start: int, end: int) -> _Look:
        """What lies between two places, but for the blank lines at its end: mostly that is a chunk."""
        return _look(self.text[start:end].rstrip(" \t\n"))

    def _next(self, start: int, boundary: re.Pattern[str] | None = None) -> int:
        """Where the piece after ``start`` begins: at a line of code, or at the comments directly above it."""
        position = start + 1
        while found := (boundary or self.boundary).search(self.text, position):
            line = self._with_comments(found.start(), start)
            if line > start:
                return line
            position = found.start() + 1
        return len(self.text)

    def _with_comments(self, line: int, floor: int) -> int:
        while line > floor:
            begin = self.text.rfind("\n", 0, line - 1) + 1
            above = max(floor, begin)
            if self.text[begin:above].strip() or not _COMMENT_LINE.match(self.text, above):
                break
            line = above
        return line

    def _longer(self, start: int, end: int, look: _Look) -> int:
        """Where a piece ends if what is open at its end is closed, or the same place if it never is."""
        if look.unclosed:
            return self._after_closing(start, end, look)
        if not look.first:  # comments, or a docstring: they belong to what follows directly
            trailing = self.text[start + look.end : end]
            return self._next(end) if not _BLANK_LINE.search(trailing) else end
        if look.unfinished and self.hopeless.get(look.unfinished, 0) <= start:
            rest, read = ahead(self.text, start, end)
            if rest is not None:
                return self._next(rest)
            self.hopeless[look.unfinished] = read
        return end

    def _after_closing(self, start: int, end: int, look: _Look) -> int:
        assert look.unclosed is not None
        mark, place = look.unclosed[0], start + look.unclosed[1]
        if place >= self.hopeless.get(mark, len(self.text)):
            return end
        closing = lexer.end_of(self.text, place, mark)
        if closing is None or (mark == '"' and self._is_forgotten(start, place, closing)):
            self.hopeless[mark] = place
            return end
        return max(end, self._next(closing)) if closing > end else end

    def _is_forgotten(self, start: int, place: int, closing: int) -> bool:
        """Whether a string is taken for one whose end was forgotten. Strings that are no docstrings seldom run over a
        definition, so it is if Julia cannot read what follows behind its end."""
        definition = _HEADER.search(self.text, place, closing) if place > start else None
        if definition is None and not lexer.is_forgotten(self.text, place, closing):
            return False
        return ahead(self.text, start, min(closing + _FAR, len(self.text)))[0] is None


def _with_last_lines(text: str, pieces: list[_Piece]) -> list[_Piece]:
    """The pieces with the last line of each module cut out: the last ``end`` that nothing else opened."""
    headers = [index for index, piece in enumerate(pieces) if piece.mark] + [len(pieces)]
    found = pieces[: headers[0]]
    for header, following in pairwise(headers):
        body = pieces[header:following]
        index = _closing(body)
        if index is not None:
            body[index : index + 1] = _split(text, body[index])
        found += body
    return found


def _closing(body: list[_Piece]) -> int | None:
    """The piece of a module with its ``end``: the last that closes nothing else, or that may close something that
    was never finished."""
    found = unfinished = None
    opened = 0
    for index, piece in enumerate(body[1:], 1):
        for _ in piece.look.surplus:
            unfinished = index
            found = found if opened else index
            opened = max(0, opened - 1)
        opened += piece.look.opened
    return unfinished if found is None else found


def _split(text: str, piece: _Piece) -> list[_Piece]:
    """A piece cut before and after the last ``end`` that closes nothing."""
    mark = piece.start + piece.look.surplus[-1]
    end = mark + len("end")
    parts = []
    for start, stop in ((piece.start, mark), (mark, end), (end, piece.end)):
        look = _look(text[start:stop])
        if look.end:
            parts.append(_Piece(start, stop, start + look.end, look, mark=start == mark))
    if parts[-1].mark:
        parts[-1] = parts[-1]._replace(end=piece.end)  # with the comment beside it
    return parts


def _joined(text: str, pieces: list[_Piece]) -> Iterator[tuple[int, int]]:
    """Ranges of the text, with pieces joined whose blocks are closed in a later one."""
    last = list(range(len(pieces)))
    opened: list[int] = []
    for index, piece in enumerate(pieces):
        if piece.mark:
            opened.clear()
            continue
        for _ in piece.look.surplus:
            if opened:
                last[opened.pop()] = index
        opened += [index] * piece.look.opened
    index = 0
    while index < len(pieces):
        start, end = index, last[index]
        while index <= end:
            end = max(end, last[index])
            index += 1
        piece = pieces[end]
        yield pieces[start].start, min(_line_end(text, piece.code_end), piece.end)


def _line_end(text: str, position: int) -> int:
    """The end of a line of which only comments are left, the last of which may run over several lines."""
    while opening := _OPENING.match(text, position):
        closed = lexer.comment_end(text, opening.end() - 2)
        if closed is None:
            break
        position = closed
    return lexer.line_end(text, position)
