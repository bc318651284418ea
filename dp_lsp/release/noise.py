"""Noise from OpenDP's samplers, which are exact, with OpenDP's own word for what each release costs.

Noise is drawn as a whole number of steps, and what it is added to is rounded to them: a step is the distance that a
mechanism declares, divided by a whole number that does not depend on the data. OpenDP's integers then have the
distribution that is asked for exactly, at a scale that is rounded up, and its map from distances to losses must come to
no more than the mechanism declares.

**What the steps add.** A bound is proved for noise that has a density. Where that noise is (ε, δ)-private, what is
drawn here is (ε + 2Kκ, δ·exp(Kκ) + τK(1 + exp(ε + Kκ)))-private, with K numbers of it. Rounding what has a density is
post-processing; so compare, for one number with b steps to the scale, the chance P of a step as it is drawn with the
chance Q that noise with a density lands there, which is centred at most half a step away. Over such a step the exponent
|t|/b of Laplace noise changes by 1/b at most, and tanh(1/2b) is 1/2b but for a part in 12b²: so exp(-2/b) ≤ P/Q ≤
exp(2/b), and κ = 2/b. The exponent t²/2b² of Gaussian noise changes by κ = (T + 1)/b at most where |t| ≤ Tb, and what
lies further away has a chance τ ≤ 2·exp(-T²/2). Then for any outcomes S, and neighbouring data for P' and Q',

    P(S) ≤ exp(Kκ)·Q(S) + Kτ ≤ exp(Kκ)·(exp(ε)·Q'(S) + δ) + Kτ and Q'(S) ≤ exp(Kκ)·P'(S) + Kτ

also where what is drawn depends on what was drawn before. With b ≥ 2^49 for Laplace noise, b ≥ 2^53.9 and T = 64 for
Gaussian noise, and K ≤ 2^20, ε grows by less than :data:`ADDED`, and δ by less than that part of itself and what is
:func:`far_away`.

**What is chosen** is priced by how far scores move, and that may be no whole number of steps where it is less than what
the mechanism declares: by 1 of 3, say. A choice compares with one of the scores as they are. Each is half a step away
at most, so with b steps to the scale of Gumbel noise no chance changes by more than a factor of exp(1/b), and κ = 1/b,
with b > 2^47.9. A search for what is above a threshold is priced by one number, ε·s for queries that move by s; if n
steps are 1, rounded queries move by fewer than sn + 1, so it costs less than ε/n more. The chances of what is priced so
change by a factor of exp(ε/n) at most: κ = ε/n, which is 2^-47.9 for each answer that may be above.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from secrets import SystemRandom
from typing import Any

from dp_lsp.builtins.concrete import Undefined, Value, array, is_container
from dp_lsp.core.events import Scheme
from dp_lsp.release.refusal import Refused

ADDED = Fraction(1, 10**8)
"""By how much ε grows at most, and δ as a part of itself, because noise is drawn in steps."""
MOST_NUMBERS = 1 << 20
"""How many numbers are hidden, choices made and answers found in one run at most."""

_STEPS = 50  # bits of the steps to a scale of Laplace noise
_FINER = 54  # the same of Gaussian noise
_COARSER = 48  # the same of Gumbel noise, and of that on answers
_FARTHEST = 1 << 61  # steps that one score may be below another; 8,000 scales
_AT_ONCE = 128  # numbers of noise that are drawn in advance at most
_WIDER = 1 + Fraction(1, 1 << 40)  # of scales, for what is not exact in them
_TOP = (1 << 63) - 1  # what does not fit is cut off there by OpenDP
_SMALLEST, _LARGEST = Fraction(1, 10**9), 1000  # of an ε that noise is drawn for, and of what its inverse may be


def far_away(grown: Fraction) -> Fraction:
    """What Gaussian noise adds to δ by what lies more than 64 deviations away, where exp(ε) is ``grown``: for K numbers
    Kτ(1 + exp(ε + Kκ)), and τ = 2·exp(-2048) is less than 10^-889."""
    return Fraction(MOST_NUMBERS, 10**889) * (1 + 2 * grown)


class Missing(Exception):
    """OpenDP is not installed, or is of another kind."""


def opendp() -> Any:
    """The library; raises :class:`Missing`."""
    try:
        import opendp.prelude as library
    except (ImportError, OSError) as error:
        raise Missing(str(error)) from None
    if not hasattr(library.m, "make_noisy_max"):
        raise Missing("it is of another version")
    library.enable_features("contrib")
    return library


class Sampled:
    """Draws by OpenDP's samplers, and rows by the random numbers of the system. ``drawn`` counts what was drawn, by its
    kind."""

    def __init__(self, library: Any) -> None:
        self._dp = library
        self._system = SystemRandom()
        self._made: dict[tuple[Any, ...], Any] = {}
        self._stocks: dict[tuple[Any, ...], _Stock] = {}
        self.drawn: dict[str, int] = {}
        self._rounded = 0

    def _count(self, kind: str, drawn: int, rounded: int) -> None:
        """That something is drawn, and how many numbers are rounded for it."""
        self.drawn[kind] = self.drawn.get(kind, 0) + drawn
        self._rounded += rounded
        if self._rounded > MOST_NUMBERS:
            raise Refused(f"it hides more than {MOST_NUMBERS:,} numbers")

    # Noise

    def laplace(self, centre: Value, moves: Fraction, epsilon: Fraction) -> Value:
        """Steps are ``moves``/n, so that n of them are ``moves``; of several entries each may be rounded up."""
        _demand(epsilon)
        entries = _exact(centre)
        n = min(math.floor(epsilon * (1 << _STEPS)), 1 << 60)
        noise = self._laplace(len(entries), n + (len(entries) if len(entries) > 1 else 0), epsilon)
        return self._hidden("Laplace", centre, entries, noise, moves, n)

    def _laplace(self, count: int, moves: int, epsilon: Fraction) -> list[int]:
        """So many whole numbers, with noise for a distance of so many steps."""

        def make(scale: float) -> Any:
            space = self._dp.vector_domain(self._dp.atom_domain(T="i64")), self._dp.l1_distance(T="i64")
            return self._dp.m.make_laplace(*space, scale=scale)

        key = "laplace", moves, epsilon
        return self._drawn(key, self._priced(key, make, moves / epsilon, moves, epsilon), count)

    def gaussian(self, centre: Value, moves: Fraction, deviation: Fraction) -> Value:
        """The same; the rounding of several entries makes a distance in L2."""
        _demand(1 / deviation)
        entries = _exact(centre)
        n = math.floor((1 << _FINER) / deviation)
        distance = n + (math.isqrt(len(entries)) + 1 if len(entries) > 1 else 0)

        def make(scale: float) -> Any:
            space = self._dp.vector_domain(self._dp.atom_domain(T="i64")), self._dp.l2_distance(T=float)
            return self._dp.m.make_gaussian(*space, scale=scale)

        key, rho = ("gaussian", distance, deviation), 1 / (2 * deviation**2)
        measured = self._priced(key, make, distance * deviation, _above(Fraction(distance)), rho)
        return self._hidden("Gaussian", centre, entries, self._drawn(key, measured, len(entries)), moves, n)

    def _drawn(self, key: tuple[Any, ...], measured: Any, count: int) -> list[int]:
        """So many numbers of noise."""
        if key not in self._stocks:
            self._stocks[key] = _Stock(measured)
        return self._stocks[key].take(count)

    def _hidden(
        self, kind: str, centre: Value, entries: list[Fraction], noise: list[int], moves: Fraction, n: int
    ) -> Value:
        """What is hidden, in steps of ``moves``/``n``, and noise in as many."""
        self._count(kind, len(entries), len(entries))
        a, b = moves.numerator, moves.denominator * n
        hidden = [Fraction((_steps(x, a, b) + each) * a, b) for x, each in zip(entries, noise, strict=True)]
        return array(hidden, centre.shape) if is_container(centre) else hidden[0]

    def _priced(
        self, key: tuple[Any, ...], make: Callable[[float], Any], scale: Fraction, moves: float, most: Fraction
    ) -> Any:
        """A measurement whose own map says that a distance costs at most so much. Its scale is rounded up."""
        if key not in self._made:
            measured = make(_above(scale * _WIDER))
            if not measured.map(moves) <= _below(most):
                raise Refused("OpenDP prices its noise higher than it is priced here, so nothing is released")
            self._made[key] = measured
        return self._made[key]

    # Choices

    def selected(self, scores: Sequence[Fraction], moves: Fraction, epsilon: Fraction) -> int:
        """The largest score with Gumbel noise. What all scores have more than another changes no chance, so they are
        seen from the largest; by cutting off what is far below it no two neighbours get further apart."""
        _demand(epsilon)
        n = max(1, math.floor(epsilon * (1 << (_COARSER - 1))))
        a, b = moves.numerator, moves.denominator * n
        steps = [_steps(score, a, b) for score in scores]
        most = max(steps)

        def make(scale: float) -> Any:
            space = self._dp.vector_domain(self._dp.atom_domain(T="i64")), self._dp.linf_distance(T="i64")
            return self._dp.m.make_noisy_max(*space, self._dp.zero_concentrated_divergence(), scale=scale)

        self._count("choice", 1, 1)
        scale = 2 * n / epsilon
        measured = self._priced(("gumbel", n, epsilon), make, scale, n, epsilon**2 / 8)
        return int(measured([max(step - most, -_FARTHEST) for step in steps]))

    def told(self, truth: int | None, count: int, epsilon: Fraction) -> int:
        """Randomised response; what is true but no answer is any of these."""
        self._count("response", 1, 0)
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
        raise Refused("OpenDP prices its answers higher than they are priced here, so nothing is released")

    def above(self, over: Sequence[Fraction], most: int, epsilon: Fraction) -> list[bool]:
        """Half of ε is for the noise on the threshold, half for that on the answers that are above, which move by 2
        against it."""
        _demand(epsilon)
        _demand(epsilon / most)
        n = math.floor(epsilon * (1 << _COARSER) / most)  # so that the noise on answers has the bits it may have
        self._count("threshold", 1, most)
        (limit,) = self._laplace(1, n, epsilon / 2)
        noise = self._laplace(len(over), 2 * n * most, epsilon / 2)
        found: list[bool] = []
        for each, drawn in zip(over, noise, strict=True):
            found.append(sum(found) < most and _steps(each, 1, n) + drawn > limit)
        return found

    # Rows

    def places(self, scheme: Scheme, height: int, amount: Fraction) -> Sequence[int]:
        """Rows by the random numbers of the system: whole numbers, each as likely as the others."""
        source = self._system
        if scheme is Scheme.POISSON:
            if not 0 <= amount <= 1:
                raise Undefined("no probability")
            return [k for k in range(height) if source.randrange(amount.denominator) < amount.numerator]
        if amount < 0 or (scheme is Scheme.WITHOUT_REPLACEMENT and amount > height):
            raise Undefined("more draws than rows")
        if scheme is Scheme.WITHOUT_REPLACEMENT:
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

    def take(self, count: int) -> list[int]:
        """So many numbers that nobody has seen."""
        if len(self._left) < count:
            more = max(count - len(self._left), min(self._taken, _AT_ONCE))
            self._left += _whole(self._measured([0] * more))
        self._taken += count
        taken, self._left = self._left[:count], self._left[count:]
        return taken


def _demand(epsilon: Fraction) -> None:
    if not _SMALLEST <= epsilon <= _LARGEST:
        raise Refused("it asks for noise that is too large or too small to be drawn exactly")


def _exact(centre: Value) -> list[Fraction]:
    """The numbers that are hidden. None of them may be a float: what was computed with these is not what was proved."""
    entries = list(centre.flat) if is_container(centre) else [centre]
    if not all(isinstance(entry, int | Fraction) for entry in entries):
        raise Refused("what it hides was not computed exactly")
    return [Fraction(entry) for entry in entries]


def _steps(x: Fraction, a: int, b: int) -> int:
    """How many steps of a/b come nearest to a number: what is n steps higher is rounded to n more."""
    over = x.denominator * a
    return (2 * x.numerator * b + over) // (2 * over)


def _above(number: Fraction) -> float:
    """The smallest float that is not less."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)


def _below(number: Fraction) -> float:
    """The largest float that is not more."""
    return -_above(-number)


def _whole(noise: list[int]) -> list[int]:
    """Noise as it was drawn. It has 64 bits: more comes up once in 10^3000 times."""
    if any(abs(each) >= _TOP for each in noise):
        raise Refused("noise did not fit its number; run it again")
    return noise
