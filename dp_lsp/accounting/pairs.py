"""Pairs (ε, δ) of approximate differential privacy: of one mechanism, of a larger change, of a sample.

Every ε and δ is rounded up, so a pair that is computed holds. None is what nothing is known of.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting.charge import (
    Approximate,
    BoundedRange,
    Charge,
    Laplace,
    Relation,
    Sampled,
    Scheme,
)
from dp_lsp.accounting.rounding import Interval, brief


class Pair(NamedTuple):
    """(ε, δ)."""

    epsilon: Fraction
    delta: Fraction


FREE = Pair(Fraction(0), Fraction(0))


def of_mechanism(node: Charge, steps: int) -> Pair | None:
    """The pair of a mechanism that has one of its own."""
    match node:
        case Laplace(epsilon=epsilon) | BoundedRange(epsilon=epsilon):
            return Pair(epsilon * steps, Fraction(0))
        case Approximate(epsilon=epsilon, delta=delta):
            return group(Pair(epsilon, delta), steps)
        case _:
            return None


def group(pair: Pair, steps: int) -> Pair:
    """A change of several steps: (kε, δ(1 + e^ε + … + e^((k-1)ε))). Source: the chain of steps."""
    if steps == 1 or pair.delta == 0:
        return Pair(pair.epsilon * steps, pair.delta)
    if pair.epsilon == 0:
        return Pair(pair.epsilon, pair.delta * steps)
    return Pair(pair.epsilon * steps, brief((growth(pair.epsilon, steps) * pair.delta).up))


def growth(epsilon: Fraction, steps: int) -> Interval:
    """1 + e^ε + … + e^((k-1)ε) for ε > 0."""
    one = Interval.of(epsilon)
    return (one * steps).expm1() / one.expm1()


def both(first: Pair, second: Pair) -> Pair:
    """One mechanism that a change reaches in two ways: (ε₁ + ε₂, δ₁ + e^ε₁ δ₂), or with the second changed first.
    Source: the chain through the data on which only one of them has changed."""
    return Pair(first.epsilon + second.epsilon, min(_chained(first, second), _chained(second, first)))


def _chained(first: Pair, second: Pair) -> Fraction:
    if second.delta == 0:
        return first.delta
    return brief((Interval.of(first.epsilon).exp() * second.delta + first.delta).up)


def amplified(node: Sampled, inside: Pair) -> Pair | None:
    """The pair of a sample, from that of what is done with it.

    With q the rate and A = ln(1 + q(e^ε - 1)): (A, qδ) for a Poisson sample under add/remove (Li, Qardaji and Su 2012;
    Balle, Barthe and Gaboardi 2018, Theorem 8), or under a change of one record if what is done is charged for a
    record that changes and for one that is not there (advanced joint convexity); without the latter (ε, qδ), as the
    hockey-stick divergence is convex. (A, qδ) without replacement under a change of one record (ibid., Theorem 9).
    With replacement (mε₁, δ(e^(mε₁) - 1)/(e^ε - 1)), ε₁ = ln(1 + (e^ε - 1)/n): one draw is changed after the other,
    each being a sample of one row of n."""
    changes = node.relation is not Relation.ADD_REMOVE
    match node.scheme:
        case Scheme.POISSON if node.relation is Relation.CHANGE_ONE:
            return Pair(inside.epsilon, brief(node.rate * inside.delta))
        case Scheme.POISSON:
            return Pair(amplified_epsilon(node.rate, inside.epsilon), brief(node.rate * inside.delta))
        case Scheme.WITHOUT_REPLACEMENT if changes:
            return Pair(amplified_epsilon(node.rate, inside.epsilon), brief(node.rate * inside.delta))
        case Scheme.WITH_REPLACEMENT if changes:
            return _with_replacement(node, inside)
        case _:
            return None


def amplified_epsilon(rate: Fraction, epsilon: Fraction) -> Fraction:
    """ln(1 + q(e^ε - 1))."""
    if rate == 1 or epsilon == 0:
        return epsilon
    return (Interval.of(epsilon).expm1() * rate).log1p().up


def _with_replacement(node: Sampled, inside: Pair) -> Pair:
    if inside.epsilon == 0:
        return Pair(inside.epsilon, brief(inside.delta * node.draws / node.rows))
    one = (Interval.of(inside.epsilon).expm1() / node.rows).log1p()
    epsilon = one * node.draws
    if inside.delta == 0:
        return Pair(epsilon.up, inside.delta)
    factor = epsilon.expm1() / Interval.of(inside.epsilon).expm1()
    return Pair(epsilon.up, (factor * inside.delta).up)


def unsampled_delta(node: Sampled, outside: Fraction) -> Fraction:
    """The δ inside a sample that becomes, to first order, the one outside."""
    times = node.rate if node.scheme is not Scheme.WITH_REPLACEMENT else Fraction(node.draws, node.rows)
    return outside / times if times else Fraction(1)


def failing(deltas: Iterable[Fraction]) -> Fraction:
    """The probability 1 - Π(1 - δ) that one of several independent things fails."""
    total = Fraction(0)
    for delta in deltas:
        if delta:
            total = brief(total + delta * (1 - total))
    return total


def failing_repeatedly(delta: Fraction, count: int) -> Fraction:
    """1 - (1 - δ)^count."""
    if delta == 0 or delta >= 1 or count == 1:
        return min(delta, Fraction(1))
    kept = ((1 - Interval.of(delta)).ln() * count).exp()
    return brief(min((1 - kept).up, delta * count))


def slack(delta: Fraction, taken: Fraction) -> Fraction | None:
    """The δ' that is left: the largest with 1 - (1 - taken)(1 - δ') ≤ δ, rounded down. None if there is none."""
    if taken >= delta or delta >= 1:
        return None
    return (Interval.of(delta - taken) / Interval.of(1 - taken)).down


def drift(epsilon: Fraction) -> Interval:
    """ε·tanh(ε/2): the largest mean, ρ included, of the privacy loss of what is ε-private."""
    if epsilon == 0:
        return Interval.of(0)
    one = Interval.of(epsilon).expm1()
    return one / (one + 2) * epsilon
