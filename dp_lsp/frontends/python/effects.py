"""What evaluating Python text may do besides having a value: the effect summary of what has no meaning here.

Everything counts that cannot be told: a name of a module that is used as a value may be given to what changes it. Of
modules by which no program reaches the names of others it is taken for granted that loading one changes none.

Statements that make a run fail: ``raise``, and ``assert``, which is left out where Python runs with -O. So what it
says is never relied on; whether it fails is seen, as with any failure.

Source: the Python reference, "The raise statement", "The assert statement".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeAlias

from dp_lsp import surface
from dp_lsp.frontends.python.names import ALL_OF, BASES, EXCEPTIONS, FUTURE, MODULES, RUNNING, is_safe, reaches_out
from dp_lsp.frontends.python.tree import Places, below, children, walk
from dp_lsp.surface import Node, Summary

Values: TypeAlias = Callable[[ast.expr], Iterator[Node]]
"""The values that are seen in a text, or in a value that is made one."""


def leaves(body: list[ast.stmt]) -> bool:
    """Whether every way through a block ends in a ``return``."""
    match body[-1]:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=then, orelse=[*otherwise]) if otherwise:
            return leaves(then) and leaves(otherwise)
    return False


def with_last_failure(nodes: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of which the last one fails, unless an ``if`` before it has left the function, as that ``if`` with the
    failure for its ``else``."""
    match nodes:
        case [*before, ast.If(test=test, body=body, orelse=[]) as last, ast.Raise() as failure] if leaves(body):
            return [*before, ast.copy_location(ast.If(test, body, [failure]), last)]
    return nodes


def raised(node: ast.Raise, places: Places, values: Values) -> Node | None:
    """What is raised, as a call of its type; None where it is none of Python's own exceptions, or of other form. Raises
    :class:`~dp_lsp.frontends.python.refused.Refused` where what it says is not followed."""
    if node.cause is not None and not (isinstance(node.cause, ast.Constant) and node.cause.value is None):
        return None
    match node.exc:
        case ast.Name(id=name) if name in EXCEPTIONS:
            return failure(node, name, [], places, values, node.exc)
        case ast.Call(func=ast.Name(id=name) as at, args=args, keywords=[]) if name in EXCEPTIONS:
            return failure(node, name, args, places, values, at)
    return None


def failure(
    node: ast.AST, name: str, args: list[ast.expr], places: Places, values: Values, at: ast.AST | None = None
) -> Node:
    """What a failure says, as a call of the exception with the values that are seen in it."""
    callee = surface.Name(*places.span(at or node), name)
    return surface.Call(*places.span(node), callee, tuple(each for value in args for each in values(value)))


_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def effects(*nodes: ast.AST) -> Summary:
    """The summary of some nodes, at the level at which they stand."""
    walk = _Walk()
    walk.run(nodes)
    return Summary(
        frozenset(walk.mentions),
        frozenset(walk.binds),
        frozenset(walk.outside),
        frozenset(walk.members),
        walk.anything,
        walk.stores,
    )


class _Walk:
    def __init__(self) -> None:
        self.mentions: set[str] = set()
        self.binds: set[str] = set()
        self.outside: set[str] = set()
        self.members: set[str] = set()
        self.anything = ""
        self.stores = False
        self._pending: list[tuple[ast.AST, bool, str]] = []

    def run(self, nodes: tuple[ast.AST, ...]) -> None:
        declared = {name for node in nodes for item in walk(node) for name in _declared(item)}
        self.outside |= declared
        self._pending = [(node, False, "") for node in nodes]
        while self._pending:
            node, inside, own = self._pending.pop()
            self._visit(node, inside, own)

    def _doubt(self, what: str) -> None:
        self.anything = self.anything or what

    def _bind(self, name: str | None, inside: bool) -> None:
        if name is not None and not inside:
            self.binds.add(name)

    def _visit(self, node: ast.AST, inside: bool, own: str) -> None:
        """``own`` is the name that a method has for its object: setting a part of that is the object's affair."""
        parts = children(node)
        match node:
            case ast.Name(id=name, ctx=ctx):
                self.mentions.add(name)
                if not isinstance(ctx, ast.Load):
                    self._bind(name, inside)
                if name in RUNNING:
                    self._doubt(f"`{name}`")
                elif name in MODULES:
                    self._doubt(f"`{name}` as a value")
            case ast.Attribute(value=value, attr=attr, ctx=ctx):
                self.members.add(attr)
                of = value.id if isinstance(value, ast.Name) else ""
                if reaches_out(attr):
                    self._doubt(f"`.{attr}`")
                if not isinstance(ctx, ast.Load) and (not own or of != own):
                    self._doubt(f"an assignment to `.{attr}`")
                if of in MODULES:
                    self.mentions.add(of)
                    parts = []
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                self.stores = True
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._bind(name, inside)
                self._function(node, inside, own)
                return
            case ast.Lambda():
                self._function(node, inside, own)
                return
            case ast.comprehension(target=target):
                self._pending.append((target, True, own))
                parts = [each for each in parts if each is not target]
            case ast.ClassDef(name=name):
                self._bind(name, inside)
                self._class(node, inside)
                return
            case ast.Import(names=names):
                for alias in names:
                    self._import(alias.name, alias.asname or alias.name.partition(".")[0], inside)
            case ast.ImportFrom():
                self._import_from(node, inside)
            case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
                self._bind(name, inside)
            case ast.MatchMapping(rest=name):
                self._bind(name, inside)
        self._pending += ((each, inside, own) for each in parts)

    def _function(self, node: _Function, inside: bool, own: str) -> None:
        """Defaults, decorators and annotations are evaluated where the function is made."""
        self._pending.append((node.args, inside, own))
        if isinstance(node, ast.Lambda):
            self._pending.append((node.body, True, own))
            return
        outer = [*node.decorator_list, *([] if node.returns is None else [node.returns])]
        self._pending += [(each, inside, own) for each in outer] + [(each, True, own) for each in node.body]

    def _class(self, node: ast.ClassDef, inside: bool) -> None:
        self._pending += [(each, inside, "") for each in (*node.decorator_list, *node.bases, *node.keywords)]
        for each in node.body:
            own = ""
            if isinstance(each, ast.FunctionDef) and each.args.args and not each.decorator_list:
                first = each.args.args[0].arg
                given = {item.id for item in below(each, ast.Name) if _is_stored(item)}
                own = "" if first in given else first
            self._pending.append((each, True, own))

    def _import(self, module: str, name: str, inside: bool) -> None:
        self._bind(name, inside)
        if not is_safe(module, 0):
            self._doubt(f"`import {module}`")
        elif module.partition(".")[0] == "numpy" and name not in MODULES and BASES.get(name) != module:
            self._doubt(f"`{module}` under the name `{name}`")

    def _import_from(self, node: ast.ImportFrom, inside: bool) -> None:
        shown = f"{'.' * node.level}{node.module or ''}"
        if node.module == "__future__" and all(alias.name in FUTURE for alias in node.names):
            return
        if not node.level and not is_safe(node.module, 0):
            self._doubt(f"`from {shown} import`")
        for alias in node.names:
            if alias.name == "*" and not node.level and node.module in ALL_OF:
                self._binds_all(ALL_OF[node.module], inside)
            elif alias.name == "*" or reaches_out(alias.name):
                self._doubt(f"`from {shown} import {alias.name}`")
            else:
                self._bind(alias.asname or alias.name, inside)

    def _binds_all(self, names: frozenset[str], inside: bool) -> None:
        for name in names:
            self._bind(name, inside)


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _declared(node: ast.AST) -> list[str]:
    return node.names if isinstance(node, ast.Global | ast.Nonlocal) else []
