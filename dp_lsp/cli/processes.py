"""``--jobs``: several processes check the projects of a run. Each is sent one after the other, and says what it found.

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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from dp_lsp.analysis.records import ChunkRecord, Options, Placed
from dp_lsp.disk.loader import Disk, SeenFile, Snapshot
from dp_lsp.named import NamedTuple

if TYPE_CHECKING:
    from dp_lsp.cli.check import CheckRequest
    from dp_lsp.cli.running import Run

logger = logging.getLogger(__name__)

WORTH_A_PROCESS = 60_000
"""Characters that take longer to check than a process takes to start, several times."""
_TICK = 0.1  # seconds; an interrupt is seen so soon
_HERE = str(Path(__file__).resolve().parents[2])
_MAIN = f"import sys; sys.path.insert(1, {_HERE!r}); from dp_lsp.cli.processes import serve; serve()"
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
