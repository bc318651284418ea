"""The report for GitLab: its code quality format. It knows one line a finding, and nothing that was accepted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from dp_lsp.analysis.records import Analysis
from dp_lsp.cli.reporters.checked import Checked, ReportFinding, findings, located, places
from dp_lsp.cli.style import json_text, printable
from dp_lsp.problem import Severity

_SEVERITIES = {
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.INFORMATION: "info",
    Severity.HINT: "info",
}


def lines(run: Checked) -> Iterator[str]:
    """The report as one value."""
    found = ((path, analysis, each) for path, analysis in run.files for each in findings(analysis))
    yield json_text([_issue(*each) for each in found if not each[2].accepted], indent=1)


def _issue(path: str, analysis: Analysis, finding: ReportFinding) -> dict[str, Any]:
    problem = finding.problem
    fixes = "".join(f". Fix available: {fix.title}" for fix in (problem.fixes if problem is not None else ()))
    line = places(finding.span, analysis.source)[0].line
    key = f"{path}\0{finding.fingerprint}".encode("utf-8", "surrogatepass")
    return {
        "description": printable(f"{finding.code}: {located(finding, analysis.source)}{fixes}"),
        "check_name": finding.name,
        "fingerprint": hashlib.sha256(key).hexdigest()[:32],
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": path, "lines": {"begin": line}},
    }
