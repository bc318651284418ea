"""The table of builtins: one row for each, and nothing about them anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dp_lsp.builtins import (
    arithmetic,
    containers,
    datasets,
    elementary,
    everyday,
    filling,
    higher,
    learning,
    mechanisms,
    orders,
    places,
    private,
    statistics,
)
from dp_lsp.builtins.arithmetic import MINUS, PLUS, POWER, QUOTIENT, TIMES
from dp_lsp.builtins.containers import LITERAL, TOTAL
from dp_lsp.builtins.datasets import KEEPING, KEEPING_ROWS, OF_ROWS
from dp_lsp.builtins.define import Builtin, Form
from dp_lsp.builtins.elementary import SQUARE
from dp_lsp.builtins.filling import EMPTY, PUSH, STORE, STORE_ALL, TALLY
from dp_lsp.builtins.higher import AS_VIEWS, ENTRIES, MAKING, ONE_BY_ONE, PICKED, ROWS_PICKED
from dp_lsp.builtins.places import COLUMN, INDEX, RANGE, ROW, SLICE, SLICE_OF_COLUMNS, SLICE_OF_ROWS, extent
from dp_lsp.builtins.statistics import DEVIATIONS
from dp_lsp.builtins.traits import ForRows, Replaceable, SampledRows

T = TypeVar("T")

_FAMILIES: tuple[tuple[Builtin, ...], ...] = (
    *(arithmetic.ROWS, arithmetic.POWER_ROWS, everyday.ROWS, elementary.ROWS, everyday.QUALITIES, elementary.TRUTH),
    *(places.ROWS, places.SLICE_ROWS, containers.ROWS, higher.ROWS, higher.BROADCASTS, filling.ROWS),
    *(datasets.ROWS, statistics.ROWS, statistics.VARIANCES, orders.ROWS),
    *(places.COLUMN_ROWS, datasets.RECORD_ROWS, places.RANGE_ROWS),
    *(learning.ROWS, mechanisms.ROWS, private.ROWS, private.GROUP_ROWS, private.SELECTIONS),
)
TABLE: dict[str, Builtin] = {name: row for rows in _FAMILIES for row in rows for name in (row.name, *row.aliases)}
RANDOM = frozenset(
    name
    for name, row in TABLE.items()
    if row.has(SampledRows) or any(form.noise is not None or form.runs is not None for form in row.forms)
)
"""What may return something else in two runs on the same arguments."""

PLACES, PLACES_AND_ENTRIES, ENTRIES_BY_PLACE, BESIDE = "eachindex", "enumerate", "pairs", "zip"
"""Those that a loop goes over instead of a vector: its positions, or its positions with what stands there, and what
stands in several vectors beside each other."""
EACH_ROW = "eachrow"
"""What a comprehension goes over instead of a matrix: its rows."""
WAYS = frozenset({PLACES, PLACES_AND_ENTRIES, ENTRIES_BY_PLACE, BESIDE, EACH_ROW})
"""All of these."""
REPLACEABLE_WAYS = frozenset({ENTRIES_BY_PLACE, BESIDE})
"""Those of them that a program may define."""
SMALLEST = "min"
"""The smallest of several numbers."""


def replaceable(name: str | None) -> Builtin | None:
    """The row of this id, if a program may give its name another meaning."""
    found = None if name is None else TABLE.get(name)
    return found if found is not None and found.has(Replaceable) else None


def for_rows(name: str) -> str:
    """The builtin that does with rows what one does with numbers."""
    found = TABLE[name].trait(ForRows)
    return name if found is None else found.builtin


def passed_on(row: Builtin, args: Sequence[T]) -> tuple[T, ...]:
    """Those arguments of a call of a builtin that its result may be, or hold."""
    return _among(args, [(form, form.passes_on) for form in row.forms])


def sharing_arrays(row: Builtin, args: Sequence[T]) -> tuple[T, ...]:
    """Those arguments of a call of a builtin whose arrays its result shares if they are gradients."""
    return _among(args, [(form, form.shares_arrays) for form in row.forms])


def _among(args: Sequence[T], named: Sequence[tuple[Form, tuple[str, ...]]]) -> tuple[T, ...]:
    """The arguments of a call that one of the forms it may have names."""
    forms = [(names, form.parameters(len(args))) for form, names in named if names]
    return tuple(
        arg
        for index, arg in enumerate(args)
        if any(params is not None and params[index].name in names for names, params in forms)
    )


__all__ = [
    "AS_VIEWS",
    "BESIDE",
    "COLUMN",
    "DEVIATIONS",
    "EACH_ROW",
    "EMPTY",
    "ENTRIES",
    "ENTRIES_BY_PLACE",
    "INDEX",
    "KEEPING",
    "KEEPING_ROWS",
    "LITERAL",
    "MAKING",
    "MINUS",
    "OF_ROWS",
    "ONE_BY_ONE",
    "PICKED",
    "PLACES",
    "PLACES_AND_ENTRIES",
    "PLUS",
    "POWER",
    "PUSH",
    "QUOTIENT",
    "RANDOM",
    "RANGE",
    "REPLACEABLE_WAYS",
    "ROW",
    "ROWS_PICKED",
    "SLICE",
    "SLICE_OF_COLUMNS",
    "SLICE_OF_ROWS",
    "SMALLEST",
    "SQUARE",
    "STORE",
    "STORE_ALL",
    "TABLE",
    "TALLY",
    "TIMES",
    "TOTAL",
    "WAYS",
    "Builtin",
    "extent",
    "for_rows",
    "passed_on",
    "replaceable",
]
