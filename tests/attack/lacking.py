"""More conditions of rules, taken away one at a time, each with the program that refutes what is claimed then.

Some conditions no run refutes, and none is in the list:

- What is read of a statistic over records never says at which place a record stands, as nothing that reads places is
  read: there is no condition to take away.
- What cancels over several steps only is not counted, and neither are parts told apart by measures that compose fixed
  numbers where something that was released decides about them (``Seen.adapts``): a privacy filter would make it right
  (Rogers, Roth, Ullman and Vadhan 2016; Feldman and Zrnic 2021), so that no neighbours are further apart.
- A scale that is 0, negative or NaN is none: the run fails, or what it returns is no number, whatever is hidden.
- What a loop is guessed to carry is held against what its body was inferred to be. The guess is right wherever it was
  tried, so to believe it changes nothing.
- Rows that are drawn with replacement are drawn independently of each other: rounds that each release their own cost
  no more than is claimed of samples in which no row comes twice, though a record may be in several.
- A private part that cancels, and that may be NaN, is named by a premise; a public one is NaN in both of two runs.
- Of a bag nothing at one place is read, so rounds that each read a place of their own need not be kept from it.
- That the records of a person may be in several parts, or seen by several rounds: of what
  counts more than once it costs most if all are in one.
- What is declared of where a number lies is checked, and nothing is read off it: what is known is what the body gives.
- Roots and logarithms from 0 on, and quotients by what may be 0, have no bounds and no largest slope, and may fail:
  each of these alone keeps them out. What is taken away is that they are as steep as at the smaller end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple
from unittest import mock

from dp_lsp.accounting import walk
from dp_lsp.builtins import datasets, intervals, statistics
from dp_lsp.core import linear, metrics, ranges, tallies
from dp_lsp.core.algebra import ONE, ZERO
from dp_lsp.core.events import Apart
from dp_lsp.core.types import Dataset, Norm
from dp_lsp.infer import carried, cells, disjoint, functions, loops, mechanisms, publics, records, solver, units
from dp_lsp.infer import linear as forms
from dp_lsp.infer.effects import NONE

from .breaking import Rule, Wrong
from .cut import CUT
from .rules import own_rows_everywhere


class Lacking(NamedTuple):
    """A rule without a condition, and a program that refutes what is claimed then."""

    rule: Rule
    program: str


def lacking() -> Iterator[Lacking]:
    """All of them."""
    for what, (owner, function, wrong, program) in (_CONDITIONS | CUT).items():
        yield Lacking(Rule(what, owner, function, wrong, sort="condition"), program)


def _always(answer: object) -> Wrong:
    return lambda right: lambda *args, **named: answer


def _as_added(right: Any) -> Any:
    return lambda var, twice, *others: right(var, 1, *others)


def _near_one(right: Any) -> Any:
    """An interval of numbers that has its low end at 1 at least."""

    def in_numbers(operand: Any) -> Any:
        low, high = right(operand)
        return right(operand)._replace(low=max(low or Fraction(1), Fraction(1)), high=high)

    return in_numbers


def _away_from_zero(right: Any) -> Any:
    def of_atom(*args: Any) -> Any:
        found = right(*args)
        return found._replace(low=ONE) if found.low == ZERO else found

    return of_atom


def _largest_of_linf(right: Any) -> Any:
    return lambda rows, source, norm: right(rows, source, Norm.LINF if source is Norm.LINF else norm)


def _both_alone(right: Any) -> Any:
    return lambda some, others: {*some, *others} if some is not others else right(some, others)


def _one_of_them(right: Any) -> Any:
    """A person has one record only."""
    return lambda self: iter(self._largest(1))


def _the_same_number(right: Any) -> Any:
    """All numbers without a value that a record is compared with are one."""

    def bound(self: records.RecordReader, node: Any, feature: Any, scope: Any) -> Any:
        of, number = right(self, node, feature, scope)
        if of == feature:
            return of, number
        one = (feature, "all")
        self.seen.compared[one], self.seen.known[one] = feature, tallies.Known(None, whole=False)
        return one, number

    return bound


def _careless(right: Any) -> Any:
    return lambda self, relation, bound: right(self, {"<=": "<", ">=": ">"}.get(relation, relation), bound)


def _anywhere(right: Any) -> Any:
    """A round reads a record of its own of any dataset."""

    def found(self: disjoint.OwnRows, container: Any) -> Any:
        counts = mock.patch.object(disjoint, "_counts_places", lambda type_: isinstance(type_, Dataset))
        with counts, mock.patch.object(disjoint.OwnRows, "_apart", lambda self, type_: Apart.RECORDS):
            return right(self, container)

    return found


def _sized_as_said(right: Any) -> Any:
    return lambda self, wanted, given: replace(given, records=replace(given.records, length=wanted.size))


def _clipped_as_said(right: Any) -> Any:
    def rows(self: Any, wanted: Any, given: Any) -> Any:
        return replace(given, records=replace(given.records, clip=wanted.records.clip), radius=wanted.radius)

    return rows


def _trivial(right: Any) -> Any:
    return lambda condition, *which: condition._replace(left=ZERO, relation="<=", right=ONE)


_RELEASED = "laplacian_mechanism(1, eps, count(t -> t > 0, v))"
_BOUND_OF_NAN = f"""
function f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    c = max(0, {_RELEASED})
    b = clamp(c / c, 0, 20)
    laplacian_mechanism(20, eps, sum(clamp(v, 0, b)))
end
"""
_CONDITIONS: dict[str, tuple[Any, str, Wrong, str]] = {
    "public: what is asked of a number holds for all that it may be": (
        *(ranges, "at_worst", _trivial),
        """
function f(x::Real, y::Real) :: Priv()
    b = clamp(laplacian_mechanism(1, 0.5, y), -3, 1)
    laplacian_mechanism(1, 0.5, clamp(x, 0, b))
end
""",
    ),
    "public: a scale may come as near to 0 as its end": (
        *(ranges, "_of_atom", _away_from_zero),
        """
function f(x::Real, y::Real) :: Priv()
    b = clamp(laplacian_mechanism(1, 0.5, y), 0, 2)
    laplacian_mechanism(b, 0.5, x)
end
""",
    ),
    "public: a number may be NaN": (
        *(ranges, "may_be_nan", _always(False)),
        _BOUND_OF_NAN,
    ),
    "public: what is made of NaN may be NaN": (
        *(publics.Publics, "is_real", _always(True)),
        _BOUND_OF_NAN,
    ),
    "linear: all rows count from LInf to L1": (
        *(linear, "operator_norm", _largest_of_linf),
        """
f(v::MetricVector(Real, LInf)) = norm_convert(L1, [v[1] + v[2], v[2] - v[3]])
""",
    ),
    "linear: places that a round computes are others in each round": (
        *(forms, "_numbers_in", _always(set[Any]())),
        """
function f(v::MetricVector(Real, L1))
    s = 0.0
    for i in 1:2
        k = [2, 1][i]
        s = s + (2 * i - 3) * v[k]
    end
    s
end
""",
    ),
    "sums: a square is smallest at 0": (
        *(intervals, "size", lambda right: lambda operand: operand),
        """
f(v::MetricVector(Bounded(Real, -1, 1), ChangeOne)) = sum(map(t -> t ^ 2, v))
""",
    ),
    "sums: a person has several records": (
        *(units, "of_a_person", lambda right: lambda moved, *rest: moved),
        """
f(v::MetricVector(Real, Symmetric, Contributes(2))) = count(t -> t > 3, v)
""",
    ),
    "sums: a row that is replaced may point the other way": (
        *(statistics, "is_sized", _always(False)),
        """
f(X::MetricMatrix(Real, ChangeOne, RowNorm(L1, 2))) = sum(X; dims=1)
""",
    ),
    "filters: how many records are kept is private": (
        *(datasets, "_in_any_number", lambda right: lambda dataset, metric: dataset),
        """
function f(v::MetricVector(Bounded(Real, 0, 10), ChangeOne, Size(10)))
    w = filter(t -> t > 3, v)
    sum(w) / length(w)
end
""",
    ),
    "slopes: a logarithm is steepest at the smaller end": (
        *(intervals, "in_numbers", _near_one),
        """
f(x::Real) = log(clamp(x, 0.1, 9))
""",
    ),
    "slopes: a root is steepest at the smaller end": (
        *(intervals, "in_numbers", _near_one),
        """
f(x::Real) = sqrt(clamp(x, 0.01, 9))
""",
    ),
    "parts: a record moves a part by what both add": (
        *(tallies, "replacements", _both_alone),
        """
function f(v::MetricVector(Bounded(Real, -1, 1), ChangeOne), eps::Static()) :: Priv()
    p = laplacian_mechanism(2, eps, sum(filter(t -> t > 0.5 || t < -0.5, v)))
    q = laplacian_mechanism(2, eps, sum(filter(t -> t <= 0.5 && t >= -0.5, v)))
    [p, q]
end
""",
    ),
    "parts: all records of a person count": (
        *(tallies.Parted, "_of_a_person", _one_of_them),
        """
function f(v::MetricVector(Real, Symmetric, Contributes(2)), eps::Static()) :: Priv()
    p = gaussian_mechanism(2, eps, 0.00001, count(t -> t > 3, v))
    q = gaussian_mechanism(2, eps, 0.00001, count(t -> t <= 3, v))
    [p, q]
end
""",
    ),
    "parts: two released numbers may be different": (
        *(records.RecordReader, "_bound", _the_same_number),
        """
function f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    a = laplacian_mechanism(1, eps, length(v))
    p = laplacian_mechanism(1, eps, count(t -> t < a, v))
    q = laplacian_mechanism(1, eps, count(t -> t >= p, v))
    [p, q]
end
""",
    ),
    "parts: a record may be what was released": (
        *(tallies.Where, "meets", _careless),
        """
function f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    a = laplacian_mechanism(1, eps, length(v))
    p = laplacian_mechanism(1, eps, count(t -> t <= a, v))
    q = laplacian_mechanism(1, eps, count(t -> t >= a, v))
    [p, q]
end
""",
    ),
    "parts: of NaN no comparison holds": (
        *(tallies, "_cells", lambda right: lambda *args: (each for each in right(*args) if each.real)),
        f"""
function f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    c = max(0, {_RELEASED})
    a = c / c
    p = laplacian_mechanism(1, eps, count(t -> !(t < a), v))
    q = laplacian_mechanism(1, eps, count(t -> !(t >= a), v))
    [p, q]
end
""",
    ),
    "places: an index may repeat": (
        *(disjoint, "arguments", own_rows_everywhere),
        """
function f(v::MetricVector(Bounded(Real, 0, 5), Hamming), eps::Static()) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + laplacian_mechanism(5, eps, v[1])
    end
    s
end
""",
    ),
    "places: a record that comes moves all after it": (
        *(disjoint.OwnRows, "_found", _anywhere),
        """
function f(v::MetricVector(Bounded(Real, 0, 5), InsertDelete, AtLeast(4)), eps::Static()) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + laplacian_mechanism(5, eps, v[i])
    end
    s
end
""",
    ),
    "places: squares are no shares of Laplace noise": (
        *(walk, "is_shared", _always(True)),
        """
function f(v::MetricVector(Real, L2), eps::Static()) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + laplacian_mechanism(1, eps, v[i])
    end
    s
end
""",
    ),
    "places: what is carried between rounds is released": (
        *(loops, "_protected", _always(NONE)),
        """
function f(v::MetricVector(Bounded(Real, 0, 5), Hamming), eps::Static()) :: Priv()
    s, r = 0.0, 0.0
    for i in 1:3
        s = s + v[i]
        r = r + laplacian_mechanism(5, eps, s)
    end
    r
end
""",
    ),
    "folds: what is carried starts as a public value": (
        *(mechanisms, "expose", _always(NONE)),
        """
function step(d::Vector{<:Data}, l::Vector{<:Data}, acc::Static(Real)) :: Priv()
    acc + laplacian_mechanism(2, 0.5, undisc_container(clip(L1, d)))[1]
end
f(A::Matrix{<:Data}, B::Matrix{<:Data}, x::Real) :: Priv() = parallel_private_fold_rows(step, x, A, B)
""",
    ),
    "branches: either of two vectors may be the longer one": (
        *(solver.Solver, "same_size", lambda right: lambda self, one, other: self.same_dimension(one, other)),
        """
f(v::MetricVector(Real, LInf), s::Static()) = sum(s > 0 ? v : [1.0, 2.0])
""",
    ),
    "calls: only a smaller norm costs nothing": (
        *(metrics, "is_no_larger", _always(True)),
        """
h(v::MetricVector(Real, L1)) = v[1] + v[2]
f(v::MetricVector(Real, L2)) = h(v)
""",
    ),
    "declared: a size is asked for": (
        *(functions._Promise, "_sized", _sized_as_said),
        """
h(v::MetricVector(Real, ChangeOne)) :: MetricVector(Bounded(Real, 0, 5), ChangeOne, Size(10)) = clamp(v, 0, 5)
f(v::MetricVector(Real, ChangeOne)) = sum(h(v)) / length(h(v))
""",
    ),
    "declared: rows are no larger than is said": (
        *(functions._Promise, "_rows", _clipped_as_said),
        """
h(X::MetricMatrix(Real, Symmetric)) :: MetricMatrix(Real, Symmetric, RowNorm(L1, 2)) = X
f(X::MetricMatrix(Real, Symmetric)) = sum(h(X); dims=1)
""",
    ),
    "cells: intervals that touch keep a record in common": (
        *(cells, "_is_narrow", _always(True)),
        """
function f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    s = 0.0
    for i in 1:2
        s = s + laplacian_mechanism(1, eps, count(x -> i <= x && x <= i + 1, v))
    end
    s
end
""",
    ),
    "cells: of two loops each tells records apart": (
        *(cells, "_is_in_one", _always(True)),
        """
function f(v::MetricVector(Integer, Symmetric), eps::Static()) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + laplacian_mechanism(1, eps, count(x -> x > i, v))
    end
    s
end
""",
    ),
    "cells: a record that is replaced is in other rounds than before": (
        *(cells, "_place", _as_added),
        """
function f(v::MetricVector(Integer, ChangeOne), eps::Static()) :: Priv()
    s = 0.0
    for i in 1:2
        s = s + laplacian_mechanism(1, eps, count(x -> x == i, v))
    end
    s
end
""",
    ),
    "cells: equal numbers of a list keep the same record": (
        *(cells, "_most", _always(1)),
        """
function f(v::MetricVector(Integer, Symmetric), eps::Static()) :: Priv()
    keys, s = [3, 5, 3], 0.0
    for i in 1:3
        s = s + laplacian_mechanism(1, eps, count(x -> x == keys[i], v))
    end
    s
end
""",
    ),
    "cells: what is computed of a record is another number in each round": (
        *(cells._ReaderOfLoop, "_is_fixed", _always(True)),
        """
function f(v::MetricVector(Integer, Symmetric), eps::Static()) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + laplacian_mechanism(1, eps, length(filter(x -> x == i, map(x -> x * x % 2 + i, v))))
    end
    s
end
""",
    ),
    "selects: what is added to the value adds up": (
        *(linear.LinearForm, "selects", _always(True)),
        "\nf(v::MetricVector(Real, LInf)) = fold((e, a) -> max(a, a + e), 0.0, v)\n",
    ),
    "selects: a value that counts twice doubles": (
        *(linear.LinearForm, "selects", lambda right: lambda self, one, is_of: right(self, one, lambda part: False)),
        """
function f(x::Real, y::Real)
    for i in 1:3
        x = max(2 * x, y)
    end
    x
end
""",
    ),
    "carried: each round multiplies": (
        *(carried._Running, "multiplied", lambda right: lambda *args: right(*args[:-1], Fraction(1))),
        """
function f(v::MetricVector(Bounded(Real, 0, 1), Symmetric)) :: Priv()
    e, s = 0.1, 0.0
    for i in 1:17
        s = s + laplacian_mechanism(1, e, sum(v))
        e = 1.5 * e
    end
    s
end
""",
    ),
}
