"""Releases of one dataset that are told apart by what the same record may do to all of them.

What a release sees of a dataset is a part of it, with a variable of its own: a statistic that adds something up for
each record (:mod:`dp_lsp.infer.tallies`), or whatever is computed of the records that filters keep. The cost of a
function says how far one record moves all of them together (:class:`~dp_lsp.core.tallies.Parted`): of counts of
disjoint filters it moves one, and what it adds to one sum it may take from another.

What is released otherwise moves with the dataset itself, in every way. So does what a function releases that is made
here: its parameters, and what a name stands for in it, are others in each call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Cost, Parts, Var, renamed
from dp_lsp.core.linear import Piece, Rows
from dp_lsp.core.metrics import as_dataset
from dp_lsp.core.scheme import Judgement, Move, SchemeParameter
from dp_lsp.core.sens import ONE
from dp_lsp.core.term import Term
from dp_lsp.infer import moves, sources
from dp_lsp.infer.entries import Entries
from dp_lsp.infer.inference import Inference
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.core.tallies import Parted


Apart: TypeAlias = "Parted | Entries"


def of(params: Iterable[SchemeParameter]) -> dict[Var, Apart]:
    """The datasets, vectors and matrices among a function's parameters whose releases are told apart. Left out is a
    dataset in which a record takes the place of another and that was filtered before: half of a step is not a step of
    one part."""
    found = dict[Var, Apart]()
    for param in params:
        dataset, entries = as_dataset(param.type), Entries.of(param)
        if dataset is not None and not dataset.balanced:
            from dp_lsp.core.tallies import Parted  # most functions have no dataset

            found[param.var] = Parted(dataset.metric.sized)
        elif entries is not None:
            found[param.var] = entries
    return found


def told_apart(inference: Inference, var: Var, move: Move, node: Term, value: Judgement, event: Mechanism) -> Var:
    """The variable of the part of a dataset that a mechanism reads; ``var`` itself where that is not known. ``node`` is
    the term of the mechanism's input, ``value`` its judgement, ``move`` its sensitivity in ``var``."""
    parted = inference.context.parts.get(inference.context.home, {}).get(var)
    if isinstance(parted, Entries):
        return parted.told_apart(_rows(var, value))
    if parted is None or var in inference.context.tuples.values():
        return var
    from dp_lsp.infer import releases  # most functions release nothing of a dataset

    return releases.part_read(inference, parted, var, move, node, value, event)


def records_told_apart(inference: Inference, var: Var, move: Move) -> Var:
    """The variable of the part of a dataset that a called function reads, which may release all of it."""
    parted = inference.context.parts.get(inference.context.home, {}).get(var)
    if parted is None or isinstance(parted, Entries) or var in inference.context.tuples.values():
        return var
    from dp_lsp.infer import releases

    return releases.filters_read(inference, parted, var, move)


def _rows(var: Var, value: Judgement) -> Rows | None:
    """A value as a linear function of what is a parameter, and of nothing else; None if it is not known as that."""
    if value.form is None:
        return None
    rows: list[dict[Piece, Poly]] = [{} for _ in value.form.rows]
    for source, pieces in value.form.pieces().items():
        moved = source.judgement.moves if isinstance(source, sources.Value) else {}
        if moved.keys() != {var} or not moves.is_itself(moved[var]) or moved[var].sens != ONE:
            return None
        for row, added in zip(rows, pieces, strict=True):
            if not all(isinstance(piece, Piece) for piece in added):
                return None
            for piece, factor in added.items():
                row[piece] = row.get(piece, Poly.of(0)) + factor
    return rows


def in_parts(inference: Inference, cost: Cost, span: Span) -> Cost:
    """The cost of a function from outside, as ``Parts`` of the parameters."""
    for var, parted in inference.context.parts.pop(inference.context.home).items():
        if isinstance(parted, Entries):
            cost = parted.in_parts(inference.solver, cost, span)
            continue
        names = {part.var: var for part in parted.parts}
        ways = parted.ways() if len(names) > 1 else ()
        if len(ways) > 1 or any(far != ONE for way in ways for far in way.values()):
            cost = Parts(var, ways, parted.seen.adapts, cost, Origin(span, "disjoint parts"))
        else:
            cost = renamed(cost, names)
    return cost
