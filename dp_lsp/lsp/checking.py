"""When to check which document, and who waits for it."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from dp_lsp.analysis.closed import IncludeEdit
from dp_lsp.analysis.loading import Faulty
from dp_lsp.analysis.records import Explanation, Options, Repair, Setting, Wish
from dp_lsp.analysis.rows import Plotted
from dp_lsp.analysis.setting import Subject
from dp_lsp.analysis.workspace import Document, Workspace
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.worker.client import Around, Counted, Finding, Outcome, Tell, Worker
from dp_lsp.worker.frames import Derivable, Wanted

_QUICK = 0.03  # seconds; a file that is checked faster is checked at every edit
_LONGEST_DELAY = 0.1  # seconds

_log = logging.getLogger(__name__)


class Outdated(Exception):
    """What was waited for will not come: the document was edited or closed."""


class Counters(NamedTuple):
    """Chunks parsed and inferred since the checking process started."""

    parsed: int
    inferred: int


class _Waiter(NamedTuple):
    document: Document
    version: int
    patient: bool  # through later edits
    future: asyncio.Future[None]


class Checker:
    """Has the documents checked. ``done`` is called when a check of a document ended, and whether for good,
    ``configured`` with what is wrong with configurations, by the paths of their files, ``busy`` when a check was asked
    for, and when it ended or is not needed any more, ``bettering`` when its numbers begin to be made smaller, and
    when that ended, ``detailed`` when something has come that was awaited of a document, ``glimpsed`` with the
    problems that the first check of one has found so far, and ``around`` and ``counted`` with what is found out of
    files that are not open (:class:`dp_lsp.worker.client.Worker`)."""

    def __init__(
        self,
        documents: Workspace,
        done: Callable[[Document, bool], None],
        configured: Callable[[Mapping[str, Faulty]], None] = lambda faulty: None,
        busy: Callable[[Document, bool], None] = lambda document, busy: None,
        bettering: Callable[[Document, bool], None] = lambda document, busy: None,
        detailed: Callable[[Document], None] = lambda document: None,
        glimpsed: Callable[[Document, Sequence[Problem]], None] = lambda document, problems: None,
        around: Around = lambda files: None,
        counted: Counted = lambda left, total: None,
    ) -> None:
        self._open = documents
        self._done = done
        self._configured = configured
        self._busy = busy
        self._bettering = bettering
        self._tell_detailed = detailed
        self._tell_glimpsed = glimpsed
        self._worker = Worker(
            self._ended,
            mended=self._mended,
            bettered=self._bettered,
            detailed=self._detailed,
            glimpsed=self._glimpsed,
            around=around,
            counted=counted,
        )
        self._options = Options()
        self._settings: dict[Document, dict[Subject, Fraction]] = {}
        self._timers: dict[Document, asyncio.TimerHandle] = {}
        self._submitted: dict[str, Document] = {}
        self._pace: dict[str, float] = {}
        self._waiters: list[_Waiter] = []
        self._curious: list[asyncio.Future[None]] = []  # those who wait for what is awaited
        self._hopeful: dict[Document, list[asyncio.Future[None]]] = {}  # those who wait for repairs
        self._results: dict[str, int] = {}
        self._session = secrets.token_hex(4)
        self._count = 0
        self.counters = Counters(0, 0)
        self.news = 0
        """How often more was known of any document."""

    def start(self) -> None:
        """Start the checking process, so that the first check need not wait for it."""
        self._worker.start()

    def restart(self) -> None:
        """A new checking process with an empty memory; all documents are checked again."""
        self._worker.restart()
        for document in self._apart():
            self.check(document)

    def close(self) -> None:
        """End the checking process; nobody is told."""
        self._worker.close()

    def look(self, folders: tuple[str, ...], wishes: tuple[Wish, ...] = (), survey: bool = False) -> None:
        """The files on the disk may have changed; these folders may be read. All documents are checked again, as the
        ``wishes`` say where there is no configuration; with ``survey`` also files that are not open."""
        self._worker.look(folders, wishes, survey)
        for document in self._apart():
            self._soon(document)

    def look_anew(self, folders: tuple[str, ...], wishes: tuple[Wish, ...], survey: bool = False) -> None:
        """The same where all may be checked by other rules now: what is being checked by the old ones is superseded."""
        self._worker.look(folders, wishes, survey)
        for document in self._open:
            self.check(document)

    def edited(self, document: Document) -> None:
        """Check a new text soon: at once if that is quick, else a little later, so that typing goes on."""
        self._disappoint(lambda waiter: waiter.document is document and not waiter.patient)
        self._content(document)
        self._soon(document)

    def check(self, document: Document) -> None:
        """Check the text as it is now, also if it was checked before."""
        self._forget_timer(document)
        document.checked = None
        self._submitted[document.name] = document
        self._busy(document, True)
        self._update(document)
        self._worker.check(document.name, self._present_options(), [other.name for other in document.others])

    def set(self, document: Document, subject: Subject, number: Fraction | None) -> None:
        """Give something in a document a number for this session, or take it back, and check again."""
        given = self._settings.setdefault(document, {})
        given.pop(subject, None)
        if number is not None:
            given[subject] = number
        self.check(document)

    def spare(self, document: Document) -> None:
        """The numbers of a document need not be made smaller than they are."""
        self._worker.spare(document.name)

    def _present_options(self) -> Options:
        """The options of a check, with the numbers that were given in each document."""
        settings = (
            Setting(*subject, number, document.file)
            for document, given in self._settings.items()
            for subject, number in given.items()
        )
        return self._options._replace(settings=tuple(settings))

    def closed(self, document: Document) -> None:
        """Nobody wants to know about this document any more. Others may have depended on its text."""
        self._forget_timer(document)
        self._busy(document, False)
        self._bettering(document, False)
        self._settings.pop(document, None)
        self._submitted.pop(document.name, None)
        self._pace.pop(document.name, None)
        self._results.pop(document.name, None)
        self._worker.forget(document.name)
        self._disappoint(lambda waiter: waiter.document is document)
        self._content(document)
        self._satisfy()
        together = document.others
        for other in self._open:
            if other in together or other.stale:  # it may have been closed before it was checked with them
                self._soon(other)

    async def reached(self, document: Document, version: int) -> None:
        """Wait until this version of the document, or a later one, was checked for good.

        Raises :class:`Outdated` if the document is closed.
        """
        await self._wait(document, version, patient=True)

    async def current(self, document: Document) -> None:
        """Wait until the document was checked as it is now.

        Raises :class:`Outdated` if it is edited or closed before.
        """
        await self._wait(document, document.version, patient=False)

    async def more(self, key: bytes, seen: int) -> None:
        """Wait until more is known of any document, or one is closed, than when :attr:`news` was ``seen``. The record
        that has this key comes first."""
        if seen != self.news:
            return
        self._worker.hasten(key)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._curious.append(future)
        await future

    async def repairs(self, document: Document) -> tuple[Repair, ...]:
        """The fixes that are good for the text as it is now. Waits only if they are being tried: there are none of a
        text that is not checked yet, or is edited meanwhile."""
        if document.settled and document.repairs is None:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._hopeful.setdefault(document, []).append(future)
            await future
        return (document.repairs or ()) if document.settled and not document.closed else ()

    async def explained(self, document: Document, offset: int) -> Explanation | None:
        """What led to the bounds of what stands at an offset of the text as it is now; None if nothing does."""
        found = await self._derived(document, offset, Wanted.EXPLANATION)
        return found if isinstance(found, Explanation) else None

    async def counterexample(self, document: Document, offset: int) -> str | None:
        """Which inputs show the problem at an offset of the text as it is now; None if there is none to show."""
        found = await self._derived(document, offset, Wanted.WITNESS)
        return found if isinstance(found, str) else None

    async def plots(self, document: Document) -> tuple[Plotted, ...]:
        """The plots of the functions of a document; none if what is known of it changes meanwhile, or if that takes too
        long."""
        before = document.analysis, document.revision
        found = await self._derived(document, 0, Wanted.PLOTS)
        if found is None or isinstance(found, str | Explanation):
            return ()
        same = document.settled and (document.analysis, document.revision) == before
        return tuple(each for each in found if isinstance(each, Plotted)) if same else ()

    async def moved(self, moves: tuple[tuple[str, str], ...]) -> tuple[IncludeEdit, ...]:
        """Which paths in files must be others once these files and folders have other names.

        Raises :class:`Outdated` if one of them is edited meanwhile."""
        for document in self._open:
            self._update(document)
        found = await self._answer(lambda tell: self._worker.move(moves, tell))
        revisions = {document.file: document.revision for document in self._open}
        edits = tuple(each for each in found if isinstance(each, IncludeEdit)) if isinstance(found, tuple) else ()
        if any(revisions.get(each.file) != each.revision for each in edits):
            raise Outdated
        return edits

    async def _derived(self, document: Document, offset: int, wanted: Wanted) -> Derivable | None:
        self._update(document)
        options = self._present_options()
        return await self._answer(lambda tell: self._worker.derive(document.name, offset, options, tell, wanted))

    async def _answer(self, ask: Callable[[Tell], int]) -> Derivable | None:
        """What comes of something that the worker is asked for."""
        future: asyncio.Future[Derivable | None] = asyncio.get_running_loop().create_future()

        def tell(found: Derivable | None) -> None:
            if not future.done():  # it may have been cancelled
                future.set_result(found)

        number = ask(tell)
        try:
            return await future
        finally:
            self._worker.withdraw(number)

    def _update(self, document: Document) -> None:
        """Let the worker know the text as it is now."""
        self._worker.update(document.name, document.file, document.revision, document.source, document.language.id)

    def result(self, document: Document) -> str:
        """A name for what the last check of the document found; no two checks share one, in whatever session."""
        return f"{self._session}-{self._results.get(document.name, 0)}"

    async def _wait(self, document: Document, version: int, patient: bool) -> None:
        if not _is_checked(document, version):
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(_Waiter(document, version, patient, future))
            await future

    def _mended(self, name: str, revision: int, repairs: tuple[Repair, ...]) -> None:
        document = self._submitted.get(name)
        if document:
            document.mend(revision, repairs)
            self._content(document)

    def _bettered(self, name: str, busy: bool, better: bool) -> None:
        """The numbers of a document are being made smaller, or not any more; what is known until then stays."""
        document = self._submitted.get(name)
        if document:
            self._bettering(document, busy)
            if better and document not in self._timers:
                self.check(document)

    def _detailed(self, name: str) -> None:
        """Something has come of what is awaited of a document."""
        document = self._submitted.get(name)
        if document:
            self._tell_detailed(document)
        self._satisfy()

    def _glimpsed(self, name: str, revision: int, problems: Sequence[Problem]) -> None:
        """This was found so far in a document of which nothing was known."""
        document = self._submitted.get(name)
        if document and document.analysis is None and document.revision == revision:
            self._tell_glimpsed(document, problems)

    def _satisfy(self) -> None:
        """Who waits for more may look again."""
        self.news += 1
        curious, self._curious = self._curious, []
        for future in curious:
            if not future.done():  # it may have been cancelled
                future.set_result(None)

    def _content(self, document: Document) -> None:
        """Who waits for the repairs of a document need not wait any longer."""
        for future in self._hopeful.pop(document, ()):
            if not future.done():  # it may have been cancelled
                future.set_result(None)

    def _ended(self, outcome: Outcome) -> None:
        checked = [self._found(finding, outcome) for finding in outcome.findings if finding.document in self._submitted]
        if outcome.problem:
            projects: Sequence[Sequence[str]] = [[document.file for document in checked]]
            opened: Mapping[str, str] = {document.file: document.name for document in checked}
        else:
            projects, opened = outcome.projects, outcome.opened
            self._pace[outcome.document] = outcome.seconds
            self.counters = Counters(outcome.parsed, outcome.inferred)
            self._configured(outcome.faulty or {})
            _log.info("documents checked: %d, in %.0f ms", len(checked), outcome.seconds * 1000)
        if outcome.final and outcome.document in self._submitted:
            self._busy(self._submitted[outcome.document], False)
        self._open.arrange(checked, projects, opened, outcome.closed)
        for document in checked:
            self._done(document, outcome.final)
        for waiter in self._take(_is_served):
            if not waiter.future.done():  # it may have been cancelled
                waiter.future.set_result(None)
        self._satisfy()
        self._catch_up(checked, outcome)

    def _found(self, finding: Finding, outcome: Outcome) -> Document:
        document = self._submitted[finding.document]
        if finding.analysis:
            document.settle(finding.revision, finding.analysis)
        elif outcome.problem:
            document.give_up(finding.revision, finding.source, self._present_options(), outcome.problem)
            self._content(document)
        document.checked = document.analysed_version if outcome.final else None
        if outcome.final:
            self._count += 1
            self._results[document.name] = self._count
        return document

    def _catch_up(self, checked: list[Document], outcome: Outcome) -> None:
        """Check again what was checked with a document that has been closed meanwhile."""
        known = outcome.closed.keys() | {document.file for document in self._open}
        lost = [names for names in outcome.projects if not known.issuperset(names)]
        for document in checked:
            if any(document.file in names for names in lost):
                self._soon(document)

    def _soon(self, document: Document) -> None:
        if document not in self._timers:
            last = self._pace.get(document.name, 0.0)
            delay = 0.0 if last < _QUICK else min(last / 2, _LONGEST_DELAY)
            loop = asyncio.get_running_loop()
            self._timers[document] = loop.call_later(delay, self.check, document)

    def _apart(self) -> list[Document]:
        """Documents whose checks answer about all that were checked before."""
        covered: set[Document] = set()
        chosen = []
        for document in self._open:
            if document not in covered:
                chosen.append(document)
                covered.update(document.others)
        return chosen

    def _disappoint(self, whom: Callable[[_Waiter], bool]) -> None:
        for waiter in self._take(whom):
            if not waiter.future.done():
                waiter.future.set_exception(Outdated())

    def _take(self, which: Callable[[_Waiter], bool]) -> list[_Waiter]:
        taken = [waiter for waiter in self._waiters if which(waiter)]
        self._waiters = [waiter for waiter in self._waiters if not which(waiter)]
        return taken

    def _forget_timer(self, document: Document) -> None:
        timer = self._timers.pop(document, None)
        if timer:
            timer.cancel()


def _is_served(waiter: _Waiter) -> bool:
    return _is_checked(waiter.document, waiter.version)


def _is_checked(document: Document, version: int) -> bool:
    """Whether a version, or a later one, was checked with all that it depends on as that is now."""
    outdated = document.current and document.stale
    return document.checked is not None and document.checked >= version and not outdated
