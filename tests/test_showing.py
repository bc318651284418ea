"""Pages about a document, commands, and reports on how work goes on, as a client sees them."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest

from dp_lsp.engine.check import Engine
from dp_lsp.features.hover import page
from stdio_driver import Driver, Message, children, is_creation

URI = "file:///tmp/a.jl"
PROGRAM = """\
function noisy(x::Real, eps::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = laplacian_mechanism(1, eps, x)
    end
    y
end

double(v::MetricVector(Real, L1)) = v + v
"""
READS: dict[str, Any] = {"window": {"showDocument": {"support": True}}, "workspace": {"textDocumentContent": {}}}
INVALID = -32602
PATIENT = 0.8  # seconds after which a check takes long

posix = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes through /proc")


@pytest.fixture
def driver() -> Iterator[Driver]:
    with Driver() as made:
        yield made


@pytest.fixture(scope="module")
def ready() -> Iterator[Driver]:
    """A server that has checked a program, for all that changes nothing of it."""
    with Driver() as made:
        started(made)
        yield made


def started(driver: Driver, text: str = PROGRAM, **capabilities: Any) -> None:
    driver.start(**capabilities)
    driver.open(text)
    driver.checked(1)


def run(driver: Driver, command: str, *arguments: object) -> Message:
    return driver.ask("workspace/executeCommand", {"command": f"dp-lsp.{command}", "arguments": list(arguments)})


def shown(driver: Driver, command: str, *arguments: object) -> str:
    """The URI of the page that a command has the client show."""
    asked = 1_000
    params = {"command": f"dp-lsp.{command}", "arguments": list(arguments)}
    driver.send({"jsonrpc": "2.0", "id": asked, "method": "workspace/executeCommand", "params": params})
    request = driver.wait(lambda message: message.get("method") == "window/showDocument")
    driver.send({"jsonrpc": "2.0", "id": request["id"], "result": {"success": True}})
    answer = driver.wait(lambda message: message.get("id") == asked and "method" not in message)
    assert answer["result"] is None
    return str(request["params"]["uri"])


def test_pages_are_documents_where_the_client_can_read_them(driver: Driver) -> None:
    announced = driver.start(**READS)["result"]["capabilities"]
    assert announced["workspace"]["textDocumentContent"] == {"schemes": ["dp-lsp"]}
    driver.open(PROGRAM)
    driver.checked(1)
    uri = shown(driver, "showDerivation", URI, {"line": 8, "character": 0})
    assert re.fullmatch(r"dp-lsp:/derivation/a\.jl\.md\?[A-Za-z0-9_-]+", uri)  # nothing that a client would escape
    text = driver.ask("workspace/textDocumentContent", {"uri": uri})["result"]["text"]
    assert text.startswith("# `double`") and "`double(MetricVector(Real, L1))`" in text
    report = shown(driver, "showReport", URI)
    assert driver.ask("workspace/textDocumentContent", {"uri": report})["result"]["text"].startswith("# `/tmp/a.jl`")


def test_pages_of_files_with_odd_names(driver: Driver) -> None:
    driver.start(**READS)
    uri = "file:///tmp/100%25%20%26%20a%3Db%2B%23c%3F.jl"
    driver.open(PROGRAM, uri)
    driver.checked(1, uri)
    report = shown(driver, "showReport", uri)
    page = driver.ask("workspace/textDocumentContent", {"uri": report})["result"]["text"]
    assert page.startswith("# `/tmp/100% & a=b+#c?.jl`")


def packed(asked: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(asked).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "uri",
    [
        "dp-lsp:/derivation/a.jl.md?" + packed({"uri": URI}),
        "dp-lsp:/derivation/a?" + packed({"uri": URI, "line": -1, "character": 0}),
        "dp-lsp:/nothing?" + packed({"uri": URI}),
        "dp-lsp:/report/b.md?" + packed({"uri": "file:///tmp/b.jl"}),
        "dp-lsp:/report/a.jl.md?" + packed({"uri": 5}),
        "dp-lsp:/report/a.jl.md?" + packed([URI]),
        "dp-lsp:/report/a.jl.md?" + packed({"uri": URI})[:-1],
        "dp-lsp:/report/a.jl.md?é",
        "dp-lsp:/report/a.jl.md",
        "file:///tmp/a.jl",
        "",
    ],
)
def test_there_are_no_other_pages(ready: Driver, uri: str) -> None:
    assert ready.ask("workspace/textDocumentContent", {"uri": uri})["error"]["code"] == INVALID


def test_pages_are_answers_where_the_client_cannot(driver: Driver) -> None:
    started(driver, window={"showDocument": {"support": True}})
    assert run(driver, "showReport", URI)["result"].startswith("# `/tmp/a.jl`\n\n2 functions: 2 proved.")
    derivation = run(driver, "showDerivation", URI, {"line": 3, "character": 14})["result"]
    assert derivation.startswith("# `y = laplacian_mechanism(1, eps, x)`")
    assert not [message for message in driver.seen if message.get("method") == "window/showDocument"]


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("showReport", []),
        ("showReport", [5]),
        ("showReport", ["file:///tmp/other.jl"]),
        ("showDerivation", [URI]),
        ("showDerivation", [URI, {"line": 0}]),
        ("showDerivation", [URI, {"line": -1, "character": 0}]),
        ("showDerivation", [URI, {"line": 1e30, "character": 0}]),
        ("showDerivation", [URI, {"line": 7, "character": 0}]),
        ("setParameter", [URI, "k"]),
        ("setParameter", [URI, "k", "many"]),
        ("setParameter", [URI, "k", True]),
        ("setParameter", [URI, "k", "1e999999"]),
        ("setParameter", [URI, "a:b:c", 1]),
        ("setParameter", [URI, "", 1]),
    ],
)
def test_wrong_arguments(ready: Driver, command: str, arguments: list[object]) -> None:
    before = ready.checked(1)
    assert run(ready, command, *arguments)["error"]["code"] == INVALID
    assert ready.checked(1) == before


def test_a_parameter_is_given_a_number_for_the_session(driver: Driver) -> None:
    started(driver)

    def lens() -> str:
        return str(driver.ask("textDocument/codeLens", {"textDocument": {"uri": URI}})["result"][0]["command"]["title"])

    assert "eps⋅max(0, k)" in lens()
    run(driver, "setParameter", URI, "noisy:k", 3)
    status = run(driver, "setParameter", URI, "eps", 0.25)["result"]
    assert status["status"] == "proved"
    assert lens() == "proved, under 1 condition · a change by at most 1 · x: ε 0.75  δ 0 (basic)"
    (numeric,) = driver.ask("dp/report", {"uri": URI})["result"]["files"][0]["functions"][0]["numeric"]
    assert numeric["epsilon"] == 0.75
    assert "`noisy:k` = 3" in run(driver, "showReport", URI)["result"]
    run(driver, "setParameter", URI, "eps", "1/3")
    assert "ε 1  δ 0" in lens()
    driver.change(2, {"text": PROGRAM.replace("1:k", "2:k")})
    driver.checked(2)
    assert "ε 0.667  δ 0" in lens(), "an edit takes no number away"
    run(driver, "setParameter", URI, "eps", None)
    assert "eps" in lens()


def test_a_number_counts_in_its_own_file(driver: Driver) -> None:
    started(driver)
    other = "file:///tmp/other.jl"
    driver.open(PROGRAM, uri=other)
    driver.checked(1, uri=other)
    assert run(driver, "setParameter", URI, "eps", -1)["result"]["status"] == "failed"
    run(driver, "checkFile", other)
    assert driver.checked(1, uri=other)["status"] == "proved"
    run(driver, "checkFile", URI)
    assert driver.checked(1)["status"] == "failed"


def test_a_number_for_nothing_is_refused(driver: Driver) -> None:
    started(driver)
    for name, words in (
        ("kk", "parameter 'kk'. Near: k"),
        ("nosy:k", "called 'nosy'. Near: noisy"),
        ("noisy:z", "'z'"),
    ):
        error = run(driver, "setParameter", URI, name, 1)["error"]
        assert error["code"] == INVALID and words in json.dumps(error), error
    assert run(driver, "setParameter", URI, "length(v)", 10)["result"]["status"] == "proved"


def test_a_condition_that_fails_with_a_number_is_an_error(driver: Driver) -> None:
    started(driver)
    assert run(driver, "setParameter", URI, "eps", -1)["result"]["status"] == "failed"
    assert driver.published()[-1]["diagnostics"]
    assert run(driver, "setParameter", URI, "eps", None)["result"]["status"] == "proved"


def test_hover_links_to_commands_only_where_they_are_trusted() -> None:
    for experimental, linked in (({}, False), ({"dpCommandLinks": True}, True)):
        with Driver() as driver:
            started(driver, experimental=experimental)
            place = {"line": 0, "character": 10}
            params = {"textDocument": {"uri": URI}, "position": place}
            text = driver.ask("textDocument/hover", params)["result"]["contents"]["value"]
            link = re.search(r"\(command:dp-lsp.showDerivation\?(.*)\)", text)
            assert bool(link) is linked and ("dp-lsp explain" in text) is not linked
            if link:
                arguments = json.loads(unquote(link[1]))
                assert arguments == [URI, place]
                assert run(driver, "showDerivation", *arguments)["result"].startswith("# `noisy")


def test_the_page_of_a_file() -> None:
    text = page(Engine().check(PROGRAM + '\ninclude("nowhere.jl")\n'), "a.jl")
    assert text.startswith("# `a.jl`\n\n")
    assert "## `double(" in text and "## Outside functions" in text and "[DP" in text
    assert page(Engine().check("# nothing\n"), "b.jl") == "# `b.jl`\n\nThere are no functions.\n"


@pytest.mark.parametrize(("kinds", "tags"), [([1, 2], [1]), ([2], None), (None, None)])
def test_what_can_go_is_tagged_for_clients_that_take_that(driver: Driver, kinds: list[int] | None, tags: Any) -> None:
    support = {} if kinds is None else {"tagSupport": {"valueSet": kinds}}
    started(driver, "f(x::Real) = 2 * x  # dp: ignore[DP301] no reason\n", textDocument={"publishDiagnostics": support})
    (found,) = driver.published()[-1]["diagnostics"]
    assert found["code"] == "DP803" and found.get("tags") == tags


def watching(driver: Driver) -> int:
    """Begin a session of a client that shows progress, and return the process of its worker. On a slow machine its
    start takes long already."""
    started(driver, window={"workDoneProgress": True})
    driver.show_progress()
    assert progress(driver) == [], "what has ended is not reported"
    (worker,) = children(driver.process.pid)
    return worker


def progress(driver: Driver) -> list[str]:
    return [m["params"]["value"]["kind"] for m in driver.seen if m.get("method") == "$/progress"]


@pytest.fixture
def held() -> Iterator[Driver]:
    """A session whose worker a test may stop and must not leave so."""
    with Driver() as driver:
        yield driver
        for worker in children(driver.process.pid):
            os.kill(worker, signal.SIGKILL)


@posix
def test_a_long_check_is_reported_from_its_begin_to_its_end(held: Driver) -> None:
    worker = watching(held)
    os.kill(worker, signal.SIGSTOP)
    held.change(2, {"text": PROGRAM + "\n"})
    request = held.wait(is_creation)
    held.send({"jsonrpc": "2.0", "id": request["id"], "result": None})
    begun = held.wait(lambda message: message.get("method") == "$/progress")["params"]
    assert begun["token"] == request["params"]["token"]
    assert begun["value"] == {"kind": "begin", "title": "dp-lsp", "message": "checking a.jl"}
    held.change(3, {"text": PROGRAM + "\n\n"})
    os.kill(worker, signal.SIGCONT)
    held.wait(lambda message: message.get("method") == "$/progress")
    assert progress(held) == ["begin", "end"]
    assert held.checked(3)["status"] == "proved"


@posix
def test_a_report_that_comes_too_late_is_never_begun(held: Driver) -> None:
    worker = watching(held)
    os.kill(worker, signal.SIGSTOP)
    held.change(2, {"text": PROGRAM + "\n"})
    request = held.wait(is_creation)
    held.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    os.kill(worker, signal.SIGCONT)
    held.send({"jsonrpc": "2.0", "id": request["id"], "result": None})
    held.ask("dp/nothing")
    held.ask("dp/nothing")  # a turn later
    assert progress(held) == []


@posix
def test_a_client_that_shows_no_progress_is_told_of_none(held: Driver) -> None:
    started(held)
    (worker,) = children(held.process.pid)
    os.kill(worker, signal.SIGSTOP)
    held.change(2, {"text": PROGRAM + "\n"})
    time.sleep(PATIENT)
    os.kill(worker, signal.SIGCONT)
    held.checked(2)
    assert not [message for message in held.seen if "id" in message and "method" in message]
