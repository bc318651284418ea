"""A checking process that dies again and again: no text is lost, and nothing false is said."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterator

import pytest

from dp_lsp.analysis.records import State
from dp_lsp.engine.check import Engine
from source_tree import ROOT
from stdio_driver import Driver, Message, children
from typist import Typist

KILLS = 50
LONGEST_WAIT = 0.06  # seconds between an edit and a kill: at times before the check, in it, and after it
PROGRAM = (ROOT / "fixtures" / "programs" / "dp_sgd.jl").read_text(encoding="utf-8")

posix = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes through /proc")


@pytest.fixture
def session() -> Iterator[Driver]:
    with Driver() as driver:
        driver.start(experimental={"dpFileStatus": True})
        driver.open(PROGRAM)
        driver.checked(1)
        yield driver


def shown(text: str) -> list[Message]:
    """What a server says of the functions of a text that has seen nothing else."""
    with Driver() as fresh:
        fresh.start()
        fresh.open(text)
        return list(fresh.checked(1)["functions"])


def proved_in(engine: Engine, text: str) -> set[str]:
    return {function.name for function in engine.check(text).functions if function.state is State.PROVED}


@posix
def test_a_worker_that_is_killed_at_random_moments(session: Driver) -> None:
    typist, source = Typist(PROGRAM, "faults"), random.Random("faults")
    texts = {1: PROGRAM}
    for version in range(2, KILLS + 2):
        change = typist.paste(PROGRAM) if version % 10 == 0 else typist.edit()
        texts[version] = change.text
        session.change(version, change.message)
        time.sleep(source.uniform(0, LONGEST_WAIT))
        for worker in children(session.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
    last = session.checked(version)
    engine = Engine()
    proved = {number: proved_in(engine, text) for number, text in texts.items()}
    told = [message["params"] for message in session.seen if message.get("method") == "dp/fileStatus"]
    assert len(told) > KILLS
    for status in told:
        said = {each["name"] for each in status["functions"] if each["status"] == State.PROVED}
        assert said <= proved[status["version"]], status["version"]
    session.ask("workspace/executeCommand", {"command": "dp-lsp.restart", "arguments": []})
    session.change(version + 1, {"text": typist.text + "\n"})
    assert session.checked(version + 1)["functions"] == shown(typist.text + "\n")
    assert last["version"] == version


@posix
def test_the_next_check_succeeds(session: Driver) -> None:
    for version in range(2, 8):
        (worker,) = children(session.process.pid)
        os.kill(worker, signal.SIGKILL)
        session.change(version, {"text": PROGRAM + "\n" * version})
        assert session.checked(version)["status"] == "assumed"
