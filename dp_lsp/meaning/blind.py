"""Runs in which nothing that is computed may depend on what was released, but by adding and multiplying.

What is released is a :class:`Seen` number, that can be neither compared nor looked at. If two such runs with other
numbers, drawn from far more than a formula of the program's size has zeros, hide the same differences, then all do.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dp_lsp.builtins.concrete import Undefined, Value
from dp_lsp.builtins.randomness import Distribution, Noise, Pick, Way
from dp_lsp.meaning.scripts import Program

_MANY = 2**62


class Looked(Exception):
    """The program looks at what was released."""


class Seen:
    """A released number, in arithmetic with others."""

    __slots__ = ("value",)

    def __init__(self, value: Fraction) -> None:
        self.value = value

    def __add__(self, other: Value) -> Seen:
        return Seen(self.value + _value(other))

    __radd__ = __add__

    def __sub__(self, other: Value) -> Seen:
        return Seen(self.value - _value(other))

    def __rsub__(self, other: Value) -> Seen:
        return Seen(_value(other) - self.value)

    def __mul__(self, other: Value) -> Seen:
        return Seen(self.value * _value(other))

    __rmul__ = __mul__

    def __neg__(self) -> Seen:
        return Seen(-self.value)

    def _looked(self, *others: object) -> bool:
        raise Looked

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _looked
    __bool__ = __abs__ = __int__ = __float__ = __ceil__ = __index__ = _looked
    __hash__ = None  # type: ignore[assignment]


def _value(other: Value) -> Fraction:
    if isinstance(other, Seen):
        return other.value
    if isinstance(other, bool) or not isinstance(other, int | Fraction):
        raise Looked
    return Fraction(other)


class _Blind:
    """A chance that releases numbers that cannot be looked at, the same in every run of one seed."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        self.seen: list[Distribution] = []

    def released(self, distribution: Distribution) -> Value:
        if isinstance(distribution, Pick):
            self.seen.append(distribution)
            return Seen(self._number())
        entries = [entry.value if isinstance(entry, Seen) else entry for entry in distribution.entries]
        self.seen.append(replace(distribution, centre=distribution.shaped(entries)))
        return distribution.shaped([Seen(self._number()) for _ in entries])

    def _number(self) -> Fraction:
        return Fraction(self._source.randrange(-_MANY, _MANY))

    def drawn(self, ways: Sequence[Way]) -> Sequence[int]:
        raise Looked


def blindly(
    one: Program, other: Program, source: random.Random
) -> tuple[list[Distribution], list[Distribution]] | None:
    """What the mechanisms of two runs hide, if that does not depend on what is released but by a shift of both; None
    where it does, or may, or where the runs do not release the same things."""
    found = []
    for _ in range(2):
        seed = source.randrange(_MANY)
        pair = _hidden(one, seed), _hidden(other, seed)
        if pair[0] is None or pair[1] is None or list(map(_form, pair[0])) != list(map(_form, pair[1])):
            return None
        found.append((pair[0], pair[1]))
    if list(map(_shift, *found[0])) != list(map(_shift, *found[1])):
        return None
    return found[0]


def _hidden(program: Program, seed: int) -> list[Distribution] | None:
    chance = _Blind(seed)
    try:
        program(chance)
    except (Looked, AttributeError, TypeError, Undefined, OverflowError):
        return None
    return chance.seen


def _form(distribution: Distribution) -> tuple[object, ...]:
    if isinstance(distribution, Pick):
        return ("pick", len(distribution.values))
    return ("noise", distribution.shape, distribution.scale, distribution.normal)


def _shift(one: Distribution, other: Distribution) -> object:
    if isinstance(one, Pick) and isinstance(other, Pick):
        return one.logs, other.logs
    assert isinstance(one, Noise) and isinstance(other, Noise)
    return [a - b for a, b in zip(one.entries, other.entries, strict=True)]
