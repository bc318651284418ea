"""The row for a column of a matrix: one number of every row."""

from __future__ import annotations

from dp_lsp.builtins.datasets import ROWS_OF_PEOPLE
from dp_lsp.builtins.define import Args, Builtin, Refused, form, only
from dp_lsp.builtins.patterns import INTEGER_NUMBER, Box
from dp_lsp.builtins.places import entry, inside
from dp_lsp.core.algebra import NormVariable
from dp_lsp.core.metrics import is_discrete
from dp_lsp.core.sens import INFINITY, ONE
from dp_lsp.core.types import Clip, Container, Kind, Norm, Type

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

ROWS: tuple[Builtin, ...] = (
    Builtin(
        COLUMN,
        "m[:, j]",
        (
            form(
                _column,
                _FACTORS,
                inside,
                fails_on=("j",),
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
    ),
)
"""The row."""
