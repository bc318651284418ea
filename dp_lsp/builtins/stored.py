"""What the results of rows are stored as, by how their arguments are: the language says so of numbers and arrays
(:class:`dp_lsp.core.machine.Storage`), and here it is put into types."""

from __future__ import annotations

from dp_lsp.builtins.define import Args
from dp_lsp.core import machine
from dp_lsp.core.machine import (
    BOOL,
    Storage,
    Stored,
)
from dp_lsp.core.types import BoolType, Container, Dataset, NumberType, TupleType, Type
from dp_lsp.core.values import replace


def result(storage: Storage, name: str, args: Args, type_: Type) -> Type:
    """The type of the result of a row, with what a language stores it as. Where a type is given the row says so
    itself."""
    boxes = [type_.records if isinstance(type_, Dataset) else type_ for type_ in args.types]
    made = args.applied.get("f")
    found = None if made is None else storage.made(name, of(made.result), isinstance(type_, Container | Dataset))
    if found is None and not args.binds.types:
        found = storage.numbers(name, *map(of, args.types))
    if found is None:
        return type_
    numbers = found if of(type_) != BOOL else BOOL
    held = storage.arrays(name, [box.stored for box in boxes if isinstance(box, Container)], numbers)
    return _put(type_, found, held, _is_abstract(args))


def of(type_: Type) -> Stored:
    """What the numbers in a value are stored as; 0 where there are none."""
    match type_:
        case NumberType(stored=stored):
            return stored
        case BoolType():
            return BOOL
        case Container(element=element) | Dataset(records=Container(element=element)):
            return of(element)
    return 0


def _is_abstract(args: Args) -> bool:
    """Whether an array among the arguments may have an abstract element type."""
    boxes = (type_ for type_ in args.types if isinstance(type_, Container | Dataset))
    return any(of(box) & ~machine.NUMBERS for box in boxes)


def _put(type_: Type, stored: Stored, arrays: Stored, abstract: bool) -> Type:
    match type_:
        case NumberType():
            return replace(type_, stored=machine.values(stored))
        case Container(element=NumberType() as element):
            if abstract and stored == machine.values(stored):
                stored = machine.collected(stored)
            return replace(type_, element=replace(element, stored=stored), stored=arrays)
        case Container():
            return replace(type_, stored=arrays)
        case Dataset(records=records):
            held = _put(records, stored, arrays, abstract)
            assert isinstance(held, Container)
            return replace(type_, records=held)
        case TupleType(items):
            return type_.put(_put(item, stored, arrays, abstract) for item in items)
    return type_
