"""Neighbouring inputs of a private function: those that are at most 1 apart, and often exactly 1; and data that differ
by one person, who may have several records."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from dp_lsp.builtins.concrete import Value, array, with_items
from dp_lsp.core.algebra import Poly
from dp_lsp.core.metrics import is_data, is_whole
from dp_lsp.core.scheme import Scheme, SchemeParameter
from dp_lsp.core.types import (
    Base,
    BoolType,
    Bounds,
    Container,
    Dataset,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
)
from dp_lsp.meaning.spaces import SpaceSetting, distance, draw, known, neighbour, put_in

_ATTEMPTS = 6
_FINE = 10**6


def neighbours(
    scheme: Scheme,
    inputs: tuple[Value, ...],
    places: tuple[int, ...],
    source: random.Random,
    setting: SpaceSetting,
    joining: bool = False,
) -> tuple[Value, ...] | None:
    """The inputs with others at these places, each at most 1 apart, or as many steps as a person has records: where
    there are several, the same rows of matrices are others. With ``joining`` rows come or go, in all matrices that have
    as many rows. None if none was found."""
    if joining and any(isinstance(scheme.params[place].type, Container) for place in places):
        return _joined(scheme, inputs, places, source, setting)
    types = [put_in(scheme.params[place].type, setting.norms) for place in places]
    most = [records_of_a_person(scheme.params[place], setting) for place in places]
    for _ in range(_ATTEMPTS):
        changed = list(inputs)
        for _ in range(_some_records(min(most), source)):
            row = _row(types, inputs, places, source)
            for place, type_ in zip(places, types, strict=True):
                x = changed[place]
                new = _changed(type_, x, source, setting) if row is None else _at(type_, x, row, source, setting)
                changed[place] = new
        apart = [distance(of, inputs[p], changed[p], setting) for of, p in zip(types, places, strict=True)]
        if any(apart) and all(each <= limit for each, limit in zip(apart, most, strict=True)):
            return tuple(changed)
    return None


def _joined(
    scheme: Scheme, inputs: tuple[Value, ...], places: tuple[int, ...], source: random.Random, setting: SpaceSetting
) -> tuple[Value, ...] | None:
    """The inputs with the rows of a person less in these matrices, or with one more where there is none."""
    types = {place: param.type for place, param in enumerate(scheme.params)}
    heights = {each.rows for place in places if isinstance(each := types[place], Container)}
    tied = {place for place, each in types.items() if isinstance(each, Container) and each.rows in heights}
    if None in heights or len(heights) != 1 or tied != set(places):
        return None  # a record is in all matrices that have one row for each
    changed = list(inputs)
    height = inputs[places[0]].shape[0]
    count = min(records_of_a_person(scheme.params[place], setting) for place in places)
    gone = set(source.sample(range(height), min(height, _some_records(count, source))))
    for place in places:
        type_ = types[place]
        assert isinstance(type_, Container)
        one = draw(put_in(replace(type_, rows=Poly.of(1)), setting.norms), source, setting)
        kept = [each for k, each in enumerate(inputs[place]) if k not in gone] if height else [one[0]]
        changed[place] = array((entry for each in kept for entry in each), (len(kept), one.shape[1]))
    return tuple(changed)


def _row(types: list[Type], inputs: tuple[Value, ...], places: tuple[int, ...], source: random.Random) -> int | None:
    """The row that changes in all matrices, if there are several; else None."""
    if len(places) < 2 or not all(isinstance(each, Container) and each.rows is not None for each in types):
        return None
    height = min(inputs[place].shape[0] for place in places)
    return source.randrange(height) if height else None


def _changed(type_: Type, x: Value, source: random.Random, setting: SpaceSetting) -> Value:
    match type_:
        case NumberType(bounds=Bounds()) | Dataset():
            return neighbour(type_, x, source, setting)
        case NumberType(base):
            if base is Base.DATA:
                return draw(type_, source, setting)
            steps = (1, -1, 1, -1) if base is Base.INTEGER else (1, -1, 1, -1, Fraction(1, 2), Fraction(-1, 1024))
            return x + source.choice(steps)
        case BoolType():
            return not x
        case Container() if x.size:
            if type_.rows is None:
                return _vector(type_, x, source, setting)
            return _at(type_, x, source.randrange(x.shape[0]), source, setting)
        case ModelType() if x.size:
            return array(entry + source.choice((1, -1)) for entry in x)
        case TupleType(items) if items:
            place = source.randrange(len(items))
            changed = _changed(items[place], x[place], source, setting)
            return with_items(x, (*x[:place], changed, *x[place + 1 :]))
    return neighbour(type_, x, source, setting)


def _at(type_: Type, x: Value, row: int, source: random.Random, setting: SpaceSetting) -> Value:
    """A matrix with another row."""
    assert isinstance(type_, Container)
    other = x.copy()
    if x.shape[1]:
        other[row, :] = _vector(type_, x[row, :], source, setting)
    return other


def _vector(type_: Container, x: Value, source: random.Random, setting: SpaceSetting) -> Value:
    """Another vector, measured as the rows of a container are."""
    everywhere = source.random() < 0.6
    if is_data(type_.element) or isinstance(type_.element, BoolType):
        places = _places(type_.norm is Norm.LINF and everywhere, x, source)
        opposite = source.random() < 0.4
        return _with(x, ((k, _another(type_.element, x[k], opposite, source, setting)) for k in places))
    if is_whole(type_.element) and type_.norm is not Norm.LINF:
        everywhere = False
    size = len(x)
    if everywhere and type_.norm is not Norm.LINF:
        step = Fraction(1, size) if type_.norm is Norm.L1 else Fraction(math.isqrt(_FINE**2 // size), _FINE)
    else:
        step = Fraction(1)
    whole = is_whole(type_.element)
    alike = source.random() < 0.5
    places = _places(everywhere, x, source)
    return _with(x, ((k, x[k] + (1 if alike else source.choice((1, -1))) * (1 if whole else step)) for k in places))


def _another(element: Type, entry: Value, opposite: bool, source: random.Random, setting: SpaceSetting) -> Value:
    if isinstance(element, BoolType):
        return not entry
    return -entry if opposite and entry else draw(element, source, setting)


def _places(everywhere: bool, x: Value, source: random.Random) -> Iterable[int]:
    return range(len(x)) if everywhere else (source.randrange(len(x)),)


def _with(x: Value, entries: Iterable[tuple[int, Value]]) -> Value:
    other = x.copy()
    for place, entry in entries:
        other[place] = entry
    return other


def records_of_a_person(param: SchemeParameter, setting: SpaceSetting) -> int:
    """How many records of a parameter one person has at most."""
    if param.unit is None:
        return 1
    return max(1, math.floor(known(param.unit.records, setting.numbers)))


def _some_records(most: int, source: random.Random) -> int:
    """How many of a person's records change: often all of them."""
    return most if most == 1 or source.random() < 0.6 else source.randint(1, most)


def other_records(param: SchemeParameter, x: Value, source: random.Random, setting: SpaceSetting) -> Value:
    """The data of a parameter with other records of one person, or near those."""
    for _ in range(_some_records(records_of_a_person(param, setting), source)):
        x = neighbour(param.type, x, source, setting)
    return x


def persons(param: SchemeParameter, apart: Value, setting: SpaceSetting) -> Value:
    """How many persons make so many steps. Of what holds for a whole person only, at least one does."""
    if param.unit is None:
        return apart
    exact = apart if isinstance(apart, float) else Fraction(apart)  # what is rounded is compared as such
    counted = exact / records_of_a_person(param, setting)
    if param.unit.uneven:
        return Fraction(math.ceil(counted))
    return max(Fraction(1), counted) if param.unit.whole else counted
