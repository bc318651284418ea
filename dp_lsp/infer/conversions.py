"""What a return annotation makes of a value: Julia converts the value to the type, and stops where it cannot.

Source: the Julia manual, "Functions", "Return type", and "Conversion and Promotion".
"""

from __future__ import annotations

from dataclasses import replace

from dp_lsp.core import machine, term
from dp_lsp.core.display import type_words
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.types import Container, Dataset, Kind, NumberType, TupleType, Type
from dp_lsp.infer import dispatch, problems
from dp_lsp.infer.dispatch import Cover
from dp_lsp.infer.inference import Inference


def returned(inference: Inference, method: term.Method, result: Judgement) -> Judgement:
    """The value of a method as its caller gets it."""
    type_ = inference.type(result)
    found = converted(type_, method.converts)
    if found is None:
        given, declared = dispatch.given_words(type_), type_words(type_)
        inference.report(problems.WrongResult.at(method.name_span, name=method.name, declared=declared, given=given))
        return result
    return result if found is type_ else _as(result, found)


def _as(value: Judgement, type_: Type) -> Judgement:
    """A value with another type, and so its items."""
    items = type_.items if isinstance(type_, TupleType) else ()
    if len(items) != len(value.parts):
        return replace(value, type=type_, parts=())
    return replace(value, type=type_, parts=tuple(map(_as, value.parts, items)))


def converted(type_: Type, wanted: machine.Declared) -> Type | None:
    """``convert(T, x)`` for values of a type; None where some may not be converted. A value of T is left as it is; one
    of a ``Vector{<:T}`` can be made of no other array."""
    match wanted, type_:
        case (machine.Numbers(stored), NumberType()):
            return replace(type_, stored=machine.converted(type_.stored, stored))
        case (machine.Arrays(_, elements), Container(kind=kind)) if kind is not Kind.GRADIENT:
            if dispatch.cover(wanted, type_) in (Cover.ALL, Cover.OPEN):
                return type_
            if elements & machine.ABSTRACT:
                return replace(type_, stored=machine.ARRAY)
            if elements & (elements - 1) or not isinstance(type_.element, NumberType):
                return None
            return replace(type_, element=replace(type_.element, stored=elements), stored=machine.ARRAY)
        case (machine.Arrays(), Dataset(records=records)):
            held = converted(records, wanted)
            return replace(type_, records=held) if isinstance(held, Container) else None
        case (machine.Tuples(items), TupleType(parts)) if len(items) == len(parts):
            made = [each for each in map(converted, parts, items) if each is not None]
            return TupleType(tuple(made)) if len(made) == len(parts) else None
    return type_
