"""The mistakes that many people make: each is said as what it is, once, and nothing else is called one.

What is flagged where stands in ``fixtures/spec/patterns.md``, which ``tests/test_spec.py`` holds true.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import groupby
from typing import NamedTuple

import pytest

import spec_runner
from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.limits import Ticket
from dp_lsp.analysis.records import Options, State
from dp_lsp.engine.check import Engine
from dp_lsp.engine.proposals import edited
from dp_lsp.engine.trials import Within
from dp_lsp.engine.trials import repairs as tried
from dp_lsp.infer.mistakes import naming
from dp_lsp.problem import Problem, Severity
from several_files import Texts
from source_tree import ROOT

ENGINE = Engine()
SPECS = ROOT / "fixtures" / "spec"
PAGE = SPECS / "patterns.md"
SHOWN = re.compile(r"# (\w+): \[(DP\d{3})\]")
SERIOUS = (Severity.ERROR, Severity.WARNING)
CODES = frozenset(code for code in kinds() if "DP420" <= code < "DP450")

BLOCKS = list(spec_runner.blocks(PAGE.read_text(encoding="utf-8")))

NO_MISTAKE = {12, 17}
"""Patterns that are no mistake in this language, as their sections say."""


class Fixed(NamedTuple):
    """A repair of a problem of a broken program: the text before and after."""

    problem: Problem
    before: str
    after: str


def test_each_pattern_has_its_section() -> None:
    numbers = [int(block.heading.split(".")[0]) for block in BLOCKS]
    assert set(numbers) == set(range(1, 28))
    for number, group in groupby(BLOCKS, key=lambda block: int(block.heading.split(".")[0])):
        texts = [block.text for block in group]
        assert number in NO_MISTAKE or any("broken" in text for text in texts), number
        assert number in NO_MISTAKE or any("fixed" in text for text in texts), number


def test_fixed_twins_are_proved() -> None:
    for block in BLOCKS:
        if re.search(r"\bfixed\(", block.text):
            found = ENGINE.check(block.text)
            assert all(function.state.holds for function in found.functions), block.heading
            assert not [each for each in found.problems if each.severity in SERIOUS]


def test_nothing_else_is_called_a_mistake() -> None:
    """In the expectations of all other programs, which their own tests hold true: what proves nothing wrong has none of
    these codes. An error only takes the place of another one, so it stands where something is wrong on purpose."""
    shown = []
    for page in SPECS.glob("*.md"):
        text = page.read_text(encoding="utf-8") if page != PAGE else ""
        shown += [(severity, code) for severity, code in SHOWN.findall(text) if code in CODES]
    assert {severity for severity, _ in shown} == {"error"} and len(shown) > 10
    reports = sorted((ROOT / "fixtures" / "programs").glob("*.json"))
    assert len(reports) > 20
    for path in reports:
        report = json.loads(path.read_text(encoding="utf-8"))
        told = (each for file in report["files"] for each in file["diagnostics"] if each["severity"] != "hint")
        named = {each["code"] for each in told} & CODES
        assert named == set(), path.name


def test_what_people_write_has_no_problem_at_all() -> None:
    """Programs of notebooks and tutorials, put into this language: not even a hint."""
    found = list(spec_runner.blocks((SPECS / "notebooks.md").read_text(encoding="utf-8")))
    assert sum(len(ENGINE.check(block.text).functions) for block in found) > 30
    for block in found:
        assert ENGINE.check(block.text).problems == (), block.heading


@pytest.mark.parametrize(
    ("rows", "hinted"),
    [
        ("A[1, :]", ["A[1, :]"]),
        ("A[k, :]", ["A[k, :]"]),
        ("A[t, :]", []),
        ("D[1, :]", []),
    ],
)
def test_a_row_that_is_chosen_is_no_sample(rows: str, hinted: list[str]) -> None:
    """A row that is chosen by its number is hinted at, unless it is that of a round, or rows are drawn besides."""
    draws = "(D, L) = sample(1, A, B)\n        " if "D" in rows else ""
    text = (
        "function f(A::Matrix{<:Data}, B::Matrix{<:Data}, k::Static(Integer)) :: Priv()\n    y = 0.0\n"
        f"    for t in 1:size(A, 1)\n        {draws}"
        f"y = y + gaussian_mechanism(2, 0.5, 1e-5, undisc_container(clip(L2, {rows})))[1]\n    end\n    y\nend\n"
    )
    problems = ENGINE.check(text).problems
    assert {problem.code for problem in problems} <= {"DP438"}
    assert [text[slice(*problem.span)] for problem in problems] == hinted
    assert all(problem.severity is Severity.HINT for problem in problems)


def test_a_budget_that_is_missed_says_what_people_forget() -> None:
    budget = "# dp: budget ε <= 1/rows(A), δ <= 1\n"
    page = "\n".join(block.text for block in BLOCKS if block.heading.startswith("17."))
    problems = ENGINE.check(budget + page).problems
    assert {problem.code for problem in problems} == {"DP413"}
    assert "is proved, but not ε <= 1/rows(A)" in problems[0].message
    assert any("composed first" in related.message for related in problems[0].related)


@pytest.mark.parametrize(
    ("declared", "least"),
    [("10 / 100", 99), ("1", 9), ("5", 1), ("10 / k", None)],
    ids=["tenth", "one", "most", "open"],
)
def test_how_many_records_are_enough_for_an_average(declared: str, least: int | None) -> None:
    head = "f(v::MetricVector(Bounded(Real, 0, 10), Symmetric), eps::Static(), k::Static()) :: Priv() = "
    text = f"{head}laplacian_mechanism({declared}, eps, mean(v))\n"
    (problem,) = ENGINE.check(text).problems
    assert problem.code == "DP423"
    if least is None:
        assert "one more moves it by up to 5" in problem.message
        return
    assert f"`AtLeast({least})`" in problem.message
    fix = problem.fixes[0]
    assert ENGINE.check(edited(text, fix.edits)).problems == ()
    fewer = edited(text, fix.edits).replace(f"AtLeast({least})", f"AtLeast({least - 1})")
    assert ENGINE.check(fewer).problems


@pytest.mark.parametrize(
    ("written", "profile", "says"),
    [
        ("hide(1 / laplacian_mechanism(1, 0.5, x), x)", "sound", "it may be NaN, as after a division by 0"),
        ("laplacian_mechanism(k > 1 ? k : 2 * k, 0.5, x)", "published", "not known before the program runs"),
        ("laplacian_mechanism(y, 0.5, x)", "sound", "declare the parameter it comes from with `Static()`"),
    ],
)
def test_what_must_be_public_says_what_is_lacking(written: str, profile: str, says: str) -> None:
    text = (
        "hide(scale::Static(), x::Real) :: Priv() = laplacian_mechanism(scale, 0.5, x)\n"
        f"f(x::Real, y::Real, k::Static()) :: Priv() = {written}\n"
    )
    told = [problem.message for problem in ENGINE.check(text, Options(profile)).problems]
    assert [message for message in told if says in message] == told and told


def test_no_line_is_flagged_twice() -> None:
    """What is said as what it is takes the place of what it led to."""
    for block in BLOCKS:
        for line in block.lines:
            codes = re.findall(r"\[(DP\d{3})\]", line)
            assert len(codes) < 2 or not CODES & set(codes), line


def test_what_a_problem_is_called_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is claimed, and of what, is the same where no mistake is looked for."""

    def claims(text: str) -> list[tuple[str, State, str]]:
        """With a new engine, which remembers nothing."""
        functions = Engine().check(text).functions
        return [(function.name, function.state, spec_runner.bounds(function)) for function in functions]

    known = [claims(block.text) for block in BLOCKS]
    monkeypatch.setattr(naming, "name", lambda *_: None)
    assert [claims(block.text) for block in BLOCKS] == known


def test_a_function_with_very_many_mistakes_is_checked() -> None:
    lines = "\n".join(f"    y{i} = laplacian_mechanism(1, 0.5, sum(v))" for i in range(150))
    text = f"function f(v::MetricVector(Bounded(Real, -1, 1), ChangeOne)) :: Priv()\n{lines}\n    y0\nend\n"
    codes = [problem.code for problem in ENGINE.check(text).problems]
    assert codes.count("DP424") == 100 and codes.count("DP301") == 50


@cache
def repairs(block: spec_runner.Block) -> list[Fixed]:
    text = "\n".join(block.lines)
    files = Texts({"a.jl": text})
    found = ENGINE.project("a.jl", files)["a.jl"]
    wrong = [problem for problem in found.problems if problem.code in CODES]
    mended = tried(ENGINE, "a.jl", found, Within(("a.jl",), files), Ticket(), wrong)
    return [Fixed(each.problem, text, edited(text, each.fix.edits)) for each in mended]


def test_mistakes_have_repairs() -> None:
    assert {"DP420", "DP422", "DP424", "DP425", "DP426", "DP427"} <= {
        fixed.problem.code for block in BLOCKS for fixed in repairs(block)
    }


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block.heading}-{block.start}")
def test_repairs_mend(block: spec_runner.Block) -> None:
    def wrong(text: str) -> list[int]:
        """Errors and warnings: of what was not checked to the end it is not warned whom it protects."""
        problems = ENGINE.check(text).problems
        return [sum(problem.severity is each for problem in problems) for each in SERIOUS]

    for fixed in repairs(block):
        assert wrong(fixed.after) < wrong(fixed.before), fixed.problem
