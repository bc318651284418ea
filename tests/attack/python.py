"""The attack on what is claimed of Python (:mod:`cpython`): random programs are checked as users check them, by a
command that writes JSON, and run by CPython on neighbouring inputs.

A run writes down what it did after every batch, one line of JSON each, and goes on from there when it is started
again."""

from __future__ import annotations

import ast
import json
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cpython.claims import Claim, claims
from cpython.judging import SETTINGS, Judge
from cpython.noise import Unmodelled
from cpython.tabular import TableWriter
from cpython.writing import Writer

from .evaluated import CHECKER

BATCH = 100


class Judged(NamedTuple):
    """What came of one program: how many claims were judged, by how many runs, whether one of them is finite, what
    refutes claims, why others could not be judged, and a mistake of the oracle."""

    seed: int
    claims: int
    runs: int
    finite: bool
    refuted: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    crashed: str = ""


class Totals(NamedTuple):
    """Sums over programs; ``finite``, ``refuted`` and ``crashed`` count programs, ``unjudged`` claims."""

    programs: int = 0
    claims: int = 0
    runs: int = 0
    finite: int = 0
    refuted: int = 0
    crashed: int = 0
    unjudged: int = 0

    def with_(self, batch: Iterable[Judged]) -> Totals:
        found = list(batch)
        more = (
            len(found),
            sum(each.claims for each in found),
            sum(each.runs for each in found),
            sum(each.finite for each in found),
            sum(bool(each.refuted) for each in found),
            sum(bool(each.crashed) for each in found),
            sum(len(each.unjudged) for each in found),
        )
        return Totals(*map(sum, zip(self, more, strict=True)))


WRITERS = {"numbers": Writer, "tables": TableWriter}
"""What programs are about, and who writes them."""


def written(seed: int, about: str = "numbers") -> str:
    """The program of a seed."""
    return WRITERS[about](random.Random(seed)).program()


def checked(texts: Sequence[str], checker: str = CHECKER) -> list[list[Claim]]:
    """What a checker claims of each text."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"p{number}.py") for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, "utf-8")
        asked = ["check", "--no-cache", "--output-format", "json", *map(str, paths)]
        run = subprocess.run([*shlex.split(checker), *asked], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            raise RuntimeError(run.stderr)
        files: dict[str, Any] = {Path(each["path"]).name: each for each in json.loads(run.stdout)["files"]}
        return [claims(files[path.name]) for path in paths]


def judged(seed: int, text: str, said: Sequence[Claim], settings: int = SETTINGS) -> Judged:
    """The claims about a program against its runs."""
    finite = any(each.finite for each in said)
    try:
        judge = Judge(text, seed)
    except Unmodelled as error:
        return Judged(seed, 0, 0, finite, unjudged=tuple(str(error) for each in said if each.finite))
    except Exception as error:  # a mistake of the oracle: a long run goes on, and tells
        return Judged(seed, 0, 0, finite, crashed=repr(error))
    refuted, unjudged, count = [], [], 0
    for each in said:
        try:
            found = judge.refuted(each, settings)
        except Unmodelled as error:
            unjudged.append(str(error))
            continue
        except Exception as error:
            return Judged(seed, count, judge.runs, finite, tuple(refuted), tuple(unjudged), repr(error))
        count += each.finite
        if found is not None:
            refuted.append(found.text)
    return Judged(seed, count, judge.runs, finite, tuple(refuted), tuple(unjudged))


def smallest(seed: int, text: str, checker: str = CHECKER) -> str:
    """The program without the statements that a refutation does not need."""
    while True:
        candidates = list(_shorter(text))
        said = checked(candidates, checker) if candidates else []
        pairs = zip(candidates, said, strict=True)
        found = next((shorter for shorter, claimed in pairs if judged(seed, shorter, claimed).refuted), None)
        if found is None:
            return text
        text = found


def _shorter(text: str) -> Iterator[str]:
    """The text without one statement, the outermost first."""
    for place in range(sum(1 for _ in _bodies(ast.parse(text)))):
        tree = ast.parse(text)
        body, at = list(_bodies(tree))[place]
        if len(body) > 1 and not isinstance(body[at], ast.Import | ast.ImportFrom):
            del body[at]
            yield ast.unparse(tree) + "\n"


def _bodies(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], int]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield from ((body, at) for at in range(len(body)))


def attack(first: int, count: int, output: str | None, checker: str = CHECKER, about: str = "numbers") -> bool:
    """Judge so many programs; tells what is refuted as it is found, and whether something was."""
    totals, start, causes = Totals(), first, Counter[str]()
    if output is not None and Path(output).exists():
        for line in Path(output).read_text("utf-8").splitlines():
            done = json.loads(line)
            if first <= done["first"] < first + count:
                totals = Totals(*map(sum, zip(totals, done["totals"], strict=True)))
                start = max(start, done["first"] + done["totals"][0])
    began = time.monotonic()
    for batch in range(start, first + count, BATCH):
        seeds = range(batch, min(batch + BATCH, first + count))
        texts = [written(seed, about) for seed in seeds]
        said = checked(texts, checker)
        found = [judged(seed, text, claimed) for seed, text, claimed in zip(seeds, texts, said, strict=True)]
        causes.update(cause for each in found for cause in each.unjudged)
        told = [_told(each, checker, about) for each in found if each.refuted or each.crashed]
        if output is not None:
            made = {"first": batch, "totals": Totals().with_(found), "refuted": told}
            with Path(output).open("a", encoding="utf-8") as file:
                file.write(json.dumps(made, ensure_ascii=False) + "\n")
        totals = totals.with_(found)
        if (batch - first) % 1000 == 0 and batch > first:
            print(f"{totals.programs:,} programs, {totals.refuted} refuted", file=sys.stderr, flush=True)
    share = totals.finite / max(totals.programs, 1)
    print(
        f"{totals.programs:,} programs, {totals.claims:,} claims, {totals.runs:,} runs in "
        f"{time.monotonic() - began:,.0f} s; {share:.0%} with a finite claim on a protected parameter; "
        f"{totals.refuted} refuted, {totals.crashed} not judged by a mistake, {totals.unjudged} claims not judged."
    )
    for cause, number in causes.most_common(10):
        print(f"Not judged {number} times: {cause}")
    return totals.refuted + totals.crashed > 0


def _told(each: Judged, checker: str, about: str) -> dict[str, Any]:
    """What is to be said of a program, which is printed at once."""
    text = written(each.seed, about)
    if each.crashed:
        print(f"seed {each.seed} could not be judged: {each.crashed}\n{text}", flush=True)
        return {"seed": each.seed, "crashed": each.crashed}
    short = smallest(each.seed, text, checker)
    print(f"seed {each.seed}: {'; '.join(each.refuted)}\nin short:\n{short}", flush=True)
    return {"seed": each.seed, "refuted": each.refuted, "program": short}
