"""Pairs (ε, δ) in numbers: of a sample, of a change that reaches a mechanism in two ways, and failures set aside.

Every ε and δ is rounded up, so a pair that is computed holds. None is what nothing is known of.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from dp_lsp.accounting.charge import Relation, Sampled, Scheme
from dp_lsp.mechanisms import pairs
from dp_lsp.mechanisms.arithmetic import Interval, brief
from dp_lsp.mechanisms.pairs import IN_NUMBERS, Pair


def both(first: Pair[Fraction], second: Pair[Fraction]) -> Pair[Fraction]:
    """One mechanism that a change reaches in two ways, in the order that costs less."""
    return min(pairs.chain(IN_NUMBERS, first, second), pairs.chain(IN_NUMBERS, second, first))


def amplified(node: Sampled, inside: Pair[Fraction]) -> Pair[Fraction] | None:
    """The pair of a sample, from that of what is done with it. Of a Poisson sample under a change of one record, where
    only the record that changes is charged, (ε, qδ), as the hockey-stick divergence is convex."""
    changes = node.relation is not Relation.ADD_REMOVE
    match node.scheme:
        case Scheme.POISSON if changes:
            return Pair(inside.epsilon, brief(node.rate * inside.delta))
        case Scheme.POISSON:
            return pairs.amplified(IN_NUMBERS, node.rate, inside)
        case Scheme.WITHOUT_REPLACEMENT if changes:
            return pairs.amplified(IN_NUMBERS, node.rate, inside)
        case Scheme.WITH_REPLACEMENT if changes:
            return pairs.redrawn(IN_NUMBERS, Fraction(node.draws), Fraction(1, node.rows), inside)
        case _:
            return None


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
