"""Statements that make a run fail: ``raise``, and ``assert``, which is left out where Python runs with -O. So what it
says is never relied on; whether it fails is seen, as with any failure.

Source: the Python reference, "The raise statement", "The assert statement".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeAlias

from dp_lsp import surface
from dp_lsp.frontends.python.names import EXCEPTIONS
from dp_lsp.frontends.python.places import Places
from dp_lsp.surface import Node

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
