"""A client that speaks to the server in raw bytes, so that it can also say what no proper client would."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from source_tree import ROOT

PATIENCE = 300.0  # seconds; nothing takes that long unless it hangs, also on a busy machine
COMMAND = (sys.executable, "-m", "dp_lsp")

Message = dict[str, Any]


class Driver:
    """A server process on pipes. ``seen`` holds all that came from it, in order."""

    def __init__(self, *options: str, command: tuple[str, ...] = COMMAND, cwd: Path = ROOT) -> None:
        self.process = subprocess.Popen(
            [*command, "server", *options],
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.seen: list[Message] = []
        self._arrived: queue.Queue[Message | None] = queue.Queue()
        self._ids = 0
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream
        length = 0
        while header := stream.readline():
            name, _, value = header.partition(b":")
            if name == b"Content-Length":
                length = int(value)
            elif not header.strip():
                self._arrived.put(json.loads(stream.read(length)))
        self._arrived.put(None)

    def raw(self, data: bytes) -> None:
        """Send some bytes."""
        assert self.process.stdin
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send(self, message: Any) -> None:
        """Send a message with its header."""
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any = None) -> Message:
        """Send a request and wait for its answer."""
        self._ids += 1
        asked = self._ids
        self.send({"jsonrpc": "2.0", "id": asked, "method": method, "params": params})
        return self.wait(lambda message: message.get("id") == asked and "method" not in message)

    def wait(self, wanted: Callable[[Message], bool]) -> Message:
        """The next message from the server that is wanted."""
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._arrived.get(timeout=max(0.01, deadline - time.monotonic()))
            assert message is not None, "the server has ended"
            self.seen.append(message)
            if wanted(message):
                return message

    def start(self, *folders: Path, **capabilities: Any) -> Message:
        """Begin a session in these workspace folders, and return the answer to ``initialize``."""
        listed = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders] or None
        params = {"processId": None, "rootUri": None, "workspaceFolders": listed, "capabilities": capabilities}
        answer = self.ask("initialize", params)
        self.notify("initialized", {})
        return answer

    def open(self, text: str, uri: str = "file:///tmp/a.jl", language: str = "julia") -> None:
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, version: int, *changes: Message, uri: str = "file:///tmp/a.jl") -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def checked(self, version: int, uri: str = "file:///tmp/a.jl") -> Message:
        """The status of a document once a version was checked."""
        return self.ask("dp/waitForCheck", {"uri": uri, "version": version})["result"]

    def show_progress(self) -> None:
        """Answer all that the server asks to show: it asks again where the next check takes long. What it asked for
        while a check ended comes after that was told."""
        answered = -1
        while answered < len(asked := [message for message in self.seen if is_creation(message)]):
            for request in asked[max(0, answered) :]:
                self.send({"jsonrpc": "2.0", "id": request["id"], "result": None})
            answered = len(asked)
            self.ask("dp/nothing")

    def published(self) -> list[Message]:
        """The diagnostics published so far."""
        return [m["params"] for m in self.seen if m.get("method") == "textDocument/publishDiagnostics"]

    def exit_code(self) -> int:
        """Wait for the end of the process."""
        return self.process.wait(PATIENCE)


def is_creation(message: Message) -> bool:
    """Whether the server asks a client to show progress, as it does when a check takes long."""
    return message.get("method") == "window/workDoneProgress/create"


def children(process: int) -> set[int]:
    """The processes that a process has started and that run; only where the system tells by files."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == process and state != "Z":
                found.add(int(status.parent.name))
    return found


def gone(process: int) -> bool:
    """Whether a process ends before we lose patience."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if f"{process}" in Path(f"/proc/{process}/stat").read_text() and _is_zombie(process):
            return True
        time.sleep(0.02)
    return False


def _is_zombie(process: int) -> bool:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
