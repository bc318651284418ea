"""Repairs that are calls of builtins: what to write before and after an expression."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.core.types import Norm


class Wrapping(NamedTuple):
    """Text before and after an expression."""

    before: str
    after: str


CLIP = Wrapping("clip(L2, ", ")")
CLIP_AND_READ = Wrapping("undisc_container(clip(L2, ", "))")


def measure_in(norm: Norm) -> Wrapping:
    """A change of the norm an expression is measured in."""
    return Wrapping(f"norm_convert({norm.value}, ", ")")
