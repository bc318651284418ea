"""What functions that stand in a call are called with: a row that calls a function says so by its other arguments.

A parameter without an annotation, of a function that is written right there, has the type it is called with; so nothing
in its body waits until that is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dp_lsp import builtins
from dp_lsp.builtins.define import Args, Form, Parameter
from dp_lsp.builtins.patterns import Binds, Box, Pattern, fits
from dp_lsp.core import term
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.term import Term
from dp_lsp.core.types import UNKNOWN, Container, Norm, Type, TypeVariable, Unknown, without_value
from dp_lsp.infer import generalize
from dp_lsp.infer.inference import Inference

Argument = Judgement | Term


def functions(node: term.Call) -> frozenset[int]:
    """The places of arguments that are functions written there, or vectors of such."""
    if all(form.applies is None for form in builtins.TABLE[node.builtin].forms):
        return frozenset()
    return frozenset(index for index, arg in enumerate(node.args) if any(True for _ in _written(arg)))


def tell(inference: Inference, node: term.Call, known: Mapping[int, Argument]) -> None:
    """Note what the functions among the arguments are called with, where the other arguments say it."""
    for form in inference.rules.forms(builtins.TABLE[node.builtin]):
        params = form.parameters(len(node.args) - len(node.keywords), node.keywords)
        types = None if params is None else _given(inference, form, params, known)
        if params is None or types is None:
            continue
        if not generalize.owned(types).types and not any(isinstance(type_, Unknown) for type_ in types):
            (place,) = (index for index, param in enumerate(params) if param.name == _applied(form))
            inference.expected |= dict.fromkeys(_written(node.args[place]), types)
        return


def _applied(form: Form) -> str:
    return "" if form.applies is None else form.applies.argument


def _given(
    inference: Inference, form: Form, params: tuple[Parameter, ...], known: Mapping[int, Argument]
) -> tuple[Type, ...] | None:
    """What a form calls its function with; None if the arguments do not have its shape, or it is another each time."""
    application = form.applies
    if application is None or application.carried is not None or form.runs is not None:
        return None
    types: list[Type] = []
    for index, param in enumerate(params):
        value = known.get(index)
        if (value is None) is not (param.name == application.argument):
            return None
        type_ = inference.type(value) if isinstance(value, Judgement) else UNKNOWN
        if value is not None and (isinstance(type_, TypeVariable) or not _suits(param.pattern, type_)):
            return None
        types.append(type_)
    args = Args(tuple(param.name for param in params), tuple(types), Binds())
    return tuple(without_value(inference.solver.type(each)) for each in application.given(args))


def _suits(pattern: Pattern, type_: Type) -> bool:
    """Whether a type has the shape that a pattern wants, and the norm."""
    asked = pattern.norm if isinstance(pattern, Box) else None
    given = type_.norm if isinstance(type_, Container) else None
    return fits(pattern, type_) and (given is asked or not (isinstance(asked, Norm) and isinstance(given, Norm)))


def _written(node: Term) -> Iterator[term.Closure]:
    if isinstance(node, term.Closure):
        yield node
    elif isinstance(node, term.Call) and node.builtin == builtins.LITERAL:
        yield from (entry for entry in node.args if isinstance(entry, term.Closure))
