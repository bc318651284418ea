"""Measures of their own kind, each with a pair that follows from it: zero-concentrated and Gaussian differential
privacy."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.accounting.price import Measure, amplified, at_most_once
from dp_lsp.accounting.release import both, deviations, group
from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import Awaited, Distances, Leak, Release, Repeat, Sampled
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens
from dp_lsp.mechanisms.arithmetic import SYMBOLS
from dp_lsp.mechanisms.pairs import FREE, UNBOUNDED, Price, drift


class Concentrated(NamedTuple):
    """δ-approximate ρ-zCDP. ``pair`` is what basic composition says of it, where nothing is ``composed`` and no noise
    is Gaussian all that there is to say."""

    rho: Sens
    delta: Sens
    basic: Price
    composed: bool

    @property
    def free(self) -> bool:
        return self.rho.zero and self.delta.zero


class Zcdp(Measure[Concentrated]):
    """Zero-concentrated differential privacy: ρ adds up, and so does the δ of what is no pure or Gaussian mechanism.
    ρ-zCDP is (ρ + 2√(ρ ln(1/δ')), δ')-private for every 0 < δ' < 1. Source: Bun and Steinke 2016. One mechanism that
    a change reaches in two ways is (√ρ₁ + √ρ₂)²-zCDP, as a group is: Bun and Steinke 2016, Proposition 27."""

    rule = "zcdp"
    kind = "zcdp"
    free = Concentrated(ZERO, ZERO, FREE, False)
    unbounded = Concentrated(INFINITY, ONE, UNBOUNDED, False)

    def is_unbounded(self, loss: Concentrated) -> bool:
        return loss.rho.infinite or loss.delta.infinite

    def released(self, cost: Release, distances: Distances) -> Concentrated:
        pair, mu = self.released_pair(cost, distances), deviations(cost, distances)
        if mu is not None:
            return Concentrated(half(mu.power(2)), ZERO, pair, True)
        rho = None if pair.unbounded else cost.event.rho(pair)
        return _worst(pair) if rho is None else Concentrated(rho, ZERO, pair, False)

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> Concentrated:
        return _worst(Price(Sens.of(epsilon), Sens.of(delta)))

    def sequence(self, parts: list[Concentrated]) -> Concentrated:
        return self._summed(parts)

    def _summed(self, parts: list[Concentrated]) -> Concentrated:
        pair = Price(sens.total(p.basic.epsilon for p in parts), sens.total(p.basic.delta for p in parts))
        rho, delta = sens.total(p.rho for p in parts), sens.total(p.delta for p in parts)
        return Concentrated(rho, delta, pair, any(p.composed for p in parts))

    def either(self, parts: list[Concentrated]) -> Concentrated:
        pair = Price(sens.maximum(p.basic.epsilon for p in parts), sens.maximum(p.basic.delta for p in parts))
        rho, delta = sens.maximum(p.rho for p in parts), sens.maximum(p.delta for p in parts)
        return Concentrated(rho, delta, pair, any(p.composed for p in parts))

    def repeat(self, cost: Repeat, once: Concentrated) -> Concentrated:
        count, basic = cost.count, once.basic
        pair = Price(count * basic.epsilon, count * basic.delta)
        composed = once.composed or not at_most_once(count)
        return Concentrated(count * once.rho, count * once.delta, pair, composed)

    def amplified(self, cost: Sampled, inside: Concentrated) -> Concentrated:
        return _worst(amplified(cost, inside.basic))

    def grouped(self, loss: Concentrated, steps: int) -> Concentrated:
        return loss if steps == 1 else _worst(group(loss.basic, steps))

    def both(self, first: Concentrated, second: Concentrated) -> Concentrated:
        if first.free or second.free:
            return second if first.free else first
        pair, chained = both(first.basic, second.basic), (first.rho.root() + second.rho.root()).power(2)
        known = (first.composed or second.composed) and first.delta.zero and second.delta.zero
        return Concentrated(chained, ZERO, pair, True) if known else _worst(pair)

    def translated(self, values: Substitution, loss: Concentrated) -> Concentrated:
        pair = Price(values.sens(loss.basic.epsilon), values.sens(loss.basic.delta))
        return Concentrated(values.sens(loss.rho), values.sens(loss.delta), pair, loss.composed)

    def pair(self, loss: Concentrated) -> Price:
        if loss.rho.infinite or loss.delta.infinite:
            return UNBOUNDED
        return Price(*self.converted(loss.rho, loss.delta)) if loss.composed else loss.basic

    def converted(self, rho: Sens, delta: Sens) -> tuple[Sens, Sens]:
        """The pair that follows from ρ."""
        if rho.zero:
            return ZERO, delta
        slack = self.slack()
        return rho + sens.number(2) * (rho * sens.log_inverse(slack)).root(), delta + Sens.of(slack)

    def named(self, loss: Concentrated) -> tuple[tuple[str, Sens], ...]:
        aside = () if loss.delta.zero else (("rho_delta", loss.delta),)
        return ("rho", loss.rho), *aside


def _worst(pair: Price) -> Concentrated:
    """Of something of which no more is known than a pair."""
    if pair.unbounded:
        return Zcdp.unbounded
    return Concentrated(drift(SYMBOLS, pair.epsilon), pair.delta, pair, False)


class Shifted(NamedTuple):
    """μ-Gaussian differential privacy, by the square of μ."""

    square: Sens


class GaussianOnly(Measure[Shifted]):
    """Gaussian differential privacy, for what adds Gaussian noise and does nothing else: μ² adds up, exactly.
    Source: Dong, Roth and Su 2019. The pair that goes with it is that of zCDP, ρ being μ²/2."""

    rule = "gaussian"
    kind = "gaussian"
    free = Shifted(ZERO)
    unbounded = Shifted(INFINITY)

    def is_unbounded(self, loss: Shifted) -> bool:
        return loss.square.infinite

    def released(self, cost: Release, distances: Distances) -> Shifted:
        mu = deviations(cost, distances)
        return self.unbounded if mu is None else Shifted(mu.power(2))

    def leaked(self, cost: Leak) -> Shifted:
        return self.unbounded

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> Shifted:
        return self.unbounded

    def sequence(self, parts: list[Shifted]) -> Shifted:
        return Shifted(sens.total(part.square for part in parts))

    def either(self, parts: list[Shifted]) -> Shifted:
        return Shifted(sens.maximum(part.square for part in parts))

    def repeat(self, cost: Repeat, once: Shifted) -> Shifted:
        return Shifted(cost.count * once.square)

    def amplified(self, cost: Sampled, inside: Shifted) -> Shifted:
        return inside if inside.square.zero else self.unbounded

    def grouped(self, loss: Shifted, steps: int) -> Shifted:
        return Shifted(loss.square * sens.number(steps).power(2))

    def both(self, first: Shifted, second: Shifted) -> Shifted:
        if first.square.zero or second.square.zero:
            return second if first.square.zero else first
        return self.unbounded

    def translated(self, values: Substitution, loss: Shifted) -> Shifted:
        return Shifted(values.sens(loss.square))

    def pair(self, loss: Shifted) -> Price:
        if loss.square.zero or loss.square.infinite:
            return FREE if loss.square.zero else UNBOUNDED
        slack = self.slack()
        spread = (sens.number(2) * loss.square * sens.log_inverse(slack)).root()
        return Price(half(loss.square) + spread, Sens.of(slack))

    def named(self, loss: Shifted) -> tuple[tuple[str, Sens], ...]:
        return (("mu", loss.square.root()),)


def half(value: Sens) -> Sens:
    """A half of it, as in ρ = ε²/2."""
    return value * Sens((Poly.of(2).inverse(),))
