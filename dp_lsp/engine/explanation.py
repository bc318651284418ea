"""Explanations: a method's derivations, or those of one of its expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from dp_lsp.accounting.bounds import Bound, Headline, Total, headline
from dp_lsp.analysis.derivations import Conclusion, Derivation, Explanation, Premise
from dp_lsp.analysis.facts import Fact
from dp_lsp.analysis.records import FunctionReport, Options, State
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.analysis.words import free
from dp_lsp.core import laws
from dp_lsp.core.display import type_and_value
from dp_lsp.core.events import Var, variables
from dp_lsp.core.laws import LAWS
from dp_lsp.core.metrics import metric_name
from dp_lsp.core.scheme import Judgement, Move
from dp_lsp.core.sens import ONE
from dp_lsp.core.term import Apply, Closure
from dp_lsp.core.types import FunctionType
from dp_lsp.engine.charge import Charges
from dp_lsp.engine.derive import Context, Entry, Steps
from dp_lsp.engine.describe import Description, Place
from dp_lsp.engine.distributions import Consult, nothing
from dp_lsp.infer.method import Inferred
from dp_lsp.problem import Problem
from dp_lsp.text import Span


def explain(
    inferred: Inferred,
    report: FunctionReport,
    problems: tuple[Problem, ...],
    offset: int | None,
    options: Options,
    consult: Consult = nothing,
) -> Explanation:
    """The derivation of each bound of a method or, if there is an expression at the offset, of the smallest one there.
    Nothing is derived for what was not checked to the end."""
    if inferred.shown is None:
        return Explanation(report, None, (), (), (), (), problems)
    place = Place(report.span, report.name_span)
    description = Description(inferred.shown, place, options, inferred.assumed, consult=consult)
    context = Context(inferred, description)
    derivations = _Derivations(context, report)
    at = _at(inferred, offset) if offset is not None else None
    found: tuple[Derivation, ...] = ()
    if report.state is not State.UNKNOWN:
        found = (
            tuple(derivations.value(at.judgement))
            if at is not None
            else (*derivations.all(), *_inside(context, inferred, options))
        )
    printer = description.display
    conditions = tuple(
        Premise(printer.constraint(need), need.origin.reason, need.origin.span) for need in description.needs
    )
    fact = _fact(context, inferred, at) if at is not None else None
    rules, called = tuple(context.rules.values()), context.called
    numbers = tuple(_numbers(description, options)) if report.numeric and at is None else ()
    return Explanation(report, fact, found, rules, called, conditions, problems, numbers)


def _numbers(description: Description, options: Options) -> Iterator[NumericReport]:
    for group in description.bounds:
        yield from description.pricing(group).all(options.target_delta)


def _inside(context: Context, inferred: Inferred, options: Options) -> Iterator[Derivation]:
    """The derivations of the functions that are made in a method. Where a call decides what is run, only its own
    derivation has numbers."""
    for node, judgement in inferred.judgements.items():
        type_ = inferred.solver.type(judgement.type)
        if isinstance(node, Closure) and isinstance(type_, FunctionType):
            for method, scheme in zip(node.methods, type_.value.methods, strict=False):
                if scheme.opens:
                    continue
                own = {param.var for param in scheme.params}
                around = (var for var in variables(scheme.cost) - own if not var.exempt and not var.members)
                captured = sorted(around, key=lambda var: var.uid)
                place = Place(method.span, method.name_span)
                description = Description(scheme, place, options, captured=tuple(captured))
                report = description.described(State.PROVED).report
                for each in _Derivations(context.inside(description), report).all():
                    if each.steps:
                        yield each._replace(inside=scheme.name, place=method.span)


class _Expression(NamedTuple):
    """An expression, and what is known of it by a rule."""

    span: Span
    judgement: Judgement
    rule: str


def _at(inferred: Inferred, offset: int) -> _Expression | None:
    """The smallest expression at an offset. The name of what is called stands for the call."""
    called = {node.function.span for node in inferred.judgements if isinstance(node, Apply)}
    known = {node.span: _Expression(node.span, judgement, "") for node, judgement in inferred.judgements.items()}
    known |= {span: _Expression(span, judgement, rule) for span, (judgement, rule) in inferred.facts.items()}
    there = (each for span, each in known.items() if span.covers(offset) and span not in called)
    return min(there, key=lambda each: each.span.end - each.span.start, default=None)


def _fact(context: Context, inferred: Inferred, at: _Expression) -> Fact:
    type_ = inferred.solver.type(at.judgement.type)
    moving = at.judgement.moves.items()
    moves = tuple((var.name, context.short(move.sens)) for var, move in moving if not var.members)
    text, value = type_and_value(type_, context.description.display)
    return Fact(at.span, text, metric_name(type_), moves, at.rule, value=value)


class _Derivations:
    def __init__(self, context: Context, report: FunctionReport) -> None:
        self._context = context
        self._description = context.description
        self._report = report

    def all(self) -> Iterator[Derivation]:
        """One for each parameter, and one for each other variable, or group of them, that has a price."""
        scheme = self._description.scheme
        for param, report in zip(scheme.params, self._report.parameters, strict=True):
            move = scheme.result.moves.get(param.var)
            if (param.var,) in self._description.bounds:
                yield self._cost((param.var,), self._description.head(param.var))
            elif scheme.claims_privacy or move is None or param.static:
                yield Derivation((param.name,), report.shown)
            else:
                yield self._move(param.var, move)._replace(bound=report.shown)
        params = {(param.var,) for param in scheme.params}
        for group, listed in self._description.bounds.items():
            if group not in params:
                yield self._cost(group, headline(listed))

    def value(self, judgement: Judgement) -> Iterator[Derivation]:
        """One for each variable that moves a value."""
        return (self._move(var, move) for var, move in judgement.moves.items() if not var.members)

    def _move(self, var: Var, move: Move) -> Derivation:
        """How a variable comes to move a value."""
        steps = Steps(self._context, (var,))
        last = steps.move(var, move)
        shown = self._context.short(move.sens)
        conclusion = Conclusion("", last, (self._context.formula(move.sens),), shown)
        return Derivation((var.name,), shown, tuple(steps.written), (conclusion,))

    def _cost(self, group: tuple[Var, ...], head: Headline) -> Derivation:
        steps = Steps(self._context, group)
        listed = self._description.bounds[group]
        found: Iterable[Conclusion | None] = (self._conclusion(steps, each) for each in listed if each.is_pair)
        whole = self._description.totals.held.get(group)
        found = chain(found, [self._total(steps, whole)] if whole else [])
        conclusions = tuple(each for each in found if each is not None)
        names = tuple(var.name for var in group)
        bound = self._description.writing.guarantees(head.pairs, ", ")
        return Derivation(names, bound, tuple(steps.written), conclusions)

    def _conclusion(self, steps: Steps, bound: Bound) -> Conclusion | None:
        charges, distances = Charges(steps, bound), {var: ONE for var in bound.variables}
        cost = self._description.scheme.cost
        last = charges.write(cost, distances)
        if last is None:
            return None
        last = charges.closed(last, bound.measure.loss(cost, distances), distances)
        result = tuple(map(self._context.formula, (bound.price.epsilon, bound.price.delta)))
        choices = tuple(map(free, self._description.choices(bound)))
        return Conclusion(bound.rule, last, result, charges.shown(bound.price), choices)

    def _total(self, steps: Steps, whole: Total) -> Conclusion | None:
        """What rounds come to that have shares of it."""
        bound, cost = whole.bound, self._description.scheme.cost
        charges, distances = Charges(steps, bound), {var: ONE for var in bound.variables}
        last = charges.write(cost, distances)
        if last is None:
            return None
        why = LAWS[laws.TOTAL].step.format(self._context.short(whole.slack))
        entry = Entry(None, laws.TOTAL, why, (last,), (whole.slack,))
        last = steps.add(entry, bound.price, charges.shown(bound.price), distances)
        result = tuple(map(self._context.formula, bound.price))
        return Conclusion(bound.rule, last, result, charges.shown(bound.price), ())
