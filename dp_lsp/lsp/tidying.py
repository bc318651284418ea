"""Looking for memory that nobody needs at moments when nobody waits: going through all that a server remembers takes
longer than an answer may."""

from __future__ import annotations

import asyncio
import gc

_LITTER = 100  # checks between looks
_QUIET = 1.0  # seconds without one before it is done


class Tidying:
    """Takes over from Python when all memory is looked through."""

    def __init__(self) -> None:
        self._litter = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """What is there now stays, and of what comes only the newest is looked at without being asked."""
        gc.freeze()
        gc.set_threshold(5_000, 5, 1_000)

    def worked(self) -> None:
        """A check has ended, and what was known before it is litter."""
        self._litter += 1
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._litter >= _LITTER:
            self._timer = asyncio.get_running_loop().call_later(_QUIET, self._tidy)

    def _tidy(self) -> None:
        self._litter = 0
        gc.collect()
