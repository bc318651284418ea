"""Counterexamples: where a mechanism declares too small a distance, two inputs show it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dp_lsp.cli import main
from source_tree import python

PRIVATE = "function f({}, eps::Static(), del::Static()) :: Priv()\n    {}\nend\n"


def notes(text: str, folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """What is said of counterexamples, by ``check --witness``."""
    file = folder / "a.jl"
    file.write_text(text, "utf-8")
    main(["check", "--output-format", "json", "--witness", *options, str(file)])
    report = json.loads(capsys.readouterr().out)
    problems = (each for file in report["files"] for each in file["diagnostics"] if each["code"] == "DP301")
    return [each["related"][-1]["message"] for each in problems]


@pytest.mark.parametrize(
    ("params", "body", "said"),
    [
        (
            "x::Real",
            "gaussian_mechanism(1, eps, del, x + x)",
            "counterexample: x = 0 and x′ = 1, 1 apart, give 0 and 2, 2 apart; you declared 1",
        ),
        (
            "v::MetricVector(Data, LInf)",
            "gaussian_mechanism(1, eps, del, undisc_container(clip(L2, v)))",
            "you declared 1",
        ),
        ("v::MetricVector(Real, L2)", "gaussian_mechanism(1 / 2, eps, del, v)", "you declared 1/2"),
        ("x::Real, y::Real", "laplacian_mechanism(1, eps, max(x, y) + max(x, -5))", "(with y = "),
        (
            "x::Integer",
            "y = x\n    for i in 1:3\n        y = laplacian_mechanism(2, eps, 3 * x)\n    end\n    y",
            "counterexample: x = 0 and x′ = 1, 1 apart, give 0 and 3, 3 apart; you declared 2",
        ),
    ],
)
def test_a_counterexample(
    params: str, body: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (note,) = notes(PRIVATE.format(params, body), tmp_path, capsys)
    assert said in note and note.startswith("counterexample: ")


def test_a_bound_that_is_loose_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for body in ("x - x / 1 + x", "clamp(2 * x, 0, 0.5)"):  # of the second, no change moves it by more than 1/2
        (note,) = notes(PRIVATE.format("x::Real", f"laplacian_mechanism(1, eps, {body})"), tmp_path, capsys)
        assert note.startswith("no counterexample was found in ")


def test_what_cannot_be_run_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "v = unbox(b(x), Vector{<:Data}, 2)\n    gaussian_mechanism(1, eps, del, undisc_container(clip(L2, v)))"
    (note,) = notes("b(x) :: BlackBox() = x\n" + PRIVATE.format("x::Data", body), tmp_path, capsys)
    assert note.startswith("no counterexample was looked for: ") and "the black box `b`" in note


def test_numbers_do_not_grow_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "y = 3 * x\n    for i in 1:60\n        y = clamp(y, -1, 1) + y * y * 0\n        z = 7.3\n"
    body += (
        "        for j in 1:60\n            z = z * z\n        end\n    end\n    gaussian_mechanism(1, eps, del, 2 * x)"
    )
    (note,) = notes(PRIVATE.format("x::Real", body), tmp_path, capsys)
    assert note == "no counterexample was looked for: this cannot be run on inputs (its numbers are too long)"


def test_it_stands_below_the_problem_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.jl"
    file.write_text(PRIVATE.format("x::Real", "gaussian_mechanism(1, eps, del, x + x)"), "utf-8")
    main(["check", "--witness", str(file)])
    assert "  = counterexample: x = 0 and x′ = 1, 1 apart" in capsys.readouterr().out


def test_numpy_is_loaded_for_nothing_else() -> None:
    code = "import sys; from dp_lsp.cli import main; main(['check', '-']); print('numpy' in sys.modules)"
    done = python("-c", f"import io, sys; sys.stdin = io.TextIOWrapper(io.BytesIO(b'f(x::Real) = x')); {code}")
    assert done.stdout.splitlines()[-1] == "False", done.stderr
