"""The functions of a file as symbols, with what is known of each in a few words."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.analysis.records import Analysis, FunctionReport, State
from dp_lsp.analysis.workspace import Document
from dp_lsp.text import Span

_LONGEST = 120  # characters of a summary; hover has the whole
WORDS = {
    State.PROVED: "proved",
    State.FAILED: "failed",
    State.UNKNOWN: "unknown",
    State.STALE: "checking",
}


class Symbol(NamedTuple):
    """A function: its name, its state with the bounds, the whole of it, and its name's place."""

    name: str
    detail: str
    span: Span
    name_span: Span


def summary(function: FunctionReport, first: bool = False) -> str:
    """The bounds of a function in a few words ("x: ε 0.1  δ 0.2"), without its state, which says if they hold. Of two
    bounds of a parameter, of which a reader may take either, the ``first`` may be enough."""
    if function.state is State.STALE:
        return ""
    if function.kind == "blackbox":
        return "black box"
    names: dict[str, list[str]] = {}
    for parameter in function.parameters:
        shown = parameter.first if first else parameter.shown
        if not parameter.static and shown:
            names.setdefault(shown, []).append(parameter.name)
    bounds = " · ".join(f"{', '.join(group)}: {shown}" for shown, group in names.items())
    text = bounds or function.reason
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def described(function: FunctionReport) -> str:
    """The state of a function, and its bounds in a few words."""
    return " · ".join(filter(None, [WORDS[function.state], summary(function)]))


def outline(known: Analysis | Document) -> tuple[Symbol, ...]:
    """The functions of a file, in order."""
    return tuple(
        Symbol(function.name, described(function), function.span, function.name_span) for function in known.functions
    )
