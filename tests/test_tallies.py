"""Statistics that add something up for each record: what is claimed of random ones, by all small datasets.

The records, and what programs mean, are written here a second time: nothing is shared with what makes the claims."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import NamedTuple

import pytest

from attack import targets
from dp_lsp.core.evaluate import Substitution, norms_of, upper
from dp_lsp.core.types import Norm
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import file_report

ENGINE = Engine()
POINTS = [-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0]
Record = float
Amount = Callable[[Record], float]


class Statistic(NamedTuple):
    """A number as it is written, and what a record adds to it."""

    written: str
    adds: Amount


class Part(NamedTuple):
    """Records made of those of ``v``: as written, which are kept, and what they are."""

    written: str
    kept: Callable[[Record], bool]
    value: Amount


def condition(rng: random.Random, depth: int = 2) -> tuple[str, Callable[[Record], bool]]:
    """What may be said of a record ``x``."""
    kind = rng.randrange(8) if depth else 0
    if kind == 1:
        inner, says = condition(rng, depth - 1)
        return f"!({inner})", lambda x: not says(x)
    if kind in (2, 3):
        (left, one), (right, other) = condition(rng, depth - 1), condition(rng, depth - 1)
        if kind == 2:
            return f"({left} && {right})", lambda x: one(x) and other(x)
        return f"({left} || {right})", lambda x: one(x) or other(x)
    if kind == 4:
        return "x * x > 1", lambda x: x * x > 1
    bound = rng.choice([-1, 0, 0.5, 1])
    sign, holds = rng.choice(
        [
            ("<", lambda x: x < bound),
            ("<=", lambda x: x <= bound),
            (">", lambda x: x > bound),
            (">=", lambda x: x >= bound),
            ("==", lambda x: x == bound),
            ("!=", lambda x: x != bound),
        ]
    )
    return f"x {sign} {bound}", holds


def function(rng: random.Random, depth: int = 2) -> tuple[str, Amount]:
    """What may be computed of a record ``x``, other than by adding and multiplying numbers."""
    if not depth:
        return "x", lambda x: x
    inner, of = function(rng, depth - 1)
    low, high = rng.choice([(-1, 1), (0, 3), (0.5, 1)])
    return rng.choice(
        [
            (f"abs({inner})", lambda x: abs(of(x))),
            (f"min({inner}, {high})", lambda x: min(of(x), high)),
            (f"max({low}, {inner} - 1)", lambda x: max(low, of(x) - 1)),
            (f"clamp({inner}, {low}, {high})", lambda x: min(max(of(x), low), high)),
            (f"({inner}) * ({inner})", lambda x: of(x) * of(x)),
            (f"({inner}) ^ 3", lambda x: of(x) ** 3),
            (f"(2 - x) * ({inner})", lambda x: (2 - x) * of(x)),
            (f"exp(-({inner}))", lambda x: math.exp(-of(x))),
            (f"sqrt(max(0, {inner}))", lambda x: math.sqrt(max(0, of(x)))),
            (f"log(1 + abs({inner}))", lambda x: math.log(1 + abs(of(x)))),
            (f"1 / max(0.5, {inner})", lambda x: 1 / max(0.5, of(x))),
            (f"ifelse(x > {low}, {inner}, x)", lambda x: of(x) if x > low else x),
        ]
    )


def part(rng: random.Random, depth: int = 2) -> Part:
    kind = rng.randrange(5) if depth else 0
    if kind == 0:
        return Part("v", lambda x: True, lambda x: x)
    inner = part(rng, depth - 1)
    if kind == 1:
        factor, more = rng.choice([-1, 2]), rng.choice([-1, 0, 3])
        written = f"map(x -> {factor} * x + {more}, {inner.written})"
        return Part(written, inner.kept, lambda x: factor * inner.value(x) + more)
    if kind == 4:
        computed, of = function(rng)
        return Part(f"map(x -> {computed}, {inner.written})", inner.kept, lambda x: of(inner.value(x)))
    said, says = condition(rng)
    if kind == 2:
        written = f"map(x -> {said} ? x : 1, {inner.written})"
        return Part(written, inner.kept, lambda x: inner.value(x) if says(inner.value(x)) else 1)
    written = f"filter(x -> {said}, {inner.written})"
    return Part(written, lambda x: inner.kept(x) and says(inner.value(x)), inner.value)


def statistic(rng: random.Random, depth: int = 2) -> Statistic:
    kind = rng.randrange(6) if depth else rng.randrange(3)
    if kind == 0:
        records = part(rng)
        return Statistic(f"sum({records.written})", lambda x: records.value(x) if records.kept(x) else 0)
    if kind in (1, 2):
        records = part(rng)
        if kind == 1 and records.written != "v":
            return Statistic(f"length({records.written})", lambda x: float(records.kept(x)))
        said, says = condition(rng)
        written = f"count(x -> {said}, {records.written})"
        return Statistic(written, lambda x: float(records.kept(x) and says(records.value(x))))
    one, other = statistic(rng, depth - 1), statistic(rng, depth - 1)
    if kind == 3:
        return Statistic(f"({one.written} + {other.written})", lambda x: one.adds(x) + other.adds(x))
    if kind == 4:
        return Statistic(f"({one.written} - {other.written})", lambda x: one.adds(x) - other.adds(x))
    factor = rng.choice([0.5, -2, 3])
    return Statistic(f"{factor} * {one.written}", lambda x: factor * one.adds(x))


def norm_of(entries: list[float], norm: Norm) -> float:
    sizes = [abs(each) for each in entries]
    return {Norm.L1: sum(sizes), Norm.L2: math.hypot(*sizes), Norm.LINF: max(sizes)}[norm]


@cache
def claims(text: str) -> dict[Norm, float]:
    (target,) = targets(text, engine=ENGINE)
    move = target.scheme.result.moves.get(target.scheme.params[0].var)
    if move is None:
        return dict.fromkeys(Norm, 0.0)
    norms = norms_of(move.sens)
    found = {norm: upper(Substitution({}, dict.fromkeys(norms, norm)).sens(move.sens), {}) for norm in Norm}
    return {norm: math.inf if each is None else float(each) for norm, each in found.items()}


def moved(entries: list[Statistic], replaced: bool, norm: Norm) -> float:
    """The furthest that one record moves the sums: by itself, or in the place of another."""
    adds = [[each.adds(x) for each in entries] for x in POINTS if -2 <= x <= 2]
    if not replaced:
        return max(norm_of(each, norm) for each in adds)
    return max(norm_of([a - b for a, b in zip(p, q, strict=True)], norm) for p, q in product(adds, repeat=2))


def programs() -> Iterator[tuple[int, str, list[Statistic], bool]]:
    for seed in range(200):
        rng = random.Random(seed)
        entries = [statistic(rng) for _ in range(rng.choice([1, 1, 2, 3]))]
        metric = rng.choice(["Symmetric", "ChangeOne"])
        written = entries[0].written if len(entries) == 1 else f"[{', '.join(each.written for each in entries)}]"
        yield seed, f"f(v::MetricVector(Bounded(Real, -2, 2), {metric})) = {written}", entries, metric == "ChangeOne"


PROGRAMS = list(programs())


@pytest.mark.parametrize(("seed", "text", "entries", "replaced"), PROGRAMS, ids=[str(each[0]) for each in PROGRAMS])
def test_no_record_moves_a_sum_further_than_is_claimed(
    seed: int, text: str, entries: list[Statistic], replaced: bool
) -> None:
    for norm, claim in claims(text).items():
        assert moved(entries, replaced, norm) <= claim + 1e-9, (text, norm)


def test_most_claims_are_what_some_record_does() -> None:
    exact = [
        claims(text)[Norm.L1] <= moved(entries, replaced, Norm.L1) * (1 + 1e-9) + 1e-9
        for _, text, entries, replaced in PROGRAMS
    ]
    assert sum(exact) > 0.4 * len(exact)


class Release(NamedTuple):
    """Laplace noise on a statistic, which may look at a number ``a`` that was released before."""

    written: str
    adds: Callable[[Record, float], float]
    price: float


def release(rng: random.Random, at: int) -> Release:
    noise, epsilon = rng.choice([1, 2, 4]), rng.choice([0.5, 1, 2])
    found = statistic(rng)
    written, adds = found.written, lambda x, a: found.adds(x)
    if at and rng.random() < 0.6:
        sign, holds = rng.choice([(">", lambda x, a: x > a), ("<=", lambda x, a: x <= a), ("==", lambda x, a: x == a)])
        said, says = condition(rng)
        written, adds = f"count(x -> x {sign} a0 && {said}, v)", lambda x, a: float(holds(x, a) and says(x))
    return Release(f"a{at} = laplacian_mechanism({noise * 12}, {epsilon}, {written})", adds, epsilon / noise / 12)


def released() -> Iterator[tuple[int, str, list[Release], bool, int]]:
    for seed in range(150):
        rng = random.Random(1000 + seed)
        releases = [release(rng, at) for at in range(rng.choice([2, 2, 3]))]
        metric, records = rng.choice(["Symmetric", "InsertDelete", "ChangeOne", "Hamming"]), rng.choice([1, 1, 1, 2])
        several = ", Contributes(2)" if records == 2 else ""
        lines = "\n    ".join(each.written for each in releases)
        head = f"function f(v::MetricVector(Bounded(Real, -2, 2), {metric}{several})) :: Priv()"
        last = f"a{len(releases) - 1}"
        yield seed, f"{head}\n    {lines}\n    {last}\nend", releases, metric in ("ChangeOne", "Hamming"), records


def on_both_sides() -> Iterator[tuple[int, str, list[Release], bool, int]]:
    """Records are counted below a released number and above it, with different prices, where one is replaced."""
    for seed in range(150, 220):
        rng = random.Random(1000 + seed)
        releases = [release(rng, 0)]
        sides = [("<=", lambda x, a: x <= a), (">", lambda x, a: x > a)]
        for at, (sign, holds) in enumerate(sides, 1):
            (said, says), epsilon = condition(rng), rng.choice([0.5, 1, 2])
            written = f"a{at} = laplacian_mechanism(12, {epsilon}, count(x -> x {sign} a0 && {said}, v))"
            counted = partial(_counted, holds, says)
            releases.append(Release(written, counted, epsilon / 12))
        lines = "\n    ".join(each.written for each in releases)
        head = "function f(v::MetricVector(Bounded(Real, -2, 2), Hamming)) :: Priv()"
        yield seed, f"{head}\n    {lines}\n    a2\nend", releases, True, 1


def _counted(
    holds: Callable[[Record, float], bool], says: Callable[[Record], bool], record: Record, bound: float
) -> float:
    return float(holds(record, bound) and says(record))


RELEASED = [*released(), *on_both_sides()]


def spent(releases: list[Release], replaced: bool, records: int) -> float:
    """The most that a person costs: whatever was released, each of his records moves all statistics together."""

    def once(a: float) -> float:
        adds = [[each.adds(x, a) for each in releases] for x in POINTS if -2 <= x <= 2]
        steps = (
            adds if not replaced else [[m - n for m, n in zip(p, q, strict=True)] for p, q in product(adds, repeat=2)]
        )
        return max(sum(abs(far) * each.price for far, each in zip(step, releases, strict=True)) for step in steps)

    return records * max(map(once, [-1.75, -1, -0.25, 0, 0.75, 1.25]))


@cache
def said_to_be_spent(text: str) -> float | None:
    """The ε that is claimed; None if the noise is too little for what is known of a statistic."""
    (function,) = file_report(ENGINE.check(text), "p.jl")["functions"]
    return float(Fraction(function["parameters"][0]["epsilon"])) if function["status"] == "proved" else None


@pytest.mark.parametrize(
    ("seed", "text", "releases", "replaced", "records"), RELEASED, ids=[str(each[0]) for each in RELEASED]
)
def test_nobody_costs_more_than_is_claimed(
    seed: int, text: str, releases: list[Release], replaced: bool, records: int
) -> None:
    claim = said_to_be_spent(text)
    assert claim is None or spent(releases, replaced, records) <= claim + 1e-9, text


def test_most_claims_are_what_somebody_costs() -> None:
    found = [(said_to_be_spent(each[1]), spent(*each[2:])) for each in RELEASED]
    known = [(claim, most) for claim, most in found if claim is not None]
    assert len(known) > 0.6 * len(found)
    assert sum(claim <= most * (1 + 1e-9) for claim, most in known) > 0.35 * len(known)


def test_a_record_that_is_no_number_is_on_neither_side() -> None:
    """Of NaN no comparison holds: both counts leave it out, and the difference from all is 1."""
    text = "f(v::MetricVector(Real, Symmetric)) = length(v) - count(x -> x < 0, v) - count(x -> x >= 0, v)"
    assert claims(text)[Norm.L1] == Fraction(1)


TRAPS = {
    "v itself decides": "count(x -> x > length(v), v) - count(x -> x > length(v), v)",
    "two datasets": "length(v) - length(filter(x -> x > 3, repeat(v, 2)))",
    "two functions": "count(x -> x * x > 1, v) - count(x -> x * x * x > 1, v)",
}


@pytest.mark.parametrize(("name", "claim"), [("v itself decides", math.inf), ("two datasets", 3), ("two functions", 1)])
def test_what_is_no_sum_over_the_same_records_is_not_read_as_one(name: str, claim: float) -> None:
    assert claims(f"f(v::MetricVector(Real, Symmetric)) = {TRAPS[name]}")[Norm.L1] == claim


def test_a_condition_may_be_read_after_the_records() -> None:
    """What it tells apart is told apart in all that was read before."""
    rows = "[r[1], ifelse(r[2] * r[3] <= -3, r[2] * r[3], 1)]"
    text = f"f(v::MetricMatrix(Real, Symmetric)) = sum(map_rows(r -> {rows}, v); dims=1)\n"
    assert [each.definition.name for each in Engine().definitions(text)] == ["f"]
