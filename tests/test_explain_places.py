"""``dp-lsp explain FILE:…``: whole pages, places of every kind, and what is said where there is nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from dp_lsp.builtins import TABLE
from dp_lsp.cli import main
from dp_lsp.core.laws import LAWS
from dp_lsp.engine.check import Engine
from dp_lsp.features.markdown import prose
from dp_lsp.frontends.julia import JULIA
from source_tree import ROOT

FOLDER = ROOT / "fixtures" / "derivations"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.jl"))

RULE = re.compile(r"(- \*\*`(.*)`\*\*): (.*)")
"""A rule of a page; what it says is written elsewhere, and left out of the expected pages."""

PROGRAM = """\
twice(x::Real) = x + x

f(x::Real) = 3 * x; g(x::Real) = 4 * x

function noisy(x::Real, eps::Static()) :: Priv()
    y = laplacian_mechanism(2, eps, twice(x))
    y / 2
end

k(x::Integer) = x
k(x::Real) = x / 3
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.jl"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def explained(capsys: pytest.CaptureFixture[str], place: str) -> str:
    assert main(["explain", "--", place]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    return shown.out


def refused(capsys: pytest.CaptureFixture[str], place: str) -> str:
    assert main(["explain", "--", place]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    return shown.err


@pytest.mark.parametrize("name", PROGRAMS)
def test_page(
    name: str, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    functions = Engine().check((FOLDER / f"{name}.jl").read_text("utf-8")).functions
    names = dict.fromkeys(function.name for function in functions)
    found = RULE.sub(r"\1", "\n".join(explained(capsys, f"{name}.jl:{each}") for each in names))
    path = FOLDER / f"{name}.md"
    if request.config.getoption("--update"):
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


def test_every_rule_of_a_page_has_words_and_a_source(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = explained(capsys, "a.jl:noisy")
    rules = {found[2]: found[3] for found in RULE.finditer(page)}
    assert list(rules) == ["parameter", "call", "laplacian_mechanism"]
    for name, text in rules.items():
        words, source = (TABLE[name].told(JULIA.rendering), TABLE[name].source) if name in TABLE else LAWS[name][1:]
        assert text == f"{prose(words)} *Source:* {prose(source.rstrip('.'))}."


def titles(page: str) -> list[str]:
    """What each page is about: a function with its types, or an expression."""
    blocks = page.split("\n\n")
    found = [
        (title.strip().removeprefix("# "), below) for title, below in pairwise(blocks) if title.strip()[:2] == "# "
    ]
    signatures = [(name, below.rpartition(" · ")[2]) for name, below in found]
    return [full if full.startswith(f"{name[:-1]}(") else name for name, full in signatures]


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("a.jl:twice", ["`twice(Real)`"]),
        ("a.jl:1", ["`twice(Real)`"]),
        ("a.jl:3", ["`f(Real)`", "`g(Real)`"]),
        ("a.jl:6", ["`noisy(Real, Static())`"]),
        ("a.jl:8", ["`noisy(Real, Static())`"]),
        ("a.jl:k", ["`k(Integer)`", "`k(Real)`"]),
        ("a.jl:10", ["`k(Integer)`"]),
        ("a.jl:3:14", ["`3`"]),
        ("a.jl:3:16", ["`3 * x`"]),
        ("a.jl:3:18", ["`x`"]),
        ("a.jl:6:43", ["`x`"]),
        ("a.jl:6:5", ["`y`"]),
        ("a.jl:1:1", ["`twice(Real)`"]),
    ],
)
def test_a_place(program: Path, capsys: pytest.CaptureFixture[str], place: str, found: list[str]) -> None:
    assert titles(explained(capsys, place)) == found
    assert titles(explained(capsys, str(program.parent / place))) == found


def test_an_expression_says_how_far_it_moves_and_why(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = explained(capsys, "a.jl:6:37")
    assert titles(page) == ["`twice(x)`"]
    assert "sensitivity **2** in `x`" in page and "`Real` · absolute difference" in page
    assert "in `noisy`, proved, under 1 condition · `a.jl:6`" in page
    assert "\n2. `twice(x)`, line 6 · call of `twice`: 2 × 1 → **sensitivity 2**" in page
    assert "- `dp-lsp explain a.jl:twice`" in page


def test_a_released_value_moves_with_nothing(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = explained(capsys, "a.jl:7:5")
    assert "released by a mechanism" in page and "\n1. " not in page


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("b.jl:3", "'b.jl' does not exist"),
        ("b.jl:f", "'b.jl' does not exist"),
        ("folder:3", "'folder' is not a Julia file (.jl)"),
        ("a.txt:3", "'a.txt' is not a Julia file (.jl)"),
        ("a.jl:99", "a.jl has 12 lines, and no line 99"),
        ("a.jl:0", "a.jl has 12 lines, and no line 0"),
        ("a.jl:2", "no function stands on line 2 of a.jl; there is twice (line 1), f (line 3), g (line 3),"),
        ("a.jl:noise", "there is no function 'noise' in a.jl; there is noisy"),
        ("a.jl:2:1", "no function stands at column 1 of line 2 of a.jl"),
        ("broken.jl:f", "there is no function 'f' in broken.jl: "),
        ("bytes.jl:1", "no function stands on line 1 of bytes.jl: "),
        ("empty.jl:1", "no function stands on line 1 of empty.jl"),
    ],
)
def test_nothing_there(program: Path, capsys: pytest.CaptureFixture[str], place: str, message: str) -> None:
    folder = program.parent
    (folder / "folder").mkdir()
    (folder / "a.txt").write_text("f(x) = x\n")
    (folder / "broken.jl").write_text("(((\n")
    (folder / "bytes.jl").write_bytes(b"f(x) = \xff\n")
    (folder / "empty.jl").write_text("")
    error = " ".join(refused(capsys, place).split())
    assert message in error


def test_a_place_is_read_from_the_right(tmp_path: Path) -> None:
    from dp_lsp.cli.derive import PlaceInFile, target

    assert target(r"C:\a.jl:3") == PlaceInFile(r"C:\a.jl", 3)
    assert target(r"C:\a.jl:3:14") == PlaceInFile(r"C:\a.jl", 3, 14)
    assert target(r"C:\a.jl:f!") == PlaceInFile(r"C:\a.jl", function="f!")
    odd = tmp_path / "odd:3"
    odd.touch()
    assert target(f"{odd}:5") == PlaceInFile(str(odd), 5)
    assert target("clip") is None and target("a.jl:") is None and target(":3") is None


def test_what_is_not_understood_is_explained_by_what_stands_in_the_way(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program.write_text("h(x::Real) = rem(x)\n\ng(x::Real) = h(x) + 1\n")
    page = explained(capsys, "a.jl:h")
    assert "unknown" in page and "line 1: error DP113" in page and "\n1. " not in page and "## Holds if" not in page
    page = explained(capsys, "a.jl:g")
    assert "because it uses `h`, which was not checked to the end" in page and "line 3: information DP111" in page


def test_functions_of_included_files_are_found(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program.parent / "b.jl").write_text("helper(x::Real) = 5 * x\n")
    program.write_text('include("b.jl")\n\nf(x::Real) = helper(x)\n')
    assert "call of `helper`: 5 × 1" in explained(capsys, "a.jl:f")
    assert "`b.jl:1`" in explained(capsys, "a.jl:helper")


def test_a_file_that_is_included_twice_is_explained(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (program.parent / "b.jl").write_text("helper(x::Real) = 5 * x\n")
    program.write_text('module A\ninclude("b.jl")\nend\nmodule B\ninclude("b.jl")\nend\n')
    assert "`*`: 5 × 1" in explained(capsys, "a.jl:helper")


def test_a_derivation_is_as_long_as_the_function(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def steps(count: int) -> int:
        lines = "".join(f"    x{i + 1} = x{i} + x{i}\n" for i in range(count))
        program.write_text(f"function doubled(x0::Real)\n{lines}    x{count}\nend\n")
        return explained(capsys, "a.jl:doubled").count("`+`")

    assert steps(40) - steps(20) == 20  # one in the rules


def test_a_terminal_shows_all_of_a_long_formula(
    program: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    long = " + ".join(f"parameter_{i} * x" for i in range(6))
    parameters = ", ".join(f"parameter_{i}::Static()" for i in range(6))
    program.write_text(f"f(x::Real, {parameters}) = {long}\n")
    monkeypatch.setattr("dp_lsp.cli.explain.is_terminal", lambda stream: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    page = explained(capsys, "a.jl:f")
    assert "**" not in page and "\n1. " in page
    everything = "".join(page.split())
    assert all(everything.count(f"parameter_{i}") > 2 for i in range(6))


def test_it_is_a_command(program: Path) -> None:
    command = [sys.executable, "-m", "dp_lsp", "explain", "a.jl:twice"]
    result = subprocess.run(
        command, cwd=program.parent, env={"PYTHONPATH": str(ROOT)}, capture_output=True, encoding="utf-8", timeout=300
    )
    assert result.returncode == 0 and result.stderr == ""
    assert "\n2. `x + x`, line 1 · `+`: 1 + 1 → **sensitivity 2**" in result.stdout
