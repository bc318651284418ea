"""The formats of a report: a module each, with one function ``lines`` from a run to the lines of its report."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from dp_lsp.cli.reporters.checked import Reporter

FORMATS = {
    "full": "for a person, with source text (default)",
    "concise": "one line a problem",
    "json": "for programs, all that is known",
    "sarif": "for code scanning and editors",
    "github": "annotations in GitHub Actions",
    "gitlab": "a code quality report for GitLab",
    "junit": "a test report, a case for each function",
}
"""What each is for. The name is that of its module, which is loaded when the format is asked for."""

FOR_PERSONS = frozenset(("full", "concise"))
"""Those that may be coloured."""

SHOW_FIXES = frozenset(("full", "sarif", "github"))
"""Those in which a person is shown fixes."""

COUNTS_ELSEWHERE = frozenset(("gitlab", "junit"))
"""Those that have no place for statistics, which stand on standard error then."""


def reporter(name: str) -> Reporter:
    """What writes a format."""
    return cast("Reporter", import_module(f"{__name__}.{name}").lines)
