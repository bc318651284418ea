"""What one mechanism costs, at the distance that its input moves, as a pair (ε, δ)."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.core import sens
from dp_lsp.core.constraints import decide
from dp_lsp.core.events import Distances, Gaussian, GaussianNoise, Release
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens

_WRITTEN_OUT = 4  # steps of a group whose sum is shown term by term


class Price(NamedTuple):
    """An approximate-differential-privacy pair: (ε, δ)."""

    epsilon: Sens
    delta: Sens

    @property
    def free(self) -> bool:
        return self.epsilon.zero and self.delta.zero

    @property
    def unbounded(self) -> bool:
        return self.epsilon.infinite or self.delta.infinite


FREE = Price(ZERO, ZERO)
UNBOUNDED = Price(INFINITY, ONE)


def released(cost: Release, distances: Distances) -> Price:
    """The price of one mechanism at the distance that ``distances`` move its input.

    Pure mechanisms scale exactly, each being ε-private for inputs (queries, scores) that move by the declared
    distance. So does Gaussian noise while ε stays below 1: up to the declared distance, by the factor
    between two norms (under that condition), and beyond where numbers show it; else by group privacy in whole steps.
    Sources: Dwork and Roth 2014, Theorems 3.6, 3.10, 3.23, A.1 and 2.2 with its δ.
    """
    event, steps = cost.event, units(cost, distances)
    if steps.zero:
        return FREE
    if steps.infinite or isinstance(event, GaussianNoise):  # of the latter no pair follows without choosing a δ
        return UNBOUNDED
    if not isinstance(event, Gaussian):
        return Price(event.epsilon * steps * cost.factor, ZERO)
    known = steps.number
    if known is None:
        return UNBOUNDED
    scaled = event.epsilon * cost.factor
    total_epsilon = (scaled * steps).number
    if known <= 1 or (total_epsilon is not None and total_epsilon < 1):
        return Price(scaled * steps, event.delta)
    return group(Price(scaled, event.delta), -(-known // 1))


def units(cost: Release, distances: Distances) -> Sens:
    """How far ``distances`` move the input of a mechanism, in units of the declared distance; ∞ if nothing is known."""
    parts = {var: cost.distance[var] * moved for var, moved in distances.items() if var in cost.distance}
    total = sens.total(parts.values())
    if total.zero or total.infinite:
        return total
    return steps_of(total, cost.event.declared, {var: distances[var] for var, part in parts.items() if not part.zero})


def deviations(cost: Release, event: GaussianNoise, distances: Distances) -> Sens:
    """How far ``distances`` move the input of Gaussian noise, in deviations of the noise: the μ of Gaussian
    differential privacy."""
    if event.multiplier.zero:
        return INFINITY
    return units(cost, distances) * cost.factor * Sens((event.multiplier.single_poly().inverse(),))


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
    """The price of a change of ``steps`` steps: (kε, δ(1 + e^ε + … + e^((k-1)ε))). Source: Dwork and Roth 2014, 2.2."""
    if steps == 1 or price.free:
        return price
    if price.unbounded:
        return UNBOUNDED
    count = sens.number(steps)
    if price.epsilon.zero or price.delta.zero:
        return Price(price.epsilon * count, price.delta * count)
    one = sens.expm1(price.epsilon)
    if steps <= _WRITTEN_OUT:
        growth = sens.total((ONE + one).power(i) for i in range(steps))
    else:
        growth = sens.expm1(price.epsilon * count) * Sens((one.as_atom().inverse(),))
    return Price(price.epsilon * count, price.delta * growth)


def both(first: Price, second: Price) -> Price:
    """Two private results of one variable that reach it in two ways: (ε₁ + ε₂, δ₁ + e^ε₁ δ₂).
    Source: the hybrid argument; attained."""
    if first.free or second.free:
        return second if first.free else first
    growth = ONE + sens.expm1(first.epsilon)
    return Price(first.epsilon + second.epsilon, first.delta + growth * second.delta)
