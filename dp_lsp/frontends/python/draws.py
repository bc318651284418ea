"""Noise as people draw it: a number that is added to another one, and used nowhere else.

The sum of a number and a draw hides that number if nobody sees the draw again: so a draw that has a name is taken for
noise where its one use is one addition, in the statements among which it was made. Any other draw is a number that
everybody may know. That is always sound: what is not hidden moves as it did.

Noise that is scaled or shifted before it is added, as what is added in the end.

A public multiple of a draw is a draw of the multiple of its scale, whose sign means nothing as noise is symmetric; and
a draw around a number is a draw around 0 beside it: ``x + s * laplace(c, b)`` is ``(x + s * c) + laplace(0, |s| * b)``.
That s is not 0 is a condition, as the scale must be positive.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TypeVar

from dp_lsp import surface
from dp_lsp.frontends.python.inner import bound_below
from dp_lsp.frontends.python.kinds import BY_NAME, CENTRE, SAMPLERS, SCALE, SIZE, Kinds
from dp_lsp.frontends.python.tree import below, children, copied, walk
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Node
from dp_lsp.text import Span

T = TypeVar("T")


class Draw(NamedTuple):
    """A call that draws: the function, its centre, its scale and how many numbers, None where they are left out."""

    call: ast.Call
    name: str
    centre: ast.expr | None
    scale: ast.expr | None
    size: ast.expr | None = None

    @property
    def is_centred(self) -> bool:
        """Whether the noise is around 0, so that it is added to nothing else."""
        match self.centre:
            case None:
                return True
            case ast.Constant(value=value):
                return not isinstance(value, bool) and value == 0
        return False


def _drawn(node: ast.expr, kinds: Kinds) -> Draw | None:
    """The draw that an expression is; None for one with other arguments than its centre, scale and size."""
    name = kinds.drawn(node)
    if not name or not isinstance(node, ast.Call) or len(node.args) > len(SAMPLERS[name]):
        return None
    order = SAMPLERS[name]
    given: dict[str, ast.expr] = dict(zip(order, node.args, strict=False))
    for keyword in node.keywords:
        argument = BY_NAME.get(name, {}).get(keyword.arg or "", keyword.arg)
        if argument not in order or argument in given:
            return None
        given[argument] = keyword.value
    if any(isinstance(each, ast.Starred) for each in given.values()):
        return None
    return Draw(node, kinds.draws_by(node), given.get(CENTRE), given.get(SCALE), given.get(SIZE))


def draw_of(node: ast.expr, kinds: Kinds) -> Draw | None:
    """The draw of one number that an expression is, which may be the first of one; None for any other."""
    match node:
        case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=0)) if kinds.draws_one(call):
            found = _drawn(call, kinds)
            return None if found is None else found._replace(size=None)
    found = _drawn(node, kinds)
    return found if found is not None and found.size is None else None


def with_single_draws(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with a draw in place of an array of one draw under a name, of which only the one number is taken:
    ``noise = np.random.laplace(0, b, size=1)``, and then ``noise.item()`` or ``noise[0]``."""
    names = below(node, ast.Name)
    found: dict[str, ast.Call] = {}
    for each in below(node, ast.Assign):
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if _is_of_one(call):
                found[name] = call
    if not found:
        return node
    taken = Counter(name for each in walk(node) if (name := _taken_of(each)) in found)
    others = Counter(each.id for each in names if each.id in found)
    others.update(each.arg for each in below(node, ast.arg))
    single = {name for name in found if taken[name] and others[name] == taken[name] + 1}
    if not single:
        return node
    made = _OfOne(single).visit(copied(node))
    assert isinstance(made, ast.FunctionDef), "a definition stays one"
    return made


def _is_of_one(call: ast.Call) -> bool:
    """Whether a call may draw an array of one number, as it is asked for so by name."""
    sizes = [each.value for each in call.keywords if each.arg == SIZE]
    is_one = len(sizes) == 1 and isinstance(sizes[0], ast.Constant) and sizes[0].value == 1
    return is_one and isinstance(call.func, ast.Attribute) and call.func.attr in ("laplace", "normal")


def _taken_of(node: ast.AST) -> str:
    """The name of the array of which an expression takes the one number; empty for any other."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="item"), args=[], keywords=[]):
            return name
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=0), ctx=ast.Load()):
            return name
    return ""


class _OfOne(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if name in self._names:
                call.keywords = [each for each in call.keywords if each.arg != SIZE]
                return node
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return self._one(node) or self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._one(node) or self.generic_visit(node)

    def _one(self, node: ast.expr) -> ast.expr | None:
        name = _taken_of(node)
        return ast.copy_location(ast.Name(name, ast.Load()), node) if name in self._names else None


def draws_of(node: ast.expr, kinds: Kinds) -> Draw | None:
    """The draw of several numbers around 0 that an expression is; None for any other."""
    found = _drawn(node, kinds)
    return found if found is not None and found.size is not None and found.is_centred else None


def heart(node: ast.expr, of: Callable[[ast.expr], T | None]) -> T | None:
    """What is scaled in an expression: a draw ``of`` some kind, times or divided by what is none."""
    match node:
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return heart(operand, of)
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            one, two = heart(left, of), heart(right, of)
            return two if one is None else one if two is None else None
        case ast.BinOp(op=ast.Div(), left=left):
            return heart(left, of)
        case ast.Call(func=ast.Name(id="float"), args=[inner], keywords=[]):
            return heart(inner, of)
    return of(node)


def named_draws(node: ast.FunctionDef, kinds: Kinds) -> dict[str, Draw]:
    """The draws of a function that have a name and are added once, by that name."""
    names = below(node, ast.Name)
    reads = Counter(item.id for item in names if isinstance(item.ctx, ast.Load))
    writes = Counter(item.id for item in names if not isinstance(item.ctx, ast.Load))
    params = {item.arg for item in below(node, ast.arg)}
    found: dict[str, Draw] = {}
    for statements in _blocks(node):
        for index, statement in enumerate(statements):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    draw = heart(value, lambda each: draw_of(each, kinds))
                    once = reads[name] == writes[name] == 1 and name not in params
                    if draw is not None and once and _is_added(name, statements[index + 1 :]):
                        found[name] = draw
    return found


def as_long_as(node: ast.FunctionDef, kinds: Kinds) -> set[str]:
    """The names of arrays that a function draws as many numbers for as there are in each."""
    sizes = (draws.size for item in below(node, ast.Call) if (draws := draws_of(item, kinds)) is not None)
    return {each for size in sizes if size is not None and (each := length_of(size, kinds))}


def length_of(size: ast.expr, kinds: Kinds) -> str:
    """The name of the array, of one dimension, whose length a size is; empty where it is another one."""
    match size:
        case ast.Tuple(elts=[inner]):
            return length_of(inner, kinds)
        case ast.Call(func=func, args=[ast.Name(id=name)], keywords=[]) if kinds.called(func) == "len":
            return name
        case (
            ast.Attribute(value=ast.Name(id=name), attr="shape" | "size")
            | ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant(value=0))
        ):
            return name
    return ""


def named_arrays(node: ast.FunctionDef, kinds: Kinds, settled: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
    """The arrays of draws of a function that have a name and are added once, by that name, and what each stands for
    there: it is one of the names that are ``settled``."""
    reads = Counter(item.id for item in below(node, ast.Name) if isinstance(item.ctx, ast.Load))
    found: dict[str, ast.expr] = {}
    for statements in _blocks(node):
        for index, statement in enumerate(statements):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in settled and reads[name] == 1:
                    draws = heart(value, lambda each: draws_of(each, kinds))
                    if draws is not None and _is_added(name, statements[index + 1 :]):
                        found[name] = value
    return found


def in_pairs(node: ast.AST) -> ast.BinOp | None:
    """The sum of two arrays that a comprehension makes entry by entry, ``[x + y for x, y in zip(xs, ys)]``; None for
    any other expression. It is the sum of both where they are as long."""
    match node:
        case ast.ListComp(
            elt=ast.BinOp(left=ast.Name(id=left), op=ast.Add() | ast.Sub() as op, right=ast.Name(id=right)),
            generators=[
                ast.comprehension(
                    target=ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=other)]),
                    iter=ast.Call(
                        func=ast.Name(id="zip"), args=[ast.Name() as first, ast.Name() as second], keywords=[]
                    ),
                    ifs=[],
                    is_async=0,
                )
            ],
        ) if {left, right} == {one, other} and one != other:
            sides = (first, second) if left == one else (second, first)
            return ast.copy_location(ast.BinOp(sides[0], op, sides[1]), node)
    return None


def scales(node: ast.FunctionDef, kinds: Kinds) -> set[str]:
    """The names that say how much noise there is, or how often something is done, in a function that draws some; none
    in one that draws none."""
    draws = [draw_of(item, kinds) or draws_of(item, kinds) for item in below(node, ast.Call)]
    said: list[ast.AST] = [draw.scale for draw in draws if draw is not None and draw.scale is not None]
    if not any(draws):
        return set()
    for item in walk(node):
        if isinstance(item, ast.Call) and kinds.called(item.func) == "range":
            said += item.args
    found: set[str] = set()
    while said:
        new = {item.id for each in said for item in below(each, ast.Name)} - found
        found |= new
        assigned = below(node, ast.Assign)
        said = [each.value for each in assigned if any(_gives(target, new) for target in each.targets)]
    return found


def counts_rounds(node: ast.FunctionDef, kinds: Kinds) -> set[str]:
    """The names that tell how often something is done, alone or in sums and products, and that keep their value:
    ``range`` takes none but whole numbers, and a sum or product with a number that is not is none."""
    found: set[str] = set()
    for item in below(node, ast.Call):
        for given in item.args if kinds.called(item.func) == "range" else ():
            if all(isinstance(each, _OF_WHOLE) for each in walk(given)):
                found |= {each.id for each in below(given, ast.Name)}
    return found - set(bound_below(node))


_OF_WHOLE = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult)


def _gives(target: ast.expr, names: set[str]) -> bool:
    return any(isinstance(item, ast.Name) and item.id in names for item in walk(target))


def _blocks(node: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """All lists of statements that run one after the other."""
    for item in walk(node):
        for statements in (getattr(item, "body", None), getattr(item, "orelse", None)):
            if isinstance(statements, list):
                yield statements


def _is_added(name: str, statements: list[ast.stmt]) -> bool:
    """Whether one of these statements adds what has a name to something, once each time that it runs."""
    for statement in statements:
        match statement:
            case ast.Assign() | ast.AnnAssign() | ast.Return() | ast.Expr():
                pending: list[ast.AST] = [statement]
            case ast.AugAssign(op=ast.Add() | ast.Sub(), value=value) if _is_named(value, name):
                return True
            case ast.AugAssign(value=value):
                pending = [value]
            case ast.If(test=test, body=body, orelse=orelse):
                if _is_added(name, body) or _is_added(name, orelse):
                    return True
                pending = [test]
            case _:
                continue
        while pending:
            item = pending.pop()
            match item:
                case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right) if _is_named(left, name) or _is_named(
                    right, name
                ):
                    return True
                case ast.ListComp() if (summed := in_pairs(item)) is not None:
                    pending.append(summed)
                    continue
                case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    continue
            pending += children(item)
    return False


def _is_named(node: ast.expr, name: str) -> bool:
    """Whether an expression is what has a name, perhaps scaled."""
    return heart(node, lambda each: each if isinstance(each, ast.Name) and each.id == name else None) is not None


def is_noisy_stop(statement: ast.stmt, kinds: Kinds, named: Mapping[str, Draw]) -> bool:
    """Whether a statement of a loop ends it where a number with noise compares in some way with another."""
    match statement:
        case ast.If(test=ast.Compare() as test, body=body, orelse=orelse):
            ends = any(isinstance(each[-1], ast.Return | ast.Break) for each in (body, orelse) if each)
            return ends and any(
                kinds.drawn(item) or (isinstance(item, ast.Name) and item.id in named)
                for item in walk(test)
                if isinstance(item, ast.expr)
            )
    return False


_MAGNITUDE = "np.abs"


class Noise(NamedTuple):
    """What is added: the draw, its scale, and the number that it is around; None if that is 0."""

    draw: Draw
    scale: Node
    centre: Node | None


def named_centre(name: str) -> str:
    """The name of the number around which a draw is that has a name."""
    return f"centre of {name}"


def scaled(
    node: ast.expr, of: Callable[[ast.expr], Noise | None], factor: Callable[[ast.expr], Node | None]
) -> Noise | None:
    """The noise that an expression is: a draw, times or divided by factors; None for any other."""
    match node:
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return scaled(operand, of, factor)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = scaled(operand, of, factor)
            return inner and inner._replace(centre=inner.centre and call("-", inner.centre))
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            inner = scaled(left, of, factor)
            by = right if inner is not None else left
            inner = inner or scaled(right, of, factor)
            return inner and _times(inner, factor(by), "*")
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            inner = scaled(left, of, factor)
            return inner and _times(inner, factor(right), "/")
        case ast.Call(func=ast.Name(id="float"), args=[same], keywords=[]):
            return scaled(same, of, factor)
    return of(node)


def _times(noise: Noise, by: Node | None, sign: str) -> Noise | None:
    """Noise times a factor, or divided by one; None where that cannot be written twice."""
    if by is None:
        return None
    centre = noise.centre and call(sign, noise.centre, by)
    return noise._replace(scale=call(sign, noise.scale, _magnitude(by)), centre=centre)


def _magnitude(node: Node) -> Node:
    match node:
        case surface.Number():
            return node
        case surface.Call(callee=surface.Name(name="-"), args=(surface.Number() as positive,)):
            return positive
    return call(_MAGNITUDE, node)


def beside(hidden: Node, sign: str, noise: Noise, noise_first: bool, place: Span) -> Node:
    """What stands beside noise that is added to something, or subtracted from it or it from that, at a place."""
    if noise.centre is None:
        return call("-", hidden) if sign == "-" and noise_first else hidden
    sides = (noise.centre, hidden) if sign == "-" and noise_first else (hidden, noise.centre)
    return call(sign, *sides, place=place)


def call(name: str, *args: Node, place: Span | None = None) -> surface.Call:
    """An operation that is not written where it stands in the tree: it lies where all that it is given does."""
    span = place or Span(min(each.start for each in args), max(each.end for each in args))
    return surface.Call(*span, surface.Name(span.start, span.start, name), args)


def whole(at: int, value: int) -> surface.Number:
    """A whole number that is not written."""
    return surface.Number(at, at, Fraction(value), True)
