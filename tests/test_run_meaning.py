"""Programs that are run on data ask for the very distributions that searches for counterexamples looked at."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

import spec_runner
from attack.private import private_targets
from dp_lsp.builtins.meanings import NoMeaning, Undefined, array, is_container
from dp_lsp.builtins.randomness import COMPUTED, RELEASED, DrawnNoise, TooManyWays, _normalised
from dp_lsp.core.events import Sampling
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.interpreter import Interpreter, Rows
from dp_lsp.meaning.privacy import same
from dp_lsp.meaning.refuter import settings_of
from dp_lsp.meaning.spaces import NotASpace, draw
from dp_lsp.mechanisms.selection import AboveThreshold
from source_tree import ROOT

FIXTURES = ROOT / "fixtures"
EXACT = Rows(COMPUTED, RELEASED)
LEFT_OUT = "resize"  # takes any of the records, and in a search the smallest
PAGES = sorted(path for path in (FIXTURES / "spec").glob("*.md") if path.stem != "projects")


class Searched:
    """What a search is asked for. All noise is 0, and of several values the likeliest is picked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def released(self, distribution: Any) -> Any:
        if isinstance(distribution, DrawnNoise):
            numbers = [float(each) for each in distribution.entries]
            self.asked.append((distribution.normal, float(distribution.scale), *numbers))
            return distribution.centre
        place = distribution.logs.index(max(distribution.logs))
        self.asked.append((len(distribution.values), *distribution.logs))
        return distribution.values[place]

    def drawn(self, ways: Sequence[Any]) -> Sequence[int]:
        return list(ways[0].places)


class Run:
    """What a run on data asks for, and the same answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def laplace(self, centre: Any, moves: Fraction, epsilon: Fraction) -> Any:
        return self._noise(False, centre, moves / epsilon)

    geometric = laplace

    def gaussian(self, centre: Any, moves: Fraction, deviation: Fraction) -> Any:
        return self._noise(True, centre, moves * deviation)

    def _noise(self, normal: bool, centre: Any, scale: Fraction) -> Any:
        entries = list(centre.flat) if is_container(centre) else [centre]
        assert not any(isinstance(each, float) for each in entries)
        self.asked.append((normal, float(scale), *map(float, entries)))
        return centre

    def selected(self, scores: Sequence[Fraction], moves: Fraction, epsilon: Fraction) -> int:
        return self._picked(_normalised([float(score * epsilon / (2 * moves)) for score in scores]))

    def told(self, truth: int | None, count: int, epsilon: Fraction) -> int:
        """Of answers that are all different."""
        more = math.expm1(epsilon)
        return self._picked(_normalised([math.log1p(more if place == truth else 0) for place in range(count)]))

    def above(self, over: Sequence[Fraction], most: int, epsilon: Fraction) -> list[bool]:
        found = AboveThreshold.outcomes(over, most, epsilon)
        return list(list(found)[self._picked(tuple(found.values()))])

    def _picked(self, logs: Sequence[float]) -> int:
        self.asked.append((len(logs), *logs))
        return logs.index(max(logs))

    def places(self, scheme: Sampling, height: int, amount: Fraction) -> Sequence[int]:
        if scheme is Sampling.POISSON:
            return range(height) if amount == 1 else []
        return [0] * int(amount) if scheme is Sampling.WITH_REPLACEMENT else range(int(amount))


def texts() -> Iterator[str]:
    for path in sorted((FIXTURES / "programs").glob("*.jl")):
        yield path.read_text("utf-8")
    for page in PAGES:
        for block in spec_runner.blocks(page.read_text("utf-8")):
            yield block.text


def runs(text: str, engine: Engine) -> Iterator[tuple[Any, Any]]:
    """The runs of private functions of a text on a few inputs: of a search, and on data."""
    definitions = [each.definition for each in engine.definitions(text)]
    ways = (Searched, Interpreter(definitions)), (Run, Interpreter(definitions, rows=EXACT))
    for target in private_targets(text, engine=engine):
        source = random.Random(7)
        try:
            for setting in settings_of(target.scheme, source, 2):
                inputs = tuple(draw(param.type, source, setting) for param in target.scheme.params)
                first, second = (outcome(interpreter, target.method, inputs, chance()) for chance, interpreter in ways)
                yield first, second
        except (NotASpace, NoMeaning, TooManyWays):
            continue


def outcome(interpreter: Interpreter, method: Any, inputs: Any, chance: Any) -> tuple[Any, list[tuple[Any, ...]]]:
    try:
        return interpreter.run(method, inputs, chance), chance.asked
    except Undefined:
        return "it fails", chance.asked


def test_both_ask_for_the_same() -> None:
    engine, compared = Engine(), 0
    for text in islice(texts(), 0, None, 2):
        if "Priv()" not in text or LEFT_OUT in text:
            continue
        for (result, asked), (other, drawn) in runs(text, engine):
            assert len(asked) == len(drawn), text
            for one, two in zip(asked, drawn, strict=True):
                assert one == pytest.approx(two, rel=1e-9, abs=1e-9), text
            assert same(_exactly(result), _exactly(other)), text
            compared += bool(asked)
    assert compared > 200


def _exactly(value: Any) -> Any:
    """Numbers as floats, which are compared with an error."""
    if is_container(value):
        return array([float(each) for each in value.flat], value.shape)
    if isinstance(value, tuple):
        return tuple(map(_exactly, value))
    return float(value) if isinstance(value, Fraction) else value
