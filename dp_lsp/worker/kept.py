"""What checking processes have found out, kept by their owner, so that it outlives each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dp_lsp.analysis.records import KEY, ChunkRecord
from dp_lsp.worker.frames import Checked, Learn


class Kept:
    """The records of each open document as it was last checked, and those that have come in checks since, whether these
    ended or not."""

    def __init__(self) -> None:
        self._records: dict[str, dict[bytes, ChunkRecord]] = {}
        self._fresh: dict[bytes, ChunkRecord] = {}

    def came(self, fresh: Mapping[bytes, ChunkRecord]) -> None:
        """A process has sent these."""
        self._fresh |= fresh

    def idle(self) -> None:
        """There is nothing left to check: what came and is of no document any more is not needed."""
        self._fresh.clear()

    def checked(self, checked: Checked) -> None:
        """A document was checked to the end. Kept are its records, and those that some were made of by finding the
        places in other files that they name."""
        known = self._records.get(checked.document, {}) | self._fresh
        keys = [key for _, _, key in checked.layout]
        made_of = {key[:KEY]: known[key[:KEY]] for key in keys if key[:KEY] in known}
        self._records[checked.document] = made_of | {key: known[key] for key in keys}

    def of(self, document: str) -> Mapping[bytes, ChunkRecord]:
        """The records of a document by their keys."""
        return self._records[document]

    def forget(self, document: str) -> None:
        """A document is closed."""
        self._records.pop(document, None)

    def clear(self) -> None:
        """Forget all."""
        self._records.clear()
        self._fresh.clear()

    def lessons(self) -> Iterator[Learn]:
        """What to tell a process that has found out nothing yet."""
        for document, records in (*self._records.items(), ("", self._fresh)):
            yield Learn(document, tuple(records.values()))
