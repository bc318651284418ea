"""The command ``mutants``: every mutant is tried, and who survives must be explained."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from .edits import forgotten
from .formulas import broken_formulas
from .mutants import all_mutants
from .rules import broken_rules
from .survivors import SURVIVORS
from .trials import uses


class _Hunted(Protocol):
    @property
    def name(self) -> str: ...
    def noticed(self, by_search: bool = False) -> str: ...


def hunt(about: str = "", by_search: bool = False) -> int:
    """Try all mutants whose names match ``about``, and say what came of it; the number of mutants that nobody notices
    and nobody explains, and of explanations that are not true any more."""
    began = time.monotonic()
    listed: Iterable[_Hunted] = (
        all_mutants() if by_search else [*all_mutants(), *broken_rules(), *broken_formulas(), *forgotten()]
    )
    counts: Counter[str] = Counter()
    names, wrong = set(), len(uses().failing)
    for trial in uses().failing:
        print(f"fails as it is, and is left out: {trial.by}, {trial.text}", flush=True)
    for mutant in listed:
        names.add(mutant.name)
        if not re.search(about, mutant.name) or (by_search and "halved" not in mutant.name):
            continue
        random.seed(0)
        by = mutant.noticed(by_search)
        reason = SURVIVORS.get(mutant.name, "")
        counts[f"by {by}" if by else "explained" if reason else "by nobody"] += 1
        if by and reason:
            print(f"noticed, so the explanation is wrong: {mutant.name}", flush=True)
        elif not by and not reason:
            print(f"not noticed: {mutant.name}", flush=True)
        wrong += bool(by) is bool(reason)
    if not by_search:
        for name in sorted(SURVIVORS.keys() - names):
            print(f"there is no such mutant: {name}", flush=True)
            wrong += 1
    noticed = ", ".join(f"{number} {how}" for how, number in counts.items())
    print(f"{counts.total()} mutants in {time.monotonic() - began:.0f} s: {noticed}")
    return wrong
