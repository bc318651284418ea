"""Loops that look for the largest or the smallest value: ``most = ages[0]`` and then, in a loop over them, ``if age >
most: most = age``; or ``most = max(most, age)``.

Whatever else the loop does, behind it the name stands for the larger one of what it began with and of the largest of
all. Where it begins with one of them, or with an infinite number, it is the largest of all; without any value neither
has a result. Source: the manual of Python (``max``, ``min``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from dp_lsp.frontends.python.tree import below, copied
from dp_lsp.named import NamedTuple

Called = Callable[[ast.expr], str]
_LARGER, _SMALLER = "max", "min"
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise, ast.Try, ast.Lambda, ast.FunctionDef, ast.Yield, ast.Await)
"""What leaves a round before its end, or may read a name at another time."""
_FUNCTIONS = {ast.Gt: _LARGER, ast.GtE: _LARGER, ast.Lt: _SMALLER, ast.LtE: _SMALLER}
_OTHER = {_LARGER: _SMALLER, _SMALLER: _LARGER}


class _Rounds(NamedTuple):
    """Where what a loop goes over is read, how a round writes the value it has reached, and whether the first one is
    left out."""

    read: ast.Name
    value: str
    from_second: bool = False

    @property
    def over(self) -> str:
        return self.read.id


class _Extreme(NamedTuple):
    """The statement of a round that keeps the larger or the smaller value, and under which name."""

    statement: ast.stmt
    name: str
    function: str


def with_extremes(node: ast.FunctionDef, called: Called) -> ast.FunctionDef:
    """The function with the largest and the smallest of values in place of loops that look for them."""
    if not any(_extremes(loop, called) for loop in below(node, ast.For)):
        return node
    made = copied(node)
    uses = [item.id for item in ast.walk(made) if isinstance(item, ast.Name)]
    for each in [item for item in ast.walk(made) if isinstance(getattr(item, "body", None), list)]:
        assert isinstance(each, ast.FunctionDef | ast.stmt), "a block of statements"
        for field in ("body", "orelse"):
            block = getattr(each, field, None)
            if isinstance(block, list):
                setattr(each, field, _in_block(block, called, uses))
    return made


def _in_block(block: list[ast.stmt], called: Called, uses: Sequence[str]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in block:
        extremes = _extremes(statement, called) if isinstance(statement, ast.For) else []
        behind: list[ast.stmt] = []
        for rounds, each in extremes:
            assert isinstance(statement, ast.For), "it is a loop"
            place = _start(found, each, rounds)
            if place is None:
                continue
            start, alone = place
            if rounds.from_second and not alone:
                continue
            statement.body.remove(each.statement)
            behind.append(_assigned(each, rounds.read, alone))
            if alone:
                found[start] = ast.copy_location(ast.Pass(), found[start])
        if behind and isinstance(statement, ast.For) and not statement.body:
            names = [item.id for item in ast.walk(statement) if isinstance(item, ast.Name)]
            variables = {item.id for item in ast.walk(statement.target) if isinstance(item, ast.Name)}
            inside = [
                item.id for each in extremes for item in ast.walk(each[1].statement) if isinstance(item, ast.Name)
            ]
            if all(uses.count(each) == names.count(each) + inside.count(each) for each in variables):
                found += behind
                continue
            statement.body.append(ast.copy_location(ast.Pass(), statement))
        found += (statement, *behind)
    return found


def _assigned(extreme: _Extreme, over: ast.Name, alone: bool) -> ast.stmt:
    """What gives the name its value behind the loop."""
    value = ast.Call(ast.Name(extreme.function, ast.Load()), [], [])
    made = ast.Assign([ast.Name(extreme.name, ast.Store())], value)
    if not alone:
        made.value = ast.Call(ast.Name(extreme.function, ast.Load()), [ast.Name(extreme.name, ast.Load()), value], [])
    for item in ast.walk(made):
        ast.copy_location(item, extreme.statement)
    value.args.append(ast.copy_location(ast.Name(over.id, ast.Load()), over))
    return made


def _start(before: list[ast.stmt], extreme: _Extreme, rounds: _Rounds) -> tuple[int, bool] | None:
    """Which of the statements before a loop gives the name its first value, and whether that is one of the values or
    infinite; None where that is not seen."""
    for place in reversed(range(len(before))):
        match before[place]:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == extreme.name:
                return place, _is_one(value, rounds.over) or _is_infinite(value, extreme.function)
        if any(isinstance(item, ast.Name) and item.id == extreme.name for item in ast.walk(before[place])):
            return None
        if any(_may_change(item, rounds.over) for item in ast.walk(before[place])):
            return None
    return None


def _may_change(node: ast.AST, over: str) -> bool:
    """Whether a node gives a name another value, or may change the one that it stands for."""
    match node:
        case ast.Attribute(value=ast.Name(id=name)):
            return name == over
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name == over
    return _is_stored(node, over)


def _is_one(value: ast.expr, over: str) -> bool:
    match value:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=0)):
            return name == over
    return False


def _is_infinite(value: ast.expr, function: str) -> bool:
    """Whether a number is below all others, for the largest, or above them."""
    sign = -1
    match value:
        case ast.UnaryOp(op=ast.USub(), operand=value):
            pass
        case _:
            sign = 1
    match value:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)], keywords=[]):
            sign = -sign if text.strip().startswith("-") else sign
            known = text.strip().lstrip("+-").lower() in ("inf", "infinity")
        case ast.Attribute(value=ast.Name(id="math" | "np"), attr="inf"):
            known = True
        case _:
            known = False
    return known and (sign < 0) == (function == _LARGER)


def _extremes(loop: ast.For, called: Called) -> list[tuple[_Rounds, _Extreme]]:
    """The extremes that a loop looks for, which it does nothing else with."""
    rounds = _rounds(loop, called)
    if rounds is None or loop.orelse or any(isinstance(item, _LEAVING) for item in ast.walk(loop)):
        return []
    if any(_is_stored(item, rounds.over) for line in loop.body for item in ast.walk(line)):
        return []
    found = [each for each in (_extreme(line, rounds, called) for line in loop.body) if each is not None]
    names = [item.id for item in ast.walk(loop) if isinstance(item, ast.Name)]
    own = {
        each.name: sum(isinstance(item, ast.Name) and item.id == each.name for item in ast.walk(each.statement))
        for each in found
    }
    variables = {item.id for item in ast.walk(loop.target) if isinstance(item, ast.Name)}
    if any(_is_stored(item, name) for name in variables for line in loop.body for item in ast.walk(line)):
        return []
    is_read = _only_reads(loop, rounds.over)
    return [(rounds, each) for each in found if is_read and names.count(each.name) == own[each.name]]


def _only_reads(loop: ast.For, over: str) -> bool:
    """Whether a loop reads of what it goes over only values at places, and how many there are."""
    inner = [item for line in loop.body for item in ast.walk(line)]
    read = {id(item.value) for item in inner if isinstance(item, ast.Subscript) and isinstance(item.ctx, ast.Load)}
    return all(id(item) in read for item in inner if isinstance(item, ast.Name) and item.id == over)


def _rounds(loop: ast.For, called: Called) -> _Rounds | None:
    match loop:
        case ast.For(target=ast.Name(id=value), iter=ast.Name() as over):
            return _Rounds(over, value)
        case ast.For(
            target=ast.Name(id=value),
            iter=ast.Subscript(value=ast.Name() as over, slice=ast.Slice(ast.Constant(value=1), None, None)),
        ):
            return _Rounds(over, value, from_second=True)
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(), ast.Name(id=value)]), iter=ast.Call(func, [ast.Name() as over])
        ):
            return _Rounds(over, value) if called(func) == "enumerate" else None
        case ast.For(target=ast.Name(id=place), iter=ast.Call(func, [*first, ast.Call(size, [ast.Name() as over])])):
            begins = [each.value for each in first if isinstance(each, ast.Constant)]
            if (
                called(func) == "range"
                and called(size) == "len"
                and len(begins) == len(first)
                and begins in ([], [0], [1])
            ):
                return _Rounds(over, f"{over.id}[{place}]", from_second=begins == [1])
    return None


def _extreme(line: ast.stmt, rounds: _Rounds, called: Called) -> _Extreme | None:
    match line:
        case ast.If(
            test=ast.Compare(left=left, ops=[op], comparators=[right]),
            body=[ast.Assign(targets=[ast.Name(id=name)], value=value)],
            orelse=[],
        ) if type(op) in _FUNCTIONS and ast.unparse(value) == rounds.value:
            function = _FUNCTIONS[type(op)]
            sides = ast.unparse(left), ast.unparse(right)
            if sides == (rounds.value, name):
                return _Extreme(line, name, function)
            if sides == (name, rounds.value):
                return _Extreme(line, name, _OTHER[function])
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func, [one, other], [])) if called(func) in _OTHER:
            if {ast.unparse(one), ast.unparse(other)} == {name, rounds.value}:
                return _Extreme(line, name, called(func))
    return None


def _is_stored(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
