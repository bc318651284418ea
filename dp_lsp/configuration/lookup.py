"""Which configuration counts for which file: the nearest one above it, alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

from dp_lsp.analysis.loading import Faulty, Text
from dp_lsp.analysis.records import Options
from dp_lsp.configuration.keys import FILE, PROJECT_FILE, Configuration, path_below
from dp_lsp.configuration.reading import NOTHING, Read, read
from dp_lsp.disk.reading import read as read_file


class _Place(NamedTuple):
    """A configuration, and the folder that its paths count from."""

    folder: str
    configuration: Configuration


class Configurations:
    """The configurations above files. They are read when they are asked for, and again after :meth:`look`.

    One that is faulty leaves the last one in force that was not; ``kept`` are those, by the path of their file.
    ``only`` is a file that counts for all files. ``concerns`` tells for which files any counts.
    """

    def __init__(self, only: str | None = None, concerns: Callable[[str], bool] = os.path.isabs) -> None:
        self.kept: dict[str, Configuration] = {}
        self.faulty: dict[str, Faulty] = {}
        """What is wrong with those that were read since the last look."""
        self._concerns = concerns
        self._above: dict[str, _Place | None] = {}  # by folder
        self._only = None if only is None else self._named(os.path.abspath(only))

    def look(self) -> None:
        """The files may have changed."""
        self._above.clear()
        self.faulty.clear()

    def includes(self, file: str) -> bool:
        """Whether a file is one of those to check when its folder is."""
        found = self._of(file)
        return found is None or found.configuration.includes(path_below(found.folder, file))

    def options(self, file: str, base: Options, otherwise: Options) -> Options:
        """How a file is checked: as ``base`` and its configuration say, or ``otherwise`` if it has none."""
        found = self._of(file)
        return otherwise if found is None else found.configuration.options(path_below(found.folder, file), base)

    def _of(self, file: str) -> _Place | None:
        if self._only is not None:
            return self._only
        return self._in(os.path.dirname(file)) if os.path.isabs(file) and self._concerns(file) else None

    def _in(self, folder: str) -> _Place | None:
        """What counts in a folder."""
        passed = []
        found = None
        while folder not in self._above:
            passed.append(folder)
            found = self._at(folder)
            above = os.path.dirname(folder)
            if found is not None or above == folder:
                break
            folder = above
        else:
            found = self._above[folder]
        self._above |= dict.fromkeys(passed, found)
        return found

    def _at(self, folder: str) -> _Place | None:
        """What stands in a folder itself."""
        files = (os.path.join(folder, name) for name in (FILE, PROJECT_FILE))
        return next((place for file in files if (place := self._read(file)) is not None), None)

    def _read(self, file: str) -> _Place | None:
        """What a file says, or said when it was last without a fault; None if it is not there, or is none."""
        there = os.path.lexists(file)
        text = read_file(file) if there else Text("")
        found = read(file, text) if there else NOTHING
        if found == NOTHING:
            self.kept.pop(file, None)
            return None
        return _Place(os.path.dirname(file), self._counted(file, text, found))

    def _named(self, file: str) -> _Place:
        text = read_file(file)
        return _Place(os.path.dirname(file), self._counted(file, text, read(file, text)))

    def _counted(self, file: str, text: Text, found: Read) -> Configuration:
        if found.configuration is not None:
            self.kept[file] = found.configuration
        elif found.problems:
            self.faulty[file] = Faulty(text.content, found.problems)
        return self.kept.get(file, Configuration())
