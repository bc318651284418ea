"""Strings and comments: where they end, what they say, and which names stand in them.

Neither is regular: comments nest, and a string may hold code that holds strings. The extents are those of Julia's own
lexer, whatever stands in them.
"""

from __future__ import annotations

import re
from functools import cache

from dp_lsp.frontends.julia.folding import normalised
from dp_lsp.frontends.julia.tokens import KEYWORDS, spelling
from dp_lsp.named import NamedTuple

_RAW = {quote: re.compile(rf"\\+{quote[0]}|{quote}") for quote in ('"""', '"', "```", "`")}
_COMMENT = re.compile(r"#=|=#")
_LINE_END = re.compile(r"\r?\n|\Z")
CHARACTER = re.compile(r"'(?:\\[\s\S][^'\n]*|[^\\'])'|'''")
"""A character, where no adjoint stands."""
_INSIDE_STRING = re.compile(r"[^\s,;.)\]}*^:'=<>!&|?+-]")
"""What does not follow the end of a string."""
_WORDS_OF_OPERATORS = frozenset(("in", "isa", "where", "True", "False"))
"""Words that are no names here, but name a macro where a string touches them."""


@cache
def _inside(quote: str, plain: bool) -> re.Pattern[str]:
    """What counts in a string with these quotation marks: escapes, interpolations, and its end."""
    return re.compile(rf"\\[\s\S]|{quote}|\$\(|\$(?P<name>{spelling(plain).identifier})")


@cache
def _code(plain: bool) -> re.Pattern[str]:
    """What counts in the code of an interpolation."""
    return re.compile(
        rf"(?P<name>{spelling(plain).identifier})|[0-9]\w*|(?P<comment>\#=)|\#[^\n]*"
        r"|(?P<quote>\"\"\"|\"|```|`)|(?P<tick>')|[\s\S]"
    )


RAW = "raw"
"""Stands before the quotation marks of a string that a macro reads, where it is said what is open."""


class StringExtent(NamedTuple):
    """How far a string goes, the names that its interpolations mention, whether it has any, where these names stand,
    and where the code of each ``$(…)`` does that is not inside another."""

    end: int
    mentions: frozenset[str] = frozenset()
    interpolated: bool = False
    places: tuple[tuple[int, int], ...] = ()
    codes: tuple[tuple[int, int], ...] = ()


def comment_end(text: str, start: int) -> int | None:
    """Where the comment that ``#=`` opens at ``start`` ends, or None if it never does."""
    depth = 0
    for mark in _COMMENT.finditer(text, start):
        depth += 1 if mark[0] == "#=" else -1
        if not depth:
            return mark.end()
    return None


def line_end(text: str, start: int) -> int:
    """Where the line of an offset ends, without its line break."""
    found = _LINE_END.search(text, start)
    return found.start() if found else len(text)


def is_forgotten(text: str, start: int, end: int) -> bool:
    """Whether a string between single quotation marks looks as if one was forgotten: it runs over several lines, and a
    word or the like touches its end, which then is the beginning of the next string."""
    return line_end(text, start) < end and _INSIDE_STRING.match(text, end) is not None


def quote_at(text: str, start: int) -> str:
    """The quotation marks that a string begins with; nothing where none does."""
    mark = text[start : start + 3]
    return mark if mark in ('"""', "```") else mark[:1] if mark[:1] in ('"', "`") else ""


def names_macro(word: str) -> bool:
    """Whether a string that touches this word is read by a macro."""
    return word not in KEYWORDS or word in _WORDS_OF_OPERATORS


def string_extent(text: str, start: int, quote: str) -> StringExtent | None:
    """How far the string goes that ``quote`` opens at ``start``, or None if it is never closed. A command is read by a
    macro, so its end is looked for without regard to what is interpolated."""
    scan = _StringScan(text, start + len(quote))
    if quote[0] == "`":
        extent = raw_extent(text, start, quote)
        return scan.command(extent.end, quote) if extent else None
    return scan.extent() if scan.string(quote) else None


def end_of(text: str, start: int, mark: str) -> int | None:
    """Where the string or the comment that ``mark`` opens at ``start`` ends, or None if it never does."""
    if mark == "#=":
        return comment_end(text, start)
    raw = mark.startswith(RAW)
    extent = raw_extent(text, start, mark[len(RAW) :]) if raw else string_extent(text, start, mark)
    return extent.end if extent else None


class _StringScan:
    """Reads a string, and the code in it, which may hold strings again."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._position = start
        self._limit = len(text)
        self._plain = text.isascii()
        self._places: list[tuple[int, int]] = []
        self._codes: list[tuple[int, int]] = []
        self._interpolated = False
        self._open: list[str] = []  # quotation marks, and "(" for code
        self._touched = False  # whether an operand ends where code is read next

    def extent(self) -> StringExtent:
        """What was read."""
        names = frozenset(normalised(self._text[first:last]) for first, last in self._places)
        return StringExtent(self._position, names, self._interpolated, tuple(self._places), tuple(self._codes))

    def command(self, end: int, quote: str) -> StringExtent:
        """What is interpolated in a command that ends there."""
        self._limit = end - len(quote)
        self.string(quote)
        return self.extent()._replace(end=end)

    def string(self, quote: str) -> bool:
        """Read to the end of the string; false if there is none."""
        self._open = [quote]
        code = self._position
        while self._open:
            depth, inner = len(self._open), self._open[-1]
            if not (self._in_code() if inner == "(" else self._in_string(inner)):
                return False
            if depth == 1 and self._open:
                code = self._position
            elif depth == 2 and inner == "(" and len(self._open) == 1:
                self._codes.append((code, self._position - 1))
        return True

    def _in_string(self, quote: str) -> bool:
        """Read the next thing in a string that counts; false if there is none."""
        found = _inside(quote, self._plain).search(self._text, self._position, self._limit)
        if found is None:
            return False
        self._position, word = found.end(), found[0]
        if word == quote:
            self._open.pop()
            self._touched = True
        elif word == "$(":
            self._interpolated = True
            self._open.append("(")
            self._touched = False
        elif word[0] == "$":
            self._interpolated = True
            self._name(found)
        return True

    def _in_code(self) -> bool:
        """Read the next token of code; false if there is none."""
        found = _code(self._plain).match(self._text, self._position, self._limit)
        if found is None:
            return False
        touched, self._touched = self._touched, False
        self._position, word, kind = found.end(), found[0], found.lastgroup
        if kind == "name":
            return self._word(found)
        if kind == "comment":
            return self._skip(comment_end(self._text, found.start()))
        if kind == "quote" and word[0] == "`":
            return self._raw(found.start())
        if kind == "tick" and not touched:
            character = CHARACTER.match(self._text, found.start())
            return self._skip(character.end() if character else None)
        if kind == "quote" or word == "(":
            self._open.append(word)
        elif word == ")":
            self._open.pop()
        self._touched = word in ")]}'." or word[0].isdigit()
        return True

    def _word(self, found: re.Match[str]) -> bool:
        word = found["name"]
        self._touched = word not in KEYWORDS or KEYWORDS[word] in ("BOOL", "END")
        if quote_at(self._text, self._position) and names_macro(word):
            return self._raw(self._position)
        self._name(found)
        return True

    def _name(self, found: re.Match[str]) -> None:
        if found["name"] not in KEYWORDS:
            self._places.append(found.span("name"))

    def _raw(self, start: int) -> bool:
        """A string that a macro reads."""
        extent = raw_extent(self._text, start, quote_at(self._text, start))
        self._touched = True
        return self._skip(extent.end if extent else None)

    def _skip(self, end: int | None) -> bool:
        """Go on behind something that ends there; false if it never does."""
        self._position = self._limit if end is None else end
        return end is not None and end <= self._limit


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a text between two offsets, without the blanks around it."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def raw_extent(text: str, start: int, quote: str) -> StringExtent | None:
    """The same for a string that a macro reads: no interpolation, and only ``quote`` can be escaped."""
    position = start + len(quote)
    while found := _RAW[quote].search(text, position):
        word = found[0]
        if word[0] != "\\":
            return StringExtent(found.end())
        # An odd number of backslashes escapes the mark; an even one stands for themselves.
        position = found.end() if len(word) % 2 == 0 else found.end() - 1
    return None


_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{1,6})\}?|x([0-9a-fA-F]{1,2})|\r?\n[ \t]*|([\s\S]))")
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
}


def string_value(literal: str) -> str:
    """What a string without interpolation says."""
    if not literal.startswith('"""'):
        return _ESCAPE.sub(_unescape, literal[1:-1])
    body = re.sub(r"\r\n?", "\n", literal[3:-3])
    lines = body.split("\n")
    # Julia takes the smallest indentation of the lines after the first, that of the closing marks included.
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    if len(lines) > 1 and not lines[-1].strip():
        margins.append(len(lines[-1]))
    margin = min(margins, default=0)
    body = "\n".join([lines[0], *(line[margin:] for line in lines[1:])])
    return _ESCAPE.sub(_unescape, body.removeprefix("\n"))


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else "\ufffd"
    letter = escape[3]
    return _LETTERS.get(letter, letter) if letter else ""
