"""Counterexamples: where a mechanism declares too small a distance, two inputs show it."""

from __future__ import annotations

import json
import sys
import time
from fractions import Fraction
from itertools import count
from pathlib import Path

import pytest

from dp_lsp.analysis.records import Options, Setting
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.witness import witness
from several_files import Texts
from source_tree import python

PRIVATE = "function f({}, eps::Static(), del::Static()) :: Priv()\n    {}\nend\n"


def notes(text: str, folder: Path, capsys: pytest.CaptureFixture[str], code: str = "DP301") -> list[str]:
    """What is said of counterexamples, by ``check --witness``."""
    file = folder / "a.jl"
    file.write_text(text, "utf-8")
    main(["check", "--output-format", "json", "--witness", str(file)])
    report = json.loads(capsys.readouterr().out)
    problems = (each for file in report["files"] for each in file["diagnostics"] if each["code"] == code)
    return [each["related"][-1]["message"] for each in problems]


@pytest.mark.parametrize(
    ("params", "body", "said"),
    [
        (
            "x::Real",
            "gaussian_mechanism(1, eps, del, x + x)",
            "counterexample: x = 0 and x′ = 1, 1 apart, give 0 and 2, 2 apart; you declared 1",
        ),
        (
            "v::MetricVector(Data, LInf)",
            "gaussian_mechanism(1, eps, del, undisc_container(clip(L2, v)))",
            "you declared 1",
        ),
        ("v::MetricVector(Real, L2)", "gaussian_mechanism(1 / 2, eps, del, v)", "you declared 1/2"),
        ("x::Real, y::Real", "laplacian_mechanism(1, eps, max(x, y) + max(x, -5))", "(with y = "),
        (
            "x::Integer",
            "y = x\n    for i in 1:3\n        y = laplacian_mechanism(2, eps, 3 * x)\n    end\n    y",
            "counterexample: x = 0 and x′ = 1, 1 apart, give 0 and 3, 3 apart; you declared 2",
        ),
    ],
)
def test_a_counterexample(
    params: str, body: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (note,) = notes(PRIVATE.format(params, body), tmp_path, capsys)
    assert said in note and note.startswith("counterexample: ")


def test_a_bound_that_is_loose_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for body in ("max(x, 0) + min(x, 0)", "clamp(2 * x, 0, 0.5)"):  # of the second, no change moves it by more than 1/2
        (note,) = notes(PRIVATE.format("x::Real", f"laplacian_mechanism(1, eps, {body})"), tmp_path, capsys)
        assert note.startswith("no counterexample was found in ")


def test_what_cannot_be_run_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "v = unbox(b(x), Vector{<:Data}, 2)\n    gaussian_mechanism(1, eps, del, undisc_container(clip(L2, v)))"
    (note,) = notes("b(x) :: BlackBox() = x\n" + PRIVATE.format("x::Data", body), tmp_path, capsys)
    assert note.startswith("no counterexample was looked for: ") and "the black box `b`" in note


def test_numbers_do_not_grow_without_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = "y = 3 * x\n    for i in 1:60\n        y = clamp(y, -1, 1) + y * y * 0\n        z = 7.3\n"
    body += (
        "        for j in 1:60\n            z = z * z\n        end\n    end\n    gaussian_mechanism(1, eps, del, 2 * x)"
    )
    (note,) = notes(PRIVATE.format("x::Real", body), tmp_path, capsys)
    assert note == "no counterexample was looked for: this cannot be run on inputs (its numbers are too long)"


def test_it_stands_below_the_problem_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.jl"
    file.write_text(PRIVATE.format("x::Real", "gaussian_mechanism(1, eps, del, x + x)"), "utf-8")
    main(["check", "--witness", str(file)])
    assert "  = counterexample: x = 0 and x′ = 1, 1 apart" in capsys.readouterr().out


def test_numpy_is_loaded_for_nothing_else() -> None:
    code = "import sys; from dp_lsp.cli import main; main(['check', '-']); print('numpy' in sys.modules)"
    done = python("-c", f"import io, sys; sys.stdin = io.TextIOWrapper(io.BytesIO(b'f(x::Real) = x')); {code}")
    assert done.stdout.splitlines()[-1] == "False", done.stderr


def test_what_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.jl"
    file.write_text(PRIVATE.format("x::Real", "gaussian_mechanism(1, eps, del, x + x)"), "utf-8")
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert main(["check", "--witness", str(file)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "pip install 'dp-lsp[witness]'" in said.err
    assert main(["explain", f"{file}:f"]) == 0
    assert "NumPy: pip install" in capsys.readouterr().out
    assert main(["check", str(file)]) == 1


def witnesses(body: str, params: str = "x::Real") -> list[str]:
    """What is said of every problem of a program that inputs can show."""
    file = {"a.jl": PRIVATE.format(params, body)}
    return [witness(suspect) for suspect in Engine().suspects("a.jl", Texts(file))]


def test_what_was_released_before_is_the_same_in_both_runs() -> None:
    before = "y = laplacian_mechanism(1, eps, x)\n    gaussian_mechanism("
    (note,) = witnesses(f"{before}1 / 2, eps, del, y + x)")
    assert "(with 1 released before), 1 apart, give 1 and 2, 1 apart; you declared 1/2" in note
    (note,) = witnesses(
        "y = laplacian_mechanism(1, eps, x)\n    gaussian_mechanism(1, eps, del, y + clamp(2 * x, 0, 1))"
    )
    assert note.startswith("no counterexample was found in ")


def test_a_mechanism_is_looked_at_in_every_run_and_in_every_branch() -> None:
    loop = "y = 0.0\n    for i in 1:k\n        y = laplacian_mechanism(3, eps, i == 3 ? 4 * x : x)\n    end\n    y"
    (note,) = witnesses(loop, "x::Integer, k::Static(Integer)")
    assert "give 0 and 4 in run 3 of `laplacian_mechanism`, 4 apart; you declared 3" in note
    branch = "y = 0.0\n    if {} k\n        y = laplacian_mechanism(1, eps, 2 * x)\n    end\n    y"
    for condition in ("0 <", "3 >", "2 =="):
        (note,) = witnesses(branch.format(condition), "x::Real, k::Static(Integer)")
        assert "give 0 and 2, 2 apart; you declared 1" in note


def test_answers_of_functions_are_compared() -> None:
    queries = "above_threshold([t -> 3 * t, t -> t + 1], eps, x, 3)"
    (note,) = witnesses(queries)
    assert note.endswith("give [0, 1] and [3, 2], 3 apart; `above_threshold` hides 1")
    (note,) = witnesses("exponential_mechanism(1, eps, [1.0, 2.0], c -> c + 2 * x)")
    assert note.endswith("give [1, 2] and [3, 4], 2 apart; you declared 1")
    (note,) = witnesses("h = t -> 3 * t + y\n    laplacian_mechanism(2, eps, h(x))", "x::Real, y::Real")
    assert note.endswith("give 0 and 3, 3 apart; you declared 2")


def test_every_entry_of_a_matrix_gets_noise_of_its_own() -> None:
    (note,) = witnesses("gaussian_mechanism(1, eps, del, m + m)", "m::MetricMatrix(Real, L2)")
    assert "; " in note.split("give ")[1] and note.endswith("2 apart; you declared 1")
    (note,) = witnesses("gaussian_mechanism(3 / 2, eps, del, vec_to_row([x, x])')")
    assert note.startswith("no counterexample was found in ")  # √2 apart, though the rows move by 2 together


def test_steps_are_as_long_as_a_neighbour_is_away() -> None:
    (note,) = witnesses("laplacian_mechanism(1, eps, count(t -> t > 0, v + [0, 0, 0]))", "v::MetricVector(Integer, L2)")
    assert note.startswith("no counterexample was found in ")  # one entry changes at a time


def test_an_input_without_a_bound_has_one() -> None:
    (note,) = witnesses("gaussian_mechanism(1 / 2, eps, del, x * y)", "x::Real, y::Real")
    assert note == "counterexample: x = 0 and x′ = 1 (with y = 1), 1 apart, give 0 and 1, 1 apart; you declared 1/2"


def test_conditions_hold_of_what_is_shown() -> None:
    (note,) = witnesses("laplacian_mechanism(1, eps, clamp(2 * x, 0, min(c, 1)))", "x::Real, c::Static()")
    assert note.startswith("no counterexample was found in ")  # it jumps where c is below 0, which is not allowed


def said_of(text: str, **numbers: int) -> list[str]:
    settings = tuple(Setting(None, name, Fraction(number)) for name, number in numbers.items())
    return [witness(each) for each in Engine().suspects("a.jl", Texts({"a.jl": text}), Options(settings=settings))]


def test_what_a_comment_says_of_a_sensitivity_is_tried_on_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "# dp: sensitivity <= 1\nf(x::Real, y::Real) = 2 * x + 3 * y\n"
    start, end = "counterexample: ", ", 1 apart, give 0 and {0}, {0} apart; its comment says at most 1"
    assert said_of(text) == [
        f"{start}x = 0 and x′ = 1 (with y = 0){end.format(2)}",
        f"{start}y = 0 and y′ = 1 (with x = 0){end.format(3)}",
    ]
    found = notes(text, tmp_path, capsys, code="DP306")
    assert [each.rpartition(" (")[0] for each in found] == [f"{start}x = 0 and x′ = 1", f"{start}y = 0 and y′ = 1"]
    assert said_of(text.replace("1\n", "1 in y\n", 1))[0].startswith("counterexample: y = 0 and")
    file = tmp_path / "a.jl"
    main(["explain", f"{file}:f"])
    assert capsys.readouterr().out.count("- line 2: counterexample: ") == 2


def test_a_comment_is_about_changes_of_any_size_and_about_the_numbers_there_are() -> None:
    (note,) = said_of("# dp: sensitivity <= 5\nf(x::Real) = clamp(10 * x, 0, 1)")
    assert "its comment says at most 5 for a change of 1, so " in note
    (note,) = said_of("# dp: sensitivity <= 1\nf(x::Real) = max(x, 0) + min(x, 0)")
    assert note.startswith("no counterexample was found in ")
    text = "# dp: sensitivity <= {}\nf(x::Real, k::Static(Integer)) = k >= 4 ? 2 * x : k * x"
    assert said_of(text.format(3))[0].startswith("no counterexample was found in ")  # where k <= 3, it is not more
    assert "(with k = -3)" in said_of(text.format(2).replace("k >= 4", "k >= 2"), k=-3)[0]
    vector = "# dp: sensitivity <= 2\nf(v::MetricVector(Real, L2), n::Static(Integer)) = n * v"
    assert said_of(vector, n=3)[0].endswith(" 3 apart; its comment says at most 2")


def test_what_was_found_counts_where_it_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is: with numbers that might be simpler, and with all that might matter."""
    (simple,) = witnesses("gaussian_mechanism(1, eps, del, 2 * x)")
    for calls in range(1, 60):
        clock = count()
        monkeypatch.setattr(time, "process_time", lambda clock=clock, calls=calls: 99.0 * (next(clock) > calls))
        (note,) = witnesses("gaussian_mechanism(1, eps, del, 2 * x)")
        if note.startswith("counterexample: "):
            break
    assert note != simple and "eps = " in note and "del = " in note and "you declared 1" in note


def test_what_fails_on_all_inputs_says_so() -> None:
    sums = "    s = 0.0\n    for i in 1:100\n        s = s + 2 * v[i]\n    end\n"
    (note,) = said_of(f"# dp: sensitivity <= 1\nfunction f(v::MetricVector(Real, L1))\n{sums}    s\nend")
    assert note.startswith("no counterexample was found: it fails on all ")
    (other,) = witnesses(f"{sums.strip()}\n    laplacian_mechanism(1, eps, s)", "v::MetricVector(Real, L1)")
    assert other.startswith("no counterexample was found: it fails on all ")


def test_what_a_comment_is_about_may_be_no_input() -> None:
    (note,) = said_of("# dp: sensitivity <= 1\nf(x::Real, g) = g(x)")
    assert note.endswith("cannot be run on inputs (it is given a function, or returns one)")


def test_a_sample_may_be_any_rows() -> None:
    body = "(D, L) = sample({}, A, A)\n    laplacian_mechanism(1, eps, undisc_container(clip(L1, D[1, :])))"
    (note,) = witnesses(body.format(1), "A::MetricMatrix(Data, LInf)")
    assert "row 1 drawn), 1 apart, give " in note and note.endswith("2 apart; you declared 1")
    (note,) = witnesses(body.format(2), "A::MetricMatrix(Data, LInf)")
    assert "rows 1 to 2 drawn), 1 apart, give " in note


def test_explain_shows_it_below_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.jl"
    file.write_text(
        "g(x::Real) = 2 * x\n" + PRIVATE.format("x::Real", "gaussian_mechanism(1, eps, del, g(x))"), "utf-8"
    )
    main(["explain", f"{file}:f"])
    page = capsys.readouterr().out
    assert page.endswith(
        "\n## Counterexamples\n\n"
        "- line 3: counterexample: x = 0 and x′ = 1, 1 apart, give 0 and 2, 2 apart; you declared 1\n"
    )
    main(["explain", f"{file}:g"])
    assert "Counterexamples" not in capsys.readouterr().out
