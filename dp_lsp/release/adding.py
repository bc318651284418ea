"""A file that is only added to, by one process at a time."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 30  # a byte that Windows locks, and nobody writes
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)

NOTICED, LONGEST = 1.0, 60.0
"""Seconds of a wait after which it is told, and after which it ends."""
_PAUSE = 0.02


class Busy(Exception):
    """Somebody else keeps the file."""


class Added:
    """A file that nobody else adds to meanwhile."""

    def __init__(self, handle: int, path: str) -> None:
        self._handle = handle
        self._path = path

    def content(self) -> bytes:
        """All that is there."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        with open(self._handle, "rb", closefd=False) as stream:
            return stream.read()

    def add(self, text: bytes) -> None:
        """Add to the end, and wait until the disk has it, and the name of a new file as well. What cannot be added
        whole is taken back. Raises OSError."""
        size = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            while text:
                text = text[os.write(self._handle, text) :]
            os.fsync(self._handle)
            if not size:
                _sync_folder(os.path.dirname(os.path.abspath(self._path)))
        except BaseException:  # also if somebody interrupts it
            with suppress(OSError):
                os.ftruncate(self._handle, size)
            raise


@contextmanager
def opened(path: str, on_wait: Callable[[], None] = lambda: None) -> Iterator[Added]:
    """The file; one that is not there is begun, for its owner alone. Waits for others, which ``on_wait`` is told after
    a moment. Raises :class:`Busy` if they take too long, and OSError."""
    handle = _held(path, on_wait)
    try:
        yield Added(handle, path)
    finally:
        os.close(handle)


def _held(path: str, on_wait: Callable[[], None]) -> int:
    """The file that has that name once nobody else holds it: while one waits, it may get another one."""
    while True:
        handle = os.open(path, _FLAGS, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(0, "it is not a file that can be appended to")
            _wait_for(handle, on_wait)  # until it is closed
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.stat(path)):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _wait_for(handle: int, on_wait: Callable[[], None]) -> None:
    began, told = time.monotonic(), False
    while not _lock(handle):
        waited = time.monotonic() - began
        if waited >= LONGEST:
            raise Busy
        if waited >= NOTICED and not told:
            told = True
            on_wait()
        time.sleep(_PAUSE)


if sys.platform == "win32":

    def _lock(handle: int) -> bool:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _sync_folder(folder: str) -> None:
        """Its file systems do that by themselves, and a folder cannot be opened."""
else:

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _sync_folder(folder: str) -> None:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno != errno.EINVAL:  # there are file systems whose folders cannot be asked for that
                raise
        finally:
            os.close(handle)
