"""Concrete values, on which programs are run.

Numbers are ``int`` where the program has integers, ``Fraction`` where it has reals, and ``float`` only where a root was
taken; values of Data are numbers that are compared by equality. Vectors, gradients and models are NumPy arrays of
objects with one axis, matrices such arrays with two; tuples are tuples, and functions can be called.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from dp_lsp.core.types import Label, Norm

Value = Any


class Undefined(Exception):
    """The program fails on these inputs."""


class NoMeaning(Exception):
    """The program has no value of its own on given inputs, or none that is computed."""


MOST_ENTRIES = 10_000_000
"""How large a container is made."""


def array(entries: Iterable[Value], shape: tuple[int, ...] | None = None) -> Any:
    """A container of these entries, row by row; without a shape a vector."""
    import numpy as np

    listed = list(entries)
    found = np.empty(len(listed), dtype=object)
    for index, entry in enumerate(listed):
        found[index] = entry
    return found if shape is None else found.reshape(shape)


class Labelled(tuple[Value, ...]):
    """A tuple whose items have names."""

    label: Label

    @classmethod
    def of(cls, items: Iterable[Value], label: Label | None) -> tuple[Value, ...]:
        """A tuple, with a label if there is one."""
        if label is None:
            return tuple(items)
        made = cls(items)
        made.label = label
        return made

    def part(self, name: str) -> Value:
        """The item of a name."""
        return self[self.label.names.index(name)]


def with_items(value: tuple[Value, ...], items: Iterable[Value]) -> tuple[Value, ...]:
    """A tuple like another one, with other items."""
    return Labelled.of(items, value.label if isinstance(value, Labelled) else None)


def is_container(value: Value) -> bool:
    """Whether a value is a vector, a matrix, a gradient or a model."""
    return hasattr(value, "shape")


def entrywise(function: Callable[..., Value], *values: Value) -> Any:
    """A container of what a function makes of the entries."""
    flat = (value.flat for value in values)
    return array((function(*items) for items in zip(*flat, strict=True)), values[0].shape)


def rows(matrix: Any) -> Iterator[Any]:
    """The rows of a matrix, as vectors."""
    return (matrix[i].copy() for i in range(matrix.shape[0]))


def records(dataset: Any) -> Iterator[Value]:
    """The numbers of a vector, or the rows of a matrix."""
    return iter(dataset.flat) if dataset.ndim == 1 else rows(dataset)


def some_records(found: Iterable[Value], dataset: Any) -> Any:
    """A dataset of records that are like those of another one."""
    listed = list(found)
    if dataset.ndim == 1:
        return array(listed)
    return array((entry for row in listed for entry in row), (len(listed), dataset.shape[1]))


def resized(kept: Iterable[Value], size: int, fill: Value) -> Any:
    """So many records: those that are kept, and others that are filled in. Beside numbers truth values are numbers."""
    numbers = [int(record) if isinstance(record, bool) else record for record in kept]
    return array([*numbers, *[fill] * (size - len(numbers))])


def norm_of(vector: Iterable[Value], norm: Norm) -> Value:
    """The norm of numbers: exact but for roots."""
    sizes = [abs(entry) for entry in vector]
    if norm is Norm.L2:
        return root(sum((size * size for size in sizes), Fraction(0)))
    return max(sizes, default=Fraction(0)) if norm is Norm.LINF else sum(sizes, Fraction(0))


def root(value: Value) -> Value:
    """A square root: exact where it is rational."""
    exact = Fraction(value)
    top, bottom = math.isqrt(exact.numerator), math.isqrt(exact.denominator)
    if top * top == exact.numerator and bottom * bottom == exact.denominator:
        return Fraction(top, bottom)
    return math.sqrt(exact)


def so_many(count: Value) -> int:
    """A number of entries of a container that is made; raises :class:`NoMeaning` for more than are computed."""
    if count > MOST_ENTRIES:
        raise NoMeaning(f"a container of it has more than {MOST_ENTRIES:,} entries")
    return int(count)


def index(i: Value, size: int) -> int:
    """Where the entry stands that Julia counts as the i-th."""
    if not 1 <= i <= size:
        raise Undefined(f"{i} is not an index of {size} entries")
    return int(i) - 1


def total(values: Iterable[Value]) -> Value:
    """The sum of numbers."""
    return sum(values, 0)


def quotient(x: Value, y: Value) -> Value:
    """x/y, entry by entry of a container."""
    if y == 0:
        raise Undefined("a division by 0")
    if is_container(x):
        return entrywise(lambda entry: quotient(entry, y), x)
    return x / y if isinstance(x, float) or isinstance(y, float) else Fraction(x) / Fraction(y)
