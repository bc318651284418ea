"""Of which type a public parameter is that is declared without one, by what its function does with it.

A model is what is given to a builtin that takes a model there, and a whole number what a loop or a range ends at, or a
builtin takes as a public whole number. Any other is a number. It is read off the text, so a name that is given another
value in the function, or stands for something else in a part of it, is a number, too: no guess is made of it. (The type
is a premise of what is proved, like one that is written: who calls the function with something else is told.)
"""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp import surface
from dp_lsp.builtins.patterns import STATIC_INTEGER, Model
from dp_lsp.core.annotation import AModel, Annotation, NumberOf
from dp_lsp.core.types import Base
from dp_lsp.language import Language
from dp_lsp.lower.facts import below, builtin, names_below

_WHOLE, _MODEL = NumberOf(Base.INTEGER), AModel()


def used_as(name: str, body: surface.Node, language: Language) -> Annotation | None:
    """The type that the uses of a parameter in a body say it has; None if they say nothing."""
    found = list[Annotation]()
    for node in below(body):
        if isinstance(node, _BINDING):
            if name in _bound(node):
                return None
        elif isinstance(node, surface.Call | surface.Range) and any(_is(each, name) for each in node.children):
            found += _told(node, name, language)
    return found[0] if found and all(each == found[0] for each in found) else None


_BINDING = (surface.Assign, surface.For, surface.Parameter, surface.Function, surface.Opaque)


def _bound(node: surface.Node) -> set[str]:
    """The names that a node gives another meaning in a part of the body."""
    match node:
        case surface.Assign(target=target) | surface.For(target=target):
            return names_below(target)
        case surface.Parameter(name=name):
            return {name}
        case surface.Function(name=surface.Name(name=name)):
            return {name}
        case surface.Opaque(summary=does):
            return set(does.binds | does.outside)
    return set()


def _told(node: surface.Node, name: str, language: Language) -> Iterator[Annotation]:
    """What a node says of a name that it uses."""
    match node:
        case surface.Range(first=first, step=step, last=last):
            yield from (_WHOLE for each in (first, step, last) if _is(each, name))
        case surface.Call(callee=surface.Name(name=callee), args=args):
            meant = builtin(callee, language.builtins)
            fitting = () if meant is None else (form.parameters(len(args)) for form in meant.row.forms)
            forms = [params for params in fitting if params is not None]
            for place, arg in enumerate(args):
                if _is(arg, name) and forms:
                    patterns = [params[place].pattern for params in forms]
                    if all(isinstance(each, Model) for each in patterns):
                        yield _MODEL
                    elif all(each == STATIC_INTEGER for each in patterns):
                        yield _WHOLE


def _is(node: surface.Node | None, name: str) -> bool:
    return isinstance(node, surface.Name) and node.name == name
