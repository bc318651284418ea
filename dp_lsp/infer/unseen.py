"""Norms that a function leaves open and nobody sees from outside: what is measured in them is on the way to a number.

A bound that depends on such a norm holds whichever it is read in, so the one that gives the smallest is taken: an entry
of a vector moves by least in LInf, its sum in L1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dp_lsp.core.algebra import NormVariable
from dp_lsp.core.constraints import Quantity, decide
from dp_lsp.core.evaluate import Substitution, norms_of
from dp_lsp.core.events import Awaited, Called, Cost, Parallel, Release, Sampled, nodes
from dp_lsp.core.types import Norm, Type
from dp_lsp.infer import conditions, generalize
from dp_lsp.infer.effects import Evaluation
from dp_lsp.infer.inference import Inference


class _Wanted(NamedTuple):
    """A number that should be small, or ``large``."""

    number: Quantity
    large: bool = False

    def put(self, norm: NormVariable, chosen: Norm) -> Quantity:
        return conditions.put(Substitution({}, {norm: chosen}), self.number)


def choose(inference: Inference, types: Iterable[Type], found: Evaluation) -> None:
    """Decide the norms that stand in no type of a function's parameters and result."""
    values = inference.solver.substitution()
    numbers = [each._replace(number=conditions.put(values, each.number)) for each in _numbers(inference, found)]
    open_norms = {norm for each in numbers for norm in norms_of(each.number)}
    if not open_norms:
        return
    seen = generalize.owned(map(inference.solver.type, (*types, found.value.type)), inference.opens).norms
    for norm in sorted(open_norms - seen, key=lambda norm: norm.uid):
        about = [each for each in numbers if norm in norms_of(each.number)]
        best = Norm.L1
        for other in (Norm.LINF, Norm.L2):
            if all(_is_no_worse(each, norm, other, best) for each in about):
                best = other
        inference.solver.same_norm(norm, best)


def _is_no_worse(wanted: _Wanted, norm: NormVariable, chosen: Norm, before: Norm) -> bool:
    new, old = wanted.put(norm, chosen), wanted.put(norm, before)
    return decide(old, "<=", new) is True if wanted.large else decide(new, "<=", old) is True


def _numbers(inference: Inference, found: Evaluation) -> Iterator[_Wanted]:
    """How far the result moves, how far the inputs of mechanisms do, and what conditions compare."""
    yield from (_Wanted(move.sens) for move in found.value.moves.values())
    for constraint, _ in inference.pending:
        yield _Wanted(constraint.left)
        yield _Wanted(constraint.right, large=True)
    for cost in found.effects.costs:
        for node in nodes(cost):
            yield from map(_Wanted, _distances(node))


def _distances(cost: Cost) -> Iterator[Quantity]:
    match cost:
        case Release(distance=moved):
            yield from moved.values()
        case Parallel(along=moved):
            yield from moved.values()
        case Called(along=along) | Sampled(along=along):
            yield from (distance for moved in along.values() for distance in moved.values())
        case Awaited(along=given):
            yield from (distance for moved in given for distance in moved.values())
