"""What a call does besides giving a value: which of those it is given it changes in place, which its result may be, or
hold, and whether it releases something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dp_lsp.core.term import Method


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
