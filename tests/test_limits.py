"""What a check may take: time, memory and text. More is unknown, says which limit that was, and harms no other file."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import dp_lsp.cli.running
from dp_lsp.analysis.limits import EVER, MOST, Limits, Ticket
from dp_lsp.analysis.records import Options
from dp_lsp.cli import main
from dp_lsp.configuration.keys import Configuration
from dp_lsp.engine.check import Engine

PROGRAM = "f(x::Real) = 2 * x\n"
Check = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Check two files: the exit code, and the reports by path."""
    monkeypatch.chdir(tmp_path)
    Path("a.jl").write_text(PROGRAM, "utf-8")
    Path("b.jl").write_text(f"\n{PROGRAM}", "utf-8")

    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        code = main(["check", "--output-format", "json", *arguments])
        out = capsys.readouterr().out
        return code, {each["path"]: each for each in json.loads(out)["files"]} if out else {}

    return run


def what(report: dict[str, Any]) -> tuple[str, list[tuple[str, str]]]:
    return report["status"], [(each["code"], each["message"]) for each in report["diagnostics"]]


def instead(monkeypatch: pytest.MonkeyPatch, do: Callable[[Any], object]) -> None:
    """Let the check of the first file do something else, which is given its ticket."""

    class Slow(Engine):
        def project(self, root: str, loader: Any, options: Any = None, ticket: Any = None, **more: Any) -> Any:
            if root.endswith("a.jl"):
                do(ticket)
            return super().project(root, loader, options, ticket, **more)

    monkeypatch.setattr(dp_lsp.cli.running, "Engine", Slow)


def looks(ticket: Any) -> None:
    while True:
        ticket.look()


def never_looks(ticket: Any) -> None:
    while True:
        pass


@pytest.mark.parametrize("do", [looks, never_looks])
def test_what_takes_too_long_is_unknown(do: Any, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    if do is never_looks and not hasattr(signal, "setitimer"):
        pytest.skip("the system interrupts nothing")
    before = signal.getsignal(signal.SIGALRM) if hasattr(signal, "SIGALRM") else None
    limited = dp_lsp.cli.running.limited

    def soon(limits: Limits, characters: int) -> AbstractContextManager[Ticket]:
        return limited(limits._replace(time=0.05 if characters == len(PROGRAM) else 60), 0)

    with monkeypatch.context() as patch:
        instead(patch, do)
        patch.setattr(dp_lsp.cli.running, "limited", soon)
        patch.setattr(dp_lsp.cli.running, "_GRACE", 0.05)
        code, found = check("--limit", "time=7")
    assert code == 1
    told = [("DP981", "this file was not checked within 7 seconds of computing; nothing in it is proved")]
    assert (what(found["a.jl"]), what(found["b.jl"])) == (("unknown", told), ("proved", []))
    assert before is None or signal.getsignal(signal.SIGALRM) is before
    assert check()[0] == 0, "the next run has time"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems hold no process to a limit of memory")
def test_what_takes_too_much_memory_is_unknown(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    instead(monkeypatch, lambda ticket: [bytearray(1 << 28) for _ in range(40)])
    code, found = check("--limit", "memory=300")
    assert code == 1
    told = [("DP982", "this file was not checked with 300 MiB of memory; nothing in it is proved")]
    assert (what(found["a.jl"]), what(found["b.jl"])) == (("unknown", told), ("proved", []))
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_a_file_that_is_too_long_is_unknown(check: Check) -> None:
    Path("a.jl").write_text('include("b.jl")\ng(x::Real) = f(x)\n', "utf-8")
    Path("b.jl").write_text(f"{PROGRAM}# {'x' * 1000}\n", "utf-8")
    assert check()[0] == 0
    Path("dp-lsp.toml").write_text("[limits]\ncharacters = 1000\n", "utf-8")
    code, found = check()
    message = "this file has 1,022 characters, and no more than 1,000 are checked; split it"
    assert code == 1
    assert what(found["b.jl"]) == ("unknown", [("DP911", message)])
    assert found["a.jl"]["status"] == "unknown"
    assert [each["code"] for each in found["a.jl"]["diagnostics"]] == ["DP016"]


# Who may change them


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("[limits]\ntime = 61\n", "DP812", "a whole number from 1 to 60"),
        ("[limits]\nmemory = 100000\n", "DP812", "a whole number from 1 to 4096"),
        ("[limits]\ntime = 0\n", "DP812", "a whole number from 1 to 60"),
        ("[limits]\ntime = 1.5\n", "DP812", "a whole number from 1 to 60"),
        ("limits = 5\n", "DP812", "a table"),
        ("[limits]\nnesting = 5\n", "DP811", "`time`, `characters` and `memory`"),
        ('command = "touch owned"\n', "DP811", "`command` is not a key"),
        ('plugins = ["evil"]\n', "DP811", "`plugins` is not a key"),
    ],
)
def test_a_configuration_only_lowers_them_and_names_no_program(
    text: str, code: str, words: str, check: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("dp-lsp.toml").write_text(text, "utf-8")
    assert main(["check"]) == 2
    shown = capsys.readouterr().err
    assert f"error[{code}]" in shown and words in shown


def test_the_lower_limit_counts() -> None:
    mine = Configuration(limits=EVER._replace(time=5))
    assert mine.options("a.jl", Options()).limits == MOST._replace(time=5)
    assert mine.options("a.jl", Options(limits=Limits(time=2, memory=9_999))).limits == Limits(
        2, MOST.characters, 9_999
    )
    assert Configuration().options("a.jl", Options(limits=Limits(time=600))).limits.time == 600


@pytest.mark.parametrize("value", ["time", "time=x", "time=-1", "time=0", "rows=5", "time=99999999", "characters=1.5"])
def test_a_limit_that_is_none(value: str, check: Check) -> None:
    assert check("--limit", value) == (2, {})


@pytest.mark.parametrize(
    ("text", "code", "limit"),
    [
        (f"f(x::Real) = {'(x + ' * 200}x{')' * 200}\n", "DP004", "more than 120 levels"),
        (f"f(x::Real) = x * {'9' * 400}\n", "DP002", "A number out of range"),
    ],
)
def test_what_is_too_deep_or_too_long_is_unknown(text: str, code: str, limit: str, check: Check) -> None:
    Path("a.jl").write_text(text, "utf-8")
    ended, found = check()
    status, told = what(found["a.jl"])
    assert (ended, status, found["b.jl"]["status"]) == (1, "unknown", "proved")
    assert any(each == code and limit in message for each, message in told), told
