"""Noise from OpenDP's samplers, which are exact, with OpenDP's own word for what each release costs.

A bound is proved for noise that has a density. OpenDP draws whole numbers, so its noise costs a little more than that,
however fine its steps are. What is released must cost no more than is stated; so OpenDP only proposes, by noise whose
scale is a little larger, and what it proposes is kept with a chance that makes noise with a density of it: exactly, by
random bits that are drawn until they decide (:class:`_LazyUniform`). What is released is rounded to steps that do
not depend on the data, which is post-processing. So there is nothing to add to what is stated, and ε and δ of a run are
those that are proved.

In steps, w between 0 and 1 with each number as likely as the others, and a whole number j by OpenDP:

- **Laplace noise** of scale s is t = j + w, where j has a chance proportional to exp(-|j|/s), if it is kept with the
  chance exp(-y), y = (|t| - |j| + 1)/s, which is between 0 and 2/s. A number that does not fit OpenDP's 64 bits is
  drawn on from there: what a geometric distribution has beyond a number is distributed as before it.
- **Gaussian noise** of deviation σ is t = j + w, where j has a chance proportional to exp(-j²/2s²) and s > σ, if it is
  kept with the chance exp(-y), y = t²/2σ² - j²/2s² + 1/2(s² - σ²). With a = 1/2s² and c = 1/2σ², y is not negative, as
  (|t| + 1)²·a - t²·c is ac/(c - a) at most. A j that does not fit 64 bits is kept always, and what is hidden, and what
  is released, is cut off at less than half of what fits. So such a j is seen as the farthest number there is, whatever
  is hidden. Of the others each comes up as often as by exact noise that is cut off, but for a common factor. What is
  left over lies on the two ends, and is the same for all data: with some chance the exact number is released, else one
  that nothing depends on, which is post-processing of the exact number.
- **A choice** with a chance proportional to exp(z/s), where z ≤ 0 is how far a score is below the largest, is one by
  OpenDP with k ≥ z, the next whole number, or -2^61 where that is more, if it is kept with the chance exp(-(k - z)/s).

The scales that are made so are larger than those of the mechanism by a part in 2^40. Noise of a larger scale is noise
of the smaller one with more noise on top: of deviation √(σ² - τ²), or, as the characteristic function of Laplace noise
is 1/(1 + b²t²), either nothing or Laplace noise of the larger scale. So no roots and logarithms that are not exact, and
no conversion to OpenDP's floating-point numbers, make a release cost more than is stated; its map says so once more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from secrets import SystemRandom
from typing import Any, cast

from dp_lsp.builtins.meanings import Undefined, Value, array, is_container
from dp_lsp.core.evaluate import Missing as Unknown
from dp_lsp.core.evaluate import upper
from dp_lsp.core.events import Sampling
from dp_lsp.core.sens import Sens
from dp_lsp.mechanisms.mechanism import AddsNoise, Draws, Mechanism
from dp_lsp.named import NamedTuple
from dp_lsp.release import RunRefused

_BITS_AT_ONCE = 64  # bits; few comparisons need more
_HALF = Fraction(1, 2)

_Cost = Callable[[Fraction], Fraction]
"""What is at least 0 between 0 and 1, and only rises or only falls there."""


class _LazyUniform:
    """A number between 0 and 1, each as likely as the others. Bits are drawn from the ``source`` as they are needed."""

    __slots__ = ("_bits", "_known", "_source")

    def __init__(self, source: Random) -> None:
        self._source = source
        self._known = self._bits = 0

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """What it lies between, as far as it is known."""
        return Fraction(self._known, 1 << self._bits), Fraction(self._known + 1, 1 << self._bits)

    def look_closer(self) -> None:
        """Draw more bits."""
        self._known = self._known << _BITS_AT_ONCE | self._source.getrandbits(_BITS_AT_ONCE)
        self._bits += _BITS_AT_ONCE

    def is_below(self, number: Fraction) -> bool:
        """Whether it is less than a number; that it is equal has no chance."""
        return _is_less(lambda: self.ends, lambda: (number, number), self.look_closer)


class _Noise(NamedTuple):
    """A real number: a whole one, and how far it is from there to the next."""

    whole: int
    place: _LazyUniform

    def onto(self, x: Fraction) -> int:
        """The whole number that is next to the sum of this and ``x``."""
        start = x + self.whole + _HALF
        low = math.floor(start)
        return low + (not self.place.is_below(low + 1 - start))

    def exceeds(self, other: _Noise, by: Fraction) -> bool:
        """Whether it is more than ``by`` above another one."""
        missing = by + other.whole - self.whole

        def closer() -> None:
            self.place.look_closer()
            other.place.look_closer()

        def needed() -> tuple[Fraction, Fraction]:
            low, high = other.place.ends
            return low + missing, high + missing

        return _is_less(needed, lambda: self.place.ends, closer)


def _is_kept(cost: _Cost, place: _LazyUniform) -> bool:
    """True with the chance exp(-cost(place)), exactly. The exponential is that of as many independent parts as make
    each cost 1 at most, and each part goes by the length of a run of uniform numbers (Forsythe 1972, after von Neumann;
    for rational costs Canonne, Kamath and Steinke 2020, algorithm 1)."""
    parts = max(1, math.ceil(max(map(cost, place.ends))))
    return all(_is_part_kept(cost, parts, place) for _ in range(parts))


def _is_part_kept(cost: _Cost, parts: int, place: _LazyUniform) -> bool:
    length = 1
    while _happens(cost, parts * length, place):
        length += 1
    return length % 2 == 1


def _happens(cost: _Cost, share: int, place: _LazyUniform) -> bool:
    """True with the chance cost(place)/share."""
    drawn = _LazyUniform(place._source)
    drawn.look_closer()

    def closer() -> None:
        drawn.look_closer()
        place.look_closer()

    def chance() -> tuple[Fraction, Fraction]:
        one, other = map(cost, place.ends)
        return min(one, other) / share, max(one, other) / share

    return _is_less(lambda: drawn.ends, chance, closer)


def _is_less(
    one: Callable[[], tuple[Fraction, Fraction]],
    other: Callable[[], tuple[Fraction, Fraction]],
    closer: Callable[[], None],
) -> bool:
    """Whether one number is less than another, of which it is known between what they lie."""
    while True:
        (low, high), (least, most) = one(), other()
        if high <= least:
            return True
        if low >= most:
            return False
        closer()


_STEPS = 50  # bits of the steps to a scale of Laplace noise, and for an ε of 1 of that on answers
_COARSER = 48  # the same of Gumbel noise
_DEVIATION = 1 << 16  # steps to a deviation of Gaussian noise
_FARTHEST = 1 << 61  # steps that one score may be below another; 8,000 scales
_FARTHEST_NUMBER = (1 << 62) - 1  # steps of what Gaussian noise hides; 2^46 deviations
_AT_ONCE = 128  # numbers of noise that are drawn in advance at most
_WIDER = 1 + Fraction(1, 1 << 40)  # of scales, for what is not exact in them
_PROPOSED = 1 + Fraction(1, 1 << 20)  # how much larger the deviation is by which OpenDP proposes
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1  # where OpenDP cuts off what does not fit
_SMALLEST, _LARGEST = Fraction(1, 10**9), 1000  # of an ε that noise is drawn for, and of what its inverse may be


class SamplersMissing(Exception):
    """OpenDP is not installed, or is of another kind."""


def opendp() -> Any:
    """The library; raises :class:`SamplersMissing`."""
    try:
        import opendp.prelude as library
    except (ImportError, OSError) as error:
        raise SamplersMissing(str(error)) from None
    if not hasattr(library.m, "make_noisy_max"):
        raise SamplersMissing("it is of another version")
    library.enable_features("contrib")
    return library


class SampledNoise:
    """Draws that OpenDP's samplers propose, and rows by the random numbers of the system. ``drawn`` counts what was
    drawn, by its kind."""

    def __init__(self, library: Any) -> None:
        self._dp = library
        self._system = SystemRandom()
        self._made: dict[tuple[Any, ...], Any] = {}
        self._stocks: dict[tuple[Any, ...], _Stock] = {}
        self.drawn: dict[str, int] = {}

    def _count(self, kind: str, drawn: int) -> None:
        self.drawn[kind] = self.drawn.get(kind, 0) + drawn

    # Noise

    def laplace(self, centre: Value, moves: Fraction, epsilon: Fraction) -> Value:
        """Steps are ``moves``/n."""
        _demand(epsilon)
        entries = _exact(centre)
        self._count("Laplace", len(entries))
        n = min(math.floor(epsilon * (1 << _STEPS)), 1 << 60)
        noise = self._laplace(len(entries), n, epsilon)
        step = moves / n
        return _like(centre, [each.onto(x / step) * step for x, each in zip(entries, noise, strict=True)])

    def geometric(self, centre: Value, moves: Fraction, epsilon: Fraction) -> Value:
        """The difference of two geometric numbers, each the whole part of an exponential one, which is how far Laplace
        noise is from 0."""
        _demand(epsilon / moves)
        entries = _exact(centre)
        self._count("geometric", len(entries))
        noise = iter(self._laplace(2 * len(entries), 1, epsilon / moves))
        sizes = [each.whole if each.whole >= 0 else -each.whole - 1 for each in noise]
        return _like(centre, [x + sizes.pop() - sizes.pop() for x in entries])

    def _laplace(self, count: int, moves: int, epsilon: Fraction) -> list[_Noise]:
        """So many numbers of noise, in steps, for a distance of so many of them."""

        def make(scale: float) -> Any:
            space = self._dp.vector_domain(self._dp.atom_domain(T="i64")), self._dp.l1_distance(T="i64")
            return self._dp.m.make_laplace(*space, scale=scale)

        scale = _above(moves / epsilon * _WIDER)
        proposed = self._stock(("laplace", moves, epsilon), make, scale, moves, epsilon)
        exact = Fraction(scale)

        def noise() -> _Noise:
            while True:
                found = _Noise(_whole(proposed), _LazyUniform(self._system))
                if _is_kept(_laplacian(found.whole, exact), found.place):
                    return found

        return [noise() for _ in range(count)]

    def gaussian(self, centre: Value, moves: Fraction, deviation: Fraction) -> Value:
        """Steps are a fixed part of the deviation."""
        _demand(1 / deviation)
        entries = _exact(centre)
        self._count("Gaussian", len(entries))
        step = moves * deviation / _DEVIATION
        noise = (self._gaussian(deviation) for _ in entries)
        return _like(centre, [_cut(each.onto(_cut(x / step))) * step for x, each in zip(entries, noise, strict=True)])

    def _gaussian(self, deviation: Fraction) -> _Noise:
        """Noise in steps, where a distance costs what it does by so many times it."""

        def make(scale: float) -> Any:
            space = self._dp.vector_domain(self._dp.atom_domain(T="i64")), self._dp.l2_distance(T=float)
            return self._dp.m.make_gaussian(*space, scale=scale)

        scale, moves = _above(_DEVIATION * _WIDER * _PROPOSED), _above(_DEVIATION / deviation)
        proposed = self._stock(("gaussian", deviation), make, scale, moves, 1 / (2 * deviation**2))
        exact = _DEVIATION * _WIDER, Fraction(scale)
        while True:
            found = _Noise(proposed.take(), _LazyUniform(self._system))
            if not _fits(found.whole) or _is_kept(_normal(found.whole, *exact), found.place):
                return found

    def _stock(
        self, key: tuple[Any, ...], make: Callable[[float], Any], scale: float, moves: float, most: Fraction
    ) -> _Stock:
        """Numbers of noise."""
        if key not in self._stocks:
            self._stocks[key] = _Stock(self._priced(key, make, scale, moves, most))
        return self._stocks[key]

    def _priced(
        self, key: tuple[Any, ...], make: Callable[[float], Any], scale: float, moves: float, most: Fraction
    ) -> Any:
        """A measurement whose own map says that a distance costs at most so much."""
        if key not in self._made:
            measured = make(scale)
            if not measured.map(moves) <= _below(most):
                raise RunRefused("OpenDP prices its noise higher than it is priced here, so nothing is released")
            self._made[key] = measured
        return self._made[key]

    # Choices

    def selected(self, scores: Sequence[Fraction], moves: Fraction, epsilon: Fraction) -> int:
        """The largest score with Gumbel noise. What all scores have more than another changes no chance, so they are
        seen from the largest."""
        _demand(epsilon)
        self._count("choice", 1)
        n = max(1, math.floor(epsilon * (1 << (_COARSER - 1))))
        most = max(scores)
        below = [(score - most) * n / moves for score in scores]
        proposed = [max(math.ceil(each), -_FARTHEST) for each in below]

        def make(scale: float) -> Any:
            space = self._dp.vector_domain(self._dp.atom_domain(T="i64")), self._dp.linf_distance(T="i64")
            return self._dp.m.make_noisy_max(*space, self._dp.zero_concentrated_divergence(), scale=scale)

        scale = _above(2 * n / epsilon * _WIDER)
        measured, exact = self._priced(("gumbel", n, epsilon), make, scale, n, epsilon**2 / 8), Fraction(scale)
        while True:
            found = int(measured(proposed))
            if _is_kept(_constant((proposed[found] - below[found]) / exact), _LazyUniform(self._system)):
                return found

    def told(self, truth: int | None, count: int, epsilon: Fraction) -> int:
        """Randomised response; what is true but no answer is any of these."""
        self._count("response", 1)
        if truth is None or count == 1:
            return self._system.randrange(count)
        key = "response", count, epsilon
        if key not in self._made:
            self._made[key] = self._response(count, epsilon)
        return int(self._made[key](truth))

    def _response(self, count: int, epsilon: Fraction) -> Any:
        """The largest chance of the truth that costs at most ε by OpenDP's map."""
        _demand(epsilon)
        chance = 1 / (1 + (count - 1) * math.exp(-float(epsilon)))
        for _ in range(100):
            measured = self._dp.m.make_randomized_response(list(range(count)), prob=chance)
            if measured.map(1) <= _below(epsilon):
                return measured
            chance = math.nextafter(chance, 0)
        raise RunRefused("OpenDP prices its answers higher than they are priced here, so nothing is released")

    def above(self, over: Sequence[Fraction], most: int, epsilon: Fraction) -> list[bool]:
        """Half of ε is for the noise on the threshold, half for that on the answers that are above, which move by 2
        against it."""
        _demand(epsilon)
        _demand(epsilon / most)
        n = math.floor(epsilon * (1 << _COARSER) / most)  # so that the noise on answers has the bits it may have
        self._count("threshold", 1)
        (limit,) = self._laplace(1, n, epsilon / 2)
        noise = self._laplace(len(over), 2 * n * most, epsilon / 2)
        found: list[bool] = []
        for each, drawn in zip(over, noise, strict=True):
            found.append(sum(found) < most and drawn.exceeds(limit, -each * n))
        return found

    # Rows

    def places(self, scheme: Sampling, height: int, amount: Fraction) -> Sequence[int]:
        """Rows by the random numbers of the system: whole numbers, each as likely as the others."""
        source = self._system
        if scheme is Sampling.POISSON:
            if not 0 <= amount <= 1:
                raise Undefined("no probability")
            return [k for k in range(height) if source.randrange(amount.denominator) < amount.numerator]
        if amount < 0 or (scheme is Sampling.WITHOUT_REPLACEMENT and amount > height):
            raise Undefined("more draws than rows")
        if scheme is Sampling.WITHOUT_REPLACEMENT:
            return source.sample(range(height), int(amount))
        if not height:
            raise Undefined("nothing to draw from")
        return [source.randrange(height) for _ in range(int(amount))]


class _Stock:
    """Noise on nothing. What is asked for again is drawn in advance, more and more at once: most of what a draw takes
    is the way to the library, and no draw depends on data."""

    def __init__(self, measured: Any) -> None:
        self._measured = measured
        self._left: list[int] = []
        self._taken = 0

    def take(self) -> int:
        """A number that nobody has seen."""
        if not self._left:
            self._left = self._measured([0] * max(1, min(self._taken, _AT_ONCE)))
        self._taken += 1
        return int(self._left.pop())


# What it costs to keep what was proposed; see above


def _laplacian(whole: int, scale: Fraction) -> _Cost:
    return lambda w: (abs(whole + w) - abs(whole) + 1) / scale


def _normal(whole: int, deviation: Fraction, proposed: Fraction) -> _Cost:
    one, other = deviation**2, proposed**2
    least = 1 / (other - one) - whole**2 / other
    return lambda w: ((whole + w) ** 2 / one + least) / 2


def _constant(cost: Fraction) -> _Cost:
    return lambda _: cost


# Numbers


def _whole(proposed: _Stock) -> int:
    """A number of Laplace noise, also one that does not fit: it is as far beyond what fits as another one is from 0, on
    its side."""
    found = proposed.take()
    if _fits(found):
        return found
    beyond = _whole(proposed)
    while beyond < 0:
        beyond = _whole(proposed)
    return found + beyond if found > 0 else found - beyond


def _fits(proposed: int) -> bool:
    """Whether it is the number that was drawn."""
    return _LOWEST < proposed < _HIGHEST


def _cut(steps: Any) -> Any:
    """What Gaussian noise hides, or what is released."""
    return max(-_FARTHEST_NUMBER, min(steps, _FARTHEST_NUMBER))


def _like(centre: Value, entries: list[Fraction]) -> Value:
    """Numbers in the shape of what they hide."""
    return array(entries, centre.shape) if is_container(centre) else entries[0]


class _Asked:
    """Draws nothing, and refuses what noise is not drawn for."""

    def laplace(self, centre: Value, moves: Fraction, epsilon: Fraction) -> Value:
        _demand(epsilon)
        return centre

    def geometric(self, centre: Value, moves: Fraction, epsilon: Fraction) -> Value:
        _demand(epsilon / moves)
        return centre

    def gaussian(self, centre: Value, moves: Fraction, deviation: Fraction) -> Value:
        _demand(1 / deviation)
        return centre


def demand_drawable(event: Mechanism) -> None:
    """Refuse a mechanism for whose numbers noise is not drawn, or which are not known before it is run."""
    try:
        if isinstance(event, AddsNoise):
            event.noisy(cast(Draws, _Asked()), 0, *map(_number, event.given))
        for each in () if isinstance(event, AddsNoise) else event.drawn_for:
            _demand(_number(each))
    except Unknown:
        raise RunRefused(f"how much {event.name} noise it asks for is known only when it runs") from None
    except ZeroDivisionError:
        raise RunRefused(_TOO_FAR) from None


def _number(value: Sens) -> Fraction:
    found = upper(value, {})
    if found is None:
        raise RunRefused(_TOO_FAR)
    return found


def _demand(epsilon: Fraction | int) -> None:
    if not _SMALLEST <= epsilon <= _LARGEST:
        raise RunRefused(_TOO_FAR)


_TOO_FAR = "it asks for noise that is too large or too small to be drawn exactly"


def _exact(centre: Value) -> list[Fraction]:
    """The numbers that are hidden. None of them may be a float: what was computed with these is not what was proved."""
    entries = list(centre.flat) if is_container(centre) else [centre]
    if not all(isinstance(entry, int | Fraction) for entry in entries):
        raise RunRefused("what it hides was not computed exactly")
    return [Fraction(entry) for entry in entries]


def _above(number: Fraction) -> float:
    """The smallest float that is not less."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def _below(number: Fraction) -> float:
    """The largest float that is not more."""
    return -_above(-number)
