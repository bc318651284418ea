"""How Julia writes the builtins: as the published library has them, whose names are their ids. It stands in their rows,
beside the programs that try them."""

from __future__ import annotations

from dp_lsp.builtins import TABLE
from dp_lsp.builtins.define import Builtin
from dp_lsp.core import machine
from dp_lsp.language import Builtins, Spelling


def julia_builtins() -> Builtins:
    """Those of all rows. A name that ends in ``!`` changes an argument."""
    return Builtins({row.name: _spelling(row) for row in TABLE.values()}, _BY_OPERATOR, _CONVERSIONS)


_CONVERSIONS = {machine.FLOAT64: "Float64", machine.FLOAT32: "Float32", machine.INT: "Int"}
"""Types of numbers that are functions, too."""

_BY_OPERATOR = {
    ("reduce", "+"): "sum",
    ("reduce", "max"): "maximum",
    ("reduce", "min"): "minimum",
    ("mapreduce", "+"): "sum",
}
"""Functions that combine entries by an operator, in an order that is not said. (Source: the Julia manual,
"Collections and Data Structures". In real numbers the order does not count.)"""


def _spelling(row: Builtin) -> Spelling:
    changing = () if row.mutates is None else tuple(f"{name.removesuffix('!')}!" for name in (row.name, *row.aliases))
    return Spelling(row.name, row.signature, row.aliases, changing, row.examples, row.refused)
