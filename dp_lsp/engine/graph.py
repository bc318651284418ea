"""Which file includes which, and so which projects there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from dp_lsp import frontends
from dp_lsp.analysis.loading import Text


def may_include(name: str, text: Text) -> bool:
    """Whether it is worth looking for what a file includes."""
    return text.problem is None and frontends.of(name, text.language).syntax.may_include(text.content)


class Graph:
    """Some files and all they include. ``includes`` tells the files that a file includes directly."""

    def __init__(self, files: Iterable[str], includes: Callable[[str], Iterable[str]]) -> None:
        self._files = sorted(files)
        self.included: dict[str, tuple[str, ...]] = {}
        """What each file includes directly."""
        pending = list(self._files)
        while pending:
            name = pending.pop()
            if name not in self.included:
                self.included[name] = tuple(dict.fromkeys(includes(name)))
                pending += self.included[name]

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The files that no other one includes, each the root of a project. Of files that include each other in a
        ring, and that no project has, the first is one too."""
        targets = {name for names in self.included.values() for name in names}
        roots = [name for name in self._files if name not in targets]
        reached = set(self._reached(roots))
        for name in self._files:
            if name not in reached:
                roots.append(name)
                reached.update(self._reached([name]))
        return tuple(roots)

    @cached_property
    def projects(self) -> dict[str, frozenset[str]]:
        """The files of each project, by its root."""
        return {root: frozenset(self._reached([root])) for root in self.roots}

    def reached(self, root: str) -> frozenset[str]:
        """A file and all that it includes, whether it is a root or not."""
        return self.projects.get(root) or frozenset(self._reached([root]))

    def roots_of(self, files: Iterable[str]) -> list[str]:
        """The roots of all projects that one of these files is part of, in order."""
        return sorted({root for file in files for root in self._roots_by_file.get(file, ())})

    @cached_property
    def _roots_by_file(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for root, files in self.projects.items():
            for file in files:
                found.setdefault(file, []).append(root)
        return found

    def _reached(self, names: list[str]) -> Iterator[str]:
        pending, seen = list(names), set(names)
        while pending:
            yield (name := pending.pop())
            fresh = [target for target in self.included[name] if target not in seen]
            seen.update(fresh)
            pending += fresh
