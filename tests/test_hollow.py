"""Nothing is proved under a condition that fails for large data, as SymPy evaluates what a report prints: each
condition of a private function that speaks of a size holds for large sizes and some public numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from analyses import analysis
from attack.large import about_sizes, holds_for_large, looked
from dp_lsp.analysis.records import Analysis, State
from dp_lsp.engine.check import Engine
from source_tree import ROOT

ENGINE = Engine()
REPORTS = sorted((ROOT / "fixtures" / "programs").glob("*.json"))


def hollow(files: Mapping[str, Analysis]) -> list[str]:
    """Conditions of the private functions of a project that fail for large data. `test_spec` asks this of all programs
    of the specification."""
    return [
        f"{function.name}: {formula}"
        for found in files.values()
        for function in found.functions
        if function.kind == "privacy" and function.state is State.PROVED
        for formula in about_sizes([each._asdict() for each in function.conditions])
        if not holds_for_large(formula)
    ]


def test_a_function_that_were_proved_for_small_data_only_would_be_found() -> None:
    private = "f(v::MetricVector(Real, L1)) :: Priv() = laplacian_mechanism({}, 1, v)\n"
    assert not hollow({"": ENGINE.check(private.format("2"))})
    (function,) = ENGINE.check(private.format("100 / length(v)")).functions
    assert function.state is State.FAILED
    assert hollow({"": analysis(functions=(function._replace(state=State.PROVED),))})


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_no_fixture_is_proved_for_small_data_only(path: Path) -> None:
    report = json.loads(path.read_text(encoding="utf-8"))
    for function in (each for file in report["files"] for each in file["functions"]):
        if report["profile"] == "sound" and function["kind"] == "privacy" and function["status"] == "proved":
            for formula in about_sizes(function["conditions"]):
                assert holds_for_large(formula), (function["name"], formula)


@pytest.mark.parametrize(
    ("formula", "holds"),
    [
        ("sqrt(length(v)) <= 1", False),
        ("length(v) <= r", False),
        ("1 <= 100/length(v)", False),
        ("k <= rows(m)", True),
        ("length(v)*Abs(r) <= 1", True),
        ("length(v)*(1 + Abs(r)) <= sqrt(length(v))", False),
        ("length(v) <= length(w)", True),
        ("sqrt(1/length(v)) <= 1", True),
        ("Eq(length(v), 2)", False),
        ("Eq(rows(m), 2)", False),
        ("Eq(cols(m), 2)", True),
        ("Eq(length(v), n)", True),
        ("Eq(length(v), length(w))", True),
    ],
)
def test_what_fails_for_large_data_is_seen(formula: str, holds: bool) -> None:
    assert holds_for_large(formula) is holds


def test_no_random_program_is_proved_for_small_data_only() -> None:
    """``python -m tests.attack large`` looks at more of them."""
    found = looked(60, 1_000)
    assert found.hollow == () and found.conditions > 5


@pytest.mark.parametrize("given", ["[1.0, 2.0]", "zeros(3)", "zeros(n)", "w"])
def test_a_vector_of_numbers_has_as_many_as_what_it_is_used_for(given: str) -> None:
    same = "g(v::MetricVector(Real, L1), w::MetricVector(Real, L1)) = v + w\n"
    head = "f(v::MetricVector(Real, L1), w::MetricVector(Real, L1), n::Static(Integer)) :: Priv() ="
    found = ENGINE.check(f"{same}{head} laplacian_mechanism(2, 1, g(v, {given}))\n")
    assert found.functions[1].state is State.PROVED
