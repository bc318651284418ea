"""What a run has: modules, the names of Base, what is printed and what mechanisms are asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .dispatch import chosen
from .failures import Failure, Unmodelled
from .types import Type
from .values import BUILTIN, Builtin, Function, Module, Value, type_of

STEPS = 60_000


class Draw(NamedTuple):
    """A mechanism that was run: what it hides (an entry of its argument), and how well; in which ``call``, and what it
    says that it costs if all that the call hides moves by 1."""

    kind: str
    scale: float
    hidden: Fraction
    call: int = 0
    cost: Fraction = Fraction(0)


class Machine:
    """``released`` says what a mechanism returns for the draw of a number."""

    def __init__(self, base: Mapping[str, Value], modules: Mapping[str, Mapping[str, Value]]) -> None:
        self.base = dict(base)
        self.modules = {name: Module(name, dict(names)) for name, names in modules.items()}
        self.main = Module("Main", {})
        self.files: Mapping[str, str] = {}
        self.printed: list[str] = []
        self.draws: list[Draw] = []
        self.released: Callable[[int, Draw], Fraction] = lambda index, draw: draw.hidden
        self.steps = 0
        self.untyped = 0
        """How often a name was read of whose type Julia infers nothing: one of several values, read where it is
        captured, or one at top level that is no constant."""
        self.indexed: list[tuple[Value, int, int]] = []
        self.made: dict[Type, Callable[..., Value]] = {}
        self.calls, self.cost = 0, Fraction(0)

    def start(self, released: Callable[[int, Draw], Fraction] | None = None) -> None:
        """Before a call of a function: nothing is printed or drawn yet."""
        self.printed, self.draws, self.steps, self.indexed = [], [], 0, []
        self.calls, self.cost = 0, Fraction(0)
        if released is not None:
            self.released = released

    def draw(self, kind: str, scale: float, hidden: Fraction) -> Fraction:
        made = Draw(kind, scale, hidden, self.calls, self.cost)
        self.draws.append(made)
        return self.released(len(self.draws) - 1, made)

    def tick(self) -> None:
        self.steps += 1
        if self.steps > STEPS:
            raise Unmodelled("a run that takes long")

    def call(self, function: Value, *args: Value, **named: Value) -> Value:
        """A value called with some arguments."""
        self.tick()
        if isinstance(function, Builtin):
            return self._builtin(function, args, named)
        if isinstance(function, Function):
            method = chosen(function, args)
            if method.keywords is BUILTIN:
                return method.run(self, *args, **named)
            unknown = named.keys() - method.keywords
            if unknown:
                raise Failure("MethodError", f"{function.name} got unsupported keyword arguments")
            return method.run(*args, **named)
        if isinstance(function, Type) and function in self.made:
            return self.made[function](*args, **named)
        if isinstance(function, Type):
            return self._builtin(self.base["convert"], (function, *args), named, function)
        raise Failure("MethodError", f"objects of type {type_of(function)} are not callable")

    def _builtin(
        self, function: Builtin, args: Sequence[Value], named: Mapping[str, Value], as_type: Type | None = None
    ) -> Value:
        try:
            return function.run(self, *args, **named)
        except TypeError:
            try:
                inspect.signature(function.run).bind(self, *args, **named)
            except TypeError:
                name = function.name if as_type is None else as_type
                said = f"{name}({', '.join(f'::{type_of(arg)}' for arg in args)})"
                raise Failure("MethodError", f"no method matching {said}") from None
            raise
