"""How much larger what is claimed is than what is true: on what the case studies add noise to, or compare.

True is the largest ratio that the search finds, which is never more than the true one. The programs are the scalar and
vector parts of published case studies, with the noise left out; the functions of ``fixtures/programs`` that release
nothing are looked at, too.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from typing import NamedTuple

from dp_lsp.engine.check import Engine

from . import targets
from .trials import ROOT

_SETTINGS, _TRIES = 6, 150
GOAL = 1.05

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
    """What is claimed of a parameter, in units of what was found."""

    program: str
    parameter: str
    ratio: float


def measured() -> Iterator[Measured]:
    """Every parameter of every program of which a bound is claimed."""
    engine = Engine()
    texts = dict(PROGRAMS)
    texts |= {path.name: path.read_text("utf-8") for path in sorted((ROOT / "fixtures" / "programs").glob("*.jl"))}
    for name, text in texts.items():
        for target in targets(text, engine=engine):
            found = target.attacked(random.Random(name), _SETTINGS, _TRIES)
            for pair in found.pairs if found is not None else ():
                if pair.claimed and pair.moved:
                    whose = name if name in PROGRAMS else f"{name}, `{target.name}`"
                    yield Measured(whose, target.scheme.params[pair.place].name, float(pair.claimed) / pair.ratio)


def table() -> tuple[str, float]:
    """All ratios as lines of a table, and their median."""
    found = list(measured())
    lines = [f"| {each.program} | {each.parameter} | {each.ratio:.3f} |" for each in found]
    middle = statistics.median(each.ratio for each in found)
    head = ["| program | parameter | claimed / found |", "|---|---|---|"]
    return "\n".join([*head, *lines, "", f"median {middle:.3f} of {len(found)}"]), middle
