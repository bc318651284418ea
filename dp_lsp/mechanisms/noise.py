"""Mechanisms that add noise to numbers: Laplace and Gaussian.

The normal distribution, and what Gaussian noise costs: searched with floats, proved with intervals.

With μ = distance/deviation, a = ε/μ - μ/2 and b = a + μ: δ(ε) = P(Z > a) - e^ε P(Z > b), exactly (Balle and Wang 2018,
Theorem 8). As e^ε φ(b) = φ(a), that is P(Z > a) - φ(a) M(b) with Mills' ratio M.

At many places m is computed fast, within 1e-48 of the truth (:func:`ratio`). m' = x·m - 1, so the coefficients cₙ =
m⁽ⁿ⁾(t)/n! of its Taylor series at t follow from m(t): c₁ = t·m - 1 and (n + 1)·cₙ₊₁ = t·cₙ + cₙ₋₁. As m(x) = ∫ e^(-xs -
s²/2) ds over s > 0, |m⁽ⁿ⁾| ≤ 2^((n-1)/2)·Γ((n+1)/2) everywhere on x ≥ 0, which bounds the rest: below 3e-51 for 22
terms at a distance of 1/64, below 2e-71 for 34 terms at 1/32.

The table of m is made downward from 40. There z' = x·z for the difference of two solutions, so an error shrinks with
every step, and the errors of 1,280 steps with 54 digits stay below 1e-49. At 40 and above it is Laplace's continued
fraction 1/(x + 1/(x + 2/(x + …))): two convergents after each other lie on either side of m and differ by n!/(BₙBₙ₊₁) ≤
n!/x^(2n+1), below 2e-55 for n = 24. A polynomial whose coefficients are off by r·tⁿ/n! is off by r·e^(t/64) at most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.values import thing, value
from dp_lsp.mechanisms.arithmetic import DEEP, PI, RAW, Arithmetic, DecimalInterval, Order, widened
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

_PARTS = 32  # of 1, between places of the table
_END = 40
_TERMS, _STEP_TERMS, _LEVELS = 22, 34, 24


def ratio(x: Decimal) -> Decimal:
    """m(x) for x ≥ 0."""
    if x >= _END:
        return _fraction(x)
    nearest = int(DEEP.multiply(x, _PARTS).to_integral_value(context=DEEP))
    return _sum(_coefficients(nearest), DEEP.subtract(x, DEEP.divide(Decimal(nearest), _PARTS)))


def _fraction(x: Decimal) -> Decimal:
    value = x
    for level in range(_LEVELS, 0, -1):
        value = DEEP.add(x, DEEP.divide(Decimal(level), value))
    return DEEP.divide(Decimal(1), value)


def _taylor(t: Decimal, value: Decimal, terms: int) -> tuple[Decimal, ...]:
    """The first coefficients at a place with a value, the last one first."""
    found = [value, DEEP.fma(t, value, Decimal(-1))]
    while len(found) < terms:
        found.append(DEEP.divide(DEEP.fma(t, found[-1], found[-2]), Decimal(len(found))))
    return tuple(reversed(found))


def _sum(coefficients: tuple[Decimal, ...], distance: Decimal) -> Decimal:
    total = Decimal(0)
    for each in coefficients:
        total = DEEP.fma(total, distance, each)
    return total


@cache
def _table() -> tuple[Decimal, ...]:
    """m at 0, 1/32, … 40."""
    back = DEEP.divide(Decimal(-1), _PARTS)
    found = [_fraction(Decimal(_END))]
    for index in range(_END * _PARTS, 0, -1):
        at = DEEP.divide(Decimal(index), _PARTS)
        found.append(_sum(_taylor(at, found[-1], _STEP_TERMS), back))
    return tuple(reversed(found))


@cache
def _coefficients(index: int) -> tuple[Decimal, ...]:
    return _taylor(DEEP.divide(Decimal(index), _PARTS), _table()[index], _TERMS)


_NEGLIGIBLE = Decimal("1e-38")
_FRACTION_FROM = 3  # from here on Mills' ratio is a continued fraction, below it a series
_SHORT = Context(prec=4, rounding=ROUND_CEILING)
_RANGE = 1e-3, 1e3  # μ of noise that anybody adds
_BUMPS = (1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4, 1e-2, 1e-1)


def delta(mu: DecimalInterval, epsilon: DecimalInterval) -> DecimalInterval:
    """The exact δ of Gaussian noise at an ε ≥ 0; μ > 0."""
    a = epsilon / mu - mu / 2
    return upper_tail(a) - density(a) * mills(epsilon / mu + mu / 2)


@lru_cache(maxsize=4096)
def epsilon(mu: Fraction, wanted: Fraction) -> Fraction | None:
    """An ε at which the δ of Gaussian noise is proved to be at most the one wanted, hardly larger than it must be."""
    if mu == 0 or wanted >= 1:
        return Fraction(0)
    if wanted <= 0:
        return None
    exact = DecimalInterval.of(mu)
    if delta(exact, DecimalInterval.of(0)).up <= wanted:
        return Fraction(0)
    guess = float_epsilon(float(mu), float(wanted))
    for bump in _BUMPS:
        candidate = Fraction(guess * (1 + bump))
        if delta(exact, DecimalInterval.of(candidate)).up <= wanted:
            return candidate
    return None


def least_deviation(epsilon: Fraction, wanted: Fraction) -> str | None:
    """A deviation of noise on what moves by 1 that is proved to be enough for an ε > 0 at a δ, hardly larger than it
    must be and with few digits. None where none is found."""
    if epsilon <= 0 or not 0 < wanted < 1:
        return None
    low, high = _RANGE
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if float_delta(middle, float(epsilon)) > float(wanted) else (middle, high)
    for bump in (0.0, 1e-9, 1e-3):
        text = f"{_SHORT.create_decimal_from_float((1 + bump) / low):f}"
        if delta(DecimalInterval.of(1 / Fraction(text)), DecimalInterval.of(epsilon)).up <= wanted:
            return text
    return None


def density(x: DecimalInterval) -> DecimalInterval:
    """φ."""
    square = x * x if x.low >= 0 else -x * -x
    return (-square / 2).exp() / (PI * 2).sqrt()


def upper_tail(x: DecimalInterval) -> DecimalInterval:
    """P(Z > x)."""
    if x.high <= 0:
        return 1 - upper_tail(-x)
    if x.low >= _FRACTION_FROM:
        return density(x) * mills(x)
    return DecimalInterval(_tail(x.high).low, _tail(x.low).high)


def _tail(x: Decimal) -> DecimalInterval:
    if x < 0:
        return 1 - _tail(x.copy_negate())
    at = DecimalInterval(x, x)
    if x >= _FRACTION_FROM:
        return density(at) * _mills(x)
    return DecimalInterval.of(Fraction(1, 2)) - density(at) * _series(x)


def mills(x: DecimalInterval) -> DecimalInterval:
    """P(Z > x)/φ(x) for x ≥ 0; it decreases, by at most as much as x grows."""
    at = _mills(x.low)
    return DecimalInterval((at - (DecimalInterval(x.high, x.high) - DecimalInterval(x.low, x.low))).low, at.high)


def _mills(x: Decimal) -> DecimalInterval:
    if x < _FRACTION_FROM:
        at = DecimalInterval(x, x)
        return DecimalInterval.of(Fraction(1, 2)) / density(at) - _series(x)
    levels = int((40 / float(x)) ** 2) + 8
    ends = sorted(_convergent(x, count) for count in (levels, levels + 1))
    return widened(*ends)


def _convergent(x: Decimal, levels: int) -> Decimal:
    """Laplace's continued fraction 1/(x + 1/(x + 2/(x + …))); those of odd and even length lie on either side."""
    value = x
    for level in range(levels, 0, -1):
        value = RAW.add(x, RAW.divide(Decimal(level), value))
    return RAW.divide(Decimal(1), value)


def _series(x: Decimal) -> DecimalInterval:
    """(Φ(x) - 1/2)/φ(x) = x + x³/3 + x⁵/15 + …, for 0 ≤ x < 3; the rest is less than a geometric series."""
    square = RAW.multiply(x, x)
    term = total = x
    n = 1
    while term > RAW.multiply(total, _NEGLIGIBLE) or n < 2 * square:
        n += 2
        term = RAW.divide(RAW.multiply(term, square), Decimal(n))
        total = RAW.add(total, term)
    return widened(total, RAW.add(total, RAW.add(term, term)))


def float_epsilon(mu: float, wanted: float) -> float:
    """The ε > 0 of Gaussian noise at a δ that is below what it is at ε = 0, by bisection."""
    low, high = 0.0, mu * mu / 2 + mu * math.sqrt(-2 * math.log(wanted))
    for _ in range(100):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if float_delta(mu, middle) > wanted:
            low = middle
        else:
            high = middle
    return high


def float_delta(mu: float, at: float) -> float:
    """δ at ε, nearly."""
    a = at / mu - mu / 2
    phi = math.exp(-a * a / 2) / math.sqrt(2 * math.pi)
    if a > 0:
        return phi * (_float_mills(a) - _float_mills(a + mu))
    return math.erfc(a / math.sqrt(2)) / 2 - phi * _float_mills(a + mu)


def _float_mills(x: float) -> float:
    if x < _FRACTION_FROM:
        return math.erfc(x / math.sqrt(2)) / 2 * math.exp(x * x / 2) * math.sqrt(2 * math.pi)
    value = x
    for level in range(int((25 / x) ** 2) + 8, 0, -1):
        value = x + level / value
    return 1 / value


@value
class Normal(Curve):
    """Gaussian noise of μ² = ``squared`` > 0: P(Z > a) - e^ε·P(Z > b), a = ε/μ - μ/2, b = a + μ (Balle and Wang 2018,
    Theorem 8), which is φ(a)·(m(a) - m(b)) by Mills' ratio. Of a the part ε/μ is wrong by 1e-52 of it, which moves
    the value by no more, as x·φ(x) < 1."""

    squared: Fraction

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        mu = _root(self.squared)
        middle = DEEP.divide(growth.ln(DEEP) if loss is None else loss, mu)
        half = DEEP.divide(mu, Decimal(2))
        a, b = DEEP.subtract(middle, half), DEEP.add(middle, half)
        density = DEEP.multiply(_scale(), DEEP.divide(DEEP.multiply(a, a.copy_negate()), Decimal(2)).exp(DEEP))
        if a >= 0:
            return DEEP.multiply(density, DEEP.subtract(ratio(a), ratio(b)))
        return DEEP.subtract(Decimal(1), DEEP.multiply(density, DEEP.add(ratio(a.copy_negate()), ratio(b))))

    def halfway(self, growth: Decimal, rest: Decimal) -> Decimal:
        """Noise about h, -h and 0, μ = 2h: the ratios to A of the other two fall, so events above a place x are the
        best. There growth·B + rest·N = A is a quadratic equation of e^(hx); by the t that growth·B is of A there no
        other A, B and N cost more."""
        far = DEEP.divide(_root(self.squared), Decimal(2))
        lifted = DEEP.multiply(rest, decimal(self.squared / 8).exp(DEEP))
        square = DEEP.fma(lifted, lifted, DEEP.multiply(Decimal(4), growth))
        place = DEEP.divide(DEEP.add(lifted, DEEP.sqrt(square)), Decimal(2)).ln(DEEP)
        at = DEEP.divide(place, far)
        against = DEEP.fma(growth, above(DEEP.add(at, far)), DEEP.multiply(rest, above(at)))
        return max(Decimal(0), DEEP.subtract(above(DEEP.subtract(at, far)), against))


def above(x: Decimal) -> Decimal:
    """P(Z > x), to within 1e-48 of it."""
    density = DEEP.multiply(_scale(), DEEP.divide(DEEP.multiply(x, x.copy_negate()), Decimal(2)).exp(DEEP))
    if x >= 0:
        return DEEP.multiply(density, ratio(x))
    return DEEP.subtract(Decimal(1), DEEP.multiply(density, ratio(x.copy_negate())))


@lru_cache(maxsize=256)
def _root(number: Fraction) -> Decimal:
    return DEEP.sqrt(decimal(number))


@cache
def _scale() -> Decimal:
    """1/√(2π)."""
    return DEEP.divide(Decimal(1), DEEP.sqrt(DEEP.multiply(Decimal(2), PI.low)))


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

        return epsilon(self.mu, delta)

    def squared(self) -> Fraction:
        return self.mu**2

    def divergence(self) -> tuple[Formula, Fraction]:
        return gaussian, self.mu**2

    def rho(self) -> DecimalInterval:
        """μ²/2. Source: Bun and Steinke 2016, Proposition 1.6."""
        return DecimalInterval.of(self.mu**2 / 2)

    def dominating(self) -> Curve:

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
