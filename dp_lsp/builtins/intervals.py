"""Where the results of arithmetic lie, by where its operands do. What cannot be decided has no bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce

from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import Interval, speaks_of
from dp_lsp.core.ranges import ends, is_computed
from dp_lsp.core.sens import Sens, Way, magnitude
from dp_lsp.core.types import Bounds, NumberType, Type

_ZERO, _ONE = Poly.of(0), Poly.of(1)

Rule = Callable[..., Bounds | None]
"""The bounds of a result, of those of the operands."""


def of(type_: Type) -> Bounds | None:
    """Where a number lies; a public one is where it is."""
    if not isinstance(type_, NumberType):
        return None
    return type_.bounds if type_.static is None else Bounds(type_.static, type_.static)


def around(*values: Poly) -> Bounds | None:
    """The smallest interval that holds these, if it can be told which are its ends."""
    least = _largest(*(-each for each in values))
    most = None if least is None else _largest(*values)
    return None if least is None or most is None else Bounds(-least, most)


def hull(*operands: Bounds | None) -> Bounds | None:
    """The smallest interval that holds all of these, if each is known."""
    known = [each for each in operands if each is not None]
    if len(known) < len(operands):
        return None
    found = _hull(known)
    if found is None and any(speaks_of(end, is_computed) for each in known for end in (each.low, each.high)):
        found = _hull(map(_nearer, known)) or _hull(map(outer, known))
    return found


def _hull(operands: Iterable[Bounds | None]) -> Bounds | None:
    found: dict[Poly, None] = {}
    for each in operands:
        if each is None:
            return None
        found[each.low] = found[each.high] = None
    return around(*found)


def _nearer(operand: Bounds) -> Bounds | None:
    """An interval around this one, whose ends speak of no number that the program computes and that lies between two
    others. What these are is not followed further where only one end of them is known."""
    low, high = ends(operand.low, _lies_between).low, ends(operand.high, _lies_between).high
    return None if low is None or high is None else Bounds(low, high)


def _lies_between(symbol: Symbol) -> bool:
    known = symbol.computed
    return known is not None and known.low is not None and known.high is not None


def outer(operand: Bounds | None) -> Bounds | None:
    """An interval around this one, whose ends speak of no number that the program computes."""
    if operand is None:
        return None
    low, high = ends(operand.low, is_computed).low, ends(operand.high, is_computed).high
    return None if low is None or high is None else Bounds(low, high)


def in_numbers(operand: Bounds | None) -> Interval:
    """The ends of an interval around this one that are numbers."""
    around = outer(operand)
    return Interval(None, None) if around is None else Interval(around.low.number, around.high.number)


def rising(function: Callable[[Fraction], int]) -> Rule:
    """The rule of a function that never falls, where the ends are numbers."""

    def rule(operand: Bounds | None) -> Bounds | None:
        low, high = in_numbers(operand)
        return None if low is None or high is None else Bounds(Poly.of(function(low)), Poly.of(function(high)))

    return rule


def most(bounds: Bounds) -> Sens:
    """The largest size of a number between bounds."""
    return magnitude(bounds.low).at_least(magnitude(bounds.high))


def nowhere(*operands: Bounds) -> None:
    """The rule of operations of whose results nothing is known."""


def added(*operands: Bounds) -> Bounds:
    """x + y + …."""
    return Bounds(_sum(each.low for each in operands), _sum(each.high for each in operands))


def negated(operand: Bounds) -> Bounds:
    """-x."""
    return Bounds(-operand.high, -operand.low)


def difference(first: Bounds, *second: Bounds) -> Bounds:
    """x - y, or -x."""
    return added(first, *map(negated, second)) if second else negated(first)


def product(*operands: Bounds) -> Bounds | None:
    """x·y·…, from the smallest to the largest product of their ends; None where it is not known which these are."""
    found: Bounds | None = Bounds(_ONE, _ONE)
    for operand in operands:
        found = None if found is None else _times(found, operand)
    return found


def quotient(operand: Bounds, divisor: Bounds) -> Bounds | None:
    """x/y, for a y that is not 0: a public one, or between numbers that are both above 0 or both below."""
    if divisor.low == divisor.high and divisor.low.terms:
        inverse = divisor.low.inverse()
        return _times(operand, Bounds(inverse, inverse))
    if smallest_size(divisor) is None:
        return None
    return _times(operand, Bounds(divisor.high.inverse(), divisor.low.inverse()))


def smallest_size(operand: Bounds | None) -> Poly | None:
    """The smallest size of what lies on one side of 0; None of what may be 0."""
    around = outer(operand)
    if around is None:
        return None
    if decide(_ZERO, "<", around.low):
        return around.low
    return -around.high if decide(around.high, "<", _ZERO) else None


def power(operand: Bounds, exponent: int) -> Bounds | None:
    """x^n."""
    if exponent == 0:
        return Bounds(_ONE, _ONE)
    base = operand if exponent % 2 else size(operand)
    return None if base is None else Bounds(*(_product_of([end] * exponent) for end in (base.low, base.high)))


def way(operand: Bounds | None) -> Way | None:
    """Which way a product goes with its other factors: where this one is at least 0 it rises with them, where it is at
    most 0 it falls."""
    if operand is None:
        return None
    if decide(_ZERO, "<=", operand.low):
        return Way.RISES
    return Way.FALLS if decide(operand.high, "<=", _ZERO) else None


def size(operand: Bounds) -> Bounds | None:
    """\\|x\\|."""
    if decide(_ZERO, "<=", operand.low):
        return operand
    if decide(operand.high, "<=", _ZERO):
        return negated(operand)
    largest = _largest(-operand.low, operand.high)
    return None if largest is None else Bounds(_ZERO, largest)


def smallest(*operands: Bounds) -> Bounds | None:
    """min: at most the least of the largest."""
    found = largest(*map(negated, operands))
    return None if found is None else negated(found)


def largest(*operands: Bounds) -> Bounds | None:
    """max: at least the largest of the least."""
    ends = [_largest(*(each.low for each in operands)), _largest(*(each.high for each in operands))]
    low, high = ends
    return None if low is None or high is None else Bounds(low, high)


def _sum(ends: Iterable[Poly]) -> Poly:
    return reduce(Poly.__add__, ends)


def _product_of(factors: Iterable[Poly]) -> Poly:
    return reduce(Poly.__mul__, factors)


def _times(left: Bounds, right: Bounds) -> Bounds | None:
    if left.low == left.high:
        left, right = right, left
    if right.low == right.high:
        return _stretched(left, right)
    ends = {one * other for one in (left.low, left.high) for other in (right.low, right.high)}
    least, most = _largest(*(-end for end in ends)), _largest(*ends)
    return None if least is None or most is None else Bounds(-least, most)


def _stretched(operand: Bounds, factor: Bounds) -> Bounds | None:
    """An interval times a public number. Where its sign is not known, around 0 as far as the farther end."""
    ends = operand.low * factor.low, operand.high * factor.low
    goes = way(factor)
    if goes is None:
        within = _largest(-operand.low, operand.high)
        farthest = None if within is None else within * magnitude(factor.low).single_poly()
        return None if farthest is None else Bounds(-farthest, farthest)
    return Bounds(*(ends if goes is Way.RISES else reversed(ends)))


def _largest(*values: Poly) -> Poly | None:
    """The largest, if that can be told."""
    most = reduce(lambda most, each: most if decide(each, "<=", most) else each, values)
    return most if all(decide(each, "<=", most) for each in values) else None
