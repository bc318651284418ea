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
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cpython.claims import Claim, claims
from cpython.judging import SETTINGS, Judge
from cpython.matrices import RowWriter
from cpython.noise import Unmodelled
from cpython.statistical import StatisticsWriter
from cpython.tabular import TableWriter
from cpython.writing import Writer

from .changing import ChangedWriter
from .evaluated import CHECKER, internal_errors
from .resumed import PROGRAMS, REFUTED, totals


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

    def counted(self) -> Counter[str]:
        """What is counted of it: each of what it has many of, and itself for what it has."""
        ways = {"finite": self.finite, REFUTED: self.refuted, "crashed": self.crashed}
        known = Counter({name: int(bool(each)) for name, each in ways.items()})
        known.update({"claims": self.claims, "runs": self.runs, "unjudged": len(self.unjudged)})
        return known


WRITERS = {
    "numbers": Writer,
    "statistics": StatisticsWriter,
    "tables": TableWriter,
    "rows": RowWriter,
    "changed": ChangedWriter,
}
"""What programs are about, or that they are of the specification and changed, and who writes them."""


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
            raise RuntimeError(f"exit code {run.returncode}: {run.stderr}{internal_errors(run.stdout)}")
        files: dict[str, Any] = {Path(each["path"]).name: each for each in json.loads(run.stdout)["files"]}
        return [claims(files[path.name]) for path in paths]


def judged(seed: int, text: str, said: Sequence[Claim], settings: int = SETTINGS) -> Judged:
    """The claims about a program against its runs."""
    finite = any(each.finite for each in said)
    if not finite:
        return Judged(seed, 0, 0, finite)
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
    began, causes = time.monotonic(), Counter[str]()

    def judge(seeds: range) -> tuple[list[Counter[str]], list[dict[str, Any]]]:
        texts = [written(seed, about) for seed in seeds]
        said = checked(texts, checker)
        found = [judged(seed, text, claimed) for seed, text, claimed in zip(seeds, texts, said, strict=True)]
        causes.update(cause for each in found for cause in each.unjudged)
        told = [_told(each, checker, about) for each in found if each.refuted or each.crashed]
        return [each.counted() for each in found], told

    known = totals(first, count, output, judge)
    print(
        f"{known[PROGRAMS]:,} programs, {known['claims']:,} claims, {known['runs']:,} runs in "
        f"{time.monotonic() - began:,.0f} s; {known['finite'] / max(known[PROGRAMS], 1):.0%} with a finite claim on a "
        f"protected parameter; {known[REFUTED]} refuted, {known['crashed']} not judged by a mistake, "
        f"{known['unjudged']} claims not judged."
    )
    for cause, number in causes.most_common(10):
        print(f"Not judged {number} times: {cause}")
    return known[REFUTED] + known["crashed"] > 0


def _told(each: Judged, checker: str, about: str) -> dict[str, Any]:
    """What is to be said of a program, which is printed at once."""
    text = written(each.seed, about)
    if each.crashed:
        print(f"seed {each.seed} could not be judged: {each.crashed}\n{text}", flush=True)
        return {"seed": each.seed, "crashed": each.crashed}
    short = smallest(each.seed, text, checker)
    print(f"seed {each.seed}: {'; '.join(each.refuted)}\nin short:\n{short}", flush=True)
    return {"seed": each.seed, "refuted": each.refuted, "program": short}
