"""Limits that are read off the data, such as the smallest number or a quartile: each is chosen with noise first, and
what is computed with it costs nothing for that."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from dp_lsp.builtins import remedies
from dp_lsp.builtins.traits import Rank
from dp_lsp.core import term
from dp_lsp.core.term import Call, Comprehension, Loop, Term, Use
from dp_lsp.core.types import NumberType
from dp_lsp.infer.mistakes.mending.early import is_private_statistic, noisy
from dp_lsp.infer.mistakes.mending.parts import is_within, releases_in, source_of, through_names
from dp_lsp.infer.mistakes.mending.sizes import chosen, ranked
from dp_lsp.infer.mistakes.noise import MechanismCall
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import Expression, Write
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
