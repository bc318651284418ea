"""`convert`, as return annotations and element types ask for it."""

from __future__ import annotations

from .failures import Failure, Unmodelled
from .types import ABSTRACT, INT, INTEGER, NUMBER, Parameter, Type, is_below
from .values import Array, Range, Turned, Value, is_a, is_number, made, number, solid, type_of


def convert(wanted: Parameter, value: Value) -> Value:
    """A value as one of a type; what is of it already stays as it is."""
    if is_a(value, wanted):
        return value
    if not isinstance(wanted, Type):
        raise Unmodelled("conversion to what is no type")
    if is_number(value) and is_below(wanted, NUMBER):
        return _number(wanted, value)
    if isinstance(value, Array | Turned | Range) and wanted.name in ("Array", "AbstractArray"):
        return _array(wanted, value)
    if isinstance(value, tuple) and wanted.name == "Tuple" and len(value) == len(wanted.params):
        return tuple(convert(each, part) for each, part in zip(wanted.params, value, strict=True))
    raise Failure("MethodError", f"Cannot `convert` an object of type {type_of(value)} to an object of type {wanted}")


def _number(wanted: Type, value: Value) -> Value:
    exact = number(value)
    if wanted.name not in ABSTRACT:
        return made(wanted, exact)
    if wanted in (INTEGER, Type("Signed")):
        if exact != int(exact):
            raise Failure("InexactError", f"{wanted}({float(exact)!r})")
        return made(INT, int(exact))
    if wanted.name == "AbstractFloat":
        return made(Type("Float64"), exact)
    raise Unmodelled(f"conversion of {type_of(value)} to {wanted}")


def _array(wanted: Type, value: Array | Turned | Range) -> Value:
    element = wanted.params[0] if wanted.params else None
    axes = wanted.params[1] if len(wanted.params) > 1 else len(value.shape)
    if axes != len(value.shape):
        raise Failure("MethodError", f"Cannot `convert` an object of type {type_of(value)} to {wanted}")
    if not isinstance(element, Type):
        if isinstance(value, Array) and element is not None:
            raise Failure("MethodError", f"Cannot `convert` an object of type {type_of(value)} to {wanted}")
        return solid(value)  # a range or an adjoint becomes an array of its own
    whole = solid(value)
    return Array(element, [convert(element, each) for each in whole.entries], whole.shape)
