"""Mechanisms that select, as they are run: their outcomes, what they cost, and what is refuted of cheaper ones."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from attack.private import PrivateTarget, private_targets
from attack.rules import broken_rules
from attack.runs import PROGRAMS, attacked
from dp_lsp.builtins.meanings import Value, array
from dp_lsp.builtins.randomness import RANDOM, Distribution, DrawnNoise, Pick
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.privacy import PrivacyClaim

ENGINE = Engine()


class Script:
    """A chance that picks what it is told to, and writes down what it is asked."""

    def __init__(self, place: int = 0) -> None:
        self.place = place
        self.asked: list[Distribution] = []

    def released(self, distribution: Distribution) -> Value:
        self.asked.append(distribution)
        return distribution.values[self.place] if isinstance(distribution, Pick) else distribution.centre

    def drawn(self, ways: Any) -> Any:
        raise AssertionError("nothing is drawn")


def outcomes(name: str, *args: Value) -> dict[tuple[Any, ...], float]:
    """What a row may select, with the probabilities."""
    chance = Script()
    RANDOM[name](chance, *args)
    (pick,) = (each for each in chance.asked if isinstance(each, Pick))
    values = (tuple(value) if hasattr(value, "shape") else (value,) for value in pick.values)
    return {value: math.exp(log) for value, log in zip(values, pick.logs, strict=True)}


def queries(*answers: float) -> Any:
    return array([lambda _, answer=answer: Fraction(answer) for answer in answers])


def test_as_many_queries_are_found_as_may_be() -> None:
    found = outcomes("sparse_vector", queries(0, 1, -1, 2), 2, 1, 0, 0)
    assert set(found) == {each for each in product((True, False), repeat=4) if sum(each) <= 2}
    assert math.isclose(sum(found.values()), 1, rel_tol=1e-9)


def test_one_query_is_found_as_by_above_threshold() -> None:
    first = outcomes("above_threshold", queries(0, 3, -1), 1, 0, 1)
    sparse = outcomes("sparse_vector", queries(0, 3, -1), 1, 1, 0, 1)
    for (place,), likely in first.items():
        assert math.isclose(likely, sparse[tuple(k == place for k in (1, 2, 3))], rel_tol=1e-9)


def test_far_above_and_far_below_are_found_for_certain() -> None:
    found = outcomes("sparse_vector", queries(900, -900, 900, 900), 2, 1, 0, 0)
    assert math.isclose(found[True, False, True, False], 1, rel_tol=1e-9)


def test_what_is_above_is_answered_by_new_noise() -> None:
    chance = Script()
    above, answers = RANDOM["numeric_sparse"](chance, queries(5, 6, 7), 2, 1, Fraction(1, 4), 0, 0)
    noise = [each for each in chance.asked if isinstance(each, DrawnNoise)]
    assert list(above) == [True, True, False] and list(answers) == [5, 6, 0]
    assert [(each.centre, each.scale, each.normal) for each in noise] == [(5, 4, False), (6, 4, False)]


def test_a_quantile_is_chosen_by_its_score() -> None:
    data, candidates = array(map(Fraction, (1, 2, 3))), array(map(Fraction, (0, 2, 9)))
    found = outcomes("private_quantile", Fraction(1, 2), 2, data, Fraction(1, 2), candidates)
    weights = {(Fraction(c),): math.exp(2 * score) for c, score in ((0, -1.5), (2, 0), (9, -1.5))}
    assert found == pytest.approx({c: weight / sum(weights.values()) for c, weight in weights.items()})


SPARSE = "f(x::Real) :: Priv() = sparse_vector([{}], {}, 2, x, 0)"
NUMERIC = "f(x::Real) :: Priv() = numeric_sparse([{}], {}, 2, 1, x, 0)"
MIXED = "y -> -y, y -> -y, y -> -y, y -> -y, y -> -y, y -> y"


def of(text: str) -> PrivateTarget:
    return next(private_targets(text, engine=ENGINE))


def halved(claim: PrivacyClaim) -> PrivacyClaim:
    return claim._replace(epsilon=claim.epsilon / 2)


@pytest.mark.parametrize(
    "text",
    [
        SPARSE.format(MIXED, 1),
        SPARSE.format(MIXED, 2),
        SPARSE.format("y -> y, y -> y, y -> y, y -> 0", 1),
        NUMERIC.format("y -> y, y -> -y", 1),
        "f(v::MetricVector(Real, Symmetric)) :: Priv() = private_quantile(0.5, 2, v, 0.5, [-1, 0, 1, 2])",
        "f(v::MetricVector(Real, ChangeOne)) :: Priv() = private_quantile(1, 2, v, 0.3, [-1, 0, 1, 2])",
        "f(v::MetricVector(Real, Symmetric)) :: Priv() = exponential_mechanism(1, 2, [1, 2], histogram(v, [-9, 0, 9]))",
        "f(v::MetricVector(Real, Symmetric)) :: Priv() = report_noisy_max(1, 2, histogram(v, [-9, 0, 9]))",
        "f(v::MetricVector(Real, ChangeOne)) :: Priv() = report_noisy_max(1, 2, histogram(v, [-9, 0, 9]))",
    ],
)
def test_what_is_claimed_is_not_refuted_and_less_would_be(text: str) -> None:
    """Half of what is claimed is refuted, and what is claimed is not."""
    for weakened, refuted in ((None, False), (halved, True)):
        more = {} if weakened is None else {"weakened": weakened}
        found = of(text).attacked(random.Random(text), 3, 40, **more)
        assert found is not None and found.tries and (found.breach is not None) is refuted


CAPPED = """\
f(v::MetricVector(Real, Symmetric, Contributes(2))) :: Priv() =
    exponential_mechanism(1, 4, [-1.0, 1.0], c -> clamp(count(x -> x * c > 0, v), 0, 1) + 5 * c)"""


def test_two_records_may_move_scores_apart() -> None:
    """One goes, and another comes: no score moves by more than 1, and two of them move apart by 2."""
    found = of(CAPPED).attacked(random.Random(0), 2, 200, halved)
    assert found is not None and found.breach is not None
    found = of(CAPPED).attacked(random.Random(0), 2, 200)
    assert found is not None and found.breach is None


def test_no_random_selection_is_refuted() -> None:
    found = attacked(PROGRAMS["selections"], 0, 60, "sound", tell=False)
    assert found.bad == 0, found.text


APART = """\
f(v::MetricVector(Real, Symmetric)) :: Priv() =
    exponential_mechanism(1, 4, [-1.0, 1.0], c -> c > 0 ? length(v) : 3 - length(v))"""


def test_a_selection_that_is_too_cheap_is_refuted() -> None:
    """What rises and what falls taken for the same."""
    (wrong,) = (rule for rule in broken_rules() if rule.what == "ways, what falls rises")
    with wrong.in_place():
        (target,) = private_targets(APART, engine=Engine())
    found = target.attacked(random.Random(0), 2, 40)
    assert found is not None and found.breach is not None
    found = of(APART).attacked(random.Random(0), 2, 40)
    assert found is not None and found.breach is None
