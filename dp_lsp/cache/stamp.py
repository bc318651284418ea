"""What results depend on besides what is checked: this program, its libraries, and what runs them."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

import dp_lsp
from dp_lsp.cache.store import Store

LIBRARIES = ("numpy",)
"""Those whose answers are part of results. Whether they are there counts, too."""
_SILENT = (".md", ".pyc")  # files of the package that change no result
_TICK = 20_000_000  # nanoseconds between two times that files are said to have changed at
_SETTLED = 100 * _TICK


class _File(NamedTuple):
    """A file of the package, and what changes with it."""

    name: str
    path: str
    modified: int
    changed: int
    size: int
    node: int


class Stamp:
    """A digest of all that. ``value`` is None if the files of the package cannot be found.

    The text of the package is read only if it looks different from what any run before has seen: a version number is
    not enough, as a checkout has one for many texts. And as modules are loaded one by one, there is no value if one has
    changed since the process ``began``, in nanoseconds, and what was found out counts only if the files of the package
    :meth:`still_hold`.
    """

    def __init__(self, store: Store, began: int) -> None:
        files = list(_files())
        newest = max((max(file.modified, file.changed) for file in files), default=began)
        self._looks = _digest(*map(repr, files))
        text = store.get(self._looks) if newest < began - _TICK else None
        if newest < began - _TICK and text is None:
            text = _digest(*(part for file in files for part in (file.name, _content(file.path))))
            if time.time_ns() - newest > _SETTLED:
                store.put(self._looks, text)
        self.value = None if text is None else _digest(text, dp_lsp.__version__, *_around())

    def still_hold(self) -> bool:
        """Whether the package looks as it did."""
        return _digest(*map(repr, _files())) == self._looks


def _around() -> Iterator[str]:
    yield repr((sys.implementation.cache_tag, sys.hexversion, sys.platform, sys.flags.optimize, sys.maxsize))
    yield from map(_library, LIBRARIES)


def _library(name: str) -> str:
    """Which version of a library there is, without importing it; empty if there is none."""
    try:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return ""
        beside = os.path.dirname(os.path.dirname(spec.origin))
        versions = [each for each in os.listdir(beside) if each.startswith(f"{name}-") and each.endswith(".dist-info")]
        found = os.stat(spec.origin)
    except (ImportError, OSError, ValueError):
        return "?"
    return repr(sorted(versions) or (spec.origin, found.st_mtime_ns, found.st_size))


def _files(folder: str = os.path.dirname(dp_lsp.__file__), name: str = "") -> Iterator[_File]:
    """The files of the package that say what it does, in order."""
    try:
        found = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError:  # it is in an archive
        return
    for each in found:
        inner = f"{name}/{each.name}"
        if each.is_dir():
            yield from _files(each.path, inner) if each.name != "__pycache__" else ()
        elif not each.name.endswith(_SILENT):
            state = each.stat()
            yield _File(inner, each.path, state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)


def _content(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


def _digest(*parts: str | bytes) -> bytes:
    """A digest of some parts, each with its length."""
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(data) + data)
    return state.digest()
