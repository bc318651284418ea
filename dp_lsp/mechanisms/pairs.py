"""Pairs (ε, δ) of approximate differential privacy, and what follows of one for a larger change, for a sample, and for
a change that reaches a mechanism in two ways.

Each theorem stands here once, for symbols and for numbers alike: what it is told to count in (:class:`Counting`)
decides whether a result is exact or rounded up.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Generic, TypeVar

from dp_lsp.core import sens
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens
from dp_lsp.mechanisms.arithmetic import INTERVALS, SYMBOLS, Arithmetic, DecimalInterval, brief
from dp_lsp.named import NamedTuple

A = TypeVar("A", Sens, Fraction)
"""What an account is kept in."""


class Pair(NamedTuple, Generic[A]):
    """(ε, δ), in symbols or in numbers."""

    epsilon: A
    delta: A

    @property
    def free(self) -> bool:
        """Whether it costs nothing, as it is written."""
        return not any(map(_is_positive, self))

    @property
    def unbounded(self) -> bool:
        """Whether nothing is guaranteed."""
        return self.epsilon is INFINITY or self.delta is INFINITY


Price = Pair[Sens]
FREE: Price = Pair(ZERO, ZERO)
UNBOUNDED: Price = Pair(INFINITY, ONE)


def _is_positive(value: Sens | Fraction) -> bool:
    return not value.zero if isinstance(value, Sens) else value > 0


class Counting(Generic[A]):
    """The numbers that are kept: formulas are computed by ``by``, and what they give is rounded up where it must be."""

    by: Arithmetic[Any]

    def lifted(self, value: A) -> Any:
        """A number to compute with."""
        raise NotImplementedError

    def kept(self, value: Any) -> A:
        """What was computed."""
        raise NotImplementedError

    def brief(self, value: A) -> A:
        """The number, or one slightly above it that is not as long."""
        raise NotImplementedError

    def of(self, value: int | Fraction) -> A:
        """A number that is known."""
        raise NotImplementedError

    def total(self, values: Iterable[A]) -> A:
        """The sum."""
        raise NotImplementedError

    def largest(self, values: Iterable[A]) -> A:
        """The largest."""
        raise NotImplementedError

    def failing(self, deltas: Iterable[A]) -> A:
        """The probability that one of several independent things fails, 1 - Π(1 - δ), or a number above it."""
        raise NotImplementedError

    def failing_repeatedly(self, delta: A, times: A) -> A:
        """The same of so many with one δ: 1 - (1 - δ)^k."""
        raise NotImplementedError


class InSymbols(Counting[Sens]):
    """Symbols, exactly."""

    by = SYMBOLS

    def lifted(self, value: Sens) -> Sens:
        return value

    def kept(self, value: Sens) -> Sens:
        return value

    def brief(self, value: Sens) -> Sens:
        return value

    def of(self, value: int | Fraction) -> Sens:
        return sens.number(value)

    def total(self, values: Iterable[Sens]) -> Sens:
        return sens.total(values)

    def largest(self, values: Iterable[Sens]) -> Sens:
        return sens.maximum(values)

    def failing(self, deltas: Iterable[Sens]) -> Sens:
        return sens.total(deltas)

    def failing_repeatedly(self, delta: Sens, times: Sens) -> Sens:
        return times * delta


class InNumbers(Counting[Fraction]):
    """Fractions, rounded up."""

    by = INTERVALS

    def lifted(self, value: Fraction) -> DecimalInterval:
        return DecimalInterval.of(value)

    def kept(self, value: DecimalInterval) -> Fraction:
        return brief(value.up)

    def brief(self, value: Fraction) -> Fraction:
        return brief(value)

    def of(self, value: int | Fraction) -> Fraction:
        return Fraction(value)

    def total(self, values: Iterable[Fraction]) -> Fraction:
        return brief(sum(values, Fraction(0)))

    def largest(self, values: Iterable[Fraction]) -> Fraction:
        return max(values)

    def failing(self, deltas: Iterable[Fraction]) -> Fraction:
        total = Fraction(0)
        for delta in deltas:
            if delta:
                total = brief(total + delta * (1 - total))
        return total

    def failing_repeatedly(self, delta: Fraction, times: Fraction) -> Fraction:
        if delta == 0 or delta >= 1 or times == 1:
            return min(delta, Fraction(1))
        kept = ((1 - DecimalInterval.of(delta)).ln() * times).exp()
        return brief(min((1 - kept).up, delta * times))


IN_SYMBOLS, IN_NUMBERS = InSymbols(), InNumbers()


def group(count: Counting[A], pair: Pair[A], steps: int) -> Pair[A]:
    """A change of ``steps`` steps: (kε, δ(1 + e^ε + … + e^((k-1)ε))). Source: Dwork and Roth 2014, Theorem 2.2, with
    the δ of the chain of steps; any neighbour relation, of whose steps the change is made."""
    epsilon, delta = pair
    if steps == 1 or pair.free or pair.unbounded:
        return pair
    if not (_is_positive(epsilon) and _is_positive(delta)):
        return Pair(epsilon * count.of(steps), delta * count.of(steps))
    growth = count.by.geometric(count.lifted(epsilon), steps)
    return Pair(epsilon * count.of(steps), count.kept(count.lifted(delta) * growth))


def chain(count: Counting[A], first: Pair[A], second: Pair[A]) -> Pair[A]:
    """One mechanism that a change reaches in two ways, the first of which is changed first: (ε₁ + ε₂, δ₁ + e^ε₁·δ₂).
    Source: the hybrid argument, through the data on which only the first has changed; attained."""
    total = first.epsilon + second.epsilon
    if not _is_positive(second.delta):
        return Pair(total, first.delta)
    growth = count.by.exp(count.lifted(first.epsilon))
    return Pair(total, count.kept(count.lifted(first.delta) + growth * count.lifted(second.delta)))


def amplified(count: Counting[A], rate: A, inside: Pair[A]) -> Pair[A]:
    """A sample that a record is drawn into with probability q: (ln(1 + q(e^ε - 1)), qδ). Sources: for a Poisson sample,
    both for data of which one has a record more, Li, Qardaji and Su 2012, and Balle, Barthe and Gaboardi 2018, Theorem
    8; without replacement and in random order, both for a change of one record, ibid., Theorem 9."""
    return Pair(amplified_epsilon(count, rate, inside.epsilon), count.brief(rate * inside.delta))


def amplified_epsilon(count: Counting[A], rate: A, epsilon: A) -> A:
    """ln(1 + q(e^ε - 1))."""
    if not _is_positive(epsilon) or rate == count.of(1):
        return epsilon
    return count.kept(count.by.log1p(count.lifted(rate) * count.by.expm1(count.lifted(epsilon))))


def redrawn(count: Counting[A], draws: A, share: A, inside: Pair[A]) -> Pair[A]:
    """k draws with replacement, each of which hits a changed record with probability s = 1/n: a chain of k steps of
    ε₁ = ln(1 + s(e^ε - 1)) and sδ, which is kε₁ and sδ·(1 + e^ε₁ + … + e^((k-1)ε₁)) = δ(e^(kε₁) - 1)/(e^ε - 1), for a
    change of one record. Source: Balle, Barthe and Gaboardi 2018, Theorem 9, by one draw after the other."""
    if not _is_positive(inside.epsilon):
        return Pair(inside.epsilon, count.brief(draws * share * inside.delta))
    one = count.by.expm1(count.lifted(inside.epsilon))
    spent = count.lifted(draws) * count.by.log1p(count.lifted(share) * one)
    if not _is_positive(inside.delta):
        return Pair(count.kept(spent), inside.delta)
    delta = count.lifted(inside.delta) * count.by.quotient(count.by.expm1(spent), one)
    return Pair(count.kept(spent), count.kept(delta))


def drift(by: Arithmetic[Any], epsilon: Any) -> Any:
    """ε·tanh(ε/2): the largest mean of the privacy loss of what is ε-private, and its largest ρ. Source: Bun and
    Steinke 2016, Proposition 3.3, with the exact worst case, which is that of randomised response."""
    return epsilon * by.tanh_half(epsilon)
