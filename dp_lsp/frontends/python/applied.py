"""What a function makes of each number of a column, ``ages.apply(lambda a: min(max(a, 0), 100))``, as the operation on
the column that does the same.

pandas calls the function with one number of Python after the other. So of operations on numbers those are understood
that mean the same for all numbers at once, and fail for none: sums, differences, products, the smaller and the larger
of two, comparisons, and a choice between two. A function of the program that has a name is called with each number
(:meth:`~dp_lsp.frontends.python.kinds.Kinds.called_with_each`). Source: the manual of pandas (``Series.apply``,
``Series.map``).

What a function without a name makes of each entry of a list, ``sum(map(lambda a: min(a, 9), ages))``, as the
comprehension that does the same.

``map`` calls the function when somebody asks for the next entry: here what is given it asks for all of them at once.
Source: the manual of Python (built-in functions).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from dp_lsp.frontends.python.tree import below, copied, walk

_ASKING = frozenset({"sum", "list"})
"""Functions that go over all that they are given, and make a number or a list of it."""
_NOT_INSIDE = (ast.NamedExpr, ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await)


def with_comprehensions(node: ast.FunctionDef, called: Callable[[ast.expr], str]) -> ast.FunctionDef:
    """The function with comprehensions in place of such calls. ``called`` tells the function that is meant."""
    if not any(_mapped(item, called) for item in below(node, ast.Call)):
        return node
    made: ast.FunctionDef = _AsComprehensions(called).visit(copied(node))
    return made


def _mapped(node: ast.Call, called: Callable[[ast.expr], str]) -> tuple[ast.Lambda, ast.expr] | None:
    """The function and the list of a call that makes something of each entry and asks for all of that."""
    match node:
        case ast.Call(
            func=asking,
            args=[
                ast.Call(
                    func=func,
                    args=[
                        ast.Lambda(
                            args=ast.arguments(posonlyargs=[], kwonlyargs=[], defaults=[], vararg=None, kwarg=None)
                        ) as each,
                        over,
                    ],
                    keywords=[],
                )
            ],
            keywords=[],
        ) if called(asking) in _ASKING and called(func) == "map" and len(each.args.args) == 1:
            plain = not any(isinstance(item, _NOT_INSIDE) for item in walk(each.body))
            return (each, over) if plain else None
    return None


class _AsComprehensions(ast.NodeTransformer):
    def __init__(self, called: Callable[[ast.expr], str]) -> None:
        self._called = called

    def visit_Call(self, node: ast.Call) -> ast.AST:
        found = _mapped(node, self._called)
        if found is None:
            return self.generic_visit(node)
        each, over = found
        (param,) = each.args.args
        target = ast.copy_location(ast.Name(param.arg, ast.Store()), param)
        part = ast.comprehension(target, self.visit(over), [], 0)
        if self._called(node.func) == "list":
            return ast.copy_location(ast.ListComp(self.visit(each.body), [part]), node)
        made = ast.copy_location(ast.GeneratorExp(self.visit(each.body), [part]), node)
        return ast.copy_location(ast.Call(node.func, [made], []), node)


APPLYING = frozenset({"apply", "map"})
"""Methods that call a function with each number."""
_FEWEST = 2
_HELD = {"min": "minimum", "max": "maximum"}
_CONNECTED: dict[type[ast.boolop], ast.operator] = {ast.And: ast.BitAnd(), ast.Or: ast.BitOr()}


def applied(node: ast.Call, called: Callable[[ast.expr], str]) -> ast.expr | None:
    """The operation on a column that makes the same of each number; None where that is not known, or for another call.
    ``called`` tells the function that is meant."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=column, attr=attr),
            args=[ast.Lambda(args=ast.arguments(posonlyargs=[], kwonlyargs=[], defaults=[], vararg=None, kwarg=None))],
            keywords=[],
        ) if attr in APPLYING:
            (function,) = node.args
        case _:
            return None
    assert isinstance(function, ast.Lambda), "that is what is matched"
    if len(function.args.args) != 1:
        return None
    made = _OfEach(function.args.args[0].arg, column, called).of(function.body)
    if made is None or not any(item is not made and isinstance(item, ast.expr) for item in walk(made)):
        return None
    for item in walk(made):
        if not hasattr(item, "lineno"):
            ast.copy_location(item, node)
    return made


class _OfEach:
    """Operations on a number with a column in its place; None for what does not mean the same then."""

    def __init__(self, name: str, column: ast.expr, called: Callable[[ast.expr], str]) -> None:
        self._name = name
        self._column = column
        self._called = called

    def of(self, node: ast.expr) -> ast.expr | None:
        """An expression. What does not depend on the number stays what it is."""
        if not any(isinstance(item, ast.Name) and item.id == self._name for item in walk(node)):
            return node if isinstance(node, ast.Constant | ast.Name | ast.UnaryOp) else None
        match node:
            case ast.Name():
                return copied(self._column)
            case ast.UnaryOp(op=ast.USub() as minus, operand=operand):
                return self._made([operand], lambda of: ast.UnaryOp(minus, of))
            case ast.UnaryOp(op=ast.Not(), operand=operand) if _is_condition(operand):
                return self._made([operand], lambda of: ast.UnaryOp(ast.Invert(), of))
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as sign, right=right):
                return self._made([left, right], lambda one, other: ast.BinOp(one, sign, other))
            case ast.BinOp(left=left, op=ast.Div() as sign, right=ast.Constant(value=int() | float() as by)) if by:
                return self._made([left, node.right], lambda one, other: ast.BinOp(one, sign, other))
            case ast.Compare(left=left, ops=[order], comparators=[right]):
                return self._made([left, right], lambda one, other: ast.Compare(one, [order], [other]))
            case ast.BoolOp(op=op, values=values) if all(map(_is_condition, values)):
                return self._joined([*values], lambda one, other: ast.BinOp(one, _CONNECTED[type(op)], other))
            case ast.IfExp(test=test, body=body, orelse=orelse) if _is_condition(test):
                where = _of_numpy("where")
                return self._made([test, body, orelse], lambda *of: ast.Call(where, [*of], []))
            case ast.Call(func=ast.Name(id="abs") as func, args=[of], keywords=[]) if self._called(func) == "abs":
                return self._made([of], lambda of: ast.Call(_of_numpy("abs"), [of], []))
            case ast.Call(func=ast.Name(id=name) as func, args=[_, _, *_] as args, keywords=[]) if (
                name in _HELD and self._called(func) == name
            ):
                return self._joined(args, lambda one, other: ast.Call(_of_numpy(_HELD[name]), [one, other], []))
        return None

    def _made(self, parts: Sequence[ast.expr], make: Callable[..., ast.expr]) -> ast.expr | None:
        found = [made for each in parts if (made := self.of(each)) is not None]
        return make(*found) if len(found) == len(parts) else None

    def _joined(self, parts: Sequence[ast.expr], make: Callable[..., ast.expr]) -> ast.expr | None:
        """An operation on two, of several from the left."""
        if len(parts) == _FEWEST:
            return self._made(parts, make)
        first = self._joined(parts[:-1], make)
        last = self.of(parts[-1])
        return None if first is None or last is None else make(first, last)


def _is_condition(node: ast.expr) -> bool:
    """Whether an expression is true or false, and no other value."""
    match node:
        case ast.Compare():
            return True
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_condition(operand)
        case ast.BoolOp(values=values):
            return all(map(_is_condition, values))
    return False


def _of_numpy(name: str) -> ast.Attribute:
    return ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load())
