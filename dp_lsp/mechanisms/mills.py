"""Mills' ratio m(x) = P(Z > x)/φ(x) of the normal distribution at many places: fast, within 1e-48 of the truth.

m' = x·m - 1, so the coefficients cₙ = m⁽ⁿ⁾(t)/n! of its Taylor series at t follow from m(t): c₁ = t·m - 1 and
(n + 1)·cₙ₊₁ = t·cₙ + cₙ₋₁. As m(x) = ∫ e^(-xs - s²/2) ds over s > 0, |m⁽ⁿ⁾| ≤ 2^((n-1)/2)·Γ((n+1)/2) everywhere on
x ≥ 0, which bounds the rest: below 3e-51 for 22 terms at a distance of 1/64, below 2e-71 for 34 terms at 1/32.

The table of m is made downward from 40. There z' = x·z for the difference of two solutions, so an error shrinks with
every step, and the errors of 1,280 steps with 54 digits stay below 1e-49. At 40 and above it is Laplace's continued
fraction 1/(x + 1/(x + 2/(x + …))): two convergents after each other lie on either side of m and differ by
n!/(BₙBₙ₊₁) ≤ n!/x^(2n+1), below 2e-55 for n = 24. A polynomial whose coefficients are off by r·tⁿ/n! is off by
r·e^(t/64) at most.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache

from dp_lsp.mechanisms.arithmetic import DEEP

_PARTS = 32  # of 1, between places of the table
_END = 40
_TERMS, _STEP_TERMS, _LEVELS = 22, 34, 24


def mills(x: Decimal) -> Decimal:
    """m(x) for x ≥ 0."""
    if x >= _END:
        return _fraction(x)
    nearest = int(DEEP.multiply(x, _PARTS).to_integral_value(context=DEEP))
    return _sum(_coefficients(nearest), DEEP.subtract(x, DEEP.divide(Decimal(nearest), _PARTS)))


def _fraction(x: Decimal) -> Decimal:
    value = x
    for level in range(_LEVELS, 0, -1):
        value = DEEP.add(x, DEEP.divide(Decimal(level), value))
    return DEEP.divide(Decimal(1), value)


def _series(t: Decimal, value: Decimal, terms: int) -> tuple[Decimal, ...]:
    """The first coefficients at a place with a value, the last one first."""
    found = [value, DEEP.fma(t, value, Decimal(-1))]
    while len(found) < terms:
        found.append(DEEP.divide(DEEP.fma(t, found[-1], found[-2]), Decimal(len(found))))
    return tuple(reversed(found))


def _sum(coefficients: tuple[Decimal, ...], distance: Decimal) -> Decimal:
    total = Decimal(0)
    for each in coefficients:
        total = DEEP.fma(total, distance, each)
    return total


@cache
def _table() -> tuple[Decimal, ...]:
    """m at 0, 1/32, … 40."""
    back = DEEP.divide(Decimal(-1), _PARTS)
    found = [_fraction(Decimal(_END))]
    for index in range(_END * _PARTS, 0, -1):
        at = DEEP.divide(Decimal(index), _PARTS)
        found.append(_sum(_series(at, found[-1], _STEP_TERMS), back))
    return tuple(reversed(found))


@cache
def _coefficients(index: int) -> tuple[Decimal, ...]:
    return _series(DEEP.divide(Decimal(index), _PARTS), _table()[index], _TERMS)
