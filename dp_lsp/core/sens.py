"""Sensitivities: symbolic numbers in [0, ∞].

A :class:`Sens` is ∞ or a maximum of polynomials none of whose terms can be negative. All operations are exact
and monotone. Products of maxima multiply widths, so a maximum wider than ``WIDTH`` becomes a single atom.
0·∞ is 0, as the definition of sensitivity wants it.

A selection costs half where a change moves all scores the same way. So a move also says whether the value rises or
falls with its variable, in the orders of this module; rows that keep that say so (:mod:`dp_lsp.builtins.monotonicity`),
and whoever adds a row need not think of it; what a loop carries keeps its way where its start and its rounds agree
(:mod:`dp_lsp.infer.loops`). The event counts less, so every measure and certificate does.

Numbers are ordered by size, containers entry by entry, tuples item by item, functions argument by argument, and
datasets by the records that they hold: one that has all records of another, and more, is larger. Data and truth values
are ordered only where they are equal. A function rises if of two ordered values the larger one never has the smaller
result, and falls if it never has the larger one. What is put together of such functions goes a known way, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from fractions import Fraction

from dp_lsp.core import algebra
from dp_lsp.core.algebra import Apply, Function, Monomial, Poly, Symbol, TooLong, apply, root_of_number
from dp_lsp.core.types import Base, Clip, Container, Dataset, Norm, NumberType, TupleType, Type
from dp_lsp.core.values import undigested


class Way(Enum):
    """Which way a result goes where an argument becomes larger."""

    RISES = 1
    FALLS = -1


def through(inner: Way | None, outer: Way | None) -> Way | None:
    """The way of a function of a function; None where one of the two is not known."""
    if inner is None or outer is None:
        return None
    return Way.RISES if inner is outer else Way.FALLS


def common(ways: Iterable[Way | None]) -> Way | None:
    """The way that all of these are; None where two differ, or one is not known."""
    found = None
    for way in ways:
        if way is None or (found is not None and way is not found):
            return None
        found = way
    return found


def is_chained(type_: Type) -> bool:
    """Whether any two values of a type are joined by values of which each is ordered with the next, and whose distances
    add up to theirs.

    Two numbers are ordered themselves. Two datasets have all records of both between them, and so many come or go as
    are not in both. Two vectors in L1 have the larger of each two entries between them. Where a record takes the place
    of another there is nothing between two datasets; in L2 and LInf what is between is further away.
    """
    match type_:
        case NumberType(base):
            return base is not Base.DATA
        case Dataset(metric):
            return not metric.sized
        case Container(norm=Norm.L1, clip=Clip.U, element=NumberType(Base.INTEGER | Base.REAL)):
            return True
        case TupleType(items):
            return all(map(is_chained, items))
    return False


WIDTH = 32
DEEPEST = 100  # functions inside functions
TERMS = 64  # a number with more terms becomes one atom
LONGEST_NUMBER = 4096  # bits; a power that would be longer stays a power


@undigested(_hash="it follows from the polynomials")
class Sens:
    """A number in [0, ∞]: the maximum of ``polys``; no polys means 0. ∞ is the object :data:`INFINITY`."""

    __slots__ = ("_hash", "polys")

    def __init__(self, polys: tuple[Poly, ...]) -> None:
        self.polys = polys
        self._hash: int | None = None

    @staticmethod
    def of(value: int | Fraction | Symbol | Poly) -> Sens:
        """A number that is evidently not negative, as a Sens; ValueError for any other."""
        poly = Poly.of(value)
        if poly == algebra.ONE:
            return ONE
        if not poly.evidently_nonnegative:
            raise ValueError(f"{value!r} may be negative")
        return Sens((poly,)) if poly.terms else ZERO

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Sens) or self.infinite or other.infinite:
            return False
        return self.polys == other.polys or set(self.polys) == set(other.polys)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = -1 if self.infinite else hash(frozenset(self.polys))
        return self._hash

    @property
    def infinite(self) -> bool:
        """Whether it is ∞: no bound."""
        return self is INFINITY

    @property
    def zero(self) -> bool:
        """Whether it is 0 as it is written; a formula may come to 0 all the same."""
        return not self.polys and self is not INFINITY

    @property
    def number(self) -> Fraction | None:
        """The value, if it is a rational number."""
        if self.infinite or len(self.polys) > 1:
            return None
        return self.polys[0].number if self.polys else Fraction(0)

    @property
    def size(self) -> int:
        """About how many symbols it has when it is written out."""
        return sum(poly.size for poly in self.polys)

    def __add__(self, other: Sens) -> Sens:
        if self.infinite or other.infinite:
            return INFINITY
        if self.zero or other.zero:
            return other if self.zero else self
        left, right = _narrowed(self, other)
        if left.infinite or right.infinite:
            return INFINITY
        return _maximum(a + b for a in left.polys for b in right.polys)

    def __mul__(self, other: Sens) -> Sens:
        if self.zero or other.zero:
            return ZERO
        if self is ONE or other is ONE:
            return other if self is ONE else self
        if self.infinite or other.infinite:
            return INFINITY
        left, right = _narrowed(self, other)
        if left.infinite or right.infinite:
            return INFINITY
        try:
            return _maximum([a * b for a in left.polys for b in right.polys])
        except TooLong:
            return INFINITY  # which it is below

    def at_least(self, other: Sens) -> Sens:
        """The larger of the two."""
        if self is other or other.zero:
            return self
        if self.infinite or other.infinite:
            return INFINITY
        return _maximum((*self.polys, *other.polys))

    def power(self, exponent: int) -> Sens:
        """This number to a whole power ≥ 0; anything to the power 0 is 1, also 0 and ∞."""
        if exponent == 0:
            return ONE
        if exponent == 1 or self.infinite or self.zero:
            return self
        half = self.power(exponent // 2)
        square = half * half
        return square * self if exponent % 2 else square

    def single_poly(self) -> Poly:
        """This finite number as one polynomial, a maximum of several becoming an atom."""
        if not self.polys:
            return Poly({})
        if len(self.polys) == 1:
            return self.polys[0]
        return apply(Function.MAXIMUM, self)

    def as_atom(self) -> Poly:
        """This finite number as one monomial; a sum or a maximum becomes an atom."""
        if len(self.polys) == 1 and len(self.polys[0].terms) == 1:
            return self.polys[0]
        return apply(Function.MAXIMUM, self)

    def root(self) -> Sens:
        """The square root."""
        if self.infinite:
            return INFINITY
        return _maximum(_poly_root(poly) for poly in self.polys)


INFINITY = Sens(())
ZERO = Sens(())
ONE = Sens((algebra.ONE,))


def number(value: int | Fraction) -> Sens:
    """A rational number ≥ 0."""
    return Sens.of(value)


def maximum(values: Iterable[Sens]) -> Sens:
    """The largest of several numbers; 0 of none."""
    result = ZERO
    for value in values:
        result = result.at_least(value)
    return result


def total(values: Iterable[Sens]) -> Sens:
    """The sum of several numbers; 0 of none."""
    result = ZERO
    for value in values:
        result = result + value
    return result


def magnitude(value: Poly) -> Sens:
    """The absolute value of a number of any sign; that of a product is the product of those of its factors."""
    if value.evidently_nonnegative:
        return Sens((value,)) if value.terms else ZERO
    single = value.single
    if single is None:
        return Sens((apply(Function.ABS, value),))
    monomial, coefficient = single
    result = Poly.of(abs(coefficient))
    for atom, power in monomial:
        base = Poly.of_atom(atom)
        if not atom.nonnegative:
            argument = atom.args[0] if isinstance(atom, Apply) else None
            if isinstance(argument, Poly):
                base = magnitude(argument).single_poly().inverse()
            else:
                base = apply(Function.ABS, base)
        result = result * _poly_power(base, power)
    return Sens((result,))


def inverse_magnitude(value: Poly) -> Sens:
    """1 divided by the absolute value of a number that is not 0; ∞ for the literal 0."""
    if not value.terms:
        return INFINITY
    return Sens((magnitude(value).single_poly().inverse(),))


def positive_part(value: Poly) -> Sens:
    """max(0, x) of a number of any sign."""
    value = _inside_positive_part(value)
    if value.evidently_nonnegative:
        return magnitude(value)
    if value.evidently_nonpositive:
        return ZERO
    certain, open_ = _apart(value)
    return Sens((certain * apply(Function.PLUS, open_),))


def _apart(value: Poly) -> tuple[Poly, Poly]:
    """A number as a product of what is certainly at least 0 and the rest, which is the number itself if it is a sum."""
    monomial, coefficient = value.single or ((), Fraction(0))
    certain: Monomial = tuple((atom, power) for atom, power in monomial if atom.nonnegative)
    if not certain:
        return algebra.ONE, value
    rest: Monomial = tuple(each for each in monomial if each not in certain)
    return Poly({certain: Fraction(1)}), Poly({rest: coefficient})


def _inside_positive_part(value: Poly) -> Poly:
    """x - c in place of max(0, x) - c, c ≥ 0: both are as large where they are above 0."""
    less = -value.terms.get((), Fraction(0))
    single = (value + Poly.of(less)).single
    if less <= 0 or single is None or single[1] != 1 or len(single[0]) != 1:
        return value
    atom, power = single[0][0]
    if power != 1 or not isinstance(atom, Apply) or atom.function is not Function.PLUS:
        return value
    inner = atom.args[0]
    assert isinstance(inner, Poly), "it is max(0, x) of a number"
    return inner - Poly.of(less)


def ceiling(value: Poly) -> Sens:
    """max(0, ⌈x⌉) of a number, as an atom unless it is known."""
    known = value.number
    if known is not None:
        return number(max(0, -(-known.numerator // known.denominator)))
    return Sens((apply(Function.CEILING, value),))


def log_inverse(value: Poly) -> Sens:
    """ln(1/x) for 0 < x ≤ 1."""
    if value == algebra.ONE:
        return ZERO
    return Sens((apply(Function.LOG_INVERSE, value),))


def log1p(value: Sens) -> Sens:
    """ln(1 + x); of exp(y) - 1 it is y."""
    if value.zero or value.infinite:
        return value
    return _undone(value, Function.EXPM1) or _application(apply(Function.LOG1P, value))


def expm1(value: Sens) -> Sens:
    """exp(x) - 1; of ln(1 + y) it is y."""
    if value.zero or value.infinite:
        return value
    return _undone(value, Function.LOG1P) or _application(apply(Function.EXPM1, value))


def tanh(value: Sens) -> Sens:
    """The hyperbolic tangent."""
    if value.zero or value.infinite:
        return ONE if value.infinite else ZERO
    poly = apply(Function.TANH, value)
    return ONE if _application(poly).infinite else Sens((poly,))


def _undone(value: Sens, function: Function) -> Sens | None:
    """x, if the number is the function of x and nothing else."""
    single = value.polys[0].single if len(value.polys) == 1 else None
    if single is None or single[1] != 1 or len(single[0]) != 1:
        return None
    atom, exponent = single[0][0]
    if isinstance(atom, Apply) and atom.function is function and exponent == 1 and isinstance(atom.args[0], Sens):
        return atom.args[0]
    return None


def power(base: Sens, exponent: Poly) -> Sens:
    """``base`` to a whole power ≥ 0 that may be symbolic. 0^k counts as 1 (k may be 0), ∞^k as ∞."""
    known = exponent.number
    if known is not None and (known <= 1 or base.infinite or base.zero or _stays_short(base, int(known))):
        return base.power(max(0, int(known)))
    if base.infinite:
        return INFINITY
    if base.zero or base == ONE:
        return ONE
    return _application(apply(Function.POWER, base, exponent))


def geometric(base: Sens, count: Poly) -> Sens:
    """1 + s + … + s^(k-1), an upper bound of it where s or k is symbolic."""
    known = count.number
    if known is not None and known <= 0:
        return ZERO
    if base.zero:
        return ONE
    if base == ONE:
        return positive_part(count)
    if base.infinite:
        return ONE if known == 1 else INFINITY
    if known is not None and known <= WIDTH and _stays_short(base, int(known)):
        return total(base.power(i) for i in range(int(known)))
    ratio = base.number
    if known is not None and ratio is not None and _stays_short(base, int(known)):
        return number((ratio ** int(known) - 1) / (ratio - 1))
    return _application(apply(Function.GEOMETRIC, base, count))


def _stays_short(base: Sens, exponent: int) -> bool:
    """Whether a power of a number, or of a sum of few terms, may be written out."""
    if sum(len(poly.terms) for poly in base.polys) > 1 and exponent > 8:
        return False
    bits = max((poly.bits for poly in base.polys), default=0)
    return bits * exponent <= LONGEST_NUMBER


def _narrowed(left: Sens, right: Sens) -> tuple[Sens, Sens]:
    if len(left.polys) == len(right.polys) == 1 and len(left.polys[0].terms) == len(right.polys[0].terms) == 1:
        return left, right  # as most are
    size = sum(len(poly.terms) for poly in left.polys) * sum(len(poly.terms) for poly in right.polys)
    if len(left.polys) * len(right.polys) <= WIDTH and size <= WIDTH * WIDTH:
        return left, right
    return _application(left.as_atom()), _application(right.as_atom())


def _application(poly: Poly) -> Sens:
    """A function of a number. ∞, which it is below, where functions are nested deeper than anybody would read."""
    atoms = (atom for monomial in poly.terms for atom, _ in monomial)
    deep = any(isinstance(atom, Apply) and atom.depth > DEEPEST for atom in atoms)
    return INFINITY if deep else Sens((poly,))


def _maximum(polys: Iterable[Poly]) -> Sens:
    polys = tuple(polys)
    if len(polys) == 1 and polys[0].terms and polys[0].is_short(WIDTH):
        return Sens(polys)
    kept: list[Poly] = []
    for poly in polys:
        if kept and any(dominates(other, poly) for other in kept):
            continue
        kept = [other for other in kept if not dominates(poly, other)]
        kept.append(poly)
    result = Sens(tuple(kept)) if any(poly.terms for poly in kept) else ZERO
    long = any(len(monomial) > WIDTH for poly in kept for monomial in poly.terms)
    if long or len(kept) > WIDTH or sum(len(poly.terms) for poly in kept) > TERMS:
        return _application(apply(Function.MAXIMUM, result))
    return result


def dominates(large: Poly, small: Poly) -> bool:
    """Whether ``large`` is certainly at least ``small``, coefficient by coefficient; both without minus signs."""
    return all(large.terms.get(monomial, 0) >= value for monomial, value in small.terms.items())


def _poly_power(base: Poly, exponent: Fraction) -> Poly:
    if exponent == 1:
        return base
    single = base.single
    if single is None or single[1] != 1:
        whole = Poly.of(1)
        for _ in range(abs(int(exponent))):
            whole = whole * base
        return whole if exponent > 0 else whole.inverse()
    return Poly({tuple((atom, p * exponent) for atom, p in single[0]): Fraction(1)})


def _poly_root(poly: Poly) -> Poly:
    single = poly.single
    if single is None:
        return apply(Function.ROOT, Sens((poly,))) if poly.terms else poly
    monomial, coefficient = single
    halved: Monomial = tuple((atom, p / 2) for atom, p in monomial)
    return root_of_number(coefficient) * Poly({halved: Fraction(1)})
