"""What the rows do that draw at random when a program is run on data of people, and what others compute then.

A row is given :class:`Draws`, which knows nothing but how to draw exactly from the distributions that are asked for.
All that is computed before is exact: where a root or a logarithm has no exact value it is a fraction that is closer to
it than a part in 2^100, and a vector that is clipped is cut off, so that its norm is never too large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Protocol

from dp_lsp.builtins.concrete import Undefined, Value, array, resized, rows
from dp_lsp.builtins.meanings import MEANINGS
from dp_lsp.builtins.randomness import RANDOM
from dp_lsp.core.events import Scheme
from dp_lsp.core.types import Norm

_FINE = 128  # bits of a root and of what is clipped
_CONTEXT = Context(prec=60, traps=[])


class Draws(Protocol):
    """Draws from distributions, which are told exactly."""

    def laplace(self, centre: Value, moves: Fraction, epsilon: Fraction) -> Value:
        """A number or a container, with Laplace noise of scale ``moves``/``epsilon`` on each entry."""

    def gaussian(self, centre: Value, moves: Fraction, deviation: Fraction) -> Value:
        """The same with Gaussian noise of so many times ``moves``."""

    def selected(self, scores: Sequence[Fraction], moves: Fraction, epsilon: Fraction) -> int:
        """One of the places, from 0 on, with a probability proportional to exp(epsilon·score/(2·moves))."""

    def told(self, truth: int | None, count: int, epsilon: Fraction) -> int:
        """One of so many places, from 0 on: the one that is true e^epsilon times as likely as each of the others."""

    def above(self, over: Sequence[Fraction], most: int, epsilon: Fraction) -> list[bool]:
        """Which are above a noisy 0, with noise of their own, until so many were: Laplace noise of scale 2/epsilon on
        0, once, and 4·``most``/epsilon on each."""

    def places(self, scheme: Scheme, height: int, amount: Fraction) -> Sequence[int]:
        """Which of so many rows are drawn: so many, or each with that probability."""


def _laplace(draws: Draws, r: Value, eps: Value, x: Value) -> Value:
    return draws.laplace(x, _positive(r), _positive(eps))


def _gaussian(draws: Draws, r: Value, eps: Value, delta: Value, x: Value) -> Value:
    return draws.gaussian(x, _positive(r), _deviation(_positive(delta)) / _positive(eps))


@lru_cache(maxsize=64)
def _deviation(delta: Fraction) -> Fraction:
    """That of the theorem for ε = 1, rounded up."""
    return _root_above(2 * _exactly(_CONTEXT.ln(_decimal(Fraction(5, 4) / delta))))


def _gaussian_noise(draws: Draws, r: Value, sigma: Value, x: Value) -> Value:
    return draws.gaussian(x, _positive(r), _positive(sigma))


def _positive(number: Value) -> Fraction:
    if not number > 0:
        raise Undefined("noise needs positive numbers")
    return Fraction(number)


def _exponential(draws: Draws, r: Value, eps: Value, xs: Any, f: Any) -> Value:
    """By a function of each candidate, or by a score for each."""
    values = tuple(xs)
    if not values:
        raise Undefined("no candidates")
    scores = [f(value) for value in values] if callable(f) else list(f)
    return values[draws.selected(list(map(Fraction, scores)), _positive(r), _positive(eps))]


def _quantile(draws: Draws, r: Value, eps: Value, v: Any, alpha: Value, candidates: Any) -> Value:
    return _exponential(draws, r, eps, candidates, _ranks(v, alpha, candidates))


def _noisy_max(draws: Draws, r: Value, eps: Value, x: Any) -> Value:
    if not x.size:
        raise Undefined("no entries")
    return draws.selected([Fraction(entry) for entry in x.flat], _positive(r), _positive(eps)) + 1


def _response(draws: Draws, eps: Value, *given: Any) -> Value:
    truth, answers = given[-1], tuple(given[0]) if len(given) > 1 else (False, True)
    if not answers:
        raise Undefined("no answers")
    place = answers.index(truth) if truth in answers else None
    return answers[draws.told(place, len(answers), _positive(eps))]


def _above_threshold(draws: Draws, qs: Any, eps: Value, d: Value, threshold: Value) -> Value:
    above = _sparse(draws, qs, 1, eps, d, threshold).tolist()
    return above.index(True) + 1 if True in above else 0


def _sparse(draws: Draws, qs: Any, most: Value, eps: Value, d: Value, threshold: Value) -> Any:
    if most < 1:
        raise Undefined("nothing to look for")
    return array(draws.above([Fraction(query(d) - threshold) for query in qs], int(most), _positive(eps)))


def _numeric_sparse(draws: Draws, qs: Any, most: Value, eps: Value, eps2: Value, d: Value, threshold: Value) -> Value:
    above, each = _sparse(draws, qs, most, eps, d, threshold), _positive(eps2)
    answers = (draws.laplace(qs[k](d), Fraction(1), each) if over else Fraction(0) for k, over in enumerate(above))
    return above, array(answers)


def _sampling(scheme: Scheme) -> Callable[..., tuple[Any, ...]]:
    def drawn(draws: Draws, amount: Value, *matrices: Any) -> tuple[Any, ...]:
        if len({matrix.shape[0] for matrix in matrices}) > 1:
            raise Undefined("numbers of rows that differ")
        places = list(draws.places(scheme, int(matrices[0].shape[0]), Fraction(amount)))
        return tuple(matrix[places, :].copy() for matrix in matrices)

    return drawn


def _resized(draws: Draws, v: Any, size: Value, fill: Value) -> Any:
    """Any of the records, each as likely as the others."""
    kept = draws.places(Scheme.WITHOUT_REPLACEMENT, int(v.size), Fraction(min(int(size), int(v.size))))
    return resized((v[place] for place in kept), int(size), fill)


# What is computed exactly enough


def _root(x: Value) -> Value:
    if x < 0:
        raise Undefined("a root of a negative number")
    return _root_above(Fraction(x))


def _root_above(x: Fraction) -> Fraction:
    """A square root: exact where it is rational, else a little more."""
    top, bottom = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return Fraction(top, bottom)
    shift = _FINE + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    scaled = (x.numerator << 2 * shift) // x.denominator
    return Fraction(math.isqrt(scaled) + 1, 1 << shift)


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


RELEASED: dict[str, Callable[..., Value]] = {
    "laplacian_mechanism": _laplace,
    "gaussian_mechanism": _gaussian,
    "gaussian_noise": _gaussian_noise,
    "exponential_mechanism": _exponential,
    "report_noisy_max": _noisy_max,
    "randomized_response": _response,
    "above_threshold": _above_threshold,
    "private_quantile": _quantile,
    "sparse_vector": _sparse,
    "numeric_sparse": _numeric_sparse,
    "sample": _sampling(Scheme.WITHOUT_REPLACEMENT),
    "sample_with_replacement": _sampling(Scheme.WITH_REPLACEMENT),
    "sample_poisson": _sampling(Scheme.POISSON),
    "resize": _resized,
    **{name: RANDOM[name] for name in ("reduce_cols", "parallel_private_fold_rows", "map_parts")},
}
"""By the names of rows, what each does with :class:`Draws` and its arguments. A program that uses another row which
draws at random is not run."""

COMPUTED: dict[str, Callable[..., Value]] = {
    **MEANINGS,
    "sqrt": _root,
    "log": _logarithm,
    "clip": _clip,
    "histogram": _histogram,
    "quantile_score": _ranks,
}
"""By the names of rows, what each computes on data of people."""
