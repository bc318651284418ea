"""Names of Julia for what this language does differently or not at all: drawing noise, NaN, missing values."""

from __future__ import annotations

from dp_lsp import builtins
from dp_lsp.core.term import Apply, Global
from dp_lsp.infer import problems
from dp_lsp.infer.mistakes.scene import Scene
from dp_lsp.problem import Problem

_NOISE = (
    "draws random numbers, but what such noise hides is not accounted for: give the value to a mechanism, which adds "
    "the noise"
)
_ROWS = "puts rows into another order, which does not count as sampling: draw rows with `sample(k, A, B)`"
_ASKS = "handles what is not a number, but guarantees are about numbers only: replace such values in the data before"
_IS_NONE = "is not a number, but guarantees are about numbers only: write a number"


def own_noise(scene: Scene, problem: Problem) -> Problem | None:
    """Something is drawn at random, but not by a builtin."""
    for call, name in _drawn(scene):
        if call.function.span == problem.span:
            why = _NOISE if name in builtins.DRAWING else _ROWS
            return problems.OwnNoise.at(call.span, written=scene.written(call), why=why)
    return None


def not_a_number(scene: Scene, problem: Problem) -> Problem | None:
    """Something is not a number, or handles what is not."""
    name = scene.inference.written(problem.span)
    if name in builtins.HANDLING_NON_NUMBERS or name in builtins.NON_NUMBERS:
        why = _IS_NONE if name in builtins.NON_NUMBERS else _ASKS
        return problems.NotANumber.at(problem.span, name=name, why=why)
    return None


def follows(scene: Scene, problem: Problem) -> bool:
    """Whether an unknown name only says what is to be drawn, and that is a problem already."""
    if problem.code != problems.UnknownName.code:
        return False
    inside = (each for call, _ in _drawn(scene) for argument in call.args for each in scene.flow(argument))
    return any(isinstance(each, Apply) and each.function.span == problem.span for each in inside)


def _drawn(scene: Scene) -> list[tuple[Apply, str]]:
    calls = [node for node in scene.terms if isinstance(node, Apply)]
    named = [(call, call.function.name) for call in calls if isinstance(call.function, Global)]
    return [(call, name) for call, name in named if name in builtins.DRAWING or name in builtins.SHUFFLING]
