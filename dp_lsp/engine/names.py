"""The names of a chunk: where each stands, and which of them are one variable.

What is assigned anywhere in a function belongs to it, or, where functions reach out, to the outermost function or loop
around it that assigns it too; parameters are always new, and so are the indices of loops that bind names. What belongs
to none is a top-level name. Who a name belongs to is known only when all of the chunk was seen, so places are noted
first and named afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from dp_lsp import surface
from dp_lsp.analysis.names import WRITING, NameRole, encode
from dp_lsp.language import Language
from dp_lsp.lower.facts import UNUSED, builtin, changed_positions
from dp_lsp.text import Span

_FREE = frozenset((NameRole.READ, NameRole.CALL, NameRole.CHANGE, NameRole.TYPE, NameRole.MENTION))
"""What may be a name of the language."""


class _Scope:
    """A function or a loop: the names that are always its own, those that it assigns, and those that it declares to
    be top-level ones."""

    __slots__ = ("assigned", "end", "new", "outer", "outside", "reaches_out", "start")

    def __init__(self, outer: _Scope | None, node: surface.Node, reaches_out: bool) -> None:
        self.outer = outer
        self.reaches_out = reaches_out
        self.start = node.start
        self.end = node.end
        self.new: set[str] = set()
        self.assigned: set[str] = set()
        self.outside: set[str] = set()

    def owner(self, name: str) -> _Scope | None:
        """The scope that a name used here belongs to; None for a top-level name."""
        found = None
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.new:
                return scope
            if name in scope.outside:
                return None
            if name in scope.assigned:
                found = scope
                if not scope.reaches_out:
                    return found
            scope = scope.outer
        return found


def names(nodes: Iterable[surface.Node], text: str, language: Language) -> bytes:
    """The table of a chunk's names, made of its surface tree."""
    walk = _Walk(text, language)
    walk.run(nodes)
    return walk.table()


class _Walk:
    def __init__(self, text: str, language: Language) -> None:
        self._text = text
        self._language = language
        self._syntax = language.syntax
        self._noted: list[tuple[int, int, str, NameRole, _Scope | None]] = []
        self._fields: list[tuple[int, int, str, str, _Scope | None]] = []
        self._spans: list[tuple[int, int]] = []
        self._folds: list[tuple[int, int, bool]] = []
        self._pending: list[tuple[surface.Node, _Scope | None]] = []

    def run(self, nodes: Iterable[surface.Node]) -> None:
        pending = self._pending
        end = 0
        for node in nodes:
            self._documentation(end, node.start)
            end = node.end
            pending.append((node, None))
            while pending:
                inner, scope = pending.pop()
                _VISITS[type(inner)](self, inner, scope)
        if "\n" in self._text and self._syntax.comment in self._text:
            self._folds += ((*run, True) for run in self._syntax.comment_runs(self._text))

    def table(self) -> bytes:
        """All that was noted, with the owner of each name looked up."""
        symbols: dict[tuple[_Scope | None, str], int] = {}
        owners: dict[tuple[_Scope | None, str], _Scope | None] = {}
        defined: set[int] = set()
        rows = []
        for start, end, name, of, scope in self._fields:
            if scope is None or scope.owner(of) is None:
                self._note(start, end, name, NameRole.FIELD, None)
        self._noted.sort(key=_by_place)
        for start, end, name, role, scope in dict.fromkeys(self._noted):  # comparisons share an operand
            if scope is None:
                owner = None
            elif (scope, name) in owners:
                owner = owners[scope, name]
            else:
                owner = owners[scope, name] = scope.owner(name)
            if owner is None and role in _FREE:
                role = _of_language(name, role, self._language)
            symbol = symbols.setdefault((owner, name), len(symbols))
            if role is NameRole.WRITE and (owner is None or symbol not in defined):
                role = NameRole.DEFINITION
            if role in WRITING and role is not NameRole.CHANGE:
                defined.add(symbol)
            rows.append((start, end, symbol, role))
        listed = [(name, scope.start, scope.end) if scope else name for scope, name in symbols]
        return encode(listed, rows, self._spans, self._folds)

    # What is noted

    def _note(self, start: int, end: int, name: str, role: NameRole, scope: _Scope | None) -> None:
        if end > start:  # else nobody has written it
            self._noted.append((start, end, name, role, scope))

    def _note_at(self, start: int, name: str, role: NameRole, scope: _Scope | None) -> None:
        """Note a name that a node begins with, unless something else stands there."""
        written = self._syntax.word_at(self._text, start)
        if self._syntax.normalised(written) == name:
            self._note(start, start + len(written), name, role, scope)

    def _span(self, node: surface.Node, fold: bool = False) -> None:
        self._spans.append((node.start, node.end))
        if fold and self._text.find("\n", node.start, node.end) >= 0:
            self._folds.append((node.start, node.end, False))

    def _documentation(self, start: int, end: int) -> None:
        """What stands before a node may be a long string about it."""
        found = self._syntax.documentation(self._text, start, end)
        if found is not None:
            self._folds.append((*found, True))

    # One method for each kind of node

    def _name(self, node: surface.Name, scope: _Scope | None) -> None:
        if node.end > node.start and node.name not in surface.OPERATORS:
            self._noted.append((node.start, node.end, node.name, NameRole.READ, scope))

    def _call(self, node: surface.Call, scope: _Scope | None) -> None:
        self._span(node, fold=True)
        callee, args = node.callee, node.args
        changed: tuple[int, ...] = ()
        if isinstance(callee, surface.Name):
            self._note_callee(callee, scope)
            changed = changed_positions(node, {}, self._language.builtins) or ()
        else:
            self._pending.append((callee, scope))
        for index, arg in enumerate(args):
            if index in changed and isinstance(arg, surface.Name):
                self._note(arg.start, arg.end, arg.name, NameRole.CHANGE, scope)
            else:
                self._pending.append((arg, scope))
        for keyword in node.keywords:
            self._pending.append((keyword, scope))

    def _keyword(self, node: surface.Keyword, scope: _Scope | None) -> None:
        value = node.value
        if isinstance(value, surface.Name) and value.start == node.start:
            self._note(value.start, value.end, value.name, NameRole.NAMED, scope)
        else:
            self._pending.append((value, scope))

    def _type(self, node: surface.TypeExpr, scope: _Scope | None) -> None:
        start = node.start
        while node.upper and start < node.end and not self._syntax.word_at(self._text, start):
            start += 1
        self._note_at(start, node.name, NameRole.TYPE, scope)
        if node.args:
            self._spans.append((node.start, node.end))
            self._pending += ((arg, scope) for arg in node.args)

    def _parameter(self, node: surface.Parameter, scope: _Scope | None) -> None:
        self._spans.append((node.start, node.end))
        if node.name != UNUSED and scope is not None:
            scope.new.add(node.name)
            role = NameRole.NAMED if node.kind == "keyword" else NameRole.PARAMETER
            written = self._syntax.word_at(self._text, node.start)
            self._note(node.start, node.start + len(written), node.name, role, scope)
        self._several((node.annotation, node.default), scope)

    def _function(self, node: surface.Function, scope: _Scope | None) -> None:
        self._span(node, fold=True)
        name = node.name
        if scope is not None:
            scope.assigned.add(name.name)
        self._note(name.start, name.end, name.name, NameRole.DEFINITION, scope)
        self._inside(node, (*node.params, node.returns, node.body), scope)

    def _lambda(self, node: surface.Lambda, scope: _Scope | None) -> None:
        self._span(node, fold=True)
        self._inside(node, (*node.params, node.returns, node.body), scope)

    def _comprehension(self, node: surface.Comprehension, scope: _Scope | None) -> None:
        """What makes the entries, and what says of what, are about the same names."""
        self._span(node, fold=True)
        self._pending.append((node.over, scope))
        kept = None if node.kept is None else node.kept.body
        self._inside(node, (*node.each.params, node.each.body, kept), scope)

    def _broadcast(self, node: surface.Broadcast, scope: _Scope | None) -> None:
        """An entry of what has a name is called the same, wherever it stands; other things stand there once."""
        self._span(node, fold=True)
        over = dict(zip(node.names, node.over, strict=True))
        self._several((each for each in node.over if not isinstance(each, surface.Name)), scope)
        pending: list[surface.Node] = [node.each]
        while pending:
            item = pending.pop()
            if isinstance(item, surface.Call):
                self._spans.append((item.start, item.end))
                if isinstance(item.callee, surface.Name):
                    self._note_callee(item.callee, scope)
                else:
                    self._pending.append((item.callee, scope))
                pending += item.args
                self._several(item.keywords, scope)
            elif not isinstance(item, surface.Name) or isinstance(over.get(item.name, item), surface.Name):
                self._pending.append((item, scope))

    def _note_callee(self, callee: surface.Name, scope: _Scope | None) -> None:
        if callee.end > callee.start and callee.name not in surface.OPERATORS:
            self._noted.append((callee.start, callee.end, callee.name, NameRole.CALL, scope))

    def _inside(self, node: surface.Node, children: Iterable[surface.Node | None], scope: _Scope | None) -> None:
        self._several(children, self._scope(scope, node))

    def _scope(self, outer: _Scope | None, node: surface.Node) -> _Scope:
        return _Scope(outer, node, self._language.semantics.functions_reach_out)

    def _for(self, node: surface.For, scope: _Scope | None) -> None:
        self._span(node, fold=True)
        self._pending.append((node.iterable, scope))
        if node.counts:
            self._pending.append((node.body, self._scope(scope, node)))
        elif self._language.semantics.loops_bind:
            inner = self._scope(scope, node)
            self._target(node.target, inner, inner.new, NameRole.DEFINITION)
            self._pending.append((node.body, inner))
        else:
            self._target(node.target, scope, set() if scope is None else scope.assigned, NameRole.WRITE)
            self._pending.append((node.body, scope))

    def _assign(self, node: surface.Assign, scope: _Scope | None) -> None:
        self._span(node)
        assigned = set() if scope is None else scope.assigned
        self._target(node.target, scope, assigned, NameRole.WRITE)
        self._pending.append((node.value, scope))

    def _target(self, node: surface.Node, scope: _Scope | None, into: set[str], role: NameRole) -> None:
        """The left side of an assignment."""
        pending = [node]
        while pending:
            item = pending.pop()
            if isinstance(item, surface.Tuple):
                pending += item.items
            elif isinstance(item, surface.Name):
                if item.name != UNUSED:
                    into.add(item.name)
                    self._note(item.start, item.end, item.name, role, scope)
            elif isinstance(item, surface.Index) and isinstance(item.value, surface.Name):
                self._note(item.value.start, item.value.end, item.value.name, NameRole.CHANGE, scope)
                self._several(item.indices, scope)
            else:
                self._pending.append((item, scope))

    def _if(self, node: surface.If, scope: _Scope | None) -> None:
        text = self._text
        self._spans.append((node.start, node.end))
        if text.find("\n", node.start, node.end) >= 0:
            otherwise = node.otherwise
            found = None if otherwise is None else self._syntax.alternative(text, node.then.end, otherwise.start)
            if found is not None and text.find("\n", node.start, found[0]) >= 0:
                self._folds.append((node.start, found[0], False))
                self._folds += [] if found[1] else [(found[0], node.end, False)]
            else:
                self._folds.append((node.start, node.end, False))
        self._several((node.condition, node.then, node.otherwise), scope)

    def _opaque(self, node: surface.Opaque, scope: _Scope | None) -> None:
        self._span(node, fold=True)
        role = NameRole.BROKEN if node.broken else NameRole.MENTION
        if scope is not None:
            scope.assigned |= node.summary.binds
        self._mentioned(node.span, role, scope)

    def _listed(self, node: surface.Node, scope: _Scope | None) -> None:
        """An `export`, or an `import`: all its names are top-level ones."""
        self._mentioned(node.span, NameRole.MENTION, scope)

    def _mentioned(self, span: Span, role: NameRole, scope: _Scope | None) -> None:
        for place, name, binds, outside, of in self._syntax.mentions(self._text, span):
            if of:
                self._fields.append((place.start, place.end, name, of, scope))
                continue
            if scope is not None and name != UNUSED:
                scope.assigned |= {name} if binds else set()
                scope.outside |= {name} if outside else set()
            self._note(*place, name, role, scope)

    def _text_node(self, node: surface.Text, scope: _Scope | None) -> None:
        self._span(node, fold=True)

    def _tuple(self, node: surface.Tuple, scope: _Scope | None) -> None:
        """A variable that gives an item its name, as in ``(; count)``, stands for both: who renames it renames that."""
        self._span(node, fold=True)
        for index, item in enumerate(node.items):
            is_named = index < len(node.names) and isinstance(item, surface.Name) and item.name == node.names[index]
            if is_named and not self._text[node.start : item.start].rstrip().endswith("="):
                self._note(item.start, item.end, node.names[index], NameRole.NAMED, scope)
            else:
                self._pending.append((item, scope))

    def _brackets(self, node: surface.Node, scope: _Scope | None) -> None:
        self._span(node, fold=True)
        self._several(node.children, scope)

    def _plain(self, node: surface.Node, scope: _Scope | None) -> None:
        self._spans.append((node.start, node.end))
        self._several(node.children, scope)

    def _several(self, nodes: Iterable[surface.Node | None], scope: _Scope | None) -> None:
        self._pending += ((node, scope) for node in nodes if node is not None)

    def _nothing(self, node: surface.Node, scope: _Scope | None) -> None:
        pass


_VISITS: dict[type, Callable[[_Walk, Any, _Scope | None], None]] = {
    surface.Name: _Walk._name,
    surface.Call: _Walk._call,
    surface.Keyword: _Walk._keyword,
    surface.TypeExpr: _Walk._type,
    surface.Parameter: _Walk._parameter,
    surface.Function: _Walk._function,
    surface.Lambda: _Walk._lambda,
    surface.Comprehension: _Walk._comprehension,
    surface.Broadcast: _Walk._broadcast,
    surface.For: _Walk._for,
    surface.Assign: _Walk._assign,
    surface.If: _Walk._if,
    surface.Opaque: _Walk._opaque,
    surface.Shown: _Walk._opaque,
    surface.Symbol: _Walk._opaque,
    surface.Unfollowed: _Walk._opaque,
    surface.Evaluates: _Walk._opaque,
    surface.Unread: _Walk._opaque,
    surface.TypeDefinition: _Walk._opaque,
    surface.Structure: _Walk._opaque,
    surface.Field: _Walk._opaque,
    surface.Splat: _Walk._opaque,
    surface.Leave: _Walk._opaque,
    surface.Import: _Walk._listed,
    surface.Export: _Walk._listed,
    surface.Text: _Walk._text_node,
    surface.Tuple: _Walk._tuple,
    surface.Vector: _Walk._brackets,
    surface.Index: _Walk._brackets,
    surface.Range: _Walk._plain,
    surface.Block: _Walk._plain,
    surface.Return: _Walk._plain,
    surface.Assert: _Walk._plain,
    surface.Number: _Walk._nothing,
    surface.Boolean: _Walk._nothing,
    surface.Whole: _Walk._nothing,
    surface.IndexBound: _Walk._nothing,
    surface.AllEntries: _Walk._nothing,
    surface.Unending: _Walk._nothing,
    surface.ModuleMark: _Walk._nothing,
}


def _by_place(row: tuple[int, int, str, NameRole, _Scope | None]) -> int:
    return row[0]


@lru_cache(maxsize=4096)
def _of_language(name: str, role: NameRole, language: Language) -> NameRole:
    """The role of a top-level name that may be one of the language."""
    if name in language.annotations.norms:
        return NameRole.NORM
    if name in language.annotations.words:
        return NameRole.TYPE
    found = builtin(name, language.builtins)
    if found is not None:
        released = any(form.noise is not None or form.runs is not None for form in found.row.forms)
        return NameRole.MECHANISM if released else NameRole.BUILTIN
    return NameRole.READ if role is NameRole.TYPE else role
