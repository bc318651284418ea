"""Nothing is proved under a condition that fails for large data, as SymPy evaluates what a report prints: each
inequality of a private function that speaks of a size holds for large sizes and some public numbers."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sympy

import spec_runner
from dp_lsp.analysis.records import State
from dp_lsp.engine.check import Engine
from source_tree import ROOT

ENGINE = Engine()
PAGES = sorted((ROOT / "fixtures" / "spec").rglob("*.md"))
REPORTS = sorted((ROOT / "fixtures" / "programs").glob("*.json"))
SIZE = re.compile(r"\b(?:length|rows|cols)\((\w+(?:\[\d+\])*)\)")
LARGE = (10**5, 10**10, 10**15)
NUMBERS = (0.0, 1e-6, 0.01, 0.5, 1.0, 2.0, 7.0, 100.0, 1e4)
MOST = 600
"""How many choices of public numbers are tried for a condition."""


def inequalities(conditions: list[Any]) -> Iterator[str]:
    """The formulas that compare with a size."""
    for each in conditions:
        formula = each["formula"] or ""
        if SIZE.search(formula) and re.search(r"<=?", formula):
            yield formula


@cache
def holds_for_large(formula: str) -> bool:
    """Whether some numbers make it true for all sizes that are tried."""
    named = {found: f"size_{index}" for index, found in enumerate(dict.fromkeys(SIZE.findall(formula)))}
    written = SIZE.sub(lambda found: named[found[1]], formula)
    names = sorted(set(re.findall(r"\b[^\W\d]\w*\b(?!\()", written)) - {"oo"})
    symbols = {name: sympy.Symbol(name) for name in names}
    written = re.sub(r"(\w+)\[(\d+)\]", r"\1_\2", written)
    test = sympy.lambdify(list(symbols.values()), sympy.sympify(written, locals=symbols), "math")
    free = [name for name in names if not name.startswith("size_")]
    choices = list(itertools.islice(itertools.product(NUMBERS, repeat=len(free)), 50_000))
    random.Random(formula).shuffle(choices)
    return any(
        all(_true(test, names, dict(zip(free, choice, strict=True)), size) for size in LARGE)
        for choice in choices[:MOST]
    )


def _true(test: Any, names: list[str], free: dict[str, float], size: int) -> bool:
    try:
        return bool(test(*(free.get(name, size) for name in names)))
    except (OverflowError, ZeroDivisionError, ValueError):
        return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_program_of_a_page_is_proved_for_small_data_only(page: Path) -> None:
    for block in spec_runner.blocks(page.read_text(encoding="utf-8")):
        if block.options.profile != "sound" or block.known_wrong:
            continue
        for found in spec_runner.check(ENGINE, block.text, block.options).values():
            for function in found.functions:
                if function.kind == "privacy" and function.state is State.PROVED:
                    for formula in inequalities([each._asdict() for each in function.conditions]):
                        assert holds_for_large(formula), (block.heading, function.name, formula)


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_no_fixture_is_proved_for_small_data_only(path: Path) -> None:
    report = json.loads(path.read_text(encoding="utf-8"))
    for function in (each for file in report["files"] for each in file["functions"]):
        if report["profile"] == "sound" and function["kind"] == "privacy" and function["status"] == "proved":
            for formula in inequalities(function["conditions"]):
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
    ],
)
def test_what_fails_for_large_data_is_seen(formula: str, holds: bool) -> None:
    assert holds_for_large(formula) is holds
