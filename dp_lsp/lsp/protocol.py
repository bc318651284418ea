"""The JSON-RPC side of the server: pygls where it does what the protocol says, and what it leaves out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import sys
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.protocol.language_server import lsp_method

from dp_lsp.worker.frames import Outbox

if TYPE_CHECKING:
    from dp_lsp.lsp.session import Server


SCHEME = "dp-lsp"
"""Of the URIs of virtual documents."""

_log = logging.getLogger(__name__)

# We keep the texts ourselves: pygls takes other characters for line breaks than the protocol does, and rebuilds
# the whole text for each change of a batch.
_OURS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.EXIT,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
)


def lenient_converter() -> Any:
    """A converter that leaves a value which its enumeration does not have as it is, instead of failing. It leaves out
    of a signature what it does not say: an active parameter that is null there hides the one that is said of all."""
    converter = default_converter()  # type: ignore[no-untyped-call]
    for kind in vars(types).values():
        if isinstance(kind, type) and issubclass(kind, Enum):
            converter.register_structure_hook(kind, _member_or_value)
    written = converter.get_unstructure_hook(types.SignatureInformation)

    def said(signature: types.SignatureInformation) -> dict[str, Any]:
        return {key: value for key, value in written(signature).items() if value is not None}

    converter.register_unstructure_hook(types.SignatureInformation, said)
    return converter


def _member_or_value(value: Any, kind: type[Enum]) -> Any:
    return kind(value) if value in kind._value2member_map_ else value


class Protocol(LanguageServerProtocol):
    """Answers every request, also those that come at the wrong time or with the wrong parameters."""

    _server: Server
    _initialized = False

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]
        for method in _OURS:
            self.fm.builtin_features.pop(method)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """What pygls announces, and the virtual documents, of which it does not know."""
        result = yield from super().lsp_initialize(params)
        workspace = result.capabilities.workspace or types.WorkspaceOptions()
        workspace.text_document_content = types.TextDocumentContentOptions([SCHEME])
        result.capabilities.workspace = workspace
        return result

    def receive(self, message: Any) -> None:
        """Handle what came from the client: decoded JSON, or :class:`Malformed`."""
        if isinstance(message, Malformed):
            self._refuse(None, JsonRpcParseError())
        elif not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._refuse(None, JsonRpcInvalidRequest())
        elif "method" not in message:
            self._answered(message)
        elif error := self._untimely(message["method"]):
            if "id" in message:
                self._refuse(message["id"], error)
        else:
            self._dispatch(message)

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification of our own, whose parameters are plain JSON already and may be long."""
        self._send_data({"jsonrpc": "2.0", "method": method, "params": params})

    def _untimely(self, method: str) -> JsonRpcException | None:
        """The error of a message that must not come now."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return JsonRpcInvalidRequest("the server is shutting down")
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("the server is initialized already") if self._initialized else None
        return None if self._initialized else JsonRpcServerNotInitialized("the server is not initialized")

    def _answered(self, message: dict[str, Any]) -> None:
        """The client answers a request of ours."""
        with contextlib.suppress(JsonRpcException):
            self.handle_message(self.structure_message(message))

    def _dispatch(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if method == types.EXIT:
            self._server.end(0 if self._shutdown else 1)
            return
        message.setdefault("params", None)  # pygls asks for it where the protocol does not
        try:
            structured = self.structure_message(message)
        except JsonRpcException:
            _log.warning("the parameters of %s are not what they should be", method)
            if "id" in message:
                self._refuse(message["id"], JsonRpcInvalidParams())
            if method == types.TEXT_DOCUMENT_DID_CHANGE:
                self._server.lose(message["params"])
            return
        self._initialized = self._initialized or method == types.INITIALIZE
        self.handle_message(structured)

    def _refuse(self, id_: object, error: JsonRpcException) -> None:
        body = {"code": error.code, "message": error.message}
        known = id_ if isinstance(id_, int | str) else None
        self._send_data({"jsonrpc": "2.0", "id": known, "error": body})


# Bytes in and out, over standard input and output or over a socket; and messages out of a stream of bytes, also one
# with garbage in it.

_HEADER = re.compile(rb"Content-Length:[ \t]*(\d{1,9})[ \t]*\r?\n(?:[!-9;-~]+:[^\r\n]*\r?\n)*\r?\n", re.IGNORECASE)
_LONGEST_HEADER = 4096  # bytes


class Malformed(Exception):
    """What came is no JSON."""


class _Framer:
    """Cuts bytes into messages. What precedes a header is skipped, so that it finds back after a wrong length."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._missing: int | None = None

    def feed(self, data: bytes) -> Iterator[Any]:
        """The decoded JSON of each message that is complete now, or :class:`Malformed` in its place."""
        self._buffer += data
        while (body := self._next()) is not None:
            try:
                yield json.loads(body)
            except (ValueError, RecursionError) as error:
                # Its length may have been wrong, and the next message be in what was read.
                self._buffer[:0] = body
                yield Malformed(type(error).__name__)

    def _next(self) -> bytes | None:
        if self._missing is None:
            found = _HEADER.search(self._buffer)
            if found is None:
                del self._buffer[:-_LONGEST_HEADER]
                return None
            self._missing = int(found[1])
            del self._buffer[: found.end()]
        if len(self._buffer) < self._missing:
            return None
        body = bytes(self._buffer[: self._missing])
        del self._buffer[: self._missing]
        self._missing = None
        return body


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
        framer = _Framer()
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
        framer, loop = _Framer(), asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                for message in framer.feed(data):
                    loop.call_soon(receive, message)  # where an exception is logged and ends nothing
        loop.call_soon(ended)

    async with await asyncio.start_server(serve, *address):
        yield
