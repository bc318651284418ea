"""Telling the client that a check takes long, or what makes its numbers smaller."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dp_lsp.analysis.workspace import Document

_PATIENCE = 0.5  # seconds; what is faster than that is not worth a word
_TITLE = "dp-lsp"


class _Client(Protocol):
    async def window_work_done_progress_create_async(self, params: types.WorkDoneProgressCreateParams) -> None: ...

    def progress_notify(self, token: str, value: object) -> None: ...


class Progress:
    """One report at a time, about all documents that something is ``doing``. It is begun only once the client has
    agreed to it, and whatever was begun is ended. With ``cancelled``, which is called with each document then, the
    client may offer to end it."""

    def __init__(self, client: _Client, doing: str, cancelled: Callable[[Document], None] | None = None) -> None:
        self._client = client
        self._doing = doing
        self._cancelled = cancelled
        self._token = ""
        self._running: dict[Document, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._count = 0

    def began(self, document: Document) -> None:
        """Something is to be done with a document."""
        if not self._running and self._task is None:
            self._timer = asyncio.get_running_loop().call_later(_PATIENCE, self._late)
        self._running[document] = None

    def ended(self, document: Document) -> None:
        """That has ended, or nobody waits for it any more."""
        self._running.pop(document, None)
        if not self._running:
            self._ended.set()
            if self._timer:
                self._timer.cancel()
                self._timer = None

    def cancel(self, token: object) -> None:
        """The client wants the end of what this token stands for; the report ends when that has."""
        if self._cancelled and token == self._token:
            for document in list(self._running):
                self._cancelled(document)

    def _late(self) -> None:
        self._timer = None
        self._task = asyncio.get_running_loop().create_task(self._report())

    async def _report(self) -> None:
        self._count += 1
        token = self._token = f"dp-lsp/{self._doing.split()[0]}/{self._count}"
        may_end = True if self._cancelled else None
        try:
            with contextlib.suppress(JsonRpcException):  # a client may refuse
                await self._client.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token))
                if self._running:
                    self._ended.clear()
                    begin = types.WorkDoneProgressBegin(_TITLE, cancellable=may_end, message=self._names())
                    self._client.progress_notify(token, begin)
                    await self._ended.wait()
                    self._client.progress_notify(token, types.WorkDoneProgressEnd())
        finally:
            self._task = None
            if self._running:  # asked for while the client was told of the end
                self._timer = asyncio.get_running_loop().call_later(_PATIENCE, self._late)

    def _names(self) -> str:
        names = [document.file.replace("\\", "/").rpartition("/")[2] for document in self._running]
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return f"{self._doing} {names[0]}{more}"
