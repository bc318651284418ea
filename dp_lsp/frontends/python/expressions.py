"""Expressions of Python as nodes of the surface tree, with what Python means by them.

What is not certain is :class:`~dp_lsp.surface.Opaque`, with the place and what it is. A number of which the text does
not tell that it is one is written ``0 + x``, which only numbers are given a meaning for: so a list that is repeated is
never taken for a vector that is doubled.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from dp_lsp import surface
from dp_lsp.frontends.python.clips import clipped, held_between
from dp_lsp.frontends.python.draws import (
    Draw,
    Noise,
    beside,
    draw_of,
    draws_of,
    heart,
    in_pairs,
    length_of,
    named_centre,
    scaled,
    whole,
)
from dp_lsp.frontends.python.edges import edges_of
from dp_lsp.frontends.python.effects import effects
from dp_lsp.frontends.python.entries import COUNT, WHERE, Powers, named_kind
from dp_lsp.frontends.python.filled import ZEROS, Filled
from dp_lsp.frontends.python.generators import handle
from dp_lsp.frontends.python.hopeless import BY_INDEX, EDGES_OF_DATA, has_edges_of_data, hopeless_call, relative
from dp_lsp.frontends.python.kinds import (
    ARRAYS,
    COLUMNS,
    COMPARISONS,
    COUNTING,
    GENERATING,
    MAKING_GENERATORS,
    METHODS,
    SHARING,
    SIGNS,
    Kind,
    Kinds,
    Library,
    Of,
    occurrences,
)
from dp_lsp.frontends.python.names import EXCEPTIONS, HOMES, MODULES, dotted
from dp_lsp.frontends.python.numeric import CLIPS, CONSTANTS, DIGITS, FUNCTIONS, INFINITE, logistic, written
from dp_lsp.frontends.python.objects import Part
from dp_lsp.frontends.python.of_rows import COUNT_KEPT, VECTOR
from dp_lsp.frontends.python.reductions import Reductions
from dp_lsp.frontends.python.refused import REASONS, Refused
from dp_lsp.frontends.python.releasing import Made, is_tool
from dp_lsp.frontends.python.releasing.calls import LibraryCalls
from dp_lsp.frontends.python.rows import Beside, Rows, product
from dp_lsp.frontends.python.tables import Alone, Counted, Frame, Holds, Table, code_of, counted
from dp_lsp.frontends.python.tree import Places, below, copied, walk
from dp_lsp.frontends.python.written_out import Replaced, may_be_replaced
from dp_lsp.surface import Node
from dp_lsp.text import Span

_ENTRY = "its entry"
"""The name of each entry of a list where a method asks, which no program can write."""
_SEVERAL_DRAWS = (
    "several draws at once, or a draw with other arguments than its centre and its scale (add an array of draws once, "
    "to as many numbers: `v + np.random.laplace(0, b, size=len(v))`),"
)
_ZIP = ast.Name("zip", ast.Load())
_PAIRED = frozenset({Kind.ARRAY, Kind.VECTOR, Kind.LIST})
"""What `zip` goes over number by number, whatever operators do to it."""
_NUMERIC = frozenset({Kind.NUMBER, Kind.ANY})
_ONE_DIMENSIONAL = frozenset({Kind.ARRAY, Kind.VECTOR, Kind.LOOSE})
_NUMBERS = frozenset({Kind.ARRAY, Kind.VECTOR, Kind.GAPS})
_NO_VALUES = frozenset({Kind.TEXTS, Kind.GAPS, Kind.DICT, Kind.UPRIGHT, Kind.MECHANISM, Kind.TEXT, Kind.CHOICE})
_OF_GAPS = {"np.sum": "sum", "np.mean": "mean"}
"""Functions that leave out what is missing of a column."""
_CHOICES = frozenset({Kind.TEXT, Kind.CHOICE})
_LISTED = frozenset({Kind.LIST, Kind.ARRAY, Kind.VECTOR, Kind.ANY})


def opaque(places: Places, node: ast.AST, what: str) -> surface.Opaque:
    """A node without a meaning, with what evaluating it may do."""
    return surface.Opaque(*places.span(node), what, effects(node))


def number(node: ast.Constant, span: Span) -> surface.Number:
    """A number as it is written, which is exact."""
    value = node.value
    if isinstance(value, int):
        return surface.Number(*span, Fraction(value), True)
    if not isinstance(value, float) or value != value or value in (float("inf"), float("-inf")):
        raise Refused(node, "a number that is none")
    return surface.Number(*span, Fraction(repr(value)), False)


_REPEATED = "a list that is repeated (count in bins that are written out: `np.histogram(v, bins=[0, 10, 20])[0]`)"
_BY_KEY = "reindex"
"""The method that gives a number for each key that is written out."""


class Expressions(LibraryCalls, Reductions, Powers):
    """The expressions of one function. ``homes`` are the modules that are named in it, with where that is first;
    ``named`` are the draws that have a name and are added once, and ``arrays`` those of several numbers: that name
    stands for their scale in the tree;
    ``bins_of`` are names of counts, and how many there are; ``lasting`` are names of columns and masks, and what they
    stand for; ``inner`` are those of functions inside the function; ``libraries`` tells whose
    arrays names are."""

    def __init__(
        self,
        places: Places,
        kinds: Kinds,
        named: Mapping[str, Draw],
        bins_of: Mapping[str, int],
        lasting: Mapping[str, ast.expr],
        filled: Filled,
        inner: Iterable[str] = (),
        libraries: Mapping[str, Library] = MappingProxyType({}),
        made: Mapping[str, Made] = MappingProxyType({}),
        settled: Mapping[str, ast.expr] | None = None,
        arrays: Mapping[str, ast.expr] | None = None,
    ) -> None:
        self._places = places
        self._kinds = kinds
        self._named = named
        self._bins = bins_of
        self._lasting = lasting
        self.filled = filled
        self._inner = frozenset(inner)
        self._libraries = libraries
        self._made = made
        self.settled = settled or {}
        self._arrays = arrays or {}
        self.homes: dict[str, Span] = {}

    def within(self, names: Iterable[str], kind: Kind) -> Expressions:
        """The expressions of a comprehension, which has names of its own."""
        return self.with_names(dict.fromkeys(names, kind))

    def with_names(self, names: Mapping[str, Of]) -> Expressions:
        """The same where names are of several kinds."""
        own = {*names}
        kinds = self._kinds.within(names)
        lasting, settled = (
            {name: value for name, value in known.items() if name not in own and own.isdisjoint(_names_in(value))}
            for known in (self._lasting, self.settled)
        )
        libraries = {name: library for name, library in self._libraries.items() if name not in own}
        made = {name: each for name, each in self._made.items() if own.isdisjoint((name, *each.names))}
        known = self._named, self._bins, lasting, self.filled, self._inner - own, libraries, made, settled, self._arrays
        inner = Expressions(self._places, kinds, *known)
        inner.homes = self.homes
        return inner

    def node(self, node: ast.expr) -> Node:
        """An expression. Raises :class:`Refused`."""
        span = self._places.span(node)
        if (found := self._array_of_rows(node)) is not None:
            return found
        if (added := self._as_sum(node)) is not None:
            return self.node(added)
        match node:
            case ast.Constant(value=bool() as truth):
                return surface.Boolean(*span, truth)
            case ast.Constant(value=int() | float()):
                return number(node, span)
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.Attribute() if (constant := CONSTANTS.get(self._kinds.called(node))) is not None:
                self.note_home(node)
                return surface.Number(*span, constant, False)
            case ast.Attribute() if self._kinds.called(node) in INFINITE:
                raise Refused(
                    node, f"`{ast.unparse(node)}`, which bounds nothing (write the largest number that counts),"
                )
            case ast.Attribute() if self._is_of_module(node):
                return surface.Name(*span, self._kinds.called(node))
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                if self._kinds.of(node) in _ONE_DIMENSIONAL:
                    return self._elementwise(node)
                value = self.number(operand)
                return self._call(span, "-", value) if isinstance(op, ast.USub) else value
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._call(span, "not", self.truth(operand))
            case ast.UnaryOp(op=ast.Invert()) if self._kinds.of(node) is Kind.MASK:
                return self._elementwise(node)
            case ast.BoolOp():
                return self._connected(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                sides = (surface.Block(*self._places.span(each), (self.node(each),)) for each in (body, orelse))
                return surface.If(*span, self.truth(test), *sides)
            case ast.Tuple(elts=items) if not any(isinstance(each, ast.Starred) for each in items):
                return surface.Tuple(*span, tuple(map(self.node, items)))
            case ast.List(elts=items) if items:
                return surface.Vector(*span, tuple(map(self.number, items)))
            case ast.ListComp():
                return self._list_of_each(node)
            case ast.Call():
                return self._called(node)
            case ast.Subscript() | ast.Attribute():
                return self._part(node)
            case Part(value=ast.Name(id=name) as value, attr=attr):
                return surface.Field(*span, surface.Name(*self._places.span(value), name), attr)
        raise Refused(node, _described(node))

    def _as_sum(self, node: ast.expr) -> ast.expr | None:
        """The product of two arrays of records as the sum of the products that it is; None for any other product."""
        factors = product(node, self._kinds.called)
        if factors is None or any(self._kinds.of(each) is not Kind.ARRAY for each in factors):
            return None
        each = ast.copy_location(ast.BinOp(factors[0], ast.Mult(), factors[1]), node)
        total = ast.copy_location(ast.Attribute(each, "sum", ast.Load()), node)
        return ast.copy_location(ast.Call(total, [], []), node)

    def array_of(self, node: ast.expr) -> Node | None:
        """An array that is made of numbers in a list, or of another array; None for anything else."""
        given, kind = self._kinds.made_of(node), self._kinds.of(node)
        if given is None or not isinstance(node, ast.Call) or kind not in (Kind.ARRAY, Kind.VECTOR):
            return None
        if isinstance(given, ast.Tuple):
            given = ast.copy_location(ast.List(given.elts, ast.Load()), given)
        if kind is Kind.ARRAY:
            return self.node(given)
        if (
            self._kinds.called(node.func) == SHARING
            and isinstance(given, ast.Name)
            and not self.filled.is_list(given.id)
        ):
            raise Refused(node, f"`{SHARING}` of what may be an array, which is then the same one (write `np.array`),")
        made = surface.Vector(*self._places.span(given), ()) if _is_empty(given) else self.node(given)
        copied = surface.Call(*self._places.span(node), self._callee(node, self._kinds.called(node.func)), (made,))
        return self._call(copied.span, VECTOR, copied)

    def _part(self, node: ast.Subscript | ast.Attribute) -> Node:
        """What is taken of a value by an index, or by a name."""
        span = self._places.span(node)
        match node:
            case ast.Subscript(value=ast.Call(func=func) as made, slice=ast.Constant(value=0)) if (
                self._kinds.called(func) == COUNTING
            ):
                return self.histogram(made)
            case ast.Subscript(value=ast.Call() as made, slice=ast.Constant(value=0)) if self.is_histogram(made):
                return self.noisy_histogram(made)
            case ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant(value=0)):
                if isinstance(self._kinds.of(of), Table):
                    return self.size(span, of)
                if self._kinds.of(of) in COLUMNS:
                    return self.length(span, of)
            case ast.Attribute(value=of, attr="size") if self._kinds.of(of) in COLUMNS:
                return self.length(span, of)
            case ast.Subscript() | ast.Attribute() if self._kinds.of(node) in ARRAYS:
                return self._elementwise(node)
            case ast.Subscript(value=ast.Name(id=name)) if self.filled.is_one(name) or self._is_of_file(name):
                return self.entry_at(node)
        self._note_reason(node.value)
        raise Refused(node, _described(node))

    def _note_reason(self, node: ast.expr) -> None:
        """What is asked of something is not followed because that is not. Raises :class:`Refused` if that is so."""
        whole, by_key = node, any(isinstance(each, ast.Attribute) and each.attr == _BY_KEY for each in walk(node))
        while True:
            if isinstance(node, ast.Call):
                called = self._kinds.called(node.func)
                if called in REASONS:
                    raise Refused(node, REASONS[called])
                if not by_key and (named := hopeless_call(node, called)) is not None:
                    raise Refused(whole, named)
                node = node.func
            elif isinstance(node, ast.Attribute | ast.Subscript):
                node = node.value
            else:
                return

    def _array_of_rows(self, node: ast.expr) -> Node | None:
        """What is made of rows or vectors; nobody is given what may be no array."""
        if (named := self._made_relative(node)) is not None:
            raise Refused(node, named)
        if self._kinds.of(node) is Kind.LOOSE:
            raise Refused(node, named_kind(Kind.LOOSE))
        return self.of_rows(node)

    def _made_relative(self, node: ast.expr) -> str | None:
        """How numbers are named that are made relative to all of an array, or of a list that a function is given, in
        rounds over it, too; None for any others."""
        match node:
            case ast.BinOp(op=ast.Div(), left=ast.BinOp(op=ast.Sub(), left=of)):
                over = self._meant(of)
                given = isinstance(over, ast.Name) and over.id in self.filled.given
                if given or self._kinds.of(node) in ARRAYS:
                    return relative(node, self._kinds.called, self._meant)
        return None

    def _meant(self, node: ast.expr) -> ast.expr:
        """What a name stands for; the variable of rounds over a list for the list."""
        while isinstance(node, ast.Name) and (found := self.settled.get(node.id) or self.filled.rounds.get(node.id)):
            node = found
        return node

    def _connected(self, node: ast.BoolOp) -> Node:
        """Conditions with ``and`` or ``or`` between them."""
        sign = "and" if isinstance(node.op, ast.And) else "or"
        made = self.truth(node.values[0])
        for each in node.values[1:]:
            right = self.truth(each)
            made = self._call(Span(made.start, right.end), sign, made, right)
        return made

    def _list_of_each(self, node: ast.ListComp) -> Node:
        """A comprehension, written out where that is what makes it known."""
        if (summed := in_pairs(node)) is not None and (noisy := self._summed_in_pairs(summed)) is not None:
            return noisy
        if (noisy := self._noise_for_each(node)) is not None:
            return noisy
        match node.generators:
            case [ast.comprehension(iter=over)] if _texts(over) is not None or (
                self._releases(node.elt) and _are_written_out(over)
            ):
                made = map(self.number, self._written_out(node, node.elt))
                return surface.Vector(*self._places.span(node), tuple(made))
        return self._comprehension(node)

    def result(self, node: ast.expr, released: bool = False) -> Node:
        """What is returned, which may be a dictionary: in the tree its values alone in one that nothing takes apart, as
        its keys are written out. Of numbers that are ``released`` by that, sums and their order tell no more than they
        do themselves. Raises :class:`Refused`."""
        span = self._places.span(node)
        match node:
            case ast.Name(id=name) if self._kinds.of_name(name) is Kind.DICT:
                return surface.Name(*span, name)
            case ast.Tuple(elts=items) if not any(isinstance(each, ast.Starred) for each in items):
                return surface.Tuple(*span, tuple(self.result(each, released) for each in items))
            case ast.Dict(keys=keys, values=values) if keys and all(isinstance(each, ast.Constant) for each in keys):
                pass
            case ast.DictComp(key=ast.Constant() | ast.Name()):
                values = self._written_out(node, node.value)
            case ast.Call(func=func, args=[ast.Name() as of], keywords=[]) if (
                released and self._kinds.called(func) in _ORDERING and self._kinds.of(of) in _LISTED
            ):
                values = [of]
            case _:
                return self.node(node)
        return surface.Tuple(*span, (surface.Tuple(*span, tuple(map(self.node, values))),))

    def _written_out(self, node: ast.ListComp | ast.DictComp, made: ast.expr) -> list[ast.expr]:
        """What a comprehension over values that are written out makes of each."""
        match node.generators:
            case [
                ast.comprehension(target=ast.Name(id=name), iter=ast.List(elts=items) | ast.Tuple(elts=items), ifs=[])
            ]:
                known = all(isinstance(each, ast.Constant) for each in items)
                key = node.key if isinstance(node, ast.DictComp) else None
                if (
                    known
                    and 0 < len(items) <= _MOST_ITEMS
                    and may_be_replaced(made, [name])
                    and not (isinstance(key, ast.Name) and key.id != name)
                ):
                    return [Replaced({name: each}).visit(copied(made)) for each in items]
        raise Refused(node, "a comprehension over something other than values that are written out")

    def _is_of_file(self, name: str) -> bool:
        """Whether a name may be one of the file, which gives such names nothing that changes."""
        return not self._kinds.is_local(name) and self._kinds.of_name(name) is Kind.ANY

    def entry_at(self, node: ast.Subscript) -> surface.Index:
        """One entry of an array that is made here, or of numbers that the file gives a name."""
        if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load) and written(node.slice) == -1:
            at, name = self._places.span(node), surface.Name(*self._places.span(node.value), node.value.id)
            return surface.Index(*at, name, (surface.IndexBound(at.end, at.end, True),))
        if not isinstance(node.value, ast.Name) or not self.filled.is_place(node.slice):
            raise Refused(node, "a place that is not known to count from the beginning")
        return self._at_place(node, self.number(node.slice))

    def entry_grown(self, node: ast.Subscript) -> surface.Index:
        """One entry of an array that is made here, to which something is added. A place that a record says is known to
        be one of those that there are, or what is added moves without bound; one that everybody knows may count from
        the end, and is the same whatever the records are."""
        if not self.filled.is_whole(node.slice):
            raise Refused(node, "a place that may be no whole number (write `int(…)`)")
        place = self.number(node.slice)
        whole_ = surface.TypeExpr(place.start, place.start, "int", written="int")
        return self._at_place(node, self._call(place.span, "int", whole_, place))

    def plus(self, span: Span, op: ast.operator, entry: Node, value: ast.expr) -> Node:
        """What something is after ``+=`` or ``-=``."""
        return self._call(span, SIGNS[type(op)], entry, self.number(value))

    def _at_place(self, node: ast.Subscript, index: Node) -> surface.Index:
        assert isinstance(node.value, ast.Name), "that is what has entries"
        one = whole(index.end, 1)
        place = (
            surface.Number(*index.span, index.value + 1, True)
            if isinstance(index, surface.Number)
            else self._call(index.span, "+", index, one)
        )
        name = surface.Name(*self._places.span(node.value), node.value.id)
        return surface.Index(*self._places.span(node), name, (place,))

    # Names, numbers and truth values

    def _is_of_module(self, node: ast.Attribute) -> bool:
        """Whether an attribute may be a value of a module of the project."""
        found = dotted(node)
        if found is None or found[0] in HOMES or self._kinds.is_generator(found[0]):
            return False
        return self._kinds.called(node) == found[1] and self._kinds.of(node) is Kind.ANY

    def _name(self, node: ast.expr, name: str) -> Node:
        if name in MODULES and not self._kinds.called(node) == "":
            raise Refused(node, "a module as a value")
        if name == "_":
            raise Refused(node, "reading `_`")
        if self._kinds.is_generator(name):
            raise Refused(node, "a generator of random numbers as a value")
        if (noise := self._noise_of(node)) is not None:
            return self._known_draw(node, noise)
        if name in self._made:
            raise Refused(node, f"{named_kind(Kind.MECHANISM)} as a value")
        kind = self._kinds.of_name(name)
        if kind is Kind.DRAWS:
            raise Refused(node, _SEVERAL_DRAWS)
        if isinstance(kind, Beside) and not kind.listed:
            return self._elementwise(node)
        if isinstance(kind, Beside) and kind.column.holds is Holds.NUMBERS:
            return self.listed_part(node, kind)
        if isinstance(kind, Beside):
            raise Refused(node, "a list of texts beside others as a value")
        if isinstance(kind, Table | Alone | Frame | Rows) or kind in _NO_VALUES:
            raise Refused(node, f"{named_kind(kind)} as a value")
        return surface.Name(*self._places.span(node), name)

    def number(self, node: ast.expr) -> Node:
        """An expression that is a number, or of which it is made sure that it is."""
        kind, made = self._kinds.of(node), self.node(node)
        if kind is Kind.NUMBER:
            return made
        if kind is not Kind.ANY:
            raise Refused(node, f"{named_kind(kind)} where a number stands")
        return self._call(Span(made.start, made.end), "+", whole(made.start, 0), made)

    def truth(self, node: ast.expr) -> Node:
        """A condition, which must be true or false: other values have a truth, too, and that is not followed."""
        if self._kinds.of(node) is not Kind.TRUTH:
            raise Refused(node, "the truth of something that is not known to be True or False")
        return self.node(node)

    def _call(self, span: Span, name: str, *args: Node) -> surface.Call:
        """A call that is written otherwise than as one."""
        return surface.Call(*span, surface.Name(span.start, span.start, name), args)

    # Operations

    def _arithmetic(self, node: ast.BinOp) -> Node:
        sign = SIGNS.get(type(node.op))
        if self._kinds.of(node) is Kind.MASK:
            return self._elementwise(node)
        if isinstance(self._kinds.of(node), Rows):
            drawn = any(self._kinds.drawn(each) for each in walk(node) if isinstance(each, ast.expr))
            raise Refused(node, "one draw for all rows of an array" if drawn else named_kind(self._kinds.of(node)))
        if isinstance(node.op, ast.Pow | ast.FloorDiv) and self._kinds.of(node) not in _ONE_DIMENSIONAL:
            return self._power_or_quotient(node)
        if sign is None and not isinstance(node.op, ast.Pow | ast.FloorDiv):
            if isinstance(node.op, ast.MatMult):
                raise Refused(node, "`@` of anything but rows and a vector")
            raise Refused(node, f"the operator `{_OPERATORS.get(type(node.op), '?')}`")
        if self._kinds.of(node) in _ONE_DIMENSIONAL:
            return self._noisy_array(node) or self._beside_one_draw(node) or self._elementwise(node)
        if (noisy := self._noisy(node)) is not None:
            return noisy
        if (found := logistic(node, self._kinds.called)) is not None:
            return self.logistic(self._places.span(node), *map(self.number, found))
        if isinstance(node.left, ast.List):
            raise Refused(node, _REPEATED)
        assert sign is not None, "the others are refused"
        left, right = self._operand(node.left, node.right), self._operand(node.right, node.left)
        return self._call(self._places.span(node), sign, left, right)

    def _operand(self, node: ast.expr, other: ast.expr) -> Node:
        """A number; a truth value beside one is 1 or 0. Two of NumPy are none: ``True + True`` is True there."""
        return self._counting(node) if self._kinds.of(other) is Kind.NUMBER else self.number(node)

    def _counting(self, node: ast.expr) -> Node:
        """A number, or what counts as one: a truth value is 1 or 0."""
        if self._kinds.of(node) is not Kind.TRUTH:
            return self.number(node)
        truth = self.truth(node)
        sides = (surface.Block(truth.end, truth.end, (whole(truth.end, each),)) for each in (1, 0))
        return surface.If(*truth.span, truth, *sides)

    def _power_or_quotient(self, node: ast.BinOp) -> Node:
        left = self.number(node.left)
        if isinstance(node.op, ast.Pow):
            return self.power(node, left, node.right, False)
        return self.quotient(self._places.span(node), left, self.number(node.right))

    # Noise

    def _noisy(self, node: ast.BinOp) -> Node | None:
        """A number with noise that is drawn for it, and used nowhere else; None for any other sum or difference."""
        if not isinstance(node.op, ast.Add | ast.Sub):
            return None
        for hidden, added in ((node.left, node.right), (node.right, node.left)):
            noise = self.noise(added)
            if noise is not None:
                sign = SIGNS[type(node.op)]
                value = beside(self._counting(hidden), sign, noise, added is node.left, self._places.span(node))
                args = (noise.scale, value)
                return surface.Call(*self._places.span(node), self._callee(noise.draw.call, noise.draw.name), args)
        return None

    def noise(self, node: ast.expr) -> Noise | None:
        """The noise that an expression is where it is added: a draw, or a name of one, perhaps scaled."""
        if heart(node, self._drawn_once) is None:
            return None
        return scaled(node, self._noise_of, self._factor)

    def _drawn_once(self, node: ast.expr) -> Draw | None:
        if isinstance(node, ast.Name):
            return self._named.get(node.id)
        return draw_of(node, self._kinds)

    def _noise_of(self, node: ast.expr) -> Noise | None:
        draw = self._drawn_once(node)
        if draw is None:
            return None
        if isinstance(node, ast.Name):
            place = self._places.span(node)
            centre = None if draw.is_centred else surface.Name(*place, named_centre(node.id))
            return Noise(draw, surface.Name(*place, node.id), centre)
        centre_ = None if draw.is_centred or draw.centre is None else self.number(draw.centre)
        return Noise(draw, self.scale(draw), centre_)

    def _factor(self, node: ast.expr) -> Node | None:
        """A factor of noise, which stands in the tree more often than in the text: what it does must be nothing."""
        return self.number(node) if self._is_still(node) else None

    def _is_still(self, node: ast.expr) -> bool:
        """Whether evaluating an expression draws nothing, and calls no function of the program."""
        calls = below(node, ast.Call)
        names = {each.id for each in below(node, ast.Name)}
        return names.isdisjoint((*self._named, *self._arrays)) and all(
            self._kinds.called(each.func) in _STILL for each in calls
        )

    def _noisy_array(self, node: ast.BinOp) -> Node | None:
        """Counts with a draw for each; None for any other operation on an array."""
        sides = [(node.left, node.right), (node.right, node.left)] if isinstance(node.op, ast.Add | ast.Sub) else []
        for hidden, added in sides[: 1 if isinstance(node.op, ast.Sub) else 2]:
            drawn = heart(added, self._drawn_several)
            if drawn is None or drawn.size is None:
                continue
            value = self._as_long(drawn.size, hidden)
            noise = None if value is None else self.noise_of_several(added)
            if noise is not None and value is not None:
                args = (noise.scale, value)
                return surface.Call(*self._places.span(node), self._callee(drawn.call, drawn.name), args)
        return None

    def _beside_one_draw(self, node: ast.BinOp) -> Node | None:
        """Counts with one draw beside all of them; None for any other operation on an array. What is made of two counts
        differs as they do, whatever is drawn, so the draw hides nothing: it is a number that everybody may know. One
        count alone it would hide, and counts of which it is not known that they are several are not followed."""
        sides = [(node.left, node.right), (node.right, node.left)] if isinstance(node.op, ast.Add | ast.Sub) else []
        for hidden, added in sides:
            if self._how_many(hidden) < _SEVERAL or (noise := self.noise(added)) is None:
                continue
            span, drawn = self._places.span(node), self._places.span(added)
            names = f"entry of {ast.unparse(hidden)}", f"the draw {ast.unparse(added)}"
            each, one = surface.Name(*self._places.span(hidden), names[0]), surface.Name(*drawn, names[1])
            made = self._call(span, SIGNS[type(node.op)], *((one, each) if added is node.left else (each, one)))
            known = self._known_draw(added, noise)
            return surface.Broadcast(*span, made, names, (self.node(hidden), known))
        return None

    def _how_many(self, node: ast.expr) -> int:
        """How many counts of different records there are at least."""
        match node:
            case ast.Name(id=name):
                return self._bins.get(name, 0)
            case ast.Call() if (keys := counted(node)) is not None:
                return _different(keys.keys)
            case ast.Subscript(value=ast.Call(func=func) as made, slice=ast.Constant(value=0)):
                return bins(made) or 0 if self._kinds.called(func) == COUNTING else 0
        return 0

    def _noise_for_each(self, node: ast.ListComp) -> Node | None:
        """Counts in bins with a draw for each, ``[n + np.random.laplace(0, b) for n in counts]``: what they are as an
        array that as many draws are added to, as nothing about a draw depends on what it is added to."""
        match node:
            case ast.ListComp(
                elt=ast.BinOp(left=ast.Name(id=left), op=ast.Add() | ast.Sub(), right=added)
                | ast.BinOp(left=added, op=ast.Add(), right=ast.Name(id=left)),
                generators=[
                    ast.comprehension(target=ast.Name(id=each), iter=ast.Name(id=counts) as over, ifs=[], is_async=0)
                ],
            ) if left == each and counts in self._bins:
                draw = heart(added, lambda one: draw_of(one, self._kinds))
            case _:
                return None
        mentioned = {item.id for item in below(added, ast.Name)}
        if (
            draw is None
            or not draw.is_centred
            or each in mentioned
            or (draw.scale is not None and not self._is_still(draw.scale))
        ):
            return None
        noise = self.noise(added)
        span, callee = self._places.span(node), self._callee(draw.call, draw.name)
        return None if noise is None else surface.Call(*span, callee, (noise.scale, self.node(over)))

    def _summed_in_pairs(self, node: ast.BinOp) -> Node | None:
        """The sum of an array and of as many draws that have a name, as ``zip`` goes over both."""
        for hidden, added in ((node.left, node.right), (node.right, node.left)):
            if isinstance(added, ast.Name) and added.id in self._arrays and self._kinds.called(_ZIP) == _ZIP.id:
                size = heart(self._arrays[added.id], self._drawn_several)
                known = size is not None and size.size is not None and self._is_as_long(size.size, hidden)
                return self._noisy_array(node) if known and self._kinds.of(hidden) in _PAIRED else None
        return None

    def noise_of_several(self, node: ast.expr) -> Noise | None:
        """The noise that an expression is where it is added: an array of draws, or a name of one, perhaps scaled."""
        return scaled(node, self._each_noise, self._factor)

    def _drawn_several(self, node: ast.expr) -> Draw | None:
        if isinstance(node, ast.Name):
            return heart(self._arrays[node.id], self._drawn_several) if node.id in self._arrays else None
        return draws_of(node, self._kinds)

    def _each_noise(self, node: ast.expr) -> Noise | None:
        draws = self._drawn_several(node)
        if draws is None:
            return None
        scale = surface.Name(*self._places.span(node), node.id) if isinstance(node, ast.Name) else self.scale(draws)
        return Noise(draws, scale, None)

    def _as_long(self, size: ast.expr, hidden: ast.expr) -> Node | None:
        """An array of which it is known, or made sure, that there is a draw for each entry."""
        kind = self._kinds.of(hidden)
        if kind is not Kind.LOOSE and self._is_as_long(size, hidden):
            return self.node(hidden)
        if kind not in (Kind.VECTOR, Kind.LOOSE) or not self._is_still(size):
            return None
        match size:
            case ast.Tuple(elts=[size]):
                pass
            case ast.Attribute(value=of, attr="shape") if self._kinds.of(of) is Kind.VECTOR:
                size = ast.copy_location(ast.Subscript(size, ast.Constant(0), ast.Load()), size)
        if self._kinds.of(size) not in _NUMERIC:
            return None
        zeros = self._call(self._places.span(size), ZEROS, self.number(size))
        made = self._elementwise(hidden) if kind is Kind.LOOSE else self.node(hidden)
        return self._call(made.span, "+", made, zeros)

    def _is_as_long(self, size: ast.expr, hidden: ast.expr) -> bool:
        """Whether there is a draw for each entry of an array: so many as it has by its name, or by how it is made."""
        said = self.settled.get(size.id, size) if isinstance(size, ast.Name) else size
        if isinstance(hidden, ast.Name) and length_of(said, self._kinds) == hidden.id:
            return True
        match size, hidden:
            case _, ast.Name(id=name) if name in self.filled.lengths:
                return self.filled.is_as_long(name, size)
            case ast.Constant(value=int() as count), ast.Name(id=name):
                return self._bins.get(name) == count
            case ast.Constant(value=int() as count), ast.Call() if (keys := counted(hidden)) is not None:
                return len(keys.keys) == count
            case ast.Constant(value=int() as count), ast.Subscript(value=ast.Call() as made):
                return bins(made) == count
        return False

    def histogram(self, node: ast.Call) -> Node:
        """How many numbers lie in each bin, between edges that are written out."""
        edges = self.edges(node) or self._named_edges(node)
        if edges is None or self._kinds.of(node.args[0]) not in (Kind.ARRAY, Kind.LIST):
            if has_edges_of_data(node, lambda each: self._kinds.of(each) is Kind.NUMBER):
                raise Refused(node, EDGES_OF_DATA)
            raise Refused(node, "`np.histogram` other than of an array or a list, with rising edges written out")
        return surface.Call(*self._places.span(node), self._callee(node, COUNTING), (self.node(node.args[0]), edges))

    def _named_edges(self, node: ast.Call) -> surface.Name | None:
        """The edges of bins by the name that the file gives them: NumPy takes none that fall, whatever the data are."""
        match node:
            case (
                ast.Call(args=[_, ast.Name(id=name) as given], keywords=[])
                | ast.Call(args=[_], keywords=[ast.keyword(arg="bins", value=ast.Name(id=name) as given)])
            ) if self._is_of_file(name):
                return surface.Name(*self._places.span(given), name)
        return None

    def edges(self, node: ast.Call) -> surface.Vector | None:
        """The edges of the bins that a call counts in; None where they are not known."""
        found, span = edges_of(node), self._places.span(node)
        if found is None:
            return None
        numbers = (surface.Number(span.end, span.end, each, each.denominator == 1) for each in found)
        return surface.Vector(*span, tuple(numbers))

    def scale(self, draw: Draw) -> Node:
        """The scale of noise, which is 1 where it is not said."""
        end = self._places.span(draw.call).end
        return whole(end, 1) if draw.scale is None else self.number(draw.scale)

    def _known_draw(self, node: ast.expr, noise: Noise) -> Node:
        """Noise around a number; around none it is a number that everybody may know, and hides nothing."""
        span = self._places.span(node)
        centre = noise.centre or whole(span.end, 0)
        return surface.Call(*span, self._callee(noise.draw.call, noise.draw.name), (noise.scale, centre))

    def _comparison(self, node: ast.Compare) -> Node:
        operands = [node.left, *node.comparators]
        if self._kinds.of(node) is Kind.MASK:
            return self._elementwise(node)
        if not all(map(self._is_still, operands[1:-1])):
            raise Refused(node, "a chained comparison of what draws, or calls a function of the program,")
        if any(self._kinds.of(each) in _CHOICES for each in operands):
            return self._chosen(node)
        values = [self.number(each) for each in operands]
        made: Node | None = None
        for index, op in enumerate(node.ops):
            sign = COMPARISONS.get(type(op))
            if sign is None:
                raise Refused(node, f"the operator `{_described_comparison(op)}`")
            left, right = values[index], values[index + 1]
            one = self._call(Span(left.start, right.end), sign, left, right)
            made = one if made is None else self._call(Span(made.start, one.end), "and", made, one)
        assert made is not None, "a comparison has an operator"
        return made

    def _chosen(self, node: ast.Compare) -> Node:
        """Whether one of several values is another one, or one of some that are written out."""
        span = self._places.span(node)
        match node:
            case ast.Compare(left=ast.Name() as left, ops=[op], comparators=[right]) if (
                isinstance(op, ast.Eq | ast.NotEq) and self._kinds.of(left) in _CHOICES
            ):
                values = [right]
            case ast.Compare(left=left, ops=[op], comparators=[ast.Name() as right]) if isinstance(
                op, ast.Eq | ast.NotEq
            ):
                left, values = right, [left]
            case ast.Compare(
                left=ast.Name() as left,
                ops=[op],
                comparators=[ast.List(elts=[_, *_] as values) | ast.Tuple(elts=[_, *_] as values)],
            ) if isinstance(op, ast.In | ast.NotIn):
                pass
            case _:
                raise Refused(node, "another comparison of one of several values than whether it is one of them")
        made: Node | None = None
        for each in values:
            one = self._call(
                span, "==", self._choice(left, self._kinds.of(left)), self._choice(each, self._kinds.of(left))
            )
            made = one if made is None else self._call(span, "or", made, one)
        assert made is not None, "there is a value"
        return self._call(span, "not", made) if isinstance(op, ast.NotEq | ast.NotIn) else made

    def _choice(self, node: ast.expr, kind: Of) -> Node:
        """One of several values: a text is the number that stands for it."""
        span = self._places.span(node)
        match node:
            case ast.Name(id=name) if self._kinds.of(node) is kind and kind in _CHOICES:
                return surface.Name(*span, name)
            case ast.Constant(value=str() as text) if kind is Kind.TEXT:
                return surface.Number(*span, code_of(text), True)
            case _ if kind is Kind.CHOICE and written(node) is not None:
                return self.node(node)
        raise Refused(node, "one of several values that is compared with something else")

    # Calls

    def _function(self, node: ast.Call) -> tuple[str, list[ast.expr]]:
        """The known function that is called, by itself or as a method of an array, and its arguments in order; no name
        for a function of the program."""
        name = self._kinds.called(node.func)
        args = list(node.args)
        if any(isinstance(each, ast.Starred) for each in args) or any(each.arg is None for each in node.keywords):
            raise Refused(node, "a call with arguments that are not written out")
        if not name:
            match node.func:
                case ast.Attribute(value=of, attr="abs") if self._kinds.of(of) in _NUMBERS and not node.keywords:
                    return "abs", [of, *args]
                case ast.Attribute(value=of, attr="count") if self._kinds.of(of) is Kind.TEXTS and not node.keywords:
                    return METHODS["count"], [of, *args]
                case ast.Attribute(value=of, attr="clip") if self._kinds.of(of) in _NUMBERS:
                    return clipped(node, [of, *args], ("a", "lower", "upper"), ("a", "min", "max"))
                case ast.Attribute(value=of, attr=attr) if self._kinds.of(of) in ARRAYS and attr in METHODS:
                    if args or node.keywords:
                        raise Refused(node, f"`{attr}` with arguments")
                    return METHODS[attr], [of]
            return "", args
        if name == CLIPS:
            return clipped(node, args, ("a", "a_min", "a_max"), ("a", "min", "max"))
        return name, args

    def _callee(self, node: ast.Call, name: str) -> surface.Name:
        """The name of what is called. Of a function of a module, the part behind the dot stands there."""
        span = self._places.span(node.func)
        if "." not in name:
            return surface.Name(*span, name)
        if isinstance(node.func, ast.Attribute) and self._kinds.called(node.func):
            self.note_home(node.func)
            last = name.rpartition(".")[2]
            return surface.Name(span.end - len(last), span.end, name)
        return surface.Name(span.start, span.start, name)

    def note_home(self, function: ast.expr) -> None:
        """A function of a module is named: that there is the module is seen by reading its name. A generator of a
        module is made by NumPy, which is known by one name."""
        while isinstance(function, ast.Attribute):
            function = function.value
        if isinstance(function, ast.Name):
            span = self._places.span(function)
            self.homes.setdefault(function.id, span)
            if self._kinds.is_generator(function.id):
                self.homes.setdefault(GENERATING.partition(".")[0], span)

    def _called(self, node: ast.Call) -> Node:
        if (noise := self._noise_of(node)) is not None:
            return self._known_draw(node, noise)
        if (released := self._of_library(node)) is not None:
            return released
        if self._kinds.drawn(node):
            raise Refused(node, _SEVERAL_DRAWS)
        if self._kinds.called(node.func) in MAKING_GENERATORS and (node.args or node.keywords):
            raise Refused(node, "a generator with a seed, by which its noise is known (leave it out),")
        if (keys := counted(node)) is not None and self._kinds.of(node) is Kind.ARRAY:
            return self._counted_keys(node, keys)
        match node.func:
            case ast.Attribute(value=of, attr="sum" | "mean" | "count" as attr) if self._kinds.of(of) is Kind.GAPS:
                if node.args or node.keywords:
                    raise Refused(node, f"`{attr}` with arguments")
                return self.of_gaps(self._places.span(node), of, attr)
            case ast.Attribute(value=of) if self._kinds.of(of) is Kind.GAPS and self._kinds.of(node) is Kind.ARRAY:
                return self._elementwise(node)
        if (counted_ := occurrences(node, self._kinds.of)) is not None:
            return self._occurrences(node, *counted_)
        if (operation := self._kinds.applied(node)) is not None:
            return self.node(operation)
        if self._kinds.called_with_each(node) is not None:
            return self._elementwise(node)
        if self._kinds.of(node) is Kind.MASK:
            return self._elementwise(node)
        if (array := self.array_of(node)) is not None:
            return array
        if (reduced := self.reduction(node)) is not None:
            return reduced
        name, args = self._function(node)
        if not name or (name.isidentifier() and name not in _KNOWN):
            return self._of_program(node)
        if name not in _KNOWN:
            return self._of_module(node, name)
        if name == WHERE and self._kinds.of(node) is not Kind.ARRAY:
            raise Refused(node, f"`{WHERE}` of something else than a mask and two numbers")
        if node.keywords and self._kinds.called(node.func) != CLIPS and not _is_clip(node):
            raise Refused(node, f"`{name}` with arguments by name")
        if name == ZEROS:
            if len(args) != 1:
                raise Refused(node, "`np.zeros` of several dimensions")
            return surface.Call(*self._places.span(node), self._callee(node, name), (self.number(args[0]),))
        if self._kinds.of(node) in _ONE_DIMENSIONAL:
            return self._elementwise(node)
        if name in _TOTALS and not (name in FUNCTIONS and len(args) > 1):
            return self._total(node, name, args)
        if name == _TRUTH:
            if len(args) != 1:
                raise Refused(node, "`bool` of nothing")
            return self._truth_of(args[0])
        if (held := held_between(node, self._kinds)) is not None:
            return self._call(self._places.span(node), CLIPS, *map(self.number, held))
        if name == CLIPS and isinstance(args[0], ast.Name) and self._kinds.of(args[0]) is Kind.ANY:
            # a number or data: each entry is clipped of all that NumPy takes for an array, which makes a new one
            return self._of_numbers(node, name, args, (self.node(args[0]), *map(self.number, args[1:])))
        if name in _MADE_NUMBERS and len(args) == 1:
            return self._of_numbers(node, name, args, (self._counting(args[0]),))
        return self._of_numbers(node, name, args, tuple(map(self.number, args)))

    def _releases(self, node: ast.expr) -> bool:
        """Whether an expression has noise of a library."""
        return any(
            self._kinds.of(item.func.value) is Kind.MECHANISM
            for item in below(node, ast.Call)
            if isinstance(item.func, ast.Attribute)
        ) or any(
            is_tool(self._kinds.called(item.func)) or self._kinds.of(item.func) is Kind.MECHANISM
            for item in below(node, ast.Call)
        )

    def _of_numbers(self, node: ast.Call, name: str, args: list[ast.expr], values: tuple[Node, ...]) -> Node:
        """A function of numbers."""
        span, function = self._places.span(node), FUNCTIONS[name]
        if not function.least <= len(args) <= function.most:
            raise Refused(node, f"`{name}` with {len(args)} argument{'s' if len(args) != 1 else ''}")
        digits: tuple[surface.Keyword, ...] = ()
        if function.rounds and len(args) > 1:
            if not isinstance(values[1], surface.Number) or not values[1].integer:
                raise Refused(args[1], "rounding to a number of digits that is not written out")
            digits, values = (surface.Keyword(*values[1].span, DIGITS, values[1]),), values[:1]
        return surface.Call(*span, self._callee(node, name), values, digits)

    def _truth_of(self, node: ast.expr) -> Node:
        """``bool(x)``: whether a number is not 0."""
        if self._kinds.of(node) is Kind.TRUTH:
            return self.truth(node)
        made = self.number(node)
        return self._call(self._places.span(node), "!=", made, whole(made.start, 0))

    def _of_program(self, node: ast.Call) -> Node:
        """A call of a function of the program, which is called by a name."""
        self._note_reason(node)
        match node.func:
            case ast.Name(id=name) if name in EXCEPTIONS:
                raise Refused(node, "an exception as a value")
            case ast.Name(id=name) if not self._kinds.is_local(name) or name in self._inner:
                args = tuple(map(self._argument, node.args))
                named = tuple(
                    surface.Keyword(*self._places.span(each), each.arg or "", self._argument(each.value))
                    for each in node.keywords
                )
                callee = surface.Name(*self._places.span(node.func), name)
                return surface.Call(*self._places.span(node), callee, args, named)
            case ast.Attribute(attr=attr):
                unsure = " of a value whose type is not known" if attr in METHODS else ""
                raise Refused(node, f"the method `{attr}`{unsure}")
        raise Refused(node, "a call of something other than a function with a name")

    def _argument(self, node: ast.expr) -> Node:
        """What a function of the program is given: also a generator that nobody knows, or None in place of one."""
        match node:
            case ast.Name(id=name) if self._kinds.is_generator(name):
                if not self._kinds.is_local(name):
                    self.note_home(node)
                return handle(self._places.span(node))
            case ast.Call(func=func) if self._kinds.of(node) is Kind.GENERATOR:
                self.note_home(func)
                return handle(self._places.span(node))
            case ast.Constant(value=None):
                return handle(self._places.span(node))
        return self.node(node)

    def _of_module(self, node: ast.Call, name: str) -> Node:
        """A call of a function that may be one of a module of the project. What it is given must be understood."""
        found = dotted(node.func)
        self._note_reason(node)
        if found is None or found[0] in HOMES or self._kinds.is_generator(found[0]):
            raise Refused(node, f"`{name}`")
        try:
            args = tuple(map(self._argument, node.args))
            named = tuple(
                surface.Keyword(*self._places.span(each), each.arg or "", self._argument(each.value))
                for each in node.keywords
            )
        except Refused:
            raise Refused(node, f"`{name}`") from None
        callee = surface.Name(*self._places.span(node.func), found[1])
        return surface.Call(*self._places.span(node), callee, args, named)

    def _total(self, node: ast.Call, name: str, args: list[ast.expr]) -> Node:
        """A function that makes one number of many."""
        span = self._places.span(node)
        if len(args) != 1:
            raise Refused(node, f"`{name}` with {len(args)} arguments")
        (of,) = args
        kind = self._kinds.of(of)
        if isinstance(kind, Table | Rows) and name == "len":
            return self.size(span, of)
        if name == "len" and isinstance(of, ast.Name) and isinstance(beside_ := self._kinds.of_name(of.id), Beside):
            return self.size(span, beside_.table(of))
        if name in ("sum", "np.sum", COUNT) and kind is Kind.MASK:
            return self._counted(span, of)
        if name == "np.mean" and kind is Kind.MASK:
            return self.share(span, of)
        if isinstance(of, ast.GeneratorExp) and name == "sum":
            return self._sum_of_each(node, of)
        if kind is Kind.GAPS and name in _OF_GAPS:
            return self.of_gaps(span, of, _OF_GAPS[name])
        if kind in COLUMNS - {Kind.ARRAY, Kind.VECTOR} and name == "len":
            return self.length(span, of)
        if name == "np.mean" and kind is Kind.LIST and self._is_list_to_read_again(of):
            parts = (
                surface.Call(*span, surface.Name(span.start, span.start, each), (self.node(of),)) for each in _MEAN
            )
            return self._call(span, "/", *parts)
        inline = kind is Kind.LIST and not isinstance(of, ast.Name)
        if kind not in _LISTED or (name == "np.mean" and inline) or name == COUNT:
            raise Refused(of, f"`{name}` of this")
        return surface.Call(*span, self._callee(node, name), (self.node(of),))

    def _is_list_to_read_again(self, node: ast.expr) -> bool:
        """Whether a list may stand in the tree twice: it has a name, or making it does nothing but compute."""
        match node:
            case ast.Name(id=name):
                return name not in self.filled.given
            case ast.ListComp():
                return self._is_still(node)
        return False

    def _counted(self, span: Span, mask: ast.expr) -> Node:
        leaf, each = self._entries(mask)
        return self._call(span, COUNT_KEPT if leaf.rows else COUNT, self._lambda(leaf.name, each), leaf.node)

    def _counted_keys(self, node: ast.Call, keys: Counted) -> Node:
        span, of = self._places.span(node), keys.column
        masks = (ast.copy_location(ast.Compare(of, [ast.Eq()], [each]), node) for each in keys.keys)
        return surface.Vector(*span, tuple(self._counted(span, mask) for mask in masks))

    def _occurrences(self, node: ast.Call, of: ast.expr, value: ast.expr) -> Node:
        """How often a number stands in a list."""
        span = self._places.span(node)
        each = surface.Name(span.start, span.start, _ENTRY)
        equal = self._call(span, "==", each, self.number(value))
        return self._call(span, COUNT, self._lambda(_ENTRY, equal), self.node(of))

    def _lambda(self, name: str, value: Node) -> surface.Lambda:
        span = value.span
        param = surface.Parameter(span.start, span.start, name)
        return surface.Lambda(*span, (param,), surface.Block(*span, (value,)))

    # Comprehensions

    def _sum_of_each(self, node: ast.Call, made: ast.GeneratorExp) -> Node:
        """``sum(f(x) for x in v if p(x))``; where 1 is added for each, their number."""
        span = self._places.span(node)
        if (counted_ := self.count_of_rows(made)) is not None:
            return counted_
        if (of_rows := self.of_each_row(made)) is not None:
            return surface.Call(*span, self._callee(node, "sum"), (of_rows,))
        each, over, kept = self._parts(made, made.elt)
        match made.elt:
            case ast.Constant(value=int() as value) if value == 1 and not isinstance(value, bool) and kept is not None:
                return self._call(span, COUNT, kept, over)
            case _ if self._is_condition(made):
                if kept is not None:
                    raise Refused(node, "how many of those that are kept")
                return self._call(span, COUNT, each, over)
        inner = surface.Comprehension(*self._places.span(made), each, over, kept)
        return surface.Call(*span, self._callee(node, "sum"), (inner,))

    def _is_condition(self, made: ast.GeneratorExp) -> bool:
        """Whether what is made of each is a truth value, of which those are added up that are true."""
        names = [target.id for part in made.generators if isinstance(target := part.target, ast.Name)]
        return self.within(names, Kind.ANY)._kinds.of(made.elt) is Kind.TRUTH

    def _comprehension(self, node: ast.ListComp) -> Node:
        if (made := self.of_each_row(node)) is not None:
            return made
        each, over, kept = self._parts(node, node.elt)
        return surface.Comprehension(*self._places.span(node), each, over, kept)

    def _parts(
        self, node: ast.ListComp | ast.GeneratorExp, value: ast.expr
    ) -> tuple[surface.Lambda, Node, surface.Lambda | None]:
        """What is made of each, over what, and of which."""
        if len(node.generators) != 1:
            raise Refused(node, "a comprehension over several things")
        (part,) = node.generators
        if part.is_async or not isinstance(part.target, ast.Name):
            raise Refused(node, "a comprehension with several names")
        name, param = part.target.id, self._places.span(part.target)
        over, counts = self._listed(part.iter)
        inner = self.within((name,), Kind.NUMBER if counts else Kind.ANY)
        is_condition = isinstance(node, ast.GeneratorExp) and inner._kinds.of(value) is Kind.TRUTH
        made = inner.truth(value) if is_condition else inner.number(value)
        each = surface.Lambda(*param, (surface.Parameter(*param, name),), surface.Block(*made.span, (made,)))
        if not part.ifs:
            return each, over, None
        wanted = inner.truth(part.ifs[0] if len(part.ifs) == 1 else ast.BoolOp(ast.And(), part.ifs))
        if len(part.ifs) > 1:
            raise Refused(node, "a comprehension with several conditions")
        kept = surface.Lambda(*wanted.span, (surface.Parameter(*param, name),), surface.Block(*wanted.span, (wanted,)))
        return each, over, kept

    def _listed(self, node: ast.expr) -> tuple[Node, bool]:
        """What a comprehension goes over, and whether its numbers are those of a range."""
        if isinstance(node, ast.ListComp) or (self._kinds.of(node) is Kind.ARRAY and not isinstance(node, ast.Name)):
            return self.node(node), False
        return self.walked(node)

    def listed(self, node: ast.expr) -> Node:
        """What a loop goes over that has places."""
        made, counts = self.walked(node)
        if counts:
            raise Refused(node, "a range beside something else")
        return made

    def walked(self, node: ast.expr) -> tuple[Node, bool]:
        """What a loop goes over, and whether its numbers are those of a range."""
        match node:
            case ast.Call(args=args, keywords=[]) if self._kinds.called(node.func) == "range":
                return self._range(node, args), True
            case ast.Name() if self._kinds.of(node) in _LISTED:
                return self.node(node), False
            case ast.List(elts=items) | ast.Tuple(elts=items) if items and all(
                isinstance(each, ast.Constant) for each in items
            ):
                return surface.Vector(*self._places.span(node), tuple(map(self.number, items))), False
        raise Refused(node, "a loop over something other than a range, or a list or an array with a name,")

    def _range(self, node: ast.expr, args: list[ast.expr]) -> Node:
        """Python's ranges begin at 0, and their end is not in them."""
        span = self._places.span(node)
        if len(args) == _WITH_STEP and (steps := [*map(written, args)]) and None not in steps:
            return self._stepped(node, span, [int(each) for each in steps if each is not None and each == int(each)])
        if not 1 <= len(args) <= 2:
            raise Refused(node, "a range with a step that is not written out")
        first: Node = whole(span.start, 0)
        if len(args) == 2:
            first = self.number(args[0])
        last = self.number(args[-1])
        if isinstance(last, surface.Number) and last.integer:
            return surface.Range(*span, first, None, surface.Number(last.start, last.end, last.value - 1, True))
        return surface.Range(*span, first, None, self._call(last.span, "-", last, whole(last.end, 1)))

    def _stepped(self, node: ast.expr, span: Span, given: list[int]) -> Node:
        """A range of numbers that are written out."""
        if len(given) != _WITH_STEP or given[2] <= 0:
            raise Refused(node, "a range with another step than a positive whole number")
        first, end, step = given
        last = max(range(first, end, step), default=first - step)
        return surface.Range(*span, whole(span.start, first), whole(span.start, step), whole(span.end, last))


_WITH_STEP = 3
_SEVERAL = 2
_TOTALS = frozenset({"len", "sum", "np.sum", "np.mean", COUNT})
_ORDERING = frozenset({"np.cumsum", "np.diff", "np.sort", "sorted"})
"""Functions that fail for no list of numbers, and make another one of it."""
_TRUTH = "bool"
_MADE_NUMBERS = frozenset({"int", "float"})
"""What makes a number of a truth value, too."""
_MEAN = "sum", "len"
"""What the mean of a list that is made here is the quotient of."""
_KNOWN = _TOTALS | FUNCTIONS.keys() | {_TRUTH, ZEROS, WHERE}
"""The functions that are understood."""
_STILL = _KNOWN - {ZEROS}
"""Functions that do nothing but compute."""
_OPERATORS: dict[type[ast.operator], str] = {
    **{ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"},
    **{ast.LShift: "<<", ast.RShift: ">>"},
}


_MOST_ITEMS = 40
"""The most values for which a comprehension is written out."""


def _names_in(node: ast.expr) -> Iterator[str]:
    return (item.id for item in below(node, ast.Name))


def _are_written_out(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) and all(isinstance(each, ast.Constant) for each in node.elts)


def _texts(node: ast.expr) -> list[ast.expr] | None:
    """Texts that are written out."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            known = all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in items)
            return items if known and items else None
    return None


def _different(keys: list[ast.expr]) -> int:
    """How many keys are written out and certainly differ."""
    return len({repr(each.value) for each in keys if isinstance(each, ast.Constant)})


def bins(node: ast.Call) -> int | None:
    """How many bins there are between edges that are written out, and rise; None for others."""
    edges = edges_of(node)
    return None if edges is None else len(edges) - 1


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.List) and not node.elts


def _is_clip(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "clip"


def _described_comparison(op: ast.cmpop) -> str:
    return {ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}.get(type(op), "?")


def _described(node: ast.AST) -> str:
    """A construct that is refused, for a person."""
    return _DESCRIBED.get(type(node), "this construct")


_DESCRIBED: dict[type[ast.AST], str] = {
    ast.Constant: "a text, or another value that is no number",
    ast.JoinedStr: "a text with values in it",
    ast.Dict: "a dictionary",
    ast.Set: "a set",
    ast.List: "an empty list",
    ast.Tuple: "a tuple with a star in it",
    ast.Subscript: BY_INDEX,
    ast.Attribute: "a part of a value",
    ast.Lambda: "a function without a name",
    ast.GeneratorExp: "a generator",
    ast.SetComp: "a set",
    ast.DictComp: "a dictionary",
    ast.NamedExpr: "an assignment inside an expression",
    ast.Await: "`await`",
    ast.Yield: "`yield`",
    ast.YieldFrom: "`yield`",
    ast.Starred: "a star",
    ast.UnaryOp: "the operator `~`",
}
