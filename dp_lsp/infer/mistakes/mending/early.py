"""Noise on the statistics that a number is made of, instead of noise on the number: what is computed of released
numbers costs nothing more, whatever it is.

Numbers of records that are private: a noisy sum over a noisy count instead of an average, and a choice with noise
instead of a place in the order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from dp_lsp.builtins import intervals, remedies
from dp_lsp.builtins.traits import Additive, Average, DividesByLast, Indexing, Orders, Rank, RecordCount
from dp_lsp.core.algebra import Poly
from dp_lsp.core.term import Apply, Branch, Call, Global, Literal, Term
from dp_lsp.core.types import Dataset, NumberType
from dp_lsp.infer import problems
from dp_lsp.infer.mistakes.mending.calling import drawn_sums
from dp_lsp.infer.mistakes.mending.declaring import may_be_records
from dp_lsp.infer.mistakes.mending.parts import (
    ONE,
    Statistic,
    again,
    distance_of,
    epsilon_for,
    is_call_of,
    is_dataset,
    releases_around,
    releases_around_call,
    releases_in,
    replaced,
    source_of,
    text_at,
    through_names,
    unused_lines,
    users_of,
)
from dp_lsp.infer.mistakes.noise import MechanismCall
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import HIGHEST, Expression, Made, Write, grouped
from dp_lsp.language import Familiar
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span

_Place: TypeAlias = "tuple[Term, Fraction | Expression]"
"""Records, and the share of them that lies below something."""


def _is_sized(scene: Scene, node: Term) -> bool:
    """Whether something is a dataset whose number of records is public."""
    type_ = scene.type(node)
    return isinstance(type_, Dataset) and type_.metric.sized


_OVER_A_COUNT = "release a noisy sum over a noisy count: `{code}`"


def noisy_average(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Instead of an average of private records, a noisy sum over a noisy count."""
    for release in releases_around(scene, problem.span):
        average = through_names(scene, release.hidden)
        found = fraction_of(scene, average) if isinstance(average, Call) else None
        if found is None or not isinstance(average, Call):
            continue
        total, counted = found
        parts = (
            again(scene, release, total.far, total.made, share=True),
            again(scene, release, ONE, counted, share=True),
        )
        made = remedies.quotient(parts[0], remedies.at_least_one(parts[1]))
        unused = () if average is release.hidden else unused_lines(scene, release.hidden, average.args)
        for fix in replaced(scene, _OVER_A_COUNT, release.call.span, made):
            yield fix._replace(edits=(*unused, *fix.edits))
    epsilon = epsilon_for(scene)
    share = remedies.half(epsilon) if isinstance(epsilon, str) else epsilon
    for call, noise, hidden in drawn_sums(scene):
        average = through_names(scene, hidden)
        if not isinstance(average, Call) or problem.span != average.span or _is_sized(scene, average.args[0]):
            continue
        if (found := fraction_of(scene, average)) is not None:
            total, counted = found
            above, below = remedies.laplace(total.far, share, total.made), remedies.laplace(ONE, share, counted)
            made = remedies.quotient(above, remedies.at_least_one(below))
            unused = (*unused_lines(scene, noise, ()), *unused_lines(scene, hidden, average.args))
            for fix in replaced(scene, _OVER_A_COUNT, call.span, made):
                yield fix._replace(edits=(*unused, *fix.edits))


def noisy_quotient(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Instead of noise on a quotient of two private numbers, which moves without bound where the lower one is near 0,
    a noisy number over another one."""
    for release in releases_around(scene, problem.span):
        whole = through_names(scene, release.hidden)
        found = next((each for each in _shares(scene, whole) if _is_of_numbers(scene, each)), None)
        if found is None:
            continue
        parts = (
            again(scene, release, distance_of(scene, each), source_of(scene, each), share=True) for each in found.args
        )
        made = scene.inference.code.expression(remedies.quotient(*parts))
        before = text_at(scene, Span(whole.span.start, found.span.start))
        after = text_at(scene, Span(found.span.end, whole.span.end))
        unused = () if whole is release.hidden else unused_lines(scene, release.hidden, found.args)
        title = "release both numbers, and divide then: `{code}`"
        for fix in replaced(scene, title, release.call.span, before + made + after):
            yield fix._replace(edits=(*unused, *fix.edits))


def _shares(scene: Scene, node: Term) -> Iterator[Call]:
    """The quotients that a number is made of, and of nothing else that is private."""
    while isinstance(node, Call):
        if row(node).has(DividesByLast) and len(node.args) == 2:
            yield node
        private = [each for each in node.args if scene.private(each)]
        if len(private) != 1:
            return
        node = private[0]


def _is_of_numbers(scene: Scene, quotient: Call) -> bool:
    return all(scene.private(each) and not is_dataset(scene, each) for each in quotient.args)


def fraction_of(scene: Scene, average: Call) -> tuple[Statistic, Expression] | None:
    """What is divided by how many records there are, and what counts these."""
    if row(average).has(Average):
        records = source_of(scene, average.args[0])
        type_ = scene.type(average.args[0])
        element = type_.records.element if isinstance(type_, Dataset) else None
        bounds = element.bounds if isinstance(element, NumberType) else None
        if bounds is None:
            return Statistic(remedies.total_of(remedies.clamped(records)), HIGHEST), remedies.number_of(records)
        return Statistic(remedies.total_of(records), intervals.most(bounds)), remedies.number_of(records)
    if row(average).has(DividesByLast):
        top, bottom = average.args[0], through_names(scene, average.args[-1])
        if (
            isinstance(bottom, Call)
            and row(bottom).has(RecordCount)
            and isinstance(scene.type(bottom.args[0]), Dataset)
        ):
            return Statistic(source_of(scene, top), distance_of(scene, top)), source_of(scene, bottom)
    return None


def noisy_quantile(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Instead of noise on the largest number, on one in the middle or on the one at a place in their order, a noisy
    choice of one near there."""
    releases = [*releases_around(scene, problem.span), *releases_around_call(scene, problem.span)]
    for release in releases:
        yield from _quantile(scene, release.hidden, release.call.span)
    for node in scene.terms if not releases else ():
        if problem.span == (node.function.span if isinstance(node, Apply) else node.span):
            yield from _quantile(scene, node, node.span)
    for call, _, hidden in drawn_sums(scene) if not releases else ():
        yield from _quantile(scene, hidden, call.span)


def _quantile(scene: Scene, hidden: Term, span: Span) -> Iterator[Fix]:
    found = through_names(scene, hidden)
    place = ranked(scene, found)
    if place is not None:
        records, share = place
        made = chosen(scene, records, share, epsilon_for(scene))
        kept = (found.args[-1],) if not isinstance(share, Fraction) and isinstance(found, Call) else ()
        unused = unused_lines(scene, hidden, (records, *kept))
        for fix in replaced(scene, "choose one of some values, with noise: `{code}`", span, made):
            yield fix._replace(edits=(*unused, *fix.edits))


def chosen(scene: Scene, records: Term, share: Fraction | Expression, epsilon: Expression) -> Made:
    """A noisy choice of a number below which about a share of the records lies."""
    type_ = scene.type(records)
    sized = not isinstance(type_, Dataset) or type_.metric.sized
    far = Poly.of(max(share, 1 - share)) if isinstance(share, Fraction) and not sized else Poly.of(1)
    wanted: Expression = Poly.of(share) if isinstance(share, Fraction) else share
    return remedies.quantile_of(source_of(scene, records), wanted, far, epsilon)


def ranked(scene: Scene, node: Term) -> _Place | None:
    """The records that something is one of, and the share of them that lies below it."""
    if isinstance(node, Call) and (rank := row(node).trait(Rank)) is not None:
        return node.args[0], source_of(scene, node.args[1]) if rank.share is None else rank.share
    if isinstance(node, Apply) and len(node.args) == 1:
        ordered = _sorted(scene, node.args[0])
        for end, share in ((Familiar.FIRST, Fraction(0)), (Familiar.LAST, Fraction(1))):
            if ordered is not None and is_call_of(scene, node, end):
                return ordered, share
    if isinstance(node, Call) and row(node).has(Indexing) and len(node.args) == 2:
        ordered = _sorted(scene, node.args[0])
        return None if ordered is None else (ordered, _share(scene, node.args[1], ordered))
    if isinstance(node, Branch):
        return _same(ranked(scene, through_names(scene, each.result)) for each in (node.then, node.otherwise))
    return _halfway(scene, node)


def _halfway(scene: Scene, node: Term) -> _Place | None:
    """The same of half the sum of two."""
    if not isinstance(node, Call) or not row(node).has(DividesByLast) or len(node.args) != 2:
        return None
    total, two = (through_names(scene, each) for each in node.args)
    if isinstance(two, Literal) and two.value == 2 and isinstance(total, Call) and row(total).has(Additive):
        return _same(ranked(scene, through_names(scene, each)) for each in total.args)
    return None


def _same(found: Iterable[_Place | None]) -> _Place | None:
    """What several are alike: the same share of the same records lies below all of them, as far as they tell."""
    places = list(found)
    known = [each for each in places if each is not None]
    alike = all(each[0] is known[0][0] and each[1] == known[0][1] for each in known)
    return known[0] if known and len(known) == len(places) and alike else None


def _sorted(scene: Scene, node: Term) -> Term | None:
    """The records that something has in their order."""
    found = through_names(scene, node)
    return found.args[0] if isinstance(found, Call) and row(found).has(Orders) and len(found.args) == 1 else None


def _share(scene: Scene, place: Term, ordered: Term) -> Fraction | Made:
    """Which share of the records in their order lies below a place: half of them where that is made of half their
    number."""
    value = through_names(scene, place)
    if isinstance(value, Literal) and value.value == 1:
        return Fraction(0)
    if isinstance(value, Call) and row(value).has(RecordCount):
        return Fraction(1)
    parts = [*scene.flow(place)]
    if any(isinstance(each, Call) and row(each).has(RecordCount) for each in parts):
        return Fraction(1, 2)
    return remedies.quotient(source_of(scene, place), remedies.number_of(source_of(scene, ordered)))


def noisy_count(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A private number of records that something is divided by, or that is decided by, is released."""
    for span in dict.fromkeys((*(each.span for each in problem.related), problem.span)):
        node = scene.at(span)
        if isinstance(node, Call) and row(node).has(RecordCount) and not [*releases_around(scene, span)]:
            noisy = remedies.laplace(distance_of(scene, node), epsilon_for(scene), source_of(scene, node))
            divides = any(isinstance(call, Call) and row(call).has(DividesByLast) for call in users_of(scene, node))
            made = remedies.at_least_one(noisy) if divides else noisy
            yield from replaced(scene, "release the number of records: `{code}`", span, made)


_MOST = 8
"""Statistics that noise is added to. Of more nobody would know what they cost together."""


def noise_early(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Where a mechanism is given what has no bound, each of the statistics behind it is given to one."""
    releases = [*releases_in(scene)]
    if len(releases) > 1:
        releases = [*releases_around(scene, problem.span), *releases_around_call(scene, problem.span)]
    for release in releases[:1]:
        found = [each for each in statistics_in(scene) if not _is_hidden_elsewhere(scene, release, each)]
        decides = problem.code == problems.PrivateBranch.code
        alone = any(each is through_names(scene, release.hidden) for each in found)
        if 0 < len(found) <= _MOST and (decides or not alone):
            written = [(each.span, noisy(scene, release, each, len(found))) for each in found]
            hidden = _in_its_place(scene, release.hidden, written)
            outside = [each for each in written if not _within(each[0], release.call.span)]
            shares = "" if len(found) == 1 else ", each part for its share of the ε"
            title = f"release what it is made of{shares}, and compute with that: `{{code}}`"
            yield from scene.inference.fixes(Write(title, (*outside[:1], (release.call.span, hidden), *outside[1:])))


def statistics_in(scene: Scene) -> list[Term]:
    """The numbers that are made of records and are private, in the order of the text; of several in each other the
    outer one."""
    found: dict[Span, Term] = {}
    for node in scene.terms:
        if is_private_statistic(scene, node):
            found.setdefault(node.span, node)
    spans = [*found]
    return [found[each] for each in sorted(spans) if not any(_within(each, other) for other in spans if other != each)]


def is_statistic(scene: Scene, node: Term) -> bool:
    """Whether something is a number that is made of all records at once, by whatever name."""
    made = through_names(scene, node)
    return isinstance(made, Call | Apply) and _is_statistic(scene, made)


def _is_statistic(scene: Scene, node: Call | Apply) -> bool:
    made_of_records = any(
        isinstance(scene.type(each), Dataset) or may_be_records(scene, through_names(scene, each)) for each in node.args
    )
    known = isinstance(scene.type(node), NumberType) or _root(scene, node) is not None or _lacks_bounds(scene, node)
    return made_of_records and (known or _of_some(scene, node) is not None)


def is_private_statistic(scene: Scene, node: Term) -> bool:
    """Whether something stands for a number that is made of private records."""
    private = bool(scene.private(node)) or _lacks_bounds(scene, node)
    return private and is_statistic(scene, node) and isinstance(node, Call | Apply)


def _lacks_bounds(scene: Scene, node: Term) -> bool:
    """Whether this is an average of private records of which nothing is known, only because they have no bounds."""
    return isinstance(node, Call) and row(node).has(Average) and any(map(scene.private, node.args))


def _of_some(scene: Scene, node: Term) -> tuple[Statistic, Expression] | None:
    """The sum of which an average of a private number of records is made, and what counts these."""
    records = node.args[0] if isinstance(node, Call) and node.args else None
    type_ = None if records is None else scene.type(records)
    private = isinstance(type_, Dataset) and not type_.metric.sized
    return fraction_of(scene, node) if isinstance(node, Call) and row(node).has(Average) and private else None


def _root(scene: Scene, node: Term) -> str | None:
    """The name of the square of a statistic of which only that has a bound."""
    if isinstance(node, Apply) and isinstance(node.function, Global) and len(node.args) == 1:
        return remedies.ROOTS.get(node.function.name)
    return None


def _is_hidden_elsewhere(scene: Scene, release: MechanismCall, node: Term) -> bool:
    others = (each for each in releases_in(scene) if each.call is not release.call)
    return any(
        node is part or _within(node.span, each.call.span) for each in others for part in scene.flow(each.hidden)
    )


def noisy(scene: Scene, release: MechanismCall, node: Term, shares: int) -> Expression:
    """A statistic with the noise of a mechanism, for its share of what that costs."""
    average = _of_some(scene, node)
    if average is not None:
        total, size = average
        counted = _share_of(scene, release, remedies.ONE_AT_LEAST, size, 2 * shares)
        added = _share_of(scene, release, total.far, total.made, 2 * shares)
        return remedies.quotient(added, remedies.at_least_one(counted))
    square = _root(scene, node)
    written = source_of(scene, node)
    if square is not None and isinstance(node, Apply):
        written = square + text_at(scene, Span(node.function.span.end, node.span.end))
    far = remedies.ONE_AT_LEAST if square is not None else distance_of(scene, node)
    made = _share_of(scene, release, far, written, shares)
    return remedies.root_of(made) if square is not None else made


def _share_of(scene: Scene, release: MechanismCall, far: Expression, written: Expression, shares: int) -> Made:
    """The same mechanism for something else, at one of so many shares of what it costs."""
    made = again(scene, release, far, written, share=False)
    if shares == 1:
        return made
    shrinks = [scene.arguments[each][1] in release.noise.shrinks for each in release.call.args]
    parts = (remedies.share(each, shares) if cost else each for each, cost in zip(made.arguments, shrinks, strict=True))
    return Made(made.builtin, tuple(parts))


def _in_its_place(scene: Scene, hidden: Term, written: Sequence[tuple[Span, Expression]]) -> str:
    """What was hidden, with the statistics in it released."""
    text, at = "", hidden.span.start
    for span, made in written:
        if _within(span, hidden.span):
            whole = scene.inference.code.expression(made)
            text += text_at(scene, Span(at, span.start)) + (whole if span == hidden.span else grouped(whole, True))
            at = span.end
    return text + text_at(scene, Span(at, hidden.span.end))


def _within(span: Span, whole: Span) -> bool:
    return whole.start <= span.start and span.end <= whole.end
