"""Neighbours that are written down, of samples of a few rows: all samples there are, wherever the other records lie,
with the noise integrated in one dimension and in two; in either order, and in an order that changes from step to step.
It shares nothing with what judges samples but the names of charges."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product

import numpy

from dp_lsp.accounting import pld
from dp_lsp.accounting.charge import Charge, ChargedRepeat, Relation, Sampling
from dp_lsp.mechanisms.mechanism import Curve
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from golden import drawn, poisson

Place = tuple[float, ...]
Sums = Counter[Place]
"""How likely each sum of the records in a sample is."""

LOSSES = [0.0, 1e-3, 0.02, 0.1, 0.3, 0.7, 1.5, 3.0, 6.0]
NUMERIC = 2e-9  # of an integral


def sums(scheme: Sampling, rate: Fraction, draws: int, records: list[Place]) -> Sums:
    """By all samples there are."""
    found: Sums = Counter()
    for sample, chance in samples(scheme, rate, draws, len(records)):
        total = tuple(sum(records[i][axis] for i in sample) for axis in range(len(records[0])))
        found[tuple(round(each, 12) for each in total)] += chance
    return found


def samples(scheme: Sampling, rate: Fraction, draws: int, rows: int) -> Iterator[tuple[tuple[int, ...], float]]:
    if scheme is Sampling.POISSON:
        for size in range(rows + 1):
            for sample in combinations(range(rows), size):
                yield sample, float(rate) ** size * float(1 - rate) ** (rows - size)
    elif scheme is Sampling.WITHOUT_REPLACEMENT:
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


def step(scheme: Sampling, rate: Fraction, draws: int, rows: int, scale: Fraction, laplace: bool) -> Charge:
    """Records of norm 1 at most: one that is there or not moves a sum by 1, one in place of another by 2."""
    if scheme is Sampling.POISSON:
        return poisson(rate, LaplaceLoss(1 / scale) if laplace else GaussianLoss(1 / scale), Relation.CHANGE_ONE)
    return drawn(draws, rows, LaplaceLoss(2 / scale) if laplace else GaussianLoss(2 / scale), scheme)


def at_the_ends(seed: int) -> tuple[Charge, numpy.ndarray, numpy.ndarray]:
    """A sample of some rows, all at one end, of which one is put at the other end."""
    choose = random.Random(seed)
    scheme, laplace, rows = list(Sampling)[seed % 3], choose.random() < 0.6, choose.randint(2, 10)
    draws, rate = choose.randint(1, min(rows, 3)), Fraction(choose.choice(("1/100", "1/10", "1/2")))
    scale = Fraction(choose.choice(("1/2", "1", "2", "5")))
    first, second = (sums(scheme, rate, draws, [(end,), *[(-1.0,)] * (rows - 1)]) for end in (1.0, -1.0))
    return step(scheme, rate, draws, rows, scale, laplace), *densities(first, second, float(scale), laplace)


def trial(seed: int, dimensions: int) -> tuple[Charge, numpy.ndarray, numpy.ndarray]:
    """What a sample of a few rows costs of which one record is replaced, and what is released of two neighbours."""
    choose = random.Random(seed)
    scheme, laplace = list(Sampling)[seed % 3], dimensions == 1 and choose.random() < 0.4
    rows = choose.randint(2, 4)
    draws = choose.randint(1, rows if scheme is Sampling.WITHOUT_REPLACEMENT else 4)
    rate = Fraction(choose.choice(("1/100", "1/10", "1/2", "9/10")))
    scale = Fraction(choose.choice(("1/2", "1", "2", "5")))
    first, second = (sums(scheme, rate, draws, each) for each in neighbours(choose, dimensions, rows))
    return step(scheme, rate, draws, rows, scale, laplace), *densities(first, second, float(scale), laplace)


Cells = tuple[numpy.ndarray, numpy.ndarray]
"""How likely what is released of two neighbours lies in each of some cells."""


def added(seed: int) -> tuple[Charge, numpy.ndarray, numpy.ndarray]:
    """The same of a Poisson sample of which one neighbour has a record more."""
    choose = random.Random(seed)
    (more, _), laplace = neighbours(choose, 1, choose.randint(2, 4)), choose.random() < 0.4
    rate = Fraction(choose.choice(("1/100", "1/10", "1/2", "9/10")))
    scale = Fraction(choose.choice(("1/2", "1", "2", "5")))
    first, second = (sums(Sampling.POISSON, rate, 0, each) for each in (more, more[1:]))
    loss = LaplaceLoss(1 / scale) if laplace else GaussianLoss(1 / scale)
    return poisson(rate, loss), *densities(first, second, float(scale), laplace)


def in_few_cells(p: numpy.ndarray, q: numpy.ndarray, count: int = 400) -> Cells:
    """By how likely the one is against the other: that tells no more."""
    there = numpy.argsort(numpy.log(p + 1e-300) - numpy.log(q + 1e-300), kind="stable")
    one, two = (numpy.array([part.sum() for part in numpy.array_split(each[there], count)]) for each in (p, q))
    return one, two


def in_two_steps(cells: Cells) -> Iterator[Cells]:
    """Two steps of one program, with the records in the same order in both, and upside down in the second: as a program
    may write that looks at what it released."""
    for second in (cells, cells[::-1]):
        one, two = (numpy.outer(a, b).ravel() for a, b in zip(cells, second, strict=True))
        yield one, two


def delta(p: numpy.ndarray, q: numpy.ndarray, epsilon: float) -> float:
    """The larger δ of both orders at an ε."""
    return max(float(numpy.maximum(a - numpy.exp(epsilon) * b, 0).sum()) for a, b in ((p, q), (q, p)))


def refutation(seed: int) -> str:
    """What neighbours of a seed attain that is not claimed: of one replaced record, of a record more, or in two steps;
    empty if there is nothing."""
    kind, choice = divmod(seed, 5)
    if choice == 4:
        return _in_two_steps(*at_the_ends(kind))
    charge, p, q = added(kind) if choice == 3 else trial(3 * kind + choice, 1)
    claimed = curve(charge)
    for loss in LOSSES:
        there, back = (float(numpy.maximum(a - numpy.exp(loss) * b, 0).sum()) for a, b in ((p, q), (q, p)))
        of = (claimed.at, claimed.back) if choice == 3 else (claimed.at, claimed.at)
        for true, said in zip((there, back), of, strict=True):
            if true > (known := float(said(Decimal(loss).exp()))) + NUMERIC:
                return f"δ is {true:.6g} at ε {loss}; claimed was {known:.6g}"
    return ""


def _in_two_steps(charge: Charge, p: numpy.ndarray, q: numpy.ndarray) -> str:
    for both in in_two_steps(in_few_cells(p, q, 1000)):
        for loss in (0.1, 0.2, 0.3, 0.7):
            attained = delta(*both, loss)
            aim = Fraction(attained) * Fraction(999, 1000)
            found = pld.measured(ChargedRepeat(2, charge), aim) if attained > NUMERIC * 1000 else None
            if found is not None and found.epsilon < loss:
                return f"δ is {attained:.6g} at ε {loss} in two steps; claimed was ε {float(found.epsilon):.6g}"
    return ""
