"""Parameters of which nothing is said, and which are given to the tools of a library, and to nothing else.

The tools of diffprivlib make an array of the numbers that they are given, whatever holds them. So a function that only
passes a parameter on to them does what they do, and is read with an array in its place: ``def noisy(v): return
tools.mean(v, epsilon=1, bounds=(0, 1))``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from dp_lsp.frontends.python.releasing import diffprivlib as dpl
from dp_lsp.frontends.python.releasing import is_tool
from dp_lsp.frontends.python.tree import below

Called = Callable[[ast.expr], str]


def samples(node: ast.FunctionDef, called: Called) -> frozenset[str]:
    """The parameters of a function that are data of tools wherever they stand."""
    given = {id(data) for call in _tools(node, called) if (data := _data(call, called)) is not None}
    bare = {each.arg for each in node.args.args if each.annotation is None}
    uses = [item for item in below(node, ast.Name) if item.id in bare]
    inner = {item.arg for item in below(node, ast.arg) if item not in node.args.args}
    found = {item.id for item in uses if id(item) in given}
    return frozenset(found - inner - {item.id for item in uses if id(item) not in given})


def told_to_tools(node: ast.FunctionDef, called: Called) -> set[str]:
    """The names in what tools are told besides their data, and in how often something is done beside them."""
    found: set[str] = set()
    tools = [*_tools(node, called)]
    for call in (*tools, *(item for item in below(node, ast.Call) if tools and called(item.func) == "range")):
        said = [*call.args, *(each.value for each in call.keywords)]
        found |= {item.id for each in said if each is not _data(call, called) for item in below(each, ast.Name)}
    return found


def _tools(node: ast.FunctionDef, called: Called) -> Iterator[ast.Call]:
    return (item for item in below(node, ast.Call) if is_tool(called(item.func)))


def _data(call: ast.Call, called: Called) -> ast.expr | None:
    """What a tool is given to measure."""
    order = dpl.ARGUMENTS.get(called(call.func).removeprefix(dpl.TOOL))
    if order is None:
        return None
    if call.args:
        return call.args[0]
    return next((each.value for each in call.keywords if each.arg == order[0]), None)
