"""Which files a run checks, and what it may read beside them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import click

from dp_lsp import frontends
from dp_lsp.analysis.loading import SourceText
from dp_lsp.cli.style import Link, unlinked
from dp_lsp.disk.loader import Disk, below, is_below, name_of, program, unreadable

STANDARD_INPUT = "-"
_NO_NAME = "<stdin>"
_OUTSIDE = "it is a link that leads out of the folder that is checked"


class Chosen:
    """The files that were asked for: their ``names`` in that order, and ``files`` to read them and what they include.

    What lies in a folder that is given may be read; beside a file that is given, what lies in the working folder
    if the file does, else in the folder of the file. Of the files in a folder those are left out that are not
    ``wanted``, and those that git leaves out.
    """

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self._wanted = wanted
        self.names: list[str] = []
        self._given: dict[str, SourceText] = {}
        self._folders: list[str] = []
        self._seen: set[str] = set()

    def add(self, path: str, stdin_name: str | None) -> None:
        """What a path means, if anything."""
        if path == STANDARD_INPUT:
            if stdin_name is None:
                self._take(_NO_NAME, _NO_NAME, _standard_input(_NO_NAME))
            elif frontends.find(stdin_name):
                self._file(stdin_name, _standard_input(stdin_name))
        elif os.path.isdir(path):
            from dp_lsp.configuration.ignored import Ignored

            self._folders.append(path)
            failed: list[OSError] = []
            real = os.path.realpath(path)
            for file in below(path, Ignored(path), failed.append):
                name = name_of(file)
                if self._wanted(name):
                    inside = is_below(os.path.realpath(file), real)
                    self._take(name, file, None if inside else unreadable(_OUTSIDE))
            for error in failed:
                reason = error.strerror or "it cannot be opened"
                self._take(name_of(error.filename), error.filename, unreadable(reason))
        elif frontends.find(path):
            self._file(path)

    @property
    def files(self) -> Disk:
        """Where texts come from."""
        return Disk(self._folders, self._given, self.names)

    def _file(self, path: str, text: SourceText | None = None) -> None:
        name = name_of(path)
        here = os.getcwd()
        self._folders.append(here if _is_under(name, here) else os.path.dirname(name))
        self._take(name, path, text)

    def _take(self, name: str, path: str, text: SourceText | None = None) -> None:
        real = os.path.realpath(path)
        if text is not None:
            self._given[name] = text
        if real not in self._seen:
            self._seen.add(real)
            self.names.append(name)


def choose(paths: Sequence[str], stdin_name: str | None, wanted: Callable[[str], bool] = lambda name: True) -> Chosen:
    """The files that these paths mean, each once; a usage error for a missing path, or for no file at all. ``wanted``
    tells which files of a folder are meant."""
    if stdin_name is not None and STANDARD_INPUT not in paths:
        raise click.UsageError("--stdin-filename names what is read from standard input: give - as PATH")
    missing = [path for path in paths if path != STANDARD_INPUT and not _is_there(path)]
    if missing:
        verb = "do" if len(missing) > 1 else "does"
        raise click.UsageError(f"{', '.join(map(repr, missing))} {verb} not exist")
    chosen = Chosen(wanted)
    for path in dict.fromkeys(paths):
        chosen.add(path, stdin_name)
    if not chosen.names:
        raise click.UsageError(f"no {frontends.kinds()} in {', '.join(map(repr, paths))}: nothing to check")
    return chosen


def shown(name: str) -> str:
    """A file as reports have it: relative to the working folder where it lies below it, with ``/``."""
    here = os.getcwd()
    path = name[len(os.path.join(here, "")) :] if _is_under(name, here) else name
    return path if os.sep == "/" else path.replace(os.sep, "/")


def _is_under(name: str, folder: str) -> bool:
    """Whether a whole path lies below a folder, as the system compares names."""
    return is_below(os.path.normcase(name), os.path.normcase(folder))


def to_file(link: Link, text: str, path: str) -> str:
    """A text that leads to the file that is reported so, where there are links."""
    if link is unlinked:
        return text
    from pathlib import Path  # of which a run without links has no need

    return link(text, Path(os.path.abspath(path)).as_uri())


def _standard_input(path: str) -> SourceText:
    if sys.stdin is None:
        return unreadable("standard input is closed")
    try:
        return program(path, sys.stdin.buffer.read())
    except OSError as error:
        return unreadable(error.strerror or type(error).__name__)


def _is_there(path: str) -> bool:
    """Whether a path exists. One that cannot be looked at does: reading it will say what is wrong."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
