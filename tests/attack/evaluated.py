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
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.claims import Claim, claims
from evaluator.failures import Failure, SyntaxFailure, Unmodelled
from evaluator.judging import SETTINGS, Judge, Refuted
from evaluator.subjects import FEATURES
from evaluator.worst import Worst
from evaluator.writing import Writer

from .changing_julia import ChangedJuliaWriter
from .choices import Choices
from .resumed import PROGRAMS, REFUTED, totals

SEARCHED = 20
INTERNAL = "DP901"
CHANGED = "changed"
"""The family of the programs of the specification, each of them changed."""
CHECKER = f"{shlex.quote(sys.executable)} -m dp_lsp"


class Judged(NamedTuple):
    """What came of one program: how many claims were judged, by how many runs, whether one of a parameter that is
    protected is finite, what refutes claims, why it could not be judged, of which calls both evaluators give something
    else, and the features of functions in it of which something is claimed."""

    seed: int
    claims: int
    runs: int
    finite: bool
    refuted: tuple[str, ...]
    cause: str
    crashed: str = ""
    disagreed: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    def counted(self) -> Counter[str]:
        """What is counted of it: each of what it has many of, and itself for what it has."""
        ways = {"finite": self.finite, REFUTED: self.refuted, "crashed": self.crashed, "disagreed": self.disagreed}
        known = Counter({name: int(bool(each)) for name, each in ways.items()})
        known.update({"claims": self.claims, "runs": self.runs})
        known.update(self.features)
        return known


class Written(NamedTuple):
    """A program, the cause that its plant is an example of, and what its functions are examples of."""

    text: str
    cause: str
    features: dict[str, frozenset[str]]

    def claimed(self, said: Iterable[Claim]) -> tuple[str, ...]:
        """The features of functions of which something finite is claimed."""
        finite = [self.features[each.name] for each in said if each.finite and each.name in self.features]
        return tuple(sorted(frozenset().union(*finite)))


def written(seed: int, family: str = "") -> Written:
    """The program of a seed, and of a family."""
    if family == CHANGED:
        return Written(ChangedJuliaWriter(Choices(seed)).program(), "", {})
    writer = Writer(Choices(seed), family)
    text = writer.program()
    return Written(text, writer.cause, writer.features)


def checked(texts: Sequence[str], checker: str = CHECKER, options: Sequence[str] = ()) -> list[list[Claim]]:
    """What a checker, asked with more ``options``, claims of each text."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"p{number}.jl") for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, "utf-8")
        asked = ["check", "--no-cache", "--output-format", "json", *options, *map(str, paths)]
        run = subprocess.run([*shlex.split(checker), *asked], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            raise RuntimeError(f"exit code {run.returncode}: {run.stderr}{internal_errors(run.stdout)}")
        files: dict[str, Any] = {Path(each["path"]).name: each for each in json.loads(run.stdout)["files"]}
        return [claims(files[path.name]) for path in paths]


def internal_errors(report: str) -> str:
    """The mistakes of the checker that a report tells of."""
    files = json.loads(report)["files"] if report else []
    return "\n".join(
        f"{problem['message']}\n{Path(file['path']).read_text('utf-8')}"
        for file in files
        for problem in file["diagnostics"]
        if problem["code"] == INTERNAL
    )


def judged(seed: int, text: str, said: Sequence[Claim], cause: str = "", searched: int = 0) -> Judged:
    """The claims about a program against its runs; with ``searched`` all are tried by the search for the worst, too."""
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
            runs = searched or (SEARCHED if _is_example(each) else 0)
            found = judge.refuted(each, 2 if runs else SETTINGS) or (_worst(judge, each, seed, runs) if runs else None)
        except (Failure, Unmodelled):
            continue
        except Exception as error:
            return Judged(seed, len(said), judge.runs, finite, tuple(refuted), cause, repr(error))
        if found is not None:
            refuted.append(found.text)
    return Judged(seed, len(said), judge.runs, finite, tuple(refuted), cause)


def _is_example(claim: Claim) -> bool:
    """Whether it is about a function that is an example of something (:mod:`evaluator.subjects`)."""
    return claim.name.startswith(("q", "hq"))


def _worst(judge: Judge, claim: Claim, seed: int, runs: int) -> Refuted | None:
    """The worst pair for a claim, if the claim does not allow it."""
    for place, parameter in enumerate(claim.parameters):
        if parameter.claims:
            search = Worst(judge, claim, place, seed, fixed=False)
            with suppress(Unmodelled):
                search.found(runs)
            if search.refuted is not None:
                return search.refuted
    return None


def evaluated(first: int, count: int, checker: str = CHECKER, both: bool = False, family: str = "") -> list[Judged]:
    """A batch of programs, judged, and with ``both`` run by the interpreter of the checker, too."""
    programs = [written(seed, family) for seed in range(first, first + count)]
    said = checked([each.text for each in programs], checker)
    found = []
    for seed, program, claimed in zip(range(first, first + count), programs, said, strict=True):
        one = judged(seed, program.text, claimed, program.cause)._replace(features=program.claimed(claimed))
        found.append(compared(one, program.text, claimed) if both else one)
    return found


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


def attack(
    first: int, count: int, output: str | None, checker: str = CHECKER, both: bool = False, family: str = ""
) -> bool:
    """Judge so many programs; tells what is refuted as it is found, and whether something was."""
    began = time.monotonic()

    def judge(seeds: range) -> tuple[list[Counter[str]], list[dict[str, Any]]]:
        found = evaluated(seeds.start, len(seeds), checker, both, family)
        told = [_told(each, checker, family) for each in found if each.refuted or each.crashed or each.disagreed]
        return [each.counted() for each in found], told

    known = totals(first, count, output, judge)
    differ = f", {known['disagreed']} with another value by the interpreter" if both else ""
    print(
        f"{known[PROGRAMS]:,} programs, {known['claims']:,} claims, {known['runs']:,} runs in "
        f"{time.monotonic() - began:,.0f} s; {known['finite'] / max(known[PROGRAMS], 1):.0%} with a finite claim on a "
        f"protected parameter; {known[REFUTED]} refuted, {known['crashed']} not judged"
        f"{differ}."
    )
    used = (f"{known[feature]:,} of {feature}" for feature in FEATURES)
    print(f"Programs with a finite claim that is made by rules: {', '.join(used)}.")
    return known[REFUTED] + known["crashed"] + known["disagreed"] > 0


def _told(each: Judged, checker: str, family: str) -> dict[str, Any]:
    """What is to be said of a program, which is printed at once."""
    text = written(each.seed, family).text
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
