"""Datasets that differ in what one person's records are, where all records that matter are tried for her: those at the
ends of their space, at the numbers of the program, beside them, and far away.

What a record adds to a sum over records does not depend on the others, so such datasets attain its supremum; and each
is run once, though it is compared with all others."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from .spaces import Drawing, Space
from .values import Array, Value, number

FAR = (Fraction(-1000), Fraction(1000))
TINY = Fraction(1, 2**20)
ROWS, CROWD, BESIDE = 24, 64, 2
_LEAST = re.compile(r"≥ (\d+)")


class Around(NamedTuple):
    """Datasets, and which of them are neighbours."""

    datasets: list[Array]
    pairs: list[tuple[int, int]]


def around(of: Space, base: Array, drawing: Drawing, known: Iterable[Fraction], most: int) -> Around:
    """So many datasets at most around one: with another person, or with others in a person's place. What a program
    knows when it runs may be a border, too."""
    replaced = of.base in ("ChangeOne", "Hamming")
    records = _records(base)
    share = min(of.share, len(records)) if replaced else of.share
    people = [[record] * share for record in _candidates(of, base, drawing, known)]
    drawing.source.shuffle(people)
    people = people[: max(most, 2)]
    kept, first = records[share:] if replaced else records, drawing.source.random() < 0.3
    found = [_dataset(of, base, person + kept if first else kept + person) for person in people]
    if replaced:
        return Around(found, list(itertools.combinations(range(len(found)), 2)))
    return Around([base, *found], [(0, place + 1) for place in range(len(found))])


def smallest(of: Space, base: Array, share: int) -> Array:
    """A dataset without the records that nothing asks for; one in which records are replaced has one person."""
    if of.shape.isdigit():
        return base
    asked = _LEAST.search(of.shape)
    least = int(asked[1]) if asked else 0
    if of.base in ("ChangeOne", "Hamming"):
        least = max(least, share)
    return _dataset(of, base, _records(base)[:least])


def crowd(of: Space, base: Array, drawing: Drawing) -> Array:
    """Many people of two kinds, which are no neighbours of each other: one of several choices is nearly certain, or two
    are close."""
    found = _candidates(of, base, drawing, ())
    if not of.rows:
        found = list({round(Fraction(number(each[0])) * BESIDE): each for each in found}.values())
    kinds = [drawing.source.choice(found) for _ in range(2)]
    return base if of.shape.isdigit() else _dataset(of, base, kinds * (CROWD // 2))


def _candidates(of: Space, base: Array, drawing: Drawing, known: Iterable[Fraction]) -> list[list[Value]]:
    """The records that matter."""
    (inner,) = of.parts
    if of.rows:
        width = base.shape[1]
        return [drawing.row(of, base.element, width) for _ in range(ROWS)]
    if inner.kind == "truth":
        return [[False], [True]]
    low, high = inner.limits or FAR
    exact = {low, high, *drawing.inside(inner)}
    exact |= {each + step for each in known for step in (-TINY, 0, TINY) if low <= each + step <= high}
    if base.element.name == "Int64":
        beside = {math.floor(each) + step for each in exact for step in (-1, 0, 1)}
        return [[each] for each in sorted(beside) if low <= each <= high]
    return [[each] for each in sorted(exact)]


def _records(value: Array) -> list[list[Value]]:
    width = value.shape[1] if len(value.shape) == 2 else 1
    return [value.entries[start : start + width] for start in range(0, len(value.entries), width)]


def _dataset(of: Space, like: Array, records: Sequence[Sequence[Value]]) -> Array:
    shape = (len(records), like.shape[1]) if of.rows else (len(records),)
    return Array(like.element, [each for record in records for each in record], shape)


def beside(value: Array, spots: Sequence[Fraction], source: random.Random) -> Array:
    """An array whose entries all lie close to one number, at one side of it."""
    near, side = source.choice(tuple(spots) or (Fraction(0),)), source.choice((1, -1))
    whole = value.element.name == "Int64"
    step = Fraction(8) if whole else Fraction(1, 64)
    entries = [near + side * step * place for place in range(1, len(value.entries) + 1)]
    source.shuffle(entries)
    return Array(value.element, [int(each) if whole else each for each in entries], value.shape)
