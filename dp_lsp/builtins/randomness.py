"""What the rows that draw at random do: which mechanism they run, with which numbers, on what.

Who plays them decides what comes out. The searches for counterexamples give them a :class:`Chance`, which says what
comes out of a distribution and which rows are drawn: the executable meaning that the prices of what they release are
tested against. Everything that comes out of a distribution is taken to be seen. A run on data of people draws exactly
(:data:`RELEASED`).

What the rows do that draw at random when a program is run on data of people, and what others compute then.

Rows are played with :class:`Draws`, which knows nothing but how to draw exactly from the distributions that are asked
for. All that is computed before is exact: where a root or a logarithm has no exact value it is a fraction that is
closer to it than a part in 2^100, and a vector that is clipped is cut off, so that its norm is never too large.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import accumulate, chain, combinations, islice, pairwise, permutations, product
from typing import Any, Protocol

from dp_lsp.builtins.meanings import (
    APPROXIMATE,
    MEANINGS,
    NoMeaning,
    Undefined,
    Value,
    array,
    is_container,
    resized,
    rows,
)
from dp_lsp.core.events import Sampling
from dp_lsp.core.types import Norm
from dp_lsp.core.values import value
from dp_lsp.mechanisms.mechanism import AddsNoise, Draws, Selects
from dp_lsp.mechanisms.noise import Gaussian, GaussianNoise, Geometric, Laplace, root_above
from dp_lsp.mechanisms.selection import AboveThreshold, Exponential, NoisyMax, RandomizedResponse
from dp_lsp.named import NamedTuple

_WAYS = 700  # in which rows may be drawn


class TooManyWays(Exception):
    """Rows can be drawn in more ways than are gone through."""


@value
class DrawnNoise:
    """Independent noise on every entry of ``centre``, which is a number or a container: of a deviation if ``normal``,
    else Laplace noise of a scale."""

    centre: Value
    scale: Any
    normal: bool = False

    @property
    def entries(self) -> tuple[Value, ...]:
        """The numbers that are hidden, in order."""
        return tuple(self.centre.flat) if is_container(self.centre) else (self.centre,)

    def shaped(self, entries: Sequence[Value]) -> Value:
        """Numbers in the shape of what is hidden."""
        return array(entries, self.centre.shape) if is_container(self.centre) else entries[0]

    def log_density(self, output: Value) -> float:
        """The logarithm of the density of an output; -∞ for one of another shape."""
        if is_container(output) != is_container(self.centre) or getattr(output, "shape", ()) != self.shape:
            return -math.inf
        seen = output.flat if is_container(output) else (output,)
        away = [float(abs(a - b)) / float(self.scale) for a, b in zip(seen, self.entries, strict=True)]
        if self.normal:
            return -sum(each * each / 2 + math.log(self.scale * math.sqrt(2 * math.pi)) for each in away)
        return -sum(each + math.log(2 * float(self.scale)) for each in away)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.centre.shape if is_container(self.centre) else ()


@value
class Pick:
    """One of several values, each with the logarithm of its probability. What is seen is which one it was."""

    values: tuple[Value, ...]
    logs: tuple[float, ...]


Distribution = DrawnNoise | Pick


class DrawnWay(NamedTuple):
    """Places in the order in which they are drawn, and the logarithm of the probability of that."""

    places: tuple[int, ...]
    log: float


class Chance(Protocol):
    """Decides what happens at random."""

    def released(self, distribution: Distribution) -> Value:
        """A value of a distribution, which is seen by all."""

    def drawn(self, ways: Sequence[DrawnWay]) -> Sequence[int]:
        """What is drawn, which nobody sees: one of these ways."""


class Play(Protocol):
    """How the rows that draw at random are run. ``ranks`` are the scores of a quantile."""

    def noisy(self, mechanism: type[AddsNoise], centre: Value, *numbers: Value) -> Value:
        """What a mechanism with these numbers makes of what it hides."""

    def selected(
        self, mechanism: type[Selects], scores: Sequence[Value], values: Sequence[Value], *numbers: Value
    ) -> Value:
        """The value that it selects, by the score of each."""

    def told(self, truth: Value, answers: Sequence[Value], epsilon: Value) -> Value:
        """What randomised response tells."""

    def above(
        self, over: Sequence[Value], most: int, epsilon: Value, shown: Callable[[Sequence[bool]], Value]
    ) -> Value:
        """Which are found above a threshold, as it is ``shown``."""

    def places(self, scheme: Sampling, height: int, amount: Value) -> Sequence[int]:
        """The places of the rows that are drawn."""

    def ranks(self, v: Any, alpha: Value, candidates: Any) -> Any: ...


class Simulated:
    """Rows are played by the distributions of what they release, of which a chance decides."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.ranks = MEANINGS["quantile_score"]

    def noisy(self, mechanism: type[AddsNoise], centre: Value, *numbers: Value) -> Value:
        scale = mechanism.spread(*map(positive, numbers))
        return self._chance.released(DrawnNoise(centre, scale, mechanism.is_normal))

    def selected(
        self, mechanism: type[Selects], scores: Sequence[Value], values: Sequence[Value], *numbers: Value
    ) -> Value:
        weights = mechanism.weights(scores, *map(positive, numbers))
        return self._chance.released(Pick(tuple(values), _normalised(weights)))

    def told(self, truth: Value, answers: Sequence[Value], epsilon: Value) -> Value:
        found = RandomizedResponse.chances(truth, answers, positive(epsilon))
        return self._chance.released(Pick(tuple(found), _normalised([math.log(each) for each in found.values()])))

    def above(
        self, over: Sequence[Value], most: int, epsilon: Value, shown: Callable[[Sequence[bool]], Value]
    ) -> Value:
        _few(sum(math.comb(len(over), count) for count in range(most + 1)))
        found = AboveThreshold.outcomes(over, most, positive(epsilon))
        return self._chance.released(Pick(tuple(map(shown, found)), tuple(found.values())))

    def places(self, scheme: Sampling, height: int, amount: Value) -> Sequence[int]:
        return list(self._chance.drawn(_WAYS_OF[scheme](height, amount)))


def positive(number: Value) -> Fraction:
    """A number of a mechanism, exactly."""
    if not 0 < number < math.inf:
        raise Undefined("noise needs positive numbers")
    return Fraction(number)


def _normalised(logs: Sequence[float]) -> tuple[float, ...]:
    most = max(logs)
    total = most + math.log(sum(math.exp(each - most) for each in logs))
    return tuple(each - total for each in logs)


def _few(ways: int) -> None:
    if ways > _WAYS:
        raise TooManyWays


def _alike(ways: Iterable[tuple[int, ...]]) -> list[DrawnWay]:
    """Ways each of which is as likely as the others."""
    listed = list(islice(ways, _WAYS + 1))
    _few(len(listed))
    return [DrawnWay(places, -math.log(len(listed))) for places in listed]


def _without_replacement(height: int, amount: Value) -> list[DrawnWay]:
    if not 0 <= amount <= height:
        raise Undefined("more draws than rows")
    return _alike(permutations(range(height), int(amount)))


def _with_replacement(height: int, amount: Value) -> list[DrawnWay]:
    if amount < 0 or not height:
        raise Undefined("nothing to draw from")
    _few(height ** int(amount))
    return _alike(product(range(height), repeat=int(amount)))


def _each_by_itself(height: int, rate: Value) -> list[DrawnWay]:
    if not 0 <= rate <= 1:
        raise Undefined("no probability")
    _few(2**height)
    sets = chain.from_iterable(combinations(range(height), size) for size in range(height + 1))
    likely = ((places, rate ** len(places) * (1 - rate) ** (height - len(places))) for places in sets)
    return [DrawnWay(places, math.log(each)) for places, each in likely if each]


_WAYS_OF = {
    Sampling.WITHOUT_REPLACEMENT: _without_replacement,
    Sampling.WITH_REPLACEMENT: _with_replacement,
    Sampling.POISSON: _each_by_itself,
}


# Rows: their arguments, told to a mechanism


def _laplace(play: Play, r: Value, eps: Value, x: Value) -> Value:
    return play.noisy(Laplace, x, r, eps)


def _gaussian(play: Play, r: Value, eps: Value, delta: Value, x: Value) -> Value:
    return play.noisy(Gaussian, x, r, eps, delta)


def _gaussian_noise(play: Play, r: Value, sigma: Value, x: Value) -> Value:
    return play.noisy(GaussianNoise, x, r, sigma)


def _sampled_gaussian(play: Play, q: Value, r: Value, sigma: Value, v: Any) -> Value:
    drawn = [v[place] for place in play.places(Sampling.POISSON, int(v.size), q)]
    return play.noisy(GaussianNoise, sum((min(max(each, -r), r) for each in drawn), Fraction(0)), r, sigma)


def _laplace_of_scale(play: Play, b: Value, x: Value) -> Value:
    return play.noisy(Laplace, x, Fraction(1), 1 / positive(b))


def _geometric(play: Play, r: Value, eps: Value, x: Value) -> Value:
    return play.noisy(Geometric, x, r, eps)


def _geometric_of_scale(play: Play, b: Value, x: Value) -> Value:
    return play.noisy(Geometric, x, Fraction(1), 1 / positive(b))


def _normal_of_deviation(play: Play, sigma: Value, x: Value) -> Value:
    return play.noisy(GaussianNoise, x, Fraction(1), sigma)


def _exponential(play: Play, r: Value, eps: Value, xs: Any, f: Any) -> Value:
    """By a function of each candidate, or by a score for each."""
    values = tuple(xs)
    if not values:
        raise Undefined("no candidates")
    scores = [f(value) for value in values] if callable(f) else list(f)
    return play.selected(Exponential, scores, values, r, eps)


def _noisy_max(play: Play, r: Value, eps: Value, x: Any) -> Value:
    if not x.size:
        raise Undefined("no entries")
    return play.selected(NoisyMax, list(x.flat), range(1, x.size + 1), r, eps)


def _quantile(play: Play, r: Value, eps: Value, v: Any, alpha: Value, candidates: Any) -> Value:
    return _exponential(play, r, eps, candidates, play.ranks(v, alpha, candidates))


def _response(play: Play, eps: Value, *given: Any) -> Value:
    truth, answers = given[-1], tuple(given[0]) if len(given) > 1 else (False, True)
    if not answers:
        raise Undefined("no answers")
    return play.told(truth, answers, eps)


def _above_threshold(play: Play, qs: Any, eps: Value, d: Value, threshold: Value) -> Value:
    over = [query(d) - threshold for query in qs]
    return play.above(over, 1, eps, lambda above: above.index(True) + 1 if True in above else 0)


def _sparse(play: Play, qs: Any, most: Value, eps: Value, d: Value, threshold: Value) -> Any:
    if most < 1:
        raise Undefined("nothing to look for")
    return play.above([query(d) - threshold for query in qs], int(most), eps, array)


def _numeric_sparse(play: Play, qs: Any, most: Value, eps: Value, eps2: Value, d: Value, threshold: Value) -> Value:
    positive(eps2)
    above = _sparse(play, qs, most, eps, d, threshold)
    answers = (play.noisy(Laplace, qs[k](d), 1, eps2) if over else Fraction(0) for k, over in enumerate(above))
    return above, array(answers)


def _sampling(scheme: Sampling) -> Callable[..., tuple[Any, ...]]:
    def drawn(play: Play, amount: Value, *matrices: Any) -> tuple[Any, ...]:
        if len({matrix.shape[0] for matrix in matrices}) > 1:
            raise Undefined("numbers of rows that differ")
        places = list(play.places(scheme, int(matrices[0].shape[0]), amount))
        return tuple(matrix[places, :].copy() for matrix in matrices)

    return drawn


def _reduced(play: Play, f: Callable[..., Value], m: Any) -> Any:
    return array(f(column.reshape(-1, 1).copy()) for column in m.T)


def _folded(play: Play, f: Callable[..., Value], a: Value, first: Any, second: Any) -> Value:
    if first.shape[0] != second.shape[0]:
        raise Undefined("numbers of rows that differ")
    for one, other in _pairs(first, second):
        a = f(one, other, a)
    return a


def _pairs(first: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    return zip(rows(first), rows(second), strict=True)


def _on_parts(play: Play, f: Callable[..., Value], v: Any, key: Callable[..., Value], keys: Any) -> Any:
    """Of equal keys the first has all records."""
    said = [key(record) for record in (v if v.ndim == 1 else rows(v))]
    listed, made = list(keys), []
    for place, wanted in enumerate(listed):
        own = [] if wanted in listed[:place] else [at for at, each in enumerate(said) if each == wanted]
        made.append(f(v[own].copy()))
    return of_parts(made)


def of_parts(made: Sequence[Value]) -> Any:
    """What was made of each part, as one value."""
    if made and is_container(made[0]):
        return array((entry for row in made for entry in row), (len(made), len(made[0])))
    return array(made)


ROWS: dict[str, Callable[..., Value]] = {
    "laplacian_mechanism": _laplace,
    "gaussian_mechanism": _gaussian,
    "exponential_mechanism": _exponential,
    "above_threshold": _above_threshold,
    "report_noisy_max": _noisy_max,
    "private_quantile": _quantile,
    "sparse_vector": _sparse,
    "numeric_sparse": _numeric_sparse,
    "randomized_response": _response,
    "gaussian_noise": _gaussian_noise,
    "sampled_gaussian": _sampled_gaussian,
    "add_laplace": _laplace_of_scale,
    "add_normal": _normal_of_deviation,
    "geometric_mechanism": _geometric,
    "add_geometric": _geometric_of_scale,
    "sample": _sampling(Sampling.WITHOUT_REPLACEMENT),
    "sample_with_replacement": _sampling(Sampling.WITH_REPLACEMENT),
    "sample_poisson": _sampling(Sampling.POISSON),
    "reduce_cols": _reduced,
    "parallel_private_fold_rows": _folded,
    "map_parts": _on_parts,
}
"""By the names of rows that do something at random, what each does with :class:`Play` and its arguments."""


def played_by(player: Callable[[Any], Play]) -> dict[str, Callable[..., Value]]:
    """The same with what a player is made of in place of it."""

    def played(row: Callable[..., Value]) -> Callable[..., Value]:
        return lambda given, *args: row(player(given), *args)

    return {name: played(row) for name, row in ROWS.items()}


RANDOM = played_by(Simulated)
"""By the names of rows, what each does with a :class:`Chance` and its arguments."""


_FINE = 128  # bits of a root and of what is clipped
_CONTEXT = Context(prec=60, traps=[])


class Exactly:
    """Rows are played by exact draws."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self.ranks = _ranks

    def noisy(self, mechanism: type[AddsNoise], centre: Value, *numbers: Value) -> Value:
        return mechanism.noisy(self._draws, centre, *map(positive, numbers))

    def selected(
        self, mechanism: type[Selects], scores: Sequence[Value], values: Sequence[Value], *numbers: Value
    ) -> Value:
        return values[mechanism.selected(self._draws, list(map(Fraction, scores)), *map(positive, numbers))]

    def told(self, truth: Value, answers: Sequence[Value], epsilon: Value) -> Value:
        return RandomizedResponse.told(self._draws, truth, answers, positive(epsilon))

    def above(
        self, over: Sequence[Value], most: int, epsilon: Value, shown: Callable[[Sequence[bool]], Value]
    ) -> Value:
        return shown(AboveThreshold.found(self._draws, list(map(Fraction, over)), most, positive(epsilon)))

    def places(self, scheme: Sampling, height: int, amount: Value) -> Sequence[int]:
        return self._draws.places(scheme, height, Fraction(amount))


def _resized(draws: Draws, v: Any, size: Value, fill: Value) -> Any:
    """Any of the records, each as likely as the others."""
    kept = draws.places(Sampling.WITHOUT_REPLACEMENT, int(v.size), Fraction(min(int(size), int(v.size))))
    return resized((v[place] for place in kept), int(size), fill)


# What is computed exactly enough


def _root(x: Value) -> Value:
    if x < 0:
        raise Undefined("a root of a negative number")
    return root_above(Fraction(x))


def _logarithm(x: Value) -> Value:
    if x <= 0:
        raise Undefined("a logarithm of a number that is not positive")
    return _exactly(_CONTEXT.ln(_decimal(Fraction(x))))


def _decimal(x: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator))


def _exactly(number: Decimal) -> Fraction:
    if not number.is_finite():
        raise Undefined("a number that is too large or too small")
    return Fraction(number)


def _clip(norm: Norm, *args: Value) -> Any:
    most, v = args if len(args) > 1 else (1, *args)
    if v.ndim == 1:
        return _clipped(norm, Fraction(most), v)
    return array((entry for row in rows(v) for entry in _clipped(norm, Fraction(most), row)), v.shape)


def _clipped(norm: Norm, most: Fraction, row: Any) -> Any:
    """By whole numbers, which is much faster for many rows: all entries in parts of one denominator, and what is scaled
    is cut off towards 0, to some bits of ``most``."""
    whole = math.lcm(*(entry.denominator for entry in row))
    parts = [entry.numerator * (whole // entry.denominator) for entry in row]
    if norm is Norm.L2:
        squares = sum(part * part for part in parts)
        if squares * most.denominator**2 <= (most.numerator * whole) ** 2:
            return row.copy()
        size, bits = math.isqrt(squares << 2 * _FINE) + 1, 2 * _FINE
    else:
        sizes = map(abs, parts)
        size, bits = max(sizes, default=0) if norm is Norm.LINF else sum(sizes), _FINE
        if size * most.denominator <= most.numerator * whole:
            return row.copy()
    scaled = ((abs(part) << bits) // size for part in parts)
    step = most / (1 << _FINE)
    return array((each if part > 0 else -each) * step for each, part in zip(scaled, parts, strict=True))


def _histogram(v: Any, edges: Any) -> Any:
    """By the first edge that is above: much faster for many records, where the edges are in order."""
    from bisect import bisect_right

    listed = list(edges)
    if any(low >= high for low, high in pairwise(listed)):
        return MEANINGS["histogram"](v, edges)
    counts = [0] * (len(listed) + 1)
    for x in v:
        counts[bisect_right(listed, x)] += 1
    return array(counts[1:-1])


def _ranks(v: Any, alpha: Value, candidates: Any) -> Any:
    """What is below and above of each candidate, counted by looking each record up once."""
    from bisect import bisect_left, bisect_right

    listed = sorted(set(candidates))
    from_here, up_to_here = [0] * (len(listed) + 1), [0] * (len(listed) + 1)
    for x in v:
        from_here[bisect_right(listed, x)] += 1
        up_to_here[bisect_left(listed, x)] += 1
    below = dict(zip(listed, accumulate(from_here), strict=False))
    no_more = dict(zip(listed, accumulate(up_to_here), strict=False))
    return array(-abs((1 - alpha) * below[c] - alpha * (len(v) - no_more[c])) for c in candidates)


RELEASED: dict[str, Callable[..., Value]] = {**played_by(Exactly), "resize": _resized}
"""By the names of rows, what each does with :class:`Draws` and its arguments. A program that uses another row which
draws at random is not run."""


def _inexact(x: Value) -> Value:
    raise NoMeaning("a function of numbers that is only computed approximately is not run on data")


COMPUTED: dict[str, Callable[..., Value]] = {
    **MEANINGS,
    **dict.fromkeys(APPROXIMATE, _inexact),
    "sqrt": _root,
    "log": _logarithm,
    "clip": _clip,
    "histogram": _histogram,
    "quantile_score": _ranks,
}
"""By the names of rows, what each computes on data of people."""
