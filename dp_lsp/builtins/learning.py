"""Rows for gradients, models and black boxes."""

from __future__ import annotations

from dp_lsp.builtins import linear
from dp_lsp.builtins.arithmetic import joined_elements, published_scaling, scaled, scaling
from dp_lsp.builtins.define import Args, Builtin, Demand, Refusal, Refused, each, form, free, not_negative, only
from dp_lsp.builtins.patterns import NUMBER, STATIC_INTEGER, Box, FromBox, GivenType, Model, Num, Sizes
from dp_lsp.builtins.traits import Additive, Integral, PreservesZero, WithinRadius
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.annotation import AModel, ContainerOf, NumberOf, Truth, container
from dp_lsp.core.sens import ONE, ZERO
from dp_lsp.core.types import (
    BOOL,
    REAL,
    Base,
    Clip,
    Container,
    Kind,
    ModelType,
    Norm,
    NumberType,
    Type,
    TypeVariable,
)

_GRADIENTS = "Gradients are vectors; a model is measured by the largest change of a parameter"
_BOXES = "Every map into a metric of diameter 1 is 1-sensitive in values that are at least 1 apart"
_GRADIENT = frozenset({Kind.GRADIENT})
_ZERO = Poly.of(0)
_NUMBERS = frozenset({Base.INTEGER, Base.REAL})


def _zero(args: Args) -> Type:
    return Container(Kind.GRADIENT, NormVariable("norm", free=True), Clip.U, args.dimension("m"), REAL)


def _added(args: Args) -> Type | Refusal:
    element = joined_elements(args)
    if isinstance(element, Refusal):
        return Refusal("one is Data and the other is not: clip each gradient by itself, and read it as real numbers")
    return args.container("g").of(element)


def _added_to_anything(args: Args) -> Type | Refusal:
    """The published type: its elements are numbers of any kind, whatever was added."""
    added = _added(args)
    return added if isinstance(added, Refusal) else args.container("g").of(TypeVariable("elements"))


def _unboxed(args: Args) -> Type | Refusal:
    """The declared type."""
    match args.given_type("T"):
        case NumberOf(base):
            return NumberType(base)
        case Truth():
            return BOOL
    return Refusal("a container or a model needs its size as a third argument")


def _unboxed_sized(args: Args) -> Type | Refusal:
    """The declared type. A vector or gradient whose norm is LInf, and whose elements are Data or Bool, or open, is
    taken to be that: the metric in which every function of gap values is 1-sensitive."""
    size = args.static("n")
    match args.given_type("T"):
        case AModel():
            return ModelType(size)
        case ContainerOf(kind, element, norm) as annotation if kind is not Kind.MATRIX:
            if norm in (None, Norm.LINF) and element in (None, Base.DATA, Truth()):
                annotation = ContainerOf(kind, element or Base.DATA, Norm.LINF)
            return container(annotation, size, None, "the result")
        case ContainerOf():
            return Refusal("a matrix needs its size as a pair: (rows, columns)")
    return Refusal("only a container or a model has a size")


def _unboxed_matrix(args: Args) -> Type | Refusal:
    match args.given_type("T"):
        case ContainerOf(Kind.MATRIX) as annotation:
            return container(annotation, args.dimension("c"), args.dimension("r"), "the result")
    return Refusal("only a matrix has a pair of sizes")


def _matrix_size(args: Args) -> tuple[Demand, ...]:
    return tuple(Demand(_ZERO, "<=", args.dimension(name), "n") for name in ("r", "c"))


_SCALED = Box(_GRADIENT, arithmetic=True)
_SUMMAND = Box(_GRADIENT, "N", length="m", arithmetic=True)

ROWS: tuple[Builtin, ...] = (
    Builtin(
        "zero_gradient",
        "zero_gradient(m)",
        (form(_zero, free, m=Model("m")),),
        "A gradient of zeros for a model; it moves with nothing.",
        _GRADIENTS,
        ("f(m::DMModel) = zero_gradient(m)",),
        (Refused("f(g::MetricGradient(Real, L2)) = zero_gradient(g)", "DP202"),),
        published=(form(_zero, each(), m=Model("m")),),
        traits=(Integral(False), WithinRadius(lambda args: ZERO)),
    ),
    Builtin(
        "sum_gradients",
        "sum_gradients(g, h)",
        (form(_added, each(), linear=linear.added, g=_SUMMAND, h=_SUMMAND),),
        "The sum of two gradients of one norm and size; 1-sensitive in each.",
        _GRADIENTS,
        ("f(g::MetricGradient(Real, L2), h::MetricGradient(Real, L2)) = sum_gradients(g, h)",),
        (
            Refused("f(g::MetricGradient(Data, L2), h::MetricGradient(Real, L2)) = sum_gradients(g, h)", "DP208"),
            Refused("f(g::MetricGradient(Real, L1), h::MetricGradient(Real, L2)) = sum_gradients(g, h)", "DP208"),
        ),
        published=(form(_added_to_anything, each(), g=_SUMMAND, h=_SUMMAND),),
        traits=(PreservesZero(), Additive(lambda index, count: True)),
    ),
    Builtin(
        "scale_gradient",
        "scale_gradient!(c, g)",
        (form(scaled, scaling(), linear=linear.product, c=NUMBER, g=_SCALED),),
        "Multiplies a gradient by a number; |c|-sensitive in g for a public c. Data: 1, and a private number moves "
        "every parameter.",
        _GRADIENTS,
        ("f(c::Static(), g::MetricGradient(Real, L2)) = scale_gradient(c, g)",),
        (
            Refused("f(x::Real, g::MetricGradient(Data, L2)) = scale_gradient(x, g)", "DP208"),
            Refused("f(v::MetricVector(Real, L2)) = scale_gradient(2, v)", "DP202"),
        ),
        mutates="g",
        published=(form(scaled, published_scaling(lambda box: ONE), c=NUMBER, g=_SCALED),),
        traits=(PreservesZero(),),
    ),
    Builtin(
        "subtract_gradient",
        "subtract_gradient(m, g)",
        (form(lambda args: args["m"], each(), m=Model("n"), g=Box(_GRADIENT, bases=_NUMBERS, length="n")),),
        "Subtracts a gradient of real numbers from a model's parameters; 1-sensitive in each. A model is measured by "
        "its largest change of a parameter.",
        _GRADIENTS,
        ("f(m::DMModel, g::MetricGradient(Real, L2)) = subtract_gradient(m, g)",),
        (Refused("f(m::DMModel, g::MetricGradient(Data, LInf)) = subtract_gradient(m, g)", "DP202"),),
        mutates="m",
        published=(form(lambda args: args["m"], each(), m=Model("n"), g=Box(_GRADIENT, length="n")),),
    ),
    Builtin(
        "unbox",
        "unbox(b(x), T, size)",
        (
            form(_unboxed, only(b=ONE), b=FromBox(), T=GivenType()),
            form(_unboxed_sized, only(b=ONE), not_negative("n"), b=FromBox(), T=GivenType(), n=STATIC_INTEGER),
            form(_unboxed_matrix, only(b=ONE), _matrix_size, b=FromBox(), T=GivenType(), n=Sizes("r", "c")),
        ),
        "What a black box returned, as a value of type T. Nothing is known of the box, so it is ∞-sensitive in what "
        "it is given; into Bool, Data, or a vector or gradient of Data in LInf, it is 1-sensitive in Data and Integer "
        "inputs, because no two results are more than 1 apart; into a matrix of Data in LInf, as often as it has "
        "rows.",
        _BOXES,
        (
            "b(v) :: BlackBox() = v\nf(v::MetricVector(Data, LInf)) = unbox(b(v), Vector{<:Data}, length(v))",
            "b(v) :: BlackBox() = v\nf(x::Integer) = unbox(b(x), Bool)",
            "b(v) :: BlackBox() = v\nf(x::Data) = unbox(b(x), MetricMatrix(Data, LInf), (3, 4))",
        ),
        (
            Refused("f(x::Real) = unbox(x, Data)", "DP202"),
            Refused("b(x) :: BlackBox() = x\nf(x::Data) = unbox(b(x), Vector)", "DP208"),
            Refused("b(x) :: BlackBox() = x\nf(x::Data) = unbox(b(x), Matrix, 3)", "DP208"),
            Refused("b(x) :: BlackBox() = x\nf(x::Data, n::Integer) = unbox(b(x), Vector, n)", "DP207"),
            Refused("b(x) :: BlackBox() = x\nf(x::Data) = unbox(b(x), Vector, -3)", "DP304"),
            Refused("b(x) :: BlackBox() = x\nf(x::Data) = unbox(b(x), Matrix, (3, -4))", "DP304"),
        ),
    ),
    Builtin(
        "internal_expect_const",
        "internal_expect_const(x)",
        (form(lambda args: args["x"], each(), x=Num(static=True)),),
        "x, which must be public. For tests of a checker.",
        "The identity",
        ("f(c::Static()) = internal_expect_const(c)",),
        (Refused("f(x::Real) = internal_expect_const(x)", "DP207"),),
    ),
    Builtin(
        "internal_mutate",
        "internal_mutate!(g)",
        (form(lambda args: args.container("g").of(args.container("g").element), each(2), g=Box(_GRADIENT)),),
        "Something that changes g and is 2-sensitive. For tests of a checker: nothing like it can be run.",
        _GRADIENTS,
        ("f(g::MetricGradient(Real, L2)) = internal_mutate(g)",),
        (Refused("f(x::Real) = internal_mutate(x)", "DP202"),),
        mutates="g",
    ),
)
