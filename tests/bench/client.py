"""A client without threads of its own while time is measured, so that what is measured is the server; only where memory
is, one looks at that."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .programs import Number

ROOT = Path(__file__).resolve().parents[2]
SERVER = (sys.executable, "-m", "dp_lsp", "server")
NULL_SERVER = (sys.executable, str(Path(__file__).with_name("null_server.py")))

Message = dict[str, Any]


class Client:
    """A session with a server process. Times are those of ``time.perf_counter``."""

    def __init__(self, command: tuple[str, ...] = SERVER, folder: Path | None = None) -> None:
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._ids = 0
        self._versions: dict[str, int] = {}
        self._diagnosed: dict[str, int] = {}  # the versions of the newest diagnostics
        root = None if folder is None else folder.as_uri()
        folders = [{"uri": root, "name": "bench"}] if root else None
        params = {"processId": None, "rootUri": root, "workspaceFolders": folders, "capabilities": {}}
        self.ask("initialize", params)
        self.notify("initialized", {})

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result."""
        asked = self.request(method, params)
        answer = self.until(lambda message: message.get("id") == asked)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def request(self, method: str, params: Any) -> int:
        """Send a request; returns its id."""
        self._ids += 1
        self._send({"id": self._ids, "method": method, "params": params})
        return self._ids

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The next message that is wanted; others are dropped."""
        while not wanted(message := self._receive()):
            pass
        return message

    def open(self, uri: str, text: str) -> None:
        """Open a document, or open it again with another text."""
        self._versions[uri] = self._versions.get(uri, 0) + 1
        language = "python" if uri.endswith(".py") else "julia"
        item = {"uri": uri, "languageId": language, "version": self._versions[uri], "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def edit(self, uri: str, number: Number, value: int) -> None:
        """Write another number in a document."""
        self.change(uri, {"range": number.range(), "text": f"{value:03}"})

    def change(self, uri: str, change: Message) -> int:
        """Edit a document; returns its version."""
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        return self._versions[uri]

    def version(self, uri: str) -> int:
        """The newest version of a document."""
        return self._versions[uri]

    def checked(self, uri: str, version: int) -> Any:
        """The status of a document once a version was checked."""
        return self.ask("dp/waitForCheck", {"uri": uri, "version": version})

    def diagnosed(self, uri: str) -> None:
        """Wait for the diagnostics of the newest version of a document."""
        while not self.is_diagnosed(uri):
            self._receive()

    def is_diagnosed(self, uri: str) -> bool:
        """Whether the diagnostics of the newest version of a document have come."""
        return self._diagnosed.get(uri) == self._versions[uri]

    def hover(self, uri: str, number: Number) -> Any:
        """What is shown at a number."""
        return self.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": number.position()})

    def memory(self) -> float | None:
        """MiB that the server and its children hold; None where the system does not tell."""
        process = self._process.pid
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
            return sum(map(_resident, [str(process), *children]))
        return None

    @contextlib.contextmanager
    def peak(self) -> Iterator[Callable[[], float]]:
        """What the server and all processes below it held at most since then, in MiB, pages that they share counted
        once; it is looked at every tenth of a second."""
        most, ended = [0.0], threading.Event()

        def look() -> None:
            while not ended.wait(_LOOKING):
                most[0] = max(most[0], sum(map(_proportional, _tree(str(self._process.pid)))))

        looking = threading.Thread(target=look, daemon=True)
        looking.start()
        try:
            yield lambda: most[0]
        finally:
            ended.set()
            looking.join()

    def computed(self) -> float:
        """Seconds that the server and its children have computed so far, those that have ended included."""
        process = self._process.pid
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
            return sum(map(_computed, [str(process), *children]))
        return 0.0

    def _send(self, message: Message) -> None:
        assert self._process.stdin
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> Message:
        stream = self._process.stdout
        assert stream
        length = 0
        while (header := stream.readline()).strip():
            name, _, value = header.partition(b":")
            length = int(value) if name == b"Content-Length" else length
        if not header:
            raise RuntimeError("the server has ended")
        message: Message = json.loads(stream.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self._diagnosed[message["params"]["uri"]] = message["params"].get("version", -1)
        return message


_LOOKING = 0.1


def _tree(process: str) -> list[str]:
    """A process and all below it."""
    children: list[str] = []
    with contextlib.suppress(OSError):
        for each in Path(f"/proc/{process}/task").glob("*/children"):
            children += each.read_text().split()
    return [process, *(each for child in children for each in _tree(child))]


def _proportional(process: str) -> float:
    """The memory of a process in MiB, of pages that others have, too, its share; 0 of one that has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0) / 1024


def _resident(process: str) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def _computed(process: str) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def timed(action: Callable[[], object]) -> float:
    """Milliseconds that an action takes."""
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1000
