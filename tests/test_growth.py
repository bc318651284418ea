"""What a check does grows with the text it is given, and no faster: work is counted in calls, of no function more than
twice as many for a text that is twice as long."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from dp_lsp.analysis.records import Analysis, State
from dp_lsp.engine.check import Engine
from work import calls

SIZE = 24
"""How many parts the shorter text has. What looks at every two of them calls something at least 576 times more."""
MOST = 18 * SIZE
"""How many calls more than twice as many there may be: of what is done once, or at a few sizes only."""
SHARE = 0.02
"""And so many of each call for the shorter text: where all is done twice as often, it is not exactly that."""
AT_FIRST_LESS = {"entries one by one": 16}
"""Where each step costs the more, the more parts of one sum are measured together, until these are too many."""


def joined(sign: str, parts: Iterable[str]) -> str:
    return sign.join(parts)


def numbers(count: int) -> list[str]:
    return [str(index % 7 + 2) for index in range(count)]


def body(lines: Iterable[str], result: str = "y", head: str = "f(x::Real)") -> str:
    inside = "".join(f"    {line}\n" for line in lines)
    return f"function {head}\n    y = x\n{inside}    {result}\nend\n"


PROGRAMS: dict[str, Callable[[int], str]] = {
    "product": lambda n: f"f(x::Real) = {joined(' * ', numbers(n))} * x\n",
    "product of fractions": lambda n: f"f(x::Real) = {joined(' * ', (f'{i}.5' for i in range(n)))} * x\n",
    "product at top level": lambda n: f"c = {joined(' * ', numbers(n))}\nf(x::Real) = c * x\n",
    "product of a public number": lambda n: f"f(x::Real, n::Static()) = x * {joined(' * ', ['n'] * n)}\n",
    "product of public sums": lambda n: (
        f"f(x::Real, n::Static()) = x * {joined(' * ', (f'(n + {i})' for i in range(n)))}\n"
    ),
    "product of private numbers": lambda n: body(
        [f"z = clamp(x, 0, 2) * {joined(' * ', ['clamp(x, 0, 2)'] * n)}"], "z"
    ),
    "product of entries": lambda n: f"f(x::Vector{{<:Real}}) = x * {joined(' * ', numbers(n))}\n",
    "sum": lambda n: f"f(x::Real) = x + {joined(' + ', numbers(n))}\n",
    "sum of products": lambda n: f"f(x::Real) = {joined(' + ', (f'{i} * x' for i in numbers(n)))}\n",
    "sum of parameters": lambda n: (
        f"f({joined(', ', (f'x{i}::Real' for i in range(n)))}) = 2 * ({joined(' + ', (f'x{i}' for i in range(n)))})\n"
    ),
    "maximum": lambda n: f"f(x::Real) = max(x, {joined(', ', numbers(n))})\n",
    "vector of literals": lambda n: f"f(x::Real) = x * sum([{joined(', ', numbers(n))}])\n",
    "vector": lambda n: f"f(x::Real) = [{joined(', ', (f'{i} * x' for i in numbers(n)))}]\n",
    "tuple": lambda n: body([f"({joined(', ', (f'a{i}' for i in range(n)))}) = ({joined(', ', ['x'] * n)})"], "a0"),
    "candidates": lambda n: (
        "f(v::MetricVector(Real, Symmetric)) :: Priv() =\n    exponential_mechanism("
        f"1, 0.5, [{joined(', ', (f'{i}.0' for i in range(n)))}], c -> count(x -> x > c, v))\n"
    ),
    "elseif": lambda n: body(
        ["if k == 0", "    y = x", *(f"elseif k == {i + 1}\n        y = {i + 2} * x" for i in range(n // 2)), "end"],
        head="f(x::Real, k::Static(Integer))",
    ),
    "ifs": lambda n: body(
        (f"if k == {i}\n        y = {i + 2} * x\n    end" for i in range(n)), head="f(x::Real, k::Static(Integer))"
    ),
    "early returns": lambda n: body(
        (f"if k == {i}\n        return {i + 2} * x\n    end" for i in range(n // 2)),
        head="f(x::Real, k::Static(Integer))",
    ),
    "statements that multiply": lambda n: body(f"y = y * {i}" for i in numbers(n)),
    "statements that divide": lambda n: body(f"y = y / {i}" for i in numbers(n)),
    "statements that add": lambda n: body(f"y = y + {i} * x" for i in numbers(n)),
    "statements that square": lambda n: body(["y = clamp(x, -1, 1)", *["y = y * y"] * n]),
    "assertions": lambda n: body((f"@assert k > {i}" for i in range(n)), head="f(x::Real, k::Static(Integer))"),
    "functions inside": lambda n: body(f"g{i} = z -> {i} * z" for i in range(n)),
    "entries one by one": lambda n: body(
        ["z = 0.0", *(f"z = z + x[{i + 1}]" for i in range(n))], "z", head="f(x::Vector{<:Real})"
    ),
    "constants": lambda n: (
        joined("", (f"c{i} = {i}\n" for i in range(n)))
        + f"f(x::Real) = x * ({joined(' + ', (f'c{i}' for i in range(n)))})\n"
    ),
    "constants of constants": lambda n: (
        "c0 = 3\n" + joined("", (f"c{i + 1} = c{i} * 3\n" for i in range(n))) + f"f(x::Real) = x * c{n}\n"
    ),
    "calls of one function": lambda n: f"g(x::Real) = 2 * x\nf(x::Real) = {joined(' + ', ['g(x)'] * n)}\n",
    "calls in calls": lambda n: f"g(x::Real) = 2 * x\nf(x::Real) = {'g(' * (n // 2)}x{')' * (n // 2)}\n",
    "a chain of functions": lambda n: (
        "f0(x::Real) = x\n" + joined("", (f"f{i + 1}(x::Real) = 2 * f{i}(x)\n" for i in range(n)))
    ),
    "mechanisms": lambda n: body(
        ["z = 0.0", *(f"z = z + laplacian_mechanism(1, 0.{i}, x)" for i in numbers(n))], "z", "f(x::Real) :: Priv()"
    ),
}


def released(step: str) -> Callable[[int], str]:
    """A program that computes with a number that was released, many times one step: with what came of the one before,
    ``a``, and the number ``n``."""
    return lambda count: body(
        ["n = laplacian_mechanism(1, 0.5, x)", "a = n", *(f"a = {step.format(i=i)}" for i in numbers(count))],
        "laplacian_mechanism(max(a, 1), 0.5, x)",
        "f(x::Real) :: Priv()",
    )


STEPS = {
    "largest": "max(a, {i})",
    "largest and smallest": "max(a / {i}, min(a, n))",
    "between two": "min(max(a, n / {i}), {i} * n)",
    "spread": "max(a, {i}) - min(a, {i})",
    "clamp": "clamp(a, {i}, 10 + {i})",
    "sizes": "abs(a) + abs(a - {i})",
    "sum": "a + n + {i}",
    "product": "a * (n + {i})",
    "square": "a * a - {i}",
    "quotient": "a / max(1, a + {i})",
    "choice": "n > {i} ? a : {i}",
}


class Work:
    """How often each function was called while a text was checked from nothing, and what came of it."""

    def __init__(self, text: str) -> None:
        found: list[Analysis] = []
        engine = Engine()
        self.calls = calls(lambda: found.append(engine.check(text)))
        (self.found,) = found


@pytest.mark.parametrize("name", PROGRAMS)
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    short, long = PROGRAMS[name](SIZE), PROGRAMS[name](2 * SIZE)
    Engine().check(long)  # loads what is loaded once
    once, twice = Work(short), Work(long)
    assert once.found.state is State.PROVED, once.found.problems
    most = MOST * AT_FIRST_LESS.get(name, 1)
    more = {
        each: (once.calls[each], count)
        for each, count in twice.calls.items()
        if count > (2 + SHARE) * once.calls[each] + most
    }
    assert not more, "functions that are called more than twice as often for twice the text"


@pytest.mark.parametrize("name", STEPS)
def test_what_is_computed_of_a_released_number_is_followed_as_far_as_it_is_short(name: str) -> None:
    """Written out, a formula may double with each step, and a value is followed no further than it is short."""
    once, twice = (Work(released(STEPS[name])(count)) for count in (SIZE, 2 * SIZE))
    assert once.found.state is twice.found.state is State.PROVED, twice.found.problems
    assert twice.calls.total() < 3 * once.calls.total()


@pytest.mark.parametrize("count", [500, 2_000, 8_000])
def test_a_product_of_very_many_factors_ends_in_its_bound_or_in_none(count: int) -> None:
    """One that has a name, and too many digits to be known where that is used, may stand in a bound by its name."""
    factors = joined(" * ", ["2.5"] * count)
    for text in (f"f(x::Real) = {factors} * x\n", f"c = {factors}\nf(x::Real) = c * x\n"):
        found = Engine().check(text)
        (function,) = found.functions
        (parameter,) = function.parameters
        exact = f"{5**count}/{2**count}" if count < 8_000 else ""
        named = ["Abs(c')"] if count == 2_000 and text.startswith("c") else []
        assert parameter.sensitivity in ([exact] if count == 500 else [exact, "oo", *named])
        assert len(str(found.problems)) < 10 * len(text)
        assert function.state is State.PROVED or found.problems
