"""What users of other servers complain of. ``TRAPS`` says for each complaint which tests it has, here or elsewhere."""

from __future__ import annotations

import ast
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from dp_lsp.analysis.workspace import Document
from dp_lsp.engine.check import Engine
from dp_lsp.engine.proposals import edited
from dp_lsp.problem import Edit
from dp_lsp.text import Source, Span
from source_tree import ROOT
from stdio_driver import Driver, Message, children
from work import calls

TRAPS = {
    "something is shown as verified that is not": "test_robustness.test_prefixes "
    "test_faults.test_a_worker_that_is_killed_at_random_moments "
    "test_worker.test_a_check_that_takes_too_long_is_given_up "
    "test_projects.test_what_cannot_be_read_leaves_everything_unknown",
    "old diagnostics win a race": "test_stdio.test_an_edit_storm_ends_in_the_right_diagnostics "
    "test_worker.test_the_end_of_a_superseded_check_is_not_that_of_the_newer "
    "test_what_is_outdated_is_not_published",
    "ranges are old after an edit": "test_workspace.test_results_move_with_the_text",
    "diagnostics are pushed and pulled": "test_protocol.test_diagnostics_are_pulled_by_clients_that_can",
    "pulls go round in a loop": "test_a_pull_of_what_did_not_change_says_so",
    "a closed or deleted file keeps its diagnostics": "test_stdio.test_closing_takes_diagnostics_away",
    "code units are taken for characters": "test_protocol.test_positions_in_every_encoding",
    "texts differ after many edits": "test_typing.test_what_is_remembered_changes_no_answer",
    "other characters count as line breaks": "test_workspace.test_random_edits_in_every_encoding "
    "test_workspace.test_positions_are_told_and_understood_alike",
    "cancelled work is still done": "test_many_cancelled_requests_are_answered_at_once",
    "a session gets slower": "test_the_last_edit_costs_what_the_first_does",
    "memory grows": "test_closed_documents_are_forgotten",
    "processes outlive the editor": "test_stdio.test_a_killed_server_leaves_no_worker",
    "a configuration is not read again": "test_settings.test_a_configuration_is_made_edited_and_removed "
    "test_settings.test_a_faulty_one_is_told_in_its_file_and_the_last_stays "
    "test_settings.test_a_client_that_watches_nothing",
    "a configuration is checked as a program": "test_stdio.test_what_is_not_checked_is_ignored",
    "half-typed code is a crash": "test_robustness.test_single_tokens_deleted",
    "one file takes the server down": "test_extremes.test_in_the_server",
    "starting waits for checking": "test_nothing_is_checked_before_the_answer_to_initialize",
    "a module of the workspace is imported": "test_modules_of_the_workspace_are_not_imported",
    "unknown capabilities": "test_stdio.test_unknown_values_in_capabilities",
    "the status flickers": "test_nothing_new_is_told_unasked",
    "messages pop up": "test_an_answer_that_fails_pops_up_nothing",
    "requests that the client does not know": "test_a_client_that_can_nothing_is_asked_nothing",
    "what is printed disturbs the protocol": "test_worker.test_what_is_printed_does_not_disturb",
    "several folders": "test_settings.test_each_folder_has_its_own_configuration",
}
CANCELLED, INTERNAL_ERROR = -32800, -32603

posix = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes through /proc")


@pytest.fixture
def session() -> Iterator[Driver]:
    with Driver() as driver:
        yield driver
        for worker in children(driver.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)


def test_each_trap_has_a_test() -> None:
    assert len(TRAPS) == 25
    for name in " ".join(TRAPS.values()).split():
        module, _, function = name.rpartition(".")
        tree = ast.parse((ROOT / "tests" / f"{module or 'test_traps'}.py").read_text("utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def told(driver: Driver) -> list[str]:
    """The methods of all that came unasked."""
    return [message["method"] for message in driver.seen if "method" in message]


def test_nothing_new_is_told_unasked(session: Driver) -> None:
    """Of an edit that changes nothing that is said, one publication with the new version, and nothing twice."""
    session.start(experimental={"dpFileStatus": True})
    session.open("f(x::Real) = undefined_name(x)\n")
    session.checked(1)
    for version in range(2, 6):
        session.change(version, {"text": "f(x::Real) = undefined_name(x)\n" + "\n" * version})
        session.checked(version)
    for _ in range(2):
        session.ask("workspace/executeCommand", {"command": "dp-lsp.checkFile", "arguments": ["file:///tmp/a.jl"]})
    session.ask("dp/waitForCheck", {"uri": "file:///tmp/a.jl"})
    published = session.published()
    assert [each["version"] for each in published] == [1, 2, 3, 4, 5]
    assert all(each["diagnostics"] for each in published)
    statuses = [message["params"] for message in session.seen if message.get("method") == "dp/fileStatus"]
    assert all(one != other for one, other in pairwise(statuses))


def test_a_pull_of_what_did_not_change_says_so(session: Driver) -> None:
    session.start(textDocument={"diagnostic": {}}, workspace={"diagnostics": {"refreshSupport": True}})
    session.open("f(x::Real) = undefined_name(x)\n")
    document = {"textDocument": {"uri": "file:///tmp/a.jl"}}
    first = session.ask("textDocument/diagnostic", document)["result"]
    assert first["kind"] == "full" and first["items"]
    for _ in range(3):
        again = session.ask("textDocument/diagnostic", document | {"previousResultId": first["resultId"]})["result"]
        assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    assert told(session) == []


def test_what_is_outdated_is_not_published(session: Driver, tmp_path: Path) -> None:
    """A check of one file ends when another one of its project has been edited: that says nothing of the newer text."""
    whole, part = (tmp_path / name for name in ("whole.jl", "part.jl"))
    users = "".join(f"user_{number}(x::Real) = shared(x) + {number} * x\n" for number in range(600))
    texts = [f'include("part.jl")\nshared(x::Real) = {factor} * x\n{users}' for factor in (2, 3)]
    whole.write_text(texts[0])
    part.write_text("f(x::Real) = x\n")
    session.start(tmp_path)
    session.open("f(x::Real) = undefined_name(x)\n", uri=part.as_uri())
    session.open(texts[0], uri=whole.as_uri())
    session.checked(1, whole.as_uri())
    session.checked(1, part.as_uri())
    for version in range(2, 6):
        session.change(version, {"text": texts[version % 2] + "\n" * version}, uri=whole.as_uri())
        command = {"command": "dp-lsp.checkFile", "arguments": [whole.as_uri()]}  # at once, and not soon
        session.send(
            {"jsonrpc": "2.0", "id": f"check{version}", "method": "workspace/executeCommand", "params": command}
        )
        function = "undefined_name(x)" if version % 2 else "x"
        session.change(version, {"text": f"f(x::Real) = {function}\n"}, uri=part.as_uri())
        session.checked(version, part.as_uri())
    published = [each for each in session.published() if each["uri"] == part.as_uri()]
    assert {each["version"] for each in published} >= {1, 5}
    assert all(bool(each["diagnostics"]) == bool(each["version"] % 2) for each in published)


@posix
def test_many_cancelled_requests_are_answered_at_once(session: Driver) -> None:
    """All wait for a checking process that does not answer; nobody waits for it to be killed."""
    session.start(textDocument={"diagnostic": {}})
    session.open("f(x::Real) = x\n")
    session.checked(1)
    (worker,) = children(session.process.pid)
    os.kill(worker, signal.SIGSTOP)
    session.change(2, {"text": "f(x::Real) = 2 * x\n"})
    document, place = {"uri": "file:///tmp/a.jl"}, {"line": 0, "character": 0}
    requests = [
        ("dp/waitForCheck", document | {"version": 2}),
        ("textDocument/diagnostic", {"textDocument": document}),
        ("dp/derivation", document | {"position": place}),
        ("dp/report", document),
    ]
    asked = [f"slow{number}" for number in range(52)]
    for number, name in enumerate(asked):
        method, params = requests[number % len(requests)]
        session.send({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
    for name in asked:
        session.notify("$/cancelRequest", {"id": name})
    answers: dict[str, Message] = {}
    while len(answers) < len(asked):
        message = session.wait(lambda message: str(message.get("id")).startswith("slow"))
        answers[message["id"]] = message
    assert {answer["error"]["code"] for answer in answers.values()} == {CANCELLED}
    assert children(session.process.pid) == {worker}
    os.kill(worker, signal.SIGCONT)
    assert session.checked(2)["status"] == "proved"


@posix
def test_closed_documents_are_forgotten(session: Driver) -> None:
    session.start()
    text = (ROOT / "fixtures" / "programs" / "dp_sgd.jl").read_text("utf-8")

    def visited(number: int) -> None:
        uri = f"file:///tmp/visited_{number}.jl"
        session.open(text.replace("function ", f"# {number}\nfunction "), uri=uri)
        session.checked(1, uri)
        session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    for number in range(20):
        visited(number)
    before = memory(session)
    for number in range(20, 220):
        visited(number)
    assert memory(session) < 1.2 * before


def memory(driver: Driver) -> int:
    """KiB that the server and its checking process hold."""
    processes = (driver.process.pid, *children(driver.process.pid))
    lines = [line for each in processes for line in Path(f"/proc/{each}/status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


@posix
def test_nothing_is_checked_before_the_answer_to_initialize(session: Driver) -> None:
    params = {"processId": None, "rootUri": ROOT.as_uri(), "capabilities": {}}
    assert "result" in session.ask("initialize", params)
    assert children(session.process.pid) == set()


@posix
def test_modules_of_the_workspace_are_not_imported(tmp_path: Path) -> None:
    for name in ("types", "lark", "click", "ast", "asyncio", "dp_lsp", "pygls", "typing"):
        (tmp_path / f"{name}.py").write_text('raise SystemExit("a module of the workspace was imported")\n')
    program = tmp_path / "a.jl"
    program.write_text("f(x::Real) = 2 * x\n")
    command = [str(Path(sys.executable).with_name("dp-lsp")), "check", "--output-format", "concise", "a.jl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    with Driver(cwd=tmp_path, command=(command[0],)) as driver:
        driver.start(tmp_path)
        driver.open(program.read_text(), uri=program.as_uri())
        assert driver.checked(1, program.as_uri())["status"] == "proved"


BROKEN = """
from dp_lsp import __main__
from dp_lsp.lsp import handlers
from lsprotocol import types

def hover(ls, params):
    raise ZeroDivisionError

handlers.TABLE.features[types.TEXT_DOCUMENT_HOVER] = hover
__main__.main()
"""


def test_an_answer_that_fails_pops_up_nothing() -> None:
    with Driver(command=(sys.executable, "-c", BROKEN)) as session:
        session.start()
        session.open("f(x::Real) = x\n")
        where = {"textDocument": {"uri": "file:///tmp/a.jl"}, "position": {"line": 0, "character": 0}}
        for _ in range(5):
            assert session.ask("textDocument/hover", where)["error"]["code"] == INTERNAL_ERROR
        assert session.checked(1)["status"] == "proved"
        assert "window/showMessage" not in told(session)


def test_the_last_edit_costs_what_the_first_does() -> None:
    """Counted in calls of functions, by what the server and the checking process do with an edit."""
    text = (ROOT / "fixtures" / "programs" / "dp_sgd.jl").read_text("utf-8")
    engine, document = Engine(), Document("file:///tmp/a.jl", 1, text)
    document.settle(0, engine.check(text))
    place = text.index("\n", text.index("function ")) + 1

    def edit(number: int) -> None:
        here = document.source.text
        edits = [Edit(Span(place, place), "    # once more\n")] if number % 2 else [Edit(Span(place, place + 16), "")]
        document.edit(number, Source(edited(here, edits)), edits)
        assert document.functions and document.problems == ()
        document.settle(number, engine.check(document.source.text))

    def edits(numbers: range) -> None:
        for number in numbers:
            edit(number)

    edits(range(1, 21))
    first = calls(lambda: edits(range(21, 41)))
    edits(range(41, 281))
    assert calls(lambda: edits(range(281, 301))).total() <= 1.02 * first.total()


def test_a_client_that_can_nothing_is_asked_nothing(session: Driver, tmp_path: Path) -> None:
    session.start(tmp_path)
    session.open("f(x::Real) = undefined_name(x)\n")
    session.checked(1)
    session.change(2, {"text": "f(x::Real) = x\n"})
    session.checked(2)
    assert set(told(session)) == {"textDocument/publishDiagnostics"}
    assert not any("id" in message and "method" in message for message in session.seen)
