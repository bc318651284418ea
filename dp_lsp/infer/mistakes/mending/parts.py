"""What repairs are made of: the mechanisms of a function, what noise can be added to, and what is written in the
place of what stands there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from dp_lsp.builtins import intervals, remedies
from dp_lsp.builtins.traits import ByRecord, Orders
from dp_lsp.core.annotation import Anything, NumberOf
from dp_lsp.core.evaluate import norms_of, symbols_of
from dp_lsp.core.sens import Sens
from dp_lsp.core.term import Apply, Bind, Call, Global, Literal, Local, Term, Use, within
from dp_lsp.core.types import BoolType, Dataset, Kind, NumberType
from dp_lsp.infer.mistakes.noise import MechanismCall, furthest, release_of
from dp_lsp.infer.mistakes.scene import Scene, row
from dp_lsp.intents import DELTA, DISTANCE, EPSILON, HIGHEST, Expression, LeaveOut, Made, Write
from dp_lsp.language import Familiar
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.text import Span

Rule = Callable[[Scene, Problem], Iterator[Fix]]
ONE = "1"


# The text


def text_at(scene: Scene, span: Span) -> str:
    """The source text of a place, as it stands there."""
    return scene.inference.context.text[slice(*span)]


def source_of(scene: Scene, node: Term) -> str:
    """The source text of a term, as it stands there."""
    return text_at(scene, node.span)


def replaced(scene: Scene, title: str, span: Span, made: Expression) -> Iterator[Fix]:
    """A repair that writes an expression in the place of what stands there."""
    yield from scene.inference.fixes(Write(title, ((span, made),)))


def unused_lines(scene: Scene, made: Term, kept: tuple[Term, ...]) -> tuple[Edit, ...]:
    """What takes out the lines that give something, or what is only read to make it, a name; but for what is
    ``kept``."""
    stays = {*within(kept)}
    gone = {*within([made])} - stays
    uses = defaultdict[Local, list[Use]](list)
    for each in scene.terms:
        if isinstance(each, Use):
            uses[each.local].append(each)
    unused, left = list[Bind](), [bind for bind in scene.binds if bind.targets]
    while True:
        more = [bind for bind in left if all(uses[each] and gone.issuperset(uses[each]) for each in bind.targets)]
        if not more:
            break
        unused += more
        left = [bind for bind in left if bind not in more]
        gone |= {*within(bind.term for bind in more)} - stays
    spans = {bind.span for bind in unused}
    outer = (bind for bind in unused if not any(is_within(bind, each) for each in spans - {bind.span}))
    left_out = (scene.inference.fixes(LeaveOut("", bind.span)) for bind in outer)
    return tuple(edit for fixes in left_out for fix in fixes for edit in fix.edits)


# Mechanisms


def releases_in(scene: Scene) -> Iterator[MechanismCall]:
    """The mechanisms that a method calls."""
    return (found for found in (release_of(scene, call) for call in scene.calls) if found is not None)


def releases_around(scene: Scene, span: Span) -> Iterator[MechanismCall]:
    """The mechanisms that hide something that stands at a place, or are told there how far it moves."""
    for release in releases_in(scene):
        declared = release.place is not None and release.place.span == span
        if declared or any(part.span == span for part in scene.flow(release.hidden)):
            yield release


def releases_around_call(scene: Scene, function: Span) -> Iterator[MechanismCall]:
    """The mechanisms that hide what is made by a call of a function whose name stands at a place."""
    for release in releases_in(scene):
        if any(isinstance(part, Apply) and part.function.span == function for part in scene.flow(release.hidden)):
            yield release


def users_of(scene: Scene, node: Term) -> Iterator[Term]:
    """The calls that are given something by itself, or by a name."""
    for call in scene.calls:
        if any(through_names(scene, each) is node for each in call.args):
            yield call


def through_names(scene: Scene, node: Term) -> Term:
    """What a name stands for."""
    seen = set[Term]()
    while isinstance(node, Use) and node.local in scene.made and node not in seen:
        seen.add(node)
        node = scene.made[node.local]
    return node


def _number_named(scene: Scene, *beginnings: str) -> str | None:
    """A parameter that is a number, or may be one, by what its name begins with; it may have to be declared public."""
    names = [param.local.name for param in scene.method.params if isinstance(param.type, NumberOf | Anything)]
    return next((name for name in names if name.casefold().startswith(beginnings)), None)


def epsilon_for(scene: Scene) -> Expression:
    """What noise that is added is made for: the ε of the function, or that of another mechanism, or one to choose."""
    for release in releases_in(scene):
        for name in release.noise.shrinks:
            node = scene.argument(release.call, name)
            if isinstance(node, Literal):
                return EPSILON._replace(default=source_of(scene, node))
            if isinstance(node, Use) and not scene.private(node) and node.local not in scene.made:
                return node.local.name
    return _number_named(scene, "eps", "ε") or EPSILON


def delta_for(scene: Scene) -> Expression:
    """A δ for noise that is added: a parameter named so, or one to choose."""
    return _number_named(scene, "del", "δ") or DELTA


def is_epsilon(written: str) -> bool:
    return written.casefold().startswith(remedies.NAMED[EPSILON.name])


def is_private(scene: Scene, node: Term) -> bool:
    """Whether something is private, and not called like an ε or a δ: whose parameter may have no type yet."""
    return bool(scene.private(node)) and not (isinstance(node, Use) and remedies.is_price(source_of(scene, node)))


def distance_of(scene: Scene, node: Term) -> Expression:
    """How far something moves, or what is asked for if no bound is known."""
    far = furthest(scene, node)
    return far if _is_named(far) and not (far.zero or far.infinite or norms_of(far)) else DISTANCE


def _is_named(amount: Sens) -> bool:
    """Whether the program has a name for all that an amount depends on."""
    return all(each.name.isidentifier() for each in symbols_of(amount))


def again(scene: Scene, release: MechanismCall, far: Expression, hidden: Expression, share: bool) -> Made:
    """The same mechanism for something else; for one of two that ``share`` what it costs."""
    noise, arguments = release.noise, list[Expression]()
    for node in release.call.args:
        name = scene.arguments[node][1]
        if name in (noise.declares, noise.hidden):
            arguments.append(far if name == noise.declares else hidden)
        else:
            written = source_of(scene, node)
            arguments.append(remedies.half(written) if share and name not in noise.grows else written)
    return Made(release.call.builtin, tuple(arguments))


# Statistics


class Statistic(NamedTuple):
    """What noise may be added to, and how far it moves."""

    made: Expression
    far: Expression


def statistics(scene: Scene, node: Term) -> Iterator[Statistic]:
    """Statistics of a dataset, the likeliest first."""
    type_, written = scene.type(node), source_of(scene, node)
    if not isinstance(type_, Dataset):
        return
    element = type_.records.element
    added_up = type_.records.kind is Kind.VECTOR and isinstance(element, NumberType | BoolType)
    if added_up and isinstance(element, NumberType):
        far = None if element.bounds is None else intervals.most(element.bounds)
        if far is not None and _is_named(far):
            yield Statistic(remedies.total_of(written), far)
        else:
            yield Statistic(remedies.total_of(remedies.clamped(written)), HIGHEST)
    elif added_up:
        yield Statistic(remedies.total_of(written), ONE)
    if not added_up or not makes_records(scene, node):  # to count them would drop what was made
        yield Statistic(remedies.number_of(written), ONE)


def makes_records(scene: Scene, node: Term) -> bool:
    """Whether records are made of others by a function."""
    found = (row(each).trait(ByRecord) for each in record_by_record(scene, node) if isinstance(each, Call))
    return ByRecord.MAPS in found


def record_by_record(scene: Scene, node: Term) -> Iterator[Term]:
    """What a dataset is made of record by record, down to what it is made of otherwise."""
    made = through_names(scene, node)
    yield made
    while isinstance(made, Call) and (row(made).has(Orders) or row(made).trait(ByRecord) in _BY_RECORD):
        made = through_names(scene, next((each for each in made.args if is_dataset(scene, each)), made.args[-1]))
        yield made


_BY_RECORD = (ByRecord.KEEPS, ByRecord.CHANGES, ByRecord.MAPS)


def with_noise(scene: Scene, node: Term) -> Iterator[Expression]:
    """Something with noise that hides it, or with noise on what can be made of it."""
    if isinstance(scene.type(node), Dataset):
        for statistic in statistics(scene, node):
            yield remedies.laplace(statistic.far, epsilon_for(scene), statistic.made)
    else:
        yield remedies.laplace(distance_of(scene, node), epsilon_for(scene), source_of(scene, node))


def is_dataset(scene: Scene, node: Term) -> bool:
    """Whether a term is known to be a dataset."""
    return isinstance(scene.type(node), Dataset)


def is_within(node: Term | Bind, whole: Span) -> bool:
    return whole.start <= node.span.start and node.span.end <= whole.end


def is_call_of(scene: Scene, node: Term, *familiar: Familiar) -> bool:
    """Whether something is a call of a name without a rule of which one of these is known."""
    does = scene.inference.context.language.vocabulary.does
    return (
        isinstance(node, Apply)
        and isinstance(node.function, Global)
        and scene.inference.context.resolve(node.function.name) is None
        and any(does(node.function.name, each) for each in familiar)
    )
