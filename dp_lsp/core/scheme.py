"""What is known of a value, and of a function once it has been inferred."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dp_lsp.core.algebra import NormVariable, Symbol
from dp_lsp.core.constraints import Constraint
from dp_lsp.core.events import Cost, Var
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Type
from dp_lsp.text import Span


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """How far a value moves when a variable moves by 1, and why: by a rule at a place, from earlier moves.

    ``rule`` is a builtin or a law of :mod:`dp_lsp.core.laws`, and ``subject`` the name of what is called by it. Each
    move of ``before`` counts as often as its factor of ``factors`` says; a law may make something else of them.
    """

    sens: Sens
    span: Span
    rule: str
    factors: tuple[Sens, ...] = ()
    before: tuple[Move, ...] = ()
    subject: str = ""


Moves = Mapping[Var, Move]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What is known of a value. ``parts`` holds the moves of each item of a tuple, ``moves`` those of the whole."""

    type: Type
    moves: Moves
    parts: tuple[Judgement, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SchemeParameter:
    """A parameter of an inferred function; ``symbol`` is the value of one that is static and a number."""

    name: str
    var: Var
    type: Type
    static: bool
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Scheme:
    """An inferred method. Its symbols and norm variables stand for any value and are replaced at each call.

    ``reason`` says why nothing is known of it, or is empty; ``claims_privacy`` is true for ``Priv()``. ``failing``
    are the parameters that decide whether a call fails; None if a call never does.
    """

    name: str
    signature: str
    params: tuple[SchemeParameter, ...]
    result: Judgement
    cost: Cost
    needs: tuple[Constraint, ...]
    symbols: frozenset[Symbol]
    norms: frozenset[NormVariable]
    claims_privacy: bool
    failing: frozenset[Var] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class BlackBox:
    """A function whose body is not looked at."""

    name: str
    params: tuple[Type | None, ...]
    captures: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FunctionValue:
    """What a name of a function stands for: its methods, or a black box."""

    name: str
    methods: tuple[Scheme, ...] = ()
    black_box: BlackBox | None = None
