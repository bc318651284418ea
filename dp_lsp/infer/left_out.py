"""Arguments that a call leaves out, or gives by name: a call of a function that has default values or keywords gives
all its parameters something.

A function with default values has a method for each number of arguments, and those with fewer call it again with the
default values; arguments that are given by name do not count when a method is chosen. Where the function has one
definition it is that which runs. Source: the Julia manual, "Optional Arguments" and "Keyword Arguments".
"""

from __future__ import annotations

from dataclasses import replace

from dp_lsp.core import term
from dp_lsp.core.scheme import FunctionValue, Judgement, SchemeParameter
from dp_lsp.infer import dispatch, problems
from dp_lsp.infer.inference import Inference


def completed(
    inference: Inference, node: term.Apply, value: FunctionValue, arguments: list[Judgement]
) -> tuple[term.Apply, list[Judgement]] | None:
    """A call with an argument for each parameter, in their order, and what those are; None, with a problem, if it
    cannot be made one."""
    params = value.methods[0].params if len(value.methods) == 1 else ()
    if not node.keywords and all(param.default is None and not param.by_name for param in params):
        return node, arguments
    given = list(zip(node.args, arguments, strict=True))
    count = len(given) - len(node.keywords)
    by_name = dict(zip(node.keywords, given[count:], strict=True))
    named = {param.name for param in params if param.by_name}
    twice = next((name for name in node.keywords if name not in named or node.keywords.count(name) > 1), None)
    if twice is not None:
        inference.report(problems.NoKeyword.at(node.span, function=value.name, name=twice))
        return None
    found: list[tuple[term.Term, Judgement]] = given[:count]
    placed = [param for param in params if not param.by_name]
    if count > len(placed):
        dispatch.wrong_count(inference, node.span, value, count)
        return None
    for param in (*placed[count:], *(param for param in params if param.by_name)):
        argument = by_name.get(param.name) if param.by_name else None
        if argument is None:
            argument = _default(inference, node, param)
        if argument is None and param.by_name:
            inference.report(problems.NoArgument.at(node.span, function=value.name, name=param.name))
        elif argument is None:
            dispatch.wrong_count(inference, node.span, value, count)
        if argument is None:
            return None
        found.append(argument)
    return replace(node, args=tuple(each for each, _ in found), keywords=()), [each for _, each in found]


def _default(inference: Inference, node: term.Apply, param: SchemeParameter) -> tuple[term.Term, Judgement] | None:
    """What a parameter is that was left out. It stands nowhere in the call, which is pointed at instead."""
    if param.default is None:
        return None
    literal = replace(param.default, span=node.span)
    return literal, inference.infer(literal).value
