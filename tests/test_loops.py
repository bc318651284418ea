"""Loops whose rounds are made at random: what is claimed of all rounds survives running them, number by number."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import pytest
import sympy

from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.engine.check import Engine

ENGINE = Engine()
PROGRAMS = 40
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
