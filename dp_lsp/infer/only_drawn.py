"""Which parameters a function does nothing with but draw rows, each by a coin of its own.

What it does then depends on which rows there are only through samples of them: it asks nowhere how many rows there are.
"""

from __future__ import annotations

from dp_lsp import builtins
from dp_lsp.core import term
from dp_lsp.core.events import Scheme
from dp_lsp.core.term import Body, Local, Term


def locals_used_otherwise(body: Body) -> frozenset[Local]:
    """All locals that are read other than to draw rows of them."""
    found: set[Local] = set()
    pending: list[Term] = list(term.of_body(body))
    while pending:
        node = pending.pop()
        if isinstance(node, term.Use):
            found.add(node.local)
        elif isinstance(node, term.Scope) and isinstance(node.bind.term, term.Call):
            call = node.bind.term
            alone = builtins.TABLE[call.builtin].draws is Scheme.POISSON
            pending += (arg for arg in call.args if not (alone and isinstance(arg, term.Use)))
            pending += term.of_body(node.rest)
        else:
            pending += term.parts(node)
    return frozenset(found)
