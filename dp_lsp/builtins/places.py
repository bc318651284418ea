"""Rows for positions, of containers and of datasets: what stands at one of them, `v[i]`, `m[i, j]` and `m[i, :]`; at
several in a row, `v[first:last]`, `m[first:last, :]` and `m[:, first:last]`; a column of a matrix, `m[:, j]`; and
ranges as vectors, public numbers at even distances, as candidates or edges are.

In a dataset that is a sequence, a record that is replaced, or added before it, leaves some record at a position, and no
two records are further apart than their bounds say. So far the result moves, however many records do. There must be a
record at that position in both of two datasets: if the number of records is public both runs fail, or none; else the
position must be known to be there.

The records of a bag stand in any order, and a bag is no step away from itself in another order. So nothing says how
far what stands at one of its positions moves with a step, and there is no form for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dp_lsp.builtins import linear, monotonicity
from dp_lsp.builtins.datasets import MATRIX, ROWS_OF_PEOPLE, VECTOR, bounds_of, fewest
from dp_lsp.builtins.define import Args, Builtin, Demand, Form, Parameter, Refusal, Refused, Result, form, free, only
from dp_lsp.builtins.patterns import INTEGER_NUMBER, STATIC, STATIC_INTEGER, Box, Pattern, Records
from dp_lsp.builtins.traits import Indexing, IntegerArguments, NeedsBounds, NeverNaN
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.metrics import by_norm, is_data, is_discrete
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, magnitude, number, positive_part
from dp_lsp.core.types import (
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Dataset,
    Kind,
    Norm,
    NumberType,
    Type,
    without_static,
)
from dp_lsp.core.values import replace

INDEX = "[]"
ROW = "[:]"

_SOURCE = (
    "Immediate from the metrics: no entry moves further than its row, no row further than its matrix, and nothing "
    "further than two values of its type can be apart"
)
_Forms = tuple[Form, ...]
_A_VECTOR, _A_MATRIX = Box(VECTOR, truth=True), Box(MATRIX, truth=True)
_OF_ENTRIES = Box(VECTOR | {Kind.GRADIENT}, truth=True)


def extent(indices: int, position: int) -> tuple[str, int | None]:
    """What the last position is in an index of so many, counted from 0: a row, and the dimension that it is given."""
    return ("length", None) if indices == 1 else ("size", position + 1)


def inside(args: Args) -> tuple[Demand, ...]:
    """Known positions are there. Where sizes are public, two runs both fail, or none; but how often a run comes to it
    may be private."""
    box = next(iter(args.containers), None)
    entries = (args.records.records if box is None else box).length
    places = [(name, place) for name, place in zip(args.names, args.statics, strict=True) if place is not None]
    demands = []
    for name, place in places:
        size = entries if name == "j" else _places(args, box)
        demands += [Demand(Poly.of(1), "<=", place, name), Demand(place, "<=", size, name)]
    return tuple(demands)


def _places(args: Args, box: Container | None) -> Poly:
    """How many positions there are: entries of a vector, rows of a matrix, or records."""
    known = fewest(args) if box is None else box.length if box.rows is None else box.rows
    assert known is not None, "the pattern asks for a dataset of which it is known"
    return known


# Of containers


def _element(args: Args) -> Type:
    return args.container("v").element


def row_of_matrix(args: Args) -> Type:
    """A row, measured in the norm of its matrix and clipped as it."""
    matrix = args.container("m")
    return Container(Kind.VECTOR, matrix.norm, matrix.clip, matrix.length, matrix.element)


def _of_matrices(index_factor: Sens) -> Form:
    factors = only(m=ONE, i=index_factor)
    return form(row_of_matrix, factors, inside, fails_on=("i",), linear=linear.picked, m=_A_MATRIX, i=INTEGER_NUMBER)


# Of datasets


def _bounds(args: Args) -> Bounds | None:
    """Where an entry lies: between the bounds of all, or as far from 0 as its row at most."""
    known, most = bounds_of(args), args.records.radius
    return Bounds(-most, most) if known is None and most is not None else known


def entry(args: Args) -> Type:
    """An entry of a dataset; it is no larger than its row is in any norm."""
    element = args.records.records.element
    if isinstance(element, BoolType) or not isinstance(element, NumberType):
        return element
    return NumberType(element.base, bounds=None if is_discrete(element) else _bounds(args))


def _apart(args: Args) -> Sens:
    """The largest distance of two entries."""
    if is_discrete(args.records.records.element):
        return ONE
    bounds = _bounds(args)
    return INFINITY if bounds is None else magnitude(bounds.high - bounds.low)


def _norm(args: Args) -> NormVariable:
    """The norm of a row: whatever it is used for decides."""
    norm = args.binds.norms.setdefault("result", NormVariable("norm"))
    assert isinstance(norm, NormVariable), "no pattern binds it"
    return norm


def _radius(args: Args) -> Poly | None:
    """How far from 0 a row is at most. That says nothing of how far two rows of Data are apart."""
    return None if is_data(args.records.records.element) else args.records.radius


def _record(args: Args) -> Type:
    dataset = args.records
    norm = _norm(args) if _radius(args) is None else Norm(dataset.records.clip.value)
    return Container(Kind.VECTOR, norm, Clip.U, dataset.records.length, without_static(dataset.records.element))


def _records_apart(args: Args) -> Sens:
    """2c for rows that measure at most c; else as far as all their entries are apart."""
    radius = _radius(args)
    if radius is not None:
        return number(2) * magnitude(radius)
    entry, entries = _apart(args), magnitude(args.records.records.length)
    return entry if entry.infinite else by_norm(_norm(args), entries * entry, entries.root() * entry, entry)


def _of_datasets(result: Result, apart: Callable[[Args], Sens], kinds: frozenset[Kind], *names: str) -> _Forms:
    """For datasets of public size, with any position, and for those that are known to have so many records."""
    of, *places = names
    factors = only(**{of: apart}, **dict.fromkeys(places, INFINITY))
    sized, private = (Parameter(of, Records(kinds, sized=sized, placed=True)) for sized in (True, False))
    others = tuple(Parameter(name, INTEGER_NUMBER) for name in places)
    known = (Parameter(places[0], STATIC_INTEGER), *others[1:])
    several = {of: lambda args, steps: apart(args)}
    return (
        Form((sized, *others), result, factors, inside, fails_on=tuple(places), stability=several),
        Form((private, *known), result, factors, inside, fails_on=tuple(places), stability=several),
    )


_RECORDS = _of_datasets(_record, _records_apart, MATRIX, "m", "i")
_WHERE = "that is a sequence (Hamming; InsertDelete if so many records are known to be there)"
_FIRST = "f(v::MetricVector(Bounded(Real, 0, 9), {})) = v[{}]"

ROWS: tuple[Builtin, ...] = (
    Builtin(
        INDEX,
        "v[i], m[i, j]",
        (
            form(
                _element,
                only(v=ONE, i=INFINITY),
                inside,
                fails_on=("i",),
                reads=Norm.LINF,
                linear=linear.picked,
                v=_OF_ENTRIES,
                i=INTEGER_NUMBER,
            ),
            form(
                _element,
                only(v=ONE, i=INFINITY, j=INFINITY),
                inside,
                fails_on=("i", "j"),
                reads=Norm.LINF,
                linear=linear.picked,
                v=_A_MATRIX,
                i=INTEGER_NUMBER,
                j=INTEGER_NUMBER,
            ),
            *_of_datasets(entry, _apart, VECTOR, "v", "i"),
            *_of_datasets(entry, _apart, MATRIX, "v", "i", "j"),
        ),
        "An entry; 1-sensitive, because no entry moves further than its row. A private index has no bound (∞). Of a "
        f"dataset {_WHERE}: R-sensitive for numbers between L and U, R = U - L, and 1-sensitive for Data. Of a tuple, "
        "with a number that is written out, that item.",
        _SOURCE,
        (
            "f(v::MetricVector(Real, L2)) = v[1]",
            "f(g::MetricGradient(Real, L2)) = g[1]",
            "f(m::MetricMatrix(Real, L2)) = m[1, 2]",
            _FIRST.format("Hamming", 1),
            _FIRST.format("InsertDelete, AtLeast(3)", 3),
            "f(m::MetricMatrix(Bounded(Real, 0, 9), Hamming)) = m[1, 2]",
            "f(m::MetricMatrix(Real, InsertDelete, AtLeast(3), RowNorm(L2, 2))) = m[1, 2]",
        ),
        (
            Refused("f(v::MetricVector(Real, L2)) = v[0.5]", "DP202"),
            Refused("f(g::MetricGradient(Real, L2)) = g[1, 1]", "DP202"),
            Refused(_FIRST.format("ChangeOne", 1), "DP430"),
            Refused(_FIRST.format("InsertDelete", 1), "DP430"),
            Refused(_FIRST.format("InsertDelete, AtLeast(3)", 4), "DP304"),
        ),
        traits=(Indexing(), NeedsBounds(), NeverNaN(), IntegerArguments(("i", "j")), monotonicity.PICKED),
    ),
    Builtin(
        ROW,
        "m[i, :]",
        (_of_matrices(INFINITY), *_RECORDS),
        "A row, measured in the matrix's norm; 1-sensitive. A private index has no bound (∞). Of a dataset "
        f"{_WHERE}: 2c-sensitive for rows that measure at most c; for others nR, √n·R or R in L1, L2 or LInf, for rows "
        "of n entries between L and U.",
        _SOURCE,
        (
            "f(m::MetricMatrix(Real, L2)) = m[1, :]",
            "f(m::MetricMatrix(Real, Hamming, RowNorm(L2, 2))) = m[1, :]",
            "f(m::MetricMatrix(Bounded(Real, 0, 9), InsertDelete, AtLeast(3))) = m[3, :]",
        ),
        (
            Refused("f(v::MetricVector(Real, L2)) = v[1, :]", "DP202"),
            Refused("f(m::MetricMatrix(Real, Symmetric, AtLeast(3))) = m[1, :]", "DP430"),
            Refused("f(m::MetricMatrix(Bool, InsertDelete, AtLeast(3))) = m[4, :]", "DP304"),
        ),
        published=(_of_matrices(ZERO), *_RECORDS),
        traits=(Indexing(), NeedsBounds(), NeverNaN(), IntegerArguments(("i",)), monotonicity.PICKED),
    ),
)


COLUMN = "[:,]"


def _column(args: Args) -> Type:
    """What rows of a matrix move by is added up, so a column is at most as far away in L1, and in any norm."""
    matrix = args.container("m")
    norm = Norm.L1 if is_discrete(matrix.element) else NormVariable("norm", free=True)
    assert matrix.rows is not None, "it is a matrix"
    return Container(Kind.VECTOR, norm, Clip.U, matrix.rows, matrix.element)


def _column_of_records(args: Args) -> Type:
    dataset = args.dataset("m")
    return dataset.of(Container(Kind.VECTOR, dataset.records.norm, Clip.U, dataset.size, entry(args)))


_FACTORS = only(m=ONE, j=INFINITY)

COLUMN_ROWS: tuple[Builtin, ...] = (
    Builtin(
        COLUMN,
        "m[:, j]",
        (
            form(
                _column,
                _FACTORS,
                inside,
                fails_on=("j",),
                linear=linear.column,
                m=Box(frozenset({Kind.MATRIX}), truth=True),
                j=INTEGER_NUMBER,
            ),
            form(_column_of_records, _FACTORS, inside, fails_on=("j",), m=ROWS_OF_PEOPLE, j=INTEGER_NUMBER),
        ),
        "A column; 1-sensitive. Of a dataset of rows it is a dataset of numbers, compared in the same way; of another "
        "matrix a vector, which moves no further than that in any norm. A private index has no bound (∞).",
        "Immediate from the metrics: no entry moves further than its row, and a record keeps its place",
        (
            "f(m::MetricMatrix(Real, L2)) = m[:, 1]",
            "f(m::MetricMatrix(Bounded(Real, 0, 5), Symmetric)) = sum(m[:, 2])",
        ),
        (
            Refused("f(v::MetricVector(Real, L2)) = v[:, 1]", "DP202"),
            Refused("f(m::MetricMatrix(Real, L2)) = m[:, 0]", "DP304"),
        ),
        traits=(IntegerArguments(("j",)), monotonicity.IN_FIRST),
    ),
)
"""The row."""


RANGE = ":"


def _whole_numbers(args: Args) -> Type:
    """max(0, last - first + 1) whole numbers."""
    first, last = args.static("first"), args.static("last")
    return _points(positive_part(last - first + Poly.of(1)).single_poly(), Base.INTEGER, Bounds(first, last))


def _steps(args: Args) -> Type | Refusal:
    """⌊(last - first)/step⌋ + 1 numbers, or none."""
    first, step, last = (args.static(name).number for name in ("first", "step", "last"))
    if first is None or step is None or last is None:
        return Refusal("its first number, its step and its last number must be written out")
    count = math.floor((last - first) / step) + 1 if step else 0
    between = Bounds(*map(Poly.of, sorted((first, last))))
    return _points(Poly.of(max(0, count)), Base.INTEGER if args.base is Base.INTEGER else Base.REAL, between)


def _points(count: Poly, base: Base, between: Bounds) -> Container:
    """So many numbers between two; of none nothing is said."""
    element = NumberType(base, bounds=between if count.terms else None)
    return Container(Kind.VECTOR, NormVariable("norm", free=True), Clip.U, count, element)


def _moves_on(args: Args) -> tuple[Demand, ...]:
    return (Demand(args.static("step"), "!=", Poly.of(0), "step"),)


RANGE_ROWS: tuple[Builtin, ...] = (
    Builtin(
        RANGE,
        "first:last, first:step:last",
        (
            form(_whole_numbers, free, first=STATIC_INTEGER, last=STATIC_INTEGER),
            form(_steps, free, _moves_on, first=STATIC, step=STATIC, last=STATIC),
        ),
        "The public numbers from the first one to the last one, as a vector: candidates of a selection, or the edges "
        "of bins. With a step all three must be written out.",
        "A vector of public numbers moves with nothing",
        (
            "f(v::MetricVector(Real, Symmetric)) = histogram(v, 0:100)",
            "f(v::MetricVector(Real, Symmetric)) = quantile_score(v, 0.5, 0:0.5:10)",
        ),
        (
            Refused("f(v::MetricVector(Real, Symmetric)) = histogram(v, 0:0:10)", "DP304"),
            Refused("f(v::MetricVector(Real, Symmetric), k::Static()) = histogram(v, 0:k:10)", "DP208"),
            Refused("f(n::Integer) = 1:n", "DP207"),
            Refused("f(x::Data) = x:3", "DP202"),
        ),
    ),
)
"""The row."""


SLICE = "[:…:]"
SLICE_OF_ROWS = "[:…:,]"
SLICE_OF_COLUMNS = "[,:…:]"


def _count(args: Args) -> Poly:
    return args.static("last") - args.static("first") + Poly.of(1)


def _shortened(box: Container, count: Poly) -> Container:
    """Fewer entries of a vector, or fewer rows of a matrix."""
    return replace(box, length=count) if box.rows is None else replace(box, rows=count)


def _some(args: Args) -> Type:
    given = args[args.names[0]]
    if isinstance(given, Container):
        return _shortened(given, _count(args))
    dataset = args.dataset(args.names[0])
    return Dataset(dataset.metric, _shortened(dataset.records, _count(args)), radius=dataset.radius)


def _some_columns(args: Args) -> Type:
    """A part of a row is no longer than the row, in any norm. A record of a dataset keeps its place."""
    given = args["m"]
    if isinstance(given, Container):
        return replace(given, length=_count(args))
    dataset = args.dataset("m")
    return replace(dataset, records=replace(dataset.records, length=_count(args)))


def _are_there(args: Args) -> tuple[Demand, ...]:
    """The positions exist, or there are none."""
    given = args[args.names[0]]
    if isinstance(given, Dataset):
        return _up_to(args, given.size)
    box = args.container(args.names[0])
    return _up_to(args, box.length if box.rows is None else box.rows)


def _columns_are_there(args: Args) -> tuple[Demand, ...]:
    given = args["m"]
    return _up_to(args, given.records.length if isinstance(given, Dataset) else args.container("m").length)


def _up_to(args: Args, size: Poly) -> tuple[Demand, ...]:
    first, last = args.static("first"), args.static("last")
    return (
        Demand(Poly.of(1), "<=", first, "first"),
        Demand(Poly.of(0), "<=", last - first + Poly.of(1), "last"),
        Demand(last, "<=", size, "last"),
    )


def _form(result: Result, there: Callable[[Args], tuple[Demand, ...]], name: str, pattern: Pattern) -> Form:
    places = (Parameter("first", STATIC_INTEGER), Parameter("last", STATIC_INTEGER))
    return Form((Parameter(name, pattern), *places), result, only(**{name: ONE}), there)


_BOUNDED = "f(v::MetricVector(Bounded(Real, 0, 9), {})) = sum(v[1:3])"
_SOURCE_OF_SLICES = "Leaving entries out makes no distance larger"
_OF_MATRIX = Box(MATRIX, truth=True)

SLICE_ROWS: tuple[Builtin, ...] = (
    Builtin(
        SLICE,
        "v[first:last]",
        (
            _form(_some, _are_there, "v", Box(VECTOR, truth=True)),
            _form(_some, _are_there, "v", Records(VECTOR, sized=True, placed=True)),
        ),
        "The entries from one position to another, which must be public; 1-sensitive. Of a dataset in Hamming, the "
        "records at these positions.",
        _SOURCE_OF_SLICES,
        ("f(v::MetricVector(Real, L2), k::Static(Integer)) = v[1:k]", _BOUNDED.format("Hamming")),
        (
            Refused(_BOUNDED.format("ChangeOne"), "DP202"),
            Refused("f(v::MetricVector(Real, Hamming, Size(2))) = sum(clamp(v[1:3], 0, 1))", "DP304"),
            Refused("f(v::MetricVector(Real, L2), k::Integer) = v[1:k]", "DP207"),
        ),
        traits=(IntegerArguments(("first", "last")),),
    ),
    Builtin(
        SLICE_OF_ROWS,
        "m[first:last, :]",
        (
            _form(_some, _are_there, "m", _OF_MATRIX),
            _form(_some, _are_there, "m", Records(MATRIX, sized=True, placed=True)),
        ),
        "The rows from one position to another, which must be public; 1-sensitive. Of a dataset in Hamming, the "
        "records at these positions.",
        _SOURCE_OF_SLICES,
        (
            "f(m::MetricMatrix(Real, L2), k::Static(Integer)) = m[1:k, :]",
            "f(m::MetricMatrix(Real, Hamming, RowNorm(L2, 2))) = sum(m[2:5, :]; dims=1)",
        ),
        (
            Refused("f(m::MetricMatrix(Real, Symmetric, RowNorm(L2, 2))) = sum(m[2:5, :]; dims=1)", "DP202"),
            Refused("f(m::MetricMatrix(Real, L2), k::Integer) = m[1:k, :]", "DP207"),
            Refused("f(m::MetricMatrix(Real, L2)) = m[0:3, :]", "DP304"),
        ),
        traits=(IntegerArguments(("first", "last")),),
    ),
    Builtin(
        SLICE_OF_COLUMNS,
        "m[:, first:last]",
        (
            _form(_some_columns, _columns_are_there, "m", _OF_MATRIX),
            _form(_some_columns, _columns_are_there, "m", ROWS_OF_PEOPLE),
        ),
        "The columns from one position to another, which must be public; 1-sensitive. Of a dataset of rows, one of "
        "shorter rows, compared in the same way.",
        _SOURCE_OF_SLICES,
        (
            "f(m::MetricMatrix(Real, L2), k::Static(Integer)) = m[:, 1:k]",
            "f(m::MetricMatrix(Real, Symmetric, RowNorm(L2, 2))) = sum(m[:, 2:3]; dims=1)",
        ),
        (
            Refused("f(v::MetricVector(Real, L2)) = v[:, 1:2]", "DP202"),
            Refused("f(m::MetricMatrix(Real, L2), k::Integer) = m[:, 1:k]", "DP207"),
            Refused("f(m::MetricMatrix(Real, L2)) = m[:, 0:3]", "DP304"),
        ),
        traits=(IntegerArguments(("first", "last")),),
    ),
)
"""The rows."""
