"""Proved functions run on data: what is released, what is refused, and that noise has the distribution it is priced
by."""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import sys
import time
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dp_lsp import builtins
from dp_lsp.analysis.limits import OutOfTime
from dp_lsp.builtins.meanings import MEANINGS, array
from dp_lsp.builtins.randomness import COMPUTED, RANDOM, RELEASED
from dp_lsp.cli import main, output
from dp_lsp.cli import run as command
from dp_lsp.core.types import Norm
from dp_lsp.engine.check import Engine
from dp_lsp.release import noise, running, sources
from dp_lsp.release.running import chained
from source_tree import ROOT

SURVEY = str(ROOT / "fixtures" / "programs" / "survey.jl")


# What is released


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[int]]:
    """A table of 100,000 people, and their ages."""
    source = random.Random(1)
    ages = [source.randint(0, 100) for _ in range(100_000)]
    path = tmp_path_factory.mktemp("data") / "people.csv"
    lines = (f"{age},{source.randint(0, 2)},{source.lognormvariate(10, 1):.2f}\n" for age in ages)
    path.write_text("age,activity,income\n" + "".join(lines), "utf-8")
    return str(path), ages


def released(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a run prints for programs."""
    code = main(["run", *arguments, "--output-format", "json"])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert main(["schema", "release"]) == 0
    found = json.loads(printed.out)
    jsonschema.validate(found, json.loads(capsys.readouterr().out))
    return found


def test_many_people(people: tuple[str, list[int]], capsys: pytest.CaptureFixture[str]) -> None:
    """Laplace noise is 21 times its scale once in 10^9 times."""
    path, ages = people
    data = ("--data", path, "--column", "age", "--set", "eps=2")
    mean = released(capsys, SURVEY, "mean_age", *data)
    assert abs(mean["value"] - sum(ages) / len(ages)) < 21 * 100 / 101 / 2
    assert mean["drawn"] == {"Laplace": 1}
    counts = released(capsys, SURVEY, "ages", *data)["value"]
    edges = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 101]
    true = [sum(low <= age < high for age in ages) for low, high in pairwise(edges)]
    assert max(abs(a - b) for a, b in zip(counts, true, strict=True)) < 24 / 2
    median = released(capsys, SURVEY, "median_age", *data)
    assert median["value"] == 50
    (guarantee,) = median["guarantees"]
    assert guarantee["proved"] == {"epsilon": 2, "delta": 0}
    assert (guarantee["epsilon"], guarantee["delta"]) == (2, 0)


def test_what_is_printed(people: tuple[str, list[int]], capsys: pytest.CaptureFixture[str]) -> None:
    path, _ = people
    assert main(["run", SURVEY, "mean_age", "--data", path, "--set", "eps=1/2", "--column", "age=age"]) == 0
    value, *rest = capsys.readouterr().out.splitlines()
    assert abs(float(value) - 50) < 50
    assert rest == [
        "  ε 0.5, δ 0 (rule basic) for age, where one record is added or removed",
        "  drawn by OpenDP: 1 Laplace",
        "  not checked: that no person has more than one record of 'age'",
        "  every run spends this again, and nothing keeps count: --ledger FILE does",
    ]


def test_only_public_numbers_are_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many records there are is private where one may come or go."""
    given = ("--data", "one.csv", "--set", "eps=1")
    assert released(capsys, "p.jl", "total", *given)["numbers"] == {"eps": "1"}
    assert released(capsys, "p.jl", "mean_of", *given)["numbers"] == {"eps": "1", "length(v)": "3"}
    found = released(capsys, "p.jl", "rows_of", "--data", "one.csv", "--set", "eps=1/2", "--set", "del=1e-5")
    assert found["numbers"] == {"cols(m)": "1", "del": "1/100000", "eps": "1/2"}
    assert len(found["value"][0]) == 1


PROGRAM = """\
function total(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(10, eps, sum(v))
end
function mean_of(v::MetricVector(Bounded(Real, 0, 10), ChangeOne), eps::Static()) :: Priv()
    laplacian_mechanism(10 / length(v), eps, mean(v))
end
function few(v::MetricVector(Real, Symmetric, AtLeast(4)), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, count(x -> x > 2, v))
end
function rows_of(m::MetricMatrix(Real, Symmetric, RowNorm(L2, 5)), eps::Static(), del::Static()) :: Priv()
    gaussian_mechanism(5, eps, del, sum(m; dims=1))
end
function several(v::MetricVector(Bounded(Real, 0, 10), Symmetric, Contributes(3)), eps::Static()) :: Priv()
    laplacian_mechanism(30, eps, sum(v))
end
function two(v::MetricVector(Data, L1), w::MetricVector(Data, L1), eps::Static()) :: Priv()
    a = laplacian_mechanism(2, eps, histogram(v, [0, 5, 10]))
    b = laplacian_mechanism(2, eps, histogram(w, [0, 5, 10]))
    (a[1], b[1])
end
ask(x::Bool, eps::Static()) :: Priv() = randomized_response(eps, x)
asked(x::Bool) :: Priv() = randomized_response(1, x)
function long(v::MetricVector(Real, Symmetric), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y / 3 + laplacian_mechanism(1, 0.001, length(v))
    end
    y
end
whole(v::MetricVector(Integer, Symmetric), eps::Static()) :: Priv() = laplacian_mechanism(1, eps, length(v))
norms(v::MetricVector(Real, L2), eps::Static()) :: Priv() = laplacian_mechanism(1, eps, v)
resized(v::MetricVector(Bounded(Real, 0, 10), Symmetric), n::Static(Integer), eps::Static()) :: Priv() =
    laplacian_mechanism(10, eps, sum(resize(v, n, 0)))
function once(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    a = laplacian_mechanism(1, eps, length(v))
    @assert a > 1000
    a
end
function wrong(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, sum(clamp(v, 0, 10)))
end
plain(v::MetricVector(Bounded(Real, 0, 10), Symmetric)) = sum(v)
helper(x) :: BlackBox() = x
function boxed(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    a = laplacian_mechanism(1, eps, length(v))
    unbox(helper(a), Real)
end
guessed(x, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, sum(x))
twice(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)
twice(x::Bool, eps::Static()) :: Priv() = randomized_response(eps, x)
function up_to(v::MetricVector(Real, Symmetric, Contributes(k)), k::Static(Integer), eps::Static()) :: Priv()
    laplacian_mechanism(k, eps, length(v))
end
start(m::Static(DMModel), v::MetricVector(Real, Symmetric), eps::Static()) :: Priv() =
    laplacian_mechanism(1, eps, length(v))
function spread(m::MetricMatrix(Bounded(Real, 0, 10), ChangeOne), eps::Static()) :: Priv()
    laplacian_mechanism(100 / size(m, 1), eps, covariance(m, 1, 2; corrected=false))
end
function drawn(X::Matrix{<:Data}, y::Matrix{<:Data}, eps::Static(), del::Static()) :: Priv()
    (a, b) = sample(1, X, y)
    g = gaussian_mechanism(2, eps, del, undisc_container(clip(L2, a)))
    h = gaussian_mechanism(2, eps, del, undisc_container(clip(L2, b)))
    (g, h)
end
function with_unused(x::Real, v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, length(v))
end
function by_rows(m::MetricMatrix(Real, Symmetric), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, size(m, 1))
end
function sized(v::MetricVector(Bounded(Real, 0, 10), ChangeOne, Size(n)), n::Static(Integer), eps::Static()) :: Priv()
    laplacian_mechanism(10 / n, eps, mean(v))
end
function wide(m::MetricMatrix(Bounded(Real, 0, 1), ChangeOne, Size(100)), eps::Static()) :: Priv()
    laplacian_mechanism(1 / 100, eps, covariance(m, 1, 2; corrected=false))
end
function both(v::MetricVector(Real, L2), w::MetricVector(Real, L2), sigma::Static()) :: Priv()
    gaussian_noise(2, sigma, v + w)
end
function binned(v::MetricVector(Real, Symmetric), edges::Static(Vector{<:Real}), eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, histogram(v, edges))
end
function noisy(v::MetricVector(Real, Symmetric), sigma::Static()) :: Priv()
    gaussian_noise(1, sigma, length(v))
end
between(x::Real, p::Static(Bounded(Real, 1, 2))) :: Priv() = laplacian_mechanism(1, p, x)
accepted(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, 2 * x)  # dp: ignore[DP301] it is known
"""
TABLE = "a,b\n1,2\n3,4.5\n10,0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program and a table, which is the working folder."""
    (tmp_path / "p.jl").write_text(PROGRAM, "utf-8")
    (tmp_path / "t.csv").write_text(TABLE, "utf-8")
    (tmp_path / "years.csv").write_text("2019,2020\n1,2\n", "utf-8")
    (tmp_path / "who.csv").write_text("who,a\nx,1\ny,2\n x ,3\n7,4\n7.0,5\n", "utf-8")
    (tmp_path / "one.csv").write_text("1\n2\n3\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], function: str, *more: str, eps: bool = True) -> tuple[int, str]:
    """The exit code of a run, and what it says."""
    code = main(["run", "p.jl", function, *more, *(("--set", "eps=2") if eps else ())])
    printed = capsys.readouterr()
    assert (code == 0) == bool(printed.out)
    return code, printed.out or printed.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("function", "arguments", "said"),
    [
        ("total", ["--data", "t.csv", "--column", "a"], "ε 2, δ 0 (rule basic) for v, where one record is added"),
        ("total", ["--set", "v=[1, 2.5, 1/3]"], "ε 2"),
        ("total", ["--data", "one.csv"], "ε 2"),
        ("total", ["--data", "one.csv", "--column", "v=1", "--no-header"], "ε 2"),
        ("mean_of", ["--data", "v=t.csv", "--column", "b"], "one record is replaced by another"),
        ("rows_of", ["--set", "eps=1/2", "--set", "del=1e-6", "--set", "m=[3, 4; 0, 1]"], "δ 1e-6"),
        ("several", ["--data", "one.csv"], "not checked: that no person has more than 3 records of 'v'"),
        ("two", ["--data", "t.csv", "--column", "v=a", "--column", "w=b"], "for w"),
        ("two", ["--data", "v=t.csv", "--data", "w=one.csv", "--column", "v=a"], "one entry is replaced by another"),
        ("two", ["--set", "v=[1]", "--set", "w=[2]"], "not checked: that no person has more than one record of 'w'"),
        ("ask", ["--set", "x=true"], "it is any other value"),
        ("asked", ["--set", "x=0"], "ε 1"),
        ("long", ["--data", "one.csv", "--set", "k=1000"], "1,000 Laplace"),
        ("whole", ["--set", "v=[]"], "ε 2"),
        ("resized", ["--set", "v=[1, 2]", "--set", "n=3"], "ε 2"),
        ("norms", ["--set", "v=[1, 2, 3, 4]"], "ε 4"),
        ("total", ["--set", "total:v=[1, 2]", "--target-delta", "0"], "ε 2"),
        ("sized", ["--data", "one.csv", "--set", "n=3"], "ε 2, δ 0"),
        ("up_to", ["--data", "one.csv", "--set", "k=2"], "one record is added or removed, and that up to 2 times"),
        ("up_to", ["--data", "one.csv", "--set", "k=2"], "not checked: that no person has more than 2 records of 'v'"),
        ("start", ["--data", "one.csv", "--set", "m=[1, 2]"], "ε 2, δ 0"),
        ("binned", ["--data", "one.csv", "--set", "edges=[0, 2, 5/2]"], "2 Laplace"),
        ("two", ["--data", "t.csv", "--column", "v=a", "--column", "w=a"], "ε 4, δ 0 (rule joint) for whoever"),
    ],
)  # fmt: skip
def test_released(function: str, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = any(each.startswith("eps=") for each in arguments) or function in ("asked", "long")
    code, printed = run(capsys, function, *arguments, eps=not given)
    assert code == 0, printed
    assert said in printed


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("function", "arguments", "code", "said"),
    [
        ("wrong", ["--data", "one.csv"], 1, "'wrong' is not proved, it is failed: line "),
        ("plain", ["--data", "one.csv"], 1, "it adds no noise"),
        ("helper", ["--set", "x=1"], 1, "is a black box"),
        ("boxed", ["--data", "one.csv"], 1, "'boxed' uses the black box 'helper'"),
        ("guessed", ["--set", "x=[1]"], 1, "whom does `guessed` protect?"),
        ("accepted", ["--set", "x=1"], 1, "'accepted' is not proved, it is unknown"),
        ("twice", ["--set", "x=1"], 1, "has 2 methods"),
        ("once", ["--data", "one.csv"], 1, "the program fails: an assertion fails"),
        ("total", ["--data", "t.csv", "--column", "a", "--set", "eps=-1"], 1, "is not proved, it is failed"),
        ("total", ["--set", "v=[1, 11]"], 1, "--set v, entry 2: a value of 'v' does not lie between 0 and 10"),
        ("total", ["--set", "v=[1]", "--set", "eps=1e-15"], 1, "noise that is too large or too small"),
        ("few", ["--data", "one.csv"], 1, "'v' has fewer records than the 4 that its type says"),
        ("rows_of", ["--set", "del=.1", "--set", "m=[3, 4; 3, 5]", "--set", "eps=.5"], 1, "a row of 'm' is longer"),
        ("rows_of", ["--set", "del=0", "--set", "m=[3, 4]", "--set", "eps=0.5"], 1, "is not proved, it is failed"),
        ("sized", ["--data", "one.csv", "--set", "n=4"], 1, "'v' has 3 records, and its type says 4"),
        ("sized", ["--data", "one.csv", "--set", "n=2"], 1, "'v' has 3 records, and its type says 2"),
        ("wide", ["--set", "m=[1, 0; 0, 1; 0, 0]"], 1, "'m' has 3 records, and its type says 100"),
        ("mean_of", ["--set", "v=[]"], 1, "is not proved, it is failed"),
        ("whole", ["--set", "v=[1.5]"], 1, "a value of 'v' is not a whole number"),
        ("nobody", [], 2, "there is no function 'nobody' in p.jl"),
        ("total", ["--data", "no.csv"], 2, "no.csv: No such file"),
        ("total", ["--data", "t.csv"], 2, "say by --column … which columns of t.csv are 'v': it has 'a', 'b'"),
        ("total", ["--data", "t.csv", "--column", "c"], 2, "t.csv has no column 'c'; it has a, b"),
        ("total", ["--data", "t.csv", "--column", "a", "--column", "b"], 2, "--column names 2 columns for it"),
        ("start", ["--data", "one.csv"], 2, "'m' has no value: it is static; give it by --set m=[…]"),
        ("binned", ["--data", "one.csv"], 2, "'edges' has no value: it is static; give it by --set edges=[…]"),
        ("binned", ["--data", "one.csv", "--set", "edges=5"], 2, "--set edges: it is not of the form [1, 2, 3]"),
        ("total", ["--data", "one.csv", "--set", "eps=true"], 2, "--set eps: 'true' is not a number"),
        ("total", ["--data", "years.csv", "--column", "2020"], 2, "so it counts as data: --header if these are names"),
        ("total", [], 2, "'v' has no value: give it by --data FILE or --set v=[…]"),
        ("total", ["--set", "v=3"], 2, "--set v: it is not of the form [1, 2, 3]"),
        ("total", ["--set", "w=3"], 2, "'total' has no parameter 'w'; it has v, eps"),
        ("total", ["--set", "length(v)=3", "--data", "one.csv"], 2, "has no parameter 'length(v)'"),
        ("total", ["--set", "other:v=[1]"], 2, "the function that is run is 'total'"),
        ("total", ["--set", "v"], 2, "is not of the form NAME=VALUE"),
        ("total", ["--set", "v=[1]", "--set", "v=[2]"], 2, "--set gives v two values"),
        ("total", ["--set", "v=[x]"], 2, "--set v: 'x' is not a number"),
        ("total", ["--data", "x=t.csv"], 2, "--data x: 'total' has no parameter 'x'"),
        ("ask", ["--set", "x=2"], 2, "--set x: 2 is neither true nor false"),
        ("ask", ["--set", "x=1", "--data", "t.csv"], 2, "has no vector and no matrix"),
        ("resized", ["--set", "v=[1]", "--set", "n=1.5"], 2, "--set n: 1.5 is not a whole number"),
        ("two", ["--data", "t.csv", "--data", "one.csv"], 2, "--data gives a parameter two tables"),
    ],
)  # fmt: skip
def test_refused(function: str, arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = any(each.startswith("eps=") for each in arguments)
    found, printed = run(capsys, function, *arguments, eps=not given)
    assert (found, said in printed) == (code, True), printed


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("function", "arguments", "code", "said"),
    [
        ("several", ["--column", "a"], 0, "not checked: that no person has more than 3 records of 'v'"),
        ("total", ["--column", "a"], 0, "not checked: that no person has more than one record of 'v'"),
        ("several", ["--column", "a", "--person", "who"], 0, ""),
        ("total", ["--column", "a", "--person", "who"], 1, "row 4: this person has more than one record of 'v'"),
        ("total", ["--column", "a", "--person", "v=a"], 0, ""),
        ("total", ["--column", "a", "--person", "name"], 2, "who.csv has no column 'name'; it has who, a"),
        ("total", ["--column", "a", "--person", "a", "--person", "who"], 2, "--person names 2 columns for 'v'"),
        ("total", ["--column", "a", "--person", "w=a"], 2, "--person w: 'total' has no parameter 'w'"),
        ("by_rows", ["--person", "who"], 1, "who.csv, row 4: this person has more than one record of 'm'"),
    ],
)  # fmt: skip
def test_whose_records_they_are(
    function: str, arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Equal numbers are one name, and spaces around a name are none of it."""
    found, printed = run(capsys, function, "--data", "who.csv", *arguments)
    assert found == code, printed
    assert said in printed
    assert ("not checked" in printed) == ("not checked" in said)


def test_who_is_in_several_parameters(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of one table, or of two, a person may be in both: what is guaranteed then comes first."""
    found = released(capsys, "p.jl", "two", "--data", "t.csv", "--column", "v=a", "--column", "w=b", "--set", "eps=1/2")
    joint, *each = found["guarantees"]
    assert (joint["parameters"], joint["rule"], joint["proved"]["epsilon"]) == (["v", "w"], "joint", 1)
    assert [one["proved"]["epsilon"] for one in each] == [0.5, 0.5]
    assert joint["epsilon"] == 1


@pytest.mark.parametrize(
    ("limits", "data", "said"),
    [
        (
            "max-epsilon = 2",
            ("--data", "t.csv"),
            "whoever is in t.csv is in v and w at once, which costs ε 4 together:",
        ),
        ("max-epsilon = 4", ("--data", "t.csv"), ""),
        ("max-epsilon = 2", ("--data", "v=t.csv", "--data", "w=who.csv"), ""),
        ("max-delta = 1e-9", ("--data", "t.csv"), ""),
    ],
)
def test_limits_hold_for_whoever_is_in_a_table(
    folder: Path, limits: str, data: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the numbers that are given; each of two columns is within them. That people of two tables are others, or not,
    nobody says."""
    (folder / "dp-lsp.toml").write_text(limits, "utf-8")
    code, printed = run(capsys, "two", *data, "--column", "v=a", "--column", "w=a")
    assert code == bool(said), printed
    assert said in printed


def test_parts_of_one_record_are_in_one_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or nobody knows whether their rows are in one order; and there are as many of both."""
    said = "not checked: that the rows of 'X' and 'y' are in one order, so that a row of each is about the same person"
    numbers = ("--set", "eps=1/2", "--set", "del=1e-5", "--column", "X=a", "--column", "y=a")
    code, printed = run(capsys, "drawn", *numbers, "--data", "t.csv", eps=False)
    assert code == 0, printed
    assert "for X with y (one record), where one row" in printed
    assert "rule joint" not in printed
    assert said not in printed
    (folder / "u.csv").write_text("a\n1\n2\n3\n", "utf-8")
    assert said in run(capsys, "drawn", *numbers, "--data", "X=t.csv", "--data", "y=u.csv", eps=False)[1]
    code, printed = run(capsys, "drawn", *numbers, "--data", "X=t.csv", "--data", "y=who.csv", eps=False)
    assert code == 1
    assert "'X' has 3 rows and 'y' has 5 rows" in printed


def test_what_costs_nothing_adds_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = released(capsys, "p.jl", "with_unused", "--set", "v=[1]", "--set", "x=3", "--set", "eps=1")
    assert [each["parameters"] for each in found["guarantees"]] == [["x"], ["v"]]


def test_a_terminal_sees_what_takes_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setattr(output, "_PATIENCE", 0.0)
    monkeypatch.setattr(output, "_PAUSE", 0.001)
    made = noise.SampledNoise.laplace
    monkeypatch.setattr(noise.SampledNoise, "laplace", lambda *given: time.sleep(0.2) or made(*given))
    assert main(["run", "p.jl", "total", "--data", "one.csv", "--set", "eps=1"]) == 0
    printed = capsys.readouterr()
    assert re.search(r"running total, \d+ s", printed.err)
    assert printed.err.endswith("\r\033[K")
    assert "running" not in printed.out


def test_what_steps_cost_one_after_the_other() -> None:
    """The δ of a later step counts exp(ε) times; whatever the order, no smaller one is stated."""
    pairs = [(Fraction(1), Fraction(1, 1000)), (Fraction(3), Fraction(1, 100)), (Fraction(0), Fraction(1, 10))]
    epsilon, delta = chained(pairs)
    orders = [
        sum(float(pairs[k][1]) * math.exp(sum(pairs[j][0] for j in order[:place])) for place, k in enumerate(order))
        for order in permutations(range(3))
    ]
    assert epsilon == 4
    assert min(orders) * (1 - 1e-12) <= delta <= min(orders) * (1 + 1e-12)


def test_a_total_that_guarantees_nothing_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.jl").write_text(
        "function g(v::MetricVector(Real, Symmetric), w::MetricVector(Real, Symmetric), s::Static()) :: Priv()\n"
        "    (gaussian_noise(1, s, length(v)), gaussian_noise(1, s, length(w)))\nend\n",
        "utf-8",
    )
    values = ("--set", "v=[1]", "--set", "w=[1]", "--set", "s=1/10", "--target-delta", "1e-5")
    code, printed = run(capsys, "g", *values, eps=False)
    assert code == 0, printed
    assert "  nothing for whoever is in v and w at once\n" in printed


def test_sizes_that_belong_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is proved of two vectors as long as each other is not said of others."""
    values = ("--set", "sigma=1", "--target-delta", "1e-5", "--set", "v=[1, 2]")
    assert run(capsys, "both", *values, "--set", "w=[3, 4]", eps=False)[0] == 0
    code, printed = run(capsys, "both", *values, "--set", "w=[1]", eps=False)
    assert code == 1
    assert "'v' has 2 entries and 'w' has 1 entry" in printed


def test_a_delta_must_be_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = run(capsys, "noisy", "--data", "one.csv", "--set", "sigma=3", eps=False)
    assert code == 1
    assert "say which one by --target-delta" in printed


def test_what_is_run_is_what_was_proved(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if somebody saves the file in between."""
    whole = Engine.runnable

    def saved(*given: Any) -> Any:
        (folder / "p.jl").write_text(PROGRAM.replace("10, eps, sum(v))", "10, 9 * eps, 10^9 + sum(v))"), "utf-8")
        return whole(*given)

    monkeypatch.setattr(Engine, "runnable", saved)
    found = released(capsys, "p.jl", "total", "--data", "one.csv", "--set", "eps=1")
    assert abs(found["value"]) < 10**6
    assert "10^9" in (folder / "p.jl").read_text("utf-8")


@pytest.mark.parametrize("first", ["stored(1)", "[1, 2.5][1]", "min(1, 2.5)", "clamp(1, 0.5, 3)"])
def test_no_other_method_runs_than_the_one_proved(first: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Julia has a Float64 there, so the proof is about the second method; the first moves a hundred times as far."""
    (folder / "methods.jl").write_text(
        "weighed(p::Int, y) = 100 * y\nweighed(p::Real, y) = y\nstored(x::Real) :: Float64 = x\n"
        "function told(v::MetricVector(Bounded(Real, 0, 10), ChangeOne), eps::Static()) :: Priv()\n"
        f"    laplacian_mechanism(10, eps, weighed({first}, sum(v)))\nend\n",
        "utf-8",
    )
    (folder / "few.csv").write_text("v\n1\n2\n3\n", "utf-8")
    main(["run", "methods.jl", "told", "--data", "few.csv", "--set", "eps=100"])
    said = capsys.readouterr()
    assert not said.out and "which method of 'weighed' runs depends on what its arguments are stored as" in said.err


def test_methods_that_are_told_apart_by_what_values_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "methods.jl").write_text(
        "added(x::Bool, y::Real) = y\nadded(x::Real, y::Real) = x + y\nadded(v::Vector{<:Real}, y::Real) = sum(v) + y\n"
        "added(f::Function, y::Real) = f(y)\nadded(p::Tuple{Real, Real}, y::Real) = p[1] + y\n"
        "added(p::Tuple{Bool, Real}, y::Real) = y\n"
        "function told(v::MetricVector(Bounded(Real, 0, 10), ChangeOne), eps::Static()) :: Priv()\n"
        "    y = added(x -> x, added((3 > 2, 1), sum(v)))\n"
        "    laplacian_mechanism(10, eps, added(3 > 2, added(1, added([1, 2.5], y))))\n"
        "end\n",
        "utf-8",
    )
    (folder / "few.csv").write_text("v\n1\n2\n3\n", "utf-8")
    assert main(["run", "methods.jl", "told", "--data", "few.csv", "--set", "eps=100"]) == 0
    assert abs(float(capsys.readouterr().out.split()[0]) - 10.5) < 3


def test_the_size_of_a_dataset_is_public_where_its_relation_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever the project compares other data by."""
    (folder / "dp-lsp.toml").write_text('neighbours = "add-remove"\n', "utf-8")
    found = released(capsys, "p.jl", "spread", "--data", "t.csv", "--set", "eps=1")
    assert found["numbers"]["rows(m)"] == "3"
    assert found["guarantees"][0]["neighbours"] == ["one record is replaced by another, and their number is public"]


def test_a_number_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = run(capsys, "total", "--data", "one.csv", eps=False)
    assert code == 2
    assert "'eps' has no value: it is static; give it by --set eps=…" in printed


IN_PYTHON = """\
from typing import Annotated
import numpy as np
from dp_types import AddRemove, Private, Static

def count(v: Annotated[np.ndarray, AddRemove()], eps: Static[float], rng=None, twice: Static[bool] = False) -> Private:
    rng = np.random.default_rng(rng)
    factor = 2 if twice else 1
    return factor * len(v) + rng.laplace(0, 2 / eps)

def doubled(v: Annotated[np.ndarray, AddRemove()], eps: Static[float], rng: np.random.Generator) -> Private:
    return count(v, eps, rng, twice=True)
"""


def test_what_python_draws_is_drawn_exactly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its premises about noise are none of a run, which is given no generator."""
    (tmp_path / "a.py").write_text(IN_PYTHON, "utf-8")
    (tmp_path / "v.csv").write_text("v\n" + "1\n" * 1000, "utf-8")
    program = str(tmp_path / "a.py")
    asked = ("--data", str(tmp_path / "v.csv"), "--set", "eps=1/2")
    for function, switch, most in (("count", ("--set", "twice=0"), 1000), ("count", ("--set", "twice=1"), 2000)):
        found = released(capsys, program, function, *switch, *asked)
        assert abs(found["value"] - most) < 400, "the scale is 4"
        assert found["drawn"] == {"Laplace": 1}
    assert abs(released(capsys, program, "doubled", *asked)["value"] - 2000) < 400


def test_the_rules_are_the_sound_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a project wants to be checked by: the published rules say 2 of this vector."""
    (folder / "dp-lsp.toml").write_text('profile = "published"\n', "utf-8")
    assert "ε 4" in run(capsys, "norms", "--set", "v=[1, 2, 3, 4]")[1]
    (folder / "dp-lsp.toml").write_text("max-epsilon = 1\n", "utf-8")
    assert run(capsys, "total", "--data", "one.csv")[0] == 1
    (folder / "dp-lsp.toml").write_text('[severity]\nDP301 = "off"\n', "utf-8")
    assert run(capsys, "wrong", "--data", "one.csv")[0] == 1
    (folder / "dp-lsp.toml").write_text("profle = 1\n", "utf-8")
    assert run(capsys, "total", "--data", "one.csv")[0] == 2


def test_without_the_library(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    code, printed = run(capsys, "total", "--data", "one.csv")
    assert code == 2
    assert "pip install 'dp-lsp[run]'" in printed


def test_without_numpy(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    code, printed = run(capsys, "total", "--data", "one.csv")
    assert code == 2
    assert "pip install 'dp-lsp[run]'" in printed


def test_what_is_named_steers_no_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "t.csv").write_text("\x1b[31mred,##[error]\n1,2\n", "utf-8")
    _, printed = run(capsys, "total", "--data", "t.csv")
    assert "\x1b" not in printed
    assert "##[" not in printed


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["p.jl:total"], ""),
        (["p.jl", "total"], ""),
        (["p.jl"], "say which function of 'p.jl' is run: FILE FUNCTION, or FILE:FUNCTION"),
        (["p.jl:"], "say which function"),
        ([":total"], "say which function"),
        (["C:\\p.jl"], "say which function"),
        (["no.jl:total"], "'no.jl' does not exist"),
        (["p.jl:nobody"], "there is no function 'nobody' in p.jl"),
    ],
)
def test_a_file_and_a_function_may_be_one_word(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["run", *words, "--data", "one.csv", "--set", "eps=1"])
    assert code == (2 if said else 0)
    assert said in capsys.readouterr().err


# What would be done


def test_a_run_that_is_only_planned(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No record is looked at, no file is hashed, and the ledger stays as it is."""
    assert main(["run", "p.jl", "total", "--data", "one.csv", "--set", "eps=1", "--ledger", "l.jsonl"]) == 0
    before = (folder / "l.jsonl").read_bytes()
    capsys.readouterr()
    monkeypatch.setattr(sources.Table, "rows", lambda *_: pytest.fail("records were read"))
    monkeypatch.setattr(sources.Table, "digest", property(lambda _: pytest.fail("a file was hashed")))
    monkeypatch.setattr(running.ExactRuns, "value", lambda *_: pytest.fail("something was drawn"))
    given = ("--data", "t.csv", "--column", "a", "--person", "b", "--ledger", "l.jsonl", "--budget", "4", "--dry-run")
    assert run(capsys, "total", *given) == (
        0,
        "nothing is read, spent or released; a run would\n"
        "  read a, b of t.csv\n"
        "  spend ε 2, δ 0 (rule basic) for v, where one record is added or removed\n"
        "  l.jsonl counts 2 runs with this one: ε 3, δ 0 in all\n"
        "    for whoever is in one.csv (one record is added or removed) and in t.csv (one record is added or removed)\n"
        "  left of the budget: ε 1, δ 0\n"
        "  release Real\n",
    )
    assert (folder / "l.jsonl").read_bytes() == before


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("function", "arguments", "code", "said"),
    [
        ("mean_of", ["--data", "one.csv"], 0, "spend ε 2, δ 0 (rule basic) for v"),
        ("spread", ["--data", "t.csv"], 0, "be refused unless 1 ≤ rows(m), which the data decide"),
        ("norms", ["--data", "one.csv"], 0, "spend what is not known before the data are read: what 'norms' g"),
        ("sized", ["--data", "one.csv", "--set", "n=3"], 0, "spend ε 2, δ 0 (rule basic) for v"),
        ("two", ["--data", "t.csv", "--column", "v=a", "--column", "w=b"], 0, "read b of t.csv\n  spend ε 4, δ 0"),
        ("total", ["--set", "v=[1]"], 0, "would\n  spend ε 2"),
        ("ask", ["--set", "x=1"], 0, "release Bool"),
        ("wrong", ["--data", "one.csv"], 1, "'wrong' is not proved"),
        ("boxed", ["--data", "one.csv"], 1, "uses the black box 'helper'"),
        ("noisy", ["--data", "one.csv", "--set", "sigma=1"], 1, "say which one by --target-delta"),
        ("total", ["--data", "one.csv", "--ledger", "l", "--budget", "1"], 1, "and the budget is ε 1"),
        ("total", ["--data", "one.csv", "--ledger", "p.jl"], 1, "p.jl is not a ledger"),
        ("total", ["--data", "t.csv", "--column", "c"], 2, "t.csv has no column 'c'"),
        ("total", ["--data", "no.csv"], 2, "no.csv: No such file"),
        ("total", [], 2, "'v' has no value: give it by --data FILE"),
        ("binned", ["--data", "one.csv"], 2, "'edges' has no value: it is static"),
        ("total", ["--data", "one.csv", "--output-format", "json"], 2, "leave out --output-format"),
    ],
)  # fmt: skip
def test_what_a_plan_says(
    function: str, arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What would be refused is, in the same words."""
    found, printed = run(capsys, function, *arguments, "--dry-run", eps=function != "noisy")
    assert (found, said in printed) == (code, True), printed
    assert not Path("l").exists()


# Where it goes


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("no/out.txt", "nothing is released: no/out.txt: No such file or directory"),
        ("p.jl/out.txt", "nothing is released: p.jl/out.txt: Not a directory"),
        (".", "nothing is released: .: Is a directory"),
        ("away", "nothing is released: away: it leads out of this folder by a link"),
        ("l.jsonl", "--output-file l.jsonl: that is the ledger"),
    ],
)
def test_a_target_is_tried_before_anything_is_spent(
    folder: Path, file: str, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "away").symlink_to(folder.parent / "somewhere")
    monkeypatch.setattr(running.ExactRuns, "value", lambda *_: pytest.fail("something was drawn"))
    code, printed = run(capsys, "total", "--data", "one.csv", "--ledger", "l.jsonl", "--output-file", file)
    assert code == 2
    assert said in printed
    assert not (folder / "l.jsonl").exists()
    assert not list(folder.glob(".dp-lsp-*"))


def test_a_disk_without_room_is_noticed_before(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    (folder / "out.txt").write_text("before", "utf-8")
    code, printed = run(capsys, "total", "--data", "one.csv", "--ledger", "l.jsonl", "--output-file", "out.txt")
    assert code == 2
    assert "nothing is released: out.txt: No space left" in printed
    assert not (folder / "l.jsonl").exists()
    assert (folder / "out.txt").read_text("utf-8") == "before"


def test_what_is_released_is_written_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "out.txt").write_text("before " * 20_000, "utf-8")
    given = ["run", "p.jl", "total", "--data", "one.csv", "--set", "eps=2", "--output-file", "out.txt"]
    assert main(given) == 0
    assert capsys.readouterr().out == ""
    value, guarantee, *_ = (folder / "out.txt").read_text("utf-8").splitlines()
    assert math.isfinite(float(value))
    assert "ε 2, δ 0" in guarantee
    assert not list(folder.glob(".dp-lsp-*"))


def test_what_is_refused_leaves_a_file_as_it_was(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "out.txt").write_text("before", "utf-8")
    assert run(capsys, "wrong", "--data", "one.csv", "--output-file", "out.txt")[0] == 1
    assert (folder / "out.txt").read_text("utf-8") == "before"
    assert not list(folder.glob(".dp-lsp-*"))


def test_what_cannot_be_written_in_the_end_is_not_lost(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is spent: what it released is on standard output, and what was spent is said."""

    def gone(*_: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(command, "put_in_place", gone)
    given = ["run", "p.jl", "total", "--data", "one.csv", "--set", "eps=2", "--ledger", "l.jsonl"]
    assert main([*given, "--output-file", "out.txt"]) == 2
    printed = capsys.readouterr()
    assert "out.txt: Input/output error. The run was made, and spent ε 2, δ 0, which l.jsonl counts" in printed.err
    assert math.isfinite(float(printed.out.splitlines()[0]))
    assert not list(folder.glob(".dp-lsp-*"))


def test_what_standard_output_does_not_take_is_not_lost(folder: Path) -> None:
    command = [sys.executable, "-m", "dp_lsp", "run", "p.jl", "total", "--data", "one.csv", "--set", "eps=2"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, text=True, encoding="utf-8")
    assert found.returncode == 2
    assert "standard output: No space left on device. The run was made, and spent ε 2, δ 0" in found.stderr
    assert math.isfinite(float(found.stderr.splitlines()[1]))


def test_a_run_that_takes_too_long_says_what_it_spent(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: Any) -> None:
        raise OutOfTime

    monkeypatch.setattr(running.ExactRuns, "value", late)
    code, printed = run(capsys, "total", "--data", "one.csv", "--ledger", "l.jsonl")
    assert code == 1
    assert "this run spent ε 2, δ 0, which l.jsonl counts" in printed


# What is no number


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("function", "arguments", "code", "said"),
    [
        ("total", ["--set", "v=[1, true]"], 1, "entry 2: a value of 'v' is true or false, which is no number"),
        ("total", ["--set", "v=[1, true/2]"], 2, "'true/2' is not a number"),
        ("total", ["--data", "truths.csv"], 1, "row 3, column a: a value of 'v' is true or false"),
        ("rows_of", ["--set", "m=[true]", "--set", "del=1e-5"], 1, "a value of 'm' is true or false"),
        ("start", ["--data", "one.csv", "--set", "m=[false]"], 1, "a value of 'm' is true or false"),
        ("binned", ["--data", "one.csv", "--set", "edges=[0, true]"], 1, "a value of 'edges' is true or false"),
        ("up_to", ["--data", "one.csv", "--set", "k=true"], 2, "--set k: 'true' is not a number"),
        ("total", ["--data", "one.csv", "--ledger", "l", "--budget", "true"], 2, "--budget 'true' is not of the form"),
        ("total", ["--data", "one.csv", "--target-delta", "false"], 2, "'false' is not a number"),
        ("between", ["--set", "x=1", "--set", "p=3"], 1, "--set p: it must lie between 1 and 2"),
    ],
)  # fmt: skip
def test_what_is_true_is_no_number(
    function: str, arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("truths.csv").write_text("a\n1\ntrue\n", "utf-8")
    found, printed = run(capsys, function, *arguments, eps=function != "between")
    assert (found, said in printed) == (code, True), printed


# What is computed


def test_rows_that_draw_can_be_run() -> None:
    """A row that draws at random, or adds noise, is either known here or refused."""
    noisy = {name for name, row in builtins.TABLE.items() if row.forms[0].noise is not None}
    assert set(RANDOM) | noisy <= set(RELEASED), "say in builtins/randomness.py how it draws; else it is refused"


def test_what_is_clipped_is_exact_and_short() -> None:
    clip = COMPUTED["clip"]
    source = random.Random(3)
    for norm in Norm:
        for _ in range(50):
            row = array([Fraction(source.randint(-99, 99), source.randint(1, 9)) for _ in range(3)])
            cut = clip(norm, 2, row)
            size = {
                Norm.L1: lambda v: sum(map(abs, v)),
                Norm.L2: lambda v: sum(x * x for x in v),
                Norm.LINF: lambda v: max(map(abs, v)),
            }[norm]
            most = 4 if norm is Norm.L2 else 2
            assert all(isinstance(entry, Fraction) for entry in cut)
            assert size(cut) <= most
            if size(row) > most:
                assert size(cut) > most * (1 - Fraction(1, 10**30))
            else:
                assert list(cut) == list(row)


def test_roots_and_logarithms() -> None:
    assert COMPUTED["sqrt"](Fraction(9, 4)) == Fraction(3, 2)
    for number in (Fraction(2), Fraction(1, 10**51), Fraction(10**60, 7)):
        root = COMPUTED["sqrt"](number)
        assert 0 < root * root / number - 1 < Fraction(1, 10**30)
    assert abs(COMPUTED["log"](Fraction(2)) - Fraction(693147180559945309417232121458, 10**30)) < Fraction(1, 10**29)


def test_scores_are_those_of_the_meaning() -> None:
    source = random.Random(6)
    for candidates in ([0, 1, 2], [1], [], [2, 0, 2], [Fraction(1, 2), 9]):
        for count in (0, 40):
            v = array([Fraction(source.randint(-2, 6), 2) for _ in range(count)])
            for alpha in (Fraction(1, 2), Fraction(1, 10), 1):
                scores = COMPUTED["quantile_score"](v, alpha, array(candidates))
                assert list(scores) == list(MEANINGS["quantile_score"](v, alpha, array(candidates)))


def test_histograms_are_those_of_the_meaning() -> None:
    source = random.Random(5)
    for edges in ([0, 1, 2], [1], [], [0, 0, 3], [3, 1]):
        v = array([Fraction(source.randint(-4, 16), 4) for _ in range(60)])
        assert list(COMPUTED["histogram"](v, array(edges))) == list(MEANINGS["histogram"](v, array(edges)))
