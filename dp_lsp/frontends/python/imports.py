"""What text of Python imports, and where the file of a module lies.

``import a.b`` loads the package ``a`` and then ``a.b``; ``from a.b import c`` takes the name ``c`` out of ``a.b`` if
that has it, else the module ``a.b.c``. Source: the Python reference, "The import system".
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Sequence
from typing import TypeGuard

from dp_lsp.frontends.problems import NothingSaid, NotMeant
from dp_lsp.frontends.python import releasing
from dp_lsp.frontends.python.kinds import SAMPLERS, SIZE
from dp_lsp.frontends.python.names import BASES, MODULES, dotted, holds, is_known, is_safe, shortened
from dp_lsp.frontends.python.tree import Places, walk
from dp_lsp.problem import Problem, Related
from dp_lsp.surface import Load, Sought
from dp_lsp.text import Span


def loads(tree: ast.AST, places: Places) -> Iterator[Load]:
    """The modules that a tree imports, wherever in it."""
    at_top = {id(each) for each in tree.body} if isinstance(tree, ast.Module) else {id(tree)}
    for node in walk(tree):
        sure = id(node) in at_top
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield from _whole(alias, places, sure)
            case ast.ImportFrom(module=module, level=level, names=names):
                if level == 0 and (module == "__future__" or not is_safe(module, 0)):
                    continue
                path = f"{'.' * level}{module or ''}"
                taken = tuple((each.asname or each.name, each.name) for each in names if each.name != "*")
                yield from _parents(path, places, node, sure)
                yield Load(path, places.span(node), names=taken, known=_is_known(path), sure=sure)


def _whole(alias: ast.alias, places: Places, sure: bool) -> Iterator[Load]:
    """``import a.b as c`` gives a name to what is imported, ``import a.b`` to the package that it lies in."""
    if not is_safe(alias.name, 0):
        return
    top, inner, _ = alias.name.partition(".")
    for each in _parents(alias.name, places, alias, sure):
        yield each._replace(here=top) if each.path == top and alias.asname is None else each
    here = alias.asname or ("" if inner else alias.name)
    yield Load(alias.name, places.span(alias), here, known=_is_known(alias.name), sure=sure)


def _parents(path: str, places: Places, node: ast.AST, sure: bool) -> Iterator[Load]:
    """The packages that a module lies in, which are loaded before it."""
    dots = len(path) - len(path.lstrip("."))
    parts = path[dots:].split(".")
    for count in range(1, len(parts)):
        parent = path[:dots] + ".".join(parts[:count])
        yield Load(parent, places.span(node), known=_is_known(parent), sure=sure)


def _is_known(path: str) -> bool:
    return not path.startswith(".") and is_known(path)


def sought(path: str) -> Sought:
    """Where the file of a module may lie: beside the file that imports it, in a folder above that, and in the folder
    ``src`` of one; one that begins with dots in that folder alone which they say."""
    dots = len(path) - len(path.lstrip("."))
    inner = path[dots:].replace(".", "/")
    names = tuple(f"{inner}{end}" for end in ("/__init__.py", ".py")) if inner else ("__init__.py",)
    if dots:
        return Sought(names, dots - 1)
    return Sought(names, None, ("", "src/"))


_METHODS = {name.rpartition(".")[2] for name in SAMPLERS}
DRAWS = rf"\.(?:{'|'.join(sorted(_METHODS))})(?=\()"
_MAY_RELEASE = rf"{DRAWS}|\.(?:{'|'.join(sorted(releasing.METHODS))})\(|\btools\."
_RELEASES = rf"(?m)^[ \t]*(?:from|import)[ \t]+(?:{'|'.join(sorted(releasing.LIBRARIES))})\b"


_GIVES = r"(?m)^(\w+)[ \t]*=[ \t]*((\w+)\.(\w+))\("
_TABLES, _FEW = frozenset({"pd.DataFrame"}), 3
_ARRAY = "Annotated[np.ndarray, AddRemove()]"
_EXAMPLE = f"ages: {_ARRAY}"
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def passed_over(text: str) -> Problem:
    """What to tell of a file that imports no word; if it looks as if it released anything, how to have it checked."""
    found = re.search(f"{_RELEASES}|{DRAWS}", text)
    if found is None:
        return NotMeant.at(Span(0, 0))
    what = "draws noise" if found[0].startswith(".") else "uses a library that adds noise"
    given = ((each[1], each[2], _read_by(each[3], each[4])) for each in re.finditer(_GIVES, text))
    said = next((_said(text, *each) for each in given if each[2]), _EXAMPLE)
    span = Span(found.end() - len(found[0].lstrip()), found.end())
    page = next((each for each in releasing.LIBRARIES if found[0].endswith(each)), "notebook_python")
    way = f"to have it checked, say what is private, as in `{said}`: `dp-lsp explain {page}`"
    return NotMeant.at(span, related=(Related(f"this {what}: {way}", span),))


def _said(text: str, name: str, call: str, base: str) -> str:
    """A statement that reads data, with what it may say of them: of a table, that it has columns which are used."""
    used = dict.fromkeys(re.findall(rf"\b{name}\[[\"']([^\W\d]\w*)[\"']\]", text))
    return f"{_table(name, [*used] or ['Age']) if base in _TABLES else f'{name}: {_ARRAY}'} = {call}(…)"


def _table(name: str, columns: Sequence[str]) -> str:
    """A table with what may be said of it."""
    said = ", ".join(f"{column}=float" for column in columns[:_FEW])
    return f"{name}: Annotated[pd.DataFrame, AddRemove(), Columns({said})]"


def nothing_said(chunk: str, tree: ast.Module, places: Places, drawing: Container[str]) -> Iterator[Problem]:
    """Where the body of a file that says nothing of data releases something: noise is added there to what has a name,
    a function that is ``drawing`` is given that, or a library is asked for a result."""
    may = bool(drawing) or re.search(_MAY_RELEASE, chunk) is not None
    for node in tree.body if may else ():
        is_function = isinstance(node, _DEFINES) or isinstance(getattr(node, "value", None), ast.Lambda)
        keeps = isinstance(node, ast.Assign | ast.AnnAssign)
        found = None if is_function else next((each for each in walk(node) if _releases(each, keeps, drawing)), None)
        if found is not None:
            tables: dict[str, list[str]] = {}
            for each in walk(node):
                match each:
                    case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(column))):
                        tables.setdefault(name, []).append(column)
            said = next((_table(name, columns) for name, columns in tables.items()), _EXAMPLE)
            yield NothingSaid.at(places.span(found), said=f"{said} = …")


def _releases(node: ast.AST, keeps: bool, drawing: Container[str]) -> bool:
    """Whether an expression is released, as it looks. Arrays of draws in what a name ``keeps`` are data that somebody
    makes up as often as noise."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            drawn = [[each for each in walk(side) if _draws(each)] for side in (left, right)]
            sides = [any(not (keeps and _draws_several(each)) for each in draws) for draws in drawn]
            named = (any(isinstance(each, ast.Name) for each in walk(side)) for side in (left, right))
            return sides.count(True) == 1 and all(named)
        case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args) if attr in releasing.METHODS:
            return bool(args) or isinstance(value, ast.Call)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in drawing:
            given = (*args, *(each.value for each in keywords))
            return any(isinstance(each, ast.Name) for part in given for each in walk(part))
        case ast.Call(func=func):
            return (found := dotted(func)) is not None and releasing.is_tool(shortened(found[1]))
    return False


def _draws(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS


def _draws_several(call: ast.Call) -> bool:
    """Whether a draw is asked for an array, by name or behind the place and the scale."""
    name = next(name for name in SAMPLERS if isinstance(call.func, ast.Attribute) and name.endswith(call.func.attr))
    most = len([each for each in SAMPLERS[name] if each != SIZE])
    return len(call.args) > most or any(each.arg in (SIZE, None) for each in call.keywords)


def _read_by(module: str, function: str) -> str:
    """What holds what a function of a module reads; empty where it is not known to read anything."""
    return holds({**BASES, **MODULES}.get(module, module) + f".{function}")


def unchecked(found: Sequence[Load]) -> bool:
    """Whether any of these is a module of which it is not known what it does."""
    return any(not each.known for each in found)
