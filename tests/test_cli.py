"""The command line as a process: exit codes, what is checked, settings and streams."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dp_lsp.cli.running
from analyses import analysis, function, problem
from dp_lsp.analysis.limits import Ticket
from dp_lsp.analysis.loading import Loader, SourceText
from dp_lsp.analysis.records import Analysis, ChunkRecord, Setting, State, unchecked
from dp_lsp.cache.store import VARIABLE
from dp_lsp.cli import main
from dp_lsp.cli.output import RunProgress
from dp_lsp.engine.check import OptionsOf
from dp_lsp.problem import Severity
from dp_lsp.text import Source, Span
from source_tree import ROOT

LINUX = sys.platform == "linux"
FILES = "Julia file (.jl) or Python file (.py, .ipynb)"


def dp_lsp_process(*arguments: str, cwd: Path, env: dict[str, str] | None = None, **more: Any) -> Any:
    """Run the command in a process of its own; output is decoded as UTF-8, whatever the locale says."""
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return subprocess.run(
        [sys.executable, "-m", "dp_lsp", *arguments],
        cwd=cwd,
        env=clean | {"PYTHONPATH": str(ROOT)} | (env or {}),
        encoding="utf-8",
        timeout=300,
        **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more),
    )


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Let the engine answer for every text what the test says, in a folder with two files."""
    (tmp_path / "a.jl").write_text("x\n", "utf-8")
    (tmp_path / "b.jl").write_text("y\n", "utf-8")
    monkeypatch.chdir(tmp_path)

    def use(check: Any) -> None:
        class Fake:
            def __init__(self, answers: Any) -> None: ...
            def includes(self, name: str, text: SourceText) -> tuple[str, ...]:
                return ()

            def project(
                self, root: str, files: Loader, options: OptionsOf, ticket: Ticket, on_chunk: Any
            ) -> dict[str, Analysis]:
                on_chunk(b"")
                text = files.text(root)
                if text.problem:
                    return {root: unchecked(Source(text.content), text.problem, options(root))}
                return {root: check(text.content) if callable(check) else check}

            def records(self, root: str) -> tuple[ChunkRecord, ...]:
                return ()

        monkeypatch.setattr(dp_lsp.cli.running, "Engine", Fake)
        monkeypatch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))

    return use


# Exit codes


@pytest.mark.parametrize(
    ("found", "options", "code"),
    [
        (analysis(), [], 0),
        (analysis(state=State.UNKNOWN), [], 1),
        (analysis(state=State.FAILED), [], 1),
        (analysis(problems=(problem(Span(0, 1)),)), [], 1),
        (analysis(state=State.UNKNOWN), ["--exit-zero"], 0),
        (analysis(problems=(problem(Span(0, 1), Severity.WARNING),)), [], 0),
        (analysis(problems=(problem(Span(0, 1), Severity.WARNING),)), ["--error-on-warning"], 1),
        (analysis(problems=(problem(Span(0, 1), Severity.WARNING),)), ["--error-on-warning", "--exit-zero"], 0),
        (analysis(problems=(problem(Span(0, 1), Severity.HINT),)), ["--error-on-warning"], 0),
    ],
)
@pytest.mark.parametrize("form", ["full", "concise", "json"])
def test_exit_code_says_what_was_found(answer: Any, found: Analysis, options: list[str], code: int, form: str) -> None:
    answer(found)
    assert main(["check", "--output-format", form, *options]) == code


def test_a_bug_makes_one_file_unknown_and_the_rest_is_still_reported(
    answer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(text: str) -> Analysis:
        if text == "x\n":
            raise RecursionError("in the middle")
        return analysis(text)

    answer(check)
    assert main(["check", "--output-format", "json", "--exit-zero", "--set", "k=1"]) == 101
    first, second = json.loads(capsys.readouterr().out)["files"]
    assert (first["path"], first["status"], second["status"]) == ("a.jl", "unknown", "proved")
    assert [(each["code"], each["name"]) for each in first["diagnostics"]] == [("DP901", "internal-error")]
    assert "RecursionError" in first["diagnostics"][0]["message"]


def test_interrupt(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def check(text: str) -> Analysis:
        raise KeyboardInterrupt

    answer(check)
    assert main(["check"]) == 130
    assert capsys.readouterr().out == ""


@pytest.mark.skipif(os.name == "nt", reason="there is no interrupt to send to one process on Windows")
def test_interrupt_from_outside(tmp_path: Path) -> None:
    slow = (
        "import sys, time, dp_lsp.cli, dp_lsp.cli.running\n"
        "def wait(*_, **__):\n    print('waiting', file=sys.stderr, flush=True)\n    time.sleep(600)\n"
        "dp_lsp.cli.running.Engine.project = wait\nsys.exit(dp_lsp.cli.main())"
    )
    command = [sys.executable, "-c", slow, "check", "-"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None and process.stderr.readline() == b"waiting\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(300) == 130
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jl"], "'missing.jl' does not exist"),
        (["missing.jl", "a.jl", "gone"], "'missing.jl', 'gone' do not exist"),
        (["empty"], f"no {FILES} that imports `dp_types` in 'empty': nothing to check"),
        (["notes.md"], f"'notes.md' is not a {FILES}: nothing to check"),
        (["notes.md", "LICENSE"], f"none of 'notes.md', 'LICENSE' is a {FILES}: nothing to check"),
        (["notes.md", "empty"], f"in 'empty': nothing to check\n'notes.md' is not a {FILES}: nothing to check"),
        (["a.jl", "--stdin-filename", "b.jl"], "give - as PATH"),
        (["-", "--stdin-filename", "b.txt"], f"'b.txt' is not a {FILES}"),
        (["--output-format", "yaml", "a.jl"], "'yaml'"),
        (["--jobs", "0", "a.jl"], "--jobs"),
        (["--jobs", "many", "a.jl"], "--jobs"),
        (["--set", "k", "a.jl"], "[FUNCTION:]NAME=NUMBER"),
        (["--set", "k=1/0", "a.jl"], "'1/0' is not a number"),
        (["--set", "k=1e999999999", "a.jl"], "is not a number"),
        (["--set", "k=nan", "a.jl"], "'nan' is not a number"),
        (["--set", "k=1", "--set", "k=2", "a.jl"], "k two numbers"),
        (["--output-file", "no/such/folder", "a.jl"], "no/such/folder"),
        (["--log-file", "no/such/folder", "a.jl"], "no/such/folder"),
    ],
)
def test_wrong_usage(answer: Any, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    Path("empty").mkdir()
    Path("notes.md").write_text("# Notes\n", "utf-8")
    Path("LICENSE").write_text("MIT\n", "utf-8")
    answer(analysis())
    assert main(["check", *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


# What is checked


def checked_paths(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    main(["check", "--output-format", "json", *arguments])
    return [file["path"] for file in json.loads(capsys.readouterr().out)["files"]]


def test_a_folder_means_every_julia_file_below_it(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("src/z.jl", "src/deep/é.jl", "src/.git/no.jl", "src/.#lock.jl", "src/no.py", "src/nojl"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("", "utf-8")
    if os.name != "nt":
        Path("src/deep/round").symlink_to(Path("src").absolute())
    answer(analysis())
    assert checked_paths(capsys) == ["a.jl", "b.jl", "src/z.jl", "src/deep/é.jl"]
    assert checked_paths(capsys, "src", "a.jl", "./a.jl", "src/z.jl") == ["src/z.jl", "src/deep/é.jl", "a.jl"]
    assert checked_paths(capsys, "a.jl", "src/no.py", "src/nojl") == ["a.jl", "src/no.py"]
    os.chdir("src")
    above = Path("..", "a.jl").resolve().as_posix()
    assert checked_paths(capsys, "../a.jl") == [above]


def test_a_folder_that_cannot_be_opened_is_not_skipped(
    answer: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("closed").mkdir()
    answer(analysis())
    scan = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert main(["check", "--output-format", "concise"]) == 1
    assert "closed:1:1: error[DP010] this file cannot be read: Permission denied" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "code", "place"),
    [
        (b"f(x) = x\ng = \xff\n", "DP011", (2, 5)),
        ("f(x) = 'é'\n".encode("utf-16"), "DP011", (1, 1)),
    ],
)
def test_a_file_that_is_no_program_is_unknown(
    answer: Any, capsys: pytest.CaptureFixture[str], content: bytes, code: str, place: tuple[int, int]
) -> None:
    answer(analysis())
    Path("a.jl").write_bytes(content)
    assert main(["check", "--output-format", "json"]) == 1
    first, second = json.loads(capsys.readouterr().out)["files"]
    assert (first["status"], second["status"]) == ("unknown", "proved")
    (diagnostic,) = first["diagnostics"]
    assert (diagnostic["code"], tuple(diagnostic["range"]["start"].values())) == (code, place)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes in the file system are of other systems")
def test_what_cannot_be_read_is_unknown(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Path("dangling.jl").symlink_to("nowhere")
    Path("loop.jl").symlink_to("loop.jl")
    os.mkfifo("pipe.jl")
    answer(analysis())
    assert main(["check", "dangling.jl", "loop.jl", "pipe.jl", "a.jl", "--output-format", "concise"]) == 1
    *lines, summary = capsys.readouterr().out.splitlines()
    names = [re.match(r"(\w+)\.jl:1:1: error\[DP010\] this file cannot be read: ", line)[1] for line in lines]
    assert names == ["dangling", "loop", "pipe"]
    assert summary == "no function in 4 files: 3 unknown."


def test_a_byte_order_mark_is_no_text(answer: Any) -> None:
    texts = []
    answer(lambda text: (texts.append(text), analysis())[1])
    Path("a.jl").write_bytes(b"\xef\xbb\xbff(x) = x\r\n")
    assert main(["check", "a.jl"]) == 0
    assert texts == ["f(x) = x\r\n"]


def test_standard_input(tmp_path: Path) -> None:
    plainly = dp_lsp_process("check", "-", "--output-format", "json", cwd=tmp_path, input="ε = 1\n")
    assert json.loads(plainly.stdout)["files"][0]["path"] == "<stdin>"
    arguments = ("check", "-", "--stdin-filename", "src/f.jl", "--output-format", "json")
    named = dp_lsp_process(*arguments, cwd=tmp_path, input="ε = 1\n")
    assert json.loads(named.stdout)["files"][0]["path"] == "src/f.jl"


# Settings


@pytest.mark.parametrize(
    ("argument", "setting"),
    [
        ("k=1e-5", Setting(None, "k", Fraction(1, 100_000))),
        ("f:k=1/3", Setting("f", "k", Fraction(1, 3))),
        ("\N{MICRO SIGN}=1", Setting(None, "\N{GREEK SMALL LETTER MU}", Fraction(1))),
        ("ε=0.2", Setting(None, "ε", Fraction(1, 5))),
        ("rows(data)=48000", Setting(None, "rows(data)", Fraction(48000))),
        ("k = -.5", Setting(None, "k", Fraction(-1, 2))),
    ],
)
def test_numbers_are_exact(argument: str, setting: Setting) -> None:
    from dp_lsp.cli.files import setting as read

    assert read(argument) == setting


@pytest.mark.parametrize(
    ("argument", "complaint"),
    [
        ("eps=1", None),
        ("f:eps=1", None),
        ("rows(x)=1", None),
        ("esp=1", "no function that was checked has a parameter 'esp'. Near: eps."),
        ("g:eps=1", "no function that was checked is called 'g'."),
        ("rows(y)=1", "parameter 'y'"),
    ],
)
def test_a_setting_that_nothing_takes_is_a_usage_error(
    answer: Any, capsys: pytest.CaptureFixture[str], argument: str, complaint: str | None
) -> None:
    answer(analysis(functions=(function(),)))
    assert main(["check", "--set", argument]) == (2 if complaint else 0)
    shown = capsys.readouterr()
    assert complaint in shown.err if complaint else shown.err == ""
    assert "2 functions in 2 files: 2 proved." in shown.out


# Streams


def test_a_closed_pipe(tmp_path: Path) -> None:
    (tmp_path / "a.jl").write_text("f(x) = x\n", "utf-8")
    for arguments in (["check", "a.jl"], ["--help"], ["explain", "DP010"]):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            result = dp_lsp_process(*arguments, cwd=tmp_path, stdout=writer)
        finally:
            os.close(writer)
        assert (result.returncode, result.stderr) == (2, ""), arguments


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
def test_the_largest_exit_code_counts(answer: Any) -> None:
    answer(analysis(state=State.FAILED))
    assert main(["check", "--output-file", "/dev/full"]) == 2
    answer(lambda text: 1 / 0)
    assert main(["check", "--output-file", "/dev/full"]) == 101


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "a.jl").write_text("f(x) = x\n", "utf-8")
    with open("/dev/full", "w") as full:
        result = dp_lsp_process("check", "a.jl", cwd=tmp_path, stdout=full)
    assert result.returncode == 2
    assert result.stderr == "Error: standard output: No space left on device\n"
    assert dp_lsp_process("check", "a.jl", "--output-file", "/dev/full", cwd=tmp_path).returncode == 2


def test_output_is_utf8_on_any_locale(tmp_path: Path) -> None:
    (tmp_path / "naïve-ε.jl").write_bytes(b"\xff")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    result = dp_lsp_process("check", ".", cwd=tmp_path, env=ascii_only)
    assert "┌─ na" in result.stdout  # what follows in the name is no character in such a locale
    assert result.returncode == 1


@pytest.mark.skipif(not LINUX, reason="other systems have only names that are Unicode")
def test_a_name_that_is_not_unicode(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jl")).write_bytes(b"\xff")
    for form in ("full", "concise", "json"):
        result = dp_lsp_process("check", "--output-format", form, cwd=tmp_path)
        assert result.returncode == 1, result.stderr
    assert json.loads(result.stdout)["files"][0]["path"] == "\udcff.jl"


@pytest.mark.parametrize(
    ("environment", "options", "colour"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"FORCE_COLOR": "1"}, ["--output-format", "json"], False),
        ({"FORCE_COLOR": "1"}, ["--output-format", "concise"], True),
        ({"FORCE_COLOR": "1"}, ["--output-file", "out.txt"], False),
    ],
)
def test_colour(tmp_path: Path, environment: dict[str, str], options: list[str], colour: bool) -> None:
    (tmp_path / "a.jl").write_bytes(b"\xff")
    result = dp_lsp_process("check", "a.jl", *options, cwd=tmp_path, env=environment)
    out = tmp_path / "out.txt"
    text = out.read_text("utf-8") if out.exists() else result.stdout
    assert ("\x1b[" in text) is colour
    assert "DP011" in text


def test_logs_go_to_standard_error_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.jl").write_text("x\n", "utf-8")
    program = (
        "import sys, dp_lsp.cli, dp_lsp.cli.running\n"
        "def fail(*_, **__):\n    raise ZeroDivisionError\n"
        "dp_lsp.cli.running.Engine.project = fail\nsys.exit(dp_lsp.cli.main())"
    )
    command = [sys.executable, "-c", program, "check", str(tmp_path / "a.jl"), "--output-format", "concise"]
    run = {"cwd": ROOT, "capture_output": True, "encoding": "utf-8"}
    quiet = subprocess.run(command, **run)
    assert (quiet.returncode, quiet.stderr) == (101, "")
    loud = subprocess.run([*command, "--log-level", "debug"], **run)
    assert (loud.returncode, loud.stdout) == (101, quiet.stdout)
    assert "ZeroDivisionError" in loud.stderr and "Traceback" in loud.stderr
    log = tmp_path / "log.txt"
    filed = subprocess.run([*command, "--log-level", "debug", "--log-file", str(log)], **run)
    assert filed.stderr == ""
    assert "Traceback" in log.read_text("utf-8")


def test_version_and_help_teach(tmp_path: Path) -> None:
    assert dp_lsp_process("--version", cwd=tmp_path).stdout == f"dp-lsp {dp_lsp.__version__}\n"
    assert "dp-lsp check program.jl" in dp_lsp_process("--help", cwd=tmp_path).stdout
    helped = dp_lsp_process("check", "--help", cwd=tmp_path).stdout
    assert 'dp-lsp check --set eps=0.2 --set k=1000 --set "rows(data)=48000" train.jl' in helped


class Clock:
    """A time that passes only when a test says so, and a terminal that remembers what it was sent."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sent = ""

    def monotonic(self) -> float:
        return self.now

    def write(self, text: str) -> None:
        self.sent += text

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("dp_lsp.cli.output.time", clock)
    monkeypatch.setattr("sys.stderr", clock)
    monkeypatch.setenv("TERM", "xterm")
    progress = RunProgress(2)
    progress.file("a.jl")
    progress.chunk(b"")
    assert clock.sent == ""
    clock.now = 1.5
    progress.file("b.jl")
    progress.chunk(b"")
    assert clock.sent == "\rchecking file 2 of 2, 1 definitions: b.jl\x1b[K"
    progress.done()
    assert clock.sent.endswith("\r\x1b[K")


def test_progress_is_not_shown_in_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    monkeypatch.setattr("dp_lsp.cli.output.time", clock)
    progress = RunProgress(1)
    clock.now = 9
    progress.file("a.jl")
    progress.done()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("address", ["nonsense", "localhost:", "localhost:http", "localhost:99999"])
def test_a_server_needs_an_address_that_is_one(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["server", "--tcp", address]) == 2
    assert "HOST:PORT, as in 127.0.0.1:2087" in capsys.readouterr().err


def test_a_server_says_when_its_address_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["server", "--tcp", f"127.0.0.1:{taken.getsockname()[1]}"]) == 2
    assert "in use" in capsys.readouterr().err


def test_a_notebook_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jl").write_text("### A Pluto.jl notebook ###\n# v0.19\nf(x::Real) = x + x\n")
    assert main(["check", "a.jl", "--output-format", "concise"]) == 1
    assert "a.jl:1:1: error[DP012]" in capsys.readouterr().out
