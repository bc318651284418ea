"""What a person accepts: it is unknown, said so everywhere, and passes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dp_lsp.analysis.records import Analysis, FunctionReport, Options, State
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Severity
from several_files import check

Run = Callable[..., tuple[int, str]]

ACCEPTED = """\
f(x::Real) = rem(x)  # dp: ignore[DP113] its callers divide
g(x::Real) = 2 * f(x)
h(x::Real) = 2 * x
"""


def functions(analysis: Analysis) -> dict[str, FunctionReport]:
    return {function.name: function for function in analysis.functions}


def accepted(text: str) -> dict[str, bool]:
    return {function.name: function.accepted for function in Engine().check(text).functions}


def test_who_is_accepted_and_by_what() -> None:
    analysis = Engine().check(ACCEPTED)
    found = functions(analysis)
    assert found["f"].reason == "DP113 is accepted: its callers divide"
    assert "`f`" in found["g"].reason and "DP113 is accepted: its callers divide" in found["g"].reason
    assert {name: each.state for name, each in found.items()} == {
        "f": State.UNKNOWN,
        "g": State.UNKNOWN,
        "h": State.PROVED,
    }
    assert analysis.accepted and analysis.state is State.UNKNOWN and analysis.count(Severity.ERROR) == 0


def test_an_accepted_function_claims_nothing() -> None:
    text = "f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x + x)  # dp: ignore[DP301] never both large\n"
    (report,) = Engine().check(text).functions
    assert report.accepted and report.bounds == () and report.conditions == ()
    assert [(each.epsilon, each.delta) for each in report.parameters] == [("oo", "1")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ACCEPTED.replace("2 * f(x)", "f(x) + div(x)"), id="a caller has an error of its own"),
        pytest.param(ACCEPTED.replace("2 * f(x)", "f(x) + k(x)") + "k(x::Real) = div(x)\n", id="it also calls another"),
        pytest.param(ACCEPTED.replace("2 * f(x)", "f(x) ^ x ^ x"), id="it is unknown by itself"),
    ],
)
def test_what_else_is_wrong_is_not_accepted(text: str) -> None:
    assert accepted(text) | {"k": False} == {"f": True, "g": False, "h": False, "k": False}
    assert not Engine().check(text).accepted


def test_two_problems_in_a_function_are_accepted_one_by_one() -> None:
    text = "function f(x::Real)\n    y = rem(x)  # dp: ignore[DP113] flat\n    z = div(x)\n    y + z\nend\n"
    assert accepted(text) == {"f": False}
    assert accepted(text.replace("div(x)", "div(x)  # dp: ignore[DP113] flat, too")) == {"f": True}


def test_an_open_import_is_accepted_only_where_it_stands() -> None:
    text = "using Foo  # dp: ignore[DP112] it brings no names\nf(x::Data) = 2 * x\n"
    analysis = Engine().check(text)
    assert analysis.count(Severity.ERROR) == 0 and not analysis.accepted
    assert functions(analysis)["f"].state is State.UNKNOWN


def test_recursion_and_a_name_defined_twice_can_be_accepted() -> None:
    assert accepted("f(x::Real) = f(x)  # dp: ignore[DP104] it ends\ng(x::Real) = f(x)\n") == {"f": True, "g": True}
    twice = "n = 1  # dp: ignore[DP109] only here\nn = 2  # dp: ignore[DP109] only here\n"
    assert Engine().check(twice).accepted


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_lines_end_as_they_like(ends: str) -> None:
    text = "function f(x::Real)\n    # dp: ignore[DP113] flat\n    rem(x)\nend\n".replace("\n", ends)
    assert accepted(text) == {"f": True}


def test_a_comment_that_changes_changes_the_answer() -> None:
    engine = Engine()
    text = "# dp: ignore[DP402] noise only\nf(x::Real) = laplacian_mechanism(1, 1, x)\ng(x::Real) = f(x)\n"
    other = text.replace("noise only", "it is public")
    assert functions(engine.check(text))["g"].reason != functions(engine.check(other))["g"].reason
    bare = engine.check(text.partition("\n")[2])
    assert functions(bare)["f"].state is State.FAILED and bare.count(Severity.ERROR) == 1
    assert functions(engine.check(text))["f"].accepted


def test_an_accepted_error_stays_accepted_in_all_projects() -> None:
    files = "# file: a.jl\nn = 1\ninclude('f.jl')\n# file: b.jl\nn = 2\ninclude('f.jl')\n# file: f.jl\n".replace(
        "'", '"'
    )
    found = check(Engine(), files + "f(x::Real) = rem(x)  # dp: ignore[DP113] flat\n")
    assert found["f.jl"].accepted
    found = check(Engine(), files + "f(x::Real) = n * m(x)  # dp: ignore[DP101] defined elsewhere\n")
    assert found["f.jl"].accepted


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Check a text on the command line: the exit code, and what was printed."""

    def check_text(text: str, *options: str) -> tuple[int, str]:
        path = tmp_path / "a.jl"
        path.write_text(text, encoding="utf-8")
        return main(["check", str(path), *options]), capsys.readouterr().out

    return check_text


def test_the_command_line_counts_it_and_passes(run: Run) -> None:
    code, output = run(ACCEPTED)
    assert code == 0 and "3 functions: 1 proved, 2 unknown (2 accepted)" in output
    assert run(ACCEPTED, "--error-on-accepted")[0] == 1
    assert run(ACCEPTED, "--error-on-accepted", "--exit-zero")[0] == 0
    assert run(ACCEPTED.replace(" its callers divide", ""))[0] == 1
    assert run("h(x::Real) = 2 * x\n", "--error-on-accepted")[0] == 0


def test_the_report_says_so(run: Run) -> None:
    code, output = run(ACCEPTED, "--output-format", "json")
    report = json.loads(output)
    assert code == 0 and report["summary"]["accepted"] == 2 and report["summary"]["unknown"] == 2
    (file,) = report["files"]
    assert file["status"] == "unknown"
    assert [each.get("accepted") is not None for each in file["functions"]] == [True, True, False]
    assert not any(each["severity"] == "error" for each in file["diagnostics"])


def test_a_warning_raised_to_an_error_is_accepted_as_one() -> None:
    text = "f(x::Real) = disc(x)  # dp: ignore[DP303] counted elsewhere\n"
    assert Engine().check(text).state is State.PROVED
    raised = Engine().check(text, Options(severity=(("DP303", Severity.ERROR),)))
    assert raised.accepted and raised.state is State.UNKNOWN
