"""Limits that are read off the data, such as the smallest number or a quartile: each is chosen with noise first, and
what is computed with it costs nothing for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dp_lsp.builtins import remedies
from dp_lsp.builtins.traits import Rank
from dp_lsp.core.term import Call, Term, Use
from dp_lsp.infer.mistakes.mending.parts import is_within, releases_in, source_of, through_names
from dp_lsp.infer.mistakes.mending.sizes import chosen, ranked
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
    limits = [each for each in flow if _is_limit(scene, each)]
    hidden = through_names(scene, release.hidden)
    if not 0 < len(limits) <= _MOST or hidden in limits:
        return
    found = {each.span: each for each in limits}
    others = any(isinstance(each, Use) and _is_given(scene, each) and not _is_in(each, found) for each in flow)
    inside = any(is_within(each, release.call.span) for each in limits)
    epsilon = next((scene.argument(release.call, name) for name in release.noise.shrinks), None)
    if epsilon is None or (inside and not others):
        return
    shares = len(found) + bool(others)
    part = source_of(scene, epsilon) if shares == 1 else remedies.share(source_of(scene, epsilon), shares)
    edits: list[tuple[Span, Expression]] = []
    for span, node in found.items():
        place = ranked(scene, node)
        if place is not None:
            edits.append((span, chosen(scene, *place, part)))
    if others:
        edits.append((epsilon.span, part))
        title = "choose what the data limit with noise first, each for its share of the ε: `{code}`"
    else:
        edits.append((release.call.span, source_of(scene, release.hidden)))
        title = "choose each of them with noise, for its share of the ε: `{code}`"
    yield from scene.inference.fixes(Write(title, tuple(edits)))


def _is_limit(scene: Scene, node: Term) -> bool:
    """Whether something is a number below which a share of private records lies."""
    return isinstance(node, Call) and row(node).has(Rank) and bool(scene.private(node))


def _is_given(scene: Scene, node: Use) -> bool:
    """Whether a name stands for what the function was given, and is private."""
    return node.local not in scene.made and bool(scene.private(node))


def _is_in(node: Term, spans: Iterable[Span]) -> bool:
    return any(is_within(node, each) for each in spans)
