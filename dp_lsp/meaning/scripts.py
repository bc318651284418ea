"""Runs of a private function whose chance is written down: what was released, how likely that is for other inputs, and
what is hidden where.

All that mechanisms release is taken to be seen, and so is what the function returns, or that it fails. What is drawn
without being seen is gone through, one way after the other.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.builtins.concrete import NoMeaning, Undefined, Value, is_container
from dp_lsp.builtins.randomness import Chance, Distribution, Noise, TooMany, Way

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


class _Writer:
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
        if isinstance(distribution, Noise):
            return distribution.shaped([_generic(self._near(entry, distribution)) for entry in distribution.entries])
        likely = [k for k, log in enumerate(distribution.logs) if log > math.log(_LIKELY)]
        weights = [math.exp(distribution.logs[k]) if self._far is None else 1.0 for k in likely]
        place = self._source.choices(likely, weights)[0]
        return place, distribution.values[place]

    def _near(self, centre: Value, noise: Noise) -> float:
        if self._far is not None:
            sign = self._sign if self._source.random() < 0.8 else -self._sign
            away = sign * self._far
        elif noise.normal:
            away = self._source.gauss(0, 1)
        else:
            away = self._source.expovariate(1) * self._source.choice((1, -1))
        return float(centre) + float(noise.scale) * away

    def drawn(self, ways: Sequence[Way]) -> Sequence[int]:
        return self._source.choices([way.places for way in ways], [math.exp(way.log) for way in ways])[0]


def _generic(value: float) -> Fraction:
    return Fraction(int(value * _GRID), _GRID)


class _Reader:
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
        if not isinstance(distribution, Noise):
            raise _Apart
        self.log += distribution.log_density(output)
        if self.log == -math.inf:
            raise _Apart
        return output

    def _picked(self, output: tuple[int, Value], distribution: Distribution) -> Value:
        place, value = output
        if isinstance(distribution, Noise) or place >= len(distribution.values):
            raise _Apart
        if not same(distribution.values[place], value):
            raise _Apart
        self.log += distribution.logs[place]
        return value

    def drawn(self, ways: Sequence[Way]) -> Sequence[int]:
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
    chance = _Writer(source, honest)
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
        chance = _Reader(script.outputs, ways)
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
    except TooMany:
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
