"""A file that is only added to, by one process at a time."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 30  # a byte that Windows locks, and nobody writes


class Added:
    """A file that nobody else adds to meanwhile."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def content(self) -> bytes:
        """All that is there."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        with open(self._handle, "rb", closefd=False) as stream:
            return stream.read()

    def add(self, text: bytes) -> None:
        """Add to the end, and wait until the disk has it. What cannot be added whole is taken back. Raises OSError."""
        size = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            while text:
                text = text[os.write(self._handle, text) :]
            os.fsync(self._handle)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._handle, size)
            raise


@contextmanager
def opened(path: str) -> Iterator[Added]:
    """The file; one that is not there is begun, for its owner alone. Waits for others. Raises OSError."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0), 0o600)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "it is not a file that can be appended to")
        _lock(handle)  # until it is closed
        yield Added(handle)
    finally:
        os.close(handle)


if sys.platform == "win32":

    def _lock(handle: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
else:

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)
