"""Values written down with all their fields, for digests: equal texts, equal values.

No class says what tells its values apart: all its fields do, also one that is added tomorrow. What is no part of that
is said at the class, by :func:`~dp_lsp.core.values.undigested`, with the reason. What is told from others by being
itself, whatever the others look like, is numbered in the order in which it is met: it is written once, and then
referred to.

A caller depends on a digest of what it calls: a tree of events is written down once, its own variables numbered, and
a call says what is put for those it leaves open. So a chain of calls costs what its links do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Set
from enum import Enum
from fractions import Fraction
from operator import attrgetter
from types import NoneType
from typing import Any, ClassVar

from dp_lsp.core.sens import Sens
from dp_lsp.core.values import digested, left_out

SIZE = 16
"""How many bytes a digest has, usually."""

Way = Callable[[Any, Any], str]
"""How a writer writes the values of a class."""


def hashed(text: str, size: int = SIZE) -> bytes:
    """The digest of a text, of so many bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


class Ways(dict[type, Way]):
    """How values of each class are written: by their fields, where nothing else is said."""

    def __missing__(self, cls: type) -> Way:
        way = self[cls] = _way(cls)
        return way


class Writer:
    """Writes values down. One writer knows what it has met, and numbers it."""

    ways: ClassVar[Ways] = Ways()

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}

    def write(self, value: object) -> str:
        """A value with all that tells it from others."""
        return self.ways[value.__class__](self, value)

    def each(self, values: Iterable[object]) -> str:
        """Values in order."""
        ways = self.ways
        return ",".join([ways[value.__class__](self, value) for value in values])

    def numbered(self, value: object, write: Way) -> str:
        """What is told from others by being itself: its number, with what else there is to say when it is first met."""
        numbers = self.numbers
        known = numbers.get(value)
        if known is not None:
            return f"#{known}"
        number = numbers[value] = len(numbers)
        return f"#{number}={write(self, value)}"


def _way(cls: type) -> Way:
    """How values of a class are written."""
    if cls in (str, bytes, bool, float, NoneType):
        return lambda _, value: repr(value)
    if cls is int:
        return lambda _, value: f"{value:x}"  # decimal digits take quadratic time, and there is a limit to them
    if issubclass(cls, Fraction):
        return lambda _, value: f"{value.numerator:x}/{value.denominator:x}"
    if issubclass(cls, Enum):
        return lambda _, value: f"{cls.__qualname__}.{value.name}"
    if issubclass(cls, type):
        return lambda _, value: f"{value.__module__}.{value.__qualname__}"
    if cls in (tuple, list):
        return lambda writer, values: f"({writer.each(values)})"
    if issubclass(cls, Set):
        return _set
    if issubclass(cls, Mapping):
        return _mapping
    return _sens if cls is Sens else of_fields(cls)


def _sens(writer: Writer, value: Sens) -> str:
    """∞ is told by being itself, and the order of what a maximum is of does not count."""
    return "∞" if value.infinite else f"max({','.join(sorted(map(writer.write, value.polys)))})"


def _set(writer: Writer, values: Set[object]) -> str:
    """In the order in which they were made, which is the same whenever they are made anew, to number them alike."""
    in_order = sorted(values, key=lambda each: getattr(each, "uid", 0))
    return f"{{{','.join(sorted(map(writer.write, in_order)))}}}"


def _mapping(writer: Writer, values: Mapping[object, object]) -> str:
    pairs = [f"{writer.write(key)}:{writer.write(value)}" for key, value in values.items()]
    return f"{{{','.join(sorted(pairs))}}}"


def of_fields(cls: type) -> Way:
    """How values of a class are written that has fields: with all of these that are part of digests."""
    names, title = digested(cls), cls.__qualname__
    get = attrgetter(*names) if len(names) > 1 else lambda value: [getattr(value, name) for name in names]

    def write(writer: Writer, value: object) -> str:
        return f"{title}({writer.each(get(value))})"

    own: object = cls.__hash__
    if own is not object.__hash__ and "uid" not in left_out(cls):
        return write
    return lambda writer, value: writer.numbered(value, write)
