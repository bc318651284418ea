"""What samples and noise of a known deviation cost, against distributions that are computed exactly."""

from __future__ import annotations

import math
from math import comb, exp, log, sqrt

import pytest

from dp_lsp.engine.check import Engine
from test_accounting import bounds, value

AGAIN = """
function f(A::Matrix{{<:Data}}, B::Matrix{{<:Data}}) :: Priv()
    (D, L) = sample_with_replacement({draws}, A, B)
    {release}
end
"""
PURE = "laplacian_mechanism(2, {}, undisc_container(clip(L1, D[1, :])))"
APPROXIMATE = "gaussian_mechanism(2, {}, {}, undisc_container(clip(L2, D[1, :])))"


def normal(x: float) -> float:
    """The probability that a standard normal number is at most x."""
    return math.erfc(-x / sqrt(2)) / 2


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The smallest δ of Gaussian noise whose input moves by μ deviations. Source: Balle and Wang 2018, Theorem 8."""
    return normal(mu / 2 - epsilon / mu) - exp(epsilon) * normal(-mu / 2 - epsilon / mu)


def test_noise_of_a_known_deviation_costs_no_less_than_the_exact_curve() -> None:
    found = bounds("f(x::Real, s::Static()) :: Priv() = gaussian_noise(1, s, x)")[("x",), "basic"]
    assert [each.name for each in found.free] == ["s1"] and found.delta == "s1"
    for mu in (0.01, 0.1, 0.5, 1, 3, 20):
        for delta in (0.9, 0.5, 0.1, 1e-3, 1e-6, 1e-12):
            epsilon = value(found.epsilon, s=1 / mu, s1=delta)
            assert epsilon == pytest.approx(mu * mu / 2 + mu * sqrt(2 * log(1 / delta)))
            assert gaussian_delta(mu, epsilon) <= delta


@pytest.mark.parametrize(
    ("rho", "delta", "epsilon"), [(0.01, 1e-6, 0.75338), (0.5, 1e-5, 5.29853), (2, 1e-5, 11.59705)]
)
def test_the_conversion_of_zero_concentrated_privacy(rho: float, delta: float, epsilon: float) -> None:
    found = bounds("f(x::Real, s::Static()) :: Priv() = gaussian_noise(1, s, x)")[("x",), "basic"]
    assert value(found.epsilon, s=1 / sqrt(2 * rho), s1=delta) == pytest.approx(epsilon, abs=1e-5)


@pytest.mark.parametrize(
    ("draws", "rows", "epsilon", "amplified", "factor"),
    [(10, 100, 0.5, None, None), (10, 100, 1, 0.1703686, 0.1080974), (100, 100, 0.5, 0.6466261, 1.4013552)],
)
def test_samples_with_replacement(
    draws: int, rows: int, epsilon: float, amplified: float | None, factor: float | None
) -> None:
    pure = bounds(AGAIN.format(draws=draws, release=PURE.format(epsilon)))[("A",), "basic"]
    found = value(pure.epsilon, rows_A=rows)
    assert found == pytest.approx(draws * math.log1p(math.expm1(epsilon) / rows))
    assert amplified is None or found == pytest.approx(amplified, abs=1e-7)
    if epsilon < 1:
        half = bounds(AGAIN.format(draws=draws, release=APPROXIMATE.format(epsilon, 1e-5)))[("A",), "basic"]
        assert value(half.epsilon, rows_A=rows) == pytest.approx(found)
        grown = value(half.delta, rows_A=rows) / 1e-5
        assert grown == pytest.approx(math.expm1(found) / math.expm1(epsilon))
        assert factor is None or grown == pytest.approx(factor, abs=1e-6)


@pytest.mark.parametrize(("draws", "rows", "epsilon"), [(1, 2, 1.0), (2, 2, 0.5), (20, 5, 0.3), (7, 20, 2.0)])
def test_a_noisy_count_of_a_sample_with_replacement_is_as_private_as_claimed(
    draws: int, rows: int, epsilon: float
) -> None:
    """A row of ones in place of one of zeros: the count is that of its draws, which is binomial. The loss of discrete
    Laplace noise is largest in its tail, where it is what is claimed."""
    pure = bounds(AGAIN.format(draws=draws, release=PURE.format(epsilon)))[("A",), "basic"]
    times = [comb(draws, j) * (1 / rows) ** j * (1 - 1 / rows) ** (draws - j) for j in range(draws + 1)]
    tail = log(sum(p * exp(epsilon * j) for j, p in enumerate(times)))
    assert value(pure.epsilon, rows_A=rows) == pytest.approx(tail)


@pytest.mark.parametrize(("draws", "rows", "delta"), [(1, 2, 1e-3), (2, 2, 1e-5), (20, 5, 1e-2), (20, 20, 0.1)])
def test_gaussian_noise_on_a_sample_with_replacement_is_as_private_as_claimed(
    draws: int, rows: int, delta: float
) -> None:
    epsilon = 0.9
    found = bounds(AGAIN.format(draws=draws, release=APPROXIMATE.format(epsilon, delta)))[("A",), "basic"]
    claimed = exp(value(found.epsilon, rows_A=rows)), value(found.delta, rows_A=rows)
    mu = epsilon / sqrt(2 * log(1.25 / delta))
    times = [comb(draws, j) * (1 / rows) ** j * (1 - 1 / rows) ** (draws - j) for j in range(draws + 1)]
    step, far = 1e-2, draws * mu + 12
    for sign in (1, -1):
        lost = 0.0
        for k in range(int((far + 12) / step)):
            at = -12 + k * step
            mixed = sum(p * (normal(at + step - j * mu) - normal(at - j * mu)) for j, p in enumerate(times))
            plain = normal(at + step) - normal(at)
            more, less = (mixed, plain) if sign > 0 else (plain, mixed)
            lost += max(0.0, more - claimed[0] * less)
        assert lost <= claimed[1]


def test_what_is_chosen_in_a_function_is_chosen_by_all_who_call_it() -> None:
    """Also where it has been priced before, by a caller with two parameters."""
    program = """
function g(x::Real) :: Priv()
    y = 0.0
    for i in 1:100
        y = y + {release}
    end
    y
end
f(a::Real, b::Real) :: Priv() = g(a + b)
h(s1::Static(), x::Real) :: Priv() = laplacian_mechanism(1, s1, g(x) + x)
"""
    for release in ("laplacian_mechanism(1, 0.01, x)", "gaussian_noise(1, 4, x)"):
        called = Engine().check(program.format(release=release)).functions[2]
        for bound in called.bounds:
            assert {each.name for each in bound.free} == {"s1_", "s2"} & set(_names(bound.delta))
            assert "s1" not in _names(bound.delta)


def _names(formula: str) -> list[str]:
    return [part for part in formula.replace("*", " ").split() if part.startswith("s")]
