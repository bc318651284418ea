"""Statistics that a context of OpenDP is asked for of what polars calculates later: ``.select(dp.len())``.

A query shares its part of the loss among the statistics that it selects: each has noise for the same share. That, and
what each is scaled by, was read off the library's own ``summarize`` (version 0.16.0 with polars 1.36.1). Its counts are
cut off at 0 behind the noise, or not (``signed=``), which is no matter. What becomes of missing values its pages do not
say, so columns of which some may be missing are not added up here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.tree import below, walk
from dp_lsp.named import NamedTuple

COLLECTED = ("release", "collect"), ("release", "collect", "item")
"""What makes a table of a query, or the only number of that."""
ITEM = "item"
SELECT = "select"
MARGINS = "margins"

Called = Callable[[ast.expr], str]

_ROWS = frozenset({"dp.len"})
_COLUMN, _ALL_ROWS, _MARGIN = "pl.col", "pl.len", "dp.polars.Margin"
_LEAVES_ALONE = frozenset({"fill_null", "fill_nan"})
"""What changes nothing of a column of which no value is missing."""


class Statistic(NamedTuple):
    """How many rows there are, or the sum of a ``column`` between bounds."""

    node: ast.expr
    column: str = ""
    bounds: ast.expr | None = None


def statistics(select: ast.Call, called: Called) -> tuple[Statistic, ...]:
    """What a query selects. Raises :class:`Refused`."""
    if select.keywords or not select.args:
        raise Refused(select, "`select` of what has a name, or of nothing,")
    return tuple(_statistic(each, called) for each in select.args)


def _statistic(node: ast.expr, called: Called) -> Statistic:
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr="alias"), args=[ast.Constant(value=str())], keywords=[]):
            return _statistic(of, called)
        case ast.Call(func=func, args=[], keywords=[] | [ast.keyword("signed", ast.Constant(value=bool()))]) if (
            called(func) in _ROWS
        ):
            return Statistic(node)
        case ast.Call(
            func=ast.Attribute(
                value=ast.Attribute(value=ast.Call(func=func, args=[], keywords=[]), attr="dp"), attr="noise"
            ),
            args=[],
            keywords=[],
        ) if called(func) == _ALL_ROWS:
            return Statistic(node)
        case (
            ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=of, attr="dp"), attr="sum"),
                args=[bounds],
                keywords=[],
            )
            | ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=of, attr="dp"), attr="sum"),
                args=[],
                keywords=[ast.keyword("bounds", bounds)],
            )
        ):
            return Statistic(node, _column(of, called), bounds)
    raise Refused(node, "a statistic other than `dp.len()` or `pl.col(…).dp.sum((low, high))`")


def _column(node: ast.expr, called: Called) -> str:
    """The column that an expression of polars is."""
    match node:
        case ast.Call(func=func, args=[ast.Constant(value=str() as name)], keywords=[]) if called(func) == _COLUMN:
            return name
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=[ast.Constant()], keywords=[]) if (
            attr in _LEAVES_ALONE
        ):
            return _column(of, called)
    raise Refused(node, "what is added up other than a column, `pl.col(…)`, with `fill_null` and `fill_nan`,")


def check_margins(node: ast.expr, called: Called) -> None:
    """Raises :class:`Refused` where a context is told more than how many rows there are at most: what else it may be
    told lets it add no noise."""
    given = node.elts if isinstance(node, ast.List) else [node]
    for each in given:
        match each:
            case ast.Call(func=func, args=[], keywords=keywords) if called(func) == _MARGIN and all(
                (one.arg == "max_length" and isinstance(one.value, ast.Constant))
                or (one.arg == "by" and isinstance(one.value, ast.List | ast.Tuple) and not one.value.elts)
                for one in keywords
            ):
                continue
        raise Refused(each, "a margin that says more than `max_length=`")


def misused(node: ast.FunctionDef, frames: frozenset[str], called: Called) -> ast.expr | ast.arg | None:
    """A place where a frame is anything else than the data of a context, or where something else has its name."""
    data = {id(each) for item in walk(node) for each in _data(item, called)}
    own = {id(each) for each in (*node.args.args, *node.args.kwonlyargs)}
    for item in walk(node):
        match item:
            case ast.Name(id=name) | ast.arg(arg=name) if name in frames and id(item) not in data | own:
                return item
    return None


def unsaid(node: ast.FunctionDef, frames: frozenset[str], called: Called) -> ast.expr | None:
    """The data of a context that selects statistics, if they are none of the known frames."""
    if not any(each.attr == SELECT for each in below(node, ast.Attribute)):
        return None
    data = (each for item in walk(node) for each in _data(item, called))
    return next((each for each in data if not (isinstance(each, ast.Name) and each.id in frames)), None)


def _data(node: ast.AST, called: Called) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call) and called(node.func) == "dp.Context.compositor":
        yield from (each.value for each in node.keywords if each.arg == "data")
