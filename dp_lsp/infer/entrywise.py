"""Two sums over the entries of one vector, added up or taken from each other, read as one sum.

Σ f(vᵢ) - Σ g(vᵢ) is Σ (f - g)(vᵢ), and how far that moves with an entry is how far f - g does: what is clipped at one
bound, less what is clipped at another one, moves where a single clip does, and by no more. Each sum by itself may move
by all that the vector does, and that both go the same way is not counted then. Both are the same number, so the smaller
bound holds. Sums over the records of a dataset are read in :mod:`dp_lsp.infer.tallies`.
"""

from __future__ import annotations

from dp_lsp import builtins
from dp_lsp.core import machine, term
from dp_lsp.core.annotation import Anything
from dp_lsp.core.constraints import decide
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.term import Body, Call, Closure, Local, Term, Use, of_body
from dp_lsp.core.types import Container, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer.inference import Inference
from dp_lsp.named import NamedTuple


class _Sum(NamedTuple):
    """A sum of what a function makes of each entry of a vector."""

    over: Use
    method: term.Method


def sums(inference: Inference, node: Call, judgement: Judgement) -> Judgement:
    """How far a sum or difference of two sums moves, where reading it as one says that better."""
    if node.builtin not in (builtins.PLUS, builtins.MINUS) or len(node.args) != 2 or not judgement.moves:
        return judgement
    first, second = (_read(inference, each) for each in node.args)
    if first is None or second is None or first.over.local is not second.over.local:
        return judgement
    known = inference.context.environment.get(first.over.local)
    if known is None or not isinstance(inference.type(known), Container):
        return judgement
    found = _quietly(inference, _one(node, first, second))
    if found is None or found.moves.keys() != judgement.moves.keys():
        return judgement
    least = {
        var: found.moves[var] if decide(found.moves[var].sens, "<=", move.sens) else move
        for var, move in judgement.moves.items()
    }
    return replace(judgement, moves=least)


def _read(inference: Inference, node: Term) -> _Sum | None:
    """What a term adds up, if it is a sum over a vector of what a function that is written there makes of it."""
    node = _made(inference, node)
    if not isinstance(node, Call) or node.builtin != builtins.TOTAL or len(node.args) != 1:
        return None
    each = _made(inference, node.args[0])
    if not isinstance(each, Call) or each.builtin != builtins.MAKING or len(each.args) != 2:
        return None
    function, over = each.args
    if not isinstance(function, Closure) or len(function.methods) != 1 or not isinstance(over, Use):
        return None
    (method,) = function.methods
    return _Sum(over, method) if _computes(method) else None


def _computes(method: term.Method) -> bool:
    """Whether a function of one argument gives what its text computes, and changes and releases nothing; one that adds
    something up itself is not read, so that nothing is inferred more than twice."""
    if method.body is None or len(method.params) != 1 or method.changes or method.privacy or method.boxed:
        return False
    adds = any(isinstance(each, Call) and each.builtin == builtins.TOTAL for each in term.within(of_body(method.body)))
    return not adds and machine.keeps(method.converts) and isinstance(method.result, Anything)


def _made(inference: Inference, node: Term) -> Term:
    return inference.context.made.get(node.local, node) if isinstance(node, Use) else node


def _one(node: Call, first: _Sum, second: _Sum) -> Call:
    """The sum of what both functions make of an entry, of one of them less that of the other."""
    one, other = first.method, second.method
    assert one.body is not None and other.body is not None, "both have one"
    entry, old = one.params[0].local, other.params[0].local
    body = term.put(other.body, lambda part: Use(part.span, entry) if _is(part, old) else None)
    result = Call(node.span, node.builtin, (one.body.result, body.result), node.span)
    uses, captures = one.uses | other.uses, one.captures | other.captures
    method = replace(one, body=Body((*one.body.binds, *body.binds), result), uses=uses, captures=captures)
    made = Call(node.span, builtins.MAKING, (Closure(node.span, (method,)), first.over), node.span)
    return Call(node.span, builtins.TOTAL, (made,), node.span)


def _is(part: Term, local: Local) -> bool:
    return isinstance(part, Use) and part.local is local


def _quietly(inference: Inference, node: Call) -> Judgement | None:
    """The judgement of a number that is computed otherwise, too; None where it is not understood. What is wrong with it
    was said before."""
    with inference.recorder.aside() as is_wrong:
        value = inference.infer(node).value
        return None if is_wrong() or not isinstance(inference.type(value), NumberType) else value
