"""Facts about the metrics of types: which distances can occur, and the factors between norms.

Numbers of ℝ are compared by their difference, Data by equality. The distance of a vector is the norm of those of
its entries; that of a matrix is the sum over its rows of the row distances; that of a tuple the sum over its
items. Source: the published documentation of the metrics, and the definitions of the type system.
"""

from __future__ import annotations

from dp_lsp.core.algebra import Function, NormVariable, Poly, apply
from dp_lsp.core.sens import INFINITY, ONE, Sens, magnitude, number
from dp_lsp.core.types import (
    AnyNorm,
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Dataset,
    DatasetMetric,
    Kind,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
)
from dp_lsp.core.values import replace

_STEPS = {
    DatasetMetric.SYMMETRIC: "number of records that are in one and not in the other",
    DatasetMetric.INSERT_DELETE: "number of records to insert or delete, in their order",
    DatasetMetric.CHANGE_ONE: "number of records that are replaced",
    DatasetMetric.HAMMING: "number of positions with another record",
}
_ORDER = {Norm.LINF: 0, Norm.L2: 1, Norm.L1: 2}


def conversion(source: AnyNorm, target: AnyNorm, length: Poly) -> Sens:
    """How much larger a distance may be in ``target`` than in ``source``, for rows of ``length`` entries.

    1 towards a smaller norm; √n from L2 to L1 and from LInf to L2; n from LInf to L1 (the vector of ones).
    """
    size = magnitude(length)
    if source is target or (isinstance(source, NormVariable) and source.free):
        return ONE
    if isinstance(source, NormVariable):
        return by_norm(source, *(conversion(norm, target, length) for norm in (Norm.L1, Norm.L2, Norm.LINF)))
    if isinstance(target, NormVariable):
        return by_norm(target, *(conversion(source, norm, length) for norm in (Norm.L1, Norm.L2, Norm.LINF)))
    steps = _ORDER[target] - _ORDER[source]
    if steps <= 0 or length.number in (0, 1):
        return ONE
    return size.root() if steps == 1 else size


def is_no_larger(norm: Norm, than: Norm) -> bool:
    """Whether nothing is further apart in a norm than in another one."""
    return _ORDER[norm] <= _ORDER[than]


def by_norm(norm: AnyNorm, l1: Sens, l2: Sens, linf: Sens) -> Sens:
    """The factor that belongs to a norm; it waits while the norm is not decided."""
    if isinstance(norm, NormVariable):
        if l1 == l2 == linf:
            return l1
        return Sens((apply(Function.BY_NORM, norm, l1, l2, linf),))
    return {Norm.L1: l1, Norm.L2: l2, Norm.LINF: linf}[norm]


def is_data(type_: Type) -> bool:
    """Whether values are Data, also where they are public."""
    return isinstance(type_, NumberType) and type_.base is Base.DATA


def is_whole(type_: Type) -> bool:
    """Whether values are Integers."""
    return isinstance(type_, NumberType) and type_.base is Base.INTEGER


def is_discrete(type_: Type) -> bool:
    """Whether values are compared by equality: Data and Bool."""
    data = isinstance(type_, NumberType) and type_.base is Base.DATA and type_.static is None
    return data or isinstance(type_, BoolType)


def as_dataset(type_: Type) -> Dataset | None:
    """A type as one of datasets, if it is one."""
    match type_:
        case Dataset():
            return type_
        case Container(Kind.VECTOR, Norm.L1, element=NumberType(Base.DATA) | BoolType()):
            return Dataset(DatasetMetric.HAMMING, type_)
        case Container(Kind.MATRIX, Norm.LINF, element=NumberType(Base.DATA) | BoolType()):
            return Dataset(DatasetMetric.HAMMING, type_)
    return None


def is_uncounted(type_: Type) -> bool:
    """Whether a value is a dataset of which it is private how many records it has."""
    dataset = as_dataset(type_)
    return dataset is not None and not dataset.metric.sized


def holds_records(type_: Type) -> bool:
    """Whether a value is made of the records of people: a dataset, or Data or Bool in a vector or the rows of a
    matrix."""
    data = isinstance(type_, Container) and type_.kind is not Kind.GRADIENT and is_discrete(type_.element)
    return data or isinstance(type_, Dataset)


def has_steps(type_: Type) -> bool:
    """Whether n steps of at most 1, n rounded up, lead from any value to any other at a distance of n, through values
    of the type. In L2 whole numbers, and Data, take more steps than that: (3, 4) is 5 from (0, 0), and 7 steps."""
    match type_:
        case NumberType() | BoolType() | Dataset():
            return True
        case Container(norm=norm, clip=clip, element=NumberType() | BoolType() as element):
            if isinstance(element, NumberType) and element.base is Base.REAL:
                return True
            return norm in (Norm.L1, Norm.LINF) and clip is Clip.U
        case TupleType(items):
            return all(map(has_steps, items))
    return False


def counted_as(dataset: Dataset, metric: DatasetMetric) -> tuple[Dataset, Sens] | None:
    """A dataset as one of another metric, and how many steps of that one step of its own may be; None if they may be
    any number. In what order records of a bag stand is not known; a record that is replaced is one that is removed
    and one that is added, and how many there are where that is public is how many there are at least."""
    if metric in (dataset.metric, dataset.metric.unordered):
        return replace(dataset, metric=metric), ONE
    if not dataset.metric.sized or metric.sized or (metric.ordered and not dataset.metric.ordered):
        return None
    least = dataset.size if dataset.least is None else dataset.least
    return replace(dataset, metric=metric, least=least), number(2)


def has_gap(type_: Type) -> bool:
    """Whether two different values are always at least 1 apart."""
    match type_:
        case NumberType(base):
            return base is not Base.REAL
        case BoolType():
            return True
        case Container():
            return has_gap(type_.element)
        case Dataset():
            return True
        case TupleType(items):
            return all(has_gap(item) for item in items)
    return False


def has_whole_steps(type_: Type) -> bool:
    """Whether two values are always a whole number apart: so many records, or as far as whole numbers are."""
    return isinstance(type_, Dataset) or is_whole(type_)


def spread(box: Container) -> Sens:
    """The distance of containers all of whose entries differ by 1: n, √n or 1 in L1, L2 and LInf, once a row."""
    rows = ONE if box.rows is None else magnitude(box.rows)
    return rows * conversion(Norm.LINF, box.norm, box.length)


def diameter(type_: Type) -> Sens:
    """The largest distance of two values: 1 for Bool, Data, and vectors and gradients of Data in LInf."""
    match type_:
        case BoolType() | NumberType(Base.DATA):
            return ONE
        case NumberType(bounds=Bounds(low, high)):
            return magnitude(high - low)
        case Container(norm=Norm(), element=element) if is_discrete(element):
            return spread(type_)
    return INFINITY


def metric_name(type_: Type) -> str:
    """The metric in words, for a person."""
    match type_:
        case NumberType(static=static) if static is not None:
            return "public: one value, distance 0"
        case NumberType(Base.DATA):
            return "distance 0 if equal, else 1"
        case NumberType():
            return "absolute difference"
        case BoolType():
            return "distance 0 if equal, else 1"
        case Container():
            return _container_metric(type_)
        case Dataset(metric):
            return _STEPS[metric]
        case TupleType():
            return "sum of the distances of the items"
    return ""


def neighbours(type_: Type, added: bool = False, records: str = "") -> str:
    """In what two neighbours differ, for a person: ``one record replaced``. With ``added`` of records that are compared
    by their positions one may be added or removed, and ``records`` is how many one person has at most, if that is not
    one."""
    dataset = as_dataset(type_)
    if dataset is not None:
        data = not isinstance(type_, Dataset) and type_ == dataset.records and dataset.records.kind is Kind.VECTOR
        noun = "row" if dataset.records.kind is Kind.MATRIX else "entry" if data else "record"
        step = "added or removed" if added or not dataset.metric.sized else "replaced"
        return f"up to {records} {noun}s of one person {step}" if records else f"one {noun} {step}"
    match type_:
        case NumberType(Base.DATA) | BoolType():
            return "any change"
        case NumberType() | ModelType():
            return "a change by at most 1"
        case Container(norm=Norm.LINF) if is_discrete(type_.element):
            return "any change"
        case Container() if is_discrete(type_.element):
            return "one entry replaced"
        case Container(kind, norm):
            rows = ", summed over rows" if kind is Kind.MATRIX else ""
            return f"a change by at most 1{f' in {norm.value}' if isinstance(norm, Norm) else ''}{rows}"
        case TupleType():
            return "a change by at most 1, summed over items"
    return ""


def public_sizes(type_: Type) -> tuple[Poly, ...]:
    """How large a value is, as far as that is public."""
    match type_:
        case Dataset(metric=metric, records=records):
            length = () if records.rows is None else (records.length,)
            return (*((type_.size,) if metric.sized else ()), *length)
        case Container(length=length, rows=rows):
            return (length,) if rows is None else (rows, length)
        case TupleType(items):
            return tuple(size for item in items for size in public_sizes(item))
    return ()


def _container_metric(type_: Container) -> str:
    norm = type_.norm.name if isinstance(type_.norm, NormVariable) else type_.norm.value
    data = is_discrete(type_.element)
    over = "𝔻" if data else "ℝ"
    if type_.kind is Kind.MATRIX:
        if data and type_.norm is Norm.LINF:
            return "number of rows that differ (change-one: LInf over 𝔻)"
        return f"sum over rows of the {norm} distance over {over}"
    if data and type_.norm is Norm.LINF:
        return "0 if equal, else 1 (LInf over 𝔻)"
    if data and type_.norm is Norm.L1 and type_.kind is Kind.VECTOR:
        return "number of entries that differ (change-one: L1 over 𝔻)"
    return f"{norm} distance over {over}"
