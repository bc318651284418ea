"""The privacy losses of several randomised responses, and the ε at which they are δ-private, exactly.

What is ε-private is at worst randomised response: its loss is ε with probability e^ε/(1 + e^ε), else -ε (Kairouz, Oh
and Viswanath 2015). The losses of several add up. At an ε the δ of a sum with losses ℓ of weight w is
D(ε) = Σ w·(1 - e^(ε-ℓ)) over ℓ > ε, which between two losses is P - Q·e^ε; so one walk down from the largest loss
finds the ε of a δ, and only that tail is looked at.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from typing import NamedTuple

from dp_lsp.mechanisms.arithmetic import NEAR, PI, RAW, Interval, widened

_MOST_TERMS = 10_000
MOST_ROUNDS = 200  # different ones
_MOST_CELLS = 4_000  # of a lattice of losses, those that are not negligible, times the number of products
_FEWEST_CELLS = 200
_BITS = 112  # of a probability in a lattice
_SLOT = 2 * _BITS // 8 + 2  # bytes of one coefficient of a product
_STIRLING = [Fraction(top, bottom) for top, bottom in [(1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188)]]
_STIRLING += [Fraction(-691, 360360), Fraction(1, 156)]
_SMALL = 2_000

Rounds = tuple[tuple[Fraction, int], ...]
"""How often each ε comes, the largest first."""


class Term(NamedTuple):
    """A loss ℓ by ``growth`` = e^ℓ, and its weight; both with many digits, not rounded to a side."""

    weight: Decimal
    growth: Decimal


def epsilon(rounds: Rounds, delta: Fraction) -> tuple[Fraction, Fraction] | None:
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


def solved(terms: Iterable[Term], beyond: Interval, delta: Fraction) -> Fraction:
    """The ε of a δ. ``terms`` are listed from the largest loss down, at least to the first that is not positive;
    ``beyond`` is the weight of larger losses."""
    heavy = light = Decimal(0)
    enough = (Interval.of(delta) * Fraction(99, 100) - beyond).low
    for term in terms:
        if RAW.subtract(heavy, RAW.multiply(light, term.growth)) > enough or term.growth <= 1:
            above, inverse = widened(heavy, heavy) + beyond, widened(light, light)
            here = widened(term.growth, term.growth) if term.growth > 1 else Interval.of(1)
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
    ratio = Interval.of(each).exp() * Fraction(count - top, top + 1)
    if ratio.high >= 1:
        return None
    return solved(_binomial(each, count, top, weight), weight * ratio / (1 - ratio), delta)


def _binomial(each: Fraction, count: int, top: int, first: Interval) -> Iterator[Term]:
    lower = Interval.of(-each).exp().low
    square = RAW.multiply(lower, lower)
    weight, growth = first.low, Interval.of(each * (2 * top - count)).exp().low
    for i in range(top, -1, -1):
        yield Term(weight, growth)
        times = RAW.divide(RAW.multiply(lower, Decimal(i)), Decimal(count - i + 1))
        weight, growth = RAW.multiply(weight, times), RAW.multiply(growth, square)


def _weight(each: Fraction, count: int, i: int) -> Interval:
    """C(count, i)·e^(iε)/(1 + e^ε)^count."""
    chosen = _log_factorial(count) - _log_factorial(i) - _log_factorial(count - i)
    return (chosen + Interval.of(each * i) - (Interval.of(each).exp() + 1).ln() * count).exp()


@lru_cache(maxsize=256)
def _log_factorial(n: int) -> Interval:
    """ln n!, by Stirling's series, whose error is less than the first term left out and has its sign."""
    if n < _SMALL:
        return Interval.of(math.factorial(n)).ln()
    at = Interval.of(n)
    total = (at.ln() - 1) * n + (PI * 2 * n).ln() / 2
    sums = []
    for index, coefficient in enumerate(_STIRLING):
        total = total + Interval.of(coefficient / Fraction(n) ** (2 * index + 1))
        sums.append(total)
    before, last = sums[-2:]
    return Interval(min(before.low, last.low), max(before.high, last.high))


def _unit(rounds: Rounds) -> Fraction | None:
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


def _of_lattice(rounds: Rounds, unit: Fraction, delta: Fraction) -> Fraction | None:
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
    return solved(terms, Interval.of(lost), delta)


def _lattice_terms(product: list[int], unit: Fraction, top: int) -> Iterator[Term]:
    growth = Interval.of(unit * top).exp().low
    step = Interval.of(-2 * unit).exp().low
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
    ratio = {1: Interval.of(each).exp().low, -1: Interval.of(-each).exp().low}
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
