"""Fixes that were tried before anybody is offered them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dp_lsp.problem import Edit, Fix, Problem


class Repair(NamedTuple):
    """A fix of a problem, after which that problem is gone and nothing is worse than before. Both are at their places
    in the file. One that ``accepts`` leaves the problem where it is, and is offered after all others. All those that
    go ``together`` were also tried in one edit; no two of them touch the same text, but for the very same edit."""

    problem: Problem
    fix: Fix
    accepts: bool = False
    together: bool = False


def preferred(repairs: Sequence[Repair]) -> list[Repair]:
    """Those that hardly anybody would want another one for: sure, and the only one of their problem that is."""
    sure = Counter(each.problem for each in repairs if each.fix.sure and not each.accepts)
    return [each for each in repairs if each.fix.sure and not each.accepts and sure[each.problem] == 1]


def edits_of(repairs: Iterable[Repair]) -> tuple[Edit, ...]:
    """The edits of some repairs, each once, in the order of the text."""
    return tuple(sorted({edit for each in repairs for edit in each.fix.edits}))


def fixes_of(repairs: Iterable[Repair]) -> dict[Problem, tuple[Fix, ...]]:
    """The fixes of each problem, but for those that accept it."""
    found: dict[Problem, tuple[Fix, ...]] = {}
    for each in repairs:
        if not each.accepts:
            found[each.problem] = (*found.get(each.problem, ()), each.fix)
    return found
