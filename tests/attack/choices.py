"""Choices at random that can be made again, and simpler."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence


class Choices(random.Random):
    """A source of random choices that remembers them in ``made``. The first of ``given`` are made again, and with
    ``given`` all that follow are 0: the first of whatever there is to choose from."""

    def __init__(self, seed: int, given: Sequence[float] | None = None) -> None:
        super().__init__(seed)
        self.made: list[float] = []
        self._given = given

    def random(self) -> float:
        if self._given is None:
            value = super().random()
        else:
            value = self._given[len(self.made)] if len(self.made) < len(self._given) else 0.0
        self.made.append(value)
        return value


def shrunk(made: Sequence[float], fails: Callable[[Sequence[float]], bool], most: int) -> Sequence[float]:
    """Fewer and smaller choices for which something fails as well; at most so many are tried."""
    search = _Shrinking(list(made), fails, most)
    while search.without_pieces() or search.with_less():
        pass
    return search.best


class _Shrinking:
    def __init__(self, made: list[float], fails: Callable[[Sequence[float]], bool], most: int) -> None:
        self.best = made
        self._fails = fails
        self._left = most

    def _is_taken(self, simpler: list[float]) -> bool:
        self._left -= 1
        if self._left < 0 or not self._fails(simpler):
            return False
        self.best = simpler
        return True

    def without_pieces(self) -> bool:
        """Leaves out what can be left out, in large pieces first; whether anything could."""
        before, size = len(self.best), len(self.best) // 2
        while size and self._left > 0:
            start = 0
            while start < len(self.best):
                if not self._is_taken([*self.best[:start], *self.best[start + size :]]):
                    start += size
            size //= 2
        return len(self.best) < before

    def with_less(self) -> bool:
        """Puts 0 where that can be; whether it could anywhere."""
        before = self.best
        for place in range(len(self.best)):
            if self.best[place]:
                self._is_taken([*self.best[:place], 0.0, *self.best[place + 1 :]])
        return self.best is not before
