"""Conditions are needed: what is claimed without one of them is refuted by a function that people might write."""

from __future__ import annotations

import pytest

from attack.conditions import PROGRAMS, SEEDS, conditions, refuted, refuted_by
from attack.sampled import SAMPLES, conditions_of_samples, refuted_by_sample


def test_each_condition_has_a_seed_or_a_program() -> None:
    assert [each.what for each in conditions()] == [*SEEDS, *PROGRAMS]
    assert [each.what for each in conditions_of_samples()] == [*SAMPLES]


@pytest.mark.parametrize("what", SEEDS)
def test_what_is_claimed_without_a_condition_is_refuted(what: str) -> None:
    (rule,) = (each for each in conditions() if each.what == what)
    assert refuted(rule, SEEDS[what], 1) is not None


@pytest.mark.parametrize("seed", sorted(set(SEEDS.values())))
def test_what_is_claimed_with_all_conditions_is_not(seed: int) -> None:
    assert refuted(None, seed, 1) is None


@pytest.mark.parametrize("what", PROGRAMS)
def test_a_program_is_refuted_only_without_its_condition(what: str) -> None:
    (rule,) = (each for each in conditions() if each.what == what)
    assert refuted_by(rule, PROGRAMS[what]) is not None
    assert refuted_by(None, PROGRAMS[what]) is None


@pytest.mark.parametrize("what", SAMPLES)
def test_neighbouring_samples_are_further_apart_only_without_a_condition(what: str) -> None:
    (rule,) = (each for each in conditions_of_samples() if each.what == what)
    assert refuted_by_sample(rule, SAMPLES[what])
    assert not refuted_by_sample(None, SAMPLES[what])
