"""The words of annotations. Each is a plain value that tells what is said, for who reads annotations.

A number in a word may be the name of a public parameter in quotes: ``Size("n")`` is the size that ``n`` is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec, TypeVar

if TYPE_CHECKING:
    from typing_extensions import TypeVar as WithDefault
else:

    def WithDefault(name: str, default: object) -> TypeVar:  # noqa: N802  # it stands for a class
        """A type variable; what it is by default, only type checkers ask."""
        return TypeVar(name)


Number = int | float | str
"""A public number, or the name of the public parameter that is one."""
Norm = Literal["L1", "L2", "LInf"]
"""How vectors are measured: the sum of the absolute values, the Euclidean length, the largest absolute value."""


class Word:
    """What an annotation says of a parameter."""

    __slots__ = ()


class Neighbours(Word):
    """In what two inputs differ that nobody may tell apart: one for each protected parameter."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class AddRemove(Neighbours):
    """One record is added or removed, so the number of records is private.

    Parameters of one ``name`` hold parts of the same records. A person ``contributes`` so many records at most. In
    ``ordered`` data the place of a record means something."""

    name: str = ""
    contributes: int = 1
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class ChangeOne(Neighbours):
    """One record is replaced by another one, so the number of records is public. The arguments are those of
    :class:`AddRemove`."""

    name: str = ""
    contributes: int = 1
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Within(Neighbours):
    """A number, or a vector of numbers, that moves by at most 1 in a norm. It protects no person: another record may
    move it further."""

    norm: Norm = "L2"


@dataclass(frozen=True, slots=True, init=False)
class OneOf(Neighbours):
    """A value out of a public list; any other one of them may be in its place. Of a column, what may stand there."""

    values: tuple[str | int | float | bool, ...]

    def __init__(self, *values: str | int | float | bool) -> None:
        if not values:
            raise ValueError("OneOf needs the values that there may be, as in OneOf('yes', 'no')")
        object.__setattr__(self, "values", values)


@dataclass(frozen=True, slots=True)
class Bounded(Word):
    """Every number lies between two public numbers, so none is missing or NaN."""

    low: Number
    high: Number

    def __post_init__(self) -> None:
        if not isinstance(self.low, str) and not isinstance(self.high, str) and not self.low <= self.high:
            raise ValueError(
                f"Bounded({self.low}, {self.high}) says that every number is at least {self.low} and at "
                f"most {self.high}, which none is"
            )


@dataclass(frozen=True, slots=True)
class RowNorm(Word):
    """Every row measures at most so much in a norm."""

    limit: Number
    norm: Norm = "L2"


@dataclass(frozen=True, slots=True)
class Rows(Word):
    """An array of two dimensions with one record in each row; of so many ``columns``, if that is said."""

    columns: int | str | None = None


@dataclass(frozen=True, slots=True)
class Size(Word):
    """There are exactly so many records."""

    records: int | str


@dataclass(frozen=True, slots=True)
class AtLeast(Word):
    """There are so many records, or more."""

    records: int | str


@dataclass(frozen=True, slots=True)
class MayBeMissing(Word):
    """Values may be missing (NaN or None). Nothing is known of them until they are filled or dropped."""


Column = type[str] | type[int] | type[float] | type[bool] | Word
"""What is said of a column: its type, or a word; a column of a type holds values of it."""


class Columns(Word):
    """The columns of a table, and what is said of each: ``Columns(Age=Bounded(0, 120), Town=str)``. Several things are
    said in a tuple: ``Wage=(Bounded(0, 9e5), MayBeMissing())``. A name that is no identifier stands in a dictionary:
    ``Columns({"Zip code": str})``."""

    __slots__ = ("columns",)

    def __init__(
        self, named: dict[str, Column | tuple[Column, ...]] | None = None, /, **columns: Column | tuple[Column, ...]
    ) -> None:
        self.columns: dict[str, tuple[Column, ...]] = {
            name: said if isinstance(said, tuple) else (said,) for name, said in {**(named or {}), **columns}.items()
        }

    def __repr__(self) -> str:
        return f"Columns({self.columns!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Columns) and self.columns == other.columns

    def __hash__(self) -> int:
        return hash(tuple(self.columns.items()))


@dataclass(frozen=True, slots=True)
class IsStatic(Word):
    """The parameter is public: chosen without looking at the data."""


@dataclass(frozen=True, slots=True)
class IsPrivate(Word):
    """What is returned is private."""


T = TypeVar("T")
R = WithDefault("R", default=Any)
P = ParamSpec("P")

Static = Annotated[T, IsStatic()]
"""A public parameter, chosen without looking at the data: ``eps: Static[float]``."""
Private = Annotated[R, IsPrivate()]
"""The claim of a function: whatever stands in its protected parameters, what it returns tells little of it.
``-> Private`` leaves open what that is."""


def black_box(function: Callable[P, T]) -> Callable[P, T]:
    """A function whose body is not looked into. It is taken to be deterministic, to change nothing that it is given,
    and to return what its annotation says."""
    return function
