"""Measures in symbols: what a tree of events costs, exactly, for whatever its parameters are.

Approximate differential privacy by basic, published and advanced composition; zero-concentrated and Gaussian
differential privacy, each with a pair that follows from it; and what each mechanism spends, by line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from dp_lsp.accounting.composition import Concentrated, Shifted, Steps, Sums, concentrated, one_step
from dp_lsp.accounting.walk import Asking, PrivacyMeasure, Walk, amplified, at_most_once, both, deviations, group, rate
from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.constraints import Origin
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import (
    Awaited,
    Called,
    Cost,
    Distances,
    Leak,
    Release,
    Repeat,
    Sampled,
    Sampling,
    Var,
    variables,
)
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens
from dp_lsp.mechanisms.arithmetic import SYMBOLS
from dp_lsp.mechanisms.mechanism import FREE, IN_SYMBOLS, UNBOUNDED, Price, drift
from dp_lsp.named import NamedTuple

_PAIRS = Sums(IN_SYMBOLS, FREE)


class Pairs(PrivacyMeasure[Price]):
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
        return _PAIRS.sequence(parts)

    def either(self, parts: list[Price]) -> Price:
        return _PAIRS.either(parts)

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


class SymbolicBasic(Pairs):
    """k rounds of (ε, δ) cost (kε, kδ). Source: Dwork and Roth 2014, Corollary 3.15; where what is spent is chosen on
    the way, Rogers, Roth, Ullman and Vadhan 2016, Privacy Odometers and Filters."""

    rule = "basic"
    adapts = True
    adds = True

    def repeat(self, cost: Repeat, once: Price) -> Price:
        if once.free:
            return FREE
        return UNBOUNDED if once.unbounded else _PAIRS.repeat(cost.count, once)

    def amplified(self, cost: Sampled, inside: Price) -> Price:
        return amplified(cost, inside)


class Published(SymbolicBasic):
    """The formulas of the published checker, which do not hold in general: 2ε√(2k ln(1/δ')), the same for every
    variable of a loop, and 2qε, qδ for a sample."""

    rule = "published"
    adds = False

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
                return self.repeat(cost, _PAIRS.either(each))
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
        if cost.scheme is Sampling.POISSON:
            return (yield from super()._sampled(cost, distances))
        prices = [(yield cost.body, distances)]
        for var, moved in cost.along.items():
            if moved.keys() & distances.keys():
                prices.append(self.amplified(cost, (yield cost.body, {var: sens.ONE})))
        return self.sequence(prices)


def _declared(cost: Release, distances: Distances) -> Price:
    """What a mechanism declares, whatever the distance."""
    return cost.event.declares if distances.keys() & cost.distance.keys() else FREE


def _private(cost: Cost) -> set[Var]:
    """The variables a tree says something about, without records."""
    return {var for var in variables(cost) if not var.members}


# Advanced composition: the rounds of all loops in one account, with one share of δ for all of them.


_STEPS = Sums(IN_SYMBOLS, Steps(ZERO, ZERO, ZERO))
NO_STEPS = _STEPS.sequence([])


class SymbolicAccount(NamedTuple):
    """Steps that are made once, of which the ε add up, rounds of loops, and the sum of every δ."""

    once: Steps[Sens]
    rounds: Steps[Sens]
    delta: Sens

    @property
    def whole(self) -> Price:
        """The price by basic composition."""
        return Price(self.once.epsilon + self.rounds.epsilon, self.delta)


def _single(price: Price) -> SymbolicAccount:
    return SymbolicAccount(one_step(IN_SYMBOLS, price.epsilon), NO_STEPS, price.delta)


class SymbolicAdvanced(PrivacyMeasure[SymbolicAccount]):
    """Steps of (ε₁, δ₁), (ε₂, δ₂) … cost (T + √(2V ln(1/δ')), Σδᵢ + δ') for every 0 < δ' < 1, with T = Σεᵢ·tanh(εᵢ/2)
    and V = Σεᵢ²: of what is chosen by earlier results, bounds of T and V count. What is made once is added to that, as
    it would make V too large. Source: Kairouz, Oh and Viswanath 2015, Theorem 3.5; here as
    :func:`~dp_lsp.accounting.composition.concentrated` says."""

    rule = "advanced"
    free = SymbolicAccount(NO_STEPS, NO_STEPS, ZERO)
    unbounded = SymbolicAccount(Steps(INFINITY, INFINITY, INFINITY), NO_STEPS, sens.ONE)

    def is_unbounded(self, loss: SymbolicAccount) -> bool:
        return loss.whole.unbounded

    def released(self, cost: Release, distances: Distances) -> SymbolicAccount:
        return _single(self.released_pair(cost, distances))

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> SymbolicAccount:
        return _single(Price(Sens.of(epsilon), Sens.of(delta)))

    def sequence(self, parts: list[SymbolicAccount]) -> SymbolicAccount:
        once, rounds = _STEPS.sequence([part.once for part in parts]), _STEPS.sequence([part.rounds for part in parts])
        return SymbolicAccount(once, rounds, sens.total(part.delta for part in parts))

    def either(self, parts: list[SymbolicAccount]) -> SymbolicAccount:
        once, rounds = _STEPS.either([part.once for part in parts]), _STEPS.either([part.rounds for part in parts])
        return SymbolicAccount(once, rounds, sens.maximum(part.delta for part in parts))

    def repeat(self, cost: Repeat, once: SymbolicAccount) -> SymbolicAccount:
        count, delta = cost.count, cost.count * once.delta
        if at_most_once(count):
            return SymbolicAccount(_STEPS.repeat(count, once.once), _STEPS.repeat(count, once.rounds), delta)
        return SymbolicAccount(NO_STEPS, _STEPS.repeat(count, _STEPS.sequence([once.once, once.rounds])), delta)

    def amplified(self, cost: Sampled, inside: SymbolicAccount) -> SymbolicAccount:
        return _single(amplified(cost, self.closed(inside, cost)))

    def grouped(self, loss: SymbolicAccount, steps: int) -> SymbolicAccount:
        return loss if steps == 1 else _single(group(loss.whole, steps))

    def both(self, first: SymbolicAccount, second: SymbolicAccount) -> SymbolicAccount:
        if first.whole.free or second.whole.free:
            return second if first.whole.free else first
        return _single(both(first.whole, second.whole))

    def translated(self, values: Substitution, loss: SymbolicAccount) -> SymbolicAccount:
        once, rounds = (Steps(*map(values.sens, steps)) for steps in (loss.once, loss.rounds))
        return SymbolicAccount(once, rounds, values.sens(loss.delta))

    def pair(self, loss: SymbolicAccount) -> Price:
        return self.closed(loss)

    def closed(self, loss: SymbolicAccount, sample: Sampled | None = None) -> Price:
        """The pair of all that was spent, or was spent on a sample."""
        if loss.whole.unbounded:
            return UNBOUNDED
        rounds = loss.rounds
        if rounds.epsilon.zero:
            return loss.whole
        slack = self.slack(sample)
        lost = concentrated(IN_SYMBOLS, rounds, sens.log_inverse(slack))
        return Price(loss.once.epsilon + lost, loss.delta + Sens.of(slack))

    def named(self, loss: SymbolicAccount) -> tuple[tuple[str, Sens], ...]:
        pair = ("ε", loss.once.epsilon), ("δ", loss.delta)
        rounds = ("T", loss.rounds.mean), ("V", loss.rounds.square)
        return pair if loss.rounds.epsilon.zero else (*pair, *rounds)


# Measures of their own kind, each with a pair that follows from it: zero-concentrated and Gaussian differential
# privacy.


_CONCENTRATED = Sums(IN_SYMBOLS, Concentrated(ZERO, ZERO), fails=True)


class Counted(NamedTuple):
    """δ-approximate ρ-zCDP. ``pair`` is what basic composition says of it, where nothing is ``composed`` and no noise
    is Gaussian all that there is to say."""

    own: Concentrated[Sens]
    basic: Price
    composed: bool

    @property
    def free(self) -> bool:
        return self.own.rho.zero and self.own.delta.zero


class Zcdp(PrivacyMeasure[Counted]):
    """Zero-concentrated differential privacy: ρ adds up, and so does the δ of what is no pure or Gaussian mechanism.
    ρ-zCDP is (ρ + 2√(ρ ln(1/δ')), δ')-private for every 0 < δ' < 1. Source: Bun and Steinke 2016. One mechanism that
    a change reaches in two ways is (√ρ₁ + √ρ₂)²-zCDP, as a group is: Bun and Steinke 2016, Proposition 27. Where what
    is spent is chosen on the way: Feldman and Zrnic 2021, Individual Privacy Accounting via a Rényi Filter."""

    rule = "zcdp"
    adapts = True
    kind = "zcdp"
    free = Counted(Concentrated(ZERO, ZERO), FREE, False)
    unbounded = Counted(Concentrated(INFINITY, ONE), UNBOUNDED, False)

    def is_unbounded(self, loss: Counted) -> bool:
        return loss.own.rho.infinite or loss.own.delta.infinite

    def released(self, cost: Release, distances: Distances) -> Counted:
        pair, mu = self.released_pair(cost, distances), deviations(cost, distances)
        if mu is not None:
            return Counted(Concentrated(half(mu.power(2)), ZERO), pair, True)
        rho = None if pair.unbounded else cost.event.rho(pair)
        return _worst(pair) if rho is None else Counted(Concentrated(rho, ZERO), pair, False)

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> Counted:
        return _worst(Price(Sens.of(epsilon), Sens.of(delta)))

    def sequence(self, parts: list[Counted]) -> Counted:
        own, basic = _CONCENTRATED.sequence([p.own for p in parts]), _PAIRS.sequence([p.basic for p in parts])
        return Counted(own, basic, any(p.composed for p in parts))

    def either(self, parts: list[Counted]) -> Counted:
        own, basic = _CONCENTRATED.either([p.own for p in parts]), _PAIRS.either([p.basic for p in parts])
        return Counted(own, basic, any(p.composed for p in parts))

    def repeat(self, cost: Repeat, once: Counted) -> Counted:
        own, basic = _CONCENTRATED.repeat(cost.count, once.own), _PAIRS.repeat(cost.count, once.basic)
        return Counted(own, basic, once.composed or not at_most_once(cost.count))

    def amplified(self, cost: Sampled, inside: Counted) -> Counted:
        return _worst(amplified(cost, inside.basic))

    def grouped(self, loss: Counted, steps: int) -> Counted:
        return loss if steps == 1 else _worst(group(loss.basic, steps))

    def both(self, first: Counted, second: Counted) -> Counted:
        if first.free or second.free:
            return second if first.free else first
        pair, chained = both(first.basic, second.basic), (first.own.rho.root() + second.own.rho.root()).power(2)
        known = (first.composed or second.composed) and first.own.delta.zero and second.own.delta.zero
        return Counted(Concentrated(chained, ZERO), pair, True) if known else _worst(pair)

    def translated(self, values: Substitution, loss: Counted) -> Counted:
        pair = Price(values.sens(loss.basic.epsilon), values.sens(loss.basic.delta))
        own = Concentrated(*map(values.sens, loss.own))
        return Counted(own, pair, loss.composed)

    def pair(self, loss: Counted) -> Price:
        if loss.own.rho.infinite or loss.own.delta.infinite:
            return UNBOUNDED
        return Price(*self.converted(loss.own.rho, loss.own.delta)) if loss.composed else loss.basic

    def converted(self, rho: Sens, delta: Sens) -> tuple[Sens, Sens]:
        """The pair that follows from ρ."""
        if rho.zero:
            return ZERO, delta
        slack = self.slack()
        return rho + sens.number(2) * (rho * sens.log_inverse(slack)).root(), delta + Sens.of(slack)

    def named(self, loss: Counted) -> tuple[tuple[str, Sens], ...]:
        aside = () if loss.own.delta.zero else (("rho_delta", loss.own.delta),)
        return ("rho", loss.own.rho), *aside


def _worst(pair: Price) -> Counted:
    """Of something of which no more is known than a pair."""
    if pair.unbounded:
        return Zcdp.unbounded
    return Counted(Concentrated(drift(SYMBOLS, pair.epsilon), pair.delta), pair, False)


_SHIFTED = Sums(IN_SYMBOLS, Shifted(ZERO))


class GaussianOnly(PrivacyMeasure[Shifted[Sens]]):
    """Gaussian differential privacy, for what adds Gaussian noise and does nothing else: μ² adds up, exactly.
    Source: Dong, Roth and Su 2019. The pair that goes with it is that of zCDP, ρ being μ²/2."""

    rule = "gaussian"
    kind = "gaussian"
    free = Shifted(ZERO)
    unbounded = Shifted(INFINITY)

    def is_unbounded(self, loss: Shifted[Sens]) -> bool:
        return loss.square.infinite

    def released(self, cost: Release, distances: Distances) -> Shifted[Sens]:
        mu = deviations(cost, distances)
        return self.unbounded if mu is None else Shifted(mu.power(2))

    def leaked(self, cost: Leak) -> Shifted[Sens]:
        return self.unbounded

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> Shifted[Sens]:
        return self.unbounded

    def sequence(self, parts: list[Shifted[Sens]]) -> Shifted[Sens]:
        return _SHIFTED.sequence(parts)

    def either(self, parts: list[Shifted[Sens]]) -> Shifted[Sens]:
        return _SHIFTED.either(parts)

    def repeat(self, cost: Repeat, once: Shifted[Sens]) -> Shifted[Sens]:
        return _SHIFTED.repeat(cost.count, once)

    def amplified(self, cost: Sampled, inside: Shifted[Sens]) -> Shifted[Sens]:
        return inside if inside.square.zero else self.unbounded

    def grouped(self, loss: Shifted[Sens], steps: int) -> Shifted[Sens]:
        return Shifted(loss.square * sens.number(steps).power(2))

    def both(self, first: Shifted[Sens], second: Shifted[Sens]) -> Shifted[Sens]:
        if first.square.zero or second.square.zero:
            return second if first.square.zero else first
        return self.unbounded

    def translated(self, values: Substitution, loss: Shifted[Sens]) -> Shifted[Sens]:
        return Shifted(values.sens(loss.square))

    def pair(self, loss: Shifted[Sens]) -> Price:
        if loss.square.zero or loss.square.infinite:
            return FREE if loss.square.zero else UNBOUNDED
        slack = self.slack()
        spread = (sens.number(2) * loss.square * sens.log_inverse(slack)).root()
        return Price(half(loss.square) + spread, Sens.of(slack))

    def named(self, loss: Shifted[Sens]) -> tuple[tuple[str, Sens], ...]:
        return (("mu", loss.square.root()),)


def half(value: Sens) -> Sens:
    """A half of it, as in ρ = ε²/2."""
    return value * Sens((Poly.of(2).inverse(),))


class Spender(NamedTuple):
    """A mechanism or a call: where it stands, and what it is called."""

    origin: Origin
    name: str


Shares = Mapping[Spender, Price]


class Spending(Walk[Shares]):
    """Prices every mechanism of a tree as if it were alone, as often as it is run. ``measure`` is one whose losses are
    pairs; a call that is ``own`` is the tree itself under another name, every
    other is one spender."""

    free: Shares = MappingProxyType({})
    unbounded: Shares = free

    def __init__(self, measure: PrivacyMeasure[Price], own: Callable[[Origin], bool]) -> None:
        super().__init__()
        self._measure = measure
        self._own = own

    def is_unbounded(self, loss: Shares) -> bool:
        return False

    def released(self, cost: Release, distances: Distances) -> Shares:
        return _alone(Spender(cost.origin, cost.event.name), self._measure.released_pair(cost, distances))

    def leaked(self, cost: Leak) -> Shares:
        return {Spender(cost.origin, ""): UNBOUNDED}

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> Shares:
        price = self._measure.opaque(epsilon, delta, cost)
        return _alone(Spender(cost.origin, cost.callee.name), price)

    def sequence(self, parts: list[Shares]) -> Shares:
        return _merged(parts, self._measure.sequence)

    def either(self, parts: list[Shares]) -> Shares:
        return _merged(parts, self._measure.either)

    def repeat(self, cost: Repeat, once: Shares) -> Shares:
        return {spender: self._measure.repeat(cost, price) for spender, price in once.items()}

    def amplified(self, cost: Sampled, inside: Shares) -> Shares:
        return {spender: self._measure.amplified(cost, price) for spender, price in inside.items()}

    def grouped(self, loss: Shares, steps: int) -> Shares:
        return {spender: self._measure.grouped(price, steps) for spender, price in loss.items()}

    def both(self, first: Shares, second: Shares) -> Shares:
        return self.sequence([first, second])

    def translated(self, values: Substitution, loss: Shares) -> Shares:
        return {spender: self._measure.translated(values, price) for spender, price in loss.items()}

    def _called(self, cost: Called, distances: Distances) -> Asking[Shares]:
        if self._own(cost.origin):
            return (yield from super()._called(cost, distances))
        return _alone(Spender(cost.origin, cost.origin.reason), self._measure.loss(cost, distances))


def _alone(spender: Spender, price: Price) -> Shares:
    return {} if price.free else {spender: price}


def _merged(parts: list[Shares], join: Callable[[list[Price]], Price]) -> Shares:
    found: dict[Spender, list[Price]] = {}
    for part in parts:
        for spender, price in part.items():
            found.setdefault(spender, []).append(price)
    return {spender: join(prices) if len(prices) > 1 else prices[0] for spender, prices in found.items()}
