"""Rows for what stands at several positions in a row: `v[first:last]`, `m[first:last, :]` and `m[:, first:last]`, of
containers and of datasets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dp_lsp.builtins.datasets import MATRIX, ROWS_OF_PEOPLE, VECTOR
from dp_lsp.builtins.define import Args, Builtin, Demand, Form, Parameter, Refused, Result, only
from dp_lsp.builtins.patterns import STATIC_INTEGER, Box, Pattern, Records
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import ONE
from dp_lsp.core.types import Container, Dataset, Type

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
_SOURCE = "Leaving entries out makes no distance larger"
_A_MATRIX = Box(MATRIX, truth=True)

ROWS: tuple[Builtin, ...] = (
    Builtin(
        SLICE,
        "v[first:last]",
        (
            _form(_some, _are_there, "v", Box(VECTOR, truth=True)),
            _form(_some, _are_there, "v", Records(VECTOR, sized=True, placed=True)),
        ),
        "The entries from one position to another, which must be public; 1-sensitive. Of a dataset in Hamming, the "
        "records at these positions.",
        _SOURCE,
        ("f(v::MetricVector(Real, L2), k::Static(Integer)) = v[1:k]", _BOUNDED.format("Hamming")),
        (
            Refused(_BOUNDED.format("ChangeOne"), "DP202"),
            Refused("f(v::MetricVector(Real, Hamming, Size(2))) = sum(clamp(v[1:3], 0, 1))", "DP304"),
            Refused("f(v::MetricVector(Real, L2), k::Integer) = v[1:k]", "DP207"),
        ),
    ),
    Builtin(
        SLICE_OF_ROWS,
        "m[first:last, :]",
        (
            _form(_some, _are_there, "m", _A_MATRIX),
            _form(_some, _are_there, "m", Records(MATRIX, sized=True, placed=True)),
        ),
        "The rows from one position to another, which must be public; 1-sensitive. Of a dataset in Hamming, the "
        "records at these positions.",
        _SOURCE,
        (
            "f(m::MetricMatrix(Real, L2), k::Static(Integer)) = m[1:k, :]",
            "f(m::MetricMatrix(Real, Hamming, RowNorm(L2, 2))) = sum(m[2:5, :]; dims=1)",
        ),
        (
            Refused("f(m::MetricMatrix(Real, Symmetric, RowNorm(L2, 2))) = sum(m[2:5, :]; dims=1)", "DP202"),
            Refused("f(m::MetricMatrix(Real, L2), k::Integer) = m[1:k, :]", "DP207"),
            Refused("f(m::MetricMatrix(Real, L2)) = m[0:3, :]", "DP304"),
        ),
    ),
    Builtin(
        SLICE_OF_COLUMNS,
        "m[:, first:last]",
        (
            _form(_some_columns, _columns_are_there, "m", _A_MATRIX),
            _form(_some_columns, _columns_are_there, "m", ROWS_OF_PEOPLE),
        ),
        "The columns from one position to another, which must be public; 1-sensitive. Of a dataset of rows, one of "
        "shorter rows, compared in the same way.",
        _SOURCE,
        (
            "f(m::MetricMatrix(Real, L2), k::Static(Integer)) = m[:, 1:k]",
            "f(m::MetricMatrix(Real, Symmetric, RowNorm(L2, 2))) = sum(m[:, 2:3]; dims=1)",
        ),
        (
            Refused("f(v::MetricVector(Real, L2)) = v[:, 1:2]", "DP202"),
            Refused("f(m::MetricMatrix(Real, L2), k::Integer) = m[:, 1:k]", "DP207"),
            Refused("f(m::MetricMatrix(Real, L2)) = m[:, 0:3]", "DP304"),
        ),
    ),
)
"""The rows."""
