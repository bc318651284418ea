"""A process that checks projects for another one, until that closes its end of the pipe."""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from typing import BinaryIO

from dp_lsp.analysis.records import Options
from dp_lsp.cache.results import lighter
from dp_lsp.cli import logs
from dp_lsp.cli.jobs import Done, Job, Setup
from dp_lsp.cli.running import Run
from dp_lsp.disk.snapshot import Snapshot


def main() -> None:
    """Read a setup and jobs from standard input, and write what was found out of each to standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed by mistake is no answer
    setup: Setup = pickle.load(sys.stdin.buffer)
    logs.follow(*setup.log)
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, waiting), daemon=True).start()
    options: dict[str, Options] = {}
    run = Run(setup.disk, options.__getitem__, setup.request)
    while True:
        job = waiting.get()
        options.clear()
        options.update(job.options)
        pickle.dump(_checked(job, run, setup), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _checked(job: Job, run: Run, setup: Setup) -> Done:
    files = Snapshot(setup.disk, job.seen)
    found = run.project(job.root, job.seen.texts, files)
    pieces = {name: (each.options, tuple(map(lighter, each.chunks))) for name, each in found.items()}
    return Done(pieces, files.strayed, run.records(job.root))


def _read(stream: BinaryIO, waiting: queue.SimpleQueue[Job]) -> None:
    """Take jobs in. The end of them ends the process at once, so that it does not outlive who wants to know."""
    try:
        while True:
            waiting.put(pickle.load(stream))
    except (EOFError, OSError):
        os._exit(0)
