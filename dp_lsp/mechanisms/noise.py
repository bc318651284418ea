"""Mechanisms that add noise to numbers: Laplace and Gaussian."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.values import thing, value
from dp_lsp.mechanisms.arithmetic import DEEP, Arithmetic, DecimalInterval, Order
from dp_lsp.mechanisms.mechanism import (
    IN_SYMBOLS,
    AddsNoise,
    Curve,
    Draws,
    Formula,
    Loss,
    Number,
    Pair,
    UnboundedLoss,
    decimal,
    group,
)
from dp_lsp.mechanisms.selection import Pure

_EXACT = Poly.of(4) * Poly.of(5).inverse()  # ln(1.25/δ) is ln(1/(4δ/5))
_FINE = 128  # bits of a root
_CONTEXT = Context(prec=60, traps=[])
_REAL = "noise is drawn from the real numbers"


@thing
class Laplace(Pure, AddsNoise):
    """Laplace noise of scale ``declared/epsilon`` on every entry; the input's distance is in L1. ε-private, and in
    proportion to the distance. Source: Dwork, McSherry, Nissim and Smith 2006."""

    declared: Sens
    epsilon: Sens
    name = "Laplace"
    made_for = "Laplace noise for a change of"
    shares = True
    is_proportional = True

    def _of(self, epsilon: Fraction, far: Sens, origin: Origin) -> Loss:
        return LaplaceLoss(epsilon, origin)

    @staticmethod
    def spread(*numbers: Fraction) -> Fraction:
        moves, epsilon = numbers
        return moves / epsilon

    @staticmethod
    def noisy(draws: Draws, centre: Any, *numbers: Fraction) -> Any:
        return draws.laplace(centre, *numbers)


@thing
class Geometric(Pure, AddsNoise):
    """Two-sided geometric noise on every entry of what is whole: z with a probability proportional to
    exp(-|z|·epsilon/declared). The distance is in L1. ε-private, and in proportion to the distance. How likely each
    loss is differs from that of Laplace noise, so nothing else is known of it here. Source: Ghosh, Roughgarden and
    Sundararajan 2009, "Universally utility-maximizing privacy mechanisms"."""

    declared: Sens
    epsilon: Sens
    name = "geometric"
    made_for = "geometric noise for a change of"
    is_proportional = True

    @staticmethod
    def spread(*numbers: Fraction) -> Fraction:
        moves, epsilon = numbers
        return moves / epsilon

    @staticmethod
    def noisy(draws: Draws, centre: Any, *numbers: Fraction) -> Any:
        return draws.geometric(centre, *numbers)


@value
class LaplaceLoss(Loss, Curve):
    """Continuous Laplace noise on an input that moves by ``epsilon`` scales in L1.

    Its pair is its own: D(ε) = 1 - e^((ε-ε₀)/2) up to ε₀. A vector that moves by so much in L1 is no worse: the
    trade-off functions of shifts of one coordinate are chained as those of one long shift are (Dong, Roth and Su 2019,
    Theorem 2.14; the densities are log-concave, so the best tests are thresholds)."""

    kind = "laplace"
    condition = _REAL

    epsilon: Fraction
    origin: Origin | None = field(default=None, compare=False)

    def times(self, steps: int) -> LaplaceLoss:
        return self if steps == 1 else LaplaceLoss(self.epsilon * steps, self.origin)

    def pair(self) -> Pair[Fraction]:
        return Pair(self.epsilon, Fraction(0))

    def divergence(self) -> tuple[Formula, Fraction]:
        return laplace, self.epsilon

    def rho(self) -> DecimalInterval:
        """ε + e^-ε - 1. Source: Harrison and Manurangsi 2025."""
        return DecimalInterval.of(self.epsilon) + DecimalInterval.of(-self.epsilon).expm1()

    def dominating(self) -> Curve:
        return self

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        root = DEEP.sqrt(DEEP.divide(growth, _exp(self.epsilon)))
        return max(Decimal(0), DEEP.subtract(Decimal(1), root))

    def halfway(self, growth: Decimal, rest: Decimal) -> Decimal:
        """Noise about h, -h and 0, ε₀ = 2h: the ratios to A of the other two never rise, so events above a place x are
        the best. There growth·B + rest·N = A is growth + rest·e^h = e^(2x), and what is left 1 - e^(x-h) up to x = h;
        by the t that growth·B is of A there no other A, B and N cost more."""
        inside = DEEP.fma(rest, _exp(self.epsilon / 2), growth)
        return max(Decimal(0), DEEP.subtract(Decimal(1), DEEP.sqrt(DEEP.divide(inside, _exp(self.epsilon)))))

    @property
    def largest(self) -> Fraction:
        return self.epsilon


def laplace(by: Arithmetic[Any], epsilon: Order, order: Order) -> Any:
    """ln(α/(2α-1)·e^((α-1)ε) + (α-1)/(2α-1)·e^(-αε))/(α-1). Source: Mironov 2017, Table II; holds for vectors with ε in
    L1, as the formula is convex in ε and 0 at 0."""
    second = by.of((order - 1) / order) * by.exp(by.of(-(2 * order - 1) * epsilon))
    return by.of(epsilon) + (by.ln(by.of(order / (2 * order - 1))) + by.log1p(second)) / by.of(order - 1)


class _Normal(AddsNoise):
    """Gaussian noise: nothing else is to be said of it than by how many deviations the input moves, μ."""

    __slots__ = ()

    name = "Gaussian"
    made_for = "Gaussian noise for a change of"
    is_normal = True
    shares = True

    def loss(self, far: Sens, number: Number, origin: Origin) -> Loss:
        mu = number(self.deviations(far))
        return UnboundedLoss(origin) if mu is None else GaussianLoss(mu, origin)


@thing
class Gaussian(_Normal):
    """Gaussian noise of deviation ``declared·√(2 ln(1.25/delta))/epsilon`` on every entry; distance in L2.

    (ε, δ)-private at the declared distance, for ε < 1 (Dwork and Roth 2014, Theorem A.1). At s times that it is noise
    of deviation (s·declared)·√(2 ln(1.25/δ))/(sε), which the same theorem says of ε' = sε: (sε, δ), δ being the same,
    where sε < 1, whether s is below 1 or above. So it is for sε = 1: at a distance and with noise that stay as they
    are, what is more likely than e^ε' times in one place than in the other, is continuous in ε'.

    Further away it is a group of k steps, each of which is s/k of the distance: numbers lie on the way between any two,
    and what is said is said of noise around any. So δ is that of k steps of (sε/k, δ)."""

    declared: Sens
    epsilon: Sens
    delta: Sens
    needs_small_epsilon = True

    @property
    def numbers(self) -> Mapping[str, Sens]:
        return {"ε": self.epsilon, "δ": self.delta}

    @property
    def declares(self) -> Pair[Sens]:
        return Pair(self.epsilon, self.delta)

    def pair(self, steps: Sens, factor: Sens, most: Sens) -> Pair[Sens] | None:
        scaled = self.epsilon * factor * steps
        if decide(most, "<=", ONE) or decide(self.epsilon * factor * most, "<=", ONE):
            return Pair(scaled, self.delta)
        if most.number is None:
            return None
        count = -int(-most.number // 1)
        return group(IN_SYMBOLS, Pair(scaled * sens.number(Fraction(1, count)), self.delta), count)

    def deviations(self, far: Sens) -> Sens:
        if far.zero or far.infinite:
            return far
        spread = sens.number(2) * sens.log_inverse(self.delta.single_poly() * _EXACT)
        return self.epsilon * far * Sens((spread.root().single_poly().inverse(),))

    @staticmethod
    def spread(*numbers: Fraction) -> float:
        moves, epsilon, delta = numbers
        return float(moves) * math.sqrt(2 * math.log(1.25 / float(delta))) / float(epsilon)

    @staticmethod
    def noisy(draws: Draws, centre: Any, *numbers: Fraction) -> Any:
        moves, epsilon, delta = numbers
        return draws.gaussian(centre, moves, _deviation(delta) / epsilon)


@thing
class GaussianNoise(_Normal):
    """Gaussian noise of deviation ``declared·multiplier`` on every entry, whatever that costs; distance in L2."""

    declared: Sens
    multiplier: Sens
    has_pair = False
    quieter_by = frozenset({"σ"})

    @property
    def numbers(self) -> Mapping[str, Sens]:
        return {"σ": self.multiplier}

    @property
    def declares(self) -> Pair[Sens]:
        raise NotImplementedError("it declares no price")

    def pair(self, steps: Sens, factor: Sens, most: Sens) -> Pair[Sens] | None:
        return None

    def deviations(self, far: Sens) -> Sens:
        if self.multiplier.zero:
            return INFINITY
        return far * sens.inverse_magnitude(self.multiplier.single_poly())

    @staticmethod
    def spread(*numbers: Fraction) -> float:
        moves, multiplier = numbers
        return float(moves) * float(multiplier)

    @staticmethod
    def noisy(draws: Draws, centre: Any, *numbers: Fraction) -> Any:
        return draws.gaussian(centre, *numbers)


@value
class GaussianLoss(Loss):
    """Continuous Gaussian noise on an input that moves by ``mu`` deviations in L2."""

    kind = "gaussian"
    condition = _REAL
    chooses = True

    mu: Fraction
    origin: Origin | None = field(default=None, compare=False)

    def times(self, steps: int) -> GaussianLoss:
        return self if steps == 1 else GaussianLoss(self.mu * steps, self.origin)

    def epsilon_at(self, delta: Fraction) -> Fraction | None:
        """Exactly. Source: Balle and Wang 2018, Theorem 8."""
        from dp_lsp.mechanisms import normal

        return normal.epsilon(self.mu, delta)

    def squared(self) -> Fraction:
        return self.mu**2

    def divergence(self) -> tuple[Formula, Fraction]:
        return gaussian, self.mu**2

    def rho(self) -> DecimalInterval:
        """μ²/2. Source: Bun and Steinke 2016, Proposition 1.6."""
        return DecimalInterval.of(self.mu**2 / 2)

    def dominating(self) -> Curve:
        from dp_lsp.mechanisms.normal import Normal  # few runs ask

        return Normal(self.mu**2) if self.mu else LaplaceLoss(self.mu)


def gaussian(by: Arithmetic[Any], squared: Order, order: Order) -> Any:
    """αμ²/2, of μ². Source: Mironov 2017, Proposition 7."""
    return by.of(squared * order / 2)


@lru_cache(maxsize=64)
def _deviation(delta: Fraction) -> Fraction:
    """That of the theorem for ε = 1, rounded up."""
    ratio = Fraction(5, 4) / delta
    logarithm = Fraction(_CONTEXT.ln(_CONTEXT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))))
    return root_above(2 * logarithm)


def root_above(x: Fraction) -> Fraction:
    """A square root: exact where it is rational, else more than it by a part in 2^100 at most."""
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return Fraction(top, bottom)
    shift = _FINE + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    scaled = (x.numerator << 2 * shift) // x.denominator
    return Fraction(math.isqrt(scaled) + 1, 1 << shift)


@lru_cache(maxsize=256)
def _exp(number: Fraction) -> Decimal:
    return decimal(number).exp(DEEP)
