"""Calls of libraries that are differentially private by themselves, as calls of builtins."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from dp_lsp import surface
from dp_lsp.frontends.python.draws import call, whole
from dp_lsp.frontends.python.edges import between
from dp_lsp.frontends.python.entries import Entries, named_kind
from dp_lsp.frontends.python.kinds import Kind
from dp_lsp.frontends.python.numeric import CLIPS, written
from dp_lsp.frontends.python.of_rows import COLUMN, ROW, SHAPE
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.releasing import Made, given, made_by, opendp
from dp_lsp.frontends.python.releasing import diffprivlib as dpl
from dp_lsp.frontends.python.tables import Column, Frame, Holds
from dp_lsp.surface import Node
from dp_lsp.text import Span

_SILENT = ("random_state", "accountant", "delta")
"""Arguments that change nothing where they are None, or 0."""
_NUMBERS = frozenset({Kind.ARRAY, Kind.LIST})


class LibraryCalls(Entries):
    """The part of an expression's meaning that libraries have. ``made`` are the names of mechanisms."""

    _made: Mapping[str, Made]

    if TYPE_CHECKING:

        def node(self, node: ast.expr) -> Node: ...
        def note_home(self, function: ast.expr) -> None: ...
        def _counted(self, span: Span, mask: ast.expr) -> Node: ...
        def _cell(self, span: Span, column: Column) -> Node: ...
        def _is_still(self, node: ast.expr) -> bool: ...

    def _of_library(self, node: ast.Call) -> Node | None:
        """The meaning of a call of a library; None for any other call."""
        name = self._kinds.called(node.func)
        parts = {known: each.value for known, each in self._made.items() if not each.name}
        match node.func:
            case ast.Attribute(value=ast.Name(id=known), attr=attr) if known in self._made and known not in parts:
                return self._by_mechanism(node, self._made[known], attr)
            case ast.Attribute(value=ast.Call() as maker, attr=attr) if (
                made := made_by(maker, self._kinds.called)
            ) is not None and made.name:
                return self._by_mechanism(node, made, attr)
            case ast.Name(id=known) if known in parts:
                return self._by_chain(node, opendp.chain_of(parts[known], self._kinds.called, parts))
            case ast.BinOp() | ast.Call() as maker if opendp.is_chain(maker, self._kinds.called):
                return self._by_chain(node, opendp.chain_of(maker, self._kinds.called, parts))
            case ast.Attribute() if (query := opendp.query_of(node, self._kinds.called, parts)) is not None:
                return self._by_query(node, query, parts)
        if name.startswith(dpl.TOOL):
            return self._by_tool(node, name)
        return None

    def _by_mechanism(self, node: ast.Call, made: Made, attr: str) -> Node:
        """A number with noise of a mechanism."""
        assert isinstance(made.value, ast.Call), "a class is called"
        maker, shown = made.value, ast.unparse(made.value.func)
        if attr != dpl.METHOD or len(node.args) + len(node.keywords) != 1:
            raise Refused(node, f"`{attr}` of a mechanism")
        if made.name in dpl.NOT_FOLLOWED:
            raise Refused(node, f"`{shown}`, {dpl.NOT_FOLLOWED[made.name]},")
        row = dpl.MECHANISMS[made.name]
        self.note_home(maker.func)
        said = given(maker, ())
        for default, value in row.defaults:
            said.setdefault(default, ast.copy_location(ast.Constant(value), maker))
        others = said.keys() - {*row.takes, *row.bounds, *_SILENT}
        if others or not said.keys() >= {*row.takes, *row.bounds}:
            raise Refused(maker, f"`{shown}` with other arguments than {' and '.join(row.takes)}")
        self._is_silent(said, row.takes)
        if not all(map(self._is_still, said.values())):
            raise Refused(maker, "a mechanism that is made with what draws, or calls a function of the program,")
        hidden = self.number(given(node, ("value",))["value"])
        noisy = self._named_call(maker.func, row.builtin, *(self.number(said[each]) for each in row.takes), hidden)
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

    # Chains and queries

    def _by_chain(self, node: ast.Call, chain: opendp.Chain) -> Node:
        """What a chain makes of data."""
        match node.args, node.keywords:
            case [data], [] if not isinstance(data, ast.Starred):
                pass
            case _:
                raise Refused(node, "a chain of something else than data")
        if chain.steps:
            self.note_home(chain.steps[0].call.func)
        if not chain.space.alone:
            return self._in_steps(node, chain.space, chain.steps, data)
        value = self.number(data)
        for step in chain.steps:
            if step.name not in opendp.NOISES:
                raise Refused(step.call, f"`then_{step.name}` of a number")
            value = self._with_noise(step, chain.space.whole, value)
        return value

    def _in_steps(self, node: ast.expr, space: opendp.Space, steps: tuple[opendp.Step, ...], data: ast.expr) -> Node:
        """What steps make of records: bounds, a statistic, and noise."""
        bounds: list[tuple[ast.expr, ast.expr]] = []
        whole_number, value = space.whole, None
        for step in steps:
            said = self._step(step)
            if value is None and step.name == "clamp":
                bounds.append(self._two(step.call, said["bounds"]))
            elif value is None and step.name in opendp.STATISTICS:
                value = self._of_records(step, space, data, bounds)
                whole_number = space.whole or step.name == "count"
            elif value is not None and step.name in opendp.NOISES:
                value = self._with_noise(step, whole_number, value)
            else:
                raise Refused(step.call, f"the step `{step.name}` at this place of a chain")
        if value is None:
            raise Refused(node, "records that a chain gives back")
        return value

    def _step(self, step: opendp.Step) -> dict[str, ast.expr]:
        """The arguments of a step."""
        order = opendp.ARGUMENTS.get(step.name)
        if order is None:
            raise Refused(step.call, f"the step `{step.name}` of a chain")
        said = given(step.call, order)
        if said.keys() != {*order} or not all(map(self._is_still, said.values())):
            raise Refused(step.call, f"the step `{step.name}` with these arguments")
        return said

    def _two(self, node: ast.expr, bounds: ast.expr) -> tuple[ast.expr, ast.expr]:
        match bounds:
            case ast.Tuple(elts=[low, high]) if self._is_still(low) and self._is_still(high):
                return low, high
        raise Refused(node, "bounds other than two numbers in brackets")

    def _of_records(
        self, step: opendp.Step, space: opendp.Space, data: ast.expr, bounds: list[tuple[ast.expr, ast.expr]]
    ) -> Node:
        """A statistic of records. A mean is divided by how many the space says there are."""
        of = self._places.span(data)
        if step.name == "count":
            self._clipped(data)
            return self._size(data)
        if not bounds:
            raise Refused(
                step.call, f"`{step.name}` of what is not clamped, as a space cuts nothing off at its bounds,"
            )
        if step.name == "sum" and not space.whole and space.size is None and not _has_one_sign(*bounds[-1]):
            raise Refused(step.call, f"`sum` of floats of both signs, {opendp.CUT_SUM},")
        total = self._call(of, "np.sum", self._clipped(data, *bounds))
        if step.name == "sum":
            return total
        if space.size is None or not self._is_still(space.size):
            raise Refused(step.call, "`mean` of a space that does not say `size=`")
        return self._call(of, "/", total, self.number(space.size))

    def _with_noise(self, step: opendp.Step, is_whole: bool, value: Node) -> Node:
        """A number with the noise of a step."""
        scale = self.number(self._step(step)["scale"])
        if step.name == "gaussian" and is_whole:
            raise Refused(step.call, "Gaussian noise on whole numbers, whose price is not that of Gaussian noise,")
        builtin = opendp.GAUSSIAN if step.name == "gaussian" else opendp.GEOMETRIC if is_whole else opendp.LAPLACE
        return self._named_call(step.call.func, builtin, scale, value)

    def _by_query(self, node: ast.Call, query: opendp.Query, parts: Mapping[str, ast.expr]) -> Node:
        """What a query of a context releases: by noise that the library makes for the share of the loss which each
        query has."""
        self.note_home(query.context.func)
        frame = self._frame_of(query.context)
        if frame is not None:
            return self._of_frame(node, query, frame)
        names = [step.name for step in query.steps]
        if len(names) < 2 or names[0] != "query" or names[-1] != opendp.RELEASE or node.args or node.keywords:
            raise Refused(node, "a query other than `context.query()…release()`")
        if any(query.steps[0].call.args) or query.steps[0].call.keywords:
            raise Refused(query.steps[0].call, "a query with a loss of its own")
        said = given(query.context, ())
        asked = opendp.asked(query.context, said, self._kinds.called)
        if not all(map(self._is_still, (asked.loss, asked.queries, said["data"]))):
            raise Refused(query.context, "a context of what draws, or calls a function of the program,")
        steps, noise = query.steps[1:-2], query.steps[-2]
        if noise.name not in opendp.NOISES or noise.call.args or noise.call.keywords:
            raise Refused(noise.call, f"`{noise.name}` where noise of the library's own choice stands")
        if "domain" in said:
            match said["domain"]:
                case ast.Name(id=name) if name in parts:
                    raise Refused(said["domain"], "a domain by a name")
                case domain:
                    space = opendp.domain_of(domain, self._kinds.called)
        elif [each.name for each in steps] == ["count"]:
            space = opendp.Space(True)
        else:
            raise Refused(query.context, "a context that does not say `domain=`")
        return self._noise_for_share(node, asked, space, steps, noise, said["data"])

    def _frame_of(self, context: ast.Call) -> Frame | None:
        """The frame of polars that a context is of; None for any other data."""
        data = next((each.value for each in context.keywords if each.arg == "data"), None)
        kind = None if data is None else self._kinds.of(data)
        return kind if isinstance(kind, Frame) else None

    def _of_frame(self, node: ast.Call, query: opendp.Query, frame: Frame) -> Node:
        """What a query of a frame releases: each statistic that it selects, with noise for the same part of its
        share."""
        called, names = self._kinds.called, tuple(step.name for step in query.steps)
        if names[:2] != ("query", opendp.SELECT) or names[2:] not in opendp.COLLECTED or node.args or node.keywords:
            raise Refused(node, "a query of a frame other than `context.query().select(…).release().collect()`")
        first, select, *rest = (step.call for step in query.steps)
        if any(each.args or each.keywords for each in (first, *rest)):
            raise Refused(node, "a query with a loss of its own")
        said = given(query.context, ())
        if (margins := said.pop(opendp.MARGINS, None)) is not None:
            opendp.check_margins(margins, called)
        asked = opendp.asked(query.context, said, called)
        if "domain" in said or asked.measure != "epsilon":
            raise Refused(query.context, "a context of a frame with a `domain=`, or a loss other than `epsilon=`,")
        if not self._is_still(asked.loss) or not self._is_still(asked.queries):
            raise Refused(query.context, "a context of what draws, or calls a function of the program,")
        selected = opendp.statistics(select, called)
        if names[-1] == opendp.ITEM and len(selected) > 1:
            raise Refused(node, "`item` of several statistics")
        at = self._places.span(select.func)
        share = self._call(at, "/", self.number(asked.loss), self.number(asked.queries))
        far = whole(at.end, asked.contributions * len(selected))
        released = [self._selected(each, frame, said["data"], self._call(at, "/", far, share)) for each in selected]
        return released[0] if len(released) == 1 else surface.Tuple(*self._places.span(node), tuple(released))

    def _selected(self, statistic: opendp.Statistic, frame: Frame, data: ast.expr, scale: Node) -> Node:
        """One statistic, with noise of a scale for each step by which a record moves it."""
        assert isinstance(data, ast.Name), "the name of a frame"
        at, records = self._places.span(statistic.node), surface.Name(*self._places.span(data), data.id)
        if statistic.bounds is None:
            counted = self._call(at, SHAPE, records, whole(at.end, 1))
            return self._named_call(statistic.node, opendp.GEOMETRIC, scale, counted)
        column = None if frame.table is None else frame.table.column(statistic.column)
        if column is None or column.holds is not Holds.NUMBERS or column.there:
            known = "where no value is missing" if column else "that `Columns(…)` says to be numbers"
            raise Refused(statistic.node, f"`sum` of `{statistic.column}` other than of a column {known},")
        low, high = map(self.number, self._two(statistic.node, statistic.bounds))
        cell = call(CLIPS, self._cell(at, column), low, high)
        total = self._call(at, "np.sum", self._call(at, COLUMN, self._lambda(ROW, cell), records))
        most = self._call(at, "max", self._call(at, "np.abs", low), self._call(at, "np.abs", high))
        return self._named_call(statistic.node, opendp.LAPLACE, self._call(at, "*", scale, most), total)

    def _noise_for_share(
        self,
        node: ast.Call,
        asked: opendp.Asked,
        space: opendp.Space,
        steps: tuple[opendp.Step, ...],
        noise: opendp.Step,
        data: ast.expr,
    ) -> Node:
        """A statistic with noise that is enough for what the context says a person adds, at its share of the loss."""
        value = self._in_steps(node, space, steps, data)
        at = self._places.span(noise.call.func)
        share = self._call(at, "/", self.number(asked.loss), self.number(asked.queries))
        far: Node = surface.Number(at.end, at.end, Fraction(asked.contributions), True)
        match steps:
            case (*_, opendp.Step(name="count")):
                pass
            case (*clamps, opendp.Step(name="sum")) if clamps:
                low, high = self._two(node, self._step(clamps[-1])["bounds"])
                ends = (self._call(at, "np.abs", self.number(each)) for each in (low, high))
                far = self._call(at, "*", far, self._call(at, "max", *ends))
            case _:
                raise Refused(node, "a statistic other than a count, or a sum of what is clamped")
        is_whole = space.whole or steps[-1].name == "count"
        if noise.name == "laplace" and asked.measure == "epsilon":
            builtin = opendp.GEOMETRIC if is_whole else opendp.LAPLACE
            return self._named_call(noise.call.func, builtin, self._call(at, "/", far, share), value)
        if noise.name == "gaussian" and asked.measure == "rho" and not is_whole:
            deviations = self._call(at, "math.sqrt", self._call(at, "*", whole(at.end, 2), share))
            return self._named_call(noise.call.func, opendp.GAUSSIAN, self._call(at, "/", far, deviations), value)
        raise Refused(noise.call, f"`{noise.name}` for a loss of `{asked.measure}`")

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
        clipped, spread = self._clipped(data, (low, high)), self._call(of, "-", self.number(high), self.number(low))
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

    def _clipped(self, data: ast.expr, *bounds: tuple[ast.expr, ast.expr]) -> Node:
        """Numbers, each between bounds, and then between others."""
        if self._kinds.of(data) not in _NUMBERS:
            raise Refused(data, f"a statistic of {named_kind(self._kinds.of(data))}")
        if not bounds:
            return self.node(data)
        span = self._places.span(data)
        if self._kinds.of(data) is Kind.LIST:
            param = "v"
            each: Node = surface.Name(span.start, span.start, param)
            for low, high in bounds:
                each = call(CLIPS, each, self.number(low), self.number(high))
            return surface.Comprehension(*span, self._lambda(param, each), self.node(data), None)
        leaf, each = self._entries(data)
        for low, high in bounds:
            each = call(CLIPS, each, self.number(low), self.number(high))
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
            case count, ast.Tuple() as ends if (steps := between(count, ends)) is not None and steps[0] < steps[-1]:
                return surface.Vector(*at, tuple(surface.Number(*at, each, each.denominator == 1) for each in steps))
            case _, None | ast.Constant(value=None):
                raise Refused(node, "`tools.histogram` without `range=`, which takes it from the data,")
        raise Refused(node, "`tools.histogram` other than with `bins=` and `range=` that are written out")


def _has_one_sign(low: ast.expr, high: ast.expr) -> bool:
    """Whether numbers between two bounds are certainly all positive, or 0, or all negative, or 0."""
    least, most = written(low), written(high)
    return (least is not None and least >= 0) or (most is not None and most <= 0)


def _rises(nodes: list[ast.expr]) -> bool:
    numbers = [found for each in nodes if (found := written(each)) is not None]
    return len(numbers) == len(nodes) and all(low < high for low, high in pairwise(numbers))
