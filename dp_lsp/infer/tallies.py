"""Statistics that add something up for each record of one dataset: counts, sums, and what is linear in them.

Several of them, and their differences and multiples, are read off the terms that made them, down to the dataset, as one
sum over its records: of each record, what it adds to each entry of the result (:mod:`dp_lsp.core.tallies`). A record
that is filtered away adds 0 to the final sum, whatever was done later with others. So `length(v) - count(p, v)` is the
count of the others, and counts of what cannot be true of one record are one histogram.

What is read must say of the record, and of what the dataset has no part in, what is kept and added: how far the result
moves with that is what all other rules say of it. One that is not made of comparisons of the record with public numbers
is taken to say anything, but always the same at one place; numbers that were computed of a record are measured by their
bounds, and compared with nothing. Terms are read by what evaluates them: each local has one value where it is in scope,
and what a loop or a branch made is not read.

Which values may be such statistics, and what reading them so says of a value, its ends and its moves, is decided here,
too (:func:`tightened`).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import ByRecord, Rank
from dp_lsp.core import laws
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import norms_of
from dp_lsp.core.metrics import as_dataset, by_norm
from dp_lsp.core.scheme import FunctionValue, Judgement, Move
from dp_lsp.core.sens import ONE as ALL
from dp_lsp.core.sens import Sens, magnitude, number
from dp_lsp.core.tallies import (
    Rule,
    TalliedDataset,
    Truth,
    largest,
    points,
    reach,
    replacements,
)
from dp_lsp.core.term import Apply, Call, Comprehension, Global, Literal, Local, Term, Use
from dp_lsp.core.types import Base, Bounds, Container, Dataset, Norm, NumberType, Type
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.reading import OUTSIDE, Later, Reading, Scope, Unread, deeper, of_records
from dp_lsp.infer.records import (
    ONE,
    Number,
    Record,
    RecordReader,
    Records,
    Row,
    combined,
    known_of,
    of_feature,
    signs,
    written,
)

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
    from dp_lsp.core.tallies import Seen, TooMany

    pass  # DROPPED  # most functions have no dataset

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
    if rank is None or not isinstance(made, Call) or len(made.args) != 1 or scope is not OUTSIDE:
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
            better[var] = Move(sens, node.span, laws.RECORDS, (ALL,), (move,), way=move.way)
    for norm in {norm for move in better.values() for norm in norms_of(move.sens)}:
        inference.solver.fix_norm(norm)
    return replace(judgement, moves={**judgement.moves, **better}) if better else judgement


_READ = frozenset({ByRecord.COUNTS, ByRecord.NUMBERS, ByRecord.ADDS})
_WIDEST = 64
_HALF = number(Fraction(1, 2))


class Reader(RecordReader):
    """Reads one statistic."""

    def statistic(self, node: Term, result: Type, scope: Scope = OUTSIDE) -> list[Rule]:
        """What a record adds to each entry of a vector, or to a number."""
        if not isinstance(result, Container):
            return [self.number(node, scope)]
        return self.entries(*self.made(node, scope))

    def kept_by(self, node: Term, scope: Scope = OUTSIDE) -> Truth:
        """Which records are among those of a dataset."""
        return self._dataset(node, scope).kept

    def reads_one(self) -> TalliedDataset | None:
        """The only dataset that something moves with that moves with this one."""
        source = self.seen.source
        if source is None:
            return None
        own = {self._inference.context.parameter(var) for var in source.judgement.moves}
        moved = {self._inference.context.parameter(var) for other in self._others for var in other.moves}
        return source if own.isdisjoint(moved) else None

    def measured(self, rules: list[Rule], norm: Norm | NormVariable) -> tuple[Judgement, Sens] | None:
        """The dataset, and how far the entries move together by a step of it."""
        source = self.reads_one()
        if source is None or len(rules) > _WIDEST:
            return None
        _, judgement, dataset = source
        found = points(self.seen.cases(), rules, self.seen.known)
        if dataset.balanced:
            found.add((Poly.of(0),) * len(rules))
        found = replacements(found, found) if dataset.metric.sized or dataset.balanced else found
        l1, l2, linf = (largest(found, each) for each in Norm)
        factor = by_norm(self._inference.solver.norm(norm), l1, l2, linf)
        return judgement, factor * _HALF if dataset.balanced else factor

    def reach(self, node: Call) -> Bounds | None:
        """Between which numbers the records of a dataset lie; of rows that are written out, all their numbers."""
        records = self._dataset(node, OUTSIDE)
        there = [case for case in self.seen.cases() if records.kept(case)]
        rules = _numbers_of(records.record)
        return reach({(each,) for point in points(there, rules, self.seen.known) for each in point})

    # Numbers and vectors

    def entries(self, node: Term, scope: Scope) -> list[Rule]:
        """What a record adds to each entry of a vector."""
        if isinstance(node, Apply):
            return self.entries(*self.made(*self.called(node, scope)))
        if isinstance(node, Comprehension):
            if node.step is not None:
                raise Unread
            ends = self.public(node.first, scope).number, self.public(node.last, scope).number
            inner = (scope.with_name(node.index, number) for number in _between(*ends))
            return [self.number(*self.inside(node.body, each)) for each in inner]
        if not isinstance(node, Call) or node.mutates:
            raise Unread
        role = builtins.TABLE[node.builtin].trait(ByRecord)
        if role is ByRecord.ADDS and node.keywords:
            return self._columns(node, scope)
        if node.keywords:
            raise Unread
        if node.builtin == builtins.LITERAL:
            return [self.number(each, scope) for each in node.args]
        if role is not ByRecord.MAPS or len(node.args) != 2:
            raise Unread
        each = [self.applied(node.args[0], scope, number) for number in self._numbers(node.args[1], scope)]
        return [self.number(value, inner) for value, inner in each]

    def _columns(self, node: Call, scope: Scope) -> list[Rule]:
        """What a row adds to each of the sums of what stands at one place of all rows."""
        *given, along = node.args
        if len(given) != 1 or self.public(along, scope) != ONE:
            raise Unread
        records = self._dataset(given[0], scope)
        if not isinstance(records.record, Row):
            raise Unread
        return [_of_kept(records.kept, rule) for rule in _numbers_of(records.record)]

    def _numbers(self, node: Term, scope: Scope) -> list[Fraction]:
        """Numbers that are written out."""
        node, scope = self.made(node, scope)
        if isinstance(node, Call) and node.builtin in (builtins.LITERAL, builtins.RANGE) and not node.keywords:
            found = [self.public(each, scope).number for each in node.args]
            known = [each for each in found if each is not None]
            if len(known) == len(found) and node.builtin == builtins.LITERAL:
                return known
            if len(found) == 2:
                return _between(*found)
        raise Unread

    @deeper
    def number(self, node: Term, scope: Scope) -> Rule:
        """What a record adds to a number."""
        node, scope = self.stands_for(node, scope)
        if isinstance(node, Literal) or (isinstance(node, Use) and self._is_public(node.local, scope)):
            return lambda case: {}
        node, scope = self.made(node, scope)
        if isinstance(node, Use) and node.local not in scope.names and self._is_other(node.local):
            return lambda case: {}
        if isinstance(node, Apply):
            return self.number(*self.called(node, scope))
        if not isinstance(node, Call) or node.mutates or node.keywords:
            raise Unread
        role = builtins.TABLE[node.builtin].trait(ByRecord)
        if role in _READ:
            return self._statistic(role, node, scope)
        if node.builtin in ("+", "-"):
            parts = [self.number(each, scope) for each in node.args]
            return combined(parts, signs(node))
        factored = self.factored(node, scope)
        if factored is None:
            raise Unread
        factor, other = factored
        return combined([self.number(other, scope)], [factor])

    def _statistic(self, role: ByRecord | None, node: Call, scope: Scope) -> Rule:
        """What a record adds to a number of records or to a sum, where the dataset keeps it; elsewhere nothing."""
        records = self._dataset(node.args[-1], scope)
        if role is ByRecord.COUNTS and len(node.args) > 1:
            return _of_kept(self.kept(records, node.args[0], scope, node).kept, written(ONE))
        if role in (ByRecord.ADDS, ByRecord.COUNTS):
            if len(node.args) > 2:
                raise Unread
            record = records.record if len(node.args) == 1 else self._made_by(node, scope, records.record)
            return _of_kept(records.kept, record.sum() if isinstance(record, Row) else record.value)
        if len(node.args) != 1 or isinstance(records.record, Row):
            raise Unread
        return _of_kept(records.kept, written(ONE))

    def _is_public(self, local: Local, scope: Scope) -> bool:
        """Whether a name stands for what is the same whatever the records are."""
        if local in scope.names:
            return isinstance(scope.names[local], Fraction)
        known = self._inference.context.environment.get(local)
        return known is not None and not known.moves

    # Datasets

    @deeper
    def _dataset(self, node: Term, scope: Scope) -> Records:
        """Which records a dataset has that is made of the source by filters, maps and selections of columns."""
        node, scope = self.followed(node, scope, (Use,))
        made = node
        if isinstance(node, Use) and node.local not in scope.names:
            made = self._inference.context.made.get(node.local, node)
        if isinstance(made, Apply):
            return self._returned(node, made, scope)
        role = of_records(made)
        if isinstance(made, Call) and made.builtin == builtins.AS_VIEWS:
            return self._dataset(made.args[0], scope)
        if isinstance(made, Call) and role is ByRecord.KEEPS:
            return self.kept(self._dataset(made.args[1], scope), made.args[0], scope, made)
        if isinstance(made, Call) and role is ByRecord.MAPS:
            return self._mapped(node, made, scope)
        if isinstance(made, Call) and role is ByRecord.CHANGES:
            return self._changed(node, made, scope)
        if isinstance(made, Call) and made.builtin in (builtins.COLUMN, builtins.SLICE_OF_COLUMNS):
            return self._of_places(made, scope)
        return self._leaf(node, scope)

    def _leaf(self, node: Term, scope: Scope) -> Records:
        """The dataset itself."""
        if not isinstance(node, Use) or node.local in scope.names:
            raise Unread
        judgement = self._inference.context.environment.get(node.local)
        type_ = None if judgement is None else as_dataset(self._inference.type(judgement))
        source = self.seen.source
        if judgement is None or type_ is None or (source is not None and source.local is not node.local):
            raise Unread
        self.seen.source = TalliedDataset(node.local, judgement, type_)
        return Records(lambda case: True, self._record(node.local, type_))

    def _record(self, key: Hashable, type_: Dataset) -> Record:
        """A record of which its type is known."""
        known = known_of(type_.records)
        if type_.records.rows is None:
            self.seen.known[key] = known
            return of_feature(key)

        def at(place: int) -> Number:
            self.seen.known.setdefault((key, place), known)
            return of_feature((key, place))

        count = type_.records.length.number
        return Row(at, key, None if count is None else int(count))

    def _returned(self, node: Term, made: Apply, scope: Scope) -> Records:
        """A dataset that a function returns; if that is not read, the one that has its name."""
        before = self.seen.source
        try:
            return self._dataset(*self.called(made, scope))
        except Unread:
            self.seen.source = before
            return self._leaf(node, scope)

    def _of_places(self, made: Call, scope: Scope) -> Records:
        """A column of rows, or several ones."""
        records = self._dataset(made.args[0], scope)
        row, places = records.record, [self._position(each, scope) for each in made.args[1:]]
        if not isinstance(row, Row):
            raise Unread
        return records._replace(record=row.at(*places) if len(places) == 1 else row.of_places(*places))

    def _mapped(self, node: Term, made: Call, scope: Scope) -> Records:
        """Records that a function makes of records, one by one; if that is not read, they are known by their type."""
        records = self._dataset(made.args[1], scope)
        if isinstance(records.record, Row) and made.builtin == builtins.ENTRIES:
            raise Unread  # of numbers, and not of rows
        try:
            record = self._made_by(made, scope, records.record)
        except Unread:
            record = self._of_type(node, made, scope)
        return records._replace(record=record)

    def _made_by(self, use: Call, scope: Scope, record: Record) -> Record:
        """The record that a mapping function returns for a record."""
        function = use.args[0]
        self._captures(*self.made(function, scope))
        value, inner = self.applied(function, scope, record)
        row = self._row(value, inner)
        return row or self.made_of(value, inner, (self._place(function, scope, use), record.key))

    def _changed(self, node: Term, made: Call, scope: Scope) -> Records:
        """Records that are changed one by one: moved into a range whose ends are numbers as they are stored, or known
        by their type only."""
        records = self._dataset(made.args[0], scope)
        return records._replace(record=self._selected(records.record, made, scope) or self._of_type(node, made, scope))

    def _selected(self, record: Record, made: Call, scope: Scope) -> Number | None:
        """A number of a record that is moved between public ends which are stored as they are written; None if it is
        not known as that."""
        shape = builtins.TABLE[made.builtin].trait(Shape)
        if isinstance(record, Row) or shape is None or not shape.selects or made.keywords or record.feature is None:
            return None
        ends = [self.public_or_none(each, scope) for each in made.args[1:]]
        numbers = [each.number for each in ends if each is not None]
        stored = [each for each in numbers if each is not None and Fraction(float(each)) == each]
        if len(stored) < len(ends):
            return None
        self._cut(record.feature, *stored)
        value = self.shaped(shape, [record.value, *(written(Poly.of(each)) for each in stored)])
        return Number(value, (id(made), record.key), limits=record.feature)

    def _of_type(self, node: Term, made: Call, scope: Scope) -> Record:
        """A record of which no more is known than its type: here, and not in a function that is called elsewhere."""
        if scope.call is not None or any(isinstance(each, Later) for each in scope.names.values()):
            raise Unread
        known = self._inference.recorder.judgements.get(made)
        if known is None and isinstance(node, Use):
            known = self._inference.context.environment.get(node.local)
        type_ = None if known is None else self._inference.type(known)
        if not isinstance(type_, Dataset):
            raise Unread
        return self._record((id(made), self.identities(scope)), type_)


def _of_kept(kept: Truth, value: Rule) -> Rule:
    """What a record adds that may be filtered away."""
    return lambda case: value(case) if kept(case) else {}


def _between(first: Fraction | None, last: Fraction | None) -> list[Fraction]:
    """The numbers of a range, if there are some, and not too many."""
    if first is None or last is None or first.denominator != 1 or not 0 <= last - first < _WIDEST:
        raise Unread
    return [first + step for step in range(int(last - first) + 1)]


def _numbers_of(record: Record) -> list[Rule]:
    """All numbers of a record."""
    if isinstance(record, Number):
        return [record.value]
    if record.width is None or record.width > _WIDEST:
        raise Unread
    return [record.at(place + 1).value for place in range(record.width)]
