"""What a check may take, and how one is stopped that nobody waits for (a cancellation token: :class:`Ticket`). What
takes more is ended, and what it was about is unknown."""

from __future__ import annotations

import time
from collections.abc import Callable

from dp_lsp.named import NamedTuple


class Limits(NamedTuple):
    """``time`` is in seconds, for a file with all it includes, and more for a long text; ``characters`` are of one
    file; ``memory`` is in MiB, where the system can hold a process to that."""

    time: int = 60
    characters: int = 1 << 24
    memory: int = 4096

    def lowered(self, to: Limits) -> Limits:
        """The lower one of each."""
        return Limits(*map(min, self, to))


MOST = Limits()
"""What nobody asked to change. A configuration, which may be part of what is checked, can only lower it."""
EVER = Limits(time=86_400, characters=1 << 24, memory=1 << 20)
"""What a user can ask for."""
PER_CHARACTER = 1 / 20_000
"""Seconds that a check may take more for each character of a text: several times what it needs on a slow machine."""


# Stopping a check that nobody waits for any more.


class Superseded(Exception):
    """A newer request made this one useless."""


class OutOfTime(Exception):
    """The check took more computing time than it may."""


class Ticket:
    """Handed down through a check, which looks at it every few hundred steps. Its deadline is one of computing time,
    which goes on only while this process runs: that a machine is busy with something else proves nothing."""

    def __init__(self, superseded: Callable[[], bool] = lambda: False, deadline: float | None = None) -> None:
        self._superseded = superseded
        self._deadline = deadline

    def look(self) -> None:
        """Go on, or raise :class:`Superseded` or :class:`OutOfTime`. The deadline is a ``time.process_time`` value."""
        if self._superseded():
            raise Superseded
        if self._deadline is not None and self.is_late:
            raise OutOfTime

    @property
    def is_late(self) -> bool:
        """Whether the deadline is over."""
        return self._deadline is not None and time.process_time() > self._deadline
