"""Repairs of what people write first, made of a whole function once it is inferred: what should be between bounds, what
noise is added to, what is private and is used as if it were not. They are proposals: each is tried before it is
offered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.builtins import intervals, remedies
from dp_lsp.builtins.broadcasts import ENTRIES, ONE_BY_ONE
from dp_lsp.builtins.places import INDEX
from dp_lsp.builtins.traits import Additive, Average, Clips, DividesByLast, Indexing, Orders, Rank, RecordCount
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Annotation, Anything, ContainerOf, DatasetOf, NumberOf
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.evaluate import norms_of, symbols_of
from dp_lsp.core.sens import Sens, magnitude
from dp_lsp.core.term import (
    Apply,
    Branch,
    Call,
    Closure,
    Comprehension,
    Global,
    Literal,
    Local,
    Loop,
    MakeTuple,
    Param,
    Term,
    Use,
)
from dp_lsp.core.types import (
    Base,
    BoolType,
    Clip,
    Container,
    Dataset,
    DatasetMetric,
    FunctionType,
    Kind,
    Norm,
    NumberType,
)
from dp_lsp.infer import problems
from dp_lsp.infer.checks import result_term
from dp_lsp.infer.mistakes.noise import MechanismCall, divided, furthest, release_of
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import (
    DELTA,
    DISTANCE,
    EPSILON,
    HIGHEST,
    AddParameter,
    AddProducts,
    AddUp,
    Before,
    DeclareOrdered,
    DeclareRecords,
    Expression,
    ForEach,
    InBrackets,
    LeaveOut,
    Made,
    Passing,
    TakeLargest,
    Through,
    Write,
)
from dp_lsp.language import Familiar
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.text import Span

Rule = Callable[[Scene, Problem], Iterator[Fix]]

_ONE = "1"
_NOISY = (Norm.L1, Norm.L2)


def mended(scene: Scene, problem: Problem) -> Problem:
    """A problem with the repairs that are made of the whole function, after those that it has."""
    fixes = (fix for rule in RULES.get(problem.code, ()) for fix in rule(scene, problem))
    more = tuple(dict.fromkeys(fixes))
    return problem._replace(fixes=(*problem.fixes, *more)) if more else problem


# What repairs are made of


def _text(scene: Scene, span: Span) -> str:
    """The source text of a place, as it stands there."""
    return scene.inference.context.text[slice(*span)]


def _written(scene: Scene, node: Term) -> str:
    """The source text of a term, as it stands there."""
    return _text(scene, node.span)


def _releases(scene: Scene) -> Iterator[MechanismCall]:
    """The mechanisms that a method calls."""
    return (found for found in (release_of(scene, call) for call in scene.calls) if found is not None)


def _around(scene: Scene, span: Span) -> Iterator[MechanismCall]:
    """The mechanisms that hide something that stands at a place, or are told there how far it moves."""
    for release in _releases(scene):
        declared = release.place is not None and release.place.span == span
        if declared or any(part.span == span for part in scene.flow(release.hidden)):
            yield release


def _around_call(scene: Scene, function: Span) -> Iterator[MechanismCall]:
    """The mechanisms that hide what is made by a call of a function whose name stands at a place."""
    for release in _releases(scene):
        if any(isinstance(part, Apply) and part.function.span == function for part in scene.flow(release.hidden)):
            yield release


def _number_named(scene: Scene, *beginnings: str) -> str | None:
    """A parameter that is a number, or may be one, by what its name begins with; it may have to be declared public."""
    names = [param.local.name for param in scene.method.params if isinstance(param.type, NumberOf | Anything)]
    return next((name for name in names if name.casefold().startswith(beginnings)), None)


def _epsilon(scene: Scene) -> Expression:
    """What noise that is added is made for: the ε of the function, or that of another mechanism, or one to choose."""
    for release in _releases(scene):
        for name in release.noise.shrinks:
            node = scene.argument(release.call, name)
            if isinstance(node, Literal):
                return EPSILON._replace(default=_written(scene, node))
            if isinstance(node, Use) and not scene.private(node) and node.local not in scene.made:
                return node.local.name
    return _number_named(scene, "eps", "ε") or EPSILON


def _delta(scene: Scene) -> Expression:
    """A δ for noise that is added: a parameter named so, or one to choose."""
    return _number_named(scene, "del", "δ") or DELTA


def _far(scene: Scene, node: Term) -> Expression:
    """How far something moves, or what is asked for if no bound is known."""
    far = furthest(scene, node)
    named = all(each.name.isidentifier() for each in symbols_of(far))
    return far if named and not (far.zero or far.infinite or norms_of(far)) else DISTANCE


class Statistic(NamedTuple):
    """What noise may be added to, and how far it moves."""

    made: Expression
    far: Expression


def statistics(scene: Scene, node: Term) -> Iterator[Statistic]:
    """Statistics of a dataset, the likeliest first."""
    type_, written = scene.type(node), _written(scene, node)
    if not isinstance(type_, Dataset):
        return
    element = type_.records.element
    if isinstance(element, NumberType) and element.bounds is not None and type_.records.kind is Kind.VECTOR:
        yield Statistic(remedies.total_of(written), intervals.most(element.bounds))
    elif isinstance(element, NumberType) and type_.records.kind is Kind.VECTOR:
        yield Statistic(remedies.total_of(remedies.clamped(written)), HIGHEST)
    yield Statistic(remedies.number_of(written), _ONE)


def _hidden(scene: Scene, node: Term) -> Iterator[Expression]:
    """Something with noise that hides it, or with noise on what can be made of it."""
    if isinstance(scene.type(node), Dataset):
        for statistic in statistics(scene, node):
            yield remedies.laplace(statistic.far, _epsilon(scene), statistic.made)
    else:
        yield remedies.laplace(_far(scene, node), _epsilon(scene), _written(scene, node))


def _again(scene: Scene, release: MechanismCall, far: Expression, hidden: Expression, share: bool) -> Expression:
    """The same mechanism for something else; for one of two that ``share`` what it costs."""
    noise, arguments = release.noise, list[Expression]()
    for node in release.call.args:
        name = scene.arguments[node][1]
        if name in (noise.declares, noise.hidden):
            arguments.append(far if name == noise.declares else hidden)
        else:
            written = _written(scene, node)
            arguments.append(remedies.half(written) if share and name not in noise.grows else written)
    return Made(release.call.builtin, tuple(arguments))


def _write(scene: Scene, title: str, span: Span, made: Expression) -> Iterator[Fix]:
    """A repair that writes an expression in the place of what stands there."""
    yield from scene.inference.fixes(Write(title, ((span, made),)))


def _through_names(scene: Scene, node: Term) -> Term:
    """What a name stands for."""
    seen = set[Term]()
    while isinstance(node, Use) and node.local in scene.made and node not in seen:
        seen.add(node)
        node = scene.made[node.local]
    return node


# Bounds that are missing


def _bounds(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What has no bounds is put between some that the author chooses: where a loop adds it up, all records are."""
    node, lacks = scene.inference.recorder.lacking.get(problem.span, (None, None))
    if node is None:
        return
    releases = [*_around(scene, problem.span)]
    written = scene.written(node)
    if lacks is Descriptor.BOUNDS:
        highest = next((each for each in (_likely(scene, release) for release in releases) if each), None)
        title = f"clamp `{written}`, with bounds chosen without looking at the data"
        bounded = remedies.bounded(highest)
        yield from scene.inference.fixes(Through(title, node.span, (bounded,), sure=False))
        yield from _bounded_before(scene, node, bounded)
    elif lacks is Descriptor.ROWS:
        norm = next((each.noise.norm for each in releases if each.noise.norm in _NOISY), None) or Norm.L2
        title = f"clip the rows of `{written}` to a largest norm"
        yield from scene.inference.fixes(Through(title, node.span, (remedies.rows_bounded(norm),), sure=False))


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


def _bounded_arguments(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Records without bounds that are given to a function which needs some."""
    for call in scene.terms:
        if isinstance(call, Apply) and problem.span in (call.span, call.function.span):
            for node in call.args:
                type_ = scene.type(node)
                element = type_.records.element if isinstance(type_, Dataset) else None
                if isinstance(element, NumberType) and element.bounds is None:
                    title = f"clamp `{_written(scene, node)}`, with bounds chosen without looking at the data"
                    yield from scene.inference.fixes(Through(title, node.span, (remedies.bounded(),), sure=False))


def _bounded_release(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A number that may be any, and that noise is added to, is put between bounds that the author chooses: where a loop
    makes it, the records that this goes over."""
    for release in _releases(scene):
        if release.hidden.span == problem.span:
            yield from _bounded_before(scene, release.hidden, remedies.bounded())
        type_ = scene.type(release.hidden)
        if release.hidden.span == problem.span and isinstance(type_, NumberType) and type_.bounds is None:
            title = f"clamp `{_written(scene, release.hidden)}`, with bounds chosen without looking at the data"
            bounded = remedies.bounded(_likely(scene, release))
            yield from scene.inference.fixes(Through(title, problem.span, (bounded,), sure=False))


def _annotated(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What something is made of whose type nobody wrote, or of which only is written that there are several, are
    records."""
    used = _parameters_behind(scene, problem)
    for param in scene.method.params:
        if param.local in used and not param.static and not isinstance(scene.type_of(param.local), NumberType):
            types = _records_of(param.type)
            yield from scene.inference.fixes(DeclareRecords(param.span, types)) if types else ()


def _parameters_behind(scene: Scene, problem: Problem) -> set[Local]:
    """The parameters that what a problem is about is made of, and in functions without a name, of which the body tells
    nothing of what they are given, those that are spoken of."""
    places = {problem.span, *(each.hidden.span for each in _around(scene, problem.span))}
    called = (each.function.span if isinstance(each, Apply) else each.span for each in scene.terms)
    whole = [node for node, span in zip(scene.terms, called, strict=True) if span in places or node.span in places]
    spoken = {param.local for param in scene.method.params if f"`{param.local.name}`" in problem.message}
    return spoken | {each.local for node in whole for each in scene.flow(node) if isinstance(each, Use)}


def _records_of(declared: Annotation | None) -> tuple[Annotation, ...]:
    """What the records of a parameter may be that is declared so, without a relation or a norm."""
    match declared:
        case Anything():
            return remedies.DATASETS
        case ContainerOf(kind=Kind.VECTOR | Kind.MATRIX, element=Base() as base, norm=None) if base is not Base.DATA:
            return remedies.datasets(declared.kind, base)
    return ()


def _likely(scene: Scene, release: MechanismCall) -> str | None:
    """What was probably meant as the upper bound: what the noise is made for, where that is a name or a larger
    number."""
    place = release.place
    named = isinstance(place, Global) or (isinstance(place, Use) and place.local not in scene.made)
    large = isinstance(place, Literal) and not isinstance(place.value, bool) and place.value > 1
    return _written(scene, place) if place is not None and (named or large) else None


def _products(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A sum of products of two vectors pairs their records, so that their order counts: a loop over both adds it up."""
    params = {param.local: param for param in scene.method.params if not param.static}
    hidden = [part for release in _around(scene, problem.span) for part in scene.flow(release.hidden)]
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


# Sizes that are private


def _noisy_average(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Instead of an average of private records, a noisy sum over a noisy count."""
    for release in _around(scene, problem.span):
        average = _through_names(scene, release.hidden)
        found = _fraction(scene, average) if isinstance(average, Call) else None
        if found is None:
            continue
        total, records = found
        parts = (
            _again(scene, release, total.far, total.made, share=True),
            _again(scene, release, _ONE, remedies.number_of(records), share=True),
        )
        made = remedies.quotient(parts[0], remedies.at_least_one(parts[1]))
        yield from _write(scene, "release a noisy sum over a noisy count: `{code}`", release.call.span, made)


def _noisy_quotient(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Instead of noise on a quotient of two private numbers, which moves without bound where the lower one is near 0,
    a noisy number over another one."""
    for release in _around(scene, problem.span):
        whole = _through_names(scene, release.hidden)
        found = next((each for each in _shares(scene, whole) if _is_of_numbers(scene, each)), None)
        if found is None:
            continue
        parts = (_again(scene, release, _far(scene, each), _written(scene, each), share=True) for each in found.args)
        made = scene.inference.code.expression(remedies.quotient(*parts))
        before = _text(scene, Span(whole.span.start, found.span.start))
        after = _text(scene, Span(found.span.end, whole.span.end))
        unused = () if whole is release.hidden else _binding(scene, release.hidden, found.args)
        title = "release both numbers, and divide then: `{code}`"
        for fix in _write(scene, title, release.call.span, before + made + after):
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
    return all(scene.private(each) and not _is_dataset(scene, each) for each in quotient.args)


def _fraction(scene: Scene, average: Call) -> tuple[Statistic, str] | None:
    """What is divided by how many records there are, and of what these are."""
    if row(average).has(Average):
        records = _written(scene, average.args[0])
        type_ = scene.type(average.args[0])
        element = type_.records.element if isinstance(type_, Dataset) else None
        bounds = element.bounds if isinstance(element, NumberType) else None
        far = DISTANCE if bounds is None else intervals.most(bounds)
        return Statistic(remedies.total_of(records), far), records
    if row(average).has(DividesByLast):
        top, bottom = average.args[0], _through_names(scene, average.args[-1])
        if (
            isinstance(bottom, Call)
            and row(bottom).has(RecordCount)
            and isinstance(scene.type(bottom.args[0]), Dataset)
        ):
            return Statistic(_written(scene, top), _far(scene, top)), _written(scene, bottom.args[0])
    return None


def _noisy_quantile(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Instead of noise on the largest number, on one in the middle or on the one at a place in their order, a noisy
    choice of one near there."""
    releases = [*_around(scene, problem.span), *_around_call(scene, problem.span)]
    for release in releases:
        yield from _quantile(scene, release.hidden, release.call.span)
    for node in scene.terms if not releases else ():
        if problem.span == (node.function.span if isinstance(node, Apply) else node.span):
            yield from _quantile(scene, node, node.span)


def _quantile(scene: Scene, hidden: Term, span: Span) -> Iterator[Fix]:
    found = _through_names(scene, hidden)
    ranked = _ranked(scene, found)
    if ranked is not None:
        records, share = ranked
        type_ = scene.type(records)
        sized = not isinstance(type_, Dataset) or type_.metric.sized
        far = Poly.of(1) if sized or isinstance(share, Made) else Poly.of(max(share, 1 - share))
        wanted: Expression = share if isinstance(share, Made) else Poly.of(share)
        made = remedies.quantile_of(_written(scene, records), wanted, far, _epsilon(scene))
        kept = (found.args[-1],) if isinstance(share, Made) and isinstance(found, Call) else ()
        unused = _binding(scene, hidden, (records, *kept))
        for fix in _write(scene, "choose one of some values, with noise: `{code}`", span, made):
            yield fix._replace(edits=(*unused, *fix.edits))


def _ranked(scene: Scene, node: Term) -> tuple[Term, Fraction | Made] | None:
    """The records that something is one of, and the share of them that lies below it."""
    if isinstance(node, Call) and (rank := row(node).trait(Rank)) is not None:
        return node.args[0], rank.share
    if isinstance(node, Apply) and len(node.args) == 1:
        ordered = _sorted(scene, node.args[0])
        for end, share in ((Familiar.FIRST, Fraction(0)), (Familiar.LAST, Fraction(1))):
            if ordered is not None and _is_called(scene, node, end):
                return ordered, share
    if isinstance(node, Call) and row(node).has(Indexing) and len(node.args) == 2:
        ordered = _sorted(scene, node.args[0])
        return None if ordered is None else (ordered, _share(scene, node.args[1], ordered))
    return None


def _sorted(scene: Scene, node: Term) -> Term | None:
    """The records that something has in their order."""
    found = _through_names(scene, node)
    return found.args[0] if isinstance(found, Call) and row(found).has(Orders) and len(found.args) == 1 else None


def _share(scene: Scene, place: Term, ordered: Term) -> Fraction | Made:
    """Which share of the records in their order lies below a place: half of them where that is made of half their
    number."""
    value = _through_names(scene, place)
    if isinstance(value, Literal) and value.value == 1:
        return Fraction(0)
    if isinstance(value, Call) and row(value).has(RecordCount):
        return Fraction(1)
    parts = [*scene.flow(place)]
    if any(isinstance(each, Call) and row(each).has(RecordCount) for each in parts):
        return Fraction(1, 2)
    return remedies.quotient(_written(scene, place), remedies.number_of(_written(scene, ordered)))


def _noisy_count(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A private number of records that something is divided by, or that is decided by, is released."""
    for span in dict.fromkeys((*(each.span for each in problem.related), problem.span)):
        node = scene.at(span)
        if isinstance(node, Call) and row(node).has(RecordCount) and not [*_around(scene, span)]:
            noisy = remedies.laplace(_far(scene, node), _epsilon(scene), _written(scene, node))
            divides = any(isinstance(call, Call) and row(call).has(DividesByLast) for call in _users(scene, node))
            made = remedies.at_least_one(noisy) if divides else noisy
            yield from _write(scene, "release the number of records: `{code}`", span, made)


def _users(scene: Scene, node: Term) -> Iterator[Term]:
    """The calls that are given something by itself, or by a name."""
    for call in scene.calls:
        if any(_through_names(scene, each) is node for each in call.args):
            yield call


def _public_epsilon(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """An ε that is not public is one that the author chooses."""
    found = scene.argument_at(problem.span)
    release = None if found is None else release_of(scene, found[1])
    if not problem.fixes and found is not None and release is not None and found[2] in release.noise.shrinks:
        yield from _write(scene, "choose ε without looking at the data: `{code}`", problem.span, EPSILON)


# What noise is added to


def _statistic(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Noise is added to a statistic, and not to records."""
    for release in _releases(scene):
        if release.hidden.span == problem.span and isinstance(scene.type(release.hidden), Dataset):
            yield from _before_it(scene, release)
            for statistic in statistics(scene, release.hidden):
                far = release.place is not None and isinstance(scene.static(release.place), Poly)
                edits: list[tuple[Span, Expression]] = [(release.hidden.span, statistic.made)]
                if release.place is not None and far and not _is_enough(release, statistic.far):
                    edits.append((release.place.span, statistic.far))
                yield from scene.inference.fixes(Write("add the noise to a statistic: `{code}`", tuple(edits)))


def _before_it(scene: Scene, release: MechanismCall) -> Iterator[Fix]:
    """Of the records with noise a statistic is made: the noise is added to that statistic of the records."""
    for user in _users(scene, release.call):
        if not isinstance(user, Call) or len(user.args) != 1 or row(user).has(RecordCount):
            continue
        made = Made(user.builtin, (_written(scene, release.hidden),))
        title = "add the noise to a statistic: `{code}`"
        if user.args[0] is release.call:
            far: Expression = DISTANCE if release.place is None else _written(scene, release.place)
            yield from _write(scene, title, user.span, _again(scene, release, far, made, share=False))
        else:
            edits = ((release.hidden.span, made), (user.span, _written(scene, user.args[0])))
            yield from scene.inference.fixes(Write(title, edits))


def _is_enough(release: MechanismCall, far: Expression) -> bool:
    """Whether the noise is made for as much."""
    return release.declared is not None and isinstance(far, Sens) and magnitude(release.declared) == far


def _noise_by_record(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Noise for each record, where noise on one statistic was meant."""
    records = next((each for each in scene.terms if each.span == problem.span and _is_dataset(scene, each)), None)
    loop = next(
        (each for each in scene.terms if isinstance(each, Loop | Comprehension) and _is_in(problem, each)), None
    )
    if (
        records is None
        or loop is None
        or any(_is_within(each, loop) for each in scene.terms if isinstance(each, Branch))
    ):
        return
    for release in _releases(scene):
        if loop.span.start <= release.call.span.start and release.call.span.end <= loop.span.end:
            yield from _of_all_before(scene, release, loop, records)
            for statistic in statistics(scene, records):
                made = _again(scene, release, statistic.far, statistic.made, share=False)
                if isinstance(loop, Loop) and len(loop.carried) == 1:
                    made = Made("=", (loop.carried[0][0].name, made))
                yield from _write(scene, "add the noise to a statistic: `{code}`", loop.span, made)


def _of_all_before(scene: Scene, release: MechanismCall, loop: Term, records: Term) -> Iterator[Fix]:
    """Of the noisy records one statistic is made, and perhaps they are counted: the noise is added to the statistic,
    and the records are counted."""
    users = [each for each in _users(scene, loop) if isinstance(each, Call) and len(each.args) == 1]
    statistics_ = [each for each in users if not row(each).has(RecordCount)]
    if len(statistics_) != 1 or any(each.args[0] is loop for each in users):
        return
    far: Expression = DISTANCE if release.place is None else _written(scene, release.place)
    made = Made(statistics_[0].builtin, (_written(scene, records),))
    counted = remedies.number_of(_written(scene, records))
    edits: list[tuple[Span, Expression]] = [(loop.span, _again(scene, release, far, made, share=False))]
    edits += [(each.span, counted if row(each).has(RecordCount) else _written(scene, each.args[0])) for each in users]
    yield from scene.inference.fixes(Write("add the noise to a statistic: `{code}`", tuple(edits)))


def _is_dataset(scene: Scene, node: Term) -> bool:
    """Whether a term is known to be a dataset."""
    return isinstance(scene.type(node), Dataset)


def _is_within(node: Term, whole: Term) -> bool:
    return whole.span.start <= node.span.start and node.span.end <= whole.span.end


def _is_in(problem: Problem, node: Term) -> bool:
    """Whether a problem is about a part of a term."""
    return node.span.start <= problem.span.start and problem.span.end <= node.span.end


# What is private, and is shown


def _raw(scene: Scene, node: Term) -> Iterator[Term]:
    """The values that something is made of and that are not released, as large as they can be."""
    if release_of(scene, node) is not None or not scene.private(node):
        return
    made = scene.made.get(node.local) if isinstance(node, Use) else None
    if made is not None and any(release_of(scene, each) for each in scene.flow(made)):
        yield from _raw(scene, made)
        return
    type_ = scene.type(node)
    operands = [part for part in _parts(node) if scene.private(part)]
    of_records = any(isinstance(scene.type(part), Dataset) for part in operands)
    shown = isinstance(type_, NumberType | BoolType | Container | Dataset)
    if shown and (isinstance(node, Use) or of_records or not operands):
        yield node
        return
    for part in operands:
        yield from _raw(scene, part)


def _parts(node: Term) -> tuple[Term, ...]:
    """The terms whose values a term's value is computed of, or is one of."""
    match node:
        case Call(args=args) | Apply(args=args):
            return args
        case MakeTuple():
            return node.items
        case Branch(then=then, otherwise=otherwise):
            return then.result, otherwise.result
    return ()


def _released(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What is returned, or decided by, as it is, is what was released of it, or gets noise of its own."""
    node = scene.at(problem.span)
    whole = result_term(scene.method)
    for start in (node, whole if problem.span == scene.method.name_span else None):
        raw = [*_raw(scene, start)] if start is not None else []
        if start is whole and whole is not None:
            raw += [
                each for part in scene.flow(whole) if isinstance(part, Branch) for each in _raw(scene, part.condition)
            ]
        for each in raw:
            if _is_one_of_many(scene, each):
                continue
            yield from _by_its_release(scene, start, each)
            for hidden in _hidden(scene, each):
                yield from _write(scene, "release it by a mechanism: `{code}`", each.span, hidden)


def _is_one_of_many(scene: Scene, node: Term) -> bool:
    """Whether something is made again and again, of one record at a time: to release that is seldom meant."""
    again = (each for each in scene.terms if isinstance(each, Loop | Comprehension | Closure))
    return any(
        each.span != node.span and each.span.start <= node.span.start <= node.span.end <= each.span.end
        for each in again
    )


def _by_its_release(scene: Scene, whole: Term | None, node: Term) -> Iterator[Fix]:
    """A name of what was released of a value, where the two are not compared with each other."""
    compared = set() if whole is None or isinstance(whole, MakeTuple) else {*scene.flow(whole)}
    for bind in scene.binds:
        release = release_of(scene, bind.term)
        if release is None or len(bind.targets) != 1 or bind.span.end > node.span.start:
            continue
        if _written(scene, _through_names(scene, release.hidden)) == _written(scene, _through_names(scene, node)):
            name = bind.targets[0].name
            if any(isinstance(each, Use) and each.local is bind.targets[0] for each in compared):
                continue
            yield from _write(scene, "use what was released of it: `{code}`", node.span, name)


def _unprinted(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Leave out what prints something private."""
    yield from scene.inference.fixes(LeaveOut("do not print what is private", problem.span))


# Noise that is drawn, or that stands beside


def _by_mechanism(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Noise that is drawn and added, or drawn around a statistic, is that of a mechanism."""
    if not scene.has_noise:
        return
    for node in scene.terms:
        around = _drawn_around(scene, node)
        if isinstance(node, Apply) and around is not None and problem.span in (node.span, node.function.span):
            for hidden in _hidden(scene, around):
                yield from _write(scene, "let a mechanism add the noise: `{code}`", node.span, hidden)
    for call, operands in _sums(scene):
        noise = [each for each in operands if _draws(scene, each)]
        others = [each for each in operands if each not in noise]
        if len(noise) == 1 and len(others) == 1:
            for hidden, kept in (
                *_as_written(scene, noise[0], others[0]),
                *((each, ()) for each in _hidden(scene, others[0])),
            ):
                unused = _binding(scene, noise[0], kept)
                of_records = _is_dataset(scene, others[0])
                what = "add the noise to a statistic" if of_records else "let a mechanism add the noise"
                for fix in _write(scene, f"{what}: `{{code}}`", call.span, hidden):
                    yield fix._replace(edits=(*unused, *fix.edits))


def _sums(scene: Scene) -> Iterator[tuple[Call, tuple[Term, ...]]]:
    """The sums of two, also of each entry of one and the entry of the other one, with what they are sums of."""
    additive = [call for call in scene.calls if row(call).has(Additive) and len(call.args) == 2]
    of_entries = {call.span for call in additive if all(isinstance(each, Use) for each in call.args)}
    for call in scene.calls:
        if call in additive:
            yield call, call.args
        elif call.builtin == ENTRIES and len(call.args) == 3 and call.span in of_entries:
            yield call, call.args[1:]


def _as_written(scene: Scene, noise: Term, hidden: Term) -> Iterator[tuple[Expression, tuple[Term, ...]]]:
    """A mechanism with the distance and the ε of which the scale of the noise is made, distance / ε; with these two."""
    drawn = next((each for each in scene.flow(noise) if _is_called(scene, each, Familiar.NOISE)), None)
    scale = _through_names(scene, drawn.args[-1]) if isinstance(drawn, Apply) and drawn.args else None
    if (
        isinstance(scale, Call)
        and row(scale).has(DividesByLast)
        and len(scale.args) == 2
        and not _is_dataset(scene, hidden)
    ):
        distance, epsilon = scale.args
        if not any(_is_statistic(scene, part) for part in scene.flow(distance)):
            made = remedies.laplace(_written(scene, distance), _written(scene, epsilon), _written(scene, hidden))
            yield made, (distance, epsilon)


def _binding(scene: Scene, made: Term, kept: tuple[Term, ...]) -> tuple[Edit, ...]:
    """What takes out the lines that give something, or what is only read to make it, a name; but for what is
    ``kept``."""
    flow = {*scene.flow(made)}.difference(*map(scene.flow, kept))
    read_elsewhere = {each.local for each in scene.terms if isinstance(each, Use) and each not in flow}
    used = {each.local for each in flow if isinstance(each, Use)} - read_elsewhere
    unused = (bind for bind in scene.binds if bind.targets and used.issuperset(bind.targets))
    left_out = (scene.inference.fixes(LeaveOut("", bind.span)) for bind in unused)
    return tuple(edit for fixes in left_out for fix in fixes for edit in fix.edits)


def _is_called(scene: Scene, node: Term, *familiar: Familiar) -> bool:
    """Whether something is a call of a name without a rule of which one of these is known."""
    does = scene.inference.context.language.vocabulary.does
    return (
        isinstance(node, Apply)
        and isinstance(node.function, Global)
        and scene.inference.context.resolve(node.function.name) is None
        and any(does(node.function.name, each) for each in familiar)
    )


def _distribution(scene: Scene, node: Term) -> Term:
    """What something is drawn from, where it is drawn by a call of its own."""
    if isinstance(node, Apply) and _is_called(scene, node, Familiar.DRAWS) and node.args:
        return _through_names(scene, node.args[0])
    return node


def _statistics_given(scene: Scene, noise: Term) -> list[Term]:
    """The statistics that noise is drawn around, or may be: none where it is drawn around a number that is written."""
    if not isinstance(noise, Apply) or not noise.args or (len(noise.args) > 1 and isinstance(noise.args[0], Literal)):
        return []
    return [each for each in noise.args if any(_is_statistic(scene, part) for part in scene.flow(each))]


def _is_statistic(scene: Scene, node: Term) -> bool:
    """Whether something is what a function with a name makes of a parameter."""
    params = {param.local for param in scene.method.params}
    named = isinstance(node, Apply) or (isinstance(node, Call) and node.builtin.isidentifier())
    given = node.args if isinstance(node, Apply | Call) else ()
    return named and any(isinstance(each, Use) and each.local in params for each in given)


def _drawn_around(scene: Scene, node: Term) -> Term | None:
    """The one statistic that noise is drawn around."""
    noise = _distribution(scene, node)
    found = _statistics_given(scene, noise) if _is_called(scene, noise, Familiar.NOISE) else []
    return found[0] if len(found) == 1 else None


def _draws(scene: Scene, node: Term) -> bool:
    """Whether something is noise, and nothing private beside it: it is drawn, or called so, or a mechanism was given
    something public."""
    top = _through_names(scene, node)
    if isinstance(top, Call) and row(top).has(Additive):
        noise = [each for each in top.args if _draws(scene, each)]
        return bool(noise) and not any(scene.private(each) for each in top.args if each not in noise)
    for each in scene.flow(node):
        if _is_called(scene, each, Familiar.DRAWS, Familiar.NOISE):
            return not _statistics_given(scene, _distribution(scene, each))
        release = release_of(scene, each)
        if release is not None and not scene.private(release.hidden):
            return True
    return False


# Calls of mechanisms that are written wrongly


def _arguments(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A mechanism with one argument too many, or too few. Among too few the one that is private is what is hidden, and
    one that is called ε costs that."""
    for call in scene.calls:
        if call.span == problem.span:
            written = tuple(_written(scene, each) for each in call.args)
            hidden = [index for index, each in enumerate(call.args) if _is_private(scene, each)]
            epsilon: Expression = _epsilon(scene)
            distance: Expression = DISTANCE
            given: tuple[Expression, ...] = written
            if len(written) == 2 and len(hidden) == 1:
                other = written[1 - hidden[0]]
                if _is_epsilon(other):
                    epsilon = other
                else:
                    distance = other
                given = (distance, written[hidden[0]])
            made = remedies.completed(call.builtin, given, epsilon, _delta(scene))
            if made is not None:
                yield from _write(scene, "write `{code}`", call.span, made)


def _is_epsilon(written: str) -> bool:
    return written.casefold().startswith(remedies.NAMED[EPSILON.name])


def _is_private(scene: Scene, node: Term) -> bool:
    """Whether something is private, and not called like an ε or a δ: whose parameter may have no type yet."""
    written = _written(scene, node).casefold()
    price = (*remedies.NAMED[EPSILON.name], *remedies.NAMED[DELTA.name])
    return bool(scene.private(node)) and not (isinstance(node, Use) and written.startswith(price))


def _ordered(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A mechanism whose arguments were given in another order."""
    for call in scene.calls:
        release = release_of(scene, call)
        if release is None or release.place is None or not call.span.covers(problem.span.start):
            continue
        if problem.span not in (call.span, *(each.span for each in call.args)):
            continue
        for order in sorted(_orders(scene, release), key=lambda order: not _costs_epsilon(scene, release, order)):
            edits = tuple(
                (place.span, _written(scene, node))
                for place, node in zip(call.args, order, strict=True)
                if place != node
            )
            if edits:
                called = scene.inference.code.call(call.builtin, *(_written(scene, node) for node in order))
                yield from scene.inference.fixes(Write(f"put its arguments in order: `{called}`", edits))


def _orders(scene: Scene, release: MechanismCall) -> Iterator[list[Term]]:
    """Likely orders of the arguments: what is private is what is hidden, and ε and the distance may be exchanged."""
    arguments = list(release.call.args)
    at, place = arguments.index(release.hidden), arguments.index(release.place) if release.place else 0
    private = [index for index, node in enumerate(arguments) if _is_private(scene, node)]
    if len(private) == 1 and private[0] != at:
        rest = [node for index, node in enumerate(arguments) if index not in private]
        yield _exchanged(arguments, private[0], at)
        yield [*rest[:at], arguments[private[0]], *rest[at:]]
    elif private == [at]:
        for index, node in enumerate(arguments):
            if scene.arguments[node][1] in release.noise.shrinks:
                yield _exchanged(arguments, index, place)


def _costs_epsilon(scene: Scene, release: MechanismCall, order: list[Term]) -> bool:
    """Whether what is called ε stands, in an order, where what it costs is given."""
    places = [
        index for index, node in enumerate(release.call.args) if scene.arguments[node][1] in release.noise.shrinks
    ]
    return any(_is_epsilon(_written(scene, order[index])) for index in places)


def _exchanged(arguments: list[Term], one: int, other: int) -> list[Term]:
    """Arguments with two of them in each other's place."""
    found = [*arguments]
    found[one], found[other] = found[other], found[one]
    return found


def _without_delta(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Noise for any ε, where what is hidden is one number."""
    found = scene.argument_at(problem.span)
    release = None if found is None else release_of(scene, found[1])
    if release is None or release.place is None or found is None or found[2] not in release.noise.shrinks:
        return
    if isinstance(scene.type(release.hidden), NumberType) and release.noise.norm is Norm.L2:
        far, hidden = (_written(scene, each) for each in (release.place, release.hidden))
        made = remedies.laplace(far, _written(scene, found[0]), hidden)
        yield from _write(scene, "use Laplace noise, which any ε is possible for: `{code}`", release.call.span, made)


def _above_zero(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """An ε or a δ that is 0 or less is one that the author chooses."""
    found = scene.argument_at(problem.span)
    release = None if found is None else release_of(scene, found[1])
    value = None if found is None else scene.static(found[0])
    if found is None or release is None or value is None or value.number is None or value.number > 0:
        return
    noise = release.noise
    if found[2] in noise.shrinks:
        yield from _write(scene, "choose an ε: `{code}`", problem.span, EPSILON)
    elif found[2] not in (*noise.grows, noise.hidden, noise.declares):
        yield from _write(scene, "choose a δ: `{code}`", problem.span, DELTA)


# Records one by one


def _added_up(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A loop over records that adds up is a sum."""
    for loop in scene.terms:
        if isinstance(loop, Loop) and loop.span.covers(problem.span.start):
            yield from scene.inference.fixes(AddUp(loop.span))


def _largest(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A loop over records that keeps the largest of them, or the smallest, is that."""
    for loop in scene.terms:
        if isinstance(loop, Loop) and loop.span.covers(problem.span.start):
            yield from scene.inference.fixes(TakeLargest(loop.span))


def _in_order(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A dataset whose records have places."""
    for node in scene.terms:
        if isinstance(node, Call) and node.span == problem.span and node.args:
            used = node.args[0]
            for param in scene.method.params:
                if isinstance(used, Use) and used.local is param.local:
                    yield from scene.inference.fixes(DeclareOrdered(param.span))


def _clipped_sum(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What is bounded already need not be clipped."""
    for call in scene.calls:
        if call.span.covers(problem.span.start) and call.args and row(call).has(Clips):
            last = call.args[-1]
            type_ = scene.type(last)
            if isinstance(type_, Container) and type_.clip is Clip.U and scene.private(last):
                yield from _write(scene, "leave out the clipping: `{code}`", call.span, _written(scene, last))


def _answers(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A category is answered at random, with some categories that the author names."""
    for release in _releases(scene):
        if release.hidden.span == problem.span and isinstance(scene.type(release.hidden), NumberType):
            made = remedies.answer(_epsilon(scene), _written(scene, release.hidden))
            yield from _write(scene, "answer at random among the categories: `{code}`", release.call.span, made)


def _for_each(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A function of numbers that is given several."""
    found = scene.argument_at(problem.span)
    if found is not None and isinstance(scene.type(found[0]), Container | Dataset):
        yield from scene.inference.fixes(ForEach(found[1].callee))


def _untrusted(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """What is clipped is data of which nothing is believed."""
    found = scene.argument_at(problem.span)
    for param in scene.method.params if found is not None and row(found[1]).has(Clips) else ():
        declared, used = param.type, found[0] if found is not None else None
        if isinstance(used, Use) and used.local is param.local and isinstance(declared, ContainerOf):
            data = replace(declared, element=Base.DATA, norm=None)
            yield from scene.inference.fixes(DeclareRecords(param.span, (data,)))


def _in_brackets(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """All values of a generator, of which there may be none."""
    if any(isinstance(node, Call) and node.builtin == ONE_BY_ONE and node.span == problem.span for node in scene.terms):
        yield from scene.inference.fixes(InBrackets(problem.span))


def _called_at(scene: Scene, problem: Problem, *familiar: Familiar) -> Iterator[Apply]:
    """The calls of names without a rule, of which one of these is known, that a problem is about."""
    for node in scene.terms:
        if isinstance(node, Apply) and node.function.span == problem.span and _is_called(scene, node, *familiar):
            yield node


def _by_counting(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Whether something holds of some, or of all, is how many it holds of."""
    for node in _called_at(scene, problem, Familiar.SOME, Familiar.EVERY):
        written = tuple(_written(scene, each) for each in node.args)
        if written:
            made = (remedies.some if _is_called(scene, node, Familiar.SOME) else remedies.every)(written)
            yield from _write(scene, "count the records of which it holds: `{code}`", node.span, made)


def _whole_quotient(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A quotient that drops nothing."""
    for node in _called_at(scene, problem, Familiar.WHOLE_QUOTIENT):
        if len(node.args) == 2:
            yield divided(scene, node)


def _mark(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A mark of a declaration that is called like a function."""
    for node in _called_at(scene, problem, Familiar.MARK):
        if len(node.args) == 1:
            yield from _write(
                scene, "leave out the mark, which is no function: `{code}`", node.span, _written(scene, node.args[0])
            )


def _missing_parameter(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A public number that a mechanism is given, and that nothing defines, is one of the parameters."""
    for node, (call, argument) in scene.arguments.items():
        release = release_of(scene, call)
        if release is not None and argument != release.noise.hidden:
            named = (each for each in scene.flow(node) if isinstance(each, Global) and each.span == problem.span)
            for each in named:
                yield from scene.inference.fixes(AddParameter(scene.method.name_span, each.name))


def _by_place(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """The first entry, or the last one, by its place."""
    for node in _called_at(scene, problem, Familiar.FIRST, Familiar.LAST):
        if len(node.args) == 1:
            written = _written(scene, node.args[0])
            place = "1" if _is_called(scene, node, Familiar.FIRST) else remedies.number_of(written)
            yield from _write(scene, "write `{code}`", node.span, Made(INDEX, (written, place)))


def _public_count(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A number without a type that says how often something is done is public."""
    for node in scene.terms:
        last = _last(node)
        for param in scene.method.params if last is not None else ():
            untyped = isinstance(param.type, Anything) and not param.static
            if untyped and isinstance(last, Use) and last.local is param.local:
                found = scene.inference.publish({param.local.name})
                yield from (fix._replace(declares=True) for fix in found)


def _last(node: Term) -> Term | None:
    """The last of the numbers that something is done for."""
    if isinstance(node, Call) and node.builtin == remedies.COUNTING:
        return node.args[-1]
    return node.last if isinstance(node, Loop | Comprehension) else None


def _mapped_before(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A sum of what a function makes of records is that of all that it makes of them, of which there may be none."""
    for call in scene.calls:
        if call.span == problem.span and len(call.args) == 2 and isinstance(scene.type(call.args[0]), FunctionType):
            function, records = (_written(scene, each) for each in call.args)
            made = Made(call.builtin, (remedies.mapped(function, records),))
            yield from _write(scene, "write `{code}`", call.span, made)


def _chosen_distance(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """A sensitivity that is computed of the data is one that the author chooses."""
    for release in _releases(scene):
        if release.place is not None and release.place.span == problem.span and _is_private(scene, release.place):
            unused = _binding(scene, release.place, (release.hidden,))
            title = "choose the sensitivity without looking at the data: `{code}`"
            for fix in _write(scene, title, problem.span, DISTANCE):
                yield fix._replace(edits=(*unused, *fix.edits))


def _all_records(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Several numbers of which it is not written what they are, are records."""
    for param in scene.method.params:
        type_ = scene.type_of(param.local)
        if isinstance(param.type, Anything) and not param.static and isinstance(type_, Container):
            yield from scene.inference.fixes(DeclareRecords(param.span, remedies.datasets(type_.kind, Base.REAL)))


def _public_numbers(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Numbers beside records that a bound or a sensitivity is made of are public."""
    node = scene.at(problem.span)
    names = set() if node is None or problem.fixes else {*scene.private(node)}
    typed = {param.local.name for param in scene.method.params if isinstance(param.type, NumberOf)}
    beside = any(isinstance(param.type, ContainerOf | DatasetOf) for param in scene.method.params)
    if names and names <= typed and beside:
        yield from (fix._replace(declares=True) for fix in scene.inference.publish(names))


def _by_sum(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """The average of what are no records is their sum, divided by how many they are."""
    for call in scene.calls:
        if row(call).has(Average) and [each.span for each in call.args] == [problem.span]:
            written = _written(scene, call.args[0])
            if isinstance(scene.type(call.args[0]), Container):
                made = remedies.quotient(remedies.total_of(written), remedies.number_of(written))
                yield from _write(scene, "write `{code}`", call.span, made)


def _root(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """The root of a noisy number, instead of noise on a root."""
    square = remedies.ROOTS.get(_text(scene, problem.span))
    for release in _releases(scene) if square else ():
        hidden = _through_names(scene, release.hidden)
        if (
            square
            and isinstance(hidden, Apply)
            and hidden is not release.hidden
            and hidden.function.span == problem.span
        ):
            root = remedies.root_of(_written(scene, release.call))
            title = "release the square, and take its root: `{code}`"
            yield from scene.inference.fixes(Write(title, ((release.call.span, root), (problem.span, square))))
        start, end = release.call.span
        if start <= problem.span.start and problem.span.end <= end:
            text = (
                _text(scene, Span(start, problem.span.start)) + str(square) + _text(scene, Span(problem.span.end, end))
            )
            yield from _write(
                scene, "release the square, and take its root: `{code}`", Span(start, end), remedies.root_of(text)
            )


def _for_its_norm(scene: Scene, problem: Problem) -> Iterator[Fix]:
    """Gaussian noise, which is made for the norm that something is measured in."""
    for release in _releases(scene):
        if release.hidden.span == problem.span and release.place is not None and release.noise.norm is Norm.L1:
            far, hidden = (_written(scene, each) for each in (release.place, release.hidden))
            epsilon = next(
                (each for each in release.call.args if scene.arguments[each][1] in release.noise.shrinks), None
            )
            if epsilon is not None:
                made = remedies.gaussian(far, _written(scene, epsilon), _delta(scene), hidden)
                yield from _write(scene, "use Gaussian noise, which is made for L2: `{code}`", release.call.span, made)


RULES: dict[str, tuple[Rule, ...]] = {
    kind.code: rules
    for kind, rules in (
        (problems.DoesNotFit, (_mapped_before, _noisy_quotient, _bounds, _in_brackets, _annotated)),
        (problems.NotAsCalled, (_bounded_arguments, _annotated)),
        (problems.UnboundedInput, (_noisy_quotient, _products, _bounded_release, _annotated)),
        (problems.Unbounded, (_annotated,)),
        (problems.NoRule, (_root, _products, _noisy_quantile, _by_place, _by_counting, _whole_quotient, _annotated)),
        (problems.UnknownName, (_by_mechanism, _mark, _missing_parameter)),
        (problems.OtherNorm, (_for_its_norm,)),
        (problems.UnknownCount, (_noisy_average, _noisy_quantile)),
        (problems.PrivateCount, (_ordered, _noisy_average, _noisy_count, _public_epsilon)),
        (problems.BoundFromData, (_ordered, _all_records, _public_epsilon, _public_numbers, _chosen_distance)),
        (problems.MustBePublic, (_public_epsilon, _ordered)),
        (problems.NoiseOnRecords, (_statistic,)),
        (problems.WrongArgument, (_products, _noise_by_record, _added_up, _annotated, _for_each, _untrusted, _by_sum)),
        (problems.NoMechanism, (_released,)),
        (problems.LeavesUnprotected, (_released, _annotated)),
        (problems.PrivateBranch, (_annotated, _released)),
        (problems.PrivateOutput, (_unprinted,)),
        (problems.OwnNoise, (_by_mechanism,)),
        (problems.NoiseApart, (_by_mechanism,)),
        (problems.WrongCount, (_arguments,)),
        (problems.ConditionFails, (_above_zero, _without_delta, _annotated)),
        (problems.MoreThanAdded, (_noise_by_record, _largest)),
        (problems.NeedsTypes, (_public_count, _all_records)),
        (problems.PlaceOfRecord, (_added_up, _noisy_quantile, _in_order)),
        (problems.DataToMechanism, (_answers,)),
        (problems.InvertedNoise, (_ordered,)),
        (problems.BatchClipped, (_clipped_sum,)),
    )
}
"""What may mend a problem of each kind, the likeliest first."""
