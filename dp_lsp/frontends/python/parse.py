"""A chunk of Python to surface nodes, by the standard library's own parser.

That has no tree of what it cannot read, so a chunk that is broken is one problem at its place, and a function of which
nothing but the name is known. Limits of length and nesting come before those of the parser, which differ by version and
may be those of the process.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Container, Iterator, Mapping

from dp_lsp import surface
from dp_lsp.frontends.problems import NestedTooDeeply, SyntaxProblem
from dp_lsp.frontends.python.annotations import says_data, with_annotations
from dp_lsp.frontends.python.chunks import comments, pieces
from dp_lsp.frontends.python.constants import assignments
from dp_lsp.frontends.python.effects import effects
from dp_lsp.frontends.python.functions import function, named_lambda
from dp_lsp.frontends.python.functions_named import with_functions
from dp_lsp.frontends.python.generators import handle
from dp_lsp.frontends.python.imports import loads, nothing_said
from dp_lsp.frontends.python.kinds import GENERATING
from dp_lsp.frontends.python.names import (
    ALIASES,
    ALL_OF,
    BASES,
    FUTURE,
    GENERATORS,
    IMPORTED,
    LOGGERS,
    OWN_MODULE,
    RUNNING,
    SEEDS,
    WORDS,
    dotted,
    reaches_out,
)
from dp_lsp.frontends.python.notebooks import order, spoken
from dp_lsp.frontends.python.objects import NO_OBJECTS, Objects, Plain, methods, plain, why_not, with_objects
from dp_lsp.frontends.python.outputs import makes_log
from dp_lsp.frontends.python.releasing import SETTING_UP
from dp_lsp.frontends.python.releasing.makers import Maker, maker, with_makers
from dp_lsp.frontends.python.releasing.opacus import BY_NAME
from dp_lsp.frontends.python.tree import Places, children, walk
from dp_lsp.frontends.python.written_out import with_lists
from dp_lsp.problem import Problem
from dp_lsp.surface import Node, Opaque, Parsed, Remark, Summary
from dp_lsp.text import Span

_MOST_NESTED = 90
_OPERATORS_IN_A_ROW = re.compile(r"(?:[-+~][ \t]*|\bnot[ \t]+|\blambda[ \t]*:[ \t]*|\*){60}")
_SIGN = "#"
_SPEAKS = re.compile(r"#[ \t]*dp:")


def parse(
    chunk: str,
    named: Mapping[str, ast.expr],
    makers: Mapping[str, Maker],
    listed: Mapping[str, ast.expr],
    objects: Objects,
    functions: Mapping[str, str],
    drawing: Container[str],
) -> Parsed:
    """The top-level nodes of a chunk, where names stand for annotations, for lists, for objects and for functions of
    modules, functions for the mechanisms that they make, and others are ``drawing`` noise, and what is wrong with
    it."""
    late = order(chunk)
    if late is not None:
        return Parsed((), (late,))
    made, said = read(chunk), tuple(remarks(chunk))
    if isinstance(made, Problem) and (magic := spoken(chunk)) is not None:
        return Parsed((magic,), (), said)
    if isinstance(made, Problem):
        return Parsed((unread(chunk),), (made,), said)
    made = with_functions(made, functions)
    made = with_lists(with_makers(with_annotations(made, chunk, named), makers), listed)
    made = with_objects(made, objects)
    places = Places(chunk)
    nodes = tuple(node for each in made.body for node in item(each, places, objects))
    return Parsed(nodes, tuple(nothing_said(chunk, made, places, drawing)), said, loads=tuple(loads(made, places)))


def read(chunk: str) -> ast.Module | Problem:
    """The tree of a text, or what is wrong with it."""
    text = f" {chunk[1:]}" if chunk.startswith("\ufeff") else chunk
    deep = _too_deep(chunk)
    if deep is not None:
        return NestedTooDeeply.at(Span(deep, deep + 1), limit=_MOST_NESTED)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.lstrip("\x0c ") if text is not chunk else text)
    except SyntaxError as error:
        return _explained(chunk, error)
    except (ValueError, RecursionError, MemoryError, OverflowError):
        place = max(chunk.find("\0"), 0)
        reason = "this text cannot be read: it holds a null character, or is nested too deeply"
        return SyntaxProblem.at(Span(place, place + 1), reason=reason)
    deepest = _deeper(tree)
    return tree if deepest is None else NestedTooDeeply.at(Places(chunk).span(deepest), limit=_MOST_NESTED)


def item(node: ast.stmt, places: Places, objects: Objects = NO_OBJECTS) -> Iterator[Node]:
    """A statement at top level."""
    span = places.span(node)
    match node:
        case ast.FunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]) if name in BY_NAME:
            yield Opaque(*span, f"another meaning of `{name}`", effects(node))
        case ast.FunctionDef():
            yield definition(node, places)
        case ast.Import() | ast.ImportFrom() if not effects(node).anything:
            yield from _imported(node, places)
        case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Call(func=func, args=[], keywords=[])) if (
            name in GENERATORS and dotted(func) == (GENERATING.partition(".")[0], GENERATING)
        ):
            generator = handle(Span(span.end, span.end))
            yield surface.Assign(*span, surface.Name(*places.span(target), name), generator, constant=True)
        case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Call() as call) if (
            name in LOGGERS and makes_log(call)
        ):
            value = surface.Tuple(span.end, span.end, ())
            yield surface.Assign(*span, surface.Name(*places.span(target), name), value, constant=True)
        case ast.Assign(targets=[ast.Name() as target], value=ast.Lambda() as value):
            yield function(named_lambda(target, value), places)
        case ast.If(test=test, body=body, orelse=[]) if _is_for_types(test, body):
            for each in body:
                yield from item(each, places)
        case ast.Assign() | ast.AnnAssign() if (made := assignments(node, places)) is not None:
            yield from made
        case ast.Expr(value=ast.Constant(value=str() as text)):
            yield surface.Text(*span, text)
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            pass
        case ast.ClassDef() if (of := plain(node, objects.has_dataclass)) is not None and not private_methods(node):
            yield from _class(node, of, objects, places)
        case ast.ClassDef() if methods := private_methods(node):
            place = places.name_after(places.span(methods[0]).start, "def")
            yield Opaque(*place, _METHOD.format(methods[0].name), effects(node))
        case ast.Expr(value=ast.Call(func=func)) if sets_up(node):
            home, _ = dotted(func) or ("", "")
            yield surface.Name(span.start, span.start + len(home), home)
        case _:
            what, does = _named(node, objects), effects(node)
            if does.binds and not (does.anything or does.outside or any(map(_says_data, walk(node)))):
                yield surface.Unfollowed(*span, f"{what} gives it a value that is not followed", does)
            else:
                yield Opaque(*span, what, does)


def definition(node: ast.FunctionDef, places: Places) -> Node:
    """The definition of a function. One that makes a mechanism is read where it is called, and stands for nothing by
    itself."""
    if maker(node) is not None:
        span = places.span(node)
        return surface.Assign(
            *span, surface.Name(*span, node.name), surface.Tuple(span.end, span.end, ()), constant=True
        )
    return function(node, places)


def _class(node: ast.ClassDef, of: Plain, objects: Objects, places: Places) -> Iterator[Node]:
    """A class whose objects are what they are made of: the type of a tuple whose items have names, and a function for
    each method. Whatever else its name is used for is not followed."""
    span, name = places.span(node), places.name_after(places.span(node).start, "class")
    yield surface.Unfollowed(*span, _ONLY_HERE.format(node.name), Summary(binds=frozenset({node.name})))
    types = (surface.TypeExpr(*name, said, written=said) for said in of.types.values())
    fields = (surface.Parameter(*name, field, said, None, "plain") for field, said in zip(of.types, types, strict=True))
    yield surface.Structure(*span, "a class", Summary(), of.making, tuple(fields), False)
    for each in methods(of, {**objects.classes, node.name: of}):
        yield function(each, places)


_ONLY_HERE = "the class `{}`, whose objects are followed in its own file alone, where a call makes them"
_METHOD = "the private method `{}` of a class (write a function, and call it in the method)"


def private_methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    """The methods of a class that say that they are private."""
    methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
    return [each for each in methods if each.returns and ast.unparse(each.returns).partition("[")[0] in _PRIVATE]


_PRIVATE = frozenset({"Private", "dp_types.Private"})


def _says_data(node: ast.AST) -> bool:
    return isinstance(node, ast.AnnAssign) and says_data(node.annotation)


def sets_up(node: ast.stmt) -> bool:
    """Whether a statement tells a library which of its parts are used, and does nothing else."""
    match node:
        case ast.Expr(value=ast.Call(func=func, args=args, keywords=[])):
            found = dotted(func)
            return found is not None and found[1] in SETTING_UP and all(isinstance(each, ast.Constant) for each in args)
    return False


def _is_for_types(test: ast.expr, body: list[ast.stmt]) -> bool:
    """Whether an ``if`` imports what annotations name, where nothing runs, and no more. Where it runs, it is an import
    like any other."""
    found = dotted(test)
    imports = all(isinstance(each, ast.Import | ast.ImportFrom) and not effects(each).anything for each in body)
    return found is not None and found[1] in ("TYPE_CHECKING", "typing.TYPE_CHECKING") and imports


def _imported(node: ast.Import | ast.ImportFrom, places: Places) -> Iterator[Node]:
    """What an import brings: words of annotations, modules of which functions are known, each of which stands for
    nothing by itself, and names of which nothing is known."""
    span = places.span(node)
    module = f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""
    brought = []
    if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        others = sorted(ALL_OF[module] - _OWN.get(module, frozenset()))
        known = (each for each in others if ALIASES.get(f"{module}.{each}") is None)
        brought += [surface.Brought(each, each, module, False) for each in known]
    for each in node.names:
        here = each.asname or (each.name if module else each.name.partition(".")[0])
        there = f"{module}.{each.name}" if module else each.name
        if module and (each.name == "*" or (here == each.name and here in _OWN.get(module, ()))):
            continue
        if BASES.get(here) == ALIASES.get(there, there):
            continue
        if IMPORTED.get(here) == there:
            empty = surface.Tuple(span.end, span.end, ())
            yield surface.Assign(*places.span(each), surface.Name(*places.span(each), here), empty, constant=True)
        else:
            brought.append(surface.Brought(here, each.name, module, False))
    if brought:
        yield surface.Import(*span, (), tuple(brought))


_OWN = {OWN_MODULE: frozenset(WORDS), "typing": frozenset({"Annotated"}), "__future__": FUTURE}
"""The words that imports bring by their own names."""


def _named(node: ast.stmt, objects: Objects) -> str:
    """A statement at top level that is not followed, with what to do about it where that is known."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr))) if attr in SEEDS:
            return "a seed, with which noise can be drawn again, so that it hides nothing (leave it out),"
        case ast.ClassDef() if why := why_not(node, objects.has_dataclass):
            return f"a class whose objects are not followed, as {why},"
        case ast.ImportFrom(names=[ast.alias(name="*")]):
            return "an import by `*`, which may give any name another meaning (name what is used),"
    return _ITEMS.get(type(node), "this statement")


_ITEMS: dict[type[ast.stmt], str] = {
    ast.ClassDef: "a class",
    ast.AsyncFunctionDef: "`async`",
    ast.Import: "an import of a module that is not followed",
    ast.ImportFrom: "an import of a module that is not followed",
    ast.If: "an `if` at top level",
    ast.For: "a loop at top level",
    ast.While: "a loop at top level",
    ast.With: "a `with` block at top level",
    ast.Try: "a `try` block at top level",
    ast.Expr: "an expression at top level",
    ast.Assign: "this assignment at top level",
    ast.AnnAssign: "this assignment at top level",
    ast.AugAssign: "this assignment at top level",
    ast.Delete: "`del` at top level",
}


# What cannot be read


_NAME = re.compile(r"[^\W\d]\w*")
_DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+([^\W\d]\w*)", re.MULTILINE)
_BOUND = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^([^\W\d]\w*)",
        r"^type[ \t]+([^\W\d]\w*)",
        r"([^\W\d]\w*)\s*:=",
        r"\bas[ \t(]+([^\W\d]\w*)",
        r"\bfor\b([^:\n]*?)\bin\b",
    )
)
"""Where a name may get a value in text that cannot be read: also what a newer Python would read."""
_FAR_REACHING = re.compile(
    r"(?m:^[ \t]*[%!][ \t]*\w)|=[ \t]*[%!][ \t]*\w|"
    r"\bimport\b|\bglobal\b|\.[ \t]*\w+(?:[ \t]*\[[^\]\n]*\])?[ \t]*(?:[-+*/%@&|^]|//|>>|<<|\*\*)?=(?!=)"
)
_DEEP_LINE = re.compile(rf"^(?:[ ]{{{4 * _MOST_NESTED}}}|\t{{{_MOST_NESTED}}})", re.MULTILINE)


def unread(chunk: str, start: int = 0) -> surface.Unread:
    """A text that cannot be read, which begins at ``start``: the function that its beginning defines, if it does, and
    what it may do."""
    words = {found[0] for found in _NAME.finditer(chunk)}
    reaching = sorted(word for word in words if word in RUNNING or reaches_out(word))
    anything = reaching[0] if reaching else "text that cannot be read" if _FAR_REACHING.search(chunk) else ""
    defined = _DEFINED.search(chunk)
    places = (place for pattern in _BOUND for place in pattern.findall(chunk))
    bound = {word for place in places for word in _NAME.findall(place)}
    defines = frozenset(found[1] for found in _DEFINED.finditer(chunk))
    does = Summary(frozenset(words), frozenset(bound) | defines, anything=anything)
    name = surface.Name(start + defined.start(1), start + defined.end(1), defined[1]) if defined else None
    return surface.Unread(start, start + len(chunk), "text that cannot be read", does, name, defines)


def _explained(chunk: str, error: SyntaxError) -> Problem:
    """What Python says of text that it cannot read, at the place that it names."""
    places = Places(chunk)
    line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
    start = places.in_line(line, column)
    message = error.msg or "invalid syntax"
    end = min(start + 1, len(chunk))
    return SyntaxProblem.at(Span(min(start, max(end - 1, 0)), end), reason=f"Python cannot read this: {message}")


def _too_deep(chunk: str) -> int | None:
    """Where brackets, blocks or signs are nested more deeply than is followed."""
    depth = 0
    for piece in pieces(chunk):
        depth += (piece.kind == "open") - (piece.kind == "close")
        if depth > _MOST_NESTED:
            return piece.start
    found = _OPERATORS_IN_A_ROW.search(chunk) or _DEEP_LINE.search(chunk)
    return None if found is None else found.start()


def _deeper(tree: ast.AST) -> ast.AST | None:
    """A node that is nested more deeply than is followed."""
    level: list[ast.AST] = [tree]
    for _ in range(_MOST_NESTED):
        level = [child for node in level for child in children(node)]
    return next((node for node in level if hasattr(node, "lineno")), None)


def remarks(chunk: str) -> Iterator[Remark]:
    """Comments that speak to the checker: about their line or, alone on a line, about the next one of code."""
    for span in comments(chunk):
        if not _SPEAKS.match(chunk, span.start):
            continue
        line = max(chunk.rfind("\n", 0, span.start), chunk.rfind("\r", 0, span.start)) + 1
        target = Span(line, span.end) if chunk[line : span.start].strip() else _below(chunk, span.end)
        yield Remark(span, target, _SIGN, chunk[span.start + len(_SIGN) : span.end])


def _below(chunk: str, end: int) -> Span:
    for found in re.compile(r"(?:\r\n|\r|\n)([^\r\n]*)").finditer(chunk, end):
        if not found[1].lstrip().startswith("#"):
            return Span(*found.span(1)) if found[1].strip() else Span(found.start(1), found.start(1))
        end = found.end()
    return Span(end, end)
