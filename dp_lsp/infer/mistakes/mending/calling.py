"""Calls of mechanisms that are written wrongly: arguments that are missing, in another order, or of another kind."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins import remedies
from dp_lsp.builtins.traits import Clips, DividesByLast
from dp_lsp.core.term import Call, Term
from dp_lsp.core.types import Clip, Container, Norm, NumberType
from dp_lsp.infer.mistakes.mending.parts import (
    delta_for,
    epsilon_for,
    is_epsilon,
    is_private,
    releases_in,
    replaced,
    source_of,
    through_names,
    unused_lines,
)
from dp_lsp.infer.mistakes.noise import MechanismCall, release_of
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import DELTA, DISTANCE, EPSILON, Expression, Write
from dp_lsp.problem import Fix, Problem


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
