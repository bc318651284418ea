"""The checks of a run: what earlier runs found out, and what the engine finds out of the rest.

Nothing that finds things out is imported as long as everything is known.

``--jobs``: several processes check the projects of a run. Each is sent one after the other, and says what it found.

A job is all that a process may know of a project, so that all of a run see the same files. What the two ends say to
each other is pickled: both are this program, and the pipe is theirs alone.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import Analysis, ChunkRecord, Options, Placed, unchecked
from dp_lsp.cli.files import Chosen, passed_over, shown
from dp_lsp.cli.output import RunProgress, log_settings
from dp_lsp.cli.reporters import SHOW_FIXES
from dp_lsp.cli.reporters.checked import Files
from dp_lsp.disk.loader import Disk, SeenFile, Snapshot
from dp_lsp.engine.merge import Graph, check_projects, may_include, together
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Source, Span
from dp_lsp.worker.problems import CheckerEnded, CheckTooLarge, CheckTooLong, InternalError

if TYPE_CHECKING:
    from dp_lsp.cache.results import Results
    from dp_lsp.cli.check import CheckRequest
    from dp_lsp.cli.running import Run


logger = logging.getLogger(__name__)

WORTH_A_PROCESS = 60_000
"""Characters that take longer to check than a process takes to start, several times."""
_TICK = 0.1  # seconds; an interrupt is seen so soon
_HERE = str(Path(__file__).resolve().parents[2])
_MAIN = f"import sys; sys.path.insert(1, {_HERE!r}); from dp_lsp.cli.checks import serve; serve()"
# -P keeps a `types.py` of the user's folder from being imported.
_COMMAND = (sys.executable, "-P", "-c", _MAIN)


class Setup(NamedTuple):
    """What all jobs of a run share. ``disk`` is asked for what no job says; ``log`` is the level and file of logs."""

    disk: Disk
    request: CheckRequest
    log: tuple[int, str | None]


class Job(NamedTuple):
    """A project to check: its root, what is known of its files, and how each of them is checked."""

    root: str
    seen: SeenFile
    options: dict[str, Options]


class Done(NamedTuple):
    """What was found out: the options and pieces of each file by its name. If it ``strayed``, other files were read
    than the job knows of, so it counts for nothing. ``records`` are for the engine of an editor."""

    found: dict[str, tuple[Options, tuple[Placed, ...]]]
    strayed: bool
    records: tuple[ChunkRecord, ...]


class _Began(NamedTuple):
    job: Job


class _Ended(NamedTuple):
    """None stands for a process that did not come to an end of the job."""

    job: Job
    done: Done | None


def default(characters: int) -> int:
    """How many processes are worth it for so much text."""
    return max(1, min(_cores(), characters // WORTH_A_PROCESS))


def run(
    setup: Setup,
    jobs: Sequence[Job],
    count: int,
    began: Callable[[Job], None],
    tick: Callable[[], None],
) -> dict[str, Done | None]:
    """What several processes find out, by root; None where the process ended instead, which stops no other job.

    ``began`` is called with each job, ``tick`` again and again. No process is left, whatever happens; an OSError if
    none can be started."""
    waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
    news: queue.SimpleQueue[_Began | _Ended] = queue.SimpleQueue()
    for each in (*jobs, *[None] * count):
        waiting.put(each)
    workers: list[_Worker] = []
    found: dict[str, Done | None] = {}
    try:
        workers.extend(_Worker(setup, waiting, news) for _ in range(count))
        while len(found) < len(jobs):
            try:
                match news.get(timeout=_TICK):
                    case _Began(job):
                        began(job)
                    case _Ended(job, done):
                        found[job.root] = done
            except queue.Empty:
                tick()
        return found
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process, and the thread that talks with it. After a job that ended it there is another one."""

    def __init__(
        self, setup: Setup, waiting: queue.SimpleQueue[Job | None], news: queue.SimpleQueue[_Began | _Ended]
    ) -> None:
        self._setup = setup
        self._waiting = waiting
        self._news = news
        self._lock = threading.Lock()
        self._stopped = False
        self._process = self._started()
        threading.Thread(target=self._work, daemon=True).start()

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        with self._lock:
            self._stopped = True
            self._process.kill()
        self._process.wait()

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None and not self._stopped:
            self._news.put(_Began(job))
            done = self._done(job)
            if done is None:
                self._again()
            self._news.put(_Ended(job, done))

    def _done(self, job: Job) -> Done | None:
        assert self._process.stdin and self._process.stdout
        try:
            pickle.dump(job, self._process.stdin, pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()
            answer: Done = pickle.load(self._process.stdout)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            if not self._stopped:
                logger.debug("%s: the process that checked it has ended", job.root)
            return None
        return answer

    def _again(self) -> None:
        """Another process instead of one that has ended. If there is none to be had, its jobs end like the last one."""
        with self._lock:
            if not self._stopped:
                self._process.kill()
                self._process.wait()
                try:
                    self._process = self._started()
                except OSError:
                    logger.debug("no process can be started", exc_info=True)

    def _started(self) -> subprocess.Popen[bytes]:
        """A process of a group of its own: an interrupt of ours is not one of its."""
        pipe = subprocess.PIPE
        if sys.platform == "win32":
            group = subprocess.CREATE_NEW_PROCESS_GROUP
            process = subprocess.Popen(_COMMAND, stdin=pipe, stdout=pipe, creationflags=group)
        else:
            process = subprocess.Popen(_COMMAND, stdin=pipe, stdout=pipe, process_group=0)
        assert process.stdin
        try:
            pickle.dump(self._setup, process.stdin, pickle.HIGHEST_PROTOCOL)
        except OSError:  # it has ended already: its first job will show
            logger.debug("a process did not start", exc_info=True)
        return process


def _cores() -> int:
    """Processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def serve() -> None:
    """Check projects for another process, until that closes its end of the pipe: read a setup and jobs from standard
    input, and write what was found out of each to standard output."""
    from dp_lsp.cli.output import follow_log
    from dp_lsp.cli.running import Run

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed by mistake is no answer
    setup: Setup = pickle.load(sys.stdin.buffer)
    follow_log(*setup.log)
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, waiting), daemon=True).start()
    options: dict[str, Options] = {}
    run = Run(setup.disk, options.__getitem__, setup.request)
    while True:
        job = waiting.get()
        options.clear()
        options.update(job.options)
        pickle.dump(_checked(job, run, setup), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _checked(job: Job, run: Run, setup: Setup) -> Done:
    from dp_lsp.cache.results import lighter

    files = Snapshot(setup.disk, job.seen)
    found = run.project(job.root, job.seen.texts, files)
    pieces = {name: (each.options, tuple(map(lighter, each.chunks))) for name, each in found.items()}
    return Done(pieces, files.strayed, run.records(job.root))


def _read(stream: BinaryIO, waiting: queue.SimpleQueue[Job]) -> None:
    """Take jobs in. The end of them ends the process at once, so that it does not outlive who wants to know."""
    try:
        while True:
            waiting.put(pickle.load(stream))
    except (EOFError, OSError):
        os._exit(0)


_PASSING = frozenset(kind.code for kind in (InternalError, CheckerEnded, CheckTooLong, CheckTooLarge))
"""What may be otherwise in another run of the same check."""
_FEW = 20  # problems whose fixes are tried for a person who did not ask for that


_Projects = dict[str, dict[str, Analysis]]
_Fresh = dict[str, tuple[bytes, Snapshot]]


class Checks:
    """Checks the files that were ``chosen``, each read once. Without ``results`` nothing is known of earlier runs, and
    nothing is kept for later ones. ``before`` are the checks of a run before in the same process."""

    def __init__(
        self,
        chosen: Chosen,
        options: Callable[[str], Options],
        request: CheckRequest,
        results: Results | None,
        before: Checks | None = None,
    ) -> None:
        self._names = chosen.names
        self._disk = chosen.files
        self._files = Snapshot(self._disk)
        self._options = options
        self._request = request
        self._results = results
        self._records: dict[str, tuple[ChunkRecord, ...]] = {}  # of projects that are not kept yet, by root
        self._kept: dict[str, bytes] = {}  # the keys of projects by root, of those that results are kept of
        self._before: Run | None = before.__dict__.get("_run") or before._before if before is not None else None

    @cached_property
    def graph(self) -> Graph:
        """What includes what."""
        return Graph(self._names, self._includes)

    @cached_property
    def _run(self) -> Run:
        from dp_lsp.cli.running import Run

        return Run(self._files, self._options, self._request, self._before)

    def has_changed(self) -> bool:
        """Whether any file that was read has changed since, or an include leads elsewhere."""
        return self._files.has_changed()

    def files(self) -> Files:
        """The analyses of the files that were chosen, in that order, and then of what these include, by their names."""
        projects = self._projects()
        found = together(projects.items())
        names = list(dict.fromkeys([*self._names, *found]))
        return self._mended([(name, _with_reason(found[name])) for name in names], projects)

    def again(self, texts: Mapping[str, SourceText]) -> dict[str, Analysis]:
        """What is known if some files have these texts; others are read again. Nothing but the check is done."""
        for name, text in texts.items():
            self._disk.give(name, text)
        self._files = Snapshot(self._disk)
        self.__dict__.pop("graph", None)
        return together(self._projects().items())

    def _projects(self) -> _Projects:
        """The analyses of the files of each project, by its root."""
        roots = self.graph.roots
        progress = RunProgress(len(roots))
        fresh: _Fresh = {}
        try:
            ready = {root: known for root in roots if (known := self._known(root, progress, fresh)) is not None}
            if len(fresh) > 1:
                ready |= self._side_by_side(progress, fresh)

            def check(root: str) -> dict[str, Analysis]:
                return ready.pop(root, None) or self._project(root, progress, fresh)

            projects = check_projects(self._names, roots, check)
        finally:
            progress.done()
        if any(_asks(projects[root]) for root in fresh):
            projects |= self._improved({root: projects[root] for root in fresh}, fresh)
        return projects

    def certify(self) -> int:
        """Write the certificate of what was checked; the exit code of that."""
        return self._run.certify()

    def certificate(self) -> dict[str, Any]:
        """The certificate of what was checked; nothing else is asked for it."""
        return self._run.certificate()

    def _includes(self, name: str) -> list[str]:
        """The files that a file includes directly."""
        text = self._files.text(name)
        found = (self._files.included(name, path) for path in self._paths(name, text))
        return [other for other in found if isinstance(other, str)]

    def _paths(self, name: str, text: SourceText) -> tuple[str, ...]:
        if not may_include(name, text):
            return ()
        known = None if self._results is None else self._results.includes(name, text)
        if known is None:
            try:
                known = self._run.includes(name, text)
            except Exception:  # checking the file meets it again
                return ()
            if self._results is not None:
                self._results.put_includes(name, text, known)
        return known

    def _known(self, root: str, progress: RunProgress, fresh: _Fresh) -> dict[str, Analysis] | None:
        """What earlier runs found out of a project. If that is nothing it goes to ``fresh``, with its key and with what
        is read to check it."""
        seen = self._files.seen(self.graph.reached(root))
        key = b"" if self._results is None else self._results.key(root, seen, self._options)
        known = None if self._results is None else self._results.project(key, seen)
        if known is None or not self._is_enough(known):
            fresh[root] = key, Snapshot(self._files, seen)
            return None
        progress.file(shown(root))
        self._kept[root] = key
        return known

    def _project(self, root: str, progress: RunProgress, fresh: _Fresh) -> dict[str, Analysis]:
        """Find out what there is to know of a project."""
        known = None if root in fresh else self._known(root, progress, fresh)
        if known is not None:
            return known
        progress.file(shown(root))
        key, part = fresh[root]
        found = self._checked(root, part, progress.chunk)
        self._found(root, key, found, part)
        return found

    def _checked(
        self, root: str, part: Snapshot, on_chunk: Callable[[bytes], None] = lambda key: None
    ) -> dict[str, Analysis]:
        """What the engine finds out of a project; its records are for an editor that is opened later."""
        found = self._run.project(root, self.graph.reached(root), part, on_chunk)
        if self._results is not None:
            self._records[root] = self._run.records(root)
        return found

    def _side_by_side(self, progress: RunProgress, fresh: _Fresh) -> _Projects:
        """What several processes find out of projects, if that is faster."""
        if len(fresh) < 2 or self._request.certificate is not None:  # which is made of what is not sent
            return {}

        names = {root: self.graph.reached(root) for root in fresh}
        count = self._request.jobs
        if count is None:
            count = default(sum(len(self._files.text(name).content) for each in names.values() for name in each))
        count = min(count, len(fresh))
        if count < 2:
            return {}
        wanted = [
            Job(root, self._files.seen(names[root]), {name: self._options(name) for name in names[root]})
            for root in fresh
        ]
        setup = Setup(self._disk, self._request, log_settings())
        try:
            done = run(setup, wanted, count, lambda job: progress.file(shown(job.root)), progress.tick)
        except OSError:
            logger.info("no other process can be started", exc_info=True)
            return {}
        found = {}
        for root, each in done.items():
            key, part = fresh[root]
            if each is None:
                found[root] = self._crashed(names[root])
            elif not each.strayed:
                found[root] = self._placed(each)
                self._records[root] = each.records
                self._found(root, key, found[root], part)
        return found

    def _placed(self, done: Done) -> dict[str, Analysis]:
        """What another process has found out."""
        texts = {name: self._files.text(name).content for name in done.found}
        return {name: Analysis(Source(texts[name]), chunks, how) for name, (how, chunks) in done.found.items()}

    def _crashed(self, names: Iterable[str]) -> dict[str, Analysis]:
        """A bug that ended another process."""
        problem = InternalError.at(Span(0, 0), error="the process that checked it has ended")
        texts = ((name, self._files.text(name).content) for name in names)
        return {name: unchecked(Source(text), problem, self._options(name)) for name, text in texts}

    def _found(self, root: str, key: bytes, found: dict[str, Analysis], part: Snapshot) -> None:
        """This was found out of a project. What distributions may have something to say about is kept after that."""
        if not (_asks(found) and self._run.is_open(found)):
            self._keep(root, key, found, part)

    def _is_enough(self, known: Mapping[str, Analysis]) -> bool:
        """Whether what is kept of a project is all that is wanted: no proof is, and no inputs that show a problem."""
        return self._request.certificate is None and not (self._request.witness and _is_refutable(known))

    def _keep(self, root: str, key: bytes, found: Mapping[str, Analysis], part: Snapshot) -> None:
        """Keep what was found out, if it follows from the key alone, and says nothing that only this run wanted."""
        failed = any(problem.code in _PASSING for each in found.values() for problem in each.problems)
        if not (self._results is None or part.strayed or failed or (self._request.witness and _is_refutable(found))):
            self._results.put_project(key, found)
            files = ((self._files.text(name), self._options(name)) for name in self.graph.reached(root))
            self._results.put_records(self._results.records_key(files), self._records.pop(root))
            self._kept[root] = key

    def _improved(self, projects: _Projects, fresh: _Fresh) -> _Projects:
        """What was found out, with what distributions say of it."""
        improved = self._run.improved(projects, lambda root: self._checked(root, fresh[root][1]))
        for root, (key, part) in fresh.items():
            if root not in self._kept and self._run.is_settled:
                self._keep(root, key, improved[root], part)
        return improved

    def _mended(self, files: Files, projects: _Projects) -> Files:
        """The same with fixes that were tried, and no others: all of them if that was asked for, else, where a person
        will read of them, those of the first few problems."""
        few = _FEW if self._request.output_format in SHOW_FIXES else 0
        left = None if self._request.fixes else few
        found = []
        for name, analysis in files:
            fixes: dict[Problem, tuple[Fix, ...]] = {}
            if left != 0 and analysis.problems:
                roots = tuple(root for root, analyses in projects.items() if name in analyses)
                fixes, count = self._fixes(name, analysis, roots, left, projects)
                left = None if left is None else left - count
            found.append((name, analysis.with_fixes(fixes)))
        return found

    def _fixes(
        self, name: str, analysis: Analysis, roots: tuple[str, ...], most: int | None, projects: _Projects
    ) -> tuple[dict[Problem, tuple[Fix, ...]], int]:
        """The good fixes of the first problems of a file that have any to try, so many problems at most; and of how
        many. What is said of all ``projects`` counts when they are tried."""
        from dp_lsp.cache.results import Tried

        keys = [self._kept[root] for root in roots if root in self._kept]
        results = self._results if len(keys) == len(roots) else None
        key = b"" if results is None else results.fixes_key(name, keys, self._request.witness)
        kept = None if results is None else results.tried(key)
        known = Tried(self._run.hopeful(analysis), {}) if kept is None else kept
        problems, wanted = analysis.problems, known.hopeful[:most]
        new = [index for index in wanted if index not in known.fixes]
        found, whole = dict[Problem, tuple[Fix, ...]](), True
        part = Snapshot(self._files, self._files.seen(frozenset[str]().union(*map(self.graph.reached, roots))))
        if new:
            self._run.consult(projects)
            found, whole = self._run.tried(name, analysis, [problems[index] for index in new], roots, part)
        fixes = known.fixes | {index: found.get(problems[index], ()) for index in new}
        if results is not None and (new or kept is None) and whole and not part.strayed:
            results.put_tried(key, Tried(known.hopeful, fixes))
        return {problems[index]: fixes[index] for index in wanted}, len(wanted)


def _with_reason(analysis: Analysis) -> Analysis:
    """What is known of a file; of one that was asked for by its name, and of which nothing is said, why."""
    problem = passed_over(analysis)
    return analysis if problem is None else unchecked(analysis.source, problem, analysis.options)


def _asks(found: Mapping[str, Analysis]) -> bool:
    """Whether there is anything that distributions could be asked about a project."""
    return any(chunk.record.asks for analysis in found.values() for chunk in analysis.chunks)


def _is_refutable(found: Mapping[str, Analysis]) -> bool:
    """Whether inputs may be looked for that show a problem."""
    return any(problem.refutable for analysis in found.values() for problem in analysis.problems)
