"""Walking a charge: the numbers of every node, from those of the nodes it is made of.

What a change of several steps costs is told to every mechanism (a :class:`~dp_lsp.accounting.charge.Group` around
a composition is the composition of groups), so a node is looked at together with the steps of the change there.
A charge may be deeper than Python's stack, and shares what it is made of; each node is computed once for each number of
steps, but for those inside a sample and inside two results that are joined, which their own node looks at.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Listed
from dataclasses import fields, replace
from typing import Generic, NamedTuple, TypeVar

from dp_lsp.accounting.charge import Charge, Either, Group, Joined, Repeat, Sampled, Sequence
from dp_lsp.accounting.wire import children, in_order
from dp_lsp.mechanisms.mechanism import Loss

V = TypeVar("V")
Single = Loss | Sampled | Joined
At = tuple[Charge, int]


class Rules(Generic[V]):
    """What a walk knows: the value of one mechanism, and those of what is composed. None is what nothing is known of;
    all that contains it is None too."""

    def single(self, node: Single, steps: int) -> V | None:
        """A mechanism, a sample or a joined pair, at a change of so many steps."""
        raise NotImplementedError

    def sequence(self, parts: Listed[V]) -> V | None:
        """One after the other, chosen adaptively; of nothing, what costs nothing."""
        raise NotImplementedError

    def repeat(self, count: int, once: V) -> V | None:
        """``count`` ≥ 1 rounds."""
        raise NotImplementedError

    def either(self, parts: Listed[V]) -> V | None:
        """One of at least one, chosen by what is known."""
        raise NotImplementedError


class Valued(NamedTuple, Generic[V]):
    """What a walk found out about a node at a change of so many steps."""

    node: Charge
    steps: int
    value: V


def fold(charge: Charge, rules: Rules[V]) -> V | None:
    """The value of the whole at a change of one step; None if nothing is known of it."""
    found = values(charge, rules)
    return found[-1].value if found else None


def values(charge: Charge, rules: Rules[V]) -> list[Valued[V]]:
    """The values of all nodes, each after those it is made of, the whole last, which is looked at at a change of one
    step; empty if nothing is known of it."""
    known: dict[tuple[int, int], V | None] = {}
    found: list[Valued[V]] = []
    pending = [(charge, 1, False)]
    while pending:
        node, at, entered = pending.pop()
        key = id(node), at
        if key in known:
            continue
        parts = parts_of(node, at)
        if not entered and parts:
            pending.append((node, at, True))
            pending += [(part, inner, False) for part, inner in reversed(parts)]
            continue
        value = _value(node, at, [known[id(part), inner] for part, inner in parts], rules)
        if value is None:
            return []
        known[key] = value
        found.append(Valued(node, at, value))
    return found


def parts_of(node: Charge, steps: int) -> list[At]:
    """What a node is made of, and at a change of how many steps each part of it is looked at."""
    match node:
        case Sequence(parts=parts) | Either(parts=parts):
            return [(part, steps) for part in parts]
        case Repeat(count=count, body=body):
            return [(body, steps)] if count > 0 else []
        case Group(steps=more, body=body):
            return [(body, steps * more)]
        case _:
            return []


def _value(node: Charge, steps: int, parts: list[V | None], rules: Rules[V]) -> V | None:
    given = [part for part in parts if part is not None]
    match node:
        case Either() if given:
            return rules.either(given)
        case Sequence() | Either():
            return rules.sequence(given)
        case Repeat(count=count):
            return rules.repeat(count, given[0]) if count > 0 else rules.sequence([])
        case Group():
            return given[0]
        case _:
            return rules.single(node, steps)


def nested(charge: Charge) -> int:
    """How many samples and joined pairs lie within each other."""
    depths: dict[int, int] = {}
    for node in in_order(charge):
        inside = max((depths[id(part)] for part in children(node)), default=0)
        depths[id(node)] = inside + isinstance(node, Sampled | Joined)
    return depths[id(charge)]


def weight(charge: Charge, counted: Callable[[Single], bool]) -> int:
    """How many times mechanisms that are ``counted`` run at most."""
    return fold(charge, _Counting(counted)) or 0


def shared(charge: Charge) -> Charge:
    """The same charge, in which equal nodes are one node: what is remembered of a node is remembered of all that equal
    it. Origins are those of the first."""
    same: dict[int, Charge] = {}
    kept: dict[tuple[object, ...], Charge] = {}
    for node in in_order(charge):
        values: list[object] = [type(node)]
        changed: dict[str, object] = {}
        for field in fields(node):  # type: ignore[arg-type]
            value = getattr(node, field.name)
            if field.name == "parts":
                parts = tuple(same[id(part)] for part in value)
                changed["parts"] = parts
                values.append(tuple(map(id, parts)))
            elif field.name in ("body", "first", "second"):
                changed[field.name] = same[id(value)]
                values.append(id(same[id(value)]))
            elif field.compare:
                values.append(value)
        key = tuple(values)
        if key not in kept:
            kept[key] = replace(node, **changed) if changed else node  # type: ignore[type-var]
        same[id(node)] = kept[key]
    return same[id(charge)]


class _Counting(Rules[int]):
    def __init__(self, counted: Callable[[Single], bool]) -> None:
        self._counted = counted

    def single(self, node: Single, steps: int) -> int:
        return int(self._counted(node))

    def sequence(self, parts: Listed[int]) -> int:
        return sum(parts)

    def repeat(self, count: int, once: int) -> int:
        return count * once

    def either(self, parts: Listed[int]) -> int:
        return max(parts)
