"""A program that was loaded, and its functions."""

from __future__ import annotations

from collections.abc import Mapping

from . import compiler
from .compiler import Compiler
from .failures import Failure, Unmodelled
from .machine import Machine
from .privacy import BASE, MODULES
from .values import Function, Module, Value


class Program:
    """Text that was run once; raises what running it raises: :class:`Failure` where Julia throws while it loads."""

    def __init__(self, text: str, files: Mapping[str, str] | None = None) -> None:
        self.machine = Machine(BASE, MODULES)
        self.machine.base["include"] = BASE["identity"]
        self.machine.files = files or {}
        loader = Compiler(self.machine, self.machine.main)
        try:
            loader.load(text)
        except RecursionError:
            raise Unmodelled("it is nested too deeply") from None
        except (compiler.Returned, compiler.Broken, compiler.Continued):
            raise Failure("ErrorException", "syntax: a jump out of nothing") from None

    def function(self, name: str) -> Value:
        """A function of the program by its name, in whatever module it stands."""
        waiting = [self.machine.main]
        while waiting:
            module = waiting.pop()
            found = module.names.get(name)
            if isinstance(found, Function):
                return found
            waiting += [each for each in module.names.values() if isinstance(each, Module) and each is not module]
        raise Failure("UndefVarError", name)

    def call(self, name: str, *args: Value) -> Value:
        """What a function returns; raises :class:`Failure` or :class:`Unmodelled`."""
        function = self.function(name)
        try:
            return self.machine.call(function, *args)
        except RecursionError:
            raise Unmodelled("calls that are nested too deeply") from None
