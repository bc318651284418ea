"""Tables that get their own name again: ``df = df[df["Age"] >= 18]``, ``wages = wages.dropna()``.

What stands behind such a statement is about another table, which may have other columns with gaps. So each version gets
a name of its own, where it is certain which one a name stands for: where all versions are made by statements that run
one after the other, once each, and no function inside sees the name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dp_lsp.frontends.python.tree import copied, walk

_INSIDE = (
    *(ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal),
    *(ast.Try, ast.TryStar, ast.Import, ast.ImportFrom, ast.Match, ast.With),
)
"""What sees names in its own way, or gives them values in other ways than by an assignment."""


def with_versions(node: ast.FunctionDef, tables: Iterable[str]) -> ast.FunctionDef:
    """The function with a name for each version of its parameters that are ``tables``."""
    again = [name for name in tables if _is_in_order(node, name)]
    if not again:
        return node
    made = copied(node)
    for name in again:
        version = 1
        for statement in made.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=target) as given], value=value) if target == name:
                    _rename(value, name, version)
                    version += 1
                    given.id = _versioned(name, version)
                case _:
                    _rename(statement, name, version)
    return made


def _is_in_order(node: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is given again, and that only by statements of the body itself."""
    given = [
        target
        for statement in node.body
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1
        for target in statement.targets
        if isinstance(target, ast.Name) and target.id == name
    ]
    inner = [item for statement in node.body for item in walk(statement)]
    stored = [item for item in inner if isinstance(item, ast.Name) and item.id == name and _is_stored(item)]
    hidden = any(isinstance(item, _INSIDE) for item in inner)
    return bool(given) and len(stored) == len(given) and not hidden


def _rename(node: ast.AST, name: str, version: int) -> None:
    for item in walk(node):
        if isinstance(item, ast.Name) and item.id == name:
            item.id = _versioned(name, version)


def _versioned(name: str, version: int) -> str:
    return name if version == 1 else f"{name} ({version})"


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)
