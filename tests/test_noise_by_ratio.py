"""Noise for r on what moves by d costs ε·d/r: what is claimed, with symbols too, against what neighbours attain.

What is attained is computed here: the exact curve of Gaussian noise (Balle and Wang 2018, Theorem 8), and for samples
and rounds the densities themselves, drawn on a grid.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from dp_lsp.engine.check import Engine
from source_tree import ROOT

DEVIATIONS = 10
TRAINING = (ROOT / "fixtures" / "programs" / "dp_sgd.jl").read_text("utf-8")


def claimed(program: str, function: str, **numbers: float) -> tuple[float, float]:
    """(ε, δ) that a report states for the first parameter of a function, in numbers."""
    (found,) = (each for each in Engine().check(program).functions if each.name == function)
    names: dict[str, Any] = {name + "_": number for name, number in numbers.items()}
    names |= {name: getattr(math, name) for name in ("exp", "log", "sqrt", "tanh")}
    names |= {"Abs": abs, "Min": min, "Max": max, "rows": lambda _: numbers["rows"], "data": None}
    names["Piecewise"] = lambda *cases: next(number for number, holds in cases if holds)
    known = re.compile(rf"\b({'|'.join(numbers) or '(?!)'})\b(?!\()")  # `del` is no name in Python
    texts = (found.parameters[0].epsilon or "", found.parameters[0].delta or "")
    epsilon, delta = (eval(known.sub(r"\1_", text), names) for text in texts)  # formulas of our own
    return float(epsilon), float(delta)


def tail(x: float) -> float:
    return math.erfc(x / math.sqrt(2)) / 2


def attained(mu: float, epsilon: float) -> float:
    """The δ of Gaussian noise on what moves by ``mu`` deviations."""
    return tail(epsilon / mu - mu / 2) - math.exp(epsilon) * tail(epsilon / mu + mu / 2)


def deviations(epsilon: float, delta: float) -> float:
    """By how many deviations what the noise is made for moves."""
    return epsilon / math.sqrt(2 * math.log(1.25 / delta))


def composed(first: tuple[float, float], other: float, share: float, rounds: int, epsilon: float) -> float:
    """The δ at ε of rounds that each add noise of deviation 1 to one of the two numbers ``first`` with probability
    ``share``, else to ``other``: the losses of one round on a grid, convolved."""
    x = np.linspace(-DEVIATIONS, DEVIATIONS, 2**16)
    one, two, rest = (np.exp(-((x - at) ** 2) / 2) for at in (*first, other))
    p, q = share * one + (1 - share) * rest, share * two + (1 - share) * rest
    losses, chances = np.log(p / q), p / p.sum()
    step = max(np.abs(losses).max() / 2**14, 1e-12)
    places = np.floor(losses / step).astype(int)  # what is attained is not made larger
    size = 2 ** math.ceil(math.log2(rounds * (places.max() - places.min()) + 2))
    held = np.bincount(places - places.min(), chances, size)
    held = np.fft.irfft(np.fft.rfft(held) ** rounds, size)
    total = (np.arange(size) + rounds * places.min()) * step
    return float(np.sum(np.clip(held, 0, None) * np.clip(-np.expm1(epsilon - total), 0, None)))


@pytest.mark.parametrize("rounds", [1, 10])
def test_training_costs_a_batchth_of_the_noise(rounds: int) -> None:
    eps, delta, batch, rows = 0.5, 1e-5, 64, 640
    numbers = {"eps": eps, "del": delta, "b": batch, "rows": rows, "k": rounds, "s1": 1e-9}
    epsilon, lost = claimed(TRAINING, "train_dp", **numbers)
    share = batch / rows
    assert epsilon <= rounds * math.log1p(share * math.expm1(eps / batch)) * (1 + 1e-9)
    assert epsilon >= rounds * share * eps / batch
    far = deviations(eps, delta) / batch  # the noise is made for 2, which is how far a gradient of norm 1 moves
    worst = max(composed((far / 2, -far / 2), rest * far / 2, share, rounds, epsilon) for rest in (-1, 0, 1))
    assert worst <= lost
    too_small = epsilon / batch
    assert composed((far / 2, -far / 2), far / 2, share, rounds, too_small) > lost


NOISY = """\
noisy(x::Real, r::Static(), e::Static(), d::Static()) :: Priv() = gaussian_mechanism(r, e, d, x)
f(x::Real, r::Static(), e::Static(), d::Static()) :: Priv() = noisy({} * x, r, e, d)
"""


@pytest.mark.parametrize("delta", ["0.99", "0.5", "0.1", "1e-5", "1e-12"])
@pytest.mark.parametrize(("times", "epsilon"), [("0.5", "0.9"), ("1", "0.999"), ("2", "0.5"), ("20", "0.05")])
def test_gaussian_noise_keeps_its_delta_up_to_one(times: str, epsilon: str, delta: str) -> None:
    noisy = f"g(x::Real) :: Priv() = gaussian_mechanism(1, {epsilon}, {delta}, x)"
    stated = claimed(f"{noisy}\nf(x::Real) :: Priv() = g({times} * x)\n", "f")
    assert stated == (pytest.approx(float(times) * float(epsilon)), pytest.approx(float(delta)))
    assert attained(float(times) * deviations(float(epsilon), float(delta)), stated[0]) <= stated[1]


@pytest.mark.parametrize("delta", [0.3, 1e-2, 1e-6])
@pytest.mark.parametrize("times", ["0.5", "1.5", "3", "7"])
@pytest.mark.parametrize("made_for", [1.0, 1.5, 30.0])
def test_a_group_of_steps_with_symbols(times: str, made_for: float, delta: float) -> None:
    epsilon = 0.9
    stated = claimed(NOISY.format(times), "f", r=made_for, e=epsilon, d=delta)
    assert stated[0] == pytest.approx(epsilon * float(times) / made_for)
    assert attained(float(times) / made_for * deviations(epsilon, delta), stated[0]) <= stated[1]


def problem(body: str) -> str:
    (found,) = Engine().check(f"f(x::Real, eps::Static(), b::Static()) :: Priv() = {body}\n").problems
    return found.message


def test_too_little_noise_says_what_it_guarantees() -> None:
    assert problem("laplacian_mechanism(1, eps, 20 * x)").endswith("; against that change it gives ε = 20⋅eps")
    assert problem("laplacian_mechanism(b, eps, 2 * b * x)").endswith("; against that change it gives ε = 2⋅eps")
    assert problem("gaussian_mechanism(1, 0.5, 0.01, 2 * x)").endswith(
        "; against that change it gives ε = 1, δ = 1/100"
    )
    assert problem("gaussian_mechanism(1, eps, 0.01, 2 * x)").endswith("ε = 2⋅eps, δ = 1/100, where 2⋅eps ≤ 1")
    assert problem("above_threshold([t -> 2 * t], 0.5, x, 3)").endswith("; against that change it gives ε = 1")
    scores = "exponential_mechanism(1, 0.5, [1.0, 2.0], c -> c + 2 * x)"
    assert problem(scores).endswith("; against that change it gives ε = 1")


@pytest.mark.parametrize(
    "body",
    [
        "gaussian_mechanism(1, 0.5, 0.01, 2.5 * x)",
        "gaussian_mechanism(1, eps, 0.01, x * x)",
        "above_threshold([t -> t * t], 0.5, x, 3)",
    ],
)
def test_no_theorem_no_guarantee(body: str) -> None:
    """Gaussian noise beyond ε = 1 has another δ, and what else a mechanism is given is another matter."""
    assert "guaranteed" not in problem(body)


@pytest.mark.parametrize("numbers", ["1, -0.5", "-1, 0.5", "1, 0"])
def test_what_is_no_noise_guarantees_nothing(numbers: str) -> None:
    found = Engine().check(f"f(x::Real) :: Priv() = laplacian_mechanism({numbers}, 2 * x)\n").problems
    assert found and all("guaranteed" not in each.message for each in found)


@pytest.mark.parametrize("delta", [0.99, 0.5, 1e-2, 1e-5, 1e-12])
def test_the_exact_curve_confirms_what_is_guaranteed_nevertheless(delta: float) -> None:
    """ε = 3/4 and 1 with noise for 1 and ε = 1/2, at distances 1.5 and 2; at 20 it is no theorem, and false."""
    for times in (1.5, 2):
        assert attained(times * deviations(0.5, delta), times * 0.5) <= delta
    assert attained(20 * deviations(0.5, 1e-5), 10) > 1e-5
