"""Sums by public keys, ``df.groupby("Town")["Pay"].sum().reindex(["Bonn", "Ulm"], fill_value=0)``, as a sum for each.

A key that nobody has gets the 0 that it is told, which is the sum of no rows; a key that is not asked for is left out.
Without ``reindex`` the result has the keys that occur, which tells who is there.

Source: the manual of pandas (``DataFrame.groupby``, ``Series.reindex``).
"""

from __future__ import annotations

import ast

from dp_lsp.frontends.python.tree import below, copied

_MOST = 40
"""The most keys for which a sum is written out."""


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
