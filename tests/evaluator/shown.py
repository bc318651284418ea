"""Values as `print` writes them."""

from __future__ import annotations

from .types import Type
from .values import NAN, Array, Builtin, Char, Function, Range, Record, Symbol, Turned, Value, Wide, type_of


def shown(value: Value, inside: bool = False) -> str:
    """The text of a value; ``inside`` a container strings have quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"' if inside else value
    if value is None:
        return "nothing"
    if isinstance(value, Symbol | Char):
        return value.text
    if isinstance(value, Wide):
        return f"{value.type}({value.number})"
    if isinstance(value, Array | Turned | Range):
        return f"{value.type}[{', '.join(shown(each, True) for each in value.in_order())}]"
    if isinstance(value, Record):
        return f"{value.type}({', '.join(shown(each, True) for each in value.items)})"
    if type(value) is tuple:
        return f"({', '.join(shown(each, True) for each in value)}{',' if len(value) == 1 else ''})"
    if isinstance(value, Function | Builtin):
        return value.name
    if isinstance(value, int):
        return str(value)
    if value is NAN:
        return "NaN"
    if hasattr(value, "numerator"):
        return repr(float(value)) if value.denominator & (value.denominator - 1) == 0 else f"{value}≈{float(value)}"
    return str(value) if isinstance(value, Type) else str(type_of(value))
