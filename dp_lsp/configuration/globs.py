"""Patterns for files, as ``.gitignore`` has them. What they take grows with the path, whatever they are made of."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache

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


def path_below(folder: str, file: str) -> str:
    """The path of a file below a folder, as patterns have it."""
    try:
        return os.path.relpath(file, folder).replace(os.sep, "/")
    except ValueError:  # it is on another drive
        return file.replace(os.sep, "/")


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
