"""Repairs that are calls of builtins: what to write before and after an expression, and how formulas are written."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.core.evaluate import norms_of, symbols_of, upper
from dp_lsp.core.notation import SYMPY, Printer, decimal
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Norm


class Wrapping(NamedTuple):
    """Text before and after an expression."""

    before: str
    after: str


CLIP = Wrapping("clip(L2, ", ")")
CLIP_IN_PLACE = Wrapping("clip!(L2, ", ")")
READ = Wrapping("undisc_container(", ")")
CLIP_AND_READ = Wrapping("undisc_container(clip(L2, ", "))")
COPY = Wrapping("deepcopy(", ")")
UNBOX = Wrapping("unbox(", ", Real)")

_DIGITS = 5
_WRITTEN = SYMPY._replace(magnitude=("abs(", ")"), ceiling=("ceil(", ")"), maximum="max")


def measure_in(norm: Norm) -> Wrapping:
    """A change of the norm an expression is measured in."""
    return Wrapping(f"norm_convert({norm.value}, ", ")")


def written(value: Sens) -> str:
    """A number as an expression of a program, so far as there are builtins for it; a root is rounded up."""
    if value.number is None and not (symbols_of(value) or norms_of(value)):
        return decimal(upper(value, {}), _DIGITS)
    return Printer(_WRITTEN).sens(value)
