"""Strings and comments: where they end, what they say, and which names stand in them.

Neither is regular: comments nest, and a string may hold code that holds strings.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from dp_lsp.frontends.julia.tokens import KEYWORDS, spelling
from dp_lsp.text import normalised

_CODE = r'#=[\s\S]*?=#|#[^\n]*|\'(?:\\[^\r\n][^\'\r\n]*|[^\\\'\r\n])\'|[()]|"""|"|```|`|(?P<name>{identifier})'
_RAW = {quote: re.compile(rf"\\+{quote[0]}|{quote}") for quote in ('"""', '"', "```", "`")}
_COMMENT = re.compile(r"#=|=#")
_LINE_END = re.compile(r"\r?\n|\Z")


_INSIDE_STRING = re.compile(r"[^\s,;.)\]}*^:'=<>!&|?+-]")
"""What does not follow the end of a string."""


@cache
def _inside(what: str, plain: bool) -> re.Pattern[str]:
    """What counts in an interpolation, which ``(`` stands for, or in a string with these quotation marks."""
    identifier = spelling(plain).identifier
    if what == "(":
        return re.compile(_CODE.replace("{identifier}", identifier))
    return re.compile(rf"\\[\s\S]|{what}|\$\(|\$(?P<name>{identifier})")


class Extent(NamedTuple):
    """How far a string goes, the names that its interpolations mention, whether it has any, where these names stand,
    and where the code of ``$(…)`` does that is not inside another."""

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


def string_extent(text: str, start: int, quote: str) -> Extent | None:
    """How far the string goes that ``quote`` opens at ``start``, or None if it is never closed.

    A string in single quotation marks may run over several lines, but not if a word or the like touches its end:
    then a mark was forgotten, and what looks like its end is the beginning of the next string.
    """
    open_: list[str] = [quote]  # quotation marks, and "(" for code inside an interpolation
    places: list[tuple[int, int]] = []
    codes: list[tuple[int, int]] = []
    code = position = start + len(quote)
    interpolated, plain = False, text.isascii()
    while open_:
        inner = open_[-1]
        found = _inside(inner, plain).search(text, position)
        if found is None:
            return None
        position, word = found.end(), found[0]
        if found["name"]:
            interpolated = True
            if found["name"] not in KEYWORDS:
                places.append(found.span("name"))
        elif word == "$(":
            code = position if len(open_) == 1 else code
            open_.append("(")
            interpolated = True
        elif inner != "(":
            if word == inner:
                open_.pop()
        elif word == ")":
            open_.pop()
            codes += [(code, found.start())] if len(open_) == 1 else []
        elif word == "(" or word in _RAW:
            open_.append(word)
    if len(quote) == 1 and line_end(text, start) < position and _INSIDE_STRING.match(text, position):
        return None
    names = frozenset(normalised(text[first:last]) for first, last in places)
    return Extent(position, names, interpolated, tuple(places), tuple(codes))


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a text between two offsets, without the blanks around it."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def raw_extent(text: str, start: int, quote: str) -> Extent | None:
    """The same for a string that a macro reads: no interpolation, and only ``quote`` can be escaped."""
    position = start + len(quote)
    while found := _RAW[quote].search(text, position):
        word = found[0]
        if word[0] != "\\":
            return Extent(found.end())
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
