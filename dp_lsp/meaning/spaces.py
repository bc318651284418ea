"""The metric spaces that types stand for, datasets among them: drawing points, drawing neighbours, and how far two
points are apart.

This follows the definitions of the metrics alone (:mod:`dp_lsp.core.types`), not the rules that it is used to test.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dp_lsp.builtins.meanings import Labelled, Value, array, is_container, norm_of, with_items
from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.evaluate import Substitution, interval, norms_of, symbols_of
from dp_lsp.core.metrics import has_gap, is_whole
from dp_lsp.core.types import (
    AnyNorm,
    Base,
    BoolType,
    Bounds,
    Container,
    Dataset,
    DatasetMetric,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
)
from dp_lsp.named import NamedTuple

_TINY = Fraction(1, 2**20)


class NotASpace(Exception):
    """Nothing can be drawn of a type, such as that of functions."""


class SpaceSetting(NamedTuple):
    """Numbers for all symbols, sizes among them, and norms for all that are open. With ``whole`` a claim is about
    changes of up to 1: what is further apart is so many whole steps, and what is nearer may move as far."""

    numbers: Mapping[Symbol, Fraction]
    norms: Mapping[NormVariable, Norm]
    whole: bool = False

    def size(self, size: Poly) -> int:
        symbol = size.symbol
        given = self.numbers.get(symbol) if symbol is not None else None
        return int(known(size, self.numbers) if given is None else given)

    def norm(self, norm: AnyNorm) -> Norm:
        """A norm; one that may be any is taken to be the largest."""
        return self.norms.get(norm, Norm.L1) if isinstance(norm, NormVariable) else norm


def open_parts(type_: Type) -> tuple[set[Symbol], set[NormVariable]]:
    """The symbols and the norms that a type leaves open."""
    symbols: set[Symbol] = set()
    norms: set[NormVariable] = set()
    for part in _parts(type_):
        match part:
            case NumberType(static=static, bounds=bounds):
                for known in (static, *(() if bounds is None else (bounds.low, bounds.high))):
                    symbols |= symbols_of(known) if known is not None else set()
                norms |= norms_of(static) if static is not None else set()
            case Dataset(least=least, radius=radius):
                symbols |= {symbol for known in (least, radius) if known is not None for symbol in symbols_of(known)}
            case Container(norm=norm, length=length, rows=rows):
                symbols |= symbols_of(length) | (symbols_of(rows) if rows is not None else set())
                norms |= {norm} if isinstance(norm, NormVariable) else set()
            case ModelType(size):
                symbols |= symbols_of(size)
    return symbols, norms


def _parts(type_: Type) -> Iterator[Type]:
    yield type_
    match type_:
        case Container(element=element):
            yield from _parts(element)
        case Dataset(records=box):
            yield from _parts(box)
        case TupleType(items):
            for item in items:
                yield from _parts(item)


def put_in(type_: Type, norms: Mapping[NormVariable, AnyNorm]) -> Type:
    """A type with norms for those that were open."""
    match type_:
        case Container():
            norm = Substitution({}, norms).norm(type_.norm)
            return replace(type_, norm=norm, element=put_in(type_.element, norms))
        case TupleType(items):
            return type_.put(put_in(item, norms) for item in items)
    return type_


def distance(type_: Type, x: Value, y: Value, setting: SpaceSetting) -> Value:
    """How far two values of a type are apart: a Fraction, or a float where a root is irrational."""
    match type_:
        case NumberType(base):
            return Fraction(x != y) if base is Base.DATA else abs(x - y)
        case BoolType():
            return Fraction(x != y)
        case Container():
            return _distance_of_containers(type_, x, y, setting)
        case ModelType():
            return norm_of((a - b for a, b in zip(x, y, strict=True)), Norm.LINF)
        case Dataset(metric):
            steps = records_apart(metric, x, y)
            if steps is None:
                raise NotASpace("datasets of other sizes")
            return steps
        case TupleType(items):
            parts = zip(items, x, y, strict=True)
            return sum((distance(item, a, b, setting) for item, a, b in parts), Fraction(0))
    raise NotASpace(type(type_).__name__)


def _distance_of_containers(type_: Container, x: Value, y: Value, setting: SpaceSetting) -> Value:
    rows = zip(x, y, strict=True) if type_.rows is not None else [(x, y)]
    norm = setting.norm(type_.norm)

    def of_row(a: Value, b: Value) -> Value:
        return norm_of((distance(type_.element, one, other, setting) for one, other in zip(a, b, strict=True)), norm)

    return sum((of_row(a, b) for a, b in rows), Fraction(0))


def whole_steps(type_: Type, apart: Value, setting: SpaceSetting) -> int:
    """How many changes of at most 1 are enough to get so far. Where entries of a container in L2 are at least 1 apart,
    each may need one of its own: three that differ by 1 are √3 apart, and three steps."""
    own = (part for part in _parts(type_) if isinstance(part, Container) and setting.norm(part.norm) is Norm.L2)
    return int(apart * apart + Fraction(1, 10**6)) if any(map(has_gap, own)) else math.ceil(apart)


def known(value: Poly, numbers: Mapping[Symbol, Fraction]) -> Fraction:
    """The number that a formula comes to; rounded down where it is not exact."""
    low = interval(value, numbers).low
    if low is None:
        raise NotASpace("a number without ends")
    return low


def draw(type_: Type, source: random.Random, setting: SpaceSetting) -> Value:
    """A value of a type: mostly small, often with entries that are equal or 0, sometimes large."""
    match type_:
        case NumberType(base, static, bounds):
            if static is not None:
                return number(known(static, setting.numbers), base)
            return _between(bounds, base, source, setting) if bounds is not None else _drawn_number(base, source)
        case BoolType():
            return source.random() < 0.5
        case Container():
            shape = _shape(type_, setting)
            count = shape[0] * (shape[1] if len(shape) > 1 else 1)
            way = source.randrange(4)
            if way == 0:
                one = draw(type_.element, source, setting)
                return array((one for _ in range(count)), shape)
            return array((draw(type_.element, source, setting) for _ in range(count)), shape)
        case Dataset():
            return _drawn_dataset(type_, source, setting)
        case ModelType(size):
            return array(_drawn_number(Base.REAL, source) for _ in range(setting.size(size)))
        case TupleType(items, label):
            return Labelled.of([draw(item, source, setting) for item in items], label)
    raise NotASpace(type(type_).__name__)


def _between(bounds: Bounds, base: Base, source: random.Random, setting: SpaceSetting) -> Value:
    """A number between bounds, often one of them."""
    low, high = sorted(known(end, setting.numbers) for end in (bounds.low, bounds.high))
    drawn = source.choice((low, high, low + (high - low) * Fraction(source.randrange(17), 16)))
    inside = math.floor(drawn) >= low
    return number(Fraction(math.floor(drawn) if inside else math.ceil(drawn)) if base is Base.INTEGER else drawn, base)


def belongs(type_: Type, x: Value, setting: SpaceSetting) -> bool:
    """Whether a value of the right shape is one of those that a type is public about: within bounds, long enough."""
    match type_:
        case NumberType(bounds=Bounds(low, high)):
            ends = sorted(known(end, setting.numbers) for end in (low, high))
            return bool(ends[0] <= x <= ends[1])
        case Dataset(records=box, radius=radius):
            enough = len(x) >= _least(type_, setting)
            return enough and belongs(box, x, setting) and (radius is None or _are_short(box, x, radius, setting))
        case Container(element=element):
            return all(belongs(element, entry, setting) for entry in x.flat)
        case TupleType(items):
            return all(belongs(item, part, setting) for item, part in zip(items, x, strict=True))
    return True


def _are_short(box: Container, x: Value, radius: Poly, setting: SpaceSetting) -> bool:
    most = known(radius, setting.numbers)
    return all(norm_of(row, Norm(box.clip.value)) <= most for row in x)


def _least(dataset: Dataset, setting: SpaceSetting) -> int:
    return 0 if dataset.least is None else max(0, math.ceil(known(dataset.least, setting.numbers)))


def _record(dataset: Dataset, source: random.Random, setting: SpaceSetting) -> Value:
    """A number, or a row that is as short as all are."""
    box = dataset.records
    if box.rows is None:
        return draw(box.element, source, setting)
    row = array(draw(box.element, source, setting) for _ in range(setting.size(box.length)))
    if dataset.radius is None:
        return row
    return _shortened(row, Norm(box.clip.value), known(dataset.radius, setting.numbers))


def _drawn_dataset(dataset: Dataset, source: random.Random, setting: SpaceSetting) -> Value:
    least = _least(dataset, setting)
    count = setting.size(dataset.size) if dataset.metric.sized else some_more(least, source)
    drawn = [_record(dataset, source, setting) for _ in range(count)]
    if dataset.records.rows is None:
        return array(drawn)
    return array((entry for row in drawn for entry in row), (count, setting.size(dataset.records.length)))


def number(value: Fraction, base: Base) -> Value:
    """A number as a program has it: integers are ``int``."""
    return int(value) if base is Base.INTEGER else Fraction(value)


def _drawn_number(base: Base, source: random.Random) -> Value:
    small = source.choice((0, 0, 1, -1, 2, 3, 5, -7))
    if base is Base.INTEGER:
        return source.choice((small, small, source.randint(-50, 50), source.randint(-(10**6), 10**6)))
    near, far = Fraction(source.randint(-999, 999), 64), Fraction(source.randint(-(10**6), 10**6), 64)
    return source.choice((Fraction(small), Fraction(small), near, far, _TINY))


def _shape(type_: Container, setting: SpaceSetting) -> tuple[int, ...]:
    length = setting.size(type_.length)
    return (length,) if type_.rows is None else (setting.size(type_.rows), length)


def neighbour(type_: Type, x: Value, source: random.Random, setting: SpaceSetting) -> Value:
    """Another value: one entry or one row changed, all of them by the same, their signs, or anything else."""
    match type_:
        case NumberType(base, bounds=Bounds() as bounds):
            return _between(bounds, base, source, setting)
        case NumberType(base):
            if source.randrange(3) == 0:
                return _drawn_number(base, source)
            steps = (1, -1) if base is Base.INTEGER else (1, -1, Fraction(1, 2), 1000, _TINY, -_TINY)
            return x + source.choice(steps)
        case BoolType():
            return not x
        case Container() if x.size:
            return _neighbour_of_container(type_, x, source, setting)
        case Dataset(metric):
            return one_step(metric, x, _least(type_, setting), lambda: _record(type_, source, setting), source)
        case ModelType() if x.size:
            step = source.choice((1, -1, _TINY))
            return array(entry + step * source.choice((0, 1, 1)) for entry in x)
        case TupleType(items) if items:
            place = source.randrange(len(items))
            changed = neighbour(items[place], x[place], source, setting)
            return with_items(x, (*x[:place], changed, *x[place + 1 :]))
    return x


def _neighbour_of_container(type_: Container, x: Value, source: random.Random, setting: SpaceSetting) -> Value:
    way, element = source.randrange(6), type_.element
    if way == 0:
        return draw(type_, source, setting)
    other = x.copy()
    if way in (1, 2):
        place = source.randrange(x.size)
        other.flat[place] = neighbour(element, x.flat[place], source, setting)
        return other
    places = range(x.size)
    if way in (3, 4) and type_.rows is not None:
        width = x.shape[1]
        row = source.randrange(x.shape[0])
        places = range(row * width, (row + 1) * width)
    if isinstance(element, BoolType):
        for place in places:
            other.flat[place] = not other.flat[place]
        return other
    step = source.choice((1, -1) if is_whole(element) else (1, -1, Fraction(1, 2), 1000, _TINY))
    alternate = source.random() < 0.3
    for position, place in enumerate(places):
        other.flat[place] = x.flat[place] + (-step if alternate and position % 2 else step)
    return other


_MORE = 5  # records of a dataset whose size is private, beside those that it has at least

_Draw = Callable[[], Value]


def records_apart(metric: DatasetMetric, x: Value, y: Value) -> Fraction | None:
    """How many steps lead from one dataset to another; None if none do."""
    left, right = _listed(x), _listed(y)
    if metric.sized and len(left) != len(right):
        return None
    match metric:
        case DatasetMetric.HAMMING:
            return Fraction(sum(a != b for a, b in zip(left, right, strict=True)))
        case DatasetMetric.INSERT_DELETE:
            return Fraction(len(left) + len(right) - 2 * _longest_common(left, right))
    gone, come = Counter(left) - Counter(right), Counter(right) - Counter(left)
    steps = gone.total() + come.total()
    return Fraction(steps // 2 if metric.sized else steps)


def one_step(metric: DatasetMetric, x: Value, least: int, a_record: _Draw, source: random.Random) -> Value:
    """A dataset that is one step away; of a bag in another order. ``least`` is how many records there must be."""
    records = list(x)
    if metric.sized:
        if records:
            records[source.randrange(len(records))] = a_record()
    elif len(records) > least and source.random() < 0.5:
        del records[source.randrange(len(records))]
    else:
        records.insert(source.randrange(len(records) + 1), a_record())
    if not metric.ordered and source.random() < 0.5:
        source.shuffle(records)
    return _together_in(records, x)


def _together_in(records: Sequence[Value], like: Value) -> Value:
    """Records as a vector of numbers, or as a matrix of rows of the same width as another."""
    if like.ndim == 1:
        return array(records)
    width = like.shape[1]
    return array((entry for row in records for entry in row), (len(records), width))


def some_more(least: int, source: random.Random) -> int:
    """How many records there are where that is private."""
    return least + source.randrange(_MORE)


def _shortened(row: Value, norm: Norm, most: Fraction) -> Value:
    """A row made to measure at most so much: truth values by making the last of them false."""
    size = norm_of(row, norm)
    if size <= most:
        return row
    if isinstance(row[0], bool):
        true = [place for place, entry in enumerate(row) if entry]
        return _shortened(array(entry and place != true[-1] for place, entry in enumerate(row)), norm, most)
    factor = most / (Fraction(size) * (1 + Fraction(1, 10**12)))  # a root is rounded
    return array(entry * factor for entry in row)


def _listed(x: Value) -> list[Hashable]:
    return [tuple(record) if is_container(record) else record for record in x]


def _longest_common(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """The length of the longest sequence that stands in both, with gaps."""
    best = [0] * (len(right) + 1)
    for a in left:
        before = best[:]
        for j, b in enumerate(right, 1):
            best[j] = before[j - 1] + 1 if a == b else max(before[j], best[j - 1])
    return best[-1]
