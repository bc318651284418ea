"""A search for inputs that move a result further than is claimed of it.

It knows the metrics from their definitions only: numbers are fractions, vectors are tuples, matrices tuples of tuples.
Values of Data are drawn like numbers, and compared by equality.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import sympy

from dp_lsp.analysis.records import FunctionReport

NORMS = ("L1", "L2", "LInf")
MANY, PAIRS, FEW = 240, 100, 12
ENOUGH = 20  # a result that moves so many times as far is taken to move without bound
STATICS = {"": (3, -2, 0, Fraction(1, 2)), "Integer": (3, -2, 0, 7)}

Value = Any
_TINY = Fraction(1, 2**20)


class Size(NamedTuple):
    """The rows and the columns of every matrix; a vector has as many entries as a matrix has columns."""

    rows: int
    columns: int


MAIN = Size(2, 3)
EDGES = (Size(1, 3), Size(2, 1), Size(1, 1), Size(2, 0), Size(0, 2))


class Case(NamedTuple):
    """A program whose function ``f`` is searched, and what it means. ``loose`` says that less could be claimed;
    ``least`` is the smallest size it can be run with."""

    text: str
    meaning: Callable[..., Value]
    loose: bool = False
    least: Size = Size(0, 0)

    @property
    def name(self) -> str:
        return self.text.replace("\n", "; ")

    @property
    def header(self) -> str:
        return self.text[self.text.index("f(") :].splitlines()[0]

    def run(self, values: dict[str, Value]) -> Value:
        """What ``f`` returns for these arguments."""
        return self.meaning(*(values[found[0]] for found in _PARAMETER.findall(self.header)))


def length_in(norm: str, parts: list[Any]) -> float:
    """The norm of distances that are not negative."""
    match norm:
        case "L2":
            return math.sqrt(math.fsum(float(part) ** 2 for part in parts))
        case "LInf":
            return float(max(parts, default=0))
    return math.fsum(map(float, parts))


def every(function: Callable[..., Value]) -> Callable[..., Value]:
    """A function of numbers, entry by entry."""

    def of(*values: Value) -> Value:
        if isinstance(values[0], tuple):
            return tuple(of(*items) for items in zip(*values, strict=True))
        return function(*values)

    return of


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

    def draw(self, source: random.Random, size: Size) -> Value:
        if self.shape == "Matrix":
            return tuple(self._replace(shape="Vector").draw(source, size) for _ in range(size.rows))
        if self.shape == "Vector":
            return tuple(self._replace(shape="Number").draw(source, size) for _ in range(size.columns))
        if self.base == "Bool":
            return source.random() < 0.5
        small = source.choice((0, 1, -1, 2, 3, 5, -7))
        if self.base == "Integer":
            return source.choice((small, source.randint(-50, 50), source.randint(-(10**6), 10**6)))
        near, far = Fraction(source.randint(-999, 999), 64), Fraction(source.randint(-(10**6), 10**6), 64)
        return source.choice((Fraction(small), Fraction(small), near, far, _TINY))

    def neighbour(self, x: Value, source: random.Random, size: Size) -> Value:
        """Another value: one entry changed, all of them by the same, or any other."""
        way = source.randrange(4)
        if way == 0 or (self.base == "Bool" and not isinstance(x, tuple)):
            return self.draw(source, size)
        if way == 1 and self.base == "Bool":
            return every(lambda entry: not entry)(x)
        steps = (1, -1) if self.base == "Integer" else (1, -1, Fraction(1, 2), 1000, _TINY, -_TINY)
        step = source.choice(steps)
        if way == 1 or not isinstance(x, tuple) or not x:
            return every(lambda entry: entry + step)(x)
        place = source.randrange(len(x))
        inner = self._replace(shape="Vector" if self.shape == "Matrix" else "Number")
        return (*x[:place], inner.neighbour(x[place], source, size), *x[place + 1 :])


_PARAMETER = re.compile(r"(\w+)::(?:Metric(\w+)\((\w+), (\w+)\)|Static\((\w*)\)|Vector\{<:(\w+)\}|(\w+))")
_RESULT = re.compile(r"(Vector|Matrix|DMGrads)<n: (\w+), c: \w+>\[.*\]\{(\w+)\}")
_SHAPES = {"Vector": "Vector", "Gradient": "Vector", "Matrix": "Matrix", "DMGrads": "Vector"}
_A_MODEL = Metric("Vector", "Real", "LInf")


def parameters(case: Case) -> tuple[dict[str, Metric], dict[str, str]]:
    """The metrics of the parameters of ``f``, and the bases of its static ones."""
    metrics, statics = {}, {}
    for name, kind, element, norm, static, of_any_norm, plain in _PARAMETER.findall(case.header):
        if kind:
            metrics[name] = Metric(_SHAPES[kind], element, norm)
        elif of_any_norm:
            metrics[name] = Metric("Vector", of_any_norm, "L1")
        elif plain:
            metrics[name] = _A_MODEL if plain == "DMModel" else Metric("Number", plain)
        else:
            statics[name] = static
    return metrics, statics


def result(function: FunctionReport) -> Metric:
    """The metric of what ``f`` returns. Where its norm is open, the bound must hold in L1, the largest."""
    container = _RESULT.fullmatch(function.returns)
    if container is None and function.returns.startswith("DMModel"):
        return _A_MODEL
    if container is None:
        return Metric("Number", re.split(r"\[| in ", function.returns)[0])
    kind, norm, element = container.groups()
    return Metric(_SHAPES[kind], element, norm if norm in NORMS else "L1")


class Claims(NamedTuple):
    """What is claimed for each parameter at one size, with numbers for the static ones; ∞ is math.inf."""

    size: Size
    statics: dict[str, Fraction]
    bounds: dict[str, float]


def claims(case: Case, function: FunctionReport) -> Iterator[Claims]:
    """The claims at every size and for every number that the conditions allow."""
    metrics, bases = parameters(case)
    for size in (MAIN, *EDGES) if any(metric.shape != "Number" for metric in metrics.values()) else (MAIN,):
        if size.rows < case.least.rows or size.columns < case.least.columns:
            continue
        for numbers in itertools.product(*(STATICS[base] for base in bases.values())):
            statics = {name: Fraction(number) for name, number in zip(bases, numbers, strict=True)}
            if all(_evaluated(each.formula, size, statics) for each in function.conditions if each.formula):
                bounds = {
                    each.name: float(_evaluated(each.sensitivity, size, statics))
                    for each in function.parameters
                    if not each.static and each.sensitivity is not None
                }
                yield Claims(size, statics, bounds)


def _evaluated(formula: str, size: Size, statics: dict[str, Fraction]) -> Any:
    written = re.sub(r"(length|rows|cols)\(\w+\)", r"\1", formula)
    numbers = {name: sympy.Rational(number.numerator, number.denominator) for name, number in statics.items()}
    sizes = {"length": size.columns, "cols": size.columns, "rows": size.rows}
    return sympy.sympify(written, locals=numbers | {name: sympy.Integer(number) for name, number in sizes.items()})


def largest_ratio(case: Case, name: str, returns: Metric, given: Claims) -> float:
    """How far the result moved at most, for a change of 1 in one parameter."""
    source = random.Random(f"{case.text} {name}")
    metrics, _ = parameters(case)
    worst = 0.0
    alike = len({(metric.shape, metric.base == "Bool") for metric in metrics.values()}) == 1
    whole = next((each for each, metric in metrics.items() if metric.base == "Integer"), name)
    numbers = all(metric.shape == "Number" for metric in metrics.values())
    for _ in range(MANY if numbers else PAIRS if given.size == MAIN else FEW):
        values = {each: metric.draw(source, given.size) for each, metric in metrics.items()}
        if alike and source.random() < 0.4:
            values = dict.fromkeys(values, values[whole])
        other = metrics[name].neighbour(values[name], source, given.size)
        apart = metrics[name].distance(values[name], other)
        if apart:
            results = (case.run(given.statics | each) for each in (values, values | {name: other}))
            worst = max(worst, returns.distance(*results) / apart)
            if given.bounds[name] == math.inf and worst > ENOUGH:
                break
    return worst
