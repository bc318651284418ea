"""Loops over texts that are written out, ``for town in ["Bonn", "Ulm"]``: their bodies, one for each text; and names of
such texts, which stand for nothing but what a loop goes over.

Source: the Python reference, "The for statement". A loop that is left early, or whose variable is read behind it, stays
what it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp.frontends.python.tree import below, copied, walk

_MOST = 40
"""The most texts for which a body is written out."""
_LARGEST = 20_000
"""How many nodes all bodies may have together."""


def with_texts(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with a body for each text in place of its loops over texts."""
    if not any(isinstance(each.value, str) for each in below(node, ast.Constant)) or not any(
        below(node, kind) for kind in (ast.For, ast.Call)
    ):
        return node
    named = dict(_named(node))
    if not named and not any(_texts(each.iter) for each in below(node, ast.For)):
        return node
    made: ast.FunctionDef = _WrittenOut(node, named).visit(copied(node))
    return made


def _texts(node: ast.expr) -> list[ast.expr]:
    """Texts that are written out; none for anything else."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) <= _MOST:
            return (
                items if all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in items) else []
            )
    return []


def _named(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The names of texts that are written out, of which all that is done is to go over them."""
    over = [each.iter for each in below(node, ast.For)] + [each.iter for each in below(node, ast.comprehension)]
    over += [each.args[0] for each in below(node, ast.Call) if _chooses(each)]
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _texts(value):
                uses = [item for item in below(node, ast.Name) if item.id == name]
                gone_over = [each for each in over if isinstance(each, ast.Name) and each.id == name]
                if len(uses) == len(gone_over) + 1 and gone_over and not _is_parameter(node, name):
                    yield name, value


def _chooses(node: ast.Call) -> bool:
    """Whether a call chooses one of some values at random, which is refused for what it is."""
    return bool(node.args) and isinstance(node.func, ast.Attribute) and node.func.attr == "choice"


def _is_parameter(node: ast.AST, name: str) -> bool:
    return any(each.arg == name for each in below(node, ast.arg))


class _WrittenOut(ast.NodeTransformer):
    def __init__(self, function: ast.FunctionDef, named: dict[str, ast.expr]) -> None:
        self._named = named
        self._function = function

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self._named:
                return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _chooses(node):
            node.args[0] = self._meant(node.args[0])
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._meant(node.iter)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        node.iter = self._meant(node.iter)
        self.generic_visit(node)
        texts = _texts(node.iter)
        match node:
            case ast.For(target=ast.Name(id=name), orelse=[]) if texts and self._is_plain(node, name, len(texts)):
                own = [each for each in _own(node) if not self._is_used_elsewhere(each, node)]
                return [line for each in texts for line in self._body(node, name, each, own)]
        return node

    def _body(self, loop: ast.For, name: str, text: ast.expr, own: list[str]) -> list[ast.stmt]:
        """The body for one text, in which names that it has to itself are others than in the body for the next."""
        named = {each: f"{each} of {ast.unparse(text)}" for each in own}
        return [_Replaced(name, text, named).visit(copied(line)) for line in loop.body]

    def _is_used_elsewhere(self, name: str, loop: ast.For) -> bool:
        inside = sum(item.id == name for line in loop.body for item in below(line, ast.Name))
        everywhere = sum(item.id == name for item in below(self._function, ast.Name))
        return inside != everywhere or _is_parameter(self._function, name)

    def _meant(self, over: ast.expr) -> ast.expr:
        if not isinstance(over, ast.Name) or over.id not in self._named:
            return over
        made = copied(self._named[over.id])
        for each in ast.walk(made):
            ast.copy_location(each, over)
        return made

    def _is_plain(self, loop: ast.For, name: str, count: int) -> bool:
        """Whether a loop does the same as its body for each text: it is not left, and its variable is read in it alone,
        or in another loop that gives it its value."""
        inside = [item for each in loop.body for item in walk(each)]
        if len(inside) * count > _LARGEST or any(isinstance(item, _LEAVING) for item in inside):
            return False
        loops = [each for each in below(self._function, ast.For) if _is_variable(each, name)]
        within = {id(item) for each in loops for part in (each.target, *each.body) for item in walk(part)}
        stored = [
            item for each in loops for part in each.body for item in below(part, ast.Name) if _is_stored(item, name)
        ]
        uses = [item for item in below(self._function, ast.Name) if item.id == name]
        return not stored and not _is_parameter(self._function, name) and all(id(item) in within for item in uses)


_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.FunctionDef, ast.Lambda, ast.Global, ast.Nonlocal)
"""What leaves a loop, or may read its variable later than it stands there."""


def _own(loop: ast.For) -> Iterator[str]:
    """The names that a body gives a value anew each time, before it reads them."""
    seen: set[str] = set()
    for line in loop.body:
        names = [item.id for item in below(line, ast.Name)]
        match line:
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in seen and names.count(name) == 1:
                yield name
        seen.update(names)


def _is_variable(loop: ast.For, name: str) -> bool:
    return isinstance(loop.target, ast.Name) and loop.target.id == name


def _is_stored(node: ast.Name, name: str) -> bool:
    return node.id == name and not isinstance(node.ctx, ast.Load)


class _Replaced(ast.NodeTransformer):
    """A statement with a constant in place of a name, and other names for some."""

    def __init__(self, name: str, value: ast.expr, named: dict[str, str]) -> None:
        self._name = name
        self._value = value
        self._named = named

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name is given
        if node.id == self._name:
            return ast.copy_location(copied(self._value), node)
        return ast.copy_location(ast.Name(self._named.get(node.id, node.id), node.ctx), node)
