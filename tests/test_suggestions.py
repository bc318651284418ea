"""What a message says to write is no worse than a quick fix: put in its place, the problem is not said any more.

Each message about each program of the fixtures and of the reference is read, and about those of the specification that
have such a problem. Code in it that is to be written is told by the words before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest

from dp_lsp.engine.check import Engine
from dp_lsp.problem import Problem
from source_tree import ROOT

ENGINE = Engine()
_BLOCK = re.compile(r"^```julia[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXPECTATION = re.compile(r"[ \t]+# (?:error|warning|hint|note):.*")
_WRITE = re.compile(r"\b(?:did you mean|write|such as|or) `([^`]+)`")
_CLAMP = re.compile(r"give it some with `clamp\((.+), L, U\)`")
_FORM = re.compile(r"…|\b[TN]\b|^@?\w+$|^[\w.]+:\w+$|^init = |^# ")
"""What shows a form, or is a word: of the language, of an annotation, or of a comment."""
CALLS = ("DP112", "DP108", "DP201", "DP420", "DP453", "DP455", "DP459", "DP002")
"""The problems whose messages say what to write in their place."""
BOUNDS = "DP208"
"""The problem whose message says what gives a dataset bounds, in its reason."""


class Suggestion(NamedTuple):
    """A problem, what to write instead, and the text with that in its place."""

    problem: Problem
    code: str
    text: str


def programs() -> Iterator[str]:
    """Those of the fixtures and of the reference; and of the specification those that have such a problem, it says."""
    for path in sorted((ROOT / "fixtures" / "first_steps").glob("*.jl")):
        yield path.read_text(encoding="utf-8")
    reference = ROOT / "dp_lsp" / "reference" / "diagnostics.md"
    for path in [*sorted((ROOT / "fixtures" / "spec").glob("*.md")), reference]:
        for found in _BLOCK.finditer(path.read_text(encoding="utf-8")):
            if path == reference or any(f"[{code}]" in found[1] for code in (*CALLS, BOUNDS)):
                yield _EXPECTATION.sub("", found[1])


def suggested(text: str) -> Iterator[Suggestion]:
    """What the messages about a program say to write."""
    for problem in ENGINE.check(text).problems:
        start, end = problem.span
        for found in _WRITE.finditer(problem.message) if problem.code in CALLS else ():
            if not _FORM.search(found[1]):
                yield Suggestion(problem, found[1], text[:start] + found[1] + text[end:])
        for found in _CLAMP.finditer(problem.message):
            at = text.find(found[1], start, end)
            if at >= 0:
                code = f"clamp({found[1]}, 0, 100)"
                yield Suggestion(problem, code, text[:at] + code + text[at + len(found[1]) :])


@pytest.mark.slow
def test_what_a_message_says_to_write_is_the_end_of_it() -> None:
    tried: dict[str, int] = {}
    for text in programs():
        for problem, code, after in suggested(text):
            before, now = ENGINE.check(text).problems, ENGINE.check(after).problems
            assert _times(problem, now) < _times(problem, before), (problem.message, code, text)
            assert sum(map(_is_of_syntax, now)) <= sum(map(_is_of_syntax, before)), (code, after)
            tried[problem.code] = tried.get(problem.code, 0) + 1
    assert sum(tried.values()) >= 40 and tried.keys() >= {"DP112", "DP201", "DP208", "DP453", "DP455", "DP459"}


def _times(problem: Problem, among: Iterable[Problem]) -> int:
    return sum((each.code, each.message) == (problem.code, problem.message) for each in among)


def _is_of_syntax(problem: Problem) -> bool:
    return problem.code < "DP1"


@pytest.mark.parametrize(
    "made", ["map(v) do x\n        if x > 3\n            x\n        else\n            2 * x\n        end\n    end"]
)
def test_code_that_is_too_long_for_a_message_is_no_part_of_a_suggestion(made: str) -> None:
    header = "function f(v::MetricVector(Real, ChangeOne), eps::Static()) :: Priv()"
    text = f"{header}\n    laplacian_mechanism(100, eps, sum({made}))\nend\n"
    assert [each.message for each in ENGINE.check(text).problems if "`clamp(…, L, U)`" in each.message]
