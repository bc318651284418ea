"""A server that does nothing: what any server on the same library costs."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("null", "0", text_document_sync_kind=types.TextDocumentSyncKind.None_)


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(_: LanguageServer, params: types.HoverParams) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "nothing"))


if __name__ == "__main__":
    server.start_io()
