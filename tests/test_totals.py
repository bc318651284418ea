"""Rounds that have shares of a total ε: they come to it, where that is claimed, by the optimal composition as well."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dp_lsp.accounting.charge import ChargedRepeat
from dp_lsp.analysis.records import FunctionReport, Options, Setting, State
from dp_lsp.engine.check import Engine
from dp_lsp.mechanisms.selection import Approximate
from golden import stated

PROGRAM = """function f(x::Real, eps::Static(), del::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + gaussian_mechanism(1, eps / (2 * sqrt(2 * k * log(2 / del))), del / (2 * k), x)
    end
    y
end
"""
ENGINE = Engine()
CONDITION = "eps <= 8*log(2/del)"


def share(epsilon: Fraction, delta: Fraction, count: int) -> float:
    return float(epsilon) / (2 * math.sqrt(2 * count * math.log(2 / delta)))


GRID = [
    (epsilon, delta, count)
    for epsilon in map(Fraction, ("0.1", "1", "5", "20", "100", "330"))
    for delta in map(Fraction, ("1e-6", "0.01", "0.5"))
    for count in (2, 10, 100, 1000)
    if share(epsilon, delta, count) < 1
]


def checked(**numbers: Fraction | int) -> tuple[FunctionReport, list[str]]:
    settings = tuple(Setting(None, name, Fraction(value)) for name, value in numbers.items())
    found = ENGINE.check(PROGRAM, Options(settings=settings))
    return found.functions[0], [problem.code for problem in found.problems]


def optimum(epsilon: Fraction, delta: Fraction, count: int) -> float:
    rounds = ChargedRepeat(count, Approximate(Fraction(share(epsilon, delta, count)), delta / (2 * count)))
    return float(stated(rounds, str(delta), "optimal"))


@pytest.mark.parametrize(("epsilon", "delta", "count"), GRID)
def test_what_is_claimed_of_a_total_is_no_less_than_the_optimum(epsilon: Fraction, delta: Fraction, count: int) -> None:
    function, codes = checked(**{"eps": epsilon, "del": delta, "k": count})
    claimed = ("eps", "del") in [(bound.epsilon, bound.delta) for bound in function.bounds]
    assert function.state is State.PROVED
    assert claimed is (float(epsilon) <= 8 * math.log(2 / delta))
    assert claimed is (function.parameters[0].epsilon == "eps")
    assert claimed is (CONDITION in [each.formula for each in function.conditions])
    assert codes == ([] if claimed else ["DP414"])
    if claimed:
        assert optimum(epsilon, delta, count) <= float(epsilon) * (1 + 1e-9)


def test_the_formula_is_false_without_its_condition() -> None:
    epsilon, delta, count = Fraction(330), Fraction("1e-6"), 1000
    assert optimum(epsilon, delta, count) > 1.5 * float(epsilon)


def test_a_total_is_the_headline_with_its_condition() -> None:
    function, codes = checked()
    assert codes == []
    assert (function.parameters[0].epsilon, function.parameters[0].delta) == ("eps", "del")
    assert function.parameters[0].shown == "ε eps  δ del"
    assert CONDITION in [each.formula for each in function.conditions]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 * sqrt(2", "sqrt(2"),  # twice the shares come to twice the total
        ("log(2 / del)", "log(3 / del)"),  # made for another δ'
        ("del / (2 * k)", "del / k"),
        ("/ (2 * sqrt(2 * k * log(2 / del)))", "/ k"),
    ],
)
def test_other_shares_do_not_come_to_the_total(old: str, new: str) -> None:
    assert old in PROGRAM
    (function,) = ENGINE.check(PROGRAM.replace(old, new)).functions
    assert ("eps", "del") not in [(bound.epsilon, bound.delta) for bound in function.bounds]
