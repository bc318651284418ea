"""How far a number moves that arithmetic makes of numbers. In each, Data moves by at most 1 whatever is done to it,
and the published factors are those of the published checker: the same for Data as for numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from typing import TypeVar

from dp_lsp.builtins import intervals
from dp_lsp.builtins.define import Args
from dp_lsp.builtins.shapes import Slope
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, inverse_magnitude, magnitude, number, positive_part
from dp_lsp.core.types import Base, Type

T = TypeVar("T")


def are_data(args: Args) -> bool:
    """Whether the numbers are Data together."""
    return args.base is Base.DATA


def _to_private(args: Args, factor: Sens) -> tuple[Sens, ...]:
    """One factor for every number that is not static."""
    return tuple(factor if value is None else ZERO for value in args.statics)


def _public_product(args: Args) -> Sens:
    return reduce(Sens.__mul__, (magnitude(value) for value in args.statics if value is not None), ONE)


def _unbounded(args: Args) -> bool:
    """Whether two of the factors are private numbers of ℝ."""
    return args.statics.count(None) > 1 and not are_data(args)


def of_others(values: Sequence[T], together: Callable[[T, T], T], nothing: T) -> tuple[T, ...]:
    """For each value what all the others are together, with as many steps as there are values; ``nothing`` is what
    changes nothing, and the order of steps must not matter."""
    before = list(accumulate(values, together, initial=nothing))
    behind = list(accumulate(reversed(values), together, initial=nothing))
    return tuple(together(left, right) for left, right in zip(before[:-1], reversed(behind[:-1]), strict=True))


def product_factors(args: Args) -> tuple[Sens, ...]:
    """A private factor moves the product by the sizes of the others, which have no bound where nothing is known of
    them: ``|xy - x'y'| ≤ |x - x'|·|y| + |x'|·|y - y'|``. Data: 1, or 0 by the literal 0."""
    if are_data(args):
        return _to_private(args, ZERO if _public_product(args).zero else ONE)
    others = of_others(tuple(map(_size, args.types)), Sens.__mul__, ONE)
    return _where_private(args, others)


def _size(type_: Type) -> Sens:
    """The largest size of a number."""
    bounds = intervals.of(type_)
    return INFINITY if bounds is None else intervals.most(bounds)


def fused_factors(args: Args) -> tuple[Sens, ...]:
    """x·y + z: what the product moves by, and 1 in z."""
    size, other = map(_size, args.types[:2])
    return _where_private(args, (other, size, ONE))


def _where_private(args: Args, factors: Sequence[Sens]) -> tuple[Sens, ...]:
    """A factor for each number that is not static."""
    return tuple(factor if value is None else ZERO for factor, value in zip(factors, args.statics, strict=True))


def published_product_factors(args: Args) -> tuple[Sens, ...]:
    """The sizes of the public factors, also for Data."""
    public = _public_product(args)
    return _to_private(args, public * INFINITY if _unbounded(args) else public)


def quotient_factors(args: Args) -> tuple[Sens, ...]:
    """1/|y| in x for a static y. A private y of size m or more: 1/m in x, and in y |x|/m² for the largest |x|, as
    ``|x/y - x'/y'| ≤ |x - x'|/|y| + |x'|·|y - y'|/|yy'|``; ∞ of one that may be 0. Data: 1."""
    if are_data(args):
        return ONE, ONE
    least = intervals.smallest_size(intervals.of(args.types[1]))
    if args.statics[1] is not None or least is None:
        return _quotient(args, INFINITY)
    inverse = inverse_magnitude(least)
    return inverse, _size(args.types[0]) * inverse * inverse


def published_quotient_factors(args: Args) -> tuple[Sens, ...]:
    """1/|y| in x for a static y, also for Data; otherwise ∞, or 1 for Data."""
    return _quotient(args, ONE if are_data(args) else INFINITY)


def _quotient(args: Args, by_private: Sens) -> tuple[Sens, ...]:
    divisor = args.statics[1]
    return (by_private, by_private) if divisor is None else (inverse_magnitude(divisor), ZERO)


def remainder_factors(args: Args) -> tuple[Sens, ...]:
    """max(1, |s| - 1) for Integer by a static Integer s; ∞ over Real; 1 over Data."""
    divisor = args.statics[1]
    if are_data(args):
        return ONE, ONE
    if divisor is None or args.base is not Base.INTEGER:
        return INFINITY, INFINITY
    return _largest_remainder(divisor), ZERO


def _largest_remainder(divisor: Poly) -> Sens:
    """max(1, |s| - 1)."""
    known = divisor.number
    if known is not None:
        return number(max(Fraction(1), abs(known) - 1))
    return ONE + positive_part(magnitude(divisor).single_poly() - Poly.of(2))


def published_remainder_factors(args: Args) -> tuple[Sens, ...]:
    """\\|s\\| for every static s, whatever is divided."""
    divisor = args.statics[1]
    return (INFINITY, INFINITY) if divisor is None else (magnitude(divisor), ZERO)


def by_slope(steepest: Slope) -> Callable[[Args], tuple[Sens, ...]]:
    """As much as a function of one number is steep between the ends of that, as the mean value theorem says; ∞ where
    these are not known, or it has no largest slope."""

    def factors(args: Args) -> tuple[Sens, ...]:
        if args.statics[0] is not None:
            return (ZERO,)
        return (steepest(intervals.in_numbers(intervals.of(args.types[0]))),)

    return factors


def ceiling_factors(args: Args) -> tuple[Sens, ...]:
    """1 for Integer; ∞ for Real (a jump) and Data (any two values are 1 apart)."""
    return (ONE if args.base is Base.INTEGER else INFINITY,)


def clamp_factors(args: Args) -> tuple[Sens, ...]:
    """1 in x for static bounds; a private bound decides whether the run throws or jumps."""
    if are_data(args):
        return ONE, ONE, ONE
    return (INFINITY, INFINITY, INFINITY) if None in args.statics[1:] else (ONE, ZERO, ZERO)


def clipn_factors(args: Args) -> tuple[Sens, ...]:
    """1 in x; ∞ in a bound that is not static."""
    return (ONE, *(INFINITY if bound is None else ZERO for bound in args.statics[1:]))
