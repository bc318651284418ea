"""Generators of random numbers that a function is given: ``rng: np.random.Generator``, ``rng=None``,
``random_state=None``.

A draw hides something from whoever does not know what is drawn. A generator that the program makes without a seed
nobody knows (:data:`~dp_lsp.frontends.python.kinds.MAKING_GENERATORS`). That nobody knows one that is given to a
function is a premise beside its bound; and where the program itself calls the function it is looked at: what is handed
to such a parameter is a generator that was made without a seed, None, or another such parameter, as in the tree it is a
value that nothing else makes (:func:`handle`). A number is none: NumPy makes a generator of it that everybody knows.

Several draws of one generator are independent, whoever makes them, so it may be handed on and shared. It is used for
draws and handed on to functions of the program, and for nothing else: who has it when the function is done could run it
backwards, and know what was drawn.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable

from dp_lsp import surface
from dp_lsp.core.types import HANDLE
from dp_lsp.frontends.python.kinds import GIVEN, MAKING_GENERATORS, SAMPLERS, Kind, Kinds
from dp_lsp.frontends.python.names import GENERATORS, dotted
from dp_lsp.frontends.python.tree import below, copied, walk
from dp_lsp.text import Span

_TYPES = frozenset({GIVEN, "numpy.random.Generator", "np.random.RandomState", "numpy.random.RandomState"})
_NAMES = GENERATORS | {"random_state"}
"""What parameters are called that are given a generator, where nothing else tells it."""
_DRAWING = frozenset(name.rpartition(".")[2] for name in SAMPLERS if name.startswith("np.random."))


def handle(span: Span) -> surface.Tuple:
    """What stands in the tree for a generator that is handed to a function, and nobody knows."""
    return surface.Tuple(*span, (surface.Boolean(*span, True),), HANDLE.names)


def is_given(said: ast.expr | None) -> bool:
    """Whether an annotation says that a parameter is given a generator, or perhaps none."""
    match said:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_or_none(left, right) or _is_or_none(right, left)
        case ast.Subscript(value=value, slice=inner) if (found := dotted(value)) is not None:
            return found[1] in ("Optional", "typing.Optional") and is_given(inner)
        case ast.Name() | ast.Attribute():
            found = dotted(said)
            return found is not None and found[1] in _TYPES
    return False


def _is_or_none(one: ast.expr, other: ast.expr) -> bool:
    return is_given(one) and isinstance(other, ast.Constant) and other.value is None


def with_generators(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with ``rng: np.random.Generator`` for each parameter that is used as a generator, and with one way
    to make one where none is given: ``generator = np.random.default_rng(rng)``, which nobody knows as far as that is
    so of what is given."""
    params = [*node.args.args, *node.args.kwonlyargs]
    candidates = [each for each in params if each.annotation is None or is_given(each.annotation)]
    if not candidates:
        return node
    local = {each.arg for each in below(node, ast.arg)}
    called = Kinds({}, local.__contains__).called
    found = {each.arg for each in candidates if is_given(each.annotation) or _is_used_so(node, each.arg, called)}
    if not found:
        return node
    made = copied(node)
    for each in (*made.args.args, *made.args.kwonlyargs):
        if each.arg in found and each.annotation is None:
            each.annotation = ast.copy_location(_type(), each)
            for part in ast.walk(each.annotation):
                ast.copy_location(part, each)
    made.body = [_plainly(each, found, called) for each in made.body]
    return made


def _type() -> ast.expr:
    return ast.Attribute(ast.Attribute(ast.Name("np", ast.Load()), "random", ast.Load()), "Generator", ast.Load())


def _is_used_so(node: ast.FunctionDef, name: str, called: Callable[[ast.expr], str]) -> bool:
    """Whether a parameter is drawn from, or a generator is made of it; or it is called as one, and handed on."""
    handed = 0
    for item in walk(node):
        match item:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=attr)) if of == name and attr in _DRAWING:
                return True
            case ast.stmt() if _plainly(item, {name}, called) is not item:
                return True
            case ast.Call(func=func, args=[ast.Name(id=of)], keywords=[]) if of == name and _makes(func, called):
                return True
            case ast.Call(args=args, keywords=keywords):
                given = (*args, *(each.value for each in keywords))
                handed += sum(isinstance(each, ast.Name) and each.id == name for each in given)
    reads = sum(each.id == name for each in below(node, ast.Name))
    return name in _NAMES and 0 < reads == handed


def _makes(func: ast.expr, called: Callable[[ast.expr], str]) -> bool:
    return called(func) in MAKING_GENERATORS


def _plainly(node: ast.stmt, names: set[str], called: Callable[[ast.expr], str]) -> ast.stmt:
    """A statement that makes a generator of what is given, ``generator = np.random.default_rng(rng)``, in place of one
    that does the same. Where both have one name, what is made needs none: they are drawn from alike."""
    match node:
        case ast.If(test=test, body=[ast.Assign(targets=[ast.Name(id=name) as kept], value=value)], orelse=[]) if (
            name in names and _asks(test, name, ast.Is) and _is_made(value, "", called)
        ):
            of = name
        case ast.Assign(targets=[ast.Name() as kept], value=value) if found := [
            each for each in names if _is_made(value, each, called)
        ]:
            of = found[0]
        case _:
            return node
    target = ast.Name(f"<{of}>" if kept.id == of else kept.id, ast.Store())
    made = ast.Call(_maker(value, called), [ast.copy_location(ast.Name(of, ast.Load()), value)], [])
    return ast.copy_location(ast.Assign([ast.copy_location(target, kept)], ast.copy_location(made, value)), node)


def _is_made(node: ast.expr, name: str, called: Callable[[ast.expr], str]) -> bool:
    """Whether an expression is a new generator without a seed, where a name is not given; else what that is, or a
    generator that is made of it where it is none."""
    match node:
        case ast.Call(func=func, args=[], keywords=[]):
            return not name and _makes(func, called)
        case ast.Call(func=func, args=[ast.Name(id=of)], keywords=[]):
            return of == name and _makes(func, called)
        case ast.BoolOp(op=ast.Or(), values=[ast.Name(id=of), other]):
            return of == name and _is_made(other, "", called)
        case ast.IfExp(test=test, body=body, orelse=ast.Name(id=of)) if of == name and _asks(test, name, ast.Is):
            return _is_made(body, "", called)
        case ast.IfExp(test=test, body=ast.Name(id=of), orelse=orelse) if of == name and _asks(test, name, ast.IsNot):
            return _is_made(orelse, "", called)
    return False


def _maker(node: ast.expr, called: Callable[[ast.expr], str]) -> ast.expr:
    """The function by which an expression makes a generator."""
    return next(each.func for each in ast.walk(node) if isinstance(each, ast.Call) and _makes(each.func, called))


def _asks(node: ast.expr, name: str, op: type[ast.cmpop]) -> bool:
    """Whether a condition is ``name is None``, or ``name is not None``."""
    match node:
        case ast.Compare(left=ast.Name(id=of), ops=[found], comparators=[ast.Constant(value=None)]):
            return of == name and isinstance(found, op)
    return False


def generators(node: ast.FunctionDef, kinds: Kinds) -> set[str]:
    """The names of generators that a function makes, each once, and uses for draws and as arguments alone."""
    names = below(node, ast.Name)
    used = Counter(_uses(node, kinds))
    found = set()
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)) if kinds.called(
                func
            ) in MAKING_GENERATORS and kinds.of_name(name) in (Kind.GENERATOR, Kind.GIVEN):
                if sum(item.id == name for item in names) == used[name] + 1:
                    found.add(name)
    return found


def _uses(node: ast.FunctionDef, kinds: Kinds) -> Iterable[str]:
    """The names that stand before a draw, or are arguments."""
    for item in below(node, ast.Call):
        if isinstance(item.func, ast.Attribute) and isinstance(item.func.value, ast.Name) and kinds.drawn(item):
            yield item.func.value.id
        yield from (each.id for each in item.args if isinstance(each, ast.Name))
        yield from (each.value.id for each in item.keywords if isinstance(each.value, ast.Name))
