"""How the steps of a change can lie in the parts of a dataset in which every record is in one."""

from __future__ import annotations

MOST = 500
"""Steps that are spread over parts."""
_WRITTEN_OUT = 6  # steps whose ways are gone through


def ways(steps: int) -> list[tuple[int, ...]]:
    """The ways in which parts can share so many steps, each the steps of the parts that have some, the most first; of
    many steps one that is no less than all of them."""
    if steps > _WRITTEN_OUT:
        return [tuple(steps // place for place in range(1, steps + 1))]
    found: list[tuple[int, ...]] = []
    pending: list[tuple[int, ...]] = [()]
    while pending:
        way = pending.pop()
        left = steps - sum(way)
        if not left:
            found.append(way)
        pending += [(*way, more) for more in range(1, min(left, way[-1] if way else left) + 1)]
    return found
