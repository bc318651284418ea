"""Files and folders as they are: names, texts, and what lies below a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from itertools import chain

from dp_lsp import frontends
from dp_lsp.analysis.loading import Text
from dp_lsp.disk.problems import NotUtf8, Unreadable
from dp_lsp.text import Span

LARGEST = 16 << 20
"""Bytes of a file that is read; nobody writes a program that long."""


def name_of(path: str) -> str:
    """The name of a file for a check: its whole path, as short as it can be written and still mean that file."""
    whole = os.path.abspath(path)
    real = os.path.realpath(path)
    return whole if os.path.realpath(whole) == real else real  # else `..` goes back through a link


def read(path: str) -> Text:
    """The text of a file, without a byte order mark. What goes wrong is a problem, not an exception."""
    try:
        return decoded(_bytes(path))
    except OSError as error:
        return unreadable(error.strerror or type(error).__name__)


def unreadable(reason: str) -> Text:
    """Nothing could be read."""
    return Text("", Unreadable.at(Span(0, 0), reason=reason))


def decoded(data: bytes) -> Text:
    """The text that bytes are."""
    try:
        return Text(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        at = len(error.object[: error.start].decode("utf-8-sig"))
        problem = NotUtf8.at(Span(at, at + 1), byte=f"0x{error.object[error.start]:02X}")
        return Text(data.decode("utf-8-sig", "replace"), problem)


def _bytes(path: str) -> bytes:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for ever
        raise OSError(0, "it is not a regular file")
    if found.st_size > LARGEST:
        raise OSError(0, f"it has more than {LARGEST >> 20} MiB")
    with open(path, "rb") as stream:
        return stream.read()


LeftOut = Callable[[str, bool], bool]
"""Whether a path is left out, which is that of a file, or of a folder with all in it."""


def below(folder: str, left_out: LeftOut, failed: Callable[[OSError], None]) -> Iterator[str]:
    """The path of every program below a folder that is not left out, sorted. Hidden ones are, too, and links to
    folders not followed; ``failed`` is told of each folder that cannot be opened."""
    return chain.from_iterable(by_folder(folder, left_out, failed))


def by_folder(
    folder: str, left_out: LeftOut, failed: Callable[[OSError], None] = lambda error: None
) -> Iterator[list[str]]:
    """The same, one folder after the other."""
    for where, folders, files in os.walk(folder, onerror=failed):
        seen = ((name, os.path.join(where, name)) for name in sorted(folders) if not name.startswith("."))
        folders[:] = [name for name, path in seen if not left_out(path, True)]
        kept = (name for name in sorted(files) if frontends.find(name) and not name.startswith("."))
        yield [path for path in (os.path.join(where, name) for name in kept) if not left_out(path, False)]
