"""The checking process without a server in front of it."""

from __future__ import annotations

import os
import subprocess
import threading
from typing import BinaryIO, cast

from dp_lsp.analysis.records import Options
from dp_lsp.worker.frames import (
    COMMAND,
    CheckOrder,
    Failed,
    Finished,
    Message,
    OpenedText,
    WorkerReady,
    encode,
    receive,
)

from .client import ROOT

_PATIENCE = 30.0  # seconds


class Worker:
    """A checking process that is asked about one document. It is killed when an answer takes too long."""

    def __init__(self) -> None:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(COMMAND, env=environment, stdin=pipe, stdout=pipe)
        self._asked = 0
        self.seconds = 0.0  # that the last check took which ended
        self.until(WorkerReady)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def check(self, text: str) -> None:
        """Have a text checked instead of the one before."""
        self._asked += 1
        assert self._process.stdin
        self._process.stdin.write(encode(OpenedText("a", "a", self._asked, text, "julia")))
        self._process.stdin.write(encode(CheckOrder(self._asked, "a", frozenset(), Options(), frozenset(), _PATIENCE)))
        self._process.stdin.flush()

    def until(self, *kinds: type[Message]) -> Message | None:
        """The next answer of these kinds; None if the check fails or takes too long."""
        stream = cast(BinaryIO, self._process.stdout)
        timer = threading.Timer(_PATIENCE, self._process.kill)
        timer.start()
        try:
            while (message := receive(stream)) and not isinstance(message, (*kinds, Failed)):
                pass
        finally:
            timer.cancel()
        if isinstance(message, Finished):
            self.seconds = message.seconds
        return None if isinstance(message, Failed) else message
