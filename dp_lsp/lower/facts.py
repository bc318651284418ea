"""What can be read off a surface tree without names or types.

What the statements of a body assign, define and change, read off the surface tree before they are lowered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache

from dp_lsp import builtins, surface
from dp_lsp.builtins.patterns import GivenNorm, GivenType
from dp_lsp.builtins.traits import EverydayName, SampledRows
from dp_lsp.language import Builtins, Language, Semantics, Vocabulary
from dp_lsp.lower.ownership import Known, MethodAliasing, combined
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_OF_VECTORS = frozenset({builtins.PLACES, builtins.PLACES_AND_ENTRIES, builtins.ENTRIES_BY_PLACE})
_WALKING = frozenset({builtins.PLACES, builtins.PLACES_AND_ENTRIES, builtins.EACH_ROW})

EVERYTHING = ""
"""Stands for all top-level names, where those that text may define cannot be read off."""

UNUSED = "_"
"""The name that stands for no variable: what is assigned to it is gone, and nothing can read it."""


def described(node: surface.Node) -> str:
    """A construct that is refused, for a person."""
    match node:
        case surface.Opaque(what=what):
            return what
        case surface.Text():
            return "a string"
        case surface.Comprehension(lazy=True):
            return "a generator"
        case surface.Export():
            return "an `export` other than at top level"
        case surface.Assign():
            return "an assignment inside an expression"
        case surface.Return():
            return "a `return` inside an expression"
        case surface.For():
            return "a loop as a value"
        case surface.Function():
            return "a definition inside an expression"
        case surface.Assert():
            return "an `@assert` inside an expression"
        case surface.If():
            return "an `if` without `else` as a value"
        case surface.TypeExpr(name=name):
            return f"the type `{name}` as a value"
    return "this construct"


def written(node: surface.Node) -> str:
    """A type as it was written, shortened."""
    match node:
        case surface.TypeExpr(name=name, written=text) if text and not name.replace(".", "_").isidentifier():
            return text
        case surface.TypeExpr(name=name) | surface.Name(name=name) | surface.Opaque(what=name):
            return name
        case surface.Call(callee=surface.Name(name=name)):
            return f"{name}(…)"
    return "this"


def assigned_names(target: surface.Node) -> tuple[surface.Name, ...] | None:
    """The names on the left of an assignment; None if something else stands there."""
    names = target.items if isinstance(target, surface.Tuple) and not target.names else (target,)
    found = tuple(name for name in names if isinstance(name, surface.Name))
    return found if len(found) == len(names) else None


def only_binds(target: surface.Node) -> bool:
    """Whether an assignment to this changes nothing but the meaning of names."""
    if isinstance(target, surface.Tuple):
        return all(map(only_binds, target.items))
    return isinstance(target, surface.Name | surface.TypeExpr) or _is_annotated(target)


def refused_target(target: surface.Node) -> str:
    """What is wrong with the left side of an assignment, for a person."""
    if isinstance(target, surface.Tuple):
        return "this pattern on the left of an assignment"
    return "a type annotation of a variable" if _is_annotated(target) else "changing a part of a value"


def _is_annotated(target: surface.Node) -> bool:
    return isinstance(target, surface.Opaque) and target.what == "a type annotation"


def names_below(target: surface.Node) -> set[str]:
    """The names that an assignment to a pattern gives a value."""
    found: set[str] = set()
    for item in below(target):
        if isinstance(item, surface.Name | surface.TypeExpr):
            found.add(item.name)
        elif isinstance(item, surface.Opaque):
            found |= item.summary.mentions | item.summary.binds
    return found


def disturbed(node: surface.Node, semantics: Semantics) -> set[str]:
    """The names to which something inside an expression may assign, which no expression may do here: all on the left
    of an assignment, and those in text without a meaning."""
    found: set[str] = set()
    if not _may_disturb(node):
        return found
    pending = [(node, False)]
    while pending:
        item, inside = pending.pop()
        if isinstance(item, surface.Opaque):
            found |= item.summary.binds | (item.summary.mentions if item.summary.anything else set())
        elif isinstance(item, surface.Assign) and not inside:
            found |= names_below(item.target)
        inside |= isinstance(item, surface.Function | surface.Lambda) and not semantics.functions_reach_out
        pending += [(child, inside) for child in item.children]
    return found


def _may_disturb(node: surface.Node) -> bool:
    """Whether anything inside an expression assigns or has no meaning. In most nothing does, and this is quickly
    seen."""
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, _DISTURBING):
            return True
        pending += item.children
    return False


_DISTURBING = (surface.Opaque, surface.Assign)


class Meant(NamedTuple):
    """What a name stands for: the row of a builtin, and whether the result takes the place of an argument."""

    row: builtins.Builtin
    changes: bool


def builtin(name: str, known: Builtins) -> Meant | None:
    """The builtin that a name of the tree stands for, unless the program gives it another meaning where it stands. One
    that any part of the program may replace is not known here."""
    found = known.find(name)
    return None if found is None else _meant(*found)


@cache
def _meant(name: str, changes: bool) -> Meant | None:
    return Meant(builtins.TABLE[name], changes) if builtins.replaceable(name) is None else None


def is_reserved(name: str, language: Language) -> bool:
    """Whether a name belongs to the language: a builtin, or one of its own words."""
    return builtin(name, language.builtins) is not None or name in _WALKING or language.vocabulary.is_reserved(name)


def is_everyday(name: str, language: Language) -> bool:
    """Whether a name of the language may also be that of a variable."""
    found = builtin(name, language.builtins)
    return found is not None and found.row.has(EverydayName)


def is_operator(name: str) -> bool:
    """Whether this is the sign of an operation, as no identifier begins. Of numbers and vectors an operation makes
    nothing else."""
    return not (name[:1].isalpha() or name[:1] == "_")


def parameters(known: Meant) -> tuple[str, ...]:
    """What a builtin is given where it stands as a function that is a value; nothing where none can stand for it."""
    row = known.row
    if known.changes or row.has(SampledRows) or row.name in builtins.RANDOM:
        return ()
    if any(isinstance(param.pattern, GivenNorm | GivenType) for param in row.forms[0].params):
        return ()
    if is_operator(row.name):
        return ("x", "y")[: max(len(form.params) for form in row.forms)]
    return tuple(param.name for param in row.forms[0].params)


def summary(
    node: surface.Node, vocabulary: Vocabulary, followed: frozenset[surface.Node] = frozenset()
) -> surface.Summary:
    """What evaluating a node may do, at its own level. What a function assigns is its own; a ``global`` in it reaches
    out, and so does what its annotations, which are evaluated where it is defined, do. Of its default values, and of
    what it is annotated to return, which are evaluated when it is called, the same is said. What is ``followed``
    is left out."""
    mentions, binds, outside = set[str](), set[str](), set[str]()
    opaque, anything = list[surface.Summary](), ""
    written: Written | None = None
    pending = [(node, False)]
    while pending:
        item, inside = pending.pop()
        if item in followed:
            continue
        below = inside
        match item:
            case surface.Name(name=name) | surface.TypeExpr(name=name):
                mentions.add(name)
                anything = anything or (f"`{name}`" if name in vocabulary.running else "")
            case surface.Evaluates(summary=found):
                written = written or Written(node)
                found = written.does(item, vocabulary) or found
                opaque.append(found.inside() if inside else found)
            case surface.Opaque(summary=found):
                opaque.append(found.inside() if inside else found)
            case surface.Assign(target=target):
                binds |= set() if inside else names_below(target)
                outside |= _members_below(target)
            case surface.Function(name=name, returns=returns):
                binds |= set() if inside else {name.name}
                below = True
                pending += [] if returns is None else [(returns, False)]
            case surface.Lambda(returns=returns):
                below = True
                pending += [] if returns is None else [(returns, False)]
            case surface.Parameter(annotation=annotation, default=default):
                pending += ((each, False) for each in (annotation, default) if each is not None)
            case surface.Import():
                anything = anything or "an import"
        pending += [(child, below) for child in item.children]
    own = surface.Summary(frozenset(mentions), frozenset(binds), frozenset(outside), anything=anything)
    return own.joined(*opaque) if opaque else own


class Written:
    """What variables stand for that loops and assignments in a node give names which are written out, as values. Of
    one that anything else may give a value nothing is known."""

    def __init__(self, node: surface.Node) -> None:
        self._names: dict[str, frozenset[str] | None] = {}
        for item in below(node):
            match item:
                case surface.For(target=target, iterable=surface.Tuple(items=items) | surface.Vector(items=items)):
                    for value in items:
                        self._give(target, value)
                case surface.Assign(target=target, value=value, operator=None):
                    self._give(target, value)
                case surface.For(target=target) | surface.Assign(target=target):
                    self._lose(names_below(target))
                case surface.Parameter(name=name):
                    self._lose((name,))
                case surface.Evaluates():
                    pass
                case surface.Opaque(summary=found):
                    self._lose(found.binds | found.outside)

    def _lose(self, names: Iterable[str]) -> None:
        self._names |= dict.fromkeys(names)

    def _give(self, target: surface.Node, value: surface.Node) -> None:
        """A value for a variable, or one for each of several."""
        match target, value:
            case surface.Tuple(items=targets), surface.Tuple(items=values) if len(targets) == len(values):
                for each, part in zip(targets, values, strict=True):
                    self._give(each, part)
                return
        found = self._value(value)
        if not isinstance(target, surface.Name) or found is None:
            self._lose(names_below(target))
            return
        known = self._names.get(target.name, frozenset())
        self._names[target.name] = None if known is None else known | found

    def _value(self, value: surface.Node) -> frozenset[str] | None:
        """The names that a value may stand for in code; None where that is not written out."""
        match value:
            case surface.Symbol(name=name):
                return frozenset((name,))
            case surface.Number() | surface.Text():
                return frozenset()
        return None

    def does(self, item: surface.Evaluates, vocabulary: Vocabulary) -> surface.Summary | None:
        """What code may do that is evaluated, if it is known which names are written into it."""
        values = {name: self._names.get(name) for name in item.spliced}
        known = {f"${name}": found for name, found in values.items() if found is not None}
        names = frozenset[str]().union(*known.values())
        if len(known) < len(values) or not names.isdisjoint(vocabulary.running):
            return None

        def put(bound: frozenset[str]) -> frozenset[str]:
            return frozenset[str]().union(*(known.get(name, (name,)) for name in bound))

        code = item.code
        methods = [each._replace(name=name) for each in code.methods for name in put(frozenset((each.name,)))]
        binds, outside, members = map(put, (code.binds, code.outside, code.members))
        if any("$" in name for name in (*binds, *outside, *members)):
            return None  # a part of a name
        put_in = code._replace(mentions=code.mentions | names, binds=binds, outside=outside, members=members)
        return put_in._replace(methods=frozenset(methods))


def _members_below(target: surface.Node) -> set[str]:
    """The fields that an assignment to a pattern sets; that of a module is a top-level name."""
    if isinstance(target, surface.Index):
        return set()  # what is found there is changed, and not what the name of a field stands for
    fields = (item.summary.members for item in below(target) if isinstance(item, surface.Opaque))
    return set().union(*fields)


def functions_below(node: surface.Node) -> Iterator[surface.Function]:
    """All functions with a name inside a node."""
    return (item for item in below(node) if isinstance(item, surface.Function) and item is not node)


def unread_below(node: surface.Node) -> Iterator[surface.Unread]:
    """All statements inside a node that cannot be read."""
    return (item for item in below(node) if isinstance(item, surface.Unread) and item is not node)


def below(node: surface.Node) -> Iterator[surface.Node]:
    """A node and all below it."""
    pending = [node]
    while pending:
        yield (item := pending.pop())
        pending += item.children


def is_written_out(node: surface.Node) -> bool:
    """Whether a vector is made of numbers that stand there: it is the same wherever it is evaluated again."""
    return isinstance(node, surface.Vector) and all(map(_is_number, node.items))


def _is_number(node: surface.Node) -> bool:
    match node:
        case surface.Call(callee=surface.Name(name=sign), args=args, keywords=()):
            return is_operator(sign) and all(map(_is_number, args))
    return isinstance(node, surface.Number)


def leaves(node: surface.Node) -> bool:
    """Whether there is a ``return`` in a node that leaves what the node stands in."""
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, surface.Return):
            return True
        if not isinstance(item, surface.Function | surface.Lambda):
            pending += item.children
    return False


def walked(over: surface.Node) -> tuple[surface.Name | None, str]:
    """The vector that a loop goes over, if it has a name, and the function that says how."""
    match over:
        case surface.Name():
            return over, ""
        case surface.Call(callee=surface.Name(name=way), args=(surface.Name() as name,), keywords=()):
            return (name, way) if way in _OF_VECTORS else (None, "")
    return None, ""


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
