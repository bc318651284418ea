"""Asking the client to ask again, once what it was told is out of date."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dp_lsp.analysis.records import Analysis
from dp_lsp.analysis.workspace import Document

_Answer = tuple[Analysis | None, bool]
"""What an answer was made of, and whether all that it said held."""


class Refreshes:
    """What the client was told about each document, by the kind of answer; ``send`` asks it to ask for a kind again."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._send = send
        self._answers: dict[str, dict[Document, _Answer]] = {}
        self._due: set[str] = set()

    def answered(self, kind: str, document: Document) -> None:
        """The client was told something about a document as it is now."""
        self._answers.setdefault(kind, {})[document] = (document.analysis, document.settled)

    def checked(self, document: Document) -> None:
        """A check of a document ended: what was told before may be wrong, or said too little."""
        now = (document.analysis, True)
        for kind, answers in self._answers.items():
            if document in answers and answers[document] != now:
                self._ask(kind)

    def everything(self) -> None:
        """The client may want to be shown other things now."""
        for kind in self._answers:
            self._ask(kind)

    def closed(self, document: Document) -> None:
        """Nobody looks at a document any more."""
        for answers in self._answers.values():
            answers.pop(document, None)

    def _ask(self, kind: str) -> None:
        """Once, however many documents were checked together."""
        if kind not in self._due:
            if not self._due:
                asyncio.get_running_loop().call_soon(self._flush)
            self._due.add(kind)

    def _flush(self) -> None:
        due, self._due = self._due, set()
        for kind in sorted(due):
            self._send(kind)
