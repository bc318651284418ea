"""Laws of what charges cost, by every measure: order, composition, alternatives, larger changes, samples, nothing and
everything, and exact values that no conversion may be below."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

import mpmath
import pytest

from dp_lsp.accounting.best import MEASURES, claims, guarantees, pair
from dp_lsp.accounting.charge import (
    FREE,
    Charge,
    ChargedEither,
    ChargedRepeat,
    ChargedSample,
    ChargedSequence,
    Group,
    Guarantee,
    Joined,
    Relation,
    Sampling,
)
from dp_lsp.mechanisms.arithmetic import DecimalInterval, brief, shown
from dp_lsp.mechanisms.mechanism import UnboundedLoss
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate, BoundedRange
from golden import drawn, gaussian_delta, poisson
from test_laws_of_costs import exact_delta

Costs = dict[str, Fraction]
RULES = tuple(measure.rule for measure in MEASURES)
DELTA = Fraction(1, 10**5)
SEEDS = range(9)
NEAR = Fraction(1, 10**6)  # the order of a divergence is searched, and numbers are rounded up


def costs(charge: Charge, delta: Fraction = DELTA) -> Costs:
    """The ε of each measure that has one."""
    return {found.rule: found.epsilon for found in guarantees(charge, delta)}


def at_most(small: Costs, large: Costs) -> bool:
    """Whether each measure that prices the second prices the first, at no more."""
    return all(rule in small and small[rule] <= large[rule] * (1 + NEAR) + NEAR**2 for rule in large)


def equal(one: Costs, other: Costs) -> bool:
    return at_most(one, other) and at_most(other, one)


def leaf(choose: random.Random) -> Charge:
    epsilon, delta = Fraction(choose.randint(1, 30), 20), Fraction(choose.choice((0, 1)), 10**7)
    kinds = LaplaceLoss(epsilon), GaussianLoss(epsilon / 3), BoundedRange(epsilon), Approximate(epsilon, delta)
    return choose.choice(kinds)


def some(seed: int, sampled: bool = True) -> Charge:
    """A mechanism, or something that is made of two."""
    choose = random.Random(seed)
    one, other = leaf(choose), leaf(choose)
    made = (
        one,
        ChargedSequence((one, other)),
        ChargedRepeat(choose.randint(1, 5), other),
        ChargedEither((one, other)),
        Joined(one, other),
    )
    samples = poisson(Fraction(1, 20), one), drawn(2, 50, ChargedRepeat(2, one))
    again = drawn(2, 50, other, Sampling.WITH_REPLACEMENT)
    return choose.choice((*made, *samples, again) if sampled else made)


def triples() -> Iterator[tuple[Charge, Charge, Charge]]:
    return ((some(seed), some(seed + 100), some(seed + 200)) for seed in SEEDS)


def test_the_order_of_what_is_composed_does_not_matter() -> None:
    for a, b, c in triples():
        flat = costs(ChargedSequence((a, b, c)))
        others = [
            ChargedSequence((a, ChargedSequence((b, c)))),
            ChargedSequence((ChargedSequence((a, b)), c)),
            ChargedSequence((b, c, a)),
        ]
        assert all(equal(costs(other), flat) for other in others)
        assert at_most(costs(ChargedSequence((a, c))), flat), "what is left out costs nothing less than nothing"


def test_rounds_cost_what_they_cost_one_by_one() -> None:
    for seed in SEEDS:
        body, count = some(seed), 2 + seed % 3
        assert equal(costs(ChargedRepeat(count, body)), costs(ChargedSequence((body,) * count)))
        assert at_most(costs(ChargedRepeat(count, body)), costs(ChargedRepeat(count + 1, body)))
        assert equal(costs(ChargedRepeat(2, ChargedRepeat(count, body))), costs(ChargedRepeat(2 * count, body)))


def test_one_of_several_costs_what_the_dearest_does_in_company_too() -> None:
    for kind in (LaplaceLoss, GaussianLoss, BoundedRange):
        assert equal(costs(ChargedEither((kind(Fraction(1, 8)), kind(Fraction(1, 4))))), costs(kind(Fraction(1, 4))))
    for a, b, c in triples():
        either = costs(ChargedEither((b, c)))
        assert equal(either, costs(ChargedEither((c, b)))) and equal(costs(ChargedEither((b, b))), costs(b))
        assert (
            at_most(costs(b), either) and at_most(costs(c), either) and at_most(either, costs(ChargedSequence((b, c))))
        )
        inside, outside = (
            costs(ChargedSequence((a, ChargedEither((b, c))))),
            costs(ChargedEither((ChargedSequence((a, b)), ChargedSequence((a, c))))),
        )
        assert at_most(outside, inside)
        for rule in {"renyi", "zcdp", "gaussian"} & inside.keys():  # these add up, and take the maximum at the end
            if not _spends(ChargedSequence((a, b, c))):
                assert abs(inside[rule] - outside[rule]) <= NEAR * inside[rule]


def _spends(charge: Charge) -> bool:
    """Whether something in it takes a share of δ, which depends on how much there is of it."""
    match charge:
        case ChargedSample() | Joined() | Approximate():
            return True
        case ChargedSequence(parts=parts) | ChargedEither(parts=parts):
            return any(map(_spends, parts))
        case ChargedRepeat(body=body):
            return _spends(body)
    return False


def test_more_noise_a_lower_rate_and_a_larger_delta_cost_no_more() -> None:
    """And what less is known of costs no less."""
    for seed in SEEDS:
        charge, epsilon = some(seed), Fraction(1 + seed, 8)
        assert at_most(costs(charge, 10 * DELTA), costs(charge))
        for less, more in (
            (LaplaceLoss(epsilon), LaplaceLoss(epsilon * 2)),
            (GaussianLoss(epsilon), GaussianLoss(epsilon * 2)),
            (BoundedRange(epsilon), BoundedRange(epsilon * 2)),
            (Approximate(epsilon, DELTA / 10), Approximate(epsilon * 2, DELTA / 5)),
            (BoundedRange(epsilon), Approximate(epsilon, Fraction(0))),
            (LaplaceLoss(epsilon), Approximate(epsilon, Fraction(0))),
            (poisson(Fraction(1, 50), GaussianLoss(epsilon)), poisson(Fraction(1, 10), GaussianLoss(epsilon))),
            (poisson(Fraction(1, 50), LaplaceLoss(epsilon)), LaplaceLoss(epsilon)),
            (drawn(2, 100, LaplaceLoss(epsilon)), drawn(2, 50, LaplaceLoss(epsilon))),
        ):
            both = costs(less), costs(more)
            assert at_most({rule: both[0][rule] for rule in both[0] if rule in both[1]}, both[1]), (less, more)


def test_a_change_of_several_steps_is_a_step_after_the_other() -> None:
    for seed in SEEDS:
        charge = some(seed, sampled=seed % 2 == 0)
        assert equal(costs(Group(1, charge)), costs(charge))
        assert equal(costs(Group(2, Group(2, charge))), costs(Group(4, charge)))
        once, twice = costs(charge), costs(Group(2, charge))
        assert at_most({rule: once[rule] for rule in twice}, twice)
        size = Fraction(1 + seed, 10)
        for kind in (LaplaceLoss, GaussianLoss, BoundedRange):
            assert equal(costs(Group(3, kind(size))), costs(kind(3 * size)))
        added = pair(Group(2, Joined(LaplaceLoss(size), LaplaceLoss(size))))
        assert added is not None and added.epsilon == 4 * size


def test_a_change_of_two_steps_of_a_sample_is_dearer_than_both_at_twice_the_order() -> None:
    """3·ε(2α), Mironov 2017, Proposition 2; and between integers (α-1)·ε(α) is on the straight line."""
    sample = poisson(Fraction(1, 10), GaussianLoss(Fraction(1)))

    def at(charge: Charge, order: Fraction) -> Fraction:
        asked = Guarantee(Fraction(0), Fraction(1, 2), "renyi", (("order", order),))
        return dict(claims(charge, asked)[-1].numbers)["epsilon"]

    for order in (2, 3, 8):
        assert at(Group(2, sample), Fraction(order)) == pytest.approx(3 * at(sample, Fraction(2 * order)))
        chord = (at(sample, Fraction(order)) * (order - 1) + at(sample, Fraction(order + 1)) * order) / 2
        assert at(sample, order + Fraction(1, 2)) * (order - Fraction(1, 2)) == pytest.approx(chord)


def test_two_ways_are_one_of_both_lengths_and_two_steps_one_of_their_root() -> None:
    """Exactly so for Gaussian noise; of others no less than either way."""
    for seed in SEEDS:
        choose = random.Random(seed)
        one, other = (Fraction(choose.randint(1, 20), 10) for _ in range(2))
        both, whole = costs(Joined(GaussianLoss(one), GaussianLoss(other))), costs(GaussianLoss(one + other))
        for rule in ("gaussian", "zcdp"):
            assert abs(both[rule] - whole[rule]) <= NEAR * whole[rule]
        steps = costs(ChargedSequence((GaussianLoss(one * 3), GaussianLoss(one * 4))))
        exact = costs(GaussianLoss(one * 5))
        assert all(abs(steps[rule] - exact[rule]) <= NEAR * exact[rule] for rule in ("gaussian", "renyi", "zcdp"))
        a, b = some(seed), some(seed + 300)
        joined = costs(Joined(a, b))
        for alone in (costs(a), costs(b)):
            assert at_most({rule: alone[rule] for rule in joined}, joined)


def test_nothing_costs_nothing_and_everything_has_no_price() -> None:
    zero = dict.fromkeys(RULES, Fraction(0))
    for nothing in (
        FREE,
        ChargedEither(()),
        ChargedRepeat(0, UnboundedLoss()),
        ChargedRepeat(9, LaplaceLoss(Fraction(0))),
        GaussianLoss(Fraction(0)),
    ):
        assert costs(nothing) == zero, nothing
    for seed in SEEDS:
        charge = some(seed)
        assert equal(costs(ChargedSequence((charge, FREE))), costs(charge))
        for lost in (
            ChargedSequence((charge, UnboundedLoss())),
            ChargedEither((UnboundedLoss(), charge)),
            Joined(charge, UnboundedLoss()),
        ):
            assert costs(lost) == {}
        assert costs(Group(2, UnboundedLoss())) == {} and costs(ChargedRepeat(1, UnboundedLoss())) == {}
        never = ChargedSample(Sampling.POISSON, Relation.ADD_REMOVE, Fraction(0), 0, 0, charge)
        assert all(not epsilon for epsilon in costs(never).values())


@pytest.mark.parametrize("delta", [Fraction(1, 10), DELTA, Fraction(1, 10**9)])
def test_no_measure_is_below_the_exact_value(delta: Fraction) -> None:
    """Gaussian noise in rounds, and randomised response in rounds, whose δ at an ε are known exactly."""
    for step, rounds in ((Fraction(1, 50), 100), (Fraction(1, 4), 7), (Fraction(1), 3), (Fraction(3), 1)):
        for epsilon in costs(ChargedRepeat(rounds, GaussianLoss(step)), delta).values():
            assert gaussian_delta(float(step) * rounds**0.5, float(epsilon)) <= float(delta) * (1 + 1e-9)
        for pure in (Approximate(step, Fraction(0)), BoundedRange(step)):
            for epsilon in costs(ChargedRepeat(rounds, pure), delta).values():
                grown = step if isinstance(pure, Approximate) else step / 2  # of a range, as wide to either side
                assert exact_delta(grown, rounds, epsilon) <= float(delta) + 1e-12


def test_measures_agree_on_what_is_written_in_another_order() -> None:
    parts = LaplaceLoss(Fraction(1, 3)), GaussianLoss(Fraction(1, 5)), BoundedRange(Fraction(1, 2))
    first, *others = (costs(ChargedSequence(order)) for order in permutations(parts))
    assert set(first) == set(RULES) - {"gaussian"} and all(equal(first, other) for other in others)


@pytest.mark.parametrize(("draws", "rows", "mu"), [(2, 50, Fraction(1)), (20, 5, Fraction(1, 3))])
@pytest.mark.parametrize("delta", [Fraction(1, 100), DELTA])
def test_sums_of_samples_with_replacement_are_not_below_the_exact_value(
    draws: int, rows: int, mu: Fraction, delta: Fraction
) -> None:
    """A row of ones in place of one of zeros is drawn j times, binomially: the noisy sum is a mixture."""
    times = [math.comb(draws, j) * (1 / rows) ** j * (1 - 1 / rows) ** (draws - j) for j in range(draws + 1)]
    width, far = 0.02, 10 + draws * float(mu)
    found = costs(drawn(draws, rows, GaussianLoss(mu), Sampling.WITH_REPLACEMENT), delta)
    assert found
    cells = [k * width for k in range(int(-10 / width), int(far / width))]
    plain = [_between(at, at + width) for at in cells]
    shifted = [(p, j * float(mu)) for j, p in enumerate(times)]
    mixed = [sum(p * _between(at - by, at - by + width) for p, by in shifted) for at in cells]
    for grown in map(math.exp, found.values()):
        for one, other in ((plain, mixed), (mixed, plain)):
            assert sum(max(0.0, p - grown * q) for p, q in zip(one, other, strict=True)) <= float(delta)


def test_numbers_are_rounded_up() -> None:
    """What is stated is at least the number: of thirds, and against figures of more digits than are computed."""
    third = Fraction(1, 3)
    assert DecimalInterval.of(third).down < third < DecimalInterval.of(third).up < third + Fraction(1, 10**38)
    with mpmath.workdps(60):
        exact = [Fraction(mpmath.nstr(each, 55)) for each in (mpmath.sqrt(2), mpmath.log(2), mpmath.exp(1))]
    for found, number in zip(
        (DecimalInterval.of(2).sqrt(), DecimalInterval.of(2).ln(), DecimalInterval.of(1).exp()), exact, strict=True
    ):
        assert found.down < number < found.up
    assert shown(third) >= third and brief(Fraction(10**3000 + 1, 3**6000)) >= Fraction(10**3000 + 1, 3**6000)


def _between(low: float, high: float) -> float:
    """The probability that a normal number lies between two."""
    return (math.erfc(-high / math.sqrt(2)) - math.erfc(-low / math.sqrt(2))) / 2


def test_functions_of_intervals_hold_all_that_they_are_of() -> None:
    """Wide ones, thin ones, and single numbers, large and small; and of thin ones they are thin."""
    choose = random.Random("intervals")
    with mpmath.workdps(100):
        for _ in range(300):
            number = DecimalInterval.of(Fraction(choose.random()) * Fraction(10) ** choose.randint(-45, 3))
            if choose.random() < 0.5:
                number = number * DecimalInterval.of(Fraction(1, 3))
            if choose.random() < 0.3:
                wide = number.high.scaleb(-choose.randint(1, 45))
                number = DecimalInterval(number.low, (DecimalInterval(wide, wide) + number).high)
            for name, true in (
                ("exp", mpmath.exp),
                ("ln", mpmath.log),
                ("expm1", mpmath.expm1),
                ("log1p", mpmath.log1p),
            ):
                found = getattr(number, name)()
                ends = [true(mpmath.mpf(str(end))) for end in (number.low, number.high)]
                low, high = mpmath.mpf(str(found.low)), mpmath.mpf(str(found.high))
                assert low <= ends[0] and ends[1] <= high, (name, number, found)
                if name in ("exp", "ln"):
                    assert high - low <= (ends[1] - ends[0]) + max(abs(ends[0]), abs(ends[1])) * mpmath.mpf("1e-37")
