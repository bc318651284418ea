"""Fixes that were tried before anybody is offered them."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.problem import Fix, Problem


class Repair(NamedTuple):
    """A fix of a problem, after which that problem is gone and nothing is worse than before. Both are at their places
    in the file. One that ``accepts`` leaves the problem where it is, and is offered after all others."""

    problem: Problem
    fix: Fix
    accepts: bool = False
