"""The language server: one process that talks to a client, and a worker that checks for it."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import BinaryIO

from lsprotocol import types

from dp_lsp.lsp import handlers
from dp_lsp.lsp.session import Server
from dp_lsp.lsp.transport import own_streams, socket, stdio

TABLES = (handlers.TABLE,)


class _ToClient(logging.Handler):
    """Shows warnings in the client's log."""

    def __init__(self, server: Server) -> None:
        super().__init__(logging.WARNING)
        self._server = server
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.levelno >= logging.ERROR
        kind = types.MessageType.Error if error else types.MessageType.Warning
        params = types.LogMessageParams(kind, record.getMessage())
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._server.window_log_message, params)


def serve(tcp: tuple[str, int] | None = None) -> int:
    """Serve one client, on standard input and output or at an address; returns the exit code."""
    streams = None if tcp else own_streams()
    # Its log holds the text of every message.
    quiet = logging.getLogger().getEffectiveLevel() > logging.DEBUG
    logging.getLogger("pygls").setLevel(logging.CRITICAL if quiet else logging.DEBUG)
    try:
        return asyncio.run(_serve(tcp, streams))
    except KeyboardInterrupt:
        return 130


async def _serve(tcp: tuple[str, int] | None, streams: tuple[int, BinaryIO] | None) -> int:
    server = make_server()
    handler = _ToClient(server)
    logging.getLogger("dp_lsp").addHandler(handler)
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
        logging.getLogger("dp_lsp").removeHandler(handler)
        server.checker.close()


def make_server() -> Server:
    """A server that knows all its messages."""
    server = Server()
    for table in TABLES:
        for method, handler in table.features.items():
            server.feature(method, table.options.get(method))(handler)
        for name, handler in table.commands.items():
            server.command(name)(handler)
    return server
