"""Lists of numbers that a function is given, and makes an array of before it does anything else with them:
``np.array(ages)``, ``np.clip(ages, 0, 99)``. Such a list is taken for the array.

A list and an array of the same numbers differ in what operators do to them, and nobody applies one to the list.
Sources: the manual of NumPy (``array``, ``asarray``: of a list either makes a new array; "Universal functions": what is
``array_like`` is made an array first).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from dp_lsp.frontends.python.kinds import MAKING, Kind, Of
from dp_lsp.frontends.python.tree import below, children, walk

_COUNTING = frozenset({"len", "sum", "np.sum", "np.mean", "np.median", "np.min", "np.max"})
"""Functions that make the same of a list and of an array."""
_MAKING = MAKING | {"np.clip", "np.minimum", "np.maximum", "np.abs"}
"""Functions that make an array of what they are given, and go on with that."""


def used_as_arrays(node: ast.FunctionDef, params: Mapping[str, Of], called: Callable[[ast.expr], str]) -> set[str]:
    """Those of the lists among parameters of which an array is made, and which are read in no way that tells lists from
    arrays."""
    wanted = {name for name, kind in params.items() if kind is Kind.LIST}
    if not wanted or not any(called(each.func) in _MAKING for each in below(node, ast.Call)):
        return set()
    above = {id(child): item for item in walk(node) for child in children(item)}
    made, other = set[str](), {each.arg for each in below(node, ast.arg) if each not in node.args.args}
    later = {id(item) for name in wanted for item in _behind(node, name, called)}
    for item in below(node, ast.Name):
        if id(item) in later:
            continue
        call = above[id(item)]
        name = called(call.func) if isinstance(call, ast.Call) and item in call.args[:1] else ""
        if name in _MAKING:
            made.add(item.id)
        elif name not in _COUNTING and not (isinstance(call, ast.comprehension) and call.iter is item):
            other.add(item.id)
    return (made & wanted) - other


def _behind(node: ast.FunctionDef, name: str, called: Callable[[ast.expr], str]) -> list[ast.Name]:
    """Where a name stands that is given the array of its own list, ``ages = np.array(ages)``, and behind that."""
    for index, statement in enumerate(node.body):
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=to) as target], value=ast.Call(func=func, args=[ast.Name(id=of), *_])
            ) if to == of == name and called(func) in MAKING:
                inside = (item for each in node.body[index + 1 :] for item in below(each, ast.Name))
                return [target, *(item for item in inside if item.id == name)]
    return []
