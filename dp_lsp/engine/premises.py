"""What is known of a unit is made of its premises, and of nothing else; so their digest is the key of its record. What
a top-level name means to those who use it is a digest, too: equal digests, equal meaning.

A meaning is written down by its fields (:mod:`dp_lsp.core.digest`). A tree of events is written down by itself, and a
call says what is put for those symbols and variables that it leaves open; a chain of calls costs what its links do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from time import time_ns
from weakref import WeakKeyDictionary

from dp_lsp import __version__
from dp_lsp.analysis.records import KEY, Options
from dp_lsp.core.algebra import NormVariable, Symbol
from dp_lsp.core.digest import SIZE, Way, Ways, Writer, hashed, of_fields
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import Answer, Called, Cost, Distances, EffectVariable, Var, known_of
from dp_lsp.core.scheme import FunctionValue
from dp_lsp.core.sens import ONE
from dp_lsp.core.term import Definition
from dp_lsp.core.values import same_by_digest, undigested
from dp_lsp.engine.program import InferenceUnit, may_use
from dp_lsp.infer.context import Global, UnknownGlobal
from dp_lsp.later import Later
from dp_lsp.lower.definitions import Conflict
from dp_lsp.named import NamedTuple

_DEEPEST = 100  # functions inside functions
_Open = Var | EffectVariable | NormVariable | Symbol


def digest(value: object, size: int = SIZE) -> bytes:
    """The digest of a meaning, or of anything else that is made of values with fields, of so many bytes."""
    return hashed(Meanings().write(value), size)


class _Tree(NamedTuple):
    """A tree of events, written down by itself: its digest, and what it leaves open, in the order of its numbers."""

    digest: str
    open: tuple[_Open, ...]


_trees: WeakKeyDictionary[Cost, _Tree] = WeakKeyDictionary()


def _tree(cost: Cost) -> _Tree:
    writer = Meanings()
    text = writer.write(cost)
    return _Tree(hashed(text).hex(), tuple(thing for thing in writer.numbers if isinstance(thing, _Open)))


class Meanings(Writer):
    """Writes meanings down."""

    def __init__(self) -> None:
        super().__init__()
        self._nested = 0

    def function(self, value: FunctionValue) -> str:
        """A function. One that is made of too many others is written as it is never met again."""
        if self._nested > _DEEPEST:
            return f"{time_ns()} {id(value)}"
        self._nested += 1
        text = _fields_of_function(self, value)
        self._nested -= 1
        return f"{text} inside {value.home is not None}"

    def called(self, cost: Called) -> str:
        """A call, which is told by what it comes to."""
        return self.numbered(cost, lambda _, __: self._applied(cost.body, cost.values, cost.along, cost.answers))

    def answer(self, answer: Answer) -> str:
        """What an awaited call turned out to cost, with each of its parameters at a distance of 1."""
        places = {var: {var: ONE} for var in answer.params}
        return f"{self.write(answer.params)} {self._applied(answer.body, answer.values, places, {})}"

    def _applied(
        self,
        body: Cost,
        values: Substitution,
        along: Mapping[Var, Distances],
        answers: Mapping[EffectVariable, Answer | EffectVariable],
    ) -> str:
        """The tree of a callee, and what is put there for all that it does not settle itself."""
        tree = known_of(body, _trees, _tree)
        put: list[object] = []
        for thing in tree.open:
            match thing:
                case Var():
                    put.append(along.get(thing, {}))
                case EffectVariable():
                    put.append(answers.get(thing, thing))
                case NormVariable():
                    put.append(values.norm(thing))
                case Symbol():
                    put.append(values.symbols.get(thing, thing))
        return f"called {tree.digest}({self.each(put)})"


_fields_of_function = of_fields(FunctionValue)

WAYS: dict[type, Way] = {
    Called: Meanings.called,
    Answer: Meanings.answer,
    FunctionValue: Meanings.function,
    Later: lambda writer, later: writer.write(later.value),
}
"""How that is written of which more is to say than what its fields are."""

Meanings.ways = Ways(WAYS)


@same_by_digest
@undigested(_value="its digest tells of it, also where it is not there")
class Meaning:
    """What a name stands for, and a digest of it, which is made when somebody uses the name. Of one that was found out
    by another process, and that nobody has asked for since, there is nothing but the digest."""

    __slots__ = ("_value", "digest")

    def __init__(self, value: Global | UnknownGlobal | None, digest: Later[bytes]) -> None:
        self._value = value
        self.digest = digest

    @classmethod
    def of(cls, value: Global | UnknownGlobal) -> Meaning:
        """The meaning that has this value."""
        return cls(value, Later(partial(digest, value)))

    @property
    def is_there(self) -> bool:
        """Whether there is a value."""
        return self._value is not None

    @property
    def value(self) -> Global | UnknownGlobal:
        """The value, which must be there."""
        assert self._value is not None, "what is built on a meaning has it found out"
        return self._value

    def find(self, value: Global | UnknownGlobal) -> None:
        """The value was found out, again."""
        self._value = value


class NamedMeaning(NamedTuple):
    """What a top-level name is in a module: why its meaning cannot be read off, why its definitions contradict each
    other, and whether there is just one. ``is_around`` says that it is on the way of the unit back to itself;
    ``meanings`` are those of its definitions in other units, as far as they are known."""

    cloud: str | None
    conflict: Conflict | None
    is_alone: bool
    is_around: bool
    meanings: tuple[Meaning, ...]


class Premises(NamedTuple):
    """What a unit is inferred from: this program, the options, its text, and all names that it defines or uses.
    ``cloud`` says why no name can be trusted, or is empty; ``trusted`` are the modules of others that are taken to give
    no name another meaning, and ``moved`` the names of several values that are taken to have their last ones."""

    version: str
    options: Options
    text: str
    unit: InferenceUnit
    cloud: str
    trusted: tuple[str, ...]
    moved: tuple[str, ...]
    names: Mapping[str, NamedMeaning]

    @classmethod
    def of(
        cls,
        cloud: str,
        taken: tuple[tuple[str, ...], tuple[str, ...]],
        unit: InferenceUnit,
        options: Options,
        names: Mapping[str, NamedMeaning],
    ) -> Premises:
        """Those of a unit with these names. ``taken`` for granted are the modules that are trusted, and the names that
        have moved."""
        return cls(__version__, options, unit.chunk.whole, unit, cloud, *taken, names)

    def key(self) -> bytes:
        """What is known of the unit is remembered under it."""
        return digest(self, KEY)


def names_of(
    unit: InferenceUnit,
    named: Mapping[str, NamedMeaning],
    meanings: Mapping[str, Sequence[tuple[Definition, Meaning]]],
    around: frozenset[str],
) -> dict[str, NamedMeaning]:
    """What the names are that a unit mentions, of which those ``around`` are on its way back to itself. ``named`` is
    what names are to units that do not define them, and ``meanings`` are those of their definitions."""
    names = {name: named[name] for name in unit.mentions}
    for name in around.intersection(names):
        names[name] = names[name]._replace(is_around=True)
    for definition in unit.lowered.definitions:
        name = definition.name
        if names[name].meanings:  # of its own name it may mean some other definitions, or none
            own = [may_use(each, name) for each in unit.lowered.definitions if each.name == name]
            known = meanings[name] if name in unit.uses else ()
            found = tuple(meaning for each, meaning in known if any(may_call(each) for may_call in own))
            names[name] = names[name]._replace(meanings=found)
    return names
