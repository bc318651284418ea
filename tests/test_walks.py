"""What people write first is led to a proof: in an editor the first message is read, the first repair that is offered
is applied, and so on. How many steps that takes is printed (``-s``).

The programs of ``fixtures/first_steps`` are one mistake each, as people make it who have not read the reference.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from source_tree import ROOT
from stdio_driver import Driver
from walking import CAPABLE, Walk, Walker, applied

PROGRAMS = sorted((ROOT / "fixtures" / "first_steps").glob("*.jl"))
IN_PYTHON = sorted((ROOT / "fixtures" / "python" / "first_steps").glob("*.py"))
NOISE = re.compile(r"\w+_mechanism|gaussian_noise|private_quantile|randomized_response")
DRAWS = re.compile(r"\brandom\.(?!seed\b)")
MOST = 4
"""How many repairs one function takes: to say what is public, who is protected, what lies within which bounds, and one
more."""


@pytest.fixture(scope="module")
def walker() -> Iterator[Walker]:
    with Driver() as driver:
        driver.start(**CAPABLE)
        yield Walker(driver)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_people_write_first_is_led_to_a_proof(path: Path, walker: Walker) -> None:
    before = path.read_text(encoding="utf-8")
    found = walker.walk(before)
    print(f"{path.stem}: {len(found.steps)} steps")
    assert found.left == [] and set(found.states.values()) == {"proved"}, found
    assert len(found.steps) <= MOST * len(found.states), found
    assert kept(before) <= kept(found.text), found


def kept(text: str) -> set[str]:
    """The functions that are declared private."""
    return {*re.findall(r"function (\w+)\(.*::\s*Priv\b", text), *re.findall(r"def (\w+)\(.*-> Private\b", text)}


@pytest.fixture(scope="module")
def python_walker() -> Iterator[Walker]:
    with Driver() as driver:
        driver.start(**CAPABLE)
        yield Walker(driver, "python")


@pytest.mark.parametrize("path", IN_PYTHON, ids=lambda path: path.stem)
def test_what_people_write_first_in_python_is_led_to_a_proof(path: Path, python_walker: Walker) -> None:
    before = path.read_text(encoding="utf-8")
    found = python_walker.walk(before)
    print(f"{path.stem}: {len(found.steps)} steps")
    assert found.left == [] and set(found.states.values()) == {"proved"}, found
    assert len(found.steps) <= MOST * len(found.states), found
    assert kept(before) <= kept(found.text) and len(DRAWS.findall(found.text)) >= len(DRAWS.findall(before)), found
    compile(found.text, path.name, "exec")
    assert not undefined(found.text), found


def test_a_helper_that_is_told_too_little_asks_whom_it_protects(python_walker: Walker) -> None:
    imports = "import numpy as np\nfrom dp_types import Private, Static\n\n"
    helper = "def noisy(value, far, eps):\n    return value + np.random.laplace(0, far / eps)\n\n"
    caller = "def f(v: list[int], eps: Static[float]) -> Private:\n    return noisy(sum(v), 100, eps)\n"
    found = python_walker.walk(imports + helper + caller)
    assert "ChangeOne()" in found.steps[0].title and set(found.states.values()) == {"proved"}, found


def undefined(text: str) -> set[str]:
    """The names that the annotations of a program read, and that nothing imports."""
    tree = ast.parse(text)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    said = [each for node in nodes for each in (*(arg.annotation for arg in node.args.args), node.returns) if each]
    read = {item.id for each in said for item in ast.walk(each) if isinstance(item, ast.Name)}
    imports = (node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom))
    return read - {each.asname or each.name for node in imports for each in node.names} - {*dir(builtins)}


def test_a_program_that_releases_something_still_does(walker: Walker) -> None:
    """No repair drops the noise."""
    for path in PROGRAMS:
        assert re.search(
            r"\w+_mechanism|\bgaussian_noise|\bprivate_quantile|\brandomized_response", walked(path, walker).text
        )


TWO = "v::MetricVector(Bounded(Real, 0, 1), ChangeOne), w::MetricVector(Bounded(Real, 0, 1), ChangeOne)"


@pytest.mark.parametrize(
    "released",
    [
        "sum(v) + (mean(w) + randn())",
        "sum(v) + laplace(mean(w), 1 / eps)",
        "sum(v) + rand(Laplace(mean(w), 1 / eps))",
        "sum(v) + add_noise(mean(w))",
        "sum(v) + (x + randn())",
    ],
)
def test_a_statistic_that_noise_is_drawn_around_is_not_taken_for_noise(released: str, walker: Walker) -> None:
    header = f"function f({TWO}, x::Bounded(Real, 0, 1), eps::Static(Real)) :: Priv()"
    found = walker.walk(f"{header}\n    {released}\nend\n").text
    body = found.partition("\n")[2]
    other = r"\bmean\(w\)" if "mean(w)" in released else r"\bx\b"
    assert "sum(v)" in body and re.search(other, body), found


def test_what_is_protected_is_not_made_public(walker: Walker) -> None:
    """A number is made public beside records, and not beside another number."""
    text = "function f(x::Real, y::Real, eps::Static(Real)) :: Priv()\n    laplacian_mechanism(1, eps, x^2 + y)\nend\n"
    found = walker.walk(text).text
    assert "x::Real, y::Real" in found, found


@pytest.mark.parametrize("hidden", ["h .* 2", "h", "sqrt.(h)"])
def test_noise_on_each_entry_drops_nothing_beside_it(hidden: str, walker: Walker) -> None:
    header = "function f(v::MetricVector(Real, ChangeOne), eps::Static()) :: Priv()"
    found = walker.walk(f"{header}\n    h = histogram(v, [0, 1, 2, 3])\n    {hidden} .+ randn(3)\nend\n")
    assert hidden in found.text.partition("histogram")[2], found


@pytest.mark.parametrize(
    "returned",
    ["v", "filter(x -> x > 10, v)", "sort(v)", "clamp(v, 0, 100)", "map(x -> x + 1, v)", "v .* 2", "(v, length(v))"],
)
@pytest.mark.parametrize("declared", ["Vector{Float64}", "MetricVector(Real, Symmetric)"])
def test_who_returns_records_is_told_that_nothing_makes_that_private(
    returned: str, declared: str, walker: Walker
) -> None:
    """No repair makes something else of it, and what is said instead is private."""
    found = walker.walk(f"function f(v::{declared}) :: Priv()\n    return {returned}\nend\n")
    told = next(each["message"] for each in found.left if "cannot be private, because it returns" in each["message"])
    assert f"return {returned}\n" in found.text and found.states == {"f": "failed"}, found
    for statistic in re.findall(r"`(laplacian_mechanism[^`]*)`", told):
        instead = walker.walk(found.text.replace(f"return {returned}\n", f"return {statistic}\n"))
        assert instead.states == {"f": "proved"} and instead.steps == [], instead


def test_what_is_the_same_of_all_records_tells_of_none(walker: Walker) -> None:
    header = "function f(v::MetricVector(Real, ChangeOne)) :: Priv()"
    told = walker.walk(f"{header}\n    return filter(x -> true, v)\nend\n").left
    same = walker.walk(f"{header}\n    return map(x -> 1, v)\nend\n").left
    assert any("cannot be private" in each["message"] for each in told)
    assert not any("cannot be private" in each["message"] for each in same)


def test_bounds_that_are_asked_for_twice_are_asked_for_in_their_places(walker: Walker) -> None:
    header = "function f(x::Vector{Float64}, y::Vector{Float64}, a::Float64, b::Float64, eps) :: Priv()"
    found = walker.walk(f"{header}\n    r = y .- (a .+ b .* x)\n    return laplacian_mechanism(1, eps, var(r))\nend\n")
    assert found.states == {"f": "proved"} and not re.search("00, 100100", found.text), found


def test_a_condition_in_a_loop_is_kept(walker: Walker) -> None:
    """What is counted is not how many records there are."""
    loop = "for x in v\n        if x > t\n            c += 1\n        end\n    end"
    text = f"function f(v::Vector{{Float64}}, t::Float64, eps) :: Priv()\n    c = 0\n    {loop}\n"
    found = walker.walk(f"{text}    laplacian_mechanism(1, eps, c)\nend\n")
    assert loop in found.text and found.states == {"f": "proved"}, found


def test_data_of_people_are_not_made_public(walker: Walker) -> None:
    text = "function f(x::Vector{Float64}, y::Vector{Float64}, eps) :: Priv()\n    s = sum(x .* y)\n"
    found = walker.walk(f"{text}    laplacian_mechanism(1, eps, s)\nend\n")
    assert not re.search(r"\b[xy]::Static", found.text), found


def test_what_was_released_is_not_compared_with_itself(walker: Walker) -> None:
    found = walked(ROOT / "fixtures" / "first_steps" / "error_of_the_noise.jl", walker)
    assert "noisy - noisy" not in found.text, found


def test_a_list_of_limits_is_not_taken_for_records(walker: Walker) -> None:
    found = walked(ROOT / "fixtures" / "first_steps" / "limits_as_a_list.jl", walker)
    assert "count(x -> x <= p, v)" in found.text and "points::Static" in found.text, found


def test_a_sensitivity_that_has_a_name_keeps_it(walker: Walker) -> None:
    found = walked(ROOT / "fixtures" / "first_steps" / "budget_in_a_structure.jl", walker)
    assert "laplacian_mechanism(c.bound, c.eps" in found.text, found


def test_a_number_beside_vectors_is_no_column(walker: Walker) -> None:
    found = walked(ROOT / "fixtures" / "first_steps" / "gradient_by_hand.jl", walker)
    assert "w * r[1] - r[2]" in found.text, found


def test_a_loop_that_is_run_once_still_releases(walker: Walker) -> None:
    """What stood before the loop was no release."""
    header = "function f(v::MetricVector(Bounded(Real, 0, 9), ChangeOne), eps::Static()) :: Priv()\n    s = sum(v)\n"
    loop = "    x = 0.0\n    while abs(x - s) > 5\n        x = laplacian_mechanism(9, eps, s)\n    end\n"
    found = walker.walk(f"{header}{loop}    return x\nend\n")
    assert re.search(r"laplacian_mechanism\(9, eps, s(um\(v\))?\)", found.text), found
    assert found.states == {"f": "proved"} and "return x" in found.text, found


def test_what_is_made_of_a_correlation_is_not_dropped(walker: Walker) -> None:
    header = "function f(x::Vector{Float64}, y::Vector{Float64}, eps::Static()) :: Priv()"
    release = "    return laplacian_mechanism(1, eps, r)\nend\n"
    plain = walker.walk(f"{header}\n    r = cor(x, y)\n{release}")
    squared = walker.walk(f"{header}\n    r = cor(x, y)^2\n{release}")
    assert "cross_deviations(people, 1, 2)" in plain.text, plain
    assert any("between 0 and 100" in step.title for step in plain.steps), plain
    assert "^2" in squared.text, squared


def test_a_loop_whose_statistic_would_have_no_name_is_left(walker: Walker) -> None:
    """What is collected round by round is not dropped."""
    loop = "    for x in v\n        s += x\n        push!(out, laplacian_mechanism(1, eps, s))\n    end\n"
    body = f"    s = 0\n    out = []\n{loop}"
    found = walker.walk(f"function f(v::Vector{{Float64}}, eps) :: Priv()\n{body}    return out\nend\n")
    assert "push!" in found.text or "out =" in found.text.replace("out = []", ""), found


@pytest.mark.parametrize(
    ("released", "mended"),
    [
        ("laplacian_mechanism(1, a + b, sum(v) / length(v))", "laplacian_mechanism(9, (a + b) / 2, sum(v))"),
        ("laplacian_mechanism(1, a, 5 / mean(v))", "5 / (laplacian_mechanism(9, a / 2, sum(v)) / max("),
    ],
)
def test_what_a_repair_writes_keeps_its_parts_together(walker: Walker, released: str, mended: str) -> None:
    header = "function f(v::MetricVector(Bounded(Real, 1, 9), Symmetric), a::Static(), b::Static()) :: Priv()"
    found = walker.walk(f"{header}\n    return {released}\nend\n")
    assert mended in found.text, found


def test_a_whole_quotient_of_a_record_stays_one(walker: Walker) -> None:
    release = "laplacian_mechanism(1, eps, count(x -> div(x, 100) == 3, v))"
    found = walker.walk(f"function f(v::Vector{{Int}}, eps) :: Priv()\n    return {release}\nend\n")
    assert "trunc(x / 100) == 3" in found.text and found.states == {"f": "proved"}, found


def test_what_a_repair_would_only_write_over_is_not_said(walker: Walker) -> None:
    found = walked(ROOT / "fixtures" / "first_steps" / "top_three.jl", walker)
    assert not any("`sort`" in step.title for step in found.steps), found


@pytest.mark.parametrize("name", ["scaled_by_extremes", "between_quartiles", "range_of_records"])
def test_limits_that_are_read_off_the_data_are_chosen_with_noise(name: str, walker: Walker) -> None:
    """No sum and no number of records is put between bounds, which would leave nothing of it."""
    found = walked(ROOT / "fixtures" / "first_steps" / f"{name}.jl", walker)
    assert "private_quantile" in found.text and not re.search(r"clamp\((?:sum|length)", found.text), found


def walked(path: Path, walker: Walker) -> Walk:
    return walker.walk(path.read_text(encoding="utf-8"))


SNIPPET = {"range": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 3}}}


def test_defaults_of_a_snippet_are_its_text() -> None:
    edit = {**SNIPPET, "snippet": {"kind": "snippet", "value": r"clamp(v, ${1:0}, ${2:100}) \$ \}"}}
    assert applied("x=v\n", [edit]) == "x=clamp(v, 0, 100) $ }\n"


def test_a_repair_takes_out_no_line_whose_names_something_else_reads(walker: Walker) -> None:
    """Noise of a length that the hidden vector says, which is filled in a loop."""
    header = "function f(data::Vector{Float64}, edges::Vector{Float64}, eps::Float64) :: Priv()\n"
    loops = "    for x in data\n        for i in 1:length(edges)-1\n            x > edges[i] && (counts[i] += 1)\n"
    filled = f"    counts = zeros(Int, length(edges) - 1)\n{loops}        end\n    end\n"
    found = walker.walk(f"{header}{filled}    return counts .+ rand(Laplace(0, 1 / eps), length(counts))\nend\n")
    assert "counts[i] += 1" in found.text and "return" in found.text, found


@pytest.mark.parametrize(
    "loop",
    [
        "    for x in v\n        if x > length(kept)\n            push!(kept, x)\n        end\n    end\n",
        "    for x in v\n        push!(kept, length(kept) + x)\n    end\n",
    ],
)
def test_a_loop_that_looks_at_what_it_has_kept_is_no_filter(loop: str, walker: Walker) -> None:
    body = f"    kept = []\n{loop}    return laplacian_mechanism(1, eps, length(kept))\n"
    found = walker.walk(f"function f(v::MetricVector(Real, ChangeOne), eps::Static()) :: Priv()\n{body}end\n")
    assert loop in found.text, found


def test_lines_that_nobody_reads_any_more_are_taken_out_once(walker: Walker) -> None:
    """An `if` and the lines in it: what stands below stays."""
    found = walked(ROOT / "fixtures" / "first_steps" / "median_of_odd_or_even.jl", walker)
    assert re.search(r"return private_quantile\(1, eps, v, 1/2, .*\)\nend", found.text), found


def test_a_share_of_a_budget_with_a_name_comes_from_a_public_budget(walker: Walker) -> None:
    found = walked(ROOT / "fixtures" / "first_steps" / "thirds_of_a_budget.jl", walker)
    assert "total_eps::Static()" in found.text and "e = total_eps / 3" in found.text, found
