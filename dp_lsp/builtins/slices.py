"""The row for what stands at several positions in a row: `v[first:last]`, of vectors and of datasets."""

from __future__ import annotations

from dataclasses import replace

from dp_lsp.builtins.datasets import VECTOR
from dp_lsp.builtins.define import Args, Builtin, Demand, Refused, form, only
from dp_lsp.builtins.patterns import STATIC_INTEGER, Box, Records
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import ONE
from dp_lsp.core.types import Container, Dataset, Type

SLICE = "[:…:]"


def _some(args: Args) -> Type:
    length = args.static("last") - args.static("first") + Poly.of(1)
    given = args["v"]
    if isinstance(given, Container):
        return replace(given, length=length)
    dataset = args.dataset("v")
    return Dataset(dataset.metric, replace(dataset.records, length=length))


def _are_there(args: Args) -> tuple[Demand, ...]:
    """The positions exist, or there are none."""
    first, last, given = args.static("first"), args.static("last"), args["v"]
    length = given.length if isinstance(given, Container) else args.dataset("v").size
    return (
        Demand(Poly.of(1), "<=", first, "first"),
        Demand(Poly.of(0), "<=", last - first + Poly.of(1), "last"),
        Demand(last, "<=", length, "last"),
    )


_FACTORS = only(v=ONE)
_SEQUENCE = Records(VECTOR, sized=True, placed=True)
_BOUNDED = "f(v::MetricVector(Bounded(Real, 0, 9), {})) = sum(v[1:3])"

ROWS: tuple[Builtin, ...] = (
    Builtin(
        SLICE,
        "v[first:last]",
        (
            form(_some, _FACTORS, _are_there, v=Box(VECTOR, truth=True), first=STATIC_INTEGER, last=STATIC_INTEGER),
            form(_some, _FACTORS, _are_there, v=_SEQUENCE, first=STATIC_INTEGER, last=STATIC_INTEGER),
        ),
        "The entries from one position to another, which must be public; 1-sensitive. Of a dataset in Hamming, the "
        "records at these positions.",
        "Leaving entries out makes no distance larger",
        ("f(v::MetricVector(Real, L2), k::Static(Integer)) = v[1:k]", _BOUNDED.format("Hamming")),
        (
            Refused(_BOUNDED.format("ChangeOne"), "DP202"),
            Refused("f(v::MetricVector(Real, Hamming, Size(2))) = sum(clamp(v[1:3], 0, 1))", "DP304"),
            Refused("f(v::MetricVector(Real, L2), k::Integer) = v[1:k]", "DP207"),
        ),
    ),
)
"""The row."""
