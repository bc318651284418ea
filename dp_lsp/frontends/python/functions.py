"""Functions of Python as nodes of the surface tree: parameters, statements, and what a function leaves behind.

A name that is assigned anywhere in a function is its own everywhere in it. A function that is not left by a ``return``
returns None. What has no meaning here stays in the tree as text that is not understood, with what it may do.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from dp_lsp import surface
from dp_lsp.frontends.python.annotations import (
    DRAWING,
    GENERATOR,
    OF_NUMBER,
    PUBLIC,
    UNSAID,
    WHOLE,
    annotation,
    holds_texts,
    kind_of,
    says_data,
    with_switches,
)
from dp_lsp.frontends.python.applied import with_comprehensions
from dp_lsp.frontends.python.as_arrays import taken as used_as_several
from dp_lsp.frontends.python.as_arrays import used_as_arrays
from dp_lsp.frontends.python.clips import with_both_bounds
from dp_lsp.frontends.python.counting import with_counts
from dp_lsp.frontends.python.draws import (
    Noise,
    as_long_as,
    counts_rounds,
    is_noisy_stop,
    named_arrays,
    named_centre,
    named_draws,
    scales,
    whole,
    with_single_draws,
)
from dp_lsp.frontends.python.edges import with_edges
from dp_lsp.frontends.python.effects import effects, failure, leaves, raised, with_last_failure
from dp_lsp.frontends.python.entries import UPDATES, named_kind
from dp_lsp.frontends.python.expressions import Expressions, bins, opaque
from dp_lsp.frontends.python.extremes import with_extremes
from dp_lsp.frontends.python.filled import (
    APPEND,
    ZEROS,
    Filled,
    with_keys_written,
    with_lists,
    with_names,
    zeros_listed,
)
from dp_lsp.frontends.python.generators import generators, handle, is_given, with_generators
from dp_lsp.frontends.python.groups import KeysShown, with_group_sums, with_shown_keys
from dp_lsp.frontends.python.hopeless import KEYS_OF_RECORDS, SPARSE_VECTOR, keyed_by_records, named_of_data
from dp_lsp.frontends.python.inner import bound_below, inner_functions, modules_of, why_not
from dp_lsp.frontends.python.joined import Named, joined, joined_name, named, together
from dp_lsp.frontends.python.joined import places as places_of
from dp_lsp.frontends.python.kinds import COUNTING, Kind, Kinds, Of, kinds_of, libraries, limits
from dp_lsp.frontends.python.loop_variables import with_own_variables
from dp_lsp.frontends.python.names import BASES, CHECKED, IMPORTED, MODULES, bound_in, dotted, holds
from dp_lsp.frontends.python.numeric import computed
from dp_lsp.frontends.python.of_rows import COLUMN, SHAPE, VECTOR
from dp_lsp.frontends.python.outputs import Outputs, with_files
from dp_lsp.frontends.python.picked import with_places
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.releasing import mechanisms, opacus, opendp
from dp_lsp.frontends.python.releasing.samples import samples, told_to_tools, tools
from dp_lsp.frontends.python.rows import Beside, Rows, norm_of, product
from dp_lsp.frontends.python.settled import lasting, returned_as_one, settled, with_versions
from dp_lsp.frontends.python.side_by_side import counted as counted_rounds
from dp_lsp.frontends.python.side_by_side import taken, with_rounds
from dp_lsp.frontends.python.tables import Alone, Frame, Table, counted
from dp_lsp.frontends.python.text_records import with_numbers
from dp_lsp.frontends.python.training import Made, Steps, Trained, trained
from dp_lsp.frontends.python.tree import Places, below, walk
from dp_lsp.frontends.python.written_out import with_texts, with_written
from dp_lsp.frontends.rounds import Rounds, WhileLoop, as_rounds, left_early, may_leave, with_returns
from dp_lsp.surface import Node
from dp_lsp.text import Span


class NotFollowed(ast.stmt):
    """A statement that has no meaning where it stands, and why: ``what`` it is, for a person. Of one that is ``broken``
    there is a problem already."""

    _fields = ("node",)
    what = ""
    broken = False
    node: ast.stmt | None = None


def not_followed(node: ast.stmt, what: str, broken: bool = False) -> ast.stmt:
    """A statement without a meaning, at its place."""
    made = ast.copy_location(NotFollowed(), node)
    made.node, made.what, made.broken = node, what, broken
    return made


def function(node: ast.FunctionDef, places: Places, around: _Body | None = None) -> Node:
    """A definition, perhaps in the body of another one. One that is more than a header and a body is known by its name
    alone."""
    node = with_generators(with_switches(node))
    span = places.span(node)
    name = surface.Name(*_name_span(node, places), node.name)
    returns = None if node.returns is None else annotation(node.returns, places)
    header = Span(span.start, places.span(node.body[0]).start)
    try:
        params = tuple(_parameters(node, places))
        body = _Body(node, places, around)
        block: surface.Block = body.block()
        if body.trains:
            params = tuple(_said(each, PUBLIC) if each.name in body.trains else each for each in params)
        elif not any(_is_said(each) for each in params) and returns is None and body.draws:
            returns = surface.TypeExpr(header.end, header.end, DRAWING, written="Private")
            public = {each.name for each in params} if body.several else body.scales
            told = {each.name: PUBLIC if each.name in public else OF_NUMBER for each in params}
            told |= dict.fromkeys(told.keys() & body.counts, WHOLE)
            params = tuple(
                each
                if each.annotation or each.name in {*body.samples, *body.vectors, *body.several}
                else _said(each, told[each.name])
                for each in params
            )
    except Refused as found:
        refused = _by_keys(node, found)
        params, text = (), opaque(places, refused.node, refused.what)
        whole = surface.Opaque(text.start, text.end, refused.what, _of_definition(node))
        block = surface.Block(*span, (whole,))
    is_plain = all(isinstance(each, ast.Name) and each.id == CHECKED for each in node.decorator_list)
    early = effects(*(_evaluated(node) if is_plain else [node])).mentions  # a decorator may call what it is given
    return surface.Function(*span, name, params, returns, block, header, "block", early=early)


def _by_keys(function: ast.FunctionDef, refused: Refused, statement: ast.stmt | None = None) -> Refused:
    """Why a function is refused, or a statement that begins a dictionary or fills it behind what records say, is
    that."""
    found = keyed_by_records(function)
    if found is None:
        return refused
    loop, name = found
    concerned = statement is None or name in bound_in(statement) or any(each is statement for each in ast.walk(loop))
    return Refused(loop, KEYS_OF_RECORDS) if concerned else refused


def _is_said(param: surface.Parameter) -> bool:
    """Whether somebody says something of a parameter, but that it is a generator: not of the object of a method."""
    said = param.annotation
    return said is not None and said.name != GENERATOR and not said.name.startswith("Static[")


def _said(param: surface.Parameter, annotation_: str) -> surface.Parameter:
    """A parameter of a function without annotations that draws noise: it is a number, or also public."""
    said = surface.TypeExpr(param.end, param.end, annotation_, written=_TOLD[annotation_])
    return surface.Parameter(param.start, param.end, param.name, said, param.default, param.kind)


_TOLD = {PUBLIC: "a public number", WHOLE: "a public whole number", OF_NUMBER: "a number"}


def _of_definition(node: ast.FunctionDef) -> surface.Summary:
    """What a function may do that is more than a header and a body. What is evaluated where it is defined binds names
    there."""
    does = effects(node)
    return does._replace(binds=frozenset(), outside=does.outside | effects(*_evaluated(node)).binds)


def _evaluated(node: ast.FunctionDef) -> list[ast.expr]:
    """What of a function is evaluated where it is defined: its decorators, its defaults and its annotations."""
    args = node.args
    params = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    said = [each.annotation for each in params if each is not None]
    there = (*node.decorator_list, *args.defaults, *args.kw_defaults, *said, node.returns)
    return [each for each in there if each is not None]


def _name_span(node: ast.FunctionDef, places: Places) -> Span:
    start = places.span(node).start
    return places.name_after(start, "def")


def _parameters(node: ast.FunctionDef, places: Places) -> Iterator[surface.Parameter]:
    args = node.args
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Name) or decorator.id != CHECKED:
            raise Refused(decorator, f"the decorator `@{ast.unparse(decorator)}`")
    for other in (args.vararg, args.kwarg):
        if other is not None:
            raise Refused(other, f"`{other.arg}`, which takes any number of arguments,")
    if args.posonlyargs:
        raise Refused(args.posonlyargs[0], "a parameter that must not be given by its name")
    said = [*filter(None, (*(each.annotation for each in (*args.args, *args.kwonlyargs)), node.returns))]
    for part in said:
        if not effects(part).is_harmless:
            raise Refused(part, "an annotation that does more than say something")
    defaults = [None] * (len(args.args) - len(args.defaults)) + [*args.defaults, *args.kw_defaults]
    said_of = {each.arg: _annotated(each, places) for each in (*args.args, *args.kwonlyargs)}
    used = {item.id for statement in node.body for item in below(statement, ast.Name)}
    used |= {item.value for part in said for item in below(part, ast.Constant) if isinstance(item.value, str)}
    groups = _together(node, places)
    behind = {each.param.arg for group in groups for each in group[1:]}
    for group in groups:
        if len(group) == 1:
            said_of[group[0].param.arg] = group[0].said
        else:
            span = places.span(group[0].param)
            yield surface.Parameter(*span, joined_name(group), joined(group), None, "keyword")
            behind.add(group[0].param.arg)
    for each, default in zip((*args.args, *args.kwonlyargs), defaults, strict=True):
        if each.arg in behind:
            continue
        type_ = said_of[each.arg]
        value = None if default is None else _default(each, default, each.arg in used, places)
        kind = "keyword" if each in args.kwonlyargs else "plain"
        yield surface.Parameter(*places.span(each), each.arg, type_, value, kind)


def _annotated(param: ast.arg, places: Places) -> surface.TypeExpr | None:
    return None if param.annotation is None else annotation(param.annotation, places)


def _together(node: ast.FunctionDef, places: Places) -> list[list[Named]]:
    """The parameters whose records have a name, by that."""
    found = (named(each, _annotated(each, places)) for each in (*node.args.args, *node.args.kwonlyargs))
    return together(each for each in found if each is not None)


def _default(param: ast.arg, node: ast.expr, used: bool, places: Places) -> Node:
    """A default value, which is evaluated once. Of a parameter that the function does not read it may be any that is
    written out, and stands for any."""
    if is_given(param.annotation):
        if not _is_none(node):
            raise Refused(node, "a seed, or a generator that all calls share, as a default value (write `None`)")
        return handle(places.span(node))
    if not used and all(isinstance(each, _DISPLAYS) for each in walk(node)):
        return surface.Boolean(*places.span(node), False)
    return _literal(node, places)


_DISPLAYS = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.expr_context)


def _literal(node: ast.expr, places: Places) -> Node:
    """A number or a truth value that is written out, or a number that is made of such."""
    span = places.span(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return surface.Boolean(*span, node.value)
    if (found := computed(node)) is not None:
        return surface.Number(*span, *found)
    raise Refused(node, "a default value other than a number")


def named_lambda(name: ast.Name, value: ast.Lambda) -> ast.FunctionDef:
    """A function without a name that gets one, as a definition."""
    body = ast.copy_location(ast.Return(value.body), value.body)
    made = ast.FunctionDef(name=name.id, args=value.args, body=[body], decorator_list=[], returns=None)
    made.lineno, made.col_offset = name.lineno, name.col_offset
    made.end_lineno, made.end_col_offset = value.end_lineno, value.end_col_offset
    return made


class _Body:
    """The statements of one function, ``around`` which another one may be."""

    def __init__(self, node: ast.FunctionDef, places: Places, around: _Body | None) -> None:
        self._around = around
        self._kinds: Kinds
        params = _kinds_of_params(node, places)
        node, files = with_files(_written_plainly(node, params), _named_outside(node))
        self._places = places
        loaders = [name for name, kind in params.items() if kind is Kind.LOADER]
        node, self._training = self._trained(node, loaders)
        _check_frames(node, params)
        self._node = node
        own = {*params, *bound_below(node)}
        self._modules: frozenset[str] = modules_of(node) - params.keys()
        self._local = own - self._modules
        self._otherwise: dict[Node, ast.For] = {}
        self._going_on: dict[int, ast.While] = {}
        if around is not None:
            self._local |= around._local - own
            self._modules |= around._modules - own
            params |= {name: around._kinds.of_name(name) for name in around._local - own}
        params |= dict.fromkeys(self._vectors(params), Kind.VECTOR)
        called = Kinds({}, self._local.__contains__).called
        self._made = mechanisms(node, called)
        measured = [*tools(node, self._made, called)]
        self.samples = samples(node, measured)
        params |= dict.fromkeys(used_as_arrays(node, params, called), Kind.ARRAY)
        params |= dict.fromkeys(self.samples, Kind.ARRAY)
        bare = [each.arg for each in node.args.args if each.annotation is None and params[each.arg] is Kind.ANY]
        used = used_as_several(node, bare, called)
        self.several = used.several
        params |= dict.fromkeys(used.arrays, Kind.ARRAY)
        self._kinds = kinds_of(node.body, params, self._local.__contains__)
        _check_tables(node, params, self._kinds)
        self._named = named_draws(node, self._kinds)
        self._lasting = lasting(node, self._kinds)
        self._generators = generators(node, self._kinds)
        self.scales = scales(node, self._kinds) | told_to_tools(node, measured, called)
        self.counts = counts_rounds(node, self._kinds)
        self.draws = any(self._kinds.drawn(item) for item in below(node, ast.Call)) or bool(self.samples)
        self._inner = inner_functions(node)
        known = (*self._inner, *(() if around is None else around._inner.keys() - own))
        counts = _bins_of(node, self._kinds)
        filled = Filled(node, self._kinds, counts)
        whose = libraries(node, self._kinds)
        known_values = settled(node)
        self._arrays = named_arrays(node, self._kinds, known_values)
        self._expressions = Expressions(
            places,
            self._kinds,
            self._named,
            counts,
            self._lasting,
            filled,
            known,
            whose,
            self._made,
            known_values,
            self._arrays,
        )
        self._outputs = Outputs(places, self._kinds, self._expressions, self._lasting, files)

    def _vectors(self, params: Mapping[str, Of]) -> list[str]:
        """The parameters of which nothing is said, and which are used as vectors, and nothing else: that they are is
        made sure of where the function begins."""
        self.vectors: list[str] = []
        bare = {each.arg for each in self._node.args.args if each.annotation is None}
        if not bare:
            return self.vectors
        called = Kinds({}, self._local.__contains__).called
        used: set[str] = set()
        for item in walk(self._node):
            operands = product(item, called) if isinstance(item, ast.expr) else None
            size = norm_of(item, called) if isinstance(item, ast.expr) else None
            for each in (*(operands or ()), *(() if size is None or size[1] else (size[0],))):
                used |= {each.id} if isinstance(each, ast.Name) else set()
        used |= as_long_as(self._node, Kinds({}, self._local.__contains__))
        written = set(bound_below(self._node))
        self.vectors = [name for name in params if name in used & bare and name not in written]
        return self.vectors

    def _trained(self, node: ast.FunctionDef, loaders: list[str]) -> tuple[ast.FunctionDef, Trained | None]:
        """A function with releases in place of its training."""
        return trained(node, loaders, _named_outside(node))

    @property
    def trains(self) -> frozenset[str]:
        """The parameters that take part in a training, but for the data."""
        return frozenset() if self._training is None else self._training.public

    def block(self) -> surface.Block:
        """The body. What is returned where the last statement does not say so is None."""
        self._check_loops()
        statements = [*self._read(self._node.body)]
        span = self._places.span(self._node)
        if not leaves(self._node.body):
            statements.append(surface.Return(span.end, span.end, surface.Tuple(span.end, span.end, ())))
        nodes = [each for each in statements if isinstance(each, Node)]
        if len(nodes) == len(statements) and (found := with_returns(nodes)) and found[0] not in self._otherwise:
            statements = [*statements[:-2], *found[1].statements, found[2]]
        self._note_modules()
        homes = self._expressions.homes.items()
        named = [surface.Name(*place, home) for home, place in homes if home not in self._modules]
        return surface.Block(*span, (*named, *self._as_vectors(), *self._in_rounds(statements)))

    def _note_modules(self) -> None:
        """A function of a module is one only while the module's name stands for that."""
        for item in walk(self._node):
            if isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute):
                found = dotted(item.func)
                if found is not None and found[0] in MODULES and self._kinds.called(item.func):
                    self._expressions.note_home(item.func)

    def _as_vectors(self) -> Iterator[Node]:
        for each in self._node.args.args:
            if each.arg in self.vectors:
                at = self._places.span(each)
                callee, name = surface.Name(at.start, at.start, VECTOR), surface.Name(*at, each.arg)
                yield surface.Assign(*at, name, surface.Call(*at, callee, (name,)))

    def _check_loops(self) -> None:
        """A variable of a loop is nothing else: what it would leave behind, or change, is not followed."""
        loops = below(self._node, ast.For)
        for loop in loops:
            for name in bound_in(loop.target):
                others = [item for item in walk(self._node) if item is not loop and _binds(item, name)]
                if name != "_" and any(not isinstance(other, ast.For) or _is_below(other, loop) for other in others):
                    raise Refused(loop.target, f"another value for `{name}`, the variable of a loop")

    def _in_rounds(self, statements: Iterable[Node | WhileLoop]) -> tuple[Node, ...]:
        """Statements, with loops that are left early, or go on as long as a condition holds, as what does the same."""
        found: list[Node] = []
        for node in statements:
            if isinstance(node, WhileLoop):
                made = as_rounds(node, found, False, _ENDS)
                loop = self._going_on[node.start]
                found += (opaque(self._places, loop, _LEFT),) if made is None else made.statements
            elif isinstance(node, surface.For) and (made := left_early(node) if may_leave(node.body) else None):
                found += made.statements
                found += self._if_not_left(node, made)
            else:
                found.append(node)
                found += self._if_not_left(node, None)
        return tuple(found)

    def _if_not_left(self, node: Node, made: Rounds | None) -> tuple[Node, ...]:
        """What stands in the ``else`` of a loop, which is run unless the loop was left."""
        loop = self._otherwise.get(node)
        if loop is None:
            return ()
        block = self._block(loop.orelse)
        first = None if made is None else made.statements[0]
        if isinstance(first, surface.Assign):
            return (surface.If(*block.span, first.target, block, None),)
        return block.statements

    def _read(self, nodes: list[ast.stmt]) -> Iterator[Node | WhileLoop]:
        for node in with_last_failure(self._clipped_at_once(nodes)):
            try:
                self._check_keys(node)
                yield from self._statement(node)
            except Refused as found:
                refused = _by_keys(self._node, found, node)
                what = self._unsaid(refused) or named_of_data(refused.what, self._node, refused.node)
                inner = opaque(self._places, refused.node, what)
                does = effects(node).joined(inner.summary)
                yield surface.Opaque(*inner.span, what, does._replace(binds=does.binds | self._filled_in(node)))

    def _filled_in(self, node: ast.stmt) -> set[str]:
        """The lists to which a statement appends, of which nothing is known where that is not followed."""
        methods = (each.func for each in below(node, ast.Call) if isinstance(each.func, ast.Attribute))
        names = {each.value.id for each in methods if isinstance(each.value, ast.Name)}
        return names & set(self._expressions.filled.lists)

    def _unsaid(self, refused: Refused) -> str | None:
        """Why something is refused that is done with a parameter of which is only said that it is a table, a column or
        an array of people; None where that is not why."""
        if not refused.what.startswith(_WITHOUT_KIND):
            return None
        params = {each.arg: each.annotation for each in self._node.args.args if each.annotation is not None}
        for each in below(refused.node, ast.Name):
            said = params.get(each.id)
            found = None if said is None else dotted(said)
            if found is not None and (words := UNSAID.get(found[1])) is not None:
                return (
                    f"`{each.id}`, of which nothing says what it holds (`{each.id}: Annotated[{found[1]}, {words}]`),"
                )
        return None

    def _check_keys(self, node: ast.stmt) -> None:
        """A dictionary whose keys are those of records is told of where it begins, and where a loop fills it."""
        keyed = keyed_by_records(self._node) if isinstance(node, ast.For | ast.Assign) else None
        if keyed is not None and (node is keyed[0] or (isinstance(node, ast.Assign) and keyed[1] in bound_in(node))):
            raise Refused(keyed[0], KEYS_OF_RECORDS)

    def _clipped_at_once(self, nodes: list[ast.stmt]) -> list[ast.stmt]:
        """Statements that return a clipped vector, in one."""
        made = returned_as_one(nodes)
        if made is not nodes and isinstance(last := made[-1], ast.Return) and last.value is not None:
            return made if self._expressions.is_clipped(last.value) else nodes
        return nodes

    def _block(self, nodes: list[ast.stmt]) -> surface.Block:
        span = Span(self._places.span(nodes[0]).start, self._places.span(nodes[-1]).end)
        return surface.Block(*span, self._in_rounds(self._read(nodes)))

    def _statement(self, node: ast.stmt) -> Iterator[Node | WhileLoop]:
        span, expressions = self._places.span(node), self._expressions
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return
            case ast.Import() | ast.ImportFrom() if not effects(node).anything:
                return
            case ast.FunctionDef(name=name) if name in self._inner:
                yield self._function(node, node)
            case ast.Raise() if (made := raised(node, self._places, self._outputs.values)) is not None:
                yield made
            case ast.Assert(test=test, msg=msg):
                says = (
                    None if msg is None else failure(msg, "AssertionError", [msg], self._places, self._outputs.values)
                )
                yield surface.Assert(*span, expressions.truth(test), says)
            case ast.Expr():
                yield self._evaluated(node)
            case ast.Return(value=value):
                yield surface.Return(*span, self._returned(span, value))
            case KeysShown():
                yield self._keys_shown(node)
            case NotFollowed(broken=True):
                yield surface.Opaque(*span, node.what, effects(node), broken=True)
            case NotFollowed():
                raise Refused(node, node.what)
            case Made():
                yield from self._made_private(node)
            case Steps():
                yield self._steps(node)
            case ast.Assign() | ast.AnnAssign():
                yield from self._assignment(node)
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value) if type(op) in UPDATES:
                yield surface.Assign(*span, self._target(target), self._updated(node, target, value))
            case ast.AugAssign(
                target=ast.Subscript(value=ast.Name(id=name)) as target, op=ast.Add() | ast.Sub() as op, value=value
            ) if name in expressions.filled.lengths:
                entry = expressions.entry_grown(target)
                grown = expressions.plus(span, op, entry, value)
                yield surface.Assign(*span, entry, grown)
            case ast.If(test=test, body=body, orelse=orelse):
                condition, then = expressions.truth(test), self._block(body)
                yield surface.If(*span, condition, then, self._block(orelse) if orelse else None)
            case ast.For():
                yield from self._rounds(node)
            case ast.While(test=test, body=body, orelse=[]):
                self._going_on[span.start] = node
                yield WhileLoop(*span, expressions.truth(test), self._block(body))
            case ast.Break() | ast.Continue():
                yield surface.Leave(*span, _STATEMENTS[type(node)], isinstance(node, ast.Continue))
            case _:
                raise Refused(node, _STATEMENTS.get(type(node), "this statement"))

    def _rounds(self, node: ast.For) -> Iterator[Node]:
        """A loop over something."""
        span, expressions = self._places.span(node), self._expressions
        if any(is_noisy_stop(each, self._kinds, self._named) for each in node.body):
            raise Refused(node, SPARSE_VECTOR)
        rows = expressions.rounds_of_rows(node.target, node.iter)
        parts = None if rows is not None else taken(node, self._kinds.called)
        block = self._block(node.body)
        if rows is not None:
            round_, numbers, first = rows
            block = surface.Block(*block.span, (*first, *block.statements))
            loop = surface.For(*span, round_, numbers, block)
        elif parts is None:
            made, _ = expressions.walked(node.iter)
            loop = surface.For(*span, self._target(node.target), made, block)
        else:
            rounds = counted_rounds(span, parts, expressions.listed, self._places)
            yield from rounds.before
            block = surface.Block(*block.span, (*rounds.first, *block.statements))
            loop = surface.For(*span, rounds.round, rounds.over, block)
        if node.orelse:
            self._otherwise[loop] = node
        yield loop

    def _keys_shown(self, node: KeysShown) -> Node:
        """What shows the keys that occur in a column. Of a table that nothing is said of it is refused for that."""
        if self._kinds.of(node.column) is Kind.ANY:
            raise Refused(node.made, node.what)
        at = self._places.span(node.made)
        return surface.Call(*at, surface.Name(at.start, at.start, node.what), (*self._outputs.values(node.column),))

    def _made_private(self, node: Made) -> Iterator[Node]:
        """How much noise a training adds has a name, and the module holds nothing private yet."""
        assert self._training is not None, "it was found by that"
        found, span = self._training.training, self._places.span(node)
        for function in self._training.uses:
            self._expressions.note_home(function)
        for name, value in ((found.noise, node.noise), (found.clip, node.clip)):
            yield surface.Assign(*span, surface.Name(*self._places.span(value), name), self._expressions.number(value))
        yield surface.Assign(*span, surface.Name(*span, found.module), whole(span.end, 0))

    def _steps(self, node: Steps) -> Node:
        """As many steps as there are batches, each a release of the records that are drawn for it."""
        assert self._training is not None, "it was found by that"
        found, span = self._training.training, self._places.span(node)
        data, row = surface.Name(*span, found.data), surface.Name(*span, "record")
        batches = surface.Call(*span, surface.Name(*span, SHAPE), (data, whole(span.end, 2)))
        first = surface.Block(*span, (surface.Index(*span, row, (whole(span.end, 1),)),))
        of_each = surface.Lambda(*span, (surface.Parameter(*span, "record"),), first)
        records = surface.Call(*span, surface.Name(*span, COLUMN), (of_each, data))
        rate = surface.Call(*span, surface.Name(*span, "/"), (whole(span.end, 1), batches))
        places = (self._places.span(found.said[name]) for name in ("max_grad_norm", "noise_multiplier"))
        noise = (surface.Name(*place, name) for place, name in zip(places, (found.clip, found.noise), strict=True))
        step = surface.Call(*span, surface.Name(*span, opacus.STEP), (rate, *noise, records))
        body = surface.Assign(*span, surface.Name(*span, found.module), step)
        rounds = surface.Range(*span, whole(span.end, 1), None, batches)
        return surface.For(*span, surface.Name(*span, "_"), rounds, surface.Block(*span, (body,)))

    def _evaluated(self, node: ast.Expr) -> Node:
        """An expression that stands as a statement, for what it does."""
        expressions, lists = self._expressions, self._expressions.filled.lists
        match node.value:
            case ast.Call() as call if (shown := self._outputs.shown(call)) is not None:
                return shown
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name) as filled, attr="append") as method,
                args=[value],
                keywords=[],
            ) if name in lists:
                end = self._places.span(method).end
                callee = surface.Name(end - len(method.attr), end, APPEND)
                args = self._target(filled), expressions.number(value)
                return surface.Call(*self._places.span(node), callee, args)
        return expressions.node(node.value)

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> Iterator[Node]:
        """An assignment, or a declaration."""
        span, expressions = self._places.span(node), self._expressions
        match node:
            case ast.AnnAssign(target=ast.Name(), annotation=said, value=None) if not says_data(said):
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)) if base := self._read_by(func):
                words = f"{name}: Annotated[{base}, {UNSAID.get(base, 'ChangeOne()')}]"
                says = f"what `{ast.unparse(func)}` reads, of which nothing says whom it protects (`{words} = …`),"
                raise Refused(node.value, says)
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Lambda() as value) if name in self._inner:
                yield self._function(value, named_lambda(target, value))
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self._made:
                return
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name() as target, rest])], value=ast.Call() as made) if (
                expressions.is_histogram(made)
            ):
                if not isinstance(rest, ast.Name) or rest.id != "_":
                    raise Refused(rest, "the edges of bins, which the program knows, other than as `_`")
                yield surface.Assign(*span, self._target(target), expressions.noisy_histogram(made))
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)) if name in self._generators:
                expressions.note_home(func)
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if name in self._named:
                yield from self._named_draw(span, target, expressions.noise(value), value)
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if name in self._arrays:
                yield from self._named_draw(span, target, expressions.noise_of_several(value), value)
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name() as target, ast.Name(id=rest) as edges])], value=ast.Call() as made
            ) if self._kinds.called(made.func) == COUNTING:
                yield surface.Assign(*span, self._target(target), expressions.histogram(made))
                if rest != "_" and (known := expressions.edges(made)) is not None:
                    yield surface.Assign(*span, self._target(edges), known)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name)) as target], value=value) if (
                name in expressions.filled.lengths
            ):
                yield surface.Assign(*span, expressions.entry_at(target), expressions.number(value))
            case ast.AnnAssign(annotation=said) if says_data(said):
                raise Refused(node, "a declaration of data that is neither a parameter nor a statement of the file")
            case ast.Assign(targets=[ast.Name() as first, *others], value=value) if others:
                yield from self._several(node, first, others, value)
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value)
            ):
                yield surface.Assign(*span, self._target(target), self._given(target, value))
            case _:
                raise Refused(node, _STATEMENTS[type(node)])

    def _read_by(self, function: ast.expr) -> str:
        """What holds what a function of a module reads from a file; empty for any other function."""
        home, path = dotted(function) or ("", "")
        known = IMPORTED.get(home, BASES.get(home, home))
        return "" if home in self._local else holds(f"{known}{path.removeprefix(home)}")

    def _returned(self, span: Span, value: ast.expr | None) -> Node:
        if value is None or _is_none(value):
            return surface.Tuple(span.end, span.end, ())
        if self._holds_dict(value) and not self._is_private():
            raise Refused(value, "a dictionary that a function returns which draws nothing")
        return self._expressions.result(value, self._is_private())

    def _holds_dict(self, node: ast.expr) -> bool:
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        return any(self._kinds.of(each) is Kind.DICT for each in parts)

    def _is_private(self) -> bool:
        """Whether the function draws, or says that it is private: nobody measures then how far apart results are."""
        said = self._node.returns
        return self.draws or (said is not None and annotation(said, self._places).name == "Private")

    def _function(self, inner: ast.FunctionDef | ast.Lambda, node: ast.FunctionDef) -> Node:
        """A function inside this one."""
        reason = why_not(inner, self._node, self._local.__contains__)
        if reason or self._around is not None:
            raise Refused(inner, reason or "a function inside a function inside a function")
        return function(node, self._places, self)

    def _several(self, node: ast.Assign, first: ast.Name, others: list[ast.expr], value: ast.expr) -> Iterator[Node]:
        """``a = b = value``: several names for one number."""
        if self._kinds.of(value) not in (Kind.NUMBER, Kind.TRUTH):
            raise Refused(node, "an assignment to several names at once of what may be shared")
        yield surface.Assign(*self._places.span(node), self._target(first), self._expressions.node(value))
        for each in others:
            same = surface.Name(*self._places.span(first), first.id)
            yield surface.Assign(*self._places.span(each), self._target(each), same)

    def _named_draw(self, span: Span, target: ast.Name, noise: Noise | None, value: ast.expr) -> Iterator[Node]:
        """Draws that get a name: in the tree it stands for the scale, and another one for what a draw is around."""
        if noise is None:
            raise Refused(value, "a factor of noise that draws, or calls a function of the program,")
        yield surface.Assign(*span, self._target(target), noise.scale)
        if noise.centre is not None:
            centre = surface.Name(span.end, span.end, named_centre(target.id))
            yield surface.Assign(span.end, span.end, centre, noise.centre)

    def _given(self, target: ast.expr, value: ast.expr) -> Node:
        """What a name is given. One that is a table, or a column of texts, is never anything else."""
        kind = self._kinds.of(value)
        name = target.id if isinstance(target, ast.Name) else ""
        if name in self._expressions.filled.lists:
            return surface.Vector(*self._places.span(value), ())
        if name in self._expressions.filled.lengths and (size := zeros_listed(value)) is not None:
            callee = surface.Name(*self._places.span(value), ZEROS)
            return surface.Call(*self._places.span(value), callee, (self._expressions.number(size),))
        if kind is Kind.DICT and name and self._kinds.of_name(name) is kind:
            return self._expressions.result(value)
        if isinstance(kind, Rows) and self._kinds.of_name(name) == kind:
            return self._expressions.rows(value)
        if kind is Kind.LOOSE and self._kinds.of_name(name) is kind:
            return self._expressions.column(value)
        if kind is Kind.UPRIGHT and name in self._expressions.settled:
            return self._expressions.standing(value)
        if not isinstance(kind, Table | Rows) and kind not in (Kind.TEXTS, Kind.GAPS, Kind.LOOSE, Kind.UPRIGHT):
            return self._expressions.node(value)
        if isinstance(kind, Table) and self._kinds.of_name(name) == kind:
            return self._expressions.table(value)
        if name in self._lasting:
            return self._expressions.column(value)
        raise Refused(value, f"{named_kind(kind)} under a name that is given something else, too,")

    def _target(self, target: ast.expr) -> Node:
        """What is given a value."""
        span = self._places.span(target)
        match target:
            case ast.Name(id=name):
                return surface.Name(*span, name)
            case ast.Tuple(elts=items) if len(items) > 1 and all(isinstance(each, ast.Name) for each in items):
                names = [each.id for each in items if isinstance(each, ast.Name)]
                if len(set(names)) == len(names):
                    return surface.Tuple(*span, tuple(map(self._target, items)))
        raise Refused(target, "changing a part of a value" if not isinstance(target, ast.Tuple) else "this assignment")

    def _updated(self, node: ast.AugAssign, target: ast.Name, value: ast.expr) -> Node:
        """``x += y`` gives a number another value; a list or an array it would change for all who hold it."""
        if self._kinds.of_name(target.id) is not Kind.NUMBER:
            raise Refused(node, f"a change of `{target.id}`, which is not known to be a number and may be shared,")
        read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        return self._expressions.node(ast.copy_location(ast.BinOp(read, node.op, value), node))


def _named_outside(node: ast.FunctionDef) -> Callable[[ast.expr], str]:
    """What tells the function that is called, where no name of this function is meant."""

    @cache
    def own() -> frozenset[str]:
        return frozenset((*bound_below(node), *(each.arg for each in below(node, ast.arg))))

    return Kinds({}, lambda name: name in own()).called


def _kinds_of_params(node: ast.FunctionDef, places: Places) -> dict[str, Of]:
    """What the annotations of parameters say that they are. Raises :class:`Refused`."""
    params: dict[str, Of] = {
        each.arg: kind_of(each.annotation, places) for each in (*node.args.args, *node.args.kwonlyargs)
    }
    for group in _together(node, places):
        if len(group) > 1:
            params |= places_of(group, params)
    _check_limits(node, params)
    return params


def _written_plainly(node: ast.FunctionDef, params: Mapping[str, Of]) -> ast.FunctionDef:
    """A function that does the same, without what only abbreviates."""
    called = _named_outside(node)
    tables = [name for name, kind in params.items() if isinstance(kind, Table | Alone | Beside)]
    node = with_places(with_counts(with_keys_written(node), called))
    plain = with_comprehensions(with_own_variables(with_extremes(node, called)), called)
    written = with_group_sums(with_shown_keys(with_both_bounds(plain)))
    given = (each for each in (*node.args.args, *node.args.kwonlyargs) if not isinstance(params[each.arg], Beside))
    texts = [each.arg for each in given if holds_texts(each.annotation)]
    written = with_lists(with_numbers(with_names(with_texts(with_written(written, called))), texts, called))
    versions = with_versions(with_single_draws(written), tables)
    return with_edges(
        with_rounds(versions, [name for name, kind in params.items() if isinstance(kind, Beside)], called)
    )


def _check_tables(node: ast.FunctionDef, params: Mapping[str, Of], kinds: Kinds) -> None:
    """A parameter that is a table is nothing else. Raises :class:`Refused`."""
    for each in node.args.args:
        if isinstance(params[each.arg], Table | Alone) and kinds.of_name(each.arg) != params[each.arg]:
            raise Refused(each, f"another value for `{each.arg}`, which is {named_kind(params[each.arg])},")


def _check_limits(node: ast.FunctionDef, params: Mapping[str, Of]) -> None:
    """A bound that is given by the name of a parameter is written where records are read, so that nothing else may have
    that name. Raises :class:`Refused`."""
    names = [item.arg for item in below(node, ast.arg)]
    for each in (*node.args.args, *node.args.kwonlyargs):
        for limit in sorted(limits(params[each.arg])):
            if limit not in params:
                raise Refused(each, f"a bound `{limit}` of `{each.arg}` that is no parameter")
            if names.count(limit) > 1 or limit in bound_below(node):
                raise Refused(each, f"another value for `{limit}`, which is a bound of `{each.arg}`,")


def _check_frames(node: ast.FunctionDef, params: Mapping[str, Of]) -> None:
    """What polars calculates later is the data of queries, and nothing else. Raises :class:`Refused`."""
    known = frozenset(name for name, kind in params.items() if isinstance(kind, Frame))
    if known and (use := opendp.misused(node, known, _named_outside(node))) is not None:
        raise Refused(use, "a frame of polars other than as `data=` of a context of OpenDP")
    if (data := opendp.unsaid(node, known, _named_outside(node))) is not None:
        raise Refused(data, f"a query by `select` of {opendp.UNSAID},")


def _bins_of(node: ast.FunctionDef, kinds: Kinds) -> dict[str, int]:
    """The names that stand for counts in bins, and for nothing else, and how many there are."""
    found: dict[str, int] = {}
    for item in walk(node):
        match item:
            case (
                ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), ast.Name()])], value=ast.Call() as made)
                | ast.Assign(
                    targets=[ast.Name(id=name)],
                    value=ast.Subscript(value=ast.Call() as made, slice=ast.Constant(value=0)),
                )
            ):
                count = bins(made) if kinds.called(made.func) == COUNTING else None
                if count is not None:
                    found[name] = count
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as made) if keys := counted(made):
                found[name] = len(keys.keys)
    names = [item for item in below(node, ast.Name) if not isinstance(item.ctx, ast.Load)]
    return {name: count for name, count in found.items() if sum(item.id == name for item in names) == 1}


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a node itself gives a name a value."""
    match node:
        case ast.Assign(targets=targets):
            return any(name in bound_in(target) for target in targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target) | ast.For(target=target):
            return name in bound_in(target)
        case ast.arg(arg=found):
            return found == name
    return False


def _is_below(node: ast.AST, loop: ast.For) -> bool:
    return any(item is node for item in walk(loop))


_WITHOUT_KIND = ("an index", "a part of a value", "changing a part of a value", "the method `", "the operator `")
"""How what is refused begins where nothing is known of what it is done with."""
_ENDS = "np.maximum", "np.minimum"
"""The functions that a loop which counts ends with, by names that no program gives another meaning."""
_LEFT = "a `while` loop that is left in several ways"
_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.While: "a `while` loop with an `else`",
    ast.AsyncFor: "`async`",
    ast.With: "a `with` block",
    ast.AsyncWith: "`async`",
    ast.Try: "a `try` block",
    ast.Raise: "`raise` of something other than an exception of Python's own that says a text",
    ast.Delete: "`del`",
    ast.Global: "`global`",
    ast.Nonlocal: "`nonlocal`",
    ast.Import: "an import inside a function",
    ast.ImportFrom: "an import inside a function",
    ast.FunctionDef: "a function inside a function",
    ast.AsyncFunctionDef: "a function inside a function",
    ast.ClassDef: "a class",
    ast.Match: "`match`",
    ast.Break: "`break`",
    ast.Continue: "`continue`",
    ast.Assign: "an assignment to several names at once",
    ast.AugAssign: "this change of a value",
    ast.AnnAssign: "this assignment",
}
