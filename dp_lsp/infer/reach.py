"""Where values are to be found: how far from 0, or from what a round of a loop starts with.

A row of a sample may be there or not. What a loop over the rows adds in the round of that row is then all that the row
contributes, and how far that moves the result is told by where the value that is added lies, not by how far it moves.
A function that returns 0 of 0 and is s-sensitive returns something within s·r of 0 of what is within r of 0.

Where the number of rows is private, what is added counts: a Poisson sample is a type of its own, which only `size`
and a loop over all its rows accept. A row more is one more round, so what a loop moves by is how far a round takes
what it starts with, not how far its result moves with the row. Under `add-remove` a parameter is protected only where
it is used for nothing but drawing such samples (:mod:`dp_lsp.infer.functions`), so that nothing that was inferred for
data of one size is ever used for data of two.
"""

from __future__ import annotations

from collections.abc import Sequence

from dp_lsp.builtins.define import Args, Builtin
from dp_lsp.builtins.traits import Additive, PreservesZero, Within
from dp_lsp.core import sens
from dp_lsp.core.events import Var
from dp_lsp.core.metrics import diameter
from dp_lsp.core.scheme import Judgement, Reach
from dp_lsp.core.sens import ONE, Sens, magnitude
from dp_lsp.core.types import NumberType, Type
from dp_lsp.infer.solver import Solver


def known(solver: Solver, value: Judgement) -> Reach | None:
    """Where a value is to be found, by what is known of it or by its type."""
    type_ = solver.type(value.type)
    if isinstance(type_, NumberType) and type_.static is not None:
        return Reach(None, magnitude(type_.static))
    return value.reach


def of_call(
    solver: Solver, row: Builtin, args: Args, factors: Sequence[Sens], values: Sequence[Judgement]
) -> Reach | None:
    """Where the result of a row is to be found."""
    within, additive = row.trait(Within), row.trait(Additive)
    if within is not None:
        return Reach(None, within.radius(args))
    if not row.has(PreservesZero) or all(args.is_static(index) for index in range(len(args))):
        return None
    start, radius = None, sens.ZERO
    for index, (value, factor) in enumerate(zip(values, factors, strict=True)):
        if factor.zero:
            continue
        found = known(solver, value)
        if found is None:
            return None
        if found.start is not None:
            if start is not None or factor != ONE or additive is None or not additive.at(index, len(values)):
                return None
            start = found.start
        radius = radius + found.radius * factor
    return None if radius.infinite else Reach(start, radius)


def of_either(left: Reach | None, right: Reach | None) -> Reach | None:
    """Where one of two values is to be found."""
    if left is None or right is None or left.start is not right.start:
        return None
    return Reach(left.start, left.radius.at_least(right.radius))


def displacement(solver: Solver, type_: Type, end: Judgement, start: Var) -> Sens:
    """How far a round takes a value from where it was when the round started."""
    kept = end.reach is not None and end.reach.start is start
    return end.reach.radius if kept and end.reach is not None else diameter(solver.type(type_))
