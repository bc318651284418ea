"""The server on its pipes, with a client that misbehaves, dies, or types very fast."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator

import pytest

from stdio_driver import PATIENCE, Driver, Message, children, gone

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED = -32002

posix = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes through /proc")


@pytest.fixture
def server() -> Iterator[Driver]:
    with Driver() as driver:
        yield driver


@pytest.fixture
def session(server: Driver) -> Driver:
    server.start()
    return server


@pytest.fixture(scope="module")
def lasting() -> Iterator[Driver]:
    """One session for all that a server must survive."""
    with Driver() as driver:
        driver.start()
        yield driver


def code(answer: Message) -> int:
    assert isinstance(answer["error"]["message"], str)
    return int(answer["error"]["code"])


def alive(driver: Driver) -> bool:
    """Whether the server still answers."""
    return code(driver.ask("dp/nothing")) == UNKNOWN_METHOD


def test_requests_before_initialize(server: Driver) -> None:
    assert code(server.ask("textDocument/hover", {})) == NOT_INITIALIZED
    assert "result" in server.start()
    assert code(server.ask("initialize", {"processId": None, "capabilities": {}})) == INVALID_REQUEST


def test_requests_after_shutdown(session: Driver) -> None:
    assert session.ask("shutdown")["result"] is None
    assert code(session.ask("textDocument/hover", {})) == INVALID_REQUEST
    session.notify("exit")
    assert session.exit_code() == 0


def test_exit_without_shutdown(session: Driver) -> None:
    session.notify("exit")
    assert session.exit_code() == 1


def test_exit_before_initialize(server: Driver) -> None:
    server.notify("exit")
    assert server.exit_code() == 1


def test_unknown_methods(lasting: Driver) -> None:
    lasting.notify("dp/nothing", {"x": 1})
    lasting.notify("$/nothing")
    assert alive(lasting)


@pytest.mark.parametrize("method", ["textDocument/hover", "dp/waitForCheck", "dp/report"])
@pytest.mark.parametrize("params", [None, [], 3, {}, {"uri": 3}, {"textDocument": {}}])
def test_wrong_parameters(lasting: Driver, method: str, params: object) -> None:
    assert code(lasting.ask(method, params)) == INVALID_PARAMS
    assert alive(lasting)


@pytest.mark.parametrize("arguments", [None, [], [1], ["a", "b"]])
def test_wrong_arguments_of_a_command(lasting: Driver, arguments: object) -> None:
    params = {"command": "dp-lsp.checkFile", "arguments": arguments}
    assert code(lasting.ask("workspace/executeCommand", params)) == INVALID_PARAMS


def test_garbage_between_messages(lasting: Driver) -> None:
    lasting.raw(b"\x00\xff garbage\r\n\r\nContent-Length: x\r\n\r\n")
    assert alive(lasting)


@pytest.mark.parametrize("body", [b"{", b'{"jsonrpc": "2.0", ', b"\xff\xfe", b"[" * 100_000])
def test_malformed_json(lasting: Driver, body: bytes) -> None:
    lasting.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert code(lasting.wait(lambda message: message.get("id", 0) is None)) == PARSE_ERROR
    assert alive(lasting)


@pytest.mark.parametrize("body", [b"[]", b"3", b"null", b"{}", b'{"jsonrpc": "1.0", "id": 1, "method": "x"}'])
def test_json_that_is_no_message(lasting: Driver, body: bytes) -> None:
    lasting.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert code(lasting.wait(lambda message: message.get("id", 0) is None)) == INVALID_REQUEST
    assert alive(lasting)


@pytest.mark.parametrize("error", [-5, -1, 1, 5, 30])
def test_a_wrong_length_costs_no_more_than_its_neighbour(lasting: Driver, error: int) -> None:
    body = b'{"jsonrpc": "2.0", "method": "dp/nothing", "params": {}}'
    lasting.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body) + error, body))
    lasting.notify("dp/nothing")
    assert alive(lasting)


def test_headers_of_all_kinds(lasting: Driver) -> None:
    body = b'{"jsonrpc": "2.0", "id": "x", "method": "dp/nothing"}'
    kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    for header in (b"content-length:%d\r\n" + kind, kind + b"Content-Length: %d\r\n"):
        lasting.raw(header % len(body) + b"\r\n" + body)
        assert code(lasting.wait(lambda message: message.get("id") == "x")) == UNKNOWN_METHOD


def test_a_message_in_pieces(lasting: Driver) -> None:
    body = b'{"jsonrpc": "2.0", "id": "x", "method": "dp/nothing"}'
    for byte in b"Content-Length: %d\r\n\r\n%s" % (len(body), body):
        lasting.raw(bytes([byte]))
    assert code(lasting.wait(lambda message: message.get("id") == "x")) == UNKNOWN_METHOD


def test_unknown_values_in_capabilities(server: Driver) -> None:
    completion = {
        "completionItem": {"documentationFormat": ["html"]},
        "completionItemKind": {"valueSet": [118115]},
    }
    answer = server.start(
        general={"positionEncodings": ["ebcdic", "utf-32"]},
        workspace={"workspaceEdit": {"resourceOperations": ["teleport"], "failureHandling": "pray"}},
        textDocument={"completion": completion, "publishDiagnostics": {"tagSupport": {"valueSet": [77]}}},
    )
    assert answer["result"]["capabilities"]["positionEncoding"] == "utf-32"


def test_an_edit_storm_ends_in_the_right_diagnostics(session: Driver) -> None:
    session.open("")
    text = ""
    for version in range(2, 302):
        piece = "undefined_name(1) " if version % 7 == 0 else "ε😀"[version % 2]
        place = {"line": 0, "character": 0}
        session.change(version, {"range": {"start": place, "end": place}, "text": f"# {piece}\n"})
        text = f"# {piece}\n{text}"
    final = "function f(x::Real)\n    undefined_name(x)\nend\n"
    session.change(302, {"text": final})
    session.checked(302)
    published = session.published()
    versions = [publication["version"] for publication in published]
    assert versions == sorted(set(versions))
    assert versions[-1] == 302
    assert published[-1]["diagnostics"] == fresh_diagnostics(final)


def fresh_diagnostics(text: str) -> list[Message]:
    """The diagnostics of a server that saw nothing else."""
    with Driver() as driver:
        driver.start()
        driver.open(text)
        driver.checked(1)
        return list(driver.published()[-1]["diagnostics"])


def test_the_first_check_of_a_long_file_tells_what_it_has_found_so_far(session: Driver) -> None:
    def problem(number: int) -> str:
        return f"f{number}(x::Real) = undefined_name_{number}(x)\n"

    def work(number: int) -> str:
        return f"function g{number}(x::Real)\n    for i in 1:4\n        x = x / 2 + {number}\n    end\n    x\nend\n"

    text = "".join([problem(0), *map(work, range(300)), problem(1)])
    session.open(text)
    session.checked(1)
    published = [publication["diagnostics"] for publication in session.published()]
    assert len(published) > 1
    assert [each["code"] for each in published[0]] == ["DP101"]
    assert published[0] == published[-1][:1]
    assert published[-1] == fresh_diagnostics(text)
    assert len(published[-1]) == 2
    before = len(session.published())
    session.change(2, {"text": text.replace("x / 2", "x / 3")})
    session.checked(2)
    assert [each["version"] for each in session.published()[before:]] == [2]


def test_closing_takes_diagnostics_away(session: Driver) -> None:
    session.open("f(x::Real) = undefined_name(x)\n")
    session.checked(1)
    session.notify("textDocument/didClose", {"textDocument": {"uri": "file:///tmp/a.jl"}})
    assert alive(session)
    assert session.published()[-1]["diagnostics"] == []


def test_after_a_change_that_makes_no_sense_nothing_is_claimed(session: Driver) -> None:
    session.open("f(x::Real) = undefined_name(x)\n")
    session.checked(1)
    nowhere = {"line": -1, "character": 0}
    session.change(2, {"range": {"start": nowhere, "end": nowhere}, "text": ""})
    assert code(session.ask("dp/waitForCheck", {"uri": "file:///tmp/a.jl"})) == INVALID_PARAMS
    assert session.published()[-1]["diagnostics"] == []


def test_opening_again_starts_afresh(session: Driver) -> None:
    for round_ in range(20):
        session.open(f"f(x::Real) = x\ng(x::Real) = x + {round_}\n")
        if round_ % 3:
            session.notify("textDocument/didClose", {"textDocument": {"uri": "file:///tmp/a.jl"}})
    session.open("f(x::Real) = x\n")
    status = session.checked(1)
    assert [function["name"] for function in status["functions"]] == ["f"], (status, session.published()[-1])


def test_what_is_not_checked_is_ignored(session: Driver) -> None:
    session.open("[tool]", uri="file:///tmp/dp-lsp.toml", language="toml")
    session.change(2, {"text": "x"}, uri="file:///tmp/dp-lsp.toml")
    session.change(2, {"text": "x"}, uri="file:///tmp/never-opened.jl")
    session.open("x = (1", uri="file:///tmp/a.py", language="python")  # which is none of ours without the vocabulary
    session.open("x = (1", uri="file:///tmp/a.r", language="r")
    for name in ("dp-lsp.toml", "never-opened.jl", "a.r"):
        assert code(session.ask("dp/report", {"uri": f"file:///tmp/{name}"})) == INVALID_PARAMS
    assert alive(session)
    assert session.published() == []


@posix
def test_end_of_input_ends_server_and_worker(session: Driver) -> None:
    session.open("f(x::Real) = x\n")
    session.checked(1)
    (worker,) = children(session.process.pid)
    assert session.process.stdin
    session.process.stdin.close()
    assert session.exit_code() == 1
    assert gone(worker)


@posix
def test_a_killed_server_leaves_no_worker(session: Driver) -> None:
    session.open("f(x::Real) = x\n")
    session.checked(1)
    (worker,) = children(session.process.pid)
    session.process.send_signal(signal.SIGKILL)
    assert gone(worker)


@posix
def test_the_end_of_the_client_process_ends_the_server(server: Driver) -> None:
    with Driver() as other:
        server.ask("initialize", {"processId": other.process.pid, "capabilities": {}})
        server.notify("initialized", {})
        assert alive(server)
    assert server.exit_code() == 1


def test_tcp() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Driver("--tcp", f"127.0.0.1:{port}") as driver:
        answer = talk(port, b'{"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover"}')
        assert str(NOT_INITIALIZED).encode() in answer
        assert driver.exit_code() == 1


def talk(port: int, body: bytes) -> bytes:
    """Send one message to a server that may still be starting, and return the first it says."""
    for _ in range(int(PATIENCE / 0.1)):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
                connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                return connection.recv(4096)
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError("the server does not listen")
