"""Numbers for symbols: substitution, and evaluation to an interval that certainly holds the exact value.

Rational arithmetic is exact. Roots, logarithms and exponentials are taken with 40 digits and widened by more than
their error, so that the upper end never lies below the true value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Context, Decimal, Inexact, Overflow
from fractions import Fraction
from functools import reduce

from dp_lsp.core import sens
from dp_lsp.core.algebra import Apply, Argument, Function, NormVariable, Poly, Symbol, polys_of
from dp_lsp.core.metrics import by_norm
from dp_lsp.core.sens import INFINITY, ZERO, Sens
from dp_lsp.core.types import AnyNorm
from dp_lsp.core.values import undigested
from dp_lsp.named import NamedTuple

_CONTEXT = Context(prec=40, traps=[])
_RELATIVE_ERROR = Fraction(1, 10**36)
_SMALLEST = Decimal("1e-500")  # smaller arguments are rounded to it, or to 0
_EXACT_POWERS = 256
_FOLLOWS = "it follows from what is put for what"


class Interval(NamedTuple):
    """Bounds of a number; None where nothing bounds it, as where an end is too large to be computed."""

    low: Fraction | None
    high: Fraction | None


class Missing(Exception):
    """A symbol has no number."""

    def __init__(self, symbol: Symbol) -> None:
        super().__init__(symbol.name)
        self.symbol = symbol


@undigested(_polys=_FOLLOWS, _sens=_FOLLOWS, idle=_FOLLOWS)
class Substitution:
    """Numbers (of any sign) for symbols, sensitivities for symbols of sensitivities, and norms for norm variables.

    Results are remembered, so a shared subterm is replaced once.
    """

    __slots__ = ("_norms", "_polys", "_sens", "_symbols", "idle")

    def __init__(
        self,
        symbols: Mapping[Symbol, Poly | Sens],
        norms: Mapping[NormVariable, AnyNorm] | None = None,
    ) -> None:
        self._symbols = symbols
        self._norms = norms or {}
        self.idle = not symbols and not norms
        """Whether nothing is put for anything."""
        self._polys: dict[Poly, Poly] = {}
        self._sens: dict[Sens, Sens] = {}

    @property
    def symbols(self) -> Mapping[Symbol, Poly | Sens]:
        """What is put for which symbol."""
        return self._symbols

    @property
    def norms(self) -> Mapping[NormVariable, AnyNorm]:
        """What is put for which norm."""
        return self._norms

    def poly(self, value: Poly) -> Poly:
        """A number with all that is put for its symbols."""
        if self.idle or not any(value.terms):
            return value
        known = self._polys.get(value)
        if known is None:
            known = Poly({})
            for monomial, coefficient in value.terms.items():
                product = Poly.of(coefficient)
                for atom, power in monomial:
                    product = product * _raised(self._atom(atom), power)
                known = known + product
            known = self._polys[value] = value if known == value else known
        return known

    def sens(self, value: Sens) -> Sens:
        """A distance or factor with all that is put for its symbols and norms."""
        if self.idle or not any(map(any, (poly.terms for poly in value.polys))):
            return value
        known = self._sens.get(value)
        if known is None:
            known = sens.maximum(self._sens_of_poly(poly) for poly in value.polys)
            known = self._sens[value] = value if known == value else known
        return known

    def norm(self, value: AnyNorm) -> AnyNorm:
        """What a norm stands for in the end."""
        while isinstance(value, NormVariable) and value in self._norms:
            value = self._norms[value]
        return value

    def _atom(self, atom: Symbol | Apply) -> Poly:
        if isinstance(atom, Symbol):
            replaced = self._symbols.get(atom)
            return Poly.of_atom(atom) if replaced is None else _finite(replaced)
        if atom.function is Function.INVERSE and isinstance(atom.args[0], Poly):
            return self.poly(atom.args[0]).inverse()
        return self._application(atom).single_poly()

    def _sens_of_poly(self, poly: Poly) -> Sens:
        result = ZERO
        for monomial, coefficient in poly.terms.items():
            product = Sens.of(coefficient)
            for atom, power in monomial:
                product = product * self._sens_of_atom(atom, power)
            result = result + product
        return result

    def _sens_of_atom(self, atom: Symbol | Apply, power: Fraction) -> Sens:
        value = self._symbol(atom) if isinstance(atom, Symbol) else self._application(atom)
        if value.infinite or power == 1:
            return value
        if value.zero:
            return ZERO if power > 0 else INFINITY
        whole = value
        for _ in range(power.denominator.bit_length() - 1):  # a root of a root is to a power of 1/4
            whole = whole.root()
        result = whole.power(abs(power.numerator))
        return result if power > 0 else Sens((result.single_poly().inverse(),))

    def _symbol(self, symbol: Symbol) -> Sens:
        """What a symbol stands for; a number that is negative counts as 0."""
        replaced = self._symbols.get(symbol, symbol)
        if isinstance(replaced, Symbol):
            return Sens.of(replaced)
        return sens.positive_part(replaced) if isinstance(replaced, Poly) else replaced

    def _application(self, atom: Apply) -> Sens:
        args = tuple(self._argument(arg) for arg in atom.args)
        return _REBUILD[atom.function](*args)

    def _argument(self, arg: Argument) -> Argument | AnyNorm:
        if isinstance(arg, Poly):
            return self.poly(arg)
        if isinstance(arg, Sens):
            return self.sens(arg)
        return self.norm(arg)


def _finite(value: Poly | Sens) -> Poly:
    """A number as a polynomial; a sensitivity never stands where it would have to be finite and is not."""
    assert value is not INFINITY, "an unbounded sensitivity stands in a size"
    return value if isinstance(value, Poly) else value.single_poly()


def _raised(base: Poly, power: Fraction) -> Poly:
    if power == 1:
        return base
    if power.denominator == 1:
        whole = reduce(Poly.__mul__, [base] * abs(power.numerator))
        return whole if power > 0 else whole.inverse()
    root = sens.magnitude(base).root().single_poly()
    return _raised(root, power * 2)


_REBUILD: dict[Function, Callable[..., Sens]] = {
    Function.ABS: sens.magnitude,
    Function.PLUS: sens.positive_part,
    Function.CEILING: sens.ceiling,
    Function.LOG1P: sens.log1p,
    Function.EXPM1: sens.expm1,
    Function.LOG_INVERSE: sens.log_inverse,
    Function.TANH: sens.tanh,
    Function.ROOT: Sens.root,
    Function.POWER: sens.power,
    Function.GEOMETRIC: sens.geometric,
    Function.MAXIMUM: lambda value: value,
    Function.BY_NORM: by_norm,
    Function.INVERSE: sens.inverse_magnitude,
}


def interval(value: Sens | Poly, numbers: Mapping[Symbol, Fraction]) -> Interval:
    """Bounds of a number once every symbol has one. Raises :class:`Missing` for a symbol that has none."""
    if isinstance(value, Poly):
        return _poly_interval(value, numbers)
    if value.infinite:
        return Interval(Fraction(0), None)
    parts = [_poly_interval(poly, numbers) for poly in value.polys]
    low = max((part.low for part in parts if part.low is not None), default=Fraction(0))
    if any(part.high is None for part in parts):
        return Interval(low, None)
    return Interval(low, max((part.high for part in parts if part.high is not None), default=Fraction(0)))


def is_below(one: Interval, other: Interval) -> bool:
    """Whether all of one lies below all of the other."""
    return one.high is not None and other.low is not None and one.high < other.low


def upper(value: Sens, numbers: Mapping[Symbol, Fraction]) -> Fraction | None:
    """The least number known to be at least ``value``; None for ∞."""
    return interval(value, numbers).high


def least(value: Sens) -> Fraction:
    """A number that ``value`` is certainly not below, whatever its symbols are."""
    return max((_least_of(poly) for poly in value.polys), default=Fraction(0))


def _least_of(poly: Poly) -> Fraction:
    """The terms without symbols; none of the others is negative."""
    constant = Poly({m: c for m, c in poly.terms.items() if not symbols_of(Poly({m: c}))})
    return _positive(_poly_interval(constant, {})).low or Fraction(0)


def rounded_up(value: Fraction | None) -> float:
    """The smallest float that is at least ``value`` as it is written, in the fewest digits that name it: 1e-06 is so
    much, though the float that it names is a little less."""
    if value is None:
        return math.inf
    try:
        nearest = value.numerator / value.denominator
    except OverflowError:
        return math.inf
    return nearest if Fraction(repr(nearest)) >= value else math.nextafter(nearest, math.inf)


def _poly_interval(poly: Poly, numbers: Mapping[Symbol, Fraction]) -> Interval:
    found = Interval(Fraction(0), Fraction(0))
    for monomial, coefficient in poly.terms.items():
        term = Interval(Fraction(1), Fraction(1))
        for atom, power in monomial:
            term = _product(term, _power(_atom_interval(atom, numbers), power))
        found = Interval(*map(_sum, found, _scaled(term, coefficient)))
    return found


def _sum(end: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if end is None or other is None else end + other


def _scaled(value: Interval, factor: Fraction) -> Interval:
    ends = [None if end is None else end * factor for end in value]
    return Interval(*ends if factor >= 0 else ends[::-1])


def _atom_interval(atom: Symbol | Apply, numbers: Mapping[Symbol, Fraction]) -> Interval:
    if isinstance(atom, Symbol):
        if atom not in numbers:
            raise Missing(atom)
        return Interval(numbers[atom], numbers[atom])
    if atom.function is Function.POWER or atom.function is Function.GEOMETRIC:
        return _repeated(atom, numbers)
    argument = atom.args[0]
    assert not isinstance(argument, NormVariable), "norms are decided before a bound is evaluated"
    inner = interval(argument, numbers)
    return _MONOTONE[atom.function](inner)


def _repeated(atom: Apply, numbers: Mapping[Symbol, Fraction]) -> Interval:
    base, exponent = atom.args
    assert isinstance(base, Sens) and isinstance(exponent, Poly)
    value, count = interval(base, numbers), interval(exponent, numbers).high
    if value.high is None or count is None:
        return Interval(Fraction(0), None)
    times, low = max(0, math.floor(count)), value.low or Fraction(0)
    if atom.function is Function.POWER:
        return Interval(_to_the(low, times, -1) or Fraction(0), _to_the(value.high, times, 1))
    return Interval(_geometric(low, times, -1) or Fraction(0), _geometric(value.high, times, 1))


def _to_the(base: Fraction, times: int, direction: int) -> Fraction | None:
    """``base`` to a whole power, rounded in a direction where the exact value would be too long."""
    if times <= _EXACT_POWERS:
        return base**times
    return _decimal(lambda x: _CONTEXT.power(x, times), base, direction * times * _RELATIVE_ERROR)


def _geometric(ratio: Fraction, times: int, direction: int) -> Fraction | None:
    if ratio == 1:
        return Fraction(times)
    last = _to_the(ratio, times, direction if ratio > 1 else -direction)
    return None if last is None else (last - 1) / (ratio - 1)


def _product(a: Interval, b: Interval) -> Interval:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        least = None if a.low is None or b.low is None or a.low < 0 or b.low < 0 else a.low * b.low
        return Interval(least, None)
    corners = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    return Interval(min(corners), max(corners))


def _power(base: Interval, power: Fraction) -> Interval:
    if power.denominator != 1:
        return _power(_root(base), power * 2)
    if power < 0:
        base, power = _inverse(base), -power
    result = base
    for _ in range(power.numerator - 1):
        result = _product(result, base)
    return result


def _inverse(value: Interval) -> Interval:
    """Of what may be 0 there is none: only that it is no less than 0, if that is not."""
    low, high = value
    if low is not None and low > 0:
        return Interval(Fraction(0) if high is None else 1 / high, 1 / low)
    if high is not None and high < 0:
        return Interval(1 / high, Fraction(0) if low is None else 1 / low)
    return Interval(None if low is None or low < 0 else Fraction(0), None)


def _root(value: Interval) -> Interval:
    return _monotone(lambda x: x.sqrt(_CONTEXT))(value)


def _monotone(function: Callable[[Decimal], Decimal]) -> Callable[[Interval], Interval]:
    def bounds(value: Interval) -> Interval:
        low = _decimal(function, max(value.low or Fraction(0), Fraction(0)), -_RELATIVE_ERROR)
        high = None if value.high is None else _decimal(function, max(value.high, Fraction(0)), _RELATIVE_ERROR)
        return Interval(low or Fraction(0), high)

    return bounds


def _decimal(function: Callable[[Decimal], Decimal], at: Fraction, error: Fraction) -> Fraction | None:
    _CONTEXT.clear_flags()
    argument = _CONTEXT.divide(Decimal(at.numerator), Decimal(at.denominator))
    if _CONTEXT.flags[Inexact]:
        argument = argument.next_plus(_CONTEXT) if error > 0 else argument.next_minus(_CONTEXT)
    if argument and argument < _SMALLEST:
        argument = _SMALLEST if error > 0 else Decimal(0)
    result = function(argument)
    if not result.is_finite() or _CONTEXT.flags[Overflow]:
        return None
    return max(Fraction(0), Fraction(result) * (1 + error))


def _expm1(x: Decimal) -> Decimal:
    wide = _wide_enough(x)
    return _CONTEXT.plus(wide.subtract(wide.exp(x), Decimal(1)))


def _log1p(x: Decimal) -> Decimal:
    wide = _wide_enough(x)
    return _CONTEXT.plus(wide.ln(wide.add(Decimal(1), x)))


def _wide_enough(x: Decimal) -> Context:
    """Digits enough to add a small number to 1 and to subtract 1 again."""
    return Context(prec=60 + 2 * max(0, -x.adjusted()), traps=[])


def _tanh(x: Decimal) -> Decimal:
    grown = _expm1(_CONTEXT.multiply(x, Decimal(2)))
    return _CONTEXT.divide(grown, _CONTEXT.add(grown, Decimal(2))) if grown.is_finite() else Decimal(1)


def _tangent(value: Interval) -> Interval:
    low, high = _monotone(_tanh)(value if value.high is not None else Interval(value.low, value.low))
    return Interval(low, Fraction(1) if value.high is None or high is None else min(high, Fraction(1)))


def _absolute(value: Interval) -> Interval:
    low, high = value
    if low is not None and low >= 0:
        return value
    if high is not None and high <= 0:
        return _scaled(value, Fraction(-1))
    return Interval(Fraction(0), None if low is None or high is None else max(-low, high))


def _positive(value: Interval) -> Interval:
    low, high = (None if end is None else max(Fraction(0), end) for end in value)
    return Interval(low or Fraction(0), high)


def _ceiling(value: Interval) -> Interval:
    return _positive(Interval(*(None if end is None else Fraction(math.ceil(end)) for end in value)))


def _log_inverse(value: Interval) -> Interval:
    return _monotone(lambda x: _CONTEXT.ln(x) if x > 1 else Decimal(0))(_inverse(value))


_MONOTONE: dict[Function, Callable[[Interval], Interval]] = {
    Function.ABS: _absolute,
    Function.PLUS: _positive,
    Function.CEILING: _ceiling,
    Function.LOG1P: _monotone(_log1p),
    Function.EXPM1: _monotone(_expm1),
    Function.LOG_INVERSE: _log_inverse,
    Function.TANH: _tangent,
    Function.ROOT: _root,
    Function.MAXIMUM: lambda value: value,
    Function.INVERSE: _inverse,
}


def replaced(value: Poly, symbols: Mapping[Symbol, Poly]) -> Poly:
    """``value`` with numbers for some of its symbols."""
    return Substitution(symbols).poly(value)


def symbols_of(value: Sens | Poly) -> set[Symbol]:
    """Every symbol that stands in a number, at any depth."""
    return {atom for atom in _leaves(value) if isinstance(atom, Symbol)}


def norms_of(value: Sens | Poly) -> set[NormVariable]:
    """Every norm variable that a number depends on."""
    if not _applies(value):
        return set()
    return {atom for atom in _leaves(value) if isinstance(atom, NormVariable)}


def _applies(value: Sens | Poly) -> bool:
    """Whether any function stands in a number."""
    for poly in polys_of(value):
        for monomial in poly.terms:
            for atom, _ in monomial:
                if not isinstance(atom, Symbol):
                    return True
    return False


def speaks_of(value: Sens | Poly, which: Callable[[Symbol], bool]) -> bool:
    """Whether any of these symbols stands in a number."""
    for poly in polys_of(value):
        for monomial in poly.terms:
            for atom, _ in monomial:
                if not isinstance(atom, Symbol):  # functions are looked into once, however often they stand there
                    return any(isinstance(leaf, Symbol) and which(leaf) for leaf in _leaves(value))
                if which(atom):
                    return True
    return False


def is_closed(value: Sens | Poly) -> bool:
    """Whether neither symbols nor norm variables stand in a number."""
    for poly in polys_of(value):
        for monomial in poly.terms:
            for atom, _ in monomial:
                return not isinstance(atom, Symbol) and next(_leaves(value), None) is None
    return True


def _leaves(value: Sens | Poly) -> Iterator[Symbol | NormVariable]:
    """What a number is made of, some of it several times; functions are looked into once."""
    seen: set[Apply] = set()
    pending: list[Apply] = []
    args: tuple[Argument, ...] = (value,)
    while True:
        for arg in args:
            if isinstance(arg, NormVariable):
                yield arg
                continue
            for poly in polys_of(arg):
                for monomial in poly.terms:
                    for atom, _ in monomial:
                        if isinstance(atom, Symbol):
                            yield atom
                        elif atom not in seen:
                            seen.add(atom)
                            pending.append(atom)
        if not pending:
            return
        args = pending.pop().args
