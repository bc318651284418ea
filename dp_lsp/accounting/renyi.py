"""Rényi and zero-concentrated differential privacy in numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from collections.abc import Sequence as Listed
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Protocol

from dp_lsp.accounting.approximate import Converter, has_inside, joined, share_of, squared_mu
from dp_lsp.accounting.charge import (
    Charge,
    ChargedSample,
    Find,
    Guarantee,
    Joined,
    NodeClaim,
    Numbers,
    NumericMeasure,
    Relation,
    Rules,
    Sampling,
    Single,
    fold,
    slack,
    values,
)
from dp_lsp.accounting.composition import Concentrated, Summing, Sums
from dp_lsp.mechanisms.arithmetic import FLOATS, INTERVALS, ONE, ZERO, Arithmetic, DecimalInterval, Order, brief, shown
from dp_lsp.mechanisms.mechanism import IN_NUMBERS, Formula, Loss, drift
from dp_lsp.mechanisms.selection import response
from dp_lsp.named import NamedTuple

# Searching for the order at which a bound is smallest.

_PLACES_OF_ORDERS = 72
_SECTIONS = 36
_SECTION = (math.sqrt(5) - 1) / 2


OrderBound = Callable[[float], float]


def best_order(bound: OrderBound, lowest: float, highest: float) -> float | None:
    """An order α > 1 with a nearly smallest bound, for α - 1 between two numbers; None if it is nowhere finite."""
    low, high = math.log(lowest), math.log(highest)

    def at(place: float) -> float:
        found = bound(1 + math.exp(place))
        return math.inf if math.isnan(found) else found

    places = [low + (high - low) * i / _PLACES_OF_ORDERS for i in range(_PLACES_OF_ORDERS + 1)]
    bounds = [at(place) for place in places]
    best = min(range(len(places)), key=bounds.__getitem__)
    if bounds[best] == math.inf:
        return None
    left, right = places[max(best - 1, 0)], places[min(best + 1, _PLACES_OF_ORDERS)]
    inner, outer = right - _SECTION * (right - left), left + _SECTION * (right - left)
    at_inner, at_outer = at(inner), at(outer)
    for _ in range(_SECTIONS):
        if at_inner <= at_outer:
            right, outer, at_outer = outer, inner, at_inner
            inner = right - _SECTION * (right - left)
            at_inner = at(inner)
        else:
            left, inner, at_inner = inner, outer, at_outer
            outer = left + _SECTION * (right - left)
            at_outer = at(outer)
    found = min((at_inner, inner), (at_outer, outer), (bounds[best], places[best]))
    return 1 + math.exp(found[1])


# From a Rényi divergence at an order α > 1 to a pair (ε, δ), for floats and for intervals alike.


def converted(by: Arithmetic[Any], divergence: Any, order: Order, delta: Any) -> Any:
    """The ε of a divergence at an order > 1: ε(α) + ln((α-1)/α) - (ln δ + ln α)/(α-1), if that is positive.
    Sources: Balle and others 2020, Theorem 21; Canonne, Kamath and Steinke 2020, Proposition 12."""
    paid = (by.ln(delta) + by.ln(by.of(order))) / by.of(order - 1)
    return divergence + by.ln(by.of((order - 1) / order)) - paid


def indistinct(divergence: DecimalInterval, delta: Fraction) -> bool:
    """Whether a divergence at some order, or the limit at 1, shows that the distributions are within δ in total
    variation: δ ≥ √(1 - e^-ε(α)). Source: Bretagnolle and Huber 1979."""
    return (0 - (-divergence).expm1()).up <= delta**2


# Rényi divergences of samples at integer orders, from those of what is done with a sample.
#
# Between two orders (α-1)·ε(α) is convex, so the straight line between its values at two integers lies above it; at 1
# it is 0. Floats keep to logarithms, intervals need not.

HIGHEST_GAUSSIAN = 1024
HIGHEST = 64
_LOG_3 = math.log(3)
_LOG_FACTORIALS = [math.lgamma(n + 1) for n in range(HIGHEST_GAUSSIAN + 1)]


def interpolated(at: Callable[[int], DecimalInterval], order: Fraction) -> DecimalInterval:
    """An upper bound of ε(α) between integers, of which ``at`` gives (α-1)·ε(α)."""
    below = math.floor(order)
    low = at(below) if below > 1 else ZERO
    if below == order:
        return low / (order - 1)
    high = at(below + 1)
    return (low * (below + 1 - order) + high * (order - below)) / (order - 1)


def float_interpolated(at: Callable[[int], float], order: float) -> float:
    """The same, nearly."""
    below = math.floor(order)
    low = at(below) if below > 1 else 0.0
    if below == order:
        return low / (order - 1)
    return (low * (below + 1 - order) + at(below + 1) * (order - below)) / (order - 1)


def poisson_gaussian(rate: Fraction, squared: Fraction, order: int) -> DecimalInterval:
    """(α-1)·ε(α) of Gaussian noise of μ² on a Poisson sample, under add/remove:
    ln Σ C(α,j)(1-q)^(α-j) q^j e^((j²-j)μ²/2). Sources: Abadi and others 2016; Mironov, Talwar and Zhang 2019,
    Section 3.3, for both directions. Gaussian noise drawn several times on one sample is noise of the sum of all μ²
    (trade-off functions, which samples keep the order of)."""
    step = DecimalInterval.of(squared).exp()
    growth = power = ONE  # e^((j²-j)μ²/2), and by what it grows
    drawn = ONE
    total = ZERO
    for j in range(order + 1):
        missed = DecimalInterval.of(1 - rate).power(order - j)
        total = total + missed * drawn * growth * math.comb(order, j)
        growth, power, drawn = growth * power, power * step, drawn * rate
    return total.ln()


def float_poisson_gaussian(rate: float, squared: float, order: int) -> float:
    """The same, nearly."""
    terms = _log_binomials(order, rate)
    half = squared / 2
    return _log_sum([term + (j * j - j) * half for j, term in enumerate(terms)])


def poisson(rate: Fraction, body: Callable[[int], DecimalInterval]) -> Callable[[int], DecimalInterval]:
    """(α-1)·ε(α) of a Poisson sample of which ``body`` gives (j-1)·ε(j), under add/remove: as for Gaussian noise, with
    e^((j-1)ε(j)), the terms from j = 3 on taken three times. Source: Zhu and Wang 2019, Theorem 5."""
    missed = cache(DecimalInterval.of(1 - rate).power)

    @cache
    def drawn(j: int) -> DecimalInterval:
        grown = body(j).exp() if j > 1 else ONE
        return DecimalInterval.of(rate).power(j) * grown * (3 if j > 2 else 1)

    def at(order: int) -> DecimalInterval:
        terms = (missed(order - j) * drawn(j) * math.comb(order, j) for j in range(order + 1))
        return sum(terms, ZERO).ln()

    return at


def float_poisson(rate: float, body: Callable[[int], float], order: int) -> float:
    """The same, nearly."""
    terms = _log_binomials(order, rate)
    grown = [0.0, 0.0, body(2), *(body(j) + _LOG_3 for j in range(3, order + 1))]
    return _log_sum([term + more for term, more in zip(terms, grown, strict=True)])


def without_replacement(
    rate: Fraction, body: Callable[[int], DecimalInterval], pure: DecimalInterval | None
) -> Callable[[int], DecimalInterval]:
    """(α-1)·ε(α) of a sample without replacement under a change of one record, of which ``body`` gives (j-1)·ε(j) and
    ``pure`` ε(∞): ln(1 + q²C(α,2)·min(4(e^ε(2)-1), e^ε(2)·min(2, (e^ε(∞)-1)²)) + Σ q^j C(α,j) e^((j-1)ε(j))·min(2,
    (e^ε(∞)-1)^j)), j from 3. Source: Wang, Balle and Kasiviswanathan 2019, Theorem 9."""

    @cache
    def drawn(j: int) -> DecimalInterval:
        grown = body(j).exp()
        most = grown * _at_most_two(pure, j)
        if j == 2:
            other = (grown - 1) * 4
            most = other if other.high < most.high else most
        return DecimalInterval.of(rate).power(j) * most

    def at(order: int) -> DecimalInterval:
        return sum((drawn(j) * math.comb(order, j) for j in range(2, order + 1)), ONE).ln()

    return at


def _at_most_two(pure: DecimalInterval | None, power: int) -> DecimalInterval:
    two = DecimalInterval.of(2)
    if pure is None or pure.high >= 2:
        return two
    found = pure.expm1().power(power)
    return found if found.high < two.low else two


def float_without_replacement(rate: float, body: Callable[[int], float], pure: float, order: int) -> float:
    """The same, nearly."""
    if rate == 0:
        return 0.0
    terms = [0.0]
    chosen, drawn = _log_chosen(order), math.log(rate)
    grown = math.expm1(pure) if pure < 2 else math.inf
    for j in range(2, order + 1):
        most = body(j) + _log(min(2.0, grown**j))
        if j == 2:
            most = min(most, _log(4 * math.expm1(min(body(2), 700))))
        terms.append(j * drawn + chosen[j] + most)
    return _log_sum(terms)


def _log_binomials(order: int, rate: float) -> list[float]:
    """ln of C(order, j)·(1-q)^(order-j)·q^j, for all j."""
    if not 0 < rate < 1:
        certain = order if rate else 0
        return [0.0 if j == certain else -math.inf for j in range(order + 1)]
    drawn, missed = math.log(rate), math.log1p(-rate)
    return [term + j * drawn + (order - j) * missed for j, term in enumerate(_log_chosen(order))]


def _log_chosen(order: int) -> list[float]:
    return [_LOG_FACTORIALS[order] - _LOG_FACTORIALS[j] - _LOG_FACTORIALS[order - j] for j in range(order + 1)]


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def _log_sum(terms: list[float]) -> float:
    most = max(terms)
    if math.isinf(most):
        return most
    return most + math.log(math.fsum(math.exp(term - most) for term in terms))


# Rényi differential privacy.

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
    of one record (see below); other samples, and those of something that may fail, are
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
        best = best_order(bound, _LEAST, min(_MOST, bag.highest - 1))
        if best is not None and bag.highest < math.inf:  # a single order of each sample is cheaper
            near = [float(math.floor(best)), float(math.ceil(best))]
            best = min((order for order in (*near, min(best, 2.0)) if order > 1), key=bound)
        total = None if best is None else fold(charge, _AtOrder(converter, samples, Fraction(best)))
        if best is None or total is None:
            return None
        divergence, epsilon, order = DecimalInterval.of(total.epsilon), Fraction(0), Fraction(best)
        if not indistinct(divergence, left):
            epsilon = max(converted(INTERVALS, divergence, order, DecimalInterval.of(left)).up, epsilon)
        spent: Numbers = () if converter.share is None else (("share", converter.share),)
        return Guarantee(shown(epsilon), delta, self.rule, (*spent, ("order", order), ("slack", left)))

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[NodeClaim, ...]:
        parameters = dict(stated.parameters)
        converter = Converter(self.find, parameters.get("share"))
        at_order = _AtOrder(converter, _Samples(self.find), parameters["order"])
        return tuple(
            NodeClaim(node, steps, (("epsilon", total.epsilon), ("delta", total.delta)), converter.inside(node, steps))
            for node, steps, total in values(charge, at_order)
        )


def _bound(bag: Bag, left: float) -> OrderBound:
    def bound(order: float) -> float:
        divergence = bag.near(order)
        if -math.expm1(-divergence) <= left * left:
            return -1 / order  # any such order will do; the search looks for a smallest value
        return float(converted(FLOATS, divergence, order, left))

    return bound


class RenyiCurve(Protocol):
    """A curve; ``near`` for searching, ``at`` certain. ``highest`` is the largest order at which it is known."""

    @property
    def highest(self) -> float:
        """The largest order α at which it is known."""

    def near(self, order: float) -> float:
        """About ε(α)."""

    def at(self, order: Fraction) -> DecimalInterval:
        """An interval that certainly holds ε(α)."""


@dataclass(frozen=True)
class _RenyiMechanism:
    formula: Formula
    number: Fraction
    highest = math.inf

    @cached_property
    def _nearly(self) -> float:
        return float(self.number)

    def near(self, order: float) -> float:
        return max(0.0, float(self.formula(FLOATS, self._nearly, order)))

    def at(self, order: Fraction) -> DecimalInterval:
        found: DecimalInterval = self.formula(INTERVALS, self.number, order)
        return found


@dataclass(frozen=True, eq=False)
class Bag:
    """How often each curve comes, and the δ set aside."""

    curves: Counter[RenyiCurve]
    delta: Fraction

    @cached_property
    def highest(self) -> float:
        """The largest order at which all its curves are known."""
        return min((curve.highest for curve in self.curves), default=math.inf)

    def near(self, order: float) -> float:
        """The sum of its curves at an order, in floats: not a bound."""
        return math.fsum(count * curve.near(order) for curve, count in self.curves.items())

    def at(self, order: Fraction) -> DecimalInterval:
        """The same as a bound, from below and from above."""
        total = DecimalInterval.of(0)
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

    def at(self, order: Fraction) -> DecimalInterval:
        return max((part.at(order) for part in self.parts), key=lambda value: value.high)


class _Integers:
    """A curve known at integer orders, by (α-1)·ε(α)."""

    def __init__(self, near: Callable[[int], float], at: Callable[[int], DecimalInterval], highest: int) -> None:
        self._near, self._at = cache(near), cache(at)
        self.highest = highest

    def near(self, order: float) -> float:
        return float_interpolated(self._near, order) if order <= self.highest else math.inf

    def at(self, order: Fraction) -> DecimalInterval:
        return interpolated(self._at, order)


@dataclass(frozen=True, eq=False)
class _GroupOrder:
    """A change of at most 2^doublings steps."""

    once: RenyiCurve
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

    def at(self, order: Fraction) -> DecimalInterval:
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
        return Bag(Counter([_RenyiMechanism(response, pair.epsilon)] if pair.epsilon else []), pair.delta)

    def curve(self, node: Single, steps: int) -> RenyiCurve | None:
        """The curve of what cannot fail, if there is one."""
        if isinstance(node, ChargedSample):
            once = self._samples.curve(node)
            doublings = (steps * node.steps - 1).bit_length()
            if once is None or not doublings:
                return once
            return _GroupOrder(once, doublings) if once.highest >= 2 ** (doublings + 1) else None
        formula = node.times(steps).divergence() if isinstance(node, Loss) else None
        return None if formula is None else _RenyiMechanism(*formula)

    def sequence(self, parts: Listed[Bag]) -> Bag:
        curves: Counter[RenyiCurve] = Counter()
        for part in parts:
            curves.update(part.curves)
        return Bag(curves, IN_NUMBERS.failing(part.delta for part in parts))

    def repeat(self, count: int, once: Bag) -> Bag:
        curves = Counter({curve: count * times for curve, times in once.curves.items()})
        return Bag(curves, IN_NUMBERS.failing_repeatedly(once.delta, Fraction(count)))

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
        self._known: dict[int, RenyiCurve | None] = {}

    def curve(self, node: ChargedSample) -> RenyiCurve | None:
        if id(node) not in self._known:
            self._known[id(node)] = self._curve(node)
        return self._known[id(node)]

    def _curve(self, node: ChargedSample) -> RenyiCurve | None:
        """At one step in the sample."""
        if node.scheme is Sampling.POISSON:
            squared = squared_mu(node.body)
            if squared is not None:
                return _poisson_gaussian(node.rate, squared)
        elif (node.scheme, node.relation) != (Sampling.WITHOUT_REPLACEMENT, Relation.CHANGE_ONE):
            return None
        body = fold(node.body, self._rules)
        highest = 0 if body is None or body.delta else math.floor(min(body.highest, HIGHEST))
        if body is None or highest < 2:
            return None
        if node.scheme is Sampling.POISSON:
            return _poisson(node.rate, body, highest)
        added = self._find(node.body, None)
        pure = None if added is None or added.delta else DecimalInterval.of(added.epsilon)
        return _without_replacement(node.rate, body, highest, pure)


def _poisson_gaussian(rate: Fraction, squared: Fraction) -> RenyiCurve:
    near_rate, near_squared = float(rate), float(squared)
    return _Integers(
        lambda order: float_poisson_gaussian(near_rate, near_squared, order),
        lambda order: poisson_gaussian(rate, squared, order),
        HIGHEST_GAUSSIAN,
    )


def _scaled(body: Bag) -> tuple[Callable[[int], float], Callable[[int], DecimalInterval]]:
    """(j-1)·ε(j) of what is done with a sample."""
    return cache(lambda j: (j - 1) * body.near(j)), cache(lambda j: body.at(Fraction(j)) * (j - 1))


def _poisson(rate: Fraction, body: Bag, highest: int) -> RenyiCurve:
    near_rate, (near_body, exact_body) = float(rate), _scaled(body)
    return _Integers(
        lambda order: float_poisson(near_rate, near_body, order),
        poisson(rate, exact_body),
        highest,
    )


def _without_replacement(rate: Fraction, body: Bag, highest: int, pure: DecimalInterval | None) -> RenyiCurve:
    near_rate, (near_body, exact_body) = float(rate), _scaled(body)
    near_pure = math.inf if pure is None else float(pure.high)
    return _Integers(
        lambda order: float_without_replacement(near_rate, near_body, near_pure, order),
        without_replacement(rate, exact_body, pure),
        highest,
    )


class _AtOrder(Summing[Divergence]):
    """The divergences at one order."""

    sums = Sums(IN_NUMBERS, Divergence(Fraction(0), Fraction(0)), fails=True)

    def __init__(self, converter: Converter, samples: _Samples, order: Fraction) -> None:
        self._bags = _Bags(converter, samples)
        self._order = order

    def single(self, node: Single, steps: int) -> Divergence | None:
        bag = self._bags.single(node, steps)
        return None if bag is None else Divergence(brief(bag.at(self._order).up), bag.delta)


# Zero-concentrated differential privacy.

_LEAST_OF_RHO, _MOST_OF_RHO = 1e-9, 1e15  # of an order, less 1


class ZeroConcentrated(NumericMeasure):
    """δ-approximate ρ-zCDP: ρ adds up, also for what is chosen while it runs, and converts at the best order. What is
    only known to be (ε, δ)-private is ε·tanh(ε/2) once its failures are set aside. A change that reaches one mechanism
    in two ways is (√ρ₁ + √ρ₂)². Sources: Bun and Steinke 2016, Lemma 8.2 and, with two different ρ, the proof of
    Proposition 27; Canonne, Kamath and Steinke 2020, Proposition 12."""

    rule = "zcdp"

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        shares = (None, share_of(charge, delta, _HALF, has_inside))
        found = [self._within(charge, delta, share) for share in dict.fromkeys(shares)]
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, delta: Fraction, share: Fraction | None) -> Guarantee | None:
        total = fold(charge, _Concentrating(Converter(self.find, share)))
        left = None if total is None else slack(delta, total.delta)
        if total is None or left is None:
            return None
        spent: Numbers = () if share is None else (("share", share),)
        if indistinct(DecimalInterval.of(total.rho), left):
            return Guarantee(Fraction(0), delta, self.rule, (*spent, ("rho", total.rho), ("slack", left)))
        best = best_order(_bound_of_rho(float(total.rho), float(left)), _LEAST_OF_RHO, _MOST_OF_RHO)
        if best is None:
            return None
        order = Fraction(best)
        epsilon = max(
            converted(INTERVALS, DecimalInterval.of(total.rho * order), order, DecimalInterval.of(left)).up, Fraction(0)
        )
        parameters = (*spent, ("rho", total.rho), ("slack", left), ("order", order))
        return Guarantee(shown(epsilon), delta, self.rule, parameters)

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[NodeClaim, ...]:
        converter = Converter(self.find, dict(stated.parameters).get("share"))
        return tuple(
            NodeClaim(node, steps, (("rho", total.rho), ("delta", total.delta)), converter.inside(node, steps))
            for node, steps, total in values(charge, _Concentrating(converter))
        )


def _bound_of_rho(total: float, left: float) -> OrderBound:
    return lambda order: converted(FLOATS, total * order, order, left)


class _Concentrating(Summing[Concentrated[Fraction]]):
    sums = Sums(IN_NUMBERS, Concentrated(Fraction(0), Fraction(0)), fails=True)

    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> Concentrated[Fraction] | None:
        own = node.times(steps).rho() if isinstance(node, Loss) else None
        if own is not None:
            return Concentrated(brief(own.up), Fraction(0))
        if isinstance(node, Joined):
            one, other = fold(node.first, self), fold(node.second, self)
            if one and other and not one.delta and not other.delta:
                return Concentrated(joined(one.rho, other.rho) * steps**2, Fraction(0))
        pair = self._converter.pair(node, steps)
        if pair is None or pair.delta >= 1:
            return None
        return Concentrated(drift(INTERVALS, DecimalInterval.of(pair.epsilon)).up, pair.delta)
