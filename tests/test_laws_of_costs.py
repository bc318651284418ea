"""Laws of how far values move, and of what releases cost: order, sums, maxima, composition, and the exact values that
no bound may be below."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
from hypothesis import given, settings
from hypothesis import strategies as st

from dp_lsp.accounting.symbolic import SymbolicAdvanced, SymbolicBasic, Zcdp
from dp_lsp.accounting.walk import Price, PrivacyMeasure
from dp_lsp.core import laws, sens
from dp_lsp.core.constraints import Origin
from dp_lsp.core.evaluate import Substitution, upper
from dp_lsp.core.events import (
    Called,
    Cost,
    Either,
    Leak,
    Release,
    Repeat,
    Sampled,
    Sampling,
    Sequence,
    Var,
)
from dp_lsp.core.scheme import Move, Moves
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens
from dp_lsp.infer import moves
from dp_lsp.mechanisms.noise import Gaussian, Laplace
from dp_lsp.text import Span

quick = settings(max_examples=60, deadline=None)
SPAN = Span(0, 0)
NOWHERE = Origin(SPAN, "")
X, Y, WHOLE = Var("x"), Var("y"), Var("n", gap=True)
VARS = (X, Y, WHOLE)
SLACK = mpmath.mpf("1e-12")

FAR = st.one_of(st.fractions(0, 6, max_denominator=6).map(sens.number), st.just(INFINITY))
MOVES = st.dictionaries(st.sampled_from(VARS), FAR.filter(lambda far: not far.zero)).map(
    lambda found: {var: Move(far, SPAN, laws.PARAMETER) for var, far in found.items()}
)


def far(moved: Moves) -> dict[Var, Sens]:
    """How far each variable moves something; what is left out does not."""
    return {var: move.sens for var, move in moved.items()}


def together(*parts: tuple[Moves, Sens]) -> Moves:
    return moves.combined(parts, SPAN, laws.TUPLE)


def at_most(left: Moves, right: Moves) -> bool:
    return all(not reaches(move.sens, right[var].sens if var in right else ZERO) for var, move in left.items())


def reaches(large: Sens, small: Sens) -> bool:
    """Whether one number is larger than another."""
    first, second = upper(large, {}), upper(small, {})
    return second is not None and (first is None or first > second)


@quick
@given(MOVES, MOVES, MOVES, FAR, FAR)
def test_what_several_values_move_adds_up(a: Moves, b: Moves, c: Moves, s: Sens, t: Sens) -> None:
    assert far(together((a, ONE), (b, ONE))) == far(together((b, ONE), (a, ONE)))
    left = together((together((a, s), (b, t)), ONE), (c, ONE))
    assert far(left) == far(together((a, s), (together((b, t), (c, ONE)), ONE)))
    scaled = moves.scaled(together((a, ONE), (b, ONE)), s, SPAN, laws.TUPLE)
    assert far(scaled) == far(together((a, s), (b, s)))
    assert far(together((a, s), (a, t))) == far(moves.scaled(a, s + t, SPAN, laws.TUPLE))
    assert far(moves.added((a, b, c), SPAN, laws.TUPLE)) == far(together((a, ONE), (b, ONE), (c, ONE)))
    assert far(together((a, ZERO))) == dict.fromkeys(a, ZERO), "0·∞ is 0, and what counts 0 times stays known"
    assert at_most(a, together((a, ONE), (b, s)))


@quick
@given(MOVES, MOVES, MOVES)
def test_one_of_two_values_moves_as_far_as_the_one_that_moves_further(a: Moves, b: Moves, c: Moves) -> None:
    either = moves.larger(a, b, SPAN)
    assert far(either) == far(moves.larger(b, a, SPAN))
    assert far(moves.larger(either, c, SPAN)) == far(moves.larger(a, moves.larger(b, c, SPAN), SPAN))
    assert far(moves.larger(a, a, SPAN)) == far(a)
    assert at_most(a, either) and at_most(b, either) and at_most(either, moves.added((a, b), SPAN, laws.TUPLE))
    assert all(either[var].sens in (far(a).get(var), far(b).get(var)) for var in either)


@quick
@given(MOVES, MOVES, FAR.filter(lambda most: not most.zero))
def test_nothing_is_capped_but_what_moves_in_steps(a: Moves, b: Moves, most: Sens) -> None:
    capped = moves.capped(a, most, SPAN)
    assert at_most(capped, a) and capped.keys() == a.keys()
    for var, move in a.items():
        expected = most if var.gap and reaches(move.sens, most) else move.sens
        assert capped[var].sens == expected
    joined = moves.joined(a, (b, most), SPAN, laws.CONDITION)
    assert far(joined) == far(together((a, ONE), (b, most)))


@quick
@given(MOVES, st.lists(st.fractions(0, 5, max_denominator=4), min_size=3, max_size=3))
def test_a_tuple_moves_by_no_less_than_its_items(a: Moves, apart: list[Fraction]) -> None:
    """With the items at any distances, which add up to that of the tuple."""
    whole = Var("t")
    seen = moves.of_tuples(a, dict.fromkeys(VARS, whole), SPAN)
    assert seen.keys() <= {whole}
    moved = sens.total(a[var].sens * sens.number(d) for var, d in zip(VARS, apart, strict=True) if var in a)
    bound = seen[whole].sens * sens.number(sum(apart, Fraction(0))) if seen else ZERO
    assert not reaches(moved, bound)
    assert not seen or seen[whole].sens in far(a).values()


# Costs

NUMBERS = st.fractions(Fraction(1, 20), 2, max_denominator=20)


def laplace(epsilon: Fraction, x: Fraction, y: Fraction) -> Release:
    distance = {X: sens.number(x), Y: sens.number(y)}
    return Release(Laplace(ONE, sens.number(epsilon)), distance, ONE, NOWHERE)


def gaussian(epsilon: Fraction, delta: Fraction, x: Fraction) -> Release:
    event = Gaussian(ONE, sens.number(epsilon), sens.number(delta))
    return Release(event, {X: sens.number(x)}, ONE, NOWHERE)


BELOW_ONE = st.fractions(Fraction(1, 20), Fraction(9, 10), max_denominator=20)
SMALL = st.fractions(Fraction(1, 1000), Fraction(1, 10), max_denominator=1000)
RELEASES = st.one_of(
    st.builds(laplace, NUMBERS, NUMBERS, NUMBERS),
    st.builds(gaussian, BELOW_ONE, SMALL, NUMBERS),
    st.just(Sequence(())),
)


def called(body: Cost, x: Fraction) -> Cost:
    inner = {X: {X: sens.number(x)}, Y: {Y: ONE}}
    return Called(body, inner, Substitution({}), NOWHERE)


COSTS = st.recursive(
    RELEASES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: Sequence(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Either(tuple(parts))),
        st.builds(lambda body, count: Repeat(sens.number(count), body, NOWHERE), inner, st.integers(0, 4)),
        st.builds(called, inner, NUMBERS),
    ),
    max_leaves=5,
)
STEPS = st.fractions(0, 3, max_denominator=4)


def priced(cost: Cost, x: Fraction = Fraction(1), y: Fraction = Fraction(0)) -> Price:
    return SymbolicBasic().price(cost, {X: sens.number(x), Y: sens.number(y)})


def no_more(small: Price, large: Price) -> bool:
    """Whether a price is at most another, both being numbers."""
    pairs = ((upper(a, {}), upper(b, {})) for a, b in zip(small, large, strict=True))
    return all(b is None or (a is not None and a <= b + Fraction(1, 10**25)) for a, b in pairs)


@quick
@given(COSTS, COSTS, COSTS, STEPS)
def test_composition_is_associative_and_in_any_order(a: Cost, b: Cost, c: Cost, x: Fraction) -> None:
    flat = priced(Sequence((a, b, c)), x)
    others = (Sequence((a, Sequence((b, c)))), Sequence((Sequence((a, b)), c)), Sequence((c, b, a)))
    assert all(no_more(priced(other, x), flat) and no_more(flat, priced(other, x)) for other in others)
    assert no_more(priced(Sequence((a, b)), x), flat)
    either = priced(Either((a, b)), x)
    assert no_more(priced(a, x), either) and no_more(priced(b, x), either)
    assert no_more(either, priced(Sequence((a, b)), x)) or either.epsilon.infinite


@quick
@given(COSTS, STEPS, STEPS, STEPS, STEPS)
def test_who_changes_more_pays_no_less(cost: Cost, x: Fraction, y: Fraction, more: Fraction, other: Fraction) -> None:
    assert no_more(priced(cost, x, y), priced(cost, x + more, y + other))
    assert priced(cost, Fraction(0)).free
    through, there = priced(called(cost, other), x, y), priced(cost, other * x, y)
    assert no_more(through, there) and no_more(there, through)


@quick
@given(COSTS, st.integers(0, 5), STEPS)
def test_rounds_cost_what_they_cost_one_by_one(body: Cost, count: int, x: Fraction) -> None:
    loop = priced(Repeat(sens.number(count), body, NOWHERE), x)
    rounds = priced(Sequence((body,) * count), x)
    assert no_more(loop, rounds) and no_more(rounds, loop)
    assert no_more(loop, priced(Repeat(sens.number(count + 1), body, NOWHERE), x))


@quick
@given(COSTS, NUMBERS)
def test_what_leaks_has_no_price(cost: Cost, x: Fraction) -> None:
    leak = Leak(frozenset({X}), NOWHERE)
    for whole in (Sequence((cost, leak)), Either((cost, leak)), called(leak, x), Repeat(sens.number(2), leak, NOWHERE)):
        assert priced(whole).unbounded
        assert not priced(whole, Fraction(0), Fraction(1)).epsilon.infinite


@quick
@given(
    st.sampled_from([SymbolicBasic, SymbolicAdvanced, Zcdp]),
    NUMBERS,
    st.integers(1, 40),
    st.fractions(Fraction(1, 10**6), Fraction(1, 2)),
)
def test_composition_is_not_below_the_exact_one(
    rule: type[PrivacyMeasure[Any]], epsilon: Fraction, count: int, slack: Fraction
) -> None:
    """The exact δ of k pure mechanisms at the ε that is claimed, by the worst of them: randomised response.
    Source: Kairouz, Oh and Viswanath 2015, Theorem 3.3."""
    measure = rule()
    cost = Repeat(sens.number(count), laplace(epsilon, Fraction(1), Fraction(0)), NOWHERE)
    price = measure.price(cost, {X: ONE})
    point = dict.fromkeys((choice.symbol for choice in measure.choices), slack)
    claimed, delta = upper(price.epsilon, point), upper(price.delta, point)
    assert claimed is not None and delta is not None
    assert exact_delta(epsilon, count, claimed) <= float(delta) + 1e-12


def exact_delta(epsilon: Fraction, count: int, at: Fraction) -> float:
    e, total = mpmath.mpf(epsilon.numerator) / epsilon.denominator, mpmath.mpf(0)
    for lies in range(count + 1):
        loss = (count - 2 * lies) * e
        excess = mpmath.exp((count - lies) * e) - mpmath.exp(mpmath.mpf(at.numerator) / at.denominator + lies * e)
        total += math.comb(count, lies) * excess if loss > float(at) else 0
    return float(max(mpmath.mpf(0), total) / (1 + mpmath.exp(e)) ** count)


@quick
@given(
    st.fractions(Fraction(1, 20), Fraction(9, 10), max_denominator=20),
    SMALL,
    st.fractions(Fraction(1, 10), 8, max_denominator=10),
)
def test_gaussian_noise_at_any_distance_is_not_below_the_exact_value(
    epsilon: Fraction, delta: Fraction, distance: Fraction
) -> None:
    """Source of the exact value: Balle and Wang 2018, Theorem 8."""
    price = priced(gaussian(epsilon, delta, distance))
    claimed, share = upper(price.epsilon, {}), upper(price.delta, {})
    assert claimed is not None and share is not None
    e, d, apart = (mpmath.mpf(each.numerator) / each.denominator for each in (epsilon, delta, distance))
    ratio = apart / (mpmath.sqrt(2 * mpmath.log(1.25 / d)) / e)
    at = mpmath.mpf(claimed.numerator) / claimed.denominator
    exact = mpmath.ncdf(ratio / 2 - at / ratio) - mpmath.exp(at) * mpmath.ncdf(-ratio / 2 - at / ratio)
    assert exact <= mpmath.mpf(share.numerator) / share.denominator + SLACK


@quick
@given(st.fractions(Fraction(1, 10), 3, max_denominator=10), st.integers(1, 6), st.integers(0, 6))
def test_a_sample_is_not_below_the_exact_value(epsilon: Fraction, rows: int, drawn: int) -> None:
    """Randomised response on the sum of the rows drawn tells most of one row if all others are equal: both answers
    have the probabilities of a mixture."""
    draws = min(drawn, rows)
    record, matrix = Var("row", members=1), Var("D")
    event = Laplace(ONE, sens.number(epsilon))
    body = Release(event, {matrix: ONE, record: ONE}, ONE, NOWHERE)
    along = {matrix: {X: ONE}}
    cost = Sampled(
        Sampling.WITHOUT_REPLACEMENT, sens.number(draws), sens.number(rows), along, record, True, body, NOWHERE
    )
    claimed = upper(priced(cost).epsilon, {})
    q, p = draws / rows, math.exp(epsilon) / (1 + math.exp(epsilon))
    exact = math.log((q * p + (1 - q) * (1 - p)) / (1 - p))
    assert claimed is not None and exact <= float(claimed) + 1e-9
    assert float(claimed) <= exact + 1e-9, "and is attained"


def test_what_goes_past_a_sample_counts_beside_what_goes_through_it() -> None:
    record, matrix = Var("row", members=1), Var("D")
    body = Repeat(sens.number(9), Release(Laplace(ONE, ONE), {matrix: ONE, record: ONE, X: ONE}, ONE, NOWHERE), NOWHERE)
    cost = Sampled(
        Sampling.WITHOUT_REPLACEMENT, ONE, sens.number(10**6), {matrix: {X: ONE}}, record, True, body, NOWHERE
    )
    assert reaches(SymbolicBasic().loss(cost, {X: ONE}).epsilon, SymbolicBasic().loss(body, {X: ONE}).epsilon)
    assert reaches(Zcdp().loss(cost, {X: ONE}).own.rho, Zcdp().loss(body, {X: ONE}).own.rho)


def test_the_laws_are_looked_at_where_they_say_something() -> None:
    """What is generated holds prices that are more than 0, less than ∞ and different from each other."""
    sample = [priced(laplace(Fraction(e), Fraction(x), Fraction(1))) for e, x in product((1, 2), (1, 2))]
    assert len({upper(price.epsilon, {}) for price in sample}) == 3
