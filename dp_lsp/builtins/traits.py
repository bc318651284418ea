"""What a row may have beyond its forms: one class a concept, and each is read by the rules that it is about.

A row lists its traits, at most one of a class, and is asked for one by the class (:meth:`Builtin.trait`,
:meth:`Builtin.has`). Two that are long stand in modules of their own: where a function takes intervals
(:class:`dp_lsp.builtins.shapes.Shape`), and in which of its arguments it is monotone
(:class:`dp_lsp.builtins.monotonicity.Monotone`). What a row computes, and how it is drawn, needs a library for arrays
that a check does not load: :mod:`dp_lsp.builtins.meanings`, :mod:`dp_lsp.builtins.randomness` and
:mod:`dp_lsp.builtins.randomness` hold it by the names of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from fractions import Fraction

from dp_lsp.builtins.define import Args, Builtin, Trait
from dp_lsp.core.events import Sampling
from dp_lsp.core.sens import Sens
from dp_lsp.core.values import replace, value

# How it is called


@value
class EverydayName(Trait):
    """Its name may also be that of a variable, which then counts."""


@value
class Replaceable(Trait):
    """A program may give its name another meaning, which then counts in its module: which one it has is known when the
    names of the module are. One that is a ``value`` is not called."""

    value: bool = False


@value
class ShortCircuit(Trait):
    """It may leave out evaluating its last argument, as its first one decides."""


@value
class IntegerArguments(Trait):
    """Arguments that must be stored as an Integer, and not as a Bool: with any other number the run fails."""

    names: tuple[str, ...]


@value
class ChosenPublicly(Trait):
    """Arguments that must be chosen without a look at the data, each with a word for it."""

    arguments: tuple[tuple[str, str], ...]


def everyday(rows: Iterable[Builtin]) -> tuple[Builtin, ...]:
    """Rows whose names people give to their variables."""
    return tuple(replace(row, traits=(*row.traits, EverydayName())) for row in rows)


# The numbers that it returns


@value
class Jumps(Trait):
    """Its result may jump where an argument hardly moves, so it is ∞-sensitive; but that says nothing of how far it
    jumps, which may be little: truth values are at most 1 apart, and what is rounded jumps by 1."""


@value
class Integral(Trait):
    """Whether the numbers it returns are whole (or of Data), whatever it is given. Rows without this trait return whole
    numbers of whole numbers."""

    always: bool


@value
class Rounds(Trait):
    """It gives a whole number that is less than 1 away from its last argument: the nearest one, or the next in a
    direction, or towards 0."""

    to_nearest: bool = False


@value
class NeverNaN(Trait):
    """It returns numbers where all that it is given are numbers, its demands hold and its public arguments have a known
    value: never NaN, which no bound holds of."""


@value
class WithinRadius(Trait):
    """How far from 0 a result is at most, in the distance of its type."""

    radius: Callable[[Args], Sens]


@value
class PreservesZero(Trait):
    """It returns 0 of 0, its public arguments aside."""


@value
class Additive(Trait):
    """``at`` says at which places, from 0 on and of how many, it returns an argument as it is where all others are
    0."""

    at: Callable[[int, int], bool]


@value
class DividesByLast(Trait):
    """It divides by its last argument."""


@value
class NeedsBounds(Trait):
    """It moves without bound where nothing says how large its arguments are."""


@value
class LosesFacts(Trait):
    """Why less is known of a result than of arguments, as a sentence without an end mark."""

    because: str


# What it does with containers and datasets


@value
class Clips(Trait):
    """It returns a container clipped in the norm it is given."""


@value
class FreshVector(Trait):
    """It returns a new vector of numbers, which shares nothing with what it is given."""


@value
class InPlace(Trait):
    """It changes a vector in place, so that whoever else holds it would see that."""


@value
class Lengthens(Trait):
    """It returns a vector that is longer than one it is given."""


@value
class LimitedCopy(Trait):
    """Arguments of which the result is a copy that is kept within limits."""

    of: tuple[str, ...]


@value
class Conditional(Trait):
    """It returns its second argument if the first one is true, and else its third."""


@value
class Indexing(Trait):
    """It returns the row, or the entry, of its first argument that the second one is the number of."""


@value
class SampleSize(Trait):
    """It gives the number of rows of a sample."""


@value
class RecordCount(Trait):
    """It returns how many records there are; ``some`` of one that counts the records of a kind."""

    some: bool = False


@value
class Average(Trait):
    """It returns the sum of the records by their number."""


@value
class Rank(Trait):
    """It returns the number below which a share of the records lies; ``share`` is None where its second argument is
    that."""

    share: Fraction | None


@value
class Orders(Trait):
    """It returns the same records or entries from the smallest to the largest."""


@value
class SampledRows(Trait):
    """It draws rows of matrices by a scheme. Its results are the subject of the rest of its block, which is amplified
    as a whole."""

    scheme: Sampling


@value
class ComposableFilter(Trait):
    """It returns the records of which a function of the record says true, and what is released of several of its
    results composes in parallel where no record is in two of them."""


@value
class Broadcasts(Trait):
    """It calls a function that is written there on the entries of containers, beside numbers that are the same for
    each. Where it ``picks``, it does so of the first of them, beside which there are only numbers."""

    picks: bool = False


@value
class ForRows(Trait):
    """The row that does the same with records that are rows of a matrix."""

    builtin: str


class ByRecord(Trait, Enum):
    """What a row does with a dataset record by record: it keeps those of which a function says true, makes others of
    them by a function or by itself, or adds up what each counts: 1 if a function says true of it, 1, or itself; 1 also
    for each row, where it is asked how many there are along the first dimension."""

    KEEPS = "keeps"
    MAPS = "maps"
    CHANGES = "changes"
    COUNTS = "counts"
    NUMBERS = "numbers"
    ROWS = "rows"
    ADDS = "adds"
