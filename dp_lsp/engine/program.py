"""The names of a module: who defines them, who uses them, and in which order they are inferred."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dp_lsp.core.term import Constant, Definition, Method
from dp_lsp.lower.definitions import Lowered
from dp_lsp.lower.facts import EVERYTHING
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk


class Unit(NamedTuple):
    """A chunk after parsing and lowering. ``broken`` says what of it was not understood, or is empty; ``problems``
    are those that come from what stands around it or is included in it."""

    chunk: Chunk
    lowered: Lowered
    broken: str
    problems: tuple[Problem, ...] = ()


class Program:
    """All units of a module, of whatever files, by the names they define.

    ``clouds`` are names whose meaning cannot be read off, with the reason. They are those of all modules of a
    project: what runs in one may reach into another.
    """

    def __init__(self, units: tuple[Unit, ...], clouds: Mapping[str, str]) -> None:
        self.units = units
        self.clouds = clouds
        self.definers: dict[str, list[int]] = {}
        self._definitions: dict[str, list[Definition]] = {}
        self._conflicts: dict[str, str] = {}
        for index, unit in enumerate(units):
            for definition in unit.lowered.definitions:
                self.definers.setdefault(definition.name, []).append(index)
                self._definitions.setdefault(definition.name, []).append(definition)

    @property
    def cloud(self) -> str:
        """Why no name can be trusted, or empty."""
        return self.clouds.get(EVERYTHING, "")

    def definitions(self, name: str) -> list[Definition]:
        """Every definition of a name, in order."""
        return self._definitions.get(name, [])

    def conflict(self, name: str) -> str:
        """Why the definitions of a name contradict each other, or empty."""
        known = self._conflicts.get(name)
        if known is None:
            known = self._conflicts[name] = _conflict(self.definitions(name))
        return known

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
                for target in self.definers.get(name, ()):
                    if target != index:
                        yield target, name


def _conflict(found: list[Definition]) -> str:
    if len(found) < 2:
        return ""
    if any(isinstance(definition, Constant) for definition in found):
        return "a top-level value is assigned once, and its name is not that of a function"
    boxes = any(isinstance(definition, Method) and definition.body is None for definition in found)
    return "a black box has one method" if boxes else ""
