"""Sums over the records of a dataset, as data: what one record adds, case by case.

A record is known by features: numbers, each of which lies in one of the cells that the numbers it is compared with cut
the line into, or is not a number (NaN), of which no comparison holds. What is compared with anything else is a guess,
either way. In one case, a cell for each feature and an answer to each guess, a record adds to each entry what is
affine in its features. So all that it may add lies in the hull of finitely many points, and a norm, or a distance, is
largest at some of these. Of what another function makes of features, a case knows the ends between which it lies: it is
a feature of its own there. Where the function turns, a case is cut in two.

A record that comes or goes moves the sum by what it adds, so by the largest norm of a point. One that takes the place
of another moves it by the difference of what both add, so by the largest distance of two points. Cases that cannot be,
and features that are taken for independent and are not, make more points and never fewer.

Source: a norm is convex, so it is largest at a corner; and of two sums over records all other terms cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import comb, prod

from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import Interval
from dp_lsp.core.events import Distances, Var
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.sens import ONE, ZERO, Sens, magnitude, number, total
from dp_lsp.core.term import Local
from dp_lsp.core.types import Bounds, Dataset, Norm
from dp_lsp.named import NamedTuple

MOST_CASES, MOST_POINTS, MOST_DIFFERENCES, MOST_SYMBOLS = 600, 150, 20_000, 12
MOST_RECORDS, MOST_WAYS, MOST_PLACES = 40, 64, 64
MOST_SIZE = 2**62  # what is larger may not be what a computer makes of it
_NOTHING = Poly.of(0)

Feature = Hashable
Value = Mapping[Feature | None, Poly]
"""A coefficient for each feature, and under None what is added to them."""
Point = tuple[Poly, ...]


class Where(NamedTuple):
    """Between two numbers, at one (both are the same), or, if it is not a number, nowhere."""

    low: Fraction | None
    high: Fraction | None
    real: bool = True

    def meets(self, relation: str, bound: Fraction) -> bool:
        """Whether a number here, which is no number of which it is not decided, stands in a relation."""
        if not self.real:
            return relation == "!="
        equal = self.low == self.high == bound
        above = not equal and self.low is not None and self.low >= bound
        return {
            "<": not equal and not above,
            "<=": not above,
            ">": above,
            ">=": equal or above,
            "==": equal,
            "!=": not equal,
        }[relation]


class Case(NamedTuple):
    """Where each feature of a record lies, and the answer to each guess."""

    where: Mapping[Feature, Where]
    guessed: Mapping[Hashable, bool]


class Known(NamedTuple):
    """What is known of a feature: its bounds, and whether it is whole."""

    bounds: Bounds | None
    whole: bool


Truth = Callable[[Case], bool]
Rule = Callable[[Case], Value]


class Between(NamedTuple):
    """A feature that is known in one case only, by the ends between which it lies; equal ones are the same number."""

    of: Hashable
    low: Fraction
    high: Fraction


class TooMany(Exception):
    """There are more cases, or points, than are looked at, or a point that is infinitely far away."""


class Cut(Exception):
    """A case in which something may be one thing or another, as a feature lies below or above a number."""

    def __init__(self, feature: Feature, at: Fraction) -> None:
        super().__init__(feature, at)
        self.feature, self.at = feature, at


def cases(
    cuts: Mapping[Feature, Iterable[Fraction]], known: Mapping[Feature, Known], guesses: Iterable[Hashable]
) -> Iterator[Case]:
    """All that a record may be."""
    features, guesses = list(cuts), list(guesses)
    cells = [list(_cells(sorted(cuts[feature]), known[feature])) for feature in features]
    count = 2 ** min(len(guesses), 20)
    for each in cells:
        count *= len(each)
    if count > MOST_CASES:
        raise TooMany
    for chosen in product(*cells):
        for answers in product((False, True), repeat=len(guesses)):
            yield Case(
                dict(zip(features, chosen, strict=True)),
                dict(zip(guesses, answers, strict=True)),
            )


class TalliedDataset(NamedTuple):
    """A dataset that is read down to, and by what name."""

    local: Local
    judgement: Judgement
    type: Dataset

    @property
    def records(self) -> int | None:
        """How many records of it one person has, if that is a number."""
        (known,) = (move.sens.number for move in self.judgement.moves.values())
        return known.numerator if known is not None and known.denominator == 1 else None


class Seen:
    """What statistics of one dataset look at in a record: the numbers that features are compared with, what is known of
    features, and what must be guessed. A feature that is ``compared`` with a number without a value has one of its own
    for that, which is what it is above the number. ``adapts`` says that something that was released may decide what
    they see."""

    def __init__(self, others: Seen | None = None) -> None:
        self.source: TalliedDataset | None = None if others is None else others.source
        self.cuts: dict[Feature, set[Fraction]] = (
            {} if others is None else {f: {*each} for f, each in others.cuts.items()}
        )
        self.known: dict[Feature, Known] = {} if others is None else dict(others.known)
        self.guesses: dict[Hashable, None] = {} if others is None else dict(others.guesses)
        self.compared: dict[Feature, Feature] = {} if others is None else dict(others.compared)
        self.adapts: bool = others is not None and others.adapts

    def forget(self, features: Iterable[Feature]) -> None:
        """Nobody looks at features any more."""
        for each in features:
            self.cuts.pop(each, None)
            self.compared.pop(each, None)

    def cases(self) -> Iterator[Case]:
        """All that a record may be."""
        return cases(self.cuts, self.known, self.guesses)

    def together(self, found: Sequence[Case]) -> Iterator[list[Case]]:
        """Cases that two records may be in at once: the numbers without a value are the same for both, wherever among
        the others they lie."""
        places = [list(_line(sorted(self.cuts.get(of, ())))) for of in self.compared.values()]
        if prod(map(len, places)) > MOST_PLACES:
            yield list(found)
            return
        for chosen in product(*places):
            at = list(zip(self.compared.items(), chosen, strict=True))
            yield [
                case
                for case in found
                if all(_lies(case.where.get(of), case.where[own], place) for (own, of), place in at)
            ]


def _line(cuts: list[Fraction]) -> Iterator[Where]:
    """All places that numbers cut the line into, and that of what is no number."""
    yield from (Where(cut, cut) for cut in cuts)
    yield from (Where(below, above) for below, above in pairwise((None, *cuts, None)))
    yield Where(None, None, real=False)


def _lies(record: Where | None, above: Where, number: Where) -> bool:
    """Whether a record at a place may be so far above a number at another one, or below it; a record of which nothing
    is known may be anywhere."""
    if not above.real:
        return record is None or not (record.real and number.real)
    if not number.real or (record is not None and not record.real):
        return False
    if record is None:
        return True
    if above.low == above.high:
        return record == number
    lower, higher = (record, number) if above.low is None else (number, record)
    return lower.low is None or higher.high is None or lower.low < higher.high


def _cells(cuts: list[Fraction], known: Known) -> Iterator[Where]:
    """The cells of a feature. One outside of its bounds, and one that holds no whole number, is none."""
    low = None if known.bounds is None else known.bounds.low.number
    high = None if known.bounds is None else known.bounds.high.number
    for each in _line(cuts):
        if not each.real:
            continue
        at = each.low if each.low == each.high else None
        if low is not None and each.high is not None and (each.high < low or (each.high == low and at is None)):
            continue
        if high is not None and each.low is not None and (each.low > high or (each.low == high and at is None)):
            continue
        if not (known.whole and _holds_none(each)):
            yield each
    if not known.whole:
        yield Where(None, None, real=False)


def _holds_none(cell: Where) -> bool:
    if cell.low is None or cell.high is None:
        return False
    if cell.low == cell.high:
        return cell.low.denominator != 1
    return cell.low // 1 + 1 >= cell.high


def points(found: Iterable[Case], entries: Iterable[Rule], known: Mapping[Feature, Known]) -> set[Point]:
    """Points whose hull holds all that a record may add."""
    every: set[Point] = set()
    for case, values in told_apart(found, list(entries), known):
        used = sorted({f for value in values for f in value if f is not None and value[f].terms}, key=repr)
        if len(used) > 6:
            raise TooMany
        if not all(_is_real(feature, case) for feature in used):
            continue  # what is added up is taken for numbers, as in all sums
        for corner in product(*(_corners(feature, case, known) for feature in used)):
            at = dict(zip(used, corner, strict=True))
            every.add(tuple(_at(value, at) for value in values))
        if len(every) > MOST_POINTS:
            raise TooMany
    return every


def told_apart(
    found: Iterable[Case], rules: list[Rule], known: Mapping[Feature, Known]
) -> Iterator[tuple[Case, list[Value]]]:
    """Cases, cut until each rule says what a record adds there."""
    pending, looked = list(found), 0
    while pending:
        case, looked = pending.pop(), looked + 1
        if looked > 2 * MOST_CASES:
            raise TooMany
        try:
            values = [rule(case) for rule in rules]
        except Cut as cut:
            pending += _divided(case, cut, known[cut.feature])
        else:
            yield case, values


def _divided(case: Case, cut: Cut, known: Known) -> Iterator[Case]:
    """A case in which a feature is a number, as it lies below, at or above one."""
    own = case.where.get(cut.feature, Where(None, None))
    for cell in (Where(own.low, cut.at), Where(cut.at, cut.at), Where(cut.at, own.high)):
        if not (known.whole and _holds_none(cell)):
            yield Case({**case.where, cut.feature: cell}, case.guessed)


def _is_real(feature: Feature, case: Case) -> bool:
    return feature not in case.where or case.where[feature].real


def _corners(feature: Feature, case: Case, known: Mapping[Feature, Known]) -> tuple[Poly, Poly]:
    low, high = _ends(feature, case, known)
    if low is None or high is None:
        raise TooMany
    return low, high


def _ends(feature: Feature, case: Case, known: Mapping[Feature, Known]) -> tuple[Poly | None, Poly | None]:
    """Between which ends a feature lies in a case; None where there is none."""
    if isinstance(feature, Between):
        return Poly.of(feature.low), Poly.of(feature.high)
    bounds, where = known[feature].bounds, case.where.get(feature, Where(None, None))
    low, high = where.low, where.high
    if known[feature].whole and low != high:
        low = None if low is None else Fraction(low // 1 + 1)
        high = None if high is None else Fraction(-(-high // 1) - 1)
    if bounds is None:
        return None if low is None else Poly.of(low), None if high is None else Poly.of(high)
    return (
        _further(bounds.low, low, lambda bound, cut: bound < cut),
        _further(bounds.high, high, lambda bound, cut: bound > cut),
    )


def _further(bound: Poly, cut: Fraction | None, better: Callable[[Fraction, Fraction], bool]) -> Poly:
    """The end of a cell, where it is known to lie within the bounds."""
    own = bound.number
    return Poly.of(cut) if cut is not None and own is not None and better(own, cut) else bound


def extent(value: Value, case: Case, known: Mapping[Feature, Known]) -> Interval | None:
    """Between which numbers a value lies in a case; None if it is no number."""
    if not all(_is_real(feature, case) for feature in value):
        return None
    low: Fraction | None = Fraction(0)
    high: Fraction | None = Fraction(0)
    for feature, coefficient in value.items():
        factor = coefficient.number
        ends = (Poly.of(1),) * 2 if feature is None else _ends(feature, case, known)
        if factor is None:
            raise TooMany
        if factor:
            near, far = (_scaled(end, factor) for end in (ends if factor > 0 else reversed(ends)))
            low = None if low is None or near is None else low + near
            high = None if high is None or far is None else high + far
    return Interval(low, high)


def _scaled(end: Poly | None, factor: Fraction) -> Fraction | None:
    if end is None:
        return None
    if end.number is None:
        raise TooMany
    return end.number * factor


def image(
    shape: Callable[..., Interval | None],
    selects: bool,
    values: list[Value],
    case: Case,
    known: Mapping[Feature, Known],
) -> Value:
    """What a function makes of values in a case, by where it takes intervals. It turns at most where one of them is
    equal to another one, or 0, so a case is cut there if that is known to be at one place. One that ``selects`` one of
    its arguments returns it as it is, if it returns all between its ends and all others are fixed; it turns at no 0.

    Of what is no number it makes none, as it is no number itself."""
    spans = list[Interval]()
    for value in values:
        span = extent(value, case, known)
        if span is None:
            return value
        spans.append(span)
    fixed = {span.low for span in spans if span.low is not None and span.low == span.high}
    for value in values:
        _cut_at(fixed if selects else {*fixed, Fraction(0)}, value, case, known)
    found = shape(*spans, equal=all(value == values[0] for value in values))
    if found is None:
        raise TooMany
    moving = [index for index, span in enumerate(spans) if span.low is None or span.low != span.high]
    if selects and len(moving) == 1 and found == spans[moving[0]]:
        return values[moving[0]]
    low, high = found
    if low is None or high is None or max(abs(low), abs(high)) > MOST_SIZE:
        raise TooMany
    if low == high:
        return {None: Poly.of(low)}
    return {Between((shape, *(frozenset(each.items()) for each in values)), low, high): Poly.of(1)}


def _cut_at(places: set[Fraction], value: Value, case: Case, known: Mapping[Feature, Known]) -> None:
    features = [feature for feature, factor in value.items() if feature is not None and factor.terms]
    if len(features) != 1 or isinstance(features[0], Between):
        return
    (feature,) = features
    factor, more = value[feature].number, value.get(None, _NOTHING).number
    if factor is None or more is None:
        return
    low, high = (None if end is None else end.number for end in _ends(feature, case, known))
    for place in sorted(places):
        at = (place - more) / factor
        if (low is None or low < at) and (high is None or at < high):
            raise Cut(feature, at)


def _at(value: Value, features: Mapping[Feature, Poly]) -> Poly:
    result = value.get(None, _NOTHING)
    for feature, factor in value.items():
        if feature is not None and factor.terms:
            result = result + factor * features[feature]
    return result


def reach(found: set[Point]) -> Bounds | None:
    """The ends of what is added to one number."""
    ends = [end.number for (end,) in found]
    known = [end for end in ends if end is not None]
    return Bounds(Poly.of(min(known)), Poly.of(max(known))) if known and len(known) == len(ends) else None


def replacements(some: Collection[Point], others: Collection[Point]) -> set[Point]:
    """What records add that take the place of others, less what these added."""
    if len(some) * len(others) * max(map(len, some), default=0) > MOST_DIFFERENCES:
        raise TooMany
    return {tuple(a - b for a, b in zip(p, q, strict=True)) for p in some for q in others}


def largest(found: Iterable[Point], norm: Norm) -> Sens:
    """The largest norm of a point."""
    symbolic = list[Sens]()
    most = Fraction(0)
    for step in found:
        sizes = [each.number for each in step]
        known = [abs(each) for each in sizes if each is not None]
        if len(known) == len(sizes):
            most = max(most, _of_numbers(known, norm))
        else:
            symbolic.append(_of_formulas([magnitude(each) for each in step], norm))
    numeric = number(most).root() if norm is Norm.L2 else number(most)
    distinct = list(dict.fromkeys(symbolic))
    if len(distinct) > MOST_SYMBOLS:
        raise TooMany
    return sens.maximum([numeric, *distinct])


def _of_numbers(sizes: list[Fraction], norm: Norm) -> Fraction:
    """The norm, in L2 its square."""
    if norm is Norm.LINF:
        return max(sizes, default=Fraction(0))
    return sum((each if norm is Norm.L1 else each * each for each in sizes), Fraction(0))


def _of_formulas(sizes: list[Sens], norm: Norm) -> Sens:
    if norm is Norm.LINF:
        return sens.maximum(sizes)
    if norm is Norm.L1:
        return sens.total(sizes)
    return sens.total(each * each for each in sizes).root()


class TalliedPart(NamedTuple):
    """What one release sees of a dataset: what a record adds to each of its entries, measured in a norm. A
    person moves it by ``far`` at most. What is not ``graded`` costs the same however little it moves."""

    var: Var
    rules: tuple[Rule, ...]
    norm: Norm
    far: Sens
    graded: bool


Added = tuple[frozenset[Point], ...]
"""What a record adds to each part."""


class Parted:
    """All that is released of one dataset in a function: which parts the same record moves, and how far each.

    In one case a record that comes or goes moves each part by no more than what it adds there, wherever in the case it
    lies; one that takes the place of another moves each by no more than the distance of what both add. A number without
    a value, with which records are compared, is the same for both. So one of finitely many ways is no less than what a
    change does, in all parts at once, and those that are less than others are left out. What a record adds to a part of
    which that is not known moves the part as far as it can. Each record of a person who has several lies in a way of
    its own. It is ``complete`` if everything that was released is a part, and all ways are known.

    Source: of filters that are disjoint a record is in one only, McSherry 2009, Privacy Integrated Queries, Theorem 4;
    that what each release costs somebody is decided by his own record is Feldman and Zrnic 2021, Individual Privacy
    Accounting via a Rényi Filter."""

    def __init__(self, replaced: bool) -> None:
        self.seen = Seen()
        self.parts: list[TalliedPart] = []
        self.replaced = replaced
        self.complete = True

    def ways(self) -> tuple[Distances, ...]:
        """How far one person moves each part, in all ways that count, as shares of what he moves at most."""
        variables = [part.var for part in self.parts]
        try:
            return tuple(dict(zip(variables, way, strict=True)) for way in self._of_a_person())
        except TooMany:
            self.complete = False
            return (dict.fromkeys(variables, ONE),)

    def _of_a_person(self) -> Iterator[tuple[Sens, ...]]:
        records = None if self.seen.source is None else self.seen.source.records
        if records is None:
            raise TooMany
        ways = self._largest(records)
        if comb(len(ways) + records - 1, records) > MOST_WAYS:
            raise TooMany
        for some in combinations_with_replacement(ways, records):
            yield tuple(total(shares) * number(Fraction(1, records)) for shares in zip(*some, strict=True))

    def _largest(self, records: int) -> list[tuple[Sens, ...]]:
        added = {id(case): (case, self._added(case)) for case in self.seen.cases()}
        kinds = list(dict.fromkeys(each for _, each in added.values()))
        if len(kinds) > MOST_RECORDS:
            raise TooMany
        pairs: Iterable[tuple[Added, ...]] = [(each,) for each in kinds]
        if self.replaced:
            groups = self.seen.together([case for case, _ in added.values()])
            alike = (list(dict.fromkeys(added[id(case)][1] for case in group)) for group in groups)
            pairs = dict.fromkeys(pair for some in alike for pair in combinations_with_replacement(some, 2))
        found = list(dict.fromkeys(self._way(pair, records) for pair in pairs))
        return [way for way in found if not any(other != way and _covers(other, way) for other in found)]

    def _added(self, case: Case) -> Added:
        """What a record adds to each part in one case; nothing, where that is not known."""
        return tuple(self._added_to(part, case) for part in self.parts)

    def _added_to(self, part: TalliedPart, case: Case) -> frozenset[Point]:
        try:
            return frozenset(points([case], part.rules, self.seen.known))
        except TooMany:
            return frozenset()

    def _way(self, changed: tuple[Added, ...], records: int) -> tuple[Sens, ...]:
        return tuple(_share(part, added, records) for part, *added in zip(self.parts, *changed, strict=True))


def _share(part: TalliedPart, added: Sequence[frozenset[Point]], records: int) -> Sens:
    """How far a part moves by what each of one or two records adds to it, as a share of what one of so many ``records``
    of a person moves at most."""
    if not all(added):
        return ONE
    if not part.graded:
        return ZERO if all(not entry.terms for each in added for point in each for entry in point) else ONE
    size = largest(replacements(*added) if len(added) == 2 else added[0], part.norm)
    if size.zero:
        return ZERO
    own, most = size.number, part.far.number
    return ONE if own is None or most is None or own * records >= most else number(own * records / most)


def _covers(one: tuple[Sens, ...], other: tuple[Sens, ...]) -> bool:
    return all(decide(less, "<=", more) for less, more in zip(other, one, strict=True))
