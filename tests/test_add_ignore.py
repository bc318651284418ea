"""Comments that accept what is wrong now: written where they work, and nothing else is changed by them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from dp_lsp.cli import main
from dp_lsp.engine.check import Engine

Run = Callable[..., tuple[int, str, str]]

PROGRAM = '''\
f(x::Real) = rem(x)
g(x::Real) = 2 * f(x)  # a caller
h(x::Real) = 2 * x
function k(x::Real) :: Priv()
    laplacian_mechanism(1, 1, x + x) # half
end
function l(x::Real)
\ty = rem(x) + unheard(div(x))
\ty
end
n = 1
n = 2
s(x::Real) = rem(x) * h("""
  # """)
a_rather_long_function_name(a_parameter::Real) = 2 * rem(a_parameter) + rem(3 * a_parameter)'''

EXPECTED = '''\
f(x::Real) = rem(x)  # dp: ignore[DP113] as before
g(x::Real) = 2 * f(x)  # a caller
h(x::Real) = 2 * x
function k(x::Real) :: Priv()
    # dp: ignore[DP301] as before
    laplacian_mechanism(1, 1, x + x) # half
end
function l(x::Real)
\ty = rem(x) + unheard(div(x))  # dp: ignore[DP101, DP113] as before
\ty
end
n = 1  # dp: ignore[DP109] as before
n = 2  # dp: ignore[DP109] as before
# dp: ignore[DP002, DP113] as before
s(x::Real) = rem(x) * h("""
  # """)
# dp: ignore[DP113] as before
a_rather_long_function_name(a_parameter::Real) = 2 * rem(a_parameter) + rem(3 * a_parameter)'''


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Check what lies in a folder of its own: the exit code, the output, and what went to standard error."""
    monkeypatch.chdir(tmp_path)

    def checked(*arguments: str) -> tuple[int, str, str]:
        code = main(["check", "--output-format", "concise", *arguments])
        return code, *capsys.readouterr()

    return checked


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_comments_stand_where_they_work(run: Run, ends: str, mark: bytes) -> None:
    Path("a.jl").write_bytes(mark + PROGRAM.replace("\n", ends).encode())
    os.chmod("a.jl", 0o640)
    code, output, said = run("--add-ignore", "as before")
    assert Path("a.jl").read_bytes() == mark + EXPECTED.replace("\n", ends).encode()
    assert said == "a.jl: 7 comments added (DP002, DP101, DP109, DP113, DP301)\n"
    assert code == 0 and "7 functions: 1 proved, 6 unknown (6 accepted)" in output
    assert stat.S_IMODE(os.stat("a.jl").st_mode) == 0o640 and os.listdir() == ["a.jl"]
    assert run("--add-ignore", "again")[2] == "no comment added: there is no error that a comment accepts\n"
    assert Path("a.jl").read_bytes() == mark + EXPECTED.replace("\n", ends).encode()


def test_where_lines_do_not_end_no_comment_is_added(run: Run) -> None:
    """A carriage return alone ends no line in Julia."""
    text = PROGRAM.replace("\n", "\r").encode()
    Path("a.jl").write_bytes(text)
    code, output, said = run("--add-ignore", "as before")
    assert code == 1 and "DP006" in output and said == "no comment added: there is no error that a comment accepts\n"
    assert Path("a.jl").read_bytes() == text


def test_what_is_accepted_passes_and_nothing_more_is_said(run: Run) -> None:
    text = "\n".join(PROGRAM.splitlines()[:10]) + "\n"
    Path("a.jl").write_text(text, "utf-8")
    before = Engine().check(text).functions
    code, output, _ = run("--add-ignore", "as before")
    assert code == 0 and "5 functions: 1 proved, 4 unknown (4 accepted)" in output
    after = Engine().check(Path("a.jl").read_text("utf-8")).functions
    (was,), (now,) = ([each for each in found if each.name == "h"] for found in (before, after))
    assert was.moved(now.span.start - was.span.start) == now
    assert run("--error-on-accepted")[0] == 1


def test_what_comes_to_light_is_accepted_as_well(run: Run) -> None:
    Path("a.jl").write_text("f(x::Real) = rem(x)\nf(x::Real) = rem(x)\n", "utf-8")
    assert "DP113" not in run()[1]
    code, _, said = run("--add-ignore", "as before")
    assert code == 0 and said == "a.jl: 2 comments added (DP113, DP120)\n"


def test_only_files_that_are_named_are_written(run: Run) -> None:
    Path("a.jl").write_text('include("b.jl")\nf(x::Real) = rem(x)\n', "utf-8")
    Path("b.jl").write_text("g(x::Real) = rem(x)\n", "utf-8")
    code, _, said = run("a.jl", "--add-ignore", "flat")
    assert code == 1 and Path("b.jl").read_text() == "g(x::Real) = rem(x)\n"
    assert said == (
        "a.jl: 1 comment added (DP113)\n"
        "note: 1 error in files that were only included: name these to accept that, too\n"
    )
    Path("d").mkdir()
    Path("d/z.jl").write_text("g(x::Real) = rem(x)\n", "utf-8")
    Path("d/c.jl").symlink_to("z.jl")
    code, _, said = run("d", "--add-ignore", "flat")
    assert code == 2 and said == "Error: d/c.jl: it is a link: name the file that it leads to\n"
    assert run("d/z.jl", "b.jl", "--add-ignore", "flat")[0] == 0


def test_syntax_files_and_comments_are_left_alone(run: Run) -> None:
    text = "f(x::Real) = rem(x\n\ng(x::Real) = 2 * x  # dp: ignore[DP301] why\n"
    Path("a.jl").write_text(text, "utf-8")
    Path("b.jl").write_bytes(b"f(x) = \xff")
    assert run("--add-ignore", "as before")[0] == 1
    assert Path("a.jl").read_text("utf-8") == text and Path("b.jl").read_bytes() == b"f(x) = \xff"


def test_a_file_that_changes_meanwhile_is_not_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from dp_lsp.cli import accepting

    def edited(name: str, plan: object) -> int:
        Path(name).write_text("f(x::Real) = 1\n", "utf-8")
        return write(name, plan)  # type: ignore[arg-type]

    write = accepting._write
    monkeypatch.setattr(accepting, "_write", edited)
    Path("a.jl").write_text("f(x::Real) = rem(x)\n", "utf-8")
    code, _, said = run("--add-ignore", "flat")
    assert code == 2 and said == "Error: a.jl: it has changed while it was checked\n"
    assert Path("a.jl").read_text("utf-8") == "f(x::Real) = 1\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--add-ignore", " "], "say in one line why these problems may stay"),
        (["--add-ignore", "one\ntwo"], "say in one line"),
        (["--add-ignore", "one # two"], "without another `#`"),
        (["--add-ignore", "<reason>"], "say in one line"),
        (["-", "--add-ignore", "flat"], "it does not go with -"),
        (["--add-ignore", "flat", "--update-baseline"], "choose one"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], said: str) -> None:
    Path("a.jl").write_text("f(x::Real) = rem(x)\n", "utf-8")
    code, output, wrong = run(*arguments)
    assert (code, output) == (2, "") and said in wrong
    assert Path("a.jl").read_text("utf-8") == "f(x::Real) = rem(x)\n"


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("ignore[DP101, DP113] why", []),
        ("ignore[DP113,DP101,DP113] why", []),
        ("ignore[DP101, DP113, DP301] why", ["DP803"]),
        ("ignore[DP101] why", ["DP113"]),
        ("ignore[DP101, DP999] why", ["DP113", "DP802"]),
        ("ignore[DP101, DP113]", ["DP113", "DP801"]),
        ("ignore[DP101,] why", ["DP113", "DP802"]),
    ],
)
def test_one_comment_accepts_several_codes(comment: str, codes: list[str]) -> None:
    analysis = Engine().check(f"f(x::Real) = rem(x) + unheard(x)  # dp: {comment}\n")
    assert sorted(each.code for each in analysis.problems) == codes
    assert analysis.accepted is (codes == []), json.dumps(codes)
