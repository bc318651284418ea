"""What people call in Python of records that is not proved private."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from dp_lsp.hopeless import Hopeless

_ORDER = Hopeless(
    "`{written}` shows at each place what other records decide",
    "release one number near the middle instead,"
    " `np.median(np.clip({of}, 0, 100)) + np.random.laplace(scale=100 / eps)`",
)
_PLACE = Hopeless(
    "`{written}` shows at which place a record stands",
    "count records instead, `np.sum({of} <= 20) + np.random.laplace(scale=1 / eps)`",
)
_KEYS = Hopeless(
    "which keys `{written}` has tells whose records are there",
    "write the keys out instead, and count one after the other:"
    " `[sum(1 for x in {of} if x == k) + np.random.laplace(scale=1 / eps) for k in [1, 2, 3]]`",
)
_GROUPS = Hopeless(
    "which groups `{written}` has tells whose records are there",
    "write the groups out instead, and release one after the other:"
    ' `{of}[{of}["town"] == "Bonn"]["income"].clip(0, 100).sum() + np.random.laplace(scale=100 / eps)`',
)
_DRAWN = Hopeless(
    "`{written}` draws the records themselves",
    "release one statistic of all of them instead,"
    " `np.sum(np.clip({of}, 0, 100)) + np.random.laplace(scale=100 / eps)`, and compute with that",
)
_FACTOR = Hopeless(
    "one record may multiply `{written}` by any factor",
    "add noise to a sum of logarithms instead,"
    " `np.exp(np.sum(np.log(np.clip({of}, 1, 100))) + np.random.laplace(scale=5 / eps))`",
)
_EACH = Hopeless(
    "each entry of `{written}` shows what one record adds",
    "release one part at a time instead, `np.sum({of} <= 20) + np.random.laplace(scale=1 / eps)`",
)
_SHOWN = Hopeless(
    "`{written}` shows records",
    "release a statistic of one column instead,"
    ' `{of}["income"].clip(0, 100).sum() + np.random.laplace(scale=100 / eps)`',
)

_DECIDED = Hopeless(
    "one record may decide what `{written}` is",
    "count with noise instead, `sum(1 for x in {of} if x == 1) + np.random.laplace(scale=1 / eps)`,"
    " and compare what is released",
)
_EDGES = Hopeless(
    "the edges of `{written}` are the smallest and the largest number of `{of}` where they are not written out",
    "write them out instead, `np.histogram({of}, bins=[0, 10, 20, 30])[0] + np.random.laplace(scale=2 / eps, size=3)`",
)

_FUNCTIONS = {
    **dict.fromkeys(("sorted", "np.sort"), _ORDER),
    **dict.fromkeys(("np.argsort", "np.nonzero"), _PLACE),
    **dict.fromkeys(("Counter", "collections.Counter", "np.unique", "np.bincount"), _KEYS),
    **dict.fromkeys(("random.choice", "random.sample"), _DRAWN),
    **dict.fromkeys(("np.prod", "math.prod"), _FACTOR),
    **dict.fromkeys(("any", "all", "np.any", "np.all", "statistics.mode"), _DECIDED),
    **dict.fromkeys(("np.cumsum", "np.cumprod", "np.diff"), _EACH),
}
_METHODS = {
    **dict.fromkeys(("groupby", "pivot_table"), _GROUPS),
    **dict.fromkeys(("value_counts", "most_common"), _KEYS),
    **dict.fromkeys(("describe", "head", "tail", "sort_values", "nlargest", "nsmallest", "sample"), _SHOWN),
    **dict.fromkeys(("any", "all", "mode"), _DECIDED),
    **dict.fromkeys(("idxmax", "idxmin", "argsort"), _PLACE),
    **dict.fromkeys(("cumsum", "cumprod", "diff"), _EACH),
    "prod": _FACTOR,
}
_NAMED = re.compile(r"[^\W\d]\w*")
_WITHIN = re.compile(r"\(\s*([^\W\d]\w*)")

EDGES_OF_DATA = "`np.histogram`"
"""How it is named where its edges are the smallest and the largest number."""
HOPELESS = {
    **{f"`{name}`": each for name, each in _FUNCTIONS.items()},
    **{f"`.{name}`": each for name, each in _METHODS.items()},
    EDGES_OF_DATA: _EDGES,
}
"""By how the call is named within a sentence; a method with a dot before it."""


def has_edges_of_data(node: ast.Call, is_number: Callable[[ast.expr], bool]) -> bool:
    """Whether a histogram has so many bins between the smallest and the largest number."""
    named = {each.arg: each.value for each in node.keywords}
    bins = node.args[1] if len(node.args) > 1 else named.get("bins")
    return "range" not in named and (bins is None or is_number(bins))


def hopeless_call(node: ast.Call, called: str) -> str | None:
    """How a call is named that is not proved private, given the function of a module that is ``called``."""
    if f"`{called}`" in HOPELESS:
        return f"`{called}`"
    method = f"`.{node.func.attr}`" if isinstance(node.func, ast.Attribute) and not called.startswith("np.") else ""
    return method if method in HOPELESS else None


def told(what: str, text: str) -> tuple[str, str]:
    """How a call is written in a message, and the name of what it is given, or of what its method is asked."""
    found = _NAMED.match(text) if what.startswith("`.") else _WITHIN.search(text)
    of = "v" if found is None else found[found.re.groups]
    name = what.strip("`")
    return (f"{of}{name}" if name.startswith(".") else name), of


def is_of_data(function: ast.FunctionDef, node: ast.AST) -> bool:
    """Whether something in a function is made of a parameter that is not declared public."""
    args = function.args
    params = (*args.posonlyargs, *args.args, *args.kwonlyargs)
    given = {each.arg for each in params if each.annotation is None or "Static" not in ast.unparse(each.annotation)}
    while more := {*_made_of(function, given)} - given:
        given |= more
    return _reads(node, given)


def _made_of(function: ast.FunctionDef, given: set[str]) -> Iterator[str]:
    """The names that are given what reads one of these."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(value=value) if _reads(value, given):
                yield from (name for each in node.targets for name in _names_in(each))
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
                | ast.For(target=target, iter=value)
                | ast.comprehension(target=target, iter=value)
            ) if _reads(value, given):
                yield from _names_in(target)


def _names_in(node: ast.AST) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _reads(node: ast.AST, names: set[str]) -> bool:
    return any(name in names for name in _names_in(node))


def plain(what: str) -> str:
    """How a call is named that is not of data."""
    return f"the method `{what[2:]}" if what.startswith("`.") else f"the function {what}"
