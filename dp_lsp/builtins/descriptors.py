"""What is public of a dataset, as the rows of statistics need it: where its numbers lie, and how many there are."""

from __future__ import annotations

import math
from collections.abc import Callable

from dp_lsp.builtins import intervals
from dp_lsp.builtins.datasets import bounds_of
from dp_lsp.builtins.define import Args, Demand, Refusal
from dp_lsp.core.algebra import Poly
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.sens import Sens, inverse_magnitude, magnitude, positive_part
from dp_lsp.core.types import INTEGER, REAL, Base, BoolType, Bounds, NumberType

SOURCE = "Exhaustive enumeration of small datasets attains each factor, and none exceeds it"


def known_bounds(args: Args) -> Bounds:
    """Where the numbers of a dataset lie whose row refuses those without bounds."""
    found = bounds_of(args)
    assert found is not None, "the result refuses numbers without bounds"
    return found


def span_of(args: Args) -> Poly:
    """R, the largest difference of two numbers."""
    bounds = known_bounds(args)
    return bounds.high - bounds.low


def range_of(args: Args) -> Sens:
    """R, as a factor."""
    return magnitude(span_of(args))


def range_or_none(args: Args) -> Sens:
    """max(U, 0) - min(L, 0), the largest difference of two numbers, where one that is filtered away counts as 0."""
    bounds = known_bounds(args)
    return positive_part(bounds.high) + positive_part(-bounds.low)


def largest(args: Args) -> Sens:
    """max(|L|, |U|), the largest size of a number."""
    return intervals.most(known_bounds(args))


def unbounded() -> Refusal:
    """The numbers of a dataset need bounds. What is said to do is code: it holds no code that was shortened."""
    reason = "`{dataset}` has no known bounds; give it some with `clamp({code}, L, U)`"
    return Refusal(reason, lacks=Descriptor.BOUNDS)


def too_few(args: Args, least: int) -> Refusal:
    """A dataset needs at least so many records."""
    return Refusal(
        f"declare a lower bound with `AtLeast({least})` or more, or fix the number with `resize(v, n, x)`",
        uncounted=args.names[0],
        lacks=Descriptor.COUNT,
    )


def unfit(args: Args, least: int) -> Refusal | None:
    """Why a statistic of bounded numbers has no bound, if it has none: they are not bounded, or may be too few."""
    if bounds_of(args) is None:
        return unbounded()
    return too_few(args, least) if fewest(args) is None else None


def numeric_type(args: Args) -> NumberType:
    """What the records and their sums are as numbers; truth values are 0 or 1."""
    element = args.records.records.element
    whole = isinstance(element, BoolType) or (isinstance(element, NumberType) and element.base is Base.INTEGER)
    return INTEGER if whole else REAL


def number_within(args: Args, bounds: Bounds) -> NumberType:
    """A number between bounds that several records of a person may reach. Where the number of records stands in how far
    one of them moves it, that says more."""
    return NumberType(Base.REAL, bounds=None if count_of(args) is None else bounds)


def fewest(args: Args) -> Poly | None:
    """How many records there are at least, if that is public."""
    dataset = args.records
    return dataset.size if dataset.metric.sized else dataset.least


def count_of(args: Args) -> int | None:
    """The public number of records, or the least that is public, if it is a number that is written out."""
    known = fewest(args)
    number = None if known is None else known.number
    return None if number is None or number < 0 else math.ceil(number)


def at_least(least: int) -> Callable[[Args], tuple[Demand, ...]]:
    """The demand that there are so many records."""

    def demands(args: Args) -> tuple[Demand, ...]:
        known = fewest(args)
        return () if known is None else (Demand(Poly.of(least), "<=", known, args.names[0]),)

    return demands


def by_fewest(args: Args, more: int = 0) -> Sens:
    """1/(N + more), for the public number N of records, or the least number that is public."""
    known = fewest(args)
    assert known is not None, "the result refuses any number of records"
    return inverse_magnitude(known + Poly.of(more))
