"""How the steps of a change can lie in the parts of a dataset in which every record is in one."""

from __future__ import annotations

MOST = 500
"""Steps that are spread over parts."""
_WRITTEN_OUT = 6  # steps whose partitions are gone through


def partitions(steps: int) -> list[tuple[int, ...]]:
    """The ways in which parts can share so many steps: how many each part has that has some, the most first. Of many
    steps one that is no less than any of these: the k-th part has at most a k-th of all steps."""
    if steps > _WRITTEN_OUT:
        return [tuple(steps // place for place in range(1, steps + 1))]
    found: list[tuple[int, ...]] = []
    pending: list[tuple[int, ...]] = [()]
    while pending:
        taken = pending.pop()
        left = steps - sum(taken)
        if not left:
            found.append(taken)
        pending += [(*taken, more) for more in range(1, min(left, taken[-1] if taken else left) + 1)]
    return found
