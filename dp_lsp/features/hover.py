"""What is shown where the mouse points: the verdict of a function, or what an expression moves with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dp_lsp.analysis.records import Analysis, Fact, FreeVariable, FunctionReport, ParameterReport, State
from dp_lsp.features.markdown import code, prose, table
from dp_lsp.features.outline import WORDS
from dp_lsp.text import Span

_KINDS = {"sensitivity": "sensitivity", "privacy": "private", "blackbox": "black box"}
_INFINITE = {"oo": "∞"}
_MOST = 12  # conditions shown; a person does not read more, and the report has them all
_LONGEST = 60  # characters of an expression shown
_CHECKING = "*checking: this is from before the last edit*"


@dataclass(frozen=True, slots=True)
class Hover:
    """A Markdown text about a range of the analysed text."""

    markdown: str
    span: Span


def hover(analysis: Analysis, offset: int, stale: bool = False) -> Hover | None:
    """What there is to say about the place at ``offset``; ``stale`` says that it was edited since."""
    function = analysis.function_named_at(offset)
    if function:
        return Hover(_join(_function(function, stale)), function.name_span)
    fact = analysis.fact_at(offset)
    if fact:
        return Hover(_join(_expression(fact, analysis.source.text, stale)), fact.span)
    return None


def _join(paragraphs: Iterable[str]) -> str:
    return "\n\n".join(filter(None, paragraphs))


def _function(function: FunctionReport, stale: bool) -> Iterator[str]:
    verdict = WORDS[function.state]
    open_ones = [condition for condition in function.conditions if not condition.decided]
    if open_ones and function.state is State.PROVED:
        verdict += f", under {len(open_ones)} condition{'s' * (len(open_ones) > 1)}"
    if stale:
        verdict = f"{WORDS[State.STALE]} (before the edit: {verdict})"
    yield f"**{code(function.name)}**: {_KINDS[function.kind]} · {verdict}"
    if function.state is not State.PROVED and function.reason:
        yield prose(function.reason)
    yield _parameters(function)
    if function.returns:
        yield f"returns {code(function.returns)}"
    if open_ones:
        shown = [code(c.text) if c.formula else prose(c.text) for c in open_ones[:_MOST]]
        more = [f"and {len(open_ones) - _MOST} more"] if len(open_ones) > _MOST else []
        yield "conditions: " + " · ".join(shown + more)
    yield _free(function)
    rules = dict.fromkeys(bound.rule for bound in function.bounds)
    if rules:
        yield "composition: " + ", ".join(map(prose, rules))


def _parameters(function: FunctionReport) -> str:
    if not function.parameters:
        return ""
    if function.kind == "privacy":
        return table(["argument", "ε", "δ"], map(_private_row, function.parameters))
    if function.kind == "blackbox":
        return table(["argument", "type"], ([code(p.name), code(p.type)] for p in function.parameters))
    return table(["argument", "moves the result by at most"], map(_sensitive_row, function.parameters))


def _private_row(parameter: ParameterReport) -> list[str]:
    if parameter.static:
        return [code(parameter.name), "static", ""]
    return [code(parameter.name), _formula(parameter.epsilon), _formula(parameter.delta)]


def _sensitive_row(parameter: ParameterReport) -> list[str]:
    return [code(parameter.name), "static" if parameter.static else prose(parameter.shown)]


def _formula(text: str | None) -> str:
    return _INFINITE.get(text, code(text)) if text else ""


def _free(function: FunctionReport) -> str:
    variables: dict[FreeVariable, None] = dict.fromkeys(v for bound in function.bounds for v in bound.free)
    lines = (f"- {code(v.name)}, {code(v.range)}: {prose(v.meaning)}" for v in variables)
    listed = "\n".join(lines)
    return f"for you to choose:\n{listed}" if listed else ""


def _expression(fact: Fact, text: str, stale: bool) -> Iterator[str]:
    shown = " ".join(text[fact.span.start : fact.span.end].split())
    if len(shown) > _LONGEST:
        shown = shown[: _LONGEST - 1] + "…"
    distance = f", distance {prose(fact.metric)}" if fact.metric else ""
    yield f"**{code(shown)}** : {code(fact.type)}{distance}"
    moves = ", ".join(f"**{prose(bound)}** in {code(parameter)}" for parameter, bound in fact.moves)
    yield f"moves by at most {moves}" if moves else ""
    yield f"rule: {code(fact.rule)}" if fact.rule else ""
    yield _CHECKING if stale else ""
