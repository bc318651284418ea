"""What several definitions of one name must not do, at top level and inside functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dp_lsp.core.machine import UNREAD, Declared
from dp_lsp.core.term import Definition, Method
from dp_lsp.language import Semantics
from dp_lsp.lower import problems
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind, Problem, Related
from dp_lsp.text import Span

_SAME_TYPES = "two methods of `{name}` {may}take arguments of the same types when the program runs"


class Conflict(NamedTuple):
    """Why the definitions of a name contradict each other."""

    kind: type[Kind]
    why: str
    may: bool = False
    """Whether it is only possible, as something in a header was not understood."""
    of_calls: bool = False
    """Whether each definition is what it says, and only a call does not tell which one it is of."""
    again: bool = False
    """Whether a name has one definition at a time, whatever its arguments are."""

    def at(self, span: Span, name: str, *others: Related) -> Problem:
        """The problem of a name whose definitions contradict each other; ``others`` points to them."""
        may = "may " if self.may else ""
        which = f"two functions are called `{name}`" if self.again else _SAME_TYPES.format(name=name, may=may)
        return self.kind.at(span, name=name, why=self.why, which=which, related=others)


def conflict(found: Sequence[tuple[int, Definition]], semantics: Semantics, early: bool) -> Conflict | None:
    """Whether definitions of one name, each with its position among all definitions, contradict each other. What may
    run ``early``, before all of them are there, needs methods that stand together."""
    if len(found) < 2:
        return None
    methods = [definition for _, definition in found if isinstance(definition, Method) and not definition.assigned]
    if not methods:
        return Conflict(problems.AssignedTwice, "a top-level value is assigned once")
    if len(methods) < len(found):
        return Conflict(problems.TwoStyles, "it is both a variable and a function")
    if not semantics.dispatches:
        return Conflict(problems.SameSignature, "the last one replaces the others", again=True)
    if any(method.body is None for method in methods):
        return Conflict(problems.BlackBoxMethods, "a black box has one method")
    if early and any(after - before != 1 for (before, _), (after, _) in pairwise(found)):
        return Conflict(problems.NotAdjacent, "its methods do not stand together, and a value at top level calls it")
    taken = [types for method in methods for types in method.defines or (method.dispatch,)]
    if len(set(taken)) < len(taken):
        return Conflict(problems.SameSignature, "two of its methods take the same arguments at run time")
    unread = [types for types in taken if UNREAD in types]
    if any(_may_be_same(types, other) for types in unread for other in taken if other is not types):
        return Conflict(problems.SameSignature, "two of its methods may take the same arguments at run time", may=True)
    if any(param.by_name or param.default is not None for method in methods for param in method.params):
        why, apart = "what has default values or keywords has one method here", not _fills_in(methods)
        return Conflict(problems.OptionalMethods, why, of_calls=apart)
    return None


def _fills_in(methods: Sequence[Method]) -> bool:
    """Whether a default value may take the place of an argument of another method: that may run then instead."""
    for method in methods:
        placed = [param for param in method.params if not param.by_name]
        counts = {
            len(types) for other in methods if other is not method for types in other.defines or (other.dispatch,)
        }
        if len(placed) in counts and any(param.default is not None for param in placed):
            return True
    return False


def is_unread(definition: Definition) -> bool:
    """Whether something in the header of a method was not understood."""
    return isinstance(definition, Method) and UNREAD in definition.dispatch


def _may_be_same(left: Sequence[Declared], right: Sequence[Declared]) -> bool:
    """Whether annotations may be the same types, as some of them were not understood."""
    return len(left) == len(right) and all(a == b or UNREAD in (a, b) for a, b in zip(left, right, strict=True))
