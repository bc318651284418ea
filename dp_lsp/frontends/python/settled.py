"""Names that a function gives a value once: what each stands for, wherever it is read behind that.

``norm = np.linalg.norm(g)``, and then ``g / max(1, norm / c)``: that is seen to scale g down by its own norm, as g is
still the same there. So every name in a value gets its own only value before, or is a parameter that gets no other; and
a name is read behind the statement that gives it the value, among the statements of which that is one.

Columns and masks that a function gives a name once, and only reads: ``old = df["Age"] > 65``.

Such a name stands for its value wherever it is read, so that ``df[old]`` is seen to keep records of the table that the
mask was made of. What it is made of must be the same there as where it was made: every name in it is given a value
once, before that. And nobody may change it in between: it is read in no other way than by what makes something new.

Tables that get their own name again: ``df = df[df["Age"] >= 18]``, ``wages = wages.dropna()``.

What stands behind such a statement is about another table, which may have other columns with gaps. So each version gets
a name of its own, where it is certain which one a name stands for: where all versions are made by statements that run
one after the other, once each, and no function inside sees the name.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from dp_lsp.frontends.python.filled import changed
from dp_lsp.frontends.python.inner import bound_below
from dp_lsp.frontends.python.kinds import ASKS, CHANGES, COLUMNS, Kind, Kinds
from dp_lsp.frontends.python.reducing import FREEDOM, FUNCTIONS, METHODS
from dp_lsp.frontends.python.tables import Table
from dp_lsp.frontends.python.tree import below, children, copied, walk

_INSIDE = (
    *(ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal),
    *(ast.Try, ast.TryStar, ast.Import, ast.ImportFrom, ast.Match, ast.With),
)
"""What sees names in its own way, or gives them values in other ways than by an assignment."""


def with_versions(node: ast.FunctionDef, tables: Iterable[str]) -> ast.FunctionDef:
    """The function with a name for each version of its parameters that are ``tables``."""
    again = [name for name in tables if _is_in_order(node, name)]
    if not again:
        return node
    made = copied(node)
    for name in again:
        version = 1
        for statement in made.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=target) as given], value=value) if target == name:
                    _rename(value, name, version)
                    version += 1
                    given.id = _versioned(name, version)
                case _:
                    _rename(statement, name, version)
    return made


def _is_in_order(node: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is given again, and that only by statements of the body itself."""
    given = [
        target
        for statement in node.body
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1
        for target in statement.targets
        if isinstance(target, ast.Name) and target.id == name
    ]
    inner = [item for statement in node.body for item in walk(statement)]
    stored = [item for item in inner if isinstance(item, ast.Name) and item.id == name and _is_stored(item)]
    hidden = any(isinstance(item, _INSIDE) for item in inner)
    return bool(given) and len(stored) == len(given) and not hidden


def _rename(node: ast.AST, name: str, version: int) -> None:
    for item in walk(node):
        if isinstance(item, ast.Name) and item.id == name:
            item.id = _versioned(name, version)


def _versioned(name: str, version: int) -> str:
    return name if version == 1 else f"{name} ({version})"


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


_READING = frozenset({"sum", "mean", "count", "fillna", "dropna", "to_numpy", *CHANGES, *ASKS, *METHODS})
"""Methods that change nothing, and make what shares nothing with what they are asked of."""
_FUNCTIONS = frozenset({"len", "sum", "abs", "np.sum", "np.mean", "np.abs", "np.clip", *FUNCTIONS})
_KEYWORDS = frozenset({"lower", "upper", "min", "max", "a_min", "a_max", "q", FREEDOM})
_PLAIN_TO_READ = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute, ast.List, ast.Tuple),
    *(ast.keyword, ast.operator, ast.unaryop, ast.cmpop, ast.Load),
)


def lasting(node: ast.FunctionDef, kinds: Kinds) -> dict[str, ast.expr]:
    """The names of a function that stand for a column or a mask, and what each stands for."""
    return _Reader(node, kinds).found()


class _Reader:
    def __init__(self, node: ast.FunctionDef, kinds: Kinds) -> None:
        self._node = node
        self._kinds = kinds
        names = below(node, ast.Name)
        self._reads = [item for item in names if isinstance(item.ctx, ast.Load)]
        self._writes = Counter(item.id for item in names if not isinstance(item.ctx, ast.Load))
        self._params = {each.arg for each in node.args.args}
        self._inner = Counter(item.arg for item in below(node, ast.arg))
        self._above = {id(child): item for item in walk(node) for child in children(item)}
        self._changed = changed(node)
        self._known: set[str] = set()

    def found(self) -> dict[str, ast.expr]:
        found: dict[str, ast.expr] = {}
        for index, statement in enumerate(self._node.body):
            for name, value in _named_in(statement):
                if self._writes[name] != 1 or self._inner[name]:
                    continue
                if self._kinds.of(value) in COLUMNS and self._is_plain(value) and self._is_only_read(name, index):
                    found[name] = value
                self._known.add(name)
        return found

    def _is_same_later(self, name: str) -> bool:
        """Whether a name has the same value from here on."""
        if not self._kinds.is_local(name):
            return True
        if name in self._changed:
            return False
        is_parameter = name in self._params and self._inner[name] == 1 and not self._writes[name]
        return is_parameter or name in self._known

    def _is_plain(self, value: ast.expr) -> bool:
        """Whether a value is the same each time that it is computed, and nothing happens by that."""
        for item in walk(value):
            match item:
                case ast.Name(id=name):
                    if not self._is_same_later(name):
                        return False
                case ast.Call():
                    if self._kinds.drawn(item) or not self._is_reading(item):
                        return False
                case _ if not isinstance(item, _PLAIN_TO_READ):
                    return False
        return True

    def _is_reading(self, call: ast.Call) -> bool:
        """Whether a call changes nothing that it is given, and returns nothing that shares its entries."""
        if any(each.arg not in _KEYWORDS for each in call.keywords):
            return False
        if self._kinds.called(call.func) in _FUNCTIONS:
            return True
        match call.func:
            case ast.Attribute(value=of, attr=attr):
                return attr in _READING and self._kinds.of(of) in COLUMNS
        return False

    def _is_only_read(self, name: str, index: int) -> bool:
        """Whether a name is read behind the statement that makes it, and never so that its value might be changed."""
        behind = {id(item) for statement in self._node.body[index + 1 :] for item in walk(statement)}
        return all(id(item) in behind and self._is_harmless(item) for item in self._reads if item.id == name)

    def _is_harmless(self, read: ast.Name) -> bool:
        above = self._above[id(read)]
        match above:
            case ast.Compare() | ast.BinOp() | ast.UnaryOp():
                return True
            case ast.Tuple():
                above = self._above[id(above)]
                return isinstance(above, ast.Subscript) and self._is_chosen(above)
            case ast.Subscript(value=value, slice=index):
                return self._kinds.of(index) is Kind.MASK if value is read else self._is_chosen(above)
            case ast.Attribute(attr="shape" | "size"):
                return True
            case ast.Attribute():
                call = self._above[id(above)]
                return isinstance(call, ast.Call) and call.func is above and self._is_reading(call)
            case ast.Call(args=args):
                return read in args and self._is_reading(above)
        return False

    def _is_chosen(self, node: ast.Subscript) -> bool:
        """Whether an index chooses records, of which a copy is made."""
        if not isinstance(node.ctx, ast.Load):
            return False
        of = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "loc" else node.value
        return isinstance(kind := self._kinds.of(of), Table) or kind in COLUMNS


def _named_in(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


_PLAIN = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Call, ast.Subscript, ast.Slice, ast.Tuple),
    *(ast.keyword, ast.operator, ast.unaryop, ast.Load),
)


def settled(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """The names of a function whose only value is known, and that value."""
    writes = Counter(bound_below(node))
    params = Counter(item.arg for item in below(node, ast.arg))
    own = {each.arg for each in (*node.args.args, *node.args.kwonlyargs)}
    altered = changed(node)
    known: set[str] = {name for name in own if not writes[name] and params[name] == 1} - altered
    found: dict[str, ast.expr] = {}
    for name, value, behind in _assigned(node.body):
        if writes[name] != 1 or params[name] or name in altered:
            continue
        mentions = set() if value is None else {item.id for item in below(value, ast.Name)}
        local = {each for each in mentions if writes[each] or params[each]}
        if value is not None and _is_plain(value) and local <= known and _reads(node, name) == _reads_in(behind, name):
            found[name] = value
        known.add(name)
    return found


def _is_plain(value: ast.expr) -> bool:
    return all(isinstance(item, _PLAIN) for item in walk(value))


def _assigned(statements: list[ast.stmt]) -> Iterator[tuple[str, ast.expr | None, list[ast.stmt]]]:
    """The names that statements give values, in the order in which they stand, and the statements behind each; no value
    where a name gets a part of one."""
    for index, statement in enumerate(statements):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value, statements[index + 1 :]
            case ast.Assign(targets=[ast.Tuple(elts=targets)]):
                yield from ((each.id, None, []) for each in targets if isinstance(each, ast.Name))
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                continue
        for block in (getattr(statement, "body", None), getattr(statement, "orelse", None)):
            if isinstance(block, list):
                yield from _assigned(block)


def _reads(node: ast.AST, name: str) -> int:
    return sum(isinstance(item, ast.Name) and item.id == name for item in walk(node)) - 1


def _reads_in(statements: list[ast.stmt], name: str) -> int:
    return sum(isinstance(item, ast.Name) and item.id == name for each in statements for item in walk(each))


def returned_as_one(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of which ``if c: return x`` and a ``return y`` behind it, or in its ``else``, are one."""
    match statements:
        case [*before, ast.If(body=[ast.Return() as first], orelse=[ast.Return() as second]) as either]:
            pass
        case [*before, ast.If(body=[ast.Return() as first], orelse=[]) as either, ast.Return() as second]:
            pass
        case _:
            return statements
    if first.value is None or second.value is None:
        return statements
    chosen = ast.copy_location(ast.IfExp(either.test, first.value, second.value), first.value)
    return [*before, ast.copy_location(ast.Return(chosen), either)]
