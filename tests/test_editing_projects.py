"""Programs of several files in an editor: a real session, with the files open, closed, edited and changed on disk."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from source_tree import python
from stdio_driver import Driver, Message, children, is_creation

MAIN = """\
include("lib/noise.jl")

f(x::Real) :: Priv() = noisy(x)

g(x::Real) = 3 * x
"""
NOISY = """\
noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)

other(x::Real) = x
"""
STATUS = {"dpFileStatus": True}
WATCHING = {"didChangeWatchedFiles": {"dynamicRegistration": True}}

posix = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes through /proc")


class Session(Driver):
    """A session in a folder, with files named by their path in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def show(self, name: str, text: str | None = None) -> Message:
        """Open a file with the text it has on the disk, or another; its status once it was checked."""
        self.open((self.folder / name).read_text("utf-8") if text is None else text, uri=self.uri(name))
        return self.checked(1, name)

    def hide(self, name: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def edit(self, version: int, name: str, text: str) -> None:
        self.change(version, {"text": text}, uri=self.uri(name))

    def checked(self, version: int, name: str = "") -> Message:  # type: ignore[override]
        answer: Message = self.ask("dp/waitForCheck", {"uri": self.uri(name), "version": version})["result"]
        return answer

    def changed_on_disk(self, *names: str) -> None:
        changes = [{"uri": self.uri(name), "type": 2} for name in names]
        self.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def diagnostics(self, name: str) -> list[str]:
        """The codes of the errors that are shown in a file."""
        last = [each for each in self.published() if each["uri"] == self.uri(name)][-1]
        return [each["code"] for each in last["diagnostics"] if each["severity"] == 1]

    def until_shown(self, name: str, *codes: str) -> None:
        """Wait until these are the errors of a file: of others something may be told before, and of this one, too."""
        while self.diagnostics(name) != list(codes):
            self.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics")

    def statuses(self, name: str) -> list[str]:
        """What was told of a file, in order."""
        told = [m["params"] for m in self.seen if m.get("method") == "dp/fileStatus"]
        return [each["status"] for each in told if each["uri"] == self.uri(name)]


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "project"
    write(inside, "main.jl", MAIN)
    write(inside, "lib/noise.jl", NOISY)
    return inside


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    with Session(folder) as driver:
        yield driver
        for worker in children(driver.process.pid):
            os.kill(worker, signal.SIGKILL)


def states(status: Message) -> dict[str, str]:
    return {function["name"]: function["status"] for function in status["functions"]}


def by_command(folder: Path) -> dict[str, Message]:
    """What ``dp-lsp check`` says of each file of a folder."""
    printed = python("-m", "dp_lsp", "check", "--output-format", "json", folder).stdout
    return {file["path"]: file for file in json.loads(printed)["files"]}


# What is said of a file


def test_a_closed_file_is_read_from_the_disk(session: Session) -> None:
    session.start(session.folder)
    status = session.show("main.jl")
    assert states(status) == {"f": "proved", "g": "proved"}
    assert "ε 0.5 " in status["functions"][0]["summary"]
    assert {publication["uri"] for publication in session.published()} == {session.uri("main.jl")}


@pytest.mark.parametrize("opened", [["main.jl"], ["lib/noise.jl"], ["lib/noise.jl", "main.jl", "user.jl", "ring.jl"]])
def test_the_server_says_of_any_file_what_the_command_line_does(
    session: Session, folder: Path, opened: list[str]
) -> None:
    write(folder, "lib/noise.jl", NOISY + "scaled(x::Real) = factor * x\n" + 'include("ring.jl")\n')
    write(folder, "lib/ring.jl", 'include("noise.jl")\n')
    write(folder, "user.jl", 'factor = 2\ninclude("lib/noise.jl")\ninclude("../outside.jl")\n')
    write(folder, "main.jl", MAIN + "h(x::Real) = lost(x)\n")
    write(folder, "ring.jl", 'include("ring.jl")\ng(x::Real) = x\n')
    write(folder, ".hidden.jl", 'include("main.jl")\n')
    expected = by_command(folder)
    session.start(folder)
    for name in opened:
        session.show(name)
    for name in opened:
        (file,) = session.ask("dp/report", {"uri": session.uri(name)})["result"]["files"]
        assert file == expected[(folder / name).as_posix()]
        errors = [each["code"] for each in file["diagnostics"] if each["severity"] == "error"]
        assert session.diagnostics(name) == errors
    assert len(expected) == 5


def test_without_a_folder_nothing_is_read(session: Session) -> None:
    session.start()
    assert states(session.show("main.jl"))["f"] == "unknown"
    assert session.diagnostics("main.jl") == ["DP015"]
    session.show("lib/noise.jl")
    session.checked(1, "main.jl")
    assert session.diagnostics("main.jl") == [], "what is open in the editor may be included"


def test_a_file_outside_the_folder_counts_while_it_is_open(session: Session, folder: Path) -> None:
    write(folder.parent, "secret.jl", NOISY)
    write(folder, "main.jl", MAIN.replace("lib/noise.jl", "../secret.jl"))
    session.start(folder)
    session.show("main.jl")
    assert session.diagnostics("main.jl") == ["DP015"]
    session.show("../secret.jl")
    assert session.checked(1, "main.jl")["status"] == "proved"
    session.hide("../secret.jl")
    assert session.checked(1, "main.jl")["status"] == "unknown"
    assert session.diagnostics("main.jl") == ["DP015"]


def test_a_new_document_includes_nothing(session: Session, folder: Path) -> None:
    session.start(folder)
    session.open(MAIN, uri="untitled:1")
    status = session.ask("dp/waitForCheck", {"uri": "untitled:1", "version": 1})["result"]
    assert states(status) == {"f": "unknown", "g": "unknown"}
    assert [each["code"] for each in session.published()[-1]["diagnostics"]] == ["DP018"]


# Edits


def test_an_edit_reaches_the_functions_that_use_it_and_no_others(session: Session) -> None:
    session.start(session.folder, experimental=STATUS)
    session.show("main.jl")
    session.show("lib/noise.jl")
    before = session.checked(1, "main.jl")["counters"]  # which it was told to be again, as another file was opened
    session.seen.clear()
    session.edit(2, "lib/noise.jl", NOISY.replace("1/2", "1/4"))
    session.wait(lambda message: message.get("method") == "dp/fileStatus")
    told = session.wait(lambda message: message.get("method") == "dp/fileStatus")["params"]
    assert told["uri"] == session.uri("main.jl") and told["version"] == 1, "in the same turn as the edit"
    assert (told["status"], states(told)) == ("stale", {"f": "stale", "g": "proved"})
    status = session.checked(1, "main.jl")
    assert "ε 0.25 " in status["functions"][0]["summary"]
    assert status["counters"]["parsed"] == before["parsed"] + 1
    assert status["counters"]["inferred"] == before["inferred"] + 2
    assert session.statuses("main.jl") == ["stale", "proved"]


def test_an_edit_that_nobody_else_uses_leaves_the_others_alone(session: Session) -> None:
    session.start(session.folder, experimental=STATUS)
    session.show("main.jl")
    before = session.show("lib/noise.jl")["counters"]
    told = len(session.statuses("main.jl"))
    session.edit(2, "lib/noise.jl", NOISY.replace("= x\n", "= 2 * x\n"))
    after = session.checked(2, "lib/noise.jl")["counters"]
    assert after["inferred"] == before["inferred"] + 1
    assert session.checked(1, "main.jl")["status"] == "proved"
    assert len(session.statuses("main.jl")) == told


def test_an_edit_reaches_through_a_closed_file(session: Session, folder: Path) -> None:
    write(folder, "lib/noise.jl", 'include("base.jl")\nnoisy(x::Real) :: Priv() = base(x)\n')
    write(folder, "lib/base.jl", NOISY.replace("noisy", "base"))
    session.start(folder, experimental=STATUS)
    session.show("main.jl")
    session.show("lib/base.jl")
    session.edit(2, "lib/base.jl", NOISY.replace("noisy", "base").replace("1/2", "1/4"))
    stale = session.wait(lambda m: m.get("method") == "dp/fileStatus" and m["params"]["uri"].endswith("main.jl"))
    assert states(stale["params"]) == {"f": "stale", "g": "proved"}
    assert "ε 0.25 " in session.checked(1, "main.jl")["functions"][0]["summary"]


def test_a_broken_edit_and_its_repair_are_seen_in_the_other_file(session: Session) -> None:
    session.start(session.folder)
    session.show("main.jl")
    session.show("lib/noise.jl")
    session.edit(2, "lib/noise.jl", "using MyNoise\n" + NOISY)
    assert states(session.checked(1, "main.jl")) == {"f": "unknown", "g": "proved"}
    assert session.diagnostics("lib/noise.jl") == ["DP112"] and session.diagnostics("main.jl") == []
    session.edit(3, "lib/noise.jl", NOISY.replace("noisy", "renamed"))
    assert states(session.checked(1, "main.jl")) == {"f": "unknown", "g": "proved"}
    assert session.diagnostics("lib/noise.jl") == [] and session.diagnostics("main.jl") == ["DP101"]
    session.edit(4, "lib/noise.jl", NOISY)
    assert states(session.checked(1, "main.jl")) == {"f": "proved", "g": "proved"}
    assert session.diagnostics("main.jl") == []
    versions = [each["version"] for each in session.published() if each["uri"] == session.uri("main.jl")]
    assert versions == [1, 1, 1, 1], "each list once"


def test_an_include_that_is_taken_out_and_put_in_again(session: Session) -> None:
    session.start(session.folder)
    session.show("main.jl")
    session.show("lib/noise.jl", NOISY + "scaled(x::Real) = g(x)\n")
    assert session.diagnostics("lib/noise.jl") == []
    session.edit(2, "main.jl", MAIN.replace("include", "# include"))
    assert states(session.checked(1, "lib/noise.jl"))["scaled"] == "unknown"
    assert session.diagnostics("lib/noise.jl") == ["DP101"], "it is a program of its own now"
    assert session.diagnostics("main.jl") == ["DP101"]
    session.edit(3, "main.jl", MAIN)
    assert states(session.checked(1, "lib/noise.jl"))["scaled"] == "proved"
    assert session.diagnostics("lib/noise.jl") == []


# The disk


def test_text_in_the_editor_wins_until_it_is_closed(session: Session) -> None:
    session.start(session.folder)
    session.show("main.jl")
    session.show("lib/noise.jl", NOISY.replace("1/2", "1/8"))
    assert "ε 0.125 " in session.checked(1, "main.jl")["functions"][0]["summary"]
    session.hide("lib/noise.jl")
    assert "ε 0.5 " in session.checked(1, "main.jl")["functions"][0]["summary"]
    assert session.diagnostics("lib/noise.jl") == []


def test_another_text_than_on_the_disk_makes_the_others_stale_at_once(session: Session) -> None:
    session.start(session.folder, experimental=STATUS, workspace=WATCHING)
    session.show("main.jl")
    session.open(NOISY, uri=session.uri("lib/noise.jl"))
    session.checked(1, "lib/noise.jl")
    assert session.statuses("main.jl") == ["stale", "proved"], "the same text changes nothing"
    session.hide("lib/noise.jl")
    session.checked(1, "main.jl")
    session.open(NOISY.replace("1/2", "1/8"), uri=session.uri("lib/noise.jl"))
    session.checked(1, "main.jl")
    assert session.statuses("main.jl") == ["stale", "proved"] * 3


def test_a_file_that_changes_on_the_disk(session: Session, folder: Path) -> None:
    session.start(folder, experimental=STATUS, workspace=WATCHING)
    session.show("main.jl")
    write(folder, "lib/noise.jl", NOISY.replace("1/2", "1/16"))
    session.changed_on_disk("lib/noise.jl")
    assert "ε 0.0625 " in session.checked(1, "main.jl")["functions"][0]["summary"]
    assert session.statuses("main.jl") == ["stale", "proved", "stale", "proved"]
    (folder / "lib/noise.jl").unlink()
    session.changed_on_disk("lib/noise.jl")
    assert states(session.checked(1, "main.jl"))["f"] == "unknown"
    assert session.diagnostics("main.jl") == ["DP013"]
    write(folder, "lib/noise.jl", NOISY)
    session.changed_on_disk("lib/noise.jl")
    session.until_shown("main.jl")
    assert session.checked(1, "main.jl")["status"] == "proved"


def test_one_of_two_missing_files_appears(session: Session, folder: Path) -> None:
    write(folder, "main.jl", 'include("a.jl")\ninclude("b.jl")\n' + MAIN)
    session.start(folder, workspace=WATCHING)
    session.show("main.jl")
    assert session.diagnostics("main.jl") == ["DP013", "DP013"]
    write(folder, "b.jl", "")
    session.changed_on_disk("b.jl")
    session.until_shown("main.jl", "DP013")


def test_a_new_file_that_includes_an_open_one(session: Session, folder: Path) -> None:
    write(folder, "lib/noise.jl", NOISY + "scaled(x::Real) = factor * x\n")
    session.start(folder, workspace=WATCHING)
    session.show("lib/noise.jl")
    assert session.diagnostics("lib/noise.jl") == ["DP101"]
    write(folder, "main.jl", MAIN + "factor = 2\n")
    session.changed_on_disk("main.jl")
    session.until_shown("lib/noise.jl")
    write(folder, "second.jl", 'factor = 3\ninclude("lib/noise.jl")\n')
    session.changed_on_disk("second.jl")
    session.until_shown("lib/noise.jl", "DP019")


def test_a_client_is_asked_to_watch_if_it_can(session: Session) -> None:
    session.start(session.folder, workspace=WATCHING)
    asked = session.wait(lambda message: message.get("method") == "client/registerCapability")
    session.send({"jsonrpc": "2.0", "id": asked["id"], "result": None})
    (registration,) = asked["params"]["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    assert registration["registerOptions"]["watchers"][0]["globPattern"] == "**/*.jl"


def test_with_a_client_that_cannot_watch_a_save_counts(session: Session, folder: Path) -> None:
    session.start(folder)
    session.show("main.jl")
    write(folder, "lib/noise.jl", NOISY.replace("1/2", "1/16"))
    session.notify("textDocument/didSave", {"textDocument": {"uri": session.uri("main.jl")}})
    session.edit(2, "main.jl", MAIN + "\n")
    assert "ε 0.0625 " in session.checked(2, "main.jl")["functions"][0]["summary"]
    assert not any(message.get("method") == "client/registerCapability" for message in session.seen)


def test_folders_come_and_go(session: Session, folder: Path) -> None:
    session.start()
    session.show("main.jl")
    added = {"uri": folder.as_uri(), "name": "project"}
    session.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [added], "removed": []}})
    session.until_shown("main.jl")
    session.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [added]}})
    session.until_shown("main.jl", "DP015")


# Clients that ask


def test_a_client_that_asks_gets_what_holds_after_an_edit_elsewhere(session: Session) -> None:
    capabilities = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}
    answer = session.start(session.folder, **capabilities)["result"]["capabilities"]
    assert answer["diagnosticProvider"]["interFileDependencies"] is True
    session.show("main.jl")
    session.show("lib/noise.jl")
    asked = {"textDocument": {"uri": session.uri("main.jl")}}
    first = session.ask("textDocument/diagnostic", asked)["result"]
    assert first["items"] == []
    session.edit(2, "lib/noise.jl", NOISY.replace("noisy", "renamed"))
    later = session.ask("textDocument/diagnostic", asked | {"previousResultId": first["resultId"]})["result"]
    assert [each["code"] for each in later["items"]] == ["DP101"]
    assert any(message.get("method") == "workspace/diagnostic/refresh" for message in session.seen)
    assert session.published() == []


# Failures


@posix
def test_a_worker_that_dies_leaves_nothing_proved_of_what_was_edited(session: Session) -> None:
    session.start(session.folder, experimental=STATUS, window={"workDoneProgress": True})
    session.show("main.jl")
    session.show("lib/noise.jl")
    session.show_progress()
    (worker,) = children(session.process.pid)
    os.kill(worker, signal.SIGSTOP)  # it tries no fixes, as there are no problems: one that does is ended
    session.edit(2, "lib/noise.jl", NOISY.replace("1/2", "1/4"))
    session.wait(is_creation)
    os.kill(worker, signal.SIGKILL)
    lost = session.wait(
        lambda m: (
            m.get("method") == "dp/fileStatus"
            and m["params"]["uri"].endswith("main.jl")
            and m["params"]["status"] == "unknown"
        )
    )
    assert set(states(lost["params"]).values()) == {"unknown"}
    assert "ε 0.25 " in session.checked(1, "main.jl")["functions"][0]["summary"]
    assert session.checked(2, "lib/noise.jl")["status"] == "proved"


def test_restart_checks_all_files_again(session: Session) -> None:
    session.start(session.folder)
    session.show("main.jl")
    session.show("lib/noise.jl")
    session.ask("workspace/executeCommand", {"command": "dp-lsp.restart", "arguments": []})
    assert session.checked(1, "lib/noise.jl")["status"] == "proved"
    session.edit(2, "lib/noise.jl", NOISY.replace("1/2", "1/4"))
    assert "ε 0.25 " in session.checked(1, "main.jl")["functions"][0]["summary"]
