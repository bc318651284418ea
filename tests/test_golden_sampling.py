"""Section 3.5 of the mathematics: amplification by samples, to the digits given there."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from dp_lsp.accounting import pld
from dp_lsp.accounting.best import pair
from dp_lsp.accounting.charge import ChargedRepeat, ChargedSample, ChargedSequence, Group, Relation, Sampling
from dp_lsp.mechanisms.mechanism import IN_NUMBERS, amplified_epsilon
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate
from golden import agrees, drawn, gaussian_delta, hockey_stick, poisson, solved, stated

SGD = [
    (poisson("1/100", GaussianLoss(Fraction(1, 4))), 10_000, "1.035490", 17, "1.258575", ".94687", "1.035385"),
    (poisson("256/60000", GaussianLoss(Fraction(10, 11))), 14_062, "2.596981", 8, "3.009100", "2.38160", "2.596557"),
]


@pytest.mark.parametrize(
    ("rate", "epsilon", "printed"),
    [
        (".01", ".1", ".00105116"),
        (".01", "1", ".01703686"),
        (".1", "1", ".15856508"),
        (".1", "3", "1.06765594"),
        (".1", "5", "2.75628884"),
    ],
)
def test_amplification(rate: str, epsilon: str, printed: str) -> None:
    body = Approximate(Fraction(epsilon), Fraction(1, 10**6))
    for found in (pair(poisson(rate, body)), pair(drawn(*Fraction(rate).as_integer_ratio(), body))):
        assert found is not None and agrees(found.epsilon, printed)
        assert found.delta == Fraction(rate) / 10**6


def test_where_twice_the_rate_is_no_bound() -> None:
    root = solved(lambda epsilon: 2 * epsilon - math.expm1(epsilon), 0.5, 3)
    assert agrees(root, "1.25643121")
    for rate in (Fraction(1, 1000), Fraction(1, 4)):
        for epsilon in (Fraction("1.2564"), Fraction("1.2565")):
            twice = 2 * rate * epsilon
            assert (amplified_epsilon(IN_NUMBERS, rate, epsilon) <= twice) or (
                epsilon > root and rate < Fraction(1, 100)
            )


@pytest.mark.parametrize(
    ("draws", "rows", "epsilon", "outside", "factor"),
    [
        (10, 100, "1", ".1703686", ".1080974"),
        (100, 100, ".5", ".6466261", "1.4013552"),
        (10, 100, "3", "1.7467185", ".2481330"),
    ],
)
def test_samples_with_replacement(draws: int, rows: int, epsilon: str, outside: str, factor: str) -> None:
    delta = Fraction(1, 10**6)
    replaced = pair(drawn(draws, rows, Approximate(Fraction(epsilon), delta), Sampling.WITH_REPLACEMENT))
    assert replaced is not None and agrees(replaced.epsilon, outside)
    assert agrees(replaced.delta / delta, factor, units="1")
    pure = pair(drawn(draws, rows, LaplaceLoss(Fraction(epsilon)), Sampling.WITH_REPLACEMENT))
    assert pure is not None and agrees(pure.epsilon, outside) and pure.delta == 0


def test_samples_without_replacement_are_cheaper() -> None:
    without = pair(drawn(10, 100, Approximate(Fraction(1), Fraction(1, 10**6))))
    assert without is not None and agrees(without.epsilon, ".1585651") and without.delta == Fraction(1, 10**7)


def test_gaussian_sums_of_changed_rows_move_twice_as_far() -> None:
    """σ = 1, q = .1, ε = .5 inside: rows clipped to 1 may go from one side to the other."""
    rate, sides = mpmath.mpf("0.1"), (mpmath.mpf(1), mpmath.mpf(-1))

    def density(at: mpmath.mpf, x: mpmath.mpf) -> mpmath.mpf:
        return (1 - rate) * mpmath.npdf(x) + rate * mpmath.npdf(x - at)

    outside = math.log1p(0.1 * math.expm1(0.5))
    true = hockey_stick(lambda x: density(sides[0], x), lambda x: density(sides[1], x), outside)
    assert agrees(true, ".0440") and agrees(0.1 * gaussian_delta(1, 0.5), ".0238")
    at_true = Fraction(str(true))
    assert stated(drawn(1, 10, GaussianLoss(Fraction(1))), at_true, "basic") < outside
    assert stated(drawn(1, 10, GaussianLoss(Fraction(2))), at_true, "basic") > outside


@pytest.mark.parametrize(("step", "rounds", "renyi", "order", "simple", "exact", "dense"), SGD)
def test_gradient_descent(
    step: ChargedSample, rounds: int, renyi: str, order: int, simple: str, exact: str, dense: str
) -> None:
    charge = ChargedRepeat(rounds, step)
    assert agrees(stated(charge, "1e-5", "renyi"), renyi)
    sigma = 1 / step.body.mu if isinstance(step.body, GaussianLoss) else Fraction(0)
    curve = {alpha: rounds * sampled_gaussian(float(step.rate), float(sigma), alpha) for alpha in range(2, 60)}
    bounds = {alpha: value + math.log(1e5) / (alpha - 1) for alpha, value in curve.items()}
    assert agrees(min(bounds.values()), simple)
    assert min(curve, key=lambda alpha: improved(curve[alpha], alpha)) == order


@pytest.mark.parametrize(("step", "rounds", "renyi", "order", "simple", "exact", "dense"), SGD)
def test_orders_between_integers(
    step: ChargedSample, rounds: int, renyi: str, order: int, simple: str, exact: str, dense: str
) -> None:
    """The figures for real orders, by a series of its own; no more is to be had by them."""
    sigma = 1 / step.body.mu if isinstance(step.body, GaussianLoss) else Fraction(0)

    def bound(alpha: float) -> float:
        return improved(rounds * sampled_gaussian(float(step.rate), float(sigma), alpha), alpha)

    least = min(bound(order + i / 10) for i in range(-3, 4))
    assert agrees(least, dense, units="1.5")
    assert least <= float(stated(ChargedRepeat(rounds, step), "1e-5", "renyi"))


def improved(divergence: float, order: float) -> float:
    return divergence + math.log1p(-1 / order) - (math.log(1e-5) + math.log(order)) / (order - 1)


def sampled_gaussian(rate: float, sigma: float, order: float) -> float:
    """The divergence by the series of Mironov, Talwar and Zhang 2019, Section 3.3, with 30 digits."""
    q, variance = mpmath.mpf(rate), mpmath.mpf(sigma) ** 2
    edge = variance * mpmath.log(1 / q - 1) + mpmath.mpf(1) / 2
    total, i = mpmath.mpf(0), 0
    while True:
        j = order - i
        chosen = mpmath.binomial(order, i)
        low = chosen * q**i * (1 - q) ** j * mpmath.exp((i * i - i) / (2 * variance))
        high = chosen * q**j * (1 - q) ** i * mpmath.exp((j * j - j) / (2 * variance))
        root = mpmath.sqrt(2 * variance)
        term = low * mpmath.erfc((i - edge) / root) / 2 + high * mpmath.erfc((edge - j) / root) / 2
        total += term
        i += 1
        if i > order and abs(term) < 1e-18:
            return float(mpmath.log(total) / (order - 1))


@pytest.mark.parametrize(("step", "rounds", "renyi", "order", "simple", "exact", "dense"), SGD)
def test_gradient_descent_by_distributions(
    step: ChargedSample, rounds: int, renyi: str, order: int, simple: str, exact: str, dense: str
) -> None:
    found = pld.measured(ChargedRepeat(rounds, step), Fraction("1e-5"))
    assert found is not None and Fraction(exact) * Fraction("0.9999") <= found.epsilon <= Fraction(exact) * Fraction(
        "1.001"
    )


def test_two_mechanisms_on_one_sample_are_composed_first() -> None:
    step = LaplaceLoss(Fraction(1, 2))
    together, apart = pair(poisson(".1", ChargedSequence((step, step)))), pair(ChargedRepeat(2, poisson(".1", step)))
    assert together is not None and together.epsilon >= amplified_epsilon(IN_NUMBERS, Fraction(1, 10), Fraction(1))
    assert apart is not None and apart.epsilon < together.epsilon


@pytest.mark.parametrize(
    ("scheme", "relation", "steps"),
    [
        (Sampling.POISSON, Relation.ADD_REMOVE, 1),
        (Sampling.POISSON, Relation.CHANGE_ONE, 2),
        (Sampling.WITHOUT_REPLACEMENT, Relation.CHANGE_ONE, 1),
        (Sampling.WITHOUT_REPLACEMENT, Relation.ADD_REMOVE, None),
        (Sampling.WITH_REPLACEMENT, Relation.ADD_REMOVE, None),
    ],
)
def test_rules_are_for_one_relation(scheme: Sampling, relation: Relation, steps: int | None) -> None:
    """Amplified, in so many steps, or nothing."""
    body = Approximate(Fraction(1), Fraction(1, 10))
    found = pair(ChargedSample(scheme, relation, Fraction(1, 10), 10, 100, body))
    assert found == (None if steps is None else pair(Group(steps, poisson("1/10", body))))


def test_a_change_of_two_rows_of_a_sample() -> None:
    once, twice = (
        pair(drawn(10, 100, LaplaceLoss(Fraction(1)))),
        pair(Group(2, drawn(10, 100, LaplaceLoss(Fraction(1))))),
    )
    assert once is not None and twice is not None
    assert float(twice.epsilon) == pytest.approx(2 * float(once.epsilon))
