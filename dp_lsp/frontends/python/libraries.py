"""Whether an array is one of NumPy or a column of pandas, where they do not mean the same by a method.

What is made of a column by an operation, a method or a function of numbers is a column again; arrays of NumPy make
arrays. Source: the manual of pandas ("Interoperability with NumPy functions").
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from enum import Enum

from dp_lsp.frontends.python.kinds import CHANGES, Kind, Kinds
from dp_lsp.frontends.python.names import bound_in
from dp_lsp.frontends.python.numeric import OF_NUMBER, goes_over_arrays
from dp_lsp.frontends.python.tree import below, walk


class Library(Enum):
    """Whose an array is."""

    NUMPY = "np.ndarray", "numpy.ndarray"
    PANDAS = "pd.Series", "pandas.Series", "pd.DataFrame", "pandas.DataFrame"


_ROUNDS = 4
_SAME = frozenset({*CHANGES, "fillna", "dropna", "copy"})
"""Methods that make what is of the same library."""


def library_of(node: ast.expr, kinds: Kinds, named: Mapping[str, Library]) -> Library | None:
    """Whose array an expression is, ``named`` being those with a name; None where the text does not tell."""
    match node:
        case ast.Name(id=name):
            return named.get(name)
        case ast.Attribute() | ast.Call() if kinds.made_of(node) is not None:
            return Library.NUMPY
        case ast.Call() if (operation := kinds.applied(node)) is not None:
            return library_of(operation, kinds, named)
        case ast.Subscript(value=ast.Attribute(value=value, attr="loc")) | ast.Subscript(value=value):
            parts: Iterable[ast.expr] = [value]
        case ast.BinOp(left=left, right=right):
            parts = left, right
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _SAME and not kinds.called(node.func):
            parts = [value]
        case ast.Call(func=func, args=args) if (name := kinds.called(func)) in OF_NUMBER and goes_over_arrays(name):
            parts = args
        case _:
            return None
    return _one([library_of(each, kinds, named) for each in parts if kinds.of(each) is not Kind.NUMBER])


def _one(found: Iterable[Library | None]) -> Library | None:
    """The only one; None where there are several, or one is not known."""
    known = set(found)
    return known.pop() if len(known) == 1 else None


def libraries(node: ast.FunctionDef, kinds: Kinds) -> dict[str, Library]:
    """Whose arrays the names of a function are, of each name the one that all its values are of."""
    declared = {each.arg: _declared(each.annotation) for each in (*node.args.args, *node.args.kwonlyargs)}
    named = {name: library for name, library in declared.items() if library is not None}
    nodes = [item for item in walk(node) if isinstance(item, ast.stmt | ast.comprehension | ast.NamedExpr)]
    for _ in range(_ROUNDS if named else 0):
        given: dict[str, list[Library | None]] = {name: [library] for name, library in declared.items()}
        for item in nodes:
            for name, value in _values(item):
                given.setdefault(name, []).append(None if value is None else library_of(value, kinds, named))
        found = {name: library for name, of in given.items() if (library := _one(of)) is not None}
        if found == named:
            return found
        named = found
    return {}


def _declared(said: ast.expr | None) -> Library | None:
    names = {ast.unparse(item) for item in below(said, ast.Attribute)} if said else set()
    return _one([library for library in Library if names & {*library.value}])


def _values(node: ast.stmt | ast.comprehension | ast.NamedExpr) -> list[tuple[str, ast.expr | None]]:
    """The names that a node gives something, and what; None where that is more than one value."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            return [(name, value)]
        case ast.Assign(targets=targets):
            return [(name, None) for target in targets for name in bound_in(target)]
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.comprehension(target=target):
            return [(name, None) for name in bound_in(target)]
        case ast.NamedExpr(target=target):
            return [(name, None) for name in bound_in(target)]
    return []
