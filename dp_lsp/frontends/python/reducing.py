"""Functions that make one number of many, as they are written: by a name, or as a method.

Sources: the manuals of NumPy ("Statistics", "Sorting, searching, and counting"), of pandas (``Series``), and of Python
(built-in functions).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from dp_lsp.named import NamedTuple

SIZE, SQUARED, SPREAD = "np.size", "np.var", "np.std"
SMALLEST, LARGEST, WHERE_SMALLEST, WHERE_LARGEST = "np.min", "np.max", "np.argmin", "np.argmax"
MIDDLE, QUANTILE, PERCENTILE = "np.median", "np.quantile", "np.percentile"
DISTINCT = "pd.Series.nunique"
FREEDOM = "ddof"

_BY_NAME = {
    **{name: name for name in (SIZE, SQUARED, SPREAD, MIDDLE, QUANTILE, PERCENTILE)},
    **{name: name for name in (SMALLEST, LARGEST, WHERE_SMALLEST, WHERE_LARGEST)},
    **{"np.amin": SMALLEST, "np.amax": LARGEST, "min": SMALLEST, "max": LARGEST},
}
_METHODS = {
    **{"var": SQUARED, "std": SPREAD, "median": MIDDLE, "quantile": QUANTILE},
    **{"min": SMALLEST, "max": LARGEST, "argmin": WHERE_SMALLEST, "argmax": WHERE_LARGEST},
    "nunique": DISTINCT,
}
OF_MANY = {
    **{"var": SQUARED, "median": MIDDLE, "maximum": LARGEST, "minimum": SMALLEST},
    **{"argmax": WHERE_LARGEST, "argmin": WHERE_SMALLEST, "count_distinct": DISTINCT},
}
"""The names of builtins that are given nothing else, by the ids of their rows."""
FUNCTIONS, METHODS = frozenset(_BY_NAME), frozenset(_METHODS)
"""The names of the functions, and of the methods of arrays and columns that do the same."""
_TAKES = {QUANTILE: ("q",), PERCENTILE: ("q",)}
_TOLD = {SQUARED: FREEDOM, SPREAD: FREEDOM}


class Reducing(NamedTuple):
    """A call that makes one number: the function, by one name for all its spellings, what it is given, and what it is
    told besides, by the names of these; None where it is told something else."""

    function: str
    of: ast.expr
    told: Mapping[str, ast.expr] | None
    is_method: bool


def reducing(node: ast.Call, called: str) -> Reducing | None:
    """The function that a call makes one number by; ``called`` is its name if that is known. None for any other."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=given) if not called and attr in _METHODS:
            function, is_method = _METHODS[attr], True
        case ast.Call(args=[ast.expr() as of, *given]) if called in _BY_NAME:
            function, is_method = _BY_NAME[called], False
            if called in ("min", "max") and (given or node.keywords):
                return None
        case _:
            return None
    return Reducing(function, of, _told(function, given, node.keywords), is_method)


def _told(function: str, given: list[ast.expr], keywords: list[ast.keyword]) -> Mapping[str, ast.expr] | None:
    order = _TAKES.get(function, ())
    told = dict(zip(order, given, strict=False))
    for each in keywords:
        if each.arg is None or each.arg in told or each.arg not in (*order, _TOLD.get(function)):
            return None
        told[each.arg] = each.value
    known = len(given) <= len(order) and not any(isinstance(each, ast.Starred) for each in given)
    return told if known and told.keys() >= {*order} else None


def where_largest(node: ast.Call, called: Callable[[ast.expr], str]) -> ast.Name | None:
    """The list whose largest entry is looked for in it, ``xs.index(max(xs))``; None for any other call. ``called``
    tells the function that is meant."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name) as of, attr="index"),
            args=[ast.Call(func=func, args=[ast.Name(id=other)], keywords=[])],
            keywords=[],
        ) if name == other and called(func) == "max":
            return of
    return None


def distinct(node: ast.Call, called: Callable[[ast.expr], str]) -> ast.expr | None:
    """The list of which ``len(set(v))`` tells how many different values it holds, or the array or the column of which
    ``len(np.unique(v))`` or ``len(df["Town"].unique())`` does; None for any other call."""
    match node:
        case ast.Call(func=func, args=[ast.Call(func=made, args=[of], keywords=[])], keywords=[]):
            return of if called(func) == "len" and called(made) in ("set", "np.unique") else None
        case ast.Call(
            func=func,
            args=[ast.Call(func=ast.Attribute(value=of, attr="unique"), args=[], keywords=[])],
            keywords=[],
        ):
            return of if called(func) == "len" else None
    return None
