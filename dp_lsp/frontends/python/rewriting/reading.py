"""Files that a private function reads: what it reads is passed to it, so that it can be said whom that protects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dp_lsp.frontends.python.names import READS_ARRAYS, READS_TABLES, holds
from dp_lsp.frontends.python.rewriting.definitions import Parameter
from dp_lsp.frontends.python.rewriting.rewording import Rewording, Written
from dp_lsp.problem import Edit
from dp_lsp.text import Span

FILES = frozenset({"open", "json.load", "csv.reader", "csv.DictReader", "io.open", "gzip.open", "pathlib.Path"})
_READERS = READS_TABLES | READS_ARRAYS | FILES
_PLAIN = frozenset({"float", "int", "str", "json.loads", "list"})
_PLAIN_METHODS = frozenset({"strip", "rstrip", "split", "replace", "get"})


def passed(written: Written) -> Iterator[Rewording]:
    """What is read becomes a parameter, in the place of one that only says from where."""
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _reads(written, value):
                yield from _instead(written, statement, name, _base(written, value), {statement: ""})
            case ast.With() if any(_reads(written, each.context_expr) for each in statement.items):
                yield from _of_block(written, statement, statement.body)
            case ast.For() if _reads(written, statement.iter):
                yield from _of_loop(written, statement, statement)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp() as value):
                yield from _computed_before(written, statement, name, value)


def _computed_before(written: Written, statement: ast.Assign, name: str, value: ast.expr) -> Iterator[Rewording]:
    """What is made of several arrays of the same people, which are used for nothing else, is passed in their place."""
    inside = [each.id for each in ast.walk(value) if isinstance(each, ast.Name)]
    used = [each.id for each in written.nodes if isinstance(each, ast.Name)]
    several = [each for each in written.definition.parameters if each.name in inside]
    arrays = [each for each in several if written.definition.base(each) in ("np.ndarray", "pd.Series")]
    if len(arrays) < _SEVERAL or any(used.count(each.name) != inside.count(each.name) for each in arrays):
        return
    if len(several) > len(arrays) or any(each.name == name for each in written.definition.parameters):
        return
    params = written.definition.parameters
    declared = f"{name}: {written.definition.base(arrays[0])}"
    edits = [written.line(statement), Edit(arrays[0].span, declared)]
    for each in arrays[1:]:
        at = params.index(each)
        edits.append(Edit(Span(params[at - 1].span.end, each.span.end), ""))
    yield Rewording(f"compute `{name}` before the call, and pass it: `{declared}`", tuple(sorted(edits)))


_SEVERAL = 2


def _reads(written: Written, node: ast.AST) -> bool:
    return any(written.called(each) in _READERS for each in ast.walk(node))


def _base(written: Written, value: ast.expr) -> str:
    """What holds what is read, where a call alone tells."""
    return holds(written.called(value))


def _of_block(written: Written, block: ast.With, body: list[ast.stmt]) -> Iterator[Rewording]:
    """A block that opens a file: it gives one name a value, or goes through the lines of the file."""
    loops = [each for each in body if isinstance(each, ast.For)]
    match body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            base = "list[float]" if isinstance(value, ast.ListComp) else _base(written, value)
            yield from _instead(written, block, name, base, {block: ""})
        case [*before, ast.For() as loop] if len(loops) == 1 and all(map(_is_setup, before)):
            yield from _of_loop(written, block, loop)


def _is_setup(statement: ast.stmt) -> bool:
    """Whether a statement makes a reader, or leaves out the line with the names."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.Call()) | ast.Expr(value=ast.Call()):
            return True
    return False


def _of_loop(written: Written, whole: ast.stmt, loop: ast.For) -> Iterator[Rewording]:
    """A loop over lines that collects one number of each, or does something else with it."""
    names = {each.id for each in ast.walk(loop.target) if isinstance(each, ast.Name)}
    steps = [*loop.body]
    while steps and (name := _renames(written, steps[0], names)):
        names.add(name)
        steps.pop(0)
    match steps:
        case [ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]))]:
            begun = next((each for each in written.definition.node.body if _begins(each, name)), None)
            if begun is not None and _is_of_line(written, value, names):
                yield from _instead(written, whole, name, "list[float]", {begun: "", whole: ""})
                return
    atoms = [each for step in steps for each in _atoms(written, step, names)]
    texts = {written.source(each) for each in atoms}
    if len(texts) == 1 and steps:
        name, each = written.fresh(_called(atoms[0])), written.fresh("x", "each")
        first, last = written.definition.span(steps[0]).start, written.definition.span(loop).end
        body = written.text[first:last]
        for atom in sorted((written.definition.span(each) for each in atoms), reverse=True):
            body = body[: atom.start - first] + each + body[atom.end - first :]
        column, inner = whole.col_offset, steps[0].col_offset
        lines = body.splitlines(keepends=True)
        inside = " " * (column + 4)
        moved = lines[0] + "".join(inside + line[inner:] if line.strip() else line for line in lines[1:])
        made = f"for {each} in {name}:\n{inside}{moved}"
        texts_of = any(_compares_text(node) for step in steps for node in ast.walk(step))
        yield from _instead(written, whole, name, "list[str]" if texts_of else "list[float]", {whole: made})


def _compares_text(node: ast.AST) -> bool:
    operands = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    return any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in operands)


def _renames(written: Written, statement: ast.stmt, names: set[str]) -> str:
    """The name that a statement gives a line, or a part of one."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_of_line(written, value, names):
            return name
    return ""


def _is_of_line(written: Written, node: ast.AST, names: set[str]) -> bool:
    """Whether something is a line, or a part of one, as text or as a number."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.Subscript(value=value, slice=ast.Constant()):
            return _is_of_line(written, value, names)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _PLAIN_METHODS:
            return _is_of_line(written, value, names)
        case ast.Call(args=[value]) if written.called(node) in _PLAIN:
            return _is_of_line(written, value, names)
    return False


def _atoms(written: Written, node: ast.AST, names: set[str]) -> Iterator[ast.expr]:
    """The longest parts of a statement that are parts of a line."""
    if isinstance(node, ast.expr) and _is_of_line(written, node, names):
        yield node
        return
    for each in ast.iter_child_nodes(node):
        yield from _atoms(written, each, names)


def _called(atom: ast.expr) -> str:
    """What the numbers are called: by the key that they stand behind."""
    for each in ast.walk(atom):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
            return each.value.lower()
    return "values"


def _begins(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=of)], value=ast.List(elts=[])):
            return of == name
        case ast.AnnAssign(target=ast.Name(id=of), value=ast.List(elts=[])):
            return of == name
    return False


def _instead(written: Written, where: ast.stmt, name: str, base: str, made: dict[ast.stmt, str]) -> Iterator[Rewording]:
    """A parameter, in the place of those that are used for nothing but to find the file."""
    used = [each.id for each in written.nodes if isinstance(each, ast.Name)]
    inside = [each.id for each in ast.walk(where) if isinstance(each, ast.Name)]
    params = written.definition.parameters
    only = [each for each in params if each.name in inside and used.count(each.name) == inside.count(each.name)]
    if any(each.name == name for each in params) or any(each.has_default for each in only):
        return
    declared = f"{name}: {base}" if base else name
    edits = [written.edit(each, text) if text else written.line(each) for each, text in made.items()]
    edits += [*_in_header(written, declared, only)]
    title = f"read the file outside of the function, and pass `{declared}`"
    yield Rewording(title, tuple(sorted(edits)))


def _in_header(written: Written, declared: str, only: list[Parameter]) -> Iterator[Edit]:
    if only:
        yield Edit(only[0].span, declared)
        return
    params = written.definition.parameters
    if params:
        start = params[0].span.start
        yield Edit(Span(start, start), f"{declared}, ")
        return
    start = written.text.index("(", written.definition.span(written.definition.node).start) + 1
    yield Edit(Span(start, start), declared)
