"""Where something goes that can be made only once."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import BinaryIO

import click

from dp_lsp.cli.output import begun_beside, demand_here, put_in_place
from dp_lsp.cli.style import without_commands

_ROOM = 1 << 16  # bytes that there must be room for


class Target:
    """Standard output, or a file. It is tried when this is made, so that what cannot be written is not made at all.
    Raises OSError."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self._beside: str | None = None
        self._stream: BinaryIO | None = None
        if file is None:
            if sys.stdout is None:
                raise OSError(0, "it is closed")
            sys.stdout.flush()
            return
        demand_here(file)
        self._whole = os.path.realpath(file)
        if os.path.lexists(self._whole) and not os.path.isfile(self._whole):
            self._stream = _opened(self._whole)  # a device, or a pipe
        else:
            self._begin()

    def _begin(self) -> None:
        """A new file beside the one that is meant, with room for what will be in it."""
        if os.path.exists(self._whole):
            os.close(os.open(self._whole, os.O_WRONLY))  # nobody else's file is replaced
        self._stream, self._beside = begun_beside(self._whole)
        try:
            self._stream.write(bytes(_ROOM))
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError:
            self.leave()
            raise

    def write(self, text: str) -> None:
        """Write it, whole. Raises OSError."""
        text = without_commands(text)
        if self._stream is None:
            click.echo(text, nl=False, color=False)
            sys.stdout.flush()
            return
        if self._beside is not None:
            self._stream.seek(0)
        self._stream.write(text.encode("utf-8", "backslashreplace"))
        if self._beside is not None:
            self._stream.truncate()
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self._stream.close()
        if self._beside is not None:
            put_in_place(self._beside, self._whole)
            self._beside = None

    def leave(self) -> None:
        """Leave nothing that is not whole."""
        with suppress(OSError):
            if self._stream is not None:
                self._stream.close()
        with suppress(OSError):
            if self._beside is not None:
                os.unlink(self._beside)


def _opened(path: str) -> BinaryIO:
    return open(path, "wb")
