"""Operations on entries: of an array, of a column, of a table, and of what is kept of one by a mask.

What is computed of one entry goes over one array, or over the records of one table. Numbers that may be missing go with
whether they are there: arithmetic keeps what is missing so, a comparison with it is false, but for ``!=``, and sums
leave it out, as pandas does ("Working with missing data", its user guide).

Powers and whole quotients, of numbers and of the entries of arrays.

A whole power is one of the calculus; that of a negative number is one divided by it, and the power 1/2 a root. Of whole
numbers NumPy has no power by a negative whole number, wherever there is one: an array of them fails unless it is empty.
A power of a number of Python fails where it is too large, and one of an entry of an array does not, so a square of that
is a product. ``x // y`` is the largest whole number that is at most ``x / y``. Sources: the Python reference ("The
power operator", "Binary arithmetic operations"), the manual of NumPy (``power``, ``floor_divide``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from dp_lsp import surface
from dp_lsp.frontends.python.draws import Draw, whole
from dp_lsp.frontends.python.kinds import ABSENT, ASKS, COLUMNS, COMPARISONS, SIGNS, THERE, Kind, Kinds, Of
from dp_lsp.frontends.python.numeric import CLIPS, FUNCTIONS, goes_over_arrays, logistic, written
from dp_lsp.frontends.python.of_rows import COLUMN, COUNT_KEPT, KEPT, ROW, SHAPE, Leaf, Leaves, OfRows, limit_at
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.rows import Beside, Rows
from dp_lsp.frontends.python.tables import (
    Alone,
    Column,
    Frame,
    Holds,
    Table,
    chosen,
    code_of,
    kept_in,
    present,
    same_table,
)
from dp_lsp.frontends.python.tree import Places, copied, walk
from dp_lsp.surface import Node
from dp_lsp.text import Span

POWER, SQUARE, ROOT, DOWN = "**", "np.square", "np.sqrt", "np.floor"
UPDATES = frozenset({*SIGNS, ast.Pow, ast.FloorDiv})
"""The operators that a number may be updated by."""
_HALF = Fraction(1, 2)
_NEGATIVE = "a negative whole power, which NumPy has not of whole numbers (write `v ** -1.0`, or `1 / v`),"


class Powers:
    """The part of an expression's meaning that is about powers and whole quotients."""

    _places: Places
    _kinds: Kinds

    if TYPE_CHECKING:

        def number(self, node: ast.expr) -> Node: ...
        def _call(self, span: Span, name: str, *args: Node) -> surface.Call: ...

    def quotient(self, span: Span, left: Node, right: Node) -> Node:
        """``left // right``."""
        return self._call(span, DOWN, self._call(span, "/", left, right))

    def power(self, node: ast.expr, base: Node, exponent: ast.expr, of_entries: bool) -> Node:
        """``base ** exponent``. Raises :class:`Refused` for an exponent of each entry."""
        span = self._places.span(node)
        if self._kinds.of(exponent) in COLUMNS:
            raise Refused(exponent, "a power with another exponent for each entry")
        match exponent:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                if not (isinstance(operand, ast.Constant) and isinstance(operand.value, float)):
                    raise Refused(node, _NEGATIVE)
                return self._call(span, "/", whole(span.start, 1), self.power(node, base, operand, of_entries))
            case ast.Constant() if written(exponent) == _HALF:
                return self._call(span, ROOT, base)
            case ast.Constant(value=float() as value) if value.is_integer():
                times: Node = whole(span.end, int(value))
            case _:
                times = self.number(exponent)
        if of_entries and isinstance(times, surface.Number) and times.value == Fraction(2):
            return self._call(span, SQUARE, base)
        return self._call(span, POWER, base, times)


COUNT = "np.count_nonzero"
WHERE = "np.where"
SEVERAL = "arithmetic of several arrays (compute it before the call, and give the function one array of the results)"
_OF_WHERE = 3


class Entries(OfRows):
    """The part of an expression's meaning that goes over entries. ``lasting`` are names of columns and masks, and what
    they stand for; ``named`` are draws that have a name."""

    _places: Places
    _kinds: Kinds
    _lasting: Mapping[str, ast.expr]
    _named: Mapping[str, Draw]

    if TYPE_CHECKING:

        def number(self, node: ast.expr) -> Node: ...
        def _call(self, span: Span, name: str, *args: Node) -> surface.Call: ...
        def _function(self, node: ast.Call) -> tuple[str, list[ast.expr]]: ...
        def _of_numbers(self, node: ast.Call, name: str, args: list[ast.expr], values: tuple[Node, ...]) -> Node: ...
        def _lambda(self, name: str, value: Node) -> surface.Lambda: ...
        def power(self, node: ast.expr, base: Node, exponent: ast.expr, of_entries: bool) -> Node: ...
        def quotient(self, span: Span, left: Node, right: Node) -> Node: ...
        def array_of(self, node: ast.expr) -> Node | None: ...
        def _noisy_array(self, node: ast.BinOp) -> Node | None: ...

    def _elementwise(self, node: ast.expr) -> Node:
        """An operation on the entries of an array, which goes over one array alone, or over one table; one on vectors
        goes over several."""
        span = self._places.span(node)
        if self._kinds.of(node) in _VECTORS:
            return self._of_vectors(span, node)
        leaf, each = self._entries(node)
        if leaf.rows:
            return self._call(span, COLUMN, self._lambda(leaf.name, each), leaf.node)
        return surface.Broadcast(*span, each, (leaf.name,), (leaf.node,))

    def _of_vectors(self, span: Span, node: ast.expr) -> Node:
        leaves: Leaves = {}
        each = self._entry(node, leaves, False)
        if not leaves or any(leaf.rows for leaf in leaves.values()):
            raise Refused(node, SEVERAL)
        names = tuple(leaf.name for leaf in leaves.values())
        return surface.Broadcast(*span, each, names, tuple(leaf.node for leaf in leaves.values()))

    def _entries(self, node: ast.expr) -> tuple[Leaf, Node]:
        """The array or the table that an expression goes over, and what is made of one entry. A name stands for what
        it was given where that tells that two things have the same records."""
        for inlines in (False, True):
            leaves: dict[str, Leaf] = {}
            each = self._entry(node, leaves, inlines)
            if len(leaves) == 1:
                return next(iter(leaves.values())), each
        raise Refused(node, SEVERAL)

    def _entry(self, node: ast.expr, leaves: dict[str, Leaf], inlines: bool) -> Node:
        span, kind = self._places.span(node), self._kinds.of(node)

        def entry(each: ast.expr) -> Node:
            return self._entry(each, leaves, inlines)

        if kind not in COLUMNS and kind is not Kind.LOOSE:
            return self._one_for_all(node)
        if (taken := self._kinds.taken(node)) is not None:
            leaves[_key(taken.table)] = Leaf(ROW, self.table(taken.table), True)
            return self._cell(span, taken.column)
        if (of_row := self.entry_of_rows(node, leaves)) is not None:
            return of_row
        if kind in _VECTORS and (made := self._vector(node)) is not None:
            leaf = leaves.setdefault(_key(node), Leaf(f"<vector {len(leaves)}>", made, False))
            return surface.Name(*span, leaf.name)
        if (copied := self._kinds.made_of(node)) is not None and kind is Kind.ARRAY:
            return entry(copied)
        if (applied := self._applied(node, entry)) is not None:
            return applied
        match node:
            case ast.Name(id=name) if name in self._lasting and (inlines or kind is not Kind.ARRAY):
                return entry(_moved(self._lasting[name], node))
            case ast.Name(id=name) if kind in _VECTORS or kind is Kind.ARRAY:
                one = f"<{name}>" if kind in _VECTORS else f"entry of {name}"
                leaves[name] = Leaf(one, surface.Name(*span, name), False)
                return surface.Name(*span, one)
            case ast.Subscript():
                return self._entry_kept(node, leaves, inlines)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr() as op, left=left, right=right):
                sign = "and" if isinstance(op, ast.BitAnd) else "or"
                return self._call(span, sign, entry(left), entry(right))
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self._call(span, "not", entry(operand))
            case ast.BinOp() if (found := logistic(node, self._kinds.called)) is not None:
                return self.logistic(span, *map(entry, found))
            case ast.BinOp(op=op, left=left, right=right) if type(op) in SIGNS:
                return self._call(span, SIGNS[type(op)], entry(left), entry(right))
            case ast.BinOp(op=ast.Pow(), left=left, right=right):
                return self.power(node, entry(left), right, True)
            case ast.BinOp(op=ast.FloorDiv(), left=left, right=right):
                return self.quotient(span, entry(left), entry(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._call(span, "-", entry(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                return self._compared(node, left, op, right, entry)
            case ast.Call() if (called := self._entry_called(node, leaves, inlines, entry)) is not None:
                return called
        raise Refused(node, "this operation on an array")

    def _entry_called(
        self, node: ast.Call, leaves: dict[str, Leaf], inlines: bool, entry: Callable[[ast.expr], Node]
    ) -> Node | None:
        """What a function or a method makes of each entry."""
        match node.func:
            case ast.Attribute(value=of, attr=attr) if attr in ASKS and self._kinds.of(of) in COLUMNS:
                return self._asked(node, of, attr, entry)
            case ast.Attribute(value=of, attr="fillna" | "dropna" as attr) if self._kinds.of(of) is Kind.GAPS:
                return self._without_gaps(node, of, attr, leaves, inlines)
        name, args = self._function(node)
        if name == WHERE:
            return self._where(node, entry)
        if name in FUNCTIONS and goes_over_arrays(name) and args:
            return self._of_numbers(node, name, args, tuple(map(entry, args)))
        return None

    def _applied(self, node: ast.expr, entry: Callable[[ast.expr], Node]) -> Node | None:
        """What a function makes of an entry that is applied to each."""
        if (operation := self._kinds.applied(node)) is not None:
            return entry(operation)
        calls = self._kinds.called_with_each(node)
        if calls is None:
            return None
        column, function = calls
        span, name = self._places.span(node), surface.Name(*self._places.span(function), function.id)
        return self._call(span, "+", whole(span.start, 0), surface.Call(*span, name, (entry(column),)))

    def _compared(
        self, node: ast.Compare, left: ast.expr, op: ast.cmpop, right: ast.expr, entry: Callable[[ast.expr], Node]
    ) -> Node:
        span = self._places.span(node)
        texts = Kind.TEXTS in (self._kinds.of(left), self._kinds.of(right))
        if texts and not isinstance(op, ast.Eq | ast.NotEq):
            raise Refused(node, "the order of texts")
        sides = (self._text(each, entry) if texts else entry(each) for each in (left, right))
        made = self._call(span, COMPARISONS[type(op)], *sides)
        return self._if_there(span, self._there_all(left, right), made, isinstance(op, ast.NotEq))

    def _one_for_all(self, node: ast.expr) -> Node:
        """A number beside the entries of an array, which is no draw."""
        parts = [each for each in walk(node) if isinstance(each, ast.expr)]
        if any(self._kinds.drawn(each) or (isinstance(each, ast.Name) and each.id in self._named) for each in parts):
            raise Refused(node, "one draw for all entries of an array")
        return self.number(node)

    def _vector(self, node: ast.expr) -> Node | None:
        """A vector that is no operation on entries of others."""
        if isinstance(node, ast.BinOp) and (noisy := self._noisy_array(node)) is not None:
            return noisy
        return self.array_of(node) or self.of_rows(node)

    def _entry_kept(self, node: ast.Subscript, leaves: dict[str, Leaf], inlines: bool) -> Node:
        """An entry of an array, or of a column, of those for which a mask is true."""
        kept = kept_in(node)
        if kept is None or self._kinds.of(kept.mask) is not Kind.MASK:
            raise Refused(node, "this index of an array")
        within: dict[str, Leaf] = {}
        each = self._entry(kept.of, within, inlines)
        wanted = self._entry(kept.mask, within, inlines)
        if len(within) != 1:
            raise Refused(node, "a mask that is not made of what it is used for")
        ((key, leaf),) = within.items()
        leaves[f"{key}[{_key(kept.mask)}]"] = leaf._replace(node=self._kept(self._places.span(node), leaf, wanted))
        return each

    def _kept(self, span: Span, leaf: Leaf, wanted: Node) -> Node:
        """The records for which something is true."""
        if leaf.rows:
            return self._call(span, KEPT, self._lambda(leaf.name, wanted), leaf.node)
        one = surface.Name(span.start, span.start, leaf.name)
        each, keeps = self._lambda(leaf.name, one), self._lambda(leaf.name, wanted)
        return surface.Comprehension(*span, each, leaf.node, keeps)

    # Tables

    def column(self, node: ast.expr) -> Node:
        """A column that a name is given, whatever stands in it."""
        return self._elementwise(node)

    def table(self, node: ast.expr) -> Node:
        """An expression that is a table. Raises :class:`Refused`."""
        span = self._places.span(node)
        match node:
            case ast.Name(id=name):
                kind = self._kinds.of(node)
                return surface.Name(*span, kind.of or name if isinstance(kind, Rows) else name)
        if (same := same_table(node, self._kinds.of)) is not None:
            return self.table(same)
        if isinstance(self._kinds.of(node), Rows):
            return self.rows(node)
        if (parts := chosen(node, self._kinds.of)) is not None:
            return self.table(parts[0])
        if (whole_records := present(node, self._kinds.of)) is not None:
            flags = [each.there for each in whole_records.columns] + [whole_records.others]
            wanted = self._all(span, [self._flag(span, place) for place in flags if place])
            assert wanted is not None, "something may be missing"
            return self._kept(span, Leaf(ROW, self.table(whole_records.table), True), wanted)
        kept = kept_in(node)
        if kept is None or self._kinds.of(kept.mask) is not Kind.MASK:
            raise Refused(node, "this part of a table")
        leaf, wanted = self._entries(kept.mask)
        if not leaf.rows or _key(kept.of) != self._over(kept.mask):
            raise Refused(node, "a mask that is not made of the table it is used for")
        return self._kept(span, leaf, wanted)

    def _over(self, mask: ast.expr) -> str:
        """What a mask is made of."""
        leaves: dict[str, Leaf] = {}
        self._entry(mask, leaves, True)
        return next(iter(leaves)) if len(leaves) == 1 else ""

    def size(self, span: Span, table: ast.expr) -> Node:
        """The number of records of a table."""
        return self._call(span, SHAPE, self.table(table), surface.Number(span.end, span.end, Fraction(1), True))

    def length(self, span: Span, of: ast.expr) -> Node:
        """How many entries a column or an array has."""
        leaf, _ = self._entries(of)
        if not leaf.rows:
            return self._call(span, "len", leaf.node)
        return self._call(span, SHAPE, leaf.node, whole(span.end, 1))

    def _cell(self, span: Span, column: Column) -> Node:
        """What stands in one column of a record, between the bounds that it is declared to have."""
        place = surface.Number(span.start, span.start, Fraction(column.place), True)
        cell: Node = surface.Index(*span, surface.Name(span.start, span.start, ROW), (place,))
        if column.holds is Holds.TRUTHS:
            return self._call(span, "==", cell, surface.Number(span.end, span.end, Fraction(1), True))
        if column.bounds is not None:
            return self._call(span, CLIPS, cell, *(limit_at(each, span) for each in column.bounds))
        return cell

    def _text(self, node: ast.expr, entry: Callable[[ast.expr], Node]) -> Node:
        """A text, or that of an entry."""
        match node:
            case ast.Constant(value=str() as text):
                return surface.Number(*self._places.span(node), code_of(text), True)
            case _ if self._kinds.of(node) is Kind.TEXTS:
                return entry(node)
        raise Refused(node, "a text that is compared with something else")

    def _asked(self, node: ast.Call, of: ast.expr, attr: str, entry: Callable[[ast.expr], Node]) -> Node:
        """Whether an entry is one of several values that are written out, or lies between two."""
        span = self._places.span(node)
        match attr, node.args, node.keywords:
            case _, [], [] if attr in ABSENT or attr in THERE:
                entry(of)
                there = self._there(of)
                if there is None:
                    raise Refused(node, f"`{attr}` of what has no gaps, as it is not declared `MayBeMissing()`,")
                return self._call(span, "not", there) if attr in ABSENT else there
            case "isin", [ast.List(elts=values) | ast.Tuple(elts=values)], [] if (
                values and self._kinds.of(of) is not Kind.MASK
            ):
                return self._if_there(span, self._there(of), self._one_of(span, of, values, entry))
            case "between", [low, high], [] if self._kinds.of(of) in (Kind.ARRAY, Kind.GAPS):
                above = self._call(span, "<=", self.number(low), entry(of))
                made = self._call(span, "and", above, self._call(span, "<=", entry(of), self.number(high)))
                return self._if_there(span, self._there(of), made)
        raise Refused(node, f"`{attr}` of something else than values that are written out")

    def _one_of(self, span: Span, of: ast.expr, values: list[ast.expr], entry: Callable[[ast.expr], Node]) -> Node:
        made: Node | None = None
        for value in values:
            if not isinstance(value, ast.Constant) or isinstance(value.value, bool):
                raise Refused(value, "`isin` of something else than values that are written out")
            known = self._text(value, entry) if self._kinds.of(of) is Kind.TEXTS else self.number(value)
            one = self._call(span, "==", entry(of), known)
            made = one if made is None else self._call(span, "or", made, one)
        assert made is not None, "there are values"
        return made

    # What may be missing

    def _flag(self, span: Span, place: int) -> Node:
        """Whether something is there in a record."""
        cell = surface.Index(*span, surface.Name(span.start, span.start, ROW), (whole(span.start, place),))
        return self._call(span, "==", cell, whole(span.end, 1))

    def _all(self, span: Span, conditions: list[Node]) -> Node | None:
        made: Node | None = None
        for each in conditions:
            made = each if made is None else self._call(span, "and", made, each)
        return made

    def _there_all(self, *nodes: ast.expr) -> Node | None:
        found = [there for each in nodes if (there := self._there(each)) is not None]
        return self._all(found[0].span, found) if found else None

    def _there(self, node: ast.expr) -> Node | None:
        """Whether what an entry is made of is there; None where it always is."""
        if self._kinds.of(node) not in (Kind.GAPS, Kind.TEXTS):
            return None
        if (taken := self._kinds.taken(node)) is not None:
            place = taken.column.there
            return None if place is None else self._flag(self._places.span(node), place)
        match node:
            case ast.Name(id=name) if name in self._lasting:
                return self._there(_moved(self._lasting[name], node))
            case ast.Subscript() if (kept := kept_in(node)) is not None:
                return self._there(kept.of)
            case ast.BinOp(left=left, right=right):
                return self._there_all(left, right)
            case ast.UnaryOp(operand=operand):
                return self._there(operand)
            case ast.Call():
                return self._there_all(*self._function(node)[1])
        raise Refused(node, "this operation on what may be missing")

    def _if_there(self, span: Span, there: Node | None, made: Node, otherwise: bool = False) -> Node:
        """A condition on something that may be missing."""
        if there is None:
            return made
        if otherwise:
            return self._call(span, "or", self._call(span, "not", there), made)
        return self._call(span, "and", there, made)

    def _without_gaps(self, node: ast.Call, of: ast.expr, attr: str, leaves: dict[str, Leaf], inlines: bool) -> Node:
        """What is there, or has a number in place of what is missing."""
        span, within = self._places.span(node), dict[str, Leaf]()
        value, there = self._entry(of, within, inlines), self._there(of)
        if len(within) != 1 or there is None:
            raise Refused(node, f"`{attr}` of this")
        ((key, leaf),) = within.items()
        given = [*node.args, *(each.value for each in node.keywords if each.arg == "value")]
        if attr == "dropna" and not node.args and not node.keywords:
            leaves[f"{key}[{_key(node)}]"] = leaf._replace(node=self._kept(span, leaf, there))
            return value
        if attr != "fillna" or len(given) != 1 or len(node.args) + len(node.keywords) != 1:
            raise Refused(node, f"`{attr}` with other arguments than a number to fill gaps with")
        leaves[key] = leaf
        return self._either(span, there, value, self.number(given[0]))

    def _where(self, node: ast.Call, entry: Callable[[ast.expr], Node]) -> Node:
        """One of two numbers for each entry, by a mask. What is so held below or above a limit is that."""
        if len(node.args) != _OF_WHERE or node.keywords or self._kinds.of(node.args[0]) is not Kind.MASK:
            raise Refused(node, f"`{WHERE}` of something else than a mask and two numbers")
        mask, one, other = node.args
        span = self._places.span(node)
        if (held := _held(mask, one, other)) is not None:
            return self._call(span, held, entry(one), entry(other))
        return self._either(span, entry(mask), entry(one), entry(other))

    def _either(self, span: Span, condition: Node, value: Node, other: Node) -> Node:
        return surface.If(*span, condition, surface.Block(*span, (value,)), surface.Block(*span, (other,)))

    def of_gaps(self, span: Span, of: ast.expr, what: str) -> Node:
        """The sum, the mean or the number of those that are there."""
        (leaf, value), there = self._entries(of), self._there(of)
        if there is None:
            raise Refused(of, f"`{what}` of this")
        counted = self._call(span, COUNT_KEPT, self._lambda(leaf.name, there), leaf.node)
        if what == "count":
            return counted
        each = self._either(span, there, value, whole(span.end, 0))
        total = self._call(span, "np.sum", self._call(span, COLUMN, self._lambda(leaf.name, each), leaf.node))
        return total if what == "sum" else self._call(span, "/", total, counted)


_VECTORS = frozenset({Kind.VECTOR, Kind.LOOSE})
_KINDS = {
    Kind.VECTOR: "an array",
    Kind.LOOSE: "a sum that is no array where nothing is added up",
    Kind.UPRIGHT: "an array of two dimensions",
    Kind.PARTS: "a list of what is made of each record",
    Kind.TRUTH: "a truth value",
    Kind.LIST: "a list",
    Kind.ARRAY: "an array",
    Kind.MASK: "an array of truth values",
    Kind.TEXTS: "a column of texts",
    Kind.TEXT: "one of several texts",
    Kind.CHOICE: "one of several numbers",
    Kind.DICT: "a dictionary",
    Kind.GAPS: "a column whose numbers may be missing",
    Kind.GENERATOR: "a generator",
    Kind.GIVEN: "a generator",
    Kind.MECHANISM: "a mechanism of a library",
    Kind.DRAWS: "an array of draws",
}


def named_kind(kind: Of) -> str:
    """A kind of values, for a person."""
    if isinstance(kind, Rows | Beside):
        return "an array" if isinstance(kind, Beside) else "an array of rows"
    if isinstance(kind, Frame):
        return "a frame of polars"
    if isinstance(kind, Table | Alone):
        return "a table" if isinstance(kind, Table) else _KINDS[Kind.GAPS]
    return _KINDS.get(kind, "this")


def _held(mask: ast.expr, one: ast.expr, other: ast.expr) -> str | None:
    """The smaller or the larger of two numbers, where a mask that compares just these decides."""
    match mask:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _SIDES:
            sides = _key(left), _key(right)
            larger = _SIDES[type(op)] if sides == (_key(one), _key(other)) else not _SIDES[type(op)]
            if sides in ((_key(one), _key(other)), (_key(other), _key(one))):
                return "np.maximum" if larger else "np.minimum"
    return None


_SIDES: dict[type[ast.cmpop], bool] = {ast.Gt: True, ast.GtE: True, ast.Lt: False, ast.LtE: False}
"""Whether the left side is the larger one."""


def _key(node: ast.expr) -> str:
    """The same for expressions that are written alike."""
    return ast.dump(node)


def _moved(value: ast.expr, to: ast.expr) -> ast.expr:
    """An expression where a name stands for it."""
    made = copied(value)
    for each in walk(made):
        ast.copy_location(each, to)
    return made
