"""Every request about a place, at places of all kinds, through the protocol: answered, and never with an internal
error."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from source_tree import ROOT
from stdio_driver import Driver, Message

SAMPLED = 12  # places in each program, and as many after an edit that breaks it
PROGRAMS = {path.stem: path.read_text("utf-8") for path in sorted(ROOT.glob("fixtures/programs/*.jl"))}
ODD = {
    "untitled:one": "f(x::Real) = 2 * x\n",
    "file:///tmp/with%20space/%CE%B1.jl": "α(x::Real) = x # 😀\r\nβ(x::Real) = α(x)\r\n",
    "git:/tmp/a.jl?HEAD": "f(x::Real) = x\n",
    "file:///tmp/empty.jl": "",
    "file:///tmp/broken.jl": "function f(x::Real)\n    g(x, \n",
}
INTERNAL = -32603
BY_PLACE = (
    *("textDocument/hover", "textDocument/completion", "textDocument/signatureHelp", "textDocument/definition"),
    *("textDocument/documentHighlight", "textDocument/prepareRename", "textDocument/prepareCallHierarchy"),
)
BY_DOCUMENT = (
    *("textDocument/documentSymbol", "textDocument/codeLens", "textDocument/foldingRange"),
    *("textDocument/semanticTokens/full", "textDocument/diagnostic", "dp/report"),
)
CAPABILITIES = {
    "textDocument": {
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "completion": {"completionItem": {"snippetSupport": True}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    }
}


@pytest.fixture(scope="module")
def session() -> Iterator[Driver]:
    with Driver() as driver:
        driver.start(**CAPABILITIES)
        yield driver


def requests(text: str, uri: str, place: Message) -> Iterator[tuple[str, dict[str, Any]]]:
    document = {"textDocument": {"uri": uri}}
    range_ = {"start": {"line": max(0, place["line"] - 3), "character": 0}, "end": place}
    for method in BY_PLACE:
        yield method, document | {"position": place}
    yield "textDocument/references", document | {"position": place, "context": {"includeDeclaration": True}}
    yield "textDocument/rename", document | {"position": place, "newName": "another_name"}
    yield "textDocument/selectionRange", document | {"positions": [place]}
    yield "textDocument/inlayHint", document | {"range": range_}
    yield "textDocument/semanticTokens/range", document | {"range": range_}
    yield "textDocument/codeAction", document | {"range": range_, "context": {"diagnostics": []}}
    yield "dp/derivation", {"uri": uri, "position": place}
    for method in BY_DOCUMENT:
        yield method, {"uri": uri} if method.startswith("dp/") else document
    yield "workspace/symbol", {"query": text[:2]}


def positions(text: str, source: random.Random) -> Iterator[Message]:
    lines = text.split("\n")
    yield {"line": 0, "character": 0}
    yield {"line": len(lines) + 5, "character": 99}
    for _ in range(SAMPLED):
        line = source.randrange(len(lines))
        yield {"line": line, "character": source.randrange(len(lines[line]) + 2)}


def assert_answered(session: Driver, uri: str, text: str) -> None:
    for place in positions(text, random.Random(text)):
        for method, params in requests(text, uri, place):
            answer = session.ask(method, params)
            error = answer.get("error", {"code": 0, "message": ""})
            assert error["code"] != INTERNAL, (method, place, error)
            assert ("result" in answer) == (error["code"] == 0)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_and_one_that_is_half_typed(name: str, session: Driver) -> None:
    text, uri = PROGRAMS[name], f"file:///everywhere/{name}.jl"
    session.open(text, uri=uri)
    session.checked(1, uri)
    assert_answered(session, uri, text)
    cut = random.Random(name).randrange(len(text))
    session.change(2, {"text": text[:cut] + "(" + text[cut:]}, uri=uri)
    assert_answered(session, uri, text)
    session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


@pytest.mark.parametrize("uri", ODD)
def test_documents_of_odd_names_and_contents(uri: str, session: Driver) -> None:
    session.open(ODD[uri], uri=uri)
    assert_answered(session, uri, ODD[uri])
    session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_a_document_that_is_not_open(session: Driver) -> None:
    for method, params in requests("", "file:///tmp/never-opened.jl", {"line": 0, "character": 0}):
        answer = session.ask(method, params)
        assert answer.get("error", {"code": 0})["code"] != INTERNAL, method
