"""Rényi divergences of single mechanisms as functions of the order α > 1, for floats and for intervals alike."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, Generic, Protocol, TypeVar

from dp_lsp.accounting.charge import Approximate, BoundedRange, Charge, Gaussian, Laplace
from dp_lsp.accounting.rounding import Interval

N = TypeVar("N", float, Interval)
Order = Fraction | float
"""A float where floats are computed with."""


class Arithmetic(Generic[N]):
    """The functions that a formula needs beside + - * /."""

    def of(self, value: Fraction | float) -> N:
        raise NotImplementedError

    def exp(self, value: N) -> N:
        raise NotImplementedError

    def ln(self, value: N) -> N:
        raise NotImplementedError

    def expm1(self, value: N) -> N:
        raise NotImplementedError

    def log1p(self, value: N) -> N:
        raise NotImplementedError

    def clipped(self, value: N, low: N, high: N) -> N:
        raise NotImplementedError


class Floats(Arithmetic[float]):
    """Fast, for searching; what is too large is ∞."""

    def of(self, value: Fraction | float) -> float:
        try:
            return float(value)
        except OverflowError:
            return math.inf

    def exp(self, value: float) -> float:
        return math.exp(value) if value < 700 else math.inf

    def ln(self, value: float) -> float:
        return math.log(value) if value > 0 else -math.inf

    def expm1(self, value: float) -> float:
        return math.expm1(value) if value < 700 else math.inf

    def log1p(self, value: float) -> float:
        return math.log1p(value)

    def clipped(self, value: float, low: float, high: float) -> float:
        return min(max(value, low), high)


class Intervals(Arithmetic[Interval]):
    """Certain."""

    def of(self, value: Fraction | float) -> Interval:
        return Interval.of(value)

    def exp(self, value: Interval) -> Interval:
        return value.exp()

    def ln(self, value: Interval) -> Interval:
        return value.ln()

    def expm1(self, value: Interval) -> Interval:
        return value.expm1()

    def log1p(self, value: Interval) -> Interval:
        return value.log1p()

    def clipped(self, value: Interval, low: Interval, high: Interval) -> Interval:
        raised = Interval(max(value.low, low.low), max(value.high, low.high))
        return Interval(min(raised.low, high.low), min(raised.high, high.high))


_AT_THE_MEAN = 6  # answers of randomised response, up to which ε(α)/α is largest where α is almost 1
FLOATS, INTERVALS = Floats(), Intervals()


class Formula(Protocol):
    """A divergence at an order, of a mechanism with a number."""

    def __call__(self, by: Arithmetic[N], number: Order, order: Order, /) -> N: ...


def formula_of(node: Charge, steps: int) -> tuple[Formula, Fraction] | None:
    """The divergence of a mechanism at a change of several steps, as a formula with its number; of what is
    (ε, δ)-private, that of what is left when failures are set aside. None if nothing is known of it."""
    match node:
        case Gaussian(mu=mu):
            return gaussian, (mu * steps) ** 2
        case Laplace(epsilon=epsilon):
            return laplace, epsilon * steps
        case BoundedRange(epsilon=epsilon):
            return bounded_range, epsilon * steps
        case Approximate(epsilon=epsilon, answers=answers):
            return response_of(answers) if steps == 1 else response, epsilon * steps
        case _:
            return None


def gaussian(by: Arithmetic[N], squared: Order, order: Order) -> N:
    """αμ²/2, of μ²."""
    return by.of(squared * order / 2)


def laplace(by: Arithmetic[N], epsilon: Order, order: Order) -> N:
    """ln(α/(2α-1)·e^((α-1)ε) + (α-1)/(2α-1)·e^(-αε))/(α-1). Source: Mironov 2017, Table II; holds for vectors with ε in
    L1, as the formula is convex in ε and 0 at 0."""
    second = by.of((order - 1) / order) * by.exp(by.of(-(2 * order - 1) * epsilon))
    return by.of(epsilon) + (by.ln(by.of(order / (2 * order - 1))) + by.log1p(second)) / by.of(order - 1)


def response(by: Arithmetic[N], epsilon: Order, order: Order) -> N:
    """Of randomised response, the worst of what is ε-private: ln((e^(αε) + e^((1-α)ε))/(1 + e^ε))/(α-1)."""
    more = by.log1p(by.exp(by.of(-(2 * order - 1) * epsilon)))
    return by.of(epsilon) + (more - _others(by, epsilon, 1)) / by.of(order - 1)


def _others(by: Arithmetic[N], epsilon: Order, count: int) -> N:
    """ln(1 + k·e^-ε), which is the same at all orders."""
    found: N = _others_of(by, epsilon, count)
    return found


@lru_cache(maxsize=1024)
def _others_of(by: Arithmetic[Any], epsilon: Order, count: int) -> Any:
    return by.log1p(by.exp(by.of(-epsilon)) * by.of(count))


@cache
def response_of(answers: int) -> Formula:
    """Of randomised response with so many answers, of which the true one is e^ε times as likely as each other:
    ln((e^(αε) + e^((1-α)ε) + k - 2)/(e^ε + k - 1))/(α-1), less for more answers. Where none of them is true all are as
    likely, which is their average, and no further from any. Some that are equal are one that is made of them."""
    if answers <= 2:
        return response

    def of(by: Arithmetic[N], epsilon: Order, order: Order) -> N:
        rest = by.exp(by.of(-(2 * order - 1) * epsilon)) + by.exp(by.of(-order * epsilon)) * by.of(answers - 2)
        return by.of(epsilon) + (by.log1p(rest) - _others(by, epsilon, answers - 1)) / by.of(order - 1)

    return of


def bounded_range(by: Arithmetic[N], epsilon: Order, order: Order) -> N:
    """The worst of losses in an interval of length ε that holds 0: by convexity two of them, t and t - ε, with the
    worst t. With c = e^(-(α-1)ε), x = e^t = (α-1)(e^ε-c)/(α(1-c)) within 1 and e^ε, it is
    ln x + ln(((e^ε-c) - x(1-c))/(e^ε-1))/(α-1); here everything is divided by e^ε."""
    if epsilon == 0:
        return by.of(0)
    low = by.of(0) - by.expm1(by.of(-(order - 1) * epsilon))  # 1 - c
    top = by.of(0) - by.expm1(by.of(-order * epsilon))  # 1 - c·e^-ε
    least = by.exp(by.of(-epsilon))
    worst = by.clipped(by.of((order - 1) / order) * top / low, least, by.of(1))
    mass = (top - worst * low) / (by.of(0) - by.expm1(by.of(-epsilon)))
    return by.of(epsilon) + by.ln(worst) + by.ln(mass) / by.of(order - 1)


def rho(node: Charge, steps: int) -> Interval | None:
    """The ρ of a mechanism: the supremum over orders of its divergence divided by the order.

    Laplace noise ε + e^-ε - 1 (Harrison and Manurangsi 2025); Gaussian noise μ²/2; bounded range y - 1 - ln y with
    y = ε/(e^ε - 1); what is ε-private ε·tanh(ε/2), of which randomised response is (p - q)ε, for the chances p and q of
    a true answer and of each other one; more than six answers count as six, which are no closer at any order."""
    match node:
        case Gaussian(mu=mu):
            return Interval.of((mu * steps) ** 2 / 2)
        case Laplace(epsilon=epsilon):
            return Interval.of(epsilon * steps) + Interval.of(-epsilon * steps).expm1()
        case BoundedRange(epsilon=epsilon):
            return _bounded_range_rho(epsilon * steps)
        case Approximate(epsilon=epsilon, delta=0, answers=answers) if steps == 1 and answers > 2:
            more = Interval.of(epsilon).expm1()
            return more / (more + min(answers, _AT_THE_MEAN)) * epsilon
        case _:
            return None


def _bounded_range_rho(epsilon: Fraction) -> Interval:
    if epsilon == 0:
        return Interval.of(0)
    ratio = Interval.of(epsilon) / Interval.of(epsilon).expm1()
    exact = ratio - 1 - ratio.ln()
    return Interval(exact.low, min(exact.high, Interval.of(epsilon**2 / 8).high))


def converted(by: Arithmetic[N], divergence: N, order: Order, delta: N) -> N:
    """The ε of a divergence at an order > 1: ε(α) + ln((α-1)/α) - (ln δ + ln α)/(α-1), if that is positive.
    Sources: Balle and others 2020, Theorem 21; Canonne, Kamath and Steinke 2020, Proposition 12."""
    paid = (by.ln(delta) + by.ln(by.of(order))) / by.of(order - 1)
    return divergence + by.ln(by.of((order - 1) / order)) - paid


def indistinct(divergence: Interval, delta: Fraction) -> bool:
    """Whether a divergence at some order, or the limit at 1, shows that the distributions are within δ in total
    variation: δ ≥ √(1 - e^-ε(α)). Source: Bretagnolle and Huber 1979."""
    return (0 - (-divergence).expm1()).up <= delta**2
