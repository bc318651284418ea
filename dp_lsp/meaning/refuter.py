"""A search for neighbouring inputs that move a function's result further than is claimed.

What is found is certain: the function is run on both inputs, in fractions wherever it can be, and where a root makes
floats of them, only a difference beyond :data:`TOLERANCE` counts. That nothing is found proves nothing.

Neighbouring inputs of a private function: those that are at most 1 apart, and often exactly 1; and data that differ
by one person, who may have several records.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from dp_lsp.builtins.meanings import Undefined, Value, array, entrywise, is_container, with_items
from dp_lsp.core.algebra import NormVariable, Poly, Sign, Symbol
from dp_lsp.core.constraints import Constraint, decide
from dp_lsp.core.evaluate import Missing, Substitution, norms_of, upper
from dp_lsp.core.events import Var
from dp_lsp.core.metrics import is_data, is_whole
from dp_lsp.core.scheme import Scheme, SchemeParameter
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Base, BoolType, Bounds, Container, Dataset, ModelType, Norm, NumberType, TupleType, Type
from dp_lsp.meaning.spaces import (
    SpaceSetting,
    belongs,
    distance,
    draw,
    known,
    neighbour,
    open_parts,
    put_in,
    whole_steps,
)
from dp_lsp.named import NamedTuple

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


TOLERANCE = 1e-9
"""The relative error that floats may have."""
_SIZES = (2, 3, 1, 0, 4)
_STATICS = (3, -2, 0, 1, 2, Fraction(1, 2), -1, 7)
_FAR = 50
"""A result that moves so many times as far is taken to move without bound: ∞ is claimed with reason."""
_SHRINKS = 200

Run = Callable[[Sequence[Value]], Value]


class InputPair(NamedTuple):
    """Two inputs that differ in the parameter at ``place``, what the function returns for them, and how far inputs and
    results are apart. ``claimed`` is what was said of a change of 1; None is no bound. Of these changes ``steps`` lead
    from one input to the other."""

    setting: SpaceSetting
    place: int
    inputs: tuple[Value, ...]
    other: Value
    results: tuple[Value, Value]
    apart: Value
    moved: Value
    claimed: Fraction | None
    steps: Value

    @property
    def ratio(self) -> float:
        """How far the result moved for each unit of the input."""
        try:
            return float(self.moved / self.apart)
        except OverflowError:
            return math.inf

    @property
    def limit(self) -> Value | None:
        """How far the results may be apart by what is claimed; None if nothing is."""
        if self.claimed is None:
            return None
        return self.claimed * self.steps

    @property
    def refutes(self) -> bool:
        """Whether the result moved further than is claimed."""
        limit = self.limit
        if limit is None:
            return False
        if isinstance(self.moved, float) or isinstance(limit, float):
            roundings = TOLERANCE * 1e-3 * (1 + sum(map(_rounded, self.results)))
            return float(self.moved) > float(limit) * (1 + TOLERANCE) + roundings
        return bool(self.moved > limit)


def _rounded(value: Value) -> float:
    """How large the numbers in a value are that are not exact: their difference has the roundings of both."""
    if isinstance(value, float):
        return abs(value)
    return 0.0 if isinstance(value, int | Fraction) or value is None else math.fsum(map(_rounded, value))


class Counterexample(NamedTuple):
    """What a search of one function found: for each parameter the pair that moved the result furthest for its claim,
    and how many pairs were tried."""

    pairs: tuple[InputPair, ...]
    tries: int

    @property
    def refutation(self) -> InputPair | None:
        """A pair that shows a claim to be wrong."""
        return next((pair for pair in self.pairs if pair.refutes), None)


class Late(Exception):
    """Enough was tried. What was found by then counts, as it is."""


class About(NamedTuple):
    """What a search is about: one parameter, or all; and the numbers that public ones have, where they may not have
    any."""

    variable: Var | None = None
    numbers: Mapping[Symbol, Fraction] = MappingProxyType({})


ANYTHING = About()


def search(
    scheme: Scheme,
    run: Run,
    source: random.Random,
    settings: int = 4,
    tries: int = 40,
    look: Callable[[], None] = lambda: None,
    whole: bool = False,
    about: About = ANYTHING,
) -> Counterexample:
    """Look for pairs of inputs of a function whose parameters have known types: so many pairs for each parameter, in
    each of so many settings of sizes, norms and public numbers, which have ``whole``; with that small sizes come first,
    and one pair is enough, as it is if the search is ``about`` one parameter.
    ``look`` is called before each pair and may raise to stop: with :class:`Late` a pair that was found stays as it is.
    Raises :class:`NotASpace` for what cannot be drawn."""
    best: dict[int, InputPair] = {}
    count = 0
    for setting in sorted(settings_of(scheme, source, settings, whole, about=about), key=_size):
        for place, param in enumerate(scheme.params):
            move = scheme.result.moves.get(param.var)
            if param.static or about.variable not in (None, param.var):
                continue
            claimed = _claimed(Sens.of(0) if move is None else move.sens, setting)
            for _ in range(tries if claimed != 0 else max(2, tries // 4)):  # anything refutes 0
                look()
                count += 1
                pair = _pair(scheme, run, setting, place, claimed, source, best.get(place))
                if pair is not None and (place not in best or _beats(pair, best[place])):
                    best[place] = pair
                if (whole or about.variable) and pair is not None and pair.refutes:
                    return Counterexample((_shrunk(scheme, run, pair, look),), count)
                if place in best and (best[place].refutes or (claimed is None and best[place].ratio > _FAR)):
                    break
    return Counterexample(tuple(_shrunk(scheme, run, pair, look) for pair in best.values()), count)


def _beats(pair: InputPair, other: InputPair) -> bool:
    return _strength(pair) > _strength(other)


def _strength(pair: InputPair) -> float:
    """How far a pair goes, in units of what is claimed."""
    try:
        return float(pair.moved / pair.limit) if pair.limit else pair.ratio
    except OverflowError:
        return math.inf


def settings_of(
    scheme: Scheme,
    source: random.Random,
    count: int,
    whole: bool = False,
    numbers: Sequence[int | Fraction] = _STATICS,
    about: About = ANYTHING,
) -> Iterator[SpaceSetting]:
    """So many settings of sizes, public numbers and norms that all conditions allow, if they are found."""
    symbols: set[Symbol] = set()
    norms: set[NormVariable] = set()
    for type_ in (*(param.type for param in scheme.params), scheme.result.type):
        more_symbols, more_norms = open_parts(type_)
        symbols |= more_symbols
        norms |= more_norms
    for move in scheme.result.moves.values():
        norms |= norms_of(move.sens)  # those of what is on the way
    for _ in range(count * 12):
        chosen_numbers = {
            symbol: about.numbers.get(symbol, _number_for(symbol, source, numbers))
            for symbol in sorted(symbols, key=lambda each: each.uid)
        }
        chosen = {
            norm: Norm.L1 if norm.free else source.choice(tuple(Norm)) for norm in sorted(norms, key=lambda n: n.name)
        }
        setting = SpaceSetting(chosen_numbers, chosen, whole)
        if all(_holds(need, setting) for need in scheme.needs):
            yield setting
            count -= 1
        if not count:
            return


def _size(setting: SpaceSetting) -> Fraction:
    """How large containers are, if that matters."""
    sizes = (number for symbol, number in setting.numbers.items() if symbol.integer and symbol.sign is Sign.NONNEGATIVE)
    return sum(sizes, Fraction(0)) if setting.whole else Fraction(0)


def _number_for(symbol: Symbol, source: random.Random, numbers: Sequence[int | Fraction]) -> Fraction:
    if symbol.integer and symbol.sign is Sign.NONNEGATIVE:
        return Fraction(source.choice(_SIZES))
    return Fraction(source.choice([each for each in numbers if not symbol.integer or each == int(each)]))


def _holds(need: Constraint, setting: SpaceSetting) -> bool:
    values = Substitution({symbol: Poly.of(number) for symbol, number in setting.numbers.items()}, setting.norms)
    left, right = (
        values.poly(side) if isinstance(side, Poly) else values.sens(side) for side in (need.left, need.right)
    )
    return decide(left, need.relation, right) is True


def _claimed(sens: Sens, setting: SpaceSetting) -> Fraction | None:
    try:
        return upper(Substitution({}, setting.norms).sens(sens), setting.numbers)
    except Missing:
        return None


def _pair(
    scheme: Scheme,
    run: Run,
    setting: SpaceSetting,
    place: int,
    claimed: Fraction | None,
    source: random.Random,
    best: InputPair | None,
) -> InputPair | None:
    """Two inputs, new or near the best so far; None if they are equal, or the function fails."""
    if best is not None and best.setting is setting and source.random() < 0.4:
        inputs = list(best.inputs)
        changed = source.randrange(len(inputs))
        if not scheme.params[changed].static:
            inputs[changed] = neighbour(scheme.params[changed].type, inputs[changed], source, setting)
    else:
        inputs = [draw(param.type, source, setting) for param in scheme.params]
        if source.random() < 0.3:
            inputs = _alike(scheme, inputs)
    other = other_records(scheme.params[place], inputs[place], source, setting)
    return _measured(scheme, run, setting, place, claimed, tuple(inputs), other)


def _alike(scheme: Scheme, inputs: list[Value]) -> list[Value]:
    """The same value for all parameters of one type."""
    first: dict[object, Value] = {}
    return [
        value if param.static else first.setdefault(param.type, value)
        for param, value in zip(scheme.params, inputs, strict=True)
    ]


def _measured(
    scheme: Scheme,
    run: Run,
    setting: SpaceSetting,
    place: int,
    claimed: Fraction | None,
    inputs: tuple[Value, ...],
    other: Value,
) -> InputPair | None:
    type_ = put_in(scheme.params[place].type, setting.norms)
    apart = distance(type_, inputs[place], other, setting)
    if not apart:
        return None
    try:
        results = run(inputs), run((*inputs[:place], other, *inputs[place + 1 :]))
        moved = distance(put_in(scheme.result.type, setting.norms), *results, setting)
    except (Undefined, OverflowError):
        return None
    param = scheme.params[place]
    if setting.whole:
        steps: Value = math.ceil(Fraction(whole_steps(type_, apart, setting), records_of_a_person(param, setting)))
    else:
        steps = persons(param, apart, setting)
    return InputPair(setting, place, inputs, other, results, apart, moved, claimed, steps)


def _shrunk(scheme: Scheme, run: Run, pair: InputPair, look: Callable[[], None]) -> InputPair:
    """A pair that refutes as well, with smaller numbers."""
    if not pair.refutes:
        return pair
    try:
        pair = next(filter(None, (_again(scheme, run, pair, each, look) for each in _near_zero(scheme, pair))), pair)
        for _ in range(_SHRINKS):
            simpler = (_again(scheme, run, pair, each, look) for each in _simpler(scheme, pair))
            smaller = next(filter(None, simpler), None)
            if smaller is None:
                break
            pair = smaller
    except Late:
        pass
    return pair


def _again(
    scheme: Scheme, run: Run, pair: InputPair, changed: tuple[tuple[Value, ...], Value], look: Callable[[], None]
) -> InputPair | None:
    look()
    inputs, other = changed
    types = [param.type for param in scheme.params]
    values = zip((*types, types[pair.place]), (*inputs, other), strict=True)
    if not all(belongs(type_, value, pair.setting) for type_, value in values):
        return None
    found = _measured(scheme, run, pair.setting, pair.place, pair.claimed, inputs, other)
    return found if found is not None and found.refutes else None


def _near_zero(scheme: Scheme, pair: InputPair) -> Iterator[tuple[tuple[Value, ...], Value]]:
    """The same change made at 0, or all other inputs 0, or both: much at once, where a run takes long."""
    kept = (scheme.params[place].static or place == pair.place for place in range(len(pair.inputs)))
    zeros = tuple(value if keep else _zero(value) for value, keep in zip(pair.inputs, kept, strict=True))
    value = pair.inputs[pair.place]
    if _subtracts(pair.other, value):
        step = _difference(pair.other, value)
        for inputs in (zeros, pair.inputs):
            yield (*inputs[: pair.place], _zero(value), *inputs[pair.place + 1 :]), step
    yield zeros, pair.other


def _zero(value: Value) -> Value:
    if is_container(value):
        return entrywise(_zero, value)
    return tuple(map(_zero, value)) if isinstance(value, tuple) else type(value)(0)


def _difference(value: Value, other: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(map(_difference, value, other))
    return value - other


def _subtracts(value: Value, other: Value) -> bool:
    """Whether a value can be subtracted from another: they are of one shape, and no truth values."""
    if is_container(value):
        return value.shape == other.shape and all(map(_subtracts, value.flat, other.flat))
    return all(map(_subtracts, value, other)) if isinstance(value, tuple) else not isinstance(value, bool)


def _simpler(scheme: Scheme, pair: InputPair) -> Iterator[tuple[tuple[Value, ...], Value]]:
    """The same inputs with one number nearer to 0: where both are equal, in both."""
    for first, second in _simpler_together(pair.inputs[pair.place], pair.other):
        yield (*pair.inputs[: pair.place], first, *pair.inputs[pair.place + 1 :]), second
    for place, value in enumerate(pair.inputs):
        if not scheme.params[place].static:
            for simpler in _simpler_values(value):
                yield (*pair.inputs[:place], simpler, *pair.inputs[place + 1 :]), pair.other
    for simpler in _simpler_values(pair.other):
        yield pair.inputs, simpler


def _simpler_together(value: Value, other: Value) -> Iterator[tuple[Value, Value]]:
    for place in range(value.size) if is_container(value) and value.shape == other.shape else ():
        if value.flat[place] == other.flat[place]:
            for simpler in _simpler_values(value.flat[place]):
                copies = value.copy(), other.copy()
                for copy in copies:
                    copy.flat[place] = simpler
                yield copies


def _simpler_values(value: Value) -> Iterator[Value]:
    if is_container(value):
        for place in range(value.size):
            for simpler in _simpler_values(value.flat[place]):
                copy = value.copy()
                copy.flat[place] = simpler
                yield copy
    elif isinstance(value, tuple):
        for place, item in enumerate(value):
            for simpler in _simpler_values(item):
                yield (*value[:place], simpler, *value[place + 1 :])
    elif not isinstance(value, bool | float):
        for simpler in (0, 1, -1, int(value), int(value / 2)):
            if _length(simpler) < _length(value) or (simpler == 1 and value == -1):
                yield type(value)(simpler)


def _length(value: Value) -> int:
    """How much there is to read in a number."""
    exact = Fraction(value)
    return abs(exact.numerator) + exact.denominator
