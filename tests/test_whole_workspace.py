"""All files of a workspace, most of them not open, with a real server: what is wrong with them, which functions they
have, and what becomes of an `include` when files get other names."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from dp_lsp.cache.store import VARIABLE
from source_tree import python
from stdio_driver import Driver, Message, children

NOISY = "noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)\n"
MAIN = 'include("lib/noise.jl")\n\nf(x::Real) :: Priv() = noisy(x)\n'
BROKEN = "𝔸é(x::Real) = lost(x)\n\nlate(x::Real) = missing_name(x)\n"
PULLS: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}, "didChangeWatchedFiles": {"dynamicRegistration": True}},
}
CANCELLED = -32800

several = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) == 1, reason="needs two processors"
)
posix = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes through /proc")


class Session(Driver):
    """A session in a folder, with files named by their path in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def name(self, uri: str) -> str:
        return uri.removeprefix(self.folder.as_uri() + "/")

    def begin(self, **capabilities: Any) -> Message:
        return self.start(self.folder, **capabilities)

    def show(self, name: str) -> None:
        self.open((self.folder / name).read_text("utf-8"), uri=self.uri(name))
        self.ask("dp/waitForCheck", {"uri": self.uri(name), "version": 1})

    def hide(self, name: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def edit(self, version: int, name: str, text: str) -> None:
        self.change(version, {"text": text}, uri=self.uri(name))

    def changed_on_disk(self, *names: str) -> None:
        changes = [{"uri": self.uri(name), "type": 2} for name in names]
        self.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def request_all(self, known: list[Message] = [], **more: Any) -> int:  # noqa: B006
        """Ask for the problems of all files, and do not wait; the number of the request."""
        self._ids += 1
        previous = [{"uri": each["uri"], "value": each["resultId"]} for each in known]
        params = {"previousResultIds": previous, **more}
        self.send({"jsonrpc": "2.0", "id": self._ids, "method": "workspace/diagnostic", "params": params})
        return self._ids

    def answer(self, number: int) -> Message:
        """The answer to such a request."""
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def everything(self, known: list[Message] = [], **more: Any) -> list[Message]:  # noqa: B006
        items: list[Message] = self.answer(self.request_all(known, **more))["result"]["items"]
        return items

    def codes(self, items: list[Message]) -> dict[str, list[str]]:
        """The codes of what is wrong, by file."""
        full = (each for each in items if each["kind"] == "full")
        return {self.name(each["uri"]): [item["code"] for item in each["items"]] for each in full}

    def shown(self, name: str) -> list[str]:
        """The codes that are published of a file, once any are."""
        uri = self.uri(name)
        self.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri)
        return [each["code"] for each in self.published()[-1]["diagnostics"]]


T = TypeVar("T")


def waited(what: Callable[[], T]) -> T:
    """What something is, as soon as it is anything."""
    until = time.monotonic() + 60
    while not (found := what()):
        assert time.monotonic() < until
        time.sleep(0.01)
    return found


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "project"
    write(inside, "main.jl", MAIN)
    write(inside, "lib/noise.jl", NOISY)
    write(inside, "broken.jl", BROKEN)
    return inside


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    with Session(folder) as driver:
        yield driver
        for worker in children(driver.process.pid):
            os.kill(worker, signal.SIGKILL)


# Who asks for all files


def test_all_files_are_what_the_command_line_says(session: Session, folder: Path) -> None:
    write(folder, "second.jl", "factor = 2\n" + 'include("lib/shared.jl")\n')
    write(folder, "third.jl", "factor = 3\n" + 'include("lib/shared.jl")\n')
    write(folder, "fifth.jl", 'include("lib/missing.jl")\n')
    write(folder, "lib/shared.jl", "scaled(x::Real) = factor * x\n")
    write(folder, "fourth.jl", "factor = 4\n" + 'include("lib/shared.jl")\n')
    write(folder, "ring.jl", 'include("ring.jl")\ng(x::Real) = x\n')
    (folder / "bytes.jl").write_bytes(b"f(x) = 1 # \xff\n")
    write(folder, ".gitignore", "left_out.jl\n")
    (folder / ".git").mkdir()
    write(folder, "left_out.jl", BROKEN)
    printed = python("-m", "dp_lsp", "check", "--output-format", "json", folder).stdout
    expected = {
        Path(file["path"]).relative_to(folder).as_posix(): [
            (each["code"], each["message"], each["range"]["start"]["line"] - 1) for each in file["diagnostics"]
        ]
        for file in json.loads(printed)["files"]
    }
    session.begin(**PULLS)
    found = {
        session.name(each["uri"]): [(d["code"], d["message"], d["range"]["start"]["line"]) for d in each["items"]]
        for each in session.everything()
    }
    assert found == {name: problems for name, problems in expected.items() if problems}
    assert {"broken.jl", "bytes.jl", "ring.jl", "lib/shared.jl", "fifth.jl"} <= found.keys()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_are_those_of_the_open_file_in_every_encoding(session: Session, encoding: str) -> None:
    session.begin(**PULLS, general={"positionEncodings": [encoding]})
    (closed,) = (each["items"] for each in session.everything() if each["uri"] == session.uri("broken.jl"))
    session.show("broken.jl")
    opened = session.ask("textDocument/diagnostic", {"textDocument": {"uri": session.uri("broken.jl")}})
    assert closed == opened["result"]["items"]
    assert len(closed) == 2


def test_nothing_is_told_twice(session: Session, folder: Path) -> None:
    write(folder, "other.jl", "other(x::Real) = lost(x)\n")
    session.begin(**PULLS)
    known = session.everything()
    assert session.codes(known) == {"broken.jl": ["DP101", "DP101"], "other.jl": ["DP101"]}
    asked = session.request_all(known)
    session.ask("dp/nothing")
    assert not any(message.get("id") == asked for message in session.seen), "it is held until there is news"
    write(folder, "other.jl", "other(x::Real) = x\n")
    session.changed_on_disk("other.jl")
    later = session.answer(asked)["result"]["items"]
    assert session.codes(later) == {"other.jl": []}
    assert [each["uri"] for each in later if each["kind"] == "unchanged"] == [session.uri("broken.jl")]


def test_that_no_file_has_problems_is_told_a_client_that_knows_nothing(session: Session, folder: Path) -> None:
    write(folder, "broken.jl", "mended(x::Real) = x\n")
    session.begin(**PULLS)
    known = session.everything()
    assert session.codes(known) == {"main.jl": [], "lib/noise.jl": [], "broken.jl": []}
    asked = session.request_all(known)
    session.ask("dp/nothing")
    assert not any(message.get("id") == asked for message in session.seen), "it is held until there is news"


def test_what_is_known_outlives_the_server(session: Session, folder: Path) -> None:
    session.begin(**PULLS)
    known = session.everything()
    write(folder, "other.jl", "other(x::Real) = lost(x)\n")
    with Session(folder) as again:
        again.begin(**PULLS)
        found = again.everything(known)
    assert session.codes(found) == {"other.jl": ["DP101"]}
    assert [each["kind"] for each in found if each["uri"] == session.uri("broken.jl")] == ["unchanged"]


def kept() -> dict[Path, int]:
    """The files of the cache, and when they were written."""
    folder = Path(os.environ[VARIABLE], "results")
    return {path: path.stat().st_mtime_ns for path in folder.glob("??/*") if path.is_file()}


def test_what_did_not_change_is_not_found_out_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second session finds in the cache what is wrong with closed files; what includes a file that is another now, or
    that was not there, is checked again."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    write(folder, "main.jl", MAIN + 'include("lib/later.jl")\ng(x::Real) = later(x)\n')
    with Session(folder) as first:
        first.begin(**PULLS)
        found = first.codes(first.everything())
        assert found == {"main.jl": ["DP013"], "broken.jl": ["DP101", "DP101"]}
    before = kept()
    assert before
    with Session(folder) as second:
        second.begin(**PULLS)
        assert second.codes(second.everything()) == found
    assert kept() == before
    write(folder, "lib/noise.jl", "noisy(x::Real) :: Priv() = laplacian_mechanism(1 / 2, 1 / 2, x)\n")
    write(folder, "lib/later.jl", "later(x::Real) = x\n")
    with Session(folder) as third:
        third.begin(**PULLS)
        now = third.codes(third.everything())
    monkeypatch.setenv(VARIABLE, str(tmp_path / "another cache"))
    with Session(folder) as fresh:
        fresh.begin(**PULLS)
        assert now == fresh.codes(fresh.everything())
    assert now["lib/noise.jl"] == ["DP301"] and "DP013" not in now["main.jl"]


def test_a_file_that_becomes_part_of_another_project_is_compared(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was kept of a file of one project does not say what it claims; that of one of several must."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    write(folder, "lib/shared.jl", "scaled(x::Real) = factor * x\n")
    users = {name: f'factor = {number}\ninclude("lib/shared.jl")\n' for number, name in enumerate(("a.jl", "b.jl"), 2)}
    found = []
    for present in (["a.jl"], ["b.jl"], ["a.jl", "b.jl"]):
        for name in users:
            (folder / name).unlink(missing_ok=True)
        for name in present:
            write(folder, name, users[name])
        with Session(folder) as session:
            session.begin(**PULLS)
            found.append(session.codes(session.everything()).get("lib/shared.jl"))
    assert found == [None, None, ["DP019"]]


def test_parts_come_as_soon_as_they_are_known(session: Session, folder: Path) -> None:
    for number in range(30):
        write(folder, f"many/file{number}.jl", f"f{number}(x::Real) = lost(x)\n")
    session.begin(**PULLS)
    assert session.everything(partialResultToken="part", workDoneToken=7) == []
    told = [m["params"] for m in session.seen if m.get("method") == "$/progress"]
    parts = [each["value"]["items"] for each in told if each["token"] == "part"]
    items = [item for part in parts for item in part]
    assert len(items) == len({item["uri"] for item in items}) == 31
    work = [each["value"] for each in told if each["token"] == 7]
    assert [each["kind"] for each in (work[0], work[-1])] == ["begin", "end"]
    done = [each["percentage"] for each in work[:-1]]
    assert done == sorted(done)


def test_a_request_that_is_held_can_be_cancelled(session: Session) -> None:
    session.begin(**PULLS)
    known = session.everything()
    asked = session.request_all(known)
    session.notify("$/cancelRequest", {"id": asked})
    assert session.answer(asked)["error"]["code"] == CANCELLED
    session.show("main.jl")
    assert session.codes(session.everything()) == {"broken.jl": ["DP101", "DP101"]}


def test_a_request_is_cancelled_while_files_are_checked(session: Session, folder: Path) -> None:
    for number in range(30):
        write(folder, f"many/file{number}.jl", f"f{number}(x::Real) = lost(x)\n")
    session.begin(**PULLS)
    asked = session.request_all(workDoneToken="work")
    session.notify("$/cancelRequest", {"id": asked})
    assert session.answer(asked)["error"]["code"] == CANCELLED
    assert len(session.everything()) == 31
    kinds = [m["params"]["value"]["kind"] for m in session.seen if m.get("method") == "$/progress"]
    assert kinds.count("begin") == kinds.count("end"), "what was begun is ended"


def test_an_edit_that_breaks_a_closed_file(session: Session) -> None:
    session.begin(**PULLS)
    known = session.everything()
    session.show("lib/noise.jl")
    asked = session.request_all(known)
    session.edit(2, "lib/noise.jl", NOISY.replace("noisy", "renamed"))
    broken = session.answer(asked)["result"]["items"]
    assert session.codes(broken) == {"main.jl": ["DP101"]}
    asked = session.request_all([*known, *(each for each in broken if each["kind"] == "full")])
    session.edit(3, "lib/noise.jl", NOISY)
    mended = session.answer(asked)["result"]["items"]
    assert session.codes(mended) == {"main.jl": []}
    assert session.published() == []


def test_a_client_that_does_not_wait_is_told_to_ask_again(session: Session) -> None:
    session.begin(**PULLS)
    known = session.everything()
    session.show("lib/noise.jl")
    session.edit(2, "lib/noise.jl", NOISY.replace("noisy", "renamed"))
    session.wait(lambda message: message.get("method") == "workspace/diagnostic/refresh")
    assert session.codes(session.everything(known))["main.jl"] == ["DP101"]


def test_open_files_are_told_with_their_version(session: Session) -> None:
    session.begin(**PULLS)
    session.show("broken.jl")
    session.edit(2, "broken.jl", "late(x::Real) = missing_name(x)\n")
    session.ask("dp/waitForCheck", {"uri": session.uri("broken.jl"), "version": 2})
    (found,) = session.everything()
    assert (found["version"], session.codes([found])) == (2, {"broken.jl": ["DP101"]})
    session.hide("broken.jl")
    (again,) = session.everything([found])
    assert session.codes([again]) == {"broken.jl": ["DP101", "DP101"]}, "the file on the disk counts again"


# Who does not ask


def test_problems_of_all_files_are_published_to_a_client_that_does_not_ask(session: Session, folder: Path) -> None:
    session.begin(workspace={"didChangeWatchedFiles": {"dynamicRegistration": True}})
    assert session.shown("broken.jl") == ["DP101", "DP101"]
    session.show("lib/noise.jl")
    session.edit(2, "lib/noise.jl", NOISY.replace("noisy", "renamed"))
    assert session.shown("main.jl") == ["DP101"]
    session.edit(3, "lib/noise.jl", NOISY)
    assert session.shown("main.jl") == []
    (folder / "broken.jl").unlink()
    session.changed_on_disk("broken.jl")
    assert session.shown("broken.jl") == []


def test_a_file_that_is_closed_keeps_its_problems(session: Session) -> None:
    session.begin()
    assert session.shown("broken.jl") == ["DP101", "DP101"]
    session.show("broken.jl")
    session.edit(2, "broken.jl", "")
    session.ask("dp/waitForCheck", {"uri": session.uri("broken.jl"), "version": 2})
    session.hide("broken.jl")
    assert session.shown("broken.jl") == [], "they are those of the text that is gone"
    assert session.shown("broken.jl") == ["DP101", "DP101"]


def test_a_client_that_asks_for_open_files_only_is_told_of_the_others(session: Session) -> None:
    session.begin(textDocument={"diagnostic": {}})
    assert session.shown("broken.jl") == ["DP101", "DP101"]
    asked = session.request_all()
    assert session.shown("broken.jl") == [], "it is not told twice"
    assert session.codes(session.answer(asked)["result"]["items"]) == {"broken.jl": ["DP101", "DP101"]}


def test_files_that_are_not_open_can_be_left_alone(session: Session, folder: Path) -> None:
    options = {"checkWorkspace": False}
    folders = [{"uri": folder.as_uri(), "name": "project"}]
    params = {"processId": None, "rootUri": None, "workspaceFolders": folders, "capabilities": {}}
    session.ask("initialize", params | {"initializationOptions": options})
    session.notify("initialized", {})
    session.show("lib/noise.jl")
    session.edit(2, "lib/noise.jl", NOISY.replace("noisy", "renamed"))
    session.ask("dp/waitForCheck", {"uri": session.uri("lib/noise.jl"), "version": 2})
    session.notify("workspace/didChangeConfiguration", {"settings": {"dpLsp": {"checkWorkspace": True}}})
    assert session.shown("broken.jl") == ["DP101", "DP101"]
    told = {session.name(each["uri"]) for each in session.published()}
    assert told <= {"lib/noise.jl", "broken.jl", "main.jl"}
    first = next(session.name(each["uri"]) for each in session.published() if each["diagnostics"])
    assert first in ("broken.jl", "main.jl"), "nothing was told of them before"
    session.notify("workspace/didChangeConfiguration", {"settings": {"dpLsp": {"checkWorkspace": False}}})
    assert session.shown("broken.jl") == []


@posix
def test_a_process_that_dies_before_it_looks_at_files_is_followed_by_one_that_does(session: Session) -> None:
    session.begin(**PULLS)
    asked = session.request_all()
    (worker,) = waited(lambda: children(session.process.pid))
    os.kill(worker, signal.SIGKILL)
    assert "broken.jl" in session.codes(session.answer(asked)["result"]["items"])


@posix
def test_processes_that_die_before_they_look_at_files_are_not_started_without_end(session: Session) -> None:
    session.begin(**PULLS)
    session.request_all(workDoneToken="work")
    (first,) = waited(lambda: children(session.process.pid))
    os.kill(first, signal.SIGKILL)
    (second,) = waited(lambda: children(session.process.pid) - {first})
    os.kill(second, signal.SIGKILL)
    session.wait(lambda message: message.get("params", {}).get("value", {}).get("kind") == "end")
    assert not children(session.process.pid)


@posix
def test_a_process_that_dies_is_followed_by_one_that_goes_on(session: Session, folder: Path) -> None:
    """Killed in the midst of its work; where all is known before a share of it was told, there is nothing to go on
    with, and the answer is the same."""
    for number in range(40):
        write(folder, f"many/file{number}.jl", "".join(f"f{each}(x::Real) = lost(x)\n" for each in range(20)))
    session.begin(**PULLS)
    asked = session.request_all(workDoneToken="work")
    told = session.wait(lambda message: _is_share(message) or ("method" not in message and message.get("id") == asked))
    if _is_share(told):
        (worker,) = children(session.process.pid)
        os.kill(worker, signal.SIGKILL)
        told = session.answer(asked)
    found = session.codes(told["result"]["items"])
    assert len(found) == 41
    assert {code for codes in found.values() for code in codes} == {"DP101"}


def _is_share(message: Message) -> bool:
    """Whether a message tells how much of some work is done."""
    return bool(message.get("params", {}).get("value", {}).get("kind") == "report")


@several
def test_another_process_begins_at_the_other_end(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is gone when all is known, and when the process that it helps is killed, and changes no answer."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    for number in range(100):
        write(folder, f"many/file{number}.jl", "".join(f"f{each}(x::Real) = lost(x)\n" for each in range(20)))
    with Session(folder) as session:
        session.begin(**PULLS)
        asked = session.request_all()
        (worker,) = waited(lambda: children(session.process.pid))
        (helper,) = waited(lambda: children(worker))
        os.kill(worker, signal.SIGKILL)
        waited(lambda: not is_running(helper))
        (worker,) = waited(lambda: children(session.process.pid))
        waited(lambda: children(worker))
        found = session.codes(session.answer(asked)["result"]["items"])
        assert not children(worker)
    assert {name: len(codes) for name, codes in found.items()} == {
        "broken.jl": 2,
        **{f"many/file{number}.jl": 20 for number in range(100)},
    }


# Which functions there are


def test_functions_of_closed_files_are_found_by_name(session: Session) -> None:
    session.begin(**PULLS)
    session.everything()
    session.show("main.jl")
    found = session.ask("workspace/symbol", {"query": ""})["result"]
    assert sorted((each["name"], session.name(each["location"]["uri"])) for each in found) == [
        ("f", "main.jl"),
        ("late", "broken.jl"),
        ("noisy", "lib/noise.jl"),
        ("𝔸é", "broken.jl"),
    ]
    (late,) = session.ask("workspace/symbol", {"query": "lt"})["result"]
    start = {"line": 2, "character": 0}
    assert late["location"]["range"] == {"start": start, "end": {"line": 2, "character": 4}}
    assert late["containerName"] == "broken.jl · unknown"


# Files that get other names


def renamed(session: Session, *moves: tuple[str, str]) -> dict[str, list[tuple[str, str]]]:
    """What is edited when files get other names: the text that is replaced and the new one, by file."""
    files = [{"oldUri": session.uri(old), "newUri": session.uri(new)} for old, new in moves]
    edit = session.ask("workspace/willRenameFiles", {"files": files})["result"]
    found: dict[str, list[tuple[str, str]]] = {}
    for uri, edits in edit["changes"].items() if edit else ():
        lines = (session.folder / session.name(uri)).read_text("utf-8").split("\n")
        for each in edits:
            start, end = each["range"]["start"], each["range"]["end"]
            units = lines[start["line"]].encode("utf-16-le")
            old = units[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")
            found.setdefault(session.name(uri), []).append((old, each["newText"]))
    return found


OPERATIONS = {"fileOperations": {"willRename": True, "didRename": True}}


def test_includes_follow_a_file(session: Session, folder: Path) -> None:
    write(folder, "deep/er/user.jl", '#= 𝔸 =# include("../../lib/noise.jl"); g(x) = 1\n')
    answer = session.begin(workspace=OPERATIONS)
    (*files, folders) = answer["result"]["capabilities"]["workspace"]["fileOperations"]["willRename"]["filters"]
    assert [each["pattern"]["glob"] for each in files] == ["**/*.jl", "**/*.py", "**/*.ipynb"]
    assert folders["pattern"]["matches"] == "folder"
    assert renamed(session, ("lib/noise.jl", "lib/sound.jl")) == {
        "main.jl": [("lib/noise.jl", "lib/sound.jl")],
        "deep/er/user.jl": [("../../lib/noise.jl", "../../lib/sound.jl")],
    }


def test_includes_follow_a_folder(session: Session, folder: Path) -> None:
    write(folder, "lib/more.jl", 'include("noise.jl")\ninclude("../main.jl")\n')
    session.begin(workspace=OPERATIONS)
    assert renamed(session, ("lib", "src/library")) == {
        "main.jl": [("lib/noise.jl", "src/library/noise.jl")],
        "lib/more.jl": [("../main.jl", "../../main.jl")],
    }
    assert renamed(session, ("main.jl", "app/start.jl")) == {
        "main.jl": [("lib/noise.jl", "../lib/noise.jl")],
        "lib/more.jl": [("../main.jl", "../app/start.jl")],
    }
    assert renamed(session, ("broken.jl", "whole.jl")) == {}
    assert renamed(session, ("lib/noise.jl", "lib/a$b.jl")) == {}, "it would mean another file there"


def test_the_edits_of_an_open_file_name_its_version(session: Session) -> None:
    session.begin(workspace={**OPERATIONS, "workspaceEdit": {"documentChanges": True}})
    session.show("main.jl")
    session.edit(2, "main.jl", "# one line more\n" + MAIN)
    files = [{"oldUri": session.uri("lib/noise.jl"), "newUri": session.uri("noise.jl")}]
    (edit,) = session.ask("workspace/willRenameFiles", {"files": files})["result"]["documentChanges"]
    assert edit["textDocument"] == {"uri": session.uri("main.jl"), "version": 2}
    start, end = {"line": 1, "character": 9}, {"line": 1, "character": 21}
    assert edit["edits"] == [{"range": {"start": start, "end": end}, "newText": "noise.jl"}]


def test_a_renamed_file_is_found_under_its_new_name(session: Session, folder: Path) -> None:
    session.begin(workspace=OPERATIONS)
    assert session.shown("broken.jl") == ["DP101", "DP101"]
    (folder / "broken.jl").rename(folder / "whole.jl")
    files = [{"oldUri": session.uri("broken.jl"), "newUri": session.uri("whole.jl")}]
    session.notify("workspace/didRenameFiles", {"files": files})
    assert session.shown("broken.jl") == []
    assert session.shown("whole.jl") == ["DP101", "DP101"]
