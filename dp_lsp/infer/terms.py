"""The rules of the language: literals, names, tuples, bindings and branches."""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.core import term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin
from dp_lsp.core.display import type_words
from dp_lsp.core.events import NOTHING, Cost, Either, sequence
from dp_lsp.core.metrics import has_unit_diameter
from dp_lsp.core.scheme import FunctionValue, Judgement, Moves
from dp_lsp.core.sens import INFINITY, ONE
from dp_lsp.core.term import Body, Term
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
from dp_lsp.infer import calls, loops, moves, problems, sampling
from dp_lsp.infer.inference import Inference, Unreadable
from dp_lsp.infer.solver import Mismatch
from dp_lsp.text import Span

BRANCH = "if"


def infer(inference: Inference, node: Term) -> Judgement:
    """The judgement of a term; what evaluating it spends is added to ``inference.spent``.

    This is the one way to a judgement, so a value that was not understood cannot pass unnoticed."""
    result = _rule(inference, node)
    if isinstance(result.type, Unknown):
        inference.give_up(f"`{inference.written(node.span)}` was not understood")
    return result


def _rule(inference: Inference, node: Term) -> Judgement:
    match node:
        case term.Use(local=local):
            found = inference.environment.get(local)
            return found if found is not None else inference.hole(f"`{local.name}` was not understood")
        case term.Literal(value=bool()):
            return Judgement(BOOL, moves.NOWHERE)
        case term.Literal(span, value, integer):
            base = Base.INTEGER if integer else Base.REAL
            return Judgement(NumberType(base, Poly.of(Fraction(value))), moves.NOWHERE)
        case term.Call():
            result = calls.builtin(inference, node, [_argument(inference, arg) for arg in node.args])
            return _noted(inference, node.span, result, node.builtin)
        case term.Apply():
            function = infer(inference, node.function)
            result = calls.function(inference, node, function, [infer(inference, arg) for arg in node.args])
            return _noted(inference, node.span, result, "")
        case term.Global(span, name):
            return _noted(inference, span, _global(inference, span, name), "")
        case term.MakeTuple(span, items):
            return tuple_of(inference, span, [infer(inference, item) for item in items])
        case term.Branch():
            return _branch(inference, node)
        case term.Loop():
            return loops.loop(inference, node)
        case term.Scope():
            return sampling.scope(inference, node)
        case term.Check():
            return _check(inference, node)
        case term.Hole(reason=reason, parts=parts):
            for part in parts:
                infer(inference, part)
            return inference.hole(reason)
    return inference.hole("an argument that is no value")


def body(inference: Inference, block: Body) -> Judgement:
    """The judgement of a block: its bindings in order, then its value."""
    for bind in block.binds:
        inference.look()
        bound(inference, bind, infer(inference, bind.term))
    return infer(inference, block.result)


def bound(inference: Inference, bind: term.Bind, value: Judgement) -> None:
    """Give the targets of a binding their judgements."""
    targets = bind.targets
    if len(targets) == 1 and not isinstance(bind.term, term.Branch | term.Loop):
        _define(inference, targets[0], value)
        return
    if not targets:
        return
    parts = _parts(inference, value, len(targets), bind.span)
    for target, part in zip(targets, parts, strict=True):
        _define(inference, target, part)


def _define(inference: Inference, local: term.Local, value: Judgement) -> None:
    inference.environment[local] = value
    _noted(inference, local.span, value, "")


def _parts(inference: Inference, value: Judgement, count: int, span: Span) -> tuple[Judgement, ...]:
    """The items of a tuple that is taken apart. An item moves as far as the tuple, if nothing better is known."""
    if len(value.parts) == count:
        return value.parts
    type_ = inference.type(value)
    if isinstance(type_, TupleType) and len(type_.items) == count:
        return tuple(inference.judgement(item, value.moves) for item in type_.items)
    if not isinstance(type_, Unknown):
        given = f"this is {type_words(type_)}"
        inference.report(
            problems.DoesNotFit.at(span, function="=", reason=f"{count} names are on the left and {given}")
        )
    return (inference.hole("a tuple that could not be taken apart"),) * count


def tuple_of(inference: Inference, span: Span, items: list[Judgement]) -> Judgement:
    """A tuple; it moves by the sum of what its items move."""
    type_ = TupleType(tuple(item.type for item in items))
    return Judgement(type_, moves.added((item.moves for item in items), span, "tuple"), tuple(items))


def _argument(inference: Inference, node: Term) -> Judgement | Term:
    """An argument of a builtin: a norm or a type stays as it is written."""
    return node if isinstance(node, term.NormArgument | term.TypeArgument) else infer(inference, node)


def _noted(inference: Inference, span: Span, value: Judgement, rule: str) -> Judgement:
    inference.facts[span] = (value, rule)
    return value


def _global(inference: Inference, span: Span, name: str) -> Judgement:
    found = inference.resolve(name)
    if found is None:
        inference.report(problems.UnknownName.at(span, name=name))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if isinstance(found, Unreadable):
        inference.report(problems.CallsUnchecked.at(span, name=found.name, reason=found.reason))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if isinstance(found, FunctionValue):
        return Judgement(FunctionType(found), moves.NOWHERE)
    return found


def _branch(inference: Inference, node: term.Branch) -> Judgement:
    condition = infer(inference, node.condition)
    type_ = inference.type(condition)
    if not isinstance(type_, BoolType | Unknown | TypeVariable):
        given = type_words(type_)
        inference.report(problems.WrongArgument.at(node.condition.span, function=BRANCH, wanted="a Bool", given=given))
    sides = []
    spent: list[Cost] = []
    for side in (node.then, node.otherwise):
        with inference.spending() as costs:
            sides.append(body(inference, side))
        spent.append(sequence(costs))
    if any(cost is not NOTHING for cost in spent):
        inference.spent.append(Either(tuple(spent)))
        origin = Origin(node.condition.span, "a condition decides which mechanism runs")
        _no_private_choice(inference, condition.moves, origin)
    return _noted(inference, node.span, joined(inference, node.span, sides[0], sides[1], condition.moves), BRANCH)


def _no_private_choice(inference: Inference, moved: Moves, origin: Origin) -> None:
    private = frozenset(var for var in moved if not var.exempt)
    if private:
        names = "`, `".join(sorted(var.name for var in private))
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
        return tuple_of(inference, span, parts)
    if isinstance(inference.type(left), FunctionType) or isinstance(inference.type(right), FunctionType):
        return inference.hole("a choice between functions")
    try:
        type_ = inference.solver.join(left.type, right.type)
    except Mismatch as mismatch:
        inference.report(problems.DoesNotFit.at(span, function=BRANCH, reason=f"the two branches give {mismatch}"))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if left is right:
        return left
    most = moves.larger(left.moves, right.moves)
    if not condition:
        return inference.judgement(type_, most)
    type_ = without_static(type_)
    factor = ONE if has_unit_diameter(type_) else INFINITY
    steered = moves.scaled(condition, factor, span, "condition")
    together = moves.added((most, steered), span, BRANCH)
    return Judgement(type_, moves.capped(together, span, BRANCH) if has_unit_diameter(type_) else together)


def _check(inference: Inference, node: term.Check) -> Judgement:
    condition = infer(inference, node.condition)
    private = sorted(var.name for var in condition.moves if not var.public)
    if private:
        inference.report(problems.PrivateCheck.at(node.span, variable="`, `".join(private)))
    return Judgement(TupleType(()), moves.NOWHERE)
