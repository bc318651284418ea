"""Replays certificates of privacy bounds, independently of what wrote them.

A certificate holds the tree of what was released about one person (a list of nodes, each after those it is made of),
the rule that priced it, and what is claimed of every node. All is computed anew, in intervals that certainly hold the
exact value: a claim must be at least what is found, and no more than roundings explain, so that nothing can be left
out. That a program releases what the tree says is not replayed: `dp-lsp check` reads it off the program.

Sources: Dwork and Roth 2014 (`basic`); Kairouz, Oh, Viswanath 2015 (`optimal`); Mironov 2017, Mironov, Talwar, Zhang
2019, Wang, Balle, Kasiviswanathan 2019, Canonne, Kamath, Steinke 2020 (`renyi`); Balle and Wang 2018, Dong, Roth, Su
2019 (`gaussian`); Balle, Barthe, Gaboardi 2018 (samples).
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import comb, prod
from typing import Any, NamedTuple

Node = dict[str, Any]
_UP, _DOWN = Context(prec=50, rounding=ROUND_CEILING), Context(prec=50, rounding=ROUND_FLOOR)
_ROUNDINGS, _LONG = Fraction(1, 10**6), 10**99
_SAMPLED = ("poisson", "add-remove"), ("without-replacement", "change-one")
_NUMBERS = ("epsilon", "delta", "mu", "count", "steps", "rate", "draws", "rows")
_MOST = 20_000  # orders, steps, and randomised responses that are added up
_PAIRED = ("group", "sampled", "joined")
_PLAIN = {"laplace", "boundedrange", "approximate"}


class NumberInterval(NamedTuple):
    """An interval that certainly holds a number; of one that is rational and short, that number alone."""

    low: Fraction
    high: Fraction

    def __add__(self, other: NumberInterval) -> NumberInterval:  # type: ignore[override] # a number is no tuple to anybody here
        return _cut(self.low + other.low, self.high + other.high)

    def __sub__(self, other: NumberInterval) -> NumberInterval:
        return _cut(self.low - other.high, self.high - other.low)

    def __mul__(self, other: NumberInterval) -> NumberInterval:  # type: ignore[override]
        ends = [a * b for a in self for b in other]
        return _cut(min(ends), max(ends))

    def __truediv__(self, other: NumberInterval) -> NumberInterval:
        if other.low <= 0 <= other.high:
            raise ValueError("a division by what may be 0")
        return self * NumberInterval(1 / other.high, 1 / other.low)

    def __pow__(self, exponent: int) -> NumberInterval:
        result = ONE
        for digit in bin(exponent)[2:]:
            result = result * result * self if digit == "1" else result * result
        return result

    def through(self, function: str) -> NumberInterval:
        """`exp`, `ln` or `sqrt` of it: growing functions, of which decimal arithmetic gives the nearest value."""
        nearest, (low, high) = getattr(_UP, function), map(_decimal, self, (_DOWN, _UP))
        return NumberInterval(Fraction(_DOWN.next_minus(nearest(low))), Fraction(_UP.next_plus(nearest(high))))


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _cut(*ends: Fraction) -> NumberInterval:
    long = any(max(end.denominator, abs(end.numerator)) > _LONG for end in ends)
    return NumberInterval(*(map(Fraction, map(_decimal, ends, (_DOWN, _UP))) if long else ends))


def exact(value: object) -> NumberInterval:
    """A number, or that of a text: `1/3`. A text that nobody would write is refused before it takes long."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        if not re.fullmatch(r"\d{1,999}(\.\d{1,99})?([eE][-+]?\d{1,3})?(/\d{1,999})?", str(value)):
            raise ValueError(f"{str(value)[:40]!r} is not a number of a certificate")
        value = Fraction(str(value))
    return NumberInterval(Fraction(value), Fraction(value))


ZERO, ONE, TWO, _LESS = exact(0), exact(1), exact(2), exact(1 - _ROUNDINGS)
_TWO_PI = NumberInterval(*(Fraction("6.28318530717958647692528676655900576839" + end) for end in "45"))


def largest(*values: NumberInterval) -> NumberInterval:
    """The largest of numbers, and of 0."""
    return NumberInterval(max(each.low for each in (ZERO, *values)), max(each.high for each in (ZERO, *values)))


def normal(point: Fraction) -> NumberInterval:
    """The distribution function of the standard normal distribution: φ(x)·(x + x³/3 + x⁵/15 + …), whose rest is less
    than its last term; far out φ(x)/(x + 1/(x + 2/(x + …))), of which two cuts lie on two sides."""
    x = NumberInterval(abs(point), abs(point))
    density = (ZERO - x * x / TWO).through("exp") / _TWO_PI.through("sqrt")
    if abs(point) < 6:
        terms = [x]
        while len(terms) < 50 or terms[-1].high > _ROUNDINGS**8:
            terms.append(terms[-1] * x * x / exact(2 * len(terms) + 1))
        tail = ONE / TWO - density * (sum(terms, ZERO) + NumberInterval(ZERO.low, terms[-1].high))
    else:
        cuts = [x, x]
        for side in (0, 1):
            for level in range(150 + side, 0, -1):
                cuts[side] = x + exact(level) / cuts[side]
        tail = density / NumberInterval(min(cut.low for cut in cuts), max(cut.high for cut in cuts))
    return tail if point < 0 else ONE - tail


def gaussian_delta(mu: NumberInterval, epsilon: NumberInterval) -> NumberInterval:
    """The δ at ε of Gaussian noise on an input that moves by μ deviations."""
    near, far = mu / TWO - epsilon / mu, ZERO - mu / TWO - epsilon / mu
    above, below = (NumberInterval(normal(x.low).low, normal(x.high).high) for x in (near, far))
    return largest(above - epsilon.through("exp") * below)


class Account(NamedTuple):
    """What a rule keeps of a node: a number that adds up in a sequence, and a δ."""

    number: NumberInterval
    delta: NumberInterval


def _basic(node: Node, claimed: bool = True) -> Account:
    """(ε, δ) of a leaf. For Gaussian noise any ε can be claimed, at its δ."""
    if node["kind"] == "gaussian" and claimed:
        return Account(exact(node["claim"][0]), gaussian_delta(exact(node["mu"]), exact(node["claim"][0])))
    if node["kind"] not in _PLAIN:
        raise ValueError(f"the rule knows nothing of `{node['kind']}`")
    return Account(exact(node["epsilon"]), exact(node.get("delta", 0)))


def _renyi(node: Node, alpha: NumberInterval) -> Account:
    """(ε(α), δ) of a leaf, the curve being that of what is left when δ is set aside."""
    if node["kind"] == "gaussian":
        return Account(alpha * exact(node["mu"]) ** 2 / TWO, ZERO)
    (epsilon, delta), less, more = _basic(node, False), alpha - ONE, exact(node.get("answers", 2)) - TWO
    full, rest = epsilon.through("exp"), (ZERO - less * epsilon).through("exp")
    if epsilon.high <= 0:
        return Account(ZERO, delta)
    if node["kind"] == "laplace":
        inside = (alpha / rest + less * (ZERO - alpha * epsilon).through("exp")) / (alpha + less)
    elif node["kind"] == "boundedrange":
        ratio = (full - rest) / alpha
        return Account((less * ratio / (ONE - rest)).through("ln") + (ratio / (full - ONE)).through("ln") / less, ZERO)
    else:
        inside = ((alpha * epsilon).through("exp") + rest + more) / (ONE + full + more)
    return Account(inside.through("ln") / less, delta)


def _amplified(node: Node, epsilon: NumberInterval, delta: NumberInterval) -> Account:
    sampling, grown = (node["scheme"], node["relation"]), epsilon.through("exp") - ONE
    if sampling == ("with-replacement", "change-one"):
        spent = exact(node["draws"]) * (ONE + grown / exact(node["rows"])).through("ln")
        return Account(spent, delta * (spent.through("exp") - ONE) / grown)
    if sampling not in _SAMPLED:
        raise ValueError(f"no rule for {sampling[0]} sampling under {sampling[1]}")
    return Account((ONE + exact(node["rate"]) * grown).through("ln"), exact(node["rate"]) * delta)


def _parts(node: Node) -> list[int]:
    return [*node.get("parts", ()), *(node[name] for name in ("body", "first", "second") if name in node)]


def _chain(steps: list[Account]) -> Account:
    """One change after the other: (ε₁ + ε₂ + …, δ₁ + e^ε₁ (δ₂ + …))."""
    spent = Account(ZERO, ZERO)
    for step in steps:
        spent = Account(spent.number + step.number, spent.delta + spent.number.through("exp") * step.delta)
    return spent


def optimal_delta(each: str, spent: NumberInterval, epsilon: NumberInterval) -> NumberInterval:
    """The δ at ε of randomised responses of one ε each, that are ``spent`` together."""
    once, found = exact(each), ZERO
    count = round((spent / once).high)
    weight = (ONE / (ONE + once.through("exp"))) ** count
    for ups in range(count + 1 if count < _MOST else 0):
        found = found + weight * largest(ONE - (epsilon - exact(2 * ups - count) * once).through("exp"))
        weight = weight * once.through("exp") * exact(Fraction(count - ups, ups + 1))
    return found if count < _MOST else ONE


class Replay:
    """Accounts of the nodes of one tree, each computed once for a rule (0: basic; else Rényi's, at that order)."""

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self._known: dict[tuple[int, Fraction], Account] = {}
        relations = {node["relation"] == "add-remove" for node in nodes if "relation" in node}
        for place, node in enumerate(nodes):
            given = {name: exact(node.get(name, 0)).low for name in _NUMBERS}
            fits = [0 <= part < place for part in _parts(node)] + [0 < node.get("steps", 1) < _MOST]
            fits += [node.get("count", 1) > 0, len(relations) < 2, min(given.values()) >= 0]
            fits += [given["draws"] <= given["rate"] * given["rows"], given["rate"] <= 1]
            if not all(fits):
                raise ValueError(f"node {place} is none that there can be")

    def account(self, place: int, order: Fraction) -> Account:
        """What a node costs. Raises ValueError where the rule says nothing of it."""
        for at in self.below(place):
            if (at, order) not in self._known:
                self._known[at, order] = self._computed(self.nodes[at], order)
        return self._known[place, order]

    def below(self, place: int, inside: bool = False) -> list[int]:
        """What a node is made of, in order, itself included; what is inside of something that has a pair if asked."""
        found, pending = {place}, [place]
        while pending:
            node = self.nodes[pending.pop()]
            pending += set(_parts(node)) - found if node["kind"] not in _PAIRED or inside else ()
            found.update(pending)
        return sorted(found)

    def kinds(self, place: int) -> set[str]:
        """All kinds in a tree but of what only puts others together."""
        return {self.nodes[at]["kind"] for at in self.below(place, True)} - {"sequence", "repeat"}

    def _computed(self, node: Node, order: Fraction) -> Account:
        kind = node["kind"]
        once = self.nodes[node["body"]] if kind == "group" else node
        if order and once["kind"] == "sampled" and "inside" not in once:
            doublings = (node.get("steps", 1) - 1).bit_length()  # 3^c·ε(2^c·α): Mironov 2017, Proposition 2
            return Account(exact(3**doublings) * self._sampled(once, max(order, TWO.low) * 2**doublings), ZERO)
        if kind in _PAIRED:
            epsilon, delta = self._pair(node)
            known = {"kind": "approximate", "epsilon": epsilon.high, "delta": delta.high}
            return _renyi(known, exact(order)) if order else Account(epsilon, delta)
        parts = [self._known[part, order] for part in _parts(node)]
        if kind in ("sequence", "repeat"):
            times = node.get("count", 1)
            kept = prod(((ONE - part.delta) ** times for part in parts), start=ONE)
            delta = ONE - kept if order else exact(times) * sum((part.delta for part in parts), ZERO)
            return Account(exact(times) * sum((part.number for part in parts), ZERO), delta)
        if kind == "either":
            return Account(*(largest(*(part[side] for part in parts)) for side in (0, 1)))
        return _renyi(node, exact(order)) if order else _basic(node)

    def _pair(self, node: Node) -> Account:
        """(ε, δ) of a change of several steps, of a sample, and of two results that are joined."""
        if node["kind"] == "group":
            return _chain([self.account(node["body"], Fraction(0))] * node["steps"])
        for part, bound in zip(_parts(node), node["inside"], strict=True):
            self.prove(part, bound)
        inside = [Account(exact(bound["epsilon"]), exact(bound["delta"])) for bound in node["inside"]]
        both = _chain(inside), _chain(inside[::-1])
        return _amplified(node, *inside[0]) if node["kind"] == "sampled" else min(both, key=lambda chain: chain.delta)

    def _sampled(self, node: Node, order: Fraction) -> NumberInterval:
        """The curve of a sample at a whole order."""
        sampling, kinds = (node["scheme"], node["relation"]), self.kinds(node["body"])
        if sampling not in _SAMPLED or kinds & {*_PAIRED, "approximate"} or order.denominator > 1 or order > _MOST:
            raise ValueError(f"there is no curve of {' '.join(sampling)} at {order}")
        alpha, rate = int(order), exact(node["rate"])
        curve = {j: self.account(node["body"], Fraction(j)).number for j in range(2, alpha + 1)}
        grown = {j: (exact(j - 1) * epsilon).through("exp") for j, epsilon in curve.items()}
        share = {j: exact(comb(alpha, j)) * rate**j for j in range(alpha + 1)}
        if sampling[0] == "poisson":
            more = ONE if kinds == {"gaussian"} else exact(3)
            left = {j: (ONE - rate) ** (alpha - j) * (more if j > 2 else ONE) * grown.get(j, ONE) for j in share}
            inside = sum((share[j] * left[j] for j in share), ZERO)
        else:
            pure = None if "gaussian" in kinds else self.account(node["body"], Fraction(0)).number.through("exp") - ONE
            caps = {j: TWO if pure is None else min(TWO, pure**j) for j in grown}
            second = min(exact(4) * (grown[2] - ONE), grown[2] * caps[2])
            inside = ONE + share[2] * second + sum((share[j] * grown[j] * caps[j] for j in grown if j > 2), ZERO)
        return inside.through("ln") / exact(alpha - 1)

    def prove(self, place: int, bound: Node) -> None:
        """Raises ValueError unless a node costs what a bound says, and what it is made of what that claims."""
        rule, kinds, below = bound["rule"], self.kinds(place), self.below(place)
        order = exact({"basic": 0, "optimal": 0, "gaussian": 2, "renyi": bound.get("order")}[rule]).low
        each = {str(self.nodes[at]["epsilon"]) for at in below if "epsilon" in self.nodes[at]}
        unfit = {"gaussian": kinds - {"gaussian"}, "optimal": kinds - _PLAIN or len(each) - 1, "renyi": order <= 1}
        if unfit.get(rule):
            raise ValueError(f"the rule `{rule}` is not for this")
        number, aside = self.account(place, order)
        for at in below:
            _fit(f"node {at}", self.nodes[at]["claim"], self.account(at, order))
        epsilon, delta = exact(bound["epsilon"]), exact(bound["delta"])
        if rule == "renyi":
            alpha, left = exact(order), (delta - aside) / (ONE - aside)
            tail = (left.through("ln") + alpha.through("ln")) / (alpha - ONE)
            number, aside = largest(number + ((alpha - ONE) / alpha).through("ln") - tail), delta
        if rule in ("basic", "renyi"):
            return _fit("the bound", (bound["epsilon"], bound["delta"]), Account(number, aside))
        if rule == "gaussian":
            spent = [gaussian_delta(number.through("sqrt"), at) for at in (epsilon, epsilon * _LESS)]
        else:
            kept = ONE - self.account(place, Fraction(2)).delta
            spent = [ONE - kept * (ONE - optimal_delta(min(each), number, at)) for at in (epsilon, epsilon * _LESS)]
        if spent[0].high > delta.low or (spent[1].high < delta.low and epsilon.low > 0):
            raise ValueError("the bound is not what its tree costs")


def _fit(what: str, claim: tuple[object, ...], found: Account) -> None:
    """A claim is at least what was found, and no more than roundings explain."""
    for text, number in zip(claim, found, strict=False):
        if not number.high <= exact(text).low <= number.high * (1 + _ROUNDINGS) + _ROUNDINGS**4:
            raise ValueError(f"{what} claims {text}, and comes to {float(number.high):.12g}")
