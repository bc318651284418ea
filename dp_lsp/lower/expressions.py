"""Expressions: from the surface tree to core terms, names being resolved to versions."""

from __future__ import annotations

from dp_lsp import builtins, surface
from dp_lsp.builtins.patterns import GivenNorm, GivenType
from dp_lsp.core import term
from dp_lsp.core.term import Local, Term
from dp_lsp.lower import problems, type_names
from dp_lsp.lower.facts import EVALUATING, INCLUDE, described, is_reserved, written
from dp_lsp.lower.ownership import Memory, Ownership
from dp_lsp.problem import Problem
from dp_lsp.text import Span


class Expressions:
    """What is in scope, and the terms of expressions in it. ``uses`` collects the top-level names that are read;
    ``where`` says to a person what is being lowered."""

    def __init__(self, where: str, report: list[Problem]) -> None:
        self.uses: set[str] = set()
        self._where = where
        self._problems = report
        self._scope: dict[str, Local] = {}
        self._lost: dict[str, str] = {}
        self._local_names: frozenset[str] = frozenset()  # names that are local somewhere in the body
        self._ownership = Ownership()

    def _value_choice(self, node: surface.If) -> Term:
        """An ``if`` inside an expression; its branches are statements."""
        raise NotImplementedError

    def _expression(self, node: surface.Node) -> Term:
        match node:
            case surface.Number(value=value, integer=integer):
                return term.Literal(node.span, value, integer)
            case surface.Boolean(value=value):
                return term.Literal(node.span, value)
            case surface.Name():
                return self._name(node)
            case surface.Call():
                return self._call(node)
            case surface.Tuple(items=items):
                return term.MakeTuple(node.span, tuple(self._expression(item) for item in items))
            case surface.Vector(items=items):
                args = tuple(self._expression(item) for item in items)
                return term.Call(node.span, builtins.LITERAL, args, node.span)
            case surface.Index():
                return self._indexed(node)
            case surface.If() if node.otherwise is not None:
                return self._value_choice(node)
            case surface.Opaque(broken=True):
                return term.Hole(node.span, "a syntax error")
        return self._refused(node, described(node))

    def _name(self, node: surface.Name) -> Term:
        local = self._scope.get(node.name)
        if local is not None:
            return term.Use(node.span, local)
        if node.name in self._lost or node.name in self._local_names:
            where = self._lost.get(node.name, "another part of the function")
            self._problems.append(problems.MaybeUndefined.at(node.span, name=node.name, where=where))
            return term.Hole(node.span, f"`{node.name}` may not have a value")
        if node.name in EVALUATING:
            elsewhere = " other than on a line of its own at top level" if node.name == INCLUDE else ""
            return self._refused(node, f"`{node.name}`{elsewhere}")
        if node.name in builtins.PLANNED or builtins.find(node.name) is not None:
            return self._refused(node, f"the builtin `{node.name}` as a value")
        self.uses.add(node.name)
        return term.Global(node.span, node.name)

    def _call(self, node: surface.Call) -> Term:
        callee = node.callee
        if not isinstance(callee, surface.Name):
            return self._refused(node, "a call of something that is no name")
        if callee.name in self._local_names and callee.name not in self._scope:
            return self._name(callee)
        if callee.name in self._scope:
            function: Term = term.Use(callee.span, self._scope[callee.name])
        elif callee.name in EVALUATING:
            return self._name(callee)
        elif callee.name in builtins.PLANNED:
            return self._refused(node, f"the builtin `{callee.name}`")
        elif (found := builtins.find(callee.name)) is not None:
            return self._builtin_call(node, *found)
        elif not callee.name.isidentifier() and not callee.name.endswith("!"):
            return self._refused(callee, f"the operator `{callee.name}`")
        else:
            self.uses.add(callee.name)
            function = term.Global(callee.span, callee.name)
        if node.keywords:
            return self._refused(node, "a keyword argument")
        return term.Apply(node.span, function, tuple(self._expression(arg) for arg in node.args))

    def _builtin_call(self, node: surface.Call, row: builtins.Builtin, changes: bool) -> Term:
        if row.scope == "tail":
            return self._refused(node, f"`{row.name}` other than in an assignment that names what it draws")
        if changes:
            name = node.callee.name if isinstance(node.callee, surface.Name) else row.name
            self._problems.append(problems.NotAVariable.at(node.span, name=name))
            return term.Hole(node.span, "a change inside an expression", self._arguments(node, row))
        return self._builtin(node, row, self._arguments(node, row))

    def _builtin(
        self, node: surface.Call, row: builtins.Builtin, args: tuple[Term, ...], mutates: bool = False
    ) -> Term:
        names = tuple(keyword.name for keyword in node.keywords)
        unknown = next((name for name in names if name not in row.keywords or names.count(name) > 1), None)
        if unknown is not None:
            return self._refused(node, f"the keyword argument `{unknown}` of `{row.name}`")
        return term.Call(node.span, row.name, args, node.callee.span, mutates, names)

    def _arguments(self, node: surface.Call, row: builtins.Builtin) -> tuple[Term, ...]:
        params = max((form.params for form in row.forms), key=len)
        placed = (
            self._argument(arg, params[min(position, len(params) - 1)].pattern)
            for position, arg in enumerate(node.args)
        )
        return (*placed, *(self._expression(keyword.value) for keyword in node.keywords))

    def _argument(self, node: surface.Node, pattern: object) -> Term:
        if isinstance(pattern, GivenNorm) and isinstance(node, surface.Name) and node.name in type_names.NORMS:
            return term.NormArgument(node.span, type_names.NORMS[node.name])
        if isinstance(pattern, GivenType):
            try:
                return term.TypeArgument(node.span, type_names.meaning(node))
            except type_names.Refused as refused:
                self._problems.append(
                    problems.UnknownType.at(refused.node.span, written=written(refused.node), hint=refused.hint)
                )
                return term.Hole(node.span, "a type that is not understood")
        return self._expression(node)

    def _indexed(self, node: surface.Index) -> Term:
        value = self._expression(node.value)
        indices = node.indices
        if len(indices) == 2 and isinstance(indices[1], surface.Whole) and not isinstance(indices[0], surface.Whole):
            return term.Call(node.span, builtins.ROW, (value, self._expression(indices[0])), node.span)
        if any(isinstance(index, surface.Whole | surface.Range) for index in indices) or not 1 <= len(indices) <= 2:
            return self._refused(node, "this way of indexing")
        args = (value, *(self._expression(index) for index in indices))
        return term.Call(node.span, builtins.INDEX, args, node.span)

    def _memory(self, node: surface.Node) -> Memory:
        """What a value that is bound to a name stands for."""
        match node:
            case surface.Name():
                return self._ownership.of(node.name)
            case surface.Tuple(items=parts) | surface.Vector(items=parts):
                return self._ownership.fresh().union(*(self._memory(part) for part in parts))
            case surface.If(then=then, otherwise=otherwise):
                lasts = [side.statements[-1] for side in (then, otherwise) if side is not None and side.statements]
                return self._ownership.fresh().union(*(self._memory(last) for last in lasts))
            case surface.Call(callee=surface.Name(name=name), args=args) if builtins.find(name) is None:
                return self._ownership.fresh().union(*(self._memory(arg) for arg in args))
            case surface.Index(value=value):
                return self._memory(value)
            case surface.Assign(value=value) | surface.Return(value=surface.Node() as value):
                return self._memory(value)
        return self._ownership.fresh()

    def _opens_scope(self, node: surface.Node) -> bool:
        value = node.value if isinstance(node, surface.Assign) and node.operator is None else None
        if not isinstance(value, surface.Call) or not isinstance(value.callee, surface.Name):
            return False
        found = None if value.callee.name in self._scope else builtins.find(value.callee.name)
        return found is not None and found[0].scope == "tail"

    def _check_meaning(self, name: str, span: Span) -> None:
        """A name of the language must not get another meaning."""
        if is_reserved(name):
            self._problems.append(problems.BuiltinRedefined.at(span, name=name))

    def _refused(self, node: surface.Node, what: str) -> Term:
        self._refuse(node.span, what)
        return term.Hole(node.span, what)

    def _refuse(self, span: Span, what: str) -> None:
        text = what[0].upper() + what[1:]
        self._problems.append(problems.Unsupported.at(span, what=text, where=self._where))
