"""Typing at random: the server's text is the client's, and what is remembered changes no answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter

from dp_lsp.analysis.records import Analysis, ChunkRecord, Options, State
from dp_lsp.analysis.workspace import Document
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import report
from dp_lsp.lsp.positions import apply
from dp_lsp.problem import Edit
from dp_lsp.text import Source
from several_files import Texts
from source_tree import ROOT, python
from typist import Change, Typist

TEXTS, SCRIPTS, GROUPS, EDITS = 100, 40, 4, 6
LONG = 40  # edits of a text that is not checked
PROGRAMS = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("fixtures/programs/*.jl"))]
CONVERTER = default_converter()  # type: ignore[no-untyped-call]
Whole = types.TextDocumentContentChangeWholeDocument
UTF16 = types.PositionEncodingKind.Utf16


def said(analysis: Analysis, name: str = "a.jl") -> Any:
    """All that is reported of a file, but for fixes, which are tried first."""
    (file,) = report([(name, analysis.with_fixes({}))], Options().profile)["files"]
    return json.loads(json.dumps(file))


def applied(source: Source, change: Change) -> tuple[Source, list[Edit]]:
    """What the server makes of an edit."""
    kind = types.TextDocumentContentChangePartial if "range" in change.message else Whole
    return apply(source, [CONVERTER.structure(change.message, kind)], UTF16)


def test_the_text_of_the_server_is_that_of_the_client() -> None:
    for seed in range(TEXTS):
        typist = Typist(PROGRAMS[seed % len(PROGRAMS)], f"long {seed}")
        source = Source(typist.text)
        for _ in range(LONG):
            before = source.text
            source, (edit,) = applied(source, typist.edit())
            assert source.text == typist.text
            assert source.text == before[: edit.span.start] + edit.text + before[edit.span.end :]


def typed(seed: int, engine: Engine) -> str:
    """Run a script; the text at its end."""
    typist = Typist(PROGRAMS[seed % len(PROGRAMS)], seed)
    document = Document(f"untitled:{seed}", 1, typist.text)
    document.settle(0, engine.check(document.source.text))
    for version in range(2, EDITS + 2):
        document.edit(version, *applied(document.source, typist.edit()))
        assert document.source.text == typist.text
        found = engine.check(document.source.text)
        fresh = Engine().check(document.source.text)
        assert said(found) == said(fresh)
        proved = [function for function in document.functions if function.state is State.PROVED]
        assert set(proved) <= set(fresh.functions), "before the check has ended"
        document.settle(version - 1, found)
        assert document.functions == fresh.functions
    return document.source.text


@pytest.mark.parametrize("group", range(GROUPS))
def test_what_is_remembered_changes_no_answer(group: int, tmp_path: Path) -> None:
    engine = Engine()
    ends: dict[str, str] = {}
    for seed in range(group, SCRIPTS, GROUPS):
        ends[f"script_{seed}.jl"] = typed(seed, engine)
    assert dict(on_the_command_line(ends, tmp_path)) == {
        name: said(Engine().check(text), name) for name, text in ends.items()
    }


def on_the_command_line(texts: dict[str, str], folder: Path) -> Iterator[tuple[str, Any]]:
    """What the command line reports of these files."""
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8"))
    done = python("-m", "dp_lsp", "check", "--output-format", "json", *texts, cwd=folder, path=ROOT)
    assert done.returncode in (0, 1), done.stderr
    for file in json.loads(done.stdout)["files"]:
        yield file["path"], file


@pytest.mark.parametrize("seed", range(5))
def test_what_another_process_found_out_changes_no_answer(seed: int) -> None:
    """Each text is checked by an engine that was told what was found out in those before, and knows nothing else."""
    typist = Typist(PROGRAMS[seed % len(PROGRAMS)], f"told {seed}")
    told: list[ChunkRecord] = []
    for _ in range(EDITS):
        texts = Texts({"a.jl": typist.text})
        engine, fresh = Engine(), Engine()
        engine.learn("", told)
        found = engine.project("a.jl", texts, on_record=told.append)["a.jl"]
        assert found.is_same(fresh.project("a.jl", texts)["a.jl"])
        for function in found.functions:
            place = "a.jl", function.name_span.start
            assert engine.explain("a.jl", texts, place) == fresh.explain("a.jl", texts, place)
        typist.edit()
