"""Parameters that are not understood, in other words: the name of a column, arguments by any name, annotations whose
parts stand in another order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from dp_lsp.frontends.python.chunks import items
from dp_lsp.frontends.python.names import WORDS
from dp_lsp.frontends.python.parse import read
from dp_lsp.frontends.python.rewriting.definitions import Parameter, without_parameter
from dp_lsp.frontends.python.rewriting.rewording import Rewording, Written
from dp_lsp.frontends.python.rewriting.statements import left_out
from dp_lsp.problem import Edit, Problem
from dp_lsp.text import Span

_COLUMN = '"value"'
"""The name of a column that nobody but the author knows."""


def parameters(written: Written) -> Iterator[Rewording]:
    """Those of a definition that have other words."""
    for each in written.definition.parameters:
        yield from _column_by_name(written, each)
        yield from _text_written_out(written, each)
        yield from _words_in_order(written, each)
        yield from _column_of_polars(written, each)
    yield from _arguments_by_name(written)
    yield from _without_books(written)
    yield from _without_files(written)


def _column_by_name(written: Written, parameter: Parameter) -> Iterator[Rewording]:
    """A column whose name the function is given, as the column of that name."""
    default = _default(written, parameter)
    said = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
    if said != "str" and not _is_text(default):
        return
    read = [each for each in written.nodes if isinstance(each, ast.Name) and each.id == parameter.name]
    keys = [
        each
        for each in read
        if isinstance(around := written.above.get(id(each)), ast.Subscript) and around.slice is each
    ]
    if read and len(keys) == len(read):
        name = written.source(default) if default is not None and _is_text(default) else _COLUMN
        edits = [written.edit(each, name) for each in keys]
        removed = without_parameter(written.definition, parameter, written.text)
        title = f"write the column's name, and leave out `{parameter.name}`: `[{name}]`"
        yield Rewording(title, tuple(sorted([removed, *edits])))


_TEXT = '"yes"'
"""A text that stands where nobody but the author knows it."""


def _text_written_out(written: Written, parameter: Parameter) -> Iterator[Rewording]:
    """A text that records are compared with, or that is counted in a list of texts."""
    default = _default(written, parameter)
    said = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
    uses = [each for each in written.nodes if isinstance(each, ast.Name) and each.id == parameter.name]
    if (said == "str" or _is_text(default)) and uses and all(_is_asked_for(written, each) for each in uses):
        text = written.source(default) if default is not None and _is_text(default) else _TEXT
        removed = without_parameter(written.definition, parameter, written.text)
        title = f"write the text out, and leave out `{parameter.name}`: `{text}`"
        yield Rewording(title, tuple(sorted([removed, *(written.edit(each, text) for each in uses)])))


def _is_asked_for(written: Written, node: ast.Name) -> bool:
    match written.above.get(id(node)):
        case ast.Compare(ops=[ast.Eq() | ast.NotEq()]):
            return True
        case ast.Call(func=ast.Attribute(attr="count"), args=[given], keywords=[]):
            return given is node
    return False


def _is_key(written: Written, node: ast.Name) -> bool:
    match written.above.get(id(node)):
        case ast.Subscript(slice=key):
            return key is node
    return False


def _column_of_polars(written: Written, parameter: Parameter) -> Iterator[Rewording]:
    """A frame of polars of which one column is used, as an array of its numbers."""
    if parameter.annotation is None or ast.unparse(parameter.annotation) not in ("pl.DataFrame", "polars.DataFrame"):
        return
    uses = [each for each in written.nodes if isinstance(each, ast.Name) and each.id == parameter.name]
    parts = [_of_one_column(written, each) for each in uses]
    columns = {column for column, _ in filter(None, parts)}
    if not uses or None in parts or len(columns) != 1 or not (column := columns.pop()).isidentifier():
        return
    if column in written.names or any(each.name == column for each in written.definition.parameters):
        return
    edits = [edit for part in parts if part is not None for edit in part[1]]
    declared = f"{column}: np.ndarray"
    title = f"pass the column as an array: `{declared}`"
    yield Rewording(title, tuple(sorted([Edit(parameter.span, declared), *edits])))


def _of_one_column(written: Written, table: ast.Name) -> tuple[str, tuple[Edit, ...]] | None:
    """The column that is used where a frame is named, and what is written in its place: of a filter, a mask that is
    counted. None where anything else is done with the frame."""
    around = written.above.get(id(table))
    match around:
        case ast.Subscript(slice=ast.Constant(value=str() as column)):
            return column, (written.edit(around, column),)
        case ast.Attribute(attr="filter"):
            call = written.above.get(id(around))
            match call, written.above.get(id(call)):
                case (
                    ast.Call(
                        args=[ast.Compare(left=ast.Call(func=func, args=[ast.Constant(value=str() as column)])) as mask]
                    ),
                    ast.Attribute(attr="height") as counted,
                ) if ast.unparse(func) in ("pl.col", "polars.col"):
                    made = f"np.sum({column}{written.source(mask)[len(written.source(mask.left)) :]})"
                    return column, (written.edit(counted, made),)
    return None


def _default(written: Written, parameter: Parameter) -> ast.expr | None:
    """What a parameter is where nothing is given for it."""
    args = written.definition.node.args
    plain = dict(zip((each.arg for each in reversed(args.args)), reversed(args.defaults), strict=False))
    named = {each.arg: value for each, value in zip(args.kwonlyargs, args.kw_defaults, strict=True)}
    return plain.get(parameter.name) or named.get(parameter.name)


def _is_text(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _words_in_order(written: Written, parameter: Parameter) -> Iterator[Rewording]:
    """``Annotated[ChangeOne(), list, …]``, with the type first."""
    match parameter.annotation:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[first, *_] as parts)) if _is_word(
            first
        ):
            types = [each for each in parts if not _is_word(each)]
            if len(types) == 1:
                ordered = ", ".join(map(written.source, [*types, *(each for each in parts if each is not types[0])]))
                made = f"Annotated[{ordered}]"
                yield Rewording(f"write the type first: `{made}`", (written.edit(parameter.annotation, made),))


def _is_word(node: ast.expr) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Name) and called.id in WORDS


def _arguments_by_name(written: Written) -> Iterator[Rewording]:
    """``**kwargs``, of which some are read by their names, as these parameters."""
    anything = written.definition.node.args.kwarg
    if anything is None:
        return
    names = [each for each in written.nodes if isinstance(each, ast.Name) and each.id == anything.arg]
    found = [each for each in (_read_by_name(written, name) for name in names) if each is not None]
    if not found or len(found) != len(names) or any(not name.isidentifier() for _, name, _ in found):
        return
    defaults: dict[str, str] = {}
    for _, name, default in found:
        defaults[name] = defaults.get(name) or default
    declared = [
        f"{name}: float{f' = {default}' if default else ''}" for name, default in sorted(defaults.items(), key=_last)
    ]
    span = written.definition.span(anything)
    start = written.text.rindex("**", 0, span.start)
    edits = [Edit(Span(start, span.end), ", ".join(declared)), *(written.edit(node, name) for node, name, _ in found)]
    edits += map(written.line, _given_themselves(written, found))
    lines = [each.span for each in edits if not each.text]
    apart = [each for each in edits if not each.text or not any(line.covers(each.span.start) for line in lines)]
    yield Rewording(f"write the arguments out: `{', '.join(declared)}`", tuple(sorted(apart)))


def _last(named: tuple[str, str]) -> bool:
    """What need not be given stands behind what must."""
    return bool(named[1])


def _read_by_name(written: Written, name: ast.Name) -> tuple[ast.expr, str, str] | None:
    """What reads an argument by its name, the name, and what it is where nothing is given."""
    around = written.above.get(id(name))
    match around:
        case ast.Subscript(slice=ast.Constant(value=str() as key), ctx=ast.Load()):
            return around, key, ""
        case ast.Attribute(attr="get"):
            call = written.above.get(id(around))
            match call:
                case ast.Call(args=[ast.Constant(value=str() as key), default], keywords=[]):
                    return call, key, written.source(default)
    return None


def _given_themselves(written: Written, read: list[tuple[ast.expr, str, str]]) -> Iterator[ast.stmt]:
    """The statements that would give a parameter its own value."""
    for node in written.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                if any(value is each and name == key for each, key, _ in read):
                    yield node


def _without_books(written: Written) -> Iterator[Rewording]:
    """An object of a class of the program, of which the function only calls methods for what they do, such as counting
    what is spent: who calls the function does so."""
    classes = {name for each in items(written.text) for name in _classes(each.text)}
    made = {name: value for name, value in written.given() if _makes(value, classes)}
    params = {each.name: each for each in written.definition.parameters if not _is_number(each)}
    for name in (*made, *params):
        uses = [each for each in written.nodes if isinstance(each, ast.Name) and each.id == name]
        calls = [_told_to(written, each) for each in uses if isinstance(each.ctx, ast.Load)]
        told = [each for each in calls if each is not None]
        if not told or len(told) != len(calls):
            continue
        edits = [edit for each in told for edit in left_out(written, written.definition.span(each).start, shows=True)]
        if name in made:
            edits += [written.line(each) for each in written.nodes if _begins(each, made[name])]
        else:
            edits.append(without_parameter(written.definition, params[name], written.text))
        shown = written.source(told[0])
        yield Rewording(f"leave `{shown}` to who calls the function", tuple(sorted(edits)))


def _classes(text: str) -> Iterator[str]:
    tree = read(text)
    return (each.name for each in ([] if isinstance(tree, Problem) else tree.body) if isinstance(each, ast.ClassDef))


def _makes(value: ast.expr, classes: set[str]) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in classes


def _is_number(parameter: Parameter) -> bool:
    return parameter.annotation is not None and ast.unparse(parameter.annotation) in ("float", "int", "bool")


def _told_to(written: Written, name: ast.Name) -> ast.Expr | None:
    """The statement that calls a method of an object and does nothing with what it returns."""
    method = written.above.get(id(name))
    call = written.above.get(id(method)) if isinstance(method, ast.Attribute) else None
    statement = written.above.get(id(call)) if isinstance(call, ast.Call) and call.func is method else None
    return statement if isinstance(statement, ast.Expr) else None


def _begins(node: ast.AST, value: ast.expr) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and node.value is value


def _without_files(written: Written) -> Iterator[Rewording]:
    """A file that is written with what was released is written by who calls the function, which need not know where."""
    for node in written.definition.node.body:
        match node:
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=ast.Name(id="open")) as opened)], body=body):
                if all(isinstance(each, ast.Expr) for each in body):
                    paths = [each for each in written.definition.parameters if _is_only_in(written, each, opened)]
                    removed = [without_parameter(written.definition, each, written.text) for each in paths[:1]]
                    title = "write the file where the function is called, of what it returns"
                    yield Rewording(title, tuple(sorted([written.line(node), *removed])))


def _is_only_in(written: Written, parameter: Parameter, node: ast.AST) -> bool:
    """Whether a parameter is read within a node alone."""
    inside = [each for each in ast.walk(node) if isinstance(each, ast.Name) and each.id == parameter.name]
    return bool(inside) and len(inside) == written.reads(parameter.name)
