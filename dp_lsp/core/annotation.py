"""Types as they are annotated: what a person wrote, before dimensions and undecided norms get names."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import assert_never

from dp_lsp.core import machine
from dp_lsp.core.algebra import NormVariable, Poly, Sign, Symbol
from dp_lsp.core.machine import Stored
from dp_lsp.core.types import (
    BOOL,
    Base,
    Bounds,
    Clip,
    Container,
    Dataset,
    DatasetMetric,
    Kind,
    Label,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
)
from dp_lsp.core.values import replace, value

Limit = Fraction | str
"""A public number in an annotation: written out, or the name of a static parameter."""


@value
class NumberOf:
    """``Real``, ``Integer`` or ``Data``; ``stored`` are the run-time types where a narrower one was written, as Float64
    is, and 0 where none was. In ``Bounded(Real, 0, 100)`` also where it lies. One that is ``plain`` is what a language
    calls a number, by which nothing is said of whom it protects. Of a ``truth`` value only that it is not 0 counts, so
    that a call may give True for it."""

    base: Base
    stored: Stored = 0
    bounds: tuple[Limit, Limit] | None = None
    plain: bool = False
    truth: bool = False


@value
class Truth:
    """``Bool``."""


@value
class Anything:
    """``Any``, or no annotation."""


@value
class ContainerOf:
    """A container; what is None was not written. ``stored`` are the element types where they were written, or 0."""

    kind: Kind
    element: Base | Truth | None = None
    norm: Norm | None = None
    stored: Stored = 0


@value
class DatasetOf:
    """``MetricVector(Bounded(Real, 0, 100), Symmetric, AtLeast(10))``: records, how datasets of them are compared, and
    what is public about them. ``radius`` is the most that a row measures in the norm of ``RowNorm(L2, 5)``, and
    ``each`` how many records a person contributes at most, as ``Contributes(3)`` says; 1 without it. ``size`` is how
    many records there are, as ``Size(100)`` says where that is public, and ``columns`` how many numbers each row has.
    Records that are ``batched`` are drawn in batches: a row says what it adds to each, and how many batches there are
    is what the program knows as the size.
    ``metric`` is None where none was written: what the project says counts then."""

    metric: DatasetMetric | None
    records: ContainerOf
    bounds: tuple[Limit, Limit] | None = None
    least: Limit | None = None
    radius: tuple[Norm, Limit] | None = None
    each: Limit | None = None
    size: Limit | None = None
    columns: Limit | None = None
    batched: bool = False


@value
class AModel:
    """``DMModel``."""


@value
class AFunction:
    """``Function``, or ``PrivacyFunction`` if calling it may release something."""

    privacy: bool = False


@value
class TupleOf:
    """``Tuple{A, B}``; with a label, a structure, whose parts may be given ``by_name`` only."""

    items: tuple[Annotation, ...]
    label: Label | None = None
    by_name: bool = False


Annotation = NumberOf | Truth | Anything | ContainerOf | DatasetOf | AModel | AFunction | TupleOf


def is_silent(annotation: Annotation | None) -> bool:
    """Whether nothing is said of whom a value protects."""
    return isinstance(annotation, Anything) or (isinstance(annotation, NumberOf) and annotation.plain)


Sizes = Mapping[str, str]
"""How a language writes a number of entries, rows or columns of something: by what reports call it, with `{}` for what
it is of."""
_AS_REPORTED: Sizes = MappingProxyType({})


def dimension(name: str, owner: str, sizes: Sizes = _AS_REPORTED) -> Poly:
    """A number of rows, columns or entries: a whole number ≥ 0, written as a function of its owner."""
    shown = sizes.get(name, "").format(owner)
    return Poly.of(Symbol(f"{name}({owner})", Sign.NONNEGATIVE, integer=True, shown=shown))


def dimensions(kind: Kind, owner: str, sizes: Sizes = _AS_REPORTED) -> tuple[Poly, Poly | None]:
    """The dimensions of a container of which none is known: how many entries it has, or columns and rows."""
    if kind is Kind.MATRIX:
        return dimension("cols", owner, sizes), dimension("rows", owner, sizes)
    return dimension("length", owner, sizes), None


Publics = Mapping[str, Poly]
"""The values of static parameters, by their names."""


def instantiate(
    annotation: Annotation, owner: str, publics: Publics | None = None, sizes: Sizes = _AS_REPORTED
) -> Type:
    """The type of a parameter called ``owner``, with names of its own for all that was not written. What is bounded by
    a name that no static number has is not bounded. Its ``sizes`` are shown as a language writes them."""
    match annotation:
        case NumberOf(base, stored, bounds):
            types = stored or _any_of(base)
            return NumberType(base, bounds=_bounds(bounds, publics or {}), stored=types)
        case Truth():
            return BOOL
        case Anything():
            return TypeVariable(owner)
        case AFunction(privacy):
            return TypeVariable(owner, privacy)
        case ContainerOf(kind):
            return container(annotation, *dimensions(kind, owner, sizes), owner)
        case DatasetOf():
            return _dataset(annotation, owner, publics or {}, sizes)
        case AModel():
            return ModelType(dimension("length", owner, sizes))
        case TupleOf(items):
            parts = (instantiate(item, f"{owner}[{i}]", publics, sizes) for i, item in enumerate(items, 1))
            return TupleType(tuple(parts), annotation.label)
    assert_never(annotation)


def may_be(seen: machine.Declared, type_: Type) -> bool:
    """Whether values of a type may be what Julia sees of an annotation; of numbers and arrays alone it is asked."""
    match seen:
        case machine.Partly(of=of):
            return may_be(of, type_)
        case machine.Numbers():
            return not isinstance(type_, Container | Dataset)
        case machine.Arrays(dimensions=dimensions):
            held = type_.records if isinstance(type_, Dataset) else type_
            rows = held.rows is not None if isinstance(held, Container) else None
            return not isinstance(type_, NumberType) and (rows is None or dimensions in (0, 2 if rows else 1))
    return True


def of_run_time(seen: machine.Declared) -> Annotation | None:
    """What an annotation says that Julia sees so, of numbers and arrays; None for any other."""
    match seen:
        case machine.Partly(of=of):
            return of_run_time(of)
        case machine.Numbers(stored=stored):
            return NumberOf(Base.REAL if stored & ~machine.WHOLE_ELEMENTS else Base.INTEGER, stored)
        case machine.Arrays(dimensions=dimensions, elements=elements):
            base = Base.REAL if elements & ~machine.WHOLE_ELEMENTS else Base.INTEGER
            return ContainerOf(Kind.MATRIX if dimensions == 2 else Kind.VECTOR, base)
    return None


def _any_of(base: Base) -> Stored:
    return machine.WHOLE_ELEMENTS if base is Base.INTEGER else machine.ELEMENTS


def container(annotation: ContainerOf, length: Poly, rows: Poly | None, owner: str) -> Container:
    """The container of the given dimensions; its norm and elements are open where they were not written."""
    element: Type
    match annotation.element:
        case None:
            element = TypeVariable(f"elements of {owner}")
        case Truth():
            element = BOOL
        case Base() as base:
            element = NumberType(base, stored=annotation.stored or _any_of(base))
    norm = annotation.norm or NormVariable(f"norm({owner})")
    return Container(annotation.kind, norm, Clip.U, length, element, rows, machine.ARRAY)


def is_open(annotation: Annotation) -> bool:
    """Whether an annotation leaves open of what type a value is, or its elements are, which is no function."""
    match annotation:
        case ContainerOf(element=element):
            return element is None
        case TupleOf(items):
            return any(map(is_open, items))
    return isinstance(annotation, Anything)


def compared(annotation: Annotation, metric: DatasetMetric) -> Annotation:
    """The annotation with this metric for a dataset that is written without one."""
    if isinstance(annotation, DatasetOf) and annotation.metric is None:
        return replace(annotation, metric=metric)
    return annotation


def steps_of_a_person(annotation: Annotation, publics: Publics) -> Poly | None:
    """How many steps one person makes from a dataset to another, if that is not one."""
    if not isinstance(annotation, DatasetOf) or annotation.each is None:
        return None
    return _limit(annotation.each, publics)


def _dataset(annotation: DatasetOf, owner: str, publics: Publics, sizes: Sizes) -> Dataset:
    records = instantiate(annotation.records, owner, sizes=sizes)
    assert isinstance(records, Container), "records stand in a container"
    assert annotation.metric is not None, "it is known by which a method is inferred"
    bounds = _bounds(annotation.bounds, publics)
    if bounds is not None and isinstance(records.element, NumberType):
        records = records.of(replace(records.element, bounds=bounds))
    size = None if annotation.size is None else _limit(annotation.size, publics)
    if size is not None:
        records = replace(records, length=size) if records.rows is None else replace(records, rows=size)
    columns = None if annotation.columns is None else _limit(annotation.columns, publics)
    if columns is not None:
        records = replace(records, length=columns)
    if annotation.batched:
        records = replace(records, length=dimension("length", owner, sizes))
    norm, most = annotation.radius or (None, None)
    radius = None if most is None else _limit(most, publics)
    if norm is not None and radius is not None:
        records = replace(records, clip=Clip(norm.value))
    least = None if annotation.least is None else _limit(annotation.least, publics)
    return Dataset(annotation.metric, records, least, radius)


def _bounds(limits: tuple[Limit, Limit] | None, publics: Publics) -> Bounds | None:
    ends = [_limit(limit, publics) for limit in limits or ()]
    low, high = ends if ends else (None, None)
    return None if low is None or high is None else Bounds(low, high)


def _limit(limit: Limit, publics: Publics) -> Poly | None:
    return publics.get(limit) if isinstance(limit, str) else Poly.of(limit)
