"""What numeric measures state of charges: the rules for compositions, larger changes and samples."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from dp_lsp.accounting.best import claims, guarantees, pair
from dp_lsp.accounting.charge import (
    FREE,
    Charge,
    ChargedEither,
    ChargedRepeat,
    ChargedSample,
    ChargedSequence,
    Group,
    Joined,
    Relation,
    Sampling,
)
from dp_lsp.mechanisms.mechanism import UnboundedLoss
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate, BoundedRange

TENTH, TINY = Fraction(1, 10), Fraction(1, 10**6)
ROUND = Approximate(TENTH, TINY)


@pytest.mark.parametrize(
    ("charge", "epsilon", "delta"),
    [
        (FREE, 0, 0),
        (ChargedEither(()), 0, 0),
        (ChargedRepeat(0, UnboundedLoss()), 0, 0),
        (ChargedRepeat(3, LaplaceLoss(Fraction(1, 3))), 1, 0),
        (ChargedRepeat(100, ROUND), 10, Fraction(1, 10**4)),
        (
            ChargedSequence((ROUND, ChargedEither((LaplaceLoss(Fraction(1)), ROUND)), BoundedRange(Fraction(2)))),
            Fraction(31, 10),
            2 * TINY,
        ),
        (Group(2, ChargedSequence((LaplaceLoss(TENTH), Group(3, LaplaceLoss(TENTH))))), Fraction(8, 10), 0),
    ],
)
def test_basic_pairs_are_exact(charge: Charge, epsilon: Fraction, delta: Fraction) -> None:
    found = pair(charge)
    assert found is not None and (found.epsilon, found.delta, found.rule) == (epsilon, delta, "basic")


@pytest.mark.parametrize(
    "charge", [UnboundedLoss(), ChargedSequence((ROUND, UnboundedLoss())), ChargedEither((ROUND, UnboundedLoss()))]
)
def test_nothing_is_said_of_what_is_unbounded(charge: Charge) -> None:
    assert pair(charge) is None
    assert guarantees(charge, Fraction(1, 2)) == ()


def test_gaussian_noise_has_no_pair_without_a_delta() -> None:
    charge = ChargedRepeat(100, GaussianLoss(TENTH))
    assert pair(charge) is None
    assert all(found.delta <= TINY for found in guarantees(charge, TINY))


def test_a_small_delta_leaves_nothing_for_what_needs_more() -> None:
    assert guarantees(ChargedRepeat(100, ROUND), 99 * TINY) == ()


@pytest.mark.parametrize(
    ("steps", "epsilon", "delta", "expected"), [(2, 1, "1e-6", 3.71828e-6), (3, 1, "1e-6", 1.110734e-5)]
)
def test_a_change_of_several_steps(steps: int, epsilon: int, delta: str, expected: float) -> None:
    found = pair(Group(steps, Approximate(Fraction(epsilon), Fraction(delta))))
    assert found is not None and found.epsilon == steps * epsilon
    assert float(found.delta) == pytest.approx(expected, rel=1e-5)


def test_two_ways_are_taken_in_the_better_order() -> None:
    found = pair(Joined(Approximate(Fraction(1), TINY), Approximate(Fraction(2), TINY)))
    assert found is not None and found.epsilon == 3
    assert float(found.delta) == pytest.approx(1e-6 * (1 + 2.718281828459), rel=1e-9)


def test_conditions_are_told() -> None:
    sampled = ChargedSample(Sampling.POISSON, Relation.ADD_REMOVE, Fraction(1, 100), 0, 0, LaplaceLoss(Fraction(1)))
    notes = {found.rule: found.note for found in guarantees(ChargedRepeat(2, sampled), TINY)}
    told = "noise is drawn from the real numbers; every row is drawn by a coin of its own; "
    told += "of neighbours one has a record more"
    assert notes["renyi"] == told
    assert notes["optimal"] == f"how much each round may spend does not depend on what was released; {told}"


def test_claims_end_with_the_whole_and_name_what_lies_inside() -> None:
    body = ChargedRepeat(2, GaussianLoss(Fraction(1)))
    sampled = ChargedSample(Sampling.POISSON, Relation.ADD_REMOVE, Fraction(1, 100), 0, 0, body)
    charge = ChargedSequence((LaplaceLoss(Fraction(1)), ChargedRepeat(3, sampled)))
    (basic,) = [found for found in guarantees(charge, TINY) if found.rule == "basic"]
    listed = claims(charge, basic)
    assert [type(claim.node).__name__ for claim in listed] == [
        "LaplaceLoss",
        "ChargedSample",
        "ChargedRepeat",
        "ChargedSequence",
    ]
    assert dict(listed[-1].numbers)["epsilon"] <= basic.epsilon
    (inside,) = listed[1].inside
    assert inside.epsilon in {found.epsilon for found in guarantees(body, inside.delta)}


@pytest.mark.parametrize("seeds", [range(0, 120), pytest.param(range(120, 1500), marks=pytest.mark.slow)])
def test_no_numbers_are_too_much(seeds: range) -> None:
    """Numbers from 1e-30 to 1e15: what is stated keeps to the δ that was asked for, and rests on claims."""
    for seed in seeds:
        choose = random.Random(seed)
        charge = extreme(choose, choose.randint(0, 3))
        delta = choose.choice([Fraction(0), size(choose, -220, -1), size(choose, -10, -2), Fraction(1, 2)])
        added = pair(charge)
        for found in guarantees(charge, delta):
            assert found.epsilon >= 0 and 0 <= found.delta <= delta, seed
            assert claims(charge, found)[-1].node is charge, seed
            if found.rule == "basic" and added is not None and added.delta <= delta:
                assert found.epsilon <= added.epsilon, seed


def size(choose: random.Random, low: float, high: float) -> Fraction:
    return Fraction(repr(10 ** choose.uniform(low, high)))


def extreme(choose: random.Random, depth: int) -> Charge:
    zero = choose.random() < 0.1
    match choose.choice("lgba" if depth == 0 else "lgbasssrrresspjk"):
        case "l":
            return LaplaceLoss(Fraction(0) if zero else size(choose, -30, 5))
        case "g":
            return GaussianLoss(Fraction(0) if zero else size(choose, -20, 4))
        case "b":
            return BoundedRange(Fraction(0) if zero else size(choose, -20, 5))
        case "a":
            delta = choose.choice([Fraction(0), size(choose, -40, -1)])
            return Approximate(Fraction(0) if zero else size(choose, -20, 5), delta)
        case "s":
            return ChargedSequence(tuple(extreme(choose, depth - 1) for _ in range(choose.randint(0, 4))))
        case "e":
            return ChargedEither(tuple(extreme(choose, depth - 1) for _ in range(choose.randint(0, 3))))
        case "r":
            return ChargedRepeat(choose.choice([0, 1, 3, 100, 10**4, 10**6, 10**9, 10**15]), extreme(choose, depth - 1))
        case "j":
            return Joined(extreme(choose, depth - 1), extreme(choose, depth - 1))
        case "k":
            return Group(choose.choice([1, 2, 3, 100, 10**6]), extreme(choose, depth - 1))
    draws = choose.choice([1, 2, 100, 10**5])
    rows = draws * choose.choice([1, 2, 1000, 10**7])
    scheme, relation = choose.choice(list(Sampling)), choose.choice(list(Relation))
    rate = Fraction(draws, rows)
    if scheme is Sampling.POISSON:
        rate = choose.choice([Fraction(0), Fraction(1), rate, size(choose, -15, 0)])
    return ChargedSample(scheme, relation, rate, draws, rows, extreme(choose, depth - 1))


def test_what_is_shared_is_priced_once() -> None:
    """A tree that would be 2^60 mechanisms long, and one that is 3,000 deep."""
    shared: Charge = LaplaceLoss(Fraction(1, 2**62))
    for _ in range(60):
        shared = ChargedSequence((shared, shared))
    deep: Charge = GaussianLoss(Fraction(1, 1000))
    for _ in range(3_000):
        deep = ChargedSequence((deep,))
    found = pair(shared)
    assert found is not None and found.epsilon == Fraction(1, 4)
    assert {one.rule for one in guarantees(shared, TINY)} >= {"basic", "renyi", "zcdp"}
    best, *_ = guarantees(deep, TINY)
    assert best.epsilon == guarantees(GaussianLoss(Fraction(1, 1000)), TINY)[0].epsilon


def test_equal_parts_are_one_part() -> None:
    """Parts that are written apart cost what a repetition of one costs, and their claims are about each of them."""

    def step() -> Charge:
        return ChargedSample(
            Sampling.POISSON,
            Relation.ADD_REMOVE,
            Fraction(1, 50),
            0,
            0,
            ChargedSequence((GaussianLoss(Fraction(1)),)),
        )

    apart = ChargedSequence(tuple(step() for _ in range(40)))
    found, repeated = guarantees(apart, TINY), guarantees(ChargedRepeat(40, step()), TINY)
    assert [one[:3] for one in found] == [one[:3] for one in repeated]
    assert [claim.node for claim in claims(apart, found[0])][:-1] == list(apart.parts)
    assert all(claim.node is part for claim, part in zip(claims(apart, found[0]), apart.parts, strict=False))
