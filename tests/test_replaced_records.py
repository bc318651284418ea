"""Distributions of samples of which one record stands in place of another, against neighbours that are written down
(:mod:`neighbouring_samples`)."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy
import pytest

from dp_lsp.accounting import pld
from dp_lsp.accounting.charge import Charge, ChargedRepeat, ChargedSequence, Relation, Sampling
from dp_lsp.accounting.composing import chances
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate, BoundedRange
from golden import drawn, poisson
from neighbouring_samples import (
    LOSSES,
    NUMERIC,
    Sums,
    curve,
    delta,
    deltas,
    densities,
    in_few_cells,
    in_two_steps,
    step,
    sums,
    trial,
)


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
    one, other = (sums(Sampling.POISSON, share, 0, [(end,)]) for end in (1.0, -1.0))
    claimed = curve(step(Sampling.POISSON, share, 0, 1, scale, laplace))
    for loss, true in zip(LOSSES, deltas(*densities(one, other, float(scale), laplace)), strict=True):
        assert true == pytest.approx(float(claimed.at(Decimal(loss).exp())), abs=1e-7)


@pytest.mark.parametrize(("draws", "least"), [(1, 0.0), (2, 0.7), (4, 3.0)])
def test_some_neighbours_are_as_far_apart_where_others_lie_at_an_end(draws: int, least: float) -> None:
    """Of a sample with replacement: each large loss is attained in one order, small ones nearly."""
    scale, others = Fraction(2), [(-1.0,)] * 3
    one, other = (sums(Sampling.WITH_REPLACEMENT, Fraction(0), draws, [(end,), *others]) for end in (1.0, -1.0))
    claimed = curve(step(Sampling.WITH_REPLACEMENT, Fraction(0), draws, 4, scale, False))
    for loss, true in zip(LOSSES, deltas(*densities(one, other, float(scale), False)), strict=True):
        exact = {"abs": 1e-8} if loss >= least else {"rel": 0.05}
        assert true == pytest.approx(float(claimed.at(Decimal(loss).exp())), **exact)


@pytest.mark.parametrize("seed", range(12))
def test_no_neighbours_are_further_apart_in_several_steps(seed: int) -> None:
    """Two steps of one program, the records of which are told upside down in the second: as one may that looked at what
    it released. What comes out of one step is put into some hundred cells, which tells no more."""
    charge, p, q = trial(seed, 1)
    for aim in (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**6)):
        found = pld.measured(ChargedRepeat(2, charge), aim)
        assert found is not None
        for both in in_two_steps(in_few_cells(p, q)):
            assert delta(*both, float(found.epsilon)) <= float(aim) * (1 + 1e-6) + NUMERIC, (aim, charge)


def test_the_order_may_change_between_steps() -> None:
    """Laplace noise as large as the shift, on 1 of 10 rows, twice: at ε = .1 neighbours whose order is the same in both
    steps have a δ of .0176 or .0098, those whose order changes .0197."""
    q, shift = 0.1, 1.0
    one: Sums = Counter({(0.0,): 1 - q, (shift,): q})
    p, n = densities(one, Counter({(0.0,): 1.0}), 1.0, True)
    order = numpy.argsort(numpy.log(p) - numpy.log(n), kind="stable")
    p, n = ([part.sum() for part in numpy.array_split(each[order], 2000)] for each in (p, n))

    def told(first: list[numpy.ndarray], second: list[numpy.ndarray]) -> float:
        a, b = (numpy.outer(each, other).ravel() for each, other in zip(first, second, strict=True))
        return float(numpy.maximum(a - numpy.exp(0.1) * b, 0).sum())

    assert told([p, n], [p, n]) == pytest.approx(0.0176, abs=1e-4)
    assert told([n, p], [n, p]) == pytest.approx(0.0098, abs=1e-4)
    mixed = told([p, n], [n, p])
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
@pytest.mark.parametrize("scheme", Sampling)
def test_curves_are_those_of_a_pair(scheme: Sampling, body: Charge) -> None:
    """Convex in e^ε, across ε = 0 too, where the other order begins; decreasing; and at least what fails."""
    of = poisson("1/5", body, Relation.CHANGE_ONE) if scheme is Sampling.POISSON else drawn(3, 7, body, scheme)
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
