"""Functions inside functions, and those without a name.

They see the variables around them with the values that these have when they are called, not when they were made. So
what one sees must have got its only value before, outside of any loop: then both are the same.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from dp_lsp.frontends.python.names import IMPORTED, bound_in
from dp_lsp.frontends.python.tree import below, walk

Inner = ast.FunctionDef | ast.Lambda


def inner_functions(node: ast.FunctionDef) -> dict[str, Inner]:
    """The functions that get a name in a function, each once, among the statements of its body."""
    writes = Counter(bound_below(node))
    found: dict[str, Inner] = {}
    for statement in node.body:
        match statement:
            case ast.FunctionDef(name=name) if writes[name] == 1:
                found[name] = statement
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value) if writes[name] == 1:
                found[name] = value
    return found


def why_not(inner: Inner, node: ast.FunctionDef, is_local: Callable[[str], bool]) -> str:
    """Why a function inside another cannot be followed; empty if it can. ``is_local`` tells the names of the outer
    one."""
    own = set(_own(inner))
    for item in walk(inner):
        if isinstance(item, ast.Global | ast.Nonlocal):
            return "a function that changes variables of others"
        if isinstance(item, ast.FunctionDef | ast.Lambda) and item is not inner:
            return "a function inside a function inside a function"
    settled = set(_settled(node, inner))
    for item in walk(inner):
        if isinstance(item, ast.Name) and item.id not in own and is_local(item.id) and item.id not in settled:
            return f"a function that sees `{item.id}`, which may have another value when it is called,"
    return ""


def _own(inner: Inner) -> Iterator[str]:
    """The names of a function's own."""
    yield from (each.arg for each in below(inner.args, ast.arg))
    for part in inner.body if isinstance(inner, ast.FunctionDef) else [inner.body]:
        yield from bound_below(part)


def bound_below(node: ast.AST) -> Iterator[str]:
    """The names that text gives a value, each as often as it does; rather too often."""
    for item in walk(node):
        if isinstance(item, ast.Name):
            if isinstance(item.ctx, _GIVES):
                yield item.id
            continue
        if not isinstance(item, _BINDING):
            continue  # as nearly all are, which is quickly seen
        match item:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                if item is not node:
                    yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                yield name
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names


_GIVES = (ast.Store, ast.Del)
_BINDING = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.alias, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping, ast.Global, ast.Nonlocal),
)
"""What gives names a value besides names that are written to."""


def modules_of(node: ast.FunctionDef) -> frozenset[str]:
    """The modules whose functions are known that a function imports before it does anything else, by names that it
    gives nothing else."""
    writes = Counter(bound_below(node))
    found: set[str] = set()
    for statement in node.body:
        match statement:
            case ast.Import(names=names) if all(IMPORTED.get(each.asname or each.name) == each.name for each in names):
                found |= {each.asname or each.name for each in names}
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                break
    return frozenset(name for name in found if writes[name] == 1)


def _settled(node: ast.FunctionDef, inner: Inner) -> Iterator[str]:
    """The variables of a function that have got their only value before one inside it is made: parameters, and what
    statements of its body assign, not those of a loop or a branch."""
    writes = Counter(bound_below(node))
    yield from (each.arg for each in below(node.args, ast.arg) if not writes[each.arg])
    for statement in node.body:
        if any(item is inner for item in walk(statement)):
            return
        names: list[str] = []
        match statement:
            case ast.Assign(targets=targets):
                names = [name for target in targets for name in bound_in(target)]
            case ast.AnnAssign(target=target, value=ast.expr()):
                names = [*bound_in(target)]
            case ast.FunctionDef(name=name):
                names = [name]
        yield from (name for name in names if writes[name] == 1)
