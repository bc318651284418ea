"""Broadcasts: what all dots of an expression make together, and arrays of bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product, repeat
from typing import NamedTuple

from .conversion import convert
from .failures import Failure, Unmodelled
from .types import BOOL, FLOAT, INT, Type
from .values import Array, Builtin, Function, Range, Turned, Value, collected, is_number, made, solid, type_of


class Bits(Array):
    """A BitVector or BitMatrix."""

    __slots__ = ()

    @property
    def type(self) -> Type:
        return Type("BitArray", (len(self.shape),))


class Dotted(NamedTuple):
    """A function and what it is to be called on, entry by entry; parts of that may be made in the same way."""

    function: Callable[..., Value]
    over: tuple[Value, ...]


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, Dotted):
        for each in value.over:
            yield from _leaves(each)
    else:
        yield value


def materialized(value: Value) -> Value:
    """What a broadcast makes: a number of numbers, an array if it goes over one."""
    found = list(_leaves(value))
    for each in found:
        if isinstance(each, Range) or not (
            is_number(each) or isinstance(each, Array | Turned | Function | Builtin | Type)
        ):
            raise Unmodelled("a broadcast over something else than arrays and numbers")
    boxes = [solid(each) if isinstance(each, Turned) else each for each in found if isinstance(each, Array | Turned)]
    if not boxes:
        return next(_entries(value, ()))
    shape = _common([box.shape for box in boxes])
    entries = list(_entries(value, shape))
    result = collected(entries, shape) if entries else Array(_of_nothing(value), [], shape)
    return Bits(BOOL, entries, shape) if result.element == BOOL else result


def _of_nothing(value: Value) -> Type:
    """The type that Julia infers for what is made of entries, where all that are tried give one."""
    types = {type_of(next(_entries(_with_numbers(value, each), ()))) for each in (0, 1, 3, 100, -7)}
    if len(types) != 1:
        raise Unmodelled("the element type of nothing")
    return types.pop()


def _with_numbers(value: Value, sample: int) -> Value:
    """The same broadcast of one number in the place of all entries."""
    if isinstance(value, Dotted):
        return Dotted(value.function, tuple(_with_numbers(each, sample) for each in value.over))
    if not isinstance(value, Array | Turned):
        return value
    if value.element not in (INT, FLOAT):
        raise Unmodelled("the element type of nothing")
    return made(value.element, sample)


def _common(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    axes = max(map(len, shapes))
    filled = [(*shape, *(1,) * (axes - len(shape))) for shape in shapes]
    found = []
    for along in zip(*filled, strict=True):
        sizes = {size for size in along if size != 1} or {1}
        if len(sizes) > 1:
            raise Failure("DimensionMismatch", "arrays could not be broadcast to a common size")
        found += sizes
    return tuple(found)


def _entries(value: Value, shape: tuple[int, ...]) -> Iterator[Value]:
    """What stands at each place, row by row; of numbers one."""
    if isinstance(value, Dotted):
        return map(value.function, *(_entries(each, shape) for each in value.over)) if value.over else repeat(None)
    if not isinstance(value, Array | Turned):
        return repeat(value)
    whole = solid(value) if isinstance(value, Turned) else value
    own = (*whole.shape, *(1,) * (len(shape) - len(whole.shape)))
    return (_at(whole, own, places) for places in product(*map(range, shape)))


def _at(box: Array, own: tuple[int, ...], places: tuple[int, ...]) -> Value:
    at = 0
    for size, place in zip(own, places, strict=True):
        at = at * size + (place if size > 1 else 0)
    return box.entries[at]


def stored_into(target: Value, value: Value) -> Value:
    """`target .= value`, which whoever holds the array sees."""
    if not isinstance(target, Array):
        raise Unmodelled("a broadcast into something else than an array")
    given = Dotted(lambda old, new: new, (target, value))
    if (
        _common([target.shape, *(each.shape for each in _leaves(value) if isinstance(each, Array | Turned))])
        != target.shape
    ):
        raise Failure("DimensionMismatch", "array could not be broadcast to match destination")
    target.entries[:] = [convert(target.element, each) for each in _entries(given, target.shape)]
    return target
