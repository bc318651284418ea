"""What lowering makes of programs that change gradients is what Julia would do, or it is refused."""

from __future__ import annotations

import random
from collections import Counter

from dp_lsp.core.term import Method
from dp_lsp.engine.check import Engine
from dp_lsp.frontends.julia import JULIA
from dp_lsp.frontends.julia.parse import parse
from dp_lsp.lower.definitions import Lowered, lower
from dp_lsp.lower.ownership import aliasing
from imperative import Functional, Imperative, frozen, thawed

HELPERS = """
same(g) = g
pair(g, h) = (g, h)
keep(g) = () -> g
call(f) = f()
second(g, h) = h
made(g, h) = sum_gradients(g, h)
pick(g, h, n) = n > 1 ? g : h
function double!(g)
    scale_gradient!(2, g)
    return
end
fresh(g) = begin
    h = deepcopy(g)
    double!(h)
    k = h
    () -> k
end
function both!(g, h)
    double!(h)
    scale_gradient!(3, g)
    return
end
function first!(g, h)
    scale_gradient!(5, g)
    return
end
"""
GRADIENTS, TUPLES, FUNCTIONS, TAKING = ["a", "b", "c", "d", "e"], ["t", "u"], ["k", "l"], ["v", "w"]


class Program:
    """A random program: a function of two gradients and a number."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.gradients, self.tuples, self.functions = {"p", "q"}, set[str](), set[str]()
        self.taking = set[str]()  # functions of one gradient
        self.nested = 0
        self.changes = self.random.random() < 0.2
        body = ["a = deepcopy(p)", "b = deepcopy(q)"]
        self.gradients |= {"a", "b"}
        body += self.block(self.random.randint(1, 7), depth=0)
        if self.changes:
            body += ["return"]
        else:
            shown = [each for each in sorted(self.gradients) if self.random.random() < 0.7]  # others are not read again
            shown += sorted(self.tuples) + [f"{name}()" for name in sorted(self.functions)]
            body += [f"({', '.join(shown)})"]
        self.text = "\n".join(["function f(p, q, n)", *(f"    {line}" for line in body), "end", ""])

    def one(self, *names: set[str]) -> str:
        return self.random.choice(sorted(set().union(*names)))

    def changed(self) -> str:
        """A variable to be changed; mostly one that is not the caller's."""
        own = self.gradients - ({"p", "q"} if not self.changes else set())
        return self.one(own or self.gradients)

    def target(self) -> str:
        """A variable to be assigned; mostly one that has no value yet."""
        new = [name for name in GRADIENTS if name not in self.gradients]
        return self.random.choice(new if new and self.random.random() < 0.6 else [*GRADIENTS, "p"])

    def gradient(self) -> str:
        """An expression that is a gradient."""
        one = self.one(self.gradients)
        options = [one, f"deepcopy({one})", f"same({one})", f"call(() -> {one})", f"keep({one})()"]
        options += [f"deepcopy({one})", f"clone({one})", f"sum_gradients({one}, {self.one(self.gradients)})"] * 2
        other = self.one(self.gradients)
        options += [f"n > 1 ? {one} : {other}", f"second({one}, {other})", f"pick({one}, {other}, n)"]
        options += [f"made({one}, {other})", f"fresh({one})()", f"second({one}, deepcopy({other}))"]
        if self.taking:
            options += [f"{self.one(self.taking)}({one})"] * 3
        if self.functions:
            options += [f"{self.one(self.functions)}()"] * 2
        return self.random.choice(options)

    def block(self, length: int, depth: int) -> list[str]:
        self.nested = depth
        lines: list[str] = []
        while length > 0:
            lines += self.statement(depth)
            length -= 1
            self.nested = depth
        return lines

    def statement(self, depth: int) -> list[str]:
        kind = self.random.choices(
            ["gradient", "scale", "call", "exchange", "tuple", "apart", "function", "if", "for", "leave"],
            [6, 5, 3, 2, 2, 2, 2, 2 * (depth < 2), 3 * (depth < 2), 2 * (depth < 2)],
        )[0]
        if kind == "gradient":
            value, name = self.gradient(), self.target()
            self.gradients.add(name)
            return [f"{name} = {value}"]
        if kind == "scale":
            return [f"scale_gradient!({self.random.randint(2, 5)}, {self.changed()})"]
        if kind == "call":
            one, other = self.changed(), self.changed()
            calls = [
                "double!({})",
                "both!({}, {})",
                "first!({}, {})",
                "first!({}, deepcopy({}))",
                "first!({}, ({}, n))",
            ]
            return [self.random.choice(calls).format(one, other)]
        if kind == "exchange":
            targets = self.random.sample(GRADIENTS, 2)
            values = [self.random.choice([self.one(self.gradients), self.gradient()]) for _ in targets]
            self.gradients.update(targets)
            return [f"({', '.join(targets)}) = ({', '.join(values)})"]
        if kind == "tuple":
            name, values = self.random.choice(TUPLES), (self.gradient(), self.gradient())
            self.tuples.add(name)
            return [f"{name} = {self.random.choice(['', 'pair'])}({', '.join(values)})"]
        if kind == "apart" and self.tuples:
            targets = self.random.sample(GRADIENTS, 2)
            tuple_ = self.one(self.tuples)
            self.gradients.update(targets)
            return [f"({', '.join(targets)}) = {tuple_}"]
        if kind == "function":
            return self.random.choice([self.function, self.function_of_one])()
        if kind == "if":
            return self.branches(depth)
        if kind == "leave":
            return self.leave(depth)
        return self.loop(depth) if kind == "for" else []

    def function(self) -> list[str]:
        name, one = self.random.choice(FUNCTIONS), self.one(self.gradients)
        if name in self.functions:
            return []
        self.functions.add(name)
        inside = self.random.choice(
            [
                [f"x = {self.gradient()}", "scale_gradient!(2, x)", "x"],
                [f"x = {one}", "x = deepcopy(x)", "double!(x)", f"sum_gradients(x, {one})"],
                [f"{one}"],
                [f"{one} = deepcopy({one})", f"double!({one})", f"{one}"],
                [f"w = deepcopy({one})", "double!(w)", "w"],
                ["y(z) = begin", "    double!(z)", "    return", "end", f"x = deepcopy({one})", "y(x)", "x"],
            ]
        )
        return [f"{name}() = begin", *(f"    {line}" for line in inside), "end"]

    def function_of_one(self) -> list[str]:
        name, one = self.random.choice(TAKING), self.one(self.gradients)
        if name in self.taking or self.nested:
            return []
        self.taking.add(name)
        values = ["z", "deepcopy(z)", one, f"sum_gradients(z, {one})", f"n > 1 ? z : {one}", "second(z, deepcopy(z))"]
        return [f"{name}(z) = {self.random.choice(values)}"]

    def branches(self, depth: int) -> list[str]:
        """An ``if``; what only one side gives a value is not used after it."""
        before = self.gradients, self.tuples, self.functions
        sides = []
        for _ in range(2):
            self.gradients, self.tuples, self.functions = map(set, before)
            sides.append((self.block(self.random.randint(0, 2), depth + 1), self.gradients, self.tuples))
        self.gradients, self.tuples = sides[0][1] & sides[1][1], sides[0][2] & sides[1][2]
        self.functions = before[2]
        then, otherwise = ([f"    {line}" for line in side[0]] for side in sides)
        return ["if n > 1", *then, "else", *otherwise, "end"]

    def leave(self, depth: int) -> list[str]:
        """An ``if`` that returns on one side, or on both of those inside it."""
        before = self.gradients, self.tuples, self.functions
        self.gradients, self.tuples, self.functions = map(set, before)
        lines = self.block(self.random.randint(0, 2), depth + 1)
        lines += ["return" if self.changes else f"return ({', '.join(sorted(self.gradients))})"]
        self.gradients, self.tuples, self.functions = before
        inner = [f"    {line}" for line in lines]
        condition = self.random.choice(["n > 1", "1 > n"])
        if self.random.random() < 0.3:
            rest = self.block(self.random.randint(0, 2), depth + 1)
            return [f"if {condition}", *inner, "else", *(f"    {line}" for line in rest), "end"]
        return [f"if {condition}", *inner, "end"]

    def loop(self, depth: int) -> list[str]:
        before = self.gradients, self.tuples, self.functions
        self.gradients, self.tuples, self.functions = map(set, before)
        body = self.block(self.random.randint(1, 4), depth + 1)
        self.gradients, self.tuples, self.functions = before
        return ["for i in 1:3", *(f"    {line}" for line in body), "end"]


class Helpers:
    """The functions that programs may call."""

    def __init__(self) -> None:
        self.parsed = parse(HELPERS)
        lowered = lower(self.parsed, HELPERS, {}, JULIA)
        assert self.parsed.problems == lowered.problems == ()
        self.methods = methods(lowered)
        self.known = {name: found for name, method in self.methods.items() if (found := aliasing([method])) is not None}


def methods(lowered: Lowered) -> dict[str, Method]:
    return {each.name: each for each in lowered.definitions if isinstance(each, Method)}


def outcome(program: Program, n: float, helpers: Helpers) -> str:
    """Whether a program is refused; if it is not, the two ways to run it must agree."""
    parsed = parse(program.text)
    assert parsed.problems == (), program.text
    lowered = lower(parsed, program.text, helpers.known, JULIA)
    if lowered.problems:
        return "refused"
    found = helpers.methods | methods(lowered)
    given = [("gradient", 2.0), ("gradient", 7.0), n]
    objects = [thawed(each) for each in given]
    shown = frozen(Imperative(helpers.parsed.nodes + parsed.nodes).call("f", *objects))
    functional = Functional(found).call(found["f"], list(given), {})
    changes = found["f"].changes
    if changes:
        for position, value in zip(changes, functional if len(changes) > 1 else (functional,), strict=True):
            given[position] = value
    else:
        assert functional == shown, program.text
    assert [frozen(each) for each in objects] == given, program.text
    return "changes" if changes else "same"


def outcomes(program: Program, n: float, helpers: Helpers) -> list[str]:
    """The outcome of a program, and whether it returns before its end."""
    found = outcome(program, n, helpers)
    early = found != "refused" and program.text.count("return") > program.changes
    return [found, "left early"] if early else [found]


def test_changes_are_versions() -> None:
    helpers = Helpers()
    found = Counter(kind for seed in range(600) for kind in outcomes(Program(seed), seed % 2 * 2.0, helpers))
    assert found["same"] > 50 and found["changes"] > 5 and found["refused"] > 100, found
    assert found["left early"] > 30, found


def chain(count: int, last: str) -> str:
    """Functions that change a gradient, each by calling the one below it."""
    calls = [f"s{i}!(g) = begin\n    s{i + 1}!(g)\n    return\nend" for i in range(count)]
    top = "function f(g::MetricGradient(Real, L2))\n    h = deepcopy(g)\n    s0!(h)\n    h\nend"
    return "\n\n".join([top, *calls, f"s{count}!(g) = begin\n    {last}\nend", "other(x::Real) = 2 * x\n"])


def moved(engine: Engine, text: str) -> tuple[str, str | None]:
    function = next(function for function in engine.check(text).functions if function.name == "f")
    return function.state.value, function.parameters[0].sensitivity


def test_a_chain_is_read_at_most_twice() -> None:
    engine = Engine()
    text = chain(100, "scale_gradient!(5, g)\n    return")
    assert moved(engine, text) == ("proved", "5")
    assert engine.parsed <= 2 * 103
    before = engine.parsed
    assert moved(engine, text.replace("2 * x", "3 * x")) == ("proved", "5")
    assert engine.parsed == before + 1


def test_an_edit_of_what_a_function_changes_reaches_its_callers() -> None:
    engine = Engine()
    texts = [
        chain(10, "scale_gradient!(5, g)\n    return"),
        chain(10, "scale_gradient!(7, g)\n    return"),
        chain(10, "g"),
        chain(10, "deepcopy(g)"),
        chain(10, "scale_gradient!(5, g)\n    g"),
    ]
    expected = [moved(Engine(), text) for text in texts]
    assert expected == [("proved", "5"), ("proved", "7"), *[("unknown", expected[2][1])] * 3]
    assert [moved(engine, text) for text in [*texts, *reversed(texts)]] == [*expected, *reversed(expected)]
