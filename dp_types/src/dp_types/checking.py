"""Whether the arguments of a call are what the annotations say.

``dp-lsp`` proves a claim for calls as annotated; :func:`checked` makes it true of the calls that there are. It needs no
library, and understands whatever has a length and can be gone over: lists, arrays, columns, dictionaries of columns and
the tables of pandas and polars, by what these can do. What it says of data is that they are not as declared, and never
which values they have.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Annotated, Any, ParamSpec, TypeGuard, TypeVar, get_args, get_origin, get_type_hints

from dp_types.words import (
    AddRemove,
    AtLeast,
    Bounded,
    ChangeOne,
    Columns,
    IsStatic,
    MayBeMissing,
    Neighbours,
    OneOf,
    RowNorm,
    Rows,
    Size,
    Within,
    Word,
)

P = ParamSpec("P")
T = TypeVar("T")


class NotAsDeclared(ValueError):
    """An argument is not what its annotation says. That it is not tells something about the data."""


def checked(function: Callable[P, T]) -> Callable[P, T]:
    """The function with its arguments looked at first, at each call.

    Raises :class:`NotAsDeclared` where an argument has another type than declared, numbers out of bounds, missing
    values that nobody declared, too few records, rows that are too long, or of a table no such column, several of one
    name, or one that holds something else. What polars would calculate later is calculated for that. What fails tells
    whoever sees it something about the data, so look at them before anybody else does."""
    signature = inspect.signature(function)
    annotations: list[dict[str, Any]] = []

    @functools.wraps(function)
    def with_checks(*args: P.args, **kwargs: P.kwargs) -> T:
        if not annotations:  # at the first call, when all that annotations name is there
            annotations.append(get_type_hints(function, include_extras=True))
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        _Call(function.__qualname__, dict(given.arguments), annotations[0]).check()
        return function(*args, **kwargs)

    return with_checks


class _Call:
    """One call: what was given, and what is said of it."""

    def __init__(self, function: str, given: dict[str, Any], annotations: Mapping[str, Any]) -> None:
        self._function = function
        self._given = given
        self._said = {
            name: said for name, said in annotations.items() if name in given and get_origin(said) is Annotated
        }

    def check(self) -> None:
        """Raise :class:`NotAsDeclared` for the first argument that is not as declared."""
        for name, said in self._said.items():
            type_, *words = get_args(said)
            self._type(name, type_, self._given[name], words)
            if isinstance(self._given[name], Iterator):
                raise self._wrong(name, "is used up by whoever looks at it: give a list")
            value = self._given[name] = _calculated(self._given[name])
            for word in words:
                if isinstance(word, Word):
                    self._word(name, word, value, words)
        self._parts()

    def _wrong(self, name: str, what: str) -> NotAsDeclared:
        return NotAsDeclared(f"`{name}` of {self._function} {what}")

    def _type(self, name: str, type_: Any, value: Any, words: Iterable[object]) -> None:
        wanted = get_origin(type_) or type_
        if not isinstance(wanted, type) or wanted in (Any, object):
            return
        number = wanted in (int, float) and isinstance(value, _NUMBERS[wanted]) and not isinstance(value, bool)
        if not (number or (wanted not in (int, float) and isinstance(value, wanted)) or _is_scalar(wanted, value)):
            raise self._wrong(name, f"is declared {wanted.__name__}, and is {type(value).__name__}")
        is_static = any(isinstance(word, IsStatic) for word in words)
        if is_static and isinstance(value, float) and math.isnan(value):
            raise self._wrong(name, "is not a number (NaN)")

    def _word(self, name: str, word: Word, value: Any, words: Iterable[object]) -> None:
        match word:
            case OneOf(values=values):
                self._one_of(name, values, value, words)
            case Bounded(low=low, high=high):
                self._between(name, self._number(low), self._number(high), value, words)
            case RowNorm(limit=limit, norm=norm):
                rows = [[each for each in row if not _is_missing(each)] for row in _rows(value)]
                if not all(map(_is_number, chain.from_iterable(rows))):
                    raise self._wrong(name, "is declared to have rows of numbers, and holds something else")
                if any(_norm(row, norm) > self._number(limit) for row in rows):
                    raise self._wrong(name, f"has a row that measures more than {limit} in {norm}")
            case Rows(columns=columns):
                self._shape(name, columns, value)
            case Size(records=records):
                if self._records(name, value) != self._number(records):
                    raise self._wrong(name, f"is declared to have {records} records, and has another number of them")
            case AtLeast(records=records):
                if self._records(name, value) < self._number(records):
                    raise self._wrong(name, f"is declared to have at least {records} records, and has fewer")
            case Columns(columns=said):
                self._columns(name, said, value)
            case Within():
                if not all(_is_finite(each) for each in _flat(value)):
                    raise self._wrong(name, "holds what is no finite number")
            case Neighbours():
                self._no_gaps(name, value, words)
            case _:
                pass

    def _number(self, said: float | str) -> float:
        return float(self._given[said]) if isinstance(said, str) else said

    def _records(self, name: str, value: Any) -> int:
        """How many records there are."""
        if not _is_mapping(value):
            if not hasattr(value, "__len__"):
                raise self._wrong(name, "is declared to hold records, and is no list, array or table of them")
            return len(value)
        sizes = {len(column) for column in value.values()}
        if len(sizes) > 1:
            raise self._wrong(name, "has columns of different lengths")
        return max(sizes, default=0)

    def _one_of(self, name: str, values: tuple[object, ...], value: Any, words: Iterable[object]) -> None:
        many = [value] if isinstance(value, str) or not hasattr(value, "__iter__") else _present(value, words)
        if not all(not _is_missing(each) and any(each == known for known in values) for each in many):
            raise self._wrong(name, f"is declared to be one of {', '.join(map(repr, values))}, and is not")

    def _between(self, name: str, low: float, high: float, value: Any, words: Iterable[object]) -> None:
        if not all(_is_number(each) and low <= each <= high for each in _flat(_present(value, words))):
            raise self._wrong(name, f"is declared to lie between {low} and {high}, and does not, or is no number")

    def _no_gaps(self, name: str, value: Any, words: Iterable[object]) -> None:
        is_table = _names(value) is not None  # of which columns say whether there may be gaps in them
        if not is_table and not _may_be_missing(words) and any(map(_is_missing, _flat(value))):
            raise self._wrong(name, "has missing values, which it does not declare: `MayBeMissing()`")

    def _shape(self, name: str, columns: int | str | None, value: Any) -> None:
        widths = {len(row) if hasattr(row, "__len__") else -1 for row in _rows(value)}
        if -1 in widths or len(widths) > 1:
            raise self._wrong(name, "is declared to have a record in each row, and has no rows of one length")
        if columns is not None and widths and widths != {int(self._number(columns))}:
            raise self._wrong(name, f"is declared to have {columns} columns, and has another number of them")

    def _columns(self, name: str, said: Mapping[str, tuple[Any, ...]], table: Any) -> None:
        known = _names(table)
        if known is None:
            raise self._wrong(name, f"is declared to have columns, and has none: it is {type(table).__name__}")
        self._records(name, table)
        for column, words in said.items():
            shown = f"{name}[{column!r}]"
            if known.count(column) != 1:
                raise self._wrong(name, f"has {'several columns' if column in known else 'no column'} {column!r}")
            values = table[column]
            if not _may_be_missing(words) and any(map(_is_missing, _flat(values))):
                raise self._wrong(shown, "has missing values, which it does not declare: `MayBeMissing()`")
            for word in words:
                if isinstance(word, type):
                    self._of_type(shown, word, values, words)
                elif isinstance(word, Word):
                    self._word(shown, word, values, words)

    def _of_type(self, shown: str, wanted: type, values: Any, words: Iterable[object]) -> None:
        if not all(_is_a(wanted, each) for each in _flat(_present(values, words))):
            raise self._wrong(shown, f"is declared {wanted.__name__}, and holds something else")
        if wanted is bool and str(getattr(values, "dtype", "bool")) not in _MASKS:
            raise self._wrong(shown, "is declared bool, and has another dtype: such a column is no mask")

    def _parts(self) -> None:
        """Parameters that hold parts of the same records have as many of them."""
        sizes: dict[str, tuple[str, int]] = {}
        for name, said in self._said.items():
            for word in get_args(said)[1:]:
                if isinstance(word, AddRemove | ChangeOne) and word.name:
                    size = self._records(name, self._given[name])
                    first, known = sizes.setdefault(word.name, (name, size))
                    if size != known:
                        raise self._wrong(name, f"holds parts of the same records as `{first}`, and has as many not")


_NUMBERS: dict[type, tuple[type, ...]] = {float: (int, float), int: (int,)}
"""What counts as a number of a type; what has an ``item`` (a NumPy number) is looked into."""
_MASKS = ("bool", "Boolean")
"""The dtypes of columns that choose rows, in pandas and in polars."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _is_a(wanted: type, value: object) -> bool:
    """Whether a value of a column is of a type; a truth value is no number there."""
    return isinstance(value, _NUMBERS.get(wanted, (wanted,))) and isinstance(value, bool) == (wanted is bool)


def _is_scalar(wanted: type, value: Any) -> bool:
    """Whether a value of a library is a number of this type."""
    inner = value.item() if callable(getattr(value, "item", None)) and getattr(value, "ndim", 1) == 0 else None
    return inner is not None and not isinstance(inner, bool) and isinstance(inner, _NUMBERS.get(wanted, (wanted,)))


def _may_be_missing(words: Iterable[object]) -> bool:
    return any(isinstance(word, MayBeMissing) for word in words)


def _present(value: Any, words: Iterable[object]) -> Any:
    """The values that are there, where some may be missing."""
    return [each for each in _flat(value) if not _is_missing(each)] if _may_be_missing(words) else value


def _is_missing(value: object) -> bool:
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and math.isnan(value))
    )


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _calculated(value: Any) -> Any:
    """A table that polars calculates later, calculated."""
    later = callable(getattr(value, "collect", None)) and not hasattr(value, "__len__")
    return value.collect() if later else value


def _is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether a value is a dictionary of columns. To type checkers, `isinstance` alone leaves unknown what it holds."""
    return isinstance(value, Mapping)


def _names(value: Any) -> list[Any] | None:
    """The columns of a table, be it one of a library or a dictionary of columns; None of anything else."""
    if _is_mapping(value):
        return list(value)
    columns: Iterable[Any] | None = getattr(value, "columns", None)
    return list(columns) if isinstance(columns, Iterable) else None


def _plain(value: Any) -> Any:
    """An array, a column or a table as a list of Python's own values."""
    if _is_mapping(value):
        return list(value.values())
    if _names(value) is not None:
        value = value.to_numpy()
    for name in ("tolist", "to_list"):
        made = getattr(value, name, None)
        if callable(made):
            return made()
    return value


def _flat(value: Any) -> Iterator[Any]:
    """All values in a number, a list, an array or a column."""
    plain = _plain(value)
    if isinstance(plain, str | bytes) or not hasattr(plain, "__iter__"):
        yield plain
        return
    for each in plain:
        yield from _flat(each)


def _rows(value: Any) -> Iterator[Any]:
    """The rows of an array, of a list of rows or of a table."""
    yield from zip(*value.values(), strict=True) if _is_mapping(value) else _plain(value)


def _norm(row: Iterable[float], norm: str) -> float:
    sizes = [abs(each) for each in row]
    match norm:
        case "L1":
            return math.fsum(sizes)
        case "L2":
            return math.hypot(*sizes)
        case _:
            return max(sizes, default=0.0)
