"""How much is done, counted in calls of functions: the same on every machine, however busy it is."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from cProfile import Profile


def calls(action: Callable[[], object]) -> Counter[object]:
    """How often each function is called: by its code, or by the name of one that is not written in Python."""
    profile = Profile()
    gc.collect()
    gc.freeze()  # and is not looked through again before the next action
    gc.disable()  # what is left of earlier work is none of this
    try:
        profile.runcall(action)
    finally:
        gc.enable()
    found: Counter[object] = Counter()
    for entry in profile.getstats():
        found[entry.code] += entry.callcount
    return found
