"""The names of a module: who defines them, who uses them, and in which order they are inferred.

Names at top level that get several values, one after the other, where the language says that each is what the name
stands for from there on.

A function reads the value that a name has when it is called, so what is said of a function holds with the last values.
That is right for all calls that there are if none comes before: no statement up to where a name gets its last value,
and no header of a function, may mention a function that reads the name, by way of others, too; and no value may be made
of one that the name had before. A name that always gets the same number is told by that alone.

What the names of a file are called in a project whose files have names of their own.

What a module defines is called by its path and its name there, ``helpers.noisy``; what the first file defines keeps its
name. A name that a file takes out of a module is what that calls it, however many modules it passed through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count

from dp_lsp.analysis.records import NO_NAMES
from dp_lsp.core.annotation import TupleOf
from dp_lsp.core.digest import Writer
from dp_lsp.core.term import Constant, Definition, Method, argument_count, own_calls, renamed
from dp_lsp.core.values import same_by_digest, undigested
from dp_lsp.language import Semantics
from dp_lsp.later import Later
from dp_lsp.lower.definitions import Conflict, Lowered, conflict
from dp_lsp.lower.facts import EVERYTHING
from dp_lsp.lower.ownership import Aliasing, aliasing
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk, Remark

_ANOTHER = " (not imported)"
_MOST = 50  # modules that a name passes through


@same_by_digest
class Scope(NamedTuple):
    """The path of a module, with a dot behind it, or nothing for the first file; what names mean that it has from
    others; what names of modules mean that these have from others; and how the paths of modules begin."""

    prefix: str = ""
    links: tuple[tuple[str, str], ...] = ()
    passed: tuple[tuple[str, str], ...] = ()
    paths: frozenset[str] = frozenset()

    def own(self, name: str) -> str:
        """The name of what the file itself defines."""
        return name if name == EVERYTHING else f"{self.prefix}{name}"


OWN = Scope()
"""That of a file which has its names for itself."""


class Meant:
    """What names of a file mean."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._links, self._passed = dict(scope.links), dict(scope.passed)

    def __call__(self, name: str) -> str:
        head, dot, rest = name.partition(".")
        linked = self._links.get(head)
        if linked is not None:
            return follow(f"{linked}{dot}{rest}", self._passed)
        another = dot and not self._scope.prefix and head in self._scope.paths  # a value of the file that is called so
        return f"{name}{_ANOTHER}" if another else self._scope.own(name)


def follow(name: str, passed: Mapping[str, str]) -> str:
    """The name of what a module has under this one, where that is."""
    for _ in range(_MOST):
        cuts = [at for at, letter in enumerate(name) if letter == "."]
        heads = (name[:cut] for cut in (len(name), *cuts[::-1]))
        head = next((each for each in heads if passed.get(each, each) != each), None)
        if head is None:
            break
        name = passed[head] + name[len(head) :]
    return name


def in_scope(lowered: Lowered, scope: Scope) -> Lowered:
    """What a chunk of a file is in a project."""
    meant = Meant(scope)
    paths = {linked.partition(".")[0] for _, linked in scope.links}
    reached = frozenset(f"{path}.{name}" for path in paths for name in lowered.mentions)
    return lowered._replace(
        definitions=tuple(renamed(each, meant, scope.own(each.name)) for each in lowered.definitions),
        clouded=tuple((scope.own(name), span, reason) for name, span, reason in lowered.clouded),
        given=tuple((scope.own(name), span) for name, span in lowered.given),
        imported=tuple(each._replace(name=scope.own(each.name)) for each in lowered.imported),
        mentions=frozenset(map(meant, lowered.mentions)).union(reached),
        changers=frozenset(map(meant, lowered.changers)),
        types=frozenset(map(scope.own, lowered.types)),
        built=frozenset(map(meant, lowered.built)),
        early=frozenset(map(meant, lowered.early)).union(reached if lowered.early else ()),
    )


class Moving(NamedTuple):
    """Names with several values. ``last`` are those of which the last one counts, with the place of its unit,
    ``changes`` those of them whose values differ, and ``doubtful`` the others, with the reason."""

    last: Mapping[str, int]
    changes: frozenset[str]
    doubtful: Mapping[str, str]


NONE = Moving({}, frozenset(), {})


def found_moving(units: Sequence[Lowered]) -> Moving:
    """What is known of the names that get several values in units, which are evaluated one after the other."""
    found: dict[str, list[tuple[int, Definition]]] = {}
    for index, unit in enumerate(units):
        for definition in unit.definitions:
            found.setdefault(definition.name, []).append((index, definition))
    several = {name: given for name, given in found.items() if len(given) > 1}
    if not several:
        return NONE
    mentions: dict[str, set[str]] = {}
    for name, given in found.items():
        mentions[name] = set[str]().union(*(units[index].mentions for index, _ in given))
    last, changes, doubtful = dict[str, int](), set[str](), dict[str, str]()
    for name, given in several.items():
        places = [index for index, _ in given]
        if len(set(places)) < len(places):
            continue
        if not _is_same(given):
            changes.add(name)
            why = _before(name, units[: places[-1] + 1], mentions)
            if why:
                doubtful[name] = why
                continue
        last[name] = places[-1]
    return Moving(last, frozenset(changes & last.keys()), doubtful)


def _is_same(given: Sequence[tuple[int, Definition]]) -> bool:
    """Whether all values of a name are made of numbers alone, and the same."""
    if not all(isinstance(each, Constant) and not each.uses for _, each in given):
        return False
    return len({Writer().write(each.term) for _, each in given if isinstance(each, Constant)}) == 1


def _before(name: str, units: Sequence[Lowered], mentions: Mapping[str, set[str]]) -> str:
    """Why a value that a name has before its last one counts for something; empty if none does."""
    if any(name in unit.built for unit in units):
        return "something at top level is made of a value that it has before the last one"
    reading = _reading(name, mentions)
    called = next((each for unit in units for each in sorted(unit.early & reading)), "")
    return f"`{called}`, which reads it, is used at top level before it has its last value" if called else ""


def _reading(name: str, mentions: Mapping[str, set[str]]) -> set[str]:
    """The names whose definitions mention a name, by way of others, too."""
    found, pending = set[str](), [name]
    while pending:
        current = pending.pop()
        new = {each for each, inside in mentions.items() if current in inside and each not in found and each != name}
        found |= new
        pending += new
    return found


Others = tuple[tuple[str, Aliasing | TupleOf], ...]
"""Names of functions and what calls of them do, and of structures and what these are, in a fixed order."""


@same_by_digest
@undigested(
    chunk="its text is a premise of its own; where it stands is no part of what is known of it",
    **dict.fromkeys(
        ("lowered", "broken", "syntax", "names", "remarks", "uses", "mentions"),
        "made of the text, `others` and `scope`",
    ),
)
class InferenceUnit(NamedTuple):
    """A chunk after parsing and lowering. ``broken`` says what of it was not understood, or is empty; ``problems``
    are those that come from what stands around it or is included in it, ``syntax`` those of the parser. ``others``
    is what was known of the functions of other units when it was lowered, ``names`` is where its names stand,
    ``remarks`` are the comments that speak to the checker, ``uses`` are the top-level names that its definitions use,
    and ``mentions`` also those that they define, in a fixed order. ``scope`` is what names of its file
    mean. From ``doubt`` on, a place in the chunk, it is not known what of the file is code."""

    chunk: Chunk
    lowered: Lowered
    broken: str
    syntax: tuple[Problem, ...]
    problems: tuple[Problem, ...] = ()
    others: Others = ()
    names: Later[bytes] = NO_NAMES
    remarks: tuple[Remark, ...] = ()
    uses: frozenset[str] = frozenset()
    mentions: tuple[str, ...] = ()
    doubt: int | None = None
    scope: Scope = OWN


def may_use(definition: Definition, name: str) -> Callable[[Definition], bool]:
    """Whether what a definition does with a name may be a call of one that has it. Of methods of its own name it calls
    those that take as many arguments.

    Source: the Julia manual, "Methods": a method is chosen by the number of arguments, and by their types."""
    counts = own_calls(definition) if definition.name == name else None
    return lambda other: counts is None or argument_count(other) in (None, *counts)


class Program:
    """All units of a module, of whatever files, by the names they define.

    ``given`` are the units as they were before any was lowered again. ``clouds`` are names whose meaning cannot be
    read off, with the reason. They are those of all modules of a project: what runs in one may reach into another.
    ``trusted`` are the modules of others that it loads and that are taken to give nothing another meaning, in order.
    ``apart`` are types that no value of the language has: a method that needs an argument of one is called for no such
    value, so to those who use its name the other methods are all that there are.
    """

    def __init__(
        self,
        units: tuple[InferenceUnit, ...],
        clouds: Mapping[str, str],
        semantics: Semantics,
        apart: frozenset[str] = frozenset(),
        trusted: tuple[str, ...] = (),
    ) -> None:
        self.trusted = trusted
        self._semantics = semantics
        self.apart = apart
        self.given = units
        self.units = list(units)
        self.clouds = clouds
        self.definers: dict[str, list[int]] = {}
        self._definitions: dict[str, list[tuple[int, Definition]]] = {}
        self._conflicts: dict[str, Conflict | None] = {}
        self.moving = found_moving([unit.lowered for unit in units]) if semantics.names_move else NONE
        self._changing: set[str] = set()  # functions that change a parameter
        self._structures: dict[str, TupleOf | None] = {}  # None for names of several
        position = count()
        for index, unit in enumerate(units):
            self.put(index, unit)
            for name, structure in unit.lowered.structures:
                self._structures[name] = None if name in self._structures else structure
            for definition in unit.lowered.definitions:
                self.definers.setdefault(definition.name, []).append(index)
                self._definitions.setdefault(definition.name, []).append((next(position), definition))
        self._mixed = frozenset(self._found_mixed()) if apart else frozenset()

    def _found_mixed(self) -> Iterator[str]:
        """The names of which some methods are called for values of the language, and others for none."""
        for name, found in self._definitions.items():
            if len(found) > 1 and len({self._is_apart(each) for _, each in found}) > 1:
                yield name

    def _is_apart(self, definition: Definition) -> bool:
        """Whether a method is called for no value of the language."""
        return isinstance(definition, Method) and not self.apart.isdisjoint(definition.needs)

    def counts(self, definition: Definition, index: int) -> bool:
        """Whether who uses its name may use a definition in a unit: all do, if none is called for a value of the
        language; but where a name moves from value to value it is the last one."""
        if self.moving.last.get(definition.name, index) != index:
            return False
        return definition.name not in self._mixed or not self._is_apart(definition)

    def moved(self, unit: InferenceUnit) -> tuple[str, ...]:
        """The names with several values that a unit reads, by way of others, too, in order."""
        if not self.moving.changes:
            return ()
        met, pending = set[str](), [*unit.uses]
        while pending:
            name = pending.pop()
            if name not in met:
                met.add(name)
                pending += (each for index in self.definers.get(name, ()) for each in self.units[index].uses)
        return tuple(sorted(met & self.moving.changes))

    def put(self, index: int, unit: InferenceUnit) -> None:
        """The unit is this one, as it is lowered now."""
        self.units[index] = unit
        self._changing.update(
            each.name for each in unit.lowered.definitions if isinstance(each, Method) and each.changes
        )

    @property
    def cloud(self) -> str:
        """Why no name can be trusted, or empty."""
        return self.clouds.get(EVERYTHING, "")

    def defined(self, name: str) -> tuple[Conflict | None, bool]:
        """Why the definitions of a name contradict each other, if they do, and whether there is just one."""
        found = self._definitions.get(name, [])
        if name in self.moving.last:
            return None, True
        if name in self._mixed:
            found = [each for each in found if not self._is_apart(each[1])]
        if len(found) < 2:
            return None, bool(found)
        if name not in self._conflicts:
            made = conflict(found, self._semantics, name in self._early)
            why = self.moving.doubtful.get(name)
            self._conflicts[name] = made if made is None or why is None else made._replace(why=why)
        return self._conflicts[name], False

    @cached_property
    def _early(self) -> set[str]:
        """The names that values at top level are made by, each of which is there before what stands behind it."""
        known = (each for found in self._definitions.values() for _, each in found)
        pending: list[Definition] = [each for each in known if isinstance(each, Constant)]
        met = set[str]()
        while pending:
            new = pending.pop().uses - met
            met |= new
            pending += (each for name in new for _, each in self._definitions.get(name, ()))
        return met

    def others(self, index: int) -> Others:
        """What a unit must be lowered with that was lowered without: what the functions of other units do, if it
        mentions one that changes a parameter, or if it was refused for not knowing. Those units are final."""
        unit = self.units[index]
        structures: Others = ()
        if not self._structures.keys().isdisjoint(unit.uses):
            named = ((name, self._structures[name]) for name in sorted(unit.uses & self._structures.keys()))
            structures = tuple((name, each) for name, each in named if each is not None)
        if not unit.lowered.cautious and self._changing.isdisjoint(unit.uses):
            return structures
        found = [(name, aliasing(self._methods(name, index))) for name in sorted(unit.uses & self.definers.keys())]
        known = tuple((name, each) for name, each in found if each is not None)
        counts = unit.lowered.cautious or any(each.change_something for _, each in known)
        return (*structures, *known) if counts else structures

    def _methods(self, name: str, besides: int) -> Iterator[Method]:
        for index in dict.fromkeys(self.definers.get(name, ())):
            for definition in self.units[index].lowered.definitions if index != besides else ():
                if isinstance(definition, Method) and definition.name == name:
                    yield definition

    def order(self) -> Iterator[tuple[int, frozenset[str]]]:
        """The units so that what a unit uses comes first, each with the names on the way back to itself."""
        done: set[int] = set()
        for start in range(len(self.units)):
            if start not in done:
                yield from self._from(start, done)

    def _from(self, start: int, done: set[int]) -> Iterator[tuple[int, frozenset[str]]]:
        path: dict[int, Iterator[tuple[int, str]]] = {start: self._edges(start)}
        cycles: dict[int, set[str]] = {}
        while path:
            current = next(reversed(path))
            for target, name in path[current]:
                if target in path:
                    cycles.setdefault(current, set()).add(name)
                elif target not in done:
                    path[target] = self._edges(target)
                    break
            else:
                del path[current]
                done.add(current)
                yield current, frozenset(cycles.get(current, ()))

    def _edges(self, index: int) -> Iterator[tuple[int, str]]:
        for definition in self.units[index].lowered.definitions:
            for name in sorted(definition.uses):
                for target in self.reached(definition, name):
                    if target != index:
                        yield target, name

    def reached(self, definition: Definition, name: str) -> Iterator[int]:
        """The units in which what a definition means by a name is defined."""
        others = name != definition.name and name not in self._mixed and name not in self.moving.last
        may_call = may_use(definition, name)
        for target in self.definers.get(name, ()):
            if others or any(self.counts(each, target) and may_call(each) for each in self._of(name, target)):
                yield target

    def _of(self, name: str, index: int) -> Iterator[Definition]:
        return (each for each in self.units[index].lowered.definitions if each.name == name)
