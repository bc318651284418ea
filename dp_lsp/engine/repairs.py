"""Trying fixes: the text is edited and checked again, and only what makes nothing worse is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dp_lsp.analysis.loading import Loader, Refusal, Text
from dp_lsp.analysis.records import Analysis, ChunkRecord, Options, State, Verdict
from dp_lsp.analysis.repairs import Repair
from dp_lsp.analysis.ticket import OutOfTime, Ticket
from dp_lsp.engine.check import DEFAULT, Engine, OptionsOf
from dp_lsp.engine.proposals import Seen, ignores, is_hopeful, may_accept, names_defined, proposals
from dp_lsp.engine.remarks import PLACEHOLDER
from dp_lsp.problem import Edit, Fix, Problem, Severity

_BADNESS = {State.PROVED: 0, State.FAILED: 1, State.UNKNOWN: 2, State.STALE: 3}
"""What was checked to the end and failed is known better than what was not."""
_KNOWN = {state: min(badness, 1) for state, badness in _BADNESS.items()}
_A_REASON = "it is tried"
_KEPT = 4  # trials that another fix may share: those of the same place

Analyses = Mapping[str, Analysis]


class Within(NamedTuple):
    """What a file is part of: the roots of its projects, where their texts come from, and the options of each file."""

    roots: tuple[str, ...]
    loader: Loader
    options: Options | OptionsOf = DEFAULT


def repairs(engine: Engine, file: str, analysis: Analysis, within: Within, ticket: Ticket) -> Iterator[Repair]:
    """The fixes of the problems of a file that mend these and break nothing in any project.

    ``analysis`` is what is known of the file. Ends early when the ticket's time is over; raises
    :class:`Superseded` when the ticket does."""
    trial = _Trial(engine, file, analysis, within, ticket)
    try:
        for problem in sorted(analysis.problems, key=lambda problem: problem.severity is not Severity.ERROR):
            for fix in (*problem.fixes, *proposals(problem, trial.seen)):
                if trial.mends(problem, fix):
                    yield Repair(problem, fix)
            for insertion in ignores(problem, analysis.source):
                if trial.mends(problem, Fix("", (insertion(_A_REASON),)), accepts=True):
                    title = f"ignore {problem.code} here, with a reason"
                    yield Repair(problem, Fix(title, (insertion(PLACEHOLDER),), sure=False), accepts=True)
                    break
    except OutOfTime:
        return


def worth_trying(analysis: Analysis) -> bool:
    """Whether there is any fix to try."""
    return any(problem.fixes or is_hopeful(problem) or may_accept(problem) for problem in analysis.problems)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after some edits, all of them of this text."""
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


class _Trial:
    """Fixes of one file, tried one after the other."""

    def __init__(self, engine: Engine, file: str, analysis: Analysis, within: Within, ticket: Ticket) -> None:
        self._engine = engine
        self._file = file
        self._analysis = analysis
        self._text = analysis.source.text
        self._options = within.options
        self._loader = within.loader
        self._roots = list(within.roots)
        self._ticket = ticket
        self._before: list[Analyses] = []
        self._tried: dict[tuple[Edit, ...], list[Analyses]] = {}

    def mends(self, problem: Problem, fix: Fix, accepts: bool = False) -> bool:
        """Whether a fix removes its problem and makes nothing worse. What ``accepts`` it may make known failures
        unknown, and nothing that is proved."""
        if not self._before:
            self._begin()
        after = self._tried.get(fix.edits)
        if after is None:
            if len(self._tried) == _KEPT:
                self._tried.clear()  # each is as large as the project
            text = Text(edited(self._text, fix.edits))
            after = self._tried[fix.edits] = self._checked(_Edited(self._loader, self._file, text))
        return all(
            self._is_gone(problem, old, new) and _is_no_worse(old, new, _KNOWN if accepts else _BADNESS)
            for old, new in zip(self._before, after, strict=True)
        )

    def seen(self) -> Seen:
        """What proposals may be made of."""
        if not self._before:
            self._begin()
        defined = {name for analyses in self._before for each in analyses.values() for name in names_defined(each)}
        return Seen(self._text, self._analysis, frozenset(defined))

    def _begin(self) -> None:
        """Look at the projects as they are. A limit may have been met before one of them came to the file."""
        found = zip(self._roots, self._checked(self._loader), strict=True)
        having = [(root, analyses) for root, analyses in found if self._file in analyses]
        self._roots = [root for root, _ in having] or [self._file]
        self._before = [analyses for _, analyses in having] or self._checked(self._loader)

    def _checked(self, loader: Loader) -> list[Analyses]:
        return [self._engine.trial(root, loader, self._options, self._ticket) for root in self._roots]

    def _is_gone(self, problem: Problem, before: Analyses, after: Analyses) -> bool:
        """Whether there is one problem less of this kind where it was, and no further warning instead."""
        old, new = before[self._file].chunks, after[self._file].chunks
        if len(old) != len(new):
            return False
        inside = [i for i, each in enumerate(old) if each.start <= problem.span.start <= each.start + each.length]
        if not inside:
            return False
        found, left = old[inside[0]].record.verdict.problems, new[inside[0]].record.verdict.problems
        if not _count(left, problem.code) < _count(found, problem.code):
            return False
        of_weight = [sum(each.severity is Severity.WARNING for each in problems) for problems in (found, left)]
        return problem.severity is Severity.ERROR or of_weight[1] < of_weight[0]


class _Edited:
    """The files of a loader, one of them with another text."""

    def __init__(self, loader: Loader, file: str, text: Text) -> None:
        self._loader = loader
        self._file = file
        self._text = text

    def included(self, by: str, path: str) -> str | Refusal:
        return self._loader.included(by, path)

    def text(self, name: str) -> Text:
        return self._text if name == self._file else self._loader.text(name)


def _count(problems: Sequence[Problem], code: str) -> int:
    return sum(problem.code == code for problem in problems)


def _is_no_worse(before: Analyses, after: Analyses, badness: Mapping[State, int]) -> bool:
    """Whether every piece of every file is as good as it was."""
    return before.keys() == after.keys() and all(
        len(old.chunks) == len(after[name].chunks)
        and all(
            was.record is now.record or _is_as_good(was.record, now.record, badness)
            for was, now in zip(old.chunks, after[name].chunks, strict=True)
        )
        for name, old in before.items()
    )


def _is_as_good(before: ChunkRecord, after: ChunkRecord, badness: Mapping[State, int]) -> bool:
    old, new = _states(before.verdict), _states(after.verdict)
    return (
        old.keys() <= new.keys()
        and all(badness[new[name]] <= badness[was] for name, was in old.items())
        and _errors(after.verdict.problems) <= _errors(before.verdict.problems)
    )


def _states(verdict: Verdict) -> dict[tuple[str, int], State]:
    """The state of a piece and of each of its functions, by the name and which of that name it is."""
    counted: Counter[str] = Counter()
    found = {("", 0): verdict.state}
    for function in verdict.functions:
        counted[function.name] += 1
        found[function.name, counted[function.name]] = function.state
    return found


def _errors(problems: Iterable[Problem]) -> Counter[str]:
    return Counter(problem.code for problem in problems if problem.severity is Severity.ERROR)
