"""Rényi, Gaussian and best figures against dp-accounting, on hundreds of random charges each, where it is installed."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from dp_lsp.accounting import renyi
from dp_lsp.accounting.best import claims, guarantees
from dp_lsp.accounting.charge import Charge, ChargedRepeat, ChargedSequence, Guarantee
from dp_lsp.mechanisms.arithmetic import FLOATS
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from golden import needs_library, poisson, stated

pytestmark = [
    pytest.mark.slow,
    needs_library,
]
COUNT = 1000


class Program(NamedTuple):
    """A charge, the library's event for it, how often each mechanism runs, and whether it samples."""

    charge: Charge
    event: Any
    losses: tuple[tuple[str, float, float, int], ...]
    samples: bool


def program(choose: random.Random, depth: int, kinds: str) -> Program:
    """Gaussian noise, Laplace noise and Poisson samples with Gaussian noise, as ``kinds`` says (g, l, s), composed."""
    import dp_accounting as library

    kind = choose.choice((*kinds, "+", "*", "*") if depth else kinds)
    if kind == "+":
        parts = [program(choose, depth - 1, kinds) for _ in range(choose.randint(2, 3))]
        losses = tuple(loss for part in parts for loss in part.losses)
        event = library.ComposedDpEvent([part.event for part in parts])
        charge = ChargedSequence(tuple(part.charge for part in parts))
        return Program(charge, event, losses, any(part.samples for part in parts))
    if kind == "*":
        once, count = program(choose, depth - 1, kinds), choose.randint(1, 12)
        losses = tuple((*loss[:3], loss[3] * count) for loss in once.losses)
        event = library.SelfComposedDpEvent(once.event, count)
        return Program(ChargedRepeat(count, once.charge), event, losses, once.samples)
    scale, rate = choose.choice((0.5, 1.0, 2.0, 4.0, 16.0)), choose.choice((1 / 128, 1 / 32, 1 / 8, 1 / 2))
    inverse = Fraction(1) / Fraction(scale)
    if kind == "l":
        return Program(LaplaceLoss(inverse), library.LaplaceDpEvent(scale), (("l", scale, 1.0, 1),), False)
    event = library.GaussianDpEvent(scale)
    if kind == "g":
        return Program(GaussianLoss(inverse), event, (("g", scale, 1.0, 1),), False)
    charge = poisson(Fraction(rate), GaussianLoss(inverse))
    return Program(charge, library.PoissonSampledDpEvent(rate, event), (("g", scale, rate, 1),), True)


def test_renyi_figures_at_one_order() -> None:
    from dp_accounting import rdp

    for seed in range(COUNT):
        choose = random.Random(seed)
        made = program(choose, 3, "gls")
        integer = made.samples or choose.random() < 0.3
        order = choose.randint(2, 64) if integer else choose.randint(33, 640) / 32
        delta = 10.0 ** -choose.randint(3, 9)
        asked = Guarantee(Fraction(0), Fraction(1), "renyi", (("order", Fraction(order)),))
        divergence = float(dict(claims(made.charge, asked)[-1].numbers)["epsilon"])
        ours = max(0.0, renyi.converted(FLOATS, divergence, order, delta))
        if delta**2 + math.expm1(-divergence) > 0:
            ours = 0.0
        theirs = rdp.RdpAccountant(orders=[order]).compose(made.event).get_epsilon(delta)
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-6), seed


def test_renyi_figures_at_the_best_order() -> None:
    """Of all orders, ours is no worse than theirs of some."""
    from dp_accounting import rdp

    for seed in range(0, COUNT, 10):
        made = program(random.Random(seed), 3, "gls")
        orders = [*range(2, 65)] if made.samples else [1 + i / 8 for i in range(1, 500)]
        theirs = rdp.RdpAccountant(orders=orders).compose(made.event).get_epsilon(1e-6)
        assert float(stated(made.charge, "1e-6", "renyi")) <= theirs * (1 + 1e-9), seed


def test_gaussian_figures() -> None:
    """The library's exact δ at our ε is the one asked for."""
    from dp_accounting.pld import privacy_loss_mechanism as mechanisms

    for seed in range(COUNT):
        choose = random.Random(seed)
        made = program(choose, 3, "g")
        delta = Fraction(10) ** -choose.randint(2, 9)
        deviation = 1 / math.sqrt(sum(count / scale**2 for _, scale, _, count in made.losses))
        epsilon = float(stated(made.charge, delta, "gaussian"))
        there = mechanisms.GaussianPrivacyLoss(deviation).get_delta_for_epsilon(epsilon)
        if epsilon:
            assert there == pytest.approx(float(delta), rel=1e-6), seed
            above = mechanisms.GaussianPrivacyLoss(deviation).get_delta_for_epsilon(epsilon * (1 - 1e-6))
            assert above > float(delta), seed
        else:
            assert there <= float(delta), seed


def test_no_figure_is_below_the_exact_one() -> None:
    """The library's distributions, rounded down, are below ours; rounded up, they are hardly above."""
    from dp_accounting.pld import privacy_loss_distribution as distributions

    def epsilon(made: Program, pessimistic: bool, delta: float) -> float:
        settings = {"value_discretization_interval": 1e-2, "pessimistic_estimate": pessimistic}
        total = None
        for kind, scale, rate, count in made.losses:
            one = (
                distributions.from_laplace_mechanism(scale, use_connect_dots=False, **settings)
                if kind == "l"
                else distributions.from_gaussian_mechanism(
                    scale, sampling_prob=rate, use_connect_dots=False, **settings
                )
            )
            several = one.self_compose(count)
            total = several if total is None else total.compose(several)
        assert total is not None
        return float(total.get_epsilon_for_delta(delta))

    for seed in range(0, COUNT, 5):
        choose = random.Random(seed)
        made = program(choose, 2, "gls")
        delta = 10.0 ** -choose.randint(3, 8)
        best, *_ = guarantees(made.charge, Fraction(delta))
        assert float(best.epsilon) >= epsilon(made, False, delta) - 1e-6, (seed, best)
