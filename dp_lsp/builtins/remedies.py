"""Repairs that are calls of builtins.

Numbers in repairs: with few digits.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Annotation, ContainerOf, DatasetOf, NumberOf, Truth
from dp_lsp.core.types import Base, Bounds, DatasetMetric, Kind, Norm
from dp_lsp.intents import CATEGORIES, DELTA, EPSILON, HIGHEST, LARGEST_NORM, LOWEST, Expression, Made, Passing


def short(amount: Fraction, up: bool = False) -> str:
    """A number with three digits that count, rounded down, or up."""
    if amount <= 0:
        return "0"
    unit = Fraction(1)
    while amount / unit >= 1000:
        unit *= 10
    while amount / unit < 100:
        unit /= 10
    rounded = (-(-amount // unit) if up else amount // unit) * unit
    return f"{rounded.numerator / Decimal(rounded.denominator):f}"


def datasets(kind: Kind, element: Base | Truth) -> tuple[Annotation, ...]:
    """What records of such numbers may be: the usual ways to compare datasets are that a record is replaced, or that
    one is added or removed."""
    metrics = (DatasetMetric.CHANGE_ONE, DatasetMetric.SYMMETRIC)
    return tuple(DatasetOf(metric, ContainerOf(kind, element)) for metric in metrics)


DATASETS = datasets(Kind.VECTOR, Base.REAL)
"""What records may be of which nothing is said."""

CLIP = Passing("clip", (Norm.L2,))
READ = Passing("undisc_container")
RESIZE = "resize"
COPY = Passing("deepcopy")
UNBOX = Passing("unbox", after=(NumberOf(Base.REAL),))


def measure_in(norm: Norm) -> Passing:
    """A change of the norm an expression is measured in."""
    return Passing("norm_convert", (norm,))


def within(bounds: Bounds) -> Passing:
    """What puts numbers between bounds."""
    return Passing("clamp", after=(bounds.low, bounds.high))


def bounded(highest: str | None = None) -> Passing:
    """What puts numbers between bounds that the author chooses, from 0 to a number if there is a likely one."""
    return Passing("clamp", after=(LOWEST, HIGHEST if highest is None else HIGHEST._replace(default=highest)))


def above_zero() -> Passing:
    """What puts numbers between bounds above 0 that the author chooses."""
    return Passing("clamp", after=(LOWEST._replace(default="1"), HIGHEST))


def rows_bounded(norm: Norm) -> Passing:
    """What scales the rows of a dataset down to a norm that the author chooses."""
    return Passing("clip", (norm, LARGEST_NORM))


def rows_within(norm: Norm, most: Poly) -> Passing:
    """What scales the rows of a dataset down to a norm."""
    return Passing("clip", (norm, most))


# What is hidden by a mechanism


def laplace(distance: Expression, epsilon: Expression, hidden: Expression) -> Made:
    """Laplace noise on an expression that moves so far."""
    return Made("laplacian_mechanism", (distance, epsilon, hidden))


def number_of(dataset: Expression) -> Made:
    """How many records there are."""
    return Made("length", (dataset,))


EMPTY = "isempty"
"""What asks whether there are records, as their number does, of which more is known."""


ALONG = "size"
"""What tells how long a matrix is in one direction."""


def no_records(dataset: Expression) -> Made:
    """Whether there are no records, by their number."""
    return Made("==", (number_of(dataset), "0"))


def place_within(place: Expression, last: Expression, is_whole: bool) -> Made:
    """A place among so many; of a number that may be no whole one, the next lower."""
    return Made("clamp", (place if is_whole else whole(FLOOR, place), ONE_AT_LEAST, last))


def total_of(dataset: Expression) -> Made:
    """The sum of the records."""
    return Made("sum", (dataset,))


def clamped(numbers: Expression) -> Made:
    """Numbers put between bounds that the author chooses."""
    return Made("clamp", (numbers, LOWEST, HIGHEST))


def mapped(function: Expression, records: Expression) -> Made:
    """What a function makes of each record."""
    return Made("map", (function, records))


WHOLE = "Int"
"""What stores a whole number as one."""
FLOOR = "floor"
ROUNDING = frozenset({FLOOR, "ceil", "round", "trunc"})
"""What makes a whole number of any, and stores it as one if that is asked for."""


def whole(rounding: str, number: Expression) -> Made:
    """A number as a whole one."""
    return Made(rounding, (WHOLE, number))


ONE_AT_LEAST = "1"


def truncated(dividend: Expression, divisor: Expression) -> Made:
    """A quotient without what is left over."""
    return Made("trunc", (Made("/", (dividend, divisor)),))


def half(number: Expression) -> Made:
    """Half of a number that is written."""
    return Made("/", (number, "2"))


def share(number: Expression, shares: int) -> Made:
    """One of so many parts of a number that is written."""
    return Made("/", (number, str(shares)))


def at_least_one(number: Expression) -> Made:
    """A number of records that noise may have made less than 1."""
    return Made("max", (number, "1"))


def quotient(top: Expression, bottom: Expression) -> Made:
    return Made("/", (top, bottom))


COUNTING = ":"
"""What makes all whole numbers from one to another."""


def quantile_of(dataset: Expression, share: Expression, distance: Expression, epsilon: Expression) -> Made:
    """A noisy quantile among whole numbers between bounds that the author chooses."""
    candidates = Made(COUNTING, (LOWEST, HIGHEST))
    return Made("private_quantile", (distance, epsilon, dataset, share, candidates))


def completed(builtin: str, arguments: tuple[Expression, ...], epsilon: Expression, delta: Expression) -> Made | None:
    """A mechanism with as many arguments as it takes, where an ε or a δ is missing, or a δ is one too many; None for
    all others."""
    match builtin, arguments:
        case "laplacian_mechanism", (distance, hidden):
            return Made(builtin, (distance, epsilon, hidden))
        case "gaussian_mechanism", (distance, hidden):
            return Made(builtin, (distance, epsilon, delta, hidden))
        case "gaussian_mechanism", (distance, epsilon, hidden):
            return Made(builtin, (distance, epsilon, delta, hidden))
        case "exponential_mechanism", (distance, epsilon, scores):
            places = Made(COUNTING, (ONE_AT_LEAST, number_of(scores)))
            return Made(builtin, (distance, epsilon, places, scores))
        case "laplacian_mechanism", (distance, epsilon, given, hidden):
            return Made("gaussian_mechanism", (distance, epsilon, given, hidden))
    return None


def answer(epsilon: Expression, hidden: Expression) -> Made:
    """A random answer among categories that the author names."""
    return Made("randomized_response", (epsilon, CATEGORIES, hidden))


def answer_about(epsilon: Expression, truth: Expression) -> Made:
    """A random answer to a question with two answers."""
    return Made("randomized_response", (epsilon, truth))


def kept(condition: Expression, records: Expression) -> Made:
    """The records of which a condition holds."""
    return Made("filter", (condition, records))


def some(arguments: tuple[Expression, ...]) -> Made:
    """Whether a condition holds of some entries, by how many they are."""
    return Made(">", (Made("count", arguments), "0"))


def every(arguments: tuple[Expression, ...]) -> Made:
    """Whether a condition holds of all entries, by how many they are."""
    return Made(">=", (Made("count", arguments), number_of(arguments[-1])))


ROOTS = {"std": "var"}
"""What is the root of the value of a builtin, and is none: it moves without bound where that is near 0."""


def root_of(released: Expression) -> Made:
    """The root of a number that noise may have made less than 0."""
    return Made("sqrt", (Made("max", (released, "0")),))


SPENDING = {"laplacian_mechanism": 1, "gaussian_mechanism": 1, "private_quantile": 1, "report_noisy_max": 1}
"""At which place, from 0 on, mechanisms are given the ε that they cost."""


def gaussian(distance: Expression, epsilon: Expression, delta: Expression, hidden: Expression) -> Made:
    """Gaussian noise on an expression that moves so far in L2."""
    return Made("gaussian_mechanism", (distance, epsilon, delta, hidden))


NAMED = {
    LOWEST.name: ("min", "low", "least", "floor"),
    HIGHEST.name: ("max", "high", "upper", "most", "cap", "limit"),
    EPSILON.name: ("eps", "ε"),
    DELTA.name: ("delta", "δ"),
}
"""What the names of numbers have in them that may be what a placeholder asks for."""


NOT = "!"
"""What makes a truth value the other one."""


def is_price(name: str) -> bool:
    """Whether something is called like an ε or a δ."""
    return name.casefold().startswith((*NAMED[EPSILON.name], *NAMED[DELTA.name]))
