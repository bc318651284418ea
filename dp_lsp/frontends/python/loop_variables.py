"""Loops whose bodies give their variable another value: ``for v in ages: if v > 120: v = 120``.

What a loop goes over is read before its body runs, so the variable of such a loop is a name like any other, which each
round begins by giving what the loop has reached. Source: the Python reference, "The for statement".
"""

from __future__ import annotations

import ast

from dp_lsp.frontends.python.names import bound_in
from dp_lsp.frontends.python.tree import below, copied


def with_own_variables(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function in which no loop over values gives its variable another one."""
    if not any(_changes_its_own(loop) for loop in below(node, ast.For)):
        return node
    made: ast.FunctionDef = _WithOwn().visit(copied(node))
    return made


class _WithOwn(ast.NodeTransformer):
    def visit_For(self, node: ast.For) -> ast.For:
        changed = [each for each in _variables(node) if _is_changed(node, each.id)]
        self.generic_visit(node)
        for target in changed:
            reached = f"{target.id} of a round"
            value = ast.copy_location(ast.Name(reached, ast.Load()), target)
            given = ast.copy_location(ast.Name(target.id, ast.Store()), target)
            node.body.insert(0, ast.copy_location(ast.Assign([given], value), target))
            target.id = reached
        return node


def _changes_its_own(loop: ast.For) -> bool:
    """Whether the body of a loop over values that have a name assigns to its variable."""
    return any(_is_changed(loop, each.id) for each in _variables(loop))


def _variables(loop: ast.For) -> list[ast.Name]:
    """The variables of a loop over values that have a name, or over several such side by side."""
    match loop:
        case ast.For(target=ast.Name() as target, iter=ast.Name()):
            return [target]
        case ast.For(target=ast.Tuple(elts=targets), iter=ast.Call(func=ast.Name(id="zip"), args=lists, keywords=[])):
            names = [each for each in targets if isinstance(each, ast.Name)]
            whole = len(names) == len(targets) and all(isinstance(each, ast.Name) for each in lists)
            return names if whole and len({each.id for each in names}) == len(names) else []
    return []


def _is_changed(loop: ast.For, name: str) -> bool:
    """Whether the body of a loop assigns to a name."""
    return any(name in _assigned(item) for line in loop.body for item in ast.walk(line))


def _assigned(node: ast.AST) -> set[str]:
    """The names that an assignment gives a value."""
    match node:
        case ast.Assign(targets=targets):
            return {name for each in targets for name in bound_in(each)}
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return {*bound_in(target)}
    return set()
