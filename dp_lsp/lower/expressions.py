"""Expressions: from the surface tree to core terms, names being resolved to versions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dp_lsp import builtins, surface
from dp_lsp.builtins.patterns import FromBox, GivenNorm, GivenTruth, GivenType
from dp_lsp.core import term
from dp_lsp.core.term import Local, Term
from dp_lsp.language import Language
from dp_lsp.lower import problems, type_names
from dp_lsp.lower.effects import Effects, Known
from dp_lsp.lower.facts import as_function, described, is_everyday, is_operator, is_reserved, written
from dp_lsp.lower.ownership import NOWHERE, Memory, Origin
from dp_lsp.lower.scope import Scope, Unreadable
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.text import Span


class Expressions:
    """What is in scope, and the terms of expressions in it. ``uses`` collects the top-level names that are read;
    ``where`` says to a person what is being lowered; ``known`` is what is known of top-level functions."""

    def __init__(
        self,
        where: str,
        text: str,
        report: list[Problem],
        known: Known,
        language: Language,
        outer: Expressions | None = None,
    ) -> None:
        self._text = text
        self._language = language
        self.uses: set[str] = set() if outer is None else outer.uses
        self._where = where
        self._problems = report
        self._known = known
        self._scope: Scope = Scope(None if outer is None else outer._scope, known)
        self._captures: dict[surface.Node, Memory] = {}
        self._around: tuple[surface.Index, Term, int] | None = None
        """The index that is being lowered, what it is of, and the position in it."""

    def _value_choice(self, node: surface.If) -> Term:
        """An ``if`` inside an expression; its branches are statements."""
        raise NotImplementedError

    def _function_value(self, node: surface.Lambda) -> Term:
        """A function without a name."""
        raise NotImplementedError

    def _expression(self, node: surface.Node) -> Term:
        match node:
            case surface.Number(value=value, integer=integer):
                return term.Literal(node.span, value, integer)
            case surface.Boolean(value=value):
                return term.Literal(node.span, value)
            case surface.Name():
                return self._value_of_name(node)
            case surface.Call():
                return self._call(node)
            case surface.Tuple(items=items):
                return term.MakeTuple(node.span, tuple(self._expression(item) for item in items))
            case surface.Vector(items=items):
                args = tuple(self._expression(item) for item in items)
                return term.Call(node.span, builtins.LITERAL, args, node.span)
            case surface.Range(first=first, step=step, last=last):
                ends = (self._expression(each) for each in (first, step, last) if each is not None)
                return term.Call(node.span, builtins.RANGE, tuple(ends), node.span)
            case surface.Index():
                return self._indexed(node)
            case surface.Bound():
                return self._bound(node)
            case surface.If() if node.otherwise is not None:
                return self._value_choice(node)
            case surface.Lambda():
                return self._function_value(node)
            case surface.Opaque(broken=True):
                return term.Hole(node.span, "a syntax error")
        return self._refused(node, described(node))

    # Names

    def _value_of_name(self, node: surface.Name) -> Term:
        """A name as a value. Whoever is given a function calls it without knowing that it changes something."""
        value = self._name(node)
        effects = self._effects(node)
        if effects is not None and effects.change_something:
            self._problems.append(problems.ChangingFunctionAsValue.at(node.span, name=node.name))
            return term.Hole(node.span, f"`{node.name}` as a value")
        return value

    def _name(self, node: surface.Name, called: bool = False) -> Term:
        found = self._scope.read(node)
        if isinstance(found, Local):
            return term.Use(node.span, found)
        if isinstance(found, Unreadable):
            self._problems.append(found.problem)
            return term.Hole(node.span, f"`{node.name}` has no value here")
        if node.name in self._language.vocabulary.running:
            elsewhere = " other than on a line of its own at top level" if node.name == surface.INCLUDE else ""
            return self._refused(node, f"`{node.name}`{elsewhere}")
        if builtins.find(node.name) is not None:
            return self._builtin_as_value(node)
        self.uses.add(node.name)
        return term.Global(node.span, node.name, called)

    def _builtin_as_value(self, node: surface.Name) -> Term:
        function = as_function(node.name, self._language.rendering)
        fixes = (Fix(f"write `{function}`", (Edit(node.span, function),)),) if function else ()
        hint = f"; write `{function}`" if function else ""
        self._problems.append(problems.BuiltinAsValue.at(node.span, name=node.name, hint=hint, fixes=fixes))
        return term.Hole(node.span, f"the builtin `{node.name}` as a value")

    def _effects(self, callee: surface.Node) -> Effects | None:
        """What is known of a call of a function of the program; None if that is nothing."""
        if not isinstance(callee, surface.Name):
            return None
        owner = self._scope.owner(callee.name)
        if owner is None:
            return self._known.get(callee.name)
        local = owner.now.get(callee.name)
        return None if local is None else self._scope.effects.get(local)

    # Calls

    def _call(self, node: surface.Call) -> Term:
        callee = node.callee
        if not isinstance(callee, surface.Name):
            return self._apply(node, self._expression(callee))
        if not self._scope.has(callee.name):
            if callee.name in self._language.vocabulary.running:
                return self._name(callee)
            if (found := builtins.find(callee.name)) is not None:
                return self._builtin_call(node, *found)
            if is_operator(callee.name) and callee.name not in builtins.REFUSED:
                return self._refused(callee, f"the operator `{callee.name}`")
        function = self._name(callee, called=True)
        effects = self._effects(callee)
        changed = () if effects is None else effects.changes(len(node.args))
        if changed is None:
            return self._refused(node, f"a call of `{callee.name}`, whose methods change different arguments,")
        if changed:
            self._problems.append(problems.NotAVariable.at(node.span, name=callee.name))
            function = term.Hole(node.span, "a change inside an expression")
        return self._apply(node, function)

    def _apply(self, node: surface.Call, function: Term) -> Term:
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
        count, names = len(node.args), tuple(keyword.name for keyword in node.keywords)
        fitting = (form.parameters(count, names) for form in row.forms)
        params = next(filter(None, fitting), None) or max((form.params for form in row.forms), key=len)
        placed = (
            self._argument(arg, params[min(position, len(params) - 1)].pattern)
            for position, arg in enumerate(node.args)
        )
        return (*placed, *(self._by_name(keyword, row) for keyword in node.keywords))

    def _by_name(self, keyword: surface.Keyword, row: builtins.Builtin) -> Term:
        patterns = (param.pattern for form in row.forms for param in form.params if param.name == keyword.name)
        return self._argument(keyword.value, next(patterns, None))

    def _argument(self, node: surface.Node, pattern: object) -> Term:
        if isinstance(pattern, GivenNorm) and isinstance(node, surface.Name) and node.name in type_names.NORMS:
            return term.NormArgument(node.span, type_names.NORMS[node.name])
        if isinstance(pattern, GivenTruth) and isinstance(node, surface.Boolean):
            return term.TruthArgument(node.span, node.value)
        if isinstance(pattern, FromBox):
            value = self._expression(node)
            return replace(value, unboxed=True) if isinstance(value, term.Apply) else value
        if isinstance(pattern, GivenType):
            try:
                return term.TypeArgument(node.span, type_names.meaning(node))
            except type_names.Refused as refused:
                name, place = written(refused.node), refused.node.span
                found = problems.UnknownType.at(place, written=name, hint=refused.hint, fixes=refused.fixes)
                self._problems.append(found)
                return term.Hole(node.span, "a type that is not understood")
        return self._expression(node)

    def _indexed(self, node: surface.Index) -> Term:
        value = self._expression(node.value)
        row, places = _way(node.indices)
        if any(isinstance(place, surface.Whole | surface.Range) for place in places) or not 1 <= len(places) <= 2:
            return self._refused(node, "this way of indexing")
        around = self._around
        args = [value]
        for place in places:
            self._around = node, value, next(i for i, each in enumerate(node.indices) if each.end >= place.end)
            args.append(self._expression(place))
        self._around = around
        return term.Call(node.span, row, tuple(args), node.span)

    def _bound(self, node: surface.Bound) -> Term:
        """The first or the last position of what is indexed there, which has a name: it is looked at twice."""
        if self._around is None:
            return self._refused(node, "`end` in a function inside an index")
        index, value, position = self._around
        if not node.last:
            return term.Literal(node.span, Fraction(1), True)
        if not isinstance(index.value, surface.Name):
            return self._refused(node, "`end` as an index of something without a name")
        row, dimension = builtins.extent(len(index.indices), position)
        along = () if dimension is None else (term.Literal(node.span, Fraction(dimension), True),)
        return term.Call(node.span, row, (replace(value), *along), node.span)  # a term of its own, inferred once

    def _opens_scope(self, node: surface.Node) -> bool:
        if (
            not isinstance(node, surface.Assign)
            or node.operator is not None
            or not isinstance(node.value, surface.Call)
        ):
            return False
        row = self._builtin_of(node.value.callee)
        return row is not None and row.scope == "tail"

    # What values may share

    def _memory(self, node: surface.Node) -> Memory:
        """What may be reached from a value that was lowered here: what it is made of, and what is new."""
        match node:
            case surface.Number() | surface.Boolean():
                return NOWHERE
            case surface.Name():
                return self._scope.memory(node.name)
            case surface.Lambda():
                return self._new(self._captures.get(node, NOWHERE))
            case surface.Tuple(items=parts) | surface.Vector(items=parts):
                return self._new(*map(self._memory, parts))
            case surface.If(then=then, otherwise=otherwise):
                lasts = [side.statements[-1] for side in (then, otherwise) if side is not None and side.statements]
                return self._new(*map(self._memory, lasts))
            case surface.Call(callee=callee, args=args):
                return self._memory_of_result(callee, [self._memory(arg) for arg in args])
            case surface.Index(value=value):
                return self._memory(value)
            case surface.Assign(value=value) | surface.Return(value=surface.Node() as value):
                return self._memory(value)
        return self._new()

    def _new(self, *memories: Memory) -> Memory:
        return self._scope.ownership.fresh().union(*memories)

    def _memory_of_result(self, callee: surface.Node, given: list[Memory]) -> Memory:
        """What may be reached from the result of a call: of a function of which nothing is known all its arguments,
        and what it has captured."""
        row = self._builtin_of(callee)
        if row is None:
            known = self._effects(callee)
            passed = range(len(given)) if known is None else known.passes(len(given))
            captured = [self._memory(callee)] if known is None or known.captured else []
            return self._new(*captured, *(given[position] for position in passed))
        if isinstance(callee, surface.Name) and is_operator(callee.name) and not any(given):
            return NOWHERE
        models = self._scope.ownership.models
        arrays = (memory - models for memory in builtins.sharing_arrays(row, given))
        return self._new(*builtins.passed_on(row, given), *arrays)

    def _builtin_of(self, callee: surface.Node) -> builtins.Builtin | None:
        """The builtin that a call is one of; None for a function of the program."""
        if not isinstance(callee, surface.Name) or self._scope.has(callee.name):
            return None
        found = builtins.find(callee.name)
        return None if found is None else found[0]

    def _origin(self, node: surface.Node) -> Origin:
        """How a name comes by a value that is written like this."""
        match node:
            case surface.Index():
                return Origin.PART
            case surface.Call(callee=callee, args=args):
                row = self._builtin_of(callee)
                if row is not None and builtins.sharing_arrays(row, args):
                    return Origin.COPY
                return Origin.CALL if row is None or builtins.passed_on(row, args) else Origin.NAME
            case surface.If():
                return Origin.CHOICE
        return Origin.NAME

    # Problems

    def _check_meaning(self, name: str, span: Span) -> None:
        """A name of the language must not get another meaning, unless it is one that people use for variables."""
        if is_reserved(name, self._language.vocabulary) and not is_everyday(name):
            self._problems.append(problems.BuiltinRedefined.at(span, name=name))

    def _refused(self, node: surface.Node, what: str) -> Term:
        self._refuse(node.span, what)
        return term.Hole(node.span, what)

    def _refuse(self, span: Span, what: str) -> None:
        text, hint = (
            what[0].upper() + what[1:],
            self._language.rendering.instead(what, self._text[span.start : span.end]),
        )
        self._problems.append(problems.Unsupported.at(span, what=text, where=self._where, hint=hint))


def _way(indices: tuple[surface.Node, ...]) -> tuple[str, tuple[surface.Node, ...]]:
    """The row for indices like these, and what it is given."""
    match indices:
        case (surface.Range(first=first, step=None, last=last),):
            return builtins.SLICE, (first, last)
        case (surface.Whole(), surface.Range(first=first, step=None, last=last)):
            return builtins.SLICE_OF_COLUMNS, (first, last)
        case (surface.Range(first=first, step=None, last=last), surface.Whole()):
            return builtins.SLICE_OF_ROWS, (first, last)
        case (surface.Whole(), place):
            return builtins.COLUMN, (place,)
        case (place, surface.Whole()):
            return builtins.ROW, (place,)
    return builtins.INDEX, indices
