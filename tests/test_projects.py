"""Programs of several files on the command line: what is read, what is not, and where each problem is reported."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import dp_lsp.cli.running
import several_files
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine

posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes in the file system are of other systems")
NOISY = "noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)\n"
MAIN = 'include("lib/noise.jl")\nf(x::Real) :: Priv() = noisy(x)\n'

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


def write(**files: str) -> None:
    """Write files; ``lib__a="…"`` is `lib/a.jl`."""
    for name, text in files.items():
        path = Path(*name.split("__")).with_suffix(".jl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run ``dp-lsp check`` and return the files of its report by their path, in order."""

    def run(*arguments: str) -> dict[str, Json]:
        code = main(["check", "--output-format", "json", *arguments])
        files = json.loads(capsys.readouterr().out)["files"]
        assert (code == 0) == all(file["status"] == "proved" for file in files)
        return {file["path"]: file for file in files}

    return run


def codes(file: Json) -> list[tuple[str, int]]:
    """The errors of a file with their lines."""
    errors = (each for each in file["diagnostics"] if each["severity"] == "error")
    return [(each["code"], each["range"]["start"]["line"]) for each in errors]


def messages(file: Json) -> list[str]:
    return [diagnostic["message"] for diagnostic in file["diagnostics"]]


def test_what_is_included_is_checked_and_reported_too(check: Any) -> None:
    write(main=MAIN, lib__noise=NOISY, other="g(x::Real) = x\n")
    found = check("main.jl")
    assert {path: file["status"] for path, file in found.items()} == {"main.jl": "proved", "lib/noise.jl": "proved"}
    (f,) = found["main.jl"]["functions"]
    assert f["parameters"][0]["epsilon"] == "1/2"
    assert list(check()) == ["main.jl", "other.jl", "lib/noise.jl"]
    assert list(check("lib", "main.jl")) == ["lib/noise.jl", "main.jl"]


def test_each_problem_stands_in_its_own_file(check: Any) -> None:
    write(main=MAIN + "g(x::Real) = rem(x)\n", lib__noise="\n" + NOISY.replace("(1,", "(1/3,"))
    found = check("main.jl")
    assert codes(found["main.jl"]) == [("DP113", 3)]
    assert codes(found["lib/noise.jl"]) == [("DP301", 2)]
    assert [function["status"] for function in found["main.jl"]["functions"]] == ["unknown", "unknown"]


def test_a_missing_file_is_named_and_so_is_one_that_is_almost_called_so(check: Any) -> None:
    write(main=MAIN, lib__Noise=NOISY)
    found = check("main.jl")
    assert codes(found["main.jl"]) == [("DP013", 1)]
    assert messages(found["main.jl"]) == [
        "there is no file `lib/noise.jl`, counted from the folder of this file; did you mean `lib/Noise.jl`?"
    ]
    assert found["main.jl"]["functions"][0]["status"] == "unknown"
    write(main='include("mainn.jl")\n')
    assert messages(check("main.jl")["main.jl"]) == [
        "there is no file `mainn.jl`, counted from the folder of this file"
    ]
    write(main=MAIN.replace("lib/", "nowhere/"))
    assert messages(check("main.jl")["main.jl"]) == [
        "there is no file `nowhere/noise.jl`, counted from the folder of this file"
    ]


# What is read


def test_a_file_reads_what_lies_below_the_working_folder(check: Any) -> None:
    write(src__main='include("../lib/noise.jl")\n', lib__noise=NOISY)
    assert list(check("src/main.jl")) == ["src/main.jl", "lib/noise.jl"]
    assert codes(check("src")["src/main.jl"]) == [("DP015", 1)]
    assert list(check("src", "lib")) == ["src/main.jl", "lib/noise.jl"]
    assert list(check("src", "lib/noise.jl")) == ["src/main.jl", "lib/noise.jl"]
    os.chdir("lib")
    elsewhere = Path("..", "src", "main.jl").resolve().as_posix()
    assert codes(check("../src/main.jl")[elsewhere]) == [("DP015", 1)]
    beside = Path("noise.jl").resolve().as_posix()
    assert list(check("../src/main.jl", beside)) == [elsewhere, "noise.jl"]


@pytest.mark.parametrize("path", ["../secret.jl", "lib/../../secret.jl", "{outside}/secret.jl", "../missing.jl"])
def test_nothing_outside_is_looked_at(check: Any, tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.jl").write_text(NOISY, "utf-8")
    written = path.format(outside=tmp_path.as_posix())
    write(main=f'include("{written}")\nf(x::Real) :: Priv() = noisy(x)\n')
    found = check("main.jl")
    assert list(found) == ["main.jl"]
    assert messages(found["main.jl"]) == [
        f"`{written}` lies outside the folder that is checked, so it is not read; check a folder that holds both files"
    ]


@posix
def test_a_link_counts_as_what_it_leads_to(check: Any, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "noise.jl").write_text(NOISY, "utf-8")
    write(main=MAIN, inside__noise=NOISY)
    Path("lib").symlink_to(tmp_path / "outside")
    assert codes(check("main.jl")["main.jl"]) == [("DP015", 1)]
    Path("lib").unlink()
    Path("lib").symlink_to("inside")
    assert check("main.jl")["main.jl"]["status"] == "proved"


@posix
def test_a_folder_that_is_a_link_is_what_it_leads_to(check: Any, tmp_path: Path) -> None:
    write(main=MAIN, lib__noise=NOISY)
    (tmp_path / "link").symlink_to(Path.cwd())
    found = check(str(tmp_path / "link"))
    assert [file["status"] for file in found.values()] == ["proved", "proved"]


@posix
def test_paths_count_from_where_a_link_stands(check: Any) -> None:
    """As Julia does it."""
    write(main=MAIN, lib__noise=NOISY, other__lib__noise="noisy(x::Real) = x\n")
    Path("other", "main.jl").symlink_to(Path("main.jl").resolve())
    found = check("other/main.jl")
    assert list(found) == ["other/main.jl", "other/lib/noise.jl"]
    assert found["other/main.jl"]["status"] != "proved"


@posix
def test_what_cannot_be_read_leaves_everything_unknown(check: Any) -> None:
    for make in (lambda path: path.mkdir(), os.mkfifo):
        write(main=MAIN)
        Path("lib").mkdir(exist_ok=True)
        make(Path("lib/noise.jl"))
        found = check("main.jl")
        assert codes(found["main.jl"]) == [("DP016", 1)]
        assert "it is not a regular file" in messages(found["main.jl"])[0]
        assert codes(found["lib/noise.jl"]) == [("DP010", 1)]
        assert found["main.jl"]["functions"][0]["status"] == "unknown"
        Path("lib/noise.jl").rmdir() if Path("lib/noise.jl").is_dir() else Path("lib/noise.jl").unlink()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("# é\n".encode("latin-1") + NOISY.encode(), "DP011"),
        (NOISY.encode("utf-16"), "DP011"),
        (b"### A Pluto.jl notebook ###\n" + NOISY.encode(), "DP012"),
    ],
)
def test_what_is_no_program_leaves_everything_unknown(check: Any, content: bytes, code: str) -> None:
    write(main=MAIN, lib__noise="")
    Path("lib/noise.jl").write_bytes(content)
    for paths in (["main.jl"], ["."]):
        found = check(*paths)
        assert codes(found["main.jl"]) == [("DP016", 1)]
        assert messages(found["main.jl"])[0].startswith("nothing is known of `lib/noise.jl`: this ")
        assert [each for each, _ in codes(found["lib/noise.jl"])] == [code]
        assert found["main.jl"]["functions"][0]["status"] == "unknown"


def test_a_byte_order_mark_is_no_text(check: Any) -> None:
    write(main=MAIN, lib__noise="")
    Path("lib/noise.jl").write_bytes(b"\xef\xbb\xbf" + NOISY.replace("\n", "\r\n").encode())
    assert check("main.jl")["main.jl"]["status"] == "proved"


def test_a_file_of_any_name_can_be_included(check: Any) -> None:
    write(main=MAIN.replace("noise.jl", "noise.julia"), lib__noise=NOISY)
    Path("lib/noise.jl").rename("lib/noise.julia")
    assert list(check("main.jl")) == ["main.jl", "lib/noise.julia"]


# Standard input


def test_standard_input_has_a_place_by_its_name(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        def __init__(self, text: str) -> None:
            self.buffer = self
            self.read = text.encode

    write(src__lib__noise=NOISY, src__main="g(x::Real) = x\n")
    monkeypatch.setattr("sys.stdin", Input(MAIN))
    found = check("-", "--stdin-filename", "src/main.jl")
    assert {path: file["status"] for path, file in found.items()} == {
        "src/main.jl": "proved",
        "src/lib/noise.jl": "proved",
    }
    both = check(".", "-", "--stdin-filename", "src/main.jl")
    assert [function["name"] for function in both["src/main.jl"]["functions"]] == ["f"]
    assert list(both) == ["src/main.jl", "src/lib/noise.jl"]
    alone = check("-")
    assert codes(alone["<stdin>"]) == [("DP018", 1)]


# Many


def chain(length: int) -> dict[str, str]:
    files = {f"a{i}": f'include("a{i + 1}.jl")\n' for i in range(length - 1)}
    return files | {f"a{length - 1}": "f(x::Real) = x\n"}


def test_a_long_row_of_files(check: Any) -> None:
    write(**chain(100))
    assert {file["status"] for file in check("a0.jl").values()} == {"proved"}
    write(**chain(101))
    found = check("a0.jl")
    assert len(found) == 100
    assert messages(found["a99.jl"]) == ["files include each other more than 100 deep here; the rest is not read"]
    assert check()["a100.jl"]["status"] == "proved", "a program of its own"


def test_very_many_files(check: Any) -> None:
    write(main="f(x::Real) = 2 * x\n" + "".join(f'include("lib/a{i}.jl")\n' for i in range(1000)))
    write(**{f"lib__a{i}": "" for i in range(1000)})
    found = check("main.jl")
    assert len(found) == 1000
    assert codes(found["main.jl"]) == [("DP910", 1001)]
    assert found["main.jl"]["functions"][0]["status"] == "unknown"


def test_a_bug_in_one_of_several_projects_of_a_file(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Engine):
        def project(self, root: str, *arguments: Any, **more: Any) -> Any:
            if root.endswith("main.jl"):
                raise RecursionError
            return super().project(root, *arguments, **more)

    monkeypatch.setattr(dp_lsp.cli.running, "Engine", Failing)
    write(main=MAIN, lib__noise=NOISY + "\ng(x::Real) = rem(x)\n", other='include("lib/noise.jl")\nh(x::Real) = x\n')
    found = check()
    assert {path: file["status"] for path, file in found.items()} == {
        "main.jl": "unknown",
        "other.jl": "proved",
        "lib/noise.jl": "unknown",
    }
    assert codes(found["lib/noise.jl"]) == [("DP901", 1), ("DP113", 3)]


def test_a_bug_makes_one_program_unknown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Engine):
        def project(self, root: str, *arguments: Any, **more: Any) -> Any:
            if root.endswith("main.jl"):
                raise RecursionError
            return super().project(root, *arguments, **more)

    monkeypatch.setattr(dp_lsp.cli.running, "Engine", Failing)
    write(main=MAIN, lib__noise=NOISY, other=NOISY)
    assert main(["check", "--output-format", "json"]) == 101
    files = json.loads(capsys.readouterr().out)["files"]
    assert [(file["path"], file["status"]) for file in files] == [
        ("main.jl", "unknown"),
        ("other.jl", "proved"),
        ("lib/noise.jl", "unknown"),
    ]
    assert [codes(file) for file in files] == [[("DP901", 1)], [], [("DP901", 1)]]


# What a person reads


def test_a_program_with_a_broken_include_for_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    write(main=MAIN, lib__noise='include("lost.jl")\n' + NOISY)
    assert main(["check", "--output-format", "concise", "main.jl"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "lib/noise.jl:1:1: error[DP013] there is no file `lost.jl`, counted from the folder of this file",
        "2 functions in 2 files: 2 unknown.",
    ]
    assert main(["check", "main.jl"]) == 1
    shown = capsys.readouterr().out
    assert shown.count('`include("lost.jl")` in `noise.jl` is not followed') == 2
    assert "  ┌─ lib/noise.jl:1:1\n1 │ include(" in shown


# What is remembered


PIECES = {
    "main.jl": ['include("a.jl")\n', 'include("b.jl")\n', "f(x::Real) = g(x)\n", "c = 3\n", "module M\n", "end\n"],
    "a.jl": ["g(x::Real) = 2 * x\n", "g(x::Real) = c * x\n", 'include("b.jl")\n', 'include("main.jl")\n', "h = 2\n"],
    "b.jl": ["c = 2\n", "k(x::Real) = g(x) + c\n", "using Flux\n", 'include("lost.jl")\n', "export g\n"],
}


def test_what_is_remembered_changes_no_answer() -> None:
    """Alternating texts of the files of projects under one memo: each answer is that of a new engine."""
    source, engine = random.Random(5), Engine()
    for _ in range(80):
        files = {name: "".join(piece for piece in pieces if source.random() < 0.6) for name, pieces in PIECES.items()}
        text = "".join(f"# file: {name}\n{content}" for name, content in files.items())
        remembered, fresh = (
            {name: (each.state, each.functions, each.problems) for name, each in several_files.check(one, text).items()}
            for one in (engine, Engine())
        )
        assert remembered == fresh, text
        assert set(fresh) == set(files)
