"""What a process and its worker say to each other: pickled messages with their length in front;
and a child process as a loop sees it (:class:`WorkerLink`).

Both ends are the same version of the same program, and a frame is read only from one's own parent or child,
so a pickle is safe here and nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import dp_lsp
from dp_lsp.analysis.closed import ClosedReport, IncludeEdit
from dp_lsp.analysis.loading import Faulty
from dp_lsp.analysis.records import ChunkRecord, Explanation, Options, Repair, Wish
from dp_lsp.analysis.rows import Plotted
from dp_lsp.analysis.workspace import ClosedFile
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem

if TYPE_CHECKING:
    from dp_lsp.configuration.keys import Configuration


_LENGTH = struct.Struct(">Q")


class Look(NamedTuple):
    """The disk may have changed; these folders may be read. ``wishes`` count where there is no configuration. ``kept``
    are configurations that were valid, by the path of their file: they stay in force if they are not any more.
    ``survey`` is how many seconds a check of files may compute that are not open, and 0 if none is wanted; ``barred``
    are the roots of projects of these that ended a process. ``number`` is what :class:`Surveying` refers to."""

    folders: tuple[str, ...]
    wishes: tuple[Wish, ...] = ()
    kept: tuple[tuple[str, Configuration], ...] = ()
    survey: float = 0.0
    barred: frozenset[str] = frozenset()
    number: int = 0


class OpenedText(NamedTuple):
    """The text of a document that is open, or its newer text. ``file`` is its name in a check, ``language`` the id of
    the one it is written in."""

    document: str
    file: str
    revision: int
    text: str
    language: str


class Learn(NamedTuple):
    """What a process before found out in an open document; without a document, in checks that did not end. The
    other side has these records."""

    document: str
    records: tuple[ChunkRecord, ...]


class CheckOrder(NamedTuple):
    """Check what a document is part of. A later number for the same document supersedes it; ``limit`` is in seconds of
    computing.

    ``others`` are documents that were checked together with it before. With ``repair``, the fixes of what is found are
    tried afterwards."""

    number: int
    document: str
    others: frozenset[str]
    options: Options
    refused: frozenset[bytes]
    limit: float
    repair: bool = True


class Wanted(Enum):
    """What may be derived of a document's newest text."""

    EXPLANATION = "what led to the bounds of what stands at an offset"
    WITNESS = "which inputs show the problem at an offset"
    PLOTS = "the plots of its functions"


Derivable = Explanation | str | tuple[Plotted, ...] | tuple[IncludeEdit, ...]
"""One for each of :class:`Wanted`, and one for :class:`MovedPaths`."""


class Derive(NamedTuple):
    """Find out what is wanted of a document's newest text. It waits for checks, also for one that comes later."""

    number: int
    document: str
    offset: int
    options: Options
    limit: float
    wanted: Wanted


class MovedPaths(NamedTuple):
    """Which paths in files must be others once these files and folders have other names: from what to what."""

    number: int
    moves: tuple[tuple[str, str], ...]
    limit: float


class Withdraw(NamedTuple):
    """Nobody wants any more what was to be derived under this number."""

    number: int


class Hasten(NamedTuple):
    """Somebody waits for what is awaited of the record with this key: it comes before the others."""

    key: bytes


class Spare(NamedTuple):
    """The numbers of a document need not become smaller by what is being asked about them; it is not asked again."""

    document: str


class Forget(NamedTuple):
    """The document is closed: stop checking it, and forget what was sent of it."""

    number: int
    document: str


class WorkerReady(NamedTuple):
    """The worker has loaded all it needs."""


class Begun(NamedTuple):
    """The check with this number has begun, or goes on with another project; that may take so many seconds."""

    number: int
    document: str
    limit: float


class Entered(NamedTuple):
    """The chunk with this key is about to be inferred."""

    key: bytes


class FoundRecord(NamedTuple):
    """What was found out about a chunk. It comes as soon as it is known, and again at the end of a check if that needs
    it and the other side may not have it any more. What takes longer to find out may be awaited: after the check, the
    record comes again with all of it."""

    record: ChunkRecord


class FirstProblems(NamedTuple):
    """What a check that goes on has found so far to be wrong with a document's revision of which nothing was known: at
    the places in its text, and without those in other pieces of text. All of it is found at the end, too."""

    document: str
    revision: int
    problems: tuple[Problem, ...]


class CheckedDocuments(NamedTuple):
    """A document was checked at a revision, with these options: (start, length, key) of each chunk."""

    document: str
    revision: int
    options: Options
    layout: tuple[tuple[int, int, bytes], ...]


class NewConfiguration(NamedTuple):
    """The configurations that are in force, and what is wrong with others, by the paths of their files."""

    kept: dict[str, Configuration]
    faulty: dict[str, Faulty]


class Finished(NamedTuple):
    """The check has ended: of which documents, in which projects (the names of their files), the documents that were
    open among them, by their files, the closed files that the other side does not know so, the seconds taken, what the
    engine counted, and which configurations are in force or faulty, if that is news."""

    number: int
    document: str
    checked: tuple[CheckedDocuments, ...]
    projects: tuple[tuple[str, ...], ...]
    opened: dict[str, str]
    closed: dict[str, ClosedFile]
    seconds: float
    parsed: int
    inferred: int
    configured: NewConfiguration | None = None


class Stopped(NamedTuple):
    """The check was superseded. What it found out until then is told and remembered."""

    number: int
    document: str


class Failed(NamedTuple):
    """The check ended without a result: out of time, or by an exception of this name. ``waited`` says that it spent
    much of its time waiting for a machine that was busy with something else."""

    number: int
    document: str
    out_of_time: bool
    exception: str
    waited: bool = False


class Detailed(NamedTuple):
    """Records have come with all that was awaited of them: those of a document as it was checked last, or the first of
    these. If that failed, it was by an exception of this name."""

    document: str
    exception: str = ""


class Repaired(NamedTuple):
    """The fixes of a document's revision that were tried, after its last check, and are good. It comes once for each
    :class:`CheckedDocuments`, unless another comes before."""

    document: str
    revision: int
    repairs: tuple[Repair, ...]


class Asking(NamedTuple):
    """What was checked because of a document has numbers that may become smaller; whether they do is being found out.
    That may take long, and ends before anything else is begun."""

    document: str


class Told(NamedTuple):
    """That has ended. ``better`` says that a check of the document may have another result now."""

    document: str
    better: bool


class Surveying(NamedTuple):
    """It is being found out what is wrong with the project of closed files that has this root, or an empty name if none
    is left; ``left`` of ``total`` are to be looked at. ``number`` is that of the last :class:`Look` or :class:`Forget`
    that it takes account of."""

    root: str
    left: int
    total: int
    number: int


class Surveyed(NamedTuple):
    """What is known now of files that are not open; None of one that is not there any more."""

    files: dict[str, ClosedReport | None]


class Derived(NamedTuple):
    """What was to be derived; None if nothing stands there, or nothing was found out in time."""

    number: int
    found: Derivable | None


Question = Look | OpenedText | Learn | CheckOrder | Derive | MovedPaths | Withdraw | Hasten | Spare | Forget
Answer = (
    WorkerReady
    | Begun
    | Entered
    | FoundRecord
    | FirstProblems
    | Finished
    | Stopped
    | Failed
    | Detailed
    | Repaired
    | Asking
    | Told
    | Derived
    | Surveying
    | Surveyed
)
Message = Question | Answer


def encode(message: Message) -> bytes:
    """A message as a frame."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


def receive(stream: BinaryIO) -> Message | None:
    """The next message, waited for; None at the end of the stream, also if it ends inside a frame."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    if len(body) < length:
        return None
    message: Message = pickle.loads(body)
    return message


# A child process as a loop sees it: messages go in without waiting, and come out as calls on the loop.

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


Deliver = Callable[["WorkerLink", Message | None, dict[bytes, ChunkRecord]], None]


class WorkerLink:
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
                    case FoundRecord(record):
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
