"""Annotations of Julia: from what was written to what it means."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from dp_lsp import surface
from dp_lsp.core import machine
from dp_lsp.core.annotation import (
    AFunction,
    AModel,
    Annotation,
    Anything,
    ContainerOf,
    DatasetOf,
    Limit,
    NumberOf,
    Truth,
    TupleOf,
)
from dp_lsp.core.types import Base, DatasetMetric, Kind, Norm
from dp_lsp.language import Annotations, RefusedType, Returned

_NORMS = {norm.value: norm for norm in Norm}
_RELATIONS = {metric.value: metric for metric in DatasetMetric}
_BASES = {
    "Real": Base.REAL,
    "Integer": Base.INTEGER,
    "Data": Base.DATA,
    "Float64": Base.REAL,
    "Float32": Base.REAL,
    "Int": Base.INTEGER,
    "Int64": Base.INTEGER,
    "AbstractFloat": Base.REAL,
    "Float16": Base.REAL,
    "BigFloat": Base.REAL,
    "BigInt": Base.INTEGER,
}
_MEMBERS = {"Float16": machine.OTHER_FLOAT, "BigFloat": machine.OTHER_FLOAT, "BigInt": machine.OTHER_INTEGER}
"""Types that are some of those which nothing else tells apart."""
_STORED = {**machine.NAMES, **_MEMBERS, "AbstractFloat": machine.FLOATS}
_ELEMENTS: dict[str, Base | Truth] = {**_BASES, "Bool": Truth()}
_CONTAINERS = {"Vector": Kind.VECTOR, "Matrix": Kind.MATRIX, "DMGrads": Kind.GRADIENT}
_RUN_TIME = {
    **{"Data": "Real", "Number": "Real", "PrivacyFunction": "Function"},
    **{"MetricVector": "Vector", "MetricMatrix": "Matrix", "MetricGradient": "DMGrads"},
}
_ARRAYS = {
    **{"Vector": (1, machine.ARRAY), "Matrix": (2, machine.ARRAY), "Array": (0, machine.ARRAY)},
    **{"VecOrMat": (0, machine.ARRAY), "DenseArray": (0, machine.ARRAY)},
    **{"DenseVector": (1, machine.ARRAY), "DenseMatrix": (2, machine.ARRAY)},
    **{"AbstractVector": (1, machine.ANY_ARRAY), "AbstractMatrix": (2, machine.ANY_ARRAY)},
    **{"AbstractArray": (0, machine.ANY_ARRAY), "AbstractVecOrMat": (0, machine.ANY_ARRAY)},
}
"""The dimensions of arrays, 0 for any number, and of what kinds they are."""
_WIDE = frozenset({*_ARRAYS, "Number"} - {"Vector", "Matrix"})
"""Types of Julia that hold more than those with a meaning here: a vector of bits, a complex number. What they say is
left to the condition under which something is claimed."""

_METRIC = {"MetricVector": Kind.VECTOR, "MetricMatrix": Kind.MATRIX, "MetricGradient": Kind.GRADIENT}

_PLAIN: dict[str, Annotation] = {
    "Bool": Truth(),
    "Any": Anything(),
    "DMModel": AModel(),
    "Function": AFunction(),
    "PrivacyFunction": AFunction(privacy=True),
}

STATIC, PRIVATE, BLACK_BOX = "Static", "Priv", "BlackBox"
BOUNDED, AT_LEAST, SIZE, ROW_NORM, CONTRIBUTES = "Bounded", "AtLeast", "Size", "RowNorm", "Contributes"
_DESCRIPTORS = (AT_LEAST, SIZE, ROW_NORM, CONTRIBUTES)
_LIMITS = {BOUNDED: (1, 2), ROW_NORM: (1,), **dict.fromkeys((AT_LEAST, SIZE, CONTRIBUTES), (0,))}
"""The arguments that are numbers."""
_WORDS = frozenset(
    {
        *(*_NORMS, *_RELATIONS, *_BASES, *_CONTAINERS, *_METRIC, STATIC, PRIVATE, BLACK_BOX),
        *(BOUNDED, AT_LEAST, SIZE, ROW_NORM, CONTRIBUTES),
        *(*_PLAIN, *_WIDE, "Tuple"),
    }
)
"""Names of norms and types, which a program must not give another meaning."""


_JULIA = (
    "IO IOContext MIME Base Core Array AbstractArray Array String AbstractString Char Symbol Union Type DataType "
    "Nothing Missing Dict Complex Rational BigInt BigFloat Float16 Int8 Int16 Int32 Int128 UInt UInt8 UInt16 UInt32 "
    "UInt64 UInt128 Adjoint Transpose UnitRange StepRange Range AbstractRange"
)
"""Types of Julia itself, besides."""

_OTHERS = (
    "Complex ComplexF16 ComplexF32 ComplexF64 String AbstractString SubString Char AbstractChar Symbol Expr Dict "
    "AbstractDict IdDict Set AbstractSet IO IOStream IOBuffer IOContext MIME Regex Missing Module Method DataType "
    "Type Val Ptr Task Channel Exception Pair CartesianIndex CartesianIndices LinearIndices Cmd VersionNumber"
)
_APART = frozenset(
    {
        *("Complex", "ComplexF16", "ComplexF32", "ComplexF64", "String", "AbstractString", "SubString", "Char"),
        *("AbstractChar", "Symbol", "Expr", "Dict", "AbstractDict", "IdDict", "Set", "AbstractSet", "IO", "IOStream"),
        *("IOBuffer", "IOContext", "MIME", "Regex", "Missing", "Module", "Method", "DataType", "Type", "Val", "Ptr"),
        *("Task", "Channel", "Exception", "Pair", "CartesianIndex", "CartesianIndices", "Cmd", "VersionNumber"),
    }
)
"""Types of Julia that have no value in common with those of numbers, arrays of them, tuples and functions."""

_WIDER = {"Signed": "Integer"}
"""Types of Julia without a meaning here, and the one that is meant."""


class JuliaAnnotations(Annotations):
    """What Julia's annotations mean. The table has numbers and containers in the words of the published library."""

    norms = _NORMS
    words = _WORDS
    apart = _APART

    def structure(
        self, node: surface.TypeExpr | None, structures: Mapping[str, Annotation]
    ) -> tuple[Annotation, bool] | None:
        if node is None:
            return None
        public = node.name == STATIC and node.form == "call" and len(node.args) == 1
        named = _name_of(node.args[0] if public else node)
        return (structures[named], public) if named in structures else None

    def parameter(self, node: surface.TypeExpr | None) -> tuple[Annotation, bool]:
        if node is None:
            return Anything(), False
        if node.name == STATIC and node.form == "call":
            if len(node.args) > 1:
                raise RefusedType(node, "write `Static()` or `Static(Integer)`")
            return (_meaning(node.args[0]) if node.args else NumberOf(Base.REAL)), True
        return _meaning(node), False

    def is_open(self, node: surface.TypeExpr | None) -> bool:
        return node is not None and node.name == STATIC and node.form == "call" and not node.args

    def returned(self, node: surface.TypeExpr | None) -> Returned:
        if node is None:
            return Returned(Anything())
        if node.name == BLACK_BOX and node.form == "call":
            if node.args:
                raise RefusedType(node, f"write `{BLACK_BOX}()`; what it returns, `unbox` says", f"{BLACK_BOX}()")
            return Returned(Anything(), black_box=True)
        if node.name == PRIVATE and node.form == "call":
            return Returned(_result(node.args[0]) if node.args else Anything(), privacy=True)
        return Returned(_result(node))

    def meaning(self, node: surface.Node) -> Annotation:
        return _compared(node)

    def unrelated(self, node: surface.TypeExpr | None, meant: Annotation) -> RefusedType | None:
        return None if node is None else _unrelated(node, meant)

    def needed(self, params: Iterable[surface.Parameter]) -> frozenset[str]:
        plain = (each.annotation for each in params if each.kind == "plain" and each.default is None)
        return frozenset(each.name for each in plain if each is not None and each.form != "call")

    def unknown_limits(self, node: surface.TypeExpr | None, public: Collection[str]) -> Iterator[RefusedType]:
        return _unknown_limits(node, public)

    def is_of_program(self, name: str) -> bool:
        return name[:1].isupper() and name not in {*_WORDS, *_WIDER, *_JULIA.split()}

    def run_time(self, node: surface.TypeExpr | None) -> machine.Declared:
        return _run_time(node)


def _unknown_limits(node: surface.Node | None, static: Collection[str]) -> Iterator[RefusedType]:
    if not isinstance(node, surface.TypeExpr):
        return
    for index, arg in enumerate(node.args):
        if index in _LIMITS.get(node.name, ()) and _name_of(arg) not in ("", *static):
            yield RefusedType(arg, "it is not a `Static()` number among the parameters; write one, or a number")
        yield from _unknown_limits(arg, static)


def _compared(node: surface.Node) -> Annotation:
    """The type a node means; of a dataset it must be written how it is compared."""
    found = _meaning(node)
    refused = _unrelated(node, found)
    if refused is not None:
        raise refused
    return found


def _result(node: surface.Node) -> Annotation:
    """What a function is annotated to return."""
    found = _compared(node)
    if isinstance(found, DatasetOf) and found.each is not None:
        raise RefusedType(node, "`Contributes(k)` belongs to a parameter: it is about the people whose data come in")
    return found


def _unrelated(node: surface.Node, meant: Annotation) -> RefusedType | None:
    if not isinstance(meant, DatasetOf) or meant.metric is not None:
        return None
    return RefusedType(node, f"name the neighbour relation here: {', '.join(_RELATIONS)}")


def _meaning(node: surface.Node) -> Annotation:
    """The same; of a parameter it may be left to the project how datasets are compared."""
    if isinstance(node, surface.Name):
        return _named(node, node.name)
    if isinstance(node, surface.Call) and isinstance(node.callee, surface.Name) and not node.keywords:
        return _metric(node, node.callee.name, node.args)
    if isinstance(node, surface.TypeExpr):
        if node.form == "call":
            return _bounded(node) if node.name == BOUNDED else _metric(node, node.name, node.args)
        if node.form == "braces":
            return _braced(node)
        return _named(node, node.name)
    raise RefusedType(node, "write a type such as `Real` or `Vector{<:Data}`")


def _run_time(node: surface.Node | None) -> machine.Declared:
    """The type that Julia sees when it chooses a method: there Data is Real, and a metric is no part of a type."""
    if node is None or not isinstance(node, surface.TypeExpr):
        return machine.ANY
    return machine.Partly(_bare(node), node.variable) if node.variable else _bare(node)


def _bare(node: surface.TypeExpr) -> machine.Declared:
    """The same of a type without a variable of types."""
    first = node.args[0] if node.args else None
    if node.form == "call" and node.name in (STATIC, BOUNDED, PRIVATE):
        return _run_time(first)
    name = _RUN_TIME.get(node.name, node.name)
    if name == "Any":
        return machine.ANY
    if name in _MEMBERS:
        return machine.Partly(machine.Numbers(_MEMBERS[name]), name)
    if name in _STORED:
        return machine.Numbers(_STORED[name])
    if name == "Tuple" and node.form == "braces":
        return machine.Tuples(tuple(map(_run_time, node.args)))
    if name in _ARRAYS:
        dimensions, kinds = _ARRAYS[name]
        if len(node.args) > 1 and node.form == "braces":
            dimensions = _dimensions(node.args[1])
        return machine.Arrays(dimensions, _element_types(first, node.form == "call"), kinds)
    return machine.NominalType(name)


def _dimensions(node: surface.Node) -> int:
    """How many dimensions the second argument of ``Array{T, N}`` says; 0 where it is no number."""
    return int(node.value) if isinstance(node, surface.Number) and node.value.denominator == 1 else 0


def _element_types(node: surface.Node | None, upper: bool) -> machine.Stored:
    """The element types of an array that is annotated with this one, or with an ``upper`` bound of it."""
    declared = _run_time(node)
    if not isinstance(declared, machine.Numbers):
        return machine.ELEMENTS | machine.ABSTRACT
    upper = upper or (isinstance(node, surface.TypeExpr) and node.upper)
    return machine.of_elements(declared.stored, upper)


def _named(node: surface.Node, name: str) -> Annotation:
    if name in _BASES:
        return NumberOf(_BASES[name], _STORED.get(name, 0))
    if name in _CONTAINERS:
        return ContainerOf(_CONTAINERS[name])
    if name in _PLAIN:
        return _PLAIN[name]
    if name in _WIDE:
        return Anything()
    if name in (STATIC, PRIVATE, BLACK_BOX):
        raise RefusedType(node, f"write `{name}()`", f"{name}()", nearly=name != BLACK_BOX)
    if name in _WIDER:
        raise RefusedType(node, f"write `{_WIDER[name]}`", _WIDER[name])
    raise RefusedType(node, "the types are Real, Integer, Data, Bool, Vector, Matrix, DMGrads, DMModel and Tuple")


def _metric(node: surface.Node, name: str, args: tuple[surface.Node, ...]) -> Annotation:
    kind = _METRIC.get(name)
    if kind is not None and len(args) > 1:
        _check_spelling(args[1], (*_NORMS, *(() if kind is Kind.GRADIENT else _RELATIONS)))
        _check_spelling(args[0], (*_ELEMENTS, BOUNDED))
    if kind in (Kind.VECTOR, Kind.MATRIX) and len(args) > 1 and _name_of(args[1]) in _RELATIONS:
        return _dataset(kind, name, args[0], _RELATIONS[_name_of(args[1])], args[2:])
    if kind in (Kind.VECTOR, Kind.MATRIX) and args and all(map(_describes, args[1:])):
        return _dataset(kind, name, args[0], None, args[1:])
    if kind is None or len(args) != 2:
        raise RefusedType(node, "a metric is written as in `MetricMatrix(Data, L2)`")
    element, norm = (_name_of(arg) for arg in args)
    elements = _BASES if kind is Kind.GRADIENT else _ELEMENTS
    if element not in elements or norm not in _NORMS:
        raise RefusedType(
            node,
            f"write `{name}(T, N)` with a type of numbers T and N one of L1, L2 and LInf, or, of a dataset, one of"
            f" {', '.join(_RELATIONS)}",
        )
    return ContainerOf(kind, elements[element], _NORMS[norm], _elements_within(element))


def _check_spelling(node: surface.Node, known: Collection[str]) -> None:
    """Refuse a word that looks like one of those that are known, and is none."""
    word = node.name if isinstance(node, surface.TypeExpr) else _name_of(node)
    if not word or word in known:
        return
    from difflib import get_close_matches  # only a mistake needs it

    for near in get_close_matches(word, known, 1):
        raise RefusedType(node, f"did you mean `{near}`?")


def _bounded(node: surface.TypeExpr) -> NumberOf:
    """``Bounded(T, L, U)``: numbers of T from L to U."""
    base = _BASES.get(_name_of(node.args[0])) if len(node.args) == 3 else None
    if base is None:
        raise RefusedType(node, "write `Bounded(T, L, U)` with T one of Real, Integer and Data, and numbers L and U")
    low, high = map(_limit, node.args[1:])
    if isinstance(low, Fraction) and isinstance(high, Fraction) and low > high:
        raise RefusedType(node, "the first bound is the smaller one")
    return NumberOf(base, _STORED.get(_name_of(node.args[0]), 0), (low, high))


def _describes(node: surface.Node) -> bool:
    """Whether it says something of the records of a dataset."""
    return isinstance(node, surface.TypeExpr) and node.form == "call" and node.name in _DESCRIPTORS


def _dataset(
    kind: Kind, name: str, element: surface.Node, metric: DatasetMetric | None, more: tuple[surface.Node, ...]
) -> DatasetOf:
    """``MetricVector(T, M)``, with what else is public of the records; ``MetricVector(T)``, compared as the project
    says."""
    bounds = None
    if isinstance(element, surface.TypeExpr) and element.name == BOUNDED:
        found = _bounded(element)
        stored = _elements_within(_name_of(element.args[0]))
        records, bounds = ContainerOf(kind, found.base, stored=stored), found.bounds
    elif _name_of(element) in _ELEMENTS:
        name_of = _name_of(element)
        records = ContainerOf(kind, _ELEMENTS[name_of], stored=_elements_within(name_of))
    else:
        raise RefusedType(element, "records are Real, Integer, Data or Bool, or `Bounded(Real, L, U)`")
    dataset = DatasetOf(metric, records, bounds)
    for node in more:
        dataset = _described(dataset, name, node)
    return dataset


def _described(dataset: DatasetOf, name: str, node: surface.Node) -> DatasetOf:
    if isinstance(node, surface.TypeExpr) and node.form == "call":
        if node.name == AT_LEAST and len(node.args) == 1:
            return replace(dataset, least=_number_of(node, "records", 0))
        if node.name == SIZE and len(node.args) == 1:
            return _sized(dataset, node)
        if node.name == CONTRIBUTES and len(node.args) == 1:
            return replace(dataset, each=_number_of(node, "records of a person", 1))
        norm = _NORMS.get(_name_of(node.args[0])) if node.name == ROW_NORM and len(node.args) == 2 else None
        if norm is not None and dataset.records.kind is Kind.MATRIX:
            most = _limit(node.args[1])
            if isinstance(most, Fraction) and most < 0:
                raise RefusedType(node, "a norm is at least 0")
            return replace(dataset, radius=(norm, most))
    raise RefusedType(
        node,
        "a dataset can have `AtLeast(n)`, `Size(n)` and `Contributes(k)`, and one of rows `RowNorm(L2, c)`",
    )


def _number_of(node: surface.TypeExpr, what: str, least: int) -> Limit:
    """How many there are, as the only argument says."""
    count = _limit(node.args[0])
    if isinstance(count, Fraction) and (count.denominator != 1 or count < least):
        raise RefusedType(node, f"the number of {what} is a whole number of at least {least}")
    return count


def _sized(dataset: DatasetOf, node: surface.TypeExpr) -> DatasetOf:
    """``Size(n)``: there are n records. Where one may be added or removed neighbours have different numbers of them."""
    if dataset.metric is None or not dataset.metric.sized:
        raise RefusedType(node, "the number of records is public only in ChangeOne and Hamming; use `AtLeast(n)` here")
    return replace(dataset, size=_number_of(node, "records", 0))


def _limit(node: surface.Node) -> Limit:
    """A public number: as it is written, or the name of a static parameter."""
    match node:
        case surface.Number():
            return node.value
        case surface.TypeExpr(name="-", form="call", args=(surface.Number() as size,)):
            return -size.value
        case surface.TypeExpr(form="name", name=name) if name.isidentifier():
            return name
    raise RefusedType(node, "write a number, or the name of a `Static()` parameter")


_AS_IN = {
    "MetricVector": "MetricVector(Real, Symmetric)",
    "MetricMatrix": "MetricMatrix(Real, Symmetric)",
    "MetricGradient": "MetricGradient(Real, L2)",
    BOUNDED: "Bounded(Real, 0, 100)",
}


def _braced(node: surface.TypeExpr) -> Annotation:
    if node.name == "Tuple":
        return TupleOf(tuple(_in_tuple(arg) for arg in node.args))
    kind = _CONTAINERS.get(node.name)
    if node.name in _ARRAYS and node.args and (node.name in _WIDE or _name_of(node.args[0]) in _OPEN):
        _check_elements(node.args[0])
        if len(node.args) > 1 and isinstance(node.args[1], surface.Number) and _dimensions(node.args[1]) not in (1, 2):
            raise RefusedType(node, "arrays have one dimension or two")
        return Anything()
    if node.name in (*_METRIC, BOUNDED):
        raise RefusedType(node, f"what belongs to a `{node.name}` stands in parentheses, as in `{_AS_IN[node.name]}`")
    if kind is None or len(node.args) != 1:
        raise RefusedType(node, "write `Vector{<:T}` or `Matrix{<:T}` with T one of Real, Integer, Data and Bool")
    element = node.args[0]
    name = _name_of(element)
    upper = isinstance(element, surface.TypeExpr) and element.upper
    if name not in _ELEMENTS:
        raise RefusedType(element, "elements are Real, Integer, Data or Bool")
    within = machine.of_elements(_STORED.get(name, machine.NUMBERS), upper)
    return ContainerOf(kind, _ELEMENTS[name], stored=within)


_OPEN = ("Number", "Any")


def _check_elements(node: surface.Node) -> None:
    """Refuse arrays of what is no number."""
    if _name_of(node) not in _ELEMENTS and _name_of(node) not in _OPEN:
        raise RefusedType(node, "elements are Real, Integer, Data or Bool")


def _elements_within(name: str) -> machine.Stored:
    """The element types within a type of numbers."""
    return machine.of_elements(_STORED.get(name, machine.NUMBERS), upper=True)


def _in_tuple(node: surface.Node) -> Annotation:
    found = _compared(node)
    if isinstance(found, AFunction):
        raise RefusedType(node, "a tuple holds no functions")
    if isinstance(found, DatasetOf) and found.each is not None:
        raise RefusedType(node, "`Contributes(k)` belongs to a parameter, and cannot stand inside a tuple")
    return found


def _name_of(node: surface.Node) -> str:
    if isinstance(node, surface.TypeExpr) and node.form == "name":
        return node.name
    return node.name if isinstance(node, surface.Name) else ""
