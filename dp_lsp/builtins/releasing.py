"""What the rows do that draw at random when a program is run on data of people, and what others compute then.

Rows are played with :class:`Draws`, which knows nothing but how to draw exactly from the distributions that are asked
for. All that is computed before is exact: where a root or a logarithm has no exact value it is a fraction that is
closer to it than a part in 2^100, and a vector that is clipped is cut off, so that its norm is never too large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from dp_lsp.builtins.concrete import NoMeaning, Undefined, Value, array, resized, rows
from dp_lsp.builtins.meanings import APPROXIMATE, MEANINGS
from dp_lsp.builtins.randomness import played_by, positive
from dp_lsp.core.events import Sampling
from dp_lsp.core.types import Norm
from dp_lsp.mechanisms.mechanism import AddsNoise, Draws, Selects
from dp_lsp.mechanisms.noise import root_above
from dp_lsp.mechanisms.selection import AboveThreshold, RandomizedResponse

_FINE = 128  # bits of a root and of what is clipped
_CONTEXT = Context(prec=60, traps=[])


class Exactly:
    """Rows are played by exact draws."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self.ranks = _ranks

    def noisy(self, mechanism: type[AddsNoise], centre: Value, *numbers: Value) -> Value:
        return mechanism.noisy(self._draws, centre, *map(positive, numbers))

    def selected(
        self, mechanism: type[Selects], scores: Sequence[Value], values: Sequence[Value], *numbers: Value
    ) -> Value:
        return values[mechanism.selected(self._draws, list(map(Fraction, scores)), *map(positive, numbers))]

    def told(self, truth: Value, answers: Sequence[Value], epsilon: Value) -> Value:
        return RandomizedResponse.told(self._draws, truth, answers, positive(epsilon))

    def above(
        self, over: Sequence[Value], most: int, epsilon: Value, shown: Callable[[Sequence[bool]], Value]
    ) -> Value:
        return shown(AboveThreshold.found(self._draws, list(map(Fraction, over)), most, positive(epsilon)))

    def places(self, scheme: Sampling, height: int, amount: Value) -> Sequence[int]:
        return self._draws.places(scheme, height, Fraction(amount))


def _resized(draws: Draws, v: Any, size: Value, fill: Value) -> Any:
    """Any of the records, each as likely as the others."""
    kept = draws.places(Sampling.WITHOUT_REPLACEMENT, int(v.size), Fraction(min(int(size), int(v.size))))
    return resized((v[place] for place in kept), int(size), fill)


# What is computed exactly enough


def _root(x: Value) -> Value:
    if x < 0:
        raise Undefined("a root of a negative number")
    return root_above(Fraction(x))


def _logarithm(x: Value) -> Value:
    if x <= 0:
        raise Undefined("a logarithm of a number that is not positive")
    return _exactly(_CONTEXT.ln(_decimal(Fraction(x))))


def _decimal(x: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator))


def _exactly(number: Decimal) -> Fraction:
    if not number.is_finite():
        raise Undefined("a number that is too large or too small")
    return Fraction(number)


def _clip(norm: Norm, *args: Value) -> Any:
    most, v = args if len(args) > 1 else (1, *args)
    if v.ndim == 1:
        return _clipped(norm, Fraction(most), v)
    return array((entry for row in rows(v) for entry in _clipped(norm, Fraction(most), row)), v.shape)


def _clipped(norm: Norm, most: Fraction, row: Any) -> Any:
    """By whole numbers, which is much faster for many rows: all entries in parts of one denominator, and what is scaled
    is cut off towards 0, to some bits of ``most``."""
    whole = math.lcm(*(entry.denominator for entry in row))
    parts = [entry.numerator * (whole // entry.denominator) for entry in row]
    if norm is Norm.L2:
        squares = sum(part * part for part in parts)
        if squares * most.denominator**2 <= (most.numerator * whole) ** 2:
            return row.copy()
        size, bits = math.isqrt(squares << 2 * _FINE) + 1, 2 * _FINE
    else:
        sizes = map(abs, parts)
        size, bits = max(sizes, default=0) if norm is Norm.LINF else sum(sizes), _FINE
        if size * most.denominator <= most.numerator * whole:
            return row.copy()
    scaled = ((abs(part) << bits) // size for part in parts)
    step = most / (1 << _FINE)
    return array((each if part > 0 else -each) * step for each, part in zip(scaled, parts, strict=True))


def _histogram(v: Any, edges: Any) -> Any:
    """By the first edge that is above: much faster for many records, where the edges are in order."""
    from bisect import bisect_right

    listed = list(edges)
    if any(low >= high for low, high in pairwise(listed)):
        return MEANINGS["histogram"](v, edges)
    counts = [0] * (len(listed) + 1)
    for x in v:
        counts[bisect_right(listed, x)] += 1
    return array(counts[1:-1])


def _ranks(v: Any, alpha: Value, candidates: Any) -> Any:
    """What is below and above of each candidate, counted by looking each record up once."""
    from bisect import bisect_left, bisect_right

    listed = sorted(set(candidates))
    from_here, up_to_here = [0] * (len(listed) + 1), [0] * (len(listed) + 1)
    for x in v:
        from_here[bisect_right(listed, x)] += 1
        up_to_here[bisect_left(listed, x)] += 1
    below = dict(zip(listed, accumulate(from_here), strict=False))
    no_more = dict(zip(listed, accumulate(up_to_here), strict=False))
    return array(-abs((1 - alpha) * below[c] - alpha * (len(v) - no_more[c])) for c in candidates)


RELEASED: dict[str, Callable[..., Value]] = {**played_by(Exactly), "resize": _resized}
"""By the names of rows, what each does with :class:`Draws` and its arguments. A program that uses another row which
draws at random is not run."""


def _inexact(x: Value) -> Value:
    raise NoMeaning("a function of numbers that is only computed approximately is not run on data")


COMPUTED: dict[str, Callable[..., Value]] = {
    **MEANINGS,
    **dict.fromkeys(APPROXIMATE, _inexact),
    "sqrt": _root,
    "log": _logarithm,
    "clip": _clip,
    "histogram": _histogram,
    "quantile_score": _ranks,
}
"""By the names of rows, what each computes on data of people."""
