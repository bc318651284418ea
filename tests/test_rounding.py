"""How far datasets and whole numbers move what is rounded, and what is left when dividing, judged by CPython and by the
evaluator that shares nothing with the checker: no run moves it further, and some move it as far, or nearly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from attack import evaluated, python
from cpython.judging import Judge as PythonJudge
from evaluator.judging import Judge as JuliaJudge

PYTHON = """
from typing import Annotated
import math
import numpy as np
from dp_types import AddRemove, Bounded, ChangeOne, Size

def f(v: Annotated[np.ndarray, {relation}, Bounded({low}, {high})]):
    return {result}
"""
JULIA = """
f(v::MetricVector(Bounded(Real, {low}, {high}), {relation})) = {result}
"""
IN_PYTHON = {
    "len(v) // 10": "1",
    "len(v) // 1": "1",
    "len(v) // -3": "1",
    "-len(v) // 4": "1",
    "(len(v) / 2) // 3": "1",
    "2 * len(v) // 3": "1",
    "5 * len(v) // 3": "2",
    "int(np.sum(v)) // 10": "1",
    "np.sum(v) // 2": "2",
    "np.sum(v) // 2.5": "2",
    "round(np.sum(v))": "4",
    "np.round(np.sum(v))": "4",
    "np.rint(np.sum(v) / 3)": "2",
    "round(np.sum(v), 1)": "31/10",
    "np.round(np.sum(v), 2)": "301/100",
    "round(len(v), 0)": "1",
    "math.ceil(np.sum(v) / 4)": "1",
    "math.floor(np.sum(v) * 1.5)": "5",
    "int(np.sum(v) / 4)": "1",
    "math.trunc(np.sum(v) - 7)": "3",
    "len(v) % 7": "6",
    "len(v) % -7": "6",
    "len(v) % 2": "1",
    "np.sum(v) % 7": "7",
    "np.sum(v) % -2.5": "5/2",
    "len(v) // 10 + len(v) % 10": "10",
    "max(len(v) // 4, 1) * 2": "2",
}
IN_JULIA = {
    "floor(length(v) / 10)": "1",
    "floor(Int, sum(v) / 2)": "2",
    "ceil(sum(v) / 2)": "2",
    "trunc(sum(v) - 7)": "3",
    "round(sum(v))": "4",
    "round(Int, sum(v) / 3)": "2",
    "round(sum(v); digits=1)": "31/10",
    "floor(sum(v); digits=1)": "3",
    "mod(sum(v), 7)": "7",
    "mod(sum(v), -7)": "7",
    "sum(v) % 7": "14",
    "mod(length(v), 7)": "6",
}
OF_WHOLE = """
def half(n):
    return n // 2

def f(n: Annotated[int, Within()]):
    return {result}
"""
IN_PYTHON_OF_WHOLE = {
    "n // 10": "1",
    "5 * n // 3": "2",
    "n // 2 + n % 7": "7",
    "(n + 1) // -3": "1",
    "round(n * 0.7)": "1",
    "round(n * 1.5)": "2",
    "round(n / 3, 1)": "2/5",
    "math.ceil(n * 2.5)": "3",
    "half(n)": "1",
}
IN_JULIA_OF_WHOLE = {
    "floor(Int, n / 10)": "1",
    "ceil(5n / 3)": "2",
    "half(n)": "1",
    "halved(n)": "1",
}
HALVED = """
half(n) = floor(Int, n / 2)
function halved(n::Integer)
    for i in 1:3
        n = floor(Int, (n + 1) / 2)
    end
    n
end
f(n::Integer) = {result}
"""
RARE = {
    *("n // 10", "(n + 1) // -3", "n // 2 + n % 7", "floor(Int, n / 10)", "halved(n)"),
    *("len(v) // 10", "len(v) % 7", "len(v) // 10 + len(v) % 10", "max(len(v) // 4, 1) * 2"),
    *("floor(length(v) / 10)", "mod(length(v), 7)"),
    *("np.rint(np.sum(v) / 3)", "np.sum(v) % -2.5", "round(Int, sum(v) / 3)", "sum(v) % 7"),
}
"""What moves as far as is claimed for more records than are tried, or for single numbers, or never."""


def held(module: Any, judge: Any, text: str, bound: str, rare: bool) -> None:
    claim = claimed(module, text)
    (of,) = claim.parameters
    assert of.bound is not None and _same(of.bound, bound), of.bound
    for seed in range(3):
        outcome = module.judged(seed, text, [claim])
        assert not outcome.refuted and not outcome.crashed, outcome
    less = claim._replace(parameters=(of._replace(bound=f"({bound})*4/5"),))
    assert rare or any(judge(text, seed).refuted(less, 40) for seed in range(6)), "it moves less"


def claimed(module: Any, text: str) -> Any:
    """What is claimed of ``f``."""
    return next(each for each in module.checked([text])[0] if each.name == "f")


def _same(said: str, expected: str) -> bool:
    return eval(said, {}) == eval(expected, {})


def cases(results: Iterable[str], *relations: str) -> list[tuple[str, str]]:
    """What is rounded, under each relation where it moves: how many records there are is public where one is
    replaced."""
    several = [(result, relation) for result in results for relation in relations]
    return [(result, relation) for result, relation in several if "ChangeOne" not in relation or "len" not in result]


@pytest.mark.parametrize(("result", "relation"), cases(IN_PYTHON, "AddRemove()", "ChangeOne()"))
def test_in_python(result: str, relation: str) -> None:
    text = PYTHON.format(relation=relation, low=0, high=3, result=result)
    held(python, PythonJudge, text, IN_PYTHON[result], result in RARE)


@pytest.mark.parametrize(("result", "relation"), cases(IN_JULIA, "Symmetric", "ChangeOne"))
def test_in_julia(result: str, relation: str) -> None:
    text = JULIA.format(relation=relation, low=0, high=3, result=result)
    held(evaluated, JuliaJudge, text, IN_JULIA[result], result in RARE)


@pytest.mark.parametrize("result", IN_PYTHON_OF_WHOLE)
def test_whole_numbers_in_python(result: str) -> None:
    header = PYTHON.partition("\ndef ")[0].replace("Size", "Size, Within")
    held(python, PythonJudge, header + OF_WHOLE.format(result=result), IN_PYTHON_OF_WHOLE[result], result in RARE)


@pytest.mark.parametrize("result", IN_JULIA_OF_WHOLE)
def test_whole_numbers_in_julia(result: str) -> None:
    held(evaluated, JuliaJudge, HALVED.format(result=result), IN_JULIA_OF_WHOLE[result], result in RARE)


def test_numbers_that_are_not_whole_are_rounded_without_bound() -> None:
    header = PYTHON.partition("\ndef ")[0].replace("Size", "Size, Within")
    text = header + OF_WHOLE.format(result="half(n)").replace("int, Within", "float, Within")
    claim = claimed(python, text)
    assert claim.parameters[0].bound == "oo"
