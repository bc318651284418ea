"""Rows for statistics of datasets (:mod:`dp_lsp.builtins.datasets`): how far each moves by a step.

``L`` and ``U`` are the bounds of the numbers, ``R = U - L``, and N is the public number of records. Each factor is the
smallest that holds for all datasets of the known bounds. Source of the factors: the sensitivities of dataset
statistics, each attained by datasets that exhaustive enumeration finds (``tests/test_datasets.py``).

Rows for how far the records of a dataset lie from their mean: variances, covariances, and the sums in them.

``L`` and ``U`` are the bounds of the numbers, ``R = U - L``, and N is the public number of records. With t of N numbers
at one end and the others at the other a sum of squared deviations is t(N - t)/N·R²; from 0, t replaced records lead
there. Datasets of private size that have n records or more move furthest where there are n of them, all at one end.

A covariance of two columns that lie between the same bounds moves no further by one record than a variance: where the
means of n records are at the shares p and q of the range, it is at least -min(pq, (1 - p)(1 - q))·R², and a record more
adds at most n/(n + 1)·max(pq, (1 - p)(1 - q))·R²; of all p and q the sum is largest where both means are at one end.
"""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.builtins import monotonicity
from dp_lsp.builtins.datasets import (
    NUMBERS,
    RECORDS,
    ROWS_OF_PEOPLE,
    SOURCE,
    TWO,
    VECTOR,
    Factor,
    applied_to,
    at_least,
    bounds_of,
    by_fewest,
    count_of,
    counted,
    fewest,
    is_sized,
    known_bounds,
    largest,
    may_be_empty,
    number_within,
    numeric_type,
    of_kind,
    of_records,
    once,
    per_change,
    range_of,
    range_or_none,
    span_of,
    unbounded,
    unfit,
)
from dp_lsp.builtins.define import Args, Builtin, Demand, Form, Refusal, Refused, Stability, form, only, share
from dp_lsp.builtins.patterns import STATIC, STATIC_INTEGER, Arrow, Box, GivenTruth, OneOf, Records
from dp_lsp.builtins.traits import Average, ChosenPublicly, Integral, RecordCount, everyday
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.metrics import by_norm, conversion
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, magnitude, number, positive_part
from dp_lsp.core.types import (
    INTEGER,
    REAL,
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Dataset,
    Kind,
    Norm,
    NumberType,
    Type,
    without_value,
)
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

_VARIANCE_ROWS: tuple[Builtin, ...] = (
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

VARIANCES = everyday(_VARIANCE_ROWS)
"""The rows; people call their variables like them."""


_PUBLIC_POINTS = Box(VECTOR, bases=frozenset({Base.INTEGER, Base.REAL}))
_OF_PUBLIC_SIZE, _OF_PRIVATE_SIZE = Records(sized=True), Records(sized=False)


def _norm(args: Args) -> NormVariable:
    """The norm of a vector of statistics: whatever it is used for decides."""
    norm = args.binds.norms.setdefault("result", NormVariable("norm"))
    assert isinstance(norm, NormVariable), "no pattern binds it"
    return norm


def _statistics(args: Args, length: Poly, element: Type) -> Container:
    return Container(Kind.VECTOR, _norm(args), Clip.U, length, element)


_BY_BOUNDS = per_change(largest, range_of, range_or_none)
"""How far a sum of numbers between bounds moves."""


def _total(args: Args) -> Type | Refusal:
    return unbounded() if bounds_of(args) is None else numeric_type(args)


def _made(args: Args) -> Args | None:
    """The same, where the function has made the records; None where it makes no numbers."""
    made = args.applied["f"].result
    if not isinstance(made, NumberType | BoolType):
        return None
    dataset = args.dataset("v")
    return replace(args, types=(args["f"], dataset.of(dataset.records.of(without_value(made)))))


def _total_of_results(args: Args) -> Type | Refusal:
    """Of nothing a function makes nothing, and not even a type: no sum is made of that, and the run fails. `sum` of
    what `map` gives is 0 then."""
    if may_be_empty(args.dataset("v")):
        return Refusal("without any record a run fails here, which tells that there are none; write `sum(map(f, v))`")
    made = _made(args)
    return Refusal("the function must return numbers") if made is None else numeric_type(made)


def _of_results(args: Args) -> Sens:
    """A sum of what a function makes of the records; ∞ where that has no bounds."""
    made = _made(args)
    assert made is not None, "the result refuses all else"
    return INFINITY if bounds_of(made) is None else _BY_BOUNDS(made)


def _total_of_rows(args: Args) -> Type | Refusal:
    dataset = args.dataset("v")
    if isinstance(dataset.records.element, BoolType):
        return Container(Kind.MATRIX, _norm(args), Clip.U, dataset.records.length, INTEGER, Poly.of(1))
    box = dataset.records
    if dataset.radius is None and bounds_of(args) is None:
        return Refusal("its rows have no known norm; bound it with `clip(L2, c, v)`", lacks=Descriptor.ROWS)
    if dataset.radius is None:
        return Container(Kind.MATRIX, _norm(args), Clip.U, box.length, numeric_type(args), Poly.of(1))
    return Container(Kind.MATRIX, Norm(box.clip.value), Clip.U, box.length, REAL, Poly.of(1))


def _row_factor(args: Args) -> Sens:
    """c for a row that is added or removed; 2c for one that replaces another, which may point the other way. Of n
    numbers between bounds each adds as much as one does to a sum: n, √n or 1 times that in L1, L2 and LInf."""
    dataset = args.dataset("v")
    if isinstance(dataset.records.element, BoolType):
        return _marks_factor(args)
    radius = dataset.radius
    if radius is None:
        each, count = _BY_BOUNDS(args), magnitude(dataset.records.length)
        return by_norm(_norm(args), each * count, each * count.root(), each)
    return magnitude(radius) * (TWO if is_sized(args) else ONE)


def _marks_factor(args: Args) -> Sens:
    """Of rows of truth values, of which up to k are true: k, √k or 1 in L1, L2 and LInf. One that takes the place of
    another moves the counts of the k that it has and of the k that the other one had."""
    dataset = args.dataset("v")
    most = _most_marks(dataset)
    if dataset.radius is not None and dataset.records.clip is not Clip.LINF:
        most = most * (TWO if is_sized(args) else ONE)
    return by_norm(_norm(args), most, most.root(), ONE)


def _most_marks(dataset: Dataset) -> Sens:
    """How many truth values of a row are true."""
    if dataset.radius is None or dataset.records.clip is Clip.LINF:
        return magnitude(dataset.records.length)
    return magnitude(dataset.radius).power(1 if dataset.records.clip is Clip.L1 else 2)


def _total_of_entries(args: Args) -> Type | Refusal:
    rows = _total_of_rows(args)
    return rows.element if isinstance(rows, Container) else rows


def _entries_factor(args: Args) -> Sens:
    """What a row measures in L1, and twice that for one that replaces another; of truth values as many as can be true,
    for those of both rows are none or more."""
    dataset = args.dataset("v")
    if isinstance(dataset.records.element, BoolType):
        return _most_marks(dataset)
    if dataset.radius is None:
        return _BY_BOUNDS(args) * magnitude(dataset.records.length)
    return _row_factor(args) * conversion(Norm(dataset.records.clip.value), Norm.L1, dataset.records.length)


def _average(args: Args) -> Type | Refusal:
    refusal = unfit(args, 1)
    return number_within(args, known_bounds(args)) if refusal is None else refusal


def _mean_factor(args: Args) -> Sens:
    """R/N; R/(n+1) where there are n records or more: one that comes makes n + 1."""
    return range_of(args) * by_fewest(args, more=0 if is_sized(args) else 1)


def _average_of_rows(args: Args) -> Type | Refusal:
    rows = _total_of_rows(args)
    return replace(rows, element=REAL) if isinstance(rows, Container) else rows


def _mean_of_rows_factor(args: Args) -> Sens:
    """What a row that replaces another one changes of their sum, over their public number N."""
    return _row_factor(args) * by_fewest(args)


def _mean_of_several(args: Args, steps: int) -> Sens:
    """jR/N. Where there are n ≥ d records or more and d come at one end, dR/(n+d). For d > n as many as can, a, go from
    the other end, for a that come: (d-a)R/(n+d-2a)."""
    count = count_of(args)
    if count is None or is_sized(args):
        return _mean_factor(args) * number(steps)
    gone = min(steps // 2, count) if steps > count else 0
    return range_of(args) * number(Fraction(steps - gone, count + steps - 2 * gone))


def _takes_one_more(args: Args, steps: int) -> bool:
    """Of an odd number of more than n steps one has nothing to go with it: two moves further than twice one."""
    count = count_of(args)
    return not is_sized(args) and count is not None and count < steps < 2 * count and steps % 2 == 1


def _counts(args: Args) -> Type:
    """One count for each pair of edges that follow each other; none, where there is no edge."""
    bins = args.container("edges").length - Poly.of(1)
    return _statistics(args, positive_part(bins).single_poly(), INTEGER)


def _histogram_factor(args: Args) -> Sens:
    """A record is in one bin; one that is replaced moves two of them, in L2 by √2."""

    def replaced(args: Args) -> Sens:
        return by_norm(_norm(args), TWO, TWO.root(), ONE)

    return per_change(once, replaced, replaced)(args)


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

    def comes(args: Args) -> Sens:
        alpha = args.static("alpha")
        return magnitude(alpha).at_least(magnitude(Poly.of(1) - alpha))

    return per_change(comes, once, once)(args)


def _static_size(args: Args) -> Type:
    dataset = args.dataset("v")
    return NumberType(Base.INTEGER, dataset.size * _in_a_record(dataset))


def _in_a_record(dataset: Dataset) -> Poly:
    """How many entries a record has."""
    return Poly.of(1) if dataset.records.rows is None else dataset.records.length


def _entries(args: Args) -> Sens:
    return magnitude(_in_a_record(args.dataset("v")))


def _whole(args: Args) -> Type:
    return INTEGER


# Forms of rows that are about other values, too

LENGTHS = (
    form(_static_size, only(v=ZERO), v=_OF_PUBLIC_SIZE),
    form(_whole, only(v=per_change(_entries, _entries, _entries)), v=_OF_PRIVATE_SIZE),
)
COUNT = form(of_kind(_whole, "p"), of_records(counted, "p"), applies=applied_to("p"), p=Arrow(), v=NUMBERS)
SUMS: tuple[Form, ...] = (
    form(_total, only(v=_BY_BOUNDS), v=NUMBERS),
    form(_total_of_results, only(v=_of_results, f=INFINITY), applies=applied_to("f"), f=Arrow(), v=NUMBERS),
    form(_total_of_entries, only(v=_entries_factor), v=ROWS_OF_PEOPLE),
    form(_total_of_rows, only(v=_row_factor), keywords={"dims": OneOf((1,))}, v=ROWS_OF_PEOPLE),
)

_MEAN = form(
    _average,
    only(v=_mean_factor),
    at_least(1),
    stability={"v": _mean_of_several},
    uneven=_takes_one_more,
    v=NUMBERS,
)
_MEAN_OF_ROWS = form(
    _average_of_rows,
    only(v=_mean_of_rows_factor),
    at_least(1),
    keywords={"dims": OneOf((1,))},
    v=Records(frozenset({Kind.MATRIX}), sized=True),
)
_PRIVATE = "function f(v::MetricVector({}, {}), eps::Static()) :: Priv()\n   {}\nend"

_ROWS: tuple[Builtin, ...] = (
    Builtin(
        "mean",
        "mean(v), mean(m; dims=1)",
        (_MEAN, _MEAN_OF_ROWS),
        "The average of numbers between L and U: R/N-sensitive, R = U - L, where the number N of records is public, "
        "R/(n+1) where there are n records or more, and dR/(n+d) by d of them, up to n. Never divide a sum by a "
        "private count of your own: that has no bound. With dims=1 the average of rows whose number N is public, as "
        "one row: their sum moves N times as far.",
        SOURCE,
        (
            "f(v::MetricVector(Bounded(Real, 0, 100), ChangeOne)) = mean(resize(v, 50, 0))",
            "f(v::MetricVector(Bounded(Real, 0, 100), Symmetric, AtLeast(10))) = mean(v)",
            "f(m::MetricMatrix(Real, ChangeOne)) = mean(clip(L2, 3, m); dims=1)",
        ),
        (
            Refused(_POINTS.format("mean(v)"), "DP208"),
            Refused("f(v::MetricVector(Bounded(Real, 0, 1), Symmetric)) = mean(v)", "DP423"),
            Refused("f(v::MetricVector(Bounded(Real, 0, 1), Symmetric, AtLeast(0))) = mean(v)", "DP304"),
            Refused("f(x::Real) = mean(x)", "DP202"),
            Refused("f(m::MetricMatrix(Real, ChangeOne)) = mean(m; dims=1)", "DP208"),
            Refused("f(m::MetricMatrix(Real, Symmetric)) = mean(clip(L2, 3, m); dims=1)", "DP202"),
        ),
        traits=(Integral(False), Average()),
    ),
    Builtin(
        "count_distinct",
        "count_distinct(v)",
        (form(_whole, only(v=counted), v=RECORDS),),
        "How many different values there are; 1-sensitive. `{code[length]}` of `{code[unique]}` is the same number.",
        SOURCE,
        ("f(v::MetricVector(Integer, ChangeOne)) = count_distinct(v)",),
        (Refused("f(x::Real) = count_distinct(x)", "DP202"),),
        traits=(RecordCount(some=True), Integral(True), monotonicity.BY_RECORDS),
    ),
    Builtin(
        "histogram",
        "histogram(v, edges)",
        (form(_counts, only(v=_histogram_factor, edges=INFINITY), v=NUMBERS, edges=_PUBLIC_POINTS),),
        "How many numbers lie in each bin, from one edge up to the next. What lies outside is not counted; where edges "
        "do not rise and bins overlap, a number is counted in the first of them. One record is in one bin: 1-sensitive "
        "in every norm. One that is replaced moves two bins: 2, √2 or 1 in L1, L2 and LInf. The norm is that of what "
        "it is used for.",
        SOURCE,
        (
            "f(v::MetricVector(Data, ChangeOne)) = histogram(v, [0, 1, 2])",
            _PRIVATE.format("Real", "Symmetric", "laplacian_mechanism(1, eps, histogram(v, [0, 18, 65]))"),
        ),
        (Refused(_POINTS.format("histogram(v, 3)"), "DP202"),),
        traits=(Integral(True), ChosenPublicly((("edges", "edges"),)), monotonicity.COUNTED),
    ),
    Builtin(
        "cumulative_counts",
        "cumulative_counts(v, thresholds)",
        (
            form(
                _cumulative,
                only(v=_for_each("thresholds", counted), thresholds=INFINITY),
                v=NUMBERS,
                thresholds=_PUBLIC_POINTS,
            ),
        ),
        "How many numbers are at most each of T thresholds. A record may be below all of them: T, √T or 1 in L1, L2 "
        "and LInf. The norm is that of what it is used for.",
        SOURCE,
        (
            _POINTS.format("cumulative_counts(v, [1, 2, 3])"),
            _PRIVATE.format("Real", "Symmetric", "laplacian_mechanism(3, eps, cumulative_counts(v, [1, 2, 3]))"),
        ),
        (Refused(_POINTS.format("cumulative_counts(v, 3)"), "DP202"),),
        traits=(Integral(True), ChosenPublicly((("thresholds", "thresholds"),)), monotonicity.COUNTED),
    ),
    Builtin(
        "quantile_score",
        "quantile_score(v, alpha, candidates)",
        (
            form(
                _scores,
                only(v=_for_each("candidates", rank_factor), candidates=INFINITY),
                share("alpha"),
                v=NUMBERS,
                alpha=STATIC,
                candidates=_PUBLIC_POINTS,
            ),
        ),
        "How well each candidate divides the numbers: -|(1 - alpha)·#(below) - alpha·#(above)|, 0 for a candidate that "
        "has the share alpha of the numbers below it. In LInf max(alpha, 1 - alpha)-sensitive, and 1-sensitive where "
        "the number of records is public; T times that in L1 for T candidates, √T in L2.",
        SOURCE,
        ("f(v::MetricVector(Real, Symmetric)) = quantile_score(v, 0.5, [1, 2, 3])",),
        (
            Refused(_POINTS.format("quantile_score(v, 0.5, 3)"), "DP202"),
            Refused(_POINTS.format("quantile_score(v, 2, [1, 2])"), "DP304"),
        ),
        traits=(Integral(False), ChosenPublicly((("candidates", "candidates"),)), monotonicity.RANKED),
    ),
)

ROWS = everyday(_ROWS)
"""The rows; people call their variables like them."""
