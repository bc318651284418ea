"""No measure is ever below the exact value: random charges of discrete mechanisms, whose outcomes are enumerated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

from attack.charges import Refutation, refutations
from dp_lsp.accounting import approximate, best, renyi
from dp_lsp.accounting.charge import Charge, Guarantee, NumericMeasure
from dp_lsp.mechanisms import mechanism as theorems
from dp_lsp.mechanisms import selection
from dp_lsp.mechanisms.mechanism import Pair


def said(seeds: range) -> Iterator[tuple[int, Refutation]]:
    return ((seed, found) for seed in seeds for found in refutations(seed))


def test_no_guarantee_is_refuted() -> None:
    assert list(said(range(50))) == []


@pytest.mark.slow
def test_no_guarantee_of_several_hundred_is_refuted() -> None:
    assert list(said(range(50, 250))) == []


@pytest.mark.parametrize(
    ("measure", "share"),
    [
        (approximate.NumericBasic, "0.97"),
        (approximate.Optimal, "0.97"),
        (approximate.NumericAdvanced, "0.97"),
        (renyi.Renyi, "0.9"),
        (renyi.ZeroConcentrated, "0.6"),
    ],
)
def test_a_measure_that_states_too_little_is_refuted(
    monkeypatch: pytest.MonkeyPatch, measure: type[NumericMeasure], share: str
) -> None:
    sound = measure.guarantee

    def less(self: NumericMeasure, charge: Charge, delta: Fraction) -> Guarantee | None:
        found = sound(self, charge, delta)
        return found and found._replace(epsilon=found.epsilon * Fraction(share))

    monkeypatch.setattr(measure, "guarantee", less)
    rules = {found.guarantee.rule for _, found in islice(said(range(300)), 12)}
    assert measure.rule in rules


def unpaid(count: Any, deltas: Any) -> Fraction:
    return max(deltas, default=Fraction(0))


def halved(function: Callable[..., Any]) -> Callable[..., Any]:
    def half(*given: Any) -> Any:
        found = function(*given)
        return Pair(found.epsilon / 2, found.delta) if isinstance(found, Pair) else found / 2

    return half


@pytest.mark.parametrize(
    ("modules", "name", "wrong"),
    [
        pytest.param([theorems], "amplified_epsilon", halved(theorems.amplified_epsilon), id="amplification"),
        pytest.param([theorems], "redrawn", halved(theorems.redrawn), id="with replacement"),
        pytest.param([selection, approximate], "group", lambda count, pair, steps: pair, id="steps"),
        pytest.param([theorems.InNumbers], "failing", unpaid, id="failures"),
        pytest.param(
            [theorems.InNumbers], "failing_repeatedly", lambda count, delta, times: delta, id="repeated failures"
        ),
        pytest.param([approximate], "_dominating", lambda first, second: second, id="alternatives"),
        pytest.param([approximate], "_weight", halved(approximate._weight), id="weights"),
    ],
)
def test_a_wrong_rule_is_refuted(
    monkeypatch: pytest.MonkeyPatch, modules: list[Any], name: str, wrong: Callable[..., Any]
) -> None:
    for module in modules:
        monkeypatch.setattr(module, name, wrong)
    assert next(said(range(400)), None) is not None


def test_the_alternatives_of_a_search_are_all_asked() -> None:
    assert {measure.rule for measure in best.MEASURES} >= {"basic", "advanced", "optimal", "zcdp", "renyi", "gaussian"}
