"""Functions of a file that make a mechanism of a library, and do no more: ``def noisy_sum(scale): return space >> …``.

Such a function is read where it is called, with what it is given in place of its parameters. It gives names a value
once each and returns a mechanism, or a part of one, that is made of its parameters, of numbers and of calls of the
library alone. So nothing that it does is left out: its names are all parts of what it returns, and what it is given is
a number or a name, or else a part of that, too, of which it is made sure there that it does nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from dp_lsp.frontends.python.names import WORDS, dotted, names_bound, shortened
from dp_lsp.frontends.python.releasing import HOMES, made_by
from dp_lsp.frontends.python.tree import below, copied, walk
from dp_lsp.named import NamedTuple

_LARGEST = 400
"""How many nodes there are at most in what is made."""
_DEEPEST = 3
"""How many functions call each other at most to make a mechanism."""
_PARTS = (ast.Attribute, ast.Name, ast.Constant, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.Call, ast.Subscript)
"""The expressions that a mechanism is made of."""
_TYPES = frozenset({"float", "int", "bool", "list", "str"})


class Maker(NamedTuple):
    """The parameters of a function, with their defaults, what it makes of them, and the functions that it calls."""

    params: tuple[str, ...]
    defaults: Mapping[str, ast.expr]
    made: ast.expr
    calls: frozenset[str] = frozenset()


def maker(node: ast.stmt) -> Maker | None:
    """What a function makes; None for one that does anything else."""
    match node:
        case ast.FunctionDef(
            args=ast.arguments(posonlyargs=[], vararg=None, kwarg=None) as args,
            body=[*body, ast.Return(value=ast.expr() as value)],
            decorator_list=[],
        ):
            pass
        case _:
            return None
    params = tuple(each.arg for each in (*args.args, *args.kwonlyargs))
    said = [*(each.annotation for each in (*args.args, *args.kwonlyargs)), node.returns]
    if any(not WORDS.keys().isdisjoint(_names(each)) for each in said if each is not None):
        return None
    given = {name: default for name, default in _defaults(args) if isinstance(default, ast.expr)}
    known: dict[str, ast.expr] = {}
    unused = set[str]()
    for statement in body[1:] if body and _is_text(body[0]) else body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=part) if name not in known and name not in params:
                unused -= _names(part)
                known[name] = _with(part, known)
                unused.add(name)
            case _:
                return None
    made = _with(value, known)
    free = _names(made) - {*params}
    plain = all(isinstance(each, _PARTS) for each in walk(made) if isinstance(each, ast.expr))
    constant = all(isinstance(each, ast.Constant) for each in given.values())
    if unused - _names(value) or not plain or not constant or not free <= {*HOMES, *_TYPES}:
        return None
    if len(walk(made)) > _LARGEST or made_by(made, _called) is None:
        return None
    return Maker(params, given, made)


def with_makers(tree: ast.Module, makers: Mapping[str, Maker], is_script: bool = False) -> ast.Module:
    """The tree of a text with mechanisms where its functions, and in a script its statements, call functions that make
    them. Before that their names are read, by which it is seen whether they stand for these functions. The tree itself
    is changed."""
    if makers:
        tree.body = [each for node in tree.body for each in _called_in(node, makers, is_script)]
    return tree


def _called_in(node: ast.stmt, makers: Mapping[str, Maker], is_script: bool) -> list[ast.stmt]:
    if not isinstance(node, ast.FunctionDef) and not is_script:
        return [node]
    calls = _Called(makers)
    made = calls.visit(node)
    reads = [ast.copy_location(ast.Expr(name), name) for name in calls.read.values()]
    if not isinstance(made, ast.FunctionDef):
        return [*reads, made]
    if maker(made) is None:
        begins = 1 if _is_text(made.body[0]) else 0
        made.body[begins:begins] = reads
    return [made]


def makers(functions: Iterable[ast.FunctionDef]) -> dict[str, Maker]:
    """Those of some functions that make a mechanism, also by way of each other."""
    found: dict[str, Maker] = {}
    waiting = [*functions]
    for _ in range(_DEEPEST):
        known = {each.name: _maker(each, found) for each in waiting}
        waiting = [each for each in waiting if known[each.name] is None]
        found |= {name: made for name, made in known.items() if made is not None}
    return found


def _maker(node: ast.FunctionDef, known: Mapping[str, Maker]) -> Maker | None:
    calls = _Called(known)
    made = maker(calls.visit(copied(node)))
    return None if made is None else made._replace(calls=frozenset(calls.read))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _defaults(args: ast.arguments) -> list[tuple[str, ast.expr | None]]:
    names = [each.arg for each in args.args]
    behind = zip(names[len(names) - len(args.defaults) :], args.defaults, strict=True)
    return [*behind, *zip((each.arg for each in args.kwonlyargs), args.kw_defaults, strict=True)]


def _called(node: ast.expr) -> str:
    """The function that is called at top level."""
    found = dotted(node)
    return "" if found is None else shortened(found[1])


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in below(node, ast.Name)}


def _with(node: ast.expr, known: Mapping[str, ast.expr]) -> ast.expr:
    """A copy of an expression with others in place of names."""
    made = _Given(known).visit(copied(node))
    assert isinstance(made, ast.expr), "an expression takes the place of a name"
    return made


class _Given(ast.NodeTransformer):
    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copied(self._known[node.id]) if node.id in self._known else node


class _Called(ast.NodeTransformer):
    def __init__(self, makers: Mapping[str, Maker]) -> None:
        self._makers = makers
        self.read: dict[str, ast.Name] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function may have another meaning for a name."""
        own = names_bound(copied(node))  # which remembers what is below it
        known, self._makers = self._makers, {name: made for name, made in self._makers.items() if name not in own}
        self.generic_visit(node)
        self._makers = known
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node.func:
            case ast.Name(id=name) if name in self._makers:
                made = _made(node, self._makers[name])
                for each in (name, *self._makers[name].calls) if made is not None else ():
                    self.read.setdefault(each, ast.copy_location(ast.Name(each, ast.Load()), node.func))
                return made or node
        return node


def _made(node: ast.Call, of: Maker) -> ast.expr | None:
    """What a call makes; None where it is given anything else than numbers, names and what is made of such."""
    if len(node.args) > len(of.params):
        return None
    given: dict[str, ast.expr] = {**of.defaults, **dict(zip(of.params, node.args, strict=False))}
    by_place = of.params[: len(node.args)]
    for each in node.keywords:
        if each.arg is None or each.arg not in of.params or each.arg in by_place:
            return None
        given[each.arg] = each.value
    if given.keys() != {*of.params}:
        return None
    parts = _names(of.made)
    for name, value in given.items():
        plain = all(isinstance(each, _PARTS) for each in walk(value) if isinstance(each, ast.expr))
        if not plain or (name not in parts and not isinstance(value, ast.Name | ast.Constant)):
            return None
    made = copied(of.made)
    for part in ast.walk(made):
        ast.copy_location(part, node)
    return _with(made, given)
