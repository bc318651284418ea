"""Searching for the order at which a bound is smallest."""

from __future__ import annotations

import math
from collections.abc import Callable

_POINTS = 72
_ROUNDS = 36
_SECTION = (math.sqrt(5) - 1) / 2


Bound = Callable[[float], float]


def order(bound: Bound, lowest: float, highest: float) -> float | None:
    """An order α > 1 with a nearly smallest bound, for α - 1 between two numbers; None if it is nowhere finite."""
    low, high = math.log(lowest), math.log(highest)

    def at(place: float) -> float:
        found = bound(1 + math.exp(place))
        return math.inf if math.isnan(found) else found

    places = [low + (high - low) * i / _POINTS for i in range(_POINTS + 1)]
    bounds = [at(place) for place in places]
    best = min(range(len(places)), key=bounds.__getitem__)
    if bounds[best] == math.inf:
        return None
    left, right = places[max(best - 1, 0)], places[min(best + 1, _POINTS)]
    inner, outer = right - _SECTION * (right - left), left + _SECTION * (right - left)
    at_inner, at_outer = at(inner), at(outer)
    for _ in range(_ROUNDS):
        if at_inner <= at_outer:
            right, outer, at_outer = outer, inner, at_inner
            inner = right - _SECTION * (right - left)
            at_inner = at(inner)
        else:
            left, inner, at_inner = inner, outer, at_outer
            outer = left + _SECTION * (right - left)
            at_outer = at(outer)
    found = min((at_inner, inner), (at_outer, outer), (bounds[best], places[best]))
    return 1 + math.exp(found[1])
