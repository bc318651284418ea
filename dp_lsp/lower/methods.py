"""What several definitions of one name must not do, at top level and inside functions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from dp_lsp.core.term import Definition, Method
from dp_lsp.language import Semantics
from dp_lsp.lower import problems
from dp_lsp.problem import Kind, Problem, Related
from dp_lsp.text import Span


class Conflict(NamedTuple):
    """Why the definitions of a name contradict each other."""

    kind: type[Kind]
    why: str

    def at(self, span: Span, name: str, *others: Related) -> Problem:
        """The problem of a name whose definitions contradict each other; ``others`` points to them."""
        return self.kind.at(span, name=name, why=self.why, related=others)


def conflict(found: Sequence[tuple[int, Definition]], semantics: Semantics) -> Conflict | None:
    """Whether definitions of one name, each with its position among all definitions, contradict each other."""
    if len(found) < 2:
        return None
    methods = [definition for _, definition in found if isinstance(definition, Method) and not definition.assigned]
    if not methods:
        return Conflict(problems.AssignedTwice, "a top-level value is assigned once")
    if len(methods) < len(found):
        return Conflict(problems.TwoStyles, "it is both a variable and a function")
    if not semantics.dispatches:
        return Conflict(problems.SameSignature, "the last one replaces the others")
    if any(method.body is None for method in methods):
        return Conflict(problems.BlackBoxMethods, "a black box has one method")
    if any(after - before != 1 for (before, _), (after, _) in pairwise(found)):
        return Conflict(problems.NotAdjacent, "its methods do not stand together")
    if len({method.dispatch for method in methods}) < len(methods):
        return Conflict(problems.SameSignature, "two of its methods take the same arguments at run time")
    return None
