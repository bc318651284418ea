"""The functions of Base and Statistics, as far as programs here use them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce

from . import arithmetic
from .arithmetic import extreme, missing, same
from .conversion import convert
from .failures import Failure, Unmodelled
from .machine import Machine
from .shown import shown
from .types import ANY, BOOL, FLOAT, INT, NUMBER, REAL, TYPES, Parameter, Type, is_below, promoted
from .values import (
    NAN,
    Array,
    Box,
    Builtin,
    Grads,
    Model,
    Range,
    Record,
    Seen,
    Turned,
    Value,
    Wide,
    collected,
    elements,
    is_a,
    is_number,
    made,
    number,
    solid,
    type_of,
)

Rows = dict[str, Builtin]
ROWS: Rows = {}
STATISTICS: Rows = {}
_ANY_ARRAY = Type("AbstractArray")
_NUMERIC = ((BOOL,), (Type("Signed"),), (Type("Unsigned"),), (FLOAT,), (Type("Float32"),), (REAL,))
_TWO = ((INT, INT), (FLOAT, FLOAT), (REAL, REAL), (NUMBER, NUMBER))


def row(
    *names: str, into: Rows = ROWS, signatures: tuple[tuple[Type, ...], ...] = ()
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Enters a function under its names; it is given the machine first."""

    def enter(function: Callable[..., Value]) -> Callable[..., Value]:
        for name in names:
            into[name] = Builtin(name, function, signatures)
        return function

    return enter


def box(name: str, value: Value) -> Box:
    if isinstance(value, Array | Turned | Range):
        return value
    raise missing(name, value)


# Numbers


def _folded(name: str, function: Callable[[Value, Value], Value]) -> None:
    def run(machine: Machine, *args: Value) -> Value:
        found = args[0]
        for each in args[1:]:
            found = function(found, each)
        return found

    row(name, signatures=((REAL, REAL), (NUMBER, NUMBER)))(run)


@row("-", signatures=_TWO)
def minus(machine: Machine, x: Value, *more: Value) -> Value:
    if not more:
        return arithmetic.negated(x)
    (y,) = more
    return arithmetic.added("-", x, y)


@row("+", signatures=_TWO)
def plus(machine: Machine, x: Value, *more: Value) -> Value:
    if not more:
        return int(x) if isinstance(x, bool) else x
    for each in more:
        x = arithmetic.added("+", x, each)
    return x


_folded("*", arithmetic.multiplied)


def _simple(name: str, function: Callable[..., Value], signatures: tuple[tuple[Type, ...], ...] = ()) -> None:
    row(*name.split(), signatures=signatures)(lambda machine, *args: function(*args))


def _exactly(count: int, function: Callable[..., Value]) -> Callable[..., Value]:
    def run(*args: Value) -> Value:
        if len(args) != count:
            raise Failure("MethodError", f"no method for {len(args)} arguments")
        return function(*args)

    return run


_simple("/", _exactly(2, arithmetic.divided), _TWO)
_simple("% rem", _exactly(2, lambda x, y: arithmetic.remainder("rem", x, y)), _TWO)
_simple("mod", _exactly(2, lambda x, y: arithmetic.remainder("mod", x, y)), _TWO)
_simple("÷ div", _exactly(2, lambda x, y: arithmetic.remainder("div", x, y)), _TWO)
_simple("^", _exactly(2, arithmetic.power), _TWO)
_simple("==", _exactly(2, same))
_simple("!= ≠", _exactly(2, lambda x, y: not same(x, y)))
_simple("===", _exactly(2, arithmetic.identical))
_simple("!==", _exactly(2, lambda x, y: not arithmetic.identical(x, y)))
_simple("abs", _exactly(1, arithmetic.absolute), _NUMERIC)
_simple("abs2", _exactly(1, lambda x: arithmetic.multiplied(x, x)), _NUMERIC)
_simple("clamp", _exactly(3, arithmetic.clamped), ((REAL, REAL, REAL),))
for _order in ("<", "<=", ">", ">="):
    _simple(_order, _exactly(2, lambda x, y, order=_order: arithmetic.ordered(order, x, y)))
for _name in (
    *("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"),
    *("atanh", "expm1", "exp2", "cbrt", "log1p", "log2", "log10", "sinpi", "cospi"),
):
    _simple(_name, _exactly(1, lambda x, name=_name: arithmetic.transcendent(name, x)), _NUMERIC)
for _name in ("min", "max"):
    _simple(_name, lambda *args, name=_name: extreme(name, *args), _TWO)
for _name in ("ceil", "floor", "trunc", "round"):
    row(_name)(lambda machine, *args, digits=None, name=_name: arithmetic.rounded(name, *args, digits=digits))


@row("!")
def negation(machine: Machine, x: Value) -> Value:
    if not isinstance(x, bool):
        raise missing("!", x)
    return not x


@row("&")
def conjunction(machine: Machine, x: Value, y: Value) -> Value:
    if isinstance(x, bool) and isinstance(y, bool):
        return x and y
    raise Unmodelled("bits")


@row("|")
def disjunction(machine: Machine, x: Value, y: Value) -> Value:
    if isinstance(x, bool) and isinstance(y, bool):
        return x or y
    raise Unmodelled("bits")


@row("ifelse")
def ifelse(machine: Machine, condition: Value, x: Value, y: Value) -> Value:
    if not isinstance(condition, bool):
        raise missing("ifelse", condition, x, y)
    return x if condition else y


@row("sign")
def sign(machine: Machine, x: Value) -> Value:
    if not is_number(x):
        raise missing("sign", x)
    value = number(x)
    return made(type_of(x), (value > 0) - (value < 0))


_simple("iszero", _exactly(1, lambda x: number(x) == 0))
_simple("isone", _exactly(1, lambda x: number(x) == 1))
_simple("isinteger", _exactly(1, lambda x: not number(x) % 1))
_simple("real conj", _exactly(1, lambda x: made(type_of(x), number(x))), _NUMERIC)
_simple("imag", _exactly(1, lambda x: made(type_of(x), 0)), _NUMERIC)
_simple("muladd fma", _exactly(3, lambda x, y, z: arithmetic.added("+", arithmetic.multiplied(x, y), z)))
_simple("isodd", _exactly(1, lambda x: number(x) % 2 == 1))
_simple("iseven", _exactly(1, lambda x: number(x) % 2 == 0))


@row("zero")
def zero(machine: Machine, x: Value) -> Value:
    return made(x if isinstance(x, Type) else type_of(x), 0)


@row("one", "oneunit")
def one(machine: Machine, x: Value) -> Value:
    return made(x if isinstance(x, Type) else type_of(x), 1)


@row("float")
def float_(machine: Machine, x: Value) -> Value:
    return made(arithmetic.floating(type_of(x)), number(x))


@row("//")
def rational(machine: Machine, x: Value, y: Value) -> Value:
    if not (arithmetic.is_whole(x) and arithmetic.is_whole(y)):
        raise missing("//", x, y)
    if not number(y):
        raise Unmodelled("infinities")
    return made(Type("Rational", (INT,)), Fraction(number(x)) / Fraction(number(y)))


# Types and other values


@row("convert")
def convert_(machine: Machine, wanted: Value, x: Value) -> Value:
    return convert(wanted, x)


@row("typeof")
def typeof(machine: Machine, x: Value) -> Value:
    return type_of(x)


@row("isa")
def isa(machine: Machine, x: Value, wanted: Value) -> Value:
    return is_a(x, wanted)


@row("<:")
def below(machine: Machine, x: Parameter, y: Parameter) -> Value:
    return is_below(x, y)


@row("in", "∈")
def contained(machine: Machine, x: Value, many: Value) -> Value:
    return any(same(x, each) for each in elements(many))


@row("zip")
def zip_(machine: Machine, *values: Value) -> Value:
    return tuple(zip(*map(elements, values), strict=False))


@row("pairs", "enumerate")
def pairs(machine: Machine, value: Value) -> Value:
    return tuple(enumerate(elements(box("pairs", value)), 1))


@row("=>")
def pair(machine: Machine, key: Value, value: Value) -> Value:
    return Record(Type("Pair"), ("first", "second"), (key, value))


@row("Dict")
def dictionary(machine: Machine, *pairs: Value) -> Value:
    """By what is shown of its keys, which are texts, what it has at each; the last one if there are several."""
    found: dict[str, Value] = {}
    for each in pairs:
        if not isinstance(each, Record) or each.type != Type("Pair") or not isinstance(each.items[0], str):
            raise Unmodelled("a dictionary of other things")
        found[f'"{each.items[0]}"'] = each.items[1]
    return Record(Type("Dict"), tuple(found), tuple(found.values()))


_simple("identity", _exactly(1, lambda x: x))
_simple("string", lambda *args: "".join(map(shown, args)))
_simple("isnothing", _exactly(1, lambda x: x is None))


@row("stdout", "stderr")
def stream(machine: Machine, *args: Value) -> Value:
    raise Failure("MethodError", "objects of type IO are not callable")


@row("print", "println", "show", "display")
def print_(machine: Machine, *args: Value) -> Value:
    into = isinstance(args[0], Builtin) and args[0].name in ("stdout", "stderr") if args else False
    machine.printed.append("".join(map(shown, args[1:] if into else args)))
    return None


@row("error")
def error(machine: Machine, *args: Value) -> Value:
    raise Failure("ErrorException", "".join(map(shown, args)))


@row("throw")
def throw(machine: Machine, value: Value) -> Value:
    raise Failure("thrown", shown(value))


@row("ErrorException", "ArgumentError", "DomainError")
def exception(machine: Machine, *args: Value) -> Value:
    return "".join(map(shown, args))


# Containers


@row(":")
def range_(machine: Machine, first: Value, *more: Value) -> Value:
    if not all(map(is_number, (first, *more))):
        raise missing(":", first, *more)
    last = more[-1]
    step = more[0] if len(more) == 2 else 1
    kind = Type("Int64")
    for each in (first, *more):
        kind = arithmetic.promoted(kind, type_of(each)) if not isinstance(each, bool) else kind
    a, b, s = Fraction(number(first)), Fraction(number(last)), Fraction(number(step))
    if not s:
        raise Failure("ArgumentError", "step cannot be zero")
    count = max(0, (b - a) // s + 1)
    if count > 10_000:
        raise Unmodelled("a long range")
    entries = [made(kind, a + s * k) for k in range(int(count))]
    whole = kind.name not in ("Float64", "Float32", "Rational")
    name = ("UnitRange" if len(more) == 1 else "StepRange") if whole else "StepRangeLen"
    return Range(Type(name, (kind,)), entries, len(more) == 1)


@row("length", signatures=((_ANY_ARRAY,), (Type("Tuple"),), (NUMBER,)))
def length(machine: Machine, value: Value) -> Value:
    if isinstance(value, Array | Turned | Range):
        return len(value.entries)
    if isinstance(value, tuple | str):
        return len(value)
    if is_number(value):
        return 1
    if isinstance(value, Grads | Model):
        return len(value.entries())
    raise missing("length", value)


@row("size")
def size(machine: Machine, value: Value, *axes: Value) -> Value:
    shape = () if is_number(value) else box("size", value).shape
    if not axes:
        return tuple(shape)
    axis = int(number(axes[0]))
    return shape[axis - 1] if axis <= len(shape) else 1


@row("eltype")
def eltype(machine: Machine, value: Value) -> Value:
    return box("eltype", value).element


@row("collect", "copy")
def collect(machine: Machine, value: Value) -> Value:
    return solid(value) if isinstance(value, Array | Turned | Range) else value


@row("vec")
def vec(machine: Machine, value: Value) -> Value:
    whole = solid(box("vec", value))
    if len(whole.shape) == 1:
        return value
    if whole.shape[0] != 1:
        raise Unmodelled("a matrix of several rows as a vector")
    return Array(whole.element, list(whole.rows()[0]), (whole.shape[1],))


@row("deepcopy")
def deepcopy(machine: Machine, value: Value) -> Value:
    if isinstance(value, Grads | Model):
        return type(value)({name: solid(array) for name, array in value.arrays.items()})
    return solid(value) if isinstance(value, Array | Turned | Range) else value


@row("push!")
def push(machine: Machine, value: Value, *more: Value) -> Value:
    if not isinstance(value, Array) or len(value.shape) != 1:
        raise missing("push!", value, *more)
    value.entries.extend(convert(value.element, each) for each in more)
    value.shape = (len(value.entries),)
    return value


@row("sum")
def sum_(machine: Machine, *args: Value, dims: Value = None, init: Value = None) -> Value:
    *functions, value = args
    if init is not None:
        if dims is not None:
            raise Unmodelled("sums of lines from a start")
        found = init
        for each in elements(value):
            found = ROWS["+"].run(machine, found, machine.call(functions[0], each) if functions else each)
        return found
    if dims is not None:
        return _along(box("sum", value), int(number(dims)))
    values = list(elements(value))
    if functions:
        values = [machine.call(functions[0], each) for each in values]
        if not values:
            raise Failure("ArgumentError", "reducing over an empty collection is not allowed")
    return arithmetic.total(values, getattr(value, "element", INT))


def _along(value: Box, axis: int) -> Value:
    rows = solid(value).rows()
    lines = list(zip(*rows, strict=True)) if axis == 1 else rows
    if not rows and axis == 1:
        lines = [()] * value.shape[1]
    sums = [arithmetic.total(list(line), value.element) for line in lines]
    return collected(sums, (1, len(sums)) if axis == 1 else (len(sums), 1), value.element)


@row("prod")
def prod(machine: Machine, value: Value) -> Value:
    return plus_all(arithmetic.multiplied, value)


def plus_all(function: Callable[[Value, Value], Value], value: Value) -> Value:
    values = list(elements(value))
    if not values:
        raise Unmodelled("a product of nothing")
    found = values[0]
    for each in values[1:]:
        found = function(found, each)
    return found


@row("map")
def map_(machine: Machine, function: Value, value: Value, *more: Value) -> Value:
    if more:
        pairs = zip(elements(value), *map(elements, more), strict=False)
        return collected([machine.call(function, *each) for each in pairs])
    if isinstance(value, tuple):
        return tuple(machine.call(function, each) for each in value)
    if isinstance(value, Grads):
        return Grads({name: map_(machine, function, array) for name, array in value.arrays.items()})
    if is_number(value):
        return machine.call(function, value)
    whole = solid(box("map", value))
    if not whole.entries:
        return Array(_made_of_nothing(machine, function, whole.element), [], whole.shape)
    if len(whole.shape) == 1:
        return collected([machine.call(function, each) for each in whole.entries])
    found = iter([machine.call(function, each) for each in whole.in_order()])
    rows, cols = whole.shape
    columns = [[next(found) for _ in range(rows)] for _ in range(cols)]
    return collected([columns[j][i] for i in range(rows) for j in range(cols)], whole.shape)


def _made_of_nothing(machine: Machine, function: Value, element: Type) -> Type:
    """The type that Julia infers for what a function makes of numbers, where all that are tried give one; any type
    where it reads a name of which nothing is inferred.

    Source: the Julia manual, "Performance Tips", "Avoid untyped global variables" and "Performance of captured
    variable"."""
    if element not in (INT, FLOAT):
        raise Unmodelled("the element type of nothing")
    seen, untyped = (len(machine.printed), len(machine.draws)), machine.untyped
    found = {type_of(machine.call(function, made(element, each))) for each in (0, 1, 3, 100, -7)}
    if machine.untyped > untyped:
        return ANY
    if len(found) != 1 or seen != (len(machine.printed), len(machine.draws)):
        raise Unmodelled("the element type of nothing")
    return found.pop()


@row("|>")
def piped(machine: Machine, value: Value, function: Value) -> Value:
    return machine.call(function, value)


@row("∘")
def composed(machine: Machine, outer: Value, inner: Value) -> Value:
    def run(machine: Machine, *given: Value) -> Value:
        return machine.call(outer, machine.call(inner, *given))

    return Builtin("∘", run)


@row("eachrow")
def each_row(machine: Machine, value: Value) -> Value:
    whole = solid(box("eachrow", value))
    if len(whole.shape) != 2:
        raise Unmodelled("the rows of what is no matrix")
    return tuple(Seen(whole.element, list(line)) for line in whole.rows())


@row("foreach")
def foreach(machine: Machine, function: Value, value: Value) -> Value:
    for each in elements(value):
        machine.call(function, each)
    return None


@row("reduce")
def reduce_(machine: Machine, operator: Value, value: Value, init: Value = None) -> Value:
    return mapreduce(machine, ROWS["identity"], operator, value, init=init)


@row("mapreduce")
def mapreduce(machine: Machine, function: Value, operator: Value, value: Value, init: Value = None) -> Value:
    """From the left, which is one of the orders that it may have; small integers are widened by `+`."""
    if isinstance(operator, Builtin) and operator.name == "+":
        return sum_(machine, function, value, init=init)
    if init is not None:
        raise Unmodelled("combining from a start")
    found = [machine.call(function, each) for each in elements(value)]
    if not found:
        raise Unmodelled("combining nothing")
    made_ = found[0]
    for each in found[1:]:
        made_ = machine.call(operator, made_, each)
    return made_


@row("filter")
def filter_(machine: Machine, test: Value, value: Value) -> Value:
    whole = box("filter", value)
    kept = [each for each in whole.in_order() if _is_true(machine.call(test, each))]
    return Array(whole.element, kept)


def _is_true(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    raise Failure("TypeError", f"non-boolean ({type_of(value)}) used in boolean context")


@row("count")
def count(machine: Machine, *args: Value) -> Value:
    *tests, value = args
    found = [machine.call(tests[0], each) if tests else each for each in elements(value)]
    return sum(map(_is_true, found))


@row("any")
def any_(machine: Machine, *args: Value) -> Value:
    *tests, value = args
    return any(_is_true(machine.call(tests[0], each) if tests else each) for each in elements(value))


@row("all")
def all_(machine: Machine, *args: Value) -> Value:
    *tests, value = args
    return all(_is_true(machine.call(tests[0], each) if tests else each) for each in elements(value))


def in_rising_order(value: Box) -> list[Value]:
    if any(each is NAN for each in value.in_order()):
        raise Unmodelled("an order of what is no number")
    return sorted(value.in_order(), key=number)


@row("sort")
def sort(machine: Machine, value: Value) -> Value:
    whole = box("sort", value)
    return Array(whole.element, in_rising_order(whole))


@row("unique")
def unique(machine: Machine, value: Value) -> Value:
    whole = box("unique", value)
    found: list[Value] = []
    for each in whole.in_order():
        if not any(same(each, other) for other in found):
            found.append(each)
    return Array(whole.element, found)


@row("maximum", "minimum")
def maximum(machine: Machine, value: Value) -> Value:
    raise Unmodelled("never run")


def _extreme_of(name: str) -> Callable[..., Value]:
    def run(machine: Machine, *args: Value) -> Value:
        *functions, value = args
        found = [machine.call(functions[0], each) if functions else each for each in elements(value)]
        if not found:
            raise Failure("ArgumentError", "reducing over an empty collection is not allowed")
        return extreme(name, *found)

    return run


row("maximum")(_extreme_of("max"))
row("minimum")(_extreme_of("min"))


@row("argmax", "argmin")
def argmax(machine: Machine, value: Value) -> Value:
    raise Unmodelled("places of extremes")


@row("transpose")
def transpose(machine: Machine, value: Value) -> Value:
    return _turned("Transpose", value)


@row("adjoint", "'")
def adjoint(machine: Machine, value: Value) -> Value:
    return _turned("Adjoint", value)


def _turned(name: str, value: Value) -> Value:
    if is_number(value):
        return value
    whole = box(name.lower(), value)
    if isinstance(whole, Turned):
        return whole.parent if whole.name == name else Turned(name, solid(whole))
    return Turned(name, whole if isinstance(whole, Array) else solid(whole))


@row("fill")
def fill(machine: Machine, value: Value, count: Value) -> Value:
    return Array(type_of(value), [value] * int(number(count)))


@row("zeros")
def zeros(machine: Machine, *given: Value) -> Value:
    return _alike(given, 0)


@row("ones")
def ones(machine: Machine, *given: Value) -> Value:
    return _alike(given, 1)


def _alike(given: tuple[Value, ...], value: int) -> Array:
    """So many times the same number, of a type that is given or a float."""
    *types, count = given
    element = types[0] if types else FLOAT
    if len(types) > 1 or not isinstance(element, Type) or not is_below(element, REAL):
        raise Unmodelled("matrices that are filled")
    if isinstance(count, bool) or not is_number(count) or number(count).denominator > 1:
        raise Failure("MethodError", "no method matching zeros")
    if number(count) < 0:
        raise Failure("ArgumentError", "invalid Array dimensions")
    entry = Fraction(value) if element == REAL else made(element, value)
    return Array(element, [entry] * int(number(count)))


@row("vcat")
def vcat(machine: Machine, *args: Value) -> Value:
    boxes = [each for each in args if not is_number(each)]
    kinds = [each.element if isinstance(each, Array) else type_of(each) for each in args]
    if not all(isinstance(each, Array) and len(each.shape) == 1 for each in boxes):
        raise Unmodelled("other arrays that are joined")
    if not all(is_below(kind, NUMBER) for kind in kinds):
        raise Unmodelled("arrays of anything that are joined")
    found = reduce(promoted, kinds)
    entries = [entry for each in args for entry in (each.entries if isinstance(each, Array) else [each])]
    return Array(found, [convert(found, entry) for entry in entries])


@row("first")
def first(machine: Machine, value: Value) -> Value:
    found = list(elements(value))
    if not found:
        raise Failure("BoundsError", "attempt to access an empty container")
    return found[0]


@row("repeat")
def repeat(machine: Machine, value: Value, times: Value) -> Value:
    whole, count = box("repeat", value), int(number(times))
    if len(whole.shape) == 2:  # its rows, once more below
        return Array(whole.element, list(whole.entries) * count, (whole.shape[0] * count, whole.shape[1]))
    return Array(whole.element, whole.in_order() * count)


@row("isempty")
def isempty(machine: Machine, value: Value) -> Value:
    return not list(elements(value))


@row("eachindex")
def eachindex(machine: Machine, value: Value) -> Value:
    return range_(machine, 1, len(box("eachindex", value).entries))


@row("partialsort")
def partialsort(machine: Machine, value: Value, place: Value) -> Value:
    found = in_rising_order(box("partialsort", value))
    at = int(number(place))
    if not 1 <= at <= len(found):
        raise Failure("BoundsError", f"attempt to access {len(found)} at {at}")
    return found[at - 1]


# Statistics


@row("mean", into=STATISTICS)
def mean(machine: Machine, *args: Value) -> Value:
    *functions, value = args
    values = list(elements(value))
    values = [machine.call(functions[0], each) for each in values] if functions else values
    if not values:
        raise Unmodelled("the mean of nothing")
    return arithmetic.divided(arithmetic.total(values, INT), len(values))


@row("median", into=STATISTICS)
def median(machine: Machine, value: Value) -> Value:
    found = in_rising_order(box("median", value))
    if not found:
        raise Failure("ArgumentError", "median of an empty array is undefined")
    half = len(found) // 2
    if len(found) % 2:
        return made(arithmetic.floating(type_of(found[half])), number(found[half]))
    return arithmetic.quotient(arithmetic.plain("+", found[half - 1], found[half]), 2)


@row("var", into=STATISTICS)
def var(machine: Machine, value: Value, corrected: Value = True) -> Value:
    found = [Fraction(number(each)) for each in elements(value)]
    left = len(found) - (1 if corrected else 0)
    if left <= 0:
        raise Unmodelled("the variance of too few")
    middle = sum(found) / len(found)
    return made(FLOAT, sum((each - middle) ** 2 for each in found) / left)


@row(
    "middle",
    into=STATISTICS,
    signatures=((Type("Bool"),), (REAL,), (REAL, REAL), (_ANY_ARRAY,), (Type("AbstractRange"),), (NUMBER,)),
)
def middle(machine: Machine, x: Value, *more: Value) -> Value:
    if isinstance(x, Array | Turned | Range):
        x, more = extreme("min", *elements(x)), (extreme("max", *elements(x)),)
    return arithmetic.quotient(arithmetic.plain("+", x, more[0]), 2) if more else arithmetic.quotient(x, 1)


@row("std", "quantile", "cor", "cov", into=STATISTICS)
def std(machine: Machine, *args: Value) -> Value:
    raise Unmodelled("a statistic")


_PI = Wide(Type("Irrational"), Fraction(math.pi))
CONSTANTS: dict[str, Value] = {**TYPES, "nothing": None, "pi": _PI, "π": _PI}
