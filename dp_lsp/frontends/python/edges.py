"""The edges of bins that are written out, in one of the ways in which people do: as a list, by ``np.arange`` or
``np.linspace``, or as how many bins there are and their ``range``; under a name, too, that is used for nothing else.

Source: the manual of NumPy (``histogram``). Of what lies outside of all bins nothing is counted.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from itertools import pairwise

from dp_lsp.frontends.python.numeric import written
from dp_lsp.frontends.python.tree import copied, walk

_MOST = 1000
"""The most edges that are followed."""
_FEWEST = 2


def edges_of(node: ast.Call) -> list[Fraction] | None:
    """The edges of the bins that a call counts in, which rise; None where they are not known."""
    told = {each.arg: each.value for each in node.keywords}
    if len(node.args) == 2 and "bins" not in told:
        told["bins"] = node.args[1]
    if not 1 <= len(node.args) <= 2 or not {"bins"} <= told.keys() <= {"bins", "range"}:
        return None
    found = _written(told["bins"], node.func) if len(told) == 1 else between(told["bins"], told["range"])
    rises = found is not None and all(low < high for low, high in pairwise(found))
    return found if found is not None and rises and _FEWEST <= len(found) <= _MOST else None


def _all(nodes: list[ast.expr]) -> list[Fraction] | None:
    known = [written(each) for each in nodes]
    return None if None in known else [each for each in known if each is not None]


def between(count: ast.expr, ends: ast.expr) -> list[Fraction] | None:
    """So many bins of equal width between two numbers."""
    match count, ends:
        case ast.Constant(value=int() as bins), ast.Tuple(elts=[low, high]) if bins is not True and 0 < bins < _MOST:
            return _spread(_all([low, high]), bins + 1)
    return None


def _spread(ends: list[Fraction] | None, count: int) -> list[Fraction] | None:
    if ends is None or not _FEWEST <= count <= _MOST:
        return None
    low, high = ends
    return [low + (high - low) * place / (count - 1) for place in range(count)]


def _written(node: ast.expr, function: ast.expr) -> list[Fraction] | None:
    """The numbers that an expression stands for. ``function`` is one of NumPy."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return _all(items)
        case ast.Call(func=ast.Name(id="list"), args=[ast.Call(func=ast.Name(id="range")) as counted], keywords=[]):
            return _written(counted, function)
        case ast.Call(func=ast.Name(id="range"), args=[_, *_] as args, keywords=[]) if len(args) <= 3:
            ends = _all(args)
            return None if ends is None else _arange(ends)
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=args, keywords=[]) if isinstance(
            function, ast.Attribute
        ) and ast.dump(of) == ast.dump(function.value):
            match attr, args:
                case "array", [inner]:
                    return _written(inner, function)
                case "linspace", [low, high, ast.Constant(value=int() as count)]:
                    return _spread(_all([low, high]), count)
                case "arange", [_, *_] if len(args) <= 3 and (ends := _all(args)) is not None:
                    return _arange(ends)
    return None


def _arange(given: list[Fraction]) -> list[Fraction] | None:
    if not all(each.denominator == 1 for each in given) or (len(given) == 3 and given[2] <= 0):
        return None
    numbers = range(*map(int, given))
    return None if numbers[_MOST:] else [*map(Fraction, numbers)]


class Inlined(ast.NodeTransformer):
    """A function with edges in place of their names, and numbers in place of how many there are."""

    def __init__(self, known: dict[str, ast.expr], counts: dict[str, int]) -> None:
        self._known = known
        self._counts = counts

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.BinOp(left=ast.Constant(value=int() as count), op=ast.Sub(), right=ast.Constant(value=1)) if (
                getattr(node.left, "counted", False)
            ):
                return ast.copy_location(ast.Constant(count - 1), node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]) if name in self._counts:
                made = ast.copy_location(ast.Constant(self._counts[name]), node)
                made.counted = True  # type: ignore[attr-defined]
                return made
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._known or not isinstance(node.ctx, ast.Load):
            return node
        made = copied(self._known[node.id])
        for each in walk(made):
            ast.copy_location(each, node)
        return made


def with_edges(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with the edges of bins where a name stands for them that is used for nothing else."""
    names = [item for item in walk(node) if isinstance(item, ast.Name | ast.arg)]
    known: dict[str, ast.expr] = {}
    counts: dict[str, int] = {}
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() | ast.Call() as value):
                uses = [*_uses(node, name)]
                lengths = sum(isinstance(each.func, ast.Name) for each in uses)
                here = sum((each.id if isinstance(each, ast.Name) else each.arg) == name for each in names)
                functions = [each.func for each in uses if isinstance(each.func, ast.Attribute)]
                found = _written(value, functions[0]) if functions else None
                if found is not None and here == len(uses) + 1 and lengths < len(uses):
                    known[name], counts[name] = value, len(found)
    if not known:
        return node
    made = copied(node)
    made.body = [each for each in made.body if not _gives(each, known)] or made.body
    return Inlined(known, counts).visit(made)  # type: ignore[no-any-return]


def _gives(statement: ast.stmt, names: dict[str, ast.expr]) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in names
    return False


def _uses(node: ast.FunctionDef, name: str) -> list[ast.Call]:
    """The calls that are given a name as edges, or ask how many there are."""

    def is_it(each: ast.expr) -> bool:
        return isinstance(each, ast.Name) and each.id == name

    found = []
    for item in walk(node):
        match item:
            case ast.Call(func=ast.Attribute(attr="histogram"), args=args, keywords=keywords):
                if any(map(is_it, args[1:2])) or any(each.arg == "bins" and is_it(each.value) for each in keywords):
                    found.append(item)
            case ast.Call(func=ast.Name(id="len"), args=[arg], keywords=[]) if is_it(arg):
                found.append(item)
    return found
