"""The names of one function body: their versions so far, and those of the functions around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dp_lsp import surface
from dp_lsp.core.term import Local
from dp_lsp.lower import problems
from dp_lsp.lower.effects import Effects, Known
from dp_lsp.lower.ownership import NOWHERE, OUTSIDE, Memory, Ownership
from dp_lsp.lower.survey import Survey
from dp_lsp.problem import Problem, Related


class Unreadable(NamedTuple):
    """A name that has no value here, and why; the problem has been found."""

    problem: Problem


class Scope:
    """What the names of a body stand for, at the place that is being lowered.

    ``now`` are the versions of names; ``lost`` says of names that only some ways through the code give a value where
    they do; ``fixed`` are parameters and the indices of loops; ``captured`` are the names of outer functions that are
    read here; ``making`` names the function of this scope whose methods are being lowered.
    """

    def __init__(self, outer: Scope | None, known: Known) -> None:
        self.outer = outer
        self.now: dict[str, Local] = {}
        self.lost: dict[str, str] = {}
        self.fixed: set[str] = set()
        self.captured: set[str] = set()
        self.making = ""
        self.ownership = Ownership()
        self.survey = Survey(surface.Block(0, 0, ()), known)
        self.effects: dict[Local, Effects] = {} if outer is None else outer.effects
        """What calls of the functions made in this body, or around it, do."""

    def has(self, name: str) -> bool:
        """Whether a name is local here, or to a function around this one."""
        return any(scope.owns(name) for scope in self._outwards())

    def owns(self, name: str) -> bool:
        """Whether a name is local to this very body: what is assigned anywhere in it is local everywhere in it."""
        return name in self.now or name in self.lost or any(self.survey.definitions(name))

    def owner(self, name: str) -> Scope | None:
        """The innermost scope that a name is local to."""
        return next((scope for scope in self._outwards() if scope.owns(name)), None)

    def _outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def read(self, node: surface.Name) -> Local | Unreadable | None:
        """What a name stands for here; None for one that is local nowhere."""
        owner = self.owner(node.name)
        if owner is None:
            return None
        found = owner._version(node, inside=owner is not self)
        if isinstance(found, Local):
            for scope in self._outwards():
                if scope is owner:
                    break
                scope.captured.add(node.name)
        return found

    def _version(self, node: surface.Name, inside: bool) -> Local | Unreadable:
        name = node.name
        local = self.now.get(name)
        if local is not None and not inside:
            return local
        writes = list(self.survey.known_writes(name))
        if inside and name == self.making:
            return Unreadable(problems.CallCycle.at(node.span, name=name, way="directly"))
        if local is None:
            if name not in self.lost and all(write.end > node.start for write in writes):
                related = (Related(f"`{name}` is {writes[0].how.value} here", writes[0].span),)
                return Unreadable(problems.UsedBeforeDefined.at(node.span, name=name, related=related))
            where = self.lost.get(name, "another part of the function")
            return Unreadable(problems.MaybeUndefined.at(node.span, name=name, where=where))
        if inside and len(writes) + (name in self.fixed) > 1:
            related = (Related(f"`{name}` is {writes[-1].how.value} again here", writes[-1].span),)
            return Unreadable(problems.CapturedVariable.at(node.span, name=name, related=related))
        return local

    def memory(self, name: str) -> Memory:
        """What may be changed in place that a name reaches. A name of a function around this one reaches what is not
        ours; top-level values cannot be changed."""
        if self.owns(name):
            return self.ownership.of(name).memory
        return OUTSIDE if self.has(name) else NOWHERE

    def captured_memory(self) -> Memory:
        """What the function of this scope may reach of the one around it."""
        assert self.outer is not None, "only a function inside another captures"
        return NOWHERE.union(*(self.outer.memory(name) for name in self.captured))
