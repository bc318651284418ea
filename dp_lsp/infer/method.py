"""Definitions at top level: a method becomes a scheme, a constant a judgement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.core import term
from dp_lsp.core.annotation import compared
from dp_lsp.core.scheme import BlackBox, FunctionValue, Judgement, Scheme
from dp_lsp.core.types import DatasetMetric, TypeVariable, Unknown, can_change, holds_function
from dp_lsp.infer import assumptions, checks, conditions, dispatch, functions, generalize, moves, problems, terms
from dp_lsp.infer.inference import Inference, Resolve
from dp_lsp.infer.rules import Rules
from dp_lsp.infer.solver import Solver
from dp_lsp.problem import Problem
from dp_lsp.text import Span

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


def infer_method(
    method: term.Method,
    text: str,
    rules: Rules,
    resolve: Resolve,
    look: Callable[[], None],
    broken: str = "",
    usual: int = 1,
    metric: DatasetMetric = DatasetMetric.CHANGE_ONE,
) -> Inferred:
    """Infer a method. ``broken`` says what of its text was not understood, or is empty, ``usual`` how many records a
    person has, and ``metric`` how datasets are compared, where no annotation says it."""
    method = replace(method, params=tuple(replace(each, type=compared(each.type, metric)) for each in method.params))
    inference = Inference(text, rules, resolve, look, terms.rule)
    if broken:
        inference.give_up(broken)
    if method.body is None:
        return _black_box(inference, method)
    body = functions.body(inference, method, conditions.Mark(), usual)
    assumptions.settle(inference)
    dispatch.settle(inference)
    scheme = generalize.scheme(inference, method, body)
    assumed = assumptions.assume(inference, method, body, scheme)
    if usual > 1:
        checks.check_records(inference, method, assumed.scheme)
    if not (method.privacy or inference.spent or inference.unknown):
        checks.warn_unbounded(inference, assumed.scheme.result)
    if inference.problems:
        from dp_lsp.infer.mistakes import naming  # most functions have no problem

        naming.name(inference, method, usual)
    elif method.privacy and _picks_rows(inference):
        from dp_lsp.infer.mistakes import chosen_rows  # and most pick no row

        chosen_rows.notice(inference, method)
    return _inferred(inference, FunctionValue(method.name, (scheme,)))._replace(
        shown=assumed.scheme, assumed=(*assumed.texts, *inference.premises)
    )


def _picks_rows(inference: Inference) -> bool:
    """Whether a row is picked anywhere, which is quickly seen."""
    return any(isinstance(node, term.Call) and builtins.TABLE[node.builtin].picks for node in inference.judgements)


def infer_constant(
    constant: term.Constant, text: str, rules: Rules, resolve: Resolve, look: Callable[[], None], broken: str = ""
) -> Inferred:
    """Infer a top-level value. It is nobody's data, so it moves with nothing."""
    inference = Inference(text, rules, resolve, look, terms.rule)
    if broken:
        inference.give_up(broken)
    result = inference.body(constant.term)
    assumptions.settle(inference)
    dispatch.settle(inference)
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


def _black_box(inference: Inference, method: term.Method) -> Inferred:
    publics = functions.publics(method)
    params = [functions.parameter(inference, param, publics) for param in method.params]
    types = tuple(None if isinstance(param.type, TypeVariable) else param.type for param in params)
    box = BlackBox(method.name, types, tuple(sorted(method.captures)))
    return _inferred(inference, FunctionValue(method.name, (), box))
