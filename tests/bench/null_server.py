"""A server that does nothing: what any server on the same library costs."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("null", "0")


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(_: LanguageServer, params: types.HoverParams) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "nothing"))


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: LanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    _publish(ls, params.text_document.uri, params.text_document.version)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: LanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    _publish(ls, params.text_document.uri, params.text_document.version)


def _publish(ls: LanguageServer, uri: str, version: int) -> None:
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, [], version))


if __name__ == "__main__":
    server.start_io()
