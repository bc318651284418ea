"""Privacy loss distributions: of which charges they are known, and the process that computes them."""

from __future__ import annotations

import sys
import threading
import time
from fractions import Fraction

import pytest

from dp_lsp.accounting import pld
from dp_lsp.accounting.charge import (
    FREE,
    Charge,
    ChargedEither,
    ChargedRepeat,
    ChargedSequence,
    Group,
    Joined,
    Relation,
    Sampling,
)
from dp_lsp.accounting.pld import can_answer, measured
from dp_lsp.mechanisms.mechanism import UnboundedLoss
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate, BoundedRange
from golden import agrees, drawn, poisson, stated

ONE, TINY = Fraction(1), Fraction(1, 10**6)


@pytest.mark.parametrize(
    "charge",
    [
        UnboundedLoss(),
        ChargedEither((LaplaceLoss(ONE), GaussianLoss(ONE))),
        Joined(LaplaceLoss(ONE), LaplaceLoss(ONE)),
        poisson("1/10", ChargedSequence((LaplaceLoss(ONE), GaussianLoss(ONE)))),
        poisson("1/10", poisson("1/10", LaplaceLoss(ONE))),
        drawn(2, 10, poisson("1/10", LaplaceLoss(ONE)), Sampling.WITH_REPLACEMENT),
        drawn(200, 100, ChargedSequence((LaplaceLoss(ONE), GaussianLoss(ONE))), Sampling.WITH_REPLACEMENT),
        poisson("1/10", ChargedSequence((LaplaceLoss(ONE), GaussianLoss(ONE))), Relation.CHANGE_ONE),
        Group(2, poisson("1/10", GaussianLoss(ONE), Relation.CHANGE_ONE)),
        Group(2, poisson("1/10", GaussianLoss(ONE))),
    ],
)
def test_nothing_is_asked_of_what_has_no_dominating_pair(charge: Charge) -> None:
    assert not can_answer(charge, TINY) and measured(charge, TINY) is None


@pytest.mark.parametrize(
    ("charge", "same"),
    [
        (ChargedEither((LaplaceLoss(ONE), ChargedSequence((LaplaceLoss(ONE),)))), LaplaceLoss(ONE)),
        (Group(2, LaplaceLoss(ONE)), LaplaceLoss(ONE * 2)),
        (Group(2, ChargedRepeat(3, GaussianLoss(ONE))), ChargedRepeat(3, GaussianLoss(ONE * 2))),
        (poisson("1/10", ChargedRepeat(4, GaussianLoss(ONE))), poisson("1/10", GaussianLoss(ONE * 2))),
        (poisson("1", LaplaceLoss(ONE)), LaplaceLoss(ONE)),
        (poisson("0", LaplaceLoss(ONE)), FREE),
        (poisson("1", LaplaceLoss(ONE), Relation.CHANGE_ONE), LaplaceLoss(ONE * 2)),
        (drawn(7, 7, LaplaceLoss(ONE)), LaplaceLoss(ONE)),
        (drawn(3, 1, LaplaceLoss(ONE), Sampling.WITH_REPLACEMENT), LaplaceLoss(ONE * 3)),
    ],
)
def test_what_costs_the_same_has_one_answer(charge: Charge, same: Charge) -> None:
    found, other = measured(charge, TINY), measured(same, TINY)
    assert found is not None and other is not None and found.epsilon == other.epsilon


@pytest.mark.parametrize(
    ("charge", "rule", "least"),
    [
        (
            ChargedSequence((ChargedRepeat(10, LaplaceLoss(Fraction(1, 10))), GaussianLoss(Fraction(1, 2)))),
            "renyi",
            "0.8",
        ),
        (ChargedRepeat(20, Approximate(Fraction(1, 10), Fraction(1, 10**8))), "optimal", "0.9999999"),
        (ChargedRepeat(50, poisson("1/20", GaussianLoss(ONE))), "renyi", "0.8"),
        (ChargedRepeat(10, BoundedRange(Fraction(1, 5))), "optimal", "0.7"),
        (ChargedRepeat(10, drawn(500, 1000, GaussianLoss(ONE))), "renyi", "0.6"),
        (ChargedRepeat(10, poisson("1/2", GaussianLoss(ONE), Relation.CHANGE_ONE)), "renyi", "0.3"),
        (
            ChargedRepeat(100, drawn(10, 1000, GaussianLoss(ONE / 2), Sampling.WITH_REPLACEMENT)),
            "optimal",
            "0.05",
        ),
    ],
)
def test_answers_are_smaller_than_those_of_other_rules(charge: Charge, rule: str, least: str) -> None:
    found, ours = measured(charge, TINY), stated(charge, TINY, rule)
    assert found is not None and found.rule == "pld" and "no certificate" in found.note
    assert Fraction(least) * ours <= found.epsilon <= ours * Fraction(1000001, 1000000)


def test_gaussian_noise_agrees_with_its_exact_curve() -> None:
    found = measured(ChargedRepeat(100, GaussianLoss(Fraction("0.018872188"))), Fraction("1.01e-4"))
    assert found is not None and agrees(found.epsilon, ".563000", units="1")


def test_nothing_costs_nothing() -> None:
    free = measured(FREE, TINY)
    assert free is not None and free.epsilon == 0


def test_what_fails_more_often_than_it_may_has_no_answer() -> None:
    assert measured(ChargedRepeat(20, Approximate(ONE, TINY / 10)), TINY) is None


def test_what_holds_beside_is_said() -> None:
    found = measured(poisson("1/10", LaplaceLoss(ONE)), TINY)
    assert found is not None and "every row is drawn by a coin of its own" in found.note
    assert "noise is drawn from the real numbers" in found.note


def test_a_process_that_is_stopped_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pld, "_RUN", "import time; time.sleep(600)")
    asked = pld.AskedDistribution([pld.Question(LaplaceLoss(ONE), TINY)])
    threading.Timer(0.2, asked.cancel).start()
    assert asked.answers() == (None,)


def test_a_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pld, "_RUN", "import time; time.sleep(600)")
    asked = pld.AskedDistribution([pld.Question(LaplaceLoss(ONE), TINY)])
    began = time.monotonic()
    assert asked.answers(timeout=0.2) == (None,)
    assert time.monotonic() - began < 300
    assert asked._process.returncode is not None


@pytest.mark.parametrize(
    "program", ["raise SystemExit(3)", "print('{}')", "print('no JSON')", "print('{\"epsilon\": 1}')"]
)
def test_a_process_that_fails_has_no_answer(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(pld, "_RUN", program)
    assert pld.AskedDistribution([pld.Question(LaplaceLoss(ONE), TINY)]).answers() == (None,)


def test_pricing_loads_no_library() -> None:
    """Nothing but the standard library is loaded by a measure, distributions included."""
    import subprocess

    program = (
        "import sys; from fractions import Fraction as F\n"
        "from dp_lsp.accounting import best, charge, pld\n"
        "from dp_lsp.mechanisms import noise\n"
        "best.guarantees(charge.ChargedRepeat(9, noise.GaussianLoss(F(1, 9))), F(1, 9**6))\n"
        "pld.measured(charge.ChargedRepeat(9, noise.LaplaceLoss(F(1, 9))), F(1, 9**6))\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(loaded & {'numpy', 'scipy', 'mpmath', 'dp_accounting'}))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
