"""Definitions at top level: a method becomes a scheme, a constant a judgement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.core import term
from dp_lsp.core.annotation import Annotation, Anything, ContainerOf, DatasetOf, NumberOf, compared
from dp_lsp.core.scheme import BlackBox, Effort, FunctionValue, Judgement, Scheme, Template
from dp_lsp.core.types import (
    Base,
    Container,
    DatasetMetric,
    Kind,
    NumberType,
    Type,
    TypeVariable,
    Unknown,
    can_change,
    holds_function,
)
from dp_lsp.core.values import thing, undigested
from dp_lsp.infer import assumptions, checks, conditions, functions, generalize, moves, problems, terms
from dp_lsp.infer.effects import in_sequence
from dp_lsp.infer.inference import Inference, Resolve
from dp_lsp.infer.rules import Rules
from dp_lsp.infer.solver import Solver
from dp_lsp.language import Language
from dp_lsp.problem import Problem, Severity
from dp_lsp.text import Span

_ABOUT_TYPES = {
    kind.code
    for kind in (
        problems.DoesNotFit,
        problems.MustBePublic,
        problems.NeedsTypes,
        problems.NoMethod,
        problems.NotAsCalled,
        problems.OtherNorm,
        problems.WrongArgument,
    )
}
"""Problems that may be there for some types of parameters only."""

Facts = dict[Span, tuple[Judgement, str]]


class Inferred(NamedTuple):
    """A definition after inference: what it means to others, its problems, and the facts about its expressions.

    ``judgements`` are those of its terms, for who wants to know more, and ``joined`` those of the names whose values
    loops and branches made. ``unknown`` says why nothing may be claimed of
    it, or is empty; ``solver`` puts into facts and judgements what was solved. ``shown`` is the scheme as it is
    reported: what its callers may choose is taken to be what ``assumed`` says, and so is what users give their word
    for."""

    value: FunctionValue | Judgement
    problems: tuple[Problem, ...]
    facts: Facts
    judgements: Mapping[term.Term, Judgement]
    joined: Mapping[term.Local, Judgement]
    unknown: str
    solver: Solver
    shown: Scheme | None = None
    assumed: tuple[str, ...] = ()

    @property
    def wrong(self) -> str:
        """What is wrong with it, so that nothing may be built on it; or empty."""
        return self.unknown or _first_error(self.problems)


@undigested(
    **dict.fromkeys(("text", "language", "rules", "resolve", "broken", "usual", "metric"), "the version tells of it")
)
class Setting(NamedTuple):
    """Where a definition stands, and by what it is inferred. ``broken`` says what of its text was not understood, or is
    empty, ``usual`` how many records a person has, and ``metric`` how datasets are compared, where no annotation says
    it. ``version`` is a digest of all that, or empty if it may not be inferred again."""

    text: str
    language: Language
    rules: Rules
    resolve: Resolve
    broken: str = ""
    usual: int = 1
    metric: DatasetMetric = DatasetMetric.CHANGE_ONE
    version: bytes = b""


@undigested(method="the version of its setting tells of it")
@thing
class _Template(Template):
    """A method with parameters without annotations."""

    method: term.Method
    setting: Setting

    @property
    def version(self) -> bytes:
        return self.setting.version

    def called_with(self, types: tuple[Type | None, ...], effort: Effort) -> Scheme:
        """The scheme that it would have if these were the types of its parameters. It has a reason if there is any
        error in that."""
        method = replace(self.method, params=tuple(map(_told, self.method.params, types)))
        inference, scheme, _ = _inferred_for(method, self.setting, effort, types)
        if self.setting.usual > 1:
            checks.check_records(inference, method, scheme)
        return replace(scheme, reason=inference.unknown or _first_error(inference.problems))


def _first_error(found: Iterable[Problem]) -> str:
    return next((problem.message for problem in found if problem.severity is Severity.ERROR), "")


def _told(param: term.Param, type_: Type | None) -> term.Param:
    """A parameter of a method that is called with this; what is called with a public number may count on it."""
    if isinstance(type_, NumberType) and type_.static is not None:
        return replace(param, type=NumberOf(type_.base, type_.stored), static=True)
    return param


def infer_method(method: term.Method, setting: Setting, look: Callable[[], None]) -> Inferred:
    """Infer a method. One that is not understood for whatever its parameters without annotations may be is reported for
    the first types that it is understood for."""
    method = _compared(method, setting.metric)
    effort = Effort(look)
    if method.body is None:
        return _black_box(method, setting, effort)
    scheme, found = _reported(method, setting, effort)
    if setting.version and any(isinstance(param.type, Anything) for param in method.params):
        scheme = replace(scheme, template=_Template(method, setting), reason=found.wrong)
        if any(problem.code in _ABOUT_TYPES for problem in found.problems) or _is_unbounded_vector(found):
            found = _understood(method, setting, effort, scheme, found)
    return found._replace(value=FunctionValue(method.name, (scheme,)))


def _is_unbounded_vector(found: Inferred) -> bool:
    """Whether something moves without bound with a vector. As a dataset it may not, such as a count of records."""
    if found.shown is None or all(problem.code != problems.Unbounded.code for problem in found.problems):
        return False
    return any(isinstance(param.type, Container) for param in found.shown.params)


def _compared(method: term.Method, metric: DatasetMetric) -> term.Method:
    return replace(method, params=tuple(replace(each, type=compared(each.type, metric)) for each in method.params))


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


def _inference(setting: Setting, effort: Effort) -> Inference:
    inference = Inference(
        setting.text, setting.language, setting.rules, setting.resolve, effort.look, terms.rule, effort
    )
    if setting.broken:
        inference.give_up(setting.broken)
    return inference


def _inferred_for(
    method: term.Method, setting: Setting, effort: Effort, types: tuple[Type | None, ...] = ()
) -> tuple[Inference, Scheme, generalize.Body]:
    """A method with what it is called with, inferred as others see it."""
    inference = _inference(setting, effort)
    body = functions.body(inference, method, conditions.Mark(), setting.usual, types)
    body = body._replace(effects=in_sequence((body.effects, assumptions.settle(inference))))
    return inference, generalize.scheme(inference, method, body), body


def _reported(method: term.Method, setting: Setting, effort: Effort) -> tuple[Scheme, Inferred]:
    """A method as others see it, and with all that is reported of it."""
    inference, scheme, body = _inferred_for(method, setting, effort)
    assumed = assumptions.assume(inference, method, body, scheme)
    if setting.usual > 1:
        checks.check_records(inference, method, assumed.scheme)
    if not (method.privacy or body.effects.costs or inference.unknown):
        checks.warn_unbounded(inference, assumed.scheme.result)
    if inference.problems:
        from dp_lsp.infer.mistakes import naming  # most functions have no problem

        naming.name(inference, method, setting.usual)
    elif method.privacy and _picks_rows(inference):
        from dp_lsp.infer.mistakes import chosen_rows  # and most pick no row

        chosen_rows.notice(inference, method)
    found = _inferred(inference, FunctionValue(method.name, (scheme,)))
    return scheme, found._replace(shown=assumed.scheme, assumed=(*assumed.texts, *inference.premises))


def _understood(method: term.Method, setting: Setting, effort: Effort, scheme: Scheme, found: Inferred) -> Inferred:
    """A method as it is reported for the first types for which there is no problem, or at least nothing wrong; else
    ``found``."""
    best = found
    for other in _annotated(method, setting.metric):
        _, again = _reported(other, setting, effort)
        if again.shown is not None and not again.wrong and (best.wrong or not again.problems):
            texts = assumptions.texts(scheme, again.shown)
            best = again._replace(assumed=(*texts, *again.assumed))
        if not best.problems:
            return best
    return best


def _picks_rows(inference: Inference) -> bool:
    """Whether a row is picked anywhere, which is quickly seen."""
    return any(isinstance(node, term.Call) and builtins.TABLE[node.builtin].picks for node in inference.judgements)


def infer_constant(constant: term.Constant, setting: Setting, look: Callable[[], None]) -> Inferred:
    """Infer a top-level value. It is nobody's data, so it moves with nothing."""
    inference = _inference(setting, Effort(look))
    result = inference.body(constant.term).value
    assumptions.settle(inference)
    conditions.settle(inference, conditions.Mark())
    if isinstance(inference.type(result), Unknown):
        inference.give_up("its value is not understood")
    type_ = inference.type(result)
    if can_change(type_) or (holds_function(type_) and not _is_made_here(constant.term.result)):
        inference.report(problems.ChangeableConstant.at(constant.name_span, name=constant.name))
    return _inferred(inference, Judgement(inference.type(result), moves.NOWHERE))


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
    judgements = {node: inference.seen(node.span, each) for node, each in inference.judgements.items()}
    facts = {span: (inference.seen(span, each), rule) for span, (each, rule) in inference.facts.items()}
    joined = {local: inference.seen(local.span, each) for local, each in inference.joined.items()}
    return Inferred(value, tuple(inference.problems), facts, judgements, joined, inference.unknown, inference.solver)


def _black_box(method: term.Method, setting: Setting, effort: Effort) -> Inferred:
    inference = _inference(setting, effort)
    publics = functions.publics(method)
    params = [functions.parameter(inference, param, publics) for param in method.params]
    types = tuple(None if isinstance(param.type, TypeVariable) else param.type for param in params)
    box = BlackBox(method.name, types, tuple(sorted(method.captures)))
    return _inferred(inference, FunctionValue(method.name, (), box))
