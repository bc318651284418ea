"""Mistakes in how much noise is added; among them what would hold under another relation between neighbouring
datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from dp_lsp.builtins import intervals
from dp_lsp.builtins.define import Noise
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.constraints import decide
from dp_lsp.core.notation import figure, shown
from dp_lsp.core.scheme import Effort
from dp_lsp.core.sens import Sens, magnitude, maximum
from dp_lsp.core.term import Apply, Call, Global, Literal, Term
from dp_lsp.core.types import Bounds, Dataset, DatasetMetric, Norm, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer import functions, problems, terms
from dp_lsp.infer.context import TypingContext
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes.scene import Scene, noise_of
from dp_lsp.intents import Write
from dp_lsp.language import Familiar
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Problem, Related

_MOST_USUAL = 10  # ε
_ADDED = (Norm.L1, Norm.L2)  # what noise that is added is made for; a choice is made among scores


class MechanismCall(NamedTuple):
    """A call of a mechanism, what it hides, and what is declared of how far that moves."""

    call: Call
    noise: Noise
    hidden: Term
    place: Term | None
    declared: Poly | None


def release_of(scene: Scene, node: Term | None) -> MechanismCall | None:
    """What a term releases, if it is a call of a mechanism."""
    noise = noise_of(node) if isinstance(node, Call) else None
    hidden = scene.argument(node, noise.hidden) if isinstance(node, Call) and noise is not None else None
    if not isinstance(node, Call) or noise is None or hidden is None:
        return None
    place = None if noise.declares is None else scene.argument(node, noise.declares)
    return MechanismCall(node, noise, hidden, place, scene.static(place))


def _mechanism(scene: Scene, problem: Problem) -> MechanismCall | None:
    """The mechanism that a problem of one of its arguments is about."""
    return release_of(scene, scene.given_to(problem.span))


def no_noise(scene: Scene, problem: Problem) -> Problem | None:
    """The scale of the noise is 0."""
    release = _mechanism(scene, problem)
    if release is None or release.noise.norm not in _ADDED:
        return None
    for scale in release.noise.grows:
        node = scene.argument(release.call, scale)
        value = scene.static(node)
        if node is None or value is None or value.number != 0:
            continue
        named = scale if isinstance(node, Literal) else scene.written(node)
        fixes, related = enough(scene, release.hidden, node) if node is release.place else ((), ())
        facts: dict[str, Any] = {"scale": named, "written": scene.written(release.hidden)}
        return problems.NoNoise.at(node.span, related=related, fixes=fixes, **facts)
    return None


def below_zero(scene: Scene, problem: Problem) -> Problem | None:
    """The noise is made for a sensitivity below 0."""
    release = _mechanism(scene, problem)
    number = None if release is None or release.declared is None else release.declared.number
    if release is None or release.place is None or number is None or number >= 0:
        return None
    given = scene.written(release.place)
    what = f"{given} is below 0" if given == figure(number) else f"`{given}` is {figure(number)}, below 0"
    fixes, related = enough(scene, release.hidden, release.place)
    return _wrong_end(scene, release, release.place, what)._replace(related=related, fixes=fixes)


def swapped(scene: Scene, problem: Problem) -> Problem | None:
    """What is declared of the input, and what it is to cost, would be enough in each other's place."""
    release = _mechanism(scene, problem)
    if release is None or release.declared is None or release.place is None:
        return None
    for name in release.noise.shrinks:
        node = scene.argument(release.call, name)
        epsilon, declared, far = scene.static(node), release.declared.number, furthest(scene, release.hidden)
        if node is None or epsilon is None or epsilon.number is None or declared is None or epsilon.number <= declared:
            continue
        if epsilon.number <= _MOST_USUAL or decide(far, "<=", epsilon) is not True:
            continue
        edits = ((release.place.span, _text(scene, node)), (node.span, _text(scene, release.place)))
        given = [
            release.place if each is node else node if each is release.place else each for each in release.call.args
        ]
        call = scene.inference.code.call(release.call.builtin, *(_text(scene, each) for each in given))
        fixes = scene.inference.fixes(Write(f"swap the sensitivity and ε: `{call}`", edits, sure=True))
        return problems.SwappedArguments.at(
            problem.span,
            declared=figure(declared),
            epsilon=figure(epsilon.number),
            written=scene.written(release.hidden),
            inferred=shown(far),
            call=call,
            fixes=fixes,
        )
    return None


def _text(scene: Scene, node: Term) -> str:
    return scene.inference.context.text[slice(*node.span)]


def other_relation(scene: Scene, problem: Problem) -> Problem | None:
    """What is declared is enough under the other relation."""
    release = _mechanism(scene, problem)
    if release is None or release.declared is None:
        return None
    there = _otherwise(scene, release.hidden)
    if there is None or decide(there.furthest, "<=", release.declared) is not True:
        return None
    far, step = shown(furthest(scene, release.hidden)), _STEPS
    what = f"`{scene.written(release.hidden)}` can change by {far} {step[there.declared]} ({there.declared.value})"
    but = f"{shown(release.declared)} is enough only {step[there.other]} ({there.other.value})"
    return problems.OtherRelation.at(problem.span, what=what, but=but, related=problem.related, fixes=problem.fixes)


def one_end(scene: Scene, problem: Problem) -> Problem | None:
    """What is declared is one end of where numbers lie, and the other one counts."""
    release = _mechanism(scene, problem)
    if release is None or release.declared is None or release.place is None:
        return None
    far = furthest(scene, release.hidden)
    for bounds in _bounds(scene, release.hidden):
        if far not in (intervals.most(bounds), magnitude(bounds.high - bounds.low)):
            continue  # it is no sum of such numbers
        for end, word in ((bounds.high, "upper"), (bounds.low, "lower")):
            if release.declared in (end, -end) and bounds.low != -bounds.high:
                between = f"[{shown(bounds.low)}, {shown(bounds.high)}]"
                what = f"{shown(release.declared)} is the {word} end of {between}"
                mistake = _wrong_end(scene, release, release.place, what)
                return mistake._replace(related=problem.related, fixes=problem.fixes)
    return None


def dropped(scene: Scene, call: Call, argument: str, quotient: Apply) -> Problem | None:
    """The noise is made for a quotient of which something is left out."""
    release, function = release_of(scene, call), quotient.function
    does = scene.inference.context.language.vocabulary.does
    divides = isinstance(function, Global) and does(function.name, Familiar.WHOLE_QUOTIENT)
    if release is None or release.noise.declares != argument or not divides or len(quotient.args) != 2:
        return None
    what = f"`{scene.written(quotient)}` drops the remainder"
    return _wrong_end(scene, release, quotient, what)._replace(fixes=(divided(scene, quotient),))


def divided(scene: Scene, quotient: Apply) -> Fix:
    """A quotient that drops nothing, instead of one that does."""
    top, bottom = (scene.written(node) for node in quotient.args)
    code, sign = scene.inference.code, quotient.function.span
    infix = quotient.args[0].span.end <= sign.start
    whole = Edit(quotient.span, code.call("/", f"({top})", f"({bottom})"))
    return Fix(f"divide by `{code['/']}`", (Edit(sign, code["/"]) if infix else whole,))


def _bounds(scene: Scene, node: Term) -> Iterator[Bounds]:
    """Where the private numbers lie that a value is made of."""
    inference = scene.inference
    params = (inference.context.environment.get(param.local) for param in scene.method.params)
    private = {var for known in params if known is not None for var in known.moves if not var.public}
    for part in scene.flow(node):
        known = inference.recorder.judgements.get(part)
        if known is not None and private.isdisjoint(known.moves):
            continue
        type_ = scene.type(part)
        element = type_.records.element if isinstance(type_, Dataset) else type_
        if isinstance(element, NumberType) and element.bounds is not None:
            yield element.bounds


def _wrong_end(scene: Scene, release: MechanismCall, place: Term, what: str) -> Problem:
    far = shown(furthest(scene, release.hidden))
    return problems.WrongEnd.at(place.span, what=what, written=scene.written(release.hidden), inferred=far)


def furthest(scene: Scene, node: Term) -> Sens:
    """How far a value moves with the variable that moves it most."""
    values = scene.inference.solver.substitution()
    return maximum(values.sens(move.sens) for move in scene.moves(node).values())


def enough(scene: Scene, hidden: Term, place: Term) -> tuple[tuple[Fix, ...], tuple[Related, ...]]:
    """What would be enough for the noise, as a repair of a place and a pointer to it."""
    least = furthest(scene, hidden)
    if least.zero or least.infinite:
        return (), ()
    fixes = scene.inference.replaced(place.span, least)
    return fixes, (Related(f"{shown(least)} is the smallest value that is enough", place.span),)


OTHER = {
    DatasetMetric.SYMMETRIC: DatasetMetric.CHANGE_ONE,
    DatasetMetric.CHANGE_ONE: DatasetMetric.SYMMETRIC,
    DatasetMetric.INSERT_DELETE: DatasetMetric.HAMMING,
    DatasetMetric.HAMMING: DatasetMetric.INSERT_DELETE,
}
"""The relation that one is taken for."""

CHANGED = {metric: "replaced" if metric.sized else "added or removed" for metric in DatasetMetric}
"""What may be done to a record under a relation."""

_STEPS = {metric: f"when a record is {changed}" for metric, changed in CHANGED.items()}
"""What a step is under a relation."""


class _Otherwise(NamedTuple):
    """How far a value would move if the datasets it is made of were compared by ``other``, and not as ``declared``."""

    declared: DatasetMetric
    other: DatasetMetric
    furthest: Sens


def _otherwise(scene: Scene, node: Term) -> _Otherwise | None:
    """How far a value would move under the other relation; None if it is made of no datasets, or of several kinds.
    The function is inferred once more for it, which happens only where something is wrong."""
    moved = {var.name for var in scene.moves(node)}
    annotations = {param.type for param in scene.method.params if param.local.name in moved}
    declared = {type_.metric for type_ in annotations if isinstance(type_, DatasetOf) and type_.metric is not None}
    if len(declared) != 1 or scene.method.body is None:
        return None
    metric = declared.pop()
    there = scene.otherwise.get(metric) or _under(scene, OTHER[metric])
    scene.otherwise[metric] = there
    found, values = there.moves(node), there.inference.solver.substitution()
    if not found:
        return None
    return _Otherwise(metric, OTHER[metric], maximum(values.sens(move.sens) for move in found.values()))


def _under(scene: Scene, metric: DatasetMetric) -> Scene:
    """The method with its datasets compared by another relation."""
    return _with(scene, lambda type_: replace(type_, metric=metric))


def of_at_least(scene: Scene, least: int) -> Scene:
    """The method with its datasets having so many records at least, where nothing is said of it."""
    return _with(scene, lambda type_: type_ if type_.least is not None else replace(type_, least=Fraction(least)))


def _with(scene: Scene, change: Callable[[DatasetOf], DatasetOf]) -> Scene:
    """The method with other datasets. It is inferred once more for it."""
    params = tuple(
        replace(param, type=change(param.type)) if isinstance(param.type, DatasetOf) else param
        for param in scene.method.params
    )
    known = scene.inference.context
    context = TypingContext(known.text, known.language, known.rules, known.resolve, known.look, Effort(known.look))
    again = Inference(context, terms.rule)
    functions.body(again, replace(scene.method, params=params), again.solver.mark(), scene.usual)
    return Scene(again, scene.method, scene.usual)
