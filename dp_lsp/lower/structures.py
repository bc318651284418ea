"""Structures of named numbers: a type by the names and types of its parts is a tuple whose items have these names, and
calling it makes one.

Julia gives such a type a constructor that converts what it is given to the types of the parts (Julia manual,
"Constructors", "Outer-only constructors": ``new(convert(T, x), …)``). So the constructor is a method whose body makes
the tuple, each item converted as what a function declares to return is. Of a part that is a whole number it must be
given one: what is none makes the run fail.
"""

from __future__ import annotations

from dp_lsp import surface
from dp_lsp.core import term
from dp_lsp.core.annotation import Annotation, Anything, NumberOf, Truth, TupleOf
from dp_lsp.core.term import Body, Local, Method
from dp_lsp.core.types import Base, Label
from dp_lsp.language import Builtins, Language, RefusedType


def structure(node: surface.Structure, language: Language) -> TupleOf | None:
    """What a definition of a type by its parts is; None if these are not all numbers or truth values."""
    names = tuple(field.name for field in node.fields)
    parts = list[Annotation]()
    for field in node.fields:
        try:
            part, static = language.annotations.parameter(field.annotation)
        except RefusedType:
            return None
        whole_numbers = isinstance(part, NumberOf) and part.base is not Base.DATA
        if static or not (whole_numbers or isinstance(part, Truth)):
            return None
        parts.append(part)
    defaults = any(field.default is not None for field in node.fields)
    if len(set(names)) < len(names) or (defaults and not node.by_name):
        return None
    return TupleOf(tuple(parts), Label(names, node.name), node.by_name)


def constructor(node: surface.Structure, made: TupleOf, language: Language) -> Method:
    """The function that makes one of its parts."""
    params = tuple(_param(field, part, node.by_name) for field, part in zip(node.fields, made.items, strict=True))
    given = (term.Use(param.span, param.local) for param in params)
    items = tuple(converted(value, part, language.builtins) for value, part in zip(given, made.items, strict=True))
    signature = tuple("Any" for _ in params)
    body = Body((), term.MakeTuple(node.span, items, made.label))
    return Method(node.name, node.span, node.span, node.span, params, signature, Anything(), False, body, frozenset())


def _param(field: surface.Parameter, part: Annotation, by_name: bool) -> term.Param:
    """The parameter for a part. Numbers of any type are converted to that of the part."""
    taken = NumberOf(part.base) if isinstance(part, NumberOf) else part
    default = None
    if isinstance(field.default, surface.Number):
        default = term.Literal(field.default.span, field.default.value, field.default.integer)
    return term.Param(Local(field.name, field.span), taken, False, field.span, default=default, by_name=by_name)


def converted(value: term.Term, part: Annotation, code: Builtins) -> term.Term:
    """What a part is given, as a value of its type."""
    if not isinstance(part, NumberOf) or not part.stored:
        return value
    row = code.conversion(part.stored)
    return value if row is None else term.Call(value.span, row, (value,), value.span)
