"""Julia text to tokens, one at a time: what a string or an adjacent word means depends on where the reader is."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from .failures import SyntaxFailure

_WORDS = (
    "function end if elseif else for while let begin return break continue local global const module "
    "baremodule using import export struct macro quote try catch finally do abstract primitive mutable "
    "true false"
)
KEYWORDS = frozenset(_WORDS.split())
_FOLDED = str.maketrans(
    {"\u025b": "\u03b5", "\u00b5": "\u03bc", "\u00b7": "\u22c5", "\u0387": "\u22c5", "\u2212": "-", "\u210f": "\u0127"}
)
_NUMBER = re.compile(
    r"0x[0-9a-fA-F_]+|0b[01_]+|0o[0-7_]+"
    r"|(?:[0-9][0-9_]*(?:\.(?![.a-zA-Z_])[0-9_]*)?|\.[0-9][0-9_]*)(?:[eEf][+\-\u2212]?[0-9]+)?"
)
_SIGNS = (
    "... === !== --> <-- .. <: >: :: := => -> |> <| == != <= >= && || // << >> += -= *= /= ^= %= |= &= ÷= "
    "⊻= + - * / \\ ^ % & | ! < > = ? : ~ ÷ ≤ ≥ ≠ ∈ ∉ ⊻ √ ⋅ × ∘ ' $ . ∪ ∩ ≈"
)
_OPERATORS = sorted(_SIGNS.split(), key=len, reverse=True)
_BROADCAST = tuple(f".{each}" for each in _OPERATORS if each[0] in "+-*/^%=<>!&|÷≤≥≠")
_BRACKETS = "()[]{},;"


class Token(NamedTuple):
    """``kind`` is `number`, `name`, `keyword`, `operator`, `string`, `command`, `character`, `macro`, `newline`, `end`,
    or the bracket or separator itself. ``spaced`` tells whether blanks stand before it."""

    kind: str
    text: str
    start: int
    end: int
    spaced: bool


def folded(name: str) -> str:
    """An identifier as Julia compares it: some characters that look alike are one, and the rest is NFC."""
    return unicodedata.normalize("NFC", name.translate(_FOLDED))


def token_at(text: str, position: int) -> Token:
    """The first token from a position on; line ends are tokens, comments are blanks."""
    start = position
    while position < len(text):
        if text[position] in " \t\r\ufeff":
            position += 1
        elif text.startswith("#=", position):
            position = _after_comment(text, position)
        elif text[position] == "#":
            newline = text.find("\n", position)
            position = len(text) if newline < 0 else newline
        else:
            break
    return _token(text, position, position > start)


def _after_comment(text: str, position: int) -> int:
    depth = 0
    while position < len(text):
        if text.startswith("#=", position):
            depth, position = depth + 1, position + 2
        elif text.startswith("=#", position):
            depth, position = depth - 1, position + 2
            if not depth:
                return position
        else:
            position += 1
    raise SyntaxFailure("a comment is never closed")


def _token(text: str, at: int, spaced: bool) -> Token:
    if at >= len(text):
        return Token("end", "", at, at, spaced)
    first = text[at]
    if first == "\n":
        return Token("newline", first, at, at + 1, spaced)
    if first in _BRACKETS:
        return Token(first, first, at, at + 1, spaced)
    if first in '"`':
        return Token("string" if first == '"' else "command", first, at, at, spaced)
    number = _NUMBER.match(text, at)
    if number is not None:
        return Token("number", number[0].replace("_", "").replace("\u2212", "-"), at, number.end(), spaced)
    if _starts_name(first):
        return _name(text, at, spaced)
    if text.startswith("@.", at):
        return Token("macro", ".", at, at + 2, spaced)
    if first == "@" and at + 1 < len(text) and _starts_name(text[at + 1]):
        name = _name(text, at + 1, False)
        return Token("macro", name.text, at, name.end, spaced)
    for known in (*_BROADCAST, *_OPERATORS):
        if text.startswith(known, at) or (known == "-" and first == "\u2212"):
            return Token("operator", known, at, at + len(known), spaced)
    if first in "\u00b7\u0387":
        return Token("operator", "⋅", at, at + 1, spaced)
    raise SyntaxFailure(f"unexpected {first!r} at {at}")


def _starts_name(char: str) -> bool:
    category = unicodedata.category(char)
    return (
        char == "_"
        or char in "∂∇∞∑∏∅"
        or (category in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Sc", "So") and char != "$")
    )


def _goes_on(char: str) -> bool:
    if char in "^`":  # modifiers by their category, which Julia asks of what is not ASCII only
        return False
    return (
        _starts_name(char) or char in "!′″‴" or unicodedata.category(char) in ("Nd", "Mn", "Mc", "No", "Sk", "Me", "Pc")
    )


def _name(text: str, at: int, spaced: bool) -> Token:
    end = at + 1
    while end < len(text) and _goes_on(text[end]):
        if text[end] == "!" and text.startswith("!=", end) and not text.startswith("!==", end):
            break
        end += 1
    name = folded(text[at:end])
    return Token("keyword" if name in KEYWORDS else "name", name, at, end, spaced)
