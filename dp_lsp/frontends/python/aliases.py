"""Names that a file gives to annotations, as in ``Ages = Annotated[np.ndarray, ChangeOne(), Bounded(0, 120)]``, and to
lists that are written out: ``TOWNS = ["Bonn", "Ulm"]``, or dictionaries of numbers, ``BUDGET = {"count": 0.5}``.

A name stands for an annotation if the file gives it one value, at top level, and calls nothing else by it: neither in
another statement nor inside a function. So what is read here is what type checkers read. So it is with a list that the
file only reads: nowhere in it is it changed, or given another name, or to anybody who might change it.

Sources: PEP 484, "Type aliases"; PEP 593, "Aliases & Nested types"; PEP 613.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from dp_lsp.frontends.python.annotations import meant
from dp_lsp.frontends.python.functions_named import HOMES, named_by
from dp_lsp.frontends.python.imports import DRAWS
from dp_lsp.frontends.python.names import names_bound
from dp_lsp.frontends.python.numeric import computed
from dp_lsp.frontends.python.objects import NO_OBJECTS, Objects, object_made, plain
from dp_lsp.frontends.python.parse import read, unread
from dp_lsp.frontends.python.releasing.makers import Maker, makers
from dp_lsp.frontends.python.tree import below, walk
from dp_lsp.frontends.python.written_out import is_looked_up, is_written_out, only_reads
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk

_DEFINES = re.compile(
    r"^([^\W\d]\w*)[ \t]*(?::[ \t]*(?:typing\.)?TypeAlias[ \t]*)?=[ \t]*(?:Annotated|Static|Private)\b", re.M
)
_ALL = r"\bimport[\s\\]*\*"
"""What brings names that the text does not mention."""
_REMEMBERED = 1 << 10
"""How many items are remembered that mention a name of an annotation."""
_LARGEST = 200
"""How many nodes an annotation has at most that a name may stand for."""


def aliases(text: str, items: Iterable[Chunk]) -> dict[str, str]:
    """The names of annotations in a file, each with the item that defines it."""
    if _DEFINES.search(text) is None:
        return {}
    texts = [each.text for each in items]
    named = {found[1]: each for each in texts if (found := _DEFINES.search(each)) is not None}
    return {name: item for name, item in named.items() if _binding(texts, name) == [item] and _is_alias(item)}


_LISTED = re.compile(r"^([^\W\d]\w*)[ \t]*(?::[^=\n]*)?=[ \t]*[\[({]", re.M)


def lists(text: str, items: Iterable[Chunk]) -> dict[str, str]:
    """The names of lists that are written out in a file, and only read, each with the item that defines it."""
    if _LISTED.search(text) is None:
        return {}
    texts = [each.text for each in items]
    may = (each for each in texts if not each.startswith(("def", "@", "class")) and _LISTED.search(each))
    found = ((each, _list_of(each)) for each in may)
    known = ((each, given) for each, given in found if given is not None)
    given = [(each, list_) for each, list_ in known if is_written_out(list_[1]) or is_looked_up(list_[1])]
    return {
        name: item
        for item, (name, value) in given
        if _binding(texts, name) == [item]
        and (isinstance(value, ast.Tuple) or all(_only_reads(each, name) for each in texts if name in each))
    }


_NUMBER = re.compile(r"^([^\W\d]\w*)[ \t]*(?::[^=\n]*)?=[ \t]*[-\d.(]", re.M)
_AS_DEFAULT = re.compile(r"=[ \t]*([^\W\d]\w*)[ \t]*[,)]")


def defaults(text: str, items: Iterable[Chunk]) -> dict[str, str]:
    """The names of numbers that a file gives once, and that may be default values, each with the item that defines it.
    Where a function is defined a name has the one value that it ever has, or none, which fails."""
    used = {*_AS_DEFAULT.findall(text)}.intersection(_NUMBER.findall(text))
    if not used:
        return {}
    texts = [each.text for each in items]
    may = ((each, found[1]) for each in texts if (found := _NUMBER.search(each)) is not None and found[1] in used)
    named = {name: item for item, name in may if (given := _list_of(item)) is not None and given[0] == name}
    bound = Counter(name for each in texts if _mentions_any(each, named) for name in _bound_outside(each))
    return {name: item for name, item in named.items() if bound[name] == 1}


@lru_cache(_REMEMBERED)
def _list_of(item: str) -> tuple[str, ast.expr] | None:
    """The name and the list, or the number, that an item gives it, if it does no more."""
    tree = read(item)
    return None if isinstance(tree, Problem) else _list_given(tree)


def _list_given(tree: ast.Module) -> tuple[str, ast.expr] | None:
    """The same of a text. What is in a list that lies in another one may be changed wherever that is read."""
    match tree.body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)] | [
            ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ] if len(walk(value)) <= _LARGEST and any((is_written_out(value), is_looked_up(value), computed(value))):
            return None if any(isinstance(each, ast.List) for each in walk(value)[1:]) else (name, value)
    return None


@lru_cache(_REMEMBERED)
def _only_reads(item: str, name: str) -> bool:
    tree = read(item)
    return not isinstance(tree, Problem) and only_reads(tree, name)


@lru_cache(_REMEMBERED)
def listed(context: str) -> dict[str, ast.expr]:
    """The lists and numbers that names stand for, by the items that define them."""
    found = (_list_given(ast.Module([each], [])) for each in ast.parse(context).body)
    return dict(each for each in found if each is not None)


_CLASS = re.compile(r"^class[ \t]+([^\W\d]\w*)", re.M)
_CALLED = re.compile(r"^([^\W\d]\w*)[ \t]*=[ \t]*([^\W\d]\w*)\(", re.M)
_MAKES_ANEW = re.compile(r"(?<!def )(?<!super\(\)\.)\b__init__\b")
"""What may give an object that there is other attributes: a call of what makes one."""
_DATACLASS = "dataclass"
_OF_DATACLASSES = re.compile(r"^from[ \t]+dataclasses[ \t]+import[ \t]+[^\n]*\bdataclass\b", re.M)


def classes(text: str, items: Iterable[Chunk]) -> dict[str, str]:
    """The classes of a file whose objects are what they are made of, and the objects of them that it makes at top level
    and gives no other name, each with the item that defines it; with the import of what makes classes."""
    if _CLASS.search(text) is None or _MAKES_ANEW.search(text) is not None:
        return {}
    texts = [each.text for each in items]
    brings = [each for each in texts if _OF_DATACLASSES.search(each) and _binding(texts, _DATACLASS) == [each]]
    found = {} if not brings else {_DATACLASS: brings[0]}
    for each in texts:
        named = _CLASS.search(each)
        if named is not None and _binding(texts, named[1]) == [each] and objects("\n".join([*brings, each])).classes:
            found[named[1]] = each
    made: dict[str, str] = {}
    for each in texts:
        called = _CALLED.search(each)
        if called is not None and called[2] in found:
            others = (one for one in texts if one is not each and _mentions_any(one, [called[1]]))
            if not any(called[1] in _bound_outside(one) for one in others):
                made[called[1]] = each
    return {**found, **made}


@lru_cache(_REMEMBERED)
def objects(context: str) -> Objects:
    """The classes and the objects that names stand for, by the items that define them."""
    tree = read(context)
    if isinstance(tree, Problem) or "class" not in context:
        return NO_OBJECTS
    has_dataclass = any(
        isinstance(each, ast.ImportFrom) and any((one.name, one.asname) == (_DATACLASS, None) for one in each.names)
        for each in tree.body
    )
    made = {each.name: each for each in (plain(node, has_dataclass) for node in tree.body) if each is not None}
    called = (object_made(each, made) for each in tree.body)
    return Objects(made, dict(each for each in called if each is not None), has_dataclass)


_FROM = re.compile(
    r"^(?:from[ \t]+(?:numpy(?:\.random)?|math|random)[ \t]+import\b|[^\W\d]\w*[ \t]*=[ \t]*(?:np|math|random)\.)", re.M
)


def functions(text: str, items: Iterable[Chunk]) -> dict[str, str]:
    """The names that a file gives to functions of modules, each with the item that does, where it gives them nothing
    else; and of those that it takes from a module by its own name, that is that module."""
    if _FROM.search(text) is None:
        return {}
    texts = [each.text for each in items]
    found: dict[str, str] = {}
    for each in (each for each in texts if _FROM.search(each) and not each.startswith(("def", "@", "class"))):
        for name, path in functions_named(each).items():
            home = path.partition(".")[0]
            is_own = "import" in each or _binding(texts, home) in [[one] for one in texts if _imports(one, home)]
            if is_own and _binding(texts, name) == [each]:
                found[name] = each
    return found


def _imports(item: str, home: str) -> bool:
    """Whether an item imports a module by the name by which it is known, and does no more."""
    match read(item):
        case ast.Module(body=[ast.Import(names=[ast.alias(name=name, asname=asname)])]):
            return (asname or name, name) == (home, HOMES[home])
    return False


@lru_cache(_REMEMBERED)
def functions_named(context: str) -> dict[str, str]:
    """The functions of modules that names stand for, by the items that give them."""
    tree = read(context)
    return (
        {} if isinstance(tree, Problem) else {name: path for each in tree.body for name, path in named_by(each).items()}
    )


_LIBRARY = re.compile(r"^(?:import|from)[ \t]+(?:opendp|diffprivlib)\b", re.M)
_FUNCTION = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*def[ \t]+([^\W\d]\w*)")


def helpers(text: str, items: Iterable[Chunk]) -> dict[str, str]:
    """The functions of a file that make a mechanism of a library, each with the item that defines it."""
    if _LIBRARY.search(text) is None:
        return {}
    texts = [each.text for each in items]
    named = {found[1]: each for each in texts if (found := _FUNCTION.match(each)) is not None}
    known = makers(function for each in named.values() for function in _functions(each))
    bound = Counter(name for each in texts if _mentions_any(each, known) for name in _bound_outside(each))
    return {name: item for name, item in named.items() if name in known and bound[name] == 1}


_DRAWN = "def {}(): ..."
"""What the context of a statement says of a function that draws noise."""
_SAYS_WHOM = re.compile(r"\b(?:Annotated|Private)\b")
_IS_DEFINED = re.compile(r"\s*(?:#[^\n]*\s*)*(?:def|class|@|async|import|from)\b")


def with_drawing(text: str, items: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    """The items of a file, of which statements are told which functions that they name draw noise, and say of nothing
    whom it protects: what they add noise to is released where they are called."""
    if re.search(DRAWS, text) is None:
        return items
    named = {found[1]: each.text for each in items if (found := _FUNCTION.match(each.text)) is not None}
    helping = {name: item for name, item in named.items() if _SAYS_WHOM.search(item) is None}
    drawing = {name for name, item in helping.items() if re.search(DRAWS, item)}
    waiting = [*drawing]
    for inner in waiting:  # which grows
        calls = re.compile(rf"\b{inner}\(")
        new = {name for name, item in helping.items() if name not in drawing and inner in item and calls.search(item)}
        drawing |= new
        waiting += new
    return tuple(_told(each, drawing) for each in items) if drawing else items


def _told(item: Chunk, drawing: Iterable[str]) -> Chunk:
    if _IS_DEFINED.match(item.text) is not None:
        return item
    named = sorted(name for name in drawing if name in item.text and re.search(rf"\b{name}\(", item.text))
    return item._replace(context="\n".join((item.context, *map(_DRAWN.format, named)))) if named else item


@lru_cache(_REMEMBERED)
def drawing(context: str) -> frozenset[str]:
    """The functions that draw noise among what a text depends on."""
    return frozenset(re.findall(r"(?m)^def (\w+)\(\): \.\.\.$", context))


def _mentions_any(text: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"\b{name}\b|{_ALL}", text) for name in names)


@lru_cache(_REMEMBERED)
def _bound_outside(item: str) -> frozenset[str]:
    """What an item may give a value that others see: of a definition its own name, and what it says is global."""
    tree = read(item)
    if isinstance(tree, Problem):
        return unread(item).summary.binds
    found: set[str] = set()
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
                for node in walk(statement):
                    match node:
                        case ast.Global(names=names):
                            found.update(names)
                        case ast.NamedExpr(target=ast.Name(id=walrus)):
                            found.add(walrus)
            case _:
                found |= names_bound(statement)
    return frozenset(found)


def _functions(text: str) -> list[ast.FunctionDef]:
    tree = read(text)
    return [] if isinstance(tree, Problem) else [each for each in tree.body if isinstance(each, ast.FunctionDef)]


@lru_cache(_REMEMBERED)
def mechanisms(context: str) -> dict[str, Maker]:
    """The functions that make a mechanism among the items that a text depends on."""
    return makers(_functions(context)) if "def" in context else {}


def with_aliases(chunk: Chunk, known: Mapping[str, str]) -> Chunk:
    """A chunk with the definitions of the aliases that it may mean, and of those that these mean."""
    needed: dict[str, str] = {}
    waiting = [chunk.text] if known else []
    for text in waiting:  # which grows
        for name, item in known.items():
            if name not in needed and name in text and item != text and re.search(rf"\b{name}\b", text):
                needed[name] = item
                waiting.append(item)
    return chunk._replace(context="\n".join(needed[name] for name in sorted(needed)))


def _binding(texts: list[str], name: str) -> list[str]:
    """The items that may give a name a value."""
    mentions = re.compile(rf"\b{name}\b|{_ALL}")
    may = (each for each in texts if name in each or "*" in each)  # which is quickly seen
    return [each for each in may if mentions.search(each) and name in _bound(each)]


@lru_cache(_REMEMBERED)
def _bound(item: str) -> frozenset[str]:
    """What an item may give a value, wherever in it."""
    tree = read(item)
    if isinstance(tree, Problem):
        return unread(item).summary.binds
    return frozenset(names_bound(tree))


def _is_alias(item: str) -> bool:
    """Whether an item gives a name an annotation, and does no more."""
    match read(item):
        case ast.Module(body=[ast.Assign(targets=[ast.Name()], value=ast.Subscript())]):
            return True
        case ast.Module(body=[ast.AnnAssign(value=ast.Subscript())]):
            return True
    return False


@lru_cache(_REMEMBERED)
def meanings(context: str) -> dict[str, ast.expr]:
    """The annotations that names stand for, by the items that define them: with those that they name in turn, which
    name no further ones."""
    given: dict[str, ast.expr] = {}
    for statement in ast.parse(context).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                given[name] = value
    small = {name: value for name, value in given.items() if len(walk(value)) <= _LARGEST}
    found = {name: meant(value, small) for name, value in small.items()}
    return {name: value for name, value in found.items() if given.keys().isdisjoint(_names(value))}


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in below(node, ast.Name)}
