"""Mistakes in what is done with private data before it is released."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.core.term import Apply, Call, Local, Term, Use
from dp_lsp.core.types import Dataset
from dp_lsp.infer import explain, problems
from dp_lsp.infer.mistakes import relations
from dp_lsp.infer.mistakes.noise import dropped, enough
from dp_lsp.infer.mistakes.scene import Scene, listed, noise_of, row
from dp_lsp.problem import Edit, Fix, Problem, Related

SENSITIVITY = "sensitivity"


# A limited copy that nobody reads (2)


def raw_value(scene: Scene, problem: Problem) -> Problem | None:
    node = scene.at(problem.span)
    for copy, made, raw in _unread_copies(scene) if node is not None else ():
        inside = {use for use in scene.flow(made) if isinstance(use, Use)}
        for use in scene.flow(node) if node is not None else ():
            if isinstance(use, Use) and use.local is raw and use not in inside and use.span.start > made.span.end:
                fix = Fix(f"use `{copy.name}`", (Edit(use.span, copy.name),))
                related = Related(f"`{copy.name}` is made here, and never used", copy.span)
                facts = {"copy": copy.name, "raw": raw.name}
                return problems.RawValue.at(use.span, related=(related,), fixes=(fix,), **facts)
    return None


def _unread_copies(scene: Scene) -> Iterator[tuple[Local, Call, Local]]:
    """Names that nobody reads of copies of values within limits, with what made them and the name of the raw value."""
    for bind in scene.binds:
        call, unread = bind.term, [target for target in bind.targets if target not in scene.read]
        if not isinstance(call, Call) or call.mutates or not unread:
            continue
        for limited in row(call).limits:
            raw = scene.argument(call, limited)
            if isinstance(raw, Use) and raw.local.name != unread[0].name:
                yield unread[0], call, raw.local


# What must be chosen without a look at the data (3, 21)


def bound_from_data(scene: Scene, problem: Problem) -> Problem | None:
    """What must be public here is computed from private data."""
    node = scene.at(problem.span)
    call, argument = scene.arguments.get(node, (None, "")) if node is not None else (None, "")
    if node is None or call is None or _is_parameter(scene, node):
        return None
    return _chosen(scene, call, argument, node)


def exposed_choice(scene: Scene, problem: Problem) -> Problem | None:
    """What a mechanism does not protect is private."""
    node = scene.at(problem.span)
    found = scene.arguments.get(node) if node is not None else None
    return _chosen(scene, *found, node) if found is not None and node is not None else None


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
    facts = {"what": what, "written": scene.written(node), "private": private, "it": "them" if many else "it"}
    return problems.BoundFromData.at(node.span, related=related, fixes=fixes, **facts)


def _word(call: Call, argument: str) -> str:
    """What an argument is that must be chosen without a look at the data."""
    noise = noise_of(call)
    if noise is not None and noise.declares == argument:
        return SENSITIVITY
    return dict(row(call).chosen).get(argument, "")


def _is_parameter(scene: Scene, node: Term) -> bool:
    return isinstance(node, Use) and node.local not in scene.made


# Private numbers of records (4, 6)


def divided_by_count(scene: Scene, problem: Problem) -> Problem | None:
    """What moves without bound does so because it was divided by a number of records."""
    call = _culprit(scene, problem)
    count = _private_count(scene, call.args[-1]) if call is not None and row(call).divides else None
    if call is None or count is None:
        return None
    so = f"so what is divided by it has no bound: {_instead(scene, count)}"
    return _count_is_private(scene, call, count, so)


def made_of_count(scene: Scene, problem: Problem) -> Problem | None:
    """What must be public here is made of a number of records."""
    node = scene.at(problem.span)
    count = None if node is None else _private_count(scene, node)
    if node is None or count is None:
        return None
    call, argument = scene.arguments.get(node, (None, ""))
    noise = None if call is None else noise_of(call)
    if call is None or noise is None or noise.declares != argument:
        so = "and what is computed from it must be public here: pass a `Static()` parameter"
        return _count_is_private(scene, node, count, so)
    found = _count_is_private(scene, node, count, "and so is what is computed from it: declare a public sensitivity")
    hidden = scene.argument(call, noise.hidden)
    fixes, related = enough(scene, hidden, node) if hidden is not None else ((), ())
    return found._replace(related=(*related, *found.related), fixes=fixes)


def _count_is_private(scene: Scene, node: Term, count: Call, so: str) -> Problem:
    dataset = scene.type(count.args[0])
    relation = dataset.metric.value if isinstance(dataset, Dataset) else ""
    related = (Related(f"`{scene.written(count)}` stands here", count.span),)
    return problems.PrivateCount.at(node.span, count=scene.written(count), relation=relation, so=so, related=related)


def _private_count(scene: Scene, node: Term) -> Call | None:
    """The number of records that a term is made of, if it is private."""
    calls = (each for each in scene.flow(node) if isinstance(each, Call) and row(each).tells_size)
    return next((call for call in calls if scene.moves(call) and isinstance(scene.type(call.args[0]), Dataset)), None)


def _instead(scene: Scene, count: Call) -> str:
    """What to do where a number of records is private."""
    node = count.args[0]
    if not _is_parameter(scene, node):
        return "release it by a mechanism first"
    return f"release it by a mechanism first, or declare `{_other(scene, node)}`, where it is public"


def _other(scene: Scene, node: Term) -> str:
    dataset = scene.type(node)
    assert isinstance(dataset, Dataset), "only of a dataset it is private how many records there are"
    return relations.OTHER[dataset.metric].value


def _culprit(scene: Scene, problem: Problem) -> Call | None:
    """The call that made what a problem is about move without bound."""
    steps = scene.infinite(problem.span)
    return scene.call_at(steps[-1].span, steps[-1].rule) if steps else None
