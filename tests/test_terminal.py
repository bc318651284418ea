"""What a terminal gets and a pipe does not: colours, links, and lines of its own width."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dp_lsp.cli.style import wants_links
from source_tree import ROOT

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such terminals")

PROGRAM = "function f(x::Real) :: Priv()\n    laplacian_mechanism(1, 1, x + x)\nend\n"
LINK = re.compile(r"\x1b\]8;;([^\x1b]*)\x1b\\([^\x1b]*(?:\x1b\[[0-9;]*m[^\x1b]*)*)\x1b\]8;;\x1b\\")


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"} | more


def on_a_terminal(folder: Path, *arguments: str, columns: int = 80, **more: str) -> str:
    """What a command writes to a terminal."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-m", "dp_lsp", *arguments]
    quietly = subprocess.DEVNULL  # else a slow machine is told how far the run is
    with subprocess.Popen(command, cwd=folder, env=environment(**more), stdout=theirs, stderr=quietly) as process:
        os.close(theirs)
        parts = []
        try:
            while part := os.read(ours, 4096):
                parts.append(part)
        except OSError:  # so Linux says that nobody writes any more
            pass
        process.wait(60)
    os.close(ours)
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a b.jl").write_text(PROGRAM, "utf-8")
    return tmp_path


def test_a_terminal_gets_colours_and_links(folder: Path) -> None:
    shown = on_a_terminal(folder, "check", ".", FORCE_HYPERLINK="1")
    assert "\x1b[31m\x1b[1merror[" in shown
    links = {text: address for address, text in LINK.findall(shown)}
    assert links["DP301"].startswith("https://") and links["DP301"].endswith("#dp301")
    assert links["a b.jl:2:31"] == (folder / "a b.jl").as_uri()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", LINK.sub(r"\2", shown))
    assert "error[DP301]: the noise hides a change of 1" in plain and "\x1b" not in plain
    assert "\x1b" not in on_a_terminal(folder, "check", ".", "--color", "never", FORCE_HYPERLINK="1")
    assert "\x1b]8" not in on_a_terminal(folder, "check", ".", "--output-format", "concise")


def test_neither_a_pipe_nor_a_file_gets_links(folder: Path) -> None:
    command = [sys.executable, "-m", "dp_lsp", "check", "."]
    forced = environment(FORCE_HYPERLINK="1", FORCE_COLOR="1")
    piped = subprocess.run(command, cwd=folder, env=forced, capture_output=True, encoding="utf-8")
    assert "\x1b[31m" in piped.stdout and "\x1b]8" not in piped.stdout
    on_a_terminal(folder, "check", ".", "--output-file", "out.txt", columns=200, FORCE_HYPERLINK="1")
    assert "\x1b" not in (folder / "out.txt").read_text("utf-8")


def test_lines_are_as_long_as_the_terminal_is_wide(folder: Path) -> None:
    (folder / "a b.jl").write_text(PROGRAM.replace("x + x", f"x + x + {'0 + ' * 60}0"), "utf-8")
    for columns in (70, 150):
        shown = on_a_terminal(folder, "check", ".", columns=columns, NO_COLOR="1")
        (line,) = [line for line in shown.splitlines() if line.startswith("2 │")]
        assert len(line) == columns


@pytest.mark.parametrize(
    ("said", "links"),
    [
        ({}, False),
        ({"TERM_PROGRAM": "WezTerm"}, True),
        ({"TERM_PROGRAM": "WezTerm", "FORCE_HYPERLINK": "0"}, False),
        ({"TERM_PROGRAM": "Apple_Terminal"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "dumb", "FORCE_HYPERLINK": "1"}, False),
        ({"VTE_VERSION": "7600"}, True),
        ({"VTE_VERSION": "3400"}, False),
        ({"WT_SESSION": "x"}, True),
        ({"FORCE_HYPERLINK": "1"}, True),
    ],
)
def test_which_terminals_show_links(said: dict[str, str], links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdout", Terminal())
    for name in ("FORCE_HYPERLINK", "TERM_PROGRAM", "VTE_VERSION", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    assert wants_links() is links
    assert not wants_links(to_file=True)
