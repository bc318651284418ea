"""Logs: on standard error, or in a file."""

from __future__ import annotations

import logging

import click

_FORMAT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"


def start(level: str, file: str | None) -> None:
    """Begin to log; a usage error if the file cannot be written."""
    try:
        handler = logging.FileHandler(file, encoding="utf-8") if file else logging.StreamHandler()
    except OSError as error:
        raise click.UsageError(f"--log-file {file}: {error.strerror}") from error
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())


def started() -> tuple[int, str | None]:
    """The level and the file of the logs of this process, to be followed by another one."""
    root = logging.getLogger()
    files = [handler.baseFilename for handler in root.handlers if isinstance(handler, logging.FileHandler)]
    return root.level, files[-1] if files else None


def follow(level: int, file: str | None) -> None:
    """Log like another process."""
    logging.basicConfig(level=level, format=_FORMAT, filename=file, encoding="utf-8" if file else None)
