"""Trying fixes in the checking process: it comes last, stops for anything else, and harms nothing if it fails."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dp_lsp.analysis.records import Options, Repair, State
from dp_lsp.text import Source
from dp_lsp.worker.client import Outcome, Worker
from test_worker import PATIENCE, PUPPET, state

# Every text has a problem with a fix. What is tried does as the text says after "try".
TRYING = PUPPET.replace(
    "projects.Engine = Engine",
    """
from dp_lsp.problem import Fix, Problem, Severity
from dp_lsp.text import Span

class Trying(Engine):
    def record(self, key, state):
        fixed = not key.startswith(b"try")
        problem = Problem("DP399", "made-up", Severity.INFORMATION, "wrong", Span(0, 0), (), (Fix("mend", ()),))
        return ChunkRecord(key, Verdict(state, (), () if fixed else (problem,), (), frozenset()))

    def trial(self, root, files, options, ticket):
        with open(sys.argv[1], "a") as begun:
            begun.write("tried\\n")
        self.act(files.text(root).content.strip().removeprefix("try "), ticket)
        return self.project(root, files, options, ticket, lambda key: None, ())

projects.Engine = Trying""",
)


class Client:
    """A worker with what it reports, in order. Each trial is written down in a file before it is made."""

    def __init__(self, trials: Path) -> None:
        self._trials = trials
        self._told: asyncio.Queue[Outcome | tuple[int, tuple[Repair, ...]]] = asyncio.Queue()
        self.worker = Worker(
            self._told.put_nowait,
            command=[sys.executable, "-c", TRYING, str(trials)],
            mended=lambda _, revision, repairs: self._told.put_nowait((revision, repairs)),
        )
        self._revision = 0

    def check(self, text: str) -> int:
        self._revision += 1
        self.worker.update("a", "a", self._revision, Source(text))
        self.worker.check("a", Options())
        return self._revision

    async def outcome(self) -> Outcome:
        told = await asyncio.wait_for(self._told.get(), PATIENCE)
        assert isinstance(told, Outcome), told
        return told

    async def mended(self) -> tuple[int, tuple[Repair, ...]]:
        told = await asyncio.wait_for(self._told.get(), PATIENCE)
        assert not isinstance(told, Outcome), told
        return told

    @property
    def trials(self) -> int:
        """How many trials have begun."""
        return self._trials.read_text().count("tried") if self._trials.exists() else 0

    @property
    def process(self) -> int:
        assert self.worker._link
        return self.worker._link._process.pid


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    made = Client(tmp_path / "trials")
    yield made
    made.worker.close()


async def tried(client: Client, text: str) -> None:
    """Check a text, and wait until its fixes are being tried."""
    client.check(text)
    assert state(await client.outcome()) is State.PROVED
    async with asyncio.timeout(PATIENCE):
        while not client.trials:
            await asyncio.sleep(0.01)


async def test_what_is_good_comes_after_the_answer(client: Client) -> None:
    revision = client.check("a\n")
    assert state(await client.outcome()) is State.PROVED
    assert await client.mended() == (revision, ())


async def test_an_exception_is_no_fix_and_harms_nothing(client: Client) -> None:
    revision = client.check("try raise\n")
    await client.outcome()
    assert await client.mended() == (revision, ())
    process = client.process
    assert state((client.check("a\n"), await client.outcome())[1]) is State.PROVED
    assert client.process == process


async def test_a_newer_text_stops_it_and_keeps_the_process(client: Client) -> None:
    await tried(client, "try slow\n")
    process = client.process
    revision = client.check("a\n")
    assert state(await client.outcome()) is State.PROVED
    assert await client.mended() == (revision, ()) and client.process == process


async def test_it_is_killed_if_it_does_not_stop(client: Client) -> None:
    await tried(client, "try hang\n")
    process = client.process
    client.check("a\n")
    assert (await client.mended())[1] == ()
    assert state(await client.outcome()) is State.PROVED
    assert client.process != process


async def test_what_ends_the_process_is_not_tried_for_ever(client: Client) -> None:
    for _ in range(2):
        revision = client.check("try crash\n")
        assert state(await client.outcome()) is State.PROVED
        assert await client.mended() == (revision, ())
    revision = client.check("try crash\n")
    assert state(await client.outcome()) is State.PROVED
    process = client.process
    assert await client.mended() == (revision, ())
    client.check("a\n")
    assert state(await client.outcome()) is State.PROVED and client.process == process
    assert client.trials == 2
