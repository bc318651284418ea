"""Approximate differential privacy: basic and published composition."""

from __future__ import annotations

from dp_lsp.accounting.price import Asking, Measure, amplified, rate
from dp_lsp.accounting.release import both, group
from dp_lsp.core import sens
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import (
    Awaited,
    Called,
    Cost,
    Distances,
    Release,
    Repeat,
    Sampled,
    Scheme,
    Var,
    variables,
)
from dp_lsp.core.sens import Sens
from dp_lsp.mechanisms.pairs import FREE, UNBOUNDED, Price


class Pairs(Measure[Price]):
    """Measures whose losses are pairs (ε, δ)."""

    free = FREE
    unbounded = UNBOUNDED

    def is_unbounded(self, loss: Price) -> bool:
        return loss.unbounded

    def released(self, cost: Release, distances: Distances) -> Price:
        return self.released_pair(cost, distances)

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

    def named(self, loss: Price) -> tuple[tuple[str, Sens], ...]:
        return ("ε", loss.epsilon), ("δ", loss.delta)


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
        return amplified(cost, inside)


class Published(Basic):
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
                named = cost.event.has_pair
                return _declared(cost, distances) if named else self.released(cost, distances)
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
        """Each matrix pays for itself alone. The published checker knows no rows that are there or not."""
        if cost.scheme is Scheme.POISSON:
            return (yield from super()._sampled(cost, distances))
        prices = [(yield cost.body, distances)]
        for var, moved in cost.along.items():
            if moved.keys() & distances.keys():
                prices.append(self.amplified(cost, (yield cost.body, {var: sens.ONE})))
        return self.sequence(prices)


def _declared(cost: Release, distances: Distances) -> Price:
    """What a mechanism declares, whatever the distance."""
    return cost.event.declares if distances.keys() & cost.distance.keys() else FREE


def _largest(prices: list[Price]) -> Price:
    return Price(sens.maximum(p.epsilon for p in prices), sens.maximum(p.delta for p in prices))


def _private(cost: Cost) -> set[Var]:
    """The variables a tree says something about, without records."""
    return {var for var in variables(cost) if not var.members}
