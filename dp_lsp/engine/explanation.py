"""Explanations: a method's derivations, or those of one of its expressions; and the steps that lead to a privacy cost:
what each release costs, and how that is put together."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterable, Iterator
from copy import copy
from itertools import chain
from math import ceil
from typing import Any

from dp_lsp import builtins
from dp_lsp.accounting.bounds import Bound, Headline, Total, headline, vacuous
from dp_lsp.accounting.symbolic import SymbolicAccount, SymbolicAdvanced
from dp_lsp.accounting.walk import PrivacyMeasure, along
from dp_lsp.analysis.details import Chain, ChainLink, PairDetail
from dp_lsp.analysis.records import (
    Conclusion,
    Derivation,
    Explanation,
    FunctionReport,
    Options,
    Premise,
    Rule,
    State,
    Step,
)
from dp_lsp.analysis.rows import NOT_AS_DECLARED, Fact, NumericReport
from dp_lsp.analysis.words import free
from dp_lsp.builtins.traits import Broadcasts
from dp_lsp.core import laws, sens
from dp_lsp.core.events import (
    Awaited,
    Called,
    Cost,
    Distances,
    Either,
    Leak,
    Parallel,
    Parts,
    Release,
    Repeat,
    Sampled,
    Sampling,
    Sequence,
    Var,
    adds_up,
    nodes,
    variables,
)
from dp_lsp.core.laws import LAWS
from dp_lsp.core.metrics import metric_name
from dp_lsp.core.notation import type_and_value
from dp_lsp.core.scheme import Judgement, Move, Moves, SchemeParameter
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.term import Apply, Call, Closure, Global, Loop, Scope, Term
from dp_lsp.core.types import Container, Dataset, FunctionType, Norm, Type
from dp_lsp.engine.describe import Description, ReportPlace, is_about_records, records
from dp_lsp.engine.distributions import Consult, nothing
from dp_lsp.infer.conditions import put as put_in
from dp_lsp.infer.method import Inferred
from dp_lsp.infer.moves import first_infinite
from dp_lsp.mechanisms.mechanism import Price
from dp_lsp.named import NamedTuple
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
    place = ReportPlace(report.span, report.name_span)
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
                place = ReportPlace(method.span, method.name_span)
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
        steps = DerivationSteps(self._context, (var,))
        last = steps.move(var, move)
        shown = self._context.short(move.sens)
        conclusion = Conclusion("", last, (self._context.formula(move.sens),), shown)
        return Derivation((var.name,), shown, tuple(steps.written), (conclusion,))

    def _cost(self, group: tuple[Var, ...], head: Headline) -> Derivation:
        steps = DerivationSteps(self._context, group)
        listed = self._description.bounds[group]
        found: Iterable[Conclusion | None] = (self._conclusion(steps, each) for each in listed if each.is_pair)
        whole = self._description.totals.held.get(group)
        found = chain(found, [self._total(steps, whole)] if whole else [])
        conclusions = tuple(each for each in found if each is not None)
        names = tuple(var.name for var in group)
        bound = self._description.writing.guarantees(head.pairs, ", ")
        return Derivation(names, bound, tuple(steps.written), conclusions)

    def _conclusion(self, steps: DerivationSteps, bound: Bound) -> Conclusion | None:
        charges, distances = _Charges(steps, bound), {var: ONE for var in bound.variables}
        cost = self._description.scheme.cost
        last = charges.write(cost, distances)
        if last is None:
            return None
        last = charges.closed(last, bound.measure.loss(cost, distances), distances)
        result = tuple(map(self._context.formula, (bound.price.epsilon, bound.price.delta)))
        choices = tuple(map(free, self._description.choices(bound)))
        return Conclusion(bound.rule, last, result, charges.shown(bound.price), choices)

    def _total(self, steps: DerivationSteps, whole: Total) -> Conclusion | None:
        """What rounds come to that have shares of it."""
        bound, cost = whole.bound, self._description.scheme.cost
        charges, distances = _Charges(steps, bound), {var: ONE for var in bound.variables}
        last = charges.write(cost, distances)
        if last is None:
            return None
        why = LAWS[laws.TOTAL].step.format(self._context.short(whole.slack))
        entry = Entry(None, laws.TOTAL, why, (last,), (whole.slack,))
        last = steps.add(entry, bound.price, charges.shown(bound.price), distances)
        result = tuple(map(self._context.formula, bound.price))
        return Conclusion(bound.rule, last, result, charges.shown(bound.price), ())


_LAWS = {
    Sampling.WITHOUT_REPLACEMENT: laws.SAMPLING,
    Sampling.WITH_REPLACEMENT: laws.SAMPLING_AGAIN,
    Sampling.POISSON: laws.SAMPLING_EACH,
}


class _Charges:
    """Writes the steps of one bound. The method's own tree is told from those of the functions it calls: these have
    derivations of their own, and are referred to."""

    def __init__(self, steps: DerivationSteps, bound: Bound) -> None:
        self._steps = steps
        self._context = steps.context
        self._measure: PrivacyMeasure[Any] = bound.measure
        self._containers: dict[Var, Var] = {}
        self._apart = set[Var]()

    def write(self, cost: Cost, distances: Distances) -> int | None:
        """The place of the step that a tree's price is; None if it costs these variables nothing. Of one without
        a bound, the way to the first step that has none."""
        distances = {var: distance for var, distance in distances.items() if not distance.zero}
        loss = self._measure.loss(cost, distances)
        if all(number.zero for _, number in self._measure.named(loss)):
            return None
        if self._measure.is_read(distances):
            return self._add(Entry(None, laws.ROWS_READ, LAWS[laws.ROWS_READ].step), distances, loss)
        match cost:
            case Release():
                return self._release(cost, distances, loss)
            case Leak(variables=variables, origin=origin):
                why = f"{LAWS[laws.UNPROTECTED].step}: {origin.reason}"
                premises = self._moves(origin.span, (var for var in distances if var in variables))
                place = None if origin.span == self._context.own else origin.span
                return self._add(Entry(place, laws.UNPROTECTED, why, premises), distances, loss)
            case Sequence() | Either():
                return self._parts(cost, distances, loss)
            case Repeat():
                return self._repeat(cost, distances, loss)
            case Sampled():
                return self._sampled(cost, distances, loss)
            case Parallel():
                return self._parallel(cost, distances, loss)
            case Parts():
                return self._lying(cost, distances, loss)
            case Called():
                return self._called(cost, distances, loss)
            case Awaited(callee=callee, origin=origin):
                why = f"{LAWS[laws.CHARGED].step.format(f'`{callee.name}`')}, which may be any private function"
                why += _group(along(part, distances) for part in cost.along)
                premises = self._moves(origin.span, distances)
                return self._add(Entry(origin.span, laws.CHARGED, why, premises), distances, loss)

    def closed(self, place: int, loss: Any, distances: Distances, sample: Sampled | None = None) -> int:
        """The place of the step that makes a pair of what was counted in something else."""
        measure = self._measure
        if (
            not isinstance(measure, SymbolicAdvanced)
            or not isinstance(loss, SymbolicAccount)
            or loss.rounds.epsilon.zero
        ):
            return place
        pair = measure.closed(loss, sample)
        slack = Sens.of(measure.slack(sample))
        why = LAWS[laws.ADVANCED].step.format(self._context.short(slack))
        entry = Entry(None if sample is None else sample.origin.span, laws.ADVANCED, why, (place,), (slack,))
        return self._steps.add(entry, pair, self.shown(pair), distances)

    def shown(self, price: Price) -> str:
        """A price for a person."""
        if price.epsilon.infinite:
            return NOT_AS_DECLARED
        return f"ε {self._context.short(price.epsilon)}, δ {self._context.short(price.delta)}"

    def _add(self, entry: Entry, distances: Distances, loss: Any) -> int:
        named = self._measure.named(loss)
        short = ((name, self._context.short(number)) for name, number in named if len(named) == 2 or not number.zero)
        unbounded = self._measure.is_unbounded(loss)
        shown = NOT_AS_DECLARED if unbounded else ", ".join(" ".join(each) for each in short)
        return self._steps.add(entry, [number for _, number in named], shown, distances)

    def _moves(self, span: Span, variables: Iterable[Var]) -> tuple[int, ...]:
        """The steps by which these variables move what a cost at this place is about."""
        moving = tuple(variables)
        found = (
            self._steps.move(var, move)
            for judgement in self._context.inputs(span)
            for var in moving
            if (move := self._move(var, judgement.moves)) is not None
        )
        return tuple(dict.fromkeys(found))

    def _move(self, var: Var, moves: Moves) -> Move | None:
        """How a variable moves a value; that of a row by the move of its container, which is what is known here."""
        if var not in self._containers:
            return moves.get(var)
        whole = self._move(self._containers[var], moves)
        return whole.before[0] if whole is not None and whole.rule == laws.OWN_ROW else whole

    def _release(self, cost: Release, distances: Distances, loss: Any) -> int:
        context, event, span = self._context, cost.event, cost.origin.span
        total = along(cost.distance, distances)
        numbers = dict(event.numbers) | dict(zip("δ", self._slack(cost), strict=False))
        named = ", ".join(f"{name} = {context.short(number)}" for name, number in numbers.items())
        why = f"{event.made_for} {context.short(event.declared)}, {named}"
        counted = context.short(total)
        alike = any(var in cost.one_way for var in distances)
        if alike and cost.factor == ONE:
            why += f"; {event.selects} move the same way, so the change counts as {counted}"
        elif counted != context.short(event.declared):
            why += f"; the change is {counted}"
        if alike and cost.factor != ONE:
            why += f"; {event.selects} move the same way, so ε counts {context.short(cost.factor)} times"
        elif cost.factor != ONE:
            why += f"; measured in another norm, it counts {context.short(cost.factor)} times"
        moving = [var for var in distances if var in cost.distance]
        premises = self._moves(span, moving)
        if len(premises) == 1 and not self._apart.isdisjoint(moving):
            premises = (self._of_a_record(premises[0], total),)
        rule = context.builtin(span) or laws.CHARGED
        times = cost.factor * sens.maximum(moved for var, moved in distances.items() if var in cost.distance)
        entry = Entry(span, rule, why, premises, (times, event.declared, *numbers.values()))
        return self._add(entry, distances, loss)

    def _of_a_record(self, whole: int, counted: Sens) -> int:
        """The step of what one record does to a part, where that is less than what a step says of all of them: as in
        one of several rounds, of which a step says what holds in each."""
        step = self._steps.written[whole]
        if self._context.formula(counted) in step.result:
            return whole
        entry = Entry(step.span, laws.RECORDS, LAWS[laws.RECORDS].step, (whole,), (ONE,))
        return self._steps.add(entry, [counted], self._context.short(counted), ())

    def _slack(self, cost: Repeat | Release) -> tuple[Sens, ...]:
        """The share of δ that was chosen for a cost, if one was."""
        return tuple(Sens.of(each.symbol) for each in self._measure.choices if each.origin is cost.origin)

    def _parts(self, cost: Sequence | Either, distances: Distances, loss: Any) -> int:
        """Several costs, of which one alone is what it costs; of those without a bound the first is enough."""
        lost = [(part, self._measure.loss(part, distances)) for part in cost.parts]
        charged = [(part, each) for part, each in lost if self._measure.is_unbounded(each)][:1] or lost
        places = [self.write(part, distances) for part, _ in charged]
        premises = tuple(place for place in places if place is not None)
        rule = laws.SEQUENCE if isinstance(cost, Sequence) else laws.CHOICE
        if len(premises) == 1 or (rule == laws.CHOICE and len(set(premises)) == 1):
            return premises[0]
        why = LAWS[rule].step
        if rule == laws.SEQUENCE:
            why += ": " + ", ".join(self._sums([each for _, each in charged]))
        return self._add(Entry(None, rule, why, premises, (ONE,) * len(premises)), distances, loss)

    def _sums(self, losses: list[Any]) -> Iterable[str]:
        """What adds up, by name."""
        found: dict[str, list[str]] = {}
        for loss in losses:
            for name, number in self._measure.named(loss):
                found.setdefault(name, []).extend([] if number.zero else [self._context.short(number)])
        return (f"{name} {PLUS.join(numbers) or '0'}" for name, numbers in found.items())

    def _repeat(self, cost: Repeat, distances: Distances, loss: Any) -> int | None:
        self._containers |= {var: outer for var, place in cost.places.items() for outer in place.along}
        ways = self._measure.ways(cost, distances)
        ((number, moved), *_), *_ = ways
        read = [along(place.along, distances) for var, place in cost.places.items() if var in moved]
        apart = bool(read) and moved.keys() <= cost.places.keys()
        if apart and (number == ONE or len(ways) > 1):
            return self._places(cost, moved if len(ways) == 1 else dict.fromkeys(moved, ONE), distances, loss)
        body = self.write(cost.body, moved)
        if self._measure.is_unbounded(loss):
            return body
        rule = self._measure.rule
        if isinstance(loss, SymbolicAccount):
            rule = laws.BASIC if loss.rounds.epsilon.zero else laws.ROUNDS
        why = LAWS[rule].step.format(self._context.short(number))
        if apart:
            why = f"{self._spread(cost, moved, read[0])}: {why}"
        slack = self._slack(cost)
        if slack:
            why += f", with δ' = {self._context.short(slack[0])}"
        premises = () if body is None else (body,)
        return self._add(Entry(cost.origin.span, rule, why, premises, (number, *slack)), distances, loss)

    def _places(self, cost: Repeat, moved: Distances, distances: Distances, loss: Any) -> int | None:
        """What one round costs: the only one that differs, if that costs most, else one at one step."""
        body = self.write(cost.body, moved)
        if self._measure.is_unbounded(loss):
            return body
        (far,) = (along(place.along, distances) for var, place in cost.places.items() if var in moved)
        why = self._spread(cost, moved, far)
        premises = () if body is None else (body,)
        return self._add(Entry(cost.origin.span, laws.PLACES, why, premises, (far,)), distances, loss)

    def _spread(self, cost: Repeat, moved: Distances, far: Sens) -> str:
        """How what moves so far is spread over the rounds of a loop, in words."""
        each = max(place.each for var, place in cost.places.items() if var in moved)
        why = LAWS[laws.PLACES].step.format(self._context.short(far))
        return why if each == 1 else f"{why}, one step in up to {each} rounds"

    def _sampled(self, cost: Sampled, distances: Distances, loss: Any) -> int | None:
        """What is spent on a row that is drawn is amplified; what is spent past the sample is not."""
        row = {cost.record: ONE}
        direct = self.write(cost.body, distances)
        if all(along(moved, distances).zero for moved in cost.along.values()):
            return direct
        measure = self._measure
        if direct is not None and measure.is_unbounded(measure.loss(cost.body, distances)):
            return direct
        drawn = () if cost.aligned else self._moves(cost.origin.span, distances)
        inside = measure.loss(cost.body, row)
        within = self.write(cost.body, row)
        if within is None or measure.is_unbounded(inside):
            return within
        within = self.closed(within, inside, row, cost)
        short = self._context.short
        law = _LAWS[cost.scheme]
        numbers = (cost.draws,) if cost.scheme is Sampling.POISSON else (cost.draws, cost.rows)
        why = LAWS[law].step.format(*map(short, numbers))
        amplified = measure.amplified(cost, inside)
        entry = Entry(cost.origin.span, law, why, (within, *drawn), numbers)
        once = self._add(entry, distances, amplified)
        if amplified == loss:
            return once
        premises = (once,) if direct is None else (once, direct)
        why = "once for each way in which a change reaches the sample"
        if direct is None and measure.steps(cost) > 1:
            why = "a row that differs is a row less and a row more"
        rows = _group(along(moved, distances) for moved in cost.along.values())
        if direct is None and rows:
            why = rows.removeprefix("; ")
        if measure.is_unbounded(loss):
            why = "no number says how far it moves what is drawn"
        elif direct is not None:
            why = "in the sample and past it"
        return self._add(Entry(cost.origin.span, law, why, premises), distances, loss)

    def _parallel(self, cost: Parallel, distances: Distances, loss: Any) -> int | None:
        """What is done with one part: if all steps are made in it, where that costs most, else at one step."""
        total, unbounded = along(cost.along, distances), self._measure.is_unbounded(loss)
        inside = self.write(cost.body, {cost.part: total if unbounded or adds_up(cost.body) else ONE})
        if unbounded:
            return inside
        why = LAWS[laws.PARALLEL].step.format(self._context.short(total))
        moved = self._moves(cost.origin.span, (var for var in distances if var in cost.along))
        premises = moved if inside is None else (inside, *moved)
        return self._add(Entry(cost.origin.span, laws.PARALLEL, why, premises, (total,)), distances, loss)

    def _lying(self, cost: Parts, distances: Distances, loss: Any) -> int | None:
        """What each way costs in which the records can lie; of those without a bound the first is enough. A single way
        in which entries can move stands for all releases together: what each costs is shown."""
        self._containers |= dict.fromkeys(cost.parts, cost.whole)
        self._apart |= frozenset() if cost.scaled else cost.parts
        far = distances.get(cost.whole)
        if far is not None and cost.scaled and len(cost.ways) == 1 and not self._measure.is_unbounded(loss):
            return self._together(cost, far, distances, loss)
        ways = [(way, self._measure.loss(cost.body, way)) for way in self._measure.lying(cost, distances)]
        ways = [each for each in ways if self._measure.is_unbounded(each[1])][:1] or ways
        places = [self.write(cost.body, way) for way, _ in ways]
        premises = tuple(dict.fromkeys(place for place in places if place is not None))
        if len(premises) == 1:
            return premises[0]
        law = laws.ENTRIES if cost.scaled else laws.DISJOINT
        return self._add(Entry(None, law, LAWS[law].step, premises, (ONE,) * len(premises)), distances, loss)

    def _together(self, cost: Parts, far: Sens, distances: Distances, loss: Any) -> int | None:
        """What Laplace noise on linear functions costs beside all else, as one of them that moves so far."""
        (times,) = (each for each in cost.ways[0].values() if not each.zero)
        places = [self.write(cost.body, each) for each in (*({part: far} for part in cost.parts), distances)]
        premises = tuple(dict.fromkeys(place for place in places if place is not None))
        why = LAWS[laws.TOGETHER].step.format(self._context.short(times))
        return self._add(Entry(None, laws.TOGETHER, why, premises, (ONE,) * len(premises)), distances, loss)

    def _called(self, cost: Called, distances: Distances, loss: Any) -> int | None:
        inner = {param: along(moved, distances) for param, moved in cost.along.items()}
        if cost.origin.span == self._context.own:
            return self.write(cost.body, inner)
        context, name = self._context, cost.origin.reason
        row = context.builtin(cost.origin.span)
        if row is None:
            context.callees.setdefault(name)
        why = LAWS[laws.CHARGED].step.format(f"`{name}`") if row is None else f"the function that `{row}` is given"
        changes = [f"{context.short(moved)} in `{param.name}`" for param, moved in inner.items() if not moved.zero]
        why += f", for a change of at most {' and '.join(changes)}"
        display, put = context.description.display, cost.values.symbols.items()
        given = [(symbol.name, display.quantity(put_in(context.values, value))) for symbol, value in put]
        settings = [f"{symbol} = {value}" for symbol, value in given if symbol.isidentifier() and symbol != value]
        if settings:
            why += f", with {', '.join(settings)}"
        premises = self._moves(cost.origin.span, distances)
        return self._add(Entry(cost.origin.span, laws.CHARGED, why, premises), distances, loss)


def _group(distances: Iterable[Sens]) -> str:
    """That a change of several steps is charged as a group, if one is."""
    steps = [ceil(each.number) for each in distances if each.number is not None and each.number > 1]
    return f"; a change of {max(steps)} steps is one of a group" if steps else ""


# The chain from a change of a dataset to what a private function tells of it.

_LEFT_OUT = "…"
_Told = Release | Called | Awaited | Sampled | Parallel
_SILENT = frozenset((laws.PARAMETER, laws.PERSON, laws.NAME, laws.PERSONS, builtins.LITERAL))
_NAMES = {
    laws.BRANCH: "branch",
    laws.CONDITION: "branch",
    laws.CAP: "",
    laws.RECORDS: "one sum",
    laws.LARGEST: "",
    laws.LOOP: "loop",
    laws.OWN_ROW: "rows",
}


def chains(description: Description, inferred: Inferred) -> Iterator[Chain]:
    """One for each dataset that the function protects."""
    context = _Chains(description, inferred)
    for param in description.scheme.params:
        found = context.chain(param) if is_about_records(param) else None
        if found is not None:
            yield found


class _Chains:
    def __init__(self, description: Description, inferred: Inferred) -> None:
        self._description = description
        self._context = Context(inferred, description)
        self._types: dict[Span, Type] = {}
        for node, judgement in inferred.judgements.items():
            self._types[node.span] = inferred.solver.type(judgement.type)

    def chain(self, param: SchemeParameter) -> Chain | None:
        """From how many records change to what that costs; None if nothing is guaranteed."""
        epsilon, delta = self._description.head(param.var).first.price
        if epsilon.infinite or vacuous(delta) or (epsilon.zero and delta.zero):
            return None
        between = tuple(self._between(param.var))
        return Chain(param.name, records(param), between, PairDetail(epsilon, delta)) if between else None

    def _between(self, var: Var) -> Iterator[ChainLink]:
        """What stands between a dataset and the price: the way to the only release; else how many there are."""
        body = self._description.scheme.cost
        while isinstance(body, Called) and body.origin.span == self._context.own:
            body = body.body
        parted = (node for node in nodes(body) if isinstance(node, Parts) and node.whole is var)
        same = {var}.union(*(node.parts for node in parted))
        found = [node for node in nodes(body) if isinstance(node, _Told) and not same.isdisjoint(variables(node))]
        if len(found) != 1:
            yield from [ChainLink(f"{len(found)} releases, in all")] if found else []
            return
        (release,) = found
        yield from self._way(release, var)
        once = release in (body.parts if isinstance(body, Sequence) else (body,))
        yield ChainLink(_name(release) if once else f"{_name(release)}, in all")

    def _way(self, release: _Told, var: Var) -> Iterator[ChainLink]:
        """The steps that lead to what is released, if there is one way."""
        if isinstance(release, Sampled):
            return
        moved = [each for each in self._context.inputs(release.origin.span) if var in each.moves]
        if len(moved) != 1:
            yield ChainLink(_LEFT_OUT)
            return
        yield from self._steps(moved[0], var)

    def _steps(self, value: Judgement, var: Var) -> Iterator[ChainLink]:
        """What is on the way from a variable to a value; where several ways meet, from there on. What a function
        captured, as a score, moves by how it is used, which is not known of the function alone."""
        steps = [value.moves[var]]
        while len(steps[-1].before) == 1:
            steps.append(steps[-1].before[0])
        known = not any(move.sens.infinite for move in steps)
        if steps[-1].before or not known:
            yield ChainLink(_LEFT_OUT)
        for move in reversed(steps) if known else ():
            name = _NAMES.get(move.rule, move.subject if move.rule == laws.CALL else move.rule)
            same = bool(move.before) and move.before[0].sens == move.sens
            if move.rule not in _SILENT and (name.isidentifier() or not same):
                yield self._link(name, move)

    def _link(self, name: str, move: Move) -> ChainLink:
        """How far a value moves, and in which norm."""
        type_, far = self._types.get(move.span), self._context.number(move.sens)
        norm = self._description.norms.norm(type_.norm) if isinstance(type_, Container) else None
        return ChainLink(name, far, isinstance(type_, Dataset), norm if isinstance(norm, Norm) else None)


def _name(release: _Told) -> str:
    match release:
        case Release(event=event):
            return event.name
        case Called(origin=origin) | Parallel(origin=origin):
            return f"{origin.reason}(…)"
        case Awaited(callee=callee):
            return f"{callee.name}(…)"
    return "drawn rows"


# From what was inferred of a method to the steps that led to each of its bounds.
#
# A bound's moves know what they were made of, so the reasons are there while a function is inferred. A check keeps none
# of them: who asks has one function inferred again, and records stay small.


TIMES, PLUS = " × ", " + "
_NO_SUMS = frozenset((laws.CAP, laws.RECORDS, laws.LARGEST, laws.BRANCH, laws.ITEMS, laws.FURTHEST, laws.TURNS))
"""Rules that make something else of what they follow from than a sum."""


class Context:
    """What the derivations of one method have in common: how its numbers are written, the terms at each place, and
    the rules and functions that they refer to."""

    def __init__(self, inferred: Inferred, description: Description) -> None:
        self.description = description
        self.own = description.place.name
        self.judgements = inferred.judgements
        self.values = inferred.solver.substitution()
        self.rules: dict[str, Rule] = {}
        self.callees: dict[str, None] = {}
        self._terms: dict[Span, Term] = {}
        for node in inferred.judgements:
            if isinstance(node, Scope):
                self._terms[node.bind.term.span] = node.bind.term
            elif (isinstance(node, Call | Apply | Loop) and not _is_broadcast(node)) or node.span not in self._terms:
                self._terms[node.span] = node

    def inside(self, description: Description) -> Context:
        """The same for a function that is made in the method."""
        other = copy(self)
        other.description, other.own = description, description.place.name
        return other

    def number(self, value: Sens) -> Sens:
        """A number with all that was solved put in."""
        return self.description.norms.sens(self.values.sens(value))

    def short(self, value: Sens) -> str:
        """A number for a person."""
        return self.description.short(self.number(value))

    def formula(self, value: Sens) -> str:
        """A number in SymPy syntax."""
        return self.description.formula.sens(self.number(value))

    @property
    def called(self) -> tuple[str, ...]:
        """The functions at top level that the derivations refer to."""
        known = {node.name for node in self.judgements if isinstance(node, Global)}
        return tuple(name for name in self.callees if name in known)

    def use(self, rule: str) -> None:
        """Note a rule, so that a reader can look it up."""
        if rule in LAWS:
            law = LAWS[rule]
            self.rules.setdefault(rule, Rule(rule, law.words, law.source))
        else:
            row, code = builtins.TABLE[rule], self.description.code
            self.rules.setdefault(rule, Rule(code[rule], code.spoken(row.told(code)), row.source))

    def builtin(self, span: Span) -> str | None:
        """The builtin that is called at a place."""
        node = self._terms.get(span)
        return node.builtin if isinstance(node, Call) else None

    def inputs(self, span: Span) -> list[Judgement]:
        """What is known of the values that a cost at this place is about: the arguments of a call, what a loop
        carries, the result of the method, or else what stands there."""
        if span == self.own:
            return [self.description.scheme.result]
        node = self._terms.get(span)
        about: tuple[Term, ...] = () if node is None else (node,)
        if isinstance(node, Call | Apply):
            about = node.args
        elif isinstance(node, Loop):
            about = (*(start for _, start in node.carried), node.body.result)
        return [self.judgements[each] for each in about if each in self.judgements]

    def growing(self, span: Span) -> Iterator[tuple[Var, Move]]:
        """How one round of the loop at a place moves what it carries, where that is not by 1."""
        loop = self._terms.get(span)
        if not isinstance(loop, Loop):
            return
        ends = self.judgements[loop.body.result]
        names = {local.name for local, _ in loop.carried}
        for end in ends.parts or (ends,):
            for var, move in end.moves.items():
                if var.carried and var.name in names and self.number(move.sens) != ONE:
                    yield var, move


def _is_broadcast(node: Term) -> bool:
    """Whether a term is what goes over its operands. A single one that is put into a vector stands at the same place,
    and what a cost there is about is that."""
    return isinstance(node, Call) and builtins.TABLE[node.builtin].has(Broadcasts)


class Entry(NamedTuple):
    """A step before its numbers are written down."""

    span: Span | None
    rule: str
    why: str
    premises: tuple[int, ...] = ()
    factors: tuple[Sens, ...] = ()
    reasons: tuple[int, ...] = ()


class DerivationSteps:
    """The steps of one derivation. ``subjects`` are what it is about."""

    def __init__(self, context: Context, subjects: abc.Sequence[Var]) -> None:
        self.context = context
        self.written: list[Step] = []
        self._subjects = subjects
        self._places: dict[object, int] = {}

    def add(self, entry: Entry, result: abc.Sequence[Sens], shown: str, moving: Iterable[Var]) -> int:
        """The place of a step about what moves when these variables do; one that is written is not written again."""
        span, rule, why, premises, factors, reasons = entry
        others = ["the row" if var.members else f"`{var.name}`" for var in moving if var not in self._subjects]
        numbers, found = (tuple(map(self.context.formula, each)) for each in (factors, result))
        step = Step(span, rule, why, premises, reasons, numbers, found, shown, " and ".join(dict.fromkeys(others)))
        place = self._places.get(step)
        if place is None:
            self.context.use(rule)
            place = self._places[step] = len(self.written)
            self.written.append(step)
        return place

    def move(self, var: Var, move: Move) -> int:
        """The place of the step that a move is. What it follows from is written before; of an infinite one, the way
        to the first step that is infinite."""
        last = first_infinite(move) if move.sens.infinite else move
        for each in _in_order(last):
            if each not in self._places:
                self._places[each] = self._of(var, each)
        return self._places[last]

    def _of(self, var: Var, move: Move) -> int:
        context = self.context
        reasons = tuple(self.move(other, why) for other, why in self._reasons(move))
        premises = tuple(self._places[before] for before in move.before)
        if move.rule == laws.CALL:
            context.callees.setdefault(move.subject)
        entry = Entry(move.span, move.rule, self._why(var, move), premises, move.factors, reasons)
        return self.add(entry, [move.sens], context.short(move.sens), [var])

    def _reasons(self, move: Move) -> Iterator[tuple[Var, Move]]:
        """The moves that a factor of this one comes from."""
        if move.rule == laws.LOOP:
            yield from self.context.growing(move.span)

    def _why(self, var: Var, move: Move) -> str:
        law = LAWS.get(move.rule)
        subject = _entering(var) if move.rule == laws.PARAMETER else f"`{move.subject}`"
        head = f"`{self.context.description.code[move.rule]}`" if law is None else law.step.format(subject)
        single = len(move.before) == 1 and move.factors[0] == ONE
        if not move.before or single or move.rule in _NO_SUMS:
            return head
        if move.rule == laws.LOOP:
            return f"{head}: {self._loop(move)}"
        if move.rule == builtins.LITERAL:
            return f"{head}: the norm of {', '.join(map(self._product, move.factors, move.before))}"
        return f"{head}: {PLUS.join(map(self._product, move.factors, move.before))}"

    def _loop(self, move: Move) -> str:
        """What a loop starts with, and what its rounds read."""
        parts: dict[str, list[str]] = {}
        for factor, before in zip(move.factors, move.before, strict=True):
            inside = move.span.start <= before.span.start < move.span.end
            part = "in its rounds" if inside else "before it"
            parts.setdefault(part, []).append(self._product(factor, before))
        return ", ".join(f"{part} {PLUS.join(products)}" for part, products in parts.items())

    def _product(self, factor: Sens, before: Move) -> str:
        """A factor times a number; a factor of 1 is not worth a word."""
        texts = [self.context.short(each) for each in (factor, before.sens)]
        if factor == ONE or factor is INFINITY:
            return texts[factor == ONE]
        return TIMES.join(map(_grouped, texts))


def _grouped(text: str) -> str:
    """A formula that may stand beside a sign of multiplication."""
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == " " and not depth:
            return f"({text})"
    return text


def _entering(var: Var) -> str:
    """What begins to move."""
    if var.members:
        return "input: a row of `" + "` and `".join(var.name.split(" and ")) + "`"
    return f"`{var.name}` as a round begins" if var.carried else f"input `{var.name}`"


def _in_order(last: Move) -> Iterator[Move]:
    """A move and all it follows from, each once, earlier ones first."""
    pending: list[tuple[Move, bool]] = [(last, False)]
    seen: set[Move] = set()
    while pending:
        move, ready = pending.pop()
        if ready:
            yield move
        elif move not in seen:
            seen.add(move)
            pending.append((move, True))
            pending.extend((before, False) for before in reversed(move.before))
