"""The tree of a program, as plain as Julia's own: a head and what belongs to it."""

from __future__ import annotations

from typing import NamedTuple


class Name(NamedTuple):
    """An identifier, already folded."""

    text: str


class Literal(NamedTuple):
    """A value that is written out."""

    value: object


class Tree(NamedTuple):
    """``head`` is that of Julia's ``Expr``, such as `call` or `=`, as far as there is one; ``args`` are trees."""

    head: str
    args: tuple[Node, ...]


Node = Name | Literal | Tree
NOTHING = Literal(None)


def tree(head: str, *args: Node) -> Tree:
    return Tree(head, args)
