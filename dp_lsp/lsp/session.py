"""The state of a session with one client.

What is known of the files of the workspace that are not open. A client that asks for the problems of all files is
answered when there is news; to any other they are published.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from dp_lsp import __version__
from dp_lsp.analysis.closed import ClosedReport
from dp_lsp.analysis.loading import Faulty
from dp_lsp.analysis.workspace import Document, Workspace, document_key
from dp_lsp.features import hover
from dp_lsp.features.completion import load
from dp_lsp.later import PendingText
from dp_lsp.lsp import convert
from dp_lsp.lsp.checking import Checker
from dp_lsp.lsp.client import Client, Preferences, Settings, Unwatched, above, watchers
from dp_lsp.lsp.notebooks import SYNCHRONISED, Notebooks
from dp_lsp.lsp.notifications import ClientLog, Progress, Refreshes
from dp_lsp.lsp.positions import Positions
from dp_lsp.lsp.protocol import Protocol, lenient_converter
from dp_lsp.problem import Problem

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


_FILES = "dp-lsp.files"  # what we call the watching of files
_WATCH = 3.0  # seconds between looks whether the client is alive

_log = logging.getLogger(__name__)


class Server(LanguageServer):
    """The state of a session. It lives on one event loop and never waits for the worker or the client."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "dp-lsp",
            __version__,
            notebook_document_sync=SYNCHRONISED,
            protocol_cls=Protocol,
            converter_factory=lenient_converter,
        )
        self.client = Client()
        self.documents = Workspace()
        self.notebooks = Notebooks()
        self.folders: dict[str, None] = {}
        self.preferences = Preferences()
        self.trace = "off"  # as `$/setTrace` has it
        self.log = ClientLog(self.window_log_message, self.log_trace)
        self.refreshes = Refreshes(self._ask_again)
        self._progress = Progress(self, "checking")
        self.bettering = Progress(
            self, "computing privacy-loss distributions for", lambda each: self.checker.spare(each)
        )
        self.tidying = Tidying()
        self.around = ClosedReports(self)
        self.checker = Checker(
            self.documents,
            self._checked,
            self.configured,
            self._busy,
            self._better,
            self.send_status,
            self._glimpsed,
            self.around.found,
            self.around.counted,
        )
        self.faults: dict[str, Faulty] = {}  # the configurations that something is said to be wrong with
        self._unwatched = Unwatched()
        self.spelled: dict[str, str] = {}  # the client's URIs of files that are not open, or not checked, by key
        self._wishes = self.preferences.wishes
        self._checks_workspace = self.settings.check_workspace
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._published: dict[Document, tuple[int, tuple[Problem, ...]]] = {}
        self._told: dict[Document, object] = {}
        self._prepared = False
        self._watch: asyncio.TimerHandle | None = None

    def prepare(self) -> None:
        """Load what the first hover and the first proposal need, while the worker checks the first document: in turns
        with all else, as modules that import each other cannot be loaded by two threads at once."""
        if not self._prepared:
            self._prepared = True
            loop = asyncio.get_running_loop()
            loop.call_soon(hover.prepare)
            loop.call_soon(load)

    def begin(self, document: Document) -> None:
        """A document was opened: have it checked."""
        self.around.opened(document)
        if self.client.watches:
            self.look_above()
        else:
            self.look()
        self.checker.edited(document)
        self.prepare()
        self.send_status(document, *self.documents)

    def end(self, code: int) -> None:
        """End the session, with the process's exit code."""
        if not self.ended.done():
            self.ended.set_result(code)

    def hung_up(self) -> None:
        """The client is gone; that is an error unless it said so before."""
        self.end(0 if self.protocol._shutdown else 1)

    def watch_client(self) -> None:
        """End when the client's process does, even if something keeps our input open."""
        if self.client.process is None or os.name != "posix":  # elsewhere signal 0 would end it
            return
        try:
            os.kill(self.client.process, 0)
        except ProcessLookupError:
            self.hung_up()
        except OSError:
            pass  # it lives, and is somebody else's
        self._watch = asyncio.get_running_loop().call_later(_WATCH, self.watch_client)

    def send_status(self, *documents: Document) -> None:
        """Tell a client that wants to know what state documents and their functions are in, if that is news. A document
        of which something is awaited has its turn when that has come."""
        if self.client.wants_status:
            for document in documents:
                news = (document.version, document.analysis, document.stale, document.current)
                if self._told.get(document) != news:
                    with contextlib.suppress(PendingText):
                        self.protocol.tell("dp/fileStatus", convert.file_status(document, self.client))
                        self._told[document] = news

    @property
    def settings(self) -> Settings:
        """What the client wants, where no file or folder is concerned."""
        return self.preferences.everywhere

    def settings_for(self, document: Document) -> Settings:
        """What the client wants for a document: it may have other settings for each of its folders."""
        return self.preferences.of(document.file)

    def adopt(self) -> None:
        """The client's settings may be others now."""
        self.log.show(self.settings.log_level, self.settings.trace or self.trace)
        self.refreshes.everything()
        for complaint in self.preferences.complaints():
            _log.warning(complaint)
        if self._checks_workspace != self.settings.check_workspace:
            self._checks_workspace = self.settings.check_workspace
            self.look()
        if self._wishes != self.preferences.wishes:
            self._wishes = self.preferences.wishes
            self.look_anew()

    def look(self) -> None:
        """The files on the disk may have changed."""
        self._begin_around()
        self.checker.look(tuple(self.folders), self._wishes, self._checks_workspace)
        self.send_status(*self.documents)

    def look_anew(self) -> None:
        """The files on the disk may have changed, and the rules that all is checked by."""
        self.documents.unsettle()
        self._begin_around()
        self.checker.look_anew(tuple(self.folders), self._wishes, self._checks_workspace)
        self.send_status(*self.documents)

    def _begin_around(self) -> None:
        """Files that are not open are looked at again, if that is wanted."""
        if self._checks_workspace:
            self.around.begin()
        else:
            self.around.clear()
            self.around.counted(0, 0)

    def configured(self, faulty: Mapping[str, Faulty]) -> None:
        """Say what is wrong with configurations, in their files. Nobody pulls that: they are not in our language."""
        for file in dict.fromkeys([*self.faults, *faulty]):
            if self.faults.get(file) != faulty.get(file):
                uri = Path(file).as_uri()
                uri = self.spelled.get(document_key(uri), uri)
                told = convert.faults(faulty[file], uri, self.client) if file in faulty else []
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told))
        self.faults = dict(faulty)

    def watch_files(self) -> None:
        """Ask the client to tell what changes on the disk; else we look whenever a document is opened or saved."""
        if self.client.watches:
            outside = above(self.folders) if self.client.watches_outside else ()
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers(outside))
            wanted = types.Registration(_FILES, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.client_register_capability(types.RegistrationParams([wanted]))
        self._unwatched.have_changed(self.folders)

    def watch_other_files(self) -> None:
        """The same for other folders than before."""
        if self.client.watches_outside:
            old = types.Unregistration(_FILES, types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
            self.client_unregister_capability(types.UnregistrationParams([old]))
            self.watch_files()

    def look_above(self) -> None:
        """A client that watches its folders only would not tell of configurations above them."""
        if not self.client.watches_outside and self._unwatched.have_changed(self.folders):
            self.look_anew()

    def close(self, uri: str) -> None:
        """Forget a document and take its diagnostics away."""
        document = self.documents.close(uri)
        if document:
            self.spelled[document.key] = document.uri
            if self._checks_workspace:
                self.around.begin()
            self._told.pop(document, None)
            self.refreshes.closed(document)
            self.checker.closed(document)
            self.send_status(*document.others)
            if self._published.pop(document, None):
                self._publish(document, [])

    def close_notebook(self, uri: str) -> None:
        """The same of a notebook, of whose cells the client is told."""
        self.close(uri)
        self.notebooks.close(uri)

    def forget_cells(self, changes: types.NotebookDocumentCellChanges) -> None:
        """Take away what was said of cells that are not there any more."""
        for cell in (changes.structure and changes.structure.did_close) or ():
            if not self.client.pulls:
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(cell.uri, []))

    def lose(self, params: Any) -> None:
        """A change was not understood: its document's text is not the client's any more, so nothing is said of it."""
        with contextlib.suppress(KeyError, TypeError, AttributeError):
            self.close(params["textDocument"]["uri"])

    def _checked(self, document: Document, final: bool) -> None:
        self.tidying.worked()
        self.send_status(document)
        self.refreshes.checked(document)
        if final and self.around.asked:
            self.around.checked()
        found = document.version, document.problems
        if final and document.settled and self._published.get(document) != found:
            again = document in self._published and self._published[document][0] == document.version
            # Who asks about a cell may do so before it tells of the edit of its notebook.
            late = self.notebooks.get(document.uri) is not None
            self._published[document] = found
            if not self.client.pulls:
                self._publish(document, convert.diagnostics(document, self.client))
            elif (again or late) and self.client.refreshes:
                self.workspace_diagnostic_refresh(None)

    def _glimpsed(self, document: Document, problems: Sequence[Problem]) -> None:
        """Show what was found so far. Nothing but problems: what holds of a document is known at the end."""
        if not self.client.pulls:
            self._published[document] = document.version, tuple(problems)
            positions = Positions(document.source, self.client.encoding)
            told = [convert.diagnostic(problem, document.uri, positions, self.client) for problem in problems]
            self._publish(document, told)

    def _busy(self, document: Document, busy: bool) -> None:
        if self.client.progress:
            (self._progress.began if busy else self._progress.ended)(document)

    def _better(self, document: Document, busy: bool) -> None:
        if self.client.progress:
            (self.bettering.began if busy else self.bettering.ended)(document)

    def _ask_again(self, method: str) -> None:
        if method in self.client.asks_again:
            self.protocol.send_request(method, None)

    def progress_notify(self, token: str, value: object) -> None:
        """Send a part of a report on how work goes on."""
        self.progress(types.ProgressParams(token, value))

    def _publish(self, document: Document, diagnostics: list[types.Diagnostic]) -> None:
        if self.client.pulls:
            return
        cells = self.notebooks.extents(document)
        if cells is None:
            told = types.PublishDiagnosticsParams(document.uri, diagnostics, document.version)
            self.text_document_publish_diagnostics(told)
        else:
            for uri, found in cells.diagnostics(diagnostics):
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A bug, unless it is an answer. It is logged: a message box a keystroke helps nobody."""
        if not isinstance(error, JsonRpcException) or error.code == JsonRpcException.CODE:
            _log.error("a message was not handled: %s", type(error).__name__)


_LITTER = 100  # checks between looks
_QUIET = 1.0  # seconds without one before it is done


class Tidying:
    """Takes over from Python when all memory is looked through."""

    def __init__(self) -> None:
        self._litter = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """What is there now stays, and of what comes only the newest is looked at without being asked."""
        gc.freeze()
        gc.set_threshold(5_000, 5, 1_000)

    def worked(self) -> None:
        """A check has ended, and what was known before it is litter."""
        self._litter += 1
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._litter >= _LITTER:
            self._timer = asyncio.get_running_loop().call_later(_QUIET, self._tidy)

    def _tidy(self) -> None:
        self._litter = 0
        gc.collect()
