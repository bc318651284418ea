"""Bytes in and out, over standard input and output or over a socket."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any, BinaryIO

from dp_lsp.lsp.framing import Framer
from dp_lsp.worker.link import Outbox

_CHUNK = 1 << 16  # bytes
_FLUSH = 1.0  # seconds that a client has to read the last words


def own_streams() -> tuple[int, BinaryIO]:
    """Input and output for the protocol alone: what anything else prints goes to standard error.

    The input is a bare descriptor: a thread that waits for a buffered stream would hold up the end.
    """
    source, sink = os.dup(0), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink


@contextlib.asynccontextmanager
async def stdio(
    receive: Callable[[Any], None], ended: Callable[[], None], streams: tuple[int, BinaryIO]
) -> AsyncIterator[Outbox]:
    """Call ``receive`` with each message of a stream, and ``ended`` at its end; yields where to write."""
    source, sink = streams
    loop = asyncio.get_running_loop()

    def read() -> None:
        framer = Framer()
        with contextlib.suppress(RuntimeError):  # the loop has ended before us
            with contextlib.suppress(OSError):
                while data := os.read(source, _CHUNK):
                    for message in framer.feed(data):
                        loop.call_soon_threadsafe(receive, message)
            loop.call_soon_threadsafe(ended)

    outbox = Outbox(sink)
    threading.Thread(target=read, daemon=True).start()
    try:
        yield outbox
    finally:
        outbox.close()
        outbox.wait(_FLUSH)


@contextlib.asynccontextmanager
async def socket(
    receive: Callable[[Any], None],
    ended: Callable[[], None],
    connected: Callable[[asyncio.StreamWriter], None],
    address: tuple[str, int],
) -> AsyncIterator[None]:
    """Listen, and serve the first client that comes until it goes; others are turned away."""
    taken = False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal taken
        if taken:
            writer.close()
            return
        taken = True
        connected(writer)
        framer, loop = Framer(), asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                for message in framer.feed(data):
                    loop.call_soon(receive, message)  # where an exception is logged and ends nothing
        loop.call_soon(ended)

    async with await asyncio.start_server(serve, *address):
        yield
