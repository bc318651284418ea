"""What programs in Python mean by what the surface tree leaves open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from operator import or_

from dp_lsp.core.machine import ABSTRACT, ARRAY, FLOAT64, INT, NUMBERS, OTHER_ARRAY, WHOLE, Storage, Stored, values
from dp_lsp.language import Semantics


class PythonStorage(Storage):
    """Whole numbers have no largest one, and sums, differences and products of them are whole,
    and so is the smallest and the largest. Of others nothing is
    said, but that an array that is filled holds floats."""

    def literal(self, number: int | None) -> Stored:
        return FLOAT64 if number is None else INT

    def numbers(self, builtin: str, *given: Stored) -> Stored | None:
        if builtin in _WHOLE_OF_WHOLE and not any(values(each) & ~WHOLE for each in given):
            return INT
        if builtin in _FLOATS:
            return FLOAT64
        if builtin in _LISTS:
            return ABSTRACT
        return INT if builtin in _COUNTS else NUMBERS

    def arrays(self, builtin: str, given: Sequence[Stored], numbers: Stored) -> Stored:
        if builtin in _MAKES_LISTS:
            return OTHER_ARRAY
        if builtin in _MAKES_ARRAYS:
            return ARRAY
        return reduce(or_, given, 0) or ARRAY


_WHOLE_OF_WHOLE = frozenset({"+", "-", "*", ":", "min", "max"})
_COUNTS = frozenset({"length", "count", "count_distinct", "size", "geometric_mechanism", "add_geometric"})
_FLOATS = frozenset({"zeros", "[]="})
"""What makes an array of NumPy that holds floats, and what is put into one."""
_LISTS = frozenset({"T[]", "push!"})
"""What makes a list of anything, and appends to one: it holds each number as it is."""
_MAKES_LISTS = _LISTS | {"[…]", "(… for …)", "map", "filter"}
"""What makes a list, which is no array."""
_MAKES_ARRAYS = frozenset({"deepcopy", "histogram"})
_NEVER_FAILS = frozenset(
    {
        *("+", "-", "*", "<", "<=", ">", ">=", "==", "!=", "!", "&&", "||", "abs", "min", "max", "clamp", "float"),
        *("round", "floor", "ceil", "trunc", "sign", "abs2", "sin", "cos", "tanh", "atan", "asinh"),
        *(
            "sum",
            "length",
            "count",
            "count_distinct",
            "map",
            "filter",
            "f.(v)",
            "(… for …)",
            "[…]",
            "mean",
            "var",
            "median",
            "quantile",
            "maximum",
            "minimum",
            "argmax",
            "argmin",
            "ifelse",
            "add_laplace",
            "add_normal",
            "laplacian_mechanism",
            "geometric_mechanism",
            "gaussian_mechanism",
            "add_geometric",
            "sampled_gaussian",
            "histogram",
            "[]",
            "[]=",
            "zeros",
            "T[]",
            "push!",
            "map_rows",
            "filter_rows",
            "count_rows",
            "size",
            "[:…:]",
            "row_to_vec",
            "as_vector",
            "deepcopy",
            "clip_vector",
            "vector_norm",
            "dot_product",
            "squared_deviations",
            "[:]",
            "eachrow(…)",
            "[… for … in eachrow(m)]",
            "[]+=",
        ),
    }
)
"""Rows that fail where their rules say so, and nowhere else."""
_DIVIDES = {"/": "y", "mod": "s"}
"""Rows that divide, which fails by 0, and by what."""


class PythonSemantics(Semantics):
    """The last definition of a function replaces the others. A loop leaves its variable behind, and a function inside
    another has variables of its own. No operation that is understood changes anything in place."""

    dispatches = False
    loops_bind = False
    functions_reach_out = False
    updates_in_place = True
    names_arguments = True
    presumes_privacy = True
    types_are_inferred = False
    sizes_fit = False
    constants_change = False
    names_move = True
    draws_hide = True
    failures_compute = True

    storage = PythonStorage()

    def may_be_view(self, builtin: str) -> bool:
        return True

    def fails_on(self, builtin: str, known: tuple[str, ...], arguments: tuple[str, ...]) -> Collection[str]:
        if builtin in _DIVIDES:
            return {*known, _DIVIDES[builtin]}
        return known if builtin in _NEVER_FAILS else arguments
