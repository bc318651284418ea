"""Sums over the records of a dataset, as data: what one record adds, case by case.

A record is known by features: numbers, each of which lies in one of the cells that the numbers it is compared with cut
the line into, or is not a number (NaN), of which no comparison holds. What is compared with anything else is a guess,
either way. In one case, a cell for each feature and an answer to each guess, a record adds to each entry what is
affine in its features. So all that it may add lies in the hull of finitely many points, and a norm, or a distance, is
largest at some of these.

A record that comes or goes moves the sum by what it adds, so by the largest norm of a point. One that takes the place
of another moves it by the difference of what both add, so by the largest distance of two points. Cases that cannot be,
and features that are taken for independent and are not, make more points and never fewer.

Source: a norm is convex, so it is largest at a corner; and of two sums over records all other terms cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple

from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import ZERO, Sens, magnitude, number
from dp_lsp.core.types import Bounds, Norm

MOST_CASES, MOST_POINTS, MOST_DIFFERENCES, MOST_SYMBOLS = 600, 150, 20_000, 12
_NOTHING = Poly.of(0)

Feature = Hashable
Value = Mapping[Feature | None, Poly]
"""A coefficient for each feature, and under None what is added to them."""
Point = tuple[Poly, ...]


class Where(NamedTuple):
    """Between two numbers, at one (both are the same), or, if it is not a number, nowhere."""

    low: Fraction | None
    high: Fraction | None
    real: bool = True

    def meets(self, relation: str, bound: Fraction) -> bool:
        """Whether a number here, which is no number of which it is not decided, stands in a relation."""
        if not self.real:
            return relation == "!="
        equal = self.low == self.high == bound
        above = not equal and self.low is not None and self.low >= bound
        return {
            "<": not equal and not above,
            "<=": not above,
            ">": above,
            ">=": equal or above,
            "==": equal,
            "!=": not equal,
        }[relation]


class Case(NamedTuple):
    """Where each feature of a record lies, and the answer to each guess."""

    where: Mapping[Feature, Where]
    guessed: Mapping[Hashable, bool]


class Known(NamedTuple):
    """What is known of a feature: its bounds, and whether it is whole."""

    bounds: Bounds | None
    whole: bool


class TooMany(Exception):
    """There are more cases, or points, than are looked at, or a point that is infinitely far away."""


def cases(
    cuts: Mapping[Feature, Iterable[Fraction]], known: Mapping[Feature, Known], guesses: Iterable[Hashable]
) -> Iterator[Case]:
    """All that a record may be."""
    features, guesses = list(cuts), list(guesses)
    cells = [list(_cells(sorted(cuts[feature]), known[feature])) for feature in features]
    count = 2 ** min(len(guesses), 20)
    for each in cells:
        count *= len(each)
    if count > MOST_CASES:
        raise TooMany
    for chosen in product(*cells):
        for answers in product((False, True), repeat=len(guesses)):
            yield Case(
                dict(zip(features, chosen, strict=True)),
                dict(zip(guesses, answers, strict=True)),
            )


def _cells(cuts: list[Fraction], known: Known) -> Iterator[Where]:
    """The cells of a feature. One outside of its bounds, and one that holds no whole number, is none."""
    low = None if known.bounds is None else known.bounds.low.number
    high = None if known.bounds is None else known.bounds.high.number
    found = [Where(cut, cut) for cut in cuts]
    found += [Where(below, above) for below, above in pairwise((None, *cuts, None))]
    for each in found:
        at = each.low if each.low == each.high else None
        if low is not None and each.high is not None and (each.high < low or (each.high == low and at is None)):
            continue
        if high is not None and each.low is not None and (each.low > high or (each.low == high and at is None)):
            continue
        if not (known.whole and _holds_none(each)):
            yield each
    if not known.whole:
        yield Where(None, None, real=False)


def _holds_none(cell: Where) -> bool:
    if cell.low is None or cell.high is None:
        return False
    if cell.low == cell.high:
        return cell.low.denominator != 1
    return cell.low // 1 + 1 >= cell.high


def points(
    found: Iterable[Case], entries: Iterable[Callable[[Case], Value]], known: Mapping[Feature, Known]
) -> set[Point]:
    """Points whose hull holds all that a record may add."""
    every: set[Point] = set()
    rules = list(entries)
    for case in found:
        values = [rule(case) for rule in rules]
        used = sorted({f for value in values for f in value if f is not None and value[f].terms}, key=repr)
        if len(used) > 6:
            raise TooMany
        if any(feature in case.where and not case.where[feature].real for feature in used):
            continue  # what is added up is taken for numbers, as in all sums
        for corner in product(*(_ends(known[feature], case.where.get(feature)) for feature in used)):
            at = dict(zip(used, corner, strict=True))
            every.add(tuple(_at(value, at) for value in values))
        if len(every) > MOST_POINTS:
            raise TooMany
    return every


def _ends(known: Known, where: Where | None) -> tuple[Poly, Poly]:
    if known.bounds is None:
        raise TooMany
    low, high = known.bounds.low, known.bounds.high
    if where is not None and where.real:
        low = _further(low, where.low, lambda bound, cut: bound < cut)
        high = _further(high, where.high, lambda bound, cut: bound > cut)
    return low, high


def _further(bound: Poly, cut: Fraction | None, better: Callable[[Fraction, Fraction], bool]) -> Poly:
    """The end of a cell, where it is known to lie within the bounds."""
    own = bound.number
    return Poly.of(cut) if cut is not None and own is not None and better(own, cut) else bound


def _at(value: Value, features: Mapping[Feature, Poly]) -> Poly:
    result = value.get(None, _NOTHING)
    for feature, factor in value.items():
        if feature is not None and factor.terms:
            result = result + factor * features[feature]
    return result


def largest(found: set[Point], norm: Norm, replaced: bool) -> Sens:
    """The largest norm of a point; or, where a record is ``replaced``, the largest distance of two."""
    if replaced and len(found) ** 2 * max(map(len, found), default=0) > MOST_DIFFERENCES:
        raise TooMany
    steps = {tuple(a - b for a, b in zip(p, q, strict=True)) for p in found for q in found} if replaced else found
    numeric, symbolic = ZERO, list[Sens]()
    most = Fraction(0)
    for step in steps:
        sizes = [each.number for each in step]
        known = [abs(each) for each in sizes if each is not None]
        if len(known) == len(sizes):
            most = max(most, _of_numbers(known, norm))
        else:
            symbolic.append(_of_formulas([magnitude(each) for each in step], norm))
    numeric = number(most).root() if norm is Norm.L2 else number(most)
    distinct = list(dict.fromkeys(symbolic))
    if len(distinct) > MOST_SYMBOLS:
        raise TooMany
    return sens.maximum([numeric, *distinct])


def _of_numbers(sizes: list[Fraction], norm: Norm) -> Fraction:
    """The norm, in L2 its square."""
    if norm is Norm.LINF:
        return max(sizes, default=Fraction(0))
    return sum((each if norm is Norm.L1 else each * each for each in sizes), Fraction(0))


def _of_formulas(sizes: list[Sens], norm: Norm) -> Sens:
    if norm is Norm.LINF:
        return sens.maximum(sizes)
    if norm is Norm.L1:
        return sens.total(sizes)
    return sens.total(each * each for each in sizes).root()
