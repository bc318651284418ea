"""Types as they are annotated: what a person wrote, before dimensions and undecided norms get names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from dp_lsp.core.algebra import NormVariable, Poly, Sign, Symbol
from dp_lsp.core.types import (
    BOOL,
    Base,
    Clip,
    Container,
    Kind,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
)


@dataclass(frozen=True, slots=True)
class NumberOf:
    """``Real``, ``Integer`` or ``Data``; ``stored`` is the machine number that was written and is read as one."""

    base: Base
    stored: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    """``Bool``."""


@dataclass(frozen=True, slots=True)
class Anything:
    """``Any``, or no annotation."""


@dataclass(frozen=True, slots=True)
class ContainerOf:
    """A container; what is None was not written. ``stored`` is the machine number its elements are written as."""

    kind: Kind
    element: Base | Truth | None = None
    norm: Norm | None = None
    stored: str = ""


@dataclass(frozen=True, slots=True)
class AModel:
    """``DMModel``."""


@dataclass(frozen=True, slots=True)
class AFunction:
    """``Function``, or ``PrivacyFunction`` if calling it may release something."""

    privacy: bool = False


@dataclass(frozen=True, slots=True)
class TupleOf:
    """``Tuple{A, B}``."""

    items: tuple[Annotation, ...]


Annotation = NumberOf | Truth | Anything | ContainerOf | AModel | AFunction | TupleOf


def dimension(name: str, owner: str) -> Poly:
    """A number of rows, columns or entries: a whole number ≥ 0, written as a function of its owner."""
    return Poly.of(Symbol(f"{name}({owner})", Sign.NONNEGATIVE, integer=True))


def instantiate(annotation: Annotation, owner: str) -> Type:
    """The type of a parameter called ``owner``, with names of its own for all that was not written."""
    match annotation:
        case NumberOf(base):
            return NumberType(base)
        case Truth():
            return BOOL
        case Anything():
            return TypeVariable(owner)
        case AFunction(privacy):
            return TypeVariable(owner, privacy)
        case ContainerOf(kind):
            length = dimension("cols" if kind is Kind.MATRIX else "length", owner)
            rows = dimension("rows", owner) if kind is Kind.MATRIX else None
            return container(annotation, length, rows, owner)
        case AModel():
            return ModelType(dimension("length", owner))
        case TupleOf(items):
            return TupleType(tuple(instantiate(item, f"{owner}[{i}]") for i, item in enumerate(items, 1)))
    assert_never(annotation)


def container(annotation: ContainerOf, length: Poly, rows: Poly | None, owner: str) -> Container:
    """The container of the given dimensions; its norm and elements are open where they were not written."""
    element: Type
    match annotation.element:
        case None:
            element = TypeVariable(f"elements of {owner}")
        case Truth():
            element = BOOL
        case Base() as base:
            element = NumberType(base)
    norm = annotation.norm or NormVariable(f"norm({owner})")
    return Container(annotation.kind, norm, Clip.U, length, element, rows)
