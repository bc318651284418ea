"""The same function in other words: comprehensions in place of maps; and comprehensions, maps and vectors that are
filled in place of loops that add up what they release.

Which words are chosen follows from the text alone, so a seed keeps the function that it had."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_SHARE = 0.3
_MAP = re.compile(r"\bmap\((\w+) -> ")
_LOOP = re.compile(r"( *)s = 0\.0\n *for i in (1:\w+)\n *s = s \+ (.+)\n *end\n *s\n")


def respelled(text: str) -> str:
    """A program with some of its maps and loops as comprehensions."""
    chance = random.Random(text)
    if (loop := _LOOP.search(text)) and chance.random() < 2 * _SHARE:
        indent, over, step = loop.groups()
        ways = (
            f"[{step} for i in {over}]",
            f"map(i -> {step}, {over})",
            f"s = Float64[]\nfor i in {over}\n    push!(s, {step})\nend\ns",
            f"s = zeros({over.partition(':')[2]})\nfor i in {over}\n    s[i] = {step}\nend\ns",
            f"s = [0.0]\nfor i in {over}\n    s = vcat(s, {step})\nend\nsum(s)",
        )
        made = "\n".join(indent + line for line in chance.choice(ways).split("\n"))
        text = f"{text[: loop.start()]}{made}\n{text[loop.end() :]}"
    for found in reversed(list(_maps(text))):
        if chance.random() < _SHARE:
            text = found.put(text)
    return text


class _Map:
    """``map(name -> value, over)`` at a place of a text."""

    def __init__(self, name: str, start: int, value: slice, over: slice) -> None:
        self._name = name
        self._start = start
        self._value = value
        self._over = over

    def put(self, text: str) -> str:
        """The text with a comprehension in its place."""
        made = f"[{text[self._value]} for {self._name} in {text[self._over]}]"
        return text[: self._start] + made + text[self._over.stop + 1 :]


def _maps(text: str) -> Iterator[_Map]:
    """Those maps of a text that hold no other one, in their order."""
    for found in _MAP.finditer(text):
        depth, comma = 0, -1
        for place in range(found.end(), len(text)):
            sign = text[place]
            depth += (sign in "([") - (sign in ")]")
            if sign == "," and not depth and comma < 0:
                comma = place
            if depth < 0:
                inside = text[found.end() : place]
                if comma > 0 and not _MAP.search(inside):
                    yield _Map(found[1], found.start(), slice(found.end(), comma), slice(comma + 2, place))
                break
