"""A function without types is as sensitive, in a call, as its body is in the caller's place.

Random expressions are written out in a function with types, and given away as a function without types, as a closure,
and as an argument of a function that calls it. No way may claim less than the body itself, and most claim the same.
"""

from __future__ import annotations

import math
import random
import re

import pytest

from dp_lsp.analysis.records import State
from dp_lsp.engine.check import Engine

TYPES = ("Real", "Integer", "Data", "MetricVector(Real, L2)", "MetricVector(Data, LInf)", "MetricMatrix(Real, L1)")
NAMES = ("x", "y")
SIZE = re.compile(r"\b(length|rows|cols)\(\w+\)")
FUNCTIONS = {"oo": math.inf, "sqrt": math.sqrt, "Max": max, "Abs": abs}
WAYS = {
    "a function": "g(x, y) = {body}\nf(x::{x}, y::{y}) = g(x, y)",
    "through another": "g(x, y) = {body}\nh(x, y) = g(x, y)\nf(x::{x}, y::{y}) = h(x, y)",
    "a closure": "f(x::{x}, y::{y}) = ((x, y) -> {body})(x, y)",
    "a named closure": "function f(x::{x}, y::{y})\n    g(x, y) = {body}\n    g(x, y)\nend",
    "an argument": "apply(g, a, b) = g(a, b)\nf(x::{x}, y::{y}) = apply((x, y) -> {body}, x, y)",
    "captured": "function f(x::{x}, y::{y})\n    g(z) = {body}\n    g(1)\nend",
    "captured and given": "apply(g) = g(1)\nfunction f(x::{x}, y::{y})\n    g(z) = {body}\n    apply(g)\nend",
}


def expression(rng: random.Random, depth: int) -> str:
    """An expression over the names that may or may not make sense."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice((*NAMES, *NAMES, "2", "0.5", "3"))
    left, right = expression(rng, depth - 1), expression(rng, depth - 1)
    return rng.choice(
        (
            *(f"({left} + {right})", f"({left} - {right})", f"({left} * {right})", f"({left} / 2)", f"(-{left})"),
            *(f"sum({left})", f"({left})[1]", f"length({left})", f"abs({left})", f"max({left}, {right})"),
            *(f"({left} == {right} ? {left} : {right})", f"map(e -> 3 * e, {left})", f"({left} % 3)"),
            *(f"(w -> w + {right})({left})", f"fold((e, a) -> e + a, 0.0, {left})", f"clamp({left}, 0, 1)"),
        )
    )


def answer(text: str) -> tuple[str, ...] | None:
    """The sensitivities of ``f``; None if nothing is claimed."""
    function = next(each for each in Engine().check(text + "\n").functions if each.name == "f")
    if function.state is not State.PROVED:
        return None
    return tuple(parameter.sensitivity or "" for parameter in function.parameters)


def number(formula: str) -> float:
    """A formula where every size is 5."""
    return float(eval(SIZE.sub("5", formula), {"__builtins__": {}}, FUNCTIONS))


@pytest.mark.parametrize("seed", range(6))
def test_every_way_of_writing_a_function_has_the_same_bounds(seed: int) -> None:
    rng = random.Random(seed)
    claimed = same = 0
    for _ in range(25):
        body, x, y = expression(rng, 3), rng.choice(TYPES), rng.choice(TYPES)
        expected = answer(f"f(x::{x}, y::{y}) = {body}")
        for way, program in WAYS.items():
            text = program.format(body=body, x=x, y=y)
            found = answer(text)
            if found is None:
                continue
            claimed += 1
            assert expected is not None, f"{way}: {text}\nclaims {found}, and nothing is claimed of the body itself"
            enough = all(number(one) >= number(two) for one, two in zip(found, expected, strict=True))
            assert enough, f"{way}: {text}\nclaims {found}, and the body itself {expected}"
            same += found == expected
    assert claimed > 10
    assert same / claimed > 0.8


def test_an_operation_may_wait_in_what_another_one_calls() -> None:
    """The types that are assumed for the first are not yet known where the second is found; so the function is looked
    at for the first types that it is understood for with an annotation, and asked which is meant."""
    text = (
        "f(v, eps::Static()) :: Priv() =\n"
        "    exponential_mechanism(1, eps, [5.0], p -> quantile_score(v, 0.5, [p])[1])\n"
    )
    analysis = Engine().check(text)
    assert [each.code for each in analysis.problems] == ["DP452"]
    assert any("`v::MetricVector(Real, ChangeOne)`" in fix.title for fix in analysis.problems[0].fixes)
    (function,) = Engine().check(text.replace("v,", "v::MetricVector(Real, ChangeOne),", 1)).functions
    assert function.state is State.PROVED
    assert [bound.shown for bound in function.parameters] == ["ε eps  δ 0", "public"]


@pytest.mark.parametrize("before", ["", "    g(y::Real) = apply(h, y)\n", "    g = y -> apply(h, x)\n"])
def test_what_a_call_demands_is_a_condition_of_the_function_that_it_stands_in(before: str) -> None:
    """Also where a function that is not called has the same call."""
    text = (
        f"apply(g, a) = g(a)\nfunction f(x::Real, k::Static())\n    h(y::Real) = y / k\n{before}    apply(h, x)\nend\n"
    )
    function = Engine().check(text).functions[-1]
    assert (function.state, [each.text for each in function.conditions]) == (State.PROVED, ["k ≠ 0"])
