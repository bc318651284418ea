"""What reports show of a function, as rows of text: formulas in SymPy syntax, and short texts for a person; and ε as δ
or the iterations change, as flat data that can cross the border between processes, which is made for a file when
somebody asks.

What a check found out about each expression, as rows and tables of short texts that are bytes until somebody looks.

Offsets are relative to the chunk.
"""

from __future__ import annotations

import json
from enum import IntEnum, StrEnum
from fractions import Fraction
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


NOT_AS_DECLARED = "not private as declared"
"""What is said of a person for whom no bound is reported. Noise that is made for less may still hide something, which
the problem says that is reported there."""


class FreeVariable(NamedTuple):
    """A number the user may choose, its range as a formula, and what it means."""

    name: str
    range: str
    meaning: str


class BoundReport(NamedTuple):
    """One proved pair (ε, δ) for parameters that change together. Formulas are in SymPy syntax. ``own`` are the numbers
    of a measure that counts in something else, from which the pair follows."""

    parameters: tuple[str, ...]
    measure: str
    rule: str
    epsilon: str
    delta: str
    free: tuple[FreeVariable, ...]
    own: tuple[tuple[str, str], ...] = ()


class NumericReport(NamedTuple):
    """The bound as numbers, ∞ as None, or the names of what has no number yet. ``by`` are the numbers of its measure
    that it follows from, where somebody asked for an explanation."""

    parameters: tuple[str, ...]
    epsilon: Fraction | None
    delta: Fraction | None
    rule: str
    missing: tuple[str, ...] = ()
    by: tuple[tuple[str, Fraction], ...] = ()


class SpendingReport(NamedTuple):
    """What a mechanism or a call at a place spends of the budget of parameters that change together, by basic
    composition: as formulas, to a person, and as a share of ε where that is a number. ``name`` is what is run there."""

    parameters: tuple[str, ...]
    span: Span
    name: str
    epsilon: str
    delta: str
    shown: str
    share: float | None = None


class Premised(StrEnum):
    """What kind of thing is taken for granted beside relations: the norm of a parameter or of the result, which data
    are neighbours, how many records a person has, what a black box does that is called, that noise in floating point
    is as good as exact noise, that a generator which a function is given has no seed, or what else a user gives their
    word for, in words."""

    NORM = "norm"
    NEIGHBOURS = "neighbours"
    CONTRIBUTES = "contributes"
    BLACK_BOX = "black-box"
    FLOAT_NOISE = "float-noise"
    UNSEEDED = "unseeded"
    NOTE = "note"


class ConditionReport(NamedTuple):
    """A side condition: for a person, as a formula (None for a premise that is no relation), and whether it is decided.
    ``kind`` is `relation`, or that of a premise (:class:`Premised`)."""

    text: str
    formula: str | None
    decided: bool
    kind: str


class Stability(NamedTuple):
    """What a change of ``records`` records of a dataset, which is one person, does: ``shown`` says to a person how the
    distance of datasets becomes the bound, and ``metric`` what that distance is. ``general`` is the bound for ``d``
    records, empty where it is not known to be so many times as large. Formulas are in SymPy syntax."""

    metric: str
    records: str
    general: str
    shown: tuple[str, ...]


class ParameterReport(NamedTuple):
    """A parameter and its bounds. Formulas (``sensitivity``, ``epsilon``, ``delta``) are in SymPy syntax, and None
    where they do not apply; ``shown`` says the bound to a person ("ε 0.1  δ 0.2", "2", "∞"), and ``alternatives`` each
    guarantee as (ε, δ) by itself, of which the reader may take any. ``stability`` is that of a dataset. ``neighbours``
    says in what the inputs differ that a private function hides from each other ("one record replaced"), empty where
    nothing is hidden, and ``public`` are the sizes that everybody may know, as formulas for a person."""

    name: str
    type: str
    static: bool
    sensitivity: str | None
    epsilon: str | None
    delta: str | None
    shown: str
    stability: Stability | None = None
    alternatives: tuple[tuple[str, str], ...] = ()
    neighbours: str = ""
    public: tuple[str, ...] = ()

    @property
    def is_guaranteed(self) -> bool:
        """Whether a private function guarantees something."""
        return bool(self.alternatives) and self.epsilon != "oo"

    @property
    def parts(self) -> tuple[str, ...]:
        """The bound for a person in parts that may stand below each other."""
        if not self.is_guaranteed:
            return (self.shown,)
        pairs = ((f"ε {epsilon}", f"δ {delta}") for epsilon, delta in self.alternatives)
        return tuple(part for index, pair in enumerate(pairs) for part in (*["or"] * bool(index), *pair))

    @property
    def first(self) -> str:
        """The bound for a person, of two guarantees the first."""
        if len(self.alternatives) < 2:
            return self.shown
        epsilon, delta = self.alternatives[0]
        return f"ε {epsilon}  δ {delta} or …"


class PlottedCurve(NamedTuple):
    """The smallest ε that a rule proves, rounded up, at each of some places: (place, ε)."""

    rule: str
    points: tuple[tuple[float, float], ...]


class Plot(NamedTuple):
    """What parameters that change together cost, against ``delta`` or ``iterations``: at ``at`` stands the program
    itself, if it is known where. The total δ of one against iterations is ``delta``. One of which numbers are
    ``missing`` has no curves."""

    parameters: tuple[str, ...]
    against: str
    curves: tuple[PlottedCurve, ...] = ()
    at: float | None = None
    delta: float | None = None
    missing: tuple[str, ...] = ()


class Plotted(NamedTuple):
    """The plots of a function, whose name stands at ``name``."""

    name: Span
    plots: tuple[Plot, ...]

    def moved(self, by: int) -> Plotted:
        """The same in a text that has ``by`` more code points before it."""
        return self._replace(name=self.name.moved(by))
