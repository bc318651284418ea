"""Results of checks, made by hand: what reports are tested with."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

from dp_lsp.analysis.details import (
    ChoiceDetail,
    Details,
    Need,
    PairDetail,
    ParameterDetail,
    ProvedBound,
    Standing,
    encoded,
)
from dp_lsp.analysis.records import Analysis, ChunkRecord, FunctionReport, Options, Placed, State, Verdict
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.sens import ZERO, Sens
from dp_lsp.core.types import REAL, Base, NumberType
from dp_lsp.later import Later
from dp_lsp.problem import Problem, Severity
from dp_lsp.text import Source, Span

SOUND = Options()
EPS = Symbol("eps")
COST = PairDetail(Sens((Poly.of(EPS),)), ZERO)
DETAILS = Details(
    parameters=(
        ParameterDetail("x", REAL, False, Standing.BOUNDED, guarantees=(COST,)),
        ParameterDetail("eps", NumberType(Base.REAL, Poly.of(EPS)), True, Standing.PUBLIC),
    ),
    returns=REAL,
    needs=(Need(Poly.of(0), "<", Poly.of(EPS)),),
    bounds=(ProvedBound(("x",), "approximate", "basic", COST, (ChoiceDetail(Symbol("s"), True, False),), ()),),
    mechanisms=("Laplace",),
)
"""What is proved of a function that releases `x` with Laplace noise."""


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
    """A report; what it has ``more`` are fields of it, or of its details."""
    details = DETAILS._replace(**{each: more.pop(each) for each in Details._fields if each in more})
    return FunctionReport(
        name=name,
        signature="(Real, Real)",
        kind="privacy",
        state=state,
        reason="" if state is not State.UNKNOWN else "calls g",
        span=Span(0, 1),
        name_span=Span(0, 1),
        claims=Later.known(encoded(details)),
    )._replace(**more)


def analysis(
    text: str = "x\n",
    problems: tuple[Problem, ...] = (),
    functions: tuple[FunctionReport, ...] = (),
    state: State = State.PROVED,
    options: Options = SOUND,
) -> Analysis:
    record = ChunkRecord(b"", Verdict(state, functions, problems, (), frozenset()))
    return Analysis(Source(text), (Placed(0, len(text), record),), options)
