"""What open documents say, by revisions, as the owner of a checking process knows it."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from dp_lsp.text import Source
from dp_lsp.worker.frames import Opened


class _Text(NamedTuple):
    file: str
    language: str
    revision: int
    source: Source


class Texts:
    """The newest text of each open document, and older ones until a newer one was checked. A document is in it while it
    is open."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[int, _Text]] = {}

    def __contains__(self, document: object) -> bool:
        return document in self._texts

    def put(self, document: str, file: str, language: str, revision: int, source: Source) -> Opened:
        """A document is open or has a newer text; ``file`` is its name in a check, ``language`` the id of the one it is
        written in. What to tell the process of it."""
        text = self._texts.setdefault(document, {})[revision] = _Text(file, language, revision, source)
        return _opened(document, text)

    def opened(self) -> Iterator[Opened]:
        """What to tell a process that knows no document."""
        return (_opened(document, texts[max(texts)]) for document, texts in self._texts.items())

    def newest(self, document: str) -> tuple[int, Source]:
        """The newest revision of a document, and its text."""
        revision = max(self._texts[document])
        return revision, self._texts[document][revision].source

    def checked(self, document: str, revision: int) -> Source:
        """The text of a revision that was checked; older ones are not needed any more."""
        known = self._texts[document]
        self._texts[document] = {each: known[each] for each in known if each >= revision}
        return known[revision].source

    def characters(self, documents: Container[str]) -> int:
        """How many code points these documents have together."""
        newest = (self.newest(name)[1] for name in self._texts if name in documents)
        return sum(len(source.text) for source in newest)

    def forget(self, document: str) -> None:
        """A document is closed."""
        self._texts.pop(document, None)


def _opened(document: str, text: _Text) -> Opened:
    return Opened(document, text.file, text.revision, text.source.text, text.language)
