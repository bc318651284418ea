"""Expressions over arrays with one record in each row, and over vectors.

What is computed of a row is computed of one row of the records that it is part of, so that parts of one record stay
together. What a product, a sum or a norm makes of vectors is written out in sums of entries.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dp_lsp import surface
from dp_lsp.frontends.python.draws import whole
from dp_lsp.frontends.python.kinds import SIGNS, Kind, Kinds, Of
from dp_lsp.frontends.python.numeric import CLIPS, FUNCTIONS, goes_over_arrays
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.rows import (
    Beside,
    Rows,
    along,
    column_at,
    limited,
    norm_of,
    product,
    turned,
    upright,
)
from dp_lsp.frontends.python.tables import Limit, kept_in
from dp_lsp.frontends.python.tree import Places
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Node
from dp_lsp.text import Span

ROW = "<row>"
"""The name of one record of a table, or of an array of rows."""
COLUMN, KEPT, SHAPE = "df[column]", "df[mask]", "df.shape"
COUNT_KEPT = "len(df[mask])"
"""How many records of a table are kept, by a name that nothing else has: it is none of Python."""
ROW_SUM, SHORT, LENGTH = "X.sum(axis=0)", "v / max(1, norm / c)", "np.linalg.norm"
DOT, VECTOR = "np.dot", "an array"
"""What is done with rows and vectors, by names that nothing else has: they are no names of Python."""
_DIMENSION = "dims"


class Leaf(NamedTuple):
    """What an operation on entries goes over: an array, or a table where they are ``rows``, with the name of one."""

    name: str
    node: Node
    rows: bool


Leaves = dict[str, Leaf]


class OfRows:
    """The part of an expression's meaning that goes over rows. ``settled`` are names that are given a value once, and
    that value."""

    _places: Places
    _kinds: Kinds
    settled: Mapping[str, ast.expr]

    if TYPE_CHECKING:

        def node(self, node: ast.expr) -> Node: ...
        def table(self, node: ast.expr) -> Node: ...
        def number(self, node: ast.expr) -> Node: ...
        def truth(self, node: ast.expr) -> Node: ...
        def _call(self, span: Span, name: str, *args: Node) -> surface.Call: ...
        def _lambda(self, name: str, value: Node) -> surface.Lambda: ...
        def _function(self, node: ast.Call) -> tuple[str, list[ast.expr]]: ...
        def _of_numbers(self, node: ast.Call, name: str, args: list[ast.expr], values: tuple[Node, ...]) -> Node: ...
        def _entry(self, node: ast.expr, leaves: Leaves, inlines: bool) -> Node: ...
        def _kept(self, span: Span, leaf: Leaf, wanted: Node) -> Node: ...
        def _elementwise(self, node: ast.expr) -> Node: ...
        def _is_still(self, node: ast.expr) -> bool: ...
        def with_names(self, names: Mapping[str, Of]) -> OfRows: ...

    # Values

    def of_rows(self, node: ast.expr) -> Node | None:
        """A vector or a number that is made of rows, or of vectors; None for anything else."""
        span = self._places.span(node)
        if self._kinds.of(node) is Kind.ARRAY and self._is_of_each_row(node):
            return self._elementwise(node)
        if (over := along(node, self._kinds.called)) is not None and self._kinds.of(node) in (Kind.VECTOR, Kind.LOOSE):
            return self._added_up(span, over[0], over[1])
        if (size := norm_of(node, self._kinds.called)) is not None and self._kinds.of(node) is Kind.NUMBER:
            self.note_vector(size[0])
            return self._call(span, LENGTH, self.node(size[0]))
        if (factors := product(node, self._kinds.called)) is not None:
            kind = self._kinds.of(node)
            if kind is Kind.NUMBER:
                return self._call(span, DOT, *map(self.node, factors))
            if kind is Kind.VECTOR:
                return self._across(span, *factors)
        if self._kinds.of(node) is Kind.VECTOR and (short := self._shortened(node)) is not None:
            of, most = short
            return self._call(span, SHORT, most, self.node(of))
        match node:
            case ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant(value=int() as axis)):
                return self._extent(span, of, axis)
            case ast.Attribute(value=of, attr="size") if self._kinds.of(of) is Kind.VECTOR:
                return self._call(span, "len", self.node(of))
        return None

    def _is_of_each_row(self, node: ast.expr) -> bool:
        """Whether an array has an entry that is computed of each row of another one."""
        called = self._kinds.called
        return any(found is not None for found in (along(node, called), norm_of(node, called), product(node, called)))

    def note_vector(self, node: ast.expr) -> None:
        """A vector is asked for, and there is one."""
        if self._kinds.of(node) is not Kind.VECTOR:
            raise Refused(node, "the norm of something other than a vector, or the rows of an array")

    def _extent(self, span: Span, of: ast.expr, axis: int) -> Node | None:
        kind = self._kinds.of(of)
        if kind is Kind.VECTOR and axis == 0:
            return self._call(span, "len", self.node(of))
        if not isinstance(kind, Rows) or axis not in (0, 1):
            return None
        if axis == 1 and kind.width is not None:
            return whole(span.start, kind.width)
        if axis == 1 and kind.of and kind.first > 1:
            behind = whole(span.end, kind.first - 1)
            every = self._call(span, SHAPE, surface.Name(span.start, span.start, kind.of), whole(span.end, 2))
            return self._call(span, "-", every, behind)
        return self._call(span, SHAPE, self.rows(of), whole(span.end, axis + 1))

    def _added_up(self, span: Span, of: ast.expr, made: str) -> Node:
        """The sum of rows, or their mean."""
        rows = self.rows(of) if isinstance(self._kinds.of(of), Rows) else self._parts_of(of)
        total = self._sum_of_rows(span, rows)
        if made == "sum":
            return total
        count = self._call(span, SHAPE, rows, whole(span.end, 1))
        return surface.Broadcast(*span, self._call(span, "/", _entry_of(span, "total"), count), ("<total>",), (total,))

    def _parts_of(self, node: ast.expr) -> Node:
        match node:
            case ast.Call(args=[of]):
                return self._parts_of(of)
            case ast.Name(id=name):
                return surface.Name(*self._places.span(node), name)
        return self.node(node)

    def _sum_of_rows(self, span: Span, rows: Node) -> Node:
        first = surface.Keyword(*span, _DIMENSION, whole(span.end, 1))
        name = surface.Name(span.start, span.start, "np.sum")
        return self._call(span, ROW_SUM, surface.Call(*span, name, (rows,), (first,)))

    def _across(self, span: Span, left: ast.expr, right: ast.expr) -> Node:
        """``X.T @ v``: the sum of the rows, each times its entry of v."""
        across = turned(left)
        assert across is not None, "that is what makes a vector"
        leaves: Leaves = {}
        row, times = self._row(across, leaves), self._entry(right, leaves, True)
        product_ = surface.Broadcast(
            *span, self._call(span, "*", times, _entry_of(span, "row entry")), ("<row entry>",), (row,)
        )
        return self._sum_of_rows(span, self._each(span, leaves, left, product_))

    def _given_by(self, node: ast.expr) -> ast.expr:
        """What a name stands for, if that is known."""
        return self.settled.get(node.id, node) if isinstance(node, ast.Name) else node

    def is_clipped(self, node: ast.expr) -> bool:
        """Whether an expression is a vector that is scaled down to a norm."""
        return self._shortened(node) is not None

    def standing(self, node: ast.expr) -> Node:
        """A column with a number for each row, as the array of these numbers."""
        leaves: Leaves = {}
        return self._each(self._places.span(node), leaves, node, self._beside(node, leaves))

    def _shortened(self, node: ast.expr) -> tuple[ast.expr, Node] | None:
        """What is scaled down, and to which norm at most, which is positive."""
        rows = isinstance(self._kinds.of(node), Rows)

        def norm(each: ast.expr) -> ast.expr | None:
            standing = upright(self._given_by(each)) if rows else None
            found = norm_of(self._given_by(each if standing is None else standing), self._kinds.called)
            wanted = (rows, rows and standing is None)
            return None if found is None or found[1:] != wanted else found[0]

        found = limited(node, norm, self._kinds.called, rows)
        if found is None or not self._is_still(found[1]):
            return None
        most = self.number(found[1])
        if isinstance(most, surface.Number):
            if most.value <= 0:
                return None
            return found[0], most
        inverse = self._call(most.span, "/", whole(most.start, 1), most)
        return found[0], self._call(most.span, "/", whole(most.start, 1), inverse)

    def logistic(self, span: Span, over: Node, power: Node) -> Node:
        """``over / (1 + np.exp(power))``."""
        half = self._call(span, "np.tanh", self._call(span, "/", power, whole(span.end, 2)))
        share = self._call(span, "/", self._call(span, "-", whole(span.start, 1), half), whole(span.end, 2))
        return self._call(span, "*", over, share)

    # Rows

    def rows(self, node: ast.expr) -> Node:
        """An expression that is an array of rows. Raises :class:`Refused`."""
        leaves: Leaves = {}
        row = self._row(node, leaves)
        return self._each(self._places.span(node), leaves, node, row)

    def _each(self, span: Span, leaves: Leaves, node: ast.expr, made: Node) -> Node:
        """What is made of each row."""
        if len(leaves) != 1:
            raise Refused(node, "arithmetic of several arrays of rows")
        (leaf,) = leaves.values()
        if isinstance(made, surface.Name) and made.name == ROW:
            return leaf.node
        return self._call(span, COLUMN, self._lambda(ROW, made), leaf.node)

    def _row(self, node: ast.expr, leaves: Leaves) -> Node:
        """One row of an array, by the record that it is part of."""
        span, kind = self._places.span(node), self._kinds.of(node)
        if not isinstance(kind, Rows):
            raise Refused(node, "this where an array of rows stands")
        if (short := self._shortened(node)) is not None:
            return self._call(span, SHORT, short[1], self._row(short[0], leaves))
        match node:
            case ast.Name(id=name):
                self._take(node, kind.of or name, leaves)
                return self.part(span, kind)
            case ast.Subscript() if (kept := kept_in(node)) is not None:
                within: Leaves = {}
                row = self._row(kept.of, within)
                wanted = self._entry(kept.mask, within, True)
                if len(within) != 1:
                    raise Refused(node, "a mask that is not made of what it is used for")
                ((key, leaf),) = within.items()
                leaves[f"{key}[{ast.dump(kept.mask)}]"] = leaf._replace(node=self._kept(span, leaf, wanted))
                return row
            case ast.BinOp(op=op, left=left, right=right) if type(op) in SIGNS:
                return self._of_each_entry(
                    span, (left, right), leaves, lambda a, b: self._call(span, SIGNS[type(op)], a, b)
                )
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._of_each_entry(span, (operand,), leaves, lambda a: self._call(span, "-", a))
            case ast.Call():
                name, args = self._function(node)
                if name in FUNCTIONS and goes_over_arrays(name):
                    return self._of_each_entry(
                        span, args, leaves, lambda *given: self._of_numbers(node, name, args, given)
                    )
        raise Refused(node, "this operation on an array of rows")

    def _take(self, node: ast.expr, name: str, leaves: Leaves) -> None:
        span = self._places.span(node)
        leaves[ast.dump(ast.Name(name, ast.Load()))] = Leaf(ROW, surface.Name(*span, name), True)

    def listed_part(self, node: ast.expr, kind: Beside) -> Node:
        """The list of the parts of records that belong to a parameter."""
        span = self._places.span(node)
        return self._call(span, COLUMN, self._lambda(ROW, self.part(span, kind)), self.table(kind.table(node)))

    def part(self, span: Span, kind: Rows | Beside) -> Node:
        """The part of a record that belongs to an array."""
        record = surface.Name(span.start, span.start, ROW)
        if isinstance(kind, Beside):
            return self._within(span, surface.Index(*span, record, (whole(span.start, kind.column.place),)), kind)
        if not kind.of:
            return record
        last = (
            surface.IndexBound(span.end, span.end, True)
            if kind.width is None
            else whole(span.end, kind.first + kind.width - 1)
        )
        part: Node = surface.Index(*span, record, (surface.Range(*span, whole(span.start, kind.first), None, last),))
        if kind.most is not None:
            part = self._call(span, SHORT, limit_at(kind.most, span), part)
        if kind.bounds is None:
            return part
        return surface.Broadcast(*span, self._within(span, _entry_of(span, "entry"), kind), ("<entry>",), (part,))

    def _within(self, span: Span, entry: Node, kind: Rows | Beside) -> Node:
        """A number between the bounds that it is declared to have."""
        bounds = kind.bounds if isinstance(kind, Rows) else kind.column.bounds
        if bounds is None:
            return entry
        return self._call(span, CLIPS, entry, *(limit_at(each, span) for each in bounds))

    def _of_each_entry(
        self, span: Span, operands: tuple[ast.expr, ...] | list[ast.expr], leaves: Leaves, made: Callable[..., Node]
    ) -> Node:
        """The same done to each entry of a row, with numbers, or one number for the row, beside it."""
        names: list[str] = []
        over: list[Node] = []
        given: list[Node] = []
        for operand in operands:
            kind = self._kinds.of(operand)
            if isinstance(kind, Rows):
                names.append(f"entry {len(names) + 1}")
                over.append(self._row(operand, leaves))
                given.append(_entry_of(span, names[-1]))
            elif kind is Kind.UPRIGHT:
                given.append(self._beside(operand, leaves))
            elif self._is_still(operand):
                given.append(self.number(operand))
            else:
                raise Refused(operand, "one draw for all entries of an array")
        return surface.Broadcast(*span, made(*given), tuple(f"<{name}>" for name in names), tuple(over))

    def _beside(self, node: ast.expr, leaves: Leaves) -> Node:
        """The number that a column has for a row."""
        given = self._given_by(node)
        if (of := upright(given)) is not None:
            return self._entry(self._given_by(of), leaves, True)
        span = self._places.span(node)
        if (size := norm_of(given, self._kinds.called)) is not None:
            return self._call(span, LENGTH, self._row(size[0], leaves))
        match given:
            case ast.BinOp(op=op, left=left, right=right) if type(op) in SIGNS:
                sides = (self._number_or_beside(each, leaves) for each in (left, right))
                return self._call(span, SIGNS[type(op)], *sides)
            case ast.Call():
                name, args = self._function(given)
                if name in FUNCTIONS and goes_over_arrays(name):
                    return self._of_numbers(
                        given, name, args, tuple(self._number_or_beside(each, leaves) for each in args)
                    )
        raise Refused(node, "this column beside an array of rows")

    def _number_or_beside(self, node: ast.expr, leaves: Leaves) -> Node:
        if self._kinds.of(node) is Kind.UPRIGHT:
            return self._beside(node, leaves)
        if not self._is_still(node):
            raise Refused(node, "one draw for all entries of an array")
        return self.number(node)

    def entry_of_rows(self, node: ast.expr, leaves: Leaves) -> Node | None:
        """The number that ``X @ w``, ``X[:, 2]`` or ``X.sum(axis=1)`` has for a row; None for anything else."""
        span = self._places.span(node)
        if (column := column_at(node)) is not None and isinstance(self._kinds.of(column[0]), Rows):
            row = self._row(column[0], leaves)
            return surface.Index(*span, row, (whole(span.end, column[1]),))
        if (over := along(node, self._kinds.called)) is not None and isinstance(self._kinds.of(over[0]), Rows):
            row = self._row(over[0], leaves)
            total = self._call(span, "np.sum", row)
            return total if over[1] == "sum" else self._call(span, "/", total, self._call(span, "len", row))
        if (size := norm_of(node, self._kinds.called)) is not None and isinstance(self._kinds.of(size[0]), Rows):
            return self._call(span, LENGTH, self._row(size[0], leaves))
        factors = product(node, self._kinds.called)
        if factors is not None and isinstance(self._kinds.of(factors[0]), Rows) and self._is_still(factors[1]):
            return self._call(span, DOT, self._row(factors[0], leaves), self.node(factors[1]))
        return None

    # Rounds

    def of_each_row(self, node: ast.ListComp | ast.GeneratorExp) -> Node | None:
        """What a comprehension makes of each record, whose parts it gives names; None where it goes over something
        else."""
        (part,) = node.generators if len(node.generators) == 1 else (None,)
        found = None if part is None else self._kinds.parts(part.target, part.iter)
        if found is None or part is None:
            return None
        if part.is_async or len(part.ifs) > 1:
            raise Refused(node, "a comprehension with several conditions")
        inner = self.with_names({name: kind for name, _, kind in found})
        span = self._places.span(node)
        leaf, named = self._parts_named(found)
        if part.ifs:
            leaf = leaf._replace(node=self._kept_where(span, leaf, named, inner.truth(part.ifs[0])))
        numbers = inner._kinds.of(node.elt) is Kind.NUMBER or all(kind is not Kind.VECTOR for _, _, kind in found)
        value = inner.number(node.elt) if numbers else inner.node(node.elt)
        return self._call(span, COLUMN, _rounds(named, value), leaf.node)

    def _parts_named(self, found: list[tuple[str, ast.Name, Of]]) -> tuple[Leaf, list[Node]]:
        """The records that hold some parts, and what gives these their names."""
        leaves, named = dict[str, Leaf](), list[Node]()
        for name, of, _ in found:
            kind = self._kinds.of_name(of.id)
            assert isinstance(kind, Rows | Beside), "that is what has parts"
            self._take(of, kind.of or of.id, leaves)
            at = self._places.span(of)
            named.append(surface.Assign(*at, surface.Name(*at, name), self.part(at, kind)))
        (leaf,) = leaves.values()
        return leaf, named

    def count_of_rows(self, node: ast.GeneratorExp) -> Node | None:
        """How many records a sum counts that adds 1, or a truth value, for each; None for any other sum."""
        found = self._kinds.parts(node.generators[0].target, node.generators[0].iter)
        if found is None or len(node.generators) != 1:
            return None
        inner = self.with_names({name: kind for name, _, kind in found})
        wanted = [*node.generators[0].ifs]
        if inner._kinds.of(node.elt) is Kind.TRUTH:
            wanted.append(node.elt)
        elif not isinstance(node.elt, ast.Constant) or node.elt.value != 1:
            return None
        leaf, named = self._parts_named(found)
        if not wanted:
            return self._call(self._places.span(node), SHAPE, leaf.node, whole(self._places.span(node).end, 1))
        all_ = wanted[0] if len(wanted) == 1 else ast.copy_location(ast.BoolOp(ast.And(), wanted), node)
        return self._call(self._places.span(node), COUNT_KEPT, _rounds(named, inner.truth(all_)), leaf.node)

    def rounds_of_rows(self, target: ast.expr, over: ast.expr) -> tuple[Node, Node, list[Node]] | None:
        """The variable of a loop over the numbers of records, over what it goes, and what gives their parts their
        names; None where a loop goes over something else."""
        found = self._kinds.parts(target, over)
        if found is None or any(kind is Kind.VECTOR for _, _, kind in found):
            return None
        span = self._places.span(over)
        leaf, named = self._parts_named(found)
        round_ = surface.Name(span.start, span.start, f"<round {span.start}>")
        row = surface.Index(*span, leaf.node, (round_, surface.Whole(span.end, span.end)))
        record = surface.Assign(*span, surface.Name(span.start, span.start, ROW), row)
        last = self._call(span, SHAPE, leaf.node, whole(span.end, 1))
        return round_, surface.Range(*span, whole(span.start, 1), None, last), [record, *named]

    def _kept_where(self, span: Span, leaf: Leaf, named: list[Node], wanted: Node) -> Node:
        return self._call(span, KEPT, _rounds(named, wanted), leaf.node)


def _rounds(named: list[Node], value: Node) -> surface.Lambda:
    """What is made of a record whose parts have names."""
    span = value.span
    param = surface.Parameter(span.start, span.start, ROW)
    return surface.Lambda(*span, (param,), surface.Block(*span, (*named, value)))


def limit_at(limit: Limit, span: Span) -> Node:
    """A bound of what stands at a place."""
    if isinstance(limit, str):
        return surface.Name(span.start, span.start, limit)
    return surface.Number(span.end, span.end, limit, limit.denominator == 1)


def _entry_of(span: Span, name: str) -> surface.Name:
    """One entry of what is gone over, by a name that is none of Python's."""
    return surface.Name(span.start, span.start, f"<{name}>")
