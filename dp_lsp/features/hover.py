"""What is shown where the mouse points: the verdict of a function, or what an expression moves with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dp_lsp.analysis.records import Analysis, Fact, FreeVariable, FunctionReport, ParameterReport, State
from dp_lsp.features.markdown import code, prose, table
from dp_lsp.features.outline import WORDS
from dp_lsp.text import Span

_KINDS = {"sensitivity": "sensitivity", "privacy": "private", "blackbox": "black box"}
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
    distance = f" · {prose(fact.metric)}" if fact.metric else ""
    yield f"**{code(shown)}** : {code(fact.type)}{distance}"
    moves = ", ".join(f"**{prose(bound)}** in {code(parameter)}" for parameter, bound in fact.moves)
    if moves:
        yield f"moves by at most {moves}"
    elif fact.metric:
        yield "moves with no parameter: public, or released by a mechanism"
    yield f"rule: {code(fact.rule)}" if fact.rule else ""
    yield _CHECKING if stale else ""
