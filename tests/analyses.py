"""Results of checks, made by hand: what reports are tested with."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

from dp_lsp.analysis.records import (
    Analysis,
    BoundReport,
    ChunkRecord,
    ConditionReport,
    FreeVariable,
    FunctionReport,
    Options,
    ParameterReport,
    Placed,
    State,
    Verdict,
)
from dp_lsp.problem import Problem, Severity
from dp_lsp.text import Source, Span

SOUND = Options()


def annotated(text: str) -> tuple[str, list[Span]]:
    """A source text and the places that stand in ‹ › in it."""
    spans, clean = [], ""
    for i, part in enumerate(re.split("‹(.*?)›", dedent(text).strip("\n"), flags=re.DOTALL)):
        if i % 2:
            spans.append(Span(len(clean), len(clean) + len(part)))
        clean += part
    return clean, spans


def problem(span: Span, severity: Severity = Severity.ERROR, **more: Any) -> Problem:
    return Problem("DP399", "made-up", severity, "this moves too much", span, **more)


def function(name: str = "f", state: State = State.PROVED, **more: Any) -> FunctionReport:
    parameter = ParameterReport("x", "Real", False, None, "eps", "0", "ε eps  δ 0")
    static = ParameterReport("eps", "Real", True, None, "0", "0", "static")
    bound = BoundReport(("x",), "approximate", "basic", "eps", "0", (FreeVariable("s", "0 < s", "slack"),))
    whole = FunctionReport(
        name=name,
        signature="(Real, Real)",
        kind="privacy",
        state=state,
        reason="" if state is not State.UNKNOWN else "calls g",
        span=Span(0, 1),
        name_span=Span(0, 1),
        parameters=(parameter, static),
        returns="Real",
        bounds=(bound,),
        numeric=(),
        conditions=(ConditionReport("0 < eps", "0 < eps", False),),
        display="{\n| (Real @ (eps, 0)) ->* Real\n}",
        mechanisms=("Laplace",),
    )
    return whole._replace(**more)


def analysis(
    text: str = "x\n",
    problems: tuple[Problem, ...] = (),
    functions: tuple[FunctionReport, ...] = (),
    state: State = State.PROVED,
    options: Options = SOUND,
) -> Analysis:
    record = ChunkRecord(b"", Verdict(state, functions, problems, (), frozenset()), b"")
    return Analysis(Source(text), (Placed(0, len(text), record),), options)
