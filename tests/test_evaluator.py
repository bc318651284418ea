"""The evaluator that shares nothing with the checker: what it makes of programs, that it sees false claims, and that
no claim about a slice of its random programs is refuted."""

from __future__ import annotations

import ast
import sys
from fractions import Fraction
from textwrap import dedent

import pytest

from attack.agreeing import disagreements
from attack.evaluated import CHANGED, SEARCHED, attack, checked, evaluated, judged, smallest
from dp_lsp.analysis.records import Options
from dp_lsp.engine.check import Defined, Engine
from evaluator.claims import Claim, Parameter
from evaluator.claims import evaluated as claims_evaluated
from evaluator.failures import Failure
from evaluator.program import Program
from evaluator.shown import shown
from evaluator.spaces import Space
from source_tree import ROOT

FIRST, SLICE = 0, 60


def ran(text: str, call: str) -> str:
    """What a call gives, as `print` writes it, or how it fails."""
    program = Program(f"{text}\ncalled() = {call}\n")
    try:
        return shown(program.call("called"))
    except Failure as failure:
        return failure.kind


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("1 + 2.5", "3.5"),
        ("true + true", "2"),
        ("true * true", "true"),
        ("3 ^ 0", "1"),
        ("true ^ 0", "true"),
        ("2 ^ -1", "0.5"),
        ("-2 ^ 2", "-4"),
        ("1 / 2 * 3", "1.5"),
        ("7 % -3", "1"),
        ("mod(7, -3)", "-2"),
        ("ceil(2.5)", "3.0"),
        ("ceil(Int, 2.5)", "3"),
        ("round(2; digits=1)", "2.0"),
        ("max(3, 2.5)", "3.0"),
        ("clamp(7, 0, 2.5)", "2.5"),
        ("[1, 2.5, true]", "Vector{Float64}[1.0, 2.5, 1.0]"),
        ("map(x -> x > 1 ? x : x / 2, [1, 2])", "Vector{Real}[0.5, 2]"),
        ("sum([true, true])", "2"),
        ("[1, 2] .* 2 .+ 0.5", "Vector{Float64}[2.5, 4.5]"),
        ("typeof([1, 2] .> 1)", "BitArray{1}"),
        ("typeof(Float64[] .> 1)", "BitArray{1}"),
        ("([1, 2] .> 1) isa Vector", "false"),
        ("2 .* 3", "6"),
        ("let x = true; x^2 end", "true"),
        ("let x = 3; -x^2 + 2x^2 end", "9"),
        (".-[1, 2] .^ 2", "Vector{Int64}[-1, -4]"),
        ("(x -> x > 1 ? x : x / 2).([1, 2])", "Vector{Real}[0.5, 2]"),
        ("[1, 2] .+ [10 20]", "Matrix{Int64}[11, 12, 21, 22]"),
        ("[1, 2] .+ [1, 2, 3]", "DimensionMismatch"),
        ("1 .< [1, 2, 3] .<= 2", "BitArray{1}[false, true, false]"),
        ("[3, 1, 2][[3, 1, 2] .> 1]", "Vector{Int64}[3, 2]"),
        ("[3, 1][[true]]", "BoundsError"),
        ("let m = [1 2; 3 4]; m[m[:, 1] .> 1, :] end", "Matrix{Int64}[3, 4]"),
        ("let v = [1, 2]; w = v; v .= 0; w end", "Vector{Int64}[0, 0]"),
        ("let v = [1, 2]; v .+= 0.5; v end", "InexactError"),
        ("count([1, 2] .> 1)", "1"),
        ("abs.([1, -2])", "Vector{Int64}[1, 2]"),
        ("typeof([1 2; 3 4]')", "Adjoint{Int64, Matrix{Int64}}"),
        ("typeof(1:2:5)", "StepRange{Int64}"),
        ("[1, 2][1.0]", "ArgumentError"),
        ("[1, 2][3]", "BoundsError"),
        ("sqrt(-1)", "DomainError"),
        ("1 % 0", "DivideError"),
        ("1 ? 2 : 3", "TypeError"),
        ("missing_name", "UndefVarError"),
        ("1 < 2 < 3", "true"),
        ("2(1 + 2)", "6"),
        ("2.5e−1", "0.25"),
        ('"a $(1 + 1) $("b" * "c")"', "a 2 bc"),
        ("let x = 1; x = x + 1; x end", "2"),
        ("(0 / 0, 1 - 0 / 0, max(1, 0 / 0), min(0 / 0, 2), sqrt(0 / 0))", "(NaN, NaN, NaN, NaN, NaN)"),
        ("(0 / 0 == 0 / 0, 0 / 0 != 1, 0 / 0 < 1, 1 >= 0 / 0)", "(false, true, false, false)"),
        ("(clamp(3, 0, 0 / 0), clamp(0 / 0, 0, 1), sum([0 / 0, 1]))", "(3.0, NaN, NaN)"),
    ],
)
def test_what_expressions_give(call: str, expected: str) -> None:
    assert ran("", call) == expected


@pytest.mark.parametrize(
    ("text", "call", "expected"),
    [
        ("k(p::Float64) = 1\nk(p::Integer) = 2\nk(p) = 3", "(k(1.0), k(true), k(1), k([1]))", "(1, 2, 2, 3)"),
        ("k(p::Integer, q::Real) = 1\nk(p::Real, q::Integer) = 2", "k(1, 2)", "MethodError"),
        ("k(p::Vector{<:Real}) = 1\nk(p) = 2", "(k([1]), k(1:2), k([1]'))", "(1, 2, 2)"),
        ("k(p::T, q::T) where {T <: Real} = 1\nk(p, q) = 2", "(k(1, 2), k(1, 2.0))", "(1, 2)"),
        ("t(x) :: Float64 = x\nk(x::Int) = 1\nk(x) = 2", "(k(t(3)), t(3))", "(2, 3.0)"),
        ("t(x) :: Int = x", "t(2.5)", "InexactError"),
        ("c = 1\nd = c = 100", "c", "100"),
        ("c = 1\nfor i in 1:2 c = 100 end", "c", "1"),
        ("c = 1\nlet; global c = 100; end", "c", "100"),
        ('c = 1\n"$(c = 100)"', "c", "100"),
        ("g(x::Real) = x\nd = (g(x::Real) = 100x)", "g(1)", "100"),
        ("d = abs = x -> 100 * x", "abs(-1)", "-100"),
        ("function f(x)\n    z = 0\n    g() = z = x\n    g()\n    z\nend", "f(5)", "5"),
        ("function f(x)\n    for i in 1:3\n        y = x\n    end\n    y\nend", "f(5)", "UndefVarError"),
        ("function f(x)\n    x > 1 && return 7\n    8\nend", "(f(1), f(2))", "(8, 7)"),
        ("function f(x)\n    nothing = x\n    return nothing\nend", "f(5)", "5"),
        ("function f(x)\n    ħ = 0\n    ℏ = x\n    ħ\nend", "f(5)", "5"),
        ("function f(v)\n    w = v\n    w[1] = 9\n    v[1]\nend", "f([1, 2])", "9"),
        ("using Statistics: mean as length", "length([1, 2])", "1.5"),
        ("import Statistics: middle\nmiddle(x) = 0", "(middle(4), middle(nothing))", "(4.0, 0)"),
        ('const U = "a\ng(x) = 1\n"\ng(x) = 2', "g(1)", "2"),
        ("f(x, y=2, z=x + y) = (x, y, z)", "(f(1), f(1, 3), f(1, 3, 0))", "((1, 2, 3), (1, 3, 4), (1, 3, 0))"),
        ("f(x; k=2, l=x + k) = (x, k, l)", "(f(1), f(1, l=0), f(1; k=3))", "((1, 2, 3), (1, 2, 0), (1, 3, 4))"),
        ("f(x; k::Int) = k\nk = 7", "(f(1; k), f(1; k=2))", "(7, 2)"),
        ("f(x; k::Int) = k", "f(1; k=2.5)", "TypeError"),
        ("f(x; k) = k", "f(1)", "UndefKeywordError"),
        ("f(x; k=1) = k", "f(1; l=1)", "MethodError"),
        ("f(x; k=1) = k", "f(1, 2)", "MethodError"),
        ("k(p::T) where T <: Integer = 1\nk(p::T) where T = 2", "(k(1), k(1.0))", "(1, 2)"),
        (
            "k(p::Vector{T}, q) where {T <: Real} = 1\nk(p::Vector{T}, q) where {T <: Integer} = 2",
            "(k([1], 1), k([1.5], 1))",
            "(2, 1)",
        ),
        ("f(x, y=1) = 1\nf(x, y::Int) = 100", "f(1)", "100"),
        ('f(x) = @assert x > 1 "x is $x"', "f(1)", "AssertionError"),
    ],
)
def test_what_programs_give(text: str, call: str, expected: str) -> None:
    assert ran(text, call) == expected


def test_it_imports_nothing_of_the_checker() -> None:
    for path in sorted((ROOT / "tests" / "evaluator").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                assert all(alias.name.partition(".")[0] in sys.stdlib_module_names for alias in node.names), path
            if isinstance(node, ast.ImportFrom) and not node.level:
                assert str(node.module).partition(".")[0] in sys.stdlib_module_names, path


def claim(bound: str | None, epsilon: str | None = None, annotation: str = "Real", kind: str = "Real") -> Claim:
    delta = None if epsilon is None else "0"
    parameter = Parameter("x", annotation, Space("number", kind), False, bound, epsilon, delta)
    return Claim("f", epsilon is not None, (parameter,), Space("number", "Real"), (), {}, {})


@pytest.mark.parametrize(
    ("text", "said", "holds"),
    [
        ("f(x::Real) = 2 * x", claim("2"), True),
        ("f(x::Real) = 2 * x", claim("1"), False),
        ("f(x::Real) = x > 2 ? [1][2] : 0", claim("0"), False),
        ("function f(x::Real)\n    print(x)\n    0\nend", claim("0"), False),
        ("k(p::Float64) = p\nk(p) = 100 * p\nf(x::Real) = k(x)", claim("1"), False),
        ("f(x::Real) = (x - 1) / (x - 1) - 1", claim("0"), False),
        ("f(x::Real) = laplacian_mechanism(1, 1, x)", claim(None, "1"), True),
        ("f(x::Real) = laplacian_mechanism(1, 1, 2 * x)", claim(None, "1"), False),
        ("f(x::Real) = laplacian_mechanism(1, 1, x) + x", claim(None, "1"), False),
        ("f(x::Real) = gaussian_mechanism(1, 1/2, 1e-5, x)", claim(None, "1/10"), False),
        ("k(p::Bool) = 1\nk(p) = 2\nf(x) = k(x)", claim("0", None, "Any"), False),
        ("f(x::Real) = floor(x)", claim("oo"), True),
        ("f(x::Real) = laplacian_mechanism(1, 1, x)", claim("oo"), False),
    ],
)
def test_it_sees_false_claims(text: str, said: Claim, holds: bool) -> None:
    assert any(judged(seed, text, [said]).refuted for seed in range(5)) is not holds


TIGHT = {
    "a budget by weights": """
        function f(x::Real, eps::Static()) :: Priv()
            w = [1, 2, 3]
            r = 0.0
            for i in 1:3
                r = r + laplacian_mechanism(1, eps * w[i] / sum(w), x)
            end
            r
        end
    """,
    "a sum": "f(x::Real) = x * sum([-1, 2, -4])",
    "a sum of a range": "f(x::Real) = x * sum(1:3)",
    "the largest": "f(x::Real) = x * maximum([0.5, 1.5])",
    "the smallest": "f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(minimum([2, 3]), eps, x)",
    "a builtin for a function": "call(g, x) = g(x)\nf(x::Real) = 3 * call(abs, x)",
    "an operator for a function": "twice(g, x) = g(x, x)\nf(x::Real) = twice(+, x)",
    "a builtin with a name": "size_of = abs\nf(x::Real) = size_of(2x)",
    "a builtin for each record": "f(v::MetricVector(Bounded(Real, -3, 1), Symmetric)) = sum(map(round, v))",
    "a builtin for each entry": "f(v::MetricVector(Real, L1)) = sum(abs, v)",
    "a release for each entry": """
        function f(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
            release(i::Static(Real)) :: Priv() = laplacian_mechanism(1, eps, count(x -> x < i, v))
            map(release, [1, 5])
        end
    """,
}
"""Functions whose claims are as small as they may be: half of each is too small."""


@pytest.mark.parametrize("what", TIGHT)
def test_claims_hold_and_half_of_them_do_not(what: str) -> None:
    text = dedent(TIGHT[what])
    (said,) = [each for each in checked([text])[0] if each.name == "f"]
    found = [judged(seed, text, [said], searched=SEARCHED) for seed in range(3)]
    assert said.finite and all(each.runs and not each.refuted and not each.crashed for each in found)
    assert all(judged(seed, text, [halved(said)], searched=SEARCHED).refuted for seed in range(3))


def halved(said: Claim) -> Claim:
    """Half of what is claimed."""
    less = [
        each._replace(**{way: f"({bound})/2" for way in ("bound", "epsilon") if (bound := getattr(each, way))})
        for each in said.parameters
    ]
    return said._replace(parameters=tuple(less))


@pytest.mark.parametrize("family", ["", CHANGED])
def test_no_claim_about_a_slice_is_refuted(family: str) -> None:
    found = evaluated(FIRST, SLICE, family=family)
    assert [each for each in found if each.refuted or each.crashed] == []
    assert sum(each.finite for each in found) >= 0.4 * SLICE


def test_what_is_refuted_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    said = claim("1")
    monkeypatch.setattr("attack.evaluated.checked", lambda texts, checker: [[said] for _ in texts])
    text = "g(x) = x\nfunction f(x::Real)\n    y = 1\n    3 * x\nend\n"
    assert smallest(0, text) == "function f(x::Real)\n    3 * x\nend\n"


def test_a_run_goes_on_where_it_ended(tmp_path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    tried: list[int] = []

    def batch(first: int, count: int, checker: str, both: bool, family: str) -> list:
        tried.extend(range(first, first + count))
        return [judged(seed, "f(x::Real) = x", [claim("1")]) for seed in range(first, first + count)]

    monkeypatch.setattr("attack.evaluated.evaluated", batch)
    output = str(tmp_path / "run.jsonl")
    assert not attack(0, 60, output)
    assert not attack(0, 100, output)
    assert sorted(tried) == list(range(100)) and "100 programs, 100 claims" in capsys.readouterr().out


def test_both_evaluators_agree() -> None:
    text = "g(p::Bool) = 1\ng(p) = 2\nf(x::Real, v::MetricVector(Real, L1)) = g(true) * sum(2 * v) + x / 4\n"
    (said,) = checked([text])
    assert {each.name for each in said} >= {"f"}
    assert list(disagreements(text, said, 0)) == []
    other = text.replace("x / 4", "x / 3")
    assert [each.partition("(")[0] for each in disagreements(other, said, 0, _Reads(text))] == ["`f`"]


class _Reads(Engine):
    """An engine that reads another text than it is given."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def definitions(self, text: str, options: Options = Options()) -> list[Defined]:  # noqa: B008
        return super().definitions(self._text, options)


def test_the_checker_is_asked_as_users_ask_it() -> None:
    (said,) = checked(["f(x::Real, c::Static()) = c * x"])
    assert [each.bound for each in said[0].parameters] == ["Abs(c)", "0"] and said[0].finite


def test_names_that_python_reserves_stand_in_formulas() -> None:
    assert claims_evaluated("Min(del, eps) < eps", {"del": Fraction(1, 10), "eps": Fraction(1, 2)}) is True


def test_numbers_are_exact() -> None:
    assert Program("f(x) = x / 3 * 3").call("f", Fraction(1)) == 1
