"""Where what a problem misses was last known, and by which operation it was lost."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.core import descriptors, term
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.term import Term, Use
from dp_lsp.infer import losses, problems
from dp_lsp.infer.losses import KnownTerms, Loss
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.infer.mistakes.uses import wanted_type
from dp_lsp.problem import Problem, Related


def explained(scene: Scene, problem: Problem, shown: Problem) -> Problem:
    """What is shown for a problem, with the place where what it misses was lost."""
    for node, descriptor in _missed(scene, problem, shown):
        loss = _before(scene, node, descriptor)
        if loss is not None:
            return shown._replace(related=(*shown.related, Related(loss.words, loss.span)))
    return shown


def _missed(scene: Scene, problem: Problem, shown: Problem) -> Iterator[tuple[Term, Descriptor]]:
    """The values of which something should be known, and what."""
    if problem.span in scene.inference.recorder.lacking:
        yield scene.inference.recorder.lacking[problem.span]
    elif shown.code in (problems.PlaceOfRecord.code, problems.PrivateCount.code):
        places = {problem.span, *(each.span for each in shown.related)}
        yield from ((node.args[0], Descriptor.COUNT) for node in scene.calls if node.span in places and node.args)
        whole = scene.at(problem.span)
        if whole is not None:
            yield whole, Descriptor.COUNT
    elif problem.code == problems.WrongArgument.code:
        yield from _asked(scene, problem)
    elif problem.code in (problems.Unbounded.code, problems.UnboundedInput.code):
        steps = scene.infinite(problem.span)
        call = scene.call_at(steps[-1].span, steps[-1].rule) if steps else None
        if call is not None and row(call).wants_bounds:
            yield from ((node, Descriptor.BOUNDS) for node in losses.operands(call))


def _asked(scene: Scene, problem: Problem) -> Iterator[tuple[Term, Descriptor]]:
    """What a function of the program asks of an argument."""
    for call in (node for node in scene.terms if isinstance(node, term.Apply)):
        for index, node in enumerate(call.args):
            if node.span == problem.span:
                wanted = wanted_type(scene, call, index)
                yield from ((node, each) for each in Descriptor if descriptors.words(each, wanted, ""))


def _before(scene: Scene, node: Term, descriptor: Descriptor) -> Loss | None:
    """The nearest loss on the way to a value. What a function makes of records is looked at before the call of the row
    that applies it."""
    seen = KnownTerms(scene.type, scene.written)
    pending, met = [(node, False)], set[Term]()
    while pending:
        found, opened = pending.pop()
        inner = [] if opened else [*_applied(scene, found)]
        if (found in met and not opened) or not descriptors.lacks(descriptor, scene.type(found)):
            continue
        met.add(found)
        if inner:
            pending += [(found, True), *((result, False) for result in inner)]
            continue
        loss = losses.at(found, descriptor, seen) or _carried(scene, found, descriptor, seen)
        if loss is not None:
            return loss
        pending += [(part, False) for part in [*_sources(scene, found)][::-1]]
    return None


def _sources(scene: Scene, node: Term) -> Iterator[Term]:
    """What a value is made of, or what its name stands for."""
    if isinstance(node, Use) and node.local in scene.made:
        yield scene.made[node.local]
    yield from losses.operands(node)


def _applied(scene: Scene, node: Term) -> Iterator[Term]:
    """The results of functions of this method that a builtin calls."""
    for arg in node.args if isinstance(node, term.Call) else ():
        made = scene.made.get(arg.local) if isinstance(arg, Use) else arg
        if isinstance(made, term.Closure):
            yield from (body.result for body in term.bodies(made))


def _carried(scene: Scene, node: Term, descriptor: Descriptor, seen: KnownTerms) -> Loss | None:
    """What a loop carries loses what was known of it before."""
    made = scene.made.get(node.local) if isinstance(node, Use) else None
    if not isinstance(node, Use) or not isinstance(made, term.Loop):
        return None
    targets = next((bind.targets for bind in scene.binds if bind.term is made), ())
    return losses.carried(made, targets.index(node.local), descriptor, seen)
