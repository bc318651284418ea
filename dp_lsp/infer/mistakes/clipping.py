"""Mistakes in what is clipped: a value is kept within limits, and what is released is made of the raw one (2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from dp_lsp.builtins.traits import Additive, Clips, LimitedCopy
from dp_lsp.core.term import Call, Local, Loop, Term, Use
from dp_lsp.core.types import Clip, Container, Dataset, NumberType, Type
from dp_lsp.infer import problems
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.problem import Edit, Fix, Problem, Related


class Copy(NamedTuple):
    """A name of a copy that is kept within limits, what made it, and the name of what it is a copy of. One that is
    ``unread`` is never used."""

    local: Local
    made: Term
    raw: Local
    unread: bool


def raw_value(scene: Scene, problem: Problem) -> Problem | None:
    """What has no limits is released, beside a copy that has some and is never used."""
    return _instead(scene, problem, [copy for copy in _copies(scene) if copy.unread])


def raw_beside(scene: Scene, problem: Problem) -> Problem | None:
    """What has no limits is used where it needs some, beside a copy that has them, even if that is used elsewhere."""
    return _instead(scene, problem, sorted(_copies(scene), key=lambda copy: not copy.unread))


def _instead(scene: Scene, problem: Problem, copies: list[Copy]) -> Problem | None:
    node = scene.at(problem.span) if copies else None
    uses = [] if node is None else [each for each in scene.flow(node) if isinstance(each, Use)]
    for copy in copies:
        inside = {use for use in scene.flow(copy.made) if isinstance(use, Use)}
        for use in uses:
            if use.local is copy.raw and use not in inside and use.span.start > copy.made.span.end:
                return _raw_used(copy, use)
    return None


def _raw_used(copy: Copy, use: Use) -> Problem:
    name = copy.local.name
    never = ", and never used" if copy.unread else ""
    beside = f"while its bounded copy `{name}` never is" if copy.unread else f"beside its bounded copy `{name}`"
    fix = Fix(f"use `{name}`", (Edit(use.span, name),), sure=copy.unread)
    related = Related(f"`{name}` is made here{never}", copy.local.span)
    facts: dict[str, Any] = {"copy": name, "raw": copy.raw.name, "beside": beside}
    return problems.RawValue.at(use.span, related=(related,), fixes=(fix,), **facts)


def _copies(scene: Scene) -> Iterator[Copy]:
    """Names of copies of values within limits."""
    for bind in scene.binds:
        if isinstance(bind.term, Call) and not bind.term.mutates:
            yield from _never_read(scene, bind.targets, bind.term)
        if len(bind.targets) == 1 and _limits(scene.type(bind.term)):
            yield from _of_the_kind(scene, bind.targets[0], bind.term)


def _never_read(scene: Scene, targets: Sequence[Local], call: Call) -> Iterator[Copy]:
    """The copy that a builtin makes of its arguments within limits, if nobody reads a name that it is given."""
    unread = next((target for target in targets if target not in scene.read), None)
    for raw in (scene.argument(call, limited) for limited in _limited(call)):
        if unread is not None and isinstance(raw, Use) and raw.local.name != unread.name:
            yield Copy(unread, call, raw.local, unread=True)


def _limited(call: Call) -> tuple[str, ...]:
    """The arguments of which a builtin returns a copy within limits."""
    copy = row(call).trait(LimitedCopy)
    return () if copy is None else copy.of


def _of_the_kind(scene: Scene, local: Local, made: Term) -> Iterator[Copy]:
    """The values without limits that something with limits is made of, if it is as they are otherwise."""
    shape = _shape(scene.type(made))
    for use in scene.flow(made):
        if isinstance(use, Use) and use.local.name != local.name:
            raw = scene.type(use)
            if shape is not None and shape == _shape(raw) and not _limits(raw):
                yield Copy(local, made, use.local, unread=local not in scene.read)


def _limits(type_: Type | None) -> bool:
    """Whether numbers or rows of a type lie within limits."""
    if isinstance(type_, Dataset):
        return type_.radius is not None or _limits(type_.records)
    if isinstance(type_, Container):
        return type_.clip is not Clip.U or _limits(type_.element)
    return isinstance(type_, NumberType) and type_.bounds is not None


def _shape(type_: Type | None) -> object:
    """What two values of many numbers have in common, of which one may be put for the other."""
    if isinstance(type_, Dataset):
        return type_.metric, type_.records.kind
    return type_.kind if isinstance(type_, Container) else None


# What many records make together is clipped, and not what each of them makes (18)


def clipped(scene: Scene, problem: Problem) -> Problem | None:
    """What is clipped is a sum already."""
    for call in scene.calls:
        limited = [scene.argument(call, name) for name in _limited(call)] if row(call).has(Clips) else []
        for argument in (each for each in limited if each is not None):
            added = next((part for part in scene.flow(argument) if _is_sum(scene, part)), None)
            if isinstance(added, Call) and problem.span in (argument.span, added.span):
                related = Related("here it is added up", added.span)
                written, each = scene.written(argument), _added(scene, added)
                return problems.BatchClipped.at(call.span, related=(related,), written=written, each=each)
    return None


def _is_sum(scene: Scene, part: Term) -> bool:
    """Whether something adds up what records make: of a dataset, or round by round."""
    if not isinstance(part, Call) or row(part).has(Clips):
        return False
    count, carried = len(part.args), _carried(scene)
    round_by_round = any(isinstance(each, Use) and each.local in carried for each in part.args)
    if round_by_round:
        additive = row(part).trait(Additive)
        return additive is not None and all(additive.at(index, count) for index in range(count))
    return any(isinstance(scene.type(each), Dataset) for each in part.args)


def _carried(scene: Scene) -> set[Local]:
    """The names by which rounds of loops know what the ones before have made."""
    return {local for node in scene.terms if isinstance(node, Loop) for local, _ in node.carried}


def _added(scene: Scene, added: Call) -> str:
    """What to clip instead."""
    dataset = next((each for each in added.args if isinstance(scene.type(each), Dataset)), None)
    if dataset is not None:
        return f"each row of `{scene.written(dataset)}`"
    own = [each for each in added.args if not (isinstance(each, Use) and each.local in _carried(scene))]
    return f"each `{scene.written(own[0] if own else added.args[0])}`"
