"""What Julia stores the results of rows as, by how it stores their arguments: see :mod:`dp_lsp.core.machine`.

Rows that are not listed may return any number, and an array where all their containers are arrays: whoever adds one
need not think of this, and who lists one must be sure for all types that the row accepts. It is assumed that the
functions of the published library which return numbers of things return an Int.

Source: Julia's Base (``promotion.jl``, ``number.jl``, ``float.jl``, ``reduce.jl``, ``adjtrans.jl``, ``range.jl``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from dp_lsp.builtins.define import Args
from dp_lsp.core import machine
from dp_lsp.core.machine import ANY_ARRAY, ARRAY, BOOL, ELEMENTS, FLOAT64, INT, OTHER_ARRAY, OTHER_INTEGER, Stored
from dp_lsp.core.types import BoolType, Container, Dataset, NumberType, TupleType, Type

Rule = Callable[..., Stored]


def result(name: str, args: Args, type_: Type) -> Type:
    """The type of the result of a row, with what it is stored as."""
    boxes = [type_.records if isinstance(type_, Dataset) else type_ for type_ in args.types]
    held = arrays(name, [box.stored for box in boxes if isinstance(box, Container)])
    found = _of_applied(name, args, type_)
    if found is None and not (name in _ROUNDING and args.binds.types):
        found = numbers(name, *map(of, args.types))
    return type_ if found is None else _put(type_, found, held, _is_abstract(args))


def numbers(name: str, *given: Stored) -> Stored | None:
    """What the numbers in a result are stored as; None for what the row says itself."""
    rule = _RULES.get(name)
    return ELEMENTS if rule is None else rule(*given)


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


def _of_applied(name: str, args: Args, type_: Type) -> Stored | None:
    """What a row that calls a function makes of its results; None where that is not it."""
    made = args.applied.get("f")
    if made is None or name not in _MADE_OF_RESULTS:
        return None
    stored = of(made.result)
    return machine.total(stored) if not isinstance(type_, Container | Dataset) else machine.collected(stored)


def _is_abstract(args: Args) -> bool:
    """Whether an array among the arguments may have an abstract element type."""
    boxes = (type_ for type_ in args.types if isinstance(type_, Container | Dataset))
    return any(of(box) & ~machine.NUMBERS for box in boxes)


def arrays(name: str, given: Sequence[Stored]) -> Stored:
    """Whether containers in a result are arrays, by whether those among the arguments are."""
    if name in _TURNED:
        return OTHER_ARRAY if list(given) == [ARRAY] else ANY_ARRAY
    if name == ":":
        return OTHER_ARRAY
    return ARRAY if all(each == ARRAY for each in given) and name not in _VIEWS else ANY_ARRAY


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
            return TupleType(tuple(_put(item, stored, arrays, abstract) for item in items))
    return type_


def _first(*given: Stored) -> Stored:
    return given[0]


def _last(*given: Stored) -> Stored:
    return given[-1]


def _difference(*given: Stored) -> Stored:
    return machine.signed(given[0]) if len(given) == 1 else machine.added(*given)


def _power(base: Stored, exponent: Stored) -> Stored:
    """A number times itself; where the exponent is a float, both are promoted."""
    found, times = machine.values(base), machine.values(exponent)
    if found & machine.OTHER_REAL:
        return machine.NUMBERS
    if times & ~machine.WHOLE:
        found = machine.promoted(found, times & ~machine.WHOLE) | (found if times & machine.WHOLE else 0)
    return found | OTHER_INTEGER if found & INT and times & OTHER_INTEGER else found


def _rounded(*given: Stored) -> Stored:
    """With a type as the first argument, which has no numbers, a position; with digits, most are floats."""
    if not given[0]:
        return machine.POSITION
    kept = machine.rounded(given[0])
    return kept if len(given) == 1 else kept | machine.floated(given[0])


def _either(*given: Stored) -> Stored:
    return given[-1] | given[-2]


def _kept_within(*given: Stored) -> Stored:
    """A number or a bound of it, promoted or not."""
    found = machine.promoted(*given)
    for each in given:
        found |= machine.values(each)
    return found


def _counted(*given: Stored) -> Stored:
    return INT


def _with_noise(*given: Stored) -> Stored:
    return machine.promoted(given[-1], FLOAT64)


def _as_it_is(*given: Stored) -> None:
    return None


_ROUNDING = frozenset({"ceil", "round", "floor", "trunc"})
_TURNED = frozenset({"transpose", "'"})
"""Rows that return a view of their argument, turned; of such a view, the array again."""
_VIEWS = frozenset({"vec_to_row"})
"""Rows of which it is not said whether they return an array."""
POSITIONS: dict[str, tuple[str, ...]] = {
    "[]": ("i", "j"),
    "[:]": ("i",),
    "[:,]": ("j",),
    **dict.fromkeys(("[:…:]", "[:…:,]", "[,:…:]"), ("first", "last")),
    **dict.fromkeys(("repeat", "partialsort", "sample", "sample_with_replacement"), ("k",)),
    "resize": ("n",),
    **dict.fromkeys(("round", "floor", "trunc"), ("digits",)),
}
"""Arguments that must be stored as an Integer, and not as a Bool: with any other number the run fails."""
_MADE_OF_RESULTS = frozenset({"map", "sum", "map_rows", "map_cols", "map_rows_binary", "map_cols_binary", "map_parts"})

_RULES: dict[str, Callable[..., Stored | None]] = {
    **dict.fromkeys(("+", "-"), _difference),
    **dict.fromkeys(("*", "%", "mod", "min", "max", "clamp", ":"), machine.promoted),
    "/": machine.quotient,
    "^": _power,
    "abs": lambda x: machine.values(x),
    **dict.fromkeys(_ROUNDING, _rounded),
    "clipn": _kept_within,
    "resize": lambda v, n, fill: machine.values(v) | machine.promoted(v, fill),
    **dict.fromkeys(("sqrt", "log", "exp"), machine.floated),
    "ifelse": _either,
    "[…]": lambda *given: machine.together(given),
    "sum": lambda *given: machine.total(given[0]) if given[0] else ELEMENTS,
    **dict.fromkeys(("disc", "discrete", "undisc", "undisc_container", "clone", "transpose", "'"), _first),
    **dict.fromkeys(("[]", "[:]", "[:,]", "[:…:]", "[:…:,]", "[,:…:]", "sort", "row_to_vec", "vec_to_row"), _first),
    **dict.fromkeys(("unique", "repeat", "maximum", "minimum", "partialsort"), _first),
    **dict.fromkeys(("norm_convert", "filter", "filter_rows"), _last),
    **dict.fromkeys(("length", "size", "argmax", "argmin", "count", "count_rows", "count_distinct"), _counted),
    **dict.fromkeys(("above_threshold", "sparse_vector", "report_noisy_max"), _counted),
    **dict.fromkeys(("gaussian_mechanism", "gaussian_noise", "laplacian_mechanism"), _with_noise),
    "unbox": _as_it_is,
}
"""By the names of rows, of what their arguments hold, in order."""
