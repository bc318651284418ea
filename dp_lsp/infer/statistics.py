"""What reading a value as a statistic of records says of it, its ends and its moves, and which values may be such; how
they are read, see :mod:`dp_lsp.infer.tallies`."""

from __future__ import annotations

from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.builtins.traits import ByRecord, Rank
from dp_lsp.core import laws
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import norms_of
from dp_lsp.core.scheme import FunctionValue, Judgement, Move
from dp_lsp.core.sens import ONE, Sens, magnitude
from dp_lsp.core.term import Apply, Call, Comprehension, Global, Local, Term, Use
from dp_lsp.core.types import Base, Bounds, Container, Dataset, Norm, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.reading import OUTSIDE, Reading, Unread, of_records
from dp_lsp.named import NamedTuple

_ARITHMETIC = frozenset({"+", "-", "*", "/"})

Statistic = Call | Apply | Comprehension


def ranged(inference: Inference, node: Call, judgement: Judgement) -> Judgement:
    """A dataset that a function makes of records, or a column of it, with the bounds of the numbers that are there, if
    they are known, and its type says less."""
    if node.builtin != builtins.COLUMN and of_records(node) is not ByRecord.MAPS:
        return judgement
    type_ = inference.type(judgement)
    if not isinstance(type_, Dataset):
        return judgement
    element = type_.records.element
    if not isinstance(element, NumberType) or element.base is Base.DATA:
        return judgement
    from dp_lsp.core.tallies import Seen, TooMany  # most functions have no dataset
    from dp_lsp.infer.tallies import Reader

    try:
        bounds = Reader(inference, exact=True, seen=Seen()).reach(node)
    except (Unread, TooMany):
        return judgement
    known = element.bounds
    if bounds is None or (known is not None and not _narrower(bounds, known)):
        return judgement
    return replace(judgement, type=type_.of(type_.records.of(replace(element, bounds=bounds))))


def apart(inference: Inference, node: Call, judgement: Judgement) -> Judgement:
    """How far one rank of a dataset is from another one of the same, as the largest number is from the smallest: from 0
    to R above a lower one, for numbers between L and U, R = U - L. Both ask that there is a record. With α ≥ β the
    number with a share α of the others below it is not below that with a share β, wherever it is interpolated, so no
    two such differences are further apart than R, where each rank may move by R, up in one and down in the other."""
    if node.builtin != builtins.MINUS or len(node.args) != 2 or not any(var.gap for var in judgement.moves):
        return judgement
    first, second = (_ranked(inference, each) for each in node.args)
    type_ = inference.type(judgement)
    if first is None or second is None or first.of is not second.of or not isinstance(type_, NumberType):
        return judgement
    if first.share < second.share:
        most = second.bounds.high - first.bounds.low
        between = Bounds(-most, Poly.of(0))
    else:
        most = first.bounds.high - second.bounds.low
        between = Bounds(Poly.of(0), most)
    moved = inference.capped(judgement.moves, magnitude(most), node.span)
    return replace(judgement, type=replace(type_, bounds=between), moves=moved)


class _Ranked(NamedTuple):
    """A rank of a dataset: of which, how high, and between which numbers it lies."""

    of: Local
    share: Fraction
    bounds: Bounds


def _ranked(inference: Inference, node: Term) -> _Ranked | None:
    reading = Reading(inference)
    try:
        made, scope = reading.made(node, OUTSIDE)
    except Unread:
        return None
    rank = builtins.TABLE[made.builtin].trait(Rank) if isinstance(made, Call) else None
    if rank is None or rank.share is None or not isinstance(made, Call) or scope is not OUTSIDE:
        return None
    over, known = made.args[0], inference.recorder.judgements.get(made)
    type_ = None if known is None else inference.type(known)
    if not isinstance(over, Use) or not isinstance(type_, NumberType) or type_.bounds is None:
        return None
    return _Ranked(over.local, rank.share, type_.bounds)


def _narrower(bounds: Bounds, known: Bounds) -> bool:
    return bounds != known and bool(decide(known.low, "<=", bounds.low) and decide(bounds.high, "<=", known.high))


def tightened(inference: Inference, node: Statistic, judgement: Judgement) -> Judgement:
    """How far a statistic moves, where reading it as one sum over the records of a dataset says that better."""
    steps = any(var.gap for var in judgement.moves)  # as those of a dataset have
    if not steps or not _may_be_statistic(inference, node):
        return judgement
    result = inference.type(judgement)
    if not isinstance(result, NumberType | Container):
        return judgement
    from dp_lsp.core.tallies import Seen, TooMany
    from dp_lsp.infer.tallies import Reader

    for exact in (True, False):
        reader = Reader(inference, exact, Seen())
        try:
            rules = reader.statistic(node, result)
            found = reader.measured(rules, result.norm if isinstance(result, Container) else Norm.L1)
        except (Unread, TooMany):
            continue
        if found is not None:
            judgement = _least(inference, node, judgement, *found)
        if not reader.computes:
            break
    return judgement


def _may_be_statistic(inference: Inference, node: Statistic) -> bool:
    """A function without annotations has been inferred for the dataset that it is called with, and says all of it."""
    if isinstance(node, Comprehension):
        return True
    if isinstance(node, Apply):
        found = inference.context.resolve(node.function.name) if isinstance(node.function, Global) else None
        return isinstance(found, FunctionValue) and not any(method.is_open for method in found.methods)
    role = builtins.TABLE[node.builtin].trait(ByRecord)
    known = node.builtin in _ARITHMETIC or node.builtin == builtins.LITERAL or role in (ByRecord.MAPS, ByRecord.ADDS)
    return known and not node.mutates


def _least(inference: Inference, node: Statistic, judgement: Judgement, source: Judgement, factor: Sens) -> Judgement:
    """A statistic that moves by a factor of what the dataset does, where that is less than what is known."""
    better = {}
    for var, own in source.moves.items():
        move, sens = judgement.moves.get(var), factor * own.sens
        if move is not None and not sens.infinite and not decide(move.sens, "<=", sens):
            better[var] = Move(sens, node.span, laws.RECORDS, (ONE,), (move,), way=move.way)
    for norm in {norm for move in better.values() for norm in norms_of(move.sens)}:
        inference.solver.fix_norm(norm)
    return replace(judgement, moves={**judgement.moves, **better}) if better else judgement
