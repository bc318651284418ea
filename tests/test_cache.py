"""What earlier runs found out: it is used only if nothing has changed that it depends on, and if it is whole."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import dp_lsp.cli.running
from dp_lsp.analysis.limits import OutOfTime
from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.plain import UNREADABLE, plain
from dp_lsp.analysis.records import Analysis, ChunkRecord, Options
from dp_lsp.cache import results
from dp_lsp.cache.results import ProgramStamp, Results
from dp_lsp.cache.store import VARIABLE, Folder
from dp_lsp.cli import main
from dp_lsp.disk.loader import Disk
from dp_lsp.engine.check import Engine
from dp_lsp.text import Source
from source_tree import ROOT
from test_worker import Client

TWICE = "twice(x::Real) = x + x\n"
RELEASE = "function release(x::Real, eps::Static()) :: Priv()\n    laplacian_mechanism({}, eps, {}x)\nend\n"
FIXABLE = "scaled(x::Real) = 2 * x\n\ng(x::Real) = scalled(x)\n"


class Runs:
    """Runs the command in a folder. ``checked`` are the projects that were really checked in the last run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.checked: list[str] = []
        self.before: Callable[[], object] = lambda: None
        self._capsys = capsys
        project = dp_lsp.cli.running.Run.project

        def counted(run: Any, root: str, *rest: Any) -> dict[str, Analysis]:
            self.checked.append(os.path.basename(root))
            self.before()
            return project(run, root, *rest)

        monkeypatch.setattr(dp_lsp.cli.running.Run, "project", counted)

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        self.checked.clear()
        code = main(["check", *arguments])
        out, err = self._capsys.readouterr()
        return code, out, err

    def same(self, *arguments: str) -> list[str]:
        """A run says the same as one that knows nothing; which projects it checked."""
        arguments = ("--output-format", "json", *arguments)
        found = self(*arguments)
        checked = list(self.checked)
        assert found == self("--no-cache", *arguments)
        return checked


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runs:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return Runs(monkeypatch, capsys)


def write(**files: str) -> None:
    for name, text in files.items():
        path = Path(f"{name.replace('__', '/')}.jl")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")


def entries() -> list[Path]:
    return [path for path in Path(os.environ[VARIABLE], "results").glob("??/*") if path.is_file()]


def test_what_did_not_change_is_not_checked_again(run: Runs) -> None:
    write(a=TWICE, b='include("c.jl")\nf(x::Real) = c(x)\n', c="c(x::Real) = x\n")
    assert run.same() == ["a.jl", "b.jl"]
    assert run.same() == []
    write(a=TWICE.replace("x + x", "x + 2 * x"))
    assert run.same() == ["a.jl"]
    write(c="c(x::Real) = 7 * x\n")
    assert run.same() == ["b.jl"]
    write(c="c(x::Real) = x\n")
    assert run.same() == []  # what was found out before is still known
    write(b="f(x::Real) = c(x)\n")
    assert run.same() == ["b.jl", "c.jl"]


def test_includes_that_come_go_and_lead_elsewhere(run: Runs, tmp_path: Path) -> None:
    write(a='include("lib/base.jl")\nf(x::Real) = b(x)\n')
    assert run.same("a.jl") == ["a.jl"]
    assert run.same("a.jl") == []
    write(lib__base="b(x::Real) = 2 * x\n")
    assert run.same("a.jl") == ["a.jl"]
    write(lib__bases="b(x::Real) = 3 * x\n")
    assert run.same("a.jl") == []
    Path("lib/base.jl").unlink()
    os.symlink("bases.jl", "lib/base.jl")
    assert run.same("a.jl") == ["a.jl"]
    outside = tmp_path / "outside.jl"
    outside.write_text("b(x::Real) = 3 * x\n", "utf-8")  # the same text
    Path("lib/base.jl").unlink()
    os.symlink(outside, "lib/base.jl")
    assert run.same("a.jl") == ["a.jl"]
    Path("lib/base.jl").unlink()
    assert run.same("a.jl") == ["a.jl"]  # a hint names a file that is there now
    shutil.rmtree("lib")
    assert run.same("a.jl") == []  # as at first


def test_configuration_and_options_count(run: Runs) -> None:
    write(a=RELEASE.format(1, ""), b=RELEASE.format(1, "2 * "))
    Path("sub").mkdir()
    assert run.same() == ["a.jl", "b.jl"]
    for arguments in (["--set", "eps=1"], ["--set", "eps=2"], ["--set", "eps=2", "--target-delta", "1e-5"]):
        assert run.same(*arguments) == ["a.jl", "b.jl"]
        assert run.same(*arguments) == []
    assert run.same("--profile", "published") == ["a.jl", "b.jl"]
    assert run.same("--error-on-warning", "--statistics") == []
    config = Path("dp-lsp.toml")
    for text in ("max-epsilon = 0.5\n", "max-epsilon = 0.25\n", 'neighbours = "add-remove"\n', "contributes = 2\n"):
        config.write_text(text, "utf-8")
        assert run.same() == ["a.jl", "b.jl"]
    config.write_text('[[overrides]]\ninclude = ["b.jl"]\nseverity = {DP301 = "warning"}\n', "utf-8")
    assert run.same() == ["b.jl"]
    config.write_text("max-epsilon = 0.5\n", "utf-8")
    assert run.same() == []
    config.unlink()
    assert run.same() == []


def test_the_name_of_a_file_counts(run: Runs) -> None:
    write(a='include("b.jl")\nf(x::Real) = b(x)\n', b="b(x::Real) = nowhere(x)\n")
    assert run.same() == ["a.jl"]
    os.rename("b.jl", "c.jl")
    assert run.same() == ["a.jl", "c.jl"]
    os.rename("a.jl", "d.jl")
    assert run.same() == ["d.jl"]


@pytest.mark.parametrize("form", ["full", "concise"])
@pytest.mark.parametrize("options", [[], ["--fixes"], ["--witness"], ["--statistics"], ["--set", "eps=1/3"]])
def test_reports_are_the_same(run: Runs, form: str, options: list[str]) -> None:
    write(a=RELEASE.format(1, ""), b=RELEASE.format(1, "2 * "), c=FIXABLE, d='include("e.jl")\n', e="function (\n")

    def report(*more: str) -> tuple[int, str, str]:
        code, out, err = run("--output-format", form, *options, *more)
        return code, out.rpartition("   ")[0] if form == "full" else out, err

    cold, warm = report(), report()
    again = list(run.checked)
    assert cold == warm == report("--no-cache")
    assert again == (["b.jl"] if "--witness" in options else [])


def test_certificates_are_the_same(run: Runs) -> None:
    write(a=RELEASE.format(1, ""), b=RELEASE.format(2, "2 * "))
    written = []
    for more in ([], [], ["--no-cache"]):
        assert run("--set", "eps=0.1", "--certificate", "proof.json", *more)[0] == 0
        written.append(Path("proof.json").read_text("utf-8"))
    assert written[0] == written[1] == written[2]
    assert len(json.loads(written[0])["bounds"]) == 2


def test_fixes_that_were_not_tried_are_tried_when_they_are_wanted(run: Runs) -> None:
    write(a=FIXABLE)
    run("--output-format", "concise")
    few = run("--output-format", "json", "--fixes")
    assert run.checked == []
    assert few == run("--output-format", "json", "--fixes", "--no-cache")
    assert '"edits"' in few[1]


def test_a_file_that_changes_during_its_check_is_not_taken_for_what_it_was(run: Runs) -> None:
    write(a=TWICE)
    run.before = lambda: write(a="twice(x::Real) = 5 * x\n")
    assert '"2"' in run("--output-format", "json")[1]
    run.before = lambda: None
    assert '"5"' in run("--output-format", "json")[1]
    assert run.same() == []
    write(a=TWICE)
    assert run.same() == []  # it was checked as it was


@pytest.mark.parametrize(("error", "code"), [(ZeroDivisionError, 101), (OutOfTime, 1), (MemoryError, 1)])
def test_what_may_be_otherwise_another_time_is_not_kept(
    run: Runs, monkeypatch: pytest.MonkeyPatch, error: type[Exception], code: int
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    write(a=TWICE)
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "project", fail)
        assert run()[0] == code
    assert run()[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "project", fail)
        assert run()[0] == 0


def test_a_check_that_read_more_than_its_key_says_is_not_kept(run: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    write(a='include("b.jl")\nf(x::Real) = b(x)\n')
    monkeypatch.setattr(Engine, "includes", lambda *_: ())
    assert run("a.jl")[0] == 1
    write(b="b(x::Real) = x\n")
    assert run("a.jl")[0] == 0
    assert run("a.jl")[0] == 0
    assert run.checked == ["a.jl"]


# The folder


def test_damaged_entries_are_found_out_anew(run: Runs) -> None:
    write(a=RELEASE.format(1, "2 * "), b='include("c.jl")\n', c="c(x::Real) = x\n")
    run("--fixes")
    for damage in (
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
        lambda data: os.urandom(len(data)),
    ):
        whole = entries()
        assert len(whole) >= 4
        for path in whole:
            path.write_bytes(damage(path.read_bytes()))
        assert run.same("--fixes") == ["a.jl", "b.jl"]
        assert run.same("--fixes") == []
    whole = entries()
    contents = [path.read_bytes() for path in whole]
    for path, content in zip(whole, [*contents[1:], contents[0]], strict=True):
        path.write_bytes(content)  # whole, but of something else
    assert run.same("--fixes") == ["a.jl", "b.jl"]


def test_without_a_folder_there_is_no_cache(run: Runs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write(a=TWICE)
    blocked = tmp_path / "file"
    blocked.write_text("", "utf-8")
    for folder in (blocked, blocked / "below", Path("/proc/nowhere"), Path("bad\0name")):
        with monkeypatch.context() as patch:
            patch.setitem(os.environ, VARIABLE, str(folder)) if "\0" not in str(folder) else None
            for _ in range(2):
                assert run("--output-format", "concise") == (0, run("--output-format", "concise", "--no-cache")[1], "")


@pytest.mark.skipif(os.name != "posix", reason="modes of folders are those of POSIX")
def test_a_folder_that_others_can_write_to_is_not_believed(run: Runs) -> None:
    write(a=TWICE)
    run()
    os.chmod(os.environ[VARIABLE], 0o777)
    run()
    assert run.checked == ["a.jl"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
def test_a_full_disk_stops_nothing(run: Runs, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    write(a=TWICE, b="b(x::Real) = x\n")
    real = open

    def full(path: Any, mode: str = "r", *rest: Any, **more: Any) -> Any:
        return real("/dev/full", "wb", 0) if mode == "xb" else real(path, mode, *rest, **more)

    monkeypatch.setattr("builtins.open", full)
    assert run("--log-level", "info")[0] == 0
    assert [(record.levelname, "No space left" in record.getMessage()) for record in caplog.records] == [("INFO", True)]
    assert entries() == []


def test_the_folder_does_not_grow_for_ever(tmp_path: Path) -> None:
    def put(number: int) -> None:
        store = Folder(tmp_path, largest=5_000)
        store.put(bytes([number]) * 20, bytes(984))
        for age, path in enumerate(sorted(tmp_path.glob("??/*"), key=lambda path: path.stat().st_mtime)[::-1]):
            os.utime(path, (10**9 - age * 10, 10**9 - age * 10))
        (tmp_path / "swept").unlink(missing_ok=True)
        store.close()

    for number in range(9):
        put(number)
        assert sum(path.stat().st_size for path in tmp_path.glob("??/*")) <= 5_000
    kept = Folder(tmp_path)
    assert [number for number in range(9) if kept.get(bytes([number]) * 20) is not None] == [4, 5, 6, 7, 8]


def test_what_a_process_left_unfinished_is_swept_away(tmp_path: Path) -> None:
    store = Folder(tmp_path)
    store.put(bytes(20), b"whole")
    old, young = tmp_path / "00" / "x.1.1.part", tmp_path / "00" / "x.2.1.part"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (10**9, 10**9))
    store.close()
    assert not old.exists()
    assert young.exists()
    assert store.get(bytes(20)) == b"whole"


# What results depend on besides what is checked


def test_versions_count(run: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    write(a=TWICE)
    assert run.same() == ["a.jl"]
    with monkeypatch.context() as patch:
        patch.setattr(dp_lsp, "__version__", "0.0.0+other")
        run()
        assert run.checked == ["a.jl"]
    with monkeypatch.context() as patch:
        patch.setattr(sys, "hexversion", sys.hexversion + (1 << 16))
        run()
        assert run.checked == ["a.jl"]
    with monkeypatch.context() as patch:
        patch.setattr(results, "find_spec", lambda name: None)
        run()
        assert run.checked == ["a.jl"]
    assert run.same() == []


def test_an_edit_of_the_program_itself_counts(tmp_path: Path) -> None:
    """Also one that keeps length, time and version, by which Python itself would take it for what it compiled."""
    shutil.copytree(ROOT / "dp_lsp", tmp_path / "dp_lsp", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "a.jl").write_text("f(x::Real) = nowhere(x)\n", "utf-8")
    kinds = tmp_path / "dp_lsp" / "infer" / "terms.py"
    assert "is not defined" in kinds.read_text("utf-8")

    def report() -> str:
        return checked(tmp_path, "--output-format", "concise", "a.jl", path=tmp_path).stdout

    first = report()
    assert "is not defined" in first
    assert report() == first
    before = kinds.stat()
    kinds.write_text(kinds.read_text("utf-8").replace("is not defined", "is not DEFINED"), "utf-8")
    os.utime(kinds, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "is not DEFINED" in report()


def test_a_program_that_changed_since_it_was_loaded_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Folder(tmp_path)
    now = ProgramStamp(store, began=2**62)
    assert now.value is not None
    kept = Results(store, now)
    assert ProgramStamp(store, began=0).value is None
    files = list(results._files())
    changed = [*files[:-1], files[-1]._replace(changed=files[-1].changed + 1)]
    monkeypatch.setattr(results, "_files", lambda: changed)
    kept.put_project(bytes(20), {})
    assert store.get(bytes(20)) is None
    assert ProgramStamp(store, began=2**62).value == now.value  # the text is the same
    Results(store, ProgramStamp(store, began=2**62)).put_project(bytes(20), {})
    assert store.get(bytes(20)) is not None


# Processes


def checked(cwd: Path, *arguments: str, path: Path = ROOT) -> Any:
    environment = os.environ | {"PYTHONPATH": str(path), VARIABLE: str(cwd / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "dp_lsp", "check", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=300)


LOADED = (
    "import json, sys\nfrom dp_lsp.cli import main\ncode = main()\n"
    "print(json.dumps([code, *sys.modules]), file=sys.stderr)"
)


def loaded(cwd: Path, *arguments: str) -> tuple[int, set[str]]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), VARIABLE: str(cwd / "cache")}
    command = [sys.executable, "-c", LOADED, "check", *arguments]
    found = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=300)
    code, *names = json.loads(found.stderr.splitlines()[-1])
    return code, set(names)


def test_a_run_that_knows_everything_loads_nothing_that_finds_things_out(tmp_path: Path) -> None:
    (tmp_path / "a.jl").write_text('include("b.jl")\n' + RELEASE.format(1, "2 * "), "utf-8")
    (tmp_path / "b.jl").write_text(FIXABLE, "utf-8")
    arguments = ("--set", "eps=0.5", "--fixes", "--statistics", "a.jl")
    cold, names = loaded(tmp_path, *arguments)
    assert "dp_lsp.infer.inference" in names
    warm, names = loaded(tmp_path, *arguments)
    assert (cold, warm) == (1, 1)
    heavy = ("dp_lsp.infer", "dp_lsp.lower", "dp_lsp.frontends.julia.", "dp_lsp.builtins", "dp_lsp.accounting")
    light = ("problems", "frontends.julia.folding")  # which names are one, --set must know
    assert [name for name in names if name.startswith(heavy) and not any(each in name for each in light)] == []


def test_processes_at_once(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.jl").write_text(RELEASE.format(number + 1, "2 * "), "utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT), VARIABLE: str(tmp_path / "cache")}
    command = [sys.executable, "-m", "dp_lsp", "check", "--output-format", "json"]
    started = [
        subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    said = [process.communicate(timeout=300) for process in started]
    assert said == [said[0]] * 3
    assert said[0][0] == checked(tmp_path, "--output-format", "json", "--no-cache").stdout.encode()
    assert list((tmp_path / "cache").glob("**/*.part")) == []


# Values


def test_every_field_of_a_record_comes_back(request: pytest.FixtureRequest) -> None:
    way = plain(ChunkRecord)
    programs = [*sorted((ROOT / "fixtures" / "programs").glob("*.jl"))[::4], None]
    for path in programs:
        text = FIXABLE + "f(x) = \n" if path is None else path.read_text("utf-8")
        for placed in Engine().check(text, Options(facts=True)).chunks:
            assert way.read(json.loads(json.dumps(way.write(placed.record, None))), None) == placed.record


def test_what_is_no_value_is_refused() -> None:
    way = plain(Options)
    for wrong in ([], [1, 2, 3], {}, None, "text", [[]] * len(Options._fields)):
        with pytest.raises(UNREADABLE):
            way.read(wrong, None)
    with pytest.raises(TypeError):
        plain(Iterator[int])


USES = "uses(x::Real) = twice(x)\n\nbroken(x::Real) = missing_name(x)\n"
MAIN = f'include("b.jl")\n\n{RELEASE.format(1, "2 * ")}\n{USES}'
PARTS = {"a.jl": MAIN, "b.jl": TWICE + "\nmodule M\nf(x) = x\nend\n", "c.jl": FIXABLE}


@pytest.fixture
async def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workspace]:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    found = Workspace(tmp_path / "code")
    yield found
    found.close()


SOUND = Options()


class Workspace:
    """A folder and the checking process of an editor in it, which knows nothing but what the cache says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir()
        for name, text in PARTS.items():
            (folder / name).write_text(text, "utf-8")
        self._client: Client | None = None
        self._inferred = 0

    def close(self) -> None:
        if self._client is not None:
            self._client.worker.close()
        self._client, self._inferred = None, 0

    async def inferred(self, text: str = MAIN, options: Options = SOUND) -> int:
        """How many pieces are inferred to check its first file with a text; the answer is the one of a new engine."""
        file = str(self.folder / "a.jl")
        if self._client is None:
            self._client = Client(engine=None)
            self._client.worker.look((str(self.folder),))
        self._client.worker.update("a", file, 0, Source(text))
        self._client.worker.check("a", options)
        outcome = await self._client.whole(await self._client.outcome())
        (finding,) = outcome.findings
        disk = Disk((str(self.folder),), {file: SourceText(text)})
        fresh = Engine().project(file, disk, options)[file]
        assert finding.analysis is not None and finding.analysis.is_same(fresh)
        before, self._inferred = self._inferred, outcome.inferred
        return outcome.inferred - before


async def test_a_workspace_that_was_checked_opens_without_inferring(workspace: Workspace) -> None:
    main(["check", str(workspace.folder)])
    assert await workspace.inferred() == 0
    assert await workspace.inferred(MAIN.replace("2 * ", "3 * ")) == 1
    assert await workspace.inferred(MAIN + "\ng(x::Real) = uses(x)\n") == 3, "it and what it calls, which calls `twice`"
    assert await workspace.inferred() == 0


async def test_several_processes_keep_what_an_editor_learns(workspace: Workspace) -> None:
    main(["check", "--jobs", "2", str(workspace.folder)])
    assert await workspace.inferred() == 0


async def test_an_editor_learns_nothing_that_does_not_hold(workspace: Workspace) -> None:
    main(["check", str(workspace.folder)])
    (workspace.folder / "b.jl").write_text("twice(x::Real) = 3 * x\n", "utf-8")
    assert await workspace.inferred() > 0
    workspace.close()
    assert await workspace.inferred(options=Options(contributes=2)) > 0


async def test_an_editor_keeps_what_it_found_out_of_what_is_saved(workspace: Workspace) -> None:
    cache = workspace.folder.parent / "cache" / "results"
    assert await workspace.inferred(MAIN + "\ng(x::Real) = uses(x)\n") > 0
    assert await workspace.inferred() == 0
    assert await workspace.inferred(MAIN + "\nh(x::Real) = uses(x)\n") > 0
    workspace.close()
    assert await workspace.inferred() > 0
    async with asyncio.timeout(300):
        while not any(file.is_file() and file.stat().st_size > 3_000 for file in cache.glob("*/*")):
            await asyncio.sleep(0.05)
    workspace.close()
    assert await workspace.inferred() == 0
