"""Datasets as metric spaces: drawing records, taking one step, and how many steps two datasets are apart.

This follows the definitions of the metrics alone (:class:`dp_lsp.core.types.DatasetMetric`).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from dp_lsp.builtins.concrete import Value, array, is_container, norm_of
from dp_lsp.core.types import DatasetMetric, Norm

_MORE = 5  # records of a dataset whose size is private, beside those that it has at least

Draw = Callable[[], Value]


def distance(metric: DatasetMetric, x: Value, y: Value) -> Fraction | None:
    """How many steps lead from one dataset to another; None if none do."""
    left, right = _listed(x), _listed(y)
    if metric.sized and len(left) != len(right):
        return None
    match metric:
        case DatasetMetric.HAMMING:
            return Fraction(sum(a != b for a, b in zip(left, right, strict=True)))
        case DatasetMetric.INSERT_DELETE:
            return Fraction(len(left) + len(right) - 2 * _longest_common(left, right))
    gone, come = Counter(left) - Counter(right), Counter(right) - Counter(left)
    steps = gone.total() + come.total()
    return Fraction(steps // 2 if metric.sized else steps)


def step(metric: DatasetMetric, x: Value, least: int, a_record: Draw, source: random.Random) -> Value:
    """A dataset that is one step away; of a bag in another order. ``least`` is how many records there must be."""
    records = list(x)
    if metric.sized:
        if records:
            records[source.randrange(len(records))] = a_record()
    elif len(records) > least and source.random() < 0.5:
        del records[source.randrange(len(records))]
    else:
        records.insert(source.randrange(len(records) + 1), a_record())
    if not metric.ordered and source.random() < 0.5:
        source.shuffle(records)
    return together(records, x)


def together(records: Sequence[Value], like: Value) -> Value:
    """Records as a vector of numbers, or as a matrix of rows of the same width as another."""
    if like.ndim == 1:
        return array(records)
    width = like.shape[1]
    return array((entry for row in records for entry in row), (len(records), width))


def some(least: int, source: random.Random) -> int:
    """How many records there are where that is private."""
    return least + source.randrange(_MORE)


def shortened(row: Value, norm: Norm, most: Fraction) -> Value:
    """A row made to measure at most so much: truth values by making the last of them false."""
    size = norm_of(row, norm)
    if size <= most:
        return row
    if isinstance(row[0], bool):
        true = [place for place, entry in enumerate(row) if entry]
        return shortened(array(entry and place != true[-1] for place, entry in enumerate(row)), norm, most)
    factor = most / (Fraction(size) * (1 + Fraction(1, 10**12)))  # a root is rounded
    return array(entry * factor for entry in row)


def _listed(x: Value) -> list[Hashable]:
    return [tuple(record) if is_container(record) else record for record in x]


def _longest_common(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """The length of the longest sequence that stands in both, with gaps."""
    best = [0] * (len(right) + 1)
    for a in left:
        before = best[:]
        for j, b in enumerate(right, 1):
            best[j] = before[j - 1] + 1 if a == b else max(before[j], best[j - 1])
    return best[-1]
