"""What the engine finds out in a run: of one project after the other, and what is made of that."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from dp_lsp.analysis.limits import PER_CHARACTER, Limits, OutOfTime, Ticket
from dp_lsp.analysis.loading import Loader, SourceText
from dp_lsp.analysis.records import Analysis, ChunkRecord, fixes_of, unchecked
from dp_lsp.cli.output import TerminalLine, complain, point, write
from dp_lsp.engine.check import Engine, OptionsOf
from dp_lsp.engine.distributions import Answers
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Source, Span
from dp_lsp.worker.problems import CheckTooLarge, CheckTooLong, InternalError

if TYPE_CHECKING:
    from dp_lsp.accounting.charge import Guarantee
    from dp_lsp.accounting.pld import Question
    from dp_lsp.cli.certify import Proved
    from dp_lsp.cli.check import CheckRequest
    from dp_lsp.engine.runnable import Certifiable


# Ending a check that takes more time or memory than it may.

_GRACE = 2.0  # seconds until a check is interrupted that does not look at its ticket
_AGAIN = 1.0  # and again


def seconds(limits: Limits, characters: int) -> float:
    """How many seconds of computing the check of so many characters may take."""
    return limits.time + characters * PER_CHARACTER


@contextmanager
def limited(limits: Limits, characters: int) -> Iterator[Ticket]:
    """What is done within ends with :class:`OutOfTime` or ``MemoryError`` if it takes more than it may: the sooner if
    it looks at the ticket."""
    most = seconds(limits, characters)
    with ExitStack() as stack:
        stack.enter_context(_memory(limits.memory))
        stack.enter_context(_alarm(most + _GRACE))
        yield Ticket(deadline=time.process_time() + most)


@contextmanager
def _alarm(after: float) -> Iterator[None]:
    """Interrupt what is done within after so many seconds of computing, where the system can do that, which is in the
    main thread only."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, after, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _memory(mebibytes: int) -> Iterator[None]:
    """Let no more be taken than this beside what is in use, where the system can do that."""
    with ExitStack() as stack:
        with suppress(ImportError, OSError, ValueError):
            import resource

            kind = resource.RLIMIT_AS
            before = resource.getrlimit(kind)
            most = (_in_use() + mebibytes * (1 << 20), *(each for each in before if each != resource.RLIM_INFINITY))
            resource.setrlimit(kind, (min(most), before[1]))
            stack.callback(resource.setrlimit, kind, before)
        yield


def _in_use() -> int:
    """How many bytes this process has; an error where that cannot be told."""
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


_REMEMBERED = 8  # projects of which the engine keeps what the next ones may share

Projects = dict[str, dict[str, Analysis]]

logger = logging.getLogger(__name__)


class Run:
    """Checks one project after the other. A bug makes one of them unknown, not the others. Of a run ``before`` all is
    remembered that the engine found out."""

    def __init__(self, files: Loader, options: OptionsOf, request: CheckRequest, before: Run | None = None) -> None:
        self._request = request
        self._files = files
        self._options = options
        self._distributions: Distributions = Distributions() if before is None else before._distributions
        self._engine: Engine = Engine(self._distributions.answers) if before is None else before._engine
        self._recent: deque[str] = deque() if before is None else before._recent
        self._proved: dict[str, Proved] = {}

    def includes(self, name: str, text: SourceText) -> tuple[str, ...]:
        """The paths that a file with this text includes."""
        with limited(self._request.limits, len(text.content)):
            return self._engine.includes(name, text)

    def project(
        self, root: str, names: Iterable[str], files: Loader, on_chunk: Callable[[bytes], None] = lambda key: None
    ) -> dict[str, Analysis]:
        """The analyses of the files of a project, which have these names."""
        texts = {name: files.text(name).content for name in sorted(names)}
        limits, size = self._options(root).limits, sum(map(len, texts.values()))
        try:
            with limited(limits, size) as ticket:
                found = self._engine.project(root, files, self._options, ticket, on_chunk=on_chunk)
                if self._request.witness:
                    found = self._with_witnesses(root, found, files)
                if self._request.certificate is not None:
                    from dp_lsp.cli.certify import Proved  # which loads all measures

                    bounds = tuple(self._engine.certifiable(root, files, self._options))
                    self._proved[root] = Proved(tuple(texts), self._options(root), bounds)
        except Exception as error:
            logger.debug("%s: not checked", root, exc_info=True)
            self._engine = Engine(self._distributions.answers)  # what it remembers may be half done
            self._proved.pop(root, None)
            problem = _why(error, limits, size)
            return {name: unchecked(Source(text), problem, self._options(name)) for name, text in texts.items()}
        self._recent.append(root)
        if len(self._recent) > _REMEMBERED:
            self._engine.forget(self._recent.popleft())
        return found

    def records(self, root: str) -> tuple[ChunkRecord, ...]:
        """What the engine of an editor can learn of a project that was just checked."""
        return self._engine.records(root)

    def improved(self, projects: Projects, again: Callable[[str], dict[str, Analysis]]) -> Projects:
        """The same as distributions let judge them, each checked ``again`` where these have something to say."""
        return improved(self._distributions, projects, again)

    def consult(self, projects: Projects) -> None:
        """Have distributions asked what they were asked when these projects were checked."""
        self._distributions.ask(
            self._distributions.answers.open(chain.from_iterable(map(dict.values, projects.values())))
        )

    def is_open(self, found: Mapping[str, Analysis]) -> bool:
        """Whether distributions may have something to say about a project."""
        return any(self._distributions.answers.open(found.values()))

    @property
    def is_settled(self) -> bool:
        """Whether all that was asked of distributions was answered, as it would be in any run."""
        return not self._distributions.failed

    def certify(self) -> int:
        """Write the certificate of what was checked; the exit code of that."""
        from dp_lsp.cli.style import json_text

        self._distributions.ask_about(each for project in self._proved.values() for each in project.bounds)
        found = self.certificate()
        if not found["bounds"]:
            complain("nothing can be certified: no private function is proved and has all its numbers (--set)")
        return write(json_text(found, indent=1) + "\n", self._request.certificate)

    def certificate(self) -> dict[str, Any]:
        """The certificate of what was checked."""
        from dp_lsp.cli.certify import certificate

        texts = self._files
        return certificate(self._proved.values(), lambda name: texts.text(name).content, self._distributions.answers)

    def _with_witnesses(self, root: str, found: dict[str, Analysis], files: Loader) -> dict[str, Analysis]:
        """The same, with a counterexample for each claim that is too small."""
        from dp_lsp.meaning.witness import witness

        notes: dict[str, dict[tuple[Span, str], str]] = {}
        for suspect in self._engine.suspects(root, files, self._options):
            problem = suspect.problem
            notes.setdefault(suspect.file, {})[problem.span, problem.message] = witness(suspect)
        return {name: analysis.with_notes(notes.get(name, {})) for name, analysis in found.items()}

    def hopeful(self, analysis: Analysis) -> tuple[int, ...]:
        """Which problems of a file have fixes to try, counted in their order."""
        from dp_lsp.engine.trials import hopeful  # a run that offers no repairs tries none

        worth = {id(problem) for problem in hopeful(analysis)}
        return tuple(index for index, problem in enumerate(analysis.problems) if id(problem) in worth)

    def tried(
        self, name: str, analysis: Analysis, worth: Sequence[Problem], roots: tuple[str, ...], files: Loader
    ) -> tuple[dict[Problem, tuple[Fix, ...]], bool]:
        """The fixes of some problems of a file that are good, and whether all were tried: not after a bug, which says
        nothing about the file, and not if there was no time left."""
        from dp_lsp.engine.trials import Within, repairs

        within = Within(roots, files, self._options)
        limits = analysis.options.limits
        try:
            with limited(limits, len(analysis.source.text)) as ticket:
                found = fixes_of(repairs(self._engine, name, analysis, within, ticket, worth))
                return found, not ticket.is_late
        except Exception:
            logger.debug("%s: fixes were not tried", name, exc_info=True)
            self._engine = Engine(self._distributions.answers)
            return {}, False


def _why(error: Exception, limits: Limits, size: int) -> Problem:
    """Why a project of so many characters was not checked."""
    if isinstance(error, OutOfTime):
        return CheckTooLong.at(Span(0, 0), seconds=round(seconds(limits, size)))
    if isinstance(error, MemoryError):
        return CheckTooLarge.at(Span(0, 0), memory=f"{limits.memory:,}")
    return InternalError.at(Span(0, 0), error=type(error).__name__)


# Privacy loss distributions: all questions of a run go to one process, each once.


_WHAT = "privacy-loss distributions (rule pld)"


class Distributions:
    """Has questions answered, and knows the ``answers``."""

    def __init__(self) -> None:
        self.answers = Answers()
        self.failed = False
        """Whether something was not answered; that may be so for want of time or memory."""
        self._late = False

    def ask(self, wanted: Iterable[str]) -> bool:
        """Have these questions answered, which are given as texts. That may take long: a terminal sees how long it took
        so far, and after a minute the others are given up. Returns whether anything was asked."""
        new = list(filter(self.answers.lacks, dict.fromkeys(wanted)))
        if new:
            from dp_lsp.accounting.pld import Question

            found = self._answers(list(map(Question.read, new)))
            self.failed |= None in found
            self.answers.learn(dict(zip(new, found, strict=True)))
        return bool(new)

    def ask_about(self, bounds: Iterable[Certifiable]) -> None:
        """Have the questions answered that bounds come to."""
        from dp_lsp.accounting.pld import can_answer

        self.ask(each.question.text for each in bounds if can_answer(*each.question))

    def _answers(self, wanted: Sequence[Question]) -> Sequence[Guarantee | None]:
        from dp_lsp.accounting.pld import TIMEOUT, AskedDistribution

        line, began = TerminalLine(), time.monotonic()

        def tick() -> None:
            line.say(f"{_WHAT}: {time.monotonic() - began:.0f} s")

        try:
            found = AskedDistribution(wanted).answers(TIMEOUT, tick)
        except OSError:  # no process can be started
            return [None] * len(wanted)
        finally:
            line.done()
        if None in found and time.monotonic() - began >= TIMEOUT:
            self._late = True
            point(f"{_late()}: the numbers that are missing are those of the other rules")
        return found

    def silence(self) -> str:
        """Why there is no number, in a sentence."""
        if self._late:
            return f"{_late()}."
        return f"There are no {_WHAT}: those of some mechanism here are not known, or δ is 0."


def _late() -> str:
    from dp_lsp.accounting.pld import TIMEOUT

    return f"{_WHAT} took longer than {TIMEOUT:.0f} s".capitalize()


Project = dict[str, Analysis]


def improved(known: Distributions, projects: dict[str, Project], again: Callable[[str], Project]) -> dict[str, Project]:
    """Projects, by their roots; each is checked ``again`` as long as there are better answers to judge it by: what is
    proved of one function lets others be judged that use it."""
    while True:
        open_ = {root: known.answers.open(analyses.values()) for root, analyses in projects.items()}
        if not known.ask(chain.from_iterable(open_.values())):
            return projects
        projects = {root: again(root) if open_[root] else analyses for root, analyses in projects.items()}
