"""Dictionaries that a function makes without entries, fills and returns, as the lists of what it puts into them.

Who sees a dictionary sees its values in their order and its keys. The keys are known to everybody: texts and numbers
that are written out, and variables of loops over such, or over a range. So the dictionary tells no more than the list
of all values that were put into it, of which it shows some: it is made of the list without the data (post-processing).
A range whose length is private shows as the length of the list, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp.frontends.python.tree import below, copied, walk


def with_lists(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with lists in place of such dictionaries."""
    found = {name for name in _begun(node) if _is_filled(node, name)}
    if not found:
        return node
    made: ast.FunctionDef = _AsLists(found).visit(copied(node))
    return made


def _begun(node: ast.FunctionDef) -> Iterator[str]:
    """The names of dictionaries that begin without entries."""
    for item in (*below(node, ast.Assign), *below(node, ast.AnnAssign)):
        name = _begins(item)
        if name is not None:
            yield name


def _begins(node: ast.AST) -> str | None:
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=[]))
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=[]))
        ):
            return name
    return None


def _is_filled(node: ast.FunctionDef, name: str) -> bool:
    """Whether all that is done with a dictionary is to put values behind public keys, to print it and to return it."""
    if any(each.arg == name for each in below(node, ast.arg)):
        return False
    allowed: set[int] = set()
    for item in walk(node):
        match item:
            case ast.Assign(targets=[target]) if _begins(item) == name:
                allowed.add(id(target))
            case ast.AnnAssign(target=target) if _begins(item) == name:
                allowed.add(id(target))
            case ast.Assign(targets=[ast.Subscript(value=ast.Name() as given, slice=key)]) if _is_key(node, key):
                allowed.add(id(given))
            case ast.Return(value=ast.Name() as given):
                allowed.add(id(given))
            case ast.Return(value=ast.Tuple(elts=items)):
                allowed |= {*map(id, items)}
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=items)):
                allowed |= {*map(id, items)}
    return all(id(item) in allowed for item in below(node, ast.Name) if item.id == name)


def _is_key(node: ast.FunctionDef, key: ast.expr) -> bool:
    """Whether everybody knows a key, and no two that differ are one: a text, a number, or the variable of a loop."""
    match key:
        case ast.Constant(value=str() | int()):
            return True
        case ast.Name(id=name):
            stored = [item for item in below(node, ast.Name) if item.id == name and not isinstance(item.ctx, ast.Load)]
            given = [loop.target for loop in below(node, ast.For) if _is_public(loop.iter)]
            known = all(any(each is item for each in given) for item in stored)
            return bool(stored) and known and not any(each.arg == name for each in below(node, ast.arg))
    return False


def _is_public(over: ast.expr) -> bool:
    match over:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(isinstance(each, ast.Constant) for each in items)
        case ast.Call(func=ast.Name(id="range")):
            return True
    return False


class _AsLists(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name) as given)], value=value) if (
                name in self._names
            ):
                method = ast.copy_location(ast.Attribute(_read(given), "append", ast.Load()), given)
                call = ast.copy_location(ast.Call(method, [value], []), node)
                return ast.copy_location(ast.Expr(call), node)
        return self._begun(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return self._begun(node)

    def _begun(self, node: ast.Assign | ast.AnnAssign) -> ast.AST:
        if _begins(node) in self._names and node.value is not None:
            node.value = ast.copy_location(ast.List([], ast.Load()), node.value)
        return node


def _read(node: ast.Name) -> ast.Name:
    return ast.copy_location(ast.Name(node.id, ast.Load()), node)
