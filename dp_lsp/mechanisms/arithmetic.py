"""The numbers that formulas are computed with: symbols, floats, and intervals that certainly hold a number.

A formula stands once, for an :class:`Arithmetic`. A measure of charges searches with floats, and then computes what it
states once with a :class:`DecimalInterval`: 40 digits, every operation rounded outward. So what is stated is proved up
to the correctness of Python's ``decimal``. A measure of symbols has formulas of the same kind, exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from typing import Generic, TypeVar

from dp_lsp.core import sens
from dp_lsp.core.sens import Sens

DIGITS = 40
SHOWN = 12  # digits of an ε that is stated
_PLAIN = 10**SHOWN  # the denominator of a fraction that is stated as it is, such as 1/3
_TRAPS = [InvalidOperation, DivisionByZero, Overflow]
_DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=_TRAPS)
_UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=_TRAPS)
RAW = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=_TRAPS)
"""For sums and products of many positive numbers that are widened at the end. Operators of ``Decimal`` must not be
used: they round to the digits of whatever context a thread has."""
DEEP = Context(prec=54, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=_TRAPS)
"""For what is computed to within a stated error; operators of ``Decimal`` must not be used."""
_SHOWN = Context(prec=SHOWN, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=_TRAPS)
_ONE, _ZERO = Decimal(1), Decimal(0)
_SMALL = Decimal("1e-8")
_CLOSE = Decimal("1e-30")  # the two ends of what was computed from one number
_LARGEST = 5_000  # digits of a fraction
_LONG = 2_000  # bits of a fraction that is kept as it is


class DecimalInterval:
    """A number between ``low`` and ``high``. Raises ArithmeticError where a function is not defined on all of it."""

    __slots__ = ("high", "low")

    def __init__(self, low: Decimal, high: Decimal) -> None:
        self.low = low
        self.high = high

    @staticmethod
    def of(value: Fraction | int | float) -> DecimalInterval:
        """The number itself, if it has few enough digits, else its neighbours."""
        exact = Fraction(value)
        top, bottom = Decimal(exact.numerator), Decimal(exact.denominator)
        return DecimalInterval(_DOWN.divide(top, bottom), _UP.divide(top, bottom))

    def __repr__(self) -> str:
        return f"[{self.low}, {self.high}]"

    def __neg__(self) -> DecimalInterval:
        return DecimalInterval(self.high.copy_negate(), self.low.copy_negate())

    def __add__(self, other: DecimalInterval | Fraction | int) -> DecimalInterval:
        other = _as_interval(other)
        return DecimalInterval(_DOWN.add(self.low, other.low), _UP.add(self.high, other.high))

    def __sub__(self, other: DecimalInterval | Fraction | int) -> DecimalInterval:
        return self + -_as_interval(other)

    def __rsub__(self, other: Fraction | int) -> DecimalInterval:
        return _as_interval(other) - self

    def __mul__(self, other: DecimalInterval | Fraction | int) -> DecimalInterval:
        other = _as_interval(other)
        if self.low >= 0 and other.low >= 0:
            return DecimalInterval(_DOWN.multiply(self.low, other.low), _UP.multiply(self.high, other.high))
        pairs = [(left, right) for left in (self.low, self.high) for right in (other.low, other.high)]
        return DecimalInterval(min(_DOWN.multiply(*pair) for pair in pairs), max(_UP.multiply(*pair) for pair in pairs))

    def __truediv__(self, other: DecimalInterval | Fraction | int) -> DecimalInterval:
        other = _as_interval(other)
        if other.low <= 0 <= other.high:
            raise ZeroDivisionError(f"{self} / {other}")
        return self * DecimalInterval(_DOWN.divide(_ONE, other.high), _UP.divide(_ONE, other.low))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rtruediv__(self, other: Fraction | int) -> DecimalInterval:
        return _as_interval(other) / self

    def power(self, exponent: int) -> DecimalInterval:
        """A power ≥ 0 of a number ≥ 0."""
        result, base = ONE, self
        while exponent:
            if exponent & 1:
                result = result * base
            base = base * base if exponent > 1 else base
            exponent >>= 1
        return result

    def exp(self) -> DecimalInterval:
        """From the upper end alone where the ends are close: e^low = e^high·e^-d >= e^high·(1 - d), d = high - low."""
        width = _UP.subtract(self.high, self.low)
        if not 0 < width < _CLOSE:
            return self._monotone(Decimal.exp, _ZERO, _ONE)
        top = self.high.exp(_UP)
        least = _DOWN.multiply(_DOWN.next_minus(top), _DOWN.subtract(_ONE, width))
        return DecimalInterval(least, _UP.next_plus(top))

    def ln(self) -> DecimalInterval:
        """In the same way: ln(low) = ln(high) + ln(low/high) >= ln(high) - (high - low)/low, as ln(x) >= 1 - 1/x."""
        width = _UP.subtract(self.high, self.low)
        if self.low <= 0 or not 0 < width < _CLOSE * self.low:
            return self._monotone(Decimal.ln, _ONE, _ZERO)
        top = self.high.ln(_UP)
        least = _DOWN.subtract(_DOWN.next_minus(top), _UP.divide(width, self.low))
        return DecimalInterval(least, _UP.next_plus(top))

    def sqrt(self) -> DecimalInterval:
        """The square root of what is not negative."""
        return self._monotone(Decimal.sqrt, _ZERO, _ZERO)

    def expm1(self) -> DecimalInterval:
        """e^x - 1; at least x, and for 0 ≤ x ≤ 1/2 at most x + x², so that what is tiny stays so."""
        plain = self.exp() - 1
        low = max(plain.low, self.low)
        if 0 <= self.high <= Decimal("0.5"):
            return DecimalInterval(low, min(plain.high, _UP.fma(self.high, self.high, self.high)))
        return DecimalInterval(low, plain.high)

    def log1p(self) -> DecimalInterval:
        """ln(1 + x); at most x, and for x ≥ 0 at least x - x²/2; of a small x the series, which changes its sign."""
        if self.low >= 0 and self.high < _SMALL:
            low, top = DecimalInterval(self.low, self.low), DecimalInterval(self.high, self.high)
            least = low - low.power(2) / 2 + low.power(3) / 3 - low.power(4) / 4
            most = top - top.power(2) / 2 + top.power(3) / 3
            return DecimalInterval(max(least.low, _ZERO), min(most.high, self.high))
        plain = (self + 1).ln()
        high = min(plain.high, self.high)
        if self.low >= 0:
            half = _UP.divide(_UP.multiply(self.low, self.low), Decimal(2))
            return DecimalInterval(max(plain.low, _DOWN.subtract(self.low, half)), high)
        return DecimalInterval(plain.low, high)

    def _monotone(
        self, function: Callable[[Decimal, Context], Decimal], at: Decimal, there: Decimal
    ) -> DecimalInterval:
        """An increasing function that ``decimal`` rounds to nearest, and that is exactly ``there`` ``at`` one place."""
        if self.low == self.high:
            found = there if self.low == at else function(self.low, _DOWN)
            return (
                DecimalInterval(found, found)
                if found is there
                else DecimalInterval(_DOWN.next_minus(found), _UP.next_plus(found))
            )
        low = there if self.low == at else _DOWN.next_minus(function(self.low, _DOWN))
        high = there if self.high == at else _UP.next_plus(function(self.high, _UP))
        return DecimalInterval(low, high)

    @property
    def up(self) -> Fraction:
        """A fraction that the number is at most. Raises OverflowError for one that is too long to write down."""
        if self.high.adjusted() > _LARGEST:
            raise OverflowError(str(self.high))
        return Fraction(self.high) if self.high.adjusted() > -_LARGEST else Fraction(1, 10**_LARGEST)

    @property
    def down(self) -> Fraction:
        """A fraction that the number, ≥ 0, is at least."""
        if self.low.adjusted() > _LARGEST:
            return Fraction(10**_LARGEST)
        return Fraction(self.low) if self.low.adjusted() > -_LARGEST else Fraction(0)


def _as_interval(value: DecimalInterval | Fraction | int) -> DecimalInterval:
    return value if isinstance(value, DecimalInterval) else DecimalInterval.of(value)


ZERO, ONE = DecimalInterval(_ZERO, _ZERO), DecimalInterval(_ONE, _ONE)
PI = DecimalInterval(
    Decimal("3.1415926535897932384626433832795028841971693993751"),
    Decimal("3.1415926535897932384626433832795028841971693993752"),
)


NEAR = Fraction(1, 10 ** (DIGITS - 12))
"""More than the relative error of 10⁷ operations of ``RAW``."""
_AROUND = DecimalInterval(DecimalInterval.of(1 - NEAR).low, DecimalInterval.of(1 + NEAR).high)


def widened(low: Decimal, high: Decimal) -> DecimalInterval:
    """An interval of positive numbers that were computed by operations of ``RAW``."""
    return DecimalInterval(low, high) * _AROUND


def brief(value: Fraction) -> Fraction:
    """The number, or one slightly above it that is not as long."""
    if value.numerator.bit_length() + value.denominator.bit_length() <= _LONG:
        return value
    return DecimalInterval.of(value).up


def shown(value: Fraction) -> Fraction:
    """The number as it is stated: itself if it is a plain fraction, so that three times 1/3 is 1, else rounded up to
    some digits."""
    if value.denominator <= _PLAIN:
        return value
    return Fraction(_SHOWN.divide(Decimal(value.numerator), Decimal(value.denominator)))


N = TypeVar("N", float, DecimalInterval, Sens)
Order = Fraction | float
"""A float where floats are computed with."""


class Arithmetic(Generic[N]):
    """The functions that a formula needs beside + - * /."""

    def of(self, value: Fraction | float) -> N:
        """A number as it is computed with."""
        raise NotImplementedError

    def exp(self, value: N) -> N:
        """e^x."""
        raise NotImplementedError

    def ln(self, value: N) -> N:
        """ln(x) for x > 0."""
        raise NotImplementedError

    def expm1(self, value: N) -> N:
        """e^x - 1, also where that is close to 0."""
        raise NotImplementedError

    def log1p(self, value: N) -> N:
        """ln(1 + x), also where that is close to 0."""
        raise NotImplementedError

    def sqrt(self, value: N) -> N:
        """√x for x ≥ 0."""
        raise NotImplementedError

    def clipped(self, value: N, low: N, high: N) -> N:
        """The number if it lies between two others, else the nearer one of them."""
        raise NotImplementedError

    def quotient(self, top: N, bottom: N) -> N:
        """x / y for y > 0."""
        raise NotImplementedError

    def tanh_half(self, value: N) -> N:
        """tanh(x/2)."""
        raise NotImplementedError

    def geometric(self, value: N, count: int) -> N:
        """1 + e^x + … + e^((k-1)x) for x > 0."""
        return self.quotient(self.expm1(value * self.of(count)), self.expm1(value))


_WRITTEN_OUT = 4  # terms of a geometric sum of symbols


class Floats(Arithmetic[float]):
    """Fast, for searching; what is too large is ∞."""

    def of(self, value: Fraction | float) -> float:
        try:
            return float(value)
        except OverflowError:
            return math.inf

    def exp(self, value: float) -> float:
        return math.exp(value) if value < 700 else math.inf

    def ln(self, value: float) -> float:
        return math.log(value) if value > 0 else -math.inf

    def expm1(self, value: float) -> float:
        return math.expm1(value) if value < 700 else math.inf

    def log1p(self, value: float) -> float:
        return math.log1p(value)

    def clipped(self, value: float, low: float, high: float) -> float:
        return min(max(value, low), high)

    def quotient(self, top: float, bottom: float) -> float:
        return top / bottom

    def tanh_half(self, value: float) -> float:
        return math.tanh(value / 2)


class Intervals(Arithmetic[DecimalInterval]):
    """Certain."""

    def of(self, value: Fraction | float) -> DecimalInterval:
        return DecimalInterval.of(value)

    def exp(self, value: DecimalInterval) -> DecimalInterval:
        return value.exp()

    def ln(self, value: DecimalInterval) -> DecimalInterval:
        return value.ln()

    def expm1(self, value: DecimalInterval) -> DecimalInterval:
        return value.expm1()

    def log1p(self, value: DecimalInterval) -> DecimalInterval:
        return value.log1p()

    def sqrt(self, value: DecimalInterval) -> DecimalInterval:
        return value.sqrt()

    def clipped(self, value: DecimalInterval, low: DecimalInterval, high: DecimalInterval) -> DecimalInterval:
        raised = DecimalInterval(max(value.low, low.low), max(value.high, low.high))
        return DecimalInterval(min(raised.low, high.low), min(raised.high, high.high))

    def quotient(self, top: DecimalInterval, bottom: DecimalInterval) -> DecimalInterval:
        return top / bottom

    def tanh_half(self, value: DecimalInterval) -> DecimalInterval:
        grown = value.expm1()
        return grown / (grown + 2)


class Symbols(Arithmetic[Sens]):
    """Exact, of numbers ≥ 0 that need not be known. Nothing is subtracted, and there is no e^-x."""

    def of(self, value: Fraction | float) -> Sens:
        return sens.number(Fraction(value))

    def exp(self, value: Sens) -> Sens:
        return sens.ONE + sens.expm1(value)

    def expm1(self, value: Sens) -> Sens:
        return sens.expm1(value)

    def log1p(self, value: Sens) -> Sens:
        return sens.log1p(value)

    def sqrt(self, value: Sens) -> Sens:
        return value.root()

    def quotient(self, top: Sens, bottom: Sens) -> Sens:
        return top * Sens((bottom.as_atom().inverse(),))

    def tanh_half(self, value: Sens) -> Sens:
        return sens.tanh(value * _HALF)

    def geometric(self, value: Sens, count: int) -> Sens:
        if count > _WRITTEN_OUT:
            return super().geometric(value, count)
        grown = self.exp(value)
        return sens.total(grown.power(i) for i in range(count))


_HALF = Sens((sens.number(2).single_poly().inverse(),))
FLOATS, INTERVALS, SYMBOLS = Floats(), Intervals(), Symbols()
