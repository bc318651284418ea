"""What is known of the files of the workspace that are not open. A client that asks for the problems of all files is
answered when there is news; to any other they are published."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from dp_lsp.analysis.closed import ClosedReport
from dp_lsp.analysis.workspace import Document, document_key
from dp_lsp.lsp import convert

if TYPE_CHECKING:
    from dp_lsp.lsp.session import Server

_TOGETHER = 0.05  # seconds; what changes together is told together


class ClosedReports:
    """What is known of the files that are not open, by file, and how many projects of them are still to be looked at.

    ``asked`` says that the client asks for the problems of all files; they are not published then."""

    def __init__(self, server: Server) -> None:
        self.reports: dict[str, ClosedReport] = {}
        self.left, self.total = 0, 0
        self.complete = False
        self.asked = False
        self._server = server
        self._waiting: list[asyncio.Future[None]] = []
        self._told_again = False
        self._shown: set[str] = set()  # the files whose problems are published

    def begin(self) -> None:
        """All files are looked at again."""
        self.complete = False

    def counted(self, left: int, total: int) -> None:
        """So many projects are still to be looked at."""
        self.left, self.total, self.complete = left, total, left == 0
        self._wake()

    def found(self, files: Mapping[str, ClosedReport | None]) -> None:
        """This is known now; None of a file that is not there any more."""
        opened = {document.file for document in self._server.documents}
        for file, report in files.items():
            if report is None:
                self.reports.pop(file, None)
            elif file not in opened:
                self.reports[file] = report
        if self.asked:
            self.changed()
        else:
            for file in files.keys() - opened:
                self._show(file)

    def opened(self, document: Document) -> None:
        """A file is open now: what is known of it as a closed one does not count."""
        self.reports.pop(document.file, None)
        self._shown.discard(document.file)

    def clear(self) -> None:
        """Nothing is to be said of files that are not open."""
        self.found(dict.fromkeys(self.reports))

    def changed(self) -> None:
        """Something that the client knows may be otherwise: whoever waits is told, or else it is asked to ask again."""
        if self._waiting:
            self._wake()
        elif self.asked and self.complete and self._server.client.refreshes and not self._told_again:
            self._told_again = True
            self._server.workspace_diagnostic_refresh(None)

    def checked(self) -> None:
        """A document was checked: who waits may want to be told. Who does not wait asks about it anyway."""
        if self._waiting:
            self._wake()

    def ask(self) -> None:
        """The client asks for the problems of all files."""
        self._told_again = False
        if not self.asked:
            self.asked = True
            for file in list(self._shown):
                self._publish(file, [])
            self._shown.clear()

    async def wait(self) -> None:
        """Wait until something is otherwise."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        finally:
            if future in self._waiting:
                self._waiting.remove(future)
        await asyncio.sleep(_TOGETHER)

    def uri(self, file: str) -> str:
        """The URI of a file, as the client spelled it if it ever did."""
        uri = convert.uri_of(file)
        return self._server.spelled.get(document_key(uri), uri)

    def known(self) -> Iterator[tuple[str, str, Document | ClosedReport]]:
        """All files of which something is known as it is now, but for open notebooks: the URI, a name for what is
        wrong, and what is known."""
        for document in self._server.documents:
            if self._server.notebooks.get(document.uri) is not None:
                continue  # its cells are asked about one by one
            if document.settled and document.checked is not None:
                yield document.uri, self._server.checker.result(document), document
        for file, report in self.reports.items():
            yield self.uri(file), report.result, report

    def diagnostics(self, uri: str, report: ClosedReport) -> list[types.Diagnostic]:
        """What is wrong with a closed file, for the client."""
        others = {document.file: document for document in self._server.documents}
        return [convert.placed_diagnostic(each, uri, self._server.client, others) for each in report.problems]

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():  # it may have been cancelled
                future.set_result(None)

    def _show(self, file: str) -> None:
        """Publish what is wrong with a file, if that is anything or was."""
        report = self.reports.get(file)
        told = self.diagnostics(self.uri(file), report) if report else []
        if told or file in self._shown:
            (self._shown.add if told else self._shown.discard)(file)
            self._publish(file, told)

    def _publish(self, file: str, told: list[types.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(self.uri(file), told))
