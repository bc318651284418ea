"""What a parameter is, where it is not written: records, records in an order, untrusted data, or public."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins import remedies
from dp_lsp.builtins.higher import ENTRIES
from dp_lsp.builtins.traits import Average, Clips, RecordCount
from dp_lsp.core.annotation import Annotation, Anything, ContainerOf, DatasetOf, NumberOf, Truth, TupleOf
from dp_lsp.core.term import Apply, Call, Comprehension, Global, Local, Loop, Param, Term, Use
from dp_lsp.core.types import Base, Container, DatasetMetric, Kind, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer.checks import result_term
from dp_lsp.infer.mistakes.mending.parts import is_dataset, is_epsilon, releases_around, through_names
from dp_lsp.infer.mistakes.noise import release_of
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import AddParameter, AddProducts, DeclareOrdered, DeclareRecords
from dp_lsp.problem import Edit, Fix, Problem


def annotated(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What something is made of whose type nobody wrote, or of which only is written that there are several, are
    records."""
    used = _parameters_behind(scene, problem)
    for param in scene.method.params:
        if is_epsilon(param.local.name):
            continue
        if param.local in used and not param.static and not isinstance(scene.type_of(param.local), NumberType):
            types = _records_of(param.type)
            yield from scene.inference.fixes(DeclareRecords(param.span, types)) if types else ()


def _parameters_behind(scene: Scene, problem: Problem) -> set[Local]:
    """The parameters that what a problem is about is made of, and in functions without a name, of which the body tells
    nothing of what they are given, those that are spoken of."""
    places = {problem.span, *(each.hidden.span for each in releases_around(scene, problem.span))}
    called = (each.function.span if isinstance(each, Apply) else each.span for each in scene.terms)
    whole = [node for node, span in zip(scene.terms, called, strict=True) if span in places or node.span in places]
    returned = result_term(scene.method) if problem.span == scene.method.name_span else None
    whole += [] if returned is None else [returned]
    spoken = {param.local for param in scene.method.params if f"`{param.local.name}`" in problem.message}
    return spoken | {each.local for node in whole for each in scene.flow(node) if isinstance(each, Use)}


def _records_of(declared: Annotation | None) -> tuple[Annotation, ...]:
    """What the records of a parameter may be that is declared so, without a relation or a norm."""
    match declared:
        case Anything():
            return remedies.DATASETS
        case ContainerOf(kind=Kind.VECTOR | Kind.MATRIX, element=Base() | Truth() as base, norm=None):
            return remedies.datasets(declared.kind, base) if base is not Base.DATA else ()
    return ()


def may_be_records(scene: Scene, node: Term) -> bool:
    """Whether something is a parameter that has several numbers, which may be records."""
    declared = (each.type for each in scene.method.params if isinstance(node, Use) and each.local is node.local)
    return any(isinstance(each, ContainerOf) and bool(_records_of(each)) for each in declared)


def all_records(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Several numbers of which it is not written what they are, or that are counted, are records."""
    several = _gone_over(scene)
    for param in scene.method.params:
        if isinstance(param.type, Anything) and not param.static:
            type_ = scene.type_of(param.local)
            if isinstance(type_, Container):
                yield from scene.inference.fixes(DeclareRecords(param.span, remedies.datasets(type_.kind, Base.REAL)))
            elif param.local in several and not isinstance(type_, NumberType):
                yield from scene.inference.fixes(DeclareRecords(param.span, remedies.DATASETS))


def products(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A sum of products of two vectors pairs their records, so that their order counts: a loop over both adds it up."""
    params = {param.local: param for param in scene.method.params if not param.static}
    hidden = [part for release in releases_around(scene, problem.span) for part in scene.flow(release.hidden)]
    for call in scene.terms:
        if not isinstance(call, Call | Apply) or (call not in hidden and not call.span.covers(problem.span.start)):
            continue
        used = dict.fromkeys(each.local for each in scene.flow(call) if isinstance(each, Use) and each.local in params)
        ordered = [_ordered_records(scene, params[each]) for each in used]
        for fix in scene.inference.fixes(AddProducts(call.span)) if len(used) == 2 and None not in ordered else ():
            edits = (edit for found in ordered for edit in found or ())
            yield fix._replace(edits=(*edits, *fix.edits))


def _ordered_records(scene: Scene, param: Param) -> tuple[Edit, ...] | None:
    """What declares that the records of a parameter have places; None for what has none."""
    match param.type:
        case DatasetOf(metric=metric) if metric is not None and metric.ordered:
            return ()
        case DatasetOf():
            found = scene.inference.fixes(DeclareOrdered(param.span))
        case ContainerOf(kind=Kind.VECTOR, element=Base() as base, norm=None) if base is not Base.DATA:
            records = DatasetOf(DatasetMetric.HAMMING, ContainerOf(Kind.VECTOR, base))
            found = scene.inference.fixes(DeclareRecords(param.span, (records,)))
        case Anything():
            records = DatasetOf(DatasetMetric.HAMMING, ContainerOf(Kind.VECTOR, Base.REAL))
            found = scene.inference.fixes(DeclareRecords(param.span, (records,)))
        case _:
            return None
    return next((fix.edits for fix in found), None)


def in_order(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A dataset whose records have places."""
    for node in scene.terms:
        if isinstance(node, Call) and node.span == problem.span and node.args:
            used = node.args[0]
            for param in scene.method.params:
                if isinstance(used, Use) and used.local is param.local:
                    yield from scene.inference.fixes(DeclareOrdered(param.span))


def untrusted(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What is clipped is data of which nothing is believed."""
    found = scene.argument_at(problem.span)
    for param in scene.method.params if found is not None and row(found[1]).has(Clips) else ():
        declared, used = param.type, found[0] if found is not None else None
        if isinstance(used, Use) and used.local is param.local and isinstance(declared, ContainerOf):
            data = replace(declared, element=Base.DATA, norm=None)
            yield from scene.inference.fixes(DeclareRecords(param.span, (data,)))


def public_count(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A number without a type that says how often something is done is public."""
    for node in scene.terms:
        last = _last(node)
        for param in scene.method.params if last is not None else ():
            untyped = isinstance(param.type, Anything) and not param.static
            if untyped and isinstance(last, Use) and last.local is param.local:
                found = scene.inference.publish({param.local.name})
                yield from (fix._replace(declares=True) for fix in found)


def public_rounds(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """The same where only that is wrong."""
    if any((last := _last(node)) is not None and last.span == problem.span for node in scene.terms):
        yield from public_count(scene, problem)


def _last(node: Term) -> Term | None:
    """The last of the numbers that something is done for."""
    if isinstance(node, Call) and node.builtin == remedies.COUNTING:
        return node.args[-1]
    return node.last if isinstance(node, Loop | Comprehension) else None


def public_numbers(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Numbers beside records that a bound or a sensitivity is made of are public."""
    node = scene.at(problem.span)
    names = set() if node is None or problem.fixes else {*scene.private(node)}
    params = scene.method.params
    typed = {
        each.local.name for each in params if isinstance(each.type, NumberOf | TupleOf) or each.default is not None
    }
    untyped = {each.local for each in params if isinstance(each.type, Anything) and each.default is None}
    several = _gone_over(scene)
    names -= {each.name for each in several}  # which a bound is made of by way of how many there are
    vectors = any(isinstance(each.type, ContainerOf | DatasetOf) for each in params if each.default is None)
    numbers = {each.name for each in untyped - several} if several or vectors else set[str]()
    if names and ((names <= typed and (vectors or untyped)) or names <= typed | numbers):
        yield from (fix._replace(declares=True) for fix in scene.inference.publish(names))


def _gone_over(scene: Scene) -> set[Local]:
    """The parameters that stand where records do: that are counted, or of whose numbers an average is made."""
    found = set[Local]()
    for call in scene.calls:
        node: Term | None = call.args[0] if row(call).has(RecordCount) or row(call).has(Average) else None
        while node is not None:
            node = through_names(scene, node)
            if isinstance(node, Use):
                found.add(node.local)
            node = node.args[1] if isinstance(node, Call) and node.builtin == ENTRIES else None
    return found


def missing_parameter(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A public number that a mechanism is given, and that nothing defines, is one of the parameters."""
    for node, (call, argument) in scene.arguments.items():
        release = release_of(scene, call)
        if release is not None and argument != release.noise.hidden:
            named = (each for each in scene.flow(node) if isinstance(each, Global) and each.span == problem.span)
            for each in named:
                yield from scene.inference.fixes(AddParameter(scene.method.name_span, each.name))


def public_argument(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What is given to a function in the place of a public number, and has no type, is one."""
    untyped = {each.local for each in scene.method.params if isinstance(each.type, Anything) and not each.static}
    for call in scene.terms:
        for node in call.args if isinstance(call, Apply) else ():
            if node.span == problem.span and "takes the public number" in problem.message:
                names = {
                    each.local.name for each in scene.flow(node) if isinstance(each, Use) and each.local in untyped
                }
                yield from (fix._replace(declares=True) for fix in scene.inference.publish(names) if names)


def public_beside(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Numbers without a type that records are put between, or that they are compared with, are public."""
    untyped = {each.local for each in scene.method.params if isinstance(each.type, Anything) and not each.static}
    untyped -= _gone_over(scene)
    unknown = {each.name for each in untyped if f"`{each.name}` is a number" in problem.message}
    yield from (fix._replace(declares=True) for fix in scene.inference.publish(unknown) if unknown)
    whole = problem.span == scene.method.name_span
    for call in scene.calls:
        if (call.span != problem.span and not whole) or not any(is_dataset(scene, each) for each in call.args):
            continue
        names = {each.local.name for each in call.args if isinstance(each, Use) and each.local in untyped}
        yield from (fix._replace(declares=True) for fix in scene.inference.publish(names) if names)
