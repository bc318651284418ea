"""The rules of the language: literals, names, tuples, bindings and branches."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.core import laws, machine, term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin
from dp_lsp.core.display import type_words
from dp_lsp.core.events import NOTHING, Cost, Either, sequence
from dp_lsp.core.metrics import diameter
from dp_lsp.core.scheme import FunctionValue, Judgement, Moves
from dp_lsp.core.sens import INFINITY
from dp_lsp.core.term import Term
from dp_lsp.core.types import (
    BOOL,
    UNKNOWN,
    Base,
    BoolType,
    FunctionType,
    NumberType,
    TupleType,
    TypeVariable,
    Unknown,
    without_static,
)
from dp_lsp.infer import calls, disjoint, expected, explain, functions, loops, moves, problems, reach, sampling
from dp_lsp.infer.inference import Failure, Inference, Unreadable
from dp_lsp.infer.solver import Mismatch
from dp_lsp.text import Span

BRANCH = "if"
_SHOW_LATER = "; leave it out, and show what the function returns where it is called"


def rule(inference: Inference, node: Term) -> Judgement:
    """The rule of a term, by what it is."""
    match node:
        case term.Use(local=local):
            inference.read.add(local)
            found = inference.environment.get(local)
            return found if found is not None else inference.hole(f"`{local.name}` was not understood")
        case term.Literal(value=bool()):
            return Judgement(BOOL, moves.NOWHERE)
        case term.Literal(span, value, integer):
            base = Base.INTEGER if integer else Base.REAL
            stored = machine.of_literal(int(value) if integer else None)
            return Judgement(NumberType(base, Poly.of(Fraction(value)), stored=stored), moves.NOWHERE)
        case term.Call():
            values = disjoint.arguments(inference.rounds, node, _arguments(inference, node))
            with inference.failing() as failures:
                result = calls.builtin(inference, node, values)
            if not disjoint.is_there(inference.rounds, node):
                inference.failures += failures
            return _noted(inference, node.span, result, node.builtin)
        case term.Apply():
            function = inference.infer(node.function)
            result = calls.function(inference, node, function, [inference.infer(arg) for arg in node.args])
            return _noted(inference, node.span, result, "")
        case term.Global():
            return _noted(inference, node.span, _global(inference, node), "")
        case term.MakeTuple(span, items):
            return inference.tuple_of(span, [inference.infer(item) for item in items])
        case term.Branch():
            return _branch(inference, node)
        case term.Loop():
            return loops.loop(inference, node)
        case term.Scope():
            return sampling.scope(inference, node)
        case term.Closure():
            return _noted(inference, node.span, functions.closure(inference, node), "")
        case term.Check():
            return _check(inference, node)
        case term.Hole(reason=reason, parts=parts):
            for part in parts:
                inference.infer(part)
            return inference.hole(reason)
    return inference.hole("an argument that is not a value")


def _arguments(inference: Inference, node: term.Call) -> list[Judgement | Term]:
    """The arguments of a builtin. Of one that is lazy, the first decides whether the others are evaluated."""
    if not builtins.TABLE[node.builtin].lazy:
        late = expected.functions(node)
        values = {index: _argument(inference, arg) for index, arg in enumerate(node.args) if index not in late}
        if late:
            expected.tell(inference, node, values)
            values |= {index: _argument(inference, node.args[index]) for index in sorted(late)}
        return [values[index] for index in range(len(node.args))]
    first = inference.infer(node.args[0])
    with inference.failing() as failures:
        others = [_argument(inference, arg) for arg in node.args[1:]]
    _fail_behind(inference, first, node.args[0].span, failures)
    return [first, *others]


def _fail_behind(inference: Inference, condition: Judgement, span: Span, failures: list[Failure]) -> None:
    """Failures that only happen where a condition lets them; so they tell of it."""
    inference.failures += failures
    if failures and condition.moves:
        reached = moves.scaled(condition.moves, INFINITY, span, laws.CONDITION)
        inference.failures.append(Failure(reached, failures[0].span))


def _argument(inference: Inference, node: Term) -> Judgement | Term:
    """An argument of a builtin: what is not a value stays as it is written."""
    return node if isinstance(node, term.Written) else inference.infer(node)


def _noted(inference: Inference, span: Span, value: Judgement, rule: str) -> Judgement:
    inference.facts[span] = (value, rule)
    return value


def _global(inference: Inference, node: term.Global) -> Judgement:
    span, name = node.span, node.name
    found = inference.resolve(name)
    if found is None:
        hint = _SHOW_LATER if name in builtins.SHOWING else ""
        found_none = problems.NoRule.at(span, name=name, hint=hint)
        inference.report(found_none if name in builtins.REFUSED else problems.UnknownName.at(span, name=name))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if isinstance(found, Unreadable):
        because = f" ({found.reason})" if found.accepted else ""
        inference.give_up(f"it uses `{found.name}`, which was not checked to the end{because}")
        related = explain.unchecked(span, found.name)
        inference.report(problems.CallsUnchecked.at(span, name=found.name, reason=found.reason, related=related))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if isinstance(found, FunctionValue):
        if found.black_box is not None and not node.called:
            inference.report(problems.BlackBoxAsValue.at(span, name=name))
            return Judgement(UNKNOWN, moves.NOWHERE)
        return Judgement(FunctionType(found), moves.NOWHERE)
    return found


def _branch(inference: Inference, node: term.Branch) -> Judgement:
    condition = inference.infer(node.condition)
    _must_be_bool(inference, condition, node.condition.span)
    sides = []
    spent: list[Cost] = []
    for side in (node.then, node.otherwise):
        with inference.spending() as costs, inference.failing() as failures:
            sides.append(inference.body(side))
        spent.append(sequence(costs))
        _fail_behind(inference, condition, node.condition.span, failures)
    if any(cost is not NOTHING for cost in spent):
        inference.spent.append(Either(tuple(spent)))
        origin = Origin(node.condition.span, "a condition decides which mechanism runs")
        _no_private_choice(inference, condition.moves, origin)
    if all(cost is not NOTHING for cost in spent):
        from dp_lsp.infer.mistakes import brackets  # hardly any function has such branches

        brackets.compare(inference, node)
    return _noted(inference, node.span, joined(inference, node.span, sides[0], sides[1], condition.moves), BRANCH)


def _must_be_bool(inference: Inference, condition: Judgement, span: Span) -> None:
    """A run fails at a condition that is no Bool, so what may be any value is taken to be one from here on."""
    type_ = inference.type(condition)
    if isinstance(type_, TypeVariable):
        inference.solver.join(type_, BOOL)
    elif not isinstance(type_, BoolType | Unknown):
        given = type_words(type_)
        inference.report(problems.WrongArgument.at(span, function=BRANCH, wanted="a Bool", given=given))


def _no_private_choice(inference: Inference, moved: Moves, origin: Origin) -> None:
    private = frozenset(var for var in moved if not var.exempt)
    if private:
        names = "`, `".join(sorted({var.name for var in private if not var.members}))
        inference.report(
            problems.LeavesUnprotected.at(
                origin.span, what="this condition", variable=names, consequence="it decides which mechanism runs"
            )
        )
        inference.leak(private, origin)


def joined(inference: Inference, span: Span, left: Judgement, right: Judgement, condition: Moves) -> Judgement:
    """One of two values. A private condition lets the result jump: ∞, or 1 where no two results are further apart."""
    if left.parts and len(left.parts) == len(right.parts):
        parts = [joined(inference, span, a, b, condition) for a, b in zip(left.parts, right.parts, strict=True)]
        return inference.tuple_of(span, parts)
    if isinstance(inference.type(left), FunctionType) or isinstance(inference.type(right), FunctionType):
        inference.report(problems.WhichFunction.at(span, written=inference.written(span)))
        return Judgement(UNKNOWN, moves.NOWHERE)
    try:
        type_ = inference.solver.join(left.type, right.type)
    except Mismatch as mismatch:
        inference.report(problems.DoesNotFit.at(span, function=BRANCH, reason=f"the two branches give {mismatch}"))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if left is right:
        return left
    most = inference.rules.either(left.moves, right.moves, span)
    found = reach.of_either(*(reach.known(inference.solver, side) for side in (left, right)))
    if not condition:
        return replace(inference.judgement(type_, most), reach=found)
    most_apart = diameter(type_) if inference.rules.diameter else INFINITY
    together = moves.joined(most, (condition, most_apart), span, laws.CONDITION)
    return Judgement(without_static(type_), inference.capped(together, most_apart, span), reach=found)


def _check(inference: Inference, node: term.Check) -> Judgement:
    condition = inference.infer(node.condition)
    private = sorted({var.name for var in condition.moves if not var.public})
    if private:
        fixes = explain.publish(inference.text, inference.parameters, private)
        inference.report(problems.PrivateCheck.at(node.span, variable="`, `".join(private), fixes=fixes))
    elif inference.rules.failures:
        inference.failures.append(Failure(moves.NOWHERE, node.span))
    for shown in node.shown:
        told = sorted({var.name for var in inference.infer(shown).moves if not var.public})
        if told:
            inference.report(problems.PrivateMessage.at(shown.span, variable="`, `".join(told)))
    if node.failing is not None and inference.resolve(node.failing.name) is not None:
        inference.report(
            problems.NoRule.at(node.failing.span, name=node.failing.name, hint="")
        )  # the program defines it
    return Judgement(TupleType(()), moves.NOWHERE)
