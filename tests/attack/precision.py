"""How much larger what is claimed is than what is true: for random functions of the kinds that people write, fixed by
their seeds, and for case studies.

True is the worst that a search over the exact structure of neighbours attains (:mod:`evaluator.worst`), by an evaluator
that shares nothing with the checker; where that does not run a program, what a search by the interpreter finds. So no
ratio is too small. Of a release it is what the added noise costs, for the neighbours that are the worst: Laplace noise
exactly, Gaussian noise by the theorem that its arguments name. Of several releases of Gaussian noise with a share of δ
that users choose, the formula that is shown holds for all shares; what is measured is the number that is proved at one
of them (`--target-delta`), in units of the exact curve of all noise together. Where nothing moves though a finite bound
above 0 is claimed, the ratio is ∞. Public parameters have one value for each program.

The programs of the case studies are the scalar and vector parts of published ones, with the noise left out, and those
of ``fixtures/programs``."""

from __future__ import annotations

import json
import math
import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from dp_lsp.analysis.loading import ReadRefusal, SourceText
from dp_lsp.analysis.records import Options
from dp_lsp.engine.check import Engine
from dp_lsp.engine.problems import IncludeWithoutFolder
from evaluator.claims import SMALL, Claim
from evaluator.failures import Failure, SyntaxFailure, Unmodelled
from evaluator.judging import Judge
from evaluator.subjects import Subject, Subjects
from evaluator.worst import Worst

from . import targets
from .choices import Choices
from .evaluated import checked
from .trials import ROOT

RUNS, OF_STUDIES, BATCH, WORST = 1500, 8000, 25, 40
GOAL, NEARLY, SKIPPED = 1.0005, 1.05, 0.05
_SETTINGS, _TRIES = 6, 150
_IGNORED = frozenset({"parameter", "call", "norm_convert", "closest"})  # steps that no claim is made by

PROGRAMS = {
    "boxed reuse (Duet)": "function f(x::Real)\n    z = x + x + x\n    z + x\nend",
    "clipped sum (DDuo)": "f(v::MetricVector(Real, L1)) = sum(map(t -> clamp(t, 0, 10), v))",
    "bounded mean (programming-dp)": "f(v::MetricVector(Real, L1)) = sum(map(t -> clamp(t, 0, 1), v)) / length(v)",
    "automatic clipping (programming-dp)": (
        "f(v::MetricVector(Real, L1), b::Static(Integer)) = "
        "sum(map(t -> clamp(t, 0, abs(b)), v)) - sum(map(t -> clamp(t, 0, abs(b) + 1), v))"
    ),
    "difference of two columns": "f(v::MetricVector(Real, L1), w::MetricVector(Real, L1)) = v - w",
    "count (adaptive clipping)": "f(v::MetricVector(Integer, L1)) = count(t -> t <= 3, v)",
    "counts of a CDF (Solo)": (
        "f(v::MetricVector(Integer, L1)) = "
        "norm_convert(L1, [count(t -> t <= 1, v), count(t -> t <= 2, v), count(t -> t <= 3, v)])"
    ),
    "histogram": ("f(v::MetricVector(Data, L1)) = norm_convert(L1, [count(t -> t == 1, v), count(t -> t == 2, v)])"),
    "score of a query (MWEM)": "f(v::MetricVector(Integer, L1), a::Real) = abs(count(t -> t > 2, v) - a)",
    "largest of three counts (noisy max)": (
        "f(v::MetricVector(Integer, L1)) = max(count(t -> t <= 1, v), count(t -> t <= 2, v), count(t -> t <= 3, v))"
    ),
    "largest of three inputs (noisy max)": "f(x::Real, y::Real, z::Real) = max(x, y, z)",
    "partial sum": (
        "function f(v::MetricVector(Real, L1))\n    s = 0.0\n    for i in 1:3\n        s += v[i]\n    end\n    s\nend"
    ),
    "prefix sums (smart sum)": "f(x::Real, y::Real, z::Real) = norm_convert(L1, [x, x + y, x + y + z])",
    "sum in another norm": "f(v::MetricVector(Real, L2)) = sum(v)",
    "clipped row (DP-SGD)": "f(v::MetricVector(Data, LInf)) = undisc_container(clip(L2, v))",
    "sum of clipped rows (gradient descent)": (
        "function f(m::MetricMatrix(Data, LInf), k::Static(Integer))\n    s = undisc_container(clip(L2, m[1, :]))\n"
        "    for i in 2:k\n        s = s + undisc_container(clip(L2, m[i, :]))\n    end\n    s\nend"
    ),
    "column sums (normalisation)": "f(m::MetricMatrix(Real, L1)) = sum(m; dims=1)",
    "column mean (dp_col_mean)": "f(v::MetricVector(Real, L1)) = fold((e, a) -> e + a, 0.0, v) / length(v)",
    "momentum": ("function f(x::Real, y::Real)\n    for i in 1:5\n        x = 0.5 * x + y\n    end\n    x\nend"),
    "growing loop": "function f(x::Real, y::Real)\n    for i in 1:10\n        x = 2 * x + y\n    end\n    x\nend",
    "scaled step (k-means)": "f(v::MetricVector(Real, L1), c::Static()) = c * v",
    "cluster sums (k-means)": "f(m::MetricMatrix(Real, L1)) = map_cols(c -> [sum(c)], m)",
    "branch on a public number": "f(x::Real, c::Static()) = c > 1 ? 3 * x : 2 * x",
}


class Measured(NamedTuple):
    """A claim about a parameter, in units of what is true, or why that is not known. ``rule`` is what it is made by."""

    program: str
    parameter: str
    family: str
    rule: str
    claimed: float
    true: float
    why: str = ""

    @property
    def ratio(self) -> float:
        if self.claimed == self.true:
            return 1.0
        return self.claimed / self.true if self.true else math.inf


def written(seed: int) -> Subject:
    """The function of a seed, which is called `f`."""
    return Subjects(Choices(seed)).subject("f")


def random_ones(first: int, count: int) -> list[Measured]:
    """The claims about the functions of so many seeds."""
    found = []
    subjects = {seed: written(seed) for seed in range(first, first + count)}
    said = checked([each.text + "\n" for each in subjects.values()])
    for (seed, subject), claimed in zip(subjects.items(), said, strict=True):
        about = [each for each in claimed if each.name == "f"]
        found += _measured(subject.text + "\n", about, f"seed {seed}", subject.family, seed)
    return found


def case_studies(step: int = 1) -> list[Measured]:
    """The claims about the functions of case studies, and of each so many-th program of the fixtures."""
    texts = {f"`{name}`": text + "\n" for name, text in PROGRAMS.items()}
    texts |= {
        path.name: path.read_text("utf-8") for path in sorted((ROOT / "fixtures" / "programs").glob("*.jl"))[::step]
    }
    found = []
    said = checked(list(texts.values()), options=("--target-delta", str(float(SMALL))))
    for (name, text), claimed in zip(texts.items(), said, strict=True):
        by_hand = list(_measured(text, claimed, name, "case studies", 1, OF_STUDIES))
        lacking = {(each.program, each.parameter) for each in by_hand if each.why}
        kept = {(each.program, each.parameter): each for each in _interpreted(name, text)} if lacking else {}
        found += [kept.get((each.program, each.parameter), each) if each.why else each for each in by_hand]
    return found


def _measured(
    text: str, said: Sequence[Claim], name: str, family: str, seed: int, runs: int = RUNS
) -> Iterator[Measured]:
    """Every parameter of every function of a program of which a finite bound is claimed."""
    rules = _rules(text)
    try:
        judge = Judge(text, seed)
    except (Failure, Unmodelled, SyntaxFailure) as error:
        judge, why = None, str(error)
    for claim in said:
        whose = name if name.startswith("seed") else f"{name}, `{claim.name}`"
        for place, parameter in enumerate(claim.parameters):
            if not parameter.claims:
                continue
            rule = rules.get((claim.name, parameter.name), "?")
            here = Measured(whose, parameter.name, family, rule, 0.0, 0.0)
            if judge is None:
                yield here._replace(why=why)
                continue
            try:
                found = Worst(judge, claim, place, seed).found(runs)
            except (Failure, Unmodelled) as error:
                yield here._replace(why=str(error))
                continue
            yield here._replace(claimed=found.claimed, true=found.moved)


def _interpreted(name: str, text: str) -> Iterator[Measured]:
    """What the search by the interpreter of the checker finds against claims of sensitivity."""
    rules = _rules(text)
    for target in targets(text, engine=Engine()):
        found = target.attacked(random.Random(name), _SETTINGS, _TRIES)
        for pair in found.pairs if found is not None else ():
            if pair.claimed and pair.moved:
                parameter = target.scheme.params[pair.place].name
                rule = rules.get((target.name, parameter), "?")
                whose = f"{name}, `{target.name}`"
                yield Measured(whose, parameter, "case studies", rule, float(pair.claimed), float(pair.ratio))


# Rules


class _Lone:
    """A program in no folder."""

    def __init__(self, text: str) -> None:
        self._text = SourceText(text)

    def included(self, by: str, path: str) -> str | ReadRefusal:
        return ReadRefusal(IncludeWithoutFolder, {"path": path})

    def text(self, name: str) -> SourceText:
        return self._text


def _rules(text: str) -> dict[tuple[str, str], str]:
    """By function and parameter: the rule of the last step of the derivation in which something moves, and for a cost
    the rule of composition, if it puts several together."""
    found: dict[tuple[str, str], str] = {}
    engine, loader = Engine(), _Lone(text)
    for report in engine.project("", loader, Options())[""].functions:
        explanation = engine.explain("", loader, ("", report.name_span.start), False, Options())
        for derivation in explanation.derivations if explanation is not None else ():
            steps = [each.rule for each in derivation.steps if each.rule not in _IGNORED]
            said = f"`{steps[-1]}`" if steps else "parameter"
            for parameter in derivation.parameters:
                found.setdefault((report.name, parameter), said)
    return found


# Runs


def precision(first: int, count: int, output: str | None, jobs: int) -> bool:
    """Measures so many functions and the case studies, and prints what came of it; whether the aims are missed."""
    done: dict[int, list[Measured]] = {}
    if output is not None and Path(output).exists():
        for line in Path(output).read_text("utf-8").splitlines():
            batch = json.loads(line)
            done[batch["first"]] = [Measured(*each) for each in batch["measured"]]
    starts = [each for each in range(first, first + count, BATCH) if each not in done]
    with ProcessPoolExecutor(jobs) as pool:
        sizes = [min(BATCH, first + count - start) for start in starts]
        for start, found in zip(starts, pool.map(random_ones, starts, sizes), strict=True):
            done[start] = found
            if output is not None:
                with Path(output).open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"first": start, "measured": found}) + "\n")
    measured = [each for start in range(first, first + count, BATCH) for each in done[start]]
    text, missed = page(measured + case_studies())
    print(text)
    return missed


def page(found: Sequence[Measured]) -> tuple[str, bool]:
    """All that is to be said of claims that were measured, and whether the aims are missed."""
    known = [each for each in found if not each.why]
    skipped = Counter(each.why for each in found if each.why)
    refuted = [each for each in known if each.ratio < 1 - 1e-6]
    ratios = sorted(each.ratio for each in known)
    middle, high = statistics.median_low(ratios), _percentile(ratios)
    share = sum(skipped.values()) / max(len(found), 1)
    lines = [f"{len(found):,} claims: median {middle:.3f}, 95th percentile {high:.3f}; {share:.1%} not measured"]
    lines += [f"  {count} of them: {why}" for why, count in skipped.most_common()]
    for title, key in (("rule", "rule"), ("family", "family")):
        lines += ["", f"| {title} | claims | exact | median | 95th | worst |", "|---|---|---|---|---|---|"]
        groups: dict[str, list[float]] = defaultdict(list)
        for each in known:
            groups[getattr(each, key)].append(each.ratio)
        for name, group in sorted(groups.items(), key=lambda item: (-_above(item[1]), item[0])):
            group.sort()
            exact = sum(each < GOAL for each in group)
            shown = (statistics.median_low(group), _percentile(group), group[-1])
            lines.append(f"| {name} | {len(group)} | {exact} | {' | '.join(f'{each:.3f}' for each in shown)} |")
    worst = sorted((each for each in known if each.ratio > GOAL), key=lambda each: -each.ratio)[:WORST]
    lines += ["", *(f"{each.ratio:.3f} {each.program}, {each.parameter} ({each.rule})" for each in worst)]
    lines += [
        f"REFUTED: {each.program}, {each.parameter}: {each.claimed} claimed, {each.true} found" for each in refuted
    ]
    return "\n".join(lines), bool(refuted) or middle > GOAL or high > NEARLY or share > SKIPPED


def _percentile(ratios: Sequence[float]) -> float:
    return ratios[max(0, math.ceil(0.95 * len(ratios)) - 1)]


def _above(ratios: Sequence[float]) -> int:
    return sum(each >= GOAL for each in ratios)
