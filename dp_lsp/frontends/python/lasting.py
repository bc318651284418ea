"""Columns and masks that a function gives a name once, and only reads: ``old = df["Age"] > 65``.

Such a name stands for its value wherever it is read, so that ``df[old]`` is seen to keep records of the table that the
mask was made of. What it is made of must be the same there as where it was made: every name in it is given a value
once, before that. And nobody may change it in between: it is read in no other way than by what makes something new.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from dp_lsp.frontends.python.filled import changed
from dp_lsp.frontends.python.kinds import ASKS, CHANGES, COLUMNS, Kind, Kinds
from dp_lsp.frontends.python.reducing import FREEDOM, FUNCTIONS, METHODS
from dp_lsp.frontends.python.tables import Table
from dp_lsp.frontends.python.tree import below, children, walk

_READING = frozenset({"sum", "mean", "count", "fillna", "dropna", "to_numpy", *CHANGES, *ASKS, *METHODS})
"""Methods that change nothing, and make what shares nothing with what they are asked of."""
_FUNCTIONS = frozenset({"len", "sum", "abs", "np.sum", "np.mean", "np.abs", "np.clip", *FUNCTIONS})
_KEYWORDS = frozenset({"lower", "upper", "min", "max", "a_min", "a_max", "q", FREEDOM})
_PLAIN = (
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
            for name, value in _assigned(statement):
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
                case _ if not isinstance(item, _PLAIN):
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


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
