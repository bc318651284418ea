"""A search for neighbouring inputs that move a function's result further than is claimed.

What is found is certain: the function is run on both inputs, in fractions wherever it can be, and where a root makes
floats of them, only a difference beyond :data:`TOLERANCE` counts. That nothing is found proves nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from dp_lsp.builtins.concrete import Undefined, Value, entrywise, is_container
from dp_lsp.core.algebra import NormVariable, Poly, Sign, Symbol
from dp_lsp.core.constraints import Constraint, decide
from dp_lsp.core.evaluate import Missing, Substitution, norms_of, upper
from dp_lsp.core.events import Var
from dp_lsp.core.scheme import Scheme
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Norm
from dp_lsp.meaning import neighbours
from dp_lsp.meaning.spaces import SpaceSetting, belongs, distance, draw, neighbour, open_parts, put_in, whole_steps
from dp_lsp.named import NamedTuple

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
    other = neighbours.other_records(scheme.params[place], inputs[place], source, setting)
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
        steps: Value = math.ceil(
            Fraction(whole_steps(type_, apart, setting), neighbours.records_of_a_person(param, setting))
        )
    else:
        steps = neighbours.persons(param, apart, setting)
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
