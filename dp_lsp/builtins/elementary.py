"""Rows for elementary functions of numbers, and for the circle's number.

They are functions of everyday names that a program may define anew: then what it says counts, wherever it stands in
the module (:class:`dp_lsp.builtins.traits.Replaceable`). Those that are nowhere steeper than 1 move no further than
their argument; the others have no largest slope, or are not defined everywhere, and are here for what is public or was
released.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dp_lsp.builtins import intervals, linear, shapes
from dp_lsp.builtins.arithmetic import METRICS, numeric
from dp_lsp.builtins.define import Args, Builtin, Factors, Refused, Trait, each, form, free
from dp_lsp.builtins.monotonicity import IN_ALL, Monotone
from dp_lsp.builtins.patterns import INTEGER_NUMBER, REAL_NUMBER, Box, Records
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import Integral, NeverNaN, Replaceable
from dp_lsp.core import machine
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import INFINITY, ZERO, Sens, number
from dp_lsp.core.types import BOOL, REAL, Base, Bounds, NumberType, Type

PI = Fraction(884279719003555, 2**48)
"""What π is as a Float64. Beside a number of another type Julia rounds it to that: like any number that is written out
it is taken for what it stands for."""

_WITHIN_ONE = "The mean value theorem: the derivative is nowhere larger than 1"
_POST = "A function of what is public moves with nothing"


def _constant(args: Args) -> Type:
    return NumberType(Base.REAL, Poly.of(PI), stored=machine.OTHER_REAL)


def _squared(x: Poly) -> Poly | None:
    return x * x if len(x.terms) == 1 else None


def _square_factors(args: Args) -> tuple[Sens, ...]:
    """\\|x² - y²\\| = \\|x - y\\|·\\|x + y\\|, which is 2·max(\\|L\\|, \\|U\\|) at most."""
    if args.is_static(0):
        return (ZERO,)
    bounds = intervals.of(args["x"])
    return (INFINITY if bounds is None else number(2) * intervals.most(bounds),)


def _square_bounds(operand: Bounds) -> Bounds | None:
    return intervals.power(operand, 2)


def _same_bounds(operand: Bounds) -> Bounds:
    return operand


def _public_steep(args: Args) -> tuple[Sens, ...]:
    """No bound for what is private."""
    return tuple(ZERO if args.is_static(index) else INFINITY for index in range(len(args)))


def _between(low: int, high: int) -> Callable[[Args], Type]:
    return lambda args: NumberType(Base.REAL, bounds=Bounds(Poly.of(low), Poly.of(high)))


def _truth(args: Args) -> Type:
    return BOOL


def _real(args: Args) -> Type:
    return REAL


def _of_the_same(value: int) -> Callable[[Args], Type]:
    """The number 0 or 1, stored as the argument is."""

    def result(args: Args) -> Type:
        given = args["x"]
        base = given.base if isinstance(given, NumberType) else Base.REAL
        return NumberType(base, Poly.of(value))

    return result


def _row(
    name: str,
    result: Callable[[Args], Type],
    factors: Factors,
    words: str,
    source: str,
    *traits: Trait,
    domain: bool = False,
) -> Builtin:
    """A function of one number; it may fail where its ``domain`` is not all numbers."""
    return Builtin(
        name,
        f"{name}(x)",
        (form(result, factors, fails_on=("x",) if domain else (), x=REAL_NUMBER),),
        words,
        source,
        (f"f(x::Real) = {name}(x)",),
        (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
        traits=(*traits, Integral(False), Replaceable()),
    )


ROWS: tuple[Builtin, ...] = (
    Builtin(
        "pi",
        "pi",
        (form(_constant, free),),
        "The circumference of a circle of diameter 1, as a Float64.",
        METRICS,
        ("f(x::Real) = pi * x", "f(x::Real) = π * x"),
        (),
        aliases=("π",),
        traits=(Integral(False), NeverNaN(), Replaceable(value=True)),
    ),
    Builtin(
        "abs2",
        "abs2(x)",
        (form(numeric(_squared, bounds=_square_bounds), _square_factors, x=REAL_NUMBER),),
        "x·x. Of a number between L and U it is 2·max(|L|, |U|)-sensitive; of a private one of which nothing is known "
        "it has no bound (∞).",
        "The mean value theorem; the slope is largest at the end that is farther from 0",
        ("f(x::Real) = abs2(clamp(x, 0, 3))", "f(x::Real, c::Static()) = abs2(c) * x", "f(x::Real) = abs2(x)"),
        (Refused("f(x::Data) = abs2(x)", "DP202"),),
        traits=(
            Shape(shapes.square),
            NeverNaN(),
            Monotone(lambda args: (intervals.way(intervals.of(args["x"])),)),
            Replaceable(),
        ),
    ),
    Builtin(
        "float",
        "float(x)",
        (form(numeric(lambda x: x, Base.REAL, _same_bounds), each(), linear=linear.added, x=REAL_NUMBER),),
        "The same number, stored as a float.",
        METRICS,
        ("f(x::Integer) = float(x)",),
        (Refused("f(x::Data) = float(x)", "DP202"),),
        traits=(NeverNaN(), IN_ALL, Integral(False), Replaceable()),
    ),
    *(
        Builtin(
            name,
            f"{name}(x)",
            (form(numeric(lambda x: x, Base.REAL, _same_bounds), each(), linear=linear.added, x=REAL_NUMBER),),
            f"The same number, stored as {name}.",
            METRICS,
            (f"f(x::Integer) = {name}(x)",),
            (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
            traits=(NeverNaN(), IN_ALL, Integral(False)),
        )
        for name in ("Float64", "Float32")
    ),
    Builtin(
        "Int",
        "Int(x)",
        (form(numeric(lambda x: x, Base.INTEGER, _same_bounds), each(), linear=linear.added, x=INTEGER_NUMBER),),
        "The same whole number, stored as an Int.",
        METRICS,
        ("f(x::Integer) = Int(x)",),
        (Refused("f(x::Real) = Int(x)", "DP202"),),
        aliases=("Int64",),
        traits=(NeverNaN(), IN_ALL, Integral(True)),
    ),
    *(
        Builtin(
            name,
            f"{name}(x)",
            (form(_of_the_same(value), free, x=REAL_NUMBER),),
            f"The number {value}, stored as x is.",
            METRICS,
            (f"f(x::Real) = {name}(x)",),
            (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
            traits=(NeverNaN(), Replaceable()),
        )
        for name, value in (("zero", 0), ("one", 1), ("oneunit", 1), ("imag", 0))
    ),
    Builtin(
        "isempty",
        "isempty(v)",
        (
            form(_truth, free, v=Box(truth=True)),
            form(_truth, free, v=Records(sized=True)),
            form(_truth, each(), v=Records(sized=False)),
        ),
        "Whether there are no entries. Public where their number is; of a dataset in Symmetric or InsertDelete it is "
        "private, and 1-sensitive, as truth values that differ are 1 apart.",
        METRICS,
        (
            "f(v::Vector{<:Real}) = isempty(v)",
            "f(v::MetricVector(Real, ChangeOne)) = isempty(v)",
            "f(v::MetricVector(Real, Symmetric)) = isempty(v)",
        ),
        (Refused("f(x::Real) = isempty(x)", "DP202"),),
        traits=(Integral(True), NeverNaN(), Replaceable()),
    ),
    *(
        _row(name, result, each(), f"{words} of a number; 1-sensitive: nowhere is it steeper.", _WITHIN_ONE, NeverNaN())
        for name, result, words in (
            ("sin", _between(-1, 1), "The sine"),
            ("cos", _between(-1, 1), "The cosine"),
            ("tanh", _between(-1, 1), "The hyperbolic tangent"),
            ("atan", _between(-2, 2), "The arc whose tangent is that"),
            ("asinh", _real, "The number whose hyperbolic sine is that"),
        )
    ),
    *(
        _row(
            name,
            result,
            _public_steep,
            f"{words}, of a public number, or of one that was released; of a private one it has no bound (∞).",
            _POST,
        )
        for name, result, words in (
            ("tan", _real, "The tangent"),
            ("sinh", _real, "The hyperbolic sine"),
            ("cosh", _real, "The hyperbolic cosine"),
            ("expm1", _real, "e to the power x, less 1"),
            ("exp2", _real, "2 to the power x"),
            ("exp10", _real, "10 to the power x"),
            ("cbrt", _real, "The cube root"),
        )
    ),
    *(
        _row(
            name,
            result,
            _public_steep,
            f"{words}, of a public number, or of one that was released; of a private one it has no bound (∞). It fails "
            "where it is not defined.",
            _POST,
            domain=True,
        )
        for name, result, words in (
            ("asin", _between(-2, 2), "The arc whose sine is that"),
            ("acos", _between(0, 4), "The arc whose cosine is that"),
            ("acosh", _real, "The number whose hyperbolic cosine is that"),
            ("atanh", _real, "The number whose hyperbolic tangent is that"),
            ("log1p", _real, "The natural logarithm of 1 + x"),
            ("log2", _real, "The logarithm to the base 2"),
            ("log10", _real, "The logarithm to the base 10"),
        )
    ),
)
"""The rows."""
