"""Rows for numbers and truth values."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce

from dp_lsp.builtins.define import Args, Builtin, Demand, Form, Refusal, each, form
from dp_lsp.builtins.patterns import BOOL as A_BOOL
from dp_lsp.builtins.patterns import NUMBER, REAL_NUMBER, Box, Num, Pattern
from dp_lsp.builtins.scaling import joined_elements, same_container, scaled, scaling_factors
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import (
    INFINITY,
    LONGEST_NUMBER,
    ONE,
    WIDTH,
    ZERO,
    Sens,
    inverse_magnitude,
    magnitude,
    number,
)
from dp_lsp.core.types import BOOL, Base, Container, Kind, NumberType, Type

CALCULUS = "The Lipschitz constant of the operation in the metrics of its operands, searched exhaustively"


def numeric(
    static: Callable[..., Poly | None] | None = None, base: Base | None = None
) -> Callable[[Args], Type | Refusal]:
    """A number of the joined base; static where all arguments are and ``static`` computes the value."""

    def result(args: Args) -> Type | Refusal:
        joined = args.base
        if isinstance(joined, Refusal):
            return joined
        kept = base if base is not None and joined is not Base.DATA else joined
        values = [type_.static for type_ in args.types if isinstance(type_, NumberType)]
        known = [value for value in values if value is not None]
        if static is None or len(known) < len(args):
            return NumberType(kept)
        value = static(*known)
        return NumberType(kept, value if value is not None and _is_short(value) else None)

    return result


def _is_short(value: Poly) -> bool:
    """Whether a public value is worth following; a longer one is public all the same."""
    return len(value.terms) <= WIDTH and value.bits <= LONGEST_NUMBER


def truth(args: Args) -> Type | Refusal:
    """A Bool, where the numbers compared may be compared."""
    joined = args.base
    return joined if isinstance(joined, Refusal) else BOOL


def is_data(args: Args) -> bool:
    return args.base is Base.DATA


def product_factors(args: Args) -> tuple[Sens, ...]:
    """A private factor moves the product by the sizes of the public ones; two private ones are ∞. Data: 1, or 0 by
    the literal 0."""
    sizes = [args.size(index) for index in range(len(args))]
    public = [size for size in sizes if size is not INFINITY]
    if is_data(args):
        factor = ZERO if any(size.zero for size in public) else ONE
    elif len(sizes) - len(public) > 1:
        factor = ZERO if any(size.zero for size in public) else INFINITY
    else:
        factor = reduce(Sens.__mul__, public, ONE)
    return tuple(factor if size is INFINITY else ZERO for size in sizes)


def quotient_factors(args: Args) -> tuple[Sens, ...]:
    """1/|y| in x for a static y; ∞ otherwise. Data: 1."""
    if is_data(args):
        return ONE, ONE
    divisor = args["y"]
    value = divisor.static if isinstance(divisor, NumberType) else None
    if value is None:
        return INFINITY, INFINITY
    return inverse_magnitude(value), ZERO


def nonzero(name: str) -> Callable[[Args], tuple[Demand, ...]]:
    """A static divisor must not be 0."""

    def demands(args: Args) -> tuple[Demand, ...]:
        type_ = args[name]
        value = type_.static if isinstance(type_, NumberType) else None
        return () if value is None else (Demand(value, "!=", Poly.of(0), name),)

    return demands


def remainder_factors(args: Args) -> tuple[Sens, ...]:
    """max(1, |s| - 1) for Integer by a static Integer s; ∞ over Real; 1 over Data."""
    if is_data(args):
        return ONE, ONE
    divisor = args["s"]
    value = divisor.static if isinstance(divisor, NumberType) else None
    if value is None or args.base is not Base.INTEGER:
        return INFINITY, INFINITY
    known = value.number
    if known is not None:
        return number(max(Fraction(1), abs(known) - 1)), ZERO
    return ONE.at_least(magnitude(value)), ZERO


def comparison_factors(args: Args) -> tuple[Sens, ...]:
    """1 on a side where different values are at least 1 apart; ∞ on a Real side."""
    return tuple(
        INFINITY if isinstance(type_, NumberType) and type_.base is Base.REAL and not is_data(args) else ONE
        for type_ in args.types
    )


def container_comparison_factors(args: Args) -> tuple[Sens, ...]:
    """1 on a side whose elements are at least 1 apart; ∞ on a side of Real elements."""
    elements = (args.container_at(index).element for index in range(len(args)))
    return tuple(
        ONE if isinstance(element, NumberType) and element.base is not Base.REAL else INFINITY for element in elements
    )


def mixed_elements(args: Args) -> Type | Refusal:
    """A Bool, where the elements compared may be compared."""
    joined = joined_elements(args)
    return joined if isinstance(joined, Refusal) else BOOL


def ceiling_factors(args: Args) -> tuple[Sens, ...]:
    """1 for Integer; ∞ for Real (a jump) and Data (any two values are 1 apart)."""
    return (ONE if args.base is Base.INTEGER else INFINITY,)


def static_ceiling(value: Poly) -> Poly | None:
    """⌈x⌉ of a public number, where it can be written; else it is public without being static."""
    known = value.number
    if known is not None:
        return Poly.of(-(-known.numerator // known.denominator))
    return value if value.integral else None


def clamp_factors(args: Args) -> tuple[Sens, ...]:
    """1 in x for static bounds; a private bound decides whether the run throws or jumps."""
    if is_data(args):
        return ONE, ONE, ONE
    bounds = args.types[1:]
    if all(isinstance(type_, NumberType) and type_.static is not None for type_ in bounds):
        return ONE, ZERO, ZERO
    return INFINITY, INFINITY, INFINITY


def clamp_order(low: str, high: str) -> Callable[[Args], tuple[Demand, ...]]:
    """Static bounds must be in order."""

    def demands(args: Args) -> tuple[Demand, ...]:
        below, above = args[low], args[high]
        values = [type_.static for type_ in (below, above) if isinstance(type_, NumberType)]
        first, last = values
        return () if first is None or last is None else (Demand(first, "<=", last, low),)

    return demands


def clipn_factors(args: Args) -> tuple[Sens, ...]:
    bounds = (ZERO if args.size(index) is not INFINITY else INFINITY for index in (1, 2))
    return (ONE, *bounds)


CONTAINER = Box(norm="N", length="n", rows="r", arithmetic=True)
_KIND_BOXES: tuple[Pattern, ...] = tuple(
    Box(frozenset({kind}), "N", length="n", rows="r", arithmetic=True) for kind in Kind
)


def _additive(static: Callable[..., Poly | None], variadic: bool) -> tuple[Form, ...]:
    return (
        form(numeric(static), each(), variadic=variadic, x=NUMBER, y=NUMBER),
        *(form(same_container, each(), variadic=variadic, x=box, y=box) for box in _KIND_BOXES),
    )


def _sum(*values: Poly) -> Poly:
    return reduce(Poly.__add__, values)


def _product(*values: Poly) -> Poly | None:
    """The product, unless it would have very many terms."""
    size = reduce(int.__mul__, (max(1, len(value.terms)) for value in values))
    return reduce(Poly.__mul__, values) if size <= WIDTH * WIDTH else None


def _comparison(name: str, words: str, containers: bool) -> Builtin:
    forms = [form(truth, comparison_factors, x=NUMBER, y=NUMBER)]
    if containers:
        forms.append(form(lambda args: BOOL, each(), x=A_BOOL, y=A_BOOL))
        forms.extend(form(mixed_elements, container_comparison_factors, x=box, y=box) for box in _KIND_BOXES)
    return Builtin(
        name,
        f"x {name} y",
        tuple(forms),
        f"Whether x is {words} y. A result of true or false jumps, so a Real side is ∞-sensitive; Integer, Bool and "
        "Data values that differ are at least 1 apart, so there it is 1.",
        CALCULUS,
        (f"f(x::Integer, y::Integer) = x {name} y",),
    )


def negated(args: Args) -> Type | Refusal:
    box = args.container("x")
    return box.of(box.element, box.clip)


def _real_elements(type_: Type | Refusal) -> Type | Refusal:
    if isinstance(type_, Container) and type_.element == NumberType(Base.INTEGER):
        return type_.of(NumberType(Base.REAL))
    return type_


def _ceiling_type(args: Args) -> Type:
    type_ = args["x"]
    static = type_.static if isinstance(type_, NumberType) else None
    return NumberType(Base.INTEGER, None if static is None else static_ceiling(static))


ROWS: tuple[Builtin, ...] = (
    Builtin(
        "+",
        "x + y",
        (
            form(numeric(_sum), each(), x=NUMBER),
            form(negated, each(), x=CONTAINER),
            *_additive(_sum, variadic=True),
        ),
        "Sum of numbers, or of containers of one kind, norm and size, entry by entry.",
        CALCULUS,
        ("f(x::Real, y::Real) = x + y", "f(v::MetricVector(Real, L2)) = v + v"),
    ),
    Builtin(
        "-",
        "x - y",
        (
            form(numeric(Poly.__neg__), each(), x=NUMBER),
            form(negated, each(), x=CONTAINER),
            *_additive(Poly.__sub__, variadic=False),
        ),
        "Difference of numbers, or of containers of one kind, norm and size; with one argument, the negative.",
        CALCULUS,
        ("f(x::Real, y::Real) = x - y", "f(x::Real) = -x"),
    ),
    Builtin(
        "*",
        "x * y",
        (
            form(numeric(_product), product_factors, variadic=True, x=NUMBER, y=NUMBER),
            form(scaled("v", "c"), scaling_factors("v", "c"), c=NUMBER, v=CONTAINER),
            form(scaled("v", "c"), scaling_factors("v", "c"), v=CONTAINER, c=NUMBER),
        ),
        "Product of numbers, or of a number and a container. A public factor c makes the other side |c|-sensitive; "
        "the product of two private numbers has no bound (∞).",
        CALCULUS,
        ("f(x::Real) = 3 * x", "f(v::MetricVector(Real, L2), c::Static()) = c * v"),
    ),
    Builtin(
        "/",
        "x / y",
        (
            form(
                numeric(lambda x, y: x * y.inverse() if y.terms else x, Base.REAL),
                quotient_factors,
                nonzero("y"),
                x=NUMBER,
                y=NUMBER,
            ),
            form(
                lambda args: _real_elements(scaled("v", "c")(args)),
                scaling_factors("v", "c", divide=True),
                nonzero("c"),
                v=CONTAINER,
                c=NUMBER,
            ),
        ),
        "Quotient. A public divisor c that is not 0 makes it 1/|c|-sensitive; a private divisor has no bound (∞).",
        CALCULUS,
        ("f(x::Real) = x / 4",),
    ),
    *(
        Builtin(
            name,
            signature,
            (form(numeric(), remainder_factors, nonzero("s"), fails_on=("s",), x=NUMBER, s=NUMBER),),
            "Remainder. max(1, |s| - 1)-sensitive for an Integer x and a public Integer s other than 0; ∞ over Real, "
            "where it jumps.",
            CALCULUS,
            (example,),
        )
        for name, signature, example in (
            ("%", "x % s", "f(x::Integer) = x % 3"),
            ("mod", "mod(x, s)", "f(x::Integer) = mod(x, 3)"),
        )
    ),
    Builtin(
        "ceil",
        "ceil(x)",
        (form(_ceiling_type, ceiling_factors, x=NUMBER),),
        "The next whole number. 1-sensitive for Integer; ∞ for Real, where it jumps, and for Data.",
        CALCULUS,
        ("f(x::Integer) = ceil(x)",),
    ),
    Builtin(
        "abs",
        "abs(x)",
        (form(numeric(lambda x: magnitude(x).single_poly()), each(), x=NUMBER),),
        "The absolute value; 1-sensitive.",
        CALCULUS,
        ("f(x::Real) = abs(x)",),
    ),
    *(
        Builtin(
            name,
            f"{name}(x, y, …)",
            (form(numeric(), each(), variadic=True, x=NUMBER, y=NUMBER),),
            f"The {words} of numbers; 1-sensitive in each.",
            CALCULUS,
            (f"f(x::Real, y::Real) = {name}(x, y)",),
        )
        for name, words in (("min", "smallest"), ("max", "largest"))
    ),
    Builtin(
        "clamp",
        "clamp(x, lo, hi)",
        (form(numeric(), clamp_factors, clamp_order("lo", "hi"), x=NUMBER, lo=NUMBER, hi=NUMBER),),
        "x moved into [lo, hi]. 1-sensitive in x for public bounds in order; a private bound has no bound (∞): for "
        "lo > hi the result jumps. min(max(x, lo), hi) is 1-sensitive in each.",
        CALCULUS,
        ("f(x::Real) = clamp(x, 0, 10)",),
    ),
    Builtin(
        "clipn",
        "clipn(x, upper, lower)",
        (
            form(
                numeric(),
                clipn_factors,
                clamp_order("lower", "upper"),
                fails_on=("upper", "lower"),
                x=NUMBER,
                upper=NUMBER,
                lower=NUMBER,
            ),
        ),
        "x moved into [lower, upper]; 1-sensitive in x. A private bound has no bound (∞): it decides whether the run "
        "fails.",
        CALCULUS,
        ("f(x::Real) = clipn(x, 10, 0)",),
    ),
    _comparison("==", "equal to", containers=True),
    _comparison("!=", "not equal to", containers=True),
    _comparison("<", "less than", containers=False),
    _comparison("<=", "at most", containers=False),
    _comparison(">", "greater than", containers=False),
    _comparison(">=", "at least", containers=False),
    Builtin(
        "!",
        "!b",
        (form(lambda args: BOOL, each(), b=A_BOOL),),
        "The opposite truth value; 1-sensitive.",
        CALCULUS,
        ("f(x::Integer) = !(x == 1)",),
    ),
    *(
        Builtin(
            name,
            f"a {name} b",
            (form(lambda args: BOOL, each(), a=A_BOOL, b=A_BOOL),),
            "Both, or either, of two truth values; 1-sensitive in each.",
            CALCULUS,
            (f"f(x::Integer) = x == 1 {name} x == 2",),
        )
        for name in ("&&", "||")
    ),
    Builtin(
        "disc",
        "disc(x)",
        (form(lambda args: NumberType(Base.DATA), each(INFINITY), x=REAL_NUMBER),),
        "A number as Data, compared by equality. ∞-sensitive: two reals that are almost equal become 1 apart.",
        "Immediate from the definition of the two metrics on numbers",
        ("f(x::Integer) = disc(x)",),
        aliases=("discrete",),
    ),
    Builtin(
        "undisc",
        "undisc(x)",
        (form(lambda args: NumberType(Base.REAL), each(INFINITY), x=Num(frozenset({Base.DATA}))),),
        "Data as a Real number. ∞-sensitive: values at distance 1 may be arbitrarily far apart as numbers.",
        "Immediate from the definition of the two metrics on numbers",
        ("f(x::Data) = undisc(x)",),
    ),
)
