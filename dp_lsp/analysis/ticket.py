"""Stopping a check that nobody waits for any more."""

from __future__ import annotations

import time
from collections.abc import Callable


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
        if self.is_late:
            raise OutOfTime

    @property
    def is_late(self) -> bool:
        """Whether the deadline is over."""
        return self._deadline is not None and time.process_time() > self._deadline
