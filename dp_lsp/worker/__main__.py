"""The worker process: checks the texts it is sent, until its input ends.

One thread reads requests and stores the newest number of each document; the main thread checks. The end of
the input ends the process at once, whatever it is doing, so that none outlives its parent.

A copy of the worker that looks at closed files from the other end of their list, where there is a processor for it.

The two tell each other nothing: each keeps what it finds out, and looks first whether that is kept already. So neither
has to wait for the other, nor to know whether it is still there, and what one does wrong the other one does not read.

It is a copy (``fork``) because it shares the memory with what it was copied from: the files that were found, the
options of each, all modules. Another process that is begun anew would hold as much once more.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import BinaryIO

from dp_lsp import frontends
from dp_lsp.analysis.limits import PER_CHARACTER, OutOfTime, Superseded, Ticket
from dp_lsp.analysis.loading import Loader, SourceText
from dp_lsp.analysis.records import KEY, Analysis, ChunkRecord, Options, Repair
from dp_lsp.analysis.workspace import ClosedFile
from dp_lsp.cache import BEGAN
from dp_lsp.cache.results import ProgramStamp, Results
from dp_lsp.cache.store import opened
from dp_lsp.engine.check import Engine, OptionsOf
from dp_lsp.engine.distributions import ask
from dp_lsp.engine.trials import worth_trying
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Span
from dp_lsp.worker.frames import (
    Answer,
    Asking,
    Begun,
    CheckedDocuments,
    CheckOrder,
    Derivable,
    Derive,
    Derived,
    Detailed,
    Entered,
    Failed,
    Finished,
    FirstProblems,
    Forget,
    FoundRecord,
    Hasten,
    Learn,
    Look,
    MovedPaths,
    NewConfiguration,
    OpenedText,
    Repaired,
    Spare,
    Stopped,
    Surveyed,
    Surveying,
    Told,
    Wanted,
    Withdraw,
    WorkerReady,
    encode,
    receive,
)
from dp_lsp.worker.problems import CheckerEnded, CheckTooLong
from dp_lsp.worker.projects import FilesNews, Projects, Result

_PATIENCE = 10  # what it is nicer by than a process that somebody waits for
_OURS = 3  # the first of the files that are open in the worker for its own use: pipes to who wants to know


class Helper:
    """Such a copy, at work from the beginning. ``work`` is what it does, given a function that tells whether nobody
    needs it any more. Raises OSError if there can be no process."""

    def __init__(self, work: Callable[[Callable[[], bool]], None]) -> None:
        parent = os.getpid()
        self._process = os.fork()
        if self._process == 0:
            with contextlib.suppress(BaseException):  # whatever is wrong: the other process comes to it as well
                os.nice(_PATIENCE)
                _close_ours()
                gc.freeze()  # to look through what is shared would make copies of it
                work(lambda: os.getppid() != parent)
            os._exit(0)

    def stop(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError, ChildProcessError):  # the system may not keep what has ended
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)


def _close_ours() -> None:
    """Let go of the pipes: who reads from one is told of its end only if nobody holds it any more."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) >= _OURS:
            with contextlib.suppress(OSError):  # the one by which they were listed
                os.close(int(name))


def has_room() -> bool:
    """Whether the system can copy a process, and has a processor for it. That of Apple can, but its libraries do not
    stand it."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


# More than any real file needs; beyond it the machine would suffer, so the check fails instead. In bytes.
_MEMORY = 4 << 30
_QUIET = 0.15  # seconds without anything to do before fixes are tried: most texts of somebody who types live shorter
_QUIETER = 0.5  # and before distributions are asked for, which takes at least as long
_LOOK = 0.01  # seconds between two looks whether something came while they are computed
_SWITCH = 0.001  # seconds after which what is computed lets the reading thread have its turn
_NEWEST = 0  # the generation of what was made since the last look for what nobody needs
_LITTER = 500  # chunks that are parsed or inferred between looks for what nobody needs
_GRACE = 2.0  # seconds of computing that a check which does not look at its time has besides
_BUSY = 1.5  # how many times as long as it computed a check lasts where the machine does much else
_TRYING = 5.0  # seconds that the fixes of a document may take
_GLIMPSE, _FEW = 0.05, 16  # seconds, and chunks, after which the problems found so far are told of a new document
_EDITED = 2  # chunks that an edit mostly touches, at most
_PORTION = 0.05  # seconds after which the other side is told what has come of what it waits for
_MANY = 32  # projects of closed files, after which it is worth while to have help with them

_log = logging.getLogger(__name__)


News = Look | OpenedText | Learn | Hasten | Spare | Forget


class Inbox:
    """What came: news in the order they came, the newest check of each document, and what is to be derived."""

    def __init__(self) -> None:
        self._news: list[News] = []
        self._checks: dict[str, CheckOrder] = {}
        self._derive: list[Derive | MovedPaths] = []
        self._withdrawn: set[int] = set()
        self._newest: dict[str, int] = {}
        self._arrived = threading.Condition()

    def fill(self, stream: BinaryIO) -> None:
        """Read requests until the stream ends, then end the process."""
        while (message := receive(stream)) is not None:
            with self._arrived:
                match message:
                    case CheckOrder():
                        self._newest[message.document] = message.number
                        self._checks[message.document] = message
                    case Derive() | MovedPaths():
                        self._derive.append(message)
                    case Withdraw(number):
                        self._withdrawn.add(number)
                    case Forget():
                        self._newest[message.document] = message.number
                        self._checks.pop(message.document, None)
                        self._news.append(message)
                    case Look() | OpenedText() | Learn() | Hasten() | Spare():
                        self._news.append(message)
                self._arrived.notify()
        os._exit(0)

    def take(self, patience: float | None) -> tuple[list[News], CheckOrder | Derive | MovedPaths | None]:
        """The news, and the oldest check that nothing superseded, or else what is to be derived. Waits for any, but not
        longer than some seconds."""
        with self._arrived:
            self._arrived.wait_for(self.has_any, patience)
            news, self._news = self._news, []
            if self._checks:
                return news, self._checks.pop(next(iter(self._checks)))
            return news, self._derive.pop(0) if self._derive else None

    def put_back(self, request: Derive | MovedPaths) -> None:
        """It is to be derived after the next check."""
        with self._arrived:
            self._derive.insert(0, request)

    def is_withdrawn(self, request: Derive | MovedPaths) -> bool:
        """Whether nobody wants it any more."""
        return request.number in self._withdrawn

    def must_wait(self, request: Derive | MovedPaths) -> bool:
        """Whether something that is derived must stop, for good or for a check."""
        return self.is_withdrawn(request) or self.has_checks()

    def has_checks(self) -> bool:
        """Whether anything is to be checked."""
        return bool(self._checks)

    def has_any(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._news or self._checks or self._derive)

    def superseded(self, request: CheckOrder) -> bool:
        """Whether a newer request for the same document has come."""
        return self._newest[request.document] != request.number


def _end_after(seconds: float) -> None:
    """End this process after so many seconds of computing, where the system can do that; not at all for 0."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


class _Rest(NamedTuple):
    """The records of a document that the other side waits for, the next one last, and how long each may take."""

    records: list[ChunkRecord]
    limit: float


class _Glimpses:
    """The problems found so far in a document of which nothing was known: whoever opens a long file need not wait for
    the end of its first check. They are told ever more seldom, so that telling them takes little of the time."""

    def __init__(self, document: str, file: str, revision: int, send: Callable[[FirstProblems], None]) -> None:
        self._document = document
        self._file = file
        self._revision = revision
        self._send = send
        self._problems: dict[Problem, None] = {}
        self._known = self._told = 0
        self._began = time.perf_counter()
        self._next = self._began + _GLIMPSE

    def known(self, file: str, start: int, record: ChunkRecord) -> None:
        """This is known of a chunk that begins there in a file."""
        if file != self._file:
            return
        self._known += 1
        for problem in record.verdict.problems:
            related = tuple(each for each in problem.related if each.where is None)
            self._problems[problem._replace(related=related).moved(start)] = None
        if self._known > _FEW and len(self._problems) > self._told and (now := time.perf_counter()) >= self._next:
            self._next = now + (now - self._began)
            self._told = len(self._problems)
            self._send(FirstProblems(self._document, self._revision, tuple(self._problems)))


class Service:
    """Checks, and knows which records of each document the other side has."""

    def __init__(self, inbox: Inbox, out: BinaryIO, results: Results | None = None) -> None:
        self._inbox = inbox
        self._out = out
        self._projects = Projects(results)
        self._options = Options()  # of the last check
        self._limit = 0.0  # and the seconds that it might compute
        self._sent: dict[str, dict[bytes, ChunkRecord]] = {}
        self._answered: set[str] = set()  # the documents that were checked
        self._fresh: set[bytes] = set()  # the keys of what was sent in this check
        self._whole: set[bytes] = set()  # and of all of which nothing is awaited
        self._rest: dict[str, _Rest] = {}  # by document
        self._hurried = b""  # the key of the record that somebody waited for last
        self._closed: dict[str, ClosedFile] = {}
        self._told: NewConfiguration | None = None
        self._survey = Look(())  # how closed files are checked, and which are not
        self._surveying = False  # whether any may be due
        self._helper: Helper | None = None  # who looks at them, too
        self._around = 0  # the number of the last message for which they may be
        self._clean = 0
        self._questions: dict[str, tuple[str, ...]] = {}  # by the document whose check came to them
        self._unrepaired: dict[str, tuple[int, Analysis, Options]] = {}  # what was checked, and its fixes not tried yet

    def send(self, message: Answer) -> None:
        """Tell the other side at once, with all that was told before."""
        self._out.write(encode(message))
        self._out.flush()

    def serve(self) -> None:
        """Answer requests for ever."""
        self.send(WorkerReady())
        while True:
            news, request = self._inbox.take(0.0 if self._rest or self._surveying else self._patience())
            for message in news:
                self._heard(message)
            if isinstance(request, Derive | MovedPaths):
                self._derive(request)
            elif request and request.document in self._projects.open:
                self._check(request)
            elif self._rest and not news:
                self._detail(next(iter(self._rest)))
            elif self._unrepaired and not news:
                self._repair(*self._unrepaired.popitem())
            elif self._is_littered() and not news:
                gc.collect()
                self._clean = self._made()
            elif self._surveying and not news:
                self._look_around()
            elif self._projects.has_fresh and not news:
                self._keep()
            elif self._questions and not news:
                self._ask(*self._questions.popitem())
            self._projects.tidy()
            if not self._inbox.has_any():
                gc.collect(_NEWEST)

    def _patience(self) -> float | None:
        """How many seconds to wait for something to do, before there is time for what is not urgent."""
        if self._unrepaired or self._projects.has_fresh or self._is_littered():
            return _QUIET
        return _QUIETER if self._questions else None

    def _made(self) -> int:
        """How many pieces of work have left litter since the engine was made."""
        engine = self._projects.engine
        return engine.parsed + engine.inferred + engine.tried

    def _is_littered(self) -> bool:
        """Whether it is worth while to look for what nobody needs. That takes long, so it is done when it is quiet."""
        return abs(self._made() - self._clean) > _LITTER

    def _heard(self, message: News) -> None:
        match message:
            case Look(folders, wishes, kept, survey, _, number):
                self._projects.configurations.kept.update(kept)
                self._projects.look(folders, wishes, survey > 0)
                self._survey, self._surveying, self._around = message, survey > 0, number
                self._stop_help()
            case OpenedText(document, file, revision, text, language):
                self._projects.opened(document, file, revision, SourceText(text, language=language))
            case Learn(document, records):
                self._projects.engine.learn(document, records)
                if document:
                    self._sent[document] = {record.key: record for record in records}
                self._whole.update(record.key for record in records)
            case Hasten(key):
                self._hasten(key)
            case Spare(document):
                self._projects.engine.answers.learn(dict.fromkeys(self._questions.pop(document, ())))
            case Forget(number, document):
                self._projects.engine.unlearn(document)
                self._sent.pop(document, None)
                self._answered.discard(document)
                self._rest.pop(document, None)
                self._unrepaired.pop(document, None)
                self._questions.pop(document, None)
                self._projects.closed(document)
                self._surveying, self._around = self._survey.survey > 0, number

    def _check(self, request: CheckOrder) -> None:
        began, computed = time.perf_counter(), time.process_time()
        self._fresh.clear()
        self._options, self._limit = request.options, request.limit
        options = self._projects.options_of(request.options)
        analyses: list[Analysis] = []
        opened = self._projects.open[request.document]
        first = _Glimpses(request.document, opened.file, opened.revision, self.send)
        on_known = None if request.document in self._sent else first.known

        def check(engine: Engine, root: str, files: Loader, unseen: int) -> dict[str, Analysis]:
            ticket = self._begin(request, unseen)
            self._projects.recall(root, options)
            before = engine.inferred
            about = self._entered, request.refused, self._found, on_known
            found = engine.project(root, files, options, ticket, *about)
            if engine.inferred != before:
                self._projects.found(root, request.refused)
            analyses.extend(found.values())
            return found

        try:
            look = self._begin(request, 0).look
            result = self._projects.check(request.document, request.others, look, options, check)
            self._point_out(result)
        except Superseded:
            self.send(Stopped(request.number, request.document))
        except OutOfTime:
            waited = time.perf_counter() - began > _BUSY * (time.process_time() - computed)
            self.send(Failed(request.number, request.document, True, "", waited))
        except BrokenPipeError:
            raise
        except Exception as error:  # a bug of ours, or no memory: the other documents must not suffer
            _log.error("a check failed: %s", type(error).__name__, exc_info=_log.isEnabledFor(logging.DEBUG))
            self._projects.forget()
            self.send(Failed(request.number, request.document, False, type(error).__name__))
        else:
            self._answer(request, result, time.perf_counter() - began)
            self._wonder(request.document, analyses)
        finally:
            _end_after(0.0)

    def _point_out(self, result: Result) -> None:
        """Tell what is known of names and expressions at once where an edit left little to find out: who points at
        something just after it would else wait until the next edit is checked, too."""
        for document in result.checked.keys() & self._answered:
            records = (placed.record for placed in result.checked[document].chunks)
            left = [each for each in records if each.key[:KEY] in self._fresh and not each.facts.is_known]
            for record in left if len(left) <= _EDITED else ():
                self._entered(record.key[:KEY])
                record.names.ask()
                record.facts.ask()
                self._fresh.add(record.key)
                self._tell(record)

    def _keep(self) -> None:
        def look() -> None:
            self._give_way()
            _end_after(self._limit + _GRACE)

        try:
            self._projects.keep(self._projects.options_of(self._options), look)
        except Superseded:
            pass  # it is kept when it is quiet again
        except Exception as error:  # a bug of ours, or no memory
            self._projects.keep_nothing()
            _log.error("results were not kept: %s", type(error).__name__, exc_info=_log.isEnabledFor(logging.DEBUG))
        finally:
            _end_after(0.0)

    def _look_around(self) -> None:
        """Find out what is wrong with one more project of closed files. Whatever comes meanwhile is more urgent."""
        options = self._projects.options_of(self._options)
        root: str | None = None
        try:
            root, gone = self._projects.due(self._give_way, options)
            self._tell_around(gone)
            survey = self._projects.survey
            if root is None or survey is None:
                self._surveying = False
                self._stop_help()
                self.send(Surveying("", 0, survey.total if survey else 0, self._around))
            elif root in self._survey.barred:
                self._give_up(root, options, CheckerEnded.at(Span(0, 0), cause="it ended unexpectedly"))
            else:
                self.send(Surveying(root, survey.left, survey.total, self._around))
                self._tell_around(self._projects.surveyed(root, options, partial(self._surveyed, options)))
        except Superseded:
            pass
        except BrokenPipeError:
            raise
        except Exception as error:  # out of time, a bug of ours, or no memory
            _log.error("closed files: %s", type(error).__name__, exc_info=_log.isEnabledFor(logging.DEBUG))
            self._projects.forget()
            if root is None:
                self._surveying = False
            elif isinstance(error, OutOfTime):
                self._give_up(root, options, CheckTooLong.at(Span(0, 0), seconds=round(self._survey.survey)))
            else:
                self._give_up(root, options, CheckerEnded.at(Span(0, 0), cause=type(error).__name__))
        finally:
            _end_after(0.0)

    def _give_up(self, root: str, options: OptionsOf, problem: Problem) -> None:
        """A project of closed files cannot be checked, for this reason."""
        self._tell_around(self._projects.given_up(root, options, problem))

    def _tell_around(self, news: FilesNews) -> None:
        """Tell what is news of closed files, if anything is."""
        if news:
            self.send(Surveyed(news))

    def _surveyed(
        self, options: OptionsOf, engine: Engine, root: str, files: Loader, unseen: int
    ) -> dict[str, Analysis]:
        """What is known of a project of closed files. Of its records nothing is told."""
        self._have_help(options)
        return self._checked_around(options, self._inbox.has_any, engine, root, files, unseen)

    def _checked_around(
        self,
        options: OptionsOf,
        stopped: Callable[[], bool],
        engine: Engine,
        root: str,
        files: Loader,
        unseen: int,
    ) -> dict[str, Analysis]:
        ticket = Ticket(stopped, self._deadline(self._survey.survey + unseen * PER_CHARACTER))
        self._projects.recall(root, options)
        try:
            return engine.project(root, files, options, ticket)
        finally:
            engine.unlearn("")

    def _have_help(self, options: OptionsOf) -> None:
        """Let a copy of this process begin at the other end of what is due, if that is much."""
        survey = self._projects.survey
        if self._helper is None and survey and survey.left > _MANY and self._projects.keeps and has_room():
            with contextlib.suppress(OSError):
                self._helper = Helper(partial(self._help, options))

    def _help(self, options: OptionsOf, stopped: Callable[[], bool]) -> None:
        """What such a copy does. What takes too long for it is left to the other process, which says so."""
        check = partial(self._checked_around, options, stopped)
        for root in self._projects.survey.from_the_end() if self._projects.survey else ():
            if root not in self._survey.barred:
                with contextlib.suppress(OutOfTime):
                    self._projects.surveyed(root, options, check)
                gc.collect(_NEWEST)

    def _stop_help(self) -> None:
        if self._helper is not None:
            self._helper.stop()
            self._helper = None

    def _wonder(self, document: str, analyses: list[Analysis]) -> None:
        """Remember what is worth asking about what was checked because of a document."""
        self._questions.pop(document, None)
        open_ = self._projects.engine.answers.open(analyses)
        if open_:
            self._questions[document] = open_

    def _ask(self, document: str, questions: tuple[str, ...]) -> None:
        """Have questions answered by a process of its own. Whatever comes meanwhile is more urgent, and ends it."""
        better = False
        self.send(Asking(document))
        try:
            found = ask(questions, self._give_way, _LOOK)
        except Superseded:
            self._questions[document] = questions
        except OSError:  # no process can be started
            _log.warning("no process can be started for privacy-loss distributions")
        else:
            self._projects.engine.answers.learn(found)
            better = any(answer is not None for answer in found.values())
        self.send(Told(document, better))

    def _give_way(self) -> None:
        if self._inbox.has_any():
            raise Superseded

    def _derive(self, request: Derive | MovedPaths) -> None:
        ticket = Ticket(partial(self._inbox.must_wait, request), self._deadline(request.limit))
        found: Derivable | None = None
        try:
            if isinstance(request, MovedPaths):
                found = self._projects.moved(request.moves, ticket.look)
            elif request.document in self._projects.open and not self._inbox.is_withdrawn(request):
                found = self._derived(request, ticket)
        except Superseded:
            if not self._inbox.is_withdrawn(request):
                return self._inbox.put_back(request)
        except BrokenPipeError:
            raise
        except Exception as error:  # out of time, or a bug of ours
            _log.error("a derivation failed: %s", type(error).__name__, exc_info=_log.isEnabledFor(logging.DEBUG))
        finally:
            _end_after(0.0)
        self.send(Derived(request.number, found))

    def _derived(self, request: Derive, ticket: Ticket) -> Derivable | None:
        document, offset, options = request.document, request.offset, request.options
        match request.wanted:
            case Wanted.EXPLANATION:
                return self._projects.explain(document, offset, options, ticket)
            case Wanted.WITNESS:
                return self._projects.witness(document, offset, options, ticket)
            case Wanted.PLOTS:
                return self._projects.plots(document, options, ticket)

    def _hasten(self, key: bytes) -> None:
        """Let a record be the next one that all is told of."""
        for document, rest in self._rest.items():
            for index, record in enumerate(rest.records):
                if record.key == key:
                    rest.records.append(rest.records.pop(index))
                    self._rest = {document: rest, **self._rest}
                    self._hurried = key
                    return

    def _detail(self, document: str) -> None:
        """Tell all of the records of a document that was left for later, until something comes: one that somebody waits
        for by itself, the others in portions."""
        records, limit = self._rest[document]
        late = time.perf_counter() + _PORTION
        try:
            self._name(records)
            while records and not self._inbox.has_any() and time.perf_counter() < late:
                _end_after(limit + _GRACE)
                self._entered(records[-1].key[:KEY])
                self._out.write(encode(FoundRecord(records[-1])))  # which asks for all of it
                told = records.pop().key
                self._whole.add(told)
                if told == self._hurried:
                    break
        except BrokenPipeError:
            raise
        except Exception as error:  # a bug of ours, or no memory
            _log.error("details are missing: %s", type(error).__name__, exc_info=_log.isEnabledFor(logging.DEBUG))
            self._projects.forget()
            del self._rest[document]
            self.send(Detailed(document, type(error).__name__))
        else:
            if not records:
                del self._rest[document]
            self.send(Detailed(document))
        finally:
            _end_after(0.0)

    def _name(self, records: list[ChunkRecord]) -> None:
        """Tell where the names of all these records stand: that takes little, and much that is asked of a document that
        was just opened is about all of its names."""
        for record in reversed(records):
            if not record.names.is_known and not self._inbox.has_any():
                _end_after(self._limit + _GRACE)
                self._entered(record.key[:KEY])
                record.names.ask()
                self._out.write(encode(FoundRecord(record.at_once())))

    def _repair(self, document: str, checked: tuple[int, Analysis, Options]) -> None:
        """Try the fixes of a document, unless it has another text by now. Whatever comes is more urgent."""
        revision, analysis, options = checked
        found: tuple[Repair, ...] = ()
        ticket = Ticket(self._inbox.has_any, time.process_time() + _TRYING)
        try:
            if self._projects.open[document].revision == revision:
                found = self._projects.repairs(document, analysis, options, ticket)
        except Superseded:
            self._unrepaired[document] = checked
            return
        except BrokenPipeError:
            raise
        except Exception as error:  # a bug of ours, or no memory
            _log.error("fixes were not tried: %s", type(error).__name__, exc_info=_log.isEnabledFor(logging.DEBUG))
            self._projects.forget()
        self.send(Repaired(document, revision, found))

    def _begin(self, request: CheckOrder, unseen: int) -> Ticket:
        """Say that a part of a check begins, with so many characters that the other side does not know of."""
        limit = request.limit + unseen * PER_CHARACTER
        self.send(Begun(request.number, request.document, limit))
        return Ticket(partial(self._inbox.superseded, request), self._deadline(limit))

    def _deadline(self, limit: float) -> float:
        """Until when something may compute. It is ended if it does not look at that."""
        _end_after(limit + _GRACE)
        return time.process_time() + limit

    def _entered(self, key: bytes) -> None:
        self.send(Entered(key))

    def _found(self, record: ChunkRecord) -> None:
        """Tell a record at once, so that it outlives us; it is on its way before the next chunk is begun."""
        self._fresh.add(record.key)
        self._tell(record)

    def _tell(self, record: ChunkRecord) -> None:
        """Send what of a record is there."""
        self._out.write(encode(FoundRecord(record.at_once())))
        if record.is_whole:
            self._whole.add(record.key)
        else:  # the other side may have had all of it before the document was closed
            self._whole.discard(record.key)

    def _answer(self, request: CheckOrder, result: Result, seconds: float) -> None:
        checked = tuple(self._checked(document, analysis) for document, analysis in result.checked.items())
        closed = {name: file for name, file in result.closed.items() if self._closed.get(name) != file}
        self._closed |= closed
        engine = self._projects.engine
        for document in (*result.checked, *[""] * (not self._inbox.has_checks())):
            engine.unlearn(document)
        about = request.number, request.document, checked, result.projects, result.opened, closed
        self.send(Finished(*about, seconds, engine.parsed, engine.inferred, self._configured()))
        self._tell_around(result.news)
        self._answered.update(result.checked)
        self._whole.intersection_update(key for records in self._sent.values() for key in records)
        for document in result.checked:
            rest = [record for key, record in reversed(self._sent[document].items()) if key not in self._whole]
            self._rest.pop(document, None)
            if rest:
                self._rest[document] = _Rest(rest, request.limit)
        for document, analysis in sorted(result.checked.items(), key=lambda item: item[0] == request.document):
            self._unrepaired.pop(document, None)
            revision = self._projects.open[document].revision
            if request.repair and worth_trying(analysis):
                self._unrepaired[document] = revision, analysis, request.options
            else:
                self.send(Repaired(document, revision, ()))

    def _configured(self) -> NewConfiguration | None:
        """The configurations that are in force, if the other side does not know."""
        found = self._projects.configurations
        now = NewConfiguration(dict(found.kept), dict(found.faulty))
        if now == self._told:
            return None
        self._told = now
        return now

    def _checked(self, document: str, analysis: Analysis) -> CheckedDocuments:
        """Send the records of a document that the other side does not have."""
        known = self._sent.get(document, {}).keys() | self._fresh
        records = {placed.record.key: placed.record for placed in analysis.chunks}
        for key, record in records.items():
            if key not in known:
                self._tell(record)
        self._sent[document] = records
        layout = tuple((placed.start, placed.length, placed.record.key) for placed in analysis.chunks)
        return CheckedDocuments(document, self._projects.open[document].revision, analysis.options, layout)


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Input and output for frames alone: what anything else prints goes to standard error."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink


def _limit_memory() -> None:
    """Let a runaway check fail with ``MemoryError``, where the system can do that."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        mine = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (mine, most))


def collect_less() -> None:
    """What is remembered lives long and is in few cycles: looking through all of it, or through all that a check has
    made so far, would take longer than a pause may last, so that is left to :meth:`Service.serve`. Nearly all litter is
    found among what was made last, which is looked through after each answer: until then much of it is gone by itself.
    Only a check that makes much stops for that on its way, several times: to look through five times as many at once,
    which are no longer near the processor, takes ten times as long."""
    gc.freeze()
    gc.set_threshold(20_000, 1_000, 250)


def _warm_up() -> None:
    """Load what is loaded late, before anybody waits."""
    Engine().check(frontends.of("").syntax.sample)
    for name in (
        "configuration.keys",
        "engine.claimed",
        "engine.explanation",
        "engine.curves",
        "infer.mistakes.suspicions",
        "infer.mistakes.naming",
    ):
        import_module(f"dp_lsp.{name}")


def _results() -> Results | None:
    """What earlier processes found out."""
    store = opened()
    return None if store is None else Results(store, ProgramStamp(store, BEGAN))


def main() -> None:
    """Run until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, whose end is ours
    source, sink = _own_streams()
    sys.setswitchinterval(_SWITCH)
    _limit_memory()
    inbox = Inbox()
    threading.Thread(target=inbox.fill, args=(source,), daemon=True).start()
    with contextlib.suppress(Exception):  # it would fail again when somebody asks, and be reported then
        _warm_up()
    collect_less()
    with contextlib.suppress(BrokenPipeError):
        Service(inbox, sink, _results()).serve()


if __name__ == "__main__":
    main()
