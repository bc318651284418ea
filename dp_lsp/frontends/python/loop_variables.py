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
        changes = _changes_its_own(node)
        self.generic_visit(node)
        if changes and isinstance(target := node.target, ast.Name):
            reached = f"{target.id} of a round"
            value = ast.copy_location(ast.Name(reached, ast.Load()), target)
            node.target = ast.copy_location(ast.Name(reached, ast.Store()), target)
            node.body.insert(0, ast.copy_location(ast.Assign([target], value), target))
        return node


def _changes_its_own(loop: ast.For) -> bool:
    """Whether the body of a loop over values that have a name assigns to its variable."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Name()):
            return any(name in _assigned(item) for line in loop.body for item in ast.walk(line))
    return False


def _assigned(node: ast.AST) -> set[str]:
    """The names that an assignment gives a value."""
    match node:
        case ast.Assign(targets=targets):
            return {name for each in targets for name in bound_in(each)}
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return {*bound_in(target)}
    return set()
