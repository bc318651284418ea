"""Which projects the open documents belong to, and checking those that an edit concerns.

An edit concerns every document whose last answer depended on it: of each answer it is remembered which files it was
made of, so that a file is also checked again when it stops being included. The server knows of closed files only what
their chunks define and use: enough to mark in the same turn what an edit makes stale, also through them.

What is known of the files that are not open: found out project by project while there is nothing else to do, and
whenever a project is checked because of an edit.

A project is surveyed again only if one of its files, or the options of one, is another than then. A file of several
projects is reported once all of them were checked with the text that it has.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from itertools import chain

from dp_lsp import cells
from dp_lsp.analysis.closed import TOP, ClosedReport, Corner, IncludeEdit, PlacedFunction, PlacedProblem, Stretch
from dp_lsp.analysis.limits import Ticket
from dp_lsp.analysis.loading import Loader, SourceText
from dp_lsp.analysis.names import NameRole, Spot, encode_spots
from dp_lsp.analysis.records import (
    Analysis,
    ChunkRecord,
    Explanation,
    Modules,
    Options,
    Repair,
    Wish,
    not_asked,
    unchecked,
)
from dp_lsp.analysis.rows import Plotted
from dp_lsp.analysis.staleness import names_of
from dp_lsp.analysis.workspace import ClosedFile, text_digest
from dp_lsp.cache.results import Results
from dp_lsp.configuration.ignored import Ignored, matches
from dp_lsp.configuration.lookup import Configurations
from dp_lsp.disk.loader import Disk, FileStamp, SeenFile, Snapshot, by_folder, is_below, path_below, read_file, stamp
from dp_lsp.engine.check import Engine, OptionsOf
from dp_lsp.engine.merge import Graph, check_projects, is_module, merged, together
from dp_lsp.engine.project import place_in
from dp_lsp.engine.trials import Within, repairs
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, There
from dp_lsp.text import Source, Span

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


MOST_FILES, MOST_FOLDERS = 10_000, 50_000
"""What is looked at below the folders of an editor, to see which files include which."""

_log = logging.getLogger(__name__)

CheckProject = Callable[[Engine, str, Loader, int], dict[str, Analysis]]
"""Checks a project with an engine: its root, its files, and how many characters those have that are not open."""


class OpenDocument(NamedTuple):
    """An open document: its name in a check, its revision and its text."""

    file: str
    revision: int
    text: SourceText


class Result(NamedTuple):
    """The analyses of open documents, the projects that these are parts of, by the names of their files, which of these
    are open, as which documents, and which are closed; and the news of files that are not open."""

    checked: dict[str, Analysis]
    projects: tuple[tuple[str, ...], ...]
    opened: dict[str, str]
    closed: dict[str, ClosedFile]
    news: FilesNews


class _Paths(NamedTuple):
    """The paths that a file includes, as they are written in what it was then: a text, or a file on the disk."""

    made_of: SourceText | FileStamp | None
    written: tuple[str, ...]


_NO_PATHS = _Paths(None, ())
_PLAIN = re.compile(r"[^\"'`\\$\0-\x1f]*")
"""A path that means itself between the quotation marks of any language."""


def _renamed(name: str, moves: Iterable[tuple[str, str]]) -> str:
    """What a file is called after some files and folders got other names."""
    for old, new in moves:
        if name == old or is_below(name, old):
            return new + name[len(old) :]
    return name


class _Listing:
    """The programs below some folders, found bit by bit, so that it can be interrupted."""

    def __init__(self, folders: tuple[str, ...], named: Callable[[str], bool]) -> None:
        self._batches = chain.from_iterable(by_folder(folder, Ignored(folder), named) for folder in folders)
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
                break
            look()
        return self._found.values()


class Projects:
    """The projects made of the open documents and of the files below some folders."""

    def __init__(self, results: Results | None = None) -> None:
        self.engine = Engine()
        self._results = results
        self._recalled: set[str] = set()  # the roots of projects of which the engine was told what is kept
        self._fresh: dict[str, frozenset[str]] = {}  # what to keep of: the files of projects by root
        self._refused: set[bytes] = set()
        self.open: dict[str, OpenDocument] = {}
        self._folders: tuple[str, ...] = ()
        self._disk = Disk((), {})
        self._listing = _Listing((), self._is_named)
        self._graph: Graph | None = None
        self._paths: dict[str, _Paths] = {}
        self._current: set[str] = set()  # the closed files of which the paths were read since the last look
        self._parts: dict[str, frozenset[str]] = {}  # the files that the last answer about a document depended on
        self._digests: dict[str, tuple[SourceText, tuple[Modules, ...], bytes, bytes]] = {}
        self._roots: set[str] = set()
        self._ignored: dict[str, Ignored] = {}  # by folder
        self._wishes: tuple[Wish, ...] = ()
        self.survey: WorkspaceSurvey | None = None
        self.configurations = Configurations(concerns=self._is_below)

    def look(self, folders: tuple[str, ...], wishes: tuple[Wish, ...] = (), survey: bool = False) -> None:
        """The disk may have changed, and these are the folders to read, and what is wished for what lies in them. With
        ``survey``, it is found out what is wrong with files that are not open."""
        self._wishes = wishes
        if survey is (self.survey is None):
            self.survey = WorkspaceSurvey() if survey else None
        self.configurations.look()
        if folders != self._folders:
            self._folders = folders
            self._disk = Disk(folders, {each.file: each.text for each in self.open.values()})
        self._listing = _Listing(folders, self._is_named)
        self._ignored = {folder: Ignored(folder) for folder in folders}
        self._graph = None
        self._current.clear()

    def opened(self, document: str, file: str, revision: int, text: SourceText) -> None:
        """A document is open, or has another text."""
        self.open[document] = OpenDocument(file, revision, text)
        self._disk.give(file, self.open[document].text)
        if self.survey is not None:
            self.survey.opened(file)

    def closed(self, document: str) -> None:
        """A document is not open any more."""
        closed = self.open.pop(document, None)
        self._parts.pop(document, None)
        if closed and closed.file not in self._files():
            self._disk.take_back(closed.file)
            self._current.discard(closed.file)
            self._graph = None

    def forget(self) -> None:
        """Start afresh with a new engine: the memo may be half made, or too large."""
        self.engine = Engine()
        self._roots.clear()
        self._recalled.clear()
        self._fresh.clear()

    def recall(self, root: str, options: OptionsOf) -> None:
        """Have the engine learn what earlier processes found out of a project, the first time that it is checked."""
        if self._results is not None and root not in self._recalled:
            self._recalled.add(root)
            records = self._results.records(self._key(self._results, self._files_of(root), options))
            _log.debug("%s: %d records are known", root, len(records))
            self.engine.learn("", records)

    def found(self, root: str, refused: Collection[bytes]) -> None:
        """Something was inferred of a project, but what was refused."""
        self._refused.update(refused)
        self._fresh[root] = self._files_of(root)

    @property
    def keeps(self) -> bool:
        """Whether another process can read what is found out here."""
        return self._results is not None and self._results.keeps

    @property
    def has_fresh(self) -> bool:
        """Whether anything was found out that is not kept."""
        return bool(self._fresh)

    def keep(self, options: OptionsOf, look: Callable[[], None]) -> None:
        """Keep what was found out of projects whose texts are those on the disk: others live short. Nothing of a record
        is left for later then, and what that would be made of is let go. ``look`` is called often, and may raise: what
        is not kept by then is kept the next time."""
        unsaved = {each.file for each in self.open.values() if read_file(each.file) != each.text}
        for root, files in list(self._fresh.items()):
            records = tuple(each for each in self.engine.records(root) if each.key not in self._refused)
            for record in records:
                look()
                record.complete()
            if self._results is not None and records and not files & unsaved:
                self._results.put_records(self._key(self._results, files, options), records)
            del self._fresh[root]
        if self._results is not None:
            self._results.close()

    def keep_nothing(self) -> None:
        """What was found out until now cannot be kept."""
        self._fresh.clear()

    def _files_of(self, root: str) -> frozenset[str]:
        return frozenset() if self._graph is None else self._graph.reached(root)

    def _key(self, results: Results, files: Iterable[str], options: OptionsOf) -> bytes:
        return results.records_key((self._disk.text(name), options(name)) for name in files)

    def check(
        self,
        document: str,
        others: Iterable[str],
        look: Callable[[], None],
        options: OptionsOf,
        check: CheckProject,
    ) -> Result:
        """Check all projects that an edit of a document may concern, as ``check`` does it with one of them, whose files
        have these options."""
        graph = self._present_graph(look)
        file = self.open[document].file
        files = {file, *(self.open[other].file for other in others if other in self.open)}
        files.update(self.open[other].file for other, parts in self._parts.items() if file in parts)
        concerned = frozenset[str]().union(*(graph.told[root] for root in graph.roots_of(files)))
        checked = {name: each for name, each in self.open.items() if each.file in concerned}
        wanted = {each.file for each in checked.values()}

        def project(root: str) -> dict[str, Analysis]:
            return check(self.engine, root, self._disk, self._unseen(graph.projects.get(root, ())))

        projects = check_projects(wanted, graph.telling(wanted), project)
        found = together(projects.items())
        reached = {root: (*dict.fromkeys((*told, *graph.reached(root))),) for root, told in projects.items()}
        for name, each in checked.items():
            parts = (reached[root] for root, analyses in projects.items() if each.file in analyses)
            self._parts[name] = frozenset(chain.from_iterable(parts))
        self._roots.update(projects)
        mine = {name: found[each.file] for name, each in checked.items()}
        alone = dict(self._not_asked((document, *others), graph))
        parts_alone = tuple((self.open[name].file,) for name in alone)
        closed = dict(self._closed_files(found, chain.from_iterable(reached.values())))
        made = (*reached.values(), *parts_alone)
        opened = {each.file: name for name, each in self.open.items() if any(each.file in names for names in made)}
        return Result(mine | alone, made, opened, closed, self._news(graph, projects, options))

    def due(self, look: Callable[[], None], options: OptionsOf) -> tuple[str | None, FilesNews]:
        """The root of a project of closed files of which it is to be found out what is wrong with it; and what is known
        no more."""
        if self.survey is None:
            return None, {}
        graph = self._present_graph(look)
        news = self.survey.turn(graph, lambda root: self._stamp(graph, root, options))
        return self.survey.next(), news

    def surveyed(self, root: str, options: OptionsOf, check: CheckProject) -> FilesNews:
        """Find out what is wrong with such a project, or what was found out of it before, by a run of the command line,
        too."""
        assert self._graph is not None
        part = Snapshot(self._disk, seen := self._seen(self._graph, root))
        key = b"" if self._results is None else self._results.key(root, seen, options)
        compared = [name for name in self._graph.told[root] if self._graph.telling([name]) != [root]]
        analyses = None if self._results is None else self._results.survey(key, compared, seen)
        if analyses is None:
            analyses = check(self.engine, root, part, self._unseen(self._graph.projects[root]))
            if self._results is not None and self._is_lasting(analyses, part):
                self._results.put_survey(key, compared, analyses)
            if root not in self._roots:
                self.engine.forget(root)
                self._recalled.discard(root)
        return self._news(self._graph, {root: analyses}, options)

    def _seen(self, graph: Graph, root: str) -> SeenFile:
        """The texts of the files of a project, and what their includes mean."""
        texts = {name: self._disk.text(name) for name in graph.reached(root)}
        written = ((name, path) for name in texts for path in self._paths.get(name, _NO_PATHS).written)
        return SeenFile(texts, {asked: self._disk.included(*asked) for asked in written})

    def _is_lasting(self, analyses: Mapping[str, Analysis], part: Snapshot) -> bool:
        """Whether this is all that there is to find out of a project, and of what is on the disk: a bound that
        distributions may improve is not."""
        asks = any(chunk.record.asks for each in analyses.values() for chunk in each.chunks)
        return not (part.strayed or asks or analyses.keys() & self._files())

    def given_up(self, root: str, options: OptionsOf, problem: Problem) -> FilesNews:
        """The same where that cannot be found out, for this reason."""
        assert self._graph is not None
        sources = {name: Source(self._disk.text(name).content) for name in self._graph.told[root]}
        analyses = {name: unchecked(source, problem, options(name)) for name, source in sources.items()}
        return self._news(self._graph, {root: analyses}, options)

    def moved(self, moves: tuple[tuple[str, str], ...], look: Callable[[], None]) -> tuple[IncludeEdit, ...]:
        """Which paths must be others once these files and folders have other names. A path that is not written as it is
        meant, such as one with an escaped character, is left alone."""
        graph = self._present_graph(look)
        opened = {each.file: each for each in self.open.values()}
        edits: list[IncludeEdit] = []
        for name in sorted(graph.included):
            if (
                self._paths[name].written
                and not is_module(name)
                and any(_renamed(each, moves) != each for each in (name, *graph.included[name]))
            ):
                known = opened.get(name)
                text = known.text if known else self._disk.text(name)
                source, revision = Source(text.content), known.revision if known else None
                for include in self.engine.including(name, text, look):
                    path = self._path_after(name, include.path, moves)
                    start = text.content.rfind(include.path, include.span.start, include.span.end)
                    if path is not None and include.path and start >= 0:
                        where = Stretch.of(source, Span(start, start + len(include.path)))
                        edits.append(IncludeEdit(name, revision, where, path))
        return tuple(edits)

    def _path_after(self, name: str, path: str, moves: tuple[tuple[str, str], ...]) -> str | None:
        """How a path that a file includes is written after some moves; None if that is the same."""
        target = self._disk.included(name, path)
        if not isinstance(target, str):
            return None
        there, here = _renamed(target, moves), os.path.dirname(_renamed(name, moves))
        if there == os.path.normpath(os.path.join(here, path)):
            return None
        written = there if os.path.isabs(path) else os.path.relpath(there, here).replace(os.sep, "/")
        return written if _PLAIN.fullmatch(written) else None

    def _news(self, graph: Graph, projects: Mapping[str, Mapping[str, Analysis]], options: OptionsOf) -> FilesNews:
        """What is new of closed files, as their projects were just checked."""
        news: FilesNews = {}
        if self.survey is not None:
            for root, analyses in projects.items():
                if root in graph.projects:
                    stamp = self._stamp(graph, root, options)
                    news |= self.survey.found(graph, root, stamp, analyses, self._files())
        return news

    def _stamp(self, graph: Graph, root: str, options: OptionsOf) -> object:
        """What changes with a project: the texts of its files, and how they are checked."""
        names = sorted(graph.projects[root])
        return tuple((name, self._paths[name].made_of, options(name)) for name in names)

    def explain(self, document: str, offset: int, options: Options, ticket: Ticket) -> Explanation | None:
        """What led to the bounds of what stands at an offset of a document, in the first of its projects."""
        file = self.open[document].file
        roots = self._present_graph(ticket.look).telling({file})
        if not roots:
            return None
        self._roots.add(roots[0])
        return self.engine.explain(roots[0], self._disk, (file, offset), True, self.options_of(options), ticket)

    def witness(self, document: str, offset: int, options: Options, ticket: Ticket) -> str | None:
        """Which inputs show the problems that stand at an offset of a document, in the first of its projects: a line
        each."""
        from dp_lsp.meaning import missing

        if (lacking := missing()) is not None:
            return lacking
        from dp_lsp.meaning.witness import witness

        file = self.open[document].file
        for root in self._present_graph(ticket.look).telling({file})[:1]:
            self._roots.add(root)
            suspects = self.engine.suspects(root, self._disk, self.options_of(options), ticket)
            found = [
                witness(suspect, ticket.look)
                for suspect in suspects
                if suspect.file == file and suspect.problem.span.covers(offset)
            ]
            return "\n".join(found) or None
        return None

    def plots(self, document: str, options: Options, ticket: Ticket) -> tuple[Plotted, ...]:
        """The plots of the functions of a document that are the same in all its projects."""
        file = self.open[document].file
        roots = tuple(self._present_graph(ticket.look).telling({file}))
        self._roots.update(roots)
        options_of = self.options_of(options)
        found = [tuple(self.engine.plots(root, self._disk, file, options_of, ticket)) for root in roots]
        return tuple(each for each in found[0] if all(each in other for other in found)) if found else ()

    def options_of(self, base: Options) -> OptionsOf:
        """The options of each file, where ``base`` is what nobody says otherwise."""

        def options(file: str) -> Options:
            wish = self._wish(file)
            own = tuple(each._replace(file="") for each in base.settings if each.file in ("", file))
            mine = base._replace(settings=own)
            wished = mine._replace(
                profile=wish.profile or base.profile,
                severity=wish.severity,
                named=self._is_wished(file),
            )
            return self.configurations.options(file, mine, wished)

        return options

    def _path_below(self, file: str) -> str:
        """The path of a file below the innermost folder that it lies in, as patterns have it; else its name alone."""
        around = (folder for folder in self._folders if is_below(file, folder))
        return path_below(max(around, key=len, default=os.path.dirname(file)), file)

    def _wish(self, file: str) -> Wish:
        """What is wished for what lies in the innermost folder around a file."""
        around = [wish for wish in self._wishes if not wish.folder or is_below(file, wish.folder)]
        return max(around, key=lambda wish: len(wish.folder), default=Wish(""))

    def _is_wished(self, file: str) -> bool:
        """Whether a file is to be looked at where no configuration counts."""
        patterns = self._wish(file).python_include
        return bool(patterns) and matches(patterns, self._path_below(file))

    def _is_named(self, file: str) -> bool:
        """Whether a setting names a file."""
        return self.configurations.names(file, self._is_wished)

    def repairs(self, document: str, analysis: Analysis, base: Options, ticket: Ticket) -> tuple[Repair, ...]:
        """The fixes of what was found in a document that are good in all its projects."""
        file = self.open[document].file
        roots = tuple(self._present_graph(ticket.look).telling({file}))
        return tuple(repairs(self.engine, file, analysis, Within(roots, self._disk, self.options_of(base)), ticket))

    def tidy(self) -> None:
        """Forget the projects that no open document is part of."""
        needed = frozenset().union(*self._parts.values())
        for root in self._roots - needed:
            self.engine.forget(root)
            self._roots.discard(root)
        self._disk.keep(needed)
        self._digests = {name: known for name, known in self._digests.items() if name in needed}

    def _not_asked(self, documents: Iterable[str], graph: Graph) -> Iterator[tuple[str, Analysis]]:
        """Those of some documents that the configuration leaves out, and that no other file includes."""
        for name in documents:
            each = self.open.get(name)
            if each is not None and each.file not in graph.included:
                self._parts[name] = frozenset({each.file})
                yield name, not_asked(Source(each.text.content), Options())

    def _is_below(self, file: str) -> bool:
        """Whether a file lies in one of the folders."""
        return any(is_below(file, folder) for folder in self._folders)

    def _is_wanted(self, file: str) -> bool:
        """Whether an open file is one of those to check: not if it is left out of every folder that it is in."""
        around = [ignored for folder, ignored in self._ignored.items() if is_below(file, folder)]
        left_out = bool(around) and all(ignored(file, False) for ignored in around)
        return not left_out and self.configurations.includes(file)

    def _files(self) -> frozenset[str]:
        """The open files."""
        return frozenset(each.file for each in self.open.values())

    def _unseen(self, names: Iterable[str]) -> int:
        """How many characters these files have, those not counted that are open."""
        opened = self._files()
        return sum(len(self._disk.text(name).content) for name in names if name not in opened)

    def _present_graph(self, look: Callable[[], None]) -> Graph:
        """Which file includes which now. It is made anew only if an include or the disk has changed."""
        files = self._files()
        for each in self.open.values():
            if self._paths.get(each.file, _NO_PATHS).made_of is not each.text:
                self._found(each.file, _Paths(each.text, self.engine.includes(each.file, each.text, look)))
        wanted = set(filter(self._is_wanted, files))
        if self._graph is None or not self._graph.knows(wanted):
            wanted.update(filter(self.configurations.includes, self._listing.finish(look)))
            self._graph = Graph(wanted, lambda name: self._includes(name, name in files, look))
        return self._graph

    def _includes(self, name: str, is_open: bool, look: Callable[[], None]) -> Iterator[str]:
        """The files that a file includes. Of a closed one only its stamp is kept: there may be very many."""
        if not is_open and name not in self._current:
            look()
            now = stamp(name)
            if now is None or self._paths.get(name, _NO_PATHS).made_of != now:
                self._found(name, _Paths(now, self.engine.includes(name, read_file(name), look)))
            self._current.add(name)
        found = (self._disk.included(name, path) for path in self._paths[name].written)
        return (other for other in found if isinstance(other, str))

    def _found(self, name: str, paths: _Paths) -> None:
        """A file includes these. If that is news, the graph is out of date."""
        if self._paths.get(name, _NO_PATHS).written != paths.written:
            self._graph = None
        self._paths[name] = paths

    def _closed_files(self, found: dict[str, Analysis], reached: Iterable[str]) -> Iterator[tuple[str, ClosedFile]]:
        """Those of these files that are not open. Of one that is only loaded nothing is known but its text."""
        files = self._files()
        for name in dict.fromkeys(reached):
            if name not in files and name not in found:
                yield name, ClosedFile(text_digest(self._disk.text(name).content), ())
        for name, analysis in found.items():
            if name not in files:
                text = self._disk.text(name)
                modules = tuple(chunk.record.modules for chunk in analysis.chunks)
                known = self._digests.get(name)
                if known is None or known[0] is not text or known[1] != modules:
                    known = self._digests[name] = (text, modules, text_digest(text.content), encode_spots(analysis))
                yield name, ClosedFile(known[2], names_of(analysis), known[3])
