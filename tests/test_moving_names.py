"""Names at top level that get several values: what is claimed of functions that read them, by CPython, which runs the
whole file first."""

from __future__ import annotations

import pytest

import spec_runner
from attack.python import checked, judged
from cpython.claims import Claim
from cpython.judging import Judge
from source_tree import ROOT

PAGE = ROOT / "fixtures" / "spec" / "python" / "moving.md"
TEXTS = ["\n".join(block.lines) + "\n" for block in spec_runner.blocks(PAGE.read_text("utf-8"))]


@pytest.fixture(scope="module")
def said() -> list[tuple[str, list[Claim]]]:
    return list(zip(TEXTS, checked(TEXTS), strict=True))


def test_no_run_costs_more(said: list[tuple[str, list[Claim]]]) -> None:
    outcomes = {text: judged(1, text, claims) for text, claims in said if claims}
    assert len(outcomes) >= 4
    assert not {text: each for text, each in outcomes.items() if each.refuted or each.crashed or each.unjudged}


def test_less_is_refuted(said: list[tuple[str, list[Claim]]]) -> None:
    """A little less than what is claimed, of functions that are defined once."""
    for text, claims in said:
        for claim in claims:
            if claim.private and text.count(f"def {claim.name}(") == 1:
                less = [each._replace(epsilon=f"({each.epsilon})*9/10") for each in claim.parameters]
                assert Judge(text, 1).refuted(claim._replace(parameters=tuple(less)), 12, 8), text
