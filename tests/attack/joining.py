"""Random private functions of data of which one may have a record more: rows are drawn each by a coin of its own and
summed up, or counted, also in loops, beside releases of numbers. Some ask how many records there are, and are
refused."""

from __future__ import annotations

from .kinds import INTEGER, REAL, Kind
from .releases import Releases

_NUMBERS = (REAL, INTEGER, REAL)
_VECTOR = Kind("Vector", "Real", "LInf")
_MATRIX = Kind("Matrix", "Data", "LInf")
_RATES = ("0.5", "0.1", "0.9", "1/4")
_ADDED = (
    ("undisc_container(clip({norm}, {one}[{i}, :]))", 1),
    ("2 * undisc_container(clip({norm}, {one}[{i}, :]))", 2),
    ("undisc_container(clip({norm}, {one}[{i}, :])) / 2", 1),
    ("undisc_container(clip({norm}, {one}[{i}, :])) - undisc_container(clip({norm}, {other}[{i}, :]))", 2),
)
_COUNTED = (
    ("1", 1),
    ("({one}[{i}, :] == {other}[{i}, :] ? 1.0 : 0.0)", 1),
    ("({one}[{i}, :] == {other}[{i}, :] ? 2.0 : -1.0)", 2),
    ("sum(undisc_container(clip(L1, {one}[{i}, :])))", 1),
)


class Joining(Releases):
    """Writes one program. Its matrices are known to no other rule than those that draw from them."""

    def program(self) -> str:
        """A function ``f``, and perhaps one that it may call."""
        self._matrices: list[str] = []
        parts = [self._private_helper()] if self._source.random() > 0.8 else []
        parts.append(self._function("f", self._source.choice((1, 2)), ("k", "eps")))
        return "\n".join([*parts, *self._boxes.values()]) + "\n"

    def _pool(self) -> tuple[Kind, ...]:
        self._matrices = []
        return _NUMBERS

    def _step(self, depth: int) -> list[str]:
        makers = (self._joined, self._joined, self._joined, self._rounds, self._released)
        return [("    " * depth) + line for line in self._source.choice(makers)(depth)]

    def _released(self, depth: int) -> list[str]:
        numbers = [name for name, kind in self._scope if kind in _NUMBERS]
        text = self._source.choice(numbers) if numbers else "1.0"
        name = self._fresh("z")
        self._saw(name, REAL)
        return [f"{name} = {self._noised(text, 1)}"]

    def _joined(self, depth: int) -> list[str]:
        """A sample, and what is made of all its rows."""
        if self._branching or depth > 2:
            return self._released(depth)
        while len(self._matrices) < 2:
            self._matrices.append(self._fresh("x"))
            self._added.append((self._matrices[-1], _MATRIX))
        drawn = [self._source.choice(self._matrices) for _ in range(2)]
        one, other, rows = self._fresh("x"), self._fresh("x"), self._fresh("n")
        lines = [f"({one}, {other}) = sample_poisson({self._source.choice(_RATES)}, {', '.join(drawn)})"]
        if self._careless and self._source.random() > 0.5:
            lines.insert(0, f"({self._fresh('n')}, _) = size({drawn[0]})")
        lines.append(f"({rows}, _) = size({one})")
        result, summed = self._fresh("z"), self._source.random() < 0.6
        self._saw(result, _VECTOR if summed else REAL)
        if not summed and self._source.random() < 0.3:
            return [*lines, f"{result} = {self._noised(rows, 1)}"]
        total, i = self._fresh("y"), self._fresh("i")
        added, moved = self._source.choice(_ADDED if summed else _COUNTED)
        text = added.format(norm=self._source.choice(("L2", "L1")), one=one, other=other, i=i)
        start = "[0.0, 0.0]" if summed else "0.0"
        loop = [f"for {i} in 1:{rows}", f"    {total} = {total} {self._source.choice('++-')} {text}", "end"]
        return [*lines, f"{total} = {start}", *loop, f"{result} = {self._noised(total, moved)}"]

    def _number_hidden(self) -> tuple[str, Kind, int]:
        numbers = [name for name, kind in self._scope if kind in _NUMBERS]
        return (self._source.choice(numbers) if numbers else "1.0"), REAL, 1

    def _vector_hidden(self) -> tuple[str, Kind, int]:
        return self._number_hidden()
