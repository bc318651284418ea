"""Entries, rows, columns and parts of containers."""

from __future__ import annotations

from collections.abc import Sequence

from .conversion import convert
from .failures import Failure, Unmodelled
from .machine import Machine
from .types import ANY, BOOL, Type
from .values import Array, Builtin, Grads, Range, Record, Turned, Value, is_number, number, solid, type_of


def position_end(value: Value, place: int, count: int) -> int:
    """What `end` stands for in an index."""
    if isinstance(value, Record):
        value = value.items
    if isinstance(value, tuple):
        return len(value)
    shape = value.shape
    return len(value.entries) if count == 1 else shape[place]


def index(machine: Machine, value: Value, places: Sequence[Value]) -> Value:
    if isinstance(value, Type):
        return Array(value, [convert(value, each) for each in places])
    if isinstance(value, Record) and value.type.name == "Dict":
        key = f'"{places[0]}"'
        if len(places) > 1 or not isinstance(places[0], str) or key not in value.names:
            raise Failure("KeyError", f"key {places[0]} not found")
        return value.items[value.names.index(key)]
    if isinstance(value, Record) and value.is_named_tuple:
        value = value.items
    if isinstance(value, tuple) and type(value) is tuple:
        return _of_tuple(value, places)
    if isinstance(value, Array | Turned | Range):
        return _of_box(value, places)
    if isinstance(value, Grads) and len(places) == 1:
        return _of_box(Array(ANY, value.entries()), places)
    if is_number(value) and all(same_one(each) for each in places):
        return value
    raise Failure("MethodError", f"no method matching getindex(::{type_of(value)})")


def same_one(place: Value) -> bool:
    if is_number(place) and number(place) == 1:
        return True
    raise Failure("BoundsError", "attempt to access a number")


def _of_tuple(value: tuple[Value, ...], places: Sequence[Value]) -> Value:
    if len(places) != 1 or isinstance(places[0], Array | Range):
        raise Unmodelled("parts of a tuple")
    at = _whole(places[0])
    if not 1 <= at <= len(value):
        raise Failure("BoundsError", f"attempt to access {type_of(value)} at index [{at}]")
    return value[at - 1]


def _whole(place: Value) -> int:
    """A position: an integer, and no Bool or float."""
    if not is_number(place):
        raise Failure("ArgumentError", f"invalid index: of type {type_of(place)}")
    if isinstance(place, bool) or type_of(place) == BOOL:
        raise Failure("ArgumentError", f"invalid index: {place} of type Bool")
    if not isinstance(place, int) and "Int" not in type_of(place).name:
        raise Failure("ArgumentError", f"invalid index: {float(number(place))!r} of type {type_of(place)}")
    return int(number(place))


def _positions(place: Value, length: int, value: Value) -> tuple[list[int], bool]:
    """The positions that an index means, and whether it is one only."""
    if isinstance(place, Builtin) and place.name == ":":
        return list(range(length)), False
    if isinstance(place, Array | Turned | Range):
        if place.element == BOOL:
            return masked(place, length, value), False
        found, single = [_whole(each) for each in place.in_order()], False
    else:
        found, single = [_whole(place)], True
    wrong = [each for each in found if not 1 <= each <= length]
    if wrong:
        raise Failure("BoundsError", f"attempt to access {type_of(value)} of {length} at index [{wrong[0]}]")
    return [each - 1 for each in found], single


def masked(mask: Array | Turned | Range, length: int, value: Value) -> list[int]:
    """The positions at which a mask of so many is true."""
    places = mask.in_order()
    if len(places) != length:
        raise Failure("BoundsError", f"attempt to access {type_of(value)} of {length} by a mask of {len(places)}")
    return [place for place, there in enumerate(places) if there]


def _of_box(value: Array | Turned | Range, places: Sequence[Value]) -> Value:
    if len(places) == 1:
        entries = value.in_order() if len(value.shape) == 2 else value.entries
        found, single = _positions(places[0], len(entries), value)
        if single:
            return entries[found[0]]
        if isinstance(value, Range) and isinstance(places[0], Range):
            return Range(value.type, [entries[each] for each in found], value.unit)
        return Array(value.element, [entries[each] for each in found])
    shape = value.shape if len(value.shape) == 2 else (*value.shape, 1)
    if len(places) != 2:
        raise Unmodelled("more than two indices")
    whole = solid(value) if isinstance(value, Turned) else value
    (rows, one_row), (cols, one_col) = (_positions(p, n, value) for p, n in zip(places, shape, strict=True))
    width = shape[1]
    entries = [whole.entries[i * width + j] for i in rows for j in cols]
    if one_row and one_col:
        return entries[0]
    return Array(value.element, entries, None if one_row or one_col else (len(rows), len(cols)))


def set_index(value: Value, places: Sequence[Value], new: Value) -> None:
    """`v[i] = x`, which everybody sees who holds the array."""
    if isinstance(value, Turned):
        raise Unmodelled("writing into a view")
    if not isinstance(value, Array):
        raise Failure("MethodError", f"no method matching setindex!(::{type_of(value)})")
    if len(places) == 1 and len(value.shape) == 1:
        found, single = _positions(places[0], len(value.entries), value)
        if not single:
            raise Unmodelled("writing into parts")
        value.entries[found[0]] = convert(value.element, new)
        return
    if len(places) == 2 and len(value.shape) == 2:
        (rows, one), (cols, other) = (_positions(p, n, value) for p, n in zip(places, value.shape, strict=True))
        if one and other:
            value.entries[rows[0] * value.shape[1] + cols[0]] = convert(value.element, new)
            return
    raise Unmodelled("writing into parts")
