"""Functions of a module under a name of their own: ``from numpy.random import laplace as noise``, in a file or in a
function ``L = np.random.laplace``.

Such a name is the function itself, so where it is read, that stands there: as a part of its module, which the function
imports first, or by the name that the module has there, where the function reads that, too. The name has that one value
wherever it is read; what gives parts of a module another meaning is found as it is for all others.

Source: the reference of Python ("The import statement": ``from m import f as g`` gives ``g`` what ``m.f`` is).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from dp_lsp.frontends.python.inner import bound_below
from dp_lsp.frontends.python.names import dotted, names_bound
from dp_lsp.frontends.python.tree import copied

HOMES = {"np": "numpy", "math": "math", "random": "random"}
"""The modules of which functions may have other names, by the names of these."""
_PATHS = {"numpy": "np", "numpy.random": "np.random", "math": "math", "random": "random"}
"""What stands before their functions."""


def named_by(node: ast.stmt) -> dict[str, str]:
    """The names that a statement gives to functions of modules, each with the path of the function."""
    match node:
        case ast.ImportFrom(module=str() as module, names=names, level=0) if module in _PATHS:
            return {each.asname or each.name: f"{_PATHS[module]}.{each.name}" for each in names if each.name != "*"}
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Attribute() as value):
            found = dotted(value)
            return {name: found[1]} if found is not None and found[0] in HOMES else {}
    return {}


def with_functions(tree: ast.Module, named: Mapping[str, str]) -> ast.Module:
    """The tree of a text with functions of modules where the functions in it read names of them. The tree itself is
    changed."""
    for each in tree.body:
        for inner in each.body if isinstance(each, ast.ClassDef) else [each]:
            if isinstance(inner, ast.FunctionDef):
                _write(inner, named)
    return tree


def _write(node: ast.FunctionDef, named: Mapping[str, str]) -> None:
    if not named and not any(map(named_by, node.body)):
        return
    own = names_bound(copied(node))  # which remembers what is below it
    known = {name: path for name, path in named.items() if name not in own} | _named_inside(node, own)
    known = {name: path for name, path in known.items() if path.partition(".")[0] not in own}
    if not known:
        return
    found, read = _Named(known), {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    node.body = [found.visit(each) for each in node.body]
    first, homes = node.body[0], [each for each in found.homes if each not in read]
    imports = [ast.Import([ast.alias(HOMES[home], None if HOMES[home] == home else home)]) for home in homes]
    for each in imports:
        for part in ast.walk(each):
            ast.copy_location(part, first)
    node.body[:0] = imports


def _named_inside(node: ast.FunctionDef, own: set[str]) -> dict[str, str]:
    """The names that a function gives to functions of modules among its statements, and nothing else."""
    copy = copied(node)
    writes = Counter(bound_below(copy))
    taken = {each.arg for each in ast.walk(copy) if isinstance(each, ast.arg)}
    found: dict[str, str] = {}
    read: set[str] = set()
    for each in copy.body:
        if isinstance(each, ast.Assign):
            found |= {name: path for name, path in named_by(each).items() if name not in read}
        read |= {item.id for item in ast.walk(each) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load)}
    return {name: path for name, path in found.items() if writes[name] == 1 and name not in taken}


class _Named(ast.NodeTransformer):
    """``homes`` are the modules whose functions were written."""

    def __init__(self, named: Mapping[str, str]) -> None:
        self._named = named
        self.homes: dict[str, None] = {}

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """What only gives such a name is left out."""
        if not named_by(node).keys().isdisjoint(self._named):
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._named or not isinstance(node.ctx, ast.Load):
            return node
        home, *parts = self._named[node.id].split(".")
        self.homes[home] = None
        made: ast.expr = ast.copy_location(ast.Name(home, ast.Load()), node)
        for each in parts:
            made = ast.copy_location(ast.Attribute(made, each, ast.Load()), node)
        return made
