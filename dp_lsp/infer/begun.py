"""Loops that begin with what the round before their first one would add.

``s = f(m[1]); for i in 2:k; s = s + f(m[i]); end`` is a sum over the rounds from 1 to k, where it has a round at all,
or the round before the first: s = 0 + f(m[1]) + … + f(m[k]). So it moves as that sum does, in which each round reads a
row of its own. Else it is what it begins with, and moves as that does. Which of both is the same in two runs, as the
range is public, so the result moves by the larger one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.core import term
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.term import Apply, Call, Literal, Local, Loop, NormArgument, Term, Use
from dp_lsp.core.types import Container, NumberType, Type
from dp_lsp.infer import moves
from dp_lsp.infer.inference import Inference

_TIMES, _DEEPEST = "*", 20


def from_the_round_before(inference: Inference, node: Loop) -> Loop | None:
    """The loop that has a round more, and begins with nothing; None for a loop that begins with anything else, and for
    one over known numbers, of which it is known which linear function it computes."""
    first, result = node.first, node.body.result
    if not isinstance(first, Literal) or not first.integer or node.step is not None or node.going is not None:
        return None
    items = result.items if isinstance(result, term.MakeTuple) else (result,)
    if len(node.carried) != 1 or len(items) != 1 or isinstance(node.last, term.Unending | Literal):
        return None
    ((carried, start),), (end,) = node.carried, items
    known = inference.context.environment.get(start.local) if isinstance(start, Use) else None
    if known is None or not isinstance(inference.type(known), NumberType | Container):
        return None
    binds = {bind.targets[0]: bind.term for bind in node.body.binds if len(bind.targets) == 1}
    added = _added(end, carried, binds)
    if added is None or _calls(node) or not _reads_at(node):
        return None
    before = Literal(first.span, Fraction(first.value - 1), True)
    stands: dict[Local, Term] = {**binds, node.index: before}
    if not _is_same(inference, start, added, stands, _DEEPEST):
        return None
    nothing = Call(start.span, _TIMES, (start, Literal(start.span, Fraction(0), True)), start.span)
    return replace(node, first=before, carried=((carried, nothing),))


def of_both(inference: Inference, node: Loop, found: Judgement) -> Judgement | None:
    """The tuple of what such a loop carries, of which nothing else is known than how far it moves: ``found`` is that of
    the one with a round more. None where what it begins with may be of another type than what rounds make of it."""
    ((_, start),) = node.carried
    (item,) = found.parts or (found,)
    begins = inference.recorder.judgements[start]
    type_ = _either(inference.type(begins), inference.type(item))
    if type_ is None:
        return None
    moved = moves.larger(begins.moves, item.moves, node.span)
    return inference.tuple_of(node.span, [inference.judgement(type_, moved)])


def _either(one: Type, other: Type) -> Type | None:
    """What is one of two types that differ in nothing but where numbers lie."""
    match one, other:
        case NumberType(), NumberType():
            return NumberType(one.base, stored=one.stored | other.stored) if one.base is other.base else None
        case Container(), Container():
            element = _either(one.element, other.element)
            known = None if element is None else replace(other, element=element)
            return known if replace(one, element=other.element, clip=other.clip) == other else None
    return None


def _added(end: Term, carried: Local, binds: Mapping[Local, Term]) -> Term | None:
    """What a round adds to what it carries, if it does nothing else to it."""
    while isinstance(end, Use) and end.local in binds:
        end = binds[end.local]
    match end:
        case Call(builtin=builtins.PLUS, args=(Use(local=local), added), mutates=False, by=None) if local is carried:
            return added
        case Call(builtin=builtins.PLUS, args=(added, Use(local=local)), mutates=False, by=None) if local is carried:
            return added
    return None


def _calls(node: Loop) -> bool:
    """Whether a round calls a function, or releases something: what that costs counts for each round that there is."""
    inside = term.within(term.of_body(node.body))
    return any(
        isinstance(each, Apply) or (isinstance(each, Call) and each.builtin in builtins.RANDOM) for each in inside
    )


def _reads_at(node: Loop) -> bool:
    """Whether a round reads something at its number."""
    calls = (each for each in term.within(term.of_body(node.body)) if isinstance(each, Call))
    return any(isinstance(arg, Use) and arg.local is node.index for each in calls for arg in each.args[1:2])


def _is_same(inference: Inference, one: Term, other: Term, known: Mapping[Local, Term], depth: int) -> bool:
    """Whether a term computes what another one does, in which names are ``known`` to stand for others."""
    if not depth:
        return False
    if isinstance(other, Use) and other.local in known:
        return _is_same(inference, one, known[other.local], known, depth - 1)
    if isinstance(one, Use) and not (isinstance(other, Use) and one.local is other.local):
        made = inference.context.made.get(one.local)
        return made is not None and _is_same(inference, made, other, known, depth - 1)
    match one, other:
        case Use(), Use():
            return True
        case Literal(), Literal():
            return (one.value, one.integer) == (other.value, other.integer)
        case NormArgument(), NormArgument():
            return one.norm is other.norm
        case Call(), Call():
            alike = (one.builtin, one.keywords) == (other.builtin, other.keywords) and len(one.args) == len(other.args)
            plain = not (one.mutates or other.mutates) and one.by is other.by is None
            pairs = zip(one.args, other.args, strict=False)
            return alike and plain and all(_is_same(inference, *each, known, depth - 1) for each in pairs)
    return False
