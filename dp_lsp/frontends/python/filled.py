"""Arrays that a function makes and fills, and the places in them: ``out = np.zeros(k)``, ``out[i] = …``; and lists that
it makes without entries and appends numbers to: ``out = []``, ``out.append(x)``.

Python counts from 0, and from the end where a number is negative. So a place is understood where it is known not to be
negative: a number that is written out, or the variable of a loop over a range that begins with one.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from dp_lsp.frontends.python.kinds import Kinds
from dp_lsp.frontends.python.names import bound_in
from dp_lsp.frontends.python.side_by_side import counted_from
from dp_lsp.frontends.python.tree import below, walk

ZEROS = "np.zeros"
_WHOLE = frozenset({"int", "len", "math.floor", "math.ceil", "math.trunc", "round", "np.argmin", "np.argmax"})
"""Functions of Python, and of NumPy, that make a whole number of one value; ``round`` where it is given no digits."""
APPEND = "list.append"
"""What puts a number behind the last one of a list."""


class Filled:
    """The arrays of a function whose places count from 0: those that it fills, counts in bins, and lists that are
    written out."""

    def __init__(self, node: ast.FunctionDef, kinds: Kinds, counts: Iterable[str]) -> None:
        writes = Counter(item.id for item in below(node, ast.Name) if _is_stored(item))
        params = {item.arg for item in below(node, ast.arg)}
        made = dict(_made(node, kinds))
        self.lengths = {name: size for name, size in made.items() if writes[name] == 1 and name not in params}
        self.lists = {name for name in _begun(node) if writes[name] == 1 and name not in params}
        self._listed = {name for name in _listed(node) if writes[name] == 1 and name not in params}
        self.given = frozenset(each.arg for each in (*node.args.args, *node.args.kwonlyargs))
        self._fixed = {each.arg for each in node.args.args if not writes[each.arg]}
        self._counts = frozenset(counts)
        from_zero, others = set[str](), set[str]()
        for loop in below(node, ast.For):
            counts = _counting(loop, kinds)
            from_zero |= {counts} if counts else set()
            others |= {*bound_in(loop.target)} - {counts}
        self._variables = from_zero - others - params
        self._called = kinds.called
        self._whole = frozenset[str]()
        given = list(_given(node))
        while more := {name for name, _ in given if self._is_only_whole(name, given, params)} - self._whole:
            self._whole |= more

    def _is_only_whole(self, name: str, given: list[tuple[str, ast.expr | None]], params: set[str]) -> bool:
        values = [value for each, value in given if each == name]
        return name not in params and all(value is not None and self.is_whole(value) for value in values)

    def is_one(self, name: str) -> bool:
        """Whether a name is such an array."""
        return name in self.lengths or name in self._counts or name in self._listed

    def is_list(self, name: str) -> bool:
        """Whether a name stands for a list that is made here."""
        return name in self.lists or name in self._listed

    def is_as_long(self, name: str, size: ast.expr) -> bool:
        """Whether an array that is filled was made with so many entries, as it is written."""
        known = self.lengths.get(name)
        match known, size:
            case ast.Constant(value=one), ast.Constant(value=other):
                return bool(one == other)
            case ast.Name(id=one), ast.Name(id=other):
                return one == other and one in self._fixed
        return False

    def is_place(self, index: ast.expr) -> bool:
        """Whether an index counts from the beginning."""
        match index:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return value >= 0
            case ast.Name(id=name):
                return name in self._variables
        return False

    def is_whole(self, node: ast.expr) -> bool:
        """Whether an expression is a whole number wherever it is one: of a float that is whole there is no entry."""
        match node:
            case ast.Constant(value=int() as value):
                return not isinstance(value, bool)
            case ast.Name(id=name):
                return name in self._variables or name in self._whole
            case ast.Call(func=func, args=[_], keywords=[]) if self._called(func) in _WHOLE:
                return True
            case ast.Call(func=func, args=[_, _, *_] as args, keywords=[]) if self._called(func) in ("min", "max"):
                return all(map(self.is_whole, args))
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), left=left, right=right):
                return self.is_whole(left) and self.is_whole(right)
        return False


def changed(node: ast.FunctionDef) -> set[str]:
    """The names of what a function changes parts of."""
    return {
        item.value.id
        for item in below(node, ast.Subscript)
        if isinstance(item.value, ast.Name) and not isinstance(item.ctx, ast.Load)
    }


def _made(node: ast.FunctionDef, kinds: Kinds) -> Iterator[tuple[str, ast.expr]]:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[size], keywords=[])):
                if kinds.called(func) == ZEROS:
                    yield name, size


def _listed(node: ast.FunctionDef) -> Iterator[str]:
    """The names of lists and tuples whose entries are written out."""
    for item in walk(node):
        match item:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[_, *_]) | ast.Tuple(elts=[_, *_])):
                yield name


def _begun(node: ast.FunctionDef) -> Iterator[str]:
    """The names of lists that begin without entries."""
    for item in walk(node):
        match item:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[]))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.List(elts=[]))
            ):
                yield name


def _counting(loop: ast.For, kinds: Kinds) -> str:
    """The variable of a loop that counts its rounds, and begins with no negative number; empty if there is none."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=over) if _begins_well(over, kinds):
            return name
        case ast.For(target=ast.Tuple(elts=[ast.Name(id=name), _]), iter=ast.Call(func=func) as over) if (
            kinds.called(func) == "enumerate"
        ):
            first = counted_from(over)
            return "" if first is None or first < 0 else name
    return ""


def _begins_well(over: ast.expr, kinds: Kinds) -> bool:
    match over:
        case ast.Call(func=func, args=[_], keywords=[]):
            return kinds.called(func) == "range"
        case ast.Call(func=func, args=[ast.Constant(value=int() as first), _], keywords=[]):
            return kinds.called(func) == "range" and first >= 0
    return False


def _given(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that are given values, each with its value where that is all that it is given there."""
    known: set[int] = set()
    for item in walk(node):
        match item:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                known.add(id(target))
                yield name, value
    for item in below(node, ast.Name):
        if _is_stored(item) and id(item) not in known:
            yield item.id, None


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)
