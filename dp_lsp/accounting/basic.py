"""Approximate differential privacy by basic composition: ε and δ add up."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Listed
from fractions import Fraction

from dp_lsp.accounting.charge import Charge
from dp_lsp.accounting.converting import Converter
from dp_lsp.accounting.folding import Rules, Single, fold, values, weight
from dp_lsp.accounting.guarantee import Claim, Guarantee, NumericMeasure
from dp_lsp.mechanisms.arithmetic import brief, shown
from dp_lsp.mechanisms.mechanism import Loss
from dp_lsp.mechanisms.pairs import Pair


class Basic(NumericMeasure):
    """(Σε, Σδ). Source: Dwork and Roth 2014, Theorem 3.16; adaptive. Gaussian noise, samples and joined pairs take an
    equal share each of the δ that is left, ``share``, where that is less than what adding up inside them gives."""

    rule = "basic"

    def pair(self, charge: Charge) -> Guarantee | None:
        """The pair that is made without choosing any δ."""
        found = fold(charge, Adding(Converter(self.find)))
        return None if found is None else Guarantee(shown(found.epsilon), shown(found.delta), self.rule)

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        found = [self._within(charge, share, delta) for share in (None, share_of(charge, delta, Fraction(1)))]
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, share: Fraction | None, delta: Fraction) -> Guarantee | None:
        found = fold(charge, Adding(Converter(self.find, share)))
        if found is None or found.delta > delta:
            return None
        parameters = () if share is None else (("share", share),)
        return Guarantee(shown(found.epsilon), min(shown(found.delta), delta), self.rule, parameters)

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[Claim, ...]:
        converter = Converter(self.find, dict(stated.parameters).get("share"))
        return tuple(
            Claim(node, steps, (("epsilon", pair.epsilon), ("delta", pair.delta)), converter.inside(node, steps))
            for node, steps, pair in values(charge, Adding(converter))
        )


class Adding(Rules[Pair[Fraction]]):
    """The pairs of basic composition."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> Pair[Fraction] | None:
        return self._converter.pair(node, steps)

    def sequence(self, parts: Listed[Pair[Fraction]]) -> Pair[Fraction]:
        epsilon = sum((part.epsilon for part in parts), Fraction(0))
        return Pair(brief(epsilon), brief(sum((part.delta for part in parts), Fraction(0))))

    def repeat(self, count: int, once: Pair[Fraction]) -> Pair[Fraction]:
        return Pair(count * once.epsilon, count * once.delta)

    def either(self, parts: Listed[Pair[Fraction]]) -> Pair[Fraction]:
        return Pair(max(part.epsilon for part in parts), max(part.delta for part in parts))


def is_converted(node: Single) -> bool:
    """Whether a node has no pair without a share of δ."""
    return not isinstance(node, Loss) or node.chooses


def has_inside(node: Single) -> bool:
    """Whether a node is a sample or a joined pair, of what lies inside."""
    return not isinstance(node, Loss)


def share_of(
    charge: Charge, delta: Fraction, part: Fraction, counted: Callable[[Single], bool] = is_converted
) -> Fraction | None:
    """How much δ each node that is ``counted`` may spend, if all of them together spend a part of what the others
    leave; None if there are none, or nothing is left."""
    count = weight(charge, counted)
    taken = fold(charge, _Declared()) if count else None
    if taken is None or taken >= delta:
        return None
    share = (delta - taken) * part / count
    return Fraction(float(share) * (1 - 1e-12)) or None


class _Declared(Rules[Fraction]):
    """The δ of mechanisms that come with one."""

    def single(self, node: Single, steps: int) -> Fraction:
        pair = node.times(steps).pair() if isinstance(node, Loss) else None
        return Fraction(0) if pair is None else pair.delta

    def sequence(self, parts: Listed[Fraction]) -> Fraction:
        return brief(sum(parts, Fraction(0)))

    def repeat(self, count: int, once: Fraction) -> Fraction:
        return count * once

    def either(self, parts: Listed[Fraction]) -> Fraction:
        return max(parts)
