"""Rows for statistics of datasets (:mod:`dp_lsp.builtins.datasets`): how far each moves by a step.

``L`` and ``U`` are the bounds of the numbers, ``R = U - L``, and N is the public number of records. Each factor is the
smallest that holds for all datasets of the known bounds. Source of the factors: the sensitivities of dataset
statistics, each attained by datasets that exhaustive enumeration finds (``tests/test_datasets.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dp_lsp.builtins import intervals
from dp_lsp.builtins.datasets import (
    NUMBERS,
    ROWS_OF_PEOPLE,
    TWO,
    VECTOR,
    Factor,
    applied_to,
    bounds_of,
    is_sized,
    of_records,
    once,
    per_step,
)
from dp_lsp.builtins.define import Args, Builtin, Demand, Form, Refusal, Refused, form, only
from dp_lsp.builtins.patterns import STATIC, Arrow, Box, OneOf, Records
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.metrics import by_norm
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, inverse_magnitude, magnitude
from dp_lsp.core.types import (
    INTEGER,
    REAL,
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Kind,
    Norm,
    NumberType,
    Type,
    TypeVariable,
)

_STATISTICS = "Exhaustive enumeration of small datasets attains each factor, and none exceeds it"
_PUBLIC_POINTS = Box(VECTOR, bases=frozenset({Base.INTEGER, Base.REAL}))
_OF_PUBLIC_SIZE, _OF_PRIVATE_SIZE = Records(VECTOR, sized=True), Records(VECTOR, sized=False)


def _known_bounds(args: Args) -> Bounds:
    found = bounds_of(args)
    assert found is not None, "the result refuses numbers without bounds"
    return found


def _range(args: Args) -> Sens:
    """R, the largest difference of two numbers."""
    bounds = _known_bounds(args)
    return magnitude(bounds.high - bounds.low)


def _largest(args: Args) -> Sens:
    """max(|L|, |U|), the largest size of a number."""
    return intervals.most(_known_bounds(args))


def _unbounded() -> Refusal:
    return Refusal("nothing is known of how large its numbers are; say where they lie with `clamp(v, L, U)`")


def _number(args: Args) -> NumberType:
    """What sums of the records are: whole where the records are."""
    element = args.dataset("v").records.element
    whole = isinstance(element, BoolType) or (isinstance(element, NumberType) and element.base is Base.INTEGER)
    return INTEGER if whole else REAL


def _norm(args: Args) -> NormVariable:
    """The norm of a vector of statistics: whatever it is used for decides."""
    norm = args.binds.norms.setdefault("result", NormVariable("norm"))
    assert isinstance(norm, NormVariable), "no pattern binds it"
    return norm


def _statistics(args: Args, length: Poly, element: Type) -> Container:
    return Container(Kind.VECTOR, _norm(args), Clip.U, length, element)


def _total(args: Args) -> Type | Refusal:
    return _unbounded() if bounds_of(args) is None else _number(args)


def _total_of_rows(args: Args) -> Type | Refusal:
    dataset = args.dataset("v")
    if dataset.radius is None:
        return Refusal("nothing is known of how long its rows are; make them at most c with `clip(L2, c, v)`")
    box = dataset.records
    return Container(Kind.MATRIX, Norm(box.clip.value), Clip.U, box.length, REAL, Poly.of(1))


def _row_factor(args: Args) -> Sens:
    """c for a row that comes or goes; 2c for one that takes the place of another, which may point the other way."""
    radius = args.dataset("v").radius
    assert radius is not None, "the result refuses rows of any length"
    return magnitude(radius) * (TWO if is_sized(args) else ONE)


def _average(args: Args) -> Type | Refusal:
    if bounds_of(args) is None:
        return _unbounded()
    return REAL if _fewest(args) is not None else _too_few(1)


def _fewest(args: Args) -> Poly | None:
    """How many records there are at least, if that is public."""
    dataset = args.dataset("v")
    return dataset.size if dataset.metric.sized else dataset.least


def _too_few(least: int) -> Refusal:
    return Refusal(
        f"say how many there are at least with `AtLeast({least})` or more, or make them so many with "
        "`resize(v, n, fill)`",
        uncounted="v",
    )


def _variance(args: Args) -> Type | Refusal:
    if bounds_of(args) is None:
        return _unbounded()
    return REAL if _fewest(args) is not None else _too_few(2)


def _at_least(least: int) -> Callable[[Args], tuple[Demand, ...]]:
    def demands(args: Args) -> tuple[Demand, ...]:
        fewest = _fewest(args)
        return () if fewest is None else (Demand(Poly.of(least), "<=", fewest, "v"),)

    return demands


def _by_fewest(args: Args, more: int = 0) -> Sens:
    """1/(N + more), for the public number N of records, or the least number that is public."""
    fewest = _fewest(args)
    assert fewest is not None, "the result refuses any number of records"
    return inverse_magnitude(fewest + Poly.of(more))


def _mean_factor(args: Args) -> Sens:
    """R/N; R/(n+1) where there are n records or more: one that comes makes n + 1."""
    return _range(args) * _by_fewest(args, more=0 if is_sized(args) else 1)


def _variance_factor(args: Args) -> Sens:
    """R²/N; R²/(n+1) where there are n records or more."""
    return _range(args) * _mean_factor(args)


def _counts(args: Args) -> Type:
    return _statistics(args, args.container("edges").length - Poly.of(1), INTEGER)


def _histogram_factor(args: Args) -> Sens:
    """A record is in one bin; one that is replaced moves two of them, in L2 by √2."""
    if is_sized(args):
        return by_norm(_norm(args), TWO, TWO.root(), ONE)
    return ONE


def _cumulative(args: Args) -> Type:
    return _statistics(args, args.container("thresholds").length, INTEGER)


def _scores(args: Args) -> Type:
    return _statistics(args, args.container("candidates").length, REAL)


def _for_each(points: str, one: Factor) -> Factor:
    """How far T statistics move of which each moves by ``one``: T, √T or 1 times as far in L1, L2 and LInf."""

    def factor(args: Args) -> Sens:
        each, count = one(args), magnitude(args.container(points).length)
        return by_norm(_norm(args), each * count, each * count.root(), each)

    return factor


def rank_factor(args: Args) -> Sens:
    """max(α, 1 - α) for a record that is added; 1 for one that moves from one side of a candidate to the other."""
    alpha = args.static("alpha")
    return ONE if is_sized(args) else magnitude(alpha).at_least(magnitude(Poly.of(1) - alpha))


def a_share(args: Args) -> tuple[Demand, ...]:
    alpha = args.static("alpha")
    return Demand(Poly.of(0), "<=", alpha, "alpha"), Demand(alpha, "<=", Poly.of(1), "alpha")


def _static_size(args: Args) -> Type:
    return NumberType(Base.INTEGER, args.dataset("v").size)


def _whole(args: Args) -> Type:
    return INTEGER


def _answered(args: Args) -> Type | Refusal:
    answer = args.applied["p"].result
    return INTEGER if isinstance(answer, BoolType | TypeVariable) else Refusal("the function must answer with a Bool")


# Forms of rows that are about other values, too

LENGTHS = (
    form(_static_size, only(v=ZERO), v=_OF_PUBLIC_SIZE),
    form(_whole, only(v=ONE), v=_OF_PRIVATE_SIZE),
)
COUNT = form(_answered, of_records(once, "p"), applies=applied_to("p"), p=Arrow(), v=NUMBERS)
SUMS: tuple[Form, ...] = (
    form(_total, only(v=per_step(_largest, _range)), v=NUMBERS),
    form(_total_of_rows, only(v=_row_factor), keywords={"dims": OneOf((1,))}, v=ROWS_OF_PEOPLE),
)

_PRIVATE = "function f(v::MetricVector({}, {}), eps::Static()) :: Priv()\n   {}\nend"
_POINTS = "f(v::MetricVector(Real, Symmetric)) = {}"

_ROWS: tuple[Builtin, ...] = (
    Builtin(
        "mean",
        "mean(v)",
        (form(_average, only(v=_mean_factor), _at_least(1), v=NUMBERS),),
        "The average of numbers between L and U: R/N-sensitive, R = U - L, where the number N of records is public, "
        "R/(n+1) where there are n records or more. Never divide a sum by a private count of your own: that has no "
        "bound.",
        _STATISTICS,
        (
            "f(v::MetricVector(Bounded(Real, 0, 100), ChangeOne)) = mean(resize(v, 50, 0))",
            "f(v::MetricVector(Bounded(Real, 0, 100), Symmetric, AtLeast(10))) = mean(v)",
        ),
        (
            Refused(_POINTS.format("mean(v)"), "DP208"),
            Refused("f(v::MetricVector(Bounded(Real, 0, 1), Symmetric)) = mean(v)", "DP423"),
            Refused("f(v::MetricVector(Bounded(Real, 0, 1), Symmetric, AtLeast(0))) = mean(v)", "DP304"),
            Refused("f(x::Real) = mean(x)", "DP202"),
        ),
        whole=False,
    ),
    Builtin(
        "var",
        "var(v)",
        (form(_variance, only(v=_variance_factor), _at_least(2), v=NUMBERS),),
        "The variance of numbers between L and U, with N - 1 in the denominator: R²/N-sensitive, R = U - L, where the "
        "number N of records is public, R²/(n+1) where there are n records or more.",
        _STATISTICS,
        ("f(v::MetricVector(Bounded(Real, 0, 100), Symmetric, AtLeast(10))) = var(v)",),
        (
            Refused(_POINTS.format("var(v)"), "DP208"),
            Refused("f(v::MetricVector(Bounded(Real, 0, 1), Symmetric, AtLeast(1))) = var(v)", "DP304"),
            Refused("f(x::Real) = var(x)", "DP202"),
        ),
        whole=False,
    ),
    Builtin(
        "histogram",
        "histogram(v, edges)",
        (form(_counts, only(v=_histogram_factor, edges=INFINITY), v=NUMBERS, edges=_PUBLIC_POINTS),),
        "How many numbers lie in each bin, from one edge up to the next; the edges rise, and what lies outside is not "
        "counted. One record is in one bin: 1-sensitive in every norm. One that is replaced moves two bins: 2, √2 or 1 "
        "in L1, L2 and LInf. The norm is that of what it is used for.",
        _STATISTICS,
        (
            "f(v::MetricVector(Data, ChangeOne)) = histogram(v, [0, 1, 2])",
            _PRIVATE.format("Real", "Symmetric", "laplacian_mechanism(1, eps, histogram(v, [0, 18, 65]))"),
        ),
        (Refused(_POINTS.format("histogram(v, 3)"), "DP202"),),
        whole=True,
        chosen=(("edges", "edges"),),
    ),
    Builtin(
        "cumulative_counts",
        "cumulative_counts(v, thresholds)",
        (
            form(
                _cumulative,
                only(v=_for_each("thresholds", once), thresholds=INFINITY),
                v=NUMBERS,
                thresholds=_PUBLIC_POINTS,
            ),
        ),
        "How many numbers are at most each of T thresholds. A record may be below all of them: T, √T or 1 in L1, L2 "
        "and LInf. The norm is that of what it is used for.",
        _STATISTICS,
        (
            _POINTS.format("cumulative_counts(v, [1, 2, 3])"),
            _PRIVATE.format("Real", "Symmetric", "laplacian_mechanism(3, eps, cumulative_counts(v, [1, 2, 3]))"),
        ),
        (Refused(_POINTS.format("cumulative_counts(v, 3)"), "DP202"),),
        whole=True,
        chosen=(("thresholds", "thresholds"),),
    ),
    Builtin(
        "quantile_score",
        "quantile_score(v, alpha, candidates)",
        (
            form(
                _scores,
                only(v=_for_each("candidates", rank_factor), candidates=INFINITY),
                a_share,
                v=NUMBERS,
                alpha=STATIC,
                candidates=_PUBLIC_POINTS,
            ),
        ),
        "How well each candidate divides the numbers: -|(1 - alpha)·#(below) - alpha·#(above)|, 0 for a candidate that "
        "has the share alpha of the numbers below it. In LInf max(alpha, 1 - alpha)-sensitive, and 1-sensitive where "
        "the number of records is public; T times that in L1 for T candidates, √T in L2.",
        _STATISTICS,
        ("f(v::MetricVector(Real, Symmetric)) = quantile_score(v, 0.5, [1, 2, 3])",),
        (
            Refused(_POINTS.format("quantile_score(v, 0.5, 3)"), "DP202"),
            Refused(_POINTS.format("quantile_score(v, 2, [1, 2])"), "DP304"),
        ),
        whole=False,
        chosen=(("candidates", "candidates"),),
    ),
)

ROWS = tuple(replace(row, everyday=True) for row in _ROWS)
"""The rows; people call their variables like them."""
