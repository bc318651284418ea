"""What people call in Python of records that is not proved private."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from dp_lsp.frontends.python.tree import walk
from dp_lsp.hopeless import Hopeless

_ORDER = Hopeless(
    "`{written}` shows at each place what other records decide",
    "release one number near the middle instead,"
    " `np.median([min(max(x, 0), 100) for x in {of}]) + np.random.laplace(scale=100 / eps)`",
)
_PLACE = Hopeless(
    "`{written}` shows at which place a record stands",
    "count records instead, `sum(1 for x in {of} if x <= 20) + np.random.laplace(scale=1 / eps)`",
)
_KEYS = Hopeless(
    "which keys `{written}` has tells whose records are there",
    "write the keys out instead, and count one after the other:"
    " `[sum(1 for x in {of} if x == k) + np.random.laplace(scale=1 / eps) for k in [1, 2, 3]]`",
)
_COUNTED = Hopeless(
    "which keys `{written}` has tells whose records are there, and noise that is added to its numbers hides no key",
    "write the keys out instead:"
    ' `{of}.value_counts().reindex(["a", "b"], fill_value=0) + np.random.laplace(scale=1 / eps, size=2)`',
)
_GROUPS = Hopeless(
    "which groups `{written}` has tells whose records are there",
    "write the groups out instead, and release one after the other:"
    ' `{of}[{of}["{key}"] == "a"]["income"].clip(0, 100).sum() + np.random.laplace(scale=100 / eps)`',
)
_DRAWN = Hopeless(
    "`{written}` draws the records themselves",
    "release one statistic of all of them instead,"
    " `sum(min(max(x, 0), 100) for x in {of}) + np.random.laplace(scale=100 / eps)`, and compute with that",
)
_FACTOR = Hopeless(
    "one record may multiply `{written}` by any factor",
    "add noise to a sum of logarithms instead,"
    " `np.exp(np.sum(np.log(np.clip({of}, 1, 100))) + np.random.laplace(scale=5 / eps))`",
)
_EACH = Hopeless(
    "each entry of `{written}` shows what one record adds",
    "release one part at a time instead, `sum(1 for x in {of} if x <= 20) + np.random.laplace(scale=1 / eps)`",
)
_SHOWN = Hopeless(
    "`{written}` shows records",
    "release a statistic of one column instead,"
    ' `{of}["income"].clip(0, 100).sum() + np.random.laplace(scale=100 / eps)`',
)

_JOINED = Hopeless(
    "`{written}` makes as many rows of one record as match it, so one record may change any number of them",
    "release a statistic of one table that has a row for each person instead,"
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

_RELATED = Hopeless(
    "one record may change `{written}` by a large amount where the others are alike",
    "release the sums that it is computed of instead, and compute it of these:"
    " `sum(min(max(x, 0), 100) for x in {of}) + np.random.laplace(scale=100 / eps)`",
)
_CHANCE = Hopeless(
    "it decides by `{written}` what is shown, as randomised response does, and how much that hides is not followed",
    "count the records, and add noise to that number instead:"
    " `sum(1 for x in {of} if x == 1) + np.random.laplace(scale=1 / eps)`",
)
_WEIGHTS = Hopeless(
    "`{written}` chooses by weights, as the exponential mechanism does, and how much that hides is not followed",
    "give each score noise of its own instead, and take the best:"
    " `np.argmax(scores + np.random.laplace(scale=2 / eps, size=3))`",
)
_STANDARDISED = Hopeless(
    "one record may change each number of `{written}`, as the mean and the deviation of all are in it",
    "standardize by numbers that everybody knows instead, and clip:"
    " `np.sum(np.clip(({of} - 50) / 20, -3, 3)) + np.random.laplace(scale=6 / eps)`",
)
_SCALED = Hopeless(
    "one record may change each number of `{written}`, as the smallest and the largest of all are in it",
    "scale by numbers that everybody knows instead, and clip:"
    " `np.sum(np.clip({of} / 100, 0, 1)) + np.random.laplace(scale=1 / eps)`",
)

_AT_PLACES = Hopeless(
    "`{written}` takes records by their places, and nothing says which record stands where",
    "release a statistic of all of them instead,"
    " `sum(min(max(x, 0), 100) for x in {of}) + np.random.laplace(scale=100 / eps)`",
)

_FIRST_ABOVE = Hopeless(
    "it stops at the first noisy answer that is above a noisy number, as the sparse vector technique does, whose proof"
    " is none of composition",
    "give each question noise of its own instead, and choose among the answers:"
    " `[sum(1 for x in {of} if x > t) + np.random.laplace(scale=3 / eps) for t in [10, 20, 30]]`",
)

_FUNCTIONS = {
    **dict.fromkeys(("np.corrcoef", "np.cov", "np.polyfit", "np.linalg.lstsq"), _RELATED),
    **dict.fromkeys(("sorted", "np.sort"), _ORDER),
    **dict.fromkeys(("np.argsort", "np.nonzero"), _PLACE),
    **dict.fromkeys(("Counter", "collections.Counter", "set", "np.unique", "np.bincount"), _KEYS),
    **dict.fromkeys(("random.choice", "random.sample"), _DRAWN),
    **dict.fromkeys(("pd.crosstab", "pd.pivot_table", "pandas.crosstab", "pandas.pivot_table"), _GROUPS),
    **dict.fromkeys(("pd.merge", "pandas.merge"), _JOINED),
    **dict.fromkeys(("np.prod", "math.prod"), _FACTOR),
    **dict.fromkeys(("any", "all", "np.any", "np.all", "statistics.mode"), _DECIDED),
    **dict.fromkeys(("np.cumsum", "np.cumprod", "np.diff"), _EACH),
}
_METHODS = {
    **dict.fromkeys(("groupby", "pivot_table"), _GROUPS),
    "value_counts": _COUNTED,
    "most_common": _KEYS,
    **dict.fromkeys(("describe", "head", "tail", "sort_values", "nlargest", "nsmallest", "sample"), _SHOWN),
    **dict.fromkeys(("any", "all", "mode"), _DECIDED),
    **dict.fromkeys(("idxmax", "idxmin", "argsort"), _PLACE),
    **dict.fromkeys(("cumsum", "cumprod", "diff"), _EACH),
    **dict.fromkeys(("corr", "cov"), _RELATED),
    "merge": _JOINED,
    "sort": _ORDER,
    "prod": _FACTOR,
}
_NAMED = re.compile(r"[^\W\d]\w*")
_WITHIN = re.compile(r"\(\s*([^\W\d]\w*)")
_COLUMN = re.compile(r"""[^\W\d]\w*(?:\[["'][^]]*["']\])?""")
_FILLED = re.compile(r"for\b.*?\bin\s+(?P<over>[^\W\d]\w*).*?\b(?P<name>[^\W\d]\w*)\[[^]]*\]\s*\+?=(?!=)", re.DOTALL)

EDGES_OF_DATA = "`np.histogram`"
"""How it is named where its edges are the smallest and the largest number."""
KEYS_OF_RECORDS = "a dictionary whose keys are those of records"
STANDARDISED = "numbers less their mean, divided by their deviation"
SCALED = "numbers less the smallest one, divided by their range"
BY_CHANCE = "chance that is not added to a value, as in randomised response (add `np.random.laplace(scale=1 / eps)`),"
BY_WEIGHTS = (
    "a choice by weights, as the exponential mechanism makes it (give each score noise of its own, and take the best "
    "by `np.argmax`),"
)
BY_INDEX = "an index"
SPARSE_VECTOR = (
    "the sparse vector technique by hand, whose proof is none of composition (answer each question by noise of its own "
    "instead, and choose among the answers),"
)
_DECIDES, _CHOOSES = "chance that decides", "weights that decide"
_PICKS = "an index of records, which stand nowhere (go over all of them, as in `sum(v)`),"
_OTHERWISE = {BY_CHANCE: _DECIDES, BY_WEIGHTS: _CHOOSES, BY_INDEX: _PICKS}
"""How what may be done with anything is named where it is done with data."""
HOPELESS = {
    **{f"`{name}`": each for name, each in _FUNCTIONS.items()},
    **{f"`.{name}`": each for name, each in _METHODS.items()},
    EDGES_OF_DATA: _EDGES,
    KEYS_OF_RECORDS: _KEYS,
    STANDARDISED: _STANDARDISED,
    SCALED: _SCALED,
    _DECIDES: _CHANCE,
    _CHOOSES: _WEIGHTS,
    _PICKS: _AT_PLACES,
    SPARSE_VECTOR: _FIRST_ABOVE,
}
"""By how the call is named within a sentence; a method with a dot before it."""
SHOWS_KEYS = frozenset({"`.value_counts`", "`.groupby`"})
"""What shows the keys that occur, by the names that it has in the tree."""


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
    if not what.startswith("`"):
        return _described(what, text)
    if what.startswith("`."):
        of = text.partition(what.strip("`"))[0]
        of = of if _COLUMN.fullmatch(of) else _first(_NAMED, text)
        asks_table = "{of}[" in HOPELESS[what].instead
        return f"{of}{what.strip('`')}", of.partition("[")[0] if asks_table else of
    return what.strip("`"), _first(_WITHIN, text)


def _described(what: str, text: str) -> tuple[str, str]:
    """The same of what is no call by itself."""
    if what == KEYS_OF_RECORDS:
        found = _FILLED.search(text)
        return ("the dictionary", "v") if found is None else (found["name"], found["over"])
    if what in (STANDARDISED, SCALED, _PICKS):
        return text, _first(_NAMED, text.lstrip("("))
    return text.partition("(")[0], "v"


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return "v" if found is None else found[found.re.groups]


def named_of_data(what: str, function: ast.FunctionDef, node: ast.AST) -> str:
    """How something that is refused in a function is named: otherwise, if it is not proved private, where it is of data
    and where it is not."""
    key = _OTHERWISE.get(what, what)
    if key not in HOPELESS:
        return what
    asked = _ASKED.get(key, is_of_data)
    of_data = asked(function, node)
    return key if of_data else what if key != what else _plain(what)


def _decides(function: ast.FunctionDef, node: ast.AST) -> bool:
    """Whether what runs depends on something in a function."""
    names = {name for each in ast.walk(function) for name in _given(each, node)}
    tests = [each.test for each in ast.walk(function) if isinstance(each, ast.If | ast.IfExp | ast.While)]
    return any(_reads(test, names) or any(each is node for each in ast.walk(test)) for test in tests)


def _picks(function: ast.FunctionDef, node: ast.AST) -> bool:
    """Whether an index takes some entries of a parameter that is a list or an array, or of which nothing is said. One
    that is a name may go over all of them, for which there are other words."""
    match node:
        case ast.Subscript(slice=ast.Slice(lower=None, upper=None)):
            return False
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice() | ast.BinOp() | ast.UnaryOp()):
            pass
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name()) if _takes_neighbours(function, name):
            pass
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int())):
            pass
        case _:
            return False
    params = {each.arg: each.annotation for each in (*function.args.args, *function.args.kwonlyargs)}
    said = params.get(name)
    return name in params and (said is None or _SEVERAL.search(ast.unparse(said)) is not None)


def _takes_neighbours(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function takes what stands before or behind a place of something."""
    taken = (
        each for each in ast.walk(function) if isinstance(each, ast.Subscript) and isinstance(each.slice, ast.BinOp)
    )
    return any(isinstance(each.value, ast.Name) and each.value.id == name for each in taken)


_SEVERAL = re.compile(r"\b(?:[Ll]ist|ndarray|NDArray|ArrayLike|Sequence)\b")
"""What annotations call several numbers."""
_ASKED: dict[str, Callable[[ast.FunctionDef, ast.AST], bool]] = {_DECIDES: _decides, _PICKS: _picks}
"""Whether something that is named so is done with data."""


def _given(statement: ast.AST, node: ast.AST) -> Iterator[str]:
    """The names that a statement gives what a node is a part of."""
    match statement:
        case ast.Assign(targets=targets, value=value) if any(each is node for each in ast.walk(value)):
            yield from (name for each in targets for name in _names_in(each))


def relative(node: ast.expr, called: Callable[[ast.expr], str], meant: Callable[[ast.expr], ast.expr]) -> str | None:
    """How numbers are named that are made relative to all of them: less their mean, divided by their deviation, or less
    the smallest one, divided by their range. ``meant`` tells what a name stands for."""
    match node:
        case ast.BinOp(left=ast.BinOp(left=of, op=ast.Sub(), right=least), op=ast.Div(), right=by):
            of, least, by = meant(of), meant(least), meant(by)
            if _is_of_all(least, ("mean",), of, called, meant) and _deviates(by, of, called, meant):
                return STANDARDISED
            match by:
                case ast.BinOp(left=most, op=ast.Sub(), right=other) if (
                    _is_of_all(least, ("min",), of, called, meant)
                    and _is_of_all(meant(most), ("max",), of, called, meant)
                    and ast.dump(meant(other)) == ast.dump(least)
                ):
                    return SCALED
    return None


def _is_of_all(
    node: ast.expr,
    what: tuple[str, ...],
    of: ast.expr,
    called: Callable[[ast.expr], str],
    meant: Callable[[ast.expr], ast.expr],
) -> bool:
    """Whether a number is what some function makes of all numbers, by itself or as a method; a mean may be written as
    the quotient of a sum and of how many there are."""
    match node:
        case ast.Call(func=func, args=[given, *_]) if called(func).rpartition(".")[2] in what:
            return ast.dump(given) == ast.dump(of)
        case ast.Call(func=ast.Attribute(value=given, attr=attr)):
            return attr in what and ast.dump(given) == ast.dump(of)
        case ast.BinOp(left=total, op=ast.Div(), right=count) if "mean" in what:
            return all(
                _is_of_all(meant(each), (name,), of, called, meant) for each, name in ((total, "sum"), (count, "len"))
            )
    return False


_DEVIATIONS = ("std", "stdev", "pstdev")
_ROOTS = frozenset({"np.sqrt", "math.sqrt"})


def _deviates(
    node: ast.expr, of: ast.expr, called: Callable[[ast.expr], str], meant: Callable[[ast.expr], ast.expr]
) -> bool:
    """Whether a number is the deviation of all numbers: by a function, or the root of what is made of them."""
    match node:
        case ast.Call(func=func, args=[root]) if called(func) in _ROOTS:
            names = (each for each in ast.walk(meant(root)) if isinstance(each, ast.Name))
            return any(ast.dump(meant(each)) == ast.dump(of) for each in names)
    return _is_of_all(node, _DEVIATIONS, of, called, meant)


def keyed_by_records(function: ast.FunctionDef) -> tuple[ast.For, str] | None:
    """A loop over data that fills a dictionary behind what a record says, and the name of that."""
    begun = {name for each in walk(function) for name in _empty_dict(each)}
    for loop in walk(function) if begun else ():
        if isinstance(loop, ast.For) and is_of_data(function, loop.iter):
            own = {*_names_in(loop.target)}
            while more := {*_made_of(loop, own)} - own:
                own |= more
            for node in ast.walk(loop):
                match node:
                    case ast.Subscript(value=ast.Name(id=name), slice=key, ctx=ast.Store()) if name in begun:
                        if _reads(key, own):
                            return loop, name
    return None


def _empty_dict(node: ast.AST) -> Iterator[str]:
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            match value:
                case ast.Dict(keys=[]):
                    yield name
                case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in _DICTIONARIES:
                    yield name


_DICTIONARIES = frozenset({"dict", "defaultdict", "Counter", "OrderedDict"})


def is_of_data(function: ast.FunctionDef, node: ast.AST) -> bool:
    """Whether something in a function is made of a parameter that is not declared public."""
    args = function.args
    params = (*args.posonlyargs, *args.args, *args.kwonlyargs)
    given = {each.arg for each in params if each.annotation is None or "Static" not in ast.unparse(each.annotation)}
    while more := {*_made_of(function, given)} - given:
        given |= more
    return _reads(node, given)


def _made_of(function: ast.AST, given: set[str]) -> Iterator[str]:
    """The names that are given what reads one of these."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(value=value) if _reads(value, given) and not _is_noisy(value):
                yield from (name for each in node.targets for name in _names_in(each))
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
                | ast.For(target=target, iter=value)
                | ast.comprehension(target=target, iter=value)
            ) if _reads(value, given):
                yield from _names_in(target)


def _is_noisy(value: ast.expr) -> bool:
    """Whether noise is drawn in a value: then it is not known to be data."""
    calls = (each.func for each in ast.walk(value) if isinstance(each, ast.Call))
    return any(isinstance(each, ast.Attribute) and each.attr in _DRAWS for each in calls)


_DRAWS = frozenset({"laplace", "normal", "standard_normal", "gauss", "rvs"})


def _names_in(node: ast.AST) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _reads(node: ast.AST, names: set[str]) -> bool:
    return any(name in names for name in _names_in(node))


def _plain(what: str) -> str:
    """How something is named that is not of data."""
    if what in (STANDARDISED, SCALED):
        return f"a quotient, which is that of {what},"
    return f"the method `{what[2:]}" if what.startswith("`.") else f"the function {what}"
