"""What messages say: the user's own names, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from dp_lsp.cli import main
from dp_lsp.engine.check import Engine

VECTOR = "f(ages::MetricVector(Real, Symmetric), eps::Static()) :: Priv() = laplacian_mechanism(1, eps, {})"
MATRIX = "f(m::MetricMatrix(Real, Symmetric), eps::Static()) :: Priv() = laplacian_mechanism(1, eps, {})"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            VECTOR.format("sum(ages)"),
            "`sum` cannot be used like this: `ages` has no known bounds; give it some with `clamp(ages, L, U)`",
        ),
        (
            VECTOR.format("median(filter(x -> x > 3, ages))"),
            "`median` cannot be used like this: `filter(x -> x > 3, ages)` has no known bounds; "
            "give it some with `clamp(filter(x -> x > 3, ages), L, U)`",
        ),
        (
            VECTOR.format("quantile(ages)"),
            "`quantile(v, alpha)` takes 2 arguments, but 1 is given here",
        ),
        (
            MATRIX.format("count(r -> r[1] > 3, m)"),
            "`count` takes a vector or gradient of numbers here, but this is a dataset of rows, measured in Symmetric; "
            "`count_rows` takes those",
        ),
        (
            MATRIX.format("size(filter(r -> r[1] > 3, m), 1)"),
            "`filter` takes a dataset of numbers here, but this is a dataset of rows, measured in Symmetric; "
            "`filter_rows` takes those",
        ),
        (
            "f(v::MetricVector(Real, L1)) = (v .= 0; v)",
            "`v` is changed in place, and others may hold it: change only a vector that is made in the same function, "
            "and use it otherwise only behind its last change",
        ),
        (
            "f(v::MetricVector(Real, InsertDelete), w::MetricVector(Real, InsertDelete)) = length(v[w .> 0])",
            "`v[w .> 0]` cannot be used like this: a mask that is made of `w` picks by position, and which record "
            "stands where is not protected",
        ),
        (
            "using Foo\nf(x::Real) = clipn(x, 3, 1)",
            "`Foo` may define `clipn`, so nothing is known of what uses that; write `import Foo`",
        ),
        (
            "# dp: budget ε <= 1/4\nf(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)",
            "`f` is not within its budget for `x`: ε 1 is proved, 0.75 more than 1/4",
        ),
    ],
)  # fmt: skip
def test_a_message(program: str, said: str) -> None:
    assert [problem.message for problem in Engine().check(program).problems] == [said]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"large.jl": "factor = 10\n", "small.jl": "factor = 2\n", "third.jl": "factor = 2\n"},
            "10 for `x` in `large.jl`; 2 for `x` in `small.jl` and `third.jl`",
        ),
        ({"two.jl": "module A\nfactor = 3\n%send\nfactor = 4\n"}, "3 for `x`; 4 for `x`"),
    ],
)
def test_what_is_proved_in_each_project(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: dict[str, str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in files.items():
        include = 'include("scale.jl")\n'
        Path(name).write_text((text % include if "%s" in text else text) + include, "utf-8")
    Path("scale.jl").write_text("scaled(x::Real) = factor * x\n", "utf-8")
    assert main(["check", "--no-cache", "."]) == 1
    printed = capsys.readouterr().out
    assert "error[DP019]: `scaled` has a different guarantee in each" in printed
    assert f" {said}\n" in printed
