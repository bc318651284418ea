"""The δ of mechanisms at an ε, in closed form and with 60 digits, by nothing that the checker computes with."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import mpmath

DIGITS = 60
_ROUNDED = mpmath.mpf("1e-30")


def number(exact: Fraction | str) -> mpmath.mpf:
    """With as many digits as are set."""
    value = Fraction(exact)
    return mpmath.mpf(value.numerator) / value.denominator


def is_smallest(exact: Callable[[mpmath.mpf], mpmath.mpf], stated: Fraction, delta: str, above: str) -> bool:
    """Whether an ε is one at which ``exact``, which falls, is at most δ, and a part of it so much smaller is none."""
    with mpmath.workdps(DIGITS):
        at, target = number(stated), mpmath.mpf(delta)
        return bool(exact(at) <= target * (1 + _ROUNDED) and (not stated or exact(at / mpmath.mpf(above)) > target))


def responses(each: Fraction, count: int) -> Callable[[mpmath.mpf], mpmath.mpf]:
    """Of randomised responses: the sum over what they may answer (Kairouz, Oh and Viswanath 2015)."""

    def delta(epsilon: mpmath.mpf) -> mpmath.mpf:
        with localcontext(Context(prec=DIGITS)):
            at, one = Decimal(mpmath.nstr(epsilon, DIGITS)), Decimal(each.numerator) / Decimal(each.denominator)
            high = 1 / (1 + (-one).exp())
            weight, total = high**count, Decimal(0)
            for against in range(count + 1):
                loss = one * (count - 2 * against)
                if loss <= at:
                    break
                total += weight * (1 - (at - loss).exp())
                weight *= (1 - high) * (count - against) / (high * (against + 1))
        return mpmath.mpf(str(total))

    return delta


def gaussian(squared: Fraction) -> Callable[[mpmath.mpf], mpmath.mpf]:
    """Of Gaussian noise of μ² (Balle and Wang 2018)."""

    def delta(epsilon: mpmath.mpf) -> mpmath.mpf:
        mu = mpmath.sqrt(number(squared))
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)

    return delta
