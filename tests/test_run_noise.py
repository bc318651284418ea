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

import mpmath
import pytest

from dp_lsp.analysis.loading import ReadRefusal, SourceText
from dp_lsp.analysis.records import Options, Setting
from dp_lsp.builtins.meanings import array, is_container
from dp_lsp.builtins.randomness import RELEASED, DrawnNoise, Pick
from dp_lsp.core.events import Sampling
from dp_lsp.engine.check import Engine
from dp_lsp.engine.problems import IncludeWithoutFolder
from dp_lsp.engine.runnable import Runnable
from dp_lsp.meaning.interpreter import Interpreter
from dp_lsp.release import RunRefused, noise
from dp_lsp.release.noise import SampledNoise, opendp
from dp_lsp.release.running import ExactRuns, demand_no_doubt, demand_proof, guarantees

DOUBT = 1e-9
"""The chance that one bound of the few dozen here is broken although all is right: less than one run in a million."""
DRAWN = 5_000
"""How often each mechanism chooses for a small table, in one process."""
BINS, NOISED = 60, 250
"""How many numbers get noise at once, each its own, and how often."""


MECHANISMS = """\
function laplace(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, histogram(v, EDGES))
end
function gauss(v::MetricVector(Real, Symmetric), eps::Static(), del::Static()) :: Priv()
    gaussian_mechanism(1, eps, del, histogram(v, EDGES))
end
function noise(v::MetricVector(Real, Symmetric), sigma::Static()) :: Priv()
    gaussian_noise(1, sigma, histogram(v, EDGES))
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
    numeric_sparse([d -> length(d), d -> 11 - length(d)], 1, eps, eps2, v, 5)
end
"""
MECHANISMS = MECHANISMS.replace("EDGES", f"[0, 3, 5, {', '.join(str(10 + edge) for edge in range(BINS - 2))}]")
SMALL = array(list(map(Fraction, (1, 2, 4, 5, 9))))
UNEVEN = array([Fraction(1)] * 7)


class Alone:
    """The only text there is."""

    def included(self, by: str, path: str) -> ReadRefusal:
        return ReadRefusal(IncludeWithoutFolder, {"path": path})

    def text(self, name: str) -> SourceText:
        return SourceText(MECHANISMS)


@cache
def library() -> Any:
    return opendp()


@cache
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
    runs = ExactRuns(runnable(name, **numbers), SampledNoise(library()))
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


def is_noise_wrong(name: str, times: int = NOISED, **numbers: str) -> bool:
    """Whether noise on a histogram that is released so often has another distribution than is meant."""
    hidden = meant(name, SMALL, **numbers)
    assert isinstance(hidden, DrawnNoise) and len(hidden.entries) == BINS
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
    truths = 7, 11 - 7
    for place, true in enumerate(truths):
        noisy = [answers[place] for above, answers in released if above[place]]
        is_wrong = is_other_noise([float(each - true) * 2 / 3 for each in noisy], normal=False)
        assert not is_wrong
    assert all(over or not answer for above, answers in released for over, answer in zip(above, answers, strict=True))


# Without luck: what is proposed, and the chance with which it is kept, have the density that is priced


CLOSE = 1e-9
"""How far logarithms of chances may be apart, in parts of them: a scale that is a part in a billion off is noticed."""


def energies(name: str, whole: Fraction, monkeypatch: pytest.MonkeyPatch, **numbers: str) -> list[tuple[float, float]]:
    """The logarithm of how much less likely than others some noise is drawn, where the library proposes so many scales,
    and that of the noise that is meant."""
    hidden, scales, costs = meant(name, SMALL, **numbers), list[Fraction](), list[Callable[[Fraction], Fraction]]()

    def proposes(_: Any, key: Any, make: Any, scale: float, *rest: Any) -> Any:
        scales.append(Fraction(scale))
        return lambda zeros: [math.floor(whole * scales[0])] * len(zeros)

    def keeps(cost: Callable[[Fraction], Fraction], _: Any) -> bool:
        costs.append(cost)
        return True

    monkeypatch.setattr(SampledNoise, "_priced", proposes)
    monkeypatch.setattr(noise, "_is_kept", keeps)
    (released,) = released_often(name, SMALL, 1, **numbers)
    (scale,), steps = scales, math.floor(whole * scales[0])
    step = Fraction(
        math.gcd(*(each.numerator for each in released.flat)), math.lcm(*(each.denominator for each in released.flat))
    )
    away = [(entry - true) / step - steps for entry, true in zip(released.flat, hidden.entries, strict=True)]
    assert -1 <= min(away) <= max(away) <= 2

    def drawn(place: Fraction) -> Fraction:
        proposed = Fraction(steps, scale) ** 2 / 2 if hidden.normal else abs(steps) / scale
        return proposed + costs[0](place)

    def wanted(place: Fraction) -> Fraction:
        far = abs((steps + place) * step / Fraction(hidden.scale))
        return far**2 / 2 if hidden.normal else far

    return [(float(drawn(place)), float(wanted(place))) for place in map(Fraction, ("0", "1/3", "1"))]


def is_priced_otherwise(name: str, monkeypatch: pytest.MonkeyPatch, **numbers: str) -> bool:
    pairs = [each for k in (0, 1, -2, 5) for each in energies(name, Fraction(k), monkeypatch, **numbers)]
    first = pairs[0][0] - pairs[0][1]
    return any(abs(drawn - wanted - first) > CLOSE * (1 + wanted) for drawn, wanted in pairs)


@pytest.mark.parametrize(("name", "numbers"), NOISES)
def test_the_density_of_noise_is_that_which_is_priced(
    name: str, numbers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_priced_otherwise(name, monkeypatch, **numbers)
    monkeypatch.setattr(noise, "_WIDER", 1 + Fraction(1, 10**8))
    assert is_priced_otherwise(name, monkeypatch, **numbers)


# What these tests notice


@pytest.mark.parametrize(("name", "numbers"), NOISES)
def test_wider_noise_would_be_noticed(name: str, numbers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "_WIDER", Fraction(5, 4))
    assert is_noise_wrong(name, 50, **numbers)


@pytest.mark.parametrize(("name", "data", "numbers"), CHOICES)
def test_other_chances_would_be_noticed(
    name: str, data: Any, numbers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**numbers, "eps": str(Fraction(numbers["eps"]) / 3)}
    assert are_picks_wrong(released_often(name, data, 1_000, **wrong), meant(name, data, **numbers))


@pytest.mark.parametrize("error", [Fraction(112, 100), Fraction(88, 100)])
@pytest.mark.parametrize("normal", [False, True])
def test_noise_that_is_twelve_percent_off_would_be_noticed(error: Fraction, normal: bool) -> None:
    """Once in a billion times it would not be: of the 15,000 numbers that are tested, their mean size moves by eight
    times what it varies by, or ten, and four or six are enough."""
    source = random.Random(1)

    def drawn() -> float:
        return source.gauss() if normal else source.expovariate(1) * source.choice((-1, 1))

    right = [drawn() for _ in range(BINS * NOISED)]
    assert not is_other_noise(right, normal)
    assert is_other_noise([float(error) * x for x in right], normal)


@pytest.mark.parametrize("error", [Fraction(4, 3), Fraction(3, 4)])
@pytest.mark.parametrize(("name", "data", "numbers"), [*CHOICES, ("numeric", UNEVEN, ANSWERS)])
def test_choices_by_noise_that_is_a_quarter_off_would_be_noticed(
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
    there = counted(step=2)  # each is rounded to one of the two next to it
    monkeypatch.setattr(SampledNoise, "_priced", lambda *_: lambda zeros: [next(there) for _ in zeros])
    draws = SampledNoise(library())
    sizes = [1, 3, 2, 200, 1, 1, 50, 0, 7] * 3
    given = [draws.laplace(array([Fraction(0)] * size), Fraction(1), Fraction(1)) for size in sizes]
    assert len({entry for each in given for entry in each}) == sum(sizes)


@pytest.mark.parametrize(("name", "numbers"), [*NOISES, ("choice", {"eps": "1"}), ("above", {"eps": "1"})])
def test_narrower_noise_is_refused(name: str, numbers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenDP says that it costs more."""
    monkeypatch.setattr(noise, "_WIDER", Fraction(999, 1000))
    with pytest.raises(RunRefused, match="OpenDP prices its noise higher"):
        released_often(name, SMALL, 1, **numbers)


def test_what_is_stated_is_what_is_proved() -> None:
    """Nothing is added to it, as noise is exact."""
    for name, numbers in (*NOISES[:2], *(each[::2] for each in CHOICES)):
        function = runnable(name, **numbers)
        (found,) = guarantees(function, {}, False)
        (proved,) = function.report.numeric
        assert (found.epsilon, found.delta) == (proved.epsilon, proved.delta)
        assert found.delta == Fraction(numbers.get("del", 0))


# Noise is exact: with steps so coarse that it shows, and numbers that hardly fit


def phi(x: float, scale: float) -> float:
    return normal_below(x / scale)


def lap(x: float, scale: float) -> float:
    return laplace_below(x / scale)


def rounded(below: Callable[[float, float], float], centre: float, scale: float, k: int) -> float:
    """The chance that noise on a number comes next to ``k``."""
    return below(k + 0.5 - centre, scale) - below(k - 0.5 - centre, scale)


def is_off(steps: Sequence[int], chance: Callable[[int], float]) -> bool:
    """Whether whole numbers come up more or less often than they should."""
    counts, around = Counter(steps), range(-9, 10)
    seen = [counts[k] for k in around]
    chances = list(map(chance, around))
    return are_shares_wrong([*seen, len(steps) - sum(seen)], [*chances, max(1 - sum(chances), 1e-12)])


def coarse(draw: Callable[[SampledNoise], Any], step: Fraction) -> list[int]:
    """What is released, in steps."""
    draws = SampledNoise(library())
    found = [Fraction(draw(draws)) / step for _ in range(DRAWN)]
    assert all(each.denominator == 1 for each in found)
    return list(map(int, found))


def two_sided(k: int, scale: float) -> float:
    """The chance of a whole number of geometric noise."""
    return math.tanh(0.5 / scale) * math.exp(-abs(k) / scale)


@pytest.mark.parametrize("bits", [63, 2])
@pytest.mark.parametrize(("moves", "epsilon"), [(Fraction(3), Fraction(3, 2)), (Fraction(1), Fraction(1, 2))])
def test_geometric_noise_is_exact(
    moves: Fraction, epsilon: Fraction, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow(monkeypatch, bits)
    steps = coarse(lambda draws: draws.geometric(Fraction(1), moves, epsilon), Fraction(1))
    assert not is_off(steps, lambda k: two_sided(k - 1, 2))
    is_narrower_noticed = is_off(steps, lambda k: two_sided(k - 1, 3))
    assert is_narrower_noticed


@pytest.mark.parametrize("bits", [63, 2])
@pytest.mark.parametrize("shift", [Fraction(0), Fraction(3, 10)])
def test_laplace_noise_is_exact(shift: Fraction, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps to its scale; also if OpenDP's numbers have two bits."""
    narrow(monkeypatch, bits)
    monkeypatch.setattr(noise, "_STEPS", 1)
    steps = coarse(lambda draws: draws.laplace(3 * shift / 2, Fraction(3), Fraction(1)), Fraction(3, 2))
    is_wrong = is_off(steps, lambda k: rounded(lap, float(shift), 2, k))
    assert not is_wrong
    is_narrower_noticed = is_off(steps, lambda k: rounded(lap, float(shift), 3, k))
    assert is_narrower_noticed


@pytest.mark.parametrize("shift", [Fraction(0), Fraction(3, 10)])
def test_gaussian_noise_is_exact(shift: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step to its deviation, and proposals that are twice as wide."""
    monkeypatch.setattr(noise, "_DEVIATION", 1)
    monkeypatch.setattr(noise, "_PROPOSED", Fraction(2))
    steps = coarse(lambda draws: draws.gaussian(6 * shift, Fraction(3), Fraction(2)), Fraction(6))
    is_wrong = is_off(steps, lambda k: rounded(phi, float(shift), 1, k))
    assert not is_wrong
    is_narrower_noticed = is_off(steps, lambda k: rounded(phi, float(shift), 1.3, k))
    assert is_narrower_noticed


def test_gaussian_noise_that_does_not_fit_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the ends all chances are those of exact noise but for a factor, which is the same wherever it is centred;
    so is what is left over at each end."""
    narrow(monkeypatch, 4)
    monkeypatch.setattr(noise, "_FARTHEST_NUMBER", 3)
    monkeypatch.setattr(noise, "_DEVIATION", 2)
    monkeypatch.setattr(noise, "_PROPOSED", Fraction(2))
    kept = 0.0
    for centre in (0, 1, 50):
        steps = coarse(lambda draws, x=centre: draws.gaussian(Fraction(x), Fraction(2), Fraction(1)), Fraction(1))
        assert set(steps) <= set(range(-3, 4))
        inside = sum(abs(k) < 3 for k in steps)
        chance = sum(rounded(phi, min(centre, 3), 2, k) for k in range(-2, 3))
        kept = kept or inside / len(steps) / chance
        assert not are_shares_wrong([inside, len(steps) - inside], [kept * chance, 1 - kept * chance])
    assert 0.9 < kept < 1.05


def test_choices_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of scores that lie between the steps, and below all of them."""
    monkeypatch.setattr(noise, "_COARSER", 1)
    monkeypatch.setattr(noise, "_FARTHEST", 1)
    scores = [Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(-5)]
    draws = SampledNoise(library())
    picked = Counter(draws.selected(scores, Fraction(1), Fraction(1)) for _ in range(DRAWN))
    chances = [math.exp(score / 2) for score in scores]
    assert not are_shares_wrong([picked[k] for k in range(4)], [each / sum(chances) for each in chances])


def narrow(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """OpenDP's numbers of noise have so many bits."""
    low, high = -(1 << bits), (1 << bits) - 1
    whole = SampledNoise._priced

    def narrowed(self: SampledNoise, key: tuple[Any, ...], *more: Any) -> Any:
        measured = whole(self, key, *more)
        return lambda zeros: [max(low, min(each, high)) for each in measured(zeros)]

    monkeypatch.setattr(noise, "_LOWEST", low)
    monkeypatch.setattr(noise, "_HIGHEST", high)
    monkeypatch.setattr(SampledNoise, "_priced", narrowed)


# What is stated is never less than what is spent


EPSILONS = [Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 7), Fraction(1), Fraction(50), Fraction(1000)]
MOVES = [Fraction(1, 10**40), Fraction(1, 3), Fraction(10**40)]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("moves", MOVES)
def test_scales_are_as_large_as_they_are_priced(
    moves: Fraction, epsilon: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In fractions, of the very numbers that OpenDP is given and of the steps that are released. Its own map, which is
    asked each time, says no more than what is priced."""
    asked: dict[str, tuple[Fraction, Fraction, float]] = {}
    whole = SampledNoise._priced

    def priced(self: SampledNoise, key: tuple[Any, ...], make: Any, scale: float, moves: float, most: Fraction) -> Any:
        measured = whole(self, key, make, scale, moves, most)
        asked.setdefault(key[0], (Fraction(scale), Fraction(moves), measured.map(moves)))
        return measured

    monkeypatch.setattr(SampledNoise, "_priced", priced)
    draws = SampledNoise(library())
    step = draws.laplace(Fraction(0), moves, epsilon) and moves / min(int(epsilon * 2**noise._STEPS), 2**60)
    scale, distance, spent = asked.pop("laplace")
    assert scale * step >= moves / epsilon
    assert distance * step == moves
    assert spent <= epsilon
    released = draws.gaussian(Fraction(1, 3), moves, 1 / epsilon)
    scale, distance, spent = asked.pop("gaussian")
    step = moves / epsilon / noise._DEVIATION
    assert (released / step).denominator == 1
    assert scale > noise._DEVIATION * noise._WIDER  # what is proposed is wider than what is kept
    assert distance * step >= moves
    assert spent <= epsilon**2 / 2
    draws.selected([Fraction(0), moves / 3], moves, epsilon)
    scale, distance, spent = asked.pop("gumbel")
    assert scale / distance >= 2 / epsilon
    assert spent <= epsilon**2 / 8
    for most in (1, 7):
        if epsilon / most >= noise._SMALLEST:
            SampledNoise(library()).above([Fraction(1)], most, epsilon)
            scale, distance, spent = asked.pop("laplace")
            assert scale / distance >= 2 / epsilon
            assert spent <= epsilon / 2


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("count", [2, 3, 1000])
def test_answers_are_as_likely_as_they_are_priced(
    count: int, epsilon: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """exp(ε) is computed by another library, to 400 digits."""
    asked: list[float] = []
    make = library().m.make_randomized_response
    monkeypatch.setattr(
        library().m, "make_randomized_response", lambda answers, prob: asked.append(prob) or make(answers, prob=prob)
    )
    SampledNoise(library()).told(0, count, epsilon)
    chance = Fraction(asked[-1])
    with mpmath.workdps(500):
        grown = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        ratio = chance * (count - 1) / (1 - chance)
        assert ratio >= 1
        assert mpmath.mpf(ratio.numerator) / ratio.denominator <= grown


def test_many_answers_fit_their_bits() -> None:
    """However many may be above: noise is drawn by as many bits, so that none is cut off."""
    draws = SampledNoise(library())
    over = [Fraction(0)] * 40
    for most, epsilon in ((1, Fraction(1000)), (40, Fraction(1, 1000)), (10**5, Fraction(1))):
        found = [SampledNoise(library()).above(over, most, epsilon) for _ in range(9)]
        assert all(len(each) == 40 and sum(each) <= most for each in found)
    with pytest.raises(RunRefused, match="too large or too small"):
        draws.above(over, 10**9, Fraction(1, 10))


def test_rows_are_drawn_alike() -> None:
    draws = SampledNoise(library())
    for scheme, amount, count in (
        (Sampling.WITHOUT_REPLACEMENT, 2, 12),
        (Sampling.WITH_REPLACEMENT, 2, 16),
        (Sampling.POISSON, Fraction(1, 2), 16),
    ):
        found = [tuple(draws.places(scheme, 4, Fraction(amount))) for _ in range(DRAWN)]
        ways = {way: float(place) for place, way in enumerate(sorted(set(found)))}
        assert len(ways) == count
        assert not far_apart([ways[way] for way in found], lambda x, n=count: min(max(math.floor(x) + 1, 0) / n, 1))
    thirds = [len(draws.places(Sampling.POISSON, 1, Fraction(1, 3))) for _ in range(DRAWN)]
    assert not far_apart(list(map(float, thirds)), lambda x: (2 / 3 if x < 1 else 1.0) if x >= 0 else 0.0)


def test_what_is_resized_is_taken_at_random() -> None:
    draws = SampledNoise(library())
    kept = [tuple(RELEASED["resize"](draws, SMALL[:3], 2, 0)) for _ in range(3_000)]
    assert {frozenset(each) for each in kept} == {frozenset(pair) for pair in ((1, 2), (1, 4), (2, 4))}
    assert sorted(RELEASED["resize"](draws, SMALL[:2], 4, Fraction(7))) == [1, 2, 7, 7]
