"""Section 3.3 of the mathematics: composition, to the digits given there."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from dp_lsp.accounting import pld
from dp_lsp.accounting.best import guarantees
from dp_lsp.accounting.charge import ChargedRepeat, ChargedSequence
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate
from golden import agrees, stated

# ε₀, k; basic, published, DR14, KOV 3.4, zCDP of tanh, RDP of randomised response, KOV-opt, Laplace RDP, Laplace exact
TABLE = [
    (".01", 100, "1", "1.0513", ".5357", ".4849", ".4299", ".4220", ".39226", ".4213", ".39133"),
    (".01", 1000, "10", "3.3245", "1.7628", "1.6415", "1.4716", "1.4685", "1.36545", "1.4658", "1.36292"),
    (".1", 10, "1", "3.3245", "1.7674", "1", "1.4709", ".99937", ".99937", ".99898", ".99898"),
    (".1", 100, "10", "10.513", "6.3082", "5.7561", "5.2191", "5.0731", "4.77457", "4.9842", "4.69267"),
    (".1", 1000, "100", "33.245", "27.140", "21.618", "20.541", "20.450", "19.3447", "20.040", "18.9503"),
    (".5", 50, "25", "37.169", "34.803", "24.708", "23.387", "21.068", "20.3010", "19.504", "18.7547"),
    ("1", 10, "10", "33.245", "33.805", "10", "19.554", "9.99998", "9.99998", "9.99898", "9.99898"),
    ("1", 100, "100", "105.13", "224.39", "98.777", "94.902", "85.521", "83.5307", "73.817", "71.5460"),
    ("1", 1000, "1000", "332.45", "1884.5", "628.34", "619.08", "602.15", "591.080", "496.71", "486.298"),
]
SLACK = "1e-6"


def nearly(epsilon: Fraction, printed: str, above: Fraction = Fraction(1, 10_000)) -> bool:
    """Whether it is hardly above a printed number, and below it by no more than is rounded."""
    return Fraction(-1, 20_000) <= epsilon / Fraction(printed) - 1 <= above


@pytest.mark.parametrize("row", TABLE)
def test_pure_rounds(row: tuple[str, int, str, str, str, str, str, str, str, str, str]) -> None:
    epsilon, count, basic, published, textbook, advanced, zcdp, renyi, optimal, laplace, _ = row
    each, spread = float(epsilon), math.sqrt(2 * count * math.log(1e6))
    assert agrees(2 * each * spread, published)
    assert agrees(each * spread + count * each * math.expm1(each), textbook)
    pure = ChargedRepeat(count, Approximate(Fraction(epsilon), Fraction(0)))
    assert stated(pure, SLACK, "basic") == Fraction(basic)
    for rule, printed in {"advanced": advanced, "zcdp": zcdp, "renyi": renyi, "optimal": optimal}.items():
        assert agrees(stated(pure, SLACK, rule), printed), rule
    assert agrees(stated(ChargedRepeat(count, LaplaceLoss(Fraction(epsilon))), SLACK, "renyi"), laplace)


@pytest.mark.parametrize("row", TABLE)
def test_laplace_noise_exactly(row: tuple[str, int, str, str, str, str, str, str, str, str, str]) -> None:
    epsilon, count, *_, exact = row
    found = pld.measured(ChargedRepeat(count, LaplaceLoss(Fraction(epsilon))), Fraction(SLACK))
    assert found is not None and nearly(found.epsilon, exact)


def response_delta(each: str, count: int, epsilon: str) -> mpmath.mpf:
    """The exact δ of randomised responses, by the sum over what they may answer."""
    one, at = mpmath.mpf(each), mpmath.mpf(epsilon)
    total = mpmath.mpf(0)
    for i in range(count + 1):
        loss = (2 * i - count) * one
        if loss > at:
            weight = mpmath.binomial(count, i) * mpmath.exp(i * one) / (1 + mpmath.exp(one)) ** count
            total += weight * (1 - mpmath.exp(at - loss))
    return total


@pytest.mark.parametrize("row", TABLE)
def test_optimal_composition_is_exact(row: tuple[str, int, str, str, str, str, str, str, str, str, str]) -> None:
    epsilon, count, *_ = row
    found = stated(ChargedRepeat(count, Approximate(Fraction(epsilon), Fraction(0))), SLACK, "optimal")
    assert response_delta(epsilon, count, str(float(found))) <= mpmath.mpf("1.0000000001e-6")
    assert response_delta(epsilon, count, str(float(found) * (1 - 1e-8))) > mpmath.mpf("1e-6")


def test_responses_beyond_the_published_formula() -> None:
    published = 2 * 0.9 * math.sqrt(2 * 300 * math.log(1e6))
    assert agrees(published, "163.882")
    rounds = ChargedRepeat(300, Approximate(Fraction(9, 10), Fraction(0)))
    assert agrees(stated(rounds, SLACK, "optimal"), "177.154")
    assert agrees(response_delta("0.9", 300, repr(published)), "8.918e-5")


def test_laplace_noise_beyond_the_published_formula() -> None:
    assert agrees(2 * 3 * math.sqrt(2 * 1000 * math.log(1e6)), "997.35", units="0.6")
    mean = LaplaceLoss(Fraction(3)).rho()
    assert mean is not None and agrees(1000 * mean.up, "2049.8")


def test_laplace_noise_beyond_the_published_formula_exactly() -> None:
    """The first figure is that of transforms of 3,000 and of 9,000 losses a round, which agree in seven digits."""
    found = pld.measured(ChargedRepeat(1000, LaplaceLoss(Fraction(3))), Fraction(SLACK))
    assert found is not None and nearly(found.epsilon, "2266.394", Fraction(1, 5000))
    vast = pld.measured(ChargedRepeat(1000, LaplaceLoss(Fraction(1))), Fraction("0.909"))
    assert vast is not None and nearly(vast.epsilon, "332.45", Fraction(1, 500))


@pytest.mark.parametrize(
    ("each", "delta", "count", "total", "mu", "exact", "published"),
    [
        (".1", "1e-6", 100, "1.01e-4", ".18872188", ".563000", "10.513044"),
        (".5", "1e-6", 50, "5.1e-5", ".66723262", "2.486656", "37.169222"),
    ],
)
def test_gaussian_steps(each: str, delta: str, count: int, total: str, mu: str, exact: str, published: str) -> None:
    step = float(each) / math.sqrt(2 * math.log(1.25 / float(delta)))
    assert agrees(math.sqrt(count) * step, mu)
    best, *_ = guarantees(ChargedRepeat(count, GaussianLoss(Fraction(step))), Fraction(total))
    assert best.rule == "gaussian" and agrees(best.epsilon, exact)
    assert agrees(2 * float(each) * math.sqrt(2 * count * math.log(1 / float(delta))), published)
    apart = ChargedRepeat(count, Approximate(Fraction(each), Fraction(delta)))
    assert stated(apart, total, "basic") == count * Fraction(each)


def test_the_closed_form_of_zcdp_is_never_worse_than_that_of_advanced_composition() -> None:
    total = 50 * 0.5 * math.tanh(0.25)
    closed = total + 2 * math.sqrt(total * math.log(1e6))
    advanced = stated(ChargedRepeat(50, Approximate(Fraction(1, 2), Fraction(0))), SLACK, "advanced")
    assert agrees(closed, "24.5177") and agrees(advanced, "24.7076")


@pytest.mark.parametrize(
    "rounds",
    [
        [("1", 20), ("1/2", 30)],
        [("1", 5), ("1/3", 9), ("1/7", 40)],
        [("7/10", 3), ("0.123", 11), ("0.05", 100), ("2", 1)],
        [(f"1/{i}", i) for i in range(1, 9)],
    ],
)
def test_unequal_rounds(rounds: list[tuple[str, int]]) -> None:
    """Optimal composition of unequal rounds holds, by a sum over all losses, and is at least as good as the others."""
    charge = ChargedSequence(
        tuple(ChargedRepeat(count, Approximate(Fraction(each), Fraction(0))) for each, count in rounds)
    )
    found = stated(charge, SLACK, "optimal")
    assert unequal_delta(rounds, float(found)) <= 1e-6
    assert unequal_delta(rounds, float(found) * 0.8) > 1e-6
    assert found <= min(stated(charge, SLACK, rule) for rule in ("basic", "advanced", "zcdp"))


def unequal_delta(rounds: list[tuple[str, int]], epsilon: float) -> float:
    """The δ of randomised responses, by a table of all sums of losses."""
    unit = Fraction(1, math.lcm(*(Fraction(each).denominator for each, _ in rounds)))
    table = {0: 1.0}
    for each, count in rounds:
        high = 1 / (1 + math.exp(-Fraction(each)))
        more: dict[int, float] = {}
        for i in range(count + 1):
            weight = math.comb(count, i) * high**i * (1 - high) ** (count - i)
            for loss, mass in table.items():
                at = loss + (2 * i - count) * int(Fraction(each) / unit)
                more[at] = more.get(at, 0) + mass * weight
        table = {loss: mass for loss, mass in more.items() if mass > 1e-16}
    return math.fsum(-mass * math.expm1(epsilon - loss * unit) for loss, mass in table.items() if loss * unit > epsilon)
