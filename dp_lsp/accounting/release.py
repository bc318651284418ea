"""How far one mechanism's input moves, and what it costs there as a pair (ε, δ)."""

from __future__ import annotations

from dp_lsp.core import sens
from dp_lsp.core.constraints import decide
from dp_lsp.core.events import Distances, Release
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.mechanisms.pairs import FREE, IN_SYMBOLS, UNBOUNDED, Price, chain
from dp_lsp.mechanisms.pairs import group as of_group


def released(cost: Release, distances: Distances) -> Price:
    """The price of one mechanism at the distance that ``distances`` move its input."""
    steps = units(cost, distances)
    if steps.zero:
        return FREE
    return UNBOUNDED if steps.infinite else cost.event.pair(steps, cost.factor) or UNBOUNDED


def deviations(cost: Release, distances: Distances) -> Sens | None:
    """How far ``distances`` move the input of Gaussian noise, in deviations of the noise: the μ of Gaussian
    differential privacy. None for any other mechanism."""
    return cost.event.deviations(cost.factor * units(cost, distances)) if cost.event.is_normal else None


def units(cost: Release, distances: Distances) -> Sens:
    """How far ``distances`` move the input of a mechanism, in units of the declared distance; ∞ if nothing is known."""
    parts = {var: cost.distance[var] * moved for var, moved in distances.items() if var in cost.distance}
    total = sens.total(parts.values())
    if total.zero or total.infinite:
        return total
    return steps_of(total, cost.event.declared, {var: distances[var] for var, part in parts.items() if not part.zero})


def steps_of(total: Sens, declared: Sens, moved: Distances) -> Sens:
    """The distance in units of the declared one. Where that is not a number, each variable is known to move the input
    by at most the declared distance for each unit it moves itself (a shown condition), a record as often as it has
    members."""
    if not declared.zero and declared.polys and len(declared.polys) == 1:
        ratio = total * Sens((declared.polys[0].inverse(),))
        if ratio.number is not None:
            return ratio
    bound = sens.total(moved[var] * sens.number(max(1, var.members)) for var in moved)
    within = decide(total, "<=", declared)
    return ONE if within and not _at_most_one(bound) else bound


def _at_most_one(value: Sens) -> bool:
    known = value.number
    return known is not None and known <= 1


def group(price: Price, steps: int) -> Price:
    """The price of a change of ``steps`` steps."""
    return UNBOUNDED if price.unbounded else of_group(IN_SYMBOLS, price, steps)


def both(first: Price, second: Price) -> Price:
    """Two private results of one variable that reach it in two ways."""
    if first.free or second.free:
        return second if first.free else first
    return chain(IN_SYMBOLS, first, second)
