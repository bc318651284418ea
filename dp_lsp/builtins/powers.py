"""The row for powers of numbers."""

from __future__ import annotations

from functools import reduce

from dp_lsp.builtins import intervals
from dp_lsp.builtins.define import Args, Builtin, Refusal, Refused, form
from dp_lsp.builtins.demands import not_negative
from dp_lsp.builtins.patterns import REAL_NUMBER, STATIC_INTEGER
from dp_lsp.core.algebra import Poly
from dp_lsp.core.order import Way
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, number
from dp_lsp.core.types import Base, NumberType, Type

MOST = 16
"""The largest exponent that is followed."""
_TOO_LARGE = f"a power of a private number needs an exponent that is written out, from 0 to {MOST}"


def _exponent(args: Args) -> int | None:
    """The exponent, where it is a number that is followed."""
    known = args.static("n").number
    return int(known) if known is not None and 0 <= known <= MOST else None


def _power(args: Args) -> Type | Refusal:
    exponent, base, value = _exponent(args), args.base, args.statics[0]
    assert isinstance(base, Base), "the pattern takes no Data"
    if exponent is None:
        known = args.static("n").number
        fails = known is not None and known < 0  # the condition says so
        return NumberType(base) if fails or value is not None else Refusal(_TOO_LARGE)
    if value is not None:
        return NumberType(base, _product(value, exponent) if len(value.terms) == 1 or exponent < 2 else None)
    bounds = intervals.of(args["x"])
    return NumberType(base, bounds=None if bounds is None else intervals.power(bounds, exponent))


def _product(value: Poly, times: int) -> Poly:
    return reduce(Poly.__mul__, [value] * times, Poly.of(1))


def _factors(args: Args) -> tuple[Sens, ...]:
    """``|x^n - y^n| = |x - y|·|x^(n-1) + x^(n-2)·y + … + y^(n-1)|``, which is n·max(|L|, |U|)^(n-1) at most, and comes
    as near to it as x and y to the larger end."""
    exponent = _exponent(args)
    if args.is_static(0) or exponent == 0:
        return ZERO, ZERO
    if exponent == 1:
        return ONE, ZERO
    bounds = intervals.of(args["x"])
    if bounds is None or exponent is None:
        return INFINITY, ZERO
    return number(exponent) * intervals.most(bounds).power(exponent - 1), ZERO


def ways(args: Args) -> tuple[Way | None, ...]:
    """An odd power rises with x; an even one does where x is not negative, and falls where it is not positive."""
    exponent = _exponent(args)
    if exponent is None:
        return None, None
    return (Way.RISES if exponent % 2 else intervals.way(intervals.of(args["x"]))), None


ROWS: tuple[Builtin, ...] = (
    Builtin(
        "^",
        "x ^ n",
        (form(_power, _factors, not_negative("n"), x=REAL_NUMBER, n=STATIC_INTEGER),),
        "A whole power. Of a number between L and U it is n·max(|L|, |U|)^(n-1)-sensitive; of a private one of which "
        "nothing is known it has no bound (∞).",
        "The mean value theorem; the slope is largest at the end that is farther from 0",
        ("f(x::Real) = clamp(x, -1, 3) ^ 2", "f(x::Real) = x ^ 2", "f(x::Real, c::Static()) = c ^ 2 * x"),
        (
            Refused("f(x::Real) = clamp(x, 1, 2) ^ -1", "DP304"),
            Refused("f(x::Real, k::Static(Integer)) = x ^ k", "DP208"),
            Refused("f(x::Data) = x ^ 2", "DP202"),
        ),
    ),
)
"""The row."""
