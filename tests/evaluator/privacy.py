"""The functions of the library for private programs, by what their pages say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction

from . import arithmetic
from .arithmetic import missing
from .base import CONSTANTS, ROWS, STATISTICS, Rows, box, row
from .failures import Failure, Unmodelled
from .machine import Machine
from .types import ANY, FLOAT, REAL, Below, Type
from .values import (
    NAN,
    Array,
    Builtin,
    Grads,
    Model,
    Range,
    Symbol,
    Turned,
    Value,
    collected,
    elements,
    is_a,
    is_number,
    made,
    number,
    solid,
)

PRIVATE: Rows = {}
NORMS = ("L1", "L2", "LInf")


def _type_call(name: str, make: Callable[..., Value]) -> None:
    PRIVATE[name] = Builtin(name, lambda machine, *args: make(*args))


def _of(kind: int) -> Callable[..., Value]:
    return lambda element, *rest: Type("Array", (Below(element), kind))


_type_call("MetricVector", _of(1))
_type_call("MetricMatrix", _of(2))
_type_call("MetricGradient", lambda *args: Type("DMGrads"))
_type_call("Static", lambda *args: args[0] if args else ANY)
_type_call("Priv", lambda *args: args[0] if args else ANY)
_type_call("BlackBox", lambda *args: ANY)
_type_call("Bounded", lambda element, *limits: element)
for _name in ("Size", "AtLeast", "RowNorm", "Contributes"):
    _type_call(_name, lambda *args: Symbol("descriptor"))

NAMES: dict[str, Value] = {
    "Data": REAL,
    "PrivacyFunction": Type("Function"),
    **{name: Symbol(name) for name in (*NORMS, "Symmetric", "ChangeOne", "Hamming", "InsertDelete")},
}

# Mechanisms


def noised(machine: Machine, kind: str, scale: Fraction | float, value: Value) -> Value:
    """What a mechanism makes of a number or a container, entry by entry. What is no number no noise hides."""
    if value is NAN:
        return NAN
    if is_number(value):
        return made(FLOAT, machine.draw(kind, float(scale), Fraction(number(value))))
    if isinstance(value, Grads):
        return Grads({name: noised(machine, kind, scale, array) for name, array in value.arrays.items()})
    whole = solid(box(kind, value))
    entries = [noised(machine, kind, scale, each) for each in whole.entries]
    return Array(FLOAT, entries, whole.shape)


def _positive(*values: Value) -> list[Fraction]:
    found = [Fraction(number(each)) for each in values]
    if any(each <= 0 for each in found):
        raise Unmodelled("noise without a scale")
    return found


@row("laplacian_mechanism", into=PRIVATE)
def laplacian(machine: Machine, r: Value, eps: Value, value: Value) -> Value:
    a, b = _positive(r, eps)
    machine.calls, machine.cost = machine.calls + 1, b / a
    return noised(machine, "laplace", a / b, value)


@row("gaussian_mechanism", into=PRIVATE)
def gaussian(machine: Machine, r: Value, eps: Value, delta: Value, value: Value) -> Value:
    a, b, d = _positive(r, eps, delta)
    if d >= 1:
        raise Unmodelled("noise without a scale")
    machine.calls, machine.cost = machine.calls + 1, b / a
    return noised(machine, "gauss", float(a) * math.sqrt(2 * math.log(1.25 / float(d))) / float(b), value)


@row("gaussian_noise", into=PRIVATE)
def gaussian_noise(machine: Machine, r: Value, sigma: Value, value: Value) -> Value:
    a, s = _positive(r, sigma)
    machine.calls, machine.cost = machine.calls + 1, Fraction(0)
    return noised(machine, "gauss", float(a * s), value)


@row("add_laplace", into=PRIVATE)
def add_laplace(machine: Machine, scale: Value, value: Value) -> Value:
    (b,) = _positive(scale)
    machine.calls, machine.cost = machine.calls + 1, 1 / b
    return noised(machine, "laplace", b, value)


def _only_whole(value: Value) -> Value:
    if not all(arithmetic.is_whole(each) for each in ([value] if is_number(value) else elements(value))):
        raise Unmodelled("geometric noise on what is not whole")
    return value


@row("geometric_mechanism", into=PRIVATE)
def geometric(machine: Machine, r: Value, eps: Value, value: Value) -> Value:
    return laplacian(machine, r, eps, _only_whole(value))


@row("add_geometric", into=PRIVATE)
def add_geometric(machine: Machine, scale: Value, value: Value) -> Value:
    return add_laplace(machine, scale, _only_whole(value))


@row("add_normal", into=PRIVATE)
def add_normal(machine: Machine, sigma: Value, value: Value) -> Value:
    (s,) = _positive(sigma)
    machine.calls, machine.cost = machine.calls + 1, Fraction(0)
    return noised(machine, "gauss", float(s), value)


def _chosen(machine: Machine, r: Value, eps: Value, scores: Sequence[Value]) -> int:
    """A position, taken with a probability proportional to exp(eps · score / 2r), as Gumbel noise does. What is hidden
    is the logarithm of the probability of the one that was taken."""
    a, b = _positive(r, eps)
    if not scores:
        raise Unmodelled("a choice from nothing")
    machine.calls, machine.cost = machine.calls + 1, Fraction(1)
    place = int(abs(machine.draw("choice", 1.0, Fraction(0))) * 1023) % len(scores)
    exponents = [float(b * Fraction(number(each)) / (2 * a)) for each in scores]
    most = max(exponents)
    whole = most + math.log(math.fsum(math.exp(each - most) for each in exponents))
    machine.draws[-1] = machine.draws[-1]._replace(hidden=Fraction(exponents[place] - whole))
    return place


@row("report_noisy_max", into=PRIVATE)
def report_noisy_max(machine: Machine, r: Value, eps: Value, scores: Value) -> Value:
    return _chosen(machine, r, eps, list(elements(scores))) + 1


@row("exponential_mechanism", into=PRIVATE)
def exponential_mechanism(machine: Machine, r: Value, eps: Value, candidates: Value, scores: Value) -> Value:
    known = list(elements(candidates))
    boxed = isinstance(scores, Array | Turned | Range)
    found = list(elements(scores)) if boxed else [machine.call(scores, each) for each in known]
    if len(found) != len(known):
        raise Unmodelled("as many scores as candidates")
    return known[_chosen(machine, r, eps, found)]


@row("quantile_score", into=PRIVATE)
def quantile_score(machine: Machine, value: Value, alpha: Value, candidates: Value) -> Value:
    """How far each candidate is from having this share of the records below it: a score is near 0 where the numbers of
    records below and above are as the share says."""
    share, records = Fraction(number(alpha)), [Fraction(number(each)) for each in elements(value)]
    scores: list[Value] = []
    for each in [Fraction(number(candidate)) for candidate in elements(candidates)]:
        below, above = sum(one < each for one in records), sum(one > each for one in records)
        scores.append(made(FLOAT, -abs((1 - share) * below - share * above)))
    return Array(FLOAT, scores)


@row("private_quantile", into=PRIVATE)
def private_quantile(machine: Machine, r: Value, eps: Value, value: Value, alpha: Value, candidates: Value) -> Value:
    return exponential_mechanism(machine, r, eps, candidates, quantile_score(machine, value, alpha, candidates))


def _in_place(name: str, target: int = -1) -> None:
    """`name!`, which writes what `name` gives into the arrays of the gradient it is given."""
    make = PRIVATE[name].run

    def run(machine: Machine, *args: Value) -> Value:
        gradient = args[target]
        if not isinstance(gradient, Grads | Model):
            raise missing(f"{name}!", *args)
        made_ = make(machine, *args)
        for key, array in gradient.arrays.items():
            array.entries[:] = made_.arrays[key].entries
        return None

    PRIVATE[f"{name}!"] = Builtin(f"{name}!", run)


for _name in ("laplacian_mechanism", "gaussian_mechanism", "gaussian_noise"):
    _in_place(_name)


# Gradients


@row("clone", into=PRIVATE)
def clone(machine: Machine, value: Value) -> Value:
    """The dictionary is another one, the arrays are shared."""
    if isinstance(value, Grads | Model):
        return type(value)(dict(value.arrays))
    return solid(value) if isinstance(value, Array) else value


@row("scale_gradient", into=PRIVATE)
def scale_gradient(machine: Machine, factor: Value, gradient: Value) -> Value:
    if not isinstance(gradient, Grads) or not is_number(factor):
        raise missing("scale_gradient!", factor, gradient)
    return Grads({name: arithmetic.multiplied(factor, array) for name, array in gradient.arrays.items()})


@row("sum_gradients", into=PRIVATE)
def sum_gradients(machine: Machine, *gradients: Value) -> Value:
    if not all(isinstance(each, Grads) for each in gradients):
        raise missing("sum_gradients", *gradients)
    one, *others = gradients
    found = dict(one.arrays)
    for other in others:
        found = {name: arithmetic.added("+", array, other.arrays[name]) for name, array in found.items()}
    return Grads(found)


@row("subtract_gradient", into=PRIVATE)
def subtract_gradient(machine: Machine, model: Value, gradient: Value) -> Value:
    if not (isinstance(model, Model) and isinstance(gradient, Grads)):
        raise missing("subtract_gradient", model, gradient)
    if model.arrays.keys() != gradient.arrays.keys():
        raise Unmodelled("a gradient of another model")
    pairs = zip(model.arrays.items(), gradient.arrays.values(), strict=True)
    return Model({name: arithmetic.added("-", array, other) for (name, array), other in pairs})


@row("zero_gradient", into=PRIVATE)
def zero_gradient(machine: Machine, model: Value) -> Value:
    if not isinstance(model, Model):
        raise missing("zero_gradient", model)
    return Grads({name: arithmetic.multiplied(Fraction(0), array) for name, array in model.arrays.items()})


@row("internal_mutate", into=PRIVATE)
def internal_mutate(machine: Machine, gradient: Value) -> Value:
    raise Unmodelled("internal_mutate!")


# Norms


def _norm(name: str, values: Sequence[Value]) -> Fraction:
    found = [abs(Fraction(number(each))) for each in values]
    if name == "L1":
        return sum(found, Fraction(0))
    if name == "LInf":
        return max(found, default=Fraction(0))
    squared = sum((each * each for each in found), Fraction(0))
    root = Fraction(math.isqrt(squared.numerator), math.isqrt(squared.denominator))
    return root if root * root == squared else Fraction(math.sqrt(squared))


@row("clip", into=PRIVATE)
def clip(machine: Machine, norm: Value, *args: Value) -> Value:
    *limits, value = args
    if not isinstance(norm, Symbol):
        raise missing("clip", norm, value)
    limit = Fraction(number(limits[0])) if limits else Fraction(1)
    if isinstance(value, Grads):
        size = _norm(norm.text, value.entries())
        factor = min(Fraction(1), limit / size) if size else Fraction(1)
        return Grads({name: arithmetic.multiplied(factor, array) for name, array in value.arrays.items()})
    whole = solid(box("clip", value))
    rows = [whole.entries] if len(whole.shape) == 1 else whole.rows()
    made_rows: list[Value] = []
    for entries in rows:
        size = _norm(norm.text, entries)
        factor = min(Fraction(1), limit / size) if size else Fraction(1)
        made_rows += [arithmetic.plain("*", factor, each) for each in entries]
    return Array(FLOAT, made_rows, whole.shape)


@row("clip_vector", into=PRIVATE)
def clip_vector(machine: Machine, limit: Value, value: Value) -> Value:
    whole = solid(box("clip_vector", value))
    if len(whole.shape) != 1:
        raise missing("clip_vector", value)
    size, most = _norm("L2", whole.entries), Fraction(number(limit))
    factor = min(Fraction(1), most / size) if size else Fraction(1)
    return Array(FLOAT, [arithmetic.plain("*", factor, each) for each in whole.entries], whole.shape)


@row("vector_norm", into=PRIVATE)
def vector_norm(machine: Machine, value: Value) -> Value:
    whole = solid(box("vector_norm", value))
    if len(whole.shape) != 1:
        raise missing("vector_norm", value)
    return _norm("L2", whole.entries)


@row("dot_product", into=PRIVATE)
def dot_product(machine: Machine, one: Value, other: Value) -> Value:
    first, second = solid(box("dot_product", one)), solid(box("dot_product", other))
    if len(first.shape) != 1 or len(second.shape) != 1:
        raise missing("dot_product", one, other)
    if first.shape != second.shape:
        raise Failure("DimensionMismatch", "vectors of one length")
    pairs = zip(first.entries, second.entries, strict=True)
    return sum((Fraction(number(a)) * Fraction(number(b)) for a, b in pairs), Fraction(0))


@row("as_vector", into=PRIVATE)
def as_vector(machine: Machine, value: Value) -> Value:
    whole = solid(box("as_vector", value))
    if len(whole.shape) != 1:
        raise missing("as_vector", value)
    return whole


@row("norm_convert", into=PRIVATE)
def norm_convert(machine: Machine, norm: Value, value: Value) -> Value:
    if not isinstance(norm, Symbol):
        raise missing("norm_convert", norm, value)
    return value


for _name in ("clip", "norm_convert", "scale_gradient"):
    _in_place(_name)
_in_place("subtract_gradient", 0)


@row("undisc_container", "disc", "discrete", "undisc", "internal_expect_const", into=PRIVATE)
def as_it_is(machine: Machine, value: Value) -> Value:
    return value


_in_place("undisc_container")


@row("clipn", into=PRIVATE)
def clipn(machine: Machine, value: Value, upper: Value, lower: Value) -> Value:
    if not all(map(is_number, (value, upper, lower))):
        raise missing("clipn", value, upper, lower)
    if number(lower) > number(upper):
        raise Failure("ErrorException", "lower bound is larger than the upper one")
    if number(value) > number(upper):
        return upper
    return lower if number(value) < number(lower) else value


# Maps and folds


@row("fold", into=PRIVATE)
def fold(machine: Machine, function: Value, start: Value, value: Value) -> Value:
    found = start
    for each in elements(value):
        found = machine.call(function, each, found)
    return found


def _vectors(value: Value, along: str) -> list[Array]:
    whole = solid(box("map_rows", value))
    if len(whole.shape) != 2:
        raise missing("map_rows", value)
    lines = whole.rows() if along == "rows" else [list(each) for each in zip(*whole.rows(), strict=True)]
    return [Array(whole.element, list(line)) for line in lines]


def _stacked(lines: list[Value], along: str) -> Value:
    if not lines:
        raise Unmodelled("rows of nothing")
    if not all(isinstance(each, Array) and len(each.shape) == 1 for each in lines):
        raise Unmodelled("rows that are no vectors")
    if len({len(each.entries) for each in lines}) != 1:
        raise Failure("DimensionMismatch", "rows of different lengths")
    rows = [each.entries for each in lines]
    rows = rows if along == "rows" else [list(each) for each in zip(*rows, strict=True)]
    return collected([entry for line in rows for entry in line], (len(rows), len(rows[0])))


@row("map_rows", into=PRIVATE)
def map_rows(machine: Machine, function: Value, value: Value) -> Value:
    found = [machine.call(function, each) for each in _vectors(value, "rows")]
    if found and all(map(is_number, found)):
        return collected(found)
    if not found and _gives_numbers(machine, function, value):
        return Array(FLOAT, [])
    return _stacked(found, "rows")


def _gives_numbers(machine: Machine, function: Value, value: Value) -> bool:
    """Whether a function makes a number of a row, as it does of one of zeros: then without rows there are none."""
    whole = solid(box("map_rows", value))
    with suppress(Failure):
        return is_number(machine.call(function, Array(whole.element, [Fraction(0)] * whole.shape[1])))
    return False


@row("map_cols", into=PRIVATE)
def map_cols(machine: Machine, function: Value, value: Value) -> Value:
    return _stacked([machine.call(function, each) for each in _vectors(value, "cols")], "cols")


@row("map_rows_binary", into=PRIVATE)
def map_rows_binary(machine: Machine, function: Value, one: Value, other: Value) -> Value:
    pairs = zip(_vectors(one, "rows"), _vectors(other, "rows"), strict=True)
    return _stacked([machine.call(function, a, b) for a, b in pairs], "rows")


@row("map_cols_binary", into=PRIVATE)
def map_cols_binary(machine: Machine, function: Value, one: Value, other: Value) -> Value:
    pairs = zip(_vectors(one, "cols"), _vectors(other, "cols"), strict=True)
    return _stacked([machine.call(function, a, b) for a, b in pairs], "cols")


@row("row_to_vec", into=PRIVATE)
def row_to_vec(machine: Machine, value: Value) -> Value:
    whole = solid(box("row_to_vec", value))
    if len(whole.shape) != 2 or whole.shape[0] != 1:
        raise Failure("AssertionError", "a matrix of one row")
    return Array(whole.element, whole.entries)


@row("vec_to_row", into=PRIVATE)
def vec_to_row(machine: Machine, value: Value) -> Value:
    whole = solid(box("vec_to_row", value))
    if len(whole.shape) != 1:
        raise missing("vec_to_row", value)
    return Array(whole.element, whole.entries, (1, len(whole.entries)))


# Data


@row("parallel_private_fold_rows", into=PRIVATE)
def fold_rows(machine: Machine, step: Value, start: Value, one: Value, other: Value) -> Value:
    """What a function makes of each row of two matrices and of what it made before."""
    found = start
    for a, b in zip(_vectors(one, "rows"), _vectors(other, "rows"), strict=True):
        found = machine.call(step, a, b, found)
    return found


@row("count_rows", into=PRIVATE)
def count_rows(machine: Machine, test: Value, value: Value) -> Value:
    return sum(machine.call(test, each) is True for each in _vectors(value, "rows"))


@row("map_parts", into=PRIVATE)
def map_parts(machine: Machine, function: Value, value: Value, key: Value, keys: Value) -> Value:
    """What the function gives for the records of each key; of equal keys the first has them."""
    whole = solid(box("map_parts", value))
    rows = len(whole.shape) == 2
    records: list[Value] = _vectors(value, "rows") if rows else whole.entries
    left = [(each, number(machine.call(key, each))) for each in records]
    found = []
    for wanted in map(number, elements(keys)):
        part = [each for each, own in left if own == wanted]
        left = [(each, own) for each, own in left if own != wanted]
        entries = [entry for each in part for entry in each.entries] if rows else part
        shape = (len(part), whole.shape[1]) if rows else (len(part),)
        found.append(machine.call(function, Array(whole.element, entries, shape)))
    return collected(found) if all(map(is_number, found)) else _stacked(found, "rows")


@row("count_distinct", into=PRIVATE)
def count_distinct(machine: Machine, value: Value) -> Value:
    if isinstance(value, Array) and len(value.shape) == 2:  # a record is a row
        return len({tuple(map(number, row)) for row in value.rows()})
    return len({number(each) for each in elements(value)})


@row("histogram", into=PRIVATE)
def histogram(machine: Machine, value: Value, edges: Value) -> Value:
    limits = [number(each) for each in elements(edges)]
    found = [number(each) for each in elements(value)]
    pairs = list(itertools.pairwise(limits))
    last = len(pairs) - 1
    counts: list[Value] = [
        sum(low <= each < high or (index == last and each == high) for each in found)
        for index, (low, high) in enumerate(pairs)
    ]
    return Array(Type("Int64"), counts)


@row("resize", into=PRIVATE)
def resize(machine: Machine, value: Value, count: Value, filling: Value) -> Value:
    entries = list(elements(value))
    wanted = int(number(count))
    if len(entries) > wanted + 1:
        raise Unmodelled("records that are drawn")
    if len(entries) > wanted:  # any one may be left out; its neighbour, which has one less, leaves out none
        entries = [*entries[-1:], *entries[1:-1]][:wanted]
    return collected([*entries, *[filling] * (wanted - len(entries))])


@row("squared_deviations", into=PRIVATE)
def squared_deviations(machine: Machine, value: Value) -> Value:
    found = [Fraction(number(each)) for each in elements(value)]
    middle = sum(found) / len(found) if found else Fraction(0)
    return made(FLOAT, sum(((each - middle) ** 2 for each in found), Fraction(0)))


@row("unbox", into=PRIVATE)
def unbox(machine: Machine, value: Value, wanted: Value, *sizes: Value) -> Value:
    if not is_a(value, wanted):
        raise Unmodelled("a box that breaks its promise")
    if sizes and isinstance(value, Array | Turned | Range):
        asked = tuple(sizes[0]) if isinstance(sizes[0], tuple) else (sizes[0],)
        if tuple(value.shape) != tuple(map(number, asked)):
            raise Unmodelled("a box that breaks its promise")
    return value


BASE: dict[str, Value] = {**CONSTANTS, **ROWS, **STATISTICS, **PRIVATE, **NAMES}
MODULES: dict[str, dict[str, Value]] = {
    "Statistics": dict(STATISTICS),
    "LinearAlgebra": {"transpose": ROWS["transpose"], "adjoint": ROWS["adjoint"]},
    "Random": {},
    "Flux": {},
}
