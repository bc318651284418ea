"""Mistakes in what is done with private data before it is released, clipping among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from dp_lsp.builtins.remedies import RESIZE
from dp_lsp.builtins.traits import Additive, ChosenPublicly, Clips, DividesByLast, LimitedCopy, RecordCount
from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.notation import figure
from dp_lsp.core.term import Apply, Call, Closure, Local, Loop, Term, Use
from dp_lsp.core.types import Clip, Container, Dataset, DatasetMetric, NumberType, Type
from dp_lsp.infer import explain, problems
from dp_lsp.infer.mistakes import noise
from dp_lsp.infer.mistakes.mending.declaring import may_be_records
from dp_lsp.infer.mistakes.mending.parts import is_dataset
from dp_lsp.infer.mistakes.noise import dropped, enough, furthest, release_of
from dp_lsp.infer.mistakes.scene import Scene, listed, noise_of, row
from dp_lsp.intents import DeclareLeast
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Problem, Related

SENSITIVITY = "sensitivity"


# What must be chosen without a look at the data (3, 21)


def bound_from_data(scene: Scene, problem: Problem) -> Problem | None:
    """What must be public here is computed from private data."""
    found = scene.argument_at(problem.span)
    if found is None or _is_parameter(scene, found[0]):
        return None
    node, call, argument = found
    return _chosen(scene, call, argument, node)


def scale_from_data(scene: Scene, problem: Problem) -> Problem | None:
    """The scale of noise is computed from records."""
    found = scene.argument_at(problem.span)
    noise = None if found is None else noise_of(found[1])
    if found is None or noise is None or not noise.measured or found[2] == noise.hidden:
        return None
    made = [each for each in scene.flow(found[0]) if is_dataset(scene, each) or may_be_records(scene, each)]
    names = sorted({name for each in made for name in scene.private(each)})
    if not names:
        return None
    facts: dict[str, Any] = {
        "what": "scale of the noise",
        "written": scene.written(found[0]),
        "private": f"depends on private `{listed(names)}`",
        "it": "it",
        "instead": "",
    }
    return problems.BoundFromData.at(found[0].span, **facts)


def exposed_choice(scene: Scene, problem: Problem) -> Problem | None:
    """What a mechanism does not protect is private."""
    found = scene.argument_at(problem.span)
    if found is None:
        return None
    node, call, argument = found
    if not _word(call, argument):
        return None
    function = any(isinstance(part, Closure) for part in scene.flow(node))
    counted = None if function else made_of_count(scene, problem)
    return counted or _chosen(scene, call, argument, node)


def limited_by_data(scene: Scene, problem: Problem) -> Problem | None:
    """What no bound is known of was limited by a bound that is computed from private data."""
    node = scene.at(problem.span)
    for part in scene.flow(node) if node is not None else ():
        found = scene.arguments.get(part)
        if found is not None and row(found[0]).has(LimitedCopy) and scene.moves(part):
            mistake = _chosen(scene, *found, part)
            if mistake is not None:
                return mistake
    return None


def private_choice(scene: Scene, problem: Problem) -> Problem | None:
    """What moves the input of a mechanism, or a result, without bound is how something was limited."""
    call = _culprit(scene, problem)
    for node in call.args if call is not None else ():
        found = scene.arguments.get(node)
        mistake = _chosen(scene, *found, node) if found is not None and scene.moves(node) else None
        if mistake is not None:
            return mistake
    return None


def without_rule(scene: Scene, problem: Problem) -> Problem | None:
    """What has no bound makes one of private data, such as the largest of them."""
    for node, (call, argument) in scene.arguments.items():
        for part in scene.flow(node) if _word(call, argument) else ():
            if isinstance(part, Apply) and part.function.span == problem.span:
                return _chosen(scene, call, argument, node) or dropped(scene, call, argument, part)
            if isinstance(part, Call) and part.span == problem.span:
                return _chosen(scene, call, argument, node)
    return None


def _chosen(scene: Scene, call: Call, argument: str, node: Term) -> Problem | None:
    """The problem of an argument that must be chosen without a look at the data, if it is private."""
    what, names = _word(call, argument), scene.private(node)
    if not what or not names:
        return None
    moved = scene.moves(node)
    related = explain.path(scene.inference, next(iter(moved.values())), names[0]) if moved else ()
    fixes = explain.make_static(scene.inference, node) if _is_parameter(scene, node) else ()
    many = what.endswith("s")
    private = f"{'depend' if many else 'depends'} on private `{listed(names)}`"
    if _is_parameter(scene, node):
        private = "are private" if many else "is private"
    it = "them" if many else "it"
    function = any(isinstance(part, Closure) for part in scene.flow(node))
    instead = "" if function else f", or pass {it} as a `{scene.inference.code.public}` parameter"
    facts: dict[str, Any] = {
        "what": what,
        "written": scene.written(node),
        "private": private,
        "it": it,
        "instead": instead,
    }
    return problems.BoundFromData.at(node.span, related=related, fixes=fixes, **facts)


def _word(call: Call, argument: str) -> str:
    """What an argument is that must be chosen without a look at the data."""
    noise = noise_of(call)
    if noise is not None and noise.declares == argument:
        return SENSITIVITY
    chosen = row(call).trait(ChosenPublicly)
    return "" if chosen is None else dict(chosen.arguments).get(argument, "")


def _is_parameter(scene: Scene, node: Term) -> bool:
    """Whether a term is a parameter as it was given."""
    return isinstance(node, Use) and node.local not in scene.made


# Private numbers of records (4, 6)


def divided_by_count(scene: Scene, problem: Problem) -> Problem | None:
    """What moves without bound does so because it was divided by a number of records."""
    steps = scene.infinite(problem.span)
    call = _culprit(scene, problem)
    if call is not None and row(call).has(DividesByLast):
        count = _private_count(scene, call.args[-1])
        so = "so what is divided by it has no bound"
        return None if count is None else _count_is_private(scene, call, count, f"{so}: {_instead(scene, count)}")
    node = scene.at(steps[-1].span) if steps else None
    return _count_is_passed(scene, node) if isinstance(node, Apply) else None


def _count_is_passed(scene: Scene, node: Apply) -> Problem | None:
    """A number of records is given to a function whose result moves with it without bound."""
    for count in (_private_count(scene, argument) for argument in node.args):
        if count is not None:
            so = f"and what `{scene.written(node.function)}` makes of it may move by any amount"
            return _count_is_private(scene, node, count, f"{so}: {_instead(scene, count)}")
    return None


def made_of_count(scene: Scene, problem: Problem) -> Problem | None:
    """What must be public here is made of a number of records."""
    node = scene.at(problem.span)
    count = None if node is None else _private_count(scene, node)
    if node is None or count is None:
        return None
    call, argument = scene.arguments.get(node, (None, ""))
    release = release_of(scene, call)
    if release is None or release.noise.declares != argument:
        so = f"and a public number is needed here: pass a `{scene.inference.code.public}` parameter"
        return _count_is_private(scene, node, count, so)
    found = _count_is_private(scene, node, count, "and so is what is computed from it: declare a public sensitivity")
    fixes, related = enough(scene, release.hidden, node)
    return found._replace(related=(*related, *found.related), fixes=fixes)


def _count_is_private(scene: Scene, node: Term, count: Call, so: str) -> Problem:
    """The problem of a number of records that is used where a public number is needed."""
    metric = _counted(scene, count)
    assert metric is not None, "it counts the records of a dataset"
    written, changed = scene.written(count), noise.CHANGED[metric]
    related = (Related(f"`{written}` stands here", count.span),)
    return problems.PrivateCount.at(
        node.span, count=written, changed=changed, relation=metric.value, so=so, related=related
    )


def _private_count(scene: Scene, node: Term) -> Call | None:
    """The number of records that a term is made of, if it is private."""
    calls = (each for each in scene.flow(node) if isinstance(each, Call))
    counts = (call for call in calls if row(call).has(RecordCount))
    return next((call for call in counts if scene.moves(call) and _counted(scene, call) is not None), None)


def _counts_some(count: Call) -> bool:
    """Whether the records of a kind are counted, and not all."""
    found = row(count).trait(RecordCount)
    return found is not None and found.some


def _counted(scene: Scene, count: Call) -> DatasetMetric | None:
    """How datasets are compared of whose records something is the number."""
    types = map(scene.type, count.args)
    return next((type_.metric for type_ in types if isinstance(type_, Dataset)), None)


def _instead(scene: Scene, count: Call) -> str:
    """What to do where a number of records is private."""
    node, metric = count.args[0], _counted(scene, count)
    if metric is None or _counts_some(count) or not _is_parameter(scene, node):
        return "release it by a mechanism first"
    return f"release it by a mechanism first, or declare `{noise.OTHER[metric].value}`, where it is public"


def _culprit(scene: Scene, problem: Problem) -> Call | None:
    """The call that made what a problem is about move without bound."""
    steps = scene.infinite(problem.span)
    return scene.call_at(steps[-1].span, steps[-1].rule) if steps else None


# How many records there must be for an average to move no further than noise is made for (6)


_FEWEST = (1, 2)  # records of which there is an average, or a variance
_MOST = 10**9  # records; nobody would declare more


class Enough(NamedTuple):
    """How far something is declared to move, and the least number of records for which that is enough."""

    declared: Fraction
    records: int


def few_records(scene: Scene, problem: Problem) -> Problem | None:
    """How far the average of few records moves, and for how many what is declared is enough."""
    node = scene.at(problem.span)
    if node is None:
        return None
    for least in _FEWEST:
        far = _moved(scene, node, least)
        if far is not None:
            enough = _enough(scene, node, least)
            return _moves_far(scene, problem, least, far) if enough is None else _is_enough_for(scene, problem, enough)
    return None


def _moved(scene: Scene, node: Term, least: int) -> Fraction | None:
    """How far a value moves if there are at least so many records."""
    there = noise.of_at_least(scene, least)
    found = None if there.type(node) is None else furthest(there, node)
    return None if found is None or found.zero else found.number


def _enough(scene: Scene, node: Term, least: int) -> Enough | None:
    """For how many records an average moves no further than is declared. It is guessed, as averages move by a part of
    1/(n + 1), and tried."""
    for release in (release_of(scene, call) for call in scene.calls):
        number = None if release is None or release.declared is None else release.declared.number
        if release is None or number is None or number <= 0 or node not in scene.flow(release.hidden):
            continue
        far = _moved(scene, release.hidden, least)
        records = 0 if far is None else ceil(far * (least + 1) / number) - 1
        there = _moved(scene, release.hidden, records) if 0 < records < _MOST else None
        if there is not None and there <= number:
            return Enough(number, records)
    return None


def _moves_far(scene: Scene, problem: Problem, least: int, far: Fraction) -> Problem:
    """The problem of a number that moves too far where a dataset may have no more than so many records."""
    first = f"where there may be only {least}, one more moves it by up to {figure(far)}"
    reason = f"{first}; {problem.message.split(': ', 1)[1]}"
    return problems.UnknownCount.at(problem.span, written=scene.inference.written(problem.span), reason=reason)


def _is_enough_for(scene: Scene, problem: Problem, enough: Enough) -> Problem:
    """The problem of a declared sensitivity that is enough from some number of records on, with how to declare it."""
    least, written = enough.records, scene.inference.written(problem.span)
    records = "record" if least == 1 else "records"
    code = scene.inference.code
    declared, made = code.at_least(str(least)), code.call(RESIZE, "v", str(least), "x")
    reason = (
        f"{figure(enough.declared)} is enough for {least} {records} or more; declare that there are so many with "
        f"`{declared}`, or make it so with `{made}`"
    )
    return problems.UnknownCount.at(problem.span, written=written, reason=reason, fixes=_declared(scene, least))


def _declared(scene: Scene, least: int) -> tuple[Fix, ...]:
    """A repair that declares that there are so many records, where there is one dataset of which nothing says it."""
    found = [param for param in scene.method.params if isinstance(param.type, DatasetOf) and param.type.least is None]
    return scene.inference.fixes(DeclareLeast(found[0].span, least)) if len(found) == 1 else ()


# Mistakes in what is clipped: a value is kept within limits, and what is released is made of the raw one (2).


class Copy(NamedTuple):
    """A name of a copy that is kept within limits, what made it, and the name of what it is a copy of. One that is
    ``unread`` is never used."""

    local: Local
    made: Term
    raw: Local
    unread: bool


def raw_value(scene: Scene, problem: Problem) -> Problem | None:
    """What has no limits is released, beside a copy that has some and is never used."""
    return _limited_instead(scene, problem, [copy for copy in _copies(scene) if copy.unread])


def raw_beside(scene: Scene, problem: Problem) -> Problem | None:
    """What has no limits is used where it needs some, beside a copy that has them, even if that is used elsewhere."""
    return _limited_instead(scene, problem, sorted(_copies(scene), key=lambda copy: not copy.unread))


def _limited_instead(scene: Scene, problem: Problem, copies: list[Copy]) -> Problem | None:
    """The problem of a use of a raw value behind the line that makes a bounded copy of it; None if there is none."""
    node = scene.at(problem.span) if copies else None
    uses = [] if node is None else [each for each in scene.flow(node) if isinstance(each, Use)]
    for copy in copies:
        inside = {use for use in scene.flow(copy.made) if isinstance(use, Use)}
        for use in uses:
            if use.local is copy.raw and use not in inside and use.span.start > copy.made.span.end:
                return _raw_used(copy, use)
    return None


def _raw_used(copy: Copy, use: Use) -> Problem:
    """The problem that a raw value is used in the place of its bounded copy."""
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
                written, far = scene.written(argument), furthest(scene, argument)
                known = not far.zero and not far.infinite
                instead = (
                    "leave that out, for its sensitivity is known"
                    if known
                    else f"clip {_added(scene, added)} before adding"
                )
                return problems.BatchClipped.at(call.span, related=(related,), written=written, instead=instead)
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
