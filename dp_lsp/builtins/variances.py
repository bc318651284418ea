"""Rows for how far the records of a dataset lie from their mean: variances, covariances, and the sums in them.

``L`` and ``U`` are the bounds of the numbers, ``R = U - L``, and N is the public number of records. With t of N numbers
at one end and the others at the other a sum of squared deviations is t(N - t)/N·R²; from 0, t replaced records lead
there. Datasets of private size that have n records or more move furthest where there are n of them, all at one end.

A covariance of two columns that lie between the same bounds moves no further by one record than a variance: where the
means of n records are at the shares p and q of the range, it is at least -min(pq, (1 - p)(1 - q))·R², and a record more
adds at most n/(n + 1)·max(pq, (1 - p)(1 - q))·R²; of all p and q the sum is largest where both means are at one end.
"""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.builtins.datasets import (
    NUMBERS,
    ROWS_OF_PEOPLE,
    SOURCE,
    at_least,
    bounds_of,
    by_fewest,
    count_of,
    fewest,
    is_sized,
    number_within,
    range_of,
    span_of,
    unbounded,
    unfit,
)
from dp_lsp.builtins.define import Args, Builtin, Demand, Form, Refusal, Refused, Stability, form, only
from dp_lsp.builtins.patterns import STATIC_INTEGER, GivenTruth
from dp_lsp.builtins.traits import Integral, everyday
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import Sens, number, positive_part
from dp_lsp.core.types import Base, Bounds, NumberType, Type
from dp_lsp.core.values import replace

_ONE = Poly.of(1)


def _squared(args: Args) -> Sens:
    return range_of(args).power(2)


def _corrected(args: Args) -> bool:
    """Whether one less than the number of records is what is divided by."""
    return args.given_truth("corrected", otherwise=True)


def _fewest_for(args: Args) -> int:
    return 2 if _corrected(args) else 1


def _enough(args: Args) -> tuple[Demand, ...]:
    return at_least(_fewest_for(args))(args)


def _largest_share(args: Args) -> Poly:
    """The largest variance there is, in units of R²."""
    count = count_of(args) if is_sized(args) else None
    if count is None:
        return Poly.of(Fraction(1, 2 if _corrected(args) else 4))
    return Poly.of(_at_the_end(count, count // 2) / max(1, count - _corrected(args)))


def _at_the_end(count: int, others: int) -> Fraction:
    """The sum of squared deviations of so many records, in units of R², of which ``others`` are at the other end."""
    return Fraction(others * (count - others), count) if count else Fraction(0)


def _number(args: Args, lowest: Poly, most: Poly) -> NumberType:
    """A number between shares of R²."""
    square = span_of(args) * span_of(args)
    return number_within(args, Bounds(lowest * square, most * square))


def _variance(args: Args) -> Type | Refusal:
    refusal = unfit(args, _fewest_for(args))
    return _number(args, Poly.of(0), _largest_share(args)) if refusal is None else refusal


def _covariance(args: Args) -> Type | Refusal:
    refusal = unfit(args, _fewest_for(args))
    return _number(args, -_largest_share(args), _largest_share(args)) if refusal is None else refusal


def _variance_factor(args: Args) -> Sens:
    """R²/N, or R²(N - 1)/N² divided by N. Where there are n records or more R²/(n + 1), or R²n/(n + 1)²."""
    more = 0 if is_sized(args) else 1
    factor = _squared(args) * by_fewest(args, more)
    if _corrected(args):
        return factor
    known = fewest(args)
    assert known is not None, "the result refuses any number of records"
    return factor * by_fewest(args, more) * positive_part(known - Poly.of(1 - more))


def _variance_of_several(args: Args, steps: int) -> Sens:
    """t(N - t)/N·R² divided as a variance is, t = min(d, N/2); where there are n ≥ d records or more dn/(n + d)²·R²."""
    count = count_of(args)
    linear = _variance_factor(args) * number(steps)
    if count is None or (_corrected(args) and not is_sized(args)):
        return linear
    if is_sized(args):
        return _squared(args) * _scattered(count, steps, max(1, count - _corrected(args)))
    few = count < steps
    return _squared(args) * number(Fraction(1, 4) if few else Fraction(count * steps, (count + steps) ** 2))


def _scattered(count: int, steps: int, divisor: int = 1) -> Sens:
    return number(_at_the_end(count, min(steps, count // 2)) / divisor)


def _deviations_type(args: Args, lowest: int) -> Type | Refusal:
    if bounds_of(args) is None:
        return unbounded()
    count = count_of(args) if is_sized(args) else None
    if count is None:
        return NumberType(Base.REAL)
    most = Poly.of(_at_the_end(count, count // 2))
    return _number(args, most * Poly.of(lowest), most)


def _some(args: Args) -> tuple[Demand, ...]:
    return at_least(1)(args) if is_sized(args) else ()


def _deviations_factor(args: Args) -> Sens:
    """R²; R²(N - 1)/N where the number of records is public."""
    if not is_sized(args):
        return _squared(args)
    known = fewest(args)
    assert known is not None, "it is public"
    return _squared(args) * by_fewest(args) * positive_part(known - _ONE)


def _deviations_of_several(args: Args, steps: int) -> Sens:
    """t(N - t)/N·R², t = min(d, N/2)."""
    count = count_of(args) if is_sized(args) else None
    if count is None:
        return _deviations_factor(args) * number(steps)
    return _squared(args) * _scattered(count, steps)


def _columns(args: Args) -> tuple[Demand, ...]:
    """Both columns must be there."""
    columns, places = args.records.records.length, {name: args.static(name) for name in ("i", "j")}
    largest = max(places, key=lambda name: places[name].number or 0)
    known = all(place.number is not None for place in places.values())
    limits = [Demand(_ONE, "<=", place, name) for name, place in places.items()]
    within = [Demand(place, "<=", columns, name) for name, place in places.items() if name == largest or not known]
    return (*limits, *within)


def _by_denominator(made: Form) -> tuple[Form, Form]:
    """A form as it is, and with ``corrected``."""
    return made, replace(made, params=(*made.params, *_CORRECTED))


_CORRECTED = form(lambda args: NumberType(Base.REAL), only(), keywords={"corrected": GivenTruth()}).params
_SEVERAL: dict[str, Stability] = {"v": _variance_of_several}
_POINTS = "f(v::MetricVector(Real, Symmetric)) = {}"
_BOUNDED = "f(v::MetricVector(Bounded(Real, 0, 100), {})) = {}"
_ROWS_BOUNDED = "f(m::MetricMatrix(Bounded(Real, 0, 100), {})) = {}"

DEVIATIONS = "squared_deviations"

_ROWS: tuple[Builtin, ...] = (
    Builtin(
        "var",
        "var(v), var(v; corrected)",
        _by_denominator(form(_variance, only(v=_variance_factor), _enough, stability=_SEVERAL, v=NUMBERS)),
        "The variance of numbers between L and U, with N - 1 in the denominator: R²/N-sensitive, R = U - L, where the "
        "number N of records is public, R²/(n+1) where there are n records or more. With corrected=false the "
        "denominator is N: R²(N-1)/N² and R²n/(n+1)². Several records of a person move it by less than so many times "
        "that.",
        SOURCE,
        (
            _BOUNDED.format("Symmetric, AtLeast(10)", "var(v)"),
            _BOUNDED.format("ChangeOne, Size(10)", "var(v; corrected=false)"),
        ),
        (
            Refused(_POINTS.format("var(v)"), "DP208"),
            Refused(_BOUNDED.format("Symmetric, AtLeast(1)", "var(v)"), "DP304"),
            Refused(_BOUNDED.format("ChangeOne", "var(v; corrected=0)"), "DP202"),
            Refused("f(x::Real) = var(x)", "DP202"),
        ),
        traits=(Integral(False),),
    ),
    Builtin(
        DEVIATIONS,
        "squared_deviations(v)",
        (
            form(
                lambda args: _deviations_type(args, 0),
                only(v=_deviations_factor),
                _some,
                stability={"v": _deviations_of_several},
                v=NUMBERS,
            ),
        ),
        "The sum of the squared deviations of the numbers from their mean: R²-sensitive for numbers between L and U, "
        "R = U - L, and R²(N-1)/N where the number N of records is public.",
        SOURCE + "; where there may be any number of records R² is the supremum over all of them",
        (_BOUNDED.format("Symmetric", "squared_deviations(v)"),),
        (
            Refused(_POINTS.format("squared_deviations(v)"), "DP208"),
            Refused(_BOUNDED.format("ChangeOne, Size(0)", "squared_deviations(v)"), "DP304"),
            Refused("f(x::Real) = squared_deviations(x)", "DP202"),
        ),
        traits=(Integral(False),),
    ),
    Builtin(
        "covariance",
        "covariance(m, i, j), covariance(m, i, j; corrected)",
        _by_denominator(
            form(
                _covariance,
                only(m=_variance_factor),
                lambda args: (*_enough(args), *_columns(args)),
                m=ROWS_OF_PEOPLE,
                i=STATIC_INTEGER,
                j=STATIC_INTEGER,
            )
        ),
        "The covariance of columns i and j of rows of people, whose entries lie between L and U: as sensitive as a "
        "variance. Scale columns of different ranges to the same bounds first, and scale the result back.",
        SOURCE + "; for several records of a person it is an upper bound",
        (
            _ROWS_BOUNDED.format("Symmetric, AtLeast(10)", "covariance(m, 1, 2)"),
            _ROWS_BOUNDED.format("ChangeOne", "covariance(m, 1, 2; corrected=false)"),
        ),
        (
            Refused("f(m::MetricMatrix(Real, ChangeOne)) = covariance(m, 1, 2)", "DP208"),
            Refused(_ROWS_BOUNDED.format("ChangeOne", "covariance(m, 0, 1)"), "DP304"),
            Refused("f(x::Real) = covariance(x, 1, 2)", "DP202"),
        ),
        traits=(Integral(False),),
    ),
    Builtin(
        "cross_deviations",
        "cross_deviations(m, i, j)",
        (
            form(
                lambda args: _deviations_type(args, -1),
                only(m=_deviations_factor),
                lambda args: (*_some(args), *_columns(args)),
                m=ROWS_OF_PEOPLE,
                i=STATIC_INTEGER,
                j=STATIC_INTEGER,
            ),
        ),
        "The sum of the products of the deviations of columns i and j from their means: R²-sensitive for "
        "entries between L and U, R = U - L, and R²(N-1)/N where the number N of rows is public.",
        SOURCE + "; where there may be any number of rows R² is the supremum over all of them",
        (_ROWS_BOUNDED.format("Symmetric", "cross_deviations(m, 1, 2)"),),
        (
            Refused("f(m::MetricMatrix(Real, ChangeOne)) = cross_deviations(m, 1, 2)", "DP208"),
            Refused(_ROWS_BOUNDED.format("ChangeOne", "cross_deviations(m, 1, 0)"), "DP304"),
            Refused("f(x::Real) = cross_deviations(x, 1, 2)", "DP202"),
        ),
        traits=(Integral(False),),
    ),
)

ROWS = everyday(_ROWS)
"""The rows; people call their variables like them."""
