"""The benchmark runs to its end. How fast anything was is for a person to judge."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from source_tree import python
from tests.bench import __main__ as bench

ROWS = """\
full check, nothing remembered
check after an edit of one function
check after an edit of a function used everywhere
server: open → first diagnostics
server: open → all bounds
server: memory, with its worker
server: hover for the first time
server: hover
server: edit of one function → diagnostics
server: hover just after an edit
server: edit of a function used everywhere
server: memory after 3 edits
server: hover while another file is checked
null server: open → first diagnostics
null server: memory, with its worker
null server: hover for the first time
null server: hover
null server: edit of one function → diagnostics
null server: hover just after an edit
superseded check is dropped, just begun
superseded check is dropped, half done
statements
nested parentheses
parameters
uses of a variable
calls, each twice of the one before
private calls, each twice of the one before
`python -c pass`
`dp-lsp --version`
`dp-lsp check` of 100 lines
the same for the first time ever
a server that does nothing, until initialized
`dp-lsp server`, until initialized
`dp-lsp server`, until diagnostics of 100 lines
"""
PATTERN = r"^(.+?) {2,}(?:-?[\d.,]+(?: / -?[\d.,]+)? (?:ms|MiB)|–) "


@pytest.mark.slow
def test_every_row_is_printed() -> None:
    result = python("-X", "utf8", "-m", "tests.bench", "--smoke")
    assert result.returncode == 0, result.stderr
    rows = re.findall(PATTERN, result.stdout, re.MULTILINE)
    assert rows == ROWS.splitlines()


REPOSITORY = """\
`python -c 'import lark'`
check of 100 lines, --no-cache, times that
the same, known, times that
6 files, nothing known
the same, all known
of the time with nothing known
the same, one file edited
speed-up by --jobs 2
"""


@pytest.mark.slow
def test_every_row_about_a_repository_is_printed() -> None:
    result = python("-X", "utf8", "-m", "tests.bench.repository", "--smoke")
    assert result.returncode == 0, result.stderr
    assert re.findall(r"^ *(.+?) {2,}[\d.,]+", result.stdout, re.MULTILINE) == REPOSITORY.splitlines()


LANGUAGES = """\
an edit in a function that draws
an edit in one that does not
an edit in a function that all others use
typing in a comment
typing in a text
typing a new function
a file opened for the first time
"""


@pytest.mark.slow
def test_every_row_about_languages_is_printed() -> None:
    result = python("-X", "utf8", "-m", "tests.bench.languages", "--smoke")
    assert result.returncode == 0, result.stderr
    assert re.findall(r"^(.+?) {2,}[\d.,]+ +[\d.,]+ +[\d.,]+ ", result.stdout, re.MULTILINE) == LANGUAGES.splitlines()


WORKSPACE = """\
4 files, start → all looked at
most memory until then, of all processes
computed until then, by all processes
memory, server and worker
workspace/symbol
edit of one file → shown in a closed one
memory after that
opened again → all looked at
computed until then
"""


@pytest.mark.slow
def test_every_row_about_a_workspace_is_printed() -> None:
    result = python("-X", "utf8", "-m", "tests.bench.workspace", "--smoke")
    assert result.returncode == 0, result.stderr
    assert re.findall(r"^(.+?) {2,}[\d.,]+ \w+$", result.stdout, re.MULTILINE) == WORKSPACE.splitlines()


def test_the_modules_that_a_check_enters_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process, which reads the package's own source once for all tests."""
    (tmp_path / "twice.jl").write_text("twice(x::Real) = x + x\n", "utf-8")
    monkeypatch.setattr(sys, "argv", ["bench", "modules", str(tmp_path / "twice.jl")])
    bench.main()
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    entered, imported = map(int, re.findall(r"\d+", lines[0]))
    assert 20 < entered < imported
    counts = {name: int(count) for name, count in re.findall(r"^  (\w+) +(\d+)  ", printed, re.MULTILINE)}
    assert sum(counts.values()) == entered and {"engine", "infer", "lower"} <= counts.keys()
    assert not {"lsp", "release", "meaning"} & counts.keys()
    assert re.fullmatch(r"[\d,]+ lines in \d+ files", lines[-3])
