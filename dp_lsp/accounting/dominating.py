"""Dominating pairs of single mechanisms, by their hockey-stick curves.

A pair of distributions (P, Q) dominates a mechanism if D(ε) = sup over events S of P(S) - e^ε·Q(S) is at least what
the mechanism's outputs on any two neighbours have there, for every real ε; what is composed, adaptively too, is
dominated by the products (Zhu, Dong and Wang 2022, Theorem 10). Any D that is convex in e^ε, decreasing, at most 1 and
at least 1 - e^ε is the curve of a pair (ibid., Proposition 8). Here a curve is known at ε ≥ 0, of P against Q and of Q
against P; at -ε it is 1 - e^-ε + e^-ε·(the other at ε), as the event and its complement change places.

Values are computed with 54 digits. They are at most 1, and so is their slope in ε, so what is rounded on the way
leaves them within :data:`ERROR` of the truth, far more than what is noted at each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache

from dp_lsp.accounting.mills import DEEP, mills
from dp_lsp.accounting.rounding import PI
from dp_lsp.core.values import value

ERROR = Decimal("1e-42")
"""More than any value of a curve is wrong by."""

_ONE, _ZERO = Decimal(1), Decimal(0)


class Curve(ABC):
    """The curve of a pair; ``growth`` is e^ε ≥ 1, and ``loss`` ε itself where that is at hand."""

    symmetric = True
    """Whether Q against P is the same."""

    @abstractmethod
    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        """D(ε) of P against Q."""

    def back(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        """D(ε) of Q against P."""
        return self.at(growth, loss)

    @property
    def failure(self) -> Decimal:
        """What is left of D for large ε: the chance of an infinite loss."""
        return _ZERO

    @property
    def size(self) -> Fraction | None:
        """The only finite loss that is not 0, up to its sign; None if there are others."""
        return None

    @property
    def largest(self) -> Fraction | None:
        """The largest finite loss, where it is one that others should be multiples of."""
        return self.size


@value
class Response(Curve):
    """What is (ε₀, δ₀)-private: it fails with probability δ₀ and else is randomised response, of which the true one of
    ``answers`` is e^ε₀ times as likely as each other (Kairouz, Oh and Viswanath 2015, Theorem 3.1; for several answers
    the pair is that of two true ones, and a true one that is not among the answers is the average of all)."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    answers: int = 2

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        grown, total = _response(self.epsilon, self.answers)
        left = DEEP.divide(DEEP.subtract(max(grown, growth), growth), total)
        failure = self.failure
        return DEEP.fma(DEEP.subtract(_ONE, failure), left, failure)

    @property
    def failure(self) -> Decimal:
        return _decimal(self.delta)

    @property
    def size(self) -> Fraction | None:
        return self.epsilon


@value
class LaplaceNoise(Curve):
    """Laplace noise on what moves by ε₀ scales: 1 - e^((ε-ε₀)/2) up to ε₀. A vector that moves by so much in L1 is no
    worse: the trade-off functions of shifts of one coordinate are chained as those of one long shift are (Dong, Roth
    and Su 2019, Theorem 2.14; the densities are log-concave, so the best tests are thresholds)."""

    epsilon: Fraction

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        root = DEEP.sqrt(DEEP.divide(growth, _exp(self.epsilon)))
        return max(_ZERO, DEEP.subtract(_ONE, root))

    @property
    def largest(self) -> Fraction | None:
        return self.epsilon


@value
class Ranged(Curve):
    """Losses in an interval [t - ε₀, t] that holds 0, whichever t: by convexity at its two ends, and the largest of
    these curves over t, at t = (ε₀ + ε)/2, is (e^(ε₀/2) - e^(ε/2))²/(e^ε₀ - 1) (Dong, Durfee and Rogers 2020)."""

    epsilon: Fraction

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        grown = _exp(self.epsilon)
        if growth >= grown:
            return _ZERO
        apart = DEEP.subtract(DEEP.sqrt(grown), DEEP.sqrt(growth))
        return DEEP.divide(DEEP.multiply(apart, apart), DEEP.subtract(grown, _ONE))

    @property
    def largest(self) -> Fraction | None:
        return self.epsilon


@value
class Normal(Curve):
    """Gaussian noise of μ² = ``squared`` > 0: P(Z > a) - e^ε·P(Z > b), a = ε/μ - μ/2, b = a + μ (Balle and Wang 2018,
    Theorem 8), which is φ(a)·(m(a) - m(b)) by Mills' ratio. Of a the part ε/μ is wrong by 1e-52 of it, which moves
    the value by no more, as x·φ(x) < 1."""

    squared: Fraction

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        mu = _root(self.squared)
        middle = DEEP.divide(growth.ln(DEEP) if loss is None else loss, mu)
        half = DEEP.divide(mu, Decimal(2))
        a, b = DEEP.subtract(middle, half), DEEP.add(middle, half)
        density = DEEP.multiply(_scale(), DEEP.divide(DEEP.multiply(a, a.copy_negate()), Decimal(2)).exp(DEEP))
        if a >= 0:
            return DEEP.multiply(density, DEEP.subtract(mills(a), mills(b)))
        return DEEP.subtract(_ONE, DEEP.multiply(density, DEEP.add(mills(a.copy_negate()), mills(b))))


@value
class Added(Curve):
    """A Poisson sample of ``rate`` q, of which one has a record more: (1-q)·Q + q·P against Q, and the other way round.
    The curve is q·D(ln(1 + (e^ε - 1)/q)), back (1 - (1-q)e^ε)·D'(ln(q·e^ε/(1 - (1-q)e^ε))) (Zhu, Dong and Wang 2022,
    Theorem 11; back by exchanging an event and its complement twice)."""

    rate: Fraction
    body: Curve

    symmetric = False

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        return _amplified(self.rate, self.body, growth)

    def back(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        rate = _decimal(self.rate)
        missed = DEEP.fma(DEEP.subtract(rate, _ONE), growth, _ONE)
        if missed <= 0:
            return _ZERO
        return DEEP.multiply(missed, self.body.back(max(_ONE, DEEP.divide(DEEP.multiply(rate, growth), missed))))

    @property
    def failure(self) -> Decimal:
        return DEEP.multiply(_decimal(self.rate), self.body.failure)


@value
class Changed(Curve):
    """A sample that one record of the data is drawn into with probability ``rate`` q, of which that record changes; at
    ε ≥ 0 both ways round, as neighbours are in any order. Where who holds the record in place of another is as likely
    as not (without replacement) q·D(ln(1 + (e^ε - 1)/q)) (Balle, Barthe and Gaboardi 2018, Theorem 9); of a Poisson
    sample, where only the record that changes is charged, q·D(ε), as D is convex in the pair. Both are curves of a
    pair if P and Q are each other's mirror: then P(L > 0) + Q(L > 0) ≤ 1, and so the slope at ε = 0 does not fall."""

    rate: Fraction
    body: Curve
    amplifies: bool

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        if self.amplifies:
            return _amplified(self.rate, self.body, growth)
        return DEEP.multiply(_decimal(self.rate), self.body.at(growth, loss))

    @property
    def failure(self) -> Decimal:
        return DEEP.multiply(_decimal(self.rate), self.body.failure)


def _amplified(rate: Fraction, body: Curve, growth: Decimal) -> Decimal:
    """What is wrong in (e^ε - 1)/q moves D by as much at most, and is multiplied by q."""
    drawn = _decimal(rate)
    inside = DEEP.add(_ONE, DEEP.divide(DEEP.subtract(growth, _ONE), drawn))
    return DEEP.multiply(drawn, body.at(inside))


@lru_cache(maxsize=256)
def _decimal(number: Fraction) -> Decimal:
    return DEEP.divide(Decimal(number.numerator), Decimal(number.denominator))


@lru_cache(maxsize=256)
def _exp(number: Fraction) -> Decimal:
    return _decimal(number).exp(DEEP)


@lru_cache(maxsize=256)
def _root(number: Fraction) -> Decimal:
    return DEEP.sqrt(_decimal(number))


@lru_cache(maxsize=256)
def _response(epsilon: Fraction, answers: int) -> tuple[Decimal, Decimal]:
    """e^ε, and that of all answers together."""
    grown = _exp(epsilon)
    return grown, DEEP.add(grown, Decimal(answers - 1))


@cache
def _scale() -> Decimal:
    """1/√(2π)."""
    return DEEP.divide(_ONE, DEEP.sqrt(DEEP.multiply(Decimal(2), PI.low)))
