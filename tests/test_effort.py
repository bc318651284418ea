"""What a check does not do, such as infer an expression twice, and what a server does not do while somebody waits."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import spec_runner
from dp_lsp.analysis.limits import Ticket
from dp_lsp.analysis.records import Analysis, Options
from dp_lsp.core.scheme import Judgement, Scheme
from dp_lsp.core.term import Call, Loop, Term
from dp_lsp.engine import facts, task
from dp_lsp.engine.check import VERSIONS, Engine
from dp_lsp.infer import accumulators, loops, method, terms, unrolled
from dp_lsp.infer.effects import Evaluation
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes import noise
from dp_lsp.lsp import session
from source_tree import ROOT

PAGES = sorted((ROOT / "fixtures" / "spec").glob("*.md"))
PROGRAMS = sorted((ROOT / "fixtures" / "programs").glob("*.jl"))


RETRIED = {"DP301", "DP422", "DP423", "DP424", "DP425"}
"""Where a message may say what would hold under another relation, or of more records: for that the method is inferred
once more."""


class Tried(Inference):
    """Of a method with other datasets."""


class Effort:
    """Counts how often each term is inferred, by :meth:`Inference.infer`, the one way to a judgement; ``inferences``
    are those that did it, and ``twice`` says whether one of them did it twice. ``again`` says whether a method was
    inferred for what it is called with, and ``several`` whether a loop over records adds several things up, each of
    which is inferred with what it is made of, or two sums over one vector are read as one. That of a method whose
    rounds are written out is not counted.

    Rounds that differ are inferred once more as they are written out. What is inferred then is counted apart:
    ``more_than_rounds`` says whether a term was inferred more often than rounds were written out then, or whether the
    rounds of one loop were written out more than once other than in rounds of one around it that were."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._times: Counter[int] = Counter()
        self._seen: dict[int, Term] = {}  # keeps terms alive, so that no two share an id
        self._by: set[tuple[int, int]] = set()
        self.inferences: set[Inference] = set()
        self.twice = self.again = self.several = self.more_than_rounds = False
        self._written_out: set[Inference] = set()
        self._sharpened: dict[int, Term] = {}
        self._in_rounds: Counter[int] | None = None  # how often each term was, in rounds that are written out
        self._rounds = 0  # that were written out there
        infer, called_with, afresh = Inference.infer, method._Template.called_with, Inference.afresh
        totals, one = accumulators._Round.totals, terms._one
        sharpened, loop = loops.sharpened, unrolled._Writing._loop

        def counted(inference: Inference, node: Term) -> Evaluation:
            if inference in self._written_out:
                return infer(inference, node)
            self._seen[id(node)] = node
            if self._in_rounds is not None:
                self._in_rounds[id(node)] += 1
                return infer(inference, node)
            self._times[id(node)] += 1
            self.twice |= (id(inference), id(node)) in self._by
            self._by.add((id(inference), id(node)))
            self.inferences.add(inference)
            return infer(inference, node)

        def again(*given: Any) -> Scheme:
            self.again = True
            return called_with(*given)

        def another(inference: Inference) -> Inference:
            found = afresh(inference)
            self._written_out.add(found)
            return found

        def added(round_: accumulators._Round) -> tuple[list[Term], list[Term]]:
            found = totals(round_)
            self.several |= len(found[0]) > 1
            return found

        def one_by_one_(inference: Inference, node: Loop, *given: Any) -> Judgement:
            if inference in self._written_out or self._in_rounds is not None:
                return sharpened(inference, node, *given)
            self.more_than_rounds |= id(node) in self._sharpened
            self._sharpened[id(node)] = node
            self._in_rounds, self._rounds = Counter(), 0
            try:
                return sharpened(inference, node, *given)
            finally:
                self.more_than_rounds |= max(self._in_rounds.values(), default=0) > self._rounds
                self._in_rounds = None

        def rounds(writing: unrolled._Writing, node: Loop, numbers: range, names: Any) -> Any:
            self._rounds += len(numbers)
            return loop(writing, node, numbers, names)

        def joined(*sums: Any) -> Call:
            self.several = True
            return one(*sums)

        monkeypatch.setattr(loops, "sharpened", one_by_one_)
        monkeypatch.setattr(unrolled._Writing, "_loop", rounds)
        monkeypatch.setattr(terms, "_one", joined)
        monkeypatch.setattr(Inference, "infer", counted)
        monkeypatch.setattr(Inference, "afresh", another)
        monkeypatch.setattr(accumulators._Round, "totals", added)
        monkeypatch.setattr(method._Template, "called_with", again)
        monkeypatch.setattr(noise, "Inference", Tried)

    def taken(self) -> list[int]:
        """How often each term was inferred since this was last asked."""
        times = list(self._times.values())
        self._times.clear()
        self._seen.clear()
        self._sharpened.clear()
        self._by.clear()
        self.inferences.clear()
        return times


@pytest.fixture
def effort(monkeypatch: pytest.MonkeyPatch) -> Effort:
    return Effort(monkeypatch)


def unannotated(checked: Analysis) -> bool:
    """Whether a function has parameters whose annotations leave open what they are: it may be reported for the first
    that are understood."""
    return any(re.search(r"Any|Abstract|Number|Array|VecOrMat|Dense", each.signature) for each in checked.functions)


def texts(page: Path, profile: str) -> Iterator[str]:
    """The programs of a page; where the published rules are no variant of a rule, each ninth."""
    source = page.read_text(encoding="utf-8")
    if page.suffix != ".md":
        yield source
    else:
        for place, block in enumerate(spec_runner.blocks(source)):
            if profile in ("sound", block.options.profile) or place % 9 == 0:
                yield block.text


@pytest.mark.parametrize("profile", ["sound", "published"])
@pytest.mark.parametrize("page", [*PAGES, *PROGRAMS], ids=lambda page: page.stem)
def test_no_expression_is_inferred_twice(page: Path, profile: str, effort: Effort) -> None:
    counted = 0
    for text in texts(page, profile):
        checked = Engine().check(text, Options(profile=profile))
        tried = sum(isinstance(inference, Tried) for inference in effort.inferences)
        wrong = RETRIED & {problem.code for problem in checked.problems}
        taken = effort.taken()
        assert set(taken) <= ({1, 2} if tried else {1}) or effort.again or effort.several or unannotated(checked), text
        assert (wrong or not tried) and (not effort.twice or effort.several), text
        assert not effort.more_than_rounds or tried or effort.again or effort.several or unannotated(checked), text
        effort.again = effort.several = effort.twice = effort.more_than_rounds = False
        counted += len(taken)
    assert counted or page.stem == "projects"


ROUNDS = ("s = s / {0} + {0} * x", "s = {0} > 2 ? s + x : s / 2", "s = s + ({1}) * x")
RANGES = ("1:16", "1:{0}", "{0}:16", "{0}:({0} + 15)")


@pytest.mark.parametrize("ends", RANGES)
@pytest.mark.parametrize("inside", ROUNDS)
def test_loops_in_loops_whose_rounds_differ_take_no_longer_the_deeper_they_are(
    inside: str, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops that know their numbers in the rounds of others only would be 16 times as much for each loop around, if
    all rounds were written out."""
    times = 0
    infer = Inference.infer

    def counted(inference: Inference, node: Term) -> Evaluation:
        nonlocal times
        times += 1
        return infer(inference, node)

    monkeypatch.setattr(Inference, "infer", counted)
    for depth in (1, 3, 6):
        indices = "ijklmn"[:depth]
        loops = ["for i in 1:16"]
        loops += [f"for {each} in {ends.format(around)}" for around, each in pairwise(indices)]
        body = inside.format(indices[-1], " + ".join(indices))
        times = 0
        Engine().check(f"f(x::Real) = begin s = 0.0; {'; '.join(loops)}; {body}{'; end' * depth}; s end\n")
        assert 0 < times < 5000, depth


def test_nothing_is_inferred_again_of_what_did_not_change(effort: Effort) -> None:
    engine = Engine()
    text = (ROOT / "fixtures" / "programs" / "dp_sgd.jl").read_text(encoding="utf-8")
    engine.check(text)
    assert effort.taken()
    engine.check("# Moved down by a line.\n" + text)
    assert not effort.taken()
    engine.check(text + "\nanother(x::Real) = 2 * x\n")
    assert 0 < len(effort.taken()) < 5


def test_the_counter_counts(effort: Effort) -> None:
    Engine().check("f(x::Real) = x + x\n")
    assert len(effort.taken()) == 3  # the sum and its two terms


def counted(engine: Engine, text: str) -> tuple[int, int]:
    """How many chunks are parsed and inferred for a text."""
    before = engine.parsed, engine.inferred
    engine.check(text)
    return engine.parsed - before[0], engine.inferred - before[1]


def test_the_last_versions_are_remembered() -> None:
    engine = Engine()
    texts = [f"f(x::Real) = {factor} * x\n\ng(x::Real) = x\n" for factor in range(VERSIONS + 1)]
    assert counted(engine, texts[0]) == (2, 2)
    assert [counted(engine, text) for text in texts[1:-1]] == [(1, 1)] * (VERSIONS - 1)
    assert counted(engine, texts[0]) == (0, 0)
    assert counted(engine, texts[-1]) == (1, 1)
    assert counted(engine, texts[1]) == (1, 1)


def test_edits_that_change_everything_are_remembered_once() -> None:
    """Else a file that is edited where all of it depends on would take many times the memory."""
    users = "".join(f"user_{number}(x::Real) = shared(x)\n" for number in range(200))
    texts = [f"shared(x::Real) = {factor} * x\n{users}" for factor in range(2, 5)]
    engine = Engine()
    assert [counted(engine, text)[1] for text in texts] == [201] * 3
    assert counted(engine, texts[1]) == (0, 0)
    assert counted(engine, texts[0]) == (0, 201)


def test_the_server_looks_through_its_memory_only_when_it_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(session, "_QUIET", 0.01)
    monkeypatch.setattr("gc.collect", lambda: looked.append("all"))

    async def checks() -> None:
        server = session.Tidying()
        for _ in range(3 * session._LITTER):
            server.worked()
        assert not looked
        async with asyncio.timeout(300):
            while not looked:
                await asyncio.sleep(0.01)
        server.worked()
        await asyncio.sleep(0.05)
        assert looked == ["all"]

    asyncio.run(checks())


def test_a_check_looks_between_inferring_and_reporting(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    def noted(module: ModuleType, name: str) -> None:
        known = getattr(module, name)

        def step(*arguments: object, **keywords: object) -> object:
            steps.append(name)
            return known(*arguments, **keywords)

        monkeypatch.setattr(module, name, step)

    class Noted(Ticket):
        def look(self) -> None:
            if steps and steps[-1] != "look":
                steps.append("look")

    for module, name in ((task, "infer_method"), (task, "describe"), (facts, "tables")):
        noted(module, name)
    found = Engine().check("f(x::Real) = x + x\n", ticket=Noted())
    assert steps == ["infer_method", "look", "describe", "look"]
    found.chunks[0].record.complete()
    assert steps[-1] == "tables", "what is known of expressions is written when somebody asks"
