"""Values as they are while a program runs, and their run-time types.

A Bool is a ``bool``, an Int64 an ``int``, a Float64 a :class:`~fractions.Fraction` (exact), or :data:`NAN`; other
widths are :class:`Wide`. A String is a ``str``, a tuple a ``tuple``, nothing is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .failures import Failure, Unmodelled
from .types import ANY, BOOL, FLOAT, INT, NOTHING, NUMBER, STRING, TYPE, Bindings, Parameter, Type, is_below, join

Value = Any
LONGEST = 400  # bits of a number that is still computed with


class Wide(NamedTuple):
    """A number of another width, or a rational one."""

    type: Type
    number: Fraction


class NotANumber(Fraction):
    """NaN: all that is computed of it is that, too, and no comparison holds of it. What would take it for a number is
    not modelled."""

    __slots__ = ()

    def _itself(self, *others: Any) -> NotANumber:
        return self

    def _never(self, other: object) -> bool:
        return False

    def _unmodelled(self, *args: Any) -> Any:
        raise Unmodelled("what is no number")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _itself  # type: ignore[assignment]
    __neg__ = __abs__ = _itself  # type: ignore[assignment]
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = _never  # type: ignore[assignment]
    __int__ = __float__ = __trunc__ = __floor__ = __ceil__ = __round__ = __pow__ = __rpow__ = _unmodelled  # type: ignore[assignment]
    __hash__ = object.__hash__
    numerator = denominator = property(_unmodelled)  # type: ignore[assignment]


NAN = NotANumber(1)


class Record(NamedTuple):
    """A named tuple, or a structure of the program."""

    type: Type
    names: tuple[str, ...]
    items: tuple[Value, ...]

    @property
    def is_named_tuple(self) -> bool:
        return self.type.name == "NamedTuple"


class Symbol(NamedTuple):
    """`:name`"""

    text: str


class Char(NamedTuple):
    """A character."""

    text: str


class Array:
    """A Vector or Matrix: what holds it shares it. Entries stand row by row."""

    __slots__ = ("element", "entries", "shape")

    def __init__(self, element: Type, entries: list[Value], shape: tuple[int, ...] | None = None) -> None:
        self.element, self.entries = element, entries
        self.shape = (len(entries),) if shape is None else shape

    @property
    def type(self) -> Type:
        return Type("Array", (self.element, len(self.shape)))

    def in_order(self) -> list[Value]:
        """The entries as Julia goes through them: column by column."""
        if len(self.shape) == 1:
            return list(self.entries)
        rows, cols = self.shape
        return [self.entries[i * cols + j] for j in range(cols) for i in range(rows)]

    def rows(self) -> list[list[Value]]:
        _, cols = self.shape
        return [self.entries[i * cols : (i + 1) * cols] for i in range(self.shape[0])]


class Seen(Array):
    """A row of a matrix that is seen as a part of it; nothing here writes into one."""

    __slots__ = ()

    @property
    def type(self) -> Type:
        return Type("SubArray", (self.element, len(self.shape)))


class Turned:
    """`v'` or `transpose(v)`: a view of an array, of a type of its own."""

    __slots__ = ("name", "parent")

    def __init__(self, name: str, parent: Array) -> None:
        self.name, self.parent = name, parent

    @property
    def element(self) -> Type:
        return self.parent.element

    @property
    def type(self) -> Type:
        return Type(self.name, (self.parent.element, self.parent.type))

    @property
    def shape(self) -> tuple[int, ...]:
        shape = self.parent.shape
        return (1, shape[0]) if len(shape) == 1 else (shape[1], shape[0])

    @property
    def entries(self) -> list[Value]:
        return self.parent.entries if len(self.parent.shape) == 1 else self.parent.in_order()

    def in_order(self) -> list[Value]:
        return list(self.parent.entries)

    def rows(self) -> list[list[Value]]:
        return solid(self).rows()


class Range:
    """`first:last` or `first:step:last`."""

    __slots__ = ("entries", "step", "type", "unit")

    def __init__(self, type_: Type, entries: list[Value], unit: bool) -> None:
        self.type, self.entries, self.unit = type_, entries, unit

    @property
    def element(self) -> Type:
        found = self.type.params[0]
        assert isinstance(found, Type)
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.entries),)

    def in_order(self) -> list[Value]:
        return list(self.entries)


Box = Array | Turned | Range


class Grads:
    """A gradient: a dictionary whose arrays may be shared."""

    __slots__ = ("arrays",)

    def __init__(self, arrays: dict[str, Array]) -> None:
        self.arrays = arrays

    def entries(self) -> list[Value]:
        return [entry for array in self.arrays.values() for entry in array.entries]


class Model:
    """The parameters of a model, in an object that is shared."""

    __slots__ = ("arrays",)

    def __init__(self, arrays: dict[str, Array]) -> None:
        self.arrays = arrays

    def entries(self) -> list[Value]:
        return [entry for array in self.arrays.values() for entry in array.entries]


class Method(NamedTuple):
    """``run`` is given the arguments that fit ``types``. ``optional`` methods come from default arguments."""

    types: tuple[Parameter, ...]
    run: Callable[..., Value]
    variadic: bool = False
    keywords: frozenset[str] = frozenset()


BUILTIN = frozenset(("a builtin",))
"""In place of keywords: the method is one of a builtin, which is given the machine."""


class Function:
    """A function of the program: methods, of which dispatch takes the most specific one."""

    __slots__ = ("chosen", "methods", "name", "type")

    def __init__(self, name: str, methods: Sequence[Method] = ()) -> None:
        self.name, self.methods = name, list(methods)
        self.chosen: dict[tuple[Type, ...], Method] = {}
        self.type = Type(f"#{name}")

    def define(self, method: Method) -> None:
        """A method; one of the same types is replaced."""
        self.chosen.clear()
        same = [each for each in self.methods if (each.types, each.variadic) == (method.types, method.variadic)]
        for each in same:
            self.methods.remove(each)
        self.methods.append(method)


class Builtin:
    """A function that is not the program's. ``signatures`` are the methods it has, where a program may add others."""

    __slots__ = ("name", "run", "signatures", "type")

    def __init__(self, name: str, run: Callable[..., Value], signatures: Sequence[tuple[Type, ...]] = ()) -> None:
        self.name, self.run, self.signatures = name, run, tuple(signatures)
        self.type = Type(f"#{name}")


class Module:
    """A module, its own names, and the functions that it owns."""

    def __init__(self, name: str, names: dict[str, Value]) -> None:
        self.name, self.names = name, names


_PLAIN: dict[type, Type] = {
    bool: BOOL,
    int: INT,
    Fraction: FLOAT,
    NotANumber: FLOAT,
    str: STRING,
    type(None): NOTHING,
    Symbol: Type("Symbol"),
    Char: Type("Char"),
    Grads: Type("DMGrads"),
    Model: Type("DMModel"),
    Module: Type("Module"),
}


def type_of(value: Value) -> Type:
    """The type that a value has while the program runs."""
    known = _PLAIN.get(type(value))
    if known is not None:
        return known
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return Type("Tuple", tuple(map(type_of, value)))
    if isinstance(value, Type):
        return TYPE
    found = getattr(value, "type", None)
    if isinstance(found, Type):
        return found
    return ANY


def is_a(value: Value, type_: Parameter, bound: Bindings | None = None) -> bool:
    return is_below(type_of(value), type_, bound)


def is_number(value: Value) -> bool:
    return isinstance(value, int | Fraction | Wide)


def number(value: Value) -> Fraction | int:
    """A number without its type; a Bool is 0 or 1."""
    if isinstance(value, Wide):
        return value.number
    if isinstance(value, int | Fraction):
        return int(value) if isinstance(value, int) else value
    raise Failure("MethodError", f"no number: {type_of(value)}")


def made(type_: Type, exact: Fraction | int) -> Value:
    """A number of a type; raises where it is not one, as `convert` does."""
    name = type_.name
    if exact is NAN:
        if "Int" in name or name == "Bool":
            raise Failure("InexactError", f"{name}(NaN)")
        return NAN if name == "Float64" else _unknown(type_)
    if name == "Float64":
        return _short(Fraction(exact))
    if name == "Bool":
        if exact not in (0, 1):
            raise Failure("InexactError", f"Bool({exact})")
        return bool(exact)
    if "Int" in name:
        if exact != int(exact):
            raise Failure("InexactError", f"{name}({float(exact)!r})")
        return _short(int(exact)) if name == "Int64" else _narrow(type_, int(exact))
    return Wide(type_, Fraction(_short(Fraction(exact))))


def _unknown(type_: Type) -> Value:
    raise Unmodelled(f"what is no number, as {type_}")


def wide_of(type_: Type, exact: Fraction) -> Value:
    """A number of a type, where abstract ones may be any."""
    if type_.name in ("Real", "Number", "Any"):
        return int(exact) if exact == int(exact) and int(exact) % 2 else exact
    if type_.name == "Integer":
        return int(exact)
    return made(type_, exact)


def _narrow(type_: Type, whole: int) -> Value:
    width = int(type_.name.lstrip("UInt"))
    low, high = (0, 2**width) if type_.name.startswith("U") else (-(2 ** (width - 1)), 2 ** (width - 1))
    if not low <= whole < high:
        raise Unmodelled("numbers that wrap around")
    return Wide(type_, Fraction(whole))


def _short(exact: Any) -> Any:
    if isinstance(exact, int):
        if exact.bit_length() > 62:
            raise Unmodelled("numbers that wrap around")
    elif exact.denominator.bit_length() > LONGEST or exact.numerator.bit_length() > LONGEST:
        raise Unmodelled("numbers that are too long")
    return exact


def joined(values: Sequence[Value]) -> Type:
    """The element type of what is collected of values one by one."""
    if not values:
        raise Unmodelled("the element type of nothing")
    found = type_of(values[0])
    for each in values[1:]:
        found = join(found, type_of(each))
    return found


def collected(values: Sequence[Value], shape: tuple[int, ...] | None = None, empty: Type | None = None) -> Array:
    """An array of values whose element type is what they have in common."""
    if not values and empty is not None:
        return Array(empty, [], shape)
    return Array(joined(values), list(values), shape)


def solid(box: Box | Grads) -> Array:
    """A container as an array of its own."""
    if isinstance(box, Turned):
        rows, cols = box.shape
        parent = box.parent
        if len(parent.shape) == 1:
            return Array(parent.element, list(parent.entries), (1, cols))
        return Array(
            parent.element, [parent.entries[j * rows + i] for i in range(rows) for j in range(cols)], box.shape
        )
    if isinstance(box, Array):
        return Array(box.element, list(box.entries), box.shape)
    if isinstance(box, Range):
        return Array(box.element, list(box.entries))
    raise Failure("MethodError", f"no array: {type_of(box)}")


def elements(value: Value) -> Iterator[Value]:
    """What `for` goes through."""
    if isinstance(value, Array | Turned | Range):
        return iter(value.in_order())
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return iter(value)
    if isinstance(value, Record) and value.is_named_tuple:
        return iter(value.items)
    if isinstance(value, Grads):
        return iter(value.entries())
    if is_number(value):
        return iter((value,))
    if isinstance(value, str):
        return iter([Char(each) for each in value])
    raise Failure("MethodError", f"no method matching iterate(::{type_of(value)})")


def is_numeric(type_: Type) -> bool:
    return is_below(type_, NUMBER)
