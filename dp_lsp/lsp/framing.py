"""Messages out of a stream of bytes, also one with garbage in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_HEADER = re.compile(rb"Content-Length:[ \t]*(\d{1,9})[ \t]*\r?\n(?:[!-9;-~]+:[^\r\n]*\r?\n)*\r?\n", re.IGNORECASE)
_LONGEST_HEADER = 4096  # bytes


class Malformed(Exception):
    """What came is no JSON."""


class Framer:
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
