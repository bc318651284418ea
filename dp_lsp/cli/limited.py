"""Ending a check that takes more time or memory than it may."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from dp_lsp.analysis.limits import PER_CHARACTER, Limits
from dp_lsp.analysis.ticket import OutOfTime, Ticket

_GRACE = 2.0  # seconds until a check is interrupted that does not look at its ticket
_AGAIN = 1.0  # and again


def seconds(limits: Limits, characters: int) -> float:
    """How many seconds of computing the check of so many characters may take."""
    return limits.time + characters * PER_CHARACTER


@contextmanager
def limited(limits: Limits, characters: int) -> Iterator[Ticket]:
    """What is done within ends with :class:`OutOfTime` or ``MemoryError`` if it takes more than it may: the sooner if
    it looks at the ticket."""
    most = seconds(limits, characters)
    with ExitStack() as stack:
        stack.enter_context(_memory(limits.memory))
        stack.enter_context(_alarm(most + _GRACE))
        yield Ticket(deadline=time.process_time() + most)


@contextmanager
def _alarm(after: float) -> Iterator[None]:
    """Interrupt what is done within after so many seconds of computing, where the system can do that, which is in the
    main thread only."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, after, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _memory(mebibytes: int) -> Iterator[None]:
    """Let no more be taken than this beside what is in use, where the system can do that."""
    with ExitStack() as stack:
        with suppress(ImportError, OSError, ValueError):
            import resource

            kind = resource.RLIMIT_AS
            before = resource.getrlimit(kind)
            most = (_in_use() + mebibytes * (1 << 20), *(each for each in before if each != resource.RLIM_INFINITY))
            resource.setrlimit(kind, (min(most), before[1]))
            stack.callback(resource.setrlimit, kind, before)
        yield


def _in_use() -> int:
    """How many bytes this process has; an error where that cannot be told."""
    with open("/proc/self/statm", encoding="ascii") as stream:
        return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
