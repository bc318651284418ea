"""Half-typed and broken programs: any text is checked without an exception, and nothing is proved of what was not read.

One engine checks them all, so what it remembers of one text must never be taken for another.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import spec_runner
from dp_lsp.analysis.limits import Ticket
from dp_lsp.analysis.records import Analysis, State
from dp_lsp.engine.check import Engine
from source_tree import ROOT
from work import calls

PROGRAMS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("fixtures/programs/*.jl"))}
TOKEN = re.compile(r"\w+!?|[^\w\s]|\n")
SYNTAX = {"DP001", "DP003", "DP004", "DP005", "DP006", "DP007"}
COMMENTS = {"DP801", "DP802", "DP803", "DP804"}  # errors that leave nothing unread
DELETIONS, COMPARED = 80, 20
ALIKE, OPEN = 4, 3  # tokens by which ends of texts are told apart, and things open there
BLOCKS = {"function", "begin", "if", "for", "while", "let", "do", "module", "struct", "try", "quote", "macro"}
OPENING = {"(", "[", "{", *BLOCKS}
CLOSING = {")", "]", "}", "end"}
WORDS = {"end", "else", "elseif", "return", "in", "where", "const", "global", "local", "import", "using", "include"}
ALIKE_TO = re.compile(r"\w+")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def prefixes(text: str, seen: set[tuple[str, ...]]) -> Iterator[str]:
    """The text up to the end of each token, where no text in ``seen`` has ended like that: with as many things open,
    and with the same last tokens, where names are alike, and numbers are."""
    opened: list[str] = []
    last: list[str] = []
    for token in TOKEN.finditer(text):
        word = token[0]
        if word in CLOSING and opened:
            opened.pop()
        elif word in OPENING:
            opened.append(word)
        last = [*last[1 - ALIKE :], word if word in OPENING or word in WORDS else ALIKE_TO.sub("x", word)]
        shape = (*opened[-OPEN:], "", *last)
        if shape not in seen:
            seen.add(shape)
            yield text[: token.end()]


def assert_nothing_unread_is_proved(analysis: Analysis) -> None:
    for chunk in analysis.chunks:
        verdict = chunk.record.verdict
        if SYNTAX & {problem.code for problem in verdict.problems}:
            failed = any(problem.code in COMMENTS for problem in verdict.problems)
            assert verdict.state is State.UNKNOWN or (failed and verdict.state is State.FAILED)
            broken = [problem.span for problem in verdict.problems if problem.code in SYNTAX]
            for function in verdict.functions:
                inside = any(function.span.covers(span.start) for span in broken)
                assert not (inside and function.state is State.PROVED), function.name
    unread = [function for function in analysis.functions if function.state is State.UNKNOWN]
    for function in unread:
        assert function.reason
        assert not function.bounds and not function.numeric
        for parameter in function.parameters:
            assert parameter.sensitivity in (None, "oo")
            assert (parameter.epsilon, parameter.delta) in ((None, None), ("oo", "1"))


def outcome(analysis: Analysis) -> tuple[object, ...]:
    return analysis.functions, analysis.problems, analysis.state


SPECIFICATION = sorted((ROOT / "fixtures" / "spec").rglob("*.md"))


@pytest.fixture(scope="module")
def seen() -> set[tuple[str, ...]]:
    """How the prefixes that were checked have ended."""
    return set()


@pytest.mark.parametrize("page", SPECIFICATION, ids=lambda page: page.stem)
def test_prefixes_of_the_specification(page: Path, engine: Engine, seen: set[tuple[str, ...]]) -> None:
    for block in spec_runner.blocks(page.read_text(encoding="utf-8")):
        for text in prefixes(block.text, seen):
            assert_nothing_unread_is_proved(engine.check(text))


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_prefixes(name: str, engine: Engine, seen: set[tuple[str, ...]]) -> None:
    for text in prefixes(PROGRAMS[name], seen):
        assert_nothing_unread_is_proved(engine.check(text))


def deletions(count: int) -> Iterator[str]:
    """Programs that lack one token each."""
    source = random.Random(2)
    for _ in range(count):
        text = source.choice(sorted(PROGRAMS.values()))
        token = source.choice(list(TOKEN.finditer(text)))
        yield text[: token.start()] + text[token.end() :]


def test_single_tokens_deleted(engine: Engine) -> None:
    for number, text in enumerate(deletions(DELETIONS)):
        analysis = engine.check(text)
        assert_nothing_unread_is_proved(analysis)
        if number < COMPARED:
            assert outcome(analysis) == outcome(Engine().check(text)), "what is remembered changes no answer"


def test_single_tokens_doubled_or_swapped(engine: Engine) -> None:
    source = random.Random(3)
    for _ in range(DELETIONS // 2):
        text = source.choice(sorted(PROGRAMS.values()))
        tokens = list(TOKEN.finditer(text))
        one, other = source.choice(tokens), source.choice(tokens)
        assert_nothing_unread_is_proved(engine.check(text[: one.end()] + other[0] + text[one.end() :]))


def test_edits_of_a_callee_reach_its_callers(engine: Engine) -> None:
    """Alternating texts under one memo: each answer is that of a new engine."""
    source = random.Random(4)
    bodies = ["2 * x", "3 * x", "x |> h", "-x", "c * x", "(x", "h(x)", "laplacian_mechanism(1, 0.5, x)"]
    for _ in range(60):
        first, second = source.choice(bodies), source.choice(bodies)
        constant = source.choice(["c = 2\n", "c = -5\n", ""])
        text = f"{constant}g(x::Real) = {first}\nh(x::Real) = {second}\nf(x::Real) = g(x) + g(2 * x)\n"
        assert outcome(engine.check(text)) == outcome(Engine().check(text)), text


SAMPLE = """
function h(A::Matrix{{<:Data}}, B::Matrix{{<:Data}}) :: Priv()
    x = A
    (A, L) = sample(1, A, B)
    gaussian_mechanism(2, 0.5, 1e-5, undisc_container(clip(L2, {}[1, :] + L[1, :])))
end
k(A::Matrix{{<:Data}}, B::Matrix{{<:Data}}) :: Priv() = h(A, B)
"""
NORMS = """
function h(y::Data, v::Vector{{<:Data}}, w::Vector{{<:Data}})
    a = v + 0 * [y, y]
    b = w + 0 * [y, y]
    norm_convert(L2, y * {}) + norm_convert(L2, a) + norm_convert(L2, b)
end
k(y::Data, p::MetricVector(Data, LInf), q::MetricVector(Data, L1)) = h(y, p, q)
"""
RELEASED = """
function h(x::Real, y::Real, eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, x) + laplacian_mechanism(2, eps, y)
end
g(x::Real, y::Real) :: Priv() = h({})
k(x::Real, y::Real) :: Priv() = g(x, 2 * y)
"""
LONG = "\n".join(
    ["function h(x::Real, a::Static())", *(f"    x = (a + {i}) * x + x" for i in range(1, 12)), "    {} * x", "end"]
)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("h(x::Real) = {} * x\ng = h\nk(x::Real) = g(x)\n", "2", "300"),
        ("h(x::Real) = {} * x\ng = (h, 3)\nfunction k(x::Real)\n (f, n) = g\n f(x)\nend\n", "2", "300"),
        (SAMPLE, "A", "x"),
        (NORMS, "a", "b"),
        (RELEASED.format("x, y, {}"), "1", "3"),
        (RELEASED.format("{}, x, 1"), "x", "y"),
        (RELEASED.format("x, y, 1").replace("(2, eps, y)", "({}, eps, y)"), "2", "4"),
        (LONG + "\nk(x::Real) = h(x, 0 - 1)\n", "1", "1000"),
    ],
    ids=["alias", "tuple", "sample", "norms", "spent", "by whom", "noise", "long formula"],
)
def test_what_is_remembered_of_a_caller_depends_on_all_that_the_callee_means(text: str, old: str, new: str) -> None:
    engine = Engine()
    before = outcome(engine.check(text.format(old)))
    after = engine.check(text.format(new))
    assert outcome(after) == outcome(Engine().check(text.format(new))) != before


class Counter(Ticket):
    """Counts the steps of a check."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def look(self) -> None:
        self.steps += 1


def chain(lines: int) -> str:
    """``a1 = x + x; a2 = a1 + a1; …``"""
    statements = [f"    a{i} = a{i - 1} + a{i - 1}" for i in range(1, lines + 1)]
    return "\n".join(["function f(x::Real)", "    a0 = x", *statements, f"    a{lines}", "end\n"])


def steps_of(text: str) -> int:
    counter = Counter()
    Engine().check(text, ticket=counter)
    return counter.steps


def test_a_chain_of_sums_is_exact_and_its_cost_linear() -> None:
    function = Engine().check(chain(60)).functions[0]
    assert function.parameters[0].sensitivity == str(2**60)
    short, long, longer = (steps_of(chain(lines)) for lines in (30, 60, 120))
    assert long > short
    assert longer - long == 2 * (long - short)


def test_a_chain_of_calls_is_exact_and_its_cost_linear() -> None:
    def linked(count: int) -> str:
        links = [f"f{i}(x::Real) = f{i - 1}(x) + f{i - 1}(x)" for i in range(1, count + 1)]
        return "\n".join(["f0(x::Real) = x", *links, ""])

    functions = Engine().check(linked(60)).functions
    assert functions[-1].parameters[0].sensitivity == str(2**60)
    short, long, longer = (steps_of(linked(count)) for count in (30, 60, 120))
    assert longer - long == 2 * (long - short)


def private_calls(count: int) -> str:
    links = [f"f{i}(x::Real) :: Priv() = f{i - 1}(x) + f{i - 1}(x)" for i in range(1, count + 1)]
    return "\n".join(["f0(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)", *links, ""])


def test_a_chain_of_private_calls_is_exact() -> None:
    assert Engine().check(private_calls(10)).functions[-1].parameters[0].epsilon == str(2**10)


def test_the_cost_of_a_chain_of_private_calls_is_linear() -> None:
    """What is found out about a callee, its digest and its mechanisms included, is looked up and not found again."""
    short, long, longer = (calls(partial(Engine().check, private_calls(count))).total() for count in (20, 40, 80))
    assert longer - long < 2.2 * (long - short)


def products(count: int) -> str:
    """Each line multiplies by a sum: written out, the bound has 2^count terms."""
    parameters = ", ".join(f"a{i}::Static()" for i in range(count))
    lines = [f"    x = (a{i} + {i}) * x + a{i} * x" for i in range(count)]
    return "\n".join([f"function f(x::Real, {parameters})", *lines, "    x", "end\n"])


def private_loops(depth: int) -> str:
    start, end = "for i in 1:k\n" * depth, "end\n" * depth
    body = f"y = 0.0\n{start}y = y + laplacian_mechanism(1, 0.1, x)\n{end}y\nend\n"
    return f"function f(x::Real, k::Static(Integer)) :: Priv()\n{body}"


@pytest.mark.parametrize("text", [products(8), private_loops(4)], ids=["products", "loops"])
def test_formulas_do_not_grow(text: str) -> None:
    parameter = Engine().check(text).functions[0].parameters[0]
    assert len(parameter.sensitivity or parameter.epsilon or "") < 3000


DEEP = {
    "parentheses": "f(x::Real) = " + "(" * 3000 + "x" + ")" * 3000,
    "sums": "f(x::Real) = " + " + ".join(["x"] * 3000),
    "negations": "f(x::Real) = " + "-" * 3000 + "x",
    "branches": "f(x::Real, c::Static()) = " + "c > 1 ? x : " * 1000 + "x",
    "loops": "function f(x::Real)\n" + "for i in 1:2\n" * 300 + "x = x + 1\n" + "end\n" * 300 + "x\nend",
    "calls": "g(x::Real) = x\nf(x::Real) = " + "g(" * 2000 + "x" + ")" * 2000,
    "tuples": "f(x::Real) = " + "(" * 1000 + "x" + ",)" * 1000,
    "parameters": f"f({', '.join(f'x{i}::Real' for i in range(2000))}) = x0",
    "digits": "f(x::Real) = " + "9" * 100_000 + " * x",
    "exponent": "f(x::Real) = 1e999999999 * x",
    "power": "function f(x::Real)\n    for i in 1:1000000000\n        x = 3 * x\n    end\n    x\nend",
    "nul": "f(x::Real) = x\0\n",
    "carriage returns": "f(x::Real) =\r 2 * x\r\n",
    "lone surrogates": "f(x::Real) = \ud800",
}


@pytest.mark.parametrize("name", DEEP)
def test_extreme_texts(name: str) -> None:
    assert_nothing_unread_is_proved(Engine().check(DEEP[name]))
