"""Rényi differential privacy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import NamedTuple, Protocol

from dp_lsp.accounting import minimum, subsampled
from dp_lsp.accounting.basic import has_inside, share_of
from dp_lsp.accounting.charge import Charge, Relation, Sampled, Scheme
from dp_lsp.accounting.converting import Converter
from dp_lsp.accounting.curves import converted, indistinct
from dp_lsp.accounting.folding import Rules, Single, fold, values
from dp_lsp.accounting.gaussian import squared_mu
from dp_lsp.accounting.guarantee import Claim, Find, Guarantee, Numbers, NumericMeasure
from dp_lsp.accounting.pairs import failing, failing_repeatedly, slack
from dp_lsp.mechanisms.arithmetic import FLOATS, INTERVALS, Interval, brief, shown
from dp_lsp.mechanisms.mechanism import Formula, Loss
from dp_lsp.mechanisms.selection import response

_HALF = Fraction(1, 2)
_LEAST, _MOST = 2.0**-20, 1e9  # of an order, less 1


class Divergence(NamedTuple):
    """ε(α) at some order, when failures of probability δ are set aside."""

    epsilon: Fraction
    delta: Fraction


class Renyi(NumericMeasure):
    """Curves ε(α) add up, at orders fixed in advance also for what is chosen while it runs; the total converts at the
    best order. What is only known to be (ε, δ)-private is randomised response once its failures are set aside. Of
    samples the curve is known for Poisson samples under add/remove and for samples without replacement under a change
    of one record (:mod:`~dp_lsp.accounting.subsampled`); other samples, and those of something that may fail, are
    priced as pairs. A change of k ≤ 2^c steps of those is 3^c·ε(2^c·α) for α ≥ 2. Sources: Mironov 2017, Propositions 1
    and 2; Balle and others 2020, Theorem 21."""

    rule = "renyi"

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        plain, samples = Converter(self.find), _Samples(self.find)
        found = [self._within(charge, delta, plain, samples)]
        share = share_of(charge, delta, _HALF, has_inside) if plain.looked_inside else None
        if share is not None:
            found.append(self._within(charge, delta, Converter(self.find, share), samples))
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, delta: Fraction, converter: Converter, samples: _Samples) -> Guarantee | None:
        bag = fold(charge, _Bags(converter, samples))
        left = None if bag is None else slack(delta, bag.delta)
        if bag is None or left is None:
            return None
        bound = _bound(bag, float(left))
        best = minimum.order(bound, _LEAST, min(_MOST, bag.highest - 1))
        if best is not None and bag.highest < math.inf:  # a single order of each sample is cheaper
            near = [float(math.floor(best)), float(math.ceil(best))]
            best = min((order for order in (*near, min(best, 2.0)) if order > 1), key=bound)
        total = None if best is None else fold(charge, _AtOrder(converter, samples, Fraction(best)))
        if best is None or total is None:
            return None
        divergence, epsilon, order = Interval.of(total.epsilon), Fraction(0), Fraction(best)
        if not indistinct(divergence, left):
            epsilon = max(converted(INTERVALS, divergence, order, Interval.of(left)).up, epsilon)
        spent: Numbers = () if converter.share is None else (("share", converter.share),)
        return Guarantee(shown(epsilon), delta, self.rule, (*spent, ("order", order), ("slack", left)))

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[Claim, ...]:
        parameters = dict(stated.parameters)
        converter = Converter(self.find, parameters.get("share"))
        at_order = _AtOrder(converter, _Samples(self.find), parameters["order"])
        return tuple(
            Claim(node, steps, (("epsilon", total.epsilon), ("delta", total.delta)), converter.inside(node, steps))
            for node, steps, total in values(charge, at_order)
        )


def _bound(bag: Bag, left: float) -> minimum.Bound:
    def bound(order: float) -> float:
        divergence = bag.near(order)
        if -math.expm1(-divergence) <= left * left:
            return -1 / order  # any such order will do; the search looks for a smallest value
        return float(converted(FLOATS, divergence, order, left))

    return bound


class Curve(Protocol):
    """A curve; ``near`` for searching, ``at`` certain. ``highest`` is the largest order at which it is known."""

    @property
    def highest(self) -> float: ...

    def near(self, order: float) -> float: ...

    def at(self, order: Fraction) -> Interval: ...


@dataclass(frozen=True)
class _Mechanism:
    formula: Formula
    number: Fraction
    highest = math.inf

    @cached_property
    def _nearly(self) -> float:
        return float(self.number)

    def near(self, order: float) -> float:
        return max(0.0, float(self.formula(FLOATS, self._nearly, order)))

    def at(self, order: Fraction) -> Interval:
        found: Interval = self.formula(INTERVALS, self.number, order)
        return found


@dataclass(frozen=True, eq=False)
class Bag:
    """How often each curve comes, and the δ set aside."""

    curves: Counter[Curve]
    delta: Fraction

    @cached_property
    def highest(self) -> float:
        """The largest order at which all its curves are known."""
        return min((curve.highest for curve in self.curves), default=math.inf)

    def near(self, order: float) -> float:
        """The sum of its curves at an order, in floats: not a bound."""
        return math.fsum(count * curve.near(order) for curve, count in self.curves.items())

    def at(self, order: Fraction) -> Interval:
        """The same as a bound, from below and from above."""
        total = Interval.of(0)
        for curve, count in self.curves.items():
            total = total + curve.at(order) * count
        return total


@dataclass(frozen=True, eq=False)
class _Largest:
    """The largest of several, order by order."""

    parts: tuple[Bag, ...]

    @property
    def highest(self) -> float:
        return min(part.highest for part in self.parts)

    def near(self, order: float) -> float:
        return max(part.near(order) for part in self.parts)

    def at(self, order: Fraction) -> Interval:
        return max((part.at(order) for part in self.parts), key=lambda value: value.high)


class _Integers:
    """A curve known at integer orders, by (α-1)·ε(α)."""

    def __init__(self, near: Callable[[int], float], at: Callable[[int], Interval], highest: int) -> None:
        self._near, self._at = cache(near), cache(at)
        self.highest = highest

    def near(self, order: float) -> float:
        return subsampled.float_interpolated(self._near, order) if order <= self.highest else math.inf

    def at(self, order: Fraction) -> Interval:
        return subsampled.interpolated(self._at, order)


@dataclass(frozen=True, eq=False)
class _Group:
    """A change of at most 2^doublings steps."""

    once: Curve
    doublings: int

    @property
    def highest(self) -> float:
        return self.once.highest / (1 << self.doublings)

    @property
    def _times(self) -> int:
        times: int = 3**self.doublings
        return times

    def near(self, order: float) -> float:
        return self._times * self.once.near(max(order, 2.0) * (1 << self.doublings))

    def at(self, order: Fraction) -> Interval:
        return self.once.at(max(order, Fraction(2)) * (1 << self.doublings)) * self._times


class _Bags(Rules[Bag]):
    """The curves that a charge is made of, for every order."""

    def __init__(self, converter: Converter, samples: _Samples) -> None:
        self._converter = converter
        self._samples = samples

    def single(self, node: Single, steps: int) -> Bag | None:
        curve = self.curve(node, steps)
        if curve is not None:
            return Bag(Counter([curve]), Fraction(0))
        pair = self._converter.pair(node, steps)
        if pair is None or pair.delta >= 1:
            return None
        return Bag(Counter([_Mechanism(response, pair.epsilon)] if pair.epsilon else []), pair.delta)

    def curve(self, node: Single, steps: int) -> Curve | None:
        """The curve of what cannot fail, if there is one."""
        if isinstance(node, Sampled):
            once = self._samples.curve(node)
            doublings = (steps - 1).bit_length()
            if once is None or not doublings:
                return once
            return _Group(once, doublings) if once.highest >= 2 ** (doublings + 1) else None
        formula = node.times(steps).divergence() if isinstance(node, Loss) else None
        return None if formula is None else _Mechanism(*formula)

    def sequence(self, parts: Listed[Bag]) -> Bag:
        curves: Counter[Curve] = Counter()
        for part in parts:
            curves.update(part.curves)
        return Bag(curves, failing(part.delta for part in parts))

    def repeat(self, count: int, once: Bag) -> Bag:
        curves = Counter({curve: count * times for curve, times in once.curves.items()})
        return Bag(curves, failing_repeatedly(once.delta, count))

    def either(self, parts: Listed[Bag]) -> Bag:
        if len(parts) == 1:
            return parts[0]
        return Bag(Counter([_Largest(tuple(parts))]), max(part.delta for part in parts))


class _Samples:
    """The curves of samples, where they are known. What is done with a sample must not fail, so no share of δ is spent
    there, and a curve is the same whatever is spent elsewhere."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._rules = _Bags(Converter(find), self)
        self._known: dict[int, Curve | None] = {}

    def curve(self, node: Sampled) -> Curve | None:
        if id(node) not in self._known:
            self._known[id(node)] = self._curve(node)
        return self._known[id(node)]

    def _curve(self, node: Sampled) -> Curve | None:
        change = node.relation is not Relation.ADD_REMOVE
        if node.scheme is Scheme.POISSON and not change:
            squared = squared_mu(node.body)
            if squared is not None:
                return _poisson_gaussian(node.rate, squared)
        elif node.scheme is not Scheme.WITHOUT_REPLACEMENT or not change:
            return None
        body = fold(node.body, self._rules)
        highest = 0 if body is None or body.delta else math.floor(min(body.highest, subsampled.HIGHEST))
        if body is None or highest < 2:
            return None
        if node.scheme is Scheme.POISSON:
            return _poisson(node.rate, body, highest)
        added = self._find(node.body, None)
        pure = None if added is None or added.delta else Interval.of(added.epsilon)
        return _without_replacement(node.rate, body, highest, pure)


def _poisson_gaussian(rate: Fraction, squared: Fraction) -> Curve:
    near_rate, near_squared = float(rate), float(squared)
    return _Integers(
        lambda order: subsampled.float_poisson_gaussian(near_rate, near_squared, order),
        lambda order: subsampled.poisson_gaussian(rate, squared, order),
        subsampled.HIGHEST_GAUSSIAN,
    )


def _scaled(body: Bag) -> tuple[Callable[[int], float], Callable[[int], Interval]]:
    """(j-1)·ε(j) of what is done with a sample."""
    return cache(lambda j: (j - 1) * body.near(j)), cache(lambda j: body.at(Fraction(j)) * (j - 1))


def _poisson(rate: Fraction, body: Bag, highest: int) -> Curve:
    near_rate, (near_body, exact_body) = float(rate), _scaled(body)
    return _Integers(
        lambda order: subsampled.float_poisson(near_rate, near_body, order),
        subsampled.poisson(rate, exact_body),
        highest,
    )


def _without_replacement(rate: Fraction, body: Bag, highest: int, pure: Interval | None) -> Curve:
    near_rate, (near_body, exact_body) = float(rate), _scaled(body)
    near_pure = math.inf if pure is None else float(pure.high)
    return _Integers(
        lambda order: subsampled.float_without_replacement(near_rate, near_body, near_pure, order),
        subsampled.without_replacement(rate, exact_body, pure),
        highest,
    )


class _AtOrder(Rules[Divergence]):
    """The divergences at one order."""

    def __init__(self, converter: Converter, samples: _Samples, order: Fraction) -> None:
        self._bags = _Bags(converter, samples)
        self._order = order

    def single(self, node: Single, steps: int) -> Divergence | None:
        bag = self._bags.single(node, steps)
        return None if bag is None else Divergence(brief(bag.at(self._order).up), bag.delta)

    def sequence(self, parts: Listed[Divergence]) -> Divergence:
        total = brief(sum((part.epsilon for part in parts), Fraction(0)))
        return Divergence(total, failing(part.delta for part in parts))

    def repeat(self, count: int, once: Divergence) -> Divergence:
        return Divergence(count * once.epsilon, failing_repeatedly(once.delta, count))

    def either(self, parts: Listed[Divergence]) -> Divergence:
        return Divergence(max(part.epsilon for part in parts), max(part.delta for part in parts))
