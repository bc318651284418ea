"""Numbers that are held between bounds: ``np.clip(x, 0, 10)``, ``v.clip(lower=0)``, ``max(0, min(x, 10))``.

A bound that is left out, or None, is none: then a number is held on one side. Sources: the manuals of NumPy (``clip``)
and of pandas (``Series.clip``).
"""

from __future__ import annotations

import ast

from dp_lsp.frontends.python.kinds import Kinds
from dp_lsp.frontends.python.numeric import CLIPS, written
from dp_lsp.frontends.python.refused import Refused

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
