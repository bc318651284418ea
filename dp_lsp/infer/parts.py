"""Releases of one dataset that are told apart by what the same record may do to all of them.

What a release sees of a dataset is a part of it, with a variable of its own: a statistic that adds something up for
each record (:mod:`dp_lsp.infer.tallies`), or whatever is computed of the records that filters keep. The cost of a
function says how far one record moves all of them together (:class:`~dp_lsp.core.tallies.Parted`): of counts of
disjoint filters it moves one, and what it adds to one sum it may take from another.

What is released otherwise moves with the dataset itself, in every way. So does what a function releases that is made
here: its parameters, and what a name stands for in it, are others in each call.

What a release sees of a dataset, read as a part of it: what each record adds to a statistic, or which records
filters keep.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from dp_lsp import builtins
from dp_lsp.builtins.traits import ComposableFilter
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Cost, Parts, Var, renamed
from dp_lsp.core.linear import Piece, Rows
from dp_lsp.core.metrics import as_dataset
from dp_lsp.core.scheme import Judgement, Move, SchemeParameter
from dp_lsp.core.sens import ONE
from dp_lsp.core.tallies import Parted, Rule, Seen, TalliedPart, TooMany, Truth, Value, points
from dp_lsp.core.term import Call, Term
from dp_lsp.core.types import Container, Norm
from dp_lsp.infer import cells, moves
from dp_lsp.infer.cells import Read
from dp_lsp.infer.entries import Entries
from dp_lsp.infer.inference import Inference, ValueSource
from dp_lsp.infer.reading import OUTSIDE, Scope, Unread
from dp_lsp.infer.tallies import Reader
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.text import Span

_MOST = 20  # releases of one dataset that are told apart
_ONCE: Value = {None: Poly.of(1)}


def part_read(
    inference: Inference, parted: Parted, var: Var, move: Move, node: Term, value: Judgement, event: Mechanism
) -> Var:
    """The variable of the part that a mechanism reads of a dataset; ``var`` itself where that is not known."""
    reads = _sum(inference, var, node, value, event), _filtered(inference, var, move)
    in_rounds = cells.of_rounds(inference, var, move.sens, parted.replaced, reads)
    if in_rounds is not None:
        return in_rounds
    for exact in (True, False) if len(parted.parts) < _MOST else ():
        reader = Reader(inference, exact, Seen(parted.seen))
        part = _as_sum(reader, var, move, reads[0]) or _as_filtered(reader, var, reads[1])
        found = _counted(parted, reader, part)
        if found is not None:
            return found
    parted.complete = False
    return var


def filters_read(inference: Inference, parted: Parted, var: Var, move: Move) -> Var:
    """The variable of the part that a called function reads of a dataset, which may release all of it."""
    read = _filtered(inference, var, move)
    in_rounds = cells.of_rounds(inference, var, move.sens, parted.replaced, (read,))
    if in_rounds is not None:
        return in_rounds
    if len(parted.parts) >= _MOST:
        parted.complete = False
        return var
    reader = Reader(inference, exact=True, seen=Seen(parted.seen))
    found = _counted(parted, reader, _as_filtered(reader, var, read))
    parted.complete &= found is not None
    return found or var


def _counted(parted: Parted, reader: Reader, part: TalliedPart | None) -> Var | None:
    """The variable of a part, which is one of them from here on."""
    if part is None:
        return None
    parted.seen = reader.seen
    parted.parts.append(part)
    return part.var


def _sum(inference: Inference, var: Var, node: Term, value: Judgement, event: Mechanism) -> Read:
    """Reads a statistic that adds something up for each record."""

    type_ = inference.type(value)

    def rules(reader: Reader, scope: Scope) -> tuple[Rule, ...]:
        return _of(reader, var, tuple(reader.statistic(node, type_, scope)))

    norm = inference.solver.norm(type_.norm) if isinstance(type_, Container) else Norm.L1
    return Read(rules, norm, event.shares or event.is_normal)


def _filtered(inference: Inference, var: Var, move: Move) -> Read:
    """Reads what moves with nothing of a dataset but the records that filters keep, and which these are."""
    filters = _filters(inference, move)

    def rules(reader: Reader, scope: Scope) -> tuple[Rule, ...]:
        if not filters:
            raise Unread
        return _of(reader, var, (_one_of([reader.kept_by(each, scope) for each in filters]),))

    return Read(rules, None)


def _of(reader: Reader, var: Var, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """What was read, if it is a dataset that is a parameter, and nothing else moves with it."""
    source = reader.reads_one()
    moved = {} if source is None else source.judgement.moves
    if moved.keys() != {var} or not moves.is_itself(moved[var]):
        raise Unread
    return rules


def _as_sum(reader: Reader, var: Var, move: Move, read: Read) -> TalliedPart | None:
    """A statistic that adds something up for each record."""
    if not isinstance(read.norm, Norm):
        return None
    try:
        rules = read.rules(reader, OUTSIDE)
        points(reader.seen.cases(), rules, reader.seen.known)
    except (Unread, TooMany):
        return None
    return TalliedPart(_part(var), rules, read.norm, move.sens, read.shared)


def _as_filtered(reader: Reader, var: Var, read: Read) -> TalliedPart | None:
    """What moves with nothing of a dataset but the records that filters keep."""
    try:
        rules = read.rules(reader, OUTSIDE)
    except (Unread, TooMany):
        return None
    return TalliedPart(_part(var), rules, Norm.L1, ONE, graded=False)


def _part(whole: Var) -> Var:
    return Var(whole.name, whole.gap, chained=whole.chained)


def _one_of(kept: list[Truth]) -> Rule:
    return lambda case: _ONCE if any(truth(case) for truth in kept) else {}


def _filters(inference: Inference, move: Move) -> list[Call] | None:
    """The filters by which all that moves something goes, the last ones; None if something goes by none, or by what
    is no builtin, as a loop, which may have run a filter more than once. A move by a row lists all that it is made of,
    but for what counts 0 times: what it says is the sum of that, which ``tests/test_derivations.py`` holds each
    against; and a value that counts 0 times does not move the result."""
    found: dict[int, Call] = {}
    pending, seen = [move], set[int]()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        row = builtins.TABLE.get(each.rule)
        node = inference.context.filters.get((inference.context.home, each.span))
        if row is not None and row.has(ComposableFilter) and node is not None:
            found[id(node)] = node
        elif row is None or not each.before:
            return None
        else:
            pending += each.before
    return list(found.values())


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

    return part_read(inference, parted, var, move, node, value, event)


def records_told_apart(inference: Inference, var: Var, move: Move) -> Var:
    """The variable of the part of a dataset that a called function reads, which may release all of it."""
    parted = inference.context.parts.get(inference.context.home, {}).get(var)
    if parted is None or isinstance(parted, Entries) or var in inference.context.tuples.values():
        return var

    return filters_read(inference, parted, var, move)


def _rows(var: Var, value: Judgement) -> Rows | None:
    """A value as a linear function of what is a parameter, and of nothing else; None if it is not known as that."""
    if value.form is None:
        return None
    rows: list[dict[Piece, Poly]] = [{} for _ in value.form.rows]
    for source, pieces in value.form.pieces().items():
        moved = source.judgement.moves if isinstance(source, ValueSource) else {}
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
