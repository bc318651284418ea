"""What a language writes is what it reads: annotations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dp_lsp import surface
from dp_lsp.core.annotation import Annotation
from dp_lsp.frontends.julia import JULIA

ANNOTATIONS = [
    *("Real", "Integer", "Data", "Bool", "Any", "DMModel", "DMGrads", "Function", "PrivacyFunction"),
    *(
        "Bounded(Real, 0, 100)",
        "Bounded(Integer, -1, hi)",
        "Vector",
        "Vector{<:Real}",
        "Matrix{<:Data}",
        "Vector{<:Bool}",
    ),
    *("MetricVector(Real, L1)", "MetricMatrix(Data, LInf)", "MetricGradient(Real, L2)", "Tuple{Real, Vector{<:Data}}"),
    *("MetricVector(Bounded(Real, 0.5, 2), Symmetric, AtLeast(10), Contributes(3))", "MetricVector(Bool)"),
    *("MetricMatrix(Real, ChangeOne, RowNorm(L2, 0.25), Size(n))", "MetricVector(Data, InsertDelete)"),
]


@pytest.mark.parametrize("written", ANNOTATIONS)
def test_an_annotation_is_written_as_it_is_read(written: str) -> None:
    assert JULIA.rendering.annotation(_meaning(written)) == written


def _meaning(written: str) -> Annotation:
    """What a parameter is annotated with."""
    nodes: Iterator[surface.Node] = iter(JULIA.syntax.parse(surface.Chunk(0, f"f(x::{written}) = x")).nodes)
    function = next(node for node in nodes if isinstance(node, surface.Function))
    return JULIA.annotations.parameter(function.params[0].annotation)[0]
