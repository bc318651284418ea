"""Rows for what a number is like: its sign, whether it is 0, 1, whole or even, and its real part.

What answers a question about a number jumps where the answer changes: of a whole number by 1 where that is another one,
of any other by as much for no step at all. A program may give these names another meaning. (There is no row for
`signbit`: it tells -0.0 from 0.0, which are the same number to all others, so `0 * x` moves by 0.)
"""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.builtins import intervals, linear
from dp_lsp.builtins.arithmetic import METRICS, numeric
from dp_lsp.builtins.define import Args, Builtin, Refusal, Refused, each, form
from dp_lsp.builtins.factors import ceiling_factors, fused_factors
from dp_lsp.builtins.monotonicity import IN_ALL
from dp_lsp.builtins.patterns import INTEGER_NUMBER, REAL_NUMBER
from dp_lsp.builtins.traits import Integral, NeverNaN, Replaceable
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import number
from dp_lsp.core.types import BOOL, Base, Bounds, NumberType, Type

_JUMPS = "Whole numbers that differ are at least 1 apart, as the answers then are at most"
_STEEPEST = Fraction(355, 113)  # Archimedes' and Zu's: above π by less than 3 in ten million


def _truth(args: Args) -> Type:
    return BOOL


def _sign(args: Args) -> Type:
    given = args["x"]
    base = given.base if isinstance(given, NumberType) else Base.REAL
    return NumberType(base, bounds=Bounds(Poly.of(-1), Poly.of(1)))


def _between_signs(args: Args) -> Type:
    return NumberType(Base.REAL, bounds=Bounds(Poly.of(-1), Poly.of(1)))


def _same(operand: Bounds) -> Bounds:
    return operand


def _fused(x: Poly, y: Poly, z: Poly) -> Poly | None:
    return x * y + z if len(x.terms) == 1 or len(y.terms) == 1 else None


def _fused_bounds(x: Bounds, y: Bounds, z: Bounds) -> Bounds | None:
    product = intervals.product(x, y)
    return None if product is None else intervals.added(product, z)


_computed = numeric(_fused, bounds=_fused_bounds)


def _sum_of_product(args: Args) -> Type:
    found = _computed(args)
    assert not isinstance(found, Refusal), "all of them are numbers over ℝ"
    return found


ROWS: tuple[Builtin, ...] = (
    *(
        Builtin(
            name,
            f"{name}(x)",
            (form(_truth, ceiling_factors, x=pattern),),
            f"Whether a number is {words}. 1-sensitive for an Integer; ∞ for a private Real, where it jumps.",
            _JUMPS,
            (f"f(x::{base}) = {name}(x)",),
            (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
            traits=(Integral(True), NeverNaN(), Replaceable()),
        )
        for name, base, pattern, words in (
            ("iszero", "Real", REAL_NUMBER, "0"),
            ("isone", "Real", REAL_NUMBER, "1"),
            ("isinteger", "Real", REAL_NUMBER, "whole"),
            ("iseven", "Integer", INTEGER_NUMBER, "even"),
            ("isodd", "Integer", INTEGER_NUMBER, "odd"),
        )
    ),
    Builtin(
        "sign",
        "sign(x)",
        (form(_sign, ceiling_factors, x=REAL_NUMBER),),
        "-1, 0 or 1, as the number is negative, 0 or positive. 1-sensitive for an Integer; ∞ for a private Real, where "
        "it jumps.",
        "From -1 to 1 there are two steps of whole numbers",
        ("f(x::Real) = sign(x)", "f(x::Integer) = sign(x)"),
        (Refused("f(x::Data) = sign(x)", "DP202"),),
        traits=(NeverNaN(), Replaceable()),
    ),
    *(
        Builtin(
            name,
            f"{name}(x)",
            (form(numeric(lambda x: x, bounds=_same), each(), linear=linear.added, x=REAL_NUMBER),),
            f"The {words} of a number that is not complex: the number.",
            METRICS,
            (f"f(x::Real) = {name}(x)",),
            (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
            traits=(NeverNaN(), IN_ALL, Replaceable()),
        )
        for name, words in (("real", "real part"), ("conj", "conjugate"))
    ),
    *(
        Builtin(
            name,
            f"{name}(x)",
            (form(_between_signs, each(number(_STEEPEST)), x=REAL_NUMBER),),
            f"The {words} of π times a number; π-sensitive: nowhere is it steeper.",
            "The mean value theorem: the derivative is nowhere larger than π",
            (f"f(x::Real) = {name}(x)",),
            (Refused(f"f(x::Data) = {name}(x)", "DP202"),),
            traits=(NeverNaN(), Integral(False), Replaceable()),
        )
        for name, words in (("sinpi", "sine"), ("cospi", "cosine"))
    ),
    Builtin(
        "muladd",
        "muladd(x, y, z)",
        (form(_sum_of_product, fused_factors, x=REAL_NUMBER, y=REAL_NUMBER, z=REAL_NUMBER),),
        "x·y + z. It moves with x and y as the product does, and with z as far as that.",
        "As for the product and the sum that it is",
        ("f(x::Real, k::Static()) = muladd(k, x, 1)", "f(x::Real, k::Static(), z::Real) = fma(x, k, z)"),
        (Refused("f(x::Data) = muladd(2, x, 1)", "DP202"),),
        aliases=("fma",),
        traits=(NeverNaN(), Replaceable()),
    ),
)
"""The rows."""
