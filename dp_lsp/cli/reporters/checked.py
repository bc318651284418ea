"""What a report is written of, what those for people say of a run as a whole, and what the formats of build servers are
made of: what is to be said of a file, one finding after the other."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from dp_lsp.analysis.records import PROFILES, Analysis, FunctionReport, Silenced, State, worst
from dp_lsp.cli.files import shown
from dp_lsp.cli.style import Link, Paint, plain, unlinked
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Related, Severity, There
from dp_lsp.text import Place, Source, Span

Files = Sequence[tuple[str, Analysis]]
"""What was checked, under the paths that it is reported as."""


class Checked(NamedTuple):
    """What was checked and with which exit code that ends, if the report can be written. ``columns`` are those that
    a line may have. Where a warning, what a person accepted or a black box fails the run, that is
    said. One that is ``verbose`` says all that is known of each function."""

    files: Files
    exit_code: int = 0
    seconds: float = 0.0
    statistics: bool = False
    error_on_warning: bool = False
    error_on_accepted: bool = False
    error_on_assumed: bool = False
    paint: Paint = plain
    link: Link = unlinked
    columns: int = 100
    verbose: bool = False

    @property
    def analyses(self) -> list[Analysis]:
        """What is known of the files."""
        return [analysis for _, analysis in self.files]

    @property
    def profile(self) -> str:
        """The rules of the run: those that may not hold, if any file was checked by them."""
        profiles = {analysis.options.profile for analysis in self.analyses}
        return next((profile for profile in reversed(PROFILES) if profile in profiles), PROFILES[0])

    @property
    def published(self) -> bool:
        """Whether some bounds may not hold."""
        return self.profile != PROFILES[0]


Reporter = Callable[[Checked], Iterator[str]]
"""Writes the lines of a report."""


_ORDER = (State.PROVED, State.ASSUMED, State.FAILED, State.UNKNOWN)

CAUTION = (
    "profile published: these are the published formulas, some of which are known not to hold. "
    "The default profile gives bounds that do."
)


def count(number: int, noun: str) -> str:
    """A number with its noun, as in ``1 file`` and ``2 files``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def sentence(analyses: Sequence[Analysis], paint: Paint = plain) -> str:
    """How many functions are in which state, and how many files are worse than their functions."""
    states = Counter(function.state for analysis in analyses for function in analysis.functions)
    total = sum(states.values())
    subject = count(total, "function") if total else "no function"
    where = f" in {count(len(analyses), 'file')}" if len(analyses) > 1 or not total else ""
    accepted = sum(function.accepted for analysis in analyses for function in analysis.functions)
    further = {State.UNKNOWN: f" ({accepted} accepted)"} if accepted else {}
    words = ((state, f"{states[state]} {state}{further.get(state, '')}") for state in _ORDER if states[state])
    parts = [", ".join(paint(text, state) for state, text in words)]
    beyond = Counter(
        analysis.state
        for analysis in analyses
        if analysis.state is not worst(function.state for function in analysis.functions)
    )
    for state in filter(beyond.get, _ORDER):
        number = count(beyond[state], "file") if total else str(beyond[state])
        whose = "its" if beyond[state] == 1 else "their"
        parts.append(paint(f"{number} {state}", state) + (f" outside {whose} functions" if total else ""))
    return ": ".join(filter(None, [subject + where, "; ".join(filter(None, parts))])) + "."


def statistics_table(analyses: Sequence[Analysis], paint: Paint = plain) -> Iterator[str]:
    """One line for each kind of problem, the most frequent first."""
    from dp_lsp.features.report import statistics  # of which most formats have no need

    rows = statistics(analyses)
    digits = max((len(str(row["occurrences"])) for row in rows), default=0)
    for row in rows:
        severity = paint(f"{row['severity']:<11}", row["severity"])
        yield f"{row['occurrences']:>{digits}}  {row['code']}  {severity}  {row['name']}"


# What is to be said of a file, one finding after the other: what the formats of build servers are made of.

NOT_PROVED = "not-proved"
"""What stands in place of a code for a function that is not proved, where no problem in it says why."""


class ReportFinding(NamedTuple):
    """A problem, or a function that is not proved without one. ``accepted`` is why a person accepted that, and empty
    if nobody did; ``in_source`` that a comment does. The ``fingerprint`` stays the same where lines move, and another
    finding of the file has another."""

    code: str
    name: str
    severity: Severity
    message: str
    span: Span
    function: FunctionReport | None
    fingerprint: str
    problem: Problem | None = None
    accepted: str = ""
    in_source: bool = False


def findings(analysis: Analysis) -> list[ReportFinding]:
    """All there is of a file, in the order of the text."""
    found = [_of_problem(problem, analysis) for problem in analysis.problems]
    found += [_of_silenced(each, analysis) for each in analysis.silenced]
    found += [_of_function(each) for each in analysis.functions if is_silent(each, analysis)]
    counts: Counter[tuple[str, str, str]] = Counter()
    numbered = []
    for finding in sorted(found, key=lambda each: (each.span, each.code, each.message)):
        line = analysis.source.line(analysis.source.place(finding.span.start).line).strip()
        key = finding.code, finding.function.name if finding.function else "", line
        numbered.append(finding._replace(fingerprint=_digest(*key, str(counts[key]))))
        counts[key] += 1
    return numbered


def inside(function: FunctionReport, analysis: Analysis) -> list[Problem]:
    """The problems that stand in a function."""
    start, end = function.span
    return [problem for problem in analysis.problems if start <= problem.span.start < end]


def is_silent(function: FunctionReport, analysis: Analysis) -> bool:
    """Whether a function is not proved, and no problem in it says why, nor one that is accepted."""
    if function.state.holds:
        return False
    if function.accepted:
        start, end = function.span
        return not any(start <= each.problem.span.start < end for each in analysis.silenced)
    return not any(each.unchecked or each.severity is Severity.ERROR for each in inside(function, analysis))


def places(span: Span, source: Source) -> tuple[Place, Place]:
    """Where something begins and ends in its file. That of a notebook is JSON, so nobody is sent into it."""
    from dp_lsp.cells import is_joined  # of which most formats have no need

    if is_joined(source.text):
        return Place(1, 1), Place(1, 1)
    return source.place(span.start), source.place(span.end)


def located(finding: ReportFinding, source: Source) -> str:
    """The message of a finding, with its place in a notebook, which formats that know lines alone have no room for."""
    from dp_lsp import cells

    if not cells.is_joined(source.text):
        return finding.message
    at = cells.place(source, finding.span.start)
    return f"cell {at.cell.number if at.cell is not None else 1}, line {at.line}: {finding.message}"


def context(path: str, analysis: Analysis, problem: Problem) -> Iterator[str]:
    """What led to a problem and what can be done, a line each."""
    for related in problem.related:
        yield f"{_place(path, analysis, related)}: {related.message}"
    yield from (f"fix available: {fix.title}" for fix in problem.fixes)
    yield f"more: dp-lsp explain {problem.code}"


def _place(path: str, analysis: Analysis, related: Related) -> str:
    if isinstance(related.where, There):
        return f"{shown(related.where.file)}:{related.where.line}"
    from dp_lsp import cells

    at = cells.place(analysis.source, related.span.start)
    return f"{path}:{at.in_cell}{at.line}"


def outside(analysis: Analysis) -> Iterator[Problem]:
    """The problems that stand in no function."""
    for problem in analysis.problems:
        if _around(problem.span.start, analysis) is None:
            yield problem


def _of_problem(problem: Problem, analysis: Analysis) -> ReportFinding:
    around = _around(problem.span.start, analysis)
    what = problem.code, problem.name, problem.severity, problem.message, problem.span
    return ReportFinding(*what, around, "", problem)


def _of_silenced(silenced: Silenced, analysis: Analysis) -> ReportFinding:
    found = _of_problem(silenced.problem, analysis)
    return found._replace(problem=None, accepted=silenced.reason, in_source=silenced.by == "comment")


def _of_function(function: FunctionReport) -> ReportFinding:
    message = f"`{function.name}` is {function.state.value}{f': {function.reason}' if function.reason else ''}"
    accepted = function.reason if function.accepted else ""
    what = NOT_PROVED, NOT_PROVED, Severity.INFORMATION, message, function.name_span
    return ReportFinding(*what, function, "", accepted=accepted)


def _around(offset: int, analysis: Analysis) -> FunctionReport | None:
    return next((each for each in analysis.functions if each.span.start <= offset < each.span.end), None)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
