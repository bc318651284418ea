"""Attacks that take hours: a run writes down what it did after every batch, one line of JSON each, and goes on from
there when it is started again."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

BATCH = 100
PROGRAMS, REFUTED = "programs", "refuted"

Tell = Callable[[range], tuple[Iterable[Counter[str]], list[dict[str, Any]]]]
"""Judges the programs of some seeds: what is counted of each, and what is to be said of those that failed."""


def totals(first: int, count: int, output: str | None, judge: Tell) -> Counter[str]:
    """What is counted of so many programs, those that an earlier run has written to ``output`` among them."""
    known, start = Counter[str](), first
    if output is not None and Path(output).exists():
        for line in Path(output).read_text("utf-8").splitlines():
            done = json.loads(line)
            if first <= done["first"] < first + count:
                known.update(done["totals"])
                start = max(start, done["first"] + done["totals"][PROGRAMS])
    for begin in range(start, first + count, BATCH):
        counted, told = judge(range(begin, min(begin + BATCH, first + count)))
        found = Counter[str]()
        for each in counted:
            found.update(each)
            found[PROGRAMS] += 1
        if output is not None:
            made = {"first": begin, "totals": found, "refuted": told}
            with Path(output).open("a", encoding="utf-8") as file:
                file.write(json.dumps(made, ensure_ascii=False) + "\n")
        known.update(found)
        if (begin - first) % 1000 == 0 and begin > first:
            print(f"{known[PROGRAMS]:,} programs, {known[REFUTED]} refuted", file=sys.stderr, flush=True)
    return known
