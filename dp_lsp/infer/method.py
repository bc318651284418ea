"""Definitions at top level: a method becomes a scheme, a constant a judgement.

Whether a private function says whom it protects.

A guarantee is about neighbours, and which inputs are neighbours is decided by the type of a parameter. A dataset has
records, so its neighbours differ in what one person gave; a vector of Data has entries that are replaced. A vector or
matrix of numbers that is measured by a norm has neighbours that are at most 1 apart: another person's record may be
further away than that, and nothing is said of it. Source: the definitions of the metrics in the type system.

A statistic that nothing limits, released: a function of which it is known that it is not private.

A sum, a mean or an extreme of numbers without bounds is refused, and nothing is claimed of what is made of it. Where a
private function returns just that with noise of a public scale, and the numbers are those of a parameter as they are
given, more is known: one record may move the statistic by any amount, so no such noise hides it. (Two datasets that
differ in a record of size t move it by an amount that grows with t, and the densities of what is returned differ by a
factor that grows with it, too.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

from dp_lsp import builtins
from dp_lsp.builtins.remedies import datasets
from dp_lsp.builtins.traits import Indexing
from dp_lsp.core import annotation, term
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.annotation import Annotation, Anything, ContainerOf, DatasetOf, NumberOf, TupleOf, compared
from dp_lsp.core.constraints import Origin
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.evaluate import symbols_of
from dp_lsp.core.events import NOTHING, Called, Cost, Var, nodes, numbers
from dp_lsp.core.metrics import is_discrete
from dp_lsp.core.notation import shown, type_words
from dp_lsp.core.scheme import BlackBox, Effort, FunctionValue, Judgement, Open, Scheme, SchemeParameter, Template
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import (
    Base,
    Container,
    Dataset,
    DatasetMetric,
    FunctionType,
    Kind,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    can_change,
    holds_function,
    without_static,
)
from dp_lsp.core.values import replace, thing, undigested
from dp_lsp.infer import apply, checks, conditions, dispatch, functions, generalize, moves, problems, rows, terms
from dp_lsp.infer.checks import result_term
from dp_lsp.infer.context import Facts, Recorder, Resolve, TypingContext
from dp_lsp.infer.effects import NONE, Effects, in_sequence
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes.mending.parts import through_names
from dp_lsp.infer.mistakes.noise import release_of
from dp_lsp.infer.mistakes.scene import Scene
from dp_lsp.infer.rules import ProfileRules
from dp_lsp.infer.solver import Mismatch, Solver
from dp_lsp.intents import DeclareRecords
from dp_lsp.language import Language
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Severity


def released(inference: Inference, method: term.Method, usual: int, params: Iterable[SchemeParameter]) -> Effects:
    """The effect of releasing statistics that nothing limits, which are errors then: a leak. None where something else
    was not understood, too, or protects somebody else: what that costs is not known."""
    recorder = inference.recorder
    spans = {span for span, (_, lacks) in recorder.lacking.items() if lacks is Descriptor.BOUNDS}
    refused = {each.message for each in recorder.problems if each.unchecked and each.span in spans}
    if not method.privacy or not refused or not refused.issuperset(recorder.doubts):
        return NONE
    found = {var: node for node, var in _unlimited(Scene(inference, method, usual)) if node.span in spans}
    if not found.keys() >= {each.var for each in params if not each.static}:
        return NONE
    recorder.doubts.clear()
    for place, each in enumerate(recorder.problems):
        recorder.problems[place] = each._replace(unchecked=False)
    return in_sequence(inference.leak([var], Origin(node.span, "no bounds")) for var, node in found.items())


def _unlimited(scene: Scene) -> Iterator[tuple[term.Call, Var]]:
    """What is returned with noise of a public scale: a call on a parameter of numbers without bounds, and that."""
    params = {param.local for param in scene.method.params}
    for result in _results(scene):
        release = release_of(scene, through_names(scene, result))
        hidden = None if release is None else through_names(scene, release.hidden)
        if release is None or not isinstance(hidden, term.Call):
            continue
        others = [each for each in release.call.args if each is not release.hidden]
        data = [through_names(scene, each) for each in hidden.args]
        if any(scene.moves(each) or not isinstance(scene.type(each), NumberType) for each in others):
            continue
        for each in data:
            type_ = scene.type(each)
            if isinstance(each, term.Use) and each.local in params and isinstance(type_, Dataset):
                element = type_.records.element
                if type_.records.kind is Kind.VECTOR and isinstance(element, NumberType) and element.bounds is None:
                    yield from ((hidden, var) for var in scene.moves(each))


def _results(scene: Scene) -> Iterator[term.Term]:
    """What a method returns whatever happens: its value, and the items of a tuple."""
    waiting = [result_term(scene.method)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, term.MakeTuple):
            waiting += reversed(node.items)
        elif node is not None:
            yield node


def ask(inference: Inference, method: term.Method, shown: Scheme) -> None:
    """Report a private function whose neighbours hang on a type that nobody wrote, and warn where it protects numbers
    instead of records. Says nothing more of functions with errors. One that nobody says is private is judged where it
    is called, too, so it is not wrong."""
    written = {each.local.name: each for each in method.params}
    for param in shown.params:
        own = written.get(param.name)
        if own is None or own.static or param.static or param.var.public:
            continue
        if isinstance(own.type, Anything):
            if _has_records(param.type):
                types = (*_datasets(param.type), *_as_numbers(param.type))
                fixes = inference.fixes(DeclareRecords(param.span, types))
                asked = problems.WhomItProtects.at(param.span, name=method.name, parameter=param.name, fixes=fixes)
                inference.report(asked._replace(severity=Severity.INFORMATION) if method.presumed else asked)
        elif measured := next(_measured(param.type), None):
            _warn(inference, method, param, measured)


def _warn(inference: Inference, method: term.Method, param: SchemeParameter, measured: Container) -> None:
    fixes = inference.fixes(DeclareRecords(param.span, _datasets(param.type)))
    norm = f" in {measured.norm.value}" if isinstance(measured.norm, Norm) else ""
    inference.report(
        problems.ProtectsNumbers.at(param.span, name=method.name, parameter=param.name, norm=norm, fixes=fixes)
    )


def _has_records(type_: Type) -> bool:
    """Whether neighbours may be told by records: it is a dataset, or a vector or matrix, or holds one."""
    if isinstance(type_, TupleType):
        return any(map(_has_records, type_.items))
    return isinstance(type_, Dataset) or (isinstance(type_, Container) and type_.kind is not Kind.GRADIENT)


def _measured(type_: Type) -> Iterator[Container]:
    """The vectors and matrices of numbers whose neighbours are told by a norm."""
    match type_:
        case TupleType(items):
            for item in items:
                yield from _measured(item)
        case Container(kind=Kind.VECTOR | Kind.MATRIX) if not is_discrete(type_.element):
            yield type_


def _datasets(type_: Type) -> tuple[Annotation, ...]:
    """What declares the records of such a value."""
    container = type_.records if isinstance(type_, Dataset) else type_
    if not isinstance(container, Container):
        return ()
    return datasets(container.kind, _base(container.element))


def _as_numbers(type_: Type) -> tuple[Annotation, ...]:
    """What declares that it, or a number in its place, changes by at most 1."""
    if not isinstance(type_, Container) or is_discrete(type_.element):
        return ()
    base = _base(type_.element)
    return ContainerOf(type_.kind, base), NumberOf(base)


def _base(element: Type) -> Base:
    return element.base if isinstance(element, NumberType) else Base.REAL


_WEIGHTY = (Severity.ERROR, Severity.WARNING)
"""Of the problems of which a known mistake may be the cause; no hint is one."""
_ABOUT_TYPES = {
    kind.code
    for kind in (
        problems.DoesNotFit,
        problems.MustBePublic,
        problems.NeedsTypes,
        problems.NoMethod,
        problems.NotAsCalled,
        problems.OtherNorm,
        problems.ResultBounds,
        problems.ResultCount,
        problems.ResultNorm,
        problems.ResultRows,
        problems.WrongArgument,
        problems.WrongResult,
    )
}
"""Problems that may be there for some types of parameters only."""


class _Seen:
    """The judgements of a definition for who knows nothing of the rows of rounds and the items of tuples. They are put
    together when somebody asks: a check does not."""

    def __init__(self, context: TypingContext, recorder: Recorder) -> None:
        self._seen = context.seen
        self._recorder = recorder

    @cached_property
    def judgements(self) -> dict[term.Term, Judgement]:
        return {node: self._seen(node.span, each) for node, each in self._recorder.judgements.items()}

    @cached_property
    def facts(self) -> Facts:
        return {span: (self._seen(span, each), rule) for span, (each, rule) in self._recorder.facts.items()}

    @cached_property
    def joined(self) -> dict[term.Local, Judgement]:
        return {local: self._seen(local.span, each) for local, each in self._recorder.joined.items()}


class Inferred(NamedTuple):
    """A definition after inference: what it means to others, its problems, and what was found of its terms, for who
    wants to know more.

    ``unknown`` says why nothing may be claimed of it, or is empty; ``solver`` puts into facts and judgements what was
    solved. ``shown`` is the scheme as it is reported: what its callers may choose is taken to be what ``assumed`` says,
    and so is what users give their word for."""

    value: FunctionValue | Judgement
    problems: tuple[Problem, ...]
    seen: _Seen
    unknown: str
    solver: Solver
    shown: Scheme | None = None
    assumed: tuple[str, ...] = ()

    @property
    def judgements(self) -> Mapping[term.Term, Judgement]:
        """Those of its terms."""
        return self.seen.judgements

    @property
    def facts(self) -> Facts:
        """The judgement of each expression, and the rule that it is by, by the place."""
        return self.seen.facts

    @property
    def joined(self) -> Mapping[term.Local, Judgement]:
        """Those of the names whose values loops and branches made."""
        return self.seen.joined

    @property
    def wrong(self) -> str:
        """What is wrong with it, so that nothing may be built on it; or empty."""
        return self.unknown or _first_error(self.problems)


@undigested(
    **dict.fromkeys(("text", "language", "rules", "resolve", "broken", "usual", "metric"), "the version tells of it")
)
class InferenceSetting(NamedTuple):
    """Where a definition stands, and by what it is inferred. ``broken`` says what of its text was not understood, or is
    empty, ``usual`` how many records a person has, and ``metric`` how datasets are compared, where no annotation says
    it. ``version`` is a digest of all that, or empty if it may not be inferred again."""

    text: str
    language: Language
    rules: ProfileRules
    resolve: Resolve
    broken: str = ""
    usual: int = 1
    metric: DatasetMetric = DatasetMetric.CHANGE_ONE
    version: bytes = b""


@undigested(method="the version of its setting tells of it")
@thing
class _Template(Template):
    """A method that is read where it is called."""

    method: term.Method
    setting: InferenceSetting

    @property
    def version(self) -> bytes:
        """A digest of all that inferring it again depends on."""
        return self.setting.version

    def called_with(self, types: tuple[Type | None, ...], effort: Effort) -> Scheme:
        """The scheme that it would have if these were the types of its parameters. It has a reason if there is any
        error in that."""
        method = replace(self.method, params=tuple(map(_told, self.method.params, types)))
        inference, scheme, _ = _inferred_for(method, self.setting, effort, types)
        if _releases_unsaid(self.method, self.setting, inference.recorder.problems):
            method = replace(method, privacy=True, presumed=True)
            inference, scheme, _ = _inferred_for(method, self.setting, effort, types)
        if self.setting.usual > 1:
            checks.check_records(inference, method, scheme)
        return replace(scheme, reason=inference.recorder.unknown or _first_error(inference.recorder.problems))


def _first_error(found: Iterable[Problem]) -> str:
    """The message of the first error; empty if there is none."""
    return next((problem.message for problem in found if problem.severity is Severity.ERROR), "")


def _told(param: term.Param, type_: Type | None) -> term.Param:
    """A parameter of a method that is called with this; what is called with a public number may count on it."""
    if isinstance(type_, NumberType) and type_.static is not None:
        return replace(param, type=NumberOf(type_.base, type_.stored), static=True)
    return param


def infer_method(method: term.Method, setting: InferenceSetting, look: Callable[[], None]) -> Inferred:
    """Infer a method. One that is not understood for whatever its parameters without annotations may be is reported for
    the first types that it is understood for."""
    method = _compared(method, setting.metric)
    effort = Effort(look)
    if method.body is None:
        return _black_box(method, setting, effort)
    scheme, found = _reported(method, setting, effort)
    if _releases_unsaid(method, setting, found.problems):
        method = replace(method, privacy=True, presumed=True)
        scheme, found = _reported(method, setting, effort)
    if setting.version:
        scheme = replace(scheme, template=_Template(method, setting))
    if scheme.is_open:
        scheme = replace(scheme, reason=found.wrong)
        if any(problem.code in _ABOUT_TYPES for problem in found.problems) or _is_unbounded_vector(found):
            found = _understood(method, setting, effort, scheme, found)
    if method.privacy and setting.rules.whom and found.shown is not None and not found.wrong:
        found = _asked(method, setting, effort, found, found.shown)
    return found._replace(value=FunctionValue(method.name, (scheme,)))


def _releases_unsaid(method: term.Method, setting: InferenceSetting, found: Iterable[Problem]) -> bool:
    """Whether a function without any annotation calls what releases something, in a language in which nobody has to say
    that: then it is taken for private, by which more is asked of it."""
    unsaid = not method.privacy and all(isinstance(each.type, Anything) or _is_object(each) for each in method.params)
    is_told = any(problem.code == problems.NotDeclaredPrivate.code for problem in found)
    return unsaid and is_told and setting.language.semantics.presumes_privacy


def _is_object(param: term.Param) -> bool:
    """Whether a parameter is a public object, which says nothing of records."""
    return param.static and isinstance(param.type, TupleOf)


def _asked(method: term.Method, setting: InferenceSetting, effort: Effort, found: Inferred, shown: Scheme) -> Inferred:
    """A private method that was found to be right, with what is to be asked of whom it protects."""
    inference = _inference(setting, effort)
    ask(inference, method, shown)
    recorder = inference.recorder
    known = found.problems
    if recorder.unknown:  # what its noise really costs is said once it is said whom that protects
        known = tuple(each for each in known if each.code != problems.SmallScale.code)
    return found._replace(problems=(*known, *recorder.problems), unknown=recorder.unknown)


def _is_unbounded_vector(found: Inferred) -> bool:
    """Whether something moves without bound with a vector. As a dataset it may not, such as a count of records."""
    if found.shown is None or all(problem.code != problems.Unbounded.code for problem in found.problems):
        return False
    return any(isinstance(param.type, Container) for param in found.shown.params)


def _compared(method: term.Method, metric: DatasetMetric) -> term.Method:
    """The method with its datasets compared in the relation that is asked for, where they declare none."""
    types = [compared(param.type, metric) for param in method.params]
    if all(type_ is param.type for type_, param in zip(types, method.params, strict=True)):
        return method  # as most are
    params = (replace(param, type=type_) for type_, param in zip(types, method.params, strict=True))
    return replace(method, params=tuple(params))


def _annotated(method: term.Method, metric: DatasetMetric) -> Iterator[term.Method]:
    """A method with annotations where it has none: data first, and then numbers or public ones; or the same for all."""
    numbers, rows = ContainerOf(Kind.VECTOR, Base.REAL), ContainerOf(Kind.MATRIX, Base.REAL)
    number = NumberOf(Base.REAL)
    private: list[Annotation] = [numbers, DatasetOf(metric, numbers), DatasetOf(metric, rows), number]
    missing = sum(isinstance(param.type, Anything) for param in method.params)
    for first in private:
        others = [(number, False), (number, True), (first, False)] if missing > 1 else [(first, False)]
        for other in others:
            yield _with_annotations(method, [(first, False), *[other] * (missing - 1)])


def _with_annotations(method: term.Method, missing: list[tuple[Annotation, bool]]) -> term.Method:
    """A method with these in the place of the annotations that it lacks, each with whether it is static."""
    put = iter(missing)
    params = []
    for param in method.params:
        type_, static = next(put) if isinstance(param.type, Anything) else (param.type, param.static)
        params.append(replace(param, type=type_, static=static))
    return replace(method, params=tuple(params))


def _inference(setting: InferenceSetting, effort: Effort) -> Inference:
    """A fresh inference of a method under a setting; one that was not parsed to the end is unknown from the start."""
    context = TypingContext(setting.text, setting.language, setting.rules, setting.resolve, effort.look, effort)
    inference = Inference(context, terms.rule)
    if setting.broken:
        inference.give_up(setting.broken)
    return inference


def _inferred_for(
    method: term.Method, setting: InferenceSetting, effort: Effort, types: tuple[Type | None, ...] = ()
) -> tuple[Inference, Scheme, generalize.InferredBody]:
    """A method with what it is called with, inferred as others see it."""
    inference = _inference(setting, effort)
    body = functions.body(inference, method, inference.solver.mark(), setting.usual, types)
    body = body._replace(effects=in_sequence((body.effects, settle_open(inference))))
    if inference.recorder.lacking:
        lost = released(inference, method, setting.usual, body.params)
        body = body._replace(effects=in_sequence((body.effects, lost)))
    return inference, generalize.scheme(inference, method, body), body


def _reported(method: term.Method, setting: InferenceSetting, effort: Effort) -> tuple[Scheme, Inferred]:
    """A method as others see it, and with all that is reported of it."""
    inference, scheme, body = _inferred_for(method, setting, effort)
    assumed = assume(inference, method, body, scheme)
    if setting.usual > 1:
        checks.check_records(inference, method, assumed.scheme)
    if not (method.privacy or body.effects.costs or inference.recorder.unknown):
        checks.warn_unbounded(inference, assumed.scheme.result, body.effects)
    if not inference.recorder.unknown and assumed.scheme.cost is not NOTHING and _draws(inference):
        from dp_lsp.infer.mistakes import noise  # most functions draw no noise by its scale

        noise.too_small(inference, method, setting.usual)
    if inference.recorder.problems:
        if any(problem.severity in _WEIGHTY for problem in inference.recorder.problems):
            from dp_lsp.infer.mistakes import naming  # most functions have no problem but hints

            naming.name(inference, method, setting.usual)
    elif method.privacy and _picks_rows(inference):
        from dp_lsp.infer.mistakes import suspicions  # and most pick no row

        suspicions.chosen_rows(inference, method)
    found = _inferred(inference, FunctionValue(method.name, (scheme,)))
    shown = replace(assumed.scheme, reason=inference.recorder.unknown)
    return scheme, found._replace(shown=shown, assumed=(*assumed.texts, *inference.recorder.premises))


def _understood(
    method: term.Method, setting: InferenceSetting, effort: Effort, scheme: Scheme, found: Inferred
) -> Inferred:
    """A method as it is reported for the first types for which there is no problem, or at least nothing wrong; else
    ``found``."""
    best = found
    for other in _annotated(method, setting.metric):
        _, again = _reported(other, setting, effort)
        if _releases_unsaid(method, setting, again.problems):
            _, again = _reported(replace(other, privacy=True, presumed=True), setting, effort)
        if again.shown is not None and not again.wrong and (best.wrong or not again.problems):
            assumed = texts(scheme, again.shown)
            best = again._replace(assumed=(*assumed, *again.assumed))
        if not best.problems:
            return best
    return best


def _draws(inference: Inference) -> bool:
    """Whether noise is drawn by its scale, or a function is called that may do so, which is quickly seen."""
    return any(
        (isinstance(node, term.Apply) and _spends(inference, node.function))
        or (isinstance(node, term.Call) and _is_measured(node.builtin))
        for node in inference.recorder.judgements
    )


def _spends(inference: Inference, function: term.Term) -> bool:
    """Whether what is called spends anything."""
    known = inference.recorder.judgements.get(function)
    type_ = None if known is None else inference.type(known)
    return isinstance(type_, FunctionType) and any(each.cost is not NOTHING for each in type_.value.methods)


def _is_measured(builtin: str) -> bool:
    """Whether a builtin adds noise that is given by its scale."""
    return any(form.noise is not None and form.noise.measured for form in builtins.TABLE[builtin].forms)


def _picks_rows(inference: Inference) -> bool:
    """Whether a row is picked anywhere, which is quickly seen."""
    return any(
        isinstance(node, term.Call) and builtins.TABLE[node.builtin].has(Indexing)
        for node in inference.recorder.judgements
    )


def infer_constant(constant: term.Constant, setting: InferenceSetting, look: Callable[[], None]) -> Inferred:
    """Infer a top-level value. It is nobody's data, so it moves with nothing."""
    inference = _inference(setting, Effort(look))
    since = inference.solver.mark()
    result = inference.body(constant.term).value
    settle_open(inference)
    settled = conditions.settle(inference, since)
    if settled.needs or not settled.holds:  # nobody would meet them: the value is computed once, where it stands
        inference.give_up("it is not certain that what its value is made of has one")
    inference.publics.of_constant(constant.name)
    if isinstance(inference.type(result), Unknown):
        inference.give_up("its value is not understood")
    type_ = inference.type(result)
    if can_change(type_) or (holds_function(type_) and not _is_made_here(constant.term.result)):
        inference.report(problems.ChangeableConstant.at(constant.name_span, name=constant.name))
    boxes = tuple(inference.recorder.boxes)
    found = Judgement(inference.type(result), moves.NOWHERE, boxes=boxes, rebindable=constant.rebindable)
    inferred = _inferred(inference, found)
    return inferred._replace(problems=tuple(map(_told_only, inferred.problems)))


def _told_only(problem: Problem) -> Problem:
    """That a top-level value is not known is no mistake: nothing is claimed of it, and who uses it is told."""
    return problem._replace(severity=Severity.INFORMATION) if problem.code in _NOT_KNOWN else problem


_NOT_KNOWN = frozenset(kind.code for kind in (problems.NoRule, problems.UnknownName))


def _is_made_here(value: term.Term) -> bool:
    """Whether the functions in a top-level value are written in it, or are others of the top level. One that a call
    has made may have captured something that can be changed."""
    match value:
        case term.MakeTuple(items=parts) | term.Call(builtin=builtins.LITERAL | builtins.INDEX, args=parts):
            return all(map(_is_made_here, parts))
        case term.Branch(then=then, otherwise=otherwise):
            return _is_made_here(then.result) and _is_made_here(otherwise.result)
    return isinstance(value, term.Closure | term.Global | term.Literal)


def _inferred(inference: Inference, value: FunctionValue | Judgement) -> Inferred:
    """What was found out of a definition, as those see it who report it and who use it."""
    recorder = inference.recorder
    seen = _Seen(inference.context, recorder)
    return Inferred(value, tuple(recorder.problems), seen, recorder.unknown, inference.solver)


def _black_box(method: term.Method, setting: InferenceSetting, effort: Effort) -> Inferred:
    """A black box: its parameters are typed, and nothing is known of its result but what its caller declares."""
    inference = _inference(setting, effort)
    publics = functions.publics(method)
    params = [functions.parameter(inference, param, publics) for param in method.params]
    types = tuple(None if isinstance(param.type, TypeVariable) else param.type for param in params)
    box = BlackBox(method.name, types, tuple(sorted(method.captures)))
    return _inferred(inference, FunctionValue(method.name, (), box))


# Operations that still wait


_ROUNDS = 30  # in which operations are settled that were found when others were


class Assumed(NamedTuple):
    """A scheme as it is reported, and what was assumed for that."""

    scheme: Scheme
    texts: tuple[str, ...] = ()


def settle_open(inference: Inference) -> Effects:
    """Settle the operations that have what they waited for when a definition has been inferred. Gives the effects of
    choosing what they do."""
    effects = []
    progress = True
    while progress:
        progress = False
        for each in list(inference.solver.opens):
            if not _waits(inference, each):
                inference.solver.opens.remove(each)
                effects.append(_done(inference, each))
                progress = True
    return in_sequence(effects)


def assume(inference: Inference, method: term.Method, body: generalize.InferredBody, scheme: Scheme) -> Assumed:
    """The scheme as it is reported: every type that its operations wait for is taken to be the first that fits, which
    is said."""
    whole, taken = body, scheme
    _as_annotated(inference, method, scheme)
    if inference.solver.opens:
        settled, effects = _taken(inference, method, body.settled)
        whole = body._replace(settled=settled, effects=in_sequence((body.effects, effects)))
        taken = generalize.scheme(inference, method, whole)
    if _unsettled(inference, taken):
        inference.report(problems.NeedsTypes.at(method.name_span, name=method.name))
        taken = generalize.scheme(inference, method, whole)
    _used_otherwise(inference, method, taken)
    return Assumed(taken, tuple(dict.fromkeys(texts(scheme, taken))))


def _as_annotated(inference: Inference, method: term.Method, scheme: Scheme) -> None:
    """What is taken is of the types for which Julia runs the method, where the annotation says more than the language
    has: `AbstractVector` is taken to be a vector, `Number` a number."""
    for param, known in zip(method.params, scheme.params, strict=True):
        type_ = inference.solver.type(known.type)
        taken = annotation.of_run_time(param.seen) if isinstance(type_, TypeVariable) else None
        if taken is not None and isinstance(type_, TypeVariable):
            made = annotation.instantiate(taken, param.local.name, None, inference.code.sizes)
            inference.solver.bind_type(type_, made)


def _used_otherwise(inference: Inference, method: term.Method, scheme: Scheme) -> None:
    """Report parameters that the body uses as values for which Julia does not run the method."""
    for param, known in zip(method.params, scheme.params, strict=True):
        type_ = inference.solver.type(known.type)
        if not annotation.may_be(param.seen, type_):
            reason = f"`{param.local.name}` is used as {type_words(type_)}, which it cannot be as it is annotated"
            inference.report(problems.DoesNotFit.at(param.span, function=method.name, reason=reason))


def _taken(
    inference: Inference, method: term.Method, settled: conditions.SettledConditions
) -> tuple[conditions.SettledConditions, Effects]:
    """Settle everything but calls of functions that only a caller knows. Gives the conditions as they are then, and the
    effects of choosing what the operations do."""
    reported = len(inference.recorder.problems)
    since = inference.solver.mark()
    effects, settled_all = _take_all(inference)
    _one_function(inference)
    for need in settled.needs:  # which may be decided now that more is known
        inference.demand(*need[:4])
    again = conditions.settle(inference, since)
    if len(inference.recorder.problems) > reported or not settled_all:
        del inference.recorder.problems[reported:]
        inference.report(problems.NeedsTypes.at(method.name_span, name=method.name))
    return again._replace(holds=again.holds and settled.holds), effects


def _take_all(inference: Inference) -> tuple[Effects, bool]:
    """Settle all operations but calls of parameters: the effects, and whether that came to an end. One that calls a
    function may find operations in it that wait, too."""
    effects = []
    for _ in range(_ROUNDS):
        waiting = [each for each in inference.solver.opens if not _is_parameter(inference, each)]
        for each in waiting:
            inference.solver.opens.remove(each)
            _take(inference, each)
            effects.append(_done(inference, each))
        if not waiting:
            return in_sequence(effects), True
    return in_sequence(effects), False


def _unsettled(inference: Inference, shown: Scheme) -> bool:
    """Whether a bound or a price depends on an operation that is neither settled nor waits for a caller."""
    known = {symbol for each in shown.opens for symbol in each.symbols}
    lost = {symbol for each in inference.solver.waiting.values() for symbol in each.symbols} - known
    sides = [side for need in shown.needs for side in (need.left, need.right)]
    found = [symbols_of(side) for side in (*sides, *(move.sens for move in shown.result.moves.values()))]
    return any(not lost.isdisjoint(symbols) for symbols in (*found, *_priced_by(shown.cost)))


def _priced_by(cost: Cost) -> Iterator[set[Symbol]]:
    """The symbols of what a method spends, with all that is solved put in."""
    if not isinstance(cost, Called):
        return
    known = cost.values.symbols
    for node in nodes(cost.body):
        for number in numbers(node):
            for symbol in symbols_of(number):
                yield symbols_of(known[symbol]) if symbol in known else {symbol}


def _one_function(inference: Inference) -> None:
    """A function that is a parameter is reported as equally sensitive, and as private, wherever it is called."""
    first: dict[tuple[Type, int], Symbol] = {}
    for each in inference.solver.opens:
        if isinstance(each.callee, str):
            continue  # there are more than were settled, which is reported
        callee = inference.solver.type(each.callee)
        spent = () if each.release is None else each.release.epsilon + each.release.delta
        for index, symbol in enumerate((*each.symbols, *spent)):
            known = symbol and first.setdefault((callee, index), symbol)
            if symbol is not None and known is not None and known is not symbol:
                inference.solver.bind_factor(symbol, Sens.of(known))


def _waits(inference: Inference, each: Open) -> bool:
    """Whether a deferred operation has still to wait for the types of its arguments."""
    given = [inference.given(value) for value in each.arguments]
    if isinstance(each.callee, str):
        return rows.waits(inference, builtins.TABLE[each.callee], given)
    callee = inference.solver.type(each.callee)
    if isinstance(callee, FunctionType):
        return dispatch.waits(callee.value, [inference.given_type(value) for value in given])
    return True


def _is_parameter(inference: Inference, each: Open) -> bool:
    """Whether it is a call of a function that only a caller knows."""
    return not isinstance(each.callee, str) and isinstance(inference.solver.type(each.callee), TypeVariable)


def _take(inference: Inference, each: Open) -> None:
    """Default the open types of a deferred operation's arguments: by its row, or by what the callee declares."""
    given = [inference.given(value) for value in each.arguments]
    if isinstance(each.callee, str):
        rows.assume(inference, builtins.TABLE[each.callee], given)
        return
    callee = inference.solver.type(each.callee)
    if not isinstance(callee, FunctionType):
        return  # a call of something that turned out to be no function, which settling it says
    first = next(method for method in callee.value.methods if len(method.params) == len(given))
    for param, value in zip(first.params, map(inference.given_type, given), strict=True):
        if isinstance(value, TypeVariable):
            known = annotation.instantiate(param.declared, value.name, None, inference.code.sizes)
            inference.solver.bind_type(value, known)
        elif isinstance(value, Container) and isinstance(value.element, TypeVariable):
            inference.solver.bind_type(value.element, NumberType(Base.REAL))


def _done(inference: Inference, each: Open) -> Effects:
    """Settle an operation: its result and its factors are known from now on."""
    callee = each.callee if isinstance(each.callee, str) else inference.solver.type(each.callee)
    site = apply.Site(each.span, each.span, ())
    found = apply.attempt(inference, site, callee, [inference.given(value) for value in each.arguments])
    if found is None:
        return NONE
    solver = inference.solver
    expected, actual = solver.type(each.result), without_static(found.result)
    try:
        fits = isinstance(expected, TypeVariable) or without_static(solver.join(expected, actual)) == expected
    except Mismatch:
        fits = False
    if isinstance(expected, TypeVariable):
        solver.bind_type(expected, actual)
    if not fits:
        reason = f"its result is {type_words(actual)}, and it is used as {type_words(expected)}"
        inference.report(problems.DoesNotFit.at(each.span, function=inference.written(each.span), reason=reason))
    for symbol, factor in zip(each.symbols, found.factors, strict=True):
        if symbol is not None:
            solver.bind_factor(symbol, factor)
    return found.effects


def texts(scheme: Scheme, shown: Scheme) -> list[str]:
    """What was assumed, and what stays open, in words."""
    found = []
    for general, taken in zip(scheme.params, shown.params, strict=True):
        if not _is_open(taken.type) and (_is_open(general.type) or annotation.is_open(general.declared)):
            found.append(f"`{taken.name}` is {'a public number' if taken.static else dispatch.given_words(taken.type)}")
    found += _alike(shown)
    by_function = {param.type: param for param in shown.params}
    for each in shown.opens:
        param = by_function.get(each.callee) if not isinstance(each.callee, str) else None
        if param is not None:
            found.append(_function_text(param, each))
    return found


def _alike(shown: Scheme) -> list[str]:
    """Which parameters are taken to be of one type that is not known, as those that one value may be."""
    names: dict[Type, list[str]] = {}
    for param in shown.params:
        if isinstance(param.type, TypeVariable):
            names.setdefault(param.type, []).append(f"`{param.name}`")
    return [f"{' and '.join(alike)} are of one type" for alike in names.values() if len(alike) > 1]


def _function_text(param: SchemeParameter, each: Open) -> str:
    """What is assumed of a parameter that is called: how sensitive, or how private, it is in its arguments."""
    if not each.arguments:
        return f"`{param.name}` is a {'private ' if each.release else ''}function without arguments"
    if each.release is not None:
        pairs = zip(each.release.epsilon, each.release.delta, strict=True)
        listed = " and ".join(f"({epsilon!r}, {delta!r})" for epsilon, delta in pairs)
        return f"`{param.name}` is a private function, {listed}-private in its argument{_s(each)}"
    listed = " and ".join(map(shown, each.factors))
    return f"`{param.name}` is a function that is {listed}-sensitive in its argument{_s(each)}"


def _s(each: Open) -> str:
    """The ending of a plural."""
    return "" if len(each.arguments) == 1 else "s"


def _is_open(type_: Type) -> bool:
    """Whether a type, or that of a container's elements, is a type variable."""
    return isinstance(type_.element if isinstance(type_, Container) else type_, TypeVariable)
