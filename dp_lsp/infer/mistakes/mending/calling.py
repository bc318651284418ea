"""Calls of mechanisms that are written wrongly: arguments that are missing, in another order, or of another kind.

Noise that is drawn, or that stands beside what it should be added to, is that of a mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins import remedies
from dp_lsp.builtins.arithmetic import TIMES
from dp_lsp.builtins.higher import ENTRIES
from dp_lsp.builtins.traits import Additive, Clips, DividesByLast
from dp_lsp.core.term import Apply, Branch, Call, Literal, Local, Term, Use
from dp_lsp.core.types import BoolType, Clip, Container, Norm, NumberType
from dp_lsp.infer.checks import result_term
from dp_lsp.infer.mistakes.mending.parts import (
    delta_for,
    epsilon_for,
    is_call_of,
    is_dataset,
    is_epsilon,
    is_private,
    releases_in,
    replaced,
    source_of,
    through_names,
    unused_lines,
    with_noise,
)
from dp_lsp.infer.mistakes.noise import MechanismCall, release_of
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import DELTA, DISTANCE, EPSILON, Expression, Write
from dp_lsp.language import Familiar
from dp_lsp.problem import Fix, Problem


def by_mechanism(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Noise that is drawn and added, or drawn around a statistic, is that of a mechanism."""
    if not scene.has_noise:
        return
    for node in scene.terms:
        around = _drawn_around(scene, node)
        if isinstance(node, Apply) and around is not None and problem.span in (node.span, node.function.span):
            for hidden in with_noise(scene, around):
                yield from replaced(scene, "let a mechanism add the noise: `{code}`", node.span, hidden)
    together = list[Fix]()
    for call, noise, other in drawn_sums(scene):
        found = list[Fix]()
        for hidden, kept in (
            *_as_written(scene, noise, other),
            *((each, ()) for each in with_noise(scene, other)),
        ):
            unused = unused_lines(scene, noise, kept)
            what = "add the noise to a statistic" if is_dataset(scene, other) else "let a mechanism add the noise"
            for fix in replaced(scene, f"{what}: `{{code}}`", call.span, hidden):
                found.append(fix._replace(edits=(*unused, *fix.edits)))
        yield from found
        together += found[:1]
    if len(together) > 1:
        edits = dict.fromkeys(edit for fix in together for edit in fix.edits)
        yield together[0]._replace(title=" and ".join(fix.title for fix in together), edits=tuple(edits))


def drawn_sums(scene: Scene) -> Iterator[tuple[Call, Term, Term]]:
    """The sums of noise that is drawn and of something else, with both."""
    for call, operands in _sums(scene):
        noise = [each for each in operands if _draws(scene, each)]
        others = [each for each in operands if each not in noise]
        if len(noise) == 1 and len(others) == 1:
            yield call, noise[0], others[0]


def _sums(scene: Scene) -> Iterator[tuple[Call, tuple[Term, ...]]]:
    """The sums of two, also of each entry of one and the entry of the other one, with what they are sums of."""
    additive = [call for call in scene.calls if row(call).has(Additive) and len(call.args) == 2]
    of_entries = {call.span: call.args for call in additive if isinstance(call.args[0], Use)}
    for call in scene.calls:
        if call in additive:
            yield call, call.args
        elif call.builtin == ENTRIES and len(call.args) >= 3 and call.span in of_entries:
            hidden, *others = call.args[1:]
            added = of_entries[call.span][1]
            noise = [each for each in others if _draws(scene, each)]
            if isinstance(added, Use) and len(others) == 1:
                yield call, (hidden, others[0])
            elif _is_multiple(added) and len(noise) == 1 and noise[0] is others[-1]:
                yield call, (hidden, noise[0])


def _is_multiple(node: Term) -> bool:
    """Whether an entry of noise, which stands last, is multiplied by something."""
    return isinstance(node, Call) and node.builtin == TIMES and isinstance(node.args[-1], Use)


def _as_written(scene: Scene, noise: Term, hidden: Term) -> Iterator[tuple[Expression, tuple[Term, ...]]]:
    """A mechanism with the distance and the ε of which the scale of the noise is made, distance / ε; with these two."""
    drawn = next((each for each in scene.flow(noise) if is_call_of(scene, each, Familiar.NOISE)), None)
    scale = through_names(scene, drawn.args[-1]) if isinstance(drawn, Apply) and drawn.args else None
    if (
        isinstance(scale, Call)
        and row(scale).has(DividesByLast)
        and len(scale.args) == 2
        and not is_dataset(scene, hidden)
    ):
        distance, epsilon = scale.args
        if not any(_is_statistic(scene, part) for part in scene.flow(distance)):
            made = remedies.laplace(source_of(scene, distance), source_of(scene, epsilon), source_of(scene, hidden))
            yield made, (distance, epsilon)


def _distribution(scene: Scene, node: Term) -> Term:
    """What something is drawn from, where it is drawn by a call of its own."""
    if isinstance(node, Apply) and is_call_of(scene, node, Familiar.DRAWS) and node.args:
        return through_names(scene, node.args[0])
    return node


def _statistics_given(scene: Scene, noise: Term) -> list[Term]:
    """The statistics that noise is drawn around, or may be: none where it is drawn around a number that is written."""
    if not isinstance(noise, Apply) or not noise.args or (len(noise.args) > 1 and isinstance(noise.args[0], Literal)):
        return []
    return [each for each in noise.args if any(_is_statistic(scene, part) for part in scene.flow(each))]


def _is_statistic(scene: Scene, node: Term) -> bool:
    """Whether something is what a function with a name makes of a parameter."""
    params = {param.local for param in scene.method.params}
    named = isinstance(node, Apply) or (isinstance(node, Call) and node.builtin.isidentifier())
    given = node.args if isinstance(node, Apply | Call) else ()
    return named and any(isinstance(each, Use) and each.local in params for each in given)


def _drawn_around(scene: Scene, node: Term) -> Term | None:
    """The one statistic that noise is drawn around."""
    noise = _distribution(scene, node)
    found = _statistics_given(scene, noise) if is_call_of(scene, noise, Familiar.NOISE) else []
    return found[0] if len(found) == 1 else None


def _draws(scene: Scene, node: Term) -> bool:
    """Whether something is noise, and nothing private beside it: it is drawn, or called so, or a mechanism was given
    something public."""
    top = through_names(scene, node)
    if isinstance(top, Call) and row(top).has(Additive):
        noise = [each for each in top.args if _draws(scene, each)]
        return bool(noise) and not any(scene.private(each) for each in top.args if each not in noise)
    for each in scene.flow(node):
        if is_call_of(scene, each, Familiar.DRAWS, Familiar.NOISE):
            return not _statistics_given(scene, _distribution(scene, each))
        release = release_of(scene, each)
        if release is not None and not scene.private(release.hidden):
            return True
    return False


def random_answer(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Who is asked one question, and answers by chance or as it is, answers at random by a mechanism."""
    asked = [each.local for each in scene.method.params if not each.static]
    asked = [local for local in asked if isinstance(scene.type_of(local), BoolType)]
    whole = result_term(scene.method)
    if len(asked) != 1 or not isinstance(whole, Branch):
        return
    given = [*_answers(whole)]
    shown = [each for each in given if _is_or_denies(each, asked[0])]
    by_chance = any(is_call_of(scene, each, Familiar.DRAWS) for each in scene.flow(whole.condition))
    if by_chance and shown and not any(scene.private(each) for each in given if each not in shown):
        made = remedies.answer_about(epsilon_for(scene), asked[0].name)
        yield from replaced(scene, "let a mechanism answer at random: `{code}`", whole.span, made)


def _is_or_denies(node: Term, answer: Local) -> bool:
    """Whether something is an answer, or that it does not hold."""
    said = node.args[0] if isinstance(node, Call) and node.builtin == remedies.NOT else node
    return isinstance(said, Use) and said.local is answer


def _answers(node: Term) -> Iterator[Term]:
    """The values that branches may give."""
    if isinstance(node, Branch):
        yield from _answers(node.then.result)
        yield from _answers(node.otherwise.result)
    else:
        yield node


def completed(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A mechanism with one argument too many, or too few. Among too few the one that is private is what is hidden, and
    one that is called ε costs that."""
    for call in scene.calls:
        if call.span == problem.span:
            written = tuple(source_of(scene, each) for each in call.args)
            hidden = [index for index, each in enumerate(call.args) if is_private(scene, each)]
            epsilon: Expression = epsilon_for(scene)
            distance: Expression = DISTANCE
            given: tuple[Expression, ...] = written
            if len(written) == 2 and len(hidden) == 1:
                other = written[1 - hidden[0]]
                if is_epsilon(other):
                    epsilon = other
                else:
                    distance = other
                given = (distance, written[hidden[0]])
            made = remedies.completed(call.builtin, given, epsilon, delta_for(scene))
            if made is not None:
                yield from replaced(scene, "write `{code}`", call.span, made)


def in_their_order(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A mechanism whose arguments were given in another order."""
    for call in scene.calls:
        release = release_of(scene, call)
        if release is None or release.place is None or not call.span.covers(problem.span.start):
            continue
        if problem.span not in (call.span, *(each.span for each in call.args)):
            continue
        for order in sorted(_orders(scene, release), key=lambda order: not _costs_epsilon(scene, release, order)):
            edits = tuple(
                (place.span, source_of(scene, node))
                for place, node in zip(call.args, order, strict=True)
                if place != node
            )
            if edits:
                called = scene.inference.code.call(call.builtin, *(source_of(scene, node) for node in order))
                yield from scene.inference.fixes(Write(f"put its arguments in order: `{called}`", edits))


def _orders(scene: Scene, release: MechanismCall) -> Iterator[list[Term]]:
    """Likely orders of the arguments: what is private is what is hidden, and ε and the distance may be exchanged."""
    arguments = list(release.call.args)
    at, place = arguments.index(release.hidden), arguments.index(release.place) if release.place else 0
    private = [index for index, node in enumerate(arguments) if is_private(scene, node)]
    if len(private) == 1 and private[0] != at:
        rest = [node for index, node in enumerate(arguments) if index not in private]
        yield _exchanged(arguments, private[0], at)
        yield [*rest[:at], arguments[private[0]], *rest[at:]]
    elif private == [at]:
        for index, node in enumerate(arguments):
            if scene.arguments[node][1] in release.noise.shrinks:
                yield _exchanged(arguments, index, place)


def _costs_epsilon(scene: Scene, release: MechanismCall, order: list[Term]) -> bool:
    """Whether what is called ε stands, in an order, where what it costs is given."""
    places = [
        index for index, node in enumerate(release.call.args) if scene.arguments[node][1] in release.noise.shrinks
    ]
    return any(is_epsilon(source_of(scene, order[index])) for index in places)


def _exchanged(arguments: list[Term], one: int, other: int) -> list[Term]:
    """Arguments with two of them in each other's place."""
    found = [*arguments]
    found[one], found[other] = found[other], found[one]
    return found


def public_epsilon(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """An ε that is not public is one that the author chooses."""
    found = scene.argument_at(problem.span)
    release = None if found is None else release_of(scene, found[1])
    if not problem.fixes and found is not None and release is not None and found[2] in release.noise.shrinks:
        yield from replaced(scene, "choose ε without looking at the data: `{code}`", problem.span, EPSILON)


def chosen_distance(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A sensitivity that is computed of the data is one that the author chooses."""
    for release in releases_in(scene):
        if release.place is not None and release.place.span == problem.span and is_private(scene, release.place):
            unused = unused_lines(scene, release.place, (release.hidden,))
            title = "choose the sensitivity without looking at the data: `{code}`"
            for fix in replaced(scene, title, problem.span, DISTANCE):
                yield fix._replace(edits=(*unused, *fix.edits))


def chosen_bounds(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Bounds that are read off the data are some that the author chooses, wherever else they are used."""
    found = scene.argument_at(problem.span)
    if found is None or found[1].builtin != remedies.bounded().builtin:
        return
    bounds = zip(found[1].args[1:], remedies.bounded().after, strict=True)
    edits = dict((through_names(scene, each).span, made) for each, made in bounds if is_private(scene, each))
    title = "choose the bounds without looking at the data"
    yield from scene.inference.fixes(Write(title, tuple(edits.items())))


def chosen_scale(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A scale of noise that is computed of the data is a sensitivity by an ε, of which the author chooses the first."""
    found = scene.argument_at(problem.span)
    scale = None if found is None else through_names(scene, found[0])
    if not isinstance(scale, Call) or not row(scale).has(DividesByLast) or len(scale.args) != 2:
        return
    top, bottom = scale.args
    if is_private(scene, top) and not is_private(scene, bottom):
        title = "choose the sensitivity without looking at the data: `{code}`"
        yield from replaced(scene, title, through_names(scene, top).span, DISTANCE)


def above_zero(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """An ε or a δ that is 0 or less is one that the author chooses."""
    found = scene.argument_at(problem.span)
    release = None if found is None else release_of(scene, found[1])
    value = None if found is None else scene.static(found[0])
    if found is None or release is None or value is None or value.number is None or value.number > 0:
        return
    noise = release.noise
    if found[2] in noise.shrinks:
        yield from replaced(scene, "choose an ε: `{code}`", problem.span, EPSILON)
    elif found[2] not in (*noise.grows, noise.hidden, noise.declares):
        yield from replaced(scene, "choose a δ: `{code}`", problem.span, DELTA)


def without_delta(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Noise for any ε, where what is hidden is one number."""
    found = scene.argument_at(problem.span)
    release = None if found is None else release_of(scene, found[1])
    if release is None or release.place is None or found is None or found[2] not in release.noise.shrinks:
        return
    if isinstance(scene.type(release.hidden), NumberType) and release.noise.norm is Norm.L2:
        far, hidden = (source_of(scene, each) for each in (release.place, release.hidden))
        made = remedies.laplace(far, source_of(scene, found[0]), hidden)
        yield from replaced(scene, "use Laplace noise, which any ε is possible for: `{code}`", release.call.span, made)


def for_its_norm(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Gaussian noise, which is made for the norm that something is measured in."""
    for release in releases_in(scene):
        if release.hidden.span == problem.span and release.place is not None and release.noise.norm is Norm.L1:
            far, hidden = (source_of(scene, each) for each in (release.place, release.hidden))
            epsilon = next(
                (each for each in release.call.args if scene.arguments[each][1] in release.noise.shrinks), None
            )
            if epsilon is not None:
                made = remedies.gaussian(far, source_of(scene, epsilon), delta_for(scene), hidden)
                yield from replaced(
                    scene, "use Gaussian noise, which is made for L2: `{code}`", release.call.span, made
                )


def random_answers(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A category is answered at random, with some categories that the author names."""
    for release in releases_in(scene):
        if release.hidden.span == problem.span and isinstance(scene.type(release.hidden), NumberType):
            made = remedies.answer(epsilon_for(scene), source_of(scene, release.hidden))
            yield from replaced(scene, "answer at random among the categories: `{code}`", release.call.span, made)


def not_clipped(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What is bounded already need not be clipped."""
    for call in scene.calls:
        if call.span.covers(problem.span.start) and call.args and row(call).has(Clips):
            last = call.args[-1]
            type_ = scene.type(last)
            if isinstance(type_, Container) and type_.clip is Clip.U and scene.private(last):
                yield from replaced(scene, "leave out the clipping: `{code}`", call.span, source_of(scene, last))
