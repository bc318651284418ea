"""Which files a run checks, and reading them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from dp_lsp.cli.problems import NotUtf8, Unreadable
from dp_lsp.problem import Problem
from dp_lsp.text import Span

STANDARD_INPUT = "-"
SUFFIX = ".jl"


class Entry(NamedTuple):
    """A file to check: the name it is reported under and where it is (None: standard input). What was already
    found to be unreadable has a ``reason``."""

    name: str
    path: Path | None
    reason: str = ""


class Text(NamedTuple):
    """What was read. With a ``problem`` the text is no program: it only shows where the problem is."""

    content: str
    problem: Problem | None = None


def collect(paths: Sequence[str], stdin_name: str | None) -> list[Entry]:
    """The files that these paths mean, each once; a usage error for a missing path, or for no file at all."""
    if stdin_name is not None and STANDARD_INPUT not in paths:
        raise click.UsageError("--stdin-filename names what is read from standard input: give - as PATH")
    missing = [path for path in paths if path != STANDARD_INPUT and not _is_there(path)]
    if missing:
        verb = "do" if len(missing) > 1 else "does"
        raise click.UsageError(f"{', '.join(map(repr, missing))} {verb} not exist")
    found: dict[str, Entry] = {}
    for path in paths:
        for entry in _entries(path, stdin_name):
            found.setdefault(os.path.realpath(entry.path) if entry.path else STANDARD_INPUT, entry)
    if not found:
        raise click.UsageError(f"no Julia file ({SUFFIX}) in {', '.join(map(repr, paths))}: nothing to check")
    return list(found.values())


def read(entry: Entry) -> Text:
    """The text of a file, without a byte order mark. What goes wrong is a problem, not an exception."""
    try:
        data = _bytes(entry)
    except OSError as error:
        return Text("", Unreadable.at(Span(0, 0), reason=error.strerror or type(error).__name__))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = len(error.object[: error.start].decode("utf-8-sig"))
        problem = NotUtf8.at(Span(at, at + 1), byte=f"0x{error.object[error.start]:02X}")
        return Text(data.decode("utf-8-sig", "replace"), problem)
    return Text(text)


def _bytes(entry: Entry) -> bytes:
    if entry.reason:
        raise OSError(0, entry.reason)
    if entry.path is None:
        if sys.stdin is None:
            raise OSError(0, "standard input is closed")
        return sys.stdin.buffer.read()
    if not stat.S_ISREG(os.stat(entry.path).st_mode):  # opening a pipe would wait for ever
        raise OSError(0, "it is not a regular file")
    return entry.path.read_bytes()


def _entries(path: str, stdin_name: str | None) -> Iterator[Entry]:
    if path == STANDARD_INPUT:
        if stdin_name is None or stdin_name.endswith(SUFFIX):
            yield Entry(_shown(stdin_name) if stdin_name else "<stdin>", None)
    elif os.path.isdir(path):
        yield from _below(path)
    elif path.endswith(SUFFIX):
        yield Entry(_shown(path), Path(path))


def _below(folder: str) -> Iterator[Entry]:
    """Every Julia file below a folder, sorted. Hidden ones are left out, links to folders not followed."""
    unreadable: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=unreadable.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith(SUFFIX) and not name.startswith("."):
                path = Path(where, name)
                yield Entry(_shown(path), path)
    for error in unreadable:
        yield Entry(_shown(error.filename), Path(error.filename), error.strerror or "it cannot be opened")


def _shown(path: str | Path) -> str:
    """A path as reports have it: relative to the working folder where it lies below it, with ``/``."""
    whole = Path(os.path.abspath(path))
    here = Path.cwd()
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def _is_there(path: str) -> bool:
    """Whether a path exists. One that cannot be looked at does: reading it will say what is wrong."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
