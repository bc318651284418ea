"""Statements that make a run fail: ``raise``, and ``assert``, which is left out where Python runs with -O. So what it
says is never relied on; whether it fails is seen, as with any failure.

Source: the Python reference, "The raise statement", "The assert statement".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp import surface
from dp_lsp.frontends.python.names import EXCEPTIONS
from dp_lsp.frontends.python.places import Places
from dp_lsp.frontends.python.tree import walk
from dp_lsp.surface import Node


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


def raised(node: ast.Raise, places: Places) -> Node | None:
    """What is raised, as a call of its type; None where it is none of Python's own exceptions, or of other form."""
    if node.cause is not None and not (isinstance(node.cause, ast.Constant) and node.cause.value is None):
        return None
    match node.exc:
        case ast.Name(id=name) if name in EXCEPTIONS:
            said: list[ast.expr] = []
            at = node.exc
        case ast.Call(func=ast.Name(id=name) as at, args=said, keywords=[]) if name in EXCEPTIONS:
            pass
        case _:
            return None
    shown = [message(each, places) for each in said]
    if None in shown:
        return None
    values = tuple(each for each in shown if each is not None)
    return surface.Call(*places.span(node), surface.Name(*places.span(at), name), values)


def message(node: ast.expr, places: Places) -> Node | None:
    """What a failure says: a text, perhaps with the values of names in it, or a name."""
    span = places.span(node)
    match node:
        case ast.Constant(value=str() as text):
            return surface.Text(*span, text)
        case ast.Name(id=name):
            return surface.Name(*span, name)
        case ast.JoinedStr():
            names = shown_names(node, places)
            return None if names is None else surface.Shown(*span, names)
    return None


def shown_names(node: ast.JoinedStr, places: Places) -> tuple[surface.Name, ...] | None:
    """The names whose values stand in a text; None where more than names stands in it. The place of each is that
    of the text, as not every Python says where they stand in it."""
    found: list[surface.Name] = []
    span = places.span(node)
    for part in _parts(node):
        if not isinstance(part.value, ast.Name):
            return None
        found.append(surface.Name(*span, part.value.id))
    return tuple(found)


def _parts(node: ast.JoinedStr) -> Iterator[ast.FormattedValue]:
    """The values that a text is made of, those included that say how another one is written."""
    for item in walk(node):
        if isinstance(item, ast.FormattedValue):
            yield item
