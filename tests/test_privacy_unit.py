"""What is said of a person's records: how a change of them becomes a bound, and the chain to what is told."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from dp_lsp.analysis.records import Analysis, FunctionReport, Options, Setting
from dp_lsp.analysis.workspace import Document
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from dp_lsp.features.decorations import lenses
from dp_lsp.features.hover import hover
from dp_lsp.problem import Edit
from dp_lsp.text import Source, Span

STATED = """\
# ▸ bids: 1 record ▸ map 1 ▸ sum ≤ 20 ▸ Laplace ε = eps
# stability of bids: d_in = 1 → ε = eps · d_in = d → ε = d⋅eps
function takings(bids::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    paid = map(bid -> clamp(bid, 0, 20), bids)
    laplacian_mechanism(20, eps, sum(paid))
end

# ▸ v: 3 records ▸ histogram ≤ 6 in L1 ▸ Laplace ε = eps
# stability of v: d_in = 3 → ε = eps · d_in = d → ε = d⋅eps/3
function ages(v::MetricVector(Real, ChangeOne, Contributes(3)), eps::Static()) :: Priv()
    laplacian_mechanism(6, eps, histogram(v, [0, 18, 65]))
end

# ▸ v: 1 record ▸ filter 1 ▸ takings(…) ε = eps
# stability of v: d_in = 1 → ε = eps · d_in = d → ε = d⋅eps
function asks(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    takings(filter(x -> x > 3, v), eps)
end

# ▸ v: 1 record ▸ sum ≤ 250 ▸ Gaussian ε = 0.5, δ = 1e-5
# stability of v: d_in = 1 → ε = 0.5, δ = 1e-5
function height(v::MetricVector(Bounded(Real, 0, 250), ChangeOne)) :: Priv()
    noisy = gaussian_mechanism(250, 0.5, 1e-5, [sum(v)])
    noisy[1] / length(v)
end

# ▸ v: 1 record ▸ 2 releases, in all ε = 2⋅eps
# stability of v: d_in = 1 → ε = 2⋅eps · d_in = d → ε = 2⋅d⋅eps
function average(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv()
    total = laplacian_mechanism(10, eps, sum(v))
    number = laplacian_mechanism(1, eps, length(v))
    total / number
end

# ▸ v: 1 record ▸ sum ≤ 10 ▸ Laplace, in all ε = 3⋅eps
# stability of v: d_in = 1 → ε = 3⋅eps · d_in = d → ε = 3⋅d⋅eps
function again(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv()
    s = 0
    for i in 1:3
        s = s + laplacian_mechanism(10, eps, sum(v))
    end
    s
end

# ▸ v: 1 record ▸ … ▸ + ≤ 21 ▸ Laplace ε = eps
# stability of v: d_in = 1 → ε = eps · d_in = d → ε = d⋅eps
function together(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(21, eps, 2 * sum(v) + length(v))
end

# ▸ v: 1 record ▸ … ▸ - ≤ 2 ▸ one sum ≤ 1 ▸ exponential ε = eps/2
# stability of v: d_in = 1 → ε = eps/2 · d_in = d → ε = d⋅eps/2
function price(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    exponential_mechanism(2, eps, [1, 2, 3], p -> count(x -> x >= p, v) - count(x -> x < p, v))
end

# stability of v: d_in = 1 → d_out = max(|L|, |U|) · d_in = d → d_out = d⋅max(|L|, |U|)
total(v::MetricVector(Bounded(Real, L, U), Symmetric), L::Static(), U::Static()) = sum(v)

# stability of v: d_in = k → d_out = 5⋅k · d_in = d → d_out = 5⋅d
several(v::MetricVector(Real, Symmetric, Contributes(k)), k::Static(Integer)) = 5 * length(v)

# stability of v: d_in = 3 → d_out = 1
many(v::MetricVector(Real, Symmetric, Contributes(3))) = length(v) > 3

# stability of v: d_in = 1 → d_out = |d| · d_in = n → d_out = n⋅|d|
taken(v::MetricVector(Bounded(Real, 0, d), Symmetric), d::Static(Integer)) = sum(v)

gradient(x::Vector{<:Data}, m::MetricMatrix(Data, LInf), y::Real) = undisc(clamp(x[1], 0, 1)) + y

function refused(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(9, eps, sum(v))
end

unbounded(v::MetricVector(Real, Symmetric)) = rem(length(v))
"""
DISTANCE = "number of records that are in one and not in the other"


def check(text: str, options: Options | None = None) -> Analysis:
    return Engine().check(text, options or Options())


def stated(text: str) -> dict[str, list[str]]:
    """What stands in the comments above each function."""
    found: dict[str, list[str]] = {}
    above: list[str] = []
    for line in text.splitlines():
        name = re.match(r"(?:function )?(\w+)\(", line)
        if line.startswith("# "):
            above.append(line.removeprefix("# "))
        elif name:
            found.setdefault(name[1], above)
            above = []
    return {name: lines for name, lines in found.items() if name not in ("laplacian_mechanism",)}


def plain(markdown: str) -> str:
    return re.sub(r"[\\`*]", "", markdown)


def told(analysis: Analysis, function: FunctionReport) -> Iterator[str]:
    yield from (f"▸ {each}" for each in function.proved_chains)
    found = hover(analysis, function.name_span.start)
    assert found is not None
    for line in plain(found.markdown).splitlines():
        if line.startswith("- stability"):
            yield line.removeprefix("- ").partition(", where d_in is the ")[0]


def test_what_is_told_is_what_stands_above_each_function() -> None:
    analysis = check(STATED)
    expected = stated(STATED)
    for function in analysis.functions:
        assert list(told(analysis, function)) == expected[function.name], function.name


def test_a_lens_shows_the_chain_of_what_is_proved_now() -> None:
    document = Document("file:///a.jl", 1, STATED)
    document.settle(0, check(STATED))
    titles = [lens.title for lens in lenses(document)]
    chains = [line.removeprefix("▸ ") for lines in stated(STATED).values() for line in lines if line.startswith("▸")]
    assert [title for title in titles if "▸" in title] == chains
    assert all(lens.explained for lens in lenses(document))
    at = STATED.index("sum(paid)")
    edited = STATED[:at] + "sum(bids)" + STATED[at + len("sum(paid)") :]
    document.edit(2, Source(edited), [Edit(Span(at, at + len("sum(paid)")), "sum(bids)")])
    now = [lens.title for lens in lenses(document) if "▸" in lens.title]
    assert now == [chain for chain in chains if "takings" not in chain and "map" not in chain], "its caller is not, too"


def test_hover_on_a_dataset_parameter_says_what_its_distance_is() -> None:
    analysis = check(STATED)
    found = hover(analysis, STATED.index("bids::") + 1)
    assert found is not None
    text = plain(found.markdown)
    assert f"stability: d_in = 1 → ε = eps · d_in = d → ε = d⋅eps, where d_in is the {DISTANCE}" in text
    for place in ("x::Vector", "m::MetricMatrix", "y::Real", "sum(paid)", "paid ="):
        other = hover(analysis, STATED.index(place) + 1)
        assert other is not None and "stability" not in other.markdown, place


def test_the_configuration_is_named_where_it_counts() -> None:
    text = "total(m::MetricMatrix(Data, LInf)) = undisc(clamp(m[1, 1], 0, 1))\n"
    (function,) = check(text, Options(contributes=2)).functions
    assert function.parameters[0].stability is not None
    assert function.parameters[0].stability.shown == ("d_in = 2 → d_out = 1",)
    counted, there = "a person has at most 2 records in `m` (`contributes`)", ["1 ≤ rows(m)", "1 ≤ cols(m)"]
    assert [each.text for each in function.conditions] == [*there, counted]
    (function,) = check(text).functions
    assert function.parameters[0].stability is None
    assert [each.text for each in function.conditions] == there


def test_the_report_and_the_explanation_say_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jl").write_text(STATED, "utf-8")
    assert main(["check", "--output-format", "json", "--no-cache", "a.jl"]) == 1
    functions = {each["name"]: each for each in json.loads(capsys.readouterr().out)["files"][0]["functions"]}
    assert functions["ages"]["parameters"][0]["stability"] == {"d_in": "3", "general": "d*eps/3"}
    assert functions["height"]["parameters"][0]["stability"] == {"d_in": "1", "general": None}
    assert functions["ages"]["chains"] == ["v: 3 records ▸ histogram ≤ 6 in L1 ▸ Laplace ε = eps"]
    assert "chains" not in functions["refused"] and "stability" not in functions["gradient"]["parameters"][0]
    assert main(["explain", "a.jl:ages"]) == 0
    page = plain(capsys.readouterr().out)
    assert "- v: 3 records ▸ histogram ≤ 6 in L1 ▸ Laplace ε = eps\n- stability of v: d_in = 3 → ε = eps" in page


def test_what_is_remembered_of_other_persons_is_kept_apart() -> None:
    text = "count_of(v::MetricVector(Real, Symmetric)) = length(v)\n"
    engine = Engine()
    moved = []
    for contributes in (1, 3, 1, 2):
        (function,) = engine.check(text, Options(contributes=contributes)).functions
        moved.append(function.parameters[0].sensitivity)
    assert moved == ["1", "3", "1", "2"]


@pytest.mark.parametrize(
    ("annotation", "distance"),
    [
        ("MetricVector(Data, L1)", "number of entries that differ (change-one: L1 over 𝔻)"),
        ("MetricMatrix(Data, LInf)", "number of rows that differ (change-one: LInf over 𝔻)"),
        ("MetricVector(Real)", "number of records that are replaced"),
        ("MetricVector(Real, Symmetric)", DISTANCE),
        ("MetricVector(Data, L2)", "L2 distance over 𝔻"),
        ("MetricVector(Real, L1)", "L1 distance over ℝ"),
    ],
)
def test_hover_says_how_data_are_compared(annotation: str, distance: str) -> None:
    analysis = check(f"f(v::{annotation}) = v\n")
    found = hover(analysis, 2)
    assert found is not None and f"· {distance}" in plain(found.markdown)


def test_what_is_too_large_says_that_a_person_has_several_records() -> None:
    text = "function f(v::MetricVector(Bounded(Real, 0, 3), Symmetric, Contributes(2)), eps::Static()) :: Priv()\n"
    (problem,) = check(text + "    laplacian_mechanism(3, eps, sum(v))\nend\n").problems
    assert (
        problem.message
        == "the noise hides a change of 3, but `sum(v)` can change by 6; against that change it gives ε = 2⋅eps"
    )
    said = [each.message for each in problem.related]
    assert "`v` enters here, with up to 2 records of a person" in said and "3 times as much" in said


SAMPLED = """\
function sampled(A::Matrix{<:Data}, B::Matrix{<:Data}, q::Static(), sigma::Static()) :: Priv()
    (D, L) = sample_poisson(q, A, B)
    (rows, columns) = size(D)
    total = [0.0, 0.0]
    for i in 1:rows
        total = total + undisc_container(clip(L2, D[i, :]))
    end
    gaussian_noise(1, sigma, total)
end
"""


@pytest.mark.parametrize(("rate", "records"), [("1/10", 2), ("1/10", 3), ("1/2", 3)])
def test_several_records_that_are_sampled_cost_what_neighbours_attain(rate: str, records: int) -> None:
    """All records of a person are at 1 in one dataset, and at -1 in the other: what is released are means over how many
    of them are drawn, told apart best by a threshold."""
    delta, drawn, deviation = 1e-5, Fraction(rate), 2
    settings = (Setting(None, "q", drawn), Setting(None, "sigma", Fraction(deviation)))
    options = Options(settings=settings, target_delta=Fraction(1, 10**5), contributes=records)
    (found,) = Engine().check(SAMPLED, options).functions
    claimed = max(float(each.epsilon) for each in found.numeric if each.epsilon is not None)
    weights = [
        math.comb(records, j) * float(drawn) ** j * float(1 - drawn) ** (records - j) for j in range(records + 1)
    ]

    def beyond(place: float, sign: int) -> float:
        return sum(
            weight * math.erfc((place - sign * j) / (deviation * math.sqrt(2))) / 2 for j, weight in enumerate(weights)
        )

    def attained(epsilon: float) -> float:
        places = (step / 50 for step in range(-500, 1500))
        return max(beyond(place, 1) - math.exp(epsilon) * beyond(place, -1) for place in places)

    assert attained(claimed) <= delta < attained(claimed / 6)
