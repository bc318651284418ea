"""Walking a tree of events: what it costs somebody whose change is given.

Rules say how releases, composition and samples are counted; this module says how distances travel through calls and
samples. Trees are shared between calls, so prices are remembered by tree and distances, also from one function
to the next. A chain of calls may be longer than Python's stack, so what prices a tree asks for the prices of its
parts instead of calling itself.

A part of a dataset is a variable: what is run on every part is in the tree once, about a variable that stands for one
part; who moves several parts is charged by measures at the leaves, as for every distance. One part that makes all
steps is the worst where what is run never chooses by what it released (:func:`~dp_lsp.core.events.adds_up`), else
each way to share the steps counts (:func:`partitions`).

A place that one round of a loop reads and no other is a variable, too. Which rounds read what differs is settled before
the first of them, by the two inputs; given what was released before, each of the others does the same on both, and so
costs nothing. Those that are left are composed as any rounds are, of which later ones may depend on what earlier ones
released.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator, Hashable, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil, comb
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from dp_lsp.accounting.charge import Relation
from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly, Sign, Symbol
from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import (
    NOTHING,
    Answer,
    Apart,
    Awaited,
    Called,
    Cost,
    Distances,
    EffectVariable,
    Either,
    Leak,
    Parallel,
    Parts,
    Release,
    Repeat,
    Sampled,
    Sampling,
    Sequence,
    Shares,
    Var,
    adds_up,
    is_shared,
    variables,
)
from dp_lsp.core.ranges import is_computed, ratio, supremum
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.core.values import replace, thing, value
from dp_lsp.mechanisms import mechanism
from dp_lsp.mechanisms.mechanism import FREE, IN_SYMBOLS, UNBOUNDED, Price, chain
from dp_lsp.mechanisms.mechanism import group as of_group
from dp_lsp.named import NamedTuple


@value
class FreeShare:
    """A number the user may choose in (0, 1): the share of δ that pays for composing loops, or for noise that is
    (ε, δ)-private for every δ; where, if it is not all loops."""

    symbol: Symbol
    origin: Origin | None
    composes: bool = True


def _at_most_one(value: Sens) -> bool:
    known = value.number
    return known is not None and known <= 1


def amplified(cost: Sampled, inside: Price) -> Price:
    """What is spent on a sample, outside of it."""
    if inside.free or inside.unbounded:
        return FREE if inside.free else UNBOUNDED
    if cost.scheme is Sampling.WITH_REPLACEMENT:
        return mechanism.redrawn(IN_SYMBOLS, cost.draws, Sens((cost.rows.single_poly().inverse(),)), inside)
    return mechanism.amplified(IN_SYMBOLS, rate(cost), inside)


@thing
class Frame:
    """Inside a call: what the calls that it awaits turned out to be, and the frame of the caller."""

    answers: Mapping[EffectVariable, Answer | EffectVariable]
    outer: Frame | None = None


_OUTERMOST = Frame({})

_At = frozenset[tuple[Var, Sens]]
L = TypeVar("L")
Asking = Generator[tuple[Cost, Distances], L, L]
"""Asks for what the parts of a tree cost, one after the other, and returns what the whole does."""


class DifferingRounds(NamedTuple):
    """How many rounds of a loop differ, and how far each variable of its body moves in them."""

    number: Sens
    moved: Distances


class Walk(ABC, Generic[L]):
    """Reads trees: what they cost somebody, in whatever a subclass counts. It says what a release, composition and a
    sample cost; how distances travel through calls and samples is said here."""

    free: L
    unbounded: L
    adapts = False
    """Whether what it counts in adds up also where later distances depend on what was released before, as long as the
    sum is bounded whatever was released."""
    adds = False
    """Whether k rounds cost k times what one does, for every k."""

    def __init__(self, relation: Relation = Relation.CHANGE_ONE) -> None:
        self.relation = relation
        self._frame = _OUTERMOST
        self._frames: dict[tuple[int, int], Frame] = {}
        self._known: dict[Hashable, tuple[L, bool]] = {}
        self._uses = 0  # of numbers to choose

    def loss(self, cost: Cost, distances: Distances) -> L:
        """What a tree costs somebody whose change moves each variable by its distance."""
        pending = [self._asked(cost, distances)]
        found: L | None = None
        while True:
            try:
                asked = next(pending[-1]) if found is None else pending[-1].send(found)
            except StopIteration as answer:
                pending.pop()
                found = answer.value
                assert found is not None
                if not pending:
                    return found
            else:
                pending.append(self._asked(*asked))
                found = None

    @abstractmethod
    def is_unbounded(self, loss: L) -> bool:
        """Whether nothing is guaranteed."""

    @abstractmethod
    def released(self, cost: Release, distances: Distances) -> L:
        """What one mechanism costs at the distance that ``distances`` move its input."""

    @abstractmethod
    def opaque(self, epsilon: Symbol, delta: Symbol, cost: Awaited) -> L:
        """What a function costs of which nothing is known but that it is (ε, δ)-private."""

    def leaked(self, cost: Leak) -> L:
        """What something costs that left without noise."""
        return self.unbounded

    @abstractmethod
    def sequence(self, parts: list[L]) -> L:
        """What one thing after the other costs."""

    @abstractmethod
    def either(self, parts: list[L]) -> L:
        """What one of several costs."""

    @abstractmethod
    def repeat(self, cost: Repeat, once: L) -> L:
        """What a loop costs whose round costs ``once``."""

    @abstractmethod
    def amplified(self, cost: Sampled, inside: L) -> L:
        """What it costs, outside, that costs a record ``inside`` in the sample."""

    @abstractmethod
    def grouped(self, loss: L, steps: int) -> L:
        """What a change of so many steps costs."""

    @abstractmethod
    def both(self, first: L, second: L) -> L:
        """What two results cost of one variable that reaches them in two ways."""

    def translated(self, values: Substitution, loss: L) -> L:
        """What a callee's tree costs, in the symbols of the caller."""
        return loss

    def along(self, moved: Distances, distances: Distances) -> Sens:
        """How far something moves that moves with variables which themselves move by ``distances``."""
        return along(moved, distances)

    def whole_steps(self, distance: Sens) -> int | None:
        """A number of steps of 1 that a distance is at most; None where none is known."""
        known = distance.number
        return None if known is None else ceil(known)

    def _key(self, cost: Cost, moved: Distances) -> Hashable:
        return id(cost), id(self._frame), frozenset(moved.items())

    def _asked(self, cost: Cost, distances: Distances) -> Asking[L]:
        moved = {var: distance for var, distance in distances.items() if not distance.zero}
        if not moved:
            return self.free
        if self.is_read(moved):
            return self.unbounded
        key = self._key(cost, moved)
        known = self._known.get(key)
        if known is None:
            before = self._uses
            found = yield from self._loss(cost, moved)
            known = self.unbounded if self.is_unbounded(found) else found, self._uses != before
            self._known[key] = known
        elif known[1]:
            self._uses += 1
        return known[0]

    def _loss(self, cost: Cost, distances: Distances) -> Asking[L]:
        match cost:
            case Release():
                return self.released(cost, distances)
            case Leak(variables=variables):
                return self.leaked(cost) if variables & distances.keys() else self.free
            case Sequence(parts=parts):
                return self.sequence((yield from _each(parts, distances)))
            case Either(parts=parts):
                return self.either((yield from _each(parts, distances)))
            case Repeat():
                return (yield from self._repeated(cost, distances))
            case Sampled():
                return (yield from self._sampled(cost, distances))
            case Parallel():
                return (yield from self._parallel(cost, distances))
            case Parts():
                return self.either((yield from _each_at(cost.body, self.lying(cost, distances))))
            case Awaited():
                return (yield from self._awaited(cost, distances))
            case Called():
                return (yield from self._called(cost, distances))

    def steps(self, cost: Sampled) -> int:
        """In how many steps a change of one row reaches a sample. Where rows are there or not, one that differs is a
        row less and then a row more: what is done with a sample depends on nothing else of the rows."""
        return 2 if cost.scheme is Sampling.POISSON and self.neighbours(cost) is not Relation.ADD_REMOVE else 1

    def neighbours(self, cost: Sampled) -> Relation:
        """What one step of that is, which rows are drawn from."""
        return Relation.ADD_REMOVE if cost.comes_or_goes else self.relation

    def is_read(self, distances: Distances) -> bool:
        """Whether how many rows there are is private, and something asks more than which of them are drawn."""
        return self.relation is Relation.ADD_REMOVE and any(var.only_drawn is False for var in distances)

    def is_known(self, cost: Sampled, reached: Distances) -> bool:
        """Whether it is known what a change costs that reaches what is drawn from. That a row is there or not makes
        a difference of one row only to what each row is drawn of by itself, and from matrices that all hold it."""
        if self.relation is not Relation.ADD_REMOVE or not any(
            var.only_drawn is not None for moved in cost.along.values() for var in moved
        ):
            return True
        held = [
            len(moved) == 1 and all(var.only_drawn and not var.public for var in moved) for moved in cost.along.values()
        ]
        apart = next(iter(reached.values()))  # in so many records, which come or go one by one
        same = all(each == apart for each in reached.values()) and apart.number is not None and apart.number % 1 == 0
        return cost.scheme is Sampling.POISSON and cost.aligned and all(held) and same

    def _called(self, cost: Called, distances: Distances) -> Asking[L]:
        return self._body_of(cost, {param: self.along(moved, distances) for param, moved in cost.along.items()})

    def _body_of(self, cost: Called, inner: Distances) -> Asking[L]:
        """The price of a call whose parameters move by these distances."""
        frame = self._frame
        if cost.answers:
            key = id(cost), id(frame)
            frame = self._frames.setdefault(key, Frame(cost.answers, frame))
        return self._within(frame, cost.body, inner, cost.values)

    def _within(self, frame: Frame, body: Cost, inner: Distances, values: Substitution) -> Asking[L]:
        """What a callee's tree costs, where the calls it awaits are those of ``frame``."""
        outer, self._frame = self._frame, frame
        loss = yield body, inner
        self._frame = outer
        return self.translated(values, loss)

    def _awaited(self, cost: Awaited, distances: Distances) -> Asking[L]:
        """The price of what an awaited call turned out to be, or of any function that is (ε, δ)-private in each
        argument: one that a variable reaches through several arguments is paid once for each. A change of more than 1
        is one of a group, if there are such steps; a distance that is not a number is at most 1 (a shown condition)."""
        moved = [self.along(part, distances) for part in cost.along]
        callee, frame = cost.callee, self._frame
        answer = frame.answers.get(callee)
        while frame.outer is not None and not isinstance(answer, Answer):
            callee, frame = answer or callee, frame.outer
            answer = frame.answers.get(callee)
        if isinstance(answer, Answer):
            inner = dict(zip(answer.params, moved, strict=True))
            return (yield from self._within(frame.outer or _OUTERMOST, answer.body, inner, answer.values))
        loss, stepped = self.free, cost.stepped or (False,) * len(moved)
        for distance, epsilon, delta, steps in zip(moved, callee.epsilon, callee.delta, stepped, strict=True):
            known = distance.number
            if known is not None and known > 1 and not steps:
                return self.unbounded
            if not distance.zero:
                once = self.opaque(epsilon, delta, cost)
                loss = self.both(loss, once if known is None else self.grouped(once, max(1, ceil(known))))
        return loss

    def _repeated(self, cost: Repeat, distances: Distances) -> Asking[L]:
        losses = []
        for way in self.ways(cost, distances):
            parts = []
            for rounds in way:
                loop = replace(cost, count=rounds.number) if cost.places else cost
                parts.append(self.repeat(loop, (yield cost.body, rounds.moved)))
            losses.append(self.sequence(parts) if len(parts) > 1 else parts[0])
        return self.either(losses) if len(losses) > 1 else losses[0]

    def ways(self, cost: Repeat, distances: Distances) -> list[list[DifferingRounds]]:
        """The ways in which a change can lie in the rounds of a loop, of which the one that costs most counts. What
        differs in no round costs nothing in it; a change that reaches the rounds in several ways, or otherwise than by
        what each reads for itself, is in all of them."""
        read = {var: self.along(place.along, distances) for var, place in cost.places.items()}
        read = {var: far for var, far in read.items() if not far.zero}
        if len(read) == 1 and distances.keys().isdisjoint(variables(cost.body)):
            ((var, far),) = read.items()
            found = self._apart(cost, var, far)
            if found is not None:
                return found
        return [[DifferingRounds(cost.count, {**distances, **read})]]

    def _apart(self, cost: Repeat, var: Var, far: Sens) -> list[list[DifferingRounds]] | None:
        """The ways in which places that move by so much together can; None if they are not known. Of k places whose
        squares add up to d², the distances add up to √k·d at most (Cauchy and Schwarz). Of d steps, each of which moves
        m places by 1, the distances add up to m·d, and none is more than d: so the squares add up to m·d² at most."""
        apart, each = cost.places[var].apart, cost.places[var].each
        if far.infinite:
            return None
        if apart is Apart.RECORDS:
            return [[DifferingRounds(cost.count if decide(cost.count, "<=", far) else far, {var: ONE})]]
        squares = apart is Apart.SQUARES
        if (squares or each > 1) and is_shared(cost.body, Shares.SQUARES):
            return [[DifferingRounds(ONE, {var: far * sens.number(each).root()})]]
        if not squares and each == 1 and is_shared(cost.body, Shares.SUMS):
            return [[DifferingRounds(ONE, {var: far})]]
        if squares and self.adds and is_shared(cost.body, Shares.PROPORTION):
            return [[DifferingRounds(cost.count.root(), {var: far})]]
        steps = self.whole_steps(far) if apart is Apart.STEPS else None
        if steps is None or steps * each > MOST_STEPS:
            summed = apart is Apart.STEPS and is_shared(cost.body, Shares.SUMS)
            return [[DifferingRounds(ONE, {var: far * sens.number(each)})]] if summed else None
        counted = (Counter(way) for way in partitions(steps * each, steps))
        return [
            [DifferingRounds(sens.number(times), {var: sens.number(size)}) for size, times in way.items()]
            for way in counted
        ]

    def lying(self, cost: Parts, distances: Distances) -> list[Distances]:
        """The ways in which the records of a change can lie in the parts of a dataset, as what they move: of many
        records each lies in a way of its own. Where these are not gone through, all parts move as far as they can."""
        far = distances.get(cost.whole)
        if far is None:
            return [distances]
        if cost.scaled and not far.infinite:
            return [{**distances, **{part: share * far for part, share in way.items()}} for way in cost.ways]
        steps = self.whole_steps(far) if self.adapts or not cost.adaptive else None
        if steps is None or comb(len(cost.ways) + steps - 1, steps) > _WAYS:
            return [{**distances, **dict.fromkeys(cost.parts, far)}]
        ways = combinations_with_replacement(cost.ways, steps)
        return [{**distances, **{part: sens.total(way[part] for way in some) for part in cost.parts}} for some in ways]

    def _parallel(self, cost: Parallel, distances: Distances) -> Asking[L]:
        """The steps of a change are spread over the parts in any way. All of them in one part cost most where what is
        done adds up, else the partition that costs most counts."""
        steps = self.whole_steps(self.along(cost.along, distances))
        alone = steps is not None and (steps <= 1 or adds_up(cost.body))
        if steps is None or (steps > MOST_STEPS and not alone):
            return self.unbounded
        shared = [(steps,)] if alone else partitions(steps)
        known = {}
        for each in sorted({each for way in shared for each in way}):
            known[each] = yield cost.body, {cost.part: sens.number(each)}
        losses = [self.sequence([known[each] for each in way]) if len(way) > 1 else known[way[0]] for way in shared]
        return self.either(losses) if len(losses) > 1 else losses[0]

    def _sampled(self, cost: Sampled, distances: Distances) -> Asking[L]:
        """What reaches the body through the sample is amplified; what reaches it past the sample is not."""
        drawn = {var: self.along(moved, distances) for var, moved in cost.along.items()}
        reached = {var: distance for var, distance in drawn.items() if not distance.zero}
        direct = yield cost.body, distances
        if not reached:
            return direct
        far = self.whole_steps(sens.maximum(reached.values()))
        if far is None or not self.is_known(cost, reached):
            return self.unbounded
        inside = yield cost.body, {cost.record: ONE}
        once = self.grouped(self.amplified(cost, inside), max(1, far) * self.steps(cost))
        sampled = once
        if len(reached) > 1 and not cost.aligned:
            for _ in range(len(reached) - 1):
                sampled = self.both(sampled, once)
        return self.both(sampled, direct)


_shared: WeakKeyDictionary[Cost, dict[tuple[str, Relation, _At], object]] = WeakKeyDictionary()
"""What the trees of functions cost, by rule and distances: those in which there is nothing to choose or to await."""


class PrivacyMeasure(Walk[L]):
    """A notion of privacy: prices trees, and says what its losses are as a pair. ``rule`` names it in reports, and
    ``kind`` what it counts in. ``taken`` are names that a number to choose must not have; measures that share
    ``symbols`` choose one number for one loop or release."""

    rule = ""
    kind = "approximate"

    def __init__(
        self,
        taken: frozenset[str] = frozenset(),
        symbols: dict[int, Symbol] | None = None,
        relation: Relation = Relation.CHANGE_ONE,
    ) -> None:
        super().__init__(relation)
        self._taken = taken
        self._symbols = {} if symbols is None else symbols
        self.choices: list[FreeShare] = []

    def price(self, cost: Cost, distances: Distances) -> Price:
        """The pair that a tree costs somebody whose change moves each variable by its distance."""
        return self.pair(self.loss(cost, distances))

    @abstractmethod
    def pair(self, loss: L) -> Price:
        """A pair that follows from a loss."""

    @abstractmethod
    def named(self, loss: L) -> tuple[tuple[str, Sens], ...]:
        """The numbers of a loss, each with its name."""

    def slack(self, cost: Repeat | Release | Sampled | None = None) -> Poly:
        """A share of δ to choose: one for each loop, release or sample that needs one, and one for the whole tree."""
        self._uses += 1
        key = 0 if cost is None else id(cost)
        symbol = self._symbols.get(key)
        if symbol is None:
            symbol = self._symbols[key] = chosen(len(self._symbols) + 1, self._taken)
        choice = FreeShare(symbol, None if cost is None else cost.origin, not isinstance(cost, Release))
        if choice not in self.choices:
            self.choices.append(choice)
        return Poly.of(symbol)

    def released_pair(self, cost: Release, distances: Distances) -> Price:
        """The price of a mechanism. Gaussian noise whose input moves by μ deviations is (μ²/2 + μ√(2 ln(1/δ)),
        δ)-private for every δ. Source: Bun and Steinke 2016, Propositions 1.3 and 1.6."""
        far = None if cost.event.has_pair else deviations(cost, distances)
        if far is None:
            return released(cost, distances)
        if far.zero or far.infinite:
            return FREE if far.zero else UNBOUNDED
        slack = self.slack(cost)
        spread = far * (sens.number(2) * sens.log_inverse(slack)).root()
        return Price(sens.number(Fraction(1, 2)) * far * far + spread, Sens.of(slack))

    def _within(self, frame: Frame, body: Cost, inner: Distances, values: Substitution) -> Asking[L]:
        """What a function costs does not depend on who calls it, unless there is something to choose or to await."""
        key = self.rule, self.relation, frozenset(inner.items())
        shared = frame is _OUTERMOST and body is not NOTHING
        known: Any = _shared.get(body, {}).get(key) if shared else None
        if known is not None:
            return self.translated(values, known)
        before, outer, self._frame = self._uses, self._frame, frame
        loss = yield body, inner
        self._frame = outer
        if shared and self._uses == before:
            _shared.setdefault(body, {})[key] = loss
        return self.translated(values, loss)


def _each(parts: tuple[Cost, ...], distances: Distances) -> Generator[tuple[Cost, Distances], L, list[L]]:
    losses = []
    for part in parts:
        losses.append((yield part, distances))
    return losses


def _each_at(cost: Cost, ways: list[Distances]) -> Generator[tuple[Cost, Distances], L, list[L]]:
    losses = []
    for distances in ways:
        losses.append((yield cost, distances))
    return losses


def along(moved: Distances, distances: Distances) -> Sens:
    """How far something moves that moves with variables which themselves move by ``distances``."""
    return sens.total(factor * distances[var] for var, factor in moved.items() if var in distances)


def at_most_once(count: Sens) -> bool:
    """Whether a loop certainly has no second round."""
    known = count.number
    return known is not None and known <= 1


def rate(cost: Sampled) -> Sens:
    """The share of rows in a sample, or the probability with which each row is drawn."""
    if cost.scheme is Sampling.POISSON:
        return cost.draws
    return cost.draws * Sens((cost.rows.single_poly().inverse(),))


def chosen(number: int, taken: frozenset[str]) -> Symbol:
    """A number in (0, 1) for the user to choose, with a name that is not taken."""
    name = f"s{number}"
    while name in taken:
        name += "_"
    return Symbol(name, Sign.PROBABILITY)


# How far one mechanism's input moves, and what it costs there as a pair (ε, δ).


class Units(NamedTuple):
    """How far something moves the input of a mechanism, in units of the declared distance: ``steps``, which is at most
    ``most`` where the shown conditions hold; ∞ where nothing is known."""

    steps: Sens
    most: Sens


def released(cost: Release, distances: Distances) -> Price:
    """The price of one mechanism at the distance that ``distances`` move its input."""
    steps, most = units(cost, distances)
    if steps.zero:
        return FREE
    return UNBOUNDED if steps.infinite else cost.event.pair(steps, cost.factor, most) or UNBOUNDED


def deviations(cost: Release, distances: Distances) -> Sens | None:
    """How far ``distances`` move the input of Gaussian noise, in deviations of the noise: the μ of Gaussian
    differential privacy. None for any other mechanism."""
    return cost.event.deviations(cost.factor * units(cost, distances).steps) if cost.event.is_normal else None


def units(cost: Release, distances: Distances) -> Units:
    """How far ``distances`` move the input of a mechanism."""
    parts = {var: cost.distance[var] * moved for var, moved in distances.items() if var in cost.distance}
    total = sens.total(parts.values())
    if total.zero or total.infinite:
        return Units(total, total)
    moved = {var: distances[var] for var, part in parts.items() if not part.zero}
    return units_of(total, cost.event.declared, moved, cost.demanded)


def units_of(total: Sens, declared: Sens, moved: Distances, demanded: bool) -> Units:
    """A distance in units of the declared one: their ratio.

    Where that is no number, and it is ``demanded``, each variable is known to move the input by at most the
    declared distance for each unit it moves itself (a shown condition), a record as often as it has members; where
    the declared distance is 0, that says that nothing moves, so the ratio is never too small. Numbers that a
    program computes are not what its users choose: they count at their worst. Sums counted in what is no number
    nobody reads: there the condition is what is said."""
    steps = ratio(total, declared.single_poly()) if len(declared.polys) == 1 else sens.INFINITY
    if steps.number is not None:
        return Units(steps, steps)
    worst = supremum(steps, is_computed)
    if not demanded:
        return Units(worst, worst)
    most = sens.total(moved[var] * sens.number(max(1, var.members)) for var in moved)
    if decide(total, "<=", declared) and not _at_most_one(most):
        most = ONE
    is_product = len(worst.polys) == 1 and worst.polys[0].single is not None
    is_known = not worst.infinite and (is_product or declared.number is not None)
    return Units(worst if is_known and not decide(most, "<=", worst) else most, most)


def group(price: Price, steps: int) -> Price:
    """The price of a change of ``steps`` steps."""
    return UNBOUNDED if price.unbounded else of_group(IN_SYMBOLS, price, steps)


def both(first: Price, second: Price) -> Price:
    """Two private results of one variable that reach it in two ways."""
    if first.free or second.free:
        return second if first.free else first
    return chain(IN_SYMBOLS, first, second)


# How the steps of a change can lie in the parts of a dataset in which every record is in one.

MOST_STEPS = 500
"""Steps that are spread over parts."""
_WAYS = 64  # in which records lie in parts, gone through
_GONE_THROUGH = 6  # steps whose partitions are gone through


def partitions(steps: int, most: int | None = None) -> list[tuple[int, ...]]:
    """The ways in which parts can share so many steps, none of which takes more than ``most``: how many each part has
    that has some, the most first. Of many steps one that is no less than any of these: the k-th part has at most a k-th
    of all steps."""
    most = steps if most is None else most
    if steps > _GONE_THROUGH:
        return [tuple(min(most, steps // place) for place in range(1, steps + 1))]
    found: list[tuple[int, ...]] = []
    pending: list[tuple[int, ...]] = [()]
    while pending:
        taken = pending.pop()
        left = steps - sum(taken)
        if not left:
            found.append(taken)
        pending += [(*taken, more) for more in range(1, min(left, taken[-1] if taken else most) + 1)]
    return found
