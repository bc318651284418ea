"""Functions of Python as nodes of the surface tree: parameters, statements, and what a function leaves behind.

A name that is assigned anywhere in a function is its own everywhere in it. A function that is not left by a ``return``
returns None. What has no meaning here stays in the tree as text that is not understood, with what it may do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp import surface
from dp_lsp.frontends.python.annotations import OF_NUMBER, PUBLIC, annotation, kind_of, says_data
from dp_lsp.frontends.python.draws import generators, named_draws, scales
from dp_lsp.frontends.python.effects import effects
from dp_lsp.frontends.python.entries import named_kind
from dp_lsp.frontends.python.expressions import Expressions, bins, number, opaque
from dp_lsp.frontends.python.filled import Filled
from dp_lsp.frontends.python.kinds import COUNTING, SIGNS, Kind, Kinds, kinds_of
from dp_lsp.frontends.python.lasting import lasting
from dp_lsp.frontends.python.names import CHECKED, bound_in
from dp_lsp.frontends.python.noise import named_centre
from dp_lsp.frontends.python.places import Places
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.tables import Alone, Table, counted
from dp_lsp.frontends.python.versions import with_versions
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


def function(node: ast.FunctionDef, places: Places) -> Node:
    """A definition. One that is more than a header and a body is known by its name alone."""
    span = places.span(node)
    name = surface.Name(*_name_span(node, places), node.name)
    returns = None if node.returns is None else annotation(node.returns, places)
    header = Span(span.start, places.span(node.body[0]).start)
    try:
        params = tuple(_parameters(node, places))
        body = _Body(node, places)
        block: surface.Block = body.block()
        if not any(each.annotation for each in node.args.args) and returns is None and body.draws:
            returns = surface.TypeExpr(header.end, header.end, "Private", written="Private")
            params = tuple(_said(each, PUBLIC if each.name in body.scales else OF_NUMBER) for each in params)
    except Refused as refused:
        params, text = (), opaque(places, refused.node, refused.what)
        whole = surface.Opaque(text.start, text.end, refused.what, _of_definition(node))
        block = surface.Block(*span, (whole,))
    return surface.Function(*span, name, params, returns, block, header, "block")


def _said(param: surface.Parameter, annotation_: str) -> surface.Parameter:
    """A parameter of a function without annotations that draws noise: it is a number, or also public."""
    said = surface.TypeExpr(param.end, param.end, annotation_, written=_TOLD[annotation_])
    return surface.Parameter(param.start, param.end, param.name, said, param.default)


_TOLD = {PUBLIC: "a public number", OF_NUMBER: "a number"}


def _of_definition(node: ast.FunctionDef) -> surface.Summary:
    """What a function may do that is more than a header and a body. Its decorators, its defaults and its annotations
    are evaluated where it is defined, and bind names there."""
    args = node.args
    params = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    said = [each.annotation for each in params if each is not None]
    there = (*node.decorator_list, *args.defaults, *args.kw_defaults, *said, node.returns)
    bound = effects(*(each for each in there if each is not None)).binds
    does = effects(node)
    return does._replace(binds=frozenset(), outside=does.outside | bound)


def _name_span(node: ast.FunctionDef, places: Places) -> Span:
    start = places.span(node).start
    return places.name_after(start, "def")


def _parameters(node: ast.FunctionDef, places: Places) -> Iterator[surface.Parameter]:
    args = node.args
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Name) or decorator.id != CHECKED:
            raise Refused(decorator, "a decorator")
    for other in (*args.posonlyargs, *args.kwonlyargs, args.vararg, args.kwarg):
        if other is not None:
            raise Refused(other, "a parameter that is not plain")
    for said in (*(each.annotation for each in args.args), node.returns):
        if said is not None and not effects(said).is_harmless:
            raise Refused(said, "an annotation that does more than say something")
    defaults = [None] * (len(args.args) - len(args.defaults)) + [*args.defaults]
    for each, default in zip(args.args, defaults, strict=True):
        type_ = None if each.annotation is None else annotation(each.annotation, places)
        value = None if default is None else _literal(default, places)
        yield surface.Parameter(*places.span(each), each.arg, type_, value)


def _literal(node: ast.expr, places: Places) -> Node:
    """A default value, which is evaluated once: a number or a truth value that is written out."""
    span = places.span(node)
    match node:
        case ast.Constant(value=bool() as value):
            return surface.Boolean(*span, value)
        case ast.Constant(value=int() | float()):
            return number(node, span)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float()) as inner):
            sign = surface.Name(span.start, span.start, "-")
            return surface.Call(*span, sign, (number(inner, places.span(inner)),))
    raise Refused(node, "a default value other than a number")


class _Body:
    """The statements of one function."""

    def __init__(self, node: ast.FunctionDef, places: Places) -> None:
        params = {each.arg: kind_of(each.annotation, places) for each in node.args.args}
        node = with_versions(node, [name for name, kind in params.items() if isinstance(kind, Table | Alone)])
        self._node = node
        self._places = places
        self._local = {*params, *_assigned(node)}
        self._kinds = kinds_of(node.body, params, self._local.__contains__)
        for each in node.args.args:
            if isinstance(params[each.arg], Table | Alone) and self._kinds.of_name(each.arg) != params[each.arg]:
                raise Refused(each, f"another value for `{each.arg}`, which is {named_kind(params[each.arg])},")
        self._named = named_draws(node, self._kinds)
        self._lasting = lasting(node, self._kinds)
        self._generators = generators(node, self._kinds)
        self.scales = scales(node, self._kinds)
        self.draws = any(self._kinds.drawn(item) for item in ast.walk(node) if isinstance(item, ast.Call))
        counts = _bins_of(node, self._kinds)
        filled = Filled(node, self._kinds, counts)
        self._expressions = Expressions(places, self._kinds, self._named, counts, self._lasting, filled)

    def block(self) -> surface.Block:
        """The body. What is returned where the last statement does not say so is None."""
        self._check_loops()
        statements = list(self._statements(self._node.body))
        span = self._places.span(self._node)
        if not _leaves(self._node.body):
            statements.append(surface.Return(span.end, span.end, surface.Tuple(span.end, span.end, ())))
        named = [surface.Name(*place, home) for home, place in self._expressions.homes.items()]
        return surface.Block(*span, (*named, *statements))

    def _check_loops(self) -> None:
        """A variable of a loop is nothing else: what it would leave behind, or change, is not followed."""
        loops = [item for item in ast.walk(self._node) if isinstance(item, ast.For)]
        for loop in loops:
            for name in bound_in(loop.target):
                others = [item for item in ast.walk(self._node) if item is not loop and _binds(item, name)]
                if name != "_" and any(not isinstance(other, ast.For) or _is_below(other, loop) for other in others):
                    raise Refused(loop.target, f"another value for `{name}`, the variable of a loop")

    def _statements(self, nodes: list[ast.stmt]) -> Iterator[Node]:
        for node in nodes:
            try:
                yield from self._statement(node)
            except Refused as refused:
                inner = opaque(self._places, refused.node, refused.what)
                does = effects(node).joined(inner.summary)
                yield surface.Opaque(*inner.span, refused.what, does)

    def _block(self, nodes: list[ast.stmt]) -> surface.Block:
        span = Span(self._places.span(nodes[0]).start, self._places.span(nodes[-1]).end)
        return surface.Block(*span, tuple(self._statements(nodes)))

    def _statement(self, node: ast.stmt) -> Iterator[Node]:
        span, expressions = self._places.span(node), self._expressions
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return
            case ast.Expr(value=ast.Call(func=ast.Name(id="print")) as call) if not self._kinds.is_local("print"):
                yield self._print(call)
            case ast.Expr(value=value):
                yield expressions.node(value)
            case ast.Return(value=ast.expr() as value) if self._holds_dict(value) and not self._is_private():
                raise Refused(value, "a dictionary that a function returns which draws nothing")
            case ast.Return(value=value):
                made = surface.Tuple(span.end, span.end, ()) if _is_none(value) else expressions.result(value)  # type: ignore[arg-type]
                yield surface.Return(*span, made)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)) if name in self._generators:
                self._expressions.note_home(func)
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if name in self._named:
                yield from self._named_draw(span, target, value)
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name() as target, ast.Name(id="_")])], value=ast.Call() as made
            ) if self._kinds.called(made.func) == COUNTING:
                yield surface.Assign(*span, self._target(target), expressions.histogram(made))
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name)) as target], value=value) if (
                name in expressions.filled.lengths
            ):
                yield surface.Assign(*span, expressions.entry_at(target), expressions.number(value))
            case NotFollowed(broken=True):
                yield surface.Opaque(*span, node.what, effects(node), broken=True)
            case NotFollowed():
                raise Refused(node, node.what)
            case ast.AnnAssign(annotation=said) if says_data(said):
                raise Refused(node, "a declaration of data that is neither a parameter nor a statement of the file")
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value)
            ):
                yield surface.Assign(*span, self._target(target), self._given(target, value))
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value) if type(op) in SIGNS:
                yield surface.Assign(*span, self._target(target), self._updated(node, target, value))
            case ast.If(test=test, body=body, orelse=orelse):
                condition, then = expressions.truth(test), self._block(body)
                yield surface.If(*span, condition, then, self._block(orelse) if orelse else None)
            case ast.For(target=target, iter=over, body=body, orelse=[]):
                made, _ = expressions.walked(over)
                yield surface.For(*span, self._target(target), made, self._block(body))
            case _:
                raise Refused(node, _STATEMENTS.get(type(node), "this statement"))

    def _holds_dict(self, node: ast.expr) -> bool:
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        return any(self._kinds.of(each) is Kind.DICT for each in parts)

    def _is_private(self) -> bool:
        """Whether the function draws, or says that it is private: nobody measures then how far apart results are."""
        said = self._node.returns
        return self.draws or (said is not None and annotation(said, self._places).name == "Private")

    def _named_draw(self, span: Span, target: ast.Name, value: ast.expr) -> Iterator[Node]:
        """A draw that gets a name: in the tree it stands for the scale, and another one for what the draw is around."""
        noise = self._expressions.noise(value)
        if noise is None:
            raise Refused(value, "a factor of noise that draws, or calls a function of the program,")
        yield surface.Assign(*span, self._target(target), noise.scale)
        if noise.centre is not None:
            centre = surface.Name(span.end, span.end, named_centre(target.id))
            yield surface.Assign(span.end, span.end, centre, noise.centre)

    def _given(self, target: ast.expr, value: ast.expr) -> Node:
        """What a name is given. One that is a table, or a column of texts, is never anything else."""
        kind = self._kinds.of(value)
        if kind is Kind.DICT and isinstance(target, ast.Name) and self._kinds.of_name(target.id) is kind:
            return self._expressions.result(value)
        if not isinstance(kind, Table) and kind not in (Kind.TEXTS, Kind.GAPS):
            return self._expressions.node(value)
        name = target.id if isinstance(target, ast.Name) else ""
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

    def _print(self, node: ast.Call) -> Node:
        """What is printed is seen."""
        if node.keywords:
            raise Refused(node, "`print` with arguments by name")
        args: list[Node] = []
        for each in node.args:
            span = self._places.span(each)
            match each:
                case ast.Constant(value=str() as text):
                    args.append(surface.Text(*span, text))
                case ast.JoinedStr(values=values):
                    args += [self._shown(part, span) for part in values if isinstance(part, ast.FormattedValue)]
                case _:
                    args.append(self._expressions.node(each))
        callee = surface.Name(*self._places.span(node.func), "print")
        return surface.Call(*self._places.span(node), callee, tuple(args))

    def _shown(self, part: ast.FormattedValue, span: Span) -> Node:
        """A value in a text; within one, places are not told."""
        inner = [] if part.format_spec is None else list(ast.walk(part.format_spec))
        if not isinstance(part.value, ast.Name) or any(isinstance(each, ast.FormattedValue) for each in inner):
            raise Refused(part, "a text with more than names in it")
        return surface.Name(span.start, span.start, part.value.id)


def _bins_of(node: ast.FunctionDef, kinds: Kinds) -> dict[str, int]:
    """The names that stand for counts in bins, and for nothing else, and how many there are."""
    found: dict[str, int] = {}
    for item in ast.walk(node):
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
    names = [item for item in ast.walk(node) if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load)]
    return {name: count for name, count in found.items() if sum(item.id == name for item in names) == 1}


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _assigned(node: ast.FunctionDef) -> Iterator[str]:
    """The names that a function assigns; rather too many than too few."""
    for item in ast.walk(node):
        match item:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                if item is not node:
                    yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                yield name
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                yield name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names


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
    return any(item is node for item in ast.walk(loop))


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether every way through a block ends in a ``return``."""
    match body[-1]:
        case ast.Return():
            return True
        case ast.If(body=then, orelse=[*otherwise]) if otherwise:
            return _leaves(then) and _leaves(otherwise)
    return False


_STATEMENTS: dict[type[ast.stmt], str] = {
    ast.While: "a `while` loop",
    ast.For: "a loop with an `else`",
    ast.AsyncFor: "`async`",
    ast.With: "a `with` block",
    ast.AsyncWith: "`async`",
    ast.Try: "a `try` block",
    ast.Raise: "`raise`",
    ast.Assert: "an `assert`, which is left out where Python runs with -O,",
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
