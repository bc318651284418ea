"""Noise on the statistics that a number is made of, instead of noise on the number: what is computed of released
numbers costs nothing more, whatever it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dp_lsp.builtins import remedies
from dp_lsp.builtins.traits import Average
from dp_lsp.core.term import Apply, Call, Global, Term
from dp_lsp.core.types import Dataset, NumberType
from dp_lsp.infer import problems
from dp_lsp.infer.mistakes.mending.declaring import may_be_records
from dp_lsp.infer.mistakes.mending.parts import (
    Statistic,
    again,
    distance_of,
    releases_around,
    releases_around_call,
    releases_in,
    source_of,
    text_at,
    through_names,
)
from dp_lsp.infer.mistakes.mending.sizes import fraction_of
from dp_lsp.infer.mistakes.noise import MechanismCall
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import Expression, Made, Write, grouped
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span

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
