"""The attack by an evaluator that shares nothing with the checker (:mod:`evaluator`): random programs are checked as
users check them, by a command that writes JSON, and run on neighbouring inputs.

A run writes down what it did after every batch, one line of JSON each, and goes on from there when it is started again.
With another command it judges another version of the checker by the same programs."""

from __future__ import annotations

import itertools
import json
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.claims import Claim, claims
from evaluator.failures import Failure, SyntaxFailure, Unmodelled
from evaluator.judging import Judge
from evaluator.writing import Writer

from .choices import Choices

BATCH = 50
CHECKER = f"{shlex.quote(sys.executable)} -m dp_lsp"


class Judged(NamedTuple):
    """What came of one program: how many claims were judged, by how many runs, whether one of a parameter that is
    protected is finite, what refutes claims, why it could not be judged, and of which calls both evaluators give
    something else."""

    seed: int
    claims: int
    runs: int
    finite: bool
    refuted: tuple[str, ...]
    cause: str
    crashed: str = ""
    disagreed: tuple[str, ...] = ()


class Totals(NamedTuple):
    """Sums over programs. ``refuted`` counts programs."""

    programs: int = 0
    claims: int = 0
    runs: int = 0
    finite: int = 0
    refuted: int = 0
    crashed: int = 0
    disagreed: int = 0

    def with_(self, batch: Iterable[Judged]) -> Totals:
        found = list(batch)
        more = (
            len(found),
            sum(each.claims for each in found),
            sum(each.runs for each in found),
            sum(each.finite for each in found),
            sum(bool(each.refuted) for each in found),
            sum(bool(each.crashed) for each in found),
            sum(bool(each.disagreed) for each in found),
        )
        return Totals(*map(sum, zip(self, more, strict=True)))


def written(seed: int) -> tuple[str, str]:
    """The program of a seed, and the cause that its plant is an example of."""
    writer = Writer(Choices(seed))
    return writer.program(), writer.cause


def checked(texts: Sequence[str], checker: str = CHECKER) -> list[list[Claim]]:
    """What a checker claims of each text."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"p{number}.jl") for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, "utf-8")
        options = ["check", "--no-cache", "--output-format", "json", *map(str, paths)]
        run = subprocess.run([*shlex.split(checker), *options], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            raise RuntimeError(run.stderr)
        files: dict[str, Any] = {Path(each["path"]).name: each for each in json.loads(run.stdout)["files"]}
        return [claims(files[path.name]) for path in paths]


def judged(seed: int, text: str, said: Sequence[Claim], cause: str = "") -> Judged:
    """The claims about a program against its runs."""
    finite = any(each.finite for each in said)
    try:
        judge = Judge(text, seed)
    except (Failure, Unmodelled, SyntaxFailure) as error:
        return Judged(seed, 0, 0, finite, (), cause, str(error) if isinstance(error, SyntaxFailure) else "")
    except Exception as error:  # a mistake of the evaluator: a long run goes on, and tells
        return Judged(seed, 0, 0, finite, (), cause, repr(error))
    refuted = []
    for each in said:
        try:
            found = judge.refuted(each)
        except (Failure, Unmodelled):
            continue
        except Exception as error:
            return Judged(seed, len(said), judge.runs, finite, tuple(refuted), cause, repr(error))
        if found is not None:
            refuted.append(found.text)
    return Judged(seed, len(said), judge.runs, finite, tuple(refuted), cause)


def evaluated(first: int, count: int, checker: str = CHECKER, both: bool = False) -> list[Judged]:
    """A batch of programs, judged, and with ``both`` run by the interpreter of the checker, too."""
    programs = [written(seed) for seed in range(first, first + count)]
    said = checked([text for text, _ in programs], checker)
    each = zip(range(first, first + count), programs, said, strict=True)
    found = [(judged(seed, text, claimed, cause), text, claimed) for seed, (text, cause), claimed in each]
    return [compared(*one) if both else one[0] for one in found]


def compared(found: Judged, text: str, said: Sequence[Claim]) -> Judged:
    """A program that was judged, with the calls of which the interpreter of the checker gives something else."""
    from .agreeing import disagreements

    return found._replace(disagreed=tuple(disagreements(text, said, found.seed)))


def smallest(seed: int, text: str, checker: str = CHECKER) -> str:
    """The program without the lines and definitions that a refutation does not need."""
    while True:
        candidates = list(dict.fromkeys(_shorter(text)))
        if not candidates:
            return text
        said = checked(candidates, checker)
        fails = (
            shorter for shorter, claimed in zip(candidates, said, strict=True) if judged(seed, shorter, claimed).refuted
        )
        found = next(fails, None)
        if found is None:
            return text
        text = found


def _shorter(text: str) -> Iterable[str]:
    """The text without one piece: whole definitions first, then lines."""
    lines = text.splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if not line.startswith((" ", "end", "else", "\n"))] + [len(lines)]
    if len(starts) > 2:
        for start, end in itertools.pairwise(starts):
            yield "".join(lines[:start] + lines[end:])
    for place, line in enumerate(lines):
        if line.startswith(" ") and line.strip() not in ("end", "else"):
            yield "".join(lines[:place] + lines[place + 1 :])


def attack(first: int, count: int, output: str | None, checker: str = CHECKER, both: bool = False) -> bool:
    """Judge so many programs; tells what is refuted as it is found, and whether something was."""
    totals, start = Totals(), first
    if output is not None and Path(output).exists():
        for line in Path(output).read_text("utf-8").splitlines():
            done = json.loads(line)
            if first <= done["first"] < first + count:
                totals = Totals(*map(sum, zip(totals, done["totals"], strict=True)))
                start = max(start, done["first"] + done["totals"][0])
    began = time.monotonic()
    for batch in range(start, first + count, BATCH):
        found = evaluated(batch, min(BATCH, first + count - batch), checker, both)
        told = [_told(each, checker) for each in found if each.refuted or each.crashed or each.disagreed]
        if output is not None:
            made = {"first": batch, "totals": Totals().with_(found), "refuted": told}
            with Path(output).open("a", encoding="utf-8") as file:
                file.write(json.dumps(made, ensure_ascii=False) + "\n")
        totals = totals.with_(found)
        if (batch - first) % 1000 == 0:
            print(f"{totals.programs:,} programs, {totals.refuted} refuted", file=sys.stderr, flush=True)
    share = totals.finite / max(totals.programs, 1)
    print(
        f"{totals.programs:,} programs, {totals.claims:,} claims, {totals.runs:,} runs in "
        f"{time.monotonic() - began:,.0f} s; {share:.0%} with a finite claim on a protected parameter; "
        f"{totals.refuted} refuted, {totals.crashed} not judged"
        f"{f', {totals.disagreed} with another value by the interpreter' if both else ''}."
    )
    return totals.refuted + totals.crashed + totals.disagreed > 0


def _told(each: Judged, checker: str) -> dict[str, Any]:
    """What is to be said of a program, which is printed at once."""
    text, _ = written(each.seed)
    found: dict[str, Any] = {"seed": each.seed, "cause": each.cause}
    if each.crashed:
        print(f"seed {each.seed} could not be judged: {each.crashed}\n{text}", flush=True)
        return {**found, "crashed": each.crashed}
    if each.disagreed:
        print(f"seed {each.seed}, other values: {'; '.join(each.disagreed)}\n{text}", flush=True)
        found["disagreed"] = each.disagreed
        if not each.refuted:
            return found
    short = smallest(each.seed, text, checker)
    print(f"seed {each.seed} ({each.cause or 'no plant'}): {'; '.join(each.refuted)}\nin short:\n{short}", flush=True)
    return {**found, "refuted": each.refuted, "program": short}
