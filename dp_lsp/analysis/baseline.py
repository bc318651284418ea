"""What a baseline accepts: problems that were there when it was written, found again by what their line says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from dp_lsp.problem import Extent

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Accepted(NamedTuple):
    """Problems of a file: the function they stand in (empty for none), their code, what their line says without the
    blanks around it, how many of them there are at most, and how bad they are at most, None for any."""

    function: str
    code: str
    line: str
    times: int = 1
    extent: tuple[Extent, ...] | None = None

    @property
    def order(self) -> tuple[object, ...]:
        """By what entries are sorted."""
        return (*self[:-1], self.extent or ())


def counted(entries: Iterable[Accepted]) -> Counter[Accepted]:
    """How many times each is there that stands for one problem."""
    found: Counter[Accepted] = Counter()
    for each in entries:
        found[each._replace(times=1)] += each.times
    return found


def listed(entries: Counter[Accepted]) -> tuple[Accepted, ...]:
    """The same, sorted, each with how many times it is there."""
    found = [each._replace(times=times) for each, times in entries.items() if times > 0]
    return tuple(sorted(found, key=lambda each: each.order))


def lines(text: str) -> list[str]:
    """The lines of a text as a baseline has them."""
    return [line.strip() for line in _LINE_BREAK.split(text)]


def line_at(text: str, offset: int) -> str:
    """What the line of an offset says, as a baseline has it."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    end = _LINE_BREAK.search(text, offset)
    return text[start : end.start() if end else len(text)].strip()
