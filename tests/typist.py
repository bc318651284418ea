"""Somebody who types at random: seeded edits of a program, with a model of the text that knows nothing of ours.

The model is a list of UTF-16 code units, which is what the protocol counts unless another encoding is agreed on.
"""

from __future__ import annotations

import random
import re
from typing import Any, NamedTuple

Message = dict[str, Any]

SNIPPETS = (
    "x", "2 * x", " + y", "(", ")", "end\n", "\n", "\r\n", "\r", "  ", "# note\n", "# ε😀 note\u2028\n", "\x0c",
    "\u2028", "α", "𝛼", "😀", "é", '"', "function f(x::Real)\n    x\nend\n", "g(x::Real) = 3 * x\n", "for i in 1:3\n",
    "if x > 1\n", "return x\n", ":: Priv()", "clip(L2, ", "gaussian_mechanism(2, 0.1, 1e-5, x)", ", ", "::Data",
    "=", ".",
)  # fmt: skip
"""What is typed: code and pieces of code, line breaks of all kinds, and characters that take two units or none."""
_BREAK = re.compile("\r\n|\n|\r")


class Change(NamedTuple):
    """An edit as the protocol has it, and the text after it."""

    message: Message
    text: str


class Typist:
    """Edits a text for ever. The same seed and text, the same edits."""

    def __init__(self, text: str, seed: int | str) -> None:
        self._random = random.Random(seed)
        self._units = _units(text)
        self._before: list[list[int]] = []

    @property
    def text(self) -> str:
        """The text as it is now."""
        return _text(self._units)

    def edit(self) -> Change:
        """The next edit: mostly typing, and now and then a number, a line moved, something taken out or undone."""
        kinds = (self._type, self._type, self._type, self._delete, self._number, self._move, self._undo)
        return self._random.choice(kinds)()

    def paste(self, text: str) -> Change:
        """Another text instead of the whole."""
        self._before = [*self._before[-20:], self._units]
        self._units = _units(text)
        return Change({"text": text}, text)

    def _type(self) -> Change:
        place = self._place()
        return self._replace(place, place, self._random.choice(SNIPPETS))

    def _delete(self) -> Change:
        start = self._place()
        return self._replace(start, self._clean(min(len(self._units), start + self._random.randrange(1, 12))), "")

    def _number(self) -> Change:
        numbers = [match.span() for match in re.finditer("[0-9]+", self._narrow())]
        if not numbers:
            return self._type()
        start, end = self._random.choice(numbers)
        return self._replace(start, end, str(self._random.randrange(1, 500)))

    def _move(self) -> Change:
        """A whole line takes the place of another: the client sends the text between the two anew."""
        ends = [match.end() for match in _BREAK.finditer(self._narrow())]
        if len(ends) < 3:
            return self._type()
        first, second, third = sorted(self._random.sample(ends, 3))
        moved = self._units[second:third] + self._units[first:second]
        return self._replace(first, third, _text(moved))

    def _undo(self) -> Change:
        if not self._before:
            return self._type()
        self._units = self._before.pop()
        return Change({"text": self.text}, self.text)

    def _place(self) -> int:
        return self._clean(self._random.randrange(len(self._units) + 1))

    def _clean(self, place: int) -> int:
        """Not between the halves of a character, nor inside a line break."""
        narrow = self._narrow()
        inside = 0 < place < len(narrow) and (
            0xDC00 <= self._units[place] < 0xE000 or narrow[place - 1 : place + 1] == "\r\n"
        )
        return place - 1 if inside else place

    def _replace(self, start: int, end: int, new: str) -> Change:
        place = {"start": self._position(start), "end": self._position(end)}
        self._before = [*self._before[-20:], self._units]
        self._units = self._units[:start] + _units(new) + self._units[end:]
        return Change({"range": place, "text": new}, self.text)

    def _position(self, place: int) -> Message:
        """Line and column in UTF-16 units. The protocol knows three line breaks, and no others."""
        breaks = list(_BREAK.finditer(self._narrow(), 0, place))
        cut = breaks and breaks[-1].group() == "\r" and breaks[-1].end() == place
        if cut and self._narrow()[place : place + 1] == "\n":
            breaks.pop()
        return {"line": len(breaks), "character": place - (breaks[-1].end() if breaks else 0)}

    def _narrow(self) -> str:
        """A text with one character for each unit."""
        return "".join(map(chr, self._units))


def _units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


def _text(units: list[int]) -> str:
    return b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", "surrogatepass")
