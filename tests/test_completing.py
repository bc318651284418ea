"""Completion in shells: typed in real ones, where there are some, and ended by a tab."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dp_lsp.analysis.catalogue import kinds
from dp_lsp.builtins import TABLE
from dp_lsp.cli import main
from dp_lsp.cli.commands import explained
from dp_lsp.frontends import LANGUAGES
from source_tree import ROOT

PATIENCE = 300.0  # seconds
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(dp-lsp completion bash)"'),
    "zsh": (["zsh", "-f", "-i"], 'autoload -Uz compinit; compinit -u -D; eval "$(dp-lsp completion zsh)"'),
    "fish": (["fish", "--no-config", "-i"], "dp-lsp completion fish | source"),
}


def offered(typed: str) -> set[str]:
    return {item.value for item in explained(typed) if item.type == "plain"}


def test_what_can_be_explained_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lab").mkdir()
    for name in ("clips.jl", "clips.txt", "lab/a.jl"):
        (tmp_path / name).write_text("", "utf-8")
    monkeypatch.chdir(tmp_path)
    codes = set(kinds())
    spelt = {name for language in LANGUAGES.values() for name in language.builtins.names()}
    assert offered("") == codes | TABLE.keys() | spelt | {"clips.jl"}
    assert offered("dp30") == {code for code in codes if code.startswith("DP30")}
    assert offered("clip") == {name for name in TABLE if name.startswith("clip")} | {"clips.jl"}
    assert offered("lab/") == {"lab/a.jl"}
    assert "unreadable" in offered("unread")
    assert "datasets" in offered("datas")
    assert [item.type for item in explained("clips.t")] == [item.type for item in explained("no/where")] == ["file"]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert f"_DP_LSP_COMPLETE={shell}_complete" in capsys.readouterr().out


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with ``dp-lsp`` in it, which notes what it was called with."""
    folder = tmp_path / "bin"
    folder.mkdir()
    run = shlex.join([sys.executable, "-m", "dp_lsp"])
    note = f'case "$_DP_LSP_COMPLETE$1" in completion|*_complete) exec {run} "$@";; esac\necho "$*" >>{tmp_path}/called'
    (folder / "dp-lsp").write_text(f"#!/bin/sh\n{note}\n", "utf-8")
    (folder / "dp-lsp").chmod(0o755)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_tab_completes(shell: str, program: Path, tmp_path: Path) -> None:
    """A command, an option's value, a code, a name and a file, each typed in part."""
    command, setup = SHELLS[shell]
    if shutil.which(command[0]) is None:
        pytest.skip(f"not run: there is no {shell} on this machine")
    (tmp_path / "programme.jl").write_text("", "utf-8")
    lines = [
        "dp-lsp expl\tunread\t",
        "dp-lsp check --output-fo\tconc\tprogr\t",
    ]
    typed_in(command, [setup, *lines], program, tmp_path)
    called = (tmp_path / "called").read_text("utf-8").split("\n")
    assert [line.split() for line in called[: len(lines)]] == [
        ["explain", "unreadable"],
        ["check", "--output-format", "concise", "programme.jl"],
    ]


def typed_in(command: list[str], lines: list[str], program: Path, folder: Path) -> None:
    """Type lines into a shell on a terminal of its own, and wait until all but the first were run."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    environment = {
        **os.environ,
        "PATH": f"{program}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "TERM": "xterm",
        "PS1": "> ",
    }
    shell = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    seen = b""
    os.set_blocking(ours, False)
    called = folder / "called"
    try:
        for number, line in enumerate(lines):
            os.write(ours, f"{line}\r".encode())
            end = time.monotonic() + PATIENCE
            while number and (not called.exists() or called.read_text("utf-8").count("\n") < number):
                assert time.monotonic() < end, f"{line!r} was not run: {seen.decode(errors='replace')[-800:]}"
                with contextlib.suppress(BlockingIOError):
                    seen += os.read(ours, 65536)
                time.sleep(0.02)
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)
