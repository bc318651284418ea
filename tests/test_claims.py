"""What is claimed of a result survives a search for inputs that move it further, in every norm, over all numbers, with
public numbers of any sign, and for containers of all shapes down to the empty one."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest

from dp_lsp.analysis.records import Options
from dp_lsp.builtins.define import Form
from dp_lsp.builtins.patterns import Arrow, Box, Records
from dp_lsp.builtins.traits import Broadcasts, SampledRows
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Severity
from metric_search import (
    ENOUGH,
    MAIN,
    NORMS,
    Case,
    Size,
    Value,
    claims,
    every,
    largest_ratio,
    length_in,
    result,
)
from test_rows import ROWS, unused

ENGINE = Engine()
SLACK = 1e-9
BASES = ("Real", "Integer", "Data")
NUMBERS = (3, -2, 0, Fraction(1, 2))
ENTRY = Size(1, 1)


def remainder(x: Fraction, s: Fraction) -> Fraction:
    """What is left after dividing towards 0: it has the sign of x."""
    return x - s * math.trunc(x / s) if s else Fraction(0)


def modulo(x: Fraction, s: Fraction) -> Fraction:
    return x % s if s else Fraction(0)


def clamped(x: Fraction, low: Fraction, high: Fraction) -> Fraction:
    return high if x > high else low if x < low else x


def scaled(factor: Fraction, value: Value) -> Value:
    return every(lambda x: factor * x)(value)


def product_within(x: Fraction, y: Fraction) -> Fraction:
    return clamped(x, Fraction(-1), Fraction(3)) * clamped(y, Fraction(-2), Fraction(1))


def total(value: Value) -> Fraction:
    return sum((total(item) for item in value), Fraction(0)) if isinstance(value, tuple) else value


def transposed(matrix: Value) -> Value:
    return tuple(zip(*matrix, strict=True))


def clipped(norm: str, vector: Value) -> Value:
    size = length_in(norm, [abs(x) for x in vector])
    return vector if size <= 1 else tuple(float(x) / size for x in vector)


def by_rows(matrix: Value) -> Value:
    return (tuple(total(column) for column in zip(*matrix, strict=True)),)


def by_columns(matrix: Value) -> Value:
    return tuple((total(row),) for row in matrix)


class Distinct:
    """A black box of which nothing is known: every entry of its result is another one for other arguments."""

    def __init__(self, wrapped: Callable[[int], Value]) -> None:
        self._wrapped = wrapped
        self._numbers: dict[Value, int] = {}

    def __call__(self, *values: Value) -> Value:
        return self._wrapped(self._numbers.setdefault(values, len(self._numbers)))


add, subtract = every(lambda x, y: x + y), every(lambda x, y: x - y)


def cases() -> Iterator[Case]:
    yield from of_numbers()
    yield from of_public_numbers()
    yield from of_truth()
    for norm in NORMS:
        yield from of_truth_values(norm)
    for base, norm in itertools.product(BASES, NORMS):
        yield from of_containers(base, norm)
        yield from of_products(base, norm)
        yield from of_declared_norms(base, norm)
    yield from of_clips_and_models()
    yield from of_black_boxes()
    yield from of_filled_vectors()
    yield from of_elementary_functions()
    yield from of_broadcasts()
    yield from of_the_language()


def of_filled_vectors() -> Iterator[Case]:
    """Vectors that are made, filled in place and joined; what is written twice moves twice, so some are loose."""
    two = "function f(x::Real, y::Real)\n    v = {}\n    {}\n    {}\n    v\nend"
    yield Case(two.format("zeros(2)", "v[1] = x", "v[2] = y"), lambda x, y: (x, y), loose=True)
    yield Case(two.format("ones(2)", "v[2] = 3 * x", "v[1] += y"), lambda x, y: (1 + y, 3 * x), loose=True)
    yield Case(two.format("Float64[]", "push!(v, x)", "push!(v, 2 * y)"), lambda x, y: (x, 2 * y), loose=True)
    yield Case(two.format("[]", "push!(v, x)", "v[1] = y"), lambda x, y: (y,), loose=True)
    yield Case("f(x::Real) = fill(2 * x, 3)", lambda x: (2 * x,) * 3, loose=True)
    yield Case(two.format("fill(0.5, 2)", "v[1] = x", "v[1] += y"), lambda x, y: (x + y, Fraction(1, 2)), loose=True)
    yield Case(two.format("zeros(2)", "v .= x", "v .-= 2 * y"), lambda x, y: (x - 2 * y,) * 2, loose=True)
    yield Case(two.format("ones(2)", "@. v = 2v + x", "v .*= [y, 3][2]"), lambda x, y: (6 + 3 * x,) * 2, loose=True)
    yield Case(two.format("zeros(Float64, 2)", "v[1] = x", "v[2] = y"), lambda x, y: (x, y), loose=True)
    yield Case(two.format("ones(Float64, 2)", "v[1] = x", "v[2] = y"), lambda x, y: (x, y), loose=True)
    position = "function f(x::Real, n::Integer)\n    v = zeros(3)\n    v[clamp(n, 1, 3)] = x\n    v\nend"
    yield Case(position, lambda x, n: tuple(x if i == clamped(n, 1, 3) else Fraction(0) for i in (1, 2, 3)), loose=True)
    for norm in NORMS:
        v, w = f"v::MetricVector(Real, {norm})", f"w::MetricVector(Real, {norm})"
        yield Case(f"f({v}, x::Real) = vcat(v, x)", lambda v, x: (*v, x))
        yield Case(f"f({v}, x::Real) = vcat(2 * x, v)", lambda v, x: (2 * x, *v))
        yield Case(f"f({v}, {w}) = vcat(v, w)", lambda v, w: (*v, *w))


def of_elementary_functions() -> Iterator[Case]:
    """Functions that a program may replace. Those of real numbers are searched where they are near what they mean."""
    x = "f(x::Real)"
    yield Case(f"{x} = pi * x", lambda x: Fraction(math.pi) * x)
    for name in ("sin", "cos", "tanh", "atan", "asinh"):
        yield Case(f"{x} = {name}(x)", lambda x, name=name: Fraction(getattr(math, name)(x)), loose=True)
    for name in ("tan", "sinh", "cosh", "expm1", "exp2", "cbrt"):
        within_nine = f"{x} = {name}(clamp(x, -9, 9))"
        yield Case(within_nine, lambda x, name=name: Fraction(getattr(math, name)(clamped(x, -9, 9))), loose=True)
    for name in ("asin", "acos", "atanh", "log1p"):
        inside = f"{x} = {name}(clamp(x, -0.5, 0.5))"
        within = Fraction(-1, 2), Fraction(1, 2)
        yield Case(
            inside, lambda x, name=name, ends=within: Fraction(getattr(math, name)(clamped(x, *ends))), loose=True
        )
    yield Case(f"{x} = exp10(clamp(x, 0, 1))", lambda x: Fraction(10 ** float(clamped(x, 0, 1))), loose=True)
    for name in ("acosh", "log2", "log10"):
        outside = f"{x} = {name}(clamp(x, 1, 9))"
        yield Case(outside, lambda x, name=name: Fraction(getattr(math, name)(clamped(x, 1, 9))), loose=True)
    for name, turned in (("sinpi", math.sin), ("cospi", math.cos)):
        yield Case(f"{x} = {name}(x)", lambda x, turned=turned: Fraction(turned(math.pi * float(x))), loose=True)
    yield Case("f(x::Integer) = Int(x)", lambda x: x)
    yield Case("f(x::Integer) = iseven(x)", lambda x: x % 2 == 0)
    yield Case("f(x::Integer) = isodd(x)", lambda x: x % 2 == 1)
    yield Case("f(x::Real, y::Real, k::Static()) = muladd(k, x, y)", lambda x, y, k: k * x + y)
    yield Case("f(x::Real, y::Real) = fma(x, y, y)", lambda x, y: x * y + y)
    yield Case(
        "f(x::Real, y::Real, z::Real) = muladd(clamp(x, 0, 3), clamp(y, -2, 1), z)",
        lambda x, y, z: clamped(x, 0, 3) * clamped(y, -2, 1) + z,
        loose=True,
    )
    for base in ("Integer", "Real"):
        x = f"f(x::{base})"
        for name in ("float", "Float64", "Float32"):
            yield Case(f"{x} = {name}(x)", lambda x: x)
        yield Case(f"{x} = zero(x) + x", lambda x: x)
        yield Case(f"{x} = one(x) * x", lambda x: x)
        yield Case(f"{x} = oneunit(x) * x + imag(x)", lambda x: x)
        yield Case(f"{x} = real(x) + conj(x)", lambda x: 2 * x)
        yield Case(f"{x} = sign(x)", lambda x: (x > 0) - (x < 0), loose=base == "Integer")
        yield Case(f"{x} = iszero(x)", lambda x: x == 0, loose=base == "Integer")
        yield Case(f"{x} = isone(x)", lambda x: x == 1, loose=base == "Integer")
        yield Case(f"{x} = isinteger(x)", lambda x: Fraction(x).denominator == 1, loose=base == "Integer")
        yield Case(f"{x} = abs2(clamp(x, -1, 3))", lambda x: clamped(x, -1, 3) ** 2, loose=True)
        yield Case(f"{x} = abs2(x)", lambda x: x * x)
    yield Case("f(x::Real, c::Static()) = abs2(c) * x", lambda x, c: c * c * x)
    for norm in NORMS:
        yield Case(f"f(v::MetricVector(Real, {norm})) = isempty(v)", lambda v: not v)
        yield Case(f"f(v::MetricVector(Real, {norm})) = reduce(+, v)", total)
        yield Case(f"f(v::MetricVector(Real, {norm})) = reduce(max, v)", max, least=ENTRY)


def of_broadcasts() -> Iterator[Case]:
    """Functions of the entries of containers, and of numbers beside them."""
    for norm in NORMS:
        v, w = f"v::MetricVector(Real, {norm})", f"w::MetricVector(Real, {norm})"
        yield Case(f"f({v}) = 2 .* v .+ v", every(lambda x: 3 * x))
        yield Case(f"f({v}, x::Real) = v .- x", lambda v, x: tuple(e - x for e in v))
        yield Case(f"f({v}, {w}) = v .- 2 .* w", lambda v, w: subtract(v, scaled(Fraction(2), w)))
        yield Case(f"f({v}, {w}) = max.(v, w)", every(max), loose=True)
        yield Case(f"f({v}) = (e -> max(e, 0)).(v)", every(lambda x: max(x, Fraction(0))))
        whole = f"v::MetricVector(Integer, {norm})"
        yield Case(f"f({whole}) = count(v .> 1)", lambda v: Fraction(sum(x > 1 for x in v)), loose=norm != "L1")
        yield Case(f"f(m::MetricMatrix(Real, {norm})) = 2 .* m", lambda m: scaled(Fraction(2), m))
        yield Case(f"f({v}) = sum(2 * x for x in v)", lambda v: 2 * total(v))
    yield Case("f(x::Real, y::Real) = 2 .* x .+ y", lambda x, y: 2 * x + y)


def of_numbers() -> Iterator[Case]:
    for base in BASES:
        x, xy, data = f"f(x::{base})", f"f(x::{base}, y::{base})", base == "Data"
        yield Case(f"{xy} = x + y", add)
        yield Case(f"{xy} = x - y", subtract)
        yield Case(f"{x} = -x", lambda x: -x)
        yield Case(f"{x} = +x", lambda x: x)
        yield Case(f"{x} = x - x", lambda x: x - x, loose=True)
        yield Case(f"{x} = abs(x)", abs)
        yield Case(f"{xy} = min(x, y)", min)
        yield Case(f"f(x::{base}, y::{base}, z::{base}) = max(x, y, z)", lambda x, y, z: max(x, y, z))
        yield Case(f"f(x::{base}, y::{base}, z::{base}) = min(max(x, y), z)", lambda x, y, z: min(max(x, y), z))
        yield Case(f"{x} = clamp(x, -1, 3)", lambda x: clamped(x, -1, 3))
        yield Case(f"f(x::{base}, y::{base}, z::{base}) = clamp(x, y, z)", lambda x, y, z: clamped(x, y, z), True)
        if not data:
            yield Case(f"{x} = clamp(x, -1, 3) ^ 2", lambda x: clamped(x, -1, 3) ** 2, loose=True)
            yield Case(f"{x} = clamp(x, -3, 1) ^ 3", lambda x: clamped(x, -3, 1) ** 3, loose=True)
            yield Case(f"{x} = clamp(x, -1, 3) ^ 2 % 4", lambda x: clamped(x, -1, 3) ** 2 % 4, loose=True)
            yield Case(f"{xy} = clamp(x, -1, 3) * clamp(y, -2, 1)", product_within, loose=True)
        yield Case(f"{x} = clipn(x, 3, -1)", lambda x: clamped(x, -1, 3))
        yield Case(f"{xy} = x * y", lambda x, y: x * y)
        yield Case(f"{xy} = x / y", lambda x, y: x / y if y else Fraction(0), loose=base == "Integer")
        yield Case(f"{xy} = x % y", remainder, loose=data)
        yield Case(f"{x} = ceil(x)", math.ceil)
        yield Case(f"{x} = x / 4", lambda x: x / 4)
        yield Case(f"{x} = x / -2", lambda x: x / -2)
        yield Case(f"{x} = 4 / x", lambda x: 4 / x if x else Fraction(0), loose=base == "Integer")
        for c in NUMBERS:
            yield Case(f"{x} = {float(c)} * x", lambda x, c=c: c * x, loose=data and c == 0)
            yield Case(f"{x} = x * {float(c)} * 2", lambda x, c=c: 2 * c * x)
        for s in (1, 2, 3, -7):
            yield Case(f"{x} = x % {s}", lambda x, s=s: remainder(x, s), loose=s == 1)
            yield Case(f"{x} = mod(x, {s})", lambda x, s=s: modulo(x, s), loose=s == 1)
        if data:
            yield Case(f"{x} = undisc(x)", lambda x: x)
        else:
            yield Case(f"{x} = disc(x)", lambda x: x)
    yield Case("f(x::Integer, y::Real) = x + y", add)
    yield Case("f(x::Integer) = ceil(3 * x)", lambda x: math.ceil(3 * x))
    yield Case("f(x::Real) = x % 0.5", lambda x: remainder(x, Fraction(1, 2)))


def of_public_numbers() -> Iterator[Case]:
    """Factors, divisors and bounds of any sign, and what is computed of them."""
    yield Case("f(x::Real, c::Static()) = c * x", lambda x, c: c * x)
    yield Case("f(x::Data, c::Static()) = c * x", lambda x, c: c * x, loose=True)
    yield Case("f(x::Real, c::Static()) = x / c", lambda x, c: x / c)
    yield Case("f(x::Integer, c::Static()) = x / c", lambda x, c: x / c)
    yield Case("f(x::Integer, s::Static(Integer)) = x % s", remainder)
    yield Case("f(x::Integer, s::Static(Integer)) = mod(x, s)", modulo)
    yield Case("f(x::Real, c::Static(), d::Static()) = clamp(x, c, d)", lambda x, c, d: clamped(x, c, d), loose=True)
    for name, function in (("round", round), ("floor", math.floor), ("trunc", math.trunc)):
        yield Case(f"f(x::Integer) = {name}(x)", function)
        yield Case(f"f(x::Integer) = {name}(Int, x)", function)
        yield Case(f"f(x::Integer) = {name}(x; digits=0)", function, loose=True)
    yield Case("f(x::Integer) = exp(x)", lambda x: Fraction(2) ** int(x), loose=True)
    yield Case("f(x::Real, n::Static(Integer)) = (1:n)[2] * x", lambda x, n: 2 * x, loose=True)
    yield Case("f(x::Real) = (0:0.5:3)[4] * clamp(x, 0, 2)", lambda x: Fraction(3, 2) * clamped(x, 0, 2), loose=True)
    yield Case("f(x::Real, c::Static(), d::Static()) = clipn(x, d, c)", lambda x, c, d: clamped(x, c, d), loose=True)
    for text, number in (
        ("c + d - 1", lambda c, d: c + d - 1),
        ("-c", lambda c, d: -c),
        ("c * d", lambda c, d: c * d),
        ("c / (abs(d) + 1)", lambda c, d: c / (abs(d) + 1)),
        ("abs(c - d)", lambda c, d: abs(c - d)),
        ("max(c, d)", max),
        ("min(c, d, 1)", lambda c, d: min(c, d, 1)),
        ("min(max(c, -1), 2 * d)", lambda c, d: min(max(c, -1), 2 * d)),
        ("max(2, 3) - min(2, -3) + ceil(0.5)", lambda c, d: Fraction(7)),
        ("sqrt(abs(c)) - 2 * sqrt(2)", lambda c, d: Fraction(math.sqrt(abs(c)) - 2 * math.sqrt(2))),
        ("sqrt(2 * c * c * log(abs(d) + 3))", lambda c, d: Fraction(math.sqrt(2 * c * c * math.log(abs(d) + 3)))),
        ("log(1 / (1 / (2 + abs(c * d)))) + log(1)", lambda c, d: Fraction(math.log(2 + abs(c * d)))),
        ("internal_expect_const(c)", lambda c, d: c),
    ):
        yield Case(
            f"f(x::Real, c::Static(), d::Static()) = ({text}) * x", lambda x, c, d, number=number: number(c, d) * x
        )
    for norm in NORMS:
        yield Case(f"f(v::MetricVector(Real, {norm}), c::Static()) = 2 * v * c", lambda v, c: scaled(2 * c, v))
        yield Case(f"f(m::MetricMatrix(Data, {norm}), c::Static()) = c * m", lambda m, c: scaled(c, m), loose=True)
        yield Case(f"f(v::MetricVector(Real, {norm}), c::Static()) = v / c", lambda v, c: scaled(1 / c, v))
        yield Case(f"f(g::MetricGradient(Real, {norm}), c::Static()) = scale_gradient(c, g)", lambda g, c: scaled(c, g))
        mean = f"f(v::MetricVector(Real, {norm})) = sum(v) / length(v)"
        yield Case(mean, lambda v: total(v) / len(v), least=ENTRY)
        mean = f"f(v::MetricVector(Real, {norm})) = sum(v) / max(1, length(v))"
        yield Case(mean, lambda v: total(v) / max(1, len(v)))
        shape = f"f(m::MetricMatrix(Real, {norm})) = sum(length(m) * m)"
        yield Case(shape, lambda m: len(m) * len(m[0]) * total(m), least=ENTRY)


def of_truth() -> Iterator[Case]:
    for base in BASES:
        xy = f"f(x::{base}, y::{base})"
        yield Case(f"{xy} = x == y", lambda x, y: x == y)
        yield Case(f"{xy} = x != y", lambda x, y: x != y)
        yield Case(f"{xy} = x < y", lambda x, y: x < y)
        yield Case(f"{xy} = x <= y", lambda x, y: x <= y)
        yield Case(f"{xy} = x > y", lambda x, y: x > y)
        yield Case(f"{xy} = x >= y", lambda x, y: x >= y)
        yield Case(f"f(x::{base}) = x <= 1 && x > -1", lambda x: -1 < x <= 1)
        yield Case(f"f(x::{base}, y::{base}, b::Bool) = ifelse(b, x, y)", lambda x, y, b: x if b else y)
        yield Case(
            f"f(x::{base}, y::{base}, c::Static()) = ifelse(c > 1, x, 3 * y)",
            lambda x, y, c: x if c > 1 else 3 * y,
            True,
        )
        for norm in NORMS:
            vw = f"f(v::MetricVector({base}, {norm}), w::MetricVector({base}, {norm})"
            yield Case(f"{vw}) = v == w", lambda v, w: v == w, least=ENTRY)
            yield Case(f"{vw}, b::Bool) = ifelse(b, v, w)", lambda v, w, b: v if b else w)
            matrices = vw.replace("Vector", "Matrix")
            yield Case(f"{matrices}) = v != w", lambda v, w: v != w)
            yield Case(f"{matrices}, b::Bool) = ifelse(b, v, w)", lambda v, w, b: v if b else w)
    yield Case("f(x::Integer, y::Real) = x == y", lambda x, y: x == y)
    mixed = "f(v::MetricVector(Integer, L1), w::MetricVector(Real, LInf)) = v == w"
    yield Case(mixed, lambda v, w: v == w, loose=True)
    yield Case("f(x::Integer) = !(x == 1) || x == 0", lambda x: x != 1)
    yield Case("f(a::Bool, b::Bool) = a == b", lambda a, b: a == b)
    yield Case("f(a::Bool, b::Bool) = a != b", lambda a, b: a != b)
    yield Case("f(a::Bool, b::Bool, c::Bool) = ifelse(a, b, c)", lambda a, b, c: b if a else c)


def of_containers(base: str, norm: str) -> Iterator[Case]:
    data = base == "Data"
    vector, matrix = f"f(v::MetricVector({base}, {norm}))", f"f(m::MetricMatrix({base}, {norm}))"
    number, two = f"f(x::{base}, y::{base})", f"f(v::MetricVector({base}, {norm}), w::MetricVector({base}, {norm}))"
    yield Case(f"{vector} = v[1]", lambda v: v[0], least=ENTRY)
    yield Case(f"{matrix} = m[1, 1]", lambda m: m[0][0], least=ENTRY)
    yield Case(f"{matrix} = m[1, :]", lambda m: m[0], least=ENTRY)
    yield Case(f"{matrix} = m[:, 1]", lambda m: tuple(row[0] for row in m), least=ENTRY)
    yield Case(f"{vector} = v[1:2]", lambda v: v[:2], least=Size(2, 2))
    yield Case(f"{matrix} = m[1:2, :]", lambda m: m[:2], least=Size(2, 2))
    yield Case(f"{matrix} = m[:, 1:2]", lambda m: tuple(row[:2] for row in m), least=Size(2, 2))
    yield Case(f"{vector} = v[end]", lambda v: v[-1], least=ENTRY)
    yield Case(f"{matrix} = m[end, :]", lambda m: m[-1], least=ENTRY)
    yield Case(f"{matrix} = m[1, end]", lambda m: m[0][-1], least=ENTRY)
    yield Case(f"{vector} = length(v)", len)
    yield Case(f"{matrix} = length(m)", lambda m: 0)
    yield Case(f"{matrix} = size(m)", lambda m: 0)
    yield Case(f"{matrix} = size(m, 1)", len)
    yield Case(f"{number} = norm_convert({norm}, [x, y, 2 * x])", lambda x, y: (x, y, 2 * x))
    yield Case(f"{number} = sum([x, y, x])", lambda x, y: x + y + x, loose=data)
    yield Case(f"{two} = v + w", add)
    yield Case(f"{two} = v - w", subtract)
    yield Case(f"{two.replace('Vector', 'Matrix')} = v - w", subtract)
    yield Case(f"{two.replace('Vector', 'Gradient')} = sum_gradients(v, w)", add)
    yield Case(f"{vector} = -v", lambda v: scaled(Fraction(-1), v))
    yield Case(f"{matrix} = +m", lambda m: m)
    yield Case(f"{vector} = sum(v)", total)
    if not data:
        yield Case(f"{vector} = maximum(v)", max, least=ENTRY)
        yield Case(f"{vector} = minimum(v)", min, least=ENTRY)
        yield Case(f"{vector} = median(v)", lambda v: statistics.median(sorted(v)), least=ENTRY)
        yield Case(f"{vector} = partialsort(v, 1)", min, least=ENTRY)
        for name, best in (("argmax", max), ("argmin", min)):
            yield Case(f"{vector} = {name}(v)", lambda v, best=best: v.index(best(v)), least=ENTRY, loose=True)
        yield Case(f"{vector} = sort(v)", lambda v: tuple(sorted(v)), least=ENTRY)
        yield Case(f"{vector} = quantile(v, 1)", max, least=ENTRY)
    yield Case(f"{matrix} = sum(m)", total)
    yield Case(f"{matrix} = sum(m; dims=1)", by_rows)
    yield Case(f"{matrix} = sum(m; dims=2)", by_columns)
    yield Case(f"{matrix} = transpose(m)", transposed)
    yield Case(f"{matrix} = norm_convert({norm}, m')", transposed, loose=True)
    yield Case(f"{vector} = v'", lambda v: (v,))
    yield Case(f"{vector} = transpose(v)", lambda v: (v,))
    yield Case(f"f(x::{base}) = x' + transpose(x)", lambda x: x + x, loose=data)
    yield Case(f"{vector} = vec_to_row(v)", lambda v: (v,))
    yield Case(f"{vector} = row_to_vec(v')", lambda v: v)
    yield Case(f"{vector} = vec(v')", lambda v: v)
    yield Case(f"{vector} = vec(v)", lambda v: v)
    yield Case(f"{vector} = as_vector(v)", lambda v: v)
    if not data:
        yield Case(f"{vector} = dot_product(v, v)", lambda v: sum(x * x for x in v), loose=True)
        if norm == "L2":
            yield Case(f"{vector} = vector_norm(v)", lambda v: length_in("L2", [abs(x) for x in v]))
            yield Case(f"{vector} = clip_vector(1, v)", lambda v: clipped("L2", v), loose=True)
    yield Case(f"{vector} = clone(v) + v", lambda v: add(v, v), loose=data)
    yield Case(f"{vector} = deepcopy(v) + v", lambda v: add(v, v), loose=data)
    yield Case(f"{vector} = copy(v) + collect(v)", lambda v: add(v, v), loose=data)
    yield Case(f"f(g::MetricGradient({base}, {norm})) = internal_mutate(g)", lambda g: scaled(2, g), loose=True)
    for target in NORMS:
        yield Case(f"{vector} = norm_convert({target}, v)", lambda v: v)
        yield Case(f"{matrix} = norm_convert({target}, m)", lambda m: m)


def of_truth_values(norm: str) -> Iterator[Case]:
    """Containers of truth values, which are counted."""
    vector, matrix = f"MetricVector(Bool, {norm})", f"MetricMatrix(Bool, {norm})"
    yield Case(f"f(v::{vector}) = v[1]", lambda v: v[0], least=ENTRY)
    yield Case(f"f(v::{vector}) = sum(v)", total)
    yield Case(f"f(m::{matrix}) = sum(m; dims=1)", by_rows)
    yield Case(f"f(m::{matrix}) = sum(m; dims=2)", by_columns)
    yield Case(f"f(m::{matrix}) = m'", transposed)
    yield Case(f"f(v::{vector}, w::{vector}) = v == w", lambda v, w: v == w, least=ENTRY)
    yield Case(f"f(m::{matrix}, n::{matrix}, b::Bool) = ifelse(b, m, n)", lambda m, n, b: m if b else n)
    for target in NORMS:
        yield Case(f"f(v::{vector}) = norm_convert({target}, v)", lambda v: v)


def of_products(base: str, norm: str) -> Iterator[Case]:
    data = base == "Data"
    vector, matrix = f"MetricVector({base}, {norm})", f"MetricMatrix({base}, {norm})"
    for c in NUMBERS:
        yield Case(f"f(v::{vector}) = v * {float(c)}", lambda v, c=c: scaled(Fraction(c), v), loose=data)
        yield Case(f"f(m::{matrix}) = {float(c)} * m * 2", lambda m, c=c: scaled(Fraction(2 * c), m), loose=data)
    yield Case(f"f(v::{vector}) = v / -4", lambda v: scaled(Fraction(-1, 4), v))
    yield Case(f"f(x::{base}, v::{vector}) = x * v", scaled)
    yield Case(f"f(x::{base}, y::{base}, v::{vector}) = x * v * y", lambda x, y, v: scaled(x * y, v))
    yield Case(f"f(x::{base}, v::{matrix}) = v * x", scaled)
    yield Case(f"f(x::{base}, v::{matrix}) = 0 * v * x", lambda x, v: scaled(Fraction(0), v))
    yield Case(
        f"f(x::{base}, v::{vector}) = v / x",
        lambda x, v: scaled(1 / x if x else Fraction(0), v),
        loose=base == "Integer",
    )
    gradient = f"f(x::{base}, v::MetricGradient({base}, {norm})) = scale_gradient(x, v)"
    yield Case(gradient, scaled)


def of_clips_and_models() -> Iterator[Case]:
    for norm in NORMS:
        clip = f"clip({norm}, v)"
        yield Case(f"f(v::MetricVector(Data, LInf)) = {clip}", lambda v, norm=norm: clipped(norm, v))
        yield Case(f"f(v::MetricVector(Data, LInf)) = undisc_container({clip})", lambda v, norm=norm: clipped(norm, v))
        row = f"f(v::MetricVector(Data, LInf)) = undisc_container(clip({norm}, v'))"
        yield Case(row, lambda v, norm=norm: (clipped(norm, v),))
        chosen = f"f(v::MetricVector(Data, LInf), b::Bool) = undisc_container(ifelse(b, {clip}, clip({norm}, -v)))"
        yield Case(chosen, lambda v, b, norm=norm: clipped(norm, v if b else scaled(Fraction(-1), v)))
        for base in ("Real", "Integer"):
            step = f"f(m::DMModel, g::MetricGradient({base}, {norm})) = subtract_gradient(m, g)"
            yield Case(step, lambda m, g: subtract(m, g))
    for norm in NORMS:
        gradient = f"g::MetricGradient(Real, {norm})"
        yield Case(f"f({gradient}) = sum(g)", total)
        yield Case(f"f({gradient}) = g[1]", lambda g: g[0])
    yield Case("f(m::DMModel) = length(m)", len)
    yield Case("f(b::Bool) = disc(b)", lambda b: b)
    zero = "f(m::DMModel) = sum_gradients(zero_gradient(m), zero_gradient(m))"
    yield Case(zero, lambda m: (0,) * len(m))


def of_black_boxes() -> Iterator[Case]:
    """A box's result may change in all its entries whenever its arguments change at all."""
    box = "f({}) = unbox(b({}), {})\nb({}) :: BlackBox() = x"
    for base in (*BASES, "Bool"):
        one = f"x::{base}"
        yield Case(box.format(one, "x", "Data", "x"), Distinct(lambda number: number))
        yield Case(box.format(one, "x, x", "Bool", "x, y"), Distinct(lambda number: number % 2 == 0))
        yield Case(box.format(one, "x", "Real", "x"), Distinct(lambda number: 1000 * number))
        for norm in NORMS:
            vector = Distinct(lambda number: (number,) * 3)
            yield Case(box.format(one, "x", f"MetricVector(Data, {norm}), 3", "x"), vector)
            matrix = Distinct(lambda number: ((number,) * 3,) * 2)
            yield Case(box.format(one, "x", f"MetricMatrix(Data, {norm}), (2, 3)", "x"), matrix)
            given = f"v::MetricVector({base}, {norm}), x::Data"
            if base != "Bool":
                yield Case(box.format(given, "v, x", "Vector, 3", "x, y"), vector, least=ENTRY)


def repeated(times: int, step: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def run(x: Value, y: Value) -> Value:
        for _ in range(times):
            x = step(x, y)
        return x

    return run


def of_declared_norms(base: str, norm: str) -> Iterator[Case]:
    """Results that are declared to be measured in a norm, and arguments of functions that want one: what is measured in
    a larger norm is taken as it is."""
    for larger in NORMS[: NORMS.index(norm) + 1]:
        for shape in ("Vector", "Matrix"):
            given, wanted = f"Metric{shape}({base}, {larger})", f"Metric{shape}({base}, {norm})"
            yield Case(f"f(v::{given}) :: {wanted} = v", lambda v: v)
            yield Case(f"g(w::{wanted}) = -w\nf(v::{given}) = g(v)", lambda v: scaled(Fraction(-1), v))
    declared = f"f(x::{base}, y::{base}) :: MetricVector({base}, {norm})"
    yield Case(f"{declared} = [x, y, x]", lambda x, y: (x, y, x))


def of_the_language() -> Iterator[Case]:
    """Bindings, branches, loops, tuples and calls."""
    loop = "function f(x::Real, y::Real)\n    for i in {}\n        x = {}\n    end\n    x\nend"
    yield Case(loop.format("1:10", "2 * x + y"), repeated(10, lambda x, y: 2 * x + y))
    yield Case(loop.format("1:3", "0.5 * x - y"), repeated(3, lambda x, y: x / 2 - y))
    yield Case(loop.format("5:-2:1", "-3 * x + y"), repeated(3, lambda x, y: -3 * x + y), loose=True)
    yield Case(loop.format("2:1", "7 * x + y"), repeated(0, lambda x, y: x))
    yield Case(loop.format("1:4", "abs(x) + min(x, y)"), repeated(4, lambda x, y: abs(x) + min(x, y)), loose=True)
    swap = "function f(x::Real, y::Real)\n    for i in 1:5\n        (x, y) = (y, x + y)\n    end\n    x\nend"
    yield Case(swap, lambda x, y: 3 * x + 5 * y, loose=True)
    outer = "function f(x::Real)\n    i = 100 * x\n    for i in 1:3\n        y = i + 1\n    end\n    i\nend"
    yield Case(outer, lambda x: 100 * x)
    yield Case("f(x::Integer, y::Data, z::Data) = x == 1 ? y : z", lambda x, y, z: y if x == 1 else z)
    yield Case("f(x::Real, y::Real, b::Bool) = b ? 2 * x : y", lambda x, y, b: 2 * x if b else y)
    for norm in NORMS:
        matrix = f"MetricMatrix(Data, {norm})"
        yield Case(f"f(m::{matrix}, n::{matrix}, b::Bool) = b ? m : n", lambda m, n, b: m if b else n)
    yield Case("g(x::Real) = 3 * x\nf(x::Real, y::Real) = g(x + y) - g(2 * y)", lambda x, y: 3 * x - 3 * y, loose=True)
    yield Case("g(c::Static(), x::Real) = c * x\nf(x::Real) = g(-1, x) + g(100, x)", lambda x: 99 * x, loose=True)
    names = "function f(x::Real, y::Real)\n    z = 5 * x\n    x = y\n    (a, b) = (z, x)\n    b + a\nend"
    yield Case(names, lambda x, y: 5 * x + y)


CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_claim_survives_the_search(case: Case) -> None:
    analysis = ENGINE.check(case.text)
    assert not analysis.count(Severity.ERROR)
    function = next(each for each in analysis.functions if each.name == "f")
    returns = result(function)
    for given in claims(case, function):
        for name, bound in given.bounds.items():
            worst = largest_ratio(case, name, returns, given)
            assert worst <= bound + SLACK, f"{name} moves the result {worst} times as far; {bound} is claimed: {given}"
            if given.size == MAIN and not case.loose:
                assert worst >= min(0.9 * bound, ENOUGH), f"the search finds only {worst}; {bound} is claimed of {name}"


def refuted(case: Case, engine: Engine) -> bool:
    """Whether the search finds inputs of a case that move the result further than an engine claims."""
    analysis = engine.check(case.text)
    function = next((each for each in analysis.functions if each.name == "f"), None)
    if analysis.count(Severity.ERROR) or function is None:
        return False
    returns = result(function)
    return any(
        largest_ratio(case, name, returns, given) > bound + SLACK
        for given in claims(case, function)
        for name, bound in given.bounds.items()
    )


def takes_function(form: Form) -> bool:
    patterns = [param.pattern for param in form.params]
    return any(isinstance(each, Arrow) or (isinstance(each, Box) and each.functions) for each in patterns)


def takes_sample(form: Form) -> bool:
    return any(isinstance(param.pattern, Records) for param in form.params)


def test_every_form_is_searched() -> None:
    """Other than of mechanisms, whose results are random, of rows that take a function, if that is not that of a
    broadcast, and of those that take a sample of private size (``test_poisson.py``)."""
    checks = [(case.text, Options()) for case in CASES]
    exempt = {
        f"{row.name}({', '.join(param.name for param in form.params)})"
        for row in ROWS.values()
        for form in row.forms
        if form.noise or (takes_function(form) and not row.has(Broadcasts)) or takes_sample(form)
    }
    found = unused(checks, lambda row: () if row.has(SampledRows) else row.forms)
    assert [each for each in found if each not in exempt] == []
