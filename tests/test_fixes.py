"""Fixes: each is tried before it is offered, and does what it says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from dp_lsp.analysis.limits import Superseded, Ticket
from dp_lsp.analysis.records import Analysis, Repair, State, edits_of
from dp_lsp.engine.check import Engine
from dp_lsp.engine.proposals import edited
from dp_lsp.engine.remarks import PLACEHOLDER
from dp_lsp.engine.trials import Within, repairs
from dp_lsp.mechanisms.noise import float_delta, least_deviation
from dp_lsp.problem import Edit, Fix, Problem, Severity
from dp_lsp.text import Span
from several_files import Texts, sections
from source_tree import ROOT
from spec_runner import blocks

ENGINE, JUDGE = Engine(), Engine()
BROKEN = """\
f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, x + x)
g(x::Real) :: Priv() = f(x)
"""


def offered(
    text: str,
    *more: tuple[str, Fix],
    others: Mapping[str, str] = {},
    ticket: Ticket | None = None,
    accepts: bool = False,
) -> list[Repair]:
    """The fixes of a text that are good, and those of ``more``, each for the first problem with a code."""
    texts = Texts({"a.jl": text, **others})
    roots = tuple(others) or ("a.jl",)
    found = ENGINE.project(roots[0], texts)["a.jl"]
    added = {code: fix for code, fix in more}
    tried = list(repairs(ENGINE, "a.jl", _with(found, added), Within(roots, texts), ticket or Ticket()))
    return [repair for repair in tried if repair.accepts is accepts]


def _with(analysis: Analysis, fixes: Mapping[str, Fix]) -> Analysis:
    """An analysis whose problems with these codes have these fixes only."""

    def changed(problem: Problem) -> Problem:
        return problem._replace(fixes=(fixes[problem.code],)) if problem.code in fixes else problem

    chunks = []
    for placed in analysis.chunks:
        verdict = placed.record.verdict
        problems = tuple(changed(problem.moved(placed.start)).moved(-placed.start) for problem in verdict.problems)
        chunks.append(placed._replace(record=placed.record._replace(verdict=verdict._replace(problems=problems))))
    return Analysis(analysis.source, tuple(chunks), analysis.options)


def replacing(text: str, old: str, new: str) -> Fix:
    start = text.index(old)
    return Fix("made up", (Edit(Span(start, start + len(old)), new),))


def test_a_good_fix_is_kept() -> None:
    (repair,) = offered(BROKEN)
    assert repair.problem.code == "DP301" and repair.fix.title == "replace 1 by 2"
    assert ENGINE.check(edited(BROKEN, repair.fix.edits)).state is State.PROVED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("x + x", "x + x + x", id="the problem stays"),
        pytest.param("x + x", "y", id="another error comes"),
        pytest.param("x + x", "x)\nh(x::Real) = rem(x", id="another error comes in a new function"),
        pytest.param("gaussian_mechanism(1, 0.5, 1e-5, x + x)", "x", id="a caller has an error"),
        pytest.param("f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, x + x)\n", "", id="the function is gone"),
    ],
)
def test_a_bad_fix_is_dropped(old: str, new: str) -> None:
    assert offered(BROKEN, ("DP301", replacing(BROKEN, old, new))) == []


def test_a_fix_that_harms_another_file_is_dropped() -> None:
    text = "f(x::Real) = rem(x)\n"
    fix = replacing(text, "rem(x)", "2 * x")
    for factor, good in ((2, True), (1, False)):
        user = f'include("a.jl")\ng(x::Real) :: Priv() = laplacian_mechanism({factor}, 1, f(x))\n'
        assert bool(offered(text, ("DP113", fix), others={"main.jl": user})) is good


PEOPLE = """\
function f(v::{}, x::Real) :: Priv()
    @assert {} > 2
    laplacian_mechanism(1, 0.5, x)
end
"""


def test_records_of_people_are_not_declared_public() -> None:
    people, number = PEOPLE.format("MetricVector(Real, Symmetric)", "length(v)"), PEOPLE.format("Integer", "v")
    assert [problem.code for problem in ENGINE.check(people).problems] == ["DP305"]
    without = "leave out the check: that a run fails tells whether private data pass it"
    assert [repair.fix.title for repair in offered(people)] == [without]
    assert [repair.fix.title for repair in offered(number)] == [without, "declare it public: `v::Static(Integer)`"]


def test_a_word_of_the_language_is_no_misspelling_of_another() -> None:
    text = "f(v::MetricVector(Bounded(Real, 0, 2), Symmetric)) = sum(map(abs2, v))\n"
    (problem,) = ENGINE.check(text).problems
    assert problem.code == "DP101" and "is only called" in problem.message
    assert not any("`abs`" in repair.fix.title for repair in offered(text))


def test_a_search_for_what_to_write_ends() -> None:
    """What begins in a thousand places and ends nowhere is not gone through from each to the end."""
    open_ended = "  try\n  catch\n", "  i = 0\n  while i < 5\n", "  while i < 5\n", "  if !ismissing(x)\n   1\n"
    for lines in open_ended:
        offered(f"function f(x::Real)\n#=\n{lines * 4000}=#\n  y = undefined_name + x\n  y\nend\n")


def test_what_exposes_people_is_offered_last() -> None:
    """Several numbers, and all that is private, may be those of people. A limit beside them is not."""
    check = '    minimum(v) < 0 && error("negative")\n'
    release = "    laplacian_mechanism(10, eps, sum(clamp.(v, 0, 10)))\nend\n"
    several = offered(f"function f(v::Vector{{Float64}}, eps) :: Priv()\n{check}{release}")
    titles = [each.fix.title for each in several if each.problem.code == "DP305"]
    assert titles[0].startswith("leave out the check")  # what else is wrong has problems and repairs of its own
    assert titles[-1] == "declare it public: `v::Static(Vector{Float64})`"
    limited = f'function f(v::Vector{{Float64}}, n, eps) :: Priv()\n    n > 0 || error("none")\n{release}'
    assert next(iter(offered(limited))).fix.title == "declare it public: `n::Static()`"


def test_noise_on_a_statistic_drops_nothing_that_was_made() -> None:
    """To count records is no statistic of what was made of them."""
    header = "function f(v::MetricVector(Bounded(Real, 0, 9), ChangeOne), eps::Static()) :: Priv()\n"
    for made in ("v ./ sum(v)", "map(x -> x^2, v)", "v .> 3"):
        titles = [each.fix.title for each in offered(f"{header}    laplacian_mechanism(1, eps, {made})\nend\n")]
        assert titles and not any("length" in title for title in titles), titles
    plain = [each.fix.title for each in offered(f"{header}    laplacian_mechanism(1, eps, v)\nend\n")]
    assert any("length(v)" in title for title in plain)


def test_a_root_that_something_is_made_of_is_no_root_of_that() -> None:
    header = "function f(v::MetricVector(Bounded(Real, 1, 9), ChangeOne), eps::Static()) :: Priv()\n"
    quotient = "f(v::Vector{Float64}, eps) :: Priv() = laplacian_mechanism(1, eps, std(v) / mean(v))\n"
    root = header + "    laplacian_mechanism(64, eps, std(v))\nend\n"
    titles = [repair.fix.title for repair in offered(quotient)]
    assert not any("var(v) / mean(v)" in title for title in titles)
    assert any("release the square" in repair.fix.title for repair in offered(root))


def test_records_that_are_all_taken_in_turn_need_no_places() -> None:
    """One that is taken by its place does."""
    header = "function f(v::MetricVector(Real, L1), eps::Static()) :: Priv()\n"
    loop = "    t = 0.0\n    for i in 1:length(v)\n        t = t + clamp(v[i], 0, 1)\n    end\n"
    released = "    laplacian_mechanism(1, eps, {})\nend\n"
    whole = [repair.fix.title for repair in offered(header + loop + released.format("t"))]
    first = [repair.fix.title for repair in offered(header + released.format("clamp(v[1], 0, 1)"))]
    assert whole and not any("Hamming" in title for title in whole)
    assert any("Hamming" in title for title in first)


def test_trying_stops_when_something_else_is_to_be_done() -> None:
    looks = iter([False] * 3)
    with pytest.raises(Superseded):
        offered(BROKEN, ticket=Ticket(lambda: next(looks, True)))
    assert offered(BROKEN, ticket=Ticket(deadline=0.0)) == []


def test_trying_one_fix_infers_one_function_and_counts_no_check() -> None:
    engine = Engine()
    text = BROKEN + "".join(f"h{i}(x::Real) = {i} * x\n" for i in range(20))
    analysis = engine.check(text)
    counted, tried = engine.inferred, engine.tried
    texts = Texts({"": text})
    found = list(repairs(engine, "", analysis, Within(("",), texts), Ticket()))
    assert [repair.accepts for repair in found] == [False, True]
    assert engine.inferred == counted
    assert engine.tried == tried + 2 * 2  # the function and its caller


def case(code: str, broken: str, title: str, fixed: str, state: State = State.PROVED) -> Any:
    return pytest.param(code, dedent(broken), title, dedent(fixed), state, id=f"{code} {title}")


CHANGED = """\
    function f(m::DMModel)
        g = zero_gradient(m)
        {before}
        scale_gradient!(2, {name})
        g
    end
    """

GRADIENT = """\
    function double(g::MetricGradient(Real, L2))
        {}
    end
    """
CHANGING = GRADIENT.format("scale_gradient!(2, g)\n        return")
SHUFFLING = """\
    function f(g::MetricGradient(Real, L2))
        a = deepcopy(g)
        b = deepcopy(g)
        for i in 1:3
            scale_gradient!(2, b)
            b = {a}
        end
        a
    end
    """
INNER = """\
    function f(g::MetricGradient(Real, L2))
        h = deepcopy(g)
        function double(c::Static(){param})
            scale_gradient!(c, h)
            return
        end
        double(2{arg})
        h
    end
    """
LOOP = """\
    function f(x::Real, {n}) :: Priv()
        y = 0.0
        for i in 1:n
            y = y + laplacian_mechanism(1, 0.5, x)
        end
        y
    end
    """
TRANSPOSED = """\
    function f({A}, B::Matrix{{<:Data}}) :: Priv()
        (D, L) = sample(1, transpose(A), B)
        gaussian_mechanism(2, 0.5, 1e-5, undisc_container(clip(L2, D[1, :])))
    end
    """


@pytest.mark.parametrize(
    ("code", "broken", "title", "fixed", "state"),
    [
        case("DP101", "f(v::Vector{<:Real}) = sun(v)\n", "change `sun` to `sum`", "f(v::Vector{<:Real}) = sum(v)\n"),
        case(
            "DP101",
            "twice(x::Real) = 2 * x\nf(x::Real) = twise(x)\n",
            "change `twise` to `twice`",
            "twice(x::Real) = 2 * x\nf(x::Real) = twice(x)\n",
        ),
        case(
            "DP101",
            "function f(x::Real)\n    total = 2 * x\n    totl\nend\n",
            "change `totl` to `total`",
            "function f(x::Real)\n    total = 2 * x\n    total\nend\n",
        ),
        case("DP201", "f(x::real) = x\n", "change `real` to `Real`", "f(x::Real) = x\n"),
        case(
            "DP201",
            "f(v::MetricVectr(Real, L2)) = v\n",
            "change `MetricVectr` to `MetricVector`",
            "f(v::MetricVector(Real, L2)) = v\n",
        ),
        case("DP201", "f(x::Real, n::Static) = n * x\n", "write `Static()`", "f(x::Real, n::Static()) = n * x\n"),
        case(
            "DP201",
            "f(x::Real) :: Priv = laplacian_mechanism(1, 1, x)\n",
            "write `Priv()`",
            "f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)\n",
        ),
        case(
            "DP105",
            CHANGED.format(before="h = g", name="h"),
            "change a copy: `h = deepcopy(h)`",
            CHANGED.format(before="h = g\n        h = deepcopy(h)", name="h"),
        ),
        case(
            "DP134",
            "b(n::Static()) :: BlackBox() = n\n",
            "leave the annotation out",
            "b(n) :: BlackBox() = n\n",
            State.ASSUMED,
        ),
        case("DP201", "b(x) :: BlackBox(Real) = x\n", "write `BlackBox()`", "b(x) :: BlackBox() = x\n", State.ASSUMED),
        case(
            "DP218",
            "f(v::MetricVector(Real, L2)) :: MetricVector(Real, L1) = 2 * v\n",
            "measure it in L1 (the sensitivity counts √(length(v)) times)",
            "f(v::MetricVector(Real, L2)) :: MetricVector(Real, L1) = norm_convert(L1, 2 * v)\n",
        ),
        case(
            "DP219",
            "f(x::Real) :: Bounded(Real, 0, 0.1) = x\n",
            "keep it from 0 to 1/10",
            "f(x::Real) :: Bounded(Real, 0, 0.1) = clamp(x, 0, 1/10)\n",
        ),
        case(
            "DP219",
            "f(x::Real, n::Static()) :: Tuple{Real, Bounded(Real, 0, n)} = (x, 2 * x)\n",
            "keep it from 0 to n",
            "f(x::Real, n::Static()) :: Tuple{Real, Bounded(Real, 0, n)} = (x, clamp(2 * x, 0, n))\n",
        ),
        case(
            "DP220",
            "f(m::MetricMatrix(Real, Symmetric)) :: MetricMatrix(Real, Symmetric, RowNorm(L2, 1)) = m\n",
            "scale its rows down to 1",
            "f(m::MetricMatrix(Real, Symmetric)) :: MetricMatrix(Real, Symmetric, RowNorm(L2, 1)) = clip(L2, 1, m)\n",
        ),
        case(
            "DP221",
            "f(v::MetricVector(Real, Symmetric)) :: MetricVector(Real, Symmetric, AtLeast(3)) = v\n",
            "declare `AtLeast(3)`",
            "f(v::MetricVector(Real, Symmetric, AtLeast(3))) :: MetricVector(Real, Symmetric, AtLeast(3)) = v\n",
        ),
        case(
            "DP205",
            "f(v::MetricVector(Data, LInf)) = undisc_container(v)\n",
            "clip it in L2",
            "f(v::MetricVector(Data, LInf)) = undisc_container(clip(L2, v))\n",
        ),
        case(
            "DP205",
            """\
            b(m::DMModel, x::Vector{<:Data}) :: BlackBox() = m
            function f(m::Static(DMModel), x::Vector{<:Data}, n::Static(Integer))
                g = unbox(b(m, x), DMGrads, n)
                undisc_container!(g)
                g
            end
            """,
            "clip it in L2",
            """\
            b(m::DMModel, x::Vector{<:Data}) :: BlackBox() = m
            function f(m::Static(DMModel), x::Vector{<:Data}, n::Static(Integer))
                g = unbox(b(m, x), DMGrads, n)
                clip!(L2, g)
                undisc_container!(g)
                g
            end
            """,
            State.ASSUMED,
        ),
        case(
            "DP206",
            "f(v::MetricVector(Data, LInf)) :: Priv() = gaussian_mechanism(2, 0.5, 0.1, v)\n",
            "clip it in L2 and read it as real numbers (2-sensitive)",
            "f(v::MetricVector(Data, LInf)) :: Priv() = "
            "gaussian_mechanism(2, 0.5, 0.1, undisc_container(clip(L2, v)))\n",
        ),
        case(
            "DP206",
            "f(v::MetricVector(Data, LInf)) :: Priv() = gaussian_mechanism(2, 0.5, 0.1, clip(L2, v))\n",
            "read it as real numbers",
            "f(v::MetricVector(Data, LInf)) :: Priv() = "
            "gaussian_mechanism(2, 0.5, 0.1, undisc_container(clip(L2, v)))\n",
        ),
        case(
            "DP207",
            "f(eps, x::Real) :: Priv() = laplacian_mechanism(1, eps, x)\n",
            "declare it public: `eps::Static()`",
            "f(eps::Static(), x::Real) :: Priv() = laplacian_mechanism(1, eps, x)\n",
        ),
        case(
            "DP207",
            "f(a::Real, b::Real, x::Real) :: Priv() = laplacian_mechanism(1, a + b, x)\n",
            "declare them public: `a::Static(Real)`, `b::Static(Real)`",
            "f(a::Static(Real), b::Static(Real), x::Real) :: Priv() = laplacian_mechanism(1, a + b, x)\n",
        ),
        case(
            "DP208",
            "f(v::MetricVector(Real, L1), w::MetricVector(Real, L2)) = v + w\n",
            "measure it in L1",
            "f(v::MetricVector(Real, L1), w::MetricVector(Real, L2)) = v + norm_convert(L1, w)\n",
        ),
        case(
            "DP202",
            "g(v::MetricVector(Real, L1)) = v\nf(v::MetricVector(Real, L2)) = g(v)\n",
            "measure it in L1",
            "g(v::MetricVector(Real, L1)) = v\nf(v::MetricVector(Real, L2)) = g(norm_convert(L1, v))\n",
        ),
        case(
            "DP301",
            "f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x + x / 2)\n",
            "replace 1 by 3/2",
            "f(x::Real) :: Priv() = laplacian_mechanism(3/2, 1, x + x / 2)\n",
        ),
        case(
            "DP402",
            "f(x::Real) = laplacian_mechanism(1, 0.5, x)\n",
            "declare it with `:: Priv()`",
            "f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)\n",
        ),
        case(
            "DP405",
            LOOP.format(n="n::Integer"),
            "declare it public: `n::Static(Integer)`",
            LOOP.format(n="n::Static(Integer)"),
        ),
        case(
            "DP406",
            TRANSPOSED.format(A="A::Matrix{<:Data}"),
            "declare it public: `A::Static(Matrix{<:Data})`",
            TRANSPOSED.format(A="A::Static(Matrix{<:Data})"),
        ),
        case(
            "DP803",
            "# dp: ignore[DP113] only ever called with 0\nf(x::Real) = 2 * x\n",
            "remove the comment",
            "f(x::Real) = 2 * x\n",
        ),
        case(
            "DP804",
            "f(x::Real) = disc(x)  # dp: ignroe[DP303] callers count\n",
            "change `ignroe` to `ignore`",
            "f(x::Real) = disc(x)  # dp: ignore[DP303] callers count\n",
        ),
        case(
            "DP802",
            "f(x::Real) = disc(x)  # dp: ignore[DP33] callers count\n",
            "change `DP33` to `DP303`",
            "f(x::Real) = disc(x)  # dp: ignore[DP303] callers count\n",
        ),
        case("DP802", "f(x::Real) = x  # dp: ignore[DP] y\n", "remove the comment", "f(x::Real) = x\n"),
        case("DP121", GRADIENT.format("scale_gradient!(2, g)"), "add `return`", CHANGING),
        case("DP121", GRADIENT.format("scale_gradient!(2, g)\n        g"), "write `return`", CHANGING),
        case("DP128", SHUFFLING.format(a="a"), "give `b` a copy", SHUFFLING.format(a="deepcopy(a)")),
        case(
            "DP129",
            INNER.format(param="", arg=""),
            "make `h` a parameter of `double`",
            INNER.format(param=", h", arg=", h"),
        ),
        case("DP006", "f(x::Real) = x \N{FULLWIDTH PLUS SIGN} x\n", "write `+`", "f(x::Real) = x + x\n"),
        case("DP006", "f(x::Real) = x + \u200bx\n", "take it out", "f(x::Real) = x + x\n"),
        case(
            "DP003",
            "function f(x::Real)\n    2 * x\n\ng(x::Real) = x\n",
            "add `end`",
            "function f(x::Real)\n    2 * x\nend\n\ng(x::Real) = x\n",
        ),
        case(
            "DP112",
            "using MyNoise\nf(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)\n",
            "write `import`, which brings no other names",
            "import MyNoise\nf(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)\n",
        ),
        case(
            "DP209",
            "f(x::Real) :: Integer = x\n",
            "declare what it returns: `Real`",
            "f(x::Real) :: Real = x\n",
        ),
        case(
            "DP136",
            "b(x) :: BlackBox() = x\nf(x::Integer) = b(x) + 1\n",
            "read it as a Real number",
            "b(x) :: BlackBox() = x\nf(x::Integer) = unbox(b(x), Real) + 1\n",
            State.ASSUMED,
        ),
        case(
            "DP302",
            "f(x::Real, y::Real) :: Priv() = laplacian_mechanism(1, 1, x * y)\n",
            "declare it public: `y::Static(Real)`, which protects `y` no more",
            "f(x::Real, y::Static(Real)) :: Priv() = laplacian_mechanism(1, 1, x * y)\n",
        ),
        case(
            "DP303",
            "f(x::Real, y::Vector{<:Real}) = x * y\n",
            "declare it public: `x::Static(Real)`, which protects `x` no more",
            "f(x::Static(Real), y::Vector{<:Real}) = x * y\n",
        ),
        case(
            "DP206",
            "f(v::Vector{<:Data}) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, v)\n",
            "clip it in L2 and read it as real numbers (2-sensitive), and replace 1 by 2",
            "f(v::Vector{<:Data}) :: Priv() = gaussian_mechanism(2, 0.5, 1e-5, undisc_container(clip(L2, v)))\n",
        ),
        *(
            case(
                "DP002",
                f"f(v::MetricVector({element}, Symmetric), c::Static()) = {written}\n",
                f"write `{said}`",
                f"f(v::MetricVector({element}, Symmetric), c::Static()) = {written.replace(old, said)}\n",
            )
            for element, written, old, said in (
                (
                    "Bounded(Real, 0, 1)",
                    "length(2y for y in v if y > 3)",
                    "2y for y in v if y > 3",
                    "map(y -> 2y, filter(y -> y > 3, v))",
                ),
                ("Bounded(Real, 0, 1)", "length(2y for y in v)", "2y for y in v", "map(y -> 2y, v)"),
            )
        ),
        case(
            "DP002",
            """\
            function f(v::MetricVector(Real, Symmetric))
                a = length(clamp(x, 0, 1) for x in v)
                b = length(clamp(x, 0, 2) for x in v)
                a + b
            end
            """,
            "write `map(x -> clamp(x, 0, 1), v)`",
            """\
            function f(v::MetricVector(Real, Symmetric))
                a = length(map(x -> clamp(x, 0, 1), v))
                b = length(map(x -> clamp(x, 0, 2), v))
                a + b
            end
            """,
        ),
        case(
            "DP304",
            "f(x::Real) :: Priv() = gaussian_mechanism(1, 3.0, 1e-5, x)\n",
            "write `gaussian_noise(1, 1.391, …)`, whose noise is enough for ε 3.0 at δ 1e-5",
            "f(x::Real) :: Priv() = gaussian_noise(1, 1.391, x)\n",
        ),
        case(
            "DP304",
            "f(v::MetricVector(Real, L2), c::Static()) :: Priv() = gaussian_mechanism(2 * c, 10, 1e-9, 2 * c * v)\n",
            "write `gaussian_noise(2 * c, 0.6503, …)`, whose noise is enough for ε 10 at δ 1e-9",
            "f(v::MetricVector(Real, L2), c::Static()) :: Priv() = gaussian_noise(2 * c, 0.6503, 2 * c * v)\n",
        ),
    ],
)
def test_what_each_fix_does(code: str, broken: str, title: str, fixed: str, state: State) -> None:
    found = {repair.fix.title: repair for repair in offered(broken) if repair.problem.code == code}
    assert title in found, list(found)
    assert edited(broken, found[title].fix.edits) == fixed
    assert ENGINE.check(fixed).state is state


@pytest.mark.parametrize(("epsilon", "delta"), [("3", "1e-5"), ("1/100", "1e-12"), ("100", "1e-5"), ("8", "1/3")])
def test_the_least_deviation_is_enough_and_no_less_is(epsilon: str, delta: str) -> None:
    """By the exact δ of Gaussian noise, computed with floats."""
    found = float(least_deviation(Fraction(epsilon), Fraction(delta)) or 0)
    at, most = float(Fraction(epsilon)), float(Fraction(delta))
    assert float_delta(1 / found, at) <= most < float_delta(1.002 / found, at)


def test_a_deviation_is_written_where_the_numbers_are() -> None:
    program = "f(x::Real, del::Static()) :: Priv() = gaussian_mechanism(1, 3, del, x)\n"
    found = [repair.fix.title for repair in offered(program) if repair.problem.code == "DP304"]
    assert not [title for title in found if "gaussian_noise" in title]
    assert least_deviation(Fraction(0), Fraction(1, 2)) is least_deviation(Fraction(1), Fraction(0)) is None


PAGES = sorted((ROOT / "fixtures" / "spec").glob("*.md"))
ENOUGH = 6
"""How many programs with problems of one kind are tried."""
TOLD = re.compile(r"# error: \[(DP\d{3})\]")


@cache
def broken() -> dict[Path, list[str]]:
    """Programs of each page that have errors, as the specification says, as long as there were not enough of a kind."""
    counts: Counter[str] = Counter()
    found: dict[Path, list[str]] = {page: [] for page in PAGES}
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8")):
            kinds = set(TOLD.findall(block.text))
            if not sections(block.text) and any(counts[kind] < ENOUGH for kind in kinds):
                counts.update(kinds)
                found[page].append(block.text)
    return found


@cache
def alone(text: str) -> Analysis:
    """What an engine that tries no fixes says of a file that is the only one."""
    return JUDGE.project("a.jl", Texts({"a.jl": text}))["a.jl"]


@cache
def repaired(text: str) -> tuple[Repair, ...]:
    """All fixes of a file that is the only one: several tests look at those of each program of the specification."""
    texts = Texts({"a.jl": text})
    return tuple(repairs(ENGINE, "a.jl", ENGINE.project("a.jl", texts)["a.jl"], Within(("a.jl",), texts), Ticket()))


def tried(text: str, accepts: bool = False) -> list[Repair]:
    return [repair for repair in repaired(text) if repair.accepts is accepts]


def errors(text: str) -> Counter[str]:
    return Counter(each.code for each in alone(text).problems if each.severity is Severity.ERROR)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_fix_of_any_program_brings_an_error(page: Path) -> None:
    for text in broken()[page]:
        before = errors(text)
        for repair in tried(text):
            after = errors(edited(text, repair.fix.edits))
            if repair.fix.declares:  # what it shows to be wrong was wrong before
                assert after[repair.problem.code] <= before[repair.problem.code], repair
                continue
            assert after <= before and (after < before or repair.problem.severity is not Severity.ERROR), repair


def states(text: str) -> dict[str, State]:
    return {each.name: each.state for each in alone(text).functions}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_nothing_is_proved_by_being_accepted(page: Path) -> None:
    for text in broken()[page]:
        if PLACEHOLDER not in text:
            before, known = errors(text), states(text)
            for repair in tried(text, accepts=True):
                unsaid = edited(text, repair.fix.edits)
                assert errors(unsaid) - before == Counter({"DP801": 1}), "a reason must be written"
                said = unsaid.replace(PLACEHOLDER, "it was measured")
                assert errors(said) <= before
                now = states(said)
                assert {name for name in known if now[name] is State.PROVED} == {
                    name for name, state in known.items() if state is State.PROVED
                }, said


@pytest.mark.parametrize("path", sorted((ROOT / "fixtures" / "programs").glob("*.jl")), ids=lambda path: path.stem)
def test_no_fix_of_any_fixture_brings_an_error(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    before = errors(text)
    for repair in offered(text):
        assert repair.fix.declares or errors(edited(text, repair.fix.edits)) <= before, repair


# Several at once


def together(text: str, *more: tuple[str, Fix]) -> list[Repair]:
    return [repair for repair in offered(text, *more) if repair.together]


def test_what_is_sure_goes_together() -> None:
    text = (
        "f(x::Real) :: Priv() = begin\n"
        "    a = laplacian_mechanism(1, 1, 2 * x)\n"
        "    b = laplacian_mechanism(1, 1, 3 * x)\n"
        "    a + b\n"
        "end\n"
        "g(x::Real) :: Priv() = f(x)\n"
        "h(eps::Real, x::Real) :: Priv() = laplacian_mechanism(1, eps, x)\n"
    )
    found = together(text)
    assert [repair.fix.title for repair in found] == [
        "replace 1 by 2",
        "replace 1 by 3",
    ], "what may be wanted otherwise is not among them"
    assert alone(edited(text, edits_of(found))).functions[0].state is State.PROVED


def test_what_mends_alone_and_not_with_another_is_left_out() -> None:
    text = """\
a(x::Real) :: Priv() = laplacian_mechanism(1, 1, x + x)
b(x::Real) = laplacian_mechanism(1, 1, x)
d(x::Real) = x
"""
    first = replacing(text, "x + x", "d(x)")
    both = ":: Priv() = laplacian_mechanism(1, 1, x)\nd(x::Real) = 2 * x"
    second = replacing(text, "= laplacian_mechanism(1, 1, x)\nd(x::Real) = x", both)
    singles = [offered(text, ("DP301", first)), offered(text, ("DP402", second))]
    assert all(len(found) == 2 for found in singles), "each is good by itself"
    found = together(text, ("DP301", first), ("DP402", second))
    assert [repair.problem.code for repair in found] == ["DP301"]


def test_what_edits_the_same_text_is_done_once() -> None:
    text = "f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x + x)\ng(x::Real) = rem(x)\n"
    one, other = replacing(text, "x + x)\ng", "x)\ng"), replacing(text, "\ng(x::Real) = rem(x)", "\ng(x::Real) = x")
    assert [repair.problem.code for repair in together(text, ("DP301", one), ("DP113", other))] == ["DP301"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_goes_together_brings_no_error(page: Path) -> None:
    for text in broken()[page]:
        found = [repair for repair in tried(text) if repair.together]
        after = errors(edited(text, edits_of(found)))
        mended = Counter(each.problem.code for each in found if each.problem.severity is Severity.ERROR)
        assert after <= errors(text) - mended


# What only the author can choose


UNBOUNDED = """\
function total(pay::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, sum(pay))
end
"""


def first(text: str) -> Fix:
    return offered(text)[0].fix


def chosen(fix: Fix) -> list[tuple[str, str]]:
    """The names and the defaults of what a fix leaves to choose; they stand in its text."""
    for edit in fix.edits:
        for each in edit.placeholders:
            assert edit.text[each.at :].startswith(each.default)
    return [(each.name, each.default) for edit in fix.edits for each in edit.placeholders]


def test_bounds_are_asked_for_and_the_noise_is_made_for_them() -> None:
    fix = first(UNBOUNDED)
    assert chosen(fix) == [("upper bound", "100"), ("lower bound", "0"), ("upper bound", "100")]
    assert "laplacian_mechanism(100, eps, sum(clamp(pay, 0, 100)))" in edited(UNBOUNDED, fix.edits)


def test_a_bound_that_the_noise_is_made_for_is_the_default() -> None:
    fix = first(UNBOUNDED.replace("(1, eps", "(5000, eps"))
    assert chosen(fix) == [("lower bound", "0"), ("upper bound", "5000")]


@pytest.mark.parametrize(
    ("constants", "bounds"),
    [
        ("const MAX_PAY = 9000\n", "0, MAX_PAY"),
        ("const PAY_LOW = 100  # a month\nconst PAY_HIGH = 9000\n", "PAY_LOW, PAY_HIGH"),
        ("const MAX_PAY = 9000\nconst MAX_AGE = 120\n", "0, 100"),
        ("const MAX_PAY = asked_for(1)\n", "0, 100"),
    ],
)
def test_a_number_that_has_a_name_in_the_file_is_preferred(constants: str, bounds: str) -> None:
    text = constants + UNBOUNDED
    assert f"clamp(pay, {bounds})" in edited(text, first(text).edits)


@pytest.mark.parametrize(
    ("broken", "fixed"),
    [
        (
            "f(v::MetricVector(Bounded(Real, 0, 9), Symmetric)) :: Priv() = laplacian_mechanism(0.2, 20, sum(v))\n",
            "laplacian_mechanism(20, 0.2, sum(v))",
        ),
        (
            "f(v::MetricVector{Bounded{Real, 0, 9}, Symmetric}) :: Priv() = laplacian_mechanism(9, 1, sum(v))\n",
            "f(v::MetricVector(Bounded(Real, 0, 9), Symmetric))",
        ),
        (
            "f(m::MetricMatrix(Real, Symmetric)) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, sum(clip(L2, 1, m)))\n",
            "sum(clip(L2, 1, m); dims=1)",
        ),
        (
            "# dp: budget ε <= 1\n"
            "f(v::MetricVector(Real, Symmetric), w::MetricVector(Real, Symmetric)) :: Priv() =\n"
            "    laplacian_mechanism(1, 3, length(v)) + laplacian_mechanism(1, 3, count(x -> x > 1, v))\n",
            "laplacian_mechanism(1, 0.5, length(v)) + laplacian_mechanism(1, 0.5, count",
        ),
        (
            "f(v::MetricVector(Bounded(Real, 0, 9), Symmetric), eps::Static()) :: Priv() =\n"
            "    2 * laplacian_mechanism(9, eps, mean(v))\n",
            "2 * (laplacian_mechanism(9, eps / 2, sum(v)) / max(laplacian_mechanism(1, eps / 2, length(v)), 1))",
        ),
    ],
    ids=["swapped", "curly", "rows", "budget", "average"],
)
def test_what_people_write_first(broken: str, fixed: str) -> None:
    texts = [edited(broken, repair.fix.edits) for repair in offered(broken)]
    assert any(fixed in text and ENGINE.check(text).state is State.PROVED for text in texts), texts


@pytest.mark.parametrize(
    "text",
    [
        "f(v::MetricVector(Bounded(Real, 0, 9), Symmetric)) :: Priv() = sum(v)\n",
        "f(v::MetricVector(Bounded(Real, 0, 9), Symmetric)) :: Priv() = laplacian_mechanism(1, 1, v)\n",
        "f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv() = laplacian_mechanism(1, eps, median(v))\n",
        "f(v::MetricVector(Real, Symmetric)) :: Priv() = laplacian_mechanism(1, 1, sum(v)) + sum(v)\n",
    ],
)
def test_no_repair_gives_up_the_promise_the_noise_or_the_data(text: str) -> None:
    found = offered(text)
    for repair in found:
        after = edited(text, repair.fix.edits)
        assert ":: Priv()" in after and re.search(r"_mechanism\(|private_quantile\(", after)
        assert re.search(r"(sum|length|median|private_quantile)\(.*v", after.partition("=")[2])
    assert found


BY_POSITION = """\
function weighted(v::MetricVector(Real, ChangeOne))
    s = 0
    for i in eachindex(v)
        s += clamp(v[i], -1, 1) * i
    end
    s
end
"""


def test_a_name_that_a_fix_leaves_without_its_loop_is_no_slip_of_the_pen() -> None:
    assert not [each.fix.title for each in repaired(BY_POSITION) if "`pi`" in each.fix.title]


def test_a_large_epsilon_is_a_hint() -> None:
    text = "f(x::Real) :: Priv() = laplacian_mechanism(1, {}, x)\n"
    found = [(each.code, each.severity) for each in ENGINE.check(text.format("10.5")).problems]
    assert found == [("DP454", Severity.HINT)] and not ENGINE.check(text.format("10")).problems
