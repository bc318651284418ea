"""The worker as its owner sees it: texts go in, outcomes come out, the process is nobody else's business.

Everything runs on the owner's event loop and returns at once. The check of a document answers about all documents
that are checked together with it. It is superseded by a newer one of the same document. The process is killed only
if a superseded check does not stop, or if any check outruns its time; it is started again with all open texts, what
was found out before, also in checks that did not end, and what is still to be checked.

What a check may take is computing time, which the process watches itself. Only one that hardly computes at all is
killed by the clock, and what ran out of time while the machine was busy is tried again when it is quiet.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from dp_lsp.analysis.closed import ClosedReport
from dp_lsp.analysis.limits import PER_CHARACTER
from dp_lsp.analysis.loading import Faulty
from dp_lsp.analysis.records import KEY, Analysis, ChunkRecord, Options, Placed, Repair, Wish
from dp_lsp.analysis.workspace import ClosedFile
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Source, Span
from dp_lsp.worker.frames import (
    COMMAND,
    Asking,
    Begun,
    CheckedDocuments,
    CheckOrder,
    Derivable,
    Derive,
    Derived,
    Detailed,
    Failed,
    Finished,
    FirstProblems,
    Forget,
    Hasten,
    Learn,
    Look,
    Message,
    MovedPaths,
    OpenedText,
    Repaired,
    Spare,
    Stopped,
    Surveyed,
    Surveying,
    Told,
    Wanted,
    Withdraw,
    WorkerLink,
    WorkerReady,
)
from dp_lsp.worker.problems import CheckerEnded, CheckTooLong

if TYPE_CHECKING:
    from dp_lsp.configuration.keys import Configuration


# How a check ended, as its owner sees it.


class Finding(NamedTuple):
    """What a check says of a document: an analysis, unless there was a problem with the check itself. ``revision`` is
    what the owner called the text."""

    document: str
    revision: int
    source: Source
    analysis: Analysis | None


class Outcome(NamedTuple):
    """How a check of a document ended: with analyses, also of others that it concerns, or with a problem.

    ``final`` is false if the process died and the check is tried again. ``projects`` are the names of the files that
    were checked together, ``opened`` the documents that were open then, by their files, and ``closed`` what is known of
    the others. ``parsed`` and ``inferred`` count
    chunks since the process started; ``seconds`` is how long it took. ``faulty`` are the configurations that something
    is wrong with, by the paths of their files; None if the check did not come so far.
    """

    document: str
    findings: tuple[Finding, ...]
    problem: Problem | None = None
    final: bool = True
    projects: tuple[tuple[str, ...], ...] = ()
    opened: Mapping[str, str] = MappingProxyType({})
    closed: Mapping[str, ClosedFile] = MappingProxyType({})
    seconds: float = 0.0
    parsed: int = 0
    inferred: int = 0
    faulty: Mapping[str, Faulty] | None = None


LIMIT = 10.0  # seconds of computing that a check may take, and more for a long text
_START = 60.0  # seconds that a process may take to start, besides
_SLOWER = 10.0  # how many times as long a check may last as it may compute, before its process is killed
_GRACE = 2.0  # seconds it has besides
_TRIES = 3  # of a check that ran out of time while the machine was busy
_LATER = 5.0  # seconds between looks whether it is quiet
_LOOKS = 120  # after so many it is tried in any case
_PATIENCE = 1.0  # seconds of silence after which a superseded check is killed; it looks every few milliseconds
_ATTEMPTS = 5  # processes that may die under one check; each chunk to blame takes two
_BLAME = 2  # deaths in one chunk, or in one project of closed files, after which it is not tried again

_log = logging.getLogger(__name__)

Tell = Callable[[Derivable | None], None]
Mended = Callable[[str, int, tuple[Repair, ...]], None]
"""Called with a document, its revision, and the fixes of it that are good."""
Informed = Callable[[str], None]
"""Called with a document when something has come of what is awaited of its records."""
Glimpsed = Callable[[str, int, tuple[Problem, ...]], None]
"""Called with a document of which nothing was known, its revision, and what a long check has found of it so far."""
Around = Callable[[Mapping[str, ClosedReport | None]], None]
"""Called with what is known now of files that are not open; None of one that is not there any more."""
Counted = Callable[[int, int], None]
"""Called with how many projects of such files are still to be looked at, and how many there are."""
Bettered = Callable[[str, bool, bool], None]
"""Called with a document when it begins to be found out whether its numbers can be smaller (True), and when that has
ended: then also with whether they may be, so that it is worth checking it again."""


@dataclass(slots=True)
class _Job:
    number: int
    document: str
    others: frozenset[str]
    options: Options
    deaths: int = 0
    tries: int = 1


class _Killed(Enum):
    """Why we ended the process, if it was us."""

    FOR_TIME = "it took too long"
    FOR_SILENCE = "it did not stop"
    ON_REQUEST = "it was asked for"


def is_quiet() -> bool:
    """Whether the processors have time to spare, where the system tells."""
    try:
        return os.getloadavg()[0] < (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return True


class Worker:
    """A checking process, started again whenever it ends.

    ``report`` is called on the loop with each outcome, and later ``mended`` for each of its findings with an analysis,
    unless another check of that document has ended before; ``limit`` is how many seconds a check may compute.
    A record may come without what takes longer to find out: that is awaited (:mod:`dp_lsp.later`), and put in
    its place when it comes; ``detailed`` is called then. ``glimpsed`` is called before a long check of a document ends
    of which nothing is known. ``around`` and ``counted`` are called with what is found out of files that are not open,
    while there is nothing else to do. ``bettered`` is called where numbers can be made smaller after
    a check. ``quiet`` tells whether the machine has time for what it had no time for before; that is asked every
    ``later`` seconds.
    """

    def __init__(
        self,
        report: Callable[[Outcome], None],
        limit: float = LIMIT,
        command: Sequence[str] = COMMAND,
        mended: Mended = lambda document, revision, repairs: None,
        bettered: Bettered = lambda document, busy, better: None,
        detailed: Informed = lambda document: None,
        glimpsed: Glimpsed = lambda document, revision, problems: None,
        around: Around = lambda files: None,
        counted: Counted = lambda left, total: None,
        quiet: Callable[[], bool] = is_quiet,
        later: float = _LATER,
    ) -> None:
        self._quiet = quiet
        self._later = later
        self._late: dict[str, _Job] = {}  # what ran out of time while the machine was busy
        self._looking: asyncio.TimerHandle | None = None
        self._report = report
        self._mended = mended
        self._bettered = bettered
        self._detailed = detailed
        self._glimpsed = glimpsed
        self._around, self._counted = around, counted
        self._survey = False
        self._looked = 0  # the number of the last message after which files are looked at again
        self._surveying = ""  # the root of a project of closed files that is being checked
        self._due = False  # whether any may still have to be looked at
        self._deaths: Counter[str] = Counter()  # processes that died while one was checked, by its root, or before any
        self._awaited: dict[str, _Job] = {}  # the checks of documents of whose records something is awaited
        self._asking: str | None = None  # the document whose numbers are being made smaller
        self._mending: dict[str, int] = {}  # the revisions of documents whose fixes are being tried
        self._fatal = 0  # processes that died while they tried fixes
        self._limit = limit
        self._command = command
        self._link: WorkerLink | None = None
        self._killed: _Killed | None = None
        self._numbers = 0
        self._jobs: dict[str, _Job] = {}
        self._running: tuple[int, str] | None = None
        self._folders: tuple[str, ...] = ()
        self._wishes: tuple[Wish, ...] = ()
        self._kept: tuple[tuple[str, Configuration], ...] = ()
        self._faulty: dict[str, Faulty] = {}
        self._texts = Texts()
        self._found = Kept()
        self._closed: dict[str, ClosedFile] = {}
        self._asked: dict[int, tuple[float, Tell]] = {}  # what is to be derived: in how many seconds, and for whom
        self._blame: Counter[bytes] = Counter()
        self._watch: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start the process if it does not run."""
        if self._link is None:
            try:
                self._link = WorkerLink(self._received, self._command)
            except OSError as error:
                return self._unable(error)
            self._closed.clear()
            self._running = self._killed = None
            self._surveying = ""
            self._link.send(self._look(self._kept))
            for opened in self._texts.opened():
                self._link.send(opened)
            for lesson in self._found.lessons():
                self._link.send(lesson)
            for job in self._jobs.values():
                self._send(job)

    def look(self, folders: tuple[str, ...], wishes: tuple[Wish, ...] = (), survey: bool = False) -> None:
        """The disk may have changed; these folders may be read. ``wishes`` count where there is no configuration. With
        ``survey``, files are checked that are not open."""
        self._folders = folders
        self._wishes = wishes
        self._survey = survey
        if self._link:
            self._link.send(self._look(()))
        elif survey:
            self.start()

    def _look(self, kept: tuple[tuple[str, Configuration], ...]) -> Look:
        self._numbers += 1
        self._looked, self._due = self._numbers, self._survey
        seconds = self._limit if self._survey else 0.0
        barred = frozenset(root for root, deaths in self._deaths.items() if deaths >= _BLAME)
        return Look(self._folders, self._wishes, kept, seconds, barred, self._looked)

    def update(self, document: str, file: str, revision: int, source: Source, language: str = "") -> None:
        """A document is open or has a newer text, which counts from the next check on.

        ``file`` is its name in a check, and ``language`` the id of the one it is written in, if that is not known by
        its name. A document that was forgotten must not come back under the same name.
        """
        opened = self._texts.put(document, file, language, revision, source)
        if self._link:
            self._link.send(opened)

    def check(self, document: str, options: Options, others: Iterable[str] = ()) -> None:
        """Check what a document is part of, instead of what was to be checked because of it; also what ``others``
        are part of, which were checked together with it before."""
        self._numbers += 1
        self._late.pop(document, None)
        job = self._jobs[document] = _Job(self._numbers, document, frozenset(others), options)
        if self._link is None:
            self.start()
            return
        self._send(job)
        self._hurry(document)
        if (self._mending or self._awaited or self._surveying) and not self._running:
            self._watch_for(_PATIENCE, _Killed.FOR_SILENCE)

    def derive(self, document: str, offset: int, options: Options, tell: Tell, wanted: Wanted) -> int:
        """Tell what is wanted of a document's newest text. None if nothing stands at that offset, or nothing could be
        found out, which is not tried again. Returns a number to :meth:`withdraw` it."""
        self._numbers += 1
        number, limit = self._numbers, self._limit_for(document)
        self._asked[number] = limit, tell
        self.start()  # which has a number of its own
        if self._link:
            self._link.send(Derive(number, document, offset, options, limit, wanted))
            self._watch_jobs()
        return number

    def move(self, moves: tuple[tuple[str, str], ...], tell: Tell) -> int:
        """Tell which paths in files must be others once these files and folders have other names. As with
        :meth:`derive`, None if that could not be found out."""
        self._numbers += 1
        number = self._numbers
        self._asked[number] = self._limit, tell
        self.start()
        if self._link:
            self._link.send(MovedPaths(number, moves, self._limit))
            self._watch_jobs()
        return number

    def hasten(self, key: bytes) -> None:
        """Somebody waits for what is awaited of the record with this key."""
        if self._link:
            self._link.send(Hasten(key))

    def withdraw(self, number: int) -> None:
        """Nobody waits any more for what was to be derived; nothing is told."""
        if self._asked.pop(number, None) and self._link:
            self._link.send(Withdraw(number))
            self._watch_jobs()

    def spare(self, document: str) -> None:
        """The numbers of a document need not be made smaller, if that is what is being done."""
        if self._link and self._asking == document:
            self._link.send(Spare(document))

    def forget(self, document: str) -> None:
        """The document is closed; nothing more is reported about it."""
        self._numbers += 1
        self._jobs.pop(document, None)
        self._late.pop(document, None)
        self._texts.forget(document)
        self._found.forget(document)
        self._awaited.pop(document, None)
        self._mending.pop(document, None)
        if self._link:
            self._looked, self._due = self._numbers, self._survey
            self._link.send(Forget(self._numbers, document))
            self._hurry(document)

    def restart(self) -> None:
        """A new process, with an empty memory; what was being checked is checked again."""
        self._blame, self._fatal = Counter(), 0
        self._deaths.clear()
        if self._link is None:
            self._found.clear()
            self.start()
        else:
            self._kill(_Killed.ON_REQUEST)

    def close(self) -> None:
        """End the process; nothing more is reported."""
        link, self._link = self._link, None
        self._stop_watching()
        self._jobs.clear()
        self._awaited.clear()
        self._late.clear()
        if self._looking:
            self._looking.cancel()
        if link:
            link.kill()

    def _unable(self, error: OSError) -> None:
        _log.error("the checking process does not start: %s", error.strerror)
        jobs = list(self._jobs.values())
        self._jobs.clear()
        self._tell_nothing()
        self._counted(0, 0)
        for job in jobs:
            self._report(self._failure(job, "it does not start"))

    def _tell_nothing(self) -> None:
        """Nothing that is to be derived will come."""
        asked, self._asked = self._asked, {}
        for _, tell in asked.values():
            tell(None)

    def _send(self, job: _Job) -> None:
        assert self._link
        refused = frozenset(key for key, deaths in self._blame.items() if deaths >= _BLAME)
        limit, repair = self._limit_of(job), self._fatal < _BLAME
        self._link.send(CheckOrder(job.number, job.document, job.others, job.options, refused, limit, repair))
        if self._watch is None:
            self._watch_jobs()

    def _limit_of(self, job: _Job) -> float:
        return self._limit_for(job.document, *job.others)

    def _limit_for(self, *documents: str) -> float:
        return self._limit + self._texts.characters(documents) * PER_CHARACTER

    def _hurry(self, document: str) -> None:
        """What is being checked of this document is of no use any more: see that it stops."""
        if self._running and self._running[1] == document:
            self._watch_for(_PATIENCE, _Killed.FOR_SILENCE)

    def _received(self, link: WorkerLink, answer: Message | None, fresh: dict[bytes, ChunkRecord]) -> None:
        if link is not self._link:
            return
        self._found.came(fresh)
        match answer:
            case None:
                self._died(link)
            case WorkerReady():
                self._watch_jobs()
            case Derived(number, found):
                _, tell = self._asked.pop(number, (0.0, None))  # it may have been withdrawn
                self._watch_jobs()
                if tell:
                    tell(found)
            case FirstProblems(document, revision, problems):
                if document in self._texts:
                    self._glimpsed(document, revision, problems)
            case Detailed(document, exception):
                self._details(document, exception)
            case Repaired(document, revision, repairs):
                if self._mending.get(document) == revision:
                    del self._mending[document]
                    self._mended(document, revision, repairs)
            case Asking(document):
                self._asks(document)
            case Told(document, better):
                self._asks(None, better)
            case Surveying(root, left, total, number):
                self._surveying = root
                if number >= self._looked:
                    self._due = left > 0
                    self._counted(left, total)
            case Surveyed(files):
                self._around(files)
            case Begun(number, document, limit):
                self._running = number, document
                self._surveying = ""
                self._watch_jobs(limit)
                if self._job(number, document) is None:
                    self._hurry(document)
            case Finished() | Stopped() | Failed():
                self._running = None
                self._watch_jobs()
                self._ended(answer)
                if not self._jobs:
                    self._found.idle()

    def _details(self, document: str, exception: str) -> None:
        """Something has come of what is awaited of a document, or it will not come."""
        job = self._awaited.get(document)
        if job is None:
            return
        if exception:
            del self._awaited[document]
            self._report(self._failure(job, exception))
        elif self._found.is_whole(document):
            del self._awaited[document]
            self._acquit(document)
        self._watch_jobs()
        self._detailed(document)
        if not self._jobs:
            self._found.idle()

    def _asks(self, document: str | None, better: bool = False) -> None:
        """The numbers of a document are being made smaller, or not any more."""
        before, self._asking = self._asking, document
        if before is not None:
            self._bettered(before, False, better and before in self._texts)
        if document is not None:
            self._bettered(document, True, False)

    def _ended(self, answer: Finished | Stopped | Failed) -> None:
        if isinstance(answer, Finished):
            self._closed |= answer.closed
            if answer.configured:
                self._kept = tuple(answer.configured.kept.items())
                self._faulty = answer.configured.faulty
            for checked in answer.checked:
                if checked.document in self._texts:  # else it was closed
                    self._found.checked(checked)
                    self._acquit(checked.document)
                    self._mending[checked.document] = checked.revision
        job = self._job(answer.number, answer.document)
        if job is None or isinstance(answer, Stopped):
            return
        del self._jobs[job.document]
        self._watch_jobs()
        if isinstance(answer, Finished):
            for document in (each.document for each in answer.checked if each.document in self._texts):
                self._awaited.pop(document, None)
                if not self._found.is_whole(document):
                    self._awaited[document] = replace(job, document=document, others=job.others - {document})
            self._report(self._finished(job, answer))
        elif answer.out_of_time:
            self._ran_out(job, answer.waited)
        else:
            self._report(self._failure(job, answer.exception))

    def _finished(self, job: _Job, answer: Finished) -> Outcome:
        findings = tuple(self._finding(each) for each in answer.checked if each.document in self._texts)
        read = {name for names in answer.projects for name in names if name not in answer.opened}
        closed = {name: self._closed[name] for name in read if name in self._closed}
        counted = answer.seconds, answer.parsed, answer.inferred
        about = answer.projects, answer.opened, closed
        return Outcome(job.document, findings, None, True, *about, *counted, self._faulty)

    def _finding(self, checked: CheckedDocuments) -> Finding:
        records, source = self._found.of(checked.document), self._texts.checked(checked.document, checked.revision)
        chunks = tuple(Placed(start, length, records[key]) for start, length, key in checked.layout)
        return Finding(checked.document, checked.revision, source, Analysis(source, chunks, checked.options))

    def _ran_out(self, job: _Job, waited: bool) -> None:
        """A check took longer than it may. If it ``waited`` for the machine, it is tried again when that is quiet."""
        again = waited and job.tries < _TRIES
        if again:
            job.tries += 1
            self._late[job.document] = job
            self._look_later(_LOOKS)
        limit = self._limit_of(job)
        problem = CheckTooLong.at(Span(0, 0), seconds=round(limit))
        self._report(Outcome(job.document, self._nothing(job), problem, not again, seconds=limit))

    def _look_later(self, looks: int) -> None:
        """Try what is late when nothing else is to be done, or after so many looks."""

        def look() -> None:
            self._looking = None
            if looks > 1 and (self._jobs or not self._quiet()):
                self._look_later(looks - 1)
            elif self._late:
                late, self._late = self._late, {}
                for job in late.values():
                    self.check(job.document, job.options, job.others)
                    self._jobs[job.document].tries = job.tries

        if self._looking is None and self._late:
            self._looking = asyncio.get_running_loop().call_later(self._later, look)

    def _failure(self, job: _Job, cause: str, final: bool = True) -> Outcome:
        problem = CheckerEnded.at(Span(0, 0), cause=cause)
        return Outcome(job.document, self._nothing(job), problem, final)

    def _nothing(self, job: _Job) -> tuple[Finding, ...]:
        """All that a job concerns, without an answer."""
        names = [name for name in (job.document, *sorted(job.others)) if name in self._texts]
        return tuple(Finding(name, *self._texts.newest(name), None) for name in names)

    def _died(self, link: WorkerLink) -> None:
        """Report what the process leaves undone, and start another one for it. If it ended after a check, it may be by
        what was still awaited of a chunk."""
        why, running = self._killed or (_Killed.FOR_TIME if link.out_of_time else None), self._running
        _log.warning("the checking process ended: %s", why.value if why else "unexpectedly")
        self._link = None
        self._stop_watching()
        self._tell_nothing()
        self._asks(None)
        awaited, self._awaited = self._awaited, {}
        self._mend_nothing(fatal=not (running or awaited) and why in (None, _Killed.FOR_SILENCE))
        if (running or awaited) and link.chunk and (why is None or link.out_of_time):
            self._blame[link.chunk] += 1
        surveying, self._surveying = self._surveying, ""
        if self._due and not running and why is not _Killed.ON_REQUEST:
            self._deaths[surveying] += 1
        jobs = list(self._jobs.values())
        self._jobs = awaited | self._jobs  # what is awaited comes after another check
        if why is _Killed.FOR_TIME:
            late = self._job(*running) if running else None
            about = [job for document, job in awaited.items() if link.chunk in self._found.of(document)]
            for job in [late] if late else about or jobs:
                del self._jobs[job.document]
                self._ran_out(job, waited=not link.out_of_time)
        elif why is None:
            for job in list(self._jobs.values()):
                self._bereaved(job)
        if why is _Killed.ON_REQUEST:
            self._found.clear()
        if self._jobs or why or surveying or (self._due and self._deaths[""] < _BLAME):
            self.start()
        elif self._due:
            self._counted(0, 0)

    def _acquit(self, document: str) -> None:
        """The chunks of a document that are known to the end: a process that died in one did not die of it."""
        for key, record in self._found.of(document).items() if self._blame else ():
            if self._blame.get(key[:KEY], _BLAME) < _BLAME and record.is_whole:
                del self._blame[key[:KEY]]

    def _bereaved(self, job: _Job) -> None:
        """The process died before this was checked: say so, and give up if that is nothing new."""
        job.deaths += 1
        final = job.deaths >= _ATTEMPTS
        if final:
            del self._jobs[job.document]
        self._report(self._failure(job, "it ended unexpectedly", final))

    def _mend_nothing(self, fatal: bool) -> None:
        """No fixes are tried any more; ``fatal`` if they may be what the process died of."""
        mending, self._mending = self._mending, {}
        self._fatal += bool(mending) and fatal
        for document, revision in mending.items():
            self._mended(document, revision, ())

    def _job(self, number: int, document: str) -> _Job | None:
        """The job with this number, unless it was superseded."""
        return job if (job := self._jobs.get(document)) and job.number == number else None

    def _kill(self, why: _Killed) -> None:
        if self._link:
            self._killed = why
            self._link.kill()

    def _watch_jobs(self, least: float = 0.0) -> None:
        """Give the process its full time if there is something to do, and all the time there is if not."""
        self._stop_watching()
        limits = [*map(self._limit_of, self._jobs.values()), *(limit for limit, _ in self._asked.values())]
        limits += map(self._limit_of, self._awaited.values())
        if limits:
            start = 0.0 if self._link and self._link.ready else _START
            self._watch_for((max(least, *limits) + _GRACE) * _SLOWER + start, _Killed.FOR_TIME)

    def _watch_for(self, seconds: float, why: _Killed) -> None:
        """Kill the process after some seconds; for silence, counted from its last sign of life."""
        self._stop_watching()
        loop = asyncio.get_running_loop()

        def look() -> None:
            self._watch = None
            silence = time.monotonic() - self._link.heard if self._link else seconds
            if why is _Killed.FOR_SILENCE and silence < seconds:
                self._watch_for(seconds - silence, why)
            else:
                self._kill(why)

        self._watch = loop.call_later(seconds, look)

    def _stop_watching(self) -> None:
        if self._watch:
            self._watch.cancel()
            self._watch = None


class Kept:
    """The records of each open document as it was last checked, and those that have come in checks since, whether these
    ended or not."""

    def __init__(self) -> None:
        self._records: dict[str, dict[bytes, ChunkRecord]] = {}
        self._fresh: dict[bytes, ChunkRecord] = {}

    def came(self, fresh: Mapping[bytes, ChunkRecord]) -> None:
        """A process has sent these."""
        for key, record in fresh.items():
            known = self._known(key)
            self._fresh[key] = known if known is not None and known.fill(record) else record  # it may be refused now
            made_of = self._known(key[:KEY])
            if made_of is not None:
                made_of.fill(record)

    def _known(self, key: bytes) -> ChunkRecord | None:
        """The record with a key, of which there is one, so that what comes of it comes everywhere."""
        return next((records[key] for records in (self._fresh, *self._records.values()) if key in records), None)

    def is_whole(self, document: str) -> bool:
        """Whether nothing of the records of a document is awaited."""
        return all(record.is_whole for record in self._records[document].values())

    def idle(self) -> None:
        """There is nothing left to check: what came and is of no document any more is not needed."""
        self._fresh.clear()

    def checked(self, checked: CheckedDocuments) -> None:
        """A document was checked to the end. Kept are its records, and those that some were made of by finding the
        places in other files that they name."""
        known = self._records.get(checked.document, {}) | self._fresh
        keys = [key for _, _, key in checked.layout]
        made_of = {key[:KEY]: known[key[:KEY]] for key in keys if key[:KEY] in known}
        self._records[checked.document] = made_of | {key: known[key] for key in keys}

    def of(self, document: str) -> Mapping[bytes, ChunkRecord]:
        """The records of a document by their keys."""
        return self._records[document]

    def forget(self, document: str) -> None:
        """A document is closed."""
        self._records.pop(document, None)

    def clear(self) -> None:
        """Forget all."""
        self._records.clear()
        self._fresh.clear()

    def lessons(self) -> Iterator[Learn]:
        """What to tell a process that has found out nothing yet: what is known to the end."""
        for document, records in (*self._records.items(), ("", self._fresh)):
            yield Learn(document, tuple(record for record in records.values() if record.is_whole))


class _Text(NamedTuple):
    file: str
    language: str
    revision: int
    source: Source


class Texts:
    """The newest text of each open document, and older ones until a newer one was checked. A document is in it while it
    is open."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[int, _Text]] = {}

    def __contains__(self, document: object) -> bool:
        return document in self._texts

    def put(self, document: str, file: str, language: str, revision: int, source: Source) -> OpenedText:
        """A document is open or has a newer text; ``file`` is its name in a check, ``language`` the id of the one it is
        written in. What to tell the process of it."""
        text = self._texts.setdefault(document, {})[revision] = _Text(file, language, revision, source)
        return _opened(document, text)

    def opened(self) -> Iterator[OpenedText]:
        """What to tell a process that knows no document."""
        return (_opened(document, texts[max(texts)]) for document, texts in self._texts.items())

    def newest(self, document: str) -> tuple[int, Source]:
        """The newest revision of a document, and its text."""
        revision = max(self._texts[document])
        return revision, self._texts[document][revision].source

    def checked(self, document: str, revision: int) -> Source:
        """The text of a revision that was checked; older ones are not needed any more."""
        known = self._texts[document]
        self._texts[document] = {each: known[each] for each in known if each >= revision}
        return known[revision].source

    def characters(self, documents: Container[str]) -> int:
        """How many code points these documents have together."""
        newest = (self.newest(name)[1] for name in self._texts if name in documents)
        return sum(len(source.text) for source in newest)

    def forget(self, document: str) -> None:
        """A document is closed."""
        self._texts.pop(document, None)


def _opened(document: str, text: _Text) -> OpenedText:
    return OpenedText(document, text.file, text.revision, text.source.text, text.language)
