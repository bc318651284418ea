"""What a release sees of a dataset, read as a part of it: what each record adds to a statistic, or which records
filters keep."""

from __future__ import annotations

from dp_lsp import builtins
from dp_lsp.builtins.traits import ComposableFilter
from dp_lsp.core.algebra import Poly
from dp_lsp.core.events import Var
from dp_lsp.core.scheme import Judgement, Move
from dp_lsp.core.sens import ONE
from dp_lsp.core.tallies import Parted, Rule, Seen, TalliedPart, TooMany, Truth, Value, points
from dp_lsp.core.term import Call, Term
from dp_lsp.core.types import Container, Norm
from dp_lsp.infer import cells, moves
from dp_lsp.infer.cells import Read
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.reading import OUTSIDE, Scope, Unread
from dp_lsp.infer.tallies import Reader
from dp_lsp.mechanisms.mechanism import Mechanism

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
