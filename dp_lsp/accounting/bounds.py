"""The bounds of a function: every proved alternative, the one to show first, and the closed form of a total budget."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from weakref import WeakKeyDictionary

from dp_lsp.accounting.charge import Relation
from dp_lsp.accounting.symbolic import GaussianOnly, Published, SymbolicAccount, SymbolicAdvanced, SymbolicBasic, Zcdp
from dp_lsp.accounting.walk import FreeShare, PrivacyMeasure
from dp_lsp.core import sens
from dp_lsp.core.algebra import Apply, Function, Poly, Symbol, polys_of
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import is_closed, least, norms_of, symbols_of, upper
from dp_lsp.core.events import (
    Called,
    Cost,
    Sampled,
    Var,
    callees,
    known_of,
    nodes,
    numbers,
)
from dp_lsp.core.notation import LONGEST
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.mechanisms.mechanism import Price
from dp_lsp.named import NamedTuple


class Profile(NamedTuple):
    """How a profile prices: its measures, whether δ' may be 1 (``closed``), whether it takes every public number to be
    at least 0, whether numeric measures count, which know what a mechanism really costs, and whether a condition that
    fails as data grow is left to who calls a function (``hollow``)."""

    measures: tuple[type[PrivacyMeasure[Any]], ...]
    closed: bool
    assumes_nonnegative: bool
    charges: bool
    hollow: bool

    @property
    def pairs(self) -> Profile:
        """The same without the measures that count in something else."""
        return self._replace(measures=tuple(each for each in self.measures if each.kind == "approximate"))


LARGEST = Fraction(999_999, 1_000_000)
"""The largest total δ at which an ε is looked for: one of 1 allows everything."""

PROFILES = {
    "sound": Profile((SymbolicBasic, SymbolicAdvanced, Zcdp, GaussianOnly), False, False, True, False),
    "published": Profile((Published,), True, True, False, True),
}


class Bound(NamedTuple):
    """A proved pair for variables that change together, by a rule, with what the user may choose in it. ``measure``
    knows what each part of the tree costs; ``own`` are the numbers of a measure that counts in something else."""

    variables: tuple[Var, ...]
    rule: str
    price: Price
    choices: tuple[FreeShare, ...]
    measure: PrivacyMeasure[Any]
    own: tuple[tuple[str, Sens], ...] = ()

    @property
    def is_pair(self) -> bool:
        """Whether the pair is what the measure counts in."""
        return not self.own


class Headline(NamedTuple):
    """The tightest bound; ``other`` is set where it is open which of the two is smaller."""

    first: Bound
    other: Bound | None

    @property
    def pairs(self) -> Iterator[Price]:
        """The prices of both."""
        return (bound.price for bound in self if bound is not None)


def bounds(
    cost: Cost,
    variables: tuple[Var, ...],
    profile: Profile,
    taken: frozenset[str],
    relation: Relation,
) -> dict[tuple[Var, ...], tuple[Bound, ...]]:
    """All bounds, for each variable and for each record that is drawn from several of them. ``taken`` are names that
    what the user may choose must not have."""
    together = [(var,) for var in variables] + list(_records(cost, variables))
    found: dict[tuple[Var, ...], tuple[Bound, ...]] = {}
    symbols: dict[int, Symbol] = {}
    measures = [measure(taken, symbols, relation) for measure in profile.measures]
    for group in together:
        distances = {var: ONE for var in group}
        listed = []
        for measure in measures:
            loss = measure.loss(cost, distances)
            price = measure.pair(loss)
            own = () if measure.kind == "approximate" else measure.named(loss)
            listed.append(Bound(group, measure.rule, price, tuple(measure.choices), measure, own))
        short = [bound for bound in listed if bound.price.epsilon.size <= LONGEST]
        found[group] = tuple(_different(short or listed[:1]))
    return found


def headline(listed: tuple[Bound, ...]) -> Headline:
    """The tightest of several bounds that are pairs. One whose δ is 1 or more says nothing: then what another measure
    counts, as a pair, is used, and such a one only if there is no other. Where two remain that cannot be compared, both
    are kept."""
    useful = [bound for bound in listed if not (vacuous(bound.price.delta) or bound.price.epsilon.infinite)]
    useful = [bound for bound in useful if bound.is_pair] or useful or [listed[0]]
    best = useful[0]
    for bound in useful[1:]:
        if _at_most(bound.price.epsilon, best.price.epsilon):
            best = bound
        elif not _at_most(best.price.epsilon, bound.price.epsilon):
            return Headline(best, bound)
    return Headline(best, None)


def vacuous(delta: Sens) -> bool:
    """Whether δ is certainly 1 or more."""
    return decide(delta, "<", ONE) is False


def _different(listed: list[Bound]) -> Iterator[Bound]:
    """Those that say something of their own."""
    pairs: set[Price] = set()
    for bound in listed:
        if bound.price not in pairs:
            yield bound
        if bound.is_pair:
            pairs.add(bound.price)


def _at_most(left: Sens, right: Sens) -> bool:
    if decide(left, "<=", right) is True:
        return True
    if left.infinite or not is_closed(left) or norms_of(right):
        return False
    most = upper(left, {})
    return most is not None and (right.infinite or most <= least(right))


def _records(cost: Cost, variables: tuple[Var, ...]) -> Iterator[tuple[Var, ...]]:
    """The groups of parameters whose same rows are drawn together somewhere in a tree. That of a callee is about its
    own variables, unless it is a function made here or the tree under another name."""
    seen, pending = set(), [cost]
    while pending:
        for node in nodes(pending.pop()):
            if isinstance(node, Called) and not node.along.keys().isdisjoint(variables):
                pending.append(node.body)
            if isinstance(node, Sampled) and node.aligned:
                group = tuple(var for var in variables if any(var in moved for moved in node.along.values()))
                if len(group) > 1 and group not in seen:
                    seen.add(group)
                    yield group


# Rounds whose ε were chosen so that they come to a total: the closed form in which the logarithms cancel.


class Total(NamedTuple):
    """A bound that holds where ``epsilon``, what the rounds of loops come to, is at most ``most``; ``slack`` is the
    share of δ that pays for composing them."""

    bound: Bound
    epsilon: Sens
    most: Sens
    slack: Sens


def total(cost: Cost, listed: tuple[Bound, ...]) -> Total | None:
    """The bound by advanced composition whose share of δ is what all steps spend of δ, where that leaves nothing to
    choose and no logarithm in ε; None where it does not, or where another bound is certainly no larger.

    Advanced composition proves (S + T + √(2V·ln(1/δ')), Σδᵢ + δ') for every 0 < δ' < 1, where S is what is made once,
    V = Σεᵢ², and T = Σεᵢ·tanh(εᵢ/2) <= V/2 as tanh(x) <= x. With L = ln(1/δ') > 0 let E = 2√(2VL), so that V = E²/(8L)
    and √(2VL) = E/2. Then T <= V/2 = E²/(16L), which is at most E/2 where E <= 8L. So where E <= 8·ln(1/δ'), it is
    (S + E, Σδᵢ + δ')-private. E = 0 needs no condition: nothing is spent in rounds. For δ' >= 1 nothing is claimed by
    a total δ of more than 1, and δ' = 0 has no logarithm."""
    for bound in listed:
        if isinstance(bound.measure, SymbolicAdvanced):
            loss = bound.measure.loss(cost, dict.fromkeys(bound.variables, ONE))
            found = None if bound.measure.is_unbounded(loss) else _total(bound, loss)
            if found is not None and not any(_is_within(each, found.bound) for each in listed):
                return found
    return None


def may_cancel(cost: Cost) -> bool:
    """Whether a logarithm stands in a tree, or in that of a callee: without one, there is none to cancel, and no total.
    Cheaper than to price the tree."""
    return known_of(cost, _may_cancel, _found_cancelling)


def _found_cancelling(cost: Cost) -> bool:
    return any(
        any(_has_logarithm(number) for number in numbers(node))
        or (isinstance(node, Called) and any(_may_cancel[body] for body in callees(node)))
        for node in nodes(cost)
    )


_may_cancel: WeakKeyDictionary[Cost, bool] = WeakKeyDictionary()


def _total(bound: Bound, loss: SymbolicAccount) -> Total | None:
    square, delta = _no_less(loss.rounds.square), _no_less(loss.delta)
    if square is None or delta is None or square.zero or delta.zero or vacuous(delta):
        return None
    inverse = sens.log_inverse(delta.single_poly())
    rounds = (sens.number(8) * square * inverse).root()
    price = Price(loss.once.epsilon + rounds, delta + delta)
    chosen = {choice.symbol for choice in bound.measure.choices}
    open_ = any(chosen & symbols_of(side) or norms_of(side) for side in price)
    if open_ or price.unbounded or vacuous(price.delta) or _has_logarithm(price.epsilon) or not _has_logarithm(inverse):
        return None
    stated = bound._replace(price=price, choices=(), own=())
    return Total(stated, rounds, sens.number(8) * inverse, delta)


def _is_within(other: Bound, bound: Bound) -> bool:
    """Whether another bound is certainly no larger in both numbers."""
    return all(decide(one, "<=", most) is True for one, most in zip(other.price, bound.price, strict=True))


def _no_less(value: Sens) -> Sens | None:
    """The same or more: |x| for max(0, x), so that what is divided by |x| cancels. None for ∞."""
    if value.infinite:
        return None
    return sens.maximum(_poly_no_less(poly) for poly in value.polys)


def _poly_no_less(poly: Poly) -> Sens:
    result = sens.ZERO
    for monomial, coefficient in poly.terms.items():
        product = Poly.of(coefficient)
        for atom, power in monomial:
            factor = Poly({((atom, power),): Fraction(1)})
            argument = atom.args[0] if isinstance(atom, Apply) and atom.function is Function.PLUS else None
            if power == 1 and isinstance(argument, Poly):
                factor = sens.magnitude(argument).single_poly()
            product = product * factor
        result = result + Sens((product,))
    return result


def _has_logarithm(value: Sens | Poly) -> bool:
    pending, seen = list(polys_of(value)), set()
    while pending:
        for monomial in pending.pop().terms:
            for atom, _ in monomial:
                if isinstance(atom, Apply) and atom not in seen:
                    seen.add(atom)
                    if atom.function is Function.LOG_INVERSE:
                        return True
                    pending += (poly for arg in atom.args for poly in polys_of(arg))
    return False
