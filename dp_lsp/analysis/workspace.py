"""The open documents of a server and what is known of them: the only state that changes.

A document's text runs ahead of its last analysis. The drift between the two moves old results to where they
belong now, and says which of them an edit has made stale. What is stale is never shown as proved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from urllib.parse import unquote, urlsplit

from dp_lsp.analysis.drift import Drift, Patch
from dp_lsp.analysis.records import (
    Analysis,
    ChunkRecord,
    FunctionReport,
    Options,
    Placed,
    State,
    Verdict,
)
from dp_lsp.problem import Edit, Problem
from dp_lsp.text import Place, Source, Span

_DRIVE = re.compile(r"/[A-Za-z]:")
_openings = count()
_WORD = re.compile(r"\w+!?")
_FAR_REACHING = re.compile(r"\b(global|eval|using|import|include|module|baremodule|macro|Pluto)\b|@")
_CONTINUES = re.compile(r"([^\w)\]}\"'`\s]|\b(in|isa|where))[ \t]*(#[^\n]*)?$", re.MULTILINE)
_COMMENTS = re.compile(r"\s*(#(?!=)[^\n\r]*\s*)*")
_OPENERS = frozenset(
    {
        *("function", "if", "for", "while", "module", "baremodule", "begin", "let", "do", "try", "struct", "macro"),
        *("quote", "abstract", "primitive"),
    }
)


def document_key(uri: str) -> str:
    """What makes two URIs name the same document: for a file its decoded path, else the URI itself."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    if parts.scheme.lower() != "file":
        return uri
    path = unquote(parts.path, errors="surrogateescape")
    if _DRIVE.match(path):
        path = path[:1] + path[1].lower() + path[2:]
    host = "" if parts.netloc.lower() == "localhost" else unquote(parts.netloc).lower()
    return f"file://{host}{path}"


def is_checked(uri: str, language: str) -> bool:
    """Whether a document is in a language that is checked."""
    return language == "julia" or document_key(uri).endswith(".jl")


class Document:
    """An open document. ``uri`` is spelled as the client spells it, and ``key`` is the same for all spellings;
    ``name`` is one that no other opening of it has. ``version`` is the client's.

    ``revision`` counts the texts it has had; ``checked`` is the version whose check has ended for good, and
    ``analysis`` the newest there is, with None before the first.
    """

    def __init__(self, uri: str, version: int, text: str) -> None:
        self.uri = uri
        self.key = document_key(uri)
        self.name = f"{self.key}#{next(_openings)}"
        self.version = version
        self.source = Source(text)
        self.revision = 0
        self.checked: int | None = None
        self.analysis: Analysis | None = None
        self._analysed = 0  # the revision of `analysis`
        self._edits: list[tuple[int, Edit]] = []  # made since, each with the revision it led to
        self._drift = Drift()
        self._stale: frozenset[int] | None = None

    def edit(self, version: int, source: Source, edits: Sequence[Edit]) -> None:
        """A newer text, and the edits that led to it: each in a text that has the earlier ones."""
        self.version = version
        self.source = source
        self.revision += 1
        if self.analysis:
            self._edits += ((self.revision, edit) for edit in edits)
            self._drift = self._drift.after(edits)
            self._stale = None

    def settle(self, revision: int, analysis: Analysis) -> None:
        """A check of a revision ended. Later edits stay on top of it."""
        if revision < self._analysed:
            return
        self.analysis = analysis
        self._analysed = revision
        self._edits = [(made, edit) for made, edit in self._edits if made > revision]
        self._drift = Drift().after(edit for _, edit in self._edits)
        self._stale = None

    def give_up(self, revision: int, source: Source, options: Options, problem: Problem) -> None:
        """A check of a revision did not end: all that stands in it is unknown, for one reason."""
        drift = Drift().after(edit for made, edit in self._edits if made <= revision)
        known = self.analysis.functions if self.analysis else ()
        moved = (_moved(function, 0, drift) for function in known)
        unknown = tuple(_unknown(function, problem.message) for function in moved if function)
        verdict = Verdict(State.UNKNOWN, unknown, (problem,), (), frozenset())
        whole = Placed(0, len(source.text), ChunkRecord(b"", verdict, b""))
        self.settle(revision, Analysis(source, (whole,), options))

    @property
    def current(self) -> bool:
        """Whether the analysis is one of the text as it is now."""
        return self.analysis is not None and self._analysed == self.revision

    @property
    def state(self) -> State:
        """The worst state of anything in the text as it is now, which may hold what was never checked."""
        return self.analysis.state if self.analysis and self.current else State.STALE

    @property
    def functions(self) -> tuple[FunctionReport, ...]:
        """What is known of the functions, at their places in the text as it is now."""
        if self.analysis is None:
            return ()
        if not self._drift.patches:
            return self.analysis.functions
        return tuple(self._carried_functions(self.analysis.chunks))

    def _carried_functions(self, chunks: Iterable[Placed]) -> Iterator[FunctionReport]:
        for index, (start, _, record) in enumerate(chunks):
            for function in record.verdict.functions:
                moved = _moved(function, start, self._drift)
                if moved:
                    yield moved._replace(state=State.STALE) if index in self.stale else moved

    def is_stale_at(self, offset: int) -> bool:
        """Whether what is known of this offset of the analysed text is out of date."""
        chunks = self.analysis.chunks if self.analysis else ()
        return any(chunks[i].start <= offset <= chunks[i].start + chunks[i].length for i in self.stale)

    def analysed_offset(self, offset: int) -> int:
        """The offset in the analysed text that an offset in the text as it is now came from."""
        return self._drift.back(offset)

    def present_span(self, span: Span) -> Span | None:
        """Where a range of the analysed text stands now; None if nothing is left of it."""
        return self._drift.forward(span)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The last problems found that still have a place in the text, at their places in it."""
        if self.analysis is None:
            return ()
        if not self._drift.patches:
            return self.analysis.problems
        return tuple(moved for problem in self.analysis.problems for moved in self._carried(problem))

    def _carried(self, problem: Problem) -> Iterator[Problem]:
        """The problem at its new place. An old fix would be made for another text, so it is left out."""
        span = self._drift.forward(problem.span)
        if span:
            related = ((r, self._drift.forward(r.span)) for r in problem.related)
            kept = tuple(r._replace(span=place) for r, place in related if place)
            yield problem._replace(span=span, related=kept, fixes=())

    @property
    def stale(self) -> frozenset[int]:
        """The chunks of the analysis that edits have touched, and all that use a name these may define."""
        if self._stale is None:
            self._stale = frozenset(self._affected(self.analysis)) if self.analysis else frozenset()
        return self._stale

    def _affected(self, analysis: Analysis) -> set[int]:
        if not self._drift.patches:
            return set()
        chunks = analysis.chunks
        if not all(self._is_local(analysis, patch) for patch in self._drift.patches):
            return set(range(len(chunks)))
        stale = {
            index
            for index, chunk in enumerate(chunks)
            if self._drift.touches(Span(chunk.start, chunk.start + chunk.length))
        }
        concerned: dict[str, list[int]] = {}  # who uses a name, and who gives it a further meaning
        for index, chunk in enumerate(chunks):
            for name in chunk.record.verdict.uses.union(chunk.record.verdict.defines):
                concerned.setdefault(name, []).append(index)
        for word in self._edited_words():
            users = concerned.get(word, ())
            stale.update(index for index in users if word in chunks[index].record.verdict.uses)
        names = [name for index in stale for name in chunks[index].record.verdict.defines]
        while names:
            for index in concerned.pop(names.pop(), ()):
                if index not in stale:
                    stale.add(index)
                    names += chunks[index].record.verdict.defines
        return stale

    def _is_local(self, analysis: Analysis, patch: Patch) -> bool:
        """Whether an edit can only change what one definition does: it lies in its body, or right of its ``=``, or in
        comments, and opens and closes nothing. Anything else may give any name of the file another meaning."""
        before, after = _lines(analysis.source, patch.old), _lines(self.source, patch.new)
        if structure(before) != structure(after) or any(
            pattern.search(text) for pattern in (_FAR_REACHING, _CONTINUES) for text in (before, after)
        ):
            return False
        if (_COMMENTS.fullmatch(before) and _COMMENTS.fullmatch(after)) or self._is_lines_of_comment(analysis, patch):
            return True
        chunk = next(
            (c for c in analysis.chunks if c.start <= patch.old.start <= patch.old.end <= c.start + c.length), None
        )
        if chunk is None or not chunk.record.verdict.defines:
            return False
        first = analysis.source.place(chunk.start)
        if analysis.source.place(patch.old.start).line > first.line:
            return all(_indent(line) >= first.column for line in (before + "\n" + after).splitlines() if line.strip())
        left, equals, _ = before.partition("= ")
        single = not any(mark in before + after for mark in "\n;")
        return bool(equals) and "(" in left and after.startswith(left + equals) and single

    def _is_lines_of_comment(self, analysis: Analysis, patch: Patch) -> bool:
        """Whether whole lines were put in or taken out, and nothing stands in them but comments."""
        old, new = analysis.source.text[slice(*patch.old)], self.source.text[slice(*patch.new)]
        begins = analysis.source.place(patch.old.start).column == 1
        return begins and all(not text or (_COMMENTS.fullmatch(text) and text[-1] in "\r\n") for text in (old, new))

    def _edited_words(self) -> list[str]:
        """The words on the edited lines: an edit may give any of them a new meaning, by a new definition."""
        return [word for _, new in self._drift.patches for word in _WORD.findall(_lines(self.source, new))]


def structure(text: str) -> tuple[int, ...]:
    """What a piece of text leaves open: blocks, brackets of each kind, quotes and comments."""
    words = _WORD.findall(text)
    blocks = sum(word in _OPENERS for word in words) - words.count("end")
    brackets = (text.count(one) - text.count(other) for one, other in ("()", "[]", "{}"))
    comments = text.count("#=") - text.count("=#")
    return (blocks, *brackets, text.count('"') % 2, text.count('"""') % 2, text.count("`") % 2, comments)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _lines(source: Source, span: Span) -> str:
    """The whole lines that a range touches."""
    first, last = source.place(span.start).line, source.place(span.end).line
    return source.text[source.offset(Place(first, 1)) : source.line_span(last).end]


def _unknown(function: FunctionReport, reason: str) -> FunctionReport:
    """The function without anything that was said of it."""
    return function.without_claims()._replace(state=State.UNKNOWN, reason=reason)


def _moved(function: FunctionReport, by: int, drift: Drift) -> FunctionReport | None:
    """The function, moved by so many code points and then by the drift; None if it has no place any more."""
    span = drift.forward(function.span.moved(by))
    if span is None:
        return None
    name_span = drift.forward(function.name_span.moved(by)) or Span(span.start, span.start)
    return function._replace(span=span, name_span=name_span)


class Workspace:
    """The open documents that are checked."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def open(self, uri: str, language: str, version: int, text: str) -> Document | None:
        """A document that was opened; None if it is in no language that is checked."""
        if not is_checked(uri, language):
            return None
        document = Document(uri, version, text)
        self._documents[document.key] = document
        return document

    def close(self, uri: str) -> Document | None:
        """Take a document away, and return it if it was there."""
        return self._documents.pop(document_key(uri), None)

    def get(self, uri: str) -> Document | None:
        """The open document that a URI names."""
        return self._documents.get(document_key(uri))

    def __iter__(self) -> Iterator[Document]:
        return iter(self._documents.values())
