"""A child process as a loop sees it: messages go in without waiting, and come out as calls on the loop."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import queue
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

import dp_lsp
from dp_lsp.analysis.records import ChunkRecord
from dp_lsp.worker.frames import Begun, Entered, Found, Message, Question, encode, receive

# -P keeps a `types.py` of the user's folder from being imported.
COMMAND = (sys.executable, "-P", "-m", "dp_lsp.worker")


class Outbox:
    """Bytes to a stream, written by a thread of its own, so that a slow reader delays nobody."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue some bytes. What a closed stream does not take is dropped."""
        self._waiting.put(data)

    def close(self) -> None:
        """Close the stream once all that is queued was written."""
        self._waiting.put(None)

    def wait(self, seconds: float) -> None:
        """Wait until the stream is closed, but not longer than this."""
        self._thread.join(seconds)

    def _run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while (data := self._waiting.get()) is not None:
                self._stream.write(data)
                self._stream.flush()
        with contextlib.suppress(OSError):
            self._stream.close()


Deliver = Callable[["Link", Message | None, dict[bytes, ChunkRecord]], None]


class Link:
    """One child process. ``deliver`` is called on the loop with each message, and with None at the end.

    Records come with the next message of another kind, be it the end, and the chunk that is being checked is only
    noted: a call for each would cost more than they do.
    """

    def __init__(self, deliver: Deliver, command: Sequence[str]) -> None:
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment())
        assert self._process.stdin and self._process.stdout
        self._outbox = Outbox(self._process.stdin)  # type: ignore[arg-type]
        self.chunk: bytes | None = None
        self.ready = False  # whether it has said anything
        self.heard = time.monotonic()
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def send(self, question: Question) -> None:
        """Send a message, without waiting."""
        self._outbox.write(encode(question))

    def kill(self) -> None:
        """End the process at once; its end is delivered as that of any other."""
        self._process.kill()

    @property
    def out_of_time(self) -> bool:
        """Whether the process was ended because it computed longer than it may, which it has the system see to."""
        return self._process.returncode == -getattr(signal, "SIGPROF", math.inf)

    def _read(self, stream: BinaryIO) -> None:
        fresh: dict[bytes, ChunkRecord] = {}
        with contextlib.suppress(RuntimeError):  # the loop has ended before us
            while (message := receive(stream)) is not None:
                self.heard, self.ready = time.monotonic(), True
                match message:
                    case Entered(key):
                        self.chunk = key
                    case Found(record):
                        fresh[record.key] = record
                    case _:
                        if isinstance(message, Begun):
                            self.chunk = None
                        self._loop.call_soon_threadsafe(self._deliver, self, message, fresh)
                        fresh = {}
            self._outbox.close()
            self._process.kill()  # it may have closed its output only
            self._process.wait()
            self._loop.call_soon_threadsafe(self._deliver, self, None, fresh)


def _environment() -> dict[str, str]:
    """Ours, and where this package is found if it is not installed."""
    root = str(Path(dp_lsp.__file__).parent.parent)
    if root in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        return dict(os.environ)
    paths = filter(None, [os.environ.get("PYTHONPATH"), root])
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
