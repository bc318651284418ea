"""What is found out when somebody asks, here or in another process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PendingText(Exception):
    """Somebody asked for what another process has not told yet: something of the record with this ``key``."""

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.key = key


class _Awaited:
    """Stands for what makes a value of a record, in a process that cannot make it."""

    __slots__ = ("key",)

    def __init__(self, key: bytes) -> None:
        self.key = key

    def __call__(self) -> Any:
        raise PendingText(self.key)


class Later(Generic[T]):
    """A value that is made when it is first asked for, and once; or one that is awaited, which raises
    :class:`PendingText` until it has come. It is equal to any other with an equal value, and a pickle of it holds the
    value: both ask for it. One that is awaited is equal to itself alone, and awaited in a pickle, too."""

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], T] | None, value: T | None = None) -> None:
        self._make = make
        self._value = value

    @classmethod
    def known(cls, value: T) -> Later[T]:
        """One whose value is there."""
        return cls(None, value)

    @classmethod
    def awaited(cls, key: bytes) -> Later[T]:
        """One whose value will come from another process, with the record that has this key."""
        return cls(_Awaited(key))

    @property
    def is_known(self) -> bool:
        """Whether the value is there."""
        return self._make is None

    @property
    def is_awaited(self) -> bool:
        """Whether the value has still to come."""
        return isinstance(self._make, _Awaited)

    @property
    def value(self) -> T:
        """The value. What it is made of is let go then."""
        if self._make is not None:
            self._value, self._make = self._make(), None
        return self._value  # type: ignore[return-value]  # it is there now

    def ask(self) -> None:
        """Have the value made."""
        _ = self.value

    def at_once(self, key: bytes) -> Later[T]:
        """This if its value is there, else one that is awaited, with the record that has this key."""
        return self if self.is_known else Later.awaited(key)

    def fill(self, other: Later[T]) -> None:
        """The value that is awaited here has come, if it is there."""
        if self.is_awaited and other.is_known:
            self._value, self._make = other.value, None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Later) or self.is_awaited or other.is_awaited:
            return self is other
        return self is other or bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        make = self._make
        return (Later.awaited, (make.key,)) if isinstance(make, _Awaited) else (Later.known, (self.value,))

    def __repr__(self) -> str:
        return f"Later.known({self._value!r})" if self.is_known else "Later(…)"
