"""Remembering what recent versions of documents used."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

VERSIONS = 8
_FEW = 64  # what is done without may be so many, however little is needed


class _History(Generic[K]):
    """What the last version of a document needs, and what it and the versions before it could first do without, the
    oldest first."""

    def __init__(self) -> None:
        self.needed: set[K] = set()
        self.dropped: deque[set[K]] = deque()

    def keys(self) -> Iterable[K]:
        return self.needed.union(*self.dropped)

    def is_long(self) -> bool:
        return len(self.dropped) > 1 and sum(map(len, self.dropped)) > len(self.needed) // 2 + _FEW


class Memo(Generic[K, V]):
    """A cache that keeps what the last few versions of each document put or asked for, by default :data:`VERSIONS`.

    Those before the last but one may need no more besides than half of what the last does: edits that each change
    everything are not remembered so long.
    """

    def __init__(self, versions: int = VERSIONS) -> None:
        self._older = versions - 1
        self._values: dict[K, V] = {}
        self._users: Counter[K] = Counter()  # documents
        self._histories: dict[str, _History[K]] = {}
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
        history = self._histories.setdefault(document, _History())
        now, self._current = self._current, set()
        fresh = now - history.needed
        for dropped in history.dropped:
            again = fresh & dropped
            dropped -= again
            fresh -= again
        self._users.update(fresh)
        history.dropped.append(history.needed - now)
        history.needed = now
        while len(history.dropped) > self._older or history.is_long():
            self._release(history.dropped.popleft())

    def forget(self, document: str) -> None:
        """The document is closed."""
        history = self._histories.pop(document, None)
        if history:
            self._release(history.keys())

    def _release(self, keys: Iterable[K]) -> None:
        for key in keys:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key]
                self._values.pop(key, None)
