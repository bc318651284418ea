"""The report of a file as a page: what is known of each function, and what is wrong outside of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dp_lsp.analysis.records import Analysis, State
from dp_lsp.features.hover import function_text
from dp_lsp.features.markdown import code, prose
from dp_lsp.features.outline import WORDS


def page(analysis: Analysis, name: str) -> str:
    """The page of a file, as Markdown. ``name`` is what the file is called."""
    return "\n\n".join(filter(None, _parts(analysis, name))) + "\n"


def _parts(analysis: Analysis, name: str) -> Iterator[str]:
    yield f"# {code(name)}"
    states = Counter(function.state for function in analysis.functions)
    counts = ", ".join(f"{states[state]} {WORDS[state]}" for state in State if states[state])
    total = len(analysis.functions)
    yield f"{total} function{'s' * (total != 1)}{': ' * bool(counts)}{counts}." if total else "There are no functions."
    given = analysis.options.settings
    if given:
        numbers = (f"{each.function}:{each.name}" if each.function else each.name for each in given)
        values = (f"{code(text)} = {each.value}" for text, each in zip(numbers, given, strict=True))
        yield f"With {', '.join(values)}."
    for function in analysis.functions:
        yield f"## {code(function.name + function.signature)}"
        yield from function_text(analysis, function)
        yield f"```\n{function.display}\n```" if function.display else ""
    yield from _elsewhere(analysis)


def _elsewhere(analysis: Analysis) -> Iterator[str]:
    """The problems that lie in no function."""
    lines = [
        f"- line {analysis.source.place(each.span.start).line}: [{each.code}]({each.url}) {prose(each.message)}"
        for each in analysis.problems
        if not any(function.span.covers(each.span.start) for function in analysis.functions)
    ]
    if lines:
        yield "## Outside functions"
        yield "\n".join(lines)
