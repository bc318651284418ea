"""From a tree of events, the distances of one change and numbers for all symbols to what that change is charged.

The symbols of a callee stand for numbers of its caller, so numbers are put in on the way down; what a function is
charged is remembered by tree, distances and the numbers that it depends on. Numbers stay exact as long as they can
be written down, with roots and logarithms in them, and are rounded where they enter a charge.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import ceil, floor
from weakref import WeakKeyDictionary

from dp_lsp.accounting import charge
from dp_lsp.accounting.charge import Charge, Relation
from dp_lsp.accounting.walk import Asking, Frame, Walk, units_of
from dp_lsp.core import sens
from dp_lsp.core.algebra import NormVariable, Poly, Symbol, TooLong
from dp_lsp.core.evaluate import Missing, Substitution, interval, norms_of, symbols_of
from dp_lsp.core.events import (
    Answer,
    Awaited,
    Called,
    Cost,
    Distances,
    Leak,
    Release,
    Repeat,
    Sampled,
    Sampling,
    known_of,
    nodes,
    numbers,
)
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import AnyNorm
from dp_lsp.mechanisms.mechanism import UnboundedLoss
from dp_lsp.mechanisms.selection import Approximate
from dp_lsp.named import NamedTuple

MOST = 20_000
"""Parts of a tree that are looked at. Functions that call each other with ever new numbers may have more."""

_DIGITS = 30  # of what is irrational

Name = Symbol | NormVariable


class Unresolved(Exception):
    """There is no charge: ``missing`` are the names that have no number, none if the tree is too large."""

    def __init__(self, missing: Iterable[str] = ()) -> None:
        self.missing = tuple(sorted(set(missing)))
        super().__init__(", ".join(self.missing) or "too large")


def resolve(cost: Cost, distances: Distances, given: Substitution, relation: Relation) -> Charge:
    """What somebody is charged whose change moves each variable by its distance. ``given`` puts numbers for the
    symbols of the tree, and norms for what has none. Raises :class:`Unresolved`."""
    walk = _Resolve(given, relation)
    try:
        found = walk.loss(cost, {var: given.sens(distance) for var, distance in distances.items()})
    except TooLong:
        raise Unresolved from None
    if walk.missing:
        raise Unresolved(walk.missing)
    return found


class _Resolve(Walk[Charge]):
    """``missing`` are the names that have no number, found on the way."""

    free: Charge = charge.FREE
    unbounded: Charge = UnboundedLoss()

    def __init__(self, given: Substitution, relation: Relation) -> None:
        super().__init__(relation)
        self.missing: set[str] = set()
        self._numbers = given
        self._kept: dict[Hashable, Substitution] = {}
        self._around: dict[int, Substitution] = {}
        self._opened: dict[tuple[int, int, int], Frame] = {}
        self._left = MOST

    def _key(self, cost: Cost, moved: Distances) -> Hashable:
        self._left -= 1
        if self._left < 0:
            raise Unresolved
        return super()._key(cost, moved), id(self._numbers)

    def is_unbounded(self, loss: Charge) -> bool:
        return False  # which leaf has no bound is worth knowing

    def along(self, moved: Distances, distances: Distances) -> Sens:
        put = self._numbers.sens
        return sens.total(put(factor) * distances[var] for var, factor in moved.items() if var in distances)

    # Numbers

    def _number(self, value: Sens) -> Fraction | None:
        """A number with all put in, rounded up; None for ∞."""
        value = self._numbers.sens(value)
        return value.number if value.number is not None else self._rounded(value)

    def _rounded(self, value: Sens) -> Fraction | None:
        try:
            high = interval(value, {}).high
        except Missing:
            self.missing.update(symbol.spoken for symbol in symbols_of(value))
            return Fraction(1)  # any, to see what else is missing
        return None if high is None else _short(high)

    def _below(self, value: Sens) -> Fraction:
        """A number with all put in, rounded down."""
        value = self._numbers.sens(value)
        try:
            return value.number if value.number is not None else interval(value, {}).low or Fraction(0)
        except Missing:
            self.missing.update(symbol.spoken for symbol in symbols_of(value))
            return Fraction(1)

    def whole_steps(self, distance: Sens) -> int | None:
        found = self._number(distance)
        return None if found is None else ceil(found)

    # What things are charged

    def released(self, cost: Release, distances: Distances) -> Charge:
        put, event = self._numbers.sens, cost.event
        total, declared = self.along(cost.distance, distances), put(event.declared)
        if total.zero:
            return charge.FREE
        unbounded = UnboundedLoss(cost.origin)
        if total.infinite or declared.zero:
            return unbounded
        moved = {var: each for var, each in distances.items() if not self.along(cost.distance, {var: each}).zero}
        far = put(cost.factor) * _steps(total, declared, moved, cost.demanded)
        return event.put(put).loss(far, self._number, cost.origin)

    def leaked(self, cost: Leak) -> Charge:
        return UnboundedLoss(cost.origin)

    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> Charge:
        numbers = self._number(Sens.of(epsilon)), self._number(Sens.of(delta))
        if numbers[0] is None or numbers[1] is None:
            return UnboundedLoss(cost.origin)
        return Approximate(numbers[0], numbers[1], origin=cost.origin)

    def sequence(self, parts: list[Charge]) -> Charge:
        lost = _unbounded(parts)
        if lost is not None:
            return lost
        kept = tuple(part for part in parts if part is not charge.FREE)
        return kept[0] if len(kept) == 1 else charge.ChargedSequence(kept) if kept else charge.FREE

    def either(self, parts: list[Charge]) -> Charge:
        lost = _unbounded(parts)
        if lost is not None:
            return lost
        kept = tuple(dict.fromkeys(map(_Same, parts)))
        return kept[0].charge if len(kept) == 1 else charge.ChargedEither(tuple(each.charge for each in kept))

    def repeat(self, cost: Repeat, once: Charge) -> Charge:
        if once is charge.FREE or isinstance(once, UnboundedLoss):
            return once
        count = self._number(cost.count)
        if count is None:
            return UnboundedLoss(cost.origin)
        rounds = ceil(count)
        return charge.FREE if rounds <= 0 else once if rounds == 1 else charge.ChargedRepeat(rounds, once, cost.origin)

    def amplified(self, cost: Sampled, inside: Charge) -> Charge:
        if inside is charge.FREE or isinstance(inside, UnboundedLoss):
            return inside
        relation = self.neighbours(cost) if cost.scheme is Sampling.POISSON else Relation.CHANGE_ONE
        origin = cost.origin
        draws = self._number(cost.draws)
        if draws is not None and cost.scheme is Sampling.POISSON and 0 < draws <= 1:
            return charge.ChargedSample(cost.scheme, relation, draws, 0, 0, inside, origin)
        rows = floor(self._below(cost.rows))
        drawn = 0 if draws is None else ceil(draws)
        most = rows if cost.scheme is Sampling.WITHOUT_REPLACEMENT else drawn
        if cost.scheme is Sampling.POISSON or not 0 < drawn <= most or rows < 1:
            return UnboundedLoss(origin)
        return charge.ChargedSample(cost.scheme, relation, Fraction(drawn, rows), drawn, rows, inside, origin)

    def steps(self, cost: Sampled) -> int:
        """One: a charge says itself what a sample is of."""
        return 1

    def grouped(self, loss: Charge, steps: int) -> Charge:
        whole = steps == 1 or loss is charge.FREE or isinstance(loss, UnboundedLoss)
        return loss if whole else charge.Group(steps, loss)

    def both(self, first: Charge, second: Charge) -> Charge:
        if first is charge.FREE or second is charge.FREE:
            return second if first is charge.FREE else first
        return _unbounded([first, second]) or charge.Joined(first, second)

    # Calls

    def _body_of(self, cost: Called, inner: Distances) -> Asking[Charge]:
        frame = self._frame
        if cost.answers:
            key = id(cost), id(frame), id(self._numbers)
            frame = self._opened.setdefault(key, Frame(cost.answers, frame))
            self._around[id(frame)] = self._numbers
        return self._within(frame, cost.body, inner, cost.values)

    def _within(self, frame: Frame, body: Cost, inner: Distances, values: Substitution) -> Asking[Charge]:
        outer = self._frame, self._numbers
        self._numbers = self._inside(body, values, list(self._outwards(frame)))
        self._frame = frame
        found = yield body, inner
        self._frame, self._numbers = outer
        return found

    def _outwards(self, frame: Frame) -> Iterator[Substitution]:
        """What symbols stand for here, and around each call between here and ``frame``, if that is further out."""
        yield self._numbers
        passed, inner = [], self._frame
        while inner.outer is not None and inner is not frame:
            passed.append(self._around[id(inner)])
            inner = inner.outer
        if inner is frame:
            yield from passed

    def _inside(self, body: Cost, values: Substitution, outwards: list[Substitution]) -> Substitution:
        """What the symbols of a body stand for; the same object where they stand for the same."""
        symbols: dict[Symbol, Poly | Sens] = {}
        norms: dict[NormVariable, AnyNorm] = {}
        for name in known_of(body, _names, _found_names):
            if isinstance(name, NormVariable):
                norm = values.norm(name)
                for each in outwards:
                    norm = each.norm(norm)
                norms[name] = norm
            else:
                value = values.symbols.get(name, Poly.of(name))
                for each in outwards:
                    value = each.poly(value) if isinstance(value, Poly) else each.sens(value)
                symbols[name] = value
        key = frozenset(symbols.items()), frozenset(norms.items())
        return self._kept.setdefault(key, Substitution(symbols, norms))


class _Same(NamedTuple):
    """A charge that is compared by what it is, not by what is in it: trees may be deep."""

    charge: Charge

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.charge is self.charge

    def __hash__(self) -> int:
        return id(self.charge)


def _steps(total: Sens, declared: Sens, moved: Distances, demanded: bool) -> Sens:
    """The distance in units of the declared one; where that has no number yet, what a shown condition says of it."""
    ratio = total * sens.inverse_magnitude(declared.single_poly())
    return units_of(total, declared, moved, demanded).most if symbols_of(ratio) else ratio


def _short(value: Fraction) -> Fraction:
    """A number that is not below ``value``, with so many digits."""
    rounding = Context(prec=_DIGITS, rounding=ROUND_CEILING, traps=[])
    return Fraction(rounding.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _unbounded(parts: list[Charge]) -> Charge | None:
    """The first part without a bound: one is enough."""
    return next((part for part in parts if isinstance(part, UnboundedLoss)), None)


_names: WeakKeyDictionary[Cost, frozenset[Name]] = WeakKeyDictionary()


def names(cost: Cost) -> frozenset[Name]:
    """The symbols and norms that what a tree is charged may depend on, in the names of the place where it stands."""
    return known_of(cost, _names, _found_names)


def _found_names(cost: Cost) -> frozenset[Name]:
    found: set[Name] = set()
    for node in nodes(cost):
        for value in numbers(node):
            found |= symbols_of(value)
            found |= norms_of(value)
        if isinstance(node, Called):
            found |= _names[node.body] - node.values.symbols.keys() - node.values.norms.keys()
            found |= {norm for norm in node.values.norms.values() if isinstance(norm, NormVariable)}
            for answer in node.answers.values():
                if isinstance(answer, Answer):
                    found |= _names[answer.body] - answer.values.symbols.keys() - answer.values.norms.keys()
                    found |= {norm for norm in answer.values.norms.values() if isinstance(norm, NormVariable)}
    return frozenset(found)
