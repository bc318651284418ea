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
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import ByRecord
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.metrics import as_dataset, by_norm
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.sens import Sens, number
from dp_lsp.core.tallies import (
    Rule,
    TalliedDataset,
    Truth,
    largest,
    points,
    reach,
    replacements,
)
from dp_lsp.core.term import Apply, Call, Comprehension, Literal, Local, Term, Use
from dp_lsp.core.types import Bounds, Container, Dataset, Norm, Type
from dp_lsp.infer.reading import OUTSIDE, Later, Scope, Unread, deeper, of_records
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

_READ = frozenset({ByRecord.COUNTS, ByRecord.NUMBERS, ByRecord.ROWS, ByRecord.ADDS})
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
        rules = _numbers_of(records.record)  # which may tell more cases apart
        there = [case for case in self.seen.cases() if records.kept(case)]
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
        if role is ByRecord.ROWS:
            if len(node.args) != 2 or self.public(node.args[1], scope) != ONE:
                raise Unread
            return _of_kept(self._dataset(node.args[0], scope).kept, written(ONE))
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
