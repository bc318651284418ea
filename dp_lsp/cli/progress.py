"""A line on the terminal that says what a long run is doing."""

from __future__ import annotations

import sys
import time

from dp_lsp.cli.style import is_terminal, printable

_PATIENCE = 1.0  # seconds before anything is shown
_PAUSE = 0.1  # seconds between two updates


class Progress:
    """Shows which file of how many is being checked; nothing in a pipe, and nothing in the first second."""

    def __init__(self, files: int) -> None:
        self._files = files
        self._number = 0
        self._path = ""
        self._definitions = 0
        self._next = time.monotonic() + _PATIENCE if is_terminal(sys.stderr) else float("inf")
        self._shown = False

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
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _PAUSE
            self._shown = True
            where = f"file {self._number} of {self._files}"
            text = f"checking {where}, {self._definitions} definitions: {self._path}"
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
