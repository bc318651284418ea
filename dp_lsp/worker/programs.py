"""Which programs the open documents belong to, and checking those that an edit concerns."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from dp_lsp.analysis.loading import Text
from dp_lsp.analysis.records import Analysis
from dp_lsp.analysis.staleness import links
from dp_lsp.analysis.workspace import ClosedFile, text_digest
from dp_lsp.disk.loader import Disk
from dp_lsp.disk.reading import by_folder
from dp_lsp.engine.check import Engine
from dp_lsp.engine.graph import Graph
from dp_lsp.engine.merge import together

MOST_FILES, MOST_FOLDERS = 10_000, 50_000
"""What is looked at below the folders of an editor, to see which files include which."""

_log = logging.getLogger(__name__)

CheckProject = Callable[[Engine, str, Disk, int], dict[str, Analysis]]
"""Checks a project with an engine: its root, its files, and how many characters those have that are not open."""


class Open(NamedTuple):
    """An open document: its name in a check, its revision and its text."""

    file: str
    revision: int
    text: Text


class Result(NamedTuple):
    """The analyses of open documents, and the programs that these are parts of, by the names of their files."""

    checked: dict[str, Analysis]
    programs: tuple[tuple[str, ...], ...]
    closed: dict[str, ClosedFile]


class _Listing:
    """The Julia files below some folders, found bit by bit, so that it can be interrupted."""

    def __init__(self, folders: tuple[str, ...]) -> None:
        self._batches = chain.from_iterable(map(by_folder, folders))
        self._found: dict[str, str] = {}  # by the file that they are, or are links to
        self._entered = 0

    def finish(self, look: Callable[[], None]) -> Iterable[str]:
        """All files; goes on where it was interrupted by what ``look`` raised."""
        for batch in self._batches:
            self._entered += 1
            for file in batch:
                self._found.setdefault(os.path.realpath(file), file)
            if self._entered == MOST_FOLDERS or len(self._found) >= MOST_FILES:
                _log.warning("this workspace is very large: not all that includes an open file may be checked")
                self._batches = chain()
            look()
        return self._found.values()


class Programs:
    """The programs made of the open documents and of the files below some folders."""

    def __init__(self) -> None:
        self.engine = Engine()
        self.open: dict[str, Open] = {}
        self._folders: tuple[str, ...] = ()
        self._disk = Disk((), {})
        self._listing = _Listing(())
        self._graph: Graph | None = None
        self._paths: dict[str, tuple[Text, tuple[str, ...]]] = {}
        self._current: set[str] = set()  # the closed files of which the paths were read since the last look
        self._parts: dict[str, frozenset[str]] = {}  # the files that the last answer about a document depended on
        self._digests: dict[str, tuple[Text, bytes]] = {}
        self._roots: set[str] = set()

    def look(self, folders: tuple[str, ...]) -> None:
        """The disk may have changed, and these are the folders to read."""
        if folders != self._folders:
            self._folders = folders
            self._disk = Disk(folders, {each.file: each.text for each in self.open.values()})
        self._listing = _Listing(folders)
        self._graph = None
        self._current.clear()

    def opened(self, document: str, file: str, revision: int, text: str) -> None:
        """A document is open, or has another text."""
        self.open[document] = Open(file, revision, Text(text))
        self._disk.give(file, self.open[document].text)

    def closed(self, document: str) -> None:
        """A document is not open any more."""
        closed = self.open.pop(document, None)
        self._parts.pop(document, None)
        if closed and closed.file not in {each.file for each in self.open.values()}:
            self._disk.take_back(closed.file)
            self._current.discard(closed.file)
            self._graph = None

    def forget(self) -> None:
        """Start afresh with a new engine: the memo may be half made, or too large."""
        self.engine = Engine()
        self._roots.clear()

    def check(self, document: str, others: Iterable[str], look: Callable[[], None], check: CheckProject) -> Result:
        """Check all programs that an edit of a document may concern, as ``check`` does it with one of them."""
        graph = self._present_graph(look)
        file = self.open[document].file
        files = {file, *(self.open[other].file for other in others if other in self.open)}
        files.update(self.open[other].file for other, parts in self._parts.items() if file in parts)
        concerned = frozenset[str]().union(*(graph.projects[root] for root in _roots_of(graph, files)))
        checked = {name: each for name, each in self.open.items() if each.file in concerned}
        roots = _roots_of(graph, {each.file for each in checked.values()})
        projects = {root: check(self.engine, root, self._disk, self._unseen(graph.projects[root])) for root in roots}
        found = together(projects.items())
        for name, each in checked.items():
            parts = (analyses for analyses in projects.values() if each.file in analyses)
            self._parts[name] = frozenset(chain.from_iterable(parts))
        self._roots.update(projects)
        mine = {name: found[each.file] for name, each in checked.items()}
        return Result(mine, tuple(map(tuple, projects.values())), dict(self._closed_files(found)))

    def _unseen(self, names: Iterable[str]) -> int:
        opened = {each.file for each in self.open.values()}
        return sum(len(self._disk.text(name).content) for name in names if name not in opened)

    def tidy(self) -> None:
        """Forget the programs that no open document is part of."""
        needed = frozenset().union(*self._parts.values())
        for root in self._roots - needed:
            self.engine.forget(root)
            self._roots.discard(root)

    def _present_graph(self, look: Callable[[], None]) -> Graph:
        """Which file includes which now. It is made anew only if an include or the disk has changed."""
        files = {each.file for each in self.open.values()}
        for file in files:
            self._written(file, look)
        if self._graph is None or not files <= self._graph.included.keys():
            listed = self._listing.finish(look)
            self._graph = Graph({*listed, *files}, lambda name: self._includes(name, look))
        return self._graph

    def _includes(self, name: str, look: Callable[[], None]) -> Iterator[str]:
        found = (self._disk.included(name, path) for path in self._written(name, look))
        return (other for other in found if isinstance(other, str))

    def _written(self, name: str, look: Callable[[], None]) -> tuple[str, ...]:
        """The paths that a file includes, as they are written. With other ones the graph is out of date."""
        known = self._paths.get(name)
        if known is not None and name in self._current:
            return known[1]
        look()
        text = self._disk.text(name)
        if known is None or known[0] is not text:
            paths = self.engine.includes(text, look)
            if known is None or known[1] != paths:
                self._graph = None
            known = self._paths[name] = (text, paths)
        if all(name != each.file for each in self.open.values()):
            self._current.add(name)
        return known[1]

    def _closed_files(self, found: dict[str, Analysis]) -> Iterator[tuple[str, ClosedFile]]:
        files = {each.file for each in self.open.values()}
        for name, analysis in found.items():
            if name not in files:
                text = self._disk.text(name)
                known = self._digests.get(name)
                if known is None or known[0] is not text:
                    known = self._digests[name] = (text, text_digest(text.content))
                yield name, ClosedFile(known[1], links(analysis))


def _roots_of(graph: Graph, files: Iterable[str]) -> list[str]:
    """The roots of all projects that one of these files is part of."""
    wanted = set(files)
    return [root for root in graph.roots if not wanted.isdisjoint(graph.projects[root])]
