"""What is run on each part of a dataset: no two datasets are told apart better than is claimed, and some as well."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import pytest

from attack.private import PrivateTarget, private_targets
from attack.runs import PROGRAMS
from dp_lsp.accounting import walk
from dp_lsp.accounting.approximate import squared_mu
from dp_lsp.accounting.charge import Relation
from dp_lsp.accounting.resolve import resolve
from dp_lsp.accounting.symbolic import SymbolicBasic
from dp_lsp.builtins.meanings import Value, array
from dp_lsp.builtins.randomness import Distribution, DrawnNoise, DrawnWay
from dp_lsp.core import sens
from dp_lsp.core.constraints import Origin
from dp_lsp.core.evaluate import Substitution, upper
from dp_lsp.core.events import Either, Parallel, Release, Var, adds_up
from dp_lsp.core.sens import ONE
from dp_lsp.core.types import DatasetMetric
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.privacy import PrivacyClaim
from dp_lsp.meaning.spaces import records_apart
from dp_lsp.mechanisms.noise import Laplace
from dp_lsp.text import Span

ENGINE = Engine()
VALUES = tuple(map(Fraction, (0, 1, 4)))
SYMMETRIC, INSERT, CHANGE, HAMMING = (
    DatasetMetric.SYMMETRIC,
    DatasetMetric.INSERT_DELETE,
    DatasetMetric.CHANGE_ONE,
    DatasetMetric.HAMMING,
)
NOWHERE = Origin(Span(0, 0), "")
PURE, NORMAL = "laplacian_mechanism(1, 1, {})", "gaussian_noise(1, 1, {})"


class Case(NamedTuple):
    """What is released of each part, and how far two neighbours are apart at most: in ε, or in μ. One that is
    ``loose`` claims more."""

    metric: DatasetMetric
    released: str
    apart: float
    more: str = ""
    key: str = "x -> x"
    loose: bool = False

    @property
    def program(self) -> str:
        more = f", {self.more}" if self.more else ""
        return (
            f"function f(v::MetricVector(Real, {self.metric.value}{more})) :: Priv()\n"
            f"    one(part::MetricVector(Real, Symmetric)) :: Priv() = {self.released}\n"
            f"    map_parts(one, v, {self.key}, [0, 1, 1, 2])\n"
            "end"
        )

    @property
    def steps(self) -> int:
        return int(self.more.removeprefix("Contributes(").removesuffix(")") or 1)


def cases() -> Iterator[Case]:
    number, total, signed = "length(part)", "sum(clamp(part, 0, 1))", "sum(map(x -> clamp(2 * x - 1, -1, 1), part))"
    for metric in (SYMMETRIC, INSERT):
        yield Case(metric, PURE.format(number), 1)
        yield Case(metric, PURE.format(total), 1)
        yield Case(metric, NORMAL.format(number), 1)
        yield Case(metric, PURE.format(number), 1, key="x -> min(x, 2)")
        yield Case(metric, PURE.format(number), 2, "Contributes(2)")
        yield Case(metric, NORMAL.format(number), 3, "Contributes(3)")
    for metric in (CHANGE, HAMMING):
        yield Case(metric, PURE.format(number), 2)
        yield Case(metric, PURE.format(total), 1, loose=True)
        yield Case(metric, NORMAL.format(number), math.sqrt(2), loose=True)
        yield Case(metric, NORMAL.format(signed), 2, key="x -> 1")
        yield Case(metric, PURE.format(signed), 4, "Contributes(2)", "x -> 1")


CASES = tuple(cases())


class Recorded:
    """A chance that adds no noise, and remembers what was hidden."""

    def __init__(self) -> None:
        self.hidden: list[DrawnNoise] = []

    def released(self, distribution: Distribution) -> Value:
        assert isinstance(distribution, DrawnNoise)
        self.hidden.append(distribution)
        return distribution.centre

    def drawn(self, ways: Sequence[DrawnWay]) -> Sequence[int]:
        raise AssertionError("nothing is drawn")


@cache
def target_of(program: str) -> PrivateTarget:
    (target,) = private_targets(program, "sound", ENGINE)
    return target


def datasets(case: Case) -> list[Any]:
    sizes = (4,) if case.metric.sized else range(5)
    ways = (
        product(VALUES, repeat=size) if case.metric.ordered else combinations_with_replacement(VALUES, size)
        for size in sizes
    )
    return [array(records) for way in ways for records in way]


def apart(one: list[DrawnNoise], other: list[DrawnNoise]) -> float:
    """ε of Laplace noise, μ of normal noise."""
    steps = [abs(float(a.centre - b.centre)) / float(a.scale) for a, b in zip(one, other, strict=True)]
    return math.hypot(*steps) if one[0].normal else sum(steps)


def claimed(case: Case) -> float:
    target = target_of(case.program)
    distances = {target.scheme.params[0].var: ONE}
    if "gaussian" in case.released:
        charged = resolve(target.scheme.cost, distances, Substitution({}, {}), Relation.CHANGE_ONE)
        squared = squared_mu(charged)
        assert squared is not None
        return math.sqrt(squared)
    epsilon = upper(SymbolicBasic().price(target.scheme.cost, distances).epsilon, {})
    assert epsilon is not None
    return float(epsilon)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.metric.value}: {case.released} {case.more} {case.key}")
def test_no_datasets_are_further_apart_than_is_claimed(case: Case) -> None:
    target = target_of(case.program)
    listed = datasets(case)
    hidden = []
    for dataset in listed:
        chance = Recorded()
        target.interpreter.run(target.method, (dataset,), chance)
        hidden.append(chance.hidden)
    farthest = max(
        apart(hidden[i], hidden[j])
        for i, one in enumerate(listed)
        for j, other in enumerate(listed[:i])
        if (steps := records_apart(case.metric, one, other)) is not None and steps <= case.steps
    )
    assert farthest == pytest.approx(case.apart)
    assert claimed(case) >= farthest - 1e-9
    assert case.loose or claimed(case) == pytest.approx(farthest)


@pytest.mark.parametrize("steps", range(1, 7))
def test_steps_are_spread_in_every_way(steps: int) -> None:
    everywhere = {tuple(sorted(way, reverse=True)) for way in product(range(steps + 1), repeat=steps)}
    possible = {tuple(each for each in way if each) for way in everywhere if sum(way) == steps}
    assert sorted(walk.partitions(steps)) == sorted(possible)


@pytest.mark.parametrize("steps", (7, 9, 12))
def test_many_steps_are_no_more_than_one_way(steps: int) -> None:
    (way,) = walk.partitions(steps)
    for size in range(1, 5):
        for shared in combinations_with_replacement(range(steps + 1), size):
            if sum(shared) == steps:
                assert all(some <= most for some, most in zip(sorted(shared, reverse=True), way, strict=False))
    assert len(way) == steps


def priced(steps: int, *ways: tuple[int, ...]) -> Fraction:
    """What so many steps cost where each part takes one of several ways: at one step ε and at more what group privacy
    makes of it."""
    part, person = Var("part"), Var("v")
    turns = tuple(
        Parallel(
            part,
            {part: ONE},
            Release(Laplace(sens.number(way[0]), sens.number(way[1])), {part: ONE}, ONE, NOWHERE),
            NOWHERE,
        )
        for way in ways
    )
    body = Either(turns) if len(turns) > 1 else turns[0]
    assert adds_up(body) is (len(turns) == 1)
    cost = Parallel(part, {person: sens.number(steps)}, body, NOWHERE)
    found = upper(SymbolicBasic().price(cost, {person: ONE}).epsilon, {})
    assert found is not None
    return found


def test_the_dearest_way_counts() -> None:
    assert priced(1, (1, 2)) == 2 == priced(1, (1, 2), (1, 1))
    assert priced(3, (1, 2)) == 6 == priced(3, (1, 2), (1, 1))
    assert priced(100, (1, 2)) == 200
    assert priced(8, (1, 1), (1, 2)) == 2 * sum(8 // place for place in range(1, 9))


def unchanged(claim: PrivacyClaim) -> PrivacyClaim:
    return claim


def halved(claim: PrivacyClaim) -> PrivacyClaim:
    return claim._replace(epsilon=claim.epsilon / 2)


def test_no_random_program_of_parts_is_refuted() -> None:
    """And half of what is claimed would be."""
    refuted = 0
    for seed in (0, 1, 6, 10, 12, 14):  # others take longer
        for target in private_targets(PROGRAMS["parts"].text(seed)):
            for weakened in (unchanged, halved):
                found = target.attacked(random.Random(seed), 2, 6, weakened)
                breach = None if found is None else found.breach
                assert breach is None or weakened is halved
                refuted += breach is not None
    assert refuted
