"""Sessions with proper clients: what they see of a program while it is edited."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

import dp_lsp
from dp_lsp.text import Place, Source
from source_tree import ROOT, python
from stdio_driver import PATIENCE, Driver, Message, children, is_creation

PROGRAM = """\
function f(x::Real)
    x + x
end

function g(x::Integer) :: Priv()
    gaussian_mechanism(1, 0.1, 0.2, x)
end

function h(x::Real)
    3 * f(x)
end
"""
BROKEN = "undefined_name(x)"

posix = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes through /proc")


class Recorder(LanguageClient):
    """A client that keeps all it is told, in order."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        self.published: list[types.PublishDiagnosticsParams] = []
        self.statuses: list[Any] = []
        features = DEFAULT_CLIENT_FEATURES | {
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: lambda params: self.published.append(params),
            "dp/fileStatus": lambda params: self.statuses.append(params),
        }
        register_lsp_features(self, features)

    async def ask(self, method: str, **params: object) -> Any:
        return await asyncio.wait_for(self.protocol.send_request_async(method, params), PATIENCE)

    async def checked(self, uri: str, version: int) -> Any:
        """The status of a document once a version was checked."""
        return await self.ask("dp/waitForCheck", uri=uri, version=version)

    async def opened(self, uri: str, text: str = PROGRAM) -> Any:
        """Open a document and return its status once it was checked."""
        item = types.TextDocumentItem(uri, "julia", 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.checked(uri, 1)

    def change(self, uri: str, version: int, old: str, new: str) -> None:
        """Replace some text of the program."""
        part = types.TextDocumentContentChangePartial(range_of(PROGRAM, old), new)
        document = types.VersionedTextDocumentIdentifier(version, uri)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [part]))

    async def hover(self, uri: str, position: types.Position) -> str:
        """The text shown at a position."""
        document = types.TextDocumentIdentifier(uri)
        asked = self.text_document_hover_async(types.HoverParams(document, position))
        answer = await asyncio.wait_for(asked, PATIENCE)
        assert answer and isinstance(answer.contents, types.MarkupContent)
        return answer.contents.value


def place_of(part: str) -> dict[str, int]:
    """Where some text of the program begins, as the protocol writes it."""
    start = range_of(PROGRAM, part).start
    return {"line": start.line, "character": start.character}


def range_of(text: str, part: str) -> types.Range:
    """Where some text of a program in ASCII stands."""
    source, start = Source(text), text.index(part)
    (line, column), (last, end) = source.place(start), source.place(start + len(part))
    return types.Range(types.Position(line - 1, column - 1), types.Position(last - 1, end - 1))


@pytest_lsp.fixture(
    config=ClientServerConfig([sys.executable, "-m", "dp_lsp", "server"], client_factory=Recorder),
    scope="module",
)
async def client(lsp_client: Recorder) -> AsyncIterator[None]:
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            document_symbol=types.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
        ),
        experimental={"dpFileStatus": True},
    )
    result = await lsp_client.initialize_session(types.InitializeParams(capabilities, process_id=os.getpid()))
    assert result.server_info == types.ServerInfo("dp-lsp", dp_lsp.__version__)
    yield
    await asyncio.wait_for(lsp_client.shutdown_session(), PATIENCE)


in_module = pytest.mark.asyncio(loop_scope="module")


def states(status: Any) -> dict[str, str]:
    return {function.name: function.status for function in status.functions}


@in_module
async def test_a_program_is_proved(client: Recorder) -> None:
    status = await client.opened("file:///tmp/proved.jl")
    assert status.status == "proved"
    assert states(status) == {"f": "proved", "g": "proved", "h": "proved"}
    (published,) = [p for p in client.published if p.uri == status.uri]
    assert published.version == 1 and not published.diagnostics


@in_module
async def test_hover_on_names_and_expressions(client: Recorder) -> None:
    uri = "file:///tmp/hover.jl"
    await client.opened(uri)
    on_f = await client.hover(uri, range_of(PROGRAM, "f(x::Real)").start)
    assert "proved" in on_f and "| 2 |" in on_f
    on_g = await client.hover(uri, range_of(PROGRAM, "g(x::Integer)").start)
    assert "proved" in on_g and "`0.1`" in on_g and "`0.2`" in on_g
    on_sum = await client.hover(uri, range_of(PROGRAM, "+ x\n").start)
    assert "**2** in `x`" in on_sum


@in_module
async def test_an_edit_in_one_function_infers_that_one(client: Recorder) -> None:
    uri = "file:///tmp/edit.jl"
    before = await client.opened(uri)
    client.statuses.clear()
    client.change(uri, 2, "0.1", "0.3")
    after = await client.checked(uri, 2)
    assert after.counters.inferred == before.counters.inferred + 1
    assert after.counters.parsed == before.counters.parsed + 1
    assert after.status == "proved" and after.version == 2
    assert "`0.3`" in await client.hover(uri, range_of(PROGRAM, "g(x::Integer)").start)
    stale, final = client.statuses
    assert (stale.version, stale.status) == (2, "stale")
    assert states(stale) == {"f": "proved", "g": "stale", "h": "proved"}
    assert (final.version, final.status) == (2, "proved")
    assert [p.version for p in client.published if p.uri == uri] == [1, 2]


@in_module
async def test_callers_are_stale_with_what_they_call(client: Recorder) -> None:
    uri = "file:///tmp/callers.jl"
    await client.opened(uri)
    client.statuses.clear()
    client.change(uri, 2, "x + x", "x + x + x")
    await client.checked(uri, 2)
    assert states(client.statuses[0]) == {"f": "stale", "g": "proved", "h": "stale"}
    assert "9" in client.statuses[-1].functions[2].summary


@in_module
async def test_an_error_is_published_with_its_version(client: Recorder) -> None:
    uri = "file:///tmp/error.jl"
    await client.opened(uri)
    client.change(uri, 2, "x + x", BROKEN)
    status = await client.checked(uri, 2)
    assert status.status != "proved" and states(status)["f"] != "proved"
    assert states(status)["g"] == "proved"
    assert states(status)["h"] == "unknown"
    published = [p for p in client.published if p.uri == uri][-1]
    assert published.version == 2
    errors = [d for d in published.diagnostics if d.severity is types.DiagnosticSeverity.Error]
    assert "undefined_name" in errors[0].message
    assert errors[0].range.start == types.Position(1, 4)
    assert errors[0].source == "dp-lsp" and errors[0].code_description
    assert str(errors[0].code).lower() in errors[0].code_description.href


@in_module
async def test_symbols_say_what_is_known(client: Recorder) -> None:
    uri = "file:///tmp/symbols.jl"
    await client.opened(uri)
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    symbols = await asyncio.wait_for(client.text_document_document_symbol_async(params), PATIENCE)
    assert symbols
    assert [symbol.name for symbol in symbols] == ["f", "g", "h"]
    for symbol in symbols:
        assert isinstance(symbol, types.DocumentSymbol)
        assert symbol.detail and symbol.detail.startswith("proved")
        assert symbol.range.start.line <= symbol.selection_range.start.line <= symbol.range.end.line


@in_module
async def test_the_report_is_that_of_the_command_line(client: Recorder) -> None:
    uri = "file:///tmp/report.jl"
    await client.opened(uri)
    report = await client.ask("dp/report", uri=uri)
    assert report.schema_version == 2
    (file,) = report.files
    assert file.status == "proved"
    assert [function.name for function in file.functions] == ["f", "g", "h"]


@in_module
async def test_a_derivation_is_that_of_the_text_as_it_is(client: Recorder) -> None:
    uri = "file:///tmp/derivation.jl"
    await client.opened(uri)
    page = await client.ask("dp/derivation", uri=uri, position=place_of("f(x::Real)"))
    assert page.startswith("# `f`") and "`/tmp/derivation.jl:" in page and "\n1. " in page
    client.change(uri, 2, " + x\n", " + x + x\n")
    page = await client.ask("dp/derivation", uri=uri, position=place_of("f(x::Real)"))
    assert "## `x`: sensitivity 3" in page
    on_sum = await client.ask("dp/derivation", uri=uri, position=place_of("+ x\n"))
    assert on_sum.startswith("# `x + x + x`") and "in `f`, proved" in on_sum
    for nowhere in ({"line": 10_000, "character": 0}, {"line": "1"}, None):
        with pytest.raises(JsonRpcException):
            await client.ask("dp/derivation", uri=uri, position=nowhere)
    await client.checked(uri, 2)


@in_module
async def test_commands(client: Recorder) -> None:
    uri = "untitled:commands"
    await client.opened(uri)
    run = types.ExecuteCommandParams
    status: Any = await client.workspace_execute_command_async(run("dp-lsp.checkFile", [uri]))
    assert status["status"] == "proved"
    assert await client.workspace_execute_command_async(run("dp-lsp.restart", [])) is None
    status = await client.checked(uri, 1)
    assert status.status == "proved"


@in_module
async def test_nothing_popped_up(client: Recorder) -> None:
    assert client.messages == []


@pytest.mark.parametrize("mistake", ["", f"\nwrong(x::Real) = {BROKEN}\n"])
def test_server_and_command_line_report_the_same(mistake: str, tmp_path: Path) -> None:
    file = tmp_path / "program.jl"
    file.write_text((ROOT / "fixtures" / "programs" / "dp_sgd.jl").read_text("utf-8") + mistake, "utf-8")
    printed = python("-m", "dp_lsp", "check", "--output-format", "json", file).stdout
    with Driver() as driver:
        driver.start(textDocument={"publishDiagnostics": {"relatedInformation": True}})
        driver.open(file.read_text("utf-8"), uri=file.as_uri())
        report = driver.ask("dp/report", {"uri": file.as_uri()})["result"]
        assert report == json.loads(printed)
        published = driver.published()[-1]["diagnostics"]
    listed = report["files"][0]["diagnostics"]
    assert [(d["code"], d["message"]) for d in published] == [(d["code"], d["message"]) for d in listed]


def encoded(text: str, encoding: str) -> int:
    """How many units a text has."""
    return len(text.encode(encoding + "-le" * (encoding != "utf-8"))) // {"utf-8": 1, "utf-16": 2}.get(encoding, 4)


def decoded(line: str, units: int, encoding: str) -> int:
    """The characters in the first units of a line."""
    return next(n for n in range(len(line) + 1) if encoded(line[:n], encoding) == units)


def cut(text: str, range_: Message, encoding: str) -> str:
    """The text at a range."""
    source = Source(text)

    def offset(position: Message) -> int:
        line = source.line(position["line"] + 1)
        return source.offset(Place(position["line"] + 1, decoded(line, position["character"], encoding) + 1))

    return text[offset(range_["start"]) : offset(range_["end"])]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_positions_in_every_encoding(encoding: str, newline: str) -> None:
    lines = ["#= 😀", "é =#", "𝛼𝛽𝛾𝛿(𝛼::Real, ε₁::Real) = 𝛼 + undefined_name(ε₁)", "g(ε₂::Real) = ε₂ + ε₂", ""]
    code = "\r\n" if newline == "\r" else newline  # to Julia that alone ends no line, to the protocol it does
    text = newline.join((lines[0], code.join(lines[1:])))
    with Driver() as driver:
        answer = driver.start(general={"positionEncodings": [encoding]})
        assert answer["result"]["capabilities"]["positionEncoding"] == encoding
        driver.open(text)
        driver.checked(1)
        diagnostics = driver.published()[-1]["diagnostics"]
        assert any(cut(text, each["range"], encoding).startswith("undefined_name") for each in diagnostics)

        place = {"line": 3, "character": encoded("g(ε₂::Real) = ", encoding)}
        document = {"uri": "file:///tmp/a.jl"}
        hover = driver.ask("textDocument/hover", {"textDocument": document, "position": place})["result"]
        assert cut(text, hover["range"], encoding) in ("ε₂", "ε₂ + ε₂")

        before = lines[2].partition("undefined_name")[0]
        start, length = encoded(before, encoding), len("undefined_name(ε₁)")
        end = start + encoded(lines[2][len(before) : len(before) + length], encoding)
        range_ = {"start": {"line": 2, "character": start}, "end": {"line": 2, "character": end}}
        driver.change(2, {"range": range_, "text": "ε₁"})
        assert driver.checked(2)["status"] == "proved"
        assert driver.published()[-1]["diagnostics"] == []
        place = {"line": 2, "character": encoded("𝛼𝛽𝛾𝛿(𝛼::Real, ε₁::Real) = ", encoding)}
        hover = driver.ask("textDocument/hover", {"textDocument": document, "position": place})["result"]
        assert cut(text, hover["range"], encoding) == "𝛼"


@pytest.fixture
def held() -> Any:
    """A session and its worker, which a test may stop and must not leave so."""
    with Driver() as driver:
        yield driver
        for worker in children(driver.process.pid):
            os.kill(worker, signal.SIGKILL)


def worker_of(driver: Driver) -> int:
    (worker,) = children(driver.process.pid)
    return worker


def status_is(state: str) -> Callable[[Message], bool]:
    return lambda message: message.get("method") == "dp/fileStatus" and message["params"]["status"] == state


@posix
def test_a_worker_killed_in_mid_check_leaves_unknown_and_comes_back(held: Driver) -> None:
    held.start(experimental={"dpFileStatus": True}, window={"workDoneProgress": True})
    held.open(PROGRAM)
    held.checked(1)
    held.show_progress()
    worker = worker_of(held)
    os.kill(worker, signal.SIGSTOP)
    held.change(2, {"text": PROGRAM + "\n"})
    held.wait(is_creation)
    os.kill(worker, signal.SIGKILL)
    unknown = held.wait(status_is("unknown"))["params"]
    assert {function["status"] for function in unknown["functions"]} == {"unknown"}
    assert held.checked(2)["status"] == "proved"
    assert worker_of(held) != worker
    assert [p["version"] for p in held.published()] == [1, 2]


@posix
def test_hover_does_not_wait_for_a_check(held: Driver) -> None:
    held.start()
    held.open(PROGRAM)
    held.checked(1)
    os.kill(worker_of(held), signal.SIGSTOP)
    shifted = {"line": 0, "character": 0}
    held.change(2, {"range": {"start": shifted, "end": shifted}, "text": "# one line more\n"})
    held.change(3, {"range": {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 5}}, "text": "x"})
    document = {"uri": "file:///tmp/a.jl"}

    def hover(line: int) -> str:
        place = {"line": line, "character": 9}
        answer = held.ask("textDocument/hover", {"textDocument": document, "position": place})
        assert answer["result"]["range"]["start"]["line"] == line
        return str(answer["result"]["contents"]["value"])

    assert "checking" in hover(1)
    assert "checking" not in hover(5) and "proved" in hover(5)


@posix
def test_diagnostics_are_pulled_by_clients_that_can(held: Driver) -> None:
    held.start(textDocument={"diagnostic": {}})
    held.open(PROGRAM)
    document = {"uri": "file:///tmp/a.jl"}
    first = held.ask("textDocument/diagnostic", {"textDocument": document})["result"]
    assert (first["kind"], first["items"]) == ("full", [])
    again = {"textDocument": document, "previousResultId": first["resultId"]}
    assert held.ask("textDocument/diagnostic", again)["result"]["kind"] == "unchanged"

    worker = worker_of(held)
    os.kill(worker, signal.SIGSTOP)
    held.change(2, {"text": "# old"})
    held.send({"jsonrpc": "2.0", "id": "p", "method": "textDocument/diagnostic", "params": again})
    held.ask("dp/nothing")  # which is answered once the pull has begun to wait
    held.change(3, {"text": f"f(x::Real) = {BROKEN}\n"})
    cancelled = held.wait(lambda message: message.get("id") == "p")["error"]
    assert (cancelled["code"], cancelled["data"]) == (-32802, {"retriggerRequest": True})
    os.kill(worker, signal.SIGCONT)
    last = held.ask("textDocument/diagnostic", again)["result"]
    assert last["kind"] == "full" and "undefined_name" in last["items"][0]["message"]
    assert held.published() == []


@posix
def test_a_request_that_waits_can_be_cancelled(held: Driver) -> None:
    held.start()
    held.open(PROGRAM)
    held.checked(1)
    os.kill(worker_of(held), signal.SIGSTOP)
    held.change(2, {"text": ""})
    params = {"uri": "file:///tmp/a.jl", "version": 2}
    held.send({"jsonrpc": "2.0", "id": "w", "method": "dp/waitForCheck", "params": params})
    held.notify("$/cancelRequest", {"id": "w"})
    assert held.wait(lambda message: message.get("id") == "w")["error"]["code"] == -32800


def test_flat_symbols_and_plain_clients() -> None:
    with Driver() as driver:
        driver.start()
        driver.open(PROGRAM, uri="file:///c%3A/A%20b.jl")
        driver.checked(1, uri="file:///C:/A b.jl")
        assert driver.published()[-1]["uri"] == "file:///c%3A/A%20b.jl"
        params = {"textDocument": {"uri": "file:///c%3A/A%20b.jl"}}
        symbols = driver.ask("textDocument/documentSymbol", params)["result"]
        assert [symbol["name"] for symbol in symbols] == ["f", "g", "h"]
        assert all("location" in symbol for symbol in symbols)
        assert not any(message.get("method") == "dp/fileStatus" for message in driver.seen)
