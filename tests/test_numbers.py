"""Bounds in numbers: ``--set`` and ``--target-delta`` in reports and explanations."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from dp_lsp.accounting import resolve
from dp_lsp.analysis.records import Options, Setting
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine

STEPS = """\
function descend(x::Real, eps::Static(), del::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + gaussian_mechanism(1, eps, del, x)
    end
    y
end
"""
FIVE_ROUNDS = """\
function fooloop(x::Integer) :: Priv()
    y = 0.0
    for i in 1:5
        y = y + gaussian_mechanism(1, 0.1, 0.2, x)
    end
    y
end
"""
GOLDEN = ("--set", "eps=0.1", "--set", "del=1e-6", "--set", "k=100", "--target-delta", "1.01e-4")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.jl"
    path.write_text(STEPS, encoding="utf-8")
    return path


def numeric(text: str, delta: str | None, **numbers: str) -> dict[tuple[str, ...], NumericReport]:
    """The figures of the last function of a program."""
    settings = tuple(Setting(None, name.replace("del_", "del"), Fraction(value)) for name, value in numbers.items())
    target = None if delta is None else Fraction(delta)
    function = Engine().check(text, Options(settings=settings, target_delta=target)).functions[-1]
    return {each.parameters: each for each in function.numeric}


def table(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[list[str]]:
    assert main(["explain", *arguments]) == 0
    page = capsys.readouterr().out
    part = page[page.index("## In numbers") :].split("\n\n")[1]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines()[2:]]


def test_a_hundred_gaussian_steps(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The golden value beside the published one, which is marked."""
    first, *_, last = table(capsys, *GOLDEN, "a.jl:descend")
    assert first[0] == "Gaussian privacy, μ = 0.1888" and first[1].startswith("0.5630") and first[3] == "proved"
    assert last[0] == "the published formula" and last[1].startswith("10.51") and last[3] == "not proved"


def test_rules_are_listed_best_first(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    *proved, _ = table(capsys, *GOLDEN, "a.jl:descend")
    values = [float(row[1]) for row in proved]
    assert values == sorted(values) and {row[3] for row in proved} == {"proved"}
    named = dict(row[0].partition(", ")[::2] for row in proved)
    assert named["basic composition"] == "" and re.fullmatch(r"α = \d+\.\d+", named["Rényi privacy"])
    assert re.fullmatch(r"ρ = 0\.01781, α = \d+\.\d+", named["zero-concentrated privacy"])


def test_a_report_holds_the_smallest(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--output-format", "json", *GOLDEN, "a.jl"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["files"][0]["functions"][0]["numeric"]
    assert found["parameters"] == ["x"] and found["rule"] == "gaussian"
    assert 0.563000 <= found["epsilon"] < 0.563001 and found["delta"] == 1.01e-4


def test_without_a_target_the_headline_is_as_small_as_can_be_proved_at_its_delta() -> None:
    found = numeric(STEPS, None, eps="0.1", del_="1/1000000", k="100")[("x",)]
    assert found.rule == "gaussian" and found.delta == Fraction(1, 10**4) and found.epsilon < 0.5636


def test_missing_numbers_are_named() -> None:
    assert numeric(STEPS, "1e-5", eps="0.1")[("x",)].missing == ("del", "k")
    assert numeric(STEPS, None, eps="0.1", del_="1e-6")[("x",)].missing == ("k",)


def test_more_rounds_than_delta_can_pay_for_are_still_priced() -> None:
    assert numeric(STEPS, "1e-7", eps="0.1", del_="1e-6", k="100")[("x",)].epsilon < 1.5


PURE = """
function f(x::Real, e::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + {release}
    end
    y
end
"""


@pytest.mark.parametrize(
    ("release", "epsilon", "rounds", "most", "least"),
    [
        ("laplacian_mechanism(1, e, x)", "1", "1000", 496.72, 486.297),
        ("laplacian_mechanism(1, e, x)", "0.1", "100", 4.9843, 4.69266),
    ],
)
def test_golden_values_of_pure_steps(release: str, epsilon: str, rounds: str, most: float, least: float) -> None:
    """No less than what is exact, no more than the best rule that is not a library's."""
    text = PURE.format(release=release)
    found = numeric(text, "1e-6", e=epsilon, k=rounds)[("x",)]
    assert least <= found.epsilon <= most


CALLS = """
function once(x::Real, e::Static()) :: Priv()
    laplacian_mechanism(1, e / 3, x)
end

function twice(x::Real, e::Static()) :: Priv()
    once(x, e) + once(2 * x, e / 2)
end

function f(x::Real, y::Real, e::Static()) :: Priv()
    z = 0.0
    for i in 1:7
        z = z + twice(x + y, e)
    end
    z
end
"""


def test_numbers_travel_into_calls() -> None:
    """7·(e/3 + 2·e/6), and a pure mechanism has that at δ 0."""
    found = numeric(CALLS, "0", e="0.3")
    assert found[("x",)].epsilon == found[("y",)].epsilon == pytest.approx(7 * 0.2)
    assert Fraction(found[("x",)].epsilon) >= Fraction(7, 5)


def test_a_long_chain_of_calls_has_numbers() -> None:
    first = "f0(x::Real, e::Static()) :: Priv() = laplacian_mechanism(1, e, x)\n"
    rest = "".join(f"f{i}(x::Real, e::Static()) :: Priv() = f{i - 1}(x, e / 2)\n" for i in range(1, 300))
    assert numeric(first + rest, "0", e="1")[("x",)].epsilon >= 0


def test_where_a_tree_is_too_large_the_closed_form_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = numeric(CALLS, "0", e="0.3")[("x",)]
    monkeypatch.setattr(resolve, "MOST", 4)
    assert numeric(CALLS, "0", e="0.3")[("x",)] == whole


def record(numbers: dict[tuple[str, ...], NumericReport]) -> Any:
    return {names: each.epsilon for names, each in numbers.items()}


SAMPLE = """
function f(A::Matrix{<:Data}, B::Matrix{<:Data}, e::Static(), b::Static(Integer)) :: Priv()
    C = unbox(rows(A), Matrix{<:Data}, (100, 3))
    (D, L) = sample(b, A, B)
    v = undisc_container(clip(L1, D[1, :]))
    w = undisc_container(clip(L1, L[1, :]))
    x = laplacian_mechanism(2, e, v)
    y = laplacian_mechanism(2, e, w)
    (x, y)
end
rows(A)::BlackBox() = A
"""


def test_a_record_has_numbers_of_its_own() -> None:
    settings = tuple(
        Setting(None, name, Fraction(number)) for name, number in (("e", "1"), ("b", "5"), ("rows(A)", 100))
    )
    function = Engine().check(SAMPLE, Options(settings=settings, target_delta=Fraction(0))).functions[0]
    found = record({each.parameters: each for each in function.numeric})
    assert found.keys() == {("A",), ("B",), ("A", "B")}
    assert found["A", "B"] == pytest.approx(math.log1p(0.05 * math.expm1(2)))


@pytest.mark.parametrize("delta", ["1", "-1e-5", "small", "1e-5x"])
def test_a_target_is_a_number_below_one(delta: str, program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "explain"):
        assert main([command, "--target-delta", delta, "a.jl"]) == 2
        assert re.search(r"is not a number from 0 to below 1", capsys.readouterr().err)


def test_numbers_go_with_functions_only(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--target-delta", "1e-5", "DP301"]) == 2
    assert "go with FILE:FUNCTION" in capsys.readouterr().err
    assert main(["explain", "--set", "kk=3", "a.jl:descend"]) == 2
    assert "kk" in capsys.readouterr().err


MIXED = """\
function mixed(x::Real, eps::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + laplacian_mechanism(1, eps, x)
    end
    y
end
"""


def places(chart: ElementTree.Element, tag: str) -> list[tuple[float, float]]:
    """The points of all strokes of a chart."""
    found = [place.split(",") for stroke in chart.iter(tag) for place in stroke.get("points", "").split()]
    return [(float(x), float(y)) for x, y in found]


def test_a_plot(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both curves, with the rules they are proved by, in words too; less δ costs more, and so do more rounds."""
    program.write_text(MIXED, encoding="utf-8")
    arguments = ["--set", "eps=0.1", "--set", "k=12", "--target-delta", "1e-5", "--plot", "out.svg", "a.jl:mixed"]
    assert main(["explain", *arguments]) == 0
    assert "In numbers" in capsys.readouterr().out
    picture = ElementTree.parse(program.with_name("out.svg")).getroot()
    space = "{http://www.w3.org/2000/svg}"
    title, description = (picture.findtext(f"{space}{tag}") or "" for tag in ("title", "desc"))
    assert picture.get("role") == "img" and "mixed" in title and "iterations" in description
    by_delta, by_rounds = (places(chart, f"{space}polyline") for chart in picture.iter(f"{space}g"))
    assert [x for x, _ in by_delta] == sorted(x for x, _ in by_delta)
    assert [y for _, y in by_delta] == sorted(y for _, y in by_delta), "down the page is less"
    assert [y for _, y in by_rounds] == sorted((y for _, y in by_rounds), reverse=True)
    words = [text.text for text in picture.iter(f"{space}text")]
    assert {"Rényi privacy", "optimal composition", "total δ", "as given"} <= set(words)


def test_a_plot_needs_numbers(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place in ("a.jl:descend", "a.jl:2"):
        assert main(["explain", "--set", "k=3", "--plot", "out.svg", place]) == 2
        assert "has all its numbers" in capsys.readouterr().err
    assert not program.with_name("out.svg").exists()


def test_all_of_several_and_of_two_ways_are_charged() -> None:
    """Whichever branch comes first; and what a matrix spends past a sample of it, beside what it spends through it."""
    sides = "laplacian_mechanism(1, 0.1, x)", "laplacian_mechanism(1, 1, x)"
    for one, other in (sides, sides[::-1]):
        found = numeric(f"f(x::Real, c::Static()) :: Priv() = c > 0 ? {one} : {other}", "1e-6")[("x",)]
        assert found.epsilon is not None and 0.999 <= found.epsilon <= 1
    clipped = "sum(undisc_container(clip(L1, {}[1, :])))"
    text = (
        "function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()\n    (D, L) = sample(1, A, B)\n"
        f"    laplacian_mechanism(4, 1, {clipped.format('D')} + {clipped.format('A')})\nend"
    )
    both = numeric(text, "1e-9", **{"rows(A)": "10"})[("A",)].epsilon
    assert both is not None and float(both) == pytest.approx(0.5 + math.log1p(math.expm1(0.5) / 10))


IMPOSSIBLE = """\
function rounds(x::Real, k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + laplacian_mechanism(1, 1, x)
    end
    y
end
between(x::Real, p::Static(Bounded(Real, 1, 2))) :: Priv() = laplacian_mechanism(1, p, x)
scaled(x::Real, n::Static(Integer)) = x / n
average(v::MetricVector(Bounded(Real, 0, 1), ChangeOne), e::Static()) :: Priv() =
    laplacian_mechanism(1 / length(v), e, mean(v))
"""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rounds:k=0.5", "`k` is a whole number, and `k = 1/2` does not hold"),
        ("between:p=3", "`p` is at most 2, and `p = 3` does not hold"),
        ("between:p=1/2", "`p` is at least 1, and `p = 1/2` does not hold"),
        ("scaled:n=3/2", "`n` is a whole number, and `n = 3/2` does not hold"),
        ("average:length(v)=5/2", "`length(v)` is a whole number that is not negative, and `length(v) = 5/2` does not"),
        ("average:length(v)=-1", "`length(v)` is a whole number that is not negative, and `length(v) = -1` does not"),
    ],
)
def test_numbers_that_cannot_be_are_an_error(
    given: str, said: str, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bound for them would be one of no run at all."""
    program.write_text(IMPOSSIBLE, "utf-8")
    asked = ["check", "a.jl", "--no-cache", "--set", given, "--set", "average:e=1"]
    assert main([*asked, "--output-format", "json"]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    name = given.partition(":")[0]
    (function,) = (each for each in file["functions"] if each["name"] == name)
    assert function["status"] == "failed"
    assert not function.get("numeric")
    assert any(each["code"] == "DP304" and said in each["message"] for each in file["diagnostics"])
    assert main([*asked, "--certificate", "c.json"]) == 1
    assert name not in {each["function"] for each in json.loads(Path("c.json").read_text("utf-8"))["bounds"]}


@pytest.mark.parametrize(
    ("most", "said"), [("0.3333333333", "0.3333333333"), ("0.1", "0.1"), ("0.3333333333333333", "0.333333333333")]
)
def test_a_limit_is_not_shown_larger_than_it_is(
    most: str, said: str, program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program.write_text("f(x::Real, e::Static()) :: Priv() = laplacian_mechanism(1, e, x)\n", "utf-8")
    Path("dp-lsp.toml").write_text(f"max-epsilon = {most}\n", "utf-8")
    assert main(["check", "a.jl", "--no-cache", "--set", "e=1/3"]) == 1
    assert f"`max-epsilon` allows {said}\n" in capsys.readouterr().out


@pytest.mark.parametrize("delta", ["1e-5", "1e-6", "1e-7", "3e-9", "0.1"])
def test_a_delta_that_is_written_down_is_not_above_the_one_asked_for(
    delta: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And a function is judged by what is proved at it, whatever its sum of δ comes to."""
    file = tmp_path / "adv.jl"
    file.write_text(FIVE_ROUNDS, "utf-8")
    assert main(["check", "--no-cache", "--output-format", "json", "--target-delta", delta, str(file)]) == 0
    text = capsys.readouterr().out
    (function,) = json.loads(text, parse_float=Fraction)["files"][0]["functions"]
    (numeric,) = function["numeric"]
    assert function["status"] == "proved" and "not private as declared" not in text
    assert numeric["delta"] <= Fraction(delta) and numeric["epsilon"] <= Fraction("0.7")


@pytest.mark.parametrize(("border", "adapts"), [("7", False), ("a", True), ("a + 7", True)])
def test_curves_of_parts_are_not_exchanged_by_what_was_released(border: str, adapts: bool) -> None:
    """Where what was released decides in which part a record lies, the dearer part need not cost most: the curves of
    two parts may cross. So it is as if the record were in both."""
    text = f"""
function f(v::MetricVector(Real, Symmetric)) :: Priv()
    a = gaussian_noise(1, 3, length(v))
    b = laplacian_mechanism(1, 1/2, count(x -> x < {border}, v))
    c = gaussian_noise(1, 2, count(x -> x >= {border}, v))
    [b, c]
end
"""
    both = text.replace("x >=", "x > 0 && x <")
    (found,), (twice,) = (numeric(each, "1e-6").values() for each in (text, both))
    assert (found.epsilon == twice.epsilon) is adapts and found.epsilon <= twice.epsilon
