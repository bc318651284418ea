"""Definitions: a method becomes a scheme, a constant a judgement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from dp_lsp.core import annotation, laws, term
from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.annotation import NumberOf
from dp_lsp.core.constraints import Origin
from dp_lsp.core.display import type_words
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.events import NOTHING, Called, Cost, Leak, Sequence, Var, mechanisms
from dp_lsp.core.metrics import has_gap
from dp_lsp.core.scheme import BlackBox, FunctionValue, Judgement, Move, Scheme, SchemeParameter
from dp_lsp.core.sens import INFINITY, ONE
from dp_lsp.core.types import (
    Base,
    Container,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    can_change,
)
from dp_lsp.infer import conditions, explain, moves, problems, terms
from dp_lsp.infer.inference import Inference, Resolve
from dp_lsp.infer.moves import first_infinite
from dp_lsp.infer.rules import Rules
from dp_lsp.infer.solver import Solver
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.text import Span

Facts = dict[Span, tuple[Judgement, str]]


class Inferred(NamedTuple):
    """A definition after inference: what it means to others, its problems, and the facts about its expressions.

    ``judgements`` are those of its terms, for who wants to know more. ``unknown`` says why nothing may be claimed of
    it, or is empty; ``solver`` puts into facts and judgements what was solved."""

    value: FunctionValue | Judgement
    problems: tuple[Problem, ...]
    facts: Facts
    judgements: Mapping[term.Term, Judgement]
    unknown: str
    solver: Solver


def infer_method(
    method: term.Method, text: str, rules: Rules, resolve: Resolve, look: Callable[[], None], broken: str = ""
) -> Inferred:
    """Infer a method. ``broken`` says what of its text was not understood, or is empty."""
    inference = Inference(text, rules, resolve, look, terms.rule)
    params = tuple(_parameter(inference, param) for param in method.params)
    if broken:
        inference.give_up(broken)
    if method.body is None:
        return _black_box(inference, method, params)
    result = inference.body(method.body)
    _check_result(inference, method, result)
    result = _with_failures(inference, method, result)
    _check_privacy(inference, method, result)
    scheme = _scheme(inference, method, params, result)
    return _inferred(inference, FunctionValue(method.name, (scheme,)))


def infer_constant(
    constant: term.Constant, text: str, rules: Rules, resolve: Resolve, look: Callable[[], None], broken: str = ""
) -> Inferred:
    """Infer a top-level value. It is nobody's data, so it moves with nothing."""
    inference = Inference(text, rules, resolve, look, terms.rule)
    if broken:
        inference.give_up(broken)
    result = inference.body(constant.term)
    conditions.settle(inference, inference.solver.substitution())
    if isinstance(inference.type(result), Unknown):
        inference.give_up("its value is not understood")
    if can_change(inference.type(result)):
        inference.report(problems.ChangeableConstant.at(constant.name_span, name=constant.name))
    return _inferred(inference, Judgement(inference.type(result), moves.NOWHERE))


def _inferred(inference: Inference, value: FunctionValue | Judgement) -> Inferred:
    judgements = {node: inference.seen(node.span, each) for node, each in inference.judgements.items()}
    return Inferred(value, tuple(inference.problems), inference.facts, judgements, inference.unknown, inference.solver)


def _parameter(inference: Inference, param: term.Param) -> SchemeParameter:
    name = param.local.name
    type_ = annotation.instantiate(param.type, name)
    if param.static and isinstance(param.type, NumberOf) and isinstance(type_, NumberType):
        symbol = Symbol(name, integer=type_.base is Base.INTEGER)
        type_ = NumberType(type_.base, Poly.of(symbol))
    public = param.static or isinstance(type_, ModelType)  # nothing is claimed about a model
    var = Var(name, gap=has_gap(type_), public=public)
    value = inference.judgement(type_, moves.own(var, param.span))
    inference.define(param.local, value)
    inference.parameters.add(param.span)
    return SchemeParameter(name, var, type_, param.static, param.span)


def _black_box(inference: Inference, method: term.Method, params: tuple[SchemeParameter, ...]) -> Inferred:
    types = tuple(None if isinstance(param.type, TypeVariable) else param.type for param in params)
    box = BlackBox(method.name, types, tuple(sorted(method.captures)))
    return _inferred(inference, FunctionValue(method.name, (), box))


def _with_failures(inference: Inference, method: term.Method, result: Judgement) -> Judgement:
    """Whether a run fails can be seen, so what decides it moves the result without bound, or leaves unprotected."""
    for failure in inference.failures:
        private = {var: move for var, move in failure.moves.items() if not var.public}
        if not method.privacy:
            together = moves.added((result.moves, private), failure.span, laws.FAILURE)
            result = Judgement(result.type, together, result.parts)
        elif private:
            first, move = next(iter(private.items()))
            inference.report(
                problems.LeavesUnprotected.at(
                    failure.span,
                    what=f"whether `{inference.written(failure.span)}` fails",
                    variable="`, `".join(sorted(var.name for var in private if not var.members)),
                    consequence="a run that fails can be told from one that does not",
                    related=explain.path(inference, move, first.name),
                )
            )
            inference.leak(frozenset(private), Origin(failure.span, "a failure"))
    return result


def _check_result(inference: Inference, method: term.Method, result: Judgement) -> None:
    """A return annotation is accepted only where the inferred type is one of its values."""
    declared = annotation.instantiate(method.result, "the result")
    given = inference.type(result)
    if not _is_within(declared, given):
        inference.report(
            problems.WrongResult.at(
                method.name_span, name=method.name, declared=type_words(declared), given=type_words(given)
            )
        )


def _is_within(declared: Type, given: Type) -> bool:
    match declared, given:
        case (TypeVariable(), _) | (_, Unknown()):
            return True
        case (NumberType(a), NumberType(b)):
            return a is b or (a is Base.REAL and b is Base.INTEGER)
        case (Container(kind=a, element=inner), Container(kind=b, element=other)):
            return a is b and _is_within(inner, other)
        case (TupleType(items), TupleType(others)):
            return len(items) == len(others) and all(map(_is_within, items, others))
        case (ModelType(), ModelType()):
            return True
    return type(declared) is type(given)


def _check_privacy(inference: Inference, method: term.Method, result: Judgement) -> None:
    mechanism = next(mechanisms(Sequence(tuple(inference.spent))), None)
    if not method.privacy:
        if inference.spent:
            name = mechanism or "a call of a private function"
            fixes = _declare_private(inference, method)
            inference.report(
                problems.NotDeclaredPrivate.at(method.name_span, name=method.name, mechanism=name, fixes=fixes)
            )
        elif not inference.unknown:
            _warn_unbounded(inference, result)
        return
    if not inference.spent and not inference.unknown:
        inference.report(problems.NoMechanism.at(method.name_span, name=method.name))
    private = {var: move for var, move in result.moves.items() if not var.public and not var.members}
    if private:
        first, move = next(iter(private.items()))
        inference.report(
            problems.LeavesUnprotected.at(
                _result_span(method),
                what=f"what `{method.name}` returns",
                variable="`, `".join(var.name for var in private),
                consequence="return only what a mechanism released, or what was made of it",
                related=explain.path(inference, move, first.name),
            )
        )
        inference.leak(frozenset(private), Origin(method.name_span, "the result"))


def _result_span(method: term.Method) -> Span:
    """Where the value of a function stands."""
    body = method.body
    while body is not None and isinstance(body.result, term.Scope):
        body = body.result.rest
    span = body.result.span if body is not None else method.name_span
    return span if span.end > span.start else method.name_span


def _declare_private(inference: Inference, method: term.Method) -> tuple[Fix, ...]:
    header = inference.text[method.header.start : method.header.end]
    end = method.header.start + len(header.rstrip())
    if not header.rstrip().endswith(")") or "::" in header[header.rfind(")") :]:
        return ()
    return (Fix("declare it with `:: Priv()`", (Edit(Span(end, end), " :: Priv()"),)),)


def _warn_unbounded(inference: Inference, result: Judgement) -> None:
    """One warning for each operation that made the result move without bound."""
    by_place: dict[Span, list[tuple[Var, Move]]] = {}
    for var, move in result.moves.items():
        if move.sens.infinite and not var.members:
            by_place.setdefault(first_infinite(move).span, []).append((var, move))
    for span, found in by_place.items():
        var, move = found[0]
        inference.report(
            problems.Unbounded.at(
                span,
                variable="`, `".join(sorted(each.name for each, _ in found)),
                cause=explain.cause(inference, move),
                related=explain.path(inference, move, var.name),
            )
        )


def _scheme(
    inference: Inference, method: term.Method, params: tuple[SchemeParameter, ...], result: Judgement
) -> Scheme:
    values = inference.solver.substitution()
    settled = conditions.settle(inference, values)
    solved = tuple(
        SchemeParameter(param.name, param.var, inference.solver.type(param.type), param.static, param.span)
        for param in params
    )
    returned = _solved(inference, result, values)
    cost = _cost(inference, method, params, values)
    if not settled.holds or (inference.spent and not method.privacy):
        returned, cost = _nothing_holds(params, returned, cost)
    symbols, norms = _owned([param.type for param in solved])
    norms |= _owned([returned.type])[1]
    return Scheme(
        method.name,
        f"({', '.join(method.signature)})",
        solved,
        returned,
        cost,
        settled.needs,
        symbols,
        norms,
        method.privacy,
        _failing(inference),
        inference.unknown,
    )


def _failing(inference: Inference) -> frozenset[Var] | None:
    if not inference.failures:
        return None
    return frozenset(var for failure in inference.failures for var in failure.moves)


def _cost(inference: Inference, method: term.Method, params: tuple[SchemeParameter, ...], values: Substitution) -> Cost:
    """What a call spends, seen from outside: only the parameters are variables, and all that is solved is put in."""
    if not inference.spent:
        return NOTHING
    along = {param.var: {param.var: ONE} for param in params}
    return Called(Sequence(tuple(inference.spent)), along, values, Origin(method.name_span, method.name))


def _nothing_holds(params: tuple[SchemeParameter, ...], returned: Judgement, cost: Cost) -> tuple[Judgement, Cost]:
    """A condition fails, or a random result is declared to be none: no bound is claimed for any parameter."""
    private = frozenset(param.var for param in params if not param.var.public)
    moved = {param.var: Move(INFINITY, param.span, laws.NOTHING_HOLDS) for param in params if param.var in private}
    if cost is not NOTHING:
        cost = Sequence((cost, Leak(private, Origin(params[0].span if params else Span(0, 0), "a condition fails"))))
    return Judgement(returned.type, moved), cost


def _solved(inference: Inference, value: Judgement, values: Substitution) -> Judgement:
    moved = {var: replace(move, sens=values.sens(move.sens)) for var, move in value.moves.items()}
    parts = tuple(_solved(inference, part, values) for part in value.parts)
    return Judgement(inference.solver.type(value.type), moved, parts)


def _owned(types: list[Type]) -> tuple[frozenset[Symbol], frozenset[NormVariable]]:
    """The symbols and norm variables in types: what a call may choose."""
    symbols: set[Symbol] = set()
    norms: set[NormVariable] = set()
    pending = list(types)
    while pending:
        match pending.pop():
            case NumberType(static=Poly() as static):
                symbols |= symbols_of(static)
            case Container(norm=norm, length=length, rows=rows, element=element):
                symbols |= symbols_of(length) | (symbols_of(rows) if rows is not None else set())
                pending.append(element)
                if isinstance(norm, NormVariable):
                    norms.add(norm)
            case ModelType(size):
                symbols |= symbols_of(size)
            case TupleType(items):
                pending.extend(items)
    return frozenset(symbols), frozenset(norms)
