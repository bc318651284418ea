"""What a top-level name means to those who use it, as a digest: equal digests, equal meaning.

A meaning is written down by its fields (:mod:`dp_lsp.core.digest`). A tree of events is written down by itself, and a
call says what is put for those symbols and variables that it leaves open; a chain of calls costs what its links do.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import time_ns
from typing import NamedTuple
from weakref import WeakKeyDictionary

from dp_lsp.core.algebra import NormVariable, Symbol
from dp_lsp.core.digest import SIZE, Way, Ways, Writer, hashed, of_fields
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import Answer, Called, Cost, Distances, Opaque, Var, known_of
from dp_lsp.core.scheme import FunctionValue
from dp_lsp.core.sens import ONE

_DEEPEST = 100  # functions inside functions
_Open = Var | Opaque | NormVariable | Symbol


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
        places = {var: {var: ONE} for var in answer.params}
        return f"{self.write(answer.params)} {self._applied(answer.body, answer.values, places, {})}"

    def _applied(
        self,
        body: Cost,
        values: Substitution,
        along: Mapping[Var, Distances],
        answers: Mapping[Opaque, Answer | Opaque],
    ) -> str:
        """The tree of a callee, and what is put there for all that it does not settle itself."""
        tree = known_of(body, _trees, _tree)
        put: list[object] = []
        for thing in tree.open:
            match thing:
                case Var():
                    put.append(along.get(thing, {}))
                case Opaque():
                    put.append(answers.get(thing, thing))
                case NormVariable():
                    put.append(values.norm(thing))
                case Symbol():
                    put.append(values.symbols.get(thing, thing))
        return f"called {tree.digest}({self.each(put)})"


_fields_of_function = of_fields(FunctionValue)

WAYS: dict[type, Way] = {Called: Meanings.called, Answer: Meanings.answer, FunctionValue: Meanings.function}
"""How that is written of which more is to say than what its fields are."""

Meanings.ways = Ways(WAYS)
