"""Gaussian differential privacy: exact where all noise is Gaussian."""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.accounting.charge import Charge, Joined, Single, fold, values
from dp_lsp.accounting.composition import Shifted, Summing, Sums
from dp_lsp.accounting.guarantee import Guarantee, NodeClaim, NumericMeasure
from dp_lsp.mechanisms import normal
from dp_lsp.mechanisms.arithmetic import DecimalInterval, brief, shown
from dp_lsp.mechanisms.mechanism import Loss
from dp_lsp.mechanisms.pairs import IN_NUMBERS


class GaussianPrivacy(NumericMeasure):
    """μ-GDP: μ² adds up, for noise that is chosen adaptively too, and the curve of μ converts exactly. Sources: Dong,
    Roth and Su 2019, Corollary 3.3; Balle and Wang 2018, Theorem 8. A change of k steps is kμ, one that reaches one
    mechanism in two ways μ₁ + μ₂ (the chain of trade-off functions, ibid. Theorem 2.14)."""

    rule = "gaussian"

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        squared = squared_mu(charge)
        if squared is None:
            return None
        mu = DecimalInterval.of(squared).sqrt().up if squared else squared
        epsilon = normal.epsilon(mu, delta)
        return None if epsilon is None else Guarantee(shown(epsilon), delta, self.rule, (("mu", mu),))

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[NodeClaim, ...]:
        """Of each node μ²."""
        return tuple(
            NodeClaim(node, steps, (("squared", found.square),)) for node, steps, found in values(charge, _Squares())
        )


def squared_mu(charge: Charge) -> Fraction | None:
    """μ² of what has only Gaussian noise."""
    found = fold(charge, _Squares())
    return None if found is None else found.square


class _Squares(Summing[Shifted[Fraction]]):
    sums = Sums(IN_NUMBERS, Shifted(Fraction(0)))

    def single(self, node: Single, steps: int) -> Shifted[Fraction] | None:
        match node:
            case Loss():
                squared = node.times(steps).squared()
                return None if squared is None else Shifted(brief(squared))
            case Joined(first=first, second=second):
                one, other = squared_mu(first), squared_mu(second)
                return None if one is None or other is None else Shifted(joined(one, other) * steps**2)
        return None


def joined(one: Fraction, other: Fraction) -> Fraction:
    """(√a + √b)², rounded up."""
    return brief(one + other + (2 * DecimalInterval.of(one * other).sqrt()).up) if one and other else one + other
