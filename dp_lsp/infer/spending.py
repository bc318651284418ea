"""What a private function may be given: values that move by a known distance, or by at most 1."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.evaluate import Substitution, norms_of
from dp_lsp.core.events import Var
from dp_lsp.core.scheme import Move, Moves
from dp_lsp.core.sens import ONE, Sens, number
from dp_lsp.core.types import Norm
from dp_lsp.infer import conditions, explain, problems
from dp_lsp.infer.effects import Effects
from dp_lsp.infer.inference import Inference
from dp_lsp.text import Span


class Given(NamedTuple):
    """How far each variable moves what a private function is given. Those that move it without bound are not among
    them: the effect is that they are not protected."""

    distances: dict[Var, Sens]
    effects: Effects


def distances(inference: Inference, span: Span, moved: Moves, origin: Origin) -> Given:
    """How far each variable moves what a private function is given, each a number or at most 1."""
    private = {var: move for var, move in inference.released(moved, span).items() if not var.exempt}
    unbounded = frozenset(var for var, move in private.items() if move.sens.infinite)
    if unbounded:
        _unbounded(inference, span, private, unbounded)
    found = {var: _distance(inference, var, move, origin) for var, move in private.items() if var not in unbounded}
    return Given(found, inference.leak(unbounded, origin))


def _distance(inference: Inference, var: Var, move: Move, origin: Origin) -> Sens:
    """How far a variable moves an argument of a private function. Where that is no number, or where there is no price
    for more, it must be at most 1; a record then moves it by at most 1 for each of its members."""
    known = _in_any_norm(inference, move.sens)
    if inference.rules.groups and known.number is not None:
        return known
    if var.members:
        return number(var.members)
    inference.demand(move.sens, "<=", ONE, origin, conditions.fails)
    return ONE


def _in_any_norm(inference: Inference, moved: Sens) -> Sens:
    """A distance as it is where norms that are still open turn out to be those in which it is largest."""
    if moved.number is not None or not norms_of(moved):
        return moved
    moved = inference.solver.substitution().sens(moved)
    for norm in norms_of(moved):
        ways = [Substitution({}, {norm: each}).sens(moved) for each in Norm]
        moved = next((way for way in ways if all(decide(other, "<=", way) for other in ways)), moved)
    return moved


def _unbounded(inference: Inference, span: Span, private: Moves, unbounded: frozenset[Var]) -> None:
    named = [(var, move) for var, move in private.items() if var in unbounded and not var.members]
    if not named:
        return
    var, move = named[0]
    inference.report(
        problems.UnboundedInput.at(
            span,
            written=inference.written(span),
            variable=explain.either(var.name for var, _ in named),
            because=explain.because(inference, move, inference.written(span)),
            related=explain.path(inference, move, var.name),
        )
    )
