"""Names at top level that get several values: what is claimed of functions that read them, by CPython, which runs the
whole file first."""

from __future__ import annotations

from pathlib import Path

import pytest

import spec_runner
from attack.python import checked, judged
from cpython.claims import Claim
from cpython.judging import Judge
from source_tree import ROOT
from test_editing_projects import Session, write

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


HEAD = """\
from typing import Annotated
import numpy as np
from dp_types import AddRemove, Bounded, Private
e = 0.1
def total(v: Annotated[np.ndarray, AddRemove(), Bounded(0, 10)]) -> Private:
    return v.sum() + np.random.laplace(0, 10 / e)
"""


def test_edits_between_two_values_count_at_once(tmp_path: Path) -> None:
    """Where what is typed calls the function before the last value, and where it does no more."""
    behind = ("e = 1", "print(total([1]))\ne = 1", "print(1)\ne = 1", "e = 2", "", "def g(x=total([1])): pass\ne = 2")
    write(tmp_path, "main.py", HEAD)
    said = []
    with Session(tmp_path) as session:
        session.start(tmp_path)
        session.open(HEAD, uri=session.uri("main.py"), language="python")
        for version, text in enumerate(behind, 2):
            session.edit(version, "main.py", f"{HEAD}{text}\n")
            functions = session.checked(version, "main.py")["functions"]
            said.append(next(each["summary"] for each in functions if each["name"] == "total"))
    unknown = "v: not known"
    assert said == ["v: ε 1  δ 0", unknown, "v: ε 1  δ 0", "v: ε 2  δ 0", "v: ε 0.1  δ 0", unknown]
