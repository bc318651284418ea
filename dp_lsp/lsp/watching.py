"""Which files on the disk matter, and how it is noticed that they change."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types

from dp_lsp import frontends

CONFIGURATIONS = ("dp-lsp.toml", "pyproject.toml", "dp-lsp-baseline.json", ".gitignore")
"""The names of files that say how others are checked, and which; a baseline need not be called so."""


def watchers(outside: Iterable[str]) -> list[types.FileSystemWatcher]:
    """What a client is asked to watch: files below its folders, and configurations in some ``outside`` of them."""
    programs = (f"*{suffix}" for suffix in frontends.suffixes())
    names = [types.FileSystemWatcher(f"**/{name}") for name in (*programs, *CONFIGURATIONS)]
    bases = [Path(folder).as_uri() for folder in outside]
    return names + [types.FileSystemWatcher(types.RelativePattern(b, name)) for b in bases for name in CONFIGURATIONS]


def above(folders: Iterable[str]) -> tuple[str, ...]:
    """The folders above some, whose configurations count in these too."""
    return tuple(dict.fromkeys(str(each) for folder in folders for each in Path(folder).parents))


class Unwatched:
    """The configurations above the folders of a client that cannot watch there, as they were when last looked at."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}

    def have_changed(self, folders: Iterable[str]) -> bool:
        """Whether any is another one than before, is new, or is not there any more."""
        before, self._known = self._known, {}
        for path in (os.path.join(folder, name) for folder in above(folders) for name in CONFIGURATIONS):
            try:
                found = os.stat(path)
            except (OSError, ValueError):
                continue
            self._known[path] = found.st_mtime_ns, found.st_size
        return before != self._known
