"""Records that the rounds of a loop see for themselves: what each round releases of a dataset goes by conditions on the
number of the round, and no record meets them in many rounds.

A record that comes or goes changes what is released in the rounds only in which it is kept, and one that takes the
place of another in those of both. In how many rounds that can be is decided by public numbers and the record alone, so
it is settled before the first round: given what was released before, all other rounds do the same on both datasets. So
these rounds are places, as rows are that a loop reads once (:mod:`dp_lsp.infer.disjoint`): one step of the dataset
reaches m of them at most, 2m where a record is replaced, and moves each by no more than it moves what is released
there, as that is what it does to the dataset itself.

In how many rounds a record can be kept is known in two ways. Let all records x that are kept in a round of number i lie
so that x - s·i is in a region of which the ends are less than |s| apart, or |s| and not both in it: then x is kept in
one round only, as numbers of rounds are whole and differ. This asks for no end of the range. Or the range is one of
few numbers: then a condition is read once for each of them, with that number in the place of the index, and with the
elements of written lists that stand at that place; m is the largest number of rounds that keep the same record.

x is a number of the record as the loop finds it, the same in all rounds. What is computed of an index must be exact as
it is stored; equal numbers in a list, and intervals that overlap, are counted as they are. A guess about a condition
holds in one round only, unless the condition looks at nothing that a round has made.

Source: McSherry 2009, Privacy Integrated Queries, Theorem 4: each of several disjoint parts may be chosen, and asked,
after others were.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from math import floor

from dp_lsp.core.events import Apart, Var
from dp_lsp.core.sens import ONE, Sens, number
from dp_lsp.core.tallies import Case, Feature, Known, Rule, Seen, TooMany, Where, points, told_apart
from dp_lsp.core.term import Call, Literal, Local, Term, Use
from dp_lsp.core.types import AnyNorm, Dataset, NumberType
from dp_lsp.infer.disjoint import Lies, OwnRows
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.reading import OUTSIDE, Scope, Unread
from dp_lsp.infer.records import Number, Record
from dp_lsp.infer.tallies import Reader
from dp_lsp.named import NamedTuple

_MOST_ROUNDS = 64  # that are read one by one
_EXACT, _STEPS = Fraction(2**40), 2**10  # what is computed is no larger, and made of such parts of 1
_DEEPEST = 60

Rules = Callable[[Reader, Scope], tuple[Rule, ...]]


class Read(NamedTuple):
    """Reads what is released: what a record adds to it, which is measured in a ``norm``; or, of what is no sum and so
    has none, whether it is kept. Noise that is ``shared`` costs no more for parts of a distance than for all of it."""

    rules: Rules
    norm: AnyNorm | None
    shared: bool = False


class Offset(NamedTuple):
    """A feature: how far a number of a record is above ``slope`` times the index of a loop."""

    of: Feature
    counts: Local
    slope: Fraction


class _Line(NamedTuple):
    """A number that is computed of the index of a round: ``slope`` times that, and ``more``; without one, of none."""

    counts: Local | None
    slope: Fraction
    more: Fraction


class _Loop(NamedTuple):
    """A loop around a release, and the numbers between which its index is, if they are known."""

    counts: Local
    own: OwnRows
    ends: tuple[int, int] | None

    @property
    def numbers(self) -> range | None:
        """All that the index may be, if these are few."""
        few = None if self.ends is None else range(self.ends[0], self.ends[1] + 1)
        return few if few is not None and 1 < len(few) <= _MOST_ROUNDS else None


def of_rounds(inference: Inference, var: Var, moved: Sens, replaced: bool, reads: Iterable[Read]) -> Var | None:
    """The variable of what the innermost of the loops around sees of a dataset that ``var`` moves; None where no loop
    tells records apart, or not better than by counting its rounds. If ``replaced``, a step of the dataset takes a
    record out of some rounds and puts one in others. Each of ``reads`` is tried; what they read is ``moved`` so far."""
    loops = [
        _Loop(index, own, _ends(inference, index))
        for index, own in inference.context.rounds.items()
        if own.home is inference.context.home and own.sample is None
    ]
    for read in reads if loops else ():
        for exact in (True, False):
            known = [(loop, _rounds(inference, loop, exact, read)) for loop in loops]
            apart = [(loop.own, found) for loop, found in known if found is not None]
            if apart:
                records = apart[0][1].records
                spread = records > 1 and _adds_up(inference, exact, read, moved, records)
                rounds = [(own, each) for own, (each, _) in apart]
                once = len(apart) == len(loops) and all(each == 1 for _, each in rounds)
                even = once and _adds_one_number(inference, exact, read)
                return _place(var, 2 if replaced else 1, None if spread else records, rounds, even)
    return None


def _adds_one_number(inference: Inference, exact: bool, read: Read) -> bool:
    """Whether all records that add something to what is read add the same."""
    if read.norm is None:
        return True
    reader = Reader(inference, exact, Seen())
    try:
        found = points(reader.seen.cases(), read.rules(reader, OUTSIDE), reader.seen.known)
    except (Unread, TooMany):
        return False
    return sum(any(entry.terms for entry in point) for point in found) <= 1


def _adds_up(inference: Inference, exact: bool, read: Read, moved: Sens, records: int) -> bool:
    """Whether all records of a person together move what is read by no more than what each of them adds."""
    reader = Reader(inference, exact, Seen())
    if read.norm is None or not read.shared:
        return False
    try:
        found = reader.measured(list(read.rules(reader, OUTSIDE)), read.norm)
    except (Unread, TooMany):
        return False
    return found is not None and found[1] * number(records) == moved


def _place(var: Var, twice: int, records: int | None, apart: list[tuple[OwnRows, int]], even: bool) -> Var:
    """A place of the innermost loop, inside of places of those around. Of several loops that tell records apart, the
    outermost one sees a record that is replaced as two steps, each of which moves it by one step at most. What records
    of a person add is spread over the rounds, whoever of them is where, if ``records`` is None."""
    if len(apart) == 1:
        ((own, each),) = apart
        if records is None:
            return own.cell(var, number(twice * each), Lies(Apart.SUM), even)
        return own.cell(var, number(records), Lies(Apart.STEPS, twice * each), even)
    far = number(twice) if records is None else number(twice * records)
    for own, each in apart:
        far = far * number(each) if records is None else far
        lies = Lies(Apart.SUM) if records is None else Lies(Apart.STEPS, each)
        var, far = own.cell(var, far, lies, even), ONE
    return var


def _ends(inference: Inference, index: Local) -> tuple[int, int] | None:
    """The first and the last number that the index of a loop may be, if they are known."""
    type_ = inference.type(inference.context.environment[index])
    bounds = type_.bounds if isinstance(type_, NumberType) else None
    low, high = (None, None) if bounds is None else (bounds.low.number, bounds.high.number)
    return None if low is None or high is None else (floor(low), floor(high))


class _Kept(NamedTuple):
    """In how many rounds one record is kept at most, and how many records one person has."""

    rounds: int
    records: int


def _rounds(inference: Inference, loop: _Loop, exact: bool, read: Read) -> _Kept | None:
    """In how many rounds of a loop one record is kept at most; None where that is not known, or is all of them."""
    reader = _ReaderOfAll(inference, exact, loop)
    try:
        rules = read.rules(reader, OUTSIDE)
        records = None if reader.seen.source is None else reader.seen.source.records
        most = 1 if _is_in_one(reader, rules) else _most(inference, loop, exact, read)
    except (Unread, TooMany):
        return None
    return None if records is None or most is None else _Kept(most, records)


def _is_in_one(reader: Reader, rules: tuple[Rule, ...]) -> bool:
    """Whether each record is kept in one round only, by how far it is from a multiple of the index."""
    offsets = [each for each in reader.seen.cuts if isinstance(each, Offset)]
    kept = [case for case in reader.seen.cases() if _reads(case, rules, reader.seen)] if offsets else []
    return any(_is_narrow([case.where[each] for case in kept], each, reader.seen.known[each]) for each in offsets)


def _is_narrow(region: list[Where], of: Offset, known: Known) -> bool:
    """Whether no two numbers of a region are as far apart as those of different rounds, or further."""
    ends = [_reach(place, known.whole) for place in region]
    reached = [each for each in ends if each is not None]
    if len(reached) < len(ends):
        return False
    low = min((first for first, _, _ in reached), default=Fraction(0))
    high = max((last for _, last, _ in reached), default=Fraction(0))
    both = all(any(end in (first, last) and inside for first, last, inside in reached) for end in (low, high))
    return high - low < abs(of.slope) or (high - low == abs(of.slope) and not both)


def _reach(cell: Where, whole: bool) -> tuple[Fraction, Fraction, bool] | None:
    """The ends of a cell, and whether they are in it; None where it has none."""
    if not cell.real or cell.low is None or cell.high is None:
        return None
    if whole and cell.low != cell.high:
        return Fraction(cell.low // 1 + 1), Fraction(-(-cell.high // 1) - 1), True
    return cell.low, cell.high, cell.low == cell.high


def _reads(case: Case, rules: tuple[Rule, ...], seen: Seen) -> bool:
    """Whether a record adds anything in a case."""
    found = told_apart([case], list(rules), seen.known)
    return any(factor.terms for _, values in found for value in values for factor in value.values())


def _most(inference: Inference, loop: _Loop, exact: bool, read: Read) -> int | None:
    """How many of few rounds keep the same record at most; None if all may."""
    numbers = loop.numbers
    if numbers is None:
        return None
    seen, rules = Seen(), list[tuple[Rule, ...]]()
    for value in numbers:
        reader = _ReaderOfOne(inference, exact, loop, seen, value)
        rules.append(read.rules(reader, Scope({loop.counts: Fraction(value)})))
    most = max((sum(_reads(case, each, seen) for each in rules) for case in seen.cases()), default=1)
    return max(1, most) if most < len(numbers) else None


class _ReaderOfLoop(Reader):
    """Reads what a round of a loop releases."""

    def __init__(self, inference: Inference, exact: bool, loop: _Loop, seen: Seen) -> None:
        super().__init__(inference, exact, seen)
        self._loop = loop

    def _is_fixed(self, node: Term, scope: Scope) -> bool:
        """Whether a term is the same in all rounds: it reads nothing that a round has made."""
        return all(self._loop.own.is_around(local) for local in self.captured(node, scope))


class _ReaderOfAll(_ReaderOfLoop):
    """Reads it once for all rounds. A number of a record that is the same in all of them is compared with what is
    computed of the index by how far it is above a multiple of that."""

    def __init__(self, inference: Inference, exact: bool, loop: _Loop) -> None:
        super().__init__(inference, exact, loop, Seen())
        self._fixed = set[Hashable]()

    def _record(self, key: Hashable, type_: Dataset) -> Record:
        if isinstance(key, Local):  # the records of the dataset itself
            self._fixed.add(key)
        return super()._record(key, type_)

    def _of_type(self, node: Term, made: Call, scope: Scope) -> Record:
        found = super()._of_type(node, made, scope)
        if self._is_fixed(made, scope):
            self._fixed.add(found.key)
        return found

    def _noted(self, feature: Feature, numbers: list[Number]) -> None:
        rows = (each.key[0] if isinstance(each.key, tuple) and len(each.key) == 2 else each.key for each in numbers)
        if all(each.key in self._fixed or row in self._fixed for each, row in zip(numbers, rows, strict=True)):
            self._fixed.add(feature)

    def _bound(self, node: Term, feature: Feature, scope: Scope) -> tuple[Feature, Fraction]:
        row = feature[0] if isinstance(feature, tuple) and len(feature) == 2 else feature
        line = self._line(node, scope) if feature in self._fixed or row in self._fixed else None
        if line is None or line.counts is None or not line.slope:
            return super()._bound(node, feature, scope)
        own = Offset(feature, line.counts, line.slope)
        self.seen.known[own] = Known(None, self.seen.known[feature].whole and line.slope.denominator == 1)
        return own, line.more

    def _line(self, node: Term, scope: Scope) -> _Line | None:
        """What is computed of the index, where that is exact in all rounds."""
        node, scope = self.made(node, scope)
        index, ends = self._loop.counts, self._loop.ends
        if isinstance(node, Use):
            return _Line(index, Fraction(1), Fraction(0)) if node.local is index else None
        if isinstance(node, Literal):
            written = self.stored(node, scope)
            return None if written is None else _Line(None, Fraction(0), written)
        if not isinstance(node, Call) or node.builtin not in _COMPUTED or len(node.args) != 2 or node.keywords:
            return None
        one, other = (self._line(each, scope) for each in node.args)
        found = None if one is None or other is None else _COMPUTED[node.builtin](one, other)
        return found if found is not None and ends is not None and _is_exact(found, ends) else None


def _added(one: _Line, other: _Line) -> _Line:
    """The sum of two linear functions of the index."""
    return _Line(one.counts or other.counts, one.slope + other.slope, one.more + other.more)


def _less(one: _Line, other: _Line) -> _Line:
    """The difference of two linear functions of the index."""
    return _added(one, _Line(other.counts, -other.slope, -other.more))


def _times(one: _Line, other: _Line) -> _Line | None:
    """The product of two linear functions of the index, if one of them is constant."""
    if other.counts is not None:
        one, other = other, one
    if other.counts is not None:
        return None
    return _Line(one.counts, one.slope * other.more, one.more * other.more)


_COMPUTED: Mapping[str, Callable[[_Line, _Line], _Line | None]] = {"+": _added, "-": _less, "*": _times}


def _is_exact(line: _Line, ends: tuple[int, int]) -> bool:
    """Whether what is computed is stored as it is, as a whole number or with a point, for all numbers between ends."""
    most = max(map(abs, ends)) * abs(line.slope) + abs(line.more)
    return most <= _EXACT and all((each * _STEPS).denominator == 1 for each in (line.slope, line.more))


class _ReaderOfOne(_ReaderOfLoop):
    """Reads what one round releases whose number is known."""

    def __init__(self, inference: Inference, exact: bool, loop: _Loop, seen: Seen, value: int) -> None:
        super().__init__(inference, exact, loop, seen)
        self._value = value

    def _place(self, node: Term, scope: Scope, use: Call) -> Hashable:
        place = super()._place(node, scope, use)
        return place if self._is_fixed(*self.made(node, scope)) else (self._value, place)

    def _of_type(self, node: Term, made: Call, scope: Scope) -> Record:
        return super()._of_type(node, made, OUTSIDE if scope.call is None and self._is_fixed(made, scope) else scope)

    def _bound(self, node: Term, feature: Feature, scope: Scope) -> tuple[Feature, Fraction]:
        if self.stored(node, scope) is None and not self._is_fixed(node, scope):
            raise Unread
        return super()._bound(node, feature, scope)
