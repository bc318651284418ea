"""The bounds by privacy loss distributions against exact curves, which share nothing with them: never below, hardly
above, for a δ from 1e-3 to 1e-15."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial, reduce
from pathlib import Path

import mpmath
import pytest

from dp_lsp.accounting import pld
from dp_lsp.accounting.charge import Charge, ChargedRepeat, ChargedSequence, Sampling
from dp_lsp.accounting.composing import AddedRecord, Lattice, Tilt, cut, discretised, product
from dp_lsp.engine.check import Engine
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss, Normal
from dp_lsp.mechanisms.selection import Approximate, BoundedRange
from exact_losses import gaussian, is_smallest, number, responses
from golden import drawn, gaussian_delta, needs_library, poisson, stated
from spec_runner import Block, blocks

ABOVE = "1.005"
ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "fixtures" / "spec" / "attacks" / "accounting.md").read_text("utf-8")
DELTAS = ["1e-3", "1e-6", "1e-10", "1e-15"]


def found(charge: Charge, delta: str) -> Fraction:
    answer = pld.measured(charge, Fraction(delta))
    assert answer is not None and answer.delta == Fraction(delta)
    return answer.epsilon


def response(epsilon: Fraction | str, answers: int = 2) -> Approximate:
    return Approximate(Fraction(epsilon), Fraction(0), answers)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("each", "count"), [("1/10", 1000), ("1/10", 2000), ("1/100", 3000), ("1", 10), ("3", 40)])
def test_responses(each: str, count: int, delta: str) -> None:
    answer = found(ChargedRepeat(count, response(each)), delta)
    assert is_smallest(responses(Fraction(each), count), answer, delta, "1.000001")


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("mu", ["1/20", "1/2", "1", "9/2"])
def test_gaussian_noise(mu: str, delta: str) -> None:
    """Alone, and beside a mechanism that costs next to nothing, without which the closed form would be asked."""
    exact, steps = gaussian(Fraction(mu) ** 2), ChargedRepeat(100, GaussianLoss(Fraction(mu) / 10))
    assert is_smallest(exact, found(steps, delta), delta, "1.000001")
    assert is_smallest(exact, found(ChargedSequence((steps, LaplaceLoss(Fraction(1, 10**9)))), delta), delta, ABOVE)


def binomial_tail(losses: dict[int, tuple[mpmath.mpf, mpmath.mpf]], count: int, epsilon: mpmath.mpf) -> mpmath.mpf:
    """δ of ``count`` rounds with two losses, each with its chance: 1 stands for the larger."""
    (first, high), (second, low) = losses[1], losses[0]
    total = mpmath.mpf(0)
    for i in range(count + 1):
        loss = i * first + (count - i) * second
        if loss > epsilon:
            total += mpmath.binomial(count, i) * high**i * low ** (count - i) * -mpmath.expm1(epsilon - loss)
    return total


def sampled_response(rate: str, each: str, count: int, epsilon: mpmath.mpf) -> mpmath.mpf:
    """The larger δ of both orders."""
    q, grown = mpmath.mpf(rate), mpmath.exp(mpmath.mpf(each))
    p = grown / (1 + grown)
    mixed = q * p + (1 - q) * (1 - p), q * (1 - p) + (1 - q) * p
    plain = 1 - p, p
    there = {1: (mpmath.log(mixed[0] / plain[0]), mixed[0]), 0: (mpmath.log(mixed[1] / plain[1]), mixed[1])}
    back = {1: (mpmath.log(plain[1] / mixed[1]), plain[1]), 0: (mpmath.log(plain[0] / mixed[0]), plain[0])}
    return max(binomial_tail(there, count, epsilon), binomial_tail(back, count, epsilon))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("rate", "each", "count"), [("0.1", "1", 100), ("0.01", "2", 400), ("0.5", "0.3", 50)])
def test_responses_on_samples(rate: str, each: str, count: int, delta: str) -> None:
    answer = found(ChargedRepeat(count, poisson(rate, response(each))), delta)
    assert is_smallest(partial(sampled_response, rate, each, count), answer, delta, ABOVE)


def test_a_record_more_may_cost_more_than_one_less() -> None:
    """Where δ is large the other order decides."""
    answer = found(ChargedRepeat(3, poisson("1/2", response("2"))), "1/2")
    exact = partial(sampled_response, "0.5", "2", 3)
    assert answer > Fraction(1, 3) and is_smallest(exact, answer, "0.5", ABOVE)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("rate", "sigma"), [("0.01", "1"), ("0.2", "0.7"), ("0.5", "3")])
def test_one_sample_with_gaussian_noise(rate: str, sigma: str, delta: str) -> None:
    """By the exact curve of removing and of adding a record: where the densities cross is known."""
    answer = found(poisson(rate, GaussianLoss(1 / Fraction(sigma))), delta)

    def exact(epsilon: mpmath.mpf) -> mpmath.mpf:
        q, mu, grown = mpmath.mpf(rate), 1 / mpmath.mpf(sigma), mpmath.exp(epsilon)
        x = (mpmath.log((grown - 1 + q) / q) + mu * mu / 2) / mu
        removed = (1 - q - grown) * mpmath.ncdf(-x) + q * mpmath.ncdf(mu - x)
        if grown * (1 - q) >= 1:
            return removed
        x = (mpmath.log((1 / grown - 1 + q) / q) + mu * mu / 2) / mu
        return max(removed, (1 - grown * (1 - q)) * mpmath.ncdf(x) - grown * q * mpmath.ncdf(x - mu))

    assert is_smallest(exact, answer, delta, ABOVE)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("each", "answers", "count"), [("1/2", 4, 60), ("1", 10, 40), ("1/5", 3, 90)])
def test_responses_of_several_answers(each: str, answers: int, count: int, delta: str) -> None:
    """By the sum over how many answers speak for either of two, which are the true ones of neighbours."""
    answer = found(ChargedRepeat(count, response(each, answers)), delta)

    def exact(epsilon: mpmath.mpf) -> mpmath.mpf:
        one = number(each)
        least = 1 / (mpmath.exp(one) + answers - 1)
        most, rest = least * mpmath.exp(one), (answers - 2) * least
        total = mpmath.mpf(0)
        for up in range(count + 1):
            for down in range(count - up + 1):
                loss = (up - down) * one
                if loss > epsilon:
                    ways = mpmath.binomial(count, up) * mpmath.binomial(count - up, down)
                    weight = ways * most**up * least**down * rest ** (count - up - down)
                    total += weight * -mpmath.expm1(epsilon - loss)
        return total

    assert is_smallest(exact, answer, delta, "1.0001")


@pytest.mark.parametrize("delta", DELTAS)
def test_unlike_responses(delta: str) -> None:
    """By the sum over both kinds, whose losses have no common unit that is worth it."""
    first, second = ("7/10", 20), ("0.1230001", 90)
    answer = found(
        ChargedSequence(tuple(ChargedRepeat(count, response(each)) for each, count in (first, second))), delta
    )

    def exact(epsilon: mpmath.mpf) -> mpmath.mpf:
        listed = []
        for each, count in (first, second):
            one = number(each)
            p = 1 / (1 + mpmath.exp(-one))
            weights = (mpmath.binomial(count, i) * p**i * (1 - p) ** (count - i) for i in range(count + 1))
            listed.append([((2 * i - count) * one, weight) for i, weight in enumerate(weights)])
        both = [(a + b, v * w) for a, v in listed[0] for b, w in listed[1]]
        return mpmath.fsum(-weight * mpmath.expm1(epsilon - loss) for loss, weight in both if loss > epsilon)

    assert is_smallest(exact, answer, delta, ABOVE)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("each", ["1/10", "1", "8"])
def test_noise_by_laplace_once(each: str, delta: str) -> None:
    exact = partial(lambda one, epsilon: -mpmath.expm1((epsilon - number(one)) / 2), each)
    assert is_smallest(exact, found(LaplaceLoss(Fraction(each)), delta), delta, ABOVE)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("each", "count"), [("1/5", 1), ("1/5", 20), ("2", 3), ("1/2", 100)])
def test_choices_by_score(each: str, count: int, delta: str) -> None:
    """No exponential mechanism with two losses, t and t - ε₀, costs more, in any number of rounds; one is exact."""

    def worst(epsilon: mpmath.mpf) -> mpmath.mpf:
        one = number(each)
        places = [one * i / 16 for i in range(17)] + [(one + epsilon) / 2] * (count == 1)
        chances = [(t, (mpmath.exp(one) - mpmath.exp(t)) / mpmath.expm1(one)) for t in places]
        return max(binomial_tail({1: (t, p), 0: (t - one, 1 - p)}, count, epsilon) for t, p in chances)

    answer = found(ChargedRepeat(count, BoundedRange(Fraction(each))), delta)
    assert is_smallest(worst, answer, delta, ABOVE if count == 1 else "2")


def test_what_fails_is_set_aside() -> None:
    """Of what is (ε, δ)-private, the chance that any round fails is 1 - (1-δ)^k; the others are responses."""
    count, each, fails = 200, Fraction(1, 20), Fraction(1, 10**9)
    answer = found(ChargedRepeat(count, Approximate(each, fails)), "1e-6")
    with localcontext() as context:
        context.prec = 60
        failing = 1 - (1 - Decimal("1e-9")) ** count
        left = (Decimal("1e-6") - failing) / (1 - failing)
    assert is_smallest(responses(each, count), answer, str(left), "1.000001")


def test_never_below_optimal_composition_where_that_is_exact() -> None:
    for seed in range(60):
        choose = random.Random(seed)
        unit = Fraction(1, choose.choice((1, 3, 10, 40)))
        parts = [ChargedRepeat(choose.randint(1, 30), response(unit * choose.randint(1, 3))) for _ in range(2)]
        delta = f"1e-{choose.randint(1, 15)}"
        exact = stated(ChargedSequence(tuple(parts)), delta, "optimal")
        assert exact * (1 - Fraction(1, 10**9)) <= found(ChargedSequence(tuple(parts)), delta), seed


def test_gradient_descent() -> None:
    """60,000 images in batches of 256, noise 1.1, sixty epochs: as Abadi and others count."""
    step = poisson(Fraction(256, 60000), GaussianLoss(Fraction(10, 11)))
    assert 2.3815 <= found(ChargedRepeat(14_062, step), "1e-5") <= 2.3816 * float(ABOVE)


def test_a_sample_of_a_fixed_size_costs_less_than_what_is_done_with_it() -> None:
    """Attained below, by a record on one side of zero and none in its place; above, by the mechanism itself."""
    step = drawn(1, 2, GaussianLoss(Fraction(1)))
    least = found(ChargedRepeat(10, poisson("1/2", GaussianLoss(Fraction(1, 2)))), "1e-5")
    assert least < found(ChargedRepeat(10, step), "1e-5") < found(ChargedRepeat(10, GaussianLoss(Fraction(1))), "1e-5")


def test_as_many_draws_as_rows_are_not_all_rows() -> None:
    """Both of two draws of two rows are the one that changes one time in four, and then move twice as far."""
    step, delta = drawn(2, 2, GaussianLoss(Fraction(1)), Sampling.WITH_REPLACEMENT), 1e-5
    answer = pld.measured(step, Fraction(delta))
    assert answer is not None and gaussian_delta(2, float(answer.epsilon) + math.log(4)) / 4 <= delta


def test_several_questions_of_one_charge_agree_in_order() -> None:
    charge = ChargedRepeat(30, poisson("1/20", LaplaceLoss(Fraction(1, 2))))
    answers = [found(charge, f"{digit}e-{power}") for power in range(2, 13) for digit in (9, 5, 2)]
    assert answers == sorted(answers)


@pytest.mark.parametrize("block", [block for block in blocks(PAGE) if "dp: budget" in block.text])
def test_budgets_at_the_edge_are_judged_alike_by_distributions(block: Block) -> None:
    """What they prove keeps no budget that exact curves miss."""
    engine = Engine()
    before = engine.check(block.text)
    asked = engine.answers.open([before])
    engine.answers.learn({text: pld.measured(*pld.Question.read(text)) for text in asked})
    after = engine.check(block.text)
    expected = ["DP413"] * block.text.count("[DP413]")
    assert [each.code for each in before.problems] == [each.code for each in after.problems] == expected
    assert len(asked) >= len(expected) or "gaussian" in block.text  # of which the closed form is exact


STEEP = Tilt.by(Fraction(1, 2), 0.7)


def rounds(count: int) -> Lattice:
    """Randomised responses of ε = 1/2, whose two losses are on the lattice of that step."""
    once = discretised(Approximate(Fraction(1, 2), Fraction(0)), False, STEEP, Fraction(1, 10**6), count)
    return reduce(product, [once] * count)


def weights(of: Lattice) -> dict[int, Fraction]:
    """What each loss weighs, exactly."""
    unit, base = Fraction(of.scale) / 10**22, Fraction(STEEP.base)
    return {at: mass * unit / base**at for at, mass in enumerate(of.masses, of.first)}


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_no_loss_weighs_less_than_it_is_likely(count: int) -> None:
    """All rounding is upward, and by next to nothing."""
    found = rounds(count)
    with mpmath.workdps(60):
        high = 1 / (1 + mpmath.exp(mpmath.mpf(-1) / 2))
        for at, weight in weights(found).items():
            against, odd = divmod(count - at, 2)
            known = not odd and 0 <= against <= count
            exact = mpmath.binomial(count, against) * high ** (count - against) * (1 - high) ** against if known else 0
            assert exact <= number(weight) <= exact + mpmath.mpf("1e-12"), at


@pytest.mark.parametrize("delta", ["1e-3", "1e-8"])
def test_what_is_cut_off_is_counted_where_it_costs_more(delta: str) -> None:
    """Large losses as infinite ones, small ones as the smallest that is kept."""
    whole = rounds(80)
    kept = cut(whole, STEEP, Fraction(delta), 1)
    before, after = weights(whole), weights(kept)
    below = [weight for at, weight in before.items() if at < kept.first]
    above = [weight for at, weight in before.items() if at > max(after)]
    assert below and above
    assert after.pop(kept.first) >= sum(below) + before[kept.first]
    assert all(weight == before[at] for at, weight in after.items())
    assert sum(above) <= Fraction(kept.lost) - Fraction(whole.lost) <= sum(above) * Fraction(11, 10)


@needs_library
@pytest.mark.parametrize(
    "charge",
    [
        ChargedRepeat(100, LaplaceLoss(Fraction(1, 10))),
        ChargedRepeat(1000, LaplaceLoss(Fraction(1, 4))),
        ChargedRepeat(200, poisson("1/50", GaussianLoss(Fraction(1)))),
        ChargedRepeat(1000, poisson("1/100", GaussianLoss(Fraction(1, 2)))),
        ChargedSequence((ChargedRepeat(20, LaplaceLoss(Fraction(1, 10))), GaussianLoss(Fraction(1, 2)))),
    ],
)
def test_against_the_library(charge: Charge) -> None:
    """Its bounds of these charges with steps of 1e-4 are within a thousandth of ours."""
    epsilon = by_library(charge)
    for delta in ("1e-3", "1e-5", "1e-8"):
        assert float(found(charge, delta)) == pytest.approx(epsilon(float(delta)), rel=1e-3), delta


def by_library(charge: Charge) -> Callable[[float], float]:
    from dp_accounting.pld import privacy_loss_distribution as library

    settings = {"value_discretization_interval": 1e-4}
    total = library.identity(**settings)
    for curve, count in (pld.losses(charge) or {}).items():
        match curve:
            case LaplaceLoss(epsilon=epsilon):
                one = library.from_laplace_mechanism(float(1 / epsilon), **settings)
            case Normal(squared=squared):
                one = library.from_gaussian_mechanism(float(squared) ** -0.5, **settings)
            case AddedRecord(rate=rate, body=Normal(squared=squared)):
                one = library.from_gaussian_mechanism(float(squared) ** -0.5, sampling_prob=float(rate), **settings)
            case _:
                raise AssertionError(curve)
        total = total.compose(one.self_compose(count))
    return total.get_epsilon_for_delta
