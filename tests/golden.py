"""Comparing numbers with figures as they are printed, and what independent computations need."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec

import mpmath
import pytest

from dp_lsp.accounting.best import MEASURES, guarantees
from dp_lsp.accounting.charge import Charge, ChargedSample, Relation, Sampling

DIGITS = 60
"""With so many all tests compute: whoever is imported last would else say how exactly the others do."""
mpmath.mp.dps = DIGITS

needs_library = pytest.mark.skipif(
    find_spec("dp_accounting") is None, reason="dp-accounting is not installed (from Python 3.13 on it has no numpy)"
)


def agrees(value: Fraction | float | mpmath.mpf, printed: str, units: str = "0.5001") -> bool:
    """Whether a number, rounded to the digits of a printed one, is that one; off by so many units of the last place."""
    exponent = Decimal(printed).as_tuple().exponent
    assert isinstance(exponent, int)
    exact = value if isinstance(value, Fraction) else Fraction(str(value))
    return abs(exact - Fraction(printed)) <= Fraction(units) * Fraction(10) ** exponent


def stated(charge: Charge, delta: str | Fraction, rule: str) -> Fraction:
    """The ε of one measure."""
    (found,) = guarantees(charge, Fraction(delta), tuple(one for one in MEASURES if one.rule == rule))
    assert found.delta <= Fraction(delta)
    return found.epsilon


def poisson(rate: str | Fraction, body: Charge, relation: Relation = Relation.ADD_REMOVE) -> ChargedSample:
    return ChargedSample(Sampling.POISSON, relation, Fraction(rate), 0, 0, body)


def drawn(draws: int, rows: int, body: Charge, scheme: Sampling = Sampling.WITHOUT_REPLACEMENT) -> ChargedSample:
    return ChargedSample(scheme, Relation.CHANGE_ONE, Fraction(draws, rows), draws, rows, body)


def hockey_stick(
    first: Callable[[mpmath.mpf], mpmath.mpf], second: Callable[[mpmath.mpf], mpmath.mpf], epsilon: float
) -> mpmath.mpf:
    """The integral of the positive part of p - e^ε q."""
    grown = mpmath.exp(epsilon)
    return mpmath.quad(lambda x: max(first(x) - grown * second(x), mpmath.mpf(0)), mpmath.linspace(-14, 14, 113))


def gaussian_delta(mu: float, epsilon: float) -> mpmath.mpf:
    """The exact δ of Gaussian noise."""
    lower, upper = epsilon / mpmath.mpf(mu) - mpmath.mpf(mu) / 2, epsilon / mpmath.mpf(mu) + mpmath.mpf(mu) / 2
    return mpmath.ncdf(-lower) - mpmath.exp(epsilon) * mpmath.ncdf(-upper)


def solved(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a decreasing function is 0."""
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high
