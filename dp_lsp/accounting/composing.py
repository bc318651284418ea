"""The ε of mechanisms that are composed, at a δ, by distributions of privacy losses on the multiples of a step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import count, pairwise, starmap
from typing import NamedTuple

from dp_lsp.accounting.approximate import Term, solved
from dp_lsp.mechanisms import normal
from dp_lsp.mechanisms.arithmetic import DEEP, RAW, DecimalInterval
from dp_lsp.mechanisms.arithmetic import DIGITS as RAW_DIGITS
from dp_lsp.mechanisms.mechanism import ERROR, Curve
from dp_lsp.mechanisms.normal import Normal

# Distributions of privacy losses on the multiples of a step, composed without an error that is not accounted for.
#
# A loss between two multiples is split between them so that both its probability and that under the other
# distribution stay what they are ("connecting the dots", Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022). That
# spreads the ratio dQ/dP and keeps its mean, and the δ at ε of what is composed is the mean of (1 - e^ε·Π dQ/dP)⁺
# under P, convex in each ratio: so δ grows, at every ε, whatever else is composed. On the lattice the curve is that
# of the pair, and between its points linear in e^ε.
#
# From there on every number is a weight that is rounded up, in sums and products of weights: δ at ε is a sum of
# weights with factors ≥ 0, so it grows with each. The weight of a loss iσ is kept as w·βⁱ/c ("exponential tilting": β
# and c are any positive numbers), in whole units of 10^-22, so that weights are most precise about the losses that
# decide the δ that is asked for. Products are exact: polynomials whose coefficients are so far apart in one long
# decimal number that they do not touch, which ``decimal`` multiplies by number-theoretic transforms; nothing wraps
# around. Losses below the first that is kept are raised to it; those above the last count as infinite, with the
# weight that they have untilted.

_DIGITS = 22
_UNIT = 10**_DIGITS
_SLOT = 2 * _DIGITS + 2  # digits of a coefficient of a product, whose factors add up to less than 10 units each
_EXACT = Context(prec=10**9, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation, Inexact])
_UP = Context(prec=RAW_DIGITS, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation])
_SHORT = Context(prec=15, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[InvalidOperation])
_ONE, _ZERO = Decimal(1), Decimal(0)
_LOSABLE = Decimal("1e-7")  # of a δ, by one cut
_PAST = Decimal("1e-22") + Decimal("1e-44")  # a unit, and more than what rounded powers of β take off
_MOST = 2**19  # losses of one mechanism


class Tilt(NamedTuple):
    """The ``step`` σ between losses, and the ``base`` β > 0."""

    step: Fraction
    base: Decimal

    @classmethod
    def by(cls, step: Fraction, exponent: float) -> Tilt:
        """About e^(exponent·ε) for a loss ε."""
        return cls(step, (DecimalInterval.of(step * Fraction(exponent)).low).exp(_SHORT))

    def power(self, index: int) -> Decimal:
        """βⁱ, to 1e-50 of it."""
        return DEEP.power(self.base, index)


class Lattice(NamedTuple):
    """An upper bound of a distribution: the weight of the loss iσ is masses[i - first]·10^-22·scale·β^-i, that of an
    infinite loss ``lost``."""

    first: int
    masses: list[int]
    scale: Decimal
    lost: Decimal


NOTHING = Lattice(0, [_UNIT], _ONE, _ZERO)
"""What costs nothing."""


def discretised(curve: Curve, back: bool, tilt: Tilt, delta: Fraction, times: int) -> Lattice:
    """The distribution of a mechanism's loss, of the second against the first of its pair if ``back``, for what runs so
    often and is asked for at a total δ. Raises ArithmeticError if that is too long.

    With D at the multiples of σ, u = e^σ: the weight of iσ is (u·(D(i-1) - D(i)) - (D(i) - D(i+1)))/(u - 1), that of
    the last u·(D(i-1) - D(i))/(u - 1) and D(i) that of ∞, that of the first 1 - D(i) - (D(i) - D(i+1))/(u - 1)."""
    grown = _exp(tilt.step)
    first, points = _points(curve, back, tilt, delta, times)
    less = DEEP.subtract(grown, _ONE)
    # A weight is made of four values at most, each times (u + 1)/(u - 1) at most; twice that is more than is rounded.
    slack = _UP.multiply(8 * ERROR, _UP.divide(_UP.add(grown, _ONE), less))
    drops = [DEEP.subtract(high, low) for high, low in pairwise(points)]
    weights = [DEEP.subtract(DEEP.subtract(_ONE, points[0]), DEEP.divide(drops[0], less))]
    for before, after in pairwise([*drops, _ZERO]):
        weights.append(DEEP.divide(DEEP.fma(grown, before, after.copy_negate()), less))
    return _tilted(first, [_UP.add(max(each, _ZERO), slack) for each in weights], _UP.add(points[-1], ERROR), tilt)


def _points(curve: Curve, back: bool, tilt: Tilt, delta: Fraction, times: int) -> tuple[int, list[Decimal]]:
    """D at the multiples of σ that matter, and which is the first: up to one from where on what is left may count as an
    infinite loss, down to one from where on all may count as that loss."""
    places = _places(curve, tilt.step)
    up, down = [], []
    little = DEEP.divide(_LOSABLE, times)
    enough = DEEP.fma(_decimal(delta), little, curve.failure)
    for index in count():
        up.append(places.at(index, back))
        if up[-1] <= enough and index:
            break
    for index in count(1):
        value, shrunk = places.at(index, not back), DEEP.divide(_ONE, places.growths[index])
        down.append(DEEP.add(DEEP.subtract(_ONE, shrunk), DEEP.multiply(shrunk, value)))
        below = DEEP.multiply(DEEP.subtract(value, curve.failure), shrunk)
        if DEEP.multiply(below, tilt.power(-index)) <= little:
            break
    return -len(down), down[::-1] + up


class _Places:
    """D of a curve at the multiples of a step, there and back; each is found once. ``growths`` are e^(iσ)."""

    def __init__(self, curve: Curve, step: Fraction) -> None:
        self._step, self._grown = step, _exp(step)
        self._of = (curve.at, curve.back)
        there: list[Decimal] = []
        self._found = (there, there if curve.symmetric else [])
        self.growths = [_ONE]

    def at(self, index: int, back: bool) -> Decimal:
        """D at i·σ for i ≥ 0. Raises ArithmeticError if that is too far out."""
        found = self._found[back]
        if index >= _MOST:
            raise ArithmeticError("too many losses")
        for each in range(len(found), index + 1):
            if each == len(self.growths):
                self.growths.append(DEEP.multiply(self.growths[-1], self._grown))
            found.append(self._of[back](self.growths[each], _decimal(self._step * each)))
        return found[index]


@lru_cache(maxsize=4)
def _places(curve: Curve, step: Fraction) -> _Places:
    return _Places(curve, step)


def _tilted(first: int, weights: list[Decimal], lost: Decimal, tilt: Tilt) -> Lattice:
    power = tilt.power(first)
    found = []
    for weight in weights:
        found.append(DEEP.multiply(weight, power))
        power = DEEP.multiply(power, tilt.base)
    total = _ZERO
    for weight in found:
        total = _UP.add(total, weight)
    scale = _SHORT.plus(total)
    units = DEEP.divide(Decimal(_UNIT), scale)
    return Lattice(first, [int(DEEP.multiply(weight, units)) + 2 for weight in found], scale, lost)


def power(of: Lattice, times: int, tilt: Tilt, delta: Fraction) -> Lattice:
    """The sum of so many losses, each distributed so."""
    found, done = of, 1
    for digit in f"{times:b}"[1:]:
        found, done = product(found, found), 2 * done
        if digit == "1":
            found, done = product(found, of), done + 1
        found = cut(found, tilt, delta, times // done + 1)
    return found


def product(left: Lattice, right: Lattice) -> Lattice:
    """The sum of two losses."""
    one = _packed(left.masses)
    other = one if right is left else _packed(right.masses)
    size = len(left.masses) + len(right.masses) - 1
    digits = str(_EXACT.multiply(one, other)).zfill(size * _SLOT)
    kept = _SLOT - _DIGITS
    masses = [int(digits[at : at + kept]) + 1 for at in range(0, size * _SLOT, _SLOT)]
    lost = _UP.fma(left.lost, _UP.subtract(_ONE, right.lost), right.lost) if right.lost < 1 else _ONE
    return Lattice(left.first + right.first, masses, _UP.multiply(left.scale, right.scale), lost)


def _packed(masses: list[int]) -> Decimal:
    if sum(masses) >= 10 * _UNIT:
        raise ArithmeticError("weights that are not those of a distribution")
    return Decimal("".join([f"{mass:0{_SLOT}d}" for mass in masses]))


def cut(of: Lattice, tilt: Tilt, delta: Fraction, times: int) -> Lattice:
    """The same without its ends, as far as hardly anything depends on them when so many are added up."""
    masses = of.masses
    most = int(_UNIT * _LOSABLE) // times
    start, raised = 0, _ZERO  # the weight of what is below the start, as if it were there
    while start < len(masses) - 1:
        more = _UP.multiply(_UP.add(raised, Decimal(masses[start])), tilt.base)
        if more > most:
            break
        raised, start = more, start + 1
    allowed = DEEP.multiply(_decimal(delta), DEEP.divide(_LOSABLE, times))
    end, above = len(masses), _ZERO
    weight = _UP.multiply(_UP.multiply(of.scale, _PAST), tilt.power(1 - of.first - end))
    while end > start + 1 and (more := _UP.fma(weight, Decimal(masses[end - 1]), above)) <= allowed:
        above, end, weight = more, end - 1, _UP.multiply(weight, tilt.base)
    kept = masses[start:end]
    kept[0] += int(raised) + 1
    return Lattice(of.first + start, kept, of.scale, _UP.add(of.lost, above))


def terms(of: Lattice, tilt: Tilt) -> Iterator[Term]:
    """The losses from the largest down, to one that is not positive."""
    last = of.first + len(of.masses) - 1
    growth, falling = DecimalInterval.of(tilt.step * last).exp().low, DecimalInterval.of(-tilt.step).exp().low
    weight = RAW.multiply(RAW.divide(of.scale, Decimal(_UNIT)), tilt.power(-last))
    for mass in reversed(of.masses):
        yield Term(RAW.multiply(weight, Decimal(mass)), growth)
        weight, growth = RAW.multiply(weight, tilt.base), RAW.multiply(growth, falling)
    yield Term(_ZERO, min(growth, _ONE))


def _exp(step: Fraction) -> Decimal:
    return _decimal(step).exp(DEEP)


def _decimal(number: Fraction) -> Decimal:
    return DEEP.divide(Decimal(number.numerator), Decimal(number.denominator))


# The ε of mechanisms that are composed, at a δ, by the distributions of their privacy losses.
#
# Of a tilt e^λ and a step σ between losses no more is asked than that the bound be good, so they are chosen with
# floats: λ as in a Chernoff bound, (Σ ln E e^(λL) + ln(1/δ))/λ smallest, or somewhat smaller; σ so that what
# splitting losses adds to their variance, some σ²/5 for each, adds three ten-thousandths to ε. Both are rounded to a
# few digits, so that they are the same wherever they are computed. What neighbours of either order lose is composed
# apart; the larger ε counts.

_SHARE = 3e-4  # of ε that splitting losses may add
_FINE = 3e-3  # of ε, that a step is at most
_MOST_LOSSES = 120_000  # of all mechanisms together
_STEEPEST = 300.0  # λ times the largest loss of one mechanism
_ENOUGH = 1.05  # times the least ε of a Chernoff bound, for a smaller λ
_PLACES, _RATIO = 120, 1.2  # at which a curve is looked at, from its largest loss down
_NOTHING = Decimal("1e-36")

_BUCKET = 2  # decades of δ for which one composition serves
_SMALLEST = 1e-200

Counted = tuple[tuple[Curve, int], ...]
"""How often each mechanism runs."""


class Composed(NamedTuple):
    """An ε, and the ``step`` between losses with which it was found; 0 if by none."""

    epsilon: Fraction
    step: Fraction


def composed(counted: Counted, delta: Fraction) -> Composed | None:
    """An ε at which mechanisms that run so often each are proved to be δ-private, 0 < δ < 1; None if none is found."""
    counted = tuple((curve, times) for curve, times in counted if times and (curve.largest != 0 or curve.failure))
    noise = sum((times * curve.squared for curve, times in counted if isinstance(curve, Normal)), Fraction(0))
    counted = tuple((curve, times) for curve, times in counted if not isinstance(curve, Normal))
    if not counted:
        return _gaussian(noise, delta)
    if noise:
        counted = (*counted, (Normal(noise), 1))
    spare = float(delta) - sum(times * float(curve.failure) for curve, times in counted)
    if spare < _SMALLEST:
        return None
    aim = Fraction(1, 10 ** (_BUCKET * math.floor(1 - math.log10(spare) / _BUCKET)))
    sides = (False, True) if any(not curve.symmetric for curve, _ in counted) else (False,)
    return max((_at(*_total_of(counted, back, aim), delta) for back in sides), key=_worse)


def _worse(found: Composed | None) -> tuple[bool, Fraction]:
    return (True, Fraction(0)) if found is None else (False, found.epsilon)


def _gaussian(squared: Fraction, delta: Fraction) -> Composed | None:
    """Gaussian noise alone adds up, exactly."""
    found = normal.epsilon(DecimalInterval.of(squared).sqrt().up, delta) if squared else squared
    return None if found is None else Composed(found, Fraction(0))


def _at(total: Lattice, tilt: Tilt, delta: Fraction) -> Composed | None:
    if Fraction(total.lost) >= delta:
        return None
    return Composed(solved(terms(total, tilt), DecimalInterval(total.lost, total.lost), delta), tilt.step)


@lru_cache(maxsize=8)
def _total_of(counted: Counted, back: bool, aim: Fraction) -> tuple[Lattice, Tilt]:
    """The distribution of all losses, for a δ of about ``aim`` or somewhat more beside what fails."""
    plans = [_planned(counted, side, aim) for side in (False, True)]
    tilt = Tilt.by(min(step for step, _ in plans), plans[back][1])
    total = NOTHING
    for curve, times in counted:
        total = product(total, power(discretised(curve, back, tilt, aim, times), times, tilt, aim))
        total = cut(total, tilt, aim, len(counted))
    return total, tilt


@lru_cache(maxsize=8)
def _planned(counted: Counted, back: bool, aim: Fraction) -> tuple[Fraction, float]:
    """A step that is fine enough, and the exponent of a tilt."""
    looks = [(_look(curve, back and not curve.symmetric), times) for curve, times in counted]
    steepest = _STEEPEST / max(look[-1][0] for look, _ in looks)
    exponents = [steepest * 1.12**-i for i in range(200)]
    costs = [_total(looks, each) - math.log(aim) for each in exponents]
    price, best = min((cost / each, each) for cost, each in zip(costs, exponents, strict=True))
    exponent = min(each for cost, each in zip(costs, exponents, strict=True) if cost / each <= price * _ENOUGH)
    spread = math.sqrt(2 * _total(looks, exponent) / (exponent * (exponent + 1)))
    return _step(counted, price, best, spread), float(f"{exponent:.2g}")


def _step(counted: Counted, price: float, exponent: float, spread: float) -> Fraction:
    """The common unit of all losses, if they are few kinds of randomised response; else a step that is fine enough, of
    which the largest loss of the mechanism that costs most is a multiple."""
    coarsest = 24 * spread / _MOST_LOSSES
    sizes = [curve.size for curve, _ in counted if curve.size]
    if len(sizes) == len(counted):
        unit = Fraction(
            reduce(math.gcd, (each.numerator for each in sizes)), math.lcm(*(each.denominator for each in sizes))
        )
        if unit >= coarsest:
            return unit
    rounds = sum(times for _, times in counted)
    finest = min(price * _FINE, math.sqrt(10 * _SHARE * price / (rounds * (exponent + 1))))
    step = Fraction(f"{max(coarsest, finest):.2g}")
    ends = [(float(curve.largest) ** 2 * times, curve.largest) for curve, times in counted if curve.largest]
    largest = max((end for end in ends if end[1] >= step), default=(0.0, step))[1]
    return largest / math.ceil(largest / step)


Look = list[tuple[float, float]]
"""Losses, from small to large, and their weights, without what fails."""


def _total(looks: list[tuple[Look, int]], exponent: float) -> float:
    """Σ ln E e^(λL), nearly."""
    return sum(times * _cumulant(look, exponent) for look, times in looks)


def _cumulant(look: Look, exponent: float) -> float:
    return math.log(math.fsum(weight * math.exp(exponent * loss) for loss, weight in look))


@lru_cache(maxsize=512)
def _look(curve: Curve, back: bool) -> Look:
    """A coarse distribution of a mechanism's loss, at places that lie denser about 0."""
    ahead, behind = (curve.back, curve.at) if back else (curve.at, curve.back)
    end = float(curve.largest or _end(curve))
    losses = [Decimal(end * _RATIO**-i) for i in range(_PLACES)]
    right = [(loss.exp(DEEP), ahead(loss.exp(DEEP), loss)) for loss in reversed(losses)]
    left = []
    for loss in losses:
        grown = loss.exp(DEEP)
        shrunk = DEEP.divide(Decimal(1), grown)
        left.append((shrunk, DEEP.add(DEEP.subtract(Decimal(1), shrunk), DEEP.multiply(shrunk, behind(grown, loss)))))
    places = [*left, *right]
    shares = [Decimal(1), *starmap(_beyond, pairwise(places)), Decimal(0)]  # under Q, of larger losses
    weights = [DEEP.multiply(at, DEEP.subtract(*both)) for (at, _), both in zip(places, pairwise(shares), strict=True)]
    signed = [*map(float, losses)]
    return list(
        zip([-loss for loss in signed] + signed[::-1], [max(float(each), 0.0) for each in weights], strict=True)
    )


def _beyond(here: tuple[Decimal, Decimal], there: tuple[Decimal, Decimal]) -> Decimal:
    return DEEP.divide(DEEP.subtract(here[1], there[1]), DEEP.subtract(there[0], here[0]))


def _end(curve: Curve) -> float:
    """A loss that is hardly ever exceeded."""
    end = 1.0
    while _left(curve, end):
        end *= 2
    while not _left(curve, end / 2):
        end /= 2
    return end


def _left(curve: Curve, loss: float) -> bool:
    at = Decimal(loss)
    return max(of(at.exp(DEEP), at) for of in (curve.at, curve.back)) > DEEP.add(curve.failure, _NOTHING)
