"""In which arguments a row is monotone: its result rises, or falls, where the argument becomes larger, in the orders of
:mod:`dp_lsp.core.sens`.

A selection costs less where a change moves all scores the same way. Rows without this trait may go any way: whoever
adds one need not think of this, and who gives it to one must be sure for all types that the row accepts. The result
may go a way in one argument whatever the others are, as far as their types tell where they lie.
"""

from __future__ import annotations

from collections.abc import Callable

from dp_lsp.builtins import intervals
from dp_lsp.builtins.define import Args, Builtin, Trait
from dp_lsp.builtins.factors import of_others
from dp_lsp.core.algebra import Poly
from dp_lsp.core.metrics import as_dataset
from dp_lsp.core.sens import Way, through
from dp_lsp.core.types import BoolType, Bounds, Dataset, NumberType, Type
from dp_lsp.core.values import value

Ways = tuple[Way | None, ...]

_ZERO = Poly.of(0)


@value
class Monotone(Trait):
    """``of`` says which way the result goes in each argument, by their types; ``count`` the same of so many arguments,
    whatever their types turn out to be, where that is known."""

    of: Callable[[Args], Ways]
    count: Callable[[int], Ways] | None = None


def of(row: Builtin, args: Args) -> Ways:
    """Which way a use of a row goes in each argument."""
    trait = row.trait(Monotone)
    return (None,) * len(args) if trait is None else trait.of(args)


def whatever(row: Builtin, count: int) -> Ways:
    """Which way a use of a row goes in each of so many arguments, whatever their types turn out to be."""
    trait = row.trait(Monotone)
    return (None,) * count if trait is None or trait.count is None else trait.count(count)


def _whatever(count: Callable[[int], Ways]) -> Monotone:
    return Monotone(lambda args: count(len(args)), count)


def _in_all(count: int) -> Ways:
    return (Way.RISES,) * count


def _in_first(count: int) -> Ways:
    return (Way.RISES, *(None,) * (count - 1))


def _in_last(count: int) -> Ways:
    return (*(None,) * (count - 1), Way.RISES)


def _difference(count: int) -> Ways:
    return (Way.FALLS,) if count == 1 else (Way.RISES, *(Way.FALLS,) * (count - 1))


def _product(args: Args) -> Ways:
    """Each factor goes the way that the sign of the others says."""
    signs = [intervals.way(intervals.of(type_)) for type_ in args.types]
    return of_others(signs, through, Way.RISES)


def _quotient(args: Args) -> Ways:
    return intervals.way(intervals.of(args.types[1])), None


def _size(args: Args) -> Ways:
    return (intervals.way(intervals.of(args.types[0])),)


def _by_records(args: Args) -> Ways:
    """What is made of the records one by one: with more of them there is more."""
    return tuple(Way.RISES if isinstance(type_, Dataset) else None for type_ in args.types)


def _picked(args: Args) -> Ways:
    """An entry goes the way of its container; a record more leaves any record at a position of a dataset."""
    return (None,) * len(args) if isinstance(args.types[0], Dataset) else _in_first(len(args))


def _counted(args: Args) -> Ways:
    """Counts of records, by public numbers."""
    return tuple(Way.RISES if name == "v" else None for name in args.names)


def _total(args: Args) -> Ways:
    """Of records the sign of what one adds decides; the entries of a container are added up themselves."""
    if args.names == ("f", "v"):
        return _mapped(args)
    if not isinstance(args.types[0], Dataset):
        return _in_first(len(args))
    return (intervals.way(_bounds(args.types[0])), *(None,) * (len(args) - 1))


def _mapped(args: Args) -> Ways:
    """Entries go the way of the function, and all go the way that the function goes."""
    if isinstance(args["v"], Dataset):
        return _by_records(args)
    return Way.RISES, args.applied["f"].ways[0]


def _by_rows(args: Args) -> Ways:
    """Rows go the way of the function that makes them."""
    if isinstance(args["m"], Dataset):
        return _by_records(args)
    return _as_applied(args)


def _as_applied(args: Args) -> Ways:
    """What is made of the parts of containers goes the way of the function, and all the way that the function goes."""
    return Way.RISES, *args.applied["f"].ways


def _by_entry(args: Args) -> Ways:
    """The same of entries, of one container or of several, as far as these are no records."""
    return _by_records(args) if any(isinstance(type_, Dataset) for type_ in args.types) else _as_applied(args)


def _folded(args: Args) -> Ways:
    """The steps go one after the other, so what is carried through them must rise with itself. A result that rises
    with it goes the way of the elements, and of what the function captures."""
    of_element, of_value = args.applied["f"].ways
    if of_value is not Way.RISES:
        return (None,) * len(args)
    return Way.RISES, Way.RISES, of_element


def ranks(args: Args) -> Way | None:
    """Scores of the smallest and of the largest number count the records on one side alone: more of them are worse."""
    return Way.FALLS if args.static("alpha").number in (0, 1) else None


def _ranked(args: Args) -> Ways:
    return tuple(ranks(args) if name == "v" else None for name in args.names)


def _bounds(type_: Type) -> Bounds | None:
    """Where the numbers of a dataset lie; rows of them, anywhere, but truth values are counted."""
    dataset = as_dataset(type_)
    if dataset is None:
        return None
    element = dataset.records.element
    if isinstance(element, BoolType):
        return Bounds(_ZERO, Poly.of(1))
    if dataset.records.rows is not None:
        return None
    return element.bounds if isinstance(element, NumberType) else None


IN_ALL, IN_FIRST, IN_LAST, DIFFERENCE = map(_whatever, (_in_all, _in_first, _in_last, _difference))
PRODUCT, QUOTIENT, SIZE, TOTAL = map(Monotone, (_product, _quotient, _size, _total))
MAPPED, BY_ROWS, AS_APPLIED, FOLDED = map(Monotone, (_mapped, _by_rows, _as_applied, _folded))
BY_ENTRY = Monotone(_by_entry)
PICKED, BY_RECORDS, RANKED, COUNTED = map(Monotone, (_picked, _by_records, _ranked, _counted))
