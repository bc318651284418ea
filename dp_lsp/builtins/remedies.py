"""Repairs that are calls of builtins."""

from __future__ import annotations

from dp_lsp.core.annotation import NumberOf
from dp_lsp.core.types import Base, Norm
from dp_lsp.intents import Passing

CLIP = Passing("clip", (Norm.L2,))
READ = Passing("undisc_container")
RESIZE = "resize"
COPY = Passing("deepcopy")
UNBOX = Passing("unbox", after=(NumberOf(Base.REAL),))


def measure_in(norm: Norm) -> Passing:
    """A change of the norm an expression is measured in."""
    return Passing("norm_convert", (norm,))
