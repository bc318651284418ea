"""Privacy loss distributions: what is asked of the library, in a process that can be stopped, and what is not."""

from __future__ import annotations

import sys
import threading
import time
from fractions import Fraction

import pytest

from dp_lsp.accounting import pld
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
    Repeat,
    Sequence,
    Unbounded,
)
from dp_lsp.accounting.pld import Loss, losses
from golden import agrees, drawn, poisson, stated

ONE, TINY = Fraction(1), Fraction(1, 10**6)
needs_library = pytest.mark.skipif(
    not pld.installed(), reason="dp-accounting is not installed (from Python 3.13 on it has no numpy)"
)


def test_losses_are_counted() -> None:
    step = Sequence((Laplace(Fraction(1, 2)), Group(2, Gaussian(Fraction(1, 3))), BoundedRange(ONE)))
    found = losses(Sequence((Repeat(3, step), poisson("1/10", Repeat(2, Gaussian(ONE))), Group(2, Laplace(ONE)))))
    assert found == {
        Loss("laplace", Fraction(1, 2), ONE): 3,
        Loss("gaussian", Fraction(4, 9), ONE): 3,
        Loss("pair", ONE, Fraction(0)): 3,
        Loss("gaussian", Fraction(2), Fraction(1, 10)): 1,
        Loss("laplace", Fraction(2), ONE): 1,
    }


@pytest.mark.parametrize(
    "charge",
    [
        Unbounded(),
        Either((Laplace(ONE), Gaussian(ONE))),
        Joined(Laplace(ONE), Laplace(ONE)),
        drawn(1, 10, Gaussian(ONE)),
        poisson("1/10", Laplace(ONE)),
        Group(2, poisson("1/10", Gaussian(ONE))),
    ],
)
def test_nothing_is_asked_of_what_has_no_dominating_pair(charge: Charge) -> None:
    assert losses(charge) is None
    assert pld.ask(charge, TINY) is None


def test_alternatives_that_cost_the_same_are_one() -> None:
    assert losses(Either((Laplace(ONE), Sequence((Laplace(ONE),))))) == {Loss("laplace", ONE, ONE): 1}


@needs_library
@pytest.mark.parametrize(
    ("charge", "rule", "least"),
    [
        (Sequence((Repeat(10, Laplace(Fraction(1, 10))), Gaussian(Fraction(1, 2)))), "renyi", "0.8"),
        (Repeat(20, Approximate(Fraction(1, 10), Fraction(1, 10**8))), "optimal", "0.99"),
        (Repeat(50, poisson("1/20", Gaussian(ONE))), "renyi", "0.8"),
        (Repeat(10, BoundedRange(Fraction(1, 5))), "optimal", "0.99"),
    ],
)
def test_answers_are_a_little_smaller_than_ours(charge: Charge, rule: str, least: str) -> None:
    found, ours = pld.ask(charge, TINY), stated(charge, TINY, rule)
    assert found is not None and found.rule == "pld" and "no certificate" in found.note
    assert Fraction(least) * ours <= found.epsilon <= ours * Fraction(1001, 1000)


@needs_library
def test_gaussian_noise_agrees_with_its_exact_curve() -> None:
    found = pld.ask(Repeat(100, Gaussian(Fraction("0.018872188"))), Fraction("1.01e-4"))
    assert found is not None and agrees(found.epsilon, ".563000", units="5")
    assert found.epsilon >= stated(Repeat(100, Gaussian(Fraction("0.018872188"))), "1.01e-4", "gaussian") - TINY


@needs_library
def test_pure_losses_cost_nothing_more_than_their_sum() -> None:
    found = pld.ask(Laplace(ONE), Fraction(1, 10**12))
    assert found is not None and found.epsilon == pytest.approx(1, abs=1e-3)
    free = pld.ask(FREE, TINY)
    assert free is not None and free.epsilon == 0


def test_a_process_that_is_stopped_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pld, "_RUN", "import time; time.sleep(600)")
    asked = pld.Asked([pld.Question(Laplace(ONE), TINY)])
    threading.Timer(0.2, asked.cancel).start()
    assert asked.answers() == (None,)


def test_a_process_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pld, "_RUN", "import time; time.sleep(600)")
    asked = pld.Asked([pld.Question(Laplace(ONE), TINY)])
    began = time.monotonic()
    assert asked.answers(timeout=0.2) == (None,)
    assert time.monotonic() - began < 300
    assert asked._process.returncode is not None


@pytest.mark.parametrize(
    "program", ["raise SystemExit(3)", "print('{}')", "print('no JSON')", "print('{\"epsilon\": 1}')"]
)
def test_a_process_that_fails_has_no_answer(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(pld, "_RUN", program)
    assert pld.Asked([pld.Question(Laplace(ONE), TINY)]).answers() == (None,)


def test_pricing_loads_no_library() -> None:
    """Nothing but the standard library is loaded by a measure."""
    import subprocess

    program = (
        "import sys; from fractions import Fraction as F\n"
        "from dp_lsp.accounting import best, charge, pld\n"
        "best.guarantees(charge.Repeat(9, charge.Gaussian(F(1, 9))), F(1, 9**6)); pld.installed()\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(loaded & {'numpy', 'scipy', 'mpmath', 'dp_accounting'}))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
