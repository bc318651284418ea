"""Rows for numbers: arithmetic, powers, and what moves a number into a range or another metric; and for containers that
are added to each other and multiplied by numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce

from dp_lsp.builtins import datasets, intervals, linear, monotonicity, shapes
from dp_lsp.builtins.define import (
    Args,
    Builtin,
    Demand,
    Factors,
    Form,
    Linear,
    Refusal,
    Refused,
    each,
    form,
    joined_base,
    not_negative,
)
from dp_lsp.builtins.factors import (
    ceiling_factors,
    clamp_factors,
    clipn_factors,
    product_factors,
    published_product_factors,
    published_quotient_factors,
    published_remainder_factors,
    quotient_factors,
    remainder_factors,
)
from dp_lsp.builtins.monotonicity import Monotone
from dp_lsp.builtins.patterns import BOOL, NUMBER, REAL_NUMBER, STATIC_INTEGER, Box, Num, NumberOrBox
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import (
    Additive,
    ByRecord,
    ChosenPublicly,
    DividesByLast,
    Integral,
    Jumps,
    LimitedCopy,
    LosesFacts,
    NeedsBounds,
    NeverNaN,
    PreservesZero,
    Rounds,
)
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import decide
from dp_lsp.core.metrics import is_data, is_whole, spread
from dp_lsp.core.sens import (
    INFINITY,
    ONE,
    WIDTH,
    ZERO,
    Sens,
    Way,
    inverse_magnitude,
    magnitude,
    number,
    positive_part,
)
from dp_lsp.core.types import Base, BoolType, Bounds, Container, NumberType, Type
from dp_lsp.core.values import replace


def _same_container(args: Args) -> Type | Refusal:
    """Containers of one shape give one of that shape; its clip is lost."""
    base = joined_elements(args)
    return base if isinstance(base, Refusal) else args.containers[0].of(base)


def joined_elements(args: Args) -> Type | Refusal:
    """The type of the elements of containers added to, compared with or chosen instead of each other."""
    containers = args.containers
    if len({isinstance(type_.element, BoolType) for type_ in containers}) > 1:
        return Refusal("truth values are not numbers")
    bases = {type_.element.base for type_ in containers if isinstance(type_.element, NumberType)}
    if Base.DATA in bases and len(bases) > 1:
        return Refusal("elements that are Data cannot be mixed with Integer or Real")
    if not bases:
        return containers[0].element
    return NumberType(Base.REAL if Base.REAL in bases else bases.pop())


def scaled(args: Args) -> Type | Refusal:
    """One container times, or divided by, numbers; its clip is lost. A public number next to Data counts as Data."""
    if len(args.containers) > 1:
        return Refusal("containers are not multiplied with each other")
    box = args.containers[0]
    base = joined_base([box.element, *args.types])
    return base if isinstance(base, Refusal) else box.of(NumberType(base))


def scaling(divide: bool = False) -> Factors:
    """The size |c| of the public numbers (1/|c| where one divides); ∞ beside a private one over ℝ. Over Data: 1, and
    a private number moves every entry."""

    def factors(args: Args) -> tuple[Sens, ...]:
        public = _public(args, divide)
        if is_data(args.containers[0].element):
            most = ZERO if public.zero else ONE
            return _by_kind(args, most, most * spread(args.containers[0]))
        private = INFINITY if _has_private(args) else ONE
        return _by_kind(args, public * private, public * private)

    return factors


def published_scaling(entries: Callable[[Container], Sens]) -> Factors:
    """The same for Data as for numbers; a private number's factor is the number of ``entries``, in every norm."""

    def factors(args: Args) -> tuple[Sens, ...]:
        public = _public(args, divide=False)
        private = INFINITY if _has_private(args) and not is_data(args.containers[0].element) else ONE
        return _by_kind(args, public * private, public * private * entries(args.containers[0]))

    return factors


def entries(box: Container) -> Sens:
    """The number of entries."""
    return magnitude(box.entries)


def _public(args: Args, divide: bool) -> Sens:
    """The size of the product of the public numbers, or of 1 divided by it."""
    size = inverse_magnitude if divide else magnitude
    return reduce(Sens.__mul__, (size(value) for value in args.statics if value is not None), ONE)


def _has_private(args: Args) -> bool:
    return any(isinstance(type_, NumberType) and type_.static is None for type_ in args.types)


def _by_kind(args: Args, container: Sens, number: Sens) -> tuple[Sens, ...]:
    """A factor for the container and one for each private number; a public one moves with nothing."""
    return tuple(
        container if isinstance(type_, Container) else ZERO if args.is_static(index) else number
        for index, type_ in enumerate(args.types)
    )


CALCULUS = "The Lipschitz constant of the operation in the metrics of its operands, searched exhaustively"
METRICS = "Immediate from the definition of the two metrics on numbers"

_CONTAINER = Box(norm="N", length="n", rows="r", arithmetic=True, kind="k")
_FACTOR = NumberOrBox(NUMBER, Box(arithmetic=True))


def numeric(
    static: Callable[..., Poly | None] | None = None,
    base: Base | None = None,
    bounds: intervals.Rule = intervals.nowhere,
) -> Callable[[Args], Type | Refusal]:
    """A number of the joined base; static where all arguments are and ``static`` computes the value, else between the
    bounds that follow from those of the arguments. A value that is too long to follow has bounds that are not."""

    def result(args: Args) -> Type | Refusal:
        joined = args.base
        if isinstance(joined, Refusal):
            return joined
        kept = base if base is not None and joined is not Base.DATA else joined
        known = [value for value in args.statics if value is not None]
        value = static(*known) if static is not None and len(known) == len(args) else None
        if value is not None:
            return NumberType(kept, value)
        around = [intervals.of(each) for each in args.types]
        around = [intervals.outer(each) for each in around] if len(known) == len(args) else around
        operands = [each for each in around if each is not None]
        return NumberType(kept, bounds=bounds(*operands) if len(operands) == len(args) else None)

    return result


def _remainder(downwards: bool) -> Callable[[Args], Type | Refusal]:
    """What is left when dividing by s, less than |s| away from 0: on the side of s if the quotient is rounded
    ``downwards``, and on that of what is divided if it is rounded towards 0."""

    def result(args: Args) -> Type | Refusal:
        made = numeric()(args)
        divisor = None if args.statics[1] is None else args.statics[1].number
        if divisor is None or not isinstance(made, NumberType) or made.base is Base.DATA:
            return made
        most = abs(divisor) - 1 if made.base is Base.INTEGER else abs(divisor)
        low = -most if divisor < 0 or not downwards else Fraction(0)
        high = most if divisor > 0 or not downwards else Fraction(0)
        return made if most < 0 else replace(made, bounds=Bounds(Poly.of(low), Poly.of(high)))

    return result


def _sum(*values: Poly) -> Poly:
    return reduce(Poly.__add__, values)


def _product(*values: Poly) -> Poly | None:
    """The product, unless it would have very many terms."""
    size = reduce(int.__mul__, (max(1, len(value.terms)) for value in values))
    return reduce(Poly.__mul__, values) if size <= WIDTH * WIDTH else None


def _quotient(x: Poly, y: Poly) -> Poly:
    return x * y.inverse() if y.terms else x  # by 0: a condition fails


def _larger(x: Poly, y: Poly) -> Poly:
    """max(x, y): x + max(0, y - x), x being the shorter one, unless it is known which is larger."""
    known = decide(x, "<=", y)
    if known is None:
        short, long = (y, x) if y.size < x.size else (x, y)
        return short + positive_part(long - short).single_poly()
    return y if known else x


def _largest(*values: Poly) -> Poly:
    return reduce(_larger, values)


def _smallest(*values: Poly) -> Poly:
    return -_largest(*(-value for value in values))


def _in_range(args: Args) -> Type | Refusal:
    """A number between public bounds."""
    found = numeric()(args)
    low, high = args.statics[1:]
    if isinstance(found, Refusal) or low is None or high is None or not isinstance(found, NumberType):
        return found
    return NumberType(found.base, bounds=Bounds(low, high))


def _as_real(args: Args) -> Type:
    return NumberType(Base.REAL, bounds=intervals.of(args["x"]))


def _static_ceiling(args: Args) -> Type:
    """⌈x⌉, static where it can be written; else it is public without being static."""
    value = args.statics[0]
    known = None if value is None else value.number
    if known is not None:
        return NumberType(Base.INTEGER, Poly.of(-(-known.numerator // known.denominator)))
    if value is not None and value.integral:
        return NumberType(Base.INTEGER, value)
    return NumberType(Base.INTEGER, bounds=intervals.rising(math.ceil)(intervals.of(args["x"])))


def _negated(args: Args) -> Type | Refusal:
    """Entries lie between the negatives of their bounds; what was clipped still is."""
    box = args.containers[0]
    element = box.element
    if isinstance(element, NumberType) and element.bounds is not None:
        element = replace(element, bounds=intervals.negated(element.bounds))
    return box.of(element, box.clip)


def _divided(args: Args) -> Type | Refusal:
    """A container divided by a number; half of an Integer is a Real."""
    type_ = scaled(args)
    if isinstance(type_, Container) and is_whole(type_.element):
        return type_.of(NumberType(Base.REAL))
    return type_


def _nonzero(args: Args) -> tuple[Demand, ...]:
    """A static divisor, the last argument, must not be 0."""
    value = args.statics[-1]
    return () if value is None else (Demand(value, "!=", Poly.of(0), args.names[-1]),)


def _ordered(low: str, high: str) -> Callable[[Args], tuple[Demand, ...]]:
    """Static bounds must be in order."""

    def demands(args: Args) -> tuple[Demand, ...]:
        below, above = (args.statics[args.names.index(name)] for name in (low, high))
        return () if below is None or above is None else (Demand(below, "<=", above, low),)

    return demands


def _sum_of_numbers(
    static: Callable[..., Poly | None] | None, of: Linear, bounds: intervals.Rule = intervals.nowhere
) -> Form:
    return form(numeric(static, bounds=bounds), each(), variadic=of is linear.added, linear=of, x=NUMBER, y=NUMBER)


def _sum_of_containers(of: Linear) -> Form:
    return form(_same_container, each(), variadic=of is linear.added, linear=of, x=_CONTAINER, y=_CONTAINER)


def _signed(static: Callable[[Poly], Poly], bounds: intervals.Rule, of: Linear) -> tuple[Form, ...]:
    return form(numeric(static, bounds=bounds), each(), linear=of, x=NUMBER), form(
        _negated, each(), passes_on=("x",), linear=of, x=_CONTAINER
    )


def _products(numbers: Factors, containers: Factors) -> tuple[Form, ...]:
    return (
        form(
            numeric(_product, bounds=intervals.product),
            numbers,
            variadic=True,
            linear=linear.product,
            x=NUMBER,
            y=NUMBER,
        ),
        form(scaled, containers, variadic=True, linear=linear.product, x=_FACTOR, y=_FACTOR),
    )


_DIFFERENCES = (
    *_signed(Poly.__neg__, intervals.negated, linear.difference),
    _sum_of_containers(linear.difference),
)
_BY_NUMBER = form(_divided, scaling(divide=True), _nonzero, linear=linear.quotient, v=_CONTAINER, c=NUMBER)

PLUS, MINUS, TIMES, QUOTIENT, POWER = "+", "-", "*", "/", "^"

ROWS: tuple[Builtin, ...] = (
    Builtin(
        PLUS,
        "x + y",
        (
            *_signed(lambda x: x, intervals.added, linear.added),
            _sum_of_numbers(_sum, linear.added, intervals.added),
            _sum_of_containers(linear.added),
        ),
        "Sum of numbers, or of containers of one kind, norm and size, entry by entry.",
        CALCULUS,
        (
            "f(x::Real, y::Real) = x + y",
            "f(v::MetricVector(Real, L2)) = v + v",
            "f(x::Real) = +x",
            "f(v::MetricVector(Real, L2)) = +v",
        ),
        (
            Refused("f(x::Data, y::Real) = x + y", "DP208"),
            Refused("f(v::MetricVector(Real, L1), w::MetricVector(Real, L2)) = v + w", "DP208"),
        ),
        traits=(PreservesZero(), Additive(lambda index, count: True), NeverNaN(), monotonicity.IN_ALL),
    ),
    Builtin(
        MINUS,
        "x - y",
        (_sum_of_numbers(Poly.__sub__, linear.difference, intervals.difference), *_DIFFERENCES),
        "Difference of numbers, or of containers of one kind, norm and size; with one argument, the negative.",
        CALCULUS,
        (
            "f(x::Real, y::Real) = x - y",
            "f(v::MetricVector(Real, L2)) = v - v",
            "f(x::Real) = -x",
            "f(v::MetricVector(Real, L2)) = -v",
        ),
        (Refused("f(x::Data, y::Real) = x - y", "DP208"), Refused("f(b::Bool) = -b", "DP202")),
        published=(_sum_of_numbers(None, linear.difference), *_DIFFERENCES),
        traits=(
            PreservesZero(),
            Additive(lambda index, count: index == 0 and count > 1),
            NeverNaN(),
            monotonicity.DIFFERENCE,
        ),
    ),
    Builtin(
        "*",
        "x * y",
        _products(product_factors, scaling()),
        "Product of numbers, or of numbers and a container. A public factor c makes the other side |c|-sensitive; "
        "the product of two private numbers has no bound (∞). Data: 1, and a private number moves every entry.",
        CALCULUS,
        ("f(x::Real) = 3 * x", "f(v::MetricVector(Real, L2), c::Static()) = 2 * c * v"),
        (
            Refused("f(x::Data, y::Real) = x * y", "DP208"),
            Refused("f(v::MetricVector(Real, L2)) = v * v", "DP208"),
        ),
        published=_products(published_product_factors, published_scaling(entries)),
        traits=(
            PreservesZero(),
            NeedsBounds(),
            Shape(shapes.product, of_equal=shapes.repeated),
            NeverNaN(),
            monotonicity.PRODUCT,
        ),
    ),
    Builtin(
        "/",
        "x / y",
        (
            form(
                numeric(_quotient, Base.REAL, intervals.quotient),
                quotient_factors,
                _nonzero,
                linear=linear.quotient,
                x=NUMBER,
                y=NUMBER,
            ),
            _BY_NUMBER,
        ),
        "Quotient. A public divisor c that is not 0 makes it 1/|c|-sensitive. A private one of size m or more makes it "
        "1/m-sensitive, and |x|/m² in the divisor for the largest |x|; one that may be 0 has no bound (∞).",
        CALCULUS,
        (
            "f(x::Real) = x / 4",
            "f(x::Real, y::Real) = clamp(x, -1, 1) / clamp(y, 2, 4)",
            "f(v::MetricVector(Real, L2)) = v / 4",
        ),
        (
            Refused("f(x::Real) = x / 0", "DP304"),
            Refused("f(x::Data, y::Real) = x / y", "DP208"),
            Refused("f(v::MetricVector(Real, L2)) = 2 / v", "DP202"),
        ),
        published=(form(numeric(_quotient, Base.REAL), published_quotient_factors, x=NUMBER, y=NUMBER), _BY_NUMBER),
        traits=(
            Integral(False),
            PreservesZero(),
            DividesByLast(),
            LosesFacts("a quotient by a private number has no known bounds"),
            Shape(shapes.quotient),
            NeverNaN(),
            monotonicity.QUOTIENT,
        ),
    ),
    *(
        Builtin(
            name,
            signature,
            (form(_remainder(positive), remainder_factors, _nonzero, fails_on=("s",), x=NUMBER, s=NUMBER),),
            "Remainder. max(1, |s| - 1)-sensitive for an Integer x and a public Integer s other than 0; ∞ over Real, "
            f"where it jumps, but for what datasets move: that jumps by at most {'|s|' if positive else '2|s|'}.",
            CALCULUS,
            (f"f(x::Integer) = {example}",),
            (
                Refused(f"f(x::Integer) = {example.replace('3', '0')}", "DP304"),
                Refused(f"f(x::Data, y::Integer) = {example.replace('3', 'y')}", "DP208"),
            ),
            published=published,
            traits=(Jumps(),),
        )
        for name, signature, example, positive, published in (
            ("%", "x % s", "x % 3", False, (form(numeric(), published_remainder_factors, x=NUMBER, s=NUMBER),)),
            ("mod", "mod(x, s)", "mod(x, 3)", True, None),
        )
    ),
    Builtin(
        "ceil",
        "ceil(x)",
        (form(_static_ceiling, ceiling_factors, x=NUMBER),),
        "The next whole number. 1-sensitive for Integer; ∞ for Real, where it jumps, and for Data; what moves by s "
        "where one record of a dataset does moves by at most s rounded up then.",
        CALCULUS,
        ("f(x::Integer) = ceil(x)", "f(x::Real) = ceil(2.5) * x"),
        (Refused("f(v::MetricVector(Real, L1)) = ceil(v)", "DP202"),),
        published=(form(_static_ceiling, each(), x=NUMBER),),
        traits=(Integral(True), NeverNaN(), Jumps(), Rounds(), monotonicity.IN_ALL),
    ),
    Builtin(
        "abs",
        "abs(x)",
        (
            form(
                numeric(lambda x: magnitude(x).single_poly(), bounds=intervals.size),
                each(),
                linear=linear.size,
                x=NUMBER,
            ),
        ),
        "The absolute value; 1-sensitive.",
        CALCULUS,
        ("f(x::Real) = abs(x)",),
        (Refused("f(v::MetricVector(Real, L1)) = abs(v)", "DP202"),),
        traits=(Shape(shapes.size), NeverNaN(), monotonicity.SIZE),
    ),
    *(
        Builtin(
            name,
            f"{name}(x, y, …)",
            (
                form(
                    numeric(static, bounds=bounds),
                    each(),
                    variadic=True,
                    furthest=True,
                    linear=linear.one_of,
                    x=NUMBER,
                    y=NUMBER,
                ),
            ),
            f"The {words} of numbers; 1-sensitive in each: it moves as far as the one that moves furthest. Containers "
            "are refused: which of two is larger their first entries that differ decide, which jumps.",
            CALCULUS,
            (f"f(x::Real, y::Real) = {name}(x, y)",),
            (
                Refused(f"f(v::MetricVector(Real, L1)) = {name}(v, v)", "DP202"),
                Refused(f"f(x::Data, y::Real) = {name}(x, y)", "DP208"),
            ),
            traits=(Shape(shape, selects=True), NeverNaN(), monotonicity.IN_ALL),
        )
        for name, words, static, bounds, shape in (
            ("min", "smallest", _smallest, intervals.smallest, shapes.smallest),
            ("max", "largest", _largest, intervals.largest, shapes.largest),
        )
    ),
    Builtin(
        "clamp",
        "clamp(x, lo, hi)",
        (
            form(
                _in_range,
                clamp_factors,
                _ordered("lo", "hi"),
                linear=linear.in_range,
                x=NUMBER,
                lo=NUMBER,
                hi=NUMBER,
            ),
            datasets.CLAMP,
        ),
        "x moved into [lo, hi]. 1-sensitive in x for public bounds in order; a private bound has no bound (∞): for "
        "lo > hi the result jumps. min(max(x, lo), hi) is 1-sensitive in each.",
        CALCULUS,
        ("f(x::Real) = clamp(x, 0, 10)", "f(v::MetricVector(Real, Symmetric)) = clamp(v, 0, 10)"),
        (Refused("f(x::Real) = clamp(x, 3, 1)", "DP304"), Refused("f(x::Data, y::Real) = clamp(x, y, 2)", "DP421")),
        traits=(
            LimitedCopy(("x",)),
            ChosenPublicly((("lo", "bound"), ("hi", "bound"))),
            Shape(shapes.within, selects=True),
            NeverNaN(),
            ByRecord.CHANGES,
            monotonicity.IN_FIRST,
        ),
    ),
    Builtin(
        "clipn",
        "clipn(x, upper, lower)",
        (
            form(
                numeric(),
                clipn_factors,
                _ordered("lower", "upper"),
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
        (Refused("f(x::Real) = clipn(x, 1, 3)", "DP304"), Refused("f(x::Data, y::Real) = clipn(x, 2, y)", "DP421")),
        published=(form(numeric(), each(), x=NUMBER, upper=NUMBER, lower=NUMBER),),
        traits=(LimitedCopy(("x",)), ChosenPublicly((("upper", "bound"), ("lower", "bound"))), monotonicity.IN_FIRST),
    ),
    Builtin(
        "disc",
        "disc(x)",
        (
            form(lambda args: NumberType(Base.DATA), each(INFINITY), x=REAL_NUMBER),
            form(lambda args: NumberType(Base.DATA), each(), x=BOOL),
        ),
        "A number as Data, compared by equality. ∞-sensitive: two reals that are almost equal become 1 apart; truth "
        "values are that already.",
        METRICS,
        ("f(x::Integer) = disc(x)", "f(b::Bool) = disc(b)"),
        (Refused("f(x::Data) = disc(x)", "DP202"),),
        aliases=("discrete",),
        traits=(Integral(True),),
    ),
    Builtin(
        "undisc",
        "undisc(x)",
        (form(_as_real, each(INFINITY), x=Num(frozenset({Base.DATA}))),),
        "Data as a Real number. ∞-sensitive: values at distance 1 may be arbitrarily far apart as numbers.",
        METRICS,
        ("f(x::Data) = undisc(x)",),
        (Refused("f(x::Real) = undisc(x)", "DP202"),),
        traits=(Integral(False),),
    ),
)


_MOST_EXPONENT = 16
"""The largest exponent that is followed."""
_TOO_LARGE = f"a power of a private number needs an exponent that is written out, from 0 to {_MOST_EXPONENT}"


def _exponent(args: Args) -> int | None:
    """The exponent, where it is a number that is followed."""
    known = args.static("n").number
    return int(known) if known is not None and 0 <= known <= _MOST_EXPONENT else None


def _power(args: Args) -> Type | Refusal:
    exponent, base, value = _exponent(args), args.base, args.statics[0]
    assert isinstance(base, Base), "the pattern takes no Data"
    if exponent is None:
        known = args.static("n").number
        fails = known is not None and known < 0  # the condition says so
        return NumberType(base) if fails or value is not None else Refusal(_TOO_LARGE)
    if value is not None and (len(value.terms) == 1 or exponent < 2):
        return NumberType(base, _repeated(value, exponent))
    bounds = intervals.outer(intervals.of(args["x"]))
    return NumberType(base, bounds=None if bounds is None else intervals.power(bounds, exponent))


def _repeated(value: Poly, times: int) -> Poly:
    return reduce(Poly.__mul__, [value] * times, Poly.of(1))


def _factors(args: Args) -> tuple[Sens, ...]:
    """``|x^n - y^n| = |x - y|·|x^(n-1) + x^(n-2)·y + … + y^(n-1)|``, which is n·max(|L|, |U|)^(n-1) at most, and comes
    as near to it as x and y to the larger end."""
    exponent = _exponent(args)
    if args.is_static(0) or exponent == 0:
        return ZERO, ZERO
    if exponent == 1:
        return ONE, ZERO
    bounds = intervals.of(args["x"])
    if bounds is None or exponent is None:
        return INFINITY, ZERO
    return number(exponent) * intervals.most(bounds).power(exponent - 1), ZERO


def power_ways(args: Args) -> tuple[Way | None, ...]:
    """An odd power rises with x; an even one does where x is not negative, and falls where it is not positive."""
    exponent = _exponent(args)
    if exponent is None:
        return None, None
    return (Way.RISES if exponent % 2 else intervals.way(intervals.of(args["x"]))), None


POWER_ROWS: tuple[Builtin, ...] = (
    Builtin(
        "^",
        "x ^ n",
        (form(_power, _factors, not_negative("n"), x=REAL_NUMBER, n=STATIC_INTEGER),),
        "A whole power. Of a number between L and U it is n·max(|L|, |U|)^(n-1)-sensitive; of a private one of which "
        "nothing is known it has no bound (∞).",
        "The mean value theorem; the slope is largest at the end that is farther from 0",
        ("f(x::Real) = clamp(x, -1, 3) ^ 2", "f(x::Real) = x ^ 2", "f(x::Real, c::Static()) = c ^ 2 * x"),
        (
            Refused("f(x::Real) = clamp(x, 1, 2) ^ -1", "DP304"),
            Refused("f(x::Real, k::Static(Integer)) = x ^ k", "DP208"),
            Refused("f(x::Data) = x ^ 2", "DP202"),
        ),
        traits=(Shape(shapes.power), NeverNaN(), Monotone(power_ways)),
    ),
)
"""The row."""
