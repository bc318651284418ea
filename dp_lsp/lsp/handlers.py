"""What the server does with each message: convert in, ask a feature, convert out.

The client's settings: asked for where it answers, else taken as it sends them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dp_lsp.analysis.records import fixes_of
from dp_lsp.analysis.workspace import document_key
from dp_lsp.features.hover import hover as hover_text
from dp_lsp.features.report import report, with_plots
from dp_lsp.lsp import convert
from dp_lsp.lsp.checking import Outdated
from dp_lsp.lsp.client import CONFIGURATIONS, SECTION, TRACES, Client, initial, paths, section
from dp_lsp.lsp.positions import Positions, apply
from dp_lsp.lsp.requests import (
    SHOW_DERIVATION,
    Handlers,
    derivation_arguments,
    exactly,
    named,
    opened,
    reached,
    shown_file,
    shown_name,
    typed,
)
from dp_lsp.lsp.session import Server


def begin(ls: Server, params: types.InitializeParams) -> None:
    """What the client says in ``initialize``."""
    ls.preferences.begin(initial(params.initialization_options))
    ls.trace = _trace(params.trace)
    ls.adopt()


def ask(ls: Server) -> None:
    """Ask the client for its settings, everywhere and in each folder, if it can be asked."""
    if not ls.client.configures:
        return
    folders = tuple(ls.folders)
    scopes = [None, *(Path(folder).as_uri() for folder in folders)]
    items = [types.ConfigurationItem(scope, SECTION) for scope in scopes]

    def told(found: Sequence[Any] | None) -> None:
        if found and len(found) == len(items):
            ls.preferences.change(found[0], dict(zip(folders, found[1:], strict=True)))
            ls.adopt()

    ls.workspace_configuration(types.ConfigurationParams(items), told)


def did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    if ls.client.configures:
        ask(ls)
    else:
        ls.preferences.change(section(params.settings))
        ls.adopt()


def set_trace(ls: Server, params: types.SetTraceParams) -> None:
    ls.trace = _trace(params.value)
    ls.adopt()


def register(ls: Server) -> None:
    """Ask the client to tell when its settings change, if it wants to be asked."""
    if ls.client.registers_settings:
        options = types.DidChangeConfigurationRegistrationOptions(SECTION)
        wanted = types.Registration("dp-lsp.settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        ls.client_register_capability(types.RegistrationParams([wanted]))


def is_configuration(uri: str) -> bool:
    """Whether a URI names a file that says how others are checked."""
    return document_key(uri).rpartition("/")[2] in CONFIGURATIONS


def settings_of_opened(ls: Server, uri: str) -> None:
    """The client shows a file that is not checked. It is the text on the disk that counts."""
    if is_configuration(uri):
        ls.spelled[document_key(uri)] = uri
        if not ls.client.watches:
            ls.look_anew()


def _trace(sent: Any) -> str:
    return sent if sent in TRACES else "off"


SETTINGS = Handlers(
    {
        types.WORKSPACE_DID_CHANGE_CONFIGURATION: did_change_configuration,
        types.SET_TRACE: set_trace,
    }
)


_SERVER_CANCELLED = -32802


def initialize(ls: Server, params: types.InitializeParams) -> None:
    ls.client = Client.of(params)
    ls.folders = dict.fromkeys(ls.client.folders)
    begin(ls, params)


def initialized(ls: Server, _: types.InitializedParams) -> None:
    ls.look()
    ls.checker.start()
    ls.watch_client()
    ls.watch_files()
    register(ls)
    ask(ls)


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    item = params.text_document
    if ls.notebooks.containing(item.uri) is not None:
        return  # a cell is a part of another document
    ls.close(item.uri)
    document = ls.documents.open(item.uri, item.language_id, item.version, item.text)
    if document:
        ls.begin(document)
    else:
        settings_of_opened(ls, item.uri)


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    document = ls.documents.get(params.text_document.uri)
    if document:
        source, edits = apply(document.source, params.content_changes, ls.client.encoding)
        document.edit(params.text_document.version, source, edits)
        ls.documents.edited(document)
        ls.checker.edited(document)
        ls.send_status(document, *document.others)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    if ls.client.watches:
        ls.look_above()
    elif is_configuration(params.text_document.uri):
        ls.look_anew()
    else:
        ls.look()


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    ls.close(params.text_document.uri)


def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    changed = [change.uri for change in params.changes if ls.documents.get(change.uri) is None]
    for uri in changed:
        ls.documents.changed(uri)
    if any(is_configuration(uri) for uri in changed):
        ls.look_anew()
    elif changed:
        ls.look()


def did_change_workspace_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    for path in paths(folder.uri for folder in params.event.removed):
        ls.folders.pop(path, None)
    ls.folders |= dict.fromkeys(paths(folder.uri for folder in params.event.added))
    ls.look()
    ls.watch_other_files()
    ask(ls)


def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None or document.analysis is None:
        return None
    offset = Positions(document.source, ls.client.encoding).offset(params.position)
    analysed = document.analysed_offset(offset)
    file = shown_name(document) if document.key.startswith("file://") else ""
    link = ""
    if ls.client.trusts_links:
        arguments = derivation_arguments(document.uri, params.position)
        link = f"command:{SHOW_DERIVATION}?{quote(json.dumps(arguments), safe='')}"
    found = hover_text(document.analysis, analysed, document.is_stale_at(analysed), file, link)
    span = document.present_span(found.span) if found else None
    return convert.hover(found, span, document, ls.client) if found and span else None


def document_symbol(
    ls: Server, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    document = ls.documents.get(params.text_document.uri)
    return convert.symbols(document, ls.client) if document else None


async def diagnostic(
    ls: Server, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return types.RelatedFullDocumentDiagnosticReport([])
    try:
        await ls.checker.current(document)
    except Outdated:
        data = {"retriggerRequest": True}
        raise JsonRpcException("the document has changed", _SERVER_CANCELLED, data) from None
    result = ls.checker.result(document)
    if params.previous_result_id == result:
        return types.RelatedUnchangedDocumentDiagnosticReport(result)
    return types.RelatedFullDocumentDiagnosticReport(convert.diagnostics(document, ls.client), result_id=result)


async def wait_for_check(ls: Server, params: Any) -> dict[str, Any]:
    document = named(ls, params)
    version = getattr(params, "version", None)
    await reached(ls, document, document.version if version is None else typed(version, int, "version"))
    return convert.file_status(document, ls.client) | {"counters": ls.checker.counters._asdict()}


async def file_report(ls: Server, params: Any) -> dict[str, Any]:
    document = named(ls, params)
    wants_plots = typed(getattr(params, "plots", False), bool, "plots")
    await reached(ls, document, document.version)
    repairs = await ls.checker.repairs(document)
    found = await ls.checker.plots(document) if wants_plots else ()
    assert document.analysis
    analysis = document.analysis.with_fixes(fixes_of(repairs))
    made = report([(shown_name(document), analysis)], analysis.options.profile, shown_file, spoken=True)
    return with_plots(made, analysis, found) if wants_plots else made


async def check_file(ls: Server, *arguments: object) -> dict[str, Any]:
    (uri,) = exactly(1, arguments)
    document = opened(ls, typed(uri, str, "uri"))
    ls.look()
    ls.checker.check(document)
    await reached(ls, document, document.version)
    return convert.file_status(document, ls.client)


def restart(ls: Server, *arguments: object) -> None:
    exactly(0, arguments)
    ls.checker.restart()


def cancel(ls: Server, params: types.WorkDoneProgressCancelParams) -> None:
    """Somebody does not want to wait for numbers that may become smaller."""
    ls.bettering.cancel(params.token)


TABLE = Handlers(
    {
        types.INITIALIZE: initialize,
        types.INITIALIZED: initialized,
        types.TEXT_DOCUMENT_DID_OPEN: did_open,
        types.TEXT_DOCUMENT_DID_CHANGE: did_change,
        types.TEXT_DOCUMENT_DID_SAVE: did_save,
        types.TEXT_DOCUMENT_DID_CLOSE: did_close,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_watched_files,
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: did_change_workspace_folders,
        types.TEXT_DOCUMENT_HOVER: hover,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: document_symbol,
        types.TEXT_DOCUMENT_DIAGNOSTIC: diagnostic,
        types.WINDOW_WORK_DONE_PROGRESS_CANCEL: cancel,
        "dp/waitForCheck": wait_for_check,
        "dp/report": file_report,
    },
    {
        types.TEXT_DOCUMENT_DID_SAVE: types.SaveOptions(include_text=False),
        types.TEXT_DOCUMENT_DIAGNOSTIC: types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=True, work_done_progress=True
        ),
    },
    {
        "dp-lsp.checkFile": check_file,
        "dp-lsp.restart": restart,
    },
)
