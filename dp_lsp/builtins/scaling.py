"""Containers added to each other, and multiplied by numbers."""

from __future__ import annotations

from collections.abc import Callable

from dp_lsp.builtins.define import Args, Factors, Refusal
from dp_lsp.core.metrics import conversion
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, inverse_magnitude, magnitude
from dp_lsp.core.types import Base, Container, Norm, NumberType, Type


def same_container(args: Args) -> Type | Refusal:
    """Containers of one shape give one of that shape; its clip is lost."""
    first = args.container(args.names[0])
    base = joined_elements(args)
    return base if isinstance(base, Refusal) else first.of(base)


def joined_elements(args: Args) -> Type | Refusal:
    """The type of the elements of containers added to each other."""
    containers = [type_ for type_ in args.types if isinstance(type_, Container)]
    bases = {type_.element.base for type_ in containers if isinstance(type_.element, NumberType)}
    if Base.DATA in bases and len(bases) > 1:
        return Refusal("elements that are Data cannot be mixed with Integer or Real")
    if not bases:
        return containers[0].element
    return NumberType(Base.REAL if Base.REAL in bases else bases.pop())


def scaled(container: str, scalar: str) -> Callable[[Args], Type | Refusal]:
    """A container times or divided by a number; its clip is lost."""

    def result(args: Args) -> Type | Refusal:
        box, factor = args.container(container), args[scalar]
        element = box.element
        if not isinstance(element, NumberType) or not isinstance(factor, NumberType):
            return box.of(element)
        base = joined_base_of(element, factor)
        return base if isinstance(base, Refusal) else box.of(NumberType(base))

    return result


def joined_base_of(element: NumberType, factor: NumberType) -> Base | Refusal:
    """The base of a product of an element and a number; a static number next to Data counts as Data."""
    if (element.base is Base.DATA) == (factor.base is Base.DATA):
        return Base.REAL if Base.REAL in (element.base, factor.base) else element.base
    if element.base is Base.DATA and factor.static is not None:
        return Base.DATA
    return Refusal("Data cannot be mixed with Integer or Real: they are measured differently")


def scaling_factors(container: str, scalar: str, divide: bool = False) -> Factors:
    """|c| (or 1/|c|) for a static c; ∞ for a private one over ℝ. Over Data: 1, and the number's own entry is the
    number of elements in the norm (n, √n, 1), a matrix's times its rows."""

    def factors(args: Args) -> tuple[Sens, ...]:
        box, factor = args.container(container), args[scalar]
        value = factor.static if isinstance(factor, NumberType) else None
        element = box.element
        data = isinstance(element, NumberType) and element.base is Base.DATA
        if data:
            own = ZERO if value is not None and not value.terms and not divide else ONE
            other = spread(box)
        elif value is not None:
            own, other = (inverse_magnitude(value) if divide else magnitude(value)), ZERO
        else:
            own, other = INFINITY, INFINITY
        return tuple(own if name == container else other for name in args.names)

    return factors


def spread(box: Container) -> Sens:
    """The distance of containers all of whose elements differ by 1."""
    rows = ONE if box.rows is None else magnitude(box.rows)
    return rows * conversion(Norm.LINF, box.norm, box.length)
