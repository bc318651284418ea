"""The table of builtins: every row is documented and its examples check; what it claims survives a search for inputs
that move the result further.

The search knows the metrics and the builtins from their definitions only: numbers are fractions, vectors are tuples,
matrices tuples of tuples.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
import sympy

from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.builtins import TABLE
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Severity

ENGINE = Engine()
NORMS = ("L1", "L2", "LInf")
ROWS, COLUMNS = 2, 3
PAIRS = 150
SLACK = 1e-9


@pytest.mark.parametrize("name", sorted(TABLE))
def test_row_is_documented_and_its_examples_check(name: str) -> None:
    row = TABLE[name]
    assert row.doc and row.source and row.examples
    for example in row.examples:
        found = ENGINE.check(example)
        assert found.state is State.PROVED, example
        problems = {problem.code for problem in found.problems}
        assert problems <= ({"DP303"} if "∞" in row.doc else set()), example


# Meanings

Value = Any


def remainder(x: Fraction, s: Fraction) -> Fraction:
    """What is left after dividing towards 0: it has the sign of x."""
    return x - s * math.trunc(x / s)


def clamped(x: Fraction, low: Fraction, high: Fraction) -> Fraction:
    return high if x > high else low if x < low else x


def every(function: Callable[..., Fraction]) -> Callable[..., Value]:
    """A function of numbers, entry by entry."""

    def of(*values: Value) -> Value:
        if isinstance(values[0], tuple):
            return tuple(of(*items) for items in zip(*values, strict=True))
        return function(*values)

    return of


def scaled(factor: Fraction, value: Value) -> Value:
    return every(lambda x: factor * x)(value)


def total(value: Value) -> Fraction:
    return sum((total(item) for item in value), Fraction(0)) if isinstance(value, tuple) else value


def transposed(matrix: Value) -> Value:
    return tuple(zip(*matrix, strict=True))


def clipped(norm: str, vector: Value) -> Value:
    size = length_in(norm, [abs(x) for x in vector])
    return vector if size <= 1 else tuple(float(x) / size for x in vector)


def repeated(times: int, step: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def run(x: Value, y: Value) -> Value:
        for _ in range(times):
            x = step(x, y)
        return x

    return run


add, subtract = every(lambda x, y: x + y), every(lambda x, y: x - y)


class Case(NamedTuple):
    """A program whose function ``f`` is searched, and what it means. ``loose`` says that less could be claimed."""

    text: str
    meaning: Callable[..., Value]
    loose: bool = False


def cases() -> Iterator[Case]:
    yield Case("f(x::Real, y::Real) = x + y", add)
    yield Case("f(x::Data, y::Data) = x + y", add)
    yield Case("f(x::Real, y::Real) = x - y", subtract)
    yield Case("f(x::Real) = -x", lambda x: -x)
    yield Case("f(x::Real) = x - x", lambda x: x - x, loose=True)
    for c in (3, -2, 0, Fraction(1, 2)):
        yield Case(f"f(x::Real) = {float(c)} * x", lambda x, c=c: c * x)
        yield Case(f"f(x::Data) = {float(c)} * x", lambda x, c=c: c * x, loose=c == 0)
        for norm in NORMS:
            yield Case(f"f(v::MetricVector(Real, {norm})) = v * {float(c)}", lambda v, c=c: scaled(Fraction(c), v))
        yield Case(f"f(v::MetricVector(Data, L1)) = {float(c)} * v", lambda v, c=c: scaled(Fraction(c), v), c == 0)
    yield Case("f(x::Real) = x / 4", lambda x: x / 4)
    yield Case("f(x::Data) = x / 4", lambda x: x / 4)
    yield Case("f(x::Real) = x / -2", lambda x: x / -2)
    yield Case("f(x::Data, y::Data) = x * y", lambda x, y: x * y)
    yield Case("f(m::MetricMatrix(Real, L2)) = m / 2", lambda m: scaled(Fraction(1, 2), m))
    for norm in NORMS:
        yield Case(f"f(x::Data, v::MetricVector(Data, {norm})) = x * v", scaled)
    yield Case("f(x::Data, v::MetricMatrix(Data, L2)) = x * v", scaled)
    for s in (1, 2, 5, -7):
        yield Case(f"f(x::Integer) = x % {s}", lambda x, s=s: remainder(x, s), loose=s == 1)
        yield Case(f"f(x::Integer) = mod(x, {s})", lambda x, s=s: x % s, loose=s == 1)
    yield Case("f(x::Data) = x % 5", lambda x: remainder(x, 5))
    yield Case("f(x::Integer) = ceil(x)", math.ceil)
    yield Case("f(x::Integer) = ceil(3 * x)", lambda x: math.ceil(3 * x))
    yield Case("f(x::Real) = abs(x)", abs)
    for base in ("Real", "Integer", "Data"):
        yield Case(f"f(x::{base}, y::{base}) = min(x, y)", min)
        yield Case(f"f(x::{base}, y::{base}, z::{base}) = max(x, y, z)", max)
        yield Case(f"f(x::{base}) = clamp(x, -1, 3)", lambda x: clamped(x, -1, 3))
        yield Case(f"f(x::{base}) = clipn(x, 3, -1)", lambda x: clamped(x, -1, 3))
    yield Case("f(x::Data, y::Data, z::Data) = clamp(x, y, z)", clamped)
    yield Case("f(x::Real, y::Real, z::Real) = min(max(x, y), z)", lambda x, y, z: min(max(x, y), z))
    for base in ("Integer", "Data"):
        yield Case(f"f(x::{base}, y::{base}) = x == y", lambda x, y: x == y)
        yield Case(f"f(x::{base}, y::{base}) = x != y", lambda x, y: x != y)
        yield Case(f"f(x::{base}, y::{base}) = x < y", lambda x, y: x < y)
        yield Case(f"f(x::{base}, y::{base}) = x >= y", lambda x, y: x >= y)
        yield Case(f"f(x::{base}) = x <= 1 && x > -1", lambda x: -1 < x <= 1)
    yield Case("f(x::Integer, y::Real) = x == y", lambda x, y: x == y)
    yield Case("f(v::MetricVector(Integer, L2), w::MetricVector(Integer, L2)) = v == w", lambda v, w: v == w)
    yield Case("f(v::MetricVector(Data, LInf), w::MetricVector(Data, LInf)) = v == w", lambda v, w: v == w)
    yield Case("f(x::Integer) = !(x == 1) || x == 0", lambda x: x != 1)
    yield Case("f(x::Integer) = disc(x)", lambda x: x)
    yield Case("f(x::Real, y::Real) = [x, y, x]", lambda x, y: (x, y, x))
    for base, norm in ((base, norm) for base in ("Real", "Data") for norm in NORMS):
        vector, matrix = f"v::MetricVector({base}, {norm})", f"m::MetricMatrix({base}, {norm})"
        yield Case(f"f({vector}) = v[2]", lambda v: v[1])
        yield Case(f"f({matrix}) = m[1, 2]", lambda m: m[0][1])
        yield Case(f"f({matrix}) = m[2, :]", lambda m: m[1])
        yield Case(f"f({vector}) = sum(v)", total)
        yield Case(f"f({matrix}) = sum(m)", total)
        yield Case(f"f({matrix}) = transpose(m)", transposed)
        yield Case(f"f({vector}) = vec_to_row(v)", lambda v: (v,))
        yield Case(f"f({vector}) = row_to_vec(v')", lambda v: v)
        yield Case(f"f({vector}) = clone(v) + v", lambda v: add(v, v), loose=base == "Data")
        for target in NORMS:
            yield Case(f"f({vector}) = norm_convert({target}, v)", lambda v: v)
            yield Case(f"f({matrix}) = norm_convert({target}, m)", lambda m: m)
    for norm in NORMS:
        text = f"f(v::MetricVector(Data, LInf)) = undisc_container(clip({norm}, v))"
        yield Case(text, lambda v, norm=norm: clipped(norm, v))
        yield Case(f"f(g::MetricGradient(Real, {norm}), h::MetricGradient(Real, {norm})) = sum_gradients(g, h)", add)
        yield Case(f"f(g::MetricGradient(Real, {norm})) = scale_gradient(-3, g)", lambda g: scaled(Fraction(-3), g))
        yield Case(f"f(m::DMModel, g::MetricGradient(Real, {norm})) = subtract_gradient(m, g)", subtract)
    yield Case("f(x::Data, g::MetricGradient(Data, L2)) = scale_gradient(x, g)", scaled)
    yield Case("f(m::DMModel) = sum_gradients(zero_gradient(m), zero_gradient(m))", lambda m: (0,) * COLUMNS)
    yield from rules()


def rules() -> Iterator[Case]:
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
    yield Case("g(x::Real) = 3 * x\nf(x::Real, y::Real) = g(x + y) - g(2 * y)", lambda x, y: 3 * x - 3 * y, loose=True)
    yield Case("g(c::Static(), x::Real) = c * x\nf(x::Real) = g(-1, x) + g(100, x)", lambda x: 99 * x, loose=True)
    names = "function f(x::Real, y::Real)\n    z = 5 * x\n    x = y\n    (a, b) = (z, x)\n    b + a\nend"
    yield Case(names, lambda x, y: 5 * x + y)


# Metrics


ANNOTATION = re.compile(r"(\w+)::(?:Metric(\w+)\((\w+), (\w+)\)|(\w+))")
RESULT = re.compile(r"(Vector|Matrix|DMGrads)<n: (\w+), c: \w+>\[.*\]\{(\w+)\}")


class Metric(NamedTuple):
    """``shape`` is Number, Vector or Matrix; ``base`` Real, Integer, Data or Bool."""

    shape: str
    base: str
    norm: str = ""

    def distance(self, x: Value, y: Value) -> float:
        if self.shape == "Matrix":
            row = self._replace(shape="Vector")
            return math.fsum(row.distance(a, b) for a, b in zip(x, y, strict=True))
        if self.shape == "Vector":
            number = self._replace(shape="Number")
            return length_in(self.norm, [number.distance(a, b) for a, b in zip(x, y, strict=True)])
        return float(x != y) if self.base in ("Data", "Bool") else abs(float(x - y))

    def draw(self, source: random.Random) -> Value:
        if self.shape == "Matrix":
            return tuple(self._replace(shape="Vector").draw(source) for _ in range(ROWS))
        if self.shape == "Vector":
            return tuple(self._replace(shape="Number").draw(source) for _ in range(COLUMNS))
        if self.base == "Bool":
            return source.random() < 0.5
        small = source.choice((0, 1, -1, 2, 3, 5, -7))
        if self.base == "Integer":
            return source.choice((small, source.randint(-50, 50)))
        return source.choice((Fraction(small), Fraction(source.randint(-999, 999), 64), Fraction(1, 2**20)))

    def neighbour(self, x: Value, source: random.Random) -> Value:
        """Another value: one entry changed, all of them by the same, or any other."""
        way = source.randrange(4)
        if way == 0 or self.base == "Bool":
            return self.draw(source)
        step = source.choice((1, -1)) if self.base == "Integer" else source.choice((1, -1, Fraction(1, 2), 1000))
        if way == 1 or not isinstance(x, tuple):
            return every(lambda entry: entry + step)(x)
        place = source.randrange(len(x))
        inner = self._replace(shape="Vector" if self.shape == "Matrix" else "Number")
        return (*x[:place], inner.neighbour(x[place], source), *x[place + 1 :])


def length_in(norm: str, parts: list[Any]) -> float:
    match norm:
        case "L2":
            return math.sqrt(math.fsum(float(part) ** 2 for part in parts))
        case "LInf":
            return float(max(parts, default=0))
    return math.fsum(map(float, parts))


def parameters(text: str) -> dict[str, Metric]:
    """The metrics of the parameters of ``f``."""
    header = text[text.index("f(") :].splitlines()[0]
    found = {}
    for name, kind, element, norm, plain in ANNOTATION.findall(header):
        shape = {"Vector": "Vector", "Gradient": "Vector", "Matrix": "Matrix"}.get(kind, "Number")
        found[name] = Metric("Vector", "Real", "LInf") if plain == "DMModel" else Metric(shape, element or plain, norm)
    return found


def result(function: FunctionReport) -> Metric:
    """The metric of what ``f`` returns. Where its norm is open, the bound must hold in L1, the largest."""
    container = RESULT.fullmatch(function.returns)
    if container is None:
        if function.returns.startswith("DMModel"):
            return Metric("Vector", "Real", "LInf")
        return Metric("Number", re.split(r"\[", function.returns)[0])
    kind, norm, element = container.groups()
    return Metric("Matrix" if kind == "Matrix" else "Vector", element, norm if norm in NORMS else "L1")


def claims(function: FunctionReport) -> dict[str, float]:
    """What is claimed for each parameter, at the sizes of the search; ∞ is left out."""
    found = {}
    for each in function.parameters:
        formula = re.sub(r"(length|rows|cols)\((\w+)\)", r"\1", each.sensitivity or "oo")
        number = sympy.sympify(formula, locals={"length": COLUMNS, "rows": ROWS, "cols": COLUMNS})
        if number != sympy.oo:
            found[each.name] = float(number)
    return found


def largest_ratio(case: Case, name: str, returns: Metric) -> float:
    """How far the result moved at most, for a change of 1 in one parameter."""
    source = random.Random(f"{case.text} {name}")
    metrics = parameters(case.text)
    worst = 0.0
    for _ in range(PAIRS):
        values = {each: metric.draw(source) for each, metric in metrics.items()}
        if source.random() < 0.3 and len(set(metrics.values())) == 1:
            values = dict.fromkeys(values, values[name])
        other = metrics[name].neighbour(values[name], source)
        apart = metrics[name].distance(values[name], other)
        if apart:
            results = case.meaning(*values.values()), case.meaning(*(values | {name: other}).values())
            worst = max(worst, returns.distance(*results) / apart)
    return worst


CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=[case.text.replace("\n", "; ") for case in CASES])
def test_claim_survives_the_search(case: Case) -> None:
    analysis = ENGINE.check(case.text)
    assert not analysis.count(Severity.ERROR)
    function = next(each for each in analysis.functions if each.name == "f")
    returns = result(function)
    for name, claim in claims(function).items():
        worst = largest_ratio(case, name, returns)
        assert worst <= claim + SLACK, f"{name} moves the result {worst} times as far, and {claim} is claimed"
        assert case.loose or worst >= 0.9 * claim, f"the search finds only {worst}, where {claim} is claimed of {name}"
