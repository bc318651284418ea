"""What is released of different entries: a change that is spread over them tells no more than one that is in the entry
whose release tells most. Curves of noise on a grid, against the proof in :mod:`dp_lsp.infer.entries`."""

from __future__ import annotations

from itertools import product
from math import exp

import numpy as np
import pytest

EPSILONS = (0.0, 0.4, 0.8, 1.4)
_ERROR = 5e-4  # of the sums


def _losses(shift: float, normal: bool) -> tuple[np.ndarray, np.ndarray]:
    """The losses of noise of scale 1 that is moved by so much, and how likely each is."""
    step = 0.03
    at = np.arange(-12, 12, step) + step / 2
    size = (lambda x: x * x / 2) if normal else np.abs
    likely = np.exp(-size(at))
    return size(at - shift) - size(at), likely / likely.sum()


def delta(shifts: tuple[float, ...], epsilon: float, normal: bool = False) -> float:
    """The smallest δ for ε of noise that is added to each of two numbers."""
    (first, p), (second, q) = (_losses(shift, normal) for shift in shifts)
    losses = first[:, None] + second[None, :]
    return float((np.outer(p, q) * np.maximum(0, 1 - np.exp(epsilon - losses))).sum())


@pytest.mark.parametrize("normal", [False, True])
@pytest.mark.parametrize("costs", [(1.0, 1.0), (0.5, 1.5), (2.0, 0.7)])
def test_a_change_that_is_spread_tells_no_more(costs: tuple[float, float], normal: bool) -> None:
    corners = {epsilon: delta((max(costs), 0.0), epsilon, normal) for epsilon in EPSILONS}
    for share, epsilon in product((0.2, 0.5, 0.8), EPSILONS):
        rest = (1 - share**2) ** 0.5 if normal else 1 - share
        assert delta((costs[0] * share, costs[1] * rest), epsilon, normal) <= corners[epsilon] + _ERROR


def test_laplace_noise_tells_more_where_squares_add_up() -> None:
    assert delta((0.5**0.5, 0.5**0.5), 1.2) > delta((1.0, 0.0), 1.2) + 0.01


def test_noise_of_two_kinds_has_no_dearest_entry() -> None:
    """Each tells least where the other one tells most, so that no bound of both ends is one of what lies between."""
    assert delta((1.0, 0.0), 1.2) < exp(-8) < delta((1.0, 0.0), 1.2, normal=True)
