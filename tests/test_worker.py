"""The checking process and its client: what happens to a check, whatever happens to the process."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from dp_lsp.analysis.records import Analysis, Explanation, Options, State
from dp_lsp.text import Source
from dp_lsp.worker.client import Outcome, Worker
from dp_lsp.worker.frames import Wanted
from source_tree import ROOT

PATIENCE = 300.0  # seconds: nothing waits that long, but on a machine that is busy with something else

# A worker whose engine does as the text says. It calls a chunk what stands on its line.
PUPPET = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
from dp_lsp.later import Later
from dp_lsp.analysis.records import NO_FACTS, Analysis, ChunkRecord, Placed, State, Verdict
from dp_lsp.engine.distributions import Answers
from dp_lsp.text import Source
from dp_lsp.worker import __main__ as worker, projects

class Engine:
    def __init__(self):
        self.parsed = self.inferred = self.tried = 0
        self.memo = {{}}
        self.answers = Answers()

    def includes(self, name, text, look):
        return ()

    def learn(self, document, records):
        self.memo.update((record.key, record) for record in records)

    def unlearn(self, document):
        pass

    def project(self, root, files, options, ticket, on_chunk, refused, on_record, on_known=None):
        chunks, start, options = [], 0, options(root)
        text = files.text(root).content
        for line in text.splitlines(keepends=True):
            key = line.encode()
            if key in refused:
                self.memo[key] = self.record(key, State.UNKNOWN)
            if key not in self.memo or b"anew" in key:
                on_chunk(key)
                self.act(line.strip(), ticket)
                self.memo[key] = self.record(key, State.PROVED)
                self.inferred += 1
                on_record(self.memo[key])
            chunks.append(Placed(start, len(line), self.memo[key]))
            start += len(line)
        return {{root: Analysis(Source(text), tuple(chunks), options)}}

    def explain(self, root, files, place, expression, options, ticket):
        self.act(files.text(root).content.strip(), ticket)

    def forget(self, root):
        pass

    def records(self, root):
        return self.kept

    def slow(self):
        print("kept", file=open("kept.txt", "a"))
        time.sleep(0.5)
        return b"[]"

    kept = ()

    def record(self, key, state):
        what, later, _ = key.decode().strip().partition(" later")
        facts = Later(lambda: self.act(what, None) or b"[]") if state is State.PROVED and later else NO_FACTS
        return ChunkRecord(key, Verdict(state, (), (), (), frozenset()), facts)

    def act(self, line, ticket):
        match line:
            case "crash": os.abort()
            case "raise": raise ValueError
            case "recurse": self.act(line, ticket)
            case "hang":
                while True: pass
            case "slow":
                while True: ticket.look()
            case "print": print("noise")
            case "deaf": time.sleep(0.1)
            case "much":
                known = self.record(b"x", State.UNKNOWN)
                self.kept = tuple(known._replace(facts=Later(self.slow)) for _ in range(600))
            case "starve": self.starve(ticket)
            case "starve once":
                starved, self.starved = self.starved, True
                starved or self.starve(ticket)
            case "wait": time.sleep(1.5)

    starved = False

    def starve(self, ticket):
        while True:
            end = time.process_time() + 0.01
            while time.process_time() < end: pass
            time.sleep(0.02)
            ticket.look()

projects.Engine = Engine
worker.main()
"""


class Client:
    """A worker with what it reports."""

    def __init__(self, limit: float = PATIENCE, engine: str | None = PUPPET, **options: object) -> None:
        self._outcomes: asyncio.Queue[Outcome] = asyncio.Queue()
        options = {"quiet": lambda: True, "later": 0.01} | options  # a machine may be busy all the time
        options |= {"command": [sys.executable, "-c", engine]} if engine else {}
        self._news = asyncio.Event()
        options |= {"detailed": lambda document: self._news.set()}
        self.worker = Worker(self._outcomes.put_nowait, limit, **options)  # type: ignore[arg-type]
        self._revision = 0

    def check(self, text: str, document: str = "a") -> int:
        self._revision += 1
        self.worker.update(document, document, self._revision, Source(text))
        self.worker.check(document, Options())
        return self._revision

    async def outcome(self) -> Outcome:
        return await asyncio.wait_for(self._outcomes.get(), PATIENCE)

    async def checked(self, text: str) -> Outcome:
        """The final outcome of a check."""
        revision = self.check(text)
        while not (outcome := await self.outcome()).final:
            pass
        assert [finding.revision for finding in outcome.findings] == [revision]
        return outcome

    async def whole(self, outcome: Outcome) -> Outcome:
        """The same once all of it has come."""
        async with asyncio.timeout(PATIENCE):
            while not all(placed.record.is_whole for placed in analysis(outcome).chunks):
                await self._news.wait()
                self._news.clear()
        return outcome

    async def news(self) -> None:
        """Wait until something has come of what is awaited."""
        async with asyncio.timeout(PATIENCE):
            await self._news.wait()
        self._news.clear()

    async def begun(self, chunk: bytes = b"") -> None:
        """Wait until something is being checked, or this chunk is."""
        async with asyncio.timeout(PATIENCE):
            while (link := self.worker._link) is None or link.chunk is None or chunk not in (b"", link.chunk):
                await asyncio.sleep(0.005)

    @property
    def process(self) -> int:
        assert self.worker._link
        return self.worker._link._process.pid


@pytest.fixture
async def new_client() -> AsyncIterator[Callable[..., Client]]:
    clients: list[Client] = []

    def new(**options: object) -> Client:
        clients.append(Client(**options))  # type: ignore[arg-type]
        return clients[-1]

    yield new
    for client in clients:
        client.worker.close()


NewClient = Callable[..., Client]


def analysis(outcome: Outcome) -> Analysis:
    (finding,) = outcome.findings
    assert finding.analysis, outcome.problem
    return finding.analysis


def state(outcome: Outcome) -> State:
    return analysis(outcome).state


def is_lost(outcome: Outcome) -> bool:
    """Whether nothing was found out, for a reason."""
    return outcome.problem is not None and all(finding.analysis is None for finding in outcome.findings)


async def test_the_real_engine_answers(new_client: NewClient) -> None:
    outcome = await new_client(engine=None).checked("f(x::Real) = x + x\n")
    assert analysis(outcome).source is outcome.findings[0].source


async def test_records_come_once_and_stay_known(new_client: NewClient) -> None:
    client = new_client()
    first = await client.checked("a\nb\n")
    second = await client.checked("b\nc\na\n")
    old = {chunk.record.key: chunk.record for chunk in analysis(first).chunks}
    new = [chunk.record for chunk in analysis(second).chunks]
    assert [record.key for record in new] == [b"b\n", b"c\n", b"a\n"]
    assert new[0] is old[b"b\n"] and new[2] is old[b"a\n"]
    assert second.inferred == first.inferred + 1


async def test_a_document_that_is_not_included_any_more_is_checked_again(new_client: NewClient) -> None:
    worker = (client := new_client(engine=None)).worker
    worker.update("main", "/main.jl", 0, Source('factor = 2\ninclude("part.jl")\n'))
    worker.update("part", "/part.jl", 0, Source("f(x::Real) = factor * x\n"))
    worker.check("main", Options())
    first = await client.outcome()
    assert {finding.document: finding.analysis and finding.analysis.state for finding in first.findings} == {
        "main": State.PROVED,
        "part": State.PROVED,
    }
    worker.update("main", "/main.jl", 1, Source("factor = 2\n"))
    worker.check("main", Options())
    second = await client.outcome()
    assert {finding.document: finding.analysis and finding.analysis.state for finding in second.findings} == {
        "main": State.PROVED,
        "part": State.UNKNOWN,
    }


async def test_a_newer_text_supersedes_a_check(new_client: NewClient) -> None:
    client = new_client()
    client.check("slow\n")
    await client.begun()
    process = client.process
    assert state(await client.checked("a\n")) is State.PROVED
    assert client.process == process


async def test_the_end_of_a_superseded_check_is_not_that_of_the_newer(new_client: NewClient) -> None:
    client = new_client()
    client.check("deaf\n")
    await client.begun()
    revision = client.check("a\n")
    outcome = await client.outcome()
    assert [finding.revision for finding in outcome.findings] == [revision]


async def test_another_document_supersedes_nothing(new_client: NewClient) -> None:
    client = new_client()
    client.check("a\n", "a")
    client.check("b\n", "b")
    assert {(await client.outcome()).document, (await client.outcome()).document} == {"a", "b"}


async def test_a_check_that_does_not_stop_is_killed(new_client: NewClient) -> None:
    client = new_client()
    client.check("hang\n")
    await client.begun()
    process = client.process
    assert state(await client.checked("a\n")) is State.PROVED
    assert client.process != process


async def test_a_check_that_takes_too_long_is_given_up(new_client: NewClient) -> None:
    client = new_client(limit=0.2)
    outcome = await client.checked("slow\n")
    assert is_lost(outcome) and outcome.problem and outcome.problem.unchecked
    assert state(await client.checked("a\n")) is State.PROVED


async def test_a_check_that_does_not_look_at_the_time_is_killed(new_client: NewClient) -> None:
    client = new_client(limit=0.2)
    outcome = await client.checked("hang\n")
    assert is_lost(outcome)
    assert state(await client.checked("a\n")) is State.PROVED


async def test_what_counts_is_the_time_that_a_check_computes(new_client: NewClient) -> None:
    client = new_client(limit=0.5)
    assert state(await client.checked("wait\n")) is State.PROVED


async def test_what_ran_out_while_the_machine_was_busy_is_tried_again_when_it_is_quiet(new_client: NewClient) -> None:
    quiet, asked = [False, False, True], []

    def is_quiet() -> bool:
        asked.append(quiet.pop(0))
        return asked[-1]

    client = new_client(limit=0.2, quiet=is_quiet, later=0.01)
    revision = client.check("starve once\na\n")
    lost = await client.outcome()
    assert is_lost(lost) and not lost.final
    found = await client.outcome()
    assert found.findings[0].revision == revision and state(found) is State.PROVED and asked == [False, False, True]


async def test_it_is_not_tried_for_ever_and_not_after_an_edit(new_client: NewClient) -> None:
    client = new_client(limit=0.2, quiet=lambda: True, later=0.01)
    client.check("starve\n")
    assert [(await client.outcome()).final for _ in range(3)] == [False, False, True]
    client.check("starve\n")
    assert not (await client.outcome()).final
    revision = client.check("a\n")
    while (outcome := await client.outcome()).findings[0].revision != revision:
        pass
    assert state(outcome) is State.PROVED


@pytest.mark.parametrize("line", ["raise", "recurse"])
async def test_an_exception_fails_the_check_and_not_the_process(new_client: NewClient, line: str) -> None:
    client = new_client()
    process = (await client.checked("a\n")) and client.process
    outcome = await client.checked(f"{line}\n")
    assert is_lost(outcome)
    assert client.process == process
    assert state(await client.checked("a\n")) is State.PROVED


async def test_a_chunk_that_ends_the_process_twice_is_refused_and_the_rest_is_checked(
    new_client: NewClient,
) -> None:
    client = new_client()
    client.check("a\ncrash\nb\n")
    lost = [await client.outcome(), await client.outcome()]
    assert all(outcome.problem and not outcome.final for outcome in lost)
    outcome = await client.outcome()
    assert outcome.final
    states = [chunk.record.verdict.state for chunk in analysis(outcome).chunks]
    assert states == [State.PROVED, State.UNKNOWN, State.PROVED]
    assert state(await client.checked("a\n")) is State.PROVED


@pytest.mark.skipif(sys.platform == "win32", reason="stops a process by a signal")
async def test_what_takes_longer_comes_after_the_check_and_gives_way_to_others(new_client: NewClient) -> None:
    client = new_client()
    first = await client.checked("a\nwait later 1\nwait later 2\n")
    assert state(first) is State.PROVED and not analysis(first).chunks[2].record.is_whole
    second = await client.checked("a\nb\nwait later 2\n")
    assert state(second) is State.PROVED and not analysis(second).chunks[2].record.is_whole
    await client.whole(second)
    assert analysis(second).chunks[2].record.facts.value == b"[]"
    assert [chunk.record for chunk in analysis(second).chunks] == [
        chunk.record for chunk in analysis(await client.checked("a\nb\nwait later 2\n")).chunks
    ]


async def test_what_an_edit_leaves_can_be_pointed_at_at_once(new_client: NewClient) -> None:
    """Else hover would wait for what comes after the check, and for the check of the next edit before that."""
    client = new_client()
    await client.checked("a\nb\n")
    edited = await client.checked("a\nwait later\n")
    assert analysis(edited).chunks[1].record.facts.value == b"[]"


async def test_a_document_that_is_opened_again_is_told_all_of_it(new_client: NewClient) -> None:
    client = new_client()
    text = "a\nanew later\n"
    await client.whole(await client.checked(text))
    client.worker.forget("a")
    client.check(text, "b")
    while not (outcome := await client.outcome()).final or outcome.findings[0].document != "b":
        pass
    assert state(await client.whole(outcome)) is State.PROVED


async def test_what_somebody_waits_for_comes_first(new_client: NewClient) -> None:
    client = new_client()
    outcome = await client.checked("wait later 1\nwait later 2\nwait later 3\n")
    _, second, third = (placed.record for placed in analysis(outcome).chunks)
    client.worker.hasten(third.key)
    while not third.is_whole:
        await client.news()
    assert not second.is_whole


async def test_what_ends_the_process_after_the_check_is_refused_and_the_rest_is_known(new_client: NewClient) -> None:
    client = new_client()
    client.check("a later\ncrash later\nb later\n")
    while is_lost(outcome := await client.outcome()) or state(outcome) is State.PROVED:
        assert not outcome.final or state(outcome) is State.PROVED
    await client.whole(outcome)
    states = [placed.record.verdict.state for placed in analysis(outcome).chunks]
    assert states == [State.PROVED, State.UNKNOWN, State.PROVED]


async def test_keeping_what_was_found_out_gives_way_to_a_check(
    new_client: NewClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many files there are that are not open."""
    monkeypatch.chdir(tmp_path)
    client = new_client()
    await client.checked("much\n")
    async with asyncio.timeout(PATIENCE):
        while not (tmp_path / "kept.txt").exists():
            await asyncio.sleep(0.005)
    assert (await client.checked("much\na\n")).inferred == 2
    assert len((tmp_path / "kept.txt").read_text().splitlines()) < 600


async def test_an_exception_after_the_check_is_told(new_client: NewClient) -> None:
    client = new_client()
    await client.checked("a\nraise later\n")
    lost = await client.outcome()
    assert is_lost(lost) and lost.final and lost.problem and "ValueError" in lost.problem.message
    assert state(await client.whole(await client.checked("a\nb later\n"))) is State.PROVED


async def test_a_killed_process_leaves_unknown_and_comes_back(new_client: NewClient) -> None:
    client = new_client()
    await client.checked("a\n")
    os.kill(client.process, signal.SIGSTOP)
    revision = client.check("a\nb\n")
    os.kill(client.process, signal.SIGKILL)
    lost, found = await client.outcome(), await client.outcome()
    assert is_lost(lost) and not lost.final
    assert found.findings[0].revision == revision and state(found) is State.PROVED


@pytest.mark.skipif(sys.platform == "win32", reason="stops a process by a signal")
async def test_what_was_found_out_outlives_the_process(new_client: NewClient) -> None:
    client = new_client()
    await client.checked("a\nb\nc\n")
    os.kill(client.process, signal.SIGKILL)
    outcome = await client.checked("a\nd\nc\n")
    assert (state(outcome), outcome.inferred) == (State.PROVED, 1)


async def test_what_was_found_out_in_a_check_that_did_not_end_is_kept(new_client: NewClient) -> None:
    client = new_client()
    client.check("a\nb\nslow\n")
    await client.begun(b"slow\n")
    client.check("b\nc\nhang\n")
    await client.begun(b"hang\n")
    process = client.process
    outcome = await client.checked("a\nb\nc\nd\n")
    assert client.process != process
    assert (state(outcome), outcome.inferred) == (State.PROVED, 1)


async def chain(client: Client, factors: dict[int, int]) -> Outcome:
    """Check functions that each call the one before, some with other numbers than 2, and as many that call none."""
    lines = ["f0(x::Real) = x", *(f"f{i}(x::Real) = f{i - 1}(x) + {factors.get(i, 2)} * x" for i in range(1, 20))]
    lines += (f"g{i}(x::Real) = {i} * x" for i in range(20))
    return await client.whole(await client.checked("\n\n".join(lines) + "\n"))


@pytest.mark.skipif(sys.platform == "win32", reason="stops a process by a signal")
@pytest.mark.parametrize(("edited", "inferred"), [(0, 0), (19, 20), (5, 20)])
async def test_only_what_is_needed_is_found_out_again(new_client: NewClient, edited: int, inferred: int) -> None:
    """What a caller says of it is needed of a function only if that caller is inferred."""
    client, fresh = new_client(engine=None), new_client(engine=None)
    first = await chain(client, {})
    os.kill(client.process, signal.SIGKILL)
    outcome = await chain(client, {edited: 3})
    expected = await chain(fresh, {edited: 3})
    assert first.inferred == expected.inferred == 40 and outcome.inferred == inferred
    assert analysis(outcome).is_same(analysis(expected))
    again = await chain(client, {edited: 4})
    assert again.inferred - outcome.inferred == (20 - edited if edited else 0)


async def test_a_process_that_never_starts_is_not_tried_for_ever(new_client: NewClient) -> None:
    outcome = await new_client(engine="raise SystemExit(1)").checked("a\n")
    assert is_lost(outcome)


async def test_what_is_printed_does_not_disturb(new_client: NewClient) -> None:
    assert state(await new_client().checked("print\n")) is State.PROVED


async def test_restart_empties_the_memory(new_client: NewClient) -> None:
    client = new_client()
    await client.checked("a\nb\n")
    client.worker.restart()
    assert (await client.checked("a\nb\n")).inferred == 2


async def test_a_forgotten_document_is_not_reported(new_client: NewClient) -> None:
    client = new_client()
    client.check("slow\n", "gone")
    await client.begun()
    client.worker.forget("gone")
    assert (await client.checked("a\n")).document == "a"


@pytest.mark.parametrize("text", ["nothing", "raise", "crash", "hang", "slow"])
async def test_who_asks_for_a_derivation_is_answered_whatever_happens(new_client: NewClient, text: str) -> None:
    client = new_client(limit=0.3)
    answer: asyncio.Future[Explanation | None] = asyncio.get_running_loop().create_future()
    client.worker.update("b", "b", 1, Source(text))
    client.worker.derive("b", 0, Options(), answer.set_result, Wanted.EXPLANATION)
    assert await asyncio.wait_for(answer, PATIENCE) is None
    assert state(await client.checked("a\n")) is State.PROVED


async def test_a_derivation_of_what_is_closed_and_one_that_no_process_can_make(new_client: NewClient) -> None:
    for client in (new_client(), new_client(engine="raise SystemExit(1)")):
        answer: asyncio.Future[Explanation | None] = asyncio.get_running_loop().create_future()
        client.worker.derive("gone", 0, Options(), answer.set_result, Wanted.EXPLANATION)
        assert await asyncio.wait_for(answer, PATIENCE) is None


async def test_a_check_goes_before_what_is_derived(new_client: NewClient) -> None:
    client = new_client()
    answer: asyncio.Future[Explanation | None] = asyncio.get_running_loop().create_future()
    client.worker.update("b", "b", 1, Source("slow"))
    number = client.worker.derive("b", 0, Options(), answer.set_result, Wanted.EXPLANATION)
    assert state(await client.checked("a\n")) is State.PROVED
    assert not answer.done()
    client.worker.withdraw(number)
    client.worker.update("b", "b", 2, Source("nothing"))
    client.worker.derive("b", 0, Options(), answer.set_result, Wanted.EXPLANATION)
    assert await asyncio.wait_for(answer, PATIENCE) is None


async def test_many_documents_at_once_keep_their_records_apart(new_client: NewClient) -> None:
    client = new_client()
    for round_ in range(30):
        for document in "abc":
            client.check(f"{document}{round_}\n", document)
        for _ in "abc":
            outcome = await client.outcome()
            (chunk,) = analysis(outcome).chunks
            assert chunk.record.key == f"{outcome.document}{round_}\n".encode()
