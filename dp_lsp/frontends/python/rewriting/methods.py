"""Private methods of classes as functions, which the methods call: what a method reads of its object is given to the
function, so that it can be said whom that protects."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence

from dp_lsp import intents
from dp_lsp.frontends.python.chunks import items
from dp_lsp.frontends.python.parse import private_methods, read
from dp_lsp.frontends.python.places import Places
from dp_lsp.frontends.python.tree import copied
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
                found = [_made(node, method, places, each.start, text) for method in private_methods(node)]
                made = [one for one in found if one is not None]
                functions = Edit(Span(top.start, top.start), "".join(one.text for one in made))
                title = together([f"`{one.header}`" for one in made])
                edits = (functions, *(edit for one in made for edit in one.edits))
                if made:
                    yield Fix(f"write a function, and call it in the method: {title}", edits, False, declares=True)


def _made(around: ast.ClassDef, method: ast.FunctionDef, places: Places, start: int, text: str) -> _Made | None:
    args = method.args
    if not args.args or args.vararg or args.kwarg or args.kwonlyargs or method.decorator_list or method.returns is None:
        return None
    itself, given = args.args[0].arg, args.args[1:]
    body, calls = _inlined(around, _without_text(method.body), itself)
    attributes = _attributes(body, itself)
    if attributes is None:
        return None
    taken = {each.arg for each in given}
    names = {each: f"own_{each.strip('_')}" if each.strip("_") in taken else each.strip("_") for each in attributes}
    name = f"private_{method.name}" if any(each in text for each in _definitions(method.name)) else method.name
    annotated = _annotated(around)
    own = [f"{to}: {annotated[of]}" if of in annotated else to for of, to in names.items()]
    header = ", ".join([*own, *_params(method)])
    inner = Span(places.span(_without_text(method.body)[0]).start, places.span(method.body[-1]).end).moved(start)
    if calls:
        made = "\n".join(ast.unparse(_WithoutObject(itself, names).visit(copied(each))) for each in body)
    else:
        read = {places.span(each).moved(start): names[each.attr] for each in _read(method.body, itself)}
        made = _written(text, inner, read)
    function = f"def {name}({header}) -> {ast.unparse(method.returns)}:\n{textwrap.indent(made, '    ')}\n\n\n"
    call = ", ".join([*(f"{itself}.{each}" for each in names), *(each.arg for each in given)])
    said = places.span(method.returns).moved(start)
    arrow = text.rindex("->", 0, said.start)
    edits = Edit(Span(len(text[:arrow].rstrip()), said.end), ""), Edit(inner, f"return {name}({call})")
    return _Made(f"{name}({header})", function, edits)


def _definitions(name: str) -> tuple[str, ...]:
    return f"\ndef {name}(", f"\n{name} = "


def _without_text(body: _Statements) -> list[ast.stmt]:
    """Statements without the text that says what they are for."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), _, *_]:
            return [*body[1:]]
    return [*body]


def _params(method: ast.FunctionDef) -> Iterator[str]:
    """The parameters of a method but for its object, as they are declared."""
    plain = len(method.args.args) - len(method.args.defaults)
    for index, each in enumerate(method.args.args[1:], 1):
        default = "" if index < plain else f"={ast.unparse(method.args.defaults[index - plain])}"
        yield f"{ast.unparse(each)}{default}"


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
