"""Nothing is proved under a condition that fails for large data, as SymPy evaluates what a report prints: each
condition of a private function that speaks of a size holds for large sizes and some public numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import spec_runner
from attack.large import about_sizes, holds_for_large, looked
from dp_lsp.analysis.records import State
from dp_lsp.engine.check import Engine
from source_tree import ROOT

ENGINE = Engine()
PAGES = sorted((ROOT / "fixtures" / "spec").rglob("*.md"))
REPORTS = sorted((ROOT / "fixtures" / "programs").glob("*.json"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_program_of_a_page_is_proved_for_small_data_only(page: Path) -> None:
    for block in spec_runner.blocks(page.read_text(encoding="utf-8")):
        if block.options.profile != "sound" or block.known_wrong:
            continue
        for found in spec_runner.check(ENGINE, block.text, block.options).values():
            for function in found.functions:
                if function.kind == "privacy" and function.state is State.PROVED:
                    for formula in about_sizes([each._asdict() for each in function.conditions]):
                        assert holds_for_large(formula), (block.heading, function.name, formula)


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
