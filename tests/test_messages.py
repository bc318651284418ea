"""What messages say: the user's own names, and what to write instead."""

from __future__ import annotations

import pytest

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
            "`count` takes a vector of numbers here, but this is a dataset of rows, measured in Symmetric; "
            "`count_rows` takes those",
        ),
        (
            MATRIX.format("size(filter(r -> r[1] > 3, m), 1)"),
            "`filter` takes a dataset of numbers here, but this is a dataset of rows, measured in Symmetric; "
            "`filter_rows` takes those",
        ),
        (
            VECTOR.format("sum(clamp.(ages, 0, 120))"),
            "A broadcast is not part of the language that is checked, so nothing is known of `f`; "
            "write `map(x -> clamp(x, 0, 120), ages)`",
        ),
        (
            "f(x::MetricVector(Real, Symmetric), y::MetricVector(Real, Symmetric)) = sum(x .* y)",
            "A broadcast is not part of the language that is checked, so nothing is known of `f`; "
            "write `map(x -> …, v)`",
        ),
        (
            "using CSV, DataFrames\nf(x::Real) = x",
            "`CSV, DataFrames` may define any name of this project, so nothing in it is known; "
            "write `import CSV, DataFrames`",
        ),
        (
            "# dp: budget ε <= 1/4\nf(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)",
            "`f` is not within its budget for `x`: ε 1 is proved, 0.75 more than 1/4",
        ),
    ],
)  # fmt: skip
def test_a_message(program: str, said: str) -> None:
    assert [problem.message for problem in Engine().check(program).problems] == [said]
