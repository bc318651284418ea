"""Bounds that are missing: of records, of what a loop makes of them, of a number that noise is added to.

Limits that are read off the data, such as the smallest number or a quartile: each is chosen with noise first, and
what is computed with it costs nothing for that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from dp_lsp import builtins
from dp_lsp.builtins import remedies
from dp_lsp.builtins.containers import TOTAL
from dp_lsp.builtins.filling import STORE
from dp_lsp.builtins.places import INDEX
from dp_lsp.builtins.traits import DividesByLast, Rank, RecordCount
from dp_lsp.core import term
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.term import Apply, Call, Comprehension, Global, Literal, Loop, Term, Use
from dp_lsp.core.types import Base, Container, Dataset, Norm, NumberType
from dp_lsp.infer.mistakes.mending.early import chosen, is_private_statistic, noisy, ranked
from dp_lsp.infer.mistakes.mending.parts import (
    is_dataset,
    is_within,
    releases_around,
    releases_in,
    source_of,
    through_names,
)
from dp_lsp.infer.mistakes.noise import MechanismCall
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import Before, Expression, Passing, Through, Write
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span

_MOST = 4
"""Limits that are released. Of more nobody would know what they cost together."""


def noisy_limits(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Where noise is added to what is made of limits of the records, these are chosen with noise; if it is made of
    nothing else that is private, there is no more to hide."""
    releases = [*releases_in(scene)]
    if len(releases) != 1:
        return
    release = releases[0]
    flow = [*scene.flow(release.hidden)]
    hidden = through_names(scene, release.hidden)
    rounds = [each.span for each in scene.terms if isinstance(each, Loop | Comprehension)]
    limits = [each for each in flow if each is not hidden and (_is_limit(scene, each) or _is_inner(scene, each))]
    limits = [each for each in limits if not _is_in(each, rounds)]  # one of many is no limit of them
    found = {each.span: each for each in limits}
    found = {span: each for span, each in found.items() if not _is_in(each, found.keys() - {span})}
    epsilon = next((scene.argument(release.call, name) for name in release.noise.shrinks), None)
    if epsilon is None or not 0 < len(found) <= _MOST or hidden.span in found:
        return
    others = any(_is_of_records(scene, each) for each in _left(scene, release.hidden, found))
    inside = any(is_within(each, release.call.span) for each in limits)
    if not others and (inside or not all(_is_limit(scene, each) for each in found.values())):
        return
    shares = len(found) + others
    part = source_of(scene, epsilon) if shares == 1 else remedies.share(source_of(scene, epsilon), shares)
    edits = [(span, _noisy(scene, release, node, part, shares)) for span, node in found.items()]
    if others:
        edits.append((epsilon.span, part))
        title = "release first what the data are compared with, each for its share of the ε: `{code}`"
    else:
        edits.append((release.call.span, source_of(scene, release.hidden)))
        title = "choose each of them with noise, for its share of the ε: `{code}`"
    yield from scene.inference.fixes(Write(title, tuple(edits)))


def _noisy(scene: Scene, release: MechanismCall, node: Term, part: Expression, shares: int) -> Expression:
    """A statistic for its share of the ε: chosen with noise, or with the noise of a mechanism."""
    place = ranked(scene, node)
    return noisy(scene, release, node, shares) if place is None else chosen(scene, *place, part)


def _is_inner(scene: Scene, node: Term) -> bool:
    """Whether something is a private statistic that is no limit."""
    return is_private_statistic(scene, node)


def _is_limit(scene: Scene, node: Term) -> bool:
    """Whether something is a number below which a share of private records lies."""
    return isinstance(node, Call) and row(node).has(Rank) and bool(scene.private(node))


def _left(scene: Scene, node: Term, found: Collection[Span]) -> Iterator[Use]:
    """The parameters that something private is made of otherwise than by what was found."""
    waiting, seen = [node], set[Term]()
    while waiting:
        each = waiting.pop()
        if each in seen or each.span in found or not scene.private(each):
            continue
        seen.add(each)
        if isinstance(each, Use) and each.local not in scene.made:
            yield each
        waiting += [scene.made[each.local]] if isinstance(each, Use) and each.local in scene.made else term.parts(each)


def _is_of_records(scene: Scene, node: Use) -> bool:
    """Whether a parameter has several numbers: one number beside them will be public."""
    return not isinstance(scene.type(node), NumberType)


def _is_in(node: Term, spans: Iterable[Span]) -> bool:
    return any(is_within(node, each) for each in spans)


_NOISY = (Norm.L1, Norm.L2)


def missing_bounds(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What has no bounds is put between some that the author chooses: where a loop adds it up, all records are."""
    node, lacks = scene.inference.recorder.lacking.get(problem.span, (None, None))
    if node is None:
        return
    releases = [*releases_around(scene, problem.span)]
    written = scene.written(node)
    if lacks is Descriptor.BOUNDS:
        highest = next((each for each in (_likely(scene, release) for release in releases) if each), None)
        title = f"clamp `{written}`, with bounds chosen without looking at the data"
        bounded = remedies.bounded(highest)
        found = [*scene.inference.fixes(Through(title, node.span, (bounded,), sure=False))]
        here = [*found, *_bounded_everywhere(scene, node, bounded, len(found))]
        failing = _failing(scene, node)
        around = remedies.above_zero() if _divides(scene, node) or failing - {builtins.POWER} else bounded
        before = [*_bounded_before(scene, node, around), *_bounded_at_first(scene, around)]
        yield from (*before, *here) if failing else (*here, *before)
    elif lacks is Descriptor.ROWS:
        norm = next((each.noise.norm for each in releases if each.noise.norm in _NOISY), None) or Norm.L2
        title = f"clip the rows of `{written}` to a largest norm"
        yield from scene.inference.fixes(Through(title, node.span, (remedies.rows_bounded(norm),), sure=False))
        title = f"clamp all numbers of `{written}`, with bounds chosen without looking at the data"
        yield from scene.inference.fixes(Through(title, node.span, (remedies.bounded(None),), sure=False))


def _divides(scene: Scene, node: Term) -> bool:
    """Whether something private is divided by, which has no bound near 0."""
    parts = (part for part in term.within([node]) if isinstance(part, Call) and row(part).has(DividesByLast))
    return any(isinstance(part.args[-1], Use) or bool(scene.private(part.args[-1])) for part in parts)


def _failing(scene: Scene, node: Term) -> set[str]:
    """The builtins in something that is computed that fail for some numbers, as a power of large ones does in some
    languages, and a logarithm of those below 0."""
    fails_on = scene.inference.context.language.semantics.fails_on
    parts = (part for part in term.within([node]) if isinstance(part, Call) and not row(part).has(DividesByLast))
    return {part.builtin for part in parts if fails_on(part.builtin, (), row(part).arguments(len(part.args), ()))}


def _bounded_everywhere(scene: Scene, node: Term, bounded: Passing, ways: int) -> Iterator[Fix]:
    """The same wherever else it has to be between bounds, in each of so many ways."""
    lacking = [other for other, lacks in scene.inference.recorder.lacking.values() if lacks is Descriptor.BOUNDS]
    alike = {each.span: each for each in lacking if scene.written(each) == scene.written(node)}
    title = f"clamp `{scene.written(node)}` wherever it is used, with bounds chosen without looking at the data"
    made = [[*scene.inference.fixes(Through(title, span, (bounded,), sure=False))] for span in alike]
    if len(alike) > 1:
        for way in range(min(ways, *map(len, made))):
            yield made[0][way]._replace(edits=tuple(edit for each in made for edit in each[way].edits))


def _bounded_before(scene: Scene, node: Term, bounded: Passing) -> Iterator[Fix]:
    """Before the loop that something is made in, the records that it goes over are put between bounds."""
    for loop in scene.terms:
        if not isinstance(loop, Loop) or not (loop.span.covers(node.span.start) or loop in scene.flow(node)):
            continue
        found: list[Fix] = []
        for used in dict.fromkeys(each for each in scene.flow(loop.last) if isinstance(each, Use)):
            type_ = scene.type(used)
            element = type_.records.element if isinstance(type_, Dataset) else None
            if isinstance(element, NumberType) and element.bounds is None:
                found += scene.inference.fixes(Before("`{code}`", loop.span.start, used.span, bounded))
        if found:
            made = " and ".join(dict.fromkeys(fix.title for fix in found))
            title = f"put the records between bounds chosen without looking at the data: {made}"
            edits = dict.fromkeys(edit for fix in found for edit in fix.edits)
            yield Fix(title, tuple(edits), sure=False)


def _bounded_at_first(scene: Scene, bounded: Passing) -> Iterator[Fix]:
    """Before all that a function does, the records that it is given are put between bounds."""
    found = list[Fix]()
    for param in scene.method.params:
        type_ = scene.type_of(param.local)
        element = type_.records.element if isinstance(type_, Dataset) else None
        used = next((each for each in scene.terms if isinstance(each, Use) and each.local is param.local), None)
        if used is not None and isinstance(element, NumberType) and element.bounds is None:
            found += scene.inference.fixes(Before("`{code}`", scene.method.header.end, used.span, bounded))
    if found:
        made = " and ".join(fix.title for fix in found)
        title = f"put the records between bounds first, chosen without looking at the data: {made}"
        yield Fix(title, tuple(edit for fix in found for edit in fix.edits), sure=False)


def bounded_arguments(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Records without bounds that are given to a function which needs some."""
    for call in scene.terms:
        if isinstance(call, Apply) and problem.span in (call.span, call.function.span):
            for node in call.args:
                type_ = scene.type(node)
                element = type_.records.element if isinstance(type_, Dataset) else None
                if isinstance(element, NumberType) and element.bounds is None:
                    title = f"clamp `{source_of(scene, node)}`, with bounds chosen without looking at the data"
                    yield from scene.inference.fixes(Through(title, node.span, (remedies.bounded(),), sure=False))


def bounded_release(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A number that may be any, and that noise is added to, is put between bounds that the author chooses: where a loop
    makes it, the records that this goes over."""
    for release in releases_in(scene):
        if release.hidden.span == problem.span:
            yield from _bounded_before(scene, release.hidden, remedies.bounded())
        type_ = scene.type(release.hidden)
        if _grows(through_names(scene, release.hidden)):
            continue
        if release.hidden.span == problem.span and isinstance(type_, NumberType) and type_.bounds is None:
            title = f"clamp `{source_of(scene, release.hidden)}`, with bounds chosen without looking at the data"
            bounded = remedies.bounded(_likely(scene, release))
            yield from scene.inference.fixes(Through(title, problem.span, (bounded,), sure=False))


def _grows(node: Term) -> bool:
    """Whether something is a sum or a number of records, of which bounds would leave nothing where there are many."""
    return isinstance(node, Call) and (node.builtin == TOTAL or row(node).has(RecordCount))


def _likely(scene: Scene, release: MechanismCall) -> str | None:
    """What was probably meant as the upper bound: what the noise is made for, where that is a name or a larger
    number."""
    place = release.place
    named = isinstance(place, Global) or (isinstance(place, Use) and place.local not in scene.made)
    large = isinstance(place, Literal) and not isinstance(place.value, bool) and place.value > 1
    return source_of(scene, place) if place is not None and (named or large) else None


def places_within(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """The places of the cells that a loop counts records in lie among the cells."""
    cells = [each for each in scene.calls if each.builtin in (STORE, INDEX) and is_within(each, problem.span)]
    for stored in cells:
        if stored.builtin != STORE or not isinstance(stored.args[0], Use):
            continue
        name, place = stored.args[0].local.name, stored.args[1]
        made = (scene.type(bind.term) for bind in scene.binds for each in bind.targets if each.name == name)
        box = next((each for each in made if isinstance(each, Container)), None)
        if box is None or box.length.number is None or not scene.private(place):
            continue
        type_ = scene.type(place)
        whole = isinstance(type_, NumberType) and type_.base is Base.INTEGER
        within = remedies.place_within(source_of(scene, place), box.length, whole)
        spans = dict.fromkeys(
            each.args[1].span
            for each in cells
            if [source_of(scene, part) for part in each.args[:2]] == [name, source_of(scene, place)]
        )
        title = "put the place among the cells: `{code}`"
        yield from scene.inference.fixes(Write(title, tuple((span, within) for span in spans)))


def bounded_failing(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What fails for some numbers, as a logarithm does for those below 0, is given what lies above, between bounds that
    the author chooses."""
    failing = [call for call in scene.calls if call.span == problem.span]
    if any(_divides(scene, call) for call in failing or scene.calls):  # a branch fails where what it reads does
        yield from _bounded_at_first(scene, remedies.above_zero())
    for call, given in ((each, given) for each in failing for given in each.args):
        if scene.private(given) and (is_dataset(scene, given) or isinstance(scene.type(given), NumberType)):
            title = f"clamp `{source_of(scene, given)}` to what `{source_of(scene, call)}` takes"
            yield from scene.inference.fixes(Through(title, given.span, (remedies.above_zero(),), sure=False))
