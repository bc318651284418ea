"""Rows for datasets: records of people, compared by how many of them are added, removed or replaced.

One step from one dataset to another adds or removes a record (Symmetric, InsertDelete), or puts one in the place of
another (ChangeOne, Hamming). These rows make datasets of datasets; those of :mod:`dp_lsp.builtins.statistics` numbers.

What is public of a dataset, as the rows of statistics need it: where its numbers lie, and how many there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from dp_lsp.builtins import intervals, monotonicity
from dp_lsp.builtins.define import (
    Application,
    Args,
    Builtin,
    Demand,
    Factors,
    Form,
    Refusal,
    Refused,
    Result,
    form,
    not_negative,
    only,
)
from dp_lsp.builtins.patterns import STATIC, STATIC_INTEGER, Arrow, GivenNorm, Records
from dp_lsp.builtins.traits import ByRecord, ComposableFilter, ForRows, IntegerArguments, Integral, LosesFacts, everyday
from dp_lsp.core.algebra import NormVariable, Poly, Sign, Symbol
from dp_lsp.core.constraints import decide
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.sens import INFINITY, ONE, Sens, inverse_magnitude, magnitude, number, positive_part
from dp_lsp.core.types import (
    INTEGER,
    REAL,
    AnyNorm,
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Dataset,
    DatasetMetric,
    Kind,
    Norm,
    NumberType,
    Type,
    TypeVariable,
    without_static,
    without_value,
)
from dp_lsp.core.values import replace

VECTOR, MATRIX = frozenset({Kind.VECTOR}), frozenset({Kind.MATRIX})
NUMBERS, ROWS_OF_PEOPLE, RECORDS = Records(VECTOR), Records(MATRIX), Records()
_POINTWISE = "Immediate from the metric: a record is counted, or changed, by itself"
TWO, HALF = number(2), number(Fraction(1, 2))


def per_step(private: Factor, public: Factor) -> Factor:
    """A factor that depends on whether the number of records is private or public."""

    def of(args: Args) -> Sens:
        return (public if is_sized(args) else private)(args)

    return of


def per_change(comes: Factor, replaced: Factor, paired: Factor) -> Factor:
    """A factor that depends on what a change is: a record that comes or goes, one that takes the place of another, or
    both of that, in two steps, where a filter may have kept either."""

    def of(args: Args) -> Sens:
        if is_sized(args):
            return replaced(args)
        return HALF * paired(args) if args.records.balanced else comes(args)

    return of


Factor = Callable[[Args], Sens]


def is_sized(args: Args) -> bool:
    """Whether the number of records of the dataset is public."""
    return args.records.metric.sized


def may_be_empty(dataset: Dataset) -> bool:
    """Whether it may have no record while neighbours of it have one. What fails then tells one from the other."""
    sure = dataset.least is not None and decide(Poly.of(1), "<=", dataset.least)
    return not (dataset.metric.sized or sure)


def once(args: Args) -> Sens:
    """A step changes one record of the result."""
    return ONE


def twice(args: Args) -> Sens:
    """A record that is replaced is one that is removed and one that is added."""
    return TWO


counted = per_change(once, once, once)
"""A change moves a number of records by 1: one that comes counts, or one that goes, or both, which cancel."""


def bounds_of(args: Args) -> Bounds | None:
    """Where the numbers of the dataset lie; truth values are 0 or 1."""
    element = args.records.records.element
    if isinstance(element, BoolType):
        return Bounds(Poly.of(0), Poly.of(1))
    return element.bounds if isinstance(element, NumberType) else None


def _resized(dataset: Dataset, size: Poly, metric: DatasetMetric) -> Dataset:
    """The records of a dataset, but another number of them."""
    box = dataset.records
    records = replace(box, length=size) if box.rows is None else replace(box, rows=size)
    return Dataset(metric, records, None, dataset.radius, dataset.balanced and metric is dataset.metric)


def _some_records() -> Poly:
    """A number of records that nobody knows."""
    return Poly.of(Symbol("records", Sign.NONNEGATIVE, integer=True))


def some_of(dataset: Dataset) -> Dataset:
    """Those of the records of which a function of the record says so; how many they are is private. Where a record took
    the place of another, one of them at most is a record less, and one a record more."""
    return _in_any_number(dataset, DatasetMetric.INSERT_DELETE if dataset.metric.ordered else DatasetMetric.SYMMETRIC)


def _in_any_number(dataset: Dataset, metric: DatasetMetric) -> Dataset:
    balanced = dataset.metric.sized or dataset.balanced
    return replace(_resized(dataset, _some_records(), metric), balanced=balanced)


# Records made of records


def _mapped(args: Args) -> Type | Refusal:
    element = args.applied["f"].result
    if not isinstance(element, NumberType | BoolType | TypeVariable):
        return Refusal("the function must return numbers")
    dataset = args.dataset("v")
    return _of_no_type(args, dataset) or dataset.of(dataset.records.of(without_value(element)))


def _of_no_type(args: Args, dataset: Dataset) -> Refusal | None:
    """What is made of no records has the type that is inferred of the function. Where there is none, most of what is
    made of it fails, such as a sum, and that tells that there are no records. Source: Julia's Base (`array.jl`,
    `collect`; `reduce.jl`, `reduce_empty`), and the Julia manual, "Performance Tips", on untyped global variables and
    on captured ones."""
    untyped = args.applied["f"].untyped
    if not untyped or not may_be_empty(dataset):
        return None
    return Refusal(
        f"`{untyped}` may be given a value of another type, so where there is no record nothing is known of the type "
        f"of what is made; what is made of that may fail, which tells that there is none; read it by a name that gets "
        "one value: a `const` at top level, a variable of the round in a loop"
    )


def a_row(box: Container) -> Container:
    """A row as a vector, measured in any norm: whatever is made of it is one record."""
    row = Container(Kind.VECTOR, NormVariable("norm", free=True), Clip.U, box.length, without_static(box.element))
    return replace(row, stored=box.stored)


def _mapped_rows(args: Args) -> Type | Refusal:
    """Numbers, or other rows, made of the rows one by one."""
    dataset, made = args.dataset("m"), args.applied["f"].result
    refusal = _of_no_type(args, dataset)
    if refusal is not None:
        return refusal
    if isinstance(made, Container) and made.kind is Kind.VECTOR:
        rows = replace(dataset.records, length=made.length, element=made.element, clip=Clip.U)
        return _short_rows(dataset.of(rows), made.norm, args.applied["f"].radius)
    if isinstance(made, NumberType | BoolType):
        element = without_value(made)
        return dataset.of(Container(Kind.VECTOR, dataset.records.norm, Clip.U, dataset.size, element))
    return Refusal("the function must return a number or a vector")


def _short_rows(dataset: Dataset, norm: AnyNorm, radius: Sens | None) -> Dataset:
    """Rows that are known to measure at most so much in a norm, if they are."""
    if not isinstance(norm, Norm) or radius is None or radius.infinite:
        return dataset
    records = replace(dataset.records, clip=Clip(norm.value))
    return replace(dataset.of(records), radius=radius.single_poly())


def _numbers_of_rows(args: Args) -> Type | Refusal:
    """Numbers made of the rows one by one: a vector for each would be a vector of vectors, and no matrix."""
    made = args.applied["f"].result
    if isinstance(made, NumberType | BoolType | TypeVariable):
        return _mapped_rows(args)
    return Refusal("it must make a number of each row; `map_rows` makes a matrix of rows")


def of_kind(result: Result, function: str) -> Result:
    """The result of a row whose function must say of each record whether it is one of a kind."""

    def found(args: Args) -> Type | Refusal:
        if not isinstance(args.applied[function].result, BoolType | TypeVariable):
            return Refusal("the function must return a Bool")
        return result(args)

    return found


_KEPT = of_kind(lambda args: some_of(args.dataset("v")), "f")


def _distinct(args: Args) -> Type:
    return _in_any_number(args.dataset("v"), DatasetMetric.SYMMETRIC)


def _repeated(args: Args) -> Type:
    dataset, times = args.dataset("v"), args.static("k")
    found = _resized(dataset, dataset.size * times if dataset.metric.sized else _some_records(), dataset.metric)
    return replace(found, least=None if dataset.least is None else dataset.least * times)


def _clamped(args: Args) -> Type:
    dataset = args.dataset("v")
    element = dataset.records.element
    whole = all(map(_is_whole, (element, args["L"], args["U"])))
    bounds = Bounds(args.static("L"), args.static("U"))
    return dataset.of(dataset.records.of(NumberType(Base.INTEGER if whole else Base.REAL, bounds=bounds)))


def _is_whole(type_: Type) -> bool:
    """Whether these are integers to Julia, which 2.0 is not: beside it others are stored as it is."""
    return isinstance(type_, NumberType) and type_.base is Base.INTEGER


def _with_short_rows(args: Args) -> Type:
    dataset = args.dataset("v")
    records = dataset.records.of(REAL, Clip(args.given_norm("N").value))
    return replace(dataset.of(records), radius=args.static("c"))


def _of_given_size(args: Args) -> Type:
    """What is filled in is a record like the others: a fraction makes real numbers of them, and any number makes
    numbers of truth values."""
    found = _resized(args.dataset("v"), args.static("n"), DatasetMetric.CHANGE_ONE)
    element = found.records.element
    if isinstance(element, BoolType):
        element = NumberType(Base.INTEGER, bounds=bounds_of(args))
    if not _is_whole(element) or not _is_whole(args["x"]):
        element = NumberType(Base.REAL, bounds=bounds_of(args))
    return replace(found, records=found.records.of(element))


def _ordered(args: Args) -> tuple[Demand, ...]:
    return (Demand(args.static("L"), "<=", args.static("U"), "L"),)


def _within_bounds(args: Args) -> Iterable[Demand]:
    filled, bounds = args.static("x"), bounds_of(args)
    sizes = not_negative("n")(args)
    if bounds is None:
        return sizes
    return *sizes, Demand(bounds.low, "<=", filled, "x"), Demand(filled, "<=", bounds.high, "x")


def applied_to(function: str) -> Application:
    """The function is called with every record of the dataset."""
    return Application(function, lambda args: (_a_record(args.records),))


def _a_record(dataset: Dataset) -> Type:
    """A record as a function is given it: a number, or a row."""
    return dataset.records.element if dataset.records.rows is None else a_row(dataset.records)


def of_records(factor: Factor, function: str = "f") -> Factors:
    """What a function captured moves every record, however many there are."""
    return only(v=factor, **{function: INFINITY})


# Forms of rows that are about other values, too

MAP = form(_mapped, of_records(once), applies=applied_to("f"), f=Arrow(), v=NUMBERS)
MAP_ROWS = form(_mapped_rows, only(m=ONE, f=INFINITY), applies=applied_to("f"), f=Arrow(), m=ROWS_OF_PEOPLE)
CLAMP = form(_clamped, only(v=ONE), _ordered, v=NUMBERS, L=STATIC, U=STATIC)
CLIP = form(_with_short_rows, only(v=ONE), not_negative("c"), N=GivenNorm(), c=STATIC, v=ROWS_OF_PEOPLE)
KEEPING, KEEPING_ROWS = "filter", "filter_rows"
_POINTS = "f(v::MetricVector(Real, Symmetric)) = {}"

_ROWS: tuple[Builtin, ...] = (
    Builtin(
        KEEPING,
        "filter(f, v)",
        (form(_KEPT, of_records(per_step(once, twice)), applies=applied_to("f"), f=Arrow(), v=NUMBERS),),
        "The records of which a function of the record says true. How many they are is private: a replaced record may "
        "take one away and bring one, so 2-sensitive where the number of records was public, else 1-sensitive. Counts "
        "and sums of them know that of two such steps one brings and one takes away: a count moves by 1, a sum of "
        "numbers between L and U by max(U, 0) - min(L, 0).",
        _POINTWISE,
        ("f(v::MetricVector(Real, Symmetric)) = length(filter(x -> x > 3, v))",),
        (
            Refused("g(x) = x\nf(v::MetricVector(Real, Symmetric)) = length(filter(g, v))", "DP208"),
            Refused("f(m::MetricMatrix(Real, Symmetric)) = filter(x -> x[1] > 3, m)", "DP202"),
            Refused("f(x::Real) = filter(y -> y > 3, x)", "DP202"),
        ),
        traits=(
            LosesFacts("how many records it keeps is private"),
            ForRows("filter_rows"),
            ComposableFilter(),
            ByRecord.KEEPS,
            monotonicity.BY_RECORDS,
        ),
    ),
    Builtin(
        "unique",
        "unique(v)",
        (form(_distinct, only(v=per_step(once, twice)), v=NUMBERS),),
        "Every value once, in any order. 1-sensitive; 2-sensitive where the number of records was public: a replaced "
        "record may take a value away and bring one. How many there are moves by 1 all the same.",
        _POINTWISE,
        ("f(v::MetricVector(Integer, Symmetric)) = length(unique(v))",),
        (Refused("f(x::Real) = unique(x)", "DP202"),),
        traits=(LosesFacts("how many of them are distinct is private"), monotonicity.BY_RECORDS),
    ),
    Builtin(
        "repeat",
        "repeat(v, k)",
        (
            form(
                _repeated,
                only(v=lambda args: magnitude(args.static("k"))),
                not_negative("k"),
                v=RECORDS,
                k=STATIC_INTEGER,
            ),
        ),
        "All records, k times over: k-sensitive.",
        _POINTWISE,
        ("f(v::MetricVector(Real, Symmetric)) = length(repeat(v, 3))",),
        (
            Refused("f(x::Real) = repeat(x, 3)", "DP202"),
            Refused(_POINTS.format("length(repeat(v, -1))"), "DP304"),
        ),
        traits=(monotonicity.BY_RECORDS, IntegerArguments(("k",))),
    ),
    Builtin(
        "resize",
        "resize(v, n, x)",
        (
            form(
                _of_given_size,
                only(v=counted),
                _within_bounds,
                v=NUMBERS,
                n=STATIC_INTEGER,
                x=STATIC,
            ),
        ),
        "Exactly n records: n of them taken at random where there are more, and `x` added where there are fewer. "
        "Their number is public then: 1-sensitive into ChangeOne. What is filled in must lie between the bounds. "
        "Beside a number truth values are 0 or 1.",
        "A record more takes the place of one that was taken, or of one that was filled in",
        ("f(v::MetricVector(Bounded(Real, 0, 1), Symmetric)) = sum(resize(v, 100, 0))",),
        (
            Refused("f(v::MetricVector(Bounded(Real, 0, 1), Symmetric)) = sum(resize(v, 100, 2))", "DP304"),
            Refused("f(x::Real) = resize(x, 3, 0)", "DP202"),
        ),
        traits=(IntegerArguments(("n",)),),
    ),
)

ROWS = everyday(_ROWS)
"""The rows; people call their variables like them."""


# Records that are rows of a matrix are chosen and counted by rows of their own, as `map_rows` maps them. `count` and
# `filter` of Julia are given the entries of a matrix one by one, and what is written for a row may be true of a number,
# too: `x[1]` is the number.

_SOURCE = "Immediate from the metric: a record is counted, or kept, by itself"
_ROWS_OF = "f(m::MetricMatrix(Real, {})) = {}"


def _by_row(result: Result, factor: Factor) -> Form:
    """What a function says of each row decides; what it captured moves every record."""
    factors = only(m=factor, p=INFINITY)
    return form(of_kind(result, "p"), factors, applies=applied_to("p"), p=Arrow(), m=ROWS_OF_PEOPLE)


OF_ROWS = "[… for … in eachrow(m)]"
"""The id of a comprehension over the rows of a dataset, which has no name."""

RECORD_ROWS: tuple[Builtin, ...] = (
    Builtin(
        OF_ROWS,
        OF_ROWS,
        (form(_numbers_of_rows, only(m=ONE, f=INFINITY), applies=applied_to("f"), f=Arrow(), m=ROWS_OF_PEOPLE),),
        "Numbers that are made of the rows of a dataset, one by one; 1-sensitive whatever the function does.",
        _POINTWISE,
        (_ROWS_OF.format("Symmetric", "sum([clamp(row[1], 0, 1) for row in eachrow(m)])"),),
        (
            Refused(_ROWS_OF.format("Symmetric", "[2 * row for row in eachrow(m)]"), "DP208"),
            Refused("f(m::MetricMatrix(Real, L1)) = [row[1] for row in eachrow(m)]", "DP202"),
        ),
        traits=(LosesFacts("the results of its function have no known bounds"), ByRecord.MAPS, monotonicity.BY_ROWS),
    ),
    Builtin(
        "count_rows",
        "count_rows(p, m)",
        (_by_row(lambda args: INTEGER, counted),),
        "The number of rows of a dataset for which the function returns true; 1-sensitive.",
        _SOURCE,
        (_ROWS_OF.format("Symmetric", "count_rows(row -> row[1] > row[2], m)"),),
        (
            Refused(_ROWS_OF.format("Symmetric", "count_rows(row -> row[1], m)"), "DP208"),
            Refused("f(v::MetricVector(Real, Symmetric)) = count_rows(x -> x > 1, v)", "DP202"),
        ),
        traits=(Integral(True), ByRecord.COUNTS, monotonicity.BY_RECORDS),
    ),
    Builtin(
        KEEPING_ROWS,
        "filter_rows(p, m)",
        (_by_row(lambda args: some_of(args.dataset("m")), per_step(once, twice)),),
        "The rows of a dataset for which the function returns true. How many there are is private: replacing a row may "
        "remove one and add another, so 2-sensitive where the number of rows was public, else 1-sensitive. A count of "
        "them moves by 1 all the same.",
        _SOURCE,
        (_ROWS_OF.format("Symmetric", "size(filter_rows(row -> row[1] > row[2], m), 1)"),),
        (
            Refused(_ROWS_OF.format("Symmetric", "filter_rows(row -> row[1], m)"), "DP208"),
            Refused("f(v::MetricVector(Real, Symmetric)) = filter_rows(x -> x > 1, v)", "DP202"),
        ),
        traits=(
            LosesFacts("how many records it keeps is private"),
            ByRecord.KEEPS,
            ComposableFilter(),
            monotonicity.BY_RECORDS,
        ),
    ),
)
"""The rows."""


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
