"""Loops whose rounds are made at random: what is claimed of all rounds survives running them, number by number."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import pytest
import sympy

from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.builtins import TABLE
from dp_lsp.builtins.patterns import Arrow
from dp_lsp.builtins.traits import Integral, SampledRows
from dp_lsp.engine.check import Engine

ENGINE = Engine()
PROGRAMS = 24
PAIRS = 25
FACTORS = (Fraction(0), Fraction(1), Fraction(1), Fraction(1, 2), Fraction(-1), Fraction(2), Fraction(3, 4))

Values = dict[str, Fraction]


class Expression(NamedTuple):
    """How it is written, and what it is."""

    text: str
    of: Callable[[Values], Fraction]


class Round(NamedTuple):
    """The statements of a loop's body: the names that each assigns at once, and their values."""

    statements: tuple[tuple[tuple[str, ...], tuple[Expression, ...]], ...]

    def text(self) -> str:
        lines = []
        for names, values in self.statements:
            left, right = ", ".join(names), ", ".join(value.text for value in values)
            lines.append(f"{left} = {right}" if len(names) == 1 else f"({left}) = ({right})")
        return "\n        ".join(lines)

    def run(self, values: Values) -> Values:
        for names, right in self.statements:
            values = values | dict(zip(names, [value.of(values) for value in right], strict=True))
        return values


def expression(source: random.Random, names: list[str]) -> Expression:
    """A sum of multiples of variables, of their absolute values and of their minima."""
    parts = []
    for name in source.sample(names, source.randint(1, min(3, len(names)))):
        factor, other = source.choice(FACTORS), source.choice(names)
        written = f"{factor.numerator / factor.denominator} * " if source.random() < 0.7 else ""
        factor = factor if written else Fraction(1)
        match source.randrange(5):
            case 0:
                parts.append(Expression(f"{written}abs({name})", lambda v, n=name, f=factor: f * abs(v[n])))
            case 1:
                parts.append(
                    Expression(
                        f"{written}min({name}, {other})", lambda v, n=name, o=other, f=factor: f * min(v[n], v[o])
                    )
                )
            case _:
                parts.append(Expression(f"{written}{name}", lambda v, n=name, f=factor: f * v[n]))
    return Expression(" + ".join(part.text for part in parts), lambda v: sum((p.of(v) for p in parts), Fraction(0)))


def body(source: random.Random, carried: list[str], read: list[str]) -> Round:
    statements = []
    for _ in range(source.randint(1, len(carried) + 1)):
        names = tuple(source.sample(carried, source.choice((1, 1, 2)) if len(carried) > 1 else 1))
        statements.append((names, tuple(expression(source, carried + read) for _ in names)))
    return Round(tuple(statements))


def claims(function: FunctionReport, rounds: int) -> dict[str, sympy.Expr]:
    found = {}
    for parameter in function.parameters:
        if not parameter.static:
            assert parameter.sensitivity is not None
            formula = sympy.sympify(parameter.sensitivity)
            found[parameter.name] = formula.subs(sympy.Symbol("k"), rounds).doit()
    return found


def checked(text: str) -> FunctionReport:
    function = next(each for each in ENGINE.check(text).functions if each.name == "f")
    assert function.state is State.PROVED, text
    return function


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_claim_survives_running_all_rounds(seed: int) -> None:
    source = random.Random(seed)
    carried, read = ["a", "b", "c", "d"][: source.randint(1, 4)], ["x", "y"][: source.randint(0, 2)]
    once, result = body(source, carried, read), source.choice(carried)
    header = ", ".join(f"{name}::Real" for name in carried + read)
    text = "function f({})\n    for i in 1:{}\n        {}\n    end\n    {}\nend\n"
    symbolic = checked(text.format(f"{header}, k::Static(Integer)", "k", once.text(), result))
    for rounds in (0, 1, 2, 3, 7):
        numeric = checked(text.format(header, rounds, once.text(), result))
        bounds = claims(numeric, rounds), claims(symbolic, rounds)
        for _ in range(PAIRS):
            start = {name: Fraction(source.randint(-20, 20), 4) for name in carried + read}
            changed = source.choice(carried + read)
            other = start | {changed: start[changed] + Fraction(source.randint(1, 12), 4)}
            apart = abs(other[changed] - start[changed])
            for _ in range(rounds):
                start, other = once.run(start), once.run(other)
            moved = abs(other[result] - start[result]) / apart
            for claim in bounds:
                assert moved <= claim[changed], f"{changed} moves {moved} in {rounds} rounds: {text}"


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_rounds_that_add_multiples(seed: int) -> None:
    """For sums of multiples without minus signs the truth is a power of a matrix: exact for a number of rounds that is
    known, and never above the formula for one that is not."""
    source = random.Random(seed)
    names = ["a", "b", "c", "d", "e"][: source.randint(2, 5)]
    order = {name: source.randint(0, number) for number, name in enumerate(names)}  # nothing influences a later one
    once = {
        end: {
            start: source.choice(FACTORS[1:4])
            for start in names
            if order[end] <= order[start] and start != source.choice(names)
        }
        for end in names
    }
    once = {end: row or {end: Fraction(1)} for end, row in once.items()}
    rows = [" + ".join(f"{float(factor)} * {start}" for start, factor in row.items()) for row in once.values()]
    header = ", ".join(f"{name}::Real" for name in names) + ", y::Real"
    text = "function f({})\n    for i in 1:{}\n        ({}) = ({})\n    end\n    a\nend\n"
    ends = [row + (" + y" if name == names[-1] else "") for name, row in zip(names, rows, strict=True)]
    symbolic = checked(text.format(f"{header}, k::Static(Integer)", "k", ", ".join(names), ", ".join(ends)))
    truth = {name: {name: Fraction(1)} for name in names}
    for rounds in range(6):
        moved = {name: truth["a"].get(name, Fraction(0)) for name in (*names, "y")}
        numeric = checked(text.format(header, f"{rounds}", ", ".join(names), ", ".join(ends)))
        assert claims(numeric, rounds) == moved, text
        assert all(claims(symbolic, rounds)[name] >= moved[name] for name in moved), text
        truth = {
            name: {
                each: sum((factor * truth[start].get(each, 0) for start, factor in row.items()), Fraction(0))
                + (name == names[-1] and each == "y")
                for each in (*names, "y")
            }
            for name, row in once.items()
        }


# Loops that read containers at their index

RANGES = {"1:4": (1, 2, 3, 4), "4:-1:1": (4, 3, 2, 1), "1:2:4": (1, 3), "2:3": (2, 3), "2:1": ()}
SIZE = 4
NORMS: dict[str, Callable[[list[float]], float]] = {
    "L1": math.fsum,
    "L2": lambda parts: math.sqrt(math.fsum(part * part for part in parts)),
    "LInf": max,
}
Row = tuple[Fraction, ...]
Statement = tuple[str, tuple[tuple[Fraction, str], ...]]


class Containers(NamedTuple):
    v: Row
    m: tuple[Row, ...]


READS: dict[str, Callable[[Containers, int], Fraction]] = {
    "v[j]": lambda given, j: given.v[j - 1],
    "v[2]": lambda given, j: given.v[1],
    "v[l]": lambda given, j: given.v[j - 1],
    "sum(v)": lambda given, j: sum(given.v, Fraction(0)),
    "m[j, 1]": lambda given, j: given.m[j - 1][0],
    "sum(m[j, :])": lambda given, j: sum(given.m[j - 1], Fraction(0)),
    "m[2, 1]": lambda given, j: given.m[1][0],
}


def run(given: Containers, rounds: tuple[int, ...], statements: list[Statement]) -> Fraction:
    held = {"s": Fraction(0), "t": Fraction(0)}
    for j in rounds:
        for name, parts in statements:
            terms = (factor * (held[what] if what in held else READS[what](given, j)) for factor, what in parts)
            held[name] = sum(terms, Fraction(0))
    return held["s"]


def vector(source: random.Random, size: int) -> Row:
    """How much the entries change: one of them, all of them by the same, or each by its own."""
    place = source.randrange(size)
    one, same = tuple(Fraction(i == place) for i in range(size)), (Fraction(1),) * size
    return source.choice((one, same, tuple(source.choice(FACTORS) for _ in range(size))))


@pytest.mark.parametrize("seed", range(3 * PROGRAMS))
def test_rows_that_rounds_read(seed: int) -> None:
    source = random.Random(seed)
    norm, written = source.choice(list(NORMS)), source.choice(list(RANGES))
    reads = source.sample(list(READS), 2)
    statements: list[Statement] = [
        (name, tuple((source.choice(FACTORS[1:]), what) for what in source.sample(["s", "t", *reads], 3)))
        for name in source.choice((["s"], ["s", "t"], ["t", "s"]))
    ]
    lines = [
        f"{name} = " + " + ".join(f"{float(factor)} * {what}" for factor, what in parts) for name, parts in statements
    ]
    header = f"v::MetricVector(Real, {norm}), m::MetricMatrix(Real, {norm})"
    body = "\n        ".join(["l = j", *lines])
    text = (
        f"function f({header})\n    (s, t) = (0.0, 0.0)\n    for j in {written}\n        {body}\n    end\n    s\nend\n"
    )
    function = checked(text)
    claimed = {
        parameter.name: float(
            sympy.sympify(re.sub(r"length\(v\)", str(SIZE), re.sub(r"cols\(m\)", "2", parameter.sensitivity or "")))
        )
        for parameter in function.parameters
    }
    zero = Containers((Fraction(0),) * SIZE, ((Fraction(0),) * 2,) * SIZE)
    for _ in range(PAIRS):
        v, m = vector(source, SIZE), tuple(vector(source, 2) for _ in range(SIZE))
        lines_of = [NORMS[norm]([abs(float(x)) for x in row]) for row in m]
        for name, changed, apart in (
            ("v", zero._replace(v=v), NORMS[norm]([abs(float(x)) for x in v])),
            ("m", zero._replace(m=m), math.fsum(lines_of)),
        ):
            moved = abs(float(run(changed, RANGES[written], statements)))
            assert moved <= claimed[name] * apart + 1e-9, f"{name} moves {moved} at distance {apart}: {text}"


PLAIN = [
    name for name, row in TABLE.items() if not row.has(SampledRows) and all(form.applies is None for form in row.forms)
]


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_a_row_says_whether_numbers_stay_whole(name: str) -> None:
    """A loop types its numbers by what the rows say of them, before it looks at its rounds."""
    row = TABLE[name]
    integral = row.trait(Integral)
    whole = None if integral is None else integral.always
    function = ENGINE.check(row.examples[0]).functions[-1]
    given_real = any("Real" in parameter.type for parameter in function.parameters)
    given_real |= any(isinstance(param.pattern, Arrow) for form in row.forms for param in form.params)  # may return it
    if "Real" in function.returns:
        assert whole is False or (whole is None and given_real)
    elif given_real and function.returns:
        assert whole is not False
