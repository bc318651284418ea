"""Files that read data: what a run of one costs, by CPython, which runs the whole file."""

from __future__ import annotations

import json
import re
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
from dp_lsp.analysis.records import Options, State
from dp_lsp.engine.check import Engine
from source_tree import ROOT

PAGE = ROOT / "fixtures" / "spec" / "python" / "scripts.md"
ENTRY = "<module>"
CALLS_MAIN = re.compile(r"^(?: {4}|print\()?main\(", re.MULTILINE)
"""Where a file runs a function that reads, once: so much as that costs, a run of the file does."""


def programs() -> list[str]:
    blocks = spec_runner.blocks(PAGE.read_text("utf-8"))
    return [block.text for block in blocks if ENTRY in block.text or CALLS_MAIN.search(block.text)]


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
            if (each.name == ENTRY or CALLS_MAIN.search(text)) and "matplotlib" not in text:
                yield text, each._replace(name=ENTRY)


def test_no_run_costs_more(said: dict[str, dict[str, Any]]) -> None:
    found = list(entries(said))
    assert len(found) >= 11
    outcomes = {text: judged(1, text, [claim]) for text, claim in found}
    assert not {text: each for text, each in outcomes.items() if each.refuted or each.crashed or each.unjudged}


def test_runs_see_all_that_is_printed(said: dict[str, dict[str, Any]]) -> None:
    """A little less than what is claimed is refuted."""
    for text, claim in entries(said):
        if all(each.delta == "0" for each in claim.parameters):
            less = [each._replace(epsilon=f"({each.epsilon})*9/10") for each in claim.parameters]
            assert Judge(text, 1).refuted(claim._replace(parameters=tuple(less)), 12, 8), text


PLAIN_RELEASES = {
    "noise": "print(len(df[df['Age'] > 40]) + np.random.laplace(0, 1))",
    "noise before it": "noisy = np.random.laplace(0, 1) + total",
    "noise taken off": "total -= 3\nprint(total - rng.normal(0, 1))",
    "in a loop": "for town in towns:\n    print(counts[town] + np.random.laplace(0, 1))",
    "noise on counts": "print(counts + np.random.laplace(0, 1, size=3))",
    "a tool": "import diffprivlib as dpl\nprint(dpl.tools.mean(ages, epsilon=1, bounds=(0, 9)))",
    "a mechanism": "print(laplace.randomise(len(df)))",
    "a query": "print(context.query().select(dp.len()).release())",
}
PLAIN_OTHERS = {
    "a draw that is plotted": "plt.hist(np.random.laplace(0, 1, size=1000))",
    "noise on a number": "x = 5 + np.random.laplace(0, 1)",
    "draws alone": "x = np.random.laplace(0, 1) + np.random.laplace(0, 2)",
    "data that are made up": "y = 3 * x + rng.normal(0, 1, 100)\nz = x + np.random.randn(len(x))",
    "a lock": "lock.release()",
    "a function": "add = lambda x: x + np.random.laplace(0, 1)",
    "a method": "class A:\n    def f(self, x):\n        return x + np.random.laplace(0, 1)",
    "nothing": "print(len(df))",
}


@pytest.mark.parametrize("what", PLAIN_RELEASES)
def test_a_body_that_releases_and_says_nothing_of_its_data_is_not_proved(what: str) -> None:
    program = f"import numpy as np\nfrom dp_types import AddRemove\n{PLAIN_RELEASES[what]}\n"
    analysis = Engine().check(program, Options(language="python"), document="a.py")
    assert [each.code for each in analysis.problems if each.code == "DP462"] == ["DP462"]
    assert analysis.state is State.UNKNOWN


@pytest.mark.parametrize("what", PLAIN_OTHERS)
def test_a_body_that_only_draws_is_not_told_so(what: str) -> None:
    program = f"import numpy as np\nfrom dp_types import AddRemove\n{PLAIN_OTHERS[what]}\n"
    analysis = Engine().check(program, Options(language="python"), document="a.py")
    assert "DP462" not in [each.code for each in analysis.problems]


def test_what_is_to_be_said_names_the_table_and_its_columns() -> None:
    program = "import numpy as np\nimport dp_types\nprint(df['Pay'].clip(0, 9).sum() + np.random.laplace(0, 9))\n"
    (problem,) = Engine().check(program, Options(language="python"), document="a.py").problems
    assert "`df: Annotated[pd.DataFrame, AddRemove(), Columns(Pay=float)] = …`" in problem.message
