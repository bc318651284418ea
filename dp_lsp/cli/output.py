"""Writing to the streams of the process: reports, a line of progress on a terminal, logs; and what the exit codes of a
process are."""

from __future__ import annotations

import io
import logging
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import BinaryIO, TextIO

import click

from dp_lsp.cli.style import is_terminal, path_shown, printable, without_commands
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


# What a run says of itself while it lasts: a line on the terminal, and logs on standard error or in a file.

_PATIENCE = 1.0  # seconds before anything is shown of a check
_SOON = 0.5  # and of anything else
_PAUSE = 0.1  # seconds between two updates


class TerminalLine:
    """A line on a terminal that is written anew from time to time; nothing in a pipe, and nothing at first."""

    def __init__(self, patience: float = _SOON) -> None:
        self._next = time.monotonic() + patience if is_terminal(sys.stderr) else float("inf")
        self._shown = False

    def say(self, text: str) -> None:
        """Write it, if it is time to."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _PAUSE
            self._shown = True
            self._write(f"\r{text[:78]}\033[K")

    def done(self) -> None:
        """Take the line away."""
        if self._shown:
            self._write("\r\033[K")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:  # nobody looks any more
            self._next = float("inf")
            self._shown = False


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Says on the terminal what is done within, and for how long, where that takes a while."""
    if not is_terminal(sys.stderr):
        yield
        return
    line, began, over = TerminalLine(_PATIENCE), time.monotonic(), Event()

    def tell() -> None:
        while not over.wait(_PAUSE):
            line.say(f"{what}, {time.monotonic() - began:.0f} s")

    teller = Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
        line.done()


class RunProgress:
    """Shows which file of how many is being checked."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._number = 0
        self._path = ""
        self._definitions = 0
        self._line = TerminalLine(_PATIENCE)

    def file(self, path: str) -> None:
        """The next file is being checked."""
        self._number += 1
        self._path = printable(path)
        self.tick()

    def chunk(self, key: bytes) -> None:
        """The next definition is being checked."""
        self._definitions += 1
        self.tick()

    def tick(self) -> None:
        """Show how far the run is, if it is time to."""
        where = f"file {self._number} of {self._files}"
        self._line.say(f"checking {where}, {self._definitions} definitions: {self._path}")

    def done(self) -> None:
        """Take the line away."""
        self._line.done()


_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


def start_log(level: str, file: str | None) -> None:
    """Begin to log; a usage error if the file cannot be written."""
    try:
        handler = logging.FileHandler(file, encoding="utf-8") if file else logging.StreamHandler()
    except OSError as error:
        raise click.UsageError(f"--log-file {file}: {error.strerror}") from error
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())


def log_settings() -> tuple[int, str | None]:
    """The level and the file of the logs of this process, to be followed by another one."""
    root = logging.getLogger()
    files = [handler.baseFilename for handler in root.handlers if isinstance(handler, logging.FileHandler)]
    return root.level, files[-1] if files else None


def follow_log(level: int, file: str | None) -> None:
    """Log like another process."""
    logging.basicConfig(level=level, format=_FORMAT, filename=file, encoding="utf-8" if file else None)
