"""Distributions of samples of which one record stands in place of another, against neighbours that are written down:
all samples of a few rows, wherever the other records lie, with the noise integrated in one dimension and in two; in
either order, and in an order that changes from step to step."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy
import pytest

from dp_lsp.accounting import pld
from dp_lsp.accounting.charge import Charge, ChargedRepeat, ChargedSequence, Relation, Scheme
from dp_lsp.accounting.samples import chances
from dp_lsp.mechanisms.mechanism import Curve
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate, BoundedRange
from golden import drawn, poisson

Place = tuple[float, ...]
Sums = Counter[Place]
"""How likely each sum of the records in a sample is."""

LOSSES = [0.0, 1e-3, 0.02, 0.1, 0.3, 0.7, 1.5, 3.0, 6.0]
NUMERIC = 2e-9  # of an integral


def sums(scheme: Scheme, rate: Fraction, draws: int, records: list[Place]) -> Sums:
    """By all samples there are."""
    found: Sums = Counter()
    for sample, chance in samples(scheme, rate, draws, len(records)):
        total = tuple(sum(records[i][axis] for i in sample) for axis in range(len(records[0])))
        found[tuple(round(each, 12) for each in total)] += chance
    return found


def samples(scheme: Scheme, rate: Fraction, draws: int, rows: int) -> Iterator[tuple[tuple[int, ...], float]]:
    if scheme is Scheme.POISSON:
        for size in range(rows + 1):
            for sample in combinations(range(rows), size):
                yield sample, float(rate) ** size * float(1 - rate) ** (rows - size)
    elif scheme is Scheme.WITHOUT_REPLACEMENT:
        listed = list(combinations(range(rows), draws))
        yield from ((sample, 1 / len(listed)) for sample in listed)
    else:
        yield from ((sample, rows**-draws) for sample in product(range(rows), repeat=draws))


def densities(first: Sums, second: Sums, scale: float, laplace: bool) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Of noisy sums, at the middles of equal cells, times the size of a cell."""
    places = list(first) + list(second)
    count, reach = (400_001, 40.0) if len(places[0]) == 1 else (401, 9.0)
    axes = []
    for axis in range(len(places[0])):
        low, high = min(each[axis] for each in places), max(each[axis] for each in places)
        axes.append(numpy.linspace(low - reach * scale, high + reach * scale, count))
    size = numpy.prod([axis[1] - axis[0] for axis in axes])

    def density(of: Sums) -> numpy.ndarray:
        total = 0.0
        for place, chance in of.items():
            one = chance * size
            for axis, at in zip(numpy.meshgrid(*axes, indexing="ij"), place, strict=True):
                if laplace:
                    one = one * numpy.exp(-abs(axis - at) / scale) / (2 * scale)
                else:
                    one = one * numpy.exp(-(((axis - at) / scale) ** 2) / 2) / (scale * (2 * numpy.pi) ** 0.5)
            total = total + one
        return numpy.asarray(total)

    return density(first), density(second)


def deltas(p: numpy.ndarray, q: numpy.ndarray) -> list[float]:
    """The larger δ of both orders, at each of the losses."""
    return [max(float(numpy.maximum(a - numpy.exp(loss) * b, 0).sum()) for a, b in ((p, q), (q, p))) for loss in LOSSES]


def curve(charge: Charge) -> Curve:
    (found,) = pld.losses(charge) or {}
    return found


def neighbours(choose: random.Random, dimensions: int, rows: int) -> tuple[list[Place], list[Place]]:
    """Records of norm 1 at most, the ends and the middle more often than others."""

    def record() -> Place:
        if dimensions == 1:
            return (choose.choice((-1.0, -1.0, 1.0, 1.0, 0.0, -0.5, choose.uniform(-1, 1))),)
        far, turn = choose.choice((1.0, 1.0, 0.0, choose.random())), choose.uniform(0, 6.3)
        return far * numpy.cos(turn), far * numpy.sin(turn)

    others = [record()] * (rows - 1) if choose.random() < 0.5 else [record() for _ in range(rows - 1)]
    return [record(), *others], [record(), *others]


def step(scheme: Scheme, rate: Fraction, draws: int, rows: int, scale: Fraction, laplace: bool) -> Charge:
    """Records of norm 1 at most: one that is there or not moves a sum by 1, one in place of another by 2."""
    if scheme is Scheme.POISSON:
        return poisson(rate, LaplaceLoss(1 / scale) if laplace else GaussianLoss(1 / scale), Relation.CHANGE_ONE)
    return drawn(draws, rows, LaplaceLoss(2 / scale) if laplace else GaussianLoss(2 / scale), scheme)


def trial(seed: int, dimensions: int) -> tuple[Charge, numpy.ndarray, numpy.ndarray]:
    choose = random.Random(seed)
    scheme, laplace = list(Scheme)[seed % 3], dimensions == 1 and choose.random() < 0.4
    rows = choose.randint(2, 4)
    draws = choose.randint(1, rows if scheme is Scheme.WITHOUT_REPLACEMENT else 4)
    rate = Fraction(choose.choice(("1/100", "1/10", "1/2", "9/10")))
    scale = Fraction(choose.choice(("1/2", "1", "2", "5")))
    first, second = (sums(scheme, rate, draws, each) for each in neighbours(choose, dimensions, rows))
    return step(scheme, rate, draws, rows, scale, laplace), *densities(first, second, float(scale), laplace)


@pytest.mark.parametrize("seed", range(30))
def test_no_neighbours_are_further_apart(seed: int) -> None:
    charge, p, q = trial(seed, 1)
    claimed = curve(charge)
    for loss, true in zip(LOSSES, deltas(p, q), strict=True):
        assert true <= float(claimed.at(Decimal(loss).exp())) + NUMERIC, (loss, charge)


@pytest.mark.parametrize("seed", range(18))
def test_no_neighbours_of_two_columns_are_further_apart(seed: int) -> None:
    charge, p, q = trial(seed, 2)
    claimed = curve(charge)
    for loss, true in zip(LOSSES, deltas(p, q), strict=True):
        assert true <= float(claimed.at(Decimal(loss).exp())) + 1e-5, (loss, charge)


@pytest.mark.parametrize("laplace", [False, True])
@pytest.mark.parametrize("rate", ["1/100", "1/2", "1"])
def test_some_neighbours_are_as_far_apart(rate: str, laplace: bool) -> None:
    """Of a Poisson sample, where one record is at one end and the other at the other."""
    share, scale = Fraction(rate), Fraction(3, 2)
    one, other = (sums(Scheme.POISSON, share, 0, [(end,)]) for end in (1.0, -1.0))
    claimed = curve(step(Scheme.POISSON, share, 0, 1, scale, laplace))
    for loss, true in zip(LOSSES, deltas(*densities(one, other, float(scale), laplace)), strict=True):
        assert true == pytest.approx(float(claimed.at(Decimal(loss).exp())), abs=1e-7)


@pytest.mark.parametrize(("draws", "least"), [(1, 0.0), (2, 0.7), (4, 3.0)])
def test_some_neighbours_are_as_far_apart_where_others_lie_at_an_end(draws: int, least: float) -> None:
    """Of a sample with replacement: each large loss is attained in one order, small ones nearly."""
    scale, others = Fraction(2), [(-1.0,)] * 3
    one, other = (sums(Scheme.WITH_REPLACEMENT, Fraction(0), draws, [(end,), *others]) for end in (1.0, -1.0))
    claimed = curve(step(Scheme.WITH_REPLACEMENT, Fraction(0), draws, 4, scale, False))
    for loss, true in zip(LOSSES, deltas(*densities(one, other, float(scale), False)), strict=True):
        exact = {"abs": 1e-8} if loss >= least else {"rel": 0.05}
        assert true == pytest.approx(float(claimed.at(Decimal(loss).exp())), **exact)


@pytest.mark.parametrize("seed", range(12))
def test_no_neighbours_are_further_apart_in_several_steps(seed: int) -> None:
    """Two steps of one program, the records of which are told upside down in the second: as one may that looked at what
    it released. What comes out of one step is put into some hundred cells, which tells no more."""
    charge, p, q = trial(seed, 1)
    there = numpy.argsort(numpy.log(p + 1e-300) - numpy.log(q + 1e-300), kind="stable")
    p, q = ([part.sum() for part in numpy.array_split(each[there], 400)] for each in (p, q))
    for second in ((p, q), (q, p)):
        both = [numpy.outer(one, two).ravel() for one, two in zip((p, q), second, strict=True)]
        for delta in (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**6)):
            found = pld.measured(ChargedRepeat(2, charge), delta)
            assert found is not None
            grown = numpy.exp(float(found.epsilon))
            for a, b in (both, both[::-1]):
                assert numpy.maximum(a - grown * b, 0).sum() <= float(delta) * (1 + 1e-6) + NUMERIC, (delta, charge)


def test_the_order_may_change_between_steps() -> None:
    """Laplace noise as large as the shift, on 1 of 10 rows, twice: at ε = .1 neighbours whose order is the same in both
    steps have a δ of .0176 or .0098, those whose order changes .0197."""
    q, shift = 0.1, 1.0
    one: Sums = Counter({(0.0,): 1 - q, (shift,): q})
    p, n = densities(one, Counter({(0.0,): 1.0}), 1.0, True)
    order = numpy.argsort(numpy.log(p) - numpy.log(n), kind="stable")
    p, n = ([part.sum() for part in numpy.array_split(each[order], 2000)] for each in (p, n))

    def delta(first: list[numpy.ndarray], second: list[numpy.ndarray]) -> float:
        a, b = (numpy.outer(each, other).ravel() for each, other in zip(first, second, strict=True))
        return float(numpy.maximum(a - numpy.exp(0.1) * b, 0).sum())

    assert delta([p, n], [p, n]) == pytest.approx(0.0176, abs=1e-4)
    assert delta([n, p], [n, p]) == pytest.approx(0.0098, abs=1e-4)
    mixed = delta([p, n], [n, p])
    assert mixed == pytest.approx(0.0197, abs=1e-4)
    found = pld.measured(
        ChargedRepeat(2, drawn(1, 10, LaplaceLoss(Fraction(1)))), Fraction(mixed) * Fraction(999, 1000)
    )
    assert found is not None and found.epsilon > Fraction(1, 10)


BODIES = [
    GaussianLoss(Fraction(3, 2)),
    LaplaceLoss(Fraction(2)),
    BoundedRange(Fraction(1)),
    Approximate(Fraction(1), Fraction(1, 100)),
    ChargedSequence((GaussianLoss(Fraction(1)), GaussianLoss(Fraction(2)))),
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("scheme", Scheme)
def test_curves_are_those_of_a_pair(scheme: Scheme, body: Charge) -> None:
    """Convex in e^ε, across ε = 0 too, where the other order begins; decreasing; and at least what fails."""
    of = poisson("1/5", body, Relation.CHANGE_ONE) if scheme is Scheme.POISSON else drawn(3, 7, body, scheme)
    found = curve(of)
    grown = [1 + Decimal(i) / 40 for i in range(200)]
    after = [found.at(each) for each in grown]
    before = [1 - 1 / each + value / each for each, value in zip(grown, after, strict=True)]
    points = [*zip((1 / each for each in reversed(grown[1:])), reversed(before[1:]), strict=True)]
    points += zip(grown, after, strict=True)
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(points)]
    assert all(one <= other + Decimal("1e-20") for one, other in pairwise(slopes))
    assert all(-1 <= slope <= 0 for slope in slopes) and found.at(Decimal(10) ** 40) >= found.failure - Decimal("1e-20")


@pytest.mark.parametrize(("draws", "rows"), [(1, 2), (3, 7), (10, 1000), (500, 20), (5000, 10)])
def test_how_often_a_record_is_drawn(draws: int, rows: int) -> None:
    listed, often = chances(draws, rows)
    assert abs(sum(listed) + often - 1) < Decimal("1e-20")
    exact = [Fraction((rows - 1) ** draws, rows**draws)]
    for times in range(len(listed) - 1):
        exact.append(exact[-1] * (draws - times) / ((times + 1) * (rows - 1)))
    assert all(abs(Fraction(found) - true) < Fraction(1, 10**45) for found, true in zip(listed, exact, strict=True))
