"""The norm of each record that a bound is stated for, where a program leaves it open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dp_lsp.core.algebra import NormVariable
from dp_lsp.core.constraints import Quantity
from dp_lsp.core.evaluate import norms_of
from dp_lsp.core.metrics import is_discrete
from dp_lsp.core.scheme import Scheme
from dp_lsp.core.types import Container, Kind, Norm


class Measured(NamedTuple):
    """A norm that stayed open, and the one a bound is stated for. ``what`` is how the norm is called, or empty if
    nobody sees it."""

    norm: NormVariable
    metric: Norm
    what: str


def record_metrics(scheme: Scheme, prices: Iterable[Quantity]) -> Iterator[Measured]:
    """Norms that stayed open and that a bound depends on: the metric of one record for parameters and the result.
    What is measured in others is not seen from outside; any of them gives a bound that holds."""
    quantities = [*prices, *(move.sens for move in scheme.result.moves.values())]
    quantities += [side for need in scheme.needs for side in (need.left, need.right)]
    needed = {norm for quantity in quantities for norm in norms_of(quantity)}
    named = [(f"norm({param.name})", param.type) for param in scheme.params]
    for what, type_ in (*named, ("norm of the result", scheme.result.type)):
        if isinstance(type_, Container) and isinstance(type_.norm, NormVariable) and type_.norm in needed:
            needed.discard(type_.norm)
            yield Measured(type_.norm, _metric_of(type_), what)
    yield from (Measured(norm, Norm.L1, "") for norm in needed)


def _metric_of(type_: Container) -> Norm:
    if not is_discrete(type_.element):
        return Norm.L2
    return Norm.LINF if type_.kind is Kind.MATRIX else Norm.L1
