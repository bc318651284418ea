"""Rows for what the order of the numbers of a dataset decides: the largest, the smallest, the k-th, quantiles.

``L`` and ``U`` are the bounds of the numbers and ``R = U - L``. One record may move the k-th smallest of them from one
bound to the other. A quantile between two of them is a weighted mean of these; which datasets move it furthest have all
numbers at the bounds: with m of n at L it is L + R·min(1, max(0, 1 + (n - 1)α - m)), and a record that comes moves what
stands there by α or by 1 - α, one that takes the place of another by 1.
"""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.builtins import intervals
from dp_lsp.builtins.datasets import (
    NUMBERS,
    SOURCE,
    at_least,
    bounds_of,
    count_of,
    fewest,
    is_sized,
    known_bounds,
    numeric_type,
    range_of,
    too_few,
    unfit,
)
from dp_lsp.builtins.define import (
    Args,
    Builtin,
    Demand,
    Demands,
    Form,
    Parameter,
    Refusal,
    Refused,
    Result,
    both,
    form,
    only,
    share,
)
from dp_lsp.builtins.patterns import STATIC, STATIC_INTEGER, Box, Num
from dp_lsp.builtins.traits import IntegerArguments, Integral, NeverNaN, Rank, everyday
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import ONE, Sens, magnitude, number
from dp_lsp.core.types import REAL, Base, BoolType, Kind, Norm, NumberType, Type
from dp_lsp.core.values import replace

_ONE = Poly.of(1)
ENTRIES = Box(frozenset({Kind.VECTOR}), bases=frozenset({Base.INTEGER, Base.REAL}), arithmetic=True)
"""A vector of numbers that have an order."""
_HALF = Poly.of(Fraction(1, 2))


def _one_of_them(args: Args) -> Type | Refusal:
    element = args.records.records.element
    if isinstance(element, BoolType):
        return Refusal("truth values have no order; count them")
    refusal = unfit(args, 1)
    if refusal is not None:
        return refusal
    return replace(numeric_type(args), bounds=bounds_of(args))


def _kth(args: Args) -> Type | Refusal:
    known = fewest(args)
    if bounds_of(args) is not None and known is None:
        least = args.static("k").number
        return too_few(args, 1 if least is None else max(1, int(least)))
    return _one_of_them(args)


def _is_there(args: Args) -> tuple[Demand, ...]:
    known = fewest(args)
    return () if known is None else _from_one_to(args, known)


def _from_one_to(args: Args, last: Poly) -> tuple[Demand, ...]:
    """That there is a k-th of so many."""
    return Demand(_ONE, "<=", args.static("k"), "k"), Demand(args.static("k"), "<=", last, "k")


def _range_of_several(args: Args, steps: int) -> Sens:
    """No two results are further apart than R, however many records move."""
    return range_of(args)


def _between(args: Args) -> Type | Refusal:
    refusal = unfit(args, 1)
    return NumberType(Base.REAL, bounds=known_bounds(args)) if refusal is None else refusal


def _quantile_share(args: Args) -> Sens:
    """max(α, 1 - α) of R for a record that is added. Of N records max(f, 1 - f), f being the fractional part of
    (N - 1)α; all of R where N is not known."""
    alpha = args.static("alpha") if "alpha" in args.names else _HALF
    if not is_sized(args):
        return magnitude(alpha).at_least(magnitude(_ONE - alpha))
    count, known = count_of(args), alpha.number
    if count is None or known is None:
        return ONE
    part = (count - 1) * known % 1
    return number(max(part, 1 - part))


def _quantile_factor(args: Args) -> Sens:
    return _quantile_share(args) * range_of(args)


def _quantile_of_several(args: Args, steps: int) -> Sens:
    """At most R."""
    moved = (_quantile_share(args) * number(steps)).number
    return range_of(args) if moved is None else range_of(args) * number(min(Fraction(1), moved))


def _entry(args: Args) -> Type:
    element = args.container("v").element
    return NumberType(element.base, bounds=intervals.of(element)) if isinstance(element, NumberType) else element


def some_entries(args: Args) -> tuple[Demand, ...]:
    """A vector is not empty."""
    return (Demand(_ONE, "<=", args.container("v").length, "v"),)


def _is_among_entries(args: Args) -> tuple[Demand, ...]:
    return _from_one_to(args, args.container("v").length)


def _of_entries(result: Result = _entry, demands: Demands = some_entries, **more: Num) -> Form:
    """Of a vector: no entry moves further than the vector does in any norm, and what stands at a place of the sorted
    ones no further than the entry that moves furthest."""
    found = form(result, only(v=ONE), demands, reads=Norm.LINF, v=ENTRIES)
    return replace(found, params=(*found.params, *(Parameter(name, pattern) for name, pattern in more.items())))


def _extreme() -> Form:
    return form(_one_of_them, only(v=range_of), at_least(1), stability={"v": _range_of_several}, v=NUMBERS)


_BOUNDED = "f(v::MetricVector(Bounded(Real, 0, 100), {})) = {}"
_VECTOR = "f(v::MetricVector(Real, LInf)) = {}"
_POINTS = "f(v::MetricVector(Real, Symmetric)) = {}"
_QUANTILES = {"v": _quantile_of_several}


def _refused(call: str) -> tuple[Refused, ...]:
    return (
        Refused(_POINTS.format(call), "DP208"),
        Refused(_BOUNDED.format("Symmetric", call), "DP423"),
        Refused(_BOUNDED.format("Symmetric, AtLeast(0)", call), "DP304"),
        Refused(f"f(x::Real) = {call.replace('(v', '(x')}", "DP202"),
    )


_ROWS: tuple[Builtin, ...] = (
    *(
        Builtin(
            name,
            f"{name}(v)",
            (_extreme(), _of_entries()),
            f"The {words} number: one record may move it from one bound to the other, so R-sensitive for numbers "
            "between L and U, R = U - L. There must be at least one. To release it use `{code[private_quantile]}`, "
            "which needs far less noise. For a vector: 1-sensitive in every norm.",
            SOURCE,
            (_BOUNDED.format("Symmetric, AtLeast(1)", f"{name}(v)"), _VECTOR.format(f"{name}(v)")),
            (*_refused(f"{name}(v)"), Refused(f"f(v::MetricVector(Bool, ChangeOne)) = {name}(v)", "DP208")),
            traits=(Rank(share), NeverNaN()),
        )
        for name, words, share in (("maximum", "largest", Fraction(1)), ("minimum", "smallest", Fraction(0)))
    ),
    Builtin(
        "partialsort",
        "partialsort(v, k)",
        (
            form(
                _kth,
                only(v=range_of),
                _is_there,
                stability={"v": _range_of_several},
                v=NUMBERS,
                k=STATIC_INTEGER,
            ),
            _of_entries(demands=_is_among_entries, k=STATIC_INTEGER),
        ),
        "The k-th smallest number: R-sensitive for numbers between L and U, R = U - L. There must be at least k. For a "
        "vector: 1-sensitive in every norm.",
        SOURCE,
        (_BOUNDED.format("Symmetric, AtLeast(10)", "partialsort(v, 3)"), _VECTOR.format("partialsort(v, 2)")),
        (*_refused("partialsort(v, 1)"), Refused(_BOUNDED.format("ChangeOne, Size(3)", "partialsort(v, 4)"), "DP304")),
        traits=(IntegerArguments(("k",)),),
    ),
    Builtin(
        "median",
        "median(v)",
        (
            form(_between, only(v=_quantile_factor), at_least(1), stability=_QUANTILES, v=NUMBERS),
            _of_entries(lambda args: REAL),
        ),
        "The number in the middle, or the mean of the two in the middle. For numbers between L and U, R = U - L: "
        "R/2-sensitive, and R where the number N of records is public; R/2 for an even N that is written out. Several "
        "records of a person move it by R. For a vector: 1-sensitive in every norm.",
        SOURCE,
        (_BOUNDED.format("Symmetric, AtLeast(1)", "median(v)"), _VECTOR.format("median(v)")),
        _refused("median(v)"),
        traits=(Integral(False), Rank(Fraction(1, 2))),
    ),
    Builtin(
        "quantile",
        "quantile(v, alpha)",
        (
            form(
                _between,
                only(v=_quantile_factor),
                both(at_least(1), share("alpha")),
                stability=_QUANTILES,
                v=NUMBERS,
                alpha=STATIC,
            ),
            _of_entries(lambda args: REAL, both(some_entries, share("alpha")), alpha=STATIC),
        ),
        "The number with the share alpha of the others below it, interpolated between the two nearest. For "
        "numbers between L and U, R = U - L: max(alpha, 1 - alpha)·R-sensitive, and at most R where the number of "
        "records is public. To release it use `{code[private_quantile]}`, which needs far less noise. For a vector: "
        "1-sensitive in every norm.",
        SOURCE,
        (_BOUNDED.format("Symmetric, AtLeast(1)", "quantile(v, 0.9)"), _VECTOR.format("quantile(v, 0.9)")),
        (*_refused("quantile(v, 0.9)"), Refused(_BOUNDED.format("ChangeOne, Size(3)", "quantile(v, 2)"), "DP304")),
        traits=(Integral(False), Rank(None)),
    ),
)

ROWS = everyday(_ROWS)
"""The rows; people call their variables like them."""
