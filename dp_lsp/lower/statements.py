"""Statements: bindings, in-place changes as new versions, branches and loops with the list of what they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from dp_lsp import builtins, surface
from dp_lsp.core import term
from dp_lsp.core.term import Bind, Body, Local, Term
from dp_lsp.lower import problems
from dp_lsp.lower.expressions import Expressions
from dp_lsp.lower.facts import assigned_names, changed_argument, changes_in_place, described
from dp_lsp.lower.ownership import NOWHERE, Memory
from dp_lsp.problem import Related
from dp_lsp.text import Span

UNUSED = "_"
Finish = Callable[[surface.Node | None, list[Bind]], Term]


class _Side(NamedTuple):
    """One branch of an ``if`` statement: its bindings, and the scope and memory it ends with."""

    binds: list[Bind]
    scope: dict[str, Local]
    memory: dict[str, Memory]
    span: Span


class Statements(Expressions):
    """The statements of one body."""

    def parameter(self, node: surface.Parameter) -> Local:
        """Bring a parameter into scope."""
        local = Local(node.name, node.span)
        self._check_meaning(node.name, node.span)
        if node.name in self._scope:
            self._problems.append(problems.AssignedTwice.at(node.span, name=node.name, why="parameters differ in name"))
        if node.name != UNUSED:
            self._scope[node.name] = local
            self._ownership.bind_parameter(node.name)
        return local

    def function_body(self, block: surface.Block) -> Body:
        """The body of a function; its value is that of the last statement."""
        self._local_names = frozenset(assigned_names(block))
        return self._body(block.statements, self._tail, block.span)

    # Statements

    def _body(self, statements: tuple[surface.Node, ...], finish: Finish, span: Span) -> Body:
        binds: list[Bind] = []
        for position, statement in enumerate(statements):
            last = position == len(statements) - 1
            if self._opens_scope(statement) and isinstance(statement, surface.Assign):
                bind = self._draw(statement)
                if isinstance(bind.term, term.Hole):
                    binds.append(bind)
                    continue
                rest = self._body(statements[position + 1 :], finish, span)
                return Body(tuple(binds), term.Scope(statement.span, bind, rest))
            if last:
                result = finish(statement, binds)
                return Body(tuple(binds), result)
            self._statement(statement, binds)
        result = finish(None, binds)
        return Body(tuple(binds), result)

    def _tail(self, node: surface.Node | None, binds: list[Bind]) -> Term:
        """The value of the last statement of a function or of a branch that is a value."""
        if node is None:
            return term.MakeTuple(Span(0, 0), ())
        if isinstance(node, surface.Return):
            return term.MakeTuple(node.span, ()) if node.value is None else self._expression(node.value)
        if isinstance(node, surface.If):
            return self._refused(node, described(node)) if node.otherwise is None else self._choice(node, self._tail)
        if self._is_expression(node):
            return self._expression(node)
        self._statement(node, binds)
        if isinstance(node, surface.Assign | surface.Call) and binds:
            return self._read_back(binds[-1], node.span)
        return term.MakeTuple(node.span, ())

    def _read_back(self, bind: Bind, span: Span) -> Term:
        reads = tuple(term.Use(span, target) for target in bind.targets)
        return reads[0] if len(reads) == 1 else term.MakeTuple(span, reads)

    def _is_expression(self, node: surface.Node) -> bool:
        if isinstance(node, surface.Call):
            return self._changed_by(node) is None
        return not isinstance(
            node,
            surface.Assign | surface.For | surface.If | surface.Function | surface.Assert | surface.Return,
        )

    def _statement(self, node: surface.Node, binds: list[Bind]) -> None:
        match node:
            case surface.Assign():
                binds.append(self._assign(node))
            case surface.If():
                self._if(node, binds)
            case surface.For():
                binds.append(self._for(node))
            case surface.Assert():
                binds.append(Bind(node.span, (), term.Check(node.span, self._expression(node.condition))))
            case surface.Return():
                self._problems.append(problems.ReturnInside.at(node.span))
                binds.append(Bind(node.span, (), term.Hole(node.span, "a `return` inside the function")))
            case surface.Call() if (found := self._changed_by(node)) is not None:
                binds.append(self._change(node, *found))
            case surface.Function():
                self._refuse(node.span, f"the function `{node.name.name}` inside a function")
                binds.append(self._hidden(node.name.name, node.span, "a function inside a function"))
            case surface.Opaque(binds=names) if names:
                binds.append(Bind(node.span, (), self._expression(node)))
                binds.extend(self._hidden(name, node.span, node.what) for name in sorted(names))
            case _:
                binds.append(Bind(node.span, (), self._expression(node)))

    def _draw(self, node: surface.Assign) -> Bind:
        """An assignment from a builtin that has the rest of the block as its subject."""
        call = node.value
        assert isinstance(call, surface.Call) and isinstance(call.callee, surface.Name)
        found = builtins.find(call.callee.name)
        assert found is not None, "only a builtin has a scope"
        value = self._builtin(call, found[0], self._arguments(call, found[0]))
        names = node.target.items if isinstance(node.target, surface.Tuple) else (node.target,)
        drawn = tuple(self._define(name, self._ownership.fresh()) for name in names if isinstance(name, surface.Name))
        return Bind(node.span, drawn, value)

    def _assign(self, node: surface.Assign) -> Bind:
        value, memory = self._assigned(node)
        target = node.target
        names = target.items if isinstance(target, surface.Tuple) else (target,)
        if not all(isinstance(name, surface.Name) for name in names):
            self._refuse(target.span, "changing a part of a value")
            return Bind(node.span, (), term.Hole(node.span, "an assignment to a part of a value", (value,)))
        several = isinstance(target, surface.Tuple)
        locals_ = tuple(self._define(name, memory) for name in names if isinstance(name, surface.Name))
        if several and len(locals_) == 1:
            value = term.Hole(node.span, "an assignment to a tuple of one name", (value,))
        return Bind(node.span, locals_, value)

    def _assigned(self, node: surface.Assign) -> tuple[Term, Memory]:
        value = self._expression(node.value)
        if node.operator is None:
            return value, self._memory(node.value)
        found = builtins.find(node.operator)
        if found is None:
            return self._refused(node, f"the operator `{node.operator}=`"), self._ownership.fresh()
        before = self._expression(node.target)
        operator = surface.Call(
            node.start, node.end, surface.Name(node.start, node.end, node.operator), (node.target, node.value)
        )
        return self._builtin(operator, found[0], (before, value)), self._ownership.fresh()

    def _define(self, name: surface.Name, memory: Memory) -> Local:
        self._check_meaning(name.name, name.span)
        return self._version(name.name, name.span, memory)

    def _hidden(self, name: str, span: Span, reason: str) -> Bind:
        """A name whose value is not understood; reading it is no second problem."""
        return Bind(span, (self._version(name, span, self._ownership.fresh()),), term.Hole(span, reason))

    def _version(self, name: str, span: Span, memory: Memory) -> Local:
        local = Local(name, span)
        if name != UNUSED:
            self._scope[name] = local
            self._lost.pop(name, None)
            self._ownership.bind(name, memory)
        return local

    # In-place changes

    def _changed_by(self, node: surface.Call) -> tuple[builtins.Builtin, int] | None:
        """The builtin of a call that changes one of its arguments, and which."""
        position = changed_argument(node)
        if position is None or not isinstance(node.callee, surface.Name) or node.callee.name in self._scope:
            return None
        found = builtins.find(node.callee.name)
        return None if found is None else (found[0], position)

    def _change(self, node: surface.Call, row: builtins.Builtin, position: int) -> Bind:
        name = node.args[position] if position < len(node.args) else None
        written = node.callee.name if isinstance(node.callee, surface.Name) else row.name
        if not isinstance(name, surface.Name) or name.name not in self._scope:
            self._problems.append(problems.NotAVariable.at(node.span, name=written))
            args = tuple(self._expression(arg) for arg in node.args)
            return Bind(node.span, (), term.Hole(node.span, "a change of something that is no variable", args))
        value = self._builtin(node, row, self._arguments(node, row), mutates=True)
        self._check_owner(name)
        return Bind(node.span, (self._version(name.name, name.span, self._ownership.of(name.name)),), value)

    def _check_owner(self, name: surface.Name) -> None:
        other = self._ownership.sharing(name.name)
        if other is not None:
            related = (Related(f"`{other}` is defined here", self._scope[other].span),) if other in self._scope else ()
            self._problems.append(problems.SharedChange.at(name.span, name=name.name, other=other, related=related))
        elif self._ownership.is_callers(name.name):
            self._problems.append(problems.ParameterChanged.at(name.span, name=name.name))

    # Branches and loops

    def _value_choice(self, node: surface.If) -> Term:
        """An ``if`` inside an expression. What its branches assign would be seen after it, so they assign nothing."""
        changed = assigned_names(node.then) | (assigned_names(node.otherwise) if node.otherwise is not None else set())
        if changed:
            return self._refused(node, f"an assignment to `{min(changed)}` inside an `if` whose value is used")
        return self._choice(node, self._value)

    def _value(self, node: surface.Node | None, binds: list[Bind]) -> Term:
        """The value of a branch inside an expression, where ``return`` would leave the function."""
        if isinstance(node, surface.Return):
            self._problems.append(problems.ReturnInside.at(node.span))
            return term.Hole(node.span, "a `return` inside the function")
        return self._tail(node, binds)

    def _choice(self, node: surface.If, finish: Finish) -> Term:
        """An ``if`` whose value is used; each branch ends as ``finish`` says."""
        condition = self._expression(node.condition)
        scope, memory = dict(self._scope), self._ownership.snapshot()
        sides = []
        for block in (node.then, node.otherwise):
            assert block is not None, "an `if` that is a value has two branches"
            sides.append(self._body(block.statements, finish, block.span))
            self._scope = dict(scope)
            self._ownership.restore(memory)
        return term.Branch(node.span, condition, sides[0], sides[1])

    def _if(self, node: surface.If, binds: list[Bind]) -> None:
        """An ``if`` statement: a choice between tuples of everything either branch changes."""
        condition = self._expression(node.condition)
        before, memory = dict(self._scope), self._ownership.snapshot()
        sides: list[_Side] = []
        for block in (node.then, node.otherwise):
            self._scope = dict(before)
            self._ownership.restore(memory)
            binds_of = self._side(block)
            sides.append(_Side(binds_of, self._scope, self._ownership.snapshot(), (block or node).span))
        self._scope = before
        self._ownership.restore(memory)
        changed = _changed(before, sides)
        bodies = [_side_body(side, changed) for side in sides]
        self._ownership.join(side.memory for side in sides)
        joined = self._ownership.snapshot()
        outs = tuple(self._version(name, node.span, joined.get(name, NOWHERE)) for name in changed)
        for side in sides:
            for name in side.scope.keys() - self._scope.keys():
                self._lost[name] = "one branch of the `if`"
        binds.append(Bind(node.span, outs, term.Branch(node.span, condition, bodies[0], bodies[1])))

    def _side(self, block: surface.Block | None) -> list[Bind]:
        binds: list[Bind] = []
        for statement in block.statements if block is not None else ():
            if self._opens_scope(statement):
                self._refuse(statement.span, "sampling inside a branch")
                binds.append(Bind(statement.span, (), term.Hole(statement.span, "sampling inside a branch")))
            else:
                self._statement(statement, binds)
        return binds

    def _for(self, node: surface.For) -> Bind:
        first, step, last = self._range(node.iterable)
        before, memory = dict(self._scope), self._ownership.snapshot()
        index_name = node.target.name if isinstance(node.target, surface.Name) else UNUSED
        assigned = assigned_names(node.body) - {index_name}
        carried = [name for name in before if name in assigned]
        inner = [
            (self._version(name, before[name].span, memory.get(name, NOWHERE)), term.Use(node.span, before[name]))
            for name in carried
        ]
        index = self._index(node.target)
        body = self._body(node.body.statements, self._round(carried, node), node.body.span)
        self._check_rounds(node, carried, memory)
        after, inside = self._ownership.snapshot(), self._scope
        self._scope = before
        self._ownership.restore(memory)
        self._ownership.join([{name: after.get(name, NOWHERE) for name in carried}])
        joined = self._ownership.snapshot()
        for name in inside.keys() - before.keys():
            self._lost[name] = "the loop"
        outs = tuple(self._version(name, before[name].span, joined[name]) for name in carried)
        return Bind(node.span, outs, term.Loop(node.span, index, first, step, last, tuple(inner), body))

    def _round(self, carried: list[str], node: surface.For) -> Finish:
        def finish(last: surface.Node | None, binds: list[Bind]) -> Term:
            if last is not None:
                self._statement(last, binds)
            return _versions(node.body.span, (self._scope[name] for name in carried))

        return finish

    def _check_rounds(self, node: surface.For, carried: list[str], before: dict[str, Memory]) -> None:
        moved = self._ownership.moved_around(carried, before)
        if moved is not None and changes_in_place(node.body):
            self._problems.append(problems.SharedChange.at(node.span, name=moved[0], other=moved[1]))

    def _index(self, target: surface.Node) -> Local:
        if isinstance(target, surface.Name):
            return self._define(target, self._ownership.fresh())
        self._refuse(target.span, "a loop over several variables")
        return Local(UNUSED, target.span)

    def _range(self, node: surface.Node) -> tuple[Term, Term | None, Term]:
        if isinstance(node, surface.Range):
            step = None if node.step is None else self._expression(node.step)
            return self._expression(node.first), step, self._expression(node.last)
        self._refuse(node.span, "a loop over something other than a range such as `1:n`")
        hole = term.Hole(node.span, "a loop over something that is no range")
        return hole, None, hole


def _changed(before: dict[str, Local], sides: list[_Side]) -> list[str]:
    everywhere = [name for name in sides[0].scope if all(name in side.scope for side in sides)]
    return [name for name in everywhere if any(side.scope[name] is not before.get(name) for side in sides)]


def _side_body(side: _Side, changed: list[str]) -> Body:
    return Body(tuple(side.binds), _versions(side.span, (side.scope[name] for name in changed)))


def _versions(span: Span, locals_: Iterable[Local]) -> Term:
    return term.MakeTuple(span, tuple(term.Use(span, local) for local in locals_))
