"""Trying fixes: the text is edited and checked again, and only what makes nothing worse is kept.

What a kind of problem offers as a repair is a proposal. Once the diagnostics are out and it is quiet, the worker
edits the text, checks it like any other with the same memo, and keeps what mends its problem and makes nothing worse.
Whatever comes meanwhile is more urgent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dp_lsp import frontends
from dp_lsp.analysis.loading import Loader, Refusal, Text
from dp_lsp.analysis.records import Analysis, ChunkRecord, Options, State, Verdict
from dp_lsp.analysis.repairs import Repair, edits_of, preferred
from dp_lsp.analysis.ticket import OutOfTime, Ticket
from dp_lsp.engine.check import DEFAULT, Engine, OptionsOf
from dp_lsp.engine.proposals import Seen, ignores, is_hopeful, may_accept, names_defined, proposals
from dp_lsp.engine.remarks import PLACEHOLDER
from dp_lsp.problem import Edit, Fix, Problem, Severity

_BADNESS = {State.PROVED: 0, State.FAILED: 1, State.UNKNOWN: 2, State.STALE: 3}
"""What was checked to the end and failed is known better than what was not."""
_KNOWN = {state: min(badness, 1) for state, badness in _BADNESS.items()}
_A_REASON = "it is tried"
_MOST_TOGETHER = 30  # fixes that are tried one after the other if they do not go together
_KEPT = 4  # trials that another fix may share: those of the same place

Analyses = Mapping[str, Analysis]


class Within(NamedTuple):
    """What a file is part of: the roots of its projects, where their texts come from, and the options of each file."""

    roots: tuple[str, ...]
    loader: Loader
    options: Options | OptionsOf = DEFAULT


def repairs(
    engine: Engine,
    file: str,
    analysis: Analysis,
    within: Within,
    ticket: Ticket,
    only: Sequence[Problem] | None = None,
) -> list[Repair]:
    """The fixes of the problems of a file that mend these and break nothing in any project, and which of them do so
    together; also the comments that accept them. With ``only`` the fixes of these problems, and no comments.

    ``analysis`` is what is known of the file. Ends early when the ticket's time is over; raises
    :class:`Superseded` when the ticket does."""
    trial = _Trial(engine, file, analysis, within, ticket)
    found: list[Repair] = []
    try:
        _single(trial, analysis, only, found)
        together = _together(trial, preferred(found))
    except OutOfTime:
        return found
    return [each._replace(together=each in together) for each in found]


def _single(trial: _Trial, analysis: Analysis, only: Sequence[Problem] | None, found: list[Repair]) -> None:
    """What mends each problem by itself; goes to ``found`` at once, for the time may end."""
    problems = analysis.problems if only is None else only
    for problem in sorted(problems, key=lambda problem: problem.severity is not Severity.ERROR):
        for fix in (*problem.fixes, *proposals(problem, trial.seen)):
            if trial.mends(problem, fix):
                found.append(Repair(problem, fix))
            else:
                found.extend(Repair(problem, longer) for longer in trial.continued(fix) if trial.mends(problem, longer))
        for insertion in ignores(problem, analysis.source, analysis.language) if only is None else ():
            if trial.mends(problem, Fix("", (insertion(_A_REASON),)), accepts=True):
                title = f"ignore {problem.code} here, with a reason"
                found.append(Repair(problem, Fix(title, (insertion(PLACEHOLDER),), sure=False), accepts=True))
                break


def _together(trial: _Trial, sure: list[Repair]) -> list[Repair]:
    """As many of these as mend their problems in one edit. All are tried at once, and only if that is no good, one
    more each time."""
    apart: list[Repair] = []
    for repair in sure:
        if not _clashes(repair, apart):
            apart.append(repair)
    if len(apart) < 2 or trial.mends_all(apart):
        return apart
    kept: list[Repair] = []
    for repair in apart[:_MOST_TOGETHER]:
        if trial.mends_all([*kept, repair]):
            kept.append(repair)
    return kept


def _clashes(repair: Repair, others: list[Repair]) -> bool:
    """Whether it edits what one of the others edits, and not in the very same way."""
    theirs = edits_of(others)
    return any(
        edit != other and edit.span.start <= other.span.end and other.span.start <= edit.span.end
        for edit in repair.fix.edits
        for other in theirs
    )


def hopeful(analysis: Analysis) -> list[Problem]:
    """The problems of which there is a fix to try."""
    return [problem for problem in analysis.problems if problem.fixes or is_hopeful(problem)]


def worth_trying(analysis: Analysis) -> bool:
    """Whether there is any fix to try, or any comment that accepts a problem."""
    return bool(hopeful(analysis)) or any(map(may_accept, analysis.problems))


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
        after = self._after(fix.edits)
        return all(
            self._is_gone([problem], old, new) and _is_no_worse(old, new, _KNOWN if accepts else _BADNESS)
            for old, new in zip(self._before, after, strict=True)
        )

    def mends_all(self, repairs: Sequence[Repair]) -> bool:
        """Whether several fixes in one edit remove their problems and make nothing worse."""
        after = self._after(edits_of(repairs))
        chunks: dict[int, list[Problem]] = {}
        for each in repairs:
            chunks.setdefault(self._index(each.problem), []).append(each.problem)
        return all(
            all(self._is_gone(problems, old, new) for problems in chunks.values()) and _is_no_worse(old, new, _BADNESS)
            for old, new in zip(self._before, after, strict=True)
        )

    def continued(self, fix: Fix) -> Iterator[Fix]:
        """The fix, and with it the only one of an error that it brings: what is clipped may move too far for the noise
        that was declared."""
        for old, new in zip(self._before[:1], self._after(fix.edits), strict=False):
            known = _errors(old[self._file].problems)
            further = [each for each in new[self._file].problems if each.fixes and each.code not in known]
            if len(further) == 1 and len(further[0].fixes) == 1:
                edits = [_before(edit, fix.edits) for edit in further[0].fixes[0].edits]
                if None not in edits:
                    title = f"{fix.title}, and {further[0].fixes[0].title}"
                    yield Fix(title, (*fix.edits, *(edit for edit in edits if edit)), sure=False)

    def _after(self, edits: tuple[Edit, ...]) -> list[Analyses]:
        """The projects after some edits."""
        if not self._before:
            self._begin()
        after = self._tried.get(edits)
        if after is None:
            if len(self._tried) == _KEPT:
                self._tried.clear()  # each is as large as the project
            text = Text(edited(self._text, edits), language=self._analysis.options.language)
            after = self._tried[edits] = self._checked(_Edited(self._loader, self._file, text))
        return after

    def _index(self, problem: Problem) -> int:
        """Which chunk a problem stands in; -1 if none."""
        start = problem.span.start
        chunks = enumerate(self._analysis.chunks)
        return next((i for i, each in chunks if each.start <= start <= each.start + each.length), -1)

    def seen(self) -> Seen:
        """What proposals may be made of."""
        if not self._before:
            self._begin()
        defined = {name for analyses in self._before for each in analyses.values() for name in names_defined(each)}
        return Seen(
            self._text,
            frontends.of(self._file, self._analysis.options.language).rendering,
            self._analysis,
            frozenset(defined),
        )

    def _begin(self) -> None:
        """Look at the projects as they are. A limit may have been met before one of them came to the file."""
        found = zip(self._roots, self._checked(self._loader), strict=True)
        having = [(root, analyses) for root, analyses in found if self._file in analyses]
        self._roots = [root for root, _ in having] or [self._file]
        self._before = [analyses for _, analyses in having] or self._checked(self._loader)

    def _checked(self, loader: Loader) -> list[Analyses]:
        return [self._engine.trial(root, loader, self._options, self._ticket) for root in self._roots]

    def _is_gone(self, problems: Sequence[Problem], before: Analyses, after: Analyses) -> bool:
        """Whether there are so many fewer problems of these kinds where these were, all in one chunk, and so many
        fewer warnings if they are no errors."""
        old, new = before[self._file].chunks, after[self._file].chunks
        index = self._index(problems[0])
        if len(old) != len(new) or index < 0:
            return False
        found, left = old[index].record.verdict.problems, new[index].record.verdict.problems
        mended = Counter(problem.code for problem in problems)
        if any(_count(left, code) > _count(found, code) - times for code, times in mended.items()):
            return False
        of_weight = [sum(each.severity is Severity.WARNING for each in problems) for problems in (found, left)]
        light = sum(problem.severity is not Severity.ERROR for problem in problems)
        return of_weight[1] <= of_weight[0] - light if light else True


def _before(edit: Edit, made: Iterable[Edit]) -> Edit | None:
    """An edit of a text in which others were made, as one of the text without these; None if it edits theirs."""
    shift = 0
    for other in sorted(made):
        start = other.span.start + shift
        if edit.span.end <= start:
            break
        if edit.span.start < start + len(other.text):
            return None
        shift += len(other.text) - (other.span.end - other.span.start)
    return Edit(edit.span.moved(-shift), edit.text)


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
