"""Charges as plain data that JSON can carry: a list of nodes, in which every node stands after those it is made of.

A list keeps what a tree shares, and is read and written without going down into it. Numbers are texts, exact:
``1/3``. What a node means is said in :mod:`dp_lsp.accounting.charge`; its ``kind`` is the name of
the class there, or what a loss says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from dp_lsp.accounting import charge
from dp_lsp.accounting.charge import Charge, Relation, Scheme
from dp_lsp.core.constraints import Origin
from dp_lsp.mechanisms.mechanism import Loss, Unbounded
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate, BoundedRange

Node = dict[str, Any]

_KINDS: dict[str, type[Charge]] = {
    kind.__name__.lower(): kind
    for kind in (charge.Sequence, charge.Either, charge.Repeat, charge.Group, charge.Sampled, charge.Joined)
} | {kind.kind: kind for kind in (GaussianLoss, LaplaceLoss, BoundedRange, Approximate, Unbounded)}
_CHILDREN = ("body", "first", "second")


def children(tree: Charge) -> tuple[Charge, ...]:
    """What a tree is made of, in order."""
    match tree:
        case charge.Sequence(parts=parts) | charge.Either(parts=parts):
            return parts
        case charge.Repeat(body=body) | charge.Group(body=body) | charge.Sampled(body=body):
            return (body,)
        case charge.Joined(first=first, second=second):
            return (first, second)
        case _:
            return ()


def in_order(tree: Charge) -> list[Charge]:
    """Every node of a tree once, however often it is shared, after those it is made of; the tree is the last."""
    found: list[Charge] = []
    seen: set[int] = set()
    pending = [(tree, False)]
    while pending:
        node, entered = pending.pop()
        if entered:
            found.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            pending.append((node, True))
            pending += [(child, False) for child in reversed(children(node))]
    return found


def to_nodes(tree: Charge) -> list[Node]:
    """The tree as a list; its parts are named by their places in it."""
    ordered = in_order(tree)
    places = {id(node): place for place, node in enumerate(ordered)}
    return [node_of(node, places) for node in ordered]


def node_of(tree: Charge, places: Mapping[int, int]) -> Node:
    """A node alone; ``places`` are those of what it is made of, by identity."""
    node: Node = {"kind": tree.kind if isinstance(tree, Loss) else type(tree).__name__.lower()}
    for field in fields(tree):  # type: ignore[arg-type]
        value = getattr(tree, field.name)
        if field.name == "parts":
            node["parts"] = [places[id(part)] for part in value]
        elif field.name in _CHILDREN:
            node[field.name] = places[id(value)]
        elif isinstance(value, Fraction):
            node[field.name] = str(value)
        elif isinstance(value, Scheme | Relation):
            node[field.name] = value.value
        elif not isinstance(value, Origin | None):
            node[field.name] = value
    return node


def from_nodes(nodes: Sequence[Node]) -> Charge:
    """The tree that a list is of. Raises ValueError for a list that is of none."""
    made: list[Charge] = []
    for node in nodes:
        made.append(_tree(node, made))
    if not made:
        raise ValueError("an empty list is not a tree")
    return made[-1]


def _tree(node: Node, made: Sequence[Charge]) -> Charge:
    kind = _KINDS.get(node.get("kind", ""))
    if kind is None:
        raise ValueError(f"there is no kind {node.get('kind')!r}")
    values: dict[str, Any] = {}
    try:
        for field in fields(kind):  # type: ignore[arg-type]
            if field.name != "origin":
                values[field.name] = _value(field.name, str(field.type), node[field.name], made)
    except (KeyError, IndexError, TypeError, ZeroDivisionError) as wrong:
        raise ValueError(f"{node['kind']}: {wrong!r}") from wrong
    return kind(**values)


def _value(name: str, type_: str, value: Any, made: Sequence[Charge]) -> Any:
    if name == "parts":
        return tuple(made[_place(part)] for part in value)
    if name in _CHILDREN:
        return made[_place(value)]
    if type_ == "Fraction":
        return Fraction(value)
    if type_ == "Scheme":
        return Scheme(value)
    return Relation(value) if type_ == "Relation" else int(value)


def _place(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a place in the list")
    return value
