"""Laws of the numbers in bounds: what is computed with symbols agrees with an oracle that knows numbers only."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from operator import eq, le, lt, ne
from typing import Any, NamedTuple

import mpmath
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly, Sign, Symbol
from dp_lsp.core.constraints import Constraint, Origin
from dp_lsp.core.evaluate import Substitution, upper
from dp_lsp.core.notation import SYMPY, Printer, decimal
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens
from dp_lsp.text import Span
from golden import DIGITS

COUNT = Symbol("n", Sign.NONNEGATIVE, integer=True)
ANY = Symbol("c")
SHARE = Symbol("s", Sign.PROBABILITY)
NOWHERE = Origin(Span(0, 0), "")
CLOSE = mpmath.mpf("1e-30")
EXACT = mpmath.mpf(10) ** (10 - DIGITS)

quick = settings(max_examples=40, deadline=None)

Point = dict[Symbol, Fraction]


class Pair(NamedTuple):
    """A number with symbols, and what it is at a point."""

    symbolic: Sens
    at: Callable[[Point], Any]


def exactly(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def constant(value: Fraction) -> Pair:
    return Pair(sens.number(value), lambda point: exactly(value))


def added(a: Pair, b: Pair) -> Pair:
    return Pair(a.symbolic + b.symbolic, lambda point: a.at(point) + b.at(point))


def multiplied(a: Pair, b: Pair) -> Pair:
    return Pair(a.symbolic * b.symbolic, lambda point: a.at(point) * b.at(point))


def larger(a: Pair, b: Pair) -> Pair:
    return Pair(a.symbolic.at_least(b.symbolic), lambda point: max(a.at(point), b.at(point)))


def grown(a: Pair, count: int) -> Pair:
    rounds = sens.geometric(a.symbolic, Poly.of(count))
    return Pair(rounds, lambda point: mpmath.fsum(a.at(point) ** i for i in range(count)))


LEAVES = st.one_of(
    st.fractions(0, 6, max_denominator=8).map(constant),
    st.just(Pair(Sens.of(COUNT), lambda point: exactly(point[COUNT]))),
    st.just(Pair(sens.magnitude(Poly.of(ANY)), lambda point: abs(exactly(point[ANY])))),
    st.just(
        Pair(sens.magnitude(Poly.of(ANY) - Poly.of(2)), lambda point: abs(exactly(point[ANY]) - 2)),
    ),
    st.just(Pair(sens.positive_part(Poly.of(ANY)), lambda point: max(mpmath.mpf(0), exactly(point[ANY])))),
    st.just(
        Pair(
            sens.positive_part(sens.positive_part(Poly.of(ANY)).single_poly() - Poly.of(1)),
            lambda point: max(mpmath.mpf(0), exactly(point[ANY]) - 1),
        )
    ),
    st.just(Pair(Sens.of(SHARE), lambda point: exactly(point[SHARE]))),
    st.just(Pair(sens.log_inverse(Poly.of(SHARE)), lambda point: -mpmath.log(exactly(point[SHARE])))),
)
NUMBERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(added, inner, inner),
        st.builds(multiplied, inner, inner),
        st.builds(larger, inner, inner),
        st.builds(grown, inner, st.integers(0, 5)),
        st.builds(lambda a: Pair(a.symbolic.root(), lambda point: mpmath.sqrt(a.at(point))), inner),
        st.builds(lambda a: Pair(sens.log1p(a.symbolic), lambda point: mpmath.log1p(a.at(point))), inner),
        st.builds(lambda a, k: Pair(a.symbolic.power(k), lambda point: a.at(point) ** k), inner, st.integers(0, 4)),
    ),
    max_leaves=5,
)
POINTS = st.fixed_dictionaries(
    {
        COUNT: st.integers(0, 30).map(Fraction),
        ANY: st.fractions(-5, 5, max_denominator=16),
        SHARE: st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000),
    }
)


def value(number: Sens, point: Point) -> Any:
    found = upper(number, point)
    return mpmath.inf if found is None else exactly(found)


def same(a: Any, b: Any) -> bool:
    return bool(abs(a - b) <= CLOSE * (1 + abs(b)))


@quick
@given(NUMBERS, POINTS)
def test_upper_is_close_and_never_below(pair: Pair, point: Point) -> None:
    found, truth = value(pair.symbolic, point), pair.at(point)
    assert found >= truth - EXACT * (1 + truth)
    assert same(found, truth)


@quick
@given(st.fractions(0, 40, max_denominator=100))
def test_exponentials_are_close_and_never_below(x: Fraction) -> None:
    found, truth = value(sens.expm1(sens.number(x)), {}), mpmath.expm1(exactly(x))
    assert found >= truth - EXACT * (1 + truth)
    assert same(found, truth)


@quick
@given(NUMBERS, NUMBERS, NUMBERS, POINTS)
def test_sums_and_products(a: Pair, b: Pair, c: Pair, point: Point) -> None:
    x, y, z = a.symbolic, b.symbolic, c.symbolic
    equal = [
        (x + y, y + x),
        (x * y, y * x),
        ((x + y) + z, x + (y + z)),
        ((x * y) * z, x * (y * z)),
        (x * (y + z), x * y + x * z),
        (x + ZERO, x),
        (x * ONE, x),
    ]
    for left, right in equal:
        assert same(value(left, point), value(right, point))


@quick
@given(NUMBERS, NUMBERS, NUMBERS, POINTS)
def test_maxima(a: Pair, b: Pair, c: Pair, point: Point) -> None:
    x, y, z = a.symbolic, b.symbolic, c.symbolic
    equal = [
        (x.at_least(y), y.at_least(x)),
        (x.at_least(x), x),
        (x.at_least(y).at_least(z), x.at_least(y.at_least(z))),
        (x + y.at_least(z), (x + y).at_least(x + z)),
        (x * y.at_least(z), (x * y).at_least(x * z)),
        (sens.maximum([x, y, z]), x.at_least(y).at_least(z)),
    ]
    for left, right in equal:
        assert same(value(left, point), value(right, point))
    assert value(x.at_least(y), point) >= value(x, point)


@quick
@given(NUMBERS, NUMBERS, NUMBERS, POINTS)
def test_larger_parts_make_larger_numbers(a: Pair, b: Pair, c: Pair, point: Point) -> None:
    small, big, other = a.symbolic, a.symbolic + b.symbolic, c.symbolic
    grows: list[Callable[[Sens], Sens]] = [
        lambda x: x + other,
        lambda x: x * other,
        lambda x: x.at_least(other),
        lambda x: x.root(),
        lambda x: x.power(3),
        sens.log1p,
        lambda x: sens.geometric(x, Poly.of(4)),
    ]
    for grow in grows:
        low, high = value(grow(small), point), value(grow(big), point)
        assert low <= high + CLOSE * (1 + abs(high))


@quick
@given(NUMBERS)
def test_infinity(a: Pair) -> None:
    x = a.symbolic
    assert (x + INFINITY).infinite and (INFINITY + x).infinite
    assert x.at_least(INFINITY).infinite and INFINITY.at_least(x).infinite
    assert (INFINITY * ZERO).zero and (ZERO * INFINITY).zero
    assert (x * INFINITY).infinite or x.zero
    assert INFINITY.power(0) == ONE and ZERO.power(0) == ONE
    assert sens.power(INFINITY, Poly.of(COUNT)).infinite
    assert sens.power(ZERO, Poly.of(COUNT)) == ONE, "no round is possible"


@quick
@given(st.fractions(0, 3, max_denominator=6), st.integers(0, 60))
def test_rounds_of_a_symbolic_loop(ratio: Fraction, count: int) -> None:
    """With the number of rounds put in afterwards, powers and geometric sums are what they are."""
    base, point = sens.number(ratio), {COUNT: Fraction(count)}
    power, total = value(sens.power(base, Poly.of(COUNT)), point), value(sens.geometric(base, Poly.of(COUNT)), point)
    exact_power, exact_total = exactly(ratio**count), exactly(sum((ratio**i for i in range(count)), Fraction(0)))
    assert power >= exact_power * (1 - EXACT)
    assert total >= exact_total * (1 - EXACT)
    assert same(power, exact_power) or ratio == 0
    assert same(total, exact_total) or ratio == 0


def test_a_geometric_sum_of_a_ratio_that_may_be_one() -> None:
    shown = Printer(SYMPY).sens(sens.geometric(sens.magnitude(Poly.of(ANY)), Poly.of(COUNT)))
    assert sympy.sympify(shown, locals={"c": sympy.Integer(1), "n": sympy.Integer(5)}).doit() == 5


@quick
@given(st.fractions(0, 2**70, max_denominator=10**12).filter(bool))
def test_a_short_decimal_is_not_smaller(x: Fraction) -> None:
    shown = Fraction(decimal(x))
    assert x <= shown <= x * Fraction(102, 100)


@quick
@given(NUMBERS, POINTS)
def test_what_is_printed_is_what_is_meant(pair: Pair, point: Point) -> None:
    numbers = {symbol.name: sympy.Rational(number) for symbol, number in point.items()}
    shown = sympy.sympify(Printer(SYMPY).sens(pair.symbolic), locals=numbers)
    assert same(mpmath.mpf(str(sympy.N(shown, 50))), pair.at(point))


SEVERAL = st.lists(POINTS, min_size=4, max_size=4)


@quick
@given(st.sampled_from(["<", "<="]), NUMBERS, NUMBERS, st.booleans(), SEVERAL)
def test_decided_comparisons_hold_everywhere(
    relation: str, left: Pair, right: Pair, further: bool, points: list[Point]
) -> None:
    if further:
        right = added(left, right)
    decided = Constraint(left.symbolic, relation, right.symbolic, NOWHERE).decide()
    for point in points:
        a, b = left.at(point), right.at(point)
        slack = EXACT * (1 + abs(a) + abs(b))
        assert decided is not True or a <= b + slack
        assert decided is not False or a >= b - slack


def at_a_point(pair: Pair, point: Point) -> Sens:
    """A number with all its symbols put in: roots and logarithms stay."""
    return Substitution({symbol: Poly.of(number) for symbol, number in point.items()}).sens(pair.symbolic)


@quick
@given(st.sampled_from(["<", "<="]), NUMBERS, NUMBERS, POINTS)
def test_comparisons_without_symbols_are_decided(relation: str, left: Pair, right: Pair, point: Point) -> None:
    a, b = left.at(point), right.at(point)
    if abs(a - b) > CLOSE * (1 + abs(a) + abs(b)):
        decided = Constraint(at_a_point(left, point), relation, at_a_point(right, point), NOWHERE).decide()
        assert decided is bool(a < b)


POLYS = st.builds(
    lambda a, b, c, d: (
        Poly.of(a) + Poly.of(b) * Poly.of(COUNT) + Poly.of(c) * Poly.of(ANY) + Poly.of(d) * Poly.of(SHARE)
    ),
    *[st.fractions(-3, 3, max_denominator=2)] * 4,
)


def exact(poly: Poly, point: Point) -> Fraction:
    """A polynomial in symbols only, at a point."""
    total = Fraction(0)
    for monomial, coefficient in poly.terms.items():
        for symbol, power in monomial:
            assert isinstance(symbol, Symbol)
            coefficient *= point[symbol] ** int(power)
        total += coefficient
    return total


@settings(quick, max_examples=200)
@given(st.sampled_from(["<", "<=", "==", "!="]), POLYS, POLYS, SEVERAL)
def test_decided_comparisons_of_numbers_of_any_sign(
    relation: str, left: Poly, right: Poly, points: list[Point]
) -> None:
    holds = {"<": lt, "<=": le, "==": eq, "!=": ne}[relation]
    decided = Constraint(left, relation, right, NOWHERE).decide()
    for point in points:
        assert decided is None or holds(exact(left, point), exact(right, point)) is decided


def test_comparisons_that_must_be_decided() -> None:
    n, one = Poly.of(COUNT), Poly.of(1)
    assert Constraint(Poly.of(SHARE), "<", one, NOWHERE).decide() is True
    assert Constraint(n, "<", n + one, NOWHERE).decide() is True
    assert Constraint(n + one, "<=", n, NOWHERE).decide() is False
    assert Constraint(Sens.of(n), "<=", INFINITY, NOWHERE).decide() is True
    assert Constraint(INFINITY, "<=", Sens.of(n), NOWHERE).decide() is False
    assert Constraint(n, "<=", one, NOWHERE).decide() is None
    capped = Sens((n * Sens.of(n).at_least(sens.number(1000)).single_poly().inverse(),))  # n/max(1000, n)
    for most, expected in ((n * Poly.of(Fraction(1, 1000)), True), (one, True), (n * Poly.of(Fraction(1, 1001)), None)):
        assert Constraint(capped, "<=", Sens.of(most), NOWHERE).decide() is expected
