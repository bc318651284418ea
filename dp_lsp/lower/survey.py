"""What the statements of a body assign, define and change, read off the surface tree before they are lowered."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from dp_lsp import surface
from dp_lsp.language import Builtins, Language
from dp_lsp.lower.facts import UNUSED, assigned_names, builtin, disturbed, names_below
from dp_lsp.lower.ownership import Known, MethodAliasing, combined
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span


class How(Enum):
    """In which way a statement gives a name a new value."""

    ASSIGNED = "assigned"
    FUNCTION = "defined"
    CHANGED = "changed"
    HIDDEN = "hidden"  # by text without a meaning, which may do it or not


class Write(NamedTuple):
    """One statement that gives a name a new value, and where it ends; adjacent methods of a function are one."""

    how: How
    span: Span
    end: int


class Methods(surface.Node):
    """Adjacent definitions of one name: the methods of one function."""

    __slots__ = ("functions",)

    def __init__(self, functions: tuple[surface.Function, ...]) -> None:
        super().__init__(functions[0].start, functions[-1].end, functions)
        self.functions = functions


def grouped(statements: tuple[surface.Node, ...]) -> tuple[surface.Node, ...]:
    """Statements, with adjacent methods of one function as one of them."""
    found: list[surface.Node] = []
    for statement in statements:
        last = found[-1] if found else None
        if not isinstance(statement, surface.Function):
            found.append(statement)
        elif isinstance(last, Methods) and last.functions[0].name.name == statement.name.name:
            found[-1] = Methods((*last.functions, statement))
        else:
            found.append(Methods((statement,)))
    return tuple(found)


class Survey:
    """What a body writes, by name. ``defined`` are the names that a statement certainly makes its own, ``known`` the
    functions that change a parameter, those of the body included; ``inner`` keeps what was found in the functions that
    the body defines, ``hidden`` the names to which a statement may assign in a way that is not understood; of a branch
    or a loop, its head. ``looped`` are the variables that loops leave with the last value that they had in them."""

    def __init__(self, block: surface.Block, known: Known, language: Language) -> None:
        self._language = language
        self.writes: dict[str, list[Write]] = {}
        self.defined: set[str] = set()
        self.known = dict(known)
        self.inner: dict[surface.Node, Survey] = {}
        self.hidden: dict[surface.Node, set[str]] = {}
        self.looped: set[str] = set()
        pending: list[surface.Node] = [block]
        while pending:
            pending += reversed(self._statement(pending.pop()))

    def _statement(self, node: surface.Node) -> tuple[surface.Node, ...]:
        """Note what a statement writes; the statements inside it."""
        match node:
            case surface.Block(statements=statements):
                return grouped(statements)
            case surface.If(condition=condition, then=then, otherwise=otherwise):
                self._hide(disturbed(condition, self._language.semantics), node)
                return (then,) if otherwise is None else (then, otherwise)
            case surface.For(target=target, iterable=iterable, body=body):
                self._hide(disturbed(iterable, self._language.semantics), node)
                if not self._language.semantics.loops_bind:
                    for name in assigned_names(target) or ():
                        self._write(name, How.ASSIGNED, node)
                        self.looped.add(name.name)
                return (body,)
            case Methods(functions=functions):
                self._write(functions[0].name, How.FUNCTION, node)
                self._learn(functions[0].name.name, [(function.params, function.body) for function in functions])
            case surface.Assign(target=surface.Index() as target, value=value):
                self._write(target.value, How.CHANGED, node)
                self._hide(disturbed(target, self._language.semantics), target)
                self._hide(disturbed(value, self._language.semantics), node)
            case surface.Assign(target=target, value=value):
                for name in assigned_names(target) or ():
                    self._write(name, How.ASSIGNED, node)
                if assigned_names(target) is None:
                    self._hide(names_below(target), target)
                self._hide(disturbed(value, self._language.semantics), node)
                if isinstance(target, surface.Name) and isinstance(value, surface.Lambda):
                    self._learn(target.name, [(value.params, value.body)])
            case surface.Call(args=args):
                for position in changed_positions(node, self.known, self._language.builtins) or ():
                    if position < len(args):
                        self._write(args[position], How.CHANGED, node)
                self._hide(disturbed(node, self._language.semantics), node)
            case _:
                self._hide(disturbed(node, self._language.semantics), node)
        return ()

    def _write(self, name: surface.Node, how: How, statement: surface.Node) -> None:
        if isinstance(name, surface.Name) and name.name != UNUSED:
            self.writes.setdefault(name.name, []).append(Write(how, name.span, statement.end))
            if how is not How.CHANGED:
                self.defined.add(name.name)

    def _hide(self, names: set[str], node: surface.Node) -> None:
        if names:
            self.hidden[node] = names
        for name in sorted(names):
            self.writes.setdefault(name, []).append(Write(How.HIDDEN, node.span, node.end))

    def _learn(self, name: str, methods: list[tuple[tuple[surface.Parameter, ...], surface.Node]]) -> None:
        """Which parameters a function inside changes. Calls of it stand below it."""
        found = set()
        for params, body in methods:
            if isinstance(body, surface.Block):
                survey = self.inner[body] = Survey(body, self.known, self._language)
                changes = tuple(i for i, param in enumerate(params) if survey.changes(param.name))
                found.add(MethodAliasing(len(params), changes, tuple(range(len(params))), captured=True))
        if any(effect.changes for effect in found):
            self.known[name] = combined(found)

    def changes(self, name: str) -> bool:
        """Whether a statement changes what a name stands for in place."""
        return any(write.how is How.CHANGED for write in self.writes.get(name, ()))

    def known_writes(self, name: str) -> Iterator[Write]:
        """What certainly gives a name a new value, in the order of the text."""
        return (write for write in self.writes.get(name, ()) if write.how is not How.HIDDEN)

    def definitions(self, name: str) -> Iterator[Write]:
        """What makes a name one of the body's own, in the order of the text."""
        return (write for write in self.known_writes(name) if write.how is not How.CHANGED)


def changed_positions(node: surface.Call, known: Known, builtins: Builtins) -> tuple[int, ...] | None:
    """The positions of the arguments that a call of a builtin, or of a known function, changes in place; None if
    that depends on the method that is chosen."""
    if not isinstance(node.callee, surface.Name):
        return ()
    function = known.get(node.callee.name)
    if function is not None:
        return function.changes(len(node.args))
    found = builtin(node.callee.name, builtins)
    if found is None or not found.changes:
        return ()
    return ([param.name for param in found.row.forms[0].params].index(found.row.mutates or ""),)
