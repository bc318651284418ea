"""The same function in other words: comprehensions and broadcasts in place of maps; masks in place of filters;
broadcasts in place of counts and products; and comprehensions, maps and vectors that are filled in place of loops that
add up what they release; and loops that add something up in place of sums and counts.

Which words are chosen follows from the text alone, so a seed keeps the function that it had."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

_SHARE = 0.3
_CALL = re.compile(r"\b(map|count|filter|filter_rows|count_rows)\((\w+) -> ")
_SIMPLE = re.compile(r"(\w+(?:\[\d\])?) (<|>|<=|>=|==|!=) (-?[\w.]+(?:\[\d\])?)")
_TIMES = re.compile(r"\b(\d[\d.]*) \* ([vwxy])\b(?!\[)")
_CLAMP = re.compile(r"\bclamp\(([vwxy]), ")
_TOTAL = re.compile(r"\b(?:(sum\(map|count)\((\w+) -> |sum\((?=[uvw]\)))")
_LOOP = re.compile(r"( *)s = 0\.0\n *for i in (1:\w+)\n *s = s \+ (.+)\n *end\n *s\n")


def respelled(text: str) -> str:
    """A program with some of its calls and loops in other words."""
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
    text = "\n".join(_in_a_loop(line, chance) if chance.random() < _SHARE / 2 else line for line in text.split("\n"))
    for found in reversed(list(_calls(text))):
        if chance.random() < _SHARE:
            text = found.put(text, chance)
    for sought, made in ((_TIMES, r"\1 .* \2"), (_CLAMP, r"clamp.(\1, ")):
        if chance.random() < _SHARE:
            text = sought.sub(made, text, count=1)
    return text


def _in_a_loop(line: str, chance: random.Random) -> str:
    """A statement of a function with the first sum or count in it added up by a loop before it."""
    found = _TOTAL.search(line)
    if found is None or not re.match(r"    \w", line) or "->" in line[: found.start()] or " for " in line:
        return line
    name, value, over, end = found[2] or "t", found[2] or "t", "", found.end()
    if found[2] is not None:
        call = next(_calls(line[found.start() :].removeprefix("sum(")), None)
        if call is None or call.parts[0] > 0:
            return line
        _, value, over, end = call.parts
        end += found.start() + (len("sum(") if found[1] == "sum(map" else 0)
    else:
        over, end = line[end], end + 1
    closed = end + (found[1] != "count")
    if not re.fullmatch(r"[uvw]", over) or (found[1] != "count" and line[end : end + 1] != ")"):
        return line
    add = chance.choice((f"acc += {value}", f"acc = acc + ({value})", f"acc = ({value}) + acc", f"acc -= {value}"))
    if found[1] == "count":
        add = chance.choice((f"if {value}\n            acc += 1\n        end", f"acc += ({value}) ? 1 : 0"))
    start = chance.choice(("0", "0.0"))
    loop = f"    acc = {start}\n    for {name} in {over}\n        {add}\n    end\n"
    return loop + line[: found.start()] + "acc" + line[closed:]


class _Call:
    """``function(name -> value, over)`` at a place of a text."""

    def __init__(self, function: str, name: str, start: int, value: str, over: str, end: int) -> None:
        self._function = function
        self._name = name
        self._start = start
        self._value = value
        self._over = over
        self._end = end

    @property
    def parts(self) -> tuple[int, str, str, int]:
        """Where the call starts, what the function makes, what it is called on, and where the call ends."""
        return self._start, self._value, self._over, self._end

    def put(self, text: str, chance: random.Random) -> str:
        """The text with the same in other words in its place."""
        made = chance.choice([*self._ways()] or [text[self._start : self._end]])
        return text[: self._start] + made + text[self._end :]

    def _ways(self) -> Iterator[str]:
        over, named = self._over, re.fullmatch(r"\w+", self._over) is not None
        if self._function == "map":
            yield f"[{self._value} for {self._name} in {over}]"
        if self._function in ("count_rows", "filter_rows"):
            mask = self._by_signs(lambda place: f"{over}[:, {place}]") if named else None
            if mask is not None:
                yield f"{over}[{mask}, :]" if self._function == "filter_rows" else f"count({mask})"
            return
        if not named:
            return
        called = f"({self._name} -> {self._value}).({over})"
        masks = [called, *filter(None, [self._by_signs(lambda place: over)])]
        for mask in masks if self._function != "map" else [called]:
            if self._function == "map":
                yield mask
            elif self._function == "filter":
                yield f"{over}[{mask}]"
            else:
                yield from (f"count({mask})", f"sum({mask})", f"length({over}[{mask}])")

    def _by_signs(self, entry: Callable[[str], str]) -> str | None:
        """A comparison with dots, of what stands for an entry of a row, or for what the function is given."""
        found = _SIMPLE.fullmatch(self._value)
        sides = []
        for side in (found[1], found[3]) if found else ():
            name, _, place = side.partition("[")
            if name == self._name:
                side = entry(place.rstrip("]"))
            elif not re.fullmatch(r"-?[\d.]+", side):
                return None
            sides.append(side)
        return f"{sides[0]} .{found[2]} {sides[1]}" if found else None


def _calls(text: str) -> Iterator[_Call]:
    """Those calls of a text that hold no other one, in their order."""
    for found in _CALL.finditer(text):
        depth, comma = 0, -1
        for place in range(found.end(), len(text)):
            sign = text[place]
            depth += (sign in "([") - (sign in ")]")
            if sign == "," and not depth and comma < 0:
                comma = place
            if depth < 0:
                if comma > 0 and not _CALL.search(text[found.end() : place]):
                    value, over = text[found.end() : comma], text[comma + 2 : place]
                    yield _Call(found[1], found[2], found.start(), value, over, place + 1)
                break
