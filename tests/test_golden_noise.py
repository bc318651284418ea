"""Section 3.1 of the mathematics: additive noise, to the digits given there."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from dp_lsp.mechanisms import noise
from dp_lsp.mechanisms.arithmetic import DecimalInterval
from dp_lsp.mechanisms.noise import LaplaceLoss
from golden import agrees, gaussian_delta, solved

CALIBRATED = [
    (".1", "1e-5", "30.749566", "48.448053", ".060704"),
    (".5", "1e-5", "7.031827", "9.689611", ".352572"),
    ("1", "1e-5", "3.730632", "4.844805", ".750977"),
    ("1", "1e-6", "4.224679", "5.298803", ".783672"),
    ("2", "1e-5", "1.993812", "2.422403", "1.610316"),
    ("3", "1e-5", "1.390593", "1.614935", "2.533269"),
    ("5", "1e-6", ".980049", "1.059761", "4.574775"),
    ("8", "1e-5", ".600229", ".605601", "7.914370"),
    ("10", "1e-5", ".499889", ".484481", "10.393882"),
    ("10", "1e-6", ".541087", ".529880", "10.254314"),
]


def classical(epsilon: float, delta: float) -> float:
    """The deviation that the classical formula asks for."""
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


@pytest.mark.parametrize(("epsilon", "delta", "analytic", "formula", "true"), CALIBRATED)
def test_gaussian_deviations(epsilon: str, delta: str, analytic: str, formula: str, true: str) -> None:
    wanted = Fraction(delta)

    def excess(deviation: float) -> float:
        found = noise.epsilon(Fraction(1 / deviation), wanted)
        assert found is not None
        return float(found) - float(epsilon)

    assert agrees(solved(excess, 0.1, 100), analytic)
    deviation = classical(float(epsilon), float(delta))
    assert agrees(deviation, formula)
    found = noise.epsilon(Fraction(1 / deviation), wanted)
    assert found is not None and agrees(found, true)


@pytest.mark.parametrize(("epsilon", "delta", "analytic", "formula", "true"), CALIBRATED)
def test_the_curve_is_that_of_another_computation(
    epsilon: str, delta: str, analytic: str, formula: str, true: str
) -> None:
    mu = 1 / float(analytic)
    found = noise.delta(DecimalInterval.of(mu), DecimalInterval.of(float(epsilon)))
    exact = Fraction(str(gaussian_delta(mu, float(epsilon))))
    assert abs(found.up - exact) < Fraction(1, 10**22)
    assert 0 <= found.up - found.down < Fraction(1, 10**20)


@pytest.mark.parametrize(
    ("delta", "first"),
    [
        (".5", "4.47"),
        (".1", "5.74"),
        ("1e-2", "6.77"),
        ("1e-3", "7.46"),
        ("1e-5", "8.42"),
        ("1e-6", "8.78"),
        ("1e-9", "9.62"),
    ],
)
def test_where_the_classical_deviation_fails_first(delta: str, first: str) -> None:
    def room(epsilon: float) -> float:
        found = noise.epsilon(Fraction(1 / classical(epsilon, float(delta))), Fraction(delta))
        assert found is not None
        return epsilon - float(found)

    assert room(1) > 0 > room(20)
    assert agrees(solved(room, 1, 20), first)


def test_how_near_the_classical_deviation_comes_up_to_1() -> None:
    ratios = [
        noise.float_delta(1 / classical(epsilon, delta), epsilon) / delta
        for epsilon in (0.1, 0.5, 0.9, 1)
        for delta in (1e-9, 1e-3, 0.1, 0.9, 0.999999)
    ]
    assert max(ratios) == ratios[-1]
    assert agrees(ratios[-1], "0.3192")


def test_geometric_noise_is_not_priced_as_laplace_noise() -> None:
    base = mpmath.exp(-1)
    masses = {x: (1 - base) / (1 + base) * base ** abs(x) for x in range(-90, 93)}
    divergence = sum(masses[x] * mpmath.log(masses[x] / masses[x - 2]) for x in range(-88, 93))
    assert agrees((2 - 2 * base * (1 - base**2) / (1 - base**2)) / 1, "1.264241")
    assert agrees(divergence, "1.264241")
    found = LaplaceLoss(Fraction(2)).rho()
    assert found is not None and agrees(found.up, "1.135335")


@pytest.mark.parametrize(
    ("sigma", "epsilon", "discrete", "continuous"),
    [(1, 1.0, "0.1413513", "0.1269367"), (4, 0.5, "0.002752924", "0.002708880")],
)
def test_discrete_gaussian_noise_is_not_priced_as_gaussian(
    sigma: int, epsilon: float, discrete: str, continuous: str
) -> None:
    support = range(-60 * sigma, 60 * sigma + 1)
    masses = {x: mpmath.exp(-mpmath.mpf(x * x) / (2 * sigma**2)) for x in support}
    total = sum(masses.values())
    grown = mpmath.exp(epsilon)
    summed = sum(max(masses[x] - grown * masses[x - 1], 0) for x in support if x - 1 in masses) / total
    assert agrees(summed, discrete)
    tail = [sum(masses[x] for x in support if x > epsilon * sigma**2 + half) for half in (-0.5, 0.5)]
    assert agrees((tail[0] - grown * tail[1]) / total, discrete)
    assert agrees(noise.float_delta(1 / sigma, epsilon), continuous)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_laplace_noise_is_as_private_as_its_loss_says(steps: int) -> None:
    """The exact δ in one dimension, 1 - exp((ε - ε₀)/2), by an integral."""
    shift = mpmath.mpf(steps)
    for epsilon in (0.0, 0.3, 0.9 * steps):
        edge = (shift - epsilon) / 2  # up to here p exceeds e^ε q
        mass = 1 - mpmath.exp(-edge) / 2 if edge >= 0 else mpmath.exp(edge) / 2
        other = mpmath.exp(edge - shift) / 2 if edge < shift else 1 - mpmath.exp(shift - edge) / 2
        assert abs(mass - mpmath.exp(epsilon) * other - (1 - mpmath.exp((epsilon - shift) / 2))) < 1e-20
