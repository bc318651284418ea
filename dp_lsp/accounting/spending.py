"""What each mechanism spends, and each call, by the line it stands on: shares of a price by basic composition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from dp_lsp.accounting.price import Asking, Measure, Walk
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.constraints import Origin
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import Awaited, Called, Distances, Leak, Release, Repeat, Sampled
from dp_lsp.mechanisms.pairs import UNBOUNDED, Price


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

    def __init__(self, measure: Measure[Price], own: Callable[[Origin], bool]) -> None:
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
