"""Advanced composition: the rounds of all loops in one account, with one share of δ for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dp_lsp.accounting.price import Measure, amplified, at_most_once
from dp_lsp.accounting.release import both, group
from dp_lsp.core import sens
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import Awaited, Distances, Release, Repeat, Sampled
from dp_lsp.core.sens import INFINITY, ZERO, Sens
from dp_lsp.mechanisms.arithmetic import SYMBOLS
from dp_lsp.mechanisms.pairs import UNBOUNDED, Price, drift


class Steps(NamedTuple):
    """What some steps of ε₁, ε₂ … add up to: Σεᵢ, Σεᵢ·tanh(εᵢ/2), which the mean of their loss is at most, and Σεᵢ²,
    by which it varies."""

    epsilon: Sens
    mean: Sens
    square: Sens

    def __add__(self, other: tuple[object, ...]) -> Steps:
        assert isinstance(other, Steps)
        return Steps(self.epsilon + other.epsilon, self.mean + other.mean, self.square + other.square)

    def times(self, count: Sens) -> Steps:
        """As many of them."""
        return Steps(*(count * each for each in self))


NO_STEPS = Steps(ZERO, ZERO, ZERO)


def one_step(epsilon: Sens) -> Steps:
    """A single step."""
    return Steps(epsilon, drift(SYMBOLS, epsilon), epsilon.power(2))


def _largest(steps: Iterable[Steps]) -> Steps:
    listed = list(steps)
    return Steps(*(sens.maximum(each) for each in zip(*listed, strict=True))) if listed else NO_STEPS


class Account(NamedTuple):
    """Steps that are made once, of which the ε add up, rounds of loops, and the sum of every δ."""

    once: Steps
    rounds: Steps
    delta: Sens

    @property
    def whole(self) -> Price:
        """The price by basic composition."""
        return Price(self.once.epsilon + self.rounds.epsilon, self.delta)


def _single(price: Price) -> Account:
    return Account(one_step(price.epsilon), NO_STEPS, price.delta)


class Advanced(Measure[Account]):
    """Steps of (ε₁, δ₁), (ε₂, δ₂) … cost (T + √(2V ln(1/δ')), Σδᵢ + δ') for every 0 < δ' < 1, with T = Σεᵢ·tanh(εᵢ/2)
    and V = Σεᵢ²: of what is chosen by earlier results, bounds of T and V count. What is made once is added to that, as
    it would make V too large. Source: Kairouz, Oh and Viswanath 2015, Theorem 3.5; here by the inequality of Azuma
    and Hoeffding: given the past, the loss of step i lies between -εᵢ and εᵢ and has a mean of at most
    εᵢ·tanh(εᵢ/2)."""

    rule = "advanced"
    free = Account(NO_STEPS, NO_STEPS, ZERO)
    unbounded = Account(Steps(INFINITY, INFINITY, INFINITY), NO_STEPS, sens.ONE)

    def is_unbounded(self, loss: Account) -> bool:
        return loss.whole.unbounded

    def released(self, cost: Release, distances: Distances) -> Account:
        return _single(self.released_pair(cost, distances))

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> Account:
        return _single(Price(Sens.of(epsilon), Sens.of(delta)))

    def sequence(self, parts: list[Account]) -> Account:
        once = sum((part.once for part in parts), NO_STEPS)
        rounds = sum((part.rounds for part in parts), NO_STEPS)
        return Account(once, rounds, sens.total(part.delta for part in parts))

    def either(self, parts: list[Account]) -> Account:
        once, rounds = _largest(part.once for part in parts), _largest(part.rounds for part in parts)
        return Account(once, rounds, sens.maximum(part.delta for part in parts))

    def repeat(self, cost: Repeat, once: Account) -> Account:
        count, delta = cost.count, cost.count * once.delta
        if at_most_once(count):
            return Account(once.once.times(count), once.rounds.times(count), delta)
        return Account(NO_STEPS, (once.once + once.rounds).times(count), delta)

    def amplified(self, cost: Sampled, inside: Account) -> Account:
        return _single(amplified(cost, self.closed(inside, cost)))

    def grouped(self, loss: Account, steps: int) -> Account:
        return loss if steps == 1 else _single(group(loss.whole, steps))

    def both(self, first: Account, second: Account) -> Account:
        if first.whole.free or second.whole.free:
            return second if first.whole.free else first
        return _single(both(first.whole, second.whole))

    def translated(self, values: Substitution, loss: Account) -> Account:
        once, rounds = (Steps(*map(values.sens, steps)) for steps in (loss.once, loss.rounds))
        return Account(once, rounds, values.sens(loss.delta))

    def pair(self, loss: Account) -> Price:
        return self.closed(loss)

    def closed(self, loss: Account, sample: Sampled | None = None) -> Price:
        """The pair of all that was spent, or was spent on a sample."""
        if loss.whole.unbounded:
            return UNBOUNDED
        rounds = loss.rounds
        if rounds.epsilon.zero:
            return loss.whole
        slack = self.slack(sample)
        spread = (sens.number(2) * rounds.square * sens.log_inverse(slack)).root()
        return Price(loss.once.epsilon + rounds.mean + spread, loss.delta + Sens.of(slack))

    def named(self, loss: Account) -> tuple[tuple[str, Sens], ...]:
        pair = ("ε", loss.once.epsilon), ("δ", loss.delta)
        rounds = ("T", loss.rounds.mean), ("V", loss.rounds.square)
        return pair if loss.rounds.epsilon.zero else (*pair, *rounds)
