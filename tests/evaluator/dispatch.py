"""The choice of a method, by the types that the arguments have when the program runs."""

from __future__ import annotations

from collections.abc import Sequence

from .failures import Failure, Unmodelled
from .types import Parameter, Type, Var, is_below
from .values import BUILTIN, Builtin, Function, Method, Value, is_a, type_of


def chosen(function: Function, args: Sequence[Value]) -> Method:
    """The most specific method for some arguments; fails where there is none, or no best one."""
    key = tuple(map(type_of, args))
    known = function.chosen.get(key)
    if known is None:
        known = function.chosen[key] = _choose(function, args, key)
    return known


def _choose(function: Function, args: Sequence[Value], key: tuple[Type, ...]) -> Method:
    fitting = [method for method in function.methods if _fits(method, args)]
    said = f"{function.name}({', '.join(f'::{each}' for each in key)})"
    if not fitting:
        raise Failure("MethodError", f"no method matching {said}")
    best = [one for one in fitting if all(one is other or is_better(one, other) for other in fitting)]
    if not best:
        raise Failure("MethodError", f"{said} is ambiguous")
    return best[0]


def _fits(method: Method, args: Sequence[Value]) -> bool:
    types = spread(method, len(args))
    bound: dict[str, Parameter] = {}
    return types is not None and all(is_a(arg, type_, bound) for arg, type_ in zip(args, types, strict=True))


def spread(method: Method, count: int) -> tuple[Parameter, ...] | None:
    """The types of so many arguments; None where the method takes another number."""
    if not method.variadic:
        return method.types if len(method.types) == count else None
    fixed = len(method.types) - 1
    return None if count < fixed else (*method.types[:fixed], *method.types[fixed:] * (count - fixed))


def is_better(one: Method, other: Method) -> bool:
    """Whether a method is strictly more specific than another one."""
    if _covers(other, one):
        if not _covers(one, other):
            return True
        return (_repeats(one), not one.variadic) > (_repeats(other), not other.variadic)
    return False


def _covers(wide: Method, narrow: Method) -> bool:
    count = max(len(wide.types), len(narrow.types))
    ones, others = spread(narrow, count), spread(wide, count)
    if ones is None or others is None:
        return False
    if narrow.variadic and not wide.variadic:
        return False
    return all(is_below(one, other) for one, other in zip(ones, others, strict=True))


def _repeats(method: Method) -> bool:
    named = [each.name for each in method.types if isinstance(each, Var)]
    return len(set(named)) < len(named)


def extended(builtin: Builtin) -> Function:
    """A builtin as a function that a program adds methods to."""
    if not builtin.signatures:
        raise Unmodelled(f"the methods of `{builtin.name}`")
    methods = [Method(signature, builtin.run, keywords=BUILTIN) for signature in builtin.signatures]
    return Function(builtin.name, methods)
