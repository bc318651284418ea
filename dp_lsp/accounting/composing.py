"""The ε of mechanisms that are composed, and of samples, at a δ, by distributions of privacy losses on the multiples
of a step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact, InvalidOperation
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import count, pairwise, starmap

from dp_lsp.accounting.approximate import Term, solved
from dp_lsp.core.values import value
from dp_lsp.mechanisms import noise
from dp_lsp.mechanisms.arithmetic import DEEP, RAW, DecimalInterval
from dp_lsp.mechanisms.arithmetic import DIGITS as RAW_DIGITS
from dp_lsp.mechanisms.mechanism import ERROR, Curve, decimal
from dp_lsp.mechanisms.noise import Normal, above
from dp_lsp.named import NamedTuple

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
    found = noise.epsilon(DecimalInterval.of(squared).sqrt().up, delta) if squared else squared
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


# Curves of samples: what a change costs that reaches a mechanism only through the rows that are drawn.
#
# Of neighbours of which one has a record in place of another's, either may be the first: so one curve bounds both
# orders. It is known at ε ≥ 0, and at -ε it is 1 - e^-ε + e^-ε·(itself at ε), as an event and its complement change
# places. What is composed of such curves lets the order change from step to step, as a program may that looks at what
# it released. Such a D is the curve of a pair if it is convex in g = e^ε and falls at g = 1 by (1 - D)/2 at most, whose
# two sides then meet without a dent; what a body's curve is said of every curve below.


_ONE, _ZERO = Decimal(1), Decimal(0)
MOST_TIMES = 64
"""How often a record that is drawn with replacement may come, but for chances that count as failures."""
_RARE = Decimal("1e-30")
_CLOSE = Decimal("1e-27")  # of a place at which what is computed is flat: it is wrong by the square of that
_MOST_STEPS = 200  # of Newton's method, far more than it takes


class Sample(Curve):
    """What is done with rows that are drawn, of which one changes. What is done with a sample of a sample has no curve
    here."""

    __slots__ = ()


@value
class AddedRecord(Sample):
    """A Poisson sample of ``rate`` q, of which one has a record more: (1-q)·Q + q·P against Q, and the other way round.
    The curve is q·D(ln(1 + (e^ε - 1)/q)), back (1 - (1-q)e^ε)·D'(ln(q·e^ε/(1 - (1-q)e^ε))) (Zhu, Dong and Wang 2022,
    Theorem 11; back by exchanging an event and its complement twice)."""

    rate: Fraction
    body: Curve

    symmetric = False

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        return _amplified(self.rate, self.body, growth)

    def back(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        rate = decimal(self.rate)
        missed = DEEP.fma(DEEP.subtract(rate, _ONE), growth, _ONE)
        if missed <= 0:
            return _ZERO
        return DEEP.multiply(missed, self.body.back(max(_ONE, DEEP.divide(DEEP.multiply(rate, growth), missed))))

    @property
    def failure(self) -> Decimal:
        return DEEP.multiply(decimal(self.rate), self.body.failure)


@value
class Drawn(Sample):
    """A sample without replacement that a record is drawn into with probability ``rate`` q, of which that record
    changes: q·D(ln(1 + (e^ε - 1)/q)) (Balle, Barthe and Gaboardi 2018, Theorem 9); attained in one order where all
    other rows are as the new one. It is convex as D is, at g = 1 it is qD, and falls there as D does."""

    rate: Fraction
    body: Curve

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        return _amplified(self.rate, self.body, growth)

    @property
    def failure(self) -> Decimal:
        return DEEP.multiply(decimal(self.rate), self.body.failure)


def _amplified(rate: Fraction, body: Curve, growth: Decimal) -> Decimal:
    """What is wrong in (e^ε - 1)/q moves D by as much at most, and is multiplied by q."""
    drawn = decimal(rate)
    inside = DEEP.add(_ONE, DEEP.divide(DEEP.subtract(growth, _ONE), drawn))
    return DEEP.multiply(drawn, body.at(inside))


@value
class Replaced(Sample):
    """A Poisson sample of ``rate`` q > 0, in which one record stands in place of another; ``body`` is the curve of what
    is done with it at two steps, one row less and one more.

    Whichever of the others are drawn, let A, B and N be what is released with the one record, with the other, and with
    neither. Neighbours are means over them of (1-q)N + qA and (1-q)N + qB, so no event S has a P(S) - g·Q(S) above q
    times the largest A(S) - g·B(S) - c·N(S), with c = (1-q)(g-1)/q: that of
    :meth:`~dp_lsp.mechanisms.mechanism.Curve.halfway`. Where that is attained by A, B and N of one mechanism of which A
    and B are each other's mirror, so are (1-q)N + qA and (1-q)N + qB, whose curve this is; elsewhere it is that of
    :class:`Drawn`."""

    rate: Fraction
    body: Curve

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        rate = decimal(self.rate)
        without = DEEP.divide(DEEP.multiply(DEEP.subtract(_ONE, rate), DEEP.subtract(growth, _ONE)), rate)
        return DEEP.multiply(rate, self.body.halfway(growth, without))

    @property
    def failure(self) -> Decimal:
        return DEEP.multiply(decimal(self.rate), self.body.failure)


@value
class Redrawn(Sample):
    """A sample of ``draws`` m with replacement, of n ``rows`` > 1, of which one record changes; ``bodies`` are the
    curves D₁, D₂ … of what is done with it where 1, 2 … places change.

    The record is drawn j times with probability w_j = C(m,j)·n^-j·(1-1/n)^(m-j). Let A_j and B_j be what is released of
    the one data set and of the other where it is drawn j times, N = A₀ = B₀. They are means over samples, and for i ≤ j
    those of A_j and B_i can be drawn together so that they differ in j places at most, among which are the i: at all
    others both hold the same, and where only one holds the record the other holds any of the others, drawn
    independently of all else. So A_j(S) - x·B_i(S) ≤ D_j(ln x) for every event S and x > 0. For g_j with

        Σ_{j≥1} w_j·g_j = g - w₀ and Σ_{j≥k} w_j·(g_j - g) ≥ 0 for k ≥ 1

    all of g·Σ_{i≥1} w_i·B_i + (g - 1)·w₀·N can be shared out so that A_j is told from w_j·g_j of those with i ≤ j, and
    P(S) - g·Q(S) ≤ Σ_{j≥1} w_j·D_j(ln g_j). All g_j the same is Theorem 10 of Balle, Barthe and Gaboardi 2018: convex
    as the D_j are, and at g = 1 it falls by Σ w_j·|D_j'|/(1 - w₀), which is at most (1 - D/(1 - w₀))/2.

    For Gaussian noise about jμ the least sum is taken, which is convex in g as that of a convex program under linear
    conditions. Its g_j are c_j·y^j with c_j = e^(-j²μ²/2), y = e^(μx): the ratios of A_j and N at one place x, where
    the slopes of all D_j are the same, -s with s = P(Z > x). Where c_j·g < 1 they are at least g: the places at which
    c_j·y^j is g grow with j there, so that a smaller slope belongs to each g_j that is g, as it must in a least sum.
    For smaller j those places fall, so c_j·y^j exceeds g from some j on, and all conditions hold. The sum is computed
    as that of w_j·(D_j(ln g_j) + s·g_j) less s·(g - w₀), which is largest at x: so it is wrong by the square of what is
    wrong in x. At g = 1 all g_j are 1, and it falls by Σ_{j≥1} w_j·P(Z > jμ/2) + w₀·P(Z > μ/2)."""

    draws: int
    rows: int
    bodies: tuple[Curve, ...]

    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        shares, often = chances(self.draws, self.rows)
        missed, *drawn = shares
        total = DEEP.subtract(DEEP.multiply(growth, DEEP.subtract(_ONE, often)), missed)
        first, weighed = self.bodies[0], list(zip(drawn, self.bodies, strict=True))
        if isinstance(first, Normal) and len(weighed) > 1:
            found = _least(first, weighed, growth, total)
        else:
            inside = max(growth, DEEP.divide(total, _sum(drawn)))
            found = _sum(DEEP.multiply(share, body.at(inside)) for share, body in weighed)
        return DEEP.add(found, often)

    @property
    def failure(self) -> Decimal:
        (_, *drawn), often = chances(self.draws, self.rows)
        failing = (DEEP.multiply(share, body.failure) for share, body in zip(drawn, self.bodies, strict=True))
        return DEEP.add(_sum(failing), often)


Ratios = list[tuple[Decimal, Decimal]]
"""The c_j·y^j, each with the least that g_j must be."""


def _least(first: Normal, weighed: list[tuple[Decimal, Curve]], growth: Decimal, total: Decimal) -> Decimal:
    mu = DEEP.sqrt(decimal(first.squared))
    place, ratios = _place(first.squared, tuple(share for share, _ in weighed), growth, total)
    at = DEEP.divide(place.ln(DEEP), mu)
    slope = above(at)
    found = DEEP.multiply(slope, total).copy_negate()
    for times, ((share, body), (ratio, least)) in enumerate(zip(weighed, ratios, strict=True), 1):
        if ratio > least:
            both = above(DEEP.subtract(at, DEEP.multiply(mu, times)))
        else:
            both = DEEP.fma(slope, least, body.at(growth))
        found = DEEP.fma(share, both, found)
    return max(found, _ZERO)


def _place(squared: Fraction, shares: tuple[Decimal, ...], growth: Decimal, total: Decimal) -> tuple[Decimal, Ratios]:
    """The y > 0 where Σ w_j·g_j is the total, and the ratios there; by Newton's method, as the sum grows and is convex.
    It starts where the largest w_j·c_j·y^j alone is the total."""
    falls = _falls(squared, len(shares))
    least = [growth if DEEP.multiply(fall, growth) < 1 else _ZERO for fall in falls]
    wanted = float(total.ln(DEEP))
    logarithms = (
        (wanted - float(share.ln(DEEP)) + times**2 * float(squared) / 2) / times
        for times, share in enumerate(shares, 1)
    )
    place = Decimal(min(logarithms)).exp(DEEP)
    for _ in range(_MOST_STEPS):
        ratios, power, value, slope = [], _ONE, _ZERO, _ZERO
        for times, (share, fall, low) in enumerate(zip(shares, falls, least, strict=True), 1):
            power = DEEP.multiply(power, place)
            ratios.append(DEEP.multiply(fall, power))
            weight = DEEP.multiply(share, max(ratios[-1], low))
            value = DEEP.add(value, weight)
            slope = DEEP.fma(weight, times, slope) if ratios[-1] > low else slope
        if not slope:
            break
        part = DEEP.divide(DEEP.subtract(value, total), slope)
        if abs(part) <= _CLOSE:
            break
        place = DEEP.fma(part.copy_negate(), place, place)
    return place, list(zip(ratios, least, strict=True))


@lru_cache(maxsize=64)
def _falls(squared: Fraction, count: int) -> tuple[Decimal, ...]:
    """e^(-j²μ²/2)."""
    return tuple(decimal(squared * times**2 / -2).exp(DEEP) for times in range(1, count + 1))


class Chances(NamedTuple):
    """How likely a record is drawn 0, 1, 2 … times, and ``often``, more times than are listed."""

    listed: tuple[Decimal, ...]
    often: Decimal


@lru_cache(maxsize=64)
def chances(draws: int, rows: int) -> Chances:
    """Those of so many draws with replacement from so many rows > 1. So many times are listed that more are hardly
    ever drawn, but at most :data:`MOST_TIMES`."""
    missed = decimal(Fraction(rows - 1, rows))
    listed = [DEEP.power(missed, draws)]
    left = DEEP.subtract(_ONE, listed[0])
    for times in range(min(draws, MOST_TIMES)):
        more = decimal(Fraction(draws - times, (times + 1) * (rows - 1)))
        listed.append(DEEP.multiply(listed[-1], more))
        left = DEEP.subtract(left, listed[-1])
        if left <= _RARE and times:
            break
    return Chances(tuple(listed), _ZERO if len(listed) > draws else max(left, _ZERO))


def _sum(numbers: Iterable[Decimal]) -> Decimal:
    total = _ZERO
    for number in numbers:
        total = DEEP.add(total, number)
    return total
