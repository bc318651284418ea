"""Mistakes in the use of mechanisms and data; and where a missing public fact was last known, and which operation lost
it."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins.remedies import RESIZE
from dp_lsp.builtins.traits import Broadcasts, ByRecord, Indexing, NeedsBounds
from dp_lsp.core import descriptors, term
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.events import Var, variables
from dp_lsp.core.scheme import Scheme
from dp_lsp.core.term import Apply, Branch, Call, Closure, Literal, MakeTuple, Term, Use
from dp_lsp.core.types import Dataset, DatasetMetric, FunctionType, Type
from dp_lsp.infer import explain, losses, problems
from dp_lsp.infer.checks import result_term
from dp_lsp.infer.losses import KnownTerms, LostFact
from dp_lsp.infer.mistakes.mending import parts
from dp_lsp.infer.mistakes.noise import release_of
from dp_lsp.infer.mistakes.scene import Scene, listed, noise_of, row
from dp_lsp.intents import Rendering, edit_of
from dp_lsp.problem import Edit, Fix, Problem, Related
from dp_lsp.text import Span


def private_branch(scene: Scene, problem: Problem) -> Problem | None:
    """What moves without bound does so because of which branch runs."""
    places = scene.conditions(problem.span)
    for branch in scene.terms:
        if not isinstance(branch, Branch) or not (branch.span in places or branch.condition.span == problem.span):
            continue
        names, moved = scene.private(branch.condition), scene.moves(branch.condition)
        related = explain.path(scene.inference, next(iter(moved.values())), names[0]) if moved else ()
        if names:
            return _decided(problem, branch.condition.span, listed(names), related)
    return _branch_inside(scene, problem)


def _branch_inside(scene: Scene, problem: Problem) -> Problem | None:
    """The same in a function that is called for each entry of what is private."""
    steps, node = scene.infinite(problem.span), scene.at(problem.span)
    call = scene.call_at(steps[-1].span, steps[-1].rule) if steps else None
    for branch in scene.flow(call) if call is not None else ():
        if isinstance(branch, Branch) and node is not None and branch.span in scene.conditions(branch.span):
            variable = listed(scene.private(node))
            return _decided(problem, branch.condition.span, variable, problem.related)
    return None


def _decided(problem: Problem, span: Span, names: str, related: tuple[Related, ...]) -> Problem:
    """A condition that is private. Behind noise the result reveals it no more than it jumps."""
    reveals = "may jump with" if problem.unchecked else "reveals"
    return problems.PrivateBranch.at(span, variable=names, reveals=reveals, related=related)


def follows(scene: Scene, problem: Problem) -> bool:
    """Whether something moves because a function that is made here is not declared private, which is said there; or
    because what must be public at this place is not, which is said, too."""
    if problem.code != problems.LeavesUnprotected.code:
        return False
    reported = scene.inference.recorder.problems
    if any(each.code == problems.MustBePublic.code and each.span == problem.span for each in reported):
        return True
    undeclared = {each.span for each in reported if each.code == problems.NotDeclaredPrivate.code}
    node = scene.at(problem.span) if undeclared else None
    made = (each for each in scene.flow(node) if isinstance(each, Closure)) if node is not None else ()
    return any(method.name_span in undeclared for closure in made for method in closure.methods)


def noise_on_records(scene: Scene, problem: Problem) -> Problem | None:
    """A mechanism is given a dataset."""
    release = release_of(scene, scene.given_to(problem.span))
    if release is None or release.hidden.span != problem.span:
        return None
    made = (scene.inference.code.expression(each.made) for each in parts.statistics(scene, release.hidden))
    found = [edit_of(problem.span, each).text for each in made]
    statistics = " or ".join(f"`{each}`" for each in found)
    written = scene.written(release.hidden)
    return problems.NoiseOnRecords.at(problem.span, written=written, statistics=statistics) if found else None


def returned_records(scene: Scene, problem: Problem) -> Problem | None:
    """Records are returned as they are, which nothing makes private."""
    for node in _results(scene):
        if problem.span not in (node.span, scene.method.name_span) or not isinstance(scene.type(node), Dataset):
            continue
        if _holds_records(scene, node) and (names := scene.private(node)):
            made = (scene.inference.code.expression(each) for each in parts.with_noise(scene, node))
            statistics = " or ".join(f"`{edit_of(node.span, each).text}`" for each in made)
            return problems.ReturnsRecords.at(
                node.span,
                name=scene.method.name,
                what="what it makes of each record" if parts.makes_records(scene, node) else "records",
                variable=listed(names),
                statistics=statistics,
                related=problem.related,
            )
    return None


def _results(scene: Scene) -> Iterator[Term]:
    """What a method returns whatever happens: its value, and the items of a tuple."""
    waiting = [result_term(scene.method)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, MakeTuple):
            waiting += reversed(node.items)
        elif node is not None:
            yield node


def _holds_records(scene: Scene, node: Term) -> bool:
    """Whether something is a parameter that holds records, or is made of one record by record, so that it tells of
    each."""
    made = [*parts.record_by_record(scene, node)]
    return isinstance(made[-1], Use) and not any(_is_the_same_of_all(scene, each) for each in made)


def _is_the_same_of_all(scene: Scene, node: Term) -> bool:
    """Whether a function that makes something of each record does not look at it."""
    if not isinstance(node, Call) or row(node).trait(ByRecord) is not ByRecord.MAPS:
        return False
    functions = (parts.through_names(scene, each) for each in node.args)
    methods = [method for each in functions if isinstance(each, Closure) for method in each.methods]
    read = [{each.local for each in _within_body(method) if isinstance(each, Use)} for method in methods]
    return bool(methods) and not any(
        param.local in used for method, used in zip(methods, read, strict=True) for param in method.params
    )


def _within_body(method: term.Method) -> Iterator[Term]:
    return iter(()) if method.body is None else term.within(term.of_body(method.body))


def place_of_record(scene: Scene, problem: Problem) -> Problem | None:
    """An entry of a dataset is asked for."""
    found = scene.argument_at(problem.span)
    if found is None:
        return None
    node, call, _ = found
    dataset = scene.type(node)
    if not row(call).has(Indexing) or node is not call.args[0] or not isinstance(dataset, Dataset):
        return None
    (because, remedy), relation = _of_positions(dataset.metric, scene.inference.code), dataset.metric.value
    written = scene.written(call)
    return problems.PlaceOfRecord.at(call.span, written=written, because=because, relation=relation, remedy=remedy)


def _of_positions(metric: DatasetMetric, code: Rendering) -> tuple[str, str]:
    """Why nothing holds for the record at one position, and what to do instead."""
    alike = "treat all records alike, as a sum does"
    if metric.ordered:
        return "there may be none", f"say how many records there are with `{code.at_least('n')}`, or {alike}"
    if metric.sized:
        return "any record may be there", f"{alike}, or declare `{metric.ordering.value}`, where the order counts"
    return "any record may be there, or none", alike


def other_dataset(scene: Scene, problem: Problem) -> Problem | None:
    """A function is given a dataset that is compared in another way than those it is made for."""
    for call in scene.terms:
        for index, node in enumerate(call.args if isinstance(call, Apply) else ()):
            dataset = scene.type(node) if node.span == problem.span else None
            wanted = _wanted(scene, call, index) if isinstance(call, Apply) else None
            if isinstance(call, Apply) and isinstance(dataset, Dataset) and wanted not in (None, dataset.metric):
                what = f"`{scene.written(call.function)}` takes datasets {_words(wanted)}"
                so = _instead(wanted, dataset.metric, scene.inference.code)
                but = f"`{scene.written(node)}` is one {_words(dataset.metric)}{so}"
                return problems.OtherRelation.at(problem.span, what=what, but=but, related=problem.related)
    return None


def wanted_type(scene: Scene, call: Apply, index: int) -> Type | None:
    """What a function of the program takes as an argument, if it has one method."""
    function = scene.type(call.function)
    methods = function.value.methods if isinstance(function, FunctionType) else ()
    params = methods[0].params if len(methods) == 1 else ()
    return params[index].type if len(params) == len(call.args) else None


def _wanted(scene: Scene, call: Apply, index: int) -> DatasetMetric | None:
    """How datasets are compared that a function takes as an argument."""
    type_ = wanted_type(scene, call, index)
    return type_.metric if isinstance(type_, Dataset) else None


def _instead(wanted: DatasetMetric | None, given: DatasetMetric, code: Rendering) -> str:
    """What makes a dataset one that is wanted, or why nothing does."""
    if wanted is not None and wanted.ordered and not given.ordered:
        return ", whose records have no order"
    private = wanted is DatasetMetric.CHANGE_ONE and not given.sized
    return f"; `{code.call(RESIZE, 'v', 'n', 'x')}` makes its size public" if private else ""


def _words(metric: DatasetMetric) -> str:
    step = "is replaced" if metric.sized else "is added or removed"
    order = ", in order," if metric.ordered else ""
    return f"in which a record{order} {step} ({metric.value})"


def chosen_value(scene: Scene, problem: Problem) -> Problem | None:
    """An entry is used of which a mechanism released only the position."""
    for call in _calls(scene, problem):
        if not row(call).has(Indexing) or not scene.moves(call.args[0]):
            continue
        chosen = next((at for index in call.args[1:] for at in scene.flow(index) if _releases(at)), None)
        if isinstance(chosen, Call):
            related = Related("here the position is released", chosen.span)
            index, written = scene.written(call.args[1]), scene.written(call)
            return problems.ChosenValue.at(call.span, index=index, written=written, related=(related, *problem.related))
    return None


def _releases(node: Term) -> bool:
    return isinstance(node, Call) and noise_of(node) is not None


def noise_apart(scene: Scene, problem: Problem) -> Problem | None:
    """Noise on a public number is added to something private."""
    node = scene.at(problem.span)
    names = [] if node is None else scene.private(node)
    for call in scene.flow(node) if node is not None and names else ():
        if _is_noise(scene, call):
            is_value = scene.inference.context.language.semantics.draws_hide
            again = _drawn_once(scene, call, names) if is_value else None
            if again is not None:
                return again
            related = Related("the noise is drawn here", call.span)
            where = related, *problem.related
            what, instead = (_OF_HELPER if isinstance(call, Apply) else _ADD_IT) if is_value else _GIVE_IT
            entries = _beside_entries(scene, node, call) if is_value and node is not None else None
            if entries is not None:
                what, instead = (said.format(entries=scene.written(entries)) for said in _ONE_FOR_ALL)
            noise, variable = scene.written(call), listed(names)
            may_hide = is_value and entries is None
            so = _NOT_KNOWN if may_hide else _NOTHING
            found = problems.NoiseApart.at(
                problem.span, noise=noise, what=what, so=so, variable=variable, instead=instead, related=where
            )
            return found._replace(unchecked=may_hide)
    return None


def _beside_entries(scene: Scene, node: Term, call: Term) -> Term | None:
    """The private entries that a draw stands beside, the same one beside each."""
    for each in scene.flow(node):
        if isinstance(each, Call) and row(each).has(Broadcasts):
            _, *over = each.args
            if any(_holds(scene, one, call) for one in over):
                return next((one for one in over if scene.moves(one)), None)
    return None


_GIVE_IT = "on a public number", "give the mechanism the value itself"
_ADD_IT = "that is used otherwise than in one addition", "add it to the value as it is drawn"
_OF_HELPER = "that a function draws by itself", "draw it where it is added"
_ONE_FOR_ALL = "that is drawn once for all entries of `{entries}`", "draw one for each entry: `size=len({entries})`"
"""What is wrong with noise that is drawn apart, and what to do: where a mechanism hides what it is given, and where a
draw hides what it is added to."""
_NOTHING, _NOT_KNOWN = "which hides nothing", "so it is not known what it hides"
"""What noise does that is drawn apart. What a mechanism released is a number that everybody knows; a draw may hide what
it meets in another way than is followed."""


def _drawn_once(scene: Scene, call: Term, names: list[str]) -> Problem | None:
    """A draw that hides what it is added to, if that is its only use, and that is used more often."""
    named = {bind.targets[0]: bind.term for bind in scene.binds if len(bind.targets) == 1}
    made = {local: value for local, value in named.items() if _holds(scene, value, call)}
    aliases = [value.span for value in made.values()]
    uses = [
        each
        for each in scene.terms
        if isinstance(each, Use) and each.local in made and not any(_is_within(each, span) for span in aliases)
    ]
    places = sorted({each.span: each for each in uses}.values(), key=lambda each: each.span)
    rounds = any(_runs_apart(scene, each, call) for each in places)
    if not places or (len(places) == 1 and not rounds):
        return None
    first = "it is used here, in every round" if rounds and len(places) == 1 else "it is used here"
    also = (Related("and here", each.span) for each in places[1:])
    often = "in every round" if len(places) == 1 else "twice" if len(places) == 2 else f"{len(places)} times"
    return problems.DrawReused.at(
        call.span,
        noise=scene.written(call),
        often=often,
        variable=listed(names),
        related=(Related(first, places[0].span), *also),
        fixes=_draw_again(scene, places if len(places) == 1 else places[1:], [*made.values()]),
    )


def _holds(scene: Scene, node: Term, call: Term) -> bool:
    """Whether a value is a draw, or made of one and of public numbers."""
    is_one = not isinstance(node, term.Loop | Branch) and not scene.moves(node)
    return is_one and any(part is call for part in scene.flow(node))


def _is_within(node: Term, span: Span) -> bool:
    return span.start <= node.span.start and node.span.end <= span.end


def _runs_apart(scene: Scene, use: Term, call: Term) -> bool:
    """Whether something is used in a loop, or in a function that is called for each entry, that does not draw it."""
    for each in scene.terms:
        bodies = term.bodies(each) if isinstance(each, term.Loop | Closure) else ()
        inside = [part for body in bodies for part in term.within(term.of_body(body))]
        if any(part is use for part in inside) and not any(part is call for part in inside):
            return True
    return False


def _draw_again(scene: Scene, uses: list[Use], made: list[Term]) -> tuple[Fix, ...]:
    """The draw, where its name stands. One that has several names is left to the author."""
    if len(made) != 1:
        return ()
    code = scene.inference.context.text[slice(*made[0].span)]
    is_sum = isinstance(made[0], Call) and made[0].builtin in ("+", "-")
    edits = tuple(Edit(each.span, f"({code})" if is_sum else code) for each in uses)
    return (Fix("draw the noise anew", edits),)


def _is_noise(scene: Scene, node: Term) -> bool:
    """Whether something is noise on a number that is written there, or what a function releases that is given nothing
    private."""
    release = release_of(scene, node)
    if release is not None:
        written = (
            each for each in scene.flow(release.hidden) if not (isinstance(each, Use) and each.local in scene.made)
        )
        return all(isinstance(each, Literal) for each in written)
    function = scene.type(node.function) if isinstance(node, Apply) else None
    methods = function.value.methods if isinstance(function, FunctionType) else ()
    return any(method.claims_privacy and not variables(method.cost) - _publics(method) for method in methods)


def _publics(method: Scheme) -> set[Var]:
    return {param.var for param in method.params if param.static}


def _calls(scene: Scene, problem: Problem) -> Iterator[Call]:
    """The calls that something is made of."""
    node = scene.at(problem.span)
    return (each for each in scene.flow(node) if isinstance(each, Call)) if node is not None else iter(())


def explained(scene: Scene, problem: Problem, shown: Problem) -> Problem:
    """What is shown for a problem, with the place where what it misses was lost."""
    for node, descriptor in _missed(scene, problem, shown):
        loss = _before(scene, node, descriptor)
        if loss is not None:
            return shown._replace(related=(*shown.related, Related(loss.words, loss.span)))
    return shown


def _missed(scene: Scene, problem: Problem, shown: Problem) -> Iterator[tuple[Term, Descriptor]]:
    """The values of which something should be known, and what."""
    if problem.span in scene.inference.recorder.lacking:
        yield scene.inference.recorder.lacking[problem.span]
    elif shown.code in (problems.PlaceOfRecord.code, problems.PrivateCount.code):
        places = {problem.span, *(each.span for each in shown.related)}
        yield from ((node.args[0], Descriptor.COUNT) for node in scene.calls if node.span in places and node.args)
        whole = scene.at(problem.span)
        if whole is not None:
            yield whole, Descriptor.COUNT
    elif problem.code == problems.WrongArgument.code:
        yield from _asked(scene, problem)
    elif problem.code in (problems.Unbounded.code, problems.UnboundedInput.code):
        steps = scene.infinite(problem.span)
        call = scene.call_at(steps[-1].span, steps[-1].rule) if steps else None
        if call is not None and row(call).has(NeedsBounds):
            yield from ((node, Descriptor.BOUNDS) for node in losses.operands(call))


def _asked(scene: Scene, problem: Problem) -> Iterator[tuple[Term, Descriptor]]:
    """What a function of the program asks of an argument."""
    for call in (node for node in scene.terms if isinstance(node, term.Apply)):
        for index, node in enumerate(call.args):
            if node.span == problem.span:
                wanted = wanted_type(scene, call, index)
                yield from ((node, each) for each in Descriptor if descriptors.words(each, wanted, ""))


def _before(scene: Scene, node: Term, descriptor: Descriptor) -> LostFact | None:
    """The nearest loss on the way to a value. What a function makes of records is looked at before the call of the row
    that applies it."""
    seen = KnownTerms(scene.type, scene.written)
    pending, met = [(node, False)], set[Term]()
    while pending:
        found, opened = pending.pop()
        inner = [] if opened else [*_applied(scene, found)]
        if (found in met and not opened) or not descriptors.lacks(descriptor, scene.type(found)):
            continue
        met.add(found)
        if inner:
            pending += [(found, True), *((result, False) for result in inner)]
            continue
        loss = losses.at(found, descriptor, seen) or _carried(scene, found, descriptor, seen)
        if loss is not None:
            return loss
        pending += [(part, False) for part in [*_sources(scene, found)][::-1]]
    return None


def _sources(scene: Scene, node: Term) -> Iterator[Term]:
    """What a value is made of, or what its name stands for."""
    if isinstance(node, Use) and node.local in scene.made:
        yield scene.made[node.local]
    yield from losses.operands(node)


def _applied(scene: Scene, node: Term) -> Iterator[Term]:
    """The results of functions of this method that a builtin calls."""
    for arg in node.args if isinstance(node, term.Call) else ():
        made = scene.made.get(arg.local) if isinstance(arg, Use) else arg
        if isinstance(made, term.Closure):
            yield from (body.result for body in term.bodies(made))


def _carried(scene: Scene, node: Term, descriptor: Descriptor, seen: KnownTerms) -> LostFact | None:
    """What a loop carries loses what was known of it before."""
    made = scene.made.get(node.local) if isinstance(node, Use) else None
    if not isinstance(node, Use) or not isinstance(made, term.Loop):
        return None
    targets = next((bind.targets for bind in scene.binds if bind.term is made), ())
    return losses.carried(made, targets.index(node.local), descriptor, seen)
