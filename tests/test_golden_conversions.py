"""Section 3.4 of the mathematics: from one measure to another, to the digits given there."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dp_lsp.accounting.charge import ChargedRepeat
from dp_lsp.accounting.renyi import converted, indistinct
from dp_lsp.mechanisms.arithmetic import FLOATS, INTERVALS, DecimalInterval
from dp_lsp.mechanisms.mechanism import drift
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from golden import agrees, stated


@pytest.mark.parametrize(
    ("epsilon", "laplace", "worst", "textbook"),
    [
        (".1", ".00483742", ".00499584", ".005"),
        (".5", ".1065307", ".1224593", ".125"),
        ("1", ".3678794", ".4621172", ".5"),
        ("2", "1.1353353", "1.5231883", "2"),
        ("4", "3.0183156", "3.8561103", "8"),
    ],
)
def test_pure_to_concentrated(epsilon: str, laplace: str, worst: str, textbook: str) -> None:
    found = LaplaceLoss(Fraction(epsilon)).rho()
    assert found is not None and agrees(found.up, laplace)
    assert agrees(drift(INTERVALS, DecimalInterval.of(Fraction(epsilon))).up, worst)
    assert drift(INTERVALS, DecimalInterval.of(Fraction(epsilon))).up < Fraction(textbook) == Fraction(epsilon) ** 2 / 2


@pytest.mark.parametrize(
    ("total", "delta", "bun_steinke", "tight", "exact"),
    [
        (".01", "1e-6", ".75338", ".62169", ".57506"),
        (".1", "1e-6", "2.45079", "2.14194", "1.99453"),
        (".5", "1e-6", "5.75652", "5.22153", "4.88655"),
        (".5", "1e-5", "5.29853", "4.72839", "4.37718"),
        ("1", "1e-6", "8.43384", "7.76622", "7.28608"),
        ("2", "1e-5", "11.59705", "10.72482", "9.99726"),
    ],
)
def test_concentrated_to_approximate(total: str, delta: str, bun_steinke: str, tight: str, exact: str) -> None:
    value = float(total)
    assert agrees(value + 2 * math.sqrt(-value * math.log(float(delta))), bun_steinke)
    noise = GaussianLoss(Fraction(math.sqrt(2 * value)))
    assert agrees(stated(noise, delta, "zcdp"), tight)
    assert agrees(stated(noise, delta, "gaussian"), exact)


def test_an_example_of_renyi_privacy() -> None:
    """Order 10, 20 rounds of ε(10) = .05, δ = 1e-5."""
    assert agrees(20 * 0.05 + math.log(1e5) / 9, "2.27921")
    rounds = ChargedRepeat(20, GaussianLoss(Fraction(math.sqrt(2 * 0.05 / 10))))
    assert agrees(stated(rounds, "1e-5", "gaussian"), "1.76006")
    assert stated(rounds, "1e-5", "gaussian") < stated(rounds, "1e-5", "renyi") < Fraction("2.27921")


def test_small_divergences_are_nothing_at_all() -> None:
    """δ ≥ √(1 - e^-ε(α)) needs no ε; one that is just too small needs one."""
    divergence = DecimalInterval.of(Fraction(1, 10**6))
    assert indistinct(divergence, Fraction(1, 1000))
    assert not indistinct(divergence, Fraction(999, 10**6))
    assert stated(LaplaceLoss(Fraction(1, 10**7)), "1e-6", "renyi") == 0
    assert stated(LaplaceLoss(Fraction(1, 10**5)), "1e-6", "renyi") > 0


@pytest.mark.parametrize("order", [1.5, 2.0, 20.0])
def test_the_conversion_is_the_better_of_two(order: float) -> None:
    assert converted(FLOATS, 0.1, order, 1e-6) < 0.1 + math.log(1e6) / (order - 1)
