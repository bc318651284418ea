"""Remembering what recent versions of files used."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

GENERATIONS = 8


class Memo(Generic[K, V]):
    """A cache that keeps what was put or asked for within the last :data:`GENERATIONS` turns."""

    def __init__(self) -> None:
        self._values: dict[K, V] = {}
        self._used: dict[K, int] = {}
        self._now = 0

    def get(self, key: K) -> V | None:
        value = self._values.get(key)
        if value is not None:
            self._used[key] = self._now
        return value

    def put(self, key: K, value: V) -> None:
        self._values[key] = value
        self._used[key] = self._now

    def turn(self) -> None:
        """A version is done: forget what the last ones did not use."""
        self._now += 1
        old = [key for key, used in self._used.items() if used < self._now - GENERATIONS]
        for key in old:
            del self._values[key], self._used[key]
