"""What Julia computes of numbers, and of which type the result is."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction

from .failures import Failure, Unmodelled
from .types import BOOL, FLOAT, INT, INTEGER, Type, is_below, promoted
from .values import NAN, Array, Box, Grads, Range, Turned, Value, collected, is_number, made, number, solid, type_of

_FLOATS = ("Float64", "Float32", "Float16", "AbstractFloat")
_EXACT: dict[str, Callable[..., Fraction | int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def missing(name: str, *args: Value) -> Failure:
    """What is thrown where no method fits."""
    return Failure("MethodError", f"no method matching {name}({', '.join(f'::{type_of(arg)}' for arg in args)})")


def is_whole(value: Value) -> bool:
    return is_below(type_of(value), INTEGER)


def floating(type_: Type) -> Type:
    """The type of what dividing gives."""
    return type_ if type_.name in _FLOATS or type_.name == "Rational" else FLOAT


def plain(name: str, x: Value, y: Value) -> Value:
    """`+`, `-` and `*` of two numbers."""
    fast = type(x) is type(y) and type(x) in (int, Fraction)
    if fast:
        return made(INT if type(x) is int else FLOAT, _EXACT[name](x, y))
    if not (is_number(x) and is_number(y)):
        raise missing(name, x, y)
    found = promoted(type_of(x), type_of(y))
    if found == BOOL and name != "*":
        found = INT
    return made(found, _EXACT[name](number(x), number(y)))


def quotient(x: Value, y: Value) -> Value:
    if not (is_number(x) and is_number(y)):
        raise missing("/", x, y)
    found = floating(promoted(type_of(x), type_of(y)))
    a, b = number(x), number(y)
    if a is NAN or b is NAN or (not a and not b and found == FLOAT):
        return made(found, NAN)
    if not b:
        raise Unmodelled("infinities")
    return made(found, Fraction(a) / Fraction(b))


def remainder(name: str, x: Value, y: Value) -> Value:
    """`rem` (or `%`), `mod` and `div`."""
    if not (is_number(x) and is_number(y)):
        raise missing(name, x, y)
    found = promoted(type_of(x), type_of(y))
    a, b = number(x), number(y)
    if not b:
        if is_below(found, INTEGER):
            raise Failure("DivideError", "integer division error")
        raise Unmodelled("infinities")
    whole = math.floor(Fraction(a) / Fraction(b)) if name == "mod" else math.trunc(Fraction(a) / Fraction(b))
    if name == "div":
        return made(INT if found == BOOL else found, whole)
    return made(found, a - b * whole)


def power(x: Value, y: Value, literal: bool = False) -> Value:
    """`x ^ y`; a whole exponent that is written out is treated by itself, so that `2 ^ -1` is 0.5."""
    if not (is_number(x) and is_number(y)):
        raise missing("^", x, y)
    base, exponent, kind = number(x), number(y), type_of(x)
    if is_whole(y):
        exponent = int(exponent)
        if abs(exponent) > 64:
            raise Unmodelled("high powers")
        if exponent < 0 and is_whole(x):
            return _inverse_power(x, exponent, literal)
        if exponent < 0 and not base:
            raise Unmodelled("infinities")
        return made(kind, base**exponent)
    found = floating(promoted(kind, type_of(y)))
    if base < 0 and exponent != int(exponent):
        raise Failure("DomainError", f"{float(base)!r}: exponentiation yielding a complex result")
    if not base and exponent < 0:
        raise Unmodelled("infinities")
    if exponent == int(exponent) and abs(exponent) <= 64:
        return made(found, Fraction(base) ** int(exponent))
    return made(found, Fraction(_finite(lambda: float(base) ** float(exponent))))


def _inverse_power(x: Value, exponent: int, literal: bool) -> Value:
    base = number(x)
    if literal:
        if not base:
            raise Unmodelled("infinities")
        return made(FLOAT, Fraction(base) ** exponent)
    if base in (1, -1):
        return made(type_of(x), int(Fraction(base) ** exponent))
    raise Failure("DomainError", f"{base}: cannot raise an integer x to a negative power {exponent}")


def _finite(compute: Callable[[], float]) -> float:
    try:
        found = compute()
    except (OverflowError, ZeroDivisionError):
        raise Unmodelled("infinities") from None
    if not math.isfinite(found):
        raise Unmodelled("infinities")
    return found


def transcendent(name: str, x: Value) -> Value:
    """`sqrt`, `exp`, `log`, and the elementary functions."""
    if not is_number(x):
        raise missing(name, x)
    value, kind = number(x), floating(type_of(x))
    if value is NAN:
        return made(kind, NAN)
    if name == "sqrt" and value >= 0:
        root = Fraction(math.isqrt(Fraction(value).numerator), math.isqrt(Fraction(value).denominator))
        return made(kind, root if root * root == value else Fraction(_finite(lambda: math.sqrt(value))))
    if (name == "log1p" and value == -1) or (name in ("log", "log2", "log10") and not value):
        raise Unmodelled("infinities")
    try:
        if name in ("sinpi", "cospi"):  # of the number of half turns that is left, so that whole ones are exact
            turned = getattr(math, name.removesuffix("pi"))
            return made(kind, Fraction(turned(math.pi * float(Fraction(value) % 2))))
        return made(kind, Fraction(_finite(lambda: getattr(math, name)(float(value)))))
    except ValueError:
        raise Failure("DomainError", f"{float(value)!r}: {name} is not defined there") from None


def negated(x: Value) -> Value:
    if isinstance(x, Grads):
        return Grads({name: negated(array) for name, array in x.arrays.items()})
    if isinstance(x, Array | Turned | Range):
        return each(lambda entry: negated(entry), x)
    if not is_number(x):
        raise missing("-", x)
    return made(INT if isinstance(x, bool) else type_of(x), -number(x))


def absolute(x: Value) -> Value:
    if not is_number(x):
        raise missing("abs", x)
    return x if isinstance(x, bool) else made(type_of(x), abs(number(x)))


_ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "round": lambda x: round(x),
}


def rounded(name: str, *args: Value, digits: Value = None) -> Value:
    """`ceil(x)`, `ceil(Int, x)`, `ceil(x; digits)` and the others."""
    *kinds, x = args
    if not is_number(x):
        raise missing(name, *args)
    if digits is not None:
        scale = Fraction(10) ** int(number(digits))
        return made(floating(type_of(x)), _ROUNDINGS[name](Fraction(number(x)) * scale) / scale)
    whole = number(x) if is_whole(x) else _ROUNDINGS[name](Fraction(number(x)))
    if not kinds:
        return x if is_whole(x) else made(type_of(x), whole)
    kind = kinds[0]
    if not isinstance(kind, Type):
        raise missing(name, *args)
    if kind.name in ("Integer", "Real"):
        return x if is_whole(x) else made(INT, whole) if kind.name == "Integer" else made(type_of(x), whole)
    return made(kind, whole)


# Comparing


def same(x: Value, y: Value) -> bool:
    """`x == y`"""
    if is_number(x) and is_number(y):
        return number(x) == number(y)
    if isinstance(x, Array | Turned | Range) and isinstance(y, Array | Turned | Range):
        return x.shape == y.shape and all(same(a, b) for a, b in zip(x.in_order(), y.in_order(), strict=True))
    if isinstance(x, tuple) and isinstance(y, tuple) and type(x) is type(y) is tuple:
        return len(x) == len(y) and all(map(same, x, y))
    return type(x) is type(y) and (x == y if isinstance(x, str | Type) or x is None else x is y or x == y)


def identical(x: Value, y: Value) -> bool:
    """`x === y`"""
    if isinstance(x, Array | Turned | Range):
        return x is y
    if isinstance(x, tuple) and isinstance(y, tuple):
        return type(x) is type(y) and len(x) == len(y) and all(map(identical, x, y))
    return type(x) is type(y) and type_of(x) == type_of(y) and same(x, y)


_ORDERS: dict[str, Callable[..., bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def ordered(name: str, x: Value, y: Value) -> bool:
    if is_number(x) and is_number(y):
        return _ORDERS[name](number(x), number(y))
    if isinstance(x, str) and isinstance(y, str):
        return _ORDERS[name](x, y)
    raise missing("isless" if name in ("<", ">") else name, x, y)


def extreme(name: str, *args: Value) -> Value:
    """`min` and `max` of numbers: of the type that all are promoted to."""
    found = args[0]
    if not is_number(found):
        raise missing(name, *args)
    for each_ in args[1:]:
        if not is_number(each_):
            raise missing(name, *args)
        kind = promoted(type_of(found), type_of(each_))
        a, b = number(found), number(each_)
        better = b is NAN or (b < a if name == "min" else b > a)
        found = made(kind, NAN if a is NAN else b if better else a)
    return found


def clamped(x: Value, low: Value, high: Value) -> Value:
    if isinstance(x, Array | Turned | Range):
        return each(lambda entry: clamped(entry, low, high), x)
    if not all(map(is_number, (x, low, high))):
        raise missing("clamp", x, low, high)
    kind = promoted(promoted(type_of(x), type_of(low)), type_of(high))
    a, b, c = number(x), number(low), number(high)
    return made(kind, c if a > c else b if a < b else a)


# Arrays


def each(function: Callable[[Value], Value], box: Box) -> Array:
    """A function of every entry, in an array of the same shape."""
    whole = solid(box)
    return collected([function(entry) for entry in whole.entries], whole.shape, whole.element)


def added(name: str, x: Value, y: Value) -> Value:
    """`+` and `-` of numbers and of containers."""
    if type(x) is type(y) and type(x) in (int, Fraction):
        return plain(name, x, y)
    if isinstance(x, Grads) and isinstance(y, Grads) and x.arrays.keys() == y.arrays.keys():
        return Grads({key: added(name, array, y.arrays[key]) for key, array in x.arrays.items()})
    boxes = [isinstance(value, Array | Turned | Range) for value in (x, y)]
    if all(boxes):
        if x.shape != y.shape:
            raise Failure("DimensionMismatch", f"dimensions must match: {x.shape} and {y.shape}")
        a, b = solid(x), solid(y)
        found = [plain(name, p, q) for p, q in zip(a.entries, b.entries, strict=True)]
        return collected(found, a.shape, promoted(a.element, b.element))
    if any(boxes):
        raise missing(name, x, y)
    return plain(name, x, y)


def multiplied(x: Value, y: Value) -> Value:
    if isinstance(x, Grads) and is_number(y):
        x, y = y, x
    if isinstance(y, Grads) and is_number(x):
        return Grads({name: multiplied(x, array) for name, array in y.arrays.items()})
    boxes = [isinstance(value, Array | Turned | Range) for value in (x, y)]
    if not any(boxes):
        if isinstance(x, str) and isinstance(y, str):
            return x + y
        return plain("*", x, y)
    if all(boxes):
        return _product(x, y)
    return each(lambda entry: plain("*", x, entry), y) if boxes[1] else each(lambda entry: plain("*", entry, y), x)


def _product(x: Box, y: Box) -> Value:
    """Of matrices and vectors."""
    if len(x.shape) == 1 and len(y.shape) == 1:
        raise missing("*", x, y)
    rows = solid(x).rows() if len(x.shape) == 2 else [[entry] for entry in x.in_order()]
    cols = list(zip(*solid(y).rows(), strict=True)) if len(y.shape) == 2 else [tuple(y.in_order())]
    if any(len(row) != len(col) for row in rows for col in cols):
        raise Failure("DimensionMismatch", f"{x.shape} and {y.shape}")
    entries = [dot(row, col) for row in rows for col in cols]
    if len(y.shape) == 1 and isinstance(x, Turned) and len(x.parent.shape) == 1:
        return entries[0]
    return collected(entries, (len(rows),) if len(y.shape) == 1 else (len(rows), len(cols)))


def dot(xs: list[Value] | tuple[Value, ...], ys: list[Value] | tuple[Value, ...]) -> Value:
    found: Value = None
    for x, y in zip(xs, ys, strict=True):
        term = plain("*", x, y)
        found = term if found is None else plain("+", found, term)
    return 0 if found is None else found


def divided(x: Value, y: Value) -> Value:
    if isinstance(x, Grads) and is_number(y):
        return Grads({name: divided(array, y) for name, array in x.arrays.items()})
    if isinstance(x, Array | Turned | Range):
        if not is_number(y):
            raise missing("/", x, y)
        return each(lambda entry: quotient(entry, y), x)
    return quotient(x, y)


def total(values: list[Value], element: Type) -> Value:
    """`sum`: small integers are widened, and of nothing it is a zero."""
    if not values:
        if element.name in ("Any",) or "Union" in element.name:
            raise missing("zero", element)
        return made(INT if element.name in ("Bool", "Real", "Integer", "Number") else element, 0)
    found = values[0]
    if not is_number(found):
        for value in values[1:]:
            found = added("+", found, value)
        return found
    if is_whole(found) and len(type_of(found).name) < 7 and type_of(found).name not in ("Int64", "UInt64", "Int128"):
        found = made(INT, number(found))
    for value in values[1:]:
        found = plain("+", found, value)
    return found


def wide(type_: Type, x: Value) -> Value:
    """A number turned into another type."""
    return x if type_of(x) == type_ else made(type_, number(x))
