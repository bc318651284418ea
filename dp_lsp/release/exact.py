"""Real numbers that are drawn exactly: only so many of their bits are drawn as anything depends on."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import NamedTuple

_AT_ONCE = 64  # bits; few comparisons need more
_HALF = Fraction(1, 2)

Cost = Callable[[Fraction], Fraction]
"""What is at least 0 between 0 and 1, and only rises or only falls there."""


class Place:
    """A number between 0 and 1, each as likely as the others. Bits are drawn from the ``source`` as they are needed."""

    __slots__ = ("_bits", "_known", "_source")

    def __init__(self, source: Random) -> None:
        self._source = source
        self._known = self._bits = 0

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """What it lies between, as far as it is known."""
        return Fraction(self._known, 1 << self._bits), Fraction(self._known + 1, 1 << self._bits)

    def look_closer(self) -> None:
        """Draw more bits."""
        self._known = self._known << _AT_ONCE | self._source.getrandbits(_AT_ONCE)
        self._bits += _AT_ONCE

    def is_below(self, number: Fraction) -> bool:
        """Whether it is less than a number; that it is equal has no chance."""
        return _is_less(lambda: self.ends, lambda: (number, number), self.look_closer)


class Noise(NamedTuple):
    """A real number: a whole one, and how far it is from there to the next."""

    whole: int
    place: Place

    def onto(self, x: Fraction) -> int:
        """The whole number that is next to the sum of this and ``x``."""
        start = x + self.whole + _HALF
        low = math.floor(start)
        return low + (not self.place.is_below(low + 1 - start))

    def exceeds(self, other: Noise, by: Fraction) -> bool:
        """Whether it is more than ``by`` above another one."""
        missing = by + other.whole - self.whole

        def closer() -> None:
            self.place.look_closer()
            other.place.look_closer()

        def needed() -> tuple[Fraction, Fraction]:
            low, high = other.place.ends
            return low + missing, high + missing

        return _is_less(needed, lambda: self.place.ends, closer)


def is_kept(cost: Cost, place: Place) -> bool:
    """True with the chance exp(-cost(place)), exactly. The exponential is that of as many independent parts as make
    each cost 1 at most, and each part goes by the length of a run of uniform numbers (Forsythe 1972, after von Neumann;
    for rational costs Canonne, Kamath and Steinke 2020, algorithm 1)."""
    parts = max(1, math.ceil(max(map(cost, place.ends))))
    return all(_is_part_kept(cost, parts, place) for _ in range(parts))


def _is_part_kept(cost: Cost, parts: int, place: Place) -> bool:
    length = 1
    while _happens(cost, parts * length, place):
        length += 1
    return length % 2 == 1


def _happens(cost: Cost, share: int, place: Place) -> bool:
    """True with the chance cost(place)/share."""
    drawn = Place(place._source)
    drawn.look_closer()

    def closer() -> None:
        drawn.look_closer()
        place.look_closer()

    def chance() -> tuple[Fraction, Fraction]:
        one, other = map(cost, place.ends)
        return min(one, other) / share, max(one, other) / share

    return _is_less(lambda: drawn.ends, chance, closer)


def _is_less(
    one: Callable[[], tuple[Fraction, Fraction]],
    other: Callable[[], tuple[Fraction, Fraction]],
    closer: Callable[[], None],
) -> bool:
    """Whether one number is less than another, of which it is known between what they lie."""
    while True:
        (low, high), (least, most) = one(), other()
        if high <= least:
            return True
        if low >= most:
            return False
        closer()
