"""A module of a project as it was checked, and what of it must be so again in the next version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dp_lsp.analysis.records import Options
from dp_lsp.core.term import Definition
from dp_lsp.engine.baseline import Allowance
from dp_lsp.engine.premises import Meaning
from dp_lsp.engine.program import Program
from dp_lsp.engine.task import Known, Task
from dp_lsp.lower.definitions import Lowered

if TYPE_CHECKING:
    from dp_lsp.accounting.guarantee import Guarantee


class Module:
    """The units of a program and what is known of them so far, by their index. They become known in the order of
    ``cycles``, which has the names on the way of each back to itself, with the options they are checked with, and the
    answers of distributions that count."""

    def __init__(self, program: Program, cycles: dict[int, frozenset[str]]) -> None:
        self.program = program
        self.cycles = cycles
        self.options: dict[int, Options] = {}
        self.answers: dict[int, Mapping[str, Guarantee]] = {}
        self.known: dict[int, Known] = {}
        self._meanings: dict[str, list[Meaning]] = {}

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """All definitions, in the order in which their chunks became known."""
        return tuple(each for at in self.known for each in self.program.units[at].lowered.definitions)

    def task(self, index: int, look: Callable[[], None]) -> Task:
        """Inferring a unit, with what the names it uses mean."""
        task = Task(self.program, index, self.options[index], self._meanings, self.cycles[index], look)
        task.answers = self.answers.get(index, task.answers)
        return task

    def add(self, index: int, known: Known) -> None:
        """This is known of a unit."""
        self.known[index] = known
        for name, meaning in known.meanings:
            self._meanings.setdefault(name, []).append(meaning)


NOTHING = Module(Program((), {}), {})
"""What was known before the first check."""


class Carried:
    """What a module takes over from the version before, because it depends on no difference between the two.

    What is known of a unit depends on its text, its options, and what the names that it mentions stand for. So it is
    taken over if the unit is there unchanged, and none of these names is *in doubt*: not defined by anything that came,
    went or changed, nor by several units, nor by a unit of which something else is known than before. All others are
    looked up by their keys, as if there were no version before. Nothing is taken over where there are cycles: there the
    order of the units matters."""

    def __init__(self, before: Module, now: Program, allowed: Sequence[Allowance]) -> None:
        order = before.cycles if _is_same_shape(before.program, now) else dict(now.order())
        self.module = Module(now, order)
        self._allowed = allowed
        self._before = before
        self._places: dict[int, int] = {}  # the index of each unit in the version before, by its lowered text
        self._doubtful: set[str] = set()
        if before.program.clouds == now.clouds and not any(before.cycles.values()) and not any(order.values()):
            self._places = {id(unit.lowered): index for index, unit in enumerate(before.program.given)}
            self._doubt(before.program, now)

    def known(self, index: int) -> Known | None:
        """What is known of a unit, if that must be what was known before; then the unit is final. Answers of
        distributions may have come since, which is not looked at."""
        program = self.module.program
        unit = program.units[index]
        options = self.module.options[index] = self._allowed[index].options(unit.chunk.text)
        place = self._places.get(id(unit.lowered))
        if place is None or not unit.mentions.isdisjoint(self._doubtful):
            return None
        old = self._before.program.units[place]
        if old.problems != unit.problems or self._before.options[place] != options:
            return None
        if old.lowered is not unit.lowered:  # it was lowered again, with what others do
            if not old.mentions <= unit.mentions:
                return None
            program.units[index] = old._replace(chunk=unit.chunk)
        return self._before.known[place]

    def add(self, index: int, known: Known) -> None:
        """This is known of a unit, taken over or found out."""
        place = self._places.get(id(self.module.program.given[index].lowered))
        if place is None or self._before.known[place] is not known:
            self._doubtful.update(name for name, _ in known.meanings)
        self._allowed[index].spend(known.record.verdict.excused)
        self.module.add(index, known)

    def _doubt(self, before: Program, now: Program) -> None:
        """Names whose definitions are others than before, and those that have several."""
        present = {id(unit.lowered) for unit in now.given}
        changed = [unit.lowered for unit in now.given if id(unit.lowered) not in self._places]
        changed += [unit.lowered for unit in before.given if id(unit.lowered) not in present]
        self._doubtful.update(each.name for lowered in changed for each in lowered.definitions)
        self._doubtful.update(before.defined_often, now.defined_often)


def _is_same_shape(before: Program, now: Program) -> bool:
    """Whether the units define and use the same names one after the other, so that their order is the same."""
    if len(before.given) != len(now.given):
        return False
    pairs = ((one.lowered, other.lowered) for one, other in zip(before.given, now.given, strict=True))
    return all(one is other or _shape(one) == _shape(other) for one, other in pairs)


def _shape(lowered: Lowered) -> list[tuple[str, frozenset[str]]]:
    return [(each.name, each.uses) for each in lowered.definitions]
