"""Flat values as JSON and back: what they are is told by types, of which named tuples are made up.

Numbers and types of the core are written into a table beside it, each once (:mod:`dp_lsp.analysis.details`)."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from dp_lsp.later import Later
from dp_lsp.named import NamedTuple

UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised by reading what cannot be a value."""

Way = Callable[[Any, Any], Any]
"""From a value, and the table that is written or read, to another."""


def _same(value: Any, table: Any) -> Any:
    return value


class Plain(NamedTuple):
    """The ways of the values of a type: ``write`` makes what JSON can say, ``read`` makes the value of that again, or
    raises one of ``UNREADABLE``. JSON writes what is the ``_same``."""

    write: Way = _same
    read: Way = _same


_SHARED: dict[Any, str] = {}
"""What is written into a table, with the name of the method of it that does so and that of the one that reads it."""


def share(kind: Any, name: str) -> None:
    """Have values of a type written into tables and read from them by a method of this name."""
    _SHARED[kind] = name


@lru_cache(None)
def plain(kind: Any) -> Plain:
    """How values of a type are written; a TypeError for a type that is none of flat values."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in (str, int, float, bool, NoneType):
        return Plain()
    if kind is bytes:
        return Plain(lambda value, _: b2a_base64(value, newline=False).decode(), lambda text, _: a2b_base64(text))
    if kind is Fraction:
        return Plain(lambda value, _: f"{value.numerator:x}/{value.denominator:x}", lambda text, _: _fraction(text))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Plain(lambda value, _: value.value, lambda value, _: kind(value))
    if kind in _SHARED:
        name = _SHARED[kind]
        return Plain(lambda value, table: getattr(table, name)(value), lambda value, table: getattr(table, name)(value))
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _fields(kind)
    if origin is Later:
        (each,) = map(plain, inner)
        return Plain(
            lambda value, table: each.write(value.value, table),
            lambda value, table: Later.known(each.read(value, table)),
        )
    if origin is tuple and len(inner) == 2 and inner[1] is Ellipsis:
        return _row(plain(inner[0]))
    if origin is tuple:
        return _fixed(tuple, [plain(each) for each in inner])
    if origin is frozenset:
        each = plain(inner[0])
        return Plain(
            lambda value, table: sorted(each.write(one, table) for one in value),
            lambda value, table: frozenset(each.read(one, table) for one in value),
        )
    if origin is dict:
        pairs = _row(_fixed(tuple, [plain(each) for each in inner]))
        return Plain(
            lambda value, table: pairs.write(value.items(), table), lambda value, table: dict(pairs.read(value, table))
        )
    if origin in (Union, UnionType):
        return _either(inner)
    raise TypeError(f"{kind} is not a type of flat values")


def _fraction(text: str) -> Fraction:
    numerator, denominator = text.split("/")
    return Fraction(int(numerator, 16), int(denominator, 16))


def _row(inner: Plain) -> Plain:
    write, read = inner
    if read is _same:
        return Plain(lambda values, _: list(values), lambda values, _: tuple(values))
    return Plain(
        lambda values, table: [write(each, table) for each in values],
        lambda values, table: tuple([read(each, table) for each in values]),
    )


def _fields(kind: Any) -> Plain:
    """Of a named tuple: a list of the values of its fields, all of them."""
    hints = get_type_hints(kind)
    return _fixed(kind._make, [plain(hints[name]) for name in kind._fields])


def _fixed(make: Callable[[Any], Any], inner: list[Plain]) -> Plain:
    size = len(inner)
    writers = [(i, each.write) for i, each in enumerate(inner) if each.write is not _same]
    readers = [(i, each.read) for i, each in enumerate(inner) if each.read is not _same]

    def write(value: Any, table: Any) -> Any:
        row = list(value)
        for i, way in writers:
            row[i] = way(row[i], table)
        return row

    def read(row: Any, table: Any) -> Any:
        if len(row) != size:
            raise ValueError(f"{len(row)} values instead of {size}")
        for i, way in readers:
            row[i] = way(row[i], table)
        return make(row)

    return Plain(write, read)


def _either(kinds: tuple[Any, ...]) -> Plain:
    """Of one of several types: nothing, or which one and a value of that. Of one besides None the value is enough."""
    classes = [kind for kind in kinds if kind is not NoneType]
    ways = [plain(kind) for kind in classes]
    if len(classes) == 1:
        ((put, take),) = ways
        return Plain(
            lambda value, table: None if value is None else put(value, table),
            lambda value, table: None if value is None else take(value, table),
        )

    def write(value: Any, table: Any) -> Any:
        if value is None:
            return None
        index = classes.index(type(value))
        return [index, ways[index].write(value, table)]

    def read(value: Any, table: Any) -> Any:
        return None if value is None else ways[value[0]].read(value[1], table)

    return Plain(write, read)
