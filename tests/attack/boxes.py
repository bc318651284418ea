"""Black boxes that are as bad as what is said of them allows: any other argument gives another result, anywhere."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dp_lsp.builtins.meanings import array, is_container
from dp_lsp.core.annotation import Annotation, ContainerOf, NumberOf, Truth
from dp_lsp.core.types import Base, Kind

Boxes = dict[str, Callable[..., Any]]


def box(*arguments: Any) -> Callable[..., Any]:
    """What a box returns: a value of the type, and of the size, that it is unboxed as."""
    seed = "; ".join(map(_said, arguments))
    return lambda form, *sizes: _made(form, sizes[0] if sizes else None, random.Random(f"{seed} as {form}"))


BOXES: Boxes = {"b1": box, "b2": box}


def _said(value: Any) -> str:
    if is_container(value):
        return f"[{value.shape}: {', '.join(map(_said, value.flat))}]"
    return str(value) if isinstance(value, bool) else str(Fraction(value))


def _made(form: Annotation, size: Any, source: random.Random) -> Any:
    match form:
        case Truth():
            return source.random() < 0.5
        case NumberOf(Base.INTEGER):
            return source.choice((source.randint(-3, 3), source.randint(-(10**6), 10**6)))
        case NumberOf():
            return Fraction(source.choice((source.randint(-3, 3), source.randint(-(10**6), 10**6))))
        case ContainerOf(kind, element):
            shape = size if kind is Kind.MATRIX else (size,)
            of = NumberOf(element) if isinstance(element, Base) else NumberOf(Base.DATA)
            count = shape[0] * shape[1] if kind is Kind.MATRIX else size
            return array((_made(of, None, source) for _ in range(count)), shape)
    raise AssertionError(f"nothing is made for {form}")
