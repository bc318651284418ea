"""What many records make together is clipped, and not what each of them makes (18)."""

from __future__ import annotations

from dp_lsp.core.term import Call, Local, Loop, Term, Use
from dp_lsp.core.types import Dataset
from dp_lsp.infer import problems
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.problem import Problem, Related


def clipped(scene: Scene, problem: Problem) -> Problem | None:
    """What is clipped is a sum already."""
    for call in scene.calls:
        limited = [scene.argument(call, name) for name in row(call).limits] if row(call).clips else []
        for argument in (each for each in limited if each is not None):
            added = next((part for part in scene.flow(argument) if _is_sum(scene, part)), None)
            if isinstance(added, Call) and problem.span in (argument.span, added.span):
                related = Related("here it is added up", added.span)
                written, each = scene.written(argument), _added(scene, added)
                return problems.BatchClipped.at(call.span, related=(related,), written=written, each=each)
    return None


def _is_sum(scene: Scene, part: Term) -> bool:
    """Whether something adds up what records make: of a dataset, or round by round."""
    if not isinstance(part, Call) or row(part).clips:
        return False
    count, carried = len(part.args), _carried(scene)
    round_by_round = any(isinstance(each, Use) and each.local in carried for each in part.args)
    if round_by_round:
        return all(row(part).adds(index, count) for index in range(count))
    return any(isinstance(scene.type(each), Dataset) for each in part.args)


def _carried(scene: Scene) -> set[Local]:
    """The names by which rounds of loops know what the ones before have made."""
    return {local for node in scene.terms if isinstance(node, Loop) for local, _ in node.carried}


def _added(scene: Scene, added: Call) -> str:
    """What to clip instead."""
    dataset = next((each for each in added.args if isinstance(scene.type(each), Dataset)), None)
    if dataset is not None:
        return f"each row of `{scene.written(dataset)}`"
    own = [each for each in added.args if not (isinstance(each, Use) and each.local in _carried(scene))]
    return f"each `{scene.written(own[0] if own else added.args[0])}`"
