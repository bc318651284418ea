"""Which of two numbers of reports is larger: proved wherever conditions hold, or seen at some values."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.core import constraints
from dp_lsp.core.algebra import Sign, Symbol
from dp_lsp.core.constraints import Comparison, Quantity
from dp_lsp.core.evaluate import Interval, interval, is_below, symbols_of
from dp_lsp.core.formulas import Scope

_TRIALS = 100
_EFFORT = 20_000  # parts of numbers that are evaluated
_SHARES = ("1e-9", "1e-5", "0.01", "0.1", "0.3", "0.5", "0.9", "0.999")
_SIZES = ("1", "2", "3", "10", "100", "1e4", "1e6")
_POSITIVE = ("1e-3", "0.1", "0.5", "1", "1.5", "2", "7", "50", "1e3")
_ANY = ("-50", "-1", "-0.1", "0", "0.1", "0.5", "1", "2", "7", "50")


class Order(StrEnum):
    """What is known of a new number against the old one. ``larger`` and ``mixed`` were seen at some values of the
    symbols, or ``larger`` is proved; ``open`` says that nothing is proved, and that no value was found where it is
    larger."""

    SAME = "same"
    SMALLER = "smaller"
    LARGER = "larger"
    MIXED = "mixed"
    OPEN = "open"


class Point(NamedTuple):
    """What two numbers come to, about, for some values of their symbols."""

    numbers: tuple[tuple[str, float], ...]
    old: float
    new: float


class Verdict(NamedTuple):
    """An order, and where the new number is larger and where it is smaller."""

    order: Order
    above: Point | None = None
    below: Point | None = None


Least = Sequence[Quantity]
"""Numbers of which the least one counts."""


def compare(old: Least, new: Least, scope: Scope) -> Verdict:
    """Compare two numbers where the conditions of a scope hold."""
    no_more, no_less = _is_at_most(new, old, scope), _is_at_most(old, new, scope)
    if no_more:
        return Verdict(Order.SAME if no_less else Order.SMALLER)
    above = below = None
    shown = _symbols((*old, *new))
    for where, before, after in _values(old, new, scope):
        if above is None and is_below(before, after):
            above = _point(before, after, where, shown)
        elif below is None and is_below(after, before):
            below = _point(before, after, where, shown)
        if above and (below or no_less):
            break
    if above:
        return Verdict(Order.MIXED if below else Order.LARGER, above, below)
    return Verdict(Order.LARGER if no_less else Order.OPEN, None, below)


def _is_at_most(some: Least, others: Least, scope: Scope) -> bool:
    return all(any(is_at_most(small, large, scope) for small in some) for large in others)


def is_at_most(small: Quantity, large: Quantity, scope: Scope) -> bool:
    """Whether a number is proved to be at most another wherever the conditions of a scope hold."""
    if constraints.is_at_most(small, large):
        return True
    return scope.has_lows and constraints.is_at_most(scope.shifted(small), scope.shifted(large))


def _values(old: Least, new: Least, scope: Scope) -> Iterator[tuple[dict[Symbol, Fraction], Interval, Interval]]:
    """What two numbers come to where the conditions hold, and neither is negative; always at the same places."""
    own = _symbols((*old, *new))
    around = [each for each in scope.conditions if own & _symbols((each.left, each.right))]
    sides = [*old, *new, *(side for each in around for side in (each.left, each.right))]
    symbols = _symbols(sides)
    if any(map(scope.is_made_up, symbols)):
        return
    listed = sorted(symbols, key=lambda symbol: symbol.name)
    chance = random.Random(0)
    size = 1 + sum(side.size for side in sides)
    for _ in range(min(_TRIALS, 10 + _EFFORT // size) if listed else 1):
        at = {symbol: Fraction(chance.choice(_choices(symbol, scope))) for symbol in listed}
        if all(_holds(each, at) for each in around):
            before, after = _least(old, at), _least(new, at)
            if all(each.low is not None and each.low >= 0 for each in (before, after)):
                yield at, before, after


def _symbols(numbers: Iterable[Quantity]) -> set[Symbol]:
    return {symbol for number in numbers for symbol in symbols_of(number)}


def _least(several: Least, at: dict[Symbol, Fraction]) -> Interval:
    found = [interval(each, at) for each in several]
    lows = [each.low for each in found if each.low is not None]
    highs = [each.high for each in found if each.high is not None]
    return Interval(min(lows) if len(lows) == len(found) else None, min(highs, default=None))


def _choices(symbol: Symbol, scope: Scope) -> tuple[str, ...]:
    if symbol.sign is Sign.PROBABILITY:
        return _SHARES
    if scope.is_whole(symbol):
        return _SIZES
    return _POSITIVE if symbol.nonnegative else _ANY


def _holds(comparison: Comparison, at: dict[Symbol, Fraction]) -> bool:
    """Whether a comparison holds for these numbers, as far as it is told apart."""
    left, right = interval(comparison.left, at), interval(comparison.right, at)
    apart = is_below(left, right) or is_below(right, left)
    if comparison.relation in ("==", "!="):
        return apart is (comparison.relation == "!=")
    return not is_below(right, left) and (apart or comparison.relation == "<=")


def _point(old: Interval, new: Interval, where: dict[Symbol, Fraction], shown: set[Symbol]) -> Point:
    numbers = tuple((symbol.name, float(number)) for symbol, number in where.items() if symbol in shown)
    return Point(numbers, *(math.inf if each.high is None else _float(each.high) for each in (old, new)))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
