"""Whatever counts positions in bytes, code units or characters gets the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from dp_lsp.lsp.server import TABLES
from stdio_driver import Driver, Message

ENCODINGS = ("utf-8", "utf-16", "utf-32")
URI = "file:///tmp/a.jl"
LINES = (
    "# 😀 é̂",
    "𝛼𝛽(𝛼::Real, ε₁::Real) = 𝛼 + undefined_𝛼(ε₁, '😀')",
    "function 𝔻(ε₂::Real, 𝛼::Static()) :: Priv() # 😀",
    '    𝛾 = ε₂ + ε₂; "😀"; laplacian_mechanism(1, 𝛼, 𝛾)',
    "end",
    "ε₃(x::Real) = 𝔻(𝛼𝛽(x, x), 1) + 2 * 𝔻(x, 1)",
    "",
)
CAPABILITIES: dict[str, Any] = {
    "textDocument": {
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "rename": {"prepareSupport": True},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "experimental": {"dpFileStatus": True},
}
AT_POSITIONS = {
    "textDocument/hover": {},
    "textDocument/definition": {},
    "textDocument/references": {"context": {"includeDeclaration": True}},
    "textDocument/documentHighlight": {},
    "textDocument/prepareRename": {},
    "textDocument/rename": {"newName": "𝛿"},
    "textDocument/prepareCallHierarchy": {},
    "textDocument/completion": {},
    "textDocument/signatureHelp": {},
}
OF_DOCUMENTS = tuple(f"textDocument/{name}" for name in ("documentSymbol", "foldingRange", "diagnostic", "codeLens"))
ELSEWHERE = {
    "textDocument/selectionRange",
    "textDocument/codeAction",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "workspace/symbol",
}


def units(text: str, encoding: str) -> int:
    return (
        len(text.encode(encoding + "-le" * (encoding != "utf-8"))) // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    )


class Reader:
    """A client that counts in an encoding, and shows answers with columns in characters."""

    def __init__(self, driver: Driver, encoding: str, lines: tuple[str, ...]) -> None:
        self.driver = driver
        self._encoding = encoding
        self._lines = lines
        answer = driver.start(**CAPABILITIES, general={"positionEncodings": [encoding]})
        self.capabilities = answer["result"]["capabilities"]
        assert self.capabilities["positionEncoding"] == encoding
        driver.open("\r\n".join(lines))
        driver.checked(1)

    def position(self, line: int, column: int) -> Message:
        return {"line": line, "character": units(self._lines[line][:column], self._encoding)}

    def ask(self, method: str, **params: Any) -> Any:
        answer = self.driver.ask(method, {"textDocument": {"uri": URI}, **params})
        return self.plain(answer.get("result", answer.get("error")))

    def plain(self, value: Any) -> Any:
        """An answer with characters for units, wherever a position stands in it."""
        if isinstance(value, list):
            return [self.plain(each) for each in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"line", "character"}:
            return self._plain(value["line"], value["character"])
        found = {key: self.plain(each) for key, each in value.items() if key not in ("resultId", "data")}
        for side in ("start", "end"):  # of what is folded
            if f"{side}Character" in value:
                found[side] = self._plain(value[f"{side}Line"], found.pop(f"{side}Character"))
        return found

    def tokens(self, data: list[int]) -> list[tuple[int, ...]]:
        """Tokens with their lines, where they start and end in characters, and what they are."""
        found, line, character = [], 0, 0
        for down, right, length, *what in zip(*[iter(data)] * 5, strict=True):
            line, character = line + down, right if down else character + right
            start, end = self._plain(line, character)[1], self._plain(line, character + length)[1]
            found.append((line, start, end, *what))
        return found

    def _plain(self, line: int, character: int) -> tuple[int, int]:
        text = self._lines[line]
        return line, next(n for n in range(len(text) + 1) if units(text[:n], self._encoding) == character)


@pytest.fixture(scope="module")
def readers() -> Iterator[list[Reader]]:
    with ExitStack() as stack:
        yield [Reader(stack.enter_context(Driver()), encoding, LINES) for encoding in ENCODINGS]


def same(readers: list[Reader], method: str, line: int = 0, column: int = 0, **params: Any) -> Any:
    """What all readers are answered about a place."""
    answers = []
    for reader in readers:
        place = reader.position(line, column)
        given = {name: value(reader) if callable(value) else value for name, value in params.items()}
        answers.append(reader.ask(method, **({"position": place} | given)))
    assert answers[0] == answers[1] == answers[2], (method, line, column)
    return answers[0]


def places() -> Iterator[tuple[int, int]]:
    return ((line, column) for line, text in enumerate(LINES) for column in range(len(text) + 1))


def test_every_request_is_tried() -> None:
    asked = {name for table in TABLES for name in table.features if name.startswith(("textDocument/", "callH"))}
    asked -= {name for name in asked if name.startswith("textDocument/did")}
    assert asked - AT_POSITIONS.keys() - set(OF_DOCUMENTS) - ELSEWHERE == set()


@pytest.mark.parametrize("method", AT_POSITIONS)
def test_at_every_position(readers: list[Reader], method: str) -> None:
    answers = [same(readers, method, *place, **AT_POSITIONS[method]) for place in places()]
    assert any(answers)


@pytest.mark.parametrize("method", OF_DOCUMENTS)
def test_of_the_document(readers: list[Reader], method: str) -> None:
    assert same(readers, method)


def test_selections_and_calls(readers: list[Reader]) -> None:
    for line, column in places():
        found = same(readers, "textDocument/selectionRange", positions=lambda r, at=(line, column): [r.position(*at)])
        assert found
    for direction in ("incoming", "outgoing"):
        found = []
        for reader in readers:
            where = {"textDocument": {"uri": URI}, "position": reader.position(2, len("function "))}
            (item,) = reader.driver.ask("textDocument/prepareCallHierarchy", where)["result"]
            found.append(reader.ask(f"callHierarchy/{direction}Calls", item=item))
        assert found[0] == found[1] == found[2]
        assert found[0] or direction == "outgoing"


@pytest.mark.parametrize("method", ["codeAction", "inlayHint"])
def test_of_ranges(readers: list[Reader], method: str) -> None:
    if f"{method}Provider" not in readers[0].capabilities:
        return
    for line, text in enumerate(LINES):
        for start, end in ((0, len(text)), (0, 0), (len(text) // 2, len(text))):
            same(
                readers,
                f"textDocument/{method}",
                range=lambda r, at=(line, start, end): {"start": r.position(*at[:2]), "end": r.position(at[0], at[2])},
                context={"diagnostics": []},
            )


def test_tokens(readers: list[Reader]) -> None:
    found = []
    for reader in readers:
        range_ = {"start": reader.position(1, 0), "end": reader.position(len(LINES) - 2, len(LINES[-2]))}
        asked = (("full", {}), ("range", {"range": range_}))
        answers = [
            reader.driver.ask(f"textDocument/semanticTokens/{name}", {"textDocument": {"uri": URI}, **more})["result"]
            for name, more in asked
        ]
        found.append([reader.tokens(answer["data"]) for answer in answers])
    assert found[0] == found[1] == found[2] and all(found[0])
    assert {LINES[line][start:end] for line, start, end, *_ in found[0][0]} >= {"𝛼𝛽", "𝔻", "ε₂"}


def test_what_is_told_unasked(readers: list[Reader]) -> None:
    for method in ("textDocument/publishDiagnostics", "dp/fileStatus"):
        last = [[m["params"] for m in r.driver.seen if m.get("method") == method][-1] for r in readers]
        first, *others = [reader.plain(each) for reader, each in zip(readers, last, strict=True)]
        assert first and all(first == other for other in others)
