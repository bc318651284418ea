"""Strings as Julia reads them: their extent, their escapes, and the code in them."""

from __future__ import annotations

import abc
import re

from .failures import SyntaxFailure
from .syntax import Literal, Name, Node, Tree, tree
from .tokens import token_at

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_LONGER = re.compile(r"x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})")
_INDENT = re.compile(r"\n([ \t]*)(?=[^ \t\n])")


class CharacterReader(abc.ABC):
    """What reads strings and is told how to read the code in them."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0

    @abc.abstractmethod
    def _parenthesised(self) -> Node: ...

    def character(self) -> Node:
        """`'a'`, where no value stands before the quote."""
        start = token_at(self.text, self.position).start + 1
        end = start + 1
        if self.text.startswith("\\", start):
            value, end = self._escaped(start + 1)
        else:
            value = self.text[start]
        if not self.text.startswith("'", end):
            raise SyntaxFailure("a character of several")
        self.position = end + 1
        return tree("char", Literal(value))

    def _prefixed(self, name: str) -> Node:
        """A string with a name before it: what it means is the macro's business, its extent is not."""
        value = self.string(raw=True)
        while self.position < len(self.text) and self.text[self.position].isalpha():
            self.position += 1
        return value if name == "raw" else tree("macrocall", Name(f"{name}_str"), value)

    def string(self, raw: bool) -> Node:
        """A string or command from here on."""
        start = token_at(self.text, self.position).start
        quote = self.text[start]
        three = self.text.startswith(quote * 3, start)
        closer = quote * 3 if three else quote
        parts = self._parts(start + len(closer), closer, raw)
        if three:
            parts = _dedented(parts)
        if quote == "`":
            return Tree("macrocall", (Name("cmd"), *parts))
        if all(isinstance(part, Literal) for part in parts):
            return Literal("".join(str(part.value) for part in parts if isinstance(part, Literal)))
        return Tree("string", tuple(parts))

    def _parts(self, position: int, closer: str, raw: bool) -> list[Node]:
        parts: list[Node] = []
        text: list[str] = []
        while not self.text.startswith(closer, position):
            if position >= len(self.text):
                raise SyntaxFailure("a string is never closed")
            char = self.text[position]
            if char == "\\" and raw:
                quoted = self.text[position + 1 : position + 2] == closer[0]
                text.append(closer[0] if quoted else char)
                position += 2 if quoted else 1
            elif char == "\\":
                value, position = self._escaped(position + 1)
                text.append(value)
            elif char == "$" and not raw:
                parts.append(Literal("".join(text)))
                text = []
                self.position = position + 1
                parts.append(self._interpolated())
                position = self.position
            else:
                text.append(char)
                position += 1
        self.position = position + len(closer)
        parts.append(Literal("".join(text)))
        return parts

    def _interpolated(self) -> Node:
        ahead = token_at(self.text, self.position)
        if ahead.kind == "(":
            return tree("block", self._parenthesised())
        if ahead.kind in ("name", "keyword") and not ahead.spaced:
            self.position = ahead.end
            return Name(ahead.text)
        raise SyntaxFailure("nothing is interpolated")

    def _escaped(self, position: int) -> tuple[str, int]:
        char = self.text[position : position + 1]
        if char == "\n":
            end = position + 1
            while self.text[end : end + 1] in (" ", "\t"):
                end += 1
            return "", end
        longer = _LONGER.match(self.text, position)
        if longer is not None:
            digits = next(group for group in longer.groups() if group is not None)
            return chr(int(digits, 16)), longer.end()
        if not char:
            raise SyntaxFailure("a string is never closed")
        return _ESCAPES.get(char, char), position + 1


def _dedented(parts: list[Node]) -> list[Node]:
    """The parts of a triple-quoted string without the blanks that all its lines begin with, nor its first line end."""
    texts = ["\0" if not isinstance(part, Literal) else str(part.value) for part in parts]
    whole = "".join(texts)
    lines = whole.split("\n")
    counted = [line for line in lines[1:] if line.strip(" \t")] + ([lines[-1]] if len(lines) > 1 else [])
    indent = min((len(line) - len(line.lstrip(" \t")) for line in counted), default=0)
    made = "\n".join([lines[0], *(line[indent:] for line in lines[1:])])
    if made.startswith("\n"):
        made = made[1:]
    found: list[Node] = []
    rest = made.split("\0")
    inner = iter(part for part in parts if not isinstance(part, Literal))
    for index, text in enumerate(rest):
        found.append(Literal(text))
        if index + 1 < len(rest):
            found.append(next(inner))
    return found
