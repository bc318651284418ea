"""A search for neighbouring inputs that a private function tells apart better than is claimed.

The function is run on both with its chance written down (:class:`Script`). What is found is certain, or
wrong with a chance of at most :data:`DOUBT`:

* Where δ = 0, an output that is more than e^ε times as likely for one input refutes the claim, wherever it lies.
* The privacy loss of mechanisms whose inputs do not depend on what was released before is composed exactly. What is
  known of it is a number that the best test reaches; where numbers are rounded, it is a smaller one.
* One number that is released after rows were drawn has a density, which is integrated.
* Else outputs are drawn, and what each says is a sample of the true δ: the bound of Clopper and Pearson.

That nothing is found proves nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from dp_lsp.builtins.meanings import NoMeaning, Undefined, Value, is_container
from dp_lsp.builtins.randomness import Chance, Distribution, DrawnNoise, DrawnWay, Pick, TooManyWays
from dp_lsp.core.scheme import Scheme
from dp_lsp.meaning.refuter import neighbours, settings_of
from dp_lsp.meaning.spaces import SpaceSetting, draw
from dp_lsp.named import NamedTuple

# Runs of a private function whose chance is written down: what was released, how likely that is for other inputs, and
# what is hidden where.
#
# All that mechanisms release is taken to be seen, and so is what the function returns, or that it fails. What is drawn
# without being seen is gone through, one way after the other.
#
# A run may be blind: then nothing that is computed may depend on what was released, but by adding and multiplying.
# What is released is a :class:`Seen` number, that can be neither compared nor looked at. If two such runs with other
# numbers, drawn from far more than a formula of the program's size has zeros, hide the same differences, then all do.

Program = Callable[[Chance], Value]
"""A function on given inputs."""

_GRID = 1_048_583  # a prime, so that what is released is not a number that a program may look for
_WAYS = 700  # in which rows may be drawn
_LIKELY = 1e-9  # what is chosen in a script is at least that probable
_FAR = (0.5, 4.0, 25.0)  # how far away, in scales, noise may be that is not drawn as it says
_ROUNDED = 1e-9
FAILED = "it fails"


class Script(NamedTuple):
    """What was released in a run, in order, and what was returned: :data:`FAILED` if nothing was."""

    outputs: tuple[Value, ...]
    result: Value


class _Apart(Exception):
    """A run that cannot go on as a script says."""


class _ScriptWriter:
    """A chance that writes down what it decides: by the distributions if ``honest``, else far off."""

    def __init__(self, source: random.Random, honest: bool) -> None:
        self._source = source
        self._far = None if honest else source.choice(_FAR)
        self._sign = source.choice((1, -1))
        self.outputs: list[Value] = []

    def released(self, distribution: Distribution) -> Value:
        output = self._output(distribution)
        self.outputs.append(output)
        return output[1] if isinstance(output, tuple) else output

    def _output(self, distribution: Distribution) -> Value:
        if isinstance(distribution, DrawnNoise):
            return distribution.shaped([_generic(self._near(entry, distribution)) for entry in distribution.entries])
        likely = [k for k, log in enumerate(distribution.logs) if log > math.log(_LIKELY)]
        weights = [math.exp(distribution.logs[k]) if self._far is None else 1.0 for k in likely]
        place = self._source.choices(likely, weights)[0]
        return place, distribution.values[place]

    def _near(self, centre: Value, noise: DrawnNoise) -> float:
        if self._far is not None:
            sign = self._sign if self._source.random() < 0.8 else -self._sign
            away = sign * self._far
        elif noise.normal:
            away = self._source.gauss(0, 1)
        else:
            away = self._source.expovariate(1) * self._source.choice((1, -1))
        return float(centre) + float(noise.scale) * away

    def drawn(self, ways: Sequence[DrawnWay]) -> Sequence[int]:
        return self._source.choices([way.places for way in ways], [math.exp(way.log) for way in ways])[0]


def _generic(value: float) -> Fraction:
    return Fraction(int(value * _GRID), _GRID)


class _ScriptReader:
    """A chance that releases what a script says, and adds up how likely that is. ``ways`` says which way of drawing is
    taken, first things first; ``open`` is how many there were."""

    def __init__(self, outputs: Sequence[Value], ways: Sequence[int]) -> None:
        self._outputs = outputs
        self._ways = ways
        self._read = 0
        self.open: list[int] = []
        self.weight = 0.0
        self.log = 0.0
        self.seen: list[Distribution] = []

    def released(self, distribution: Distribution) -> Value:
        if self._read == len(self._outputs):
            raise _Apart
        output = self._outputs[self._read]
        self._read += 1
        self.seen.append(distribution)
        if isinstance(output, tuple):
            return self._picked(output, distribution)
        if not isinstance(distribution, DrawnNoise):
            raise _Apart
        self.log += distribution.log_density(output)
        if self.log == -math.inf:
            raise _Apart
        return output

    def _picked(self, output: tuple[int, Value], distribution: Distribution) -> Value:
        place, value = output
        if isinstance(distribution, DrawnNoise) or place >= len(distribution.values):
            raise _Apart
        if not same(distribution.values[place], value):
            raise _Apart
        self.log += distribution.logs[place]
        return value

    def drawn(self, ways: Sequence[DrawnWay]) -> Sequence[int]:
        position = len(self.open)
        self.open.append(len(ways))
        way = ways[self._ways[position] if position < len(self._ways) else 0]
        self.weight += way.log
        return way.places

    @property
    def finished(self) -> bool:
        return self._read == len(self._outputs)


def written(program: Program, source: random.Random, honest: bool) -> Script:
    """A run, and what came of it."""
    chance = _ScriptWriter(source, honest)
    result = _result(program, chance)
    return Script(tuple(chance.outputs), result)


def log_likelihood(program: Program, script: Script) -> float:
    """The logarithm of how likely it is, or how dense, that a run is as a script says; -∞ where it cannot be."""
    logs = [log + weight for log, weight, _ in _readings(program, script)]
    most = max(logs, default=-math.inf)
    if most == -math.inf:
        return most
    return most + math.log(sum(math.exp(log - most) for log in logs))


def hidden(program: Program, script: Script) -> list[tuple[float, list[Distribution]]]:
    """What the mechanisms of a run hide that is as a script says: for each way of drawing, with its probability."""
    return [(math.exp(weight), seen) for log, weight, seen in _readings(program, script) if log > -math.inf]


def _readings(program: Program, script: Script) -> Iterator[tuple[float, float, list[Distribution]]]:
    """For each way of drawing the logarithms of how likely the script is then, and of how likely that way is; and what
    was hidden."""
    ways: list[int] = []
    for _ in range(_WAYS):
        chance = _ScriptReader(script.outputs, ways)
        try:
            fits = same(_result(program, chance), script.result) and chance.finished
        except _Apart:
            fits = False
        yield (chance.log if fits else -math.inf), chance.weight, chance.seen
        ways = [*ways, *[0] * (len(chance.open) - len(ways))][: len(chance.open)]
        while ways and ways[-1] + 1 == chance.open[len(ways) - 1]:
            ways.pop()
        if not ways:
            return
        ways[-1] += 1
    raise NoMeaning("rows are drawn in too many ways")


def _result(program: Program, chance: Chance) -> Value:
    try:
        return program(chance)
    except (Undefined, OverflowError):
        return FAILED
    except TooManyWays:
        raise NoMeaning("rows are drawn in too many ways") from None


def same(x: Value, y: Value) -> bool:
    """Whether nobody can tell two results apart."""
    if callable(x) or callable(y):
        raise NoMeaning("it returns a function")
    if is_container(x) or is_container(y):
        shapes = getattr(x, "shape", None), getattr(y, "shape", None)
        return shapes[0] == shapes[1] and all(map(same, x.flat, y.flat))
    if isinstance(x, tuple) and isinstance(y, tuple):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, float) or isinstance(y, float):
        return bool(abs(x - y) <= _ROUNDED * max(1.0, abs(x), abs(y)))
    return bool(x == y)


_MANY = 2**62


class _Looked(Exception):
    """The program looks at what was released."""


class _SeenReleases:
    """A released number, in arithmetic with others."""

    __slots__ = ("value",)

    def __init__(self, value: Fraction) -> None:
        self.value = value

    def __add__(self, other: Value) -> _SeenReleases:
        return _SeenReleases(self.value + _value(other))

    __radd__ = __add__

    def __sub__(self, other: Value) -> _SeenReleases:
        return _SeenReleases(self.value - _value(other))

    def __rsub__(self, other: Value) -> _SeenReleases:
        return _SeenReleases(_value(other) - self.value)

    def __mul__(self, other: Value) -> _SeenReleases:
        return _SeenReleases(self.value * _value(other))

    __rmul__ = __mul__

    def __neg__(self) -> _SeenReleases:
        return _SeenReleases(-self.value)

    def _looked(self, *others: object) -> bool:
        raise _Looked

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _looked
    __bool__ = __abs__ = __int__ = __float__ = __ceil__ = __index__ = _looked
    __hash__ = None  # type: ignore[assignment]


def _value(other: Value) -> Fraction:
    if isinstance(other, _SeenReleases):
        return other.value
    if isinstance(other, bool) or not isinstance(other, int | Fraction):
        raise _Looked
    return Fraction(other)


class _Blind:
    """A chance that releases numbers that cannot be looked at, the same in every run of one seed."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        self.seen: list[Distribution] = []

    def released(self, distribution: Distribution) -> Value:
        if isinstance(distribution, Pick):
            self.seen.append(distribution)
            return _SeenReleases(self._number())
        entries = [entry.value if isinstance(entry, _SeenReleases) else entry for entry in distribution.entries]
        self.seen.append(replace(distribution, centre=distribution.shaped(entries)))
        return distribution.shaped([_SeenReleases(self._number()) for _ in entries])

    def _number(self) -> Fraction:
        return Fraction(self._source.randrange(-_MANY, _MANY))

    def drawn(self, ways: Sequence[DrawnWay]) -> Sequence[int]:
        raise _Looked


def blindly(
    one: Program, other: Program, source: random.Random
) -> tuple[list[Distribution], list[Distribution]] | None:
    """What the mechanisms of two runs hide, if that does not depend on what is released but by a shift of both; None
    where it does, or may, or where the runs do not release the same things."""
    found = []
    for _ in range(2):
        seed = source.randrange(_MANY)
        pair = _hidden(one, seed), _hidden(other, seed)
        if pair[0] is None or pair[1] is None or list(map(_form, pair[0])) != list(map(_form, pair[1])):
            return None
        found.append((pair[0], pair[1]))
    if list(map(_shift, *found[0])) != list(map(_shift, *found[1])):
        return None
    return found[0]


def _hidden(program: Program, seed: int) -> list[Distribution] | None:
    chance = _Blind(seed)
    try:
        program(chance)
    except (_Looked, AttributeError, TypeError, Undefined, OverflowError):
        return None
    return chance.seen


def _form(distribution: Distribution) -> tuple[object, ...]:
    if isinstance(distribution, Pick):
        return ("pick", len(distribution.values))
    return ("noise", distribution.shape, distribution.scale, distribution.normal)


def _shift(one: Distribution, other: Distribution) -> object:
    if isinstance(one, Pick) and isinstance(other, Pick):
        return one.logs, other.logs
    assert isinstance(one, DrawnNoise) and isinstance(other, DrawnNoise)
    return [a - b for a, b in zip(one.entries, other.entries, strict=True)]


DOUBT = 1e-9
"""The chance that a claim that is true is refuted by drawing."""
_NUMBERS = (Fraction(1, 2), 2, Fraction(1, 10), 1, Fraction(1, 4), 3, Fraction(1, 1000), 0, -1, Fraction(3, 4), 6)
_STAGES = (12, 48, 192)  # numbers of outputs drawn; more are drawn while the claim looks wrong
_TOLERANCE = 1e-9
_INTEGRATED = 2e-3

Run = Callable[[Sequence[Value], Chance], Value]


class PrivacyClaim(NamedTuple):
    """(ε, δ) for a change of the parameters at ``places``: of several, of the same row of all. ``rule`` says by
    what."""

    places: tuple[int, ...]
    epsilon: float
    delta: float
    rule: str = ""


class Breach(NamedTuple):
    """Two neighbouring inputs for which a claim does not hold, and how it was found out: ``found`` is an ε that is
    needed where the claim has δ = 0, else a δ."""

    setting: SpaceSetting
    claim: PrivacyClaim
    inputs: tuple[Value, ...]
    others: tuple[Value, ...]
    how: str
    found: float


class Searched(NamedTuple):
    """What a search came to. ``tightest`` is the largest share of a claimed ε that an output needs, where δ = 0."""

    breach: Breach | None
    tries: int
    tightest: float


def search(
    scheme: Scheme,
    run: Run,
    claims: Callable[[SpaceSetting], Sequence[PrivacyClaim]],
    source: random.Random,
    settings: int = 3,
    tries: int = 8,
    joining: bool = False,
) -> Searched:
    """Look for a breach of what is claimed of a function in each of so many settings: so many pairs for each claim;
    with ``joining``, of data of which one has a record more.
    Raises :class:`NotASpace` and :class:`NoMeaning` for what cannot be drawn or run."""
    count, tightest = 0, 0.0
    for setting in settings_of(scheme, source, settings, numbers=_NUMBERS):
        for claim in claims(setting):
            if math.isinf(claim.epsilon) or claim.delta >= 1:
                continue
            for _ in range(tries):
                count += 1
                inputs = tuple(draw(param.type, source, setting) for param in scheme.params)
                others = neighbours(scheme, inputs, claim.places, source, setting, joining)
                if others is None:
                    continue
                if source.random() < 0.5:
                    inputs, others = others, inputs
                judged = _NeighbouringRuns(run, inputs, others, source).judged(claim)
                tightest = max(tightest, judged.share)
                if judged.how:
                    return Searched(Breach(setting, claim, inputs, others, judged.how, judged.found), count, tightest)
    return Searched(None, count, tightest)


class _Judged(NamedTuple):
    how: str = ""
    found: float = 0.0
    share: float = 0.0


class _NeighbouringRuns:
    """Two inputs, and how well they are told apart."""

    def __init__(self, run: Run, inputs: tuple[Value, ...], others: tuple[Value, ...], source: random.Random) -> None:
        self._source = source
        self._one: Program = lambda chance: run(inputs, chance)
        self._other: Program = lambda chance: run(others, chance)

    def judged(self, claim: PrivacyClaim) -> _Judged:
        if not claim.delta:
            return self._by_outputs(claim.epsilon)
        for way in (self._exactly, self._by_a_density, self._by_drawing):
            found = way(claim)
            if found is not None and found.how:
                return found
        return _Judged()

    def _by_outputs(self, epsilon: float) -> _Judged:
        most = 0.0
        for number in range(5):
            script = written(self._one, self._source, honest=number == 0)
            loss = abs(self._loss(script))  # what says too little of one says too much of the other
            if loss > epsilon + _TOLERANCE * (1 + epsilon):
                how = "one gives a result that the other never gives" if math.isinf(loss) else "an output says more"
                return _Judged(how, loss)
            most = max(most, loss)
        return _Judged(share=most / epsilon if epsilon else 0.0)

    def _loss(self, script: Script) -> float:
        other = log_likelihood(self._other, script)
        return math.inf if other == -math.inf else log_likelihood(self._one, script) - other

    def _exactly(self, claim: PrivacyClaim) -> _Judged | None:
        """By the distributions of losses, where no mechanism depends on what others release."""
        pairs = blindly(self._one, self._other, self._source)
        if pairs is None:
            return None
        delta = delta_of(*pairs, claim.epsilon)
        return _Judged("the losses add up to more", delta) if delta > claim.delta * (1 + 1e-6) + 1e-12 else None

    def _by_a_density(self, claim: PrivacyClaim) -> _Judged | None:
        """Where one number is released, or one container of which only one direction is looked at."""
        script = written(self._one, self._source, honest=True)
        if len(script.outputs) != 1 or isinstance(script.outputs[0], tuple):
            return None
        lines = _on_a_line(hidden(self._one, script), hidden(self._other, script))
        if lines is None:
            return None
        delta = delta_of_mixtures(*lines, claim.epsilon)
        wrong = delta > claim.delta * (1 + _INTEGRATED) + _TOLERANCE
        return _Judged("the density of what is released says more", delta) if wrong else None

    def _by_drawing(self, claim: PrivacyClaim) -> _Judged | None:
        heads = tries = 0
        for stage in _STAGES:
            while tries < stage:
                script = written(self._one, self._source, honest=True)
                worth = max(0.0, -math.expm1(min(claim.epsilon - self._loss(script), 1.0)))
                heads += self._source.random() < worth
                tries += 1
            sure = lowest(heads, tries, DOUBT / len(_STAGES))
            if sure > claim.delta:
                return _Judged(f"{heads} of {tries} outputs say more", sure)
            if heads <= claim.delta * tries:
                return None
        return None


_Hidden = list[tuple[float, list[Distribution]]]


def _on_a_line(before: _Hidden, after: _Hidden) -> tuple[_Centres, _Centres, float, bool] | None:
    """The centres for each way of drawing, seen along one direction; None where there is more than one noise."""
    ways = [(likely, each) for likely, seen in (*before, *after) for each in seen]
    first = ways[0][1] if ways else None
    if not isinstance(first, DrawnNoise) or not (before and after):
        return None
    form = first.scale, first.normal
    if not all(isinstance(each, DrawnNoise) and (each.scale, each.normal) == form for _, each in ways):
        return None
    entries = [[float(entry) for entry in each.entries] for _, each in ways if isinstance(each, DrawnNoise)]
    if len(entries[0]) > 1 and not first.normal:
        return None
    direction = _direction(entries[: len(before)], entries[len(before) :])
    if direction is None:
        return None
    along = [
        (likely, sum(a * b for a, b in zip(each, direction, strict=True)))
        for (likely, _), each in zip(ways, entries, strict=True)
    ]
    return along[: len(before)], along[len(before) :], float(first.scale), first.normal


def _direction(before: list[list[float]], after: list[list[float]]) -> list[float] | None:
    """The direction of the largest difference between a centre before and one after, of length 1: where rows are drawn
    in as many ways, of the same way."""
    pairs = zip(before, after, strict=True) if len(before) == len(after) else product(before, after)
    apart = ([b - a for a, b in zip(one, other, strict=True)] for one, other in pairs)
    most = max(apart, key=lambda each: math.hypot(*each))
    size = math.hypot(*most)
    return [each / size for each in most] if size else None


_CELLS = 3_000  # of the range of losses
_LARGE = 700.0  # an ε for which nothing is looked for


def delta_of(before: Sequence[Distribution], after: Sequence[Distribution], epsilon: float) -> float:
    """The smallest δ for which mechanisms that are run one after the other, none of which depends on what the others
    release, are (ε, δ)-private for these two inputs, in this direction. ``before`` and ``after`` are of one form."""
    import numpy as np

    variance, pieces, most = 0.0, list[_Piece](), 0.0
    laplace: dict[float, _Piece] = {}
    for one, other in zip(before, after, strict=True):
        if isinstance(one, DrawnNoise) and isinstance(other, DrawnNoise):
            shifts = [abs(float(a - b)) / float(one.scale) for a, b in zip(one.entries, other.entries, strict=True)]
            if one.normal:
                variance += sum(shift * shift for shift in shifts)
            else:
                pieces += [laplace.setdefault(shift, _laplace(shift)) for shift in shifts if shift]
                most += sum(shifts)
        elif isinstance(one, Pick) and isinstance(other, Pick):
            pieces.append(_picked(one, other))
            most += max((abs(a - b) for a, b in zip(one.logs, other.logs, strict=True)), default=0.0)
    width = most / _CELLS or 1.0
    total, start = np.ones(1), 0
    cells = {id(piece): _rounded_down(piece, width) for piece in pieces}
    for first, masses in (cells[id(piece)] for piece in pieces):
        total, start = np.convolve(total, masses), start + first
    losses = (start + np.arange(len(total))) * width
    return float(
        sum(
            mass * _gaussian(epsilon - loss, math.sqrt(variance))
            for mass, loss in zip(total, losses, strict=True)
            if mass
        )
    )


def _gaussian(epsilon: float, mean: float) -> float:
    """δ at ε of two normal distributions ``mean`` deviations apart (Balle and Wang 2018), for every real ε."""
    if not mean:
        return max(0.0, -math.expm1(min(epsilon, 1.0)))
    missed = _normal(-mean / 2 - epsilon / mean)
    return max(0.0, _normal(mean / 2 - epsilon / mean) - (math.exp(min(epsilon, _LARGE)) * missed if missed else 0.0))


def _normal(at: float) -> float:
    return math.erfc(-at / math.sqrt(2)) / 2


_Piece = Any
"""How likely a loss above a number is, as a function of it; and the least and the largest loss."""


def _laplace(shift: float) -> _Piece:
    def above(loss: float) -> float:
        if loss < -shift:
            return 1.0
        return 0.0 if loss >= shift else 1 - math.exp((loss - shift) / 2) / 2

    return above, -shift, shift


def _picked(one: Pick, other: Pick) -> _Piece:
    losses = [(a - b, math.exp(a)) for a, b in zip(one.logs, other.logs, strict=True)]

    def above(loss: float) -> float:
        return sum(mass for each, mass in losses if each > loss)

    return above, min(each for each, _ in losses), max(each for each, _ in losses)


def _rounded_down(piece: _Piece, width: float) -> tuple[int, Any]:
    """The masses of the cells of a grid, each of which counts as its lower end: the first cell, and all of them."""
    import numpy as np

    above, low, high = piece
    first, last = math.floor(low / width) - 1, math.ceil(high / width) + 1
    tails = [above(cell * width - width * 1e-9) for cell in range(first, last + 1)]
    return first, np.array([a - b for a, b in zip(tails, [*tails[1:], 0.0], strict=True)])


def lowest(successes: int, tries: int, doubt: float) -> float:
    """A probability that is not larger than the true one, but for a chance of ``doubt``: Clopper and Pearson."""
    low, high = 0.0, successes / tries
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_least(successes, tries, middle) < doubt else (low, middle)
    return low


def _at_least(successes: int, tries: int, each: float) -> float:
    return sum(math.comb(tries, k) * each**k * (1 - each) ** (tries - k) for k in range(successes, tries + 1))


_Centres = Sequence[tuple[float, float]]
"""Probabilities, and centres of noise."""


def delta_of_mixtures(before: _Centres, after: _Centres, scale: float, normal: bool, epsilon: float) -> float:
    """The smallest δ at ε of one number with noise, the centre of which is one of several. Integrated numerically, to
    1/1,000 of it and 1e-9."""
    import numpy as np

    if epsilon > _LARGE:
        return 0.0

    near = np.linspace(-12, 12, 1_201) * scale
    at = np.unique(np.concatenate([centre + near for centre in {centre for _, centre in (*before, *after)}]))
    gained = _density(at, before, scale, normal) - math.exp(epsilon) * _density(at, after, scale, normal)
    most = np.maximum(gained, 0.0)
    return float(np.sum((most[1:] + most[:-1]) / 2 * np.diff(at)))


def _density(at: Any, centres: _Centres, scale: float, normal: bool) -> Any:
    import numpy as np

    away = [(likely, np.abs(at - centre) / scale) for likely, centre in centres]
    if normal:
        return sum(likely * np.exp(-each * each / 2) for likely, each in away) / (scale * math.sqrt(2 * math.pi))
    return sum(likely * np.exp(-each) for likely, each in away) / (scale * 2)
