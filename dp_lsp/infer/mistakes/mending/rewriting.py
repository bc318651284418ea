"""The same in other words: what a loop does as one call, and by what there is here what other languages and libraries
call otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins import remedies
from dp_lsp.builtins.higher import ONE_BY_ONE
from dp_lsp.builtins.places import INDEX
from dp_lsp.builtins.traits import Average, RecordCount
from dp_lsp.core.term import Apply, Call, Closure, Global, Literal, Loop, Use
from dp_lsp.core.types import Container, Dataset, FunctionType
from dp_lsp.infer.mistakes.mending.calling import drawn_sums
from dp_lsp.infer.mistakes.mending.declaring import may_be_records
from dp_lsp.infer.mistakes.mending.parts import (
    epsilon_for,
    is_call_of,
    releases_in,
    replaced,
    source_of,
    text_at,
    through_names,
    unused_lines,
    users_of,
)
from dp_lsp.infer.mistakes.noise import divided
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import DISTANCE, AddUp, ForEach, InBrackets, Made, TakeLargest, Write
from dp_lsp.language import Familiar
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span


def added_up(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A loop over records that adds up is a sum."""
    for loop in scene.terms:
        if isinstance(loop, Loop) and loop.span.covers(problem.span.start):
            yield from scene.inference.fixes(AddUp(loop.span))


def largest(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A loop over records that keeps the largest of them, or the smallest, is that."""
    for loop in scene.terms:
        if isinstance(loop, Loop) and loop.span.covers(problem.span.start):
            yield from scene.inference.fixes(TakeLargest(loop.span))


def for_each(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A function of numbers that is given several."""
    found = scene.argument_at(problem.span)
    if found is not None and isinstance(scene.type(found[0]), Container | Dataset):
        yield from scene.inference.fixes(ForEach(found[1].callee))


def in_brackets(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """All values of a generator, of which there may be none."""
    if any(isinstance(node, Call) and node.builtin == ONE_BY_ONE and node.span == problem.span for node in scene.terms):
        yield from scene.inference.fixes(InBrackets(problem.span))


def made_whole(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What is stored as a whole number, and may be none, is made one."""
    found = scene.argument_at(problem.span)
    if found is None or found[1].builtin != remedies.WHOLE:
        return
    given, call, _ = found
    made = remedies.whole(remedies.FLOOR, source_of(scene, given))
    if isinstance(given, Call) and given.builtin in remedies.ROUNDING and len(given.args) == 1:
        made = remedies.whole(given.builtin, source_of(scene, given.args[0]))
    yield from replaced(scene, "make it a whole number: `{code}`", call.span, made)


def mapped_before(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A sum of what a function makes of records is that of all that it makes of them, of which there may be none."""
    for call in scene.calls:
        if call.span == problem.span and len(call.args) == 2 and isinstance(scene.type(call.args[0]), FunctionType):
            function, records = (source_of(scene, each) for each in call.args)
            made = Made(call.builtin, (remedies.mapped(function, records),))
            yield from replaced(scene, "write `{code}`", call.span, made)


def by_sum(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """The average of what are no records is their sum, divided by how many they are."""
    for call in scene.calls:
        if row(call).has(Average) and [each.span for each in call.args] == [problem.span]:
            written = source_of(scene, call.args[0])
            if isinstance(scene.type(call.args[0]), Container):
                made = remedies.quotient(remedies.total_of(written), remedies.number_of(written))
                yield from replaced(scene, "write `{code}`", call.span, made)


def _called_at(scene: Scene, problem: Problem, *familiar: Familiar) -> Iterator[Apply]:
    """The calls of names without a rule, of which one of these is known, that a problem is about."""
    for node in scene.terms:
        if isinstance(node, Apply) and node.function.span == problem.span and is_call_of(scene, node, *familiar):
            yield node


def by_counting(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Whether something holds of some, or of all, is how many it holds of."""
    for node in _called_at(scene, problem, Familiar.SOME, Familiar.EVERY):
        written = tuple(source_of(scene, each) for each in node.args)
        if written:
            made = (remedies.some if is_call_of(scene, node, Familiar.SOME) else remedies.every)(written)
            yield from replaced(scene, "count the records of which it holds: `{code}`", node.span, made)


def by_keeping(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """As many places are found of records of which something holds as there are such records."""
    for node in _called_at(scene, problem, Familiar.FINDS):
        users = [*users_of(scene, node)]
        names = {bind.targets[0] for bind in scene.binds if bind.term is node and len(bind.targets) == 1}
        read = [each for each in scene.terms if isinstance(each, Use) and each.local in names]
        counted = all(isinstance(each, Call) and row(each).has(RecordCount) for each in users)
        if not users or not counted or len(read) > len(users):
            continue
        written = [source_of(scene, each) for each in node.args]
        if len(node.args) == 2:
            yield from replaced(scene, "keep those records: `{code}`", node.span, remedies.kept(*written))
        for each in scene.flow(node.args[0]) if len(node.args) == 1 else ():
            if isinstance(each, Use) and (isinstance(scene.type(each), Dataset) or may_be_records(scene, each)):
                made = Made(INDEX, (source_of(scene, each), written[0]))
                yield from replaced(scene, "keep those records: `{code}`", node.span, made)


def whole_quotient(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A quotient that drops nothing; of one record, which may be compared with a whole number, a truncated one."""
    made_of_each = [each.span for each in scene.terms if isinstance(each, Closure)]
    for node in _called_at(scene, problem, Familiar.WHOLE_QUOTIENT):
        if len(node.args) != 2:
            continue
        if any(span.covers(node.span.start) for span in made_of_each):
            whole = remedies.truncated(*(source_of(scene, each) for each in node.args))
            yield from replaced(scene, "drop what is left over: `{code}`", node.span, whole)
        yield divided(scene, node)


def without_mark(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A mark of a declaration that is called like a function."""
    for node in _called_at(scene, problem, Familiar.MARK):
        if len(node.args) == 1:
            yield from replaced(
                scene, "leave out the mark, which is no function: `{code}`", node.span, source_of(scene, node.args[0])
            )


def by_place(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """The first entry, or the last one, by its place."""
    for node in _called_at(scene, problem, Familiar.FIRST, Familiar.LAST):
        if len(node.args) == 1:
            written = source_of(scene, node.args[0])
            place = "1" if is_call_of(scene, node, Familiar.FIRST) else remedies.number_of(written)
            yield from replaced(scene, "write `{code}`", node.span, Made(INDEX, (written, place)))


def root_after(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """The root of a noisy number, instead of noise on a root."""
    square = remedies.ROOTS.get(text_at(scene, problem.span))
    if square:
        yield from _root_with_drawn_noise(scene, problem, str(square))
    for release in releases_in(scene) if square else ():
        hidden = through_names(scene, release.hidden)
        if (
            square
            and isinstance(hidden, Apply)
            and hidden is not release.hidden
            and hidden.function.span == problem.span
        ):
            root = remedies.root_of(source_of(scene, release.call))
            title = "release the square, and take its root: `{code}`"
            yield from scene.inference.fixes(Write(title, ((release.call.span, root), (problem.span, square))))
        start, end = release.call.span
        hides_the_root = isinstance(release.hidden, Apply) and release.hidden.function.span == problem.span
        if hides_the_root and start <= problem.span.start and problem.span.end <= end:
            text = (
                text_at(scene, Span(start, problem.span.start))
                + str(square)
                + text_at(scene, Span(problem.span.end, end))
            )
            yield from replaced(
                scene, "release the square, and take its root: `{code}`", Span(start, end), remedies.root_of(text)
            )


def _root_with_drawn_noise(scene: Scene, problem: Problem, square: str) -> Iterator[Fix]:
    """The same where noise that is drawn is added to a root."""
    for call, noise, hidden in drawn_sums(scene):
        root = through_names(scene, hidden)
        if isinstance(root, Apply) and root.function.span == problem.span:
            text = square + text_at(scene, Span(root.function.span.end, root.span.end))
            made = remedies.root_of(remedies.laplace(DISTANCE, epsilon_for(scene), text))
            unused = (*unused_lines(scene, noise, ()), *unused_lines(scene, hidden, root.args))
            for fix in replaced(scene, "release the square, and take its root: `{code}`", call.span, made):
                yield fix._replace(edits=(*unused, *fix.edits))


def by_size(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Whether there are records is whether their number is 0."""
    spelled = scene.inference.code[remedies.EMPTY]
    for node in scene.terms:
        asks = isinstance(node, Apply) and isinstance(node.function, Global) and node.function.name == spelled
        if isinstance(node, Apply) and asks and len(node.args) == 1 and problem.span.covers(node.span.start):
            made = remedies.no_records(source_of(scene, node.args[0]))
            yield from replaced(scene, "ask for their number: `{code}`", node.span, made)


def by_length(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """How long a vector is in its one direction is how many entries it has."""
    call = scene.given_to(problem.span)
    if call is not None and call.builtin == remedies.ALONG and problem.span == call.args[0].span:
        along = call.args[1:]
        if not along or (isinstance(along[0], Literal) and along[0].value == 1):
            made = remedies.number_of(source_of(scene, call.args[0]))
            yield from replaced(scene, "write `{code}`", call.span, made)
