"""A value that is picked by its place in a list that is written out, and returned: ``return towns[np.argmax(noisy)]``.

Who is told the value is told no more than its place, as all of them are known to everybody. So the place is what a
private function returns, whose result nobody calculates with as if it were hidden; and, as there may be no such place,
whether the run fails tells of it what it tells of the value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp.frontends.python.tree import below, copied


def with_places(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with the places of values in place of those that it returns."""
    said = "" if node.returns is None else ast.unparse(node.returns)
    lists = {*_written(node)} if said.startswith("Private") and not _has_functions(node) else set()
    if not lists:
        return node
    made: ast.FunctionDef = _Placed(lists, {*_returned(node)}).visit(copied(node))
    read = {each.id for each in ast.walk(made) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    made.body = [each for each in made.body if not _gives(each, lists - read)]
    return made


def _gives(statement: ast.stmt, names: set[str]) -> bool:
    """Whether a statement gives nothing but one of these names a value."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in names
    return False


def _has_functions(node: ast.FunctionDef) -> bool:
    """Whether a function has others inside, which return something to it."""
    return len(below(node, ast.FunctionDef)) > 1 or bool(below(node, ast.Lambda))


def _written(node: ast.FunctionDef) -> Iterator[str]:
    """The names that the function gives nothing but a list of values that is written out."""
    stored = [each.id for each in below(node, ast.Name) if not isinstance(each.ctx, ast.Load)]
    params = {each.arg for each in below(node, ast.arg)}
    for statement in node.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.List(elts=[_, *_] as items) | ast.Tuple(elts=[_, *_] as items)
            ) if stored.count(name) == 1 and name not in params:
                if all(isinstance(each, ast.Constant) for each in items):
                    yield name


def _returned(node: ast.FunctionDef) -> Iterator[str]:
    """The names that are given one value, which is returned, and read for nothing else."""
    names = [each for each in below(node, ast.Name)]
    params = {each.arg for each in below(node, ast.arg)}
    ends = [each.value.id for each in below(node, ast.Return) if isinstance(each.value, ast.Name)]
    for name in {*ends} - params:
        if sum(each.id == name for each in names) == ends.count(name) + 1:
            yield name


class _Placed(ast.NodeTransformer):
    """Places in place of values."""

    def __init__(self, lists: set[str], returned: set[str]) -> None:
        self._lists, self._returned = lists, returned

    def visit_Return(self, node: ast.Return) -> ast.Return:
        node.value = self._place(node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        match node.targets:
            case [ast.Name(id=name)] if name in self._returned:
                node.value = self._place(node.value) or node.value
        return node

    def _place(self, node: ast.expr | None) -> ast.expr | None:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=place) if name in self._lists:
                return node if isinstance(place, ast.Slice) else place
        return node
