"""Upper bounds of costs over numbers that vary (:mod:`dp_lsp.infer.publics`): each event is replaced by one that
dominates it for all values of these numbers.

A mechanism's privacy depends on the ratio of its input's distance and the distance that it is calibrated to. So the
largest ratio counts, with noise for 1; and of its other parameters the values that hide least. Where it depends on
nothing but that ratio times ε, as Laplace noise of scale r/ε does on d/(r/ε), and both vary, the largest product
counts: what stands in both cancels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from dp_lsp.core.algebra import ZERO, Poly
from dp_lsp.core.constraints import Origin, Quantity, decide
from dp_lsp.core.evaluate import Substitution, speaks_of
from dp_lsp.core.events import (
    Called,
    Cost,
    Distances,
    Either,
    Leak,
    Parallel,
    Parts,
    Release,
    Repeat,
    Sampled,
    Sequence,
    Var,
    nodes,
    numbers,
    variables,
)
from dp_lsp.core.ranges import ends, ratio, supremum, varies
from dp_lsp.core.sens import INFINITY, ONE, Sens, magnitude, maximum
from dp_lsp.core.sens import ZERO as NOTHING
from dp_lsp.core.values import replace
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.named import NamedTuple

_AS_IT_IS = Substitution({})


class Price(NamedTuple):
    """A cost without numbers that vary, and the parts for which no number is an upper bound."""

    cost: Cost
    lost: tuple[Cost, ...] = ()


def at_most(cost: Cost, values: Substitution = _AS_IT_IS) -> Price:
    """A cost that dominates this one under the substitution, for all values of the numbers that vary."""
    if values.idle and not any(_vary(*numbers(node)) for node in nodes(cost)):
        return Price(cost)
    walk = _AtMost(values, [])
    return Price(walk.cost(cost), tuple(walk.lost))


def _vary(*values: Quantity) -> bool:
    return any(speaks_of(value, varies) for value in values)


class _AtMost:
    """The walk over a tree, with what is put for the symbols in it. ``lost`` are the parts that no number bounds, or
    that are not understood."""

    def __init__(self, values: Substitution, lost: list[Cost]) -> None:
        self._values = values
        self.lost = lost

    def cost(self, cost: Cost) -> Cost:
        """A tree without numbers that vary."""
        found: Cost | None = None
        match cost:
            case Release():
                found = self._release(cost)
            case Sequence(parts=parts):
                found = Sequence(tuple(map(self.cost, parts)))
            case Either(parts=parts):
                found = Either(tuple(map(self.cost, parts)))
            case Repeat():
                found = self._repeat(cost)
            case Parallel(along=moved, body=body):
                steps = self._distances(moved)
                found = None if steps is None else replace(cost, along=steps, body=self.cost(body))
            case Parts(body=body):
                found = replace(cost, body=self.cost(body))
            case Sampled():
                found = self._sampled(cost)
            case Called():
                found = self._called(cost)
            case Leak():
                found = cost
        if found is None:
            self.lost.append(cost)
            return Leak(frozenset(variables(cost)), origin(cost))
        return found

    def _repeat(self, cost: Repeat) -> Repeat | None:
        """Each round costs no more than one whose ratios are the largest, and these are the same in all rounds: so what
        is said of rounds that read places of their own holds of them."""
        times, along = self._largest(cost.count), self._along({var: each.along for var, each in cost.places.items()})
        if along is None or times.infinite:
            return None
        places = {var: replace(place, along=along[var]) for var, place in cost.places.items()}
        return replace(cost, count=times, body=self.cost(cost.body), places=places)

    def _sampled(self, cost: Sampled) -> Sampled | None:
        """More draws of as many rows cost no less."""
        draws, rows, along = self._largest(cost.draws), self._values.sens(cost.rows), self._along(cost.along)
        if along is None or draws.infinite or _vary(rows):
            return None
        return replace(cost, draws=draws, rows=rows, along=along, body=self.cost(cost.body))

    def _called(self, cost: Called) -> Called | None:
        along = self._along(cost.along)
        if along is None or cost.answers:
            return None
        put = {symbol: self._put(value) for symbol, value in cost.values.symbols.items()}
        inner = Substitution({**self._values.symbols, **put}, {**self._values.norms, **cost.values.norms})
        walk = _AtMost(inner, [])
        body = walk.cost(cost.body)
        if any(map(is_made_for_something, walk.lost)):
            self.lost.append(cost)  # the place of a part of it is one in the text of what is called
        return replace(cost, body=body, along=along, values=_AS_IT_IS)

    def _put(self, value: Quantity) -> Quantity:
        return self._values.poly(value) if isinstance(value, Poly) else self._values.sens(value)

    def _largest(self, value: Sens) -> Sens:
        return supremum(self._values.sens(value))

    def _distances(self, moved: Distances) -> Distances | None:
        most = {var: self._largest(distance) for var, distance in moved.items()}
        return None if INFINITY in most.values() else most

    def _along(self, along: Mapping[Var, Distances]) -> dict[Var, Distances] | None:
        found = {var: self._distances(moved) for var, moved in along.items()}
        known = {var: moved for var, moved in found.items() if moved is not None}
        return known if len(known) == len(found) else None

    def _release(self, cost: Release) -> Release | None:
        """The mechanism that hides least of all that this one may be."""
        event: Mechanism | None = cost.event.put(self._values.sens)
        assert event is not None, "something is put for its symbols"
        moved = {var: self._values.sens(distance) for var, distance in cost.distance.items()}
        factor = self._values.sens(cost.factor)
        quietest = event if cost.quietest is None else cost.quietest.put(self._values.sens)
        if _vary(event.declared, factor, *moved.values()):
            far = {var: distance * factor for var, distance in moved.items()}
            unit, least = event.declared.single_poly(), _with(event, "declared", ONE)
            moved = {var: _most_units(distance, unit) for var, distance in far.items()}
            quietest = least if cost.quietest is None else quietest
            (event, moved), factor = _with_largest_product(event, far) or (least, moved), ONE
        quietest = _hiding_most(quietest)
        event = _hiding_least(event)
        if event is None or INFINITY in moved.values():
            return None
        return replace(
            cost, event=event, distance=moved, factor=factor, quietest=None if quietest == event else quietest
        )


def _most_units(distance: Sens, unit: Poly) -> Sens:
    """The largest that a distance can be, counted in another one, which is larger than 0 (or nothing is hidden, another
    problem): no more than 1 where it is never further, whatever ends are found for their ratio."""
    most = supremum(ratio(distance, unit))
    is_never_further = decide(distance, "<=", Sens((unit,))) is True
    return ONE if is_never_further and decide(most, "<=", ONE) is not True else most


def _with_largest_product(event: Mechanism, far: Distances) -> tuple[Mechanism, dict[Var, Sens]] | None:
    """A mechanism of which only ε times the distance counts, in units of the declared one, made for 1 and with the
    largest such product as its ε, and what share of that each variable costs; None if that says no more than the
    largest of each."""
    epsilon, unit = event.numbers.get("ε", NOTHING), event.declared
    if not event.is_proportional or not _vary(epsilon):
        return None
    if all(decide(distance, "<=", unit) is True for distance in far.values()):
        return None
    found = {var: supremum(ratio(distance * epsilon, unit.single_poly())) for var, distance in far.items()}
    most = maximum(found.values())
    if most.infinite or len(most.polys) != 1:
        return None
    shares = {var: ratio(each, most.single_poly()) for var, each in found.items()}
    return _with(_with(event, "declared", ONE), "epsilon", most), shares


def _with(event: Mechanism, name: str, number: Sens) -> Mechanism:
    """A mechanism with another one of its numbers."""
    names = (each.name for each in fields(event))  # type: ignore[arg-type]
    return type(event)(*(number if each == name else old for each, old in zip(names, event.given, strict=True)))


def _hiding_least(event: Mechanism) -> Mechanism | None:
    """A mechanism with the largest ε and δ, and the smallest of what makes it quieter, that its numbers may be; None
    where there is no such number."""
    for each in fields(event):  # type: ignore[arg-type]
        number = getattr(event, each.name)
        if not _vary(number):
            continue
        label = _label(event, number)
        if each.name in event.unpriced:
            least_hidden = supremum(number)
        elif label in event.quieter_by:
            low = ends(number.single_poly()).low
            least_hidden = Sens((low,)) if low is not None and decide(ZERO, "<", low) else INFINITY
        elif label in _LOUDER:
            least_hidden = supremum(number)
        else:
            return None
        if least_hidden.infinite and each.name not in event.unpriced:
            return None
        event = _with(event, each.name, least_hidden)
    return event


def _hiding_most(event: Mechanism) -> Mechanism:
    """The same with the largest noise that its numbers may make: no ε at all, or ∞ where these have no end. That an ε
    is above 0, whatever it is, has been demanded."""
    for each in fields(event):  # type: ignore[arg-type]
        number = getattr(event, each.name)
        if _vary(number):
            is_louder = _label(event, number) in _LOUDER
            event = _with(event, each.name, _smallest(number) if is_louder else supremum(number))
    return event


def _smallest(number: Sens) -> Sens:
    low = ends(number.single_poly()).low
    return NOTHING if low is None else magnitude(low)


def _label(event: Mechanism, number: Sens) -> str:
    """What users call one of its numbers."""
    return next((label for label, known in event.numbers.items() if known is number), "")


_LOUDER = frozenset("εδ")
"""The numbers that make any mechanism hide less, as users know them."""


def is_made_for_something(cost: Cost) -> bool:
    """Whether all noise is certainly calibrated to a distance above 0; that it is not is another problem."""
    if not isinstance(cost, Release):
        return True
    low = ends(cost.event.declared.single_poly()).low
    return low is not None and decide(ZERO, "<", low) is True


def origin(cost: Cost) -> Origin:
    """The place of a cost, or of its first part."""
    while isinstance(cost, Sequence | Either):
        cost = cost.parts[0]
    return cost.origin
