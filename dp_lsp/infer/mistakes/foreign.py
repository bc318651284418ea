"""Names of Julia for what the language does in other ways or not at all: noise of one's own, NaN, what is missing."""

from __future__ import annotations

from dp_lsp import builtins
from dp_lsp.core.term import Apply, Global
from dp_lsp.infer import problems
from dp_lsp.infer.mistakes.scene import Scene
from dp_lsp.problem import Problem

_NOISE = (
    "draws numbers, and what noise made of them hides is counted nowhere: give the value to a mechanism, which adds "
    "the noise"
)
_ROWS = "puts rows into another order, which is no sample: rows that `sample(k, A, B)` draws are counted as one"
_ASKS = "asks what is a number, and what is claimed holds of numbers only: put numbers into the data before"
_IS_NONE = "is no number, and what is claimed holds of numbers only: write a number"


def own_noise(scene: Scene, problem: Problem) -> Problem | None:
    """Something is drawn by other means than those of the language."""
    for call, name in _drawn(scene):
        if call.function.span == problem.span:
            why = _NOISE if name in builtins.DRAWING else _ROWS
            return problems.OwnNoise.at(call.span, written=scene.written(call), why=why)
    return None


def not_a_number(scene: Scene, problem: Problem) -> Problem | None:
    """Something stands for what is no number, or asks for it."""
    name = scene.inference.written(problem.span)
    if name in builtins.HANDLING_NON_NUMBERS or name in builtins.NON_NUMBERS:
        why = _IS_NONE if name in builtins.NON_NUMBERS else _ASKS
        return problems.NotANumber.at(problem.span, name=name, why=why)
    return None


def follows(scene: Scene, problem: Problem) -> bool:
    """Whether a name is not known that says what is to be drawn."""
    if problem.code != problems.UnknownName.code:
        return False
    inside = (each for call, _ in _drawn(scene) for argument in call.args for each in scene.flow(argument))
    return any(isinstance(each, Apply) and each.function.span == problem.span for each in inside)


def _drawn(scene: Scene) -> list[tuple[Apply, str]]:
    calls = [node for node in scene.terms if isinstance(node, Apply)]
    named = [(call, call.function.name) for call in calls if isinstance(call.function, Global)]
    return [(call, name) for call, name in named if name in builtins.DRAWING or name in builtins.SHUFFLING]
