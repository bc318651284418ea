"""Approximate differential privacy in numbers: basic, advanced and optimal composition.

All take of each mechanism no more than its pair (ε, δ). By the latter two it fails at worst with probability δ, and
else is randomised response (Kairouz, Oh and Viswanath 2015): the failures are set aside, 1 - Π(1 - δ), and what is left
of the total δ pays for the privacy loss.

Gaussian differential privacy: exact where all noise is Gaussian.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as Listed
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial, reduce

from dp_lsp.accounting.charge import (
    Charge,
    ChargedSample,
    Find,
    Guarantee,
    Joined,
    NodeClaim,
    Numbers,
    NumericMeasure,
    Relation,
    Rules,
    Sampling,
    Single,
    amplified,
    both,
    fold,
    slack,
    times_run,
    unsampled_delta,
    values,
)
from dp_lsp.accounting.composition import Shifted, Steps, Summing, Sums, concentrated, one_step
from dp_lsp.mechanisms import noise
from dp_lsp.mechanisms.arithmetic import NEAR, PI, RAW, ZERO, DecimalInterval, brief, shown, widened
from dp_lsp.mechanisms.mechanism import IN_NUMBERS, Loss, Pair, group
from dp_lsp.named import NamedTuple


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
        epsilon = noise.epsilon(mu, delta)
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


# What a measure that knows pairs makes of a node that has none of its own: Gaussian noise, a sample, a joined pair.
#
# Each such node may spend a share of δ. What lies inside it is priced by whatever is best there, on its own.

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
        return any(isinstance(node, ChargedSample | Joined) for node in self._asked)

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
            case ChargedSample():
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

    def _sampled(self, node: ChargedSample, steps: int, delta: Fraction | None = None) -> Converted | None:
        inside = self.find(node.body, delta)
        if inside is None:
            return None
        pair = amplified(node, Pair(inside.epsilon, inside.delta))
        return None if pair is None else Converted(group(IN_NUMBERS, pair, steps * node.steps), (inside,))

    def _sampled_within(self, node: ChargedSample, steps: int, share: Fraction) -> Converted | None:
        changes = node.relation is not Relation.ADD_REMOVE
        if node.scheme is Sampling.WITH_REPLACEMENT and changes and steps == 1 and self.find.curves:
            found = [self._by_pair_within(node, steps, share), self._by_curve(node, share), self._sampled(node, steps)]
            known = [one for one in found if one is not None and one.pair.delta <= share]
            return min(known, key=lambda one: one.pair, default=None)
        return self._by_pair_within(node, steps, share)

    def _by_curve(self, node: ChargedSample, share: Fraction) -> Converted | None:
        squared = squared_mu(node.body)
        added = self.find(node.body, None) if squared is None else None
        pure = added.epsilon if added is not None and not added.delta else None
        inside = epsilon_inside(node.draws, node.rows, squared, pure, share)
        if inside is None:
            return None
        epsilon = (DecimalInterval.of(inside).expm1() * _drawn_at_all(node)).log1p().up
        return Converted(Pair(epsilon, share), (Guarantee(inside, share, "replacement"),))

    def _by_pair_within(self, node: ChargedSample, steps: int, share: Fraction) -> Converted | None:
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
            rest = (half / DecimalInterval.of(first.epsilon).exp()).down
            if rest <= 0:
                return None
            found = self._joined(node, steps, (half, rest), swapped)
            if found is None or found.pair.delta <= share:
                return found
            half = Fraction(float(half * share / found.pair.delta * _MOST))
        return None


# Samples with replacement, by the whole curve δ(ε) of what is done with a sample.
#
# A record is drawn j times with probability w_j = C(m,j)·n^-j·(1-1/n)^(m-j). With δ_j(ε) the δ of a change of j
# places, what is done with m draws of n rows is (ln(1 + q(e^ε - 1)), Σ w_j δ_j(ε))-private, q = 1 - (1-1/n)^m, for
# every ε. Source: Balle, Barthe and Gaboardi 2018, Theorem 10.

_MOST_TIMES = 64
_NEGLIGIBLE = 1e-9  # of the δ that is wanted
_BUMPS = (1e-13, 1e-11, 1e-9, 1e-6, 1e-3)


def _drawn_at_all(node: ChargedSample) -> DecimalInterval:
    """The probability that a record is drawn at all."""
    return 1 - DecimalInterval.of(Fraction(node.rows - 1, node.rows)).power(node.draws)


@lru_cache(maxsize=1024)
def epsilon_inside(
    draws: int, rows: int, squared: Fraction | None, pure: Fraction | None, wanted: Fraction
) -> Fraction | None:
    """The ε inside for which the sum is proved to be at most the δ that is wanted. What is done with the sample is
    known by its μ², if all noise is Gaussian, or by the ε of something that is ε-private."""
    weights = _times_drawn(draws, rows, wanted)
    if weights is None or wanted <= 0:
        return None
    if squared:
        mu = DecimalInterval.of(squared).sqrt()
        near, exact = partial(_near_gaussian, float(mu.high)), partial(_gaussian, mu)
    elif pure:
        near, exact = partial(_near_response, float(pure)), partial(_response, DecimalInterval.of(pure))
    else:
        return None
    guess = _searched(lambda at: sum(float(w.high) * near(j, at) for j, w in weights[:-1]), float(wanted))
    for bump in _BUMPS:
        candidate = Fraction(guess * (1 + bump))
        if _sum(weights, exact, DecimalInterval.of(candidate)).up <= wanted:
            return candidate
    return None


Weights = list[tuple[int, DecimalInterval]]
"""The probabilities of being drawn 1, 2, … times; the last is that of being drawn more often."""


def _times_drawn(draws: int, rows: int, wanted: Fraction) -> Weights | None:
    missed = DecimalInterval.of(Fraction(rows - 1, rows))
    found: Weights = []
    left = 1 - missed.power(draws)
    for j in range(1, min(draws, _MOST_TIMES) + 1):
        share = DecimalInterval.of(Fraction(math.comb(draws, j), rows**j)) * missed.power(draws - j)
        found.append((j, share))
        left = left - share
        if j == draws:
            return [*found, (j + 1, ZERO)]
        if float(left.high) <= float(wanted) * _NEGLIGIBLE:
            return [*found, (j + 1, DecimalInterval(max(left.low, ZERO.low), left.high))]
    return None


def _sum(
    weights: Weights, exact: Callable[[int, DecimalInterval], DecimalInterval], epsilon: DecimalInterval
) -> DecimalInterval:
    *listed, (_, beyond) = weights
    for j, weight in listed:
        beyond = beyond + weight * exact(j, epsilon)
    return beyond


def _searched(near: Callable[[float], float], wanted: float) -> float:
    low, high = 0.0, 1.0
    while near(high) > wanted and high < 1e9:
        low, high = high, 2 * high
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if near(middle) > wanted else (low, middle)
    return high


def _gaussian(mu: DecimalInterval, times: int, epsilon: DecimalInterval) -> DecimalInterval:
    found = noise.delta(mu * times, epsilon)
    return DecimalInterval(max(found.low, ZERO.low), found.high)


def _near_gaussian(mu: float, times: int, epsilon: float) -> float:
    return noise.float_delta(mu * times, epsilon)


def _response(pure: DecimalInterval, times: int, epsilon: DecimalInterval) -> DecimalInterval:
    """(e^(jε₀) - e^ε)/(1 + e^(jε₀)), if positive."""
    grown = (pure * times).exp()
    found = (grown - epsilon.exp()) / (grown + 1)
    return DecimalInterval(max(found.low, ZERO.low), max(found.high, ZERO.high))


def _near_response(pure: float, times: int, epsilon: float) -> float:
    return max(0.0, -math.expm1(epsilon - pure * times) / (1 + math.exp(-pure * times)))


# Approximate differential privacy by basic composition: ε and δ add up.


class NumericBasic(NumericMeasure):
    """(Σε, Σδ). Source: Dwork and Roth 2014, Theorem 3.16; adaptive. Gaussian noise, samples and joined pairs take an
    equal share each of the δ that is left, ``share``, where that is less than what adding up inside them gives."""

    rule = "basic"

    def pair(self, charge: Charge) -> Guarantee | None:
        """The pair that is made without choosing any δ."""
        found = fold(charge, SummedPairs(Converter(self.find)))
        return None if found is None else Guarantee(shown(found.epsilon), shown(found.delta), self.rule)

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        found = [self._within(charge, share, delta) for share in (None, share_of(charge, delta, Fraction(1)))]
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, share: Fraction | None, delta: Fraction) -> Guarantee | None:
        found = fold(charge, SummedPairs(Converter(self.find, share)))
        if found is None or found.delta > delta:
            return None
        parameters = () if share is None else (("share", share),)
        return Guarantee(shown(found.epsilon), min(shown(found.delta), delta), self.rule, parameters)

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[NodeClaim, ...]:
        converter = Converter(self.find, dict(stated.parameters).get("share"))
        return tuple(
            NodeClaim(node, steps, (("epsilon", pair.epsilon), ("delta", pair.delta)), converter.inside(node, steps))
            for node, steps, pair in values(charge, SummedPairs(converter))
        )


class SummedPairs(Summing[Pair[Fraction]]):
    """The pairs of basic composition."""

    sums = Sums(IN_NUMBERS, Pair(Fraction(0), Fraction(0)))

    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> Pair[Fraction] | None:
        return self._converter.pair(node, steps)


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
    count = times_run(charge, counted)
    taken = fold(charge, _Declared()) if count else None
    if taken is None or taken.delta >= delta:
        return None
    share = (delta - taken.delta) * part / count
    return Fraction(float(share) * (1 - 1e-12)) or None


class _Declared(SummedPairs):
    """The δ of mechanisms that come with one."""

    def __init__(self) -> None:
        """Nothing is converted."""

    def single(self, node: Single, steps: int) -> Pair[Fraction]:
        pair = node.times(steps).pair() if isinstance(node, Loss) else None
        return Pair(Fraction(0), Fraction(0) if pair is None else pair.delta)


# The privacy losses of several randomised responses, and the ε at which they are δ-private, exactly.
#
# What is ε-private is at worst randomised response: its loss is ε with probability e^ε/(1 + e^ε), else -ε (Kairouz,
# Oh and Viswanath 2015). The losses of several add up. At an ε the δ of a sum with losses ℓ of weight w is D(ε) = Σ
# w·(1 - e^(ε-ℓ)) over ℓ > ε, which between two losses is P - Q·e^ε; so one walk down from the largest loss finds the
# ε of a δ, and only that tail is looked at.

_MOST_TERMS = 10_000
MOST_ROUNDS = 200  # different ones
_MOST_CELLS = 4_000  # of a lattice of losses, those that are not negligible, times the number of products
_FEWEST_CELLS = 200
_BITS = 112  # of a probability in a lattice
_SLOT = 2 * _BITS // 8 + 2  # bytes of one coefficient of a product
_STIRLING = [Fraction(top, bottom) for top, bottom in [(1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188)]]
_STIRLING += [Fraction(-691, 360360), Fraction(1, 156)]
_SMALL = 2_000

Counts = tuple[tuple[Fraction, int], ...]
"""How often each ε comes, the largest first."""


class Term(NamedTuple):
    """A loss ℓ by ``growth`` = e^ℓ, and its weight; both with many digits, not rounded to a side."""

    weight: Decimal
    growth: Decimal


def optimal_epsilon(rounds: Counts, delta: Fraction) -> tuple[Fraction, Fraction] | None:
    """The smallest ε at which what is made of these rounds is δ-private, rounded up, and the unit of the losses to
    whose multiples each ε was rounded up, 0 if none was. None if there are too many to look at."""
    exact = Fraction(0)
    if not rounds or float(delta) == 0 or len(rounds) > MOST_ROUNDS:
        return None if rounds else (exact, exact)
    if len(rounds) == 1:
        ((each, count),) = rounds
        found = _of_equal(each, count, delta)
        return None if found is None else (found, exact)
    unit = _unit(rounds)
    if unit is None:
        return None
    rounded = all((each / unit).denominator == 1 for each, _ in rounds)
    found = _of_lattice(rounds, unit, delta)
    return None if found is None else (found, exact if rounded else unit)


def solved(terms: Iterable[Term], beyond: DecimalInterval, delta: Fraction) -> Fraction:
    """The ε of a δ. ``terms`` are listed from the largest loss down, at least to the first that is not positive;
    ``beyond`` is the weight of larger losses."""
    heavy = light = Decimal(0)
    enough = (DecimalInterval.of(delta) * Fraction(99, 100) - beyond).low
    for term in terms:
        if RAW.subtract(heavy, RAW.multiply(light, term.growth)) > enough or term.growth <= 1:
            above, inverse = widened(heavy, heavy) + beyond, widened(light, light)
            here = widened(term.growth, term.growth) if term.growth > 1 else DecimalInterval.of(1)
            if (above - here * inverse).up > delta:
                return max(((above - delta) / inverse).ln().up, here.ln().up, Fraction(0))
        if term.growth <= 1:
            break
        heavy = RAW.add(heavy, term.weight)
        light = RAW.add(light, RAW.divide(term.weight, term.growth))
    return Fraction(0)


def _of_equal(each: Fraction, count: int, delta: Fraction) -> Fraction | None:
    """Of rounds that cost the same. Source: Kairouz, Oh and Viswanath 2015, Theorem 3.3."""
    share = 1 / (1 + math.exp(-min(float(each), 700)))
    deviation = math.sqrt(count * share * (1 - share))
    far = math.sqrt(2 * (50 - math.log(delta)))
    if far * deviation > _MOST_TERMS:
        return None
    top = min(count, math.ceil(count * share + far * deviation) + 1)
    weight = _weight(each, count, top)
    ratio = DecimalInterval.of(each).exp() * Fraction(count - top, top + 1)
    if ratio.high >= 1:
        return None
    return solved(_binomial(each, count, top, weight), weight * ratio / (1 - ratio), delta)


def _binomial(each: Fraction, count: int, top: int, first: DecimalInterval) -> Iterator[Term]:
    lower = DecimalInterval.of(-each).exp().low
    square = RAW.multiply(lower, lower)
    weight, growth = first.low, DecimalInterval.of(each * (2 * top - count)).exp().low
    for i in range(top, -1, -1):
        yield Term(weight, growth)
        times = RAW.divide(RAW.multiply(lower, Decimal(i)), Decimal(count - i + 1))
        weight, growth = RAW.multiply(weight, times), RAW.multiply(growth, square)


def _weight(each: Fraction, count: int, i: int) -> DecimalInterval:
    """C(count, i)·e^(iε)/(1 + e^ε)^count."""
    chosen = _log_factorial(count) - _log_factorial(i) - _log_factorial(count - i)
    return (chosen + DecimalInterval.of(each * i) - (DecimalInterval.of(each).exp() + 1).ln() * count).exp()


@lru_cache(maxsize=256)
def _log_factorial(n: int) -> DecimalInterval:
    """ln n!, by Stirling's series, whose error is less than the first term left out and has its sign."""
    if n < _SMALL:
        return DecimalInterval.of(math.factorial(n)).ln()
    at = DecimalInterval.of(n)
    total = (at.ln() - 1) * n + (PI * 2 * n).ln() / 2
    sums = []
    for index, coefficient in enumerate(_STIRLING):
        total = total + DecimalInterval.of(coefficient / Fraction(n) ** (2 * index + 1))
        sums.append(total)
    before, last = sums[-2:]
    return DecimalInterval(min(before.low, last.low), max(before.high, last.high))


def _unit(rounds: Counts) -> Fraction | None:
    """The unit to whose multiples losses are rounded up: one that divides all if there is one that is coarse enough,
    else that of the least excess."""
    largest = rounds[0][0]
    positive = [(each, count) for each, count in rounds if each]
    numerators = reduce(math.gcd, [each.numerator for each, _ in positive])
    common = Fraction(numerators, reduce(math.lcm, [each.denominator for each, _ in positive]))
    spread = math.sqrt(sum(count * float(each / largest) ** 2 for each, count in positive))
    cells = max(_FEWEST_CELLS, _MOST_CELLS // (len(rounds) + 1))
    finest = int(cells / (11 * spread + 2))
    if finest < 1 or sum(24 * math.sqrt(count) for _, count in positive) > _MOST_TERMS:
        return None
    if largest / common <= finest:
        return common

    def excess(parts: int) -> float:
        ratios = ((float(each / largest) * parts, count) for each, count in positive)
        return sum((math.ceil(ratio - 1e-12) - ratio) * count for ratio, count in ratios) / parts

    return largest / min(range(1, finest + 1), key=lambda parts: (excess(parts), -parts))


def _of_lattice(rounds: Counts, unit: Fraction, delta: Fraction) -> Fraction | None:
    """Of rounds with losses rounded up to multiples of a unit: the product of their generating polynomials, with
    probabilities rounded down. What is lost counts as an infinite loss."""
    cells: Counter[int] = Counter()
    for each, count in rounds:
        cells[math.ceil(each / unit)] += count
    product, least = [1 << _BITS], 0
    for size, count in sorted(cells.items()):
        if size:
            weights, lowest = _weights(unit * size, count)
            product, low = _multiplied(product, _spread(weights, size))
            least += low + lowest * size
            if not product:
                return None
    offset = sum(size * count for size, count in cells.items())
    lost = Fraction((1 << _BITS) - sum(product), 1 << _BITS) + NEAR
    top = 2 * (least + len(product) - 1) - offset
    terms = _lattice_terms(product, unit, top)
    return solved(terms, DecimalInterval.of(lost), delta)


def _lattice_terms(product: list[int], unit: Fraction, top: int) -> Iterator[Term]:
    growth = DecimalInterval.of(unit * top).exp().low
    step = DecimalInterval.of(-2 * unit).exp().low
    scale = Decimal(1 << _BITS)
    for weight in reversed(product):
        if weight:
            yield Term(RAW.divide(Decimal(weight), scale), growth)
        growth = RAW.multiply(growth, step)
    yield Term(Decimal(0), min(growth, Decimal(1)))


def _weights(each: Fraction, count: int) -> tuple[list[int], int]:
    """The probabilities of 0, 1, … larger losses, rounded down to multiples of 2^-bits; those from the first to the
    last that is not 0, and which is the first."""
    middle = min(count, round(count / (1 + math.exp(-float(each)))))
    ratio = {1: DecimalInterval.of(each).exp().low, -1: DecimalInterval.of(-each).exp().low}
    scale = 1 << _BITS
    at_middle = _weight(each, count, middle).low
    found = {middle: int(RAW.multiply(at_middle, Decimal(scale)))}
    for way in (1, -1):
        weight, i = at_middle, middle
        while 0 <= i + way <= count:
            more, fewer = (count - i, i + 1) if way > 0 else (i, count - i + 1)
            times = RAW.divide(RAW.multiply(Decimal(more), ratio[way]), Decimal(fewer))
            weight, i = RAW.multiply(weight, times), i + way
            whole = int(RAW.multiply(weight, Decimal(scale)))
            if not whole:
                break
            found[i] = whole
    first = min(found)
    return [found[i] for i in range(first, max(found) + 1)], first


def _spread(weights: list[int], size: int) -> list[int]:
    wide = [0] * ((len(weights) - 1) * size + 1)
    wide[::size] = weights
    return wide


def _multiplied(left: list[int], right: list[int]) -> tuple[list[int], int]:
    """The product of two polynomials, coefficients rounded down; from the first to the last that is not 0, and which is
    the first. Done as one product of long integers."""
    long = _packed(left) * _packed(right)
    size = len(left) + len(right) - 1
    data = long.to_bytes(size * _SLOT + 1, "little")
    found = [int.from_bytes(data[i * _SLOT : (i + 1) * _SLOT], "little") >> _BITS for i in range(size)]
    kept = [i for i, value in enumerate(found) if value]
    return (found[kept[0] : kept[-1] + 1], kept[0]) if kept else ([], 0)


def _packed(coefficients: list[int]) -> int:
    return int.from_bytes(b"".join(value.to_bytes(_SLOT, "little") for value in coefficients), "little")


_HALF = Fraction(1, 2)


def shares(charge: Charge, delta: Fraction) -> Iterator[Fraction | None]:
    """The δ that nodes without a pair may spend each: none, and together half of what is there."""
    yield None
    share = share_of(charge, delta, _HALF)
    if share is not None:
        yield share


class NumericAccount(NamedTuple):
    """What steps add up to, and the δ set aside. ``fixed`` says that the ε of each was fixed in advance."""

    steps: Steps[Fraction]
    delta: Fraction
    fixed: bool = True


_STEPS = Sums(IN_NUMBERS, Steps(Fraction(0), Fraction(0), Fraction(0)))


class NumericAdvanced(NumericMeasure):
    """The smallest of Σε, T + √(2V·ln(1/δ')) and, where all parameters are fixed in advance, T + √(2V·ln(e + √V/δ')),
    with T = Σε·tanh(ε/2) and V = Σε², at a total δ of 1 - (1 - δ')Π(1 - δ). Source: Theorems 3.4 and 3.5; the second
    form also as :func:`~dp_lsp.accounting.composition.concentrated` says, so it holds for what is chosen while it
    runs."""

    rule = "advanced"

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        found = [self._within(charge, delta, share) for share in shares(charge, delta)]
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, delta: Fraction, share: Fraction | None) -> Guarantee | None:
        account = fold(charge, _Accounts(Converter(self.find, share)))
        if account is None or account.delta > delta:
            return None
        spent: Numbers = () if share is None else (("share", share),)
        left = slack(delta, account.delta)
        epsilon = account.steps.epsilon
        if left is not None and account.steps.square:
            epsilon = min(epsilon, concentrated(IN_NUMBERS, account.steps, _logarithm(account, left)))
        if epsilon == account.steps.epsilon:
            return Guarantee(shown(epsilon), min(shown(account.delta), delta), self.rule, spent)
        return Guarantee(shown(epsilon), delta, self.rule, (*spent, ("slack", left or Fraction(0))))

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[NodeClaim, ...]:
        converter = Converter(self.find, dict(stated.parameters).get("share"))
        return tuple(
            NodeClaim(node, steps, _numbers(account), converter.inside(node, steps))
            for node, steps, account in values(charge, _Accounts(converter))
        )


def _numbers(account: NumericAccount) -> Numbers:
    named = zip(("total", "mean", "squares"), account.steps, strict=True)
    return (*named, ("delta", account.delta), ("fixed", Fraction(account.fixed)))


def _logarithm(account: NumericAccount, left: Fraction) -> DecimalInterval:
    """The smaller one of those of 1/δ' and e + √V/δ' that may be used."""
    inverse = 1 / DecimalInterval.of(left)
    logarithm = inverse.ln()
    if account.fixed:
        other = (DecimalInterval.of(1).exp() + DecimalInterval.of(account.steps.square).sqrt() * inverse).ln()
        return other if other.high < logarithm.high else logarithm
    return logarithm


class _Accounts(Rules[NumericAccount]):
    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> NumericAccount | None:
        pair = self._converter.pair(node, steps)
        if pair is None or pair.delta >= 1:
            return None
        return NumericAccount(one_step(IN_NUMBERS, pair.epsilon), pair.delta)

    def sequence(self, parts: Listed[NumericAccount]) -> NumericAccount:
        steps = _STEPS.sequence([part.steps for part in parts])
        return NumericAccount(
            steps, IN_NUMBERS.failing(part.delta for part in parts), all(part.fixed for part in parts)
        )

    def repeat(self, count: int, once: NumericAccount) -> NumericAccount:
        times = Fraction(count)
        delta = IN_NUMBERS.failing_repeatedly(once.delta, times)
        return NumericAccount(_STEPS.repeat(times, once.steps), delta, once.fixed)

    def either(self, parts: Listed[NumericAccount]) -> NumericAccount:
        if len(set(parts)) == 1:
            return parts[0]
        steps = _STEPS.either([part.steps for part in parts])
        return NumericAccount(steps, max(part.delta for part in parts), fixed=False)


class ComposedRounds(NamedTuple):
    """How often each ε comes, the largest first, and the δ set aside."""

    rounds: Counts
    delta: Fraction


class Optimal(NumericMeasure):
    """The smallest ε that holds for all mechanisms that have these pairs: exactly where all ε are equal or multiples
    of one unit that is coarse enough, else with each ε rounded up to a multiple of a ``unit``. Sources: Theorem 3.3;
    Murtagh and Vadhan 2016. The parameters of every round are fixed in advance; one of several alternatives counts as
    what dominates them, the largest ε of any, the second largest of any, and so on."""

    rule = "optimal"

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        found = [self._within(charge, delta, share) for share in shares(charge, delta)]
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, delta: Fraction, share: Fraction | None) -> Guarantee | None:
        composed = fold(charge, _Multisets(Converter(self.find, share)))
        left = None if composed is None else slack(delta, composed.delta)
        if composed is None or left is None:
            return None
        solved = optimal_epsilon(composed.rounds, left)
        if solved is None:
            return None
        epsilon, unit = solved
        spent: Numbers = () if share is None else (("share", share),)
        return Guarantee(shown(epsilon), delta, self.rule, (*spent, ("slack", left), ("unit", unit)))

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[NodeClaim, ...]:
        """Of each node the δ set aside, and in turn each ``epsilon`` and how many ``rounds`` have it."""
        converter = Converter(self.find, dict(stated.parameters).get("share"))
        found = []
        for node, steps, (rounds, delta) in values(charge, _Multisets(converter)):
            listed = [number for each, count in rounds for number in (("epsilon", each), ("rounds", Fraction(count)))]
            found.append(NodeClaim(node, steps, (("delta", delta), *listed), converter.inside(node, steps)))
        return tuple(found)


class _Multisets(Rules[ComposedRounds]):
    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> ComposedRounds | None:
        pair = self._converter.pair(node, steps)
        return None if pair is None or pair.delta >= 1 else _rounds_of(pair)

    def sequence(self, parts: Listed[ComposedRounds]) -> ComposedRounds | None:
        counted: Counter[Fraction] = Counter()
        for part in parts:
            counted.update(dict(part.rounds))
        if len(counted) > MOST_ROUNDS:
            return None
        return ComposedRounds(
            tuple(sorted(counted.items(), reverse=True)), IN_NUMBERS.failing(part.delta for part in parts)
        )

    def repeat(self, count: int, once: ComposedRounds) -> ComposedRounds:
        rounds = tuple((each, count * times) for each, times in once.rounds)
        return ComposedRounds(rounds, IN_NUMBERS.failing_repeatedly(once.delta, Fraction(count)))

    def either(self, parts: Listed[ComposedRounds]) -> ComposedRounds:
        found, *others = parts
        rounds = found.rounds
        for other in others:
            rounds = _dominating(rounds, other.rounds)
        return ComposedRounds(rounds, max(part.delta for part in parts))


def _rounds_of(pair: Pair[Fraction]) -> ComposedRounds:
    return ComposedRounds(((brief(pair.epsilon), 1),) if pair.epsilon else (), pair.delta)


def _dominating(first: Counts, second: Counts) -> Counts:
    """The larger ε at every place of two lists that are sorted."""
    left, right = list(reversed(first)), list(reversed(second))
    counted: Counter[Fraction] = Counter()
    while left and right:
        (one, times), (other, more) = left.pop(), right.pop()
        count = min(times, more)
        counted[max(one, other)] += count
        if times > count:
            left.append((one, times - count))
        if more > count:
            right.append((other, more - count))
    for each, count in left + right:
        counted[each] += count
    return tuple(sorted(counted.items(), reverse=True))
