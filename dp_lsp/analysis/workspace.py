"""The open documents of a server and what is known of them: the only state that changes.

A document's text runs ahead of its last analysis. The drift between the two moves old results to where they
belong now, and says which of them an edit has made stale. What is stale is never shown as proved.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from urllib.parse import unquote, urlsplit

from dp_lsp import frontends
from dp_lsp.analysis.records import (
    Analysis,
    ChunkRecord,
    FunctionReport,
    Options,
    Placed,
    Repair,
    State,
    Verdict,
)
from dp_lsp.analysis.staleness import NO_LINKS, UNTOUCHED, Drift, Links, Names, Touched, names_of, spread, touched
from dp_lsp.language import Language
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Problem
from dp_lsp.text import Source, Span

_DRIVE = re.compile(r"/[A-Za-z]:")
_openings = count()


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


def file_path(key: str) -> str | None:
    """The path of the file that a document's key names; None if it is no file."""
    if not key.startswith("file://"):
        return None
    path = key.removeprefix("file://")
    if os.name == "nt":
        path = path[1:] if _DRIVE.match(path) else f"//{path.lstrip('/')}"
    return os.path.normpath(path) if os.path.isabs(path) else None


class ClosedFile(NamedTuple):
    """A file that is checked and not open: a digest of its text, what its chunks define and use, and where its
    top-level names stand (:func:`dp_lsp.analysis.names.decode_spots`)."""

    digest: bytes
    names: Names
    spots: bytes = b""


def text_digest(text: str) -> bytes:
    """A digest of a text; equal digests, equal texts."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class DocumentProject:
    """Files that are checked together: open documents, and closed files by name.

    ``changed`` says that nothing need be as it was found: a file that is not among the documents any more, or never
    was, is not what it was then, or all of them may be checked by other rules now.
    """

    def __init__(self, documents: tuple[Document, ...], closed: Mapping[str, tuple[ClosedFile, Links]]) -> None:
        self.documents = documents
        self.closed = closed
        self.changed = False
        self._stamp: object = None
        self._stale: dict[Document, frozenset[int]] = {}

    def stale(self, document: Document) -> frozenset[int]:
        """The chunks of a document that may have changed with what was edited in the project."""
        if self.changed:
            return frozenset(range(len(document.links)))
        stamp = tuple(each.stamp for each in self.documents)
        if stamp != self._stamp:
            files = [(each.touched, each.links) for each in self.documents]
            files += ((UNTOUCHED, links) for _, links in self.closed.values())
            self._stale = dict(zip(self.documents, spread(files), strict=False))
            self._stamp = stamp
        return self._stale[document]


class Document:
    """An open document. ``uri`` is spelled as the client spells it, and ``key`` is the same for all spellings;
    ``name`` is one that no other opening of it has. ``version`` is the client's.

    ``file`` is its name in a check: the path of a file, else the URI. ``revision`` counts the texts it has had;
    ``checked`` is the version whose check has ended for good, and ``analysis`` the newest there is, with None before
    the first. ``repairs`` are the fixes of its problems that were tried and are good, with None until that is known.
    ``projects`` are what it was checked together with.
    """

    def __init__(self, uri: str, version: int, text: str, language: Language | None = None) -> None:
        self.uri = uri
        self.language = language or frontends.of(uri)
        self.key = document_key(uri)
        self.name = f"{self.key}#{next(_openings)}"
        self.file = file_path(self.key) or uri
        self.version = version
        self.source = Source(text)
        self.revision = 0
        self.checked: int | None = None
        self.analysis: Analysis | None = None
        self.repairs: tuple[Repair, ...] | None = None
        self._analysed = 0  # the revision of `analysis`
        self.closed = False
        self.projects: tuple[DocumentProject, ...] = (DocumentProject((self,), {}),)
        self._versions = {0: version}  # of each revision since
        self._edits: list[tuple[int, Edit]] = []  # made since, each with the revision it led to
        self._drift = Drift()
        self._touched: Touched | None = None
        self._links: Links | None = None

    def edit(self, version: int, source: Source, edits: Sequence[Edit]) -> None:
        """A newer text, and the edits that led to it: each in a text that has the earlier ones."""
        self.version = version
        self.source = source
        self.revision += 1
        self._versions[self.revision] = version
        self._edits += (
            (self.revision, edit) for edit in edits
        )  # also before the first analysis, which may be on its way
        self._drift = self._drift.after(edits)
        self._touched = None

    def settle(self, revision: int, analysis: Analysis) -> None:
        """A check of a revision ended. Later edits stay on top of it."""
        if revision < self._analysed:
            return
        if not (self.analysis and self.analysis.is_same(analysis)):
            self.analysis = analysis
            self._links = None
        self._analysed = revision
        self.repairs = None
        self._versions = {made: version for made, version in self._versions.items() if made >= revision}
        self._edits = [(made, edit) for made, edit in self._edits if made > revision]
        self._drift = Drift().after(edit for _, edit in self._edits)
        self._touched = None

    def give_up(self, revision: int, source: Source, options: Options, problem: Problem) -> None:
        """A check of a revision did not end: all that stands in it is unknown, for one reason."""
        drift = Drift().after(edit for made, edit in self._edits if made <= revision)
        known = self.analysis.functions if self.analysis else ()
        moved = (_moved(function, 0, drift) for function in known)
        unknown = tuple(_unknown(function, problem.message) for function in moved if function)
        verdict = Verdict(State.UNKNOWN, unknown, (problem,), (), frozenset())
        whole = Placed(0, len(source.text), ChunkRecord(b"", verdict))
        self.settle(revision, Analysis(source, (whole,), options))
        self.mend(revision, ())

    def mend(self, revision: int, repairs: tuple[Repair, ...]) -> None:
        """The fixes of what was found in a revision were tried, and these are good."""
        if revision == self._analysed and self.repairs is None:
            self.repairs = repairs

    @property
    def current(self) -> bool:
        """Whether the analysis is one of the text as it is now."""
        return self.analysis is not None and self._analysed == self.revision

    @property
    def others(self) -> tuple[Document, ...]:
        """The open documents that are checked together with this one."""
        together = (each for project in self.projects for each in project.documents)
        return tuple(each for each in dict.fromkeys(together) if each is not self and not each.closed)

    @property
    def analysed_version(self) -> int:
        """The version of the analysis."""
        return self._versions[self._analysed]

    @property
    def settled(self) -> bool:
        """Whether all that the analysis says still holds."""
        return self.current and not self.stale

    @property
    def state(self) -> State:
        """The worst state of anything in the text as it is now, which may hold what was never checked."""
        return self.analysis.state if self.analysis and self.settled else State.STALE

    @property
    def is_named(self) -> bool:
        """Whether a setting named it when it was checked last."""
        return self.analysis is not None and self.analysis.options.named

    @property
    def functions(self) -> tuple[FunctionReport, ...]:
        """What is known of the functions, at their places in the text as it is now."""
        if self.analysis is None:
            return ()
        if not self._drift.patches and not self.stale:
            return self.analysis.functions
        return tuple(self._carried_functions(self.analysis.chunks))

    def _carried_functions(self, chunks: Iterable[Placed]) -> Iterator[FunctionReport]:
        stale = self.stale
        for index, (start, _, record) in enumerate(chunks):
            for function in record.verdict.functions:
                moved = _moved(function, start, self._drift)
                if moved:
                    yield moved._replace(state=State.STALE) if index in stale else moved

    def is_stale_at(self, offset: int) -> bool:
        """Whether what is known of this offset of the analysed text is out of date."""
        chunks = self.analysis.chunks if self.analysis else ()
        return any(chunks[i].start <= offset <= chunks[i].start + chunks[i].length for i in self.stale)

    def analysed_offset(self, offset: int) -> int:
        """The offset in the analysed text that an offset in the text as it is now came from."""
        return self._drift.back(offset)

    def present_start(self, offset: int) -> int:
        """Where what begins at an offset of the analysed text begins now, or what stands in its place."""
        return self._drift.before(offset)

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
    def links(self) -> Links:
        """How the chunks of the analysis depend on each other, and on other files."""
        if self._links is None:
            self._links = Links(names_of(self.analysis)) if self.analysis else NO_LINKS
        return self._links

    @property
    def touched(self) -> Touched:
        """What edits since the analysis have touched; all, of a closed document, whose text is lost, and of one that
        was edited before its first."""
        if self.closed:
            return Touched(everything=True)
        if self.analysis is None:
            return Touched(everything=True) if self.revision else UNTOUCHED
        if self._touched is None:
            self._touched = touched(self.analysis, self.source, self._drift)
        return self._touched

    @property
    def stale(self) -> frozenset[int]:
        """The chunks of the analysis that edits may have changed, here or in what is checked together with it."""
        return frozenset().union(*(project.stale(self) for project in self.projects))

    @property
    def stamp(self) -> tuple[int, int, bool]:
        """What changes whenever the text or the analysis does."""
        return self.revision, self._analysed, self.closed


def _unknown(function: FunctionReport, reason: str) -> FunctionReport:
    """The function without anything that was said of it."""
    return function.without_claims()._replace(state=State.UNKNOWN, reason=reason)


def _moved(function: FunctionReport, by: int, drift: Drift) -> FunctionReport | None:
    """The function, moved by so many code points and then by the drift; None if it has no place any more."""
    here = function.moved(by)
    span = drift.forward(here.span)
    if span is None:
        return None
    name_span = drift.forward(here.name_span) or Span(span.start, span.start)
    return function._replace(span=span, name_span=name_span)


class Workspace:
    """The open documents that are checked."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._closed: dict[str, tuple[ClosedFile, Links]] = {}

    def open(self, uri: str, language: str, version: int, text: str) -> Document | None:
        """A document that was opened; None if it is in no language that is checked."""
        known = frontends.find(document_key(uri), language)
        if known is None:
            return None
        document = Document(uri, version, text, known)
        self._documents[document.key] = document
        digest = text_digest(text)
        for project in self._projects_with(document.file):
            project.changed |= project.closed[document.file][0].digest != digest
        return document

    def close(self, uri: str) -> Document | None:
        """Take a document away, and return it if it was there."""
        document = self._documents.pop(document_key(uri), None)
        if document:
            document.closed = True
        return document

    def edited(self, document: Document) -> None:
        """A document was edited. If that may change what it includes, any other may be one of these."""
        for project in self._projects_with(document.file):
            project.changed |= document not in project.documents
        if document.touched.files:
            every = DocumentProject(tuple(self), {})
            for other in self:
                other.projects = (*other.projects, every)

    def unsettle(self) -> None:
        """What all documents are checked by may be something else now."""
        for document in self:
            for project in document.projects:
                project.changed = True

    def changed(self, uri: str) -> None:
        """A file that is not open is another one now."""
        for project in self._projects_with(file_path(document_key(uri)) or uri):
            project.changed = True

    def arrange(
        self,
        documents: Iterable[Document],
        projects: Iterable[Iterable[str]],
        opened: Mapping[str, str],
        closed: Mapping[str, ClosedFile],
    ) -> None:
        """These documents were checked in these projects, which are given by the names of their files. ``opened`` are
        the names of the documents that were open then, by their files, and ``closed`` the files that were not. One of
        them may have been opened or closed since then."""
        by_name = {document.name: document for document in self}
        members = {file: by_name[name] for file, name in opened.items() if name in by_name}
        made = []
        for names in projects:
            read = {name: self._linked(name, closed[name]) for name in names if name in closed}
            project = DocumentProject(tuple(members[name] for name in names if name in members), read)
            project.changed = any(name not in members and not self._is_still(name, closed.get(name)) for name in names)
            made.append(project)
        for document in documents:
            document.projects = tuple(project for project in made if document in project.documents)

    def _is_still(self, name: str, file: ClosedFile | None) -> bool:
        """Whether a file has the text that was read from the disk: it may be open now, with another one."""
        document = next((document for document in self if document.file == name), None)
        return file is not None and (document is None or text_digest(document.source.text) == file.digest)

    def _linked(self, name: str, file: ClosedFile) -> tuple[ClosedFile, Links]:
        """A closed file as projects have it: the same as long as it does not change."""
        known = self._closed.get(name)
        if known is None or known[0] is not file:
            known = self._closed[name] = (file, Links(file.names))
        return known

    def _projects_with(self, file: str) -> list[DocumentProject]:
        """The projects of open documents that have a closed file."""
        projects = dict.fromkeys(project for document in self for project in document.projects)
        return [project for project in projects if file in project.closed]

    def get(self, uri: str) -> Document | None:
        """The open document that a URI names."""
        return self._documents.get(document_key(uri))

    def __iter__(self) -> Iterator[Document]:
        return iter(self._documents.values())
