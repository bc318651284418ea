"""The reference pages that are shipped say what the kinds and the rows say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dp_lsp.analysis.catalogue import kinds
from dp_lsp.builtins import TABLE
from dp_lsp.cli.commands import root
from dp_lsp.cli.explain import builtin_page
from dp_lsp.cli.explain import command_line_page as commands_page
from dp_lsp.configuration.keys import page as keys_page
from dp_lsp.frontends.julia import JULIA
from dp_lsp.problem import DOCUMENTATION, Severity

REFERENCE = Path(__file__).parent.parent / "dp_lsp" / "reference"
NOTE = "<!-- Made from the source by `pytest tests/test_reference.py --update`; edit {} instead. -->"


def lowered(page: str) -> str:
    """A page with its headings one level further down, those in code left alone."""
    lines, code = [], False
    for line in page.splitlines():
        code ^= line.startswith("```")
        lines.append(f"#{line}" if line.startswith("#") and not code else line)
    return "\n".join(lines)


def diagnostics() -> str:
    parts = [NOTE.format("the docstrings of the kinds"), "# Diagnostics", "`dp-lsp explain CODE` shows the same."]
    for code, kind in kinds().items():
        parts += [f'<a id="{code.lower()}"></a>', lowered(kind.page()), f"Severity: {kind.severity}."]
    return "\n\n".join(parts) + "\n"


def builtins() -> str:
    rows = {row.name: row for row in TABLE.values()}
    parts = [NOTE.format("the rows of the table of builtins"), "# Builtins", "`dp-lsp explain NAME` shows the same."]
    parts += [lowered(builtin_page(row, JULIA)).rstrip() for _, row in sorted(rows.items())]
    return "\n\n".join(parts) + "\n"


def configuration() -> str:
    parts = [NOTE.format("the table of keys"), "# Configuration", keys_page()]
    return "\n\n".join(parts)


def command_line() -> str:
    return "\n\n".join([NOTE.format("the commands and their options"), "# Command line", commands_page(root)])


PAGES = [
    ("diagnostics.md", diagnostics),
    ("builtins.md", builtins),
    ("configuration.md", configuration),
    ("command_line.md", command_line),
]


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_pages_are_current(name: str, page, request: pytest.FixtureRequest) -> None:
    path = REFERENCE / name
    if request.config.getoption("--update"):
        path.write_text(page(), "utf-8")
    assert path.read_text("utf-8") == page()


def test_problems_link_to_a_page_that_is_there() -> None:
    assert DOCUMENTATION.endswith("dp_lsp/reference/diagnostics.md")
    text = diagnostics()
    assert all(f'<a id="{code.lower()}"></a>' in text for code in kinds())
    assert all(kind.severity in Severity for kind in kinds().values())


def test_the_readme_shows_the_report(request: pytest.FixtureRequest) -> None:
    root = REFERENCE.parent.parent
    command = [sys.executable, "-m", "dp_lsp", "check", "--color", "never", "fixtures/programs/dp_sgd.jl"]
    wide = os.environ | {"COLUMNS": "100"}
    result = subprocess.run(command, cwd=root, env=wide, capture_output=True, text=True, encoding="utf-8", timeout=300)
    report = re.sub(r" +[\d.]+ s$", "", result.stdout.rstrip())
    readme = root / "README.md"
    before, begin, rest = readme.read_text("utf-8").partition("<!-- report:begin -->\n")
    _, end, after = rest.partition("<!-- report:end -->")
    expected = f"{before}{begin}```\n{report}\n```\n{end}{after}"
    if request.config.getoption("--update"):
        readme.write_text(expected, "utf-8")
    assert readme.read_text("utf-8") == expected
