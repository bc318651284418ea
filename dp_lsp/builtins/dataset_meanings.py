"""What the rows for datasets compute (:mod:`dp_lsp.builtins.meanings`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dp_lsp.builtins.concrete import (
    Undefined,
    Value,
    array,
    index,
    is_container,
    quotient,
    records,
    resized,
    rows,
    so_many,
    some_records,
    total,
)


def _counted(function: Callable[..., Value], v: Any) -> int:
    return sum(bool(function(entry)) for entry in v.flat)


def _mean(v: Any) -> Value:
    return quotient(total(v.flat), v.size)


def _scatter(x: Any, y: Any) -> Value:
    """The sum of the products of how far two columns are from their means; 0 of none."""
    if not len(x):
        return Fraction(0)
    means = _mean(x), _mean(y)
    return total((a - means[0]) * (b - means[1]) for a, b in zip(x, y, strict=True))


def _covariance(m: Any, i: Value, j: Value, corrected: bool = True) -> Value:
    return quotient(_cross(m, i, j), len(m) - corrected)


def _cross(m: Any, i: Value, j: Value) -> Value:
    return _scatter(*(m[:, index(k, m.shape[1])] for k in (i, j)))


def _kth(v: Any, k: Value) -> Value:
    return sorted(v)[index(k, v.size)]


def _quantile(v: Any, alpha: Value) -> Value:
    if not v.size or not 0 <= alpha <= 1:
        raise Undefined("no such quantile")
    below, part = divmod((v.size - 1) * Fraction(alpha), 1)
    inside = sorted(map(Fraction, v))
    return inside[int(below)] + part * (inside[min(int(below) + 1, v.size - 1)] - inside[int(below)])


def _histogram(v: Any, edges: Any) -> Any:
    """Bins overlap where the edges do not rise; a number is counted in the first of them alone."""
    bins = list(pairwise(edges))
    first = [next((place for place, (low, high) in enumerate(bins) if low <= x < high), None) for x in v]
    return array(first.count(place) for place in range(len(bins)))


def _up_to(v: Any, thresholds: Any) -> Any:
    return array(sum(x <= each for x in v) for each in thresholds)


def _ranks(v: Any, alpha: Value, candidates: Any) -> Any:
    below = ((1 - alpha) * sum(x < c for x in v) - alpha * sum(x > c for x in v) for c in candidates)
    return array(-abs(each) for each in below)


def _repeated(v: Any, times: Value) -> Any:
    so_many(times * v.size)
    return some_records([*records(v)] * int(times), v)


def _resized(v: Any, size: Value, fill: Value) -> Any:
    """Of the records that may be taken, the smallest: what is claimed holds whichever are."""
    count = so_many(size)
    return resized(sorted(v)[:count], count, fill)


OF_DATASETS: dict[str, Callable[..., Value]] = {
    "count": _counted,
    "mean": _mean,
    "var": lambda v, corrected=True: quotient(_scatter(v, v), v.size - corrected),
    "squared_deviations": lambda v: _scatter(v, v),
    "covariance": _covariance,
    "cross_deviations": _cross,
    "maximum": lambda v: _kth(v, v.size),
    "minimum": lambda v: _kth(v, 1),
    "partialsort": _kth,
    "median": lambda v: _quantile(v, Fraction(1, 2)),
    "quantile": _quantile,
    "count_distinct": lambda v: len({tuple(each) if is_container(each) else each for each in records(v)}),
    "histogram": _histogram,
    "cumulative_counts": _up_to,
    "quantile_score": _ranks,
    "filter": lambda f, v: array(filter(f, v)),
    "count_rows": lambda p, m: sum(map(bool, map(p, rows(m)))),
    "filter_rows": lambda p, m: some_records(filter(p, rows(m)), m),
    "unique": lambda v: array(dict.fromkeys(v)),
    "repeat": _repeated,
    "resize": _resized,
}
"""By the names of rows."""
