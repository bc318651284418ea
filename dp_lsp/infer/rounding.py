"""Rounding a number that a dataset or a whole number moves: it jumps, but by no more than whole numbers lie in between.

A real number may lie just below a whole one, so the smallest change may move what it is rounded to by 1: rounding has
no Lipschitz constant. Two datasets, however, differ by a whole number n of records, and two whole numbers by one, n.
What moves by at most s for one record, or for 1, moves by at most ns then, and what it is rounded to

- down, up or towards 0 by at most n times s rounded up: ⌊y⌋ - ⌊x⌋ < y - x + 1 is whole, so it is at most ⌈y - x⌉, and
  ⌈ns⌉ ≤ n⌈s⌉, a whole number that is at least ns. ⌈x⌉ is -⌊-x⌋; and towards 0, numbers on two sides of 0 come no
  further apart, while others are both rounded down or both up;
- to the nearest number by at most n times the whole number above s: round(y) - round(x) ≤ (y + 1/2) - (x - 1/2) is
  whole, so it is at most ⌊ns⌋ + 1, and as ns < n(⌊s⌋ + 1), a whole number, that is at most n(⌊s⌋ + 1).

To multiples of another number than 1 it is the same, in units of that. So ``len(v) // 10``, which is
``floor(len(v) / 10)``, moves by 1. Of s that is a formula, s + 1 is at least either.
A whole number stays as it is. So a loop that halves one, ``n = n // 2``, moves it by no more in any round.

Looked for in vain: neighbouring datasets between which what is rounded moves further (``tests/test_rounding.py``, by
CPython and by the evaluator in ``tests/evaluator``).
"""

from __future__ import annotations

import math
from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.builtins.traits import Rounds
from dp_lsp.core import laws
from dp_lsp.core.evaluate import norms_of
from dp_lsp.core.scheme import Judgement, Move
from dp_lsp.core.sens import ONE, Sens, number
from dp_lsp.core.term import Call, Term
from dp_lsp.core.types import Base, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer.inference import Inference

_DIGITS, _MOST_DIGITS = "digits", 100


def stepped(inference: Inference, node: Call, given: list[Judgement | Term], judgement: Judgement) -> Judgement:
    """How far a number moves with datasets and whole numbers that is rounded, where the row has no bound."""
    rounds = builtins.TABLE[node.builtin].trait(Rounds)
    if rounds is None or not given:
        return judgement
    unit = _unit(inference, node, given)
    x = given[-1 - len(node.keywords)]
    if unit is None or not isinstance(x, Judgement):
        return judgement
    type_ = inference.type(x)
    same = isinstance(type_, NumberType) and type_.base is Base.INTEGER and unit.numerator == 1
    better = {}
    for var, move in judgement.moves.items():
        before = x.moves.get(var)
        if before is None or var not in inference.context.whole or not move.sens.infinite:
            continue
        if before.sens.infinite or norms_of(before.sens):
            continue
        sens = before.sens if same else _rounded(before.sens, unit, rounds.to_nearest)
        better[var] = Move(sens, node.span, laws.ROUNDED, (ONE,), (before,), way=before.way)
    if not better:
        return judgement
    return replace(judgement, moves={**judgement.moves, **inference.of_whole_steps(better, uneven=True)})


def _unit(inference: Inference, node: Call, given: list[Judgement | Term]) -> Fraction | None:
    """What it is rounded to multiples of: 1, or a power of 10; None if that is not known."""
    if not node.keywords:
        return Fraction(1)
    (digits,) = given[-1:]
    known = inference.static(digits) if node.keywords == (_DIGITS,) and isinstance(digits, Judgement) else None
    places = None if known is None else known.number
    if places is None or places.denominator != 1 or abs(places) > _MOST_DIGITS:
        return None
    return Fraction(10) ** -int(places)


def _rounded(moved: Sens, unit: Fraction, to_nearest: bool) -> Sens:
    """How far that moves what moves by so much for one record, where it is rounded to multiples of a unit."""
    known = moved.number
    if known is None:
        return moved + number(unit)
    steps = known / unit
    return number(unit * (math.floor(steps) + 1 if to_nearest else math.ceil(steps)))
