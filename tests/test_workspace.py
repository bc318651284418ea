"""Open documents: their texts under edits in any encoding, and what an edit does to what is known."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import accumulate

import pytest
from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
)

from dp_lsp.analysis.records import (
    Analysis,
    ChunkRecord,
    FunctionReport,
    Options,
    Placed,
    State,
    Verdict,
)
from dp_lsp.analysis.workspace import ClosedFile, Document, Workspace, document_key, text_digest
from dp_lsp.lsp.positions import Positions, apply
from dp_lsp.problem import Edit, Problem, Severity
from dp_lsp.text import Source, Span

ENCODINGS = list(PositionEncodingKind)
PIECES = ["a", "ε", "x₁", "😀", " ", "\n", "\r", "\r\n", "\u2028", "\x0c", "\x85", "\ufeff", "\ud800"]
WIDTH = {
    PositionEncodingKind.Utf8: lambda c: len(c.encode("utf-8", "surrogatepass")),
    PositionEncodingKind.Utf16: lambda c: 2 if c > "\uffff" else 1,
    PositionEncodingKind.Utf32: lambda c: 1,
}


def model_offset(text: str, position: Position, encoding: PositionEncodingKind) -> int:
    """The offset of a position, found in the slowest way."""
    breaks = [match.span() for match in re.finditer(r"\r\n|\n|\r", text)]
    starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)]
    if position.line >= len(starts):
        return len(text)
    start, end = starts[position.line], ends[position.line]
    widths = accumulate(WIDTH[encoding](character) for character in text[start:end])
    return start + sum(width <= position.character for width in widths)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_random_edits_in_every_encoding(encoding: PositionEncodingKind) -> None:
    random_ = random.Random(encoding.value)

    def text() -> str:
        return "".join(random_.choice(PIECES) for _ in range(random_.randrange(12)))

    def place() -> Position:
        return Position(random_.randrange(6), random_.randrange(9))

    for _ in range(3000):
        document = Document("untitled:1", 1, text())
        expected, changes = document.source.text, []
        for _ in range(random_.randrange(1, 5)):
            start, end = sorted([place(), place()], key=lambda p: (p.line, p.character))
            changes.append(TextDocumentContentChangePartial(Range(start, end), text()))
            from_, to = (model_offset(expected, p, encoding) for p in (start, end))
            expected = expected[:from_] + changes[-1].text + expected[to:]
        source, edits = apply(document.source, changes, encoding)
        assert source.text == expected
        replayed = document.source.text
        for (start_, end_), new, _ in edits:
            replayed = replayed[:start_] + new + replayed[end_:]
        assert replayed == expected


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_are_told_and_understood_alike(encoding: PositionEncodingKind) -> None:
    text = "\ufeffα = '😀' # \u2028 \ud800\r\nβ\rγ\n\nend"
    positions = Positions(Source(text), encoding)
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] != "\r\n":
            assert positions.offset(positions.position(offset)) == offset
            assert model_offset(text, positions.position(offset), encoding) == offset
    assert positions.position(text.index("#")).character == sum(
        WIDTH[encoding](character) for character in text[: text.index("#")]
    )


def test_a_whole_text_is_the_edit_that_it_makes() -> None:
    whole = TextDocumentContentChangeWholeDocument("a b\nc aa\n")
    assert apply(Source("a b\nb aa\n"), [whole], PositionEncodingKind.Utf16)[1] == [Edit(Span(4, 5), "c")]
    assert apply(Source("aa"), [TextDocumentContentChangeWholeDocument("aaa")], PositionEncodingKind.Utf16)[1] == [
        Edit(Span(2, 2), "a")
    ]


def test_whole_texts_and_ranges_mix() -> None:
    whole = TextDocumentContentChangeWholeDocument("one\ntwo\n")
    part = TextDocumentContentChangePartial(Range(Position(1, 0), Position(1, 3)), "2")
    source, edits = apply(Source("old"), [part, whole, part], PositionEncodingKind.Utf16)
    assert source.text == "one\n2\n"
    assert len(edits) == 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///c%3A/a.jl", "file:///C:/a.jl"),
        ("file:///a%20b/%CE%B1.jl", "file:///a b/α.jl"),
        ("file://localhost/a.jl", "file:///a.jl"),
        ("file://SERVER/share/a.jl", "file://server/share/a.jl"),
    ],
)
def test_spellings_of_one_file(one: str, other: str) -> None:
    assert document_key(one) == document_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///a.jl", "file:///A.jl"),
        ("file://server/a.jl", "file:///server/a.jl"),
        ("untitled:a%20b", "untitled:a b"),
        ("file://[a.jl", "file:///a.jl"),
    ],
)
def test_different_documents(one: str, other: str) -> None:
    assert document_key(one) != document_key(other)


def test_only_what_is_checked_is_kept() -> None:
    workspace = Workspace()
    assert workspace.open("untitled:1", "julia", 1, "") is not None
    assert workspace.open("file:///a.jl", "plaintext", 1, "") is not None
    assert workspace.open("file:///dp-lsp.toml", "toml", 1, "") is None
    assert len(list(workspace)) == 2
    assert workspace.close("file:///a.jl") is not None
    assert workspace.get("file:///a.jl") is None


def function(name: str, length: int) -> FunctionReport:
    whole, own = Span(0, length), Span(0, len(name))
    return FunctionReport(name, "", "sensitivity", State.PROVED, "", whole, own)


def analysed(text: str, uses: dict[str, set[str]]) -> Document:
    """A document in which each line defines a function: its first word."""
    document = Document("untitled:1", 1, text)
    settle(document, uses)
    return document


def settle(document: Document, uses: dict[str, set[str]]) -> None:
    """Let a check of the document end, as in :func:`analysed`."""
    text, chunks, start = document.source.text, [], 0
    for line in text.splitlines(keepends=True):
        name = re.split(r"\W", line)[0]
        problem = Problem("DP999", "p", Severity.WARNING, name, Span(0, len(name)))
        verdict = Verdict(
            State.PROVED,
            (function(name, len(line) - 1),),
            (problem,),
            (name,),
            frozenset(uses.get(name, ())),
        )
        chunks.append(Placed(start, len(line) - 1, ChunkRecord(name.encode(), verdict)))
        start += len(line)
    document.settle(document.revision, Analysis(document.source, tuple(chunks), Options()))


def edit(document: Document, *edits: Edit) -> None:
    text = document.source.text
    for (start, end), new, _ in edits:
        text = text[:start] + new + text[end:]
    document.edit(document.version + 1, Source(text), edits)


def stale(document: Document) -> set[str]:
    return {function.name for function in document.functions if function.state is State.STALE}


def spelled(document: Document, spans: Sequence[Span]) -> list[str]:
    return [document.source.text[span.start : span.end] for span in spans]


LINES = "f() = 1\ng() = f + 0\nh() = g + 0\nk() = 2\n"
USES = {"g": {"f"}, "h": {"g"}}


def test_nothing_is_stale_after_a_check() -> None:
    document = analysed(LINES, USES)
    assert document.state is State.PROVED and document.current and not stale(document)


def test_a_document_is_stale_before_its_first_check() -> None:
    assert Document("untitled:1", 1, "").state is State.STALE


def test_an_edit_makes_users_of_users_stale() -> None:
    document = analysed(LINES, USES)
    edit(document, Edit(Span(6, 7), "7"))
    assert stale(document) == {"f", "g", "h"}
    assert document.state is State.STALE and not document.current


def test_an_edit_leaves_the_others_alone() -> None:
    document = analysed(LINES, USES)
    edit(document, Edit(Span(len(LINES) - 2, len(LINES) - 1), "3"))
    assert stale(document) == {"k"}


@pytest.mark.parametrize("opener", ["begin ", "(", '"', "#="])
def test_what_an_open_block_may_swallow_is_stale(opener: str) -> None:
    document = analysed(LINES, USES)
    edit(document, Edit(Span(14, 14), opener))
    assert stale(document) == {"f", "g", "h", "k"}
    edit(document, Edit(Span(14, 14 + len(opener)), "(1)"))
    assert stale(document) == {"g", "h"}


def test_a_new_name_makes_its_users_stale() -> None:
    document = analysed("a = 1\nb = c\n", {"b": {"c"}})
    edit(document, Edit(Span(0, 1), "c"))
    assert stale(document) == {"a", "b"}


@pytest.mark.parametrize(
    "text", ["\n\nnew = 1\n", "using Foo\n", "    @eval f() = 2\n", "f = 5\n", "\r", "### A Pluto.jl notebook ###\n"]
)
def test_what_may_define_anything_makes_everything_stale(text: str) -> None:
    document = analysed(LINES, USES)
    edit(document, Edit(Span(len(LINES), len(LINES)), text))
    assert document.state is State.STALE and stale(document) == {"f", "g", "h", "k"}


@pytest.mark.parametrize("text", ["# a comment\n", "\n\n"])
def test_a_comment_makes_no_function_stale(text: str) -> None:
    document = analysed(LINES, USES)
    edit(document, Edit(Span(len(LINES), len(LINES)), text))
    assert document.state is State.STALE and not stale(document)


def test_results_move_with_the_text() -> None:
    document = analysed(LINES, USES)
    edit(document, Edit(Span(0, 0), "# ε\n\n"), Edit(Span(11, 12), "11"))
    assert spelled(document, [f.name_span for f in document.functions]) == ["f", "g", "h", "k"]
    assert [text[0] for text in spelled(document, [f.span for f in document.functions])] == ["f", "g", "h", "k"]
    assert spelled(document, [p.span for p in document.problems]) == ["f", "g", "h", "k"]
    assert document.functions[3].state is State.PROVED


def test_what_is_deleted_is_not_shown() -> None:
    document = analysed(LINES, USES)
    edit(document, Edit(Span(8, 20), ""))
    assert [function.name for function in document.functions] == ["f", "h", "k"]
    assert spelled(document, [p.span for p in document.problems]) == ["f", "h", "k"]
    assert "h" in stale(document)


def test_a_check_of_an_older_text_keeps_later_edits_stale() -> None:
    document = analysed(LINES, USES)
    older = document.analysis
    edit(document, Edit(Span(6, 7), "7"))
    edit(document, Edit(Span(len(LINES) - 2, len(LINES) - 1), "3"))
    assert older
    document.settle(1, Analysis(older.source, older.chunks, older.options))
    assert stale(document) == {"k"} and document.state is State.STALE
    document.settle(2, older)
    assert document.state is State.PROVED


def test_a_check_that_did_not_end_leaves_unknown() -> None:
    document = analysed(LINES, USES)
    edit(document, Edit(Span(0, 0), "\n"))
    why = Problem("DP998", "p", Severity.ERROR, "it broke", Span(0, 0))
    document.give_up(1, document.source, Options(), why)
    assert document.state is State.UNKNOWN
    assert {function.state for function in document.functions} == {State.UNKNOWN}
    assert spelled(document, [f.name_span for f in document.functions]) == ["f", "g", "h", "k"]
    assert document.problems == (why,)


def test_what_precedes_and_follows_random_edits_is_found_again() -> None:
    random_ = random.Random(2)
    for _ in range(500):
        document = analysed(LINES, USES)
        before, behind = len(LINES), len(LINES)  # characters that no edit has touched, at both ends
        for _ in range(random_.randrange(1, 6)):
            length = len(document.source.text)
            start = random_.randrange(length + 1)
            end = min(length, start + random_.randrange(4))
            edit(document, Edit(Span(start, end), random_.choice(["", "z", "yy\n"])))
            before, behind = min(before, start), min(behind, length - end)
        length = len(document.source.text)
        for place in range(before):
            assert document.analysed_offset(place) == place
            assert document.present_span(Span(place, place + 1)) == Span(place, place + 1)
        for back in range(1, behind + 1):
            old, new = len(LINES) - back, length - back
            assert document.analysed_offset(new) == old
            assert document.present_span(Span(old, old + 1)) == Span(new, new + 1)


# Documents that are checked together

OTHERS = "p() = f + 0\nq() = p + 0\nr() = 1\n"
OTHER_USES = {"p": {"f"}, "q": {"p"}}


class Together:
    """Two documents and a closed file in one project, and a document in none of theirs."""

    def __init__(self) -> None:
        self.workspace = Workspace()
        self.one, self.other, self.apart = (self.open(name, text) for name, text in self.texts().items())
        self.settle()

    def texts(self) -> dict[str, str]:
        return {"one": LINES, "other": OTHERS, "apart": OTHERS}

    def open(self, name: str, text: str) -> Document:
        document = self.workspace.open(f"file:///{name}.jl", "julia", 1, text)
        assert document
        return document

    def settle(self) -> None:
        """All that is open has been checked as it is."""
        for document in self.workspace:
            settle(document, USES | OTHER_USES)
        closed = {"/closed.jl": ClosedFile(text_digest("v() = r + 0\n"), ((("v",), frozenset({"r"})),))}
        projects = [["/one.jl", "/other.jl", "/closed.jl"], ["/apart.jl"]]
        opened = {document.file: document.name for document in self.workspace}
        self.workspace.arrange(list(self.workspace), projects, opened, closed)


def test_an_edit_before_the_first_analysis_counts_when_that_arrives() -> None:
    files = Together()
    late = files.open("late", LINES)
    first = files.one.analysis
    assert first
    edit(late, Edit(Span(6, 7), "7"))
    late.settle(0, first)
    assert not late.current and stale(late) == {"f", "g", "h"}


def test_an_edit_makes_users_in_other_files_stale() -> None:
    files = Together()
    edit(files.one, Edit(Span(6, 7), "7"))
    assert (stale(files.one), stale(files.other), stale(files.apart)) == ({"f", "g", "h"}, {"p", "q"}, set())
    assert files.other.current and files.other.state is State.STALE
    assert files.apart.state is State.PROVED
    files.settle()
    assert files.other.state is State.PROVED


def test_an_edit_that_no_other_file_uses_leaves_them_alone() -> None:
    files = Together()
    edit(files.one, Edit(Span(len(LINES) - 2, len(LINES) - 1), "3"))
    assert stale(files.one) == {"k"}
    assert files.other.state is State.PROVED


def test_what_may_define_anything_makes_all_files_stale() -> None:
    files = Together()
    edit(files.one, Edit(Span(0, 0), "new = 1\n"))
    assert stale(files.other) == {"p", "q", "r"} and not stale(files.apart)


def test_an_edit_reaches_through_a_closed_file() -> None:
    files = Together()
    uses = {"f": {"v"}, "g": {"f"}}
    settle(files.one, uses)
    edit(files.other, Edit(Span(OTHERS.index("1\n"), OTHERS.index("1\n") + 1), "2"))
    assert stale(files.other) == {"p", "q", "r"}, "through `v` of the closed file, `f` and back"
    assert stale(files.one) == {"f", "g"}


def test_an_include_may_bring_any_open_document() -> None:
    files = Together()
    edit(files.one, Edit(Span(0, 0), 'include("apart.jl")\n'))
    files.workspace.edited(files.one)
    assert stale(files.apart) == {"p", "q", "r"}
    files.settle()
    assert files.apart.state is State.PROVED


def test_a_closed_document_may_be_another_on_the_disk() -> None:
    files = Together()
    files.workspace.close("file:///one.jl")
    assert stale(files.other) == {"p", "q", "r"}
    assert files.other.others == ()


@pytest.mark.parametrize("again", [False, True])
def test_what_was_found_with_a_document_that_is_closed_by_then_is_stale(again: bool) -> None:
    """Also where the project has no file that was closed before, and whatever is open in its place."""
    files = Together()
    opened = {document.file: document.name for document in files.workspace}
    files.workspace.close("file:///one.jl")
    if again:
        files.open("one", LINES)
    files.workspace.arrange([files.other], [["/one.jl", "/other.jl"]], opened, {})
    assert stale(files.other) == {"p", "q", "r"}


@pytest.mark.parametrize(("text", "state"), [("v() = r + 0\n", State.PROVED), ("v() = r\n", State.STALE)])
def test_opening_a_file_changes_something_if_its_text_is_another(text: str, state: State) -> None:
    files = Together()
    files.open("closed", text)
    assert files.other.state is state and files.apart.state is State.PROVED


def test_a_file_that_changes_on_the_disk_makes_its_projects_stale() -> None:
    files = Together()
    files.workspace.changed("file:///elsewhere.jl")
    assert files.other.state is State.PROVED
    files.workspace.changed("file:///closed.jl")
    assert stale(files.other) == {"p", "q", "r"} and not stale(files.apart)
