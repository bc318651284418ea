"""Exact symbolic numbers: polynomials with rational coefficients and rational exponents over atoms.

An atom is a :class:`Symbol` or an application (:class:`Apply`) of a function to other numbers. Atoms are interned,
so equal atoms are one object and a monomial is compared by identity. A :class:`Poly` may be negative; a number
that is known not to be is a :class:`dp_lsp.core.sens.Sens`.

The normal form and the printers are our own: `sympy` on the way of a check costs 0.2 s and 35 MiB a process. It is
the oracle of the tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Union
from weakref import WeakValueDictionary

from dp_lsp.core.values import undigested
from dp_lsp.named import NamedTuple

if TYPE_CHECKING:
    from dp_lsp.core.sens import Sens

_uids = itertools.count(1)


class Sign(Enum):
    """What is known of a symbol: any real number, at least 0, or strictly between 0 and 1."""

    REAL = "real"
    NONNEGATIVE = "nonnegative"
    PROBABILITY = "probability"


class Computed(NamedTuple):
    """What is known of a public number that a program computes: the ends between which it lies, None where there is no
    end. It ``varies`` if it may be another one in another run on the same arguments, in another round of a loop or in
    another call: then nothing about it holds that does not hold for all numbers between its ends. It is ``real`` if it
    is certainly a number; what may be NaN has no ends, and nothing holds of it."""

    low: Poly | None
    high: Poly | None
    varies: bool
    real: bool


@undigested(uid="it counts what was made in this process")
class Symbol:
    """A number with a name. Two symbols are the same only if they are one object, whatever they are called.
    ``computed`` is None for one that who calls a function chooses. ``shown`` is what people call it, where reports have
    another name for it."""

    __slots__ = ("__weakref__", "computed", "integer", "name", "shown", "sign", "uid")
    size = 1

    def __init__(
        self,
        name: str,
        sign: Sign = Sign.REAL,
        integer: bool = False,
        computed: Computed | None = None,
        shown: str = "",
    ) -> None:
        self.uid = next(_uids)
        self.name = name
        self.sign = sign
        self.integer = integer
        self.computed = computed
        self.shown = shown

    def __repr__(self) -> str:
        return self.name

    @property
    def spoken(self) -> str:
        """What people call it."""
        return self.shown or self.name

    @property
    def nonnegative(self) -> bool:
        """Whether it is certainly at least 0."""
        return self.sign is not Sign.REAL

    @property
    def varies(self) -> bool:
        """Whether it stands for several numbers (:class:`Computed`)."""
        return self.computed is not None and self.computed.varies


class Function(Enum):
    """The functions that occur in bounds. Each is at least 0, and where it takes a Sens it grows with it."""

    ABS = "Abs"  # of a Poly
    PLUS = "Plus"  # max(0, x) of a Poly
    CEILING = "ceiling"  # of a Poly
    LOG1P = "log1p"  # ln(1 + x) of a Sens
    EXPM1 = "expm1"  # exp(x) - 1 of a Sens
    LOG_INVERSE = "log_inverse"  # ln(1/x) of a Poly between 0 and 1
    TANH = "tanh"  # of a Sens
    ROOT = "sqrt"  # of a Sens
    POWER = "power"  # of a Sens, to the power of a Poly that is at least 0
    GEOMETRIC = "geometric"  # 1 + s + … + s^(k-1) of a Sens and a Poly
    MAXIMUM = "Max"  # of one Sens: a maximum that stands for a single number
    BY_NORM = "by_norm"  # of a norm variable and three Sens
    INVERSE = "inverse"  # 1/x of a Poly; may be negative


@undigested(uid="it counts what was made in this process")
class NormVariable:
    """A norm that is not decided; its name is shown where a bound holds for every norm.

    A ``free`` one belongs to a value whose moves are the same in every norm, so it may be read in any."""

    __slots__ = ("__weakref__", "free", "name", "uid")

    def __init__(self, name: str, free: bool = False) -> None:
        self.uid = next(_uids)
        self.name = name
        self.free = free


Argument = Union["Poly", "Sens", NormVariable]


@undigested(uid="it counts what was made in this process", depth="it follows from the arguments", size="likewise")
class Apply:
    """A function applied to numbers. Made by :func:`apply` only, which interns it.

    ``size`` is about how many symbols it has when it is written out, and ``depth`` how deep functions are nested."""

    __slots__ = ("__weakref__", "args", "depth", "function", "size", "uid")

    def __init__(self, function: Function, args: tuple[Argument, ...]) -> None:
        self.uid = next(_uids)
        self.function = function
        self.args = args
        atoms = [atom for arg in args for poly in polys_of(arg) for monomial in poly.terms for atom, _ in monomial]
        self.depth: int = 1 + max((atom.depth for atom in atoms if isinstance(atom, Apply)), default=0)
        self.size: int = min(_COUNTLESS, 1 + sum(poly.size for arg in args for poly in polys_of(arg)))

    @property
    def nonnegative(self) -> bool:
        """Whether it is certainly at least 0, as all functions are but the inverse of what may be negative."""
        if self.function is not Function.INVERSE:
            return True
        argument = self.args[0]
        return isinstance(argument, Poly) and argument.evidently_nonnegative


class _One(Fraction):
    """The number 1, which nearly all powers are, with its hash known."""

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]  # Fraction is said to have none
        return 1


_ZERO = Fraction(0)
_ONE: Fraction = _One(1)
"""Made once, as making one takes longer than adding two."""


def polys_of(arg: Argument) -> tuple[Poly, ...]:
    """The polynomials an argument is made of."""
    if isinstance(arg, Poly):
        return (arg,)
    return () if isinstance(arg, NormVariable) else arg.polys


_COUNTLESS = 10**9
Atom = Symbol | Apply
Monomial = tuple[tuple[Atom, Fraction], ...]

_applications: WeakValueDictionary[tuple[Function, tuple[Argument, ...]], Apply] = WeakValueDictionary()


def apply(function: Function, *args: Argument) -> Poly:
    """The number ``function(args…)`` as a polynomial of one atom."""
    key = (function, args)
    atom = _applications.get(key)
    if atom is None:
        atom = Apply(function, args)
        _applications[key] = atom
    return Poly.of_atom(atom)


class TooLong(ArithmeticError):
    """A number that would take too long to work with: repeated squares double its length each time."""


_MOST_BITS = 14_000  # Python writes no more than 4300 digits
_MOST_PRODUCTS = 1 << 14


def _within_limits(value: Fraction) -> Fraction:
    if value.numerator.bit_length() + value.denominator.bit_length() > _MOST_BITS:
        raise TooLong
    return value


@undigested(_hash="it follows from the terms")
class Poly:
    """A sum of monomials with rational coefficients; immutable. No coefficient is 0."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction]) -> None:
        self.terms = terms
        self._hash: int | None = None

    @staticmethod
    def of(value: int | Fraction | Symbol | Poly) -> Poly:
        """A number, or a symbol, as a polynomial."""
        if isinstance(value, Poly):
            return value
        if isinstance(value, Symbol):
            return Poly.of_atom(value)
        known = _ONE if value == 1 else value if isinstance(value, Fraction) else Fraction(value)
        return Poly({(): known} if value else {})

    @staticmethod
    def of_atom(atom: Atom) -> Poly:
        """An atom by itself, once."""
        return Poly({((atom, _ONE),): _ONE})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __add__(self, other: Poly) -> Poly:
        if not self.terms or not other.terms:
            return other if other.terms else self
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            known = terms.get(monomial)
            total = coefficient if known is None else known + coefficient
            if total:
                terms[monomial] = total
            else:
                terms.pop(monomial, None)
        return Poly(terms)

    def __neg__(self) -> Poly:
        return Poly({monomial: -coefficient for monomial, coefficient in self.terms.items()})

    def __sub__(self, other: Poly) -> Poly:
        if not other.terms:
            return self
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            known = terms.get(monomial)
            total = -coefficient if known is None else known - coefficient
            if total:
                terms[monomial] = total
            else:
                terms.pop(monomial, None)
        return Poly(terms)

    def __mul__(self, other: Poly) -> Poly:
        """The product. Raises :class:`TooLong` where nobody could read it."""
        count = len(self.terms) * len(other.terms)
        if count == 1:
            ((left, a),), ((right, b),) = self.terms.items(), other.terms.items()
            scale, monomial = _times(left, right)
            product = a if b is _ONE else b if a is _ONE else _within_limits(a * b)
            return Poly({monomial: product if scale is _ONE else product * scale})
        if count > _MOST_PRODUCTS:
            raise TooLong
        terms: dict[Monomial, Fraction] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                scale, monomial = _times(left, right)
                product = a if b is _ONE else b if a is _ONE else _within_limits(a * b)
                product = product if scale is _ONE else product * scale
                known = terms.get(monomial)
                total = product if known is None else known + product
                if total:
                    terms[monomial] = total
                else:
                    terms.pop(monomial, None)
        return Poly(terms)

    def inverse(self) -> Poly:
        """1 divided by this number, which must not be 0."""
        single = self.single
        if single is None:
            return apply(Function.INVERSE, self)
        monomial, coefficient = single
        return Poly({tuple((atom, -power) for atom, power in monomial): 1 / coefficient})

    @property
    def bits(self) -> int:
        """The length of the longest coefficient."""
        return max((max(c.numerator.bit_length(), c.denominator.bit_length()) for c in self.terms.values()), default=0)

    def is_short(self, width: int) -> bool:
        """Whether it has no more terms than this, and none of them more factors."""
        return len(self.terms) <= width and max(map(len, self.terms), default=0) <= width

    @property
    def size(self) -> int:
        """About how many symbols it has when it is written out."""
        longest = found = 0
        for monomial, coefficient in self.terms.items():
            longest = max(longest, coefficient.numerator.bit_length(), coefficient.denominator.bit_length())
            for atom, _ in monomial:
                found += atom.size
        return min(_COUNTLESS, len(self.terms) + longest // 8 + found)

    @property
    def number(self) -> Fraction | None:
        """The value, if it is a rational number."""
        if not self.terms:
            return _ZERO
        if len(self.terms) == 1:
            return self.terms.get(())
        return None

    @property
    def single(self) -> tuple[Monomial, Fraction] | None:
        """The monomial and its coefficient, if there is exactly one."""
        return next(iter(self.terms.items())) if len(self.terms) == 1 else None

    @property
    def symbol(self) -> Symbol | None:
        """The symbol, if this number is nothing else."""
        single = self.single
        if single is None or single[1] != 1 or len(single[0]) != 1:
            return None
        atom, power = single[0][0]
        return atom if power == 1 and isinstance(atom, Symbol) else None

    @property
    def evidently_nonnegative(self) -> bool:
        """Whether no term can be negative. False means only that it is not evident."""
        return self._has_signs(1)

    @property
    def evidently_nonpositive(self) -> bool:
        """Whether no term can be positive. False means only that it is not evident."""
        return self._has_signs(-1)

    def _has_signs(self, sign: int) -> bool:
        """Whether each term is 0 or has this sign."""
        for monomial, coefficient in self.terms.items():
            if coefficient.numerator * sign < 0:
                return False
            for atom, _ in monomial:
                if not atom.nonnegative:
                    return False
        return True

    @property
    def integral(self) -> bool:
        """Whether the value is certainly a whole number."""
        return all(
            coefficient.denominator == 1
            and all(
                power.denominator == 1 and power > 0 and isinstance(atom, Symbol) and atom.integer
                for atom, power in monomial
            )
            for monomial, coefficient in self.terms.items()
        )


ZERO = Poly({})
ONE = Poly({(): _ONE})


def _times(left: Monomial, right: Monomial) -> tuple[Fraction, Monomial]:
    """The product of two monomials, and the rational number that roots of numbers leave behind."""
    if not left:
        return _ONE, right
    if not right:
        return _ONE, left
    powers: dict[Atom, Fraction] = dict(left)
    for atom, power in right:
        known = powers.get(atom)
        powers[atom] = power if known is None else known + power
    return _normal(powers)


def _normal(powers: Mapping[Atom, Fraction]) -> tuple[Fraction, Monomial]:
    scale = _ONE
    kept: list[tuple[Atom, Fraction]] = []
    for atom, power in powers.items():
        if not power:
            continue
        radicand = _radicand(atom)
        if radicand is None:
            kept.append((atom, power))
            continue
        whole, rest = divmod(power, 1)
        scale *= radicand ** int(whole)
        if rest:
            kept.append((atom, rest))
    return scale, tuple(sorted(kept, key=lambda item: item[0].uid))


def _radicand(atom: Atom) -> Fraction | None:
    """The number n of an atom that stands for n itself, of which only roots are kept."""
    if isinstance(atom, Apply) and atom.function is Function.ABS:
        argument = atom.args[0]
        if isinstance(argument, Poly):
            return argument.number
    return None


def root_of_number(value: Fraction) -> Poly:
    """The square root of a rational number ≥ 0, with the square factors taken out."""
    inside, outside = value.numerator * value.denominator, Fraction(1, value.denominator)
    divisor = 2
    while divisor * divisor <= inside and divisor < 1000:
        while inside % (divisor * divisor) == 0:
            inside //= divisor * divisor
            outside *= divisor
        divisor += 1
    exact = _integer_root(inside)
    if exact is not None:
        return Poly.of(outside * exact)
    key = (Function.ABS, (Poly.of(inside),))
    atom = _applications.get(key)
    if atom is None:
        atom = Apply(*key)
        _applications[key] = atom
    return Poly({((atom, Fraction(1, 2)),): outside})


def _integer_root(value: int) -> int | None:
    root = isqrt(value)
    return root if root * root == value else None
