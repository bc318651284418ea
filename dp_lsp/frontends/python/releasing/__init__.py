"""Libraries that are differentially private by themselves: what each of their calls is in the tree.

Of a library that is known there is a module, with a table of its classes and functions: the mechanism that each runs,
the noise that this has, and what becomes of it. That the library does what its page says is a premise of whatever is
claimed, with the versions that were tried.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.releasing import diffprivlib

HOMES = {**diffprivlib.HOMES}
"""The modules and classes of libraries, by the names that they must have."""
NAMED = {**diffprivlib.NAMED}
"""By the beginning of a name, the one by which it is known here."""


class Made(NamedTuple):
    """A mechanism that a function makes: its class, and the arguments that it is made with."""

    name: str
    call: ast.Call

    @property
    def names(self) -> frozenset[str]:
        """The names in what it is made with."""
        return frozenset(item.id for item in ast.walk(self.call) if isinstance(item, ast.Name))


def made_by(name: str, call: ast.Call) -> Made | None:
    """The mechanism that a call of a known class makes; None for any other call."""
    return Made(name, call) if name in diffprivlib.MECHANISMS or name in diffprivlib.NOT_FOLLOWED else None


def given(call: ast.Call, order: tuple[str, ...]) -> dict[str, ast.expr]:
    """The arguments of a call by their names, of which the first may be given by place. Raises :class:`Refused`."""
    if len(call.args) > len(order) or any(isinstance(each, ast.Starred) for each in call.args):
        raise Refused(call, "a call with arguments that are not written out")
    found = dict(zip(order, call.args, strict=False))
    for each in call.keywords:
        if each.arg is None or each.arg in found:
            raise Refused(call, "a call with arguments that are not written out")
        found[each.arg] = each.value
    return found


METHODS = frozenset({diffprivlib.METHOD})
"""The methods of mechanisms that make a number."""


def is_tool(name: str) -> bool:
    """Whether a function of a library makes a number that is released."""
    return name.startswith(diffprivlib.TOOL) and not is_counting(name)


def is_counting(name: str) -> bool:
    """Whether a function of a library counts in bins, and gives the edges back, too."""
    return name == diffprivlib.ADD_GEOMETRIC


def mechanisms(node: ast.FunctionDef, called: Callable[[ast.expr], str]) -> dict[str, Made]:
    """The names of a function that stand for a mechanism: each is given one, once, and is read behind that alone, and
    what it is made with has the same value there. ``called`` tells which known function an expression is."""
    made: dict[str, Made] = {}
    for item in ast.walk(node):
        match item:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value):
                if (each := made_by(called(value.func), value)) is not None:
                    made[name] = each
    names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
    params = [item.arg for item in ast.walk(node) if isinstance(item, ast.arg)]
    writes = [item.id for item in names if not isinstance(item.ctx, ast.Load)]
    found: dict[str, Made] = {}
    for name, each in made.items():
        parts = {item.id for item in ast.walk(each.call) if isinstance(item, ast.Name)}
        is_same = all((writes + params).count(part) <= 1 for part in parts)
        if writes.count(name) == 1 and name not in params and is_same and _is_used_below(node, name, each):
            found[name] = each
    return found


def _is_used_below(node: ast.FunctionDef, name: str, made: Made) -> bool:
    """Whether all reads of a name are calls of a method, in the statements behind the one that gives it its value."""
    reads = {id(item) for item in ast.walk(node) if isinstance(item, ast.Name) and item.id == name}
    for statements in _blocks(node):
        for index, statement in enumerate(statements):
            if isinstance(statement, ast.Assign) and statement.value is made.call:
                below = [item for each in statements[index + 1 :] for item in _outside_functions(each)]
                used = {
                    id(item.func.value)
                    for item in below
                    if isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute)
                }
                return 1 < len(reads) == len(reads & used) + 1
    return False


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for item in ast.walk(node):
        for statements in (getattr(item, "body", None), getattr(item, "orelse", None)):
            if isinstance(statements, list):
                yield statements


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    pending = [node]
    while pending:
        item = pending.pop()
        if not isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield item
            pending += ast.iter_child_nodes(item)
