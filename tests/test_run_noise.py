"""What is drawn when a function is run on data: it has the distribution that it is priced by."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import count as counted
from typing import Any

import pytest

from dp_lsp.analysis.loading import Refusal, Text
from dp_lsp.analysis.records import Options, Setting
from dp_lsp.builtins.concrete import array, is_container
from dp_lsp.builtins.randomness import Noise, Pick
from dp_lsp.builtins.releasing import RELEASED
from dp_lsp.core.events import Scheme
from dp_lsp.engine.check import Engine
from dp_lsp.engine.problems import IncludeWithoutFolder
from dp_lsp.engine.runnable import Runnable
from dp_lsp.meaning.interpreter import Interpreter
from dp_lsp.release import noise
from dp_lsp.release.noise import Sampled, opendp
from dp_lsp.release.refusal import Refused
from dp_lsp.release.running import Runs, demand_no_doubt, demand_proof, guarantees

DOUBT = 1e-9
"""The chance that one bound of the few dozen here is broken although all is right: less than one run in a million."""
DRAWN = 20_000
"""How often each mechanism releases something of a small table, in one process."""


MECHANISMS = """\
function laplace(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, histogram(v, [0, 3, 5, 10]))
end
function gauss(v::MetricVector(Real, Symmetric), eps::Static(), del::Static()) :: Priv()
    gaussian_mechanism(1, eps, del, histogram(v, [0, 3, 5, 10]))
end
function noise(v::MetricVector(Real, Symmetric), sigma::Static()) :: Priv()
    gaussian_noise(1, sigma, histogram(v, [0, 3, 5, 10]))
end
function choice(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    exponential_mechanism(1, eps, [0, 1/2, 1], c -> clamp(c, 0, 1) * length(v))
end
function largest(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    report_noisy_max(1, eps, norm_convert(LInf, histogram(v, [0, 3, 5, 10])))
end
answer(x::Data, eps::Static()) :: Priv() = randomized_response(eps, [3, 1, 2, 1], x)
function above(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    above_threshold([d -> 3 - length(d), d -> length(d)], eps, v, 5)
end
function ranked(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    private_quantile(0.5, eps, v, 0.5, [1, 4, 8])
end
function scored(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    exponential_mechanism(1, eps, [1, 4, 8], histogram(v, [0, 3, 5, 10]))
end
function sparse(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    sparse_vector([d -> length(d), d -> 3 - length(d)], 2, eps, v, 5)
end
function numeric(v::MetricVector(Real, Symmetric), eps::Static(), eps2::Static()) :: Priv()
    numeric_sparse([d -> length(d), d -> 3 - length(d)], 1, eps, eps2, v, 5)
end
"""
SMALL = array(list(map(Fraction, (1, 2, 4, 5, 9))))
UNEVEN = array([Fraction(1)] * 7)


class Alone:
    """The only text there is."""

    def included(self, by: str, path: str) -> Refusal:
        return Refusal(IncludeWithoutFolder, {"path": path})

    def text(self, name: str) -> Text:
        return Text(MECHANISMS)


@cache
def library() -> Any:
    return opendp()


def runnable(name: str, **numbers: str) -> Runnable:
    """A function of the mechanisms, where its parameters have these numbers."""
    settings = tuple(Setting(name, key, Fraction(value)) for key, value in numbers.items())
    options = Options(settings=settings, target_delta=Fraction(1, 10**5) if "sigma" in numbers else None)
    engine = Engine()
    engine.project("", Alone(), options)
    (found,) = engine.runnable("", Alone(), name, options)
    demand_proof(found.report)
    demand_no_doubt(found)
    assert guarantees(found, {}, False)
    return found


def released_often(name: str, data: Any, times: int, **numbers: str) -> list[Any]:
    """What a function releases of the same data, so many times, and what it claims to be the price of that."""
    arguments = [data, *(Fraction(value) for value in numbers.values())]
    runs = Runs(runnable(name, **numbers), Sampled(library()))
    return [runs.value(arguments) for _ in range(times)]


class Asked(Exception):
    """What a mechanism is to draw from."""


class Asking:
    """A chance that only tells what it is asked for."""

    def released(self, distribution: Any) -> Any:
        raise Asked(distribution)


def meant(name: str, data: Any, **numbers: str) -> Any:
    """The distribution that the searches for counterexamples take a function to draw from: what is claimed is tested
    against that one."""
    found = runnable(name, **numbers)
    with pytest.raises(Asked) as asked:
        Interpreter(found.definitions).run(found.method, [data, *map(Fraction, numbers.values())], Asking())
    return asked.value.args[0]


def far_apart(drawn: list[float], below: Callable[[float], float]) -> bool:
    """Whether the share of what was drawn up to a number is further from its chance than it is once in 1/DOUBT times:
    the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart, which holds for any distribution."""
    ordered, count = sorted(drawn), len(drawn)
    most = math.sqrt(math.log(2 / DOUBT) / (2 * count))
    shares = {x: place for place, x in enumerate(ordered, 1)}  # the last one of each
    before = {x: place for place, x in reversed(list(enumerate(ordered)))}  # and how many come before the first one
    return any(shares[x] / count - below(x) > most or below(x) - shares[x] / count > most for x in shares) or any(
        below(math.nextafter(x, -math.inf)) - before[x] / count > most for x in before
    )


def is_wide_or_narrow(sizes: Sequence[float], shape: float) -> bool:
    """Whether a mean of numbers that have the gamma distribution of this shape and mean 1 is further from 1 than it is
    once in 1/DOUBT times, by the bound of Chernoff: exp(-n·shape·(t - ln(1 + t))) for 1 + t."""
    mean = math.fsum(sizes) / len(sizes)
    return len(sizes) * shape * (mean - 1 - math.log(mean)) > math.log(2 / DOUBT)


def laplace_below(x: float) -> float:
    return 1 - math.exp(-x) / 2 if x > 0 else math.exp(x) / 2


def normal_below(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def is_other_noise(away: list[float], normal: bool) -> bool:
    """Whether numbers are not what noise of scale 1 would be."""
    if normal:
        return far_apart(away, normal_below) or is_wide_or_narrow([x * x for x in away], 0.5)
    return far_apart(away, laplace_below) or is_wide_or_narrow([abs(x) for x in away], 1)


def is_noise_wrong(name: str, times: int = DRAWN, **numbers: str) -> bool:
    """Whether noise on a histogram that is released so often has another distribution than is meant."""
    hidden = meant(name, SMALL, **numbers)
    assert isinstance(hidden, Noise)
    released = released_often(name, SMALL, times, **numbers)
    pairs = ((entry, true) for each in released for entry, true in zip(each.flat, hidden.entries, strict=True))
    return is_other_noise([float(entry - true) / float(hidden.scale) for entry, true in pairs], hidden.normal)


def are_shares_wrong(counts: Sequence[int], chances: Sequence[float]) -> bool:
    """Whether one of several values came up more or less often than it does once in 1/DOUBT times, by the bound of
    Chernoff: exp(-n·KL(share, chance)), which is sharp for small chances too."""
    most, total = math.log(2 * len(chances) / DOUBT), sum(counts)
    return any(total * divergence(count / total, chance) > most for count, chance in zip(counts, chances, strict=True))


def divergence(share: float, chance: float) -> float:
    """Of one coin from another."""
    pairs = (share, chance), (1 - share, 1 - chance)
    return sum(one * math.log(one / other) for one, other in pairs if one > 0)


def is_choice_wrong(name: str, data: Any, times: int = DRAWN, **numbers: str) -> bool:
    """Whether what is picked, that often, has another distribution than is meant."""
    return are_picks_wrong(released_often(name, data, times, **numbers), meant(name, data, **numbers))


def are_picks_wrong(picked: Sequence[Any], pick: Pick) -> bool:
    counts = Counter(map(plain, picked))
    values = list(map(plain, pick.values))
    assert set(counts) <= set(values)
    return are_shares_wrong([counts[value] for value in values], [math.exp(log) for log in pick.logs])


def plain(value: Any) -> Any:
    return tuple(value) if is_container(value) else value


NOISES: list[tuple[str, dict[str, str]]] = [
    ("laplace", {"eps": "1/3"}),
    ("gauss", {"eps": "1/2", "del": "1e-5"}),
    ("noise", {"sigma": "3/2"}),
]
CHOICES: list[tuple[str, Any, dict[str, str]]] = [
    ("choice", UNEVEN, {"eps": "1"}),
    ("largest", UNEVEN, {"eps": "1/2"}),
    ("answer", Fraction(1), {"eps": "2"}),
    ("above", UNEVEN, {"eps": "1"}),
    ("sparse", UNEVEN, {"eps": "2"}),
    ("ranked", UNEVEN, {"eps": "1"}),
    ("scored", UNEVEN, {"eps": "1/2"}),
]
ANSWERS = {"eps": "2", "eps2": "2/3"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "numbers"), NOISES)
def test_noise_is_as_wide_as_it_is_priced(name: str, numbers: dict[str, str]) -> None:
    assert not is_noise_wrong(name, **numbers)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "data", "numbers"), CHOICES)
def test_choices_are_as_likely_as_they_are_priced(name: str, data: Any, numbers: dict[str, str]) -> None:
    assert not is_choice_wrong(name, data, **numbers)


@pytest.mark.slow
def test_answers_above_a_threshold_are_as_they_are_priced() -> None:
    """Which queries are above, and the noise on their answers, whichever that is."""
    released = released_often("numeric", UNEVEN, DRAWN, **ANSWERS)
    assert not are_picks_wrong([above for above, _ in released], meant("numeric", UNEVEN, **ANSWERS))
    truths = 7, 3 - 7
    for place, true in enumerate(truths):
        noisy = [answers[place] for above, answers in released if above[place]]
        is_wrong = is_other_noise([float(each - true) * 2 / 3 for each in noisy], normal=False)
        assert not is_wrong
    assert all(over or not answer for above, answers in released for over, answer in zip(above, answers, strict=True))


# What these tests notice


@pytest.mark.parametrize(("name", "numbers"), NOISES)
def test_wider_noise_would_be_noticed(name: str, numbers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "_WIDER", Fraction(5, 4))
    assert is_noise_wrong(name, 1_000, **numbers)


@pytest.mark.parametrize(("name", "data", "numbers"), CHOICES)
def test_other_chances_would_be_noticed(
    name: str, data: Any, numbers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**numbers, "eps": str(Fraction(numbers["eps"]) / 3)}
    assert are_picks_wrong(released_often(name, data, 1_000, **wrong), meant(name, data, **numbers))


@pytest.mark.parametrize("error", [Fraction(106, 100), Fraction(94, 100)])
@pytest.mark.parametrize("normal", [False, True])
def test_noise_that_is_six_percent_off_would_be_noticed(error: Fraction, normal: bool) -> None:
    """Once in a billion times it would not be: of the 60,000 numbers that are tested, their mean size moves by eight
    times what it varies by, or ten, and four or six are enough."""
    source = random.Random(1)

    def drawn() -> float:
        return source.gauss() if normal else source.expovariate(1) * source.choice((-1, 1))

    right = [drawn() for _ in range(3 * DRAWN)]
    assert not is_other_noise(right, normal)
    assert is_other_noise([float(error) * x for x in right], normal)


@pytest.mark.parametrize("error", [Fraction(8, 7), Fraction(7, 8)])
@pytest.mark.parametrize(("name", "data", "numbers"), [*CHOICES, ("numeric", UNEVEN, ANSWERS)])
def test_choices_by_noise_that_is_an_eighth_off_would_be_noticed(
    name: str, data: Any, numbers: dict[str, str], error: Fraction
) -> None:
    """Noise that is wider for the same ε is that of a smaller one."""
    right = meant(name, data, **numbers)
    wrong = meant(name, data, **{**numbers, "eps": str(Fraction(numbers["eps"]) / error)})
    for pick, is_wrong in ((right, False), (wrong, True)):
        values = random.Random(2).choices(pick.values, [math.exp(log) for log in pick.logs], k=DRAWN)
        assert are_picks_wrong(values, right) is is_wrong


def test_no_noise_is_used_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is drawn in advance is given out once."""
    there = counted()
    monkeypatch.setattr(Sampled, "_priced", lambda *_: lambda zeros: [next(there) for _ in zeros])
    draws = Sampled(library())
    sizes = [1, 3, 2, 200, 1, 1, 50, 0, 7] * 3
    given = [draws.laplace(array([Fraction(0)] * size), Fraction(1), Fraction(1)) for size in sizes]
    assert len({entry for each in given for entry in each}) == sum(sizes)


@pytest.mark.parametrize(("name", "numbers"), [*NOISES, ("choice", {"eps": "1"}), ("above", {"eps": "1"})])
def test_narrower_noise_is_refused(name: str, numbers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenDP says that it costs more."""
    monkeypatch.setattr(noise, "_WIDER", Fraction(999, 1000))
    with pytest.raises(Refused, match="OpenDP prices its noise higher"):
        released_often(name, SMALL, 1, **numbers)


def test_what_a_grid_adds_is_told() -> None:
    """Nothing to a response, and to noise and choices as much as the samplers say at most."""
    for name, added in (("laplace", noise.ADDED), ("ranked", noise.ADDED), ("answer", Fraction(0))):
        (found,) = guarantees(runnable(name, eps="1/2"), {}, False)
        assert found.epsilon == Fraction(1, 2)
        assert found.drawn == (found.epsilon + added, 0)
    (found,) = guarantees(runnable("gauss", eps="1/2", **{"del": "1e-5"}), {}, False)
    assert found.drawn[1] > found.delta > 0
    assert found.drawn[1] < found.delta * (1 + 2 * noise.ADDED)


def test_the_bits_of_a_step() -> None:
    """Steps are so small that what they add stays below what is told: 2Kκ, as the samplers' docstring has it."""
    kappa = max(Fraction(2, 2**49), Fraction(65) / Fraction(2**53.9), 1 / Fraction(2**47.9))
    assert 2 * noise.MOST_NUMBERS * kappa < noise.ADDED


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**9), Fraction(1, 7), Fraction(1000)])
@pytest.mark.parametrize("most", [1, 3])
def test_steps_are_as_fine_as_they_are_said_to_be(
    epsilon: Fraction, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many to the scale of each noise: of choices, and of answers to each that may be above."""
    if epsilon / most < noise._SMALLEST:
        return
    scales: dict[str, list[Fraction]] = {}

    def priced(self: Sampled, key: tuple[Any, ...], make: Any, scale: Fraction, moves: float, most: Fraction) -> Any:
        scales.setdefault(key[0], []).append(scale)
        return lambda drawn: 0 if key[0] == "gumbel" else [0] * len(drawn)

    monkeypatch.setattr(Sampled, "_priced", priced)
    draws = Sampled(library())
    draws.selected([Fraction(0), Fraction(1)], Fraction(3), epsilon)
    draws.laplace(Fraction(1), Fraction(3), epsilon)
    draws.gaussian(Fraction(1), Fraction(3), 1 / epsilon)
    assert scales["gumbel"][0] > 2**47.9
    assert scales["laplace"][0] >= 2**49
    assert scales["gaussian"][0] >= 2**53.9
    draws.above([Fraction(1)], most, epsilon)
    limit, answers = scales["laplace"][1:]
    assert limit * epsilon / 2 > epsilon * 2**47.9 / most  # n, the steps to 1
    assert answers == 2 * most * limit


def test_only_so_many_numbers_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As what is said to be added is for so many; a response is rounded by nothing."""
    monkeypatch.setattr(noise, "MOST_NUMBERS", 5)
    zero, one = Fraction(0), Fraction(1)
    for asked in (
        lambda draws: draws.selected([zero, one], one, one),
        lambda draws: draws.laplace(zero, one, one),
        lambda draws: draws.above([zero], 1, one),
    ):
        draws = Sampled(library())
        for _ in range(5):
            asked(draws)
            draws.told(0, 2, one)
        with pytest.raises(Refused, match="hides more than 5 numbers"):
            asked(draws)
    with pytest.raises(Refused, match="hides more than 5 numbers"):
        Sampled(library()).above([zero], 6, one)


def test_many_answers_fit_their_bits() -> None:
    """However many may be above: noise is drawn by as many bits, so that none is cut off."""
    draws = Sampled(library())
    over = [Fraction(0)] * 40
    for most, epsilon in ((1, Fraction(1000)), (40, Fraction(1, 1000)), (10**5, Fraction(1))):
        found = [Sampled(library()).above(over, most, epsilon) for _ in range(9)]
        assert all(len(each) == 40 and sum(each) <= most for each in found)
    with pytest.raises(Refused, match="too large or too small"):
        draws.above(over, 10**9, Fraction(1, 10))


def test_rows_are_drawn_alike() -> None:
    draws = Sampled(library())
    for scheme, amount, count in (
        (Scheme.WITHOUT_REPLACEMENT, 2, 12),
        (Scheme.WITH_REPLACEMENT, 2, 16),
        (Scheme.POISSON, Fraction(1, 2), 16),
    ):
        found = [tuple(draws.places(scheme, 4, Fraction(amount))) for _ in range(DRAWN)]
        ways = {way: float(place) for place, way in enumerate(sorted(set(found)))}
        assert len(ways) == count
        assert not far_apart([ways[way] for way in found], lambda x, n=count: min(max(math.floor(x) + 1, 0) / n, 1))
    thirds = [len(draws.places(Scheme.POISSON, 1, Fraction(1, 3))) for _ in range(DRAWN)]
    assert not far_apart(list(map(float, thirds)), lambda x: (2 / 3 if x < 1 else 1.0) if x >= 0 else 0.0)


def test_what_is_resized_is_taken_at_random() -> None:
    draws = Sampled(library())
    kept = [tuple(RELEASED["resize"](draws, SMALL[:3], 2, 0)) for _ in range(3_000)]
    assert {frozenset(each) for each in kept} == {frozenset(pair) for pair in ((1, 2), (1, 4), (2, 4))}
    assert sorted(RELEASED["resize"](draws, SMALL[:2], 4, Fraction(7))) == [1, 2, 7, 7]
