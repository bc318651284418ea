"""Claims against what is true: the search attains what claims say of functions whose sensitivity is known, and no claim
about a slice of the random functions, or about some case studies, is below what it attains."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from attack.evaluated import checked
from attack.precision import GOAL, Measured, case_studies, page, precision, random_ones, written
from evaluator.judging import Judge
from evaluator.subjects import FEATURES
from evaluator.worst import Worst

FIRST, SLICE, EACH = 0, 30, 8
KNOWN = (
    ("f(v::MetricVector(Real, L2)) = 3 * v[1] + 4 * v[2]", 5),
    ("f(v::MetricVector(Real, LInf)) = 3 * v[1] - 4 * v[2]", 7),
    ("f(v::MetricVector(Real, L2)) = norm_convert(L1, [v[1] + v[2], v[1] - v[2]])", 2),
    ("f(x::Real, y::Real) = max(2 * x, y)", 2),
    ("f(v::MetricVector(Real, Symmetric)) = sum(map(t -> clamp(t, -2, 7), v))", 7),
    ("f(v::MetricVector(Bounded(Real, -1, 4), ChangeOne)) = sum(filter(t -> t > 2, v))", 4),
    ("f(v::MetricVector(Real, Hamming)) = count(t -> t == 2.5, v)", 1),
    ("f(X::MetricMatrix(Real, ChangeOne, RowNorm(L2, 5))) = sum(X; dims=1)", 10),
    ("f(v::MetricVector(Integer, Symmetric, Contributes(2))) = 3 * count(t -> t > 4, v)", 6),
    ("f(v::MetricVector(Real, L1)) :: Priv() = laplacian_mechanism(4, 0.5, 2 * v[1] + v[2])", 0.25),
    ("f(v::MetricVector(Real, L2)) :: Priv() = gaussian_mechanism(10, 0.5, 0.001, [3 * v[1], 4 * v[2]])", 0.2),
    ("f(v::MetricVector(Real, Symmetric)) :: Priv() = report_noisy_max(1, 1, [count(t -> t > 0, v), 3])", 0.5),
    (
        "f(v::MetricVector(Real, Symmetric)) :: Priv() = "
        "exponential_mechanism(1, 1, [1, -1], c -> c * count(t -> t > 1, v))",
        1,
    ),
    (
        "function f(v::MetricVector(Real, Symmetric)) :: Priv()\n"
        "    one(part) :: Priv() = laplacian_mechanism(1, 1, length(part))\n"
        "    map_parts(one, v, t -> t > 2 ? 1 : 0, [0, 1])\nend",
        1,
    ),
    ("f(v::MetricVector(Real, L2), s::Static()) = sum(map(t -> clamp(t, 0, s), v)) / 1", math.sqrt(4)),
    (
        "function f(v::MetricVector(Real, ChangeOne)) :: Priv()\n"
        "    a = laplacian_mechanism(1, 1, count(t -> t > 2, v))\n"
        "    b = max(1, a)\n    laplacian_mechanism(b, 1, b * count(t -> t == 5, v))\nend",
        2,
    ),
)


@pytest.mark.parametrize(("text", "true"), KNOWN)
def test_the_worst_neighbours_are_found(text: str, true: float) -> None:
    (claims,) = checked([text + "\n"])
    (claim,) = claims
    found = Worst(Judge(text + "\n", 1), claim, 0, 1).found(600)
    assert math.isclose(found.moved, true, rel_tol=1e-5)


@pytest.mark.slow
def test_no_claim_of_a_slice_or_of_case_studies_is_below_what_is_attained() -> None:
    found = [*random_ones(FIRST, SLICE), *case_studies(EACH)]
    text, _ = page(found)
    assert "REFUTED" not in text, text
    assert sum(not each.why and each.ratio < GOAL for each in found) > len(found) / 2, text


def test_a_claim_that_nothing_moves_counts_as_infinitely_large() -> None:
    def of(claimed: float, true: float) -> Measured:
        return Measured("seed 0", "x", "numbers", "`-`", claimed, true)

    text, missed = page([of(1, 1)] * 99 + [of(2, 0)])
    assert of(2, 0).ratio == math.inf and of(0, 0).ratio == 1 and not missed and "inf seed 0, x" in text
    assert page([of(1, 1)] * 94 + [of(2, 0)] * 6)[1]
    assert page([of(1, 1)] * 99 + [of(1, 2)])[1]  # refuted
    assert page([of(1, 1)] * 94 + [of(1, 1)._replace(why="a reason")] * 6)[1]


def test_each_family_is_written_and_has_features() -> None:
    found = [written(seed) for seed in range(400)]
    assert len({each.family for each in found}) == 13
    assert set().union(*(each.features for each in found)) == set(FEATURES)


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "runs.json"
    made = Measured("seed 0", "x", "numbers", "`-`", 1.0, 1.0)
    output.write_text(json.dumps({"first": 0, "measured": [made]}) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attack.precision.case_studies", list)
        assert not precision(0, 1, str(output), 1)
    assert capsys.readouterr().out.startswith("1 claims: median 1.000")
