"""Sums by public keys, ``df.groupby("Town")["Pay"].sum().reindex(["Bonn", "Ulm"], fill_value=0)``, as a sum for each,
and numbers by the keys that occur, where these are shown.

A key that nobody has gets the 0 that it is told, which is the sum of no rows; a key that is not asked for is left out.
Without ``reindex`` the result has the keys that occur, which tells who is there: the keys of a Series stay as they are
when noise is added to its numbers. So who sees such a Series sees the different values of the column, as they are.

Source: the manual of pandas (``Series.value_counts``, ``DataFrame.groupby``, ``Series.reindex``).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from dp_lsp.frontends.python.tree import below, copied, walk

_MOST = 40
"""The most keys for which a sum is written out."""


class KeysShown(ast.stmt):
    """A statement by which the keys are seen that occur in a ``column``, ``what`` a call makes a number for each of."""

    _fields = ("made", "column")

    def __init__(self, what: str, made: ast.expr, column: ast.expr) -> None:
        super().__init__()
        self.what, self.made, self.column = what, made, column


def with_group_sums(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with a sum for each key in place of sums by keys. An array of NumPy holds them."""
    calls = [each for each in below(node, ast.Call) if _sums(each) is not None]
    if not calls or not any(each.id == "np" for each in below(node, ast.Name)):
        return node
    made: ast.FunctionDef = _WrittenOut().visit(copied(node))
    return made


def _sums(node: ast.Call) -> list[ast.expr] | None:
    """The sums that a call makes, one for each key; None for any other call."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(
                    func=ast.Attribute(
                        value=ast.Subscript(
                            value=ast.Call(
                                func=ast.Attribute(value=ast.Name() as table, attr="groupby"),
                                args=[ast.Constant(value=str()) as by],
                                keywords=[],
                            ),
                            slice=ast.Constant(value=str()) as column,
                        ),
                        attr="sum",
                    ),
                    args=[],
                    keywords=[],
                ),
                attr="reindex",
            ),
            args=[ast.List(elts=keys) | ast.Tuple(elts=keys)],
            keywords=[ast.keyword(arg="fill_value", value=ast.Constant(value=0))],
        ) if 0 < len(keys) <= _MOST and all(map(_is_key, keys)):
            return [_sum(table, by, key, column) for key in keys]
    return None


def _is_key(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | int) and not isinstance(node.value, bool)


def _sum(table: ast.Name, by: ast.expr, key: ast.expr, column: ast.expr) -> ast.expr:
    mask = ast.Compare(ast.Subscript(table, by, ast.Load()), [ast.Eq()], [key])
    chosen = ast.Subscript(ast.Subscript(table, mask, ast.Load()), column, ast.Load())
    return ast.Call(ast.Attribute(chosen, "sum", ast.Load()), [], [])


class _WrittenOut(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        sums = _sums(node)
        if sums is None:
            return self.generic_visit(node)
        array = ast.Attribute(ast.Name("np", ast.Load()), "array", ast.Load())
        made = copied(ast.Call(array, [ast.List(sums, ast.Load())], []))
        for each in ast.walk(made):
            ast.copy_location(each, node)
        return made


def with_shown_keys(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with what shows the keys that occur in place of the statements that return or print numbers by these
    keys, and without those that only make them."""
    if not any(each.attr in _BY_KEY for each in below(node, ast.Attribute)):
        return node
    made = _Shown(node).visit(copied(node))
    assert isinstance(made, ast.FunctionDef), "a definition stays one"
    return made


_BY_KEY = frozenset({"value_counts", "groupby"})
_OF_GROUPS = frozenset({"size", "count", "sum", "mean", "median", "min", "max", "std", "var", "nunique"})
_KEEPING = frozenset({"to_dict", "clip", "round", "abs", "sort_values", "sort_index", "copy"})
"""Methods of a Series that change no key."""
_NOISY = (*(ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.UnaryOp, ast.keyword), *(ast.operator, ast.unaryop))


class _Shown(ast.NodeTransformer):
    """A name stands for numbers by key where it is given such alone, once, and read only where they are shown, or
    where it is asked how many they are."""

    def __init__(self, node: ast.FunctionDef) -> None:
        given = Counter(each.id for each in below(node, ast.Name) if not isinstance(each.ctx, ast.Load))
        given.update(each.arg for each in below(node, ast.arg))
        self._values: dict[str, ast.expr] = {}
        for each in below(node, ast.Assign):
            match each:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if given[name] == 1:
                    self._values[name] = value
        seen = {id(each) for part in self._outputs(node) for each in walk(part)}
        while missed := {name for name in self._values if self._base(self._values[name])} & self._others(node, seen):
            self._values = {name: value for name, value in self._values.items() if name not in missed}
            seen = {id(each) for part in self._outputs(node) for each in walk(part)}

    def _others(self, node: ast.FunctionDef, seen: set[int]) -> set[str]:
        """The names that are read elsewhere than in what is shown, or in what is given a name like them."""
        for value in self._values.values():
            if self._base(value) is not None:
                seen |= {id(each) for each in walk(value)}
        asked = {id(each.args[0]) for each in below(node, ast.Call) if _asks_how_many(each)}
        read = (each for each in below(node, ast.Name) if isinstance(each.ctx, ast.Load))
        return {each.id for each in read if id(each) not in seen | asked}

    def _outputs(self, node: ast.FunctionDef) -> Iterator[ast.expr]:
        """What is shown with its keys."""
        for each in (*below(node, ast.Return), *below(node, ast.Expr)):
            shown = _shown(each)
            if shown is not None and self._base(shown) is not None:
                yield shown

    def _base(self, node: ast.expr) -> tuple[str, ast.Call, ast.expr] | None:
        """What makes the numbers by key that an expression is, as it is called, and the column of the keys."""
        match node:
            case ast.Name(id=name) if name in self._values:
                return self._base(self._values[name])
            case ast.BinOp(left=left, right=right):
                for of, other in ((left, right), (right, left)):
                    if (found := self._base(of)) is not None:
                        return found if all(map(_is_noisy, walk(other))) else None
            case ast.Call(func=ast.Name(id="dict"), args=[of], keywords=[]):
                return self._base(of)
            case ast.Call():
                kept = _kept(node)
                return _made_by_key(node) or (None if kept is None else self._base(kept))
            case ast.DictComp(
                key=ast.Name(id=key),
                value=value,
                generators=[
                    ast.comprehension(
                        target=ast.Tuple(elts=[ast.Name(id=named), ast.Name()]),
                        iter=ast.Call(func=ast.Attribute(value=of, attr="items"), args=[], keywords=[]),
                        ifs=[],
                    )
                ],
            ) if key == named and all(map(_is_noisy, walk(value))):
                return self._base(of)
        return None

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | ast.Pass:
        match node.targets:
            case [ast.Name(id=name)] if name in self._values and self._base(node.value) is not None:
                return ast.copy_location(ast.Pass(), node)
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return | list[ast.stmt]:
        shown = self._shown(node)
        return node if shown is None else [shown, ast.copy_location(ast.Return(None), node)]

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return self._shown(node) or node

    def _shown(self, node: ast.stmt) -> ast.stmt | None:
        shown = _shown(node)
        found = None if shown is None else self._base(shown)
        return None if found is None else ast.copy_location(KeysShown(*found), found[1])


def _shown(node: ast.stmt) -> ast.expr | None:
    """What a statement returns, or prints alone."""
    match node:
        case ast.Return(value=value):
            return value
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[value], keywords=[])):
            return value
    return None


def _made_by_key(node: ast.Call) -> tuple[str, ast.Call, ast.expr] | None:
    """A call that makes a number for each key that occurs, how it is named, and the column of the keys."""
    match node:
        case ast.Call(func=ast.Attribute(value=column, attr="value_counts"), args=[], keywords=[]):
            return "`.value_counts`", node, column
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=[], keywords=[]) if attr in _OF_GROUPS:
            of = of.value if isinstance(of, ast.Subscript) else of
            match of:
                case ast.Call(
                    func=ast.Attribute(value=table, attr="groupby"), args=[ast.Constant(value=str()) as by], keywords=[]
                ):
                    column = ast.copy_location(ast.Subscript(table, by, ast.Load()), table)
                    return "`.groupby`", of, column
    return None


def _kept(node: ast.Call) -> ast.expr | None:
    """Of what a method changes the numbers alone."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=args, keywords=keywords) if attr in _KEEPING:
            plain = (*args, *(each.value for each in keywords))
            return of if all(isinstance(each, ast.Constant) for each in plain) else None
    return None


def _is_noisy(node: ast.AST) -> bool:
    """Whether an expression may stand in what is added to numbers by key: numbers, draws, and how many keys there
    are."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) or _asks_how_many(node)
    return isinstance(node, _NOISY)


def _asks_how_many(node: ast.Call) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name()], keywords=[]):
            return True
    return False
