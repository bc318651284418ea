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


READER = """import argparse, gzip, io, os, pathlib, zipfile
from typing import Annotated
import numpy as np
import pandas as pd
from dp_types import AddRemove, Bounded, Private, Static

def load():
    table = pd.read_csv("ages.txt")
    {line}
    return table["age"].to_numpy()

def main() -> Private:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epsilon", {argument})
    args = parser.parse_args()
    epsilon: Static[float] = args.epsilon
    ages: Annotated[np.ndarray, AddRemove(), Bounded(0, 100)] = load()
    print(epsilon, ages.sum() + np.random.laplace(0, 100))
"""
READS = (
    "table = table[table['age'] > 0].dropna().rename(columns={'a': 'b'})",
    "table['age'] = table['age'].astype(float).fillna(0)",
    "table = table.query('age > 18')",
    "other = pd.read_csv(pathlib.Path(os.environ['FOLDER']) / 'b.csv')",
    "other = open('b.txt', 'r').read().strip().replace('a', 'b')",
    "other = gzip.open('b.gz', 'rt').readlines()",
    "other = zipfile.ZipFile('b.zip').open('data.csv').read()",
    "import json; other = json.load(open('b.json'))",
)
SHOWS_WHAT_IT_READS = (
    "print(len(table))",
    "list(map(print, table['age']))",
    "table.apply(print)",
    "table.to_csv('b.csv')",
    "table.query('@print(1)')",
    "os.environ['X'] = str(table)",
    "os.environ.update({'X': str(table)})",
    "os.symlink(str(table), 'x')",
    "os.execv('/bin/echo', ['echo', str(table)])",
    "os.killpg(0, 9)",
    "pathlib.Path('x').rename(str(table))",
    "pathlib.Path(str(table)).touch()",
    "zipfile.ZipFile('x', 'w').writestr('a', str(table))",
    "io.FileIO('x', 'w').truncate(len(table))",
    "gzip.open(f'x{len(table)}', 'wb')",
    "open('x', 'r+')",
    "open(*['x', 'w'])",
    "np.memmap('x', mode='w+', shape=len(table))",
    "np.random.set_state(np.random.get_state())",
    "np.random.seed(1)",
    "import shutil; shutil.copyfile('ages.txt', 'public.txt')",
    "import os as files; files.symlink(str(table), 'x')",
    "from os import symlink; symlink(str(table), 'x')",
    "import os; os.symlink(str(table), 'x')",
    "import json as kept, os as kept; kept.symlink(str(table), 'x')",
    "path = os.path.os; path.symlink(str(table), 'x')",
    "from . import other; other.show(table)",
    "np.random.laplace = min",
    "np.seterr(all='raise')",
    "getattr(table, 'to_csv')('x')",
    "assert len(table) > 3",
)
TELLS = ("type=float", "type=float, default=1.0", "type=str, choices=['a', 'b']")
TELLS_OF_DATA = (
    "default=np.loadtxt('ages.txt').max()",
    "default=max(open('ages.txt'))",
    "type=lambda text: np.loadtxt('ages.txt').max()",
    "help=print(np.loadtxt('ages.txt'))",
)


def main_of(line: str, argument: str) -> State:
    program = READER.format(line=line, argument=argument)
    checked = Engine().check(program, Options(language="python"), document="a.py")
    return next(each.state for each in checked.functions if each.name == "main")


@pytest.mark.parametrize("line", READS)
def test_what_only_reads_is_part_of_reading(line: str) -> None:
    assert main_of(line, TELLS[0]) is State.PROVED


@pytest.mark.parametrize("line", SHOWS_WHAT_IT_READS)
def test_what_shows_what_it_reads_or_changes_others_is_not(line: str) -> None:
    assert main_of(line, TELLS[0]) is State.UNKNOWN


@pytest.mark.parametrize("argument", TELLS)
def test_what_a_command_line_says_is_public(argument: str) -> None:
    assert main_of("pass", argument) is State.PROVED


@pytest.mark.parametrize("argument", TELLS_OF_DATA)
def test_what_a_command_line_takes_from_the_data_is_not(argument: str) -> None:
    assert main_of("pass", argument) is State.UNKNOWN
