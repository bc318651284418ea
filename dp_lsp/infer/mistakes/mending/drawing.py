"""Noise that is drawn, or that stands beside what it should be added to, is that of a mechanism."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins import remedies
from dp_lsp.builtins.arithmetic import TIMES
from dp_lsp.builtins.higher import ENTRIES
from dp_lsp.builtins.traits import Additive, DividesByLast
from dp_lsp.core.term import Apply, Branch, Call, Literal, Local, Term, Use
from dp_lsp.core.types import BoolType
from dp_lsp.infer.checks import result_term
from dp_lsp.infer.mistakes.mending.parts import (
    epsilon_for,
    is_call_of,
    is_dataset,
    replaced,
    source_of,
    through_names,
    unused_lines,
    with_noise,
)
from dp_lsp.infer.mistakes.noise import release_of
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import Expression
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
