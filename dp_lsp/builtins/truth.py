"""Rows for truth values: comparisons, logic, and a choice between two values."""

from __future__ import annotations

from dp_lsp.builtins import intervals, linear
from dp_lsp.builtins.arithmetic import CALCULUS, joined_elements, numeric
from dp_lsp.builtins.define import Args, Builtin, Demand, Factors, Form, Refusal, Refused, each, form
from dp_lsp.builtins.factors import are_data
from dp_lsp.builtins.patterns import BOOL as A_BOOL
from dp_lsp.builtins.patterns import NUMBER, Box
from dp_lsp.builtins.traits import Conditional, Integral, NeverNaN, ShortCircuit
from dp_lsp.core.algebra import Poly
from dp_lsp.core.metrics import diameter
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.types import BOOL, Base, Clip, Container, Kind, NumberType, Type
from dp_lsp.core.values import replace

_COMPARED = Box(arithmetic=True, kind="k", truth=True)  # those of different sizes differ
_CHOSEN = Box(frozenset({Kind.VECTOR, Kind.MATRIX}), "N", arithmetic=True, kind="k", truth=True)


def _sizes(args: Args) -> list[tuple[Poly, Poly]]:
    """Of two containers, along each dimension."""
    first, second = args.containers
    rows = [(first.rows, second.rows)] if first.rows is not None and second.rows is not None else []
    return [(first.length, second.length), *rows]


_OF_BOOLS = form(lambda args: BOOL, each(), x=A_BOOL, y=A_BOOL)


def _truth(args: Args) -> Type | Refusal:
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
        form(_truth, numbers, x=NUMBER, y=NUMBER),
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
        traits=(Integral(True),),
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
_ORDER = (form(_truth, _comparison_factors, x=NUMBER, y=NUMBER),)
_TUPLES = "f(x::Integer, y::Integer) = (x, y) {} (y, x)"
_VECTORS = "f(v::MetricVector(Integer, L1)) = v {} v"
_BOOLS = "f(a::Bool, b::Bool) = a {} b"
_NO_BOOL = "f(x::Integer, b::Bool) = {}"

ROWS: tuple[Builtin, ...] = (
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
