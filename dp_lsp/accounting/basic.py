"""Approximate differential privacy by basic composition: ε and δ add up."""

from __future__ import annotations

from collections.abc import Sequence as Listed
from fractions import Fraction

from dp_lsp.accounting.charge import Approximate, Charge, Gaussian, Joined, Sampled
from dp_lsp.accounting.converting import Converter
from dp_lsp.accounting.folding import Rules, Single, fold, values, weight
from dp_lsp.accounting.guarantee import Claim, Guarantee, NumericMeasure
from dp_lsp.accounting.pairs import FREE, Pair, group
from dp_lsp.accounting.rounding import brief, shown


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


class Adding(Rules[Pair]):
    """The pairs of basic composition."""

    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> Pair | None:
        return self._converter.pair(node, steps)

    def sequence(self, parts: Listed[Pair]) -> Pair:
        epsilon = sum((part.epsilon for part in parts), FREE.epsilon)
        return Pair(brief(epsilon), brief(sum((part.delta for part in parts), FREE.delta)))

    def repeat(self, count: int, once: Pair) -> Pair:
        return Pair(count * once.epsilon, count * once.delta)

    def either(self, parts: Listed[Pair]) -> Pair:
        return Pair(max(part.epsilon for part in parts), max(part.delta for part in parts))


CONVERTED = Gaussian, Sampled, Joined


def share_of(
    charge: Charge, delta: Fraction, part: Fraction, kinds: tuple[type[Charge], ...] = CONVERTED
) -> Fraction | None:
    """How much δ each node of some kinds may spend, if all of them together spend a part of what the others leave; None
    if there are none, or nothing is left."""
    count = weight(charge, kinds)
    taken = fold(charge, _Declared()) if count else None
    if taken is None or taken >= delta:
        return None
    share = (delta - taken) * part / count
    return Fraction(float(share) * (1 - 1e-12)) or None


class _Declared(Rules[Fraction]):
    """The δ of mechanisms that come with one."""

    def single(self, node: Single, steps: int) -> Fraction:
        if isinstance(node, Approximate):
            return group(Pair(node.epsilon, node.delta), steps).delta
        return Fraction(0)

    def sequence(self, parts: Listed[Fraction]) -> Fraction:
        return brief(sum(parts, Fraction(0)))

    def repeat(self, count: int, once: Fraction) -> Fraction:
        return count * once

    def either(self, parts: Listed[Fraction]) -> Fraction:
        return max(parts)
