"""A folder of small files by key, which outlives a run: safe against other processes, against what breaks, and against
growing."""

from __future__ import annotations

import hashlib
import logging
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

from dp_lsp.named import NamedTuple

LARGEST = 512 << 20
"""Bytes that the files may have in all."""
_SWEPT = "swept"
_PAUSE = 3600.0  # seconds between two looks at all files, if not much was written
_MUCH = LARGEST // 16
_FRESH = 86_400.0  # seconds after which it is noted that a file is used
_ABANDONED = 3600.0  # seconds after which nobody is writing a file any more
_CHECK = 16  # bytes of a checksum
_UNFINISHED = ".part"

logger = logging.getLogger(__name__)


class Store(Protocol):
    """Keeps bytes by key."""

    def get(self, key: bytes) -> bytes | None:
        """What was put under a key, if that is still known."""
        ...

    def put(self, key: bytes, data: bytes) -> None:
        """Keep it, if that is possible."""
        ...

    def close(self) -> None:
        """The run is over."""
        ...


class _StoredFile(NamedTuple):
    used: float
    size: int
    path: str


class Folder:
    """Keeps them in files below a folder. Whatever is wrong with that, a run goes on without: it is logged once."""

    def __init__(self, folder: str, largest: int = LARGEST) -> None:
        self._folder = folder
        self._largest = largest
        self._written = 0
        self._complained = False
        self._parts = 0

    def get(self, key: bytes) -> bytes | None:
        """What was put under a key. A file that is not as it was written is none, and is removed."""
        path = self._path(key)
        try:
            with open(path, "rb") as stream:
                data = stream.read()
                used = os.fstat(stream.fileno()).st_mtime
        except FileNotFoundError:
            return None
        except OSError as error:
            self._complain(error)
            return None
        body = data[_CHECK:]
        if data[:_CHECK] != _checksum(key, body):
            logger.info("%s is damaged, and is made anew", path)
            with suppress(OSError):
                os.unlink(path)
            return None
        if abs(time.time() - used) > _FRESH:
            with suppress(OSError):
                os.utime(path)
        return body

    def put(self, key: bytes, data: bytes) -> None:
        """Keep it. No other process ever sees half of it."""
        path = self._path(key)
        self._parts += 1
        part = f"{path}.{os.getpid()}.{self._parts}{_UNFINISHED}"
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            try:
                with open(part, "xb") as stream:
                    stream.write(_checksum(key, data) + data)
                os.replace(part, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(part)
                raise
        except OSError as error:
            self._complain(error)
        else:
            self._written += len(data) + _CHECK

    def close(self) -> None:
        """The run is over: if much may have been added since anybody looked, remove what was not used for longest."""
        if not self._written:
            return
        mark = os.path.join(self._folder, _SWEPT)
        try:
            last = os.stat(mark).st_mtime
        except OSError:
            last = 0.0
        if self._written > _MUCH or abs(time.time() - last) > _PAUSE:
            with suppress(OSError):
                with open(mark, "wb"):
                    pass
                self._sweep()

    def _sweep(self) -> None:
        now, entries = time.time(), list(self._entries())
        total = sum(entry.size for entry in entries)
        for used, size, path in sorted(entries):
            abandoned = path.endswith(_UNFINISHED) and now - used > _ABANDONED
            if total <= self._largest and not abandoned:
                continue
            with suppress(OSError):
                os.unlink(path)
                total -= size

    def _entries(self) -> Iterator[_StoredFile]:
        for inner in os.scandir(self._folder):
            if inner.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    for file in os.scandir(inner.path):
                        found = file.stat(follow_symlinks=False)
                        yield _StoredFile(found.st_mtime, found.st_size, file.path)

    def _path(self, key: bytes) -> str:
        name = key.hex()
        return os.path.join(self._folder, name[:2], name[2:])

    def _complain(self, error: OSError) -> None:
        if not self._complained:
            self._complained = True
            logger.info("results are not kept in %s: %s", self._folder, error.strerror or type(error).__name__)


def opened() -> Folder | None:
    """The results of earlier runs of this user; None if there is no folder for them."""
    folder = private_folder()
    if folder is None:
        logger.info("results are not kept: there is no folder that only this user can write to")
        return None
    return Folder(os.path.join(folder, "results"))


def _checksum(key: bytes, body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECK, key=key).digest()


VARIABLE = "DP_LSP_CACHE_DIR"
"""The environment variable that names another folder."""


def private_folder() -> str | None:
    """The path of the cache folder, or None if it cannot be had for ourselves alone: what lies in it is believed."""
    try:
        folder = os.environ.get(VARIABLE, "") or _usual()
        os.makedirs(folder, mode=0o700, exist_ok=True)
        state = os.stat(folder)
    except (OSError, RuntimeError, ValueError):
        return None
    if os.name == "posix" and (state.st_uid != os.getuid() or stat.S_IMODE(state.st_mode) & 0o022):
        return None
    return folder


def _usual() -> str:
    """Where systems keep caches of programs; a ValueError for a user who has no home."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        folder = os.path.join(local, "dp-lsp", "Cache")
    elif sys.platform == "darwin":
        folder = os.path.expanduser("~/Library/Caches/dp-lsp")
    else:
        folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "dp-lsp")
    if not os.path.isabs(folder):
        raise ValueError(folder)
    return folder
