"""Why a bound is what it is, in terms of the user's own lines."""

from __future__ import annotations

from dp_lsp.builtins.remedies import Wrapping
from dp_lsp.core.notation import shown
from dp_lsp.core.scheme import Step
from dp_lsp.core.sens import INFINITY, ONE
from dp_lsp.core.term import Term, Use
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.moves import first_infinite
from dp_lsp.problem import Edit, Fix, Related
from dp_lsp.text import Span

_LONGEST = 6


def cause(inference: Inference, why: Step) -> str:
    """What made a bound infinite, as the end of a sentence."""
    step = first_infinite(why)
    written = inference.written(step.span)
    if step.rule == "condition":
        return f"the condition in `{written}`, which decides between two values"
    return f"`{written}`"


def path(inference: Inference, why: Step, variable: str) -> tuple[Related, ...]:
    """The way from the parameter to the bound: where it enters, and every step that makes it larger."""
    steps = _chain(why)
    found: list[Related] = []
    for step in steps:
        message = _message(inference, step, variable)
        if message is not None and all(known.span != step.span for known in found):
            found.append(Related(message, step.span))
    return tuple(found[:2] + found[2:][-(_LONGEST - 2) :])


def _chain(why: Step) -> list[Step]:
    """The steps from the parameter on, following the infinite ones and else the first."""
    target = first_infinite(why)
    steps = [why]
    current = why
    while current.before:
        current = next((step for step in current.before if step is target), current.before[0])
        steps.append(current)
    return steps[::-1]


def _message(inference: Inference, step: Step, variable: str) -> str | None:
    if not step.before and not step.rule:
        return f"`{variable}` enters here"
    if step.factor is INFINITY:
        return "here it becomes unbounded"
    if step.factor != ONE:
        return f"{shown(step.factor)} times as much"
    if len(step.before) > 1:
        return f"it is used {len(step.before)} times here, and the changes add up"
    return None


def wrap(title: str, span: Span, wrapping: Wrapping) -> Fix:
    """A repair that writes something before and after an expression."""
    before, after = Edit(Span(span.start, span.start), wrapping.before), Edit(Span(span.end, span.end), wrapping.after)
    return Fix(title, (before, after))


def make_static(inference: Inference, node: Term) -> tuple[Fix, ...]:
    """A repair that declares the parameter public that an argument is, if it is one."""
    if not isinstance(node, Use):
        return ()
    span = node.local.span
    written = inference.text[span.start : span.end]
    name, colons, annotation = written.partition("::")
    if not colons or span not in inference.parameters:
        return ()
    text = f"{name}::Static({annotation.strip()})"
    return (Fix(f"declare it public: `{text}`", (Edit(span, text),)),)
