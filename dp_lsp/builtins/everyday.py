"""Rows for everyday functions that jump, or that have no largest slope everywhere.

Of a private number they have a bound only between ends where they are nowhere steep. They are here for what has been
released already, too, and for public numbers: what moves with nothing may go through any function.

Rows for what a number is like: its sign, whether it is 0, 1, whole or even, and its real part.

What answers a question about a number jumps where the answer changes: of a whole number by 1 where that is another one,
of any other by as much for no step at all. A program may give these names another meaning. (There is no row for
`signbit`: it tells -0.0 from 0.0, which are the same number to all others, so `0 * x` moves by 0.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dp_lsp.builtins import intervals, linear, shapes
from dp_lsp.builtins.arithmetic import METRICS, numeric
from dp_lsp.builtins.define import Args, Builtin, Demand, Form, Refusal, Refused, each, form, only
from dp_lsp.builtins.factors import by_slope, ceiling_factors, fused_factors
from dp_lsp.builtins.monotonicity import IN_ALL
from dp_lsp.builtins.orders import ENTRIES, some_entries
from dp_lsp.builtins.patterns import INTEGER_NUMBER, REAL_NUMBER, STATIC_INTEGER, GivenType, Records
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import IntegerArguments, Integral, Jumps, NeverNaN, Orders, Replaceable, Rounds, everyday
from dp_lsp.core import machine
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import NumberOf
from dp_lsp.core.sens import INFINITY, ONE, log_inverse, magnitude, number
from dp_lsp.core.types import BOOL, INTEGER, REAL, Base, Bounds, Kind, NumberType, Type
from dp_lsp.core.values import replace

_JUMPS = "Whole numbers that differ are at least 1 apart, as the answers then are at most"
_STEEPEST = Fraction(355, 113)  # Archimedes' and Zu's: above π by less than 3 in ten million


def _truth(args: Args) -> Type:
    return BOOL


def _sign(args: Args) -> Type:
    given = args["x"]
    base = given.base if isinstance(given, NumberType) else Base.REAL
    return NumberType(base, bounds=Bounds(Poly.of(-1), Poly.of(1)))


def _between_signs(args: Args) -> Type:
    return NumberType(Base.REAL, bounds=Bounds(Poly.of(-1), Poly.of(1)))


def _same(operand: Bounds) -> Bounds:
    return operand


def _fused(x: Poly, y: Poly, z: Poly) -> Poly | None:
    return x * y + z if len(x.terms) == 1 or len(y.terms) == 1 else None


def _fused_bounds(x: Bounds, y: Bounds, z: Bounds) -> Bounds | None:
    product = intervals.product(x, y)
    return None if product is None else intervals.added(product, z)


_computed = numeric(_fused, bounds=_fused_bounds)


def _sum_of_product(args: Args) -> Type:
    found = _computed(args)
    assert not isinstance(found, Refusal), "all of them are numbers over ℝ"
    return found


QUALITIES: tuple[Builtin, ...] = (
    *(
        Builtin(
            name,
            f"{name}(x)",
            (form(_truth, ceiling_factors, x=pattern),),
            f"Whether a number is {words}. 1-sensitive for an Integer; ∞ for a private Real, where it jumps.",
            _JUMPS,
            (f"f(x::{base}) = {name}(x)",),
            (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
            traits=(Integral(True), NeverNaN(), Replaceable()),
        )
        for name, base, pattern, words in (
            ("iszero", "Real", REAL_NUMBER, "0"),
            ("isone", "Real", REAL_NUMBER, "1"),
            ("isinteger", "Real", REAL_NUMBER, "whole"),
            ("iseven", "Integer", INTEGER_NUMBER, "even"),
            ("isodd", "Integer", INTEGER_NUMBER, "odd"),
        )
    ),
    Builtin(
        "sign",
        "sign(x)",
        (form(_sign, ceiling_factors, x=REAL_NUMBER),),
        "-1, 0 or 1, as the number is negative, 0 or positive. 1-sensitive for an Integer; ∞ for a private Real, where "
        "it jumps.",
        "From -1 to 1 there are two steps of whole numbers",
        ("f(x::Real) = sign(x)", "f(x::Integer) = sign(x)"),
        (Refused("f(x::Data) = sign(x)", "DP202"),),
        traits=(NeverNaN(), Replaceable()),
    ),
    *(
        Builtin(
            name,
            f"{name}(x)",
            (form(numeric(lambda x: x, bounds=_same), each(), linear=linear.added, x=REAL_NUMBER),),
            f"The {words} of a number that is not complex: the number.",
            METRICS,
            (f"f(x::Real) = {name}(x)",),
            (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
            traits=(NeverNaN(), IN_ALL, Replaceable()),
        )
        for name, words in (("real", "real part"), ("conj", "conjugate"))
    ),
    *(
        Builtin(
            name,
            f"{name}(x)",
            (form(_between_signs, each(number(_STEEPEST)), x=REAL_NUMBER),),
            f"The {words} of π times a number; π-sensitive: nowhere is it steeper.",
            "The mean value theorem: the derivative is nowhere larger than π",
            (f"f(x::Real) = {name}(x)",),
            (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
            traits=(NeverNaN(), Integral(False), Replaceable()),
        )
        for name, words in (("sinpi", "sine"), ("cospi", "cosine"))
    ),
    Builtin(
        "muladd",
        "muladd(x, y, z)",
        (form(_sum_of_product, fused_factors, x=REAL_NUMBER, y=REAL_NUMBER, z=REAL_NUMBER),),
        "x·y + z. It moves with x and y as the product does, and with z as far as that.",
        "As for the product and the sum that it is",
        ("f(x::Real, k::Static()) = muladd(k, x, 1)", "f(x::Real, k::Static(), z::Real) = fma(x, k, z)"),
        (Refused("f(x::Data) = muladd(2, x, 1)", "DP202"),),
        aliases=("fma",),
        traits=(NeverNaN(), Replaceable()),
    ),
)
"""The rows."""


_POST = "A function of what was released is post-processing, and costs nothing"


# Roots, logarithms, exponentials


def _root(x: Poly) -> Poly:
    """√x; of a number that is not negative |x| is x."""
    return magnitude(x).root().single_poly()


def _logarithm(x: Poly) -> Poly:
    """ln(x), which is ln(1/y) for y = 1/x; of a number of at least 1 |y| is y."""
    return log_inverse(magnitude(x.inverse()).single_poly()).single_poly() if x.terms else x  # of 0 a condition fails


def _not_negative(x: Poly) -> Demand:
    """A static number must not be negative: what it is a product of and may be negative must not be."""
    single = x.single
    if single is not None and single[1] > 0:
        monomial = tuple((atom, power) for atom, power in single[0] if power % 2 and not atom.nonnegative)
        x = Poly({monomial: Fraction(1)})
    return Demand(Poly.of(0), "<=", x, "x")


def _at_least_one(x: Poly) -> Demand:
    return Demand(Poly.of(1), "<=", x, "x")


def _between(shape: shapes.Rule) -> intervals.Rule:
    """The bounds of what a function takes an interval to."""

    def rule(operand: Bounds) -> Bounds | None:
        found = shape(intervals.in_numbers(operand))
        if found is None or found.low is None or found.high is None:
            return None
        return Bounds(Poly.of(found.low), Poly.of(found.high))

    return rule


def _of_a_number(
    value: Callable[[Poly], Poly], demand: Callable[[Poly], Demand], shape: shapes.Rule, steepest: shapes.Slope
) -> Form:
    return form(
        numeric(value, Base.REAL, _between(shape)),
        by_slope(steepest),
        lambda args: tuple(demand(known) for known in args.statics if known is not None),
        fails_on=("x",),
        x=REAL_NUMBER,
    )


# Rounding


def _rounded(bounds: intervals.Rule) -> Callable[[Args], Type]:
    """A whole number, of the type that it had: Julia rounds a float to a float."""

    def result(args: Args) -> Type:
        given = args["x"]
        return NumberType(given.base, bounds=bounds(intervals.of(given))) if isinstance(given, NumberType) else REAL

    return result


def _as_integer(bounds: intervals.Rule) -> Callable[[Args], Type | Refusal]:
    def result(args: Args) -> Type | Refusal:
        wanted = args.given_type("T")
        if not isinstance(wanted, NumberOf) or wanted.base is not Base.INTEGER or wanted.bounds is not None:
            return Refusal("it rounds to an Integer only")
        around = bounds(intervals.of(args["x"]))
        return NumberType(Base.INTEGER, bounds=around, stored=wanted.stored or machine.POSITION)

    return result


# The order of entries


def _sorted(args: Args) -> Type:
    box = args.container("v")
    return replace(box, element=NumberType(box.element.base)) if isinstance(box.element, NumberType) else box


def _sorted_records(args: Args) -> Type:
    dataset = args.dataset("v")
    return replace(dataset, metric=dataset.metric.unordered)


_NUMBERS = "f(v::MetricVector({}, {})) = {}"
_RELEASED = "f(x::Real) :: Priv() = {}(laplacian_mechanism(1, 1, x))"

_ROWS: tuple[Builtin, ...] = (
    Builtin(
        "sqrt",
        "sqrt(x)",
        (_of_a_number(_root, _not_negative, shapes.root, shapes.steepest_root),),
        "The square root of a public number that is not negative, or of one that was released. Of a private number of "
        "at least L > 0 it is 1/(2√L)-sensitive; of others it has no bound (∞): near 0 it has no largest slope.",
        _POST,
        (
            "f(x::Real, k::Static()) = sqrt(k) * x",
            _RELEASED.format("sqrt"),
            "f(x::Real) = sqrt(clamp(x, 4, 9))",
            "f(x::Real) = sqrt(x)",
        ),
        (
            Refused("f(x::Real) = sqrt(-4) * x", "DP304"),
            Refused("f(v::MetricVector(Real, L2)) = sqrt(v)", "DP202"),
        ),
        traits=(Shape(shapes.root), Integral(False), NeverNaN(), Jumps()),
    ),
    Builtin(
        "log",
        "log(x)",
        (_of_a_number(_logarithm, _at_least_one, shapes.logarithm, shapes.steepest_logarithm),),
        "The natural logarithm of a public number of at least 1, or of a number that was released. Of a private number "
        "of at least L > 0 it is 1/L-sensitive; of others it has no bound (∞): near 0 it has no largest slope.",
        _POST,
        (
            "f(x::Real, k::Static()) = log(k) * x",
            _RELEASED.format("log"),
            "f(x::Real) = log(clamp(x, 2, 9))",
            "f(x::Real) = log(x)",
        ),
        (
            Refused("f(x::Real) = log(0.5) * x", "DP304"),
            Refused("f(v::MetricVector(Real, L2)) = log(v)", "DP202"),
        ),
        traits=(Shape(shapes.logarithm), Integral(False), NeverNaN()),
    ),
    Builtin(
        "exp",
        "exp(x)",
        (
            form(
                numeric(None, Base.REAL, _between(shapes.exponential)),
                by_slope(shapes.steepest_exponential),
                x=REAL_NUMBER,
            ),
        ),
        "e to the power x, of a public number, or of one that was released. Of a private number of at most U it is "
        "e^U-sensitive; of others it has no bound (∞): its slope grows without end.",
        _POST,
        (_RELEASED.format("exp"), "f(x::Real) = exp(clamp(x, -1, 0))", "f(x::Real) = exp(x)"),
        (Refused("f(v::MetricVector(Real, L2)) = exp(v)", "DP202"),),
        traits=(Shape(shapes.exponential), Integral(False), NeverNaN()),
    ),
    *(
        Builtin(
            name,
            f"{name}(x), {name}(Int, x)",
            (
                form(_rounded(intervals.rising(whole)), ceiling_factors, x=REAL_NUMBER),
                form(
                    _as_integer(intervals.rising(whole)),
                    only(x=lambda args: ceiling_factors(args)[0]),
                    T=GivenType(),
                    x=REAL_NUMBER,
                ),
                form(lambda args: REAL, each(INFINITY), keywords={"digits": STATIC_INTEGER}, x=REAL_NUMBER),
            ),
            f"{words}; with `digits`, to so many digits after the decimal point. 1-sensitive for an Integer; ∞ for a "
            "private Real, where it jumps; what moves by s where one record of a dataset does moves by at most "
            f"{'s rounded down, and 1,' if name == 'round' else 's rounded up'} then.",
            _POST,
            (
                _RELEASED.format(name),
                f"f(x::Real) :: Priv() = {name}(Int, laplacian_mechanism(1, 1, x))",
                f"f(x::Real) :: Priv() = {name}(laplacian_mechanism(1, 1, x); digits=2)",
                f"f(x::Integer) = {name}(x)",
            ),
            (
                Refused(f"f(v::MetricVector(Real, L1)) = {name}(v)", "DP202"),
                Refused(f"f(x::Real) = {name}(Real, x)", "DP208"),
            ),
            traits=(NeverNaN(), IntegerArguments(("digits",)), Jumps(), Rounds(to_nearest=name == "round")),
        )
        for name, whole, words in (
            ("round", round, "The nearest whole number, the even one of two that are equally near"),
            ("floor", math.floor, "The largest whole number that is at most x"),
            ("trunc", math.trunc, "The whole part of x: rounded towards 0"),
        )
    ),
    Builtin(
        "sort",
        "sort(v)",
        (
            form(_sorted, only(v=ONE), v=ENTRIES),
            form(_sorted_records, only(v=ONE), v=Records(frozenset({Kind.VECTOR}))),
        ),
        "The entries from the smallest to the largest. 1-sensitive for numbers, in every norm; for a dataset, the same "
        "records as a bag, whose order means nothing.",
        "Of all ways to pair the entries of two vectors, the sorted one brings them nearest, in every norm",
        (_NUMBERS.format("Real", "L2", "sort(v)"), _NUMBERS.format("Real", "Hamming", "sort(v)")),
        (Refused("f(v::MetricVector(Data, L2)) = sort(v)", "DP202"), Refused("f(x::Real) = sort(x)", "DP202")),
        traits=(Orders(),),
    ),
    *(
        Builtin(
            name,
            f"{name}(v)",
            (form(lambda args: INTEGER, each(INFINITY), some_entries, v=ENTRIES),),
            f"The position of the {words} entry, for what was released. Of private numbers it has no bound (∞): it "
            "jumps. To select privately, use `{code[report_noisy_max]}`.",
            _POST,
            (
                "f(v::MetricVector(Real, Symmetric)) :: Priv() = "
                f"{name}(laplacian_mechanism(1, 1, histogram(v, [0, 1, 2])))",
                _NUMBERS.format("Real", "L1", f"{name}(v)"),
            ),
            (
                Refused(f"f(x::Real) = {name}(0:-1) * x", "DP304"),
                Refused(f"f(x::Real) = {name}(x)", "DP202"),
            ),
            traits=(Integral(True),),
        )
        for name, words in (("argmax", "largest"), ("argmin", "smallest"))
    ),
)

ROWS = everyday(_ROWS)
"""The rows; people call their variables like them."""
