"""The report as JUnit tests: a suite for each file, a case for each function.

What is proved passes. What has an error fails; what is unknown is a case with an error; what a person accepted is
skipped. So a case fails, or has an error, where the run as a whole does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from dp_lsp.analysis.records import Analysis, FunctionReport, State
from dp_lsp.cells import place
from dp_lsp.cli.reporters.checked import NOT_PROVED, Checked, context, inside, outside
from dp_lsp.cli.style import xml_text
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Severity

_PASSED = ""
_FAILURE, _ERROR, _SKIPPED = "failure", "error", "skipped"
_TOTALS = ("tests", "failures", "errors", "skipped")


class _Case(NamedTuple):
    """A test. ``verdict`` is the element that tells of it, none if it passed; ``text`` is what led to that."""

    name: str
    verdict: str = _PASSED
    type: str = ""
    message: str = ""
    text: str = ""
    said: str = ""


def lines(run: Checked) -> Iterator[str]:
    """The report, an element a line."""
    suites = [(path, analysis, list(_cases(path, analysis, run))) for path, analysis in run.files]
    totals = _totals([case for _, _, cases in suites for case in cases])
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield _opened("testsuites", name="dp-lsp", **dict(list(totals.items())[:3]))
    for path, analysis, cases in suites:
        yield _opened("testsuite", name=path, **_totals(cases))
        yield _opened("properties")
        yield _empty("property", name="status", value=analysis.state.value)
        yield _empty("property", name="profile", value=analysis.options.profile)
        yield "</properties>"
        for case in cases:
            yield from _written(path, case)
        yield "</testsuite>"
    yield "</testsuites>"


def _cases(path: str, analysis: Analysis, run: Checked) -> Iterator[_Case]:
    """A case for each function, and one for what stands outside of them if there is anything, or nothing else."""
    for function in analysis.functions:
        yield _of_function(path, analysis, function, run)
    rest = list(outside(analysis))
    if rest or not analysis.functions:
        name, text = "outside of functions", _told(path, rest, analysis)
        errors = [each for each in rest if each.severity is Severity.ERROR or each.unchecked]
        if errors or _fails(rest, run):
            first = next(iter(errors), rest[0])
            yield _Case(name, _ERROR if first.unchecked else _FAILURE, first.code, first.message, text)
        elif not analysis.functions and not analysis.state.holds and not analysis.accepted:
            yield _Case(name, _ERROR, NOT_PROVED, f"this file is {analysis.state.value}", text)
        else:
            yield _Case(name, said=text)


def _of_function(path: str, analysis: Analysis, function: FunctionReport, run: Checked) -> _Case:
    problems = inside(function, analysis)
    name, text = f"{function.name}{function.signature}", _told(path, problems, analysis)
    first = next((each for each in problems if each.severity is Severity.ERROR), None)
    why = function.reason or (first.message if first else f"it is {function.state.value}")
    if function.state is State.PROVED:
        warning = next((each for each in problems if each.severity is Severity.WARNING), None)
        if warning is not None and _fails(problems, run):
            return _Case(name, _FAILURE, warning.code, warning.message, text)
        return _Case(name, said=text)
    if function.state is State.ASSUMED:
        verdict = _FAILURE if run.error_on_assumed else _SKIPPED
        return _Case(name, verdict, State.ASSUMED.value, "a black box: not checked", text)
    if function.accepted:
        verdict = _FAILURE if run.error_on_accepted else _SKIPPED
        return _Case(name, verdict, "accepted", why, text)
    if function.state is State.FAILED and first is not None:
        return _Case(name, _FAILURE, first.code, why, text)
    return _Case(name, _ERROR, NOT_PROVED, why, text)


def _fails(problems: Sequence[Problem], run: Checked) -> bool:
    """Whether a warning among them fails the run."""
    return run.error_on_warning and any(each.severity is Severity.WARNING for each in problems)


def _told(path: str, problems: Iterable[Problem], analysis: Analysis) -> str:
    """The problems, a line each, and below it what led to each and what can be done."""
    return "\n".join(line for each in problems for line in _lines(path, each, analysis))


def _lines(path: str, problem: Problem, analysis: Analysis) -> Iterator[str]:
    at = place(analysis.source, problem.span.start)
    yield f"{path}:{at}: {problem.severity.value}[{problem.code}] {problem.message}"
    yield from (f"  {line}" for line in context(path, analysis, problem))


def _totals(cases: Sequence[_Case]) -> dict[str, str]:
    counts = Counter(case.verdict for case in cases)
    found = (len(cases), *(counts[verdict] for verdict in (_FAILURE, _ERROR, _SKIPPED)))
    return {name: str(count) for name, count in zip(_TOTALS, found, strict=True)}


def _written(path: str, case: _Case) -> Iterator[str]:
    yield _opened("testcase", classname=path, name=case.name)
    if case.verdict != _PASSED:
        yield f"{_opened(case.verdict, type=case.type, message=case.message)}{xml_text(case.text)}</{case.verdict}>"
    if case.said:
        yield f"<system-out>{xml_text(case.said)}</system-out>"
    yield "</testcase>"


def _opened(element: str, **attributes: str) -> str:
    written = (f' {name}="{xml_text(value)}"' for name, value in attributes.items())
    return f"<{element}{''.join(written)}>"


def _empty(element: str, **attributes: str) -> str:
    return f"{_opened(element, **attributes)[:-1]}/>"
