"""The norm of each record that a bound is stated for, where a program leaves it open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from dp_lsp.core.algebra import NormVariable
from dp_lsp.core.constraints import Quantity
from dp_lsp.core.evaluate import Substitution, norms_of
from dp_lsp.core.metrics import is_discrete
from dp_lsp.core.scheme import Scheme
from dp_lsp.core.types import Container, Kind, Norm, Type


class Measured(NamedTuple):
    """A norm that stayed open, and the one a bound is stated for. ``parameters`` are those measured in it: none for
    that of the result, and None for one that nobody sees."""

    norm: NormVariable
    metric: Norm
    parameters: tuple[str, ...] | None


def record_metrics(scheme: Scheme, prices: Iterable[Quantity]) -> Iterator[Measured]:
    """Norms that stayed open and that a bound depends on: the metric of one record for parameters and the result.
    What is measured in others is not seen from outside; any of them gives a bound that holds."""
    quantities = [*prices, *(move.sens for move in scheme.result.moves.values())]
    quantities += [side for need in scheme.needs for side in (need.left, need.right)]
    needed = {norm for quantity in quantities for norm in norms_of(quantity)}
    named = [((param.name,), param.type) for param in scheme.params]
    for what, type_ in (*named, ((), scheme.result.type)):
        if isinstance(type_, Container) and isinstance(type_.norm, NormVariable) and type_.norm in needed:
            needed.discard(type_.norm)
            yield Measured(type_.norm, _metric_of(type_), what)
    yield from (Measured(norm, Norm.L1, None) for norm in needed)


def _metric_of(type_: Container) -> Norm:
    if not is_discrete(type_.element):
        return Norm.L2
    return Norm.LINF if type_.kind is Kind.MATRIX else Norm.L1


def with_norms(type_: Type, norms: Substitution) -> Type:
    """A type with norms put in."""
    if isinstance(type_, Container):
        return replace(type_, norm=norms.norm(type_.norm))
    return type_
