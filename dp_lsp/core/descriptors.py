"""What may be public of a value, as its type says it: where its numbers lie, how many records there are, how long rows
are."""

from __future__ import annotations

from enum import Enum, auto

from dp_lsp.core.notation import shown
from dp_lsp.core.types import Base, Dataset, NumberType, Type


class Descriptor(Enum):
    """Bounds of numbers; the number of records, or the least that it is; a bound on the norm of every row."""

    BOUNDS = auto()
    COUNT = auto()
    ROWS = auto()


def words(descriptor: Descriptor, type_: Type | None, name: str) -> str:
    """What is known, as a sentence without its verb: "the bounds of `v` (0 to 9) are"; empty if nothing is."""
    match descriptor, type_:
        case Descriptor.BOUNDS, _:
            bounds = getattr(_number(type_), "bounds", None)
            return "" if bounds is None else f"the bounds of `{name}` ({shown(bounds.low)} to {shown(bounds.high)}) are"
        case Descriptor.COUNT, Dataset(metric) if metric.sized:
            return f"the public number of records of `{name}` is"
        case Descriptor.COUNT, Dataset(least=least) if least is not None:
            return f"the least number of records of `{name}` ({shown(least)}) is"
        case Descriptor.ROWS, Dataset(records=box, radius=radius) if radius is not None:
            return f"the bound on the rows of `{name}` ({shown(radius)} in {box.clip.value}) is"
    return ""


def lacks(descriptor: Descriptor, type_: Type | None) -> bool:
    """Whether a value might have a descriptor, and it is not known."""
    match descriptor, type_:
        case Descriptor.BOUNDS, _:
            number = _number(type_)
            return number is not None and number.static is None and number.bounds is None
        case Descriptor.COUNT, Dataset(metric, least=least):
            return not metric.sized and least is None
        case Descriptor.ROWS, Dataset(records=box, radius=radius):
            return box.rows is not None and radius is None
    return False


def _number(type_: Type | None) -> NumberType | None:
    """A number that is measured, or what the numbers of a dataset are."""
    found = type_.records.element if isinstance(type_, Dataset) else type_
    return found if isinstance(found, NumberType) and found.base is not Base.DATA else None
