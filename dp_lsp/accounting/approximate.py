"""Approximate differential privacy: basic, advanced and published composition."""

from __future__ import annotations

from dp_lsp.accounting.price import (
    FREE,
    UNBOUNDED,
    Asking,
    Choice,
    Measure,
    Price,
    both,
    chosen,
    group,
    rate,
    released,
)
from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import (
    Awaited,
    Called,
    Cost,
    Distances,
    Gaussian,
    Release,
    Repeat,
    Sampled,
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
        return released(cost, distances)

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
        """Sampling k of r rows without replacement, in random order: with q = k/r, ln(1 + q(e^ε - 1)) and qδ.
        Source: Balle, Barthe and Gaboardi 2018, Theorem 9 (change of one row)."""
        if inside.free:
            return FREE
        if inside.unbounded:
            return UNBOUNDED
        q = rate(cost)
        return Price(sens.log1p(q * sens.expm1(inside.epsilon)), q * inside.delta)


class Advanced(Basic):
    """k rounds of (ε, δ) cost (ε√(2k ln(1/δ')) + kε(e^ε - 1), kδ + δ') for every 0 < δ' < 1.
    Source: Dwork, Rothblum and Vadhan 2010; Dwork and Roth 2014, Theorem 3.20."""

    rule = "advanced"

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        super().__init__(taken)
        self._slack: dict[int, Poly] = {}

    def repeat(self, cost: Repeat, once: Price) -> Price:
        if once.free:
            return FREE
        if once.unbounded:
            return UNBOUNDED
        epsilon, count = once.epsilon, cost.count
        if epsilon.zero or _at_most_one(count):
            return super().repeat(cost, once)
        slack = self._slack_of(cost)
        spread = (sens.number(2) * count * sens.log_inverse(slack)).root()
        drift = count * epsilon * sens.expm1(epsilon)
        return Price(epsilon * spread + drift, Sens.of(slack) + count * once.delta)

    def _slack_of(self, cost: Repeat) -> Poly:
        """One δ' for each loop."""
        slack = self._slack.get(id(cost))
        if slack is None:
            symbol = chosen(len(self.choices) + 1, self._taken)
            self.choices.append(Choice(symbol, cost.origin))
            slack = self._slack[id(cost)] = Poly.of(symbol)
        return slack


class Published(Advanced):
    """The formulas of the published checker, which do not hold in general: 2ε√(2k ln(1/δ')), the same for every
    variable of a loop, and 2qε, qδ for a sample."""

    rule = "published"

    def repeat(self, cost: Repeat, once: Price) -> Price:
        if once.unbounded:
            return UNBOUNDED
        if once.free:
            return FREE
        slack = self._slack_of(cost)
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
                return _declared(cost, distances)
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
    return Price(event.epsilon, event.delta if isinstance(event, Gaussian) else ZERO)


def _largest(prices: list[Price]) -> Price:
    return Price(sens.maximum(p.epsilon for p in prices), sens.maximum(p.delta for p in prices))


def _private(cost: Cost) -> set[Var]:
    """The variables a tree says something about, without records."""
    return {var for var in variables(cost) if not var.members}


def _at_most_one(count: Sens) -> bool:
    known = count.number
    return known is not None and known <= 1
