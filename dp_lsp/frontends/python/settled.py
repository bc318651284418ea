"""Names that a function gives a value once: what each stands for, wherever it is read behind that.

``norm = np.linalg.norm(g)``, and then ``g / max(1, norm / c)``: that is seen to scale g down by its own norm, as g is
still the same there. So every name in a value gets its own only value before, or is a parameter that gets no other; and
a name is read behind the statement that gives it the value, among the statements of which that is one.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from dp_lsp.frontends.python.filled import changed
from dp_lsp.frontends.python.inner import bound_below
from dp_lsp.frontends.python.tree import below, walk

_PLAIN = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Call, ast.Subscript, ast.Slice, ast.Tuple),
    *(ast.keyword, ast.operator, ast.unaryop, ast.Load),
)


def settled(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """The names of a function whose only value is known, and that value."""
    writes = Counter(bound_below(node))
    params = Counter(item.arg for item in below(node, ast.arg))
    own = {each.arg for each in (*node.args.args, *node.args.kwonlyargs)}
    altered = changed(node)
    known: set[str] = {name for name in own if not writes[name] and params[name] == 1} - altered
    found: dict[str, ast.expr] = {}
    for name, value, behind in _assigned(node.body):
        if writes[name] != 1 or params[name] or name in altered:
            continue
        mentions = set() if value is None else {item.id for item in below(value, ast.Name)}
        local = {each for each in mentions if writes[each] or params[each]}
        if value is not None and _is_plain(value) and local <= known and _reads(node, name) == _reads_in(behind, name):
            found[name] = value
        known.add(name)
    return found


def _is_plain(value: ast.expr) -> bool:
    return all(isinstance(item, _PLAIN) for item in walk(value))


def _assigned(statements: list[ast.stmt]) -> Iterator[tuple[str, ast.expr | None, list[ast.stmt]]]:
    """The names that statements give values, in the order in which they stand, and the statements behind each; no value
    where a name gets a part of one."""
    for index, statement in enumerate(statements):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value, statements[index + 1 :]
            case ast.Assign(targets=[ast.Tuple(elts=targets)]):
                yield from ((each.id, None, []) for each in targets if isinstance(each, ast.Name))
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                continue
        for block in (getattr(statement, "body", None), getattr(statement, "orelse", None)):
            if isinstance(block, list):
                yield from _assigned(block)


def _reads(node: ast.AST, name: str) -> int:
    return sum(isinstance(item, ast.Name) and item.id == name for item in walk(node)) - 1


def _reads_in(statements: list[ast.stmt], name: str) -> int:
    return sum(isinstance(item, ast.Name) and item.id == name for each in statements for item in walk(each))


def returned_as_one(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of which ``if c: return x`` and a ``return y`` behind it, or in its ``else``, are one."""
    match statements:
        case [*before, ast.If(body=[ast.Return() as first], orelse=[ast.Return() as second]) as either]:
            pass
        case [*before, ast.If(body=[ast.Return() as first], orelse=[]) as either, ast.Return() as second]:
            pass
        case _:
            return statements
    if first.value is None or second.value is None:
        return statements
    chosen = ast.copy_location(ast.IfExp(either.test, first.value, second.value), first.value)
    return [*before, ast.copy_location(ast.Return(chosen), either)]
