"""Libraries that are differentially private by themselves: what each of their calls is in the tree.

Of a library that is known there is a module, with a table of its classes and functions: the mechanism that each runs,
the noise that this has, and what becomes of it. That the library does what its page says is a premise of whatever is
claimed, with the versions that were tried.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.releasing import diffprivlib, opacus, opendp
from dp_lsp.frontends.python.tree import below, children, walk
from dp_lsp.named import NamedTuple

HOMES = {**diffprivlib.HOMES, **opendp.HOMES, **opacus.HOMES, **opacus.AROUND}
"""The modules and classes of libraries, by the names that they must have."""
NAMED = {**diffprivlib.NAMED, **opendp.NAMED, **opacus.NAMED}
"""By the beginning of a name, the one by which it is known here."""
LIBRARIES = {home.partition(".")[0] for each in (diffprivlib, opendp, opacus) for home in each.HOMES.values()}
"""What they are imported as."""
SETTING_UP = opendp.SETTING_UP
"""What programs call before they do anything, by their full names."""


class Made(NamedTuple):
    """A mechanism that a function makes, or a part of one: its class, empty for what is none, the expression that makes
    it, and all names that this depends on."""

    name: str
    value: ast.expr
    names: frozenset[str] = frozenset()


Called = Callable[[ast.expr], str]
"""Which known function an expression is; empty for none."""


def made_by(node: ast.expr, called: Called) -> Made | None:
    """The mechanism, or the part of one, that an expression makes; None for any other."""
    if isinstance(node, ast.Call):
        name = called(node.func)
        if name in diffprivlib.MECHANISMS or name in diffprivlib.NOT_FOLLOWED:
            return Made(name, node)
    if opendp.is_chain(node, called) or opendp.is_space(node, called) or opendp.is_context(node, called):
        return Made("", node)
    return None


def is_mechanism(node: ast.expr, called: Called) -> bool:
    """Whether an expression makes a mechanism."""
    return made_by(node, called) is not None and not opendp.is_space(node, called)


def given(call: ast.Call, order: tuple[str, ...]) -> dict[str, ast.expr]:
    """The arguments of a call by their names, of which the first may be given by place. Raises :class:`Refused`."""
    if len(call.args) > len(order) or any(isinstance(each, ast.Starred) for each in call.args):
        raise Refused(call, "a call with arguments that are not written out")
    found = dict(zip(order, call.args, strict=False))
    for each in call.keywords:
        if each.arg is None or each.arg in found:
            raise Refused(call, "a call with arguments that are not written out")
        found[each.arg] = each.value
    return found


METHODS = frozenset({diffprivlib.METHOD, opendp.RELEASE})
"""The methods of mechanisms that make a number."""


def is_tool(name: str) -> bool:
    """Whether a function of a library makes a number that is released."""
    return name.startswith(diffprivlib.TOOL) and not is_counting(name)


def is_counting(name: str) -> bool:
    """Whether a function of a library counts in bins, and gives the edges back, too."""
    return name == diffprivlib.ADD_GEOMETRIC


def mechanisms(node: ast.FunctionDef, called: Called) -> dict[str, Made]:
    """The names of a function that stand for a mechanism, or a part of one: each is given one, once, is read behind
    that alone, and what it is made with has the same value there."""
    given = [
        (target.id, each.value)
        for each in below(node, ast.Assign)
        for target in each.targets[:1]
        if len(each.targets) == 1 and isinstance(target, ast.Name)
    ]
    made = {name: each for name, value in given if (each := made_by(value, called)) is not None}
    parts = {name: each.value for name, each in made.items() if not each.name}
    made |= {name: Made("", value) for name, value in given if opendp.is_query(value, called, parts)}
    names = below(node, ast.Name)
    params = [item.arg for item in below(node, ast.arg)]
    writes = Counter([*params, *(item.id for item in names if not isinstance(item.ctx, ast.Load))])
    found: dict[str, Made] = {}
    for name, each in made.items():
        depends = _names_of(each.value, made)
        if all(writes[part] <= 1 for part in depends) and writes[name] == 1 and _is_used_below(node, name, each):
            found[name] = each._replace(names=depends)
    return found


def _names_of(value: ast.expr, made: Mapping[str, Made]) -> frozenset[str]:
    """The names in an expression, and those in what they are made with."""
    found: set[str] = set()
    pending = [value]
    while pending:
        new = {item.id for item in below(pending.pop(), ast.Name)} - found
        found |= new
        pending += [made[name].value for name in new if name in made]
    return frozenset(found)


def _is_used_below(node: ast.FunctionDef, name: str, made: Made) -> bool:
    """Whether a name is read, and nowhere but where a method of it or itself is called, or a step is added to it, in
    the statements behind the one that gives it its value."""
    reads = {id(item) for item in below(node, ast.Name) if item.id == name and isinstance(item.ctx, ast.Load)}
    for statements in _blocks(node):
        for index, statement in enumerate(statements):
            if isinstance(statement, ast.Assign) and statement.value is made.value:
                later = [item for each in statements[index + 1 :] for item in _outside_functions(each)]
                return bool(reads) and reads <= {id(each) for item in later for each in _used_in(item)}
    return False


def _used_in(node: ast.AST) -> Iterator[ast.expr]:
    """What is called here, or has a step added to it."""
    match node:
        case ast.Call(func=ast.Attribute(value=of)) | ast.Call(func=of) | ast.BinOp(op=ast.RShift(), left=of):
            yield of


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for item in walk(node):
        for statements in (getattr(item, "body", None), getattr(item, "orelse", None)):
            if isinstance(statements, list):
                yield statements


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    pending = [node]
    while pending:
        item = pending.pop()
        if not isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield item
            pending += children(item)
