"""A `return` before the end: a program means what its twin means, whose code after an `if` stands in the branch."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

import pytest

from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.engine.check import Engine


class Guard(NamedTuple):
    """An `if` with a branch that returns: on the side of ``then``, or else on the other one."""

    condition: str
    then: bool
    leaving: list[str]
    staying: list[str]


Line = str | Guard


class Program:
    """A random function of two numbers and a public one; a private one releases some on the way."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.private = self.random.random() < 0.5
        self.made = 0
        self.names = ["x", "y"]
        self.lines: list[Line] = []
        for _ in range(self.random.randint(2, 6)):
            self.lines += [self.guard()] if self.random.random() < 0.5 else [self.assignment()]
        self.last = self.value()

    def guard(self) -> Guard:
        before = list(self.names)
        leaving = [self.assignment() for _ in range(self.random.randint(0, 2))]
        leaving.append(f"return {self.value()}")
        self.names = list(before)
        staying = [self.assignment() for _ in range(self.random.randint(0, 1))]
        asked = self.random.choice(["c", "c", self.random.choice(self.names)])
        return Guard(f"{asked} > {self.random.randint(1, 3)}", self.random.random() < 0.7, leaving, staying)

    def assignment(self) -> str:
        old, one = self.random.choice(self.names), self.value()
        if self.private and self.random.random() < 0.4:
            one = f"laplacian_mechanism(1, eps, {one})"
        if self.random.random() < 0.5:
            return f"{old} = {one}"
        self.made += 1
        self.names.append(f"z{self.made}")
        return f"z{self.made} = {one}"

    def value(self) -> str:
        one, other = self.random.choice(self.names), self.random.choice(self.names)
        return self.random.choice([one, f"{self.random.randint(2, 5)} * {one}", f"{one} + {other}", "1.5"])

    def text(self, nested: bool) -> str:
        result = " :: Priv()" if self.private else ""
        lines = "\n".join(self.written([*self.lines, self.last], nested))
        return f"function f(x::Real, y::Real, c::Static(), eps::Static()){result}\n{lines}\nend\n"

    def written(self, lines: list[Line], nested: bool) -> list[str]:
        found: list[str] = []
        for position, line in enumerate(lines):
            if isinstance(line, str):
                found.append(line)
                continue
            rest = self.written(lines[position + 1 :], nested)
            staying = [*line.staying, *rest] if nested else line.staying
            sides = (line.leaving, staying) if line.then else (staying, line.leaving)
            otherwise = ["else", *sides[1]] if sides[1] else []
            found += [f"if {line.condition}", *sides[0], *otherwise, "end"]
            return found if nested else found + rest
        return found


def told(function: FunctionReport) -> tuple[object, ...]:
    """What is claimed of a function, but for its places."""
    conditions = tuple(condition.text for condition in function.conditions)
    return function.state, function.parameters, function.returns, function.bounds, conditions


def test_code_after_an_if_is_in_the_branch_that_goes_on() -> None:
    engine = Engine()
    found = Counter[State]()
    for seed in range(150):
        program = Program(seed)
        early, twin = (engine.check(program.text(nested)) for nested in (False, True))
        (function,), (nested,) = early.functions, twin.functions
        assert told(function) == told(nested), program.text(False)
        codes, expected = ([problem.code for problem in each.problems] for each in (early, twin))
        assert sorted(codes) == sorted(expected), program.text(False)
        found[function.state] += 1
    assert min(found[State.PROVED], found[State.FAILED]) > 20, found


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("c > 1 && return 2x", "if c > 1\n return 2x\nend"),
        ("c > 1 || return 2x", "if c > 1\nelse\n return 2x\nend"),
        ("c > 1 && c < 3 && return 2x", "if c > 1 && c < 3\n return 2x\nend"),
        ("c > 1 || c < 0 || return 2x", "if c > 1 || c < 0\nelse\n return 2x\nend"),
        ("c > 1 || c < 0 && (x = 5)", "if c > 1\nelseif c < 0\n x = 5\nend"),
        ("x > 1 && (x = 5)", "if x > 1\n x = 5\nend"),
    ],
)
def test_what_stands_behind_a_sign_is_a_branch(short: str, long: str) -> None:
    engine = Engine()
    texts = (f"function f(x::Real, c::Static())\n{line}\n3x\nend\n" for line in (short, long))
    one, other = (engine.check(text).functions[0] for text in texts)
    assert one.state is State.PROVED and told(one) == told(other)


@pytest.mark.parametrize("count", [60, 61, 400])
def test_many_guards_are_no_many_programs(count: int) -> None:
    guards = "".join(f"    c > {number} && return {number}x\n" for number in range(count))
    analysis = Engine().check(f"function f(x::Real, c::Static())\n{guards}    x\nend\n")
    states = [function.state for function in analysis.functions]
    assert states == [State.PROVED if count <= 60 else State.UNKNOWN]
    assert [problem.code for problem in analysis.problems] == ["DP108"] * (count > 60)
