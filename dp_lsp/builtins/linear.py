"""How rows are linear functions of their arguments: of each use, what the result is if the arguments are linear
functions of something, which :mod:`dp_lsp.core.linear` measures. What an argument adds that is public is left out.

What the results of rows are stored as, by how their arguments are: the language says so of numbers and arrays
(:class:`dp_lsp.core.machine.Storage`), and here it is put into types.
"""

from __future__ import annotations

from collections.abc import Sequence

from dp_lsp.builtins.define import Args, Linear
from dp_lsp.core import machine
from dp_lsp.core.linear import WHOLE, WIDEST, LinearForm, Piece, chosen, combined, side_by_side, summed
from dp_lsp.core.machine import BOOL, Storage, Stored
from dp_lsp.core.metrics import is_data, is_discrete
from dp_lsp.core.types import BoolType, Container, Dataset, NumberType, TupleType, Type
from dp_lsp.core.values import replace


def as_stored(storage: Storage, name: str, args: Args, type_: Type) -> Type:
    """The type of the result of a row, with what a language stores it as. Where a type is given the row says so
    itself."""
    boxes = [type_.records if isinstance(type_, Dataset) else type_ for type_ in args.types]
    made = args.applied.get("f")
    found = (
        None
        if made is None
        else storage.made(name, stored_numbers(made.result), isinstance(type_, Container | Dataset))
    )
    if found is None and not args.binds.types:
        found = storage.numbers(name, *map(stored_numbers, args.types))
    if found is None:
        return type_
    numbers = found if stored_numbers(type_) != BOOL else BOOL
    held = storage.arrays(name, [box.stored for box in boxes if isinstance(box, Container)], numbers)
    return _put(type_, found, held, _is_abstract(args))


def stored_numbers(type_: Type) -> Stored:
    """What the numbers in a value are stored as; 0 where there are none."""
    match type_:
        case NumberType(stored=stored):
            return stored
        case BoolType():
            return BOOL
        case Container(element=element) | Dataset(records=Container(element=element)):
            return stored_numbers(element)
    return 0


def _is_abstract(args: Args) -> bool:
    """Whether an array among the arguments may have an abstract element type."""
    boxes = (type_ for type_ in args.types if isinstance(type_, Container | Dataset))
    return any(stored_numbers(box) & ~machine.NUMBERS for box in boxes)


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


Forms = Sequence[LinearForm | None]


def added(args: Args, forms: Forms) -> LinearForm | None:
    """The sum of all arguments."""
    return combined((form, WHOLE) for form in forms if form is not None)


def difference(args: Args, forms: Forms) -> LinearForm | None:
    """The first argument less the second one; of one argument, the negative."""
    signs = (WHOLE, -WHOLE) if len(forms) > 1 else (-WHOLE,)
    return combined((form, sign) for form, sign in zip(forms, signs, strict=True) if form is not None)


def product(args: Args, forms: Forms) -> LinearForm | None:
    """The one argument that is not public, as often as the public numbers say."""
    private = [form for form in forms if form is not None]
    factor = WHOLE
    for form, value in zip(forms, args.statics, strict=True):
        if form is None:
            if value is None or not factor.is_short(WIDEST):
                return None
            factor = factor * value
    return combined([(private[0], factor)]) if len(private) == 1 else None


def quotient(args: Args, forms: Forms) -> LinearForm | None:
    """The first argument divided by a public number, of which a condition says that it is not 0."""
    if forms[0] is None or forms[1] is not None:
        return None
    divisor = args.statics[1]
    if divisor is None or not divisor.terms:
        return None
    return combined([(forms[0], divisor.inverse())])


def entries(args: Args, forms: Forms) -> LinearForm | None:
    """A vector that is written entry by entry."""
    return side_by_side(forms)


def picked(args: Args, forms: Forms) -> LinearForm | None:
    """What stands at public positions of the first argument."""
    places = [value for value in args.statics[1:] if value is not None]
    of = forms[0]
    if of is None or len(places) < len(args) - 1:
        return None
    if not of.written:
        return of.of_pieces(lambda piece: piece.at(places))
    place = places[0].number
    return LinearForm((of.rows[int(place) - 1],)) if place in range(1, len(of.rows) + 1) and place else None


def column(args: Args, forms: Forms) -> LinearForm | None:
    """What stands at one public position of each row of the first argument, which are numbers and not compared by
    equality."""
    of, place = forms[0], args.statics[1]
    if of is None or place is None or of.written or is_discrete(args.container("m").element):
        return None
    return of.of_pieces(lambda piece: piece.column(place))


def total(args: Args, forms: Forms) -> LinearForm | None:
    """The sum of all entries of the argument."""
    (of,) = forms
    if of is None:
        return None
    return summed(of) if of.written else of.of_pieces(Piece.sum)


def mapped(args: Args, forms: Forms) -> LinearForm | None:
    """Of a function that returns its argument a public number of times, up to something public: the last argument, as
    often. What the function captured has no part in it."""
    function, of = forms
    times = args.applied["f"].times
    return combined([(of, times)]) if function is None and of is not None and times is not None else None


def total_of_mapped(args: Args, forms: Forms) -> LinearForm | None:
    """The sum of what such a function makes of all entries."""
    made = mapped(args, forms)
    return None if made is None else total(args, (made,))


def size(args: Args, forms: Forms) -> LinearForm | None:
    """The argument, or its negative."""
    (of,) = forms
    return None if of is None or any(map(is_data, args.types)) else chosen((of, combined([(of, -WHOLE)])))


def one_of(args: Args, forms: Forms) -> LinearForm | None:
    """One of the arguments, whichever is the largest or the smallest."""
    return None if any(map(is_data, args.types)) else chosen(forms)


def either(args: Args, forms: Forms) -> LinearForm | None:
    """The second or the third argument, as the first one says, which is public."""
    return None if forms[0] is not None or any(map(is_data, args.types)) else chosen(forms[1:])


def in_range(args: Args, forms: Forms) -> LinearForm | None:
    """The first argument, or a public bound of the range into which it is moved."""
    of, lower, upper = forms
    public = lower is None and upper is None
    return chosen((of, None)) if of is not None and public and not is_data(args.types[0]) else None


def itself(name: str) -> Linear:
    """The argument of a name."""
    return lambda args, forms: forms[args.names.index(name)]
