"""Which known mistake is behind a problem.

Rules say what does not hold. Once a function is inferred, each of its problems is looked at once more: where the reason
is one of the mistakes that many people make, a problem that says so takes its place. Nothing that is claimed changes by
it: what takes the place of a problem weighs as much, and leaves as much unchecked.
"""

from __future__ import annotations

from collections.abc import Callable

from dp_lsp.core.term import Method
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes import clipping, data, foreign, lost, noise, uses
from dp_lsp.infer.mistakes.scene import Scene
from dp_lsp.problem import Problem

_MOST = 100  # problems of one function that are looked at: each may be made of the whole of it

Rule = Callable[[Scene, Problem], Problem | None]


def name(inference: Inference, method: Method, usual: int) -> None:
    """Put the mistakes in the place of the problems that they led to. ``usual`` is how many records a person has."""
    if not any(problem.code in _RULES for problem in inference.recorder.problems):
        return
    scene = Scene(inference, method, usual)
    found: list[Problem] = []
    for problem in inference.recorder.problems[:_MOST]:
        inference.context.look()
        if uses.follows(scene, problem) or foreign.follows(scene, problem):
            continue
        mistakes = (rule(scene, problem) for rule in _RULES.get(problem.code, ()))
        mistake = next((each for each in mistakes if each is not None), None)
        if mistake is None:
            found.append(lost.explained(scene, problem, problem))
            continue
        weight = problem.severity, problem.unchecked, problem.refutable and scene.is_input(mistake.span)
        mistake = lost.explained(scene, problem, mistake)
        mistake = mistake._replace(severity=weight[0], unchecked=weight[1], refutable=weight[2])
        mistake = mistake._replace(extent=problem.extent or mistake.extent)
        same = next((at for at, known in enumerate(found) if known[:5] == mistake[:5]), None)
        if same is None:
            found.append(mistake)
        else:
            known = found[same]
            both = known.unchecked or mistake.unchecked, known.refutable or mistake.refutable
            extent = tuple(dict.fromkeys((*known.extent, *mistake.extent)))
            found[same] = known._replace(unchecked=both[0], refutable=both[1], extent=extent)
    inference.recorder.problems[:_MOST] = found


_UNBOUNDED: tuple[Rule, ...] = (uses.private_branch, data.divided_by_count, data.private_choice)
_NAMES: tuple[Rule, ...] = (foreign.own_noise, foreign.not_a_number)

_RULES: dict[str, tuple[Rule, ...]] = {
    kind.code: rules
    for kind, rules in (
        (problems.Unbounded, ()),
        (problems.NotClipped, (clipping.raw_beside,)),
        (problems.DoesNotFit, (clipping.clipped, clipping.raw_beside, data.without_rule, data.limited_by_data)),
        (problems.UnknownCount, (data.without_rule, data.few_records)),
        (problems.UnboundedInput, (*_UNBOUNDED, clipping.raw_value, uses.noise_apart)),
        (problems.LeavesUnprotected, (data.exposed_choice, *_UNBOUNDED, uses.chosen_value, uses.noise_apart)),
        (
            problems.TooSensitive,
            (clipping.raw_value, noise.no_noise, noise.below_zero, noise.other_relation, noise.one_end),
        ),
        (problems.ConditionFails, (noise.no_noise, noise.below_zero)),
        (problems.MustBePublic, (data.made_of_count, data.bound_from_data)),
        (problems.NotRepeatable, (data.made_of_count,)),
        (problems.WrongArgument, (clipping.clipped, uses.place_of_record, uses.other_dataset, data.bound_from_data)),
        (problems.NoRule, (uses.private_output, data.without_rule, *_NAMES)),
        (problems.UnknownName, _NAMES),
    )
}
"""What may be behind a problem of each kind, the likeliest first."""
