"""Numbers by privacy loss distributions, beside those by rules that can be replayed.

The library that computes them is asked in a process of its own; who asks decides when, and waits. Nothing here does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from dp_lsp.accounting.guarantee import Guarantee
from dp_lsp.accounting.pld import Question, can_answer
from dp_lsp.analysis.records import Analysis, NumericReport, State
from dp_lsp.engine.certify import Certifiable
from dp_lsp.text import Span

_EXACT = "gaussian"  # of Gaussian noise alone this rule states what is true: no other one can say less


class Answers(Protocol):
    """What was answered to a question; None if it was not, or was not asked."""

    def __call__(self, question: Question) -> Guarantee | None: ...


def question(each: Certifiable) -> Question:
    """What is asked about a bound."""
    return Question(each.charge, each.delta)


def questions(analyses: Mapping[str, Analysis], found: Iterable[Certifiable]) -> Iterator[Question]:
    """What is worth asking, to state the smallest numbers for the functions of a project."""
    stated = {
        (name, function.name_span, numeric.parameters): numeric
        for name, analysis in analyses.items()
        for function in analysis.functions
        for numeric in function.numeric
    }
    for each in found:
        numeric = stated.get((each.file, each.place, each.parameters))
        if numeric is not None and numeric.rule != _EXACT and numeric.epsilon and can_answer(*question(each)):
            yield question(each)


def improved(analyses: Mapping[str, Analysis], found: Iterable[Certifiable], answers: Answers) -> dict[str, Analysis]:
    """The analyses of a project with smaller numbers where distributions say so. A function that the project has
    several times, each with its own charge, costs the most of them."""
    stated: dict[str, dict[tuple[Span, tuple[str, ...]], Guarantee | None]] = {}
    for each in found:
        there = stated.setdefault(each.file, {})
        key, answer = (each.place, each.parameters), answers(question(each))
        other = there.get(key, answer)
        there[key] = None if answer is None or other is None else max(answer, other, key=lambda one: one.epsilon)
    return {name: _improved(analysis, stated.get(name, {})) for name, analysis in analyses.items()}


def _improved(analysis: Analysis, stated: Mapping[tuple[Span, tuple[str, ...]], Guarantee | None]) -> Analysis:
    better: dict[tuple[Span, tuple[str, ...]], NumericReport] = {}
    for function in analysis.functions:
        for numeric in function.numeric if function.state is State.PROVED else ():
            key = function.name_span, numeric.parameters
            answer = stated.get(key)
            if answer is not None and numeric.epsilon is not None and answer.epsilon < numeric.epsilon:
                better[key] = report(numeric.parameters, answer)
    return analysis.with_numbers(better) if better else analysis


def report(parameters: tuple[str, ...], answer: Guarantee) -> NumericReport:
    """An answer as the numbers of a bound."""
    return NumericReport(parameters, answer.epsilon, answer.delta, answer.rule)
