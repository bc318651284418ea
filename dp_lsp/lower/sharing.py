"""What a written value may share with others in memory: of which objects it is made, and how a name comes by it."""

from __future__ import annotations

from dp_lsp import builtins, surface
from dp_lsp.language import Semantics
from dp_lsp.lower.facts import is_operator, names_below
from dp_lsp.lower.ownership import NOWHERE, Memory, Provenance
from dp_lsp.lower.scope import BodyScope


class Sharing:
    """The memory of expressions in a scope. ``captures`` is what the functions without a name that were made in it
    have captured."""

    def __init__(self, scope: BodyScope, semantics: Semantics) -> None:
        self._scope = scope
        self._semantics = semantics
        self.captures: dict[surface.Node, Memory] = {}

    def of(self, node: surface.Node) -> Memory:
        """What may be reached from a value that was lowered here: what it is made of, and what is new."""
        match node:
            case surface.Number() | surface.Boolean():
                return NOWHERE
            case surface.Name():
                return self._scope.memory(node.name)
            case surface.Lambda():
                return self.new(self.captures.get(node, NOWHERE))
            case surface.Tuple(items=parts) | surface.Vector(items=parts):
                return self.new(*map(self.of, parts))
            case surface.If(then=then, otherwise=otherwise):
                lasts = [side.statements[-1] for side in (then, otherwise) if side is not None and side.statements]
                return self.new(*map(self.of, lasts))
            case surface.Comprehension(each=each, over=over):
                return self.new(self.captures.get(each, NOWHERE), self.of(over))
            case surface.Broadcast():
                return self.new(*(self._scope.memory(name) for name in names_below(node)))
            case surface.Call(callee=callee, args=args, keywords=keywords):
                return self._of_result(callee, [self.of(arg) for arg in args]).union(*map(self.of, keywords))
            case surface.Keyword(value=value):
                return self.of(value)
            case surface.Index(value=value) | surface.Field(value=value):
                return self.of(value)
            case surface.Assign(value=value) | surface.Return(value=surface.Node() as value):
                return self.of(value)
        return self.new()

    def new(self, *memories: Memory) -> Memory:
        """The memory of a new object that holds others."""
        return self._scope.ownership.fresh().union(*memories)

    def _of_result(self, callee: surface.Node, given: list[Memory]) -> Memory:
        """What may be reached from the result of a call: of a function of which nothing is known all its arguments,
        and what it has captured."""
        row = self._scope.builtin_of(callee)
        if row is None:
            known = self._scope.effects_of(callee)
            passed = range(len(given)) if known is None else known.passes(len(given))
            captured = [self.of(callee)] if known is None or known.captured else []
            return self.new(*captured, *(given[position] for position in passed))
        if isinstance(callee, surface.Name) and is_operator(callee.name) and not any(given):
            return NOWHERE
        if self._semantics.may_be_view(row.name):
            return self.new(*given)
        models = self._scope.ownership.models
        arrays = (memory - models for memory in builtins.sharing_arrays(row, given))
        return self.new(*builtins.passed_on(row, given), *arrays)

    def origin(self, node: surface.Node) -> Provenance:
        """How a name comes by a value that is written like this."""
        match node:
            case surface.Index() | surface.Field():
                return Provenance.PART
            case surface.Call(callee=callee, args=args):
                row = self._scope.builtin_of(callee)
                if row is not None and self._semantics.may_be_view(row.name):
                    return Provenance.CALL
                if row is not None and builtins.sharing_arrays(row, args):
                    return Provenance.COPY
                return Provenance.CALL if row is None or builtins.passed_on(row, args) else Provenance.NAME
            case surface.If():
                return Provenance.CHOICE
        return Provenance.NAME
