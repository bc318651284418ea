"""Zero-concentrated differential privacy."""

from __future__ import annotations

from collections.abc import Sequence as Listed
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting import minimum
from dp_lsp.accounting.basic import has_inside, share_of
from dp_lsp.accounting.charge import Charge, Joined
from dp_lsp.accounting.converting import Converter
from dp_lsp.accounting.curves import converted, indistinct
from dp_lsp.accounting.folding import Rules, Single, fold, values
from dp_lsp.accounting.gaussian import joined
from dp_lsp.accounting.guarantee import Claim, Guarantee, Numbers, NumericMeasure
from dp_lsp.accounting.pairs import failing, failing_repeatedly, slack
from dp_lsp.mechanisms.arithmetic import FLOATS, INTERVALS, Interval, brief, shown
from dp_lsp.mechanisms.mechanism import Loss
from dp_lsp.mechanisms.pairs import drift

_HALF = Fraction(1, 2)
_LEAST, _MOST = 1e-9, 1e15  # of an order, less 1


class Concentrated(NamedTuple):
    """ρ, when failures of probability δ are set aside."""

    rho: Fraction
    delta: Fraction


class ZeroConcentrated(NumericMeasure):
    """δ-approximate ρ-zCDP: ρ adds up, also for what is chosen while it runs, and converts at the best order. What is
    only known to be (ε, δ)-private is ε·tanh(ε/2) once its failures are set aside. A change that reaches one mechanism
    in two ways is (√ρ₁ + √ρ₂)². Sources: Bun and Steinke 2016, Lemma 8.2 and, with two different ρ, the proof of
    Proposition 27; Canonne, Kamath and Steinke 2020, Proposition 12."""

    rule = "zcdp"

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        shares = (None, share_of(charge, delta, _HALF, has_inside))
        found = [self._within(charge, delta, share) for share in dict.fromkeys(shares)]
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, delta: Fraction, share: Fraction | None) -> Guarantee | None:
        total = fold(charge, _Concentrating(Converter(self.find, share)))
        left = None if total is None else slack(delta, total.delta)
        if total is None or left is None:
            return None
        spent: Numbers = () if share is None else (("share", share),)
        if indistinct(Interval.of(total.rho), left):
            return Guarantee(Fraction(0), delta, self.rule, (*spent, ("rho", total.rho), ("slack", left)))
        best = minimum.order(_bound(float(total.rho), float(left)), _LEAST, _MOST)
        if best is None:
            return None
        order = Fraction(best)
        epsilon = max(converted(INTERVALS, Interval.of(total.rho * order), order, Interval.of(left)).up, Fraction(0))
        parameters = (*spent, ("rho", total.rho), ("slack", left), ("order", order))
        return Guarantee(shown(epsilon), delta, self.rule, parameters)

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[Claim, ...]:
        converter = Converter(self.find, dict(stated.parameters).get("share"))
        return tuple(
            Claim(node, steps, (("rho", total.rho), ("delta", total.delta)), converter.inside(node, steps))
            for node, steps, total in values(charge, _Concentrating(converter))
        )


def _bound(total: float, left: float) -> minimum.Bound:
    return lambda order: converted(FLOATS, total * order, order, left)


class _Concentrating(Rules[Concentrated]):
    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> Concentrated | None:
        own = node.times(steps).rho() if isinstance(node, Loss) else None
        if own is not None:
            return Concentrated(brief(own.up), Fraction(0))
        if isinstance(node, Joined):
            one, other = fold(node.first, self), fold(node.second, self)
            if one and other and not one.delta and not other.delta:
                return Concentrated(joined(one.rho, other.rho) * steps**2, Fraction(0))
        pair = self._converter.pair(node, steps)
        return (
            None
            if pair is None or pair.delta >= 1
            else Concentrated(drift(INTERVALS, Interval.of(pair.epsilon)).up, pair.delta)
        )

    def sequence(self, parts: Listed[Concentrated]) -> Concentrated:
        total = brief(sum((part.rho for part in parts), Fraction(0)))
        return Concentrated(total, failing(part.delta for part in parts))

    def repeat(self, count: int, once: Concentrated) -> Concentrated:
        return Concentrated(count * once.rho, failing_repeatedly(once.delta, count))

    def either(self, parts: Listed[Concentrated]) -> Concentrated:
        return Concentrated(max(part.rho for part in parts), max(part.delta for part in parts))
