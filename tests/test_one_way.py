"""Selections cost less where a change moves all that they select by the same way: that it does, and what it costs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import pytest

from attack import targets
from attack.private import private_targets
from dp_lsp.analysis.records import Options
from dp_lsp.builtins import TABLE
from dp_lsp.builtins.meanings import Value, array, is_container
from dp_lsp.builtins.monotonicity import Monotone
from dp_lsp.builtins.randomness import Distribution, Pick
from dp_lsp.core.scheme import Move
from dp_lsp.core.sens import Way
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.spaces import SpaceSetting

ENGINE = Engine()
VALUES = tuple(map(Fraction, (-1, 0, 2)))
MOST = 5
RISES, FALLS = Way.RISES, Way.FALLS
DATA = "v::MetricVector(Real, Symmetric)"
BOUNDED = "v::MetricVector(Bounded(Real, {}, {}), Symmetric)"
VECTOR = "v::MetricVector(Real, L1)"
ROWS = "v::MetricMatrix(Real, Symmetric)"


def _rounds(before: str, inside: str, count: str = "3") -> str:
    return f"begin {before}; for i in 1:{count}; {inside}; end; s end"


WAYS: list[tuple[str, str, Way | None]] = [
    ("x::Real", "x + 1", RISES),
    ("x::Real", "3 - x", FALLS),
    ("x::Real", "real(2 * conj(x))", RISES),
    ("x::Real", "-x", FALLS),
    ("x::Real", "x - x / 2", RISES),
    ("x::Real", "-2 * x", FALLS),
    ("x::Real", "-2 * x * -1", RISES),
    ("x::Real", "x / -4", FALLS),
    ("x::Real", "min(x, 3) + max(2 * x, 0)", RISES),
    ("x::Real", "max(-x, -3)", FALLS),
    ("x::Real", "abs(x)", None),
    ("x::Bounded(Real, 0, 4)", "abs(x)", RISES),
    ("x::Bounded(Real, -4, 0)", "abs(x)", FALLS),
    ("x::Bounded(Real, -1, 4)", "x * x", None),
    ("x::Bounded(Real, 0, 4)", "x * x", RISES),
    ("x::Bounded(Real, -4, 0)", "x * x", FALLS),
    ("x::Real", "clamp(x, 0, 1) + clipn(x, 3, 1)", RISES),
    ("x::Integer", "ceil(x)", RISES),
    ("x::Integer", "x % 3", None),
    ("x::Real", "x > 1 ? 1 : 0", None),
    ("x::Real", "2 > 1 ? x : x + 1", RISES),
    ("x::Real", "2 > 1 ? x : -x", None),
    ("x::Real", "ifelse(2 > 1, x, -x)", None),
    ("x::Real", "ifelse(2 > 1, x, 2 * x)", RISES),
    ("x::Real", "[x, 1 - x][1]", None),
    ("x::Real", "[x, x + 1, 3]", RISES),
    (VECTOR, "v[1] + sum(v) + norm_convert(L1, v)[2]", RISES),
    (VECTOR, "sum(map(x -> x, norm_convert(L1, v)))", RISES),
    (VECTOR, "-sum(clone(v))", FALLS),
    (VECTOR, "-sum(deepcopy(v))", FALLS),
    (VECTOR, "-sum(copy(v)) - sum(collect(vec(v)))", FALLS),
    (VECTOR, "sum(as_vector(v))", RISES),
    (VECTOR, "v[1] - v[2]", None),
    (VECTOR, "count(x -> x > 1, v)", None),
    ("v::MetricVector(Integer, L1)", "count(x -> x > 1, v)", None),
    (VECTOR, "map(x -> 2 - x, v)", FALLS),
    (VECTOR, "map(x -> abs(x), v)", None),
    (VECTOR, "sum(x -> -x, v)", FALLS),
    (VECTOR, "sum(transpose(transpose(vec_to_row(v))))", RISES),
    (VECTOR, "sum(row_to_vec(vec_to_row(v)'')) + vec_to_row(v)[1, :][1]", RISES),
    (DATA, "length(v)", RISES),
    (DATA, "-length(v) / 2", FALLS),
    (DATA, "count(x -> x > 0, v)", RISES),
    (DATA, "count_distinct(v)", RISES),
    ("v::MetricMatrix(Bool, Symmetric)", "sum(v; dims=1)", RISES),
    (DATA, "count(x -> x > 0, v) - count(x -> x < 0, v)", None),
    (DATA, "histogram(v, [-1, 0, 3])", RISES),
    (DATA, "cumulative_counts(v, [-1, 0, 3])", RISES),
    (DATA, "length(unique(filter(x -> x > 0, repeat(v, 2))))", RISES),
    (DATA, "sum(clamp(v, 0, 1))", RISES),
    (DATA, "sum(clamp(v, -1, 0))", FALLS),
    (DATA, "sum(clamp(v, -1, 1))", None),
    (DATA, "sum(map(x -> clamp(x, 0, 1), v))", RISES),
    (DATA, "quantile_score(v, 0.5, [0, 1])", None),
    (DATA, "quantile_score(v, 1, [0, 1])", FALLS),
    (DATA, "quantile_score(v, 0, [0, 1])", FALLS),
    (DATA, "sum(resize(clamp(v, 0, 1), 3, 0))", None),
    (BOUNDED.format(0, 2), "sum(v)", RISES),
    (BOUNDED.format(-1, 2), "sum(v)", None),
    ("v::MetricVector(Bounded(Real, 0, 2), Symmetric, AtLeast(2))", "mean(v)", None),
    (ROWS, "sum(map_rows(r -> clamp(r[1], 0, 1), clip(L2, 1, v)))", RISES),
    (ROWS, "sum([clamp(row[1], 0, 1) for row in eachrow(v)])", RISES),
    (ROWS, "sum(clip(L2, 1, v); dims=1)", None),
    (ROWS, "count(x -> x > 0, v[:, 1])", RISES),
    (ROWS, "sum(clamp(filter_rows(r -> r[1] > r[2], v)[:, 2], -1, 0))", FALLS),
    (ROWS, "count_rows(r -> r[1] > r[2], v)", RISES),
    ("x::Real", "clamp(x, -1, 3) ^ 3", RISES),
    ("x::Real", "clamp(x, 1, 3) ^ 2", RISES),
    ("x::Real", "clamp(x, -3, -1) ^ 2", FALLS),
    ("x::Real", "clamp(x, -1, 3) ^ 2", None),
    ("v::MetricVector(Integer, InsertDelete)", "count(x -> x > 0, v)", RISES),
    ("x::Real", "float(x) + Float64(x) + Float32(x)", RISES),
    ("x::Integer", "-Int(x)", FALLS),
    ("x::Integer", "Int64(x)", RISES),
    ("x::Bounded(Real, 0, 4)", "abs2(x)", RISES),
    ("x::Bounded(Real, -4, 0)", "abs2(x)", FALLS),
    (VECTOR, "2 .- v", FALLS),
    (DATA, "length(v[v .> 1])", RISES),
    ("v::MetricVector(Real, Symmetric, AtLeast(1))", "sum(clamp(x, 0, 1) for x in v)", RISES),
    (ROWS, "count(x -> x > 1, v[v[:, 1] .> 0, :][:, 2])", RISES),
    (VECTOR, "fold((e, a) -> a - e, 0.0, v)", FALLS),
    (VECTOR, "fold((e, a) -> min(a, e), 0.0, v)", RISES),
    (VECTOR, "fold((e, a) -> abs(a) + e, 0.0, v)", None),
    (VECTOR, "fold((e, a) -> abs(e) + a, 0.0, v)", None),
    (VECTOR, "fold((e, a) -> e - a, 0.0, v)", None),
    ("x::Real", "fold((e::Real, a::Real) -> 2 * a + e, x, [1.0, 2.0])", RISES),
    ("x::Real", "fold((e, a) -> e - a, x, [1.0, 2.0])", None),
    ("x::Real", "fold((e, a) -> a + e - x, 1.0, [1.0, 2.0])", FALLS),
    ("x::Real", "fold((e, a) -> e - a - x, 1.0, [1.0, 2.0])", None),
    (DATA, "fold((e, a) -> a - count(x -> x > e, v), 0, [-1.0, 0.0, 2.0])", FALLS),
    (DATA, "map(c -> count(x -> x > c, v), [-1.0, 0.0, 2.0])", RISES),
    (VECTOR, "map_rows(r -> -2 * r, vec_to_row(v))", FALLS),
    (VECTOR, "map_rows(r -> map(x -> abs(x), r), vec_to_row(v))", None),
    (VECTOR, "map_cols(r -> 2 * r, vec_to_row(v))", RISES),
    ("v::MetricVector(Real, LInf)", "map_rows_binary((r, s) -> r + s, vec_to_row(v), vec_to_row(v))", RISES),
    ("v::MetricVector(Real, LInf)", "map_rows_binary((r, s) -> r - s, vec_to_row(v), vec_to_row(v))", None),
    ("v::MetricVector(Real, LInf)", "map_cols_binary((r, s) -> -r - s, vec_to_row(v), vec_to_row(v))", FALLS),
    ("x::Real", _rounds("s = 0", "s = s + x"), RISES),
    ("x::Real", _rounds("s = x", "s = 2 * s - i"), RISES),
    ("x::Real", _rounds("s = x", "s = -s"), None),
    ("x::Real", _rounds("s = 0", "s = -s - x"), None),
    ("x::Real", _rounds("s = 0; t = -x", "s = s - t; t = min(t, -s)"), RISES),
    ("x::Real", _rounds("s = 0; t = -x", "s = s - t; t = min(t, s)"), None),
    ("x::Real", _rounds("s = x; t = 0", "t = abs(s)"), RISES),
    ("x::Real", _rounds("t = x; s = 0", "s = abs(t)"), None),
    ("x::Real", _rounds("s = 0; t = 0", "s = t; t = i > 2 ? -x : x"), RISES),
    ("x::Real", _rounds("s = 0; t = 0", "s = t; t = i > 1 ? -x : x"), FALLS),
    ("x::Real", _rounds("s = 0; t = 0", "s = abs(t); t = i > 2 ? -x : x"), None),
    ("x::Real", _rounds("s = 0; t = 0", "s = t; t = i > 2 ? -x : x", "17"), None),
    ("x::Real", _rounds("s = 1", "s = i > 2 ? s + x : 2 * s"), RISES),
    ("x::Real", "begin s = (x, 1 - x); for i in 1:3; (a, b) = s; s = (a, b - a); end; (a, b) = s; b; end", FALLS),
    ("x::Real", _rounds("s = [0, x]", "s = s + [x, s[1]]"), RISES),
    (VECTOR, _rounds("s = 0.0", "s = s - v[i]", "length(v)"), FALLS),
    (VECTOR, _rounds("s = 0.0", "s = s + v[i] - v[1]", "length(v)"), None),
    (VECTOR, _rounds("s = 0.0", "for j in 1:2; s = s + v[i] + v[j]; end", "2"), RISES),
    (VECTOR, _rounds("m = vec_to_row(v); s = m[1, :]", "s = s + m[i, :]", "1"), RISES),
    (DATA, _rounds("s = 0", "s = s + count(x -> x > i, v)"), RISES),
    (DATA, _rounds("s = 0", "s = s + 1", "length(v)"), None),
    (DATA, _rounds("s = 0", "s = min(s, count(x -> x > 0, v)) - 1", "length(v)"), None),
    (DATA, _rounds("s = 0.0", "s = min(s - 1, sum(clamp(v, -2, 0)))"), FALLS),
]  # fmt: skip


def _move(parameter: str, written: str, more: str = "") -> Move:
    (target,) = (each for each in targets(f"{more}f({parameter}) = {written}", engine=ENGINE) if each.name == "f")
    return target.scheme.result.moves[target.scheme.params[0].var]


@pytest.mark.parametrize(("parameter", "written", "way"), WAYS, ids=lambda each: getattr(each, "name", each))
def test_which_way(parameter: str, written: str, way: Way | None) -> None:
    """What is said to go a way never goes the other one, between any two ordered values that are tried."""
    assert _move(parameter, written).way is way
    if way is None:
        return
    (target,) = targets(f"f({parameter}) = {written}", engine=ENGINE)
    source = random.Random(written)
    for _ in range(60):
        small, large = _ordered(parameter, source)
        ends = [target.interpreter.run(target.method, (each,)) for each in (small, large)]
        low, high = map(_flat, ends if way is RISES else ends[::-1])
        assert all(a <= b for a, b in zip(low, high, strict=True)), (small, large)


def _ordered(parameter: str, source: random.Random) -> tuple[Value, Value]:
    """Two values, of which the second is the larger one."""
    whole = "Integer" in parameter
    if "Matrix" in parameter:
        least, most = (0, 1) if "Bool" in parameter else (-3, 3)
        rows = [[Fraction(source.randint(least, most)) for _ in range(2)] for _ in range(source.randint(1, 4))]
        kept = source.sample(rows, source.randint(1, len(rows)))
        one, other = (array((entry for row in each for entry in row), (len(each), 2)) for each in (kept, rows))
        return one, other
    low, high = (0, 2) if "(Real, 0" in parameter else (-4, 0) if "-4" in parameter else (-3, 5)
    entries = [Fraction(source.randint(4 * low, 4 * high), 1 if whole else 4) for _ in range(5)]
    entries = [min(max(each, Fraction(low)), Fraction(high)) for each in entries]
    if "Vector" not in parameter:
        small, large = sorted(entries[:2])
        return small, large
    if "L1" in parameter or "LInf" in parameter:
        return array(entries), array(each + source.randint(0, 2) for each in entries)
    kept = sorted(source.sample(range(5), source.randint(0, 5)))
    return array(entries[place] for place in kept), array(entries)


def _flat(value: Value) -> list[Any]:
    return list(value.flat) if is_container(value) else [value]


def test_every_row_that_goes_a_way_is_tried() -> None:
    tried = set[str]()
    for parameter, written, way in WAYS:
        pending = [_move(parameter, written)] if way else []
        while pending:
            move = pending.pop()
            tried.add(move.rule)
            pending += move.before
    assert {row.name for row in TABLE.values() if row.has(Monotone)} <= tried


def test_ways_are_followed_through_calls() -> None:
    assert _move("x::Real", "g(g(x))", "g(y) = 1 - y\n").way is RISES
    assert _move("x::Real", "g(x)", "g(y) = -min(y, 3)\n").way is FALLS
    assert _move("x::Real", "g(x)", "g(y) = abs(y)\n").way is None
    inner = "begin\n    h = c -> c - x\n    h(3)\nend"
    assert _move("x::Real", inner).way is FALLS
    rounds = "begin\n    s = 0.0\n    for i in 1:3\n        s = s + x\n    end\n    s\nend"
    assert _move("x::Real", rounds).way is RISES


# What selections cost


class Selection(NamedTuple):
    """A selection on a dataset, what it costs for eps = 8, and whether some two datasets need that much."""

    metric: str
    written: str
    epsilon: Fraction
    attained: bool = True

    @property
    def program(self) -> str:
        return f"f(v::MetricVector(Real, {self.metric})) :: Priv() = {self.written}"


_CHOICE = "exponential_mechanism({}, 8, [-1.0, 0.0, 2.0], (c::Real) -> {})"
_HELPER = "(w::MetricVector(Real, Symmetric)) -> "
_WHOLE = Fraction(8)
SELECTIONS = [
    Selection("Symmetric", _CHOICE.format(1, "count(x -> x == c, v)"), Fraction(4)),
    Selection("InsertDelete", _CHOICE.format(1, "count(x -> x == c, v)"), Fraction(4)),
    Selection("Symmetric", _CHOICE.format(1, "count(x -> x <= c, v)"), Fraction(4)),
    Selection("Symmetric", _CHOICE.format(1, "-count(x -> x <= c, v)"), Fraction(4)),
    Selection("Symmetric", _CHOICE.format(1, "count(x -> x == c, v) / 2"), Fraction(2), attained=False),
    Selection("Symmetric", _CHOICE.format(2, "2 * count(x -> x == c, v)"), Fraction(4)),
    Selection("Symmetric", _CHOICE.format(2, "count(x -> x == c, v)"), Fraction(2), attained=False),
    Selection("Symmetric", _CHOICE.format(1, "abs(count(x -> x == c, v) - 1)"), Fraction(8), attained=False),
    Selection("Symmetric", _CHOICE.format(2, "sum(clamp(v, 0, 2)) - c * 0"), Fraction(4), attained=False),
    Selection("Symmetric, Contributes(2)", _CHOICE.format(1, "clamp(count(x -> x == c, v), 0, 1) + 9 * c"), _WHOLE),
    Selection("Symmetric, Contributes(2)", _CHOICE.format(2, "count(x -> x == c, v)"), Fraction(4)),
    Selection("ChangeOne", _CHOICE.format(1, "count(x -> x == c, v)"), Fraction(8)),
    Selection("Symmetric", "report_noisy_max(1, 8, histogram(v, [-1, 0, 1, 3]))", Fraction(4)),
    Selection("ChangeOne", "report_noisy_max(1, 8, histogram(v, [-1, 0, 1, 3]))", Fraction(8)),
    Selection("Symmetric", "report_noisy_max(1, 8, cumulative_counts(v, [-1, 0, 2]))", Fraction(4)),
    Selection("Symmetric", "report_noisy_max(1, 8, quantile_score(v, 0.5, [-1, 0, 1]))", Fraction(4), attained=False),
    Selection("Symmetric", "exponential_mechanism(1, 8, [-1, 0, 1], histogram(v, [-1, 0, 1, 3]))", Fraction(4)),
    Selection("Symmetric", "private_quantile(0.5, 8, v, 0.5, [-1, 0, 1, 2])", Fraction(8), attained=False),
    Selection("Symmetric", "private_quantile(0.75, 8, v, 0.25, [-1, 0, 1, 2])", Fraction(8), attained=False),
    Selection("Symmetric", "private_quantile(1, 8, v, 1, [-1, 0, 1, 2])", Fraction(4)),
    Selection("ChangeOne", "private_quantile(1, 8, v, 0.25, [-1, 0, 1, 2])", Fraction(8), attained=False),
    Selection("Symmetric", f"sparse_vector([{_HELPER}length(w), {_HELPER}count(x -> x > 0, w)], 1, 8, v, 3)",
              Fraction(6), attained=False),
    Selection("Symmetric", f"sparse_vector([{_HELPER}length(w), {_HELPER}-length(w)], 2, 8, v, 3)",
              Fraction(8), attained=False),
    Selection("Symmetric", f"above_threshold([{_HELPER}length(w), {_HELPER}count(x -> x > 0, w)], 8, v, 3)",
              Fraction(6), attained=False),
]  # fmt: skip


@pytest.mark.parametrize("selection", SELECTIONS, ids=lambda each: f"{each.metric} {each.written[:60]}")
def test_what_a_selection_costs(selection: Selection) -> None:
    """All small datasets and their neighbours: no output needs more than is claimed, and some two need all of it."""
    (target,) = (each for each in private_targets(selection.program, engine=ENGINE) if each.name == "f")
    claimed = min(claim.epsilon for claim in target.claims(SpaceSetting({}, {})) if not claim.delta)
    assert claimed == selection.epsilon
    most = 0.0
    for one, other in _neighbours(selection.metric):
        logs = [_chances(target, each) for each in (one, other)]
        most = max(most, *(abs(a - b) for a, b in zip(*logs, strict=True)))
    assert most <= claimed * (1 + 1e-9)
    assert most > 0.98 * claimed or not selection.attained


def _neighbours(metric: str) -> Iterator[tuple[Any, Any]]:
    for size in range(MOST):
        for records in combinations_with_replacement(VALUES, size):
            for more in VALUES:
                if "Contributes(2)" in metric:
                    yield array(records), array((*records, more, more))
                    yield from ((array(records), array((*records[1:], more))) for _ in records[:1])
                elif metric in ("Symmetric", "InsertDelete"):
                    yield array(records), array((*records, more))
                elif records:
                    yield array(records), array((*records[1:], more))


class _Seen(Exception):
    """What is chosen between has been seen."""


class _Look:
    """A chance that only looks."""

    def released(self, distribution: Distribution) -> Value:
        assert isinstance(distribution, Pick)
        raise _Seen(distribution)

    def drawn(self, ways: Sequence[Any]) -> Sequence[int]:
        raise AssertionError("nothing is drawn")


def _chances(target: Any, data: Any) -> tuple[float, ...]:
    try:
        target.interpreter.run(target.method, (data,), _Look())
    except _Seen as seen:
        return tuple(seen.args[0].logs)
    raise AssertionError("nothing was chosen")


def test_three_quarters_are_needed_above_a_threshold() -> None:
    """All early queries are large, so that the noise on the threshold must be, and the last one is far below."""
    text = f"f(x::Real) :: Priv() = above_threshold([{'y -> y, ' * 40}y -> min(y, 0) - 4], 1, x, 0)"
    (target,) = private_targets(text, engine=ENGINE)
    (claim,) = {claim.epsilon for claim in target.claims(SpaceSetting({}, {})) if not claim.delta}
    losses = [abs(a - b) for a, b in zip(_chances(target, Fraction(8)), _chances(target, Fraction(9)), strict=True)]
    assert claim == 0.75 and 0.74 < max(losses) <= 0.75


@pytest.mark.parametrize(
    ("parameters", "score", "epsilon"),
    [
        ("x::Real", "x + c", "1/2"),
        ("x::Real", "c > 0 ? x : -x", "1"),
        ("v::MetricVector(Real, L1)", "sum(v) + c", "1/2"),
        ("v::MetricVector(Real, L2)", "v[1] + c", "1"),
        ("v::MetricVector(Real, LInf)", "v[1] + c", "1"),
        ("v::MetricVector(Bounded(Real, 0, 1), ChangeOne)", "sum(v) + c", "1"),
        ("t::Tuple{Real, Integer}", "t[1] + c", "1/2"),
        ("x::Bool", "x ? c : 0", None),
    ],
)
def test_whose_values_are_joined_by_ordered_ones(parameters: str, score: str, epsilon: str | None) -> None:
    text = f"f({parameters}) :: Priv() = exponential_mechanism(1, 1, [-1.0, 1.0], c -> {score})"
    bounds = [bound.epsilon for function in ENGINE.check(text).functions for bound in function.bounds]
    assert (epsilon in bounds) or (epsilon is None and "1/2" not in bounds)


MIXED = """\
f(v::MetricVector(Real, Symmetric), x::Real, e::Static()) :: Priv() =
    exponential_mechanism(1, e, [1.0, 2.0], c -> length(v) + abs(x - c))"""


def test_each_variable_counts_by_its_own_way() -> None:
    (function,) = ENGINE.check(MIXED).functions
    assert [(bound.parameters, bound.epsilon) for bound in function.bounds] == [(("v",), "e/2"), (("x",), "e")]


def test_where_no_number_says_how_far_it_moves() -> None:
    text = (
        "f(v::MetricVector(Real, Symmetric, Contributes(j)), j::Static(), r::Static(), e::Static()) :: Priv() = "
        "report_noisy_max(r, e, histogram(v, [1, 2, 3]))"
    )
    (function,) = ENGINE.check(text).functions
    assert [bound.epsilon for bound in function.bounds] == ["e*j/(2*r)"]


def test_the_published_rules_know_nothing_of_it() -> None:
    text = "f(x::Real) :: Priv() = exponential_mechanism(1, 1, [-1.0, 1.0], c -> x + c)"
    (function,) = ENGINE.check(text, Options(profile="published")).functions
    assert [bound.epsilon for bound in function.bounds] == ["1"]


def test_a_change_of_the_way_is_a_change() -> None:
    """What uses a function is inferred again where the function goes another way, and nothing else of it changed."""
    engine = Engine()
    caller = "f(x::Real) :: Priv() = exponential_mechanism(1, 1, [-1.0, 1.0], c -> g(x) + c)\n"
    found = []
    for body in ("x", "abs(x)", "-x"):
        functions = engine.check(f"g(x::Real) = {body}\n\n{caller}").functions
        found.append(functions[-1].bounds[0].epsilon)
    assert found == ["1/2", "1", "1/2"]
