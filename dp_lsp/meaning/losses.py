"""How well a run on one input is told from a run on another, exactly: distributions of the privacy loss.

A pair of runs is given by what their mechanisms hide in each. What is returned is a number that the best test reaches;
where numbers are rounded, it is a smaller one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dp_lsp.builtins.randomness import Distribution, Noise, Pick

_CELLS = 3_000  # of the range of losses
_LARGE = 700.0  # an ε for which nothing is looked for


def delta_of(before: Sequence[Distribution], after: Sequence[Distribution], epsilon: float) -> float:
    """The smallest δ for which mechanisms that are run one after the other, none of which depends on what the others
    release, are (ε, δ)-private for these two inputs, in this direction. ``before`` and ``after`` are of one form."""
    import numpy as np

    variance, pieces, most = 0.0, list[_Piece](), 0.0
    laplace: dict[float, _Piece] = {}
    for one, other in zip(before, after, strict=True):
        if isinstance(one, Noise) and isinstance(other, Noise):
            shifts = [abs(float(a - b)) / float(one.scale) for a, b in zip(one.entries, other.entries, strict=True)]
            if one.normal:
                variance += sum(shift * shift for shift in shifts)
            else:
                pieces += [laplace.setdefault(shift, _laplace(shift)) for shift in shifts if shift]
                most += sum(shifts)
        elif isinstance(one, Pick) and isinstance(other, Pick):
            pieces.append(_picked(one, other))
            most += max((abs(a - b) for a, b in zip(one.logs, other.logs, strict=True)), default=0.0)
    width = most / _CELLS or 1.0
    total, start = np.ones(1), 0
    cells = {id(piece): _rounded_down(piece, width) for piece in pieces}
    for first, masses in (cells[id(piece)] for piece in pieces):
        total, start = np.convolve(total, masses), start + first
    losses = (start + np.arange(len(total))) * width
    return float(
        sum(
            mass * _gaussian(epsilon - loss, math.sqrt(variance))
            for mass, loss in zip(total, losses, strict=True)
            if mass
        )
    )


def _gaussian(epsilon: float, mean: float) -> float:
    """δ at ε of two normal distributions ``mean`` deviations apart (Balle and Wang 2018), for every real ε."""
    if not mean:
        return max(0.0, -math.expm1(min(epsilon, 1.0)))
    missed = _normal(-mean / 2 - epsilon / mean)
    return max(0.0, _normal(mean / 2 - epsilon / mean) - (math.exp(min(epsilon, _LARGE)) * missed if missed else 0.0))


def _normal(at: float) -> float:
    return math.erfc(-at / math.sqrt(2)) / 2


_Piece = Any
"""How likely a loss above a number is, as a function of it; and the least and the largest loss."""


def _laplace(shift: float) -> _Piece:
    def above(loss: float) -> float:
        if loss < -shift:
            return 1.0
        return 0.0 if loss >= shift else 1 - math.exp((loss - shift) / 2) / 2

    return above, -shift, shift


def _picked(one: Pick, other: Pick) -> _Piece:
    losses = [(a - b, math.exp(a)) for a, b in zip(one.logs, other.logs, strict=True)]

    def above(loss: float) -> float:
        return sum(mass for each, mass in losses if each > loss)

    return above, min(each for each, _ in losses), max(each for each, _ in losses)


def _rounded_down(piece: _Piece, width: float) -> tuple[int, Any]:
    """The masses of the cells of a grid, each of which counts as its lower end: the first cell, and all of them."""
    import numpy as np

    above, low, high = piece
    first, last = math.floor(low / width) - 1, math.ceil(high / width) + 1
    tails = [above(cell * width - width * 1e-9) for cell in range(first, last + 1)]
    return first, np.array([a - b for a, b in zip(tails, [*tails[1:], 0.0], strict=True)])


def lowest(successes: int, tries: int, doubt: float) -> float:
    """A probability that is not larger than the true one, but for a chance of ``doubt``: Clopper and Pearson."""
    low, high = 0.0, successes / tries
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_least(successes, tries, middle) < doubt else (low, middle)
    return low


def _at_least(successes: int, tries: int, each: float) -> float:
    return sum(math.comb(tries, k) * each**k * (1 - each) ** (tries - k) for k in range(successes, tries + 1))


Centres = Sequence[tuple[float, float]]
"""Probabilities, and centres of noise."""


def delta_of_mixtures(before: Centres, after: Centres, scale: float, normal: bool, epsilon: float) -> float:
    """The smallest δ at ε of one number with noise, the centre of which is one of several. Integrated numerically, to
    1/1,000 of it and 1e-9."""
    import numpy as np

    if epsilon > _LARGE:
        return 0.0

    near = np.linspace(-12, 12, 1_201) * scale
    at = np.unique(np.concatenate([centre + near for centre in {centre for _, centre in (*before, *after)}]))
    gained = _density(at, before, scale, normal) - math.exp(epsilon) * _density(at, after, scale, normal)
    most = np.maximum(gained, 0.0)
    return float(np.sum((most[1:] + most[:-1]) / 2 * np.diff(at)))


def _density(at: Any, centres: Centres, scale: float, normal: bool) -> Any:
    import numpy as np

    away = [(likely, np.abs(at - centre) / scale) for likely, centre in centres]
    if normal:
        return sum(likely * np.exp(-each * each / 2) for likely, each in away) / (scale * math.sqrt(2 * math.pi))
    return sum(likely * np.exp(-each) for likely, each in away) / (scale * 2)
