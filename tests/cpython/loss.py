"""What is paid for what two runs observed: how much likelier one of them is than the other, at most.

Both runs were told the same numbers, so a run's draws ``z`` solve ``A z = told - beside``, with one row for a sum that
was observed. If both have the same ``A`` in units of the scales, those of the second are those of the first shifted by
a solution of ``A s = beside - beside'``. Laplace noise then costs the least ``Σ|s|``, to which the ratio of the
densities tends far out; normal noise is one normal number with ``μ`` the least ``‖s‖₂``. Without a solution the runs
are told apart by what has no noise in it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .noise import Draw, Observed, World

MOST = 3_000


class Loss(NamedTuple):
    """``laplace`` is a pure ε, ``mu`` that of normal noise; ``apart`` says why the runs are told apart for sure.
    ``sides`` is how many draws of Laplace noise must fall on one side for it."""

    laplace: float = 0.0
    mu: float = 0.0
    sides: int = 0
    apart: str = ""

    def delta(self, epsilon: float) -> float:
        """At least how large δ is at an ε."""
        if self.apart:
            return 1.0
        found = 0.0
        if self.laplace > epsilon * (1 + 1e-7) + 1e-9:
            found = 2.0**-self.sides * -math.expm1(epsilon - self.laplace)
        return max(found, _normal_delta(self.mu, epsilon)) if self.mu else found


def _normal_delta(mu: float, epsilon: float) -> float:
    def below(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    if epsilon > 600:
        return 0.0
    return max(0.0, below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu) - 1e-12)


def loss(one: World, other: World, in_order: bool = False) -> Loss:
    """What is paid for two runs. Sums of the same draws are the same observation, or those that are made in the same
    order."""
    ones, others = one.observed, other.observed
    if len(ones) != len(others):
        return Loss(apart="one of them observes more noise")
    if not in_order:
        ones, others = (sorted(each, key=lambda seen: sorted(seen.factors.items())) for each in (ones, others))
        if [each.noise for each in ones] != [each.noise for each in others]:
            return Loss(apart="they observe other noise")
    columns, kinds = _columns(one, ones)
    other_columns, other_kinds = _columns(other, others)
    same = kinds == other_kinds and columns.shape == other_columns.shape
    if not same or not np.allclose(columns, other_columns, rtol=1e-9, atol=0, equal_nan=True):
        return Loss(apart="the noise has another scale or kind")
    moved = np.array([_moved(a, b) for a, b in zip(ones, others, strict=True)], dtype=float)
    finite = np.isfinite(columns).all(axis=1)  # noise of an infinite scale hides whatever is beside it
    columns, moved = columns[finite], moved[finite]
    if not len(moved):
        return Loss()
    if not np.isfinite(moved).all():
        return Loss(apart="what is beside the noise is no number in one of them")
    return _solved(columns, moved, kinds)


def _moved(one: Observed, other: Observed) -> float:
    a, b = float(one.beside), float(other.beside)
    if math.isfinite(a) and math.isfinite(b):
        return a - b
    return 0.0 if repr(a) == repr(b) else math.inf


def _columns(world: World, observed: Sequence[Observed]) -> tuple[np.ndarray, list[Draw]]:
    """The sums that were observed, a row each; a draw is a column, in units of its scale, and with the sign with which
    it is first observed."""
    order: dict[int, int] = {}
    for each in observed:
        for place in sorted(each.factors):
            order.setdefault(place, len(order))
    found = np.zeros((len(observed), len(order)))
    for row, each in enumerate(observed):
        for place, factor in each.factors.items():
            found[row, order[place]] = factor
    if found.size:
        first = found[(found != 0).argmax(axis=0), range(found.shape[1])]
        found = found * np.sign(first)
    kinds = [world.draws[place]._replace(drawn=0.0) for place in order]
    return found, kinds


def _solved(columns: np.ndarray, moved: np.ndarray, kinds: Sequence[Draw]) -> Loss:
    norms = np.array([np.linalg.norm(each) or 1.0 for each in columns.T])
    shift, _, rank, _ = np.linalg.lstsq(columns / norms, moved, rcond=1e-11) if len(kinds) else (np.zeros(0), 0, 0, 0)
    size = max(1.0, float(np.abs(moved).max()))
    if np.abs((columns / norms) @ shift - moved).max() > 1e-7 * size:
        return Loss(apart="the same noise hides two things that move differently, or nothing hides one")
    shift = shift / norms
    normal = np.array([each.kind == "normal" for each in kinds], dtype=bool)
    if rank < len(kinds):
        if normal.any():
            return Loss(mu=float(np.linalg.norm(shift))) if normal.all() and not any(k.whole for k in kinds) else Loss()
        if any(each.whole for each in kinds):
            return Loss()
        found = _least(columns, moved, rank)
        return Loss(found, sides=0 if found == 0 else rank)
    if any(each.whole and abs(s - round(s)) > 1e-7 for each, s in zip(kinds, shift, strict=True)):
        return Loss(apart="noise in whole numbers beside what moves by less")
    paid = np.array([abs(s) / each.scale for s, each in zip(shift, kinds, strict=True)])
    sides = int((paid[~normal] > 0).sum())
    return Loss(float(paid[~normal].sum()), float(np.linalg.norm(paid[normal])), sides)


def _least(columns: np.ndarray, moved: np.ndarray, rank: int) -> float:
    """The least Σ|s| of all solutions, which one has that uses no more columns than there must be. 0 if there are too
    many to look at."""
    count = columns.shape[1]
    if math.comb(count, rank) > MOST:
        return 0.0
    best = math.inf
    for chosen in itertools.combinations(range(count), rank):
        part = columns[:, chosen]
        shift, _, own, _ = np.linalg.lstsq(part, moved, rcond=1e-11)
        if own == rank and np.abs(part @ shift - moved).max() <= 1e-7 * max(1.0, float(np.abs(moved).max())):
            best = min(best, float(np.abs(shift).sum()))
    return best if math.isfinite(best) else 0.0
