"""Which records of a dataset a filter keeps, where its condition says so by bounds, and which filters keep no record in
common.

A record that comes or goes is kept by filters whose conditions it meets. So of filters of one dataset that are
disjoint, it moves what one of them keeps, and the others keep what they kept. What a function releases of what such a
filter keeps is told apart by a variable for its region; the cost of the function says which regions a record may be in
at once.

A condition is a conjunction of comparisons of the record with a number as it is written, or with a public parameter.

Source: McSherry 2009, Privacy Integrated Queries, Theorem 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Cost, Parts, Var, variables
from dp_lsp.core.scheme import Judgement, Move
from dp_lsp.core.sens import ONE
from dp_lsp.core.term import Call, Closure, Literal, Local, Term, Use
from dp_lsp.core.types import Dataset
from dp_lsp.infer import moves
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.regions import Comparison, Region, together
from dp_lsp.text import Span

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_MOST = 8  # regions of one dataset that are told apart


def kept(inference: Inference, function: Term, value: Judgement) -> Region | None:
    """The records of a dataset that a filter keeps, where one that comes or goes counts; None if that is not known.

    Where a record takes the place of another, also before an earlier filter, the one may leave one filter and the other
    enter another one. What is released of a part of such a dataset counts half for each of these two steps, as they
    cancel in one filter: in two they do not, so that the way of one step in each would cost too little."""
    type_ = inference.type(value)
    if not isinstance(type_, Dataset) or not isinstance(function, Closure):
        return None
    if type_.metric.sized or type_.balanced:
        return None
    if len(function.methods) != 1:
        return None
    (method,) = function.methods
    if method.body is None or len(method.params) != 1 or method.body.binds:
        return None
    found = list(_comparisons(inference, method.body.result, method.params[0].local))
    return None if None in found else frozenset(each for each in found if each is not None)


def _comparisons(inference: Inference, condition: Term, record: Local) -> Iterator[Comparison | None]:
    """The comparisons of a conjunction; None for what is none."""
    pending = [condition]
    while pending:
        node = pending.pop()
        if isinstance(node, Call) and node.builtin == "&&":
            pending += node.args
        else:
            yield _comparison(inference, node, record)


def _comparison(inference: Inference, node: Term, record: Local) -> Comparison | None:
    if not isinstance(node, Call) or node.builtin not in _MIRRORED or len(node.args) != 2:
        return None
    left, right = node.args
    if isinstance(left, Use) and left.local is record:
        bound, relation = _bound(inference, right, record), node.builtin
    elif isinstance(right, Use) and right.local is record:
        bound, relation = _bound(inference, left, record), _MIRRORED[node.builtin]
    else:
        return None
    return None if bound is None else Comparison(relation, bound)


def _bound(inference: Inference, node: Term, record: Local) -> Fraction | Local | None:
    if isinstance(node, Literal) and not isinstance(node.value, bool):
        return node.value if node.integer else Fraction(float(node.value))
    if isinstance(node, Use) and node.local in inference.context.given:  # all else that is public may vary
        known = inference.context.environment.get(node.local)
        return node.local if known is not None and inference.static(known) is not None else None
    return None


def told_apart(inference: Inference, var: Var, move: Move) -> Var:
    """The variable of what a region holds of a dataset, where something moves with nothing else of it; the variable
    itself, where that is not known."""
    known, of = inference.context.parts.get(inference.context.home), _region(inference, move)
    if known is None or of is None or var in inference.context.tuples.values():
        return var
    parts = known.setdefault(var, {})
    if of not in parts:
        if len(parts) == _MOST:
            return var
        parts[of] = Var(var.name, var.gap, chained=var.chained)
    return parts[of]


def _region(inference: Inference, move: Move) -> Region | None:
    """The records that something moves with, if it does by what filters of the dataset itself keep in one region."""
    found: set[Region | None] = set()
    pending, seen = [move], set[int]()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        row = builtins.TABLE.get(each.rule)
        if row is not None and row.keeps:
            whole = each.sens == ONE and len(each.before) == 1 and moves.is_itself(each.before[0])
            found.add(inference.context.regions.get((inference.context.home, each.span)) if whole else None)
        elif each.before:
            pending += each.before
        else:
            found.add(None)
    return found.pop() if len(found) == 1 else None


def in_parts(inference: Inference, cost: Cost, span: Span) -> Cost:
    """What a function spends, with regions seen from outside. What is released later is not told apart."""
    for var, parts in inference.context.parts.pop(inference.context.home).items():
        used = variables(cost)
        there = {of: part for of, part in parts.items() if part in used}
        if there:
            groups = tuple(frozenset(there[of] for of in some) for some in together(there))
            cost = Parts(var, groups, cost, Origin(span, "disjoint parts"))
    return cost
