"""Numbers that are held between bounds: ``np.clip(x, 0, 10)``, ``v.clip(lower=0)``, ``max(0, min(x, 10))``.

A bound that is left out, or None, is none: then a number is held on one side. Sources: the manuals of NumPy (``clip``)
and of pandas (``Series.clip``).
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping

from dp_lsp.frontends.python.kinds import Kinds
from dp_lsp.frontends.python.numeric import CLIPS, written
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.tree import below, copied, walk

_BELOW, _ABOVE = "np.minimum", "np.maximum"
_BY_LARGER, _BY_SMALLER = frozenset({"max", "np.maximum"}), frozenset({"min", "np.minimum"})


def clipped(node: ast.Call, args: list[ast.expr], *orders: tuple[str, ...]) -> tuple[str, list[ast.expr]]:
    """The function that a call of ``clip`` is, and its arguments in order. They are given in one of several
    ``orders``, each with the names that they have."""
    by_name: dict[str | None, ast.expr] = {each.arg: each.value for each in node.keywords}
    for order in orders:
        missing = order[len(args) :]
        if 0 < len(args) <= len(order) and by_name.keys() <= {*missing} and len(by_name) == len(node.keywords):
            given: dict[str | None, ast.expr] = {**dict(zip(order, args, strict=False)), **by_name}
            bounds = [(name, given[name]) for name in order[1:] if name in given and not _is_none(given[name])]
            values = [args[0], *(bound for _, bound in bounds)]
            if len(bounds) == len(order) - 1:
                return CLIPS, values
            if bounds:
                return _ABOVE if bounds[0][0] == order[1] else _BELOW, values
    raise Refused(node, "a call with other arguments than bounds")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def held_between(node: ast.Call, kinds: Kinds) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    """A number and its bounds, where a call holds it between two that are written out and do not cross."""
    name = kinds.called(node.func)
    for outer, inner in ((_BY_LARGER, _BY_SMALLER), (_BY_SMALLER, _BY_LARGER)):
        if name not in outer or len(node.args) != 2 or node.keywords:
            continue
        for one, other in (node.args, node.args[::-1]):
            match other:
                case ast.Call(func=func, args=[a, b], keywords=[]) if kinds.called(func) in inner:
                    value, second = (b, a) if written(a) is not None else (a, b)
                    low, high = (one, second) if outer is _BY_LARGER else (second, one)
                    least, most = written(low), written(high)
                    if least is not None and most is not None and least <= most:
                        return value, low, high
    return None


def with_both_bounds(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with the bound that a parameter is declared to have beside one that it is given by a name, as in
    ``ages.clip(upper=u)``: what is not below it stays what it is, and so both bounds are known."""
    least = dict(_declared(node))
    if not any(_is_held_above(item, least) for item in below(node, ast.Call)):
        return node
    made: ast.FunctionDef = _WithBoth(least).visit(copied(node))
    return made


def _declared(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that are given no other value, and are declared to have a smallest number that is written out."""
    written_to = {item.id for item in below(node, ast.Name) if not isinstance(item.ctx, ast.Load)}
    names = [each.arg for each in below(node, ast.arg)]
    for each in (*node.args.args, *node.args.kwonlyargs):
        match each.annotation:
            case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[_, *words])):
                for word in words:
                    low = _smallest(word)
                    if low is not None and each.arg not in written_to and names.count(each.arg) == 1:
                        yield each.arg, low


def _smallest(word: ast.expr) -> ast.expr | None:
    match word:
        case ast.Call(func=ast.Name(id="Bounded"), args=[low, *_]) if written(low) is not None:
            return low
        case ast.Call(func=ast.Name(id="Bounded"), args=[], keywords=keywords):
            return next(
                (each.value for each in keywords if each.arg == "low" and written(each.value) is not None), None
            )
    return None


def _is_held_above(node: ast.Call, least: Container[str]) -> bool:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=of), attr="clip"),
            args=[],
            keywords=[ast.keyword(arg="upper", value=ast.Name())],
        ):
            return of in least
    return False


class _WithBoth(ast.NodeTransformer):
    def __init__(self, least: Mapping[str, ast.expr]) -> None:
        self._least = least

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if _is_held_above(node, self._least) and isinstance(node.func, ast.Attribute):
            low = copied(self._least[ast.unparse(node.func.value)])
            for item in walk(low):
                ast.copy_location(item, node.keywords[0].value)
            node.keywords.insert(0, ast.keyword("lower", low))
        return node
