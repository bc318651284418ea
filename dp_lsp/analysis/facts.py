"""What a check found out about each expression, as rows and tables of short texts that are bytes until somebody looks.

Offsets are relative to the chunk.
"""

from __future__ import annotations

import json
from enum import IntEnum
from functools import lru_cache

from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_DECODED = 256  # chunks; more than a screen shows


class Role(IntEnum):
    """Whose a value is. ``unknown`` is that of one of which nothing may be said."""

    UNKNOWN = 0
    PRIVATE = 1
    PUBLIC = 2
    RELEASED = 3
    FUNCTION = 4


class FactPart(IntEnum):
    """What stands at a place: an expression, a name that is read or defined, a parameter or a use of one, the name of
    a builtin that is called, or a norm or type that is given to one. ``after`` is a name that has another value after
    a statement than before it; it stands nowhere."""

    EXPRESSION = 0
    NAME = 1
    PARAMETER = 2
    CALLEE = 3
    NORM = 4
    TYPE = 5
    AFTER = 6
    RESULT = 7


class Spent(NamedTuple):
    """What evaluating an expression once costs these parameters, for a person."""

    parameters: tuple[str, ...]
    epsilon: str
    delta: str


class Fact(NamedTuple):
    """What is known of an expression: its type and metric for a person, ``moves`` as (parameter, sensitivity)
    pairs, and the rule (a builtin's name, or empty) that says so. ``value`` is that of a number that is known; the type
    is what it is besides.

    ``until`` is the end of the statement that gives a name this value, or 0 if none does here. Of what is ``AFTER`` a
    statement, ``rule`` is the name. ``spent`` is what evaluating it costs by itself, and ``lost`` says what is public
    of its operands and not of it, and why."""

    span: Span
    type: str
    metric: str
    moves: tuple[tuple[str, str], ...]
    rule: str
    role: Role = Role.UNKNOWN
    part: FactPart = FactPart.EXPRESSION
    until: int = 0
    spent: tuple[Spent, ...] = ()
    lost: str = ""
    value: str = ""

    @property
    def whole_type(self) -> str:
        """The type with the number, if that is known."""
        return f"{self.type}[{self.value} ©]" if self.value else self.type

    def moved(self, by: int) -> Fact:
        """The same in a text that has ``by`` more code points before it."""
        return self._replace(span=self.span.moved(by), until=self.until and self.until + by)


WAITING = "sens("
"""How a number begins that is known only when a function is called: how far something moves depends on types."""

FactRow = tuple[int, int, int, int, str, int, int, int, int]
"""A fact as it is stored: start, end, type, moves, rule, role, part, until, spent; the texts are places in tables."""


class FactTables(NamedTuple):
    """The facts of a chunk. Equal texts are written once. What is lost is known of few expressions: by their places."""

    rows: list[FactRow]
    types: list[tuple[str, str, str]]
    moves: list[tuple[tuple[str, str], ...]]
    spent: list[tuple[tuple[tuple[str, ...], str, str], ...]]
    lost: dict[tuple[int, int], str]


def encode_facts(tables: FactTables) -> bytes:
    """Rows with their tables, as bytes."""
    return json.dumps((*tables[:-1], list(tables.lost.items())), separators=(",", ":")).encode()


@lru_cache(_DECODED)
def decode_facts(data: bytes) -> tuple[Fact, ...]:
    """The facts of a chunk, in the order they were written."""
    if not data:
        return ()
    rows, types, each_moves, spent, each_lost = json.loads(data)
    moves = [tuple(map(tuple, each)) for each in each_moves]
    costs = [tuple(Spent(tuple(names), *rest) for names, *rest in listed) for listed in spent]
    lost = {tuple(place): why for place, why in each_lost}
    return tuple(
        Fact(
            *(
                Span(start, end),
                types[t][0],
                types[t][1],
                moves[m],
                rule,
                Role(role),
                FactPart(part),
                until,
                costs[cost],
            ),
            lost.get((start, end), "") if part == FactPart.EXPRESSION else "",
            types[t][2],
        )
        for start, end, t, m, rule, role, part, until, cost in rows
    )
