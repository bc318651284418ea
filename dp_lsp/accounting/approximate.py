"""Approximate differential privacy: basic, advanced and published composition."""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.accounting.price import (
    FREE,
    UNBOUNDED,
    Asking,
    Measure,
    Price,
    both,
    deviations,
    group,
    rate,
    released,
)
from dp_lsp.core import sens
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import (
    Awaited,
    Called,
    Cost,
    Distances,
    Gaussian,
    GaussianNoise,
    Release,
    Repeat,
    Sampled,
    Scheme,
    Var,
    variables,
)
from dp_lsp.core.sens import ZERO, Sens


class Pairs(Measure[Price]):
    """Measures whose losses are pairs (ε, δ)."""

    free = FREE
    unbounded = UNBOUNDED

    def is_unbounded(self, loss: Price) -> bool:
        return loss.unbounded

    def released(self, cost: Release, distances: Distances) -> Price:
        """Gaussian noise whose input moves by μ deviations is (μ²/2 + μ√(2 ln(1/δ)), δ)-private for every δ.
        Source: Bun and Steinke 2016, Propositions 1.3 and 1.6."""
        event = cost.event
        if not isinstance(event, GaussianNoise):
            return released(cost, distances)
        far = deviations(cost, event, distances)
        if far.zero or far.infinite:
            return FREE if far.zero else UNBOUNDED
        slack = self.slack(cost)
        spread = far * (sens.number(2) * sens.log_inverse(slack)).root()
        return Price(sens.number(Fraction(1, 2)) * far * far + spread, Sens.of(slack))

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> Price:
        return Price(Sens.of(epsilon), Sens.of(delta))

    def sequence(self, parts: list[Price]) -> Price:
        """Basic composition: ε and δ add up. Source: Dwork and Roth 2014, Theorem 3.16; adaptive."""
        return Price(sens.total(p.epsilon for p in parts), sens.total(p.delta for p in parts))

    def either(self, parts: list[Price]) -> Price:
        return _largest(parts)

    def grouped(self, loss: Price, steps: int) -> Price:
        return group(loss, steps)

    def both(self, first: Price, second: Price) -> Price:
        return both(first, second)

    def translated(self, values: Substitution, loss: Price) -> Price:
        return Price(values.sens(loss.epsilon), values.sens(loss.delta))

    def pair(self, loss: Price) -> Price:
        return loss


class Basic(Pairs):
    """k rounds of (ε, δ) cost (kε, kδ). Source: Dwork and Roth 2014, Corollary 3.15."""

    rule = "basic"

    def repeat(self, cost: Repeat, once: Price) -> Price:
        if once.free:
            return FREE
        if once.unbounded:
            return UNBOUNDED
        return Price(cost.count * once.epsilon, cost.count * once.delta)

    def amplified(self, cost: Sampled, inside: Price) -> Price:
        """Drawing with probability q, or k of r rows without replacement and in random order, q = k/r: ln(1 + q(e^ε -
        1)) and qδ. With replacement every draw is one of 1 of r rows, and k of these follow each other.
        Source: Balle, Barthe and Gaboardi 2018, Theorems 8 and 9; with replacement by one draw after the other."""
        if inside.free:
            return FREE
        if inside.unbounded:
            return UNBOUNDED
        if cost.scheme is Scheme.WITH_REPLACEMENT:
            return _drawn_again(cost, inside)
        q = rate(cost)
        return Price(sens.log1p(q * sens.expm1(inside.epsilon)), q * inside.delta)


def _drawn_again(cost: Sampled, inside: Price) -> Price:
    """k draws, each of which hits a changed row with probability 1/r: a chain of k steps of ε₁ = ln(1 + (e^ε - 1)/r)
    and δ/r, which is kε₁ and δ/r·(1 + e^ε₁ + … + e^((k-1)ε₁)) = δ(e^(kε₁) - 1)/(e^ε - 1)."""
    if inside.epsilon.zero:
        return Price(ZERO, rate(cost) * inside.delta)
    one = sens.expm1(inside.epsilon)
    epsilon = cost.draws * sens.log1p(Sens((cost.rows.single_poly().inverse(),)) * one)
    if inside.delta.zero:
        return Price(epsilon, ZERO)
    return Price(epsilon, inside.delta * sens.expm1(epsilon) * Sens((one.as_atom().inverse(),)))


class Advanced(Basic):
    """k rounds of (ε, δ) cost (ε√(2k ln(1/δ')) + kε(e^ε - 1), kδ + δ') for every 0 < δ' < 1.
    Source: Dwork, Rothblum and Vadhan 2010; Dwork and Roth 2014, Theorem 3.20."""

    rule = "advanced"

    def repeat(self, cost: Repeat, once: Price) -> Price:
        if once.free:
            return FREE
        if once.unbounded:
            return UNBOUNDED
        epsilon, count = once.epsilon, cost.count
        if epsilon.zero or _at_most_one(count):
            return super().repeat(cost, once)
        slack = self.slack(cost)
        spread = (sens.number(2) * count * sens.log_inverse(slack)).root()
        drift = count * epsilon * sens.expm1(epsilon)
        return Price(epsilon * spread + drift, Sens.of(slack) + count * once.delta)


class Published(Advanced):
    """The formulas of the published checker, which do not hold in general: 2ε√(2k ln(1/δ')), the same for every
    variable of a loop, and 2qε, qδ for a sample."""

    rule = "published"

    def repeat(self, cost: Repeat, once: Price) -> Price:
        if once.unbounded:
            return UNBOUNDED
        if once.free:
            return FREE
        slack = self.slack(cost)
        spread = (sens.number(2) * cost.count * sens.log_inverse(slack)).root()
        return Price(sens.number(2) * once.epsilon * spread, Sens.of(slack) + cost.count * once.delta)

    def amplified(self, cost: Sampled, inside: Price) -> Price:
        if inside.unbounded:
            return UNBOUNDED
        q = rate(cost)
        return Price(sens.number(2) * q * inside.epsilon, q * inside.delta)

    def _loss(self, cost: Cost, distances: Distances) -> Asking[Price]:
        match cost:
            case Release():
                noise = isinstance(cost.event, GaussianNoise)
                return self.released(cost, distances) if noise else _declared(cost, distances)
            case Repeat(body=body) if distances.keys() & _private(body):
                each = []
                for var in _private(body):
                    each.append((yield body, {var: sens.ONE}))
                return self.repeat(cost, _largest(each))
        return (yield from super()._loss(cost, distances))

    def _called(self, cost: Called, distances: Distances) -> Asking[Price]:
        """Each argument pays for itself alone, and the prices add up."""
        prices = []
        for param, moved in cost.along.items():
            if moved.keys() & distances.keys():
                prices.append((yield from self._body_of(cost, {param: sens.ONE})))
        return self.sequence(prices)

    def _sampled(self, cost: Sampled, distances: Distances) -> Asking[Price]:
        """Each matrix pays for itself alone."""
        prices = [(yield cost.body, distances)]
        for var, moved in cost.along.items():
            if moved.keys() & distances.keys():
                prices.append(self.amplified(cost, (yield cost.body, {var: sens.ONE})))
        return self.sequence(prices)


def _declared(cost: Release, distances: Distances) -> Price:
    """What a mechanism declares, whatever the distance."""
    if not distances.keys() & cost.distance.keys():
        return FREE
    event = cost.event
    assert not isinstance(event, GaussianNoise), "it declares no price"
    return Price(event.epsilon, event.delta if isinstance(event, Gaussian) else ZERO)


def _largest(prices: list[Price]) -> Price:
    return Price(sens.maximum(p.epsilon for p in prices), sens.maximum(p.delta for p in prices))


def _private(cost: Cost) -> set[Var]:
    """The variables a tree says something about, without records."""
    return {var for var in variables(cost) if not var.members}


def _at_most_one(count: Sens) -> bool:
    known = count.number
    return known is not None and known <= 1
