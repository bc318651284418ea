"""The one module that turns text into an analysis: front end, lowering, inference, report; with a memo."""

from __future__ import annotations

from collections.abc import Callable, Collection

from dp_lsp.analysis.records import Analysis, ChunkRecord, Options, Placed, State, Verdict
from dp_lsp.analysis.ticket import Ticket
from dp_lsp.text import Source


class Engine:
    """Checks files, and remembers what it found out about each chunk.

    ``parsed`` and ``inferred`` count the chunks that were really parsed and inferred since it was made.
    """

    def __init__(self) -> None:
        self.parsed = 0
        self.inferred = 0

    def check(
        self,
        text: str,
        options: Options = Options(),
        ticket: Ticket | None = None,
        on_chunk: Callable[[bytes], None] = lambda key: None,
        refused: Collection[bytes] = (),
    ) -> Analysis:
        """The analysis of a text. Never raises on any text; raises what the ticket raises.

        ``on_chunk`` is called with a chunk's key before it is inferred; a key in ``refused`` is not inferred but
        reported as ``unknown`` (it ended the process before).
        """
        verdict = Verdict(State.UNKNOWN, (), (), (), frozenset())
        record = ChunkRecord(b"", verdict, b"")
        return Analysis(Source(text), (Placed(0, len(text), record),), options)
