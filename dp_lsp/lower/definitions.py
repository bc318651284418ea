"""Top level: what a chunk defines, imports and may do unseen.

Functions, wherever they are made: parameters, bodies, and what a function inside another may do to its names.

A public parameter that is declared without a type has one by what its function does with it. A model is what is given
to a builtin that takes a model there, and a whole number what a loop or a range ends at, or a builtin takes as a public
whole number. Any other is a number. It is read off the text, so a name that is given another value in the function, or
stands for something else in a part of it, is a number, too: no guess is made of it. (The type is a premise of what is
proved, like one that is written: who calls the function with something else is told.)

What several definitions of one name must not do, at top level and inside functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

from dp_lsp import surface
from dp_lsp.builtins import replaceable
from dp_lsp.builtins.patterns import STATIC_INTEGER, Model
from dp_lsp.core import term
from dp_lsp.core.annotation import AModel, Annotation, Anything, NumberOf, TupleOf
from dp_lsp.core.machine import UNREAD, Declared, NominalType, Tuples
from dp_lsp.core.term import Bind, Body, Constant, Definition, Method, Term
from dp_lsp.core.types import HANDLE, Base
from dp_lsp.core.values import replace
from dp_lsp.language import Familiar, Language, RefusedType, Returned, Semantics
from dp_lsp.lower import problems
from dp_lsp.lower.expressions import Expressions
from dp_lsp.lower.facts import (
    EVERYTHING,
    UNUSED,
    How,
    Methods,
    Survey,
    assigned_names,
    below,
    builtin,
    described,
    functions_below,
    grouped,
    is_reserved,
    leaves,
    names_below,
    only_binds,
    refused_target,
    summary,
    unread_below,
    written,
)
from dp_lsp.lower.ownership import OUTSIDE, Aliasing, Holding, Known, Memory, aliasing
from dp_lsp.lower.scope import BodyScope, LoweringUnit, constructor, structure
from dp_lsp.lower.statements import (
    GIVES_NOTHING,
    GIVES_VALUE,
    OTHER_CHANGES,
    Changes,
    Finish,
    Sharing,
    Statements,
    ends_bare,
    fillable,
    may_change,
    may_store,
    returns,
    versions,
)
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Kind, Problem, Related, Severity
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


_WHOLE, _MODEL = NumberOf(Base.INTEGER), AModel()


def used_as(names: Set[str], body: surface.Node, language: Language) -> dict[str, Annotation]:
    """The types that the uses of some parameters in a body say they have, by their names; those of which they say
    nothing, or that have another meaning in a part of the body, are not among them."""
    found, bound = dict[str, list[Annotation]](), set[str]()
    for node in below(body) if names else ():
        if isinstance(node, _BINDING):
            bound |= _bound(node)
        elif isinstance(node, surface.Call | surface.Range):
            for name in {each.name for each in node.children if isinstance(each, surface.Name)} & names:
                found.setdefault(name, []).extend(_told(node, name, language))
    return {
        name: types[0]
        for name, types in found.items()
        if name not in bound and types and all(each == types[0] for each in types)
    }


_BINDING = (surface.Assign, surface.For, surface.Parameter, surface.Function, surface.Opaque)


def _bound(node: surface.Node) -> set[str]:
    """The names that a node gives another meaning in a part of the body."""
    match node:
        case surface.Assign(target=target) | surface.For(target=target):
            return names_below(target)
        case surface.Parameter(name=name):
            return {name}
        case surface.Function(name=surface.Name(name=name)):
            return {name}
        case surface.Opaque(summary=does):
            return set(does.binds | does.outside)
    return set()


def _told(node: surface.Node, name: str, language: Language) -> Iterator[Annotation]:
    """What a node says of a name that it uses."""
    match node:
        case surface.Range(first=first, step=step, last=last):
            yield from (_WHOLE for each in (first, step, last) if _is(each, name))
        case surface.Call(callee=surface.Name(name=callee), args=args):
            meant = builtin(callee, language.builtins)
            fitting = () if meant is None else (form.parameters(len(args)) for form in meant.row.forms)
            forms = [params for params in fitting if params is not None]
            for place, arg in enumerate(args):
                if _is(arg, name) and forms:
                    patterns = [params[place].pattern for params in forms]
                    if all(isinstance(each, Model) for each in patterns):
                        yield _MODEL
                    elif all(each == STATIC_INTEGER for each in patterns):
                        yield _WHOLE


def _is(node: surface.Node | None, name: str) -> bool:
    return isinstance(node, surface.Name) and node.name == name


class Written(NamedTuple):
    """What is written of a function, with a name or without."""

    name: str
    span: Span
    name_span: Span
    header: Span
    params: tuple[surface.Parameter, ...]
    returns: surface.TypeExpr | None
    body: surface.Block

    @classmethod
    def of(cls, node: surface.Function, body: surface.Block) -> Written:
        """A definition with a name of its own."""
        return cls(node.name.name, node.span, node.name.span, node.header, node.params, node.returns, body)

    @classmethod
    def assigned(cls, name: surface.Name, node: surface.Lambda) -> Written:
        """A function without a name that is given one by an assignment."""
        header = Span(name.start, node.body.start)
        span = Span(name.start, node.end)
        return cls(name.name, span, name.span, header, node.params, node.returns, node.body)

    @classmethod
    def nameless(cls, node: surface.Lambda) -> Written:
        """A function without a name; it is called by its parameters."""
        name = ", ".join(param.name for param in node.params)
        name = name if len(node.params) == 1 else f"({name})"
        header = Span(node.start, node.body.start)
        return cls(f"{name} -> …", node.span, node.span, header, node.params, node.returns, node.body)


class Functions:
    """The body of one function. A function inside it has a body of its own, made by :meth:`inside`."""

    def __init__(self, unit: LoweringUnit, outer: Functions | None = None) -> None:
        self._unit = unit
        self._scope: BodyScope = BodyScope(None if outer is None else outer._scope, unit.known, unit.language)
        self._sharing = Sharing(self._scope, unit.language.semantics)
        self._expressions = Expressions(unit, self._scope, self._choice, self._function_value, self._made_in_rounds)
        self._changes = Changes(unit, self._scope, self._sharing, self._expressions)
        guards = 0 if outer is None else outer._statements.guards
        parts = self._sharing, self._expressions, self._changes
        self._statements: Statements = Statements(unit, self._scope, *parts, functions=self, guards=guards)
        self._conflicting: set[str] = set()

    def inside(self) -> Functions:
        """A function inside this one."""
        return Functions(self._unit, self)

    def _choice(self, node: surface.If) -> Term:
        return self._statements.choice_of_values(node)

    def _made_in_rounds(self, node: surface.Comprehension) -> Term | None:
        return self._statements.made_in_rounds(node)

    def method(self, node: Written) -> Method:
        """A method. Everything in it is lowered now; what it captures is noted in its scope."""
        returned = self._returned(node.returns)
        self._unit.is_private |= returned.privacy
        self._check_parameters(node.params)
        params = self._parameters(node.params, node.returns, node.body)
        if returned.black_box:
            self._unit.report(problems.BlackBoxInside.at(node.name_span, name=node.name))
        body = self.function_body(node.body, node)
        ownership = self._scope.ownership
        changes = [i for i, param in enumerate(node.params) if param.name in self._changes.changed]
        for i in changes:
            if params[i].by_name or params[i].default is not None:
                self._unit.refuse(params[i].span, "changing what may be left out, or is given by name")
        passes = [i for i, param in enumerate(node.params) if ownership.given(param.name) & self._statements.returned]
        return Method(
            node.name,
            node.span,
            node.name_span,
            node.header,
            params,
            tuple(self._written(param) for param in node.params),
            returned.type,
            returned.privacy,
            body,
            frozenset(self._unit.uses),
            changes=tuple(changes),
            passes=tuple(passes),
            passes_captured=bool(OUTSIDE & self._statements.returned),
            converts=self._unit.language.annotations.run_time(node.returns),
            presumed=returned.presumed,
            boxed=frozenset(self._scope.boxed),
            defines=_defined(node.params, params),
            needs=self._unit.language.annotations.needed(node.params),
        )

    def constant(self, value: surface.Node) -> Body:
        """The value of a top-level name."""
        return self.function_body(surface.Block(value.start, value.end, (value,)), None)

    def function_body(self, block: surface.Block, node: Written | None) -> Body:
        """The body of a function; its value is that of the last statement, or of the parameters that it changes."""
        outer = self._scope.outer
        known = self._unit.known if outer is None else outer.survey.known
        survey = None if outer is None else outer.survey.inner.get(block)
        self._scope.survey = survey or Survey(block, known, self._unit.language)
        if self._unit.fills:
            params = () if node is None else node.params
            filled = fillable(block, self._unit.language, self._scope.builtin_of)
            self._scope.fillable = filled - {param.name for param in params}
        self._check_names()
        statements = grouped(block.statements)
        body = self._statements.body(statements, self._end(node, block), block.span, may_return=node is not None)
        if node is not None:
            self._check_changes(node, block)
        return body

    def black_box(self, node: surface.Function, mentions: frozenset[str]) -> Method:
        """A black box. Nothing is known of its body but the names in it."""
        self._returned(node.returns)
        self._check_parameters(node.params, may_be_left_out=False)
        params = self._parameters(node.params)
        for param in params:
            if param.static:
                name = param.local.name
                fix = Fix("leave the annotation out", (Edit(param.span, name),))
                found = problems.BlackBoxStatic.at(
                    param.span, name=name, box=node.name.name, fixes=(fix,), code=self._unit.code
                )
                self._unit.report(found)
        captured = mentions - {param.name for param in node.params}
        return Method(
            node.name.name,
            node.span,
            node.name.span,
            node.header,
            params,
            tuple(self._written(param) for param in node.params),
            Anything(),
            False,
            None,
            captured,
            captured,
        )

    def _end(self, node: Written | None, block: surface.Block) -> Finish:
        """How the ways through a body end. Where one ends in a ``return`` without a value all of them do; what each
        gives is the last version of every parameter that any of them changes."""
        if node is None:
            return self._statements.value
        found, bare = list(returns(block)), ends_bare(block)
        early = any(each is not block.statements[-1] for each in found)

        def finish(last: surface.Node | None, binds: list[Bind]) -> Term:
            if isinstance(last, surface.If) and last.otherwise is not None:
                return self._statements.choice(last, finish, may_return=True)
            if not isinstance(last, surface.Return) or (last.value is not None and not (early and bare)):
                return self._statements.tail(last, binds)
            if early and (last.value is not None or not bare):
                return self._statements.refused_return(last, GIVES_VALUE if bare else GIVES_NOTHING)
            names = self._may_change(node) if early else self._changes.changed
            return versions(last.span, (self._scope.now[p.name] for p in node.params if p.name in names), alone=True)

        return finish

    def _may_change(self, node: Written) -> set[str]:
        """The parameters that a call in the body changes, if they still are what the caller gave."""
        return {param.name for param in node.params if self._scope.survey.changes(param.name)}

    def _check_changes(self, node: Written, block: surface.Block) -> None:
        """What a body with these changes must be: one that ends in a ``return`` alone, which none other does."""
        found = list(returns(block))
        if not ends_bare(block):
            if self._changes.changed and not self._changes.refused:
                names = "`, `".join(sorted(self._changes.changed))
                last = block.statements[-1] if block.statements else block
                self._unit.report(problems.MissingReturn.at(last.span, name=names))
            return
        if not self._changes.changed and not self._changes.refused:
            self._unit.report(problems.NothingChanged.at(found[-1].span, name=node.name))
        elif len(found) > 1 and self._changes.changed != self._may_change(node) and not self._changes.refused:
            self._statements.refused_return(found[0], OTHER_CHANGES)
        for name in sorted(self._changes.changed):
            for write in self._scope.survey.known_writes(name):
                if write.how is How.ASSIGNED:
                    self._unit.report(problems.ChangedAndAssigned.at(write.span, name=name))

    # Parameters and annotations

    def _check_parameters(self, params: tuple[surface.Parameter, ...], may_be_left_out: bool = True) -> None:
        """Parameters that are left out in some calls are one problem, however many there are. A number that is written
        out may stand for them, in functions that stand at top level: it is the same in every scope."""
        kinds = {"keyword": "a keyword parameter", "rest": "a parameter that takes any number of arguments"}
        known = may_be_left_out and self._scope.outer is None
        for before, param in zip((None, *params), params, strict=False):
            plain = param.default is None and param.kind == "plain"
            if plain and before is not None and before.default is not None:
                self._unit.refuse(param.span, "a parameter behind one that has a default value")
                return
            fits = param.default is None or _literal(param.default) is not None
            if not plain and not (known and fits and param.kind != "rest"):
                what = "a default value other than a number" if known and not fits else "a default value"
                self._unit.refuse(param.span, what if known and not fits else kinds.get(param.kind, what))
                return

    def _parameters(
        self,
        nodes: tuple[surface.Parameter, ...],
        returns: surface.TypeExpr | None = None,
        body: surface.Block | None = None,
    ) -> tuple[term.Param, ...]:
        """Bring parameters into scope. What they, and what the function returns, are bounded by must be known."""
        is_open = self._unit.language.annotations.is_open
        names = set[str]() if body is None else {node.name for node in nodes if is_open(node.annotation)}
        used = {} if body is None else used_as(names, body, self._unit.language)
        params = tuple(self._parameter(node, used) for node in nodes)
        static = {param.local.name for param in params if param.static and isinstance(param.type, NumberOf)}
        for annotation in (*(node.annotation for node in nodes), returns):
            for refused in self._unit.language.annotations.unknown_limits(annotation, static):
                self._refuse_type(refused)
        return params

    def _parameter(self, node: surface.Parameter, used: Mapping[str, Annotation]) -> term.Param:
        """Bring a parameter into scope. Those of no type may be ``used`` as they would be of one."""
        annotations, semantics = self._unit.language.annotations, self._unit.language.semantics
        local = term.Local(node.name, node.span)
        self._unit.check_meaning(node.name, node.span)
        seen = annotations.run_time(node.annotation)
        try:
            known = annotations.structure(node.annotation, self._unit.structures)
            type_, static = known or annotations.parameter(node.annotation)
            if isinstance(type_, TupleOf) and type_.label is not None:
                self._unit.uses.add(type_.label.of)
            if annotations.is_open(node.annotation):
                type_ = used.get(node.name, type_)
            unrelated = annotations.unrelated(node.annotation, type_) if self._scope.outer is not None else None
            if unrelated is not None:
                raise unrelated
        except RefusedType as refused:
            self._refuse_type(refused)
            type_, static, seen = NumberOf(Base.REAL) if refused.nearly else Anything(), refused.nearly, UNREAD
        if node.name in self._scope.now:
            self._unit.report(problems.AssignedTwice.at(node.span, name=node.name, why="parameters differ in name"))
        if node.name != UNUSED:
            self._scope.now[node.name] = local
            self._scope.fixed.add(node.name)
            if isinstance(type_, NumberOf) or node in self._unit.ranged:
                self._scope.numbers.add(local)
            self._scope.ownership.bind_parameter(node.name, semantics.is_changeable(type_), isinstance(type_, AModel))
        default = None if node.default is None else _literal(node.default)
        by_name = node.kind == "keyword"
        either_way = semantics.names_arguments and not by_name
        return term.Param(local, type_, static, node.span, seen, default, by_name, either_way)

    def _returned(self, annotation: surface.TypeExpr | None) -> Returned:
        try:
            return self._unit.language.annotations.returned(annotation)
        except RefusedType as refused:
            self._refuse_type(refused)
            return Returned(Anything(), privacy=refused.nearly)

    def _refuse_type(self, refused: RefusedType) -> None:
        name = written(refused.node)
        if self._unit.language.annotations.is_of_program(name):
            self._unit.uses.add(name)  # it may be a structure, which is known when the program is
        found = problems.UnknownType.at(refused.node.span, written=name, hint=refused.hint, fixes=refused.fixes)
        self._unit.report(found)

    def _written(self, node: surface.Parameter) -> str:
        if node.annotation is None:
            return "Any"
        return node.annotation.written or self._unit.text[node.annotation.start : node.annotation.end]

    # Functions inside functions

    def _check_names(self) -> None:
        """What the names that the body defines must not be: variables of a function around it, a variable and a
        function at once, or functions whose methods stand apart."""
        scope = self._scope
        for name in scope.survey.writes:
            definitions = list(scope.survey.definitions(name))
            is_parameter = name in scope.fixed
            if not definitions:
                continue
            reaches_out = self._unit.language.semantics.functions_reach_out and not is_parameter
            if scope.outer is not None and reaches_out and scope.outer.has(name):
                self._unit.report(problems.OuterAssigned.at(definitions[0].span, name=name))
                self._scope.version(name, definitions[0].span, Holding(self._sharing.new()))
            styles = [*([How.ASSIGNED] if is_parameter else ()), *(write.how for write in definitions)]
            if How.FUNCTION in styles and len(styles) > 1:
                first = scope.now[name].span if is_parameter else definitions[0].span
                kind = problems.TwoStyles if How.ASSIGNED in styles else problems.NotAdjacent
                related = (Related(f"`{name}` is defined here", first),)
                self._unit.report(kind.at(definitions[-1].span, name=name, related=related))
                self._conflicting.add(name)

    def _function_value(self, node: surface.Lambda, at_once: bool) -> Term:
        closure, self._sharing.captures[node] = self._closure([Written.nameless(node)], "", at_once)
        made = aliasing(closure.methods)
        if made is not None and made.change_something:
            self._unit.report(problems.ChangingFunctionAsValue.at(node.span, name=closure.methods[0].name))
        return closure

    def assign_function(self, node: surface.Assign, target: surface.Name, value: surface.Lambda) -> Bind:
        """A name for a function without one."""
        return self._named(node.span, target, [Written.assigned(target, value)])

    def define_function(self, node: Methods) -> Bind:
        """A function defined inside the body."""
        name = node.functions[0].name
        definitions = []
        for function in node.functions:
            if not isinstance(function.body, surface.Block):
                self._unit.report(problems.BlackBoxInside.at(function.name.span, name=name.name))
                return self._statements.hidden(name.name, node.span, "a black box inside a function")
            definitions.append(Written.of(function, function.body))
        return self._named(node.span, name, definitions)

    def _named(self, span: Span, name: surface.Name, definitions: list[Written]) -> Bind:
        """A function that gets a name."""
        closure, captured = self._closure(definitions, name.name)
        found = conflict(list(enumerate(closure.methods)), self._unit.language.semantics, early=True)
        if found is not None:
            self._unit.report(found.at(name.span, name.name))
            self._conflicting.add(name.name)
        local = self._statements.define(name, Holding(captured))
        if name.name in self._conflicting:
            return Bind(span, (local,), term.Hole(span, "definitions that contradict each other", (closure,)))
        made = aliasing(closure.methods)
        if made is not None:
            self._scope.effects[local] = made
        return Bind(span, (local,), closure)

    def _closure(self, definitions: list[Written], name: str, at_once: bool = False) -> tuple[term.Closure, Memory]:
        """A function made here, which nobody calls later if it is called ``at_once``, and what may be reached through
        what it captures."""
        around, self._scope.making = self._scope.making, name
        methods = []
        captured = self._sharing.new()
        for definition in definitions:
            inner = self.inside()
            inner._scope.at_once = at_once
            methods.append(inner.method(definition))
            captured |= inner._scope.captured_memory()
        self._scope.making = around
        return term.Closure(Span(definitions[0].span.start, definitions[-1].span.end), tuple(methods)), captured


_LARGEST = 2**62


def _literal(node: surface.Node) -> term.Literal | term.MakeTuple | None:
    """A number or a truth value that is written out, or a generator that nobody knows; None for anything else."""
    match node:
        case surface.Tuple(names=HANDLE.names, items=(surface.Boolean(value=value),)):
            return term.MakeTuple(node.span, (term.Literal(node.span, value),), HANDLE)
        case surface.Boolean(value=value):
            return term.Literal(node.span, value)
        case surface.Number(value=value, integer=integer):
            return term.Literal(node.span, value, integer)
        case surface.Call(callee=surface.Name(name="-"), args=(surface.Number(value=value, integer=integer),)):
            return term.Literal(node.span, -value, integer) if value < _LARGEST else None
    return None


def _defined(
    written: tuple[surface.Parameter, ...], params: tuple[term.Param, ...]
) -> tuple[tuple[Declared, ...], ...]:
    """The methods that a header defines where not all of its parameters are plain: one for each number of arguments
    that default values leave over, without those that are given by name."""
    if all(each.kind == "plain" and each.default is None for each in written):
        return ()
    placed = [(each, param.seen) for each, param in zip(written, params, strict=True) if each.kind != "keyword"]
    types = tuple(Tuples((_ANY_NUMBER, seen)) if each.kind == "rest" else seen for each, seen in placed)
    needed = sum(each.default is None and each.kind == "plain" for each, _ in placed)
    return tuple(types[:count] for count in range(needed, len(types) + 1))


_ANY_NUMBER = NominalType("Vararg")


_KNOWN_ACTS = (Familiar.FAILS, Familiar.SHOWS, Familiar.SHOWS_AND_GIVES, Familiar.STREAM)
"""What functions do of which that is known, though they are no builtins."""


class Include(NamedTuple):
    """``include("path")`` at top level, and where it stands. It ``may`` run, or not."""

    path: str
    span: Span
    may: bool = False


class Imported(NamedTuple):
    """A name that an import brings from a module, and where that stands. It ``extends`` what it brings if methods may
    be added to that."""

    name: str
    module: str
    span: Span
    extends: bool = False


class Opened(NamedTuple):
    """A module whose exported names an import brings, and where that stands. It ``may`` do so, or not."""

    module: str
    span: Span
    may: bool = False


class Addition(NamedTuple):
    """A method that is added to a function which the language may call, whether the program names that or not, or one
    of the program that is not understood, and so ``hidden``. It is called for no value of the language if one of the
    ``types`` that an argument must have is a type that the program defines. One that is not ``qualified`` belongs to
    the function of a module if that was imported: else to another one."""

    name: str
    qualified: bool
    types: frozenset[str]
    span: Span
    reason: str
    hidden: bool = False


class Lowered(NamedTuple):
    """A chunk after lowering. ``clouded`` are top-level names whose meaning cannot be read off, with the place and
    the reason, :data:`EVERYTHING` among them; ``imported`` are those that are so only if the project defines them, too,
    ``mentions`` are all names in its definitions, those of fields included, and ``changers`` those of them that no
    builtin has and that may be a function's that changes what it is given. ``stores`` says that a definition may change
    entries of an array that others hold. ``marks`` are the first and last lines of modules. ``cautious`` says that a
    change was refused, which may be fine if more is known of the functions that are called. ``opened`` are the modules
    whose names are all brought, ``additions`` the methods that are added to functions of the language, and ``types``
    the names of the types that are defined, of which ``structures`` are those whose parts are known. ``loads`` are
    the modules that it loads, and ``given`` the names that get values which are not followed, each with its place.
    ``early`` are the names that are read while it is evaluated, and not where its functions are called; those of them
    that definitions are ``built`` of stand apart."""

    definitions: tuple[Definition, ...]
    problems: tuple[Problem, ...]
    clouded: tuple[tuple[str, Span, str], ...]
    marks: tuple[surface.ModuleMark, ...]
    includes: tuple[Include, ...] = ()
    cautious: bool = False
    imported: tuple[Imported, ...] = ()
    mentions: frozenset[str] = frozenset()
    changers: frozenset[str] = frozenset()
    stores: bool = False
    opened: tuple[Opened, ...] = ()
    additions: tuple[Addition, ...] = ()
    types: frozenset[str] = frozenset()
    structures: tuple[tuple[str, TupleOf], ...] = ()
    loads: tuple[surface.Load, ...] = ()
    given: tuple[tuple[str, Span], ...] = ()
    built: frozenset[str] = frozenset()
    early: frozenset[str] = frozenset()


def lower(parsed: surface.Parsed, text: str, known: Mapping[str, Aliasing | TupleOf], language: Language) -> Lowered:
    """The definitions of a chunk, in order, with the problems met on the way (those of the parser not among them).
    ``known`` is what is known of the functions and the structures of other chunks."""
    functions = {name: each for name, each in known.items() if isinstance(each, Aliasing)}
    structures = {name: each for name, each in known.items() if isinstance(each, TupleOf)}
    return _TopLevel(text, functions, structures, language).lower(parsed)


class _TopLevel:
    def __init__(self, text: str, known: Known, structures: Mapping[str, TupleOf], language: Language) -> None:
        self._structures_known = structures
        self._structures: list[tuple[str, TupleOf]] = []
        self._text = text
        self._language = language
        self._vocabulary = language.vocabulary
        self._elsewhere = known
        self._known = dict(known)
        self._methods: dict[str, list[Method]] = {}
        self._problems: list[Problem] = []
        self._definitions: list[Definition] = []
        self._clouded: list[tuple[str, Span, str]] = []
        self._includes: list[Include] = []
        self._imported: list[Imported] = []
        self._opened: list[Opened] = []
        self._additions: list[Addition] = []
        self._types: set[str] = set()
        self._mentions: set[str] = set()
        self._given: list[tuple[str, Span]] = []
        self._built: set[str] = set()
        self._early: set[str] = set()
        self._fills = False  # whether the statement that is lowered may change entries of an array

    def lower(self, parsed: surface.Parsed) -> Lowered:
        stores = False
        for node in parsed.nodes:
            self._fills = may_change(node, self._language)
            stores = stores or (self._fills and may_store(node, self._language))
            self._node(node)
            if parsed.problems:  # where a function ends may be a guess, so what is inside may be meant to be outside
                inner = ((each.name.name, each.span) for each in functions_below(node))
                meant = ((name, each.span) for each in unread_below(node) for name in sorted(each.defines))
                self._clouded += ((name, span, "a syntax error around it") for name, span in (*inner, *meant))
        marks = tuple(node for node in parsed.nodes if isinstance(node, surface.ModuleMark))
        definitions, found = tuple(self._definitions), tuple(self._problems)
        cautious = any(problem.code in problems.OF_SHARING for problem in found)
        includes, imported = tuple(self._includes), tuple(self._imported)
        mentions = frozenset(self._mentions)
        changes = self._language.semantics.may_change
        changers = frozenset(name for name in mentions if changes(name) and self._language.builtins.find(name) is None)
        clouded = tuple(self._clouded)
        opened, additions, types = tuple(self._opened), tuple(self._additions), frozenset(self._types)
        return Lowered(
            *(definitions, found, clouded, marks, includes, cautious, imported, mentions, changers, stores),
            *(opened, additions, types, tuple(self._structures), parsed.loads),
            *(tuple(self._given), frozenset(self._built), frozenset(self._early)),
        )

    def _node(self, node: surface.Node) -> None:
        if self._language.semantics.names_move and not isinstance(node, surface.Function):
            self._early |= summary(node, self._vocabulary).mentions
        match node:
            case surface.Function():
                self._built |= node.early
                self._early |= node.early
                self._add(self._function(node))
            case surface.Assign(target=surface.Name() as target, operator=None):
                definition = self._assigned(node, target)
                if target.name != UNUSED:
                    self._add(definition)
            case surface.Import():
                self._import(node)
            case surface.Call(callee=surface.Name(name=name)) if name == self._vocabulary.includes:
                self._include(node)
            case surface.ModuleMark(name=str() as name):
                self._check_meaning(surface.Name(node.start, node.end, name))
                self._cloud(node, surface.Summary(outside=frozenset((name,))), f"`module {name}`")
            case surface.ModuleMark() | surface.Text() | surface.Export() | surface.Shown():
                pass
            case surface.Opaque(what=surface.STRING, summary=does) if does.is_harmless:
                self._mentions |= does.mentions | does.members
            case surface.Opaque(broken=True):
                self._cloud(node, node.summary, "a syntax error")
                defined = node.name if isinstance(node, surface.Unread) else None
                if defined is not None and not is_reserved(defined.name, self._language):
                    self._add(self._unread(node, defined))
            case surface.Structure() if (made := structure(node, self._language)) is not None:
                self._structure(node, made)
            case surface.Unfollowed(what=what, summary=does) if not any(
                is_reserved(name, self._language) for name in does.binds
            ):
                self._cloud(node, does, what)
                self._given += ((name, node.span) for name in sorted(does.binds))
            case surface.TypeDefinition(name=name):
                self._types.add(name)
                known, clouds = len(self._problems), len(self._clouded)
                self._act(node)
                if EVERYTHING not in (each for each, _, _ in self._clouded[clouds:]):
                    self._problems[known:] = map(_told_only, self._problems[known:])
            case surface.Number() | surface.Boolean() | surface.Name():
                pass
            case surface.Assign():
                self._refuse_assignment(node)
            case _:
                self._act(node)

    def _function(self, node: surface.Function) -> Method:
        name = node.name.name
        if is_reserved(name, self._language) or name in self._vocabulary.unasked:
            types = self._language.annotations.needed(node.params)
            self._additions.append(Addition(name, False, types, node.name.span, f"`{name}` gets another meaning"))
        function = Functions(self._unit(f"`{name}`"))
        does = summary(node, self._vocabulary)
        does = does._replace(binds=does.binds - {name})
        if isinstance(node.body, surface.Opaque):
            does = does._replace(anything="")  # a black box is taken at its word: what it runs stays inside
        self._cloud(node, does, f"`{name}` may give it another meaning")
        if isinstance(node.body, surface.Opaque):
            return function.black_box(node, node.body.summary.mentions)
        return function.method(Written.of(node, node.body))

    def _structure(self, node: surface.Structure, made: TupleOf) -> None:
        """A type by the names and types of its parts, which is made of as many values."""
        name = surface.Name(node.start, node.end, node.name)
        self._check_meaning(name)
        self._types.add(node.name)
        self._structures.append((node.name, made))
        self._cloud(node, node.summary._replace(binds=frozenset()), f"`{node.name}` may give it another meaning")
        self._add(constructor(node, made, self._language))

    def _unread(self, node: surface.Opaque, name: surface.Name) -> Method:
        """A function of which nothing is known but that there is one."""
        body = surface.Block(node.start, node.end, (node,))
        written = Written(name.name, node.span, name.span, node.span, (), None, body)
        return replace(Functions(self._unit(f"`{written.name}`")).method(written), signature=("…",))

    def _assigned(self, node: surface.Assign, target: surface.Name) -> Definition:
        self._check_meaning(target)
        unit = self._unit(f"`{target.name}`")
        does = summary(node.value, self._vocabulary)
        self._cloud(node, does, f"`{target.name}` may give it another meaning")
        rebindable = self._language.semantics.types_are_inferred and not node.constant
        if isinstance(node.value, surface.Lambda):
            method = Functions(unit).method(Written.assigned(target, node.value))
            return replace(method, span=node.span, assigned=True, rebindable=rebindable)
        known = len(self._problems)
        value = Functions(unit).constant(node.value)
        self._built |= unit.uses
        if does.is_harmless:
            self._problems[known:] = map(_told_only, self._problems[known:])
        return Constant(target.name, node.span, target.span, value, frozenset(unit.uses), rebindable)

    def _unit(self, where: str) -> LoweringUnit:
        around = self._known, self._language, self._structures_known
        return LoweringUnit(where, self._text, self._problems, *around, self._fills)

    def _add(self, definition: Definition) -> None:
        """A definition; those after it know what a call of it does."""
        self._definitions.append(definition)
        if isinstance(definition, Method):
            methods = self._methods.setdefault(definition.name, [])
            methods.append(definition)
            known = aliasing(methods)
            if known is not None:
                self._known[definition.name] = known.joined(self._elsewhere.get(definition.name))

    def _act(self, node: surface.Node) -> None:
        """A statement that is evaluated while the file is loaded, and whose value nobody uses. It may do what functions
        may that it calls, which is said where these stand; here it counts which names it gives another meaning. If
        there are none it is none of ours."""
        followed = frozenset(self._followed(node))
        what, does = _acts(node), summary(node, self._vocabulary, followed)
        if leaves(node):
            self._refuse(node, what)
        elif does.is_harmless:
            self._cloud(node, does, what)
        else:
            self._refuse(node, what, does)

    def _followed(self, node: surface.Node) -> Iterator[surface.Node]:
        """Where a statement may include a file, or bring names, depending on a condition: what that may do is known."""
        if not isinstance(node, surface.If):
            return
        pending: list[surface.Node] = [node]
        while pending:
            item = pending.pop()
            match item:
                case surface.If():
                    pending += [item.then, *([] if item.otherwise is None else [item.otherwise])]
                case surface.Block(statements=statements):
                    pending += statements
                case surface.Import(opened=()):
                    self._import(item)
                    yield item
                case surface.Call(
                    callee=surface.Name(name=name), args=(surface.Text(value=path) as text,), keywords=()
                ):
                    if name == self._vocabulary.includes and "\\" not in self._text[text.start : text.end]:
                        self._includes.append(Include(path, item.span, may=True))
                        yield item

    def _refuse_assignment(self, node: surface.Assign) -> None:
        """An assignment that is refused: what it binds is not known, and nothing else if it only binds names."""
        names = assigned_names(node.target)
        what = refused_target(node.target) if names is None else "this assignment at top level"
        self._refuse(node, what, summary(node, self._vocabulary) if only_binds(node.target) else None)

    def _include(self, node: surface.Call) -> None:
        match node.args:
            case (surface.Text(value=path) as text,) if (
                not node.keywords and "\\" not in self._text[text.start : text.end]
            ):
                self._includes.append(Include(path, node.span))
            case _:
                file = f'"noise{self._language.suffixes[0]}"'
                including = self._language.rendering.call(self._vocabulary.includes, file)
                self._problems.append(problems.IncludeNotLiteral.at(node.span, including=including))
                self._clouded.append((EVERYTHING, node.span, "an `include` whose path is not written out"))

    def _import(self, node: surface.Import) -> None:
        self._opened += (Opened(module, node.span) for module in node.opened)
        for each in node.brought:
            self._bring(node, each)

    def _bring(self, node: surface.Import, name: surface.Brought) -> None:
        """A name that is written in an import. One of the language must stand for what it stood for before."""
        trusted = name.module in self._vocabulary.modules or name.module in self._vocabulary.homes.get(name.there, ())
        trusted = trusted and name.here == name.there
        may_change = self._language.semantics.may_change
        hides = may_change(name.there) and not may_change(name.here)
        if (is_reserved(name.here, self._language) and not trusted) or hides:
            self._problems.append(problems.BuiltinImported.at(node.span, name=name.here))
            self._clouded.append((EVERYTHING, node.span, f"`{name.here}` gets another meaning"))
        elif self._is_known(name.here) and not trusted:
            self._clouded.append((name.here, node.span, f"`{name.here}` gets another meaning"))
        extends = name.extends and name.here == name.there
        self._imported.append(Imported(name.here, name.module or name.there, node.span, extends))

    def _is_known(self, name: str) -> bool:
        """Whether it is known what a name stands for where the program does not say it."""
        language = self._language
        found = language.builtins.find(name)
        combines = any(name == function for function, _ in language.builtins.by_operator)
        acts = any(self._vocabulary.does(name, each) for each in _KNOWN_ACTS)
        return acts or combines or (found is not None and replaceable(found[0]) is not None)

    def _check_meaning(self, node: surface.Name) -> None:
        """A definition of a name of the language: every use of it in the file means something else from then on."""
        if is_reserved(node.name, self._language):
            self._problems.append(problems.BuiltinRedefined.at(node.span, name=node.name))
            self._clouded.append((EVERYTHING, node.span, f"`{node.name}` gets another meaning"))

    def _shows_all(self, does: surface.Summary) -> bool:
        """Whether there is a method in it by which the language shows more than values of a type of the program."""
        shows = not does.outside.isdisjoint(self._vocabulary.showing)
        return shows and not any(map(self._language.annotations.is_of_program, does.mentions))

    def _cloud(self, node: surface.Node, does: surface.Summary, what: str) -> None:
        """Of the names to which a node may give another meaning nothing is known."""
        names = does.binds | does.outside
        self._mentions |= does.mentions | does.members
        alone = isinstance(node, surface.Opaque) and len(does.methods) == 1
        for name, qualified, types in sorted(does.methods, key=lambda each: each.name):
            of_language = qualified or is_reserved(name, self._language) or name in self._vocabulary.unasked
            if of_language:
                reason = f"a method of `{name}` of another module" if qualified else f"`{name}` gets another meaning"
                self._additions.append(Addition(name, qualified, types, node.span, reason))
            elif types and alone:
                self._additions.append(Addition(name, False, types, node.span, what, hidden=True))
            if alone and not qualified and (types or of_language):  # nothing else here is of that name
                names -= {name} - does.outside
        if (
            does.anything
            or self._shows_all(does)
            or (any(is_reserved(name, self._language) for name in names) and not _is_broken(node))
        ):
            names = frozenset({EVERYTHING})
        self._clouded += [(name, node.span, what) for name in sorted(names)]

    def _refuse(self, node: surface.Node, what: str, does: surface.Summary | None = None) -> None:
        """A statement that is not understood. If it is not told what it ``does`` it may do anything."""
        self._unit("what it may define").refuse(node.span, what)
        self._cloud(node, does or summary(node, self._vocabulary)._replace(anything=what), what)


def _told_only(problem: Problem) -> Problem:
    """That nothing is known of a value, or of a type, is no mistake where nothing is claimed of it: who uses it is
    told."""
    is_unknown = problem.code == problems.Unsupported.code and problem.severity is Severity.ERROR
    return problem._replace(severity=Severity.INFORMATION) if is_unknown else problem


def _is_broken(node: surface.Node) -> bool:
    return isinstance(node, surface.Opaque) and node.broken


def _acts(node: surface.Node) -> str:
    match node:
        case surface.If() | surface.For():
            return "an `if` or a loop at top level"
        case surface.Call(callee=surface.Opaque(what=surface.SEEDING)):
            return surface.SEEDING
        case surface.Call():
            return "a call at top level"
    return described(node)
