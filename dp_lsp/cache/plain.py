"""Flat values as JSON and back: what they are is told by types, of which named tuples are made up."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised by reading what cannot be a value."""

Way = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


class Plain(NamedTuple):
    """The ways of the values of a type: ``write`` makes what JSON can say, ``read`` makes the value of that again, or
    raises one of ``UNREADABLE``. JSON writes what is the ``_same``."""

    write: Way = _same
    read: Way = _same


@lru_cache(None)
def plain(kind: Any) -> Plain:
    """How values of a type are written; a TypeError for a type that is none of flat values."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in (str, int, float, bool, NoneType):
        return Plain()
    if kind is bytes:
        return Plain(lambda value: b2a_base64(value, newline=False).decode(), a2b_base64)
    if kind is Fraction:
        return Plain(lambda value: f"{value.numerator:x}/{value.denominator:x}", _fraction)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Plain(lambda value: value.value, kind)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _fields(kind)
    if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return _row(plain(inner[0]))
    if origin is tuple:
        return _fixed(tuple, [plain(each) for each in inner])
    if origin is frozenset:
        each = plain(inner[0])
        return Plain(lambda value: sorted(map(each.write, value)), lambda value: frozenset(map(each.read, value)))
    if origin is dict:
        pairs = _row(_fixed(tuple, [plain(each) for each in inner]))
        return Plain(lambda value: pairs.write(value.items()), lambda value: dict(pairs.read(value)))
    if origin in (Union, UnionType):
        return _either(inner)
    raise TypeError(f"{kind} is not a type of flat values")


def _fraction(text: str) -> Fraction:
    numerator, denominator = text.split("/")
    return Fraction(int(numerator, 16), int(denominator, 16))


def _row(inner: Plain) -> Plain:
    write, read = inner
    if read is _same:
        return Plain(list, tuple)
    return Plain(lambda values: [write(each) for each in values], lambda values: tuple([read(each) for each in values]))


def _fields(kind: Any) -> Plain:
    """Of a named tuple: a list of the values of its fields, all of them."""
    hints = get_type_hints(kind)
    return _fixed(kind._make, [plain(hints[name]) for name in kind._fields])


def _fixed(make: Way, inner: list[Plain]) -> Plain:
    size = len(inner)
    writers = [(i, each.write) for i, each in enumerate(inner) if each.write is not _same]
    readers = [(i, each.read) for i, each in enumerate(inner) if each.read is not _same]

    def write(value: Any) -> Any:
        row = list(value)
        for i, way in writers:
            row[i] = way(row[i])
        return row

    def read(row: Any) -> Any:
        if len(row) != size:
            raise ValueError(f"{len(row)} values instead of {size}")
        for i, way in readers:
            row[i] = way(row[i])
        return make(row)

    return Plain(write, read)


def _either(kinds: tuple[Any, ...]) -> Plain:
    """Of one of several types: nothing, or which one and a value of that. Of one besides None the value is enough."""
    classes = [kind for kind in kinds if kind is not NoneType]
    ways = [plain(kind) for kind in classes]
    if len(classes) == 1:
        ((put, take),) = ways
        return Plain(
            lambda value: None if value is None else put(value), lambda value: None if value is None else take(value)
        )

    def write(value: Any) -> Any:
        if value is None:
            return None
        index = classes.index(type(value))
        return [index, ways[index].write(value)]

    def read(value: Any) -> Any:
        return None if value is None else ways[value[0]].read(value[1])

    return Plain(write, read)
