"""Private methods of classes as functions, which the methods call: what a method reads of its object is given to the
function, so that it can be said whom that protects."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence

from dp_lsp import intents
from dp_lsp.builtins.remedies import DATASETS
from dp_lsp.core.annotation import NumberOf
from dp_lsp.core.types import Base
from dp_lsp.frontends.python.chunks import items
from dp_lsp.frontends.python.parse import private_methods, read
from dp_lsp.frontends.python.rewriting.declarations import say_what_is_given
from dp_lsp.frontends.python.rewriting.definitions import is_chosen
from dp_lsp.frontends.python.tree import Places, copied
from dp_lsp.intents import Rendering, together
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.text import Span

_MOST_INLINED = 3
_Statements = Sequence[ast.stmt]


class _Made(NamedTuple):
    """A function that is made of a method: its header, its text, and what is changed in the method."""

    header: str
    text: str
    edits: tuple[Edit, ...]


def as_function(code: Rendering, intent: intents.AsFunction, text: str) -> Iterator[Fix]:
    """All private methods of the class, each a function."""
    for each in items(text):
        tree = read(each.text)
        for node in () if isinstance(tree, Problem) else tree.body:
            places = Places(each.text)
            if isinstance(node, ast.ClassDef) and (top := places.span(node).moved(each.start)).covers(
                intent.name.start
            ):
                found = [_made(code, node, method, places, each.start, text) for method in private_methods(node)]
                made = [one for one in found if one is not None]
                functions = Edit(Span(top.start, top.start), "".join(one.text for one in made))
                title = together([f"`{one.header}`" for one in made])
                edits = (functions, *(edit for one in made for edit in one.edits))
                if made:
                    yield Fix(f"write a function, and call it in the method: {title}", edits, False, declares=True)


def _made(
    code: Rendering, around: ast.ClassDef, method: ast.FunctionDef, places: Places, start: int, text: str
) -> _Made | None:
    args = method.args
    if not args.args or args.vararg or args.kwarg or args.kwonlyargs or method.decorator_list or method.returns is None:
        return None
    itself = args.args[0].arg
    books, rest = _apart(_without_text(method.body), method, itself)
    body, calls = _inlined(around, rest, itself)
    body, drawn = _drawn_anew(around, body, itself)
    attributes = _attributes(body, itself)
    if attributes is None or not rest or {*attributes} & {*_written_in(books, itself)}:
        return None
    given, column = _with_column(body, [*_params(method)])
    taken = {each.name for each in given}
    names = {each: f"own_{each.strip('_')}" if each.strip("_") in taken else each.strip("_") for each in attributes}
    name = f"private_{method.name}" if any(each in text for each in _definitions(method.name)) else method.name
    annotated = _annotated(around)
    own = [f"{to}: {annotated[of]}" if of in annotated else to for of, to in names.items()]
    header = ", ".join([*own, *(each.declared for each in given)])
    inner = Span(places.span(_without_text(method.body)[0]).start, places.span(method.body[-1]).end).moved(start)
    if calls or drawn or books or column is not None:
        body = body if column is None else [column.visit(copied(each)) for each in body]
        made = "\n".join(ast.unparse(_WithoutObject(itself, names).visit(copied(each))) for each in body)
    else:
        read = {places.span(each).moved(start): names[each.attr] for each in _read(method.body, itself)}
        made = _written(text, inner, read)
    function = f"def {name}({header}) -> {ast.unparse(method.returns)}:\n{textwrap.indent(made, '    ')}\n\n\n"
    call = ", ".join([*(f"{itself}.{each}" for each in names), *(each.passed for each in given)])
    said = places.span(method.returns).moved(start)
    arrow = text.rindex("->", 0, said.start)
    kept = [text[slice(*places.span(each).moved(start))] for each in books]
    indent = " " * (inner.start - text.rfind("\n", 0, inner.start) - 1)
    written = f"\n{indent}".join([*kept, f"return {name}({call})"])
    edits = Edit(Span(len(text[:arrow].rstrip()), said.end), ""), Edit(inner, written)
    declared = _declared(code, function)
    return _Made(declared[len("def ") : declared.index(") -> ") + 1], declared, edits)


def _declared(code: Rendering, function: str) -> str:
    """The text of a function, with what its parameters are where that is not said."""
    place = function.index("(")
    asked = intents.SayWhatIsGiven(place, DATASETS, (NumberOf(Base.REAL),))
    for fix in say_what_is_given(code, asked, function):
        for edit in sorted(fix.edits, reverse=True):
            function = function[: edit.span.start] + edit.text + function[edit.span.end :]
        return function
    return function


class _Given(NamedTuple):
    """A parameter of a function that is made of a method: how it is declared, and what the method gives it."""

    name: str
    declared: str
    passed: str


_VALUES = "values"


def _with_column(body: list[ast.stmt], given: list[_Given]) -> tuple[list[_Given], _Column | None]:
    """The parameters of a method with one column in place of a table and the name of that column, where no other one is
    used, and what writes it in their places."""
    nodes = [node for each in body for node in ast.walk(each)]
    names = {each.name for each in given}
    keyed = {pair for each in nodes for pair in _keyed(each) if pair[0] in names}
    if len(keyed) != 1 or _VALUES in names:
        return given, None
    ((table, column),) = keyed
    made = _Column(table, column)
    left = [node for each in body for node in ast.walk(made.visit(copied(each))) if isinstance(node, ast.Name)]
    if any(each.id in (table, column) for each in left) or column not in names:
        return given, None
    values = _Given(_VALUES, f"{_VALUES}: pd.Series", f"{table}[{column}]")
    return [values if each.name == table else each for each in given if each.name != column], made


def _keyed(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The name of something of which an expression takes a part by a key that has a name, and that."""
    match node:
        case ast.Subscript(value=ast.Name(id=of), slice=ast.Name(id=key)):
            yield of, key


class _Column(ast.NodeTransformer):
    """Statements with values in place of a column of a table, and of the table where it is asked how long it is."""

    def __init__(self, table: str, column: str) -> None:
        self._table = table
        self._column = column

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if ast.unparse(node) == f"{self._table}[{self._column}]":
            return ast.Name(_VALUES, ast.Load())
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node) == f"len({self._table})":
            node.args = [ast.Name(_VALUES, ast.Load())]
        return self.generic_visit(node)


def _apart(body: list[ast.stmt], method: ast.FunctionDef, itself: str) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statements that count what is spent, which are about the object and what the method is given alone, and the
    others."""
    numbers = (each.arg for each in method.args.args if each.arg == itself or is_chosen(each.arg))
    known = {*numbers, "ValueError", "RuntimeError", "Exception"}
    books = [each for each in body if _keeps_books(each, known, itself)]
    return books, [each for each in body if each not in books]


def _keeps_books(statement: ast.stmt, known: set[str], itself: str) -> bool:
    match statement:
        case (
            ast.AugAssign(target=ast.Attribute(value=ast.Name(id=name)))
            | ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))])
        ):
            is_about_it = name == itself
        case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
            is_about_it = ast.unparse(method).startswith(f"{itself}.")
        case ast.If(body=[ast.Raise()], orelse=[]):
            is_about_it = any(isinstance(each, ast.Name) and each.id == itself for each in ast.walk(statement.test))
        case _:
            is_about_it = False
    return is_about_it and all(each.id in known for each in ast.walk(statement) if isinstance(each, ast.Name))


def _written_in(statements: _Statements, itself: str) -> Iterator[str]:
    """The attributes that statements give a value."""
    return (each.attr for each in _read(statements, itself) if not isinstance(each.ctx, ast.Load))


def _drawn_anew(around: ast.ClassDef, body: _Statements, itself: str) -> tuple[list[ast.stmt], bool]:
    """Statements that draw by the module in place of a generator that the object holds, and whether there is one."""
    held = {
        target.attr
        for node in ast.walk(around)
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == _GENERATOR
        for target in node.targets
        if isinstance(target, ast.Attribute)
    }
    made = [_OfModule(itself, held).visit(copied(each)) for each in body]
    return made, any(ast.dump(one) != ast.dump(other) for one, other in zip(body, made, strict=True))


_GENERATOR = "np.random.default_rng()"


class _OfModule(ast.NodeTransformer):
    """Draws by the module in place of those by a generator that an object holds."""

    def __init__(self, itself: str, held: set[str]) -> None:
        self._itself = itself
        self._held = held

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == self._itself and attr in self._held:
                return ast.Attribute(ast.Name("np", ast.Load()), "random", ast.Load())
        self.generic_visit(node)
        return node


def _definitions(name: str) -> tuple[str, ...]:
    return f"\ndef {name}(", f"\n{name} = "


def _without_text(body: _Statements) -> list[ast.stmt]:
    """Statements without the text that says what they are for."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), _, *_]:
            return [*body[1:]]
    return [*body]


def _params(method: ast.FunctionDef) -> Iterator[_Given]:
    """The parameters of a method but for its object, as they are declared."""
    plain = len(method.args.args) - len(method.args.defaults)
    for index, each in enumerate(method.args.args[1:], 1):
        default = "" if index < plain else f"={ast.unparse(method.args.defaults[index - plain])}"
        yield _Given(each.arg, f"{ast.unparse(each)}{default}", each.arg)


def _annotated(around: ast.ClassDef) -> dict[str, str]:
    """What is said of the attributes that are given to the class, where they are given."""
    found: dict[str, str] = {}
    for method in around.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            said = {each.arg: each.annotation for each in method.args.args if each.annotation is not None}
            for node in ast.walk(method):
                match node:
                    case ast.Assign(targets=[ast.Attribute(attr=attr)], value=ast.Name(id=name)) if name in said:
                        found[attr] = ast.unparse(said[name])
    return found


def _read(body: _Statements, itself: str) -> Iterator[ast.Attribute]:
    """The attributes of the object that statements read, in the order of the text."""
    found = [
        node
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == itself
    ]
    return iter(sorted(found, key=lambda each: (each.lineno, each.col_offset)))


def _attributes(body: _Statements, itself: str) -> list[str] | None:
    """Their names; None where statements do anything else with the object."""
    found = [*_read(body, itself)]
    names = [node for each in body for node in ast.walk(each) if isinstance(node, ast.Name) and node.id == itself]
    if len(names) != len(found) or not all(isinstance(each.ctx, ast.Load) for each in found):
        return None
    return [*dict.fromkeys(each.attr for each in found)]


def _written(text: str, body: Span, read: dict[Span, str]) -> str:
    """Statements as they are written, with names in the place of attributes."""
    indent = body.start - text.rfind("\n", 0, body.start) - 1
    made = text[slice(*body)]
    for span in sorted(read, reverse=True):
        made = made[: span.start - body.start] + read[span] + made[span.end - body.start :]
    return textwrap.dedent(" " * indent + made)


class _WithoutObject(ast.NodeTransformer):
    """Statements with names in place of the attributes of an object."""

    def __init__(self, itself: str, names: dict[str, str]) -> None:
        self._itself = itself
        self._names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == self._itself:
                return ast.Name(self._names[attr], ast.Load())
        self.generic_visit(node)
        return node


def _inlined(around: ast.ClassDef, body: _Statements, itself: str) -> tuple[list[ast.stmt], bool]:
    """Statements with what other methods return in place of calls of these, where that is one expression, and whether
    there are such calls."""
    returned: dict[str, tuple[list[str], ast.expr]] = {}
    for method in around.body:
        if isinstance(method, ast.FunctionDef) and method.args.args and not method.args.defaults:
            match _without_text(method.body):
                case [ast.Return(value=ast.expr() as value)]:
                    returned[method.name] = [each.arg for each in method.args.args], value
    made = [copied(each) for each in body]
    for _ in range(_MOST_INLINED):
        made = [_Inlined(itself, returned).visit(each) for each in made]
    return made, any(ast.dump(one) != ast.dump(other) for one, other in zip(body, made, strict=True))


class _Inlined(ast.NodeTransformer):
    def __init__(self, itself: str, returned: dict[str, tuple[list[str], ast.expr]]) -> None:
        self._itself = itself
        self._returned = returned

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), keywords=[]) if (
                name == self._itself and attr in self._returned
            ):
                params, value = self._returned[attr]
                if len(params) == len(node.args) + 1:
                    given = dict(zip(params, [ast.Name(name, ast.Load()), *node.args], strict=True))
                    made: ast.expr = Given(given).visit(copied(value))
                    return made
        return node


class Given(ast.NodeTransformer):
    """An expression with others in place of names."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name is given
        return copied(self._given[node.id]) if node.id in self._given else node
