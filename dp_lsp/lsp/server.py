"""The language server: one process that talks to a client, and a worker that checks for it."""

from __future__ import annotations

import asyncio
import sys
from typing import BinaryIO

from dp_lsp.lsp import actions, decorations, handlers, inside, navigation
from dp_lsp.lsp.inside import in_cells
from dp_lsp.lsp.notifications import quiet_messages
from dp_lsp.lsp.protocol import own_streams, socket, stdio
from dp_lsp.lsp.requests import considerate, patient
from dp_lsp.lsp.session import Server

TABLES = (
    *(handlers.TABLE, actions.TABLE, handlers.SETTINGS, navigation.TABLE, actions.TYPING),
    *(decorations.TABLE, decorations.PAGES, navigation.EVERYWHERE, inside.TABLE),
)


def serve(tcp: tuple[str, int] | None = None) -> int:
    """Serve one client, on standard input and output or at an address; returns the exit code."""
    streams = None if tcp else own_streams()
    quiet_messages()
    try:
        return asyncio.run(_serve(tcp, streams))
    except KeyboardInterrupt:
        return 130


async def _serve(tcp: tuple[str, int] | None, streams: tuple[int, BinaryIO] | None) -> int:
    server = make_server()
    server.log.open()
    server.tidying.begin()
    receive = server.protocol.receive
    try:
        if streams:
            async with stdio(receive, server.hung_up, streams) as outbox:
                server.protocol.set_writer(outbox)
                return await server.ended
        assert tcp
        async with socket(receive, server.hung_up, server.protocol.set_writer, tcp):
            print(f"listening on {tcp[0]}:{tcp[1]}", file=sys.stderr)
            return await server.ended
    finally:
        server.log.close()
        server.checker.close()


def make_server() -> Server:
    """A server that knows all its messages."""
    server = Server()
    for table in TABLES:
        for method, handler in table.features.items():
            answering = in_cells(method, considerate(method, handler))
            server.feature(method, table.options.get(method))(patient(answering))
        for name, handler in table.commands.items():
            server.command(name)(patient(handler))
    return server
