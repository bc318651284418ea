"""A selection costs half where a change moves all scores the same way. So a move also says whether the value rises or
falls with its variable, in the orders of this module; rows that keep that say so (:mod:`dp_lsp.builtins.monotonicity`),
and whoever adds a row need not think of it; what a loop carries keeps its way where its start and its rounds agree
(:mod:`dp_lsp.infer.loops`). The event counts less, so every measure and certificate does.

Numbers are ordered by size, containers entry by entry, tuples item by item, functions argument by argument, and
datasets by the records that they hold: one that has all records of another, and more, is larger. Data and truth values
are ordered only where they are equal. A function rises if of two ordered values the larger one never has the smaller
result, and falls if it never has the larger one. What is put together of such functions goes a known way, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from dp_lsp.core.types import Base, Clip, Container, Dataset, Norm, NumberType, TupleType, Type


class Way(Enum):
    """Which way a result goes where an argument becomes larger."""

    RISES = 1
    FALLS = -1


def through(inner: Way | None, outer: Way | None) -> Way | None:
    """The way of a function of a function; None where one of the two is not known."""
    if inner is None or outer is None:
        return None
    return Way.RISES if inner is outer else Way.FALLS


def common(ways: Iterable[Way | None]) -> Way | None:
    """The way that all of these are; None where two differ, or one is not known."""
    found = None
    for way in ways:
        if way is None or (found is not None and way is not found):
            return None
        found = way
    return found


def is_chained(type_: Type) -> bool:
    """Whether any two values of a type are joined by values of which each is ordered with the next, and whose distances
    add up to theirs.

    Two numbers are ordered themselves. Two datasets have all records of both between them, and so many come or go as
    are not in both. Two vectors in L1 have the larger of each two entries between them. Where a record takes the place
    of another there is nothing between two datasets; in L2 and LInf what is between is further away.
    """
    match type_:
        case NumberType(base):
            return base is not Base.DATA
        case Dataset(metric):
            return not metric.sized
        case Container(norm=Norm.L1, clip=Clip.U, element=NumberType(Base.INTEGER | Base.REAL)):
            return True
        case TupleType(items):
            return all(map(is_chained, items))
    return False
