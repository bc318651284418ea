"""How steep functions are between ends, against differences of Python's own functions on a grid: no two numbers are
taken further apart than is claimed, and some nearly as far."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest

from dp_lsp.engine.check import Engine

ENDS = [(-4.0, -2.0), (-4.0, 2.0), (-1.0, 0.0), (0.0, 1.0), (0.25, 0.5), (0.5, 4.0), (1.0, 1.5), (2.0, 15.0)]
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt(x)": math.sqrt,
    "log(x)": math.log,
    "exp(x)": math.exp,
    "1 / x": lambda x: 1 / x,
    "exp(2 * x) / 3": lambda x: math.exp(2 * x) / 3,
    "log(3 * x + 1)": lambda x: math.log(3 * x + 1),
    "2 / (x + 1)": lambda x: 2 / (x + 1),
}


def claimed(text: str) -> float:
    (function,) = Engine().check(text).functions
    bound = function.parameters[0].sensitivity
    return math.inf if bound == "oo" else float(eval(bound or "", {"sqrt": math.sqrt}))  # a formula of our own


@pytest.mark.parametrize(("low", "high"), ENDS)
@pytest.mark.parametrize("written", FUNCTIONS)
def test_a_function_is_as_steep_as_is_claimed(written: str, low: float, high: float) -> None:
    bound = claimed(f"f(y::Real) = (x = clamp(y, {low}, {high}); {written})\n")
    grid = [low + (high - low) * step / 4000 for step in range(4001)]
    try:
        found = [FUNCTIONS[written](x) for x in grid]
    except (ValueError, ZeroDivisionError):
        assert bound == math.inf
        return
    steepest = max(abs(later - earlier) for earlier, later in pairwise(found)) / ((high - low) / 4000)
    assert steepest <= bound * (1 + 1e-6)
    if low > 0 or "exp" in written:
        assert bound <= steepest * 1.05
