"""Who a bound of a report is about: data that differ in how much of one person, by which metric."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dp_lsp.core.comparing import is_at_most
from dp_lsp.core.formulas import Relation, Unreadable, read

Json = Mapping[str, Any]

_METRIC = re.compile(r"<(?:n: )?(\w+)")
_WIDER = (("L1", "L2", "LInf"), ("InsertDelete", "Symmetric"), ("Hamming", "ChangeOne"))
"""Metrics by which ever more data are neighbours, so that a bound for one holds for those before it, too."""
_METRICS = frozenset(name for names in _WIDER for name in names)


def about_less(old: Json, new: Json, names: Mapping[str, str], known: Sequence[Relation]) -> Iterator[str]:
    """What bounds of a parameter are about now that is not known to be all that they were about: other neighbours, or
    somebody with fewer records. ``names`` are what names in the old formulas are called now, and ``known`` holds."""
    name = new["name"]
    metrics = [[each for each in _METRIC.findall(side["type"]) if each in _METRICS] for side in (old, new)]
    if len(metrics[0]) != len(metrics[1]) or not all(map(_is_as_wide, *metrics)):
        was, now = (", ".join(each) or "no metric" for each in metrics)
        yield f"neighbours of `{name}` are by {now}, and were by {was}"
    steps = [side.get("stability") for side in (old, new)]
    if steps[0] and steps[1]:
        was, now = steps[0]["d_in"], steps[1]["d_in"]
        if not _is_at_most(was, now, names, known):
            yield f"it is about somebody with up to {_records(now)} in `{name}`, and was with up to {_records(was)}"


def _is_as_wide(old: str, new: str) -> bool:
    return old == new or any(old in names[: names.index(new)] for names in _WIDER if new in names)


def _is_at_most(old: str, new: str, names: Mapping[str, str], known: Sequence[Relation]) -> bool:
    try:
        return is_at_most(read(old, names), read(new), known)
    except (Unreadable, RecursionError):
        return old == new


def _records(count: str) -> str:
    return "1 record" if count == "1" else f"{count} records"
