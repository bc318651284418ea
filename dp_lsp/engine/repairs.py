"""Repairs that are offered: what mends each problem by itself, what does so together, and comments that accept
problems.

What a kind of problem offers as a repair is a proposal; where its own rule knows none, one is made of what the whole
project says (`proposals.py`), which what is remembered of a function must not depend on. Once the diagnostics are out
and it is quiet, the worker edits the text, checks it like any other with the same memo, and keeps what mends its
problem and makes nothing worse (`trials.py`). Whatever comes meanwhile is more urgent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dp_lsp.analysis.limits import OutOfTime, Ticket
from dp_lsp.analysis.records import Analysis, Repair, edits_of, preferred
from dp_lsp.engine.check import Engine
from dp_lsp.engine.proposals import is_hopeful
from dp_lsp.engine.remarks import PLACEHOLDER, ignoring
from dp_lsp.engine.trials import Trial, Within
from dp_lsp.language import Language
from dp_lsp.problem import Edit, Fix, Problem, Severity, may_be_accepted
from dp_lsp.text import Source, Span

_A_REASON = "it is tried"
_MOST_TOGETHER = 30  # fixes that are tried one after the other if they do not go together


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
    trial = Trial(engine, file, analysis, within, ticket)
    found: list[Repair] = []
    try:
        _single(trial, analysis, only, found)
        together = _together(trial, preferred(found))
    except OutOfTime:
        return found
    return [each._replace(together=each in together) for each in found]


def _single(trial: Trial, analysis: Analysis, only: Sequence[Problem] | None, found: list[Repair]) -> None:
    """What mends each problem by itself; goes to ``found`` at once, for the time may end."""
    problems = analysis.problems if only is None else only
    for problem in sorted(problems, key=lambda problem: problem.severity is not Severity.ERROR):
        found.extend(Repair(problem, fix) for fix in trial.mending(problem))
        for insertion in _ignores(problem, analysis.source, analysis.language) if only is None else ():
            if trial.mends(problem, Fix("", (insertion(_A_REASON),)), accepts=True):
                title = f"ignore {problem.code} here, with a reason"
                found.append(Repair(problem, Fix(title, (insertion(PLACEHOLDER),), sure=False), accepts=True))
                break


def _together(trial: Trial, sure: list[Repair]) -> list[Repair]:
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
    return bool(hopeful(analysis)) or any(map(_may_accept, analysis.problems))


def _may_accept(problem: Problem) -> bool:
    """Whether a comment may be written that accepts a problem."""
    return problem.severity in (Severity.ERROR, Severity.WARNING) and may_be_accepted(problem.code)


def _ignores(problem: Problem, source: Source, language: Language) -> Iterator[Callable[[str], Edit]]:
    """The places for a comment that accepts a problem, given the reason: beside its line, or above it."""
    if not _may_accept(problem):
        return
    start, end = source.line_span(source.place(problem.span.start).line)
    line = source.text[start:end]
    if language.syntax.comment not in line:
        yield lambda reason: Edit(Span(end, end), f"  {ignoring(language, problem.code, reason)}")
    indent = line[: len(line) - len(line.lstrip())]
    ends = "\r\n" if "\r\n" in source.text else "\n"
    yield lambda reason: Edit(Span(start, start), f"{indent}{ignoring(language, problem.code, reason)}{ends}")
