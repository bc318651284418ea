"""The report for GitHub Actions: a command a finding, which shows it beside the line of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.analysis.records import Analysis
from dp_lsp.cli.reporters.checked import (
    CAUTION,
    Checked,
    ReportFinding,
    context,
    findings,
    located,
    places,
    sentence,
    statistics_table,
)
from dp_lsp.cli.style import printable, without_commands
from dp_lsp.problem import Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def lines(run: Checked) -> Iterator[str]:
    """A command for each finding that nobody accepted, then for the log what the run came to."""
    for path, analysis in run.files:
        for finding in findings(analysis):
            if not finding.accepted:
                yield _command(path, analysis, finding)
    if run.statistics:
        yield from statistics_table(run.analyses)
    if run.published:
        yield f"::warning title=dp-lsp::{_data([CAUTION])}"
    yield sentence(run.analyses)


def _command(path: str, analysis: Analysis, finding: ReportFinding) -> str:
    start, end = places(finding.span, analysis.source)
    properties: dict[str, str | int] = {"file": path, "line": start.line, "endLine": end.line}
    if start.line == end.line:
        properties |= {"col": start.column, "endColumn": max(end.column, start.column)}
    properties["title"] = finding.code if finding.code == finding.name else f"{finding.code} {finding.name}"
    written = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {written}::{_data(_message(path, analysis, finding))}"


def _message(path: str, analysis: Analysis, finding: ReportFinding) -> Iterator[str]:
    yield located(finding, analysis.source)
    if finding.problem is not None:
        yield from context(path, analysis, finding.problem)


def _data(message: Iterator[str] | list[str]) -> str:
    """Lines as the message of a command."""
    text = "\n".join(without_commands(printable(line)) for line in message)
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A text as the value of a property."""
    return _data([text]).replace(":", "%3A").replace(",", "%2C")
