"""That nobody finds inputs that a private function tells apart better than is claimed; and that they would be found."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from itertools import islice
from pathlib import Path

import pytest

import spec_runner
from attack.private import PrivateTarget, private_targets
from attack.runs import PROGRAMS
from dp_lsp import builtins
from dp_lsp.accounting.charge import Relation
from dp_lsp.builtins.meanings import WITHOUT_MEANING, array
from dp_lsp.builtins.randomness import RANDOM, DrawnNoise, Pick
from dp_lsp.core.term import Method
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.interpreter import Interpreter
from dp_lsp.meaning.privacy import PrivacyClaim, Searched, delta_of, delta_of_mixtures, lowest, search
from source_tree import ROOT

ENGINE = Engine()
PAGES = sorted((ROOT / "fixtures" / "spec").rglob("*.md"))
TAKEN_AT_WORD = {"Nothing divided by nothing"}
"""Headings of functions whose conditions speak of private values: no search keeps to these."""
HUNDREDS = re.compile(r"\bin \d:\d{3,}")
DEAR = {
    *("A sample in every round", "13. A δ that says nothing", "16. A sample that is not what is accounted for"),
    *("Distances that add up", "The sampled Gaussian mechanism", "What is read in another way"),
}
"""Headings of functions of which one run takes a second, as all ways of drawing are gone through."""
PRIVATE, GROUPS = 40, 4
LONGEST = {2, 14, 22}
"""Random programs that take as long as all others; `python -m tests.attack private` runs them."""
SEQUENCE = """\
function f(x::Real) :: Priv()
    a = laplacian_mechanism(1, 0.5, x)
    b = laplacian_mechanism(1, 0.25, x)
    a + b
end"""
GAUSSIANS = """\
function f(x::Real) :: Priv()
    a = gaussian_mechanism(1, 0.9, 0.4, x)
    b = gaussian_mechanism(1, 0.9, 0.4, x)
    a + b
end"""
LOOP = """\
function f(x::Real) :: Priv()
    y = 0.0
    for i in 1:8
        y = y + laplacian_mechanism(1, 1, x)
    end
    y
end"""
SAMPLE = """\
function f(A::Matrix{<:Data}, B::Matrix{<:Data}, eps::Static(Real)) :: Priv()
    (D, L) = sample(1, A, B)
    laplacian_mechanism(2, eps, sum(undisc_container(clip(L1, D[1, :]))))
end"""
JOINT = """\
function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()
    (D, L) = sample(1, A, B)
    x = laplacian_mechanism(2, 1, sum(undisc_container(clip(L1, D[1, :]))))
    laplacian_mechanism(2, 1, sum(undisc_container(clip(L1, L[1, :]))))
end"""
NOISY_SAMPLE = """\
function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()
    (D, L) = sample(1, A, B)
    gaussian_mechanism(2, 0.5, 0.9, undisc_container(clip(L2, D[1, :])))
end"""
CHOICE = "f(x::Real) :: Priv() = exponential_mechanism(1, 2, [-1000.0, 1000.0], c -> c > 0 ? x : -x)"
THRESHOLD = f"f(x::Real) :: Priv() = above_threshold([{'y -> -y, ' * 8}y -> y], 2, x, 0)"
LARGEST = "f(v::MetricVector(Real, LInf)) :: Priv() = report_noisy_max(1, 2, v)"
ANSWER = "f(x::Data) :: Priv() = randomized_response(2, [0, 1, 2, 2], x)"
HONEST = "f(x::Bool) :: Priv() = randomized_response(2, x)"
COLUMNS = """\
g(m::MetricMatrix(Data, LInf)) :: Priv() = laplacian_mechanism(2, 1, sum(undisc_container(clip(L1, m[1, :]))))
f(m::MetricMatrix(Data, LInf)) :: Priv() = reduce_cols(g, m)"""
ROWS = """\
g(v::MetricVector(Data, LInf), w::MetricVector(Data, LInf), a::Real) :: Priv() =
    laplacian_mechanism(2, 1, sum(undisc_container(clip(L1, v))) + a)
f(A::MetricMatrix(Data, LInf), B::MetricMatrix(Data, LInf)) :: Priv() = parallel_private_fold_rows(g, 0.0, A, B)"""

PARTS = """\
function f(v::MetricVector(Real, Symmetric)) :: Priv()
    one(part) :: Priv() = laplacian_mechanism(1, 1, length(part))
    map_parts(one, v, x -> x > 0 ? 1 : 0, [1, 0])
end"""
REPLACED = """\
function f(m::MetricMatrix(Real, ChangeOne)) :: Priv()
    one(part::MetricMatrix(Real, Symmetric)) :: Priv() = laplacian_mechanism(1, 1, length(map_rows(r -> r[1], part)))
    map_parts(one, m, r -> r[1] > 0 ? 1 : 0, [1, 0])
end"""
TURNS = """\
function f(v::MetricVector(Real, ChangeOne)) :: Priv()
    function one(part) :: Priv()
        z = laplacian_mechanism(1, 1, length(part))
        z > 0 ? laplacian_mechanism(1, 3, length(part)) : z
    end
    map_parts(one, v, x -> x > 0 ? 1 : 0, [1, 0])
end"""

ONCE = """\
function f(v::MetricVector(Bounded(Real, 0, 2), Hamming, Size(3))) :: Priv()
    s = 0.0
    for i in 1:3
        z = laplacian_mechanism(2, 1, v[i])
        s = z > 0 ? s + laplacian_mechanism(2, 3, v[i]) : s
    end
    s
end"""
ENTRIES = """\
function f(v::MetricVector(Real, L1)) :: Priv()
    s = [0.0, 0.0, 0.0]
    for i in 1:3
        s = laplacian_mechanism(1, 1, v[i]) * s
    end
    s
end"""
SQUARES = """\
function f(v::MetricVector(Real, L2)) :: Priv()
    s = 0.0
    for i in 1:3
        s = s + gaussian_mechanism(1, 0.9, 0.4, v[i])
    end
    s
end"""


def halved(claim: PrivacyClaim) -> PrivacyClaim:
    return claim._replace(epsilon=claim.epsilon / 2)


def tighter(claim: PrivacyClaim) -> PrivacyClaim:
    return claim._replace(epsilon=claim.epsilon * 0.95)


def without_delta(claim: PrivacyClaim) -> PrivacyClaim:
    return claim._replace(delta=claim.delta / 10**4)


def rate_squared(claim: PrivacyClaim) -> PrivacyClaim:
    """What a sample of one row of four would cost at the square of its rate."""
    return claim._replace(epsilon=math.log1p(math.expm1(claim.epsilon) / 4))


def unchanged(claim: PrivacyClaim) -> PrivacyClaim:
    return claim


def of(text: str, profile: str = "sound") -> PrivateTarget:
    return next(each for each in private_targets(text, profile, ENGINE) if each.name == "f")


def searched(text: str, weakened: object = unchanged, profile: str = "sound", tries: int = 25) -> Searched:
    found = of(text, profile).attacked(random.Random(text), 3, tries, weakened)  # type: ignore[arg-type]
    assert found is not None and found.tries
    return found


AT_A_DISTANCE = """\
noisy(x::Real, b::Static(), e::Static()) :: Priv() = laplacian_mechanism(b, e / 2, x) + laplacian_mechanism(2b, e, x)
f(x::Real, b::Static()) :: Priv() = noisy(b * x, b, 0.5)"""
TWICE_AT_A_DISTANCE = """\
noisy(x::Real, y::Real, b::Static()) :: Priv() = laplacian_mechanism(2b, 1, x + y)
f(x::Real, b::Static()) :: Priv() = noisy(b * x, b * x, b)"""


def first_part(claim: PrivacyClaim) -> PrivacyClaim:
    """Without the second part of the sequence."""
    return claim._replace(epsilon=0.5)


@pytest.mark.parametrize(
    ("text", "weakened"),
    [
        pytest.param("f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)", tighter, id="Laplace"),
        pytest.param("f(v::MetricVector(Real, L2)) :: Priv() = laplacian_mechanism(1, 1, v)", tighter, id="a norm"),
        pytest.param(
            "f(v::MetricVector(Real, L2)) :: Priv() = gaussian_mechanism(1, 0.9, 0.5, v)", without_delta, id="δ"
        ),
        pytest.param(SEQUENCE, first_part, id="a part of a sequence"),
        pytest.param(SEQUENCE, tighter, id="a sequence"),
        pytest.param(GAUSSIANS, without_delta, id="Gaussians"),
        pytest.param(LOOP, tighter, id="rounds"),
        pytest.param(SAMPLE, rate_squared, id="a rate squared"),
        pytest.param(SAMPLE, halved, id="a sample"),
        pytest.param(JOINT, halved, id="two matrices"),
        pytest.param(NOISY_SAMPLE, without_delta, id="the δ of a sample"),
        pytest.param(CHOICE, tighter, id="a candidate"),
        pytest.param(THRESHOLD, halved, id="above a threshold"),
        pytest.param(LARGEST, halved, id="the largest"),
        pytest.param(ANSWER, halved, id="an answer"),
        pytest.param(HONEST, tighter, id="a truth"),
        pytest.param(COLUMNS, tighter, id="columns"),
        pytest.param(ROWS, tighter, id="rows"),
        pytest.param(PARTS, tighter, id="parts"),
        pytest.param(REPLACED, tighter, id="a record that leaves a part and enters one"),
        pytest.param(TURNS, halved, id="parts that take a dear turn"),
        pytest.param(ONCE, halved, id="records that a loop reads once"),
        pytest.param(ENTRIES, tighter, id="entries that a loop reads once"),
        pytest.param(SQUARES, without_delta, id="squares that add up"),
        pytest.param(AT_A_DISTANCE, tighter, id="a call at a distance in symbols"),
        pytest.param(TWICE_AT_A_DISTANCE, tighter, id="two arguments at a distance in symbols"),
    ],
)
def test_a_price_that_is_too_low_is_refuted(text: str, weakened: object) -> None:
    assert searched(text, tries=5).breach is None
    assert searched(text, weakened).breach is not None


@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize(
    "text",
    [
        "f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, 30 * x)",
        "function f(x::Real) :: Priv()\n    y = laplacian_mechanism(1, 0.5, x)\n    x + y\nend",
        "function f(x::Real) :: Priv()\n    y = laplacian_mechanism(1, 0.5, x)\n    x > y ? 1 : 2\nend",
        "function f(x::Integer, y::Real) :: Priv()\n    z = 0.0\n    for i in 1:clamp(x, 0, 3)\n"
        "        z = laplacian_mechanism(1, 0.5, y)\n    end\n    z\nend",
        "f(x::Bool) :: Priv() = x ? laplacian_mechanism(1, 0.1, 0) : laplacian_mechanism(900, 0.1, 0)",
        "f(x::Integer) :: Priv() = laplacian_mechanism(1, 0.5, [1.0, 2.0])[x % 3]",
    ],
    ids=["declared too little", "returned", "decided after", "rounds", "branch", "fails"],
)
def test_what_is_not_private_is_refuted(text: str, delta: float) -> None:
    """Nothing is claimed of it; what is refuted here is what might have been."""
    assert not list(private_targets(text, "sound", ENGINE))
    (defined,) = ENGINE.definitions(text)
    assert isinstance(defined.definition, Method)
    method, interpreter = defined.definition, Interpreter([defined.definition])
    header = text[text.index("(") : text.index(")")]
    scheme = of(f"f{header}) :: Priv() = laplacian_mechanism(1, 0.5, 3)").scheme
    claim = PrivacyClaim((0,), 0.6, delta)
    found = search(
        scheme, lambda args, chance: interpreter.run(method, args, chance), lambda _: [claim], random.Random(0), 3, 40
    )
    assert found.breach is not None


def test_the_losses_of_laplace_noise_add_up() -> None:
    """Against the closed form of one release, and a table of the optimum of many."""
    one, other = DrawnNoise(Fraction(0), Fraction(2)), DrawnNoise(Fraction(1), Fraction(2))
    assert delta_of([one], [other], 0.25) == pytest.approx(-math.expm1((0.25 - 0.5) / 2), rel=2e-3)
    many = [DrawnNoise(Fraction(0), Fraction(1))] * 10, [DrawnNoise(Fraction(1), Fraction(1))] * 10
    assert delta_of(*many, 9.99898) == pytest.approx(1e-6, rel=0.05)
    assert delta_of(*many, 0.0) < 1


def test_the_losses_of_normal_noise_add_up() -> None:
    one, other = DrawnNoise(Fraction(0), 3.730632, True), DrawnNoise(Fraction(1), 3.730632, True)
    assert delta_of([one], [other], 1.0) == pytest.approx(1e-5, rel=1e-4)
    scale = 3.730632 * math.sqrt(2)
    twice = [DrawnNoise(Fraction(0), scale, True)] * 2, [DrawnNoise(Fraction(1), scale, True)] * 2
    assert delta_of(*twice, 1.0) == pytest.approx(1e-5, rel=1e-4)


def test_a_choice_and_noise_are_told_apart_together() -> None:
    pick, other = Pick((1, 2), (math.log(0.75), math.log(0.25))), Pick((1, 2), (math.log(0.25), math.log(0.75)))
    assert delta_of([pick], [other], 0.0) == pytest.approx(0.5, rel=1e-3)
    assert delta_of([pick] * 2, [other] * 2, math.log(3)) == pytest.approx(0.5625 - 3 * 0.0625, rel=2e-3)


def test_a_mixture_is_integrated() -> None:
    alone = delta_of_mixtures([(1.0, 0.0)], [(1.0, 1.0)], 3.730632, True, 1.0)
    assert alone == pytest.approx(1e-5, rel=2e-3)
    half = delta_of_mixtures(
        [(0.5, 0.0), (0.5, 0.5)], [(0.5, 1.0), (0.5, 0.5)], 3.730632, True, math.log1p(math.expm1(1.0) / 2)
    )
    assert 0 < half <= 0.5e-5 * 1.002


def test_drawing_never_says_too_much() -> None:
    assert lowest(12, 12, 1e-9) == pytest.approx(1e-9 ** (1 / 12), rel=1e-6)
    assert lowest(0, 12, 1e-9) < 1e-9
    assert lowest(30, 192, 1e-9) < 30 / 192


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_private_function_of_the_specification_is_refuted(page: Path) -> None:
    """All attacks, and of other pages each other program. Hundreds of rounds are compared with exact curves in
    `test_loss_distributions`."""
    step = 1 if page.parent.name == "attacks" else 2
    for block in islice(spec_runner.blocks(page.read_text("utf-8")), 0, None, step) if page.stem != "projects" else ():
        tried = "files" not in block.words and block.options.profile == "sound" and not HUNDREDS.search(block.text)
        if tried and block.heading not in TAKEN_AT_WORD:
            for target in private_targets(block.text, "sound", ENGINE):
                found = target.attacked(random.Random(block.text), 1, 1 if block.heading in DEAR else 2)
                assert found is None or found.breach is None, (block.heading, found)


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_random_private_function_is_refuted(group: int) -> None:
    checked = 0
    for seed in range(group, PRIVATE, GROUPS):
        if seed in LONGEST:
            continue
        text = PROGRAMS["private"].text(seed)
        found = list(PROGRAMS["private"].attack(text, "sound", ENGINE, seed))
        checked += sum(each.tries for each in found)
        assert not any(each.refutations for each in found), text
    assert checked > PRIVATE


COUNTED = """\
function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()
    (D, L) = sample_poisson(0.5, A, B)
    (rows, columns) = size(D)
    laplacian_mechanism(1, 1, rows)
end"""
SUMMED = """\
function f(A::Matrix{<:Data}) :: Priv()
    (D, L) = sample_poisson(0.25, A, A)
    (rows, columns) = size(D)
    total = [0.0, 0.0]
    for i in 1:rows
        total = total + undisc_container(clip(L2, D[i, :]))
    end
    gaussian_mechanism(1, 0.9, 0.4, total)
end"""
READ = """\
function f(A::MetricMatrix(Data, LInf)) :: Priv()
    (rows, columns) = size(A)
    laplacian_mechanism(1, 1, undisc_container(clip(L1, A[rows, :]))) / 2
end"""


def with_records(text: str, weakened: object = unchanged) -> Searched | None:
    """What is found against what is claimed where of two neighbours one has a record more."""
    target = next(private_targets(text, "sound", ENGINE, relation=Relation.ADD_REMOVE))
    return target.attacked(random.Random(text), 6, 25, weakened)  # type: ignore[arg-type]


@pytest.mark.parametrize(("text", "weakened"), [(COUNTED, tighter), (SUMMED, without_delta)], ids=["counted", "summed"])
def test_a_price_that_is_too_low_for_a_record_more_is_refuted(text: str, weakened: object) -> None:
    found, refuted = with_records(text), with_records(text, weakened)
    assert found is not None and found.tries and found.breach is None
    assert refuted is not None and refuted.breach is not None
    one, other = refuted.breach.inputs[0], refuted.breach.others[0]
    assert abs(len(one) - len(other)) == 1 and one.shape[1] == other.shape[1]


def test_what_reads_all_rows_is_told_apart_by_a_record_more() -> None:
    """Nothing is claimed of it; what is refuted here is what might have been."""
    text = READ.replace("(1, 1,", "(2, 1,")
    target = next(private_targets(text, "sound", ENGINE, relation=Relation.ADD_REMOVE))
    claim = PrivacyClaim((0,), 1.0, 0.0)
    found = search(
        target.scheme,
        lambda args, chance: target.interpreter.run(target.method, args, chance),
        lambda setting: [claim],
        random.Random(0),
        6,
        40,
        joining=True,
    )
    assert found.breach is not None and all(math.isinf(each.epsilon) for each in target.claims(found.breach.setting))


def test_no_random_function_is_refuted_by_a_record_more() -> None:
    checked = 0
    for seed in (0, 5, 6, 7, 9):  # the others take longer
        text = PROGRAMS["add-remove"].text(seed)
        found = list(PROGRAMS["add-remove"].attack(text, "sound", ENGINE, seed))
        checked += sum(each.tries for each in found)
        assert not any(each.refutations for each in found), text
    assert checked > 100


def test_the_smallest_program_of_its_kind_is_shown() -> None:
    """A program that the published rules get wrong, found at random and made short."""
    seed, programs = 431, PROGRAMS["programs"]
    short = programs.smallest(seed, "published", 150)
    assert len(short) < len(programs.text(seed)) / 2
    assert any(each.refutations for each in programs.attack(short, "published", Engine(), seed))


def test_every_row_that_releases_or_draws_is_run() -> None:
    random_rows = {row.name for row in builtins.TABLE.values() if any(form.noise for form in row.forms)}
    assert random_rows <= RANDOM.keys()
    assert set(WITHOUT_MEANING) - RANDOM.keys() == {"internal_mutate"}


def test_vectors_are_noised_entry_by_entry() -> None:
    noise = DrawnNoise(array([Fraction(0), Fraction(2)]), Fraction(1))
    assert noise.log_density(array([Fraction(0), Fraction(2)])) == pytest.approx(-2 * math.log(2))
    assert noise.log_density(Fraction(0)) == -math.inf
