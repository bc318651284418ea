"""Julia's types as its dispatch sees them: the lattice, membership, and what two types have in common."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from .failures import Failure, Unmodelled

_ABOVE = {
    "Number": "Any",
    "Real": "Number",
    "Integer": "Real",
    "Bool": "Integer",
    "Signed": "Integer",
    "Unsigned": "Integer",
    **{f"Int{width}": "Signed" for width in (8, 16, 32, 64, 128)},
    **{f"UInt{width}": "Unsigned" for width in (8, 16, 32, 64, 128)},
    "AbstractFloat": "Real",
    **{f"Float{width}": "AbstractFloat" for width in (16, 32, 64)},
    "Rational": "Real",
    "Irrational": "Real",
    "AbstractString": "Any",
    "String": "AbstractString",
    "Symbol": "Any",
    "Char": "Any",
    "Nothing": "Any",
    "Module": "Any",
    "Function": "Any",
    "Type": "Any",
    "DMGrads": "Any",
    "DMModel": "Any",
    "Exception": "Any",
}
_ABSTRACT = "Any Number Real Integer Signed Unsigned AbstractFloat AbstractString Function Exception"
ABSTRACT = frozenset(_ABSTRACT.split())


class Type(NamedTuple):
    """A type by its name, with the parameters that are known: types, whole numbers, :class:`Below` or :class:`Var`.
    Parameters that are missing may be anything."""

    name: str
    params: tuple[Parameter, ...] = ()

    def __str__(self) -> str:
        if not self.params:
            return self.name
        if self.name == "Array" and len(self.params) == 2 and self.params[1] in (1, 2):
            return f"{'Vector' if self.params[1] == 1 else 'Matrix'}{{{self.params[0]}}}"
        return f"{self.name}{{{', '.join(map(str, self.params))}}}"


class Below(NamedTuple):
    """A parameter that may be anything below a type: `<:Real`."""

    upper: Type

    def __str__(self) -> str:
        return f"<:{self.upper}"


class Var(NamedTuple):
    """A parameter that has a name: the `T` of `where T <: Real`."""

    name: str
    upper: Type

    def __str__(self) -> str:
        return self.name


Parameter = Type | int | Below | Var
ANY, REAL, INTEGER, NUMBER = Type("Any"), Type("Real"), Type("Integer"), Type("Number")
BOOL, INT, FLOAT, NOTHING = Type("Bool"), Type("Int64"), Type("Float64"), Type("Nothing")
FLOAT32, STRING, FUNCTION, TYPE = Type("Float32"), Type("String"), Type("Function"), Type("Type")
UNION = "Union"
_WHOLE = tuple(f"{sign}Int{width}" for width in (8, 16, 32, 64, 128) for sign in ("", "U"))


@cache
def above(type_: Type) -> Type | None:
    """The type right above one, None above Any."""
    params = type_.params
    match type_.name:
        case "Any" | "Union":
            return None
        case "BitArray":
            return Type("AbstractArray", (BOOL, *params))
        case "SubArray":
            return Type("AbstractArray", params)
        case "Array" | "UnitRange" | "StepRange" | "StepRangeLen" | "Adjoint" | "Transpose":
            return _above_container(type_)
        case "DenseArray" | "AbstractRange":
            return Type("AbstractArray", params if type_.name == "DenseArray" else (*params[:1], 1))
        case "OrdinalRange":
            return Type("AbstractRange", params[:1])
        case "AbstractUnitRange":
            return Type("OrdinalRange", params[:1])
        case "AbstractArray" | "Tuple":
            return ANY
    return Type(_ABOVE[type_.name]) if type_.name in _ABOVE else FUNCTION if type_.name.startswith("#") else ANY


def _above_container(type_: Type) -> Type:
    params = type_.params
    match type_.name:
        case "Array":
            return Type("DenseArray", params)
        case "UnitRange":
            return Type("AbstractUnitRange", params)
        case "StepRange":
            return Type("OrdinalRange", params[:1])
        case "StepRangeLen":
            return Type("AbstractRange", params[:1])
    return Type("AbstractArray", (params[0], 2)) if params else Type("AbstractArray", (Below(ANY), 2))


Bindings = dict[str, Parameter]


def is_below(one: Parameter, other: Parameter, bound: Bindings | None = None) -> bool:
    """Whether every value of one type is of another; ``bound`` are the type parameters chosen so far."""
    if isinstance(one, int) or isinstance(other, int):
        return one == other
    if isinstance(other, Below):
        return is_below(one, other.upper, bound)
    if isinstance(one, Below | Var):
        one = one.upper if not (isinstance(other, Var) and one == other) else one
    if isinstance(other, Var):
        return _fits_variable(one, other, bound)
    assert isinstance(one, Type)
    if other.name == "Any":
        return True
    if one.name == UNION:
        return all(is_below(each, other, bound) for each in one.params)
    if other.name == UNION:
        return any(is_below(one, each, bound) for each in other.params)
    if one.name == "Tuple" and other.name == "Tuple":
        if not other.params:
            return True
        same = len(one.params) == len(other.params)
        return same and all(is_below(a, b, bound) for a, b in zip(one.params, other.params, strict=True))
    climbed: Type | None = one
    while climbed is not None and climbed.name != other.name:
        climbed = above(climbed)
    return climbed is not None and _params_fit(climbed.params, other.params, bound)


def _params_fit(ones: tuple[Parameter, ...], others: tuple[Parameter, ...], bound: Bindings | None) -> bool:
    for index, other in enumerate(others):
        one: Parameter = ones[index] if index < len(ones) else Below(ANY)
        if isinstance(other, Below):
            if isinstance(one, int) or not is_below(one, other.upper, bound):
                return isinstance(one, int) and other.upper == ANY
        elif isinstance(other, Var):
            if not _fits_variable(one, other, bound):
                return False
        elif isinstance(one, Below) or one != other:
            return False
    return True


def _fits_variable(one: Parameter, other: Var, bound: Bindings | None) -> bool:
    if bound is None:
        return isinstance(one, int) or is_below(one.upper if isinstance(one, Var) else one, other.upper)
    known = bound.get(other.name)
    if known is None:
        if not isinstance(one, int) and not is_below(one, other.upper, bound):
            return False
        bound[other.name] = one
        return True
    return known == one


def join(one: Type, other: Type) -> Type:
    """What two types have in common: the element type of what a map gives (`typejoin`)."""
    if one == other:
        return one
    climbed: Type | None = one
    while climbed is not None:
        if is_below(other, climbed):
            return climbed
        climbed = above(climbed)
    return ANY


def promoted(one: Type, other: Type) -> Type:
    """The type of numbers that both are turned into before they are computed with."""
    irrational = [each for each in (one, other) if each.name == "Irrational"]
    if irrational:
        return next((each for each in (one, other) if each.name in ("Float64", "Float32", "Float16")), FLOAT)
    if one == other:
        return one
    if BOOL in (one, other):
        return other if one == BOOL else one
    for size in ("Float64", "Float32", "Float16"):
        if size in (one.name, other.name):
            return Type(size)
    if one.name in _WHOLE and other.name in _WHOLE:
        return Type(max(one.name, other.name, key=_WHOLE.index))
    if is_below(one, NUMBER) and is_below(other, NUMBER) and (one.name in ABSTRACT or other.name in ABSTRACT):
        return join(one, other)
    if "Rational" in (one.name, other.name):
        return Type("Rational", (INT,))
    raise Unmodelled(f"promotion of {one} and {other}")


def applied(head: object, params: tuple[Parameter, ...]) -> Type:
    """`Vector{Int}`, `Matrix{<:Real}`, `Union{A, B}` and so on."""
    if not isinstance(head, Type):
        raise Failure("TypeError", "in Type{...} expression")
    if head.name == "Array" and len(head.params) == 2 and isinstance(head.params[0], Below):
        return Type("Array", (params[0], head.params[1]))
    if head.name in ("AbstractArray", "DenseArray") and len(head.params) == 2:
        return Type(head.name, (params[0], head.params[1]))
    if head.name == UNION:
        return Type(UNION, tuple(dict.fromkeys(params))) if len(params) != 1 else _only(params[0])
    return Type(head.name, params)


def _only(param: Parameter) -> Type:
    if isinstance(param, Type):
        return param
    raise Unmodelled("a union of what is no type")


TYPES: Mapping[str, Type] = {
    **{name: Type(name) for name in (*_ABOVE, "Any", "Tuple", "AbstractRange", "UnitRange", "StepRange", "Union")},
    "Int": INT,
    "UInt": Type("UInt64"),
    "Array": Type("Array"),
    "AbstractArray": Type("AbstractArray"),
    "Vector": Type("Array", (Below(ANY), 1)),
    "Matrix": Type("Array", (Below(ANY), 2)),
    "AbstractVector": Type("AbstractArray", (Below(ANY), 1)),
    "AbstractMatrix": Type("AbstractArray", (Below(ANY), 2)),
    "DenseVector": Type("DenseArray", (Below(ANY), 1)),
    "DenseMatrix": Type("DenseArray", (Below(ANY), 2)),
    "Adjoint": Type("Adjoint"),
    "Transpose": Type("Transpose"),
    "OrdinalRange": Type("OrdinalRange"),
    "AbstractUnitRange": Type("AbstractUnitRange"),
    "StepRangeLen": Type("StepRangeLen"),
    "DenseArray": Type("DenseArray"),
}
