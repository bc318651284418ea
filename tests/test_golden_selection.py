"""Section 3.2 of the mathematics: selection, to the digits given there. What the product has no use for is computed
here by definition."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from dp_lsp.accounting.charge import ChargedRepeat, Group
from dp_lsp.accounting.renyi import best_order, converted
from dp_lsp.mechanisms.arithmetic import FLOATS, INTERVALS, DecimalInterval
from dp_lsp.mechanisms.mechanism import drift
from dp_lsp.mechanisms.selection import Approximate, BoundedRange, bounded_range
from golden import agrees, stated


@pytest.mark.parametrize(
    ("epsilon", "printed"),
    [(".1", ".00124983"), (".5", ".0311421"), ("1", ".1233016"), ("2", ".4744746"), ("4", "1.6698496")],
)
def test_rho_of_bounded_range(epsilon: str, printed: str) -> None:
    found = BoundedRange(Fraction(epsilon)).rho()
    assert found is not None and agrees(found.up, printed)
    assert found.up <= Fraction(epsilon) ** 2 / 8


@pytest.mark.parametrize(("order", "printed"), [(2, ".2402290"), (8, ".6354594")])
def test_curve_of_bounded_range(order: int, printed: str) -> None:
    assert agrees(bounded_range(INTERVALS, Fraction(1), Fraction(order)).up, printed)
    assert agrees(bounded_range(FLOATS, Fraction(1), Fraction(order)), printed)


@pytest.mark.parametrize(("epsilon", "order"), [(0.3, 1.5), (1.0, 2.0), (1.0, 8.0), (4.0, 30.0)])
def test_no_two_losses_in_a_range_diverge_more(epsilon: float, order: float) -> None:
    def of_two(loss: float) -> float:
        mass = (math.exp(epsilon) - math.exp(loss)) / math.expm1(epsilon)
        low = math.exp((order - 1) * (loss - epsilon)) * (1 - mass)
        return math.log(mass * math.exp((order - 1) * loss) + low) / (order - 1)

    largest = max(of_two(epsilon * i / 5000) for i in range(1, 5000))
    found = bounded_range(FLOATS, Fraction(epsilon), Fraction(order))
    assert largest <= found * (1 + 1e-12) and found == pytest.approx(largest, rel=1e-6)


@pytest.mark.parametrize(
    ("epsilon", "zcdp", "simple", "renyi"),
    [(".1", "2.41891", "2.41909", "2.40020"), ("1", "37.0774", "37.4218", "36.3630")],
)
def test_a_hundred_choices(epsilon: str, zcdp: str, simple: str, renyi: str) -> None:
    choices = ChargedRepeat(100, BoundedRange(Fraction(epsilon)))
    assert agrees(stated(choices, "1e-6", "zcdp"), zcdp)
    assert agrees(stated(choices, "1e-6", "renyi"), renyi)
    total = 100 * float(epsilon) ** 2 / 8

    def bound(order: float) -> float:
        return converted(FLOATS, total * order, order, 1e-6)

    best = best_order(bound, 1e-9, 1e9)
    assert best is not None and agrees(bound(best), simple)


def test_noisy_maximum_of_laplace_noise_loses_twice() -> None:
    """Two scores with noise Laplace(1/ε), ε = 1, a gap that moves by 2: P(the lower wins) = e^-g (2 + g)/4."""

    def lower_wins(gap: int) -> float:
        return math.exp(-gap) * (2 + gap) / 4

    assert agrees(math.log(lower_wins(18) / lower_wins(20)), "1.9047")


def test_the_largest_with_gumbel_noise_is_that_of_the_exponential_mechanism() -> None:
    """Three entries and noise of scale 2/ε, ε = 1, integrated."""
    entries = (0.0, 1.5, -2.0)

    def density(place: int, at: mpmath.mpf) -> mpmath.mpf:
        below = (mpmath.exp(-mpmath.exp((entry - at) / 2)) for entry in entries)
        return mpmath.exp((entries[place] - at) / 2) / 2 * mpmath.fprod(below)

    total = sum(math.exp(entry / 2) for entry in entries)
    for place, entry in enumerate(entries):
        found = mpmath.quad(lambda at, place=place: density(place, at), [-40, -5, 0, 5, 20, 100])
        assert found == pytest.approx(math.exp(entry / 2) / total, abs=1e-9)


@pytest.mark.parametrize(("monotone", "printed"), [(False, "1.0000"), (True, ".7500")])
def test_above_threshold_attains_its_bound(monotone: bool, printed: str) -> None:
    """A hundred queries, noise Laplace(2) on the threshold and Laplace(4) on each, the last one above."""

    def below(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(x / 4) / 2 if x < 0 else 1 - mpmath.exp(-x / 4) / 2

    def outcome(early: float, last: float) -> mpmath.mpf:
        def density(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(-abs(x) / 2) / 4 * below(x - early) ** 99 * below(last - x)

        return mpmath.quad(density, [-300, -100, *range(-80, 130, 4), 200, 300, 500])

    # All early queries are large, so that the threshold's noise must be, and the last one is far below.
    early, last = 60.0, -60.0
    moved = outcome(early + 1, last) if monotone else outcome(early + 1, last - 1)
    assert agrees(mpmath.log(outcome(early, last) / moved), printed)


def test_randomised_response() -> None:
    for count in range(2, 7):
        kept = math.exp(0.5) / (math.exp(0.5) + count - 1)
        other = (1 - kept) / (count - 1)
        assert _largest_rho(kept, other, count) == pytest.approx((kept - other) * 0.5, rel=1e-6)
    kept = math.exp(0.5) / (math.exp(0.5) + 9)
    other = (1 - kept) / 9
    assert agrees(_largest_rho(kept, other, 10), ".0324") and agrees((kept - other) * 0.5, ".0305")
    assert drift(INTERVALS, DecimalInterval.of(Fraction(1, 2))).up >= _largest_rho(kept, other, 10)


def _largest_rho(kept: float, other: float, count: int) -> float:
    def divergence(order: float) -> float:
        same = kept**order * other ** (1 - order) + other**order * kept ** (1 - order)
        return math.log(same + (count - 2) * other) / (order - 1)

    return max(divergence(order) / order for order in (1 + i**2 / 1e6 for i in range(1, 4000)))


@pytest.mark.parametrize(
    ("yes", "no", "times"), [(Fraction(3, 4), Fraction(1, 4), 3), (Fraction(9, 10), Fraction(1, 10), 9)]
)
def test_binary_responses(yes: Fraction, no: Fraction, times: int) -> None:
    """“The truth with probability 1/2, else a coin” is ln 3; unary encoding with these two probabilities twice that."""
    assert yes / no == times
    epsilon = math.log(times)
    exact = drift(INTERVALS, DecimalInterval.of(Fraction(epsilon)))
    assert float(exact.up) == pytest.approx(float(yes - no) * epsilon)
    assert math.log((yes * (1 - no)) / ((1 - yes) * no)) == pytest.approx(math.log(times**2))


def test_thresholds_of_partitions() -> None:
    """A lone person's partition is released with probability δ: P(1 + Laplace(1/ε) > τ)."""
    threshold = 1 + math.log(1 / (2 * 1e-5))
    assert agrees(threshold, "11.819778")
    assert math.exp(-(threshold - 1)) / 2 == pytest.approx(1e-5)


def test_propose_test_release() -> None:
    """At distance 0 the test passes with probability δ; with the textbook's threshold much more often."""
    assert math.exp(-math.log(1 / (2 * 1e-5))) / 2 == pytest.approx(1e-5)
    passes = math.exp(-math.log(2 / 1e-5) / 2) / 2
    assert agrees(passes, "1.118e-3") and agrees(passes / 1e-5, "111.8")


def test_a_response_is_the_worst_of_what_is_private() -> None:
    pure = ChargedRepeat(100, Approximate(Fraction(1), Fraction(0)))
    assert stated(pure, "1e-6", "zcdp") > stated(ChargedRepeat(100, BoundedRange(Fraction(1))), "1e-6", "zcdp")


def divergence(epsilon: float, answers: int, order: float) -> float:
    """Of one true answer from another, by their chances."""
    likely, other = math.exp(epsilon), 1 / (math.exp(epsilon) + answers - 1)
    true = likely * other
    total = true**order * other ** (1 - order) + other**order * true ** (1 - order) + (answers - 2) * other
    return math.log(total) / (order - 1)


ORDERS = (1.0001, 1.01, 1.1, 1.5, 2, 3, 4, 6, 9, 15, 30, 90)


@pytest.mark.parametrize("answers", [2, 3, 4, 6, 10, 100])
@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "3"])
def test_a_response_of_many_answers_by_its_own_curve(epsilon: str, answers: int) -> None:
    node = Approximate(Fraction(epsilon), Fraction(0), answers)
    found = node.divergence()
    assert found is not None
    formula, number = found
    curve = {order: divergence(float(epsilon), answers, order) for order in ORDERS}
    for order, expected in curve.items():
        assert formula(FLOATS, float(number), order) == pytest.approx(expected, rel=1e-6)
        certain = formula(INTERVALS, number, Fraction(order))
        assert float(certain.low) <= expected * (1 + 1e-6) and float(certain.high) >= expected * (1 - 1e-6)
    own = node.rho() or drift(INTERVALS, DecimalInterval.of(Fraction(epsilon)))
    likeliest = max(each / order for order, each in curve.items())
    assert float(own.high) >= likeliest - 1e-12
    if answers <= 6:
        other = 1 / (math.exp(float(epsilon)) + answers - 1)
        assert float(own.high) == pytest.approx((math.exp(float(epsilon)) - 1) * other * float(epsilon))
        assert likeliest == pytest.approx(float(own.high), rel=1e-2)


def test_with_more_answers_the_mean_is_not_the_worst() -> None:
    mean = (math.exp(0.5) - 1) / (math.exp(0.5) + 9) * 0.5
    orders = [1 + 0.01 * place for place in range(1, 4000)]
    assert agrees(max(divergence(0.5, 10, order) / order for order in orders), ".0324") and agrees(mean, ".0305")


def test_a_response_is_better_the_more_answers_there_are() -> None:
    for rule in ("renyi", "zcdp"):
        several = [ChargedRepeat(20, Approximate(Fraction(1, 2), Fraction(0), answers)) for answers in (2, 3, 6, 9)]
        found = [stated(each, "1e-6", rule) for each in several]
        assert found == sorted(found, reverse=True) and (len(set(found)) == 4 or rule == "zcdp")
    twice = Group(2, Approximate(Fraction(1, 2), Fraction(0), 9))
    assert stated(twice, "1e-6", "renyi") == stated(Approximate(Fraction(1), Fraction(0)), "1e-6", "renyi")
