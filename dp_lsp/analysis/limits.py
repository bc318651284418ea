"""What a check may take. More than that ends it, and what it was about is unknown."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """``time`` is in seconds, for a file with all it includes, and more for a long text; ``characters`` are of one
    file; ``memory`` is in MiB, where the system can hold a process to that."""

    time: int = 60
    characters: int = 1 << 24
    memory: int = 4096

    def lowered(self, to: Limits) -> Limits:
        """The lower one of each."""
        return Limits(*map(min, self, to))


MOST = Limits()
"""What nobody asked to change. A configuration, which may be part of what is checked, can only lower it."""
EVER = Limits(time=86_400, characters=1 << 24, memory=1 << 20)
"""What a user can ask for."""
PER_CHARACTER = 1 / 20_000
"""Seconds that a check may take more for each character of a text: several times what it needs on a slow machine."""
