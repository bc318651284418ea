"""The files of a check: those below some folders, and those that were handed over or named.

Names of files are whole paths as written: as in Julia, `..` is taken off the path and links are not followed when an
include is looked up; only whether the file may be read is asked of what the path leads to.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from dp_lsp.analysis.loading import Refusal, Text
from dp_lsp.disk.reading import read
from dp_lsp.engine.problems import IncludeMissing, IncludeOutside, IncludeWithoutFolder

_IGNORES_CASE = sys.platform in ("win32", "darwin")


class Stamp(NamedTuple):
    """What changes with a file."""

    modified: int
    changed: int
    size: int
    node: int


class Disk:
    """Reads files below ``folders``, and no others, but for those that are ``named``.

    A file's name is its whole path. ``given`` are texts by name that win over the disk: of documents that an
    editor has open, and of standard input. A name that is no whole path is one of those.
    """

    def __init__(self, folders: Iterable[str], given: Mapping[str, Text], named: Iterable[str] = ()) -> None:
        whole = {os.path.abspath(folder) for folder in folders}
        self._folders = whole | {os.path.realpath(folder) for folder in whole}
        self._named = frozenset(named)
        self._read: dict[str, tuple[Stamp, Text]] = {}
        self._given: dict[str, Text] = {}
        self._by_real: dict[str, str] = {}  # the names of what is given
        for name, text in given.items():
            self.give(name, text)

    def give(self, name: str, text: Text) -> None:
        """This text of a file wins over the disk from now on."""
        if name not in self._given and os.path.isabs(name):
            self._by_real[os.path.realpath(name)] = name
        self._given[name] = text

    def take_back(self, name: str) -> None:
        """The file on the disk counts again."""
        self._given.pop(name, None)
        self._by_real = {real: other for real, other in self._by_real.items() if other != name}

    def included(self, by: str, path: str) -> str | Refusal:
        """The name of the file that an `include` means, as Julia finds it, or why there is none to read."""
        if not os.path.isabs(by):
            return Refusal(IncludeWithoutFolder, {"path": path})
        if "\0" in path:
            return _missing(path, "")
        name = os.path.normpath(os.path.join(os.path.dirname(by), path))
        if name in self._given or name in self._named:
            return name
        if not self.has(name):
            return Refusal(IncludeOutside, {"path": path})
        try:
            os.stat(name)
        except (FileNotFoundError, NotADirectoryError):
            return _missing(path, _near(name, by))
        except OSError:
            return name  # reading it will say what is wrong
        return name if not _IGNORES_CASE or is_spelled(name) else _missing(path, _near(name, by))

    def has(self, name: str) -> bool:
        """Whether a file lies below one of the folders, and what it may be a link to as well."""
        return any(is_below(name, folder) for folder in self._folders) and any(
            is_below(os.path.realpath(name), folder) for folder in self._folders
        )

    def text(self, name: str) -> Text:
        """The text of a file, the same object as long as it does not change."""
        given = self._given_for(name)
        if given is not None:
            return given
        now = stamp(name)
        known = self._read.get(name)
        if known is None or known[0] != now:
            text = read(name)
            if now is None:
                return text
            known = self._read[name] = (now, text)
        return known[1]

    def keep(self, names: Collection[str]) -> None:
        """The texts of other files need not be remembered."""
        self._read = {name: known for name, known in self._read.items() if name in names}

    def _given_for(self, name: str) -> Text | None:
        """What was handed over of a file, under whatever name."""
        if name in self._given or not self._by_real:
            return self._given.get(name)
        other = self._by_real.get(os.path.realpath(name))
        return self._given[other] if other is not None else None


def is_spelled(name: str) -> bool:
    """Whether a file that exists is called so, upper and lower case letters being different."""
    folder, base = os.path.split(name)
    try:
        return base in os.listdir(folder)
    except OSError:
        return True


def is_below(name: str, folder: str) -> bool:
    """Whether a path lies in a folder, as both are written."""
    return name.startswith(os.path.join(folder, ""))


def _missing(path: str, near: str) -> Refusal:
    hint = f"; did you mean `{os.path.join(os.path.dirname(path), near)}`?" if near else ""
    return Refusal(IncludeMissing, {"path": path, "hint": hint})


def _near(name: str, by: str) -> str:
    """A file in the folder, other than ``by``, that is called almost like this one, or empty."""
    import difflib

    folder, base = os.path.split(name)
    try:
        others = sorted(other for other in os.listdir(folder) if os.path.join(folder, other) != by)
    except OSError:
        return ""
    same = [other for other in others if other.casefold() == base.casefold()]
    stem, suffix = os.path.splitext(base)
    stems = [other.removesuffix(suffix) for other in others if other.endswith(suffix)]
    near = (other + suffix for other in difflib.get_close_matches(stem, stems, n=1, cutoff=0.7))
    return next(iter([*same, *near]), "")


def stamp(name: str) -> Stamp | None:
    """What to know a file by; None of one that cannot be looked at."""
    try:
        found = os.stat(name)
    except OSError:
        return None
    return Stamp(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
