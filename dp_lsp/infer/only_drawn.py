"""Which parameters a function does nothing with but draw rows, each by a coin of its own.

What it does then depends on which rows there are only through samples of them: it asks nowhere how many rows there are.
"""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp import builtins
from dp_lsp.core import term
from dp_lsp.core.events import Scheme
from dp_lsp.core.term import Body, Local, Term


def locals_used_otherwise(body: Body) -> frozenset[Local]:
    """All locals that are read other than to draw rows of them."""
    found: set[Local] = set()
    pending: list[Term] = list(_of_body(body))
    while pending:
        node = pending.pop()
        if isinstance(node, term.Use):
            found.add(node.local)
        elif isinstance(node, term.Scope) and isinstance(node.bind.term, term.Call):
            call = node.bind.term
            alone = builtins.TABLE[call.builtin].draws is Scheme.POISSON
            pending += (arg for arg in call.args if not (alone and isinstance(arg, term.Use)))
            pending += _of_body(node.rest)
        else:
            pending += _parts(node)
    return frozenset(found)


def _of_body(body: Body) -> Iterator[Term]:
    yield from (bind.term for bind in body.binds)
    yield body.result


def _parts(node: Term) -> Iterator[Term]:
    """The terms that a term is made of."""
    match node:
        case term.Call(args=parts) | term.MakeTuple(items=parts) | term.Hole(parts=parts):
            yield from parts
        case term.Apply(function=function, args=args):
            yield from (function, *args)
        case term.Branch(condition=condition, then=then, otherwise=otherwise):
            yield from (condition, *_of_body(then), *_of_body(otherwise))
        case term.Loop(first=first, step=step, last=last, carried=carried, body=body):
            yield from (first, last, *(start for _, start in carried), *_of_body(body))
            if step is not None:
                yield step
        case term.Scope(bind=bind, rest=rest):
            yield from (bind.term, *_of_body(rest))
        case term.Closure(methods=methods):
            for method in methods:
                if method.body is not None:
                    yield from _of_body(method.body)
        case term.Check(condition=condition):
            yield condition
