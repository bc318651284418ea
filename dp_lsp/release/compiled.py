"""What a program does with records, as expressions that an engine computes: one query for what is released at a time.

The interpreter runs the program as it is. A table is a stand-in (:class:`Records`); a function of a record is run once,
on stand-ins for the numbers in it (:class:`Number`), and what it does with them becomes an expression of Ibis. Where it
asks whether something holds of them, it is run both ways. So what is computed is what the interpreter would compute, by
the same program, and nobody has to know how programs are written.

All is whole numbers: a number is so many times a unit, of which it is known between what it lies. Units are fractions
that are kept here, so nothing is rounded, and what could overflow is not compiled. Neither is what draws at random for
each record, as it would draw once for all of them, nor what fails for some records.

What is not compiled is computed by the interpreter as if there were no engine, of the records that it asks for; so each
value is the same whether it was compiled or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dp_lsp.builtins.meanings import (
    Labelled,
    NoMeaning,
    StandIn,
    Undefined,
    Value,
    array,
    is_container,
    quotient,
)
from dp_lsp.builtins.meanings import rows as rows_of
from dp_lsp.builtins.randomness import COMPUTED, RELEASED, of_parts
from dp_lsp.core.types import Clip
from dp_lsp.meaning.interpreter import Rows
from dp_lsp.release.columns import NARROW, WIDE, Columns, NotCompiled, ibis, name

_MOST_WAYS = 64  # in which a function of a record may go on
_MOST_POWER = 8
_MOST_NUMBERS = 2_000  # that one query asks for


# Ways in which a function of a record goes on


class _Ways:
    """One way: what was asked on it so far, and what is answered to begin with."""

    def __init__(self, answers: Sequence[bool]) -> None:
        self._answers = answers
        self.asked: list[tuple[Truth, bool]] = []

    def holds(self, truth: Truth) -> bool:
        """The answer of this way."""
        for before, answer in self.asked:
            if before.expr.op() == truth.expr.op():
                return answer
        place = len(self.asked)
        answer = self._answers[place] if place < len(self._answers) else True
        self.asked.append((truth, answer))
        return answer


_RUNNING: list[_Ways] = []
"""The ways that are gone at the moment: of a function that is run for all records at once."""


def of_record(function: Callable[..., Value], *record: Value) -> Value:
    """What a function makes of each record. Raises :class:`NotCompiled`."""
    if _RUNNING:
        raise NotCompiled("for each record it goes over records")
    found: list[tuple[list[tuple[Truth, bool]], Value]] = []
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        if len(found) == _MOST_WAYS:
            raise NotCompiled(f"it has more than {_MOST_WAYS} cases")
        start = waiting.pop()
        way = _Ways(start)
        _RUNNING.append(way)
        try:
            value = function(*record)
        except (Undefined, NoMeaning) as error:
            raise NotCompiled(f"it may fail for a record ({error})") from None
        except TypeError:
            raise NotCompiled("it does with a number of the record what is done with none") from None
        finally:
            _RUNNING.pop()
        found.append((way.asked, value))
        answers = tuple(answer for _, answer in way.asked)
        waiting += [(*answers[:place], not answers[place]) for place in range(len(start), len(answers))]
    return _joined(found, 0)


def _joined(ways: list[tuple[list[tuple[Truth, bool]], Value]], depth: int) -> Value:
    """The value of whichever way a record goes."""
    if len(ways) == 1:
        return ways[0][1]
    truth = ways[0][0][depth][0]
    yes, no = ([each for each in ways if each[0][depth][1] is answer] for answer in (True, False))
    return _chosen(truth, _joined(yes, depth + 1), _joined(no, depth + 1))


def _chosen(truth: Truth, one: Value, other: Value) -> Value:
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        label = one.label if isinstance(one, Labelled) else None
        if label == (other.label if isinstance(other, Labelled) else None):
            return Labelled.of([_chosen(truth, a, b) for a, b in zip(one, other, strict=True)], label)
    if _is_array(one) and _is_array(other) and one.shape == other.shape:
        return array([_chosen(truth, a, b) for a, b in zip(one.flat, other.flat, strict=True)], one.shape)
    if isinstance(one, bool | Truth) and isinstance(other, bool | Truth):
        return Truth(truth.expr.ifelse(_truth(one).expr, _truth(other).expr))
    if _is_number(one) and _is_number(other):
        a, b = _alike(_number(one), _number(other))
        low, high, wide = min(a.low, b.low), max(a.high, b.high), a.wide or b.wide
        return Number(truth.expr.ifelse(a.as_wide(wide), b.as_wide(wide)), a.unit, low, high, a.kinds | b.kinds, wide)
    raise NotCompiled("it makes values of different kinds")


# Stand-ins for what is in a record


_INT, _REAL = frozenset({True}), frozenset({False})


class OfRecord(StandIn):
    """What is computed with as a number."""

    def really(self) -> Value:
        raise NotCompiled("what it does depends on what a number of the record is stored as")

    def __add__(self, other: Value) -> Number:
        a, b = _alike(_number(self), _number(other))
        for kept, none in ((a, b), (b, a)):
            if none.is_constant and not none.low:
                return kept.of_kind(_mixed(a, b))
        return _combined(a, b, lambda x, y: x + y, a.unit, _mixed(a, b))

    __radd__ = __add__

    def __neg__(self) -> Number:
        a = _number(self)
        if a.is_constant:
            return _constant(-a.low, a.kinds).of_unit(a.unit)
        return Number(-a.expr, a.unit, -a.high, -a.low, a.kinds, a.wide)

    def __sub__(self, other: Value) -> Number:
        return self + -_number(other)

    def __rsub__(self, other: Value) -> Number:
        return _number(other) + -self

    def __mul__(self, other: Value) -> Number:
        a, b = _number(self), _number(other)
        for x, y in ((a, b), (b, a)):
            if y.is_constant and y.low:
                size = y.low * y.unit
                made = x if size > 0 else -x
                return made.of_unit(x.unit * abs(size)).of_kind(_mixed(a, b))
        return _combined(a, b, lambda x, y: x * y, a.unit * b.unit, _mixed(a, b))

    __rmul__ = __mul__

    def __truediv__(self, other: Value) -> Number:
        divisor = _number(other)
        if not divisor.is_constant or not divisor.low:
            raise NotCompiled("it divides by a number of the record")
        return (self * (1 / (divisor.low * divisor.unit))).of_kind(_REAL)

    def __rtruediv__(self, other: Value) -> Number:
        raise NotCompiled("it divides by a number of the record")

    def __pow__(self, power: Value) -> Number:
        if not isinstance(power, int | Fraction) or power != int(power) or not 1 <= power <= _MOST_POWER:
            raise NotCompiled("it takes a power of a number of the record")
        found = _number(self)
        for _ in range(int(power) - 1):
            found = found * self
        return found

    def __abs__(self) -> Value:
        return _chosen_if(self < 0, -self, _number(self))

    def __lt__(self, other: Value) -> Any:
        return _compared(self, other, lambda x, y: x < y)

    def __le__(self, other: Value) -> Any:
        return _compared(self, other, lambda x, y: x <= y)

    def __gt__(self, other: Value) -> Any:
        return _compared(self, other, lambda x, y: x > y)

    def __ge__(self, other: Value) -> Any:
        return _compared(self, other, lambda x, y: x >= y)

    def __eq__(self, other: object) -> Any:
        return _compared(self, other, lambda x, y: x == y)

    def __ne__(self, other: object) -> Any:
        return _compared(self, other, lambda x, y: x != y)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        if not _RUNNING:
            raise NotCompiled("it depends on a record")
        return _RUNNING[-1].holds(_truth(self))

    def __int__(self) -> int:
        raise NotCompiled("a number of the record is a place or a count")

    __index__ = __int__

    def __float__(self) -> float:
        raise NotCompiled("it computes with a number of the record only approximately")


class Truth(OfRecord):
    """Whether something holds of a record."""

    likes = (True, False)

    def __init__(self, expr: Any) -> None:
        self.expr = expr


class Number(OfRecord):
    """A number of a record: ``expr``, which is whole and between ``low`` and ``high``, times ``unit``. ``kinds`` says
    whether the interpreter would have an integer; ``wide`` whether the expression is a decimal of 38 digits. One that
    ``is_constant`` is public: what it lies between is not by the data, which no query depends on."""

    def __init__(
        self,
        expr: Any,
        unit: Fraction,
        low: int,
        high: int,
        kinds: frozenset[bool],
        wide: bool,
        is_constant: bool = False,
    ) -> None:
        if max(-low, high) > WIDE:
            raise NotCompiled("its numbers may have more than 38 digits")
        self.expr, self.unit, self.low, self.high, self.kinds, self.wide = expr, unit, low, high, kinds, wide
        self.is_constant = is_constant

    @property
    def likes(self) -> tuple[Value, ...]:  # type: ignore[override]
        """An integer, or a real number, or both."""
        return tuple(1 if each else Fraction(1, 2) for each in sorted(self.kinds))

    def as_wide(self, wide: bool) -> Any:
        """The expression, as a decimal if that is asked for."""
        return self.expr.cast(_DECIMAL) if wide and not self.wide else self.expr

    def of_kind(self, kinds: frozenset[bool]) -> Number:
        """The same number as the interpreter has it elsewhere."""
        return Number(self.expr, self.unit, self.low, self.high, kinds, self.wide, self.is_constant)

    def of_unit(self, unit: Fraction) -> Number:
        """The same whole number of another unit."""
        return Number(self.expr, unit, self.low, self.high, self.kinds, self.wide, self.is_constant)

    def times(self, factor: int) -> Number:
        """So many times the whole number, of a unit that is as much smaller."""
        if factor == 1:
            return self
        return _combined(self, _constant(factor, self.kinds), lambda a, b: a * b, self.unit / factor, self.kinds)


_DECIMAL = "decimal(38, 0)"


def _is_number(value: Value) -> bool:
    return isinstance(value, int | Fraction | OfRecord)


def _is_array(value: Value) -> bool:
    """Whether it is a container of this program, and no stand-in for one."""
    return not isinstance(value, StandIn) and is_container(value)


def _number(value: object) -> Number:
    """A stand-in for a number, which may be the same for all records."""
    if isinstance(value, Number):
        return value
    if isinstance(value, Truth):
        return Number(value.expr.ifelse(_literal(1), _literal(0)), Fraction(1), 0, 1, _INT, False)
    if isinstance(value, bool | int):
        return _constant(int(value), _INT)
    if isinstance(value, Fraction):
        return _constant(value.numerator, _REAL).of_unit(Fraction(1, value.denominator))
    raise NotCompiled("it computes with something that is no number")


def _constant(value: int, kinds: frozenset[bool]) -> Number:
    if abs(value) > WIDE:
        raise NotCompiled("its numbers may have more than 38 digits")
    return Number(_literal(value), Fraction(1), value, value, kinds, abs(value) > NARROW, True)


def _literal(value: int) -> Any:
    """Of 64 bits wherever it stands: DuckDB takes one that is written out for a smaller one."""
    literal = ibis().literal
    if abs(value) > NARROW:
        return literal(Decimal(value), type=_DECIMAL)
    return literal(value, type="int64") if abs(value) >= 1 << 31 else literal(value, type="int32").cast("int64")


def _truth(value: Value) -> Truth:
    """Whether something counts as true."""
    if isinstance(value, bool):
        return Truth(ibis().literal(value))
    if isinstance(value, Truth):
        return value
    if _is_number(value):
        return _truth(_number(value) != 0)
    raise NotCompiled("it asks whether something is true that is no number")


def _alike(a: Number, b: Number) -> tuple[Number, Number]:
    """Two numbers in one unit."""
    top = math.gcd(a.unit.numerator * b.unit.denominator, b.unit.numerator * a.unit.denominator)
    unit = Fraction(top, a.unit.denominator * b.unit.denominator)
    return a.times(int(a.unit / unit)), b.times(int(b.unit / unit))


def _mixed(a: Number, b: Number) -> frozenset[bool]:
    """An integer only of integers."""
    return frozenset(x and y for x in a.kinds for y in b.kinds)


def _combined(
    a: Number, b: Number, operation: Callable[[Any, Any], Any], unit: Fraction, kinds: frozenset[bool]
) -> Number:
    """A sum or a product: as wide as it must be. The ends of what it makes are among those of the ends."""
    ends = [operation(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = min(ends), max(ends)
    if a.is_constant and b.is_constant:
        return _constant(low, kinds).of_unit(unit)
    wide = a.wide or b.wide or max(-low, high) > NARROW
    return Number(operation(a.as_wide(wide), b.as_wide(wide)), unit, low, high, kinds, wide)


def _compared(one: object, other: object, asked: Callable[[Any, Any], Any]) -> Any:
    """Whether a number stands to another one so: True or False where both are constant."""
    if not _is_number(other):
        raise NotCompiled("it compares with something that is no number")
    a, b = _alike(_number(one), _number(other))
    if a.is_constant and b.is_constant:
        return bool(asked(a.low, b.low))
    wide = a.wide or b.wide
    return Truth(asked(a.as_wide(wide), b.as_wide(wide)))


def _chosen_if(truth: Value, one: Value, other: Value) -> Value:
    return _chosen(truth, one, other) if isinstance(truth, Truth) else one if truth else other


# What rows compute of a record


def _is_of_record(value: Value) -> bool:
    """Whether a value has to do with a record."""
    if isinstance(value, tuple):
        return any(map(_is_of_record, value))
    return isinstance(value, OfRecord) or (_is_array(value) and any(map(_is_of_record, value.flat)))


def _least(*values: Value) -> Value:
    found = values[0]
    for each in values[1:]:
        found = _chosen_if(_number(each) < found, each, found)
    return found


def _most(*values: Value) -> Value:
    found = values[0]
    for each in values[1:]:
        found = _chosen_if(_number(each) > found, each, found)
    return found


def _held_between(x: Value, low: Value, high: Value) -> Value:
    if _is_array(x):
        return array([_held_between(each, low, high) for each in x.flat], x.shape)
    above, below = _number(x) > high, _number(x) < low
    return _chosen_if(above, high, _chosen_if(below, low, x))


def _clipped(x: Value, upper: Value, lower: Value) -> Value:
    if isinstance(lower, OfRecord) or isinstance(upper, OfRecord) or lower > upper:
        raise NotCompiled("bounds that are not in order")
    return _held_between(x, lower, upper)


def _both(a: Value, b: Callable[[], Value]) -> Value:
    if isinstance(a, OfRecord):
        return Truth(_truth(a).expr & _truth(b()).expr)
    return b() if a else False


def _either(a: Value, b: Callable[[], Value]) -> Value:
    return Truth(_truth(a).expr | _truth(b()).expr)


def _unless(b: Value) -> Value:
    return Truth(~_truth(b).expr)


_SCALAR: dict[str, Callable[..., Value] | None] = {
    "abs": lambda x: abs(_number(x)),
    "min": _least,
    "max": _most,
    "clamp": _held_between,
    "clipn": _clipped,
    "&&": _both,
    "||": _either,
    "!": _unless,
    "ifelse": lambda c, a, b: _chosen_if(c if isinstance(c, bool) else _truth(c), a, b),
    "/": lambda x, y: _number(x) / y,
    "^": lambda x, n: _number(x) ** n,
    "abs2": lambda x: _number(x) * x,
    "iszero": lambda x: _number(x) == 0,
    "isone": lambda x: _number(x) == 1,
    "==": lambda x, y: _number(x) == y,
    "!=": lambda x, y: _number(x) != y,
    "<": lambda x, y: _number(x) < y,
    "<=": lambda x, y: _number(x) <= y,
    ">": lambda x, y: _number(x) > y,
    ">=": lambda x, y: _number(x) >= y,
    "+": None,
    "-": None,
    "*": None,
    "disc": None,
    "undisc": None,
    "internal_expect_const": None,
    "muladd": None,
    "[]": None,
    "[…]": None,
    "length": None,
    "sum": None,
    "dot_product": None,
    "vcat": None,
}
"""By the names of rows, what they compute of stand-ins; None for what is the same as of numbers: such as only adds,
multiplies, and hands on."""


# Stand-ins for records


class Records(StandIn):
    """Numbers, or rows, of a table: those of which ``where`` holds, and of each ``value``. ``plain`` is what the
    interpreter has in their place."""

    def __init__(
        self, columns: Columns, where: tuple[Truth, ...], value: Value, plain: Callable[[], Any], width: int | None
    ) -> None:
        self.columns, self.where, self.value, self.width = columns, where, value, width
        self._plain: Callable[[], Any] = plain
        self._array: Any = None

    @property
    def ndim(self) -> int:  # type: ignore[override]
        """1 for a vector, and 2 for a matrix."""
        return 1 if self.width is None else 2

    @property
    def likes(self) -> tuple[Value, ...]:  # type: ignore[override]
        """Vectors and matrices with such entries as there may be, and with none."""
        entries = {type(each): each for value in self.numbers for each in getattr(value, "likes", (value,))}
        shape = None if self.width is None else (1, 1)
        return (array([], None if self.width is None else (0, 1)), *(array([each], shape) for each in entries.values()))

    @property
    def numbers(self) -> tuple[Value, ...]:
        """The number of a record, or the numbers of a row."""
        return (self.value,) if self.width is None else tuple(self.value)

    @property
    def array(self) -> Any:
        """The records themselves, as the interpreter has them."""
        if self._array is None:
            self._array = self._plain()
        return self._array

    def really(self) -> Any:
        """The records themselves."""
        return self.array

    def kept(self, truth: Value, plain: Callable[[], Any]) -> Records:
        """Those of which something holds."""
        return Records(self.columns, (*self.where, _truth(truth)), self.value, plain, self.width)

    def made(self, value: Value, plain: Callable[[], Any]) -> Records:
        """What is made of each."""
        if _is_array(value):
            if value.ndim != 1:
                raise NotCompiled("it makes a matrix of each record")
            return Records(self.columns, self.where, array(value), plain, len(value))
        if not _is_number(value):
            raise NotCompiled("it makes something of each record that is no number")
        return Records(self.columns, self.where, value, plain, None)

    def is_beside(self, other: Records) -> bool:
        """Whether its records are of the same rows."""
        return self.columns is other.columns and [each.expr.op() for each in self.where] == [
            each.expr.op() for each in other.where
        ]

    # As the arrays of the interpreter

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return getattr(self.array, attribute)

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Value]:
        return iter(self.array)

    def __getitem__(self, place: Any) -> Value:
        return self.array[place]


# Queries


class _Query:
    """What is asked of records at once."""

    def __init__(self, records: Records) -> None:
        self._columns = records.columns
        self._held = held(records.columns)
        self._where = None
        for truth in records.where:
            self._where = truth.expr if self._where is None else self._where & truth.expr
        self._asked: list[Any] = []
        self._merges: list[Callable[[list[Any]], Any]] = []

    def _ask(self, expr: Any, merge: Callable[[list[Any]], Any]) -> int:
        if len(self._asked) == _MOST_NUMBERS:
            raise NotCompiled(f"it asks for more than {_MOST_NUMBERS:,} numbers")
        self._asked.append(expr)
        self._merges.append(merge)
        return len(self._asked) - 1

    def count(self, *truths: Truth) -> int:
        """How many there are of which something holds, too: the place of that."""
        where = self._where
        for each in truths:
            where = each.expr if where is None else where & each.expr
        return self._ask(self._held.count(where=where), sum)

    def total(self, number: Number) -> int:
        """The sum of numbers."""
        most = max(-number.low, number.high) * max(1, self._columns.count)
        if most > (NARROW if number.is_constant else WIDE):
            raise NotCompiled("its sum may have more than 38 digits")
        if number.is_constant:
            return self._ask(self._held.count(where=self._where) * number.low, sum)
        return self._ask(number.expr.sum(where=self._where), sum)

    def least(self, number: Number) -> int:
        """The smallest of numbers, if there is one."""
        return self._ask(number.expr.min(where=self._where), lambda parts: min(parts, default=None))

    def most(self, number: Number) -> int:
        """The largest."""
        return self._ask(number.expr.max(where=self._where), lambda parts: max(parts, default=None))

    def answers(self) -> list[int]:
        """The numbers, by their places. What was not there is 0."""
        named = {f"r{place}": each for place, each in enumerate(self._asked)}
        text = str(ibis().to_sql(self._held.aggregate(**named), dialect="duckdb"))
        return [0 if each is None else int(each) for each in self._columns.ask(text, self._merges)]


def held(columns: Columns) -> Any:
    """The columns as an engine has them."""
    types = {
        name(place): "boolean" if each.is_truth else _DECIMAL if each.is_wide else "int64"
        for place, each in columns.measured.items()
    }
    return ibis().table(types, name="held_columns")


def stand_in(columns: Columns, place: int, is_whole: bool) -> Number | Truth:
    """What a cell of a column stands for; ``is_whole`` says that the program has integers."""
    found, column = columns.measured[place], held(columns)[name(place)]
    if found.is_truth:
        return Truth(column)
    kinds = _INT if is_whole else _REAL
    return Number(column, found.unit, found.low, found.high, kinds, found.is_wide)


def _real(number: Number, whole: int) -> Value:
    """A number that was found, as the interpreter has it."""
    value = whole * number.unit
    return int(value) if number.kinds == _INT else value


# What rows compute of records


def _vector(records: Records) -> Number:
    if records.width is not None:
        raise NotCompiled("it takes all numbers of a matrix")
    return _number(records.value)


def _sums(v: Records, numbers: Iterable[Number]) -> tuple[list[Value], int]:
    """Sums, each as the interpreter has it, where that of nothing is an integer; and of how many records."""
    query, listed = _Query(v), list(numbers)
    places = [query.total(each) for each in listed]
    there = query.count()
    found = query.answers()
    sums = [_real(each, found[at]) if found[there] else 0 for each, at in zip(listed, places, strict=True)]
    return sums, found[there]


def _summed(*given: Any, dims: int | None = None) -> Value:
    *function, v = given
    if dims is not None:
        if function or v.width is None or dims == 2:
            raise NotCompiled("it sums along rows")
        sums, _ = _sums(v, map(_number, v.numbers))
        return array(sums, (1, len(sums)))
    if not function:
        return sum(_sums(v, map(_number, v.numbers))[0], 0)
    _vector(v)
    (found,), count = _sums(v, [_number(of_record(function[0], v.value))])
    if not count:
        raise Undefined("a sum of what is made of nothing")
    return found


def _counted(*given: Any) -> int:
    *function, v = given
    if v.width is not None:
        raise NotCompiled("it counts numbers of a matrix")
    query = _Query(v)
    query.count(*([_truth(of_record(function[0], v.value))] if function else ()))
    return query.answers()[0]


def _count_true(*given: Any) -> int:
    return _counted(*given) if len(given) > 1 else _counted(lambda x: x, *given)


def _height(v: Records) -> int:
    query = _Query(v)
    query.count()
    return query.answers()[0]


def _size(v: Records, i: Value = None) -> Value:
    shape = (_height(v),) if v.width is None else (_height(v), v.width)
    return shape if i is None else int(shape[i - 1])


def _mean(v: Records, dims: int | None = None) -> Value:
    if dims not in (None, 1) or (v.width is not None) != (dims == 1):
        raise NotCompiled("it takes means of rows")
    sums, count = _sums(v, map(_number, v.numbers))
    if dims is not None and not count:
        raise Undefined("a mean of no rows")
    means = [quotient(each, count) for each in sums]
    return means[0] if dims is None else array(means, (1, len(means)))


def _scattered(v: Records, x: Number, y: Number) -> tuple[Value, int]:
    """Σ(x - x̄)(y - ȳ) = Σxy - ΣxΣy/n, and n."""
    query = _Query(v)
    product = x * y
    places = [query.total(product), query.total(x), query.total(y), query.count()]
    found = query.answers()
    both, one, other, count = (found[at] for at in places)
    if not count:
        return Fraction(0), 0
    return both * product.unit - Fraction(one * x.unit * (other * y.unit)) / count, count


def _varied(v: Records, corrected: bool = True) -> Value:
    found, count = _scattered(v, _vector(v), _vector(v))
    return quotient(found, count - corrected)


def _columns_of(m: Records, i: Value, j: Value) -> tuple[Number, Number]:
    if m.width is None or not all(1 <= each <= m.width for each in (i, j)):
        raise NotCompiled("it asks for a column that is not there")
    return _number(m.value[int(i) - 1]), _number(m.value[int(j) - 1])


def _covaried(m: Records, i: Value, j: Value, corrected: bool = True) -> Value:
    found, count = _scattered(m, *_columns_of(m, i, j))
    return quotient(found, count - corrected)


def _extreme(is_most: bool) -> Callable[[Records], Value]:
    def found(v: Records) -> Value:
        query, number = _Query(v), _vector(v)
        if number.is_constant:
            raise NotCompiled("it is the same of all records")
        place = query.most(number) if is_most else query.least(number)
        there = query.count()
        answers = query.answers()
        if not answers[there]:
            raise Undefined(f"{0 if is_most else 1} is not an index of 0 entries")
        return _real(number, answers[place])

    return found


def _counts(v: Records, truths: Sequence[Value]) -> list[int]:
    query = _Query(v)
    places = [query.count(_truth(each)) for each in truths]
    answers = query.answers()
    return [answers[at] for at in places]


def are_within(m: Records, clip: Clip, most: Fraction) -> bool:
    """Whether no row is longer. Raises :class:`NotCompiled`."""
    numbers = list(map(_number, m.numbers))
    if clip is Clip.L2:
        longer = sum((each * each for each in numbers), Fraction(0)) > most * most
    else:
        sizes = map(abs, numbers)
        longer = (_most(0, *sizes) if clip is Clip.LINF else sum(sizes, Fraction(0))) > most
    return _counts(m, [longer]) == [0]


def _public(values: Any) -> list[Value]:
    if isinstance(values, StandIn) or any(not isinstance(each, int | Fraction) for each in values):
        raise NotCompiled("its bounds are no public numbers")
    return list(values)


def _histogram(v: Records, edges: Any) -> Any:
    listed, x = _public(edges), _vector(v)
    if any(low >= high for low, high in pairwise(listed)):
        raise NotCompiled("its edges do not rise")
    inside = [_both(x >= low, lambda high=high: x < high) for low, high in pairwise(listed)]  # type: ignore[misc]
    return array(_counts(v, inside))


def _up_to(v: Records, thresholds: Any) -> Any:
    x = _vector(v)
    return array(_counts(v, [x <= each for each in _public(thresholds)]))


def _ranks(v: Records, alpha: Value, candidates: Any) -> Any:
    listed, x = _public(candidates), _vector(v)
    found = _counts(v, [*(x < each for each in listed), *(x > each for each in listed)])
    below, above = found[: len(listed)], found[len(listed) :]
    return array(-abs((1 - alpha) * a - alpha * b) for a, b in zip(below, above, strict=True))


_TOTALS: dict[str, Callable[..., Value]] = {
    "count": _count_true,
    "sum": _summed,
    "length": lambda v: _height(v) * (v.width or 1) if v.width != 0 else 0,
    "size": _size,
    "isempty": lambda v: not (_height(v) and v.width != 0),
    "mean": _mean,
    "var": _varied,
    "squared_deviations": lambda v: _scattered(v, _vector(v), _vector(v))[0],
    "covariance": _covaried,
    "cross_deviations": lambda m, i, j: _scattered(m, *_columns_of(m, i, j))[0],
    "maximum": _extreme(True),
    "minimum": _extreme(False),
    "histogram": _histogram,
    "cumulative_counts": _up_to,
    "quantile_score": _ranks,
    "count_rows": lambda p, m: _counts(m, [of_record(p, m.value)])[0],
}
"""By the names of rows, what is found of records."""


def _over(function: Callable[..., Value], *given: Value) -> Value:
    """What a function makes of the numbers of vectors side by side, and of numbers that are the same for all."""
    boxes = [each for each in given if isinstance(each, Records)]
    if any(each.width is not None or not each.is_beside(boxes[0]) for each in boxes):
        raise NotCompiled("it goes over matrices, or over vectors of other rows")
    if any(map(_is_array, given)):
        raise NotCompiled("it goes over a vector beside the records")
    return of_record(function, *(each.value if isinstance(each, Records) else each for each in given))


def _first(*given: Value) -> Records:
    return next(each for each in given if isinstance(each, Records))


def _each_row(*given: Value) -> Value:
    function, *matrices = given
    if len(matrices) != 1:
        raise NotCompiled("it goes over several matrices")
    return of_record(function, matrices[0].value)


def _masked(function: Callable[..., Value], box: Records, *more: Value) -> Value:
    """Whether a record is kept: a mask has truth values."""
    found = _over(function, box, *more) if box.width is None else of_record(function, box.value, *more)
    if not isinstance(found, bool | Truth):
        raise NotCompiled("it is no mask")
    return found


def _column_of(m: Records, j: Value) -> Value:
    if m.width is None or not 1 <= j <= m.width:
        raise NotCompiled("it asks for a column that is not there")
    return m.value[int(j) - 1]


_MADE: dict[str, Callable[..., Value]] = {
    "map": _over,
    "f.(v)": _over,
    "clamp": lambda v, low, high: _over(lambda x: _held_between(x, low, high), v),
    "[… for … in eachrow(m)]": _each_row,
    "map_rows": _each_row,
    "[:,]": _column_of,
}
"""By the names of rows that make records of records, what they make of each."""
_KEPT: dict[str, Callable[..., Value]] = {
    "filter": lambda f, v: _over(f, v),
    "filter_rows": lambda p, m: of_record(p, m.value),
    "v[f.(v)]": _masked,
    "m[f.(m), :]": _masked,
}
"""The same of those that take some of the records, whether one is taken."""
_NOT_KNOWN = "it is none of what is compiled"
_SAME = frozenset({"(… for …)", "eachrow(…)", "copy", "deepcopy", "collect", "clone", "as_vector", "undisc_container"})


_Told = Callable[[str, str], object]


def rows(told: _Told) -> Rows:
    """What rows compute, and draw, where records may be stand-ins. ``told`` is given a row that is not compiled, and
    why."""
    computed = {row: _meaning(row, meaning, told) for row, meaning in COMPUTED.items()}
    scores = computed["quantile_score"]
    return Rows(computed, {row: _drawing(row, meaning, scores, told) for row, meaning in RELEASED.items()})


def _meaning(row: str, plain: Callable[..., Value], told: _Told) -> Callable[..., Value]:
    def computed(*given: Value, **named: Value) -> Value:
        everything = (*given, *named.values())
        if any(isinstance(each, Records) for each in everything):
            return _compiled(row, plain, told, given, named)
        if not any(map(_is_of_record, everything)):
            return plain(*given, **named)
        if row not in _SCALAR:
            raise NotCompiled(f"`{row}` of a number of the record")
        return (_SCALAR[row] or plain)(*given, **named)

    return computed


def _compiled(
    row: str,
    plain: Callable[..., Value],
    told: _Told,
    given: Sequence[Value],
    named: Mapping[str, Value],
) -> Value:
    def really() -> Value:
        return plain(*map(_really, given), **{key: _really(each) for key, each in named.items()})

    if _RUNNING:
        raise NotCompiled("for each record it goes over records")
    if row in _SAME:
        return given[0]
    try:
        if row in _TOTALS:
            return _TOTALS[row](*given, **named)
        if row in _MADE:
            return _first(*given).made(_MADE[row](*given, **named), really)
        if row in _KEPT:
            return _first(*given).kept(_KEPT[row](*given, **named), really)
        raise NotCompiled(_NOT_KNOWN)
    except NotCompiled as why:
        told(row, str(why))
    return really()


def _really(value: Value) -> Value:
    return value.array if isinstance(value, Records) else value


_HANDED_ON = frozenset({"above_threshold", "sparse_vector", "numeric_sparse"})
"""Rows that draw, and do no more with records than to ask functions for numbers of them."""


def _parts(v: Records, key: Callable[..., Value], keys: Any) -> list[Records]:
    """The records of each key."""
    listed = list(keys)
    if not all(isinstance(each, int | Fraction) for each in listed) or len(set(listed)) < len(listed):
        raise NotCompiled("its keys are no numbers, or some are equal")

    def of(wanted: Value) -> Records:
        def plain() -> Any:
            over = v.array if v.width is None else [*rows_of(v.array)]
            return v.array[[at for at, each in enumerate(over) if key(each) == wanted]].copy()

        return v.kept(of_record(lambda record: key(record) == wanted, v.value), plain)

    return [of(each) for each in listed]


def _columns_alone(m: Records) -> list[Records]:
    """Each column as a matrix of its own."""

    def of(place: int) -> Records:
        return m.made(array([m.value[place]]), lambda: m.array[:, place].reshape(-1, 1).copy())

    if m.width is None:
        raise NotCompiled("it goes over columns of no matrix")
    return list(map(of, range(m.width)))


_SPLIT: dict[str, Callable[..., list[Records]]] = {"map_parts": _parts, "reduce_cols": _columns_alone}
"""Rows that run a function of some of the records at a time."""


def _drawing(row: str, plain: Callable[..., Value], scores: Callable[..., Value], told: _Told) -> Callable[..., Value]:
    """The same of a row that draws at random: never for each record by itself, as it would draw for all at once.
    ``scores`` is what the row for scores of a quantile computes."""

    def drawn(chance: Any, *given: Value) -> Value:
        if _RUNNING:
            raise NotCompiled(f"`{row}` draws for each record")
        if row in _HANDED_ON or not any(isinstance(each, Records) for each in given):
            return plain(chance, *given)
        if row == "private_quantile":
            moves, epsilon, v, alpha, candidates = given
            found = scores(v, alpha, candidates)
            return RELEASED["exponential_mechanism"](chance, moves, epsilon, candidates, found)
        parts = None
        try:
            if row in _SPLIT:
                parts = _SPLIT[row](*given[1:])
            else:
                told(row, _NOT_KNOWN)
        except NotCompiled as why:
            told(row, str(why))
        if parts is not None:  # nothing was drawn before, so nothing is drawn twice
            return of_parts([given[0](each) for each in parts])
        return plain(chance, *map(_really, given))

    return drawn
