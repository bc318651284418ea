"""What few known rounds leave that differ, inferred round by round.

The rule of loops says of all rounds what the one does that moves furthest, and multiplies that
(:mod:`dp_lsp.infer.growth`). A loop over known numbers is its rounds one after the other, each with its number in the
place of the index and with what the round before it ended with (:mod:`dp_lsp.infer.unrolled`): both compute the same.
So where rounds differ they are inferred once more as they are written out then, where each multiplies, adds and chooses
by the number that it has, and entries of vectors are told apart. For each variable the smaller of both bounds holds:
two inputs are brought together by moving one variable after the other (the triangle inequality). The row that a round
around reads is no variable beside its container, as both move together: then one of both bounds holds as a whole. What
rounds demand when they are written out is demanded, and what is wrong with them was said of the loop: then nothing is
taken over.

A loop that releases something is inferred so as a whole function (:func:`dp_lsp.infer.unrolled.spent`).
"""

from __future__ import annotations

from dp_lsp.core import term
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.evaluate import symbols_of
from dp_lsp.core.metrics import is_data
from dp_lsp.core.scheme import Judgement, Moves
from dp_lsp.core.term import Bind, Body, Local, Term, Use
from dp_lsp.core.types import Container, NumberType, Type
from dp_lsp.core.values import replace
from dp_lsp.infer import conditions, generalize, linear, publics, unrolled
from dp_lsp.infer.context import UnevenRounds
from dp_lsp.infer.inference import Inference


def differ(inference: Inference, node: term.Rounds, value: Judgement, inside: frozenset[Symbol]) -> bool:
    """Whether rounds that make this ``value`` may differ in what they move: by the numbers that they compute
    (``inside``), or by what these choose."""
    if any(not inside.isdisjoint(symbols_of(move.sens)) for move in value.moves.values()):
        return True
    return bool(value.moves) and any(_is_known(inference, each) for each in term.within(term.of_body(node.body)))


def _is_known(inference: Inference, node: Term) -> bool:
    """Whether a term is a choice that is public."""
    if not isinstance(node, term.Branch):
        return False
    decides = inference.recorder.judgements.get(node.condition)
    return decides is not None and publics.is_public(decides.moves)


def sharpened(inference: Inference, node: term.Loop, ends: tuple[Poly, Poly] | None, found: Judgement) -> Judgement:
    """What the rounds leave whose ends are known, with the smaller of what was ``found`` to move it and of what the
    rounds do one by one."""
    rounds = unrolled.numbers_of(inference, node, ends)
    if rounds is None or not any(map(_may_be_less, found.parts)) or _is_general(inference, node):
        return found
    inference.context.differing[node] = UnevenRounds(rounds, vary=True, told_apart=True)
    around = inference.context.allowance
    inference.context.allowance = allowance = around or unrolled.Allowance()
    try:
        body = unrolled.written_out(_statement(node), inference.context.differing, allowance)
        again = None if body is None else _inferred(inference, body)
    finally:
        inference.context.allowance = around
    if again is None:
        return found
    least = [_smaller(inference, *each) for each in zip(found.parts, again.parts, strict=True)]
    return inference.tuple_of(node.span, least)


def _may_be_less(found: Judgement) -> bool:
    """Whether something may move by less than was found: of what is known to be a linear function that is exact."""
    return found.form is None and any(not move.sens.zero for move in found.moves.values())


def _is_general(inference: Inference, node: term.Loop) -> bool:
    """Whether what a loop reads may be of several types, which its callers choose."""
    read = {each.local for each in term.within([node]) if isinstance(each, Use)}
    known = (inference.context.environment.get(local) for local in read)
    types = [inference.type(each) for each in known if each is not None]
    return bool(inference.solver.opens or generalize.owned(types).types)


def _statement(node: term.Loop) -> Body:
    """A block of nothing but a loop."""
    after = [Local(local.name, local.span) for local, _ in node.carried]
    items = tuple(Use(node.span, local) for local in after)
    return Body((Bind(node.span, tuple(after), node),), term.MakeTuple(node.span, items))


def _inferred(inference: Inference, body: Body) -> Judgement | None:
    """The value of rounds that are written out; None if anything is wrong with them, or if what is said of them speaks
    of numbers that one round computes: it has no name for them. What is written down of terms stays as it is."""
    computed = len(inference.publics.symbols)
    with inference.recorder.aside() as is_wrong:
        since = inference.solver.mark()
        value, effects = inference.body(body)
        settled = conditions.settle(inference, since)
        if is_wrong() or effects.costs or not settled.holds or inference.solver.opens:
            return None
    needed = [side for need in settled.needs for side in (need.left, need.right)]
    own = set(inference.publics.symbols[computed:])
    if any(own & symbols_of(each) for each in (*needed, *(move.sens for move in value.moves.values()))):
        return None
    for need in settled.needs:
        inference.demand(*need[:4])
    return value


def _smaller(inference: Inference, found: Judgement, again: Judgement) -> Judgement:
    """A value with the smaller environment, if both are measured in the same way."""
    if not _are_compared_alike(inference, inference.type(found), inference.type(again)):
        return found
    apart = len(set(map(inference.context.container, found.moves))) == len(found.moves)
    return replace(found, moves=_least(found.moves, again.moves, apart))


def _least(found: Moves, again: Moves, apart: bool) -> Moves:
    """The smaller of two environments that both hold, variable by variable if these move ``apart`` from each other."""
    if again.keys() - found.keys():
        return found
    least = linear.smaller_of(found, again)
    return least if apart or all(least[var].sens == move.sens for var, move in again.items()) else found


def _are_compared_alike(inference: Inference, one: Type, other: Type) -> bool:
    match one, other:
        case NumberType(), NumberType():
            return is_data(one) is is_data(other)
        case Container(), Container():
            alike = one.kind is other.kind and is_data(one.element) is is_data(other.element)
            return alike and inference.solver.same_norm(one.norm, other.norm)
    return False
