"""Several processes check at once: nothing is said otherwise than by one, and none is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.cache.store import VARIABLE
from dp_lsp.cli import checks, main
from dp_lsp.engine.check import Engine
from source_tree import ROOT

PROGRAMS = {
    "a.jl": 'include("lib/c.jl")\nf(x::Real) = c(x)\n',
    "b.jl": "function b(x::Real, eps::Static()) :: Priv()\n    laplacian_mechanism(1, eps, 2 * x)\nend\n",
    "d.jl": 'include("lib/c.jl")\ninclude("gone.jl")\nd(x::Real) = nowhere(c(x))\n',
    "e.jl": "function (\n",
    "f.jl": "",
    "lib/c.jl": "c(x::Real) = 3 * x\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PROGRAMS.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "project" / "g.jl").write_bytes(b"\xff\xfe")
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "project"


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code = main(["check", "--output-format", "json", *arguments])
    return code, json.loads(capsys.readouterr().out)


def with_children(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    """Let the other processes do something before they check a project."""
    lines = (
        "from dp_lsp.cli import checks, running",
        "project = running.Run.project",
        "def other(run, root, *rest, **more):",
        *(f"    {line}" for line in before.splitlines()),
        "    return project(run, root, *rest, **more)",
        "running.Run.project = other",
        "checks.serve()",
    )
    monkeypatch.setattr(checks, "_COMMAND", (sys.executable, "-c", "\n".join(lines)))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.mark.parametrize("options", [[], ["--witness", "--fixes", "--set", "eps=0.5", "--statistics"]])
def test_several_processes_say_what_one_says(folder: Path, capsys: Any, options: list[str]) -> None:
    one = check(capsys, "--jobs", "1", "--no-cache", *options)
    assert check(capsys, "--jobs", "3", *options) == one
    assert check(capsys, *options) == one


def test_what_other_processes_found_out_is_kept(folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = check(capsys, "--jobs", "2")
    monkeypatch.setattr(Engine, "project", lambda *_, **__: 1 / 0)
    assert check(capsys, "--jobs", "1") == found


def test_a_process_that_dies_leaves_the_rest(folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    good = check(capsys, "--no-cache")[1]["files"]
    with monkeypatch.context() as patch:
        with_children(patch, "import os\nif root.endswith('a.jl'): os._exit(3)")
        code, report = check(capsys, "--jobs", "2")
    assert code == 101
    for was, now in zip(good, report["files"], strict=True):
        if now["path"] in ("a.jl", "lib/c.jl"):
            assert now["status"] == "unknown"
            assert "DP901" in [problem["code"] for problem in now["diagnostics"]]
        else:
            assert was == now
    assert check(capsys)[1]["files"] == good  # that was not kept


def test_processes_that_cannot_be_started_are_done_without(
    folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = check(capsys, "--no-cache")
    monkeypatch.setattr(checks, "_COMMAND", ("/no/such/program",))
    assert check(capsys, "--jobs", "2") == good


def test_what_a_process_read_besides_its_job_does_not_count(
    folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = check(capsys, "--no-cache")
    with_children(monkeypatch, "rest[1].text('/else/where.jl')")
    counted: list[str] = []
    project = Engine.project

    def count(engine: Engine, root: str, *rest: Any, **more: Any) -> Any:
        counted.append(os.path.basename(root))
        return project(engine, root, *rest, **more)

    monkeypatch.setattr(Engine, "project", count)
    assert check(capsys, "--jobs", "2") == good
    assert counted == ["a.jl", "b.jl", "d.jl", "e.jl", "f.jl", "g.jl"]


SLOW = """
import os, sys, time
from dp_lsp.cli import checks
from dp_lsp.cli import main
children = '''
import os, sys, time
from dp_lsp.cli import checks
from dp_lsp.cli import running
def slow(*_, **__):
    open(sys.argv[1] + '/' + str(os.getpid()), 'w').close()
    time.sleep(600)
running.Run.project = slow
checks.serve()
'''
checks._COMMAND = (sys.executable, '-c', children, sys.argv.pop(1))
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="there is no interrupt to send to one process on Windows")
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_no_process_is_left(folder: Path, tmp_path: Path, how: signal.Signals, code: int) -> None:
    (tmp_path / "children").mkdir()
    command = [sys.executable, "-c", SLOW, str(tmp_path / "children"), "check", "--no-cache", "--jobs", "2"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE) as process:
        until(lambda: len(os.listdir(tmp_path / "children")) == 2)
        process.send_signal(how)
        assert process.wait(300) == code
        assert process.stderr is not None
        assert process.stderr.read().strip() == b""
    until(lambda: not any(map(is_running, os.listdir(tmp_path / "children"))))


def until(reached: Any) -> None:
    """Wait for it; five minutes are more than any machine needs, however busy."""
    ends = time.monotonic() + 300
    while not reached():
        assert time.monotonic() < ends
        time.sleep(0.02)


def is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    state = Path("/proc", pid, "stat")
    return not (state.exists() and state.read_text().split(") ")[1].startswith("Z"))


def test_few_files_are_checked_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_cores", lambda: 8)
    worth = checks.WORTH_A_PROCESS
    assert [checks.default(size) for size in (0, worth, 2 * worth, 100 * worth)] == [1, 1, 2, 8]
