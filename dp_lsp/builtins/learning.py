"""Rows for gradients, models and black boxes."""

from __future__ import annotations

from dp_lsp.builtins.define import Args, Builtin, Demand, Refusal, each, form, free, only
from dp_lsp.builtins.patterns import NUMBER, STATIC_INTEGER, Box, FromBox, GivenType, Model, Sizes
from dp_lsp.builtins.scaling import joined_elements, scaled, scaling_factors
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.annotation import AModel, ContainerOf, NumberOf, Truth, container
from dp_lsp.core.sens import ONE
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
    return element if isinstance(element, Refusal) else args.container("g").of(element)


def _unboxed(args: Args) -> Type | Refusal:
    """The declared type. A vector or gradient whose norm and elements are LInf and Data, or open, is taken to be
    of LInf and Data: the metric in which every function of gap values is 1-sensitive."""
    match args.given_type("T"):
        case NumberOf(base):
            return NumberType(base)
        case Truth():
            return BOOL
    return Refusal("a container or a model needs its size as a third argument")


def _unboxed_sized(args: Args) -> Type | Refusal:
    size = args.static("n")
    match args.given_type("T"):
        case AModel():
            return ModelType(size)
        case ContainerOf(kind, element, norm) as annotation if kind is not Kind.MATRIX:
            if norm in (None, Norm.LINF) and element in (None, Base.DATA):
                annotation = ContainerOf(kind, Base.DATA, Norm.LINF)
            return container(annotation, size, None, "the result")
        case ContainerOf():
            return Refusal("a matrix needs its size as a pair: (rows, columns)")
    return Refusal("only a container or a model has a size")


def _unboxed_matrix(args: Args) -> Type | Refusal:
    match args.given_type("T"):
        case ContainerOf(Kind.MATRIX) as annotation:
            return container(annotation, args.dimension("c"), args.dimension("r"), "the result")
    return Refusal("only a matrix has a pair of sizes")


def _size(args: Args) -> tuple[Demand, ...]:
    return (Demand(_ZERO, "<=", args.static("n"), "n"),)


def _matrix_size(args: Args) -> tuple[Demand, ...]:
    return tuple(Demand(_ZERO, "<=", args.dimension(name), "n") for name in ("r", "c"))


_SUMMAND = Box(_GRADIENT, "N", length="m", arithmetic=True)

ROWS: tuple[Builtin, ...] = (
    Builtin(
        "zero_gradient",
        "zero_gradient(m)",
        (form(_zero, free, m=Model("m")),),
        "A gradient of zeros for a model; it moves with nothing.",
        _GRADIENTS,
        ("f(m::DMModel) = zero_gradient(m)",),
        published=(form(_zero, each(), m=Model("m")),),
    ),
    Builtin(
        "sum_gradients",
        "sum_gradients(g, h)",
        (form(_added, each(), g=_SUMMAND, h=_SUMMAND),),
        "The sum of two gradients of one norm and size; 1-sensitive in each.",
        _GRADIENTS,
        ("f(g::MetricGradient(Real, L2), h::MetricGradient(Real, L2)) = sum_gradients(g, h)",),
    ),
    Builtin(
        "scale_gradient",
        "scale_gradient!(c, g)",
        (form(scaled("g", "c"), scaling_factors("g", "c"), c=NUMBER, g=Box(_GRADIENT, arithmetic=True)),),
        "Multiplies a gradient by a number; |c|-sensitive in g for a public c.",
        _GRADIENTS,
        ("f(c::Static(), g::MetricGradient(Real, L2)) = scale_gradient(c, g)",),
        mutates="g",
    ),
    Builtin(
        "subtract_gradient",
        "subtract_gradient(m, g)",
        (form(lambda args: args["m"], each(), m=Model("n"), g=Box(_GRADIENT, bases=_NUMBERS, length="n")),),
        "Subtracts a gradient of real numbers from a model's parameters; 1-sensitive in each. A model is measured by "
        "its largest change of a parameter.",
        _GRADIENTS,
        ("f(m::DMModel, g::MetricGradient(Real, L2)) = subtract_gradient(m, g)",),
        mutates="m",
    ),
    Builtin(
        "unbox",
        "unbox(b(x), T, size)",
        (
            form(_unboxed, only(b=ONE), b=FromBox(), T=GivenType()),
            form(_unboxed_sized, only(b=ONE), _size, b=FromBox(), T=GivenType(), n=STATIC_INTEGER),
            form(_unboxed_matrix, only(b=ONE), _matrix_size, b=FromBox(), T=GivenType(), n=Sizes("r", "c")),
        ),
        "What a black box returned, as a value of type T. Nothing is known of the box, so it is ∞-sensitive in what "
        "it is given; into Bool, Data, or a vector or gradient of Data in LInf, it is 1-sensitive in Data and Integer "
        "inputs, because no two results are more than 1 apart.",
        _BOXES,
        ("b(v) :: BlackBox() = v\nf(v::MetricVector(Data, LInf)) = unbox(b(v), Vector{<:Data}, length(v))",),
    ),
)
