"""Who stands for which value in memory: what an in-place change of one name does to another.

Numbers and vectors are never changed in place, so only the ``!`` forms ask. A value that a builtin returns is new.
Binding a name to another shares its value; a call of a function of the program may return any of its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count

Memory = frozenset[int]

NOWHERE: Memory = frozenset()


class Ownership:
    """The memory of each name in scope, and the memory that belongs to the caller."""

    def __init__(self) -> None:
        self._numbers = count()
        self._of: dict[str, Memory] = {}
        self._callers: Memory = NOWHERE

    def fresh(self) -> Memory:
        """Memory that nothing else stands for."""
        return frozenset((next(self._numbers),))

    def bind(self, name: str, memory: Memory) -> None:
        self._of[name] = memory

    def bind_parameter(self, name: str) -> None:
        memory = self.fresh()
        self._callers |= memory
        self._of[name] = memory

    def of(self, name: str) -> Memory:
        return self._of.get(name, NOWHERE)

    def sharing(self, name: str) -> str | None:
        """Another name that stands for the same value, if there is one."""
        memory = self.of(name)
        return next((other for other, held in self._of.items() if other != name and held & memory), None)

    def is_callers(self, name: str) -> bool:
        """Whether the value may belong to the caller."""
        return bool(self.of(name) & self._callers)

    def snapshot(self) -> dict[str, Memory]:
        return dict(self._of)

    def restore(self, snapshot: Mapping[str, Memory]) -> None:
        self._of = dict(snapshot)

    def join(self, others: Iterable[Mapping[str, Memory]]) -> None:
        """After a choice a name may stand for what any branch left it with."""
        for other in others:
            for name, memory in other.items():
                self._of[name] = self.of(name) | memory

    def moved_around(self, carried: Iterable[str], before: Mapping[str, Memory]) -> tuple[str, str] | None:
        """A name that, after a round of a loop, stands for what another name stood for, and that name."""
        for name in carried:
            now = self.of(name)
            for other, held in before.items():
                shared = before.get(name, NOWHERE) & held  # from before the loop: told where it is changed
                if other != name and not shared and now & (held | self.of(other)):
                    return name, other
        return None
