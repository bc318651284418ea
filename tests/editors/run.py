"""Tries the real editors: installs them if need be, runs every part, and writes down how each went.

``python tests/editors/run.py RESULTS [PART …]``, with any Python 3.11 and nothing else. RESULTS is a folder for what
the parts leave behind; ``PART.json`` in it is written when a part has ended, and says `passed`, `failed` or `not run`.
The editors are kept in ``DP_LSP_EDITORS_CACHE``, by default a folder of the user's caches. The server is the one of
``DP_LSP_SERVER``, by default that of ``.venv``, which is waited for. With ``DP_LSP_PICTURES`` the pictures of the
documentation are made anew. Linux only.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = Path(os.environ.get("DP_LSP_EDITORS_CACHE") or Path.home() / ".cache" / "dp-lsp-editors")
SERVER = Path(os.environ.get("DP_LSP_SERVER") or ROOT / ".venv" / "bin" / "dp-lsp")
LONGEST = 900  # seconds that one program may take
LARGEST = 2_000_000  # bytes of the packed extension
BROKEN = "function noisy(x::Real) :: Priv()\n    y = x + x\n    laplacian_mechanism(1, 0.5, y)\nend\n"
UNHIDDEN = """from typing import Annotated

from dp_types import AddRemove, Bounded, Private


def total(ages: Annotated[list[float], AddRemove(), Bounded(0, 80)]) -> Private:
    return sum(ages)


count: int = "none"
"""
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64")


class NotRun(Exception):
    """Why a part cannot be run on this machine."""


class Broken(Exception):
    """What is wrong with the project, or with a part."""


class Part(NamedTuple):
    """What must be ready for a part, what runs it, and how many checks it makes, so that a lost one is noticed."""

    needs: tuple[str, ...]
    run: Callable[[Path], None]
    checks: int


running: set[subprocess.Popen[str]] = set()


def ran(
    command: list[str | Path], what: str, cwd: Path = ROOT, trouble: type[Exception] = Broken, **environment: str
) -> str:
    """The output of a program that must succeed. All that it starts is in one group, and ends with it."""
    started = subprocess.Popen(
        [str(each) for each in command],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    running.add(started)
    try:
        output = started.communicate(timeout=LONGEST)[0]
    except subprocess.TimeoutExpired:
        raise Broken(f"{what}: not done within {LONGEST} s") from None
    finally:
        end(started)
    if started.returncode:
        raise trouble(f"{what}: {output.strip()[-800:]}")
    return output


def end(started: subprocess.Popen[str]) -> None:
    """End a program and its group, if it has not ended."""
    running.discard(started)
    if started.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                started.wait(5)
            os.killpg(started.pid, signal.SIGKILL)


def installed(part: str) -> None:
    ran([HERE / "install", CACHE, part], f"{part} cannot be installed", trouble=NotRun)


def server() -> Path:
    """The server, once whoever sets it up has."""
    end = time.monotonic() + LONGEST
    while not SERVER.exists() or subprocess.run([SERVER, "--version"], capture_output=True, check=False).returncode:
        if time.monotonic() > end:
            raise Broken(f"there is no server: {SERVER}")
        time.sleep(1)
    return SERVER


def wheel(home: Path) -> None:
    """The packages as they are published: the checker, and the vocabulary that it requires."""
    python = server().parent / "python"
    for package in (ROOT, ROOT / "dp_types"):
        ran([python, "-m", "build", "--wheel", "--no-isolation", "--outdir", home / "wheel", package], "no wheel")


def wheel_of(home: Path) -> Path:
    return next((home / "wheel").glob("dp_lsp-*.whl"))


def extension(home: Path) -> None:
    """The extension, packed from a copy of its sources, and the stand-in for Julia's own."""
    copy = home / "source" / "editors" / "vscode"
    ignored = shutil.ignore_patterns("node_modules", "out", "*.vsix")
    shutil.copytree(ROOT / "editors" / "vscode", copy, ignore=ignored, dirs_exist_ok=True)
    example = Path("fixtures", "programs", "dp_sgd.jl")
    (home / "source" / example).parent.mkdir(parents=True, exist_ok=True)
    for name in (example, Path("LICENSE")):
        shutil.copy(ROOT / name, home / "source" / name)
    ran(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], "npm ci", copy, NotRun)
    ran(["npm", "run", "check"], "the types of the extension", copy)
    ran(["npm", "run", "package", "--", "--out", home / "dp-lsp.vsix"], "the extension cannot be packed", copy)
    size = (home / "dp-lsp.vsix").stat().st_size
    if size > LARGEST:
        raise Broken(f"the extension has {size} bytes")
    julia = home / "julia"
    shutil.copytree(HERE / "julia", julia, dirs_exist_ok=True)
    tools = copy / "node_modules" / ".bin"
    options = ["--bundle", "--minify", "--platform=node", "--external:vscode", "--outfile=out/extension.js"]
    ran([tools / "esbuild", "extension.js", *options], "the stand-in", julia, NODE_PATH=str(copy / "node_modules"))
    shutil.copy(julia / "server.js", julia / "out")
    packing = ["package", "--no-dependencies", "--skip-license", "--out", home / "julia-stand-in.vsix"]
    ran([tools / "vsce", *packing], "the stand-in", julia)


def workbench(script: str) -> Callable[[Path], None]:
    def run(home: Path) -> None:
        variables = {
            "DP_LSP_EDITORS_HOME": str(home),
            "DP_LSP_EDITORS_CACHE": str(CACHE),
            "DP_LSP_SERVER": str(server()),
            "DP_LSP_WHEEL": str(wheel_of(home)),
        }
        print(ran(["node", HERE / script], script, **variables), end="", flush=True)

    return run


def broken(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "broken.jl").write_text(BROKEN, "utf-8")
    return folder


def emacs(home: Path) -> None:
    results = home / "emacs.jsonl"
    path = f"{server().parent}:{os.environ['PATH']}"
    script = [HERE / "emacs.el", broken(home / "emacs"), results, ROOT / "editors"]
    ran(["emacs", "-Q", "--batch", "-l", *script], "emacs", PATH=path)


def emacs_beside(home: Path) -> None:
    """Emacs with another server for Python, by lsp-mode."""
    installed("lsp_mode")
    work = home / "emacs_beside"
    work.mkdir(parents=True, exist_ok=True)
    (work / "beside.py").write_text(UNHIDDEN, "utf-8")
    path = f"{server().parent}:{os.environ['PATH']}"
    script = [HERE / "emacs_beside.el", work, home / "emacs_beside.jsonl", ROOT / "editors"]
    ran(["emacs", "-Q", "--batch", "-l", *script], "emacs_beside", PATH=path)


def inside() -> list[str | Path]:
    """What runs a program in the system that Neovim and Helix are in. What it mounts is gone with it."""
    root = CACHE / "root"
    run = f'mount -t proc proc {root}/proc && exec chroot {root} /usr/bin/env -i "$@"'
    variables = ["PATH=/opt/server/bin:/usr/bin:/bin", "HOME=/opt/home", "LANG=C.UTF-8", "TERM=screen-256color"]
    return ["unshare", "--mount", "sh", "-c", run, "inside", *variables]


def newer(home: Path) -> None:
    """That system, with the dependencies for its own Python, which is newer than ours."""
    installed("root")
    root = CACHE / "root"
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    version = ran([*inside(), "python3", "-c", asked], "a system inside this one cannot be entered", trouble=NotRun)
    print(f"the server of Neovim and Helix runs on Python {version.strip()}", flush=True)
    which = ["--python-version", version.strip(), "--implementation", "cp", "--only-binary=:all:"]
    platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
    wheels = root / "opt" / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    pip = server().parent / "pip"
    ran([pip, "download", "-q", *which, *platforms, "-d", wheels, *(home / "wheel").glob("*.whl")], "no wheels")
    made = "test -e /opt/server/bin/pip || python3 -m venv /opt/server"
    install = "/opt/server/bin/pip install -q --no-index --find-links /opt/wheels --force-reinstall --no-deps"
    ran([*inside(), "sh", "-c", f"{made}; {install} /opt/wheels/*.whl"], "no server")
    for name in ("nvim", "helix"):
        shutil.copytree(ROOT / "editors" / name, root / "opt" / "editors" / name, dirs_exist_ok=True)


def headless(part: str, home: Path, work: Path) -> None:
    """The checks of a script in Neovim, with a folder to work in."""
    root = CACHE / "root"
    for name in (f"{part}.lua", "checks.lua"):
        shutil.copy(HERE / name, root / "opt")
    arguments = [f"/opt/{part}.lua", f"/opt/work/{part}", f"/opt/work/{part}/results"]
    ran([*inside(), "nvim", "--headless", "--clean", "-l", *arguments], part)
    shutil.copy(work / "results", home / f"{part}.jsonl")


def neovim(home: Path) -> None:
    root = CACHE / "root"
    headless("neovim", home, broken(root / "opt" / "work" / "neovim"))
    shutil.copy(HERE / "init.lua", root / "opt")
    on_screen("neovim", home, "nvim", "-u", "/opt/init.lua")


def beside(home: Path) -> None:
    """Neovim with another server for Python."""
    installed("pyright")
    work = CACHE / "root" / "opt" / "work" / "beside"
    work.mkdir(parents=True, exist_ok=True)
    (work / "beside.py").write_text(UNHIDDEN, "utf-8")
    (work / "plain.py").write_text(UNHIDDEN.replace("dp_types", "words"), "utf-8")
    headless("beside", home, work)


def helix(home: Path) -> None:
    root = CACHE / "root"
    configuration = root / "opt" / "home" / ".config" / "helix"
    configuration.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "editors" / "helix" / "languages.toml", configuration)
    (configuration / "config.toml").write_text("[editor.lsp]\ndisplay-inlay-hints = true\n", "utf-8")
    on_screen("helix", home, "hx")


def on_screen(part: str, home: Path, *editor: str) -> None:
    """The checks of an editor in a terminal."""
    folder, results = f"/opt/work/{part}", home / f"{part}.jsonl"
    broken(CACHE / "root" / "opt" / "work" / part)
    ran([sys.executable, HERE / "terminal.py", part, folder, results, *inside(), *editor], part)


READY: Mapping[str, Callable[[Path], None]] = {
    "workbench": lambda _: installed("workbench"),
    "emacs": lambda _: installed("emacs"),
    "extension": extension,
    "wheel": wheel,
    "newer": newer,
}
"""What is made ready, all at once, before the parts that need it."""

VSCODE = ("workbench", "extension", "wheel")
PARTS: Mapping[str, Part] = {
    "emacs": Part(("emacs",), emacs, 6),
    "emacs_beside": Part(("emacs",), emacs_beside, 2),
    "view": Part(VSCODE, workbench("view.mjs"), 8),
    "vscode": Part(VSCODE, workbench("vscode.mjs"), 19),
    "folders": Part(VSCODE, workbench("folders.mjs"), 3),
    "notebook": Part(VSCODE, workbench("notebook.mjs"), 12),
    "restricted": Part(VSCODE, workbench("restricted.mjs"), 2),
    "newcomer": Part(VSCODE, workbench("newcomer.mjs"), 9),
    "neovim": Part(("wheel", "newer"), neovim, 10),
    "beside": Part(("wheel", "newer"), beside, 4),
    "helix": Part(("wheel", "newer"), helix, 4),
}


class Readying:
    """What the parts need, each made ready once, in a thread of its own."""

    def __init__(self, names: set[str], home: Path) -> None:
        self._trouble: dict[str, Exception] = {}
        self._home = home
        self._done = {name: threading.Event() for name in names}
        for name in names:
            threading.Thread(target=self._make, args=(name,), daemon=True).start()

    def _make(self, name: str) -> None:
        begun = time.monotonic()
        try:
            if name == "newer":
                self.wait("wheel")
            READY[name](self._home)
        except Exception as error:  # told to whoever needs it
            self._trouble[name] = error
        print(f"{name}: {'not ' * (name in self._trouble)}ready after {time.monotonic() - begun:.0f} s", flush=True)
        self._done[name].set()

    def wait(self, *names: str) -> None:
        """Wait until these are ready; an error if one is not to be had."""
        for name in names:
            self._done[name].wait()
            if name in self._trouble:
                raise self._trouble[name]


def outcome(name: str, home: Path, seconds: float, trouble: Exception | None) -> dict[str, object]:
    """What a part came to: its checks stand in the file that it wrote, one a line."""
    file = home / f"{name}.jsonl"
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    failed = [f"{line['check']}: {line['error']}" for line in lines if line.get("error")]
    if isinstance(trouble, NotRun) and not lines:
        return {"state": "not run", "seconds": seconds, "reason": str(trouble), "checks": []}
    if trouble:
        failed.append(f"{type(trouble).__name__}: {trouble}")
    if len(lines) != PARTS[name].checks:
        failed.append(f"{len(lines)} checks were made, not {PARTS[name].checks}")
    state = "failed" if failed else "passed"
    return {"state": state, "seconds": seconds, "reason": "\n".join(failed), "checks": lines}


def tried(name: str, home: Path, readying: Readying) -> dict[str, object]:
    """Run a part, and write down what it came to."""
    part, trouble = PARTS[name], None
    (home / f"{name}.jsonl").unlink(missing_ok=True)
    begun = time.monotonic()
    try:
        readying.wait(*part.needs)
        begun = time.monotonic()
        part.run(home)
    except Exception as error:  # a bug in a part must not keep the next from running
        trouble = error
    found = outcome(name, home, round(time.monotonic() - begun, 1), trouble)
    (home / f"{name}.new").write_text(json.dumps(found), "utf-8")
    (home / f"{name}.new").rename(home / f"{name}.json")
    return found


def main() -> int:
    """Run the parts; the exit status is 1 if one failed."""
    place, *wanted = sys.argv[1:]
    home = Path(place).resolve()
    home.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    names = [name for name in PARTS if not wanted or name in wanted]
    begun, states = time.monotonic(), []
    try:
        readying = Readying({need for name in names for need in PARTS[name].needs}, home)
        for name in names:
            found = tried(name, home, readying)
            states.append(found["state"])
            print(f"{name}: {found['state']}, {found['seconds']} s", flush=True)
            if found["reason"]:
                print(f"  {found['reason']}", flush=True)
    finally:
        for started in list(running):
            end(started)
    print(f"all parts: {time.monotonic() - begun:.0f} s", flush=True)
    return int("failed" in states)


if __name__ == "__main__":
    sys.exit(main())
