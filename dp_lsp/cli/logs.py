"""Logs: on standard error, or in a file."""

from __future__ import annotations

import logging

import click


def start(level: str, file: str | None) -> None:
    """Begin to log; a usage error if the file cannot be written."""
    try:
        handler = logging.FileHandler(file, encoding="utf-8") if file else logging.StreamHandler()
    except OSError as error:
        raise click.UsageError(f"--log-file {file}: {error.strerror}") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
