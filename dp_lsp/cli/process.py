"""The edge of the process: exit codes, and everything that can go wrong with its streams."""

from __future__ import annotations

import io
import logging
import os
import sys
from contextlib import suppress
from typing import TextIO

import click

USAGE = 2
INTERNAL = 101
INTERRUPTED = 130

logger = logging.getLogger("dp_lsp")


class CannotWrite(click.ClickException):
    """Output that could not be written."""

    exit_code = USAGE


def run(argv: list[str] | None) -> int:
    """Run a command; the exit code is the contract's, whatever happens."""
    _speak_utf8()
    try:
        code = _command(argv)
    except KeyboardInterrupt:
        code = INTERRUPTED
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        code = max(code, USAGE)
    if code:
        _forget_unwritten()
    return code


def write(text: str, file: str | None = None, colour: bool = False) -> None:
    """Write a report to standard output, or to ``file``; raises :class:`CannotWrite`."""
    try:
        if file is not None:
            with open(file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
                stream.write(text)
        elif sys.stdout is None:
            raise CannotWrite("standard output is closed")
        else:
            click.echo(text, nl=False, color=colour)
    except BrokenPipeError:
        raise SystemExit(USAGE) from None  # the reader has seen enough, and wants no message
    except OSError as error:
        raise CannotWrite(f"{file or 'standard output'}: {error.strerror}") from error


def _command(argv: list[str] | None) -> int:
    from dp_lsp.cli.commands import root

    try:
        return int(root.main(args=argv, prog_name="dp-lsp", standalone_mode=False) or 0)
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return USAGE
    except SystemExit as end:  # the output is a pipe that was closed; click says 1 if it was printing help
        return USAGE if end.code else 0
    except Exception as error:
        logger.debug("internal error", exc_info=True)
        with suppress(OSError):
            click.echo(f"internal error: {type(error).__name__}; --log-level debug says more", err=True)
        return INTERNAL


def _speak_utf8() -> None:
    """UTF-8 wherever it goes. A file name that is not Unicode is written with escapes, never an exception."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _forget_unwritten() -> None:
    """Leave nothing for the interpreter to flush at its end, where failing would change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            _point_at_nothing(stream)


def _point_at_nothing(stream: TextIO) -> None:
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
