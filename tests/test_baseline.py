"""What a baseline accepts: what was there when it was written, and nothing else."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from dp_lsp.analysis.records import Accepted, Options, State
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Severity
from several_files import check

Run = Callable[..., tuple[int, str, str]]

PROGRAM = """\
f(x::Real) = rem(x)
g(x::Real) = 2 * f(x)
h(x::Real) = 2 * x
function k(x::Real) :: Priv()
    laplacian_mechanism(1, 1, x + x)
end
"""
NAME = "dp-lsp-baseline.json"
CONFIGURED = f'baseline = "{NAME}"\n'
F, K = "f(x::Real) = rem(x)", "laplacian_mechanism(1, 1, x + x)"
WRITTEN = f"""\
{{
 "schema_version": 2,
 "accepted": [
  {{"file": "a.jl", "function": "f", "code": "DP113", "line": "{F}", "times": 1, "extent": {{}}}},
  {{"file": "a.jl", "function": "k", "code": "DP301", "line": "{K}", "times": 1, "extent": {{"x": "2", "ε": "1"}}}}
 ]
}}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Check what lies in a folder of its own: the exit code, the output, and what went to standard error."""
    monkeypatch.chdir(tmp_path)

    def checked(*arguments: str) -> tuple[int, str, str]:
        code = main(["check", *arguments])
        return code, *capsys.readouterr()

    return checked


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


def test_what_was_there_passes_and_is_never_proved(run: Run) -> None:
    write("a.jl", PROGRAM)
    write("dp-lsp.toml", CONFIGURED)
    code, _, said = run()
    assert code == 2 and said == (
        "dp-lsp.toml:1:12: error[DP812] `baseline` must be a file that is there;"
        " `dp-lsp check --update-baseline` writes it\n"
    )
    code, output, said = run("--update-baseline")
    assert code == 0 and "4 functions: 1 proved, 3 unknown (3 accepted)" in output
    assert said == f"{NAME}: 2 problems accepted (2 new)\n" and Path(NAME).read_text("utf-8") == WRITTEN
    assert run("--error-on-accepted")[0] == 1

    code, output, said = run("--output-format", "json")
    functions = {each["name"]: each for each in json.loads(output)["files"][0]["functions"]}
    assert (code, said) == (0, "")
    assert {name: each["status"] for name, each in functions.items()} == {
        "f": "unknown",
        "g": "unknown",
        "h": "proved",
        "k": "unknown",
    }
    assert functions["f"]["accepted"] == "DP113 is accepted: the baseline has it"
    assert "`f`" in functions["g"]["accepted"] and "DP113 is accepted" in functions["g"]["accepted"]
    (x,) = functions["k"]["parameters"]
    assert functions["k"]["bounds"] == [] and (x["epsilon"], x["delta"]) == ("oo", "1"), "nothing is claimed"


def test_it_survives_moved_lines_and_nothing_else(run: Run) -> None:
    write("a.jl", PROGRAM)
    assert run("--baseline", NAME, "--update-baseline")[0] == 0
    moved = PROGRAM.replace("    laplacian", "\n\n  # noise\n        laplacian")
    write("a.jl", "# a comment\n" + moved[moved.index("h(") :] + "\n\n" + moved[: moved.index("h(")])
    code, _, said = run("--baseline", NAME)
    assert (code, said) == (0, "")
    for changed in ("x + x + x)", "x + x) # twice"):
        write("a.jl", PROGRAM.replace("x + x)", changed))
        assert run("--baseline", NAME)[0] == 1, "the line says something else"
    write("a.jl", PROGRAM.replace("function k", "function l"))
    assert run("--baseline", NAME)[0] == 1, "it is another function"
    write("a.jl", PROGRAM)
    write("b.jl", PROGRAM)
    code, output, _ = run("--baseline", NAME, "--output-format", "concise")
    assert code == 1 and "b.jl:1:14: error[DP113]" in output and "a.jl:1:14: error" not in output


def test_one_more_of_the_same_is_not_accepted(run: Run) -> None:
    twice = "function f(x::Real)\n    y = 1\n    y + rem(x)\n    y + rem(x)\nend\n"
    write("a.jl", twice)
    run("--baseline", NAME, "--update-baseline")
    assert '"times": 2, "extent": {}}' in Path(NAME).read_text("utf-8") and run("--baseline", NAME)[0] == 0
    write("a.jl", twice.replace("end", "    y + rem(x)\nend"))
    assert run("--baseline", NAME)[0] == 1
    # Also where they stand in definitions that are checked one after the other.
    write("a.jl", "f(x::Real) = rem(x)\n")
    run("--baseline", NAME, "--update-baseline")
    write("a.jl", "module A\nf(x::Real) = rem(x)\nend\nmodule B\nf(x::Real) = rem(x)\nend\n")
    code, output, _ = run("--baseline", NAME, "--output-format", "concise")
    assert code == 1 and output.count("error[") == 2, "of A and B one is too much, and a file has one module"


GRADED = """\
function k(x::Real, y::Real) :: Priv()
    s = 1
    eps = 0.5
    z = 2x
    laplacian_mechanism(s, eps, z)
end
function u(x::Real, y::Real) :: Priv()
    z = x * x
    laplacian_mechanism(1, 1, z)
end
function c(x::Real) :: Priv()
    eps = 2
    gaussian_mechanism(1, eps, 1e-5, x)
end
function r(x::Real, y::Real) :: Priv()
    z = x
    z + laplacian_mechanism(1, 1, x + y)
end
function d(x::Real) :: Priv()
    delta = 1
    laplacian_mechanism(1, 1, x) + gaussian_mechanism(1, 0.5, delta, x)
end
# dp: sensitivity <= 1 in x
m(x::Real) =
    2 * x
# dp: budget ε <= 0.3
b(x::Real) :: Priv() =
    laplacian_mechanism(1, 0.5, x)
l(x::Real) :: Priv() =
    laplacian_mechanism(1, 3, x)
"""
LIMITED = CONFIGURED + "max-epsilon = 2\n"


@pytest.mark.parametrize(
    ("was", "becomes", "is_worse"),
    [
        ("z = 2x", "z = 200x", True),
        ("z = 2x", "z = 2x + 3y", True),
        ("z = 2x", "z = 2y", True),
        ("z = 2x", "z = 1.5x", False),
        ("z = 2x", "z = x + 0.5x", False),
        ("s = 1", "s = 0.5", True),
        ("s = 1", "s = 1.5", False),
        ("eps = 0.5", "eps = 50", True),
        ("eps = 0.5", "eps = 0.25", False),
        ("z = x * x", "z = x * x + y * y", True),
        ("z = x * x", "z = x * y", True),
        ("z = x * x", "z = x * x * x", False),
        ("eps = 2", "eps = 20", True),
        ("eps = 2", "eps = 1.5", False),
        ("z = x\n", "z = x + y\n", True),
        ("delta = 1", "delta = 2", True),
        ("2 * x", "3 * x", True),
        ("2 * x", "x + 0.5 * x", False),
        ("(1, 0.5, x)\nl", "(1, 0.6, x)\nl", True),
        ("(1, 0.5, x)\nl", "(1, 0.4, x)\nl", False),
        ("(1, 3, x)", "(1, 4, x)", True),
        ("(1, 3, x)", "(1, 2.5, x)", False),
    ],
)
def test_what_another_line_makes_worse_is_new(run: Run, was: str, becomes: str, is_worse: bool) -> None:
    write("a.jl", GRADED)
    write("dp-lsp.toml", LIMITED)
    write(NAME, WRITTEN)
    assert run("--update-baseline")[0] == 0 and run()[0] == 0
    before = run("--output-format", "json", "--output-file", "old.json")
    assert GRADED.count(was) == 1
    write("a.jl", GRADED.replace(was, becomes))
    code, output, _ = run("--output-format", "concise")
    assert code == int(is_worse) and output.count("error[") == code, output
    # Who accepts the worse one is told by a comparison of what is reported.
    run("--update-baseline", "--output-format", "json", "--output-file", "new.json")
    assert before[0] == 0 and main(["diff", "old.json", "new.json"]) == int(is_worse)


def test_one_that_does_not_say_how_bad_it_was_is_read_and_completed(run: Run) -> None:
    write("a.jl", PROGRAM)
    old = WRITTEN.replace('"schema_version": 2', '"schema_version": 1').replace(', "extent": {}', "")
    write(NAME, old.replace(', "extent": {"x": "2", "ε": "1"}', ""))
    code, _, said = run("--baseline", NAME)
    assert code == 0 and said == (
        f"note: {NAME} does not say of all problems how bad they were, and accepts them however bad they are;"
        " --update-baseline writes it down\n"
    )
    run("--baseline", NAME, "--update-baseline")
    assert Path(NAME).read_text("utf-8") == WRITTEN and run("--baseline", NAME)[2] == ""


def test_what_is_accepted_is_told_beside_what_is_worse(run: Run) -> None:
    write("a.jl", GRADED)
    run("--baseline", NAME, "--update-baseline")
    write("a.jl", GRADED.replace("z = 2x", "z = 7x"))
    output = run("--baseline", NAME)[1]
    assert "the baseline accepts it only up to what it was: `x`: 2, and now it is 7" in output


def test_what_a_piece_needs_the_next_one_has_no_more() -> None:
    line = "rem(x)"
    methods = f"f(x::Real) =\n    {line}\n\nf(x::Vector{{<:Real}}) =\n    {line}\n"
    for times, left in ((1, 1), (2, 0), (3, 0)):
        found = Engine().check(methods, Options(baseline=(Accepted("f", "DP113", line, times),)))
        assert found.count(Severity.ERROR) == left and found.accepted is (left == 0)


def test_each_file_has_its_own() -> None:
    line = "f(x::Real) = rem(x)"
    two = f"# file: a.jl\nmodule A\n{line}\ninclude('b.jl')\nend\n# file: b.jl\n{line}\n".replace("'", '"')
    found = check(Engine(), two, Options(baseline=(Accepted("f", "DP113", line),)))
    assert [analysis.count(Severity.ERROR) for analysis in found.values()] == [1, 1], "one name is defined twice"
    twice = tuple(Accepted("f", code, line) for code in ("DP113", "DP120"))
    found = check(Engine(), two, Options(baseline=twice))
    assert all(analysis.accepted for analysis in found.values())


def test_a_comment_or_a_severity_comes_first(run: Run) -> None:
    write("a.jl", PROGRAM.replace("= rem(x)", "= rem(x)  # dp: ignore[DP113] flat"))
    write("dp-lsp.toml", CONFIGURED + 'severity.DP301 = "warning"\n')
    assert run("--update-baseline")[2] == f"{NAME}: 0 problems accepted (as before)\n"
    write("dp-lsp.toml", CONFIGURED + 'severity.DP111 = "error"\n')
    run("--update-baseline")
    assert [each["code"] for each in json.loads(Path(NAME).read_text())["accepted"]] == ["DP111", "DP301"]
    assert run()[0] == 0, "a weaker problem that was made an error is one"


def test_what_no_longer_occurs_is_said_and_taken_out(run: Run) -> None:
    write("a.jl", PROGRAM)
    write("b.jl", "f(x::Real) = rem(x)\n")
    run("--baseline", NAME, "--update-baseline")
    before = Path(NAME).read_text("utf-8")
    write("a.jl", PROGRAM.replace("x + x", "x"))
    assert run("--baseline", NAME)[2] == f"note: 1 entry of {NAME} no longer occurs; --update-baseline takes it out\n"
    os.unlink("b.jl")
    code, _, said = run("--baseline", NAME, "a.jl")
    assert code == 0 and said == f"note: 2 entries of {NAME} no longer occur; --update-baseline takes them out\n"
    write("b.jl", "f(x::Real) = rem(x)\n")
    assert "1 problem accepted" not in run("--baseline", NAME, "--update-baseline", "a.jl")[2]
    assert [each["file"] for each in json.loads(Path(NAME).read_text())["accepted"]] == ["a.jl", "b.jl"], "b.jl stays"
    write("a.jl", PROGRAM + "f(x = \n")
    Path(NAME).write_text(before, "utf-8")
    code, _, said = run("--baseline", NAME, "--update-baseline")
    assert code == 1 and Path(NAME).read_text("utf-8") == before, (
        "of a file that is not understood nothing is taken out"
    )
    assert said.startswith("note: 1 error stays: errors of syntax, files and comments, and limits,")
    assert run("--baseline", NAME)[2] == ""


def test_errors_of_files_and_comments_are_not_accepted(run: Run) -> None:
    write("a.jl", 'include("nowhere.jl")\nf(x::Real) = x # dp: ignore[DP301] why\n')
    code, output, _ = run("--baseline", NAME, "--update-baseline", "--output-format", "concise")
    assert code == 1 and output.count("error[") == 2
    assert json.loads(Path(NAME).read_text())["accepted"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1:1: error[DP813] this is not a baseline: it is not valid JSON (expecting value)"),
        (WRITTEN.replace("  {", "<<<<\n  {", 1), ":4:1: error[DP813] this is not a baseline: it is not valid JSON"),
        ("[]", ":1:1: error[DP813] this is not a baseline: it has no list `accepted`"),
        (WRITTEN.replace("2,", "3,", 1), ":1:1: error[DP813] this is not a baseline: its `schema_version` is not 2"),
        (WRITTEN.replace("2,", "true,", 1), ":1:1: error[DP813] this is not a baseline: its `schema_version` is not 2"),
        (WRITTEN.replace('"2"', "2"), ":5:3: error[DP813] this is not a baseline: the `extent` of this entry is not"),
        (WRITTEN.replace("1, ", "0, ", 1), ":4:3: error[DP813] this is not a baseline: the `times` of this entry is"),
        (WRITTEN.replace('"DP301"', "301"), ":5:3: error[DP813] this is not a baseline: this entry has no text `code`"),
        ("[" * 100_000, ":1:1: error[DP813] this is not a baseline: it is nested too deeply"),
    ],
)
def test_one_that_is_broken_ends_the_run_and_is_not_overwritten(run: Run, text: str, said: str) -> None:
    write("a.jl", PROGRAM)
    write(NAME, text)
    for more in ((), ("--update-baseline",)):
        code, output, wrong = run("--baseline", NAME, *more)
        assert (code, output) == (2, "") and wrong.startswith(NAME + said)
        assert Path(NAME).read_text() == text


def test_wrong_usage(run: Run, tmp_path: Path) -> None:
    write("a.jl", PROGRAM)
    assert "--baseline 'x.json' does not exist; with --update-baseline it is written" in run("--baseline", "x.json")[2]
    code, output, said = run("--update-baseline")
    assert (code, output) == (2, "") and "say where it is, with --baseline FILE or the key `baseline`" in said
    code, _, said = run("--update-baseline", "--baseline", "nowhere/x.json")
    assert code == 2 and "nowhere/x.json: No such file or directory" in said
    write("sub/dp-lsp.toml", CONFIGURED)
    write("sub/a.jl", PROGRAM)
    (tmp_path / "sub" / NAME).symlink_to(tmp_path / "out.json")
    for more in ((), ("--update-baseline",)):
        code, _, said = run("sub", *more)
        assert code == 2 and "sub/dp-lsp.toml:1:12: error[DP812] `baseline` must be a file below this folder" in said
    assert not Path("out.json").exists()


def test_files_of_several_projects_and_folders(run: Run) -> None:
    write("one.jl", 'n = 1\ninclude("lib/f.jl")\n')
    write("two.jl", 'n = 2\ninclude("lib/f.jl")\n')
    write("lib/f.jl", "f(x::Real) = n * rem(x)\n")
    write("lib/dp-lsp.toml", CONFIGURED)
    assert run("--update-baseline")[0] == 0 and run()[0] == 0
    assert [each["file"] for each in json.loads(Path("lib", NAME).read_text())["accepted"]] == ["f.jl"]
    assert run("--baseline", f"lib/{NAME}", "two.jl")[0] == 0


def test_a_name_that_is_not_unicode(run: Run) -> None:
    name = os.fsdecode(b"\xff.jl")
    try:
        write(name, PROGRAM)
    except OSError:
        pytest.skip("this system has no such names")
    assert run("--baseline", NAME, "--update-baseline")[0] == 0
    assert run("--baseline", NAME)[0] == 0 and '"\\udcff.jl"' in Path(NAME).read_text("utf-8")


def test_nothing_else_in_a_file_depends_on_it() -> None:
    engine = Engine()
    text = "h(x::Real) = 2 * x\n\nf(x::Real) = rem(x)\n"
    engine.check(text)
    before = engine.inferred
    found = engine.check(text, Options(baseline=(Accepted("f", "DP113", "f(x::Real) = rem(x)"),)))
    assert engine.inferred == before + 1 and found.state is State.UNKNOWN and found.accepted


def test_after_any_edits_the_answer_is_that_of_a_fresh_start() -> None:
    pieces = [f"f(x::{type_}) =\n    rem(x)\n" for type_ in ("Real", "Vector{<:Real}", "Matrix{<:Real}")]
    pieces += ["g(x::Real) =\n    2 * f(x)\n", "h(x::Real) = rem(x)\n", "n = 3\n"]
    chance, engine = random.Random(3), Engine()
    for _ in range(60):
        text = "\n".join(chance.sample(pieces, chance.randint(1, 6)))
        options = Options(baseline=(Accepted("f", "DP113", "rem(x)", chance.randint(1, 3)),))
        edited, fresh = engine.check(text, options, document="a.jl"), Engine().check(text, options)
        assert [each.record.verdict for each in edited.chunks] == [each.record.verdict for each in fresh.chunks]
