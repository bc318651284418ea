"""Arrays with one record in each row, and what is made of them: how an expression goes over rows is told by its form.

``X.sum(axis=0)`` adds up the rows, ``X[:, 2]`` and ``X @ w`` have an entry for each. A row may be a part of a record:
of parameters that are declared to hold parts of the same records (``AddRemove("people")`` on both) the calculus knows
one matrix, so a row of one and its entry in another are never told apart.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from dp_lsp.frontends.python.tables import Column, Limit

RECORDS = ", "
"""What stands between the names of parameters that hold parts of the same records."""


@dataclass(frozen=True, slots=True)
class Rows:
    """An array with one record in each row, or a part of one: of the records ``of`` some parameters, from the place
    ``first`` on. ``width`` is how many numbers each row has, None if that is not written out; these lie between
    ``bounds``, and each row measures ``most`` in L2, if that is declared."""

    of: str = ""
    first: int = 1
    width: int | None = None
    bounds: tuple[Limit, Limit] | None = None
    most: Limit | None = None

    def made(self, width: int | None = None) -> Rows:
        """Rows that are made of these, one of each."""
        return Rows(width=width if width is not None else self.width)


@dataclass(frozen=True, slots=True)
class Beside:
    """Numbers that stand beside others in the same records: the records ``of`` some parameters, and their place. They
    are in an array, or ``listed``: a list, which may hold texts."""

    of: str
    column: Column
    listed: bool = False

    def table(self, at: ast.expr) -> ast.Name:
        """What stands for the records."""
        return ast.copy_location(ast.Name(self.of, ast.Load()), at)


Called = Callable[[ast.expr], str]
"""Tells the function of a module that is called."""
_FUNCTIONS = {"np.sum": "sum", "np.mean": "mean"}


def along(node: ast.expr, called: Called) -> tuple[ast.expr, str, int] | None:
    """What ``X.sum(axis=0)`` or ``np.mean(X, axis=1)`` goes over, what it makes, and along which axis."""
    match node:
        case (
            ast.Call(func=func, args=[of], keywords=[ast.keyword(arg="axis", value=axis)])
            | ast.Call(func=func, args=[of, axis], keywords=[])
        ) if called(func) in _FUNCTIONS:
            made = _FUNCTIONS[called(func)]
        case (
            ast.Call(
                func=ast.Attribute(value=of, attr="sum" | "mean" as made), args=[], keywords=[ast.keyword("axis", axis)]
            )
            | ast.Call(func=ast.Attribute(value=of, attr="sum" | "mean" as made), args=[axis], keywords=[])
        ) if not called(node.func):
            pass
        case _:
            return None
    match axis:
        case ast.Constant(value=int() as number) if not isinstance(number, bool) and number in (0, 1):
            return of, made, number
    return None


def norm_of(node: ast.expr, called: Called) -> tuple[ast.expr, bool, bool] | None:
    """Of what ``np.linalg.norm`` is asked in L2, whether of each row, and whether these numbers stand in a column."""
    match node:
        case ast.Call(func=func, args=[of, *others], keywords=keywords) if called(func) == "np.linalg.norm":
            given = {each.arg: each.value for each in keywords}
            order = others[0] if others else given.pop("ord", None)
            by_row, upright = given.pop("axis", None), given.pop("keepdims", None)
            known = order is None or (isinstance(order, ast.Constant) and order.value in (2, None))
            if given or len(others) > 1 or not known:
                return None
            match by_row, upright:
                case None, None:
                    return of, False, False
                case ast.Constant(value=1), None | ast.Constant(value=False):
                    return of, True, False
                case ast.Constant(value=1), ast.Constant(value=True):
                    return of, True, True
    return None


def upright(node: ast.expr) -> ast.expr | None:
    """The array whose entries ``v[:, None]`` puts one below the other."""
    match node:
        case ast.Subscript(value=of, slice=ast.Tuple(elts=[ast.Slice(None, None, None), ast.Constant(value=None)])):
            return of
        case ast.Subscript(
            value=of, slice=ast.Tuple(elts=[ast.Slice(None, None, None), ast.Attribute(attr="newaxis")])
        ):
            return of
        case ast.Call(func=ast.Attribute(value=of, attr="reshape"), args=args, keywords=[]):
            shape = args[0].elts if len(args) == 1 and isinstance(args[0], ast.Tuple) else args
            if [ast.unparse(each) for each in shape] == ["-1", "1"]:
                return of
    return None


def column_at(node: ast.expr) -> tuple[ast.expr, int] | None:
    """The array of which ``X[:, 2]`` takes a column, and its place, from 1 on."""
    match node:
        case ast.Subscript(
            value=of,
            slice=ast.Tuple(elts=[ast.Slice(None, None, None), ast.Constant(value=int() as place)]),
            ctx=ast.Load(),
        ) if not isinstance(place, bool) and place >= 0:
            return of, place + 1
    return None


def product(node: ast.expr, called: Called) -> tuple[ast.expr, ast.expr] | None:
    """What ``X @ w``, ``X.dot(w)`` or ``np.dot(X, w)`` multiplies.

    ``np.vdot`` is another thing: it takes all rows of an array as one vector, so it fails unless there is one row, and
    whether it fails tells how many there are."""
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            return left, right
        case ast.Call(func=func, args=[left, right], keywords=[]) if called(func) in ("np.dot", "np.inner"):
            return left, right
        case ast.Call(func=ast.Attribute(value=left, attr="dot"), args=[right], keywords=[]) if not called(node.func):
            return left, right
    return None


def turned(node: ast.expr) -> ast.expr | None:
    """The array whose rows ``X.T`` makes columns."""
    match node:
        case ast.Attribute(value=of, attr="T", ctx=ast.Load()):
            return of
    return None


Norm = Callable[[ast.expr], ast.expr | None]
"""Tells of what an expression is the norm in L2."""
Short = tuple[ast.expr, ast.expr]
"""What is scaled down, and what it measures at most then."""


def limited(node: ast.expr, norm: Norm, called: Called, of_rows: bool = False) -> Short | None:
    """What is scaled down so that it measures at most so much, and to how much. ``norm`` tells of what an expression
    is the norm.

    With n the norm of v these are ``v / max(1, n / c)``, ``v * min(1, c / n)``, and ``c * v / n if n > c else v``.
    Where n is 0 they leave v as it is: NumPy divides c > 0 by that and gets ∞. Of rows, whose norms stand in a column,
    only functions of NumPy say so.
    """
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse) if not of_rows:
            return _chosen(test, body, orelse, norm)
        case ast.BinOp(left=vector, op=ast.Div(), right=ast.Call(func=func, args=[one, two], keywords=[])) if called(
            func
        ) in ("max", "np.maximum"):
            for least, by in ((one, two), (two, one)):
                if _is_one(least):
                    return _by_quotient(vector, by, norm)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            for vector, factor in ((left, right), (right, left)):
                match factor:
                    case ast.Call(func=func, args=[one, two], keywords=[]) if called(func) in _SMALLER[of_rows:]:
                        for most, by in ((one, two), (two, one)):
                            if _is_one(most) and (found := _by_inverse(vector, by, norm)):
                                return found
    return None


_LARGER, _SMALLER = ("max", "np.maximum"), ("min", "np.minimum")


def _by_quotient(vector: ast.expr, by: ast.expr, norm: Norm) -> Short | None:
    """``v / max(1, n / c)``, where c may be left out if it is 1."""
    match by:
        case ast.BinOp(left=size, op=ast.Div(), right=most) if _same(norm(size), vector):
            return vector, most
    one = ast.copy_location(ast.Constant(1), by)
    return (vector, one) if _same(norm(by), vector) else None


def _by_inverse(vector: ast.expr, by: ast.expr, norm: Norm) -> Short | None:
    match by:
        case ast.BinOp(left=most, op=ast.Div(), right=size) if _same(norm(size), vector):
            return vector, most
    return None


def _chosen(test: ast.expr, body: ast.expr, orelse: ast.expr, norm: Norm) -> Short | None:
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            if isinstance(op, ast.Lt | ast.LtE):
                left, right = right, left
            elif not isinstance(op, ast.Gt | ast.GtE):
                return None
            of, most = norm(left), right
            if of is None:
                of, most, body, orelse = norm(right), left, orelse, body
            if of is not None and _same(of, orelse) and _is_scaled(body, of, most, norm):
                return of, most
    return None


def _is_scaled(node: ast.expr, of: ast.expr, most: ast.expr, norm: Norm) -> bool:
    """Whether an expression is ``most * of / n`` in some order, with n the norm of that."""
    above: list[ast.expr] = []
    below: list[ast.expr] = []
    pending = [(node, True)]
    while pending:
        item, is_above = pending.pop()
        match item:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                pending += [(left, is_above), (right, is_above)]
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                pending += [(left, is_above), (right, not is_above)]
            case _:
                (above if is_above else below).append(item)
    if len(below) != 1 or not _same(norm(below[0]), of):
        return False
    if len(above) == 1 and _is_one(most):
        return _same(above[0], of)
    return len(above) == 2 and any(_same(a, of) and _same(b, most) for a, b in (above, above[::-1]))


def _same(one: ast.expr | None, other: ast.expr) -> bool:
    return one is not None and ast.dump(one) == ast.dump(other)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value == 1
