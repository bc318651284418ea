"""OpenDP: chains of its framework, from the space of the data to a measurement, and queries of its Context API.

What each step does was read in the library's manual and text, version 0.16.0 ("A programming framework for OpenDP",
Gaboardi, Hay and Vadhan 2020). What is claimed does not take the library's word for how far a step moves: the steps
are followed, and what the noise costs is how far what it hides moves over its scale. Of a space nothing is believed but
what kind of numbers it holds, and how many records it says there are where a mean is divided by that.

Statistics that a context of OpenDP is asked for of what polars calculates later: ``.select(dp.len())``.

A query shares its part of the loss among the statistics that it selects: each has noise for the same share. That, and
what each is scaled by, was read off the library's own ``summarize`` (version 0.16.0 with polars 1.36.1). Its counts are
cut off at 0 behind the noise, or not (``signed=``), which is no matter. What becomes of missing values its pages do not
say, so columns of which some may be missing are not added up here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

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


VERSION = "0.16.0"
PREMISE = (
    f"OpenDP does what its pages say, as version {VERSION} does: its noise is exact, and the little that it counts for"
    " adding up floats is left out"
)
"""What is taken for granted of a chain. The library counts rounding: its `map` says as much as a part in a million
more."""

MAKING = "dp.m.make_laplace"
TRANSFORMATION, MEASUREMENT = "dp.t.then_", "dp.m.then_"
LAPLACE, GEOMETRIC, GAUSSIAN = (f"{MEASUREMENT}{name}" for name in ("laplace", "geometric", "gaussian"))
"""The noise of measurements by the names that they have here: a chain of whole numbers has whole Laplace noise."""
HOMES = {"dp": "opendp.prelude"}
NAMED = {"polars": "pl"}
SETTING_UP = frozenset({"dp.enable_features", "dp.assert_features"})
"""What a program calls before it does anything."""


ARGUMENTS = {
    "clamp": ("bounds",),
    "sum": (),
    "count": (),
    "mean": (),
    "laplace": ("scale",),
    "gaussian": ("scale",),
}
"""The steps that are followed, and their arguments."""
CUT_SUM = (
    "of which it adds up a sample where there are more than a million, so that one record more may take the place of"
    " another: give the space a `size=`, or clamp to one sign"
)
"""Why its `map` says hi - lo of a float sum between lo < 0 and hi > 0, which is more than the larger of both."""
STATISTICS, NOISES = frozenset({"sum", "count", "mean"}), frozenset({"laplace", "gaussian"})


class Step(NamedTuple):
    """A step of a chain: its name without ``then_``, and the call."""

    name: str
    call: ast.Call


class Space(NamedTuple):
    """What data there are: records, or a number where they are ``alone``; whether numbers are ``whole``, and how many
    records are said to be there."""

    whole: bool
    alone: bool = False
    size: ast.expr | None = None


class Chain(NamedTuple):
    """A space, and what is done with what is in it."""

    space: Space
    steps: tuple[Step, ...] = ()


def is_chain(node: ast.expr, called: Called) -> bool:
    """Whether an expression adds a step of the library to something, or is noise for a number."""
    match node:
        case ast.Call(func=func):
            return called(func) == MAKING
        case ast.BinOp(op=ast.RShift(), right=ast.Call(func=func)):
            return called(func).startswith((TRANSFORMATION, MEASUREMENT))
    return False


def is_space(node: ast.expr, called: Called) -> bool:
    """Whether an expression is a space: a domain and a metric."""
    match node:
        case ast.Tuple(elts=[ast.Call(func=domain), ast.Call(func=metric)]):
            return called(domain) in _DOMAINS and called(metric).startswith("dp.")
        case ast.Call(func=func):
            return called(func) == "dp.space_of"
    return False


_VECTOR, _ATOM = "dp.vector_domain", "dp.atom_domain"
_DOMAINS = frozenset({_VECTOR, _ATOM})
_METRICS = {
    _VECTOR: frozenset({"dp.symmetric_distance", "dp.insert_delete_distance"}),
    _ATOM: frozenset({"dp.absolute_distance"}),
}


def chain_of(node: ast.expr, called: Called, named: Mapping[str, ast.expr]) -> Chain:
    """The chain that an expression is; ``named`` are the names that stand for one. Raises :class:`Refused`."""
    match node:
        case ast.Name(id=name) if name in named:
            return chain_of(named[name], called, named)
        case ast.BinOp(op=ast.RShift(), left=left, right=ast.Call(func=func) as step):
            name = called(func)
            before = chain_of(left, called, named)
            for kind in (TRANSFORMATION, MEASUREMENT):
                if name.startswith(kind):
                    return before._replace(steps=(*before.steps, Step(name.removeprefix(kind), step)))
        case ast.Tuple(elts=[ast.Call() as domain, ast.Call(func=metric, args=args, keywords=keywords)]):
            said = [*args, *(each.value for each in keywords)]
            plain = all(isinstance(each, ast.Name) and each.id in _HELD for each in said)
            known = called(metric) in _METRICS.get(called(domain.func), ())
            if not known or not plain or (said and called(domain.func) == _VECTOR):
                raise Refused(metric, "this distance of data")
            return Chain(_space(domain, called))
        case ast.Call(func=func, args=[*given], keywords=keywords) if called(func) == MAKING:
            match given:
                case [ast.Starred(value=space), *rest]:
                    before = chain_of(space, called, named)
                case [first, second, *rest]:
                    pair = ast.copy_location(ast.Tuple([first, second], ast.Load()), node)
                    before = chain_of(pair, called, named)
                case _:
                    raise Refused(node, "noise for something that is not written here")
            step = ast.copy_location(ast.Call(func, rest, keywords), node)
            return before._replace(steps=(*before.steps, Step("laplace", step)))
        case ast.Call(func=func, args=[ast.Subscript(value=ast.Name(id="list"), slice=ast.Name(id=held))], keywords=[]):
            if called(func) == "dp.space_of" and held in _HELD:
                return Chain(Space(_HELD[held]))
    raise Refused(node, "this part of a chain")


_HELD = {"int": True, "float": False}


def _space(node: ast.Call, called: Called) -> Space:
    """The space of a domain."""
    match called(node.func), node.args, node.keywords:
        case "dp.atom_domain", [], [*keywords]:
            return Space(_is_whole(node, keywords), alone=True)
        case "dp.vector_domain", [ast.Call(func=func, args=[], keywords=inner) as atoms], [*keywords] if (
            called(func) == _ATOM
        ):
            match keywords:
                case []:
                    return Space(_is_whole(atoms, inner))
                case [ast.keyword(arg="size", value=size)]:
                    return Space(_is_whole(atoms, inner), size=size)
    raise Refused(node, "this domain of data")


def _is_whole(node: ast.Call, keywords: list[ast.keyword]) -> bool:
    said = {each.arg: each.value for each in keywords}
    match said.get("T"):
        case ast.Name(id=held) if held in _HELD:
            whole = _HELD[held]
        case None if (bounds := _held_by(said.get("bounds"))) is not None:
            whole = bounds
        case _:
            raise Refused(node, "a domain that does not say `T=float` or `T=int`")
    if said.keys() - {"T", "bounds", "nan"} or not isinstance(said.get("nan", ast.Constant(False)), ast.Constant):
        raise Refused(node, "this domain of data")
    return whole


def _held_by(bounds: ast.expr | None) -> bool | None:
    match bounds:
        case ast.Tuple(elts=[ast.Constant(value=low), ast.Constant(value=high)]):
            kinds = {type(low), type(high)}
            return True if kinds == {int} else False if kinds == {float} else None
    return None


# The Context API

CONTEXT, RELEASE = "dp.Context.compositor", "release"
UNSAID = "data of which nothing says whom they protect (`people: Annotated[pl.LazyFrame, AddRemove()]`)"


class Query(NamedTuple):
    """A query of a context: the call that made this, and the steps up to its release."""

    context: ast.Call
    steps: tuple[Step, ...]


def is_context(node: ast.expr, called: Called) -> bool:
    """Whether an expression makes a context."""
    return isinstance(node, ast.Call) and called(node.func) == CONTEXT


def query_of(node: ast.expr, called: Called, named: Mapping[str, ast.expr]) -> Query | None:
    """The query that an expression is; None for any other."""
    steps: list[Step] = []
    while True:
        match node:
            case ast.Name(id=name) if name in named:
                node = named[name]
            case ast.Call(func=func) if called(func) == CONTEXT:
                return Query(node, tuple(reversed(steps)))
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                steps.append(Step(attr, node))
                node = value
            case _:
                return None


def is_query(node: ast.expr, called: Called, named: Mapping[str, ast.expr]) -> bool:
    """Whether an expression is a query that is not released yet."""
    query = query_of(node, called, named) if isinstance(node, ast.Call) else None
    names = [] if query is None else [step.name for step in query.steps]
    return names[:1] == ["query"] and RELEASE not in names


class Asked(NamedTuple):
    """What a context says: how many records a person has at most, the loss in a ``measure``, and by how many queries it
    is shared."""

    contributions: int
    measure: str
    loss: ast.expr
    queries: ast.expr


_CONTEXT_SAYS = frozenset({"data", "privacy_unit", "privacy_loss", "split_evenly_over"})


def asked(node: ast.Call, said: Mapping[str, ast.expr], called: Called) -> Asked:
    """What a context is made with. Raises :class:`Refused`."""
    if not _CONTEXT_SAYS <= said.keys() <= {*_CONTEXT_SAYS, "domain"}:
        raise Refused(node, f"a context with other arguments than {', '.join(sorted(_CONTEXT_SAYS))} and domain")
    match said["privacy_unit"], said["privacy_loss"]:
        case (
            ast.Call(func=unit, args=[], keywords=[ast.keyword(arg="contributions", value=ast.Constant(value=count))]),
            ast.Call(func=of, args=[], keywords=[ast.keyword(arg="epsilon" | "rho" as measure, value=loss)]),
        ) if called(unit) == "dp.unit_of" and called(of) == "dp.loss_of":
            if isinstance(count, int) and not isinstance(count, bool) and count > 0:
                return Asked(count, measure, loss, said["split_evenly_over"])
    raise Refused(node, "a context other than of `dp.unit_of(contributions=…)` and `dp.loss_of(epsilon=…)`")


def domain_of(node: ast.expr, called: Called) -> Space:
    """The space of a domain of records. Raises :class:`Refused`."""
    if not isinstance(node, ast.Call) or called(node.func) != _VECTOR:
        raise Refused(node, "this domain of data")
    return _space(node, called)
