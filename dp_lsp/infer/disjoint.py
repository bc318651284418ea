"""What each round of a loop reads for itself: the row of a matrix, or the entry of a vector, at the loop's index.

Different rounds have different indices. Where a loop reads ``M[j, …]`` at its index j, and M is the same in all rounds,
each round reads a row of its own, and how far all rows move together is how far M moves. Such a row moves with
variables of its own as long as its round is looked at; after all rounds M moves in its place, once. What a round reads
of M in any other way moves with M itself, in every round.

A loop that reads ``M[j + 1, …]`` and nothing at j is one over the numbers j + 1. One that reads at both reads a row in
two rounds, and what is said of one round with all that it reads would not hold of two: at j it has rows of its own.

Source: the distance of matrices is the sum over their rows, that of vectors the norm of the distances of entries, and
that of datasets in Hamming the number of positions with another record.
"""

from __future__ import annotations

from collections.abc import Container as Holds
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import TypeGuard

from dp_lsp import builtins
from dp_lsp.builtins.traits import Indexing, SampleSize
from dp_lsp.core import laws
from dp_lsp.core.evaluate import norms_of
from dp_lsp.core.events import Apart, Var
from dp_lsp.core.metrics import as_dataset, by_norm, has_gap, has_steps
from dp_lsp.core.scheme import Judgement, Move, Moves
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.term import Call, Literal, Local, Rounds, Term, Use, of_body, within
from dp_lsp.core.types import AnyNorm, Container, Dataset, DatasetMetric, Norm, Type
from dp_lsp.infer import moves
from dp_lsp.infer.solver import Solver
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span


class PartOf(NamedTuple):
    """How the variable of a row is a part of its container's: ``var`` moves the container by ``far``. The rows'
    distances make up the container's by ``norm``; for None they add up."""

    var: Var
    far: Sens
    norm: AnyNorm | None


class Lies(NamedTuple):
    """How a change is spread over the rounds' places, as for :class:`~dp_lsp.core.events.Place`."""

    apart: Apart
    each: int = 1


class Spread(NamedTuple):
    """The sensitivity of a loop's end in what is read in one round only, in what is read in every round, and the number
    of rounds."""

    one: Sens
    every: Sens
    rounds: Sens | None


Wholes = dict[Var, PartOf]
"""What the variables of rows are a part of."""


def whole(wholes: Wholes, moved: Moves, span: Span, kept: Holds[Var] = ()) -> Moves:
    """The environment with containers in place of their rows, as one round sees them; rows that are ``kept`` stay."""
    while rows := {var for var in moved if var in wholes and var not in kept}:
        parts = [_as_whole(wholes[var], moved[var], span) for var in moved if var in rows]
        moved = moves.added((moves.without(moved, rows), *parts), span, laws.OWN_ROW)
    return moved


def variable(wholes: Wholes, var: Var) -> Var:
    """The variable of a container in place of that of its row."""
    while var in wholes:
        var = wholes[var].var
    return var


def _as_whole(part_of: PartOf, move: Move, span: Span) -> Moves:
    var, far, _ = part_of
    return {var: move if far == ONE else Move(move.sens * far, span, laws.OWN_ROW, (far,), (move,), way=move.way)}


class OwnRows:
    """What the rounds of one loop read for themselves, in the function that ``home`` stands for. ``around`` are the
    values from before the loop: only these are the same in every round. Which way a row goes is said of the variable of
    its container.

    ``places`` are those of the variables of rows that stand for what each round reads for itself also where a round
    releases something: it is known how what all rounds read moves with its container; of those that are ``uneven`` it
    may move it by less. A record of a sample is in one row of it, and in the same one of all that was drawn together,
    if none is drawn twice; else it may be in several."""

    def __init__(
        self,
        around: Mapping[Local, Judgement],
        solver: Solver,
        wholes: Wholes,
        node: Rounds,
        home: object,
        sample: Var | None = None,
    ) -> None:
        self._around = around
        self._node = node
        self._solver = solver
        self._wholes = wholes
        self.home = home
        self.sample = sample
        self._place = Var("place", gap=True)
        if sample is not None:
            self._wholes[self._place] = PartOf(sample, ONE, None)
        self._own: dict[tuple[Local | None, Var, AnyNorm | None, bool], Var] = {}
        self._known: dict[Local, Judgement] = {}
        self.places: dict[Var, Lies] = {}
        self.uneven: set[Var] = set()

    @cached_property
    def shift(self) -> int:
        """How much further than at its number a round reads what is its own."""
        read = {_place_of(node) for node in within(of_body(self._node.body))}
        shifts = {shift for local, shift in read if local is self._node.index}
        return shifts.pop() if self.sample is None and len(shifts) == 1 else 0

    def of(self, container: Use) -> Judgement | None:
        """The judgement of a container of which a round reads its own row only, the same wherever it is read; None if
        that says nothing more."""
        if container.local not in self._known:
            found = self._found(container)
            if found is None:
                return None
            self._known[container.local] = found
        return self._known[container.local]

    @property
    def known(self) -> Mapping[Local, Judgement]:
        """The judgements of all containers of which a round reads its own row."""
        return self._known

    def _found(self, container: Use) -> Judgement | None:
        known = self._around.get(container.local)
        type_ = None if known is None else self._solver.type(known.type)
        if self.sample is not None:
            return self._row_of_sample(self.sample, known, type_, container.span)
        if known is None or not (isinstance(type_, Container) or _counts_places(type_)):
            return None
        if any(move.sens.infinite for move in known.moves.values()):
            return None
        norm = type_.norm if isinstance(type_, Container) and type_.rows is None else None
        moved = {}
        for var, move in known.moves.items():
            own = self._variable(container.local, var, move, norm, has_gap(type_))
            apart = self._apart(type_)
            if apart is not None and (var.once or not var.members) and not norms_of(move.sens):
                self.places[own] = Lies(apart)
            share = Sens((move.sens.single_poly().inverse(),))
            moved[own] = Move(ONE, container.span, laws.OWN_ROW, (share,), (move,), way=move.way)
        return Judgement(type_, moved)

    def _row_of_sample(self, sample: Var, known: Judgement | None, type_: Type | None, span: Span) -> Judgement | None:
        """A row of the sample whose rows are the rounds: one that is in both of two samples is the same in both."""
        if known is None or not isinstance(type_, Dataset) or known.moves.keys() != {sample}:
            return None
        if type_.metric is not DatasetMetric.INSERT_DELETE:  # in another order other rounds have other rows
            return None
        if not moves.is_itself(known.moves[sample]):
            return None
        own = self._variable(None, sample, known.moves[sample], None, True)
        return Judgement(type_.records, {own: Move(ONE, span, laws.OWN_ROW, (ONE,), (known.moves[sample],))})

    def is_around(self, local: Local) -> bool:
        """Whether a name is bound before the loop, and so loop-invariant."""
        return local in self._around

    def cell(self, of: Var, far: Sens, lies: Lies, even: bool) -> Var:
        """The variable of the part of a dataset that a round reads. ``of`` moves what all rounds read together by
        ``far``, exactly if ``even``."""
        own = Var(of.name, of.gap, chained=of.chained)
        self._wholes[own] = PartOf(of, far, None)
        self.places[own] = lies
        if not even:
            self.uneven.add(own)
        return own

    def index(self, span: Span) -> Moves:
        """The environment of the round number: in a sample with one row more, later rows have other numbers."""
        return moves.NOWHERE if self.sample is None else moves.own(self._place, span)

    def _variable(self, local: Local | None, var: Var, move: Move, norm: AnyNorm | None, gap: bool) -> Var:
        """The row of a variable itself is one variable, by whatever name it is read: the row of a record is the same in
        all matrices that were drawn together."""
        key = (None if moves.is_itself(move) else local, var, norm, gap)
        if key not in self._own:
            self._own[key] = own = Var(var.name, gap, var.public, var.carried, var.members)
            self._wholes[own] = PartOf(var, move.sens, norm)
        return self._own[key]

    def _apart(self, type_: Type) -> Apart | None:
        """How far entries or rows move with their container; None where all may move as far as that, or that depends
        on a norm which is not known."""
        dataset = as_dataset(type_)
        if dataset is not None:
            return Apart.RECORDS if dataset.metric is DatasetMetric.HAMMING else None
        assert isinstance(type_, Container), "a round reads a row or an entry of one of its own"
        if type_.rows is None:
            norm = self._solver.norm(type_.norm)
            if norm is Norm.L2:
                return Apart.SQUARES
            if norm is not Norm.L1:
                return None
        return Apart.STEPS if has_gap(type_) and has_steps(type_) else Apart.SUM

    def container(self, var: Var) -> Var:
        """The variable of a container in place of that of the row that a round reads."""
        return self._wholes[var].var if var in self._own.values() else var

    def spread(self, moved: Moves, over: Spread, span: Span) -> Iterator[moves.Weighted]:
        """The contributions to a loop's end of what each round reads for itself, in terms of containers."""
        own = frozenset(self._own.values()) | {self._place}
        yield moves.without(moved, own), over.every
        for var in moved:
            if var is self._place:
                yield _as_whole(self._wholes[var], moved[var], span), INFINITY
            elif var in own and self.sample is None:
                yield _as_whole(self._wholes[var], moved[var], span), self._factor(self._wholes[var].norm, over)

    def _factor(self, norm: AnyNorm | None, over: Spread) -> Sens:
        """k entries of a vector at distance d move by at most d together in L1, √k·d in L2, and d each in LInf."""
        if norm is None:
            return over.one
        root = over.every if over.rounds is None else over.one * over.rounds.root()
        known = root.number, over.every.number
        least = over.every if known[0] is not None and known[1] is not None and known[1] < known[0] else root
        factor = by_norm(self._solver.norm(norm), over.one, least, over.every)
        for open_norm in norms_of(factor):
            self._solver.fix_norm(open_norm)
        return factor


def _counts_places(type_: Type | None) -> TypeGuard[Dataset]:
    """Whether the distance of datasets is the number of positions with another record: a round reads one of them."""
    return isinstance(type_, Dataset) and type_.metric is DatasetMetric.HAMMING


def arguments(rounds: Mapping[Local, OwnRows], node: Call, values: list[Judgement | Term]) -> list[Judgement | Term]:
    """The arguments of a builtin; where it reads the row at the round number, the container's judgement is that of the
    row alone."""
    if not builtins.TABLE[node.builtin].has(Indexing):
        return values
    container, (index, shift) = node.args[0], _place_of(node)
    if isinstance(container, Use) and index is not None and index in rounds and rounds[index].shift == shift:
        row = rounds[index].of(container)
        if row is not None and rounds[index].sample is not None:
            place = values[1]
            assert isinstance(place, Judgement), "an index is a value"
            return [row, Judgement(place.type, moves.NOWHERE), *values[2:]]
        return [row or values[0], *values[1:]]
    return values


def _place_of(node: Term) -> tuple[Local | None, int]:
    """The name at which a builtin reads, and how much further; None of what reads at no name."""
    if not isinstance(node, Call) or not builtins.TABLE[node.builtin].has(Indexing):
        return None, 0
    match node.args[1]:
        case Use(local=local):
            return local, 0
        case Call(builtin="+", args=(Use(local=local), Literal(value=Fraction() as shift, integer=True))):
            return local, int(shift)
        case Call(builtin="+", args=(Literal(value=Fraction() as shift, integer=True), Use(local=local))):
            return local, int(shift)
        case Call(builtin="-", args=(Use(local=local), Literal(value=Fraction() as shift, integer=True))):
            return local, -int(shift)
    return None, 0


def is_there(rounds: Mapping[Local, OwnRows], node: Call) -> bool:
    """Whether a builtin reads a whole row of a sample at the round number, which is never out of bounds."""
    if not builtins.TABLE[node.builtin].has(Indexing) or len(node.args) != 2:
        return False
    container, index = node.args
    if not (isinstance(container, Use) and isinstance(index, Use) and index.local in rounds):
        return False
    own = rounds[index.local]
    return own.sample is not None and own.of(container) is not None


def counted(value: Judgement) -> Var | None:
    """The sample whose size a number is; None if it is anything else."""
    if len(value.moves) != 1:
        return None
    ((var, move),) = value.moves.items()
    while move.rule == laws.NAME:
        (move,) = move.before
    row = builtins.TABLE.get(move.rule)
    counts = row is not None and row.has(SampleSize) and move.sens == ONE and len(move.before) == 1
    return var if counts and moves.is_itself(move.before[0]) else None
