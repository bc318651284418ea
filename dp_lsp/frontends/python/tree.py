"""Walking the trees of the standard library's parser.

A function is asked many questions, each about all nodes below one. So what is below a node is found once, and
remembered at the node: who changes a tree makes a copy of it first (:func:`copied`), at which nothing is remembered.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar, cast

T = TypeVar("T", bound=ast.AST)
_BELOW = "_below"
_OF_KIND = "_of_kind"


def walk(node: ast.AST) -> tuple[ast.AST, ...]:
    """A node and all below it, the outer ones first, as by ``ast.walk``; without the marks that tell whether a name is
    read or given a value."""
    known = vars(node).get(_BELOW)
    if known is None:
        found = [node]
        for each in found:  # which grows
            found += children(each)
        known = vars(node)[_BELOW] = tuple(found)
    return cast(tuple[ast.AST, ...], known)


def below(node: ast.AST, kind: type[T]) -> Sequence[T]:
    """The nodes of one kind among a node and all below it, in the same order."""
    known = vars(node).get(_OF_KIND)
    if known is None:
        known = vars(node)[_OF_KIND] = {}
        for each in walk(node):
            known.setdefault(type(each), []).append(each)
    return cast(Sequence[T], known.get(kind, ()))


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below another one, in their order, without those marks."""
    found: list[ast.AST] = []
    fields = _fields(type(node))
    held = vars(node) if fields else {}
    for name in fields:
        value = held.get(name)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
    return found


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of nodes of a kind that may hold others."""
    known = _FIELDS.get(kind)
    if known is None:
        known = () if kind is ast.Constant else tuple(each for each in kind._fields if each not in _PLAIN)
        _FIELDS[kind] = known
    return known


_PLAIN = frozenset({"ctx", "id", "attr", "arg", "type_comment", "is_async", "conversion", "simple", "module", "level"})
"""Fields that hold a mark, a text or a number."""
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
"""Those that were asked for."""


def copied(node: T) -> T:
    """A tree that is like another one, and shares nothing with it."""
    made = type(node)()
    for name, value in vars(node).items():
        if isinstance(value, ast.AST):
            value = copied(value)
        elif name in (_BELOW, _OF_KIND):
            continue
        elif isinstance(value, list):
            value = [copied(each) if isinstance(each, ast.AST) else each for each in value]
        setattr(made, name, value)
    return made
