"""Types: a shape, the metric values of the type are compared in, and what is public about them.

See :mod:`dp_lsp.core.metrics` for the metrics. A static number is one point: its value is part of its type.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING

from dp_lsp.core.algebra import NormVariable, Poly

if TYPE_CHECKING:
    from dp_lsp.core.scheme import FunctionValue

_uids = count(1)


class Base(Enum):
    """The numbers: Integer and Real with the distance \\|x - y\\|, Data with distance 0 or 1 (equal or not)."""

    INTEGER = "Integer"
    REAL = "Real"
    DATA = "Data"


class Norm(Enum):
    """How distances of entries make the distance of a vector (or of a row of a matrix)."""

    L1 = "L1"
    L2 = "L2"
    LINF = "LInf"


class Clip(Enum):
    """The norm in which every row is known to be at most 1; U if none is known."""

    U = "U"
    L1 = "L1"
    L2 = "L2"
    LINF = "LInf"


class Kind(Enum):
    """The containers."""

    VECTOR = "Vector"
    MATRIX = "Matrix"
    GRADIENT = "DMGrads"


AnyNorm = Norm | NormVariable


@dataclass(frozen=True, slots=True)
class NumberType:
    """A number; ``static`` is its value, if that is public and the same in both runs."""

    base: Base
    static: Poly | None = None


@dataclass(frozen=True, slots=True)
class BoolType:
    """A truth value, compared by equality."""


@dataclass(frozen=True, slots=True)
class Container:
    """A vector, matrix or gradient. ``length`` is the length of a vector or of a row; only a matrix has ``rows``."""

    kind: Kind
    norm: AnyNorm
    clip: Clip
    length: Poly
    element: Type
    rows: Poly | None = None

    def of(self, element: Type, clip: Clip = Clip.U) -> Container:
        """The same shape and norm with other elements, of no known clip."""
        return replace(self, element=element, clip=clip)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows of a matrix of which nobody knows how many there are: a Poisson sample. Its distance is the number of rows
    that one sample has and the other has not. ``matrix`` is what it would be if their number were public."""

    matrix: Container


@dataclass(frozen=True, slots=True)
class ModelType:
    """A model with ``size`` parameters, compared by the largest change of a parameter."""

    size: Poly


@dataclass(frozen=True, slots=True)
class TupleType:
    """A tuple; its distance is the sum of those of its items."""

    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class FunctionType:
    """A function that can be called; two functions are compared by the largest distance of their results."""

    value: FunctionValue


@dataclass(frozen=True, slots=True)
class Boxed:
    """What a black box returned, before ``unbox`` says what it is."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """A type that is not decided. ``name`` is shown to the user while it stays so. ``releases`` marks that of a
    parameter that is a private function."""

    name: str
    releases: bool = False
    uid: int = field(default_factory=lambda: next(_uids))


@dataclass(frozen=True, slots=True)
class Unknown:
    """The type of something that was not understood; whatever depends on it is unknown too."""


Type = NumberType | BoolType | Container | Drawn | ModelType | TupleType | FunctionType | Boxed | TypeVariable | Unknown

INTEGER = NumberType(Base.INTEGER)
REAL = NumberType(Base.REAL)
DATA = NumberType(Base.DATA)
BOOL = BoolType()
UNKNOWN = Unknown()


def without_static(type_: Type) -> Type:
    """The type with every static value forgotten, inside tuples too."""
    if isinstance(type_, NumberType):
        return NumberType(type_.base) if type_.static is not None else type_
    if isinstance(type_, TupleType):
        return TupleType(tuple(without_static(item) for item in type_.items))
    return type_


def can_change(type_: Type) -> bool:
    """Whether a value may be changed in place: a gradient, a model, or a tuple that holds one."""
    match type_:
        case Container(kind=kind):
            return kind is Kind.GRADIENT
        case TupleType(items):
            return any(map(can_change, items))
    return isinstance(type_, ModelType)


def holds_function(type_: Type) -> bool:
    """Whether a value is a function, or has one in it."""
    match type_:
        case Container(element=element):
            return holds_function(element)
        case TupleType(items):
            return any(map(holds_function, items))
    return isinstance(type_, FunctionType)


def is_static(type_: Type) -> bool:
    """Whether all values of the type are one public point."""
    if isinstance(type_, NumberType):
        return type_.static is not None
    if isinstance(type_, TupleType):
        return all(is_static(item) for item in type_.items)
    return False
