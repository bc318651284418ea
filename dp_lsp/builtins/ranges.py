"""The row for ranges as vectors: public numbers at even distances, as candidates or edges are."""

from __future__ import annotations

import math

from dp_lsp.builtins.define import Args, Builtin, Demand, Refusal, Refused, form, free
from dp_lsp.builtins.patterns import STATIC, STATIC_INTEGER
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.sens import positive_part
from dp_lsp.core.types import INTEGER, REAL, Base, Clip, Container, Kind, Type

RANGE = ":"


def _whole_numbers(args: Args) -> Type:
    """max(0, last - first + 1) whole numbers."""
    first, last = args.static("first"), args.static("last")
    return _points(positive_part(last - first + Poly.of(1)).single_poly(), INTEGER)


def _steps(args: Args) -> Type | Refusal:
    """⌊(last - first)/step⌋ + 1 numbers, or none."""
    first, step, last = (args.static(name).number for name in ("first", "step", "last"))
    if first is None or step is None or last is None:
        return Refusal("its first number, its step and its last number must be written out")
    count = math.floor((last - first) / step) + 1 if step else 0
    return _points(Poly.of(max(0, count)), INTEGER if args.base is Base.INTEGER else REAL)


def _points(count: Poly, element: Type) -> Container:
    return Container(Kind.VECTOR, NormVariable("norm", free=True), Clip.U, count, element)


def _moves_on(args: Args) -> tuple[Demand, ...]:
    return (Demand(args.static("step"), "!=", Poly.of(0), "step"),)


ROWS: tuple[Builtin, ...] = (
    Builtin(
        RANGE,
        "first:last, first:step:last",
        (
            form(_whole_numbers, free, first=STATIC_INTEGER, last=STATIC_INTEGER),
            form(_steps, free, _moves_on, first=STATIC, step=STATIC, last=STATIC),
        ),
        "The public numbers from the first one to the last one, as a vector: candidates of a selection, or the edges "
        "of bins. With a step all three must be written out.",
        "A vector of public numbers moves with nothing",
        (
            "f(v::MetricVector(Real, Symmetric)) = histogram(v, 0:100)",
            "f(v::MetricVector(Real, Symmetric)) = quantile_score(v, 0.5, 0:0.5:10)",
        ),
        (
            Refused("f(v::MetricVector(Real, Symmetric)) = histogram(v, 0:0:10)", "DP304"),
            Refused("f(v::MetricVector(Real, Symmetric), k::Static()) = histogram(v, 0:k:10)", "DP208"),
            Refused("f(n::Integer) = 1:n", "DP207"),
            Refused("f(x::Data) = x:3", "DP202"),
        ),
    ),
)
"""The row."""
