"""Mechanisms that select or answer: by scores, by queries and a threshold, and randomised response."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from dp_lsp.core import sens
from dp_lsp.core.constraints import Origin
from dp_lsp.core.sens import ONE, ZERO, Sens
from dp_lsp.core.values import thing, value
from dp_lsp.mechanisms.arithmetic import DEEP, Arithmetic, DecimalInterval, Order
from dp_lsp.mechanisms.mechanism import (
    IN_NUMBERS,
    Curve,
    Draws,
    Formula,
    Loss,
    Mechanism,
    Number,
    Pair,
    Selects,
    UnboundedLoss,
    decimal,
    group,
)

_EIGHTH = Sens((sens.number(8).single_poly().inverse(),))


class Pure(Mechanism):
    """A mechanism of which, as long as it says nothing else, no more is known than that it is ε-private, in proportion
    to the distance."""

    __slots__ = ()

    epsilon: Sens

    @property
    def numbers(self) -> Mapping[str, Sens]:
        return {"ε": self.epsilon}

    @property
    def declares(self) -> Pair[Sens]:
        return Pair(self.epsilon, ZERO)

    def pair(self, steps: Sens, factor: Sens, most: Sens) -> Pair[Sens]:
        return Pair(self.epsilon * steps * factor, ZERO)

    def loss(self, far: Sens, number: Number, origin: Origin) -> Loss:
        epsilon = number(self.epsilon * far)
        return UnboundedLoss(origin) if epsilon is None else self._of(epsilon, far, origin)

    def _of(self, epsilon: Fraction, far: Sens, origin: Origin) -> Loss:
        return Approximate(epsilon, Fraction(0), origin=origin)


@value
class Approximate(Loss, Curve):
    """Something of which no more is known than that it is (``epsilon``, ``delta``)-private; pure if δ is 0. With more
    than two ``answers`` it is known to be randomised response with so many.

    As a pair: it fails with probability δ and else is randomised response, of which the true one of ``answers`` is e^ε
    times as likely as each other (Kairouz, Oh and Viswanath 2015, Theorem 3.1; for several answers the pair is that of
    two true ones, and a true one that is not among the answers is the average of all)."""

    kind = "approximate"

    epsilon: Fraction
    delta: Fraction
    answers: int = 2
    origin: Origin | None = field(default=None, compare=False)

    def times(self, steps: int) -> Approximate:
        if steps == 1:
            return self
        return Approximate(*group(IN_NUMBERS, Pair(self.epsilon, self.delta), steps), origin=self.origin)

    def pair(self) -> Pair[Fraction]:
        return Pair(self.epsilon, self.delta)

    def divergence(self) -> tuple[Formula, Fraction] | None:
        formula = response if self.answers <= 2 else response_of(self.answers)
        return None if self.delta else (formula, self.epsilon)

    def rho(self) -> DecimalInterval | None:
        """Of more answers (p - q)ε, for the chances p and q of a true answer and of each other one; more than six count
        as six, which are no closer at any order."""
        if self.delta or self.answers <= 2:
            return None
        more = DecimalInterval.of(self.epsilon).expm1()
        return more / (more + min(self.answers, _AT_THE_MEAN)) * self.epsilon

    def dominating(self) -> Curve | None:
        if not self.delta:
            return self
        return Approximate(self.epsilon, self.delta) if self.delta < 1 else None

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        grown, total = _response(self.epsilon, self.answers)
        left = DEEP.divide(DEEP.subtract(max(grown, growth), growth), total)
        failure = self.failure
        return DEEP.fma(DEEP.subtract(Decimal(1), failure), left, failure)

    @property
    def failure(self) -> Decimal:
        return decimal(self.delta)

    @property
    def size(self) -> Fraction:
        return self.epsilon


_AT_THE_MEAN = 6  # answers of randomised response, up to which ε(α)/α is largest where α is almost 1


def response(by: Arithmetic[Any], epsilon: Order, order: Order) -> Any:
    """Of randomised response, the worst of what is ε-private: ln((e^(αε) + e^((1-α)ε))/(1 + e^ε))/(α-1)."""
    more = by.log1p(by.exp(by.of(-(2 * order - 1) * epsilon)))
    return by.of(epsilon) + (more - _others(by, epsilon, 1)) / by.of(order - 1)


@lru_cache(maxsize=1024)
def _others(by: Arithmetic[Any], epsilon: Order, count: int) -> Any:
    """ln(1 + k·e^-ε), which is the same at all orders."""
    return by.log1p(by.exp(by.of(-epsilon)) * by.of(count))


@cache
def response_of(answers: int) -> Formula:
    """Of randomised response with more than two answers, of which the true one is e^ε times as likely as each other:
    ln((e^(αε) + e^((1-α)ε) + k - 2)/(e^ε + k - 1))/(α-1), less for more answers. Where none of them is true all are as
    likely, which is their average, and no further from any. Some that are equal are one that is made of them."""

    def of(by: Arithmetic[Any], epsilon: Order, order: Order) -> Any:
        rest = by.exp(by.of(-(2 * order - 1) * epsilon)) + by.exp(by.of(-order * epsilon)) * by.of(answers - 2)
        return by.of(epsilon) + (by.log1p(rest) - _others(by, epsilon, answers - 1)) / by.of(order - 1)

    return of


@lru_cache(maxsize=256)
def _response(epsilon: Fraction, answers: int) -> tuple[Decimal, Decimal]:
    """e^ε, and that of all answers together."""
    grown = decimal(epsilon).exp(DEEP)
    return grown, DEEP.add(grown, Decimal(answers - 1))


@thing
class RandomizedResponse(Pure):
    """One of so many ``answers``: a true one e^ε times as likely as each of the others. The distance is 1 where the
    truth is another one, however far away. Sources: Warner 1965; Dwork and Roth 2014, Section 3.2."""

    declared: Sens
    epsilon: Sens
    answers: Sens
    name = "randomized response"
    made_for = "randomized response for a change of"

    def _of(self, epsilon: Fraction, far: Sens, origin: Origin) -> Loss:
        answers = self.answers.number if far == ONE else None
        several = answers is not None and answers > 2
        return Approximate(epsilon, Fraction(0), int(answers) if several and answers else 2, origin)

    @staticmethod
    def chances(truth: Any, answers: Sequence[Any], epsilon: Fraction) -> Mapping[Any, float]:
        """How likely each answer is, up to the same factor: with probability (e^ε - 1)/(e^ε + k - 1) the truth, if that
        is one of the k answers, else any of these.

        An answer that is there m times is told with probability (e^ε - 1 + m)/(e^ε + k - 1) where it is true, m/(e^ε +
        k - 1) where another one is, and m/k where none is: no two of these are further apart than e^ε, as m >= 1 and k
        >= 1."""
        values = tuple(dict.fromkeys(answers))
        more = math.expm1(float(epsilon)) if truth in values else 0.0
        return {value: answers.count(value) + (more if value == truth else 0.0) for value in values}

    @staticmethod
    def told(draws: Draws, truth: Any, answers: Sequence[Any], epsilon: Fraction) -> Any:
        """An answer, drawn exactly."""
        place = answers.index(truth) if truth in answers else None
        return answers[draws.told(place, len(answers), epsilon)]


@thing
class Exponential(Pure, Selects):
    """A candidate chosen with probability proportional to exp(ε·score/(2·declared)). The distance is the largest by
    which any score moves. Sources: McSherry and Talwar 2007; Dwork and Roth 2014, Theorem 3.10.

    By how much two scores move apart is what tells: at most r if both move the same way by at most r, and 2r if not.
    Source: Dong, Durfee and Rogers 2020 (bounded range)."""

    declared: Sens
    epsilon: Sens
    name = "exponential"
    made_for = "exponential mechanism for scores that change by"
    selects = "all scores"
    one_way = sens.number(Fraction(1, 2))

    def rho(self, pair: Pair[Sens]) -> Sens:
        """ε²/8. Source: Cesar and Rogers 2021, for whatever has bounded range."""
        return pair.epsilon.power(2) * _EIGHTH

    def _of(self, epsilon: Fraction, far: Sens, origin: Origin) -> Loss:
        return BoundedRange(epsilon, origin)

    @staticmethod
    def weights(scores: Sequence[Any], *numbers: Fraction) -> Sequence[float]:
        moves, epsilon = numbers
        return [float(score * epsilon / (2 * moves)) for score in scores]

    @staticmethod
    def selected(draws: Draws, scores: Sequence[Fraction], *numbers: Fraction) -> int:
        return draws.selected(scores, *numbers)


@thing
class NoisyMax(Exponential):
    """The place of the largest entry after Gumbel noise of scale 2·declared/ε on each: the exponential mechanism, of
    places by their entries. The distance is the largest by which any entry moves.

    With Gumbel noise of scale s on each entry, entry i is the largest with a probability proportional to exp(xᵢ/s): the
    integral over its sum t of its density exp(-z - exp(-z))/s, z = (t - xᵢ)/s, times exp(-exp(-(t - xⱼ)/s)) for each
    other j, so that they are one exponential of all, exp(-exp(-t/s)·Σ exp(xⱼ/s)). Source: Dwork and Roth 2014, Theorem
    3.10."""

    declared: Sens
    epsilon: Sens
    name = "noisy max"
    made_for = "Gumbel noise for entries that change by"
    selects = "all entries"


@value
class BoundedRange(Loss, Curve):
    """A choice whose privacy losses lie in an interval of length ``epsilon`` that holds 0: the exponential mechanism.

    As a pair: losses in [t - ε₀, t], whichever t; by convexity at its two ends, and the largest of these curves over t,
    at t = (ε₀ + ε)/2, is (e^(ε₀/2) - e^(ε/2))²/(e^ε₀ - 1) (Dong, Durfee and Rogers 2020)."""

    kind = "boundedrange"

    epsilon: Fraction
    origin: Origin | None = field(default=None, compare=False)

    def times(self, steps: int) -> BoundedRange:
        return self if steps == 1 else BoundedRange(self.epsilon * steps, self.origin)

    def pair(self) -> Pair[Fraction]:
        return Pair(self.epsilon, Fraction(0))

    def divergence(self) -> tuple[Formula, Fraction]:
        return bounded_range, self.epsilon

    def rho(self) -> DecimalInterval:
        """y - 1 - ln y with y = ε/(e^ε - 1), and at most ε²/8 (Cesar and Rogers 2021)."""
        if self.epsilon == 0:
            return DecimalInterval.of(0)
        ratio = DecimalInterval.of(self.epsilon) / DecimalInterval.of(self.epsilon).expm1()
        exact = ratio - 1 - ratio.ln()
        return DecimalInterval(exact.low, min(exact.high, DecimalInterval.of(self.epsilon**2 / 8).high))

    def dominating(self) -> Curve:
        return self

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        grown, _ = _response(self.epsilon, 1)
        if growth >= grown:
            return Decimal(0)
        apart = DEEP.subtract(DEEP.sqrt(grown), DEEP.sqrt(growth))
        return DEEP.divide(DEEP.multiply(apart, apart), DEEP.subtract(grown, Decimal(1)))

    @property
    def largest(self) -> Fraction:
        return self.epsilon


def bounded_range(by: Arithmetic[Any], epsilon: Order, order: Order) -> Any:
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


@thing
class AboveThreshold(Pure):
    """Which queries are above a threshold, up to the c-th, ``most``, by the sparse vector technique: noise of scale 2/ε
    on the threshold and 4c/ε on each query. The distance is the largest by which any query moves. Source: Dwork and
    Roth 2014, Theorem 3.23; Lyu, Su and Li 2017, Theorem 4.

    Where a change moves all queries the same way, of the noise on the queries their own counts once and not twice
    (Lyu, Su and Li 2017, Theorem 5)."""

    declared: Sens
    epsilon: Sens
    most: Sens
    name = "above-threshold"
    made_for = "sparse vector technique for queries that change by"
    selects = "all queries"
    one_way = sens.number(Fraction(3, 4))
    unpriced = frozenset({"most"})

    @property
    def drawn_for(self) -> tuple[Sens, ...]:
        return self.epsilon, self.epsilon * sens.inverse_magnitude(self.most.single_poly())

    @staticmethod
    def found(draws: Draws, over: Sequence[Fraction], most: int, epsilon: Fraction) -> Sequence[bool]:
        """Which are above, drawn exactly. ``over`` is how far each query's answer is above the threshold."""
        return draws.above(over, most, epsilon)

    @staticmethod
    def outcomes(over: Sequence[Any], most: int, epsilon: Fraction) -> dict[tuple[bool, ...], float]:
        """The logarithm of the probability that these, and no others, are found above the threshold until so many were:
        the integral over the noise on the threshold, between the corners of the integrand by Gauss and Legendre."""
        import numpy as np

        centres = [float(each * epsilon) for each in over]
        own, each = _ANSWERS_ABOVE[0], _ANSWERS_ABOVE[1] * most
        cut = sorted({corner + side * far for corner in (0.0, *centres) for side in (1, -1) for far in _CUTS})
        points, weights = _legendre()
        middle, half = (np.array(cut[1:]) + cut[:-1])[:, None] / 2, np.diff(cut)[:, None] / 2
        at = middle + half * points
        found: dict[tuple[bool, ...], Any] = {(): np.exp(-np.abs(at) / own) / (2 * own) * weights * half}
        for centre in centres:
            above = _tail((at - centre) / each)
            left, found = found, {}
            for answers, mass in left.items():
                if sum(answers) < most:
                    found[*answers, True] = mass * above
                    mass = mass * (1 - above)
                found[*answers, False] = mass
        return {answers: math.log(max(float(np.sum(mass)), _UNSURE)) for answers, mass in found.items()}


_ANSWERS_ABOVE = (2, 4)  # the scales of the noise on the threshold and on the answers, for one, in units of 1/eps
_POINTS = 24  # where the density between two cuts is looked at
_CUTS = (*range(0, 40, 4), *range(40, 241, 20))  # how far from a corner, in units of 1/eps
_UNSURE = 1e-14  # a probability that is smaller is not known any better


@cache
def _legendre() -> tuple[Any, Any]:
    """Where Gauss and Legendre look between two corners, and how much each place counts."""
    import numpy as np

    legendre: Any = np.polynomial.legendre  # older versions of NumPy do not say what it holds
    points, weights = legendre.leggauss(_POINTS)
    return points, weights


def _tail(at: Any) -> Any:
    """The probability that Laplace noise of scale 1 is above."""
    import numpy as np

    return np.where(at > 0, np.exp(-np.abs(at)) / 2, 1 - np.exp(-np.abs(at)) / 2)
