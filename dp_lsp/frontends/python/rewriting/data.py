"""Data that a private function, or the body of a file, reads itself: whom they protect is said where they are read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from dp_lsp import intents
from dp_lsp.frontends.python.names import READS_ARRAYS, READS_TABLES
from dp_lsp.frontends.python.rewriting.declarations import declared_as
from dp_lsp.frontends.python.rewriting.definitions import (
    Definition,
    Parameter,
    body_of,
    definition_around,
    definitions,
    is_chosen,
    program,
)
from dp_lsp.frontends.python.rewriting.imports import Origins, called, origins
from dp_lsp.frontends.python.rewriting.reading import FILES
from dp_lsp.frontends.python.rewriting.rewording import Rewording, Written
from dp_lsp.frontends.python.tree import copied
from dp_lsp.intents import Rendering, together
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_TABLE, _ARRAY, _LIST = "pd.DataFrame", "np.ndarray", "list"
_PRIVATE = "Private"


def say_what_is_read(code: Rendering, intent: intents.SayWhatIsRead, text: str) -> Iterator[Fix]:
    """With the columns that are used. A function that is not private only reads, perhaps: what calls it says it."""
    known, functions = origins(text), {each.node.name: each for each in definitions(text)}
    readers = _readers(functions, known)
    for body in _bodies(intent, text, functions, readers):
        found = next(_read_in(body.node.body, readers, known), None)
        if found is None:
            yield from _by_a_function(intent, body, text, readers)
            yield from _handed(intent, body, text, readers)
            continue
        span, whole = body.span(found[0]), _with_helpers(body, found[0].id, functions)
        beside = [*settings(Written(body, text, known), functions), *_chosen(body)]
        for type_ in intent.types:
            declared, whom = declared_as(whole, Parameter(found[0].id, span, None, False), type_, found[1])
            if declared:
                title = together([f"protect {whom}: `{declared}`", *(each.title for each in beside)])
                edits = (Edit(span, declared), *(edit for each in beside for edit in each.edits))
                yield Fix(title, tuple(sorted(edits)), sure=False, declares=True)


def _bodies(
    intent: intents.SayWhatIsRead, text: str, functions: Mapping[str, Definition], readers: Mapping[str, str]
) -> Iterator[Definition]:
    """Where the data may be read: the private function around a place, those that call the reader there, and the body
    of the file."""
    around = None if intent.place is None else definition_around(text, intent.place)
    private = [each for each in functions.values() if _is_private(each.node)]
    asks = around is not None and _asks(around.node)
    if around is not None and around.node.name not in readers and not asks:
        private = [each for each in private if each.node.name == around.node.name]
    yield from private
    whole = body_of(text)
    if whole is not None and (around is None or around.node.name in readers or asks):
        yield whole


def _is_private(node: ast.FunctionDef) -> bool:
    return node.returns is not None and ast.unparse(node.returns).rpartition(".")[2] == _PRIVATE


def _readers(functions: Mapping[str, Definition], known: Origins) -> dict[str, str]:
    """The functions that read and are not private, each with what holds what they read."""
    found: dict[str, str] = {}
    for _ in functions:
        for name, each in functions.items():
            base = "" if _is_private(each.node) else _base(each.node, found, known)
            if base:
                found[name] = base
    return found


def _base(node: ast.AST, readers: Mapping[str, str], known: Origins) -> str:
    """What holds what something reads; empty where it reads nothing."""
    paths = [called(each, known) for each in ast.walk(node) if isinstance(each, ast.Call)]
    bases = [_BASES.get(path) or readers.get(path, "") for path in paths]
    return next((each for each in (_TABLE, _ARRAY, _LIST) if each in bases), "")


_BASES = {
    **dict.fromkeys(READS_TABLES, _TABLE),
    **dict.fromkeys(READS_ARRAYS, _ARRAY),
    **dict.fromkeys(FILES - {"pathlib.Path"}, _LIST),
}


def _read_in(body: list[ast.stmt], readers: Mapping[str, str], known: Origins) -> Iterator[tuple[ast.Name, str]]:
    """The names that statements give what they read, and what holds that. Of rows of which one part is taken, and which
    are used for nothing else, that is what is taken."""
    for index, statement in enumerate(body):
        match statement:
            case ast.Assign(targets=[ast.Name() as name], value=value) if base := _base(value, readers, known):
                yield _taken_of(name, body[index + 1 :]) or (name, base)
            case ast.With() if _base(statement, readers, known):
                given = [each for each in ast.walk(statement) if isinstance(each, ast.Assign)]
                for each in given:
                    match each.targets:
                        case [ast.Name() as name] if (taken := _taken_of(name, body[index + 1 :])) is not None:
                            yield taken


def _by_a_function(
    intent: intents.SayWhatIsRead, body: Definition, text: str, readers: Mapping[str, str]
) -> Iterator[Fix]:
    """Statements with which a function begins, and which read one list or array, in a function of their own."""
    node, known = body.node, origins(text)
    reads = [index for index, each in enumerate(node.body) if _base(each, readers, known)]
    if not node.name or not reads:
        return
    end = reads[-1] + 1
    while end < len(node.body) and _as_array(node.body[end]):
        end += 1
    first, rest = node.body[:end], node.body[end:]
    bound = {each.id for part in first for each in ast.walk(part) if _is_given(each)}
    read = {each.id for part in rest for each in ast.walk(part) if isinstance(each, ast.Name)}
    live = sorted(bound & read)
    leaves = any(isinstance(each, ast.Return) for part in first for each in ast.walk(part))
    if len(live) != 1 or leaves or not any(_begins(each, live[0]) for each in first):
        return
    name, base = live[0], _ARRAY if _as_array(first[-1]) else _LIST
    inside = {each.id for part in first for each in ast.walk(part) if isinstance(each, ast.Name)}
    given = ", ".join(each.name for each in body.parameters if each.name in inside)
    made, start, header = f"read_{name}", body.span(first[0]).start, body.span(node).start
    moved = text[text.rindex("\n", 0, start) + 1 : body.span(first[-1]).end]
    indent = moved[: len(moved) - len(moved.lstrip())]
    function = f"def {made}({given}):\n{moved}\n{indent}return {name}\n\n\n"
    for type_ in intent.types:
        declared, whom = declared_as(body, Parameter(name, body.span(first[0]), None, False), type_, base)
        if declared and made not in text:
            said = f"{declared} = {made}({given})"
            title = together([f"protect {whom}: `{said}`", *(each.title for each in _chosen(body))])
            edits = [Edit(Span(header, header), function), Edit(Span(start, body.span(first[-1]).end), said)]
            edits += (edit for each in _chosen(body) for edit in each.edits)
            yield Fix(title, tuple(sorted(edits)), sure=False, declares=True)


def _handed(intent: intents.SayWhatIsRead, body: Definition, text: str, readers: Mapping[str, str]) -> Iterator[Fix]:
    """What the body of the file reads, and a function uses by its name, is handed to the function."""
    node, known, module, whole = body.node, origins(text), body_of(text), program(text)
    if not node.name or module is None or whole is None:
        return
    own = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    own |= {each.id for each in ast.walk(node) if _is_given(each)}
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - own
    calls = [
        each for each in ast.walk(whole.tree) if isinstance(each, ast.Call) and ast.unparse(each.func) == node.name
    ]
    for found, base in _read_in(module.node.body, readers, known):
        for type_ in intent.types if found.id in used else ():
            declared, whom = declared_as(body, Parameter(found.id, body.span(node), None, False), type_, base)
            if declared:
                edits = [_first(text, body.span(node).start, declared, bool(node.args.args))]
                ends = ((whole.places.span(each.func).end, each.args or each.keywords) for each in calls)
                edits += (_first(text, end, found.id, bool(given)) for end, given in ends)
                title = together([f"protect {whom}, and hand it over: `{declared}`", *map(_title, _chosen(body))])
                edits += (edit for each in _chosen(body) for edit in each.edits)
                yield Fix(title, tuple(sorted(edits)), sure=False, declares=True)


def _first(text: str, place: int, given: str, goes_on: bool) -> Edit:
    """What stands first in the next brackets."""
    at = text.index("(", place) + 1
    return Edit(Span(at, at), f"{given}, " if goes_on else given)


def _title(rewording: Rewording) -> str:
    return rewording.title


def _begins(statement: ast.stmt, name: str) -> bool:
    """Whether a statement begins a list."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=given)], value=ast.List()):
            return given == name
    return False


def _as_array(statement: ast.stmt) -> bool:
    """Whether a statement makes an array of a list, under the same name."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[ast.Name(id=of)], keywords=[])):
            return name == of and ast.unparse(func) in ("np.array", "np.asarray", "numpy.array", "numpy.asarray")
    return False


def _is_given(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _chosen(body: Definition) -> Iterator[Rewording]:
    """The numbers that somebody chooses, and the function is given, are public."""
    for each in body.parameters:
        said = each.annotation
        if is_chosen(each.name) and (said is None or ast.unparse(said) in ("float", "int")):
            declared = f"{each.name}: Static[{'int' if said is not None and ast.unparse(said) == 'int' else 'float'}]"
            yield Rewording(f"`{declared}`", (Edit(each.span, declared),))


def _taken_of(name: ast.Name, after: list[ast.stmt]) -> tuple[ast.Name, str] | None:
    uses = [each for part in after for each in ast.walk(part) if isinstance(each, ast.Name) and each.id == name.id]
    for statement in after:
        match statement:
            case ast.Assign(
                targets=[ast.Name() as taken], value=ast.ListComp(generators=[ast.comprehension(iter=ast.Name() as of)])
            ) if uses == [of]:
                return taken, _LIST
    return None


def _with_helpers(body: Definition, name: str, functions: Mapping[str, Definition]) -> Definition:
    """A definition with what the functions do that it gives something, as if it stood there."""
    node = body.node
    statements = [*node.body]
    for each in ast.walk(ast.Module(node.body, [])):
        match each:
            case ast.Call(func=ast.Name(id=of), args=args) if of in functions and of != node.name:
                helper = functions[of].node
                given = dict(zip((arg.arg for arg in helper.args.args), args, strict=False))
                if any(isinstance(arg, ast.Name) and arg.id == name for arg in given.values()):
                    statements += (_Renamed(given).visit(copied(part)) for part in helper.body)
    return body._replace(node=ast.FunctionDef(node.name, node.args, statements, [], None))


class _Renamed(ast.NodeTransformer):
    """Statements with names and texts in place of the parameters that are given them."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = {name: each for name, each in given.items() if isinstance(each, ast.Name | ast.Constant)}

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name is given
        return copied(self._given[node.id]) if node.id in self._given else node


def settings(written: Written, functions: Mapping[str, Definition]) -> Iterator[Rewording]:
    """Numbers that a command line or the surroundings of a program say, ``args.epsilon``, are said to be public."""
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="parse_args"))):
                yield from _of_command_line(written, statement, name, written.nodes)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=of))) if (
                of in functions and _asks(functions[of].node)
            ):
                yield from _of_command_line(written, statement, name, [*ast.walk(functions[of].node)])
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if _is_told(value):
                kind = "int" if ast.unparse(value).startswith("int") else "float"
                declared = f"{name}: Static[{kind}]"
                yield Rewording(f"say that it is public: `{declared}`", (written.edit(target, declared),))


def _asks(node: ast.FunctionDef) -> bool:
    """Whether a function returns what a command line says."""
    match node.body[-1]:
        case ast.Return(value=ast.Call(func=ast.Attribute(attr="parse_args"))):
            return True
    return False


def _of_command_line(written: Written, statement: ast.Assign, name: str, asked: list[ast.AST]) -> Iterator[Rewording]:
    """The numbers of which the parser is told the type, each under its own name, where it is computed with."""
    types = dict(_numbers_asked_for(asked))
    fields = [each for each in written.nodes if isinstance(each, ast.Attribute) and ast.unparse(each.value) == name]
    used = [each for each in fields if each.attr in types and each.attr not in written.names]
    if not used:
        return
    start = written.definition.span(statement)
    line = written.text[written.text.rfind("\n", 0, start.start) + 1 : start.start]
    declared = {each.attr: f"{each.attr}: Static[{types[each.attr]}] = {written.source(each)}" for each in used}
    said = "".join(f"\n{line}{each}" for each in declared.values())
    edits = (Edit(Span(start.end, start.end), said), *(written.edit(each, each.attr) for each in used))
    title = " and ".join(f"`{each}`" for each in declared.values())
    yield Rewording(f"say that it is public: {title}", edits)


def _numbers_asked_for(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="add_argument"), args=names, keywords=keywords):
                types = [ast.unparse(each.value) for each in keywords if each.arg == "type"]
                given = [each.value for each in names if isinstance(each, ast.Constant)]
                if types and types[0] in ("float", "int") and given:
                    yield str(given[-1]).lstrip("-").replace("-", "_"), types[0]


def _is_told(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Name(id="float" | "int"), args=[inner]):
            return ast.unparse(inner).startswith(_SURROUNDINGS)
    return False


_SURROUNDINGS = ("sys.argv[", "os.environ[", "os.environ.get(", "os.getenv(")
"""What tells what somebody chose for a run."""
