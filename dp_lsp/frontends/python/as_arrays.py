"""What a function is given and uses as an array of numbers, though it is not said to be one: lists of which it makes an
array before it does anything else with them, ``np.array(ages)``, ``np.clip(ages, 0, 99)``, and parameters of which
nothing is said.

A list and an array of the same numbers differ in what operators do to them. What NumPy computes of either is the same;
a list has none of the methods, and is neither compared with a number nor has one subtracted from it: that fails
whatever its numbers are. Nobody adds to such a parameter, or multiplies it, before an array is made of it. What it is
is known where the function is called, which is inferred again there.
Sources: the manual of NumPy (``array``, ``asarray``: of a list either makes a new array; "Universal functions": what is
``array_like`` is made an array first).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from dp_lsp.frontends.python.inner import bound_below
from dp_lsp.frontends.python.kinds import COUNTING, MAKING, Kind, Of
from dp_lsp.frontends.python.reducing import FUNCTIONS
from dp_lsp.frontends.python.tree import below, children, walk
from dp_lsp.named import NamedTuple

_COUNTING = frozenset({"len", "sum", "np.sum", "np.mean", "np.median", "np.min", "np.max"})
"""Functions that make the same of a list and of an array."""
_MAKING = MAKING | {"np.clip", "np.minimum", "np.maximum", "np.abs"}
"""Functions that make an array of what they are given, and go on with that."""


def used_as_arrays(node: ast.FunctionDef, params: Mapping[str, Of], called: Callable[[ast.expr], str]) -> set[str]:
    """Those of the lists among parameters of which an array is made, and which are read in no way that tells lists from
    arrays."""
    wanted = {name for name, kind in params.items() if kind is Kind.LIST}
    if not wanted or not any(called(each.func) in _MAKING for each in below(node, ast.Call)):
        return set()
    above = {id(child): item for item in walk(node) for child in children(item)}
    made, other = set[str](), {each.arg for each in below(node, ast.arg) if each not in node.args.args}
    later = {id(item) for name in wanted for item in _behind(node, name, called)}
    for item in below(node, ast.Name):
        if id(item) in later:
            continue
        call = above[id(item)]
        name = called(call.func) if isinstance(call, ast.Call) and item in call.args[:1] else ""
        if name in _MAKING:
            made.add(item.id)
        elif name not in _COUNTING and not (isinstance(call, ast.comprehension) and call.iter is item):
            other.add(item.id)
    return (made & wanted) - other


def _behind(node: ast.FunctionDef, name: str, called: Callable[[ast.expr], str]) -> list[ast.Name]:
    """Where a name stands that is given the array of its own list, ``ages = np.array(ages)``, and behind that."""
    for index, statement in enumerate(node.body):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=to) as target], value=ast.Call(func=func, args=[ast.Name(id=of), *_])
            ) if to == of == name and called(func) in MAKING:
                inside = (item for each in node.body[index + 1 :] for item in below(each, ast.Name))
                return [target, *(item for item in inside if item.id == name)]
    return []


_OF_ENTRIES = frozenset({"np.clip", "np.abs", "np.square", "np.sqrt", "np.exp", "np.log", "np.minimum", "np.maximum"})
"""Functions that make an array of one."""
_REDUCING = frozenset({"np.sum", "np.mean", "np.count_nonzero", COUNTING, *FUNCTIONS} - {"min", "max"})
"""Functions that make of an array what they make of the same list."""
_PARTS = frozenset({"sum", "mean", "min", "max", "size", "shape", "clip"})
"""What arrays have, and lists do not have; deviations are others of a column of pandas."""
_MAKING_ONE = _PARTS - {"clip"}


class Taken(NamedTuple):
    """The parameters that are used as ``arrays``, and those that are used as several values, in whatever way."""

    arrays: frozenset[str]
    several: frozenset[str]


def taken(node: ast.FunctionDef, bare: Iterable[str], called: Callable[[ast.expr], str]) -> Taken:
    """How a function uses those of its parameters of which nothing is said."""
    wanted = frozenset(bare) - frozenset(bound_below(node))
    reads = [each for each in below(node, ast.Name) if each.id in wanted]
    if not reads or len({*wanted}) < len([each for each in below(node, ast.arg) if each.arg in wanted]):
        return Taken(frozenset(), frozenset())
    above = {id(child): item for item in walk(node) for child in children(item)}
    several = frozenset(each.id for each in reads if _goes_over(above[id(each)], each, called))
    found = set[str]()
    for name in wanted:
        own = [each for each in reads if each.id == name]
        entries = _Entries(node, name, called)
        if all(_is_same_of_lists(above, each, entries, called) for each in own) and entries.are_reduced():
            found.add(name)
    return Taken(frozenset(found), several | found)


def _goes_over(use: ast.AST, read: ast.Name, called: Callable[[ast.expr], str]) -> bool:
    """Whether several values are read there."""
    match use:
        case ast.Call(func=func, args=[first, *_]):
            return first is read and called(func) in _COUNTING
        case ast.comprehension(iter=over) | ast.For(iter=over):
            return over is read
    return False


def _is_same_of_lists(
    above: Mapping[int, ast.AST], read: ast.Name, entries: _Entries, called: Callable[[ast.expr], str]
) -> bool:
    """Whether a use means the same of an array and of a list, or fails for each list."""
    use = above[id(read)]
    match use:
        case ast.Call(func=func, args=[first, *_]):
            return first is read and called(func) in _OF_ENTRIES | _REDUCING | _COUNTING
        case ast.Attribute(attr=attr):
            return attr in _PARTS
        case ast.Compare() | ast.BinOp(op=ast.Sub() | ast.Div()):
            return True
        case ast.Subscript(value=value, slice=index, ctx=ast.Load()):
            return value is read and isinstance(index, ast.Compare | ast.BinOp | ast.UnaryOp) and entries.has(index)
        case ast.comprehension(iter=over) | ast.For(iter=over):
            return over is read
    return False


class _Entries:
    """The expressions that have a number for each entry of a parameter, and the names of such."""

    def __init__(self, node: ast.FunctionDef, name: str, called: Callable[[ast.expr], str]) -> None:
        self._node = node
        self._called = called
        self._names = {name}
        written = Counter(each.id for each in below(node, ast.Name) if isinstance(each.ctx, ast.Store))
        for each in below(node, ast.Assign):
            match each:
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if written[target] == 1 and self.has(value):
                    self._names.add(target)

    def has(self, node: ast.expr) -> bool:
        """Whether an expression has a number for each entry. Of two operands the first is taken for an array."""
        match node:
            case ast.Name(id=name):
                return name in self._names
            case ast.Call(func=func, args=[of, *_]) if self._called(func) in _OF_ENTRIES:
                return self.has(of)
            case ast.Call(func=ast.Attribute(value=of, attr="clip")):
                return self.has(of)
            case ast.Compare(left=left, comparators=[right]) | ast.BinOp(left=left, right=right):
                return self.has(right if isinstance(left, ast.Constant) else left)
            case ast.UnaryOp(operand=operand):
                return self.has(operand)
            case ast.Subscript(value=value, slice=index):
                return self.has(value) and self.has(index)
        return False

    def are_reduced(self) -> bool:
        """Whether one number is made of them somewhere, or counts are, as of an array."""
        for each in walk(self._node):
            match each:
                case ast.Call(func=func, args=[of, *_]) if self._called(func) in _REDUCING and self.has(of):
                    return True
                case ast.Attribute(value=of, attr=attr) if attr in _MAKING_ONE and self.has(of):
                    return True
        return False
