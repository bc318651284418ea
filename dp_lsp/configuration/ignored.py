"""What git leaves out below a folder: that is not checked either when the folder is.

The patterns of the ``.gitignore`` files of a repository count, and those of its ``.git/info/exclude``; where there is
no repository, none do. What a user has for all repositories does not count: another one would check other files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache

from dp_lsp.disk.loader import is_below, path_below, read_file
from dp_lsp.named import NamedTuple

# Patterns for files, as ``.gitignore`` has them. What they take grows with the path, whatever they are made of.

_ANY = "**"


def matches(patterns: Sequence[str], path: str) -> bool:
    """Whether the last pattern that fits a file, given by its path with ``/`` below the folder, is not one with
    ``!``. A pattern that fits a folder fits all in it."""
    for pattern in reversed(patterns):
        if _fits(pattern.removeprefix("!"), path):
            return not pattern.startswith("!")
    return False


def fault(pattern: str) -> str:
    """What is wrong with a pattern, or empty."""
    body = pattern.removeprefix("!")
    if not body.strip("/ "):
        return "it names nothing"
    if "\\" in body:
        return "folders are parted by `/`, on every system"
    if ".." in body.split("/") or re.match(r"[A-Za-z]:|~", body):
        return "it leads out of the folder of the configuration"
    return ""


def fits(pattern: str, path: str, is_folder: bool) -> bool:
    """Whether a pattern fits a file or folder itself, and not only one that it is in."""
    return path.count("/") + 1 in _reached(pattern, path) and (is_folder or not pattern.endswith("/"))


def _fits(pattern: str, path: str) -> bool:
    reached = _reached(pattern, path)
    if pattern.endswith("/"):
        reached.discard(path.count("/") + 1)  # a folder is meant, and the last name is that of a file
    return bool(reached)


def _reached(pattern: str, path: str) -> set[int]:
    """How many names at the beginning of a path a pattern fits."""
    parts = _parts(pattern)
    names = path.split("/")
    whole = len(names)
    reached = {0}
    for part in parts:
        if part is None:
            reached = set(range(min(reached), whole + 1)) if reached else reached
        else:
            reached = {length + 1 for length in reached if length < whole and part.match(names[length])}
    return reached


@lru_cache(maxsize=4096)
def _parts(pattern: str) -> tuple[re.Pattern[str] | None, ...]:
    """What the names on a path must be, one after the other; None are any names."""
    body = pattern.strip("/")
    anywhere = "/" not in pattern.rstrip("/")
    segments = [_ANY] * anywhere + body.split("/")
    if segments[-1] == _ANY and len(segments) > 1:
        segments.append("*")  # what is inside, and not the folder itself
    return tuple(None if segment == _ANY else re.compile(translate(segment)) for segment in segments)


FILE = ".gitignore"
LARGEST = 1 << 20
"""Characters of such a file that is read."""

_TRAILING = re.compile(r"(?<!\\) +$")
_ESCAPED = re.compile(r"\\(.)")
_NOT_ONE_OF = re.compile(r"\[\^")


class _Pattern(NamedTuple):
    text: str
    again: bool
    """Whether what fits is not left out after all."""


class Ignored:
    """Tells what is left out below a folder. The folder itself was asked for, so it is not, whatever is said of it."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.abspath(folder)
        self._said: dict[str, tuple[_Pattern, ...]] = {}  # by file
        self._repositories: dict[str, str | None] = {}  # by folder, where they begin
        self._known: dict[str, bool] = {}  # by folder

    def __call__(self, path: str, is_folder: bool) -> bool:
        """Whether a file or folder is left out."""
        path = os.path.abspath(path)
        if not is_below(path, self._folder):
            return False
        *above, last = path[len(os.path.join(self._folder, "")) :].split(os.sep)
        folder = self._folder
        for name in [*above, last] if is_folder else above:
            folder = os.path.join(folder, name)
            if folder not in self._known:
                self._known[folder] = self._says(folder, True)
            if self._known[folder]:
                return True  # what is in a folder that is left out cannot be taken in again
        return not is_folder and self._says(path, False)

    def _says(self, path: str, is_folder: bool) -> bool:
        """Whether the patterns above a path leave it out. The nearest that fits counts."""
        folder = os.path.dirname(path)
        repository = self._repository(folder)
        if repository is None:
            return False
        places = [(folder, os.path.join(folder, FILE))]
        while folder != repository:
            folder = os.path.dirname(folder)
            places.append((folder, os.path.join(folder, FILE)))
        places.append((repository, os.path.join(repository, ".git", "info", "exclude")))
        for folder, file in places:
            for pattern in reversed(self._patterns(file)):
                if fits(pattern.text, path_below(folder, path), is_folder):
                    return not pattern.again
        return False

    def _repository(self, folder: str) -> str | None:
        """The folder where the repository begins that a folder is part of."""
        passed = []
        while folder not in self._repositories:
            passed.append(folder)
            above = os.path.dirname(folder)
            if os.path.lexists(os.path.join(folder, ".git")):
                self._repositories[folder] = folder
            elif above == folder:
                self._repositories[folder] = None
            else:
                folder = above
        found = self._repositories[folder]
        self._repositories |= dict.fromkeys(passed, found)
        return found

    def _patterns(self, file: str) -> tuple[_Pattern, ...]:
        found = self._said.get(file)
        if found is None:
            there = os.path.isfile(file) and not os.path.islink(file)
            found = self._said[file] = patterns(read_file(file).content[:LARGEST]) if there else ()
        return found


def patterns(text: str) -> tuple[_Pattern, ...]:
    """The patterns of a text, in its order, as they are written elsewhere."""
    found = []
    for line in text.splitlines():
        line = _TRAILING.sub("", line)
        again = line.startswith("!")
        body = line[1:] if again else line
        if body.strip("/") and not line.startswith("#"):
            found.append(_Pattern(_ESCAPED.sub(_plain, _NOT_ONE_OF.sub("[!", body)), again))
    return tuple(found)


def _plain(escaped: re.Match[str]) -> str:
    """A character that means itself."""
    return f"[{escaped[1]}]" if escaped[1] in "*?[" else escaped[1]
