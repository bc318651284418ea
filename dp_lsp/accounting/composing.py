"""The ε of mechanisms that are composed, at a δ, by the distributions of their privacy losses.

Of a tilt e^λ and a step σ between losses no more is asked than that the bound be good, so they are chosen with floats:
λ as in a Chernoff bound, (Σ ln E e^(λL) + ln(1/δ))/λ smallest, or somewhat smaller; σ so that what splitting losses
adds to their variance, some σ²/5 for each, adds three ten-thousandths to ε. Both are rounded to a few digits,
so that they are the same wherever they are computed. What neighbours of either order lose is composed apart; the
larger ε counts.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import pairwise, starmap
from typing import NamedTuple

from dp_lsp.accounting.lattice import NOTHING, Lattice, Tilt, cut, discretised, power, product, terms
from dp_lsp.accounting.losses import solved
from dp_lsp.mechanisms import normal
from dp_lsp.mechanisms.arithmetic import DEEP, Interval
from dp_lsp.mechanisms.mechanism import Curve
from dp_lsp.mechanisms.normal import Normal

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
    found = normal.epsilon(Interval.of(squared).sqrt().up, delta) if squared else squared
    return None if found is None else Composed(found, Fraction(0))


def _at(total: Lattice, tilt: Tilt, delta: Fraction) -> Composed | None:
    if Fraction(total.lost) >= delta:
        return None
    return Composed(solved(terms(total, tilt), Interval(total.lost, total.lost), delta), tilt.step)


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


def _common(one: Fraction, other: Fraction) -> Fraction:
    """The largest number of which both are multiples."""
    bottom = math.lcm(one.denominator, other.denominator)
    return Fraction(math.gcd(int(one * bottom), int(other * bottom)), bottom)


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
