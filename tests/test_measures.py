"""What numeric measures state of charges: the rules for compositions, larger changes and samples."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dp_lsp.accounting.best import claims, guarantees, pair
from dp_lsp.accounting.charge import (
    FREE,
    Approximate,
    BoundedRange,
    Charge,
    Either,
    Gaussian,
    Group,
    Joined,
    Laplace,
    Relation,
    Repeat,
    Sampled,
    Scheme,
    Sequence,
    Unbounded,
)

TENTH, TINY = Fraction(1, 10), Fraction(1, 10**6)
ROUND = Approximate(TENTH, TINY)


@pytest.mark.parametrize(
    ("charge", "epsilon", "delta"),
    [
        (FREE, 0, 0),
        (Either(()), 0, 0),
        (Repeat(0, Unbounded()), 0, 0),
        (Repeat(3, Laplace(Fraction(1, 3))), 1, 0),
        (Repeat(100, ROUND), 10, Fraction(1, 10**4)),
        (
            Sequence((ROUND, Either((Laplace(Fraction(1)), ROUND)), BoundedRange(Fraction(2)))),
            Fraction(31, 10),
            2 * TINY,
        ),
        (Group(2, Sequence((Laplace(TENTH), Group(3, Laplace(TENTH))))), Fraction(8, 10), 0),
    ],
)
def test_basic_pairs_are_exact(charge: Charge, epsilon: Fraction, delta: Fraction) -> None:
    found = pair(charge)
    assert found is not None and (found.epsilon, found.delta, found.rule) == (epsilon, delta, "basic")


@pytest.mark.parametrize("charge", [Unbounded(), Sequence((ROUND, Unbounded())), Either((ROUND, Unbounded()))])
def test_nothing_is_said_of_what_is_unbounded(charge: Charge) -> None:
    assert pair(charge) is None
    assert guarantees(charge, Fraction(1, 2)) == ()


def test_gaussian_noise_has_no_pair_without_a_delta() -> None:
    charge = Repeat(100, Gaussian(TENTH))
    assert pair(charge) is None
    assert all(found.delta <= TINY for found in guarantees(charge, TINY))


def test_a_small_delta_leaves_nothing_for_what_needs_more() -> None:
    assert guarantees(Repeat(100, ROUND), 99 * TINY) == ()


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


def test_claims_end_with_the_whole_and_name_what_lies_inside() -> None:
    body = Repeat(2, Gaussian(Fraction(1)))
    sampled = Sampled(Scheme.POISSON, Relation.ADD_REMOVE, Fraction(1, 100), 0, 0, body)
    charge = Sequence((Laplace(Fraction(1)), Repeat(3, sampled)))
    (basic,) = [found for found in guarantees(charge, TINY) if found.rule == "basic"]
    listed = claims(charge, basic)
    assert [type(claim.node).__name__ for claim in listed] == ["Laplace", "Sampled", "Repeat", "Sequence"]
    assert dict(listed[-1].numbers)["epsilon"] <= basic.epsilon
    (inside,) = listed[1].inside
    assert inside in guarantees(body, inside.delta)
