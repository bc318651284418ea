"""Fixes that are worth a trial, for problems whose own rule knows none.

They are made of what the whole project says, which what is remembered of a function must not depend on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.analysis.records import Analysis
from dp_lsp.engine.remarks import OF_REMARKS, ignoring
from dp_lsp.infer.problems import NeedsTypes, UnknownName
from dp_lsp.lower.problems import UnknownType
from dp_lsp.lower.type_names import RESERVED
from dp_lsp.problem import Edit, Fix, Problem, Severity
from dp_lsp.text import Source, Span

_WORD = re.compile(r"[^\W\d]\w*!?")
_NEAR = 0.6
_MOST = 3
_TYPES = ("Real", "Vector{<:Real}", "Matrix{<:Real}", "Function")
_BARE = re.compile(r"(?<=[(,])\s*([^\W\d]\w*)\s*(?=[,)])")


class Seen(NamedTuple):
    """A text, what is known of it, and the names that its projects define."""

    text: str
    analysis: Analysis
    defined: frozenset[str]


def is_hopeful(problem: Problem) -> bool:
    """Whether something may be proposed for a problem."""
    return problem.code in _PROPOSERS


def proposals(problem: Problem, seen: Callable[[], Seen]) -> Iterable[Fix]:
    """The fixes that are worth a trial."""
    propose = _PROPOSERS.get(problem.code)
    return () if propose is None else propose(problem, seen())


def names_defined(analysis: Analysis) -> Iterator[str]:
    """The top-level names that a file defines."""
    return (name for placed in analysis.chunks for name in placed.record.verdict.defines)


def _name(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """A name that is spelled almost like this one: of a builtin, of the project, or of the function it stands in."""
    around = (seen.text[chunk.start :][: chunk.length] for chunk in seen.analysis.chunks_at(problem.span.start))
    words = {word for text in around for word in _WORD.findall(text)}
    return _spellings(problem.span, seen.text, words | seen.defined | builtins.TABLE.keys())


def _type(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """A type or norm that is spelled almost like one of the words of an annotation."""
    start, end = problem.span
    for word in _WORD.finditer(seen.text, start, end):
        if word[0] not in RESERVED:
            yield from _spellings(Span(*word.span()), seen.text, RESERVED)


def _spellings(span: Span, text: str, known: Iterable[str]) -> Iterator[Fix]:
    written = text[span.start : span.end]
    others = sorted(set(known) - {written})
    alike = [name for name in others if name.casefold() == written.casefold()]
    for name in dict.fromkeys([*alike, *get_close_matches(written, others, _MOST, _NEAR)]):
        yield Fix(f"change `{written}` to `{name}`", (Edit(span, name),))


def _annotation(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """An annotation for a parameter that has none."""
    function = seen.analysis.function_named_at(problem.span.start)
    if function is None:
        return
    end = seen.text.find(")", function.name_span.end) + 1
    for bare in _BARE.finditer(seen.text, function.name_span.end, end):
        for type_ in _TYPES:
            place = Span(bare.end(1), bare.end(1))
            yield Fix(f"annotate it: `{bare[1]}::{type_}`", (Edit(place, f"::{type_}"),), sure=False)


def may_accept(problem: Problem) -> bool:
    """Whether a comment may be written that accepts a problem."""
    return problem.severity in (Severity.ERROR, Severity.WARNING) and problem.code not in OF_REMARKS


def ignores(problem: Problem, source: Source) -> Iterator[Callable[[str], Edit]]:
    """The places for a comment that accepts a problem, given the reason: beside its line, or above it."""
    if not may_accept(problem):
        return
    start, end = source.line_span(source.place(problem.span.start).line)
    line = source.text[start:end]
    if "#" not in line:
        yield lambda reason: Edit(Span(end, end), f"  {ignoring(problem.code, reason)}")
    indent = line[: len(line) - len(line.lstrip())]
    ends = "\r\n" if "\r\n" in source.text else "\n"
    yield lambda reason: Edit(Span(start, start), f"{indent}{ignoring(problem.code, reason)}{ends}")


_PROPOSERS: dict[str, Callable[[Problem, Seen], Iterator[Fix]]] = {
    UnknownName.code: _name,
    UnknownType.code: _type,
    NeedsTypes.code: _annotation,
}
