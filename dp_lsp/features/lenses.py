"""Code lenses: above each function, what is proved of it, or why nothing is."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.hover import numeric_words, verdict
from dp_lsp.features.markdown import together
from dp_lsp.features.outline import WORDS, summary
from dp_lsp.text import Span

_LONGEST = 160  # characters of a line above the code
_CHECKING = "checking…"
_BOX = "a black box, taken at your word"


class Lens(NamedTuple):
    """A line of text above the name of a function. ``explained`` says that there is a derivation of what it says."""

    title: str
    span: Span
    explained: bool


def lenses(document: Document) -> list[Lens]:
    """The lenses of each function, at its place in the text as it is now."""
    return [
        Lens(title, each.name_span, each.state is not State.STALE)
        for each in document.functions
        for title in (_title(each), *each.proved_chains)
    ]


def _title(function: FunctionReport) -> str:
    """State before number: ``proved · x: ε 0.1  δ 0``."""
    if function.state is State.STALE:
        return _CHECKING
    if function.state is State.UNKNOWN:
        title = " · ".join(filter(None, (WORDS[function.state], function.reason)))
    elif function.kind == "blackbox":
        title = f"{WORDS[function.state]} · {_BOX}"
    else:
        title = " · ".join(filter(None, (verdict(function), _numbers(function) or summary(function, first=True))))
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


def _numbers(function: FunctionReport) -> str:
    """The bounds as numbers, if there is one for each."""
    if any(each.missing for each in function.numeric):
        return ""
    return " · ".join(f"{together(each.parameters)}: {numeric_words(each)}" for each in function.numeric)
