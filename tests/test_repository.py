"""The repository as a whole: what lies in it, how its code looks, what its README and its wheel hold."""

from __future__ import annotations

import ast
import os
import re
import zipfile
from pathlib import Path

import pytest

import dp_lsp
from source_tree import ROOT, modules, python, tracked

TOP_LEVEL = {
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "dp_lsp",
    "dp_types",
    "editors",
    "tests",
    "fixtures",
}
LONGEST_FUNCTION = 60
LEFTOVER = re.compile(rb"\b(TO" rb"DO|FIX" rb"ME|X" rb"XX)\b")


def test_top_level_holds_only_what_belongs_there() -> None:
    entries = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {entry for entry in entries - TOP_LEVEL if not entry.startswith(".")} == set()


def test_nothing_is_left_for_later() -> None:
    texts = [path for path in tracked() if path.suffix != ".png"]
    assert [str(path.relative_to(ROOT)) for path in texts if LEFTOVER.search(path.read_bytes())] == []


def test_functions_are_short() -> None:
    """A file may be as long as its idea."""
    long = []
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > LONGEST_FUNCTION:
                    long.append(f"{module.at(node)}: {node.name}, {lines} lines")
    assert long == []


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["ruff", "check", "--output-format", "concise", "."], id="lint"),
        pytest.param(["ruff", "format", "--check", "."], id="format"),
        pytest.param(["mypy"], id="types", marks=pytest.mark.slow),
    ],
)
def test_code_is_clean(command: list[str]) -> None:
    result = python("-m", *command)
    if result.returncode:
        pytest.fail(result.stdout + result.stderr, pytrace=False)


def readme_commands() -> list[str]:
    """The lines of the README that start from a fresh machine."""
    return re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)


def test_readme_has_two_commands() -> None:
    main_job, tests = readme_commands()
    *_, checked = main_job.split()
    assert main_job.endswith(f".venv/bin/dp-lsp check {checked}")
    assert (ROOT / checked).is_file()
    assert tests.endswith(".venv/bin/python -m pytest -n auto")


def test_continuous_integration_runs_what_the_readme_says() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = [line for line in script.read_text("utf-8").splitlines() if not line.startswith(" ")]
    steps = [line for line in lines if line in readme_commands()[1].split(" && ")]
    assert " && ".join(steps) == readme_commands()[1] and lines[-1] == steps[-1]


@pytest.mark.slow
def test_wheel_checks_a_program(tmp_path: Path) -> None:
    built = python("-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = tmp_path.glob(f"dp_lsp-{dp_lsp.__version__}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert {"dp_lsp/py.typed", "dp_lsp/frontends/julia/table.py"} <= set(archive.namelist())

    site = tmp_path / "site"
    installed = python("-m", "pip", "install", "--no-index", "--no-deps", "--target", site, wheel)
    assert installed.returncode == 0, installed.stderr

    where = python("-P", "-c", "import dp_lsp; print(dp_lsp.__file__)", cwd=tmp_path, path=site)
    assert Path(where.stdout.strip()).is_relative_to(site)

    (tmp_path / "twice.jl").write_text("twice(x::Real) = x + x\n", "utf-8")
    checked = python("-P", "-m", "dp_lsp", "check", "twice.jl", cwd=tmp_path, path=site)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "twice" in checked.stdout
