"""What noise is added to, where it is records; and what is private and is shown."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins import remedies
from dp_lsp.builtins.traits import RecordCount
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Anything
from dp_lsp.core.sens import Sens, magnitude
from dp_lsp.core.term import Apply, Branch, Call, Closure, Comprehension, Loop, MakeTuple, Term, Use
from dp_lsp.core.types import BoolType, Container, Dataset, NumberType
from dp_lsp.infer.checks import result_term
from dp_lsp.infer.mistakes.mending.declaring import may_be_records
from dp_lsp.infer.mistakes.mending.early import is_statistic
from dp_lsp.infer.mistakes.mending.parts import (
    again,
    is_dataset,
    is_within,
    releases_in,
    replaced,
    source_of,
    statistics,
    through_names,
    users_of,
    with_noise,
)
from dp_lsp.infer.mistakes.noise import MechanismCall, release_of
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import DISTANCE, Expression, LeaveOut, Made, Write
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span

# What noise is added to


def on_a_statistic(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Noise is added to a statistic, and not to records."""
    for release in releases_in(scene):
        if release.hidden.span == problem.span and isinstance(scene.type(release.hidden), Dataset):
            yield from _before_it(scene, release)
            for statistic in statistics(scene, release.hidden):
                far = release.place is not None and isinstance(scene.static(release.place), Poly)
                edits: list[tuple[Span, Expression]] = [(release.hidden.span, statistic.made)]
                if release.place is not None and far and not _is_enough(release, statistic.far):
                    edits.append((release.place.span, statistic.far))
                yield from scene.inference.fixes(Write("add the noise to a statistic: `{code}`", tuple(edits)))


def _before_it(scene: Scene, release: MechanismCall) -> Iterator[Fix]:
    """Of the records with noise a statistic is made: the noise is added to that statistic of the records."""
    for user in users_of(scene, release.call):
        if not isinstance(user, Call) or len(user.args) != 1 or row(user).has(RecordCount):
            continue
        made = Made(user.builtin, (source_of(scene, release.hidden),))
        title = "add the noise to a statistic: `{code}`"
        if user.args[0] is release.call:
            far: Expression = DISTANCE if release.place is None else source_of(scene, release.place)
            yield from replaced(scene, title, user.span, again(scene, release, far, made, share=False))
        else:
            edits = ((release.hidden.span, made), (user.span, source_of(scene, user.args[0])))
            yield from scene.inference.fixes(Write(title, edits))


def _is_enough(release: MechanismCall, far: Expression) -> bool:
    """Whether the noise is made for as much."""
    return release.declared is not None and isinstance(far, Sens) and magnitude(release.declared) == far


def noise_by_record(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Noise for each record, where noise on one statistic was meant."""
    records = next((each for each in scene.terms if each.span == problem.span and is_dataset(scene, each)), None)
    loop = next(
        (each for each in scene.terms if isinstance(each, Loop | Comprehension) and _is_in(problem, each)), None
    )
    if (
        records is None
        or loop is None
        or any(is_within(each, loop.span) for each in scene.terms if isinstance(each, Branch))
    ):
        return
    for release in releases_in(scene):
        others = [each for each in scene.flow(release.hidden) if _is_another(scene, each, records)]
        if loop.span.start <= release.call.span.start and release.call.span.end <= loop.span.end and not others:
            yield from _of_all_before(scene, release, loop, records)
            carried = [each[0].name for each in loop.carried] if isinstance(loop, Loop) else []
            if isinstance(loop, Loop) and len(carried) != 1:
                continue  # a statistic that has no name would be dropped
            for statistic in statistics(scene, records):
                made = again(scene, release, statistic.far, statistic.made, share=False)
                made = Made("=", (carried[0], made)) if carried else made
                yield from replaced(scene, "add the noise to a statistic: `{code}`", loop.span, made)


def _is_another(scene: Scene, node: Term, records: Term) -> bool:
    """Whether something is a parameter that may hold records, but not these."""
    several = isinstance(scene.type(node), Dataset) or may_be_records(scene, node)
    return (
        several and isinstance(node, Use) and source_of(scene, node) != source_of(scene, through_names(scene, records))
    )


def _of_all_before(scene: Scene, release: MechanismCall, loop: Term, records: Term) -> Iterator[Fix]:
    """Of the noisy records one statistic is made, and perhaps they are counted: the noise is added to the statistic,
    and the records are counted."""
    users = [each for each in users_of(scene, loop) if isinstance(each, Call) and len(each.args) == 1]
    statistics_ = [each for each in users if not row(each).has(RecordCount)]
    if len(statistics_) != 1 or any(each.args[0] is loop for each in users):
        return
    far: Expression = DISTANCE if release.place is None else source_of(scene, release.place)
    made = Made(statistics_[0].builtin, (source_of(scene, records),))
    counted = remedies.number_of(source_of(scene, records))
    edits: list[tuple[Span, Expression]] = [(loop.span, again(scene, release, far, made, share=False))]
    edits += [(each.span, counted if row(each).has(RecordCount) else source_of(scene, each.args[0])) for each in users]
    yield from scene.inference.fixes(Write("add the noise to a statistic: `{code}`", tuple(edits)))


def _is_in(problem: Problem, node: Term) -> bool:
    """Whether a problem is about a part of a term."""
    return node.span.start <= problem.span.start and problem.span.end <= node.span.end


# What is private, and is shown


def _raw(scene: Scene, node: Term) -> Iterator[Term]:
    """The values that something is made of and that are not released, as large as they can be."""
    if release_of(scene, node) is not None or not scene.private(node):
        return
    made = scene.made.get(node.local) if isinstance(node, Use) else None
    if made is not None and any(release_of(scene, each) for each in scene.flow(made)):
        yield from _raw(scene, made)
        return
    type_ = scene.type(node)
    if made is not None and isinstance(type_, BoolType):
        yield from _raw(scene, made)  # noise is added to what is compared
        return
    operands = [part for part in _parts(node) if scene.private(part)]
    of_records = any(isinstance(scene.type(part), Dataset) or may_be_records(scene, part) for part in operands)
    shown = isinstance(type_, NumberType | BoolType | Container | Dataset)
    if isinstance(node, Branch) and isinstance(type_, BoolType) and not operands:
        yield from _raw(scene, node.condition)  # noise is added to what decides
        return
    if shown and (isinstance(node, Use) or of_records or not operands):
        yield node
        return
    for part in operands:
        yield from _raw(scene, part)


def _parts(node: Term) -> tuple[Term, ...]:
    """The terms whose values a term's value is computed of, or is one of."""
    match node:
        case Call(args=args) | Apply(args=args):
            return args
        case MakeTuple():
            return node.items
        case Branch(then=then, otherwise=otherwise):
            return then.result, otherwise.result
    return ()


def released(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What is returned, or decided by, as it is, is what was released of it, or gets noise of its own."""
    node = scene.at(problem.span)
    whole = result_term(scene.method)
    for start in (node, whole if problem.span == scene.method.name_span else None):
        raw = [*_raw(scene, start)] if start is not None else []
        if start is whole and whole is not None:
            raw += [
                each for part in scene.flow(whole) if isinstance(part, Branch) for each in _raw(scene, part.condition)
            ]
        for each in dict.fromkeys(raw):
            if _is_one_of_many(scene, each):
                continue
            beside = [*_beside_records(scene, each)]
            yield from beside
            yield from _by_its_release(scene, start, each)
            for hidden in () if beside else with_noise(scene, each):
                yield from replaced(scene, "release it by a mechanism: `{code}`", each.span, hidden)


def _beside_records(scene: Scene, node: Term) -> Iterator[Fix]:
    """A number without a type that statistics of records are compared with, such as a limit, is public."""
    untyped = [each.local for each in scene.method.params if isinstance(each.type, Anything) and not each.static]
    beside = any(isinstance(scene.type_of(each.local), Dataset) for each in scene.method.params)
    if isinstance(node, Use) and node.local in untyped and beside and isinstance(scene.type(node), NumberType):
        yield from (fix._replace(declares=True) for fix in scene.inference.publish({node.local.name}))


def _is_one_of_many(scene: Scene, node: Term) -> bool:
    """Whether something is made again and again, of one record at a time: to release that is seldom meant."""
    if is_statistic(scene, node):
        return False
    again = (each for each in scene.terms if isinstance(each, Loop | Comprehension | Closure))
    return any(
        each.span != node.span and each.span.start <= node.span.start <= node.span.end <= each.span.end
        for each in again
    )


def _by_its_release(scene: Scene, whole: Term | None, node: Term) -> Iterator[Fix]:
    """A name of what was released of a value, where the two are not compared with each other."""
    compared = set() if whole is None or isinstance(whole, MakeTuple) else {*scene.flow(whole)}
    for bind in scene.binds:
        release = release_of(scene, bind.term)
        if release is None or len(bind.targets) != 1 or bind.span.end > node.span.start:
            continue
        if source_of(scene, through_names(scene, release.hidden)) == source_of(scene, through_names(scene, node)):
            name = bind.targets[0].name
            if any(isinstance(each, Use) and each.local is bind.targets[0] for each in compared):
                continue
            yield from replaced(scene, "use what was released of it: `{code}`", node.span, name)


def unprinted(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Leave out what prints something private."""
    yield from scene.inference.fixes(LeaveOut("do not print what is private", problem.span))
