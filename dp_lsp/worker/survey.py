"""What is known of the files that are not open: found out project by project while there is nothing else to do, and
whenever a project is checked because of an edit.

A project is surveyed again only if one of its files, or the options of one, is another than then. A file of several
projects is reported once all of them were checked with the text that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping

from dp_lsp import cells
from dp_lsp.analysis.closed import TOP, ClosedReport, Corner, PlacedFunction, PlacedProblem, Stretch
from dp_lsp.analysis.names import NameRole, Spot
from dp_lsp.analysis.records import Analysis, ChunkRecord
from dp_lsp.analysis.workspace import text_digest
from dp_lsp.engine.merge import Graph, merged
from dp_lsp.engine.project import place_in
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, There
from dp_lsp.text import Source

FilesNews = dict[str, ClosedReport | None]
"""What is known now of files; None of one that is not there any more, or is nobody's concern."""
StampOf = Callable[[str], object]
"""What changes with a project, by its root: the texts of its files and how these are checked."""


class _Shared(NamedTuple):
    """The analyses of one text of a file, by the roots of its projects, and their records by key."""

    text: str
    parts: dict[str, Analysis]
    records: dict[bytes, ChunkRecord]


class WorkspaceSurvey:
    """What was found out of the closed files of a graph, and which projects are due."""

    def __init__(self) -> None:
        self.total = 0
        """How many projects there are."""
        self._graph: Graph | None = None
        self._due: dict[str, None] = {}
        self._seen: dict[str, object] = {}  # what each project was like, by its root
        self._shared: dict[str, _Shared] = {}
        self._made: dict[tuple[str, str], object] = {}  # what the last report of a file from a project was made of
        self._reports: dict[str, ClosedReport] = {}

    @property
    def left(self) -> int:
        """How many projects are due."""
        return len(self._due)

    def turn(self, graph: Graph, stamp: StampOf) -> FilesNews:
        """These are the projects from now on. Tells what is known no more."""
        if graph is self._graph:
            return {}
        self._graph = graph
        self.total = len(graph.roots)
        self._due = {root: None for root in graph.roots if self._seen.get(root) != stamp(root)}
        self._seen = {root: seen for root, seen in self._seen.items() if root in graph.projects}
        gone = [name for name in self._reports if name not in graph.included]
        for name in gone:
            self.opened(name)
        return dict.fromkeys(gone)

    def next(self) -> str | None:
        """The root of a project that is due."""
        return next(iter(self._due), None)

    def from_the_end(self) -> Iterator[str]:
        """The roots of all projects that are due, the last one first."""
        return reversed(tuple(self._due))

    def opened(self, name: str) -> None:
        """A file is open, or is not there any more: what is known of it as a closed file does not count."""
        self._reports.pop(name, None)
        self._shared.pop(name, None)
        self._made = {key: made for key, made in self._made.items() if key[1] != name}

    def found(
        self, graph: Graph, root: str, stamp: object, analyses: Mapping[str, Analysis], opened: Container[str]
    ) -> FilesNews:
        """A project was checked; which of its closed files are in another state now."""
        self._seen[root] = stamp
        self._due.pop(root, None)
        news: FilesNews = {}
        for name, analysis in analyses.items():
            made = text_digest(analysis.source.text), tuple((each.start, each.record.key) for each in analysis.chunks)
            if name in opened or self._made.get((root, name)) == made:
                continue
            self._made[root, name] = made
            whole = self._whole(name, root, analysis, graph.telling([name]))
            if whole is not None and self._reports.get(name) != (report := report_of(name, whole)):
                news[name] = self._reports[name] = report
        return news

    def _whole(self, name: str, root: str, analysis: Analysis, roots: list[str]) -> Analysis | None:
        """What is known of a file in all of its projects; None as long as that is not known."""
        if roots == [root]:
            return analysis
        shared = self._shared.get(name)
        if shared is None or shared.text != analysis.source.text:
            shared = self._shared[name] = _Shared(analysis.source.text, {}, {})
        chunks = (
            each._replace(record=shared.records.setdefault(each.record.key, each.record)) for each in analysis.chunks
        )
        shared.parts[root] = Analysis(analysis.source, tuple(chunks), analysis.options)
        known = [(each, shared.parts[each]) for each in roots if each in shared.parts]
        return merged(known) if len(known) == len(roots) else None


def report_of(name: str, analysis: Analysis) -> ClosedReport:
    """What is known of a file, at places that mean something without its text."""
    source = analysis.source
    problems = tuple(_placed(name, source, problem) for problem in analysis.problems)
    return ClosedReport(problems, tuple(_functions(analysis)))


def _placed(name: str, source: Source, problem: Problem) -> PlacedProblem:
    at = cells.place(source, problem.span.start)
    if at.cell is not None:  # the lines of the file are not those of its cells
        message = f"cell {at.cell.number}, line {at.line}: {problem.message}"
        return PlacedProblem(problem._replace(message=message, related=(), fixes=()), TOP)
    related = tuple(
        each if isinstance(each.where, There) else each._replace(where=place_in(name, source, each.span))
        for each in problem.related
    )
    return PlacedProblem(problem._replace(related=related, fixes=()), Stretch.of(source, problem.span))


def _functions(analysis: Analysis) -> Iterator[PlacedFunction]:
    source = analysis.source
    for function in analysis.functions:
        corner, span = Corner.of(source, function.name_span.start), function.name_span
        written = source.text[span.start : span.end]
        if cells.is_joined(source.text):
            corner, written = TOP.start, ""
        yield PlacedFunction(function.state, Spot(*corner, written, function.name, NameRole.DEFINITION, ()))
