"""Rows for elementary functions of numbers, and for the circle's number.

They are functions of everyday names that a program may define anew: then what it says counts, wherever it stands in
the module (:class:`dp_lsp.builtins.traits.Replaceable`). Those that are nowhere steeper than 1 move no further than
their argument; the others have no largest slope, or are not defined everywhere, and are here for what is public or was
released.

Rows for truth values: comparisons, logic, and a choice between two values.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dp_lsp.builtins import intervals, linear, shapes
from dp_lsp.builtins.arithmetic import CALCULUS, METRICS, joined_elements, numeric
from dp_lsp.builtins.define import Args, Builtin, Demand, Factors, Form, Refusal, Refused, Trait, each, form, free
from dp_lsp.builtins.factors import are_data
from dp_lsp.builtins.monotonicity import IN_ALL, Monotone
from dp_lsp.builtins.patterns import BOOL as A_BOOL
from dp_lsp.builtins.patterns import INTEGER_NUMBER, NUMBER, REAL_NUMBER, Box, Records
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import Conditional, Integral, Jumps, NeverNaN, Replaceable, ShortCircuit
from dp_lsp.core import machine
from dp_lsp.core.algebra import Poly
from dp_lsp.core.metrics import diameter
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, number
from dp_lsp.core.types import BOOL, REAL, Base, Bounds, Clip, Container, Kind, NumberType, Type
from dp_lsp.core.values import replace

_COMPARED = Box(arithmetic=True, kind="k", truth=True)  # those of different sizes differ
_CHOSEN = Box(frozenset({Kind.VECTOR, Kind.MATRIX}), "N", arithmetic=True, kind="k", truth=True)


def _sizes(args: Args) -> list[tuple[Poly, Poly]]:
    """Of two containers, along each dimension."""
    first, second = args.containers
    rows = [(first.rows, second.rows)] if first.rows is not None and second.rows is not None else []
    return [(first.length, second.length), *rows]


_OF_BOOLS = form(lambda args: BOOL, each(), x=A_BOOL, y=A_BOOL)


def _compared_truth(args: Args) -> Type | Refusal:
    """A Bool, where the numbers compared may be compared."""
    joined = args.base
    return joined if isinstance(joined, Refusal) else BOOL


def _truth_of_containers(args: Args) -> Type | Refusal:
    """A Bool, where the elements compared may be compared. Those of different sizes are never equal."""
    if any((one - other).number not in (None, 0) for one, other in _sizes(args)):
        return Refusal("they have different sizes")
    joined = joined_elements(args)
    return joined if isinstance(joined, Refusal) else BOOL


def _at_a_border(type_: Type) -> Sens:
    """1 where different values are at least 1 apart; ∞ for Real, which may cross a border by any little step."""
    element = type_.element if isinstance(type_, Container) else type_
    return INFINITY if isinstance(element, NumberType) and element.base is Base.REAL else ONE


def _comparison_factors(args: Args) -> tuple[Sens, ...]:
    return (ONE, ONE) if are_data(args) else tuple(map(_at_a_border, args.types))


def _container_factors(args: Args) -> tuple[Sens, ...]:
    return tuple(map(_at_a_border, args.types))


def _published_factors(factors: Factors) -> Factors:
    """1 on both sides, unless every side that is not static is Real."""

    def of(args: Args) -> tuple[Sens, ...]:
        private = [factor for factor, static in zip(factors(args), args.statics, strict=True) if static is None]
        return (ONE, ONE) if ONE in private else (INFINITY, INFINITY)

    return of


def _equality(numbers: Factors, containers: Factors) -> tuple[Form, ...]:
    return (
        form(_compared_truth, numbers, x=NUMBER, y=NUMBER),
        _OF_BOOLS,
        form(_truth_of_containers, containers, x=_COMPARED, y=_COMPARED),
    )


def _comparison(
    name: str,
    words: str,
    forms: tuple[Form, ...],
    examples: tuple[str, ...],
    refused: Refused,
    published: tuple[Form, ...] | None = None,
) -> Builtin:
    return Builtin(
        name,
        f"x {name} y",
        forms,
        f"Whether x is {words} y. A result of true or false jumps, so a Real side is ∞-sensitive; Integer, Bool and "
        "Data values that differ are at least 1 apart, so there it is 1.",
        CALCULUS,
        (f"f(x::Integer, y::Integer) = x {name} y", *examples),
        (Refused(f"f(x::Data, y::Integer) = x {name} y", "DP208"), refused),
        published=published,
        traits=(Integral(True), Jumps()),
    )


def _chosen_number(args: Args) -> Type | Refusal:
    """A number that lies where either may lie."""
    found = numeric()(args)
    if not isinstance(found, NumberType) or found.base is Base.DATA:
        return found
    return replace(found, bounds=intervals.hull(*map(intervals.of, args.types[1:])))


def _chosen_container(args: Args) -> Type | Refusal:
    """A container of the shape of both, clipped as both are."""
    first, second = args.containers
    element = joined_elements(args)
    if isinstance(element, Refusal):
        return element
    return first.of(element, first.clip if first.clip is second.clip else Clip.U)


def _of_one_size(args: Args) -> tuple[Demand, ...]:
    """No run fails where sizes differ, and the result has that of either."""
    return tuple(Demand(one, "==", other, "b") for one, other in _sizes(args) if one != other)


def _choice(args: Args) -> tuple[Sens, ...]:
    """1 in both values; the condition lets the result jump as far as two values can be apart."""
    first = args.types[1]
    if isinstance(first, Container):
        element = joined_elements(args)
        jump = INFINITY if isinstance(element, Refusal) else diameter(first.of(element))
    else:
        jump = ONE if are_data(args) or not isinstance(first, NumberType) else INFINITY
    return jump, ONE, ONE


_EQUALITY = _equality(_comparison_factors, _container_factors)
_PUBLISHED_EQUALITY = _equality(_published_factors(_comparison_factors), _published_factors(_container_factors))
_ORDER = (form(_compared_truth, _comparison_factors, x=NUMBER, y=NUMBER),)
_TUPLES = "f(x::Integer, y::Integer) = (x, y) {} (y, x)"
_VECTORS = "f(v::MetricVector(Integer, L1)) = v {} v"
_BOOLS = "f(a::Bool, b::Bool) = a {} b"
_NO_BOOL = "f(x::Integer, b::Bool) = {}"

TRUTH: tuple[Builtin, ...] = (
    *(
        _comparison(
            name,
            words,
            _EQUALITY,
            (_BOOLS.format(name), _VECTORS.format(name)),
            Refused(_TUPLES.format(name), "DP202"),
            published,
        )
        for name, words, published in (("==", "equal to", _PUBLISHED_EQUALITY), ("!=", "not equal to", None))
    ),
    *(
        _comparison(name, words, _ORDER, (), Refused(_VECTORS.format(name), "DP202"))
        for name, words in (("<", "less than"), ("<=", "at most"), (">", "greater than"), (">=", "at least"))
    ),
    Builtin(
        "!",
        "!b",
        (form(lambda args: BOOL, each(), b=A_BOOL),),
        "The opposite truth value; 1-sensitive.",
        CALCULUS,
        ("f(x::Integer) = !(x == 1)",),
        (Refused(_NO_BOOL.format("!x"), "DP202"),),
        traits=(Integral(True),),
    ),
    *(
        Builtin(
            name,
            f"a {name} b",
            (form(lambda args: BOOL, each(), a=A_BOOL, b=A_BOOL),),
            f"{words} of two truth values; 1-sensitive in each. Where a decides, b is not evaluated.",
            CALCULUS,
            (f"f(x::Integer) = x == 1 {name} x == 2",),
            (Refused(_NO_BOOL.format(f"b {name} x"), "DP202"),),
            traits=(ShortCircuit(), Integral(True)),
        )
        for name, words in (("&&", "Both"), ("||", "Either"))
    ),
    Builtin(
        "ifelse",
        "ifelse(c, a, b)",
        (
            form(_chosen_number, _choice, one_of=("a", "b"), linear=linear.either, c=A_BOOL, a=NUMBER, b=NUMBER),
            form(lambda args: BOOL, _choice, one_of=("a", "b"), c=A_BOOL, a=A_BOOL, b=A_BOOL),
            form(_chosen_container, _choice, _of_one_size, one_of=("a", "b"), c=A_BOOL, a=_CHOSEN, b=_CHOSEN),
        ),
        "a if c is true, else b; both are evaluated. It moves as far as the one that moves further. A private "
        "condition lets it jump (∞), but not further than 1 where the values are Data or truth values.",
        CALCULUS,
        (
            "f(x::Real, c::Static()) = ifelse(c > 0, 2 * x, 3 * x)",
            "f(x::Data, y::Data, b::Bool) = ifelse(b, x, y)",
            "f(a::Bool, b::Bool, c::Bool) = ifelse(a, b, c)",
            "f(v::MetricVector(Data, LInf), w::MetricVector(Data, LInf), b::Bool) = ifelse(b, v, w)",
        ),
        (
            Refused("f(x::Real, v::MetricVector(Real, L1), b::Bool) = ifelse(b, x, v)", "DP202"),
            Refused("f(x::Real, y::Real) = ifelse(x, y, 1)", "DP202"),
            Refused("f(c::Static()) = ifelse(c > 0, [1], [1, 2])", "DP304"),
            Refused("f(g::MetricGradient(Real, L1), b::Bool) = ifelse(b, g, g)", "DP202"),
            Refused("f(x::Real, y::Data, b::Bool) = ifelse(b, x, y)", "DP208"),
        ),
        traits=(Conditional(), NeverNaN()),
    ),
)


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


SQUARE = "abs2"

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
        SQUARE,
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
