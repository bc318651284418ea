"""Rows that choose and count records that are rows of a matrix.

Julia's own `count` and `filter` are given the entries of a matrix one by one, and what is written for a row may be true
of a number, too: `x[1]` is the number. So these have names of their own, as `map_rows` has.
"""

from __future__ import annotations

from dp_lsp.builtins.datasets import ROWS_OF_PEOPLE, Factor, applied_to, of_kind, once, per_step, some_of, twice
from dp_lsp.builtins.define import Builtin, Form, Refused, Result, form, only
from dp_lsp.builtins.patterns import Arrow
from dp_lsp.core.sens import INFINITY
from dp_lsp.core.types import INTEGER

_SOURCE = "Immediate from the metric: a record is counted, or kept, by itself"
_ROWS_OF = "f(m::MetricMatrix(Real, {})) = {}"


def _by_row(result: Result, factor: Factor) -> Form:
    """What a function says of each row decides; what it captured moves every record."""
    factors = only(m=factor, p=INFINITY)
    return form(of_kind(result, "p"), factors, applies=applied_to("p"), p=Arrow(), m=ROWS_OF_PEOPLE)


ROWS: tuple[Builtin, ...] = (
    Builtin(
        "count_rows",
        "count_rows(p, m)",
        (_by_row(lambda args: INTEGER, once),),
        "The number of rows of a dataset for which the function returns true; 1-sensitive.",
        _SOURCE,
        (_ROWS_OF.format("Symmetric", "count_rows(row -> row[1] > row[2], m)"),),
        (
            Refused(_ROWS_OF.format("Symmetric", "count_rows(row -> row[1], m)"), "DP208"),
            Refused("f(v::MetricVector(Real, Symmetric)) = count_rows(x -> x > 1, v)", "DP202"),
        ),
        whole=True,
    ),
    Builtin(
        "filter_rows",
        "filter_rows(p, m)",
        (_by_row(lambda args: some_of(args.dataset("m")), per_step(once, twice)),),
        "The rows of a dataset for which the function returns true. How many there are is private: replacing a row may "
        "remove one and add another, so 2-sensitive where the number of rows was public, else 1-sensitive.",
        _SOURCE,
        (_ROWS_OF.format("Symmetric", "size(filter_rows(row -> row[1] > row[2], m), 1)"),),
        (
            Refused(_ROWS_OF.format("Symmetric", "filter_rows(row -> row[1], m)"), "DP208"),
            Refused("f(v::MetricVector(Real, Symmetric)) = filter_rows(x -> x > 1, v)", "DP202"),
        ),
        loses="how many records it keeps is private",
    ),
)
"""The rows."""
