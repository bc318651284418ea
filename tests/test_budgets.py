"""What comments say that a function may cost or move by, and what each mechanism spends."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from dp_lsp.analysis.records import Options, Setting, State
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from dp_lsp.features.hover import hover

STEPS = """\
function f(x::Real, eps::Static(), del::Static(), k::Static(Integer)) :: Priv()
    y = laplacian_mechanism(1, eps, x)
    for i in 1:k
        y = y + gaussian_mechanism(1, eps, del, x)
    end
    y
end
"""
TWO = "f(x::Real, a::Static(), b::Static()) :: Priv() = laplacian_mechanism(1, a, x) + laplacian_mechanism(1, b, x)\n"
ONE = "f(x::Real, a::Static()) :: Priv() = laplacian_mechanism(1, a, x)\n"
NOISE = "f(x::Real, a::Static(), d::Static()) :: Priv() = gaussian_mechanism(1, a, d, x)\n"
ROUNDS = """\
function f(x::Real, k::Static(Integer), a::Static()) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + laplacian_mechanism(1, a, x)
    end
    y
end
"""
SHARES = """\
function f(x::Real, eps::Static(), del::Static(), k::Static(Integer)) :: Priv()
    step = eps / (2 * sqrt(2 * k * log(2 / del)))
    y = 0.0
    for i in 1:k
        y = y + gaussian_mechanism(1, step, del / (2 * k), x)
    end
    y
end
"""
LINEAR = "f(x::Real, y::Real, c::Static()) = 3 * x + y\n"
SCALED = "f(x::Real, c::Static()) = c * x\n"
NUMBERS = "where k = 100, eps = 0.1, del = 1e-6"


PLAIN = Options()


def codes(claim: str, program: str, options: Options = PLAIN) -> list[str]:
    """The codes of what is wrong with a program below a comment; if none, its function is proved."""
    checked = Engine().check(f"# dp: {claim}\n{program}", options)
    found = [problem.code for problem in checked.problems]
    assert (checked.state is State.PROVED) is not found
    return found


@pytest.mark.parametrize(
    ("claim", "program"),
    [
        (f"budget ε <= 0.7, δ <= 1e-4 {NUMBERS}", STEPS),
        (f"budget epsilon ≤ 0.7, delta <= 1/10000 {NUMBERS}", STEPS),
        ("budget ε <= a + b", TWO),
        ("budget ε <= 2*a + (b - 0)  # by basic composition", TWO),
        ("budget ε <= 0.3 where a = 0.1, b = 0.2", TWO),
        ("budget ε <= a", ONE),
        ("budget δ <= d, ε <= a", NOISE),
        ("budget ε <= a * 1.5, δ <= 2 * d", NOISE),
        ("budget ε <= k * a", ROUNDS),
        ("budget ε <= eps, δ <= del", SHARES),
        ("budget ε <= 1.5 * eps, δ <= 2 * del", SHARES),
        ("budget ε <= 4, δ <= 1e-5 where k = 100, a = 0.1", ROUNDS.replace("a, x", "a / 2, x")),
        ("sensitivity <= 3", LINEAR),
        ("sensitivity <= 3 in x, y", LINEAR),
        ("sensitivity ≤ 1 in y", LINEAR),
    ],
)
def test_what_holds_is_proved(claim: str, program: str) -> None:
    assert codes(claim, program) == []


@pytest.mark.parametrize(
    ("claim", "program", "code"),
    [
        (f"budget ε <= 0.69, δ <= 1e-4 {NUMBERS}", STEPS, "DP413"),
        (f"budget ε <= 0.7 {NUMBERS}", STEPS, "DP413"),
        ("budget ε <= 0.7, δ <= 1e-4 where k = 100", STEPS, "DP413"),
        ("budget ε <= a", TWO, "DP413"),
        ("budget ε <= 0.99 * a + b", TWO, "DP413"),
        ("budget ε <= 0.29 where a = 0.1, b = 0.2", TWO, "DP413"),
        ("budget ε <= a", NOISE, "DP413"),
        ("budget ε <= a, δ <= d / 2", NOISE, "DP413"),
        ("budget ε <= (k - 1) * a where k = 3, a = 1", ROUNDS, "DP413"),
        ("budget ε <= 0.9 * eps, δ <= del", SHARES, "DP413"),
        ("budget ε <= eps, δ <= 0.9 * del", SHARES, "DP413"),
        ("sensitivity <= 2", LINEAR, "DP306"),
        ("sensitivity <= 2.99 in x", LINEAR, "DP306"),
        ("sensitivity <= c", SCALED, "DP306"),
        ("budget ε <= 2, δ <= 0.5 where a = 2, d = 0.1", NOISE, "DP805"),
        ("budget ε <= a - 1", ONE, "DP805"),
        ("budget ε <= q", ONE, "DP805"),
        ("budget ε <= a where q = 1", ONE, "DP805"),
        ("budget δ <= a", ONE, "DP805"),
        ("budget ε < a", ONE, "DP805"),
        ("budget ε <= a, ε <= 2", ONE, "DP805"),
        ("budget ε <= 1 where a = 1 where a = 2", ONE, "DP805"),
        ("budget ε <= (a", ONE, "DP805"),
        ("budget ε <= 1/0", ONE, "DP805"),
        ("budget", ONE, "DP805"),
        ("budget ε <= 1", LINEAR, "DP805"),
        ("sensitivity <= 1", ONE, "DP805"),
        ("sensitivity 3", LINEAR, "DP805"),
        ("sensitivity <= 3 in z", LINEAR, "DP805"),
        ("budget ε <= 1", "x = 3\n", "DP805"),
    ],
)
def test_what_is_not_proved_is_an_error(claim: str, program: str, code: str) -> None:
    assert codes(claim, program) == [code]


def test_settings_are_numbers_of_a_budget_too() -> None:
    numbers = Options(settings=(Setting(None, "a", Fraction(1, 10)),))
    assert codes("budget ε <= 0.1", ONE, numbers) == []
    assert codes("budget ε <= 0.09", ONE, numbers) == ["DP413"]


def test_a_message_says_how_much_is_missing_and_who_spends_it() -> None:
    (problem,) = Engine().check(f"# dp: budget ε <= 0.3, δ <= 1e-4 {NUMBERS}\n{STEPS}").problems
    assert "0.397 more than 0.3" in problem.message
    messages = [related.message for related in problem.related]
    assert messages[1:] == ["Laplace spends ε 0.1  δ 0 (1 %)", "Gaussian spends ε 10  δ 0.0001 (99 %)"]


def test_a_limit_says_who_spends_it() -> None:
    (problem,) = (
        Engine().check(TWO.replace("a, x", "1, x").replace("b, x", "3, x"), Options(max_epsilon=Fraction(2))).problems
    )
    assert [each.message for each in problem.related] == [
        "Laplace spends ε 1  δ 0 (25 %)",
        "Laplace spends ε 3  δ 0 (75 %)",
    ]


def test_a_limit_is_met_by_any_measure() -> None:
    """A hundred steps of ε 0.1 cost 0.564 at δ 1e-4, and 10 by basic composition."""
    program = STEPS.replace("laplacian_mechanism(1, eps, x)", "0.0")
    numbers = tuple(
        Setting(None, name, Fraction(value)) for name, value in (("eps", "0.1"), ("del", "1e-6"), ("k", "100"))
    )
    for most, expected in (("0.57", []), ("0.56", ["DP411"])):
        options = Options(settings=numbers, max_epsilon=Fraction(most), max_delta=Fraction("1e-4"))
        assert [problem.code for problem in Engine().check(program, options).problems] == expected


CALLS = """\
once(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
function f(x::Real, y::Real) :: Priv()
    z = once(x) + once(y)
    for i in 1:3
        z = z + once(x)
    end
    z
end
"""


def test_calls_spend_where_they_stand() -> None:
    once, function = Engine().check(CALLS).functions
    assert once.spending == (), "there is nothing to share"
    assert [(each.parameters, each.name, each.epsilon) for each in function.spending] == [
        (("x",), "once", "1/2"),
        (("x",), "once", "3/2"),
    ]


def test_spending_is_told_in_reports_and_hover(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jl"
    path.write_text(STEPS, encoding="utf-8")
    numbers = [f"--set={each}" for each in ("eps=0.1", "del=1e-6", "k=9")]
    assert main(["check", "--verbose", *numbers, str(path)]) == 0
    text = capsys.readouterr().out
    assert "line 2  Laplace  ε 0.1  δ 0 (10 %)" in text and "line 4  Gaussian  ε 0.9  δ 9e-6 (90 %)" in text
    assert main(["check", "--output-format", "json", *numbers, str(path)]) == 0
    first, second = json.loads(capsys.readouterr().out)["files"][0]["functions"][0]["spending"]
    assert (first["name"], first["range"]["start"]["line"], first["share"]) == ("Laplace", 2, pytest.approx(0.1))
    assert second["epsilon"] == "Max(0, k)*eps"
    shown = hover(Engine().check(STEPS), STEPS.index("f("))
    assert shown is not None and "line 2 Laplace" in shown.markdown and "line 4 Gaussian" in shown.markdown
