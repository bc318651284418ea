"""The log as the client sees it: messages in its log, and a trace that it can switch on. Both change while it runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from lsprotocol import types

_PACKAGE = logging.getLogger("dp_lsp")
_TRACED = {"off": logging.CRITICAL + 1, "messages": logging.INFO, "verbose": logging.DEBUG}
_KINDS = (
    (logging.ERROR, types.MessageType.Error),
    (logging.WARNING, types.MessageType.Warning),
    (logging.INFO, types.MessageType.Info),
    (logging.NOTSET, types.MessageType.Log),
)


class ClientLog(logging.Handler):
    """Sends what is logged to the client: by ``window/logMessage`` from a level on, and by ``$/logTrace`` as far as
    it is traced."""

    def __init__(
        self, send: Callable[[types.LogMessageParams], None], trace: Callable[[types.LogTraceParams], None]
    ) -> None:
        super().__init__(logging.DEBUG)
        self._send = send
        self._trace = trace
        self._loop = asyncio.get_running_loop()
        self._before = logging.NOTSET
        self._from = logging.WARNING
        self._traced = _TRACED["off"]

    def open(self) -> None:
        """Begin to send."""
        self._before = _PACKAGE.level
        _PACKAGE.addHandler(self)

    def close(self) -> None:
        """Send nothing any more."""
        _PACKAGE.removeHandler(self)
        _PACKAGE.setLevel(self._before)
        super().close()

    def show(self, level: str | None, trace: str) -> None:
        """Show what is logged from a level on, of which None is that of the command line; and trace so much."""
        own = logging.getLevelNamesMapping()[level.upper()] if level else logging.getLogger().level
        self._from = own if level else logging.WARNING
        self._traced = _TRACED[trace]
        _PACKAGE.setLevel(min(own, self._from, self._traced))
        quiet_messages(_PACKAGE.level if level else None)

    def emit(self, record: logging.LogRecord) -> None:
        if self._loop.is_closed():
            return
        text = record.getMessage()
        if record.levelno >= self._from:
            kind = next(kind for level, kind in _KINDS if record.levelno >= level)
            self._loop.call_soon_threadsafe(self._send, types.LogMessageParams(kind, text))
        if record.levelno >= self._traced:
            self._loop.call_soon_threadsafe(self._trace, types.LogTraceParams(text))


def quiet_messages(level: int | None = None) -> None:
    """Below the level debug, nothing of what is sent is logged: it holds texts. None is the level of all logs."""
    wanted = logging.getLogger().getEffectiveLevel() if level is None else level
    logging.getLogger("pygls").setLevel(logging.DEBUG if wanted <= logging.DEBUG else logging.CRITICAL)
