"""Remembering what recent versions of documents used."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

VERSIONS = 8


class Memo(Generic[K, V]):
    """A cache that keeps what the last :data:`VERSIONS` versions of each document put or asked for."""

    def __init__(self) -> None:
        self._values: dict[K, V] = {}
        self._users: Counter[K] = Counter()
        self._versions: dict[str, deque[frozenset[K]]] = {}
        self._current: set[K] = set()

    def get(self, key: K) -> V | None:
        value = self._values.get(key)
        if value is not None:
            self._current.add(key)
        return value

    def put(self, key: K, value: V) -> None:
        self._values[key] = value
        self._current.add(key)

    def use(self, keys: Iterable[K]) -> None:
        """What is known under these keys is needed, without being asked for."""
        self._current.update(key for key in keys if key in self._values)

    def turn(self, document: str) -> None:
        """A version of a document is done: what was used since the last turn is what it needs."""
        versions = self._versions.setdefault(document, deque())
        versions.append(frozenset(self._current))
        self._users.update(self._current)
        self._current = set()
        if len(versions) > VERSIONS:
            self._release(versions.popleft())

    def forget(self, document: str) -> None:
        """The document is closed."""
        for version in self._versions.pop(document, ()):
            self._release(version)

    def _release(self, keys: frozenset[K]) -> None:
        for key in keys:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key]
                self._values.pop(key, None)
