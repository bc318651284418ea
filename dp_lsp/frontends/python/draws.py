"""Noise as people draw it: a number that is added to another one, and used nowhere else.

The sum of a number and a draw hides that number if nobody sees the draw again: so a draw that has a name is taken for
noise where its one use is one addition, in the statements among which it was made. Any other draw is a number that
everybody may know. That is always sound: what is not hidden moves as it did.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from dp_lsp.frontends.python.kinds import GENERATING, Kind, Kinds

_ARGUMENTS = ("loc", "scale")


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


def draw_of(node: ast.expr, kinds: Kinds) -> Draw | None:
    """The draw of one number that an expression is; None for any other."""
    name = kinds.drawn(node)
    if not name or not isinstance(node, ast.Call) or len(node.args) > len(_ARGUMENTS):
        return None
    given: dict[str, ast.expr] = dict(zip(_ARGUMENTS, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in _ARGUMENTS or keyword.arg in given:
            return None
        given[keyword.arg] = keyword.value
    if any(isinstance(each, ast.Starred) for each in given.values()):
        return None
    return Draw(node, name, given.get("loc"), given.get("scale"))


def draws_of(node: ast.expr, kinds: Kinds) -> Draw | None:
    """The draw of several numbers around 0 that an expression is, so many as it says by name; None for any other."""
    if not isinstance(node, ast.Call) or not kinds.drawn(node):
        return None
    size = next((each.value for each in node.keywords if each.arg == "size"), None)
    kept = [each for each in node.keywords if each.arg != "size"]
    one = draw_of(ast.copy_location(ast.Call(node.func, node.args, kept), node), kinds)
    if size is None or one is None or not one.is_centred or len(kept) + 1 < len(node.keywords):
        return None
    return one._replace(size=size)


def named_draws(node: ast.FunctionDef, kinds: Kinds) -> dict[str, Draw]:
    """The draws of a function that have a name and are added once, by that name."""
    names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
    reads = Counter(item.id for item in names if isinstance(item.ctx, ast.Load))
    writes = Counter(item.id for item in names if not isinstance(item.ctx, ast.Load))
    params = {item.arg for item in ast.walk(node) if isinstance(item, ast.arg)}
    found: dict[str, Draw] = {}
    for statements in _blocks(node):
        for index, statement in enumerate(statements):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    draw = draw_of(value, kinds)
                    once = reads[name] == writes[name] == 1 and name not in params
                    if draw is not None and draw.is_centred and once and _is_added(name, statements[index + 1 :]):
                        found[name] = draw
    return found


def scales(node: ast.FunctionDef, kinds: Kinds) -> set[str]:
    """The names that say how much noise there is, or how often something is done, in a function that draws some; none
    in one that draws none."""
    draws = [draw_of(item, kinds) for item in ast.walk(node) if isinstance(item, ast.Call)]
    said: list[ast.AST] = [draw.scale for draw in draws if draw is not None and draw.scale is not None]
    if not any(draws):
        return set()
    for item in ast.walk(node):
        if isinstance(item, ast.Call) and kinds.called(item.func) == "range":
            said += item.args
    found: set[str] = set()
    while said:
        new = {item.id for each in said for item in ast.walk(each) if isinstance(item, ast.Name)} - found
        found |= new
        assigned = (item for item in ast.walk(node) if isinstance(item, ast.Assign))
        said = [each.value for each in assigned if any(_gives(target, new) for target in each.targets)]
    return found


def _gives(target: ast.expr, names: set[str]) -> bool:
    return any(isinstance(item, ast.Name) and item.id in names for item in ast.walk(target))


def _blocks(node: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """All lists of statements that run one after the other."""
    for item in ast.walk(node):
        for statements in (getattr(item, "body", None), getattr(item, "orelse", None)):
            if isinstance(statements, list):
                yield statements


def _is_added(name: str, statements: list[ast.stmt]) -> bool:
    """Whether one of these statements adds what has a name to something, once each time that it runs."""
    for statement in statements:
        match statement:
            case ast.Assign() | ast.AnnAssign() | ast.Return() | ast.Expr():
                pending: list[ast.AST] = [statement]
            case ast.AugAssign(op=ast.Add() | ast.Sub(), value=ast.Name(id=added)) if added == name:
                return True
            case ast.AugAssign(value=value):
                pending = [value]
            case _:
                continue
        while pending:
            item = pending.pop()
            match item:
                case ast.BinOp(op=ast.Add(), left=ast.Name(id=added)) if added == name:
                    return True
                case ast.BinOp(op=ast.Add() | ast.Sub(), right=ast.Name(id=added)) if added == name:
                    return True
                case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    continue
            pending += ast.iter_child_nodes(item)
    return False


def generators(node: ast.FunctionDef, kinds: Kinds) -> set[str]:
    """The names of generators, each made once, and used for nothing but draws."""
    names = [item for item in ast.walk(node) if isinstance(item, ast.Name)]
    used = Counter(
        item.func.value.id
        for item in ast.walk(node)
        if isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute) and isinstance(item.func.value, ast.Name)
        if kinds.drawn(item)
    )
    found = set()
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func)) if (
                kinds.called(func) == GENERATING and kinds.of_name(name) is Kind.GENERATOR
            ):
                if sum(item.id == name for item in names) == used[name] + 1:
                    found.add(name)
    return found
