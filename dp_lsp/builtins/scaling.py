"""Containers added to each other, and multiplied by numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from dp_lsp.builtins.define import Args, Factors, Refusal, joined_base
from dp_lsp.core.metrics import is_data, spread
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, inverse_magnitude, magnitude
from dp_lsp.core.types import Base, BoolType, Container, NumberType, Type


def same_container(args: Args) -> Type | Refusal:
    """Containers of one shape give one of that shape; its clip is lost."""
    base = joined_elements(args)
    return base if isinstance(base, Refusal) else args.containers[0].of(base)


def joined_elements(args: Args) -> Type | Refusal:
    """The type of the elements of containers added to, compared with or chosen instead of each other."""
    containers = args.containers
    if len({isinstance(type_.element, BoolType) for type_ in containers}) > 1:
        return Refusal("truth values are not numbers")
    bases = {type_.element.base for type_ in containers if isinstance(type_.element, NumberType)}
    if Base.DATA in bases and len(bases) > 1:
        return Refusal("elements that are Data cannot be mixed with Integer or Real")
    if not bases:
        return containers[0].element
    return NumberType(Base.REAL if Base.REAL in bases else bases.pop())


def scaled(args: Args) -> Type | Refusal:
    """One container times, or divided by, numbers; its clip is lost. A public number next to Data counts as Data."""
    if len(args.containers) > 1:
        return Refusal("containers are not multiplied with each other")
    box = args.containers[0]
    base = joined_base([box.element, *args.types])
    return base if isinstance(base, Refusal) else box.of(NumberType(base))


def scaling(divide: bool = False) -> Factors:
    """The size |c| of the public numbers (1/|c| where one divides); ∞ beside a private one over ℝ. Over Data: 1, and
    a private number moves every entry."""

    def factors(args: Args) -> tuple[Sens, ...]:
        public = _public(args, divide)
        if is_data(args.containers[0].element):
            most = ZERO if public.zero else ONE
            return _by_kind(args, most, most * spread(args.containers[0]))
        private = INFINITY if _has_private(args) else ONE
        return _by_kind(args, public * private, public * private)

    return factors


def published_scaling(entries: Callable[[Container], Sens]) -> Factors:
    """The same for Data as for numbers; a private number's factor is the number of ``entries``, in every norm."""

    def factors(args: Args) -> tuple[Sens, ...]:
        public = _public(args, divide=False)
        private = INFINITY if _has_private(args) and not is_data(args.containers[0].element) else ONE
        return _by_kind(args, public * private, public * private * entries(args.containers[0]))

    return factors


def entries(box: Container) -> Sens:
    """The number of entries."""
    return magnitude(box.length if box.rows is None else box.length * box.rows)


def _public(args: Args, divide: bool) -> Sens:
    """The size of the product of the public numbers, or of 1 divided by it."""
    size = inverse_magnitude if divide else magnitude
    return reduce(Sens.__mul__, (size(value) for value in args.statics if value is not None), ONE)


def _has_private(args: Args) -> bool:
    return any(isinstance(type_, NumberType) and type_.static is None for type_ in args.types)


def _by_kind(args: Args, container: Sens, number: Sens) -> tuple[Sens, ...]:
    """A factor for the container and one for each private number; a public one moves with nothing."""
    return tuple(
        container if isinstance(type_, Container) else ZERO if args.is_static(index) else number
        for index, type_ in enumerate(args.types)
    )
