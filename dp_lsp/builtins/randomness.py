"""What the rows that draw at random do: the executable meaning that the prices of what they release are tested against.

A row is given a :class:`Chance`, which says what comes out of a distribution, and which rows are drawn. Everything that
comes out of a distribution is taken to be seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, islice, permutations, product
from typing import Any, NamedTuple, Protocol

from dp_lsp.builtins.concrete import Undefined, Value, array, is_container, rows
from dp_lsp.builtins.meanings import MEANINGS
from dp_lsp.core.values import value

_ANSWERS_ABOVE = (2, 4)  # the scales of the noise on the threshold and on the answers, for one, in units of 1/eps
_POINTS = 24  # where the density between two cuts is looked at
_CUTS = (*range(0, 40, 4), *range(40, 241, 20))  # how far from a corner, in units of 1/eps
_WAYS = 700  # in which rows may be drawn
_UNSURE = 1e-14  # a probability that is smaller is not known any better


class TooMany(Exception):
    """Rows can be drawn in more ways than are gone through."""


@value
class Noise:
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


Distribution = Noise | Pick


class Way(NamedTuple):
    """Places in the order in which they are drawn, and the logarithm of the probability of that."""

    places: tuple[int, ...]
    log: float


class Chance(Protocol):
    """Decides what happens at random."""

    def released(self, distribution: Distribution) -> Value:
        """A value of a distribution, which is seen by all."""

    def drawn(self, ways: Sequence[Way]) -> Sequence[int]:
        """What is drawn, which nobody sees: one of these ways."""


def _laplace(chance: Chance, r: Value, eps: Value, x: Value) -> Value:
    _positive(r, eps)
    return chance.released(Noise(x, Fraction(r) / eps))


def _gaussian(chance: Chance, r: Value, eps: Value, delta: Value, x: Value) -> Value:
    _positive(r, eps, delta)
    return chance.released(Noise(x, float(r) * math.sqrt(2 * math.log(1.25 / float(delta))) / float(eps), True))


def _gaussian_noise(chance: Chance, r: Value, sigma: Value, x: Value) -> Value:
    _positive(r, sigma)
    return chance.released(Noise(x, float(r) * float(sigma), True))


def _positive(*numbers: Value) -> None:
    if not all(number > 0 for number in numbers):
        raise Undefined("noise needs positive numbers")


def _exponential(chance: Chance, r: Value, eps: Value, xs: Any, f: Callable[..., Value]) -> Value:
    _positive(r, eps)
    values = tuple(xs)
    if not values:
        raise Undefined("no candidates")
    scores = [float((f(value) if callable(f) else f[place]) * eps / (2 * r)) for place, value in enumerate(values)]
    return chance.released(Pick(values, _normalised(scores)))


def _noisy_max(chance: Chance, r: Value, eps: Value, x: Any) -> Value:
    """With Gumbel noise of scale s on each entry, entry i is the largest with a probability proportional to
    exp(xᵢ/s): the integral over its sum t of its density exp(-z - exp(-z))/s, z = (t - xᵢ)/s, times exp(-exp(-(t -
    xⱼ)/s)) for each other j, so that they are one exponential of all, exp(-exp(-t/s)·Σ exp(xⱼ/s))."""
    entries = list(x.flat)
    return _exponential(chance, r, eps, range(1, len(entries) + 1), lambda place: entries[place - 1])


def _quantile(chance: Chance, r: Value, eps: Value, v: Any, alpha: Value, candidates: Any) -> Value:
    return _exponential(chance, r, eps, candidates, MEANINGS["quantile_score"](v, alpha, candidates))


def _response(chance: Chance, eps: Value, *given: Any) -> Value:
    """With probability (e^ε - 1)/(e^ε + k - 1) the truth, if that is one of the k answers, else any of these.

    An answer that is there m times is told with probability (e^ε - 1 + m)/(e^ε + k - 1) where it is true, m/(e^ε + k -
    1) where another one is, and m/k where none is: no two of these are further apart than e^ε, as m >= 1 and k >= 1."""
    _positive(eps)
    truth, answers = given[-1], tuple(given[0]) if len(given) > 1 else (False, True)
    if not answers:
        raise Undefined("no answers")
    values = tuple(dict.fromkeys(answers))
    more = math.expm1(float(eps)) if truth in values else 0.0
    likely = (answers.count(value) + (more if value == truth else 0.0) for value in values)
    return chance.released(Pick(values, _normalised([math.log(each) for each in likely])))


def _above_threshold(chance: Chance, qs: Any, eps: Value, d: Value, threshold: Value) -> Value:
    _positive(eps)
    found = _which_above([float((query(d) - threshold) * eps) for query in qs], 1)
    firsts = tuple(above.index(True) + 1 if True in above else 0 for above in found)
    return chance.released(Pick(firsts, tuple(found.values())))


def _sparse(chance: Chance, qs: Any, most: Value, eps: Value, d: Value, threshold: Value) -> Value:
    _positive(most, eps)
    found = _which_above([float((query(d) - threshold) * eps) for query in qs], int(most))
    return chance.released(Pick(tuple(map(array, found)), tuple(found.values())))


def _numeric_sparse(chance: Chance, qs: Any, most: Value, eps: Value, eps2: Value, d: Value, threshold: Value) -> Value:
    _positive(eps2)
    above = _sparse(chance, qs, most, eps, d, threshold)
    scale = 1 / Fraction(eps2)
    return above, array(chance.released(Noise(qs[k](d), scale)) if over else 0 for k, over in enumerate(above))


def _which_above(over: Sequence[float], most: int) -> dict[tuple[bool, ...], float]:
    """The logarithm of the probability that these, and no others, are found above the threshold until so many were: the
    integral over the noise on the threshold, between the corners of the integrand by Gauss and Legendre."""
    import numpy as np

    _few(sum(math.comb(len(over), count) for count in range(most + 1)))
    own, each = _ANSWERS_ABOVE[0], _ANSWERS_ABOVE[1] * most
    cut = sorted({corner + side * far for corner in (0.0, *over) for side in (1, -1) for far in _CUTS})
    legendre: Any = np.polynomial.legendre  # older versions of NumPy do not say what it holds
    points, weights = legendre.leggauss(_POINTS)
    middle, half = (np.array(cut[1:]) + cut[:-1])[:, None] / 2, np.diff(cut)[:, None] / 2
    at = middle + half * points
    found: dict[tuple[bool, ...], Any] = {(): np.exp(-np.abs(at) / own) / (2 * own) * weights * half}
    for centre in over:
        above = _tail((at - centre) / each)
        left, found = found, {}
        for answers, mass in left.items():
            if sum(answers) < most:
                found[*answers, True] = mass * above
                mass = mass * (1 - above)
            found[*answers, False] = mass
    return {answers: math.log(max(float(np.sum(mass)), _UNSURE)) for answers, mass in found.items()}


def _tail(at: Any) -> Any:
    """The probability that Laplace noise of scale 1 is above."""
    import numpy as np

    return np.where(at > 0, np.exp(-np.abs(at)) / 2, 1 - np.exp(-np.abs(at)) / 2)


def _normalised(logs: Sequence[float]) -> tuple[float, ...]:
    most = max(logs)
    total = most + math.log(sum(math.exp(each - most) for each in logs))
    return tuple(each - total for each in logs)


def _sample(chance: Chance, k: Value, *matrices: Any) -> tuple[Any, ...]:
    height = _height(matrices)
    if not 0 <= k <= height:
        raise Undefined("more draws than rows")
    return _drawn(chance, _alike(permutations(range(height), int(k))), matrices)


def _sample_again(chance: Chance, k: Value, *matrices: Any) -> tuple[Any, ...]:
    height = _height(matrices)
    if k < 0 or not height:
        raise Undefined("nothing to draw from")
    _few(height ** int(k))
    return _drawn(chance, _alike(product(range(height), repeat=int(k))), matrices)


def _sample_each(chance: Chance, q: Value, *matrices: Any) -> tuple[Any, ...]:
    height = _height(matrices)
    if not 0 <= q <= 1:
        raise Undefined("no probability")
    _few(2**height)
    sets = chain.from_iterable(combinations(range(height), size) for size in range(height + 1))
    likely = ((places, q ** len(places) * (1 - q) ** (height - len(places))) for places in sets)
    return _drawn(chance, [Way(places, math.log(each)) for places, each in likely if each], matrices)


def _height(matrices: Sequence[Any]) -> int:
    if len({matrix.shape[0] for matrix in matrices}) > 1:
        raise Undefined("numbers of rows that differ")
    return int(matrices[0].shape[0])


def _few(ways: int) -> None:
    if ways > _WAYS:
        raise TooMany


def _alike(ways: Iterable[tuple[int, ...]]) -> list[Way]:
    """Ways each of which is as likely as the others."""
    listed = list(islice(ways, _WAYS + 1))
    _few(len(listed))
    return [Way(places, -math.log(len(listed))) for places in listed]


def _drawn(chance: Chance, ways: Sequence[Way], matrices: Sequence[Any]) -> tuple[Any, ...]:
    places = list(chance.drawn(ways))
    return tuple(matrix[places, :].copy() for matrix in matrices)


def _reduced(chance: Chance, f: Callable[..., Value], m: Any) -> Any:
    return array(f(column.reshape(-1, 1).copy()) for column in m.T)


def _folded(chance: Chance, f: Callable[..., Value], a: Value, first: Any, second: Any) -> Value:
    if first.shape[0] != second.shape[0]:
        raise Undefined("numbers of rows that differ")
    for one, other in _pairs(first, second):
        a = f(one, other, a)
    return a


def _pairs(first: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    return zip(rows(first), rows(second), strict=True)


def _on_parts(chance: Chance, f: Callable[..., Value], v: Any, key: Callable[..., Value], keys: Any) -> Any:
    """Of equal keys the first has all records."""
    said = [key(record) for record in (v if v.ndim == 1 else rows(v))]
    listed, made = list(keys), []
    for place, wanted in enumerate(listed):
        own = [] if wanted in listed[:place] else [at for at, each in enumerate(said) if each == wanted]
        made.append(f(v[own].copy()))
    if made and is_container(made[0]):
        return array((entry for row in made for entry in row), (len(made), len(made[0])))
    return array(made)


RANDOM: dict[str, Callable[..., Value]] = {
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
    "sample": _sample,
    "sample_with_replacement": _sample_again,
    "sample_poisson": _sample_each,
    "reduce_cols": _reduced,
    "parallel_private_fold_rows": _folded,
    "map_parts": _on_parts,
}
"""By the names of rows, what each does with a :class:`Chance` and its arguments."""
