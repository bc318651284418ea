"""The worker process: checks the texts it is sent, until its input ends.

One thread reads requests and stores the newest number of each document; the main thread checks. The end of
the input ends the process at once, whatever it is doing, so that none outlives its parent.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from functools import partial
from typing import BinaryIO

from dp_lsp.analysis.records import Analysis, ChunkRecord
from dp_lsp.analysis.ticket import OutOfTime, Superseded, Ticket
from dp_lsp.engine.check import Engine
from dp_lsp.worker.frames import (
    Answer,
    Begun,
    Check,
    Entered,
    Failed,
    Finished,
    Forget,
    Found,
    Ready,
    Stopped,
    encode,
    receive,
)

# More than any real file needs; beyond it the machine would suffer, so the check fails instead. In bytes.
_MEMORY = 4 << 30

_log = logging.getLogger(__name__)


class Inbox:
    """The newest request of each document, in the order they came."""

    def __init__(self) -> None:
        self._waiting: dict[str, Check | Forget] = {}
        self._newest: dict[str, int] = {}
        self._arrived = threading.Condition()

    def fill(self, stream: BinaryIO) -> None:
        """Read requests until the stream ends, then end the process."""
        while (message := receive(stream)) is not None:
            if isinstance(message, Check | Forget):
                with self._arrived:
                    self._newest[message.document] = message.number
                    self._waiting[message.document] = message
                    self._arrived.notify()
        os._exit(0)

    def take(self) -> Check | Forget:
        """The oldest request that nothing superseded, waited for."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._waiting)
            return self._waiting.pop(next(iter(self._waiting)))

    def superseded(self, request: Check) -> bool:
        """Whether a newer request for the same document has come."""
        return self._newest[request.document] != request.number


class Service:
    """Checks with one engine, and knows which records of each document the other side has."""

    def __init__(self, inbox: Inbox, out: BinaryIO) -> None:
        self._inbox = inbox
        self._out = out
        self._engine = Engine()
        self._sent: dict[str, dict[bytes, ChunkRecord]] = {}

    def send(self, message: Answer) -> None:
        self._out.write(encode(message))
        self._out.flush()

    def serve(self) -> None:
        """Answer requests for ever."""
        self.send(Ready())
        while True:
            request = self._inbox.take()
            if isinstance(request, Forget):
                self._sent.pop(request.document, None)
                self._engine.forget(request.document)
            else:
                self._check(request)

    def _check(self, request: Check) -> None:
        self.send(Begun(request.number, request.document))
        ticket = Ticket(partial(self._inbox.superseded, request), time.monotonic() + request.limit)
        began = time.perf_counter()
        try:
            analysis = self._engine.check(
                request.text,
                request.options,
                ticket,
                lambda key: self.send(Entered(key)),
                request.refused,
                request.document,
            )
        except Superseded:
            self.send(Stopped(request.number, request.document))
        except OutOfTime:
            self.send(Failed(request.number, request.document, True, ""))
        except BrokenPipeError:
            raise
        except Exception as error:  # a bug of ours, or no memory: the other documents must not suffer
            _log.error("a check failed: %s", type(error).__name__, exc_info=_log.isEnabledFor(logging.DEBUG))
            self._engine = Engine()  # its memo may be half made, or too large
            self.send(Failed(request.number, request.document, False, type(error).__name__))
        else:
            self._answer(request, analysis, time.perf_counter() - began)

    def _answer(self, request: Check, analysis: Analysis, seconds: float) -> None:
        known = self._sent.get(request.document, {})
        records = {placed.record.key: placed.record for placed in analysis.chunks}
        for key, record in records.items():
            if known.get(key) is not record:
                self.send(Found(record))
        self._sent[request.document] = records
        layout = tuple((placed.start, placed.length, placed.record.key) for placed in analysis.chunks)
        engine = self._engine
        self.send(Finished(request.number, request.document, layout, seconds, engine.parsed, engine.inferred))


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Input and output for frames alone: what anything else prints goes to standard error."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return source, sink


def _limit_memory() -> None:
    """Let a runaway check fail with ``MemoryError``, where the system can do that."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        mine = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
        resource.setrlimit(resource.RLIMIT_AS, (mine, most))


def main() -> None:
    """Run until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, whose end is ours
    source, sink = _own_streams()
    _limit_memory()
    inbox = Inbox()
    threading.Thread(target=inbox.fill, args=(source,), daemon=True).start()
    with contextlib.suppress(Exception):  # it would fail again when somebody asks, and be reported then
        Engine().check("warm_up(x) = x\n")  # what is imported late is imported before anybody waits
    with contextlib.suppress(BrokenPipeError):
        Service(inbox, sink).serve()


if __name__ == "__main__":
    main()
