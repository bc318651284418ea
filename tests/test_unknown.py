"""No function is ``unknown`` without a problem with a place, a code and a way out: in its own text, or one that the
function's reason names."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import spec_runner
from dp_lsp.analysis.records import Analysis, FunctionReport, Options, State
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Problem, Severity
from several_files import check
from source_tree import ROOT

FIXTURES = ROOT / "fixtures"
PAGES = sorted((FIXTURES / "spec").rglob("*.md"))
PROGRAMS = sorted(FIXTURES.rglob("*.jl"))
ENGINE = Engine()


_UNREADABLE = "DP00"  # text that is not read as it was meant may be around anything
_QUOTED = re.compile(r"`([^`]+)`")


def unexplained(files: Mapping[str, Analysis]) -> list[str]:
    """The functions of a project that are unknown while nothing says why."""
    found = []
    for analysis in files.values():
        own = list(_reasons(analysis))
        for function in analysis.functions:
            inside = any(_overlap(each, function) for each in own)
            if (
                function.state is State.UNKNOWN
                and not inside
                and not any(_names(function, each) for each in files.values())
            ):
                found.append(f"{function.name}: {function.reason or 'no reason'}")
    return found


def _reasons(analysis: Analysis) -> Iterable[Problem]:
    """The problems that may make a function unknown, accepted or not."""
    yield from (each for each in analysis.problems if each.unchecked or each.severity is Severity.ERROR)
    yield from (each.problem for each in analysis.silenced)


def _overlap(problem: Problem, function: FunctionReport) -> bool:
    """Whether a problem is in a function, or points to its name: where a file is one piece of text, what is wrong with
    several definitions is told at the first."""
    pointed = any(each.where is None and each.span == function.name_span for each in problem.related)
    return pointed or (problem.span.start <= function.span.end and function.span.start <= problem.span.end)


def _names(function: FunctionReport, analysis: Analysis) -> bool:
    """Whether the reason of a function names a problem of a file: text that cannot be read, something that is not
    understood at top level, where one problem stands for all of a piece of text, or what is written in the text of the
    problem."""
    quoted, text = _QUOTED.findall(function.reason), analysis.source.text
    pieces = [(each.start, each.start + each.length) for each in analysis.chunks]
    for problem in _reasons(analysis) if function.reason else ():
        around = next((text[start:end] for start, end in pieces if start <= problem.span.start <= end), text)
        outside = problem.unchecked and not any(_overlap(problem, each) for each in analysis.functions)
        if (
            outside
            or problem.code.startswith(_UNREADABLE)
            or any(each in around or each in problem.message for each in quoted)
        ):
            return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(FIXTURES).as_posix())
def test_on_every_page_with_a_line_less(page: Path) -> None:
    """Of each third program. As they are, `test_spec` looks at all."""
    chance, wrong = random.Random(page.name), []
    for block in spec_runner.blocks(page.read_text("utf-8"))[::3]:
        lines = block.text.splitlines(keepends=True)
        lost = chance.randrange(len(lines))
        text = "".join(lines[:lost] + lines[lost + 1 :])
        wrong += [f"{block.heading}: {each}" for each in unexplained(check(ENGINE, text, block.options))]
    assert not wrong


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_in_every_program(program: Path) -> None:
    assert not unexplained({"": ENGINE.check(program.read_text("utf-8"), Options())})
