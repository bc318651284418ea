"""Arithmetic on how far values move."""

from __future__ import annotations

from collections.abc import Iterable

from dp_lsp.core.events import Var
from dp_lsp.core.scheme import Move, Moves, Step
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.text import Span

NOWHERE: Moves = {}


def own(var: Var, span: Span) -> Moves:
    """The moves of a variable itself."""
    return {var: Move(ONE, Step(span, "", ONE))}


def scaled(moves: Moves, factor: Sens, span: Span, rule: str) -> Moves:
    """How far a result moves that moves ``factor`` times as far as what has these moves."""
    if factor.zero or not moves:
        return NOWHERE
    if factor == ONE:
        return moves
    return {var: Move(factor * move.sens, Step(span, rule, factor, (move.why,))) for var, move in moves.items()}


def added(parts: Iterable[Moves], span: Span, rule: str) -> Moves:
    """The moves of something made of several values: sums, variable by variable."""
    result: dict[Var, Move] = {}
    for part in parts:
        if not result:
            result = dict(part)
            continue
        for var, move in part.items():
            known = result.get(var)
            if known is None:
                result[var] = move
            else:
                total = known.sens + move.sens
                result[var] = Move(total, Step(span, rule, ONE, _together(known.why, move.why, rule, span)))
    return result


def _together(left: Step, right: Step, rule: str, span: Span) -> tuple[Step, ...]:
    """The reasons of a sum; those of one that grows term by term are kept in one list."""
    before = left.before if left.rule == rule and left.span == span and len(left.before) < 8 else (left,)
    return (*before, right)


def larger(left: Moves, right: Moves) -> Moves:
    """The moves of one of two values: maxima, variable by variable."""
    result = dict(left)
    for var, move in right.items():
        known = result.get(var)
        if known is None:
            result[var] = move
        else:
            most = known.sens.at_least(move.sens)
            result[var] = known if most == known.sens else Move(most, move.why)
    return result


def capped(moves: Moves, span: Span, rule: str) -> Moves:
    """The moves into a metric of diameter 1: a variable whose values are at least 1 apart moves it by at most 1.
    Source: type_system 0.1, "diameter at most 1"."""
    return {
        var: Move(ONE, Step(span, rule, ONE, _finite(move.why))) if var.gap and not _at_most_one(move.sens) else move
        for var, move in moves.items()
    }


def _at_most_one(value: Sens) -> bool:
    known = value.number
    return known is not None and known <= 1


def _finite(step: Step) -> tuple[Step, ...]:
    """What came before the step that the cap replaces."""
    return tuple(before for before in step.before if not _is_infinite(before))


def without(moves: Moves, gone: Iterable[Var]) -> Moves:
    """The moves with some variables left out."""
    dropped = set(gone)
    return {var: move for var, move in moves.items() if var not in dropped} if dropped & moves.keys() else moves


def first_infinite(step: Step) -> Step:
    """The first step on the way from the variable at which the bound became ∞."""
    earlier = next((before for before in step.before if _is_infinite(before)), None)
    while earlier is not None:
        step = earlier
        earlier = next((before for before in step.before if _is_infinite(before)), None)
    return step


def _is_infinite(step: Step) -> bool:
    pending, seen = [step], {id(step)}
    while pending:
        item = pending.pop()
        if item.factor is INFINITY:
            return True
        for before in item.before:
            if id(before) not in seen:
                seen.add(id(before))
                pending.append(before)
    return False
