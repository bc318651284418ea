"""Classes of values. They are dataclasses that are frozen to the type checker only, and whose methods are made without
compiling text: so a check that defines a hundred of them starts in half the time, and makes their values faster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def thing(cls: type[_T]) -> type[_T]:
    """A class of things that are themselves, whatever others look like."""
    return _with_repr(dataclass(repr=False, eq=False, slots=True)(cls))


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def known_thing(cls: type[_T]) -> type[_T]:
    """The same of those that something may be known of as long as they live, by weak references."""
    return _with_repr(dataclass(repr=False, eq=False, slots=True, weakref_slot=True)(cls))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[_T]) -> type[_T]:
    """A class of values that are equal if all their fields are."""
    made = _with_repr(dataclass(repr=False, eq=False, slots=True)(cls))
    names = [each.name for each in fields(made) if each.compare]  # type: ignore[arg-type]
    key: Callable[[object], object] = attrgetter(*names) if names else lambda _: ()

    def equals(self: object, other: object) -> bool:
        return self is other or (key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented)

    made.__eq__ = equals  # type: ignore[method-assign]
    made.__hash__ = lambda self: hash(key(self))  # type: ignore[method-assign]
    return made


def _with_repr(made: type[_T]) -> type[_T]:
    """With a text that shows all fields: digests are made of it."""
    shown = [each.name for each in fields(made) if each.repr]  # type: ignore[arg-type]

    def text(self: object) -> str:
        return f"{made.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    made.__repr__ = text  # type: ignore[method-assign]
    return made
