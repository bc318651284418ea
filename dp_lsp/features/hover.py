"""What is shown where the mouse points: the verdict of a function, or what an expression moves with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dp_lsp.analysis.records import (
    Analysis,
    ConditionReport,
    Fact,
    FreeVariable,
    FunctionReport,
    ParameterReport,
    State,
)
from dp_lsp.features.markdown import code, prose, table
from dp_lsp.features.outline import WORDS
from dp_lsp.text import Span

KINDS = {"sensitivity": "sensitivity", "privacy": "private", "blackbox": "black box"}
_NONE = ("", "oo")  # an ε that is no guarantee
_SHORT = 30  # characters of a formula that is shown as it is
_MOST = 12  # conditions shown; a person does not read more, and the report has them all
_LONGEST = 60  # characters of an expression shown
_CHECKING = "*checking: this is from before the last edit*"


@dataclass(frozen=True, slots=True)
class Hover:
    """A Markdown text about a range of the analysed text."""

    markdown: str
    span: Span


def hover(analysis: Analysis, offset: int, stale: bool = False, file: str = "") -> Hover | None:
    """What there is to say about the place at ``offset``; ``stale`` says that it was edited since, and ``file`` how a
    person names the file on a command line, if it is one."""
    function, fact = analysis.function_named_at(offset), analysis.fact_at(offset)
    line = analysis.source.place(offset).line
    why = f"why: {code(f'dp-lsp explain {file}:{line}')}" if file and not stale else ""
    if function:
        return Hover(_join((*_function(function, stale), why)), function.name_span)
    if fact:
        return Hover(_join((*_expression(fact, analysis.source.text, stale), why)), fact.span)
    return None


def _join(paragraphs: Iterable[str]) -> str:
    return "\n\n".join(filter(None, paragraphs))


def verdict(function: FunctionReport) -> str:
    """The state of a function, and under how many conditions."""
    count = len(_open(function))
    if count and function.state is State.PROVED:
        return f"{WORDS[function.state]}, under {count} condition{'s' * (count > 1)}"
    return WORDS[function.state]


def _open(function: FunctionReport) -> list[ConditionReport]:
    return [condition for condition in function.conditions if not condition.decided]


def _function(function: FunctionReport, stale: bool) -> Iterator[str]:
    open_ones = _open(function)
    state = verdict(function)
    if stale:
        state = f"{WORDS[State.STALE]} (before the edit: {state})"
    yield f"**{code(function.name)}**: {KINDS[function.kind]} · {state}"
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
    """A table of the arguments, those of which the same is said in one row."""
    head, cells = _TABLES[function.kind]
    groups: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for parameter in function.parameters:
        groups.setdefault(tuple(cells(parameter)), []).append(code(parameter.name))
    rows = [
        (", ".join(names) if index == 0 else "or", *row)
        for rows, names in groups.items()
        for index, row in enumerate(rows)
    ]
    return table(("argument", *head), rows) if rows else ""


def _private(parameter: ParameterReport) -> Iterator[tuple[str, ...]]:
    """One row for each guarantee, of which the reader may take any: exact if that is short."""
    epsilon, delta = parameter.epsilon or "", parameter.delta or ""
    if parameter.static:
        yield "static", ""
    elif epsilon in _NONE:
        yield prose(parameter.shown), ""
    elif max(len(epsilon), len(delta)) <= _SHORT:
        yield code(epsilon), code(delta)
    else:
        for pair in parameter.shown.split("  or  "):
            shown_epsilon, _, shown_delta = pair.removeprefix("ε ").partition("  δ ")
            yield code(shown_epsilon), code(shown_delta)


def _sensitive(parameter: ParameterReport) -> Iterator[tuple[str, ...]]:
    yield ("static" if parameter.static else prose(parameter.shown),)


def _typed(parameter: ParameterReport) -> Iterator[tuple[str, ...]]:
    yield (code(parameter.type),)


_TABLES: dict[str, tuple[tuple[str, ...], Callable[[ParameterReport], Iterator[tuple[str, ...]]]]] = {
    "sensitivity": (("moves the result by at most",), _sensitive),
    "privacy": (("ε", "δ"), _private),
    "blackbox": (("type",), _typed),
}


def _free(function: FunctionReport) -> str:
    variables: dict[FreeVariable, None] = dict.fromkeys(v for bound in function.bounds for v in bound.free)
    lines = (f"- {code(v.name)}, {code(v.range)}: {prose(v.meaning)}" for v in variables)
    listed = "\n".join(lines)
    return f"for you to choose:\n{listed}" if listed else ""


def _expression(fact: Fact, text: str, stale: bool) -> Iterator[str]:
    shown = " ".join(text[fact.span.start : fact.span.end].split())
    if len(shown) > _LONGEST:
        shown = shown[: _LONGEST - 1] + "…"
    type_, *rest = expression(fact)
    yield f"**{code(shown)}** : {type_}"
    yield from rest
    yield f"rule: {code(fact.rule)}" if fact.rule else ""
    yield _CHECKING if stale else ""


def expression(fact: Fact) -> Iterator[str]:
    """What is known of a value: its type and metric, and how far it moves."""
    yield f"{code(fact.type)} · {prose(fact.metric)}" if fact.metric else code(fact.type)
    moves = ", ".join(f"**{prose(bound)}** in {code(parameter)}" for parameter, bound in fact.moves)
    if moves:
        yield f"moves by at most {moves}"
    elif fact.metric:
        yield "moves with no parameter: public, or released by a mechanism"
