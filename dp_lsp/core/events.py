"""Privacy costs: trees of what was released, and about whom. Nothing here prices anything.

A :class:`Release` knows how far each variable moves the input of its mechanism, which is a class of
:mod:`dp_lsp.mechanisms`; nothing here asks which. Trees are immutable and shared: a
call refers to the callee's tree and never copies it. Source: the privacy calculus of the published checker, with
costs kept symbolic.

So two arguments that share a person are priced together, and a record that is drawn from several matrices is a
variable from the start: a joint cost is never a sum made afterwards. Bounds are computed at the end, by every
measure, and the smallest proved one is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import field
from enum import Enum
from itertools import count
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.constraints import Origin
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.sens import Sens
from dp_lsp.core.values import known_thing, replace, thing, undigested
from dp_lsp.named import NamedTuple

if TYPE_CHECKING:
    from dp_lsp.mechanisms.mechanism import Mechanism

_uids = count(1)
T = TypeVar("T")
_OF_FUNCTION = "what a tree is made of is shown with its function; who calls that shows the call"


@undigested(uid="it counts what was made in this process")
class Var:
    """Something whose change is followed: a parameter, a value carried by a loop, a sampled matrix, or a record.

    ``gap`` says that two different values are at least 1 apart. ``public`` marks a parameter declared static, and
    ``carried`` what a loop carries from round to round: public if the loop releases anything.
    ``members`` is the number of matrices a record was drawn from, and 0 for anything that is no record.
    ``only_drawn`` says of what may hold the rows of many people whether it is used for nothing but drawing rows, each
    by a coin of its own; it is None for anything else. ``chained`` says whether its values are joined by ordered steps
    (:func:`~dp_lsp.core.sens.is_chained`). ``once`` says of a record that it is in one row of what was drawn, at most.
    """

    __slots__ = ("carried", "chained", "gap", "members", "name", "once", "only_drawn", "public", "uid")

    def __init__(
        self,
        name: str,
        gap: bool = False,
        public: bool = False,
        carried: bool = False,
        members: int = 0,
        only_drawn: bool | None = None,
        chained: bool = False,
        once: bool = False,
    ) -> None:
        self.uid = next(_uids)
        self.name = name
        self.gap = gap
        self.public = public
        self.carried = carried
        self.members = members
        self.only_drawn = only_drawn
        self.chained = chained
        self.once = once

    def __repr__(self) -> str:
        return self.name

    @property
    def exempt(self) -> bool:
        """Whether a release, or a loop or branch that releases, need not protect it."""
        return self.public or self.carried


Distances = Mapping[Var, Sens]


class Sampling(Enum):
    """How rows are drawn: each by a coin of its own, a fixed number of different ones, or a fixed number one by one,
    the same as often as it comes."""

    POISSON = "poisson"
    WITHOUT_REPLACEMENT = "without-replacement"
    WITH_REPLACEMENT = "with-replacement"


@thing
class EffectVariable:
    """A call of a function that is a parameter: (ε, δ)-private in each argument, by symbols that stand for any."""

    name: str
    epsilon: tuple[Symbol, ...]
    delta: tuple[Symbol, ...]


@undigested(origin=_OF_FUNCTION)
@known_thing
class Release:
    """One mechanism was run on an input that each variable moves by its distance, in the norm the input is measured
    in. In the norm the noise is made for the distance is up to ``factor`` times that.

    Of a mechanism that selects, ``one_way`` are the variables that move all it selects by the same way; distances and
    factor count the smaller share of ε that this costs.

    That no variable moves its input further than the event's declared distance is ``demanded``, if it is: a shown
    condition. Noise that is made for no distance demands nothing.

    Where its numbers vary, the event is the one that hides least, and ``quietest`` the one that hides most, of all that
    it may be; that costs no more, and only who draws its noise asks."""

    event: Mechanism
    distance: Distances
    factor: Sens
    origin: Origin
    one_way: frozenset[Var] = frozenset()
    quietest: Mechanism | None = None
    demanded: bool = True

    @property
    def events(self) -> tuple[Mechanism, ...]:
        """The ends between which it is."""
        return (self.event,) if self.quietest is None else (self.event, self.quietest)


@undigested(origin=_OF_FUNCTION)
@known_thing
class Leak:
    """Values that move with these variables left the function, or steered a release, without noise."""

    variables: frozenset[Var]
    origin: Origin


@known_thing
class Sequence:
    """One after the other; later parts may depend on what earlier ones released."""

    parts: tuple[Cost, ...]


@known_thing
class Either:
    """One of several, chosen by public values."""

    parts: tuple[Cost, ...]


class Apart(Enum):
    """How far the places of something may move that moves by d: at most d of them by at most 1 each; all together by
    d, in whole steps, each of one place or of so many ones; all together by d; so that the squares add up to d²."""

    RECORDS = "records"
    STEPS = "steps"
    SUM = "sum"
    SQUARES = "squares"


@known_thing
class RoundPlace:
    """What a round of a loop reads that others do not: the row or entry at its index, or records that a condition on it
    keeps. ``along`` says how far outer variables move all places together, and ``apart`` how that is spread over them;
    one step of what is spread in whole steps reaches ``each`` places at most, and moves each by at most 1."""

    along: Distances
    apart: Apart
    each: int = 1


@undigested(origin=_OF_FUNCTION)
@known_thing
class Repeat:
    """``count`` rounds of a body, each of which may depend on what the earlier ones released. ``places`` are the
    variables of the body that stand for what each round reads for itself."""

    count: Sens
    body: Cost
    origin: Origin
    places: Mapping[Var, RoundPlace] = field(default_factory=dict)


@undigested(origin=_OF_FUNCTION)
@known_thing
class Sampled:
    """A body that sees ``draws`` of ``rows`` rows, drawn as ``scheme`` says and in random order.

    ``along`` tells, for each drawn matrix, how far the outer variables move what it was drawn from. ``record`` is
    the variable that stands for a change of the same row of all drawn matrices together. ``aligned`` says that each
    was drawn from a variable itself, so that one record lies in the same row of all. If it ``comes_or_goes``, a step of
    what was drawn from is a record that is there or not; else it is one that stands in place of another.
    """

    scheme: Sampling
    draws: Sens
    rows: Sens
    along: Mapping[Var, Distances]
    record: Var
    aligned: bool
    body: Cost
    origin: Origin
    comes_or_goes: bool = False


@undigested(origin=_OF_FUNCTION)
@known_thing
class Parallel:
    """A body that is run once on each part of a dataset, where every record lies in one part only. ``part`` is the
    variable that stands for a part, and all that the body is about; ``along`` tells in how many steps of a part the
    outer variables move all parts together."""

    part: Var
    along: Distances
    body: Cost
    origin: Origin


@undigested(origin=_OF_FUNCTION)
@known_thing
class Parts:
    """A body that releases several things of a dataset that moves with ``whole``, one record at a step. What each of
    them sees of it is a part, a variable of the body; ``ways`` say how far one step moves each part, which is 1 for as
    far as it moves with the whole at most. Which way it is, is settled by the records that differ, or, if that is
    ``adaptive``, by what was released before, too.

    What is no dataset moves by any distance: if it is ``scaled``, what is released of it costs no more, however the
    distance is spread over its parts, than all of it in one of the ways."""

    whole: Var
    ways: tuple[Distances, ...]
    adaptive: bool
    body: Cost
    origin: Origin
    scaled: bool = False

    @property
    def parts(self) -> frozenset[Var]:
        """The variables of the body that stand for a part."""
        return frozenset(self.ways[0])


@undigested(origin=_OF_FUNCTION)
@known_thing
class Awaited:
    """A call of a function that is not known yet; ``along`` holds how far each variable moves each argument.
    ``stepped`` says of each whether a change of n is n steps of at most 1, rounded up; of none, if it is empty."""

    callee: EffectVariable
    along: tuple[Distances, ...]
    origin: Origin
    stepped: tuple[bool, ...] = ()


class Answer(NamedTuple):
    """What an awaited call turned out to spend: a tree, the variables that stand for its arguments, and what its
    symbols stand for."""

    body: Cost
    params: tuple[Var, ...]
    values: Substitution


@undigested(origin=_OF_FUNCTION)
@known_thing
class Called:
    """A call: the callee's tree, how far each of the caller's variables moves each parameter, and what the
    callee's symbols stand for here. ``answers`` are the calls that the callee awaits, seen from the caller."""

    body: Cost
    along: Mapping[Var, Distances]
    values: Substitution
    origin: Origin
    answers: Mapping[EffectVariable, Answer | EffectVariable] = field(default_factory=dict)


Cost = Release | Leak | Sequence | Either | Repeat | Sampled | Parallel | Parts | Awaited | Called

NOTHING = Sequence(())


def sequence(parts: list[Cost]) -> Cost:
    """The parts in order, as one cost."""
    kept = [part for part in parts if part is not NOTHING]
    if not kept:
        return NOTHING
    return kept[0] if len(kept) == 1 else Sequence(tuple(kept))


def renamed(cost: Cost, names: Mapping[Var, Var]) -> Cost:
    """A tree in which what releases move with has other names."""

    def inside(part: Cost) -> Cost:
        return renamed(part, names)

    match cost:
        case Release(distance=moved, one_way=one_way) if not names.keys().isdisjoint(moved):
            distance = _named_anew(moved, names)
            return replace(cost, distance=distance, one_way=frozenset(names.get(var, var) for var in one_way))
        case Sequence(parts=parts) | Either(parts=parts):
            return replace(cost, parts=tuple(map(inside, parts)))
        case Repeat(body=body) | Sampled(body=body) | Parallel(body=body) | Parts(body=body):
            return replace(cost, body=inside(body))
        case Called(along=along) if any(not names.keys().isdisjoint(moved) for moved in along.values()):
            return replace(cost, along={param: _named_anew(moved, names) for param, moved in along.items()})
    return cost


def _named_anew(moved: Distances, names: Mapping[Var, Var]) -> Distances:
    """Distances by other names; of variables with one name they add up."""
    found: dict[Var, Sens] = {}
    for var, far in moved.items():
        name = names.get(var, var)
        found[name] = found[name] + far if name in found else far
    return found


def variables(cost: Cost) -> set[Var]:
    """The variables a tree says something about, in the names of the place where it stands."""
    match cost:
        case Release(distance=moved) | Parallel(along=moved):
            return set(moved)
        case Leak(variables=leaked):
            return set(leaked)
        case Sequence(parts=parts) | Either(parts=parts):
            return set().union(*map(variables, parts))
        case Repeat(body=body, places=places):
            read = {var for place in places.values() for var in place.along}
            return (variables(body) - places.keys()) | read
        case Parts(whole=whole, parts=parts, body=body):
            return {whole} | variables(body).difference(parts)
        case Awaited(along=moved_by):
            return {var for moved in moved_by for var in moved}
        case Called(along=along):
            return {var for moved in along.values() for var in moved}
        case Sampled(along=along, body=body):
            drawn = {var for moved in along.values() for var in moved}
            return (variables(body) - along.keys()) | drawn


def nodes(cost: Cost) -> Iterator[Cost]:
    """Every node of a tree once, however often it is shared, in order. Trees of callees are not entered."""
    pending, seen = [cost], set()
    while pending:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        match item:
            case Sequence(parts=parts) | Either(parts=parts):
                pending.extend(reversed(parts))
            case Repeat(body=body) | Sampled(body=body) | Parallel(body=body) | Parts(body=body):
                pending.append(body)


def numbers(node: Cost) -> Iterator[Poly | Sens]:
    """The numbers that stand in a node itself: of its mechanism, factors, and what is put for symbols of a callee."""
    match node:
        case Release(event=event, distance=distance, factor=factor):
            yield from (*event.given, factor, *distance.values())
        case Repeat(count=count, places=places):
            yield from (count, *_factors({var: place.along for var, place in places.items()}))
        case Sampled(draws=draws, rows=rows, along=along):
            yield from (draws, rows, *_factors(along))
        case Parallel(along=moved_by):
            yield from moved_by.values()
        case Parts(ways=ways):
            yield from (far for way in ways for far in way.values())
        case Awaited(callee=callee, along=moved):
            yield from map(Poly.of, (*callee.epsilon, *callee.delta))
            yield from (factor for distances in moved for factor in distances.values())
        case Called(along=along, values=values, answers=answers):
            yield from (*_factors(along), *values.symbols.values())
            yield from _answered(answers)


def _factors(along: Mapping[Var, Distances]) -> Iterator[Sens]:
    return (factor for distances in along.values() for factor in distances.values())


def _answered(answers: Mapping[EffectVariable, Answer | EffectVariable]) -> Iterator[Poly | Sens]:
    for answer in answers.values():
        if isinstance(answer, Answer):
            yield from answer.values.symbols.values()


def callees(cost: Called) -> list[Cost]:
    """The trees that a call refers to: of what is called, and of what the calls turned out to be that it awaits."""
    return [cost.body, *(answer.body for answer in cost.answers.values() if isinstance(answer, Answer))]


def known_of(cost: Cost, known: MutableMapping[Cost, T], find: Callable[[Cost], T]) -> T:
    """What ``find`` finds out about a tree, remembered in ``known``. It may look up there what is known of callees: a
    chain of calls may be longer than Python's stack, so that is found out first."""
    pending = [cost]
    while pending:
        tree = pending[-1]
        if tree not in known:
            called = (body for node in nodes(tree) if isinstance(node, Called) for body in callees(node))
            missing = [body for body in called if body not in known]
            pending += missing
            if missing:
                continue
            known[tree] = find(tree)
        pending.pop()
    return known[cost]


def adds_up(cost: Cost) -> bool:
    """Whether a change of a + b steps costs no less than one of a steps and one of b in another run of the same: so
    it is where all runs do the same, whatever was released, and each mechanism costs in proportion to the steps."""
    return known_of(cost, _adds_up, _found_adding_up)


def _found_adding_up(cost: Cost) -> bool:
    return all(
        isinstance(node, Release | Leak | Sequence | Parallel)
        or (isinstance(node, Repeat) and not node.places)
        or (isinstance(node, Called) and not node.answers and _adds_up[node.body])
        for node in nodes(cost)
    )


_adds_up: WeakKeyDictionary[Cost, bool] = WeakKeyDictionary()


class Shares(Enum):
    """What makes runs of the same, each of which may depend on what earlier ones released, cost no more than one run at
    d: that their distances sum up to d; that the squares of these sum up to d². Or a run costs ε in proportion to its
    distance, at most, and no δ."""

    SUMS = "sums"
    SQUARES = "squares"
    PROPORTION = "proportion"


def is_shared(cost: Cost, by: Shares) -> bool:
    """Whether that holds of a tree. So it is where all runs do the same, and each mechanism adds noise of which that is
    true."""
    known = _known_shares[by]
    return known_of(cost, known, lambda tree: _found_shared(tree, by, known))


def _found_shared(cost: Cost, by: Shares, known: Mapping[Cost, bool]) -> bool:
    def hidden(event: Mechanism) -> bool:
        if by is Shares.SQUARES:
            return event.is_normal
        return event.shares and not (by is Shares.PROPORTION and event.is_normal)

    def one(node: Cost) -> bool:
        match node:
            case Release(event=event):
                return hidden(event)
            case Called(answers=answers, body=body):
                return not answers and known[body]
            case Repeat(places=places):
                return all(place.apart is not Apart.RECORDS for place in places.values())
        return isinstance(node, Sequence)

    return all(map(one, nodes(cost)))


_known_shares: Mapping[Shares, WeakKeyDictionary[Cost, bool]] = {by: WeakKeyDictionary() for by in Shares}


def mechanisms(cost: Cost) -> tuple[str, ...]:
    """The names of the mechanisms in a tree, those of callees included, each once and in order."""
    return known_of(cost, _mechanisms, _found_mechanisms)


def _found_mechanisms(cost: Cost) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in nodes(cost):
        match node:
            case Release(event=event):
                found[event.name] = None
            case Awaited(callee=callee):
                found[callee.name] = None
            case Called():
                found.update((name, None) for body in callees(node) for name in _mechanisms[body])
    return tuple(found)


_mechanisms: WeakKeyDictionary[Cost, tuple[str, ...]] = WeakKeyDictionary()
