"""What names of a text stand for that are imported: ``mean`` for ``numpy.mean``, ``npr.laplace`` for
``numpy.random.laplace``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from dp_lsp.frontends.python.names import dotted
from dp_lsp.frontends.python.rewriting.imports import imports

Origins = Mapping[str, str]
"""Names by what they are imported as."""
_HOMES = {"numpy": "np", "pandas": "pd"}


def origins(text: str) -> Origins:
    """The names that the imports of a text bring, each with the path that it stands for."""
    found: dict[str, str] = {}
    for each in imports(text):
        for name in each.node.names:
            if isinstance(each.node, ast.ImportFrom):
                found[name.asname or name.name] = f"{each.module}.{name.name}"
            else:
                top = name.name.partition(".")[0]
                found[name.asname or top] = name.name if name.asname else top
    return found


def origin(node: ast.expr, known: Origins) -> str:
    """The path of what an expression names; empty where it names nothing that is imported."""
    found = dotted(node)
    if found is None or found[0] not in known:
        return ""
    return known[found[0]] + found[1][len(found[0]) :]


def called(node: ast.AST, known: Origins) -> str:
    """The path of the function that a call calls, or the name of one of Python's own; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    of = node.func
    return origin(of, known) or (of.id if isinstance(of, ast.Name) and of.id not in known else "")


def usual(path: str) -> str:
    """How a path is usually written: ``np.mean``."""
    home, _, rest = path.partition(".")
    return f"{_HOMES.get(home, home)}.{rest}"


def named(node: ast.AST, known: Origins) -> Iterator[tuple[ast.expr, str]]:
    """The longest expressions below a node that name something that is imported, with its path."""
    path = origin(node, known) if isinstance(node, ast.Name | ast.Attribute) else ""
    if isinstance(node, ast.expr) and path:
        yield node, path
        return
    for each in ast.iter_child_nodes(node):
        yield from named(each, known)
