"""Source texts with marked places, and documents made of them as a server has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent

from dp_lsp.analysis.loading import Loader, ReadRefusal, SourceText
from dp_lsp.analysis.names import encode_spots
from dp_lsp.analysis.records import Analysis, Options
from dp_lsp.analysis.staleness import names_of
from dp_lsp.analysis.workspace import ClosedFile, Document, Workspace, text_digest
from dp_lsp.engine.check import Engine
from dp_lsp.engine.problems import IncludeWithoutFolder
from dp_lsp.problem import Edit
from dp_lsp.text import Source, Span

FOLDER = "file:///w/"


def marked(text: str) -> tuple[str, int]:
    """A text without its mark ``‸``, and where that stood."""
    clean = dedent(text).strip("\n") + "\n"
    assert clean.count("‸") == 1
    return clean.replace("‸", ""), clean.index("‸")


class Files(Loader):
    """Files in one folder."""

    def __init__(self, **texts: str) -> None:
        self._texts = {f"/w/{name}.jl": text for name, text in texts.items()}

    def included(self, by: str, path: str) -> str | ReadRefusal:
        name = f"/w/{path}"
        return name if name in self._texts else ReadRefusal(IncludeWithoutFolder, {"path": path})

    def text(self, name: str) -> SourceText:
        return SourceText(self._texts[name])


def checked(text: str) -> Document:
    """A document that has been checked."""
    document = Workspace().open(f"{FOLDER}a.jl", "julia", 1, text)
    assert document
    document.settle(0, Engine().check(text, Options()))
    return document


def project(closed: tuple[str, ...] = (), **texts: str) -> tuple[Workspace, dict[str, Document]]:
    """The files of a project, of which the first includes the others, as a server has them when they are open, or
    ``closed``."""
    found = Engine().project(f"/w/{next(iter(texts))}.jl", Files(**texts))
    workspace = Workspace()
    documents, away = {}, {}
    for name, text in texts.items():
        analysis: Analysis = found[f"/w/{name}.jl"]
        if name in closed:
            away[f"/w/{name}.jl"] = ClosedFile(text_digest(text), names_of(analysis), encode_spots(analysis))
        else:
            document = workspace.open(f"{FOLDER}{name}.jl", "julia", 1, text)
            assert document
            document.settle(0, analysis)
            documents[name] = document
    opened = {document.file: document.name for document in documents.values()}
    workspace.arrange(documents.values(), [list(found)], opened, away)
    return workspace, documents


def edit(document: Document, old: str, new: str) -> None:
    """Replace some text of a document, which is not checked again; what is the same at the ends is no edit."""
    text = document.source.text
    start, end = text.index(old), text.index(old) + len(old)
    source = Source(text[:start] + new + text[end:])
    while new and old and new[0] == old[0]:
        start, old, new = start + 1, old[1:], new[1:]
    while new and old and new[-1] == old[-1]:
        end, old, new = end - 1, old[:-1], new[:-1]
    document.edit(document.version + 1, source, [Edit(Span(start, end), new)])


def shown(text: str, spans: list[Span]) -> str:
    """A text with ranges in ‹ ›."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}‹{text[start:end]}›{text[end:]}"
    return text


def offsets(text: str, seen: set[tuple[str, ...]]) -> Iterator[int]:
    """Where a token begins, inside one that is long, and its end, if none in ``seen`` stood between the same two; and
    the end of the text."""
    tokens = list(re.finditer(r"\w+!?|\s+|.", text))
    words = ["", *(token[0] for token in tokens), ""]
    for place, token in enumerate(tokens):
        around = tuple(words[place : place + 3])
        if around not in seen:
            seen.add(around)
            yield from sorted({token.start(), (token.start() + token.end()) // 2, token.end()})
    yield len(text)


def bare(text: str) -> str:
    """A text of a test without its marks."""
    return re.sub("[‹›‸]", "", dedent(text).strip("\n") + "\n")
