"""Samples with replacement, by the whole curve δ(ε) of what is done with a sample.

A record is drawn j times with probability w_j = C(m,j)·n^-j·(1-1/n)^(m-j). With δ_j(ε) the δ of a change of j places,
what is done with m draws of n rows is (ln(1 + q(e^ε - 1)), Σ w_j δ_j(ε))-private, q = 1 - (1-1/n)^m, for every ε.
Source: Balle, Barthe and Gaboardi 2018, Theorem 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial

from dp_lsp.accounting.charge import Sampled
from dp_lsp.mechanisms import normal
from dp_lsp.mechanisms.arithmetic import ZERO, Interval

_MOST_TIMES = 64
_NEGLIGIBLE = 1e-9  # of the δ that is wanted
_BUMPS = (1e-13, 1e-11, 1e-9, 1e-6, 1e-3)


def rate(node: Sampled) -> Interval:
    """The probability that a record is drawn at all."""
    return 1 - Interval.of(Fraction(node.rows - 1, node.rows)).power(node.draws)


@lru_cache(maxsize=1024)
def epsilon_inside(
    draws: int, rows: int, squared: Fraction | None, pure: Fraction | None, wanted: Fraction
) -> Fraction | None:
    """The ε inside for which the sum is proved to be at most the δ that is wanted. What is done with the sample is
    known by its μ², if all noise is Gaussian, or by the ε of something that is ε-private."""
    weights = _weights(draws, rows, wanted)
    if weights is None or wanted <= 0:
        return None
    if squared:
        mu = Interval.of(squared).sqrt()
        near, exact = partial(_near_gaussian, float(mu.high)), partial(_gaussian, mu)
    elif pure:
        near, exact = partial(_near_response, float(pure)), partial(_response, Interval.of(pure))
    else:
        return None
    guess = _searched(lambda at: sum(float(w.high) * near(j, at) for j, w in weights[:-1]), float(wanted))
    for bump in _BUMPS:
        candidate = Fraction(guess * (1 + bump))
        if _sum(weights, exact, Interval.of(candidate)).up <= wanted:
            return candidate
    return None


Weights = list[tuple[int, Interval]]
"""The probabilities of being drawn 1, 2, … times; the last is that of being drawn more often."""


def _weights(draws: int, rows: int, wanted: Fraction) -> Weights | None:
    missed = Interval.of(Fraction(rows - 1, rows))
    found: Weights = []
    left = 1 - missed.power(draws)
    for j in range(1, min(draws, _MOST_TIMES) + 1):
        share = Interval.of(Fraction(math.comb(draws, j), rows**j)) * missed.power(draws - j)
        found.append((j, share))
        left = left - share
        if j == draws:
            return [*found, (j + 1, ZERO)]
        if float(left.high) <= float(wanted) * _NEGLIGIBLE:
            return [*found, (j + 1, Interval(max(left.low, ZERO.low), left.high))]
    return None


def _sum(weights: Weights, exact: Callable[[int, Interval], Interval], epsilon: Interval) -> Interval:
    *listed, (_, beyond) = weights
    for j, weight in listed:
        beyond = beyond + weight * exact(j, epsilon)
    return beyond


def _searched(near: Callable[[float], float], wanted: float) -> float:
    low, high = 0.0, 1.0
    while near(high) > wanted and high < 1e9:
        low, high = high, 2 * high
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if near(middle) > wanted else (low, middle)
    return high


def _gaussian(mu: Interval, times: int, epsilon: Interval) -> Interval:
    found = normal.delta(mu * times, epsilon)
    return Interval(max(found.low, ZERO.low), found.high)


def _near_gaussian(mu: float, times: int, epsilon: float) -> float:
    return normal.float_delta(mu * times, epsilon)


def _response(pure: Interval, times: int, epsilon: Interval) -> Interval:
    """(e^(jε₀) - e^ε)/(1 + e^(jε₀)), if positive."""
    grown = (pure * times).exp()
    found = (grown - epsilon.exp()) / (grown + 1)
    return Interval(max(found.low, ZERO.low), max(found.high, ZERO.high))


def _near_response(pure: float, times: int, epsilon: float) -> float:
    return max(0.0, -math.expm1(epsilon - pure * times) / (1 + math.exp(-pure * times)))
