"""What a measure that knows pairs makes of a node that has none of its own: Gaussian noise, a sample, a joined pair.

Each such node may spend a share of δ. What lies inside it is priced by whatever is best there, on its own.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting import replacement
from dp_lsp.accounting.charge import Charge, Joined, Relation, Sampled, Scheme
from dp_lsp.accounting.folding import Single
from dp_lsp.accounting.gaussian import squared_mu
from dp_lsp.accounting.guarantee import Find, Guarantee
from dp_lsp.accounting.pairs import amplified, both, unsampled_delta
from dp_lsp.mechanisms.arithmetic import Interval
from dp_lsp.mechanisms.mechanism import Loss
from dp_lsp.mechanisms.pairs import IN_NUMBERS, Pair, group

_TRIES = 6
_MOST = Fraction(999, 1000)  # a δ inside


class Converted(NamedTuple):
    """A pair, and the guarantees of what lies inside that it was made of."""

    pair: Pair[Fraction]
    inside: tuple[Guarantee, ...] = ()


class Converter:
    """The pairs of single nodes. With a ``share``, each node that has none of its own spends at most that δ; without,
    what lies inside is composed by adding up, and nothing is known of Gaussian noise."""

    def __init__(self, find: Find, share: Fraction | None = None) -> None:
        self.find = find
        self.share = share
        self._asked: list[Single] = []
        self._known: dict[tuple[int, int], Converted | None] = {}

    @property
    def looked_inside(self) -> bool:
        """Whether a pair was asked for that depends on what lies inside a node."""
        return any(isinstance(node, Sampled | Joined) for node in self._asked)

    def pair(self, node: Single, steps: int) -> Pair[Fraction] | None:
        """The (ε, δ) of a node at a change of so many steps; None if nothing is guaranteed."""
        found = self.converted(node, steps)
        return None if found is None else found.pair

    def inside(self, node: Charge, steps: int) -> tuple[Guarantee, ...]:
        """What a pair was made of; empty for one that was not asked for."""
        found = self._known.get((id(node), steps))
        return () if found is None else found.inside

    def converted(self, node: Single, steps: int) -> Converted | None:
        """The same with what it was made of; found once for each node."""
        key = id(node), steps
        if key not in self._known:
            self._asked.append(node)
            self._known[key] = self._converted(node, steps)
        return self._known[key]

    def _converted(self, node: Single, steps: int) -> Converted | None:
        match node:
            case Sampled():
                return self._sampled_within(node, steps, self.share) if self.share else self._sampled(node, steps)
            case Joined():
                return self._joined_within(node, steps, self.share) if self.share else self._joined(node, steps)
            case Loss():
                loss = node.times(steps)
                pair = loss.pair()
                if self.share is not None and loss.chooses:
                    epsilon = loss.epsilon_at(self.share)
                    pair = None if epsilon is None else Pair(epsilon, self.share)
                return None if pair is None else Converted(pair)

    def _sampled(self, node: Sampled, steps: int, delta: Fraction | None = None) -> Converted | None:
        inside = self.find(node.body, delta)
        if inside is None:
            return None
        pair = amplified(node, Pair(inside.epsilon, inside.delta))
        return None if pair is None else Converted(group(IN_NUMBERS, pair, steps), (inside,))

    def _sampled_within(self, node: Sampled, steps: int, share: Fraction) -> Converted | None:
        changes = node.relation is not Relation.ADD_REMOVE
        if node.scheme is Scheme.WITH_REPLACEMENT and changes and steps == 1 and self.find.curves:
            found = [self._by_pair_within(node, steps, share), self._by_curve(node, share), self._sampled(node, steps)]
            known = [one for one in found if one is not None and one.pair.delta <= share]
            return min(known, key=lambda one: one.pair, default=None)
        return self._by_pair_within(node, steps, share)

    def _by_curve(self, node: Sampled, share: Fraction) -> Converted | None:
        squared = squared_mu(node.body)
        added = self.find(node.body, None) if squared is None else None
        pure = added.epsilon if added is not None and not added.delta else None
        inside = replacement.epsilon_inside(node.draws, node.rows, squared, pure, share)
        if inside is None:
            return None
        epsilon = (Interval.of(inside).expm1() * replacement.rate(node)).log1p().up
        return Converted(Pair(epsilon, share), (Guarantee(inside, share, "replacement"),))

    def _by_pair_within(self, node: Sampled, steps: int, share: Fraction) -> Converted | None:
        delta = min(unsampled_delta(node, share), _MOST)
        for _ in range(_TRIES):
            found = self._sampled(node, steps, delta)
            if found is None or found.pair.delta <= share:
                return found
            delta *= share / found.pair.delta * _MOST
            delta = Fraction(float(delta))
        return None

    def _joined(
        self, node: Joined, steps: int, deltas: tuple[Fraction, Fraction] | None = None, swapped: bool = False
    ) -> Converted | None:
        first = self.find(node.second if swapped else node.first, deltas[0] if deltas else None)
        second = self.find(node.first if swapped else node.second, deltas[1] if deltas else None)
        if first is None or second is None:
            return None
        pair = both(Pair(first.epsilon, first.delta), Pair(second.epsilon, second.delta))
        return Converted(group(IN_NUMBERS, pair, steps), (second, first) if swapped else (first, second))

    def _joined_within(self, node: Joined, steps: int, share: Fraction) -> Converted | None:
        found = [self._joined_in_order(node, steps, share, swapped) for swapped in (False, True)]
        return min((one for one in found if one), key=lambda one: one.pair, default=None)

    def _joined_in_order(self, node: Joined, steps: int, share: Fraction, swapped: bool) -> Converted | None:
        half = share / (2 * steps)
        for _ in range(_TRIES):
            first = self.find(node.second if swapped else node.first, half)
            if first is None:
                return None
            rest = (half / Interval.of(first.epsilon).exp()).down
            if rest <= 0:
                return None
            found = self._joined(node, steps, (half, rest), swapped)
            if found is None or found.pair.delta <= share:
                return found
            half = Fraction(float(half * share / found.pair.delta * _MOST))
        return None
