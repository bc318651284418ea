"""Writing to the streams of the process, and what the exit codes of a process are."""

from __future__ import annotations

import io
import os
import stat
import sys
from contextlib import suppress
from typing import BinaryIO, TextIO

import click

from dp_lsp.cli.style import path_shown, without_commands
from dp_lsp.disk.loader import is_below

FINDINGS = 1
USAGE = 2
INTERNAL = 101
INTERRUPTED = 130
MEANINGS = {
    0: "every file was checked; every function is proved, or unknown only by what a person accepted",
    FINDINGS: "there is an error, or something is unknown",
    USAGE: "wrong usage or configuration, a path that does not exist, or output that could not be written",
    INTERNAL: "a bug in dp-lsp; what it concerns is reported as unknown",
    INTERRUPTED: "interrupted",
}
"""What the exit codes of a check say."""


def write(text: str, file: str | None = None, colour: bool = False) -> int:
    """Write a report to standard output, or to ``file``; the exit code of that, after saying why. A build server finds
    no command in it: formats that can write one otherwise have done so."""
    text = without_commands(text)
    try:
        if file is not None:
            demand_here(file)
            with open(file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
                stream.write(text)
        elif sys.stdout is None:
            complain("standard output is closed")
            return USAGE
        else:
            click.echo(text, nl=False, color=colour)
    except BrokenPipeError:  # the reader has seen enough, and wants no message
        return USAGE
    except OSError as error:
        complain(f"{file or 'standard output'}: {error.strerror}")
        return USAGE
    return 0


def leads_away(file: str) -> bool:
    """Whether a file in the working folder is written through a link that leads out of it. That folder may hold what
    somebody else made, such as a pull request, and it must not say which file is written over."""
    here = os.getcwd()
    return is_below(os.path.abspath(file), here) and not is_below(os.path.realpath(file), os.path.realpath(here))


def demand_here(file: str) -> None:
    """Refuse a file that leads away. Raises OSError."""
    if leads_away(file):
        raise OSError(0, "it leads out of this folder by a link; name the file that is meant")


def replace(path: str, data: bytes) -> None:
    """Write a file so that whoever reads it sees the old one or the new one, whole. Raises OSError."""
    stream, beside = begun_beside(path)
    try:
        with stream:
            stream.write(data)
        put_in_place(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def begun_beside(path: str) -> tuple[BinaryIO, str]:
    """A new file in the same folder, and its name."""
    import tempfile  # hardly anybody needs it, and it takes as long to load as half of the others

    handle, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".dp-lsp-", suffix=".tmp")
    return open(handle, "wb"), beside


def put_in_place(beside: str, path: str) -> None:
    """Make a file the one of that name, with its permissions."""
    try:
        os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)  # as if it had been opened in the ordinary way
    os.replace(beside, path)


def complain(message: str) -> None:
    """Say what is wrong on standard error, if anybody listens."""
    point(f"Error: {message}")


def aside(text: str) -> None:
    """Write what belongs elsewhere, and cannot be written there, to standard error."""
    with suppress(OSError):
        click.echo(without_commands(text), nl=False, err=True)


def point(line: str) -> None:
    """Write a line that begins with a place to standard error, if anybody listens. Nothing in it steers a terminal or
    a build server."""
    with suppress(OSError):
        click.echo(without_commands(path_shown(line)), err=True)


def speak_utf8() -> None:
    """UTF-8 wherever it goes. A file name that is not Unicode is written with escapes, never an exception."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def finish() -> bool:
    """Write what is still waiting to be written; whether that went well.

    What cannot be written is forgotten: the interpreter would try again at its end, and change the exit code.
    """
    well = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            well = False
            _point_at_nothing(stream)
    return well


def _point_at_nothing(stream: TextIO) -> None:
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
