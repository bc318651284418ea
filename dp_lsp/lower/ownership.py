"""Who stands for which value in memory: what an in-place change of one name does to another.

Numbers and vectors are never changed in place, so only changes ask. A value that a builtin returns is new, unless its
row says that it passes an argument on, or shares the arrays of a gradient with it. Binding a name to another shares its
value. A call of a function of the program may return any of its arguments, or what the function has captured; a
function value stands for all it has captured.

The memory of a name holds every object that can be reached from it. Two names that may reach one object have memory in
common: this is what every rule here keeps, also after a choice and after any number of rounds of a loop.

What a call does besides giving a value is said by its :class:`Aliasing`: which of those it is given it changes in
place, which its result may be, or hold, and whether it releases something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import count

from dp_lsp.core.term import Method
from dp_lsp.named import NamedTuple

Memory = frozenset[int]

NOWHERE: Memory = frozenset()
OUTSIDE: Memory = frozenset((0,))
"""What the functions around this one own."""


class Provenance(Enum):
    """How a name came by what it stands for."""

    NAME = "name"
    PART = "part"
    TAKEN_APART = "taken apart"
    CALL = "call"
    CHOICE = "choice"
    COPY = "copy"


class Holding(NamedTuple):
    """What a name stands for, and how it came by it."""

    memory: Memory
    origin: Provenance = Provenance.NAME


_NOTHING = Holding(NOWHERE)
Holdings = Mapping[str, Holding]


class Ownership:
    """The memory of each name in scope, and the memory that belongs to others: to the caller or to a function
    around this one. ``changed`` is all memory that was changed in place so far."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._of: dict[str, Holding] = {}
        self._parameters: dict[str, Memory] = {}
        self.foreign: Memory = OUTSIDE
        self.models: Memory = NOWHERE
        """What is no gradient, but a model: a copy of it shares nothing with it."""
        self.changed: Memory = NOWHERE

    def fresh(self) -> Memory:
        """Memory that nothing else stands for."""
        return frozenset((next(self._numbers),))

    def bind(self, name: str, holding: Holding) -> None:
        """A name stands for something else from here on."""
        self._of[name] = holding

    def bind_parameter(self, name: str, changeable: bool, model: bool) -> None:
        """A parameter; what is not changeable by its type has no memory to ask about."""
        memory = self.fresh() if changeable else NOWHERE
        self.foreign |= memory
        self.models |= memory if model else NOWHERE
        self._of[name] = Holding(memory)
        self._parameters[name] = memory

    def given(self, name: str) -> Memory:
        """What was given for a parameter, if it can be changed."""
        return self._parameters.get(name, NOWHERE)

    def of(self, name: str) -> Holding:
        """What a name stands for; one without a value stands for nothing that can be changed."""
        return self._of.get(name, _NOTHING)

    def sharing(self, name: str) -> Iterator[str]:
        """The other names that stand for the same value, or share something with it."""
        memory = self.of(name).memory
        return (other for other, held in self._of.items() if other != name and held.memory & memory)

    def is_parameter(self, name: str) -> bool:
        """Whether a name still stands for the argument that was given for it."""
        return name in self._parameters and self.of(name).memory == self._parameters[name]

    def is_foreign(self, name: str) -> bool:
        """Whether the value may belong to the caller or to a function around this one."""
        return bool(self.of(name).memory & self.foreign)

    def change(self, name: str) -> None:
        """What a name stands for is changed in place."""
        self.changed |= self.of(name).memory

    def snapshot(self) -> dict[str, Holding]:
        """What all names stand for now, to be restored where another branch begins."""
        return dict(self._of)

    def restore(self, snapshot: Holdings) -> None:
        """Let all names stand again for what they stood for."""
        self._of = dict(snapshot)

    def join(self, others: Iterable[Holdings]) -> None:
        """After a choice a name may stand for what any branch left it with."""
        for other in others:
            for name, holding in other.items():
                known = self._of.get(name)
                if known is None or known == holding:
                    self._of[name] = holding
                else:
                    self._of[name] = Holding(known.memory | holding.memory, Provenance.CHOICE)

    def before_rounds(self, carried: Iterable[str]) -> dict[str, Holding]:
        """What each name stands for before a loop. What it carries from round to round is told apart, even where it
        is nothing that could be changed."""
        for name in carried:
            if not self._of[name].memory:
                self._of[name] = Holding(self.fresh())
        return self.snapshot()

    def after_rounds(self, carried: Iterable[str], before: Holdings) -> dict[str, Holding]:
        """What the carried names may stand for after any number of rounds of a loop, the names now standing for what
        one round leaves them with.

        What a name stands for after a round is new, or is what some names stood for before it. So a name that took
        something of what another had at the start may have, after more rounds, whatever that other may have."""
        found = {name: self.of(name).memory | before[name].memory for name in carried}
        growing = True
        while growing:
            growing = False
            for name, memory in found.items():
                reached = memory.union(*(found[other] for other in found if memory & before[other].memory))
                growing = growing or reached != memory
                found[name] = reached
        return {
            name: before[name] if memory == before[name].memory else Holding(memory, Provenance.CHOICE)
            for name, memory in found.items()
        }

    def shuffled(self, after: Holdings, before: Holdings, changed: Memory) -> tuple[str, str] | None:
        """A name that more rounds of a loop let share something that they change in place with another name, or with
        what is foreign, and that other name; it is empty for what is foreign."""
        spread = changed.union(*(held.memory for name, held in after.items() if changed & before[name].memory))
        foreign = Holding(self.foreign)
        starts, ends = {**before, "": foreign}, {**before, **after, "": foreign}
        for name, holding in after.items():
            for other, held in ends.items():
                known = before[name].memory & starts[other].memory  # was told where it is changed
                if other != name and holding.memory & held.memory & spread - known:
                    return name, other
        return None


class MethodAliasing(NamedTuple):
    """What a call of a method with ``arity`` parameters does, by their positions: those it changes, and those that its
    result may be, or hold; ``captured`` says whether that is so of what the function has captured. ``releases`` says
    that it is declared to be private."""

    arity: int
    changes: tuple[int, ...]
    passes: tuple[int, ...]
    captured: bool
    releases: bool = False


class Aliasing(NamedTuple):
    """What a call of a function does: one effect for each of its methods."""

    methods: tuple[MethodAliasing, ...]

    def changes(self, count: int) -> tuple[int, ...] | None:
        """The positions that a call with so many arguments changes; None if that depends on the method."""
        found = {method.changes for method in self.methods if method.arity == count}
        return None if len(found) > 1 else next(iter(found), ())

    def passes(self, count: int) -> frozenset[int]:
        """The positions of the arguments that the result of a call may be, or hold."""
        found = [frozenset(method.passes) for method in self.methods if method.arity == count]
        return frozenset[int]().union(*found) if found else frozenset(range(count))

    @property
    def captured(self) -> bool:
        """Whether the result of a call may be, or hold, what the function has captured."""
        return any(method.captured for method in self.methods)

    @property
    def change_something(self) -> bool:
        """Whether a call changes one of its arguments."""
        return any(method.changes for method in self.methods)

    @property
    def releases(self) -> bool:
        """Whether a call may release something."""
        return any(method.releases for method in self.methods)

    def joined(self, other: Aliasing | None) -> Aliasing:
        """Those of the methods of both."""
        return self if other is None else combined({*self.methods, *other.methods})


Known = Mapping[str, Aliasing]
"""What is known of functions, by name. Of others the result may be any of the arguments, and they change nothing."""


def combined(methods: Iterable[MethodAliasing]) -> Aliasing:
    """The effects of a function with these methods."""
    return Aliasing(tuple(sorted(methods)))


def aliasing(methods: Iterable[Method]) -> Aliasing | None:
    """What a call of a function with these methods does; None if there are none."""
    found = {
        MethodAliasing(
            count,
            tuple(place for place in method.changes if place < count),
            tuple(place for place in method.passes if place < count),
            method.passes_captured,
            method.privacy,
        )
        for method in methods
        for count in range(_needed(method), _placed(method) + 1)
    }
    return combined(found) if found else None


def _placed(method: Method) -> int:
    """How many parameters have a position. What is given by name may always be passed on."""
    return sum(not param.by_name for param in method.params)


def _needed(method: Method) -> int:
    """How many of them no call leaves out."""
    return sum(not param.by_name and param.default is None for param in method.params)
