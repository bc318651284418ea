"""Calls of libraries that are differentially private by themselves, as calls of builtins."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from dp_lsp import surface
from dp_lsp.frontends.python.entries import COLUMN, Entries, named_kind
from dp_lsp.frontends.python.kinds import Kind
from dp_lsp.frontends.python.noise import call, whole
from dp_lsp.frontends.python.numeric import CLIPS
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.releasing import Made, given, made_by
from dp_lsp.frontends.python.releasing import diffprivlib as dpl
from dp_lsp.surface import Node
from dp_lsp.text import Span

_SILENT = ("random_state", "accountant", "delta")
"""Arguments that change nothing where they are None, or 0."""
_NUMBERS = frozenset({Kind.ARRAY, Kind.LIST})
_MOST_BINS = 1000


class LibraryCalls(Entries):
    """The part of an expression's meaning that libraries have. ``made`` are the names of mechanisms."""

    _made: Mapping[str, Made]

    if TYPE_CHECKING:

        def node(self, node: ast.expr) -> Node: ...
        def note_home(self, function: ast.expr) -> None: ...
        def _counted(self, span: Span, mask: ast.expr) -> Node: ...
        def _is_still(self, node: ast.expr) -> bool: ...

    def _of_library(self, node: ast.Call) -> Node | None:
        """The meaning of a call of a library; None for any other call."""
        name = self._kinds.called(node.func)
        match node.func:
            case ast.Attribute(value=ast.Name(id=known), attr=attr) if known in self._made:
                return self._by_mechanism(node, self._made[known], attr)
            case ast.Attribute(value=ast.Call() as maker, attr=attr) if (
                made := made_by(self._kinds.called(maker.func), maker)
            ) is not None:
                return self._by_mechanism(node, made, attr)
        if name.startswith(dpl.TOOL):
            return self._by_tool(node, name)
        return None

    def _by_mechanism(self, node: ast.Call, made: Made, attr: str) -> Node:
        """A number with noise of a mechanism."""
        shown = ast.unparse(made.call.func)
        if attr != dpl.METHOD or len(node.args) + len(node.keywords) != 1:
            raise Refused(node, f"`{attr}` of a mechanism")
        if made.name in dpl.NOT_FOLLOWED:
            raise Refused(node, f"`{shown}`, {dpl.NOT_FOLLOWED[made.name]},")
        row = dpl.MECHANISMS[made.name]
        self.note_home(made.call.func)
        said = given(made.call, ())
        for default, value in row.defaults:
            said.setdefault(default, ast.copy_location(ast.Constant(value), made.call))
        others = said.keys() - {*row.takes, *row.bounds, *_SILENT}
        if others or not said.keys() >= {*row.takes, *row.bounds}:
            raise Refused(made.call, f"`{shown}` with other arguments than {' and '.join(row.takes)}")
        self._is_silent(said, row.takes)
        if not all(map(self._is_still, said.values())):
            raise Refused(made.call, "a mechanism that is made with what draws, or calls a function of the program,")
        hidden = self.number(given(node, ("value",))["value"])
        noisy = self._named_call(made.call.func, row.builtin, *(self.number(said[each]) for each in row.takes), hidden)
        if not row.bounds:
            return noisy
        return call(CLIPS, noisy, *(self.number(said[each]) for each in row.bounds))

    def _named_call(self, function: ast.expr, builtin: str, *args: Node) -> surface.Call:
        """A call of a builtin where a function of a library stands."""
        span = self._places.span(function)
        whole_call = Span(min(span.start, *(each.start for each in args)), max(span.end, *(each.end for each in args)))
        return surface.Call(*whole_call, surface.Name(*span, builtin), args)

    def _is_silent(self, said: Mapping[str, ast.expr], takes: tuple[str, ...]) -> None:
        """Refuse seeds, and what else an argument may be that is not followed."""
        for name in _SILENT:
            match said.get(name):
                case None:
                    pass
                case _ if name in takes:
                    pass
                case ast.Constant(value=None):
                    pass
                case ast.Constant(value=0 | 0.0) if name == "delta":
                    pass
                case other:
                    what = "a seed: noise that can be drawn again hides nothing" if name == "random_state" else "that"
                    raise Refused(other, f"`{name}=` with {what},")

    # Tools

    def _by_tool(self, node: ast.Call, name: str) -> Node:
        """A statistic with noise."""
        tool = name.removeprefix(dpl.TOOL)
        if name in dpl.LEAKS:
            raise Refused(node, f"`{name}`, which costs more than it says: {dpl.LEAKS[name]},")
        if tool not in dpl.ARGUMENTS:
            raise Refused(node, f"`{name}`{', ' + why if (why := dpl.TOOLS_NOT_FOLLOWED.get(name)) else ''},")
        self.note_home(node.func)
        said = given(node, dpl.ARGUMENTS[tool])
        others = said.keys() - {*dpl.ARGUMENTS[tool], "random_state", "accountant"}
        if others:
            raise Refused(node, f"`{name}` with `{min(others)}=`")
        self._is_silent(said, ())
        epsilon = self.number(said.get("epsilon") or ast.copy_location(ast.Constant(1), node))
        data = said.get(dpl.ARGUMENTS[tool][0])
        if data is None:
            raise Refused(node, f"`{name}` of nothing")
        if tool == "histogram":
            raise Refused(node, "`tools.histogram` other than in an assignment of both of its results")
        return self._cut_statistic(node, tool, epsilon, data, said)

    def _cut_statistic(
        self, node: ast.Call, tool: str, epsilon: Node, data: ast.expr, said: Mapping[str, ast.expr]
    ) -> Node:
        """A count, a sum or a mean, which is cut off at what it can be with so many records as there are."""
        if tool == "count_nonzero":
            mask = data
            if self._kinds.of(data) is Kind.ARRAY:
                zero = ast.copy_location(ast.Constant(0), data)
                mask = ast.copy_location(ast.Compare(data, [ast.NotEq()], [zero]), data)
            if self._kinds.of(mask) is not Kind.MASK:
                raise Refused(data, f"`count_nonzero` of {named_kind(self._kinds.of(data))}")
            span = self._places.span(data)
            one = whole(self._places.span(node).end, 1)
            noisy = self._named_call(node.func, dpl.GEOMETRIC, one, epsilon, self._counted(span, mask))
            return call(CLIPS, noisy, whole(span.end, 0), self._size(data))
        low, high = self._bounds(node, said)
        of = self._places.span(data)
        clipped, spread = self._clipped(data, low, high), self._call(of, "-", self.number(high), self.number(low))
        if tool == "mean":
            far = self._call(of, "/", spread, self._size(data))
            noisy = self._named_call(node.func, dpl.LAPLACE, far, epsilon, self._call(of, "np.mean", clipped))
            return call(CLIPS, noisy, self.number(low), self.number(high))
        noisy = self._named_call(node.func, dpl.LAPLACE, spread, epsilon, self._call(of, "np.sum", clipped))
        ends = (self._call(of, "*", self.number(each), self._size(data)) for each in (low, high))
        return call(CLIPS, noisy, *ends)

    def _bounds(self, node: ast.Call, said: Mapping[str, ast.expr]) -> tuple[ast.expr, ast.expr]:
        match said.get("bounds"):
            case ast.Tuple(elts=[low, high]) if self._is_still(low) and self._is_still(high):
                return low, high
            case None | ast.Constant(value=None):
                raise Refused(node, f"`{ast.unparse(node.func)}` without `bounds=`, which takes them from the data,")
        raise Refused(said["bounds"], "`bounds=` other than two numbers in brackets")

    def _clipped(self, data: ast.expr, low: ast.expr, high: ast.expr) -> Node:
        """Numbers, each between the bounds."""
        if self._kinds.of(data) not in _NUMBERS:
            raise Refused(data, f"a statistic of {named_kind(self._kinds.of(data))}")
        span = self._places.span(data)
        if self._kinds.of(data) is Kind.LIST:
            param = "v"
            each = call(CLIPS, surface.Name(span.start, span.start, param), self.number(low), self.number(high))
            return surface.Comprehension(*span, self._lambda(param, each), self.node(data), None)
        leaf, entry = self._entries(data)
        each = call(CLIPS, entry, self.number(low), self.number(high))
        if leaf.rows:
            return self._call(span, COLUMN, self._lambda(leaf.name, each), leaf.node)
        return surface.Broadcast(*span, each, (leaf.name,), (leaf.node,))

    def _size(self, data: ast.expr) -> Node:
        span = self._places.span(data)
        if self._kinds.of(data) is Kind.LIST:
            return self._call(span, "len", self.node(data))
        return self.length(span, data)

    def is_histogram(self, node: ast.expr) -> bool:
        """Whether a call counts with noise, and gives the edges back, too."""
        return isinstance(node, ast.Call) and self._kinds.called(node.func) == dpl.ADD_GEOMETRIC

    def noisy_histogram(self, node: ast.Call) -> Node:
        """How many numbers lie in each bin, with noise for each."""
        name = dpl.ADD_GEOMETRIC
        self.note_home(node.func)
        said = given(node, dpl.ARGUMENTS["histogram"])
        match said.get("weights"):
            case None | ast.Constant(value=None):
                pass
            case weights:
                raise Refused(
                    weights, f"`{name}` with `weights=`, by which a record counts for more than its noise is for,"
                )
        others = said.keys() - {*dpl.ARGUMENTS["histogram"], "random_state", "accountant"}
        if others:
            raise Refused(node, f"`{name}` with `{min(others)}=`")
        self._is_silent(said, ())
        data = said.get("sample")
        if data is None or self._kinds.of(data) is not Kind.ARRAY:
            raise Refused(node, f"`{name}` of something other than an array")
        epsilon = self.number(said.get("epsilon") or ast.copy_location(ast.Constant(1), node))
        edges = self._noisy_edges(node, said)
        counted = self._call(self._places.span(data), "np.histogram", self.node(data), edges)
        return self._named_call(
            node.func, name, call("/", whole(self._places.span(node.func).end, 1), epsilon), counted
        )

    def _noisy_edges(self, node: ast.Call, said: Mapping[str, ast.expr]) -> Node:
        """The edges of bins: written out, or so many in a range that is."""
        at = self._places.span(said.get("bins") or node)
        match said.get("bins") or ast.Constant(10), said.get("range"):
            case ast.List(elts=[_, _, *_] as elts), None | ast.Constant(value=None) if _rises(elts):
                return self.node(ast.copy_location(ast.List(elts, ast.Load()), node))
            case ast.Constant(value=int() as count), ast.Tuple(elts=[low, high]) if (
                0 < count <= _MOST_BINS and not isinstance(count, bool) and _rises([low, high])
            ):
                ends = [Fraction(repr(_number_of(each))) for each in (low, high)]
                steps = [ends[0] + (ends[1] - ends[0]) * place / count for place in range(count + 1)]
                return surface.Vector(*at, tuple(surface.Number(*at, each, each.denominator == 1) for each in steps))
            case _, None | ast.Constant(value=None):
                raise Refused(node, "`tools.histogram` without `range=`, which takes it from the data,")
        raise Refused(node, "`tools.histogram` other than with `bins=` and `range=` that are written out")


def _number_of(node: ast.expr) -> int | float | None:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
    return None


def _rises(nodes: list[ast.expr]) -> bool:
    numbers = [found for each in nodes if (found := _number_of(each)) is not None]
    return len(numbers) == len(nodes) and all(low < high for low, high in pairwise(numbers))
