"""Values that the body of a file gives names: numbers and tuples of them, which functions read, and all else, of which
nothing is known.

What an annotation says of such a name is nothing to Python, which evaluates it and leaves it at that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp import surface
from dp_lsp.frontends.python.annotations import says_data
from dp_lsp.frontends.python.effects import effects
from dp_lsp.frontends.python.expressions import number
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.tree import Places, below, walk
from dp_lsp.surface import Node

_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_PLAIN = (*(ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.BinOp, ast.BitOr, ast.Load),)
_LARGEST = 10**60
"""A whole number beyond this is left to Python."""


def assignments(node: ast.stmt, places: Places) -> list[Node] | None:
    """What a statement at top level that gives names values comes to; None if it is none, or may do more than that."""
    given = _given(node)
    if given is None:
        return None
    made = []
    for target, value in given:
        number_ = None if value is None else constant(value, places)
        if number_ is None:
            break
        name = surface.Name(*places.span(target), target.id)
        made.append(surface.Assign(*places.span(node), name, number_, constant=True))
    else:
        return [*made]
    does = effects(node)
    is_changed = not does.binds.isdisjoint(_read(node))  # as by `f = cached(f)`
    if does.anything or does.outside or does.stores or is_changed:
        return None
    return [surface.Unfollowed(*places.span(node), _why_not(given), does)]


def _why_not(given: list[tuple[ast.Name, ast.expr | None]]) -> str:
    """Why nothing is known of the values that names are given."""
    match given:
        case [(_, ast.List(elts=[_, *_] as items))] if all(_number(each, Places("")) is not None for each in items):
            return (
                f"a list may be changed by whoever has it; write a tuple: `{ast.unparse(ast.Tuple(items, ast.Load()))}`"
            )
    return "an assignment gives it a value that is not followed"


def mentioned(node: ast.stmt) -> frozenset[str] | None:
    """The names in the values of a statement that gives names nothing but numbers; None of any other."""
    given = _given(node)
    if given is None or any(value is None or constant(value, Places("")) is None for _, value in given):
        return None
    values = [item for _, value in given if value is not None for item in walk(value)]
    return frozenset(item.id for item in values if isinstance(item, ast.Name))


def _given(node: ast.stmt) -> list[tuple[ast.Name, ast.expr | None]] | None:
    """The names that a statement gives values, each with the value, or None where that is not written beside it."""
    match node:
        case ast.AnnAssign(annotation=said) if says_data(said) or not _is_plain(said):
            return None
        case ast.AnnAssign(target=ast.Name(), value=None):
            return []
        case ast.AnnAssign(target=ast.Name() as target, value=value):
            return [(target, value)]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(
            values
        ) and not any(isinstance(each, ast.Starred) for each in (*targets, *values)):
            pairs = [(each, value) for each, value in zip(targets, values, strict=True) if isinstance(each, ast.Name)]
            read = {item.id for value in values for item in below(value, ast.Name)}
            apart = len(pairs) == len(targets) and read.isdisjoint(target.id for target, _ in pairs)
            return [*pairs] if apart else [(target, None) for target in _names(node)]
        case ast.Assign(targets=[ast.Name() as target], value=value):
            return [(target, value)]
        case ast.Assign(targets=targets, value=value) if all(isinstance(each, ast.Name) for each in targets):
            return [(target, value) for target in targets if isinstance(target, ast.Name)]
        case ast.Assign():
            return [(target, None) for target in _names(node)] or None
    return None


def _read(node: ast.AST) -> set[str]:
    return {item.id for item in below(node, ast.Name) if isinstance(item.ctx, ast.Load)}


def _names(node: ast.Assign) -> Iterator[ast.Name]:
    for target in node.targets:
        for item in walk(target):
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                yield item


def _is_plain(annotation: ast.expr) -> bool:
    """Whether evaluating an annotation does nothing."""
    return all(isinstance(item, _PLAIN) for item in walk(annotation))


def constant(node: ast.expr, places: Places) -> Node | None:
    """A truth value that is written out, a number that is made of numbers and names, or a tuple of numbers that are
    written out, which nobody can change; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return surface.Boolean(*places.span(node), node.value)
    if isinstance(node, ast.Tuple):
        named = any(isinstance(item, ast.Name) for each in node.elts for item in ast.walk(each))
        known = [made for each in node.elts if (made := _number(each, places)) is not None]
        is_known = known and len(known) == len(node.elts) and not named
        return surface.Vector(*places.span(node), tuple(known)) if is_known else None
    return None if isinstance(node, ast.Name) else _number(node, places)


def _number(node: ast.expr, places: Places) -> Node | None:
    span = places.span(node)
    match node:
        case ast.Constant(value=bool()):
            return None  # a truth value is a number only where it is calculated with
        case ast.Constant(value=int() | float()):
            try:
                return number(node, span)
            except Refused:
                return None
        case ast.Name(id=name):
            return surface.Name(*span, name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _number(operand, places)
            return None if inner is None else surface.Call(*span, surface.Name(span.start, span.start, "-"), (inner,))
        case ast.BinOp(op=ast.Pow(), left=ast.Constant(value=int() as base), right=ast.Constant(value=int() as power)):
            small = 0 <= power <= 200 and abs(base) <= _LARGEST and abs(base**power) <= _LARGEST
            return number(ast.Constant(base**power), span) if small else None
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
            found = _number(left, places), _number(right, places)
            sign = surface.Name(span.start, span.start, _OPERATORS[type(op)])
            return None if found[0] is None or found[1] is None else surface.Call(*span, sign, (found[0], found[1]))
    return None
