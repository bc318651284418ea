"""How far statistics of datasets move: each factor is attained by some pair of small datasets, and exceeded by none."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

import pytest

from attack import Target, targets
from dp_lsp.analysis.records import Options
from dp_lsp.builtins.define import Form
from dp_lsp.builtins.meanings import array, is_container, norm_of
from dp_lsp.builtins.patterns import Records
from dp_lsp.core.evaluate import Substitution, norms_of, upper
from dp_lsp.core.types import DatasetMetric, Norm
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.spaces import records_apart
from test_rows import unused

ENGINE = Engine()
STEPS = 3  # how many records of a person are tried
MOST = 5  # records of a dataset whose size is private
VALUES = tuple(map(Fraction, (-1, 0, 2)))
ROWS = tuple(tuple(map(Fraction, row)) for row in ((2, 0), (-2, 0), (0, 2), (0, 0)))
SQUARE = math.sqrt(2)
SYMMETRIC, INSERT, CHANGE, HAMMING = (
    DatasetMetric.SYMMETRIC,
    DatasetMetric.INSERT_DELETE,
    DatasetMetric.CHANGE_ONE,
    DatasetMetric.HAMMING,
)
BOUNDED = "Bounded(Real, -1, 2)"


class Cell(NamedTuple):
    """A statistic of numbers ``v`` or rows ``m`` under a metric, and how far it moves by a step, in L1, L2 and LInf if
    it is a vector. There are at least ``least`` records: exactly so many, where that is public. One that is ``loose``
    moves less than is claimed."""

    metric: DatasetMetric
    written: str
    factors: tuple[float, ...]
    element: str = "Real"
    least: int = 0
    loose: bool = False
    more: str = ""

    @property
    def has_rows(self) -> bool:
        return re.search(r"\bm\b", self.written) is not None

    @property
    def program(self) -> str:
        name, kind = ("m", "Matrix") if self.has_rows else ("v", "Vector")
        more = f", {self.more}" if self.more else ""
        return f"f({name}::Metric{kind}({self.element}, {self.metric.value}{more})) = {self.written}"


def cells() -> Iterator[Cell]:
    for metric in (SYMMETRIC, INSERT):
        yield Cell(metric, "length(v)", (1,))
        yield Cell(metric, "isempty(v)", (1,))
        yield Cell(metric, "count(x -> x > 0, v)", (1,))
        yield Cell(metric, "sum(v)", (2,), BOUNDED)
        yield Cell(metric, "sum(clamp(v, 0, 1))", (1,))
        yield Cell(metric, "sum(map(x -> clamp(2 * x, -1, 3), v))", (3,))
        yield Cell(metric, "sum(x -> clamp(2 * x, -1, 3), v)", (3,), least=1, more="AtLeast(1)")
        yield Cell(metric, "mean(v)", (3 / 2,), BOUNDED, 1, more="AtLeast(1)")
        yield Cell(metric, "mean(v)", (3 / 4,), BOUNDED, 3, more="AtLeast(3)")
        yield Cell(metric, "var(v)", (3,), BOUNDED, 2, more="AtLeast(2)")
        yield Cell(metric, "histogram(v, [-1, 0, 3])", (1, 1, 1))
        yield Cell(metric, "histogram(v, [-1, 1, 0, 3])", (1, 1, 1))
        yield Cell(metric, "cumulative_counts(v, [-1, 0, 2])", (3, math.sqrt(3), 1))
        yield Cell(metric, "quantile_score(v, 0.25, [0, 1])", (3 / 2, 3 / 4 * SQUARE, 3 / 4))
        yield Cell(metric, "length(filter(x -> x > 0, v))", (1,))
        yield Cell(metric, "length(unique(v))", (1,))
        yield Cell(metric, "sum(sort(v))", (2,), BOUNDED)
        yield Cell(metric, "sum(repeat(v, 2))", (4,), BOUNDED)
        yield Cell(metric, "sum(resize(v, 3, 0))", (3,), BOUNDED)
        yield Cell(metric, "mean(resize(v, 3, 0))", (1,), BOUNDED)
        yield Cell(metric, "median(v)", (3 / 2,), BOUNDED, 1, more="AtLeast(1)")
        yield Cell(metric, "partialsort(v, 2)", (3,), BOUNDED, 2, more="AtLeast(2)")
        yield Cell(metric, "squared_deviations(v)", (9,), BOUNDED, loose=True)
        yield Cell(metric, "count_distinct(v)", (1,))
    for metric in (CHANGE, HAMMING):
        yield Cell(metric, "quantile(v, 0.25)", (9 / 4,), BOUNDED, 4, more="Size(4)")
        yield Cell(metric, "maximum(v)", (3,), BOUNDED, 3)
        yield Cell(metric, "minimum(v)", (3,), BOUNDED, 3)
        yield Cell(metric, "var(v; corrected=false)", (27 / 16,), BOUNDED, 4)
        yield Cell(metric, "count_distinct(v)", (1,), least=3)
        yield Cell(metric, "length(v)", (0,), least=4)
        yield Cell(metric, "isempty(v)", (0,), least=4)
        yield Cell(metric, "count(x -> x > 0, v)", (1,), least=4)
        yield Cell(metric, "sum(v)", (3,), BOUNDED, 4)
        yield Cell(metric, "sum(clamp(v, 0, 1))", (1,), least=4)
        yield Cell(metric, "sum(x -> x > 0 ? 2 : clamp(x, -1, 1), v)", (3,), least=4)
        yield Cell(metric, "mean(v)", (3 / 4,), BOUNDED, 4)
        yield Cell(metric, "mean(clip(L2, 2, m); dims=1)", (4 / 3,), least=3)
        yield Cell(metric, "var(v)", (9 / 4,), BOUNDED, 4)
        yield Cell(metric, "histogram(v, [-1, 0, 3])", (2, SQUARE, 1), least=4)
        yield Cell(metric, "histogram(v, [-1, 1, 0, 3])", (2, SQUARE, 1), least=4)
        yield Cell(metric, "cumulative_counts(v, [-1, 0, 1])", (3, math.sqrt(3), 1), least=4)
        yield Cell(metric, "quantile_score(v, 0.25, [0, 1])", (2, SQUARE, 1), least=4)
        yield Cell(metric, "length(filter(x -> x > 0, v))", (1,), least=4)
        yield Cell(metric, "length(unique(v))", (1,), least=4)
        yield Cell(metric, "sum(filter(x -> x != 0, clamp(v, 1, 2)))", (1,), least=4)
        yield Cell(metric, "sum(filter(x -> x < 5, v))", (3,), BOUNDED, 4)
        yield Cell(metric, "sum(map(x -> x - 3, filter(x -> x > 0, v)))", (3,), BOUNDED, 4, loose=True)
        yield Cell(metric, "histogram(filter(x -> x != 0, v), [-1, 0, 3])", (2, SQUARE, 1), least=4)
        yield Cell(metric, "cumulative_counts(filter(x -> x > -1, v), [0, 1])", (2, SQUARE, 1), least=4)
        yield Cell(metric, "sum(resize(filter(x -> x > 0, v), 3, 0))", (3,), BOUNDED, 4, loose=True)
        yield Cell(metric, "quantile_score(filter(x -> x != 0, v), 0.25, [0, 1])", (2, SQUARE, 1), least=4)
        yield Cell(metric, "sum(repeat(v, 2))", (6,), BOUNDED, 3)
        yield Cell(metric, "sum(sort(v))", (3,), BOUNDED, 3)
        yield Cell(metric, "sum(resize(v, 3, 0))", (3,), BOUNDED, 4)
    for metric, least in ((SYMMETRIC, 1), (CHANGE, 3)):
        yield Cell(metric, "sum(map_rows(r -> clamp(r[1] + r[2], 0, 9), m))", (9,), least=least, loose=True)
    for metric, factors in ((SYMMETRIC, (4, 3, 16)), (CHANGE, (16 / 3, 32 / 9, 32 / 3))):
        more, wide = "AtLeast(3)" * (not metric.sized), "Bounded(Real, -2, 2)"
        calls = ("covariance(m, 1, 2)", "covariance(m, 1, 2; corrected=false)", "cross_deviations(m, 1, 2)")
        for call, factor in zip(calls, factors, strict=True):
            yield Cell(metric, call, (factor,), wide, 3, loose=True, more=more)
    for metric, factor in ((SYMMETRIC, 2), (INSERT, 2), (CHANGE, 4), (HAMMING, 4)):
        yield Cell(metric, "sum(clip(L2, 2, m); dims=1)", (factor,), least=3 if metric.sized else 0)
        yield Cell(metric, "sum(clip(L1, 2, m))", (factor,), least=3 if metric.sized else 0)
    for metric, far in ((SYMMETRIC, 2), (CHANGE, 4)):
        least, wide = 3 if metric.sized else 0, "Bounded(Real, -2, 2)"
        yield Cell(metric, "sum(m[:, 1:2]; dims=1)", (2 * far, far * SQUARE, far), wide, least, loose=True)
        written = "sum(map_rows(r -> [clamp(r[1], 0, 2), clamp(r[1], -2, 0)], m); dims=1)"
        yield Cell(metric, written, (far, 2 * (SQUARE if metric.sized else 1), 2), least=least)
    for metric, factor in ((SYMMETRIC, 1), (CHANGE, 0)):
        yield Cell(metric, "size(m, 1)", (factor,), least=3 if metric.sized else 0)
    for metric, factor in ((SYMMETRIC, 1), (INSERT, 1), (CHANGE, 2), (HAMMING, 2)):
        least = 3 if metric.sized else 0
        yield Cell(metric, "count_rows(r -> r[1] > r[2], m)", (1,), least=least)
        yield Cell(metric, "count_distinct(m)", (1,), least=least)
        yield Cell(metric, "sum(clamp(m[:, 2], 0, 2))", (2,), least=least)
        yield Cell(metric, "sum(clamp(m[:, 2:end][:, 1], 0, 2))", (2,), least=least)
        yield Cell(metric, "sum(clip(LInf, 1, m)[:, 1])", (factor,), least=least)
        yield Cell(metric, "size(filter_rows(r -> r[1] > r[2], m), 1)", (1,), least=least)
        yield Cell(metric, "sum(map_rows(r -> clamp(r[1], 0, 2), repeat(m, 3)))", (6,), least=least)
        yield Cell(metric, "sum([clamp(r[1], 0, 2) for r in eachrow(m)])", (2,), least=least)
        yield Cell(metric, "sum(clamp(copy(m)[:, 1], 0, 2))", (2,), least=least)
        yield Cell(metric, "sum(clamp(collect(m)[:, 1], 0, 2))", (2,), least=least)
        if not metric.ordered or not metric.sized:
            rounds = "for r in eachrow(m)\n        t += clamp(r[1], 0, 2)\n    end"
            yield Cell(metric, f"begin\n    t = 0.0\n    {rounds}\n    t\nend", (2,), least=least)
    for over, condition in (("v", "x > 0"), ("eachrow(m)", "x[1] > x[2]")):
        rounds = f"for x in {over}\n        i = {condition} ? 1 : 2\n        t[i] += 3\n    end"
        by_a_loop = f"begin\n    t = zeros(2)\n    {rounds}\n    t\nend"
        for metric, factor in ((SYMMETRIC, 3), (INSERT, 3), (CHANGE, 6)):
            yield Cell(metric, by_a_loop, (factor,) * 3, least=3 if metric.sized else 0, loose=metric.sized)
    yield from of_broadcasts()
    yield from of_positions()


def of_broadcasts() -> Iterator[Cell]:
    """Functions of entries, and what masks pick."""
    for metric, least in ((SYMMETRIC, 0), (INSERT, 0), (CHANGE, 3), (HAMMING, 3)):
        far = 3 if metric.sized else 2
        yield Cell(metric, "count(v .> 0)", (1,), least=least)
        yield Cell(metric, "sum(0 .<= v .< 2)", (1,), least=least)
        yield Cell(metric, "count((v .> 0) .| (v .< 0))", (1,), least=least)
        yield Cell(metric, "sum(2 .* clamp.(v, 0, 1))", (2,), least=least)
        yield Cell(metric, "sum(v .* 2 .- v)", (far,), BOUNDED, least)
        yield Cell(metric, "length(v[v .> 0])", (1,), least=least)
        yield Cell(metric, "sum(v[v .!= 0])", (far,), BOUNDED, least)
        yield Cell(metric, "histogram(v[v .!= 0], [-1, 0, 3])", (2, SQUARE, 1) if least else (1, 1, 1), least=least)
        yield Cell(metric, "sum(clamp.(m, 0, 1)[:, 1])", (1,), least=least)
        yield Cell(metric, "size(m[m[:, 1] .> m[:, 2], :], 1)", (1,), least=least)
        yield Cell(metric, "sum(clamp.(m[m[:, 1] .== 0, 2], 0, 2))", (2,), least=least)
        yield Cell(metric, "sum(clamp.(m[m[:, 1] .== 0, :][:, 2], 0, 2))", (2,), least=least)


def of_positions() -> Iterator[Cell]:
    """What stands at one position of a sequence."""
    for metric, more, least in ((HAMMING, "", 3), (INSERT, "AtLeast(2)", 2)):
        yield Cell(metric, "v[1]", (3,), BOUNDED, least, more=more)
        yield Cell(metric, "v[2]", (3,), BOUNDED, least, more=more)
        yield Cell(metric, "clamp(v[2], -1, 1)", (2,), least=least, more=more)
        yield Cell(metric, "v[1] - v[2]", (6,), BOUNDED, least, loose=True, more=more)
    for metric, more, least in ((HAMMING, "", 2), (INSERT, "AtLeast(1)", 1)):
        short = f"RowNorm(L2, 2), {more}".removesuffix(", ")
        yield Cell(metric, "m[1, 1]", (4,), least=least, more=short)
        yield Cell(metric, "m[1, :]", (4,), least=least, more=short)
    yield Cell(HAMMING, "sum(v[2:3])", (3,), BOUNDED, 4)
    yield Cell(HAMMING, "count(x -> x > 0, v[1:2])", (1,), least=3)
    yield Cell(HAMMING, "v[end]", (3,), BOUNDED, 3)
    yield Cell(HAMMING, "m[1:2, :][2, 1]", (4,), least=2, more="RowNorm(L2, 2)")
    yield Cell(HAMMING, "m[1, :]", (8, 4 * SQUARE, 4), "Bounded(Real, -2, 2)", 2, loose=True)


CELLS = tuple(cells())


@cache
def datasets(metric: DatasetMetric, has_rows: bool, least: int) -> list[Any]:
    """All small ones, of a bag in one order."""
    points: tuple[Any, ...] = ROWS if has_rows else VALUES
    sizes = [least] if metric.sized else range(least, MOST - (2 if has_rows else 0))
    ways = (
        (product(points, repeat=size) if metric.ordered else combinations_with_replacement(points, size))
        for size in sizes
    )
    shape = len(ROWS[0]) if has_rows else None
    return [_dataset(records, shape) for way in ways for records in way]


@cache
def close(metric: DatasetMetric, has_rows: bool, least: int) -> list[tuple[int, int, int]]:
    """The places in :func:`datasets` of two that are a few steps apart, and how many. It takes longest, and is the same
    for all statistics of one kind of datasets; both ways it is as far, and what is between results, too."""
    found = []
    for (i, x), (j, y) in combinations(enumerate(datasets(metric, has_rows, least)), 2):
        steps = records_apart(metric, x, y)
        assert steps is not None
        if 0 < steps <= STEPS:
            found.append((i, j, int(steps)))
    return found


def _dataset(records: tuple[Any, ...], width: int | None) -> Any:
    if width is None:
        return array(records)
    return array((entry for row in records for entry in row), (len(records), width))


@cache
def target_of(program: str) -> Target:
    (target,) = targets(program, engine=ENGINE)
    return target


def claimed(cell: Cell) -> tuple[Fraction | None, ...]:
    """What is claimed for a step, in each norm where the result is measured in one that is open."""
    scheme = target_of(cell.program).scheme
    move = scheme.result.moves.get(scheme.params[0].var)
    if move is None:
        return (Fraction(0),)
    numbers = {symbol: Fraction(cell.least) for symbol in scheme.owned.symbols}
    norms = norms_of(move.sens)
    if not norms:
        return (upper(move.sens, numbers),) * len(cell.factors)
    return tuple(upper(Substitution({}, dict.fromkeys(norms, norm)).sens(move.sens), numbers) for norm in Norm)


def moved(x: Any, y: Any, norm: Norm) -> float:
    if is_container(x):
        return float(norm_of((a - b for a, b in zip(x.flat, y.flat, strict=True)), norm))
    return float(abs(x - y))


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.metric.value}: {cell.written} {cell.more}".strip())
def test_a_factor_is_attained_and_never_exceeded(cell: Cell) -> None:
    target = target_of(cell.program)
    tried = datasets(cell.metric, cell.has_rows, cell.least)
    found = [target.interpreter.run(target.method, (each,)) for each in tried]
    norms = tuple(Norm) if len(cell.factors) > 1 else (Norm.L2,)
    largest = dict.fromkeys(norms, 0.0)
    for i, j, steps in close(cell.metric, cell.has_rows, cell.least):
        for norm, factor in zip(norms, cell.factors, strict=True):
            far = moved(found[i], found[j], norm)
            assert far <= factor * steps + 1e-9, (
                f"{tried[i]} and {tried[j]} are {steps} apart, and the results {far} in {norm.value}"
            )
            if steps == 1:
                largest[norm] = max(largest[norm], far)
    for norm, factor, claim in zip(norms, cell.factors, claimed(cell), strict=True):
        assert claim is not None and float(claim) == pytest.approx(factor)
        if not cell.loose:
            assert largest[norm] == pytest.approx(factor)


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.metric.value}: {cell.written} {cell.more}".strip())
def test_the_search_does_not_refute_it(cell: Cell) -> None:
    found = target_of(cell.program).attacked(random.Random(1), 3, 12)
    assert found is not None and found.refutation is None, found.refutation


def test_every_form_of_datasets_is_tried() -> None:
    def is_of_datasets(form: Form) -> bool:
        return (
            form.runs is None
            and form.noise is None
            and any(isinstance(param.pattern, Records) for param in form.params)
        )

    checks = [(cell.program, Options()) for cell in CELLS]
    # Two numbers at once: fixtures/spec/datasets.md.
    assert unused(checks, lambda row: row.forms, is_of_datasets) == ["size(m)", "size(m)"]
