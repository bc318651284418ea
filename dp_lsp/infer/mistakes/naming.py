"""Which known mistake is behind a problem.

Rules say what does not hold. Once a function is inferred, each of its problems is looked at once more: where the reason
is one of the mistakes that many people make, a problem that says so takes its place. Nothing more is claimed by it:
what takes the place of a problem weighs as much, and leaves as much unchecked, or more.
"""

from __future__ import annotations

from collections.abc import Callable

from dp_lsp.core.term import Apply, Global, Method, Show, Term
from dp_lsp.hopeless import CannotBeProved
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes import data, noise, uses
from dp_lsp.infer.mistakes.mending import parts, rules
from dp_lsp.infer.mistakes.mending.declaring import may_be_records
from dp_lsp.infer.mistakes.scene import Scene
from dp_lsp.language import Familiar
from dp_lsp.problem import Problem

_MOST = 100  # problems of one function that are looked at: each may be made of the whole of it

Rule = Callable[[Scene, Problem], Problem | None]


def name(inference: Inference, method: Method, usual: int) -> None:
    """Put the mistakes in the place of the problems that they led to, with what may mend them. ``usual`` is how many
    records a person has."""
    if not any(problem.code in _RULES or problem.code in rules.RULES for problem in inference.recorder.problems):
        return
    scene = Scene(inference, method, usual)
    found: list[Problem] = []
    for problem in inference.recorder.problems[:_MOST]:
        inference.context.look()
        if uses.follows(scene, problem) or _follows_drawing(scene, problem):
            continue
        mistakes = (rule(scene, problem) for rule in _RULES.get(problem.code, ()))
        mistake = next((each for each in mistakes if each is not None), None)
        if mistake is None:
            found.append(uses.explained(scene, problem, problem))
            continue
        doubts = inference.recorder.doubts
        doubts[:] = [mistake.message if each == problem.message else each for each in doubts]
        if mistake.unchecked and not problem.unchecked:
            inference.give_up(mistake.message)
        unchecked = problem.unchecked or mistake.unchecked
        weight = problem.severity, unchecked, problem.refutable and scene.is_input(mistake.span)
        mistake = uses.explained(scene, problem, mistake)
        mistake = mistake._replace(severity=weight[0], unchecked=weight[1], refutable=weight[2])
        inference.recorder.say_instead(problem.message, mistake.message)
        mistake = mistake._replace(extent=problem.extent or mistake.extent)
        same = next((at for at, known in enumerate(found) if known[:5] == mistake[:5]), None)
        if same is None:
            found.append(mistake)
        else:
            known = found[same]
            both = known.unchecked or mistake.unchecked, known.refutable or mistake.refutable
            extent = tuple(dict.fromkeys((*known.extent, *mistake.extent)))
            found[same] = known._replace(unchecked=both[0], refutable=both[1], extent=extent)
    inference.recorder.problems[:_MOST] = [rules.mended(scene, each) for each in found]


_NOISE = (
    "draws random numbers, but what such noise hides is not accounted for: give the value to a mechanism, which adds "
    "the noise"
)
_ROWS = "puts rows into another order, which does not count as sampling: draw rows with `sample(k, A, B)`"
_ASKS = "handles what is not a number, but guarantees are about numbers only: replace such values in the data before"
_IS_NONE = "is not a number, but guarantees are about numbers only: write a number"


def _own_noise(scene: Scene, problem: Problem) -> Problem | None:
    """Something is drawn at random, but not by a builtin."""
    vocabulary = scene.inference.context.language.vocabulary
    for call, name in _drawn(scene):
        if call.function.span == problem.span:
            why = _NOISE if vocabulary.does(name, Familiar.DRAWS) else _ROWS
            return problems.OwnNoise.at(call.span, written=scene.written(call), why=why)
    return None


def _not_a_number(scene: Scene, problem: Problem) -> Problem | None:
    """Something is not a number, or handles what is not."""
    name = scene.inference.written(problem.span)
    vocabulary = scene.inference.context.language.vocabulary
    if vocabulary.does(name, Familiar.ASKS) or vocabulary.does(name, Familiar.NO_NUMBER):
        why = _IS_NONE if vocabulary.does(name, Familiar.NO_NUMBER) else _ASKS
        return problems.NotANumber.at(problem.span, name=name, why=why)
    return None


def _hopeless(scene: Scene, problem: Problem) -> Problem | None:
    """What is made of private data is something that is not proved private."""
    if not scene.method.privacy:
        return None
    for node in scene.terms:
        if not isinstance(node, Apply) or not isinstance(node.function, Global) or node.function.span != problem.span:
            continue
        hopeless = scene.inference.context.language.vocabulary.hopeless.get(node.function.name)
        of = next((each for each in node.args if _is_of_records(scene, each)), None)
        if hopeless is not None and of is not None:
            where, written = f"`{scene.method.name}`", scene.written(node)
            return CannotBeProved.told(hopeless, node.span, where, written, scene.written(of))
    return None


def _shown_otherwise(scene: Scene, problem: Problem) -> Problem | None:
    """What is shown of private data is something that is not proved private, whatever is added to it."""
    vocabulary = scene.inference.context.language.vocabulary
    for node in scene.terms:
        if isinstance(node, Show) and node.span == problem.span:
            hopeless = vocabulary.hopeless.get(node.by[0].name)
            if hopeless is not None:
                told = vocabulary.told(node.by[0].name, scene.inference.written(node.span))
                where = f"`{scene.method.name}`"
                return CannotBeProved.told(hopeless, node.span, where, *told)._replace(unchecked=False)
    return None


def _is_of_records(scene: Scene, node: Term) -> bool:
    """Whether something is made of private records, one by one."""
    made = [*parts.record_by_record(scene, node)]
    several = any(parts.is_dataset(scene, each) or may_be_records(scene, each) for each in made)
    return several and bool(scene.private(node))


def _follows_drawing(scene: Scene, problem: Problem) -> bool:
    """Whether an unknown name only says what is to be drawn, and that is a problem already."""
    if problem.code != problems.UnknownName.code:
        return False
    inside = (each for call, _ in _drawn(scene) for argument in call.args for each in scene.flow(argument))
    return any(isinstance(each, Apply) and each.function.span == problem.span for each in inside)


def _drawn(scene: Scene) -> list[tuple[Apply, str]]:
    calls = [node for node in scene.terms if isinstance(node, Apply)]
    named = [(call, call.function.name) for call in calls if isinstance(call.function, Global)]
    does = scene.inference.context.language.vocabulary.does
    return [(call, name) for call, name in named if does(name, Familiar.DRAWS) or does(name, Familiar.SHUFFLES)]


_UNBOUNDED: tuple[Rule, ...] = (uses.private_branch, data.divided_by_count, data.private_choice)
_NAMES: tuple[Rule, ...] = (_hopeless, _own_noise, _not_a_number)

_RULES: dict[str, tuple[Rule, ...]] = {
    kind.code: rules
    for kind, rules in (
        (problems.Unbounded, ()),
        (problems.NotClipped, (data.raw_beside,)),
        (problems.DoesNotFit, (data.clipped, data.raw_beside, data.without_rule, data.limited_by_data)),
        (problems.UnknownCount, (data.without_rule, data.few_records)),
        (problems.UnboundedInput, (*_UNBOUNDED, data.raw_value, uses.noise_apart)),
        (problems.NoMechanism, (uses.returned_records,)),
        (
            problems.LeavesUnprotected,
            (uses.returned_records, data.exposed_choice, *_UNBOUNDED, uses.chosen_value, uses.noise_apart),
        ),
        (
            problems.TooSensitive,
            (noise.swapped, data.raw_value, noise.no_noise, noise.below_zero, noise.other_relation, noise.one_end),
        ),
        (problems.ConditionFails, (noise.no_noise, noise.below_zero)),
        (problems.MustBePublic, (data.made_of_count, data.bound_from_data, data.scale_from_data)),
        (problems.NotRepeatable, (data.made_of_count,)),
        (
            problems.WrongArgument,
            (uses.noise_on_records, data.clipped, uses.place_of_record, uses.other_dataset, data.bound_from_data),
        ),
        (problems.NoRule, (data.without_rule, *_NAMES)),
        (problems.UnknownName, _NAMES),
        (problems.PrivateOutput, (_shown_otherwise,)),
    )
}
"""What may be behind a problem of each kind, the likeliest first."""
