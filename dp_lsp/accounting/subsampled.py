"""Rényi divergences of samples at integer orders, from those of what is done with a sample.

Between two orders (α-1)·ε(α) is convex, so the straight line between its values at two integers lies above it; at 1 it
is 0. Floats keep to logarithms, intervals need not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from dp_lsp.mechanisms.arithmetic import ONE, ZERO, Interval

HIGHEST_GAUSSIAN = 1024
HIGHEST = 64
_LOG_3 = math.log(3)
_LOG_FACTORIALS = [math.lgamma(n + 1) for n in range(HIGHEST_GAUSSIAN + 1)]


def interpolated(at: Callable[[int], Interval], order: Fraction) -> Interval:
    """An upper bound of ε(α) between integers, of which ``at`` gives (α-1)·ε(α)."""
    below = math.floor(order)
    low = at(below) if below > 1 else ZERO
    if below == order:
        return low / (order - 1)
    high = at(below + 1)
    return (low * (below + 1 - order) + high * (order - below)) / (order - 1)


def float_interpolated(at: Callable[[int], float], order: float) -> float:
    """The same, nearly."""
    below = math.floor(order)
    low = at(below) if below > 1 else 0.0
    if below == order:
        return low / (order - 1)
    return (low * (below + 1 - order) + at(below + 1) * (order - below)) / (order - 1)


def poisson_gaussian(rate: Fraction, squared: Fraction, order: int) -> Interval:
    """(α-1)·ε(α) of Gaussian noise of μ² on a Poisson sample, under add/remove:
    ln Σ C(α,j)(1-q)^(α-j) q^j e^((j²-j)μ²/2). Sources: Abadi and others 2016; Mironov, Talwar and Zhang 2019,
    Section 3.3, for both directions. Gaussian noise drawn several times on one sample is noise of the sum of all μ²
    (trade-off functions, which samples keep the order of)."""
    step = Interval.of(squared).exp()
    growth = power = ONE  # e^((j²-j)μ²/2), and by what it grows
    drawn = ONE
    total = ZERO
    for j in range(order + 1):
        missed = Interval.of(1 - rate).power(order - j)
        total = total + missed * drawn * growth * math.comb(order, j)
        growth, power, drawn = growth * power, power * step, drawn * rate
    return total.ln()


def float_poisson_gaussian(rate: float, squared: float, order: int) -> float:
    """The same, nearly."""
    terms = _log_binomials(order, rate)
    half = squared / 2
    return _log_sum([term + (j * j - j) * half for j, term in enumerate(terms)])


def poisson(rate: Fraction, body: Callable[[int], Interval]) -> Callable[[int], Interval]:
    """(α-1)·ε(α) of a Poisson sample of which ``body`` gives (j-1)·ε(j), under add/remove: as for Gaussian noise, with
    e^((j-1)ε(j)), the terms from j = 3 on taken three times. Source: Zhu and Wang 2019, Theorem 5."""
    missed = cache(Interval.of(1 - rate).power)

    @cache
    def drawn(j: int) -> Interval:
        grown = body(j).exp() if j > 1 else ONE
        return Interval.of(rate).power(j) * grown * (3 if j > 2 else 1)

    def at(order: int) -> Interval:
        terms = (missed(order - j) * drawn(j) * math.comb(order, j) for j in range(order + 1))
        return sum(terms, ZERO).ln()

    return at


def float_poisson(rate: float, body: Callable[[int], float], order: int) -> float:
    """The same, nearly."""
    terms = _log_binomials(order, rate)
    grown = [0.0, 0.0, body(2), *(body(j) + _LOG_3 for j in range(3, order + 1))]
    return _log_sum([term + more for term, more in zip(terms, grown, strict=True)])


def without_replacement(
    rate: Fraction, body: Callable[[int], Interval], pure: Interval | None
) -> Callable[[int], Interval]:
    """(α-1)·ε(α) of a sample without replacement under a change of one record, of which ``body`` gives (j-1)·ε(j) and
    ``pure`` ε(∞): ln(1 + q²C(α,2)·min(4(e^ε(2)-1), e^ε(2)·min(2, (e^ε(∞)-1)²)) + Σ q^j C(α,j) e^((j-1)ε(j))·min(2,
    (e^ε(∞)-1)^j)), j from 3. Source: Wang, Balle and Kasiviswanathan 2019, Theorem 9."""

    @cache
    def drawn(j: int) -> Interval:
        grown = body(j).exp()
        most = grown * _at_most_two(pure, j)
        if j == 2:
            other = (grown - 1) * 4
            most = other if other.high < most.high else most
        return Interval.of(rate).power(j) * most

    def at(order: int) -> Interval:
        return sum((drawn(j) * math.comb(order, j) for j in range(2, order + 1)), ONE).ln()

    return at


def _at_most_two(pure: Interval | None, power: int) -> Interval:
    two = Interval.of(2)
    if pure is None or pure.high >= 2:
        return two
    found = pure.expm1().power(power)
    return found if found.high < two.low else two


def float_without_replacement(rate: float, body: Callable[[int], float], pure: float, order: int) -> float:
    """The same, nearly."""
    if rate == 0:
        return 0.0
    terms = [0.0]
    chosen, drawn = _log_chosen(order), math.log(rate)
    grown = math.expm1(pure) if pure < 2 else math.inf
    for j in range(2, order + 1):
        most = body(j) + _log(min(2.0, grown**j))
        if j == 2:
            most = min(most, _log(4 * math.expm1(min(body(2), 700))))
        terms.append(j * drawn + chosen[j] + most)
    return _log_sum(terms)


def _log_binomials(order: int, rate: float) -> list[float]:
    """ln of C(order, j)·(1-q)^(order-j)·q^j, for all j."""
    if not 0 < rate < 1:
        certain = order if rate else 0
        return [0.0 if j == certain else -math.inf for j in range(order + 1)]
    drawn, missed = math.log(rate), math.log1p(-rate)
    return [term + j * drawn + (order - j) * missed for j, term in enumerate(_log_chosen(order))]


def _log_chosen(order: int) -> list[float]:
    return [_LOG_FACTORIALS[order] - _LOG_FACTORIALS[j] - _LOG_FACTORIALS[order - j] for j in range(order + 1)]


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _log_sum(terms: list[float]) -> float:
    most = max(terms)
    if math.isinf(most):
        return most
    return most + math.log(math.fsum(math.exp(term - most) for term in terms))
