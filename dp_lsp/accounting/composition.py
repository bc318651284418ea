"""Composition: what several mechanisms cost together. Each rule stands here once, for symbols and for numbers.

Every measure keeps numbers that add up, also where what is done later is chosen by what was released before, and for
what is chosen the largest of each counts:

- (ε, δ), by basic composition: Dwork and Roth 2014, Theorem 3.16.
- Σε·tanh(ε/2) and Σε² of steps that are ε-private, for the inequality of Azuma and Hoeffding: given the past, the loss
  of a step lies between -ε and ε and has a mean of at most ε·tanh(ε/2): Kairouz, Oh and Viswanath 2015, Theorem 3.5.
- ρ of zero-concentrated privacy: Bun and Steinke 2016, Lemma 8.2.
- ε(α) of Rényi privacy, at an order that is fixed in advance: Mironov 2017, Proposition 1.
- μ² of Gaussian privacy: Dong, Roth and Su 2019, Corollary 3.3.

Of what may fail, the failures are set aside beforehand: that one of several fails has a probability of 1 - Π(1 - δ).
"""

from __future__ import annotations

from collections.abc import Sequence as Listed
from fractions import Fraction
from typing import Any, Generic, TypeVar

from dp_lsp.accounting.charge import Rules
from dp_lsp.mechanisms.mechanism import A, Counting, drift
from dp_lsp.named import NamedTuple

S = TypeVar("S", bound="tuple[Any, ...]")


class Steps(NamedTuple, Generic[A]):
    """What some steps of ε₁, ε₂ … add up to: Σεᵢ, Σεᵢ·tanh(εᵢ/2), which the mean of their loss is at most, and Σεᵢ²,
    by which it varies."""

    epsilon: A
    mean: A
    square: A


class Concentrated(NamedTuple, Generic[A]):
    """ρ, when failures of probability δ are set aside: δ-approximate ρ-zCDP."""

    rho: A
    delta: A


class Shifted(NamedTuple, Generic[A]):
    """μ-Gaussian privacy, by the square of μ."""

    square: A


def one_step(count: Counting[A], epsilon: A) -> Steps[A]:
    """A single step that is ε-private."""
    return Steps(epsilon, count.kept(drift(count.by, count.lifted(epsilon))), count.brief(epsilon * epsilon))


def concentrated(count: Counting[A], steps: Steps[A], logarithm: Any) -> A:
    """T + √(2V·ln(1/δ')), T = Σε·tanh(ε/2), V = Σε²: but for a δ', what several steps lose together, also where what is
    done later is chosen by what was released before; by the inequality of Azuma and Hoeffding, as above. ``logarithm``
    is that of 1/δ', or another one that a theorem allows in its place."""
    return steps.mean + count.kept(count.by.sqrt(count.lifted(count.of(2) * steps.square) * logarithm))


class Sums(Generic[A, S]):
    """Losses that are named tuples of numbers which add up. ``free`` is that of nothing; with ``fails`` the last number
    is the probability of failures that are set aside."""

    def __init__(self, count: Counting[A], free: S, fails: bool = False) -> None:
        self._count: Any = count
        self._free: Any = free
        self._fails = fails

    def sequence(self, parts: Listed[S]) -> S:
        """One after the other, adaptively."""
        columns = list(zip(*parts, strict=True))
        if not columns:
            return self._of([*self._free])
        *sums, last = columns
        together = self._count.failing if self._fails else self._count.total
        return self._of([*map(self._count.total, sums), together(last)])

    def repeat(self, times: A, once: S) -> S:
        """So many rounds."""
        *sums, last = once
        repeated = self._count.failing_repeatedly(last, times) if self._fails else times * last
        return self._of([*(times * each for each in sums), repeated])

    def either(self, parts: Listed[S]) -> S:
        """One of several, chosen by what is known; of none, nothing."""
        columns: list[tuple[Any, ...]] = list(zip(*parts, strict=True))
        return self._of([*map(self._count.largest, columns)] if columns else [*self._free])

    def _of(self, numbers: list[Any]) -> S:
        made: S = self._free._make(numbers)
        return made


class Summing(Rules[S]):
    """The rules of a numeric measure that keeps ``sums``: what is left to say is what a mechanism costs."""

    sums: Sums[Fraction, S]

    def sequence(self, parts: Listed[S]) -> S | None:
        return self.sums.sequence(parts)

    def repeat(self, count: int, once: S) -> S | None:
        return self.sums.repeat(Fraction(count), once)

    def either(self, parts: Listed[S]) -> S | None:
        return self.sums.either(parts)
