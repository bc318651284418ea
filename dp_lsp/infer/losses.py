"""Where what was public of a value is lost: the operation of whose operands it is known, and of whose result it is not.

Nothing is noted while a function is inferred. Whoever wants to say why something is not known looks at what was found
out about an operation and its operands.
"""

from __future__ import annotations

from collections.abc import Callable

from dp_lsp import builtins
from dp_lsp.builtins.traits import LosesFacts
from dp_lsp.core import descriptors, term
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.term import Term
from dp_lsp.core.types import Dataset, Type
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_UNKNOWN = {
    Descriptor.BOUNDS: "its result has no known bounds",
    Descriptor.COUNT: "how many records its result has is private",
    Descriptor.ROWS: "the rows of its result have no known norm",
}


OPERATIONS = (term.Call, term.Apply, term.Branch)
"""The terms by which something may be lost."""


class LostFact(NamedTuple):
    """An operation at which a public fact of a value is lost, with a sentence that says which, and why."""

    span: Span
    words: str


class KnownTerms(NamedTuple):
    """What inference found of terms, as far as needed here: their types and their source text."""

    type: Callable[[Term], Type | None]
    written: Callable[[Term], str]


def operands(node: Term) -> tuple[Term, ...]:
    """The operands that a term's value is computed from."""
    match node:
        case term.Call(args=args) | term.Apply(args=args):
            return tuple(arg for arg in args if not isinstance(arg, term.Written))
        case term.Branch(then=then, otherwise=otherwise):
            return then.result, otherwise.result
    return ()


def at(node: Term, descriptor: Descriptor, seen: KnownTerms) -> LostFact | None:
    """The loss of a descriptor at one operation, None if there is none. The output of a mechanism has lost nothing."""
    type_ = seen.type(node)
    if not descriptors.lacks(descriptor, type_) or _releases(node):
        return None
    for operand in operands(node):
        given = seen.type(operand)
        known = descriptors.words(descriptor, given, seen.written(operand)) if _alike(given, type_) else ""
        if known:
            return LostFact(node.span, f"here {known} lost: {_because(node, descriptor, seen)}")
    return None


def carried(node: term.Loop, index: int, descriptor: Descriptor, seen: KnownTerms) -> LostFact | None:
    """The loss of a descriptor when a loop starts to carry a value; None if there is none."""
    local, start = node.carried[index]
    known = descriptors.words(descriptor, seen.type(start), local.name)
    return LostFact(node.span, f"here {known} lost: each round may change it") if known else None


def _alike(given: Type | None, result: Type | None) -> bool:
    """Whether both are numbers, or both are datasets: a statistic is not what it is made of."""
    return isinstance(given, Dataset) == isinstance(result, Dataset)


def _releases(node: Term) -> bool:
    return isinstance(node, term.Call) and any(form.noise is not None for form in builtins.TABLE[node.builtin].forms)


def _because(node: Term, descriptor: Descriptor, seen: KnownTerms) -> str:
    match node:
        case term.Branch():
            return "the two branches have different ones"
        case term.Apply(function=function):
            return f"nothing is known of what `{seen.written(function)}` returns"
        case term.Call(builtin=name) if (loses := builtins.TABLE[name].trait(LosesFacts)) is not None:
            return loses.because
    for operand in operands(node) if descriptor is Descriptor.BOUNDS else ():
        if descriptors.lacks(descriptor, seen.type(operand)):
            return f"`{seen.written(operand)}` has no known bounds"
    return _UNKNOWN[descriptor]
