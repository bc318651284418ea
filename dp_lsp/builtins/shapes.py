"""Where functions of numbers take what lies between ends, of which either may be missing.

Each rule is given where each argument lies, and says where the result lies: None where that has no ends, or where the
function is not defined everywhere between them. Ends are exact, or rounded outwards. A function with a turn has it at
0, or where two of its arguments are equal; between turns it goes one way in each argument, so that its ends are at
those of its arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product as pairs

from dp_lsp.builtins.define import Trait
from dp_lsp.core.evaluate import Interval, interval
from dp_lsp.core.sens import INFINITY, Sens, expm1, log1p, number
from dp_lsp.core.values import value

Rule = Callable[..., Interval | None]
_ZERO = Fraction(0)
_LARGEST_EXPONENT = 64
_PARTS = 10**9


@value
class Shape(Trait):
    """Where a function takes intervals. One that ``selects`` returns one of its arguments, as it is, wherever it
    returns all between the ends of that one."""

    ends: Rule
    selects: bool = False
    of_equal: Callable[[Interval, int], Interval | None] | None = None
    """The rule of one argument that is given so many times."""

    def of(self, *operands: Interval, equal: bool) -> Interval | None:
        """Where the result lies; all arguments may be ``equal``."""
        if equal and self.of_equal is not None:
            return self.of_equal(operands[0], len(operands))
        return self.ends(*operands)


def smallest(*operands: Interval) -> Interval:
    """min: no end is missing of what is not missing everywhere."""
    lows, highs = [each.low for each in operands], [each.high for each in operands]
    known = [each for each in highs if each is not None]
    return Interval(None if None in lows else min(each for each in lows if each is not None), min(known, default=None))


def largest(*operands: Interval) -> Interval:
    """max."""
    return _negative(smallest(*map(_negative, operands)))


def within(operand: Interval, low: Interval, high: Interval) -> Interval | None:
    """clamp, to numbers that are known and in order."""
    if low.low is None or high.high is None or low.low != low.high or high.low != high.high or low.low > high.high:
        return None
    return smallest(largest(operand, low), high)


def size(operand: Interval) -> Interval:
    """\\|x\\|."""
    mirrored = _negative(operand)
    if operand.low is not None and operand.low >= 0:
        return operand
    if operand.high is not None and operand.high <= 0:
        return mirrored
    return Interval(_ZERO, largest(operand, mirrored).high)


def product(*factors: Interval) -> Interval | None:
    """x·y and more, at the ends of all."""
    so_far = Interval(Fraction(1), Fraction(1))
    for factor in factors:
        if None in factor:
            return None
        found = [one * other for one, other in pairs(so_far, factor) if one is not None and other is not None]
        so_far = Interval(min(found), max(found))
    return so_far


def square(operand: Interval) -> Interval | None:
    """x·x."""
    base = size(operand)
    return product(base, base)


def power(operand: Interval, exponent: Interval) -> Interval | None:
    """x^n, for a whole n from 1 on. (x^0 is 1 even of what is no number.)"""
    times = exponent.low
    if times is None or times != exponent.high or times.denominator != 1 or not 1 <= times <= _LARGEST_EXPONENT:
        return None
    base = operand if times % 2 else size(operand)
    return Interval(*(None if end is None else end ** int(times) for end in base))


def repeated(operand: Interval, times: int) -> Interval | None:
    """x·x and more: as many factors."""
    return power(operand, Interval(Fraction(times), Fraction(times)))


def quotient(operand: Interval, divisor: Interval) -> Interval | None:
    """x/y, where y has one sign."""
    low, high = divisor
    if low is None or high is None or low <= 0 <= high:
        return None
    return product(operand, Interval(1 / high, 1 / low))


def root(operand: Interval) -> Interval | None:
    """√x, where x is not negative."""
    if operand.low is None or operand.low < 0:
        return None
    return _rising(lambda end: _around(number(end).root()), operand)


def logarithm(operand: Interval) -> Interval | None:
    """ln x, where x is at least a number above 0; ln x is -ln(1/x)."""
    if operand.low is None or operand.low <= 0:
        return None
    return _rising(
        lambda x: _around(log1p(number(x - 1))) if x >= 1 else _negative(_around(log1p(number(1 / x - 1)))), operand
    )


def exponential(operand: Interval) -> Interval | None:
    """e^x; of what is below 0 it is 1/e^-x. It is above 0 where x has no lower end."""
    low, high = operand
    if high is None or high > _MOST:
        return None
    least = _ZERO if low is None or low < -_MOST else _grown(low).low
    return _short(least, _grown(max(high, -_MOST)).high)


_MOST = Fraction(40)
"""How far from 0 an exponent is computed with."""


def _grown(x: Fraction) -> Interval:
    low, high = _around(expm1(number(abs(x))))
    assert low is not None and high is not None, "an exponent that is not large"
    return Interval(1 + low, 1 + high) if x >= 0 else Interval(1 / (1 + high), 1 / (1 + low))


# How steep a function is at most between ends: by as much it moves further than its argument.

Slope = Callable[[Interval], Sens]


def steepest_root(operand: Interval) -> Sens:
    """1/(2√x), which falls, where x is at least a number above 0."""
    return number(1 / (4 * operand.low)).root() if operand.low is not None and operand.low > 0 else INFINITY


def steepest_logarithm(operand: Interval) -> Sens:
    """1/x, which falls, where x is at least a number above 0."""
    return number(1 / operand.low) if operand.low is not None and operand.low > 0 else INFINITY


def steepest_exponential(operand: Interval) -> Sens:
    """e^x, which rises."""
    found = exponential(operand)
    return INFINITY if found is None or found.high is None else number(found.high)


def _around(formula: Sens) -> Interval:
    return interval(formula, {})


def _rising(function: Callable[[Fraction], Interval], operand: Interval) -> Interval:
    """A function that never falls, of which each value lies in an interval."""
    low, high = operand
    return _short(None if low is None else function(low).low, None if high is None else function(high).high)


def _short(low: Fraction | None, high: Fraction | None) -> Interval:
    """An interval around another one, with ends that are short."""
    return Interval(
        None if low is None else Fraction(math.floor(low * _PARTS), _PARTS),
        None if high is None else Fraction(math.ceil(high * _PARTS), _PARTS),
    )


def _negative(operand: Interval) -> Interval:
    low, high = operand
    return Interval(None if high is None else -high, None if low is None else -low)
