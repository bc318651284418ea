"""Checks of a whole method against its signature: privacy, observable failures, persons with several records, and
conversion to the declared type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from dp_lsp.core import annotation, laws, machine, term
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Called, Release, Var, mechanisms, nodes
from dp_lsp.core.metrics import holds_records
from dp_lsp.core.notation import type_words
from dp_lsp.core.scheme import Judgement, Move, Moves, Scheme
from dp_lsp.core.types import (
    Container,
    Dataset,
    Kind,
    NumberType,
    TupleType,
    Type,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import dispatch, explain, moves, problems
from dp_lsp.infer.dispatch import Cover
from dp_lsp.infer.effects import NONE, Effects, Evaluation, Failure, in_sequence
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.moves import first_infinite
from dp_lsp.intents import DeclarePrivate
from dp_lsp.problem import Named, Problem, Related, Severity, Sought
from dp_lsp.text import Span


def with_failures(inference: Inference, method: term.Method, found: Evaluation) -> Evaluation:
    """The body's judgement and effects with failures counted as output: what decides whether a run fails has
    sensitivity ∞, or is leaked in a private function."""
    result, effects = found
    lost = []
    for failure in effects.failures:
        private = {var: move for var, move in failure.moves.items() if not var.public}
        shows = private and failure.prints and not (failure.told or inference.context.is_inside)
        if shows and not inference.context.leaves_to_calls(private):
            same = all(move.sens.zero for move in private.values())
            inference.report(private_output(inference, failure.span, private)._replace(unchecked=same))
            if same:
                continue
        if not method.privacy:
            together = moves.added((result.moves, private), failure.span, laws.FAILURE)
            result = Judgement(result.type, together, result.parts)
        elif private:
            if not (failure.told or failure.prints):
                inference.report(_failure_seen(inference, failure, private))
            lost.append(inference.leak(private, Origin(failure.span, "a failure")))
    return Evaluation(result, in_sequence([effects, *lost]))


def private_output(inference: Inference, span: Span, variables: Iterable[Var]) -> Problem:
    """What is evaluated at a place prints private data."""
    names = "`, `".join(sorted({var.name for var in variables}))
    return problems.PrivateOutput.at(span, written=inference.written(span), variable=names)


def _failure_seen(inference: Inference, failure: Failure, private: Moves) -> Problem:
    """Whether a run fails, or prints something, tells of what is private."""
    first, move = next(iter(private.items()))
    return problems.LeavesUnprotected.at(
        failure.span,
        what=f"whether `{inference.written(failure.span)}` {'is reached' if failure.shows else 'fails'}",
        variable="`, `".join(sorted(var.name for var in private if not var.members)),
        consequence="who sees the output sees it"
        if failure.shows
        else "a run that fails can be told from one that does not",
        related=explain.path(inference, move, first.name),
    )


def check_records(inference: Inference, method: term.Method, shown: Scheme) -> None:
    """Where a person may have several records, require annotations of the parameters that hold records: else a bound
    per record would be read as one per person."""
    for param in shown.params:
        declared = isinstance(param.declared, annotation.TupleOf | annotation.DatasetOf)
        counted = param.unit is not None or param.static or declared
        if not counted and holds_records(param.type):
            inference.report(problems.NeedsTypes.at(method.name_span, name=method.name))
            return


def check_privacy(inference: Inference, method: term.Method, found: Evaluation) -> Effects:
    """Require that a method with a privacy effect is declared `Priv()`, and that a private one protects what it
    returns; the effect is a leak where it does not."""
    result, effects = found
    mechanism = next(iter(mechanisms(effects.cost)), None)
    if not method.privacy:
        if effects.costs:
            name = mechanism or "a call of a private function"
            fixes, related = inference.fixes(DeclarePrivate(method.header)), tuple(_first_release(effects))
            how = "give it a name, and declare it" if "->" in method.name else "declare it"
            inference.report(
                problems.NotDeclaredPrivate.at(
                    method.name_span,
                    name=method.name,
                    mechanism=name,
                    how=how,
                    fixes=fixes,
                    related=related,
                    code=inference.code,
                )
            )
        return NONE
    private = {var: move for var, move in moves.that_move(result.moves).items() if not var.public and not var.members}
    if private and not effects.costs and not inference.recorder.unknown:
        inference.report(problems.NoMechanism.at(method.name_span, name=method.name, code=inference.code))
    elif private:
        for span, leaving in _leaving(inference, method, private).items():
            first, move = next(iter(leaving.items()))
            inference.report(
                problems.LeavesUnprotected.at(
                    span,
                    what=f"what `{method.name}` returns",
                    variable="`, `".join(var.name for var in leaving),
                    consequence="return only what a mechanism released, or what was made of it",
                    related=explain.path(inference, move, first.name),
                )
            )
    return inference.leak(private, Origin(method.name_span, "the result"))


def _leaving(inference: Inference, method: term.Method, private: Moves) -> dict[Span, Moves]:
    """By which of the values that a method may return the protected variables leave it: those of the sides of a public
    choice, and of the items of a tuple, each at its place; else all of it."""
    found: dict[Span, Moves] = {}
    waiting = [result_term(method)]
    while waiting:
        match node := waiting.pop():
            case term.Branch() if not _moved_by(inference, node.condition, private):
                waiting += [node.otherwise.result, node.then.result]
            case term.MakeTuple():
                waiting += reversed(node.items)
            case None:
                pass
            case _ if (moved := _moved_by(inference, node, private)) and node.span.end > node.span.start:
                found[node.span] = moved
    whole = {var for moved in found.values() for var in moved}
    return found if whole == private.keys() else {result_span(method): private}


def _moved_by(inference: Inference, node: term.Term, private: Moves) -> Moves:
    """The protected variables that a term moves with."""
    known = inference.recorder.judgements.get(node)
    return {} if known is None else {var: move for var, move in known.moves.items() if var in private}


def _first_release(effects: Effects) -> Iterator[Related]:
    """Where the first mechanism runs, or the function that runs one."""
    released = (each for each in nodes(effects.cost) if isinstance(each, Release | Called))
    for each in islice(released, 1):
        span, name = each.origin.span, each.origin.reason
        yield Related("here something is released", span)
        if isinstance(each, Called):
            yield Related("this is the mechanism that runs", span, Named(name, Sought.MECHANISM))


def result_term(method: term.Method) -> term.Term | None:
    """The term of a function's value; None for a black box."""
    body = method.body
    while body is not None and isinstance(body.result, term.Scope):
        body = body.result.rest
    return None if body is None else body.result


def result_span(method: term.Method) -> Span:
    """The place of a function's value."""
    found = result_term(method)
    return found.span if found is not None and found.span.end > found.span.start else method.name_span


def warn_unbounded(inference: Inference, result: Judgement, effects: Effects) -> None:
    """One warning for each operation at which a sensitivity of the result became ∞, but for those that are errors, and
    for what prints what it is given, as it is meant to."""
    expected = {each.span for each in inference.recorder.problems if each.severity is Severity.ERROR}
    expected |= {each.span for each in effects.failures if each.prints}
    by_place: dict[Span, list[tuple[Var, Move]]] = {}
    for var, move in result.moves.items():
        if move.sens.infinite and not var.members and move.rule != laws.NOTHING_HOLDS:
            by_place.setdefault(first_infinite(move).span, []).append((var, move))
    for span, found in by_place.items():
        if span in expected:
            continue
        var, move = found[0]
        inference.report(
            problems.Unbounded.at(
                span,
                variable=explain.either(sorted(each.name for each, _ in found)),
                cause=explain.cause(inference, move),
                related=explain.path(inference, move, var.name),
            )
        )


# What a return annotation makes of a value: Julia converts it, and stops where it cannot.
# Source: the Julia manual, "Functions", "Return type", and "Conversion and Promotion".


def returned(inference: Inference, method: term.Method, result: Judgement) -> Judgement:
    """The judgement of a method's value, converted to the declared type as Julia converts it."""
    type_ = inference.type(result)
    found = converted(type_, method.converts)
    if found is None:
        given, declared = dispatch.given_words(type_), type_words(type_)
        inference.report(problems.WrongResult.at(method.name_span, name=method.name, declared=declared, given=given))
        return result
    return result if found is type_ else _as(result, found)


def _as(value: Judgement, type_: Type) -> Judgement:
    """A value with another type, and so its items."""
    items = type_.items if isinstance(type_, TupleType) else ()
    if len(items) != len(value.parts):
        return replace(value, type=type_, parts=())
    return replace(value, type=type_, parts=tuple(map(_as, value.parts, items)))


def converted(type_: Type, wanted: machine.Declared) -> Type | None:
    """The type of ``convert(T, x)`` for x of a type; None where it may fail. A value of T is unchanged; an array type
    with element type variable (``Vector{<:T}``) converts no other array."""
    match wanted, type_:
        case (machine.Numbers(stored), NumberType()):
            return replace(type_, stored=machine.converted(type_.stored, stored))
        case (machine.Arrays(_, elements, kinds), Container(kind=kind)) if kind is not Kind.GRADIENT:
            if dispatch.cover(wanted, type_) in (Cover.ALL, Cover.OPEN):
                return type_
            if elements & machine.ABSTRACT:
                return replace(type_, stored=kinds)
            if elements & (elements - 1) or not isinstance(type_.element, NumberType):
                return None
            return replace(type_, element=replace(type_.element, stored=elements), stored=kinds)
        case (machine.Arrays(), Dataset(records=records)):
            held = converted(records, wanted)
            return replace(type_, records=held) if isinstance(held, Container) else None
        case (machine.Tuples(items), TupleType(parts)) if len(items) == len(parts):
            made = [each for each in map(converted, parts, items) if each is not None]
            return type_.put(made) if len(made) == len(parts) else None
    return type_
