"""What a function without a name makes of each entry of a list, ``sum(map(lambda a: min(a, 9), ages))``, as the
comprehension that does the same.

``map`` calls the function when somebody asks for the next entry: here what is given it asks for all of them at once.
Source: the manual of Python (built-in functions).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

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
