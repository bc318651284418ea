"""Parameters of which nothing is said, and which are given to the tools of a library, and to nothing else.

The tools of diffprivlib make an array of the numbers that they are given, whatever holds them, and chains of OpenDP
take lists and arrays of numbers, and nothing else. So a function that only passes a parameter on to them does what they
do, and is read with an array in its place: ``def noisy(v): return tools.mean(v, epsilon=1, bounds=(0, 1))``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.releasing import Made, is_tool, opendp
from dp_lsp.frontends.python.releasing import diffprivlib as dpl
from dp_lsp.frontends.python.tree import below
from dp_lsp.named import NamedTuple

Called = Callable[[ast.expr], str]


class Tool(NamedTuple):
    """What is measured, and what else is said of how."""

    data: ast.expr | None
    said: tuple[ast.expr, ...]


def samples(node: ast.FunctionDef, tools: list[Tool]) -> frozenset[str]:
    """The parameters of a function that are data of tools wherever they stand."""
    given = {id(each.data) for each in tools if each.data is not None}
    bare = {each.arg for each in node.args.args if each.annotation is None}
    uses = [item for item in below(node, ast.Name) if item.id in bare]
    inner = {item.arg for item in below(node, ast.arg) if item not in node.args.args}
    found = {item.id for item in uses if id(item) in given}
    return frozenset(found - inner - {item.id for item in uses if id(item) not in given})


def told_to_tools(node: ast.FunctionDef, tools: list[Tool], called: Called) -> set[str]:
    """The names in what tools are told besides their data, and in how often something is done beside them."""
    rounds = [each for item in below(node, ast.Call) if tools and called(item.func) == "range" for each in item.args]
    said = [*rounds, *(each for tool in tools for each in tool.said)]
    return {item.id for each in said for item in below(each, ast.Name)}


def tools(node: ast.FunctionDef, made: Mapping[str, Made], called: Called) -> Iterator[Tool]:
    """The tools that a function uses, of which ``made`` are the names of mechanisms and of parts of them."""
    parts = {known: each.value for known, each in made.items() if not each.name}
    for call in below(node, ast.Call):
        if is_tool(called(call.func)):
            data = _data(call, called)
            given = (*call.args, *(each.value for each in call.keywords))
            yield Tool(data, tuple(each for each in given if each is not data))
        elif len(call.args) == 1 and not call.keywords and (chain := _chain(call.func, parts, called)) is not None:
            steps = (step.call for step in chain.steps)
            said = (each for step in steps for each in (*step.args, *(one.value for one in step.keywords)))
            size = () if chain.space.size is None else (chain.space.size,)
            yield Tool(call.args[0], (*said, *size))


def _chain(node: ast.expr, parts: Mapping[str, ast.expr], called: Called) -> opendp.Chain | None:
    """The chain that is called, if it is one of records."""
    if not opendp.is_chain(node, called) and not (isinstance(node, ast.Name) and node.id in parts):
        return None
    try:
        chain = opendp.chain_of(node, called, parts)
    except Refused:
        return None
    return None if chain.space.alone else chain


def _data(call: ast.Call, called: Called) -> ast.expr | None:
    """What a tool of diffprivlib is given to measure."""
    order = dpl.ARGUMENTS.get(called(call.func).removeprefix(dpl.TOOL))
    if order is None:
        return None
    if call.args:
        return call.args[0]
    return next((each.value for each in call.keywords if each.arg == order[0]), None)
