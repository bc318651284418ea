"""A copy of the worker that looks at closed files from the other end of their list, where there is a processor for it.

The two tell each other nothing: each keeps what it finds out, and looks first whether that is kept already. So neither
has to wait for the other, nor to know whether it is still there, and what one does wrong the other one does not read.

It is a copy (``fork``) because it shares the memory with what it was copied from: the files that were found, the
options of each, all modules. Another process that is begun anew would hold as much once more.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable

_PATIENCE = 10  # what it is nicer by than a process that somebody waits for
_OURS = 3  # the first of the files that are open in the worker for its own use: pipes to who wants to know


class Helper:
    """Such a copy, at work from the beginning. ``work`` is what it does, given a function that tells whether nobody
    needs it any more. Raises OSError if there can be no process."""

    def __init__(self, work: Callable[[Callable[[], bool]], None]) -> None:
        parent = os.getpid()
        self._process = os.fork()
        if self._process == 0:
            with contextlib.suppress(BaseException):  # whatever is wrong: the other process comes to it as well
                os.nice(_PATIENCE)
                _close_ours()
                gc.freeze()  # to look through what is shared would make copies of it
                work(lambda: os.getppid() != parent)
            os._exit(0)

    def stop(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError, ChildProcessError):  # the system may not keep what has ended
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)


def _close_ours() -> None:
    """Let go of the pipes: who reads from one is told of its end only if nobody holds it any more."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) >= _OURS:
            with contextlib.suppress(OSError):  # the one by which they were listed
                os.close(int(name))


def has_room() -> bool:
    """Whether the system can copy a process, and has a processor for it. That of Apple can, but its libraries do not
    stand it."""
    return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
