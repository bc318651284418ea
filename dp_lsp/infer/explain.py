"""Derivations in the user's own terms: why a sensitivity is what it is, for messages and for related places."""

from __future__ import annotations

from collections.abc import Iterable

from dp_lsp import builtins
from dp_lsp.core import laws
from dp_lsp.core.evaluate import norms_of, symbols_of
from dp_lsp.core.notation import shown
from dp_lsp.core.scheme import Move
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.term import Term, Use
from dp_lsp.core.types import NumberType
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.moves import first_infinite
from dp_lsp.infer.publics import is_number
from dp_lsp.problem import Fix, Named, Problem, Related, Sought
from dp_lsp.text import Span

WAITING = "sens("
"""How the factor of an operation that waits begins; no user would know it by its name."""
_LONGEST = 6


def cause(inference: Inference, move: Move) -> str:
    """The operation that made a sensitivity ∞, as the end of a sentence."""
    first = first_infinite(move)
    written = inference.written(first.span)
    if first.rule == laws.CONDITION:
        return f"the condition in `{written}`, which decides between two values"
    return f"`{written}`"


def because(inference: Inference, move: Move, written: str) -> str:
    """The same as a subordinate clause about an expression; empty where the expression is that operation."""
    found = cause(inference, move)
    return "" if found == f"`{written}`" else f", because of {found}"


def either(names: Iterable[str]) -> str:
    """Several names joined by "or", without the outermost backquotes."""
    *first, last = names
    return "` or `".join(["`, `".join(first), last] if first else [last])


def path(inference: Inference, move: Move, variable: str) -> tuple[Related, ...]:
    """The steps from the parameter to the bound at which the sensitivity grows, as related places."""
    found: list[Related] = []
    for step in _chain(move):
        message = _message(step, variable)
        if step.rule == laws.PERSON and found:  # it stands where the parameter does
            records = f"`{variable}` enters here, with up to {shown(step.factors[0])} records of a person"
            found[-1] = found[-1]._replace(message=records)
            continue
        if message is not None and all(known.span != step.span for known in found):
            found.append(Related(message, step.span, step=True))
            if step.rule == laws.CALL and step.factors != (ONE,):
                sought = Sought.GROWTH if INFINITY in step.factors else Sought.NAME
                found.append(defined(step.span, step.subject, sought)._replace(step=True))
    return tuple(found[:2] + found[2:][-(_LONGEST - 2) :])


def defined(span: Span, name: str, sought: Sought = Sought.NAME) -> Related:
    """A related place: a definition in another top-level item."""
    return Related(f"`{name}` is defined here", span, Named(name, sought))


def unchecked(span: Span, name: str) -> tuple[Related, ...]:
    """Related places for a definition whose analysis is incomplete, and for the reason."""
    return defined(span, name), defined(span, name, Sought.CAUSE)


def _chain(move: Move) -> list[Move]:
    """The steps from the parameter on, following the infinite ones and else the first."""
    steps = [move]
    while move.before:
        move = next((before for before in move.before if before.sens is INFINITY), move.before[0])
        steps.append(move)
    return steps[::-1]


def _message(step: Move, variable: str) -> str | None:
    if not step.before:
        return f"`{variable}` enters here" if step.rule == laws.PARAMETER else None
    if INFINITY in step.factors:
        return "here it becomes unbounded"
    if step.rule in (laws.BRANCH, laws.CAP, laws.RECORDS, laws.FURTHEST, laws.TURNS):
        return None
    if len(step.before) > 1 and step.rule == builtins.LITERAL:
        return f"it moves {len(step.before)} entries here"
    if len(step.before) > 1:
        return f"it is used {len(step.before)} times here, and the changes add up"
    if step.factors != (ONE,) and not _waits(step.factors[0]):
        factor = shown(step.factors[0])
        return f"moves by {factor}" if norms_of(step.factors[0]) else f"{factor} times as much"
    return None


def _waits(factor: Sens) -> bool:
    return any(symbol.name.startswith(WAITING) for symbol in symbols_of(factor))


def make_static(inference: Inference, node: Term) -> tuple[Fix, ...]:
    """A repair that declares the parameters `Static()` that an argument is computed from, by way of names as well."""
    known = inference.recorder.judgements.get(node)
    names = {var.name for var in known.moves if not var.public} if known else set()
    if isinstance(node, Use) and (not names or node.local.name in names):
        names = {node.local.name}
    return tuple(fix._replace(declares=True) for fix in inference.publish(names))


MAY_BE_NAN = (
    "may be NaN, as after a division by 0: keep divisors from 0 first, and what has a root or a logarithm above it, as "
    "with `max`"
)
"""Why nothing is known of a public number, and what would mend it."""


def must_be_public(inference: Inference, node: Term, whole: bool, related: tuple[Related, ...] = ()) -> Problem:
    """The problem of an argument that must be a public number, with the repair that makes it one."""
    return problems.MustBePublic.at(
        node.span,
        written=inference.written(node.span),
        what="whole number" if whole else "number",
        instead=_how_public(inference, node),
        related=related,
        fixes=make_static(inference, node),
    )


def _how_public(inference: Inference, node: Term) -> str:
    """What makes an argument public: nothing private is in it where it moves with nothing."""
    known, public = inference.recorder.judgements.get(node), inference.code.public
    type_ = None if known is None else inference.type(known)
    if isinstance(type_, NumberType) and not is_number(type_):
        return f"it {MAY_BE_NAN}"
    if known is not None and not known.moves:
        return f"its value is not known before the program runs: write a formula of numbers and `{public}` parameters"
    return f"declare the parameter it comes from with `{public}`"
