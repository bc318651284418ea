"""What is said of libraries that are private by themselves, against what they say and do. Those that are not installed
are left out; all are in the second phase of `.ci/run`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cpython.claims import evaluated
from dp_lsp.cli import main

HEADER = """\
from typing import Annotated

import numpy as np
from dp_types import AddRemove, Bounded, ChangeOne, Private, Static
"""
EPS = Fraction(1, 2)


class Said(NamedTuple):
    """What is said of a function: the state, and the ε of its data."""

    state: str
    epsilon: str

    def at(self, **numbers: Any) -> float:
        return float(evaluated(self.epsilon, numbers, ()))


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Said]:
    """What is said of the function ``f`` of a program."""

    def of(program: str) -> Said:
        path = tmp_path / "program.py"
        path.write_text(HEADER + program, "utf-8")
        main(["check", "--no-cache", "--output-format", "json", str(path)])
        (function,) = json.loads(capsys.readouterr().out)["files"][0]["functions"]
        price = next((each["epsilon"] for each in function["parameters"] if not each["static"]), None)
        return Said(function["status"], price or "")

    return of


def run(program: str, *given: Any) -> Any:
    """What the function ``f`` of a program returns."""
    names: dict[str, Any] = {}
    exec(HEADER + program, names)
    return names["f"](*given)


# diffprivlib

DIFFPRIVLIB = """\
import diffprivlib as dpl

def f(v: Annotated[np.ndarray, {relation}()], eps: Static[float]) -> Private:
    return {statistic}
"""
TOOLS = {
    "dpl.tools.count_nonzero(v > 3, epsilon=eps)": 1,
    "dpl.tools.sum(v, epsilon=eps / 2, bounds=(-1, 9))": 1,
    "dpl.tools.mean(v, epsilon=2 * eps, bounds=(-1, 9))": 1,
    "dpl.tools.mean(v, bounds=(0, 9)) + dpl.tools.count_nonzero(v)": 1,
    "dpl.tools.histogram(v, epsilon=eps, bins=3, range=(0, 9))[0]": 2,
}
"""Statistics of records that may be replaced, and how many times as much they cost as the library's accountant says."""


@pytest.fixture
def library() -> Iterator[Any]:
    yield pytest.importorskip("diffprivlib")


def data() -> Any:
    import numpy as np

    return np.array([0.5, 3.0, 4.0, 9.0])


@pytest.mark.parametrize("statistic", TOOLS)
def test_tools_cost_what_the_accountant_says(statistic: str, said: Callable[[str], Said], library: Any) -> None:
    program = DIFFPRIVLIB.format(relation="ChangeOne", statistic=statistic)
    found = said(program)
    with library.BudgetAccountant() as spent:
        run(program, data(), float(EPS))
    assert found.state == "proved"
    assert math.isclose(found.at(eps=EPS), TOOLS[statistic] * spent.total()[0])


def test_a_histogram_has_noise_for_one_count(said: Callable[[str], Said], library: Any) -> None:
    """Which is what the accountant says where a record is added."""
    statistic = "dpl.tools.histogram(v, epsilon=eps, bins=3, range=(0, 9))[0]"
    program = DIFFPRIVLIB.format(relation="AddRemove", statistic=statistic)
    found = said(program)
    with library.BudgetAccountant() as spent:
        run(program, data(), float(EPS))
    assert (found.state, found.at(eps=EPS)) == ("proved", spent.total()[0])


MECHANISMS = {
    "Laplace(epsilon=eps, sensitivity=2).randomise(2 * np.sum(v > 3))": 2,
    "LaplaceTruncated(epsilon=eps, sensitivity=10, lower=0, upper=99).randomise(np.sum(np.clip(v, -1, 9)))": 10,
    "Geometric(epsilon=eps).randomise(np.sum(v > 3))": 1,
}
"""Mechanisms, and how far what each hides moves where a record is replaced."""


@pytest.mark.parametrize("statistic", MECHANISMS)
def test_mechanisms_have_noise_for_their_sensitivity(
    statistic: str, said: Callable[[str], Said], library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ε of so far a move by noise of the deviation that the library says."""
    program = DIFFPRIVLIB.format(relation="ChangeOne", statistic=f"dpl.mechanisms.{statistic}")
    found = said(program)
    made: list[Any] = []
    kind = getattr(library.mechanisms, statistic.partition("(")[0])
    was = kind.randomise
    monkeypatch.setattr(kind, "randomise", lambda self, value: made.append(self) or was(self, value))
    run(program, data(), float(EPS))
    assert found.state == "proved"
    (mechanism,) = made
    base = library.mechanisms.Laplace if isinstance(mechanism, library.mechanisms.Laplace) else type(mechanism)
    deviation = math.sqrt(base.variance(mechanism, 0))
    moved = MECHANISMS[statistic]
    if base is library.mechanisms.Laplace:
        assert math.isclose(moved / (deviation / math.sqrt(2)), found.at(eps=EPS))
    else:  # the variance of two-sided geometric noise is 2a/(1 - a)², a = exp(-ε)
        a = math.exp(-found.at(eps=EPS) / moved)
        assert math.isclose(deviation**2, 2 * a / (1 - a) ** 2)


@pytest.mark.parametrize("tool", ["count_nonzero(v", "sum(v, bounds=(0, 1)"])
def test_a_statistic_that_is_cut_off_tells_the_size(tool: str, said: Callable[[str], Said], library: Any) -> None:
    import numpy as np

    program = DIFFPRIVLIB.format(relation="AddRemove", statistic=f"dpl.tools.{tool}, epsilon=eps)")
    assert said(program).state == "failed"
    seen = [{float(run(program, np.ones(size), float(EPS))) for _ in range(60)} for size in (3, 4)]
    assert max(seen[0]) == 3, "so many are never more"
    assert max(seen[1]) == 4


def test_what_leaves_out_moves_further_than_its_noise_is_for(said: Callable[[str], Said], library: Any) -> None:
    import numpy as np

    program = DIFFPRIVLIB.format(relation="ChangeOne", statistic="dpl.tools.nanmean(v, epsilon=eps, bounds=(0, 10))")
    assert said(program).state == "unknown"
    declared: list[float] = []
    kind = library.mechanisms.LaplaceTruncated
    was = kind.__init__

    def noticed(self: Any, **given: Any) -> None:
        declared.append(given["sensitivity"])
        was(self, **given)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kind, "__init__", noticed)
        run(program, np.array([10, math.nan]), float(EPS))
    assert declared == [5.0]
    assert np.nanmean([10, math.nan]) - np.nanmean([0, math.nan]) == 10


def test_a_median_of_equal_numbers_depends_on_them_without_noise(said: Callable[[str], Said], library: Any) -> None:
    """All its weights are 0 in floating point, where many records are equal: why it is not followed."""
    import numpy as np

    program = DIFFPRIVLIB.format(relation="ChangeOne", statistic="dpl.tools.median(v, epsilon=eps, bounds=(0, 10))")
    assert said(program).state == "unknown"
    with np.errstate(all="ignore"):
        probabilities = library.mechanisms.Exponential._find_probabilities(
            1.0, 1.0, list(-np.abs(np.arange(0, 10_001) - 5000.0)), False, [5.0, *[0.0] * 9999, 5.0]
        )
    assert np.isnan(probabilities).all()
