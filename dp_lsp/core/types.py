"""Types: a shape, the metric values of the type are compared in, and what is public about them.

See :mod:`dp_lsp.core.metrics` for the metrics. A static number is one point: its value is part of its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING

from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.machine import ARRAY, ELEMENTS, WHOLE_ELEMENTS, Stored
from dp_lsp.core.values import replace, undigested, value

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


class DatasetMetric(Enum):
    """How datasets are compared, by the number of steps from one to the other: records added or removed (Symmetric),
    the same where their order counts (InsertDelete), records put in the place of others (ChangeOne), the same where
    places count (Hamming)."""

    SYMMETRIC = "Symmetric"
    INSERT_DELETE = "InsertDelete"
    CHANGE_ONE = "ChangeOne"
    HAMMING = "Hamming"

    @property
    def sized(self) -> bool:
        """Whether the number of records is public: neighbours have as many."""
        return self in (DatasetMetric.CHANGE_ONE, DatasetMetric.HAMMING)

    @property
    def ordered(self) -> bool:
        """Whether a dataset is a sequence, and not a bag, of records."""
        return self in (DatasetMetric.INSERT_DELETE, DatasetMetric.HAMMING)

    @property
    def unordered(self) -> DatasetMetric:
        """The same where the order does not count; no distance is larger by it."""
        return DatasetMetric.CHANGE_ONE if self.sized else DatasetMetric.SYMMETRIC

    @property
    def ordering(self) -> DatasetMetric:
        """The same where the order counts."""
        return DatasetMetric.HAMMING if self.sized else DatasetMetric.INSERT_DELETE


class Kind(Enum):
    """The containers."""

    VECTOR = "Vector"
    MATRIX = "Matrix"
    GRADIENT = "DMGrads"


AnyNorm = Norm | NormVariable


@value
class Bounds:
    """A public interval: the smallest and the largest number that may occur."""

    low: Poly
    high: Poly

    def put(self, value: Callable[[Poly], Poly]) -> Bounds:
        """The same interval with other formulas for its ends."""
        return Bounds(value(self.low), value(self.high))


@value
class NumberType:
    """A number; ``static`` is its value, if that is public and the same in both runs. ``bounds`` is an interval in
    which it lies, if one is known. ``stored`` is what Julia may store it as: the type of a number, or the element type
    of an array."""

    base: Base
    static: Poly | None = None
    bounds: Bounds | None = None
    stored: Stored = ELEMENTS


@value
class BoolType:
    """A truth value, compared by equality."""


@value
class Container:
    """A vector, matrix or gradient. ``length`` is the length of a vector or of a row; only a matrix has ``rows``.
    ``stored`` says whether it is a Vector or Matrix to Julia, which ranges and adjoints are not."""

    kind: Kind
    norm: AnyNorm
    clip: Clip
    length: Poly
    element: Type
    rows: Poly | None = None
    stored: Stored = ARRAY

    @property
    def entries(self) -> Poly:
        """How many there are, in all rows."""
        return self.length if self.rows is None else self.length * self.rows

    def of(self, element: Type, clip: Clip = Clip.U) -> Container:
        """The same shape and norm with other elements, of no known clip."""
        return replace(self, element=element, clip=clip)


@value
class Dataset:
    """Records of people: the entries of a vector or the rows of a matrix, compared by how many steps lead from one
    dataset to the other. ``records`` is what they would be if their number were public; it is, where the metric says
    so. There are at least ``least`` of them, and each row is at most ``radius`` in the norm of its clip, if that is
    known. One that is ``balanced`` is a part of datasets in which records are replaced: of two steps at most one adds
    a record, and at most one removes one."""

    metric: DatasetMetric
    records: Container
    least: Poly | None = None
    radius: Poly | None = None
    balanced: bool = False

    @property
    def size(self) -> Poly:
        """The number of records."""
        return self.records.length if self.records.rows is None else self.records.rows

    def of(self, records: Container) -> Dataset:
        """As many other records, of which nothing more is known than their type says."""
        return Dataset(self.metric, records, self.least, balanced=self.balanced)

    def put(self, records: Container, value: Callable[[Poly], Poly]) -> Dataset:
        """The same dataset with other formulas for its public numbers."""
        least, radius = (None if each is None else value(each) for each in (self.least, self.radius))
        return Dataset(self.metric, records, least, radius, self.balanced)


@value
class ModelType:
    """A model with ``size`` parameters, compared by the largest change of a parameter."""

    size: Poly


@value
class Label:
    """The names of the items of a tuple. That of a structure is ``of`` the type which a program defines, and no tuple
    when it runs; neither is one that is ``keyed``, whose names are the texts by which its items are found."""

    names: tuple[str, ...]
    of: str = ""
    keyed: bool = False


HANDLE = Label(("generator",))
"""The label of what stands for a generator of random numbers that nobody knows: it is handed to parameters that are
declared to take one, and is nothing else."""


@value
class TupleType:
    """A tuple; its distance is the sum of those of its items. One with a ``label`` has names for its items, and is a
    value of another kind than one without."""

    items: tuple[Type, ...]
    label: Label | None = None

    def put(self, items: Iterable[Type]) -> TupleType:
        """The same with other items."""
        return TupleType(tuple(items), self.label)


def holds_handle(type_: Type) -> bool:
    """Whether a value is a generator that nobody knows, or a tuple with one in it."""
    return isinstance(type_, TupleType) and (type_.label == HANDLE or any(map(holds_handle, type_.items)))


@value
class FunctionType:
    """A function that can be called; two functions are compared by the largest distance of their results."""

    value: FunctionValue


@value
class Boxed:
    """What a black box returned, before ``unbox`` says what it is."""

    name: str


@undigested(uid="it counts what was made in this process")
@value
class TypeVariable:
    """A type that is not decided. ``name`` is shown to the user while it stays so. ``releases`` marks that of a
    parameter that is a private function."""

    name: str
    releases: bool = False
    uid: int = field(default_factory=lambda: next(_uids))


@value
class Unknown:
    """The type of something that was not understood; whatever depends on it is unknown too."""


Type = (
    NumberType | BoolType | Container | Dataset | ModelType | TupleType | FunctionType | Boxed | TypeVariable | Unknown
)

INTEGER = NumberType(Base.INTEGER)
REAL = NumberType(Base.REAL)
DATA = NumberType(Base.DATA)
BOOL = BoolType()
NOTHING = TupleType(())
"""What a statement gives that gives no value."""
UNKNOWN = Unknown()


def without_static(type_: Type) -> Type:
    """The type with every static value and every bound of a number forgotten, inside tuples too."""
    if isinstance(type_, NumberType):
        return replace(type_, static=None, bounds=None) if (type_.static or type_.bounds) is not None else type_
    if isinstance(type_, TupleType):
        return type_.put(without_static(item) for item in type_.items)
    return type_


def without_value(type_: Type) -> Type:
    """The type with every static value forgotten, inside tuples too; what is bounded stays so."""
    if isinstance(type_, NumberType):
        return replace(type_, static=None)
    if isinstance(type_, TupleType):
        return type_.put(without_value(item) for item in type_.items)
    return type_


def widest(type_: Type) -> Type:
    """The type of all values with this metric, however they are stored: an Integer stays one."""
    match type_:
        case NumberType(base, stored=stored):
            whole = base is Base.INTEGER and not stored & ~WHOLE_ELEMENTS
            return replace(type_, stored=WHOLE_ELEMENTS if whole else ELEMENTS)
        case Container(element=element):
            return replace(type_, element=widest(without_static(element)))
        case Dataset(records=records):
            return replace(type_, records=replace(records, element=widest(records.element)))
        case TupleType(items):
            return type_.put(map(widest, items))
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
