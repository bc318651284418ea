"""Files that read data: what a run of one costs, by CPython, which runs the whole file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spec_runner
from attack.python import judged
from cpython.claims import Claim, claims
from cpython.judging import Judge
from source_tree import ROOT

PAGE = ROOT / "fixtures" / "spec" / "python" / "scripts.md"
ENTRY = "<module>"


def programs() -> list[str]:
    blocks = spec_runner.blocks(PAGE.read_text("utf-8"))
    return ["\n".join(block.lines) + "\n" for block in blocks if any(ENTRY in line for line in block.lines)]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What is said of each program, by its text."""
    folder = tmp_path_factory.mktemp("scripts")
    for number, text in enumerate(programs()):
        (folder / f"s{number}.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "dp_lsp", "check", "--no-cache", "--output-format", "json", str(folder)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return {(folder / Path(file["path"]).name).read_text("utf-8"): file for file in report["files"]}


def entries(said: dict[str, dict[str, Any]]) -> Iterator[tuple[str, Claim]]:
    """The programs of which something is claimed as a whole, and what, as far as they can be run here."""
    for text, report in said.items():
        for each in claims(report):
            if each.name == ENTRY and "matplotlib" not in text:
                yield text, each


def test_no_run_costs_more(said: dict[str, dict[str, Any]]) -> None:
    found = list(entries(said))
    assert len(found) >= 8
    outcomes = {text: judged(1, text, [claim]) for text, claim in found}
    assert not {text: each for text, each in outcomes.items() if each.refuted or each.crashed or each.unjudged}


def test_runs_see_all_that_is_printed(said: dict[str, dict[str, Any]]) -> None:
    """A little less than what is claimed is refuted."""
    for text, claim in entries(said):
        if all(each.delta == "0" for each in claim.parameters):
            less = [each._replace(epsilon=f"({each.epsilon})*9/10") for each in claim.parameters]
            assert Judge(text, 1).refuted(claim._replace(parameters=tuple(less)), 12, 8), text
