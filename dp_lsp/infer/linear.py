"""Values as linear functions of others, from row to row of a function's body.

A row of the table says how its result is a linear function of its arguments; an argument of which nothing is known is
a part of its own. What has no part in common with anything needs no measuring: its parts add up, as its arguments do.
So a form is measured only where a source is in it twice, and what is found counts where it is no more than what the
moves of the arguments say.

A form is about values of one scope. What leaves a branch, a loop, a sample or a function has none; a row of a round has
the variable of that round, and is another source than its container.

A part that is gone in the end counts as nothing only where it is certainly a number, as everywhere
(:meth:`~dp_lsp.infer.publics.Publics.is_real`): a quotient by what may be 0 is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from dp_lsp.builtins.define import Args, Form
from dp_lsp.core import laws, term
from dp_lsp.core.algebra import NormVariable, TooLong
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import Substitution, norms_of
from dp_lsp.core.linear import LinearForm
from dp_lsp.core.scheme import Judgement, Move, Moves
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import AnyNorm, Base, Container, Norm, NumberType, Type
from dp_lsp.infer import moves, sources
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.solver import Solver
from dp_lsp.text import Span

_MOST_NORMS = 2  # open norms of which all are tried


def _base(type_: Type) -> Base | None:
    held = type_.element if isinstance(type_, Container) else type_
    return held.base if isinstance(held, NumberType) else None


def of_call(
    inference: Inference, node: term.Call, form: Form, args: Args, values: Sequence[Judgement], found: Judgement
) -> Judgement:
    """The result of a row, as a linear function of what its arguments are functions of, if the row says how."""
    if form.linear is None or not found.moves or not inference.context.rules.linear:
        return found
    forms = [sources.known(inference.solver, *each) for each in zip(node.args, values, strict=True)]
    if any(each is None and value.moves for each, value in zip(forms, values, strict=True)):
        return found
    data = _base(found.type) is Base.DATA
    if any((_base(inference.type(value)) is Base.DATA) is not data for value in values if value.moves):
        return found
    try:
        result = form.linear(args, forms)
        if result is None:
            return found
        found = replace(found, form=result)
        return _measured(inference, node, forms, result, found) if _is_shared(forms) else found
    except TooLong:
        return replace(found, form=None)


def _is_shared(forms: Sequence[LinearForm | None]) -> bool:
    """Whether a source is in two of the arguments, or one of them was written, of which not all entries may count."""
    seen = set[object]()
    for form in forms:
        if form is not None:
            if form.written or seen & form.sources:
                return True
            seen |= form.sources
    return False


def _measured(
    inference: Inference, node: term.Call, forms: Sequence[LinearForm | None], result: LinearForm, found: Judgement
) -> Judgement:
    """A value that moves no further than its form says."""
    gone = {part for form in forms if form is not None for row in form.rows for part in row}
    gone -= {part for row in result.rows for part in row}
    if not all(source.is_real(inference.publics) for source in {cast(sources.Source, part.source) for part in gone}):
        return replace(found, form=None)
    norm: AnyNorm = Norm.LINF
    if isinstance(found.type, Container):
        norm = inference.solver.norm(found.type.norm)
        if result.written and isinstance(norm, NormVariable):
            inference.solver.fix_norm(norm)
            norm = inference.solver.norm(norm)
    least = moved(result, norm, inference.solver, node.span)
    together = {var: _smaller(move, least[var]) for var, move in found.moves.items() if var in least}
    return replace(found, moves=together)


def moved(form: LinearForm, norm: AnyNorm, solver: Solver, span: Span) -> Moves:
    """How far a value moves in a norm that is such a function."""
    parts = [
        each
        for source, rows in form.pieces().items()
        for each in cast(sources.Source, source).weighted(rows, norm, solver)
    ]
    weighted = [(part.moves, part.factor) for part in parts]
    return moves.combined(weighted, span, laws.LINEAR, ways=(part.way for part in parts))


def _smaller(move: Move, other: Move) -> Move:
    """The one of two bounds that is smaller. Where that depends on symbols it is the second one, as a norm is at most
    the sum of the parts; a bound that is as far as two results can be apart stays."""
    if move.sens == other.sens or not _is_no_more(other.sens, move.sens, move.rule != laws.CAP):
        return move
    return other if other.way is not None else replace(other, way=move.way)


def _is_no_more(left: Sens, right: Sens, otherwise: bool) -> bool:
    """Whether one number is at most another one, in all norms that are open; ``otherwise`` where that depends."""
    open_norms = norms_of(left) | norms_of(right)
    if not open_norms:
        known, most = left.number, right.number
        if known is not None and most is not None:
            return known <= most
        decided = decide(left, "<=", right)
        return otherwise if decided is None else decided
    if len(open_norms) > _MOST_NORMS:
        return False
    first = next(iter(open_norms))
    put = (Substitution({}, {first: each}) for each in Norm)
    return all(_is_no_more(each.sens(left), each.sens(right), otherwise) for each in put)
