"""Numbers of records by a key that everybody knows, asked of what counts all keys that occur:
``Counter(votes)["tea"]``, and a dictionary that a loop over the records fills, ``counts[x] = counts.get(x, 0) + 1``.

Whoever asks for one key is told how often it occurs, 0 if it does not: that is ``votes.count("tea")``. Whoever asks
which keys there are is told who is there, so a count stands for its records only where nobody does. Source: the manual
of Python (``collections.Counter``, ``dict.get``; ``defaultdict`` makes the value of a key that is asked for).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator

from dp_lsp.frontends.python.tree import below, children, copied, walk
from dp_lsp.named import NamedTuple

Called = Callable[[ast.expr], str]
_COUNTER, _DEFAULT = "Counter", "defaultdict"
"""Names that nothing else may have."""


class _Keyed(NamedTuple):
    """What counts the records of a list by what they are: the statements that make it, and whether a key that does not
    occur has the count 0 where it is asked for by an index."""

    records: str
    made_by: tuple[ast.stmt, ...]
    has_all: bool


def with_counts(node: ast.FunctionDef, called: Called) -> ast.FunctionDef:
    """The function with the counts of single keys asked of the records themselves."""
    found = {name: keyed for name, keyed in _counted(node, called) if _is_asked_for_keys(node, name, keyed)}
    if not found:
        return node
    left_out = {id(each) for keyed in found.values() for each in keyed.made_by}
    made = copied(node)
    made.body = [copied(each) for each in node.body if id(each) not in left_out]
    return _OfRecords(found).visit(made)  # type: ignore[no-any-return]


def _counted(node: ast.FunctionDef, called: Called) -> Iterator[tuple[str, _Keyed]]:
    """The names of what counts the records of a parameter that is given no other value."""
    stored = Counter(item.id for item in below(node, ast.Name) if not isinstance(item.ctx, ast.Load))
    params = [each.arg for each in below(node, ast.arg)]
    given = {each.arg for each in node.args.args if not stored[each.arg] and params.count(each.arg) == 1}
    for index, statement in enumerate(node.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if stored[name] == 1 and name not in params:
                pass
            case _:
                continue
        match value:
            case ast.Call(func=func, args=[ast.Name(id=of)], keywords=[]) if called(func) == _COUNTER and of in given:
                yield name, _Keyed(of, (statement,), True)
            case _ if (has_all := _begins(value, called)) is not None and index + 1 < len(node.body):
                loop = node.body[index + 1]
                of = _filled(loop, name, has_all)
                if of in given and isinstance(loop, ast.For) and _is_only_in(node, loop):
                    yield name, _Keyed(of, (statement, loop), has_all)


def _begins(value: ast.expr, called: Called) -> bool | None:
    """Whether what begins without a key has a 0 for each that is asked for; None for what is no such thing."""
    match value:
        case ast.Dict(keys=[]):
            return False
        case ast.Call(func=func, args=[], keywords=[]) if called(func) == "dict":
            return False
        case ast.Call(func=func, args=[], keywords=[]) if called(func) == _COUNTER:
            return True
        case ast.Call(func=func, args=[ast.Name(id="int") as zero], keywords=[]) if called(func) == _DEFAULT:
            return True if called(zero) == "int" else None
    return None


def _filled(statement: ast.stmt, name: str, has_all: bool) -> str:
    """What a loop goes over that does nothing but count each of it under a name; empty for any other statement."""
    match statement:
        case ast.For(target=ast.Name(id=key), iter=ast.Name(id=of), body=[body], orelse=[]) if key != name:
            entry = f"{name}[{key}]"
            once = f"{entry} += 1"
            grown = {f"{entry} = {name}.get({key}, 0) + 1", *([once, f"{entry} = {entry} + 1"] if has_all else [])}
            by_hand = (
                f"if {key} in {name}:\n    {once}\nelse:\n    {entry} = 1",
                f"if {key} not in {name}:\n    {entry} = 1\nelse:\n    {once}",
            )
            return of if ast.unparse(body) in (*grown, *by_hand) else ""
    return ""


def _is_only_in(node: ast.FunctionDef, loop: ast.For) -> bool:
    """Whether the variable of a loop is read in it alone."""
    inside = {id(each) for each in walk(loop)}
    names = (
        {each.id for each in below(loop.target, ast.Name)}
        if not isinstance(loop.target, ast.Name)
        else {loop.target.id}
    )
    return all(id(each) in inside for each in below(node, ast.Name) if each.id in names)


def _is_asked_for_keys(node: ast.FunctionDef, name: str, keyed: _Keyed) -> bool:
    """Whether all that is asked of counts is how often a key occurs, behind the statements that make them."""
    above = {id(child): item for item in walk(node) for child in children(item)}
    last = node.body.index(keyed.made_by[-1])
    behind = {id(item) for statement in node.body[last + 1 :] for item in walk(statement)}
    own = {id(item) for statement in keyed.made_by for item in walk(statement)}
    reads = [each for each in below(node, ast.Name) if each.id == name and id(each) not in own]
    return bool(reads) and all(
        id(each) in behind and _key_asked_for(above[id(each)], above, keyed.has_all) is not None for each in reads
    )


def _key_asked_for(node: ast.AST, above: dict[int, ast.AST], has_all: bool) -> ast.expr | None:
    """The key of which it is asked how often it occurs, a name or what is written out."""
    match node:
        case ast.Subscript(slice=key, ctx=ast.Load()) if has_all:
            pass
        case ast.Attribute(attr="get"):
            match above.get(id(node)):
                case ast.Call(func=func, args=[key, ast.Constant(value=0)], keywords=[]) if func is node:
                    pass
                case _:
                    return None
        case _:
            return None
    return key if isinstance(key, ast.Name | ast.Constant) else None


class _OfRecords(ast.NodeTransformer):
    """How often a key occurs, asked of the records."""

    def __init__(self, found: dict[str, _Keyed]) -> None:
        self._found = found

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(value=ast.Name(id=name) as of, slice=key) if name in self._found:
                return self._count(node, of, key)
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as of, attr="get"), args=[key, _]) if (
                name in self._found
            ):
                return self._count(node, of, key)
        self.generic_visit(node)
        return node

    def _count(self, at: ast.expr, of: ast.Name, key: ast.expr) -> ast.expr:
        records = ast.copy_location(ast.Name(self._found[of.id].records, ast.Load()), of)
        method = ast.copy_location(ast.Attribute(records, "count", ast.Load()), of)
        return ast.copy_location(ast.Call(method, [key], []), at)
