"""What shows the keys or the edges that records have, with keys and edges that are written out in their place; and
statistics by their names in the place of a summary; products in the place of quotients that may fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp.frontends.python.rewriting.rewording import Rewording, Written

_KEYS = '["a", "b"]'
"""Keys that nobody but the author knows."""
_RANGE = "range=(0, 100)"
_OF_SUMMARY = {"mean": "mean()", "std": "std()", "min": "min()", "max": "max()", "50%": "median()"}


def written_out(written: Written) -> Iterator[Rewording]:
    """The calls of a definition of which keys or edges, or a whole summary, are those of records."""
    for node in written.nodes:
        if isinstance(node, ast.Compare) and (product := _without_quotient(written, node)):
            yield Rewording(f"multiply, which never fails: `{product}`", (written.edit(node, product),))
        if not isinstance(node, ast.Call):
            continue
        if _counts_keys(node) and not _is_chosen(written, node):
            made = f".reindex({_KEYS}, fill_value=0)"
            edit = written.edit(node, f"{written.source(node)}{made}")
            yield Rewording(f"write the keys out, whoever is there: `{made}`", (edit,))
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("tolist", "to_list") and not node.args:
            kept = written.source(node.func.value)
            yield Rewording(f"leave the column as it is: `{kept}`", (written.edit(node, kept),))
        if _fills_by_data(node):
            made = f"{written.source(node.func)}(0)"
            yield Rewording(f"fill gaps with a number that everybody knows: `{made}`", (written.edit(node, made),))
        if written.called(node) == "numpy.histogram" and (edges := _with_range(written, node)):
            yield Rewording(f"write out between which numbers is counted: `{edges}`", (written.edit(node, edges),))
    for name, value in written.given():
        yield from _of_each_group(written, name, value)
        match value:
            case ast.Call(func=ast.Attribute(value=column, attr="describe"), args=[], keywords=[]):
                yield from _of_summary(written, name, value, written.source(column))


def _of_each_group(written: Written, name: str, value: ast.expr) -> Iterator[Rewording]:
    """What is made of all groups, and read group by group, ``means[town]``, is made of the records of each where it is
    read; the keys that a loop goes over are written out."""
    made = _of_group(written, value)
    begun = [each for each in written.definition.node.body if getattr(each, "value", None) is value]
    if made is None or not begun:
        return
    edits, shown = [written.line(begun[0])], ""
    for node in written.nodes:
        match node:
            case ast.Subscript(value=ast.Name(id=of), slice=key, ctx=ast.Load()) if of == name:
                shown = made.format(written.source(key))
                edits.append(written.edit(node, shown))
            case ast.For(iter=ast.Attribute(value=ast.Name(id=of), attr="index") as over) if of == name:
                edits.append(written.edit(over, _KEYS))
            case ast.For(iter=ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr="keys")) as over) if of == name:
                edits.append(written.edit(over, _KEYS))
    if shown and len(edits) == written.reads(name) + 1:
        yield Rewording(f"compute it of the records of each group: `{shown}`", tuple(sorted(edits)))


def _of_group(written: Written, value: ast.expr) -> str | None:
    """What is made of the records of one group, whose key goes in the brackets; None for anything else."""
    match value:
        case ast.Call(func=ast.Attribute(value=counted, attr="value_counts"), args=[], keywords=[]):
            return f"({written.source(counted)} == {{}}).sum()"
        case ast.Call(func=ast.Attribute(value=of, attr=attr), args=[], keywords=[]):
            column: ast.expr | None = of.slice if isinstance(of, ast.Subscript) else None
            match of.value if isinstance(of, ast.Subscript) else of:
                case ast.Call(func=ast.Attribute(value=table, attr="groupby"), args=[ast.Constant() as key]):
                    mask = f"{written.source(table)}[{written.source(key)}] == {{}}"
                    if column is not None and attr in _OF_COLUMNS:
                        return f"{written.source(table)}[{mask}][{written.source(column)}].{attr}()"
                    return f"({mask}).sum()" if attr in ("size", "count") else None
    return None


_OF_COLUMNS = frozenset({"mean", "sum", "median", "count"})


def _counts_keys(node: ast.Call) -> bool:
    """Whether a call counts the keys of a column, without more."""
    match node:
        case ast.Call(func=ast.Attribute(attr="value_counts"), args=[], keywords=[]):
            return True
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Attribute(attr="groupby"), args=[ast.Constant()]), attr="size")
        ):
            return not node.args and not node.keywords
    return False


def _without_quotient(written: Written, node: ast.Compare) -> str:
    """``a / b > 3`` as ``a > 3 * b``, of columns; empty for anything else."""
    match node:
        case ast.Compare(
            left=ast.BinOp(left=over, op=ast.Div(), right=under),
            ops=[ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE()],
            comparators=[ast.Constant(value=int() | float() as limit)],
        ) if any(isinstance(each, ast.Subscript | ast.Attribute) for each in ast.walk(under)):
            sign = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}[type(node.ops[0])]
            simple = not isinstance(under, ast.BinOp) or isinstance(under.op, ast.Pow | ast.Mult)
            divisor = written.source(under) if simple else f"({written.source(under)})"
            return f"{written.source(over)} {sign} {limit} * {divisor}"
    return ""


def _fills_by_data(node: ast.Call) -> bool:
    """Whether gaps are filled with a statistic of what is there."""
    match node:
        case ast.Call(
            func=ast.Attribute(attr="fillna"),
            args=[ast.Call(func=ast.Attribute(attr="mean" | "median" | "min" | "max"), args=[])],
        ):
            return True
    return False


def _is_chosen(written: Written, node: ast.Call) -> bool:
    match written.above.get(id(node)):
        case ast.Attribute(attr="reindex"):
            return True
    return False


def _with_range(written: Written, node: ast.Call) -> str:
    """A histogram whose edges are the smallest and the largest number, with a range; empty for another one."""
    named = {each.arg: each.value for each in node.keywords}
    bins = node.args[1] if len(node.args) > 1 else named.get("bins")
    if "range" in named or len(node.args) > 2 or not node.args:
        return ""
    if bins is None:
        return f"{written.source(node)[:-1].rstrip(', ')}, bins=10, {_RANGE})"
    counted = isinstance(bins, ast.Constant) and isinstance(bins.value, int)
    return f"{written.source(node)[:-1].rstrip(', ')}, {_RANGE})" if counted else ""


def _of_summary(written: Written, name: str, value: ast.Call, column: str) -> Iterator[Rewording]:
    """Statistics of a column where they are read in a summary that has a name."""
    reads = [each for each in written.nodes if isinstance(each, ast.Subscript) and ast.unparse(each.value) == name]
    keys = [each.slice.value if isinstance(each.slice, ast.Constant) else None for each in reads]
    made = [f"len({column})" if key == "count" else f"{column}.{_OF_SUMMARY.get(str(key), '')}" for key in keys]
    begun = [each for each in written.definition.node.body if getattr(each, "value", None) is value]
    if reads and begun and len(reads) == written.reads(name) and not any(each.endswith(".") for each in made):
        edits = [written.line(begun[0]), *map(written.edit, reads, made)]
        yield Rewording(f"compute each statistic by itself: `{made[0]}`", tuple(sorted(edits)))
